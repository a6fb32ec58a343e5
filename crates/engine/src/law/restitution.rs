//! From a coefficient of restitution to a damping ratio (THEORY.md eqs. 3.4 and 3.5).
//!
//! For a linear spring and dashpot with damping ratio b, c = 2 b sqrt(k m_eff). When contact lasts until the overlap is
//! zero, e = exp(-pi b/sqrt(1 - b^2)). When the force may not pull (`cohesionless`) contact ends earlier, when it turns
//! attractive, and e = exp[-(b/s)(pi - atan2(2 b s, 1 - 2 b^2))], s = sqrt(1 - b^2) (Schwager and Poeschel 2007); above
//! b = 1, which e < exp(-2) needs, the angle becomes the logarithm of (b + s)/(b - s), s = sqrt(b^2 - 1). Hertz with
//! damping in proportion to sqrt(S m_eff) rebounds with the same e(b) at every speed.

use crate::math;

/// The damping ratio that gives restitution `e` in (0, 1].
pub fn damping_ratio(e: f64, cohesionless: bool) -> f64 {
    if e >= 1.0 {
        return 0.0;
    }
    let log = math::ln(e);
    if !cohesionless {
        return -log / (std::f64::consts::PI * std::f64::consts::PI + log * log).sqrt();
    }
    // ln e falls strictly with b: bisect, on a bracket found by doubling.
    let (mut low, mut high) = (0.0, 1.0);
    while log_restitution_clipped(high) > log {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if log_restitution_clipped(middle) > log { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// ln e of a clipped spring and dashpot with damping ratio b.
fn log_restitution_clipped(b: f64) -> f64 {
    if b <= 0.0 {
        return 0.0;
    }
    let gap = 1.0 - b * b;
    let s = gap.abs().sqrt();
    if s < 1e-6 {
        return -2.0;
    }
    if gap > 0.0 {
        -(b / s) * (std::f64::consts::PI - math::atan2(2.0 * b * s, 1.0 - 2.0 * b * b))
    } else {
        -(b / s) * math::ln((b + s) / (b - s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_textbook_ratio_rebounds_higher_when_clipped() {
        // THEORY.md eq. 3.5: the textbook ratio for e = 0.4 rebounds at 0.472 when clipped.
        let b = damping_ratio(0.4, false);
        assert!((math::exp(log_restitution_clipped(b)) - 0.472).abs() < 5e-4);
    }

    #[test]
    fn the_inverse_is_an_inverse_on_both_sides_of_critical() {
        for e in [0.01, 0.1, 0.1353, 0.136, 0.4, 0.9, 0.999] {
            let b = damping_ratio(e, true);
            // The branch within 1e-6 of b = 1 is flat to 1e-6, hence the tolerance.
            assert!((math::exp(log_restitution_clipped(b)) / e - 1.0).abs() < 2e-6, "e = {e}, b = {b}");
        }
        assert_eq!(damping_ratio(1.0, true), 0.0);
    }
}

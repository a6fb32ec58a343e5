//! From a coefficient of restitution to a damping ratio (THEORY.md eqs. 3.4 and 3.5).
//!
//! For a linear spring and dashpot with damping ratio b, c = 2 b sqrt(k m_eff). When contact lasts until the overlap is
//! zero, e = exp(-pi b/sqrt(1 - b^2)). When the force may not pull (`cohesionless`) contact ends earlier, when it turns
//! attractive, and e = exp[-(b/s)(pi - atan2(2 b s, 1 - 2 b^2))], s = sqrt(1 - b^2) (Schwager and Poeschel 2007); above
//! b = 1, which e < exp(-2) needs, the angle becomes the logarithm of (b + s)/(b - s), s = sqrt(b^2 - 1). Hertz with
//! damping in proportion to sqrt(S m_eff) rebounds with the same e(b) at every speed.

use crate::math;

/// What a restitution of zero comes out as where the force may not pull: there e = 0 needs an infinite damping ratio, e being
/// 1/(4 b^2) for large b, and the step a scene can bear falls as 1/b.
pub const LEAST_CLIPPED: f64 = 0.01;

/// The damping ratio that gives restitution `e` in [0, 1]. Zero is critical damping where the force may pull; where it may not,
/// zero stands for `LEAST_CLIPPED`.
pub fn damping_ratio(e: f64, cohesionless: bool) -> f64 {
    if e >= 1.0 {
        return 0.0;
    }
    if e <= 0.0 {
        return if cohesionless { damping_ratio(LEAST_CLIPPED, true) } else { 1.0 };
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

/// The restitution that a damping ratio gives.
pub fn of_damping_ratio(b: f64, cohesionless: bool) -> f64 {
    if cohesionless {
        math::exp(log_restitution_clipped(b))
    } else if b < 1.0 {
        math::exp(-std::f64::consts::PI * b / (1.0 - b * b).sqrt())
    } else {
        0.0
    }
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
            let pulls = of_damping_ratio(damping_ratio(e, false), false);
            // 1 - b^2 is known to 1e-16 of 1: to 1e-14 of itself for e = 0.01.
            assert!((pulls / e - 1.0).abs() < 1e-12, "e = {e}: {pulls}");
            let b = damping_ratio(e, true);
            // The branch within 1e-6 of b = 1 is flat to 1e-6, hence the tolerance.
            assert!((of_damping_ratio(b, true) / e - 1.0).abs() < 2e-6, "e = {e}, b = {b}");
        }
        assert_eq!(damping_ratio(1.0, true), 0.0);
        // A large b gives e = 1/(4 b^2), but for 2 e ln(1/e) of it.
        let (e, b) = (1e-4, damping_ratio(1e-4, true));
        assert!((4.0 * b * b * e - 1.0).abs() < -2.0 * e * math::ln(e), "{b}");
    }

    /// `restitution = 0` was an error.
    #[test]
    fn a_fully_plastic_contact_is_critically_damped_or_next_to_plastic() {
        assert_eq!(damping_ratio(0.0, false), 1.0);
        // The limit of small e.
        assert!((damping_ratio(1e-300, false) - 1.0).abs() < 2e-5);
        assert_eq!(damping_ratio(0.0, true), damping_ratio(LEAST_CLIPPED, true));
    }
}

//! The damped oscillator in closed form: what two spheres with fixed centres are while nothing slips.
//!
//! With the relative angle q of the two (of rolling or of spin), a spring k and a dashpot c in its torque, an arm a, and the
//! inertia I of each sphere,
//!
//!   I d(w_a)/dt = -a^2 (k q + c q'),   I d(w_b)/dt = +a^2 (k q + c q'),   so   q'' + 2 z w0 q' + w0^2 q = 0
//!
//! with w0^2 = 2 a^2 k/I and z = (a^2 c/I)/w0. Rolling has a = R_eff (the law's force acts at the effective radius), spin
//! a = 1. From q = 0 with q' = v the torque on a sphere is M = (I/2) q'', and
//!
//!   q''(t) = -v w0/s exp(-z w0 t) sin(s w0 t + 2 asin z),   s = sqrt(1 - z^2)                    for z < 1
//!   q''(t) = v (p^2 exp(-p t) - r^2 exp(-r t))/(r - p),     p, r = w0 (z -+ sqrt(z^2 - 1))        for z > 1
//!
//! Extrema of the torque follow each other at the ratio exp(-pi z/s).

use stickslip::math;

/// q'' + 2 z w0 q' + w0^2 q = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillator {
    /// w0 (rad per unit of time), of the undamped motion.
    pub frequency: f64,
    /// z, 1 at critical damping.
    pub damping_ratio: f64,
}

impl Oscillator {
    /// Of two equal spheres of this inertia, with the law's spring, dashpot and arm.
    pub fn of_pair(stiffness: f64, damping: f64, arm: f64, inertia: f64) -> Self {
        let frequency = (2.0 * arm * arm * stiffness / inertia).sqrt();
        Oscillator { frequency, damping_ratio: arm * arm * damping / inertia / frequency }
    }

    /// q'' at a time after q = 0, q' = 1. The torque on a sphere is this times I/2 and the speed at the start.
    pub fn acceleration(&self, time: f64) -> f64 {
        let (w, z) = (self.frequency, self.damping_ratio);
        if z < 1.0 {
            let s = (1.0 - z * z).sqrt();
            // asin z = atan2(z, s).
            -w / s * math::exp(-z * w * time) * math::sin(s * w * time + 2.0 * math::atan2(z, s))
        } else {
            // At critical damping the two rates are one: a hair apart is the same to rounding.
            let root = (z * z - 1.0).sqrt().max(1e-6);
            let (slow, fast) = (w * (z - root), w * (z + root));
            let part = |rate: f64| rate * rate * math::exp(-rate * time);
            (part(slow) - part(fast)) / (fast - slow)
        }
    }

    /// Each extremum of the torque over the one before it; zero if there is but one.
    pub fn decrement(&self) -> f64 {
        let z = self.damping_ratio;
        if z < 1.0 { math::exp(-std::f64::consts::PI * z / (1.0 - z * z).sqrt()) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the equation itself, by small steps of the midpoint rule.
    #[test]
    fn the_closed_form_solves_the_equation() {
        for damping_ratio in [0.05, 0.3, 0.99, 1.0, 1.5, 8.0] {
            let oscillator = Oscillator { frequency: 1.7, damping_ratio };
            let pull = |q: f64, v: f64| -2.0 * damping_ratio * 1.7 * v - 1.7 * 1.7 * q;
            let (mut q, mut v, h) = (0.0, 1.0, 1e-4);
            // The rule is off by about (rate h)^2 of the largest acceleration, which is about the rate.
            let rate = 1.7 * (1.0 + 2.0 * damping_ratio);
            let tolerance = rate * rate * rate * h * h;
            for step in 0..40_000_u32 {
                let off = pull(q, v) - oscillator.acceleration(f64::from(step) * h);
                assert!(off.abs() < tolerance, "{damping_ratio} {step} {off:e}");
                let (qm, vm) = (q + 0.5 * h * v, v + 0.5 * h * pull(q, v));
                (q, v) = (q + h * vm, v + h * pull(qm, vm));
            }
        }
    }
}

//! `viscous`, against roll: a torque in proportion to the rolling rate (type B of Ai et al. 2011), with or without a cap.
//!
//! M = -c w_r, c in N m s; |M| <= mu R_eff N (or length N) if a limit is given.                   (THEORY.md eq. 3.16)
//!
//! It has no spring, so nothing holds a body at rest: on a slope a ball creeps however small the torque on it. `mode` says
//! slip at the cap and stick below it. With a static and a kinetic limit the torque rises to the static one and stays at
//! the kinetic one until c |w_r| falls below that.
//!
//! ```
//! use stickslip::law::{Limit, RollViscous};
//! let free = RollViscous { damping: 1e-4, limit: None };
//! let capped = RollViscous { limit: Some(Limit::mu(0.1)), ..free };
//! assert_eq!(capped.damping, 1e-4);
//! ```

use crate::contact::{Contact, Resistance};
use crate::law::limit::Limit;
use crate::law::memory::ModeOnly;
use crate::law::{FrictionLaw, Motions, Spring, Springs, TypicalContact};

/// Parameters of `viscous`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollViscous {
    /// c (N m s).
    pub damping: f64,
    /// |M| <= mu R_eff N or length N; without one the torque grows with the rate for ever.
    pub limit: Option<Limit>,
}

impl FrictionLaw for RollViscous {
    const NAME: &'static str = "viscous";
    const RESISTS: Motions = Motions::ROLL;
    type Memory = ModeOnly;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly, _: &mut [f64]) -> Resistance {
        let trial = contact.roll_rate() * -self.damping;
        let size = trial.length();
        let (static_limit, kinetic_limit) = match self.limit {
            Some(limit) => {
                let per_coefficient = limit.arm(contact) * contact.normal_load;
                (limit.static_ * per_coefficient, limit.kinetic * per_coefficient)
            }
            None => (f64::INFINITY, f64::INFINITY),
        };
        let capped = size > if memory.slipping { kinetic_limit } else { static_limit };
        let torque = trial * (if capped { kinetic_limit / size } else { 1.0 });
        memory.slipping = capped;
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, _: &ModeOnly, _: &[f64]) -> [f64; 3] {
        [0.0; 3]
    }

    fn springs(&self, _: &TypicalContact) -> Option<Springs> {
        let holds = self.limit.as_ref().is_none_or(|limit| limit.static_ > 0.0);
        Some(Springs::roll(Spring::of_torque(0.0, self.damping).that_holds(holds)))
    }

    /// Nothing: without a spring it gives way to any load.
    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::ROLL).then_some(Limit::mu(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::{close, contact};
    use glam::DVec3;

    fn roll(law: &RollViscous, memory: &mut ModeOnly, rate: DVec3) -> DVec3 {
        let loads = law.resist(&Contact { angular_velocity_a: rate, ..contact() }, memory, &mut []);
        assert_eq!((loads.roll_b, loads.spin, loads.force), (-loads.roll_a, 0.0, DVec3::ZERO));
        loads.roll_a
    }

    #[test]
    fn the_torque_is_in_proportion_to_the_rate_and_does_not_see_spin() {
        let law = RollViscous { damping: 0.5, limit: None };
        let mut memory = ModeOnly::default();
        for size in [0.0, 1e-9, 1.0, 1e9] {
            let torque = roll(&law, &mut memory, DVec3::new(3.0, -4.0, 7.0) * size);
            close(torque / size.max(1.0), DVec3::new(-1.5, 2.0, 0.0) * (size / size.max(1.0)));
            assert!(!memory.slipping);
        }
    }

    #[test]
    fn a_limit_caps_it() {
        // mu R_eff N = 0.2 * 0.25 * 2 = 0.1, reached at 0.2 rad/s.
        let law = RollViscous { damping: 0.5, limit: Some(Limit::mu(0.2)) };
        let mut memory = ModeOnly::default();
        close(roll(&law, &mut memory, DVec3::X * 0.1), DVec3::X * -0.05);
        assert!(!memory.slipping);
        close(roll(&law, &mut memory, DVec3::X * 3.0), DVec3::X * -0.1);
        assert!(memory.slipping);
        let by_length = RollViscous { limit: Some(Limit::length(0.03)), ..law };
        close(roll(&by_length, &mut memory, DVec3::new(3.0, 4.0, 0.0)), DVec3::new(-0.036, -0.048, 0.0));
        // Without a load there is no torque, and without motion nothing to divide by.
        let unloaded = Contact { angular_velocity_a: DVec3::X, normal_load: 0.0, ..contact() };
        close(law.resist(&unloaded, &mut memory, &mut []).roll_a, DVec3::ZERO);
        close(roll(&law, &mut memory, DVec3::ZERO), DVec3::ZERO);
    }

    #[test]
    fn static_and_kinetic_limits_differ() {
        // Static 0.1 N m, kinetic 0.05 N m.
        let law = RollViscous { damping: 0.5, limit: Some(Limit { static_: 0.2, ..Limit::mu(0.1) }) };
        let mut memory = ModeOnly::default();
        close(roll(&law, &mut memory, DVec3::X * 0.18), DVec3::X * -0.09);
        close(roll(&law, &mut memory, DVec3::X * 0.22), DVec3::X * -0.05);
        close(roll(&law, &mut memory, DVec3::X * 0.18), DVec3::X * -0.05);
        close(roll(&law, &mut memory, DVec3::X * 0.08), DVec3::X * -0.04);
        close(roll(&law, &mut memory, DVec3::X * 0.18), DVec3::X * -0.09);
    }
}

//! `constant-torque`, against roll and spin: a torque of constant size against the motion (type A of Ai et al. 2011).
//!
//! Roll: M = -mu R_eff N w_r/|w_r|. Spin: M = -mu R_eff N sign(w_t) n. Both are zero at zero rate, and
//! `length` N may stand in place of mu R_eff N.   (THEORY.md eq. 3.10)
//!
//! It has no memory, hence no static branch: at rest the torque flips its sign from step to step, and a pile creeps.
//! The step must be so small that the torque does not reverse the rotation within it, dt << I |w|/M; the law shows what
//! happens otherwise and does not hide it. `include_spin` lets the rolling torque act against all of w_a - w_b, as
//! `fang`'s eq. 8 prints it; it then resists spin as well.
//!
//! ```
//! use stickslip::law::{Limit, SpinConstantTorque};
//! let law = SpinConstantTorque { limit: Limit::length(0.001) };
//! assert_eq!(law.limit.kinetic, 0.001);
//! ```

use glam::DVec3;

use crate::contact::{Contact, Resistance};
use crate::law::limit::Limit;
use crate::law::memory::ModeOnly;
use crate::law::{FrictionLaw, Motions, Springs, TypicalContact};

/// Parameters of `constant-torque` for roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollConstantTorque {
    /// |M| = mu R_eff N or length N; the kinetic value is the one that acts.
    pub limit: Limit,
    /// Act against the whole relative angular velocity.
    pub include_spin: bool,
}

/// Parameters of `constant-torque` for spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinConstantTorque {
    /// |M| = mu R_eff N or length N; the kinetic value is the one that acts.
    pub limit: Limit,
}

impl FrictionLaw for RollConstantTorque {
    const NAME: &'static str = "constant-torque";
    const RESISTS: Motions = Motions::ROLL;
    type Memory = ModeOnly;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly, _: &mut [f64]) -> Resistance {
        let spinning = contact.normal * contact.spin_rate();
        let rate = contact.roll_rate() + if self.include_spin { spinning } else { DVec3::ZERO };
        let size = rate.length();
        let moving = size > 0.0;
        let torque = self.limit.kinetic * self.limit.arm(contact) * contact.normal_load;
        let torque = rate * (if moving { -torque / size } else { 0.0 });
        memory.slipping = moving;
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, _: &ModeOnly, _: &[f64]) -> [f64; 3] {
        [0.0; 3]
    }

    fn springs(&self, _: &TypicalContact) -> Option<Springs> {
        Some(Springs::NONE)
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        let against = motion == Motions::ROLL || (self.include_spin && motion == Motions::SPIN);
        against.then_some(self.limit)
    }
}

impl FrictionLaw for SpinConstantTorque {
    const NAME: &'static str = "constant-torque";
    const RESISTS: Motions = Motions::SPIN;
    type Memory = ModeOnly;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly, _: &mut [f64]) -> Resistance {
        let rate = contact.spin_rate();
        let torque = self.limit.kinetic * self.limit.arm(contact) * contact.normal_load;
        let moving = rate.abs() > 0.0;
        memory.slipping = moving;
        Resistance { spin: if moving { -torque.copysign(rate) } else { 0.0 }, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, _: &ModeOnly, _: &[f64]) -> [f64; 3] {
        [0.0; 3]
    }

    fn springs(&self, _: &TypicalContact) -> Option<Springs> {
        Some(Springs::NONE)
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::SPIN).then_some(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::{close, contact};

    #[test]
    fn roll_has_its_size_against_the_motion_and_none_at_rest() {
        // mu R_eff N = 0.1 * 0.25 * 2 = 0.05; length N = 0.03 * 2.
        let law = RollConstantTorque { limit: Limit::mu(0.1), include_spin: false };
        let by_length = RollConstantTorque { limit: Limit::length(0.03), include_spin: false };
        let mut memory = ModeOnly::default();
        for size in [1e-9, 1.0, 1e9] {
            // The spin about z is not resisted.
            let turning = DVec3::new(3.0, -4.0, 7.0) * size;
            let moving = Contact { angular_velocity_a: turning, ..contact() };
            let loads = law.resist(&moving, &mut memory, &mut []);
            close(loads.roll_a, DVec3::new(-0.03, 0.04, 0.0));
            assert_eq!((loads.roll_b, loads.spin), (-loads.roll_a, 0.0));
            assert!(memory.slipping);
            close(by_length.resist(&moving, &mut memory, &mut []).roll_a, DVec3::new(-0.036, 0.048, 0.0));
        }
        assert_eq!(law.resist(&contact(), &mut memory, &mut []), Resistance::default());
        assert!(!memory.slipping);
    }

    #[test]
    fn with_spin_the_torque_is_against_all_of_the_rotation() {
        let law = RollConstantTorque { limit: Limit::length(0.5), include_spin: true };
        let turning = Contact { angular_velocity_b: DVec3::new(0.0, 3.0, 4.0), ..contact() };
        close(law.resist(&turning, &mut ModeOnly::default(), &mut []).roll_a, DVec3::new(0.0, 0.6, 0.8));
    }

    #[test]
    fn spin_has_its_size_against_the_motion_and_none_at_rest() {
        let law = SpinConstantTorque { limit: Limit::length(0.02) };
        let at = |rate: f64| {
            let turning = Contact { angular_velocity_a: DVec3::new(5.0, 0.0, rate), ..contact() };
            law.resist(&turning, &mut ModeOnly::default(), &mut []).spin
        };
        assert_eq!([at(0.1), at(-3.0), at(0.0)], [-0.04, 0.04, 0.0]);
    }
}

//! `constant-torque`, against roll and spin: a torque of constant size against the motion (type A of Ai et al. 2011).
//!
//! Roll: M = -mu R_eff N w_r/|w_r|. Spin: M = -length N sign(w_t) n. Both are zero at zero rate.   (THEORY.md eq. 3.10)
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
use crate::law::{FrictionLaw, Motions};

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
    const RESISTS: Motions = Motions::ROLL;
    type Memory = ModeOnly;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly) -> Resistance {
        let spinning = contact.normal * contact.spin_rate();
        let rate = contact.roll_rate() + if self.include_spin { spinning } else { DVec3::ZERO };
        let size = rate.length();
        let moving = size > 0.0;
        let torque = self.limit.kinetic * self.limit.arm(contact) * contact.normal_load;
        let torque = rate * (if moving { -torque / size } else { 0.0 });
        memory.slipping = if moving { 1.0 } else { 0.0 };
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, _: &ModeOnly) -> [f64; 3] {
        [0.0; 3]
    }
}

impl FrictionLaw for SpinConstantTorque {
    const RESISTS: Motions = Motions::SPIN;
    type Memory = ModeOnly;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly) -> Resistance {
        let rate = contact.spin_rate();
        let torque = self.limit.kinetic * self.limit.arm(contact) * contact.normal_load;
        let moving = rate.abs() > 0.0;
        memory.slipping = if moving { 1.0 } else { 0.0 };
        Resistance { spin: if moving { -torque.copysign(rate) } else { 0.0 }, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, _: &ModeOnly) -> [f64; 3] {
        [0.0; 3]
    }
}

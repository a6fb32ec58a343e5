//! `epsd`, against roll: an elastic-plastic spring with a dashpot (Iwashita and Oda 1998, Jiang et al. 2005; type C of
//! Ai et al. 2011).
//!
//! M_k -= K_r w_r dt,  |M_k| <= mu R_eff N;  M_d = -2 eta sqrt(I_r K_r) w_r while not saturated, else 0;  M = M_k + M_d
//!                                                                                          (THEORY.md eq. 3.11)
//! K_r = `stiffness`, or K_t R_eff^2 with the stiffness K_t of the pair's slide law. I_r is the inertia of the two bodies
//! about the contact point, 1/I_r = 1/(I_a + m_a R_a^2) + 1/(I_b + m_b R_b^2). M_d stands outside the cap, as published:
//! the total may exceed mu R_eff N while the contact sticks. At step 0, where no spring has been stretched yet, the cap holds the
//! total.
//!
//! ```
//! use stickslip::law::{Limit, RollEpsd};
//! let law = RollEpsd { stiffness: 0.0, slide_stiffness: 1e5, damping_ratio: 0.3, limit: Limit::mu(0.1) };
//! assert_eq!(law.stiffness_at(0.002), 0.4);
//! ```

use glam::DVec3;

use crate::contact::{Contact, Resistance};
use crate::law::limit::Limit;
use crate::law::memory::VectorSpring;
use crate::law::springs::critical_dashpot;
use crate::law::{FrictionLaw, LawVisitor, Motions, Spring, Springs, TypicalContact};

/// Parameters of `epsd`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollEpsd {
    /// K_r (N m/rad); zero when it comes from the slide law.
    pub stiffness: f64,
    /// K_t (N/m) of the slide law; zero when `stiffness` is given.
    pub slide_stiffness: f64,
    /// eta, a fraction of the critical damping.
    pub damping_ratio: f64,
    /// |M_k| <= mu R_eff N or length N.
    pub limit: Limit,
}

impl RollEpsd {
    /// K_r at a contact of this effective radius.
    #[inline(always)]
    pub fn stiffness_at(&self, radius_eff: f64) -> f64 {
        self.stiffness + self.slide_stiffness * radius_eff * radius_eff
    }
}

/// 1/(I + m R^2), zero for an infinitely heavy body.
#[inline(always)]
fn inverse_inertia_at_contact(inverse_mass: f64, inverse_inertia: f64, reach: f64) -> f64 {
    let sum = inverse_mass + reach * reach * inverse_inertia;
    if sum > 0.0 { inverse_mass * inverse_inertia / sum } else { 0.0 }
}

impl RollEpsd {
    /// `resist` where the compiler may know whether this is an evaluation at rest, with dt = 0.
    #[inline(always)]
    fn resist_with(&self, at_rest: bool, contact: &Contact, memory: &mut VectorSpring) -> Resistance {
        let stiffness = self.stiffness_at(contact.radius_eff);
        let rate = contact.roll_rate();
        let trial = memory.spring - rate * (stiffness * contact.dt);
        let inverse_a = inverse_inertia_at_contact(contact.inverse_mass_a, contact.inverse_inertia_a, contact.reach_a);
        let inverse_b = inverse_inertia_at_contact(contact.inverse_mass_b, contact.inverse_inertia_b, contact.reach_b);
        let dashpot = 2.0 * self.damping_ratio * (stiffness / (inverse_a + inverse_b)).sqrt();
        // At step 0 nothing has been rolled yet: a spring without a past cannot tell whether it is saturated, and the limit caps
        // spring and dashpot together.
        let newborn = at_rest & (memory.slipping | (memory.spring == DVec3::ZERO));
        let tested = trial - rate * (if newborn { dashpot } else { 0.0 });
        let size = tested.length();
        let per_coefficient = self.limit.arm(contact) * contact.normal_load;
        let kinetic = self.limit.kinetic * per_coefficient;
        let allowed = if memory.slipping { kinetic } else { self.limit.static_ * per_coefficient };
        let saturated = size > allowed;
        let kept = if saturated { kinetic / size } else { 1.0 };
        let spring = trial * (if newborn { 1.0 } else { kept });
        let torque = if newborn { tested * kept } else { spring - rate * (if saturated { 0.0 } else { dashpot }) };
        *memory = VectorSpring { spring, slipping: saturated };
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }
}

impl FrictionLaw for RollEpsd {
    const NAME: &'static str = "epsd";
    const RESISTS: Motions = Motions::ROLL;
    type Memory = VectorSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut VectorSpring, _: &mut [f64]) -> Resistance {
        self.resist_with(contact.dt == 0.0, contact, memory)
    }

    fn stored(&self, contact: &Contact, memory: &VectorSpring, _: &[f64]) -> [f64; 3] {
        [0.0, 0.5 * memory.spring.length_squared() / self.stiffness_at(contact.radius_eff), 0.0]
    }

    /// The memory is a torque, which turns about with the pair.
    fn swapped(&self, memory: VectorSpring, _: &mut [f64]) -> VectorSpring {
        VectorSpring { spring: -memory.spring, ..memory }
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let k = self.stiffness_at(at.radius_eff());
        // The law takes the inertia about the contact point, I + m R^2 = 3.5 I for a solid sphere.
        let c = self.damping_ratio * 3.5_f64.sqrt() * critical_dashpot(k, at.rotation());
        Some(Springs::roll(Spring::of_torque(k, c)))
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::ROLL).then_some(self.limit)
    }

    #[inline(always)]
    fn specialise<V: LawVisitor>(&self, dt: f64, visitor: &mut V) {
        if dt > 0.0 {
            visitor.visit(&EpsdInSteps(*self));
        } else {
            visitor.visit(self);
        }
    }
}

/// The law in a step. The kernel runs it as this type, so that what the evaluation with dt = 0 asks for costs steps nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EpsdInSteps(pub RollEpsd);

impl FrictionLaw for EpsdInSteps {
    const NAME: &'static str = "epsd";
    const RESISTS: Motions = Motions::ROLL;
    type Memory = VectorSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut VectorSpring, _: &mut [f64]) -> Resistance {
        self.0.resist_with(false, contact, memory)
    }

    fn stored(&self, contact: &Contact, memory: &VectorSpring, _: &[f64]) -> [f64; 3] {
        self.0.stored(contact, memory, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::{close, contact};

    /// One step at a rolling rate about x.
    fn roll(law: &RollEpsd, memory: &mut VectorSpring, rate: f64) -> DVec3 {
        law.resist(&Contact { angular_velocity_a: DVec3::X * rate, ..contact() }, memory, &mut []).roll_a
    }

    #[test]
    fn it_sticks_slips_and_comes_back_on_another_path() {
        // K_r = 5 N m/rad and steps of 0.1 s: 0.5 N m a rad/s. Limit 0.1 * 0.25 * 2 = 0.05 N m.
        let law = RollEpsd { stiffness: 5.0, slide_stiffness: 0.0, damping_ratio: 0.0, limit: Limit::mu(0.1) };
        let mut memory = VectorSpring::default();
        close(roll(&law, &mut memory, 0.06), DVec3::X * -0.03);
        assert!(!memory.slipping);
        assert!((law.stored(&contact(), &memory, &[])[1] - 0.03 * 0.03 / 10.0).abs() < 1e-17);
        close(roll(&law, &mut memory, 0.06), DVec3::X * -0.05);
        close(roll(&law, &mut memory, 0.06), DVec3::X * -0.05);
        assert!(memory.slipping);
        // Back: an elastic range of twice the limit, then slip the other way.
        close(roll(&law, &mut memory, -0.1), DVec3::ZERO);
        assert!(!memory.slipping);
        close(roll(&law, &mut memory, -0.1), DVec3::X * 0.05);
        close(roll(&law, &mut memory, -0.1), DVec3::X * 0.05);
        assert!(memory.slipping);
    }

    #[test]
    fn the_dashpot_acts_beside_the_cap_while_it_sticks_and_not_in_slip() {
        // 1/I_r = 2/(0.1 + 0.25), K_r = 7: 2 * 0.5 * sqrt(0.175 * 7) = sqrt(1.225). At 0.05 rad/s the spring is at
        // 0.035 of 0.05.
        let law = RollEpsd { stiffness: 0.0, slide_stiffness: 112.0, damping_ratio: 0.5, limit: Limit::mu(0.1) };
        assert_eq!(law.stiffness_at(0.25), 7.0);
        let mut memory = VectorSpring::default();
        let torque = roll(&law, &mut memory, 0.05);
        close(torque, DVec3::X * -(0.035 + 0.05 * 1.225_f64.sqrt()));
        assert!(torque.length() > 0.05, "the total may exceed the limit in stick, as published");
        close(roll(&law, &mut memory, 0.05), DVec3::X * -0.05);
    }

    /// A ball that started rolling in contact had 5600 times its limit for half a step: at step 0 the dashpot was not capped.
    #[test]
    fn at_step_0_the_limit_caps_the_dashpot_too() {
        // Limit 0.05 N m; the dashpot alone would give sqrt(1.225) N m s.
        let law = RollEpsd { stiffness: 0.0, slide_stiffness: 112.0, damping_ratio: 0.5, limit: Limit::mu(0.1) };
        let at_rest = |memory: &mut VectorSpring, rate: f64| {
            law.resist(&Contact { dt: 0.0, angular_velocity_a: DVec3::X * rate, ..contact() }, memory, &mut []).roll_a
        };
        let mut memory = VectorSpring::default();
        close(at_rest(&mut memory, 30.0), DVec3::X * -0.05);
        assert_eq!(memory.spring, DVec3::ZERO);
        close(at_rest(&mut VectorSpring::default(), 0.01), DVec3::X * (-0.01 * 1.225_f64.sqrt()));
        // One that slipped when its run was stopped goes on so; one that stuck has its dashpot beside the spring, as in a step.
        let mut slipping = VectorSpring { spring: DVec3::X * -0.05, slipping: true };
        close(at_rest(&mut slipping, 30.0), DVec3::X * -0.05);
        assert_eq!(slipping.spring, DVec3::X * -0.05);
        let mut sticking = VectorSpring { spring: DVec3::X * -0.035, slipping: false };
        close(at_rest(&mut sticking, 0.05), DVec3::X * -(0.035 + 0.05 * 1.225_f64.sqrt()));
    }

    #[test]
    fn static_and_kinetic_limits_differ() {
        let limit = Limit { static_: 0.2, ..Limit::mu(0.1) };
        let law = RollEpsd { stiffness: 5.0, slide_stiffness: 0.0, damping_ratio: 0.0, limit };
        let mut memory = VectorSpring::default();
        close(roll(&law, &mut memory, 0.16), DVec3::X * -0.08);
        close(roll(&law, &mut memory, 0.06), DVec3::X * -0.05);
        // In slip, a little more motion keeps it there; a little back ends it.
        close(roll(&law, &mut memory, 0.01), DVec3::X * -0.05);
        close(roll(&law, &mut memory, -0.01), DVec3::X * -0.045);
        assert!(!memory.slipping);
    }
}

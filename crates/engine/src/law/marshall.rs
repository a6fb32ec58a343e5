//! `marshall`, against spin: sliding friction spread over the contact area (Marshall 2009).
//!
//! k_t = k_s a^2/2,  c_t = c_s a^2/2,  |M| <= (2/3) a mu N,  a = sqrt(R_eff d)                    (THEORY.md eq. 3.17)
//!
//! k_s, c_s and mu are the stiffness, dashpot and coefficients of the pair's slide law, a is the radius of the contact area
//! of `hertz`. A disc of radius a whose every point is held by a share of the sliding spring has the stiffness above, and
//! under a uniform pressure the limit above. Nothing is left to choose.
//!
//! Spring, dashpot and slider are those of `spring-slider`. The stiffness changes with the overlap; as it is written, a
//! contact twisted when shallow and let go when deep would give back more than it took. So the spring is carried by
//! (3.18): a contact that grows keeps its torque, one that shrinks keeps its angle. (LAMMPS keeps the angle always.)
//!
//! ```
//! use stickslip::law::{Limit, SlideSlider, SpinMarshall};
//! let law = SpinMarshall { slide: SlideSlider::new(1e5, 10.0, Limit::mu(0.5)) };
//! assert_eq!(law.stiffness_at(1e-3), 0.05);
//! ```

use crate::contact::{Contact, Resistance};
use crate::law::limit::Limit;
use crate::law::memory::GradedSpring;
use crate::law::spring_slider::{SlideSlider, Slider};
use crate::law::{FrictionLaw, Motions, Spring, Springs, TypicalContact};

/// Parameters of `marshall`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinMarshall {
    /// The pair's slide law, from which all comes.
    pub slide: SlideSlider,
}

impl SpinMarshall {
    /// Arm of the limit, in radii of the contact area.
    pub const ARM: f64 = 2.0 / 3.0;

    /// k_t (N m/rad) at this radius of the contact area (m).
    #[inline(always)]
    pub fn stiffness_at(&self, area_radius: f64) -> f64 {
        0.5 * self.slide.stiffness * area_radius * area_radius
    }
}

impl FrictionLaw for SpinMarshall {
    const NAME: &'static str = "marshall";
    const RESISTS: Motions = Motions::SPIN;
    type Memory = GradedSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut GradedSpring, _: &mut [f64]) -> Resistance {
        let radius = contact.patch;
        let per_coefficient = SpinMarshall::ARM * radius * contact.normal_load;
        let slider = Slider {
            k: self.stiffness_at(radius),
            c: 0.5 * self.slide.dashpot(contact) * radius * radius,
            static_limit: self.slide.limit.static_ * per_coefficient,
            kinetic_limit: self.slide.limit.kinetic * per_coefficient,
            dt: contact.dt,
        };
        Resistance { spin: memory.twist(&slider, contact.spin_rate()), ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, memory: &GradedSpring, _: &[f64]) -> [f64; 3] {
        [0.0, 0.0, memory.stored()]
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let radius = at.patch();
        let spring =
            Spring::of_torque(self.stiffness_at(radius), 0.5 * self.slide.typical_dashpot(at) * radius * radius);
        Some(Springs::spin(spring.that_holds(self.slide.limit.static_ > 0.0)))
    }

    /// The coefficient of slide, at the least overlap: the arm is the radius of the contact area, of which a limit knows nothing.
    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::SPIN).then_some(self.slide.limit)
    }

    #[inline(always)]
    fn reads_patch(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::near;
    use glam::DVec3;

    /// The common contact with a = sqrt(0.25 * 0.16) = 0.2 m.
    fn contact(rate: f64) -> Contact {
        Contact {
            overlap: 0.16,
            patch: 0.2,
            angular_velocity_a: DVec3::new(3.0, 1.0, rate),
            ..crate::law::testing::contact()
        }
    }

    #[test]
    fn it_sticks_slips_and_comes_back_on_another_path() {
        // k_t = 50 * 0.04/2 = 1 and steps of 0.1 s. Limit (2/3) 0.2 * 0.6 * 2 = 0.16.
        let law = SpinMarshall { slide: SlideSlider::new(50.0, 0.0, Limit::mu(0.6)) };
        let mut memory = GradedSpring::default();
        near(law.resist(&contact(1.0), &mut memory, &mut []).spin, -0.1);
        near(law.stored(&contact(0.0), &memory, &[])[2], 0.5 * 0.1 * 0.1);
        near(law.resist(&contact(1.0), &mut memory, &mut []).spin, -0.16);
        assert!(memory.slipping);
        near(law.resist(&contact(-2.0), &mut memory, &mut []).spin, 0.04);
        assert!(!memory.slipping);
    }

    #[test]
    fn the_dashpot_and_both_coefficients_come_from_the_slide_law() {
        // c_s = 20 * 0.5 = 10, c_t = 0.2: at first only the dashpot acts (dt = 0).
        let limit = Limit { static_: 0.6, ..Limit::mu(0.3) };
        let law = SpinMarshall { slide: SlideSlider::new(50.0, 20.0, limit) };
        let mut memory = GradedSpring::default();
        near(law.resist(&Contact { dt: 0.0, ..contact(0.5) }, &mut memory, &mut []).spin, -0.1);
        near(law.resist(&Contact { dt: 0.0, ..contact(0.79) }, &mut memory, &mut []).spin, -0.158);
        near(law.resist(&Contact { dt: 0.0, ..contact(0.81) }, &mut memory, &mut []).spin, -0.08);
    }
}

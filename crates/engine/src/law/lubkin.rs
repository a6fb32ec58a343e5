//! `lubkin`, against spin: two elastic spheres twisted against each other (Lubkin 1951), in two straight pieces.
//!
//! k_t = (16/3) G a^3,  |M| <= (3 pi/16) mu a N,  a = sqrt(R_eff d),  1/G = 1/G_a + 1/G_b            (THEORY.md eq. 3.19)
//!
//! The stiffness is that of a contact area that sticks everywhere, the limit that of one that slips everywhere, mu the
//! coefficients of the pair's slide law. The elastic solution goes from the one to the other as slip spreads inwards from
//! the rim; this law sticks until all slips. (16/3) G_a a^3 is the torque per angle of one body alone against its
//! contact area (Reissner and Sagoci 1944); two bodies are two such springs in series, so G is the pair's: half the
//! shear modulus for equal materials, that of the sphere at a rigid plane.
//!
//! Spring, dashpot and slider are those of `spring-slider`; the spring is carried through changes of the overlap by
//! (3.18), as for `marshall`.
//!
//! ```
//! use stickslip::law::{Limit, SpinLubkin};
//! let g = SpinLubkin::effective_shear_modulus(3e9, 3e9);
//! let law = SpinLubkin { shear_modulus: g, damping: 0.0, damped_by_ratio: false, limit: Limit::mu(0.5) };
//! assert_eq!((g, law.stiffness_at(1e-3)), (1.5e9, 16.0 / 3.0 * 1.5e9 * 1e-3 * 1e-3 * 1e-3));
//! ```

use std::f64::consts::PI;

use crate::contact::{Contact, Resistance};
use crate::law::limit::Limit;
use crate::law::memory::GradedSpring;
use crate::law::spring_slider::{Slider, dashpot_by_ratio};
use crate::law::springs;
use crate::law::{FrictionLaw, Motions, Spring, Springs, TypicalContact};

/// Parameters of `lubkin`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinLubkin {
    /// G of the pair (Pa).
    pub shear_modulus: f64,
    /// c (N m s); with `damped_by_ratio` the fraction of the critical dashpot.
    pub damping: f64,
    /// The dashpot is given as a fraction of the critical one.
    pub damped_by_ratio: bool,
    /// mu of the pair's slide law, static and kinetic; its measure is not looked at.
    pub limit: Limit,
}

impl SpinLubkin {
    /// Arm of the limit, in radii of the contact area.
    pub const ARM: f64 = 3.0 * PI / 16.0;

    /// G of two materials with these shear moduli: 1/G = 1/G_1 + 1/G_2.
    pub fn effective_shear_modulus(first: f64, second: f64) -> f64 {
        // In this form equal moduli give exactly half, and the order of the two does not matter.
        let (low, high) = (first.min(second), first.max(second));
        low * (high / (low + high))
    }

    /// k_t (N m/rad) at this radius of the contact area (m).
    #[inline(always)]
    pub fn stiffness_at(&self, area_radius: f64) -> f64 {
        16.0 / 3.0 * self.shear_modulus * area_radius * area_radius * area_radius
    }
}

impl FrictionLaw for SpinLubkin {
    const NAME: &'static str = "lubkin";
    const RESISTS: Motions = Motions::SPIN;
    type Memory = GradedSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut GradedSpring, _: &mut [f64]) -> Resistance {
        let radius = contact.patch;
        let stiffness = self.stiffness_at(radius);
        let by_ratio = dashpot_by_ratio(self.damping, stiffness, contact.inverse_inertia_a + contact.inverse_inertia_b);
        let per_coefficient = SpinLubkin::ARM * radius * contact.normal_load;
        let slider = Slider {
            k: stiffness,
            c: if self.damped_by_ratio { by_ratio } else { self.damping },
            static_limit: self.limit.static_ * per_coefficient,
            kinetic_limit: self.limit.kinetic * per_coefficient,
            dt: contact.dt,
        };
        Resistance { spin: memory.twist(&slider, contact.spin_rate()), ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, memory: &GradedSpring, _: &[f64]) -> [f64; 3] {
        [0.0, 0.0, memory.stored()]
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let k = self.stiffness_at(at.patch());
        let c = springs::dashpot(self.damped_by_ratio, self.damping, 1.0, k, at.rotation());
        Some(Springs::spin(Spring::of_torque(k, c).that_holds(self.limit.static_ > 0.0)))
    }

    /// The coefficient of slide, at the least overlap: the arm is the radius of the contact area, of which a limit knows nothing.
    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::SPIN).then_some(self.limit)
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
            angular_velocity_b: DVec3::new(3.0, 1.0, -rate),
            ..crate::law::testing::contact()
        }
    }

    fn law(damping: f64, damped_by_ratio: bool) -> SpinLubkin {
        // k_t = (16/3) 23.4375 * 0.008 = 1 N m/rad.
        SpinLubkin { shear_modulus: 23.4375, damping, damped_by_ratio, limit: Limit::mu(0.6) }
    }

    #[test]
    fn it_sticks_slips_and_comes_back_on_another_path() {
        // Steps of 0.1 s. Limit (3 pi/16) 0.2 * 0.6 * 2 = 0.045 pi = 0.1414.
        let limit = 0.045 * PI;
        let law = law(0.0, false);
        let mut memory = GradedSpring::default();
        near(law.resist(&contact(1.0), &mut memory, &mut []).spin, -0.1);
        near(law.stored(&contact(0.0), &memory, &[])[2], 0.5 * 0.1 * 0.1);
        near(law.resist(&contact(1.0), &mut memory, &mut []).spin, -limit);
        assert!(memory.slipping);
        near(law.resist(&contact(-2.0), &mut memory, &mut []).spin, 0.2 - limit);
        assert!(!memory.slipping);
    }

    #[test]
    fn the_limit_is_the_friction_of_hertz_pressure() {
        // The sum of mu p r over the area, p = (3 N/(2 pi a^2)) sqrt(1 - (r/a)^2), with r = a sin(t) so that nothing is
        // singular: mu N a 3 times the integral of sin^2(t) cos^2(t) over a quarter turn. The midpoint rule is exact for
        // a period of such sines.
        let n = 64;
        let angle = |i: u32| (f64::from(i) + 0.5) * PI / (2.0 * f64::from(n));
        let square = |x: f64| x * x;
        let terms = (0..n).map(|i| square(crate::math::sin(angle(i)) * crate::math::cos(angle(i))));
        let arm = 3.0 * terms.sum::<f64>() * PI / (2.0 * f64::from(n));
        near(3.0 * PI / 16.0, arm);
    }

    #[test]
    fn the_dashpot_is_given_or_a_share_of_critical() {
        let first = |law: SpinLubkin| {
            let start = Contact { dt: 0.0, ..contact(0.1) };
            law.resist(&start, &mut GradedSpring::default(), &mut []).spin
        };
        near(first(law(0.5, false)), -0.05);
        // 1/I = 20: c = 2 * 0.5 * sqrt(1/20).
        near(first(law(0.5, true)), -0.1 * 0.05_f64.sqrt());
    }

    #[test]
    fn equal_materials_are_two_springs_in_series_and_a_rigid_plane_is_none() {
        near(SpinLubkin::effective_shear_modulus(3.0, 3.0), 1.5);
        near(SpinLubkin::effective_shear_modulus(1e30, 3.0), 3.0);
        near(SpinLubkin::effective_shear_modulus(2.0, 6.0), 1.5);
    }
}

//! `hertz`: elastic spheres along the normal (Hertz 1882), damped as by Tsuji et al. (1992).
//!
//! F = K sqrt(R_eff d) d - c v_n,  K = 4/3 E*,  c = gamma m_eff + 2 sqrt(5/6) b sqrt(S m_eff),  S = 2 E* sqrt(R_eff d)
//!                                                                                          (THEORY.md eq. 3.3)
//! With this dashpot the coefficient of restitution does not depend on the speed and is that of `hooke` with the same b.
//!
//! ```
//! use stickslip::law::Hertz;
//! let glass = Hertz::effective_modulus((70e9, 0.22), (70e9, 0.22));
//! let law = Hertz::with_restitution(4.0 / 3.0 * glass, 0.9, false);
//! assert!((law.stiffness / 4.904e10 - 1.0).abs() < 1e-3);
//! ```

use crate::contact::{Contact, positive};
use crate::law::restitution::{damping_ratio, of_damping_ratio};
use crate::law::{NormalLaw, Press, Spring, TypicalContact};

/// Parameters of `hertz`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hertz {
    /// K = 4/3 E* (Pa).
    pub stiffness: f64,
    /// gamma (1/s), times the effective mass.
    pub damping: f64,
    /// b, a fraction of the critical damping.
    pub damping_ratio: f64,
    /// The force never pulls.
    pub cohesionless: bool,
}

impl Hertz {
    /// E* of two materials given as (Young's modulus, Poisson's ratio): 1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2.
    pub fn effective_modulus(first: (f64, f64), second: (f64, f64)) -> f64 {
        let compliance = |(young, poisson): (f64, f64)| (1.0 - poisson * poisson) / young;
        1.0 / (compliance(first) + compliance(second))
    }

    /// A contact of stiffness K whose dashpot gives this coefficient of restitution.
    pub fn with_restitution(stiffness: f64, restitution: f64, cohesionless: bool) -> Self {
        Hertz { stiffness, damping: 0.0, damping_ratio: damping_ratio(restitution, cohesionless), cohesionless }
    }

    /// Slope S of the elastic force (N/m) at this overlap; 0 where the surfaces are apart.
    #[inline(always)]
    pub fn slope(&self, radius_eff: f64, overlap: f64) -> f64 {
        1.5 * self.stiffness * positive(radius_eff * overlap).sqrt()
    }
}

impl NormalLaw for Hertz {
    const NAME: &'static str = "hertz";
    const DASHPOT_GROWS: bool = true;

    #[inline(always)]
    fn press(&self, contact: &Contact) -> Press {
        let m = contact.normal_mass;
        let slope = self.slope(contact.radius_eff, contact.overlap);
        let dashpot = self.damping * m + 2.0 * (5.0_f64 / 6.0).sqrt() * self.damping_ratio * (slope * m).sqrt();
        let force = slope * contact.overlap * (2.0 / 3.0) - dashpot * contact.separation_rate;
        Press::without_adhesion(contact, if self.cohesionless { force.max(0.0) } else { force })
    }

    #[inline(always)]
    fn stored(&self, contact: &Contact) -> f64 {
        0.4 * self.stiffness * contact.hertz_radius() * contact.overlap * contact.overlap
    }

    fn stiffness(&self, radius_eff: f64, overlap: f64) -> f64 {
        self.slope(radius_eff, overlap)
    }

    fn restitution(&self) -> Option<f64> {
        (self.damping == 0.0).then(|| of_damping_ratio(self.damping_ratio, self.cohesionless))
    }

    fn spring(&self, at: &TypicalContact) -> Spring {
        let radius_eff = at.radius_eff();
        let ratio = (5.0_f64 / 6.0).sqrt() * self.damping_ratio;
        at.normal_spring(self.slope(radius_eff, at.overlap * radius_eff), self.damping, ratio)
    }

    fn effective_modulus(&self) -> Option<f64> {
        Some(0.75 * self.stiffness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::contact;

    #[test]
    fn the_force_is_hertz_and_the_slope_and_energy_belong_to_it() {
        // K sqrt(R_eff d) d = 100 * sqrt(0.025) * 0.1.
        let law = Hertz::with_restitution(100.0, 1.0, false);
        let at = |overlap: f64| Contact { overlap, ..contact() };
        let force = law.press(&at(0.1)).force;
        assert!((force - 10.0 * 0.025_f64.sqrt()).abs() < 1e-14);
        // Central differences are exact to h^2 of third derivatives: 1e-8.
        let h = 1e-4;
        let slope = (law.press(&at(0.1 + h)).force - law.press(&at(0.1 - h)).force) / (2.0 * h);
        assert!((slope / law.slope(0.25, 0.1) - 1.0).abs() < 1e-6);
        let work = (law.stored(&at(0.1 + h)) - law.stored(&at(0.1 - h))) / (2.0 * h);
        assert!((work / force - 1.0).abs() < 1e-6);
    }

    /// A live contact whose gap was a few ulp above 0 had a force that was not a number: the root of a negative overlap.
    #[test]
    fn surfaces_that_are_just_apart_have_no_force() {
        let law = Hertz { damping_ratio: 0.3, ..Hertz::with_restitution(100.0, 1.0, false) };
        for overlap in [0.0, -1e-17, -1e-3] {
            let contact = Contact { overlap, separation_rate: -0.5, ..contact() };
            let press = law.press(&contact);
            assert_eq!((press.force.abs(), press.load, press.patch), (0.0, 0.0, 0.0));
            assert_eq!(law.stored(&contact), 0.0);
        }
    }

    #[test]
    fn the_dashpot_is_that_of_tsuji() {
        let law = Hertz { damping_ratio: 0.3, ..Hertz::with_restitution(100.0, 1.0, false) };
        let still = law.press(&contact()).force;
        let at = |rate: f64, law: Hertz| law.press(&Contact { separation_rate: rate, ..contact() }).force;
        let dashpot = 2.0 * (5.0_f64 / 6.0).sqrt() * 0.3 * (law.slope(0.25, 0.1) * 0.5).sqrt();
        assert!((at(-0.5, law) - still - 0.5 * dashpot).abs() < 1e-14);
        assert!(at(10.0, law) < 0.0);
        assert_eq!(at(10.0, Hertz { cohesionless: true, ..law }), 0.0);
    }
}

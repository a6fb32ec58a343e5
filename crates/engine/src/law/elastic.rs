//! Two elastic bodies in contact as one pair of moduli, and what tangential laws of elastic spheres share.
//!
//!   1/G = (1/G_a + 1/G_b)/2     nu/G = (nu_a/G_a + nu_b/G_b)/2                              (THEORY.md eq. 3.26)
//!   E* = G/(1 - nu)     G* = 2 G/(2 - nu)     kappa = E*/G*     k_n = 2 E* a     k_t = 2 G* a     (THEORY.md eq. 3.27)
//!
//! E* and G* are exactly those of two different materials, 1/E* = sum (1 - nu_i^2)/E_i and 1/G* = sum (2 - nu_i)/(4 G_i), so
//! every formula for equal materials serves. Does not do: the coupling of normal and tangential problems of unlike
//! materials (Dundurs' beta), which Hertz, Mindlin and Kalker ignore, too.
//!
//! ```
//! use stickslip::law::ElasticPair;
//! let quartz = ElasticPair::of((2.0 * 29e9 * 1.15, 0.15), (2.0 * 29e9 * 1.15, 0.15));
//! assert!((quartz.shear_modulus() / 29e9 - 1.0).abs() < 1e-15 && quartz.poisson == 0.15);
//! ```

use crate::contact::{Contact, Resistance};
use crate::law::spring_slider::{dashpot_by_ratio, rocking_inverse_mass};
use crate::law::{Hertz, Spring, Springs, TypicalContact, springs};
use glam::DVec3;

/// E* and nu of two bodies in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticPair {
    /// E* (Pa).
    pub modulus: f64,
    /// The combined nu.
    pub poisson: f64,
}

impl ElasticPair {
    /// Of two materials given as (Young's modulus, Poisson's ratio).
    pub fn of(first: (f64, f64), second: (f64, f64)) -> Self {
        ElasticPair { modulus: Hertz::effective_modulus(first, second), poisson: ElasticPair::combine(first, second) }
    }

    /// The combined nu of two materials given as (Young's modulus, Poisson's ratio).
    pub fn combine(first: (f64, f64), second: (f64, f64)) -> f64 {
        let compliance = |(young, poisson): (f64, f64)| 2.0 * (1.0 + poisson) / young;
        let (c, d) = (compliance(first), compliance(second));
        // Equal ones to the bit, so that a scene written out reads back the same.
        if first.1 == second.1 { first.1 } else { (first.1 * c + second.1 * d) / (c + d) }
    }

    /// G (Pa).
    #[inline(always)]
    pub fn shear_modulus(&self) -> f64 {
        self.modulus * (1.0 - self.poisson)
    }

    /// kappa = (2 - nu)/(2 (1 - nu)).
    #[inline(always)]
    pub fn kappa(&self) -> f64 {
        (2.0 - self.poisson) / (2.0 * (1.0 - self.poisson))
    }

    /// G* (Pa).
    #[inline(always)]
    pub fn tangential_modulus(&self) -> f64 {
        self.modulus / self.kappa()
    }

    /// Tangential stiffness k_t (N/m) of a contact of this radius (m) that sticks everywhere.
    #[inline(always)]
    pub fn tangential_stiffness(&self, patch: f64) -> f64 {
        2.0 * self.tangential_modulus() * patch
    }

    /// Kalker's creepage coefficient C_11: 1/C_11 as a quadratic in nu through the 3.40, 4.12, 5.20 at 0, 1/4, 1/2 of Kalker's
    /// table (Kuhn 2014, Table 1); within 0.2 % of the boundary-element solution at 0.15 and 0.34 (THEORY.md eq. 3.34).
    pub fn creepage_coefficient(&self) -> f64 {
        let [low, mid, high] = [1.0 / 3.40, 1.0 / 4.12, 1.0 / 5.20];
        let x = 4.0 * self.poisson;
        1.0 / (low + x * (mid - low) + 0.5 * x * (x - 1.0) * (high - 2.0 * mid + low))
    }

    /// The dashpot (kg/s) that is this fraction of the critical one of k_t at a contact of this radius (m).
    #[inline(always)]
    pub(super) fn slide_dashpot(&self, contact: &Contact, patch: f64, ratio: f64) -> f64 {
        dashpot_by_ratio(ratio, self.tangential_stiffness(patch), rocking_inverse_mass(contact))
    }

    /// k_t and such a dashpot of a typical contact, for the stable step.
    pub(super) fn slide_springs(&self, at: &TypicalContact, ratio: f64, mu: f64) -> Option<Springs> {
        let k = self.tangential_stiffness(at.patch());
        let c = springs::dashpot(true, ratio, 0.0, k, at.rocking());
        Some(Springs::slide(Spring::of_force(k, c).that_holds(mu > 0.0)))
    }
}

/// The load on a of a friction force `held` (N, with the sign of the slip) and as much of a dashpot (N) as the limit leaves room for:
/// the smaller share of the dashpot that makes |held + share dashpot| = limit, at most all. What the dashpot adds never feeds
/// energy in, and |F| <= limit holds where |held| <= limit does.
#[inline(always)]
pub(super) fn with_dashpot(contact: &Contact, held: DVec3, dashpot: DVec3, limit: f64) -> Resistance {
    let (a, b) = (dashpot.length_squared(), held.dot(dashpot));
    let room = (limit * limit - held.length_squared()).max(0.0);
    let sum = b + (b * b + a * room).sqrt();
    let share = if sum > room { room / sum } else { 1.0 };
    let force = -(held + dashpot * share);
    Resistance { force, lever_a: contact.lever_a, lever_b: contact.lever_b, ..Resistance::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::{contact, near};

    /// G and nu, as spec and table of the oracle have them.
    fn of_shear(first: (f64, f64), second: (f64, f64)) -> ElasticPair {
        let young = |(g, nu): (f64, f64)| (2.0 * g * (1.0 + nu), nu);
        ElasticPair::of(young(first), young(second))
    }

    /// Four pairs worked out independently (oracle `kinematics_hertz.json` of the papers' specification): G, nu of both, R_eff and
    /// overlap; then a, k_t, kappa, combined G and nu, E*.
    const WORKED: [([f64; 6], [f64; 6]); 4] = [
        (
            [29e9, 0.15, 29e9, 0.15, 0.00025, 5.4e-08],
            [
                3.6742346141747674e-06,
                230384.44067257995,
                1.0882352941176472,
                28999999999.999996,
                0.14999999999999997,
                34117647058.82353,
            ],
        ),
        (
            [1.2e9, 0.34, 1.2e9, 0.34, 0.00025, 1e-05],
            [5e-05, 144578.31325301208, 1.2575757575757576, 1.2e9, 0.34, 1818181818.1818182],
        ),
        (
            [29e9, 0.15, 1.2e9, 0.34, 0.00014285714285714287, 1e-07],
            [
                3.7796447300922724e-06,
                20894.620588913596,
                1.2490079365079367,
                2304635761.589404,
                0.33245033112582784,
                3452380952.380953,
            ],
        ),
        (
            [29e9, 0.15, 29e9, 0.15, 0.0001578947368421053, 3e-08],
            [
                2.1764287503300353e-06,
                136467.96488555893,
                1.0882352941176472,
                28999999999.999996,
                0.14999999999999997,
                34117647058.82353,
            ],
        ),
    ];

    #[test]
    fn combined_moduli_are_those_worked_out_by_hand() {
        for ([g1, nu1, g2, nu2, radius_eff, overlap], [a, kt, kappa, g, nu, modulus]) in WORKED {
            let pair = of_shear((g1, nu1), (g2, nu2));
            let patch = Contact { radius_eff, overlap, ..contact() }.hertz_radius();
            let found = [
                patch,
                pair.tangential_stiffness(patch),
                pair.kappa(),
                pair.shear_modulus(),
                pair.poisson,
                pair.modulus,
            ];
            for (found, expected) in found.into_iter().zip([a, kt, kappa, g, nu, modulus]) {
                assert!((found / expected - 1.0).abs() < 1e-14, "{found}, not {expected}");
            }
            let force = 4.0 / 3.0 * pair.modulus * patch * overlap;
            let equal_radii =
                8.0 * pair.shear_modulus() * patch * patch * patch / (6.0 * radius_eff * (1.0 - pair.poisson));
            assert!((force / equal_radii - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn two_materials_give_the_compliances_of_both() {
        let pair = of_shear((3.0, 0.1), (1.0, 0.45));
        near(1.0 / pair.modulus, 0.9 / 6.0 + 0.55 / 2.0);
        near(1.0 / pair.tangential_modulus(), 1.9 / 12.0 + 1.55 / 4.0);
        let swapped = of_shear((1.0, 0.45), (3.0, 0.1));
        assert_eq!((pair.modulus, pair.poisson), (swapped.modulus, swapped.poisson));
    }

    #[test]
    fn creepage_coefficients_are_kalkers() {
        let at = |poisson| ElasticPair { modulus: 1.0, poisson }.creepage_coefficient();
        for (nu, expected) in [(0.0, 3.40), (0.25, 4.12), (0.5, 5.20)] {
            near(at(nu), expected);
        }
        // Three digits of the boundary-element solution.
        assert!((at(0.15) - 3.800).abs() < 1e-3 && (at(0.34) - 4.455).abs() < 1e-3, "{} {}", at(0.15), at(0.34));
    }

    #[test]
    fn a_dashpot_gets_the_room_that_the_limit_leaves() {
        let (held, along) = (DVec3::new(0.6, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0));
        let load = |dashpot: DVec3| -with_dashpot(&contact(), held, dashpot, 1.0).force;
        near(load(along * 0.3).x, 0.9);
        near(load(along * 3.0).x, 1.0);
        near(load(along * -3.0).x, -1.0);
        near(load(DVec3::Y * 3.0).length(), 1.0);
        near(load(DVec3::ZERO).x, 0.6);
        // At the limit no dashpot fits in that pushes beyond it.
        near(-with_dashpot(&contact(), along, along, 1.0).force.x, 1.0);
    }
}

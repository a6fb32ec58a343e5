//! Stiffness ratios of real materials, as appendix A derives them.
//!
//! A sphere pressed on a plane by F has the contact radius r_a = (3 F R (1 - nu^2)/(2 E))^(1/3) (Hertz, both of one
//! material), the torque 16/3 G r_a^3 against spin by an angle (Lubkin, no slip) and 32 (2 - nu)/(9 (3 - 2 nu)) G r_a^3
//! against rolling (Johnson). The appendix divides these torques by F and calls the quotients k_t/k_n and k_r/k_n, which
//! in its units (d = 1, so R = 1/2) they are: F = k_n delta leaves an overlap of one unit of length. So
//!
//!   k_t/k_n = 8 G R (1 - nu^2)/E,        k_r/k_n = 16 (2 - nu)(1 - nu^2)/(3 (3 - 2 nu)) G R/E.
//!
//! Two corrections. The paper speaks of two spheres, but its r_a is that of a sphere on a plane: for two equal spheres r_a^3
//! and both ratios are half as large (`.._two_spheres`). And what it quotes from Iwashita and Oda as k_r = k_s/R^2 must read
//! k_s R^2, a torque per angle: `kr_over_ks[iwashita-oda]` = R^2 = 1/4.

use stickslip::math;

use super::RADIUS;
use crate::experiment::Outcome;

/// An elastic material as the appendix has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// Its name.
    pub name: &'static str,
    /// G (GPa).
    pub shear_modulus: f64,
    /// E (GPa).
    pub young: f64,
    /// nu.
    pub poisson: f64,
    /// k_t/k_n and k_r/k_n to the digits that follow from the data; the paper rounds further.
    pub expected: [f64; 2],
}

/// The appendix's data.
pub const MATERIALS: [Elastic; 2] = [
    Elastic { name: "steel", shear_modulus: 79.3, young: 200.0, poisson: 0.27, expected: [1.47, 0.69] },
    Elastic { name: "rubber", shear_modulus: 0.0003, young: 0.001, poisson: 0.5, expected: [0.90, 0.45] },
];

impl Elastic {
    /// Contact radius under a force; `curve` is the radius of relative curvature.
    fn radius(&self, force: f64, curve: f64) -> f64 {
        math::cbrt(3.0 * force * curve * (1.0 - self.poisson * self.poisson) / (2.0 * self.young))
    }

    /// Torque per angle over the normal force, against spin and against rolling; `curve` is R for a sphere on a plane and
    /// R/2 for two spheres.
    pub fn ratios(&self, curve: f64) -> [f64; 2] {
        // By way of the contact radius under some force, as the appendix goes; the force drops out.
        let force = 0.37 * self.young;
        let radius = self.radius(force, curve);
        let cubed = radius * radius * radius;
        let nu = self.poisson;
        let spin = 16.0 / 3.0 * self.shear_modulus * cubed;
        let roll = 32.0 * (2.0 - nu) / (9.0 * (3.0 - 2.0 * nu)) * self.shear_modulus * cubed;
        [spin / force, roll / force]
    }
}

/// Notes and checks the ratios.
pub fn ratios(outcome: &mut Outcome) {
    for material in MATERIALS {
        let (on_plane, pair) = (material.ratios(RADIUS), material.ratios(0.5 * RADIUS));
        for (mode, name) in ["kt_over_kn", "kr_over_kn"].into_iter().enumerate() {
            let source = "appendix A, recomputed from its moduli; half a unit of the last digit";
            let metric = format!("{name}[{}]", material.name);
            outcome.checked(&metric, on_plane[mode], material.expected[mode], 0.005, source);
            outcome.metric(format!("{name}_two_spheres[{}]", material.name), pair[mode]);
        }
    }
    outcome.metric("kr_over_ks[iwashita-oda]", RADIUS * RADIUS);
}

/// The ratios as a table.
pub fn table() -> String {
    let mut text = String::from("material,contact,shear_modulus_GPa,young_GPa,poisson,kt_over_kn,kr_over_kn\n");
    for material in MATERIALS {
        let Elastic { name, shear_modulus, young, poisson, .. } = material;
        for (contact, curve) in [("sphere on plane", RADIUS), ("two spheres", 0.5 * RADIUS)] {
            let [spin, roll] = material.ratios(curve);
            text += &format!("{name},{contact},{shear_modulus},{young},{poisson},{spin:.4},{roll:.4}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way by the contact radius gives the appendix's closed forms.
    #[test]
    fn the_closed_forms_of_the_appendix_follow() {
        for material in MATERIALS {
            let Elastic { shear_modulus: g, young: e, poisson: nu, .. } = material;
            let spin = 8.0 * g * RADIUS * (1.0 - nu * nu) / e;
            let roll = 16.0 * (2.0 - nu) * (1.0 - nu * nu) / (3.0 * (3.0 - 2.0 * nu)) * g / e * RADIUS;
            let [found_spin, found_roll] = material.ratios(RADIUS);
            assert!((found_spin - spin).abs() < 1e-14 && (found_roll - roll).abs() < 1e-14, "{material:?}");
        }
    }
}

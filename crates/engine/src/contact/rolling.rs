//! The objective rolling vector (Kuhn and Bagi 2004; Kuhn 2014, eqs. 2 and 5): how fast the material of both surfaces passes through the contact,
//! on the mean of both, as seen from the moving contact point. No rigid motion of the pair changes it.
//!
//!   general    u = -(K_a + K_b)^-1 [(w_a - w_b) x n + (K_a - K_b) v_s/2]                      (THEORY.md eq. 3.32)
//!   spheres    u = -R_eff (w_a - w_b) x n - (R_b - R_a)/(2 (R_a + R_b)) v_s                   (THEORY.md eq. 3.33)
//!
//! K is the tensor of curvatures, 1/R of a sphere, positive where convex (Kuhn has it negative there); v_s the slip of a relative to b.
//! u points the way in which material passes, against the way in which the contact travels.

use glam::{DMat2, DVec2, DVec3};

use super::{Contact, Curvature};

impl Contact {
    /// The rolling vector (m/s) of two spheres, or of a sphere and a wall, which counts as flat, with their slip at the step's end.
    #[inline(always)]
    pub fn rolling(&self, slip: DVec3) -> DVec3 {
        let flat = self.reach_a * self.reach_b < 0.0;
        // Where the radii cancel, one is infinite: half the slip, with the sign of the side that is round.
        let sum = if flat { 2.0 * self.reach_a.abs() } else { self.reach_a + self.reach_b };
        let unequal = (self.reach_b - self.reach_a) * (if flat { -0.5 } else { 0.5 }) / sum;
        self.roll_rate().cross(self.normal) * -self.radius_eff - slip * unequal
    }

    /// The rolling vector (m/s) by the curvatures of both surfaces, which `SpringLaws::asks_for_surfaces` brings; `None` where they fit
    /// into each other, so that no contact point travels.
    pub fn rolling_of_surfaces(&self, slip: DVec3) -> Option<DVec3> {
        let e = self.normal.any_orthonormal_vector();
        let f = self.normal.cross(e);
        let tensor = |curvature: &Curvature| {
            let along = DVec2::new(curvature.along.dot(e), curvature.along.dot(f));
            let excess = curvature.most - curvature.least;
            DMat2::from_diagonal(DVec2::splat(curvature.least))
                + DMat2::from_cols(along * along.x, along * along.y) * excess
        };
        let (a, b) = (tensor(&self.curvature_a), tensor(&self.curvature_b));
        let sum = a + b;
        let trace = sum.x_axis.x + sum.y_axis.y;
        // Not convex together along some tangent, or flat there.
        let fits = trace <= 0.0 || sum.determinant() <= 1e-12 * trace * trace;
        let turning = self.roll_rate().cross(self.normal);
        let flat = |v: DVec3| DVec2::new(v.dot(e), v.dot(f));
        let u = sum.inverse() * (flat(turning) + (a - b) * flat(slip) * 0.5);
        (!fits).then(|| -(e * u.x + f * u.y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::contact;

    /// Twelve random pairs, worked out independently (oracle `kinematics_hertz.json` of the papers' specification): R_p, R_q, n, then velocities and angular
    /// velocities of p and q, the slip and the rolling vector. Our a is q, and b is p.
    const CASES: [[f64; 23]; 12] = include!("rolling_cases.in");

    fn case(numbers: &[f64; 23]) -> (Contact, DVec3, DVec3) {
        let vector = |k: usize| DVec3::from_slice(&numbers[k..k + 3]);
        let [radius_b, radius_a] = [numbers[0], numbers[1]];
        let n = vector(2);
        let contact = Contact {
            normal: n,
            normal_mid: n,
            normal_before: n,
            turn: super::super::Turn::new(n, n, DVec3::ZERO, 0.0).1,
            velocity: vector(8) - vector(5),
            angular_velocity_b: vector(11),
            angular_velocity_a: vector(14),
            reach_a: radius_a,
            reach_b: radius_b,
            lever_a: radius_a,
            lever_b: radius_b,
            radius_eff: radius_a * radius_b / (radius_a + radius_b),
            curvature_a: Curvature::round(1.0 / radius_a),
            curvature_b: Curvature::round(1.0 / radius_b),
            ..contact()
        };
        (contact, vector(17), vector(20))
    }

    #[test]
    fn rolling_vectors_are_those_worked_out_by_hand() {
        for numbers in &CASES {
            let (contact, expected_slip, expected) = case(numbers);
            let slip = contact.slip(contact.lever_a, contact.lever_b);
            assert!((slip - expected_slip).length() < 1e-14, "{slip}");
            let by_radii = contact.rolling(slip);
            assert!((by_radii - expected).length() < 1e-14, "{by_radii}, not {expected}");
            let by_curvature = contact.rolling_of_surfaces(slip).unwrap();
            assert!((by_curvature - expected).length() < 1e-14, "{by_curvature}, not {expected}");
        }
    }

    #[test]
    fn a_wall_is_a_very_large_sphere_on_either_side() {
        let (sphere, ..) = case(&CASES[0]);
        for sign in [1.0, -1.0] {
            let wall = Contact { reach_a: 0.7 * sign, reach_b: -0.7 * sign, radius_eff: 0.7, ..sphere };
            let (a, b) = if sign > 0.0 { (0.7, 1e9) } else { (1e9, 0.7) };
            let large = Contact { reach_a: a, reach_b: b, radius_eff: a * b / (a + b), ..sphere };
            let slip = DVec3::new(0.3, 0.1, 0.2);
            assert!((wall.rolling(slip) - large.rolling(slip)).length() < 1e-8);
            let curved = |radius: f64| Curvature::round(if radius > 1.0 { 0.0 } else { 1.0 / radius });
            let surfaces = Contact { curvature_a: curved(a), curvature_b: curved(b), ..wall };
            // The curvatures see the tangential part of the slip alone.
            let tangent = slip - wall.normal * slip.dot(wall.normal);
            let by_curvature = surfaces.rolling_of_surfaces(tangent).unwrap();
            assert!((by_curvature - wall.rolling(tangent)).length() < 1e-14);
        }
    }

    #[test]
    fn a_cylinder_rolls_across_its_axis_and_not_along_it() {
        let along = DVec3::X;
        let cylinder = Curvature { most: 2.0, least: 0.0, along };
        let contact = Contact {
            curvature_a: cylinder,
            curvature_b: Curvature { most: 2.0, least: 0.1, along },
            angular_velocity_a: DVec3::Y * 3.0,
            ..contact()
        };
        // w x n = 3 along x, over a sum of curvatures of 4.
        let found = contact.rolling_of_surfaces(DVec3::ZERO).unwrap();
        assert!((found - DVec3::X * -0.75).length() < 1e-15, "{found}");
        assert_eq!(Contact { curvature_b: cylinder, ..contact }.rolling_of_surfaces(DVec3::ZERO), None);
    }
}

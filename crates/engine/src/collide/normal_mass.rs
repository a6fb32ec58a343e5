//! The mass that a normal dashpot counts with in pairs with a box: that of the motion along the normals.
//!
//! A pair touches in n places i with normals n_i and separation rates u_i. An impulse p u_i in each of them changes the energy of
//! the motion u as one on a single place changes that of a ball of the mass
//!
//!   m = sum u_i^2 / sum u_i u_j G_ij,   G_ij = n_i . n_j (1/m_a + 1/m_b) + (r_i x n_i) . I^-1 (r_j x n_j) of a and of b
//!                                                                                          (THEORY.md eq. 2.9)
//! So the ratio of damping is the one asked for in every motion in which all places go by one clock: a box that falls on a face
//! (m/4 at each corner), on an edge (m/2), on a corner, also off its centre, and a ball that hits a box anywhere. The dashpot is
//! never negative, and springs do not change with n: no energy comes from places that begin or end.
//!
//! No motion counts as heavier than the two bodies without rotation: m <= 1/(1/m_a + 1/m_b). That bounds the dashpot where
//! rounding alone is left of the rates, and in the rocking of a tall box on its foot.
//!
//! `Yields` is not `Response`. This mass is one that laws see: a held body counts with its mass here, and what impulses do to it is
//! nothing. And the energies are summed from the moments, not from a matrix: in another order of roundings.
//!
//! Does not serve ellipsoids among themselves or on planes and balls: there the mass is 1/(1/m_a + 1/m_b), as in the experiments
//! of Fang and Negrut (2020).

use glam::{DMat3, DVec3};

/// What a body counts with in the mass of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Yields {
    /// 1/m, zero for a body that loads do not move.
    pub inverse_mass: f64,
    /// One over its principal moments of inertia.
    pub inverse_moments: DVec3,
    /// The frame of these.
    pub world_from_body: DMat3,
    /// 1 where a component of velocity is free, 0 where it is locked.
    pub free: DVec3,
    /// The same for the angular velocity.
    pub free_turn: DVec3,
}

impl Yields {
    /// A body that loads do not move.
    pub const NOT: Yields = Yields {
        inverse_mass: 0.0,
        inverse_moments: DVec3::ZERO,
        world_from_body: DMat3::IDENTITY,
        free: DVec3::ONE,
        free_turn: DVec3::ONE,
    };

    /// Twice the energy (J) that an impulse (N s) and an angular impulse about its centre (N m s) give it from rest.
    fn energy(&self, impulse: DVec3, angular: DVec3) -> f64 {
        let turning = self.world_from_body * ((self.world_from_body.transpose() * angular) * self.inverse_moments);
        (impulse * self.free).dot(impulse) * self.inverse_mass + (turning * self.free_turn).dot(angular)
    }
}

/// How two bodies part at a place where they touch.
#[derive(Clone, Copy, Debug)]
pub struct Separation {
    /// Unit vector from b to a.
    pub normal: DVec3,
    /// From the centres of a and b to the place (m).
    pub arms: [DVec3; 2],
    /// Rate at which the two part there (m/s).
    pub rate: f64,
}

/// The mass (kg) of eq. 2.9 of a pair that touches in these places.
pub fn normal_mass(bodies: [&Yields; 2], places: impl Iterator<Item = Separation>) -> f64 {
    let (mut squares, mut impulse, mut angular) = (0.0, DVec3::ZERO, [DVec3::ZERO; 2]);
    let mut along = 0.0;
    for Separation { normal, arms, rate } in places {
        along = bodies[0].energy(normal, DVec3::ZERO) + bodies[1].energy(normal, DVec3::ZERO);
        let push = normal * rate;
        squares += rate * rate;
        impulse += push;
        (0..2).for_each(|i| angular[i] += arms[i].cross(push));
    }
    let energy = bodies[0].energy(impulse, angular[0]) + bodies[1].energy(impulse, angular[1]);
    // Where locks leave nothing to move along the normal, any finite mass will do.
    let least = if along > 0.0 { along } else { bodies[0].inverse_mass + bodies[1].inverse_mass };
    let inverse = if squares > 0.0 { (energy / squares).max(least) } else { least };
    1.0 / inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of mass 3 and half edges 1, 2, 3, along the axes: moments 13, 10, 5.
    const BRICK: Yields = Yields {
        inverse_mass: 1.0 / 3.0,
        inverse_moments: DVec3::new(1.0 / 13.0, 1.0 / 10.0, 1.0 / 5.0),
        ..Yields::NOT
    };

    fn mass(places: &[(DVec3, f64)]) -> f64 {
        let separations =
            places.iter().map(|&(arm, rate)| Separation { normal: DVec3::Z, arms: [arm, DVec3::ZERO], rate });
        normal_mass([&BRICK, &Yields::NOT], separations)
    }

    #[test]
    fn a_face_an_edge_and_a_corner_have_their_shares_of_the_mass() {
        let at = |x: f64, y: f64| DVec3::new(x, y, -3.0);
        let face = [at(1.0, 2.0), at(-1.0, 2.0), at(1.0, -2.0), at(-1.0, -2.0)];
        let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
        close(mass(&face.map(|arm| (arm, -0.7))), 3.0 / 4.0);
        // Two corners beside the centre.
        close(mass(&[(at(0.0, 2.0), -0.7), (at(0.0, -2.0), -0.7)]), 3.0 / 2.0);
        // One below it, and one off it: r x n = (2, -1, 0), 1/m + 4/13 + 1/10.
        close(mass(&[(at(0.0, 0.0), 0.2)]), 3.0);
        close(mass(&[(at(1.0, 2.0), 0.2)]), 1.0 / (1.0 / 3.0 + 4.0 / 13.0 + 0.1));
        // Rocking about x: u = +-1 at y = +-2; the sum of u r x n = 4 * 2 about x: 64/13 over 4.
        close(mass(&face.map(|arm| (arm, arm.y.signum()))), 4.0 / (64.0 / 13.0));
    }

    /// A ball on a box with `lock = ["z"]` rebounded with 0.573 where 0.5 was asked: the box's mass counted all the same.
    #[test]
    fn a_locked_translation_counts_as_infinitely_heavy() {
        let ball = Yields { inverse_mass: 1.0, ..BRICK };
        let held = Yields { free: DVec3::new(1.0, 1.0, 0.0), ..BRICK };
        let touch = Separation { normal: DVec3::Z, arms: [DVec3::ZERO; 2], rate: -1.0 };
        assert_eq!(normal_mass([&ball, &held], [touch].into_iter()), 1.0);
        assert!(normal_mass([&held, &held], [touch].into_iter()).is_finite());
    }

    #[test]
    fn locked_rotations_and_noise_count_as_no_rotation() {
        let arm = DVec3::new(1.0, 2.0, -3.0);
        let touch = |rate: f64| [Separation { normal: DVec3::Z, arms: [arm, DVec3::ZERO], rate }].into_iter();
        let locked = Yields { free_turn: DVec3::ZERO, ..BRICK };
        assert!((normal_mass([&locked, &Yields::NOT], touch(1.0)) - 3.0).abs() < 1e-14);
        assert_eq!(normal_mass([&BRICK, &Yields::NOT], touch(0.0)), 3.0);
        // A motion that no rigid body has, as rounding leaves it.
        let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| DVec3::new(x, 2.0 * y, -3.0));
        let noise = corners.map(|arm| (arm, 1e-17 * arm.x.signum() * arm.y.signum()));
        assert_eq!(mass(&noise), 3.0);
    }
}

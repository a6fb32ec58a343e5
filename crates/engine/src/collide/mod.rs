//! From a pair of shapes to where they touch: one file per pair. `touch` gives the touches of any pair that is built as values;
//! `seams` settles those of one body with several walls. Knows no method and no law.
//!
//! **For a method that wants touches**, given pairs from `broad::pairs`:
//!
//! 1. `touch(&a, &b.shifted(shift), within, &mut touches)` for each pair, `a` and `b` being `Posed`, `shift` that of the pair's
//!    image, `touches` kept from pair to pair: at most 8 touches with a gap below `within`, features rising. Nothing is
//!    allocated. The normal points from b to a; `Touch::turned` exchanges the two.
//! 2. `settle_seams(centre, &mut list, posed)` for each body that has touches with two or more walls: `list` are all of its touches
//!    with walls, the body being a, found within at least `seams::JOINED` radii. What is left to another wall is dropped. The cost is
//!    quadratic in the touches of the one body.
//! 3. `match_by_place(ended, begun)` for memory, which passes from a touch that has ended to one that has begun at its place.
//!
//! A contact's key is (collider of a, collider of b, `Touch::feature`).
//!
//! The vector kernel has its own way to the same numbers: the files of spheres and walls gather into a lane of a block what laws
//! need of a pair, and `general` does so for ellipsoids and boxes, from the geometry behind `solid::meet`.
//!
//! **R_eff** is a convention, and this is it. The rest of a touch is geometry.
//!
//! | pair | `radius_eff` |
//! | --- | --- |
//! | sphere, sphere | R_a R_b/(R_a + R_b) |
//! | sphere, any wall (its rim, or inside a tube, too) | R |
//! | sphere, box (face, edge or corner) | R |
//! | ellipsoid with a sphere, an ellipsoid, a plane or a box | 1/(H_a + H_b), H the mean curvature at the touch, 0 of the box |
//! | corner of a box, plane | half of the box' shortest edge |
//! | box, box | half of the shortest edge of the two |
//! | cylinder, plane | radius of the cylinder |
//! | sphere, cylinder | R |
//!
//! Curvatures may be 0 or negative (inside a tube). A law that needs 1/(1/R_a + 1/R_b) from them must ask whether there is one.

mod box_box;
pub mod box_ellipsoid;
pub mod box_plane;
pub mod box_sphere;
pub mod cylinder_plane;
pub mod cylinder_sphere;
pub mod ellipsoid_ellipsoid;
pub mod ellipsoid_plane;
pub mod ellipsoid_sphere;
pub mod general;
pub mod normal_mass;
mod posed;
pub mod seams;
pub mod solid;
pub mod sphere_sphere;
pub mod sphere_wall;
pub mod surfaces;
mod touch;

pub use posed::{ColliderId, Posed};
pub use seams::settle_seams;
pub use solid::is_touched;
pub use touch::{Closing, MOST_TOUCHES, Touch, Touches, touch};

use crate::contact::Block;
use crate::state::Mover;

/// Puts what laws need of each body alone into a lane.
#[inline(always)]
fn gather_bodies(block: &mut Block, lane: usize, a: &Mover, b: &Mover) {
    block.turning_a.set(lane, a.angular_velocity, a.inverse_inertia);
    block.turning_b.set(lane, b.angular_velocity, b.inverse_inertia);
    block.full_turning_a.0[lane] = full_turning(a);
    block.full_turning_b.0[lane] = full_turning(b);
    block.inverse_mass_a.0[lane] = a.inverse_mass;
    block.inverse_mass_b.0[lane] = b.inverse_mass;
}

/// The angular velocity at the full step. The fourth number is not read: whole registers are copied.
#[inline(always)]
fn full_turning(body: &Mover) -> [f64; 4] {
    let (w, ahead) = (body.angular_velocity, wide(body.angular_velocity_ahead, body.special));
    [w.x + ahead[0], w.y + ahead[1], w.z + ahead[2], body.inverse_inertia + ahead[3]]
}

/// Single to double precision, with what stands beside the three so that a whole register is read.
#[inline(always)]
fn wide([x, y, z]: [f32; 3], beside: u32) -> [f64; 4] {
    [x as f64, y as f64, z as f64, f32::from_bits(beside) as f64]
}

#[cfg(test)]
pub(crate) mod testing {
    //! Random places for the tests of this folder.

    use glam::{DMat3, DQuat, DVec3};

    use super::solid::{Form, Posed};
    use crate::random::Stream;

    /// A unit vector, any as likely as any other.
    pub fn any_direction(stream: &mut Stream) -> DVec3 {
        loop {
            let mut one = || stream.between(-1.0, 1.0);
            let v = DVec3::new(one(), one(), one());
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// The greatest value of a function of directions, and where: a search that knows no derivatives, down to a width.
    pub fn greatest(value: impl Fn(DVec3) -> f64, tries: u32, width: f64, stream: &mut Stream) -> (f64, DVec3) {
        let mut best = DVec3::X;
        for _ in 0..tries {
            let n = any_direction(stream);
            if value(n) > value(best) {
                best = n;
            }
        }
        let (mut step, mut turns) = (0.1, 0);
        while step > width {
            // Turned a little each time, so that creases are followed, too.
            let (e, f) = best.any_orthonormal_pair();
            let (s, c) = (crate::math::sin(0.7 * f64::from(turns)), crate::math::cos(0.7 * f64::from(turns)));
            let (e, f) = (e * c + f * s, f * c - e * s);
            let around = [e, -e, f, -f, e + f, e - f, f - e, -e - f].map(|v| (best + v * step).normalize());
            let next = around.into_iter().fold(best, |b, n| if value(n) > value(b) { n } else { b });
            turns += 1;
            if next == best && turns % 4 == 0 {
                step *= 0.5;
            }
            best = next;
        }
        (value(best), best)
    }

    /// A form somewhere, turned somehow.
    pub fn any_pose(stream: &mut Stream, form: Form) -> Posed {
        let (axis, w) = (any_direction(stream), stream.between(-1.0, 1.0));
        let turn = DQuat::from_xyzw(axis.x, axis.y, axis.z, w).normalize();
        Posed { form, position: any_direction(stream), world_from_body: DMat3::from_quat(turn) }
    }
}

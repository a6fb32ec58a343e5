//! From a pair of shapes to a contact: one file a pair. Each says whether two bodies touch, and gathers into a lane of a
//! block what the laws need of them.

pub mod sphere_sphere;
pub mod sphere_wall;
pub mod surfaces;

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

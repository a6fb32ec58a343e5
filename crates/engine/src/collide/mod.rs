//! From a pair of shapes to a contact: one file a pair. Each says whether two bodies touch, and gathers into a lane of a
//! block what the laws need of them.

pub mod sphere_plane;
pub mod sphere_sphere;

use glam::DVec3;

use crate::contact::Block;
use crate::state::Mover;

/// What both kinds of pairs put into a lane: spins and inverse masses, and full-step spins for the ledger.
#[inline(always)]
fn gather_common(block: &mut Block, lane: usize, a: &Mover, b: &Mover) {
    block.angular_velocity_a.set(lane, a.angular_velocity);
    block.angular_velocity_b.set(lane, b.angular_velocity);
    block.angular_velocity_full_a.set(lane, a.angular_velocity + wide(a.angular_velocity_ahead));
    block.angular_velocity_full_b.set(lane, b.angular_velocity + wide(b.angular_velocity_ahead));
    block.inverse_mass_a.0[lane] = a.inverse_mass;
    block.inverse_mass_b.0[lane] = b.inverse_mass;
    block.inverse_inertia_a.0[lane] = a.inverse_inertia;
    block.inverse_inertia_b.0[lane] = b.inverse_inertia;
}

/// Single to double precision.
#[inline(always)]
fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::new(v[0] as f64, v[1] as f64, v[2] as f64)
}

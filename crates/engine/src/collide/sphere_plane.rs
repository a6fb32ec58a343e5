//! A sphere and a plane: they touch when the centre is nearer than R to the plane, on either side of it (behind it the
//! guard against deep overlap stops the run).
//!
//! The plane's velocity is taken at the sphere's centre, its lever is minus the sphere's (see `contact.rs`).

use glam::DVec3;

use crate::collide::{gather_common, wide};
use crate::contact::Block;
use crate::neighbour::Side;
use crate::state::{Load, Mover};

/// Distance of the sphere's centre from the plane, positive on the side its normal points to.
#[inline(always)]
pub fn distance(sphere: &Mover, plane: &Mover, normal: DVec3) -> f64 {
    (sphere.position - plane.position).dot(normal)
}

/// Puts the pair into a lane; `plane` says which of a and b is the plane.
#[inline(always)]
pub fn gather(block: &mut Block, lane: usize, a: &Mover, b: &Mover, plane: Side, normal: DVec3) {
    let (sphere, wall, sign) = if plane == Side::A { (b, a, -1.0) } else { (a, b, 1.0) };
    block.between.set(lane, normal * (sign * distance(sphere, wall, normal)));
    block.touch_distance.0[lane] = sphere.radius;
    block.reach_a.0[lane] = sign * sphere.radius;
    block.reach_b.0[lane] = -sign * sphere.radius;
    let arm = sphere.position - wall.position;
    let velocity = sphere.velocity - (wall.velocity + wall.angular_velocity.cross(arm));
    let wall_ahead = wide(wall.velocity_ahead) + wide(wall.angular_velocity_ahead).cross(arm);
    let full = velocity + (wide(sphere.velocity_ahead) - wall_ahead);
    block.velocity.set(lane, velocity * sign);
    block.velocity_full.set(lane, full * sign);
    gather_common(block, lane, a, b);
}

/// The load on the plane about its own position, from that about the sphere's centre.
#[inline(always)]
pub fn about_plane(load: Load, sphere: &Mover, plane: &Mover) -> Load {
    let arm = sphere.position - plane.position;
    Load { force: load.force, torque: load.torque + arm.cross(load.force) }
}

//! A sphere and a plane: they touch when the centre is nearer than R to the plane, on either side of it (behind it the
//! guard against deep overlap stops the run).
//!
//! The plane's velocity is taken at the sphere's centre, its lever is minus the sphere's (see `contact.rs`).

use glam::{DVec3, Vec3};

use crate::collide::gather_side;
use crate::contact::Block;
use crate::neighbour::Side;
use crate::state::{Load, Mover};

/// Distance of the sphere's centre from the plane, positive on the side its normal points to.
#[inline(always)]
pub fn distance(sphere: &Mover, plane: &Mover, normal: DVec3) -> f64 {
    (sphere.position - plane.position).dot(normal)
}

/// Puts the pair into a lane; `plane` says which of a and b is the plane, whose normals are those now and at the start of
/// the step.
#[inline(always)]
pub fn gather(block: &mut Block, lane: usize, a: &Mover, b: &Mover, plane: Side, [normal, before]: [DVec3; 2]) {
    let (sphere, wall) = if plane == Side::A { (b, a) } else { (a, b) };
    let sphere_side = if plane == Side::A { &mut block.b } else { &mut block.a };
    let place = normal * distance(sphere, wall, normal);
    block.normal_before.set(lane, if plane == Side::A { -before } else { before });
    gather_side(sphere_side, lane, sphere, place, sphere.radius, sphere.velocity);
    // The velocities belong to the middle of the step, so the arm must, too: else a turntable shows false slip.
    let half_way = (sphere.velocity - wall.velocity) * (0.5 * block.dt);
    let arm = sphere.position - wall.position - half_way;
    let velocity = wall.velocity + wall.angular_velocity.cross(arm);
    let wall_side = if plane == Side::A { &mut block.a } else { &mut block.b };
    gather_side(wall_side, lane, wall, DVec3::ZERO, -sphere.radius, velocity);
    // At the full step, for the ledger: the arm is where it is then.
    let arm_ahead = wall.angular_velocity.cross(half_way).as_vec3();
    let turning_ahead = Vec3::from(wall.angular_velocity_ahead).cross(arm.as_vec3());
    wall_side.velocity_ahead[lane] = (Vec3::from(wall.velocity_ahead) + turning_ahead + arm_ahead).to_array();
}

/// The load on the plane about its own position, from that about the sphere's centre.
#[inline(always)]
pub fn about_plane(load: Load, sphere: &Mover, plane: &Mover) -> Load {
    let arm = sphere.position - plane.position;
    Load::new(load.force, load.torque + arm.cross(load.force))
}

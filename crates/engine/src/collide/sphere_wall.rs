//! A sphere and a wall: they touch when the centre is nearer than R to the wall (`wall.rs`). Behind a plane the guard against
//! deep overlap stops the run.
//!
//! The wall's velocity is taken at the sphere's centre, its lever is minus the sphere's (see `contact.rs`).

use glam::{DVec3, Vec3};

use crate::collide::gather_side;
use crate::contact::Block;
use crate::neighbour::Side;
use crate::state::{Load, Mover};
use crate::wall::Wall;

/// Puts the pair into a lane; `side` says which of a and b is the wall, which is `now` and was `before` the step.
#[inline(always)]
pub fn gather(block: &mut Block, lane: usize, a: &Mover, b: &Mover, side: Side, now: &Wall, before: &Wall) {
    let (sphere, wall) = if side == Side::A { (b, a) } else { (a, b) };
    let sphere_side = if side == Side::A { &mut block.b } else { &mut block.a };
    let nearest = now.nearest(sphere.position);
    let was = before.nearest(sphere.position - sphere.velocity * block.dt).normal;
    // A sphere that has passed through a thin wall in one step has no sense of turning; the overlap will say so.
    let was = if was.dot(nearest.normal) > 0.0 { was } else { nearest.normal };
    block.normal_before.set(lane, if side == Side::A { -was } else { was });
    gather_side(sphere_side, lane, sphere, nearest.normal * nearest.distance, sphere.radius, sphere.velocity);
    // The velocities belong to the middle of the step, so the arm must, too: else a turntable shows false slip.
    let half_way = (sphere.velocity - wall.velocity) * (0.5 * block.dt);
    let arm = sphere.position - wall.position - half_way;
    let velocity = wall.velocity + wall.angular_velocity.cross(arm);
    // A belt turns at its end with its surface: it never runs into a sphere.
    let velocity = if now.belt { velocity - nearest.normal * velocity.dot(nearest.normal) } else { velocity };
    let wall_side = if side == Side::A { &mut block.a } else { &mut block.b };
    gather_side(wall_side, lane, wall, DVec3::ZERO, -sphere.radius, velocity);
    // At the full step, for the ledger: the arm is where it is then.
    let arm_ahead = wall.angular_velocity.cross(half_way).as_vec3();
    let turning_ahead = Vec3::from(wall.angular_velocity_ahead).cross(arm.as_vec3());
    wall_side.velocity_ahead[lane] = (Vec3::from(wall.velocity_ahead) + turning_ahead + arm_ahead).to_array();
}

/// The load on the wall about its own position, from that about the sphere's centre.
#[inline(always)]
pub fn about_wall(load: Load, sphere: &Mover, wall: &Mover) -> Load {
    let arm = sphere.position - wall.position;
    Load::new(load.force, load.torque + arm.cross(load.force))
}

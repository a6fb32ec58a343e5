//! A sphere and a wall: they touch when the centre is nearer than R to the wall (`wall.rs`). Behind a plane the guard against
//! deep overlap stops the run.
//!
//! The wall's velocity is taken at the sphere's centre, its lever is minus the sphere's (see `contact/mod.rs`).

use glam::{DVec3, Vec3};

use crate::collide::{Touch, gather_bodies};
use crate::contact::{Block, Curvature, Side};
use crate::shape::Part;
use crate::state::{Load, Mover};
use crate::wall::Wall;

/// Where a sphere, which is a, and a wall touch, or are nearer than `within`; behind a plane the gap is below -R. Never from
/// behind where only the front of the wall is touched. Seams are not settled.
pub fn meet(centre: DVec3, radius: f64, wall: &Wall, within: f64) -> Option<Touch> {
    let nearest = wall.touchable(centre).filter(|nearest| nearest.distance < radius + within)?;
    let gap = nearest.distance - radius;
    // Near the axis of a cone the wall's normal is not a unit vector to the last bit.
    let normal = nearest.normal.normalize();
    let arm = normal * -(radius + 0.5 * gap);
    let (part, curvature) = wall.surface_at(centre, &nearest);
    Some(Touch {
        feature: u32::from(nearest.behind && wall.plane().is_none()),
        part: [Part::Face, part],
        normal,
        gap,
        arm: [arm, centre - wall.place() + arm],
        curvature: [Curvature::round(1.0 / radius), curvature],
        radius_eff: radius,
        closing: None,
    })
}

/// Puts the pair into a lane; `side` says which of a and b is the wall, which is `now` and was `before` the step.
#[inline(always)]
pub fn gather(block: &mut Block, lane: usize, a: &Mover, b: &Mover, side: Side, now: &Wall, before: &Wall) {
    let (sphere, wall) = if side == Side::A { (b, a) } else { (a, b) };
    let nearest = now.nearest(sphere.position);
    let was = before.nearest(sphere.position - sphere.velocity * block.dt).normal;
    // A sphere that has passed through a thin wall in one step has no sense of turning; the overlap will say so.
    let was = if was.dot(nearest.normal) > 0.0 { was } else { nearest.normal };
    let (from_wall, velocity) = (nearest.normal * nearest.distance, surface_velocity(sphere, wall, now, block.dt));
    gather_bodies(block, lane, a, b);
    // At the full step, for the ledger: the arm is where it is then.
    let half_way = half_way(sphere, wall, block.dt);
    let arm_ahead = wall.angular_velocity.cross(half_way).as_vec3();
    let turning_ahead = Vec3::from(wall.angular_velocity_ahead).cross(arm(sphere, wall, half_way).as_vec3());
    let wall_ahead = (Vec3::from(wall.velocity_ahead) + turning_ahead + arm_ahead).as_dvec3();
    let sphere_ahead = Vec3::from(sphere.velocity_ahead).as_dvec3();
    if side == Side::A {
        block.normal_before.set(lane, -was);
        block.between.set(lane, DVec3::ZERO - from_wall, -sphere.radius);
        block.moving.set(lane, velocity - sphere.velocity, sphere.radius);
        block.moving_ahead.set(lane, wall_ahead - sphere_ahead, 0.0);
    } else {
        block.normal_before.set(lane, was);
        block.between.set(lane, from_wall - DVec3::ZERO, sphere.radius);
        block.moving.set(lane, sphere.velocity - velocity, -sphere.radius);
        block.moving_ahead.set(lane, sphere_ahead - wall_ahead, 0.0);
    }
}

/// How far the sphere moves against the wall in half a step.
#[inline(always)]
fn half_way(sphere: &Mover, wall: &Mover, dt: f64) -> DVec3 {
    (sphere.velocity - wall.velocity) * (0.5 * dt)
}

/// From the wall to the sphere in the middle of the step, where the velocities belong: else a turntable shows false slip.
#[inline(always)]
fn arm(sphere: &Mover, wall: &Mover, half_way: DVec3) -> DVec3 {
    sphere.position - wall.position - half_way
}

/// The velocity of the wall at the sphere's centre.
#[inline(always)]
pub fn surface_velocity(sphere: &Mover, wall: &Mover, now: &Wall, dt: f64) -> DVec3 {
    let arm = arm(sphere, wall, half_way(sphere, wall, dt));
    let velocity = wall.velocity + wall.angular_velocity.cross(arm);
    if !now.belt {
        return velocity;
    }
    // A belt turns at its end with its surface: it never runs into a sphere.
    let normal = now.nearest(sphere.position).normal;
    velocity - normal * velocity.dot(normal)
}

/// The load on the wall about its own position, from that about the sphere's centre.
#[inline(always)]
pub fn about_wall(load: Load, sphere: &Mover, wall: &Mover) -> Load {
    let arm = sphere.position - wall.position;
    Load::new(load.force, load.torque + arm.cross(load.force))
}

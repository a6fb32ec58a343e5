//! Two spheres: they touch, b at one of its images, when |x_a - x_b| < R_a + R_b, strictly; the normal is along the line of centres.

use glam::DVec3;

use crate::collide::{gather_bodies, wide};
use crate::contact::Block;
use crate::state::Mover;

/// Whether the spheres touch, b shifted to its image.
#[inline(always)]
pub fn touch(a: &Mover, b: &Mover, shift: DVec3) -> bool {
    let reach = a.radius + b.radius;
    (a.position - (b.position + shift)).length_squared() < reach * reach
}

/// Puts the pair into a lane.
#[inline(always)]
pub fn gather(block: &mut Block, lane: usize, a: &Mover, b: &Mover, shift: DVec3) {
    block.between.set(lane, a.position - (b.position + shift), a.radius);
    block.moving.set(lane, a.velocity - b.velocity, b.radius);
    let (ahead_a, ahead_b) = (wide(a.velocity_ahead, a.id), wide(b.velocity_ahead, b.id));
    block.moving_ahead.0[lane] = [0, 1, 2, 3].map(|k| ahead_a[k] - ahead_b[k]);
    gather_bodies(block, lane, a, b);
}

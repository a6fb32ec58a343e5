//! Two spheres: they touch when |x_a - x_b| < R_a + R_b, strictly; the normal is along the line of centres.

use crate::collide::{gather_common, wide};
use crate::contact::Block;
use crate::state::Mover;

/// Whether the spheres touch.
#[inline(always)]
pub fn touch(a: &Mover, b: &Mover) -> bool {
    let reach = a.radius + b.radius;
    (a.position - b.position).length_squared() < reach * reach
}

/// Puts the pair into a lane.
#[inline(always)]
pub fn gather(block: &mut Block, lane: usize, a: &Mover, b: &Mover) {
    block.between.set(lane, a.position - b.position);
    block.touch_distance.0[lane] = a.radius + b.radius;
    block.reach_a.0[lane] = a.radius;
    block.reach_b.0[lane] = b.radius;
    let velocity = a.velocity - b.velocity;
    block.velocity.set(lane, velocity);
    block.velocity_full.set(lane, velocity + (wide(a.velocity_ahead) - wide(b.velocity_ahead)));
    gather_common(block, lane, a, b);
}

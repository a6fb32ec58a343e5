//! Two spheres: they touch when |x_a - x_b| < R_a + R_b, strictly; the normal is along the line of centres.

use crate::collide::gather_side;
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
    gather_side(&mut block.a, lane, a, a.position, a.radius, a.velocity);
    gather_side(&mut block.b, lane, b, b.position, b.radius, b.velocity);
}

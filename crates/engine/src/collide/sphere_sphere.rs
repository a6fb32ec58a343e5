//! Two spheres: they touch, b at one of its images, when |x_a - x_b| < R_a + R_b, strictly; the normal is along the line of centres.

use glam::DVec3;

use crate::collide::gather_side;
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
    gather_side(&mut block.a, lane, a, a.position, a.radius, a.velocity);
    gather_side(&mut block.b, lane, b, b.position + shift, b.radius, b.velocity);
}

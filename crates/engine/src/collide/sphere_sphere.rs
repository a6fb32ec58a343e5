//! Two spheres: they touch, b at one of its images, when |x_a - x_b| < R_a + R_b, strictly; the normal is along the line of centres.

use glam::DVec3;

use crate::collide::{gather_bodies, wide};
use crate::contact::Block;
use crate::quad::{minus, plus, quad};
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
    // Four numbers at a time: the fourth differences are not wanted.
    let (at, bt, shift) = (quad(a.position, a.radius), quad(b.position, b.radius), quad(shift, 0.0));
    let (av, bv) = (quad(a.velocity, a.inverse_mass), quad(b.velocity, b.inverse_mass));
    let (between, moving) = (minus(at, plus(bt, shift)), minus(av, bv));
    block.between.0[lane] = [between[0], between[1], between[2], at[3]];
    block.moving.0[lane] = [moving[0], moving[1], moving[2], bt[3]];
    let (ahead_a, ahead_b) = (wide(a.velocity_ahead, a.id), wide(b.velocity_ahead, b.id));
    block.moving_ahead.0[lane] = minus(ahead_a, ahead_b);
    gather_bodies(block, lane, a, b);
}

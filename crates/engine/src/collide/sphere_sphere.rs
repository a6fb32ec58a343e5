//! Two spheres: they touch, b at one of its images, when |x_a - x_b| < R_a + R_b, strictly; the normal is along the line of centres.

use glam::DVec3;

use crate::collide::{Touch, gather_bodies, wide};
use crate::contact::{Block, Curvature};
use crate::quad::{minus, plus, quad};
use crate::shape::Part;
use crate::state::Mover;

/// Whether two centres this far apart are nearer than `reach`: by squares.
#[inline(always)]
fn is_near(between: DVec3, reach: f64) -> bool {
    between.length_squared() < reach * reach
}

/// Where spheres around these centres, b at its image, touch, or are nearer than `within`. Two in one place part along z.
pub fn meet([at_a, at_b]: [DVec3; 2], [radius_a, radius_b]: [f64; 2], within: f64) -> Option<Touch> {
    let (between, reach) = (at_a - at_b, radius_a + radius_b);
    if !is_near(between, reach + within) {
        return None;
    }
    let (normal, gap) = (between.try_normalize().unwrap_or(DVec3::Z), between.length() - reach);
    let lever = |radius: f64| radius + 0.5 * gap;
    Some(Touch {
        feature: 0,
        part: [Part::Face; 2],
        normal,
        gap,
        arm: [normal * -lever(radius_a), normal * lever(radius_b)],
        curvature: [radius_a, radius_b].map(|radius| Curvature::round(1.0 / radius)),
        radius_eff: radius_a * radius_b / reach,
        closing: None,
    })
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

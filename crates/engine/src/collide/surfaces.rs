//! Points of contact, orientations and curvatures of a pair, for the laws that ask for them.
//!
//! To be called after the pair was gathered into its lane. A wall is flat, whatever its curvature.

use glam::{DQuat, DVec3};

use crate::contact::{Block, Curvature};
use crate::state::Mover;

/// Puts them into a lane.
pub fn gather(block: &mut Block, lane: usize, a: &Mover, b: &Mover, orientation_a: DQuat, orientation_b: DQuat) {
    let between = block.between.vector(lane);
    let (reach_a, reach_b) = (block.between.scalar(lane), block.moving.scalar(lane));
    let distance = between.length();
    let normal = between / distance;
    let overlap = if reach_a * reach_b < 0.0 { reach_a.abs() } else { reach_a + reach_b } - distance;
    let point = |reach: f64, towards: DVec3| towards * (reach - 0.5 * overlap);
    let [from_a, from_b] = [point(reach_a, -normal), point(reach_b, normal)];
    let surfaces = &mut block.surfaces;
    // A wall's own position may be anywhere on it.
    surfaces.point_a.set(lane, if reach_a < 0.0 { from_b + (b.position - a.position) } else { from_a });
    surfaces.point_b.set(lane, if reach_b < 0.0 { from_a + (a.position - b.position) } else { from_b });
    (surfaces.orientation_a[lane], surfaces.orientation_b[lane]) = (orientation_a, orientation_b);
    let curvature = |reach: f64| Curvature::round(if reach < 0.0 { 0.0 } else { 1.0 / reach });
    (surfaces.curvature_a[lane], surfaces.curvature_b[lane]) = (curvature(reach_a), curvature(reach_b));
}

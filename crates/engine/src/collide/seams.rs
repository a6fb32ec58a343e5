//! Seams between walls, settled over the touches of one body: which of several walls keeps a touch, and which touch continues
//! one that has ended on another wall.
//!
//! **Which wall keeps a touch.** Where two walls share an edge, a sphere above it would touch both: the one with its face, the
//! other with its rim, and feel twice the stiffness. So a touch on a rim whose point lies on another wall is left to that wall
//! if it is nearer to the centre. Of two rims that are equally near, and of two faces that lie in one another, that of the wall
//! with the higher id is left out. (`wall.rs` has the picture.)
//!
//! **Memory** passes from touch to touch by place: where a body crosses a seam, a touch ends on one wall and one begins on the
//! next in the same step, at the same place. Also where a centre passes from one side of a thin wall to the other over its rim.
//!
//! Does not do: bodies other than spheres, which touch planes only, and planes have no rims.

use glam::DVec3;

use crate::collide::posed::{ColliderId, Posed};
use crate::collide::touch::Touch;
use crate::shape::Part;
use crate::wall::{Nearest, Wall};

/// How near, in radii of the sphere, a rim must be to another wall to count as joined to it. Touches must have been found at
/// least within this: of two faces that lie in one another, the one that is kept may be farther away by so much.
pub const JOINED: f64 = 1e-3;
/// Distances that differ by less than this, in radii, are equal but for rounding.
const EQUALLY_NEAR: f64 = 1e-9;
/// Two walls are touched at one place if their nearest points are not farther apart than this, in radii.
const SAME_PLACE: f64 = 0.05;

/// Drops those touches of one body that are left to another wall. The body is a in all of them, and its centre is at `centre`;
/// `posed` gives the shapes. Touches with other shapes than walls stay. All touches within `JOINED` radii must be there.
pub fn settle_seams<'a>(
    centre: DVec3,
    touches: &mut Vec<(ColliderId, Touch)>,
    posed: impl Fn(ColliderId) -> &'a Posed,
) {
    if touches.len() < 2 {
        return;
    }
    // All are judged by what was there before any was dropped.
    let wall = |id: ColliderId| posed(id).wall();
    let all: Vec<(ColliderId, Nearest)> = touches.iter().map(|(id, touch)| (*id, nearest_of(touch))).collect();
    touches.retain(|(mine, touch)| {
        let (Some(own), nearest) = (wall(*mine), nearest_of(touch)) else { return true };
        let (radius, point) = (touch.radius_eff, centre + touch.foot());
        let mut others = all.iter().filter(|(id, _)| id != mine).filter_map(|(id, at)| Some((*id, at, wall(*id)?)));
        !others.any(|(other, at, by)| {
            if nearest.on_rim {
                return is_joined(by, point, radius) && takes_rim(at, &nearest, other < *mine, radius);
            }
            other < *mine && !are_planes(own, by) && covers(at, &nearest, radius)
        })
    });
}

/// Whether the contact of a sphere with the wall `mine` is another wall's to take: `settle_seams` for one of them, without
/// its touches. `meets` says of a wall, by number, whether the sphere touches such walls at all.
pub fn left_to_another<'a>(
    walls: impl IntoIterator<Item = &'a Wall, IntoIter: Clone>,
    mine: usize,
    nearest: &Nearest,
    centre: DVec3,
    radius: f64,
    meets: impl Fn(usize) -> bool,
) -> bool {
    let walls = walls.into_iter();
    if nearest.on_rim {
        let point = centre - nearest.normal * nearest.distance;
        return walls.enumerate().filter(|&(other, _)| other != mine).any(|(other, wall)| {
            is_joined(wall, point, radius)
                && meets(other)
                && wall.touchable(centre).is_some_and(|at| takes_rim(&at, nearest, other < mine, radius))
        });
    }
    // A face is left to earlier walls only, and the first has none.
    let Some(own) = walls.clone().nth(mine).filter(|_| mine > 0) else { return false };
    let plane = own.plane().is_some();
    let mut earlier = walls.take(mine).enumerate().filter(|(_, wall)| !(plane && wall.plane().is_some()));
    earlier.any(|(other, wall)| wall.touchable(centre).is_some_and(|at| covers(&at, nearest, radius)) && meets(other))
}

/// The nearest point of a wall as a touch tells it.
fn nearest_of(touch: &Touch) -> Nearest {
    Nearest {
        normal: touch.normal,
        distance: touch.gap + touch.radius_eff,
        on_rim: touch.part[1] == Part::Edge,
        behind: touch.feature != 0,
    }
}

/// Whether a point of another wall's rim lies on this wall.
fn is_joined(wall: &Wall, point: DVec3, radius: f64) -> bool {
    wall.nearest(point).distance.abs() <= JOINED * radius
}

/// Whether a wall, touchable `at` its nearest point, takes over what the rim of another joined to it touches; `first`: of two
/// rims it is the one that is kept.
fn takes_rim(at: &Nearest, rim: &Nearest, first: bool, radius: f64) -> bool {
    let nearer = rim.distance - at.distance;
    let tied = nearer.abs() <= EQUALLY_NEAR * radius;
    nearer > EQUALLY_NEAR * radius || tied && (!at.on_rim || first)
}

/// Whether the face of a wall, touchable `at` its nearest point, lies in the face of another where that is touched.
fn covers(at: &Nearest, face: &Nearest, radius: f64) -> bool {
    let together = (at.distance - face.distance).abs() <= JOINED * radius;
    !at.on_rim && together && at.normal.dot(face.normal) > 1.0 - JOINED * JOINED
}

/// Two planes are never one another: a box of them need not look.
fn are_planes(one: &Wall, other: &Wall) -> bool {
    one.plane().is_some() && other.plane().is_some()
}

/// Whether two points, each from the body's centre to a wall's surface, are one place for a sphere of this radius.
pub(crate) fn is_same_place(p: DVec3, q: DVec3, radius: f64) -> bool {
    p.distance_squared(q) <= SAME_PLACE * SAME_PLACE * radius * radius
}

/// Finds for each touch of a body that has ended the first of those that have begun at its place: numbers in both lists. The body
/// is a in all of them. All are touches at the same moment, so those that have ended were found with a larger `within`, or before
/// seams were settled. Several may continue in one; then the last of them gives the memory.
pub fn match_by_place(ended: &[(ColliderId, Touch)], begun: &[(ColliderId, Touch)]) -> Vec<(usize, usize)> {
    let next = |from: &Touch| begun.iter().position(|(_, to)| is_same_place(from.foot(), to.foot(), from.radius_eff));
    ended.iter().enumerate().filter_map(|(old, (_, from))| Some((old, next(from)?))).collect()
}

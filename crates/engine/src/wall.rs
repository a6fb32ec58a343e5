//! Walls in the world's frame: the point of a wall that is nearest to a sphere's centre.
//!
//! A sphere touches a wall in one point, the nearest; the normal points from there to the centre. Where that point lies on
//! the wall's rim it is an edge contact, and the normal is no longer the wall's own.
//!
//! **Seams.** Where two walls share an edge, a sphere above it would touch both: the one with its face, the other with its
//! rim, and feel twice the stiffness. So an edge contact whose point lies on another wall is left to that wall if it is
//! nearer to the centre; of two rims that are equally near, and of two faces that lie in one another, that of the wall with
//! the higher id is left out (`collide/seams.rs`). A contact that passes from one wall to another keeps its memory where
//! both have the same laws (`soft/hand_over.rs`).
//!
//! ```text
//!        .-----.              rim of w1 at the seam lies on w2, and w2 is nearer:
//!       (   .   )             the sphere touches w2 alone
//!        '--|--'
//!   ---w1---+--+---w2----
//!        seam  nearest
//! ```
//!
//! A tube or cone turns a straight line about its axis, so the search is for the nearest point of a segment in the half-plane
//! of axis and centre. Does not do: more than one contact between a sphere and a wall. A sphere that touches a tube, a cone
//! or the rim of a hole all around stops the run (`wraps`). Walls count as flat in R_eff, whatever their curvature.

use glam::{DQuat, DVec2, DVec3};

use crate::contact::Curvature;
use crate::shape::{Part, Shape, Sides};

/// A wall at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    at: DVec3,
    surface: Surface,
    sides: Sides,
    /// Whether its surface runs while it stays.
    pub belt: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Surface {
    Plane {
        normal: DVec3,
    },
    Rectangle {
        normal: DVec3,
        along: DVec3,
        across: DVec3,
        half: DVec2,
    },
    /// From `radii[0]` at `-half_length` to `radii[1]` at `half_length` along the axis.
    Turned {
        axis: DVec3,
        radii: [f64; 2],
        half_length: f64,
    },
}

/// The point of a wall nearest to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Unit vector from the wall to the place.
    pub normal: DVec3,
    /// Distance between the two (m); negative behind a plane.
    pub distance: f64,
    /// Whether the point lies on the wall's rim.
    pub on_rim: bool,
    /// Whether the place is behind the wall: where its normal does not point, outside of a tube.
    pub behind: bool,
}

impl Wall {
    /// A wall of this shape at this pose; `None` for a body that is none.
    pub fn new(shape: &Shape, position: DVec3, world_from_body: DQuat) -> Option<Wall> {
        let turn = |v: DVec3| world_from_body * v;
        let (surface, sides) = match *shape {
            Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Box { .. } => return None,
            Shape::Cylinder { .. } | Shape::Clump(_) => return None,
            Shape::Plane { normal } => (Surface::Plane { normal: turn(normal) }, Sides::Front),
            Shape::Rectangle { normal, along, size, sides } => {
                let (normal, along) = (turn(normal), turn(along));
                let half = DVec2::new(0.5 * size[0], 0.5 * size[1]);
                (Surface::Rectangle { normal, along, across: normal.cross(along), half }, sides)
            }
            Shape::Tube { radius, length, axis, sides } => {
                (Surface::Turned { axis: turn(axis), radii: [radius; 2], half_length: 0.5 * length }, sides)
            }
            Shape::Cone { radii, length, axis, sides } => {
                (Surface::Turned { axis: turn(axis), radii, half_length: 0.5 * length }, sides)
            }
        };
        Some(Wall { at: position, surface, sides, belt: false })
    }

    /// The same wall as a belt, or not.
    pub fn running(self, belt: bool) -> Wall {
        Wall { belt, ..self }
    }

    /// The same wall somewhere else.
    pub fn shifted(self, shift: DVec3) -> Wall {
        Wall { at: self.at + shift, ..self }
    }

    /// A point of it: the middle, of a plane any.
    pub fn place(&self) -> DVec3 {
        self.at
    }

    /// The normal of a plane.
    pub fn plane(&self) -> Option<DVec3> {
        match self.surface {
            Surface::Plane { normal } => Some(normal),
            _ => None,
        }
    }

    /// The nearest point of the wall, whichever side the place is on.
    #[inline]
    pub fn nearest(&self, place: DVec3) -> Nearest {
        match self.surface {
            Surface::Plane { normal } => {
                let distance = (place - self.at).dot(normal);
                Nearest { normal, distance, on_rim: false, behind: distance < 0.0 }
            }
            Surface::Rectangle { normal, along, across, half } => {
                self.nearest_of_rectangle(place, normal, along, across, half)
            }
            Surface::Turned { axis, radii, half_length } => self.nearest_of_turned(place, axis, radii, half_length),
        }
    }

    fn nearest_of_rectangle(&self, place: DVec3, normal: DVec3, along: DVec3, across: DVec3, half: DVec2) -> Nearest {
        let from = place - self.at;
        let (u, w, height) = (from.dot(along), from.dot(across), from.dot(normal));
        let (du, dw) = (u - u.clamp(-half.x, half.x), w - w.clamp(-half.y, half.y));
        let behind = height < 0.0;
        if du == 0.0 && dw == 0.0 {
            let normal = if behind { -normal } else { normal };
            let on_rim = u.abs() == half.x || w.abs() == half.y;
            return Nearest { normal, distance: height.abs(), on_rim, behind };
        }
        let away = along * du + across * dw + normal * height;
        let distance = away.length();
        Nearest { normal: away / distance, distance, on_rim: true, behind }
    }

    /// What the wall is like where it is `nearest` to a place: its kind of part there, and its curvatures, positive where it is
    /// convex as seen from the place. 0 on rims and tips, which have none.
    pub fn surface_at(&self, place: DVec3, nearest: &Nearest) -> (Part, Curvature) {
        let flat = Curvature::round(0.0);
        if nearest.on_rim {
            return (Part::Edge, flat);
        }
        let Surface::Turned { axis, radii, half_length } = self.surface else { return (Part::Face, flat) };
        let from = place - self.at;
        let along = from.dot(axis);
        let radius = (from - axis * along).length();
        let at = nearest_of_segment(DVec2::new(radius, along), radii, half_length);
        if at.on_axis {
            return (if half_length > 0.0 { Part::Corner } else { Part::Face }, flat);
        }
        // Around the axis, by Meusnier: how far the normal leans outward, over the distance from the axis. Along straight lines zero.
        let around = at.normal.x / (radius - at.normal.x * at.distance);
        let tangent = axis.cross(nearest.normal).normalize_or_zero();
        let curvature = if around > 0.0 {
            Curvature { most: around, least: 0.0, along: tangent }
        } else {
            Curvature { most: 0.0, least: around, along: tangent.cross(nearest.normal) }
        };
        (Part::Face, curvature)
    }

    fn nearest_of_turned(&self, place: DVec3, axis: DVec3, radii: [f64; 2], half_length: f64) -> Nearest {
        let from = place - self.at;
        let along = from.dot(axis);
        let across = from - axis * along;
        let radius = across.length();
        // On the axis every direction is as good as any other.
        let outward = if radius > 0.0 { across / radius } else { axis.any_orthonormal_vector() };
        let flat = nearest_of_segment(DVec2::new(radius, along), radii, half_length);
        let normal = outward * flat.normal.x + axis * flat.normal.y;
        Nearest { normal, distance: flat.distance, on_rim: flat.on_rim, behind: flat.behind }
    }

    /// Whether a sphere touches a round wall on the far side of its axis, too, and so all around.
    pub fn wraps(&self, place: DVec3, sphere_radius: f64) -> bool {
        let Surface::Turned { axis, radii, half_length } = self.surface else { return false };
        let from = place - self.at;
        let along = from.dot(axis);
        let radius = (from - axis * along).length();
        let far = nearest_of_segment(DVec2::new(-radius, along), radii, half_length);
        let passes = far.behind && self.sides == Sides::Front;
        // A tip, and the middle of a disc, are on the axis: no far side.
        !far.on_axis && !passes && far.distance < sphere_radius
    }

    /// The nearest point, if a sphere there may touch it: never from behind where only the front is touched. A plane pushes
    /// out what is behind it.
    #[inline]
    pub fn touchable(&self, place: DVec3) -> Option<Nearest> {
        let nearest = self.nearest(place);
        let passes = nearest.behind && self.sides == Sides::Front && self.plane().is_none();
        (!passes).then_some(nearest)
    }

    /// Whether it is a plane whose normal changes at this angular velocity (rad/s): far out it sweeps far, so neighbour lists
    /// hold every sphere against it.
    pub fn sweeps(&self, angular_velocity: DVec3) -> bool {
        self.plane().is_some_and(|normal| angular_velocity.cross(normal) != DVec3::ZERO)
    }

    /// The farthest that a point of the wall has moved since it was at `before` (m), by an upper bound. A plane counts only
    /// along its normal, and not as it turns.
    pub fn moved_since(&self, before: &Wall) -> f64 {
        let shift = self.at - before.at;
        match (&self.surface, &before.surface) {
            (Surface::Plane { normal }, _) => shift.dot(*normal).abs(),
            // The displacement of a rigid plate is greatest at a corner.
            (
                Surface::Rectangle { along, across, half, .. },
                Surface::Rectangle { along: was_along, across: was_across, .. },
            ) => {
                let (a, b) = ((*along - *was_along) * half.x, (*across - *was_across) * half.y);
                (shift + a + b)
                    .length()
                    .max((shift + a - b).length())
                    .max((shift - a + b).length())
                    .max((shift - a - b).length())
            }
            // A turn about the axis changes nothing.
            (Surface::Turned { axis, radii, half_length }, Surface::Turned { axis: was, .. }) => {
                let widest = radii[0].max(radii[1]);
                let reach = (widest * widest + half_length * half_length).sqrt();
                shift.length() + (*axis - *was).length() * reach
            }
            _ => f64::INFINITY,
        }
    }
}

/// The nearest point of a tube or cone in the half-plane of its axis: x is the distance from the axis, y along it.
struct InPlane {
    normal: DVec2,
    distance: f64,
    on_rim: bool,
    on_axis: bool,
    behind: bool,
}

fn nearest_of_segment(point: DVec2, radii: [f64; 2], half_length: f64) -> InPlane {
    let start = DVec2::new(radii[0], -half_length);
    let side = DVec2::new(radii[1] - radii[0], 2.0 * half_length);
    let from_start = point - start;
    let share = from_start.dot(side) / side.length_squared();
    // The inside is to the left of the segment: towards the axis, for a tube.
    let inward = DVec2::new(-side.y, side.x) / side.length();
    let height = from_start.dot(inward);
    let behind = height < 0.0;
    let end = if share <= 0.0 { Some(radii[0]) } else { (share >= 1.0).then_some(radii[1]) };
    // The tip of a whole cone and the middle of a disc have no rim.
    let (on_rim, on_axis) = (end.is_some_and(|radius| radius > 0.0), end == Some(0.0));
    if (0.0..=1.0).contains(&share) {
        let normal = if behind { -inward } else { inward };
        return InPlane { normal, distance: height.abs(), on_rim, on_axis, behind };
    }
    let away = from_start - side * share.clamp(0.0, 1.0);
    let distance = away.length();
    InPlane { normal: away / distance, distance, on_rim, on_axis, behind }
}

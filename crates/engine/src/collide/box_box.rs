//! Two boxes: the axis along which they overlap least, and the places where they touch along it.
//!
//! Of the 3 + 3 normals of faces and the 9 products of edges n is that of the largest separation
//!
//! ```text
//!   s(n) = |n . d| - sum_k half_a[k] |n . a_k| - sum_k half_b[k] |n . b_k|,     d from b to a
//! ```
//!
//! (Gottschalk, Lin and Manocha 1996). Along a face the face of the other box that looks at it most is clipped by the sides of that face:
//! a polygon of at most 8 corners, each a touch where it is nearer than `within`. Along a product of edges the two edges touch in one
//! point. Edges must be better than faces by a share of the smallest half edge, so that boxes that lie flat touch with their faces.
//!
//! A feature says which corner it is: the reference face, and the two of 4 + 4 edges of the polygon that meet in it. It does not depend on
//! where the boxes are, so it lasts from step to step; it does depend on which box is a.
//!
//! Does not do: the distance of boxes that are apart corner to corner, which is larger than s; they touch when s says so.

use glam::DVec3;

use crate::collide::solid::Posed;
use crate::collide::{Touch, Touches};
use crate::contact::Curvature;
use crate::shape::Part;

/// Of the smallest half edge: by so much must edges be farther apart than faces.
const EDGES: f64 = 1e-4;
/// Squared sine of the angle between two edges below which their product is no direction.
const PARALLEL: f64 = 1e-6;
/// Cosine of the angle below which two faces look at each other, and by which share of the smallest half edge the second must then be
/// better.
const FACING: f64 = 0.999;
const ALIKE: f64 = 1e-2;
/// Of the half edge: a corner that is over the side of a face by so much is on it.
const ON_SIDE: f64 = 1e-6;

/// A box in its place.
#[derive(Clone, Copy)]
struct Brick {
    half: DVec3,
    at: DVec3,
    axes: [DVec3; 3],
}

impl Brick {
    fn new(half: DVec3, posed: &Posed) -> Brick {
        let turn = posed.world_from_body;
        Brick { half, at: posed.position, axes: [turn.x_axis, turn.y_axis, turn.z_axis] }
    }

    /// How far it reaches from its centre along a direction.
    fn reach(&self, n: DVec3) -> f64 {
        (0..3).map(|k| self.half[k] * n.dot(self.axes[k]).abs()).sum()
    }
}

/// What separates two boxes most.
#[derive(Clone, Copy)]
struct Best {
    separation: f64,
    /// From b to a.
    normal: DVec3,
}

/// Adds the places where two boxes are nearer than `within`.
pub(super) fn touch([half_a, half_b]: [DVec3; 2], [a, b]: [&Posed; 2], within: f64, out: &mut Touches) {
    let (a, b) = (Brick::new(half_a, a), Brick::new(half_b, b));
    let (between, smallest) = (a.at - b.at, half_a.min_element().min(half_b.min_element()));
    let try_axis = |axis: DVec3| {
        let along = axis.dot(between);
        let normal = if along < 0.0 { -axis } else { axis };
        Best { separation: along.abs() - a.reach(axis) - b.reach(axis), normal }
    };
    let mut face = (try_axis(a.axes[0]), 0);
    for (k, &axis) in a.axes.iter().chain(&b.axes).enumerate().skip(1) {
        let tried = try_axis(axis);
        if tried.separation > within {
            return;
        }
        // Of two faces that look at each other the first, unless the second is clearly better: both give nearly the same.
        let share = if tried.normal.dot(face.0.normal) > FACING { ALIKE } else { ON_SIDE };
        if tried.separation > face.0.separation + share * smallest {
            face = (tried, k);
        }
    }
    let mut edges = (Best { separation: f64::NEG_INFINITY, normal: DVec3::X }, [0, 0]);
    for (i, &u) in a.axes.iter().enumerate() {
        for (j, &v) in b.axes.iter().enumerate() {
            let product = u.cross(v);
            let square = product.length_squared();
            if square < PARALLEL {
                continue;
            }
            let tried = try_axis(product / square.sqrt());
            if tried.separation > edges.0.separation {
                edges = (tried, [i, j]);
            }
        }
    }
    if face.0.separation.max(edges.0.separation) >= within {
        return;
    }
    let margin = EDGES * smallest;
    if edges.0.separation > face.0.separation + margin {
        touch_edges(&a, &b, edges.0.normal, edges.1, out);
    } else {
        touch_faces([&a, &b], face.0.normal, face.1, within, out);
    }
}

/// The largest number of corners of a quadrangle cut by four sides.
const MOST_CORNERS: usize = 8;

/// A corner of the polygon in the plane of the reference face, and the edge that follows it: 0 to 3 of the other box' face, 4 to 7 the
/// sides of the reference face.
#[derive(Clone, Copy, Default)]
struct Corner {
    at: DVec3,
    edge: u32,
}

/// Corners in order round the polygon.
#[derive(Clone, Copy, Default)]
struct Polygon {
    corners: [Corner; MOST_CORNERS],
    count: usize,
}

impl Polygon {
    fn push(&mut self, corner: Corner) {
        // Rounding may make one more of a convex polygon: it lies on another.
        if self.count < MOST_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// What of it lies where `beyond` is not above zero; `edge` is the name of the cut.
    fn cut(&self, edge: u32, beyond: impl Fn(DVec3) -> f64, tolerance: f64) -> Polygon {
        let mut left = Polygon::default();
        for k in 0..self.count {
            let (here, next) = (self.corners[k], self.corners[(k + 1) % self.count]);
            let (from, to) = (beyond(here.at), beyond(next.at));
            let crossing = || here.at + (next.at - here.at) * (from / (from - to));
            match (from <= tolerance, to <= tolerance) {
                (true, true) => left.push(here),
                (true, false) => {
                    left.push(here);
                    left.push(Corner { at: crossing(), edge });
                }
                (false, true) => left.push(Corner { at: crossing(), edge: here.edge }),
                (false, false) => {}
            }
        }
        left
    }
}

/// Face against face; `axis` is the number of the reference face's normal: 0 to 2 of a, 3 to 5 of b.
fn touch_faces([a, b]: [&Brick; 2], normal: DVec3, axis: usize, within: f64, out: &mut Touches) {
    let of_a = axis < 3;
    let (reference, other, k) = if of_a { (a, b, axis) } else { (b, a, axis - 3) };
    // Out of the reference face.
    let out_of = if of_a { -normal } else { normal };
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut polygon = facing(other, out_of);
    for (side, (m, sign)) in [(i, 1.0), (i, -1.0), (j, 1.0), (j, -1.0)].into_iter().enumerate() {
        let (along, half) = (reference.axes[m] * sign, reference.half[m]);
        let beyond = |at: DVec3| (at - reference.at).dot(along) - half;
        polygon = polygon.cut(4 + side as u32, beyond, ON_SIDE * half);
    }
    let face = 2 * axis as u32 + u32::from(out_of.dot(reference.axes[k]) < 0.0);
    let mut found = [(0, DVec3::ZERO, 0.0); MOST_CORNERS];
    let mut count = 0;
    for c in 0..polygon.count {
        let (before, here) = (polygon.corners[(c + polygon.count - 1) % polygon.count], polygon.corners[c]);
        let gap = (here.at - reference.at).dot(out_of) - reference.half[k];
        if gap < within {
            let meeting = before.edge.min(here.edge) * 8 + before.edge.max(here.edge);
            found[count] = (face << 6 | meeting, here.at - out_of * (0.5 * gap), gap);
            count += 1;
        }
    }
    let found = &mut found[..count];
    found.sort_unstable_by_key(|(feature, ..)| *feature);
    let (mut last, radius_eff) = (u32::MAX, a.half.min_element().min(b.half.min_element()));
    for &(feature, point, gap) in found.iter() {
        if feature != last {
            let part = if of_a { [Part::Face, Part::Corner] } else { [Part::Corner, Part::Face] };
            out.push(flat_touch(feature, part, (normal, gap), point, [a, b], radius_eff));
        }
        last = feature;
    }
}

/// The face of a box that looks most against a direction, as a polygon.
fn facing(brick: &Brick, out_of: DVec3) -> Polygon {
    let along = [0, 1, 2].map(|k| brick.axes[k].dot(out_of));
    let k = (1..3).fold(0, |best, k| if along[k].abs() > along[best].abs() { k } else { best });
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let middle = brick.at - brick.axes[k] * (brick.half[k] * along[k].signum());
    let (u, v) = (brick.axes[i] * brick.half[i], brick.axes[j] * brick.half[j]);
    let mut polygon = Polygon::default();
    for (edge, at) in (0..).zip([middle + u + v, middle - u + v, middle - u - v, middle + u - v]) {
        polygon.push(Corner { at, edge });
    }
    polygon
}

/// Edge against edge: the points where the two lines are nearest.
fn touch_edges(a: &Brick, b: &Brick, normal: DVec3, [i, j]: [usize; 2], out: &mut Touches) {
    // The edge of each that reaches farthest towards the other, its middle, and which of the four it is.
    let edge = |brick: &Brick, axis: usize, towards: DVec3| {
        let (mut middle, mut name) = (brick.at, axis as u32);
        for k in (0..3).filter(|&k| k != axis) {
            let ahead = brick.axes[k].dot(towards) >= 0.0;
            middle += brick.axes[k] * if ahead { brick.half[k] } else { -brick.half[k] };
            name = name << 1 | u32::from(ahead);
        }
        (middle, name)
    };
    let ((p, name_a), (q, name_b)) = (edge(a, i, -normal), edge(b, j, normal));
    let (u, v, between) = (a.axes[i], b.axes[j], p - q);
    let (cosine, on_u, on_v) = (u.dot(v), u.dot(between), v.dot(between));
    let square = 1.0 - cosine * cosine;
    let s = ((cosine * on_v - on_u) / square).clamp(-a.half[i], a.half[i]);
    let t = ((on_v - cosine * on_u) / square).clamp(-b.half[j], b.half[j]);
    let (on_a, on_b) = (p + u * s, q + v * t);
    let gap = (on_a - on_b).dot(normal);
    let feature = 1 << 11 | name_a << 4 | name_b;
    let radius_eff = a.half.min_element().min(b.half.min_element());
    out.push(flat_touch(feature, [Part::Edge; 2], (normal, gap), (on_a + on_b) * 0.5, [a, b], radius_eff));
}

fn flat_touch(
    feature: u32,
    part: [Part; 2],
    (normal, gap): (DVec3, f64),
    point: DVec3,
    bricks: [&Brick; 2],
    radius_eff: f64,
) -> Touch {
    let arm = bricks.map(|brick| point - brick.at);
    Touch { feature, part, normal, gap, arm, curvature: [Curvature::round(0.0); 2], radius_eff, closing: None }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DQuat};

    use super::*;
    use crate::collide::solid::Form;
    use crate::collide::testing::{any_direction, any_pose};
    use crate::random::Stream;

    const HALF: DVec3 = DVec3::new(0.3, 0.2, 0.1);

    fn at(position: DVec3, turn: DQuat) -> Posed {
        Posed { form: Form::Box { half: HALF }, position, world_from_body: DMat3::from_quat(turn) }
    }

    fn found(a: &Posed, b: &Posed, within: f64) -> Vec<Touch> {
        let mut touches = Touches::default();
        let halves = [a, b].map(|posed| if let Form::Box { half } = posed.form { half } else { DVec3::ZERO });
        touch(halves, [a, b], within, &mut touches);
        touches.to_vec()
    }

    #[test]
    fn a_box_on_a_box_touches_with_four_corners_and_across_one_with_four_places() {
        let low = at(DVec3::ZERO, DQuat::IDENTITY);
        let on = found(&at(DVec3::Z * 0.199, DQuat::IDENTITY), &low, 0.0);
        assert_eq!(on.len(), 4);
        for touch in &on {
            assert!((touch.gap + 0.001).abs() < 1e-15 && (touch.normal - DVec3::Z).length() < 1e-15);
            let corner = DVec3::new(0.3, 0.2, 0.0995);
            assert!((touch.arm[1].abs() - corner).length() < 1e-14, "{touch:?}");
        }
        assert!(on.windows(2).all(|two| two[0].feature < two[1].feature));
        // Turned by a right angle: the square that both cover.
        let across = found(&at(DVec3::Z * 0.199, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2)), &low, 0.0);
        assert_eq!(across.len(), 4);
        assert!(across.iter().all(|touch| (touch.arm[1].abs() - DVec3::new(0.2, 0.2, 0.0995)).length() < 1e-14));
        // By an eighth of a turn: six sides, as 0.3 is longer than 0.2.
        let askew = found(&at(DVec3::Z * 0.199, DQuat::from_rotation_z(0.6)), &low, 0.0);
        assert!((4..=8).contains(&askew.len()));
        assert!(found(&at(DVec3::Z * 0.201, DQuat::IDENTITY), &low, 0.0).is_empty());
        assert_eq!(found(&at(DVec3::Z * 0.201, DQuat::IDENTITY), &low, 0.01).len(), 4);
    }

    /// Features last while the upper box slides and tips a little.
    #[test]
    fn features_last_from_step_to_step() {
        let low = at(DVec3::ZERO, DQuat::IDENTITY);
        let features = |shift: f64| -> Vec<u32> {
            let turn = DQuat::from_rotation_z(0.01 * shift) * DQuat::from_rotation_x(1e-4 * shift);
            let high = at(DVec3::new(0.05 + 0.01 * shift, 0.02, 0.1999), turn);
            found(&high, &low, 0.001).iter().map(|touch| touch.feature).collect()
        };
        let start = features(0.0);
        assert_eq!(start.len(), 4);
        (1..10).for_each(|k| assert_eq!(features(0.1 * f64::from(k)), start));
    }

    #[test]
    fn crossed_edges_touch_in_the_point_between_them() {
        // Both stand on an edge, one along x, one along y.
        let half = HALF.z * std::f64::consts::SQRT_2;
        let eighth = std::f64::consts::FRAC_PI_4;
        let cube = |position: DVec3, turn: DQuat| Posed {
            form: Form::Box { half: DVec3::new(0.5, 0.1, 0.1) },
            position,
            world_from_body: DMat3::from_quat(turn),
        };
        let low = cube(DVec3::ZERO, DQuat::from_rotation_x(eighth));
        let turn = DQuat::from_rotation_z(2.0 * eighth) * DQuat::from_rotation_x(eighth);
        let high = cube(DVec3::new(0.05, 0.03, 2.0 * half - 0.001), turn);
        let [touch] = found(&high, &low, 0.0)[..] else { panic!("one touch") };
        assert!((touch.normal - DVec3::Z).length() < 1e-14 && (touch.gap + 0.001).abs() < 1e-14, "{touch:?}");
        assert!((touch.arm[1] - DVec3::new(0.05, 0.0, half - 0.0005)).length() < 1e-14);
        assert_eq!(touch.part, [Part::Edge; 2]);
    }

    /// No direction separates the two by more than the gap says, and one of fifteen by as much: checked on thousands of directions.
    #[test]
    fn the_deepest_place_is_the_smallest_overlap_of_all_directions() {
        let mut stream = Stream::named(9, "box-box");
        let (mut touching, mut edges) = (0, 0);
        for _ in 0..400 {
            let mut form = || {
                let mut one = || stream.between(0.1, 0.6);
                Form::Box { half: DVec3::new(one(), one(), one()) }
            };
            let forms = [form(), form()];
            let [a, b] = forms.map(|form| any_pose(&mut stream, form));
            let touches = found(&a, &b, 0.0);
            let Some(deepest) = touches.iter().map(|touch| touch.gap).min_by(f64::total_cmp) else { continue };
            touching += 1;
            edges += u32::from(touches[0].part == [Part::Edge; 2]);
            let halves = forms.map(|form| if let Form::Box { half } = form { half } else { DVec3::ZERO });
            let (p, q) = (Brick::new(halves[0], &a), Brick::new(halves[1], &b));
            let separation = |n: DVec3| n.dot(p.at - q.at) - p.reach(n) - q.reach(n);
            let normal = touches[0].normal;
            // What the edge's margin lets pass, and rounding.
            assert!(deepest >= separation(normal) - 1e-12, "{deepest} {}", separation(normal));
            // Faces at random do not look at each other, so that the margins of rounding and edges are all there is.
            for _ in 0..500 {
                let n = any_direction(&mut stream);
                assert!(separation(n) <= separation(normal) + 1.1 * EDGES * 0.6, "{n}");
            }
        }
        assert!(touching > 50 && edges > 5, "{touching} {edges}");
    }
}

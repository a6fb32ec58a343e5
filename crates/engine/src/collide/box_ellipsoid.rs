//! A box and an ellipsoid. As for two ellipsoids, the gap along a unit vector o from the box to the ellipsoid is
//!
//!   g(o) = d . o - h_box(o) - h(o),   h_box(o) = sum half_i |o_i|,   h(o) = sqrt(o . Q o),
//!
//! in the frame of the box, and its greatest value is the distance, or minus the depth. h_box is smooth within the cone of each
//! face, edge and corner, and there the best o is known: the normal of the face; the normal of the ellipse, which the
//! ellipsoid is along the edge, at its point nearest to the edge; the normal of the ellipsoid at its point nearest to the
//! corner. So the best of these 6 + 12 + 8 is the best of all. An ellipsoid is round: one contact does.

use glam::{DMat3, DVec2, DVec3};

use crate::collide::ellipsoid_sphere::nearest_point;
use crate::collide::solid::{Meeting, Posed, curvature_of_ellipsoid};
use crate::contact::Curvature;
use crate::shape::Part;

/// The ellipsoid in the frame of the box.
struct Seen {
    half: DVec3,
    axes: DVec3,
    centre: DVec3,
    box_from_ellipsoid: DMat3,
    quadric: DMat3,
}

impl Seen {
    fn gap(&self, o: DVec3) -> f64 {
        self.centre.dot(o) - self.half.dot(o.abs()) - o.dot(self.quadric * o).sqrt()
    }

    /// Out of the box, by the edge along axis `k` at the corner with these signs.
    fn over_edge(&self, k: usize, corner: DVec3) -> DVec3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let q = |row: usize, column: usize| self.quadric.col(column)[row];
        let (mean, half) = (0.5 * (q(i, i) + q(j, j)), 0.5 * (q(i, i) - q(j, j)));
        let apart = (half * half + q(i, j) * q(i, j)).sqrt();
        // The ellipse's long axis; of the two ways to write it, the one that does not cancel.
        let long = if half >= 0.0 { DVec2::new(half + apart, q(i, j)) } else { DVec2::new(q(i, j), apart - half) };
        let long = long.try_normalize().unwrap_or(DVec2::X);
        let from = DVec2::new(corner[i] - self.centre[i], corner[j] - self.centre[j]);
        // The third axis has no part in it.
        let (a, b) = ((mean + apart).sqrt(), (mean - apart).max(0.0).sqrt());
        let axes = DVec3::new(a, b, a);
        let nearest = nearest_point(axes, DVec3::new(from.dot(long), from.dot(long.perp()), 0.0));
        let inward = nearest / (axes * axes);
        let flat = (long * inward.x + long.perp() * inward.y).normalize();
        let mut o = DVec3::ZERO;
        (o[i], o[j]) = (-flat.x, -flat.y);
        o
    }

    /// Out of the box, by a corner.
    fn over_corner(&self, corner: DVec3) -> DVec3 {
        let nearest = nearest_point(self.axes, self.box_from_ellipsoid.transpose() * (corner - self.centre));
        -(self.box_from_ellipsoid * (nearest / (self.axes * self.axes)).normalize())
    }

    /// The direction of the greatest gap.
    fn best(&self) -> DVec3 {
        let (mut best, mut widest) = (DVec3::X, f64::NEG_INFINITY);
        let mut look = |o: DVec3| {
            let gap = self.gap(o);
            if gap > widest {
                (best, widest) = (o, gap);
            }
        };
        for k in 0..3 {
            look(DVec3::AXES[k]);
            look(-DVec3::AXES[k]);
        }
        for number in 0..8_u32 {
            let sign = |bit: u32| if number >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = self.half * DVec3::new(sign(0), sign(1), sign(2));
            look(self.over_corner(corner));
            // Each edge once: from its lower end.
            (0..3).filter(|k| number >> k & 1 == 0).for_each(|k| look(self.over_edge(k, corner)));
        }
        best
    }
}

/// The box is a, the ellipsoid is b.
pub fn meet(half: DVec3, a: &Posed, axes: DVec3, b: &Posed) -> Meeting {
    let box_from_ellipsoid = a.world_from_body.transpose() * b.world_from_body;
    let quadric = box_from_ellipsoid * DMat3::from_diagonal(axes * axes) * box_from_ellipsoid.transpose();
    let seen = Seen { half, axes, centre: a.in_body(b.position - a.position), box_from_ellipsoid, quadric };
    let o = seen.best();
    let overlap = -seen.gap(o);
    let reach = quadric * o / o.dot(quadric * o).sqrt();
    let normal = -(a.world_from_body * o);
    let at_ellipsoid = -(a.world_from_body * reach);
    let point = b.position + at_ellipsoid - normal * (0.5 * overlap);
    let curvature = curvature_of_ellipsoid(axes, b.in_body(at_ellipsoid), b.world_from_body);
    let part = [Part::of_box(o.to_array().iter().filter(|x| **x != 0.0).count()), Part::Face];
    Meeting { part, ..Meeting::smooth(point, normal, overlap, Curvature::round(0.0), curvature) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use crate::collide::testing::{any_direction, any_pose, greatest};
    use crate::random::Stream;

    #[test]
    fn the_normal_is_that_of_a_search_over_all_directions() {
        let mut stream = Stream::named(41, "box-ellipsoid");
        let mut kinds = [0; 3];
        for round in 0..150 {
            let half = DVec3::new(0.5, stream.between(0.1, 0.5), stream.between(0.1, 0.5));
            let axes = DVec3::new(0.5, stream.between(0.1, 0.5), stream.between(0.1, 0.5));
            let a = any_pose(&mut stream, Form::Box { half });
            let mut b = any_pose(&mut stream, Form::Ellipsoid { axes });
            // Brought together along some direction until they overlap a little, or nearly.
            let way = any_direction(&mut stream);
            let reach = |n: DVec3| half.dot(a.in_body(n).abs()) + (axes * b.in_body(n)).length();
            let gap = |d: DVec3| greatest(|n| d.dot(n) - reach(n), 400, 1e-4, &mut Stream::named(round, "way")).0;
            let (mut near, mut far) = (0.0, 3.0);
            for _ in 0..30 {
                let middle = 0.5 * (near + far);
                if gap(way * middle) < 0.0 { near = middle } else { far = middle }
            }
            let distance = near + [-0.005, 1e-4, 0.02][round as usize % 3];
            let (searched, _) = greatest(|n| (way * distance).dot(n) - reach(n), 4000, 1e-11, &mut stream);
            b.position = a.position + way * distance;
            let found = meet(half, &a, axes, &b);
            // No direction is better. The search itself gets stuck on creases of g, so it is only a bound; that the answer is
            // the best follows from its two points: where the ellipsoid reaches farthest into the box, and a point of the box
            // on the same normal, which must be one of its own that reach farthest.
            assert!(found.overlap <= -searched + 1e-13, "{round}: {} {searched}", found.overlap);
            let o = -a.in_body(found.normal);
            let on_box = a.in_body(found.point - a.position) - o * (0.5 * found.overlap) + o * found.overlap;
            // Roundings of numbers of order one, over radii of curvature of 0.1^2/0.5 = 0.02.
            assert!((on_box.dot(o) - half.dot(o.abs())).abs() < 1e-13, "{round}");
            assert!((on_box.abs() - half).max_element() < 1e-12, "{round}: {on_box} {half}");
            let n = found.normal;
            let feature = a.in_body(n).abs().to_array().iter().filter(|x| **x > 1e-4).count();
            kinds[feature - 1] += 1;
        }
        assert!(kinds.iter().all(|count| *count > 10), "faces, edges and corners: {kinds:?}");
    }
}

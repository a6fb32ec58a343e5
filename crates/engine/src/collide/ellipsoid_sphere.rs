//! An ellipsoid and a sphere: the point of the ellipsoid nearest to the sphere's centre y.
//!
//! In the ellipsoid's frame it is x_i = a_i^2 y_i/(t + a_i^2), with t the largest root of
//!
//!   F(t) = sum (a_i y_i/(t + a_i^2))^2 - 1,
//!
//! which falls and is convex right of -(least a)^2: Newton's rule from a point where F >= 0 rises to the root and never
//! passes it; where rounding does not let it, the bracket is halved (D. Eberly, Distance from a Point to an Ellipsoid, 2013).
//! t is zero on the surface, negative inside. Deep inside, where y has no part along the shortest axis, there may be no
//! such root; then the nearest points are two, and the one with the positive coordinate is taken.

use glam::DVec3;

use crate::collide::solid::{Meeting, Posed, curvature_of_ellipsoid};
use crate::contact::Curvature;

/// Rounds: Newton needs some ten, and halving a bracket of doubles at most 60 or so more.
const ROUNDS: usize = 80;

/// The ellipsoid is a, the sphere is b.
pub fn meet(axes: DVec3, at: &Posed, centre: DVec3, radius: f64) -> Meeting {
    let y = at.in_body(centre - at.position);
    let nearest = nearest_point(axes, y);
    let outward = (nearest / (axes * axes)).normalize();
    let overlap = radius - (y - nearest).dot(outward);
    let normal = at.world_from_body * outward;
    let point = at.position + at.world_from_body * nearest - normal * (0.5 * overlap);
    let curvature = curvature_of_ellipsoid(axes, nearest, at.world_from_body);
    Meeting::smooth(point, -normal, overlap, curvature, Curvature::round(1.0 / radius))
}

/// The point of an ellipsoid around the origin that is nearest to y.
pub fn nearest_point(axes: DVec3, y: DVec3) -> DVec3 {
    // In units of the longest axis: numbers of order one.
    let scale = axes.max_element();
    let (a, z) = (axes / scale, y / scale);
    let (squares, weights) = (a * a, (a * z).abs());
    let least = squares.min_element();
    let value = |t: f64| {
        let terms = weights / (squares + t);
        (terms.length_squared() - 1.0, -2.0 * (terms * terms / (squares + t)).element_sum())
    };
    // Each term by itself is one at weight - square; all together are below one at |weights| - least.
    let (mut low, mut high) = ((weights - squares).max_element().max(-least), weights.length() - least);
    // Where y has no part along the shortest axis, that term is no number there.
    let start = value(low).0;
    if low == -least && (start.is_nan() || start <= 0.0) {
        return at_the_pole(a, z, least) * scale;
    }
    let mut t = low;
    for _ in 0..ROUNDS {
        let (f, slope) = value(t);
        if f > 0.0 {
            low = t
        } else {
            high = t
        }
        let newton = t - f / slope;
        // A step that leaves the bracket, or is not a number, is none.
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if f == 0.0 || (next - t).abs() <= 1e-17 || next == t {
            break;
        }
        t = next;
    }
    let nearest = squares * z / (squares + t);
    if nearest.is_finite() { nearest * scale } else { at_the_pole(a, z, least) * scale }
}

/// The nearest point where t = -(least a)^2: the coordinates along longer axes follow, that along the shortest one closes the
/// equation of the surface.
fn at_the_pole(a: DVec3, z: DVec3, least: f64) -> DVec3 {
    let squares = a * a;
    let (mut point, mut rest, mut shortest) = (DVec3::ZERO, 1.0, None);
    for k in 0..3 {
        if squares[k] > least {
            point[k] = squares[k] * z[k] / (squares[k] - least);
            rest -= point[k] * point[k] / squares[k];
        } else {
            shortest.get_or_insert(k);
        }
    }
    if let Some(k) = shortest {
        point[k] = a[k] * rest.max(0.0).sqrt();
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use crate::collide::testing::{any_direction, any_pose};
    use crate::random::Stream;

    /// Compass search over the surface, which knows nothing of the equation above.
    fn by_search(axes: DVec3, y: DVec3, stream: &mut Stream) -> f64 {
        let distance = |u: DVec3| (axes * u - y).length();
        let mut best = DVec3::X;
        for _ in 0..2000 {
            let u = any_direction(stream);
            if distance(u) < distance(best) {
                best = u;
            }
        }
        let mut width = 0.1;
        while width > 1e-10 {
            let (e, f) = best.any_orthonormal_pair();
            let around = [e, -e, f, -f].map(|v| (best + v * width).normalize());
            let next = around.into_iter().fold(best, |b, u| if distance(u) < distance(b) { u } else { b });
            if next == best {
                width *= 0.5;
            }
            best = next;
        }
        distance(best)
    }

    #[test]
    fn the_nearest_point_is_that_of_a_search_over_the_surface() {
        let mut stream = Stream::named(11, "ellipsoid-sphere");
        for round in 0..120 {
            let axes = DVec3::new(stream.between(0.2, 1.0), stream.between(0.2, 1.0), 1.0);
            // Outside, near the surface, inside; in a plane of symmetry now and then.
            let mut y = axes * any_direction(&mut stream) * stream.between(0.85, 1.6);
            if round % 5 == 0 {
                y[round % 3] = 0.0;
            }
            let x = nearest_point(axes, y);
            assert!(((x / axes).length() - 1.0).abs() < 1e-13, "{x} is not on the surface");
            let searched = by_search(axes, y, &mut stream);
            // The search knows the distance to the square of its width; directions of order one.
            assert!(((x - y).length() - searched).abs() < 1e-12, "{axes} {y}: {} {searched}", (x - y).length());
        }
    }

    #[test]
    fn special_places_have_their_answers() {
        let axes = DVec3::new(0.5, 0.2, 0.1);
        let at = |y: DVec3| nearest_point(axes, y);
        assert_eq!(at(DVec3::X * 2.0), DVec3::X * 0.5);
        assert!((at(DVec3::Z * -0.12) + DVec3::Z * 0.1).length() < 1e-16);
        // From the centre the shortest axis is the way out.
        assert!((at(DVec3::ZERO) - DVec3::Z * 0.1).length() < 1e-15);
        // Inside on the long axis, beyond the centre of curvature of the side: x = a^2 y/(a^2 - c^2).
        let inside = at(DVec3::X * 0.3);
        assert!((inside.x - 0.25 * 0.3 / 0.24).abs() < 1e-15 && inside.z > 0.0);
        // A sphere in disguise.
        let ball = nearest_point(DVec3::splat(0.3), DVec3::new(0.1, 0.2, 0.2));
        assert!((ball - DVec3::new(0.1, 0.2, 0.2)).length() < 1e-15, "{ball}");
        // Far away, and nearly on the surface.
        assert!((at(DVec3::new(1e9, 0.0, 0.0)) - DVec3::X * 0.5).length() < 1e-9);
        let on = axes * DVec3::new(0.6, 0.0, 0.8);
        assert!((at(on) - on).length() < 1e-15);
    }

    #[test]
    fn the_contact_point_is_midway_and_the_normal_points_to_the_ellipsoid() {
        let mut stream = Stream::named(12, "ellipsoid-sphere");
        for _ in 0..50 {
            let axes = DVec3::new(0.3, 0.5, 0.2);
            let at = any_pose(&mut stream, Form::Ellipsoid { axes });
            let (radius, u) = (0.25, any_direction(&mut stream));
            let surface = axes * u;
            let out = (surface / (axes * axes)).normalize();
            let overlap = stream.between(-0.01, 0.01);
            let centre = at.position + at.world_from_body * (surface + out * (radius - overlap));
            let found = meet(axes, &at, centre, radius);
            // The radius of curvature is at least 0.2^2/0.5 = 0.08, so errors grow by at most 0.26/0.08 on the way.
            assert!((found.overlap - overlap).abs() < 1e-14);
            assert!((found.normal + at.world_from_body * out).length() < 1e-13);
            let midway = at.position + at.world_from_body * (surface - out * (0.5 * overlap));
            assert!((found.point - midway).length() < 1e-13);
            assert_eq!(found.curvature_b.most, 4.0);
        }
    }
}

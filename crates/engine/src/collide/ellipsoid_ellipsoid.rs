//! Two ellipsoids: the common normal. Along a unit vector n from b to a the gap between the two is
//!
//!   g(n) = d . n - h_a(n) - h_b(n),   d = x_a - x_b,   h(n) = sqrt(n . Q n),   Q = R A^2 R^T.
//!
//! Its greatest value over all n is the distance, or minus the depth by which one must be moved for the two to part; there
//! the points p_a = x_a - Q_a n/h_a and p_b = x_b + Q_b n/h_b lie on one line along n, at right angles to both surfaces.
//!
//! Found by Newton's rule on the sphere of directions, with -Hessian H_a + H_b + g on the tangent plane, H = Q/h - Qn (Qn)^T/h^3
//! (radii of curvature); a step that would lower g is halved. It starts from the normal of Perram and Wertheim (J. Comput.
//! Phys. 58, 409, 1985): n ~ M^-1 d, M = (1 - l) Q_a + l Q_b, l the one root in (0, 1) of (1 - l) |n|_a - l |n|_b, found
//! with a bracket. It is the common normal where the two just touch, so that the start is good where it matters, and only
//! there one maximum of g may be mistaken for another: deep overlaps are not for this file. The same numbers in any frame.

use glam::{DMat3, DVec3};

use crate::collide::solid::{Meeting, Posed, curvature_of_ellipsoid};

/// Rounds of Newton's rule; three or four do for shallow overlaps.
const ROUNDS: usize = 40;
/// Rounds for the start, each of which at least halves the bracket every second time.
const START_ROUNDS: usize = 100;

/// One ellipsoid: Q of the header.
struct Quadric(DMat3);

impl Quadric {
    fn new(axes: DVec3, at: &Posed) -> Self {
        Quadric(at.world_from_body * DMat3::from_diagonal(axes * axes) * at.world_from_body.transpose())
    }

    /// h(n), and Q n/h: how far the surface reaches along n, and where.
    fn support(&self, n: DVec3) -> (f64, DVec3) {
        let q = self.0 * n;
        let h = n.dot(q).sqrt();
        (h, q / h)
    }
}

/// The pair and the vector from b to a.
struct Pair {
    a: Quadric,
    b: Quadric,
    between: DVec3,
}

impl Pair {
    /// The gap along n, and from p_b to p_a.
    fn gap(&self, n: DVec3) -> (f64, DVec3) {
        let apart = self.between - self.a.support(n).1 - self.b.support(n).1;
        (apart.dot(n), apart)
    }

    /// The normal of Perram and Wertheim.
    fn start(&self) -> DVec3 {
        let solve = |share: f64| {
            let v = (self.a.0 * (1.0 - share) + self.b.0 * share).inverse() * self.between;
            let (a, b) = (v.dot(self.a.0 * v).sqrt(), v.dot(self.b.0 * v).sqrt());
            ((1.0 - share) * a - share * b, v)
        };
        let (mut low, mut high) = (0.0, 1.0);
        let (mut f_low, mut f_high) = (solve(low).0, solve(high).0);
        let mut share = 0.5;
        let mut v = solve(share).1;
        for _ in 0..START_ROUNDS {
            let (f, found) = solve(share);
            v = found;
            // The false position, with the value at an end that stays halved (Illinois).
            if f > 0.0 {
                (low, f_low, f_high) = (share, f, 0.5 * f_high);
            } else {
                (high, f_high, f_low) = (share, f, 0.5 * f_low);
            }
            let next = low + (high - low) * (f_low / (f_low - f_high));
            if f == 0.0 || high - low < 1e-12 || (next - share).abs() < 1e-13 {
                break;
            }
            share = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        v.try_normalize().unwrap_or(DVec3::Z)
    }

    /// The direction of the greatest gap near the start.
    fn common_normal(&self) -> DVec3 {
        let mut n = self.start();
        for _ in 0..ROUNDS {
            let (gap, apart) = self.gap(n);
            let (u, w) = n.any_orthonormal_pair();
            let uphill = [apart.dot(u), apart.dot(w)];
            let step = self.newton_step(n, gap, u, w, uphill);
            let length = step.length();
            if length < 1e-16 {
                break;
            }
            // Half a radian is as far as the quadratic picture of g may be trusted.
            let step = step * (0.5 / length.max(0.5));
            let (mut share, rounding) = (1.0, 4.0 * f64::EPSILON * self.between.length());
            let mut next = (n + step).normalize();
            while self.gap(next).0 < gap - rounding && share > 1e-6 {
                share *= 0.5;
                next = (n + step * share).normalize();
            }
            let turned = (next - n).length();
            n = next;
            if turned < 1e-15 {
                break;
            }
        }
        n
    }

    /// The tangent step to where the gap is greatest, by its second derivatives; up the slope where these do not say.
    fn newton_step(&self, n: DVec3, gap: f64, u: DVec3, w: DVec3, uphill: [f64; 2]) -> DVec3 {
        let ((h_a, at_a), (h_b, at_b)) = (self.a.support(n), self.b.support(n));
        let bend = |x: DVec3, y: DVec3| {
            (x.dot(self.a.0 * y) - x.dot(at_a) * y.dot(at_a)) / h_a
                + (x.dot(self.b.0 * y) - x.dot(at_b) * y.dot(at_b)) / h_b
        };
        let (mut uu, uw, mut ww) = (bend(u, u) + gap, bend(u, w), bend(w, w) + gap);
        let (mean, half) = (0.5 * (uu + ww), 0.5 * (uu - ww));
        let least = mean - (half * half + uw * uw).sqrt();
        // Deep overlaps can turn the maximum into a saddle: then lift the curvature above zero.
        let floor = 1e-3 * (h_a + h_b);
        if least < floor && gap < 0.0 {
            uu += floor - least;
            ww += floor - least;
        }
        let determinant = uu * ww - uw * uw;
        u * ((ww * uphill[0] - uw * uphill[1]) / determinant) + w * ((uu * uphill[1] - uw * uphill[0]) / determinant)
    }
}

/// The two.
pub fn meet(axes_a: DVec3, a: &Posed, axes_b: DVec3, b: &Posed) -> Meeting {
    let pair = Pair { a: Quadric::new(axes_a, a), b: Quadric::new(axes_b, b), between: a.position - b.position };
    let normal = pair.common_normal();
    let (at_a, at_b) = (-pair.a.support(normal).1, pair.b.support(normal).1);
    let overlap = -pair.gap(normal).0;
    let point = b.position + (pair.between + at_a + at_b) * 0.5;
    let curvature_a = curvature_of_ellipsoid(axes_a, a.in_body(at_a), a.world_from_body);
    let curvature_b = curvature_of_ellipsoid(axes_b, b.in_body(at_b), b.world_from_body);
    Meeting::smooth(point, normal, overlap, curvature_a, curvature_b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use crate::collide::testing::{any_direction, any_pose, greatest};
    use crate::random::Stream;

    fn any_axes(stream: &mut Stream) -> DVec3 {
        // Up to 5:1.
        DVec3::new(stream.between(0.2, 1.0), stream.between(0.2, 1.0), 1.0)
    }

    /// How far an ellipsoid reaches along n, by its own axes.
    fn reach(axes: DVec3, at: &Posed, n: DVec3) -> f64 {
        (axes * at.in_body(n)).length()
    }

    /// Two ellipsoids so placed that they overlap by this much along some common normal.
    fn placed(stream: &mut Stream, overlap: f64) -> (DVec3, Posed, DVec3, Posed) {
        let (axes_a, axes_b) = (any_axes(stream), any_axes(stream));
        let mut a = any_pose(stream, Form::Ellipsoid { axes: axes_a });
        let b = any_pose(stream, Form::Ellipsoid { axes: axes_b });
        let n = any_direction(stream);
        let point = |axes: DVec3, at: &Posed, n: DVec3| {
            let s = axes * at.in_body(n);
            at.world_from_body * (axes * s / s.length())
        };
        a.position = b.position + point(axes_b, &b, n) + point(axes_a, &a, n) - n * overlap;
        (axes_a, a, axes_b, b)
    }

    #[test]
    fn the_common_normal_is_that_of_a_search_over_all_directions() {
        let mut stream = Stream::named(21, "ellipsoids");
        for round in 0..120 {
            // Apart, nearly touching, overlapping. The least radius of curvature is 0.2^2/1 = 0.04.
            let overlap = [0.01, 1e-3, 1e-6, 0.0, -1e-6, -1e-2, -0.3][round % 7];
            let (axes_a, a, axes_b, b) = placed(&mut stream, overlap);
            let found = meet(axes_a, &a, axes_b, &b);
            // As it was placed. Second derivatives are at least 0.04 + 0.04 - 0.01, lengths of order one, so errors of
            // rounding (1e-16) grow by some 30.
            if overlap <= 1e-3 {
                assert!((found.overlap - overlap).abs() < 1e-13, "{round}: {} {overlap}", found.overlap);
            }
            let gap = |n: DVec3| (a.position - b.position).dot(n) - reach(axes_a, &a, n) - reach(axes_b, &b, n);
            let (searched, n) = greatest(gap, 4000, 1e-10, &mut stream);
            // The search finds the value to the square of its width, and the direction to its width and the root of rounding.
            assert!((found.overlap + searched).abs() < 1e-13, "{round}: {} {searched}", found.overlap);
            assert!((found.normal - n).length() < 1e-6, "{round}: {} {n}", found.normal);
        }
    }

    #[test]
    fn both_surfaces_are_at_right_angles_to_the_line_of_their_points() {
        let mut stream = Stream::named(22, "ellipsoids");
        for _ in 0..300 {
            let overlap = stream.between(-0.02, 0.01);
            let (axes_a, a, axes_b, b) = placed(&mut stream, overlap);
            let found = meet(axes_a, &a, axes_b, &b);
            let (p_a, p_b) = (
                found.point - found.normal * (0.5 * found.overlap),
                found.point + found.normal * (0.5 * found.overlap),
            );
            for (axes, at, p, sign) in [(axes_a, &a, p_a, -1.0), (axes_b, &b, p_b, 1.0)] {
                let s = at.in_body(p - at.position);
                let out = at.world_from_body * (s / (axes * axes)).normalize();
                // Directions are known to rounding over the least curvature radius, 1e-16/0.07, points likewise times a slope of
                // the normal of at most 1/0.04.
                assert!(((s / axes).length() - 1.0).abs() < 1e-12);
                assert!((out - found.normal * sign).length() < 1e-12, "{}", (out - found.normal * sign).length());
            }
            let other = meet(axes_b, &b, axes_a, &a);
            assert!((other.normal + found.normal).length() < 1e-12);
            assert!((other.overlap - found.overlap).abs() < 1e-14);
        }
    }

    #[test]
    fn spheres_in_disguise_and_concentric_pairs() {
        let ball = |x: f64| Posed {
            form: Form::Sphere { radius: 1.0 },
            position: DVec3::X * x,
            world_from_body: DMat3::IDENTITY,
        };
        let (two, three) = (DVec3::splat(2.0), DVec3::splat(3.0));
        let found = meet(two, &ball(4.5), three, &ball(0.0));
        assert!((found.normal - DVec3::X).length() < 1e-15 && (found.overlap - 0.5).abs() < 1e-15);
        assert!((found.point.x - 2.75).abs() < 1e-15 && (found.radius_eff - 1.2).abs() < 1e-14);
        let inside = meet(two, &ball(0.0), three, &ball(0.0));
        assert!(inside.normal.is_finite() && inside.overlap > 2.0);
    }
}

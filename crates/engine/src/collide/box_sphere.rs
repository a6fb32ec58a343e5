//! A box and a sphere: the point of the box nearest to the sphere's centre, which lies on a face, an edge or a corner. The box
//! counts as flat in R_eff wherever that is, as the rims of walls do.
//!
//! A centre inside of the box is pushed out by the face that is nearest; the guard against deep overlaps stops a run long
//! before.

use glam::DVec3;

use crate::collide::solid::{Meeting, Posed};
use crate::contact::Curvature;
use crate::shape::Part;

/// The box is a, the sphere is b.
pub fn meet(half: DVec3, at: &Posed, centre: DVec3, radius: f64) -> Meeting {
    let y = at.in_body(centre - at.position);
    let nearest = y.clamp(-half, half);
    let (outward, distance, surface) = match (y - nearest).try_normalize() {
        Some(outward) => (outward, (y - nearest).length(), nearest),
        None => by_nearest_face(half, y),
    };
    let (overlap, normal) = (radius - distance, at.world_from_body * outward);
    let point = at.position + at.world_from_body * surface - normal * (0.5 * overlap);
    let (flat, round) = (Curvature::round(0.0), Curvature::round(1.0 / radius));
    let part = [Part::of_box((0..3).filter(|&k| nearest[k] != y[k]).count()), Part::Face];
    Meeting { point, normal: -normal, overlap, curvature_a: flat, curvature_b: round, radius_eff: radius, part }
}

/// For a centre inside: the way out, minus the depth, and the point of the face.
fn by_nearest_face(half: DVec3, y: DVec3) -> (DVec3, f64, DVec3) {
    let depth = half - y.abs();
    let face = (0..3).fold(0, |least, k| if depth[k] < depth[least] { k } else { least });
    let mut outward = DVec3::ZERO;
    outward[face] = if y[face] < 0.0 { -1.0 } else { 1.0 };
    (outward, -depth[face], y + outward * depth[face])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use crate::collide::testing::{any_direction, any_pose};
    use crate::random::Stream;

    #[test]
    fn faces_edges_and_corners_have_their_numbers() {
        let half = DVec3::new(0.3, 0.2, 0.1);
        let at = Posed { form: Form::Box { half }, position: DVec3::ONE, world_from_body: glam::DMat3::IDENTITY };
        let meet = |y: DVec3| meet(half, &at, DVec3::ONE + y, 0.05);
        let close = |found: Meeting, normal: DVec3, overlap: f64, point: DVec3| {
            let error = (found.normal - normal).length()
                + (found.overlap - overlap).abs()
                + (found.point - DVec3::ONE - point).length();
            assert!(error < 1e-14, "{found:?}");
        };
        close(meet(DVec3::new(0.1, 0.1, 0.149)), -DVec3::Z, 0.001, DVec3::new(0.1, 0.1, 0.0995));
        // Over the edge by (3, 4) parts of five.
        let edge = DVec3::new(0.0, 0.6, 0.8);
        close(meet(DVec3::new(0.0, 0.2, 0.1) + edge * 0.048), -edge, 0.002, DVec3::new(0.0, 0.2, 0.1) - edge * 0.001);
        let tip = DVec3::new(-2.0, 1.0, 2.0) / 3.0;
        close(meet(half * DVec3::new(-1.0, 1.0, 1.0) + tip * 0.05), -tip, 0.0, half * DVec3::new(-1.0, 1.0, 1.0));
        // Inside: out by the nearest face.
        close(meet(DVec3::new(0.1, 0.1, -0.09)), DVec3::Z, 0.06, DVec3::new(0.1, 0.1, -0.07));
    }

    #[test]
    fn no_point_of_the_box_is_nearer() {
        let mut stream = Stream::named(31, "box-sphere");
        for _ in 0..100 {
            let half = DVec3::new(0.5, stream.between(0.1, 0.5), stream.between(0.1, 0.5));
            let at = any_pose(&mut stream, Form::Box { half });
            let centre = at.position + any_direction(&mut stream) * stream.between(0.9, 1.2);
            let found = meet(half, &at, centre, 0.3);
            let nearest = found.point - found.normal * (0.5 * found.overlap);
            assert!(((nearest - centre).length() - (0.3 - found.overlap)).abs() < 1e-14);
            for _ in 0..300 {
                let share = |s: &mut Stream| s.between(-1.0, 1.0);
                let p = half * DVec3::new(share(&mut stream), share(&mut stream), share(&mut stream));
                let p = at.position + at.world_from_body * p;
                assert!((p - centre).length() >= 0.3 - found.overlap - 1e-14);
            }
        }
    }
}

//! A cylinder and a sphere: the point of the cylinder nearest to the sphere's centre, which lies on its side, on a cap or on a rim. The
//! cylinder counts as flat in R_eff, as boxes and walls do. A centre inside is pushed out by the side or the cap, whichever is nearer.

use glam::DVec3;

use crate::collide::solid::{Meeting, Posed};
use crate::contact::Curvature;
use crate::shape::Part;

/// The cylinder, along the z of its frame, is a, the sphere is b.
pub fn meet([side, half]: [f64; 2], at: &Posed, centre: DVec3, radius: f64) -> Meeting {
    let y = at.in_body(centre - at.position);
    let from_axis = (y.x * y.x + y.y * y.y).sqrt();
    let radial = if from_axis > 0.0 { DVec3::new(y.x, y.y, 0.0) / from_axis } else { DVec3::X };
    let (beyond_side, beyond_cap) = (from_axis > side, y.z.abs() > half);
    let cap = DVec3::Z * if y.z < 0.0 { -1.0 } else { 1.0 };
    let nearest = radial * from_axis.min(side) + DVec3::Z * y.z.clamp(-half, half);
    let (outward, distance, surface) = match (beyond_side, beyond_cap) {
        (false, false) => {
            let (to_side, to_cap) = (side - from_axis, half - y.z.abs());
            if to_side <= to_cap { (radial, -to_side, y + radial * to_side) } else { (cap, -to_cap, y + cap * to_cap) }
        }
        _ => {
            let out = y - nearest;
            let distance = out.length();
            (out / distance, distance, nearest)
        }
    };
    let (overlap, normal) = (radius - distance, at.world_from_body * outward);
    let point = at.position + at.world_from_body * surface - normal * (0.5 * overlap);
    let on_side = !beyond_cap && (beyond_side || outward.z == 0.0);
    let of_side = Curvature { most: 1.0 / side, least: 0.0, along: at.world_from_body * DVec3::Z.cross(radial) };
    Meeting {
        point,
        normal: -normal,
        overlap,
        curvature_a: if on_side { of_side } else { Curvature::round(0.0) },
        curvature_b: Curvature::round(1.0 / radius),
        radius_eff: radius,
        part: [if beyond_side && beyond_cap { Part::Edge } else { Part::Face }, Part::Face],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use crate::collide::testing::{any_direction, any_pose};
    use crate::random::Stream;

    #[test]
    fn no_point_of_the_cylinder_is_nearer() {
        let mut stream = Stream::named(31, "cylinder-sphere");
        for _ in 0..100 {
            let (side, half) = (stream.between(0.1, 0.5), stream.between(0.1, 0.5));
            let at = any_pose(&mut stream, Form::Cylinder { radius: side, half });
            let centre = at.position + any_direction(&mut stream) * stream.between(0.9, 1.2);
            let found = meet([side, half], &at, centre, 0.3);
            let nearest = found.point - found.normal * (0.5 * found.overlap);
            assert!(((nearest - centre).length() - (0.3 - found.overlap)).abs() < 1e-14);
            for _ in 0..300 {
                let out = any_direction(&mut stream);
                let ring = DVec3::new(out.x, out.y, 0.0).normalize_or_zero() * (side * stream.between(0.0, 1.0));
                let p = at.position + at.world_from_body * (ring + DVec3::Z * (half * stream.between(-1.0, 1.0)));
                assert!((p - centre).length() >= 0.3 - found.overlap - 1e-14);
            }
        }
    }

    #[test]
    fn a_centre_inside_leaves_by_the_nearer_of_side_and_cap() {
        let at = Posed {
            form: Form::Cylinder { radius: 0.5, half: 0.4 },
            position: DVec3::ONE,
            world_from_body: glam::DMat3::IDENTITY,
        };
        let out = |y: DVec3| meet([0.5, 0.4], &at, DVec3::ONE + y, 0.1);
        let side = out(DVec3::new(0.45, 0.0, 0.0));
        assert!((side.normal + DVec3::X).length() < 1e-15 && (side.overlap - 0.15).abs() < 1e-15, "{side:?}");
        let cap = out(DVec3::new(0.1, 0.0, -0.38));
        assert!((cap.normal - DVec3::Z).length() < 1e-15 && (cap.overlap - 0.12).abs() < 1e-15, "{cap:?}");
    }
}

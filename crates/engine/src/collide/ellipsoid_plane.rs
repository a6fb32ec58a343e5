//! An ellipsoid on a plane, in closed form. With the normal u in the ellipsoid's frame and its semi-axes A, the point nearest
//! to the solid side is -A^2 u/|A u|, at the depth |A u| below the centre (the support function).

use glam::DVec3;

use crate::collide::solid::{Meeting, Posed, curvature_of_ellipsoid};
use crate::contact::Curvature;

/// The ellipsoid is a, the plane through `through` is b.
pub fn meet(axes: DVec3, at: &Posed, normal: DVec3, through: DVec3) -> Meeting {
    let stretched = axes * at.in_body(normal);
    let reach = stretched.length();
    let lowest = -(axes * stretched) / reach;
    let overlap = reach - (at.position - through).dot(normal);
    let point = at.position + at.world_from_body * lowest + normal * (0.5 * overlap);
    let curvature = curvature_of_ellipsoid(axes, lowest, at.world_from_body);
    Meeting::smooth(point, normal, overlap, curvature, Curvature::round(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use crate::collide::testing::{any_direction, any_pose};
    use crate::random::Stream;

    #[test]
    fn no_point_of_the_surface_is_lower() {
        let mut stream = Stream::named(7, "ellipsoid-plane");
        for _ in 0..100 {
            let axes = DVec3::new(stream.between(0.2, 1.0), stream.between(0.2, 1.0), stream.between(0.2, 1.0));
            let at = any_pose(&mut stream, Form::Ellipsoid { axes });
            let (normal, through) = (any_direction(&mut stream), any_direction(&mut stream));
            let found = meet(axes, &at, normal, through);
            let height = |p: DVec3| (p - through).dot(normal);
            // The contact point is half the overlap above the lowest point, which lies on the surface.
            let lowest = found.point - normal * (0.5 * found.overlap);
            assert!((height(lowest) + found.overlap).abs() < 1e-14);
            assert!(((at.in_body(lowest - at.position) / axes).length() - 1.0).abs() < 1e-14);
            for _ in 0..200 {
                let p = at.position + at.world_from_body * (axes * any_direction(&mut stream));
                assert!(height(p) >= height(lowest) - 1e-14);
            }
        }
    }

    #[test]
    fn on_its_end_and_on_its_side_it_has_the_numbers_of_the_textbook() {
        let axes = DVec3::new(0.5, 0.2, 0.1);
        let at =
            |turn| Posed { form: Form::Ellipsoid { axes }, position: DVec3::new(1.0, 2.0, 0.3), world_from_body: turn };
        let flat = meet(axes, &at(glam::DMat3::IDENTITY), DVec3::Z, DVec3::ZERO);
        assert!((flat.overlap + 0.2).abs() < 1e-15);
        assert!((flat.point - DVec3::new(1.0, 2.0, 0.1)).length() < 1e-15);
        // R_eff = 2/(c/a^2 + c/b^2).
        assert!((flat.radius_eff - 2.0 / (0.1 / 0.25 + 0.1 / 0.04)).abs() < 1e-14);
        // The long axis upright: x to z.
        let upright = glam::DMat3::from_cols(DVec3::Z, DVec3::Y, -DVec3::X);
        let upright = meet(axes, &at(upright), DVec3::Z, DVec3::ZERO);
        assert!((upright.overlap - 0.2).abs() < 1e-15);
        assert!((upright.radius_eff - 2.0 / (0.5 / 0.04 + 0.5 / 0.01)).abs() < 1e-14);
    }
}

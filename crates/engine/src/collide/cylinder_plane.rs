//! A cylinder on a plane: on each rim the point that lies lowest, the one across from it, and the two between.
//!
//! A cylinder that lies flat on its side touches with the lowest points of both rims: two points of a line. One that stands touches with
//! four points of its lower rim, the first of them where it leans to; while it does not lean they stay where they are on the body.
//! Place k: bits 0 and 1 count quarter turns from the lowest point, bit 2 is the rim at the end of the axis.

use glam::DVec3;

use crate::collide::solid::{Meeting, Posed};
use crate::contact::Curvature;
use crate::shape::Part;

/// How many places there are.
pub const PLACES: u32 = 8;
/// Sine of the lean below which the cylinder does not lean.
const UPRIGHT: f64 = 1e-9;

/// Place `place` of a cylinder, which is a, along the z of its frame; the plane through `through` is b.
pub fn meet([radius, half]: [f64; 2], at: &Posed, normal: DVec3, through: DVec3, place: u32) -> Meeting {
    let frame = at.world_from_body;
    let down = frame.z_axis * normal.dot(frame.z_axis) - normal;
    let lean = down.length();
    let lowest = if lean > UPRIGHT { down / lean } else { frame.x_axis };
    let across = frame.z_axis.cross(lowest);
    let out = [lowest, across, -lowest, -across][(place & 3) as usize];
    let end = if place >> 2 & 1 == 1 { half } else { -half };
    let rim = at.position + frame.z_axis * end + out * radius;
    let overlap = -(rim - through).dot(normal);
    let flat = Curvature::round(0.0);
    Meeting {
        point: rim + normal * (0.5 * overlap),
        normal,
        overlap,
        curvature_a: flat,
        curvature_b: flat,
        radius_eff: radius,
        part: [Part::Edge, Part::Face],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use glam::{DMat3, DQuat};

    #[test]
    fn it_stands_on_four_points_lies_on_two_and_leans_on_one() {
        let (radius, half) = (0.2, 0.5);
        let touching = |height: f64, turn: DQuat| {
            let form = Form::Cylinder { radius, half };
            let at = Posed { form, position: DVec3::Z * height, world_from_body: DMat3::from_quat(turn) };
            let places = (0..PLACES).map(|k| (k, meet([radius, half], &at, DVec3::Z, DVec3::ZERO, k)));
            places.filter(|(_, found)| found.overlap > 0.0).collect::<Vec<_>>()
        };
        let places = |found: &[(u32, Meeting)]| found.iter().map(|(k, _)| *k).collect::<Vec<_>>();
        assert_eq!(places(&touching(0.499, DQuat::IDENTITY)), [0, 1, 2, 3]);
        let lying = touching(0.199, DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
        assert_eq!(places(&lying), [0, 4]);
        for (_, found) in &lying {
            assert!((found.overlap - 0.001).abs() < 1e-15 && (found.point.x.abs() - 0.5).abs() < 1e-15, "{found:?}");
        }
        // Over its lower rim by 0.3: at a height of half cos + radius sin.
        let (sine, cosine) = (crate::math::sin(0.3), crate::math::cos(0.3));
        let leaning = touching(half * cosine + radius * sine - 0.001, DQuat::from_rotation_y(0.3));
        assert_eq!(places(&leaning), [0]);
        assert!((leaning[0].1.overlap - 0.001).abs() < 1e-15);
        assert!((leaning[0].1.point.x - (radius * cosine - half * sine)).abs() < 1e-15);
    }
}

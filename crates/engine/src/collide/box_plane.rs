//! A box on a plane: one contact for each corner that is below the plane. Corner k has the signs of its bits: 1 for x, 2 for
//! y, 4 for z. Edges and faces need no more: what is lowest of a box is a corner.

use glam::DVec3;

use crate::collide::solid::{Meeting, Posed};
use crate::contact::Curvature;
use crate::shape::Part;

/// A corner in the box' frame.
fn corner(half: DVec3, number: u32) -> DVec3 {
    let sign = |bit: u32| if number >> bit & 1 == 1 { 1.0 } else { -1.0 };
    half * DVec3::new(sign(0), sign(1), sign(2))
}

/// Corner `number` of the box is a, the plane through `through` is b.
pub fn meet(half: DVec3, at: &Posed, normal: DVec3, through: DVec3, number: u32) -> Meeting {
    let corner = at.position + at.world_from_body * corner(half, number);
    let overlap = -(corner - through).dot(normal);
    let flat = Curvature::round(0.0);
    Meeting {
        point: corner + normal * (0.5 * overlap),
        normal,
        overlap,
        curvature_a: flat,
        curvature_b: flat,
        radius_eff: half.min_element(),
        part: [Part::Corner, Part::Face],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::solid::Form;
    use glam::{DMat3, DQuat};

    #[test]
    fn a_box_that_lies_flat_touches_with_four_corners_and_one_on_its_tip_with_one() {
        let half = DVec3::new(0.3, 0.2, 0.1);
        let at = |height: f64, turn: DQuat| Posed {
            form: Form::Box { half },
            position: DVec3::new(5.0, 6.0, height),
            world_from_body: DMat3::from_quat(turn),
        };
        let touching = |at: &Posed| {
            (0..8).filter(|&k| meet(half, at, DVec3::Z, DVec3::ZERO, k).overlap > 0.0).collect::<Vec<u32>>()
        };
        assert_eq!(touching(&at(0.099, DQuat::IDENTITY)), [0, 1, 2, 3]);
        let found = meet(half, &at(0.099, DQuat::IDENTITY), DVec3::Z, DVec3::ZERO, 1);
        assert!((found.overlap - 0.001).abs() < 1e-15);
        assert!((found.point - DVec3::new(5.3, 5.8, -0.0005)).length() < 1e-15);
        assert_eq!((found.normal, found.radius_eff, found.curvature_a.most), (DVec3::Z, 0.1, 0.0));
        // The diagonal upright: corner 7 up, corner 0 down, at a depth of the half diagonal.
        let diagonal = at(half.length() - 1e-3, DQuat::from_rotation_arc(half.normalize(), DVec3::Z));
        assert_eq!(touching(&diagonal), [0]);
        let tip = meet(half, &diagonal, DVec3::Z, DVec3::ZERO, 0);
        assert!((tip.overlap - 1e-3).abs() < 1e-15);
    }
}

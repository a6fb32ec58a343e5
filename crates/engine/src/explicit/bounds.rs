//! What a world may hold that the explicit method does not implement.

use crate::body::Body;
use crate::error::BuildError;
use crate::shape::Shape;

/// Whether the method can move a body. Walls that loads move have no radius to stand among the spheres with.
pub(crate) fn check_body(id: u32, body: &Body) -> Result<(), BuildError> {
    if body.shape.is_wall() && body.motion.yields() {
        return Err(BuildError::CarriedWall { body: id, kind: body.shape.kind() });
    }
    let what = match body.shape {
        Shape::Clump(_) => "clumps",
        Shape::Cylinder { .. } => "cylinders",
        _ if body.centre.is_some() => "`centre`",
        _ => return Ok(()),
    };
    Err(BuildError::NotImplemented { body: Some(id), method: "explicit", what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Motion;
    use crate::model::{Material, Model};
    use crate::shape::{Shape, Sides};
    use crate::world::{Setup, World};
    use glam::DVec3;

    #[test]
    fn a_wall_with_a_mass_is_not_implemented_and_one_without_would_fall() {
        let model = Model::new(vec![Material { name: "steel".into(), density: 1.0 }], 1e-6);
        let side = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 1.0], sides: Sides::Both };
        let error = |body: Body| World::new(Setup { model: model.clone(), bodies: vec![body] }).unwrap_err();
        let free = Body::new(side, 0, DVec3::ZERO);
        assert_eq!(error(free.clone()), BuildError::FreeWall { body: 0, kind: "rectangle" });
        let heavy = Body { mass: Some(2.0), inertia_body: Some(DVec3::ONE), ..free };
        for motion in [Motion::Free, Motion::Held] {
            let error = error(Body { motion, ..heavy.clone() });
            assert_eq!(error, BuildError::CarriedWall { body: 0, kind: "rectangle" });
            assert!(error.to_string().contains("does not implement this yet"), "{error}");
        }
        assert!(World::new(Setup { model, bodies: vec![Body { motion: Motion::Fixed, ..heavy }] }).is_ok());
    }
}

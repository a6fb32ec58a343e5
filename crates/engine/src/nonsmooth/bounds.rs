//! What a world may hold that the nonsmooth method does not implement.

use crate::body::{Body, Motion};
use crate::cone::Cone;
use crate::error::BuildError;
use crate::model::{Model, Nonsmooth};

fn refuse<T>(body: Option<u32>, what: &'static str) -> Result<T, BuildError> {
    Err(BuildError::NotImplemented { body, method: "nonsmooth", what })
}

/// Whether the method can run a model.
pub(super) fn check_model(settings: Nonsmooth, model: &Model) -> Result<(), BuildError> {
    if model.cell.is_some() {
        return Err(BuildError::BadCell("the nonsmooth method does not implement cells yet".into()));
    }
    if settings.cone == Cone::Associated {
        return refuse(None, "cone = \"associated\"");
    }
    Ok(())
}

/// Whether the method can move a body. Walls that loads move have no radius to stand among the spheres with.
pub(crate) fn check_body(id: u32, body: &Body) -> Result<(), BuildError> {
    if body.shape.is_wall() && body.motion.yields() {
        return Err(BuildError::CarriedWall { body: id, kind: body.shape.kind() });
    }
    if matches!(body.motion, Motion::Servo(_)) {
        return refuse(Some(id), "servos");
    }
    Ok(())
}

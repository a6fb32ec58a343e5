//! What a world may hold that the nonsmooth method does not implement.

use crate::body::Body;
use crate::error::BuildError;
use crate::model::Model;

/// Whether the method can run a model.
pub(super) fn check_model(model: &Model) -> Result<(), BuildError> {
    if model.cell.is_some() {
        return Err(BuildError::BadCell("the nonsmooth method does not implement cells yet".into()));
    }
    Ok(())
}

/// Whether the method can move a body. Walls that loads move have no radius to stand among the spheres with.
pub(crate) fn check_body(id: u32, body: &Body) -> Result<(), BuildError> {
    if body.shape.is_wall() && body.motion.yields() {
        return Err(BuildError::CarriedWall { body: id, kind: body.shape.kind() });
    }
    Ok(())
}

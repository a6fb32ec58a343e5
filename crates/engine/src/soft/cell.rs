//! What neighbour lists ask of a cell: that it is large enough, that bodies are in it, how far its flow has come since.

use glam::{I64Vec3, IVec3};

use super::lists::Sizes;
use crate::cell::{CellState, Frame};
use crate::error::Trouble;
use crate::flow;
use crate::geometry::Geometry;
use crate::model::Model;
use crate::state::State;

/// What the flow has made of distances since lists were made, at least (see `flow::min_stretch`); one without a flow.
pub fn min_stretch(model: &Model, cell: Option<&CellState>) -> f64 {
    cell.filter(|_| model.flows()).map_or(1.0, |cell| flow::min_stretch(cell.since_built()))
}

/// How far a body may move, the flow apart, before lists are stale (m): THEORY.md eq. 7.8.
pub fn slack(model: &Model, cell: Option<&CellState>, sizes: &Sizes) -> f64 {
    if !model.flows() {
        return sizes.slack();
    }
    let reach = sizes.reach();
    0.5 * (min_stretch(model, cell) * (reach + sizes.skin) - reach)
}

/// Whether the cell is large enough: two images of a body must not both be near another.
pub fn check(model: &Model, state: &State, sizes: &Sizes) -> Result<(), Trouble> {
    check_for(0.0, model, state, sizes)
}

/// The same with a sphere of some radius (m) to come.
pub fn check_for(radius: f64, model: &Model, state: &State, sizes: &Sizes) -> Result<(), Trouble> {
    let Some(frame) = upright(state) else { return Ok(()) };
    // A cell that was pressed through itself has no height.
    let height = if frame.volume() < 0.0 { 0.0 } else { frame.least_height() };
    let least = 2.0 * (2.0 * sizes.largest.max(radius) + sizes.listed());
    // What is not a number is not larger.
    if height > least {
        return Ok(());
    }
    Err(Trouble::CellTooSmall { height, least, time: state.time(model), step: state.step })
}

/// The cell that `tidy` would take.
pub fn upright(state: &State) -> Option<Frame> {
    state.cell.map(|cell| cell.frame.reduced().map_or(cell.frame, |reduced| reduced.0))
}

/// Takes a cell that leans less, where it leans too much, or is nearer, and puts bodies back into it. Neighbour lists must follow.
pub fn tidy(model: &Model, state: &mut State, geometry: &mut Geometry) {
    let Some(cell) = &mut state.cell else { return };
    let bodies = &mut state.bodies;
    bodies.images.resize(bodies.movers.len(), IVec3::ZERO);
    if let Some((frame, counts)) = cell.frame.reduced() {
        cell.frame = frame;
        for images in &mut bodies.images {
            let old = *images;
            let times = |axis: usize| (0..3).map(|k| old[k] * counts[k][axis] as i32).sum::<i32>();
            *images = IVec3::new(times(0), times(1), times(2));
        }
    }
    if model.flows() {
        cell.frame.corner += cell.frame.shift(astray(cell));
    }
    for (mover, images) in bodies.movers[..bodies.first_wall].iter_mut().zip(&mut bodies.images) {
        let times = cell.frame.into_cell(mover.position);
        mover.position += cell.frame.shift(times);
        *images -= times.as_ivec3();
    }
    cell.built = cell.frame.vectors;
    geometry.note_cell(state.cell.as_ref());
}

/// Where the cell was when lists were made.
pub fn built_frame(state: &State) -> Option<Frame> {
    state.cell.as_ref().map(|cell| {
        let back = cell.built * cell.frame.vectors.inverse();
        let corner = cell.centre + back * (cell.frame.corner - cell.centre);
        Frame { corner, vectors: cell.built, periodic: cell.frame.periodic }
    })
}

/// By how many vectors the corner has gone astray from the point that stays in place: in a shear it would go on for ever.
fn astray(cell: &CellState) -> I64Vec3 {
    let off = cell.frame.fractions(cell.centre) - 0.5;
    // Not to and fro: within a vector's length it stays.
    I64Vec3::from_array([0, 1, 2].map(|axis| if off[axis].abs() > 1.0 { off[axis].round() as i64 } else { 0 }))
}

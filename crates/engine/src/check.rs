//! Whether all numbers of a state are finite. Steps look only when lists are made or a pair is too deep; who records a state asks, too.

use crate::error::Trouble;
use crate::model::Model;
use crate::state::State;

/// Whether every position, orientation and velocity is a finite number.
pub fn finite(model: &Model, state: &State) -> Result<(), Trouble> {
    let bodies = &state.bodies;
    let wrong = |index: usize| {
        let mover = &bodies.movers[index];
        let finite = [
            ("velocity", mover.velocity.is_finite()),
            ("angular velocity", mover.angular_velocity.is_finite()),
            ("position", mover.position.is_finite()),
            ("orientation", bodies.orientation(index).is_finite()),
        ];
        finite.into_iter().find(|(_, finite)| !finite).map(|(what, _)| (mover.id, what))
    };
    match (0..bodies.movers.len()).filter_map(wrong).min_by_key(|(body, _)| *body) {
        None => Ok(()),
        Some((body, what)) => Err(Trouble::NotFinite { body, what, time: state.time(model), step: state.step }),
    }
}

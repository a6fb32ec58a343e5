//! Kinetic and potential energy of bodies. What contacts store is a matter of their laws, and what has gone where of the ledger.

use glam::DQuat;
use rayon::prelude::*;

use crate::body::Motion;
use crate::model::{Model, Special};
use crate::state::{Mover, State};

/// Kinetic and potential energy of all bodies (J).
pub fn of_all(model: &Model, state: &State) -> (f64, f64) {
    let bodies = &state.bodies;
    let add = |sum: (f64, f64), one: (f64, f64)| (sum.0 + one.0, sum.1 + one.1);
    let of_chunk = |(chunk, movers): (usize, &[Mover])| {
        let first = chunk * bodies.chunk;
        (first..first + movers.len()).map(|index| of_body(model, state, index)).fold((0.0, 0.0), add)
    };
    // By chunks, so that no number of threads changes a bit.
    let chunks: Vec<(f64, f64)> = bodies.movers.par_chunks(bodies.chunk).enumerate().map(of_chunk).collect();
    chunks.into_iter().fold((0.0, 0.0), add)
}

/// Kinetic and potential energy of one body by index: in a cell, of the place that it has come to without being put back.
pub fn of_body(model: &Model, state: &State, index: usize) -> (f64, f64) {
    let bodies = &state.bodies;
    let mover = &bodies.movers[index];
    if mover.inverse_mass == 0.0 {
        return (0.0, 0.0);
    }
    let special = bodies.special(mover);
    let mass = 1.0 / mover.inverse_mass;
    let turning = turning_energy(mover, special, bodies.orientations[index]);
    let kinetic = 0.5 * (mass * mover.velocity.length_squared() + turning);
    let falls = special.is_none_or(|special| special.motion == Motion::Free);
    let place = match &state.cell {
        Some(cell) if falls => mover.position + cell.frame.shift(bodies.image_of(index).as_i64vec3()),
        _ => mover.position,
    };
    (kinetic, if falls { -mass * model.gravity.dot(place) } else { 0.0 })
}

/// w . I w.
fn turning_energy(mover: &Mover, special: Option<&Special>, orientation: DQuat) -> f64 {
    match special.and_then(|special| special.inertia_body) {
        None => mover.angular_velocity.length_squared() / mover.inverse_inertia,
        Some(inertia_body) => {
            let in_body = orientation.inverse() * mover.angular_velocity;
            in_body.dot(inertia_body * in_body)
        }
    }
}

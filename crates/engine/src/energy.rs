//! Kinetic and potential energy of bodies. What contacts store is a matter of their laws, and what has gone where of the ledger.

use glam::{DQuat, DVec3};
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
    let turning = turning_energy(mover, special, bodies.orientation(index));
    let kinetic = 0.5 * (mass * mover.velocity.length_squared() + turning);
    let gravity = model.gravity.at(state.time(model));
    (kinetic, if falls(special) { -mass * gravity.dot(place(state, index)) } else { 0.0 })
}

/// What springs of joints hold (J).
pub fn of_joints(model: &Model, state: &State) -> f64 {
    model.joints.iter().zip(&state.joints).map(|(joint, now)| joint.stored(now.x)).sum()
}

fn falls(special: Option<&Special>) -> bool {
    special.is_none_or(|special| special.motion == Motion::Free)
}

/// The place that a body has come to, in a cell without being put back.
fn place(state: &State, index: usize) -> DVec3 {
    let place = state.bodies.movers[index].position;
    let image = || state.bodies.image_of(index).as_i64vec3();
    state.cell.as_ref().map_or(place, |cell| place + cell.frame.shift(image()))
}

/// The sum of mass times place over all bodies that fall (kg m): minus the gradient of the potential energy by gravity.
pub fn first_moment(state: &State) -> DVec3 {
    let bodies = &state.bodies;
    let falling = bodies.movers.iter().enumerate().filter(|(_, m)| m.inverse_mass > 0.0 && falls(bodies.special(m)));
    falling.map(|(index, mover)| place(state, index) / mover.inverse_mass).sum()
}

/// w . I w.
fn turning_energy(mover: &Mover, special: Option<&Special>, orientation: DQuat) -> f64 {
    match special.and_then(|special| Some((special.inertia_body?, special.principal(orientation)))) {
        None => mover.angular_velocity.length_squared() / mover.inverse_inertia,
        Some((inertia_body, principal)) => {
            let in_body = principal.inverse() * mover.angular_velocity;
            in_body.dot(inertia_body * in_body)
        }
    }
}

/// Books half of the work that a change of gravity in the step does where bodies are: at its start, and again at its end
/// (THEORY.md eq. 5.7).
pub fn book_gravity(model: &Model, state: &mut State) {
    let Some(gravity) = model.gravity.schedule() else { return };
    let [start, end] = [state.step, state.step + 1].map(|step| gravity.at(state.clock.time_at(step, model.dt)));
    if end != start {
        state.sums.driven -= 0.5 * (end - start).dot(first_moment(state));
    }
}

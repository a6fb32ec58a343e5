//! The first evaluation: lists, contacts, loads and ledger of a world that has none yet; and of one that continues.

use rayon::prelude::*;

use super::bodies::Mechanics;
use super::step::{PassStep, detect_and_evaluate};
use super::{Work, deform, step};
use crate::energy;
use crate::geometry::Geometry;
use crate::model::Model;
use crate::soft::carry::HeldContacts;
use crate::soft::{self, Colliders, Records};
use crate::state::{Bodies, State};

/// Makes lists for bodies at step 0, with contacts that remember what is held, and evaluates loads without growing any memory.
pub fn start(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work, held: HeldContacts) {
    soft::lists::make(model, state, geometry, &mut work.soft, held);
    step::expect_reports(work);
    geometry.note_before();
    detect_and_evaluate(model, state, geometry, work, 0.0);
    work.soft.keep_rows = false;
    step::add_outboxes(&mut state.bodies, &work.soft);
    look_ahead(model, state, work);
    let kinetic = deform::kinetic_sums(&state.bodies);
    let flow_power = deform::end(model, state, kinetic, work.soft.virial(), 0.0);
    start_ledger(model, state, geometry, work, work.soft.power(), flow_power);
}

/// Begins the ledger at step 0, where the loads of contacts have this power.
pub fn start_ledger(
    model: &Model,
    state: &mut State,
    geometry: &Geometry,
    work: &Work,
    power: [f64; 4],
    flow_power: f64,
) {
    let mechanics = Mechanics::of((model, work.settings), &state.bodies.specials, state.now(), work.flow.as_ref());
    let rows = state.bodies.movers.iter().zip(&state.bodies.loads);
    let drives: f64 = rows.map(|(mover, load)| mechanics.driven_power(mover, load)).sum();
    let driven = drives + work.soft.belt_power() + flow_power;
    state.sums.book(power, driven, 0.5 * model.dt);
    let stored = stored(model, state, geometry, work);
    let (kinetic, potential) = energy::of_all(model, state);
    state.sums.stored_at_start = stored;
    state.sums.start = kinetic + potential + stored.iter().sum::<f64>();
}

fn look_ahead(model: &Model, state: &mut State, work: &Work) {
    let now = state.now();
    let Bodies { movers, loads, orientations, specials, .. } = &mut state.bodies;
    let mechanics = Mechanics::of((model, work.settings), specials, now, work.flow.as_ref());
    for ((mover, load), &orientation) in movers.iter_mut().zip(&*loads).zip(&*orientations) {
        mechanics.look_ahead(mover, load, orientation);
    }
}

/// Elastic energy of normal, slide, roll and spin springs.
pub fn stored(model: &Model, state: &State, geometry: &Geometry, work: &Work) -> [f64; 4] {
    let step = PassStep::of(model, state.cell.as_ref(), work.flow.as_ref(), 0.0, false);
    let view = step.view(Records::of(&state.bodies), Colliders::of(geometry));
    let chunks = work.soft.lists.chunks.par_iter().zip(state.contacts.slots());
    let of_chunk = |(lists, contacts)| soft::evaluate::stored(&view, lists, contacts);
    let chunks: Vec<[f64; 4]> = chunks.map(of_chunk).collect();
    std::array::from_fn(|motion| chunks.iter().fold(0.0, |sum, chunk| sum + chunk[motion]))
}

/// Rows for the contacts record at the step the state is at, evaluated as at the start, with nothing else changed.
pub fn keep_rows_of_now(model: &Model, state: &mut State, geometry: &Geometry, work: &mut Work) {
    let (loads, contacts) = (state.bodies.loads.clone(), state.contacts.clone());
    let watches: Vec<_> = work.soft.chunks.iter().map(|chunk| chunk.watch.clone()).collect();
    // How far bodies have moved since lists were made is not known: look at every pair.
    work.reports.iter_mut().for_each(|report| report.moved_squared = f64::INFINITY);
    work.soft.keep_rows = true;
    detect_and_evaluate(model, state, geometry, work, 0.0);
    work.soft.keep_rows = false;
    (state.bodies.loads, state.contacts) = (loads, contacts);
    work.soft.chunks.iter_mut().zip(watches).for_each(|(chunk, watch)| chunk.watch = watch);
}

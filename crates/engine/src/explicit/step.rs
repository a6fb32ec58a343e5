//! The step of the explicit method: the loop to read first.
//!
//! With velocity Verlet (THEORY.md eq. 4.1) a step is half a kick, a drift, loads, half a kick. The kick that ends a step and the
//! kick and drift that begin the next share a pass over the bodies, so a step reads every body once there and once in the pass over
//! contacts. With symplectic Euler the first kick has all of dt and the second none; the code is the same.
//!
//! Many threads go over all contacts, then over all bodies. One thread goes over both chunk by chunk (`sweep`): the bodies of a chunk
//! move as soon as no later chunk reads them, while they are still in the cache. The same sums in the same order, hence the same bits.

use std::time::Instant;

use rayon::prelude::*;

use super::bodies::{Advance, BodyReport, ChunkBodies, Mechanics, Rows};
use super::flow::Flow;
use super::{Work, change, deform};
use crate::cell::CellState;
use crate::check;
use crate::clock::Clock;
use crate::energy;
use crate::error::Trouble;
use crate::flow;
use crate::geometry::Geometry;
use crate::law::kernel;
use crate::model::{Explicit, Model, Special};
use crate::soft::detect::{Chunk, detect};
use crate::soft::evaluate::evaluate_chunk;
use crate::soft::lists::{ChunkNeighbours, Neighbours};
use crate::soft::{self, Asked, ChunkWork, Closing, Colliders, Moved, Records, View};
use crate::state::{Bodies, Load, Slots, State};

/// What follows the end of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Nothing: who called wants to look, or the cell must know the stress first.
    Rest,
    /// The next step's kick and drift.
    KickAndDrift,
}

/// Steps until `end`. A step that goes wrong is not counted when more were to follow it; the last one is completed and counted.
pub fn advance(
    model: &Model,
    state: &mut State,
    geometry: &mut Geometry,
    work: &mut Work,
    end: u64,
) -> Result<(), Trouble> {
    let fused = rayon::current_num_threads() == 1;
    while state.step < end {
        let pause = change::exchange(model, state, geometry, work, end)?;
        let mut drifted = false;
        while state.step < pause {
            work.flow = deform::begin(model, state);
            energy::book_gravity(model, state);
            if !drifted {
                kick_and_drift(model, state, work);
            }
            pose(model, state, geometry, work);
            refresh_lists(model, state, geometry, work)?;
            let last = state.step + 1 == pause;
            let then =
                if last || model.controls_stress() || model.is_steered() { Then::Rest } else { Then::KickAndDrift };
            if fused {
                sweep(model, state, geometry, work, then);
            } else {
                detect_and_evaluate(model, state, geometry, work, model.dt);
            }
            let trouble = soft::overlaps::check(model, state, &work.soft);
            if last || trouble.is_ok() {
                if !fused {
                    gather_and_kick(model, state, work, then);
                }
                book_power(model, state, work);
                state.step += 1;
            }
            trouble?;
            drifted = then == Then::KickAndDrift;
        }
    }
    Ok(())
}

// ---- the verbs ----

/// Kicks bodies with the loads of the step before, and moves them to the end of the step.
fn kick_and_drift(model: &Model, state: &mut State, work: &mut Work) {
    let now = state.now();
    let (rows, specials) = Rows::of(&mut state.bodies, &mut work.reports);
    let mechanics = Mechanics::of((model, work.settings), specials, now, work.flow.as_ref());
    rows.chunks().for_each(|bodies| {
        kernel::dispatch(Advance { finish: None, start: Some(mechanics), bodies });
    });
}

/// Colliders and the cell follow the bodies, and local damping of the kick is booked.
fn pose(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work) {
    state.sums.local += work.reports.iter().map(|r| r.local_before_drift).sum::<f64>();
    geometry.follow(&state.bodies);
    for (index, moved) in geometry.walls_moved(&state.bodies) {
        let report = &mut work.reports[index / state.bodies.chunk];
        report.moved_squared = report.moved_squared.max(moved * moved);
    }
    deform::move_cell(model, state, geometry, work.flow.as_ref());
}

/// Makes neighbour lists again when bodies have moved too far for those that are there.
fn refresh_lists(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work) -> Result<(), Trouble> {
    let slack = soft::cell::slack(model, state.cell.as_ref(), &work.soft.lists.sizes);
    // What is not a number is stale, too: then the checks say what is wrong.
    let near = |report: &BodyReport| report.moved_squared <= slack * slack;
    if !(slack >= 0.0 && work.reports.iter().all(near)) {
        check::finite(model, state)?;
        soft::cell::check(model, state, &work.soft.lists.sizes)?;
        rebuild_lists(model, state, geometry, work);
    }
    Ok(())
}

/// Makes neighbour lists again.
pub fn rebuild_lists(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work) {
    soft::lists::rebuild(model, state, geometry, &mut work.soft);
    expect_reports(work);
}

/// Reports for new lists, since which no body has moved.
pub fn expect_reports(work: &mut Work) {
    work.reports.resize(work.soft.lists.chunks.len(), BodyReport::default());
    work.reports.iter_mut().for_each(|report| report.moved_squared = 0.0);
}

/// Finds who touches, carries memory, evaluates laws, adds up loads within each chunk.
pub fn detect_and_evaluate(model: &Model, state: &mut State, geometry: &Geometry, work: &mut Work, dt: f64) {
    note_moved(work);
    let Work { soft, flow, .. } = work;
    let State { bodies, contacts, cell, .. } = state;
    let Bodies { movers, loads, orientations, specials, first_wall, material_of, chunk: size, .. } = bodies;
    let records = Records { movers, orientations, specials, first_wall: *first_wall, material_of };
    let step = PassStep::of(model, cell.as_ref(), flow.as_ref(), dt, soft.keep_rows);
    let view = step.view(records, Colliders::of(geometry));
    let closing = step.closing(&soft.lists, &soft.moved);
    let chunks =
        soft.lists.chunks.par_iter().zip(contacts.slots_mut()).zip(&mut soft.chunks).zip(loads.par_chunks_mut(*size));
    chunks.enumerate().for_each(|(number, (((lists, contacts), work), loads))| {
        pass(&view, Chunk { number, lists, closing }, number * *size, (contacts, work), loads);
    });
}

/// Adds loads from other chunks and kicks, which ends the step; then, in the same pass, begins the next one.
fn gather_and_kick(model: &Model, state: &mut State, work: &mut Work, then: Then) {
    let flow_ahead = deform::flow_ahead(model, state);
    let Work { settings, soft, reports, flow, timed } = work;
    let (now, size) = (state.now(), state.bodies.chunk);
    let (rows, specials) = Rows::of(&mut state.bodies, reports);
    let finish = Finish::of((model, *settings), specials, now, [flow.as_ref(), flow_ahead.as_ref()], then);
    let (lists, chunks) = (&soft.lists.chunks, &soft.chunks);
    rows.chunks().enumerate().for_each(|(number, bodies)| {
        finish.chunk(number * size, &lists[number], chunks, bodies, *timed);
    });
}

/// `detect_and_evaluate` and `gather_and_kick` in one go, for one thread.
fn sweep(model: &Model, state: &mut State, geometry: &Geometry, work: &mut Work, then: Then) {
    note_moved(work);
    let flow_ahead = deform::flow_ahead(model, state);
    let Work { settings, soft, reports, flow, timed } = work;
    let now = state.now();
    let State { bodies, contacts, cell, .. } = state;
    let (first_wall, size) = (bodies.first_wall, bodies.chunk);
    let of_step = PassStep::of(model, cell.as_ref(), flow.as_ref(), model.dt, soft.keep_rows);
    let closing = of_step.closing(&soft.lists, &soft.moved);
    let (mut rows, specials) = Rows::of(bodies, reports);
    let finish = Finish::of((model, *settings), specials, now, [flow.as_ref(), flow_ahead.as_ref()], then);
    let colliders = Colliders::of(geometry);
    let (all, contacts) = (&soft.lists.chunks, contacts.slots_mut());
    for (number, lists) in all.iter().enumerate() {
        let own = rows.range(number);
        let Rows { movers, loads, orientations, material_of, .. } = &mut rows;
        let records = Records { movers, orientations, specials, first_wall, material_of };
        let view = of_step.view(records, colliders);
        let chunk = Chunk { number, lists, closing };
        let contacts = (&mut contacts[number], &mut soft.chunks[number]);
        pass(&view, chunk, number * size, contacts, &mut loads[own]);
        for &done in &lists.completes {
            let done = done as usize;
            finish.chunk(done * size, &all[done], &soft.chunks, rows.chunk(done), *timed);
        }
    }
}

/// Books power and the work of drives, and ends the step of the cell.
fn book_power(model: &Model, state: &mut State, work: &Work) {
    let kinetic = work.reports.iter().fold([0.0; 6], |mut sums, report| {
        (0..6).for_each(|k| sums[k] += report.kinetic[k]);
        sums
    });
    let flow_power = deform::end(model, state, kinetic, work.soft.virial(), model.dt);
    let driven = work.reports.iter().map(|r| r.driven_power).sum::<f64>() + work.soft.belt_power() + flow_power;
    state.sums.book(work.soft.power(), driven, model.dt);
    energy::book_gravity(model, state);
    state.sums.local += work.reports.iter().map(|r| r.local_at_end).sum::<f64>();
}

// ---- how they are done ----

/// Notes how far the bodies of each chunk have moved since neighbour lists were made.
fn note_moved(work: &mut Work) {
    let moved = |r: &BodyReport| Moved { farthest: r.moved_squared.sqrt(), velocities: r.velocities };
    work.soft.moved.clear();
    work.soft.moved.extend(work.reports.iter().map(moved));
}

/// What a pass over contacts reads of the step.
pub struct PassStep<'a> {
    model: &'a Model,
    dt: f64,
    flow: Option<flow::PairFlow>,
    asked: Asked,
    min_stretch: f64,
    strain: f64,
}

impl<'a> PassStep<'a> {
    /// With memory that grows by `dt`.
    pub fn of(model: &'a Model, cell: Option<&CellState>, flow: Option<&Flow>, dt: f64, rows: bool) -> Self {
        PassStep {
            model,
            dt,
            flow: deform::pair_flow(model, cell, dt),
            asked: Asked { rows, virial: cell.is_some() },
            min_stretch: soft::cell::min_stretch(model, cell),
            strain: flow.map_or(0.0, |flow| 1.0 - flow::min_stretch(flow.carry)),
        }
    }

    /// What detection and evaluation read.
    pub fn view<'b>(&self, records: Records<'b>, colliders: Colliders<'b>) -> View<'b>
    where
        'a: 'b,
    {
        View { laws: &self.model.laws, records, colliders, dt: self.dt, flow: self.flow, asked: self.asked }
    }

    fn closing<'b>(&self, lists: &Neighbours, moved: &'b [Moved]) -> Closing<'b> {
        let (sizes, extent) = (lists.sizes, lists.extent);
        Closing { moved, min_stretch: self.min_stretch, strain: self.strain, sizes, extent }
    }
}

/// The pass over the contacts of one chunk, whose bodies begin at `first`.
fn pass(view: &View, chunk: Chunk, first: usize, (contacts, work): (&mut Slots, &mut ChunkWork), loads: &mut [Load]) {
    let start = Instant::now();
    detect(view, chunk, contacts, work);
    let detected = Instant::now();
    evaluate_chunk(view, first, chunk.lists, contacts, work, loads);
    let spent = [detected - start, detected.elapsed()];
    for (sum, spent) in work.nanoseconds.iter_mut().zip(spent) {
        *sum += spent.as_nanos() as u64;
    }
}

/// The end of a step, and the start of the next, for the bodies of one chunk.
struct Finish<'a> {
    this: Mechanics<'a>,
    next: Option<Mechanics<'a>>,
}

impl<'a> Finish<'a> {
    /// With the flow of this step and of the next.
    fn of(
        method: (&'a Model, Explicit),
        specials: &'a [Special],
        (clock, step): (Clock, u64),
        flows: [Option<&'a Flow>; 2],
        then: Then,
    ) -> Self {
        let next = (then == Then::KickAndDrift).then(|| Mechanics::of(method, specials, (clock, step + 1), flows[1]));
        Finish { this: Mechanics::of(method, specials, (clock, step), flows[0]), next }
    }

    fn chunk(&self, first: usize, lists: &ChunkNeighbours, chunks: &[ChunkWork], bodies: ChunkBodies, timed: bool) {
        let began = timed.then(Instant::now);
        add_from_outboxes(first, lists, chunks, bodies.loads);
        let gathered = timed.then(Instant::now);
        let report = kernel::dispatch(Advance { finish: Some(self.this), start: self.next, bodies });
        if let (Some(began), Some(gathered)) = (began, gathered) {
            report.nanoseconds[0] += (gathered - began).as_nanos() as u64;
            report.nanoseconds[1] += gathered.elapsed().as_nanos() as u64;
        }
    }
}

/// Adds what other chunks have for the bodies of the chunk that begins at `first`, in the order of those chunks.
fn add_from_outboxes(first: usize, lists: &ChunkNeighbours, chunks: &[ChunkWork], loads: &mut [Load]) {
    for &(from, outbox) in &lists.sources {
        for (body, load) in chunks[from as usize].outboxes[outbox as usize].iter() {
            loads[body as usize - first].add(load);
        }
    }
}

/// Adds loads from other chunks and no more.
pub fn add_outboxes(bodies: &mut Bodies, work: &soft::Work) {
    let size = bodies.chunk;
    for (number, loads) in bodies.loads.chunks_mut(size).enumerate() {
        add_from_outboxes(number * size, &work.lists.chunks[number], &work.chunks, loads);
    }
}

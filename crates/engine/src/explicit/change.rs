//! Bodies come and go between two steps: what that does to contacts, to the ledger and to the cell.
//!
//! The ledger (THEORY.md section 5): a body brings its kinetic and potential energy and takes them away, with what its
//! contacts store. The trapezoids of contacts that end this way are ended where they are (eq. 5.6), and their loads are
//! taken off the bodies that stay, whose next kick they would else still push: both together keep the balance at second
//! order in dt.
//!
//! Does not do: who comes and goes, and where (`traffic.rs`).

use glam::DMat3;

use super::bodies::Mechanics;
use super::step::PassStep;
use super::{Work, deform, step};
use crate::body::Body;
use crate::error::Trouble;
use crate::geometry::Geometry;
use crate::model::Model;
use crate::soft::evaluate::{Loads, Memory, Notes, Pairs, chosen, evaluate, stored};
use crate::soft::{self, ChunkSums, ChunkWork, Colliders, Outbox, Records};
use crate::state::{Load, Slots, State};
use crate::traffic::{self, Looks};

/// Steps between two looks at who comes and goes.
const LOOKS: Looks = Looks { out_every: 10, least_wait: 10 };

/// Lets bodies in and out if it is time to. Returns the step before which there is nothing of the kind to do again, at
/// most `end`.
pub fn exchange(
    model: &Model,
    state: &mut State,
    geometry: &mut Geometry,
    work: &mut Work,
    end: u64,
) -> Result<u64, Trouble> {
    let found = traffic::exchange(model, state, geometry, LOOKS, end)?;
    change(model, state, geometry, work, (&found.leaving, &found.entering));
    Ok(found.pause)
}

/// Takes out bodies, by rising id, and puts others in. Neighbour lists are made again.
pub fn change(
    model: &Model,
    state: &mut State,
    geometry: &mut Geometry,
    work: &mut Work,
    (leaving, entering): (&[u32], &[Body]),
) {
    if leaving.is_empty() && entering.is_empty() {
        return;
    }
    let flowed = deform::flow_of_bodies(model, state);
    let ended = if leaving.is_empty() { DMat3::ZERO } else { book_leaving(model, state, geometry, work, leaving) };
    let held = soft::lists::take_contacts(model, state, &work.soft);
    let gone = traffic::take_out(model, state, leaving);
    state.sums.carried.book_out(&gone);
    // Not that of the last step, which a restart does not know.
    let flow = deform::flow_ahead(model, state);
    let first = state.bodies.first_wall;
    let come = traffic::put_in(model, state, geometry, entering);
    state.sums.carried.book_in(&come);
    let now = state.now();
    let bodies = &mut state.bodies;
    let mechanics = Mechanics::of((model, work.settings), &bodies.specials, now, flow.as_ref());
    let new = first..bodies.first_wall;
    for index in new {
        let (orientation, mover) = (bodies.orientation(index), &mut bodies.movers[index]);
        mechanics.look_ahead(mover, &Load::default(), orientation);
        work.soft.lists.sizes.largest = work.soft.lists.sizes.largest.max(mover.radius);
    }
    bodies.note_indices();
    soft::lists::make(model, state, geometry, &mut work.soft, held);
    step::expect_reports(work);
    deform::change(model, state, flowed, ended);
}

/// Ends the contacts of what leaves, books that, and takes their loads off the bodies that stay. Returns their force (x) branch.
fn book_leaving(model: &Model, state: &mut State, geometry: &Geometry, work: &mut Work, leaving: &[u32]) -> DMat3 {
    let leaves = |id: u32| leaving.binary_search(&id).is_ok();
    let ended = ended_contacts(model, state, geometry, work, leaves);
    let bodies = &state.bodies;
    let mechanics = Mechanics::of((model, work.settings), &bodies.specials, state.now(), work.flow.as_ref());
    let mut driven = ended.sums.belts;
    for ((mover, load), share) in bodies.movers.iter().zip(&bodies.loads).zip(&ended.loads) {
        driven += if leaves(mover.id) {
            mechanics.driven_power(mover, load)
        } else {
            // A drive that stays loses only what it had to do against the contacts that end.
            mechanics.driven_power(mover, share) - mechanics.driven_power(mover, &Load::default())
        };
    }
    state.sums.carried.stored_out += ended.stored.iter().sum::<f64>();
    (0..4).for_each(|motion| state.sums.stored_out[motion] += ended.stored[motion]);
    state.sums.end(ended.sums.power, driven, model.dt);
    if let Some(first) = work.soft.chunks.first_mut() {
        first.sums.pressed -= ended.sums.pressed;
    }
    work.soft.chunks.iter_mut().for_each(|chunk| chunk.rows.retain(|row| !leaves(row.a) && !leaves(row.b)));
    for (load, share) in state.bodies.loads.iter_mut().zip(&ended.loads) {
        load.add(&Load::new(-share.force, -share.torque));
    }
    ended.virial
}

/// What the contacts of leaving bodies hold and do.
struct Ended {
    /// On each body, by index.
    loads: Vec<Load>,
    /// Sums over them.
    sums: ChunkSums,
    /// Sum of force (x) branch (J), the force's component in the row.
    virial: DMat3,
    /// Elastic energy by motion.
    stored: [f64; 4],
}

/// The contacts of the bodies that leave, by id, as they are now: evaluated without a step, on a copy.
fn ended_contacts(
    model: &Model,
    state: &State,
    geometry: &Geometry,
    work: &Work,
    leaves: impl Fn(u32) -> bool,
) -> Ended {
    let bodies = &state.bodies;
    // Velocities are those of the full step, so nothing must be added to them.
    let mut movers = bodies.movers.clone();
    for mover in &mut movers {
        (mover.velocity_ahead, mover.angular_velocity_ahead) = ([0.0; 3], [0.0; 3]);
    }
    let records = Records { movers: &movers, ..Records::of(bodies) };
    let step = PassStep::of(model, state.cell.as_ref(), work.flow.as_ref(), 0.0, false);
    let view = step.view(records, Colliders::at_rest(geometry));
    let mut ended = Ended {
        loads: vec![Load::default(); movers.len()],
        sums: ChunkSums::default(),
        virial: DMat3::ZERO,
        stored: [0.0; 4],
    };
    for (chunk, (lists, contacts)) in work.soft.lists.chunks.iter().zip(state.contacts.slots()).enumerate() {
        let ends = |index: u32| leaves(movers[index as usize].id);
        let Some(mut chosen) = chosen(lists, contacts, |pair| ends(pair.a) || ends(pair.b)) else {
            continue;
        };
        let stored = stored(&view, lists, &chosen);
        (0..4).for_each(|motion| ended.stored[motion] += stored[motion]);
        let mut own = ChunkWork::default();
        own.outboxes.resize_with(lists.targets.len(), Outbox::default);
        let first = chunk * bodies.chunk;
        let end = (first + bodies.chunk).min(movers.len());
        let Slots { placed, blocks, memory, cold } = &mut chosen;
        let pairs = Pairs { candidates: &lists.candidates, placed };
        let loads = Loads { first, own: &mut ended.loads[first..end], outboxes: &mut own.outboxes };
        let notes = Notes { sums: &mut own.sums, trouble: &mut own.trouble, rows: &mut own.rows };
        evaluate(&view, pairs, Memory { blocks, lanes: memory, cold }, loads, notes);
        for (body, load) in own.outboxes.iter().flat_map(Outbox::iter) {
            ended.loads[body as usize].add(load);
        }
        let sums = &mut ended.sums;
        (0..4).for_each(|motion| sums.power[motion] += own.sums.power[motion]);
        sums.belts += own.sums.belts;
        sums.pressed += own.sums.pressed;
        ended.virial += own.sums.virial();
    }
    ended
}

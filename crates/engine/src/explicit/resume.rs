//! The explicit method taken up from a saved state, and the stage that begins from one.
//!
//! Lists are not saved: they follow from where bodies stood when they were made, and every contact finds its candidate in them
//! by its key. The order in which contacts are saved is that in which they stand. Rows for the contacts record of the saved
//! step are evaluated again, without a step.

use super::{Work, deform, start, step};
use crate::answers::{Changed, Entry, Kept, Stage};
use crate::collide::Posed;
use crate::contact::{ContactKey, Remembered};
use crate::error::{BuildError, RestoreError, Trouble};
use crate::geometry::Geometry;
use crate::model::Model;
use crate::soft::carry::{HeldContacts, Order};
use crate::soft::lists::{Neighbours, Sizes};
use crate::soft::{cell, lists, visit};
use crate::state::{GONE, State};
use crate::wall::Wall;

/// Skin of the lists (m), the radius that size classes count from (m), and the sum of normal forces (N).
const ENTRIES: [&str; 3] = ["skin", "smallest", "pressed"];
/// The largest gap at which a law acts (m), if it is not 0.
const APART: &str = "apart";

/// What a checkpoint holds of the method besides the state.
pub fn entries(work: &Work) -> Vec<Entry> {
    let Sizes { skin, apart, smallest, .. } = work.soft.lists.sizes;
    let always = ENTRIES.into_iter().zip([skin, smallest, work.soft.pressed()]);
    always.chain((apart > 0.0).then_some((APART, apart))).collect()
}

fn broken(what: String) -> RestoreError {
    RestoreError::Broken(what)
}

fn too_small(trouble: Trouble) -> RestoreError {
    RestoreError::Build(BuildError::BadCell(trouble.to_string()))
}

/// Lists and contacts of a saved state, whose bodies are in their places.
pub fn resume(world: Changed, work: &mut Work, kept: Kept) -> Result<(), RestoreError> {
    let Changed { model, state, geometry } = world;
    let entry = |name: &str| (kept.entries)(name).ok_or_else(|| broken(format!("it lacks the entry `{name}`")));
    let [skin, smallest, pressed] = [entry(ENTRIES[0])?, entry(ENTRIES[1])?, entry(ENTRIES[2])?];
    let spheres = state.bodies.first_wall;
    // Arrivals may be larger than what was there at the start.
    let arrivals = state.traffic.arrivals.iter().filter_map(|arrival| arrival.body().shape.radius());
    let largest = arrivals.fold(work.soft.lists.sizes.largest, f64::max);
    // In a stage laws may reach farther than those of the run before.
    let saved = (kept.entries)(APART).unwrap_or(0.0);
    if !(saved.is_finite() && saved >= 0.0) {
        return Err(broken(format!("laws that act across {saved} m")));
    }
    let apart = saved.max(work.soft.lists.sizes.apart).max(model.laws.farthest(largest));
    // A stage may have let in spheres smaller than those that size classes count from: they stand in the lowest class.
    let least = state.bodies.grains().iter().map(|mover| mover.radius).fold(f64::INFINITY, f64::min);
    let sizes_fit = smallest.is_finite() && smallest >= 1e-6 * least && skin <= smallest;
    if spheres > 0 && !(sizes_fit && skin > 0.0) {
        return Err(broken(format!("skin {skin} m, smallest radius {smallest} m")));
    }
    if spheres > 0 {
        work.soft.lists = Neighbours::with_sizes(Sizes { skin, apart, smallest, largest });
    }
    cell::check(model, state, &work.soft.lists.sizes).map_err(too_small)?;
    lists::make_as_built(model, state, geometry, &mut work.soft);
    step::expect_reports(work);
    place_contacts(model, state, work, kept.contacts)?;
    start::keep_rows_of_now(model, state, geometry, work);
    let chunks = &mut work.soft.chunks;
    chunks.iter_mut().for_each(|chunk| chunk.sums.pressed = 0.0);
    if let Some(first) = chunks.first_mut() {
        first.sums.pressed = pressed;
    }
    Ok(())
}

/// Every contact in its place, with its memory.
fn place_contacts(
    model: &Model,
    state: &mut State,
    work: &mut Work,
    contacts: &Remembered,
) -> Result<(), RestoreError> {
    let index_of = &state.bodies.index_of;
    let there = |id: u32| index_of.get(id as usize).is_some_and(|&index| index != GONE);
    let mut places: Vec<(ContactKey, bool)> =
        contacts.keys.iter().copied().zip(contacts.live.iter().copied()).collect();
    places.sort_unstable();
    if places.windows(2).any(|two| two[0].0 == two[1].0) {
        return Err(broken("a contact stands in it twice".into()));
    }
    for (key, _, numbers) in contacts.iter() {
        let ContactKey { a, b, .. } = key;
        if !(a < b && there(a) && there(b) && numbers.iter().all(|number| number.is_finite())) {
            return Err(broken(format!("the contact of bodies {a} and {b}")));
        }
    }
    let held = HeldContacts::all_of(contacts, model, &state.bodies);
    lists::put_contacts_back(model, state, &mut work.soft, held, Order::Held);
    let placed: usize = state.contacts.slots().iter().map(|slots| slots.placed.len()).sum();
    if placed != contacts.len() {
        let lost = contacts.len() - placed;
        return Err(broken(format!("{lost} contacts are between bodies that are far apart")));
    }
    let State { bodies, contacts, .. } = state;
    for (lists, slots) in work.soft.lists.chunks.iter().zip(contacts.slots_mut()) {
        for block in 0..slots.blocks.len() {
            let head = slots.blocks[block];
            for lane in 0..head.count as usize {
                let key = visit::key_of(&bodies.movers, lists, slots.placed[head.first as usize + lane]);
                let parted = places.binary_search(&(key, false)).is_ok();
                slots.blocks[block].live &= !(u32::from(parted) << lane);
            }
        }
    }
    Ok(())
}

/// Begins a stage: driven bodies are put where the setup has them, lists follow, the ledger begins anew.
pub fn begin_stage(world: Changed, work: &mut Work, stage: Stage) -> Result<(), RestoreError> {
    let Changed { model, state, geometry } = world;
    renew_lists(model, state, geometry, work, stage.had_cell)?;
    let swept = swept(state, geometry);
    for (mover, orientation) in stage.driven {
        let index = state.bodies.index_of[mover.id as usize];
        // One that was taken out stays out.
        if index != GONE {
            state.bodies.movers[index as usize] = mover;
            state.bodies.orientations[index as usize] = orientation;
        }
    }
    geometry.pose(&state.bodies);
    renew_lists_of_planes(model, state, geometry, work, &swept);
    geometry.note_before();
    let flow_power = deform::restart(model, state, work.soft.virial());
    start::start_ledger(model, state, geometry, work, stage.power, flow_power);
    Ok(())
}

/// Lists for a cell that the saved world did not have, or that no longer follows the flow they were made in.
fn renew_lists(
    model: &Model,
    state: &mut State,
    geometry: &mut Geometry,
    work: &mut Work,
    had_cell: bool,
) -> Result<(), RestoreError> {
    let Some(cell) = state.cell else { return Ok(()) };
    let halted = !model.flows() && cell.built != cell.frame.vectors;
    if !had_cell || halted {
        cell::check(model, state, &work.soft.lists.sizes).map_err(too_small)?;
        step::rebuild_lists(model, state, geometry, work);
    }
    if !had_cell {
        start::keep_rows_of_now(model, state, geometry, work);
        deform::note_virial(state, work.soft.virial());
    }
    Ok(())
}

/// Whether each wall is a plane that turns.
fn swept(state: &State, geometry: &Geometry) -> Vec<bool> {
    let movers = &state.bodies.movers[state.bodies.first_wall..];
    geometry.now().walls().zip(movers).map(|(wall, mover)| wall.sweeps(mover.angular_velocity)).collect()
}

/// Lists for planes that begin or cease to turn, or stand otherwise than when lists were made. How far a plane has turned is not
/// followed (`Wall::moved_since`): lists hold every sphere against one that turns, and only what is near against others.
fn renew_lists_of_planes(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work, before: &[bool]) {
    let now = swept(state, geometry);
    let plane = |posed: &Posed| posed.wall().and_then(Wall::plane);
    let changed = |k: usize| plane(geometry.posed(k)) != plane(geometry.posed_built(k));
    let turned = |(k, &sweeps): (usize, &bool)| !sweeps && changed(k);
    if now != before || now.iter().enumerate().any(turned) {
        step::rebuild_lists(model, state, geometry, work);
    }
}

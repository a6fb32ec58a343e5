//! Neighbour lists, made for bodies as they are or as they were. `neighbours.rs`: what they are; `fill.rs`: how those of a chunk are
//! made; `class.rs`: how contacts are sorted.

mod class;
mod fill;
mod neighbours;

use std::time::Instant;

use super::carry::{self, HeldContacts, Order, Places};
use super::{ChunkWork, Work, cell};
use crate::geometry::Geometry;
use crate::model::Model;
use crate::state::{Bodies, Slots, State, chunk_size};
pub use class::Class;
#[cfg(test)]
pub use neighbours::ClassRange;
pub use neighbours::{Candidate, ChunkNeighbours, Neighbours, Sizes};

/// Puts bodies in the order of space, makes candidate lists, carries contacts and their memory over by pair.
pub fn rebuild(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work) {
    let start = Instant::now();
    let held = take_contacts(model, state, work);
    work.free();
    work.nanoseconds += start.elapsed().as_nanos() as u64;
    make(model, state, geometry, work, held);
}

/// Takes contacts out of the lists, which are about to change.
pub fn take_contacts(model: &Model, state: &mut State, work: &Work) -> HeldContacts {
    carry::take_out(&work.lists.chunks, &model.laws, &state.bodies.movers, state.contacts.slots_mut())
}

/// The same as `rebuild` for contacts that were taken out before.
pub fn make(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work, held: HeldContacts) {
    let start = Instant::now();
    work.rebuilds += 1;
    cell::tidy(model, state, geometry);
    let bodies = &mut state.bodies;
    let cell = 4.0 * work.lists.sizes.skin.max(f64::MIN_POSITIVE);
    let order = bodies.order_in_space(cell);
    bodies.reorder(&order);
    geometry.pose(bodies);
    geometry.note_built();
    bodies.chunk = chunk_size(bodies.movers.len());
    bodies.built_at.clear();
    bodies.built_at.extend(bodies.movers.iter().map(|m| m.position));
    bodies.walls_built_at.clear();
    bodies.walls_built_at.extend_from_slice(&bodies.orientations[bodies.first_wall..]);
    let frame = state.cell.as_ref().map(|cell| &cell.frame);
    work.lists.build(&model.laws, bodies, geometry.now(), frame);
    fit(state, work);
    put_contacts_back(model, state, work, held, Order::OfCandidates);
    work.nanoseconds += start.elapsed().as_nanos() as u64;
}

/// Makes lists for bodies where they stood when lists were last made, and poses all where they are now.
pub fn make_as_built(model: &Model, state: &mut State, geometry: &mut Geometry, work: &mut Work) {
    let frame = cell::built_frame(state);
    let bodies = &mut state.bodies;
    swap_with_built(bodies);
    geometry.pose(bodies);
    geometry.note_built();
    work.lists.build(&model.laws, bodies, geometry.now(), frame.as_ref());
    swap_with_built(bodies);
    geometry.pose(bodies);
    geometry.note_before();
    fit(state, work);
}

/// Exchanges where bodies are, and how walls are turned, with what was so when lists were made.
fn swap_with_built(bodies: &mut Bodies) {
    let Bodies { movers, built_at, orientations, walls_built_at, first_wall, .. } = bodies;
    movers.iter_mut().zip(built_at).for_each(|(mover, built_at)| std::mem::swap(&mut mover.position, built_at));
    orientations[*first_wall..].swap_with_slice(walls_built_at);
}

/// What follows the lists chunk by chunk has as many chunks.
fn fit(state: &mut State, work: &mut Work) {
    let chunks = work.lists.chunks.len();
    state.contacts.slots_mut().resize_with(chunks, Slots::default);
    work.chunks.resize_with(chunks, ChunkWork::default);
}

/// Puts contacts into the lists.
pub fn put_contacts_back(model: &Model, state: &mut State, work: &mut Work, held: HeldContacts, order: Order) {
    let State { bodies, contacts, .. } = state;
    let Work { lists, chunks, .. } = work;
    carry::put_back(held, order, Places { lists, bodies, laws: &model.laws, contacts: contacts.slots_mut(), chunks });
}

//! Contacts one after the other, in the order in which they stand.

use std::ops::ControlFlow;

use super::lists::{ChunkNeighbours, Class, Neighbours};
use crate::contact::{ContactKey, VisitContact};
use crate::law::PairLaws;
use crate::model::Model;
use crate::state::{Mover, Slot, State};

/// The contact that has a place.
pub fn key_of(movers: &[Mover], lists: &ChunkNeighbours, slot: Slot) -> ContactKey {
    let candidate = &lists.candidates[slot.candidate()];
    let [a, b] = [candidate.a, candidate.b].map(|index| movers[index as usize].id);
    ContactKey { a, b, feature: u32::from(slot.feature()) }
}

/// Every place with what its contact remembers under the laws of the pair, until `visit` breaks.
pub fn each(model: &Model, state: &State, lists: &Neighbours, visit: &mut VisitContact) -> ControlFlow<()> {
    let mut numbers = Vec::with_capacity(model.laws.most_numbers());
    for (lists, slots) in lists.chunks.iter().zip(state.contacts.slots()) {
        for head in &slots.blocks {
            let class = Class::from_number(head.class, model.materials.len());
            let laws = model.laws.get(class.material_a, class.material_b);
            let Some(layout) = laws.map(PairLaws::layout) else { continue };
            let size = layout.size();
            let lanes = slots.lanes(head, size);
            for lane in 0..head.count as usize {
                layout.gather(lanes, lane, slots.cold(head, size, lane), &mut numbers);
                let key = key_of(&state.bodies.movers, lists, slots.placed[head.first as usize + lane]);
                visit(key, head.live >> lane & 1 == 1, &numbers)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// The pairs that touch, by index.
pub fn touching(lists: &Neighbours, state: &State) -> Vec<[u32; 2]> {
    let mut pairs = Vec::with_capacity(state.contact_count());
    for (lists, slots) in lists.chunks.iter().zip(state.contacts.slots()) {
        for head in &slots.blocks {
            for lane in super::lanes_of(head.live) {
                let candidate = &lists.candidates[slots.placed[head.first as usize + lane].candidate()];
                pairs.push([candidate.a, candidate.b]);
            }
        }
    }
    pairs
}

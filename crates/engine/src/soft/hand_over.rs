//! Memory that passes from wall to wall: a sphere that crosses a seam ends its contact with one wall and begins one with the
//! next in the same step, at the same place. Without this a grain that sways across a seam would lose its springs each
//! time, and creep down a slope that holds it.
//!
//! The springs go over as they are; the new contact's normal at the start of the step, from which laws carry them on, is
//! that of the new wall's rim, which is the old normal but for the way made in a step.
//!
//! Does not do: ellipsoids and boxes, which touch planes only; walls of other materials, or with ids on the other side of the sphere's; their contacts stand in other
//! blocks and begin with fresh memory.

use glam::DVec3;

use super::View;
use super::lists::{Candidate, ChunkNeighbours, Class};
use crate::collide::seams::is_same_place;
use crate::contact::Side;
use crate::law::tracked::POINTS_KNOWN;
use crate::model::LawTable;
use crate::state::{Slot, Slots};
use crate::wall::Wall;

/// Whether a contact with `to` goes on where one with `from` has ended.
pub fn goes_on(from: &Wall, to: &Wall, centre: DVec3, radius: f64) -> bool {
    let [p, q] = [from, to].map(|wall| {
        let nearest = wall.nearest(centre);
        nearest.normal * nearest.distance
    });
    is_same_place(p, q, radius)
}

/// Finds the wall contacts that end, each with the one that goes on in its place: `(from, to)`. To be called
/// before places are marked anew; `touching` has a byte for every candidate.
pub fn find(view: &View, lists: &ChunkNeighbours, contacts: &Slots, touching: &[u8], found: &mut Vec<(Slot, Slot)>) {
    if view.records.movers.len() - view.records.first_wall < 2 {
        return;
    }
    let touches = |slot: Slot| slot.is_among(touching);
    for head in &contacts.blocks {
        let side = Class::wall_of(head.class);
        if side == Side::Neither || Class::is_solid(head.class) || head.live == 0 {
            continue;
        }
        for lane in (0..head.count).filter(|lane| head.live >> lane & 1 == 1) {
            let from = contacts.placed[(head.first + lane) as usize];
            if touches(from) {
                continue;
            }
            let ranges = lists.classes.iter().filter(|range| range.class == head.class);
            let slots = ranges.flat_map(|range| range.first..range.end).map(|other| Slot::new(other, 0));
            let mut others = slots.filter(|&other| touches(other));
            let next = others.find(|&to| begins(contacts, to) && follows(view, lists, side, from, to));
            found.extend(next.map(|to| (from, to)));
        }
    }
}

/// Whether what touches now did not touch before.
fn begins(contacts: &Slots, slot: Slot) -> bool {
    place(contacts, slot).is_none_or(|(block, lane)| contacts.blocks[block].live >> lane & 1 == 0)
}

/// Block and lane of what has a place.
fn place(contacts: &Slots, slot: Slot) -> Option<(usize, usize)> {
    let place = contacts.placed.iter().position(|&placed| placed == slot)? as u32;
    let block = contacts.blocks.partition_point(|head| head.first <= place) - 1;
    Some((block, (place - contacts.blocks[block].first) as usize))
}

fn follows(view: &View, lists: &ChunkNeighbours, side: Side, from: Slot, to: Slot) -> bool {
    let parts = |candidate: &Candidate| match side {
        Side::A => (candidate.b, candidate.a),
        _ => (candidate.a, candidate.b),
    };
    let [(sphere, old), (other, new)] = [from, to].map(|slot| parts(&lists.candidates[slot.candidate()]));
    let mover = &view.records.movers[sphere as usize];
    let [old, new] = [old, new].map(|wall| view.colliders.now.wall(view.wall(wall)));
    sphere == other && goes_on(old, new, mover.position, mover.radius)
}

/// Copies the memory over. To be called when all have their places, before the memory of those that ended is dropped.
pub fn copy(contacts: &mut Slots, laws: &LawTable, found: &[(Slot, Slot)]) {
    for &(from, to) in found {
        if let (Some((old, from)), Some((new, to))) = (place(contacts, from), place(contacts, to)) {
            let [old, new] = [old, new].map(|block| contacts.blocks[block]);
            // Both are of one class, so of one size.
            let size = Class::memory_size(new.class, laws);
            for number in 0..size.hot {
                let kept = contacts.lanes(&old, size)[number].0[from];
                contacts.lanes_mut(&new, size)[number].0[to] = kept;
            }
            for number in 0..size.cold {
                let kept = contacts.cold(&old, size, from)[number];
                contacts.cold_mut(&new, size, to)[number] = kept;
            }
            // Points kept in the axes of the old wall mean nothing in those of the new one.
            let bits = &mut contacts.lanes_mut(&new, size)[0].0[to];
            *bits = f64::from_bits(bits.to_bits() & !POINTS_KNOWN);
        }
    }
}

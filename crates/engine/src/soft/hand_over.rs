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

use super::lists::{Candidate, ChunkNeighbours, Class};
use super::{View, lanes_of};
use crate::collide::seams::is_same_place;
use crate::contact::Side;
use crate::law::tracked::POINTS_KNOWN;
use crate::model::LawTable;
use crate::state::{BlockHead, Slot, Slots};
use crate::wall::Wall;

/// Whether a contact with `to` continues one with `from` that has ended.
pub fn continues(from: &Wall, to: &Wall, centre: DVec3, radius: f64) -> bool {
    let [p, q] = [from, to].map(|wall| {
        let nearest = wall.nearest(centre);
        nearest.normal * nearest.distance
    });
    is_same_place(p, q, radius)
}

/// Finds the wall contacts that end, each with the one that continues it: `(from, to)`. To be called before places are marked;
/// `touching` has a byte for every candidate.
pub fn find(view: &View, lists: &ChunkNeighbours, contacts: &Slots, touching: &[u8], found: &mut Vec<(Slot, Slot)>) {
    if view.records.movers.len() - view.records.first_wall < 2 {
        return;
    }
    for (class, from) in ended(contacts, touching) {
        let mut others = of_class(lists, class).filter(|&other| other.is_among(touching));
        let next = others.find(|&to| begins(contacts, to) && follows(view, lists, from, to));
        found.extend(next.map(|to| (from, to)));
    }
}

/// Marks what continues a contact that ends while its surfaces are apart: under a law that acts apart the gap may be too wide for
/// a contact to begin. `is_live` says whether a pair is live that was live before.
pub fn mark_apart(
    view: &View,
    lists: &ChunkNeighbours,
    contacts: &Slots,
    touching: &mut [u8],
    mut is_live: impl FnMut(&Candidate, Class) -> bool,
) {
    let ended: Vec<(u32, Slot)> = ended(contacts, touching).collect();
    for (number, from) in ended {
        let class = Class::from_number(number, view.laws.materials());
        let next = of_class(lists, number).find(|&to| {
            begins(contacts, to)
                && follows(view, lists, from, to)
                && (to.is_among(touching) || is_live(&lists.candidates[to.candidate()], class))
        });
        next.into_iter().for_each(|to| touching[to.candidate()] = 1);
    }
}

/// The contacts of spheres with walls that end, with the numbers of their classes.
fn ended<'a>(contacts: &'a Slots, touching: &'a [u8]) -> impl Iterator<Item = (u32, Slot)> + 'a {
    let of_walls = |head: &&BlockHead| Class::wall_of(head.class) != Side::Neither && !Class::is_solid(head.class);
    let live = contacts.blocks.iter().filter(of_walls).flat_map(|head| {
        let slot = |lane: usize| (head.class, contacts.placed[head.first as usize + lane]);
        lanes_of(head.live).map(slot)
    });
    live.filter(|(_, slot)| !slot.is_among(touching))
}

/// The pairs of a class of spheres and walls.
fn of_class(lists: &ChunkNeighbours, class: u32) -> impl Iterator<Item = Slot> {
    let ranges = lists.classes.iter().filter(move |range| range.class == class);
    ranges.flat_map(|range| range.first..range.end).map(|pair| Slot::new(pair, 0))
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

/// Whether the second of two pairs of one class continues the first.
fn follows(view: &View, lists: &ChunkNeighbours, from: Slot, to: Slot) -> bool {
    let is_wall = |index: u32| index as usize >= view.records.first_wall;
    let parts = |candidate: &Candidate| {
        if is_wall(candidate.a) { (candidate.b, candidate.a) } else { (candidate.a, candidate.b) }
    };
    let [(sphere, old), (other, new)] = [from, to].map(|slot| parts(&lists.candidates[slot.candidate()]));
    let mover = &view.records.movers[sphere as usize];
    let [old, new] = [old, new].map(|wall| view.colliders.now.wall(view.wall(wall)));
    sphere == other && continues(old, new, mover.position, mover.radius)
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

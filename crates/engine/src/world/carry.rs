//! What the making of neighbour lists asks of a world: the order of bodies, and contacts carried over by pair. And the
//! memory of contacts carried over to another world.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::World;
use crate::body::Motion;
use crate::contact::{LANES, Lanes};
use crate::explicit::places;
use crate::law::kernel::MemoryLayout;
use crate::law::one::PairMemory;
use crate::neighbour::{Class, Neighbours};
use crate::state::{Bodies, ChunkContacts, GONE};
use crate::wall::Wall;

/// A contact between two makings of the neighbour lists: its bodies' ids, and where its memory is kept.
#[derive(Clone, Copy, Default)]
pub(super) struct HeldContact {
    pub a: u32,
    pub b: u32,
    /// Which memory of `HeldContacts`, and the place there: 32 to a block.
    chunk: u32,
    place: u32,
}

/// Contacts out of their lists, and their memory, still in its blocks.
pub(super) struct HeldContacts {
    contacts: Vec<HeldContact>,
    memory: Vec<Vec<Lanes>>,
}

/// In which order contacts stand in a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// That of the candidates: lists are new.
    OfCandidates,
    /// That in which they are held: lists are those of before.
    Held,
}

impl HeldContacts {
    /// None yet, with room for so many.
    pub fn with_capacity(count: usize) -> Self {
        HeldContacts { contacts: Vec::with_capacity(count), memory: vec![Vec::new()] }
    }

    /// Holds one more, which remembers `numbers`, as many as `stride`.
    pub fn push(&mut self, a: u32, b: u32, stride: usize, numbers: impl Iterator<Item = f64>) {
        let place = self.contacts.len();
        let memory = &mut self.memory[0];
        memory.resize((place / LANES + 1) * stride, Lanes::ZERO);
        for (lanes, number) in memory[place / LANES * stride..].iter_mut().zip(numbers) {
            lanes.0[place % LANES] = number;
        }
        self.contacts.push(HeldContact { a, b, chunk: 0, place: place as u32 });
    }
}

/// What the contacts of a world remember, by the ids of their bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    rows: Vec<(u32, u32, PairMemory)>,
}

impl Remembered {
    /// Of these pairs, each with the lower id first.
    pub fn new(mut rows: Vec<(u32, u32, PairMemory)>) -> Self {
        rows.sort_unstable_by_key(|row| (row.0, row.1));
        Remembered { rows }
    }

    /// Pairs, lower id first, and what they remember.
    pub fn rows(&self) -> &[(u32, u32, PairMemory)] {
        &self.rows
    }

    /// How many contacts remember something.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl World {
    /// What its contacts remember.
    pub fn remembered(&self) -> Remembered {
        let mut rows = Vec::new();
        for (lists, contacts) in self.neighbours.chunks.iter().zip(&self.state.contacts) {
            for (block, head) in contacts.blocks.iter().enumerate() {
                let class = Class::from_number(head.class, self.model.materials.len());
                let Some(laws) = self.model.laws.get(class.material_a, class.material_b) else { continue };
                let layout = MemoryLayout::of(laws);
                let lanes = &contacts.memory[block * self.stride..(block + 1) * self.stride];
                for lane in (0..head.count as usize).filter(|lane| head.live >> lane & 1 == 1) {
                    let candidate = &lists.candidates[contacts.placed[head.first as usize + lane] as usize];
                    let [a, b] = [candidate.a, candidate.b].map(|i| self.state.bodies.movers[i as usize].id);
                    rows.push((a, b, PairMemory::from_lanes(&layout, lanes, lane)));
                }
            }
        }
        Remembered::new(rows)
    }

    /// Gives the contacts of a new world what others remember. Memory of pairs that are not near each other is dropped.
    pub(super) fn remember(&mut self, remembered: &Remembered) {
        if remembered.is_empty() {
            return;
        }
        let mut held = HeldContacts::with_capacity(remembered.len());
        for &(a, b, memory) in &remembered.rows {
            let Some([first, second]) = self.materials_of(a, b) else { continue };
            let Some(laws) = self.model.laws.get(first, second) else { continue };
            held.push(a, b, self.stride, memory.to_numbers(&MemoryLayout::of(laws)));
        }
        self.put_contacts_back(&held, Order::OfCandidates);
    }

    fn materials_of(&self, a: u32, b: u32) -> Option<[u16; 2]> {
        Some([*self.material_of.get(a as usize)?, *self.material_of.get(b as usize)?])
    }

    /// Puts the walls where their bodies are.
    pub(super) fn place_walls(&mut self) {
        let bodies = &self.state.bodies;
        self.walls.clear();
        for (mover, &orientation) in bodies.movers.iter().zip(&bodies.orientations).skip(bodies.spheres) {
            let special = &self.specials[mover.special as usize - 1];
            let wall = special.wall.and_then(|shape| Wall::new(&shape, mover.position, orientation));
            let wall = wall.expect("a body without radius is a wall");
            self.walls.push(wall.running(matches!(special.motion, Motion::Belt(_))));
        }
    }

    /// Takes contacts out of the lists, which are about to change. Until they are put back there are none.
    pub(super) fn take_contacts(&mut self) -> HeldContacts {
        let touching: Vec<usize> = self.state.contacts.iter().map(ChunkContacts::touching).collect();
        let mut contacts = vec![HeldContact::default(); touching.iter().sum()];
        let mut rest = contacts.as_mut_slice();
        let mut parts = Vec::with_capacity(touching.len());
        for count in touching {
            let (part, after) = rest.split_at_mut(count);
            parts.push(part);
            rest = after;
        }
        let movers = &self.state.bodies.movers;
        let chunks = self.neighbours.chunks.par_iter().zip(&self.state.contacts).zip(parts).enumerate();
        chunks.for_each(|(chunk, ((lists, contacts), part))| {
            let mut held = part.iter_mut();
            for (block, head) in contacts.blocks.iter().enumerate() {
                let live = (0..head.count as usize).filter(|lane| head.live >> lane & 1 == 1);
                for (lane, held) in live.zip(&mut held) {
                    let candidate = &lists.candidates[contacts.placed[head.first as usize + lane] as usize];
                    let [a, b] = [candidate.a, candidate.b].map(|i| movers[i as usize].id);
                    *held = HeldContact { a, b, chunk: chunk as u32, place: (block * LANES + lane) as u32 };
                }
            }
        });
        let memory = self.state.contacts.iter_mut().map(|contacts| std::mem::take(&mut contacts.memory)).collect();
        HeldContacts { contacts, memory }
    }

    /// Puts contacts into new lists. Those of bodies that have left, or are far from each other, are dropped.
    pub(super) fn put_contacts_back(&mut self, held: &HeldContacts, order: Order) {
        let by_owner = ByOwner::new(&self.neighbours, &self.state.bodies, &held.contacts);
        let (stride, memory) = (self.stride, &held.memory);
        let chunks = self.neighbours.chunks.par_iter().zip(&mut self.state.contacts);
        chunks.for_each_init(Vec::new, |from, (lists, contacts)| {
            let mut placed = std::mem::take(&mut contacts.placed);
            placed.clear();
            from.clear();
            for (place, candidate) in lists.candidates.iter().enumerate() {
                if let Some(held) = by_owner.find(candidate.a, candidate.b) {
                    placed.push(place as u32);
                    from.push(held);
                }
            }
            places::watch_others(lists, &placed, &mut contacts.watch);
            if order == Order::Held {
                let mut pairs: Vec<_> = placed.iter().copied().zip(from.iter().copied()).collect();
                pairs.sort_unstable_by_key(|(_, held)| (held.chunk, held.place));
                (placed, *from) = pairs.into_iter().unzip();
            }
            places::lay_out(lists, &placed, stride, contacts);
            contacts.placed = placed;
            for (block, head) in contacts.blocks.iter_mut().enumerate() {
                head.live = head.all();
                let new = &mut contacts.memory[block * stride..(block + 1) * stride];
                for (lane, held) in from[head.first as usize..][..head.count as usize].iter().enumerate() {
                    let (block, old_lane) = (held.place as usize / LANES, held.place as usize % LANES);
                    let old = &memory[held.chunk as usize][block * stride..(block + 1) * stride];
                    new.iter_mut().zip(old).for_each(|(new, old)| new.0[lane] = old.0[old_lane]);
                }
            }
        });
    }
}

/// Contacts by the body that owns their pair: a list for each body. In which order contacts stand in a list depends on
/// threads; who is found does not.
struct ByOwner<'a> {
    held: &'a [HeldContact],
    /// The first contact of each list.
    first: Vec<AtomicU32>,
    links: Vec<Link>,
}

/// The other body of a contact, by index, and the next contact of the same owner.
#[derive(Clone, Copy)]
struct Link {
    other: u32,
    next: u32,
}

/// The end of a list.
const END: u32 = u32::MAX;

impl<'a> ByOwner<'a> {
    fn new(neighbours: &Neighbours, bodies: &Bodies, held: &'a [HeldContact]) -> Self {
        let first: Vec<AtomicU32> = bodies.movers.iter().map(|_| AtomicU32::new(END)).collect();
        let link = |(number, contact): (usize, &HeldContact)| {
            let [i, j] = [contact.a, contact.b].map(|id| bodies.index_of[id as usize]);
            if i == GONE || j == GONE {
                return Link { other: GONE, next: END };
            }
            let owner = neighbours.owner(bodies, i, j);
            let other = if owner == i { j } else { i };
            Link { other, next: first[owner as usize].swap(number as u32, Ordering::Relaxed) }
        };
        let links = held.par_iter().with_min_len(1024).enumerate().map(link).collect();
        ByOwner { held, first, links }
    }

    /// The contact of two bodies, by index.
    fn find(&self, i: u32, j: u32) -> Option<&'a HeldContact> {
        self.of_owner(i, j).or_else(|| self.of_owner(j, i))
    }

    fn of_owner(&self, owner: u32, other: u32) -> Option<&'a HeldContact> {
        let mut at = self.first[owner as usize].load(Ordering::Relaxed);
        while at != END {
            let link = self.links[at as usize];
            if link.other == other {
                return Some(&self.held[at as usize]);
            }
            at = link.next;
        }
        None
    }
}

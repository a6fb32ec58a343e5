//! What the making of neighbour lists asks of a world: the order of bodies, and contacts carried over by pair. And the
//! memory of contacts carried over to another world.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::World;
use crate::body::Motion;
use crate::contact::{LANES, Lanes};
use crate::explicit::places;
use crate::law::{MemoryLayout, PairMemory};
use crate::neighbour::{Class, Neighbours};
use crate::state::{Bodies, ChunkContacts, GONE};
use crate::wall::Wall;

/// A contact between two makings of the neighbour lists: its bodies' ids, and where its memory is kept.
#[derive(Clone, Copy, Default)]
pub(super) struct HeldContact {
    pub a: u32,
    pub b: u32,
    pub feature: u8,
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

/// The memory of held contacts while they are put back. A piece goes when the last of its contacts has taken its own:
/// the old and the new memory of all contacts together would be the most memory that a world ever needs.
struct Pieces(Vec<Mutex<Piece>>);

#[derive(Default)]
struct Piece {
    memory: Arc<Vec<Lanes>>,
    /// Contacts that have not taken theirs.
    left: usize,
}

impl Pieces {
    fn new(held: &[HeldContact], memory: Vec<Vec<Lanes>>) -> Self {
        let mut left = vec![0; memory.len()];
        held.iter().for_each(|contact| left[contact.chunk as usize] += 1);
        let piece = |(memory, left)| Mutex::new(Piece { memory: Arc::new(memory), left });
        Pieces(memory.into_iter().zip(left).map(piece).collect())
    }

    fn piece(&self, number: u32) -> MutexGuard<'_, Piece> {
        // Nothing is ever left half done.
        self.0[number as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives these contacts, in blocks, what they remember.
    fn hand_out(&self, from: &[&HeldContact], stride: usize, contacts: &mut ChunkContacts) {
        // A chunk meets some twenty pieces: a linear search beats a map.
        let mut taken: Vec<(u32, Arc<Vec<Lanes>>, usize)> = Vec::new();
        for (block, head) in contacts.blocks.iter_mut().enumerate() {
            head.live = head.all();
            let new = &mut contacts.memory[block * stride..(block + 1) * stride];
            for (lane, held) in from[head.first as usize..][..head.count as usize].iter().enumerate() {
                let at = taken.iter().position(|(number, ..)| *number == held.chunk).unwrap_or_else(|| {
                    taken.push((held.chunk, self.piece(held.chunk).memory.clone(), 0));
                    taken.len() - 1
                });
                let (_, memory, count) = &mut taken[at];
                *count += 1;
                let (block, old_lane) = (held.place as usize / LANES, held.place as usize % LANES);
                let old = &memory[block * stride..(block + 1) * stride];
                new.iter_mut().zip(old).for_each(|(new, old)| new.0[lane] = old.0[old_lane]);
            }
        }
        for (number, memory, count) in taken {
            let mut piece = self.piece(number);
            piece.left -= count;
            if piece.left == 0 {
                piece.memory = Arc::default();
            }
            drop((piece, memory));
        }
    }
}

impl HeldContacts {
    /// None yet, with room for so many.
    pub fn with_capacity(count: usize) -> Self {
        HeldContacts { contacts: Vec::with_capacity(count), memory: vec![Vec::new()] }
    }

    /// Holds one more, which remembers `numbers`, as many as `stride`.
    pub fn push(&mut self, (a, b, feature): (u32, u32, u8), stride: usize, numbers: impl Iterator<Item = f64>) {
        let place = self.contacts.len();
        let memory = &mut self.memory[0];
        memory.resize((place / LANES + 1) * stride, Lanes::ZERO);
        for (lanes, number) in memory[place / LANES * stride..].iter_mut().zip(numbers) {
            lanes.0[place % LANES] = number;
        }
        self.contacts.push(HeldContact { a, b, feature, chunk: 0, place: place as u32 });
    }
}

/// What one contact remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct RememberedContact {
    /// Lower id.
    pub a: u32,
    /// Higher id.
    pub b: u32,
    /// Which of several contacts of the two: see `ContactRow`.
    pub feature: u8,
    /// What it remembers.
    pub memory: PairMemory,
}

/// What the contacts of a world remember, by the ids of their bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    rows: Vec<RememberedContact>,
}

impl Remembered {
    /// Of these pairs, each with the lower id first.
    pub fn new(mut rows: Vec<RememberedContact>) -> Self {
        rows.sort_unstable_by_key(|row| (row.a, row.b, row.feature));
        Remembered { rows }
    }

    /// Pairs, lower id first, and what they remember.
    pub fn rows(&self) -> &[RememberedContact] {
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
                    let memory = PairMemory::from_lanes(&layout, lanes, lane);
                    rows.push(RememberedContact { a, b, feature: candidate.feature(), memory });
                }
            }
        }
        Remembered::new(rows)
    }

    /// What others remember, for the contacts of a new world. Memory of pairs that are not near each other is dropped.
    pub(super) fn held_from(&self, remembered: &Remembered) -> HeldContacts {
        let mut held = HeldContacts::with_capacity(remembered.len());
        for RememberedContact { a, b, feature, memory } in &remembered.rows {
            let Some([first, second]) = self.materials_of(*a, *b) else { continue };
            if self.model.laws.get(first, second).is_some() {
                held.push((*a, *b, *feature), self.stride, memory.numbers().iter().copied());
            }
        }
        held
    }

    fn materials_of(&self, a: u32, b: u32) -> Option<[u16; 2]> {
        Some([*self.material_of.get(a as usize)?, *self.material_of.get(b as usize)?])
    }

    /// Puts the walls, and the ellipsoids and boxes, where their bodies are.
    pub(super) fn place_walls(&mut self) {
        let bodies = &self.state.bodies;
        for solid in &mut self.solids {
            // One that has left stays where it was: nobody asks for it.
            if let Some(mover) = bodies.movers.get(bodies.index_of[solid.id as usize] as usize) {
                solid.put(mover.position, bodies.orientations[bodies.index_of[solid.id as usize] as usize]);
            }
        }
        self.walls.clear();
        for (mover, &orientation) in bodies.movers.iter().zip(&bodies.orientations).skip(bodies.spheres) {
            let special = &self.specials[mover.special as usize - 1];
            let wall = special.wall.and_then(|shape| Wall::new(&shape, mover.position, orientation));
            let wall = wall.expect("a body without radius is a wall");
            self.walls.push(wall.running(matches!(special.motion, Motion::Belt(_))));
        }
    }

    /// Takes the walls and solids as they are for those at the start of the step.
    pub(super) fn note_walls_before(&mut self) {
        self.walls_before.clone_from(&self.walls);
        self.solids_before.clone_from(&self.solids);
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
                    let (feature, place) = (candidate.feature(), (block * LANES + lane) as u32);
                    *held = HeldContact { a, b, feature, chunk: chunk as u32, place };
                }
            }
        });
        let memory = self.state.contacts.iter_mut().map(|contacts| std::mem::take(&mut contacts.memory)).collect();
        HeldContacts { contacts, memory }
    }

    /// Puts contacts into new lists. Those of bodies that have left, or are far from each other, are dropped.
    pub(super) fn put_contacts_back(&mut self, held: HeldContacts, order: Order) {
        let pieces = Pieces::new(&held.contacts, held.memory);
        let by_owner = ByOwner::new(&self.neighbours, &self.state.bodies, &held.contacts);
        let stride = self.stride;
        let chunks = self.neighbours.chunks.par_iter().zip(&mut self.state.contacts);
        chunks.for_each_init(Vec::new, |from, (lists, contacts)| {
            let mut placed = std::mem::take(&mut contacts.placed);
            placed.clear();
            from.clear();
            for (place, candidate) in lists.candidates.iter().enumerate() {
                if let Some(held) = by_owner.find(candidate.a, candidate.b, candidate.feature()) {
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
            pieces.hand_out(from, stride, contacts);
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

    /// The contact of two bodies, by index, and of their features.
    fn find(&self, i: u32, j: u32, feature: u8) -> Option<&'a HeldContact> {
        self.of_owner(i, j, feature).or_else(|| self.of_owner(j, i, feature))
    }

    fn of_owner(&self, owner: u32, other: u32, feature: u8) -> Option<&'a HeldContact> {
        let mut at = self.first[owner as usize].load(Ordering::Relaxed);
        while at != END {
            let link = self.links[at as usize];
            if link.other == other && self.held[at as usize].feature == feature {
                return Some(&self.held[at as usize]);
            }
            at = link.next;
        }
        None
    }
}

//! Contacts carried over when neighbour lists change: taken out with the ids of their bodies, put back by pair.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::lists::{ChunkNeighbours, Class, Neighbours};
use super::{ChunkWork, slots};
use crate::contact::{ContactKey, LANES, Lanes, Remembered};
use crate::law::PairLaws;
use crate::model::{LawTable, Model};
use crate::state::{Bodies, GONE, Mover, Slot, Slots};

/// A contact between two makings of the neighbour lists: its bodies' ids, and where its memory is kept.
#[derive(Clone, Copy, Default)]
pub struct HeldContact {
    pub a: u32,
    pub b: u32,
    pub feature: u8,
    /// Which memory of `HeldContacts`, and where it begins there: lane after lane, and in the cold slab.
    chunk: u32,
    place: u32,
    cold: u32,
}

/// Contacts out of their lists, and their memory, still in its blocks.
pub struct HeldContacts {
    contacts: Vec<HeldContact>,
    memory: Vec<HeldMemory>,
}

/// Lanes of memory and a cold slab.
#[derive(Default)]
struct HeldMemory {
    lanes: Vec<Lanes>,
    cold: Vec<f64>,
    /// Places beside the last contact of as many numbers, while contacts are added one by one.
    beside: Vec<(usize, usize)>,
}

impl HeldMemory {
    /// Adds what a contact of these laws remembers; numbers that are missing at the end are zero. Returns where it begins.
    fn push(&mut self, laws: &PairLaws, numbers: &[f64]) -> [u32; 2] {
        let layout = laws.layout();
        let size = layout.size();
        let HeldMemory { lanes, cold, beside } = self;
        let open = beside.iter().position(|(hot, _)| *hot == size.hot).unwrap_or_else(|| {
            beside.push((size.hot, 0));
            beside.len() - 1
        });
        let next = &mut beside[open].1;
        if next.is_multiple_of(LANES) {
            *next = LANES * lanes.len();
            lanes.resize(lanes.len() + size.hot, Lanes::ZERO);
        }
        let (place, first) = (*next, cold.len());
        *next += 1;
        cold.resize(first + size.cold, 0.0);
        layout.scatter(numbers, &mut lanes[place / LANES..], place % LANES, &mut cold[first..]);
        [place as u32, first as u32]
    }
}

/// In which order contacts stand in a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
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
    memory: Arc<HeldMemory>,
    /// Contacts that have not taken theirs.
    left: usize,
}

impl Pieces {
    fn new(held: &[HeldContact], memory: Vec<HeldMemory>) -> Self {
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
    fn hand_out(&self, from: &[&HeldContact], laws: &LawTable, contacts: &mut Slots) {
        // A chunk meets some twenty pieces: a linear search beats a map.
        let mut taken: Vec<(u32, Arc<HeldMemory>, usize)> = Vec::new();
        let Slots { blocks, memory: lanes, cold, .. } = contacts;
        for head in blocks {
            head.live = head.all();
            let size = Class::memory_size(head.class, laws);
            let new = &mut lanes[head.memory as usize..][..size.hot];
            for (lane, held) in from[head.first as usize..][..head.count as usize].iter().enumerate() {
                let at = taken.iter().position(|(number, ..)| *number == held.chunk).unwrap_or_else(|| {
                    taken.push((held.chunk, self.piece(held.chunk).memory.clone(), 0));
                    taken.len() - 1
                });
                let (_, memory, count) = &mut taken[at];
                *count += 1;
                let (first, old_lane) = (held.place as usize / LANES, held.place as usize % LANES);
                let old = &memory.lanes[first..][..size.hot];
                new.iter_mut().zip(old).for_each(|(new, old)| new.0[lane] = old.0[old_lane]);
                let new = &mut cold[head.cold as usize + lane * size.cold..][..size.cold];
                new.copy_from_slice(&memory.cold[held.cold as usize..][..size.cold]);
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
    /// Those of these bodies that touch. Memory of pairs that are not near each other is dropped later.
    pub fn of(remembered: &Remembered, model: &Model, bodies: &Bodies) -> Self {
        HeldContacts::chosen(remembered, model, bodies, |live| live)
    }

    /// All of them; what does not touch remembers nothing.
    pub fn all_of(remembered: &Remembered, model: &Model, bodies: &Bodies) -> Self {
        HeldContacts::chosen(remembered, model, bodies, |_| true)
    }

    fn chosen(remembered: &Remembered, model: &Model, bodies: &Bodies, choose: impl Fn(bool) -> bool) -> Self {
        let (mut memory, mut contacts) = (HeldMemory::default(), Vec::with_capacity(remembered.len()));
        let material_of = |id: u32| bodies.material_of.get(id as usize).copied();
        for (ContactKey { a, b, feature }, live, numbers) in remembered.iter().filter(|(_, live, _)| choose(*live)) {
            let (Some(first), Some(second)) = (material_of(a), material_of(b)) else { continue };
            if let Some(laws) = model.laws.get(first, second) {
                let [place, cold] = memory.push(laws, if live { numbers } else { &[] });
                contacts.push(HeldContact { a, b, feature: feature as u8, chunk: 0, place, cold });
            }
        }
        HeldContacts { contacts, memory: vec![memory] }
    }
}

/// Takes contacts out of the lists, which are about to change. Until they are put back there are none.
pub fn take_out(lists: &[ChunkNeighbours], laws: &LawTable, movers: &[Mover], contacts: &mut [Slots]) -> HeldContacts {
    let touching: Vec<usize> = contacts.iter().map(Slots::touching).collect();
    let mut held = vec![HeldContact::default(); touching.iter().sum()];
    let mut rest = held.as_mut_slice();
    let mut parts = Vec::with_capacity(touching.len());
    for count in touching {
        let (part, after) = rest.split_at_mut(count);
        parts.push(part);
        rest = after;
    }
    let chunks = lists.par_iter().zip(&*contacts).zip(parts).enumerate();
    chunks.for_each(|(chunk, ((lists, contacts), part))| {
        let mut held = part.iter_mut();
        for head in &contacts.blocks {
            let size = Class::memory_size(head.class, laws);
            let live = (0..head.count as usize).filter(|lane| head.live >> lane & 1 == 1);
            for (lane, held) in live.zip(&mut held) {
                let slot = contacts.placed[head.first as usize + lane];
                let candidate = &lists.candidates[slot.candidate()];
                let [a, b] = [candidate.a, candidate.b].map(|i| movers[i as usize].id);
                let (feature, place) = (slot.feature(), head.memory * LANES as u32 + lane as u32);
                let cold = head.cold + (lane * size.cold) as u32;
                *held = HeldContact { a, b, feature, chunk: chunk as u32, place, cold };
            }
        }
    });
    let take = |contacts: &mut Slots| HeldMemory {
        lanes: std::mem::take(&mut contacts.memory),
        cold: std::mem::take(&mut contacts.cold),
        beside: Vec::new(),
    };
    let memory = contacts.iter_mut().map(take).collect();
    HeldContacts { contacts: held, memory }
}

/// Where contacts are put back: new lists, and what follows them chunk by chunk.
pub struct Places<'a> {
    /// The lists, made for these bodies.
    pub lists: &'a Neighbours,
    /// Bodies.
    pub bodies: &'a Bodies,
    /// Which laws act, and so how much contacts remember.
    pub laws: &'a LawTable,
    /// Contacts; what they were before goes.
    pub contacts: &'a mut [Slots],
    /// Who is waited for.
    pub chunks: &'a mut [ChunkWork],
}

/// Puts contacts into new lists. Those of bodies that have left, or are far from each other, are dropped.
pub fn put_back(held: HeldContacts, order: Order, places: Places) {
    let Places { lists, bodies, laws, contacts, chunks } = places;
    let pieces = Pieces::new(&held.contacts, held.memory);
    let by_owner = ByOwner::new(lists, bodies, &held.contacts);
    let chunks = lists.chunks.par_iter().zip(contacts).zip(chunks);
    chunks.for_each_init(Vec::new, |from, ((lists, contacts), work)| {
        contacts.placed.clear();
        from.clear();
        for range in &lists.classes {
            let features = Class::most_features(range.class);
            for slot in (range.first..range.end).flat_map(|index| (0..features).map(move |k| Slot::new(index, k))) {
                let candidate = &lists.candidates[slot.candidate()];
                if let Some(held) = by_owner.find(candidate.a, candidate.b, slot.feature()) {
                    contacts.placed.push(slot);
                    from.push(held);
                }
            }
        }
        slots::watch_others(lists, &contacts.placed, &mut work.watch);
        if order == Order::Held {
            let mut pairs: Vec<_> = contacts.placed.iter().copied().zip(from.iter().copied()).collect();
            // All are in one list, in the order in which they are held.
            pairs.sort_unstable_by_key(|(_, held)| std::ptr::from_ref(*held));
            (contacts.placed, *from) = pairs.into_iter().unzip();
        }
        slots::lay_out(lists, laws, contacts);
        pieces.hand_out(from, laws, contacts);
    });
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

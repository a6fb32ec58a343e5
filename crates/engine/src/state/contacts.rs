//! What contacts remember, as the method keeps it: in slots of soft contacts, or in one sorted list.
//!
//! Does not do: say which pairs touch (`soft`), what the numbers mean (`law`), what is remembered outside a method
//! (`contact::Remembered`).

use crate::contact::{Lanes, Remembered};
use crate::law::MemorySize;
use crate::model::Method;

/// The contacts of a state and their memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Contacts {
    /// Of a method with soft contacts: by chunk of bodies.
    Slots(Vec<Slots>),
    /// Of a method that keeps those that touch in one list, by rising keys.
    Keyed(Remembered),
}

impl Default for Contacts {
    fn default() -> Self {
        Contacts::Slots(Vec::new())
    }
}

impl Contacts {
    /// None yet, as a method keeps them.
    pub fn of(method: &Method) -> Self {
        match method {
            Method::Explicit(_) => Contacts::default(),
            Method::Nonsmooth(_) => Contacts::Keyed(Remembered::default()),
        }
    }

    /// Whether they are those of a method with neighbour lists, which a checkpoint then says more of.
    pub fn are_listed(&self) -> bool {
        matches!(self, Contacts::Slots(_))
    }

    /// How many touch.
    pub fn count(&self) -> usize {
        match self {
            Contacts::Slots(chunks) => chunks.iter().map(Slots::touching).sum(),
            Contacts::Keyed(keyed) => keyed.len(),
        }
    }

    /// How many places there are, of contacts that touch or may again.
    pub fn places(&self) -> usize {
        match self {
            Contacts::Slots(chunks) => chunks.iter().map(|slots| slots.placed.len()).sum(),
            Contacts::Keyed(keyed) => keyed.len(),
        }
    }

    /// The slots of soft contacts, by chunk of bodies. Panics for a method that has none.
    pub fn slots(&self) -> &[Slots] {
        match self {
            Contacts::Slots(chunks) => chunks,
            Contacts::Keyed(_) => unreachable!("a method with slots asks"),
        }
    }

    /// The same, to be changed.
    pub fn slots_mut(&mut self) -> &mut Vec<Slots> {
        match self {
            Contacts::Slots(chunks) => chunks,
            Contacts::Keyed(_) => unreachable!("a method with slots asks"),
        }
    }

    /// The list by rising keys; `None` for a method that has none.
    pub fn keyed(&self) -> Option<&Remembered> {
        match self {
            Contacts::Slots(_) => None,
            Contacts::Keyed(keyed) => Some(keyed),
        }
    }
}

/// A place among the contacts of a chunk: which of the chunk's candidates it is for, and which of the features in which the two may
/// touch. Rising by candidate, then by feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot(u32);

/// Bits of a slot that hold the feature: no pair of shapes that is built has more than eight (`collide::MOST_TOUCHES`).
const FEATURE_BITS: u32 = 3;

impl Slot {
    /// The place of a feature, below 8, of a candidate.
    #[inline(always)]
    pub fn new(candidate: u32, feature: u32) -> Self {
        Slot(candidate << FEATURE_BITS | feature)
    }

    /// Which of the chunk's candidates.
    #[inline(always)]
    pub fn candidate(self) -> usize {
        (self.0 >> FEATURE_BITS) as usize
    }

    /// Whether it is set in a list that has a byte for each candidate and a bit there for each feature.
    #[inline(always)]
    pub fn is_among(self, set: &[u8]) -> bool {
        set[self.candidate()] >> self.feature() & 1 == 1
    }

    /// Which feature of the pair: see `collide::Touch`.
    #[inline(always)]
    pub fn feature(self) -> u8 {
        (self.0 & ((1 << FEATURE_BITS) - 1)) as u8
    }
}

/// The contacts whose owner stands in one chunk of bodies, in blocks of 32 of one class.
///
/// A pair that stops touching keeps its place until neighbour lists are made anew, with its memory dropped: in a packing
/// at rest the same few pairs open and close again and again, and need not shift all others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slots {
    /// Which features of the chunk's candidates touch, or have touched since lists were made, in the order of sums (`soft/slots.rs`).
    pub placed: Vec<Slot>,
    /// Blocks over `placed`.
    pub blocks: Vec<BlockHead>,
    /// Memory, as many lanes per block as the laws of its class ask for: the bits of slipping, then slide, roll and spin. Zero
    /// for places that are not live; lanes beyond the places may hold anything.
    pub memory: Vec<Lanes>,
    /// The cold slab: long memories, 32 contacts per block, contact after contact. Empty where no law has one.
    pub cold: Vec<f64>,
}

impl Slots {
    /// The lanes of memory of a block whose contacts remember so much.
    #[inline(always)]
    pub fn lanes(&self, head: &BlockHead, size: MemorySize) -> &[Lanes] {
        &self.memory[head.memory as usize..][..size.hot]
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn lanes_mut(&mut self, head: &BlockHead, size: MemorySize) -> &mut [Lanes] {
        &mut self.memory[head.memory as usize..][..size.hot]
    }

    /// What a contact of a block has in the cold slab.
    #[inline(always)]
    pub fn cold(&self, head: &BlockHead, size: MemorySize, lane: usize) -> &[f64] {
        &self.cold[head.cold as usize + lane * size.cold..][..size.cold]
    }

    /// The same, to be changed.
    #[inline(always)]
    pub fn cold_mut(&mut self, head: &BlockHead, size: MemorySize, lane: usize) -> &mut [f64] {
        &mut self.cold[head.cold as usize + lane * size.cold..][..size.cold]
    }

    /// How many touch.
    pub fn touching(&self) -> usize {
        self.blocks.iter().map(|head| head.live.count_ones() as usize).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.placed.capacity()
            + size_of::<BlockHead>() * self.blocks.capacity()
            + size_of::<Lanes>() * self.memory.capacity()
            + size_of::<f64>() * self.cold.capacity()
    }
}

/// Up to 32 contacts of one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockHead {
    /// Materials and shapes: see `soft::lists::Class`.
    pub class: u32,
    /// Where in `placed` it begins.
    pub first: u32,
    /// How many places it has.
    pub count: u32,
    /// One bit per place, set where the contact is live.
    pub live: u32,
    /// The same before the latest detection: how far a live contact reaches may differ from where one begins (`law::Reach`).
    pub was_live: u32,
    /// Where its lanes of memory begin.
    pub memory: u32,
    /// Where its numbers in the cold slab begin.
    pub cold: u32,
}

impl BlockHead {
    /// One bit for each place.
    pub fn all(&self) -> u32 {
        u32::MAX >> (32 - self.count)
    }
}

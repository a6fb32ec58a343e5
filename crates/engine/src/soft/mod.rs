//! Soft contacts, whoever steps: which pairs touch, where they stand in blocks, what they remember, and what laws make of them.
//!
//! A method keeps a `Work` beside the state and calls, in a step: `lists` when bodies have moved too far, `detect`, `evaluate`. All
//! are functions of slices of one chunk of bodies; how chunks are shared among threads is the method's business.
//!
//! Does not do: move bodies, know a method, or a world.

pub(crate) mod carry;
pub(crate) mod cell;
pub(crate) mod detect;
pub(crate) mod evaluate;
mod gather;
pub(crate) mod hand_over;
pub(crate) mod lists;
mod moved;
pub(crate) mod overlaps;
pub(crate) mod slots;
mod solids;
pub mod stable_step;
mod view;
pub(crate) mod visit;
pub(crate) mod watch;

use glam::DMat3;

use crate::collide::Touches;
use crate::measure::ContactRow;
use crate::state::{Load, Slot};
use lists::{Candidate, Neighbours};
pub(crate) use moved::{Closing, Moved, Velocities};
pub(crate) use view::{Asked, Colliders, Records, View};
use watch::Watch;

/// What soft contacts keep from step to step beside the state; all of it follows from the state, or may be dropped.
#[derive(Clone, Debug)]
pub struct Work {
    /// Candidate pairs.
    pub lists: Neighbours,
    /// By chunk of bodies.
    pub chunks: Vec<ChunkWork>,
    /// How the bodies of each chunk have moved.
    pub moved: Vec<Moved>,
    /// Whether the next evaluation keeps rows for the contacts record.
    pub keep_rows: bool,
    /// How often lists were made.
    pub rebuilds: u64,
    /// Nanoseconds spent on making lists.
    pub nanoseconds: u64,
}

/// What belongs to the contacts of one chunk.
#[derive(Clone, Debug, Default)]
pub struct ChunkWork {
    /// The candidates of two spheres that have no place: those that may begin to touch.
    pub watch: Watch,
    /// Scratch of detection.
    pub scratch: Scratch,
    /// Loads on bodies of other chunks.
    pub outboxes: Vec<Outbox>,
    /// Sums over its contacts.
    pub sums: ChunkSums,
    /// What the run must be stopped for.
    pub trouble: ChunkTrouble,
    /// Rows for the contacts record, when they are kept.
    pub rows: Vec<ContactRow>,
    /// Nanoseconds spent on detection and on laws, summed over steps.
    pub nanoseconds: [u64; 2],
}

/// What detection needs within a step.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// A byte for each candidate, a bit for each feature: set where a wall or a solid touches in this step. Not kept up where there
    /// are none.
    touching: Vec<u8>,
    /// The same for what was live in the step before, where a law acts apart.
    was_live: Vec<u8>,
    /// The touches of one pair.
    touches: Touches,
    /// Contacts with walls that end, and those that continue them.
    handed_over: Vec<(Slot, Slot)>,
    /// What has begun to touch in this step and needs a place.
    begun: Vec<Slot>,
}

/// Sums over the contacts of a chunk.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkSums {
    /// Power by normal, slide, roll, spin.
    pub power: [f64; 4],
    /// Power that belts put in.
    pub belts: f64,
    /// Sum of the sizes of normal forces.
    pub pressed: f64,
    /// Sum of force (x) branch (J): xx, xy, xz, yx, .. with the force's component first.
    pub virial: [f64; 9],
}

/// What was found in a chunk that a run is stopped for.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChunkTrouble {
    /// A pair that overlaps too deeply, if there is one.
    pub too_deep: Option<TooDeep>,
    /// A sphere and a wall that it touches all around, if there are any.
    pub wrapped: Option<Candidate>,
}

/// A pair that overlaps by more than half the smaller radius, as it was found: bodies may have moved on since.
#[derive(Clone, Copy, Debug)]
pub struct TooDeep {
    /// The two.
    pub pair: Candidate,
    /// By how much (m).
    pub overlap: f64,
    /// How fast it grows (m/s); of a pair that has passed through itself, not a number to go by.
    pub approach: f64,
    /// How fast the two move past or towards each other (m/s).
    pub speed: f64,
    /// R_eff (m), where one of the two is an ellipsoid or a box.
    pub radius_eff: Option<f64>,
}

/// Loads on bodies of one other chunk, in the order in which they are added.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    bodies: Vec<u32>,
    loads: Vec<Load>,
}

impl Outbox {
    #[inline(always)]
    fn push(&mut self, body: u32, load: Load) {
        self.bodies.push(body);
        self.loads.push(load);
    }

    fn clear(&mut self) {
        self.bodies.clear();
        self.loads.clear();
    }

    /// Indices of bodies and the loads on them.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Load)> {
        self.bodies.iter().copied().zip(&self.loads)
    }
}

impl Work {
    /// Before any lists; the first evaluation keeps rows.
    pub fn new(lists: Neighbours) -> Self {
        Work { lists, chunks: Vec::new(), moved: Vec::new(), keep_rows: true, rebuilds: 0, nanoseconds: 0 }
    }

    /// Frees what the next step makes again.
    pub fn free(&mut self) {
        for chunk in &mut self.chunks {
            (chunk.scratch, chunk.outboxes) = (Scratch::default(), Vec::new());
        }
    }

    /// Power of contacts by normal, slide, roll, spin.
    pub fn power(&self) -> [f64; 4] {
        let mut sum = [0.0; 4];
        for chunk in &self.chunks {
            (0..4).for_each(|motion| sum[motion] += chunk.sums.power[motion]);
        }
        sum
    }

    /// Power that belts put in.
    pub fn belt_power(&self) -> f64 {
        self.chunks.iter().map(|chunk| chunk.sums.belts).sum()
    }

    /// Sum of the sizes of normal forces (N).
    pub fn pressed(&self) -> f64 {
        self.chunks.iter().map(|chunk| chunk.sums.pressed).sum()
    }

    /// Sum of force (x) branch over the contacts of the latest evaluation (J), the force's component in the row.
    pub fn virial(&self) -> DMat3 {
        let mut sums = [0.0; 9];
        for chunk in &self.chunks {
            (0..9).for_each(|k| sums[k] += chunk.sums.virial[k]);
        }
        DMat3::from_cols_array(&sums).transpose()
    }
}

impl ChunkSums {
    /// Sum of force (x) branch (J), the force's component in the row.
    pub fn virial(&self) -> DMat3 {
        DMat3::from_cols_array(&self.virial).transpose()
    }
}

impl ChunkWork {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let posted = |outbox: &Outbox| 4 * outbox.bodies.capacity() + size_of::<Load>() * outbox.loads.capacity();
        let scratch =
            self.scratch.touching.capacity() + self.scratch.was_live.capacity() + 4 * self.scratch.begun.capacity();
        self.outboxes.iter().map(posted).sum::<usize>() + scratch + self.watch.bytes()
    }
}

/// The set bits, rising.
#[inline(always)]
fn bits_of(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit)
    })
}

/// The lanes whose bits are set, rising.
#[inline(always)]
fn lanes_of(bits: u32) -> impl Iterator<Item = usize> {
    bits_of(u64::from(bits)).map(|lane| lane as usize)
}

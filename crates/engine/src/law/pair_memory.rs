//! What one contact remembers under all laws of its pair: one number of bits, then the numbers of each law, in the order of
//! `list::visit_friction`.

use crate::contact::Lanes;
use crate::law::{Motions, SpringLaws};

/// Numbers of memory that precede the laws': one of bits, a bit for each motion that slips (see `Motions`).
pub const SLIPS: usize = 1;

/// How many numbers of memory each law of a pair takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Slide.
    pub slide: usize,
    /// Roll.
    pub roll: usize,
    /// Spin.
    pub spin: usize,
    /// All motions at once.
    pub friction: usize,
}

impl MemoryLayout {
    /// Of the laws of a pair.
    pub fn of(laws: &SpringLaws) -> Self {
        let mut sizes = [0; 4];
        laws.each_friction(|law| sizes[law.motions().key()] = law.memory_size());
        let [slide, roll, spin, friction] = sizes;
        MemoryLayout { slide, roll, spin, friction }
    }

    /// Numbers in all, the bits of slipping included.
    pub fn total(&self) -> usize {
        SLIPS + self.slide + self.roll + self.spin + self.friction
    }
}

/// What one contact remembers: bits and numbers as a lane of a block has them. A new contact may have none of them yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairMemory {
    numbers: Vec<f64>,
}

impl From<&[f64]> for PairMemory {
    fn from(numbers: &[f64]) -> Self {
        PairMemory { numbers: numbers.to_vec() }
    }
}

impl PairMemory {
    /// Of one lane of a block.
    pub fn from_lanes(layout: &MemoryLayout, memory: &[Lanes], lane: usize) -> Self {
        PairMemory::from_numbers(layout, |at| memory[at].0[lane])
    }

    /// Of the numbers of one contact, the bits first.
    pub fn from_numbers(layout: &MemoryLayout, number: impl Fn(usize) -> f64) -> Self {
        PairMemory { numbers: (0..layout.total()).map(number).collect() }
    }

    /// Bits and numbers; those at the end that are missing are zero.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// The bits.
    pub fn bits(&self) -> u64 {
        self.numbers.first().map_or(0, |bits| bits.to_bits())
    }

    /// Sets the bits.
    pub fn set_bits(&mut self, bits: u64) {
        self.numbers.resize(self.numbers.len().max(SLIPS), 0.0);
        self.numbers[0] = f64::from_bits(bits);
    }

    /// The same bits with other numbers.
    pub fn with_numbers(mut self, other: impl Fn(f64) -> f64) -> Self {
        self.numbers.iter_mut().skip(SLIPS).for_each(|number| *number = other(*number));
        self
    }

    /// Sets the first numbers of the law against these motions.
    pub fn set(&mut self, laws: &SpringLaws, motions: Motions, numbers: &[f64]) {
        self.fill(laws);
        let mut at = SLIPS;
        laws.each_friction(|law| {
            if law.motions() == motions {
                self.numbers[at..at + numbers.len()].copy_from_slice(numbers);
            }
            at += law.memory_size();
        });
    }

    /// Gives a new contact all its zeros.
    fn fill(&mut self, laws: &SpringLaws) {
        let total = MemoryLayout::of(laws).total();
        self.numbers.resize(total, 0.0);
    }

    /// The bits, and the numbers of all laws, which take them off the front one after the other.
    pub(super) fn split(&mut self, laws: &SpringLaws) -> (&mut f64, &mut [f64]) {
        self.fill(laws);
        let (bits, numbers) = self.numbers.split_at_mut(SLIPS);
        (&mut bits[0], numbers)
    }

    /// The same memory for the pair taken the other way round, under these laws: a and b change places and the normal turns about.
    pub fn swapped(mut self, laws: &SpringLaws) -> Self {
        let (first, mut rest) = self.split(laws);
        let mut bits = first.to_bits();
        laws.each_friction(|law| law.swap(&mut bits, take(&mut rest, law.memory_size())));
        *first = f64::from_bits(bits);
        self
    }
}

/// Takes so many numbers off the front.
pub(super) fn take<'a>(rest: &mut &'a mut [f64], count: usize) -> &'a mut [f64] {
    let (taken, left) = std::mem::take(rest).split_at_mut(count);
    *rest = left;
    taken
}

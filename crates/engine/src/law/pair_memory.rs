//! What one contact remembers under all laws of its pair: one number of bits, then the numbers of each law, in the order of
//! `list::visit_friction`, its cold ones last.
//!
//! In blocks the hot numbers of all laws stand in lanes and their cold ones in a slab; `MemoryLayout` takes them apart and puts
//! them together.

use crate::contact::Lanes;
use crate::law::memory::MemorySize;
use crate::law::{Motions, SpringLaws};

/// Numbers of memory that precede the laws': one of bits, a bit for each motion that slips (see `Motions`).
pub const SLIPS: usize = 1;

/// How many numbers of memory each law of a pair takes: slide, roll, spin, all motions at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryLayout(pub [MemorySize; 4]);

/// The cold numbers of a block's contacts, and where among those of a contact the next law's begin.
pub struct ColdBlock<'a> {
    /// Contact after contact.
    pub numbers: &'a mut [f64],
    /// How many a contact has.
    pub stride: usize,
    /// Where those of the next law begin.
    pub at: usize,
}

impl<'a> ColdBlock<'a> {
    /// Of a block whose contacts have `stride` each.
    #[inline(always)]
    pub fn new(numbers: &'a mut [f64], stride: usize) -> Self {
        ColdBlock { numbers, stride, at: 0 }
    }

    /// Those of the next law, which has `count` of them.
    #[inline(always)]
    pub fn take(&mut self, count: usize) -> ColdBlock<'_> {
        let at = self.at;
        self.at += count;
        ColdBlock { numbers: self.numbers, stride: self.stride, at }
    }

    /// The `count` numbers of the next law for a contact.
    #[inline(always)]
    pub fn of(&mut self, lane: usize, count: usize) -> &mut [f64] {
        if count == 0 { &mut [] } else { &mut self.numbers[lane * self.stride + self.at..][..count] }
    }
}

impl MemoryLayout {
    /// Of the laws of a pair.
    pub fn of(laws: &SpringLaws) -> Self {
        let mut sizes = [MemorySize::default(); 4];
        laws.each_friction(|law| sizes[law.motions().key()] = law.memory_size());
        MemoryLayout(sizes)
    }

    /// Of so many numbers in lanes that are no law's own, the bits of slipping included.
    pub fn of_numbers(hot: usize) -> Self {
        MemoryLayout([
            MemorySize { hot: hot - SLIPS, cold: 0 },
            MemorySize::default(),
            MemorySize::default(),
            MemorySize::default(),
        ])
    }

    /// What a contact has in lanes, the bits of slipping included, and in the cold slab.
    pub fn size(&self) -> MemorySize {
        let sum = |of: fn(&MemorySize) -> usize| self.0.iter().map(of).sum::<usize>();
        MemorySize { hot: SLIPS + sum(|size| size.hot), cold: sum(|size| size.cold) }
    }

    /// Numbers in all, the bits of slipping included.
    pub fn total(&self) -> usize {
        self.size().total()
    }

    /// Visits the numbers of a contact in their order: whether each is cold, and its place among those that are or are not.
    fn each_place(&self, mut visit: impl FnMut(bool, usize)) {
        (0..SLIPS).for_each(|k| visit(false, k));
        let mut next = MemorySize { hot: SLIPS, cold: 0 };
        for size in &self.0 {
            (next.hot..next.hot + size.hot).for_each(|k| visit(false, k));
            (next.cold..next.cold + size.cold).for_each(|k| visit(true, k));
            next = MemorySize { hot: next.hot + size.hot, cold: next.cold + size.cold };
        }
    }

    /// Reads the numbers of one contact of a block.
    pub fn gather(&self, lanes: &[Lanes], lane: usize, cold: &[f64], numbers: &mut Vec<f64>) {
        numbers.clear();
        self.each_place(|is_cold, k| numbers.push(if is_cold { cold[k] } else { lanes[k].0[lane] }));
    }

    /// Writes them back; those that are missing at the end are left as they are.
    pub fn scatter(&self, numbers: &[f64], lanes: &mut [Lanes], lane: usize, cold: &mut [f64]) {
        let mut numbers = numbers.iter();
        self.each_place(|is_cold, k| {
            if let Some(&number) = numbers.next() {
                *(if is_cold { &mut cold[k] } else { &mut lanes[k].0[lane] }) = number;
            }
        });
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
    /// Of one contact of a block: its lane, and its cold numbers.
    pub fn of_block(layout: &MemoryLayout, lanes: &[Lanes], lane: usize, cold: &[f64]) -> Self {
        let mut numbers = Vec::with_capacity(layout.total());
        layout.gather(lanes, lane, cold, &mut numbers);
        PairMemory { numbers }
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
            at += law.memory_size().total();
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
        laws.each_friction(|law| law.swap(&mut bits, take(&mut rest, law.memory_size().total())));
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

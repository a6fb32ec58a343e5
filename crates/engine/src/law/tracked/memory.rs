//! What a contact remembers under `tracked`. Numbers in this order: slide, roll of a (of both in the reciprocal form), spin; then
//! roll of b in the form of the paper; then, where points are tracked, the points of contact in the axes of a and of b and the
//! normal. Bits beside them: what slips, that the contact is not new, that the points are known.

use glam::DVec3;

use crate::contact::Lanes;
use crate::law::Motions;
use crate::law::memory::{Memory, array};

/// The bit of a contact that has been looked at before.
const ALIVE: u64 = 16;
/// The bit of a contact whose points are known; whoever gives its memory to another body takes the bit away.
pub const POINTS_KNOWN: u64 = 32;

/// Springs of one contact, as lengths (m): S, Theta/kappa and Psi/K_c.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrackedMemory {
    /// S, tangent, world axes.
    pub slide: DVec3,
    /// Theta_a/kappa, tangent; in the reciprocal form that of both bodies.
    pub roll_a: DVec3,
    /// Theta_b/kappa, tangent; zero in the reciprocal form.
    pub roll_b: DVec3,
    /// Psi/K_c.
    pub spin: f64,
    /// Contact point in the axes of a, from its position (m).
    pub point_a: DVec3,
    /// The same of b.
    pub point_b: DVec3,
    /// The normal of the step before, world axes.
    pub normal: DVec3,
    /// What slips.
    pub slide_slips: bool,
    /// In the reciprocal form that of both.
    pub roll_a_slips: bool,
    /// Never in the reciprocal form.
    pub roll_b_slips: bool,
    /// See above.
    pub spin_slips: bool,
    /// False at birth: no motion is behind it.
    pub alive: bool,
    /// Whether points and normal are those of the step before.
    pub points_known: bool,
}

/// The numbers of roll of b, and those of points and normal.
const OF_B: usize = 3;
const OF_POINTS: usize = 9;
/// The numbers of the smallest memory.
const LEAST: usize = 7;

impl TrackedMemory {
    /// Slide, roll of any of the two, spin.
    pub fn slips(&self) -> [bool; 3] {
        [self.slide_slips, self.roll_a_slips | self.roll_b_slips, self.spin_slips]
    }

    /// Its bits, as they stand before the numbers.
    #[inline(always)]
    pub fn bits(&self) -> u64 {
        let bit = |set: bool, bit: u64| if set { bit } else { 0 };
        bit(self.slide_slips, u64::from(Motions::SLIDE.0))
            | bit(self.roll_a_slips, u64::from(Motions::ROLL.0))
            | bit(self.spin_slips, u64::from(Motions::SPIN.0))
            | bit(self.roll_b_slips, u64::from(Motions::ROLL_OF_B.0))
            | bit(self.alive, ALIVE)
            | bit(self.points_known, POINTS_KNOWN)
    }

    #[inline(always)]
    fn with_bits(self, bits: u64) -> Self {
        TrackedMemory {
            slide_slips: bits & u64::from(Motions::SLIDE.0) != 0,
            roll_a_slips: bits & u64::from(Motions::ROLL.0) != 0,
            spin_slips: bits & u64::from(Motions::SPIN.0) != 0,
            roll_b_slips: bits & u64::from(Motions::ROLL_OF_B.0) != 0,
            alive: bits & ALIVE != 0,
            points_known: bits & POINTS_KNOWN != 0,
            ..self
        }
    }

    /// From a memory of so many numbers.
    #[inline(always)]
    pub fn from_numbers(size: usize, bits: u64, number: impl Fn(usize) -> f64) -> Self {
        let vector = |at: usize| DVec3::new(number(at), number(at + 1), number(at + 2));
        let (of_b, of_points) = parts(size);
        let mut memory = TrackedMemory { slide: vector(0), roll_a: vector(3), spin: number(6), ..Self::default() };
        if of_b > 0 {
            memory.roll_b = vector(LEAST);
        }
        if of_points > 0 {
            memory.point_a = vector(LEAST + of_b);
            memory.point_b = vector(LEAST + of_b + 3);
            memory.normal = vector(LEAST + of_b + 6);
        }
        memory.with_bits(bits)
    }

    /// Its numbers, in a memory of this size.
    pub fn to_numbers(self, size: usize) -> impl Iterator<Item = f64> {
        let (of_b, of_points) = parts(size);
        let mut numbers = Vec::with_capacity(size);
        if size > 0 {
            numbers.extend([self.slide, self.roll_a].iter().flat_map(|v| v.to_array()));
            numbers.push(self.spin);
        }
        if of_b > 0 {
            numbers.extend(self.roll_b.to_array());
        }
        if of_points > 0 {
            numbers.extend([self.point_a, self.point_b, self.normal].iter().flat_map(|v| v.to_array()));
        }
        numbers.into_iter()
    }

    /// The same for the pair taken the other way round. Forces turn about; paths over the two surfaces change places.
    pub fn swapped(self, rolls_apart: bool) -> Self {
        let mut other = TrackedMemory {
            slide: -self.slide,
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            ..self
        };
        if rolls_apart {
            (other.roll_a, other.roll_b) = (self.roll_b, self.roll_a);
            (other.roll_a_slips, other.roll_b_slips) = (self.roll_b_slips, self.roll_a_slips);
        }
        other
    }
}

/// How many numbers of a memory of this size are of b's roll, and of points.
#[inline(always)]
fn parts(size: usize) -> (usize, usize) {
    let of_points = if size >= LEAST + OF_POINTS { OF_POINTS } else { 0 };
    let of_b = if size == LEAST + of_points + OF_B { OF_B } else { 0 };
    (of_b, of_points)
}

macro_rules! kept {
    ($($(#[$doc:meta])* $name:ident, $size:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name(pub TrackedMemory);

        impl Memory for $name {
            const SIZE: usize = $size;
            type Block = [Lanes; $size];
            fn block(lanes: &mut [Lanes]) -> &mut [Lanes; $size] {
                array(lanes)
            }
            #[inline(always)]
            fn load(block: &[Lanes; $size], lane: usize, slipping: bool) -> Self {
                Self::load_bits(block, lane, if slipping { u64::MAX } else { 0 }, 0)
            }
            #[inline(always)]
            fn store(self, block: &mut [Lanes; $size], lane: usize) -> bool {
                self.store_bits(block, lane, 0, 0);
                self.0.slide_slips
            }
            #[inline(always)]
            fn load_bits(block: &[Lanes; $size], lane: usize, bits: u64, _: u64) -> Self {
                $name(TrackedMemory::from_numbers($size, bits, |k| block[k].0[lane]))
            }
            #[inline(always)]
            fn store_bits(self, block: &mut [Lanes; $size], lane: usize, _: u64, _: u64) -> u64 {
                let (of_b, of_points) = parts($size);
                let mut put = |at: usize, v: DVec3| {
                    (block[at].0[lane], block[at + 1].0[lane], block[at + 2].0[lane]) = (v.x, v.y, v.z);
                };
                put(0, self.0.slide);
                put(3, self.0.roll_a);
                if of_b > 0 {
                    put(LEAST, self.0.roll_b);
                }
                if of_points > 0 {
                    put(LEAST + of_b, self.0.point_a);
                    put(LEAST + of_b + 3, self.0.point_b);
                    put(LEAST + of_b + 6, self.0.normal);
                }
                block[6].0[lane] = self.0.spin;
                self.0.bits()
            }
        }
    )*};
}
kept! {
    /// Reciprocal, with rates.
    KeptOne, LEAST;
    /// The paper's form, with rates.
    KeptBoth, LEAST + OF_B;
    /// Reciprocal, with points.
    KeptOneAndPoints, LEAST + OF_POINTS;
    /// The paper's form, with points.
    KeptBothAndPoints, LEAST + OF_B + OF_POINTS;
}

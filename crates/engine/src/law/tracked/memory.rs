//! What a contact remembers under `tracked`. Numbers in this order: slide, roll of a (of both in the reciprocal form), spin; then
//! roll of b in the form of the paper; then, where points are tracked, the points of contact in the axes of a and of b and the
//! normal. Bits beside them: what slips, that the contact is not new, that the points are known.

use glam::DVec3;

use crate::law::Motions;
use crate::law::memory::{Memory, MemoryPart};

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
        let (of_b, of_points) = parts(size);
        let (slide, roll_a) = (vector_at(&number, 0), vector_at(&number, 3));
        let mut memory = TrackedMemory { slide, roll_a, spin: number(6), ..Self::default() };
        if of_b > 0 {
            memory.roll_b = vector_at(&number, LEAST);
        }
        if of_points > 0 {
            memory.point_a = vector_at(&number, LEAST + of_b);
            memory.point_b = vector_at(&number, LEAST + of_b + 3);
            memory.normal = vector_at(&number, LEAST + of_b + 6);
        }
        memory.with_bits(bits)
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

/// The vector of these three numbers. A function, because a closure cannot be told to be inlined, and one call that is not
/// keeps the loop over contacts from being vectorised.
#[inline(always)]
fn vector_at(number: &impl Fn(usize) -> f64, at: usize) -> DVec3 {
    DVec3::new(number(at), number(at + 1), number(at + 2))
}

/// Puts the three numbers of a vector.
#[inline(always)]
fn put_vector(put: &mut impl FnMut(usize, f64), at: usize, v: DVec3) {
    put(at, v.x);
    put(at + 1, v.y);
    put(at + 2, v.z);
}

/// How many numbers of a memory of this size are of b's roll, and of points.
#[inline(always)]
fn parts(size: usize) -> (usize, usize) {
    let of_points = if size >= LEAST + OF_POINTS { OF_POINTS } else { 0 };
    let of_b = if size == LEAST + of_points + OF_B { OF_B } else { 0 };
    (of_b, of_points)
}

/// A part of `tracked` in each of its forms.
const SLIDE: MemoryPart = MemoryPart::vector("slide");
const ROLL: MemoryPart = MemoryPart::vector("roll");
const SPIN: MemoryPart = MemoryPart::scalar("spin");
const ROLL_B: MemoryPart = MemoryPart::vector("roll of b");
/// Points and normal; the springs beside them are read before they are turned (`tracked/points.rs`).
const POINTS: MemoryPart = MemoryPart::opaque("points and normal", OF_POINTS as u16);

macro_rules! kept {
    ($($(#[$doc:meta])* $name:ident, $parts:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $name(pub TrackedMemory);

        impl Memory for $name {
            const PARTS: &'static [MemoryPart] = $parts;
            #[inline(always)]
            fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
                Self::load_bits(number, if slipping { u64::MAX } else { 0 }, 0)
            }
            #[inline(always)]
            fn store(self, put: impl FnMut(usize, f64)) -> bool {
                self.store_bits(put, 0, 0);
                self.0.slide_slips
            }
            #[inline(always)]
            fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Self {
                let (slide, roll_a) = (turn(self.0.slide), turn(self.0.roll_a));
                let roll_b = if parts(Self::SIZE).0 > 0 { turn(self.0.roll_b) } else { self.0.roll_b };
                $name(TrackedMemory { slide, roll_a, roll_b, ..self.0 })
            }
            #[inline(always)]
            fn load_bits(number: impl Fn(usize) -> f64, bits: u64, _: u64) -> Self {
                $name(TrackedMemory::from_numbers(Self::SIZE, bits, number))
            }
            #[inline(always)]
            fn store_bits(self, mut put: impl FnMut(usize, f64), _: u64, _: u64) -> u64 {
                let (of_b, of_points) = parts(Self::SIZE);
                put_vector(&mut put, 0, self.0.slide);
                put_vector(&mut put, 3, self.0.roll_a);
                if of_b > 0 {
                    put_vector(&mut put, LEAST, self.0.roll_b);
                }
                if of_points > 0 {
                    put_vector(&mut put, LEAST + of_b, self.0.point_a);
                    put_vector(&mut put, LEAST + of_b + 3, self.0.point_b);
                    put_vector(&mut put, LEAST + of_b + 6, self.0.normal);
                }
                put(6, self.0.spin);
                self.0.bits()
            }
        }
    )*};
}
kept! {
    /// Reciprocal, with rates.
    KeptOne, &[SLIDE, ROLL, SPIN];
    /// The paper's form, with rates.
    KeptBoth, &[SLIDE, ROLL, SPIN, ROLL_B];
    /// Reciprocal, with points.
    KeptOneAndPoints, &[SLIDE, ROLL, SPIN, POINTS];
    /// The paper's form, with points.
    KeptBothAndPoints, &[SLIDE, ROLL, SPIN, ROLL_B, POINTS];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::memory::turns_its_vectors;

    #[test]
    fn every_form_turns_just_its_vectors() {
        assert!(turns_its_vectors::<KeptOne>() && turns_its_vectors::<KeptBoth>());
        assert!(turns_its_vectors::<KeptOneAndPoints>() && turns_its_vectors::<KeptBothAndPoints>());
        assert_eq!([KeptOne::SIZE, KeptBoth::SIZE, KeptOneAndPoints::SIZE, KeptBothAndPoints::SIZE], [7, 10, 16, 19]);
    }
}

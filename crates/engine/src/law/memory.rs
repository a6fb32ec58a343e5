//! What a contact remembers, in blocks: each number of 32 contacts side by side, and one bit a motion for whether it
//! slips. All zeros is a contact's birth.

use glam::DVec3;

use crate::contact::Lanes;
use crate::law::spring_slider::{Slider, SliderOptions};

/// What a law keeps per contact: a fixed number of numbers, and whether the contact slips.
pub trait Memory: Copy + Default + Send + Sync + 'static {
    /// How many numbers, slipping not counted.
    const SIZE: usize;
    /// The same for 32 contacts.
    type Block;
    /// The block in a slice of `SIZE` lanes.
    fn block(lanes: &mut [Lanes]) -> &mut Self::Block;
    /// The memory of one contact.
    fn load(block: &Self::Block, lane: usize, slipping: bool) -> Self;
    /// Puts the memory of one contact back; returns whether it slips.
    fn store(self, block: &mut Self::Block, lane: usize) -> bool;
    /// `load` with all bits of the contact, for a law that has more than one; `own` are those of the motions it resists.
    #[inline(always)]
    fn load_bits(block: &Self::Block, lane: usize, bits: u64, own: u64) -> Self {
        Self::load(block, lane, bits & own != 0)
    }
    /// `store` likewise: the contact's bits, with those of this law set anew.
    #[inline(always)]
    fn store_bits(self, block: &mut Self::Block, lane: usize, bits: u64, own: u64) -> u64 {
        if self.store(block, lane) { bits | own } else { bits & !own }
    }
}

/// A tangent vector and whether the contact slips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VectorSpring {
    /// Elongation (m) of a spring, or the torque (N m) in it, as the law says.
    pub spring: DVec3,
    /// In slip, not in stick.
    pub slipping: bool,
}

/// A number and whether the contact slips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScalarSpring {
    /// Angle (rad) of a spring.
    pub spring: f64,
    /// In slip, not in stick.
    pub slipping: bool,
}

/// A spring whose stiffness changes with the overlap: its angle, the stiffness at which that was reached, and whether the
/// contact slips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GradedSpring {
    /// Angle (rad).
    pub spring: f64,
    /// Stiffness (N m/rad) of the last step.
    pub stiffness: f64,
    /// In slip, not in stick.
    pub slipping: bool,
}

impl GradedSpring {
    /// One step of a slider; returns the torque. The spring is first brought to the new stiffness so that no energy comes
    /// from the change (THEORY.md eq. 3.18): a spring that stiffens keeps its torque, one that softens keeps its angle.
    #[inline(always)]
    pub(crate) fn twist(&mut self, slider: &Slider, rate: f64) -> f64 {
        let kept = if self.stiffness < slider.k { self.stiffness / slider.k } else { 1.0 };
        let (torque, spring, slipping) =
            slider.slide(SliderOptions::default(), self.spring * kept, rate, self.slipping);
        *self = GradedSpring { spring, stiffness: slider.k, slipping };
        torque
    }

    /// Energy in the spring (J).
    pub fn stored(&self) -> f64 {
        0.5 * self.stiffness * self.spring * self.spring
    }
}

/// Only whether the contact slips: for the `mode` of the contacts record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModeOnly {
    /// In slip, not in stick.
    pub slipping: bool,
}

/// A slice as an array. Its length is fixed by the layout of the memory that `World::new` computes.
pub(crate) fn array<const N: usize>(lanes: &mut [Lanes]) -> &mut [Lanes; N] {
    lanes.try_into().expect("the layout reserves as many lanes as the law's memory has numbers")
}

impl Memory for VectorSpring {
    const SIZE: usize = 3;
    type Block = [Lanes; 3];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 3] {
        array(lanes)
    }
    #[inline(always)]
    fn load(block: &[Lanes; 3], lane: usize, slipping: bool) -> Self {
        let spring = DVec3::new(block[0].0[lane], block[1].0[lane], block[2].0[lane]);
        VectorSpring { spring, slipping }
    }
    #[inline(always)]
    fn store(self, block: &mut [Lanes; 3], lane: usize) -> bool {
        block[0].0[lane] = self.spring.x;
        block[1].0[lane] = self.spring.y;
        block[2].0[lane] = self.spring.z;
        self.slipping
    }
}

impl Memory for ScalarSpring {
    const SIZE: usize = 1;
    type Block = [Lanes; 1];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 1] {
        array(lanes)
    }
    #[inline(always)]
    fn load(block: &[Lanes; 1], lane: usize, slipping: bool) -> Self {
        ScalarSpring { spring: block[0].0[lane], slipping }
    }
    #[inline(always)]
    fn store(self, block: &mut [Lanes; 1], lane: usize) -> bool {
        block[0].0[lane] = self.spring;
        self.slipping
    }
}

impl Memory for GradedSpring {
    const SIZE: usize = 2;
    type Block = [Lanes; 2];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 2] {
        array(lanes)
    }
    #[inline(always)]
    fn load(block: &[Lanes; 2], lane: usize, slipping: bool) -> Self {
        GradedSpring { spring: block[0].0[lane], stiffness: block[1].0[lane], slipping }
    }
    #[inline(always)]
    fn store(self, block: &mut [Lanes; 2], lane: usize) -> bool {
        block[0].0[lane] = self.spring;
        block[1].0[lane] = self.stiffness;
        self.slipping
    }
}

impl Memory for ModeOnly {
    const SIZE: usize = 0;
    type Block = [Lanes; 0];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 0] {
        array(lanes)
    }
    #[inline(always)]
    fn load(_: &[Lanes; 0], _: usize, slipping: bool) -> Self {
        ModeOnly { slipping }
    }
    #[inline(always)]
    fn store(self, _: &mut [Lanes; 0], _: usize) -> bool {
        self.slipping
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spring_that_stiffens_keeps_its_torque_and_one_that_softens_its_angle() {
        let at = |k: f64| Slider { k, c: 0.0, static_limit: 9.0, kinetic_limit: 9.0, dt: 0.1 };
        let mut memory = GradedSpring::default();
        assert_eq!(memory.twist(&at(2.0), 5.0), -1.0);
        assert_eq!((memory.spring, memory.stored()), (0.5, 0.25));
        // Twice as stiff, at rest: the torque stays, half the energy is lost.
        assert_eq!(memory.twist(&at(4.0), 0.0), -1.0);
        assert_eq!((memory.spring, memory.stored()), (0.25, 0.125));
        // A quarter as stiff: the angle stays.
        assert_eq!(memory.twist(&at(1.0), 0.0), -0.25);
        assert_eq!((memory.spring, memory.stored()), (0.25, 0.03125));
    }
}

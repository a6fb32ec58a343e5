//! What a contact remembers, in blocks: each number of 32 contacts side by side. All zeros is a contact's birth.

use glam::DVec3;

use crate::contact::Lanes;

/// What a law keeps per contact: a fixed number of numbers.
pub trait Memory: Copy + Default + Send + Sync + 'static {
    /// How many numbers.
    const SIZE: usize;
    /// The same for 32 contacts.
    type Block;
    /// The block in a slice of `SIZE` lanes.
    fn block(lanes: &mut [Lanes]) -> &mut Self::Block;
    /// The memory of one contact.
    fn load(block: &Self::Block, lane: usize) -> Self;
    /// Puts the memory of one contact back.
    fn store(self, block: &mut Self::Block, lane: usize);
}

/// A tangent vector and whether the contact slips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VectorSpring {
    /// Elongation (m) of a spring, or the torque (N m) in it, as the law says.
    pub spring: DVec3,
    /// 1 in slip, 0 in stick.
    pub slipping: f64,
}

/// A number and whether the contact slips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScalarSpring {
    /// Angle (rad) of a spring.
    pub spring: f64,
    /// 1 in slip, 0 in stick.
    pub slipping: f64,
}

/// Only whether the contact slips: for the `mode` of the contacts record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModeOnly {
    /// 1 in slip, 0 in stick.
    pub slipping: f64,
}

/// A slice as an array. Its length is fixed by the layout of the memory that `World::new` computes.
fn array<const N: usize>(lanes: &mut [Lanes]) -> &mut [Lanes; N] {
    lanes.try_into().expect("the layout reserves as many lanes as the law's memory has numbers")
}

impl Memory for VectorSpring {
    const SIZE: usize = 4;
    type Block = [Lanes; 4];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 4] {
        array(lanes)
    }
    #[inline(always)]
    fn load(block: &[Lanes; 4], lane: usize) -> Self {
        let spring = DVec3::new(block[0].0[lane], block[1].0[lane], block[2].0[lane]);
        VectorSpring { spring, slipping: block[3].0[lane] }
    }
    #[inline(always)]
    fn store(self, block: &mut [Lanes; 4], lane: usize) {
        block[0].0[lane] = self.spring.x;
        block[1].0[lane] = self.spring.y;
        block[2].0[lane] = self.spring.z;
        block[3].0[lane] = self.slipping;
    }
}

impl Memory for ScalarSpring {
    const SIZE: usize = 2;
    type Block = [Lanes; 2];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 2] {
        array(lanes)
    }
    #[inline(always)]
    fn load(block: &[Lanes; 2], lane: usize) -> Self {
        ScalarSpring { spring: block[0].0[lane], slipping: block[1].0[lane] }
    }
    #[inline(always)]
    fn store(self, block: &mut [Lanes; 2], lane: usize) {
        block[0].0[lane] = self.spring;
        block[1].0[lane] = self.slipping;
    }
}

impl Memory for ModeOnly {
    const SIZE: usize = 1;
    type Block = [Lanes; 1];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 1] {
        array(lanes)
    }
    #[inline(always)]
    fn load(block: &[Lanes; 1], lane: usize) -> Self {
        ModeOnly { slipping: block[0].0[lane] }
    }
    #[inline(always)]
    fn store(self, block: &mut [Lanes; 1], lane: usize) {
        block[0].0[lane] = self.slipping;
    }
}

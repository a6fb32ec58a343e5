//! The class of a pair: its materials and shapes in one number, so that contacts of one kind stand together in blocks.

use crate::collide::MOST_TOUCHES;
use crate::contact::Side;
use crate::law::MemorySize;
use crate::model::LawTable;

/// Materials and shapes of a pair in one number, so that contacts of one kind stand together in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Material of a.
    pub material_a: u16,
    /// Material of b.
    pub material_b: u16,
    /// Which of the two is a wall.
    pub wall: Side,
    /// Whether one of the two is an ellipsoid or a box.
    pub solid: bool,
}

impl Class {
    /// Which body of a pair of a class with this number is a wall.
    #[inline(always)]
    pub fn wall_of(number: u32) -> Side {
        match number % 3 {
            0 => Side::Neither,
            1 => Side::A,
            _ => Side::B,
        }
    }

    /// As a number; the order of classes within a chunk.
    pub fn number(&self, materials: usize) -> u32 {
        let pair = self.material_a as u32 * materials as u32 + self.material_b as u32;
        6 * pair + 3 * u32::from(self.solid) + self.wall as u32
    }

    /// Back from the number.
    #[inline(always)]
    pub fn from_number(number: u32, materials: usize) -> Self {
        let (pair, m) = (number / 6, materials as u32);
        let (wall, solid) = (Class::wall_of(number), Class::is_solid(number));
        Class { material_a: (pair / m) as u16, material_b: (pair % m) as u16, wall, solid }
    }

    /// How much a contact of a class with this number remembers.
    #[inline(always)]
    pub fn memory_size(number: u32, laws: &LawTable) -> MemorySize {
        let class = Class::from_number(number, laws.materials());
        laws.memory_size(class.material_a, class.material_b)
    }

    /// Whether pairs of this class have an ellipsoid or a box.
    #[inline(always)]
    pub fn is_solid(number: u32) -> bool {
        number % 6 >= 3
    }

    /// In how many features a pair of this class may touch, at most: those of a box on a plane are its corners, others touch in one.
    #[inline(always)]
    pub fn most_features(number: u32) -> u32 {
        if Class::is_solid(number) && Class::wall_of(number) != Side::Neither { MOST_TOUCHES as u32 } else { 1 }
    }

    /// Whether detection measures pairs of this class in every step: those with a wall, an ellipsoid or a box. Two spheres are
    /// watched until they touch, and then the kernel says whether they still do.
    #[inline(always)]
    pub fn is_detected(number: u32) -> bool {
        !number.is_multiple_of(6)
    }
}

//! What acts between two materials, by kind of method: springs and limits of friction as a law has them, so that no pair mixes
//! what no method can run. To add a kind: its variant, and its arm in the functions below.
//!
//! Does not do: say which method a model runs by. A method says which kinds it takes (`explicit::takes`), and
//! `LawTable::first_unfit` finds the pair that it does not.

use crate::law::any::AnyFriction;
use crate::law::{Limit, MemoryLayout, Motions, Normal, PairMemory, RigidLaws, SpringLaws};

/// The laws of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairLaws {
    /// Soft: surfaces overlap and springs push them apart.
    Springs(SpringLaws),
    /// Rigid: surfaces do not overlap, and friction has limits alone.
    Rigid(RigidLaws),
}

impl PairLaws {
    /// The spring laws, if it is these that act.
    #[inline(always)]
    pub fn springs(&self) -> Option<&SpringLaws> {
        match self {
            PairLaws::Springs(laws) => Some(laws),
            PairLaws::Rigid(_) => None,
        }
    }

    /// The soft law along the normal, if there is one.
    #[inline(always)]
    pub fn soft_normal(&self) -> Option<&Normal> {
        self.springs().map(|laws| &laws.normal)
    }

    /// Whether some law resists a motion and holds as `holds` says of its limit; a law that states none counts.
    pub fn any_holds(&self, motion: Motions, holds: impl Fn(Limit) -> bool) -> bool {
        match self {
            PairLaws::Springs(laws) => laws.any_friction(|law: &dyn AnyFriction| {
                law.resists().overlaps(motion) && law.limit(motion).is_none_or(&holds)
            }),
            PairLaws::Rigid(laws) => laws.limits.of(motion).is_some_and(holds),
        }
    }

    /// What a contact remembers for the pair taken the other way round: a and b change places and the normal turns about.
    pub fn swapped(&self, memory: PairMemory) -> PairMemory {
        match self {
            PairLaws::Springs(laws) => memory.swapped(laws),
            // Force and torque on a are those on b turned about.
            PairLaws::Rigid(_) => memory.with_numbers(|number| -number),
        }
    }

    /// What a contact of the pair remembers, and where.
    pub fn layout(&self) -> MemoryLayout {
        match self {
            PairLaws::Springs(laws) => MemoryLayout::of(laws),
            PairLaws::Rigid(_) => MemoryLayout::of_numbers(RigidLaws::MEMORY),
        }
    }
}

impl From<RigidLaws> for PairLaws {
    fn from(laws: RigidLaws) -> Self {
        PairLaws::Rigid(laws)
    }
}

impl From<SpringLaws> for PairLaws {
    fn from(laws: SpringLaws) -> Self {
        PairLaws::Springs(laws)
    }
}

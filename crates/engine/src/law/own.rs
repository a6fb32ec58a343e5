//! A law from outside: any `FrictionLaw`, of any crate, in the place of a law of this one.
//!
//! The laws that a scene file names are enums, so that the kernel can be compiled for each. A law that it does not know
//! stands behind a pointer: one call for a block of up to 32 contacts, and inside that call the same loop
//! (`kernel::resist`), compiled for this law, plain and with AVX2. So a law from outside costs one indirect call a block,
//! and a law of this crate put in as one gives the same bits (`tests/all/own_law.rs`). The law should mark its `resist`
//! `#[inline(always)]`, as the laws here do; without it the loop is not vectorised, and the bits are the same.
//!
//! ```
//! use stickslip::law::{Limit, Roll, RollSlider};
//! // Any value whose type implements `FrictionLaw`.
//! let roll = Roll::own(RollSlider::new(1e3, 0.0, Limit::mu(0.1)));
//! assert!(matches!(roll, Roll::Own(law) if law.name() == "spring-slider"));
//! ```
//!
//! Along the normal, `Normal::own` does the same for any `NormalLaw`.
//!
//! It does not do: laws of several motions at once, scene files (these know the laws of this crate only).

use crate::contact::{Block, LANES, Lanes};
use crate::law::any::{AnyFriction, AnyNormal};
use crate::law::kernel::{self, Kernel};
use crate::law::memory::turns_its_vectors;
use crate::law::pair_memory::ColdBlock;
use crate::law::{FrictionLaw, Motions, Normal, NormalLaw, Roll, Slide, Spin};

/// The law over the first contacts of a block, compiled for every width.
pub(super) struct OwnBlock<'a, L> {
    pub law: &'a L,
    pub count: usize,
    pub block: &'a mut Block,
    pub slips: &'a mut Lanes,
    pub memory: &'a mut [Lanes],
    pub cold: ColdBlock<'a>,
}

impl<L: FrictionLaw> Kernel for OwnBlock<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let OwnBlock { law, count, block, slips, memory, cold } = self;
        // The counts for which the pass over contacts is compiled.
        match count {
            0..=8 => kernel::resist::<_, 8>(law, block, slips, memory, cold),
            9..=16 => kernel::resist::<_, 16>(law, block, slips, memory, cold),
            _ => kernel::resist::<_, LANES>(law, block, slips, memory, cold),
        }
    }
}

/// A normal law over the first contacts of a block, compiled for every width.
pub(super) struct OwnPress<'a, L> {
    pub law: &'a L,
    pub count: usize,
    pub block: &'a mut Block,
    pub may_touch: u32,
    pub patch: bool,
}

impl<L: NormalLaw> Kernel for OwnPress<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let OwnPress { law, count, block, may_touch, patch } = self;
        match count {
            0..=8 => kernel::press_block::<_, 8>(law, block, may_touch, patch),
            9..=16 => kernel::press_block::<_, 16>(law, block, may_touch, patch),
            _ => kernel::press_block::<_, LANES>(law, block, may_touch, patch),
        }
    }
}

/// A normal law from outside, made by `Normal::own`. Two are equal if one is a copy of the other.
#[derive(Clone, Copy)]
pub struct OwnNormal(&'static dyn AnyNormal);

impl OwnNormal {
    /// The law, to be asked anything.
    #[inline(always)]
    pub fn any(&self) -> &dyn AnyNormal {
        self.0
    }
}

impl PartialEq for OwnNormal {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.0, other.0) && self.0.name() == other.0.name()
    }
}

impl std::fmt::Debug for OwnNormal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OwnNormal({})", self.0.name())
    }
}

impl Normal {
    /// A law from outside along the normal.
    pub fn own<L: NormalLaw>(law: L) -> Self {
        Normal::Own(OwnNormal(Box::leak(Box::new(law))))
    }
}

/// A law from outside, made by `Slide::own`, `Roll::own` or `Spin::own`. Two are equal if one is a copy of the other.
#[derive(Clone, Copy)]
pub struct Own(&'static dyn AnyFriction);

impl Own {
    /// Keeps the law for as long as the program runs: a few bytes, and laws stay values that can be copied.
    fn new<L: FrictionLaw>(law: L) -> Self {
        assert!(
            turns_its_vectors::<L::Memory>(),
            "`turned` of the memory of {} does not turn just its vectors",
            L::NAME
        );
        Own(Box::leak(Box::new(law)))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// The law, to be asked anything.
    #[inline(always)]
    pub fn any(&self) -> &dyn AnyFriction {
        self.0
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        // Laws without parameters have no place of their own: their types tell them apart.
        std::ptr::addr_eq(self.0, other.0) && self.name() == other.name()
    }
}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Own({})", self.name())
    }
}

impl Slide {
    /// A law from outside against sliding. One that does not resist exactly this motion does not compile.
    pub fn own<L: FrictionLaw>(law: L) -> Self {
        const { assert!(L::RESISTS.0 == Motions::SLIDE.0, "RESISTS of this law is not Motions::SLIDE") };
        Slide::Own(Own::new(law))
    }
}

impl Roll {
    /// A law from outside against rolling. One that does not resist exactly this motion does not compile.
    pub fn own<L: FrictionLaw>(law: L) -> Self {
        const { assert!(L::RESISTS.0 == Motions::ROLL.0, "RESISTS of this law is not Motions::ROLL") };
        Roll::Own(Own::new(law))
    }
}

impl Spin {
    /// A law from outside against spinning. One that does not resist exactly this motion does not compile.
    pub fn own<L: FrictionLaw>(law: L) -> Self {
        const { assert!(L::RESISTS.0 == Motions::SPIN.0, "RESISTS of this law is not Motions::SPIN") };
        Spin::Own(Own::new(law))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Limit, RollConstantTorque, RollSlider, RollViscous};

    #[test]
    fn copies_are_equal_and_laws_made_apart_are_not() {
        let law = RollSlider::new(1.0, 0.0, Limit::mu(0.1));
        let (first, second) = (Roll::own(law), Roll::own(law));
        let copy = first;
        assert_eq!(first, copy);
        assert_ne!(first, second);
        assert_ne!(first, Roll::own(RollViscous { damping: 1.0, limit: None }));
    }

    #[test]
    fn it_answers_for_itself() {
        let Roll::Own(law) = Roll::own(RollConstantTorque { limit: Limit::mu(0.1), include_spin: false }) else {
            unreachable!()
        };
        assert_eq!((law.name(), law.any().memory_size().total()), ("constant-torque", 0));
        assert_eq!(law.any().limit(Motions::ROLL), Some(Limit::mu(0.1)));
        assert_eq!(format!("{law:?}"), "Own(constant-torque)");
    }
}

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
//! assert!(matches!(roll, Roll::Own(law) if law.name() == "RollSlider"));
//! ```
//!
//! It does not do: laws of several motions at once, laws along the normal, memory of more than eight numbers, scene files
//! (these know the names of `LAWS` only).

use crate::contact::{Block, Contact, LANES, Lanes, Resistance};
use crate::law::kernel::{self, Kernel};
use crate::law::memory::Memory;
use crate::law::{FrictionLaw, Motions, Roll, Slide, Spin};

/// How many numbers a law from outside may remember, slipping not counted.
pub const MOST_NUMBERS: usize = 8;

/// What one contact remembers of a law from outside; zero beyond the size of its memory.
pub type OwnNumbers = [f64; MOST_NUMBERS];

/// The stiffest spring and the strongest dashpot of a law, for the stable step. Against slide in N/m and N s/m, against roll
/// and spin in N m/rad and N m s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Springs {
    /// Change of the load with the motion.
    pub stiffness: f64,
    /// Change of the load with the rate.
    pub dashpot: f64,
}

/// What the engine asks of a law whose type it does not know.
trait AnyLaw: Send + Sync + 'static {
    fn name(&self) -> &'static str;
    fn memory_size(&self) -> usize;
    fn resist_block(&self, count: usize, block: &mut Block, slips: &mut Lanes, memory: &mut [Lanes]);
    fn resist_one(&self, contact: &Contact, numbers: &mut OwnNumbers, slipping: &mut bool) -> Resistance;
    fn stored_one(&self, contact: &Contact, numbers: &OwnNumbers, slipping: bool) -> [f64; 3];
    fn springs(&self, radius_eff: f64) -> Option<Springs>;
}

impl<L: FrictionLaw> AnyLaw for L {
    fn name(&self) -> &'static str {
        let path = std::any::type_name::<L>();
        path.rsplit("::").next().unwrap_or(path)
    }

    fn memory_size(&self) -> usize {
        L::Memory::SIZE
    }

    fn resist_block(&self, count: usize, block: &mut Block, slips: &mut Lanes, memory: &mut [Lanes]) {
        kernel::dispatch(OwnBlock { law: self, count, block, slips, memory });
    }

    fn resist_one(&self, contact: &Contact, numbers: &mut OwnNumbers, slipping: &mut bool) -> Resistance {
        let mut remembered = load::<L>(numbers, *slipping);
        let resistance = self.resist(contact, &mut remembered);
        let mut lanes = [Lanes::ZERO; MOST_NUMBERS];
        *slipping = remembered.store(L::Memory::block(&mut lanes[..L::Memory::SIZE]), 0);
        *numbers = lanes.map(|lane| lane.0[0]);
        resistance
    }

    fn stored_one(&self, contact: &Contact, numbers: &OwnNumbers, slipping: bool) -> [f64; 3] {
        self.stored(contact, &load::<L>(numbers, slipping))
    }

    fn springs(&self, radius_eff: f64) -> Option<Springs> {
        FrictionLaw::springs(self, radius_eff)
    }
}

/// The memory of a law from its numbers, by way of a block in which they stand alone.
fn load<L: FrictionLaw>(numbers: &OwnNumbers, slipping: bool) -> L::Memory {
    let mut lanes = [Lanes::ZERO; MOST_NUMBERS];
    for (lane, number) in lanes.iter_mut().zip(numbers) {
        lane.0[0] = *number;
    }
    L::Memory::load(L::Memory::block(&mut lanes[..L::Memory::SIZE]), 0, slipping)
}

/// The law over the first contacts of a block, compiled for every width.
struct OwnBlock<'a, L> {
    law: &'a L,
    count: usize,
    block: &'a mut Block,
    slips: &'a mut Lanes,
    memory: &'a mut [Lanes],
}

impl<L: FrictionLaw> Kernel for OwnBlock<'_, L> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let OwnBlock { law, count, block, slips, memory } = self;
        // The counts for which the pass over contacts is compiled.
        match count {
            0..=8 => kernel::resist::<_, 8>(law, block, slips, memory),
            9..=16 => kernel::resist::<_, 16>(law, block, slips, memory),
            _ => kernel::resist::<_, LANES>(law, block, slips, memory),
        }
    }
}

/// A law from outside, made by `Slide::own`, `Roll::own` or `Spin::own`. Two are equal if one is a copy of the other.
#[derive(Clone, Copy)]
pub struct Own(&'static dyn AnyLaw);

impl Own {
    /// Keeps the law for as long as the program runs: a few bytes, and laws stay values that can be copied.
    fn new<L: FrictionLaw>(law: L) -> Self {
        const { assert!(L::Memory::SIZE <= MOST_NUMBERS, "a law from outside may remember eight numbers") };
        Own(Box::leak(Box::new(law)))
    }

    /// The name of its type.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }

    /// How many numbers it remembers.
    pub fn memory_size(&self) -> usize {
        self.0.memory_size()
    }

    /// What it says for the stable step.
    pub fn springs(&self, radius_eff: f64) -> Option<Springs> {
        self.0.springs(radius_eff)
    }

    pub(crate) fn resist_block(&self, count: usize, block: &mut Block, slips: &mut Lanes, memory: &mut [Lanes]) {
        self.0.resist_block(count, block, slips, memory);
    }

    pub(crate) fn resist_one(&self, contact: &Contact, numbers: &mut OwnNumbers, slipping: &mut bool) -> Resistance {
        self.0.resist_one(contact, numbers, slipping)
    }

    pub(crate) fn stored_one(&self, contact: &Contact, numbers: &OwnNumbers, slipping: bool) -> [f64; 3] {
        self.0.stored_one(contact, numbers, slipping)
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
    fn it_says_its_name_its_memory_and_no_springs_unless_it_has_some() {
        let Roll::Own(law) = Roll::own(RollConstantTorque { limit: Limit::mu(0.1), include_spin: false }) else {
            unreachable!()
        };
        assert_eq!((law.name(), law.memory_size(), law.springs(1.0)), ("RollConstantTorque", 0, None));
        assert_eq!(format!("{law:?}"), "Own(RollConstantTorque)");
    }
}

//! One interface to laws whose types do not matter: what is asked of one contact, or of the law itself. Every law has it. The
//! kernel does not use it, but for laws from outside (`own.rs`).

use crate::contact::{Block, Contact, Lanes, Resistance};
use crate::law::kernel;
use crate::law::memory::{MemorySize, recall};
use crate::law::own::{OwnBlock, OwnPress};
use crate::law::pair_memory::ColdBlock;
use crate::law::{
    Carry, FrictionLaw, Limit, Memory, MemoryPart, Motions, NormalLaw, Press, Reach, Spring, Springs, TypicalContact,
};

/// A normal law of any type. See `NormalLaw`.
pub trait AnyNormal: Send + Sync {
    /// Its name in scene files.
    fn name(&self) -> &'static str;
    /// See `NormalLaw::DASHPOT_GROWS`.
    fn dashpot_grows(&self) -> bool;
    /// See `NormalLaw::ACTS_APART`.
    fn acts_apart(&self) -> bool;
    /// Where a contact of this effective radius (m) begins and ends: `NormalLaw::reach` of a law that acts apart, else touch.
    fn reach(&self, radius_eff: f64) -> Reach;
    /// See `NormalLaw::press`.
    fn press(&self, contact: &Contact) -> Press;
    /// The normal law over up to `count` contacts of a block. `may_touch`: see `kernel::press_block`.
    fn press_block(&self, count: usize, block: &mut Block, may_touch: u32, patch: bool);
    /// See `NormalLaw::stored`.
    fn stored(&self, contact: &Contact) -> f64;
    /// See `NormalLaw::stiffness`.
    fn stiffness(&self, radius_eff: f64, overlap: f64) -> f64;
    /// See `NormalLaw::restitution`.
    fn restitution(&self) -> Option<f64>;
    /// See `NormalLaw::spring`.
    fn spring(&self, at: &TypicalContact) -> Spring;
    /// See `NormalLaw::effective_modulus`.
    fn effective_modulus(&self) -> Option<f64>;
}

impl<L: NormalLaw> AnyNormal for L {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn dashpot_grows(&self) -> bool {
        L::DASHPOT_GROWS
    }

    fn acts_apart(&self) -> bool {
        L::ACTS_APART
    }

    #[inline(always)]
    fn reach(&self, radius_eff: f64) -> Reach {
        if L::ACTS_APART { NormalLaw::reach(self, radius_eff) } else { Reach::TOUCH }
    }

    fn press(&self, contact: &Contact) -> Press {
        NormalLaw::press(self, contact)
    }

    fn press_block(&self, count: usize, block: &mut Block, may_touch: u32, patch: bool) {
        kernel::dispatch(OwnPress { law: self, count, block, may_touch, patch });
    }

    fn stored(&self, contact: &Contact) -> f64 {
        NormalLaw::stored(self, contact)
    }

    fn stiffness(&self, radius_eff: f64, overlap: f64) -> f64 {
        NormalLaw::stiffness(self, radius_eff, overlap)
    }

    fn restitution(&self) -> Option<f64> {
        NormalLaw::restitution(self)
    }

    fn spring(&self, at: &TypicalContact) -> Spring {
        NormalLaw::spring(self, at)
    }

    fn effective_modulus(&self) -> Option<f64> {
        NormalLaw::effective_modulus(self)
    }
}

/// A law of friction of any type. Its memory is a slice of as many numbers as its parts have, cold ones last, and the contact's bits.
pub trait AnyFriction: Send + Sync {
    /// Its name in scene files.
    fn name(&self) -> &'static str;
    /// See `FrictionLaw::RESISTS`.
    fn motions(&self) -> Motions;
    /// See `FrictionLaw::resists`.
    fn resists(&self) -> Motions;
    /// See `FrictionLaw::ROLLS_APART`.
    fn rolls_apart(&self) -> bool;
    /// What it remembers.
    fn parts(&self) -> &'static [MemoryPart];
    /// How many numbers it remembers, slipping not counted.
    fn memory_size(&self) -> MemorySize;
    /// See `FrictionLaw::carry`.
    fn carry(&self) -> Carry;
    /// Loads of up to `count` contacts of a block, and their memory.
    fn resist_block(&self, count: usize, block: &mut Block, slips: &mut Lanes, memory: &mut [Lanes], cold: ColdBlock);
    /// Loads of one contact; carries its memory.
    fn resist_one(&self, contact: &Contact, bits: &mut u64, numbers: &mut [f64]) -> Resistance;
    /// See `FrictionLaw::stored`.
    fn stored_one(&self, contact: &Contact, bits: u64, numbers: &[f64]) -> [f64; 3];
    /// See `FrictionLaw::swapped`.
    fn swap(&self, bits: &mut u64, numbers: &mut [f64]);
    /// See `FrictionLaw::springs`.
    fn springs(&self, at: &TypicalContact) -> Option<Springs>;
    /// See `FrictionLaw::limit`.
    fn limit(&self, motion: Motions) -> Option<Limit>;
    /// See `FrictionLaw::reads_patch`.
    fn reads_patch(&self) -> bool;
    /// See `FrictionLaw::reads_surfaces`.
    fn reads_surfaces(&self) -> bool;
    /// See `FrictionLaw::knows_spheres_only`.
    fn knows_spheres_only(&self) -> bool;
}

/// The bits that a law calls its own.
fn own_bits<L: FrictionLaw>() -> u64 {
    u64::from(L::RESISTS.0)
}

impl<L: FrictionLaw> AnyFriction for L {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn motions(&self) -> Motions {
        L::RESISTS
    }

    fn resists(&self) -> Motions {
        FrictionLaw::resists(self)
    }

    fn rolls_apart(&self) -> bool {
        L::ROLLS_APART
    }

    fn parts(&self) -> &'static [MemoryPart] {
        L::Memory::PARTS
    }

    fn memory_size(&self) -> MemorySize {
        MemorySize { hot: L::Memory::SIZE, cold: self.cold_numbers() }
    }

    fn carry(&self) -> Carry {
        FrictionLaw::carry(self)
    }

    fn resist_block(&self, count: usize, block: &mut Block, slips: &mut Lanes, memory: &mut [Lanes], cold: ColdBlock) {
        kernel::dispatch(OwnBlock { law: self, count, block, slips, memory, cold });
    }

    fn resist_one(&self, contact: &Contact, bits: &mut u64, numbers: &mut [f64]) -> Resistance {
        let (numbers, cold) = numbers.split_at_mut(L::Memory::SIZE);
        let mut memory = recall(self, contact, |k| numbers[k], *bits);
        let resistance = self.resist(contact, &mut memory, cold);
        *bits = memory.store_bits(|k, number| numbers[k] = number, *bits, own_bits::<L>());
        resistance
    }

    fn stored_one(&self, contact: &Contact, bits: u64, numbers: &[f64]) -> [f64; 3] {
        let (numbers, cold) = numbers.split_at(L::Memory::SIZE);
        self.stored(contact, &L::Memory::load_bits(|k| numbers[k], bits, own_bits::<L>()), cold)
    }

    fn swap(&self, bits: &mut u64, numbers: &mut [f64]) {
        let (numbers, cold) = numbers.split_at_mut(L::Memory::SIZE);
        let memory = self.swapped(L::Memory::load_bits(|k| numbers[k], *bits, own_bits::<L>()), cold);
        *bits = memory.store_bits(|k, number| numbers[k] = number, *bits, own_bits::<L>());
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        FrictionLaw::springs(self, at)
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        FrictionLaw::limit(self, motion)
    }

    fn reads_patch(&self) -> bool {
        FrictionLaw::reads_patch(self)
    }

    fn reads_surfaces(&self) -> bool {
        FrictionLaw::reads_surfaces(self)
    }

    fn knows_spheres_only(&self) -> bool {
        FrictionLaw::knows_spheres_only(self)
    }
}

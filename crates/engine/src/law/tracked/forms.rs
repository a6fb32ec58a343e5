//! `tracked` as the kernel runs it: its form and kinematics are a type, because they remember different things, and by rates its
//! birth, too, so that the loop over contacts has no choices. Holds no formula.

use super::memory::{KeptBoth, KeptBothAndPoints, KeptOne, KeptOneAndPoints};
use super::{Birth, Numbers, Path, Rolling, SpinCurvature, Tracked, TrackedMemory};
use crate::contact::{Contact, Resistance};
use crate::law::{Carry, FrictionLaw, LawVisitor, Limit, Motions, Springs, TypicalContact};

const ALL: Motions = Motions::SLIDE.and(Motions::ROLL).and(Motions::SPIN);

/// The law with exact rates and a birth in stick, capped or not, with all its choices known to the compiler.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByRates<const PAPER: bool, const CAPPED: bool>(Numbers, Tracked);

/// The law in any other form: out of line, contact by contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneByOne<const PAPER: bool, const POINTS: bool>(pub Tracked);

impl<const PAPER: bool, const CAPPED: bool> ByRates<PAPER, CAPPED> {
    #[inline(always)]
    fn new(law: &Tracked) -> Self {
        ByRates(law.numbers(), *law)
    }
}

/// Out of line: its libm calls keep the loop from being vectorised anyway.
#[inline(never)]
fn resist_one(law: &Tracked, contact: &Contact, memory: &mut TrackedMemory) -> Resistance {
    law.resist(contact, memory)
}

/// What the laws of every form answer alike; `$law` is where they hold the parameters.
macro_rules! common_answers {
    ($paper:literal, $points:literal, $law:tt) => {
        const NAME: &'static str = match ($points, $paper) {
            (false, false) => Tracked::NAME,
            (false, true) => "tracked, paper",
            (true, false) => "tracked, points",
            (true, true) => "tracked, points, paper",
        };
        const RESISTS: Motions = ALL;
        const ROLLS_APART: bool = $paper;

        fn stored(&self, contact: &Contact, memory: &Self::Memory, _: &[f64]) -> [f64; 3] {
            self.$law.stored(contact, &memory.0)
        }

        #[inline(always)]
        fn carry(&self) -> Carry {
            if $points { Carry::ByLaw } else { Carry::WithPair }
        }

        fn swapped(&self, mut memory: Self::Memory, _: &mut [f64]) -> Self::Memory {
            memory.0 = memory.0.swapped($paper);
            memory
        }

        fn springs(&self, at: &TypicalContact) -> Option<Springs> {
            Some(self.$law.springs(at))
        }

        fn limit(&self, motion: Motions) -> Option<Limit> {
            Some(self.$law.limit_of(motion.key()))
        }

        fn resists(&self) -> Motions {
            self.$law.resists()
        }

        #[inline(always)]
        fn reads_patch(&self) -> bool {
            self.$law.spin.is_some_and(|spin| spin.curvature == SpinCurvature::Hertz)
        }

        #[inline(always)]
        fn reads_surfaces(&self) -> bool {
            $points
        }

        fn knows_spheres_only(&self) -> bool {
            !$points && (self.$law.roll.is_some() || self.$law.spin.is_some())
        }
    };
}

macro_rules! kernel_forms {
    ($($paper:literal, $points:literal, $memory:ty;)*) => {$(
        impl FrictionLaw for OneByOne<$paper, $points> {
            type Memory = $memory;
            common_answers!($paper, $points, 0);

            #[inline(always)]
            fn resist(&self, contact: &Contact, carried: &mut $memory, _: &mut [f64]) -> Resistance {
                resist_one(&self.0, contact, &mut carried.0)
            }

            #[inline(always)]
            fn specialise<V: LawVisitor>(&self, _: f64, visitor: &mut V) {
                self.specialise_form(visitor);
            }
        }
    )*};
}
kernel_forms! {
    false, false, KeptOne;
    true, false, KeptBoth;
    false, true, KeptOneAndPoints;
    true, true, KeptBothAndPoints;
}

impl<const PAPER: bool> OneByOne<PAPER, false>
where
    ByRates<PAPER, false>: FrictionLaw,
    ByRates<PAPER, true>: FrictionLaw,
    Self: FrictionLaw,
{
    #[inline(always)]
    fn specialise_form<V: LawVisitor>(&self, visitor: &mut V) {
        match self.0.birth {
            // Lengths ask each contact for its eta.
            _ if !self.0.is_uniform() => visitor.visit(self),
            Birth::Stick => visitor.visit(&ByRates::<PAPER, false>::new(&self.0)),
            Birth::Capped => visitor.visit(&ByRates::<PAPER, true>::new(&self.0)),
            Birth::Slip => visitor.visit(self),
        }
    }
}

impl<const PAPER: bool> OneByOne<PAPER, true>
where
    Self: FrictionLaw,
{
    #[inline(always)]
    fn specialise_form<V: LawVisitor>(&self, visitor: &mut V) {
        visitor.visit(self);
    }
}

macro_rules! rate_forms {
    ($($paper:literal, $memory:ty;)*) => {$(
        impl<const CAPPED: bool> FrictionLaw for ByRates<$paper, CAPPED> {
            type Memory = $memory;
            common_answers!($paper, false, 1);

            #[inline(always)]
            fn resist(&self, contact: &Contact, carried: &mut $memory, _: &mut [f64]) -> Resistance {
                let birth = if CAPPED { Birth::Capped } else { Birth::Stick };
                let motion = (Path::of_rates(contact, $paper), Rolling::of_spheres(contact));
                self.0.resist($paper, birth, contact, &mut carried.0, motion)
            }
        }
    )*};
}
rate_forms! {
    false, KeptOne;
    true, KeptBoth;
}

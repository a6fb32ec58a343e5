//! What a contact remembers: the parts that a law declares, in numbers that the engine stores, turns with the pair and saves.
//! All zeros is a contact's birth. Bits beside the numbers say which motions slip (see `Motions`).
//!
//! A law sees its memory as a value of its own type. The engine stores blocks (`kernel.rs`) or one contact
//! (`pair_memory.rs`); both load and store through the functions here.

use glam::DVec3;

use crate::contact::Contact;
use crate::law::spring_slider::{Slider, SliderOptions};
use crate::law::{FrictionLaw, Motions};

/// What the numbers of a part are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartForm {
    /// Vectors tangent to the contact, world axes, three numbers each.
    Vector,
    /// Numbers that do not depend on axes.
    Scalar,
    /// Numbers that only the law can read.
    Opaque,
}

/// A part of a contact's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPart {
    /// Name, in the law that declares it.
    pub name: &'static str,
    /// What its numbers are.
    pub form: PartForm,
    /// How many numbers it has.
    pub numbers: u16,
    /// Long, and not read in every step: the engine stores it contact by contact in a slab of its own, out of the lanes.
    pub cold: bool,
}

impl MemoryPart {
    /// One tangent vector.
    pub const fn vector(name: &'static str) -> Self {
        MemoryPart { name, form: PartForm::Vector, numbers: 3, cold: false }
    }

    /// One number.
    pub const fn scalar(name: &'static str) -> Self {
        MemoryPart { name, form: PartForm::Scalar, numbers: 1, cold: false }
    }

    /// Numbers of the law's own.
    pub const fn opaque(name: &'static str, numbers: u16) -> Self {
        MemoryPart { name, form: PartForm::Opaque, numbers, cold: false }
    }

    /// Many numbers of the law's own, as the history of its load: `FrictionLaw::resist` gets them as a slice.
    pub const fn cold(name: &'static str, numbers: u16) -> Self {
        MemoryPart { name, form: PartForm::Opaque, numbers, cold: true }
    }
}

/// How many numbers the cold parts, or all others, have together.
const fn count_numbers(parts: &[MemoryPart], cold: bool) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < parts.len() {
        if parts[i].cold == cold {
            sum += parts[i].numbers as usize;
        }
        i += 1;
    }
    sum
}

/// How many numbers a contact remembers: those in lanes, and those in the cold slab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemorySize {
    /// In lanes, number k of 32 contacts side by side.
    pub hot: usize,
    /// In the cold slab, contact by contact.
    pub cold: usize,
}

impl MemorySize {
    /// Both together.
    pub fn total(self) -> usize {
        self.hot + self.cold
    }
}

/// The memory of a law: numbers in the order of its parts, and whether the contact slips. Cold parts are no part of the value:
/// the law reads and writes them in place.
pub trait Memory: Copy + Default + Send + Sync + 'static {
    /// Its parts, cold ones last.
    const PARTS: &'static [MemoryPart];
    /// How many numbers, slipping and cold parts not counted.
    const SIZE: usize = count_numbers(Self::PARTS, false);
    /// How many numbers its cold parts have.
    const COLD: usize = count_numbers(Self::PARTS, true);
    /// The memory whose numbers these are.
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self;
    /// Puts its numbers back, each at its place; returns whether the contact slips.
    fn store(self, put: impl FnMut(usize, f64)) -> bool;
    /// The same memory with every vector replaced by `turn` of it. The engine calls it before `FrictionLaw::resist`; it must
    /// turn the parts of form `Vector` and nothing else.
    #[inline(always)]
    fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Self {
        let _ = turn;
        self
    }
    /// `load` with all bits of the contact, for a law that has more than one; `own` are those of the motions it resists.
    #[inline(always)]
    fn load_bits(number: impl Fn(usize) -> f64, bits: u64, own: u64) -> Self {
        Self::load(number, bits & own != 0)
    }
    /// `store` likewise: the contact's bits, with those of this law replaced.
    #[inline(always)]
    fn store_bits(self, put: impl FnMut(usize, f64), bits: u64, own: u64) -> u64 {
        if self.store(put) { bits | own } else { bits & !own }
    }
}

/// How the vectors in a law's memory get from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Carry {
    /// Turned with the pair: the minimal rotation between the normals, then the mean spin (`Contact::transport`).
    #[default]
    WithPair,
    /// Projected on the new tangent plane and rescaled to their length, as LAMMPS does. Not objective.
    AsLammps,
    /// Not at all: the law reads them as the step before left them.
    ByLaw,
}

/// The memory of a contact as its law sees it in this step: loaded, its vectors carried as the law declares.
#[inline(always)]
pub fn recall<L: FrictionLaw>(law: &L, contact: &Contact, number: impl Fn(usize) -> f64, bits: u64) -> L::Memory {
    let memory = L::Memory::load_bits(number, bits, u64::from(L::RESISTS.0));
    match law.carry() {
        // Not inlined, a closure that is called several times would keep the loop from being vectorised.
        Carry::WithPair => memory.turned(
            #[inline(always)]
            |vector| contact.transport(vector),
        ),
        Carry::AsLammps => memory.turned(
            #[inline(always)]
            |vector| project_and_rescale(vector, contact.normal),
        ),
        Carry::ByLaw => memory,
    }
}

/// The memory at the step's end as LAMMPS has it: projected on the new tangent plane and rescaled to its length.
#[inline(always)]
fn project_and_rescale(vector: DVec3, normal: DVec3) -> DVec3 {
    let projected = vector - normal * vector.dot(normal);
    let left = projected.length();
    projected * (if left > 0.0 { vector.length() / left } else { 0.0 })
}

/// Whether a memory turns just the parts that it declares as vectors. Cold parts the engine cannot turn.
pub fn turns_its_vectors<M: Memory>() -> bool {
    let numbers: Vec<f64> = (1..=M::SIZE).map(|k| k as f64).collect();
    let mut expected = numbers.clone();
    let mut at = 0;
    for part in M::PARTS.iter().filter(|part| !part.cold) {
        let end = at + usize::from(part.numbers);
        if part.form == PartForm::Vector {
            expected[at..end].iter_mut().for_each(|number| *number = -*number);
        }
        at = end;
    }
    let mut found = vec![0.0; M::SIZE];
    M::load(|k| numbers[k], false).turned(|vector| -vector).store(|k, number| found[k] = number);
    let cold = |part: &MemoryPart| part.cold;
    let cold_parts_last = M::PARTS.iter().skip_while(|part| !part.cold).all(cold);
    found == expected && cold_parts_last && !M::PARTS.iter().any(|part| part.cold && part.form == PartForm::Vector)
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

impl Memory for VectorSpring {
    const PARTS: &'static [MemoryPart] = &[MemoryPart::vector("spring")];
    #[inline(always)]
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
        VectorSpring { spring: DVec3::new(number(0), number(1), number(2)), slipping }
    }
    #[inline(always)]
    fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
        put(0, self.spring.x);
        put(1, self.spring.y);
        put(2, self.spring.z);
        self.slipping
    }
    #[inline(always)]
    fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Self {
        VectorSpring { spring: turn(self.spring), ..self }
    }
}

impl Memory for ScalarSpring {
    const PARTS: &'static [MemoryPart] = &[MemoryPart::scalar("spring")];
    #[inline(always)]
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
        ScalarSpring { spring: number(0), slipping }
    }
    #[inline(always)]
    fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
        put(0, self.spring);
        self.slipping
    }
}

impl Memory for GradedSpring {
    const PARTS: &'static [MemoryPart] = &[MemoryPart::scalar("spring"), MemoryPart::scalar("stiffness")];
    #[inline(always)]
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
        GradedSpring { spring: number(0), stiffness: number(1), slipping }
    }
    #[inline(always)]
    fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
        put(0, self.spring);
        put(1, self.stiffness);
        self.slipping
    }
}

impl Memory for ModeOnly {
    const PARTS: &'static [MemoryPart] = &[];
    #[inline(always)]
    fn load(_: impl Fn(usize) -> f64, slipping: bool) -> Self {
        ModeOnly { slipping }
    }
    #[inline(always)]
    fn store(self, _: impl FnMut(usize, f64)) -> bool {
        self.slipping
    }
}

impl Motions {
    /// Whether these bits of a contact have any of the motions.
    #[inline(always)]
    pub fn slip_in(self, bits: u64) -> bool {
        bits & u64::from(self.0) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_memory_turns_just_its_vectors() {
        assert!(turns_its_vectors::<VectorSpring>() && turns_its_vectors::<ScalarSpring>());
        assert!(turns_its_vectors::<GradedSpring>() && turns_its_vectors::<ModeOnly>());
        assert_eq!((VectorSpring::SIZE, GradedSpring::SIZE, ModeOnly::SIZE), (3, 2, 0));
    }

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

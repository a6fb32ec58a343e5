//! The laws of a pair on one contact at a time: for the probe and for the slow reference step.

use crate::contact::{Contact, Mode, Resistance};
use crate::law::pair_memory::{PairMemory, SLIPS, take};
use crate::law::{Motions, SpringLaws};

/// Normal force on a and friction; `contact.normal_force`, `normal_load` and `patch` are set on the way.
pub fn evaluate(laws: &SpringLaws, contact: &mut Contact, memory: &mut PairMemory) -> (f64, Resistance) {
    let press = laws.normal.ask(|law| law.press(contact));
    (contact.normal_force, contact.normal_load, contact.patch) = (press.force, press.load, press.patch);
    let (first, mut rest) = memory.split(laws);
    let mut bits = first.to_bits();
    let mut sum = Resistance::default();
    laws.each_friction(|law| {
        let loads = law.resist_one(contact, &mut bits, take(&mut rest, law.memory_size().total()));
        add(&mut sum, law.motions(), loads);
    });
    *first = f64::from_bits(bits);
    (press.force, sum)
}

fn add(sum: &mut Resistance, motions: Motions, one: Resistance) {
    if motions.overlaps(Motions::SLIDE) {
        (sum.force, sum.lever_a, sum.lever_b) = (one.force, one.lever_a, one.lever_b);
    }
    sum.roll_a += one.roll_a;
    sum.roll_b += one.roll_b;
    sum.spin += one.spin;
}

/// Energy stored by normal, slide, roll and spin.
pub fn stored(laws: &SpringLaws, contact: &Contact, memory: &PairMemory) -> [f64; 4] {
    stored_in(laws, contact, memory.numbers())
}

/// The same of the numbers of a `PairMemory`.
pub(crate) fn stored_in(laws: &SpringLaws, contact: &Contact, memory: &[f64]) -> [f64; 4] {
    let bits = memory.first().map_or(0, |bits| bits.to_bits());
    let mut sum = [laws.normal.ask(|law| law.stored(contact)), 0.0, 0.0, 0.0];
    let mut at = SLIPS;
    laws.each_friction(|law| {
        let size = law.memory_size().total();
        let numbers = memory.get(at..at + size);
        // A contact that is new remembers nothing.
        let stored = numbers.map_or([0.0; 3], |numbers| law.stored_one(contact, bits, numbers));
        (0..3).for_each(|motion| sum[motion + 1] += stored[motion]);
        at += size;
    });
    sum
}

/// Stick or slip of slide, roll and spin.
pub fn modes(laws: &SpringLaws, memory: &PairMemory) -> [Mode; 3] {
    laws.mode_bits().modes(memory.bits())
}

//! What a scene takes over from a state before it: bodies, velocities, what contacts remember.
//!
//! `[start]` has that state from another run's file (`start.rs`), `[[stage]]` from the run itself (`stage.rs`); the rules are
//! the same. Memory comes over motion by motion, where the law is of the same kind; what is of another kind is dropped, with
//! a note.

use std::collections::BTreeSet;

use glam::DVec3;
use stickslip::body::{Body, Motion};
use stickslip::column::BodyState;
use stickslip::contact::feature_turned;
use stickslip::law::{Motions, PairMemory};
use stickslip::model::Model;
use stickslip::random::Stream;
use stickslip::setup::Described;
use stickslip::world::{ContactKey, Remembered, Saved};

use crate::checkpoint::Description;
use crate::checkpoint::describe::{BodyText, LawText, PairText, pairs};
use crate::input::{Item, Result, Table, shown};

/// Who is who: by old id, the new one.
pub(crate) type NewIds = Vec<Option<u32>>;

/// What becomes of velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Velocities {
    /// They stay.
    #[default]
    Keep,
    /// All that loads move stands still.
    Zero,
    /// Each component is drawn between two equal bounds, so that the root of the mean square speed is this (m/s); nothing
    /// turns.
    Random(f64),
}

/// Velocities to be given to bodies, one after the other.
pub(crate) struct Speeds {
    velocities: Velocities,
    drawn: Stream,
}

impl Velocities {
    fn read(item: Item<'_>) -> Result<Self> {
        if item.is_table() {
            let table = item.table()?;
            let rms = table.need("random", Item::positive)?;
            table.finish()?;
            return Ok(Velocities::Random(rms));
        }
        item.choice(&[("keep", Velocities::Keep), ("zero", Velocities::Zero)], &[])
    }

    /// As a scene has it.
    pub fn text(self) -> String {
        match self {
            Velocities::Keep => "\"keep\"".to_owned(),
            Velocities::Zero => "\"zero\"".to_owned(),
            Velocities::Random(rms) => format!("{{ random = {rms:?} }}"),
        }
    }

    /// What it changes, in words.
    pub fn change(self) -> Option<&'static str> {
        match self {
            Velocities::Keep => None,
            Velocities::Zero => Some("velocities are set to zero"),
            Velocities::Random(_) => Some("velocities are drawn at random"),
        }
    }

    /// Ready to be given, drawn from a stream of this name.
    pub(crate) fn drawn(self, seed: u64, name: &str) -> Speeds {
        Speeds { velocities: self, drawn: Stream::named(seed, name) }
    }
}

impl Speeds {
    /// Gives the next body its velocity; it has that which it had.
    pub fn give(&mut self, body: &mut Body) {
        if self.velocities == Velocities::Keep || !body.motion.yields() {
            return;
        }
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        if let Velocities::Random(rms) = self.velocities {
            // Of a number between -a and a the mean square is a^2/3; three components make a^2.
            let [x, y, z] = [0, 1, 2].map(|_| self.drawn.between(-rms, rms));
            if body.motion == Motion::Free {
                let free = |k: usize| if body.lock[k] { 0.0 } else { 1.0 };
                body.velocity = DVec3::new(x, y, z) * DVec3::new(free(0), free(1), free(2));
            }
        }
    }
}

/// `velocities` of a table, and whether its `memory` is kept.
pub(crate) fn read_kept(table: &Table<'_>) -> Result<(Velocities, bool)> {
    let velocities = table.read("velocities", Velocities::read)?.unwrap_or_default();
    let words = [("keep", true), ("drop", false)];
    Ok((velocities, table.read("memory", |item| item.choice(&words, &[]))?.unwrap_or(true)))
}

/// A body as it is in the state before.
pub(crate) fn taken_over(text: &BodyText, saved: &BodyState, material: u16) -> Body {
    let body = Body { centre: text.centre, ..Body::new(text.shape.clone(), material, DVec3::ZERO) };
    // A state has the centre of mass.
    let position = match body.centre_of_mass() {
        DVec3::ZERO => saved.position,
        centre => saved.position - saved.orientation * centre,
    };
    Body {
        position,
        velocity: saved.velocity,
        angular_velocity: saved.angular_velocity,
        orientation: saved.orientation,
        mass: Some(text.mass),
        inertia_body: Some(text.inertia),
        inertia_axes: text.inertia_axes,
        motion: text.motion.clone(),
        lock: text.lock,
        force: text.force.clone(),
        torque: text.torque.clone(),
        ..body
    }
}

/// What contacts remember, by new ids, and what is dropped because a law is another.
pub(crate) fn remembered(
    saved: &Saved,
    before: &Description,
    setup: &Described,
    new_ids: &NewIds,
) -> (Remembered, Vec<String>) {
    let (mut remembered, mut dropped) = (Remembered::default(), BTreeSet::new());
    let now = pairs(&setup.model);
    for (contact, _, numbers) in saved.contacts.iter().filter(|(_, live, _)| *live) {
        let [a, b] = [contact.a, contact.b].map(|id| new_ids[id as usize]);
        let (Some(a), Some(b)) = (a, b) else { continue };
        let [old_a, old_b] = [contact.a, contact.b].map(|id| before.bodies.material(id as usize));
        let [new_a, new_b] = [a, b].map(|id| setup.bodies.material(id as usize));
        let between = [new_a.min(new_b), new_a.max(new_b)];
        let old = before.laws_between(old_a, old_b);
        let new = now.iter().find(|pair| pair.between == between);
        let (Some(old), Some(new)) = (old, new) else { continue };
        let Some(laws) = setup.model.laws.get(new_a, new_b) else { continue };
        let numbers = carried(old, new, numbers, &setup.model, &mut dropped);
        let memory = PairMemory::from(numbers.as_slice());
        let memory = if a < b { memory } else { laws.swapped(memory) };
        let feature = if a < b { contact.feature } else { feature_turned(contact.feature) };
        let key = ContactKey { a: a.min(b), b: a.max(b), feature };
        remembered.push(key, true, memory.numbers().iter().copied());
    }
    (remembered.sorted(), dropped.into_iter().collect())
}

/// Whether contacts of these materials, in the order of both, remember the same kinds of numbers.
pub(crate) fn same_kinds(before: &[PairText], now: &[PairText]) -> bool {
    before.len() == now.len()
        && before.iter().zip(now).all(|(old, new)| old.between == new.between && old.frictions() == new.frictions())
}

/// The numbers of a contact's memory under new laws: those of a motion whose law is of the same kind, zero else.
fn carried(old: &PairText, new: &PairText, numbers: &[f64], model: &Model, dropped: &mut BTreeSet<String>) -> Vec<f64> {
    let mut carried = vec![0.0; new.numbers()];
    // A law against all motions has more bits than one for each.
    let all = ("friction", Motions(u8::MAX));
    let motions = [("slide", Motions::SLIDE), ("roll", Motions::ROLL), ("spin", Motions::SPIN), all];
    let (mut slips, mut from, mut to) = (0, 1, 1);
    for ((motion, bit), (old, now)) in motions.into_iter().zip(old.frictions().into_iter().zip(new.frictions())) {
        let size = |law: &Option<LawText>| law.as_ref().map_or(0, |law| law.numbers);
        if old == now && now.is_some() {
            carried[to..to + size(now)].copy_from_slice(&numbers[from..from + size(old)]);
            slips |= numbers[0].to_bits() & u64::from(bit.0);
        } else if let Some(law) = old {
            let [first, second] = new.between.map(|index| model.materials[usize::from(index)].name.as_str());
            let now = now.as_ref().map_or("is none now".to_owned(), |law| format!("is \"{}\" now", law.law));
            let pair = format!("between \"{}\" and \"{}\"", shown(first), shown(second));
            let text = format!("{pair} the {motion} law was \"{}\" and {now}: its memory is dropped", shown(&law.law));
            dropped.insert(text);
        }
        (from, to) = (from + size(old), to + size(now));
    }
    carried[0] = f64::from_bits(slips);
    carried
}

//! What contacts remember, carried over to another world by the ids of their bodies.

use super::World;
use crate::law::{MemoryLayout, PairMemory};
use crate::model::Model;
use crate::soft::carry::HeldContacts;
use crate::soft::lists::Class;
use crate::state::Bodies;

/// What one contact remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct RememberedContact {
    /// Lower id.
    pub a: u32,
    /// Higher id.
    pub b: u32,
    /// Which of several contacts of the two: see `ContactRow`.
    pub feature: u8,
    /// What it remembers.
    pub memory: PairMemory,
}

/// What the contacts of a world remember, by the ids of their bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    rows: Vec<RememberedContact>,
}

impl Remembered {
    /// Of these pairs, each with the lower id first.
    pub fn new(mut rows: Vec<RememberedContact>) -> Self {
        rows.sort_unstable_by_key(|row| (row.a, row.b, row.feature));
        Remembered { rows }
    }

    /// Pairs, lower id first, and what they remember.
    pub fn rows(&self) -> &[RememberedContact] {
        &self.rows
    }

    /// How many contacts remember something.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The same for the contacts of these bodies. Memory of pairs that are not near each other is dropped later.
    pub(super) fn held(&self, model: &Model, bodies: &Bodies) -> HeldContacts {
        let mut held = HeldContacts::with_capacity(self.len());
        let material_of = |id: u32| bodies.material_of.get(id as usize).copied();
        for RememberedContact { a, b, feature, memory } in &self.rows {
            let (Some(first), Some(second)) = (material_of(*a), material_of(*b)) else { continue };
            if model.laws.springs(first, second).is_some() {
                held.push((*a, *b, *feature), model.laws.stride(), memory.numbers().iter().copied());
            }
        }
        held
    }
}

impl World {
    /// What its contacts remember.
    pub fn remembered(&self) -> Remembered {
        let mut rows = Vec::new();
        let stride = self.model.laws.stride();
        for (lists, contacts) in self.work.soft.lists.chunks.iter().zip(&self.state.contacts) {
            for (block, head) in contacts.blocks.iter().enumerate() {
                let class = Class::from_number(head.class, self.model.materials.len());
                let Some(laws) = self.model.laws.springs(class.material_a, class.material_b) else { continue };
                let layout = MemoryLayout::of(laws);
                let lanes = &contacts.memory[block * stride..(block + 1) * stride];
                for lane in (0..head.count as usize).filter(|lane| head.live >> lane & 1 == 1) {
                    let candidate = &lists.candidates[contacts.placed[head.first as usize + lane] as usize];
                    let [a, b] = [candidate.a, candidate.b].map(|i| self.state.bodies.movers[i as usize].id);
                    let memory = PairMemory::from_lanes(&layout, lanes, lane);
                    rows.push(RememberedContact { a, b, feature: candidate.feature(), memory });
                }
            }
        }
        Remembered::new(rows)
    }
}

//! What the making of neighbour lists asks of a world: the order of bodies, and contacts carried over by pair. And the
//! memory of contacts carried over to another world.

use glam::DVec3;
use rayon::prelude::*;

use super::World;
use crate::body::Motion;
use crate::explicit::contacts;
use crate::law::kernel::MemoryLayout;
use crate::law::one::PairMemory;
use crate::neighbour::Class;
use crate::state::{Bodies, GONE};
use crate::wall::Wall;

/// A contact between two makings of the neighbour lists: its bodies' ids, and where its memory is kept.
pub(super) struct HeldContact {
    pub a: u32,
    pub b: u32,
    pub memory: usize,
}

/// Contacts and their memory, out of their blocks.
pub(super) struct HeldContacts {
    pub contacts: Vec<HeldContact>,
    pub numbers: Vec<f64>,
}

/// What the contacts of a world remember, by the ids of their bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    rows: Vec<(u32, u32, PairMemory)>,
}

impl Remembered {
    /// Of these pairs, each with the lower id first.
    pub fn new(mut rows: Vec<(u32, u32, PairMemory)>) -> Self {
        rows.sort_unstable_by_key(|row| (row.0, row.1));
        Remembered { rows }
    }

    /// Pairs, lower id first, and what they remember.
    pub fn rows(&self) -> &[(u32, u32, PairMemory)] {
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
}

impl World {
    /// What its contacts remember.
    pub fn remembered(&self) -> Remembered {
        let mut rows = Vec::new();
        for (lists, contacts) in self.neighbours.chunks.iter().zip(&self.state.contacts) {
            for (block, head) in contacts.blocks.iter().enumerate() {
                let class = Class::from_number(head.class, self.model.materials.len());
                let Some(laws) = self.model.laws.get(class.material_a, class.material_b) else { continue };
                let layout = MemoryLayout::of(laws);
                let lanes = &contacts.memory[block * self.stride..(block + 1) * self.stride];
                for lane in (0..head.count as usize).filter(|lane| head.live >> lane & 1 == 1) {
                    let candidate = &lists.candidates[contacts.placed[head.first as usize + lane] as usize];
                    let [a, b] = [candidate.a, candidate.b].map(|i| self.state.bodies.movers[i as usize].id);
                    rows.push((a, b, PairMemory::from_lanes(&layout, lanes, lane)));
                }
            }
        }
        Remembered::new(rows)
    }

    /// Gives the contacts of a new world what others remember. Memory of pairs that are not near each other is dropped.
    pub(super) fn remember(&mut self, remembered: &Remembered) {
        let mut held = HeldContacts { contacts: Vec::new(), numbers: Vec::new() };
        for &(a, b, memory) in &remembered.rows {
            let Some([first, second]) = self.materials_of(a, b) else { continue };
            let Some(laws) = self.model.laws.get(first, second) else { continue };
            held.contacts.push(HeldContact { a, b, memory: held.numbers.len() });
            let end = held.numbers.len() + self.stride;
            held.numbers.extend(memory.to_numbers(&MemoryLayout::of(laws)));
            held.numbers.resize(end, 0.0);
        }
        self.put_contacts_back(&held);
    }

    fn materials_of(&self, a: u32, b: u32) -> Option<[u16; 2]> {
        Some([*self.material_of.get(a as usize)?, *self.material_of.get(b as usize)?])
    }

    /// Puts the walls where their bodies are.
    pub(super) fn place_walls(&mut self) {
        let bodies = &self.state.bodies;
        self.walls.clear();
        for (mover, &orientation) in bodies.movers.iter().zip(&bodies.orientations).skip(bodies.spheres) {
            let special = &self.specials[mover.special as usize - 1];
            let wall = special.wall.and_then(|shape| Wall::new(&shape, mover.position, orientation));
            let wall = wall.expect("a body without radius is a wall");
            self.walls.push(wall.running(matches!(special.motion, Motion::Belt(_))));
        }
    }

    /// A cell of the Morton order: at least `least`, and so large that 21 bits span the bodies.
    pub(super) fn sorting_cell(&self, least: f64) -> f64 {
        let movers = &self.state.bodies.movers[..self.state.bodies.spheres];
        let low = movers.iter().fold(DVec3::INFINITY, |low, m| low.min(m.position));
        let high = movers.iter().fold(DVec3::NEG_INFINITY, |high, m| high.max(m.position));
        let span = (high - low).max_element();
        if span.is_finite() { least.max(span / 2e6) } else { least }
    }

    pub(super) fn take_contacts(&self) -> HeldContacts {
        // As many as there are: vectors that double as they grow would take twice the memory for a moment.
        let heads = self.state.contacts.iter().flat_map(|contacts| &contacts.blocks);
        let count = heads.map(|head| head.live.count_ones() as usize).sum();
        let numbers = Vec::with_capacity(count * self.stride);
        let mut held = HeldContacts { contacts: Vec::with_capacity(count), numbers };
        for (lists, contacts) in self.neighbours.chunks.iter().zip(&self.state.contacts) {
            for (block, head) in contacts.blocks.iter().enumerate() {
                for lane in (0..head.count as usize).filter(|lane| head.live >> lane & 1 == 1) {
                    let candidate = &lists.candidates[contacts.placed[head.first as usize + lane] as usize];
                    let [a, b] = [candidate.a, candidate.b].map(|i| self.state.bodies.movers[i as usize].id);
                    held.contacts.push(HeldContact { a, b, memory: held.numbers.len() });
                    let lanes = &contacts.memory[block * self.stride..(block + 1) * self.stride];
                    held.numbers.extend(lanes.iter().map(|lanes| lanes.0[lane]));
                }
            }
        }
        held
    }

    pub(super) fn put_contacts_back(&mut self, held: &HeldContacts) {
        let bodies = &self.state.bodies;
        // A touching pair is always listed: the skin is positive and the lists were made just now.
        let mut places: Vec<(u32, u32, usize)> = held
            .contacts
            .par_iter()
            .filter_map(|contact| {
                let [i, j] = [contact.a, contact.b].map(|id| bodies.index_of[id as usize]);
                if i == GONE || j == GONE {
                    return None;
                }
                let place = self.neighbours.find(&self.model, &self.material_of, bodies, i, j)?;
                Some((place.0, place.1, contact.memory))
            })
            .collect();
        places.par_sort_unstable();
        for (chunk, contacts) in self.state.contacts.iter_mut().enumerate() {
            let first = places.partition_point(|place| (place.0 as usize) < chunk);
            let end = places.partition_point(|place| place.0 as usize <= chunk);
            let own = &places[first..end];
            let mut placed = std::mem::take(&mut contacts.placed);
            placed.clear();
            placed.extend(own.iter().map(|place| place.1));
            let lists = &self.neighbours.chunks[chunk];
            contacts::lay_out(lists, &placed, self.stride, contacts);
            contacts::watch_others(&self.model, lists, &placed, &mut contacts.watched);
            contacts.placed = placed;
            for (block, head) in contacts.blocks.iter_mut().enumerate() {
                head.live = head.all();
                for lane in 0..head.count as usize {
                    let from = own[head.first as usize + lane].2;
                    for number in 0..self.stride {
                        contacts.memory[block * self.stride + number].0[lane] = held.numbers[from + number];
                    }
                }
            }
        }
    }
}

impl Bodies {
    /// Puts bodies in a new order: `order[new index] = old index`.
    pub(super) fn reorder(&mut self, order: &[u32]) {
        self.movers = order.iter().map(|&old| self.movers[old as usize]).collect();
        self.loads = order.iter().map(|&old| self.loads[old as usize]).collect();
        self.orientations = order.iter().map(|&old| self.orientations[old as usize]).collect();
        if !self.images.is_empty() {
            self.images = order.iter().map(|&old| self.images[old as usize]).collect();
        }
        for (index, mover) in self.movers.iter().enumerate() {
            self.index_of[mover.id as usize] = index as u32;
        }
    }
}

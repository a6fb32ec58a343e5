//! Loads of the contacts of a chunk, over slices: gather block by block, evaluate the laws, add up.
//!
//! Loads on bodies of the chunk are added in the order of its contacts; loads on bodies of other chunks wait in
//! outboxes, which the method adds in the order of the chunks. Neither order depends on the number of threads.
//!
//! Does not do: find who touches (`detect`), the formulas (`law`).

use super::gather::Batch;
use super::lists::{Candidate, ChunkNeighbours, Class};
use super::{ChunkSums, ChunkTrouble, ChunkWork, Outbox, TooDeep, View, lanes_of};
use crate::collide::{general, sphere_wall};
use crate::contact::{Block, LANES, Lanes, Side};
use crate::law::kernel::{self, Kernel};
use crate::law::{ColdBlock, MemoryLayout, SpringLaws, one};
use crate::measure::{ContactRow, contact_row};
use crate::state::{BlockHead, Load, Mover, Slot, Slots};

/// The pairs of a chunk: its candidates, and which of them have a place, block after block.
#[derive(Clone, Copy)]
pub struct Pairs<'a> {
    /// Pairs.
    pub candidates: &'a [Candidate],
    /// Places.
    pub placed: &'a [Slot],
}

/// What changes with the contacts: who touches, and what they remember.
pub struct Memory<'a> {
    /// Blocks over the places.
    pub blocks: &'a mut [BlockHead],
    /// Lanes of memory, where the blocks say.
    pub lanes: &'a mut [Lanes],
    /// The cold slab.
    pub cold: &'a mut [f64],
}

/// Where the loads go.
pub struct Loads<'a> {
    /// Index of the chunk's first body.
    pub first: usize,
    /// On the bodies of the chunk; added to.
    pub own: &'a mut [Load],
    /// On those of other chunks; added to.
    pub outboxes: &'a mut [Outbox],
}

/// What is summed and noted besides.
pub struct Notes<'a> {
    /// Sums over the contacts.
    pub sums: &'a mut ChunkSums,
    /// The deepest troubles.
    pub trouble: &'a mut ChunkTrouble,
    /// Rows for the contacts record, added to where they are asked for.
    pub rows: &'a mut Vec<ContactRow>,
}

/// Loads of all contacts of a chunk, compiled for every width. What does not touch loses its memory.
pub fn evaluate(view: &View, pairs: Pairs, memory: Memory, loads: Loads, notes: Notes) {
    kernel::dispatch(Evaluate { view: *view, pairs, memory, loads, notes });
}

/// The same of the contacts of a chunk that have been detected, from nothing: earlier loads, posts and rows are dropped.
pub fn evaluate_chunk(
    view: &View,
    first: usize,
    lists: &ChunkNeighbours,
    contacts: &mut Slots,
    work: &mut ChunkWork,
    loads: &mut [Load],
) {
    loads.fill(Load::default());
    work.outboxes.resize_with(lists.targets.len(), Outbox::default);
    work.outboxes.iter_mut().for_each(Outbox::clear);
    work.rows.clear();
    let Slots { placed, blocks, memory, cold } = contacts;
    let ChunkWork { outboxes, sums, trouble, rows, .. } = work;
    let pairs = Pairs { candidates: &lists.candidates, placed };
    let loads = Loads { first, own: loads, outboxes };
    evaluate(view, pairs, Memory { blocks, lanes: memory, cold }, loads, Notes { sums, trouble, rows });
}

struct Evaluate<'a> {
    view: View<'a>,
    pairs: Pairs<'a>,
    memory: Memory<'a>,
    loads: Loads<'a>,
    notes: Notes<'a>,
}

impl Kernel for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Evaluate { view, pairs, memory: all, mut loads, notes } = self;
        let Notes { sums, trouble, rows } = notes;
        let materials = view.laws.materials();
        let mut block = Block::EMPTY;
        block.dt = view.dt;
        block.flow = view.flow;
        sums.virial = [0.0; 9];
        let mut belts = 0.0;
        for head in all.blocks.iter_mut() {
            let class = Class::from_number(head.class, materials);
            let size = view.laws.memory_size(class.material_a, class.material_b);
            let (_, from_here) = all.lanes.split_at_mut(head.memory as usize);
            let (memory, after) = from_here.split_at_mut(size.hot);
            kernel::prefetch_all(&after[..size.hot.min(after.len())]);
            let cold = &mut all.cold[head.cold as usize..][..LANES * size.cold];
            if head.live == 0 {
                forget((memory, cold), size.cold, head.all());
                continue;
            }
            let Some(laws) = view.laws.springs(class.material_a, class.material_b) else { continue };
            let mut batch = batch(pairs, class, head);
            // Blocks at the end of a class are rarely full.
            match batch.placed.len() {
                0..=8 => lanes::<8>(&view, &batch, laws, &mut block, (memory, cold), trouble),
                9..=16 => lanes::<16>(&view, &batch, laws, &mut block, (memory, cold), trouble),
                _ => lanes::<LANES>(&view, &batch, laws, &mut block, (memory, cold), trouble),
            }
            head.live = block.live;
            batch.live = block.live;
            forget((memory, cold), size.cold, head.all() & !head.live);
            if class.wall != Side::Neither {
                belts += belt_power(&block, &view, &batch);
            }
            if view.asked.virial && !class.solid && class.wall == Side::Neither {
                add_virial(&block, head.live, &mut sums.virial);
            }
            scatter(&block, &view, &batch, &mut loads);
            if view.asked.rows {
                keep_rows(&block, &view, &batch, laws, memory, rows);
            }
        }
        sums.belts = belts;
        for (motion, sum) in sums.power.iter_mut().enumerate() {
            *sum = block.sums[motion].0.iter().sum();
        }
        sums.pressed = block.sums[4].0.iter().sum();
    }
}

/// The contacts of a block.
#[inline(always)]
fn batch<'a>(pairs: Pairs<'a>, class: Class, head: &BlockHead) -> Batch<'a> {
    let (first, end) = (head.first as usize, (head.first + head.count) as usize);
    let (placed, ahead) = (&pairs.placed[first..end], &pairs.placed[end..]);
    Batch { candidates: pairs.candidates, class, placed, ahead, live: head.live, was_live: head.was_live }
}

/// Loads of up to `N` contacts.
#[inline(always)]
fn lanes<const N: usize>(
    view: &View,
    batch: &Batch,
    laws: &SpringLaws,
    block: &mut Block,
    (memory, cold): (&mut [Lanes], &mut [f64]),
    trouble: &mut ChunkTrouble,
) {
    batch.gather::<N>(block, view);
    if laws.asks_for_surfaces() {
        batch.gather_surfaces(block, view);
    }
    let stride = cold.len() / LANES;
    kernel::evaluate::<N>(laws, block, memory, ColdBlock::new(cold, stride));
    note_too_deep::<N>(block, view, batch, trouble);
}

/// Drops the memory of places whose pairs do not touch.
#[inline(always)]
fn forget((memory, cold): (&mut [Lanes], &mut [f64]), stride: usize, places: u32) {
    for lane in lanes_of(places) {
        memory.iter_mut().for_each(|numbers| numbers.0[lane] = 0.0);
        cold[lane * stride..][..stride].fill(0.0);
    }
}

/// Notes a contact deeper than half the smaller radius, or not finite.
#[inline(always)]
fn note_too_deep<const N: usize>(block: &Block, view: &View, batch: &Batch, trouble: &mut ChunkTrouble) {
    let bad = |lane: usize| {
        let least = block.reach_a.0[lane].abs().min(block.reach_b.0[lane].abs());
        (block.overlap.0[lane] > 0.5 * least) | block.overlap.0[lane].is_nan()
    };
    // Padding lanes repeat a contact, so they need no mask.
    if (0..N).fold(false, |any, lane| any | bad(lane)) {
        let lane = (0..batch.placed.len()).find(|&lane| bad(lane)).unwrap_or(0);
        let pair = *batch.pair(lane);
        let (overlap, approach) = (block.overlap.0[lane], -block.separation_rate.0[lane]);
        // A wall that a sphere has sunk into was noted before, with the side it is on.
        let [a, b] = view.movers(&pair);
        let speed = a.velocity.distance(b.velocity);
        trouble.too_deep.get_or_insert(TooDeep { pair, overlap, approach, speed, radius_eff: None });
    }
}

/// Adds the block's loads to the bodies of the chunk and to the outboxes.
#[inline(always)]
fn scatter(block: &Block, view: &View, batch: &Batch, loads: &mut Loads) {
    let class = batch.class;
    for lane in lanes_of(batch.live) {
        let candidate = batch.pair(lane);
        let mut on_a = Load::from_quads(block.force.0[lane], block.torque_a.0[lane]);
        let [x, y, z, zero] = block.force.0[lane];
        let mut on_b = Load::from_quads([-x, -y, -z, -zero], block.torque_b.0[lane]);
        if class.solid {
            on_a = general::about_body(on_a, block.arm_a.get(lane));
            on_b = general::about_body(on_b, block.arm_b.get(lane));
        } else if class.wall != Side::Neither {
            let [a, b] = view.movers(candidate);
            match class.wall {
                Side::A => on_a = sphere_wall::about_wall(on_a, b, a),
                _ => on_b = sphere_wall::about_wall(on_b, a, b),
            }
        }
        for (body, load) in [(candidate.a, on_a), (candidate.b, on_b)] {
            match loads.own.get_mut((body as usize).wrapping_sub(loads.first)) {
                Some(sum) => sum.add(&load),
                None => loads.outboxes[candidate.outbox() as usize - 1].push(body, load),
            }
        }
    }
}

/// Adds force (x) branch of a block's contacts.
#[inline(never)]
fn add_virial(block: &Block, live: u32, sums: &mut [f64; 9]) {
    for lane in lanes_of(live) {
        let r = block.between.vector(lane);
        let f = block.force.vector(lane);
        let products =
            [f.x * r.x, f.x * r.y, f.x * r.z, f.y * r.x, f.y * r.y, f.y * r.z, f.z * r.x, f.z * r.y, f.z * r.z];
        (0..9).for_each(|k| sums[k] += products[k]);
    }
}

/// Power that belts put into the contacts of a block: a belt has its own velocity in each, along the surface.
#[inline(never)]
fn belt_power(block: &Block, view: &View, batch: &Batch) -> f64 {
    let mut sum = 0.0;
    for lane in lanes_of(batch.live) {
        let candidate = batch.pair(lane);
        let (index, sphere, sign) = match batch.class.wall {
            Side::A => (candidate.a, candidate.b, -1.0),
            _ => (candidate.b, candidate.a, 1.0),
        };
        let wall = view.colliders.now.wall(view.wall(index));
        if wall.belt {
            let (sphere, belt) = (&view.records.movers[sphere as usize], &view.records.movers[index as usize]);
            // At the full step, as the power of the contact: a belt that speeds up has another velocity amid the step.
            let ahead = glam::Vec3::from(belt.velocity_ahead).as_dvec3();
            let belt = &Mover { velocity: belt.velocity + ahead, ..*belt };
            // A plane that does not turn has one velocity everywhere.
            let velocity = match wall.plane() {
                Some(normal) if batch.class.solid => belt.velocity - normal * belt.velocity.dot(normal),
                _ => sphere_wall::surface_velocity(sphere, belt, wall, view.dt),
            };
            sum += sign * block.force.vector(lane).dot(velocity);
        }
    }
    sum
}

#[inline(never)]
fn keep_rows(
    block: &Block,
    view: &View,
    batch: &Batch,
    laws: &SpringLaws,
    memory: &[Lanes],
    rows: &mut Vec<ContactRow>,
) {
    let modes = laws.mode_bits();
    for lane in lanes_of(batch.live) {
        let candidate = batch.pair(lane);
        let (bodies, kind) = (view.movers(candidate), (batch.class.wall, batch.placed[lane].feature()));
        rows.push(contact_row(block, lane, bodies, kind, &modes, memory));
    }
}

/// The touching contacts that are chosen, in a copy, with their memory; `None` when there are none.
pub fn chosen(lists: &ChunkNeighbours, contacts: &Slots, choose: impl Fn(&Candidate) -> bool) -> Option<Slots> {
    let mut any = 0;
    let mut copy = contacts.clone();
    for head in &mut copy.blocks {
        let placed = &contacts.placed[head.first as usize..][..head.count as usize];
        for lane in lanes_of(head.live).filter(|&lane| !choose(&lists.candidates[placed[lane].candidate()])) {
            head.live &= !(1 << lane);
        }
        head.was_live = head.live;
        any |= head.live;
    }
    (any != 0).then_some(copy)
}

/// Elastic energy of a chunk's contacts by normal, slide, roll and spin.
pub fn stored(view: &View, lists: &ChunkNeighbours, contacts: &Slots) -> [f64; 4] {
    let mut sum = [0.0; 4];
    let mut block = Block::EMPTY;
    let mut numbers = Vec::with_capacity(view.laws.most_numbers());
    let pairs = Pairs { candidates: &lists.candidates, placed: &contacts.placed };
    for head in &contacts.blocks {
        let class = Class::from_number(head.class, view.laws.materials());
        let Some(laws) = view.laws.springs(class.material_a, class.material_b) else { continue };
        let batch = batch(pairs, class, head);
        batch.gather::<LANES>(&mut block, view);
        if laws.asks_for_surfaces() {
            batch.gather_surfaces(&mut block, view);
        }
        let layout = MemoryLayout::of(laws);
        let size = layout.size();
        let memory = contacts.lanes(head, size);
        kernel::geometry::<LANES>(&mut block, false);
        for lane in lanes_of(head.live) {
            layout.gather(memory, lane, contacts.cold(head, size, lane), &mut numbers);
            let energies = one::stored_in(laws, &block.contact(lane), &numbers);
            (0..4).for_each(|motion| sum[motion] += energies[motion]);
        }
    }
    sum
}

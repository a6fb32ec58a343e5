//! One pass over the contacts of a chunk: detect, carry memory, evaluate laws, add up loads.
//!
//! Loads on bodies of the chunk are added in the order of its contacts; loads on bodies of other chunks wait in
//! outboxes, which the world adds in the order of the chunks. Neither order depends on the number of threads.

use std::time::Instant;

use glam::{DMat3, DQuat};

use crate::collide::general::{self, Solids};
use crate::collide::{sphere_sphere, sphere_wall, surfaces};
use crate::contact::PairFlow;
use crate::contact::{Block, LANES, Lanes};
use crate::explicit::bodies::Velocities;
use crate::explicit::{bits_of, detect, solids};
use crate::law::PairLaws;
use crate::law::kernel::{self, Kernel};
use crate::law::{MemoryLayout, PairMemory, one};
use crate::measure::{ContactRow, contact_row};
use crate::model::Model;
use crate::neighbour::{Candidate, ChunkNeighbours, Class, Shifts, Side};
use crate::state::{BlockHead, ChunkContacts, Load, Mover};
use crate::wall::Wall;

/// Scratch of a chunk that outlives the step only to save allocations, and what the pass reports.
#[derive(Clone, Debug, Default)]
pub struct ChunkWork {
    /// Loads on bodies of other chunks.
    pub outboxes: Vec<Outbox>,
    /// One bit a candidate: of a wall's, set where it touches in this step. Not kept up where there are no walls.
    pub(super) touching: Vec<u64>,
    /// Contacts with walls that end, and those that go on in their place.
    pub(super) handed_over: Vec<(u32, u32)>,
    /// Candidates that have begun to touch in this step and need a place.
    pub(super) begun: Vec<u32>,
    /// Power by normal, slide, roll, spin.
    pub power: [f64; 4],
    /// Power that belts put in.
    pub belts: f64,
    /// Sum of the sizes of normal forces.
    pub pressed: f64,
    /// Sum of force (x) branch (J): xx, xy, xz, yx, .. with the force's component first.
    pub virial: [f64; 9],
    /// A pair that overlaps too deeply, if there is one.
    pub too_deep: Option<TooDeep>,
    /// A sphere and a wall that it touches all around, if there are any.
    pub wrapped: Option<Candidate>,
    /// Rows for the contacts record, when they are kept.
    pub rows: Vec<ContactRow>,
    /// Nanoseconds spent on detection and on laws, summed over steps.
    pub nanoseconds: [u64; 2],
}

/// A pair that overlaps by more than half the smaller radius, as it was found: bodies may have moved on since.
#[derive(Clone, Copy, Debug)]
pub struct TooDeep {
    /// The two.
    pub pair: Candidate,
    /// By how much (m).
    pub overlap: f64,
    /// How fast it grows (m/s); of a pair that has passed through itself, not a number to go by.
    pub approach: f64,
    /// How fast the two move past or towards each other (m/s).
    pub speed: f64,
    /// R_eff (m), where one of the two is an ellipsoid or a box.
    pub radius_eff: Option<f64>,
}

/// Loads on bodies of one other chunk, in the order in which they are added.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    bodies: Vec<u32>,
    loads: Vec<Load>,
}

impl Outbox {
    #[inline(always)]
    fn push(&mut self, body: u32, load: Load) {
        self.bodies.push(body);
        self.loads.push(load);
    }

    fn clear(&mut self) {
        self.bodies.clear();
        self.loads.clear();
    }

    /// Indices of bodies and the loads on them.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Load)> {
        self.bodies.iter().copied().zip(&self.loads)
    }
}

/// What the pass reads of the world.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Model.
    pub model: &'a Model,
    /// Bodies.
    pub movers: &'a [Mover],
    /// How they are turned.
    pub orientations: &'a [DQuat],
    /// The walls, which stand after the spheres.
    pub walls: &'a [Wall],
    /// The same at the start of the step.
    pub walls_before: &'a [Wall],
    /// Ellipsoids and boxes, which stand among the spheres.
    pub solids: Solids<'a>,
    /// How many bodies are no walls.
    pub spheres: usize,
    /// Bodies in a chunk.
    pub chunk_size: usize,
    /// Lanes of memory a block.
    pub stride: usize,
    /// Step by which memory grows.
    pub dt: f64,
    /// How the bodies of each chunk have moved.
    pub moved: &'a [Moved],
    /// Whether to keep rows for the contacts record.
    pub keep_rows: bool,
    /// The shift of each image of b (m); none without a cell.
    pub shifts: &'a Shifts,
    /// The affine flow of the cell, where it changes its shape.
    pub flow: Option<PairFlow>,
    /// Whether branch (x) force is summed.
    pub sum_virial: bool,
    /// What the flow may have made of distances since lists were made, at least; and the largest reach of a pair (m).
    pub least_stretch: f64,
    /// See above.
    pub reach: f64,
    /// By which part the flow has shortened distances in this step, at most.
    pub strain: f64,
    /// Skin of the lists, and the largest coordinate of a sphere (m).
    pub skin: f64,
    /// See above.
    pub extent: f64,
}

/// How the bodies of a chunk have moved.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    /// The farthest since neighbour lists were made (m).
    pub farthest: f64,
    /// Velocities of its spheres in the drift of this step.
    pub velocities: Velocities,
}

/// The pass over one chunk.
pub fn pass(
    view: View,
    chunk: usize,
    lists: &ChunkNeighbours,
    contacts: &mut ChunkContacts,
    work: &mut ChunkWork,
    loads: &mut [Load],
) {
    let start = Instant::now();
    (work.too_deep, work.wrapped) = (None, None);
    detect::detect(&view, chunk, lists, contacts, work);
    let detected = Instant::now();
    loads.fill(Load::default());
    work.outboxes.resize_with(lists.targets.len(), Outbox::default);
    work.outboxes.iter_mut().for_each(Outbox::clear);
    work.rows.clear();
    kernel::dispatch(Evaluate { view, first: chunk * view.chunk_size, lists, contacts, work, loads });
    let spent = [detected - start, detected.elapsed()];
    for (sum, spent) in work.nanoseconds.iter_mut().zip(spent) {
        *sum += spent.as_nanos() as u64;
    }
}

/// Laws over all blocks of a chunk, compiled for every width.
struct Evaluate<'a> {
    view: View<'a>,
    first: usize,
    lists: &'a ChunkNeighbours,
    contacts: &'a mut ChunkContacts,
    work: &'a mut ChunkWork,
    loads: &'a mut [Load],
}

impl Kernel for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Evaluate { view, first, lists, contacts, work, loads } = self;
        let mut block = Block::EMPTY;
        block.dt = view.dt;
        block.flow = view.flow;
        work.virial = [0.0; 9];
        let mut belts = 0.0;
        for (number, head) in contacts.blocks.iter_mut().enumerate() {
            let (_, from_here) = contacts.memory.split_at_mut(number * view.stride);
            let (memory, after) = from_here.split_at_mut(view.stride);
            kernel::prefetch_all(&after[..view.stride.min(after.len())]);
            if head.live == 0 {
                forget(memory, head.all());
                continue;
            }
            let class = Class::from_number(head.class, view.model.materials.len());
            let Some(laws) = view.model.laws.get(class.material_a, class.material_b) else { continue };
            let placed = &contacts.placed[head.first as usize..(head.first + head.count) as usize];
            let ahead = &contacts.placed[(head.first + head.count) as usize..];
            let contacts = Gathered { view: &view, lists, class, placed, ahead, live: head.live };
            // Blocks at the end of a class are rarely full.
            match placed.len() {
                0..=8 => contacts.evaluate::<8>(laws, &mut block, memory, work),
                9..=16 => contacts.evaluate::<16>(laws, &mut block, memory, work),
                _ => contacts.evaluate::<LANES>(laws, &mut block, memory, work),
            }
            head.live = block.live;
            forget(memory, head.all() & !head.live);
            if class.wall != Side::Neither {
                belts += belt_power(&block, &view, lists, class, placed, head.live);
            }
            if view.sum_virial && !class.solid && class.wall == Side::Neither {
                add_virial(&block, head.live, &mut work.virial);
            }
            scatter(&block, &view, first, lists, class, placed, head.live, work, loads);
            if view.keep_rows {
                keep_rows(&block, &view, lists, class, placed, head.live, laws, memory, &mut work.rows);
            }
        }
        work.belts = belts;
        for (motion, sum) in work.power.iter_mut().enumerate() {
            *sum = block.sums[motion].0.iter().sum();
        }
        work.pressed = block.sums[4].0.iter().sum();
    }
}

/// The contacts of a block.
struct Gathered<'a> {
    view: &'a View<'a>,
    lists: &'a ChunkNeighbours,
    class: Class,
    placed: &'a [u32],
    /// The places of the blocks that follow.
    ahead: &'a [u32],
    live: u32,
}

impl Gathered<'_> {
    /// Loads of up to `N` contacts.
    #[inline(always)]
    fn evaluate<const N: usize>(&self, laws: &PairLaws, block: &mut Block, memory: &mut [Lanes], work: &mut ChunkWork) {
        gather::<N>(block, self.view, self.lists, self.class, self.placed, self.ahead, self.live);
        if laws.asks_for_surfaces() {
            gather_surfaces(block, self.view, self.lists, self.class, self.placed);
        }
        kernel::evaluate::<N>(laws, block, memory);
        note_too_deep::<N>(block, self.view, self.lists, self.placed, work);
    }
}

/// Fills the block from the bodies. Lanes beyond the places repeat the last one, so that no lane divides by zero.
#[inline(always)]
fn gather<const N: usize>(
    block: &mut Block,
    view: &View,
    lists: &ChunkNeighbours,
    class: Class,
    placed: &[u32],
    ahead: &[u32],
    live: u32,
) {
    block.solid = class.solid;
    if class.solid {
        return solids::gather::<N>(block, view, lists, class.wall, placed, live);
    }
    let wall = class.wall;
    for lane in 0..N {
        // Neighbours in space are near in memory, not next to each other: ask for those of the next block in time.
        if let Some(&next) = ahead.get(lane) {
            let next = &lists.candidates[next as usize];
            kernel::prefetch(&view.movers[next.a as usize]);
            kernel::prefetch(&view.movers[next.b as usize]);
        }
        let candidate = &lists.candidates[placed[lane.min(placed.len() - 1)] as usize];
        let (a, b) = (&view.movers[candidate.a as usize], &view.movers[candidate.b as usize]);
        if wall == Side::Neither {
            sphere_sphere::gather(block, lane, a, b, view.shifts[candidate.image()]);
        } else {
            let index = if wall == Side::A { candidate.a } else { candidate.b } as usize - view.spheres;
            sphere_wall::gather(block, lane, a, b, wall, &view.walls[index], &view.walls_before[index]);
        }
    }
    block.live = live;
}

/// Adds what laws that track points want besides. Lanes beyond the places keep what they have: any numbers will do.
#[inline(never)]
fn gather_surfaces(block: &mut Block, view: &View, lists: &ChunkNeighbours, class: Class, placed: &[u32]) {
    for (lane, &place) in placed.iter().enumerate() {
        let candidate = &lists.candidates[place as usize];
        let (a, b) = (candidate.a as usize, candidate.b as usize);
        let orientations = [a, b].map(|index| view.orientations[index]);
        if class.solid {
            // Points and curvatures have come with the geometry.
            (block.surfaces.orientation_a[lane], block.surfaces.orientation_b[lane]) = orientations.into();
            continue;
        }
        surfaces::gather(block, lane, &view.movers[a], &view.movers[b], orientations[0], orientations[1]);
    }
}

/// Drops the memory of places whose pairs do not touch.
#[inline(always)]
fn forget(memory: &mut [Lanes], places: u32) {
    for lane in lanes_of(places) {
        memory.iter_mut().for_each(|numbers| numbers.0[lane] = 0.0);
    }
}

/// The lanes whose bits are set, rising.
#[inline(always)]
fn lanes_of(bits: u32) -> impl Iterator<Item = usize> {
    bits_of(u64::from(bits)).map(|lane| lane as usize)
}

/// Notes a contact deeper than half the smaller radius, or not finite.
#[inline(always)]
fn note_too_deep<const N: usize>(
    block: &Block,
    view: &View,
    lists: &ChunkNeighbours,
    placed: &[u32],
    work: &mut ChunkWork,
) {
    let bad = |lane: usize| {
        let least = block.reach_a.0[lane].abs().min(block.reach_b.0[lane].abs());
        (block.overlap.0[lane] > 0.5 * least) | block.overlap.0[lane].is_nan()
    };
    // Padding lanes repeat a contact, so they need no mask.
    if (0..N).fold(false, |any, lane| any | bad(lane)) {
        let lane = (0..placed.len()).find(|&lane| bad(lane)).unwrap_or(0);
        let pair = lists.candidates[placed[lane] as usize];
        let (overlap, approach) = (block.overlap.0[lane], -block.separation_rate.0[lane]);
        // A wall that a sphere has sunk into was noted before, with the side it is on.
        let speed = view.movers[pair.a as usize].velocity.distance(view.movers[pair.b as usize].velocity);
        work.too_deep.get_or_insert(TooDeep { pair, overlap, approach, speed, radius_eff: None });
    }
}

/// Adds the block's loads to the bodies of the chunk and to the outboxes.
#[inline(always)]
fn scatter(
    block: &Block,
    view: &View,
    first: usize,
    lists: &ChunkNeighbours,
    class: Class,
    placed: &[u32],
    live: u32,
    work: &mut ChunkWork,
    loads: &mut [Load],
) {
    for lane in lanes_of(live) {
        let candidate = &lists.candidates[placed[lane] as usize];
        let mut on_a = Load::from_quads(block.force.0[lane], block.torque_a.0[lane]);
        let [x, y, z, zero] = block.force.0[lane];
        let mut on_b = Load::from_quads([-x, -y, -z, -zero], block.torque_b.0[lane]);
        if class.solid {
            on_a = general::about_body(on_a, block.arm_a.get(lane));
            on_b = general::about_body(on_b, block.arm_b.get(lane));
        } else if class.wall != Side::Neither {
            let (a, b) = (&view.movers[candidate.a as usize], &view.movers[candidate.b as usize]);
            match class.wall {
                Side::A => on_a = sphere_wall::about_wall(on_a, b, a),
                _ => on_b = sphere_wall::about_wall(on_b, a, b),
            }
        }
        for (body, load) in [(candidate.a, on_a), (candidate.b, on_b)] {
            match loads.get_mut((body as usize).wrapping_sub(first)) {
                Some(sum) => sum.add(&load),
                None => work.outboxes[candidate.outbox() as usize - 1].push(body, load),
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
fn belt_power(block: &Block, view: &View, lists: &ChunkNeighbours, class: Class, placed: &[u32], live: u32) -> f64 {
    let mut sum = 0.0;
    for lane in lanes_of(live) {
        let candidate = &lists.candidates[placed[lane] as usize];
        let (index, sphere, sign) = match class.wall {
            Side::A => (candidate.a, candidate.b, -1.0),
            _ => (candidate.b, candidate.a, 1.0),
        };
        let wall = &view.walls[index as usize - view.spheres];
        if wall.belt {
            let (sphere, belt) = (&view.movers[sphere as usize], &view.movers[index as usize]);
            // A plane that does not turn has one velocity everywhere.
            let velocity = match wall.plane() {
                Some(normal) if class.solid => belt.velocity - normal * belt.velocity.dot(normal),
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
    lists: &ChunkNeighbours,
    class: Class,
    placed: &[u32],
    live: u32,
    laws: &PairLaws,
    memory: &[Lanes],
    rows: &mut Vec<ContactRow>,
) {
    for lane in lanes_of(live) {
        let candidate = &lists.candidates[placed[lane] as usize];
        let (a, b) = (&view.movers[candidate.a as usize], &view.movers[candidate.b as usize]);
        rows.push(contact_row(block, lane, a, b, class, candidate.feature(), laws, memory));
    }
}

/// The touching contacts that are chosen, in a copy, with their memory; `None` when there are none.
pub fn chosen(
    lists: &ChunkNeighbours,
    contacts: &ChunkContacts,
    choose: impl Fn(&Candidate) -> bool,
) -> Option<ChunkContacts> {
    let mut any = 0;
    let mut copy = contacts.clone();
    for head in &mut copy.blocks {
        let placed = &contacts.placed[head.first as usize..][..head.count as usize];
        for lane in lanes_of(head.live).filter(|&lane| !choose(&lists.candidates[placed[lane] as usize])) {
            head.live &= !(1 << lane);
        }
        any |= head.live;
    }
    (any != 0).then_some(copy)
}

/// Loads and power of contacts as they are, without a look at who touches: for a copy, whose memory may change.
pub fn evaluate(
    view: View,
    chunk: usize,
    lists: &ChunkNeighbours,
    contacts: &mut ChunkContacts,
    work: &mut ChunkWork,
    loads: &mut [Load],
) {
    work.outboxes.resize_with(lists.targets.len(), Outbox::default);
    kernel::dispatch(Evaluate { view, first: chunk * view.chunk_size, lists, contacts, work, loads });
}

/// Elastic energy of a chunk's contacts by normal, slide, roll and spin.
pub fn stored(view: &View, lists: &ChunkNeighbours, contacts: &ChunkContacts) -> [f64; 4] {
    let mut sum = [0.0; 4];
    let mut block = Block::EMPTY;
    for (number, head) in contacts.blocks.iter().enumerate() {
        let class = Class::from_number(head.class, view.model.materials.len());
        let Some(laws) = view.model.laws.get(class.material_a, class.material_b) else { continue };
        let placed = &contacts.placed[head.first as usize..(head.first + head.count) as usize];
        let ahead = &contacts.placed[(head.first + head.count) as usize..];
        gather::<LANES>(&mut block, view, lists, class, placed, ahead, head.live);
        if laws.asks_for_surfaces() {
            gather_surfaces(&mut block, view, lists, class, placed);
        }
        let memory = &contacts.memory[number * view.stride..(number + 1) * view.stride];
        kernel::geometry::<LANES>(&mut block, false);
        let layout = MemoryLayout::of(laws);
        for lane in lanes_of(head.live) {
            let remembered = PairMemory::from_lanes(&layout, memory, lane);
            let energies = one::stored(laws, &block.contact(lane), &remembered);
            (0..4).for_each(|motion| sum[motion] += energies[motion]);
        }
    }
    sum
}

impl ChunkWork {
    /// Sum of force (x) branch (J), the force's component in the row.
    pub fn virial(&self) -> DMat3 {
        DMat3::from_cols_array(&self.virial).transpose()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let posted = |outbox: &Outbox| 4 * outbox.bodies.capacity() + size_of::<Load>() * outbox.loads.capacity();
        self.outboxes.iter().map(posted).sum::<usize>() + 8 * self.touching.capacity() + 4 * self.begun.capacity()
    }
}

impl ChunkContacts {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.placed.capacity()
            + self.watch.bytes()
            + size_of::<BlockHead>() * self.blocks.capacity()
            + size_of::<Lanes>() * self.memory.capacity()
    }
}

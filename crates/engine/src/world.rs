//! The world and its step: the loop that everyone reads first.
//!
//! World = Model (what does not change) + State (what a checkpoint holds) + workspace (what only saves time). A step is
//! two passes over bodies and one over contacts, each parallel over chunks of bodies.

mod assemble;
mod carry;
mod check;
mod deform;
mod packing;
mod rattlers;
mod read;
mod saved;
mod traffic;

use std::time::Instant;

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use crate::body::{Body, Described};
use crate::collide::general::{Solid, Solids};
use crate::error::{BuildError, Trouble};
use crate::explicit::bodies::{Advance, BodyReport, Mechanics};
use crate::explicit::contacts::{self, ChunkWork, Moved, View};
use crate::explicit::flow::{self, Flow};
use crate::law::kernel;
use crate::model::{Model, Special};
use crate::neighbour::{self, Neighbours, Shifts};
use carry::{HeldContacts, Order};
pub use carry::{Remembered, RememberedContact};
pub use rattlers::Packing;
pub use saved::{RestoreError, Saved, SavedBody, SavedContact};
pub use traffic::StreamReport;

use crate::state::{Bodies, ChunkContacts, Load, Mover, State, chunk_size};
use crate::wall::Wall;

/// All that a world is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Materials, laws, gravity, step.
    pub model: Model,
    /// Bodies, by id.
    pub bodies: Vec<Body>,
}

/// Time spent in each phase of steps (ns), summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Making neighbour lists.
    pub neighbours: u64,
    /// Finding which candidates touch.
    pub detection: u64,
    /// Laws, with gathering into blocks and adding up within a chunk.
    pub laws: u64,
    /// Adding up loads between chunks.
    pub gather: u64,
    /// Kicks and drifts.
    pub integration: u64,
}

/// What follows the end of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Nothing: the caller wants to look.
    Rest,
    /// The next step's kick and drift.
    KickAndDrift,
}

/// A scene in motion.
#[derive(Clone, Debug)]
pub struct World {
    model: Model,
    state: State,
    specials: Vec<Special>,
    material_of: Vec<u16>,
    neighbours: Neighbours,
    walls: Vec<Wall>,
    walls_before: Vec<Wall>,
    walls_built: Vec<Wall>,
    solids: Vec<Solid>,
    solids_before: Vec<Solid>,
    work: Vec<ChunkWork>,
    reports: Vec<BodyReport>,
    moved: Vec<Moved>,
    shifts: Shifts,
    flow: Option<Flow>,
    largest_radius: f64,
    stride: usize,
    keep_rows: bool,
    timed: bool,
    rebuilds: u64,
    phases: Phases,
}

impl World {
    /// Steps, `steps` times. The kick that ends a step and the one that begins the next share a pass over the bodies, so
    /// one call for many steps is faster than many calls; the bits are the same.
    ///
    /// Bodies come and go at the start of a step, at step numbers that depend on the scene alone (`world/traffic.rs`).
    ///
    /// A step that goes wrong is not counted when more were to follow it, and leaves a state that is not worth recording.
    pub fn advance(&mut self, steps: u64) -> Result<(), Trouble> {
        let end = self.state.step + steps;
        while self.state.step < end {
            let pause = self.let_in_and_out(end)?;
            self.advance_without_traffic(pause - self.state.step)?;
        }
        Ok(())
    }

    /// Steps while no body comes or goes.
    fn advance_without_traffic(&mut self, steps: u64) -> Result<(), Trouble> {
        self.kick_and_drift();
        for left in (0..steps).rev() {
            if self.neighbours_stale() {
                self.check_finite()?;
                self.check_cell()?;
                self.rebuild_neighbours();
            }
            // The stress at the end of a step must be known before the next one begins.
            let apart = self.stress_controlled();
            let then = if left > 0 && !apart { Then::KickAndDrift } else { Then::Rest };
            let last = left == 0;
            if rayon::current_num_threads() == 1 {
                self.sweep(then, last)?;
            } else {
                self.detect_and_evaluate(self.model.dt);
                let trouble = self.check_depth();
                if last || trouble.is_ok() {
                    self.gather_and_kick(then);
                }
                trouble?;
            }
            if apart && !last {
                self.kick_and_drift();
            }
        }
        Ok(())
    }

    /// One step.
    pub fn step(&mut self) -> Result<(), Trouble> {
        self.advance(1)
    }

    /// A world at step 0, its loads evaluated once without growing any memory.
    pub fn new(setup: Setup) -> Result<World, BuildError> {
        World::with_memory(setup, &Remembered::default())
    }

    /// The same, of bodies whose contacts remember what those of another world do, by the ids of their bodies.
    pub fn with_memory(setup: Setup, remembered: &Remembered) -> Result<World, BuildError> {
        World::assemble(setup)?.started(remembered)
    }

    /// The world of bodies that the caller keeps, without a copy of them. `rows` tells whether its contacts at step 0 will be
    /// asked for (`World::contacts`): rows take more room than all else that is known of a contact.
    pub fn of(described: &Described, rows: bool) -> Result<World, BuildError> {
        let mut world = World::assemble_from(described)?;
        world.keep_rows = rows;
        world.started(&Remembered::default())
    }

    /// Lists, contacts, loads and ledger of a world that has none yet.
    fn started(self, remembered: &Remembered) -> Result<World, BuildError> {
        let mut world = self;
        world.check_cell().map_err(|trouble| BuildError::BadCell(trouble.to_string()))?;
        let held = world.held_from(remembered);
        world.make_lists(held);
        world.note_walls_before();
        world.detect_and_evaluate(0.0);
        world.keep_rows = false;
        world.add_outboxes();
        world.look_ahead();
        let flow_power = world.end_flow(world.kinetic_sums(), 0.0);
        world.start_ledger(world.contact_power(), flow_power);
        Ok(world)
    }

    /// Begins the ledger at step 0, where the loads of contacts have this power.
    fn start_ledger(&mut self, power: [f64; 4], flow_power: f64) {
        let driven = self.driven_power_at_start() + self.belt_power() + flow_power;
        self.state.sums.book(power, driven, 0.5 * self.model.dt);
        let (stored, (kinetic, potential)) = (self.stored(), self.kinetic_and_potential());
        self.state.sums.stored_at_start = stored;
        self.state.sums.start = kinetic + potential + stored.iter().sum::<f64>();
    }

    // ---- the verbs of a step ----

    /// What moves bodies in the step that follows `step`.
    fn mechanics(&self, step: u64) -> Mechanics<'_> {
        let time = (step + 1) as f64 * self.model.dt;
        Mechanics { model: &self.model, specials: &self.specials, time, flow: self.flow.as_ref() }
    }

    fn kick_and_drift(&mut self) {
        self.begin_flow();
        let mut reports = std::mem::take(&mut self.reports);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let mechanics = self.mechanics(self.state.step);
        let size = bodies.chunk;
        bodies
            .movers
            .par_chunks_mut(size)
            .zip(bodies.loads.par_chunks(size))
            .zip(bodies.orientations.par_chunks_mut(size))
            .zip(bodies.built_at.par_chunks(size))
            .zip(&mut reports)
            .for_each(|((((movers, loads), orientations), built_at), report)| {
                let start = Some(mechanics);
                let advance = Advance { finish: None, start, movers, loads, orientations, built_at, report };
                kernel::dispatch(advance);
            });
        self.reports = reports;
        self.state.bodies = bodies;
        self.after_drift();
    }

    /// The walls follow their bodies, and local damping of the kick is booked.
    fn after_drift(&mut self) {
        self.state.sums.local += self.reports.iter().map(|r| r.local_before_drift).sum::<f64>();
        std::mem::swap(&mut self.walls, &mut self.walls_before);
        std::mem::swap(&mut self.solids, &mut self.solids_before);
        self.place_walls();
        let bodies = &self.state.bodies;
        for (index, (wall, built)) in (bodies.spheres..).zip(self.walls.iter().zip(&self.walls_built)) {
            let (report, moved) = (&mut self.reports[index / bodies.chunk], wall.moved_since(built));
            report.moved_squared = report.moved_squared.max(moved * moved);
        }
        self.move_cell();
    }

    fn neighbours_stale(&self) -> bool {
        let slack = self.slack();
        // What is not a number is stale, too: then `check_finite` and `check_cell` say what is wrong.
        let near = |report: &BodyReport| report.moved_squared <= slack * slack;
        !(slack >= 0.0 && self.reports.iter().all(near))
    }

    /// Notes how far the bodies of each chunk have moved since neighbour lists were made.
    fn note_moved(&mut self) {
        self.moved.clear();
        let moved = |r: &BodyReport| Moved { farthest: r.moved_squared.sqrt(), velocities: r.velocities };
        self.moved.extend(self.reports.iter().map(moved));
    }

    /// Detects touching pairs, carries memory, evaluates laws, adds up loads within each chunk.
    fn detect_and_evaluate(&mut self, dt: f64) {
        let mut loads = std::mem::take(&mut self.state.bodies.loads);
        let mut contacts = std::mem::take(&mut self.state.contacts);
        let mut work = std::mem::take(&mut self.work);
        self.note_moved();
        let view = self.view(&self.state.bodies, dt);
        let size = self.state.bodies.chunk;
        self.neighbours
            .chunks
            .par_iter()
            .zip(&mut contacts)
            .zip(&mut work)
            .zip(loads.par_chunks_mut(size))
            .enumerate()
            .for_each(|(chunk, (((lists, contacts), work), loads))| {
                contacts::pass(view, chunk, lists, contacts, work, loads);
            });
        self.state.bodies.loads = loads;
        self.state.contacts = contacts;
        self.work = work;
    }

    /// What a pass over contacts reads.
    fn view<'a>(&'a self, bodies: &'a Bodies, dt: f64) -> View<'a> {
        View {
            model: &self.model,
            movers: &bodies.movers,
            orientations: &bodies.orientations,
            walls: &self.walls,
            walls_before: &self.walls_before,
            solids: Solids { specials: &self.specials, now: &self.solids, before: &self.solids_before },
            spheres: bodies.spheres,
            chunk_size: bodies.chunk,
            stride: self.stride,
            dt,
            moved: &self.moved,
            keep_rows: self.keep_rows,
            shifts: &self.shifts,
            flow: self.pair_flow(dt),
            sum_virial: self.state.cell.is_some(),
            least_stretch: self.least_stretch(),
            reach: 2.0 * self.largest_radius,
            strain: self.flow.map_or(0.0, |flow| 1.0 - flow::least_stretch(flow.carry)),
            skin: self.neighbours.skin,
            extent: self.neighbours.extent,
        }
    }

    /// Adds loads from other chunks and kicks, which ends the step; then, in the same pass, begins the next one.
    fn gather_and_kick(&mut self, then: Then) {
        let flow_ahead = self.flow_ahead();
        let mut reports = std::mem::take(&mut self.reports);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let finish = self.finishing(then, flow_ahead.as_ref());
        let (work, lists) = (&self.work, &self.neighbours.chunks);
        let size = bodies.chunk;
        bodies
            .movers
            .par_chunks_mut(size)
            .zip(bodies.loads.par_chunks_mut(size))
            .zip(bodies.orientations.par_chunks_mut(size))
            .zip(bodies.built_at.par_chunks(size))
            .zip(&mut reports)
            .enumerate()
            .for_each(|(chunk, ((((movers, loads), orientations), built_at), report))| {
                let sources = &lists[chunk].sources;
                finish.chunk(chunk * size, sources, work, movers, loads, orientations, built_at, report);
            });
        self.reports = reports;
        self.state.bodies = bodies;
        self.end_step(then);
    }

    /// `detect_and_evaluate` and `gather_and_kick` in one go, for one thread: the bodies of a chunk move as soon as no later
    /// chunk needs them, while they are still in the cache. The same sums in the same order, hence the same bits.
    fn sweep(&mut self, then: Then, last: bool) -> Result<(), Trouble> {
        self.note_moved();
        let flow_ahead = self.flow_ahead();
        let mut reports = std::mem::take(&mut self.reports);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let mut contacts = std::mem::take(&mut self.state.contacts);
        let mut work = std::mem::take(&mut self.work);
        let finish = self.finishing(then, flow_ahead.as_ref());
        let lists = &self.neighbours.chunks;
        let mut loads = std::mem::take(&mut bodies.loads);
        let (size, all) = (bodies.chunk, bodies.movers.len());
        let range = |chunk: usize| chunk * size..((chunk + 1) * size).min(all);
        for chunk in 0..lists.len() {
            let view = self.view(&bodies, self.model.dt);
            let own = &mut loads[range(chunk)];
            contacts::pass(view, chunk, &lists[chunk], &mut contacts[chunk], &mut work[chunk], own);
            for &done in &lists[chunk].completes {
                let own = range(done as usize);
                let (movers, loads) = (&mut bodies.movers[own.clone()], &mut loads[own.clone()]);
                let (orientations, built_at) = (&mut bodies.orientations[own.clone()], &bodies.built_at[own]);
                let (done, sources) = (done as usize, &lists[done as usize].sources);
                finish.chunk(done * size, sources, &work, movers, loads, orientations, built_at, &mut reports[done]);
            }
        }
        bodies.loads = loads;
        self.reports = reports;
        self.state.bodies = bodies;
        self.state.contacts = contacts;
        self.work = work;
        let trouble = self.check_depth();
        if last || trouble.is_ok() {
            self.end_step(then);
        }
        trouble
    }

    fn finishing<'a>(&'a self, then: Then, flow_ahead: Option<&'a Flow>) -> Finishing<'a> {
        let this = self.mechanics(self.state.step);
        let next = Mechanics { flow: flow_ahead, ..self.mechanics(self.state.step + 1) };
        Finishing { this, next, then, timed: self.timed }
    }

    fn end_step(&mut self, then: Then) {
        self.record_ledger();
        self.state.step += 1;
        if then == Then::KickAndDrift {
            // The bodies have taken this flow already.
            self.begin_flow();
            self.after_drift();
        }
    }

    fn record_ledger(&mut self) {
        let kinetic = self.reports.iter().fold([0.0; 6], |mut sums, report| {
            (0..6).for_each(|k| sums[k] += report.kinetic[k]);
            sums
        });
        let flow_power = self.end_flow(kinetic, self.model.dt);
        let driven = self.reports.iter().map(|r| r.driven_power).sum::<f64>() + self.belt_power() + flow_power;
        self.state.sums.book(self.contact_power(), driven, self.model.dt);
        self.state.sums.local += self.reports.iter().map(|r| r.local_at_end).sum::<f64>();
    }

    /// Puts bodies in the order of space, makes candidate lists, carries contacts and their memory over by pair.
    fn rebuild_neighbours(&mut self) {
        let start = Instant::now();
        let held = self.take_contacts();
        self.let_go_of_workspace();
        self.phases.neighbours += start.elapsed().as_nanos() as u64;
        self.make_lists(held);
    }

    /// Frees what the next step makes anew: where memory is short, while lists are made or after the last step.
    pub fn let_go_of_workspace(&mut self) {
        for work in &mut self.work {
            let ChunkWork { power, belts, pressed, virial, too_deep, wrapped, rows, nanoseconds, .. } =
                std::mem::take(work);
            (work.power, work.belts, work.pressed, work.virial) = (power, belts, pressed, virial);
            (work.too_deep, work.wrapped, work.rows, work.nanoseconds) = (too_deep, wrapped, rows, nanoseconds);
        }
    }

    /// The same for contacts that were taken out before.
    fn make_lists(&mut self, held: HeldContacts) {
        let start = Instant::now();
        self.rebuilds += 1;
        self.tidy_cell();
        let cell = 4.0 * self.neighbours.skin.max(f64::MIN_POSITIVE);
        let order = neighbour::order_in_space(&self.state.bodies, cell);
        self.state.bodies.reorder(&order);
        self.place_walls();
        self.walls_built.clone_from(&self.walls);
        let bodies = &mut self.state.bodies;
        bodies.chunk = chunk_size(bodies.movers.len());
        bodies.built_at.clear();
        bodies.built_at.extend(bodies.movers.iter().map(|m| m.position));
        bodies.walls_built_at.clear();
        bodies.walls_built_at.extend_from_slice(&bodies.orientations[bodies.spheres..]);
        let frame = self.state.cell.as_ref().map(|cell| &cell.frame);
        let solids = Solids { specials: &self.specials, now: &self.solids, before: &self.solids };
        self.neighbours.build(&self.model, &self.material_of, bodies, &self.walls, solids, frame);
        let chunks = self.neighbours.chunks.len();
        self.state.contacts.resize_with(chunks, ChunkContacts::default);
        self.work.resize_with(chunks, ChunkWork::default);
        self.reports.resize(chunks, BodyReport::default());
        self.reports.iter_mut().for_each(|report| report.moved_squared = 0.0);
        self.put_contacts_back(held, Order::OfCandidates);
        self.phases.neighbours += start.elapsed().as_nanos() as u64;
    }
}

/// The end of a step, and the start of the next, for the bodies of one chunk.
struct Finishing<'a> {
    this: Mechanics<'a>,
    next: Mechanics<'a>,
    then: Then,
    timed: bool,
}

impl Finishing<'_> {
    fn chunk(
        &self,
        first: usize,
        sources: &[(u32, u32)],
        work: &[ChunkWork],
        movers: &mut [Mover],
        loads: &mut [Load],
        orientations: &mut [DQuat],
        built_at: &[DVec3],
        report: &mut BodyReport,
    ) {
        let began = self.timed.then(Instant::now);
        add_from_outboxes(first, sources, work, loads);
        let gathered = self.timed.then(Instant::now);
        let start = (self.then == Then::KickAndDrift).then_some(self.next);
        let advance = Advance { finish: Some(self.this), start, movers, loads, orientations, built_at, report };
        kernel::dispatch(advance);
        if let (Some(began), Some(gathered)) = (began, gathered) {
            report.nanoseconds[0] += (gathered - began).as_nanos() as u64;
            report.nanoseconds[1] += gathered.elapsed().as_nanos() as u64;
        }
    }
}

/// Adds what other chunks have for the bodies of the chunk that begins at `first`, in the order of those chunks.
fn add_from_outboxes(first: usize, sources: &[(u32, u32)], work: &[ChunkWork], loads: &mut [Load]) {
    for &(from, outbox) in sources {
        for (body, load) in work[from as usize].outboxes[outbox as usize].iter() {
            loads[body as usize - first].add(load);
        }
    }
}

impl World {
    fn add_outboxes(&mut self) {
        let size = self.state.bodies.chunk;
        for (chunk, loads) in self.state.bodies.loads.chunks_mut(size).enumerate() {
            add_from_outboxes(chunk * size, &self.neighbours.chunks[chunk].sources, &self.work, loads);
        }
    }

    fn look_ahead(&mut self) {
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let mechanics = self.mechanics(0);
        for ((mover, load), &orientation) in bodies.movers.iter_mut().zip(&bodies.loads).zip(&bodies.orientations) {
            mechanics.look_ahead(mover, load, orientation);
        }
        self.state.bodies = bodies;
    }

    fn driven_power_at_start(&self) -> f64 {
        let bodies = &self.state.bodies;
        let mechanics = self.mechanics(0);
        bodies.movers.iter().zip(&bodies.loads).map(|(mover, load)| mechanics.driven_power(mover, load)).sum()
    }

    fn belt_power(&self) -> f64 {
        self.work.iter().map(|work| work.belts).sum()
    }

    fn contact_power(&self) -> [f64; 4] {
        let mut sum = [0.0; 4];
        for work in &self.work {
            (0..4).for_each(|motion| sum[motion] += work.power[motion]);
        }
        sum
    }
}

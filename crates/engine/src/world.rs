//! The world and its step: the loop that everyone reads first.
//!
//! World = Model (what does not change) + State (what a checkpoint holds) + workspace (what only saves time). A step is
//! two passes over bodies and one over contacts, each parallel over chunks of 256 bodies.

mod assemble;
mod carry;
mod read;

use std::time::Instant;

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use crate::body::Body;
use crate::error::{BuildError, Trouble};
use crate::explicit::bodies::{Advance, BodyReport, Mechanics};
use crate::explicit::contacts::{self, ChunkWork, View};
use crate::law::kernel;
use crate::model::{Model, Special};
use crate::neighbour::{self, Neighbours};
use crate::state::{CHUNK, ChunkContacts, Load, Mover, State};

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
    plane_normals: Vec<DVec3>,
    work: Vec<ChunkWork>,
    reports: Vec<BodyReport>,
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
    /// A step that goes wrong is not counted when more were to follow it, and leaves a state that is not worth recording.
    pub fn advance(&mut self, steps: u64) -> Result<(), Trouble> {
        if steps > 0 {
            self.kick_and_drift();
        }
        for left in (0..steps).rev() {
            if self.neighbours_stale() {
                self.check_finite()?;
                self.rebuild_neighbours();
            }
            let then = if left > 0 { Then::KickAndDrift } else { Then::Rest };
            if rayon::current_num_threads() == 1 {
                self.sweep(then)?;
            } else {
                self.detect_and_evaluate(self.model.dt);
                let trouble = self.check_depth();
                if then == Then::Rest || trouble.is_ok() {
                    self.gather_and_kick(then);
                }
                trouble?;
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
        let mut world = World::assemble(setup)?;
        world.rebuild_neighbours();
        world.detect_and_evaluate(0.0);
        world.keep_rows = false;
        world.add_outboxes();
        world.look_ahead();
        let driven = world.driven_power_at_start();
        let power = world.contact_power();
        world.state.sums.book(power, driven, 0.5 * world.model.dt);
        world.state.sums.stored_at_start = world.stored();
        let start = world.ledger();
        world.state.sums.start = start.kinetic + start.potential + start.stored;
        Ok(world)
    }

    // ---- the verbs of a step ----

    /// What moves bodies in the step that follows `step`.
    fn mechanics(&self, step: u64) -> Mechanics<'_> {
        Mechanics { model: &self.model, specials: &self.specials, time: (step + 1) as f64 * self.model.dt }
    }

    fn kick_and_drift(&mut self) {
        let mut reports = std::mem::take(&mut self.reports);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let mechanics = self.mechanics(self.state.step);
        bodies
            .movers
            .par_chunks_mut(CHUNK)
            .zip(bodies.loads.par_chunks(CHUNK))
            .zip(bodies.orientations.par_chunks_mut(CHUNK))
            .zip(bodies.built_at.par_chunks(CHUNK))
            .zip(&mut reports)
            .for_each(|((((movers, loads), orientations), built_at), report)| {
                let start = Some(mechanics);
                let advance = Advance { finish: None, start, movers, loads, orientations, built_at, report };
                kernel::dispatch(advance, true);
            });
        self.reports = reports;
        self.state.bodies = bodies;
        self.after_drift();
    }

    /// The planes follow their bodies, and local damping of the kick is booked.
    fn after_drift(&mut self) {
        self.state.sums.local += self.reports.iter().map(|r| r.local_before_drift).sum::<f64>();
        self.place_planes();
    }

    /// The farthest that a body has moved since neighbour lists were made (m).
    fn moved(&self) -> f64 {
        self.reports.iter().map(|report| report.moved_squared).fold(0.0, f64::max).sqrt()
    }

    fn neighbours_stale(&self) -> bool {
        self.moved() > self.neighbours.slack()
    }

    /// Detects touching pairs, carries memory, evaluates laws, adds up loads within each chunk.
    fn detect_and_evaluate(&mut self, dt: f64) {
        let mut loads = std::mem::take(&mut self.state.bodies.loads);
        let mut contacts = std::mem::take(&mut self.state.contacts);
        let mut work = std::mem::take(&mut self.work);
        let view = self.view(&self.state.bodies.movers, self.state.bodies.spheres, dt, self.moved());
        self.neighbours
            .chunks
            .par_iter()
            .zip(&mut contacts)
            .zip(&mut work)
            .zip(loads.par_chunks_mut(CHUNK))
            .enumerate()
            .for_each(|(chunk, (((lists, contacts), work), loads))| {
                contacts::pass(view, chunk, lists, contacts, work, loads);
            });
        self.state.bodies.loads = loads;
        self.state.contacts = contacts;
        self.work = work;
    }

    /// What a pass over contacts reads.
    fn view<'a>(&'a self, movers: &'a [Mover], spheres: usize, dt: f64, moved: f64) -> View<'a> {
        let (model, plane_normals, stride, keep_rows) =
            (&self.model, &self.plane_normals[..], self.stride, self.keep_rows);
        View { model, movers, plane_normals, spheres, stride, dt, moved, keep_rows }
    }

    /// Adds loads from other chunks and kicks, which ends the step; then, in the same pass, begins the next one.
    fn gather_and_kick(&mut self, then: Then) {
        let mut reports = std::mem::take(&mut self.reports);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let finish = self.finishing(then);
        let (work, lists) = (&self.work, &self.neighbours.chunks);
        bodies
            .movers
            .par_chunks_mut(CHUNK)
            .zip(bodies.loads.par_chunks_mut(CHUNK))
            .zip(bodies.orientations.par_chunks_mut(CHUNK))
            .zip(bodies.built_at.par_chunks(CHUNK))
            .zip(&mut reports)
            .enumerate()
            .for_each(|(chunk, ((((movers, loads), orientations), built_at), report))| {
                let sources = &lists[chunk].sources;
                finish.chunk(chunk, sources, work, movers, loads, orientations, built_at, report);
            });
        self.reports = reports;
        self.state.bodies = bodies;
        self.end_step(then);
    }

    /// `detect_and_evaluate` and `gather_and_kick` in one go, for one thread: the bodies of a chunk move as soon as no later
    /// chunk needs them, while they are still in the cache. The same sums in the same order, hence the same bits.
    fn sweep(&mut self, then: Then) -> Result<(), Trouble> {
        let moved = self.moved();
        let mut reports = std::mem::take(&mut self.reports);
        let mut bodies = std::mem::take(&mut self.state.bodies);
        let mut contacts = std::mem::take(&mut self.state.contacts);
        let mut work = std::mem::take(&mut self.work);
        let finish = self.finishing(then);
        let lists = &self.neighbours.chunks;
        let range = |chunk: usize, all: usize| chunk * CHUNK..((chunk + 1) * CHUNK).min(all);
        let all = bodies.movers.len();
        for chunk in 0..lists.len() {
            let view = self.view(&bodies.movers, bodies.spheres, self.model.dt, moved);
            let loads = &mut bodies.loads[range(chunk, all)];
            contacts::pass(view, chunk, &lists[chunk], &mut contacts[chunk], &mut work[chunk], loads);
            for &done in &lists[chunk].completes {
                let own = range(done as usize, all);
                let (movers, loads) = (&mut bodies.movers[own.clone()], &mut bodies.loads[own.clone()]);
                let (orientations, built_at) = (&mut bodies.orientations[own.clone()], &bodies.built_at[own]);
                let (done, sources) = (done as usize, &lists[done as usize].sources);
                finish.chunk(done, sources, &work, movers, loads, orientations, built_at, &mut reports[done]);
            }
        }
        self.reports = reports;
        self.state.bodies = bodies;
        self.state.contacts = contacts;
        self.work = work;
        let trouble = self.check_depth();
        if then == Then::Rest || trouble.is_ok() {
            self.end_step(then);
        }
        trouble
    }

    fn finishing(&self, then: Then) -> Finishing<'_> {
        let (this, next) = (self.mechanics(self.state.step), self.mechanics(self.state.step + 1));
        Finishing { this, next, then, timed: self.timed }
    }

    fn end_step(&mut self, then: Then) {
        self.record_ledger();
        self.state.step += 1;
        if then == Then::KickAndDrift {
            self.after_drift();
        }
    }

    fn record_ledger(&mut self) {
        let driven = self.reports.iter().map(|r| r.driven_power).sum::<f64>();
        self.state.sums.book(self.contact_power(), driven, self.model.dt);
        self.state.sums.local += self.reports.iter().map(|r| r.local_at_end).sum::<f64>();
    }

    /// Puts bodies in the order of space, makes candidate lists, carries contacts and their memory over by pair.
    fn rebuild_neighbours(&mut self) {
        let start = Instant::now();
        self.rebuilds += 1;
        let held = self.take_contacts();
        let cell = 4.0 * self.neighbours.skin.max(f64::MIN_POSITIVE);
        let order = neighbour::order_in_space(&self.state.bodies, self.sorting_cell(cell));
        self.state.bodies.reorder(&order);
        self.place_planes();
        let bodies = &mut self.state.bodies;
        bodies.built_at.clear();
        bodies.built_at.extend(bodies.movers.iter().map(|m| m.position));
        self.neighbours.build(&self.model, &self.material_of, bodies, &self.plane_normals);
        let chunks = self.neighbours.chunks.len();
        self.state.contacts.resize_with(chunks, ChunkContacts::default);
        self.work.resize_with(chunks, ChunkWork::default);
        self.reports.resize(chunks, BodyReport::default());
        self.reports.iter_mut().for_each(|report| report.moved_squared = 0.0);
        self.put_contacts_back(&held);
        self.phases.neighbours += start.elapsed().as_nanos() as u64;
    }

    // ---- checks ----

    /// Whether every position, orientation and velocity is a finite number. Steps look only when lists are made or a pair is
    /// too deep; who records a state asks here.
    pub fn check_finite(&self) -> Result<(), Trouble> {
        let bodies = &self.state.bodies;
        let finite = |(mover, orientation): &(&Mover, &DQuat)| {
            mover.position.is_finite()
                && mover.velocity.is_finite()
                && mover.angular_velocity.is_finite()
                && orientation.is_finite()
        };
        let all = bodies.movers.iter().zip(&bodies.orientations);
        match all.filter(|body| !finite(body)).map(|(mover, _)| mover.id).min() {
            None => Ok(()),
            Some(body) => Err(Trouble::NotFinite { body, time: self.time(), step: self.state.step }),
        }
    }

    fn check_depth(&self) -> Result<(), Trouble> {
        let Some(pair) = self.work.iter().find_map(|work| work.too_deep) else { return Ok(()) };
        let bodies = &self.state.bodies;
        let (a, b) = (&bodies.movers[pair.a as usize], &bodies.movers[pair.b as usize]);
        let depth = |sphere: &Mover, plane: u32| {
            let normal = self.plane_normals[plane as usize - bodies.spheres];
            sphere.radius - (sphere.position - bodies.movers[plane as usize].position).dot(normal)
        };
        let overlap = if pair.a as usize >= bodies.spheres {
            depth(b, pair.a)
        } else if pair.b as usize >= bodies.spheres {
            depth(a, pair.b)
        } else {
            a.radius + b.radius - (a.position - b.position).length()
        };
        self.check_finite()?;
        Err(Trouble::Overlap {
            a: a.id,
            b: b.id,
            overlap,
            time: self.time() + self.model.dt,
            step: self.state.step + 1,
        })
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
        chunk: usize,
        sources: &[(u32, u32)],
        work: &[ChunkWork],
        movers: &mut [Mover],
        loads: &mut [Load],
        orientations: &mut [DQuat],
        built_at: &[DVec3],
        report: &mut BodyReport,
    ) {
        let began = self.timed.then(Instant::now);
        add_from_outboxes(chunk, sources, work, loads);
        let gathered = self.timed.then(Instant::now);
        let start = (self.then == Then::KickAndDrift).then_some(self.next);
        let advance = Advance { finish: Some(self.this), start, movers, loads, orientations, built_at, report };
        kernel::dispatch(advance, true);
        if let (Some(began), Some(gathered)) = (began, gathered) {
            report.nanoseconds[0] += (gathered - began).as_nanos() as u64;
            report.nanoseconds[1] += gathered.elapsed().as_nanos() as u64;
        }
    }
}

/// Adds what other chunks have for the bodies of `chunk`, in the order of those chunks.
fn add_from_outboxes(chunk: usize, sources: &[(u32, u32)], work: &[ChunkWork], loads: &mut [Load]) {
    for &(from, outbox) in sources {
        for (body, load) in &work[from as usize].outboxes[outbox as usize] {
            loads[*body as usize - chunk * CHUNK].add(load.force, load.torque);
        }
    }
}

impl World {
    fn add_outboxes(&mut self) {
        for (chunk, loads) in self.state.bodies.loads.chunks_mut(CHUNK).enumerate() {
            add_from_outboxes(chunk, &self.neighbours.chunks[chunk].sources, &self.work, loads);
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

    fn contact_power(&self) -> [f64; 4] {
        let mut sum = [0.0; 4];
        for work in &self.work {
            (0..4).for_each(|motion| sum[motion] += work.power[motion]);
        }
        sum
    }
}

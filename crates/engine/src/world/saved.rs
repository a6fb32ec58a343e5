//! The state of a world as a checkpoint holds it, and the way back.
//!
//! `restore` gives a world that goes on with the very bits of the one that was saved, for any number of threads. What the
//! next step reads is saved: bodies in their order in space, loads, contacts with their memory, the ledger's sums, and
//! where bodies stood when neighbour lists were made. The lists themselves are not: they follow from that, and every
//! contact finds its candidate in them by its pair, so that a file says nothing about indices. The order in which contacts are saved
//! is that in which they stand.
//!
//! Rows for the contacts record of the step it was saved at are the exception: they are evaluated anew, without a step.
//!
//! `restart` is for a stage: the same state at step 0, with a ledger that starts anew.
//!
//! Does not do: describing bodies, materials and laws; those come with the `Setup`, which must be that of the saved world.

use glam::{DQuat, DVec3, IVec3};
use thiserror::Error;

use super::World;
use crate::body::Motion;
use crate::cell::{Cell, CellState};
use crate::collide::Posed;
use crate::error::{BuildError, Trouble};
use crate::explicit::{deform, start, step};
use crate::inflow::{Arrivals, Traffic};
use crate::ledger::Sums;
use crate::mover::{check_body, mover_of};
use crate::setup::Setup;
use crate::soft::carry::{HeldContacts, Order};
use crate::soft::cell;
use crate::soft::lists::{self, Neighbours, Sizes};
use crate::state::{GONE, Load, Mover};
use crate::wall::Wall;

/// A body as it is saved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SavedBody {
    /// Its id.
    pub id: u32,
    /// Radius (m); zero for what is not a sphere. It must be the setup's.
    pub radius: f64,
    /// 1/m (1/kg); zero for what loads do not move. It must be the setup's.
    pub inverse_mass: f64,
    /// 1/I (1/(kg m^2)). It must be the setup's.
    pub inverse_inertia: f64,
    /// Centre (m).
    pub position: DVec3,
    /// `world_from_body`.
    pub orientation: DQuat,
    /// Velocity (m/s) at the full step.
    pub velocity: DVec3,
    /// Angular velocity (rad/s), world axes.
    pub angular_velocity: DVec3,
    /// See `Mover`.
    pub velocity_ahead: [f32; 3],
    /// See `Mover`.
    pub angular_velocity_ahead: [f32; 3],
    /// Sum of contact forces (N).
    pub force: DVec3,
    /// Sum of contact torques (N m), world axes.
    pub torque: DVec3,
    /// Where it stood when neighbour lists were made (m).
    pub built_at: DVec3,
    /// See `Bodies::images`; zero without a cell.
    pub images: IVec3,
}

/// A place among the contacts; its memory stands in `Saved::memory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedContact {
    /// Lower id.
    pub a: u32,
    /// Higher id.
    pub b: u32,
    /// Which of several contacts of the two: see `ContactRow`.
    pub feature: u8,
    /// Whether the pair touches; else it has touched since lists were made, and has its place but no memory.
    pub live: bool,
}

/// Everything that changes in a run, in the order in which it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Steps done.
    pub step: u64,
    /// The step (s).
    pub dt: f64,
    /// What the ledger has booked.
    pub sums: Sums,
    /// Sum of the sizes of normal forces (N) at the last evaluation.
    pub pressed: f64,
    /// Pairs closer than this gap are listed (m).
    pub skin: f64,
    /// The radius that size classes count from (m).
    pub smallest: f64,
    /// Bodies in a chunk.
    pub chunk: usize,
    /// How many are spheres; they stand first.
    pub spheres: usize,
    /// The bodies, in their order in space.
    pub bodies: Vec<SavedBody>,
    /// Orientations, when lists were made, of the bodies that are not spheres.
    pub walls_built: Vec<DQuat>,
    /// The places of contacts, in their order.
    pub contacts: Vec<SavedContact>,
    /// Numbers of memory a contact: the bits of slipping, then slide, roll and spin, then zeros.
    pub stride: usize,
    /// The memory of every contact, one after the other.
    pub memory: Vec<f64>,
    /// What has come and gone.
    pub traffic: Traffic,
    /// The cell, if there is one.
    pub cell: Option<CellState>,
}

/// Why a saved state does not go with a setup.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RestoreError {
    /// The setup makes no world.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The saved state is of another world.
    #[error("the saved state is of another scene: {0}")]
    Differs(String),
    /// The saved state contradicts itself.
    #[error("the saved state is broken: {0}")]
    Broken(String),
}

fn broken<T>(what: impl Into<String>) -> Result<T, RestoreError> {
    Err(RestoreError::Broken(what.into()))
}

fn too_small(trouble: Trouble) -> RestoreError {
    RestoreError::Build(BuildError::BadCell(trouble.to_string()))
}

/// More steps than any run takes; beyond them, step times dt is no exact time.
const MOST_STEPS: u64 = 1 << 53;

impl World {
    /// The state as it is now, between two steps.
    pub fn save(&self) -> Saved {
        let mut saved = self.save_head();
        saved.bodies = (0..self.body_count()).map(|index| self.saved_body(index)).collect();
        let all: Result<(), ()> = self.visit_saved_contacts(|contact, memory| {
            saved.contacts.push(contact);
            saved.memory.extend_from_slice(memory);
            Ok(())
        });
        debug_assert!(all.is_ok());
        saved
    }

    /// The same without bodies and contacts, which `saved_body` and `visit_saved_contacts` give one by one: for who has no room
    /// for a copy of all.
    pub fn save_head(&self) -> Saved {
        let bodies = &self.state.bodies;
        let Sizes { skin, smallest, .. } = self.work.soft.lists.sizes;
        Saved {
            step: self.state.step,
            dt: self.model.dt,
            sums: self.state.sums,
            pressed: self.work.soft.pressed(),
            skin,
            smallest,
            chunk: bodies.chunk,
            spheres: bodies.first_wall,
            bodies: Vec::new(),
            walls_built: bodies.walls_built_at.clone(),
            contacts: Vec::new(),
            stride: self.model.laws.stride(),
            memory: Vec::new(),
            traffic: self.state.traffic.clone(),
            cell: self.state.cell,
        }
    }

    /// How many places of contacts there are.
    pub fn saved_contact_count(&self) -> usize {
        self.state.contacts.iter().map(|contacts| contacts.placed.len()).sum()
    }

    /// The places of contacts, in their order, with their memory, until `visit` fails.
    pub fn visit_saved_contacts<E>(
        &self,
        mut visit: impl FnMut(SavedContact, &[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let movers = &self.state.bodies.movers;
        let stride = self.model.laws.stride();
        let mut memory = vec![0.0; stride];
        for (lists, contacts) in self.work.soft.lists.chunks.iter().zip(&self.state.contacts) {
            for (block, head) in contacts.blocks.iter().enumerate() {
                let lanes = &contacts.memory[block * stride..(block + 1) * stride];
                for lane in 0..head.count as usize {
                    let candidate = &lists.candidates[contacts.placed[head.first as usize + lane] as usize];
                    let [a, b] = [candidate.a, candidate.b].map(|i| movers[i as usize].id);
                    memory.iter_mut().zip(lanes).for_each(|(number, lanes)| *number = lanes.0[lane]);
                    let (feature, live) = (candidate.feature(), head.live >> lane & 1 == 1);
                    visit(SavedContact { a, b, feature, live }, &memory)?;
                }
            }
        }
        Ok(())
    }

    /// A body by its place in the order of space.
    #[inline]
    pub fn saved_body(&self, index: usize) -> SavedBody {
        let bodies = &self.state.bodies;
        let (mover, load) = (&bodies.movers[index], &bodies.loads[index]);
        SavedBody {
            id: mover.id,
            radius: mover.radius,
            inverse_mass: mover.inverse_mass,
            inverse_inertia: mover.inverse_inertia,
            position: mover.position,
            orientation: bodies.orientations[index],
            velocity: mover.velocity,
            angular_velocity: mover.angular_velocity,
            velocity_ahead: mover.velocity_ahead,
            angular_velocity_ahead: mover.angular_velocity_ahead,
            force: load.force,
            torque: load.torque,
            built_at: bodies.built_at[index],
            images: bodies.images.get(index).copied().unwrap_or_default(),
        }
    }

    /// The world that was saved. `setup` is what it was made from.
    pub fn restore(setup: Setup, saved: &Saved) -> Result<World, RestoreError> {
        let mut world = World::assemble(setup)?;
        if world.model.dt.to_bits() != saved.dt.to_bits() {
            return Err(RestoreError::Differs(format!("its step is {:e} s, not {:e} s", saved.dt, world.model.dt)));
        }
        if saved.step > MOST_STEPS {
            return broken(format!("it has taken {} steps", saved.step));
        }
        let (found, expected) = (saved.stride, world.model.laws.stride());
        if found != expected && found > 0 {
            return Err(RestoreError::Differs(format!("its contacts remember {found} numbers, not {expected}")));
        }
        if world.state.traffic.queues.len() != saved.traffic.queues.len() {
            return Err(RestoreError::Differs(format!("it has {} streams", saved.traffic.queues.len())));
        }
        if world.state.cell.is_some() != saved.cell.is_some() {
            let has = if saved.cell.is_some() { "has a cell" } else { "has no cell" };
            return Err(RestoreError::Differs(format!("it {has}")));
        }
        world.expect_arrivals(&saved.traffic.arrivals)?;
        world.state.traffic = saved.traffic.clone();
        world.take_cell(saved)?;
        world.put_back(saved)?;
        world.state.step = saved.step;
        world.state.sums = saved.sums;
        Ok(world)
    }

    /// The same bodies and contacts at step 0, with a new ledger. Step, gravity, laws (of the same kinds) and the motion of what loads
    /// do not move are the setup's; prescribed motion starts at its beginning. The loads of the saved world begin the first step.
    pub fn restart(setup: Setup, saved: &Saved) -> Result<World, RestoreError> {
        let mut world = World::assemble(setup)?;
        let bodies = &world.state.bodies;
        let rows = bodies.movers.iter().zip(&bodies.orientations).map(|(mover, at)| (*mover, *at));
        let driven: Vec<(Mover, DQuat)> = rows.filter(|(mover, _)| world.is_driven(mover)).collect();
        world.go_on_with_cell(saved)?;
        world.put_back(saved)?;
        world.renew_lists(saved)?;
        let swept = world.swept();
        for (mover, orientation) in driven {
            let index = world.state.bodies.index_of[mover.id as usize];
            // One that was taken out stays out.
            if index != GONE {
                world.state.bodies.movers[index as usize] = mover;
                world.state.bodies.orientations[index as usize] = orientation;
            }
        }
        world.geometry.pose(&world.state.bodies);
        world.renew_lists_of_planes(&swept);
        world.geometry.note_before();
        let World { model, state, geometry, work } = &mut world;
        let flow_power = deform::restart(model, state, work.soft.virial());
        start::start_ledger(model, state, geometry, work, saved.sums.power, flow_power);
        Ok(world)
    }

    /// Lists for a cell that the saved world did not have, or that no longer follows the flow they were made in.
    fn renew_lists(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let Some(cell) = self.state.cell else { return Ok(()) };
        let halted = !self.model.flows() && cell.built != cell.frame.vectors;
        if saved.cell.is_none() || halted {
            cell::check(&self.model, &self.state, &self.work.soft.lists.sizes).map_err(too_small)?;
            self.rebuild_lists();
        }
        if saved.cell.is_none() {
            self.keep_rows_of_now();
            deform::note_virial(&mut self.state, self.work.soft.virial());
        }
        Ok(())
    }

    /// Whether each wall is a plane that turns.
    fn swept(&self) -> Vec<bool> {
        let movers = &self.state.bodies.movers[self.state.bodies.first_wall..];
        self.geometry.now().walls().zip(movers).map(|(wall, mover)| wall.sweeps(mover.angular_velocity)).collect()
    }

    /// Lists for planes that begin or cease to turn, or stand otherwise than when lists were made. How far a plane has turned is not
    /// followed (`Wall::moved_since`): lists hold every sphere against one that turns, and only what is near against others.
    fn renew_lists_of_planes(&mut self, swept: &[bool]) {
        let now = self.swept();
        let plane = |posed: &Posed| posed.wall().and_then(Wall::plane);
        let changed = |k: usize| plane(self.geometry.posed(k)) != plane(self.geometry.posed_built(k));
        let turned = |(k, &sweeps): (usize, &bool)| !sweeps && changed(k);
        if now != swept || now.iter().enumerate().any(turned) {
            self.rebuild_lists();
        }
    }

    /// The cell as it was saved, if there is one.
    fn take_cell(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let Some(cell) = &saved.cell else { return Ok(()) };
        if self.model.cell.is_none_or(|model| model.frame.periodic != cell.frame.periodic) {
            return Err(RestoreError::Differs("its cell repeats in other directions".into()));
        }
        if !cell.is_sound() {
            return broken("its cell is not finite, or has no volume");
        }
        self.state.cell = Some(*cell);
        self.geometry.note_cell(Some(cell));
        Ok(())
    }

    /// The same for a stage: the shape goes on, what drives it is the setup's.
    fn go_on_with_cell(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let (Some(old), Some(model)) = (&saved.cell, &self.model.cell) else {
            return if saved.cell.is_some() { Err(RestoreError::Differs("it has a cell".into())) } else { Ok(()) };
        };
        let new = CellState::new(&Cell { frame: old.frame, ..*model }, old.centre);
        self.take_cell(saved)?;
        self.state.cell = Some(CellState { built: old.built, virial: old.virial, ..new });
        Ok(())
    }

    /// Whether the setup says where it is and how it moves. A servo goes on from where it stood.
    fn is_driven(&self, mover: &Mover) -> bool {
        let special = self.state.bodies.special(mover);
        special.is_some_and(|special| !(special.motion.yields() || matches!(special.motion, Motion::Servo(_))))
    }

    /// Makes room for bodies that have entered since the start; where they are, and which have left, comes later.
    fn expect_arrivals(&mut self, arrivals: &Arrivals) -> Result<(), RestoreError> {
        let first = self.id_count();
        let bodies = &mut self.state.bodies;
        let mut movers = Vec::with_capacity(arrivals.len());
        for (id, arrival) in (first..).zip(arrivals.iter()) {
            let body = arrival.body();
            check_body(id, &body, &self.model)?;
            movers.push(mover_of(id, &body, &self.model, &mut bodies.specials));
            let largest = &mut self.work.soft.lists.sizes.largest;
            *largest = largest.max(body.shape.radius().unwrap_or(0.0));
            bodies.material_of.push(arrival.material);
        }
        let (at, count) = (bodies.first_wall, movers.len());
        bodies.movers.splice(at..at, movers);
        bodies.loads.splice(at..at, vec![Load::default(); count]);
        bodies.orientations.splice(at..at, vec![DQuat::IDENTITY; count]);
        bodies.first_wall += count;
        bodies.index_of.resize(bodies.movers.len(), GONE);
        for (index, mover) in bodies.movers.iter().enumerate() {
            bodies.index_of[mover.id as usize] = index as u32;
        }
        self.geometry.enter(bodies, at..at + count);
        Ok(())
    }

    /// Bodies, lists and contacts of the saved state in an assembled world.
    fn put_back(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        self.check_sizes(saved)?;
        self.place_bodies(saved)?;
        if saved.cell.is_some() {
            cell::check(&self.model, &self.state, &self.work.soft.lists.sizes).map_err(too_small)?;
        }
        if saved.spheres > 0 {
            let largest = self.work.soft.lists.sizes.largest;
            let sizes = Sizes { skin: saved.skin, smallest: saved.smallest, largest };
            self.work.soft.lists = Neighbours::with_sizes(sizes);
        }
        lists::make_as_built(&self.model, &mut self.state, &mut self.geometry, &mut self.work.soft);
        step::expect_reports(&mut self.work);
        self.place_contacts(saved)?;
        self.keep_rows_of_now();
        let chunks = &mut self.work.soft.chunks;
        chunks.iter_mut().for_each(|chunk| chunk.sums.pressed = 0.0);
        if let Some(first) = chunks.first_mut() {
            first.sums.pressed = saved.pressed;
        }
        Ok(())
    }

    fn check_sizes(&self, saved: &Saved) -> Result<(), RestoreError> {
        let bodies = &self.state.bodies;
        let (found, expected) = (saved.bodies.len(), bodies.movers.len());
        // Spheres may have left since the start, if there was a way out; walls never do.
        let left = expected.saturating_sub(found);
        if saved.spheres + left != bodies.first_wall || found > expected {
            let (spheres, own) = (saved.spheres, bodies.first_wall);
            let text = format!("it has {found} bodies, {spheres} of them spheres, not {expected} with {own}");
            return Err(RestoreError::Differs(text));
        }
        if saved.walls_built.len() != found - saved.spheres || !saved.walls_built.iter().all(|q| q.is_finite()) {
            return broken("orientations of walls are missing or not finite");
        }
        if !(1..=1 << 16).contains(&saved.chunk) {
            return broken(format!("chunks of {} bodies", saved.chunk));
        }
        if saved.stride == 0 || saved.contacts.len().checked_mul(saved.stride) != Some(saved.memory.len()) {
            return broken("memory and contacts differ in number");
        }
        // A stage may have let in spheres smaller than those that size classes count from: they stand in the lowest class.
        let least = saved.bodies[..saved.spheres].iter().map(|body| body.radius).fold(f64::INFINITY, f64::min);
        let sizes_fit = saved.smallest.is_finite() && saved.smallest >= 1e-6 * least && saved.skin <= saved.smallest;
        if saved.spheres > 0 && !(sizes_fit && saved.skin > 0.0) {
            return broken(format!("skin {} m, smallest radius {} m", saved.skin, saved.smallest));
        }
        Ok(())
    }

    /// Bodies in the order in which they were saved. What does not change is the setup's, and must be the same.
    fn place_bodies(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let old = &self.state.bodies;
        let mut bodies = old.clone();
        let count = saved.bodies.len();
        bodies.movers.truncate(count);
        bodies.loads.truncate(count);
        bodies.orientations.truncate(count);
        bodies.first_wall = saved.spheres;
        bodies.index_of.fill(GONE);
        let mut seen = vec![false; old.movers.len()];
        for (index, body) in saved.bodies.iter().enumerate() {
            let id = body.id as usize;
            if seen.get(id) != Some(&false) {
                return broken(format!("body {id} stands in it twice, or cannot be"));
            }
            seen[id] = true;
            let fixed = old.movers[old.index_of[id] as usize];
            let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
            if !(same(fixed.radius, body.radius)
                && same(fixed.inverse_mass, body.inverse_mass)
                && same(fixed.inverse_inertia, body.inverse_inertia))
            {
                return Err(RestoreError::Differs(format!("body {id} has another radius, mass or inertia")));
            }
            if (index < saved.spheres) != (body.radius > 0.0) {
                return broken("spheres do not stand before the others");
            }
            if !body.is_finite() {
                return broken(format!("body {id} is not finite"));
            }
            bodies.movers[index] = Mover {
                position: body.position,
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                velocity_ahead: body.velocity_ahead,
                angular_velocity_ahead: body.angular_velocity_ahead,
                ..fixed
            };
            bodies.loads[index] = Load::new(body.force, body.torque);
            bodies.orientations[index] = body.orientation;
            bodies.index_of[id] = index as u32;
        }
        bodies.built_at = saved.bodies.iter().map(|body| body.built_at).collect();
        if saved.cell.is_some() {
            bodies.images = saved.bodies.iter().map(|body| body.images).collect();
        }
        bodies.walls_built_at.clone_from(&saved.walls_built);
        bodies.chunk = saved.chunk;
        self.state.bodies = bodies;
        Ok(())
    }

    fn place_contacts(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let index_of = &self.state.bodies.index_of;
        let there = |id: u32| index_of.get(id as usize).is_some_and(|&index| index != GONE);
        let mut held = HeldContacts::with_capacity(saved.contacts.len());
        let places = saved.contacts.iter().map(|c| ((c.a, c.b, c.feature), c.live));
        let mut pairs: Vec<((u32, u32, u8), bool)> = places.collect();
        pairs.sort_unstable();
        if pairs.windows(2).any(|two| two[0].0 == two[1].0) {
            return broken("a contact stands in it twice");
        }
        for (contact, numbers) in saved.contacts.iter().zip(saved.memory.chunks_exact(saved.stride)) {
            let SavedContact { a, b, feature, live } = *contact;
            let finite = numbers.iter().all(|number| number.is_finite());
            if !(a < b && there(a) && there(b) && finite) {
                return broken(format!("the contact of bodies {a} and {b}"));
            }
            held.push((a, b, feature), saved.stride, numbers.iter().map(|&number| if live { number } else { 0.0 }));
        }
        lists::put_contacts_back(&self.model, &mut self.state, &mut self.work.soft, held, Order::Held);
        let placed: usize = self.state.contacts.iter().map(|contacts| contacts.placed.len()).sum();
        if placed != saved.contacts.len() {
            let lost = saved.contacts.len() - placed;
            return broken(format!("{lost} contacts are between bodies that are far apart"));
        }
        let movers = &self.state.bodies.movers;
        for (lists, contacts) in self.work.soft.lists.chunks.iter().zip(&mut self.state.contacts) {
            for head in &mut contacts.blocks {
                for lane in 0..head.count as usize {
                    let candidate = &lists.candidates[contacts.placed[head.first as usize + lane] as usize];
                    let [a, b] = [candidate.a, candidate.b].map(|index| movers[index as usize].id);
                    let live = pairs.binary_search(&((a, b, candidate.feature()), false)).is_err();
                    head.live &= !(u32::from(!live) << lane);
                }
            }
        }
        Ok(())
    }

    fn keep_rows_of_now(&mut self) {
        start::keep_rows_of_now(&self.model, &mut self.state, &self.geometry, &mut self.work);
    }
}

impl SavedBody {
    fn is_finite(&self) -> bool {
        let ahead = self.velocity_ahead.iter().chain(&self.angular_velocity_ahead);
        let vectors = [self.position, self.velocity, self.angular_velocity, self.force, self.torque, self.built_at];
        self.orientation.is_finite() && vectors.iter().all(|v| v.is_finite()) && ahead.clone().all(|x| x.is_finite())
    }
}

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

use std::convert::Infallible;
use std::ops::ControlFlow;

use glam::{DQuat, DVec3, IVec3};

use super::World;
use crate::answers::{Changed, Kept, Stage};
use crate::body::Motion;
use crate::cell::{Cell, CellState};
use crate::clock::Clock;
use crate::column::{COLUMNS, Column, Columns, IMAGES, Of};
use crate::contact::{ContactKey, Remembered};
use crate::error::RestoreError;
use crate::inflow::{Arrivals, Traffic};
use crate::joint::JointState;
use crate::ledger::Sums;
use crate::mover::{check_body, mover_of};
use crate::setup::Setup;
use crate::state::{GONE, Load, Mover};

/// Everything that changes in a run, in the order in which it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    /// Steps done.
    pub step: u64,
    /// What time it is.
    pub clock: Clock,
    /// The step (s).
    pub dt: f64,
    /// What the ledger has booked.
    pub sums: Sums,
    /// What the method keeps for the run, by name.
    pub entries: Vec<(String, f64)>,
    /// Bodies in a chunk.
    pub chunk: usize,
    /// How many are spheres; they stand first.
    pub spheres: usize,
    /// The bodies, in their order in space.
    pub bodies: Columns,
    /// The places of contacts, in their order: all of as many numbers.
    pub contacts: Remembered,
    /// Numbers per contact: what the method remembers of it, then zeros.
    pub stride: usize,
    /// Joints, by number.
    pub joints: Vec<JointState>,
    /// What has come and gone.
    pub traffic: Traffic,
    /// The cell, if there is one.
    pub cell: Option<CellState>,
}

fn broken<T>(what: impl Into<String>) -> Result<T, RestoreError> {
    Err(RestoreError::Broken(what.into()))
}

/// More steps than any run takes; beyond them, step times dt is no exact time.
const MOST_STEPS: u64 = 1 << 53;

impl World {
    /// The state as it is now, between two steps.
    pub fn save(&self) -> Saved {
        let mut saved = self.save_head();
        saved.bodies = Columns::new(self.body_count());
        for column in self.columns() {
            let rows = self.column_rows(column);
            let mut numbers = vec![0.0; rows * column.width];
            let all = numbers.chunks_exact_mut(column.width).enumerate();
            all.for_each(|(index, row)| self.column_row(column, index, row));
            saved.bodies.push(column, numbers);
        }
        let zeros = std::iter::repeat(0.0);
        let _: Result<(), Infallible> = self.visit_contacts(|key, live, numbers| {
            saved.contacts.push(key, live, numbers.iter().copied().chain(zeros.clone()).take(saved.stride));
            Ok(())
        });
        saved
    }

    /// The same without bodies and contacts, which `column_row` and `visit_contacts` give row by row: for who has no room
    /// for a copy of all.
    pub fn save_head(&self) -> Saved {
        let bodies = &self.state.bodies;
        let method = self.work.answers();
        Saved {
            step: self.state.step,
            clock: self.state.clock,
            dt: self.model.dt,
            sums: self.state.sums,
            entries: method.entries().into_iter().map(|(name, number)| (name.to_owned(), number)).collect(),
            chunk: bodies.chunk,
            spheres: bodies.first_wall,
            bodies: Columns::default(),
            contacts: Remembered::default(),
            stride: method.stride(&self.model),
            joints: self.state.joints.clone(),
            traffic: self.state.traffic.clone(),
            cell: self.state.cell,
        }
    }

    /// How many places of contacts there are.
    pub fn saved_contact_count(&self) -> usize {
        self.state.contacts.places()
    }

    /// The places of contacts, in their order, with their memory, until `visit` fails.
    pub fn visit_contacts<E>(&self, mut visit: impl FnMut(ContactKey, bool, &[f64]) -> Result<(), E>) -> Result<(), E> {
        let mut result = Ok(());
        let _ = self.work.answers().visit_contacts(self.seen(), &mut |key, live, numbers| {
            result = visit(key, live, numbers);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result
    }

    /// The columns that this world has.
    pub fn columns(&self) -> impl Iterator<Item = &'static Column> + '_ {
        COLUMNS.iter().filter(|column| (column.when)(&self.model, &self.state))
    }

    /// How many rows a column has.
    pub fn column_rows(&self, column: &Column) -> usize {
        match column.of {
            Of::Bodies => self.body_count(),
            Of::Walls => self.body_count() - self.sphere_count(),
        }
    }

    /// One row of a column, by the order in space.
    pub fn column_row(&self, column: &Column, index: usize, out: &mut [f64]) {
        (column.get)(&self.state, index, &mut out[..column.width]);
    }

    /// The world that was saved. `setup` is what it was made from.
    pub fn restore(setup: Setup, saved: &Saved) -> Result<World, RestoreError> {
        let mut world = World::assemble_without(setup, &saved.traffic.removed)?;
        if world.model.dt.to_bits() != saved.dt.to_bits() {
            return Err(RestoreError::Differs(format!("its step is {:e} s, not {:e} s", saved.dt, world.model.dt)));
        }
        if saved.step > MOST_STEPS {
            return broken(format!("it has taken {} steps", saved.step));
        }
        let clocks = saved.traffic.queues.iter().map(|queue| queue.since).chain([saved.clock]);
        if clocks.into_iter().any(|clock| !clock.is_sound(saved.step)) {
            return broken("a clock that cannot be");
        }
        let (found, expected) = (saved.stride, world.work.answers().stride(&world.model));
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
        (world.state.step, world.state.clock) = (saved.step, saved.clock);
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
        world.continue_cell(saved)?;
        world.put_back(saved)?;
        let World { model, state, geometry, work } = &mut world;
        let stage = Stage { had_cell: saved.cell.is_some(), driven, power: saved.sums.power };
        work.answers_mut().begin_stage(Changed { model, state, geometry }, stage)?;
        Ok(world)
    }

    /// The cell as it was saved, if there is one.
    pub(super) fn take_cell(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let Some(cell) = &saved.cell else { return Ok(()) };
        if self.model.cell.as_ref().is_none_or(|model| model.frame.periodic != cell.frame.periodic) {
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
    pub(super) fn continue_cell(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let (Some(old), Some(model)) = (&saved.cell, &self.model.cell) else {
            return if saved.cell.is_some() { Err(RestoreError::Differs("it has a cell".into())) } else { Ok(()) };
        };
        let new = CellState::new(&Cell { frame: old.frame, ..model.clone() }, old.centre);
        self.take_cell(saved)?;
        self.state.cell = Some(CellState { built: old.built, virial: old.virial, ..new });
        Ok(())
    }

    /// Whether the setup says where it is and how it moves. A servo goes on from where it stood.
    pub(super) fn is_driven(&self, mover: &Mover) -> bool {
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
            bodies.material_of.push(arrival.material);
        }
        let (at, count) = (bodies.first_wall, movers.len());
        bodies.movers.splice(at..at, movers);
        bodies.loads.splice(at..at, vec![Load::default(); count]);
        bodies.orientations.splice(at..at, vec![DQuat::IDENTITY; count]);
        bodies.first_wall += count;
        // Bodies that stages took out have ids and no place.
        let ids = bodies.index_of.len() + count;
        bodies.index_of.resize(ids, GONE);
        for (index, mover) in bodies.movers.iter().enumerate() {
            bodies.index_of[mover.id as usize] = index as u32;
        }
        self.geometry.enter(bodies, at..at + count);
        Ok(())
    }

    /// Bodies, lists and contacts of the saved state in an assembled world.
    pub(super) fn put_back(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        self.check_sizes(saved)?;
        self.place_bodies(saved)?;
        if saved.joints.len() != self.model.joints.len() {
            return Err(RestoreError::Differs(format!("it has {} joints", saved.joints.len())));
        }
        if !saved.joints.iter().all(|joint| joint.numbers().iter().all(|number| number.is_finite())) {
            return broken("a joint in it has a number that is not finite");
        }
        self.state.joints.clone_from(&saved.joints);
        let entries = |name: &str| saved.entry(name);
        let World { model, state, geometry, work } = self;
        let kept = Kept { entries: &entries, contacts: &saved.contacts };
        work.answers_mut().resume(Changed { model, state, geometry }, kept)
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
        if !(1..=1 << 16).contains(&saved.chunk) {
            return broken(format!("chunks of {} bodies", saved.chunk));
        }
        if saved.stride == 0 || !saved.contacts.are_rows_of(saved.stride) {
            return broken("memory and contacts differ in number");
        }
        Ok(())
    }

    /// Bodies in the order in which they were saved. What does not change is the setup's, and must be the same.
    fn place_bodies(&mut self, saved: &Saved) -> Result<(), RestoreError> {
        let old = &self.state.bodies;
        let mut bodies = old.clone();
        let count = saved.bodies.len();
        bodies.movers.truncate(count);
        bodies.loads = vec![Load::default(); count];
        bodies.orientations.truncate(count);
        bodies.first_wall = saved.spheres;
        bodies.chunk = saved.chunk;
        bodies.index_of.fill(GONE);
        for (index, id) in saved.bodies.ids().enumerate() {
            if bodies.index_of.get(id as usize) != Some(&GONE) {
                return broken(format!("body {id} stands in it twice, or cannot be"));
            }
            let Some(&fixed) = old.movers.get(old.index_of[id as usize] as usize) else {
                return broken(format!("body {id} stands in it, and a stage took it out"));
            };
            if (index < saved.spheres) != (fixed.radius > 0.0) {
                return broken("spheres do not stand before the others");
            }
            bodies.movers[index] = fixed;
            bodies.index_of[id as usize] = index as u32;
        }
        bodies.built_at = vec![DVec3::ZERO; count];
        bodies.walls_built_at = vec![DQuat::IDENTITY; count - saved.spheres];
        bodies.images = if self.state.cell.is_some() { vec![IVec3::ZERO; count] } else { Vec::new() };
        self.state.bodies = bodies;
        COLUMNS.iter().try_for_each(|column| self.set_column(column, saved))
    }

    fn set_column(&mut self, column: &Column, saved: &Saved) -> Result<(), RestoreError> {
        // A stage may have what the world before had not, a cell: it begins with zeros.
        let new = column.name == IMAGES && saved.cell.is_none();
        if new || !(column.when)(&self.model, &self.state) {
            return Ok(());
        }
        let rows = self.column_rows(column);
        if saved.bodies.rows_of(column) != rows {
            return broken(format!("its column `{}` is missing, or has other rows", column.name));
        }
        for (index, row) in saved.bodies.rows(column).enumerate() {
            if !row.iter().all(|number| number.is_finite()) {
                return broken(format!("row {index} of its column `{}` is not finite", column.name));
            }
            (column.set)(&mut self.state, index, row)?;
        }
        Ok(())
    }
}

impl Saved {
    /// What the method keeps under this name.
    pub fn entry(&self, name: &str) -> Option<f64> {
        self.entries.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
    }
}

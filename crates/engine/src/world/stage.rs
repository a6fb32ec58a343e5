//! A stage begins: the world before it, with another model or other bodies, goes on in one run.
//!
//! Ids, steps, the clock, streams and the ledger go on. Where nothing has changed the world is that of the longer run, to the bit.
//! Where gravity, step, method, parameters or motions have, bodies, loads and memory are taken over as they are
//! (`Begin::As`). Where bodies come or go, or velocities or memory are not kept, contacts get what the caller says that they
//! remember, and loads are evaluated again (`Begin::Again`).
//!
//! Does not do: who is who, and what memory fits which law (`stickslip-io` describes bodies by name).

use super::World;
use crate::answers::{Changed, Stage};
use crate::body::{Began, Motion, Prescribed};
use crate::column::BodyState;
use crate::contact::Remembered;
use crate::energy;
use crate::error::RestoreError;
use crate::inflow::Traffic;
use crate::ledger::Sums;
use crate::measure::BodyView;
use crate::model::Model;
use crate::setup::Setup;
use crate::state::{GONE, Mover};
use crate::traffic;
use crate::world::Saved;

/// How a stage begins.
#[derive(Clone, Copy, Debug)]
pub enum Begin<'a> {
    /// Bodies, loads and memory as they are.
    As,
    /// Bodies as the setup has them, contacts with this memory; loads are evaluated again.
    Again(&'a Remembered),
}

impl World {
    /// The next stage of the run that this world is in. `setup` describes every body that has ever been, by id, as it stands
    /// now, those that come in after them; `traffic` says which have been removed and how streams go on. A prescribed
    /// motion goes on that has begun before this step (`Prescribed::began`), and starts if it begins with it.
    pub fn next_stage(&self, setup: Setup, traffic: Traffic, begin: Begin<'_>) -> Result<World, RestoreError> {
        let saved = Saved { traffic, ..self.save() };
        let mut next = World::assemble_without(setup, &saved.traffic.removed)?;
        let queues = saved.traffic.queues.len();
        if next.model.inflows.len() != queues {
            return Err(RestoreError::Differs(format!("it has {queues} streams")));
        }
        next.state.step = self.state.step;
        let same_step = next.model.dt.to_bits() == self.model.dt.to_bits();
        let clock = self.state.clock;
        next.state.clock = if same_step { clock } else { clock.counted_from(self.state.step, self.model.dt) };
        next.state.traffic = saved.traffic.clone();
        match begin {
            Begin::As => next.take_over(self, &saved)?,
            Begin::Again(remembered) => {
                next.take_bodies(self)?;
                next.take_flow(self, &saved)?;
                if next.state.joints.len() == saved.joints.len() {
                    next.state.joints.clone_from(&saved.joints);
                }
                next = next.started(remembered)?;
            }
        }
        if let (Begin::As, true) = (begin, next.is_same(self)) {
            next.state.sums = self.state.sums;
            return Ok(next);
        }
        let [before, after] = [self, &next].map(|world| energy::of_all(&world.model, &world.state).into());
        let stored = self.work.answers().stored(self.seen());
        next.state.sums = self.state.sums.joined((before, after), stored, self.model.dt, &next.state.sums);
        // Springs of joints that the stage changes hold from the start what they hold now.
        let [before, after] = [self, &next].map(|world| energy::of_joints(&world.model, &world.state));
        next.state.sums.start += after - before;
        Ok(next)
    }

    /// Where and when the prescribed motion of a body began, for a stage of step `dt` (s) in which it goes on.
    pub fn began(&self, id: u32, dt: f64) -> Option<Began> {
        let bodies = &self.state.bodies;
        let special = bodies.special(bodies.movers.get(*bodies.index_of.get(id as usize)? as usize)?)?;
        let Motion::Prescribed(motion) = &special.motion else { return None };
        let same_step = dt.to_bits() == self.model.dt.to_bits();
        let clock = motion.clock();
        let clock = if same_step { clock } else { clock.counted_from(self.state.step, self.model.dt) };
        Some(Began { clock, position: special.position0, orientation: special.orientation0 })
    }

    /// Where a body is and how it moves.
    pub fn state_of(&self, id: u32) -> BodyState {
        let BodyView { position, orientation, velocity, angular_velocity, .. } = self.body(id);
        BodyState { id, position, orientation, velocity, angular_velocity }
    }

    /// Bodies, cell, loads and contacts as they are, and what begins now.
    fn take_over(&mut self, before: &World, saved: &Saved) -> Result<(), RestoreError> {
        let bodies = &self.state.bodies;
        let begins = |mover: &&Mover| self.is_driven(mover) && self.motion_of(mover.id) != before.motion_of(mover.id);
        let mut driven: Vec<Mover> = bodies.movers.iter().filter(begins).copied().collect();
        self.take_flow(before, saved)?;
        self.put_back(saved)?;
        if driven.is_empty() && self.is_same(before) {
            return Ok(());
        }
        // Where they stand is what the run has come to.
        let stands = |id: u32| before.state.bodies.index_of.get(id as usize).filter(|&&index| index != GONE);
        driven.retain(|mover| stands(mover.id).is_some());
        let pose = |mover: Mover| {
            let index = before.state.bodies.index_of[mover.id as usize] as usize;
            let position = before.state.bodies.movers[index].position;
            (Mover { position, ..mover }, before.state.bodies.orientation(index))
        };
        let driven = driven.into_iter().map(pose).collect();
        self.state.sums = Sums::default();
        let World { model, state, geometry, work } = self;
        let stage = Stage { had_cell: saved.cell.is_some(), driven, power: saved.sums.power };
        work.answers_mut().begin_stage(Changed { model, state, geometry }, stage)
    }

    /// Takes out who has left, and moves those who are driven on as they were.
    fn take_bodies(&mut self, before: &World) -> Result<(), RestoreError> {
        let old = &before.state.bodies;
        let is_gone = |id: &u32| old.index_of.get(*id as usize) == Some(&GONE);
        let mut gone: Vec<u32> = self.state.bodies.movers.iter().map(|mover| mover.id).filter(is_gone).collect();
        gone.sort_unstable();
        if !gone.is_empty() {
            let World { model, state, .. } = self;
            let traffic = state.traffic.clone();
            traffic::take_out(model, state, &gone);
            state.bodies.note_indices();
            state.traffic = traffic;
        }
        for index in 0..self.state.bodies.movers.len() {
            let mover = &self.state.bodies.movers[index];
            let motion = self.motion_of(mover.id);
            let continues = matches!(&motion, Some(Motion::Prescribed(motion)) if !motion.begins_at(self.state.step));
            let there = old.index_of.get(mover.id as usize).and_then(|&index| old.movers.get(index as usize));
            if let (true, Some(there)) = (continues, there) {
                let mover = &mut self.state.bodies.movers[index];
                (mover.velocity, mover.angular_velocity) = (there.velocity, there.angular_velocity);
            }
        }
        Ok(())
    }

    /// The cell as it is; if something else drives it from now on, that begins.
    fn take_flow(&mut self, before: &World, saved: &Saved) -> Result<(), RestoreError> {
        let control = |world: &World| world.model.cell.as_ref().map(|cell| cell.control.clone());
        if control(self) == control(before) { self.take_cell(saved) } else { self.continue_cell(saved) }
    }

    /// What moves a body; of a motion that goes on whether or not where it began.
    fn motion_of(&self, id: u32) -> Option<Motion> {
        let bodies = &self.state.bodies;
        let mover = bodies.movers.get(*bodies.index_of.get(id as usize)? as usize)?;
        Some(match bodies.special(mover).map_or(Motion::Free, |special| special.motion.clone()) {
            Motion::Prescribed(motion) if !motion.begins_at(self.state.step) => {
                Motion::Prescribed(Prescribed { began: None, ..motion })
            }
            motion => motion,
        })
    }

    /// Whether model and bodies are those of the world before: then the next step is that of the longer run.
    fn is_same(&self, before: &World) -> bool {
        let special = |world: &World, id: u32| {
            let bodies = &world.state.bodies;
            let mover = bodies.movers.get(*bodies.index_of.get(id as usize)? as usize)?;
            let special = bodies.special(mover)?;
            Some((special.free, special.free_turn, special.force.clone(), special.torque.clone()))
        };
        let model = |world: &World| Model { cell: None, inflows: Vec::new(), ..world.model.clone() };
        let control = |world: &World| world.model.cell.as_ref().map(|cell| cell.control.clone());
        model(self) == model(before)
            && control(self) == control(before)
            && self.ids().eq(before.ids())
            && self
                .ids()
                .all(|id| self.motion_of(id) == before.motion_of(id) && special(self, id) == special(before, id))
    }
}

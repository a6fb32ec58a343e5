//! A stage begins: its scene and its world, out of what has become of the one before; and the scene of a stage of which a
//! checkpoint tells.
//!
//! Ids count on: after all that were there come those that streams brought, then the stage's own. What comes over, and with
//! which memory, follows the rules of `before.rs`.

use std::collections::BTreeMap;

use stickslip::body::{Began, Body, BodyList, Motion};
use stickslip::clock::Clock;
use stickslip::column::BodyState;
use stickslip::inflow::{Queue, Traffic};
use stickslip::model::Model;
use stickslip::setup::Described;
use stickslip::world::{Begin, RestoreError, World};

use super::Scene;
use super::before::{self, NewIds, Velocities};
use super::stage::{Stage, set_body};
use crate::checkpoint::describe::pairs;
use crate::checkpoint::{Checkpoint, Description};
use crate::results::StageMark;

impl Scene {
    /// The stage after `now`, which has come to this world: its scene, its world, and what there is to say about how it begins.
    pub fn begin_next(&self, now: &Scene, world: &World) -> Result<(Scene, World, Vec<String>), RestoreError> {
        let stage = &self.stages[now.number];
        let mut description = Description::new(&now.setup, &now.names);
        description.catch_up(world);
        let mut first_ids = now.first_ids.clone();
        first_ids.push(description.bodies.len() as u32);
        let ids = Ids { stages: &self.stages, first: &first_ids };
        let removed: Vec<u32> =
            stage.removed.iter().map(|&number| ids.in_run(number)).filter(|&id| world.has(id)).collect();
        let (list, names) = self.bodies(stage, now, world, &description, &ids);
        let mut model = stage.scene.setup.model.clone();
        start_schedules(stage, world.time(), &now.setup.model, &mut model);
        if let (Some(cell), Some(of_world)) = (&mut model.cell, &world.state().cell) {
            cell.frame = of_world.frame;
        }
        let setup = Described { model, bodies: list };
        let traffic = traffic(stage, world, &setup, &removed);
        let kept = stage.keep_memory && stage.velocities == Velocities::Keep;
        let same = removed.is_empty() && stage.incoming.is_empty();
        let kinds = before::same_kinds(&description.laws, &pairs(&setup.model));
        let (next, notes) = if kept && same && kinds {
            (world.next_stage(setup.to_setup(), traffic, Begin::As)?, Vec::new())
        } else {
            let (remembered, notes) = self.remembered(stage, world, &description, &setup, &removed);
            (world.next_stage(setup.to_setup(), traffic, Begin::Again(&remembered))?, notes)
        };
        let scene = self.scene_of(stage, world.steps(), setup, names, first_ids);
        Ok((scene, next, notes))
    }

    /// Every body that has ever been there, then those that come in; with names.
    fn bodies(
        &self,
        stage: &Stage,
        now: &Scene,
        world: &World,
        description: &Description,
        ids: &Ids<'_>,
    ) -> (BodyList, Vec<Option<String>>) {
        let number = |set: &std::collections::BTreeSet<usize>| -> BTreeMap<u32, usize> {
            set.iter().map(|&number| (ids.in_run(number), number)).collect()
        };
        let (driven, loaded) = (number(&stage.driven), number(&stage.loaded));
        let mut speeds = stage.velocities.drawn(self.seed, &format!("stage {} velocity", stage.name));
        let mut list = BodyList::default();
        for id in 0..description.bodies.len() as u32 {
            let Some(text) = description.bodies.get(id as usize) else { continue };
            let state = if world.has(id) { world.state_of(id) } else { BodyState::default() };
            let mut body = before::taken_over(&text, &state, text.material);
            let set = driven.get(&id).or(loaded.get(&id)).map(|&number| stage.scene.setup.bodies.get(number));
            set_body(&mut body, set.as_ref(), driven.contains_key(&id));
            if set.is_some() {
                (body.force, body.torque) =
                    (body.force.starting_at(world.time()), body.torque.starting_at(world.time()));
            }
            if driven.contains_key(&id) {
                body.motion = body.motion.starting_at(world.time());
            }
            if let Motion::Prescribed(motion) = &mut body.motion {
                let begins = Began {
                    clock: Clock { step: world.steps(), time: 0.0 },
                    position: body.position,
                    orientation: body.orientation,
                };
                let goes_on = || world.began(id, stage.scene.setup.model.dt);
                motion.began = Some(if driven.contains_key(&id) { begins } else { goes_on().unwrap_or(begins) });
            }
            if world.has(id) {
                speeds.give(&mut body);
            }
            list.push(&body);
        }
        let mut names = now.names.clone();
        for number in stage.brought.clone() {
            let mut body = stage.incoming.get(number - stage.brought.start);
            body.motion = body.motion.starting_at(world.time());
            (body.force, body.torque) = (body.force.starting_at(world.time()), body.torque.starting_at(world.time()));
            if let Motion::Prescribed(motion) = &mut body.motion {
                let (position, orientation) = (body.position, body.orientation.normalize());
                motion.began = Some(Began { clock: Clock { step: world.steps(), time: 0.0 }, position, orientation });
            }
            if let Some(name) = stage.scene.names.get(number).cloned().flatten() {
                names.resize(list.len(), None);
                names.push(Some(name));
            }
            list.push(&body);
        }
        (list, names)
    }

    /// What contacts remember in the stage, and what they do not.
    fn remembered(
        &self,
        stage: &Stage,
        world: &World,
        description: &Description,
        setup: &Described,
        removed: &[u32],
    ) -> (stickslip::world::Remembered, Vec<String>) {
        if !stage.keep_memory {
            return Default::default();
        }
        let new_id = |id: u32| (world.has(id) && !removed.contains(&id)).then_some(id);
        let new_ids: NewIds = (0..description.bodies.len() as u32).map(new_id).collect();
        before::remembered(&world.save(), description, setup, &new_ids)
    }

    fn scene_of(
        &self,
        stage: &Stage,
        step: u64,
        setup: Described,
        names: Vec<Option<String>>,
        first_ids: Vec<u32>,
    ) -> Scene {
        let setup = Described { bodies: setup.bodies.without_places(), model: setup.model };
        Scene { first_step: step, setup, names, first_ids, resolved: self.resolved.clone(), ..stage.scene.clone() }
    }

    /// The scene of the stage that a checkpoint is of, of a run of which these stages had begun.
    pub fn at(&self, stages: &[StageMark], checkpoint: &Checkpoint) -> Result<Scene, RestoreError> {
        let differs = |what: &str| RestoreError::Differs(what.into());
        if stages.len() > self.stages.len() + 1 || stages.is_empty() != self.stages.is_empty() {
            return Err(differs("it is of a run with other stages"));
        }
        let Some((mark, stage)) = stages.last().zip(stages.len().checked_sub(2).map(|k| &self.stages[k])) else {
            return Ok(self.clone());
        };
        if stages.iter().skip(1).zip(&self.stages).any(|(mark, stage)| mark.name != stage.name) {
            return Err(differs("it is of a run with other stages"));
        }
        let (saved, texts) = (&checkpoint.saved, &checkpoint.description.bodies);
        let count = texts.len().saturating_sub(saved.traffic.arrivals.len());
        let mut list: Vec<Body> = Vec::with_capacity(count);
        for id in 0..count {
            let text = texts.get(id).ok_or_else(|| differs("it describes too few bodies"))?;
            if usize::from(text.material) >= stage.scene.setup.model.materials.len() {
                return Err(differs("it has other materials"));
            }
            list.push(before::taken_over(&text, &BodyState::default(), text.material));
        }
        for index in 0..saved.bodies.len() {
            let state = saved.bodies.body(index);
            if let Some(body) = list.get_mut(state.id as usize) {
                (body.position, body.orientation) = (state.position, state.orientation);
            }
        }
        let names = (0..count).map(|id| texts.get(id).and_then(|text| text.name)).collect();
        let mut model = self.setup.model.clone();
        for (stage, mark) in self.stages.iter().zip(stages.iter().skip(1)) {
            let before = std::mem::replace(&mut model, stage.scene.setup.model.clone());
            start_schedules(stage, mark.time, &before, &mut model);
        }
        if let (Some(cell), Some(of_world)) = (&mut model.cell, &saved.cell) {
            cell.frame = of_world.frame;
        }
        let first_ids = stages.iter().skip(1).map(|mark| mark.first_id).collect();
        let setup = Described { model, bodies: list.into_iter().collect() };
        Ok(Scene {
            first_step: mark.first_step,
            setup,
            names,
            first_ids,
            resolved: self.resolved.clone(),
            ..stage.scene.clone()
        })
    }

    /// The step after which this part of the run ends, if nothing ends it earlier.
    pub fn last_step(&self) -> u64 {
        self.first_step.saturating_add(self.steps)
    }

    /// Steps of all its stages, and simulated time (s), if none ends early.
    pub fn planned(&self) -> (u64, f64) {
        let stages = self.stages.iter().map(|stage| &stage.scene);
        stages.fold((self.steps, self.end), |(steps, end), scene| (steps.saturating_add(scene.steps), end + scene.end))
    }

    /// The same of the stages after the one of this number.
    pub fn planned_after(&self, number: usize) -> (u64, f64) {
        let stages = self.stages.iter().skip(number).map(|stage| &stage.scene);
        stages.fold((0, 0.0), |(steps, end), scene| (steps + scene.steps, end + scene.end))
    }

    /// The scene up to the end of each stage but the last, written out with every default.
    pub fn beginnings(&self) -> impl Iterator<Item = &str> {
        self.ends.iter().map(|&end| &self.resolved[..end])
    }

    /// The name of the stage of this number; the first part of a scene is number 0.
    pub fn stage_name(&self, number: usize) -> &str {
        number.checked_sub(1).and_then(|k| self.stages.get(k)).map_or(super::stage::FIRST, |stage| &stage.name)
    }
}

/// Schedules of gravity and of the cell that a stage sets count from its start (s); others go on as they do before it.
fn start_schedules(stage: &Stage, start: f64, before: &Model, model: &mut Model) {
    let sets = |part: &str| stage.keys.iter().any(|key| key.split('.').next() == Some(part));
    model.gravity = if sets("gravity") { model.gravity.starting_at(start) } else { before.gravity.clone() };
    for (number, (joint, before)) in model.joints.iter_mut().zip(&before.joints).enumerate() {
        let called = [joint.name.clone().unwrap_or_default(), number.to_string(), "*".to_owned()];
        let sets = |part: &str| {
            let key = |name: &String| format!("joint[{name}].{part}");
            called.iter().any(|name| stage.keys.iter().any(|set| set.starts_with(&key(name))))
        };
        let started = joint.starting_at(start);
        joint.drive = if sets("drive") { started.drive } else { before.drive.clone() };
        joint.friction = if sets("friction") { started.friction } else { before.friction.clone() };
    }
    if let Some(cell) = &mut model.cell {
        cell.control = match &before.cell {
            Some(before) if !sets("cell") => before.control.clone(),
            _ => cell.control.starting_at(start),
        };
    }
}

/// Who is who: bodies as the file counts them, and their ids in the run.
struct Ids<'a> {
    stages: &'a [Stage],
    /// The id of the first body that each stage brought.
    first: &'a [u32],
}

impl Ids<'_> {
    fn in_run(&self, number: usize) -> u32 {
        let stages = self.stages.iter().zip(self.first).rev();
        let mut brought = stages.filter(|(stage, _)| stage.brought.start <= number);
        brought.next().map_or(number as u32, |(stage, first)| first + (number - stage.brought.start) as u32)
    }
}

/// Streams that go on or start, and who is gone.
fn traffic(stage: &Stage, world: &World, setup: &Described, removed: &[u32]) -> Traffic {
    let (old, step) = (&world.state().traffic, world.steps());
    let [before, dt] = [world.model().dt, setup.model.dt];
    let queue = |(k, inflow): (usize, &stickslip::inflow::Inflow)| match old.queues.get(k) {
        Some(queue) if !stage.streams[k] && before.to_bits() == dt.to_bits() => *queue,
        Some(queue) if !stage.streams[k] => queue.with_step(inflow, step, before, dt),
        _ => Queue::starting(inflow, Clock { step, time: 0.0 }, dt),
    };
    let queues = setup.model.inflows.iter().enumerate().map(queue).collect();
    let mut removed: Vec<u32> = old.removed.iter().chain(removed).copied().collect();
    removed.sort_unstable();
    Traffic {
        queues,
        arrivals: Default::default(),
        left: old.left,
        left_mass: old.left_mass,
        entered_before: old.entered(),
        removed,
    }
}

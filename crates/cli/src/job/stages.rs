//! The stages of a run: how one ends and the next begins.
//!
//! The checkpoint of a stage that has ended is written before the next one begins, with the marks of all files: a run that is
//! killed between the two begins that stage again, out of the same state. No row is written for it.

use std::borrow::Cow;

use stickslip::World;
use stickslip_io::checkpoint::Description;
use stickslip_io::results::{Ending, Pace, RunInfo, StageMark};
use stickslip_io::scene::Scene;

use super::{Job, marks};
use crate::progress::Progress;
use crate::rules::Rules;

impl Job<'_> {
    /// The step and the simulated time (s) at which it ends, if no stage ends early.
    pub fn planned(&self) -> (u64, f64) {
        let (steps, end) = self.scene.planned_after(self.now.number);
        let began = self.stages.last().map_or(0.0, |stage| stage.time);
        (self.now.last_step().saturating_add(steps), began + self.now.end + end)
    }

    /// Runs until the stage of this number has ended, and leaves the folder as it is then, to be taken up again; returns how the
    /// run ended, if it did.
    pub fn run_until(&mut self, stage: usize, progress: Progress) -> Option<Ending> {
        self.until = Some(stage);
        let ending = self.advance(progress).unwrap_or_else(|error| Ending::BrokenOff(error.to_string()));
        if ending == Ending::Interrupted && self.stages.get(stage).is_some_and(|stage| stage.ended.is_some()) {
            return None;
        }
        Some(self.close(ending))
    }

    /// Whether another stage follows the present one.
    pub(super) fn goes_on(&self) -> bool {
        self.now.number < self.scene.stages.len()
    }

    /// Writes the checkpoint of a stage that has ended, from which the next one begins.
    pub(super) fn end_stage(&mut self, how: &str) -> std::io::Result<()> {
        if let Some(stage) = self.stages.last_mut() {
            stage.ended = Some((self.world.steps(), how.to_owned()));
        }
        let marks = marks(&self.json.scene_hash, &self.stages, &mut self.recorder, &self.log)?;
        self.checkpoints.end_stage(self.scene.stage_name(self.now.number), &self.world, Some(&marks))?;
        self.note_checkpoint()
    }

    /// The next stage begins, if it can; else why it cannot.
    pub(super) fn begin_stage(&mut self) -> std::io::Result<Result<(), String>> {
        self.world.free_workspace();
        let name = self.scene.stage_name(self.now.number + 1);
        let (now, world, notes) = match self.scene.begin_next(&self.now, &self.world) {
            Ok(begun) => begun,
            Err(error) => return Ok(Err(format!("the stage \"{name}\" cannot begin: {error}"))),
        };
        (self.now, self.world) = (Cow::Owned(now), world);
        let (scene, now, world) = (self.scene, &self.now, &self.world);
        self.stages.push(stage_mark(scene, now, world));
        self.info = info_of(scene, now);
        let last_step = if now.number == scene.stages.len() { now.last_step() } else { u64::MAX };
        let pace = Pace { stage: now.number, clock: world.state().clock, dt: now.setup.model.dt, last_step };
        self.recorder.enter(&now.records, pace, &self.info)?;
        self.checkpoints.enter(&now.records, pace, Description::new(&now.setup, &now.names));
        self.rules = Rules::new(now, self.stages.last());
        let notes = notes
            .into_iter()
            .chain(now.warnings.iter().filter(|text| !scene.warnings.contains(text)).cloned())
            .map(|text| format!("stage \"{name}\": {text}"));
        let new: Vec<String> = notes.filter(|text| !self.json.warnings.contains(text)).collect();
        self.json.warnings.extend(new);
        self.note_checkpoint()?;
        Ok(Ok(()))
    }
}

/// What the files of a run need to know of the bodies of a stage.
pub(super) fn info_of(scene: &Scene, now: &Scene) -> RunInfo {
    let mut info = RunInfo::new(&now.setup, &now.names);
    info.extras.stages = !scene.stages.is_empty();
    info
}

/// The mark of the stage that a run is in, at its first step.
pub(super) fn stage_mark(scene: &Scene, now: &Scene, world: &World) -> StageMark {
    StageMark {
        name: scene.stage_name(now.number).to_owned(),
        first_step: now.first_step,
        time: world.time(),
        step: now.setup.model.dt,
        first_id: now.first_ids.last().copied().unwrap_or(0),
        strain: world.cell().map(|cell| cell.strain.to_cols_array().to_vec()).unwrap_or_default(),
        ended: None,
    }
}

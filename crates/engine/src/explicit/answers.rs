//! What the explicit method answers its world.

use std::ops::ControlFlow;

use super::{Work, change, resume, start};
use crate::answers::{Answers, Changed, Entry, Kept, Phases, Seen, Stage};
use crate::body::Body;
use crate::contact::{Remembered, VisitContact};
use crate::error::{BuildError, RestoreError, Trouble};
use crate::measure::ContactRow;
use crate::model::Model;
use crate::soft::carry::HeldContacts;
use crate::soft::lists::Candidate;
use crate::soft::{cell, visit};
use crate::state::State;

impl Answers for Work {
    fn start(&mut self, world: Changed, remembered: &Remembered) -> Result<(), BuildError> {
        let Changed { model, state, geometry } = world;
        cell::check(model, state, &self.soft.lists.sizes)
            .map_err(|trouble| BuildError::BadCell(trouble.to_string()))?;
        let held = HeldContacts::of(remembered, model, &state.bodies);
        start::start(model, state, geometry, self, held);
        Ok(())
    }

    fn resume(&mut self, world: Changed, kept: Kept) -> Result<(), RestoreError> {
        resume::resume(world, self, kept)
    }

    fn begin_stage(&mut self, world: Changed, stage: Stage) -> Result<(), RestoreError> {
        resume::begin_stage(world, self, stage)
    }

    fn admit(&mut self, world: Seen, radii: &[f64]) -> Result<(), Trouble> {
        let (mut sizes, largest) = (self.soft.lists.sizes, radii.iter().copied().fold(0.0, f64::max));
        sizes.apart = sizes.apart.max(world.model.laws.farthest(largest));
        cell::check_for(largest, world.model, world.state, &sizes)?;
        radii.iter().for_each(|&radius| sizes.admit(radius));
        self.soft.lists.sizes = sizes;
        Ok(())
    }

    fn change(&mut self, world: Changed, leaving: &[u32], entering: &[Body]) {
        let Changed { model, state, geometry } = world;
        change::change(model, state, geometry, self, (leaving, entering));
    }

    fn keep_rows(&mut self, keep: bool) {
        self.soft.keep_rows = keep;
    }

    fn rows(&self) -> Vec<ContactRow> {
        self.soft.chunks.iter().flat_map(|chunk| chunk.rows.iter().copied()).collect()
    }

    fn contacts_now(&self, world: Seen) -> Vec<ContactRow> {
        let (mut state, mut work) = (world.state.clone(), self.clone());
        start::keep_rows_of_now(world.model, &mut state, world.geometry, &mut work);
        work.rows()
    }

    fn touching_pairs(&self, world: Seen) -> Vec<[u32; 2]> {
        visit::touching(&self.soft.lists, world.state)
    }

    fn pressed(&self) -> f64 {
        self.soft.pressed()
    }

    fn stored(&self, world: Seen) -> [f64; 4] {
        start::stored(world.model, world.state, world.geometry, self)
    }

    fn visit_contacts(&self, world: Seen, visit: &mut VisitContact) -> ControlFlow<()> {
        visit::each(world.model, world.state, &self.soft.lists, visit)
    }

    fn stride(&self, model: &Model) -> usize {
        model.laws.most_numbers()
    }

    fn entries(&self) -> Vec<Entry> {
        resume::entries(self)
    }

    fn bytes(&self, state: &State) -> [usize; 2] {
        let lists = &self.soft.lists.chunks;
        let lists = lists.iter().map(|lists| lists.candidates.capacity()).sum::<usize>() * size_of::<Candidate>();
        let contacts = state.contacts.slots().iter().zip(&self.soft.chunks);
        [lists, contacts.map(|(contacts, work)| work.bytes() + contacts.bytes()).sum()]
    }

    fn candidate_count(&self) -> usize {
        self.soft.lists.chunks.iter().map(|lists| lists.candidates.len()).sum()
    }

    fn candidates(&self) -> Vec<[u32; 2]> {
        self.soft.lists.chunks.iter().flat_map(|lists| &lists.candidates).map(|pair| [pair.a, pair.b]).collect()
    }

    fn skin(&self) -> f64 {
        self.soft.lists.sizes.skin
    }

    fn rebuilds(&self) -> u64 {
        self.soft.rebuilds
    }

    fn time_phases(&mut self, timed: bool) {
        self.timed = timed;
        self.soft.nanoseconds = 0;
        self.soft.chunks.iter_mut().for_each(|chunk| chunk.nanoseconds = [0; 2]);
        self.reports.iter_mut().for_each(|report| report.nanoseconds = [0; 2]);
    }

    fn phases(&self) -> Phases {
        let mut phases = Phases { neighbours: self.soft.nanoseconds, ..Phases::default() };
        for chunk in &self.soft.chunks {
            phases.detection += chunk.nanoseconds[0];
            phases.laws += chunk.nanoseconds[1];
        }
        for report in &self.reports {
            phases.gather += report.nanoseconds[0];
            phases.integration += report.nanoseconds[1];
        }
        phases
    }

    fn free(&mut self) {
        self.soft.free();
    }
}

//! What the nonsmooth method answers its world.

use std::ops::ControlFlow;

use super::{Work, books, change, joints, step};
use crate::answers::{Answers, Changed, Entry, Kept, Seen, Stage};
use crate::body::Body;
use crate::contact::{Remembered, VisitContact};
use crate::energy;
use crate::error::{BuildError, RestoreError, Trouble};
use crate::geometry::Geometry;
use crate::law::{PairLaws, RigidLaws};
use crate::measure::ContactRow;
use crate::measure::solver::SolverReport;
use crate::model::Model;
use crate::state::{Contacts, GONE, State};

/// What a checkpoint holds of the report: for a series that is read on after a restart.
const ENTRIES: [&str; 14] = [
    "iterations",
    "residual",
    "residual_max",
    "cone_error",
    "dual_error",
    "complementarity",
    "active",
    "solved",
    "penetration",
    "gap_max",
    "unsolved",
    "fallback",
    "pressed",
    "stored",
];

impl Answers for Work {
    fn start(&mut self, world: Changed, remembered: &Remembered) -> Result<(), BuildError> {
        let Changed { model, state, geometry } = world;
        // Numbers of another kind of law are no forces to start from.
        let mut held = Remembered::with_capacity(remembered.len());
        let there = |id: u32| state.bodies.index_of.get(id as usize).is_some_and(|&index| index != GONE);
        for (key, _, numbers) in remembered.iter().filter(|(_, live, _)| *live) {
            let fits = numbers.len() == RigidLaws::MEMORY && numbers.iter().all(|number| number.is_finite());
            if fits && there(key.a) && there(key.b) {
                held.push(key, true, numbers.iter().copied());
            }
        }
        begin(model, state, geometry);
        state.contacts = Contacts::Keyed(held.sorted());
        joints::start::check_start(model, state, geometry, self)
    }

    fn resume(&mut self, world: Changed, kept: Kept) -> Result<(), RestoreError> {
        let Changed { model, state, geometry } = world;
        let broken = |what: String| Err(RestoreError::Broken(what));
        let mut numbers = [0.0; ENTRIES.len()];
        for (number, name) in numbers.iter_mut().zip(ENTRIES) {
            match (kept.entries)(name) {
                Some(found) => *number = found,
                None => return broken(format!("it lacks the entry `{name}`")),
            }
        }
        let held = kept.contacts;
        let known = |id: u32| state.bodies.index_of.get(id as usize).is_some_and(|&index| index != GONE);
        for (key, live, numbers) in held.iter() {
            let sound = live && numbers.len() == RigidLaws::MEMORY && numbers.iter().all(|number| number.is_finite());
            let rigid = known(key.a) && known(key.b) && key.a < key.b && {
                let [first, second] = [key.a, key.b].map(|id| state.bodies.material_of[id as usize]);
                matches!(model.laws.get(first, second), Some(PairLaws::Rigid(_)))
            };
            if !(sound && rigid) {
                return broken(format!("the contact of bodies {} and {}", key.a, key.b));
            }
        }
        if held.keys.windows(2).any(|two| two[0] >= two[1]) {
            return broken("its contacts are not in order".into());
        }
        begin(model, state, geometry);
        state.contacts = Contacts::Keyed(held.clone());
        self.take_up(&numbers);
        Ok(())
    }

    fn begin_stage(&mut self, world: Changed, stage: Stage) -> Result<(), RestoreError> {
        let Changed { model, state, geometry } = world;
        for (mover, orientation) in stage.driven {
            let index = state.bodies.index_of[mover.id as usize];
            // One that was taken out stays out.
            if index != GONE {
                state.bodies.movers[index as usize] = mover;
                state.bodies.orientations[index as usize] = orientation;
            }
        }
        begin(model, state, geometry);
        self.report = SolverReport::default();
        Ok(())
    }

    fn admit(&mut self, _: Seen, _: &[f64]) -> Result<(), Trouble> {
        Ok(())
    }

    fn change(&mut self, world: Changed, leaving: &[u32], entering: &[Body]) {
        let Changed { model, state, geometry } = world;
        change::change(model, state, geometry, self, (leaving, entering));
    }

    fn keep_rows(&mut self, keep: bool) {
        self.keep_rows = keep;
    }

    fn rows(&self) -> Vec<ContactRow> {
        self.kept.clone()
    }

    fn contacts_now(&self, world: Seen) -> Vec<ContactRow> {
        let (mut state, mut work) = (world.state.clone(), self.clone());
        if step::solve(world.model, &state, world.geometry, &mut work).is_err() {
            return Vec::new();
        }
        work.keep_rows = true;
        books::book(world.model, &mut state, &mut work);
        work.kept
    }

    fn touching_pairs(&self, world: Seen) -> Vec<[u32; 2]> {
        let index_of = &world.state.bodies.index_of;
        let keys = world.state.contacts.keyed().map_or(&[][..], |held| &held.keys);
        keys.iter().map(|key| [key.a, key.b].map(|id| index_of[id as usize])).collect()
    }

    fn pressed(&self) -> f64 {
        self.pressed
    }

    fn stored(&self, _: Seen) -> [f64; 4] {
        [self.stored, 0.0, 0.0, 0.0]
    }

    fn visit_contacts(&self, world: Seen, visit: &mut VisitContact) -> ControlFlow<()> {
        let Some(held) = world.state.contacts.keyed() else { return ControlFlow::Continue(()) };
        held.iter().try_for_each(|(key, live, numbers)| visit(key, live, numbers))
    }

    fn stride(&self, model: &Model) -> usize {
        model.laws.most_numbers()
    }

    fn entries(&self) -> Vec<Entry> {
        let SolverReport { certificate: c, penetration, gap_max, unsolved, fallback } = self.report;
        let solved = f64::from(u8::from(c.solved));
        let numbers = [
            f64::from(c.iterations),
            c.residual,
            c.residual_max,
            c.cone_error,
            c.dual_error,
            c.complementarity,
            f64::from(c.active),
            solved,
            penetration,
            gap_max,
            unsolved as f64,
            fallback as f64,
            self.pressed,
            self.stored,
        ];
        ENTRIES.into_iter().zip(numbers).collect()
    }

    fn bytes(&self, state: &State) -> [usize; 2] {
        let held = state.contacts.keyed().map_or(0, |held| held.len() * (size_of::<f64>() * (RigidLaws::MEMORY + 2)));
        let rows = self.touching.capacity() * (size_of::<super::Touching>() + size_of::<crate::cone::Row>());
        [self.pairs.capacity() * size_of::<crate::broad::Pair>(), rows + held]
    }

    fn candidate_count(&self) -> usize {
        self.pairs.len()
    }

    fn candidates(&self) -> Vec<[u32; 2]> {
        self.pairs.iter().map(|pair| [pair.a, pair.b]).collect()
    }

    fn solver(&self) -> Option<SolverReport> {
        Some(self.report)
    }
}

/// Geometry for bodies in their places, and a ledger that begins.
fn begin(model: &Model, state: &mut State, geometry: &mut Geometry) {
    geometry.pose(&state.bodies);
    geometry.keep_responses(&state.bodies);
    let (kinetic, potential) = energy::of_all(model, state);
    state.sums.start = kinetic + potential + energy::of_joints(model, state);
}

impl Work {
    /// Takes up what `entries` gave.
    fn take_up(&mut self, numbers: &[f64; ENTRIES.len()]) {
        let [iterations, residual, residual_max, cone_error, dual_error, complementarity, active, rest @ ..] = *numbers;
        let [solved, penetration, gap_max, unsolved, fallback, pressed, stored] = rest;
        let certificate = crate::cone::Certificate {
            iterations: iterations as u32,
            residual,
            residual_max,
            cone_error,
            dual_error,
            complementarity,
            active: active as u32,
            solved: solved > 0.0,
        };
        self.report =
            SolverReport { certificate, penetration, gap_max, unsolved: unsolved as u64, fallback: fallback as u64 };
        (self.pressed, self.stored) = (pressed, stored);
    }
}

//! The step of the nonsmooth method: the loop to read first.
//!
//! Bodies get the velocities that they would have without contacts; who may meet within the step becomes a row of a contact problem;
//! its solution gives velocities at the end of the step, and with these bodies move (symplectic Euler).

use super::{Work, bodies, books, change, joints, memory, pairs, rows};
use crate::check;
use crate::cone::{self, Certificate, Cone, Rule, Settings};
use crate::energy;
use crate::error::Trouble;
use crate::geometry::Geometry;
use crate::model::Model;
use crate::state::State;

/// Steps between two orderings of bodies in space, by step number, so that it is the same after a restart.
const ORDER_EVERY: u64 = 64;

/// Steps until `end`. A step that goes wrong is not counted when more were to follow it; the last one is completed and counted.
pub fn advance(
    model: &Model,
    state: &mut State,
    geometry: &mut Geometry,
    work: &mut Work,
    end: u64,
) -> Result<(), Trouble> {
    while state.step < end {
        let pause = change::exchange(model, state, geometry, work, end)?;
        while state.step < pause {
            if state.step.is_multiple_of(ORDER_EVERY) {
                bodies::put_in_order(state, geometry);
            }
            solve(model, state, geometry, work)?;
            energy::book_gravity(model, state);
            bodies::move_by(&work.twists, model, state);
            energy::book_gravity(model, state);
            geometry.follow(&state.bodies);
            books::book(model, state, work);
            memory::remember(state, work, model.dt);
            state.step += 1;
            let trouble = check::finite(model, state).and(books::check_depth(model, state, work));
            if state.step < end {
                trouble?;
            } else {
                return trouble;
            }
        }
    }
    Ok(())
}

/// Finds the impulses of the step from the state as it is, and the velocities at its end.
pub fn solve(model: &Model, state: &State, geometry: &Geometry, work: &mut Work) -> Result<(), Trouble> {
    bodies::set_free(model, state, geometry, work);
    joints::place(model, state, work);
    pairs::find(model, state, geometry, work);
    rows::assemble(model, state, geometry, work)?;
    joints::fill(model, state, work);
    memory::warm_start(state, work, model.dt);
    let settings = settings(model, work);
    let certificate = work.solve(&settings);
    work.note(certificate);
    joints::start::check_agree(model, state, work, &settings)
}

/// What the solver is told.
fn settings(model: &Model, work: &Work) -> Settings {
    let asked = &work.settings;
    let tolerance = asked.tolerance_at(model.gravity.largest(), model.dt);
    let (tolerance, max_iterations) = asked.iterations.map_or((tolerance, asked.max_iterations), |count| (0.0, count));
    Settings { cone: asked.cone, relaxation: asked.relaxation, tolerance, max_iterations }
}

impl Work {
    /// Solves for impulses and velocities: by the law that is asked for, and where the exact one does not converge, by the convex one.
    fn solve(&mut self, settings: &Settings) -> Certificate {
        let rule = Rule { solver: self.settings.solver, ..Rule::default() };
        self.free.clone_from(&self.twists);
        self.starts.clear();
        self.starts.extend_from_slice(self.rows.impulses());
        self.joint_starts.clear();
        self.joint_starts.extend(self.rows.blocks().all_rows().iter().map(|row| row.impulse));
        let exact = cone::solve_by(&mut self.rows, &self.responses, &mut self.twists, settings, rule);
        let same = settings.cone == Cone::Associated || self.rows.is_empty();
        if exact.solved || same || self.settings.iterations.is_some() {
            return exact;
        }
        let (twists, impulses) = (self.twists.clone(), self.rows.impulses().to_vec());
        let of_joints: Vec<f64> = self.rows.blocks().all_rows().iter().map(|row| row.impulse).collect();
        self.twists.clone_from(&self.free);
        (0..self.rows.len()).for_each(|row| self.rows.start_from(row, self.starts[row]));
        self.rows.blocks_mut().start_from(&self.joint_starts);
        let relaxed = Settings { cone: Cone::Associated, ..*settings };
        let certificate = cone::solve_by(&mut self.rows, &self.responses, &mut self.twists, &relaxed, rule);
        if certificate.solved {
            self.report.fallback += 1;
            return certificate;
        }
        // Neither is good enough: what was asked for stays.
        self.twists = twists;
        (0..self.rows.len()).for_each(|row| self.rows.start_from(row, impulses[row]));
        self.rows.blocks_mut().start_from(&of_joints);
        exact
    }

    /// Notes how the step was solved. With a number of iterations that is given nothing is left unsolved: no tolerance was asked for.
    fn note(&mut self, certificate: Certificate) {
        let report = &mut self.report;
        report.certificate = certificate;
        report.certificate.solved |= self.settings.iterations.is_some() && certificate.residual.is_finite();
        report.unsolved += u64::from(!report.certificate.solved);
        let gaps = || self.touching.iter().map(|touching| touching.gap);
        report.penetration = gaps().fold(0.0, |deepest, gap| f64::max(deepest, -gap));
        let pushing = self.touching.iter().zip(0..).filter(|(_, row)| self.rows.split_impulse(*row).normal > 0.0);
        report.gap_max = pushing.fold(0.0, |widest, (touching, _)| f64::max(widest, touching.gap));
    }
}

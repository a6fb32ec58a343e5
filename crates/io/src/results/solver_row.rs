//! What the series says of steps that are solved for: columns after those of every run and of a cell.
//!
//! All are of the latest step, but for `unsolved` and `fallback`, which count steps since the start. `residual` (m/s) is the root
//! mean square of the natural residual over contacts, `residual_max` the largest; `cone_error` (N s) and `dual_error` (m/s) say by how
//! much impulses and velocities are outside what contact allows. `penetration` (m) is the deepest overlap at the start of the step,
//! `gap_max` (m) the widest gap across which a contact pushes, `joint_error` (m) the largest distance between what joints hold together
//! at its end. `lost_joint` (J) is what friction and dampers of joints have taken since the start.

use stickslip::World;
use stickslip::measure::solver::SolverReport;

use super::file::push_number;

/// The columns.
pub const COLUMNS: [&str; 11] = [
    "lost_joint",
    "iterations",
    "residual",
    "residual_max",
    "cone_error",
    "dual_error",
    "penetration",
    "gap_max",
    "joint_error",
    "unsolved",
    "fallback",
];

/// The numbers of one row, in the order of `COLUMNS`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverRow([f64; COLUMNS.len()]);

impl SolverRow {
    /// Of a world now; `None` for a method that solves for nothing.
    pub fn of(world: &World) -> Option<Self> {
        let SolverReport { certificate, penetration, gap_max, unsolved, fallback } = world.solver()?;
        Some(SolverRow([
            world.state().sums.joints,
            f64::from(certificate.iterations),
            certificate.residual,
            certificate.residual_max,
            certificate.cone_error,
            certificate.dual_error,
            penetration,
            gap_max,
            world.joint_error(),
            unsolved as f64,
            fallback as f64,
        ]))
    }

    /// From the fields that follow all others.
    pub fn parse(fields: &[&str]) -> Option<Self> {
        let numbers: Option<Vec<f64>> = fields.iter().map(|field| field.trim().parse().ok()).collect();
        numbers?.try_into().ok().map(SolverRow)
    }

    /// Appends the numbers to a line.
    pub fn push(&self, line: &mut Vec<u8>) {
        self.0.iter().for_each(|&value| push_number(line, value));
    }

    /// The number of a column; NaN for one that there is not.
    pub fn get(&self, column: &str) -> f64 {
        COLUMNS.iter().position(|have| *have == column).map_or(f64::NAN, |at| self.0[at])
    }
}

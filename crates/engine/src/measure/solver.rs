//! How the steps of a method that solves for its contact impulses went.

use crate::cone::Certificate;

/// The latest step, and how many steps went wrong so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverReport {
    /// How well the latest step was solved.
    pub certificate: Certificate,
    /// The deepest overlap of two bodies at its start (m).
    pub penetration: f64,
    /// The widest gap at its start across which a contact pushes (m): what the convex law leaves open.
    pub gap_max: f64,
    /// Steps so far that did not reach the tolerance.
    pub unsolved: u64,
    /// Steps so far that were solved by the convex law, because the exact one did not converge.
    pub fallback: u64,
}

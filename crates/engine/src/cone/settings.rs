//! How a contact problem is solved: which law, which solver, how well.

use serde::{Deserialize, Serialize};

/// Which law of friction is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cone {
    /// Coulomb's, with resistance that acts against the motion: no convex problem.
    #[default]
    Exact,
    /// The convex relaxation of Tasora and Anitescu, with a gap in proportion to the slip.
    Associated,
}

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Which law.
    pub cone: Cone,
    /// Of each update of a sweep, in (0, 2).
    pub relaxation: f64,
    /// The residual to reach (m/s): root mean square; the largest may be ten times that.
    pub tolerance: f64,
    /// Iterations after which to stop without: sweeps, products with the matrix, factorisations.
    pub max_iterations: u32,
}

/// Which solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Solver {
    /// Contact after contact (`sweep.rs`): cheap, and best from a good start.
    #[default]
    GaussSeidel,
    /// Accelerated projected gradient (`accelerated.rs`): for piles.
    Apgd,
    /// Semismooth Newton between sweeps (`newton.rs`): for machines, joints, unequal masses, and many digits.
    Newton,
    /// Sweeps first, then Newton if there are few contacts, then the accelerated gradient.
    Auto,
}

/// Where the load along the normal comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadRule {
    /// From the same sweep: contacts are rigid.
    #[default]
    Solved,
    /// It is given, by the impulses to start from: friction is cut to disc, disc and interval. Gauss-Seidel only.
    Frozen,
}

/// What a caller chooses beside `Settings`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Which solver.
    pub solver: Solver,
    /// Where the load comes from.
    pub load: LoadRule,
}

//! Rigid contact with friction cones: the problem of many contacts at once, and its solver. Knows no world, no method, no law.
//!
//! A contact carries an impulse g with six rows: along the normal n, in the tangent plane (slide), about n (spin) and about
//! tangents (roll). It lies in the cone C (THEORY.md eq. 8.3), and the velocities u of the rows that follow from all impulses obey
//! (eq. 8.4)
//!
//! ```text
//!   C* contains u + A(u) n,   perpendicular to g in C,     A(u) = mu |u_T| + rho |w_T| + sigma |w_n|
//! ```
//!
//! which is exactly: no approach, no pull, and friction that resists as much as it can. Without A(u) it is the convex relaxation of
//! Tasora and Anitescu (2013).
//!
//! | file | what it has |
//! | --- | --- |
//! | `problem.rs` | `Problem` and `Solution`: plain and serialisable, to be used without the rest of the engine |
//! | `matrix_problem.rs` | the same where the matrix is given and there are no bodies |
//! | `rows.rs` | `Rows`: the same flat, kept from step to step, filled without allocation |
//! | `blocks.rs` | `Blocks`: joints, drives, contacts that are given by their matrix |
//! | `project.rs` | the exact projection on C, with its derivative |
//! | `elliptic.rs` | the same for friction that depends on the direction, and for sliding and spinning together |
//! | `scale.rs` | steps and scales of one contact from its own block |
//! | `colour.rs` | which rows share no body |
//! | `settings.rs` | which law, which solver, how well |
//! | `solve.rs` | `solve` and `solve_by`: until the certificate is good |
//! | `sweep.rs` | one pass over all rows, with the load along the normal solved or given |
//! | `accelerated.rs` | accelerated projected gradient |
//! | `newton.rs` | semismooth Newton; `factor.rs`: its sparse factors |
//! | `least_norm.rs` | impulses of redundant joints |
//! | `certificate.rs` | how well it was solved, in m/s |
//! | `conflict.rs` | which contacts and joints contradict each other, where no velocities satisfy them |

mod accelerated;
mod blocks;
mod certificate;
mod colour;
mod conflict;
mod elliptic;
mod factor;
mod least_norm;
mod matrix_problem;
mod newton;
mod problem;
mod project;
mod rows;
mod scale;
mod settings;
mod solve;
mod sweep;

pub use blocks::{BlockRow, Blocks, Lever, MOST_ROWS, Set};
pub use certificate::Certificate;
pub use conflict::{Conflict, find_conflict};
pub use elliptic::{AxisRoll, Ellipse, Limits};
pub use matrix_problem::{MatrixContact, MatrixProblem, MatrixSolution};
pub use problem::{Problem, ProblemBody, ProblemContact, ProblemError, ProblemRow, Solution};
pub use project::{Cones, Slope, Split, project};
pub use rows::{Options, Row, Rows, Twist, Wrench};
pub use settings::{Cone, LoadRule, Rule, Settings, Solver};
pub use solve::{solve, solve_by};

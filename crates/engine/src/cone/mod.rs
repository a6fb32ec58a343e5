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
//! | `rows.rs` | `Rows`: the same flat, kept from step to step, filled without allocation |
//! | `project.rs` | the exact projection on C |
//! | `scale.rs` | steps and scales of one contact from its own block |
//! | `colour.rs` | which rows share no body |
//! | `sweep.rs` | one pass over all rows, and `solve`: passes until the certificate is good |
//! | `certificate.rs` | how well it was solved, in m/s |
//!
//! Does not do: joints, box rows, compliance, anisotropic rolling, the coupled slide-spin cone, other solvers.

mod certificate;
mod colour;
mod problem;
mod project;
mod rows;
mod scale;
mod sweep;

pub use certificate::Certificate;
pub use problem::{Problem, ProblemBody, ProblemContact, ProblemError, Solution};
pub use project::{Cones, Split, project};
pub use rows::{Row, Rows, Twist, Wrench};
pub use sweep::{Cone, Settings, solve};

//! Tasora and Anitescu, A complementarity-based rolling friction model for rigid contacts, Meccanica (2013).
//!
//! One experiment per file: `disk` is section 6.1, `guideway` 6.2, `guideway` 6.2; `incline`, `spin`
//! and `limit_states` are closed forms of one body and of stacks that the paper's model has. They share `rig`.
//!
//! SI units. All run in the engine's world with the nonsmooth method. Expected numbers are closed forms, or come from an independent
//! computation of this project; each check says which.

pub mod disk;
pub mod guideway;
pub mod incline;
pub mod limit_states;
pub mod rig;
pub mod spin;

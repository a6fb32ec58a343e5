//! stickslip's files: what a user writes (scenes, probes) and what a run writes (records, run folder, report, pictures).
//!
//! `scene`, `probe_file` and `problem_file` read; `results` writes; `checkpoint` does both. Physics is in the engine; nothing here advances a world.

pub mod checkpoint;
pub mod input;
pub mod probe_file;
pub mod problem_file;
pub mod results;
pub mod run_reader;
pub mod scene;
mod visible;

pub use visible::visible;

//! What a world asks of its method besides to advance: rows and loads of the latest step, what its contacts remember, what a
//! checkpoint holds of it, who came and went. Each method answers in a file of its own (`explicit/answers.rs`).
//!
//! Does not do: steps. There is no scheme behind this: a method's step is its own list of verbs.

use std::ops::ControlFlow;

use glam::DQuat;

use crate::body::Body;
use crate::contact::{Remembered, VisitContact};
use crate::error::{BuildError, RestoreError, Trouble};
use crate::geometry::Geometry;
use crate::measure::ContactRow;
use crate::measure::solver::SolverReport;
use crate::model::Model;
use crate::state::{Mover, State};

/// Time spent in each phase of steps (ns), summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Making neighbour lists.
    pub neighbours: u64,
    /// Finding which candidates touch.
    pub detection: u64,
    /// Laws, with gathering into blocks and adding up within a chunk.
    pub laws: u64,
    /// Adding up loads between chunks.
    pub gather: u64,
    /// Kicks and drifts.
    pub integration: u64,
}

/// A world as its method reads it.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// What does not change.
    pub model: &'a Model,
    /// What a checkpoint holds.
    pub state: &'a State,
    /// Where walls and solids are.
    pub geometry: &'a Geometry,
}

/// A world as its method changes it.
pub struct Changed<'a> {
    /// What does not change.
    pub model: &'a Model,
    /// What a checkpoint holds.
    pub state: &'a mut State,
    /// Where walls and solids are.
    pub geometry: &'a mut Geometry,
}

/// A number by name that a method keeps for a run, and a checkpoint with it.
pub type Entry = (&'static str, f64);

/// What a method takes up that was saved.
pub struct Kept<'a> {
    /// Its entries, by name.
    pub entries: &'a dyn Fn(&str) -> Option<f64>,
    /// What its contacts remember, in its own order.
    pub contacts: &'a Remembered,
}

/// What a stage changes of the state that it starts from.
pub struct Stage {
    /// Whether there was a cell before.
    pub had_cell: bool,
    /// Bodies whose place and motion are the setup's.
    pub driven: Vec<(Mover, DQuat)>,
    /// Power of the loads at the end of the stage before, by normal, slide, roll, spin.
    pub power: [f64; 4],
}

/// What a method answers. What it has no notion of, it leaves to the defaults.
pub trait Answers {
    // ---- before the first step ----

    /// Makes the first contacts and loads, and begins the ledger.
    fn start(&mut self, world: Changed, remembered: &Remembered) -> Result<(), BuildError>;
    /// Continues a saved state to the bit. Bodies and the cell are in their places.
    fn resume(&mut self, world: Changed, kept: Kept) -> Result<(), RestoreError>;
    /// Begins a stage from a state that it has resumed, with a new ledger.
    fn begin_stage(&mut self, world: Changed, stage: Stage) -> Result<(), RestoreError>;

    // ---- between steps ----

    /// Whether spheres of these radii may enter; what is made for sizes makes room for them.
    fn admit(&mut self, world: Seen, radii: &[f64]) -> Result<(), Trouble>;
    /// Takes out bodies, by rising id, puts others in, and books both.
    fn change(&mut self, world: Changed, leaving: &[u32], entering: &[Body]);
    /// Whether the next step keeps rows.
    fn keep_rows(&mut self, keep: bool);

    // ---- what it knows ----

    /// Rows of the contacts of the latest step, in any order; none unless they were kept.
    fn rows(&self) -> Vec<ContactRow>;
    /// Rows of the contacts of the state as it is, evaluated again, in any order.
    fn contacts_now(&self, world: Seen) -> Vec<ContactRow>;
    /// The pairs that touch, by index.
    fn touching_pairs(&self, world: Seen) -> Vec<[u32; 2]>;
    /// Sum of the sizes of normal forces (N) in the latest step.
    fn pressed(&self) -> f64;
    /// Elastic energy (J) of normal, slide, roll and spin springs.
    fn stored(&self, world: Seen) -> [f64; 4];
    /// The places of contacts, in the method's order, with what they remember.
    fn visit_contacts(&self, world: Seen, visit: &mut VisitContact) -> ControlFlow<()>;
    /// How many numbers a contact remembers at most.
    fn stride(&self, model: &Model) -> usize;
    /// What a checkpoint holds of the method besides.
    fn entries(&self) -> Vec<Entry>;

    // ---- how it does ----

    /// Bytes held for pairs, and for contacts with their memory.
    fn bytes(&self, state: &State) -> [usize; 2];
    /// Listed pairs, touching or not.
    fn candidate_count(&self) -> usize {
        0
    }
    /// The listed pairs by index.
    fn candidates(&self) -> Vec<[u32; 2]> {
        Vec::new()
    }
    /// Pairs with a gap below this are listed (m).
    fn skin(&self) -> f64 {
        0.0
    }
    /// How often neighbour lists were made.
    fn rebuilds(&self) -> u64 {
        0
    }
    /// How the latest step was solved, of a method that solves for impulses.
    fn solver(&self) -> Option<SolverReport> {
        None
    }
    /// Begins to time the phases of steps, or ends it.
    fn time_phases(&mut self, timed: bool) {
        let _ = timed;
    }
    /// Time spent by phase since `time_phases`.
    fn phases(&self) -> Phases {
        Phases::default()
    }
    /// Frees what the next step makes again.
    fn free(&mut self) {}
}

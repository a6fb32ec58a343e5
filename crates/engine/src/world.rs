//! A world: what a caller makes, advances and reads.
//!
//! World = Model (what does not change) + State (what a checkpoint holds) + Geometry (where walls and solids are, which follows
//! from the two) + Work (what the method keeps only to save time). The steps are in `explicit/step.rs`, the loop that
//! everyone reads first, and `nonsmooth/step.rs`.

mod assemble;
mod joints;
mod packing;
mod rattlers;
mod read;
mod remembered;
mod saved;
mod stage;
mod traffic;
mod work;

pub use rattlers::Packing;
pub use saved::Saved;
pub use stage::Begin;
pub use traffic::StreamReport;
pub use work::{advise_step, taken_by};

pub use crate::answers::Phases;
pub use crate::contact::{ContactKey, Remembered};
pub use crate::error::RestoreError;
pub use crate::setup::Setup;

use crate::answers::{Changed, Seen};
use crate::check;
use crate::error::{BuildError, Trouble};
use crate::explicit;
use crate::geometry::Geometry;
use crate::model::Model;
use crate::nonsmooth;
use crate::setup::Described;
use crate::state::State;
use work::Work;

/// A scene in motion.
#[derive(Clone, Debug)]
pub struct World {
    model: Model,
    state: State,
    geometry: Geometry,
    work: Work,
}

impl World {
    /// Steps, `steps` times. The kick that ends a step and the one that begins the next share a pass over the bodies, so
    /// one call for many steps is faster than many calls; the bits are the same.
    ///
    /// Bodies come and go at the start of a step, at step numbers that depend on the scene alone (`traffic.rs`).
    ///
    /// A step that goes wrong is not counted when more were to follow it, and leaves a state that is not worth recording.
    pub fn advance(&mut self, steps: u64) -> Result<(), Trouble> {
        let World { model, state, geometry, work } = self;
        let end = state.step + steps;
        match work {
            Work::Explicit(work) => explicit::step::advance(model, state, geometry, work, end),
            Work::Nonsmooth(work) => nonsmooth::step::advance(model, state, geometry, work, end),
        }
    }

    /// One step.
    pub fn step(&mut self) -> Result<(), Trouble> {
        self.advance(1)
    }

    /// A world at step 0, its loads evaluated once without growing any memory.
    pub fn new(setup: Setup) -> Result<World, BuildError> {
        World::with_memory(setup, &Remembered::default())
    }

    /// The same, of bodies whose contacts remember what those of another world do, by the ids of their bodies.
    pub fn with_memory(setup: Setup, remembered: &Remembered) -> Result<World, BuildError> {
        World::assemble(setup)?.started(remembered)
    }

    /// The world of bodies that the caller keeps, without a copy of them. `rows` tells whether its contacts at step 0 will be
    /// asked for (`World::rows`): rows take more room than all else that is known of a contact.
    pub fn of(described: &Described, rows: bool) -> Result<World, BuildError> {
        let mut world = World::assemble_from(described)?;
        world.work.answers_mut().keep_rows(rows);
        world.started(&Remembered::default())
    }

    /// Lists, contacts, loads and ledger of a world that has none yet.
    fn started(mut self, remembered: &Remembered) -> Result<World, BuildError> {
        let World { model, state, geometry, work } = &mut self;
        work.answers_mut().start(Changed { model, state, geometry }, remembered)?;
        Ok(self)
    }

    /// Whether every position, orientation and velocity is a finite number. Steps look only when lists are made or a pair is
    /// too deep; who records a state asks here.
    pub fn check_finite(&self) -> Result<(), Trouble> {
        check::finite(&self.model, &self.state)
    }

    /// Frees what the next step makes again: where memory is short, while lists are made or after the last step.
    pub fn free_workspace(&mut self) {
        self.work.answers_mut().free();
    }

    fn seen(&self) -> Seen<'_> {
        Seen { model: &self.model, state: &self.state, geometry: &self.geometry }
    }
}

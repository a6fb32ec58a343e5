//! The nonsmooth method: rigid contacts whose impulses are solved for together, in large steps (THEORY.md section 8).
//!
//! `step.rs` is the list of verbs to read first; `pairs.rs` finds who may meet within the step, `rows.rs` makes rows of a contact
//! problem from where they touch, `bodies.rs` moves bodies, `memory.rs` has impulses from step to step, `books.rs` what the solved
//! rows say: loads, energies, records. Solvers are in `cone`.
//!
//! A step from t to t + h has all geometry at t and velocities at t + h: what moves by a function of time counts with its mean velocity.
//!
//! `joints.rs` has rows of joints.
//!
//! Does not do: cells, islands that sleep.

mod advice;
mod answers;
mod bodies;
mod books;
mod bounds;
mod change;
mod joints;
mod memory;
mod pairs;
mod rows;
pub(crate) mod step;

pub use advice::advise_alike;
pub(crate) use bounds::check_body;

use crate::broad::{Ball, Pair, Slab};
use crate::collide::{ColliderId, Touch, Touches};
use crate::cone::{Rows, Twist, Wrench};
use crate::contact::ContactKey;
use crate::error::BuildError;
use crate::law::PairLaws;
use crate::measure::ContactRow;
use crate::measure::solver::SolverReport;
use crate::model::{Model, Nonsmooth};
use crate::response::Response;

/// Whether the method runs these laws: it does with rigid ones.
pub fn takes(laws: &PairLaws) -> bool {
    match laws {
        PairLaws::Rigid(_) => true,
        PairLaws::Springs(_) => false,
    }
}

/// What the method keeps from step to step beside the state: never saved, but for `report`.
#[derive(Clone, Debug)]
pub struct Work {
    /// The model's settings.
    settings: Nonsmooth,
    balls: Vec<Ball>,
    slabs: Vec<Slab>,
    pairs: Vec<Pair>,
    /// How far others may push each body in the step (m), by index; 0 where its skin covers that.
    pushes: Vec<f64>,
    touches: Touches,
    of_walls: Vec<rows::OfWall>,
    of_part: Vec<(ColliderId, Touch)>,
    /// By index of a body, at the start of the step: a mean over it for what is driven.
    before: Vec<Twist>,
    /// At its end: first without contacts, then with them.
    twists: Vec<Twist>,
    /// What impulses do to bodies in this step.
    responses: Vec<Response>,
    /// Velocities at the end without contacts, and impulses to start from: for a second try.
    free: Vec<Twist>,
    starts: Vec<Wrench>,
    rows: Rows,
    joints: joints::Joints,
    /// Impulses of joints to start from: for a second try.
    joint_starts: Vec<f64>,
    /// What belongs to each row besides.
    touching: Vec<Touching>,
    keep_rows: bool,
    kept: Vec<ContactRow>,
    /// Sum of the sizes of normal forces (N).
    pressed: f64,
    /// Energy in contacts that give way (J).
    stored: f64,
    report: SolverReport,
}

/// What is known of a row beside what the solver reads.
#[derive(Clone, Copy, Debug)]
struct Touching {
    key: ContactKey,
    /// Distance of the surfaces (m), negative where they overlap.
    gap: f64,
    /// The part of its bias along the normal (m/s).
    bias: f64,
    /// Velocity per impulse that its normal gives way with (1/kg), and its stiffness (N/m).
    give: [f64; 2],
    /// Velocity of a relative to b that belts add at the point (m/s).
    belts: glam::DVec3,
    /// Whether slide, roll and spin are resisted.
    resisted: [bool; 3],
}

impl Work {
    /// Before any step, if the method can do what the model asks for.
    pub(crate) fn new(settings: Nonsmooth, model: &Model) -> Result<Self, BuildError> {
        bounds::check_model(model)?;
        Ok(Work {
            settings,
            balls: Vec::new(),
            slabs: Vec::new(),
            pairs: Vec::new(),
            pushes: Vec::new(),
            touches: Touches::default(),
            of_walls: Vec::new(),
            of_part: Vec::new(),
            before: Vec::new(),
            twists: Vec::new(),
            responses: Vec::new(),
            free: Vec::new(),
            starts: Vec::new(),
            rows: Rows::default(),
            joints: joints::Joints::new(model),
            joint_starts: Vec::new(),
            touching: Vec::new(),
            keep_rows: false,
            kept: Vec::new(),
            pressed: 0.0,
            stored: 0.0,
            report: SolverReport::default(),
        })
    }
}

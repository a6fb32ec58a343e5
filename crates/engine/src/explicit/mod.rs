//! The explicit method: soft contacts, loads by law, sums per body in a fixed order, small steps.

mod answers;
pub(crate) mod bodies;
pub(crate) mod bounds;
pub(crate) mod change;
pub(crate) mod deform;
pub mod flow;
mod resume;
pub(crate) mod start;
pub(crate) mod step;

use bodies::BodyReport;
use flow::Flow;

use crate::error::BuildError;
use crate::law::PairLaws;
use crate::model::{Explicit, Integrator, Model};
use crate::soft;
use crate::soft::lists::Neighbours;
pub use crate::soft::stable_step;
use crate::state::Bodies;

/// Whether the method runs these laws: it does with springs.
pub fn takes(laws: &PairLaws) -> bool {
    match laws {
        PairLaws::Springs(_) => true,
        PairLaws::Rigid(_) => false,
    }
}

/// What the method keeps from step to step beside the state: never saved.
#[derive(Clone, Debug)]
pub struct Work {
    /// How to advance: the model's settings.
    pub(crate) settings: Explicit,
    /// Lists, and what belongs to contacts.
    pub(crate) soft: soft::Work,
    /// What the latest pass over the bodies of each chunk reported.
    pub(crate) reports: Vec<BodyReport>,
    /// The flow of the cell in the step.
    pub(crate) flow: Option<Flow>,
    /// Whether passes over bodies are timed.
    pub(crate) timed: bool,
}

impl Work {
    /// Before any lists, if the method can do what the model asks for.
    pub(crate) fn new(settings: Explicit, model: &Model, bodies: &Bodies) -> Result<Self, BuildError> {
        if model.flows() && settings.integrator != Integrator::VelocityVerlet {
            let what = "one that changes its shape needs the integrator velocity-verlet";
            return Err(BuildError::BadCell(what.into()));
        }
        let soft = soft::Work::new(Neighbours::new(&model.laws, bodies, &model.inflows));
        Ok(Work { settings, soft, reports: Vec::new(), flow: None, timed: false })
    }
}

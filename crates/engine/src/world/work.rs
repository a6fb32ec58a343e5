//! What a method keeps from step to step beside the state, and through which a world asks it: one arm for each method.

use std::borrow::Borrow;

use crate::advice::StepAdvice;
use crate::answers::Answers;
use crate::body::Body;
use crate::error::BuildError;
use crate::explicit;
use crate::law::PairLaws;
use crate::model::{Method, Model};
use crate::nonsmooth;
use crate::soft;
use crate::state::State;

/// The method's own; never saved.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a world has one of them")]
pub enum Work {
    /// Of the explicit method.
    Explicit(explicit::Work),
    /// Of the nonsmooth method.
    Nonsmooth(nonsmooth::Work),
}

/// Which laws a method runs.
pub fn taken_by(method: &Method) -> fn(&PairLaws) -> bool {
    match method {
        Method::Explicit(_) => explicit::takes,
        Method::Nonsmooth(_) => nonsmooth::takes,
    }
}

/// The step for a model by its method (its own `dt` is not looked at); `None` when nothing could touch. Of bodies that are alike but
/// for their places in a row, one is given, and how many there are.
pub fn advise_step<B: Borrow<Body>>(
    model: &Model,
    bodies: impl Iterator<Item = (B, usize)> + Clone,
) -> Option<StepAdvice> {
    match model.method {
        Method::Explicit(_) => soft::stable_step::advise_alike(model, bodies),
        Method::Nonsmooth(_) => nonsmooth::advise_alike(model, bodies),
    }
}

/// What a method cannot move of what the engine can describe.
pub fn check_body(method: &Method, id: u32, body: &Body) -> Result<(), BuildError> {
    match method {
        Method::Explicit(_) => explicit::bounds::check_body(id, body),
        Method::Nonsmooth(_) => nonsmooth::check_body(id, body),
    }
}

impl Work {
    /// Before anything is evaluated, if the method can do what the model asks for.
    pub fn new(model: &Model, state: &State) -> Result<Self, BuildError> {
        match model.method {
            Method::Explicit(settings) => Ok(Work::Explicit(explicit::Work::new(settings, model, &state.bodies)?)),
            Method::Nonsmooth(settings) => Ok(Work::Nonsmooth(nonsmooth::Work::new(settings, model)?)),
        }
    }

    /// What it answers.
    pub fn answers(&self) -> &dyn Answers {
        match self {
            Work::Explicit(work) => work,
            Work::Nonsmooth(work) => work,
        }
    }

    /// The same, to be changed.
    pub fn answers_mut(&mut self) -> &mut dyn Answers {
        match self {
            Work::Explicit(work) => work,
            Work::Nonsmooth(work) => work,
        }
    }
}

//! What a world is made from: a model and bodies, as a caller describes them.

use crate::body::{Body, BodyList};
use crate::model::Model;

/// All that a world is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Materials, laws, gravity, step.
    pub model: Model,
    /// Bodies, by id.
    pub bodies: Vec<Body>,
}

/// All that a world is made from, in little room.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Materials, laws, gravity, step.
    pub model: Model,
    /// Bodies, by id.
    pub bodies: BodyList,
}

impl Described {
    /// The same with a body each.
    pub fn to_setup(&self) -> Setup {
        Setup { model: self.model.clone(), bodies: self.bodies.iter().collect() }
    }
}

impl From<&Setup> for Described {
    fn from(setup: &Setup) -> Self {
        Described { model: setup.model.clone(), bodies: setup.bodies.iter().cloned().collect() }
    }
}

//! What a body looks like: spheres and planes so far.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The surface of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A ball around the body's position.
    Sphere {
        /// Radius (m), positive.
        radius: f64,
    },
    /// A half-space behind a plane through the body's position. Never free: it has no mass.
    Plane {
        /// Unit vector out of the solid side, in the body's frame.
        normal: DVec3,
    },
}

impl Shape {
    /// The radius of a sphere; `None` for a plane.
    pub fn radius(&self) -> Option<f64> {
        match *self {
            Shape::Sphere { radius } => Some(radius),
            Shape::Plane { .. } => None,
        }
    }

    /// Volume (m^3) of a bounded shape.
    pub fn volume(&self) -> Option<f64> {
        self.radius().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r)
    }

    /// The name used in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Plane { .. } => "plane",
        }
    }
}

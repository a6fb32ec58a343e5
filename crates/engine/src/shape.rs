//! What a body looks like: spheres, and walls, which loads do not move.

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
    /// A half-space behind a plane through the body's position.
    Plane {
        /// Unit vector out of the solid side, in the body's frame.
        normal: DVec3,
    },
    /// A thin plate around the body's position.
    Rectangle {
        /// Unit vector to its front, in the body's frame.
        normal: DVec3,
        /// Unit vector along its first side, at right angles to the normal, in the body's frame.
        along: DVec3,
        /// Lengths of its sides (m), positive.
        size: [f64; 2],
        /// Where spheres touch it.
        sides: Sides,
    },
    /// A thin round tube around the body's position; its front is the inside.
    Tube {
        /// Radius (m), positive.
        radius: f64,
        /// Length along the axis (m), positive.
        length: f64,
        /// Unit vector, in the body's frame.
        axis: DVec3,
        /// Where spheres touch it.
        sides: Sides,
    },
    /// A thin cone, cut off or whole, around the body's position; its front is the inside.
    Cone {
        /// Radii (m) at the axis' start and end, not negative, not both zero.
        radii: [f64; 2],
        /// Length along the axis (m); zero makes a disc or a ring, whose front is where the axis points if the second radius is
        /// the larger.
        length: f64,
        /// Unit vector, in the body's frame.
        axis: DVec3,
        /// Where spheres touch it.
        sides: Sides,
    },
}

/// Where spheres touch a thin wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sides {
    /// On both sides.
    #[default]
    Both,
    /// On its front only: centres behind it are not touched.
    Front,
}

impl Shape {
    /// The radius of a sphere; `None` for a wall.
    pub fn radius(&self) -> Option<f64> {
        match *self {
            Shape::Sphere { radius } => Some(radius),
            _ => None,
        }
    }

    /// Volume (m^3) of a sphere.
    pub fn volume(&self) -> Option<f64> {
        self.radius().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r)
    }

    /// The name used in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Plane { .. } => "plane",
            Shape::Rectangle { .. } => "rectangle",
            Shape::Tube { .. } => "tube",
            Shape::Cone { .. } => "cone",
        }
    }
}

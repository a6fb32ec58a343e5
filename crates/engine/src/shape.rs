//! What a body looks like: spheres, ellipsoids, boxes and clumps of these, and walls, which loads do not move.

pub mod clump;

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use clump::Clump;

/// The surface of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A ball around the body's position.
    Sphere {
        /// Radius (m), positive.
        radius: f64,
    },
    /// An ellipsoid around the body's position, its axes those of the body's frame.
    Ellipsoid {
        /// Semi-axes (m), positive.
        axes: DVec3,
    },
    /// A brick around the body's position, its edges along the axes of the body's frame.
    Box {
        /// Lengths of its edges (m), positive.
        size: DVec3,
    },
    /// A solid cylinder around the body's position.
    Cylinder {
        /// Radius (m), positive.
        radius: f64,
        /// Length along the axis (m), positive.
        length: f64,
        /// Unit vector, in the body's frame.
        axis: DVec3,
    },
    /// Several solids as one rigid body, in the body's frame.
    #[serde(with = "shared")]
    Clump(Arc<Clump>),
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

/// What kind of place on a surface a point is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Smooth: a face of a box or wall, anywhere on a sphere or an ellipsoid.
    Face,
    /// An edge of a box; the rim of a wall, the corners of a rectangle included.
    Edge,
    /// A corner of a box, the tip of a cone.
    Corner,
}

impl Part {
    /// The part of a box along a direction that has so many components in its frame.
    pub(crate) fn of_box(components: usize) -> Part {
        match components {
            0 | 1 => Part::Face,
            2 => Part::Edge,
            _ => Part::Corner,
        }
    }
}

impl Shape {
    /// The radius of a sphere, or of the sphere around the shape's centre of mass that holds a solid; `None` for a wall.
    pub fn radius(&self) -> Option<f64> {
        match self {
            Shape::Sphere { radius } => Some(*radius),
            Shape::Ellipsoid { axes } => Some(axes.max_element()),
            Shape::Box { size } => Some(0.5 * size.length()),
            Shape::Cylinder { radius, length, .. } => Some((radius * radius + 0.25 * length * length).sqrt()),
            Shape::Clump(clump) => Some(clump.reach(clump.properties().centre)),
            _ => None,
        }
    }

    /// The same around any point of the body's frame (m).
    pub fn reach(&self, from: DVec3) -> Option<f64> {
        match self {
            Shape::Clump(clump) => Some(clump.reach(from)),
            _ => Some(self.radius()? + from.length()),
        }
    }

    /// Whether it is an ellipsoid, a box, a cylinder or a clump: a body that loads move, but no sphere.
    pub fn is_solid(&self) -> bool {
        matches!(self, Shape::Ellipsoid { .. } | Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Clump(_))
    }

    /// Centre of mass in the body's frame (m).
    pub fn centre(&self) -> DVec3 {
        if let Shape::Clump(clump) = self { clump.properties().centre } else { DVec3::ZERO }
    }

    /// `body_from_principal`: the frame of `gyration`.
    pub fn principal_axes(&self) -> DQuat {
        match self {
            Shape::Clump(clump) => clump.properties().axes,
            // The axes of the body are principal where the cylinder's axis is one of them.
            Shape::Cylinder { axis, .. } if !is_along_one(*axis) => DQuat::from_mat3(&frame_along(*axis)).normalize(),
            _ => DQuat::IDENTITY,
        }
    }

    /// Whether it is a surface without an inside that has a mass: a plane, rectangle, tube or cone.
    pub fn is_wall(&self) -> bool {
        matches!(self, Shape::Plane { .. } | Shape::Rectangle { .. } | Shape::Tube { .. } | Shape::Cone { .. })
    }

    /// Whether it is a sphere.
    pub fn is_sphere(&self) -> bool {
        matches!(self, Shape::Sphere { .. })
    }

    /// The same with its directions made exact: a caller's may be off by rounding.
    pub fn with_unit_directions(self) -> Shape {
        match self {
            Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Box { .. } | Shape::Clump(_) => self,
            Shape::Plane { normal } => Shape::Plane { normal: normal.normalize() },
            Shape::Rectangle { normal, along, size, sides } => {
                let normal = normal.normalize();
                let along = (along - normal * along.dot(normal)).normalize();
                Shape::Rectangle { normal, along, size, sides }
            }
            Shape::Cylinder { radius, length, axis } => Shape::Cylinder { radius, length, axis: axis.normalize() },
            Shape::Tube { radius, length, axis, sides } => {
                Shape::Tube { radius, length, axis: axis.normalize(), sides }
            }
            Shape::Cone { radii, length, axis, sides } => Shape::Cone { radii, length, axis: axis.normalize(), sides },
        }
    }

    /// The same with each of its lengths changed, those of a solid in the order in which scene files name them; a wall is as it was.
    /// The one list of lengths that may be drawn; a clump has none and is scaled as a whole (`scaled`).
    pub fn map_lengths(self, mut change: impl FnMut(f64) -> f64) -> Shape {
        let mut change_all = |v: DVec3| DVec3::new(change(v.x), change(v.y), change(v.z));
        match self {
            Shape::Sphere { radius } => Shape::Sphere { radius: change(radius) },
            Shape::Ellipsoid { axes } => Shape::Ellipsoid { axes: change_all(axes) },
            Shape::Box { size } => Shape::Box { size: change_all(size) },
            Shape::Cylinder { radius, length, axis } => {
                Shape::Cylinder { radius: change(radius), length: change(length), axis }
            }
            Shape::Clump(_) => self,
            Shape::Plane { .. } | Shape::Rectangle { .. } | Shape::Tube { .. } | Shape::Cone { .. } => self,
        }
    }

    /// The same solid with all lengths multiplied; a wall is as it was.
    #[must_use]
    pub fn scaled(self, scale: f64) -> Shape {
        match self {
            Shape::Clump(clump) => Shape::Clump(Arc::new(clump.scaled(scale))),
            shape => shape.map_lengths(|length| length * scale),
        }
    }

    /// Volume (m^3); `None` for a wall.
    pub fn volume(&self) -> Option<f64> {
        match *self {
            Shape::Sphere { radius: r } => Some(4.0 / 3.0 * std::f64::consts::PI * r * r * r),
            Shape::Ellipsoid { axes } => Some(4.0 / 3.0 * std::f64::consts::PI * axes.element_product()),
            Shape::Box { size } => Some(size.element_product()),
            Shape::Cylinder { radius, length, .. } => Some(std::f64::consts::PI * radius * radius * length),
            Shape::Clump(ref clump) => Some(clump.properties().volume),
            _ => None,
        }
    }

    /// Principal moments of inertia over the mass (m^2), in the frame of `principal_axes`; zero for a wall.
    pub fn gyration(&self) -> DVec3 {
        let about_axes = |squares: DVec3, share: f64| {
            DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * share
        };
        match *self {
            Shape::Sphere { radius } => DVec3::splat(0.4 * radius * radius),
            Shape::Ellipsoid { axes } => about_axes(axes * axes, 0.2),
            Shape::Box { size } => about_axes(size * size, 1.0 / 12.0),
            Shape::Cylinder { radius, length, axis } => {
                let (along, across) = (0.5 * radius * radius, 0.25 * radius * radius + length * length / 12.0);
                // Along z of the principal axes where these are not the body's.
                let axis = if is_along_one(axis) { axis.abs() } else { DVec3::Z };
                DVec3::splat(across) + axis * (along - across)
            }
            Shape::Clump(ref clump) => clump.properties().gyration,
            _ => DVec3::ZERO,
        }
    }

    /// The largest and the smallest radius of curvature of a sphere or ellipsoid; of a box, for which corners count with one
    /// (THEORY.md section 2.1), that; `None` for a wall.
    pub fn roundness(&self) -> Option<[f64; 2]> {
        match *self {
            Shape::Sphere { radius } => Some([radius; 2]),
            Shape::Ellipsoid { axes } => {
                let (least, most) = (axes.min_element(), axes.max_element());
                Some([most * most / least, least * least / most])
            }
            Shape::Box { size } => Some([0.5 * size.min_element(); 2]),
            Shape::Cylinder { radius, .. } => Some([radius; 2]),
            _ => None,
        }
    }

    /// The name used in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Sphere { .. } => "sphere",
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::Box { .. } => "box",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Clump(_) => "clump",
            Shape::Plane { .. } => "plane",
            Shape::Rectangle { .. } => "rectangle",
            Shape::Tube { .. } => "tube",
            Shape::Cone { .. } => "cone",
        }
    }
}

/// Whether a unit vector lies along one of the axes.
fn is_along_one(axis: DVec3) -> bool {
    axis.abs().max_element() == 1.0
}

/// A frame whose z lies along a unit vector; the axes themselves for z.
pub fn frame_along(axis: DVec3) -> DMat3 {
    let (x, y) = axis.any_orthonormal_pair();
    DMat3::from_cols(x, y, axis)
}

/// A clump written as its parts.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Clump;

    pub fn serialize<S: Serializer>(clump: &Arc<Clump>, to: S) -> Result<S::Ok, S::Error> {
        clump.parts().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Clump>, D::Error> {
        Clump::deserialize(from).map(Arc::new)
    }
}

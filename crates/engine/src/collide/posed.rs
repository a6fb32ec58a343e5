//! Shapes in their places: what the geometry of pairs reads of a body. Knows no motion, material or law.

use glam::{DMat3, DQuat, DVec3};

use crate::body::Body;
use crate::collide::solid::{self, Form};
use crate::shape::clump::ClumpPart;
use crate::shape::{Shape, frame_along};
use crate::wall::Wall;

/// Names a shape that is carried by a body, for as long as the run lasts: what seams and contacts are told apart by. Of two, seams
/// prefer the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId {
    /// The id of the body.
    pub body: u32,
    /// Which of the shapes that the body carries.
    pub number: u32,
}

impl ColliderId {
    /// The first shape of a body; most carry one.
    pub const fn first_of(body: u32) -> Self {
        ColliderId { body, number: 0 }
    }
}

/// A shape in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Posed {
    /// A ball.
    Sphere {
        /// m.
        centre: DVec3,
        /// m.
        radius: f64,
    },
    /// An ellipsoid or a box.
    Solid(solid::Posed),
    /// A plane, rectangle, tube or cone.
    Wall(Wall),
}

impl Posed {
    /// Puts a shape at a position (m), turned by a unit quaternion.
    pub fn new(shape: &Shape, position: DVec3, world_from_body: DQuat) -> Posed {
        if let Some(wall) = Wall::new(shape, position, world_from_body) {
            return Posed::Wall(wall);
        }
        match Form::of(shape) {
            Some(form) => {
                let turn = DMat3::from_quat(world_from_body);
                // A cylinder has a frame of its own, its axis along z.
                let world_from_body =
                    if let Shape::Cylinder { axis, .. } = shape { turn * frame_along(*axis) } else { turn };
                Posed::Solid(solid::Posed { form, position, world_from_body })
            }
            None => Posed::Sphere { centre: position, radius: shape.radius().unwrap_or(0.0) },
        }
    }

    /// A body where its description puts it; of a clump the sphere around it.
    pub fn of(body: &Body) -> Posed {
        match body.shape {
            Shape::Clump(_) => Posed::Sphere { centre: body.place(), radius: body.reach().unwrap_or(0.0) },
            ref shape => Posed::new(shape, body.position, body.orientation.normalize()),
        }
    }

    /// What can touch of a body where its description puts it: the parts of a clump.
    pub fn all_of(body: &Body) -> impl Iterator<Item = Posed> {
        let (at, turn) = (body.position, body.orientation.normalize());
        let parts = if let Shape::Clump(clump) = &body.shape { clump.parts() } else { &[] };
        let part = move |part: &ClumpPart| Posed::new(&part.shape, at + turn * part.at, turn * part.turn);
        parts.is_empty().then(|| Posed::of(body)).into_iter().chain(parts.iter().map(part))
    }

    /// The same at another place: of a pair in a periodic cell, b at its image.
    pub fn shifted(self, shift: DVec3) -> Posed {
        match self {
            Posed::Sphere { centre, radius } => Posed::Sphere { centre: centre + shift, radius },
            Posed::Solid(solid) => Posed::Solid(solid::Posed { position: solid.position + shift, ..solid }),
            Posed::Wall(wall) => Posed::Wall(wall.shifted(shift)),
        }
    }

    /// The body's centre (m), from which arms count; of a plane any point of it.
    pub fn centre(&self) -> DVec3 {
        match self {
            Posed::Sphere { centre, .. } => *centre,
            Posed::Solid(solid) => solid.position,
            Posed::Wall(wall) => wall.place(),
        }
    }

    /// Radius of the sphere around its centre that holds it (m); infinite for a wall.
    pub fn reach(&self) -> f64 {
        match self {
            Posed::Sphere { radius, .. } => *radius,
            Posed::Solid(solid) => solid.form.reach(),
            Posed::Wall(_) => f64::INFINITY,
        }
    }

    /// Whether the spheres around two are farther apart than this (m): then nothing of them touches.
    pub fn is_beyond(&self, other: &Posed, within: f64) -> bool {
        let near = self.reach() + other.reach() + within;
        self.centre().distance_squared(other.centre()) > near * near
    }

    /// The wall that it is, if it is one.
    pub fn wall(&self) -> Option<&Wall> {
        match self {
            Posed::Wall(wall) => Some(wall),
            _ => None,
        }
    }

    /// As pairs with an ellipsoid or a box take it; `None` for walls that no such pair is built with.
    pub(super) fn as_solid(&self) -> Option<solid::Posed> {
        match self {
            Posed::Sphere { centre, radius } => Some(solid::Posed::ball(*centre, *radius)),
            Posed::Solid(solid) => Some(*solid),
            Posed::Wall(wall) => wall.plane().map(|normal| solid::Posed::half_space(wall.place(), normal)),
        }
    }
}

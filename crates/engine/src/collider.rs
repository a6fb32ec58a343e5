//! Shapes that bodies carry, each with its place in its body's frame.
//!
//! A sphere around its body's centre needs no collider: its record says where it is. Everything else that can touch is one, and a body
//! may carry several: the four flat sides of a carriage, the balls of a clump. Any shape may be carried by any body; what a
//! method does not implement yet, it says when a world is made (`explicit/bounds.rs`).
//!
//! Does not do: where colliders are at a moment (`geometry.rs`), who touches whom (`collide`).

use glam::{DQuat, DVec3};

use crate::body::Motion;
use crate::collide::{ColliderId, Posed, solid};
use crate::frame::Pose;
use crate::shape::Shape;
use crate::shape::clump::ClumpPart;
use crate::wall::Wall;

/// A shape that a body carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// Its body, and which of the body's colliders it is.
    pub id: ColliderId,
    /// Its place in the body's frame.
    pub local: Pose,
    /// Its surface, with directions of unit length.
    pub shape: Shape,
    /// Whether it is a belt: its surface runs with the velocity of its body's record, and it stays where it is.
    pub belt: bool,
}

impl Collider {
    /// The one collider of a body of this shape.
    pub fn of_body(body: u32, shape: Shape, motion: &Motion) -> Collider {
        let belt = matches!(motion, Motion::Belt(_));
        Collider { id: ColliderId::first_of(body), local: Pose::IDENTITY, shape, belt }
    }

    /// All colliders of a body of this shape whose centre of mass is there in its frame (m): those of a clump are its parts.
    pub fn all_of(body: u32, shape: &Shape, centre: DVec3, motion: &Motion) -> Vec<Collider> {
        let whole = |shape: &Shape| Collider::of_body(body, shape.clone(), motion);
        let Shape::Clump(clump) = shape else {
            let local = Pose { position: DVec3::ZERO - centre, ..Pose::IDENTITY };
            return vec![Collider { local, ..whole(shape) }];
        };
        let part = |(number, part): (u32, &ClumpPart)| Collider {
            id: ColliderId { body, number },
            local: Pose { position: part.at - centre, orientation: part.turn },
            ..whole(&part.shape)
        };
        (0..).zip(clump.parts()).map(part).collect()
    }

    /// Its place and orientation, where its body is here.
    pub fn place(&self, body: &Pose) -> Pose {
        // Without arithmetic where there is nothing to add.
        if self.local == Pose::IDENTITY { *body } else { self.local.carried_by(body) }
    }

    /// In its place, where its body is here (m) and turned like this.
    pub fn posed(&self, position: DVec3, world_from_body: DQuat) -> Posed {
        let Pose { position, orientation } = self.place(&Pose { position, orientation: world_from_body });
        match Posed::new(&self.shape, position, orientation) {
            Posed::Wall(wall) => Posed::Wall(wall.running(self.belt)),
            posed => posed,
        }
    }
}

/// All colliders at one moment, by number.
#[derive(Clone, Debug, Default)]
pub struct Placed {
    posed: Vec<Posed>,
    /// `world_from_body` of their bodies.
    turned: Vec<DQuat>,
}

impl Placed {
    /// A collider in its place.
    #[inline(always)]
    pub fn posed(&self, collider: usize) -> &Posed {
        &self.posed[collider]
    }

    /// How the body of a collider is turned (`world_from_body`).
    #[inline(always)]
    pub fn turned(&self, collider: usize) -> DQuat {
        self.turned[collider]
    }

    /// A wall by its number. Panics if it is none.
    #[inline(always)]
    pub fn wall(&self, number: usize) -> &Wall {
        self.posed[number].wall().expect("wall k is collider k")
    }

    /// All of them, in their places.
    pub fn iter(&self) -> impl Iterator<Item = &Posed> {
        self.posed.iter()
    }

    /// The walls, in the order of their bodies.
    pub fn walls(&self) -> impl Iterator<Item = &Wall> + Clone {
        self.posed.iter().map_while(Posed::wall)
    }

    /// An ellipsoid or a box, if the collider is one.
    #[inline(always)]
    pub fn solid(&self, collider: usize) -> Option<&solid::Posed> {
        match &self.posed[collider] {
            Posed::Solid(solid) => Some(solid),
            _ => None,
        }
    }

    /// Adds a collider.
    pub(crate) fn push(&mut self, posed: Posed, turned: DQuat) {
        self.posed.push(posed);
        self.turned.push(turned);
    }

    /// Puts a collider elsewhere. Returns where it was.
    pub(crate) fn put(&mut self, collider: usize, posed: Posed, turned: DQuat) -> (Posed, DQuat) {
        let posed = std::mem::replace(&mut self.posed[collider], posed);
        (posed, std::mem::replace(&mut self.turned[collider], turned))
    }

    /// How many colliders there are.
    pub fn len(&self) -> usize {
        self.posed.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.posed.is_empty()
    }
}

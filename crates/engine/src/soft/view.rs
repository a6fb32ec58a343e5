//! What detection and evaluation read, by role: records of bodies, posed colliders, the laws, the step.

use glam::DQuat;

use super::lists::{Candidate, Class};
use crate::broad::Shifts;
use crate::collide::general::End;
use crate::collider::Placed;
use crate::contact::Side;
use crate::flow::PairFlow;
use crate::geometry::Geometry;
use crate::law::Normal;
use crate::model::{LawTable, Special};
use crate::state::{Bodies, Mover};

/// Records of bodies.
#[derive(Clone, Copy)]
pub struct Records<'a> {
    /// What contacts read of each.
    pub movers: &'a [Mover],
    /// How they are turned.
    pub orientations: &'a [DQuat],
    /// What is special about some.
    pub(crate) specials: &'a [Special],
    /// Where the walls begin.
    pub first_wall: usize,
    /// Their materials, by id.
    pub material_of: &'a [u16],
}

impl<'a> Records<'a> {
    /// All bodies.
    pub fn of(bodies: &'a Bodies) -> Self {
        let Bodies { movers, orientations, specials, first_wall, material_of, .. } = bodies;
        Records { movers, orientations, specials, first_wall: *first_wall, material_of }
    }
}

/// Colliders in their places, and the images of the cell.
#[derive(Clone, Copy)]
pub struct Colliders<'a> {
    /// Now.
    pub now: &'a Placed,
    /// At the start of the step.
    pub before: &'a Placed,
    /// The shift of each image of b (m); none without a cell.
    pub shifts: &'a Shifts,
}

impl<'a> Colliders<'a> {
    /// In a step that began where they were before.
    pub(crate) fn of(geometry: &'a Geometry) -> Self {
        Colliders { now: geometry.now(), before: geometry.before(), shifts: &geometry.shifts }
    }

    /// As all stands, without a step.
    pub(crate) fn at_rest(geometry: &'a Geometry) -> Self {
        Colliders { before: geometry.now(), ..Colliders::of(geometry) }
    }
}

/// What is asked of an evaluation besides loads.
#[derive(Clone, Copy)]
pub struct Asked {
    /// Rows for the contacts record.
    pub rows: bool,
    /// The sum of branch (x) force.
    pub virial: bool,
}

/// What a pass over contacts reads.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Laws by materials.
    pub laws: &'a LawTable,
    /// Bodies.
    pub records: Records<'a>,
    /// What bodies carry.
    pub colliders: Colliders<'a>,
    /// Step by which memory grows (s).
    pub dt: f64,
    /// The affine flow of the cell, where it changes its shape.
    pub flow: Option<PairFlow>,
    /// What is asked for.
    pub asked: Asked,
}

impl<'a> View<'a> {
    /// The records of a pair.
    #[inline(always)]
    pub fn movers(&self, pair: &Candidate) -> [&'a Mover; 2] {
        [&self.records.movers[pair.a as usize], &self.records.movers[pair.b as usize]]
    }

    /// The normal law of a class of pairs, if it acts apart.
    #[inline(always)]
    pub fn acting_apart(&self, class: Class) -> Option<&'a Normal> {
        let laws = self.laws.get(class.material_a, class.material_b)?;
        laws.soft_normal().filter(|normal| normal.acts_apart())
    }

    /// The number of a wall, of its body's index.
    #[inline(always)]
    pub fn wall(&self, body: u32) -> usize {
        body as usize - self.records.first_wall
    }

    /// The two bodies of a pair with an ellipsoid or a box.
    pub fn ends(&self, pair: &Candidate, wall: Side) -> [End<'a>; 2] {
        let end = |index: u32, side: Side| {
            let (mover, Colliders { now, before, .. }) = (&self.records.movers[index as usize], self.colliders);
            if side == wall {
                let number = self.wall(index);
                return End::of_wall(mover, now.wall(number), before.wall(number));
            }
            let special = self.records.specials.get((mover.special as usize).wrapping_sub(1));
            let number = special.and_then(|special| special.colliders.first());
            match number.and_then(|number| Some((number, now.solid(number)?, before.solid(number)?))) {
                Some((number, posed, was)) => {
                    End::of_solid(mover, special, [posed, was], [now.turned(number), before.turned(number)])
                }
                None => End::of_ball(mover, special, self.dt),
            }
        };
        [end(pair.a, Side::A), end(pair.b, Side::B)]
    }
}

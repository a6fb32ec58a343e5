//! What detection and evaluation read, by role: records of bodies, posed walls and solids, the laws, the step.

use glam::DQuat;

use super::lists::Candidate;
use crate::broad::Shifts;
use crate::collide::general::{End, Solids};
use crate::contact::Side;
use crate::flow::PairFlow;
use crate::geometry::Geometry;
use crate::model::{LawTable, Special};
use crate::state::{Bodies, Mover};
use crate::wall::Wall;

/// Records of bodies.
#[derive(Clone, Copy)]
pub struct Records<'a> {
    /// What contacts read of each.
    pub movers: &'a [Mover],
    /// How they are turned.
    pub orientations: &'a [DQuat],
    /// Where the walls begin.
    pub first_wall: usize,
}

impl<'a> Records<'a> {
    /// All bodies.
    pub fn of(bodies: &'a Bodies) -> Self {
        Records { movers: &bodies.movers, orientations: &bodies.orientations, first_wall: bodies.first_wall }
    }
}

/// Walls, ellipsoids and boxes in their places, and the images of the cell.
#[derive(Clone, Copy)]
pub struct Colliders<'a> {
    /// The walls, in the order of their bodies.
    pub walls: &'a [Wall],
    /// The same at the start of the step.
    pub walls_before: &'a [Wall],
    /// Ellipsoids and boxes, which stand among the spheres.
    pub solids: Solids<'a>,
    /// The shift of each image of b (m); none without a cell.
    pub shifts: &'a Shifts,
}

impl<'a> Colliders<'a> {
    /// In a step that began where walls and solids were before.
    pub(crate) fn of(geometry: &'a Geometry, specials: &'a [Special]) -> Self {
        Colliders {
            walls: &geometry.walls,
            walls_before: &geometry.walls_before,
            solids: geometry.solids(specials),
            shifts: &geometry.shifts,
        }
    }

    /// As all stands, without a step.
    pub(crate) fn at_rest(geometry: &'a Geometry, specials: &'a [Special]) -> Self {
        let solids = geometry.solids_at_rest(specials);
        Colliders { walls_before: &geometry.walls, solids, ..Colliders::of(geometry, specials) }
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
    /// Walls and solids.
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

    /// The number of a wall, of its body's index.
    #[inline(always)]
    pub fn wall(&self, body: u32) -> usize {
        body as usize - self.records.first_wall
    }

    /// The two bodies of a pair with an ellipsoid or a box.
    pub fn ends(&self, pair: &Candidate, wall: Side) -> [End<'a>; 2] {
        let end = |index: u32, side: Side| {
            let mover = &self.records.movers[index as usize];
            if side != wall {
                return self.colliders.solids.end(mover, self.dt);
            }
            let number = self.wall(index);
            End::of_wall(mover, &self.colliders.walls[number], &self.colliders.walls_before[number])
        };
        [end(pair.a, Side::A), end(pair.b, Side::B)]
    }
}

//! What can be read off a world: contacts and bodies as rows of the records, and what follows from these.
//!
//! The measurements are pure functions of slices, one file each: `repose` (angle of a heap), `drum` (angle in a drum),
//! `discharge` (rates), `packing` with `region` (coordination, volume fraction), `profile` and `stress` (layers, grids,
//! periodic cells), `forces` (distribution of contact forces), `fabric` (directions of contacts), `pair_distribution`
//! (distances between grains), `walls` (loads on walls); `fit` and `surface` serve them. They read no files and change no
//! world. `stickslip measure` calls them.

pub mod discharge;
pub mod drum;
pub mod fabric;
pub mod fit;
pub mod forces;
pub mod joints;
pub mod packing;
pub mod pair_distribution;
pub mod profile;
pub mod region;
pub mod repose;
pub mod solver;
pub mod stress;
pub mod surface;
pub mod walls;

use glam::{DQuat, DVec3};

use crate::contact::{Block, Lanes, Mode, Side};
use crate::law::ModeBits;
use crate::shape::Shape;
use crate::state::Mover;

/// One contact: loads are those on a, the body with the lower id; the normal points from b to a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// Lower id.
    pub a: u32,
    /// Higher id.
    pub b: u32,
    /// Which of several contacts of the two: the number of the corner, where a box lies on a plane; 0 for two spheres. Of clumps it names
    /// the parts, too (`contact::parts_of`).
    pub feature: u32,
    /// Contact point (m), midway in the overlap.
    pub point: DVec3,
    /// From b to a.
    pub normal: DVec3,
    /// m.
    pub overlap: f64,
    /// Force on a along the normal (N).
    pub normal_force: f64,
    /// Sliding friction on a (N).
    pub slide: DVec3,
    /// Rolling torque on a (N m).
    pub roll_a: DVec3,
    /// Rolling torque on b (N m).
    pub roll_b: DVec3,
    /// Spinning torque on a about the normal (N m).
    pub spin: f64,
    /// Slide, roll, spin; roll slips where that of either body does.
    pub mode: [Mode; 3],
    /// Roll of a and of b, which differ under a law that keeps them apart (`tracked` in the form of the paper).
    pub roll_modes: [Mode; 2],
}

/// The row of one lane.
pub(crate) fn contact_row(
    block: &Block,
    lane: usize,
    [a, b]: [&Mover; 2],
    (wall, feature): (Side, u8),
    modes: &ModeBits,
    memory: &[Lanes],
) -> ContactRow {
    let normal = block.normal.get(lane);
    // From the sphere: a wall's own position may be far away.
    let point = if block.solid {
        let mover = if wall == Side::A { b } else { a };
        let arm = if wall == Side::A { block.arm_b.get(lane) } else { block.arm_a.get(lane) };
        mover.position + arm - normal * block.lever_a.0[lane]
    } else if wall == Side::A {
        b.position + normal * block.lever_b.0[lane]
    } else {
        a.position - normal * block.lever_a.0[lane]
    };
    let bits = memory[0].0[lane].to_bits();
    let (mode, roll_modes) = (modes.modes(bits), modes.roll_modes(bits));
    ContactRow {
        a: a.id,
        b: b.id,
        feature: u32::from(feature),
        point,
        normal,
        overlap: block.overlap.0[lane],
        normal_force: block.normal_force.0[lane],
        slide: block.slide_force.get(lane),
        roll_a: block.roll_a.get(lane),
        roll_b: block.roll_b.get(lane),
        spin: block.spin.0[lane],
        mode,
        roll_modes,
    }
}

/// One body, world axes, full-step velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyView {
    /// Place in the scene, from 0.
    pub id: u32,
    /// m.
    pub position: DVec3,
    /// `world_from_body`.
    pub orientation: DQuat,
    /// m/s.
    pub velocity: DVec3,
    /// rad/s.
    pub angular_velocity: DVec3,
    /// Sum of contact forces (N), without gravity.
    pub force: DVec3,
    /// Sum of contact torques (N m) about the body's position.
    pub torque: DVec3,
    /// m; of an ellipsoid or a box that of the sphere around it; zero for a wall.
    pub radius: f64,
    /// How far it reaches along its own axes (m): the radius of a sphere, three times; zero for a wall.
    pub half_size: DVec3,
}

/// One shape of a body in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct PartView {
    /// Its surface; never a clump.
    pub shape: Shape,
    /// m.
    pub position: DVec3,
    /// `world_from_shape`.
    pub orientation: DQuat,
}

/// A contact as the measurements need it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLoad {
    /// Lower id.
    pub a: u32,
    /// Higher id.
    pub b: u32,
    /// Contact point (m).
    pub point: DVec3,
    /// Force on a (N), along the normal and sliding friction together.
    pub force: DVec3,
    /// From b to a.
    pub normal: DVec3,
    /// Force on a along the normal (N).
    pub normal_force: f64,
    /// Whether it sticks or slides.
    pub slide: Mode,
}

impl ContactLoad {
    /// A contact with this force on a, which pushes along its own direction and sticks.
    #[cfg(test)]
    pub(crate) fn pushing(a: u32, b: u32, point: DVec3, force: DVec3) -> Self {
        let (normal, normal_force) = (force.normalize_or_zero(), force.length());
        ContactLoad { a, b, point, force, normal, normal_force, slide: Mode::Stick }
    }
}

impl From<&ContactRow> for ContactLoad {
    fn from(row: &ContactRow) -> Self {
        let force = row.normal * row.normal_force + row.slide;
        let (normal, normal_force, slide) = (row.normal, row.normal_force, row.mode[0]);
        ContactLoad { a: row.a, b: row.b, point: row.point, force, normal, normal_force, slide }
    }
}

/// There is not enough of something to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too few {what}: {found}, at least {needed} are needed")]
pub struct TooFew {
    /// Of what.
    pub what: &'static str,
    /// How many there are.
    pub found: usize,
    /// How many there should be.
    pub needed: usize,
}

impl TooFew {
    fn check(what: &'static str, found: usize, needed: usize) -> Result<(), TooFew> {
        if found < needed { Err(TooFew { what, found, needed }) } else { Ok(()) }
    }
}

//! What a checkpoint holds: bodies in their order in space, contacts with their memory, the clock, the ledger's sums.
//!
//! Bodies stand in chunks of 256 to 1024 in the order of a space-filling curve; walls stand last. What the contact loop reads
//! of a body is one packed record of two cache lines, so that a contact fetches two lines a body and not one per column.

mod contacts;
mod order;

use glam::{DQuat, DVec3, IVec3};

use crate::cell::CellState;
use crate::clock::Clock;
use crate::frame::Pose;
use crate::inflow::Traffic;
use crate::joint::{Joint, JointState, Place};
use crate::ledger::Sums;
use crate::model::{Model, Special};

pub use contacts::{BlockHead, Contacts, Slot, Slots};

/// Bodies in a chunk, the unit of parallel work, when there are so many bodies. Large chunks share fewer contacts, small
/// ones keep all threads busy. Never by the number of threads, so that sums do not depend on it.
pub fn chunk_size(bodies: usize) -> usize {
    (bodies / 64).next_power_of_two().clamp(256, 1024)
}

/// What contacts read of a body, and what the integrator moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(128))]
pub struct Mover {
    /// Centre (m).
    pub position: DVec3,
    /// Radius (m); zero for a wall.
    pub radius: f64,
    /// Velocity (m/s): at the half step while loads are evaluated by velocity Verlet, else at the full step.
    pub velocity: DVec3,
    /// 1/m for contacts (1/kg); zero for what loads do not move: fixed and prescribed bodies, belts, servos.
    pub inverse_mass: f64,
    /// Angular velocity (rad/s), world axes.
    pub angular_velocity: DVec3,
    /// 1/I (1/(kg m^2)); of the mean moment where moments differ.
    pub inverse_inertia: f64,
    /// What brings the velocity from the half step to the full step, for the ledger: the half kick of the step before.
    /// Single precision: it is a correction of first order in dt, so its rounding is far below the scheme's error.
    pub velocity_ahead: [f32; 3],
    /// Place in the scene, from 0.
    pub id: u32,
    /// What `velocity_ahead` is, for the angular velocity.
    pub angular_velocity_ahead: [f32; 3],
    /// 0 for a free sphere with equal moments of inertia; else 1 + the index of its `Special`.
    pub special: u32,
}

/// A force and a torque.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Load {
    /// N.
    pub force: DVec3,
    /// Zero: makes the force as wide as a vector register.
    beside_force: f64,
    /// N m, about the body's centre, world axes.
    pub torque: DVec3,
    /// Zero.
    beside_torque: f64,
}

impl Load {
    /// A load.
    #[inline(always)]
    pub fn new(force: DVec3, torque: DVec3) -> Self {
        Load { force, beside_force: 0.0, torque, beside_torque: 0.0 }
    }

    /// A load from two quads whose fourth numbers are zero.
    #[inline(always)]
    pub fn from_quads([x, y, z, beside_force]: [f64; 4], [u, v, w, beside_torque]: [f64; 4]) -> Self {
        Load { force: DVec3::new(x, y, z), beside_force, torque: DVec3::new(u, v, w), beside_torque }
    }

    /// Adds another load.
    #[inline(always)]
    pub fn add(&mut self, other: &Load) {
        self.force += other.force;
        self.beside_force += other.beside_force;
        self.torque += other.torque;
        self.beside_torque += other.beside_torque;
    }
}

/// In place of the index of a body that has left.
pub const GONE: u32 = u32::MAX;

/// All bodies, by index: their place in the order of space. `index_of` goes from ids to indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// Spheres first, walls last.
    pub movers: Vec<Mover>,
    /// Sums of contact loads at the last evaluation.
    pub loads: Vec<Load>,
    /// `world_from_body`.
    pub orientations: Vec<DQuat>,
    /// Where each body was when neighbours were last looked for.
    pub built_at: Vec<DVec3>,
    /// How the walls were turned then, in their order.
    pub walls_built_at: Vec<DQuat>,
    /// How often each cell vector must be added to a body's place for the place it has come to without being put back into
    /// the cell. Empty without a cell.
    pub images: Vec<IVec3>,
    /// Index by id; `GONE` for a body that has left. Ids count up and are never used again.
    pub index_of: Vec<u32>,
    /// Material by id, also of a body that has left: an index into `Model::materials`.
    pub material_of: Vec<u16>,
    /// What is special about a few, which does not change: see `Mover::special`.
    pub(crate) specials: Vec<Special>,
    /// Where the walls begin: the number of bodies that are none.
    pub first_wall: usize,
    /// Bodies in a chunk.
    pub chunk: usize,
}

impl Bodies {
    /// What is special about a body, if anything is.
    #[inline(always)]
    pub(crate) fn special(&self, mover: &Mover) -> Option<&Special> {
        self.specials.get((mover.special as usize).wrapping_sub(1))
    }

    /// `world_from_body` of a body, by index. Who reads single orientations asks here; passes over bodies and contacts read slices.
    #[inline(always)]
    pub fn orientation(&self, index: usize) -> DQuat {
        self.orientations[index]
    }

    /// The bodies that are no walls.
    pub fn grains(&self) -> &[Mover] {
        &self.movers[..self.first_wall]
    }

    /// Where a body stands, by id; the ground for none. `None` for a body that has left.
    pub fn pose_of(&self, id: Option<u32>) -> Option<Pose> {
        let Some(id) = id else { return Some(Pose::IDENTITY) };
        let index = self.index_of.get(id as usize).filter(|&&index| index != GONE)?;
        let index = *index as usize;
        Some(Pose { position: self.movers[index].position, orientation: self.orientations[index] })
    }

    /// Where a joint is; `None` where one of its bodies has left.
    pub fn place_of(&self, joint: &Joint) -> Option<Place> {
        Some(joint.frames.placed([self.pose_of(Some(joint.a))?, self.pose_of(joint.b)?]))
    }

    /// How often each cell vector must be added to the place of a body; see `images`.
    pub fn image_of(&self, index: usize) -> IVec3 {
        self.images.get(index).copied().unwrap_or_default()
    }
}

/// Everything that changes in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Steps done.
    pub step: u64,
    /// What time it is.
    pub clock: Clock,
    /// Bodies.
    pub bodies: Bodies,
    /// Contacts and their memory.
    pub contacts: Contacts,
    /// Joints, as many as the model has.
    pub joints: Vec<JointState>,
    /// What the ledger has booked.
    pub sums: Sums,
    /// What has come and gone.
    pub traffic: Traffic,
    /// The cell, if there is one.
    pub cell: Option<CellState>,
}

impl State {
    /// The run's clock, and how many steps have been taken.
    pub fn now(&self) -> (Clock, u64) {
        (self.clock, self.step)
    }

    /// Simulated time (s).
    pub fn time(&self, model: &Model) -> f64 {
        self.clock.time_at(self.step, model.dt)
    }

    /// How many contacts touch.
    pub fn contact_count(&self) -> usize {
        self.contacts.count()
    }

    /// The image of a place in the cell (m): bodies may have left it a little since neighbour lists were made. The place
    /// itself without a cell.
    pub fn place_in_cell(&self, place: DVec3) -> DVec3 {
        self.cell.as_ref().map_or(place, |cell| place + cell.frame.shift(cell.frame.into_cell(place)))
    }
}

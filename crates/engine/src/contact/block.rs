//! 32 contacts side by side, one number of each in a row: the form in which laws run over them. Holds numbers and computes
//! none; `law/kernel.rs` does.

use glam::{DQuat, DVec3};

use super::{Contact, Curvature, Turn};
use crate::flow::PairFlow;

/// How many contacts a law works on at a time: few enough for the first-level cache. (16 measured the same.)
pub const LANES: usize = 32;

/// One number of each of 32 contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// All zero.
    pub const ZERO: Lanes = Lanes([0.0; LANES]);
}

/// A vector of each of 32 contacts.
#[derive(Clone, Copy, Debug)]
pub struct Lanes3 {
    x: Lanes,
    y: Lanes,
    z: Lanes,
}

impl Lanes3 {
    const ZERO: Lanes3 = Lanes3 { x: Lanes::ZERO, y: Lanes::ZERO, z: Lanes::ZERO };

    /// The vector of one contact.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> DVec3 {
        DVec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    /// Sets the vector of one contact.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, v: DVec3) {
        self.x.0[lane] = v.x;
        self.y.0[lane] = v.y;
        self.z.0[lane] = v.z;
    }
}

/// Four numbers of each of 32 contacts, side by side for each contact: the form in which bodies are read and loads are
/// added, a vector register at a time. The kernel turns it into lanes and back.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Quads(pub [[f64; 4]; LANES]);

impl Quads {
    const ZERO: Quads = Quads([[0.0; 4]; LANES]);

    /// The first three numbers of one contact.
    #[inline(always)]
    pub fn vector(&self, lane: usize) -> DVec3 {
        let [x, y, z, _] = self.0[lane];
        DVec3::new(x, y, z)
    }

    /// The fourth.
    #[inline(always)]
    pub fn scalar(&self, lane: usize) -> f64 {
        self.0[lane][3]
    }

    /// Sets all four.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, v: DVec3, s: f64) {
        self.0[lane] = [v.x, v.y, v.z, s];
    }
}

/// What laws that track points want of 32 contacts besides; gathered for them alone, so that others pay nothing.
#[derive(Clone, Debug)]
pub struct Surfaces {
    /// See `Contact`.
    pub point_a: Lanes3,
    /// See `Contact`.
    pub point_b: Lanes3,
    /// See `Contact`.
    pub orientation_a: [DQuat; LANES],
    /// See `Contact`.
    pub orientation_b: [DQuat; LANES],
    /// See `Contact`.
    pub curvature_a: [Curvature; LANES],
    /// See `Contact`.
    pub curvature_b: [Curvature; LANES],
}

impl Surfaces {
    const NONE: Surfaces = Surfaces {
        point_a: Lanes3::ZERO,
        point_b: Lanes3::ZERO,
        orientation_a: [DQuat::IDENTITY; LANES],
        orientation_b: [DQuat::IDENTITY; LANES],
        curvature_a: [Curvature { most: 0.0, least: 0.0, along: DVec3::ZERO }; LANES],
        curvature_b: [Curvature { most: 0.0, least: 0.0, along: DVec3::ZERO }; LANES],
    };
}

/// 32 contacts while they are worked on: what came from the bodies, then what the laws answer. Fits the first-level
/// cache; lives on the stack of the thread that fills it.
#[derive(Clone, Debug)]
pub struct Block {
    /// Step by which memory grows.
    pub dt: f64,
    /// The affine flow of the cell, where it changes its shape.
    pub flow: Option<PairFlow>,
    /// x_a - x_b (m) with b at its image, and the reach of a. At a wall: the sphere's distance along the normal, seen from
    /// b; the wall's reach is minus the sphere's radius. This and what follows is gathered of the bodies.
    pub between: Quads,
    /// v_a - v_b (m/s), and the reach of b.
    pub moving: Quads,
    /// Angular velocity of a, and 1/I_a.
    pub turning_a: Quads,
    /// The same of b.
    pub turning_b: Quads,
    /// What brings v_a - v_b to the full step, for the ledger: see `Mover`. The fourth number is not read.
    pub moving_ahead: Quads,
    /// Angular velocity of a at the full step, for the ledger. The fourth number is not read.
    pub full_turning_a: Quads,
    /// The same of b.
    pub full_turning_b: Quads,
    /// See `Contact`. Gathered.
    pub inverse_mass_a: Lanes,
    /// See `Contact`. Gathered.
    pub inverse_mass_b: Lanes,
    /// See `Contact`. This and what follows is computed by `kernel::geometry`.
    pub velocity: Lanes3,
    /// See `Contact`.
    pub angular_velocity_a: Lanes3,
    /// See `Contact`.
    pub angular_velocity_b: Lanes3,
    /// See `Contact`.
    pub reach_a: Lanes,
    /// See `Contact`.
    pub reach_b: Lanes,
    /// See `Contact`.
    pub inverse_inertia_a: Lanes,
    /// See `Contact`.
    pub inverse_inertia_b: Lanes,
    /// One where the pair touches, else zero. Computed by `kernel::geometry`, as are those that follow.
    pub touches: Lanes,
    /// Computed by `kernel::geometry`.
    pub normal: Lanes3,
    /// Computed by `kernel::geometry`.
    pub inverse_distance: Lanes,
    /// Gathered at a wall, computed by `kernel::geometry` otherwise.
    pub normal_before: Lanes3,
    /// Computed by `kernel::geometry`.
    pub normal_mid: Lanes3,
    /// Computed by `kernel::geometry`; see `Turn`.
    pub turn_from_before: Lanes3,
    /// Computed by `kernel::geometry`; see `Turn`.
    pub turn_from_mid: Lanes3,
    /// Computed by `kernel::geometry`; see `Turn`.
    pub turn_cosine: Lanes,
    /// Computed by `kernel::geometry`; see `Turn`.
    pub turn_sine: Lanes,
    /// Computed by `kernel::geometry`; see `Turn`.
    pub turn_half_cosine: Lanes,
    /// Computed by `kernel::geometry`; see `Turn`.
    pub turn_half_sine: Lanes,
    /// Computed by `kernel::geometry`: see `Contact`.
    pub separation_rate: Lanes,
    /// Computed by `kernel::geometry`.
    pub overlap: Lanes,
    /// Computed by `kernel::geometry`.
    pub lever_a: Lanes,
    /// Computed by `kernel::geometry`.
    pub lever_b: Lanes,
    /// Computed by `kernel::geometry`.
    pub radius_eff: Lanes,
    /// Computed by `kernel::geometry`.
    pub mass_eff: Lanes,
    /// From a's position to its virtual centre (m), where a or b is an ellipsoid or a box (`collide/general.rs`); else not read.
    /// Gathered.
    pub arm_a: Lanes3,
    /// The same of b.
    pub arm_b: Lanes3,
    /// Whether these are pairs with an ellipsoid or a box.
    pub solid: bool,
    /// See `Contact`; gathered where a or b is an ellipsoid or a box, else not read.
    pub normal_mass: Lanes,
    /// Normal force on a along n, by the normal law. May be negative.
    pub normal_force: Lanes,
    /// See `Contact`; by the normal law.
    pub normal_load: Lanes,
    /// See `Contact`; by the normal law, where a law of friction reads it.
    pub patch: Lanes,
    /// See `Resistance`.
    pub slide_force: Lanes3,
    /// See `Resistance`.
    pub slide_lever_a: Lanes,
    /// See `Resistance`.
    pub slide_lever_b: Lanes,
    /// See `Resistance`.
    pub roll_a: Lanes3,
    /// See `Resistance`.
    pub roll_b: Lanes3,
    /// See `Resistance`.
    pub spin: Lanes,
    /// Force on a, all motions together.
    pub force: Quads,
    /// Torque on a.
    pub torque_a: Quads,
    /// Torque on b.
    pub torque_b: Quads,
    /// One bit per lane, set where the pair may touch; after `kernel::geometry` and the normal law, where the contact is live.
    pub live: u32,
    /// One bit per lane, set where the contact was live in the step before. Laws that act apart read it.
    pub was_live: u32,
    /// Sums over the blocks of a chunk, by lane: power of normal, slide, roll and spin loads on the two bodies, with
    /// full-step velocities; then the size of the normal force.
    pub sums: [Lanes; 5],
    /// What laws that track points want besides. Gathered where they ask for it.
    pub surfaces: Surfaces,
}

impl Block {
    /// A block of nothing.
    pub const EMPTY: Block = Block {
        dt: 0.0,
        flow: None,
        between: Quads::ZERO,
        moving: Quads::ZERO,
        turning_a: Quads::ZERO,
        turning_b: Quads::ZERO,
        moving_ahead: Quads::ZERO,
        full_turning_a: Quads::ZERO,
        full_turning_b: Quads::ZERO,
        inverse_mass_a: Lanes::ZERO,
        inverse_mass_b: Lanes::ZERO,
        velocity: Lanes3::ZERO,
        angular_velocity_a: Lanes3::ZERO,
        angular_velocity_b: Lanes3::ZERO,
        reach_a: Lanes::ZERO,
        reach_b: Lanes::ZERO,
        inverse_inertia_a: Lanes::ZERO,
        inverse_inertia_b: Lanes::ZERO,
        touches: Lanes::ZERO,
        normal: Lanes3::ZERO,
        inverse_distance: Lanes::ZERO,
        normal_before: Lanes3::ZERO,
        normal_mid: Lanes3::ZERO,
        turn_from_before: Lanes3::ZERO,
        turn_from_mid: Lanes3::ZERO,
        turn_cosine: Lanes::ZERO,
        turn_sine: Lanes::ZERO,
        turn_half_cosine: Lanes::ZERO,
        turn_half_sine: Lanes::ZERO,
        separation_rate: Lanes::ZERO,
        overlap: Lanes::ZERO,
        lever_a: Lanes::ZERO,
        lever_b: Lanes::ZERO,
        radius_eff: Lanes::ZERO,
        mass_eff: Lanes::ZERO,
        arm_a: Lanes3::ZERO,
        arm_b: Lanes3::ZERO,
        solid: false,
        normal_mass: Lanes::ZERO,
        normal_force: Lanes::ZERO,
        normal_load: Lanes::ZERO,
        patch: Lanes::ZERO,
        slide_force: Lanes3::ZERO,
        slide_lever_a: Lanes::ZERO,
        slide_lever_b: Lanes::ZERO,
        roll_a: Lanes3::ZERO,
        roll_b: Lanes3::ZERO,
        spin: Lanes::ZERO,
        force: Quads::ZERO,
        torque_a: Quads::ZERO,
        torque_b: Quads::ZERO,
        live: 0,
        was_live: 0,
        sums: [Lanes::ZERO; 5],
        surfaces: Surfaces::NONE,
    };

    /// One contact of the block as a law sees it.
    #[inline(always)]
    pub fn contact(&self, lane: usize) -> Contact {
        Contact {
            normal: self.normal.get(lane),
            normal_before: self.normal_before.get(lane),
            normal_mid: self.normal_mid.get(lane),
            turn: Turn {
                from_before: self.turn_from_before.get(lane),
                from_mid: self.turn_from_mid.get(lane),
                cosine: self.turn_cosine.0[lane],
                sine: self.turn_sine.0[lane],
                half_cosine: self.turn_half_cosine.0[lane],
                half_sine: self.turn_half_sine.0[lane],
            },
            separation_rate: self.separation_rate.0[lane],
            overlap: self.overlap.0[lane],
            velocity: self.velocity.get(lane),
            angular_velocity_a: self.angular_velocity_a.get(lane),
            angular_velocity_b: self.angular_velocity_b.get(lane),
            lever_a: self.lever_a.0[lane],
            lever_b: self.lever_b.0[lane],
            reach_a: self.reach_a.0[lane],
            reach_b: self.reach_b.0[lane],
            radius_eff: self.radius_eff.0[lane],
            mass_eff: self.mass_eff.0[lane],
            inverse_mass_a: self.inverse_mass_a.0[lane],
            inverse_mass_b: self.inverse_mass_b.0[lane],
            inverse_inertia_a: self.inverse_inertia_a.0[lane],
            inverse_inertia_b: self.inverse_inertia_b.0[lane],
            normal_mass: self.mass_eff.0[lane],
            normal_force: self.normal_force.0[lane],
            normal_load: self.normal_load.0[lane],
            patch: self.patch.0[lane],
            dt: self.dt,
            point_a: self.surfaces.point_a.get(lane),
            point_b: self.surfaces.point_b.get(lane),
            orientation_a: self.surfaces.orientation_a[lane],
            orientation_b: self.surfaces.orientation_b[lane],
            curvature_a: self.surfaces.curvature_a[lane],
            curvature_b: self.surfaces.curvature_b[lane],
        }
    }
}

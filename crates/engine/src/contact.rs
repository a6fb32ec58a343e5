//! One contact as a law sees it, and blocks of 32 of them.
//!
//! Signs (THEORY.md section 2). `a` is the body with the lower id; the normal n points from b to a:
//!
//! ```text
//!            n                 overlap      d  = R_a + R_b - |x_a - x_b|      (positive: touching)
//!            ^                 contact point p  = x_a - lever_a n = x_b + lever_b n,  midway in the overlap
//!        .---|---.             separation   v_n = (v_a - v_b) . n
//!       (    a    )            slip         v_s = tangential part of (v_a - v_b) - (lever_a w_a + lever_b w_b) x n
//!        '---p---'             rolling      v_r = R_eff (w_a - w_b) x n
//!       (    b    )            spin         w_t = (w_a - w_b) . n
//!        '-------'             loads are those on a; b gets the opposite force
//! ```
//!
//! A wall has no centre to speak of: its velocity is taken at the centre of the sphere, and its lever is minus the
//! sphere's, so that the lines above hold unchanged. `R_eff` is then the sphere's radius and the wall's mass infinite.
//! Where a or b is an ellipsoid or a box, both velocities are taken at one point above the contact point, R_eff - d/2 along n,
//! and the levers are as at a wall.

use glam::{DQuat, DVec3};

use crate::flow::PairFlow;

/// How many contacts a law works on at a time: few enough for the first-level cache. (16 measured the same.)
pub const LANES: usize = 32;

/// What a law may know about one contact. Lengths in m, rates per s, world axes.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Unit vector from b to a, at the end of the step.
    pub normal: DVec3,
    /// The normal at the start of the step, whether the bodies touched then or not.
    pub normal_before: DVec3,
    /// Unit vector halfway between the two: where the velocities of a step belong.
    pub normal_mid: DVec3,
    /// How tangent vectors get from `normal_before`, and rates from `normal_mid`, to `normal`.
    pub turn: Turn,
    /// Overlap (m), positive.
    pub overlap: f64,
    /// Rate at which the bodies part (m/s), minus the rate of the overlap: along the mid-step normal, or as LAMMPS has it
    /// (`PairLaws::rates_at_end`) along the normal at the step's end.
    pub separation_rate: f64,
    /// Velocity of a's centre relative to b's (m/s), the image's included.
    pub velocity: DVec3,
    /// Angular velocity of a (rad/s).
    pub angular_velocity_a: DVec3,
    /// Angular velocity of b (rad/s).
    pub angular_velocity_b: DVec3,
    /// Distance from a's centre to the contact point, R_a - d/2.
    pub lever_a: f64,
    /// Distance from b's centre to the contact point; minus `lever_a` for a wall.
    pub lever_b: f64,
    /// Radius of a; minus `reach_b` for a wall.
    pub reach_a: f64,
    /// Radius of b; minus `reach_a` for a wall.
    pub reach_b: f64,
    /// R_a R_b/(R_a + R_b).
    pub radius_eff: f64,
    /// m_a m_b/(m_a + m_b).
    pub mass_eff: f64,
    /// 1/m_a, zero for a body that loads do not move.
    pub inverse_mass_a: f64,
    /// 1/m_b.
    pub inverse_mass_b: f64,
    /// 1/I_a.
    pub inverse_inertia_a: f64,
    /// 1/I_b.
    pub inverse_inertia_b: f64,
    /// Mass that the dashpot of a normal law counts with: `mass_eff`, but where a or b is a box that of the motion along
    /// the normal (`collide/normal_mass.rs`).
    pub normal_mass: f64,
    /// Normal force on a along n (N), negative where the contact pulls; set by the normal law before friction is evaluated.
    pub normal_force: f64,
    /// Normal load N (N): the normal force where it presses, zero where it pulls. Limits of friction are in proportion to it.
    pub normal_load: f64,
    /// Step (s) by which memory grows; zero at the very first evaluation.
    pub dt: f64,
    /// From a's position to the contact point (m). This and what follows is zero unless the laws of the pair ask for it
    /// (`PairLaws::asks_for_surfaces`); orientations are then the identity.
    pub point_a: DVec3,
    /// From b's position, at its image, to the contact point (m).
    pub point_b: DVec3,
    /// `world_from_body` of a.
    pub orientation_a: DQuat,
    /// `world_from_body` of b.
    pub orientation_b: DQuat,
    /// Of a's surface at the contact.
    pub curvature_a: Curvature,
    /// Of b's surface at the contact.
    pub curvature_b: Curvature,
}

/// The load N of a normal force: what presses. A force that pulls bears no friction.
#[inline(always)]
pub fn pressing(normal_force: f64) -> f64 {
    // Not `max`, which looks for numbers that are none first.
    if normal_force > 0.0 { normal_force } else { 0.0 }
}

/// Principal curvatures of a surface at a point (1/m), positive where it is convex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Curvature {
    /// The larger one.
    pub most: f64,
    /// The smaller one.
    pub least: f64,
    /// Unit tangent along which the curvature is `most`, world axes. Not looked at where both are equal.
    pub along: DVec3,
}

impl Curvature {
    /// The same in every direction: 1/R of a sphere, zero of a plane.
    #[inline(always)]
    pub fn round(curvature: f64) -> Self {
        Curvature { most: curvature, least: curvature, along: DVec3::ZERO }
    }

    /// Half the sum of the two.
    #[inline(always)]
    pub fn mean(&self) -> f64 {
        0.5 * (self.most + self.least)
    }

    /// Of the normal section along a unit tangent (Euler's formula); the mean for the zero vector.
    #[inline(always)]
    pub fn section(&self, tangent: DVec3) -> f64 {
        let part = tangent.dot(self.along);
        let along = self.least + (self.most - self.least) * part * part;
        if tangent == DVec3::ZERO { self.mean() } else { along }
    }
}

impl Contact {
    /// Slip velocity with a given normal and levers; it lies in the tangent plane of that normal.
    #[inline(always)]
    pub fn slip_at(&self, normal: DVec3, lever_a: f64, lever_b: f64) -> DVec3 {
        let turning = self.angular_velocity_a * lever_a + self.angular_velocity_b * lever_b;
        self.velocity - normal * self.velocity.dot(normal) - turning.cross(normal)
    }

    /// Slip velocity at the middle of the step, carried to the normal at its end.
    #[inline(always)]
    pub fn slip(&self, lever_a: f64, lever_b: f64) -> DVec3 {
        self.at_end(self.slip_at(self.normal_mid, lever_a, lever_b))
    }

    /// Tangential part of the relative angular velocity at the middle of the step, carried to its end.
    #[inline(always)]
    pub fn roll_rate(&self) -> DVec3 {
        let relative = self.angular_velocity_a - self.angular_velocity_b;
        let tangential = relative - self.normal_mid * relative.dot(self.normal_mid);
        self.at_end(tangential)
    }

    /// Relative angular velocity about the normal in the middle of the step.
    #[inline(always)]
    pub fn spin_rate(&self) -> f64 {
        (self.angular_velocity_a - self.angular_velocity_b).dot(self.normal_mid)
    }

    /// A rate at mid-step, turned as the pair turns in the second half of the step.
    #[inline(always)]
    pub(crate) fn at_end(&self, tangent: DVec3) -> DVec3 {
        let carried = tangent - self.turn.from_mid * tangent.dot(self.normal);
        carried * self.turn.half_cosine + self.normal.cross(carried) * self.turn.half_sine
    }

    /// A tangent vector of the step before, turned as the pair has turned: with its normal, and with its mean spin.
    #[inline(always)]
    pub fn transport(&self, tangent: DVec3) -> DVec3 {
        let carried = tangent - self.turn.from_before * tangent.dot(self.normal);
        carried * self.turn.cosine + self.normal.cross(carried) * self.turn.sine
    }

    /// Radius sqrt(R_eff d) of the area in which elastic spheres touch (m), by Hertz.
    #[inline(always)]
    pub fn hertz_radius(&self) -> f64 {
        (self.radius_eff * self.overlap).sqrt()
    }

    /// Whether one side is a wall, which counts as flat, or an ellipsoid or a box.
    #[inline(always)]
    pub fn with_wall(&self) -> bool {
        self.reach_a * self.reach_b < 0.0
    }
}

/// How a pair turned in a step: what laws need to carry vectors along, worked out once for all of them.
///
/// The least rotation that takes the unit vector `from` to `to` takes a vector x tangent at `from` to
/// x - (from + to) (x . to)/(1 + from . to) (THEORY.md eq. 2.5); the memory also turns about the normal with the mean
/// spin of the pair (eq. 2.6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// (n0 + n1)/(1 + n0 . n1).
    pub from_before: DVec3,
    /// (m + n1)/(1 + m . n1), with the mid-step normal m.
    pub from_mid: DVec3,
    /// Cosine of the angle of mean spin.
    pub cosine: f64,
    /// Its sine.
    pub sine: f64,
    /// Cosine of half that angle.
    pub half_cosine: f64,
    /// Its sine.
    pub half_sine: f64,
}

impl Turn {
    /// The mid-step normal m, then (n0 + n1)/(1 + n0 . n1) and (m + n1)/(1 + m . n1).
    #[inline(always)]
    pub fn of_normals(before: DVec3, now: DVec3) -> (DVec3, DVec3, DVec3) {
        let sum = before + now;
        // With h = m . n1, the cosine of half the angle: 1 + n0 . n1 = 2 h^2 and |n0 + n1| = 2 h. One root and one division,
        // which gives 1/h and 1/(1 + h), do for all three.
        let h = (0.5 + 0.5 * before.dot(now)).sqrt();
        let inverse = 1.0 / (h * (1.0 + h));
        let half_inverse_h = 0.5 * (1.0 + h) * inverse;
        let mid = sum * half_inverse_h;
        (mid, sum * (2.0 * half_inverse_h * half_inverse_h), (mid + now) * (h * inverse))
    }

    /// Cosine and sine of half the angle by which the pair spins about the mid-step normal, from the sum of its two
    /// angular velocities.
    #[inline(always)]
    pub fn of_half_spin(mid: DVec3, angular_velocity_sum: DVec3, dt: f64) -> (f64, f64) {
        // The tangent p/q of a quarter of the angle by its Pade form, good to the last bit for any angle a step may have;
        // the rotation it gives keeps lengths for any angle at all. The mean spin is half the sum.
        let h = 0.125 * dt * angular_velocity_sum.dot(mid);
        let h2 = h * h;
        let p = h * (945.0 - h2 * (105.0 - h2));
        let q = 945.0 - h2 * (420.0 - 15.0 * h2);
        let scale = 1.0 / (q * q + p * p);
        ((q * q - p * p) * scale, 2.0 * p * q * scale)
    }

    /// Cosine and sine of twice an angle.
    #[inline(always)]
    pub fn twice(cosine: f64, sine: f64) -> (f64, f64) {
        (cosine * cosine - sine * sine, 2.0 * cosine * sine)
    }

    /// The mid-step normal and the turn, from the normals before and now and the sum of the two angular velocities.
    pub fn new(before: DVec3, now: DVec3, angular_velocity_sum: DVec3, dt: f64) -> (DVec3, Self) {
        let (mid, from_before, from_mid) = Turn::of_normals(before, now);
        let (half_cosine, half_sine) = Turn::of_half_spin(mid, angular_velocity_sum, dt);
        let (cosine, sine) = Turn::twice(half_cosine, half_sine);
        (mid, Turn { from_before, from_mid, cosine, sine, half_cosine, half_sine })
    }
}

/// What friction does in one contact: on a, and for rolling also on b.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Resistance {
    /// Sliding friction on a at the contact point (N); b gets the opposite.
    pub force: DVec3,
    /// Lever of that force about a's centre (m).
    pub lever_a: f64,
    /// Lever of that force about b's centre (m).
    pub lever_b: f64,
    /// Rolling torque on a (N m).
    pub roll_a: DVec3,
    /// Rolling torque on b (N m).
    pub roll_b: DVec3,
    /// Spinning torque on a about the normal (N m); b gets the opposite.
    pub spin: f64,
}

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
    /// One bit a lane, set where the pair may touch; after `kernel::geometry`, where it does.
    pub live: u32,
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
            normal_load: pressing(self.normal_force.0[lane]),
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

//! One contact as a law sees it. `turn.rs`: how a pair turns in a step; `rolling.rs`: the objective rolling vector; `block.rs`:
//! 32 contacts side by side; `mode.rs`: stick or slip; `side.rs`: a or b; `remembered.rs`: what contacts remember outside a
//! method. Knows no law and no method.
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

mod block;
mod mode;
mod remembered;
mod rolling;
mod side;
mod turn;

pub use block::{Block, LANES, Lanes, Lanes3, Quads, Surfaces};
pub use mode::Mode;
pub use remembered::{ContactKey, Remembered, VisitContact, feature_of, feature_turned, parts_of, place_of};
pub use side::Side;
pub use turn::Turn;

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
    /// Overlap (m). Negative where a law acts on surfaces that are apart (`law::Reach`), and by a few ulp at touch.
    pub overlap: f64,
    /// Rate at which the bodies part (m/s), minus the rate of the overlap: along the mid-step normal, or as LAMMPS has it
    /// (`SpringLaws::rates_at_end`) along the normal at the step's end.
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
    /// Normal load N (N), by the normal law: without adhesion the normal force where it presses, zero where it pulls. Limits of
    /// friction are in proportion to it.
    pub normal_load: f64,
    /// Radius of the area in which the surfaces touch (m), by the normal law; zero unless a law of friction asks for it.
    pub patch: f64,
    /// Step (s) by which memory grows; zero at the very first evaluation.
    pub dt: f64,
    /// From a's position to the contact point (m). This and what follows is zero unless the laws of the pair ask for it
    /// (`SpringLaws::asks_for_surfaces`); orientations are then the identity.
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
    positive(normal_force)
}

/// The number where it is positive, else 0.
#[inline(always)]
pub fn positive(number: f64) -> f64 {
    // Not `max`, which checks for NaN first.
    if number > 0.0 { number } else { 0.0 }
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

    /// Radius sqrt(R_eff d) of the area in which elastic spheres touch (m), by Hertz; 0 where they are apart.
    #[inline(always)]
    pub fn hertz_radius(&self) -> f64 {
        positive(self.radius_eff * self.overlap).sqrt()
    }

    /// Whether one side is a wall, which counts as flat, or an ellipsoid or a box.
    #[inline(always)]
    pub fn with_wall(&self) -> bool {
        self.reach_a * self.reach_b < 0.0
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

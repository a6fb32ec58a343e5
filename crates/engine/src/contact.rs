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
//! A plane has no centre to speak of: its velocity is taken at the centre of the sphere, and its lever is minus the
//! sphere's, so that the lines above hold unchanged. `R_eff` is then the sphere's radius and the plane's mass infinite.

use glam::DVec3;

/// How many contacts a law works on at a time. Measured: 32 beats 64 and 128.
pub const LANES: usize = 32;

/// What a law may know about one contact. Lengths in m, rates per s, world axes.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Unit vector from b to a, at the end of the step.
    pub normal: DVec3,
    /// The normal at the end of the step before; the same as `normal` when the contact is new.
    pub normal_before: DVec3,
    /// Unit vector halfway between the two: where the velocities of a step belong.
    pub normal_mid: DVec3,
    /// Overlap (m), positive.
    pub overlap: f64,
    /// Velocity of a's centre relative to b's (m/s), the image's included.
    pub velocity: DVec3,
    /// Angular velocity of a (rad/s).
    pub angular_velocity_a: DVec3,
    /// Angular velocity of b (rad/s).
    pub angular_velocity_b: DVec3,
    /// Distance from a's centre to the contact point, R_a - d/2.
    pub lever_a: f64,
    /// Distance from b's centre to the contact point; minus `lever_a` for a plane.
    pub lever_b: f64,
    /// Radius of a; minus `reach_b` for a plane.
    pub reach_a: f64,
    /// Radius of b; minus `reach_a` for a plane.
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
    /// Size N of the normal force (N); set by the normal law before friction is evaluated.
    pub normal_load: f64,
    /// Step (s) by which memory grows; zero at the very first evaluation.
    pub dt: f64,
}

impl Contact {
    /// Rate at which the bodies part along the normal; minus the rate of the overlap.
    #[inline(always)]
    pub fn separation_rate(&self) -> f64 {
        self.velocity.dot(self.normal)
    }

    /// Slip velocity with a given normal and levers; it lies in the tangent plane of that normal.
    #[inline(always)]
    pub fn slip_at(&self, normal: DVec3, lever_a: f64, lever_b: f64) -> DVec3 {
        let turning = self.angular_velocity_a * lever_a + self.angular_velocity_b * lever_b;
        self.velocity - normal * self.velocity.dot(normal) - turning.cross(normal)
    }

    /// Slip velocity at the middle of the step, carried to the normal at its end.
    #[inline(always)]
    pub fn slip(&self, lever_a: f64, lever_b: f64) -> DVec3 {
        carry(self.slip_at(self.normal_mid, lever_a, lever_b), self.normal_mid, self.normal)
    }

    /// Tangential part of the relative angular velocity at the middle of the step, carried to its end.
    #[inline(always)]
    pub fn roll_rate(&self) -> DVec3 {
        let relative = self.angular_velocity_a - self.angular_velocity_b;
        let tangential = relative - self.normal_mid * relative.dot(self.normal_mid);
        carry(tangential, self.normal_mid, self.normal)
    }

    /// Relative angular velocity about the normal in the middle of the step.
    #[inline(always)]
    pub fn spin_rate(&self) -> f64 {
        (self.angular_velocity_a - self.angular_velocity_b).dot(self.normal_mid)
    }

    /// A tangent vector of the step before, turned as the pair has turned: with its normal, and with its mean spin.
    #[inline(always)]
    pub fn transport(&self, tangent: DVec3) -> DVec3 {
        let mean_spin = 0.5 * (self.angular_velocity_a + self.angular_velocity_b).dot(self.normal_mid);
        turn_about(carry(tangent, self.normal_before, self.normal), self.normal, mean_spin * self.dt)
    }

    /// Whether one side is flat.
    #[inline(always)]
    pub fn with_plane(&self) -> bool {
        self.reach_a * self.reach_b < 0.0
    }
}

/// A vector tangent at `from`, turned by the least rotation that takes `from` to `to` (THEORY.md eq. 2.5).
#[inline(always)]
pub fn carry(tangent: DVec3, from: DVec3, to: DVec3) -> DVec3 {
    tangent - (from + to) * (tangent.dot(to) / (1.0 + from.dot(to)))
}

/// A tangent vector turned about the normal. The tangent of the half angle by its Pade form, good to the last bit for
/// any angle a step may have; the vector's length is kept for any angle at all.
#[inline(always)]
fn turn_about(tangent: DVec3, normal: DVec3, angle: f64) -> DVec3 {
    let h = 0.5 * angle;
    let h2 = h * h;
    let t = h * (945.0 - h2 * (105.0 - h2)) / (945.0 - h2 * (420.0 - 15.0 * h2));
    let scale = 1.0 / (1.0 + t * t);
    (tangent * (1.0 - t * t) + normal.cross(tangent) * (2.0 * t)) * scale
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

/// 32 contacts while they are worked on: what came from the bodies, then what the laws answer. Fits the first-level
/// cache; lives on the stack of the thread that fills it.
#[derive(Clone, Debug)]
pub struct Block {
    /// Step by which memory grows.
    pub dt: f64,
    /// Vector from b's centre to a's; the plane's normal times the distance for a plane.
    pub between: Lanes3,
    /// Distance of the surfaces' centres at which the overlap is zero: R_a + R_b, or R for a plane.
    pub touch_distance: Lanes,
    /// See `Contact`; these come from the bodies.
    pub velocity: Lanes3,
    /// See `Contact`.
    pub angular_velocity_a: Lanes3,
    /// See `Contact`.
    pub angular_velocity_b: Lanes3,
    /// Relative velocity at the full step, for the ledger.
    pub velocity_full: Lanes3,
    /// Angular velocity of a at the full step, for the ledger.
    pub angular_velocity_full_a: Lanes3,
    /// Angular velocity of b at the full step, for the ledger.
    pub angular_velocity_full_b: Lanes3,
    /// See `Contact`.
    pub reach_a: Lanes,
    /// See `Contact`.
    pub reach_b: Lanes,
    /// See `Contact`.
    pub inverse_mass_a: Lanes,
    /// See `Contact`.
    pub inverse_mass_b: Lanes,
    /// See `Contact`.
    pub inverse_inertia_a: Lanes,
    /// See `Contact`.
    pub inverse_inertia_b: Lanes,
    /// Computed by `kernel::geometry`.
    pub normal: Lanes3,
    /// Computed by `kernel::geometry`.
    pub normal_before: Lanes3,
    /// Computed by `kernel::geometry`.
    pub normal_mid: Lanes3,
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
    /// Force on a, torque on a, torque on b, all motions together.
    pub force: Lanes3,
    /// Torque on a.
    pub torque_a: Lanes3,
    /// Torque on b.
    pub torque_b: Lanes3,
    /// Power of normal, slide, roll and spin loads on the two bodies, with full-step velocities.
    pub power: [Lanes; 4],
}

impl Block {
    /// A block of nothing.
    pub const EMPTY: Block = Block {
        dt: 0.0,
        between: Lanes3::ZERO,
        touch_distance: Lanes::ZERO,
        velocity: Lanes3::ZERO,
        angular_velocity_a: Lanes3::ZERO,
        angular_velocity_b: Lanes3::ZERO,
        velocity_full: Lanes3::ZERO,
        angular_velocity_full_a: Lanes3::ZERO,
        angular_velocity_full_b: Lanes3::ZERO,
        reach_a: Lanes::ZERO,
        reach_b: Lanes::ZERO,
        inverse_mass_a: Lanes::ZERO,
        inverse_mass_b: Lanes::ZERO,
        inverse_inertia_a: Lanes::ZERO,
        inverse_inertia_b: Lanes::ZERO,
        normal: Lanes3::ZERO,
        normal_before: Lanes3::ZERO,
        normal_mid: Lanes3::ZERO,
        overlap: Lanes::ZERO,
        lever_a: Lanes::ZERO,
        lever_b: Lanes::ZERO,
        radius_eff: Lanes::ZERO,
        mass_eff: Lanes::ZERO,
        normal_force: Lanes::ZERO,
        slide_force: Lanes3::ZERO,
        slide_lever_a: Lanes::ZERO,
        slide_lever_b: Lanes::ZERO,
        roll_a: Lanes3::ZERO,
        roll_b: Lanes3::ZERO,
        spin: Lanes::ZERO,
        force: Lanes3::ZERO,
        torque_a: Lanes3::ZERO,
        torque_b: Lanes3::ZERO,
        power: [Lanes::ZERO; 4],
    };

    /// One contact of the block as a law sees it.
    #[inline(always)]
    pub fn contact(&self, lane: usize) -> Contact {
        Contact {
            normal: self.normal.get(lane),
            normal_before: self.normal_before.get(lane),
            normal_mid: self.normal_mid.get(lane),
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
            normal_load: self.normal_force.0[lane].abs(),
            dt: self.dt,
        }
    }
}

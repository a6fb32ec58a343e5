//! What a law says of its springs for the stable step, and of which contact it is asked.
//!
//! A spring k with a dashpot c on a mode of inverse inertia q swings with omega^2 = k q; here is q for each motion
//! (THEORY.md section 4.5). `soft/stable_step.rs` derives the step from it.

/// A body of a contact, as the stable step sees it; all zeros for a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TypicalBody {
    /// How far its surface reaches (m); zero for a wall.
    pub radius: f64,
    /// Its radius of curvature (m).
    pub round: f64,
    /// How far off the centre a normal force may push (m).
    pub arm: f64,
    /// 1/m (1/kg), zero for a body that loads do not move.
    pub inverse_mass: f64,
    /// 1/I.
    pub inverse_inertia: f64,
}

/// A contact of two bodies; the second may be a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypicalContact {
    /// The two.
    pub bodies: [TypicalBody; 2],
    /// In how many places they touch at once: the corners of a box on a wall.
    pub corners: f64,
    /// Overlap as a fraction of R_eff, for springs that depend on it.
    pub overlap: f64,
}

impl TypicalContact {
    /// R_eff (m).
    pub fn radius_eff(&self) -> f64 {
        let [i, j] = &self.bodies;
        if j.radius > 0.0 { i.round * j.round / (i.round + j.round) } else { i.round }
    }

    /// Radius (m) of the area in which elastic spheres touch.
    pub fn patch(&self) -> f64 {
        self.overlap.sqrt() * self.radius_eff()
    }

    /// m_a m_b/(m_a + m_b).
    pub fn mass_eff(&self) -> f64 {
        1.0 / (self.bodies[0].inverse_mass + self.bodies[1].inverse_mass)
    }

    /// A normal spring whose dashpot is `damping` (1/s) times the effective mass and `ratio` of the critical one. Corners that touch
    /// at once share the mass that normal dashpots count with (THEORY.md eq. 2.9).
    pub fn normal_spring(&self, stiffness: f64, damping: f64, ratio: f64) -> Spring {
        let rate = damping * self.mass_eff() / self.corners;
        let critical = critical_dashpot(stiffness, self.translation());
        Spring::of_force(stiffness, rate + ratio * critical / f64::sqrt(self.corners))
    }

    /// What each body contributes to q of a normal spring: 1/m + arm^2/I.
    pub fn translation(&self) -> [f64; 2] {
        self.bodies.map(|body| body.inverse_mass + body.arm * body.arm * body.inverse_inertia)
    }

    /// The same of a sliding spring: 1/m + R^2/I.
    pub fn rocking(&self) -> [f64; 2] {
        self.bodies.map(|body| body.inverse_mass + body.radius * body.radius * body.inverse_inertia)
    }

    /// The same of a spring of torque per angle: 1/I.
    pub fn rotation(&self) -> [f64; 2] {
        self.bodies.map(|body| body.inverse_inertia)
    }

    /// The same of a rolling spring of a force at R_eff per length: R_eff^2/I.
    pub fn rolling(&self) -> [f64; 2] {
        let radius_eff = self.radius_eff();
        self.rotation().map(|q| q * radius_eff * radius_eff)
    }
}

/// The critical dashpot of a spring on a mode of inverse inertia q.
pub fn critical_dashpot(stiffness: f64, q: [f64; 2]) -> f64 {
    2.0 * (stiffness / (q[0] + q[1])).sqrt()
}

/// A dashpot given by itself, or as a fraction of the critical one.
pub fn dashpot(by_ratio: bool, damping: f64, plain: f64, stiffness: f64, q: [f64; 2]) -> f64 {
    if by_ratio { damping * critical_dashpot(stiffness, q) } else { damping * plain }
}

/// What a spring is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Normal and slide: N/m and N s/m. Roll: the same of a pseudo-force at R_eff.
    PerMetre,
    /// Roll and spin: N m/rad and N m s/rad.
    PerRadian,
}

/// A spring and a dashpot beside it: the stiffest and strongest that the law has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Change of the load with the motion.
    pub stiffness: f64,
    /// Change of the load with the rate.
    pub dashpot: f64,
    /// What the two are measured in.
    pub unit: Unit,
    /// Whether it may bear anything: not with a limit of zero.
    pub holds: bool,
}

impl Spring {
    /// Of a force: N/m and N s/m.
    pub fn of_force(stiffness: f64, dashpot: f64) -> Self {
        Spring { stiffness, dashpot, unit: Unit::PerMetre, holds: true }
    }

    /// Of a torque: N m/rad and N m s/rad.
    pub fn of_torque(stiffness: f64, dashpot: f64) -> Self {
        Spring { stiffness, dashpot, unit: Unit::PerRadian, holds: true }
    }

    /// The same, which bears nothing unless `holds`.
    pub fn that_holds(self, holds: bool) -> Self {
        Spring { holds, ..self }
    }
}

/// The springs of a law of friction against slide, roll and spin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Springs(pub [Option<Spring>; 3]);

impl Springs {
    /// The law has none.
    pub const NONE: Springs = Springs([None; 3]);

    /// One against slide.
    pub fn slide(spring: Spring) -> Self {
        Springs([Some(spring), None, None])
    }

    /// One against roll.
    pub fn roll(spring: Spring) -> Self {
        Springs([None, Some(spring), None])
    }

    /// One against spin.
    pub fn spin(spring: Spring) -> Self {
        Springs([None, None, Some(spring)])
    }
}

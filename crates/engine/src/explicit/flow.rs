//! The affine flow of a cell that changes its shape, in one step of velocity Verlet (THEORY.md section 7).
//!
//! With velocities v relative to the flow and its gradient L, constant in a step: x' = v + L (x - centre),
//! v' = F/m - (L + friction) v. The drift is the implicit midpoint rule,
//!
//! x1 - x0 = dt [v + L ((x0 + x1)/2 - centre)],
//!
//! so the vectors of the cell and the differences of places keep x1 = E x0 with one and the same E = (1 - dt L/2)^-1 (1 + dt L/2).
//! A half step leaves (1 + dt M/4)^-1 (1 - dt M/4) of a velocity, M = L + friction (7.4). Contacts see the flow by
//! `flow::PairFlow`.

use glam::{DMat3, DVec3};

/// The flow during one step, for bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The point that stays in place (m).
    pub centre: DVec3,
    /// The gradient (1/s).
    pub gradient: DMat3,
    /// What half a step leaves of a velocity.
    pub keep: DMat3,
    /// What a step makes of a difference of places, and of the cell's vectors.
    pub carry: DMat3,
    /// What it makes of a velocity: a way (s).
    pub drift: DMat3,
    /// What the flow has made of a difference of places since neighbour lists were made.
    pub since_built: DMat3,
}

impl Flow {
    /// For a gradient; `friction` (1/s) brakes velocities; `since_built` up to the start of the step.
    pub fn new(centre: DVec3, gradient: DMat3, friction: f64, dt: f64, since_built: DMat3) -> Self {
        let one = DMat3::IDENTITY;
        let half = gradient * (0.5 * dt);
        let quarter = (gradient + one * friction) * (0.25 * dt);
        let implicit = (one - half).inverse();
        let carry = implicit * (one + half);
        Flow {
            centre,
            gradient,
            keep: (one + quarter).inverse() * (one - quarter),
            carry,
            drift: implicit * dt,
            since_built: carry * since_built,
        }
    }

    /// Where a body is at the end of the step.
    #[inline(always)]
    pub fn drifted(&self, position: DVec3, velocity: DVec3) -> DVec3 {
        self.centre + (self.carry * (position - self.centre) + self.drift * velocity)
    }

    /// Where the flow alone would have taken a body that stood here when neighbour lists were made.
    #[inline(always)]
    pub fn carried_since_built(&self, built_at: DVec3) -> DVec3 {
        self.centre + self.since_built * (built_at - self.centre)
    }
}

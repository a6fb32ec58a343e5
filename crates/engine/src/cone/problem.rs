//! One contact problem, plain and serialisable: for tests, for saved problems, for who wants the solver without the engine.
//!
//! Does not do: a second solver. A problem becomes `Rows`, which are solved as those of a step are.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::certificate::Certificate;
use super::project::Cones;
use super::rows::{Row, Rows, Twist, Wrench};
use super::sweep::{Settings, solve};
use crate::response::Response;

/// A body of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemBody {
    /// What an impulse does to it.
    pub response: Response,
    /// Its velocity at the end of the step if nothing touched it.
    pub free: Twist,
}

/// A contact of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemContact {
    /// Index of the body that the normal points into.
    pub a: u32,
    /// Index of the other; none: the ground.
    pub b: Option<u32>,
    /// Unit vector from b to a.
    pub normal: DVec3,
    /// From each body's centre to the contact point (m).
    pub arm: [DVec3; 2],
    /// Added to the velocity of a relative to b at the point (m/s): gap over step along the normal.
    pub bias: DVec3,
    /// How far friction reaches.
    pub cones: Cones,
    /// Turns angular velocities into velocities for the residual (m).
    pub length: f64,
    /// The impulse to start from.
    #[serde(default)]
    pub impulse: Wrench,
}

/// A contact problem.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Bodies.
    pub bodies: Vec<ProblemBody>,
    /// Contacts; the order is that of the sweep.
    pub contacts: Vec<ProblemContact>,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// Velocities of the bodies: unique under the convex law.
    pub twists: Vec<Twist>,
    /// Impulses of the contacts, on a: not unique in general.
    pub impulses: Vec<Wrench>,
    /// How well it was solved.
    pub certificate: Certificate,
}

/// A problem that is none.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProblemError {
    /// A contact names a body that is not there, or itself.
    #[error("contact {contact} is between bodies {a} and {b}, but there are {bodies}, and a contact has two")]
    NoSuchBody {
        /// Which contact, from 0.
        contact: usize,
        /// Its first body.
        a: u32,
        /// Its second body.
        b: u32,
        /// How many there are.
        bodies: usize,
    },
    /// A number of a contact that cannot be.
    #[error("contact {contact}: {what} must be {expected}")]
    BadContact {
        /// Which contact, from 0.
        contact: usize,
        /// Which number.
        what: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A number of a body is not finite.
    #[error("body {body}: response and velocity must be finite numbers")]
    BadBody {
        /// Which body, from 0.
        body: usize,
    },
}

impl Problem {
    /// Solves it from the impulses that it holds.
    pub fn solve(&self, settings: &Settings) -> Result<Solution, ProblemError> {
        let (mut rows, response, mut twists) = self.to_rows()?;
        let certificate = solve(&mut rows, &response, &mut twists, settings);
        twists.truncate(self.bodies.len());
        Ok(Solution { twists, impulses: rows.impulses().to_vec(), certificate })
    }

    /// The same flat, with the ground as one more body.
    pub fn to_rows(&self) -> Result<(Rows, Vec<Response>, Vec<Twist>), ProblemError> {
        self.check()?;
        let mut rows = Rows::default();
        for contact in &self.contacts {
            let &ProblemContact { a, b, normal, arm, bias, cones, length, impulse } = contact;
            let bodies = [a, b.unwrap_or(self.bodies.len() as u32)];
            rows.push(Row { bodies, normal, arm, bias, cones, length, impulse });
        }
        let ground = ProblemBody { response: Response::NONE, free: Twist::default() };
        let all = || self.bodies.iter().chain([&ground]);
        Ok((rows, all().map(|body| body.response).collect(), all().map(|body| body.free).collect()))
    }

    fn check(&self) -> Result<(), ProblemError> {
        for (body, ProblemBody { response, free }) in self.bodies.iter().enumerate() {
            let sound = response.linear.is_finite() && response.angular.is_finite();
            if !(sound && free.velocity.is_finite() && free.angular_velocity.is_finite()) {
                return Err(ProblemError::BadBody { body });
            }
        }
        let bodies = self.bodies.len();
        for (contact, one) in self.contacts.iter().enumerate() {
            let bad = |what, expected| Err(ProblemError::BadContact { contact, what, expected });
            let (a, b) = (one.a, one.b.unwrap_or(u32::MAX));
            if a as usize >= bodies || one.b.is_some_and(|b| b as usize >= bodies) || a == b {
                return Err(ProblemError::NoSuchBody { contact, a, b, bodies });
            }
            let vectors = [one.arm[0], one.arm[1], one.bias, one.impulse.force, one.impulse.torque];
            if !vectors.into_iter().all(DVec3::is_finite) {
                return bad("an arm, the bias or the impulse", "finite");
            }
            if (one.normal.length() - 1.0).abs().is_nan() || (one.normal.length() - 1.0).abs() > 1e-9 {
                return bad("the normal", "a unit vector");
            }
            let Cones { slide, roll, spin } = one.cones;
            if ![slide, roll, spin].into_iter().all(|ratio| ratio >= 0.0 && ratio.is_finite()) {
                return bad("a coefficient of friction", "a number not below zero");
            }
            if !(one.length > 0.0 && one.length.is_finite()) {
                return bad("the length", "a positive number");
            }
        }
        Ok(())
    }
}

//! One contact problem, plain and serialisable: for tests, for saved problems, for who wants the solver without the engine.
//!
//! Does not do: a second solver. A problem becomes `Rows`, which are solved as those of a step are.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::blocks::{BlockRow, Lever, MOST_ROWS, Set};
use super::certificate::Certificate;
use super::conflict::{Conflict, find_conflict};
use super::project::{Cones, Split};
use super::rows::{Options, Row, Rows, Twist, Wrench};
use super::settings::{LoadRule, Rule, Settings};
use super::solve::solve_by;
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
    /// What only few contacts have.
    #[serde(default)]
    pub options: Options,
}

/// A row of a problem that is no contact: of a joint, or bounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// Bodies, each with what the row multiplies its velocity and its angular velocity with.
    pub terms: Vec<(u32, DVec3, DVec3)>,
    /// Added to its velocity (m/s).
    pub bias: f64,
    /// Velocity per impulse that it gives way with (1/kg).
    pub compliance: f64,
    /// Least impulse; none: unbounded.
    pub lo: Option<f64>,
    /// Greatest impulse; none: unbounded.
    pub hi: Option<f64>,
    /// Turns its velocity into m/s for the residual.
    pub length: f64,
}

/// A contact problem.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Bodies.
    pub bodies: Vec<ProblemBody>,
    /// Contacts; the order is that of the sweep.
    pub contacts: Vec<ProblemContact>,
    /// Other rows. Unbounded ones that follow each other on the same bodies are solved at once.
    #[serde(default)]
    pub rows: Vec<ProblemRow>,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// Velocities of the bodies: unique under the convex law.
    pub twists: Vec<Twist>,
    /// Impulses of the contacts, on a: not unique in general.
    pub impulses: Vec<Wrench>,
    /// Impulses of the other rows.
    pub row_impulses: Vec<f64>,
    /// g . N g/2 + r . g (J): least under the convex law, and then -g . N g/2 where no row is bounded.
    pub objective: f64,
    /// How well it was solved.
    pub certificate: Certificate,
    /// What contradicts each other, if it could not be solved because of that.
    pub conflict: Option<Conflict>,
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
    /// A row names a body that is not there, or has a number that cannot be.
    #[error("row {row}: {what}")]
    BadRow {
        /// Which row, from 0.
        row: usize,
        /// What is wrong and what was expected.
        what: &'static str,
    },
    /// A number of a body is not finite.
    #[error("body {body}: response and velocity must be finite numbers")]
    BadBody {
        /// Which body, from 0.
        body: usize,
    },
}

impl Problem {
    /// Solves it from the impulses that it holds, by Gauss-Seidel.
    pub fn solve(&self, settings: &Settings) -> Result<Solution, ProblemError> {
        self.solve_by(settings, Rule::default())
    }

    /// Solves it from the impulses that it holds.
    pub fn solve_by(&self, settings: &Settings, rule: Rule) -> Result<Solution, ProblemError> {
        let (mut rows, response, free) = self.to_rows()?;
        let mut twists = free.clone();
        let certificate = solve_by(&mut rows, &response, &mut twists, settings, rule);
        let objective = rows.objective(&free, &twists);
        let judge = !certificate.solved && rule.load == LoadRule::Solved;
        let conflict = if judge { find_conflict(&rows, &response, &free, settings) } else { None };
        twists.truncate(self.bodies.len());
        let row_impulses = rows.blocks().all_rows().iter().map(|row| row.impulse).collect();
        Ok(Solution { twists, impulses: rows.impulses().to_vec(), row_impulses, objective, certificate, conflict })
    }

    /// The same flat, with the ground as one more body.
    pub fn to_rows(&self) -> Result<(Rows, Vec<Response>, Vec<Twist>), ProblemError> {
        self.check()?;
        let mut rows = Rows::default();
        for contact in &self.contacts {
            let &ProblemContact { a, b, normal, arm, bias, cones, length, impulse, options } = contact;
            let bodies = [a, b.unwrap_or(self.bodies.len() as u32)];
            rows.push_with(Row { bodies, normal, arm, bias, cones, length, impulse }, options);
        }
        self.push_blocks(&mut rows);
        let ground = ProblemBody { response: Response::NONE, free: Twist::default() };
        let all = || self.bodies.iter().chain([&ground]);
        Ok((rows, all().map(|body| body.response).collect(), all().map(|body| body.free).collect()))
    }

    /// The other rows that blocks hold: what a conflict's blocks are in the file.
    pub fn rows_of_blocks(&self, blocks: &[u32]) -> Vec<u32> {
        let mut flat = Rows::default();
        self.push_blocks(&mut flat);
        let mut first = 0;
        let mut rows = Vec::new();
        for index in 0..flat.blocks().len() {
            let count = flat.blocks().rows(index).len() as u32;
            if blocks.contains(&(index as u32)) {
                rows.extend(first..first + count);
            }
            first += count;
        }
        rows
    }

    fn push_blocks(&self, rows: &mut Rows) {
        let bodies_of = |row: &ProblemRow| row.terms.iter().map(|term| term.0).collect::<Vec<u32>>();
        let free = |row: &ProblemRow| row.lo.is_none() && row.hi.is_none();
        let mut rest = &self.rows[..];
        while let Some(first) = rest.first() {
            let joined = |row: &&ProblemRow| free(first) && free(row) && bodies_of(row) == bodies_of(first);
            let count = 1 + rest[1..].iter().take(MOST_ROWS - 1).take_while(joined).count();
            let (block, others) = rest.split_at(count);
            let bounds = |row: &ProblemRow| [row.lo.unwrap_or(f64::NEG_INFINITY), row.hi.unwrap_or(f64::INFINITY)];
            let flat = block.iter().map(|row| BlockRow {
                bias: row.bias,
                compliance: row.compliance,
                bounds: bounds(row),
                length: row.length,
                impulse: 0.0,
            });
            let lever = |(_, linear, angular): (u32, DVec3, DVec3)| Lever { linear, angular };
            let by_body = (0..first.terms.len()).flat_map(|k| block.iter().map(move |row| lever(row.terms[k])));
            let (flat, levers): (Vec<BlockRow>, Vec<Lever>) = (flat.collect(), by_body.collect());
            rows.blocks_mut().push(Set::Rows, &flat, &bodies_of(first), &levers);
            rest = others;
        }
    }

    fn check_rows(&self) -> Result<(), ProblemError> {
        for (row, one) in self.rows.iter().enumerate() {
            let bad = |what| Err(ProblemError::BadRow { row, what });
            let mut bodies: Vec<u32> = one.terms.iter().map(|term| term.0).collect();
            bodies.sort_unstable();
            bodies.dedup();
            if bodies.len() < one.terms.len() || bodies.last().is_some_and(|body| *body as usize >= self.bodies.len()) {
                return bad("its bodies must exist, each named once");
            }
            let finite = one.terms.iter().all(|(_, linear, angular)| linear.is_finite() && angular.is_finite());
            if !(finite && one.bias.is_finite() && one.compliance >= 0.0 && one.compliance.is_finite()) {
                return bad("its numbers must be finite, its compliance not below zero");
            }
            if !(one.length > 0.0 && one.length.is_finite()) {
                return bad("its length must be positive");
            }
            let (lo, hi) = (one.lo.unwrap_or(f64::NEG_INFINITY), one.hi.unwrap_or(f64::INFINITY));
            if lo.is_nan() || hi.is_nan() || lo > hi {
                return bad("its bounds must be numbers, lo not above hi");
            }
        }
        Ok(())
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
            self.check_options(contact, &one.options)?;
        }
        self.check_rows()
    }

    fn check_options(&self, contact: usize, options: &Options) -> Result<(), ProblemError> {
        let bad = |what, expected| Err(ProblemError::BadContact { contact, what, expected });
        let Options { compliance, turning_bias, ellipse } = options;
        let sound =
            |of: &DMat3| of.is_finite() && *of == of.transpose() && [0, 1, 2].iter().all(|&k| of.col(k)[k] >= 0.0);
        if !compliance.iter().all(sound) {
            return bad("the compliance", "symmetric matrices of finite numbers, none below zero on the diagonal");
        }
        if !turning_bias.is_finite() {
            return bad("the turning bias", "finite");
        }
        let axis = ellipse.and_then(|ellipse| ellipse.roll);
        if axis.is_some_and(|roll| !(roll.length >= 0.0 && (roll.axis.length() - 1.0).abs() <= 1e-9)) {
            return bad("the axis of rolling", "a unit vector with a length not below zero");
        }
        Ok(())
    }
}

impl Rows {
    /// g . N g/2 + r . g, with r the velocities without impulses.
    fn objective(&self, free: &[Twist], twists: &[Twist]) -> f64 {
        let mut sum = 0.0;
        for index in 0..self.len() {
            let g = self.split_impulse(index);
            let Wrench { force, torque } = self.impulses()[index];
            let Options { compliance, .. } = self.options(index);
            let gives = Split::new(self.get(index).normal, compliance[0] * force, compliance[1] * torque);
            let r = self.velocity(index, free).plus(&gives, -1.0);
            sum += 0.5 * g.dot(&self.velocity(index, twists).plus(&r, 1.0));
        }
        for index in 0..self.blocks().len() {
            let (r, u) = (self.blocks().motion(index, free), self.blocks().velocity(index, twists));
            for (k, row) in self.blocks().rows(index).iter().enumerate() {
                sum += 0.5 * row.impulse * (u[k] + r[k] + row.bias);
            }
        }
        sum
    }
}

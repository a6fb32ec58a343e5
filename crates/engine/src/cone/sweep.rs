//! Projected Gauss-Seidel: contact by contact a step against its velocity and the projection on its cone, with the velocities of
//! bodies updated at once (THEORY.md eq. 8.5). Colour by colour, so that threads may share a colour: the same bits for any number.
//!
//! Under the exact law the velocity along the normal is raised by A(u) first (De Saxce), which takes the artificial gap of the
//! convex law off again. Does not do: accelerated or second-order solvers.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::certificate::{Certificate, certify};
use super::project::project;
use super::rows::{Rows, Twist, Wrench};
use crate::response::Response;

/// Rows of a colour from which on threads share it.
const SHARED: usize = 512;

/// Which law of friction is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cone {
    /// Coulomb's, with resistance that acts against the motion: no convex problem.
    #[default]
    Exact,
    /// The convex relaxation of Tasora and Anitescu, with a gap in proportion to the slip.
    Associated,
}

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Which law.
    pub cone: Cone,
    /// Of each update, in (0, 2).
    pub relaxation: f64,
    /// The residual to reach (m/s): root mean square; the largest may be ten times that.
    pub tolerance: f64,
    /// Sweeps after which to stop without.
    pub max_iterations: u32,
}

/// What an update changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    impulse: Wrench,
    changes: [Twist; 2],
    /// An estimate of the residual, squared ((m/s)^2).
    error: f64,
}

/// Solves for the impulses of rows, from those that they have. `twists` holds the velocities that bodies would have without contacts,
/// and then those that they have with them.
pub fn solve(rows: &mut Rows, response: &[Response], twists: &mut [Twist], settings: &Settings) -> Certificate {
    rows.prepare(response);
    rows.give_impulses(response, twists);
    let Settings { tolerance, max_iterations, .. } = *settings;
    if rows.is_empty() {
        return Certificate { solved: true, ..Certificate::default() };
    }
    for iterations in 1.. {
        let estimate = sweep(rows, response, twists, settings);
        // The certificate costs a sweep: not before it can be good.
        if estimate <= tolerance || iterations >= max_iterations {
            let certificate = certify(rows, twists, settings.cone);
            let solved = certificate.residual <= tolerance && certificate.residual_max <= 10.0 * tolerance;
            if solved || iterations >= max_iterations {
                return Certificate { iterations, solved, ..certificate };
            }
        }
    }
    unreachable!("the loop ends at max_iterations")
}

/// Updates every row once. Returns an estimate of the residual (m/s).
fn sweep(rows: &mut Rows, response: &[Response], twists: &mut [Twist], settings: &Settings) -> f64 {
    let (mut squares, mut count) = (0.0, 0_u32);
    let mut outcomes = std::mem::take(&mut rows.outcomes);
    for (group, apart) in rows.colours.groups() {
        let shared = apart && group.len() >= SHARED && rayon::current_num_threads() > 1;
        if shared {
            outcomes.resize(group.len(), Outcome::default());
            let (now, seen) = (&*rows, &*twists);
            let one = |(outcome, &row): (&mut Outcome, &u32)| *outcome = now.update(row, response, seen, settings);
            outcomes.par_iter_mut().zip(now.colours.rows(group.clone())).for_each(one);
        }
        for at in group.clone() {
            let row = rows.colours.rows(at..at + 1)[0];
            let outcome =
                if shared { outcomes[at - group.start] } else { rows.update(row, response, twists, settings) };
            rows.add(row as usize, &outcome.changes, twists);
            rows.impulse[row as usize] = outcome.impulse;
            squares += outcome.error;
            count += u32::from(outcome.error > 0.0 || outcome.impulse != Wrench::default());
        }
    }
    rows.outcomes = outcomes;
    if count == 0 { 0.0 } else { (squares / f64::from(count)).sqrt() }
}

impl Rows {
    /// What an update of a row changes.
    #[inline(always)]
    fn update(&self, row: u32, response: &[Response], twists: &[Twist], settings: &Settings) -> Outcome {
        let row = row as usize;
        let (scale, cones, normal) = (&self.scale[row], &self.cones[row], self.normal[row]);
        let (old, mut u) = (self.split_impulse(row), self.velocity(row, twists));
        if !cones.resist_turning() {
            (u.spin, u.roll) = (0.0, glam::DVec3::ZERO);
        }
        if settings.cone == Cone::Exact {
            u.normal += cones.opening(&u);
        }
        let new = project(&scale.stepped(&old, &u, settings.relaxation), &scale.cones).times(scale.root);
        let change = new.plus(&old, -1.0);
        let length = self.length[row];
        let [n, slide, roll, spin] = scale.step.map(|step| 1.0 / (step * settings.relaxation));
        let off = change.times([n, slide, roll * length, spin * length]);
        let given = Wrench { force: change.linear(normal), torque: change.angular(normal) };
        Outcome {
            impulse: Wrench { force: new.linear(normal), torque: new.angular(normal) },
            changes: self.changes(row, &given, response),
            error: off.dot(&off),
        }
    }
}

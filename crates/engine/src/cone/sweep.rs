//! Projected Gauss-Seidel: contact by contact a step against its velocity and the projection on its cone, with the velocities of
//! bodies updated at once (THEORY.md eq. 8.5). Colour by colour, so that threads may share a colour: bitwise identical for any
//! number. Blocks (joints and the like) follow, one by one.
//!
//! Under the exact law the velocity along the normal is raised by A(u) first (De Saxce), which takes the artificial gap of the
//! convex law off again. With a frozen load the part along the normal stays, and friction is cut to what it bears: a clamp on
//! disc, disc and interval.

use rayon::prelude::*;

use super::rows::{Rows, Twist, Wrench};
use super::settings::{Cone, LoadRule};
use crate::response::Response;

/// Rows of a colour from which on threads share it.
const SHARED: usize = 512;

/// What every update of a sweep is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub cone: Cone,
    pub load: LoadRule,
    pub relaxation: f64,
    /// 1/relaxation^2.
    pub squared_over: f64,
}

impl Pass {
    pub fn new(cone: Cone, load: LoadRule, relaxation: f64) -> Pass {
        Pass { cone, load, relaxation, squared_over: 1.0 / (relaxation * relaxation) }
    }
}

/// What an update changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    impulse: Wrench,
    changes: [Twist; 2],
    /// An estimate of the residual, squared ((m/s)^2).
    error: f64,
}

/// Updates every row once. Returns an estimate of the residual (m/s).
pub(super) fn sweep(rows: &mut Rows, response: &[Response], twists: &mut [Twist], pass: Pass) -> f64 {
    let (mut squares, mut count) = (0.0, 0_u32);
    let mut outcomes = std::mem::take(&mut rows.outcomes);
    for (group, apart) in rows.colours.groups() {
        let shared = apart && group.len() >= SHARED && rayon::current_num_threads() > 1;
        if shared {
            outcomes.resize(group.len(), Outcome::default());
            let (now, seen) = (&*rows, &*twists);
            let one = |(outcome, &row): (&mut Outcome, &u32)| *outcome = now.update(row, response, seen, pass);
            outcomes.par_iter_mut().zip(now.colours.rows(group.clone())).for_each(one);
        }
        for at in group.clone() {
            let row = rows.colours.rows(at..at + 1)[0];
            let outcome = if shared { outcomes[at - group.start] } else { rows.update(row, response, twists, pass) };
            rows.add(row as usize, &outcome.changes, twists);
            rows.impulse[row as usize] = outcome.impulse;
            squares += outcome.error;
            count += u32::from(outcome.error > 0.0 || outcome.impulse != Wrench::default());
        }
    }
    rows.outcomes = outcomes;
    for index in 0..rows.blocks.len() {
        squares += rows.blocks.update(index, twists, pass.cone, pass.relaxation);
        count += rows.blocks.rows(index).len() as u32;
    }
    if count == 0 { 0.0 } else { (squares / f64::from(count)).sqrt() }
}

impl Rows {
    /// What an update of a row changes.
    #[inline(always)]
    fn update(&self, row: u32, response: &[Response], twists: &[Twist], pass: Pass) -> Outcome {
        let row = row as usize;
        let (scale, limits, normal) = (&self.scale[row], self.limits(row), self.normal[row]);
        let (old, mut u) = (self.split_impulse(row), self.velocity(row, twists));
        if !limits.resist_turning() {
            (u.spin, u.roll) = (0.0, glam::DVec3::ZERO);
        }
        let scaled = limits.scaled(&scale.cones, &scale.root, &scale.inverse_root);
        let new = match pass.load {
            LoadRule::Solved => {
                if pass.cone == Cone::Exact {
                    u.normal += limits.opening(&u);
                }
                scaled.project(&scale.stepped(&old, &u, pass.relaxation))
            }
            LoadRule::Frozen => {
                u.normal = 0.0;
                scaled.cut(&scale.stepped(&old, &u, pass.relaxation))
            }
        };
        let new = new.times(scale.root);
        let change = new.plus(&old, -1.0);
        let off = change.times(scale.inverse_step);
        let given = Wrench { force: change.linear(normal), torque: change.angular(normal) };
        Outcome {
            impulse: Wrench { force: new.linear(normal), torque: new.angular(normal) },
            changes: self.changes(row, &given, response),
            error: off.dot(&off) * pass.squared_over,
        }
    }
}

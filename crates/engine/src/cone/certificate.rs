//! How well a contact problem was solved: numbers that are zero at a solution, whoever found it (THEORY.md eq. 8.7).

use serde::{Deserialize, Serialize};

use super::elliptic::Limits;
use super::project::{Cones, Split};
use super::rows::{Rows, Twist};
use super::scale::Scale;
use super::settings::{Cone, LoadRule};

/// How well a step was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Sweeps over all contacts, products with the matrix, factorisations: what the solver counts.
    pub iterations: u32,
    /// Natural residual |g - P(g - eta u)|/eta (m/s), torque rows times R_eff: root mean square over contacts that carry an
    /// impulse or should, and rows of blocks.
    pub residual: f64,
    /// The largest of them (m/s).
    pub residual_max: f64,
    /// By how much an impulse lies outside its cone, at most (N s).
    pub cone_error: f64,
    /// By how much a velocity lies outside what contact allows, at most (m/s): approach; under the convex law opening too slowly.
    pub dual_error: f64,
    /// Sum of |g . u| (J): zero where impulses and velocities exclude each other.
    pub complementarity: f64,
    /// Contacts that carry an impulse.
    pub active: u32,
    /// Whether the tolerance was met.
    pub solved: bool,
}

impl Scale {
    /// g - P(g - eta (u + A(u) n)), over eta, with torques over the length and angular velocities times it: then all rows are
    /// forces and velocities (m/s).
    pub(super) fn natural_residual(&self, g: &Split, u: &Split, limits: &Limits, length: f64, cone: Cone) -> Split {
        let mut u = *u;
        if !limits.resist_turning() {
            (u.spin, u.roll) = (0.0, glam::DVec3::ZERO);
        }
        u.normal += if cone == Cone::Exact { limits.opening(&u) } else { 0.0 };
        let (g, u, scaled) = plain(g, &u, limits, length);
        let eta = self.plain_step;
        g.plus(&scaled.project(&g.plus(&u, -eta)), -1.0).times([1.0 / eta; 4])
    }

    /// The same with the load along the normal given.
    fn frozen_residual(&self, g: &Split, u: &Split, limits: &Limits, length: f64) -> Split {
        let (g, mut u, scaled) = plain(g, u, limits, length);
        u.normal = 0.0;
        let eta = self.plain_step;
        g.plus(&scaled.cut(&g.plus(&u, -eta)), -1.0).times([1.0 / eta; 4])
    }
}

/// Torques over the length, angular velocities times it, and the cones that follow.
fn plain(g: &Split, u: &Split, limits: &Limits, length: f64) -> (Split, Split, Limits) {
    let (over, by) = ([1.0, 1.0, 1.0 / length, 1.0 / length], [1.0, 1.0, length, length]);
    let Cones { slide, roll, spin } = limits.cones;
    let scaled = Cones { slide, roll: roll / length, spin: spin / length };
    (g.times(over), u.times(by), limits.scaled(&scaled, &by, &over))
}

/// Judges the impulses of rows and the velocities that they have led to.
pub(super) fn certify(rows: &Rows, twists: &[Twist], cone: Cone, load: LoadRule) -> Certificate {
    let mut certificate = Certificate::default();
    let (mut squares, mut count) = (0.0, 0_u32);
    for index in 0..rows.len() {
        let (limits, length, scale) = (rows.limits(index), rows.length[index], &rows.scale[index]);
        let (g, mut u) = (rows.split_impulse(index), rows.velocity(index, twists));
        if !limits.resist_turning() {
            (u.spin, u.roll) = (0.0, glam::DVec3::ZERO);
        }
        let opening = limits.opening(&u);
        let (off, dual) = match (load, cone) {
            (LoadRule::Frozen, _) => (scale.frozen_residual(&g, &u, &limits, length), 0.0),
            (_, Cone::Exact) => (scale.natural_residual(&g, &u, &limits, length, cone), -u.normal),
            (_, Cone::Associated) => (scale.natural_residual(&g, &u, &limits, length, cone), opening - u.normal),
        };
        let residual = off.dot(&off).sqrt();
        squares += residual * residual;
        count += u32::from(g.normal > 0.0 || residual > 0.0);
        certificate.active += u32::from(g.normal > 0.0);
        certificate.residual_max = worse(certificate.residual_max, residual);
        certificate.cone_error = worse(certificate.cone_error, limits.violation(&g));
        certificate.dual_error = worse(certificate.dual_error, dual);
        u.normal += if cone == Cone::Exact { opening } else { 0.0 };
        certificate.complementarity += if load == LoadRule::Solved { g.dot(&u).abs() } else { 0.0 };
    }
    for index in 0..rows.blocks.len() {
        let u = rows.blocks.velocity(index, twists);
        for off in &rows.blocks.residual(index, &u, cone)[..rows.blocks.rows(index).len()] {
            squares += off * off;
            count += 1;
            certificate.residual_max = worse(certificate.residual_max, off.abs());
        }
    }
    certificate.residual = if count == 0 { 0.0 } else { (squares / f64::from(count)).sqrt() };
    certificate
}

/// The larger one; what is not a number is the worst.
fn worse(so_far: f64, one: f64) -> f64 {
    if so_far.is_nan() || one <= so_far { so_far } else { one }
}

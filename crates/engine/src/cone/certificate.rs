//! How well a contact problem was solved: numbers that are zero at a solution, whoever found it (THEORY.md eq. 8.7).

use serde::{Deserialize, Serialize};

use super::project::{Cones, project};
use super::rows::{Rows, Twist};
use super::sweep::Cone;

/// How well a step was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Sweeps over all contacts.
    pub iterations: u32,
    /// Natural residual |g - P(g - eta u)|/eta (m/s), torque rows times R_eff: root mean square over contacts that carry an
    /// impulse or should.
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

/// Judges the impulses of rows and the velocities that they have led to.
pub fn certify(rows: &Rows, twists: &[Twist], cone: Cone) -> Certificate {
    let mut certificate = Certificate::default();
    let (mut squares, mut count) = (0.0, 0_u32);
    for index in 0..rows.len() {
        let (cones, length, eta) = (rows.cones[index], rows.length[index], rows.scale[index].plain_step);
        let (g, mut u) = (rows.split_impulse(index), rows.velocity(index, twists));
        if !cones.resist_turning() {
            (u.spin, u.roll) = (0.0, glam::DVec3::ZERO);
        }
        let opening = cones.opening(&u);
        let dual = match cone {
            Cone::Exact => -u.normal,
            Cone::Associated => opening - u.normal,
        };
        u.normal += if cone == Cone::Exact { opening } else { 0.0 };
        // Torques over the length, angular velocities times it: then all rows are forces and velocities.
        let (over, by) = ([1.0, 1.0, 1.0 / length, 1.0 / length], [1.0, 1.0, length, length]);
        let (g_plain, u_plain) = (g.times(over), u.times(by));
        let scaled = Cones { slide: cones.slide, roll: cones.roll / length, spin: cones.spin / length };
        let off = g_plain.plus(&project(&g_plain.plus(&u_plain, -eta), &scaled), -1.0);
        let residual = off.dot(&off).sqrt() / eta;
        squares += residual * residual;
        count += u32::from(g.normal > 0.0 || residual > 0.0);
        certificate.active += u32::from(g.normal > 0.0);
        certificate.residual_max = worse(certificate.residual_max, residual);
        certificate.cone_error = worse(certificate.cone_error, cones.violation(&g));
        certificate.dual_error = worse(certificate.dual_error, dual);
        certificate.complementarity += g.dot(&u).abs();
    }
    certificate.residual = if count == 0 { 0.0 } else { (squares / f64::from(count)).sqrt() };
    certificate
}

/// The larger one; what is not a number is the worst.
fn worse(so_far: f64, one: f64) -> f64 {
    if one <= so_far { so_far } else { one }
}

//! Steps and scales of one contact, from its own block N_ii of the Delassus matrix (THEORY.md eq. 8.6).
//!
//! Torques differ from forces by a length, so one step for all six rows is far too small for some of them. Each group of rows is
//! scaled by its own diagonal, s = N^(-1/2); the cones keep their form with coefficients c s_n/s, and a scalar step 1/lambda_max of
//! the scaled block then fits all. For two equal spheres that block is the identity: one projection solves the contact.
//!
//! lambda_max is bounded by the largest sum of a row, which is exact for spheres.

use glam::DVec3;

use super::project::{Cones, Split};
use super::rows::{Options, Row};
use crate::response::Response;

/// What a sweep needs of a contact beside its geometry. Groups are in the order normal, slide, roll, spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Impulse per velocity of each group (kg, kg m^2): the scalar step times s^2.
    pub step: [f64; 4],
    /// Its inverse, for torques times the length: turns a change of impulse into a velocity (m/s).
    pub inverse_step: [f64; 4],
    /// s of each group.
    pub root: [f64; 4],
    /// 1/s of each group.
    pub inverse_root: [f64; 4],
    /// The cones of scaled impulses.
    pub cones: Cones,
    /// The scalar step of the residual (kg): 1/lambda_max with torques over `Row::length`.
    pub plain_step: f64,
}

impl Scale {
    /// Of a contact between bodies at least one of which moves.
    pub fn of(row: &Row, options: &Options, response: &[Response]) -> Scale {
        Scale::of_block(&block(row, options, response), row.cones, row.length)
    }

    /// Of a block in the order n, u, w, tn, tu, tw.
    pub fn of_block(block: &[[f64; 6]; 6], cones: Cones, length: f64) -> Scale {
        let rows = if cones.resist_turning() { 6 } else { 3 };
        // The larger of two, so that a direction that is locked does not slow down the other.
        let larger = |k: usize, l: usize| block[k][k].max(block[l][l]);
        let diagonal = [block[0][0], larger(1, 2), larger(4, 5), block[3][3]];
        let root = roots(diagonal, length);
        let inverse_root = root.map(|s| 1.0 / s);
        let by_row = |of: [f64; 4]| [of[0], of[1], of[1], of[3], of[2], of[2]];
        let eta = 1.0 / largest_row_sum(block, rows, by_row(root));
        let plain = [1.0, 1.0, length, length];
        let Cones { slide, roll, spin } = cones;
        let ratio = |group: usize| root[0] * inverse_root[group];
        let step = root.map(|s| eta * s * s);
        Scale {
            step,
            inverse_step: [1.0 / step[0], 1.0 / step[1], length / step[2], length / step[3]],
            root,
            inverse_root,
            cones: Cones { slide: slide * ratio(1), roll: roll * ratio(2), spin: spin * ratio(3) },
            plain_step: 1.0 / largest_row_sum(block, rows, by_row(plain)).max(f64::MIN_POSITIVE),
        }
    }
}

/// s of each group. A group that no impulse moves, because it is locked, takes that of another.
fn roots(diagonal: [f64; 4], length: f64) -> [f64; 4] {
    let [normal, slide, roll, spin] = diagonal.map(|n| if n > 0.0 { Some(1.0 / n.sqrt()) } else { None });
    let force = normal.or(slide).unwrap_or(1.0);
    let torque = force * length;
    [force, slide.unwrap_or(force), roll.unwrap_or(torque), spin.unwrap_or(torque)]
}

/// The largest sum of sizes in a row of S N S, for S = diag(s).
fn largest_row_sum(block: &[[f64; 6]; 6], rows: usize, s: [f64; 6]) -> f64 {
    let sum = |k: usize| (0..rows).map(|l| (s[k] * block[k][l] * s[l]).abs()).sum::<f64>();
    let largest = (0..rows).map(sum).fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// N_ii in the order n, u, w, tn, tu, tw.
fn block(row: &Row, options: &Options, response: &[Response]) -> [[f64; 6]; 6] {
    let n = row.normal;
    let (u, w) = n.any_orthonormal_pair();
    let zero = DVec3::ZERO;
    let linear = [n, u, w, zero, zero, zero];
    let mut block = [[0.0; 6]; 6];
    for (body, arm) in row.bodies.into_iter().zip(row.arm) {
        let response = &response[body as usize];
        let angular = [arm.cross(n), arm.cross(u), arm.cross(w), n, u, w];
        for k in 0..6 {
            let (moved, turned) = (response.linear * linear[k], response.angular * angular[k]);
            for (l, entry) in block[k].iter_mut().enumerate() {
                *entry += linear[l].dot(moved) + angular[l].dot(turned);
            }
        }
    }
    let [of_forces, of_torques] = options.compliance;
    let turning = [zero, zero, zero, n, u, w];
    for k in 0..6 {
        for l in 0..6 {
            block[k][l] += linear[l].dot(of_forces * linear[k]) + turning[l].dot(of_torques * turning[k]);
        }
    }
    block
}

impl Scale {
    /// A step against a velocity, as long as the block allows times `relaxation`, from an impulse; in scaled numbers.
    #[inline(always)]
    pub fn stepped(&self, impulse: &Split, velocity: &Split, relaxation: f64) -> Split {
        impulse.plus(&velocity.times(self.step), -relaxation).times(self.inverse_root)
    }
}

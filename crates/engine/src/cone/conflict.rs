//! Which contacts and joints contradict each other. A problem that no velocities satisfy has impulses that grow without end, in a
//! direction p of the cones for which N p = 0 and r . p < 0.
//!
//! For any velocities v that satisfy all rows, and any p in the cones, p . (D^T v + b) >= 0. Hence
//!
//! ```text
//!   |v - v_free|_M >= -(r . p)/|D p|_(1/M)                                                                  (THEORY.md eq. 8.12)
//! ```
//!
//! Each p bounds from below how much the velocities would have to change. The differences of impulses between sweeps tend to such a direction: where
//! the bound is far above the change that the solver has made, the rows contradict each other.
//!
//! Does not do: the exact law's own contradictions (it then takes normal parts alone: rows that no motion satisfies).

use serde::{Deserialize, Serialize};

use super::blocks::{Numbers, Set};
use super::project::Split;
use super::rows::{Rows, Twist, Wrench};
use super::settings::{Cone, LoadRule, Settings};
use super::sweep::{Pass, sweep};
use crate::response::Response;

/// Sweeps between the impulses whose difference is judged.
const SWEEPS: u32 = 200;

/// By how much the bound of |v - v_free|^2 must exceed what the solver has made of it.
const FAR: f64 = 1e6;

/// Parts of the direction below this share of the largest do not count.
const SHARE: f64 = 1e-3;

/// Rows that contradict each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// Contacts, by index.
    pub contacts: Vec<u32>,
    /// Blocks (joints), by index.
    pub blocks: Vec<u32>,
}

/// Finds rows that contradict each other, from the impulses that they have; none if the rows are not known to.
pub fn find_conflict(rows: &Rows, response: &[Response], free: &[Twist], settings: &Settings) -> Option<Conflict> {
    let rows = &mut rows.clone();
    rows.prepare(response);
    // Rows of one block may contradict each other.
    rows.blocks.separate_rows();
    let mut twists = free.to_vec();
    rows.give_impulses(response, &mut twists);
    let pass = Pass::new(settings.cone, LoadRule::Solved, 1.0);
    (0..SWEEPS).for_each(|_| _ = sweep(rows, response, &mut twists, pass));
    let before = rows.clone();
    (0..SWEEPS).for_each(|_| _ = sweep(rows, response, &mut twists, pass));
    let made = energy(rows, response, free.len());
    // The direction, in place of the impulses.
    let mut bound = 0.0;
    let mut sizes = Vec::with_capacity(rows.len() + rows.blocks().len());
    for index in 0..rows.len() {
        let normal = rows.normal[index];
        let grown = rows.split_impulse(index).plus(&before.split_impulse(index), -1.0);
        let along = match settings.cone {
            Cone::Associated => rows.limits(index).project(&grown),
            Cone::Exact => Split { normal: grown.normal.max(0.0), ..Split::default() },
        };
        rows.impulse[index] = Wrench::default();
        bound += along.dot(&rows.velocity(index, free));
        rows.impulse[index] = Wrench { force: along.linear(normal), torque: along.angular(normal) };
        sizes.push(along.normal);
    }
    for index in 0..rows.blocks().len() {
        let (now, then) = (rows.blocks().impulse(index), before.blocks().impulse(index));
        let mut along = Numbers::default();
        let motion = rows.blocks().motion(index, free);
        for (k, row) in rows.blocks().rows(index).iter().enumerate() {
            // A bounded impulse cannot grow without end.
            let [low, high] = if rows.blocks().set(index) == Set::Rows { row.bounds } else { [0.0; 2] };
            let grown = now[k] - then[k];
            let endless = if grown < 0.0 { low == f64::NEG_INFINITY } else { high == f64::INFINITY };
            along[k] = if endless { grown } else { 0.0 };
            bound += along[k] * (motion[k] + row.bias);
        }
        rows.blocks_mut().set_impulse(index, &along);
        sizes.push(along.iter().map(|g| g * g).sum::<f64>().sqrt());
    }
    let resisted = energy(rows, response, free.len());
    // (r . p)^2/(p . N p) against g . N g.
    if bound >= 0.0 || bound * bound <= FAR * made * resisted {
        return None;
    }
    let largest = sizes.iter().fold(0.0, |most: f64, size| most.max(*size));
    let (contacts, blocks) = sizes.split_at(rows.len());
    let large = |sizes: &[f64]| -> Vec<u32> {
        (0_u32..).zip(sizes).filter(|(_, size)| **size > SHARE * largest).map(|(index, _)| index).collect()
    };
    Some(Conflict { contacts: large(contacts), blocks: large(blocks) })
}

/// g . N g (J): what the impulses of rows do, and what compliance takes.
fn energy(rows: &Rows, response: &[Response], bodies: usize) -> f64 {
    let mut twists = vec![Twist::default(); bodies];
    rows.give_impulses(response, &mut twists);
    let mut sum = 0.0;
    for index in 0..rows.len() {
        let (linear, angular) = rows.motion(index, &twists);
        let Wrench { force, torque } = rows.impulse[index];
        let [of_forces, of_torques] = rows.options(index).compliance;
        sum += force.dot(linear + of_forces * force) + torque.dot(angular + of_torques * torque);
    }
    for index in 0..rows.blocks().len() {
        let motion = rows.blocks().motion(index, &twists);
        for (k, row) in rows.blocks().rows(index).iter().enumerate() {
            sum += row.impulse * (motion[k] + row.compliance * row.impulse);
        }
    }
    sum.max(0.0)
}

//! Impulses from step to step: a contact that lasts starts from the mean force and torque that it bore in the step before, whichever
//! way it has turned since, and a new one from zero.
//!
//! A force and no impulse is kept, so that a stage may take another step. The solver cuts what it starts from down to the cones along
//! the new normal. Without friction that holds a pile, what it starts from does not change what is solved, only how fast.

use super::{Work, books};
use crate::cone::{Rows, Wrench};
use crate::contact::{ContactKey, Remembered};
use crate::law::RigidLaws;
use crate::state::{Contacts, State};

/// The numbers of a contact: bits of slipping, force (N) and torque (N m) on a.
type Numbers = [f64; RigidLaws::MEMORY];

/// Starts each row from what its contact bore before.
pub fn warm_start(state: &State, work: &mut Work, dt: f64) {
    let Some(held) = state.contacts.keyed() else { return };
    let Work { rows, touching, .. } = work;
    for (row, touching) in touching.iter().enumerate() {
        if let Ok(at) = held.keys.binary_search(&touching.key) {
            let &[_, fx, fy, fz, tx, ty, tz] = held.numbers_of(at) else { continue };
            let (force, torque) = (glam::DVec3::new(fx, fy, fz), glam::DVec3::new(tx, ty, tz));
            rows.start_from(row, Wrench { force: force * dt, torque: torque * dt });
        }
    }
}

/// Keeps what the contacts of the step bear, by rising keys.
pub fn remember(state: &mut State, work: &Work, dt: f64) {
    let Work { rows, touching, .. } = work;
    let mut order: Vec<(ContactKey, usize)> = touching
        .iter()
        .zip(0..)
        .filter(|(_, row)| bears(rows, *row))
        .map(|(touching, row)| (touching.key, row))
        .collect();
    order.sort_unstable();
    let mut held = Remembered::with_capacity(order.len());
    for (key, row) in order {
        held.push(key, true, numbers(work, row, dt));
    }
    state.contacts = Contacts::Keyed(held);
}

/// Whether a row is a contact: it pushes.
pub fn bears(rows: &Rows, row: usize) -> bool {
    rows.split_impulse(row).normal > 0.0
}

fn numbers(work: &Work, row: usize, dt: f64) -> Numbers {
    let Wrench { force, torque } = work.rows.impulses()[row];
    let (force, torque) = (force / dt, torque / dt);
    let bits = f64::from_bits(books::slipping(work, row));
    [bits, force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

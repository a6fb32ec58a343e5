//! Bodies come and go between two steps: what that does to contacts and to the ledger. A body brings its kinetic and potential energy
//! and takes them away; its contacts end, and store nothing.

use super::Work;
use crate::body::Body;
use crate::contact::Remembered;
use crate::error::Trouble;
use crate::geometry::Geometry;
use crate::model::Model;
use crate::state::{Contacts, State, chunk_size};
use crate::traffic::{self, Looks};

/// Steps between two looks at who comes and goes: these are large.
const LOOKS: Looks = Looks { out_every: 1, least_wait: 1 };

/// Lets bodies in and out if it is time to. Returns the step before which there is nothing of the kind to do again, at most `end`.
pub fn exchange(
    model: &Model,
    state: &mut State,
    geometry: &mut Geometry,
    work: &mut Work,
    end: u64,
) -> Result<u64, Trouble> {
    let found = traffic::exchange(model, state, geometry, LOOKS, end)?;
    change(model, state, geometry, work, (&found.leaving, &found.entering));
    Ok(found.pause)
}

/// Takes out bodies, by rising id, and puts others in.
pub fn change(
    model: &Model,
    state: &mut State,
    geometry: &mut Geometry,
    work: &mut Work,
    (leaving, entering): (&[u32], &[Body]),
) {
    if leaving.is_empty() && entering.is_empty() {
        return;
    }
    let leaves = |id: u32| leaving.binary_search(&id).is_ok();
    if let Some(held) = state.contacts.keyed() {
        let mut left = Remembered::with_capacity(held.len());
        for (key, live, numbers) in held.iter().filter(|(key, ..)| !leaves(key.a) && !leaves(key.b)) {
            left.push(key, live, numbers.iter().copied());
        }
        state.contacts = Contacts::Keyed(left);
    }
    work.kept.retain(|row| !leaves(row.a) && !leaves(row.b));
    let gone = traffic::take_out(model, state, leaving);
    state.sums.carried.book_out(&gone);
    let come = traffic::put_in(model, state, geometry, entering);
    state.sums.carried.book_in(&come);
    state.bodies.note_indices();
    state.bodies.chunk = chunk_size(state.bodies.movers.len());
    geometry.pose(&state.bodies);
}

//! Places drawn at random, looked at many at a time.
//!
//! In a crowd hundreds of draws fail for one that does not, and each look waits for memory. So when most fail, a batch of draws is
//! held against the spheres that are there, on all threads: what overlaps them will, whatever is placed meanwhile. The others are
//! looked at again when their turn comes. Which draw is taken for which sphere does not depend on it.

use glam::DVec3;
use rayon::prelude::*;

use super::Room;
use super::covered::Covered;
use super::shelves::Shelves;
use crate::random::Stream;

/// Draws in a batch.
pub const AT_ONCE: usize = 8192;

/// A place.
#[derive(Clone, Copy)]
pub struct Draw {
    /// Where (m).
    pub place: DVec3,
    /// Whether it is known to be taken.
    pub taken: bool,
}

/// Draws, in the order of their stream.
pub struct Draws<'a> {
    room: &'a Room,
    /// The stream, at the end of the batch.
    ahead: Stream,
    batch: Vec<Draw>,
    /// The next of the batch.
    next: usize,
    /// How many draws were asked for.
    pub used: u64,
    /// How many draws of the batch have been placed.
    placed: usize,
    covered: Option<Covered>,
}

impl<'a> Draws<'a> {
    /// From where the stream is; it stays there.
    pub fn new(room: &'a Room, stream: &Stream, covered: Option<Covered>) -> Self {
        // As if the last batch had been placed to the last.
        Draws { room, ahead: stream.clone(), batch: Vec::new(), next: 0, used: 0, placed: AT_ONCE, covered }
    }

    /// Notes that a sphere has been placed.
    pub fn note(&mut self, place: DVec3, radius: f64) {
        self.placed += 1;
        if let Some(covered) = &mut self.covered {
            covered.add(place, radius);
        }
    }

    /// The next draw, for spheres of at least this radius, as many as a batch has. Whether it is taken matters no more once all is
    /// `jammed`.
    pub fn next(&mut self, shelves: &Shelves, smallest: f64, jammed: bool) -> Draw {
        if self.next == self.batch.len() {
            // Of solids the spheres around them do not tell.
            let crowded = 4 * self.placed < AT_ONCE && !jammed && self.room.solids.is_none();
            self.batch.clear();
            let (room, ahead) = (self.room, &mut self.ahead);
            self.batch.extend((0..AT_ONCE).map(|_| Draw { place: room.draw(ahead), taken: false }));
            if crowded {
                let covered = |place: DVec3| self.covered.as_ref().is_some_and(|covered| covered.covers(place));
                let taken = |place: DVec3| covered(place) || shelves.overlaps(place, smallest, usize::MAX, |_, _| true);
                let look = |draw: &mut Draw| draw.taken = taken(draw.place);
                self.batch.par_iter_mut().with_min_len(256).for_each(look);
            }
            (self.next, self.placed) = (0, 0);
        }
        self.next += 1;
        self.used += 1;
        self.batch[self.next - 1]
    }
}

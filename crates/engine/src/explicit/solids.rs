//! Pairs with an ellipsoid or a box in the pass over contacts: which touch, and what is gathered of them. They are looked at in
//! every step, as walls are; the geometry is in `collide/`.

use super::contacts::{TooDeep, View};
use crate::collide::general::{self, End};
use crate::contact::Block;
use crate::neighbour::{Candidate, ChunkNeighbours, Side};

impl<'a> View<'a> {
    /// The two bodies of a pair with an ellipsoid or a box.
    fn ends(&self, candidate: &Candidate, wall: Side) -> [End<'a>; 2] {
        let end = |index: u32, side: Side| {
            let mover = &self.movers[index as usize];
            if side != wall {
                return self.solids.end(mover, self.dt);
            }
            let number = index as usize - self.spheres;
            End::of_wall(mover, &self.walls[number], &self.walls_before[number])
        };
        [end(candidate.a, Side::A), end(candidate.b, Side::B)]
    }
}

/// Whether a pair with an ellipsoid or a box touches. As for walls, half of the smaller radius is too deep, here that of
/// curvature: beyond, there is no telling one normal from another.
pub fn touches(view: &View, candidate: &Candidate, wall: Side, too_deep: &mut Option<TooDeep>) -> bool {
    let [a, b] = view.ends(candidate, wall);
    let Some(meeting) = general::touch(&a, &b, candidate.feature()) else { return false };
    if meeting.overlap > 0.5 * meeting.radius_eff {
        let velocity = general::speed_at(&a, &b, &meeting);
        let (approach, speed, overlap) = (-velocity.dot(meeting.normal), velocity.length(), meeting.overlap);
        let radius_eff = Some(meeting.radius_eff);
        *too_deep = Some(TooDeep { pair: *candidate, overlap, approach, speed, radius_eff });
    }
    true
}

/// Fills the block from the bodies.
#[inline(never)]
pub fn gather<const N: usize>(
    block: &mut Block,
    view: &View,
    lists: &ChunkNeighbours,
    wall: Side,
    placed: &[u32],
    live: u32,
) {
    // Only what touches is worth its geometry; the lanes between repeat one that does.
    let any = (live.trailing_zeros() as usize).min(placed.len() - 1);
    for lane in 0..N {
        let place = if live >> lane & 1 == 1 { lane } else { any };
        let candidate = &lists.candidates[placed[place] as usize];
        let [a, b] = view.ends(candidate, wall);
        general::gather(block, lane, &a, &b, candidate.feature());
    }
    block.live = live;
}

//! Pairs with an ellipsoid or a box in the pass over contacts: which touch, and what is gathered of them. They are looked at in
//! every step, as walls are; the geometry is in `collide/`.

use super::gather::Batch;
use super::lists::Candidate;
use super::{TooDeep, View};
use crate::collide::general;
use crate::contact::{Block, Side};

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
pub fn gather<const N: usize>(block: &mut Block, view: &View, batch: &Batch) {
    let (placed, live) = (batch.placed, batch.live);
    // Only what touches is worth its geometry; the lanes between repeat one that does.
    let any = (live.trailing_zeros() as usize).min(placed.len() - 1);
    // The corners of a box stand side by side and share one mass.
    let mut last: Option<((u32, u32), f64)> = None;
    for lane in 0..N {
        let touches = live >> lane & 1 == 1;
        let candidate = batch.pair(if touches { lane } else { any });
        let [a, b] = view.ends(candidate, batch.class.wall);
        general::gather(block, lane, &a, &b, candidate.feature());
        if touches {
            let pair = (candidate.a, candidate.b);
            let known = last.filter(|(of, _)| *of == pair).map(|(_, mass)| mass);
            let mass = known.unwrap_or_else(|| general::normal_mass_of(&a, &b, block.dt));
            block.normal_mass.0[lane] = mass;
            last = Some((pair, mass));
        }
    }
    block.live = live;
}

//! Pairs with an ellipsoid or a box in the pass over contacts: which touch, and what is gathered of them. Detection measures them
//! in every step, as walls; the geometry is in `collide/`.

use super::detect::{Apart, limit};
use super::gather::Batch;
use super::lists::Candidate;
use super::{TooDeep, View};
use crate::collide::{Touches, general};
use crate::contact::{Block, Side};

/// The features in which a pair with an ellipsoid or a box touches, a bit each. As for walls, half of the smaller radius is too
/// deep, here that of curvature: beyond, there is no telling one normal from another.
pub fn touch(
    view: &View,
    candidate: &Candidate,
    (wall, apart): (Side, Apart),
    touches: &mut Touches,
    too_deep: &mut Option<TooDeep>,
) -> u8 {
    let [a, b] = view.ends(candidate, wall);
    let within = apart.map_or(0.0, |_| f64::INFINITY);
    general::touch(&a, &b, within, touches);
    let mut features = 0;
    for touch in touches.iter().filter(|touch| touch.gap < limit(apart, touch.feature, touch.radius_eff)) {
        features |= 1 << touch.feature;
        let overlap = touch.overlap();
        if overlap > 0.5 * touch.radius_eff {
            let velocity = general::speed_at(&a, &b, touch);
            let (approach, speed) = (-velocity.dot(touch.normal), velocity.length());
            let radius_eff = Some(touch.radius_eff);
            *too_deep = Some(TooDeep { pair: *candidate, overlap, approach, speed, radius_eff });
        }
    }
    features
}

/// Fills the block from the bodies.
#[inline(never)]
pub fn gather<const N: usize>(block: &mut Block, view: &View, batch: &Batch) {
    let (placed, live) = (batch.placed, batch.live);
    // Only what touches is worth its geometry; the lanes between repeat one that does.
    let any = (live.trailing_zeros() as usize).min(placed.len() - 1);
    let apart = view.acting_apart(batch.class);
    let end = |radius_eff: f64| apart.map_or(0.0, |normal| normal.reach(radius_eff).end);
    // The corners of a box stand side by side and share one mass.
    let mut last: Option<((u32, u32), f64)> = None;
    for lane in 0..N {
        let touches = live >> lane & 1 == 1;
        let chosen = if touches { lane } else { any };
        let candidate = batch.pair(chosen);
        let [a, b] = view.ends(candidate, batch.class.wall);
        general::gather(block, lane, &a, &b, batch.placed[chosen].feature());
        if touches {
            let pair = (candidate.a, candidate.b);
            let known = last.filter(|(of, _)| *of == pair).map(|(_, mass)| mass);
            let mass = known.unwrap_or_else(|| general::normal_mass_of(&a, &b, block.dt, end));
            block.normal_mass.0[lane] = mass;
            last = Some((pair, mass));
        }
    }
    block.live = live;
}

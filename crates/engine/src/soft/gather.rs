//! The contacts of a block, gathered from the records of their bodies.

use super::lists::{Candidate, Class};
use super::{View, solids};
use crate::collide::{sphere_sphere, sphere_wall, surfaces};
use crate::contact::{Block, Side};
use crate::law::kernel;
use crate::state::Slot;

/// The contacts of one block: who they are.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    /// The chunk's candidates.
    pub candidates: &'a [Candidate],
    /// Materials and shapes of all.
    pub class: Class,
    /// Which of them and their features, by lane.
    pub placed: &'a [Slot],
    /// The places of the blocks that follow.
    pub ahead: &'a [Slot],
    /// One bit per place, set where the pair may touch.
    pub live: u32,
    /// One bit per place, set where the contact was live before.
    pub was_live: u32,
}

impl<'a> Batch<'a> {
    /// The pair in a lane.
    #[inline(always)]
    pub fn pair(&self, lane: usize) -> &'a Candidate {
        &self.candidates[self.placed[lane].candidate()]
    }

    /// Fills the first `N` lanes of a block from the bodies. Lanes beyond the places repeat the last one, so that no lane divides by
    /// zero.
    #[inline(always)]
    pub fn gather<const N: usize>(&self, block: &mut Block, view: &View) {
        block.solid = self.class.solid;
        block.was_live = self.was_live;
        if self.class.solid {
            return solids::gather::<N>(block, view, self);
        }
        let wall = self.class.wall;
        for lane in 0..N {
            // Neighbours in space are near in memory, not next to each other: ask for those of the next block in time.
            if let Some(&next) = self.ahead.get(lane) {
                let next = &self.candidates[next.candidate()];
                kernel::prefetch(&view.records.movers[next.a as usize]);
                kernel::prefetch(&view.records.movers[next.b as usize]);
            }
            let candidate = self.pair(lane.min(self.placed.len() - 1));
            let [a, b] = view.movers(candidate);
            if wall == Side::Neither {
                sphere_sphere::gather(block, lane, a, b, view.colliders.shifts[candidate.image()]);
            } else {
                let index = view.wall(if wall == Side::A { candidate.a } else { candidate.b });
                let (now, before) = (view.colliders.now.wall(index), view.colliders.before.wall(index));
                sphere_wall::gather(block, lane, a, b, wall, now, before);
            }
        }
        block.live = self.live;
    }

    /// Adds what laws that track points want besides. Lanes beyond the places keep what they have: any numbers will do.
    #[inline(never)]
    pub fn gather_surfaces(&self, block: &mut Block, view: &View) {
        for lane in 0..self.placed.len() {
            let candidate = self.pair(lane);
            let orientations = [candidate.a, candidate.b].map(|index| view.records.orientations[index as usize]);
            if self.class.solid {
                // Points and curvatures have come with the geometry.
                (block.surfaces.orientation_a[lane], block.surfaces.orientation_b[lane]) = orientations.into();
                continue;
            }
            let [a, b] = view.movers(candidate);
            surfaces::gather(block, lane, a, b, orientations[0], orientations[1]);
        }
    }
}

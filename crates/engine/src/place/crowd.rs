//! Spheres, or solids, that overlap, pushed apart round by round.
//!
//! In a round every sphere moves away from those that it overlaps, or nearly does, by half of what is missing, all at once. A
//! sphere that has moved nowhere, and near which none has moved, need not be looked at in the next round: there, too, it
//! would go nowhere. So a round costs as much as there is left to do, not as there are spheres. Spheres stand in memory in the
//! order of space; sums are taken in the order of the numbers that they had before.

use glam::DVec3;
use rayon::prelude::*;

use super::shelves::Shelves;
use super::{CLEARANCE, LOOKS_OF_SOLIDS, Room};

/// The spheres.
pub struct Crowd<'a> {
    room: &'a Room,
    shelves: Shelves,
    /// The number of each sphere among those of the caller.
    numbers: Vec<u32>,
    /// Those that moved in the round before.
    moved: Vec<u32>,
    /// Whether a sphere is looked at in this round.
    looked_at: Vec<bool>,
    /// How many neighbours were looked at, over all rounds.
    looks: u64,
}

/// Where a sphere goes in a round.
struct Push {
    sphere: u32,
    shift: DVec3,
    overlapping: bool,
    /// How many neighbours it took; one that is a solid counts as many.
    looks: u64,
}

impl<'a> Crowd<'a> {
    /// Of spheres in a room.
    pub fn new(room: &'a Room, radii: &[f64], centres: &[DVec3]) -> Self {
        let numbers = room.filled(radii, centres).in_cells();
        let mut place = vec![0_u32; numbers.len()];
        for (at, &number) in numbers.iter().enumerate() {
            place[number as usize] = at as u32;
        }
        let mut shelves = room.shelves(radii);
        // By number, so that the highest of a cell stands first.
        for (number, &place) in place.iter().enumerate() {
            shelves.insert(place as usize, centres[number], radii[number]);
        }
        let all = 0..numbers.len() as u32;
        Crowd { room, shelves, looked_at: vec![false; numbers.len()], numbers, moved: all.collect(), looks: 0 }
    }

    /// How many neighbours were looked at in all rounds: the work done, the same on any number of threads.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// The centres, by number.
    pub fn take_centres(self, centres: &mut [DVec3]) {
        for (at, &number) in self.numbers.iter().enumerate() {
            centres[number as usize] = self.shelves.sphere(at).0;
        }
    }

    /// Moves every two overlapping spheres apart by half their overlap each; true while any two overlap.
    pub fn push_apart(&mut self) -> bool {
        let pushes = self.pushes();
        self.looks += pushes.iter().map(|push| push.looks).sum::<u64>();
        let overlapping = pushes.iter().any(|push| push.overlapping);
        self.moved.clear();
        let mut shifted = false;
        for &Push { sphere, shift, .. } in &pushes {
            let at = sphere as usize;
            self.looked_at[at] = false;
            let old = self.shelves.sphere(at).0;
            let new = self.room.put_back(old + shift);
            shifted |= shift != DVec3::ZERO;
            if new != old || shift != DVec3::ZERO {
                let numbers = &self.numbers;
                self.shelves.move_to(at, new, |other| numbers[other] > numbers[at]);
                self.moved.push(sphere);
            }
        }
        // What was found apart before this round's shifts may overlap after them: one more look, unless nothing moved.
        overlapping || shifted && self.any_overlap()
    }

    /// Where spheres go that have moved in the round before, or are near one that has. All others go nowhere.
    fn pushes(&mut self) -> Vec<Push> {
        self.moved.iter().for_each(|&sphere| self.looked_at[sphere as usize] = true);
        let parts = self.moved.par_chunks(1024).map(|part| {
            let mut near = Vec::new();
            let pushes: Vec<Push> = part.iter().map(|&sphere| self.push(sphere, |other| near.push(other))).collect();
            (pushes, near)
        });
        let parts: Vec<(Vec<Push>, Vec<u32>)> = parts.collect();
        let mut others = Vec::new();
        for &sphere in parts.iter().flat_map(|(_, near)| near) {
            if !std::mem::replace(&mut self.looked_at[sphere as usize], true) {
                others.push(sphere);
            }
        }
        let others = others.par_iter().with_min_len(256).map(|&sphere| self.push(sphere, |_| ()));
        let mut pushes: Vec<Push> = others.collect();
        parts.into_iter().for_each(|(part, _)| pushes.extend(part));
        // In the order of space again.
        pushes.par_sort_unstable_by_key(|push| push.sphere);
        pushes
    }

    /// Where a sphere goes; calls `near` for those near it that would not be looked at.
    fn push(&self, sphere: u32, mut near: impl FnMut(u32)) -> Push {
        let (at, own) = self.shelves.sphere(sphere as usize);
        let (mut shift, mut overlapping, mut looks) = (DVec3::ZERO, false, 0);
        self.shelves.near(at, |other, centre, radius| {
            looks += 1;
            let between = self.shelves.nearest(at - centre);
            let reach = own + radius;
            // Most are far away: no root for them. The factor covers rounding many times over.
            if between.length_squared() > CLEARANCE * CLEARANCE * reach * reach * (1.0 + 1e-12) {
                return true;
            }
            let distance = between.length();
            if other != sphere as usize && distance < CLEARANCE * reach {
                if !self.looked_at[other] {
                    near(other as u32);
                }
                // Two at one place are parted along an axis, the lower one down.
                let numbers = [sphere as usize, other].map(|at| self.numbers[at] as usize);
                let axis = DVec3::Z * if numbers[0] < numbers[1] { -1.0 } else { 1.0 };
                let solids = self.room.apart(numbers, between).map(|apart| {
                    looks += LOOKS_OF_SOLIDS;
                    let normal = if distance > 0.0 { apart.normal } else { axis };
                    (normal, self.room.clearance() - apart.gap, apart.gap <= 0.0)
                });
                let (direction, missing, overlap) = solids.unwrap_or_else(|| {
                    let direction = if distance > 0.0 { between / distance } else { axis };
                    (direction, CLEARANCE * reach - distance, distance <= reach)
                });
                overlapping |= overlap;
                if missing > 0.0 {
                    shift += direction * (0.5 * missing);
                }
            }
            true
        });
        Push { sphere, shift, overlapping, looks }
    }

    fn any_overlap(&self) -> bool {
        let overlaps = |&sphere: &u32| {
            let (at, radius) = self.shelves.sphere(sphere as usize);
            let with = |other: usize, between: DVec3| {
                self.room.overlap([sphere as usize, other].map(|at| self.numbers[at] as usize), between)
            };
            self.shelves.overlaps(at, radius, sphere as usize, with)
        };
        self.moved.par_iter().with_min_len(1024).any(overlaps)
    }
}

//! Many spheres at random places without overlap.
//!
//! Random sequential placement, the largest first; where that jams (beyond a volume fraction of about 0.3), the rest are
//! dropped in anywhere and all are pushed apart until none overlap. Ends with an error, not a loop, when that fails.
//! In a periodic cell (`place/in_cell.rs`) none overlap through its faces either.

mod in_cell;
mod shelves;

use std::time::{Duration, Instant};

use glam::DVec3;
use rayon::prelude::*;
use thiserror::Error;

use crate::random::Stream;
use shelves::Shelves;

pub use in_cell::Within;

/// Above this volume fraction placement is refused at once.
pub const DENSEST: f64 = 0.55;

/// Why spheres could not be placed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PlaceError {
    /// They would fill too much of the region.
    #[error(
        "{count} spheres would fill {fraction:.3} of the region, more than {DENSEST}, which random placement can \
         reach: give it more room, or fewer or smaller spheres"
    )]
    TooDense {
        /// How many.
        count: usize,
        /// Volume of spheres over volume of the region they may cover.
        fraction: f64,
    },
    /// Pushing apart does not help, or takes too long.
    #[error(
        "no places without overlap found for {count} spheres (volume fraction {fraction:.3}) in {rounds} rounds of pushing \
         them apart: give them more room, or fewer or smaller ones"
    )]
    GaveUp {
        /// How many.
        count: usize,
        /// Volume of spheres over volume of the region they may cover.
        fraction: f64,
        /// How often all were moved.
        rounds: usize,
    },
}

/// Volume of the spheres over the volume that spheres with centres between `from` and `to` may cover.
pub fn volume_fraction(from: DVec3, to: DVec3, radii: &[f64]) -> f64 {
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let size = to - from + DVec3::splat(2.0 * largest);
    let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum();
    volume / (size.x * size.y * size.z)
}

/// Centres between `from` and `to` for spheres of these radii, none overlapping.
pub fn random(
    from: DVec3,
    to: DVec3,
    radii: &[f64],
    stream: &mut Stream,
    deadline: Duration,
) -> Result<Vec<DVec3>, PlaceError> {
    let room = Room { fraction: volume_fraction(from, to, radii), shape: Shape::Box { from, to } };
    room.fill(radii, stream, deadline)
}

/// Centres for spheres of these radii in a periodic cell, none overlapping, nor their images.
pub fn random_in_cell(
    within: &Within,
    radii: &[f64],
    stream: &mut Stream,
    deadline: Duration,
) -> Result<Vec<DVec3>, PlaceError> {
    // Distances to the nearest image are sure in the cell of the lattice that leans least.
    let upright = Within { frame: within.frame.reduced().map_or(within.frame, |reduced| reduced.0), ..*within };
    let room = Room { fraction: within.volume_fraction(radii), shape: Shape::Cell(upright) };
    room.fill(radii, stream, deadline)
}

/// Where centres may lie, and how much of it the spheres would fill.
struct Room {
    fraction: f64,
    shape: Shape,
}

enum Shape {
    Box { from: DVec3, to: DVec3 },
    Cell(Within),
}

/// What is not apart after so many rounds never is: 500 spheres at a volume fraction of 0.549 took 2758.
const MOST_ROUNDS: usize = 20_000;

/// Spheres are pushed to this multiple of the sum of their radii, so that few rounds end with none touching.
const CLEARANCE: f64 = 1.01;

impl Room {
    fn fill(&self, radii: &[f64], stream: &mut Stream, deadline: Duration) -> Result<Vec<DVec3>, PlaceError> {
        let (fraction, count) = (self.fraction, radii.len());
        if fraction > DENSEST {
            return Err(PlaceError::TooDense { count, fraction });
        }
        let start = Instant::now();
        let (mut centres, mut jammed) = self.drop_in(radii, stream);
        let mut rounds = 0;
        while jammed {
            if rounds == MOST_ROUNDS || start.elapsed() > deadline {
                return Err(PlaceError::GaveUp { count, fraction, rounds });
            }
            rounds += 1;
            jammed = self.push_apart(radii, &mut centres);
        }
        Ok(centres)
    }

    /// One after the other, the largest first; and whether some found no place without overlap.
    fn drop_in(&self, radii: &[f64], stream: &mut Stream) -> (Vec<DVec3>, bool) {
        let mut order: Vec<usize> = (0..radii.len()).collect();
        order.sort_by(|&i, &j| radii[j].total_cmp(&radii[i]).then(i.cmp(&j)));
        let mut centres = vec![DVec3::ZERO; radii.len()];
        let mut jammed = false;
        let mut shelves = self.shelves(radii);
        for sphere in order {
            let mut at = self.draw(stream);
            // Once jammed, the rest is dropped in anywhere and pushed apart later.
            let mut tries = if jammed { 0 } else { 500 };
            while tries > 0 && shelves.overlaps(at, radii[sphere], sphere) {
                at = self.draw(stream);
                tries -= 1;
            }
            jammed |= tries == 0;
            centres[sphere] = at;
            shelves.insert(sphere, at, radii[sphere]);
        }
        (centres, jammed)
    }

    /// Moves every two overlapping spheres apart by half their overlap each; true while any two overlap.
    fn push_apart(&self, radii: &[f64], centres: &mut [DVec3]) -> bool {
        let shelves = self.filled(radii, centres);
        let push = |(i, &at): (usize, &DVec3)| {
            let (mut shift, mut overlapping) = (DVec3::ZERO, false);
            shelves.near(at, |j, centre, radius| {
                let between = shelves.nearest(at - centre);
                let reach = radii[i] + radius;
                let distance = between.length();
                if j != i && distance < CLEARANCE * reach {
                    overlapping |= distance <= reach;
                    // Two at one place are parted along an axis, the lower one down.
                    let direction =
                        if distance > 0.0 { between / distance } else { DVec3::Z * if i < j { -1.0 } else { 1.0 } };
                    shift += direction * (0.5 * (CLEARANCE * reach - distance));
                }
                true
            });
            (shift, overlapping)
        };
        let pushed = centres.par_iter().with_min_len(1024).enumerate().map(push);
        let (shifts, overlapping): (Vec<DVec3>, Vec<bool>) = pushed.unzip();
        let overlapping = overlapping.contains(&true);
        for (centre, shift) in centres.iter_mut().zip(&shifts) {
            *centre = self.put_back(*centre + *shift);
        }
        // What was found apart before this round's shifts may overlap after them: one more look, unless nothing moved.
        overlapping || shifts.iter().any(|&shift| shift != DVec3::ZERO) && self.any_overlap(radii, centres)
    }

    fn any_overlap(&self, radii: &[f64], centres: &[DVec3]) -> bool {
        let shelves = self.filled(radii, centres);
        let overlaps = |(sphere, &at): (usize, &DVec3)| shelves.overlaps(at, radii[sphere], sphere);
        centres.par_iter().with_min_len(1024).enumerate().any(overlaps)
    }

    /// Shelves with all spheres in them.
    fn filled(&self, radii: &[f64], centres: &[DVec3]) -> Shelves {
        let mut shelves = self.shelves(radii);
        for (sphere, (&at, &radius)) in centres.iter().zip(radii).enumerate() {
            shelves.insert(sphere, at, radius);
        }
        shelves
    }

    fn draw(&self, stream: &mut Stream) -> DVec3 {
        let three = DVec3::new(stream.unit(), stream.unit(), stream.unit());
        match &self.shape {
            Shape::Box { from, to } => *from + (*to - *from) * three,
            Shape::Cell(within) => within.at(three),
        }
    }

    /// The nearest place where a centre may lie.
    fn put_back(&self, at: DVec3) -> DVec3 {
        match &self.shape {
            Shape::Box { from, to } => at.clamp(*from, *to),
            Shape::Cell(within) => within.put_back(at),
        }
    }

    fn shelves(&self, radii: &[f64]) -> Shelves {
        match &self.shape {
            Shape::Box { from, to } => Shelves::over_box(*from, *to, radii),
            Shape::Cell(within) => Shelves::over_cell(within.frame, radii),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(count: usize, side: f64, radius: impl Fn(usize) -> f64) -> Result<(Vec<DVec3>, Vec<f64>), PlaceError> {
        let radii: Vec<f64> = (0..count).map(radius).collect();
        let mut stream = Stream::named(1, "test");
        let centres = random(DVec3::ZERO, DVec3::splat(side), &radii, &mut stream, Duration::from_secs(20))?;
        Ok((centres, radii))
    }

    fn check(centres: &[DVec3], radii: &[f64], side: f64) {
        for (i, a) in centres.iter().enumerate() {
            assert!(a.min_element() >= 0.0 && a.max_element() <= side);
            for (j, b) in centres.iter().enumerate().skip(i + 1) {
                assert!((*a - *b).length() > radii[i] + radii[j], "{i} and {j} overlap");
            }
        }
    }

    #[test]
    fn loose_dense_and_mixed_spheres_do_not_overlap() {
        // 500 spheres of diameter 1: volume fractions 0.05 and 0.5; then a 5:1 mixture.
        let (centres, radii) = placed(500, 16.4, |_| 0.5).unwrap();
        check(&centres, &radii, 16.4);
        let (centres, radii) = placed(500, 7.06, |_| 0.5).unwrap();
        assert!(volume_fraction(DVec3::ZERO, DVec3::splat(7.06), &radii) > 0.49);
        check(&centres, &radii, 7.06);
        let (centres, radii) = placed(300, 10.0, |i| if i % 10 == 0 { 1.0 } else { 0.2 }).unwrap();
        check(&centres, &radii, 10.0);
    }

    #[test]
    fn too_many_are_refused_at_once() {
        let error = placed(1000, 7.06, |_| 0.5).unwrap_err();
        assert!(matches!(error, PlaceError::TooDense { count: 1000, .. }), "{error}");
    }

    #[test]
    fn what_never_parts_is_refused_soon() {
        // 44 spheres in a slit that holds 40 were pushed to and fro for 20 s.
        let start = Instant::now();
        let mut stream = Stream::named(1, "test");
        let (from, to) = (DVec3::ZERO, DVec3::new(0.0, 0.03, 0.095));
        let error = random(from, to, &[0.005; 44], &mut stream, Duration::from_secs(20)).unwrap_err();
        assert!(matches!(error, PlaceError::GaveUp { count: 44, rounds: MOST_ROUNDS, .. }), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

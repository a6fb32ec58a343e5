//! Many spheres at random places without overlap.
//!
//! Random sequential placement, the largest first; where that jams (beyond a volume fraction of about 0.3), the rest are
//! dropped in anywhere and all are pushed apart until none overlap. Ends with an error, not a loop, when that fails.
//! In a periodic cell (`place/in_cell.rs`) none overlap through its faces either.

mod covered;
mod crowd;
mod draws;
mod in_cell;
mod shelves;

use std::time::{Duration, Instant};

use glam::DVec3;
use thiserror::Error;

use crate::random::Stream;
use covered::Covered;
use crowd::Crowd;
use draws::{AT_ONCE, Draw, Draws};
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

/// Random numbers of a draw.
const NUMBERS: u64 = 3;

/// Spheres are pushed to this multiple of the sum of their radii, so that few rounds end with none touching.
const CLEARANCE: f64 = 1.01;

impl Room {
    fn fill(&self, radii: &[f64], stream: &mut Stream, deadline: Duration) -> Result<Vec<DVec3>, PlaceError> {
        let (fraction, count) = (self.fraction, radii.len());
        if fraction > DENSEST {
            return Err(PlaceError::TooDense { count, fraction });
        }
        let start = Instant::now();
        let (mut centres, jammed) = self.drop_in(radii, stream);
        if jammed {
            let mut crowd = Crowd::new(self, radii, &centres);
            let mut rounds = 0;
            loop {
                if rounds == MOST_ROUNDS || start.elapsed() > deadline {
                    return Err(PlaceError::GaveUp { count, fraction, rounds });
                }
                rounds += 1;
                if !crowd.push_apart() {
                    break;
                }
            }
            crowd.take_centres(&mut centres);
        }
        Ok(centres)
    }

    /// One after the other, the largest first; and whether some found no place without overlap.
    fn drop_in(&self, radii: &[f64], stream: &mut Stream) -> (Vec<DVec3>, bool) {
        let mut order: Vec<u32> = (0..radii.len() as u32).collect();
        let radius = |sphere: u32| radii[sphere as usize];
        order.sort_by(|&i, &j| radius(j).total_cmp(&radius(i)).then(i.cmp(&j)));
        let mut centres = vec![DVec3::ZERO; radii.len()];
        let mut shelves = self.shelves(radii);
        let mut draws = Draws::new(self, stream, self.covered(radii));
        let mut jammed = false;
        for (number, &sphere) in order.iter().enumerate() {
            // So many draws may be looked at for spheres that are no smaller than this one.
            let smallest = radius(order[(number + AT_ONCE).min(order.len() - 1)]);
            let mut at = draws.next(&shelves, smallest, jammed);
            // Once jammed, the rest is dropped in anywhere and pushed apart later.
            let mut tries = if jammed { 0 } else { 500 };
            let taken = |at: Draw| at.taken || shelves.overlaps(at.place, radius(sphere), sphere as usize);
            while tries > 0 && taken(at) {
                at = draws.next(&shelves, smallest, jammed);
                tries -= 1;
            }
            jammed |= tries == 0;
            draws.note(at.place, radius(sphere));
            centres[sphere as usize] = at.place;
            shelves.insert(sphere as usize, at.place, radius(sphere));
        }
        stream.skip(NUMBERS * draws.used);
        (centres, jammed)
    }

    /// Shelves with all spheres in them.
    fn filled(&self, radii: &[f64], centres: &[DVec3]) -> Shelves {
        let mut shelves = self.shelves(radii);
        for (sphere, (&at, &radius)) in centres.iter().zip(radii).enumerate() {
            shelves.insert(sphere, at, radius);
        }
        shelves
    }

    /// A place at random, by so many numbers as `NUMBERS` says.
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

    fn covered(&self, radii: &[f64]) -> Option<Covered> {
        match &self.shape {
            Shape::Box { from, to } => Covered::new(*from, *to, radii),
            Shape::Cell(_) => None,
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

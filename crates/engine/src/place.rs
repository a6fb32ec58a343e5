//! Many bodies at random places without overlap: spheres, and solids that are turned already.
//!
//! Random sequential placement, the largest first; where that jams (beyond a volume fraction of about 0.3), the rest are
//! dropped in anywhere and all are pushed apart until none overlap. Ends with an error, not a loop, when that fails: after so
//! many rounds, or so much work, counted in looks at pairs. No clock is read, so that the outcome depends on the bodies alone.
//! In a periodic cell (`place/in_cell.rs`) none overlap through its faces either.
//!
//! A solid stands among the spheres with the one around it; where two of these touch, the bodies themselves are compared
//! (`apart.rs`), so that flat ones may lie close. Pushed apart they keep how they are turned.

mod apart;
mod covered;
mod crowd;
mod draws;
mod in_cell;
mod shelves;

use glam::{DQuat, DVec3};
use thiserror::Error;

use crate::collide::Posed;
use crate::random::Stream;
use crate::shape::Shape;
use apart::Apart;
use covered::Covered;
use crowd::Crowd;
use draws::{AT_ONCE, Draw, Draws};
use shelves::Shelves;

pub(crate) use apart::are_apart;
pub use in_cell::Within;

/// Above this volume fraction placement is refused at once.
pub const DENSEST: f64 = 0.55;

/// Why bodies could not be placed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PlaceError {
    /// They would fill too much of the region.
    #[error(
        "{count} bodies would fill {fraction:.3} of the region, more than {DENSEST}, which random placement can \
         reach: give it more room, or fewer or smaller bodies"
    )]
    TooDense {
        /// How many.
        count: usize,
        /// Volume of the bodies over volume of the region they may cover.
        fraction: f64,
    },
    /// Pushing apart does not help, or takes too much work.
    #[error(
        "no places without overlap found for {count} bodies (volume fraction {fraction:.3}) in {rounds} rounds of pushing \
         them apart; placed one by one they reached {reached:.3}: give them more room, or fewer or smaller ones"
    )]
    GaveUp {
        /// How many.
        count: usize,
        /// Volume of the bodies over volume of the region they may cover.
        fraction: f64,
        /// The volume fraction of those that found a place before one did not.
        reached: f64,
        /// How often all were moved.
        rounds: usize,
    },
}

/// Volume of the spheres over the volume that spheres with centres between `from` and `to` may cover.
pub fn volume_fraction(from: DVec3, to: DVec3, radii: &[f64]) -> f64 {
    volume_of(radii) / room_of(from, to, radii)
}

/// The volume that spheres, or solids with these radii around them, with centres between `from` and `to` may cover.
fn room_of(from: DVec3, to: DVec3, radii: &[f64]) -> f64 {
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let size = to - from + DVec3::splat(2.0 * largest);
    size.x * size.y * size.z
}

/// The volume of spheres.
fn volume_of(radii: &[f64]) -> f64 {
    radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum()
}

/// Centres between `from` and `to` for spheres of these radii, none overlapping.
pub fn random(from: DVec3, to: DVec3, radii: &[f64], stream: &mut Stream) -> Result<Vec<DVec3>, PlaceError> {
    let room = Room { fraction: volume_fraction(from, to, radii), region: Region::Box { from, to }, solids: None };
    room.fill(radii, stream)
}

/// Centres between `from` and `to` for solids that are turned so, none overlapping.
pub fn random_solids(
    from: DVec3,
    to: DVec3,
    solids: &[(Shape, DQuat)],
    stream: &mut Stream,
) -> Result<Vec<DVec3>, PlaceError> {
    let radii = radii_around(solids);
    let Some(all) = Solids::of(solids) else { return random(from, to, &radii, stream) };
    let fraction = volume_of_solids(solids) / room_of(from, to, &radii);
    Room { fraction, region: Region::Box { from, to }, solids: Some(all) }.fill(&radii, stream)
}

/// The same in a periodic cell, where they do not overlap images either.
pub fn random_solids_in_cell(
    within: &Within,
    solids: &[(Shape, DQuat)],
    stream: &mut Stream,
) -> Result<Vec<DVec3>, PlaceError> {
    let radii = radii_around(solids);
    let Some(all) = Solids::of(solids) else { return random_in_cell(within, &radii, stream) };
    let fraction = volume_of_solids(solids) / within.room(&radii);
    Room { fraction, region: Region::Cell(within.upright()), solids: Some(all) }.fill(&radii, stream)
}

/// The radii of spheres, and of those around solids.
fn radii_around(solids: &[(Shape, DQuat)]) -> Vec<f64> {
    solids.iter().map(|(shape, _)| shape.radius().unwrap_or(0.0)).collect()
}

fn volume_of_solids(solids: &[(Shape, DQuat)]) -> f64 {
    solids.iter().filter_map(|(shape, _)| shape.volume()).sum()
}

/// Centres for spheres of these radii in a periodic cell, none overlapping, nor their images.
pub fn random_in_cell(within: &Within, radii: &[f64], stream: &mut Stream) -> Result<Vec<DVec3>, PlaceError> {
    let fraction = within.volume_fraction(radii);
    let room = Room { fraction, region: Region::Cell(within.upright()), solids: None };
    room.fill(radii, stream)
}

/// Where centres may lie, and how much of it the bodies would fill.
struct Room {
    fraction: f64,
    region: Region,
    /// The bodies, unless all are spheres.
    solids: Option<Solids>,
}

/// Bodies that are not all spheres, by number.
struct Solids {
    /// At the origin.
    posed: Vec<Posed>,
    /// Volumes (m^3).
    volumes: Vec<f64>,
    /// They are pushed so far apart (m), so that few rounds end with none touching.
    clearance: f64,
}

enum Region {
    Box { from: DVec3, to: DVec3 },
    Cell(Within),
}

/// What is not apart after so many rounds never is: 500 spheres at a volume fraction of 0.549 took 2758.
const MOST_ROUNDS: usize = 20_000;

/// The most looks at neighbours over all rounds, however many bodies there are. A look takes some 5 ns on one core: 5 s.
const MOST_LOOKS: u64 = 1_000_000_000;
/// What comes on top for each body: of spheres, and where solids are among them. 500 spheres at 0.5 took 5000 each.
const MOST_LOOKS_EACH: [u64; 2] = [50_000, 5_000_000];
/// A comparison of two solids takes as long as this many looks, where they are slender.
const LOOKS_OF_SOLIDS: u64 = 1000;

/// Random numbers of a draw.
const NUMBERS: u64 = 3;

/// Spheres are pushed to this multiple of the sum of their radii, so that few rounds end with none touching.
const CLEARANCE: f64 = 1.01;

impl Solids {
    /// `None` if all are spheres.
    fn of(solids: &[(Shape, DQuat)]) -> Option<Solids> {
        let posed = |(shape, turn): &(Shape, DQuat)| Posed::new(shape, DVec3::ZERO, *turn);
        let mut shortest = f64::INFINITY;
        for (shape, _) in solids {
            shape.clone().map_lengths(|length| {
                shortest = shortest.min(length);
                length
            });
        }
        let some = solids.iter().any(|(shape, _)| !shape.is_sphere());
        let clearance = (CLEARANCE - 1.0) * shortest;
        let volumes = solids.iter().map(|(shape, _)| shape.volume().unwrap_or(0.0)).collect();
        some.then(|| Solids { posed: solids.iter().map(posed).collect(), volumes, clearance })
    }
}

impl Room {
    fn fill(&self, radii: &[f64], stream: &mut Stream) -> Result<Vec<DVec3>, PlaceError> {
        let each = MOST_LOOKS_EACH[usize::from(self.solids.is_some())];
        self.fill_by(radii, stream, MOST_LOOKS.saturating_add(each.saturating_mul(radii.len() as u64)))
    }

    /// The same with at most so many looks at neighbours.
    fn fill_by(&self, radii: &[f64], stream: &mut Stream, most_looks: u64) -> Result<Vec<DVec3>, PlaceError> {
        let (fraction, count) = (self.fraction, radii.len());
        if fraction > DENSEST {
            return Err(PlaceError::TooDense { count, fraction });
        }
        let (mut centres, jam) = self.drop_in(radii, stream);
        if let Some(part) = jam {
            let mut crowd = Crowd::new(self, radii, &centres);
            let mut rounds = 0;
            loop {
                if rounds == MOST_ROUNDS || crowd.looks() > most_looks {
                    return Err(PlaceError::GaveUp { count, fraction, reached: part * fraction, rounds });
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

    /// One after the other, the largest first; and if one found no place without overlap, the part of the volume placed before.
    fn drop_in(&self, radii: &[f64], stream: &mut Stream) -> (Vec<DVec3>, Option<f64>) {
        let mut order: Vec<u32> = (0..radii.len() as u32).collect();
        let radius = |sphere: u32| radii[sphere as usize];
        order.sort_by(|&i, &j| radius(j).total_cmp(&radius(i)).then(i.cmp(&j)));
        let mut centres = vec![DVec3::ZERO; radii.len()];
        let mut shelves = self.shelves(radii);
        let mut draws = Draws::new(self, stream, self.covered(radii));
        let mut jam: Option<usize> = None;
        for (number, &sphere) in order.iter().enumerate() {
            // So many draws may be looked at for spheres that are no smaller than this one.
            let smallest = radius(order[(number + AT_ONCE).min(order.len() - 1)]);
            let mut at = draws.next(&shelves, smallest, jam.is_some());
            // Once jammed, the rest is dropped in anywhere and pushed apart later.
            let mut tries = if jam.is_some() { 0 } else { 500 };
            let with = |other: usize, between: DVec3| self.overlap([sphere as usize, other], between);
            let taken = |at: Draw| at.taken || shelves.overlaps(at.place, radius(sphere), sphere as usize, with);
            while tries > 0 && taken(at) {
                at = draws.next(&shelves, smallest, jam.is_some());
                tries -= 1;
            }
            if tries == 0 {
                jam.get_or_insert(number);
            }
            draws.note(at.place, radius(sphere));
            centres[sphere as usize] = at.place;
            shelves.insert(sphere as usize, at.place, radius(sphere));
        }
        stream.skip(NUMBERS * draws.used);
        let part = |placed: usize| order[..placed].iter().map(|&i| self.volume(i as usize, radii)).sum::<f64>();
        (centres, jam.map(|placed| part(placed) / part(order.len())))
    }

    /// Volume of a body, by number (m^3).
    fn volume(&self, body: usize, radii: &[f64]) -> f64 {
        let own = self.solids.as_ref().map(|solids| solids.volumes[body]);
        own.unwrap_or_else(|| volume_of(&radii[body..=body]))
    }

    /// How far apart two bodies are, by number, the first at `between` from the second: the same seen from either. `None` if
    /// the spheres around them say all.
    fn apart(&self, [i, j]: [usize; 2], between: DVec3) -> Option<Apart> {
        let solids = &self.solids.as_ref()?.posed;
        let (a, b, between) = if i < j { (i, j, between) } else { (j, i, -between) };
        let found = apart::apart(&solids[a].shifted(between), &solids[b])?;
        Some(Apart { normal: if i < j { found.normal } else { -found.normal }, ..found })
    }

    /// How far apart solids are pushed (m).
    fn clearance(&self) -> f64 {
        self.solids.as_ref().map_or(0.0, |solids| solids.clearance)
    }

    /// Whether two bodies overlap, the spheres around which do.
    fn overlap(&self, pair: [usize; 2], between: DVec3) -> bool {
        self.apart(pair, between).is_none_or(|apart| apart.gap <= 0.0)
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
        match &self.region {
            Region::Box { from, to } => *from + (*to - *from) * three,
            Region::Cell(within) => within.at(three),
        }
    }

    /// The nearest place where a centre may lie.
    fn put_back(&self, at: DVec3) -> DVec3 {
        match &self.region {
            Region::Box { from, to } => at.clamp(*from, *to),
            Region::Cell(within) => within.put_back(at),
        }
    }

    fn covered(&self, radii: &[f64]) -> Option<Covered> {
        match &self.region {
            Region::Box { from, to } if self.solids.is_none() => Covered::new(*from, *to, radii),
            _ => None,
        }
    }

    fn shelves(&self, radii: &[f64]) -> Shelves {
        match &self.region {
            Region::Box { from, to } => Shelves::over_box(*from, *to, radii),
            Region::Cell(within) => Shelves::over_cell(within.frame, radii),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mould::Turn;

    fn placed(count: usize, side: f64, radius: impl Fn(usize) -> f64) -> Result<(Vec<DVec3>, Vec<f64>), PlaceError> {
        let radii: Vec<f64> = (0..count).map(radius).collect();
        let mut stream = Stream::named(1, "test");
        let centres = random(DVec3::ZERO, DVec3::splat(side), &radii, &mut stream)?;
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
        let mut stream = Stream::named(1, "test");
        let (from, to) = (DVec3::ZERO, DVec3::new(0.0, 0.03, 0.095));
        let error = random(from, to, &[0.005; 44], &mut stream).unwrap_err();
        assert!(matches!(error, PlaceError::GaveUp { count: 44, rounds: MOST_ROUNDS, .. }), "{error}");
    }

    /// Solids of several kinds, turned at random.
    fn mixed(count: usize) -> Vec<(Shape, DQuat)> {
        let mut stream = Stream::named(5, "mixed");
        let solid = |i: usize| {
            let shape = match i % 3 {
                0 => Shape::Box { size: DVec3::new(1.0, 1.0, 0.1) },
                1 => Shape::Ellipsoid { axes: DVec3::new(0.8, 0.3, 0.2) },
                _ => Shape::Sphere { radius: 0.25 },
            };
            (shape, Turn::Random.draw(&mut stream))
        };
        (0..count).map(solid).collect()
    }

    /// Every two of them, with the exact tests, b at all its images that are near.
    fn check_solids(solids: &[(Shape, DQuat)], centres: &[DVec3], images: &[DVec3]) {
        let posed = |i: usize| Posed::new(&solids[i].0, centres[i], solids[i].1);
        for i in 0..solids.len() {
            for j in 0..i {
                for shift in images {
                    let gap = apart::apart(&posed(i), &posed(j).shifted(*shift)).unwrap().gap;
                    assert!(gap > 0.0, "{i} and {j} overlap by {} at {shift}", -gap);
                }
            }
        }
    }

    /// 150 plates, eggs and balls of some 18 m^3 in a box that they may reach into of 5.6 m edge: the spheres around them would fill
    /// all of it.
    #[test]
    fn flat_solids_lie_closer_than_the_spheres_around_them() {
        let solids = mixed(150);
        let mut stream = Stream::named(1, "solids");
        let to = DVec3::splat(4.0);
        let centres = random_solids(DVec3::ZERO, to, &solids, &mut stream).unwrap();
        assert!(centres.iter().all(|c| c.min_element() >= 0.0 && c.cmple(to).all()));
        check_solids(&solids, &centres, &[DVec3::ZERO]);
        let radii = radii_around(&solids);
        let [own, around] =
            [volume_of_solids(&solids), volume_of(&radii)].map(|v| v / room_of(DVec3::ZERO, to, &radii));
        assert!(own > 0.1 && around > 1.0, "{own} {around}");
        // Spheres alone are placed as ever.
        let balls = vec![(Shape::Sphere { radius: 0.3 }, DQuat::IDENTITY); 100];
        let [mut one, mut other] = [1, 1].map(|seed| Stream::named(seed, "balls"));
        let as_solids = random_solids(DVec3::ZERO, to, &balls, &mut one).unwrap();
        assert_eq!(as_solids, random(DVec3::ZERO, to, &[0.3; 100], &mut other).unwrap());
    }

    #[test]
    fn solids_do_not_overlap_through_the_faces_of_a_cell() {
        let solids = mixed(120);
        let vectors = glam::DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.4, 1.0, 0.0, -0.3, 0.2, 1.0]) * 4.2;
        let frame = crate::cell::Frame::new(vectors);
        let mut stream = Stream::named(1, "solids");
        let within = Within { frame, bounds: None };
        let centres = random_solids_in_cell(&within, &solids, &mut stream).unwrap();
        let steps = || [-1.0, 0.0, 1.0].into_iter();
        let shifts = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| DVec3::new(x, y, z))));
        let images: Vec<DVec3> = shifts.map(|s| vectors * s).collect();
        check_solids(&solids, &centres, &images);
    }
}

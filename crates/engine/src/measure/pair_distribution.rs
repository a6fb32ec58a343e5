//! The radial distribution function g(r): how many grains lie at a distance r from a grain, over how many there would be
//! if places did not know of each other.
//!
//! ```text
//! g = pairs (centre, other) with a distance in the bin / (centres * density * volume of the bin's shell)
//! ```
//!
//! In directions that repeat, images are found and all grains are centres. In others a shell that leaves the packing would
//! be half empty, so only grains at least r_max inside the box that all centres span are centres of shells; the box has
//! the faces of the cell, or without a cell those of the world's axes. The density is that of the others: (N - 1)/V in a
//! cell that repeats in all directions, so that random places give 1 exactly on average; else that of the centres in the
//! box that is r_max smaller. That is right where the packing is even throughout that box; in a heap it is not, and g does
//! not go to 1. Distances are between centres, of all sizes of grains alike.
//!
//! r_max may be half the least height of the cell at most: farther on, two images of one grain are near another.
//! Grains, and images of those near faces, are sorted into a grid of boxes a quarter of r_max wide, so the cost is N times
//! those in some three times the ball of that radius: with N = 10^4 and four diameters a tenth of a second.

use std::f64::consts::PI;

use glam::{DMat3, DVec3, I64Vec3};

use super::TooFew;
use crate::cell::Frame;

/// A spherical shell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// Its inner radius (m); distances equal to it belong to it.
    pub from: f64,
    /// Its outer radius (m).
    pub to: f64,
    /// Pairs of a centre and another grain with such a distance. Two grains that both are centres count twice.
    pub pairs: usize,
    /// Over the number that an ideal gas would have.
    pub g: f64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct PairDistribution {
    /// Shells of equal width.
    pub shells: Vec<Shell>,
    /// Grains about which shells were drawn.
    pub centres: usize,
    /// Grains a volume that g = 1 stands for (1/m^3).
    pub density: f64,
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PairError {
    /// Too few grains, or none far enough inside.
    #[error(transparent)]
    Few(#[from] TooFew),
    /// The cell is too small.
    #[error("a distance of {asked} m is more than half the least height of the periodic cell, {most} m")]
    Beyond {
        /// r_max that was asked for (m).
        asked: f64,
        /// The largest that can be (m).
        most: f64,
    },
}

/// The largest r_max in a cell: half of its least height, that of the cell of its lattice that leans least; infinite where
/// nothing repeats.
pub fn largest_reach(frame: Option<&Frame>) -> f64 {
    frame.map_or(f64::INFINITY, |frame| 0.5 * upright(frame).least_height())
}

/// g(r) up to `reach` (r_max) in so many shells; both must be positive.
pub fn pair_distribution(
    positions: &[DVec3],
    frame: Option<&Frame>,
    reach: f64,
    shells: usize,
) -> Result<PairDistribution, PairError> {
    TooFew::check("spheres", positions.len(), 2)?;
    let most = largest_reach(frame);
    if reach > most {
        return Err(PairError::Beyond { asked: reach, most });
    }
    let space = Space::new(positions, frame, reach);
    TooFew::check("spheres that far inside", space.centres.len(), 1)?;
    let boxes = Boxes::new(space.images, reach);
    let mut counts = vec![0_usize; shells];
    let per_distance = shells as f64 / reach;
    for &(own, centre) in &space.centres {
        boxes.near(centre, |other, place| {
            let square = (place - centre).length_squared();
            if other != own && square < reach * reach {
                // A distance just below the reach may round up to it.
                counts[((square.sqrt() * per_distance) as usize).min(shells - 1)] += 1;
            }
        });
    }
    let edge = |k: usize| reach * k as f64 / shells as f64;
    let shell = |(k, &pairs): (usize, &usize)| {
        let (from, to) = (edge(k), edge(k + 1));
        let volume = 4.0 / 3.0 * PI * (to * to * to - from * from * from);
        Shell { from, to, pairs, g: pairs as f64 / (space.centres.len() as f64 * space.density * volume) }
    };
    let shells = counts.iter().enumerate().map(shell).collect();
    Ok(PairDistribution { shells, centres: space.centres.len(), density: space.density })
}

/// The cell of the same lattice that leans least.
fn upright(frame: &Frame) -> Frame {
    frame.reduced().map_or(*frame, |(upright, _)| upright)
}

/// Where grains are, with all images that a shell may meet.
struct Space {
    /// Places and numbers of the grains that shells are drawn about.
    centres: Vec<(usize, DVec3)>,
    /// Places and numbers of all grains and images.
    images: Vec<(usize, DVec3)>,
    density: f64,
}

impl Space {
    fn new(positions: &[DVec3], frame: Option<&Frame>, reach: f64) -> Self {
        let open = Frame { corner: DVec3::ZERO, vectors: DMat3::IDENTITY, periodic: [false; 3] };
        let frame = frame.map_or(open, upright);
        // How much of each vector the reach is, at right angles to the faces.
        let margin = DVec3::from_array(frame.heights().map(|height| reach / height));
        let wrapped: Vec<DVec3> = positions.iter().map(|&x| x + frame.shift(frame.into_cell(x))).collect();
        let fractions: Vec<DVec3> = wrapped.iter().map(|&x| frame.fractions(x)).collect();
        // Between these fractions centres lie. All of a direction that repeats; else as far inside as the reach.
        let low = fractions.iter().copied().reduce(DVec3::min).unwrap_or_default() + margin;
        let high = fractions.iter().copied().reduce(DVec3::max).unwrap_or_default() - margin;
        let inside = |s: DVec3| (0..3).all(|k| frame.periodic[k] || (low[k] <= s[k] && s[k] < high[k]));
        let mut images = Vec::with_capacity(2 * positions.len());
        for (number, (&x, &s)) in wrapped.iter().zip(&fractions).enumerate() {
            for times in shifts(&frame, s, margin) {
                images.push((number, x + frame.shift(times)));
            }
        }
        let all = wrapped.iter().copied().enumerate();
        let centres: Vec<(usize, DVec3)> = all.filter(|&(number, _)| inside(fractions[number])).collect();
        let width = |k: usize| if frame.periodic[k] { 1.0 } else { high[k] - low[k] };
        let volume = frame.volume().abs() * width(0) * width(1) * width(2);
        let others = if frame.repeats_everywhere() { positions.len() - 1 } else { centres.len() };
        Space { centres, images, density: others as f64 / volume }
    }
}

/// The cell vectors that bring a grain at these fractions into the cell or within the margin about it.
fn shifts(frame: &Frame, s: DVec3, margin: DVec3) -> impl Iterator<Item = I64Vec3> {
    // The margin is half a cell at most, so one cell on each side is enough.
    let of = move |k: usize| {
        let periodic = frame.periodic[k];
        [0, 1, -1].into_iter().filter(move |&times| {
            let at = s[k] + times as f64;
            times == 0 || (periodic && at >= -margin[k] && at <= 1.0 + margin[k])
        })
    };
    of(0).flat_map(move |x| of(1).flat_map(move |y| of(2).map(move |z| I64Vec3::new(x, y, z))))
}

/// Points sorted into cubes, by the place of the cube.
struct Boxes {
    /// Points of one cube stand together.
    points: Vec<(usize, DVec3)>,
    /// Where the points of each cube begin, and where the last ends.
    starts: Vec<usize>,
    corner: DVec3,
    edge: f64,
    /// How many cubes on each side a reach may meet.
    span: usize,
    counts: [usize; 3],
}

/// The most boxes for each point: a few strays far away must not fill the memory with empty ones.
const MOST_BOXES: usize = 8;

impl Boxes {
    fn new(points: Vec<(usize, DVec3)>, reach: f64) -> Self {
        let low = points.iter().map(|p| p.1).reduce(DVec3::min).unwrap_or_default();
        let high = points.iter().map(|p| p.1).reduce(DVec3::max).unwrap_or_default();
        let counts = |edge: f64| ((high - low) / edge).floor() + 1.0;
        // Smaller boxes than the reach fit the sphere about a centre more closely.
        let mut edge = 0.25 * reach;
        while counts(edge).element_product() > (MOST_BOXES * points.len() + 27) as f64 {
            edge *= 2.0;
        }
        // Spheres farther apart than numbers reach leave one box.
        let counts = counts(edge).to_array().map(|count| (count as usize).max(1));
        let span = (reach / edge).ceil() as usize;
        let mut boxes = Boxes { points: Vec::new(), starts: Vec::new(), corner: low, edge, span, counts };
        let places: Vec<usize> = points.iter().map(|p| boxes.index(boxes.place(p.1))).collect();
        let mut starts = vec![0; counts.iter().product::<usize>() + 1];
        places.iter().for_each(|&place| starts[place + 1] += 1);
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let mut next = starts.clone();
        boxes.points = points.clone();
        for (point, place) in points.into_iter().zip(places) {
            boxes.points[next[place]] = point;
            next[place] += 1;
        }
        boxes.starts = starts;
        boxes
    }

    fn place(&self, x: DVec3) -> [usize; 3] {
        let at = ((x - self.corner) / self.edge).to_array();
        std::array::from_fn(|k| (at[k] as usize).min(self.counts[k] - 1))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Visits all points of the boxes within reach of x, and so some that are farther.
    fn near(&self, x: DVec3, mut visit: impl FnMut(usize, DVec3)) {
        let at = self.place(x);
        let first = at.map(|place| place.saturating_sub(self.span));
        let last: [usize; 3] = std::array::from_fn(|k| (at[k] + self.span).min(self.counts[k] - 1));
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                // Boxes of a row stand together.
                let row = self.starts[self.index([first[0], y, z])]..self.starts[self.index([last[0], y, z]) + 1];
                self.points[row].iter().for_each(|&(number, place)| visit(number, place));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn ball(radius: f64) -> f64 {
        4.0 / 3.0 * PI * radius * radius * radius
    }

    fn cube(edge: f64) -> Frame {
        Frame::new(DMat3::from_diagonal(DVec3::splat(edge)))
    }

    /// Places of a lattice of n^3 cubes of edge 1 with these places in each.
    fn lattice(n: i32, motif: &[DVec3]) -> Vec<DVec3> {
        let mut places = Vec::new();
        for cell in 0..n * n * n {
            let corner = DVec3::new(f64::from(cell % n), f64::from(cell / n % n), f64::from(cell / (n * n)));
            // Off the faces of the cell, so that rounding cannot matter.
            places.extend(motif.iter().map(|x| corner + *x + 0.1));
        }
        places
    }

    /// Distances that occur, as the middles of their shells, with the number of neighbours there.
    fn shells(found: &PairDistribution) -> Vec<(f64, usize)> {
        let full = found.shells.iter().filter(|shell| shell.pairs > 0);
        full.map(|shell| (0.5 * (shell.from + shell.to), shell.pairs / found.centres)).collect()
    }

    /// 6 at 1, 12 at sqrt 2, 8 at sqrt 3, 6 at 2, 24 at sqrt 5, 24 at sqrt 6.
    /// Spheres at places like 1e308, in a run folder that someone had changed, made no boxes at all, and the count of none less one.
    #[test]
    fn places_at_the_end_of_all_numbers_are_no_panic() {
        let mut positions: Vec<DVec3> = (0..27).map(|k| DVec3::new((k % 3) as f64, (k / 3 % 3) as f64, 1.0)).collect();
        for far in [1e308, -1e308] {
            positions.push(DVec3::splat(far));
        }
        let _ = pair_distribution(&positions, None, 0.5, 10);
        assert!(Boxes::new(positions.into_iter().enumerate().collect(), 0.5).counts.iter().all(|&count| count > 0));
    }

    #[test]
    fn a_cubic_lattice_has_its_shells() {
        let expected = [(1, 6), (2, 12), (3, 8), (4, 6), (5, 24), (6, 24)];
        let places = lattice(6, &[DVec3::ZERO]);
        let found = pair_distribution(&places, Some(&cube(6.0)), 2.505, 167).unwrap();
        let seen = shells(&found);
        assert_eq!(seen.len(), expected.len());
        for ((r, count), (square, neighbours)) in seen.into_iter().zip(expected) {
            // A shell is 0.015 wide.
            assert!((r - f64::from(square).sqrt()).abs() <= 0.0075 && count == neighbours, "{r} {count}");
        }
        assert_eq!((found.centres, found.density), (216, 215.0 / 216.0));
        // Six in the shell about 1, whose volume is 4/3 pi (b^3 - a^3).
        let first = found.shells.iter().find(|shell| shell.pairs > 0).unwrap();
        let volume = ball(first.to) - ball(first.from);
        assert!((first.g * found.density * volume - 6.0).abs() < 1e-12);
    }

    /// fcc with edge 1: 12 at sqrt(1/2), 6 at 1, 24 at sqrt(3/2), 12 at sqrt 2, 24 at sqrt(5/2).
    #[test]
    fn fcc_has_its_shells() {
        let motif = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)];
        let found = pair_distribution(&lattice(4, &motif), Some(&cube(4.0)), 1.605, 107).unwrap();
        let expected = [(0.5_f64, 12), (1.0, 6), (1.5, 24), (2.0, 12), (2.5, 24)];
        let seen = shells(&found);
        assert_eq!(seen.len(), expected.len());
        for ((r, count), (square, neighbours)) in seen.into_iter().zip(expected) {
            assert!((r - square.sqrt()).abs() <= 0.0075 && count == neighbours, "{r} {count}");
        }
    }

    /// The same lattice, cut out of space: only grains two inside are centres, and each of these has all its neighbours. In
    /// a slab that repeats in x and y, all in these directions.
    #[test]
    fn edges_do_not_empty_shells() {
        let places = lattice(7, &[DVec3::ZERO]);
        let counts = |found: &PairDistribution| shells(found).into_iter().map(|shell| shell.1).collect::<Vec<_>>();
        let free = pair_distribution(&places, None, 1.9, 100).unwrap();
        // From 1.9 to below 4.1: 2, 3 and 4 in each direction.
        assert_eq!((free.centres, counts(&free)), (27, vec![6, 12, 8]));
        assert!((free.density - 27.0 / (2.2 * 2.2 * 2.2)).abs() < 1e-12);
        let slab = Frame { periodic: [true, true, false], ..cube(7.0) };
        let found = pair_distribution(&places, Some(&slab), 1.9, 100).unwrap();
        assert_eq!((found.centres, counts(&found)), (147, vec![6, 12, 8]));
        assert!((found.density - 147.0 / (49.0 * 2.2)).abs() < 1e-12);
        assert!(matches!(pair_distribution(&places, None, 3.1, 9), Err(PairError::Few(few)) if few.found == 0));
        assert!(pair_distribution(&places[..1], Some(&slab), 1.0, 9).is_err());
    }

    /// Random places: the pairs in a shell are twice a sum of N(N-1)/2 independent draws with the probability
    /// v/V, as each pair's difference is uniform. Variance of the count of unordered pairs: N(N-1)/2 v/V (1 - v/V), and
    /// different pairs are not correlated in a periodic cell. 5 standard deviations in each of 20 shells.
    #[test]
    fn random_places_give_one() {
        let mut stream = Stream::named(6, "g");
        let vectors =
            DMat3::from_cols(DVec3::new(9.0, 0.0, 0.0), DVec3::new(3.0, 8.0, 0.0), DVec3::new(-2.0, 3.0, 10.0));
        let mut random = |n: usize, frame: &Frame| -> Vec<DVec3> {
            let s = |stream: &mut Stream| DVec3::new(stream.unit(), stream.unit(), stream.unit());
            (0..n).map(|_| frame.vectors * s(&mut stream)).collect()
        };
        for (frame, n) in [(cube(1.0), 2), (cube(10.0), 3000), (Frame::new(vectors), 3000)] {
            let places = random(n, &frame);
            let reach = largest_reach(Some(&frame));
            let found = pair_distribution(&places, Some(&frame), reach, 20).unwrap();
            for shell in &found.shells {
                let volume = (ball(shell.to) - ball(shell.from)) / frame.volume();
                let pairs = 0.5 * (n * (n - 1)) as f64 * volume;
                let deviation = (pairs * (1.0 - volume)).sqrt();
                assert!((0.5 * shell.pairs as f64 - pairs).abs() < 5.0 * deviation + 1.0, "{n} {shell:?} {pairs}");
                // g is that ratio.
                assert!((shell.g - 0.5 * shell.pairs as f64 / pairs).abs() < 1e-9 * (1.0 + shell.g));
            }
        }
    }

    /// The same pairs whichever cell of the lattice is taken, wherever images of the grains are, and as by comparing all.
    #[test]
    fn another_cell_of_the_lattice_is_the_same() {
        let mut stream = Stream::named(7, "g");
        let [a, b, c] = [DVec3::new(5.0, 0.0, 0.0), DVec3::new(1.0, 6.0, 0.0), DVec3::new(0.5, -2.0, 7.0)];
        let frame = |a, b, c| Frame { corner: DVec3::new(-3.0, 1.0, 2.0), ..Frame::new(DMat3::from_cols(a, b, c)) };
        let mut random = || DVec3::new(stream.unit(), stream.unit(), stream.unit());
        let places: Vec<DVec3> = (0..300).map(|_| frame(a, b, c).vectors * random()).collect();
        let reach = 0.99 * largest_reach(Some(&frame(a, b, c)));
        let found = pair_distribution(&places, Some(&frame(a, b, c)), reach, 50).unwrap();
        let mut all = vec![0; 50];
        for (i, &x) in places.iter().enumerate() {
            for &y in places.iter().take(i) {
                let r = frame(a, b, c).nearest(x - y).length();
                if r < reach {
                    all[(r / reach * 50.0) as usize] += 2;
                }
            }
        }
        assert_eq!(found.shells.iter().map(|shell| shell.pairs).collect::<Vec<_>>(), all);
        let strewn: Vec<DVec3> =
            places.iter().enumerate().map(|(k, &x)| x + a * (k % 5) as f64 - b * (k % 3) as f64 + c).collect();
        for places in [&places, &strewn] {
            for other in [frame(a, b + a, c), frame(a, b - a * 3.0, c + b * 2.0), frame(b, a, c)] {
                let again = pair_distribution(places, Some(&other), reach, 50).unwrap();
                let pairs = |of: &PairDistribution| of.shells.iter().map(|shell| shell.pairs).collect::<Vec<_>>();
                assert_eq!(pairs(&again), pairs(&found));
                assert!((again.density / found.density - 1.0).abs() < 1e-14);
            }
        }
        let error = pair_distribution(&places, Some(&frame(a, b, c)), 1.1 * reach, 50).unwrap_err();
        assert!(matches!(error, PairError::Beyond { .. }), "{error}");
    }
}

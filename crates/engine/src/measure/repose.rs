//! The angle of repose of a heap: a cone about an upright axis, or a ridge on both sides of an upright plane.
//!
//! THEORY.md section 6.1:
//!
//! 1. spheres slower than 0.2 m/s are kept, the others counted as moving;
//! 2. of these the ones on the surface (`surface.rs`);
//! 3. the top is the median height of the six highest, the foot the median height of the surface at the wall, or
//!    without a wall of the outermost tenth of the surface spheres;
//! 4. the line height = level - distance tan(angle) through the surface spheres between two distances: those at which the
//!    line has 85 and 15 % of the height, but at least two radii from the axis and one radius above the foot. Line and
//!    window are found in turns. The line is that of least squares through the spheres within three robust standard
//!    deviations of the line of least absolute deviations: strays do not move it;
//! 5. a 95 % interval by the jackknife: all of 4 again with each of 12 sectors of azimuth (a ridge: 12 slices) left out.
//!
//! The single highest and lowest sphere decide nothing. One radius above the foot the floor ends: a single layer of strays around the
//! heap, all of the same height, would flatten the line of a low heap. On cones of known angle cut out of random packings,
//! of 500 to 5000 spheres and 10 to 30 degrees, the bias is below 0.1 degrees and the interval holds the angle in 95 of 100
//! (`tests/all/repose.rs`).
//!
//! `by_height` is the protocol of this project's study of the pile of Tasora and Anitescu (2013), for comparison with what other piles have
//! been measured by: the line of least absolute deviations through the spheres whose *heights* are between 15 and 85 %.
//! Choosing points by their height while fitting heights tilts the line towards flat: of a scatter e about the line the
//! window, of height h, keeps the low ones at its upper end and the high ones at its lower end, which takes about 4 (e/h)^2
//! off the slope. Of a heap a few grains high this leaves nothing. Its interval is a bootstrap over the sectors.
//!
//! Intervals are within one heap; another seed may differ by more. Does not find several heaps.

use std::f64::consts::PI;

use glam::DVec3;

use super::TooFew;
use super::fit::{Line, least_absolute, least_squares, median, quantile};
use super::surface::{SurfaceRule, horizontal, surface};
use crate::math;
use crate::random::Stream;

/// What the height is plotted against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeapForm {
    /// The distance from an upright axis.
    Cone,
    /// The distance from an upright plane along this direction.
    Ridge {
        /// Along the ridge; its upright part does not matter.
        along: DVec3,
    },
}

/// How a heap is measured. The defaults are those of the protocol above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReposeOptions {
    /// Unit vector against gravity.
    pub up: DVec3,
    /// A point of the axis or plane; the mean place of the spheres at rest if `None`.
    pub centre: Option<DVec3>,
    /// Cone or ridge.
    pub form: HeapForm,
    /// Spheres faster than this (m/s) are left out.
    pub slower: f64,
    /// Which spheres are on the surface.
    pub rule: SurfaceRule,
    /// The fit ends towards the foot at this share of the height.
    pub from: f64,
    /// It begins at this one.
    pub to: f64,
    /// Distance of the wall from the axis or plane (m), if there is one.
    pub wall: Option<f64>,
    /// How many sectors or slices.
    pub sectors: usize,
    /// How often they are drawn for the interval by height; 0 for none.
    pub draws: usize,
    /// Of the random stream that draws them.
    pub seed: u64,
}

impl ReposeOptions {
    /// The protocol's values for this direction of "up".
    pub fn new(up: DVec3) -> Self {
        ReposeOptions {
            up,
            centre: None,
            form: HeapForm::Cone,
            slower: 0.2,
            rule: SurfaceRule::default(),
            from: 0.15,
            to: 0.85,
            wall: None,
            sectors: 12,
            draws: 400,
            seed: 1,
        }
    }
}

/// A sphere of the surface as the fit sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Which sphere: its index in the slices.
    pub index: usize,
    /// Distance from the axis or plane (m).
    pub distance: f64,
    /// Height of the centre (m), along `up` from the origin.
    pub height: f64,
    /// Its sector or slice.
    pub sector: usize,
    /// Whether the line was fitted through it.
    pub fitted: bool,
}

/// A line through the part of the surface that a window of heights holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// rad.
    pub angle: f64,
    /// Its 95 % interval (rad); NaN without draws.
    pub interval: (f64, f64),
    /// Height over distance.
    pub line: Line,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Repose {
    /// The angle of repose (rad).
    pub angle: f64,
    /// Its 95 % interval (rad).
    pub interval: (f64, f64),
    /// Height over distance: the slope is minus the tangent of the angle.
    pub line: Line,
    /// The slope with the window chosen by height, which is too flat: see the header. `None` when that window holds too few
    /// spheres.
    pub by_height: Option<Slope>,
    /// Median height of the centres of the six highest (m).
    pub top: f64,
    /// Median height of the centres at the foot or wall (m).
    pub foot: f64,
    /// A point of the axis or plane.
    pub centre: DVec3,
    /// Spheres that were too fast to count.
    pub moving: usize,
    /// The surface, in the order of the spheres.
    pub points: Vec<SurfacePoint>,
    /// How many of these were fitted.
    pub fitted: usize,
}

/// Spheres that the fit needs at least: fewer have no slope to speak of.
const FEWEST: usize = 12;

/// A sphere farther from the line than so many robust standard deviations is a stray.
const STRAY: f64 = 3.0;

/// Student's t at 97.5 % with 1, 2, .. degrees of freedom. With more than 11 the last is used: a little wide.
const STUDENT: [f64; 11] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201];

/// Measures a heap of spheres. The slices have one entry a sphere.
pub fn repose(
    positions: &[DVec3],
    radii: &[f64],
    velocities: &[DVec3],
    options: &ReposeOptions,
) -> Result<Repose, TooFew> {
    let resting: Vec<usize> =
        (0..positions.len()).filter(|&i| velocities[i].length_squared() < options.slower * options.slower).collect();
    let moving = positions.len() - resting.len();
    TooFew::check("spheres at rest", resting.len(), FEWEST)?;
    let places: Vec<DVec3> = resting.iter().map(|&i| positions[i]).collect();
    let sizes: Vec<f64> = resting.iter().map(|&i| radii[i]).collect();
    let centre = options.centre.unwrap_or_else(|| places.iter().sum::<DVec3>() / places.len() as f64);
    let kept = surface(&places, &sizes, options.up, options.rule);
    let mut points = surface_points(&places, &kept, centre, options);
    let radius = sizes.iter().sum::<f64>() / sizes.len() as f64;
    let heap = Heap { top: top_of(&places, options.up), foot: foot_of(&points, options.wall, radius), radius, options };
    let (line, window) = heap.slope(&points)?;
    let interval = heap.jackknife(&points, angle_of(line))?;
    let by_height = heap.by_height(&points);
    window.iter().for_each(|&place| points[place].fitted = true);
    for point in &mut points {
        point.index = resting[point.index];
    }
    let (angle, fitted, Heap { top, foot, .. }) = (angle_of(line), window.len(), heap);
    Ok(Repose { angle, interval, line, by_height, top, foot, centre, moving, fitted, points })
}

/// How high a heap is, for the windows.
struct Heap<'a> {
    top: f64,
    foot: f64,
    /// Mean radius.
    radius: f64,
    options: &'a ReposeOptions,
}

impl Heap<'_> {
    fn at(&self, share: f64) -> f64 {
        self.foot + share * (self.top - self.foot)
    }

    fn within_wall(&self, point: &SurfacePoint) -> bool {
        self.options.wall.is_none_or(|wall| point.distance < wall)
    }

    /// The line, and the places of the points that it was fitted through. Turns end when the window holds the same points
    /// again, or after 50 when two windows alternate.
    fn slope(&self, points: &[SurfacePoint]) -> Result<(Line, Vec<usize>), TooFew> {
        let mut line = self.first_line(points)?;
        let (mut before, mut fitted) = (Vec::new(), Vec::new());
        for _ in 0..50 {
            let far = (self.at(self.options.from).max(self.foot + self.radius) - line.level) / line.slope;
            let near = ((self.at(self.options.to) - line.level) / line.slope).max(2.0 * self.radius);
            let inside = |point: &SurfacePoint| (near..=far).contains(&point.distance) && self.within_wall(point);
            let window: Vec<usize> = (0..points.len()).filter(|&place| inside(&points[place])).collect();
            TooFew::check("surface spheres on the slope", window.len(), FEWEST)?;
            if window == before {
                break;
            }
            (line, fitted) = without_strays(points, &window)?;
            if line.slope >= 0.0 {
                let what = "surface spheres whose heights fall with distance from the axis";
                return Err(TooFew { what, found: 0, needed: FEWEST });
            }
            before = window;
        }
        Ok((line, fitted))
    }

    /// A line to begin with: from the top to the middle of the surface at half the height.
    fn first_line(&self, points: &[SurfacePoint]) -> Result<Line, TooFew> {
        let half = self.at(0.25)..=self.at(0.75);
        let middle = points.iter().filter(|point| half.contains(&point.height) && self.within_wall(point));
        let mut distances: Vec<f64> = middle.map(|point| point.distance).collect();
        TooFew::check("surface spheres at half the height", distances.len(), 1)?;
        let slope = (self.at(0.5) - self.top) / median(&mut distances).max(self.radius);
        Ok(Line { level: self.top, slope })
    }

    /// The 95 % interval about an angle: all again without the spheres of each sector.
    fn jackknife(&self, points: &[SurfacePoint], angle: f64) -> Result<(f64, f64), TooFew> {
        let mut angles = Vec::with_capacity(self.options.sectors);
        for sector in 0..self.options.sectors.max(1) {
            let others: Vec<SurfacePoint> = points.iter().filter(|point| point.sector != sector).copied().collect();
            if others.len() < points.len() {
                angles.push(angle_of(self.slope(&others)?.0));
            }
        }
        TooFew::check("sectors with surface spheres", angles.len(), 2)?;
        let count = angles.len() as f64;
        // About the angle of all, not about their mean: grains at the border of two sectors are not independent, and about the
        // mean the interval held the angle of a cone in 94.7 of 100 only (95.3 so, over 2025 cones).
        let squares: f64 = angles.iter().map(|other| (other - angle) * (other - angle)).sum();
        let error = STUDENT[(angles.len() - 2).min(STUDENT.len() - 1)] * (squares * (count - 1.0) / count).sqrt();
        Ok((angle - error, angle + error))
    }

    /// The slope by the protocol of the pile study.
    fn by_height(&self, points: &[SurfacePoint]) -> Option<Slope> {
        let window = self.at(self.options.from)..=self.at(self.options.to);
        let inside = |point: &&SurfacePoint| window.contains(&point.height) && self.within_wall(point);
        let chosen: Vec<SurfacePoint> = points.iter().filter(inside).copied().collect();
        if chosen.len() < FEWEST {
            return None;
        }
        let line = least_absolute(&pairs(chosen.iter()), 1e-12)?;
        Some(Slope { angle: angle_of(line), interval: bootstrap(&chosen, self.options), line })
    }
}

fn pairs<'a>(points: impl Iterator<Item = &'a SurfacePoint>) -> Vec<(f64, f64)> {
    points.map(|point| (point.distance, point.height)).collect()
}

/// The line of least squares through the points of the window that are no strays, and the places of these points.
fn without_strays(points: &[SurfacePoint], window: &[usize]) -> Result<(Line, Vec<usize>), TooFew> {
    let one = TooFew { what: "distances on the slope", found: 1, needed: 2 };
    // It tells strays from the others only.
    let robust = least_absolute(&pairs(window.iter().map(|&place| &points[place])), 1e-6).ok_or(one)?;
    let off = |place: usize| (points[place].height - robust.at(points[place].distance)).abs();
    let mut sizes: Vec<f64> = window.iter().map(|&place| off(place)).collect();
    // 1.4826 times the median absolute deviation is the standard deviation of a normal distribution.
    let most = STRAY * 1.4826 * median(&mut sizes);
    let kept: Vec<usize> = window.iter().copied().filter(|&place| off(place) <= most).collect();
    // Points exactly on the robust line may share one distance: then it is the line.
    let line = least_squares(&pairs(kept.iter().map(|&place| &points[place]))).map_or(robust, |(line, _)| line);
    Ok((line, kept))
}

fn surface_points(places: &[DVec3], kept: &[usize], centre: DVec3, options: &ReposeOptions) -> Vec<SurfacePoint> {
    let up = options.up;
    let (u, w) = match options.form {
        HeapForm::Cone => horizontal(up),
        HeapForm::Ridge { along } => {
            let along = (along - up * along.dot(up)).normalize();
            (along, up.cross(along))
        }
    };
    let sectors = options.sectors.max(1);
    let along = |x: DVec3| (x - centre).dot(u);
    let ends = kept.iter().map(|&i| along(places[i])).fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
    let share_of = |x: DVec3| match options.form {
        HeapForm::Cone => math::atan2((x - centre).dot(w), along(x)) / (2.0 * PI) + 0.5,
        HeapForm::Ridge { .. } => (along(x) - ends.0) / (ends.1 - ends.0).max(f64::MIN_POSITIVE),
    };
    let point = |&index: &usize| {
        let x = places[index];
        let across = (x - centre).dot(w);
        let distance = match options.form {
            HeapForm::Cone => (along(x) * along(x) + across * across).sqrt(),
            HeapForm::Ridge { .. } => across.abs(),
        };
        let sector = ((share_of(x) * sectors as f64) as usize).min(sectors - 1);
        SurfacePoint { index, distance, height: x.dot(up), sector, fitted: false }
    };
    kept.iter().map(point).collect()
}

fn angle_of(line: Line) -> f64 {
    math::atan2(-line.slope, 1.0)
}

/// Median height of the six highest.
fn top_of(places: &[DVec3], up: DVec3) -> f64 {
    let mut heights: Vec<f64> = places.iter().map(|x| x.dot(up)).collect();
    heights.sort_unstable_by(|a, b| b.total_cmp(a));
    heights.truncate(6);
    median(&mut heights)
}

/// Median height of the surface within a diameter of the wall; without a wall, or with fewer than six spheres there, of
/// the outermost tenth.
fn foot_of(points: &[SurfacePoint], wall: Option<f64>, radius: f64) -> f64 {
    if let Some(wall) = wall {
        let near = points.iter().filter(|point| point.distance < wall && point.distance > wall - 2.0 * radius);
        let mut heights: Vec<f64> = near.map(|point| point.height).collect();
        if heights.len() >= 6 {
            return median(&mut heights);
        }
    }
    let mut outer: Vec<(f64, f64)> = points.iter().map(|point| (point.distance, point.height)).collect();
    outer.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
    outer.truncate((points.len() / 10).max(6));
    let mut heights: Vec<f64> = outer.into_iter().map(|(_, height)| height).collect();
    median(&mut heights)
}

/// 95 % of the angles that come out when the sectors are drawn with replacement.
fn bootstrap(chosen: &[SurfacePoint], options: &ReposeOptions) -> (f64, f64) {
    let sectors = options.sectors.max(1);
    let mut by_sector: Vec<Vec<(f64, f64)>> = vec![Vec::new(); sectors];
    for point in chosen {
        by_sector[point.sector].push((point.distance, point.height));
    }
    let mut stream = Stream::named(options.seed, "repose-bootstrap");
    let mut angles = Vec::with_capacity(options.draws);
    let mut drawn: Vec<(f64, f64)> = Vec::with_capacity(2 * chosen.len());
    for _ in 0..options.draws {
        drawn.clear();
        for _ in 0..sectors {
            drawn.extend(&by_sector[(stream.unit() * sectors as f64) as usize]);
        }
        // The interval is degrees wide; a slope good to 1e-6 is far more than it needs.
        angles.extend(least_absolute(&drawn, 1e-6).map(angle_of));
    }
    angles.sort_unstable_by(f64::total_cmp);
    (quantile(&angles, 0.025), quantile(&angles, 0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spheres in hexagonal layers with a spacing of 2 R whose centres lie below a cone of this angle; those nearest to
    /// it are put exactly onto it. Deterministic, with every distance present.
    fn cone(angle: f64, up: DVec3, centre: DVec3, radius: f64, base: f64) -> Vec<DVec3> {
        let tangent = math::sin(angle) / math::cos(angle);
        let (u, w) = horizontal(up);
        let count = (base / (2.0 * radius)).ceil() as i32;
        let mut places = Vec::new();
        for i in -count..=count {
            for j in -count..=count {
                let (x, y) = (2.0 * radius * f64::from(i), 2.0 * radius * f64::from(j));
                let height = (base - (x * x + y * y).sqrt()) * tangent;
                if height < 0.0 {
                    continue;
                }
                // Columns of touching spheres from the surface down: the top one lies on the cone.
                let deep = (height / (2.0 * radius)) as i32;
                let foot = centre + u * x + w * y;
                places.extend((0..=deep).map(|k| foot + up * (height - 2.0 * radius * f64::from(k))));
            }
        }
        places
    }

    fn measure(places: &[DVec3], options: &ReposeOptions) -> Repose {
        let count = places.len();
        repose(places, &vec![0.005; count], &vec![DVec3::ZERO; count], options).unwrap()
    }

    /// Columns stand 2 R apart and a neighbour hides a sphere within 1.5 R only, so the surface is the tops of the columns,
    /// all exactly on the cone: the line is exact to the accuracy of the fit, 1e-12 of its unit (about 1), and the
    /// rounding of positions, 1e-16 over 0.1 m.
    #[test]
    fn a_cone_gives_its_angle_whatever_is_up() {
        for up in [DVec3::Z, -DVec3::X, DVec3::new(1.0, 2.0, -0.5).normalize()] {
            for degrees in [12.0, 25.0, 38.0_f64] {
                let centre = DVec3::new(0.3, -0.2, 0.1);
                let places = cone(degrees.to_radians(), up, centre, 0.005, 0.1);
                let found = measure(&places, &ReposeOptions::new(up));
                assert!((found.angle.to_degrees() - degrees).abs() < 1e-8, "{degrees}: {found:?}");
                assert!(
                    (found.interval.0..=found.interval.1).contains(&(found.angle + 1e-9)) || {
                        (found.interval.1 - found.interval.0).abs() < 1e-4
                    }
                );
                // The lattice is symmetric, so the mean place is on the axis.
                let off = found.centre - centre;
                assert!((off - up * off.dot(up)).length() < 1e-12);
            }
        }
    }

    /// Every surface sphere is shifted by up to e. The true line leaves at most e at a sphere, the line of least squares less in
    /// the root mean square, so the two differ by at most 2 e in the root mean square, which is at least |db| s: the slopes
    /// differ by at most 2 e/s, with s the standard deviation of the distances.
    #[test]
    fn scatter_tilts_a_cone_by_no_more_than_it_can() {
        let (degrees, e) = (30.0_f64, 0.001);
        let mut places = cone(degrees.to_radians(), DVec3::Z, DVec3::ZERO, 0.005, 0.1);
        let mut stream = Stream::named(1, "scatter");
        for place in &mut places {
            place.z += stream.between(-e, e);
        }
        let found = measure(&places, &ReposeOptions::new(DVec3::Z));
        let distances: Vec<f64> = found.points.iter().filter(|p| p.fitted).map(|p| p.distance).collect();
        let (_, spread) = super::super::fit::mean_and_spread(&distances);
        let tangent = degrees.to_radians();
        let tangent = math::sin(tangent) / math::cos(tangent);
        assert!((found.line.slope + tangent).abs() < 2.0 * e / spread, "{:?}", found.line);
        let (low, high) = found.interval;
        assert!(low < found.angle && found.angle < high && (high - low).to_degrees() < 4.0, "{low} {high}");
    }

    /// Heights scattered evenly by +-e have the standard deviation e/sqrt(3), and the slope of the line of least squares through n
    /// points of standard deviation s in distance the standard error e/(sqrt(3 n) s). (The median deviation is e/2: none is
    /// a stray.) Chosen by distance the slope is right within four of these; chosen by height it is flatter.
    #[test]
    fn a_window_by_distance_does_not_flatten() {
        let (angle, e) = (0.5, 0.008);
        let tangent = math::sin(angle) / math::cos(angle);
        let mut places = cone(angle, DVec3::Z, DVec3::ZERO, 0.005, 0.4);
        let mut stream = Stream::named(2, "scatter");
        for place in &mut places {
            place.z += stream.between(-e, e);
        }
        let found = measure(&places, &ReposeOptions { draws: 0, ..ReposeOptions::new(DVec3::Z) });
        let distances: Vec<f64> = found.points.iter().filter(|p| p.fitted).map(|p| p.distance).collect();
        let (_, spread) = super::super::fit::mean_and_spread(&distances);
        let error = e / ((3.0 * distances.len() as f64).sqrt() * spread);
        let (slope, by_height) = (-found.line.slope, -found.by_height.unwrap().line.slope);
        assert!((slope - tangent).abs() < 4.0 * error, "{slope} {tangent} {error}");
        assert!(by_height < slope, "{by_height} {slope}");
    }

    /// A fifth of the surface is lifted by 3 R: fewer than the others at every distance, so the line stays where it was.
    /// (Lifted spheres hide their neighbours no more than before: columns stand 2 R apart.)
    #[test]
    fn lone_grains_on_the_slope_change_nothing() {
        let mut places = cone(0.5, DVec3::Z, DVec3::ZERO, 0.005, 0.12);
        let plain = measure(&places, &ReposeOptions::new(DVec3::Z));
        let chosen: Vec<usize> = plain.points.iter().filter(|p| p.fitted).map(|p| p.index).collect();
        for &index in chosen.iter().step_by(5) {
            places[index].z += 0.015;
        }
        // Some far away on the floor, and a few that fly.
        places.extend((0..10).map(|i| DVec3::new(0.3 + 0.02 * f64::from(i), 0.1, 0.0)));
        let count = places.len();
        let mut velocities = vec![DVec3::ZERO; count + 3];
        velocities[count..].fill(DVec3::Z);
        places.extend([DVec3::new(0.0, 0.0, 1.0); 3]);
        let mut options = ReposeOptions::new(DVec3::Z);
        options.centre = Some(DVec3::ZERO);
        let found = repose(&places, &vec![0.005; count + 3], &velocities, &options).unwrap();
        assert_eq!(found.moving, 3);
        // Lifted spheres may leave or enter the window; those that are left on the cone still have the majority.
        assert!((found.angle - 0.5).abs() < 1e-8, "{}", found.angle);
    }

    #[test]
    fn a_ridge_is_measured_from_its_plane() {
        let tangent = 0.4;
        let mut places = Vec::new();
        for i in -12..=12 {
            for j in -20..=20 {
                let (x, y) = (0.01 * f64::from(j), 0.01 * f64::from(i));
                places.push(DVec3::new(x, y, 0.2 - y.abs() * tangent));
            }
        }
        let mut options = ReposeOptions::new(DVec3::Z);
        options.form = HeapForm::Ridge { along: DVec3::new(1.0, 0.0, 7.0) };
        let found = measure(&places, &options);
        assert!((found.angle - math::atan2(tangent, 1.0)).abs() < 1e-9);
        assert!(found.points.iter().any(|p| p.sector == 11) && found.points.iter().all(|p| p.sector < 12));
    }

    /// Against a wall the foot is where the heap meets it, and the corners beyond do not count.
    #[test]
    fn a_wall_ends_the_heap() {
        let places = cone(0.5, DVec3::Z, DVec3::ZERO, 0.005, 0.2);
        let mut options = ReposeOptions::new(DVec3::Z);
        options.wall = Some(0.1);
        let found = measure(&places, &options);
        let at_wall = 0.1 * math::sin(0.5) / math::cos(0.5);
        // Within a diameter of the wall the cone falls by 2 R tan = 5.5 mm.
        assert!(found.foot >= at_wall && found.foot < at_wall + 0.0055, "{} {at_wall}", found.foot);
        assert!(found.points.iter().all(|p| !p.fitted || p.distance < 0.1));
        assert!((found.angle - 0.5).abs() < 1e-8);
    }

    /// Of a bowl, whose heights rise with distance, a line came back that was fitted through nothing. Its highest spheres are its
    /// outermost, so there is no height between top and foot.
    #[test]
    fn a_bowl_has_no_angle_of_repose() {
        let mut places = Vec::new();
        for i in -12..=12 {
            for j in -12..=12 {
                let (x, y) = (0.01 * f64::from(j), 0.01 * f64::from(i));
                places.push(DVec3::new(x, y, 0.3 * (x * x + y * y).sqrt()));
            }
        }
        let still = vec![DVec3::ZERO; places.len()];
        let error = repose(&places, &vec![0.005; places.len()], &still, &ReposeOptions::new(DVec3::Z)).unwrap_err();
        assert_eq!(error, TooFew { what: "surface spheres on the slope", found: 0, needed: FEWEST });
    }

    #[test]
    fn a_handful_is_no_heap() {
        let few = [DVec3::ZERO; 5];
        let error = repose(&few, &[0.1; 5], &few, &ReposeOptions::new(DVec3::Z)).unwrap_err();
        assert_eq!(error, TooFew { what: "spheres at rest", found: 5, needed: FEWEST });
    }
}

//! The same in a periodic cell: no overlap through its faces either.
//!
//! Centres are uniform in the cell, by fractions along its vectors, or within a box inside of it; where the cell does not
//! repeat, it bounds the centres. Distances are those of the nearest images, so every height of a periodic direction must
//! exceed twice the largest diameter, with 1 % to spare.

use std::time::{Duration, Instant};

use glam::{DMat3, DVec3};

use super::{CLEARANCE, DENSEST, MOST_ROUNDS, NONE, PlaceError, largest_first};
use crate::cell::Frame;
use crate::random::Stream;

/// Where centres may lie.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// The cell.
    pub frame: Frame,
    /// A box of centres (m); the whole cell if absent.
    pub bounds: Option<(DVec3, DVec3)>,
}

impl Within {
    /// Volume of the spheres over the volume that they may cover.
    pub fn volume_fraction(&self, radii: &[f64]) -> f64 {
        let volume: f64 = radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum();
        let diameter = 2.0 * radii.iter().copied().fold(0.0, f64::max);
        // A face that does not repeat is passed by as much as a radius.
        let faces = self.frame.heights().into_iter().zip(self.frame.periodic);
        let beyond: f64 = faces.map(|(height, repeats)| if repeats { 1.0 } else { 1.0 + diameter / height }).product();
        let cell = self.frame.volume().abs() * beyond;
        let room = self.bounds.map_or(cell, |(from, to)| {
            let size = to - from + DVec3::splat(diameter);
            (size.x * size.y * size.z).min(cell)
        });
        volume / room
    }

    fn draw(&self, stream: &mut Stream) -> DVec3 {
        let three = [stream.unit(), stream.unit(), stream.unit()];
        match self.bounds {
            Some((from, to)) => from + (to - from) * DVec3::from_array(three),
            None => self.frame.corner + self.frame.vectors * DVec3::from_array(three),
        }
    }

    /// The nearest place where a centre may lie, in the cell.
    fn put_back(&self, at: DVec3, inverse: DMat3) -> DVec3 {
        if let Some((from, to)) = self.bounds {
            return at.clamp(from, to);
        }
        let s = inverse * (at - self.frame.corner);
        let one =
            |axis: usize| if self.frame.periodic[axis] { s[axis] - s[axis].floor() } else { s[axis].clamp(0.0, 1.0) };
        self.frame.corner + self.frame.vectors * DVec3::new(one(0), one(1), one(2))
    }
}

/// Centres for spheres of these radii, none overlapping, nor their images.
pub fn random_in_cell(
    within: &Within,
    radii: &[f64],
    stream: &mut Stream,
    deadline: Duration,
) -> Result<Vec<DVec3>, PlaceError> {
    let (count, fraction) = (radii.len(), within.volume_fraction(radii));
    if fraction > DENSEST {
        return Err(PlaceError::TooDense { count, fraction });
    }
    let start = Instant::now();
    let mut centres = vec![DVec3::ZERO; count];
    let mut jammed = false;
    let mut shelves = Shelves::new(within.frame, radii);
    for sphere in largest_first(radii) {
        let mut at = within.draw(stream);
        // Once jammed, the rest is dropped in anywhere and pushed apart below.
        let mut tries = if jammed { 0 } else { 500 };
        while tries > 0 && shelves.overlaps(at, radii[sphere], &centres, radii) {
            at = within.draw(stream);
            tries -= 1;
        }
        jammed |= tries == 0;
        centres[sphere] = at;
        shelves.insert(sphere, at);
    }
    let mut rounds = 0;
    while jammed {
        if rounds == MOST_ROUNDS || start.elapsed() > deadline {
            return Err(PlaceError::GaveUp { count, fraction, rounds });
        }
        rounds += 1;
        jammed = push_apart(within, radii, &mut centres);
    }
    Ok(centres)
}

/// Moves every two overlapping spheres apart by half their overlap each; true while any two overlap.
fn push_apart(within: &Within, radii: &[f64], centres: &mut [DVec3]) -> bool {
    let mut shelves = Shelves::new(within.frame, radii);
    centres.iter().enumerate().for_each(|(sphere, &at)| shelves.insert(sphere, at));
    let mut shifts = vec![DVec3::ZERO; centres.len()];
    let mut overlapping = false;
    for (i, &at) in centres.iter().enumerate() {
        shelves.near(at, |j| {
            let between = shelves.nearest(at - centres[j]);
            let reach = radii[i] + radii[j];
            let distance = between.length();
            if j != i && distance < CLEARANCE * reach {
                overlapping |= distance <= reach;
                // Two at one place are parted along an axis, the lower one down.
                let direction =
                    if distance > 0.0 { between / distance } else { DVec3::Z * if i < j { -1.0 } else { 1.0 } };
                shifts[i] += direction * (0.5 * (CLEARANCE * reach - distance));
            }
        });
    }
    for (centre, shift) in centres.iter_mut().zip(&shifts) {
        *centre = within.put_back(*centre + *shift, shelves.inverse);
    }
    // What was found apart before this round's shifts may overlap after them: one more look, unless nothing moved.
    overlapping || shifts.iter().any(|&shift| shift != DVec3::ZERO) && any_overlap(within, radii, centres)
}

fn any_overlap(within: &Within, radii: &[f64], centres: &[DVec3]) -> bool {
    let mut shelves = Shelves::new(within.frame, radii);
    centres.iter().enumerate().any(|(sphere, &at)| {
        let overlaps = shelves.overlaps(at, radii[sphere], centres, radii);
        shelves.insert(sphere, at);
        overlaps
    })
}

/// A grid over the cell, in fractions; what lies beyond a face that does not repeat stands at that face.
struct Shelves {
    frame: Frame,
    inverse: DMat3,
    cells: [usize; 3],
    heads: Vec<u32>,
    next: Vec<u32>,
}

impl Shelves {
    fn new(frame: Frame, radii: &[f64]) -> Self {
        let largest = radii.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        // No more cells than a few per sphere, however large the region.
        let most = 64.0 + 4.0 * radii.len() as f64;
        let heights = frame.heights();
        let room: f64 = heights.iter().product();
        let width = (2.0 * CLEARANCE * largest).max(crate::math::cbrt(room / most));
        let width = heights.iter().fold(width, |width, height| width.max(height / most));
        let cells = heights.map(|height| ((height / width) as usize).max(1));
        let heads = vec![NONE; cells[0] * cells[1] * cells[2]];
        Shelves { frame, inverse: frame.vectors.inverse(), cells, heads, next: vec![NONE; radii.len()] }
    }

    /// The shortest of a difference and its images.
    fn nearest(&self, difference: DVec3) -> DVec3 {
        let s = self.inverse * difference;
        let whole = |axis: usize| if self.frame.periodic[axis] { s[axis].round() } else { 0.0 };
        difference - self.frame.vectors * DVec3::new(whole(0), whole(1), whole(2))
    }

    fn cell(&self, at: DVec3) -> [usize; 3] {
        let s = self.inverse * (at - self.frame.corner);
        std::array::from_fn(|axis| {
            let share = if self.frame.periodic[axis] { s[axis] - s[axis].floor() } else { s[axis] };
            ((share * self.cells[axis] as f64) as usize).min(self.cells[axis] - 1)
        })
    }

    fn insert(&mut self, sphere: usize, at: DVec3) {
        let [x, y, z] = self.cell(at);
        let head = &mut self.heads[(z * self.cells[1] + y) * self.cells[0] + x];
        self.next[sphere] = *head;
        *head = sphere as u32;
    }

    /// The cells beside one and itself along an axis, each once.
    fn beside(&self, axis: usize, cell: usize) -> impl Iterator<Item = usize> + use<> {
        let (count, repeats) = (self.cells[axis], self.frame.periodic[axis]);
        let few = count < 4;
        (0..if few { count } else { 3 }).filter_map(move |k| {
            let whole = if few { k + count } else { cell + k + count - 1 };
            let inside = few || (count..2 * count).contains(&whole);
            (repeats || inside).then_some(whole % count)
        })
    }

    /// Calls `visit` for every inserted sphere in the cells around a place.
    fn near(&self, at: DVec3, mut visit: impl FnMut(usize)) {
        let [x, y, z] = self.cell(at);
        for z in self.beside(2, z) {
            for y in self.beside(1, y) {
                for x in self.beside(0, x) {
                    let mut sphere = self.heads[(z * self.cells[1] + y) * self.cells[0] + x];
                    while sphere != NONE {
                        visit(sphere as usize);
                        sphere = self.next[sphere as usize];
                    }
                }
            }
        }
    }

    fn overlaps(&self, at: DVec3, radius: f64, centres: &[DVec3], radii: &[f64]) -> bool {
        let mut overlaps = false;
        self.near(at, |other| {
            let reach = radius + radii[other];
            overlaps |= self.nearest(at - centres[other]).length_squared() <= reach * reach;
        });
        overlaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaning(side: f64) -> Frame {
        let vectors = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.4, 1.0, 0.0, -0.3, 0.2, 1.0]) * side;
        Frame { corner: DVec3::new(-1.0, 2.0, 5.0), ..Frame::new(vectors) }
    }

    fn placed(within: &Within, radii: &[f64]) -> Result<Vec<DVec3>, PlaceError> {
        random_in_cell(within, radii, &mut Stream::named(1, "test"), Duration::from_secs(20))
    }

    fn check(within: &Within, centres: &[DVec3], radii: &[f64]) {
        let frame = within.frame;
        for (i, a) in centres.iter().enumerate() {
            let s = frame.fractions(*a);
            assert!(s.min_element() >= -1e-12 && s.max_element() <= 1.0 + 1e-12, "{s}");
            for (j, b) in centres.iter().enumerate().skip(i + 1) {
                assert!(frame.nearest(*a - *b).length() > radii[i] + radii[j], "{i} and {j} overlap");
            }
        }
    }

    #[test]
    fn spheres_in_a_leaning_cell_do_not_overlap_through_its_faces() {
        // Volume fractions 0.05 and 0.45 of 500 spheres of diameter 1; then a mixture.
        for (side, count) in [(17.4, 500), (8.36, 500), (3.0, 9)] {
            let (within, radii) = (Within { frame: leaning(side), bounds: None }, vec![0.5; count]);
            check(&within, &placed(&within, &radii).unwrap(), &radii);
        }
        let radii: Vec<f64> = (0..300).map(|i| if i % 10 == 0 { 1.0 } else { 0.2 }).collect();
        let within = Within { frame: leaning(10.0), bounds: None };
        check(&within, &placed(&within, &radii).unwrap(), &radii);
    }

    #[test]
    fn a_face_that_does_not_repeat_bounds_the_centres() {
        let frame = Frame { periodic: [true, true, false], ..leaning(6.0) };
        let radii = vec![0.5; 150];
        let within = Within { frame, bounds: None };
        let centres = placed(&within, &radii).unwrap();
        check(&within, &centres, &radii);
        let (from, to) = (DVec3::new(0.0, 3.0, 5.5), DVec3::new(4.0, 7.0, 9.0));
        let within = Within { frame, bounds: Some((from, to)) };
        let radii = vec![0.5; 40];
        let centres = placed(&within, &radii).unwrap();
        assert!(centres.iter().all(|c| c.cmpge(from).all() && c.cmple(to).all()));
        for (i, a) in centres.iter().enumerate() {
            assert!(centres[..i].iter().all(|b| frame.nearest(*a - *b).length() > 1.0));
        }
    }

    #[test]
    fn centres_are_uniform_and_ten_thousand_take_no_time() {
        // Of 10^4 spheres at a volume fraction of 0.05 an eighth lies in each octant, to 4 standard deviations (4 x 33).
        let side = crate::math::cbrt(1e4 * std::f64::consts::PI / 6.0 / 0.05);
        let within = Within { frame: leaning(side), bounds: None };
        let start = Instant::now();
        let centres = placed(&within, &[0.5; 10_000]).unwrap();
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        let mut octants = [0_i32; 8];
        for centre in centres {
            let s = within.frame.fractions(centre);
            octants[usize::from(s.x > 0.5) + 2 * usize::from(s.y > 0.5) + 4 * usize::from(s.z > 0.5)] += 1;
        }
        assert!(octants.iter().all(|count| (count - 1250).abs() < 132), "{octants:?}");
    }

    #[test]
    fn too_many_are_refused_at_once() {
        let within = Within { frame: leaning(5.0), bounds: None };
        assert!(matches!(placed(&within, &[0.5; 140]), Err(PlaceError::TooDense { count: 140, .. })));
    }
}

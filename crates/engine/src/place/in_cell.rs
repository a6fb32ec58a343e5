//! Where centres may lie in a periodic cell.
//!
//! Centres are uniform in the cell, by fractions along its vectors, or within a box inside of it; where the cell does not
//! repeat, it bounds the centres. Distances are those of the nearest images, so every height of a periodic direction must
//! exceed twice the largest diameter, with 1 % to spare.

use glam::DVec3;

use super::volume_of;
use crate::cell::Frame;

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
        volume_of(radii) / self.room(radii)
    }

    /// The volume that spheres, or solids with these radii around them, may cover (m^3).
    pub(super) fn room(&self, radii: &[f64]) -> f64 {
        let diameter = 2.0 * radii.iter().copied().fold(0.0, f64::max);
        // A face that does not repeat is passed by as much as a radius.
        let faces = self.frame.heights().into_iter().zip(self.frame.periodic);
        let beyond: f64 = faces.map(|(height, repeats)| if repeats { 1.0 } else { 1.0 + diameter / height }).product();
        let cell = self.frame.volume().abs() * beyond;
        self.bounds.map_or(cell, |(from, to)| {
            let size = to - from + DVec3::splat(diameter);
            (size.x * size.y * size.z).min(cell)
        })
    }

    /// The same with the cell of the lattice that leans least: in it distances to the nearest image are sure.
    pub(super) fn upright(&self) -> Within {
        Within { frame: self.frame.reduced().map_or(self.frame, |reduced| reduced.0), ..*self }
    }

    /// The place at these fractions of the room.
    pub(super) fn at(&self, fractions: DVec3) -> DVec3 {
        match self.bounds {
            Some((from, to)) => from + (to - from) * fractions,
            None => self.frame.corner + self.frame.vectors * fractions,
        }
    }

    /// The nearest place where a centre may lie, in the cell.
    pub(super) fn put_back(&self, at: DVec3) -> DVec3 {
        if let Some((from, to)) = self.bounds {
            return at.clamp(from, to);
        }
        let s = self.frame.fractions(at);
        let one =
            |axis: usize| if self.frame.periodic[axis] { s[axis] - s[axis].floor() } else { s[axis].clamp(0.0, 1.0) };
        self.frame.corner + self.frame.vectors * DVec3::new(one(0), one(1), one(2))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use glam::DMat3;

    use super::*;
    use crate::place::{PlaceError, random_in_cell};
    use crate::random::Stream;

    fn leaning(side: f64) -> Frame {
        let vectors = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.4, 1.0, 0.0, -0.3, 0.2, 1.0]) * side;
        Frame { corner: DVec3::new(-1.0, 2.0, 5.0), ..Frame::new(vectors) }
    }

    fn placed(within: &Within, radii: &[f64]) -> Result<Vec<DVec3>, PlaceError> {
        random_in_cell(within, radii, &mut Stream::named(1, "test"))
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

    /// In a cell whose vectors lean far, the nearest image was not the nearest: spheres overlapped through its faces.
    #[test]
    fn spheres_do_not_overlap_where_vectors_lean_far() {
        let upright = Frame::new(DMat3::from_diagonal(DVec3::splat(4.0)));
        let [a, b, c] = [DVec3::X, DVec3::new(5.0, 1.0, 0.0), DVec3::new(-3.0, 4.0, 1.0)].map(|v| v * 4.0);
        let within = Within { frame: Frame::new(DMat3::from_cols(a, b, c)), bounds: None };
        let radii = [0.5; 40];
        let centres = placed(&within, &radii).unwrap();
        for (i, a) in centres.iter().enumerate() {
            assert!(centres[..i].iter().all(|b| upright.nearest(*a - *b).length() > 1.0), "{i}");
        }
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

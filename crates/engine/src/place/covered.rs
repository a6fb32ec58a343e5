//! Places of a box that are known to be taken: small cubes, a bit each.
//!
//! A cube is covered when a sphere at any place in it would overlap one that is there, however small it is of those to be placed. In
//! a crowd nearly all draws fall into such cubes, and one look at a bit tells. It is never wrong: what is near the edge is not
//! covered, and must be looked at closely.

use glam::DVec3;

/// The cubes.
pub struct Covered {
    from: DVec3,
    /// Width of a cube (m).
    width: f64,
    counts: [usize; 3],
    /// Words of a row along x.
    words: usize,
    bits: Vec<u64>,
    /// Radius of the smallest sphere, less what rounding may do (m).
    smallest: f64,
}

/// The most cubes for each sphere.
const MOST_CUBES: f64 = 256.0;

impl Covered {
    /// None covered yet, between two corners, for spheres of these radii. `None` where it would not pay.
    pub fn new(from: DVec3, to: DVec3, radii: &[f64]) -> Option<Self> {
        let smallest = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let size = to - from;
        let room = size.x * size.y * size.z;
        let most = MOST_CUBES * radii.len() as f64;
        let width = (0.5 * smallest).max(crate::math::cbrt(room / most));
        // Wider cubes are hardly ever covered by one sphere.
        if radii.len() < 1000 || width.is_nan() || width > smallest {
            return None;
        }
        let counts = size.to_array().map(|length| (length / width) as usize + 1);
        let words = counts[0].div_ceil(64);
        let all = [words, counts[1], counts[2]].into_iter().try_fold(1_usize, usize::checked_mul)?;
        if all as f64 > most {
            return None;
        }
        let farthest = from.abs().max(to.abs()).max_element();
        let smallest = smallest * (1.0 - 1e-9) - 1e-12 * farthest;
        Some(Covered { from, width, counts, words, bits: vec![0; all], smallest })
    }

    /// Whether a place is known to be taken.
    pub fn covers(&self, at: DVec3) -> bool {
        let cube = (at - self.from) / self.width;
        let [x, y, z] = cube.to_array().map(|x| x as usize);
        let word = (z * self.counts[1] + y) * self.words + x / 64;
        self.bits[word] >> (x % 64) & 1 == 1
    }

    /// Notes a sphere.
    pub fn add(&mut self, centre: DVec3, radius: f64) {
        let reach = (radius + self.smallest) / self.width;
        if reach <= 0.0 {
            return;
        }
        let centre = (centre - self.from) / self.width;
        // The farthest point of a cube, along an axis.
        let farthest = |cube: usize, at: f64| (at - cube as f64).abs().max((cube as f64 + 1.0 - at).abs());
        let cubes = |at: f64, count: usize| ((at - reach).max(0.0) as usize)..((at + reach) as usize + 1).min(count);
        for z in cubes(centre.z, self.counts[2]) {
            let left = reach * reach - farthest(z, centre.z) * farthest(z, centre.z);
            if left <= 0.0 {
                continue;
            }
            for y in cubes(centre.y, self.counts[1]) {
                let left = left - farthest(y, centre.y) * farthest(y, centre.y);
                if left > 0.0 {
                    self.cover_row(y, z, centre.x - left.sqrt(), centre.x + left.sqrt());
                }
            }
        }
    }

    /// Covers the cubes of a row that lie between two ends.
    fn cover_row(&mut self, y: usize, z: usize, low: f64, high: f64) {
        let (first, end) = (low.max(0.0).ceil() as usize, (high.max(0.0) as usize).min(self.counts[0]));
        let row = (z * self.counts[1] + y) * self.words;
        let mut x = first;
        while x < end {
            // As many as stand in one word.
            let count = (end - x).min(64 - x % 64);
            self.bits[row + x / 64] |= (u64::MAX >> (64 - count)) << (x % 64);
            x += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn what_is_covered_overlaps_and_most_of_it_is() {
        let mut stream = Stream::named(3, "covered");
        let (from, to) = (DVec3::new(-3.0, 100.0, 7.0), DVec3::new(9.0, 112.0, 20.0));
        let mut draw = || {
            let mut one = |axis: usize| stream.between(from[axis], to[axis]);
            DVec3::new(one(0), one(1), one(2))
        };
        let radii: Vec<f64> = (0..1000).map(|i| if i % 2 == 0 { 0.5 } else { 0.4 }).collect();
        let mut covered = Covered::new(from, to, &radii).unwrap();
        let placed: Vec<(DVec3, f64)> = radii[..100].iter().map(|&radius| (draw(), radius)).collect();
        placed.iter().for_each(|&(centre, radius)| covered.add(centre, radius));
        let (mut known, mut taken) = (0, 0);
        for _ in 0..20_000 {
            let at = draw();
            let overlaps = placed.iter().any(|(centre, radius)| centre.distance(at) <= radius + 0.4);
            assert!(overlaps || !covered.covers(at), "{at}");
            known += u32::from(covered.covers(at));
            taken += u32::from(overlaps);
        }
        assert!(known > taken / 2, "{known} of {taken}");
        assert!(covered.covers(placed[0].0) && Covered::new(from, to, &radii[..10]).is_none());
    }
}

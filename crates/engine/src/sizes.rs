//! Lengths that differ from body to body: one for all, uniform between two, or by a size curve (a sieve curve).
//!
//! A size curve says which share of the bodies is smaller than a size, P(d): 0 at the first size, 1 at the last, linear in
//! between. One uniform number u gives one size.
//!
//! - By number, P counts bodies: d = P^-1(u).
//! - By mass, P counts their mass. Bodies of one density and alike have masses in proportion to d^3, so a segment from a to b
//!   with the share w of the mass has the share w (a + b)/(2 a^2 b^2), over the sum of all segments, of the bodies; within
//!   it 1/d^2 is uniform: d = a/sqrt(1 - t (1 - (a/b)^2)), t from 0 to 1.
//!
//! (By mass: the integral of w/(b - a) d^-3 from a to d.) A curve by mass counts with the volume also where masses are not those
//! of the density.
//!
//! Does not do: classes of one size (a jump of P), curves by area.

use thiserror::Error;

use crate::random::Stream;

/// What a size curve counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Bodies.
    Number,
    /// Their mass.
    Mass,
}

/// Why two lists are no size curve.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CurveError {
    /// Lists of different lengths.
    #[error("{passing} values of `passing` for {sizes} `sizes`: each size needs its share")]
    Lengths {
        /// Of the sizes.
        sizes: usize,
        /// Of the shares.
        passing: usize,
    },
    /// Fewer than two sizes.
    #[error("a size curve needs two sizes at least")]
    TooShort,
    /// A size that is not above the one before, or not above zero.
    #[error("the sizes must rise from above zero: {size} follows {before}")]
    NotRising {
        /// Which one.
        index: usize,
        /// The size before; 0 before the first.
        before: f64,
        /// The size.
        size: f64,
    },
    /// A share below the one before.
    #[error("`passing` must not fall: {passing} follows {before}")]
    Falls {
        /// Which one.
        index: usize,
        /// The share before.
        before: f64,
        /// The share.
        passing: f64,
    },
    /// The first share is not 0, or the last is not 1.
    #[error("`passing` must begin at 0 and end at 1: here is {passing}")]
    Ends {
        /// Which one.
        index: usize,
        /// The share.
        passing: f64,
    },
    /// Sizes so far apart that their numbers are beyond all bounds.
    #[error("the sizes are too far apart: the numbers of bodies have no finite ratio")]
    TooWide,
}

/// A size curve.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeCurve {
    sizes: Vec<f64>,
    passing: Vec<f64>,
    by: By,
    /// The share of bodies below each size.
    numbers: Vec<f64>,
}

impl SizeCurve {
    /// The curve through sizes (m) that rise and the shares that pass each.
    pub fn new(sizes: Vec<f64>, passing: Vec<f64>, by: By) -> Result<Self, CurveError> {
        if sizes.len() != passing.len() {
            return Err(CurveError::Lengths { sizes: sizes.len(), passing: passing.len() });
        }
        if sizes.len() < 2 {
            return Err(CurveError::TooShort);
        }
        let mut before = 0.0;
        for (index, &size) in sizes.iter().enumerate() {
            // Also what is no number.
            if !(size > before && size.is_finite()) {
                return Err(CurveError::NotRising { index, before, size });
            }
            before = size;
        }
        let mut before = 0.0;
        for (index, &passing) in passing.iter().enumerate() {
            if !(passing >= before && passing.is_finite()) && index > 0 {
                return Err(CurveError::Falls { index, before, passing });
            }
            before = passing;
        }
        let last = passing.len() - 1;
        for (index, end) in [(0, 0.0), (last, 1.0)] {
            if passing[index] != end {
                return Err(CurveError::Ends { index, passing: passing[index] });
            }
        }
        let numbers = match by {
            By::Number => passing.clone(),
            By::Mass => numbers_of(&sizes, &passing).ok_or(CurveError::TooWide)?,
        };
        Ok(SizeCurve { sizes, passing, by, numbers })
    }

    /// The sizes (m).
    pub fn sizes(&self) -> &[f64] {
        &self.sizes
    }

    /// The share that passes each size.
    pub fn passing(&self) -> &[f64] {
        &self.passing
    }

    /// What it counts.
    pub fn by(&self) -> By {
        self.by
    }

    /// The size below which this share of the bodies lies (m).
    pub fn size_at(&self, share: f64) -> f64 {
        let last = self.sizes.len() - 1;
        // The segment in which the share lies; one without bodies is passed over.
        let end = self.numbers.partition_point(|number| *number <= share).clamp(1, last);
        let (a, b) = (self.sizes[end - 1], self.sizes[end]);
        let (low, high) = (self.numbers[end - 1], self.numbers[end]);
        let t = ((share - low) / (high - low)).clamp(0.0, 1.0);
        let size = match self.by {
            By::Number => a + (b - a) * t,
            By::Mass => a / (1.0 - t * (1.0 - (a / b) * (a / b))).sqrt(),
        };
        size.clamp(a, b)
    }

    /// <d^3>/<d> over the bodies (m^2).
    fn cube_over_mean(&self) -> f64 {
        // Of each segment its share, by number or mass.
        let segments = self.sizes.windows(2).zip(self.passing.windows(2)).map(|(d, p)| (d[0], d[1], p[1] - p[0]));
        match self.by {
            By::Number => {
                let cube = |a: f64, b: f64| 0.25 * (a + b) * (a * a + b * b);
                let cubes: f64 = segments.clone().map(|(a, b, w)| w * cube(a, b)).sum();
                cubes / segments.map(|(a, b, w)| w * 0.5 * (a + b)).sum::<f64>()
            }
            // With c d^-3 of the mass: <d^3> = c and <d> = c times the sum of w/(a b).
            By::Mass => 1.0 / segments.map(|(a, b, w)| w / (a * b)).sum::<f64>(),
        }
    }
}

/// The share of bodies below each size, of a curve by mass; `None` where it is no number.
fn numbers_of(sizes: &[f64], passing: &[f64]) -> Option<Vec<f64>> {
    // In units of the first size. The factor 1/2 of all segments is left out.
    let inverse: Vec<f64> = sizes.iter().map(|size| sizes[0] / size).collect();
    let mut numbers = vec![0.0];
    let mut sum = 0.0;
    for (d, p) in inverse.windows(2).zip(passing.windows(2)) {
        sum += (p[1] - p[0]) * (d[0] + d[1]) * d[0] * d[1];
        numbers.push(sum);
    }
    numbers.iter_mut().for_each(|number| *number /= sum);
    (sum.is_normal() && numbers.iter().all(|number| number.is_finite())).then_some(numbers)
}

/// A length of many bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// The same of all (m).
    One(f64),
    /// Uniform between the two (m).
    Between(f64, f64),
    /// By a size curve.
    Curve(SizeCurve),
}

impl Sizes {
    /// The length of one body, by as many numbers as `numbers` says.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        match self {
            Sizes::One(size) => *size,
            Sizes::Between(min, max) => stream.between(*min, *max),
            Sizes::Curve(curve) => curve.size_at(stream.unit()),
        }
    }

    /// How many random numbers a body takes.
    pub fn numbers(&self) -> u64 {
        u64::from(!matches!(self, Sizes::One(_)))
    }

    /// The smallest and the largest that may come (m).
    pub fn ends(&self) -> [f64; 2] {
        match self {
            Sizes::One(size) => [*size; 2],
            Sizes::Between(min, max) => [*min, *max],
            Sizes::Curve(curve) => [curve.sizes[0], curve.sizes[curve.sizes.len() - 1]],
        }
    }

    /// The mean of the cubes over the mean (m^2).
    pub fn cube_over_mean(&self) -> f64 {
        match self {
            Sizes::One(size) => size * size,
            // (b^4 - a^4)/4 over (b^2 - a^2)/2.
            Sizes::Between(min, max) => 0.5 * (min * min + max * max),
            Sizes::Curve(curve) => curve.cube_over_mean(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 100_000;

    /// The curve of Kuhn's packings, and one with a gap, both ways.
    fn curves() -> Vec<SizeCurve> {
        let sizes = [0.2, 0.275, 0.35, 0.425, 0.5, 0.5625, 0.625, 0.6875, 0.75];
        let passing = [0.0, 0.03125, 0.125, 0.28125, 0.5, 0.71875, 0.875, 0.96875, 1.0];
        let gap = ([1.0, 2.0, 5.0, 6.0], [0.0, 0.3, 0.3, 1.0]);
        let both = |sizes: &[f64], passing: &[f64]| {
            [By::Number, By::Mass].map(|by| SizeCurve::new(sizes.to_vec(), passing.to_vec(), by).unwrap())
        };
        both(&sizes, &passing).into_iter().chain(both(&gap.0, &gap.1)).collect()
    }

    fn drawn(curve: &SizeCurve) -> Vec<f64> {
        let mut stream = Stream::named(7, "sizes");
        let sizes = Sizes::Curve(curve.clone());
        (0..DRAWS).map(|_| sizes.draw(&mut stream)).collect()
    }

    /// The integral of the share of the mass times d^3, over segments that end at or below `to`.
    fn mass_cubes(curve: &SizeCurve, to: f64) -> f64 {
        let segments = curve.sizes.windows(2).zip(curve.passing.windows(2)).filter(|(d, _)| d[1] <= to);
        segments.map(|(d, p)| (p[1] - p[0]) * 0.25 * (d[0] + d[1]) * (d[0] * d[0] + d[1] * d[1])).sum()
    }

    /// Of N draws the number below a size is binomial: its share P scatters by sqrt(P (1 - P)/N). The mass below is a ratio of
    /// sums: its share scatters by sqrt(<m^2 (1[d < s] - P)^2>/N)/<m>. With m = d^3 and the share q(d) of the mass per size,
    /// bodies per size are q d^-3/K with K the integral of q d^-3, so <m> = 1/K and
    /// <m^2 (..)^2>/<m>^2 = K ((1 - P)^2 Q(s) + P^2 (Q(all) - Q(s))), Q(s) the integral of q d^3 up to s.
    #[test]
    fn draws_meet_the_curve_within_four_standard_deviations() {
        for curve in curves() {
            let sizes = drawn(&curve);
            let all: f64 = sizes.iter().map(|d| d * d * d).sum();
            for (&size, &passing) in curve.sizes.iter().zip(&curve.passing) {
                let below = sizes.iter().filter(|d| **d < size);
                let (found, variance) = match curve.by {
                    By::Number => (below.count() as f64 / DRAWS as f64, passing * (1.0 - passing)),
                    By::Mass => {
                        let inverse_cubes =
                            |d: &[f64], p: &[f64]| (p[1] - p[0]) * 0.5 * (d[0] + d[1]) / (d[0] * d[1] * d[0] * d[1]);
                        let segments = curve.sizes.windows(2).zip(curve.passing.windows(2));
                        let k: f64 = segments.map(|(d, p)| inverse_cubes(d, p)).sum();
                        let (low, total) = (mass_cubes(&curve, size), mass_cubes(&curve, f64::INFINITY));
                        let spread = (1.0 - passing) * (1.0 - passing) * low + passing * passing * (total - low);
                        (below.map(|d| d * d * d).sum::<f64>() / all, k * spread)
                    }
                };
                let sigma = (variance / DRAWS as f64).sqrt();
                assert!((found - passing).abs() <= 4.0 * sigma, "{curve:?}: {found} below {size}, {sigma}");
            }
        }
    }

    #[test]
    fn the_inverse_returns_to_the_curve() {
        let curve = |by| SizeCurve::new(vec![1.0, 2.0, 4.0], vec![0.0, 0.5, 1.0], by).unwrap();
        let [number, mass] = [By::Number, By::Mass].map(curve);
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|u| number.size_at(u)), [1.0, 1.5, 2.0, 3.0, 4.0]);
        // Segments of equal mass: 0.5 x 3/8 and 0.5 x 6/128 of the bodies, that is 8/9 and 1/9.
        assert_eq!((mass.size_at(0.0), mass.size_at(1.0)), (1.0, 4.0));
        assert!((mass.size_at(8.0 / 9.0) - 2.0).abs() < 1e-14);
        // Half of the bodies of the first segment lie below 1/d^2 = (1 + 1/4)/2.
        assert!((mass.size_at(4.0 / 9.0) - 1.6_f64.sqrt()).abs() < 1e-14);
        // No body lies in a gap, whatever rounding does.
        for curve in &curves()[2..] {
            let in_gap = |d: &f64| *d > 2.0 && *d < 5.0;
            assert_eq!(drawn(curve).iter().filter(|d| in_gap(d)).count(), 0);
        }
    }

    /// The mean of N draws scatters by s/sqrt(N); of <d^3>/<d> = r by that of (d^3 - r d)/<d>, measured on the draws.
    #[test]
    fn the_mean_cube_over_the_mean_is_that_of_the_draws() {
        for curve in curves() {
            let expected = curve.cube_over_mean();
            let sizes = drawn(&curve);
            let mean = sizes.iter().sum::<f64>() / DRAWS as f64;
            let rest: Vec<f64> = sizes.iter().map(|d| (d * d * d - expected * d) / mean).collect();
            let sigma = (rest.iter().map(|x| x * x).sum::<f64>() / DRAWS as f64 / DRAWS as f64).sqrt();
            let off = rest.iter().sum::<f64>() / DRAWS as f64;
            assert!(off.abs() < 4.0 * sigma, "{off} {sigma}");
        }
    }

    #[test]
    fn what_is_no_curve_is_an_error() {
        let curve = |sizes: &[f64], passing: &[f64]| SizeCurve::new(sizes.to_vec(), passing.to_vec(), By::Mass);
        let (ok, nan) = ([1.0, 2.0, 3.0], f64::NAN);
        assert!(matches!(curve(&ok, &[0.0, 1.0]), Err(CurveError::Lengths { sizes: 3, passing: 2 })));
        assert!(matches!(curve(&[1.0], &[0.0]), Err(CurveError::TooShort)));
        assert!(matches!(curve(&[1.0, 1.0], &[0.0, 1.0]), Err(CurveError::NotRising { index: 1, .. })));
        assert!(matches!(curve(&[0.0, 1.0], &[0.0, 1.0]), Err(CurveError::NotRising { index: 0, .. })));
        assert!(matches!(curve(&[1.0, nan], &[0.0, 1.0]), Err(CurveError::NotRising { index: 1, .. })));
        assert!(matches!(curve(&ok, &[0.0, 0.7, 0.6]), Err(CurveError::Falls { index: 2, .. })));
        assert!(matches!(curve(&ok, &[0.0, nan, 1.0]), Err(CurveError::Falls { index: 1, .. })));
        assert!(matches!(curve(&ok, &[0.1, 0.7, 1.0]), Err(CurveError::Ends { index: 0, .. })));
        assert!(matches!(curve(&ok, &[0.0, 50.0, 100.0]), Err(CurveError::Ends { index: 2, .. })));
        assert!(matches!(curve(&ok, &[0.0, 0.0, 0.0]), Err(CurveError::Ends { index: 2, .. })));
        assert_eq!(curve(&[1e-300, 1e300], &[0.0, 1.0]), Err(CurveError::TooWide));
    }
}

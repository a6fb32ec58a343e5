//! How the normal forces of contacts are distributed: their mean and quartiles, histograms, the tail, and who slides.
//!
//! With f the normal force over its mean and P(f) its density, the integral of P over f is 1. The histogram is given in
//! bins of equal width and in bins of equal ratio. In jammed packings P falls like exp(-slope f) above the mean (Mueth,
//! Jaeger and Nagel 1998). The slope is that of a line through ln P over the bins of equal width that lie above the mean,
//! by least squares, each weighed by its count n, for the variance of ln n is 1/n. Bins with fewer than ten contacts are
//! left out: there ln n is neither normal nor unbiased. Only contacts that push enter; those that pull or carry nothing
//! are counted. Knows nothing of where contacts are.

use super::{ContactLoad, Mode, TooFew, fit};
use crate::math;

/// A bin of a histogram over f, the force over its mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Its lower end; values on it belong to it.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
    /// How many contacts it holds.
    pub count: usize,
    /// Their share of all that push, by the bin's width.
    pub density: f64,
}

/// The exponential tail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// How fast it falls: P goes like exp(-slope f).
    pub slope: f64,
    /// Standard error of the slope, from the counts.
    pub error: f64,
    /// ln P of the fitted line at f = 0.
    pub level: f64,
    /// Contacts in the bins that were fitted.
    pub count: usize,
    /// How many bins were fitted.
    pub bins: usize,
}

/// How normal forces are distributed.
#[derive(Clone, Debug, PartialEq)]
pub struct Forces {
    /// Contacts that push.
    pub count: usize,
    /// Contacts that pull or carry nothing: left out of all but `sliding`.
    pub not_pushing: usize,
    /// Mean force (N).
    pub mean: f64,
    /// Standard deviation over the mean.
    pub spread: f64,
    /// The forces (N) below which a quarter, a half and three quarters lie.
    pub quartiles: [f64; 3],
    /// The largest force (N).
    pub largest: f64,
    /// Bins of equal width from 0 to the largest.
    pub linear: Vec<Bin>,
    /// Bins of equal ratio from the least to the largest.
    pub logarithmic: Vec<Bin>,
    /// `None` when fewer than three bins above the mean hold ten contacts.
    pub tail: Option<Tail>,
    /// Share of the contacts with a slide law that slide; NaN when none has one.
    pub sliding: f64,
    /// Mean over contacts that push of sliding friction over normal force.
    pub mobilised: f64,
}

/// The fewest contacts of a bin that the tail is fitted to.
const FEWEST_IN_TAIL: usize = 10;

/// Bins of equal ratio in a decade.
const PER_DECADE: f64 = 10.0;

/// The distribution, with bins of this width in f. The width must be positive.
pub fn forces(contacts: &[ContactLoad], width: f64) -> Result<Forces, TooFew> {
    let pushing: Vec<&ContactLoad> = contacts.iter().filter(|contact| contact.normal_force > 0.0).collect();
    TooFew::check("contacts that push", pushing.len(), 1)?;
    let mut sorted: Vec<f64> = pushing.iter().map(|contact| contact.normal_force).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (mean, spread) = fit::mean_and_spread(&sorted);
    let relative: Vec<f64> = sorted.iter().map(|force| force / mean).collect();
    let linear = linear_bins(&relative, width);
    let with_law = contacts.iter().filter(|contact| contact.slide != Mode::None).count();
    let sliding = contacts.iter().filter(|contact| contact.slide == Mode::Slip).count();
    let friction = |contact: &&ContactLoad| {
        (contact.force - contact.normal * contact.normal_force).length() / contact.normal_force
    };
    Ok(Forces {
        count: sorted.len(),
        not_pushing: contacts.len() - sorted.len(),
        mean,
        spread: spread / mean,
        quartiles: [0.25, 0.5, 0.75].map(|share| fit::quantile(&sorted, share)),
        largest: sorted[sorted.len() - 1],
        tail: tail(&linear),
        linear,
        logarithmic: logarithmic_bins(&relative),
        sliding: sliding as f64 / with_law as f64,
        mobilised: pushing.iter().map(friction).sum::<f64>() / sorted.len() as f64,
    })
}

/// Bins between ascending edges; the last one holds its upper end, too.
fn bins(sorted: &[f64], edges: &[f64]) -> Vec<Bin> {
    let last = edges.len().saturating_sub(2);
    let below = |edge: f64| sorted.partition_point(|&value| value < edge);
    let bin = |(k, pair): (usize, &[f64])| {
        let upper = if k == last { sorted.len() } else { below(pair[1]) };
        let count = upper - below(pair[0]);
        let density = count as f64 / (sorted.len() as f64 * (pair[1] - pair[0]));
        Bin { from: pair[0], to: pair[1], count, density }
    };
    edges.windows(2).enumerate().map(bin).collect()
}

/// Some million bins at most, so that one wild force does not fill the memory.
fn linear_bins(sorted: &[f64], width: f64) -> Vec<Bin> {
    let largest = sorted[sorted.len() - 1];
    let count = (largest / width).floor().min(1e6) as usize + 1;
    let edges: Vec<f64> = (0..=count).map(|k| k as f64 * width).collect();
    bins(sorted, &edges)
}

fn logarithmic_bins(sorted: &[f64]) -> Vec<Bin> {
    let power = |value: f64| PER_DECADE * math::log10(value);
    let (first, last) = (power(sorted[0]).floor(), power(sorted[sorted.len() - 1]).floor() + 1.0);
    let count = (last - first) as usize;
    let edge = |k: usize| math::pow(10.0, (first + k as f64) / PER_DECADE);
    let mut edges: Vec<f64> = (0..=count).map(edge).collect();
    // The logarithm rounds: the least value must not fall out.
    edges[0] = edges[0].min(sorted[0]);
    bins(sorted, &edges)
}

/// The line through ln P of the bins above the mean, weighed by counts.
fn tail(linear: &[Bin]) -> Option<Tail> {
    // The mean itself is 1; an edge there may have been rounded down.
    let fitted: Vec<&Bin> = linear.iter().filter(|bin| bin.from > 1.0 - 1e-9 && bin.count >= FEWEST_IN_TAIL).collect();
    if fitted.len() < 3 {
        return None;
    }
    let point = |bin: &&Bin| (0.5 * (bin.from + bin.to), math::ln(bin.density), bin.count as f64);
    let points: Vec<(f64, f64, f64)> = fitted.iter().map(point).collect();
    let weight: f64 = points.iter().map(|p| p.2).sum();
    let mean = |of: fn(&(f64, f64, f64)) -> f64| points.iter().map(|p| p.2 * of(p)).sum::<f64>() / weight;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let xx: f64 = points.iter().map(|p| p.2 * (p.0 - x) * (p.0 - x)).sum();
    let xy: f64 = points.iter().map(|p| p.2 * (p.0 - x) * (p.1 - y)).sum();
    let rise = xy / xx;
    let count = fitted.iter().map(|bin| bin.count).sum();
    Some(Tail { slope: -rise, error: 1.0 / xx.sqrt(), level: y - rise * x, count, bins: fitted.len() })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::random::Stream;

    fn push(force: f64) -> ContactLoad {
        ContactLoad::pushing(0, 1, DVec3::ZERO, DVec3::X * force)
    }

    /// Forces at the quantiles (k + 1/2)/n of exp(-F/F0)/F0. Counts differ from n times the integral of a bin by less than
    /// one: ln P is off by at most 1/n_bin. With weights n_bin the slope is off by at most the sum of |x - mean| over the
    /// bins by the sum of n_bin (x - mean)^2: 59 bins of 0.1 from 1 to 6.9, mean 2, so 59 * 2.1 = 125; and 100,000/e
    /// contacts of variance 1, less a tenth that lies beyond the last bin with ten contacts, so 33,000.
    #[test]
    fn an_exponential_sample_has_its_slope() {
        let (n, scale) = (100_000, 30.0);
        let sample: Vec<ContactLoad> =
            (0..n).map(|k| push(-scale * math::ln(1.0 - (f64::from(k) + 0.5) / f64::from(n)))).collect();
        let found = forces(&sample, 0.1).unwrap();
        // The midpoint rule for the mean of ln: off by ln(2)/2 of a term at the end, 1e-5 in all.
        assert!((found.mean / scale - 1.0).abs() < 1e-5 && (found.spread - 1.0).abs() < 1e-3, "{found:?}");
        for (quartile, share) in found.quartiles.into_iter().zip([0.75, 0.5, 0.25]) {
            assert!((quartile / scale + math::ln(share)).abs() < 1e-4);
        }
        let tail = found.tail.unwrap();
        assert!((tail.slope - 1.0).abs() < 125.0 / 33_000.0 && tail.level.abs() < 0.02, "{tail:?}");
        // The best that any estimate can do with the counts is slope/sqrt(n); the line is cut at ten contacts.
        let best = 1.0 / (tail.count as f64).sqrt();
        assert!(tail.error > best && tail.error < 1.05 * best, "{tail:?} {best}");
        let inside: usize =
            found.linear.iter().filter(|bin| bin.from > 0.999 && bin.count >= 10).map(|bin| bin.count).sum();
        assert_eq!(tail.count, inside);
    }

    /// A random sample: within four standard errors, and the bias of ln n, -1/(2 n_bin), which moves the slope by at most
    /// half of what the test above allows.
    #[test]
    fn a_random_sample_has_its_slope_within_its_error() {
        let mut stream = Stream::named(1, "forces");
        let sample: Vec<ContactLoad> = (0..100_000).map(|_| push(-math::ln(1.0 - stream.unit()))).collect();
        let tail = forces(&sample, 0.1).unwrap().tail.unwrap();
        assert!((tail.slope - 1.0).abs() < 4.0 * tail.error + 62.5 / 33_000.0, "{tail:?}");
    }

    /// Each contact is in one bin of each histogram, and the densities integrate to 1.
    #[test]
    fn histograms_hold_every_contact() {
        let mut stream = Stream::named(2, "forces");
        let mut sample: Vec<ContactLoad> = (0..1000).map(|_| push(stream.unit() * stream.unit() + 1e-9)).collect();
        sample.extend([push(1.0), push(10.0), push(100.0)]);
        let found = forces(&sample, 0.25).unwrap();
        for bins in [&found.linear, &found.logarithmic] {
            assert_eq!(bins.iter().map(|bin| bin.count).sum::<usize>(), 1003);
            let integral: f64 = bins.iter().map(|bin| bin.density * (bin.to - bin.from)).sum();
            assert!((integral - 1.0).abs() < 1e-12);
        }
        // Equal forces: one bin of each, and no tail.
        let same = forces(&[push(2.0), push(2.0), push(2.0)], 0.1).unwrap();
        assert_eq!((same.mean, same.quartiles, same.spread, same.tail), (2.0, [2.0; 3], 0.0, None));
        assert_eq!(same.logarithmic.len(), 1);
    }

    #[test]
    fn contacts_that_pull_are_counted_apart() {
        let pull = ContactLoad { normal_force: -1.0, ..push(1.0) };
        let slide = |mode: Mode| ContactLoad { force: DVec3::new(2.0, 0.6, 0.0), slide: mode, ..push(2.0) };
        let found = forces(&[pull, slide(Mode::Slip), slide(Mode::None), slide(Mode::Stick)], 0.1).unwrap();
        assert_eq!((found.count, found.not_pushing, found.mean), (3, 1, 2.0));
        // One of the three that have a law slides; friction is 0.6 of 2.
        assert_eq!(found.sliding, 1.0 / 3.0);
        assert!((found.mobilised - 0.3).abs() < 1e-15);
        assert_eq!(forces(&[pull], 0.1).unwrap_err().needed, 1);
    }
}

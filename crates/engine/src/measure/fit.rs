//! Lines through points: least absolute deviations, least squares; medians and quantiles.
//!
//! Least absolute deviations (THEORY.md eq. 6.1): the line y = a + b x with the least sum of |y_i - a - b x_i|. For a
//! given slope b the best a is the median of y_i - b x_i, and what is left is a convex function of b, which a golden
//! section narrows down. So the result is the least of the sum, not a step on the way to it, and a good part of the
//! points may be wild. When several lines are equally good, one of them is given. Does not weigh points.

/// A line y = level + slope x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub level: f64,
    /// Rise over run.
    pub slope: f64,
}

impl Line {
    /// y at x.
    pub fn at(&self, x: f64) -> f64 {
        self.level + self.slope * x
    }
}

/// The median: the mean of the middle two when their number is even, NaN of nothing. Changes the order of `values`.
pub fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let odd = values.len() % 2 == 1;
    let half = values.len() / 2;
    let (below, middle, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    let middle = *middle;
    if odd { middle } else { 0.5 * (middle + below.iter().copied().fold(f64::NEG_INFINITY, f64::max)) }
}

/// The value below which this share of the sorted `values` lies, linear between neighbours; NaN of nothing.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let low = (place.floor() as usize).min(last);
    let high = (low + 1).min(last);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

/// Mean and standard deviation (of the sample, n - 1) of some values; NaN for the mean of none, 0 for the spread of one.
pub fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 })
}

/// The line of least squares, with the standard error of its slope. `None` when the points share one x.
pub fn least_squares(points: &[(f64, f64)]) -> Option<(Line, f64)> {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / count;
    let xx: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.0 - mean_x)).sum();
    let xy: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    if xx.is_nan() || xx <= 0.0 {
        return None;
    }
    let slope = xy / xx;
    let line = Line { level: mean_y - slope * mean_x, slope };
    let left: f64 = points.iter().map(|p| (p.1 - line.at(p.0)) * (p.1 - line.at(p.0))).sum();
    let error = if points.len() > 2 { (left / (count - 2.0) / xx).sqrt() } else { 0.0 };
    Some((line, error))
}

/// The line of least absolute deviations. `accuracy` is that of the slope, relative to the spread of y over that of x:
/// 1e-12 for a result, less for a step of a bootstrap. `None` when the points share one x.
pub fn least_absolute(points: &[(f64, f64)], accuracy: f64) -> Option<Line> {
    let (start, _) = least_squares(points)?;
    let (low, high) = span(points.iter().map(|p| p.0));
    let (bottom, top) = span(points.iter().map(|p| p.1));
    let unit = (top - bottom) / (high - low);
    if unit == 0.0 {
        return Some(Line { level: bottom, slope: 0.0 });
    }
    let mut left = vec![0.0; points.len()];
    let mut cost = |slope: f64| cost_of_slope(points, slope, &mut left).0;
    let (mut from, mut to) = bracket(start.slope, unit, &mut cost);
    // Golden section: each turn keeps one of the two inner points and its cost.
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let (mut inner, mut outer) = (to - GOLDEN * (to - from), from + GOLDEN * (to - from));
    let (mut cost_inner, mut cost_outer) = (cost(inner), cost(outer));
    while to - from > accuracy * unit {
        if cost_inner <= cost_outer {
            (to, outer, cost_outer) = (outer, inner, cost_inner);
            inner = to - GOLDEN * (to - from);
            cost_inner = cost(inner);
        } else {
            (from, inner, cost_inner) = (inner, outer, cost_outer);
            outer = from + GOLDEN * (to - from);
            cost_outer = cost(outer);
        }
        if !(from < inner && inner < outer && outer < to) {
            break;
        }
    }
    let slope = if cost_inner <= cost_outer { inner } else { outer };
    let level = cost_of_slope(points, slope, &mut left).1;
    Some(Line { level, slope })
}

/// The least sum of absolute deviations for this slope, and the level that has it.
fn cost_of_slope(points: &[(f64, f64)], slope: f64, left: &mut [f64]) -> (f64, f64) {
    for (value, &(x, y)) in left.iter_mut().zip(points) {
        *value = y - slope * x;
    }
    let level = median(left);
    // The order that the median leaves depends on nothing but the points, so the sum repeats.
    (left.iter().map(|value| (value - level).abs()).sum(), level)
}

/// Slopes on both sides of the least cost. The cost is convex, so it is found by going on while it falls.
fn bracket(start: f64, unit: f64, cost: &mut impl FnMut(f64) -> f64) -> (f64, f64) {
    let mut end = |direction: f64| {
        let (mut step, mut before) = (0.1 * unit, cost(start));
        loop {
            let now = cost(start + direction * step);
            // A cost that is not a number ends the search, too.
            if now.is_nan() || now >= before || step > 1e12 * unit {
                return start + direction * step;
            }
            (before, step) = (now, 2.0 * step);
        }
    };
    (end(-1.0), end(1.0))
}

fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn medians_and_quantiles_of_a_few() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert!(median(&mut []).is_nan());
        assert_eq!(quantile(&[0.0, 1.0, 2.0, 4.0], 0.5), 1.5);
        assert_eq!(quantile(&[0.0, 1.0, 2.0, 4.0], 1.0), 4.0);
        assert_eq!(mean_and_spread(&[1.0, 3.0]), (2.0, 2.0_f64.sqrt()));
    }

    /// With points exactly on a line, and fewer wild ones than keep the sum of |da + db x| over them below that over the
    /// others, the line itself has the least sum: it comes out to the accuracy asked for.
    #[test]
    fn wild_points_do_not_move_the_line() {
        let mut points: Vec<(f64, f64)> = (0..100).map(|i| (f64::from(i), 5.0 - 0.7 * f64::from(i))).collect();
        for point in points.iter_mut().step_by(4) {
            point.1 += 300.0;
        }
        let line = least_absolute(&points, 1e-12).unwrap();
        // The unit is about 375/99, and the level is a slope's error times some 100.
        assert!((line.slope + 0.7).abs() < 1e-10 && (line.level - 5.0).abs() < 1e-8, "{line:?}");
        let (square, _) = least_squares(&points).unwrap();
        assert!((square.level - 5.0).abs() > 10.0, "least squares is moved: {square:?}");
    }

    /// The least sum is attained by a line through two of the points: all of them are tried.
    #[test]
    fn the_sum_is_the_least_of_all_lines_through_two_points() {
        let mut stream = Stream::named(3, "fit");
        for count in [3, 4, 7, 30] {
            let points: Vec<(f64, f64)> = (0..count).map(|_| (stream.unit(), stream.unit())).collect();
            let sum = |line: &Line| points.iter().map(|p| (p.1 - line.at(p.0)).abs()).sum::<f64>();
            let mut best = f64::INFINITY;
            for (i, p) in points.iter().enumerate() {
                for q in &points[i + 1..] {
                    let slope = (q.1 - p.1) / (q.0 - p.0);
                    best = best.min(sum(&Line { level: p.1 - slope * p.0, slope }));
                }
            }
            let found = sum(&least_absolute(&points, 1e-12).unwrap());
            // The sum changes by at most n |dx| per slope; n = 30 and the accuracy is 1e-12.
            assert!((found - best).abs() < 1e-10, "{count}: {found} {best}");
        }
    }

    #[test]
    fn points_over_one_x_have_no_line() {
        assert_eq!(least_absolute(&[(1.0, 0.0), (1.0, 2.0)], 1e-12), None);
        assert_eq!(least_absolute(&[], 1e-12), None);
        assert_eq!(least_absolute(&[(0.0, 2.0), (1.0, 2.0)], 1e-12), Some(Line { level: 2.0, slope: 0.0 }));
    }

    /// y = 3 x + 1 with errors +e, -e, -e, +e, which leave slope and level as they are: xx = 5, sum of squares 4 e^2.
    #[test]
    fn least_squares_knows_its_error() {
        let e = 0.1;
        let points = [(0.0, 1.0 + e), (1.0, 4.0 - e), (2.0, 7.0 - e), (3.0, 10.0 + e)];
        let (line, error) = least_squares(&points).unwrap();
        assert!((line.slope - 3.0).abs() < 1e-14 && (line.level - 1.0).abs() < 1e-14);
        assert!((error - (4.0 * e * e / 2.0 / 5.0_f64).sqrt()).abs() < 1e-14);
    }
}

//! Values that change with time: tables of times and values, linear in between.
//!
//! Between two times t_k and t_k+1 of a table lies
//!
//! v(t) = v_k + (v_k+1 - v_k) (t - t_k)/(t_k+1 - t_k)                                                          (4.8)
//!
//! before the first time the first value, after the last the last. A time written twice is a jump: at that time the later value
//! counts already. The integral is exact, by the trapezoid of each piece, summed beforehand up to every time; so is the mean over an
//! interval. Both cost a search in the table and allocate nothing.
//!
//! A schedule counts time from its own start (`Schedule::starting_at`): that of the run, or the moment at which a stage sets it.
//!
//! Does not do: smooth curves through the values, or values that repeat.

use std::fmt::Debug;
use std::ops::{Add, Mul, Sub};
use std::sync::Arc;

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Times in a schedule, at most.
pub const MOST_TIMES: usize = 10_000;

/// What a schedule may hold: numbers, vectors, matrices.
pub trait Quantity:
    Copy + Debug + PartialEq + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self> + Send + Sync + 'static
{
    /// Zero.
    const ZERO: Self;

    /// Whether all its numbers are finite.
    fn is_finite(&self) -> bool;

    /// Its size: the absolute value, or the length (of a matrix that of all its numbers).
    fn size(&self) -> f64;
}

impl Quantity for f64 {
    const ZERO: f64 = 0.0;

    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }

    fn size(&self) -> f64 {
        self.abs()
    }
}

impl Quantity for DVec3 {
    const ZERO: DVec3 = DVec3::ZERO;

    fn is_finite(&self) -> bool {
        DVec3::is_finite(*self)
    }

    fn size(&self) -> f64 {
        self.length()
    }
}

impl Quantity for DMat3 {
    const ZERO: DMat3 = DMat3::ZERO;

    fn is_finite(&self) -> bool {
        DMat3::is_finite(self)
    }

    fn size(&self) -> f64 {
        self.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// Why times and values are no schedule. Places count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ScheduleError {
    /// No time at all.
    #[error("a schedule needs at least one time")]
    Empty,
    /// More than `MOST_TIMES`.
    #[error("a schedule has at most {MOST_TIMES} times, not {0}")]
    TooMany(usize),
    /// Not one value for each time.
    #[error("{times} times, but {values} values: expected one value for each time")]
    Lengths {
        /// How many times.
        times: usize,
        /// How many values.
        values: usize,
    },
    /// A time before the one before it.
    #[error("times must not fall, but {time} follows {before}")]
    Falls {
        /// Its place.
        at: usize,
        /// The time (s).
        time: f64,
        /// The one before (s).
        before: f64,
    },
    /// A time written three times.
    #[error("{time} is written three times: twice is a jump, and a third value would never count")]
    Thrice {
        /// The place of the third.
        at: usize,
        /// The time (s).
        time: f64,
    },
    /// A time or a value that is not finite.
    #[error("time or value number {} is not a finite number", at + 1)]
    NotFinite {
        /// Its place.
        at: usize,
    },
    /// Numbers so large that differences or the integral overflow.
    #[error("the numbers up to number {} are so large that their integral is none", at + 1)]
    TooLarge {
        /// Where that happens.
        at: usize,
    },
}

impl ScheduleError {
    /// The place in the lists that it is about, if it is about one.
    pub fn place(&self) -> Option<usize> {
        match *self {
            ScheduleError::Falls { at, .. }
            | ScheduleError::Thrice { at, .. }
            | ScheduleError::NotFinite { at }
            | ScheduleError::TooLarge { at } => Some(at),
            ScheduleError::Empty | ScheduleError::TooMany(_) | ScheduleError::Lengths { .. } => None,
        }
    }
}

#[derive(Debug, PartialEq)]
struct Table<T> {
    times: Vec<f64>,
    values: Vec<T>,
    /// The integral from the first time to each.
    sums: Vec<T>,
    /// The integral from the first time to time 0.
    to_zero: T,
}

/// A table of times and values that counts time from its start. Clones share the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Text<T>",
    into = "Text<T>",
    bound(serialize = "T: Quantity + Serialize", deserialize = "T: Quantity + Deserialize<'de>")
)]
pub struct Schedule<T> {
    since: f64,
    table: Arc<Table<T>>,
}

impl<T: Quantity> Schedule<T> {
    /// Makes a schedule of times (s) that do not fall and a value for each, which starts with the run.
    pub fn new(times: Vec<f64>, values: Vec<T>) -> Result<Self, ScheduleError> {
        let count = times.len();
        if values.len() != count {
            return Err(ScheduleError::Lengths { times: count, values: values.len() });
        }
        if count == 0 {
            return Err(ScheduleError::Empty);
        }
        if count > MOST_TIMES {
            return Err(ScheduleError::TooMany(count));
        }
        if let Some(at) = (0..count).find(|&at| !(times[at].is_finite() && values[at].is_finite())) {
            return Err(ScheduleError::NotFinite { at });
        }
        for at in 1..count {
            let (before, time) = (times[at - 1], times[at]);
            if time < before {
                return Err(ScheduleError::Falls { at, time, before });
            }
            if at > 1 && times[at - 2] == time {
                return Err(ScheduleError::Thrice { at, time });
            }
        }
        let mut sums = vec![T::ZERO; count];
        for at in 1..count {
            let slope_ends = values[at] - values[at - 1];
            sums[at] = sums[at - 1] + (values[at - 1] + slope_ends * 0.5) * (times[at] - times[at - 1]);
            if !(slope_ends.is_finite() && sums[at].is_finite()) {
                return Err(ScheduleError::TooLarge { at });
            }
        }
        let mut table = Table { times, values, sums, to_zero: T::ZERO };
        table.to_zero = table.sum(0.0);
        if !table.to_zero.is_finite() {
            return Err(ScheduleError::TooLarge { at: 0 });
        }
        Ok(Schedule { since: 0.0, table: Arc::new(table) })
    }

    /// The same, with its time 0 at this time of the run (s).
    pub fn starting_at(&self, since: f64) -> Self {
        Schedule { since, table: Arc::clone(&self.table) }
    }

    /// Its times, from its start (s).
    pub fn times(&self) -> &[f64] {
        &self.table.times
    }

    /// Its values.
    pub fn values(&self) -> &[T] {
        &self.table.values
    }

    /// The time of the run at which its time 0 is (s).
    pub fn since(&self) -> f64 {
        self.since
    }

    /// The value at a time of the run (s); at a jump the later one.
    pub fn at(&self, time: f64) -> T {
        self.table.at(time - self.since)
    }

    /// The integral between two times of the run (s).
    pub fn integral(&self, from: f64, to: f64) -> T {
        let table = &self.table;
        // From its own start, as positions are, nothing is subtracted twice.
        let up_to = |time: f64| if time == self.since { T::ZERO } else { table.sum(time - self.since) - table.to_zero };
        up_to(to) - up_to(from)
    }

    /// The mean between two times of the run (s), which differ. By pieces and not as a difference of integrals, so that a plateau has
    /// the bits of its value.
    pub fn mean(&self, from: f64, to: f64) -> T {
        self.table.mean(from - self.since, to - self.since)
    }

    /// The slope just after a time of the run (1/s).
    pub fn slope(&self, time: f64) -> T {
        let (table, time) = (&self.table, time - self.since);
        let after = table.after(time);
        if after == 0 || after == table.times.len() {
            return T::ZERO;
        }
        (table.values[after] - table.values[after - 1]) * (1.0 / (table.times[after] - table.times[after - 1]))
    }
}

impl Schedule<f64> {
    /// The time of the run (s) up to which the integral from `from` does not exceed `amount`; infinite if it never does. For values that
    /// are not negative.
    pub fn time_of(&self, from: f64, amount: f64) -> f64 {
        let (table, from) = (&self.table, from - self.since);
        let wanted = table.sum(from) + amount;
        // What rounding leaves at the end of a pause is the pause.
        let slack = 1e-9 * amount.max(1.0);
        let last = table.times.len() - 1;
        let piece = table.sums.partition_point(|sum| *sum <= wanted + slack);
        let (start, begin, done) = match piece {
            0 => (f64::NEG_INFINITY, table.values[0], 0.0),
            piece => (table.times[piece - 1], table.values[piece - 1], table.sums[piece - 1]),
        };
        let time = if piece == 0 {
            table.times[0] - (table.sums[0] - wanted) / begin
        } else if piece > last {
            if begin > 0.0 { start + (wanted - done).max(0.0) / begin } else { f64::INFINITY }
        } else {
            // r = v s + slope s^2/2, solved without cancellation.
            let slope = (table.values[piece] - begin) / (table.times[piece] - start);
            let rest = (wanted - done).max(0.0);
            let root = (begin * begin + 2.0 * slope * rest).max(0.0).sqrt();
            if rest > 0.0 { start + 2.0 * rest / (begin + root) } else { start }
        };
        self.since + time.max(from)
    }
}

impl<T: Quantity> Table<T> {
    /// How many times are at or before this one.
    fn after(&self, time: f64) -> usize {
        self.times.partition_point(|at| *at <= time)
    }

    fn at(&self, time: f64) -> T {
        let after = self.after(time);
        if after == 0 {
            return self.values[0];
        }
        if after == self.times.len() {
            return self.values[after - 1];
        }
        self.between(after, time)
    }

    /// The value in the piece that ends at a place (eq. 4.8).
    fn between(&self, end: usize, time: f64) -> T {
        let (start, begin) = (self.times[end - 1], self.values[end - 1]);
        begin + (self.values[end] - begin) * ((time - start) / (self.times[end] - start))
    }

    /// The integral from the first time.
    fn sum(&self, time: f64) -> T {
        let after = self.after(time);
        if after == 0 {
            return self.values[0] * (time - self.times[0]);
        }
        let (start, begin) = (self.times[after - 1], self.values[after - 1]);
        let end = if after == self.times.len() { begin } else { self.between(after, time) };
        self.sums[after - 1] + (begin + (end - begin) * 0.5) * (time - start)
    }

    fn mean(&self, from: f64, to: f64) -> T {
        let (mut start, mut begin, mut end) = (from, self.at(from), self.after(from));
        let mut sum = T::ZERO;
        while end < self.times.len() && self.times[end] < to {
            let (next, value) = (self.times[end], self.values[end]);
            let reached = if end == 0 { self.values[0] } else { value };
            sum = sum + (begin + (reached - begin) * 0.5) * (next - start);
            end = self.after(next);
            (start, begin) = (next, self.values[end - 1]);
        }
        // At a jump at the very end the earlier value counts.
        let last = if end == 0 || end == self.times.len() { begin } else { self.between(end, to) };
        let mean = begin + (last - begin) * 0.5;
        if start == from { mean } else { (sum + mean * (to - start)) * (1.0 / (to - from)) }
    }
}

/// As files hold it.
#[derive(Serialize, Deserialize)]
struct Text<T> {
    times: Vec<f64>,
    values: Vec<T>,
    #[serde(default, skip_serializing_if = "is_zero")]
    since: f64,
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl<T: Quantity> TryFrom<Text<T>> for Schedule<T> {
    type Error = ScheduleError;

    fn try_from(text: Text<T>) -> Result<Self, ScheduleError> {
        let since = if text.since.is_finite() { text.since } else { return Err(ScheduleError::NotFinite { at: 0 }) };
        Ok(Schedule::new(text.times, text.values)?.starting_at(since))
    }
}

impl<T: Quantity> From<Schedule<T>> for Text<T> {
    fn from(schedule: Schedule<T>) -> Self {
        let Table { times, values, .. } = &*schedule.table;
        Text { times: times.clone(), values: values.clone(), since: schedule.since }
    }
}

/// What drives: a constant, or a schedule. A constant keeps its bits in whatever it is used for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, bound(serialize = "T: Quantity + Serialize", deserialize = "T: Quantity + Deserialize<'de>"))]
pub enum Signal<T> {
    /// The same at all times.
    Constant(T),
    /// A table over time.
    Schedule(Schedule<T>),
}

impl<T> From<T> for Signal<T> {
    fn from(value: T) -> Self {
        Signal::Constant(value)
    }
}

impl<T: Quantity> From<Schedule<T>> for Signal<T> {
    fn from(schedule: Schedule<T>) -> Self {
        Signal::Schedule(schedule)
    }
}

impl<T: Quantity> Default for Signal<T> {
    fn default() -> Self {
        Signal::Constant(T::ZERO)
    }
}

impl<T: Quantity> Signal<T> {
    /// The value at a time of the run (s).
    #[inline(always)]
    pub fn at(&self, time: f64) -> T {
        match self {
            Signal::Constant(value) => *value,
            Signal::Schedule(schedule) => schedule.at(time),
        }
    }

    /// The value with which it starts.
    pub fn at_start(&self) -> T {
        self.at(self.schedule().map_or(0.0, Schedule::since))
    }

    /// The mean between two times of the run (s), which differ.
    pub fn mean(&self, from: f64, to: f64) -> T {
        match self {
            Signal::Constant(value) => *value,
            Signal::Schedule(schedule) => schedule.mean(from, to),
        }
    }

    /// The integral between two times of the run (s).
    pub fn integral(&self, from: f64, to: f64) -> T {
        match self {
            Signal::Constant(value) => *value * (to - from),
            Signal::Schedule(schedule) => schedule.integral(from, to),
        }
    }

    /// The same, with its time 0 at this time of the run (s).
    pub fn starting_at(&self, since: f64) -> Self {
        match self {
            Signal::Constant(value) => Signal::Constant(*value),
            Signal::Schedule(schedule) => Signal::Schedule(schedule.starting_at(since)),
        }
    }

    /// The schedule, if it is one.
    pub fn schedule(&self) -> Option<&Schedule<T>> {
        match self {
            Signal::Constant(_) => None,
            Signal::Schedule(schedule) => Some(schedule),
        }
    }

    /// All values it goes through, straight from one to the next: those of a table, or the constant.
    pub fn values(&self) -> &[T] {
        match self {
            Signal::Constant(value) => std::slice::from_ref(value),
            Signal::Schedule(schedule) => schedule.values(),
        }
    }

    /// Whether it is zero at all times.
    pub fn is_zero(&self) -> bool {
        self.values().iter().all(|value| *value == T::ZERO)
    }

    /// The size of its largest value.
    pub fn largest(&self) -> f64 {
        self.values().iter().map(Quantity::size).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 until 1 s, up to 4 at 3 s, a jump down to -2, constant until 5 s, up to 0 at 6 s.
    fn jumping() -> Schedule<f64> {
        Schedule::new(vec![1.0, 3.0, 3.0, 5.0, 6.0], vec![0.0, 4.0, -2.0, -2.0, 0.0]).unwrap()
    }

    #[test]
    fn values_are_linear_in_between_and_jump_where_a_time_is_written_twice() {
        let times = [-9.0, 1.0, 1.5, 3.0 - 1e-9, 3.0, 4.0, 5.5, 6.0, 99.0];
        let expected = [0.0, 0.0, 1.0, 4.0 - 2e-9, -2.0, -2.0, -1.0, 0.0, 0.0];
        for (time, expected) in times.into_iter().zip(expected) {
            assert!((jumping().at(time) - expected).abs() < 1e-15, "{time}: {}", jumping().at(time));
        }
        assert_eq!([0.0, 1.0, 3.0, 5.0, 6.0].map(|time| jumping().slope(time)), [0.0, 2.0, 0.0, 2.0, 0.0]);
        let step = Schedule::new(vec![6.0, 6.0], vec![1.0, 8.0]).unwrap();
        assert_eq!([5.9, 6.0, 6.1].map(|time| step.at(time)), [1.0, 8.0, 8.0]);
    }

    #[test]
    fn the_integral_is_that_of_trapezoids() {
        // By hand: 4 up to 3 s, less 2 (t - 3) up to 5 s, less 1 in the last second.
        let up_to = |time: f64| jumping().integral(0.0, time);
        assert_eq!([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0].map(up_to), [0.0, 0.0, 1.0, 4.0, 2.0, 0.0, -1.0, -1.0]);
        assert_eq!(jumping().integral(2.0, 5.5), -1.75);
        assert_eq!(jumping().integral(5.5, 2.0), 1.75);
        // From time 0, wherever the first time lies.
        let early = Schedule::new(vec![-2.0, 2.0], vec![0.0, 4.0]).unwrap();
        assert_eq!([early.integral(0.0, 2.0), early.integral(0.0, -2.0), early.integral(0.0, 3.0)], [6.0, -2.0, 10.0]);
        let late = Schedule::new(vec![2.0, 3.0], vec![5.0, 7.0]).unwrap();
        assert_eq!([late.integral(0.0, 1.0), late.integral(0.0, 3.0)], [5.0, 16.0]);
    }

    #[test]
    fn means_are_integrals_over_the_interval_and_plateaus_keep_their_bits() {
        for (from, to) in
            [(0.0, 7.0), (0.5, 1.5), (2.9, 3.0), (2.5, 3.5), (3.0, 4.0), (4.9, 5.1), (6.0, 8.0), (0.1, 0.2)]
        {
            let (mean, expected) = (jumping().mean(from, to), jumping().integral(from, to) / (to - from));
            // Integrals of size 4 over intervals of 0.1.
            assert!((mean - expected).abs() < 2e-14, "{from} to {to}: {mean}, {expected}");
        }
        let value = 0.1 + 0.2;
        let plateau = Schedule::new(vec![0.0, 1.0, 2.0], vec![0.0, value, value]).unwrap();
        assert_eq!([plateau.mean(1.0, 1.1), plateau.mean(1.3, 1.30001), plateau.mean(7.1, 7.3)], [value; 3]);
    }

    #[test]
    fn a_start_moves_all_of_it() {
        let moved = jumping().starting_at(10.0);
        for time in [0.0, 2.0, 3.0, 5.5, 7.0] {
            assert_eq!(moved.at(10.0 + time), jumping().at(time));
            assert_eq!(moved.integral(10.0, 10.0 + time), jumping().integral(0.0, time));
        }
        assert_eq!(moved.mean(12.0, 14.0), jumping().mean(2.0, 4.0));
        assert_eq!(Signal::Schedule(moved).at_start(), 0.0);
    }

    #[test]
    fn the_time_of_an_amount_is_where_the_integral_passes_it() {
        // 10 a second for 2 s, a pause until 5 s, then up to 20 a second at 7 s.
        let rate = Schedule::new(vec![0.0, 2.0, 2.0, 5.0, 7.0], vec![10.0, 10.0, 0.0, 0.0, 20.0]).unwrap();
        // After the pause 5 s^2 = n - 20.
        let expected = [(0.0, 0.0), (5.0, 0.5), (20.0, 5.0), (25.0, 6.0), (40.0, 7.0), (60.0, 8.0)];
        for (amount, time) in expected {
            assert!((rate.time_of(0.0, amount) - time).abs() < 1e-14, "{amount}: {}", rate.time_of(0.0, amount));
        }
        assert!((rate.time_of(1.0, 10.0) - 5.0).abs() < 1e-14 && (rate.time_of(6.0, 15.0) - 7.0).abs() < 1e-14);
        assert_eq!(rate.starting_at(3.0).time_of(3.0, 5.0), 3.5);
        let ends = Schedule::new(vec![2.0, 2.0, 3.0], vec![0.0, 4.0, 0.0]).unwrap();
        assert_eq!((ends.time_of(0.0, 0.0), ends.time_of(0.0, 2.0)), (2.0, f64::INFINITY));
        assert!((ends.time_of(0.0, 1.5) - 2.5).abs() < 1e-14);
        let late = Schedule::new(vec![2.0, 3.0], vec![4.0, 4.0]).unwrap();
        assert_eq!([0.0, 4.0, 12.0, 40.0].map(|n| late.time_of(0.0, n)), [0.0, 1.0, 3.0, 10.0]);
        // A pause whose end rounding misses: 0.1 a second for 3 s in three pieces.
        let pieces =
            Schedule::new(vec![0.0, 1.0, 2.0, 3.0, 3.0, 9.0, 9.0], vec![0.1, 0.1, 0.1, 0.1, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(pieces.time_of(0.0, 0.1 * 3.0), 9.0);
    }

    #[test]
    fn what_is_no_schedule_is_an_error() {
        let error = |times: &[f64], values: &[f64]| Schedule::new(times.to_vec(), values.to_vec()).unwrap_err();
        assert_eq!(error(&[], &[]), ScheduleError::Empty);
        assert_eq!(error(&[1.0], &[]), ScheduleError::Lengths { times: 1, values: 0 });
        assert_eq!(error(&[1.0, 0.0], &[0.0, 0.0]), ScheduleError::Falls { at: 1, time: 0.0, before: 1.0 });
        assert_eq!(error(&[1.0; 3], &[0.0; 3]), ScheduleError::Thrice { at: 2, time: 1.0 });
        assert_eq!(error(&[0.0, f64::NAN], &[0.0; 2]), ScheduleError::NotFinite { at: 1 });
        assert_eq!(error(&[0.0], &[f64::INFINITY]), ScheduleError::NotFinite { at: 0 });
        assert_eq!(error(&[0.0, 1.0], &[1e308, -1e308]), ScheduleError::TooLarge { at: 1 });
        assert_eq!(error(&[0.0, 1e200], &[1e200, 1e200]), ScheduleError::TooLarge { at: 1 });
        assert_eq!(error(&[0.0; MOST_TIMES + 1], &[0.0; MOST_TIMES + 1]), ScheduleError::TooMany(MOST_TIMES + 1));
    }

    #[test]
    fn a_constant_is_written_as_the_number_and_a_schedule_as_its_table() {
        let text = |signal: &Signal<DVec3>| serde_json::to_string(signal).unwrap();
        let constant = Signal::Constant(DVec3::new(0.1, -0.0, 3.0));
        assert_eq!(text(&constant), "[0.1,-0.0,3.0]");
        let schedule = Schedule::new(vec![0.5, 1.0], vec![DVec3::ZERO, DVec3::X]).unwrap();
        let signal = Signal::from(schedule.clone());
        assert_eq!(text(&signal), r#"{"times":[0.5,1.0],"values":[[0.0,0.0,0.0],[1.0,0.0,0.0]]}"#);
        for signal in [constant, signal, schedule.starting_at(0.3).into()] {
            assert_eq!(serde_json::from_str::<Signal<DVec3>>(&text(&signal)).unwrap(), signal);
        }
        let bad =
            [r#"{"times":[1,0],"values":[0,0]}"#, r#"{"times":[],"values":[]}"#, r#"{"times":[0]}"#, "null", "\"x\""];
        assert!(bad.iter().all(|text| serde_json::from_str::<Signal<f64>>(text).is_err()));
    }
}

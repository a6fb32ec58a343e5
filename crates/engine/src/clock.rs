//! Time counted in steps from a known instant: that of the run, of a motion, of a stream.
//!
//! t = t0 + (n - n0) dt. A stage that changes the step starts the count again at its first step; one that keeps it does not, so
//! a run that is cut into stages has the times of one that is not. Does not do: steps that change inside a stage.

use serde::{Deserialize, Serialize};

/// An instant from which steps are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// Steps that the run had taken then.
    pub step: u64,
    /// What the clock showed then (s).
    pub time: f64,
}

impl Clock {
    /// What it shows after so many steps of the run (s), of `dt` (s) each since the instant.
    pub fn time_at(&self, step: u64, dt: f64) -> f64 {
        self.time + step.saturating_sub(self.step) as f64 * dt
    }

    /// The first step at or after a time (s). What differs from a whole step by rounding is that step.
    pub fn step_at(&self, time: f64, dt: f64) -> u64 {
        // Casts saturate.
        self.step.saturating_add(((time - self.time) / dt - 1e-9).ceil().max(0.0) as u64)
    }

    /// The same clock, counted from a later step: for a step that changes there. `dt` is that until then (s).
    #[must_use]
    pub fn counted_from(&self, step: u64, dt: f64) -> Self {
        Clock { step, time: self.time_at(step, dt) }
    }

    /// Whether it is the one that starts with the run.
    pub fn is_of_run(&self) -> bool {
        *self == Clock::default()
    }

    /// Whether a run may have it after so many steps.
    pub(crate) fn is_sound(&self, step: u64) -> bool {
        self.step <= step && self.time.is_finite() && self.time >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_counted_from_a_later_step_shows_the_same() {
        let clock = Clock { step: 10, time: 0.5 };
        assert_eq!((clock.time_at(14, 0.25), clock.step_at(1.5, 0.25)), (1.5, 14));
        let later = clock.counted_from(14, 0.25);
        assert_eq!((later.time_at(14, 0.125), later.time_at(16, 0.125)), (1.5, 1.75));
        // A time before it is at its first step, one that no run reaches at none.
        assert_eq!((clock.step_at(0.1, 0.25), clock.step_at(f64::INFINITY, 0.25)), (10, u64::MAX));
        // The run's own counts as it always has.
        assert_eq!(Clock::default().time_at(7, 1e-5).to_bits(), (7.0 * 1e-5_f64).to_bits());
    }
}

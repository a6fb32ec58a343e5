//! At which steps a record is due: the first step at or after k `every`, for k = 0, 1, 2, ...
//!
//! Step 0 is always due. The last step is the recorder's business, because a run may end early.

use stickslip::clock::Clock;

use crate::scene::Every;

/// An interval measured in steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// `every` / dt; at most 1 means each step.
    interval: f64,
    /// The step from which steps are counted, and the time then over dt.
    first: u64,
    before: f64,
}

impl Schedule {
    /// The schedule of a record in a run of step `dt` (s).
    pub fn new(every: Every, dt: f64) -> Self {
        let interval = match every {
            Every::Step => 1.0,
            Every::Time(time) => time / dt,
        };
        Schedule { interval, first: 0, before: 0.0 }
    }

    /// The same in a stage in which steps, of `dt` (s) each, are counted from this clock.
    pub fn counted_from(self, clock: Clock, dt: f64) -> Self {
        Schedule { first: clock.step, before: clock.time / dt, ..self }
    }

    /// Whether a record is due after this many steps.
    pub fn due(&self, step: u64) -> bool {
        if step == 0 || self.interval <= 1.0 {
            return true;
        }
        let k = ((step.saturating_sub(self.first) as f64 + self.before) / self.interval).floor();
        // Rounding may put the quotient on the wrong side of a whole number, so its neighbour is asked too.
        [k, k + 1.0].into_iter().any(|k| self.first_step(k) == step)
    }

    /// The first step at or after k intervals, but for 1e-9 of a step and the rounding of the product.
    fn first_step(&self, k: f64) -> u64 {
        let exact = k * self.interval;
        self.first.saturating_add((exact - self.before - 1e-9 - 2.0 * f64::EPSILON * exact).ceil() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due_steps(every: f64, dt: f64, count: u64) -> Vec<u64> {
        let schedule = Schedule::new(Every::Time(every), dt);
        (0..=count).filter(|&step| schedule.due(step)).collect()
    }

    #[test]
    fn the_first_step_at_or_after_each_multiple() {
        assert_eq!(due_steps(2.5e-3, 1e-3, 12), [0, 3, 5, 8, 10]);
        assert_eq!(due_steps(0.02, 0.02, 4), [0, 1, 2, 3, 4]);
        assert_eq!(due_steps(0.3, 0.1, 12), [0, 3, 6, 9, 12]);
        assert_eq!(due_steps(0.001, 0.1, 3), [0, 1, 2, 3]);
        assert_eq!(due_steps(100.0, 0.1, 3), [0]);
    }

    /// With steps of 0.25 s from 1.125 s on, which is step 9 of 0.125 s each.
    #[test]
    fn a_stage_of_another_step_goes_on_with_the_same_times() {
        let schedule = Schedule::new(Every::Time(0.5), 0.25).counted_from(Clock { step: 9, time: 1.125 }, 0.25);
        let due: Vec<u64> = (10..20).filter(|&step| schedule.due(step)).collect();
        // 1.5, 2, 2.5, 3, 3.5 s: the first steps at or after them.
        assert_eq!(due, [11, 13, 15, 17, 19]);
    }

    #[test]
    fn every_step_is_every_step() {
        let schedule = Schedule::new(Every::Step, 1e-7);
        assert!((0..10).all(|step| schedule.due(step)));
    }

    #[test]
    fn rounding_never_makes_a_record_late_or_double() {
        for (every, dt) in [(0.1, 1e-6), (1.0 / 3.0, 1e-5), (0.07, 1.4e-5), (1e-3, 3e-7)] {
            let schedule = Schedule::new(Every::Time(every), dt);
            let interval: f64 = every / dt;
            for k in [1.0, 7.0, 1000.0, 12345.0] {
                let step = (k * interval - 1e-6).ceil() as u64;
                let due: Vec<u64> = (step - 2..step + 3).filter(|&s| schedule.due(s)).collect();
                assert_eq!(due, [step], "every {every}, dt {dt}, k {k}");
            }
        }
        let schedule = Schedule::new(Every::Time(0.1), 1e-6);
        for k in [1, 3, 6, 7, 123_456, 99_999_999] {
            assert!([-1, 0, 1].map(|d| schedule.due((100_000_i64 * k + d) as u64)) == [false, true, false], "k {k}");
        }
    }
}

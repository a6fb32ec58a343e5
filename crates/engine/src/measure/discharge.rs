//! The rate at which bodies leave: through a plane, or out of a region, from recorded times.
//!
//! At each time every body that was ever seen is in one of three places: on this side of the gate, beyond it, or gone
//! from the record (removed). So in = on + out at every time, by number and by mass, with out = beyond + gone. The rate is
//! the slope of out over time by least squares over the steady middle: the times at which between 20 and 80 % of what
//! leaves in all has left, or between two given times. Recorded times must be close enough for that: at least three.

use std::collections::BTreeSet;

use glam::DVec3;

use super::TooFew;
use super::fit::{Line, least_squares};
use super::region::Region;

/// What bodies leave through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gate {
    /// Beyond is where (x - point) . normal is positive.
    Plane {
        /// A point of the plane (m).
        point: DVec3,
        /// Unit vector, outward.
        normal: DVec3,
    },
    /// Beyond is outside.
    Region(Region),
}

impl Gate {
    /// Whether a point is beyond.
    pub fn beyond(&self, x: DVec3) -> bool {
        match *self {
            Gate::Plane { point, normal } => (x - point).dot(normal) > 0.0,
            Gate::Region(region) => !region.contains(x),
        }
    }
}

/// How many bodies and how much mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// Number.
    pub bodies: usize,
    /// kg.
    pub mass: f64,
}

impl Amount {
    fn add(&mut self, mass: f64) {
        self.bodies += 1;
        self.mass += mass;
    }
}

/// Where the bodies are at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// s.
    pub time: f64,
    /// All that have been seen so far.
    pub came: Amount,
    /// On this side of the gate.
    pub on: Amount,
    /// Beyond it, still in the record.
    pub beyond: Amount,
    /// No longer in the record.
    pub gone: Amount,
}

impl Tally {
    /// All that have left.
    pub fn out(&self) -> Amount {
        Amount { bodies: self.beyond.bodies + self.gone.bodies, mass: self.beyond.mass + self.gone.mass }
    }

    /// Mass that is neither on nor out (kg): the rounding of three sums.
    pub fn imbalance(&self) -> f64 {
        self.came.mass - self.on.mass - self.out().mass
    }
}

/// Counts bodies time by time.
#[derive(Clone, Debug)]
pub struct Tallier {
    gate: Gate,
    seen: BTreeSet<u32>,
    /// One row a time, in order.
    pub rows: Vec<Tally>,
}

impl Tallier {
    /// Nothing counted yet.
    pub fn new(gate: Gate) -> Self {
        Tallier { gate, seen: BTreeSet::new(), rows: Vec::new() }
    }

    /// Counts the bodies that the record has at a time, later than all before. `mass_of` is the mass by id.
    pub fn count(&mut self, time: f64, ids: &[u32], positions: &[DVec3], mass_of: impl Fn(u32) -> f64) {
        let mut row = Tally { time, ..Tally::default() };
        let present: BTreeSet<u32> = ids.iter().copied().collect();
        for (&id, &position) in ids.iter().zip(positions) {
            if self.gate.beyond(position) { row.beyond.add(mass_of(id)) } else { row.on.add(mass_of(id)) }
        }
        self.seen.extend(ids);
        for &id in &self.seen {
            row.came.add(mass_of(id));
            if !present.contains(&id) {
                row.gone.add(mass_of(id));
            }
        }
        self.rows.push(row);
    }
}

/// A rate of discharge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discharge {
    /// Bodies per second, and the standard error of the fit.
    pub bodies_per_second: (f64, f64),
    /// kg/s, and the standard error of the fit.
    pub mass_per_second: (f64, f64),
    /// Mass out over time (kg, s), as fitted.
    pub line: Line,
    /// The fit begins here (s).
    pub from: f64,
    /// It ends here (s).
    pub to: f64,
    /// Recorded times in it.
    pub times: usize,
}

/// The rate over the steady middle, or between the times of `window`.
pub fn discharge(rows: &[Tally], window: (Option<f64>, Option<f64>)) -> Result<Discharge, TooFew> {
    let most = rows.last().map_or(0, |row| row.out().bodies);
    let first = rows.first().map_or(0, |row| row.out().bodies);
    TooFew::check("bodies that leave", most.saturating_sub(first), 1)?;
    let reached = |share: f64| {
        let level = first as f64 + share * (most - first) as f64;
        rows.iter().find(|row| row.out().bodies as f64 >= level).map_or(f64::NAN, |row| row.time)
    };
    let from = window.0.unwrap_or_else(|| reached(0.2));
    let to = window.1.unwrap_or_else(|| reached(0.8));
    let chosen: Vec<&Tally> = rows.iter().filter(|row| row.time >= from && row.time <= to).collect();
    TooFew::check("recorded times in the steady middle", chosen.len(), 3)?;
    let fit = |of: fn(&Tally) -> f64| {
        let points: Vec<(f64, f64)> = chosen.iter().map(|row| (row.time, of(row))).collect();
        least_squares(&points).ok_or(TooFew { what: "different times", found: 1, needed: 2 })
    };
    let (bodies, bodies_error) = fit(|row| row.out().bodies as f64)?;
    let (line, mass_error) = fit(|row| row.out().mass)?;
    Ok(Discharge {
        bodies_per_second: (bodies.slope, bodies_error),
        mass_per_second: (line.slope, mass_error),
        line,
        from,
        to,
        times: chosen.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One body of 2 kg passes the plane every 10 ms from 0.1 s on and is removed 50 ms later; rows every 10 ms. The counts
    /// lie on a straight line, so the slope is exact up to rounding.
    fn drain() -> Tallier {
        let mut tallier = Tallier::new(Gate::Plane { point: DVec3::ZERO, normal: -DVec3::Z });
        for step in 0..60_i32 {
            let left = (step - 10).clamp(0, 40);
            let removed = (step - 15).clamp(0, 40);
            let ids: Vec<u32> = (removed as u32..100).collect();
            let height = |&id: &u32| DVec3::Z * if (id as i32) < left { -1.0 } else { 1.0 };
            let places: Vec<DVec3> = ids.iter().map(height).collect();
            tallier.count(f64::from(step) * 0.01, &ids, &places, |_| 2.0);
        }
        tallier
    }

    #[test]
    fn a_steady_stream_has_its_rate() {
        let tallier = drain();
        let found = discharge(&tallier.rows, (None, None)).unwrap();
        assert!((found.bodies_per_second.0 - 100.0).abs() < 1e-10, "{found:?}");
        assert!((found.mass_per_second.0 - 200.0).abs() < 1e-10 && found.mass_per_second.1 < 1e-9);
        // 20 and 80 % of 40 have left at 0.18 and 0.42 s.
        assert!((found.from - 0.18).abs() < 1e-12 && (found.to - 0.42).abs() < 1e-12 && found.times == 25);
        let slow = discharge(&tallier.rows, (Some(0.0), Some(0.1))).unwrap();
        assert_eq!(slow.bodies_per_second.0, 0.0);
    }

    #[test]
    fn what_came_is_on_or_out() {
        for row in drain().rows {
            assert_eq!(row.came.bodies, row.on.bodies + row.out().bodies);
            // Whole numbers of 2 kg: no rounding.
            assert_eq!(row.imbalance(), 0.0);
        }
        let mut late = Tallier::new(Gate::Region(Region::Box { from: DVec3::ZERO, to: DVec3::ONE }));
        late.count(0.0, &[3], &[DVec3::splat(0.5)], f64::from);
        late.count(1.0, &[3, 7], &[DVec3::splat(2.0), DVec3::splat(0.1)], f64::from);
        late.count(2.0, &[7], &[DVec3::splat(0.2)], f64::from);
        let last = late.rows[2];
        assert_eq!((last.came.mass, last.on.mass, last.gone.mass, last.imbalance()), (10.0, 7.0, 3.0, 0.0));
    }

    #[test]
    fn nothing_leaves_nothing_is_measured() {
        let mut tallier = Tallier::new(Gate::Plane { point: DVec3::ZERO, normal: -DVec3::Z });
        tallier.count(0.0, &[0], &[DVec3::Z], |_| 1.0);
        assert_eq!(discharge(&tallier.rows, (None, None)).unwrap_err().what, "bodies that leave");
    }
}

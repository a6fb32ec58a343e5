//! What comes and goes: streams of bodies that arrive during a run, and the box beyond which bodies are taken out.
//!
//! Body n of a stream (from 0) is due at the time start + n/rate; it enters at the first step at or after that. Its
//! radius is number n of a random stream of its own, so all that is fixed about it follows from n. Its place is drawn when
//! it enters, from a second one. `world/traffic.rs` does the work; this file says what is wanted.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::random::Stream;
use crate::shape::Shape;

/// A stream: spheres that arrive in a box, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Inflow {
    /// Index into `Model::materials`.
    pub material: u16,
    /// Least and largest radius (m); uniform between the two.
    pub radius: [f64; 2],
    /// Mass in proportion to the radius instead of the volume, with the mean mass kept.
    pub mass_by_radius: bool,
    /// Bodies a second, above zero.
    pub rate: f64,
    /// How many in all.
    pub count: u64,
    /// When the first is due (s).
    pub start: f64,
    /// Lower corner of the box of centres (m).
    pub from: DVec3,
    /// Upper corner (m).
    pub to: DVec3,
    /// Velocity of all (m/s).
    pub velocity: DVec3,
    /// Angular velocity of all (rad/s).
    pub angular_velocity: DVec3,
    /// What radii are drawn from: one number a body.
    pub sizes: Stream,
    /// What places are drawn from: three numbers a try.
    pub places: Stream,
}

/// A box that bodies may leave; those that do are taken out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outflow {
    /// Lower corner (m).
    pub from: DVec3,
    /// Upper corner (m).
    pub to: DVec3,
}

/// How far a body travels between two looks for a free place, as a fraction of its radius: see `look_every`.
const WAY_BETWEEN_LOOKS: f64 = 0.02;
/// Steps between two looks, at least.
const LEAST_LOOK: f64 = 10.0;

impl Inflow {
    /// The first step at or after the time at which body n is due.
    pub fn due_step(&self, n: u64, dt: f64) -> u64 {
        // As for records: what differs from a whole step by rounding is that step. Casts saturate.
        ((self.start + n as f64 / self.rate) / dt - 1e-9).ceil().max(0.0) as u64
    }

    /// How many bodies were due at steps before this one.
    pub fn due_before(&self, step: u64, dt: f64) -> u64 {
        let mut due = (((step as f64 * dt - self.start) * self.rate).max(0.0) as u64).min(self.count);
        while due > 0 && self.due_step(due - 1, dt) >= step {
            due -= 1;
        }
        while due < self.count && self.due_step(due, dt) < step {
            due += 1;
        }
        due
    }

    /// Steps until a body that found no place looks again: the time in which the stream's bodies travel a fiftieth of their
    /// radius, falling included, so that a thousand looks in vain mean that nothing moves on.
    pub fn look_every(&self, gravity: DVec3, dt: f64) -> u64 {
        let radius = self.radius[1];
        let speed = (self.velocity.length_squared() + 2.0 * gravity.length() * radius).sqrt();
        let steps = (WAY_BETWEEN_LOOKS * radius / (speed * dt)).ceil();
        if steps.is_finite() { steps.clamp(LEAST_LOOK, 1e9) as u64 } else { LEAST_LOOK as u64 }
    }

    /// Body n, its centre at the lower corner of the box; `density` is its material's.
    pub fn body(&self, n: u64, density: f64) -> Body {
        let [min, max] = self.radius;
        let mut sizes = self.sizes.clone();
        sizes.skip(n);
        self.body_of(if min < max { sizes.between(min, max) } else { min }, density)
    }

    /// The smallest and the largest body that may come.
    pub fn extremes(&self, density: f64) -> [Body; 2] {
        self.radius.map(|radius| self.body_of(radius, density))
    }

    fn body_of(&self, radius: f64, density: f64) -> Body {
        let [min, max] = self.radius;
        let mut body = Body::new(Shape::Sphere { radius }, self.material, self.from);
        (body.velocity, body.angular_velocity) = (self.velocity, self.angular_velocity);
        // m = rho (4/3) pi (<R^3>/<R>) R; for a uniform distribution <R^3>/<R> = (min^2 + max^2)/2.
        let mass_per_radius = density * 4.0 / 3.0 * std::f64::consts::PI * 0.5 * (min * min + max * max);
        body.mass = self.mass_by_radius.then_some(mass_per_radius * radius);
        body
    }
}

/// How far a stream has come: plain numbers, all that a checkpoint needs of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    /// Bodies that have entered.
    pub entered: u64,
    /// Random numbers drawn for places.
    pub drawn: u64,
    /// The step at which the next body enters or looks again.
    pub next_look: u64,
    /// Looks in vain, in a row.
    pub in_vain: u32,
}

/// What is fixed about a body that has entered; it stays known when the body has left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrival {
    /// Index into `Model::materials`.
    pub material: u16,
    /// m.
    pub radius: f64,
    /// kg; the moment of inertia is that of a solid sphere.
    pub mass: f64,
}

/// What has come and gone: part of the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// One for each stream.
    pub queues: Vec<Queue>,
    /// Bodies that have entered, by id, from the first id after those that were there at the start.
    pub arrivals: Vec<Arrival>,
    /// How many bodies have left.
    pub left: u64,
    /// Their mass (kg).
    pub left_mass: f64,
}

impl Traffic {
    /// How many bodies have entered.
    pub fn entered(&self) -> u64 {
        self.arrivals.len() as u64
    }
}

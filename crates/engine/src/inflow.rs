//! What comes and goes: streams of bodies that arrive during a run, and the box beyond which bodies are taken out.
//!
//! Body n of a stream (from 0) is due at the time start + n/rate; it enters at the first step at or after that. Its
//! radius is number n of a random stream of its own, so all that is fixed about it follows from n. Its place is drawn when
//! it enters, from a second one. `traffic.rs` does the work; this file says what is wanted.

use glam::DVec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::body::{Body, BodyList};
use crate::clock::Clock;
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

impl Inflow {
    /// The first step at or after the time at which body n is due, on the stream's own clock.
    pub fn due_step(&self, n: u64, since: Clock, dt: f64) -> u64 {
        since.step_at(self.start + n as f64 / self.rate, dt)
    }

    /// How many bodies were due at steps before this one.
    pub fn due_before(&self, step: u64, since: Clock, dt: f64) -> u64 {
        let (mut due, mut not_due) = (0, self.count);
        while due < not_due {
            let middle = due + (not_due - due) / 2;
            if self.due_step(middle, since, dt) < step { due = middle + 1 } else { not_due = middle }
        }
        due
    }

    /// Steps until a body that found no place looks again: the time in which the stream's bodies travel a fiftieth of their
    /// radius, falling included, so that a thousand looks in vain mean that nothing moves on; at least so many steps.
    pub fn look_every(&self, gravity: DVec3, dt: f64, least: u64) -> u64 {
        let radius = self.radius[1];
        let speed = (self.velocity.length_squared() + 2.0 * gravity.length() * radius).sqrt();
        let steps = (WAY_BETWEEN_LOOKS * radius / (speed * dt)).ceil();
        if steps.is_finite() { (steps.min(1e9) as u64).max(least) } else { least }
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// Bodies that have entered.
    pub entered: u64,
    /// Random numbers drawn for places.
    pub drawn: u64,
    /// The step at which the next body enters or looks again.
    pub next_look: u64,
    /// Looks in vain, in a row.
    pub in_vain: u32,
    /// The stream's own clock: a stage that brings or sets it starts it again.
    #[serde(default, skip_serializing_if = "Clock::is_of_run")]
    pub since: Clock,
}

impl Queue {
    /// That of a stream that starts at this clock.
    pub fn starting(inflow: &Inflow, since: Clock, dt: f64) -> Self {
        Queue { next_look: inflow.due_step(0, since, dt), since, ..Queue::default() }
    }

    /// The same stream when the step changes after `step` steps: from `old` to `dt` (s). A body that waits looks at once.
    #[must_use]
    pub fn with_step(&self, inflow: &Inflow, step: u64, old: f64, dt: f64) -> Self {
        let since = self.since.counted_from(step, old);
        let due = if self.entered < inflow.count { inflow.due_step(self.entered, since, dt) } else { u64::MAX };
        Queue { next_look: due.max(step), since, ..*self }
    }
}

/// What is fixed about a body that has entered; it stays known when the body has left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Index into `Model::materials`.
    pub material: u16,
    /// Its surface.
    pub shape: Shape,
    /// kg.
    pub mass: f64,
    /// Principal moments of inertia (kg m^2), where they are not those of the shape with this mass.
    pub inertia_body: Option<DVec3>,
    /// Degrees of freedom that are kept at zero velocity, as `Body::lock`.
    pub lock: [bool; 6],
}

impl Arrival {
    /// What is fixed about a body whose material has this density.
    pub fn of(body: &Body, density: f64) -> Self {
        let Body { material, shape, inertia_body, lock, .. } = *body;
        Arrival { material, shape, mass: body.mass_and_inertia(density).0, inertia_body, lock }
    }

    /// The body, at the origin and at rest.
    pub fn body(&self) -> Body {
        let Arrival { material, shape, mass, inertia_body, lock } = *self;
        Body { mass: Some(mass), inertia_body, lock, ..Body::new(shape, material, DVec3::ZERO) }
    }
}

/// All that have entered, in the order in which they did; in little room.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrivals(BodyList);

impl Arrivals {
    /// Adds one.
    pub fn push(&mut self, arrival: &Arrival) {
        self.0.push(&arrival.body());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number n, if so many have entered.
    pub fn get(&self, n: usize) -> Option<Arrival> {
        // Their masses are given, so no density counts.
        (n < self.len()).then(|| Arrival::of(&self.0.get(n), 0.0))
    }

    /// All.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Arrival> + '_ {
        self.0.iter().map(|body| Arrival::of(&body, 0.0))
    }
}

/// As checkpoints hold it: a sphere by its radius alone, as version 1 does.
#[derive(Serialize, Deserialize)]
struct ArrivalText {
    material: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    radius: Option<f64>,
    mass: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<Shape>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inertia_body: Option<DVec3>,
    #[serde(default, skip_serializing_if = "is_free")]
    lock: [bool; 6],
}

fn is_free(lock: &[bool; 6]) -> bool {
    *lock == [false; 6]
}

impl Serialize for Arrivals {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(|Arrival { material, shape, mass, inertia_body, lock }| {
            let radius = if shape.is_sphere() { shape.radius() } else { None };
            ArrivalText { material, radius, mass, shape: radius.is_none().then_some(shape), inertia_body, lock }
        }))
    }
}

impl<'de> Deserialize<'de> for Arrivals {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut arrivals = Arrivals::default();
        for ArrivalText { material, radius, mass, shape, inertia_body, lock } in Vec::deserialize(from)? {
            let shape = shape.or(radius.map(|radius| Shape::Sphere { radius }));
            let shape = shape.ok_or_else(|| serde::de::Error::missing_field("radius"))?;
            arrivals.push(&Arrival { material, shape, mass, inertia_body, lock });
        }
        Ok(arrivals)
    }
}

/// What has come and gone: part of the state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traffic {
    /// One for each stream.
    pub queues: Vec<Queue>,
    /// Bodies that have entered, by id, from the first id after those that were there at the start.
    pub arrivals: Arrivals,
    /// How many bodies have left.
    pub left: u64,
    /// Their mass (kg).
    pub left_mass: f64,
    /// Bodies that had entered before the present stage, which describes them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub entered_before: u64,
    /// Bodies that stages took out: the world of a later stage has no place for them. Rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<u32>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Traffic {
    /// How many bodies have entered.
    pub fn entered(&self) -> u64 {
        self.entered_before + self.arrivals.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflow() -> Inflow {
        Inflow {
            material: 0,
            radius: [0.1, 0.2],
            mass_by_radius: true,
            rate: 100.0,
            count: 40,
            start: 0.5,
            from: DVec3::ZERO,
            to: DVec3::ONE,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            sizes: Stream::named(1, "sizes"),
            places: Stream::named(1, "places"),
        }
    }

    #[test]
    fn bodies_are_due_at_the_first_step_at_or_after_their_time() {
        let inflow = inflow();
        // Body n at 0.5 + 0.01 n s; with steps of 3 ms that is step 166.7 + 3.33 n.
        assert_eq!([0, 1, 2, 3].map(|n| inflow.due_step(n, Clock::default(), 3e-3)), [167, 170, 174, 177]);
        // Whole numbers of steps are met exactly, whatever rounding does.
        assert!((0..40).all(|n| inflow.due_step(n, Clock::default(), 1e-3) == 500 + 10 * n));
        assert_eq!(
            [0, 500, 501, 510, 511, 5000].map(|step| inflow.due_before(step, Clock::default(), 1e-3)),
            [0, 0, 1, 1, 2, 40]
        );
        // Numbers beyond all bounds end at the last step there is.
        assert_eq!(Inflow { rate: 1e-308, ..inflow }.due_step(2, Clock::default(), 1e-3), u64::MAX);
    }

    #[test]
    fn radii_follow_from_the_number_and_masses_keep_their_mean() {
        let inflow = Inflow { count: 100_000, ..inflow() };
        let bodies: Vec<Body> = (0..inflow.count).map(|n| inflow.body(n, 2.0)).collect();
        assert_eq!(bodies[77], inflow.body(77, 2.0));
        let radius = |body: &Body| body.shape.radius().unwrap();
        assert!(bodies.iter().all(|body| (0.1..0.2).contains(&radius(body))));
        let by_radius: f64 = bodies.iter().map(|body| body.mass.unwrap()).sum();
        let by_volume: f64 = bodies.iter().map(|body| 2.0 * body.shape.volume().unwrap()).sum();
        // With R in units of 0.1 m: R^3 - 2.5 R has the mean 0 and the variance 127/7 - 5 x 31/5 + 6.25 x 7/3 = 1.73, so over
        // <R^3> = 3.75 it scatters by 0.35, and the mean of 100000 by 1.1e-3; four times that.
        assert!((by_radius / by_volume - 1.0).abs() < 4.4e-3, "{}", by_radius / by_volume);
        let [small, large] = inflow.extremes(2.0);
        assert!((large.mass.unwrap() / small.mass.unwrap() - 2.0).abs() < 1e-12);
    }

    /// Version 1 of the checkpoint knows spheres only, by their radius.
    #[test]
    fn arrivals_are_read_as_version_1_wrote_them_and_hold_any_shape() {
        let old = r#"[{"material":1,"radius":0.25,"mass":3.5}]"#;
        let mut arrivals: Arrivals = serde_json::from_str(old).unwrap();
        let ball = Arrival {
            material: 1,
            shape: Shape::Sphere { radius: 0.25 },
            mass: 3.5,
            inertia_body: None,
            lock: [false; 6],
        };
        assert_eq!(arrivals.get(0), Some(ball));
        assert_eq!(serde_json::to_string(&arrivals).unwrap(), old);
        let lock = [false, true, false, true, false, true];
        let egg = Shape::Ellipsoid { axes: DVec3::new(0.3, 0.2, 0.1) };
        let egg = Arrival { shape: egg, inertia_body: Some(DVec3::new(1.0, 2.0, 2.5)), lock, ..ball };
        arrivals.push(&egg);
        arrivals.push(&Arrival { shape: Shape::Box { size: DVec3::ONE }, ..ball });
        let text = serde_json::to_string(&arrivals).unwrap();
        let read: Arrivals = serde_json::from_str(&text).unwrap();
        assert_eq!((read.get(1), read.len(), &read), (Some(egg), 3, &arrivals));
        assert_eq!(Arrival::of(&egg.body(), 7.0), egg);
        assert!(serde_json::from_str::<Arrivals>(r#"[{"material":1,"mass":3.5}]"#).is_err());
    }

    #[test]
    fn looks_are_as_far_apart_as_bodies_are_slow() {
        let looks = |velocity: f64, gravity: f64| {
            Inflow { velocity: DVec3::X * velocity, ..inflow() }.look_every(DVec3::Z * -gravity, 1e-5, 10)
        };
        // 0.02 x 0.2 m at 0.1 m/s: 0.04 s. From rest under 10 m/s^2: the speed after a fall by a radius is 2 m/s.
        assert_eq!((looks(0.1, 0.0), looks(0.0, 10.0), looks(1e3, 0.0), looks(0.0, 0.0)), (4000, 200, 10, 10));
        // A method of large steps looks in each.
        assert_eq!(inflow().look_every(DVec3::Z * -10.0, 5e-3, 1), 1);
    }
}

//! What comes and goes: streams of bodies that arrive during a run, and the box beyond which bodies are taken out.
//!
//! Body n of a stream (from 0) is due at the time start + n/rate, or start + M/rate with a rate in mass, M being the mass of all
//! bodies before it; with a schedule when the integral of the rate from `start` has come to n or M, and where the rate is zero then,
//! when it rises again. It enters at the first step at or after that. Its shape and how it is turned are number n of random streams of
//! their own, so all that is fixed about it follows from n. Its place is drawn when it enters, from another one: anywhere in a
//! box, or one of the sites of a lattice. `traffic.rs` does the work; this file says what is wanted.
//!
//! Sites come round by round, in each round every site once in a random order, so that a body that tries two rounds has tried
//! them all. Place number p of a lattice of S sites is in round p/S; a round takes S random numbers for its order and then three
//! for each place.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::body::{Body, BodyList};
use crate::clock::Clock;
use crate::mould::Mould;
use crate::random::Stream;
use crate::schedule::Signal;
use crate::shape::Shape;
use crate::sizes::Sizes;

/// A stream: bodies that arrive in a box or on a lattice, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Inflow {
    /// What all have in common: material, velocities, locks, constant loads. Its shape, place, orientation and mass are not read.
    pub body: Body,
    /// What shapes and orientations are drawn from.
    pub mould: Mould,
    /// Mass in proportion to the radius instead of the volume, with the mean mass kept; of spheres that are not scaled.
    pub mass_by_radius: bool,
    /// How fast they come.
    pub rate: Rate,
    /// How many in all.
    pub count: u64,
    /// When the first is due (s).
    pub start: f64,
    /// Where.
    pub entrance: Entrance,
    /// What shapes are drawn from.
    pub shapes: Stream,
    /// What orientations are drawn from.
    pub turns: Stream,
    /// What places are drawn from.
    pub places: Stream,
}

/// How fast bodies come: above zero, or a schedule not below zero.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// Bodies per second.
    Number(Signal<f64>),
    /// kg/s.
    Mass(Signal<f64>),
}

/// Where the bodies of a stream enter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Entrance {
    /// Anywhere in a box of centres, by three random numbers a try.
    Box {
        /// Lower corner (m).
        from: DVec3,
        /// Upper corner (m).
        to: DVec3,
    },
    /// On the sites of a cubic lattice.
    Sites(SiteLattice),
}

/// A cubic lattice of sites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteLattice {
    /// The first site (m).
    pub from: DVec3,
    /// Between neighbours (m).
    pub spacing: f64,
    /// Along each axis.
    pub counts: [u32; 3],
    /// Largest shift of each coordinate (m).
    pub jitter: f64,
}

/// The most sites of a stream's lattice: each look may try all of them.
pub const MOST_SITES: u32 = 10_000;

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

/// Bodies whose masses are summed to know when the last of them is due; beyond, their mean counts.
const MOST_SUMMED: u64 = 1_000_000;

impl Rate {
    /// Bodies, or kg, per second.
    pub fn signal(&self) -> &Signal<f64> {
        let (Rate::Number(signal) | Rate::Mass(signal)) = self;
        signal
    }
}

impl Entrance {
    /// The box that holds all centres (m).
    pub fn bounds(&self) -> [DVec3; 2] {
        match self {
            Entrance::Box { from, to } => [*from, *to],
            Entrance::Sites(sites) => {
                let last = DVec3::from_array(sites.counts.map(|count| f64::from(count.max(1) - 1)));
                [sites.from - sites.jitter, sites.from + last * sites.spacing + sites.jitter]
            }
        }
    }
}

impl SiteLattice {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|count| u64::from(*count)).product()
    }

    /// The sites of a round in their order, by number, x fastest.
    pub(crate) fn order(&self, round: u64, places: &Stream) -> Vec<u32> {
        let mut stream = self.at_round(round, places);
        let mut order: Vec<u32> = (0..self.count() as u32).collect();
        for last in (1..order.len()).rev() {
            let other = (stream.unit() * (last + 1) as f64) as usize;
            order.swap(last, other);
        }
        order
    }

    /// The place number `index` of a round, which is this site, with its shift (m).
    pub(crate) fn place(&self, site: u32, round: u64, index: u64, places: &Stream) -> DVec3 {
        let [nx, ny, _] = self.counts;
        let site = DVec3::new(f64::from(site % nx), f64::from(site / nx % ny), f64::from(site / nx / ny));
        let mut stream = self.at_round(round, places);
        stream.skip(self.count() + 3 * index);
        let mut shift = || if self.jitter > 0.0 { stream.between(-self.jitter, self.jitter) } else { 0.0 };
        let shift = DVec3::new(shift(), shift(), shift());
        self.from + site * self.spacing + shift
    }

    fn at_round(&self, round: u64, places: &Stream) -> Stream {
        let mut stream = places.clone();
        stream.skip(round.wrapping_mul(4 * self.count()));
        stream
    }
}

impl Inflow {
    /// A stream from time 0 on of bodies at rest, of the first material, by the random streams of seed 1.
    pub fn new(mould: Mould, rate: Rate, count: u64, entrance: Entrance) -> Self {
        let [shapes, turns, places] = ["shapes", "turns", "places"].map(|name| Stream::named(1, name));
        let body = Body::new(mould.shape().clone(), 0, DVec3::ZERO);
        Inflow { body, mould, mass_by_radius: false, rate, count, start: 0.0, entrance, shapes, turns, places }
    }

    /// Index of the material of its bodies.
    pub fn material(&self) -> u16 {
        self.body.material
    }

    /// The first step at or after the time, on the stream's own clock, at which a body is due before which so many have come, with
    /// so much mass (kg).
    pub fn due_step(&self, (bodies, mass): (u64, f64), since: Clock, dt: f64) -> u64 {
        let amount = match self.rate {
            Rate::Number(_) => bodies as f64,
            Rate::Mass(_) => mass,
        };
        let time = match self.rate.signal() {
            Signal::Constant(rate) => self.start + amount / rate,
            Signal::Schedule(rate) => rate.time_of(self.start, amount),
        };
        since.step_at(time, dt)
    }

    /// How many bodies were due at steps before this one; `queue` says how many have come. Of a rate in mass, bodies beyond a
    /// million that have not come are estimated from the mean of that million.
    pub fn due_before(&self, step: u64, dt: f64, queue: &Queue, density: f64) -> u64 {
        let since = queue.since;
        let Rate::Mass(rate) = &self.rate else { return self.due_by_number(step, since, dt) };
        let (mut due, mut mass) = (queue.entered, queue.mass);
        while due < self.count && self.due_step((due, mass), since, dt) < step {
            if due - queue.entered == MOST_SUMMED {
                let left = rate.integral(self.start, since.time_at(step, dt)) - mass;
                let mean = (mass - queue.mass) / MOST_SUMMED as f64;
                return due.saturating_add((left / mean) as u64).min(self.count);
            }
            mass += self.body(due, density).mass_and_inertia(density).0;
            due += 1;
        }
        due
    }

    fn due_by_number(&self, step: u64, since: Clock, dt: f64) -> u64 {
        let (mut due, mut not_due) = (0, self.count);
        while due < not_due {
            let middle = due + (not_due - due) / 2;
            if self.due_step((middle, 0.0), since, dt) < step { due = middle + 1 } else { not_due = middle }
        }
        due
    }

    /// Steps until a body that found no place looks again: the time in which the stream's bodies travel a fiftieth of their
    /// radius, falling included, so that a thousand looks in vain mean that nothing moves on; at least so many steps.
    pub fn look_every(&self, gravity: DVec3, dt: f64, least: u64) -> u64 {
        let [_, radius] = self.mould.radii();
        let speed = (self.body.velocity.length_squared() + 2.0 * gravity.length() * radius).sqrt();
        let steps = (WAY_BETWEEN_LOOKS * radius / (speed * dt)).ceil();
        if steps.is_finite() { (steps.min(1e9) as u64).max(least) } else { least }
    }

    /// Body n, its centre at the lower corner of the box; `density` is its material's.
    pub fn body(&self, n: u64, density: f64) -> Body {
        let (shape, orientation) = self.mould.nth(n, &self.shapes, &self.turns);
        self.body_of(shape, orientation, density)
    }

    /// Bodies at the ends of all ranges of their lengths: the smallest first, the largest last.
    pub fn extremes(&self, density: f64) -> Vec<Body> {
        let shapes = self.mould.extremes().into_iter();
        shapes.map(|shape| self.body_of(shape, DQuat::IDENTITY, density)).collect()
    }

    fn body_of(&self, shape: Shape, orientation: DQuat, density: f64) -> Body {
        let [position, _] = self.entrance.bounds();
        let mass = self.mould.radius().zip(shape.radius()).filter(|_| self.mass_by_radius);
        let mass = mass.map(|(radii, radius)| mass_per_radius(radii, density) * radius);
        Body { shape, position, orientation, mass, ..self.body.clone() }
    }
}

/// m/R where mass goes with the radius, its mean kept: rho (4/3) pi <R^3>/<R> (kg/m).
fn mass_per_radius(radii: &Sizes, density: f64) -> f64 {
    density * 4.0 / 3.0 * std::f64::consts::PI * radii.cube_over_mean()
}

/// How far a stream has come: plain numbers, all that a checkpoint needs of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// Bodies that have entered.
    pub entered: u64,
    /// Their mass (kg), of a stream whose rate is in mass.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub mass: f64,
    /// Random numbers drawn for places in a box; places that were tried of a lattice.
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
        Queue { next_look: inflow.due_step((0, 0.0), since, dt), since, ..Queue::default() }
    }

    /// The same stream when the step changes after `step` steps: from `old` to `dt` (s). A body that waits looks at once.
    #[must_use]
    pub fn with_step(&self, inflow: &Inflow, step: u64, old: f64, dt: f64) -> Self {
        let since = self.since.counted_from(step, old);
        let due =
            if self.entered < inflow.count { inflow.due_step((self.entered, self.mass), since, dt) } else { u64::MAX };
        Queue { next_look: due.max(step), since, ..*self }
    }
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// What is fixed about a body that has entered; it stays known when the body has left.
#[derive(Clone, Debug, PartialEq)]
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
    /// `world_from_body` when it entered: two locked rotations leave the axis that it had then.
    pub orientation: DQuat,
    /// Force at the centre (N).
    pub force: Signal<DVec3>,
    /// Torque (N m), world axes.
    pub torque: Signal<DVec3>,
}

impl Arrival {
    /// What is fixed about a body whose material has this density.
    pub fn of(body: &Body, density: f64) -> Self {
        let Body { material, shape, inertia_body, lock, orientation, force, torque, .. } = body.clone();
        let mass = body.mass_and_inertia(density).0;
        Arrival { material, shape, mass, inertia_body, lock, orientation, force, torque }
    }

    /// The body, at the origin and at rest.
    pub fn body(&self) -> Body {
        let Arrival { material, shape, mass, inertia_body, lock, orientation, force, torque } = self.clone();
        let body = Body::new(shape, material, DVec3::ZERO);
        Body { mass: Some(mass), inertia_body, lock, orientation, force, torque, ..body }
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
    #[serde(default, skip_serializing_if = "is_upright")]
    orientation: DQuat,
    #[serde(default, skip_serializing_if = "is_none")]
    force: Signal<DVec3>,
    #[serde(default, skip_serializing_if = "is_none")]
    torque: Signal<DVec3>,
}

fn is_upright(orientation: &DQuat) -> bool {
    *orientation == DQuat::IDENTITY
}

fn is_none(load: &Signal<DVec3>) -> bool {
    load.is_zero()
}

fn is_free(lock: &[bool; 6]) -> bool {
    *lock == [false; 6]
}

impl Serialize for Arrivals {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(|arrival| {
            let Arrival { material, shape, mass, inertia_body, lock, orientation, force, torque } = arrival;
            let radius = if shape.is_sphere() { shape.radius() } else { None };
            let shape = radius.is_none().then_some(shape);
            ArrivalText { material, radius, mass, shape, inertia_body, lock, orientation, force, torque }
        }))
    }
}

impl<'de> Deserialize<'de> for Arrivals {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut arrivals = Arrivals::default();
        for text in Vec::<ArrivalText>::deserialize(from)? {
            let ArrivalText { material, radius, mass, shape, inertia_body, lock, orientation, force, torque } = text;
            let shape = shape.or(radius.map(|radius| Shape::Sphere { radius }));
            let shape = shape.ok_or_else(|| serde::de::Error::missing_field("radius"))?;
            arrivals.push(&Arrival { material, shape, mass, inertia_body, lock, orientation, force, torque });
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
    #[serde(default, skip_serializing_if = "is_none_yet")]
    pub entered_before: u64,
    /// Bodies that stages took out: the world of a later stage has no place for them. Rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<u32>,
}

fn is_none_yet(count: &u64) -> bool {
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
        let mould = Mould::of_spheres(Sizes::Between(0.1, 0.2));
        let entrance = Entrance::Box { from: DVec3::ZERO, to: DVec3::ONE };
        Inflow { mass_by_radius: true, start: 0.5, ..Inflow::new(mould, Rate::Number(100.0.into()), 40, entrance) }
    }

    #[test]
    fn bodies_are_due_at_the_first_step_at_or_after_their_time() {
        let inflow = inflow();
        let due_step = |n: u64, dt: f64| inflow.due_step((n, 0.0), Clock::default(), dt);
        let due_before = |step: u64| inflow.due_before(step, 1e-3, &Queue::default(), 1.0);
        // Body n at 0.5 + 0.01 n s; with steps of 3 ms that is step 166.7 + 3.33 n.
        assert_eq!([0, 1, 2, 3].map(|n| due_step(n, 3e-3)), [167, 170, 174, 177]);
        // Whole numbers of steps are met exactly, whatever rounding does.
        assert!((0..40).all(|n| due_step(n, 1e-3) == 500 + 10 * n));
        assert_eq!([0, 500, 501, 510, 511, 5000].map(due_before), [0, 0, 1, 1, 2, 40]);
        // Numbers beyond all bounds end at the last step there is.
        assert_eq!(
            Inflow { rate: Rate::Number(1e-308.into()), ..inflow.clone() }.due_step((2, 0.0), Clock::default(), 1e-3),
            u64::MAX
        );
    }

    /// A body is due when the mass of those before it has come at the rate.
    #[test]
    fn a_rate_in_mass_waits_for_the_mass_before() {
        let inflow = Inflow { rate: Rate::Mass(0.25.into()), count: 2_000_000, start: 1.0, ..inflow() };
        let (density, dt) = (7.0, 1e-4);
        let mut queue = Queue::default();
        for n in 0..200 {
            let step = inflow.due_step((n, queue.mass), Clock::default(), dt);
            assert!((step as f64 * dt - (1.0 + queue.mass / 0.25)).abs() <= dt, "{n}");
            assert_eq!(
                [step, step + 1].map(|step| inflow.due_before(step, dt, &Queue::default(), density)),
                [n, n + 1]
            );
            assert_eq!(inflow.due_before(step + 1, dt, &queue, density), n + 1, "counted on from those that have come");
            queue.mass += inflow.body(n, density).mass.unwrap();
            queue.entered += 1;
        }
        // Beyond a million that wait, an estimate: the mean of a million scatters by less than a thousandth of itself.
        let mean = 7.0 * 4.0 / 3.0 * std::f64::consts::PI * 3.75e-3;
        let step = ((1.0 + 1.5e6 * mean / 0.25) / dt) as u64;
        let due = inflow.due_before(step, dt, &Queue::default(), density);
        assert!((due as f64 / 1.5e6 - 1.0).abs() < 1e-3, "{due}");
    }

    #[test]
    fn a_round_of_sites_has_every_site_once_in_another_order() {
        let sites = SiteLattice { from: DVec3::ONE, spacing: 0.5, counts: [4, 3, 2], jitter: 0.01 };
        let places = Stream::named(1, "places");
        let orders = [0, 1].map(|round| sites.order(round, &places));
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..24).collect::<Vec<u32>>());
        }
        assert_ne!(orders[0], orders[1]);
        let place = sites.place(17, 1, 3, &places);
        let shift = place - (DVec3::ONE + DVec3::new(0.5, 0.5, 0.5));
        assert!(shift.abs().max_element() <= 0.01 && shift != DVec3::ZERO, "{shift}");
        assert_eq!(sites.place(17, 1, 3, &places), place);
        assert_ne!(sites.place(17, 1, 4, &places), place);
        let [from, to] = Entrance::Sites(sites).bounds();
        assert_eq!((from, to), (DVec3::splat(0.99), DVec3::new(2.51, 2.01, 1.51)));
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
        let [small, large] = &inflow.extremes(2.0)[..] else { panic!("two ends") };
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
            orientation: DQuat::IDENTITY,
            force: DVec3::ZERO.into(),
            torque: DVec3::ZERO.into(),
        };
        assert_eq!(arrivals.get(0), Some(ball.clone()));
        assert_eq!(serde_json::to_string(&arrivals).unwrap(), old);
        let lock = [false, true, false, true, false, true];
        let egg = Shape::Ellipsoid { axes: DVec3::new(0.3, 0.2, 0.1) };
        let (orientation, inertia_body) = (DQuat::from_xyzw(0.6, 0.0, 0.8, 0.0), Some(DVec3::new(1.0, 2.0, 2.5)));
        let egg = Arrival {
            shape: egg,
            inertia_body,
            lock,
            orientation,
            force: DVec3::X.into(),
            torque: DVec3::Y.into(),
            ..ball.clone()
        };
        arrivals.push(&egg);
        arrivals.push(&Arrival { shape: Shape::Box { size: DVec3::ONE }, ..ball });
        let text = serde_json::to_string(&arrivals).unwrap();
        let read: Arrivals = serde_json::from_str(&text).unwrap();
        assert_eq!((read.get(1), read.len(), &read), (Some(egg.clone()), 3, &arrivals));
        assert_eq!(Arrival::of(&egg.body(), 7.0), egg);
        assert!(serde_json::from_str::<Arrivals>(r#"[{"material":1,"mass":3.5}]"#).is_err());
    }

    #[test]
    fn looks_are_as_far_apart_as_bodies_are_slow() {
        let looks = |velocity: f64, gravity: f64| {
            let body = Body { velocity: DVec3::X * velocity, ..inflow().body };
            Inflow { body, ..inflow() }.look_every(DVec3::Z * -gravity, 1e-5, 10)
        };
        // 0.02 x 0.2 m at 0.1 m/s: 0.04 s. From rest under 10 m/s^2: the speed after a fall by a radius is 2 m/s.
        assert_eq!((looks(0.1, 0.0), looks(0.0, 10.0), looks(1e3, 0.0), looks(0.0, 0.0)), (4000, 200, 10, 10));
        // A method of large steps looks in each.
        assert_eq!(inflow().look_every(DVec3::Z * -10.0, 5e-3, 1), 1);
    }
}

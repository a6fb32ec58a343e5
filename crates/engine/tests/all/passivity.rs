//! No law creates energy: whatever the motion, the work that a contact has done on its bodies never exceeds minus what
//! it holds. Closed motions that return to no memory are a special case.
//!
//! Work is counted as the law does: the load at the step's end times the rate of the step. Then the balance of every
//! default law is an inequality without discretisation error (a spring loses (k/2) |x1 - x0|^2 a step, a dashpot
//! c v^2 dt, a slider |f| times the slip), so the tolerance is rounding alone: 1e-12 of the energy turned over.

use crate::common::elastic::elastic_laws;
use crate::common::*;
use glam::DVec3;
use stickslip::contact::Contact;
use stickslip::law::*;
use stickslip::random::Stream;

/// Random motion with long and short waits, stops, reversals, and a normal load that comes and goes.
struct Path {
    stream: Stream,
    contact: Contact,
    turning: DVec3,
}

impl Path {
    fn new(number: u64) -> Self {
        let mut stream = Stream::named(number, "passivity");
        let mut contact = resting_contact(0.0);
        contact.normal = random_direction(&mut stream);
        Path { stream, contact, turning: DVec3::ZERO }
    }

    /// The contact at the end of the next step.
    fn step(&mut self) -> Contact {
        let stream = &mut self.stream;
        let c = &mut self.contact;
        c.dt = [1e-4, 1e-3, 1e-2][(3.0 * stream.unit()) as usize];
        if stream.unit() < 0.2 {
            // Rates stay for a while, then jump; sometimes to rest, sometimes to a hundred times more.
            let size = [0.0, 0.01, 0.1, 10.0][(4.0 * stream.unit()) as usize];
            c.velocity = random_vector(stream, size);
            c.angular_velocity_a = random_vector(stream, size);
            c.angular_velocity_b = random_vector(stream, size);
            self.turning = random_vector(stream, 3.0 * size);
        }
        c.normal_before = c.normal;
        c.normal = turned(self.turning * c.dt.min(0.1 / (1e-9 + self.turning.length())), c.normal).normalize();
        c.normal_mid = (c.normal + c.normal_before).normalize();
        c.overlap = if stream.unit() < 0.1 { stream.between(1e-6, 0.05) } else { c.overlap * stream.between(0.9, 1.1) };
        c.overlap = c.overlap.min(0.06);
        let half = 0.5 * c.overlap;
        (c.lever_a, c.lever_b) = (c.reach_a - half, c.reach_b - half);
        *c = with_turn(*c);
        *c
    }
}

/// Work of slide, roll and spin loads on the bodies in this step.
fn work(contact: &Contact, loads: &stickslip::contact::Resistance) -> [f64; 3] {
    let turning = contact.roll_rate() + contact.normal * contact.spin_rate();
    [
        loads.force.dot(contact.slip(contact.lever_a, contact.lever_b)) * contact.dt,
        // Opposite torques do work on the relative rotation alone.
        loads.roll_a.dot(turning) * contact.dt,
        loads.spin * contact.spin_rate() * contact.dt,
    ]
}

/// The largest energy gained over a path by any motion, in units of the energy turned over.
fn largest_gain(laws: &SpringLaws, number: u64, steps: usize) -> f64 {
    let mut path = Path::new(number);
    let mut memory = PairMemory::default();
    let (mut done, mut turnover, mut worst) = ([0.0; 3], [0.0; 3], 0.0_f64);
    for _ in 0..steps {
        let mut contact = path.step();
        let (_, loads) = one::evaluate(laws, &mut contact, &mut memory);
        assert_eq!(loads.roll_a, -loads.roll_b);
        let stored = one::stored(laws, &contact, &memory);
        for (motion, work) in work(&contact, &loads).into_iter().enumerate() {
            done[motion] += work;
            turnover[motion] += work.abs();
            let gained = done[motion] + stored[motion + 1];
            if turnover[motion] > 0.0 {
                worst = worst.max(gained / turnover[motion]);
            }
        }
    }
    worst
}

#[test]
fn no_law_in_its_default_form_creates_energy_in_2000_random_motions() {
    for (name, laws) in every_law(1e3).into_iter().chain(elastic_laws(1e3).into_iter().take(2)) {
        for number in 0..2000 {
            let gain = largest_gain(&laws, number, 150);
            assert!(gain < 1e-12, "{name}, path {number}: gains {gain:e} of what is turned over");
        }
    }
}

/// One step of a slide at rate v along x under a constant normal load of 1 N; the force along x.
fn slide(laws: &SpringLaws, memory: &mut PairMemory, velocity: f64, dt: f64) -> f64 {
    let overlap = 1e-3;
    let mut contact = Contact { overlap, velocity: DVec3::X * velocity, ..resting_contact(dt) };
    one::evaluate(laws, &mut contact, memory).1.force.x
}

/// A jerk, a stop, and a slow return along the same way until the spring is spent: net work of the contact.
fn jerk_and_follow(slip: Slip) -> f64 {
    let (mu, k, gamma) = (0.5, 1e3, 1e2);
    let options = SliderOptions { slip, ..SliderOptions::default() };
    let laws = SpringLaws {
        slide: Some(Slide::SpringSlider(SlideSlider { options, ..SlideSlider::new(k, gamma, Limit::mu(mu)) })),
        ..SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e3, 0.0)))
    };
    let mut memory = PairMemory::default();
    let mut work = 0.0;
    let mut go = |velocity: f64, dt: f64| work += slide(&laws, &mut memory, velocity, dt) * velocity * dt;
    // c = gamma m_eff is near 26 kg/s: at 1 m/s the dashpot alone would be 50 times the limit of 0.5 N. The jerk is so
    // short that the sliding loss, 0.5 N * 1e-6 m, is 4e-3 of L^2/2k = 1.25e-4 J.
    go(1.0, 1e-6);
    go(0.0, 1e-6);
    // The spring, if it was loaded backwards to L/k = 5e-4 m, unloads over that distance, slowly: dashpot 26 * 1e-6 N.
    for _ in 0..1000 {
        go(1e-6, 0.5);
    }
    work
}

#[test]
fn slip_as_in_lammps_pushes_along_the_motion_and_the_default_does_not() {
    // Available: L^2/2k = 1.25e-4 J. Summing in 1000 steps costs 1/1000 of it, the jerk 4e-3, the dashpot 26e-6/0.5 =
    // 5e-5.
    let most = 0.5 * 0.5 / (2.0 * 1e3);
    let gained = jerk_and_follow(Slip::Lammps);
    assert!(gained > (1.0 - 6e-3) * most && gained < most, "gained {gained:e} of at most {most:e}");
    assert!(jerk_and_follow(Slip::Series) < 0.0);
}

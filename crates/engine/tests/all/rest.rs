//! A heap comes to rest and stays: with springs that hold their load. A constant torque cannot hold any.

use crate::common::*;
use glam::DVec3;
use stickslip::explicit::stable_step;
use stickslip::law::*;
use stickslip::random::Stream;
use stickslip::{Body, World, place};

const COUNT: usize = 200;
const K: f64 = 2e3;

/// 200 unit spheres let fall on a plane, no walls: they spread and settle under a gravity of 1.
fn heap(roll: Roll, spin: Spin) -> World {
    let mut stream = Stream::named(11, "heap");
    let (from, to) = (DVec3::new(-2.5, -2.5, 0.6), DVec3::new(2.5, 2.5, 9.0));
    let centres = place::random(from, to, &[0.5; COUNT], &mut stream).expect("there is room");
    let mut bodies: Vec<Body> = centres.into_iter().map(|centre| sphere(0.5, centre)).collect();
    bodies.push(plane(DVec3::Z, DVec3::ZERO));
    let laws = SpringLaws {
        normal: Normal::Hooke(Hooke::with_restitution(K, 0.3, false)),
        slide: Some(Slide::SpringSlider(SlideSlider::new(0.8 * K, 20.0, Limit::mu(0.5)))),
        roll: Some(roll),
        spin: Some(spin),
        friction: None,
    };
    let mut model = model(laws, 1.0);
    model.gravity = (-DVec3::Z).into();
    let advice = stable_step::advise(&model, &bodies).expect("spheres can touch");
    // Twice the advice is still a fifth of the critical step.
    model.dt = 2.0 * advice.step;
    world(model, bodies)
}

fn spinning() -> Spin {
    Spin::SpringSlider(SpinSlider::new(0.1 * K, 0.5, Limit::mu(0.1)))
}

/// Kinetic energy over the potential energy released, at `time`; and the largest since `from`.
fn kinetic_share(world: &mut World, from: f64, time: f64) -> f64 {
    let start = world.ledger().potential;
    let mut largest = 0.0_f64;
    while world.time() < time {
        world.step().expect("sound");
        if world.time() >= from {
            let ledger = world.ledger();
            largest = largest.max(ledger.kinetic / (start - ledger.potential));
        }
    }
    largest
}

fn comes_to_rest(roll: Roll) {
    // The figure: below 1e-12 of what was released, and it stays there.
    let mut world = heap(roll, spinning());
    let share = kinetic_share(&mut world, 30.0, 35.0);
    println!("kinetic over released energy: {share:e}, {} contacts, {:?}", world.contact_count(), world.ledger());
    assert!(world.contact_count() > COUNT, "a heap, not a scatter");
    assert!(share < 1e-12, "{share:e}");
}

#[test]
fn a_heap_with_spring_slider_rolling_comes_to_rest() {
    comes_to_rest(Roll::SpringSlider(RollSlider::new(0.5 * K, 15.0, Limit::mu(0.2))));
}

#[test]
fn a_heap_with_epsd_rolling_comes_to_rest() {
    let limit = Limit::mu(0.2);
    comes_to_rest(Roll::Epsd(RollEpsd { stiffness: 0.0, slide_stiffness: 0.5 * K, damping_ratio: 0.3, limit }));
}

#[test]
fn a_heap_with_constant_torque_does_not() {
    // The torque mu R_eff N flips from step to step: it shakes a sphere by w = M dt/2I. With N of the order of the
    // weight: M = 0.2 * 0.25, I = 0.1, so I w^2/2 per sphere is of the order of dt^2 * 3e-3, against some joules
    // released each.
    let limit = Limit::mu(0.2);
    let mut world = heap(Roll::ConstantTorque(RollConstantTorque { limit, include_spin: false }), spinning());
    let share = kinetic_share(&mut world, 30.0, 35.0);
    println!("constant torque: kinetic over released energy {share:e}");
    assert!(share > 1e-9, "{share:e}");
}

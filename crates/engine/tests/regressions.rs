//! One test a bug; the first line of each says what went wrong.

mod common;

use common::*;
use glam::{DQuat, DVec3};
use stickslip::body::Prescribed;
use stickslip::error::BuildError;
use stickslip::explicit::stable_step::advise;
use stickslip::law::{Hooke, Limit, Normal, PairLaws, Slide, SlideSlider};
use stickslip::world::Setup;
use stickslip::{Body, Model, Motion, World};

fn spring(stiffness: f64, damping: f64) -> PairLaws {
    PairLaws::frictionless(Normal::Hooke(Hooke::new(stiffness, damping)))
}

#[test]
fn a_locked_rotation_of_a_tumbling_body_is_refused() {
    // A body with unequal moments and one locked rotation turned at the wrong rate and gained energy.
    let mut body = sphere(0.5, DVec3::ZERO);
    body.inertia_body = Some(DVec3::new(1.0, 1.0, 1.9));
    body.lock[3] = true;
    let built = World::new(Setup { model: model(spring(1.0, 0.0), 0.01), bodies: vec![body] });
    assert_eq!(built.err(), Some(BuildError::LockedTumbling { body: 0 }));
}

#[test]
fn the_ledger_closes_on_a_turntable() {
    // The plane's velocity at the full step was taken with the mid-step arm: the balance drifted at m w^4 r^2 dt/2.
    let (rate, radius, r) = (2.0, 0.5, 1.0);
    let laws = PairLaws {
        slide: Some(Slide::SpringSlider(SlideSlider::new(1e4, 100.0, Limit::mu(0.9)))),
        ..spring(1e4, 100.0)
    };
    let drift = |dt: f64| {
        let mut model = model(laws, dt);
        model.gravity = DVec3::Z * -10.0;
        let turntable = Motion::Prescribed(Prescribed { angular_velocity: DVec3::Z * rate, ..Prescribed::default() });
        let ball = Body {
            velocity: DVec3::Y * (rate * r),
            angular_velocity: DVec3::Z * rate,
            lock: [false, false, false, true, true, false],
            ..sphere(radius, DVec3::new(r, 0.0, radius - 1e-3))
        };
        let mut world = world(model, vec![ball, Body { motion: turntable, ..plane(DVec3::Z, DVec3::ZERO) }]);
        run(&mut world, (1.0 / dt) as u64);
        let early = world.ledger().error;
        run(&mut world, (3.0 / dt) as u64);
        (world.ledger().error - early).abs()
    };
    // With the old arm the drift over 2 s was w^4 r^2 dt = 16 dt joules (m = 1); of second order it is far below.
    let (coarse, fine) = (drift(1e-3), drift(5e-4));
    assert!(coarse < 0.05 * 16.0 * 1e-3 && fine < 0.5 * coarse.max(1e-9), "{coarse:e} {fine:e}");
}

#[test]
fn local_damping_has_no_favourite_direction() {
    // The sign of a velocity of zero was taken as plus: a body at rest was pushed at 1.5 times when it fell.
    let speed = |gravity: f64| {
        let mut model = model(spring(1.0, 0.0), 0.01);
        model.local_damping = 0.5;
        model.gravity = DVec3::Z * gravity;
        let mut world = world(model, vec![sphere(0.5, DVec3::ZERO)]);
        run(&mut world, 100);
        world.body(0).velocity.z
    };
    assert_eq!(speed(10.0), -speed(-10.0));
}

#[test]
fn local_damping_books_unequal_moments_exactly() {
    // The energy taken from a body with unequal moments of inertia was booked with their mean.
    let mut model = model(spring(1.0, 0.0), 0.01);
    model.local_damping = 0.5;
    let body = Body {
        inertia_body: Some(DVec3::new(1.0, 1.5, 2.0)),
        torque: DVec3::Z,
        orientation: DQuat::IDENTITY,
        ..sphere(0.5, DVec3::ZERO)
    };
    let mut world = world(model, vec![body]);
    run(&mut world, 100);
    let ledger = world.ledger();
    // Half of the torque's work of 1 N m * 0.126 rad is taken. The brake of 0.5 N m sets in after the first half kick,
    // which the trapezoidal sum of the work sees as dM dw dt/4 = 0.5 * 0.0025 * 0.01/4 = 3.1e-6 J.
    assert!((ledger.lost_local - 0.5 * ledger.work).abs() < 1e-4, "{ledger:?}");
    assert!(ledger.error.abs() < 3.2e-6, "{ledger:?}");
}

#[test]
fn a_large_sphere_among_small_ones_does_not_shrink_the_step() {
    // The large sphere's 181 contacts were counted against the small spheres' mass, and the step was ten times too small.
    let material = |name: &str| stickslip::Material { name: name.into(), density: 1.0 };
    let mut model = Model::new(vec![material("grain")], 1.0);
    model.laws.set(0, 0, spring(1.0, 0.0));
    let small = |i: usize| sphere(0.1, DVec3::X * i as f64);
    let mut bodies: Vec<Body> = (0..500).map(small).collect();
    let alone = advise(&model, &bodies).expect("grains can touch").critical;
    bodies.extend((0..10).map(|i| sphere(1.0, DVec3::Y * (10.0 + 3.0 * i as f64))));
    let mixed = advise(&model, &bodies).expect("grains can touch").critical;
    assert!(mixed > 0.9 * alone, "{mixed} and {alone}");
}

//! How bodies may move: free under constant loads, held, locked, fixed, prescribed, and tumbling with unequal moments
//! of inertia.

use crate::common::*;
use glam::{DQuat, DVec3};
use stickslip::body::{Oscillation, Prescribed};
use stickslip::law::*;
use stickslip::{Body, Model, Motion, frame, math};

fn no_friction(dt: f64) -> Model {
    model(SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e3, 0.0))), dt)
}

#[test]
fn constant_force_and_torque_give_the_exact_parabola() {
    // Velocity Verlet is exact for constant loads: rounding alone, 1e-16 of 10 over 1000 steps.
    let mut model = no_friction(0.01);
    model.gravity = DVec3::new(0.0, 0.0, -2.0).into();
    let (force, torque) = (DVec3::new(3.0, -1.0, 0.5), DVec3::new(0.0, 0.2, 0.0));
    let body = Body {
        force: force.into(),
        torque: torque.into(),
        mass: Some(2.0),
        velocity: DVec3::Y,
        ..sphere(0.5, DVec3::X)
    };
    let mut world = world(model, vec![body]);
    run(&mut world, 1000);
    let (t, acceleration) = (10.0, force / 2.0 + DVec3::Z * -2.0);
    let body = world.body(0);
    assert!((body.position - (DVec3::X + DVec3::Y * t + acceleration * (0.5 * t * t))).length() < 1e-11);
    assert!((body.velocity - (DVec3::Y + acceleration * t)).length() < 1e-12);
    // I = 0.4 * 2 * 0.25 = 0.2: one rad/s^2.
    assert!((body.angular_velocity - DVec3::Y * t).length() < 1e-12);
    // The angle is 50 rad, the same rotation as its remainder.
    let expected = frame::rotation(DVec3::Y * 50.0);
    assert!(1.0 - body.orientation.dot(expected).abs() < 1e-12);
    // The recorded force is that of contacts, of which there are none.
    assert_eq!((body.force, body.torque), (DVec3::ZERO, DVec3::ZERO));
    let ledger = world.ledger();
    assert!(ledger.error.abs() < 1e-10 * ledger.kinetic, "{ledger:?}");
}

#[test]
fn a_plane_follows_its_formula() {
    // x = x0 + v t + axis A (sin(2 pi f t + phase) - sin(phase)): evaluated, not integrated, so exact to rounding.
    let axis = DVec3::new(0.6, 0.0, 0.8);
    let oscillate = Some(Oscillation { axis, amplitude: 0.3, frequency: 0.7, phase: 0.4 });
    let velocity = DVec3::new(0.0, 0.1, -0.2);
    let prescribed = Prescribed { velocity: velocity.into(), oscillate, ..Prescribed::default() };
    let start = DVec3::new(1.0, 2.0, 3.0);
    let body = Body { motion: Motion::Prescribed(prescribed), ..plane(DVec3::Z, start) };
    let mut world = world(no_friction(0.013), vec![body]);
    for step in 0..200 {
        run(&mut world, step);
        let t = world.time();
        let angle = 2.0 * std::f64::consts::PI * 0.7 * t + 0.4;
        let position = start + velocity * t + axis * (0.3 * (math::sin(angle) - math::sin(0.4)));
        let rate = velocity + axis * (0.3 * 2.0 * std::f64::consts::PI * 0.7 * math::cos(angle));
        assert!((world.body(0).position - position).length() < 1e-14);
        assert!((world.body(0).velocity - rate).length() < 1e-14);
    }
}

#[test]
fn a_body_turned_about_a_point_stays_on_its_circle() {
    let about = DVec3::new(1.0, 0.0, 0.0);
    let rate = DVec3::Z * 2.0;
    let prescribed = Prescribed { angular_velocity: rate.into(), about: Some(about), ..Prescribed::default() };
    let body = Body { motion: Motion::Prescribed(prescribed), ..sphere(0.1, DVec3::new(1.5, 0.0, 0.0)) };
    let mut world = world(no_friction(0.01), vec![body]);
    run(&mut world, 100);
    let (sine, cosine) = (math::sin(2.0), math::cos(2.0));
    let body = world.body(0);
    assert!((body.position - about - DVec3::new(0.5 * cosine, 0.5 * sine, 0.0)).length() < 1e-14);
    assert!((body.velocity - DVec3::new(-sine, cosine, 0.0)).length() < 1e-14);
    assert!(1.0 - body.orientation.dot(DQuat::from_xyzw(0.0, 0.0, math::sin(1.0), math::cos(1.0))).abs() < 1e-14);
}

#[test]
fn a_ball_that_rolls_on_a_turntable_goes_round_at_two_sevenths_of_its_rate() {
    // Earnshaw 1844: rolling without slip on a plane that turns at W, v' = W/(1 + m l^2/I) z x v, with the lever l = R
    // of the friction force: 2/7 of W. Here l = R - d/2, which is taken into account. What is left: the slide spring,
    // which stretches by m v0 (2/7)/k = 1.4e-5 m, and starts unloaded: a swing of less than 0.14/sqrt(3.5 k) = 8e-4
    // m/s that the dashpot ends within some 1/187 s: 4e-6 m. Both turn the course by 1.4e-5 of a few metres at most:
    // 1e-4 m in sum. The plane's velocity was once taken where the sphere is at the end of the step, the sphere's in the
    // middle: W x v dt/2 of false slip, and the ball spiralled in, 6.4e-4 m at 9 s for the larger step. At mid-step both,
    // what is left is of the order of (W dt)^2 of some 4 m: 4e-6 m.
    for dt in [1e-3, 2.5e-4] {
        roll_on_turntable(1.0, 0.5, dt);
    }
}

fn roll_on_turntable(rate: f64, speed: f64, dt: f64) {
    let k = 1e4;
    let laws = SpringLaws {
        slide: Some(Slide::SpringSlider(SlideSlider::new(k, 100.0, Limit::mu(0.5)))),
        ..SpringLaws::frictionless(Normal::Hooke(Hooke::new(k, 100.0)))
    };
    let mut model = model(laws, dt);
    model.gravity = (-DVec3::Z).into();
    let turntable =
        Motion::Prescribed(Prescribed { angular_velocity: (DVec3::Z * rate).into(), ..Prescribed::default() });
    let (start, velocity) = (DVec3::new(1.0, 0.5, 0.5 - 1.0 / k), DVec3::X * speed);
    let lever = 0.5 - 0.5 / k;
    let slip_without_spin = velocity - (DVec3::Z * rate).cross(start);
    let ball = Body { velocity, angular_velocity: DVec3::Z.cross(slip_without_spin) / lever, ..sphere(0.5, start) };
    let mut world = world(model, vec![ball, Body { motion: turntable, ..plane(DVec3::Z, DVec3::ZERO) }]);
    let round = rate / (1.0 + lever * lever / 0.1);
    assert!((round - 2.0 / 7.0).abs() < 1e-4);
    for second in 0..22 {
        run(&mut world, (f64::from(second) / dt) as u64);
        let (sine, cosine) = (math::sin(round * world.time()), math::cos(round * world.time()));
        let aside = DVec3::Z.cross(velocity);
        let expected = start + (velocity * sine + aside * (1.0 - cosine)) / round;
        let off = (world.body(0).position - expected).length();
        assert!(off < 1e-4 + 4.0 * rate * rate * dt * dt, "off by {off:e} at {} s, step {dt}", world.time());
    }
}

#[test]
fn held_locked_and_fixed_bodies_keep_what_they_must() {
    let mut model = no_friction(0.01);
    model.gravity = DVec3::new(1.0, 0.0, -1.0).into();
    let push = |position: f64| Body {
        velocity: DVec3::ONE,
        angular_velocity: DVec3::ONE,
        force: DVec3::ONE.into(),
        torque: (DVec3::ONE * 0.1).into(),
        ..sphere(0.5, DVec3::X * position)
    };
    let held = Body { motion: Motion::Held, ..push(0.0) };
    let fixed = Body { motion: Motion::Fixed, ..push(10.0) };
    let locked = Body { lock: [true, false, false, false, true, true], ..push(20.0) };
    let mut world = world(model, vec![held, fixed, locked]);
    run(&mut world, 100);
    // I = 0.1, so the torque gives 1 rad/s^2; the accelerations are g + f = (2, 1, 0).
    let [held, fixed, locked] = [0, 1, 2].map(|id| world.body(id));
    assert_eq!((held.position, held.velocity), (DVec3::ZERO, DVec3::ZERO));
    assert!((held.angular_velocity - DVec3::splat(2.0)).length() < 1e-13);
    assert_eq!((fixed.position, fixed.velocity, fixed.angular_velocity), (DVec3::X * 10.0, DVec3::ZERO, DVec3::ZERO));
    assert_eq!(fixed.orientation, DQuat::IDENTITY);
    assert_eq!((locked.position.x, locked.velocity.x), (20.0, 0.0));
    assert!((locked.velocity - DVec3::new(0.0, 2.0, 1.0)).length() < 1e-13);
    assert!((locked.position - DVec3::new(20.0, 1.5, 1.0)).length() < 1e-13);
    assert!((locked.angular_velocity - DVec3::new(2.0, 0.0, 0.0)).length() < 1e-13);
}

#[test]
fn a_fixed_sphere_is_infinitely_heavy_and_a_held_one_counts_with_its_mass() {
    // Dashpots are per effective mass: 1/2 against an equal held sphere, 1 against a fixed one. Overlap 0, rate 1.
    for (motion, effective) in [(Motion::Held, 0.5), (Motion::Fixed, 1.0), (Motion::Free, 0.5)] {
        let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(0.0, 3.0)));
        let wall = Body { motion: motion.clone(), ..sphere(0.5, DVec3::ZERO) };
        let ball = Body { velocity: -DVec3::X, ..sphere(0.5, DVec3::X * 0.999) };
        let world = world(model(laws, 1e-3), vec![wall, ball]);
        assert!((world.body(1).force.x - 3.0 * effective).abs() < 1e-13, "{motion:?}");
    }
}

/// A body with moments 1, 2, 3 spinning mostly about the middle one, the unstable axis.
fn tumbling(dt: f64, duration: f64) -> (f64, f64, DQuat) {
    let inertia = DVec3::new(1.0, 2.0, 3.0);
    let body =
        Body { inertia_body: Some(inertia), angular_velocity: DVec3::new(0.1, 1.0, 0.2), ..sphere(0.5, DVec3::ZERO) };
    let mut world = world(no_friction(dt), vec![body]);
    let measure = |body: stickslip::measure::BodyView| {
        let in_body = body.orientation.inverse() * body.angular_velocity;
        (body.orientation * (inertia * in_body), 0.5 * in_body.dot(inertia * in_body))
    };
    let (momentum, energy) = measure(world.body(0));
    let (mut turned_away, mut gained) = (0.0_f64, 0.0_f64);
    for step in 1..=(duration / dt).round() as u64 {
        run(&mut world, step);
        let (momentum_now, energy_now) = measure(world.body(0));
        turned_away = turned_away.max((momentum_now - momentum).length());
        gained = gained.max((energy_now - energy).abs());
    }
    assert!((world.ledger().kinetic - measure(world.body(0)).1).abs() < 1e-14);
    (turned_away / momentum.length(), gained / energy, world.body(0).orientation)
}

#[test]
fn a_tumbling_body_keeps_its_angular_momentum_and_its_energy_to_second_order() {
    // Momentum by construction, to rounding (1000 steps); energy and orientation to second order. The finest run is the
    // reference for the orientation: its own error is 1/16 of the next finest, which the order's tolerance covers.
    let runs = [0.08, 0.04, 0.02, 0.005].map(|dt| tumbling(dt, 20.0));
    println!("tumbling, energy errors: {:?}", runs.map(|run| run.1));
    for (away, ..) in runs {
        assert!(away < 1e-12, "{away:e}");
    }
    let energies: Vec<f64> = runs[..3].iter().map(|run| run.1).collect();
    let angle = |q: DQuat| 2.0 * (q.inverse() * runs[3].2).xyz().length();
    let angles: Vec<f64> = runs[..3].iter().map(|run| angle(run.2)).collect();
    for order in orders(&energies, 2.0) {
        assert!(order > 1.9, "energy: {energies:?}");
    }
    for order in orders(&angles, 2.0) {
        assert!((order - 2.0).abs() < 0.2, "angle: {angles:?}");
    }
}

//! Stages of one run: closed forms through a change of gravity, step, motion and bodies; the ledger; the same bits.

use glam::DVec3;
use stickslip::body::{Began, Oscillation, Prescribed};
use stickslip::clock::Clock;
use stickslip::inflow::Traffic;
use stickslip::math;
use stickslip::world::{Begin, Remembered, Setup, World};
use stickslip::{Body, Model, Motion};

use crate::common::{model, plane, run, santos, sphere, world};

/// The bodies of a world as they stand, of plain ones and a floor.
fn bodies_now(world: &World, described: &[Body]) -> Vec<Body> {
    let now = |(id, body): (u32, &Body)| {
        let state = world.state_of(id);
        let mut motion = body.motion.clone();
        if let Motion::Prescribed(prescribed) = &mut motion {
            prescribed.began = world.began(id, world.model().dt);
        }
        Body {
            position: state.position,
            velocity: state.velocity,
            orientation: state.orientation,
            angular_velocity: state.angular_velocity,
            motion,
            ..body.clone()
        }
    };
    (0..).zip(described).map(now).collect()
}

fn traffic(world: &World) -> Traffic {
    world.state().traffic.clone()
}

/// A free fall is exact under velocity Verlet, so only rounding is left: some 1e-16 a step of numbers below 10.
#[test]
fn gravity_and_the_step_change_in_mid_air() {
    let start = Model { gravity: (DVec3::Z * -10.0).into(), ..model(santos(Default::default(), 0.0, 0.0), 1e-2) };
    let ball = vec![sphere(0.5, DVec3::Z * 5.0)];
    let mut first = world(start.clone(), ball.clone());
    run(&mut first, 40);
    let (energy, time) = (first.ledger(), first.time());
    let next = Model { gravity: DVec3::new(1.0, 0.0, -2.0).into(), dt: 2.5e-3, ..start };
    let setup = Setup { model: next, bodies: bodies_now(&first, &ball) };
    let mut second = first.next_stage(setup, traffic(&first), Begin::As).unwrap();
    assert_eq!((second.steps(), second.time()), (40, time));
    assert_eq!(second.state().clock, Clock { step: 40, time });
    // Less of a weight is less potential energy, which is neither lost nor work.
    let ledger = second.ledger();
    assert!((ledger.potential - 0.2 * energy.potential).abs() < 1e-13 && ledger.error.abs() < 1e-13, "{ledger:?}");
    assert!((ledger.carried.potential_out - 0.8 * energy.potential).abs() < 1e-13, "{ledger:?}");
    run(&mut second, 240);
    let t = 200.0 * 2.5e-3;
    assert!((second.time() - time - t).abs() < 1e-14);
    let (z, v) = (5.0 - 5.0 * time * time, -10.0 * time);
    let expected = DVec3::new(0.5 * t * t, 0.0, z + v * t - t * t);
    assert!((second.body(0).position - expected).length() < 1e-13, "{}", second.body(0).position);
    let ledger = second.ledger();
    assert!(ledger.error.abs() < 1e-12 && ledger.total_lost() == 0.0, "{ledger:?}");
}

/// A motion that a stage does not set goes on by its own clock, whatever the step; one that it sets begins where the body is.
#[test]
fn a_motion_goes_on_through_a_change_of_the_step_or_begins() {
    let oscillate = Some(Oscillation { axis: DVec3::X, amplitude: 0.3, frequency: 0.7, phase: 0.4 });
    let swing = Prescribed { velocity: DVec3::Z.into(), oscillate, ..Prescribed::default() };
    let walls: Vec<Body> = [0.0, 1.0]
        .map(|y| Body { motion: Motion::Prescribed(swing.clone()), ..plane(DVec3::Y, DVec3::new(0.0, -y, 2.0)) })
        .to_vec();
    let start = model(santos(Default::default(), 0.0, 0.0), 0.013);
    let mut first = world(start.clone(), walls.clone());
    run(&mut first, 77);
    let place = |t: f64| {
        let angle = 2.0 * std::f64::consts::PI * 0.7 * t + 0.4;
        DVec3::new(0.3 * (math::sin(angle) - math::sin(0.4)), 0.0, 2.0 + t)
    };
    let mut bodies = bodies_now(&first, &walls);
    let state = first.state_of(1);
    let clock = Clock { step: 77, time: 0.0 };
    let began = Some(Began { clock, position: state.position, orientation: state.orientation });
    bodies[1].motion = Motion::Prescribed(Prescribed { began, ..swing.clone() });
    for body in &mut bodies[..1] {
        body.motion = Motion::Prescribed(Prescribed { began: first.began(0, 0.007), ..swing.clone() });
    }
    let setup = Setup { model: Model { dt: 0.007, ..start }, bodies };
    let mut second = first.next_stage(setup, traffic(&first), Begin::As).unwrap();
    for step in [77, 78, 100, 333] {
        run(&mut second, step);
        let t = 77.0 * 0.013 + (step - 77) as f64 * 0.007;
        let since = (step - 77) as f64 * 0.007;
        assert!((second.body(0).position - place(t)).length() < 1e-13, "step {step}");
        let begun = place(since) - place(0.0) + state.position;
        assert!((second.body(1).position - begun).length() < 1e-13, "step {step}");
    }
}

/// The table under a ball goes, and the ball falls; what its contact stored is not lost without a trace.
#[test]
fn a_wall_is_taken_out_and_a_ball_comes_in() {
    let start = Model { gravity: (DVec3::Z * -0.01).into(), ..model(santos(Default::default(), 0.1, 0.1), 0.02) };
    let bodies = vec![plane(DVec3::Z, DVec3::ZERO), sphere(0.5, DVec3::Z * 0.49)];
    let mut first = world(start.clone(), bodies.clone());
    run(&mut first, 5000);
    assert_eq!(first.contact_count(), 1);
    let mut described = bodies_now(&first, &bodies);
    described.push(sphere(0.5, DVec3::new(0.0, 0.0, 3.0)));
    let removed = Traffic { removed: vec![0], ..traffic(&first) };
    let setup = Setup { model: start, bodies: described };
    let mut second = first.next_stage(setup, removed, Begin::Again(&Remembered::default())).unwrap();
    assert_eq!((second.contact_count(), second.body_count(), second.id_count()), (0, 2, 3));
    assert!(!second.has(0) && second.has(2));
    assert!((second.ledger().error - first.ledger().error).abs() < 1e-14, "{:?}", second.ledger());
    assert!((second.ledger().total_lost() - first.ledger().total_lost()).abs() < 1e-14);
    let (z, v, t) = (first.body(1).position.z, first.body(1).velocity.z, 100.0 * 0.02);
    run(&mut second, 5100);
    assert!((second.body(1).position.z - (z + v * t - 0.005 * t * t)).abs() < 1e-13);
    assert!((second.body(2).position.z - (3.0 - 0.005 * t * t)).abs() < 1e-13);
    // What is saved in a stage comes back without the wall.
    let saved = second.save();
    let mut described = bodies_now(&first, &bodies);
    described.push(sphere(0.5, DVec3::new(0.0, 0.0, 3.0)));
    let again = World::restore(Setup { model: second.model().clone(), bodies: described }, &saved).unwrap();
    assert_eq!(again.save(), saved);
}

/// Nothing changes, so the stage is the longer run: every number of the state, not only what bodies show.
#[test]
fn a_stage_that_changes_nothing_is_the_longer_run() {
    let start =
        Model { gravity: DVec3::new(1e-3, 0.0, -5e-3).into(), ..model(santos(Default::default(), 0.3, 0.1), 0.02) };
    let mut bodies = vec![plane(DVec3::Z, DVec3::ZERO)];
    bodies.extend((0..60).map(|k| {
        let (i, j) = (f64::from(k % 5), f64::from(k / 5 % 4));
        sphere(0.45 + 0.01 * f64::from(k % 3), DVec3::new(i, 1.01 * j, 0.6 + 1.02 * f64::from(k / 20)))
    }));
    let mut longer = world(start.clone(), bodies.clone());
    run(&mut longer, 300);
    let setup = Setup { model: start, bodies: bodies_now(&longer, &bodies) };
    let mut stage = longer.next_stage(setup, traffic(&longer), Begin::As).unwrap();
    assert_eq!(stage.save(), longer.save());
    run(&mut longer, 700);
    run(&mut stage, 700);
    assert!(longer.contact_count() > 50, "{}", longer.contact_count());
    assert_eq!(stage.save(), longer.save());
    assert_eq!(stage.ledger(), longer.ledger());
}

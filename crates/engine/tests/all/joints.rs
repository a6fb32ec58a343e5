//! Joints: closed forms, conserved quantities, errors of what is held, drives, friction, springs, redundant rows, contradictions,
//! restart, threads.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use stickslip::cone::Solver;
use stickslip::contact::Mode;
use stickslip::error::{BuildError, Trouble};
use stickslip::frame::Pose;
use stickslip::joint::{Frames, Joint, JointKind, Target};
use stickslip::law::RigidLaws;
use stickslip::ledger::Loss;
use stickslip::math;
use stickslip::model::Nonsmooth;
use stickslip::schedule::Schedule;
use stickslip::world::{Setup, World};
use stickslip::{Body, Material, Model};

use crate::common::{plane, sphere};

const GRAVITY: f64 = 9.8;

/// A model whose steps are solved to this residual (m/s).
fn solved(gravity: f64, dt: f64, solver: Solver, tolerance: f64) -> Model {
    let mut model = Model::new(vec![Material { name: "steel".into(), density: 1.0 }], dt);
    model.gravity = (DVec3::Z * -gravity).into();
    model.laws.set(0, 0, RigidLaws::default());
    model.method =
        Nonsmooth { tolerance: Some(tolerance), solver, max_iterations: 100_000, ..Nonsmooth::default() }.into();
    model
}

fn model(gravity: f64, dt: f64) -> Model {
    solved(gravity, dt, Solver::Newton, 1e-11)
}

/// A ball of 1 kg with the moments of a slender box along x: it is small, so that it meets no other.
fn bar(length: f64, position: DVec3) -> Body {
    let across = (length * length + 4e-4) / 12.0;
    Body { mass: Some(1.0), inertia_body: Some(DVec3::new(8e-4 / 12.0, across, across)), ..sphere(0.01, position) }
}

/// The same from one point to another in the xz plane.
fn link(from: [f64; 2], to: [f64; 2]) -> Body {
    let way = DVec3::new(to[0] - from[0], 0.0, to[1] - from[1]);
    let orientation = DQuat::from_rotation_arc(DVec3::X, way.normalize());
    let middle = DVec3::new(from[0] + to[0], 0.0, from[1] + to[1]) * 0.5;
    Body { orientation, ..bar(way.length(), middle) }
}

fn pose(body: &Body) -> Pose {
    Pose { position: body.position, orientation: body.orientation }
}

/// A joint of bodies as they start; without b on the ground.
fn joint(bodies: &[Body], kind: JointKind, (a, b): (usize, Option<usize>), at: DVec3, axis: DVec3) -> Joint {
    let of_b = b.map_or(Pose::IDENTITY, |b| pose(&bodies[b]));
    let frames = Frames::at_start([pose(&bodies[a]), of_b], [at; 2], axis);
    Joint::new(kind, a as u32, b.map(|b| b as u32), frames)
}

/// A distance between a point of a and one of b.
fn distance(bodies: &[Body], (a, b): (usize, Option<usize>), at: DVec3, to: DVec3, length: f64) -> Joint {
    let of_b = b.map_or(Pose::IDENTITY, |b| pose(&bodies[b]));
    let frames = Frames::at_start([pose(&bodies[a]), of_b], [at, to], DVec3::ZERO);
    Joint::new(JointKind::Distance { length }, a as u32, b.map(|b| b as u32), frames)
}

fn world(model: Model, bodies: Vec<Body>, joints: Vec<Joint>) -> World {
    World::new(setup(model, bodies, joints)).unwrap()
}

fn setup(mut model: Model, bodies: Vec<Body>, joints: Vec<Joint>) -> Setup {
    model.joints = joints;
    Setup { model, bodies }
}

fn refused(model: Model, bodies: Vec<Body>, joints: Vec<Joint>) -> BuildError {
    World::new(setup(model, bodies, joints)).unwrap_err()
}

/// Every number of a joint and of the bodies, as bits.
fn bits(world: &World) -> Vec<u64> {
    let mut bits = Vec::new();
    for id in world.ids() {
        let body = world.body(id);
        let q = body.orientation;
        let vectors = [body.position, body.velocity, body.angular_velocity, DVec3::new(q.x, q.y, q.z)];
        bits.extend(vectors.iter().flat_map(|v| v.to_array()).chain([q.w]).map(f64::to_bits));
    }
    bits.extend(world.state().joints.iter().flat_map(|joint| joint.numbers()).map(f64::to_bits));
    bits
}

// ---- closed forms ----

#[test]
fn a_rod_swings_with_its_period_by_ball_by_revolute_and_by_distance() {
    let (length, dt, angle) = (1.0, 1e-3, 0.01);
    // Of a rod about its end, and of a ball on a massless rod; with the next term of the amplitude.
    let about_end = (length * length + 4e-4) / 12.0 + 0.25;
    let of_rod = (about_end / (0.5 * GRAVITY)).sqrt();
    let of_ball = (length / GRAVITY).sqrt();
    for (kind, expected) in [("ball", of_rod), ("revolute", of_rod), ("distance", of_ball)] {
        let orientation = DQuat::from_rotation_y(0.5 * PI - angle);
        let down = orientation * DVec3::X;
        let bodies = match kind {
            "distance" => vec![sphere(0.1, down * length)],
            _ => vec![Body { orientation, ..bar(length, down * 0.5 * length) }],
        };
        let tie = match kind {
            "ball" => joint(&bodies, JointKind::Ball, (0, None), DVec3::ZERO, DVec3::ZERO),
            "revolute" => joint(&bodies, JointKind::Revolute, (0, None), DVec3::ZERO, DVec3::Y),
            _ => distance(&bodies, (0, None), bodies[0].position, DVec3::ZERO, length),
        };
        let mut world = world(model(GRAVITY, dt), bodies, vec![tie]);
        let (mut crossings, mut last) = (Vec::new(), 1.0_f64);
        for step in 1..=5000 {
            world.step().unwrap();
            let x = world.body(0).position.x;
            if x.signum() != last.signum() {
                crossings.push((f64::from(step) - x / (x - last)) * dt);
            }
            last = x;
        }
        let swings = (crossings.len() - 1) as f64;
        let period = 2.0 * (crossings[crossings.len() - 1] - crossings[0]) / swings;
        let expected = 2.0 * PI * expected * (1.0 + angle * angle / 16.0);
        // Symplectic Euler: off by (w h)^2/24 = 6e-7; crossings are straight lines between steps.
        assert!((period / expected - 1.0).abs() < 2e-6, "{kind}: {period} {expected}");
        assert!(world.solver().unwrap().unsolved == 0 && world.joint_error() < 1e-8);
    }
}

#[test]
fn a_whirling_ball_pulls_with_its_centripetal_force_and_neither_speed_nor_error_drifts() {
    let (length, speed, dt) = (0.5, 2.0, 2e-3);
    let bodies = vec![Body { velocity: DVec3::Y * speed, mass: Some(3.0), ..sphere(0.1, DVec3::X * length) }];
    let tie = distance(&bodies, (0, None), DVec3::X * length, DVec3::ZERO, length);
    let mut world = world(model(0.0, dt), bodies, vec![tie]);
    let rate = speed / length;
    let expected = 3.0 * rate * rate * length;
    for _ in 0..20 {
        world.advance(100).unwrap();
        let row = world.joints()[0];
        // To second order in w h = 8e-3.
        assert!((row.force.length() / expected - 1.0).abs() < 1e-4, "{row:?}");
        assert!(row.error < 0.6 * dt * dt * rate * rate * length, "{row:?}");
        assert!((world.body(0).velocity.length() / speed - 1.0).abs() < 1e-4);
    }
}

/// Three bars in a chain, thrown and turning, no one holds them.
fn thrown(dt: f64) -> World {
    let bar = |x: f64, velocity: DVec3| Body { velocity, ..bar(0.3, DVec3::X * x) };
    let bodies = vec![
        Body { angular_velocity: DVec3::new(0.4, 1.0, 3.0), ..bar(0.0, DVec3::ZERO) },
        bar(0.3, DVec3::new(0.0, 0.9, -0.3)),
        Body { orientation: DQuat::from_rotation_x(0.7), ..bar(0.6, DVec3::new(0.0, 0.9, 0.4)) },
    ];
    let joints = vec![
        joint(&bodies, JointKind::Ball, (0, Some(1)), DVec3::X * 0.15, DVec3::ZERO),
        joint(&bodies, JointKind::Revolute, (2, Some(1)), DVec3::X * 0.45, DVec3::new(0.0, 0.6, 0.8)),
    ];
    world(model(0.0, dt), bodies, joints)
}

fn momenta(world: &World) -> [DVec3; 2] {
    let mut sums = [DVec3::ZERO; 2];
    let inertia = bar(0.3, DVec3::ZERO).mass_and_inertia(1.0).1;
    for id in world.ids() {
        let body = world.body(id);
        let turning = body.orientation * (inertia * (body.orientation.inverse() * body.angular_velocity));
        sums[0] += body.velocity;
        sums[1] += body.position.cross(body.velocity) + turning;
    }
    sums
}

#[test]
fn joined_bodies_that_nothing_holds_keep_both_momenta() {
    let mut world = thrown(1e-3);
    let before = momenta(&world);
    world.advance(2000).unwrap();
    let after = momenta(&world);
    // Rounding of 2000 steps of numbers of order 1; the residual plays no part, as impulses act on both alike.
    assert!((before[0] - after[0]).length() < 1e-11, "{before:?} {after:?}");
    assert!((before[1] - after[1]).length() < 1e-11, "{before:?} {after:?}");
    assert_eq!(world.solver().unwrap().unsolved, 0);
}

#[test]
fn the_error_of_joints_falls_fourfold_when_the_step_is_halved() {
    let worst = |dt: f64| {
        let mut world = thrown(dt);
        let mut worst = [0.0_f64; 2];
        for _ in 0..(0.5 / dt) as u64 {
            world.step().unwrap();
            for row in world.joints() {
                worst = [worst[0].max(row.error), worst[1].max(row.error_angle)];
            }
        }
        worst
    };
    let errors = [2e-3, 1e-3, 5e-4].map(worst);
    for two in errors.windows(2) {
        for (large, small) in two[0].iter().zip(two[1]) {
            let ratio = large / small;
            assert!((3.6..4.4).contains(&ratio), "{ratio} of {errors:?}");
        }
    }
    // h^2 w^2 L with w = 6 rad/s, L = 0.3 m.
    assert!(errors[1][0] < 1e-6 * 36.0 * 0.3, "{errors:?}");
}

#[test]
fn the_error_of_joints_does_not_grow_in_a_hundred_thousand_steps() {
    let mut world = thrown(2e-3);
    let mut worst = [0.0_f64; 2];
    for step in 0..100_000 {
        world.step().unwrap();
        let half = usize::from(step >= 50_000);
        worst[half] = worst[half].max(world.joint_error());
    }
    assert!(worst[1] < 1.3 * worst[0] && worst[0] < 4e-6 * 36.0 * 0.3, "{worst:?}");
}

// ---- drives and friction ----

/// A wheel of inertia 0.1 kg m^2 about z.
fn wheel() -> Vec<Body> {
    vec![Body { mass: Some(1.0), inertia_body: Some(DVec3::splat(0.1)), ..sphere(0.2, DVec3::ZERO) }]
}

#[test]
fn a_motor_with_a_limit_runs_up_as_torque_less_friction_says_and_is_braked_by_more() {
    let dt = 2e-3;
    let bodies = wheel();
    let brake = Schedule::new(vec![1.0, 1.0], vec![1.0, 8.0]).unwrap();
    let shaft = joint(&bodies, JointKind::Revolute, (0, None), DVec3::ZERO, DVec3::Z)
        .with_drive(Target::Speed(20.0.into()), Some(5.0))
        .with_friction(brake);
    let mut world = world(model(0.0, dt), bodies, vec![shaft]);
    // (5 - 1)/0.1 = 40 rad/s^2.
    world.advance(200).unwrap();
    let row = world.joints()[0];
    assert!((row.v - 16.0).abs() < 1e-9 && (row.drive - 5.0).abs() < 1e-9, "{row:?}");
    assert!((row.friction + 1.0).abs() < 1e-9 && row.mode == [Mode::Slip, Mode::Slip], "{row:?}");
    // x is the sum of h w over the steps.
    assert!((row.x - 0.5 * 16.0 * (0.4 + dt)).abs() < 1e-9, "{row:?}");
    world.advance(200).unwrap();
    let row = world.joints()[0];
    assert!((row.v - 20.0).abs() < 1e-9 && (row.drive - 1.0).abs() < 1e-9, "{row:?}");
    assert_eq!(row.mode, [Mode::Stick, Mode::Slip]);
    // (8 - 5)/0.1 = 30 rad/s^2 down from 20 rad/s at 1 s, to rest after 0.667 s.
    world.advance(100 + 100).unwrap();
    let row = world.joints()[0];
    assert!((row.v - (20.0 - 30.0 * 0.2)).abs() < 1e-9, "{row:?}");
    world.advance(400).unwrap();
    let row = world.joints()[0];
    assert!(row.v.abs() < 1e-9 && (row.drive - 5.0).abs() < 1e-9 && (row.friction + 5.0).abs() < 1e-9, "{row:?}");
    assert_eq!(row.mode, [Mode::Slip, Mode::Stick]);
    let ledger = world.ledger();
    // What friction took is what the motor gave: nothing turns any more.
    assert!((ledger.lost[Loss::Joint] - ledger.work).abs() < 1e-9 && ledger.work > 60.0, "{ledger:?}");
    assert!(ledger.error.abs() < 1e-9, "{ledger:?}");
}

#[test]
fn friction_takes_the_load_up_to_its_limit_and_then_the_drive() {
    for (load, friction, drive) in [(3.0, -3.0, 0.0), (5.0, -5.0, 0.0), (7.0, -5.0, -2.0)] {
        for solver in [Solver::Newton, Solver::GaussSeidel] {
            let bodies = vec![Body { force: (DVec3::X * load).into(), ..bar(0.1, DVec3::ZERO) }];
            let slide = joint(&bodies, JointKind::Prismatic, (0, None), DVec3::ZERO, DVec3::X)
                .with_drive(Target::Speed(0.0.into()), None)
                .with_friction(5.0);
            let mut world = world(solved(0.0, 1e-3, solver, 1e-11), bodies, vec![slide]);
            world.advance(20).unwrap();
            let row = world.joints()[0];
            assert!((row.friction - friction).abs() < 1e-7 && (row.drive - drive).abs() < 1e-7, "{load}: {row:?}");
            assert!(row.v.abs() < 1e-10 && row.x.abs() < 1e-10, "{row:?}");
        }
    }
}

#[test]
fn a_crank_that_follows_a_position_moves_the_piston_of_the_slider_crank() {
    let (crank, rod, dt) = (0.05, 0.2, 1e-3);
    let bodies =
        vec![link([0.0, 0.0], [crank, 0.0]), link([crank, 0.0], [crank + rod, 0.0]), bar(0.04, DVec3::X * 0.25)];
    let turn = Schedule::new(vec![0.0, 1.0], vec![0.0, 4.0 * PI]).unwrap();
    let joints = vec![
        joint(&bodies, JointKind::Revolute, (0, None), DVec3::ZERO, -DVec3::Y)
            .with_drive(Target::Position(turn.into()), None),
        joint(&bodies, JointKind::Revolute, (1, Some(0)), DVec3::X * crank, DVec3::Y),
        joint(&bodies, JointKind::Ball, (1, Some(2)), DVec3::X * 0.25, DVec3::ZERO),
        joint(&bodies, JointKind::Prismatic, (2, None), DVec3::X * 0.25, DVec3::X).with_friction(2.0),
    ];
    let mut world = world(model(GRAVITY, dt), bodies, joints);
    for step in 1..=1000 {
        world.step().unwrap();
        let angle = 4.0 * PI * dt * f64::from(step);
        let row = world.joints()[0];
        // Position drives are met but for what the step turns and lets come apart.
        assert!((row.x - angle).abs() < 1e-6, "{step}: {} {angle}", row.x);
        let (cos, up) = (math::cos(angle), crank * math::sin(angle));
        let expected = crank * cos + (rod * rod - up * up).sqrt();
        let found = world.body(2).position.x;
        // h^2 w^2 (r + ..) = 1.6e-4 * 0.05.
        assert!((found - expected).abs() < 3e-5, "{step}: {found} {expected}");
    }
    assert_eq!(world.solver().unwrap().unsolved, 0);
    assert!(world.ledger().lost[Loss::Joint] > 0.0);
}

#[test]
fn a_drive_by_force_pushes_both_ways() {
    let bodies = vec![bar(0.1, DVec3::ZERO), Body { mass: Some(4.0), ..bar(0.1, DVec3::X) }];
    let push = joint(&bodies, JointKind::Linear, (0, Some(1)), DVec3::ZERO, DVec3::X)
        .with_drive(Target::Load(2.0.into()), None);
    let mut world = world(model(0.0, 1e-2), bodies, vec![push]);
    world.advance(10).unwrap();
    let [a, b] = [0, 1].map(|id| world.body(id).velocity.x);
    assert!((a - 0.2).abs() < 1e-14 && (b + 0.05).abs() < 1e-14, "{a} {b}");
    let (row, ledger) = (world.joints()[0], world.ledger());
    assert!((row.drive - 2.0).abs() < 1e-14 && (row.v - 0.25).abs() < 1e-14, "{row:?}");
    assert!((ledger.work - ledger.kinetic).abs() < 1e-14, "{ledger:?}");
}

#[test]
fn a_ball_joint_with_friction_stops_what_turns_in_it_as_its_torque_says() {
    let bodies = vec![Body { angular_velocity: DVec3::new(3.0, 0.0, 4.0), ..wheel().remove(0) }];
    let tie = joint(&bodies, JointKind::Ball, (0, None), DVec3::ZERO, DVec3::ZERO).with_friction(0.5);
    let mut world = world(model(0.0, 1e-2), bodies, vec![tie]);
    world.advance(50).unwrap();
    // 5 rad/s less 0.5/0.1 rad/s^2.
    let turning = world.body(0).angular_velocity;
    assert!((turning - DVec3::new(1.5, 0.0, 2.0)).length() < 1e-9, "{turning}");
    assert!((world.joints()[0].friction - 0.5).abs() < 1e-9);
    world.advance(60).unwrap();
    assert!(world.body(0).angular_velocity.length() < 1e-9);
    assert!((world.ledger().lost[Loss::Joint] - 0.5 * 0.1 * 25.0).abs() < 1e-9);
}

// ---- springs ----

#[test]
fn springs_swing_with_their_frequency_and_keep_their_energy() {
    let (k, dt) = (400.0, 2e-3);
    // 1 kg along, 0.1 kg m^2 about: 20 rad/s and 63 rad/s; between two bodies the reduced mass of 1 and 4 kg.
    let along = vec![Body { velocity: DVec3::X, ..bar(0.1, DVec3::ZERO) }];
    let about = vec![Body { angular_velocity: DVec3::Z, ..wheel().remove(0) }];
    let two = vec![
        Body { velocity: DVec3::X, ..bar(0.1, DVec3::ZERO) },
        Body { mass: Some(4.0), velocity: DVec3::X * -0.25, ..bar(0.1, DVec3::X) },
    ];
    let cases = [
        (joint(&along, JointKind::Prismatic, (0, None), DVec3::ZERO, DVec3::X), along.clone(), 1.0),
        (joint(&about, JointKind::Revolute, (0, None), DVec3::ZERO, DVec3::Z), about.clone(), 0.1),
        (distance(&two, (0, Some(1)), DVec3::ZERO, DVec3::X, 1.0), two.clone(), 0.8),
    ];
    for (joint, bodies, inertia) in cases {
        let kind = joint.kind.name();
        let mut world = world(model(0.0, dt), bodies, vec![joint.with_spring(k, 0.0)]);
        let rate = (k / inertia).sqrt();
        let start = world.ledger().kinetic;
        let (mut crossings, mut last, mut least) = (Vec::new(), 0.0, f64::INFINITY);
        for step in 1..=2000 {
            world.step().unwrap();
            let row = world.joints()[0];
            if row.x * last < 0.0 {
                crossings.push((f64::from(step) - row.x / (row.x - last)) * dt);
            }
            last = row.x;
            let ledger = world.ledger();
            least = least.min(ledger.kinetic + ledger.stored);
            assert_eq!(ledger.lost[Loss::Joint], 0.0);
        }
        let found = PI * (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0]);
        // Lower by (w h)^2/12; energy swings by w h/2 of it and does not sink.
        let expected = rate * (1.0 - rate * dt * rate * dt / 12.0);
        assert!((found / expected - 1.0).abs() < 2e-4, "{kind}: {found} {expected}");
        assert!(least > (1.0 - 0.7 * rate * dt) * start, "{kind}: {least} {start}");
    }
}

#[test]
fn a_damper_takes_what_a_spring_held() {
    let bodies = vec![bar(0.1, DVec3::X * 1.2)];
    let spring = distance(&bodies, (0, None), DVec3::X * 1.2, DVec3::ZERO, 1.0).with_spring(50.0, 6.0);
    let mut world = world(model(0.0, 1e-3), bodies, vec![spring]);
    assert!((world.ledger().stored - 1.0).abs() < 1e-12);
    let (mut last, mut least) = (0.0, f64::INFINITY);
    for _ in 0..5000 {
        world.step().unwrap();
        let lost = world.ledger().lost[Loss::Joint];
        least = f64::min(least, lost - last);
        last = lost;
    }
    let ledger = world.ledger();
    // In a step in which the velocity changes its sign the mean of both may be against the damper, by c h (a h)^2/8.
    assert!((world.body(0).position.x - 1.0).abs() < 1e-6 && least > -1e-6, "{least}");
    // The scheme's own error is of order h.
    assert!((ledger.lost[Loss::Joint] - 1.0).abs() < 5e-3 && ledger.error.abs() < 5e-3, "{ledger:?}");
}

#[test]
fn a_spring_stiffer_than_steps_can_follow_holds_and_does_not_ring() {
    let bodies = vec![Body { velocity: DVec3::X, ..bar(0.1, DVec3::ZERO) }];
    let spring = joint(&bodies, JointKind::Linear, (0, None), DVec3::ZERO, DVec3::X).with_spring(1e9, 0.0);
    let mut world = world(model(0.0, 1e-3), bodies, vec![spring]);
    world.advance(50).unwrap();
    assert!(world.body(0).velocity.length() < 1e-6, "{}", world.body(0).velocity);
}

// ---- redundant rows, locks, contradictions ----

/// Crank, coupler and rocker in the xz plane: three of the rows are redundant.
fn four_bar(solver: Solver, tolerance: f64) -> Setup {
    let (a, b, c, d) = ([0.0, 0.0], [0.05, 0.09], [0.27, 0.2], [0.3, 0.0]);
    let bodies = vec![link(a, b), link(b, c), link(c, d)];
    let at = |p: [f64; 2]| DVec3::new(p[0], 0.0, p[1]);
    let joints = vec![
        joint(&bodies, JointKind::Revolute, (0, None), at(a), -DVec3::Y).with_drive(Target::Speed(6.0.into()), None),
        joint(&bodies, JointKind::Revolute, (1, Some(0)), at(b), -DVec3::Y),
        joint(&bodies, JointKind::Revolute, (1, Some(2)), at(c), -DVec3::Y).with_friction(0.02),
        joint(&bodies, JointKind::Revolute, (2, None), at(d), -DVec3::Y),
    ];
    setup(solved(GRAVITY, 1e-3, solver, tolerance), bodies, joints)
}

#[test]
fn redundant_rows_leave_the_motion_unique() {
    let of = |solver| World::new(four_bar(solver, 1e-10)).unwrap();
    let [mut newton, mut sweeps] = [of(Solver::Newton), of(Solver::GaussSeidel)];
    for _ in 0..10 {
        newton.advance(20).unwrap();
        sweeps.advance(20).unwrap();
        for id in 0..3 {
            let [one, other] = [&newton, &sweeps].map(|world| world.body(id));
            assert!((one.position - other.position).length() < 1e-9, "{one:?} {other:?}");
            assert!((one.velocity - other.velocity).length() < 1e-7);
            assert!(one.position.y.abs() < 1e-12);
        }
        // What is told apart by motion alone is the same; loads across the plane are those of least norm: none.
        let [one, other] = [&newton, &sweeps].map(|world| world.joints()[0]);
        assert!((one.drive - other.drive).abs() < 1e-4 * one.drive.abs().max(1.0), "{one:?} {other:?}");
        for row in newton.joints() {
            assert!(row.force.y.abs() < 1e-6 && row.torque.x.abs() + row.torque.z.abs() < 1e-6, "{row:?}");
        }
    }
    assert_eq!((newton.solver().unwrap().unsolved, sweeps.solver().unwrap().unsolved), (0, 0));
}

#[test]
fn newton_solves_machines_in_a_few_iterations() {
    let mut world = World::new(four_bar(Solver::Newton, 1e-10)).unwrap();
    let mut most = 0;
    for _ in 0..200 {
        world.step().unwrap();
        most = most.max(world.solver().unwrap().certificate.iterations);
    }
    assert!(most <= 30, "{most}");
}

#[test]
fn rows_that_locks_leave_no_mass_are_dropped_if_they_hold() {
    let lock = [false, true, false, true, false, true];
    let bodies = vec![Body { lock, ..bar(1.0, DVec3::X * 0.5) }];
    let hinge = joint(&bodies, JointKind::Revolute, (0, None), DVec3::ZERO, DVec3::Y);
    let mut world = world(model(GRAVITY, 1e-3), bodies.clone(), vec![hinge]);
    world.advance(100).unwrap();
    assert!(world.joint_error() < 1e-4 && world.solver().unwrap().unsolved == 0);
    let pushed =
        joint(&bodies, JointKind::Linear, (0, None), DVec3::ZERO, DVec3::Y).with_drive(Target::Speed(0.1.into()), None);
    let error = refused(model(GRAVITY, 1e-3), bodies, vec![pushed]).to_string();
    assert!(error.starts_with("joint 0: locks, or motions that are given"), "{error}");
}

#[test]
fn joints_that_contradict_each_other_at_the_start_are_both_named() {
    let bodies = wheel();
    let shaft = |name: &str, speed: f64| {
        let shaft = joint(&bodies, JointKind::Revolute, (0, None), DVec3::ZERO, DVec3::Z);
        Joint { name: Some(name.into()), ..shaft.with_drive(Target::Speed(speed.into()), None) }
    };
    let error = refused(model(0.0, 1e-3), bodies.clone(), vec![shaft("left", 1.0), shaft("right", 2.0)]);
    assert_eq!(
        error.to_string(),
        "joint \"left\" and joint \"right\" contradict each other: no motion satisfies all of them"
    );
    // The same speed twice is redundant, not contradictory.
    let mut world = world(model(0.0, 1e-3), bodies.clone(), vec![shaft("left", 1.0), shaft("right", 1.0)]);
    world.advance(10).unwrap();
    assert!((world.joints()[0].v - 1.0).abs() < 1e-10);
}

#[test]
fn joints_that_come_to_contradict_each_other_stop_the_run() {
    let bodies = wheel();
    let shaft = |speed: stickslip::schedule::Signal<f64>| {
        joint(&bodies, JointKind::Revolute, (0, None), DVec3::ZERO, DVec3::Z).with_drive(Target::Speed(speed), None)
    };
    let later = Schedule::new(vec![0.05, 0.05], vec![1.0, 2.0]).unwrap();
    let mut world = world(model(0.0, 1e-3), bodies.clone(), vec![shaft(1.0.into()), shaft(later.into())]);
    let Err(Trouble::Contradiction { joints, contacts, step, .. }) = world.advance(100) else {
        panic!("two speeds at once");
    };
    assert_eq!((joints, contacts.len(), step), (vec!["joint 0".to_owned(), "joint 1".to_owned()], 0, 50));
}

#[test]
fn a_position_drive_without_a_limit_starts_where_the_joint_is() {
    let bodies = wheel();
    let shaft = joint(&bodies, JointKind::Revolute, (0, None), DVec3::ZERO, DVec3::Z);
    let at_one = |limit| vec![shaft.clone().with_drive(Target::Position(1.0.into()), limit)];
    let error = refused(model(0.0, 1e-3), bodies.clone(), at_one(None)).to_string();
    assert!(error.contains("give it a limit"), "{error}");
    let mut world = world(model(0.0, 1e-3), bodies.clone(), at_one(Some(2.0)));
    world.advance(10).unwrap();
    // 2/0.1 rad/s^2.
    assert!((world.joints()[0].v - 0.2).abs() < 1e-9);
}

#[test]
fn the_explicit_method_has_no_joints() {
    let bodies = wheel();
    let tie = joint(&bodies, JointKind::Ball, (0, None), DVec3::ZERO, DVec3::ZERO);
    let mut soft = crate::common::model(crate::common::every_law(1e3)[0].1, 1e-4);
    soft.joints = vec![tie];
    let error = World::new(Setup { model: soft, bodies }).unwrap_err().to_string();
    assert_eq!(error, "the explicit method does not implement joints yet");
}

// ---- with contacts, threads, restart ----

/// A cart of two wheels on an axle beam, and a motor on one wheel, on a floor with friction.
fn cart() -> Setup {
    let mut model = solved(GRAVITY, 2e-3, Solver::Auto, 1e-8);
    let limits = stickslip::law::Limits { slide: Some(stickslip::law::Limit::mu(0.5)), ..Default::default() };
    model.laws.set(0, 0, RigidLaws { limits, ..RigidLaws::default() });
    let bodies = vec![
        sphere(0.2, DVec3::new(-0.5, 0.0, 0.2)),
        sphere(0.2, DVec3::new(0.5, 0.0, 0.2)),
        bar(1.0, DVec3::Z * 0.2),
        plane(DVec3::Z, DVec3::ZERO),
    ];
    let axle = |wheel: usize| joint(&bodies, JointKind::Revolute, (wheel, Some(2)), bodies[wheel].position, DVec3::Y);
    let joints = vec![axle(0).with_drive(Target::Speed(10.0.into()), Some(0.05)), axle(1).with_friction(0.001)];
    setup(model, bodies, joints)
}

#[test]
fn a_cart_drives_off_and_joined_bodies_do_not_touch() {
    let mut world = World::new(cart()).unwrap();
    world.advance(500).unwrap();
    let beam = world.body(2);
    assert!(beam.velocity.x > 0.1 && (beam.position.z - 0.2).abs() < 1e-3, "{beam:?}");
    // The two wheels on the floor, and nothing in the beam.
    assert_eq!(world.contact_count(), 2);
    assert_eq!(world.solver().unwrap().unsolved, 0);
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(cart()).unwrap();
            world.advance(200).unwrap();
            let mut bar = World::new(four_bar(Solver::Newton, 1e-10)).unwrap();
            bar.advance(50).unwrap();
            [bits(&world), bits(&bar)]
        })
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn a_run_restored_in_the_middle_ends_with_the_same_bits() {
    for setup in [cart(), four_bar(Solver::Newton, 1e-10), four_bar(Solver::GaussSeidel, 1e-6)] {
        let mut world = World::new(setup.clone()).unwrap();
        world.advance(70).unwrap();
        let saved = world.save();
        world.advance(80).unwrap();
        let mut again = World::restore(setup, &saved).unwrap();
        again.advance(80).unwrap();
        assert_eq!(bits(&world), bits(&again));
        assert_eq!(world.ledger(), again.ledger());
    }
}

//! What drives may follow a schedule: closed forms, the order of the ledger, bits after a restart, no allocation.

use glam::{DMat3, DQuat, DVec3};
use stickslip::body::{Prescribed, Servo};
use stickslip::cell::{Cell, CellInertia, Control, Frame};
use stickslip::inflow::{Entrance, Inflow, Rate};
use stickslip::law::{Hooke, Limit, Normal, Slide, SlideSlider, SpringLaws};
use stickslip::mould::Mould;
use stickslip::random::Stream;
use stickslip::reference::SlowWorld;
use stickslip::schedule::{Quantity, Schedule, Signal};
use stickslip::sizes::Sizes;
use stickslip::{Body, Model, Motion, Setup, Shape, World};

use crate::common::{every_law, model, orders, plane, random_vector, sphere, world};

fn table<T: Quantity>(points: &[(f64, T)]) -> Signal<T> {
    let (times, values) = points.iter().copied().unzip();
    Signal::Schedule(Schedule::new(times, values).expect("the test's table is a schedule"))
}

fn ball_of(motion: Motion, position: DVec3) -> Body {
    Body { motion, ..sphere(0.5, position) }
}

fn gripping(mu: f64) -> SpringLaws {
    let slide = Some(Slide::SpringSlider(SlideSlider::new(1e4, 100.0, Limit::mu(mu))));
    SpringLaws { slide, ..SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e4, 100.0))) }
}

#[test]
fn a_wall_on_a_table_of_velocities_is_where_the_integral_says_at_any_step() {
    // By hand: along x 0.5 x 1 x 2 + 2 x 0.5 = 2 up to 1.5 s, then a jump to -1 for 0.75 s, then back to 0 within 1 s: -0.75 - 0.5.
    let velocity = table(
        &[(0.0, 0.0), (1.0, 2.0), (1.5, 2.0), (1.5, -1.0), (2.25, -1.0), (3.25, 0.0)].map(|(t, v)| (t, DVec3::X * v)),
    );
    // About y 0.5 x 2 x 3 = 3 rad.
    let angular_velocity = table(&[(0.5, DVec3::ZERO), (1.5, DVec3::Y * 3.0), (2.5, DVec3::ZERO)]);
    let prescribed = Prescribed { velocity, angular_velocity, ..Prescribed::default() };
    let start = DVec3::new(0.1, 0.2, 0.3);
    let plate = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [1.0, 1.0], sides: stickslip::Sides::Both };
    for dt in [0.25, 0.07, 1e-3, 0.9] {
        let moving = Body { motion: Motion::Prescribed(prescribed.clone()), ..Body::new(plate.clone(), 0, start) };
        let mut world = world(model(gripping(0.5), dt), vec![moving, sphere(0.1, DVec3::Y * 50.0)]);
        world.advance((3.5 / dt).ceil() as u64).unwrap();
        let body = world.body(0);
        assert!((body.position - (start + DVec3::X * 0.75)).length() < 1e-14, "{dt}: {}", body.position);
        let turned = body.orientation * DQuat::from_rotation_y(-3.0);
        assert!(turned.xyz().length() < 1e-14, "{dt}: {turned}");
        assert_eq!((body.velocity, body.angular_velocity), (DVec3::ZERO, DVec3::ZERO));
    }
}

/// A belt starts, stops and starts again; the block upon it follows by the integral of the belt's speed.
#[test]
fn a_ramped_belt_carries_a_block_by_the_integral_of_its_speed() {
    // 0.5 x 0.5 x 1 + 1 x 1 + 0.5 x 0.5 = 1.5 m up to 2 s, a stop, and once more, backwards: -0.6 x 1.
    let points = [(0.0, 0.0), (0.5, 1.0), (1.5, 1.0), (2.0, 0.0), (3.0, 0.0), (3.5, -0.6), (4.0, -0.6), (4.5, 0.0)];
    let belt = table(&points.map(|(t, v)| (t, DVec3::X * v)));
    let block = Shape::Box { size: DVec3::new(0.4, 0.4, 0.2) };
    for dt in [1e-3, 2.5e-4] {
        let mut model = model(gripping(0.8), dt);
        model.gravity = (DVec3::Z * -10.0).into();
        let mass = 1.0;
        // Four corners bear a weight of 10 N.
        let sunk = 10.0 / (4.0 * 1e4);
        let block = Body { mass: Some(mass), ..Body::new(block.clone(), 0, DVec3::Z * (0.1 - sunk)) };
        let moving = Body { motion: Motion::Belt(belt.clone()), ..plane(DVec3::Z, DVec3::ZERO) };
        let mut world = world(model, vec![moving, block]);
        let at = |world: &mut World, time: f64| {
            world.advance((time / dt).round() as u64 - world.steps()).unwrap();
            (world.body(1).position.x, world.body(1).velocity.x)
        };
        // Amid the first ramp the springs hold back by m a/(4 k) = 2 N/4e4 N/m = 5e-5 m, and the block leans by m a h/(4 k l^2) with
        // h = 0.1 m, l = 0.2 m, which at its centre is 1.25e-5 m more; it has the belt's speed.
        let (x, v) = at(&mut world, 0.4);
        assert!((x - (0.16 - 6.25e-5)).abs() < 1e-7 && (v - 0.8).abs() < 1e-3, "{dt}: {x}, {v}");
        // At rest on the belt that stands the springs are free: the integral, but for what is left of the swing.
        for (time, expected) in [(2.9, 1.5), (5.5, 0.9)] {
            let (x, v) = at(&mut world, time);
            assert!((x - expected).abs() < 1e-9 && v.abs() < 1e-8, "{dt}: {x} for {expected}, {v}");
        }
    }
}

#[test]
fn a_belt_that_speeds_up_faster_than_friction_leaves_a_ball_behind() {
    // mu g = 3 m/s^2 under a belt at 10 m/s^2 up to 1 m/s: the ball, which cannot roll, slides until 1/3 s, 1/6 m, and then keeps up.
    let belt = table(&[(0.0, DVec3::ZERO), (0.1, DVec3::X)]);
    let dt = 1e-4;
    let mut model = model(gripping(0.3), dt);
    model.gravity = (DVec3::Z * -10.0).into();
    let ball = Body { lock: [false, false, false, true, true, true], ..sphere(0.5, DVec3::Z * (0.5 - 1e-3)) };
    let mut world = world(model, vec![Body { motion: Motion::Belt(belt), ..plane(DVec3::Z, DVec3::ZERO) }, ball]);
    world.advance(10_000).unwrap();
    let body = world.body(1);
    // Spring and dashpot reach 3 N after t with k 5 t^2 + c 10 t = 3 N, t = 2.65 ms; the impulse that is missing by then, 4.1e-3 N s, is
    // made up for 1.38 ms later. From 0.03 m/s on the dashpot alone holds the ball, which saves it the last 0.03^2/6 m.
    let expected = 1.0 / 6.0 + 2.0 / 3.0 - 1.38e-3 + 1.5e-4;
    assert!((body.position.x - expected).abs() < 5e-5, "{}", body.position.x);
    assert!((body.velocity.x - 1.0).abs() < 1e-6, "{}", body.velocity.x);
}

/// A heap of balls in a box between a floor that shakes and a lid, all driven by schedules.
fn driven(dt: f64) -> Setup {
    let mut model = model(every_law(2e3)[0].1, dt);
    model.gravity =
        table(&[(0.1, DVec3::Z * -5.0), (0.5, DVec3::new(2.0, 0.0, -9.0)), (0.9, DVec3::new(-2.0, 1.0, -8.0))]);
    let belt = table(&[(0.2, DVec3::ZERO), (0.6, DVec3::X)]);
    let force = table(&[(0.0, 0.0), (0.7, 20.0)]);
    let servo = Servo { axis: DVec3::NEG_Z, force, mass: 5.0, damping: 1.0, max_speed: 1.0 };
    let velocity = table(&[(0.0, DVec3::ZERO), (0.8, DVec3::new(0.0, 0.3, 0.0))]);
    let angular_velocity = table(&[(0.1, DVec3::ZERO), (0.9, DVec3::Y * 0.5)]);
    let paddle = Prescribed { velocity, angular_velocity, ..Prescribed::default() };
    let wall = |motion, normal, at| Body { motion, ..plane(normal, at) };
    let mut bodies = vec![
        wall(Motion::Belt(belt), DVec3::Z, DVec3::ZERO),
        wall(Motion::Servo(servo), DVec3::NEG_Z, DVec3::Z * 2.2),
        wall(Motion::Prescribed(paddle), DVec3::X, DVec3::X * -1.6),
        wall(Motion::Fixed, DVec3::NEG_X, DVec3::X * 1.7),
        wall(Motion::Fixed, DVec3::Y, DVec3::Y * -1.7),
        wall(Motion::Fixed, DVec3::NEG_Y, DVec3::Y * 1.7),
    ];
    for i in 0..18 {
        let (layer, row, column) = (i / 9, i / 3 % 3, i % 3);
        let at = DVec3::new(f64::from(column) - 1.0, f64::from(row) - 1.0, f64::from(layer) + 0.5) * 0.999;
        bodies.push(sphere(0.5, at + DVec3::new(0.03, 0.02, 0.0) * f64::from(layer)));
    }
    bodies[6].force = table(&[(0.0, DVec3::ZERO), (0.5, DVec3::X * 4.0)]);
    bodies[7].torque = table(&[(0.3, DVec3::ZERO), (0.6, DVec3::Z * 0.5)]);
    Setup { model, bodies }
}

#[test]
fn the_ledger_of_what_schedules_drive_closes_to_second_order() {
    // A ball that flies while gravity turns: the work of gravity that changes is exact but for dt^2/8 of its squares (eq. 5.7).
    let flight = |dt: f64| {
        let mut model = model(gripping(0.3), dt);
        model.gravity = table(&[(0.2, DVec3::Z * -10.0), (0.7, DVec3::new(8.0, 0.0, -4.0))]);
        let mut world = world(model, vec![Body { velocity: DVec3::X, ..sphere(0.5, DVec3::new(3.0, 0.0, 5.0)) }]);
        world.advance((1.0 / dt).round() as u64).unwrap();
        let mass = 1.0;
        let expected = 0.125 * dt * dt * mass * (80.0 - 100.0);
        let error = world.ledger().error;
        assert!((error - expected).abs() < 1e-10, "{dt}: {error}, {expected}");
        assert!(world.ledger().work.abs() > 1.0);
    };
    [1e-2, 1e-3].into_iter().for_each(flight);
    let error = |dt: f64| {
        let mut world = World::new(driven(dt)).unwrap();
        world.advance((1.0 / dt).round() as u64).unwrap();
        let ledger = world.ledger();
        (ledger.error / (ledger.total_lost() + ledger.work.abs())).abs()
    };
    let errors = [error(8e-4), error(2e-4)];
    let order = orders(&errors, 4.0)[0];
    assert!(order > 1.5 && errors[1] < 1e-4, "{errors:?}, order {order}");
}

/// The power of a belt was taken with its velocity amid the step, so the ledger of one that speeds up closed to first order only.
#[test]
fn the_ledger_of_a_belt_that_speeds_up_closes_to_second_order() {
    let error = |dt: f64| {
        let belt = table(&[(0.0, DVec3::ZERO), (1.0, DVec3::X * 2.0)]);
        let mut model = model(gripping(0.1), dt);
        model.gravity = (DVec3::Z * -10.0).into();
        let ball = sphere(0.5, DVec3::Z * (0.5 - 1e-3));
        let mut world = world(model, vec![Body { motion: Motion::Belt(belt), ..plane(DVec3::Z, DVec3::ZERO) }, ball]);
        world.advance((0.8 / dt).round() as u64).unwrap();
        assert!(world.ledger().work > 0.05, "{:?}", world.ledger());
        world.ledger().error.abs()
    };
    let errors = [error(4e-4), error(1e-4)];
    let order = orders(&errors, 4.0)[0];
    assert!(order > 1.7, "{errors:?}, order {order}");
}

#[test]
fn a_restart_in_mid_ramp_and_any_number_of_threads_give_the_same_bits() {
    let setup = driven(5e-4);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(setup.clone()).unwrap();
            world.advance(1400).unwrap();
            world.save()
        })
    };
    let whole = run(1);
    assert_eq!(whole, run(3));
    for stop in [1, 777, 1399] {
        let mut first = World::new(setup.clone()).unwrap();
        (0..stop).for_each(|_| first.step().unwrap());
        let mut second = World::restore(setup.clone(), &first.save()).unwrap();
        second.advance(1400 - stop).unwrap();
        assert_eq!(second.save(), whole, "stopped after {stop} steps");
    }
}

#[test]
fn the_fast_step_agrees_with_the_slow_one() {
    let setup = driven(5e-4);
    let (mut slow, mut fast) = (SlowWorld::new(setup.clone()), World::new(setup).unwrap());
    (0..600).for_each(|_| slow.step());
    fast.advance(600).unwrap();
    for id in 0..24 {
        let (slow, fast) = (&slow.bodies[id].body, fast.body(id as u32));
        // As `bits.rs` does: rounding that a few hundred steps of contacts enlarge.
        let far = (slow.position - fast.position).length().max((slow.velocity - fast.velocity).length());
        assert!(far < 1e-9, "body {id}: {far:e}");
    }
}

#[test]
fn a_servo_presses_as_its_schedule_says() {
    let force = table(&[(0.0, 2.0), (1.0, 2.0), (3.0, 12.0)]);
    let servo = Servo { axis: DVec3::NEG_Z, force, mass: 1.0, damping: 0.0, max_speed: 1.0 };
    let lid = Body { motion: Motion::Servo(servo), ..plane(DVec3::NEG_Z, DVec3::Z * (1.0 - 4e-4)) };
    let held = sphere(0.5, DVec3::Z * (0.5 - 2e-4));
    let mut world = world(model(gripping(0.3), 5e-4), vec![plane(DVec3::Z, DVec3::ZERO), lid, held]);
    for (time, expected) in [(0.9, 2.0), (2.0, 7.0), (4.0, 12.0)] {
        world.advance((time / 5e-4_f64).round() as u64 - world.steps()).unwrap();
        // What is left of the swing after a kink, 5 N/s over 60 rad/s, falls by exp(-19 t).
        let pressed = -world.body(1).force.dot(DVec3::NEG_Z);
        assert!((pressed - expected).abs() < 1e-3, "{time}: {pressed} for {expected}");
    }
}

/// A few grains in a periodic cell, loose enough not to touch much.
fn in_cell(control: Control, dt: f64) -> World {
    let mut model = model(gripping(0.3), dt);
    model.cell = Some(Cell { frame: Frame::new(DMat3::from_diagonal(DVec3::splat(4.0))), control });
    let at = |i: u32| DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) + 0.3;
    let mut stream = Stream::named(5, "places");
    world(model, (0..64).map(|i| sphere(0.5 - 2e-3, at(i) + random_vector(&mut stream, 2e-3))).collect())
}

#[test]
fn a_cell_strains_by_the_integral_of_its_schedule() {
    let rate = |v: f64| DMat3::from_cols(DVec3::ZERO, DVec3::X * v, DVec3::ZERO);
    // 0.5 x 0.02 x 1 + 0.02 x 0.5 = 0.02 up to 1.5 s, then -0.01 for 0.5 s.
    let gradient = table(
        &[(0.0, 0.0), (1.0, 0.02), (1.5, 0.02), (1.5, -0.01), (2.0, -0.01), (2.0, 0.0)].map(|(t, v)| (t, rate(v))),
    );
    for dt in [1e-3, 7e-3] {
        let mut sheared = in_cell(Control::Strain { gradient: gradient.clone() }, dt);
        sheared.advance((2.5 / dt) as u64).unwrap();
        let cell = sheared.cell().unwrap();
        assert!((cell.strain.y_axis.x - 0.015).abs() < 1e-15 * 2500.0, "{dt}: {}", cell.strain.y_axis.x);
        assert_eq!(cell.gradient, DMat3::ZERO);
    }
    let inertia = CellInertia { damping_time: 0.1, energy: 10.0 };
    let rate = table(&[(0.0, 0.0), (1.0, -0.02)]);
    let mut pressed = in_cell(Control::MeanStress { pressure: 1.0.into(), axis: 2, rate, inertia }, 1e-3);
    pressed.advance(1500).unwrap();
    let cell = pressed.cell().unwrap();
    assert!((cell.strain.z_axis.z + 0.02).abs() < 1e-12 && cell.gradient.z_axis.z == -0.02, "{cell:?}");
}

#[test]
fn a_cell_follows_a_schedule_of_pressure() {
    let inertia = CellInertia { damping_time: 0.02, energy: 1e3 };
    let target = table(&[(2.0, 10.0), (3.0, 30.0)].map(|(t, p)| (t, DMat3::IDENTITY * p)));
    let mut pressed = in_cell(Control::Pressure { target, inertia, triclinic: false }, 1e-3);
    for (time, expected) in [(2.0, 10.0), (6.0, 30.0)] {
        pressed.advance((time / 1e-3_f64) as u64 - pressed.steps()).unwrap();
        let pressure = pressed.pressure().unwrap();
        let mean = (pressure.x_axis.x + pressure.y_axis.y + pressure.z_axis.z) / 3.0;
        // Dashpots bring the swing to rest within a second.
        assert!((mean / expected - 1.0).abs() < 0.01, "{time}: {mean}");
        assert!(pressed.pressure_error().unwrap() < 0.01);
    }
}

#[test]
fn the_ledger_of_a_cell_on_a_schedule_closes_to_second_order() {
    let shear = DMat3::from_cols(DVec3::new(-0.01, 0.0, 0.0), DVec3::X * 0.1, DVec3::ZERO);
    let error = |dt: f64| {
        let gradient = table(&[(0.1, DMat3::ZERO), (0.6, shear), (0.9, shear)]);
        let mut sheared = in_cell(Control::Strain { gradient }, dt);
        sheared.advance((1.0 / dt).round() as u64).unwrap();
        let ledger = sheared.ledger();
        (ledger.error / ledger.work).abs()
    };
    let errors = [error(2e-3), error(5e-4)];
    let order = orders(&errors, 4.0)[0];
    assert!(order > 1.5 && errors[1] < 1e-2, "{errors:?}, order {order}");
}

#[test]
fn a_stream_lets_bodies_in_as_its_rate_says() {
    let rate = table(&[(0.0, 0.0), (1.0, 100.0), (1.0, 0.0), (2.0, 0.0), (2.0, 200.0)]);
    let filled = |rate: Rate| {
        let (mould, from) = (Mould::of_spheres(Sizes::One(1e-3)), DVec3::ZERO);
        let mut model = model(gripping(0.3), 1e-3);
        model.inflows = vec![Inflow::new(mould, rate, 1000, Entrance::Box { from, to: DVec3::ONE })];
        World::new(Setup { model, bodies: vec![] }).unwrap()
    };
    // 50 t^2 up to 1 s, a pause, then 200 a second; body n enters when the integral has come to n.
    let mut by_number = filled(Rate::Number(rate.clone()));
    for (step, entered) in [(500, 13), (1000, 50), (1999, 50), (2100, 70)] {
        by_number.advance(step - by_number.steps()).unwrap();
        assert_eq!(by_number.body_count(), entered, "after {step} steps");
    }
    // The same in mass, which is a whole number of bodies at no step that is looked at.
    let mass = by_number.arrival(0).unwrap().mass;
    let Signal::Schedule(numbers) = &rate else { panic!("a schedule") };
    let masses = numbers.values().iter().map(|value| value * mass).collect();
    let mut by_mass = filled(Rate::Mass(Schedule::new(numbers.times().to_vec(), masses).unwrap().into()));
    for (step, entered) in [(500, 13), (995, 50), (2102, 71)] {
        by_mass.advance(step - by_mass.steps()).unwrap();
        assert_eq!(by_mass.body_count(), entered, "after {step} steps");
    }
}

#[test]
fn what_no_motion_can_follow_is_an_error() {
    let error = |body: Body| {
        World::new(Setup { model: Model::clone(&model(gripping(0.3), 1e-3)), bodies: vec![body] }).unwrap_err()
    };
    let turning = |points: &[(f64, DVec3)]| {
        let angular_velocity = table(points);
        Motion::Prescribed(Prescribed { angular_velocity, ..Prescribed::default() })
    };
    let wobbling = error(ball_of(turning(&[(0.0, DVec3::X), (1.0, DVec3::Y)]), DVec3::ZERO)).to_string();
    assert!(wobbling.contains("keeps the axis"), "{wobbling}");
    let reversing = ball_of(turning(&[(0.0, DVec3::X), (1.0, DVec3::ZERO), (2.0, DVec3::X * -3.0)]), DVec3::ZERO);
    assert!(World::new(Setup { model: model(gripping(0.3), 1e-3), bodies: vec![reversing] }).is_ok());
    let belt = Motion::Belt(table(&[(0.0, DVec3::ZERO), (1.0, DVec3::Z)]));
    assert!(error(Body { motion: belt, ..plane(DVec3::Z, DVec3::ZERO) }).to_string().contains("belt"));
}

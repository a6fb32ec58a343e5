//! Rigid contacts in large steps: closed forms of THEORY.md section 8.5, rest, energy, restart, threads, what is not implemented.

use glam::DVec3;
use stickslip::body::Prescribed;
use stickslip::contact::Mode;
use stickslip::error::BuildError;
use stickslip::inflow::{Entrance, Inflow, Outflow, Rate};
use stickslip::law::{Limit, Limits, Rigid, RigidLaws};
use stickslip::ledger::Loss;
use stickslip::model::Nonsmooth;
use stickslip::mould::Mould;
use stickslip::random::Stream;
use stickslip::sizes::Sizes;
use stickslip::world::{Setup, World};
use stickslip::{Body, Material, Model, Motion, Shape};

use crate::common::{self, UNIT_DENSITY, plane, run, sphere, world};

const GRAVITY: f64 = 9.8;

fn slides(mu: f64) -> RigidLaws {
    RigidLaws { limits: Limits { slide: Some(Limit::mu(mu)), ..Limits::default() }, ..RigidLaws::default() }
}

/// One rigid material under gravity, solved to this residual.
fn model(laws: RigidLaws, dt: f64, tolerance: f64) -> Model {
    let mut model = Model::new(vec![Material { name: "grain".into(), density: UNIT_DENSITY }], dt);
    model.gravity = (DVec3::Z * -GRAVITY).into();
    model.laws.set(0, 0, laws);
    model.method = Nonsmooth { tolerance: Some(tolerance), ..Nonsmooth::default() }.into();
    model
}

fn floor() -> Body {
    plane(DVec3::Z, DVec3::ZERO)
}

fn on_floor(velocity: DVec3) -> Body {
    Body { velocity, ..sphere(0.5, DVec3::Z * 0.5) }
}

// ---- closed forms ----

#[test]
fn a_ball_that_cannot_turn_slides_to_rest() {
    let (mu, dt, speed) = (0.3, 0.01, 1.0);
    let ball = Body { lock: [false, false, false, true, true, true], ..on_floor(DVec3::X * speed) };
    let mut world = world(model(slides(mu), dt, 1e-13), vec![ball, floor()]);
    // Whole steps of the deceleration mu g, then one that takes what is left: 34 and 0.0004 of a step.
    let (brake, mut expected, mut way) = (mu * GRAVITY * dt, speed, 0.0);
    for step in 1..=40 {
        world.step().unwrap();
        expected = f64::max(expected - brake, 0.0);
        way += expected * dt;
        let ball = world.body(0);
        assert!((ball.velocity.x - expected).abs() < 1e-12, "step {step}: {}", ball.velocity.x - expected);
        assert!((ball.position.x - way).abs() < 1e-12 && (ball.position.z - 0.5).abs() < 1e-13);
        assert_eq!(ball.angular_velocity, DVec3::ZERO);
    }
    assert_eq!(expected, 0.0);
    let report = world.solver().expect("it solves");
    assert!(report.certificate.solved && report.unsolved == 0 && report.penetration < 1e-13);
    // Friction has taken what it had.
    let ledger = world.ledger();
    assert!((ledger.lost[Loss::Slide] - 0.5).abs() < 1e-12 && ledger.error.abs() < 1e-12, "{ledger:?}");
}

#[test]
fn a_ball_that_slides_begins_to_roll_with_five_sevenths() {
    let (mu, dt) = (0.2, 0.005);
    let mut world = world(model(slides(mu), dt, 1e-13), vec![on_floor(DVec3::new(0.6, 0.8, 0.0)), floor()]);
    let rolls = 2.0 / (7.0 * mu * GRAVITY);
    let steps = (rolls / dt).ceil() as u64;
    world.advance(steps - 1).unwrap();
    let (v, slower) = (world.body(0).velocity, 1.0 - mu * GRAVITY * dt * (steps - 1) as f64);
    assert!((v - DVec3::new(0.6, 0.8, 0.0) * slower).length() < 1e-12);
    world.advance(50).unwrap();
    let ball = world.body(0);
    assert!((ball.velocity - DVec3::new(0.6, 0.8, 0.0) * (5.0 / 7.0)).length() < 1e-12);
    assert!((ball.velocity + ball.angular_velocity.cross(DVec3::Z * -0.5)).length() < 1e-12, "it rolls");
    // 2/7 of its energy is gone.
    assert!((world.ledger().lost[Loss::Slide] - 0.5 * 2.0 / 7.0).abs() < 1e-12);
}

#[test]
fn a_ball_rolls_off_an_incline() {
    let dt = 0.01;
    for (slope, mu) in [(0.2_f64, 0.3), (0.5, 0.9)] {
        let (sin, cos) = (slope / (1.0 + slope * slope).sqrt(), 1.0 / (1.0 + slope * slope).sqrt());
        let mut model = model(slides(mu), dt, 1e-13);
        model.gravity = (DVec3::new(sin, 0.0, -cos) * GRAVITY).into();
        let mut world = world(model, vec![on_floor(DVec3::ZERO), floor()]);
        run(&mut world, 100);
        let expected = 5.0 / 7.0 * GRAVITY * sin;
        // Rounding of 100 steps beside the residual.
        assert!((world.body(0).velocity.x - expected).abs() < 1e-11, "{}", world.body(0).velocity.x - expected);
        let load = world.body(0).force;
        assert!((load - DVec3::new(-2.0 / 7.0 * sin, 0.0, cos) * GRAVITY).length() < 1e-10, "{load}");
        assert!((world.body(1).force + load).length() < 1e-14 * GRAVITY);
        // Too steep to roll: it slides with g (sin - mu cos).
        assert!(slope < 3.5 * mu);
    }
}

#[test]
fn a_falling_ball_closes_its_gap_and_no_more_or_rebounds() {
    for (restitution, dt) in [(0.0, 0.01), (0.6, 0.01)] {
        let laws = RigidLaws { normal: Rigid { restitution, ..Rigid::default() }, ..slides(0.5) };
        let ball = Body { velocity: DVec3::Z * -2.0, ..sphere(0.5, DVec3::Z * 0.515) };
        let mut world = world(model(laws, dt, 1e-14), vec![ball, floor()]);
        world.step().unwrap();
        let speed = world.body(0).velocity.z;
        // Without rebound it moves by the gap of 15 mm; else it parts with 0.6 of its speed at the start of the step.
        let expected = if restitution == 0.0 { -1.5 } else { 1.2 };
        assert!((speed - expected).abs() < 1e-13, "{speed}");
        if restitution == 0.0 {
            run(&mut world, 2);
            assert!(world.body(0).velocity.length() < 1e-13 && (world.body(0).position.z - 0.5).abs() < 1e-14);
        }
        let ledger = world.ledger();
        assert!(ledger.lost[Loss::Normal] > 0.0);
    }
}

/// A ball that was hit passed into the next one: how far it may move was taken from its own speed alone.
#[test]
fn a_ball_that_is_hit_does_not_enter_the_next() {
    let mut model = model(slides(0.5), 0.01, 1e-12);
    model.gravity = DVec3::ZERO.into();
    let ball = |x: f64| sphere(0.5, DVec3::X * x);
    // The first moves 0.4 m in the step, half as much with the second; the gap to the third is wider than any skin.
    let fast = Body { velocity: DVec3::X * 40.0, ..ball(0.0) };
    let mut world = world(model, vec![fast, ball(1.001), ball(2.04)]);
    world.step().unwrap();
    let at = |id: u32| world.body(id).position.x;
    assert!(at(1) - at(0) > 1.0 - 1e-12 && at(2) - at(1) > 1.0 - 1e-12, "{} {} {}", at(0), at(1), at(2));
    assert!(at(2) > 2.1, "it is pushed");
}

/// A plate that rises steadily carries a ball along, and its work lifts it; a plate that moves sideways drags it.
#[test]
fn driven_walls_count_with_their_mean_velocity() {
    let velocity = DVec3::new(0.3, 0.0, 0.2);
    let motion = Prescribed { velocity: velocity.into(), ..Prescribed::default() };
    let plate = Body { motion: Motion::Prescribed(motion), ..floor() };
    let ball =
        Body { velocity: DVec3::Z * 0.2, lock: [false, false, false, true, true, true], ..on_floor(DVec3::ZERO) };
    let mut world = world(model(slides(0.5), 0.01, 1e-13), vec![ball, plate]);
    run(&mut world, 100);
    let ball = world.body(0);
    assert!((ball.velocity - velocity).length() < 1e-12, "{}", ball.velocity);
    assert!((ball.position.z - 0.7).abs() < 1e-13, "it rests on the plate");
    let ledger = world.ledger();
    // The plate lifts 1 kg by 0.2 m; it drags it to 0.3 m/s, and as much as it gains is lost to sliding.
    assert!((ledger.work - (GRAVITY * 0.2 + 0.09)).abs() < 1e-10, "{}", ledger.work);
    assert!((ledger.lost[Loss::Slide] - 0.045).abs() < 1e-10 && ledger.error.abs() < 1e-10, "{ledger:?}");
}

#[test]
fn a_belt_takes_a_ball_to_two_sevenths_of_its_speed() {
    // From rest: it slips until its surface moves with the belt; angular momentum about the point of contact stays zero.
    let belt = Body { motion: Motion::Belt((DVec3::X * 0.7).into()), ..floor() };
    let mut world = world(model(slides(0.4), 0.01, 1e-13), vec![on_floor(DVec3::ZERO), belt]);
    run(&mut world, 100);
    assert!((world.body(0).velocity - DVec3::X * 0.2).length() < 1e-12, "{}", world.body(0).velocity);
    let ledger = world.ledger();
    assert!((ledger.work - 0.2 * 0.7).abs() < 1e-12 && ledger.error.abs() < 1e-12, "{ledger:?}");
}

// ---- many ----

/// Ten balls of two sizes that fall into a box without a lid.
fn ten() -> Setup {
    let mut stream = Stream::named(10, "nonsmooth");
    let mut bodies = vec![floor()];
    let walls = [(DVec3::X, -1.6), (DVec3::NEG_X, 1.6), (DVec3::Y, -1.6), (DVec3::NEG_Y, 1.6)];
    bodies.extend(walls.map(|(normal, at)| plane(normal, normal.abs() * at)));
    bodies.extend((0..10).map(|i| {
        let place = DVec3::new(stream.between(-1.0, 1.0), stream.between(-1.0, 1.0), 0.7 + 1.1 * f64::from(i));
        Body { velocity: DVec3::Z * -1.0, ..sphere(if i % 2 == 0 { 0.5 } else { 0.4 }, place) }
    }));
    // A fiftieth of the default: 2e-4 g h.
    Setup { model: model(slides(0.5), 0.01, 2e-4 * GRAVITY * 0.01), bodies }
}

/// Numbers that tell two states apart, to the bit.
fn bits(world: &World) -> Vec<u64> {
    let vectors = world.ids().flat_map(|id| {
        let body = world.body(id);
        let q = body.orientation;
        let turned = [q.w, q.x, q.y, q.z];
        let all = [body.position, body.velocity, body.angular_velocity, body.force, body.torque];
        all.into_iter().flat_map(|v| v.to_array()).chain(turned)
    });
    let ledger = world.ledger();
    let energies = [ledger.kinetic, ledger.potential, ledger.work, ledger.error, ledger.total_lost()];
    let report = world.solver().map(|report| [report.certificate.residual, report.unsolved as f64]);
    vectors.chain(energies).chain(report.into_iter().flatten()).map(f64::to_bits).collect()
}

#[test]
fn ten_balls_come_to_rest_in_a_box() {
    let mut world = World::new(ten()).unwrap();
    run(&mut world, 1500);
    let (energy, count) = world.translational_energy();
    assert_eq!(count, 10);
    // Balls that touch only the floor may roll on for ever; with friction at their neighbours and walls these do not.
    assert!(energy < 1e-6, "{energy}");
    let report = world.solver().unwrap();
    // Nothing says that the exact law converges in every impact of several; at this tolerance it does in 99 of 100 steps.
    assert!(report.certificate.solved && report.unsolved < 15 && report.penetration < 1e-5, "{report:?}");
    let carried: DVec3 = (0..5).map(|id| world.body(id).force).sum();
    let mass: f64 = (0..10).map(|i| if i % 2 == 0 { 1.0 } else { 0.512 }).sum();
    // The walls bear the weight, and no more sideways than the tolerance lets bodies accelerate.
    assert!((carried + DVec3::Z * (mass * GRAVITY)).length() < 1e-2, "{carried}");
    assert!(world.unbalanced_force() < 1e-3);
    // The error is that of the fall: m g^2 h t/2 at most, and less once all rest.
    let ledger = world.ledger();
    assert!(ledger.error.abs() < 0.02 * ledger.total_lost(), "{ledger:?}");
    assert!(ledger.lost.iter().all(|(_, energy)| energy >= -1e-9));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let end = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(many()).unwrap();
            world.advance(20).unwrap();
            (bits(&world), world.candidate_count())
        })
    };
    let one = end(1);
    // Threads share a colour from 512 rows on; there are hardly more than six colours.
    assert!(one.1 > 7 * 512, "{}", one.1);
    assert_eq!([end(2), end(3)], [one.clone(), one]);
}

/// Enough balls on each other that threads share the work: a leaning stack that falls.
fn many() -> Setup {
    let mut bodies = vec![floor()];
    for i in 0..14_u32.pow(3) {
        let at = DVec3::new(f64::from(i % 14), f64::from(i / 14 % 14), f64::from(i / 196) + 0.5 + 1e-3);
        let shift = DVec3::new(0.02, 0.01, 0.0) * f64::from(i / 196);
        bodies.push(Body { velocity: DVec3::Z * -0.5, ..sphere(0.5, at + shift) });
    }
    let mut model = model(slides(0.5), 0.01, 1e-4);
    model.method = Nonsmooth { iterations: Some(30), ..Nonsmooth::default() }.into();
    Setup { model, bodies }
}

#[test]
fn a_restored_world_goes_on_to_the_bit() {
    for cut in [1, 37, 64, 130] {
        let mut whole = World::new(ten()).unwrap();
        whole.advance(cut).unwrap();
        let saved = whole.save();
        let mut again = World::restore(ten(), &saved).unwrap();
        assert_eq!(bits(&again), bits(&whole), "{cut}");
        whole.advance(150).unwrap();
        again.advance(150).unwrap();
        assert_eq!(bits(&again), bits(&whole), "{cut}");
        assert_eq!(whole.remembered(), again.remembered());
    }
}

#[test]
fn a_saved_state_that_is_broken_is_refused() {
    let mut world = World::new(ten()).unwrap();
    world.advance(100).unwrap();
    let saved = world.save();
    let refused = |change: &dyn Fn(&mut stickslip::world::Saved)| {
        let mut saved = saved.clone();
        change(&mut saved);
        World::restore(ten(), &saved).unwrap_err().to_string()
    };
    assert!(saved.contacts.len() > 1 && saved.entries.len() > 5);
    assert!(refused(&|saved| saved.entries.clear()).contains("lacks the entry `iterations`"));
    assert!(refused(&|saved| saved.contacts.numbers[1] = f64::NAN).contains("the contact of bodies"));
    assert!(refused(&|saved| saved.contacts.keys.swap(0, 1)).contains("not in order"));
    assert!(refused(&|saved| saved.contacts.keys[0].b = 77).contains("the contact of bodies"));
}

#[test]
fn rows_are_those_of_the_step_that_kept_them() {
    let mut world = World::new(ten()).unwrap();
    assert!(world.rows().is_empty(), "nothing was solved yet");
    world.advance(300).unwrap();
    world.keep_rows(true);
    world.step().unwrap();
    let rows = world.rows();
    assert_eq!(rows.len(), world.contact_count());
    assert!(rows.len() >= 10);
    let dt = world.model().dt;
    let mut loads = vec![DVec3::ZERO; world.body_count()];
    for row in &rows {
        assert!(row.a < row.b && row.normal_force > 0.0 && row.overlap >= 0.0);
        assert!(row.slide.length() <= 0.5 * row.normal_force * (1.0 + 1e-12));
        assert_eq!((row.mode[1], row.mode[2]), (Mode::None, Mode::None));
        let force = row.normal * row.normal_force + row.slide;
        loads[row.a as usize] += force;
        loads[row.b as usize] -= force;
    }
    for (id, load) in (0..).zip(loads) {
        assert!((world.body(id).force - load).length() < 1e-10, "{id}");
    }
    // Nothing moves by more than its velocity, so what is evaluated now is nearly what was.
    let now = world.contacts_now();
    assert!(!now.is_empty() && dt > 0.0);
    world.step().unwrap();
    assert!(world.rows().is_empty(), "nobody asked");
}

#[test]
fn momentum_changes_only_by_what_is_given() {
    // Balls in free space that fly at each other: every impulse has its opposite.
    let mut model = model(slides(0.4), 0.01, 1e-9);
    model.gravity = DVec3::ZERO.into();
    let mut stream = Stream::named(3, "nonsmooth");
    let bodies: Vec<Body> = (0..60)
        .map(|i| {
            let at = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * 1.05;
            let mut one = || stream.between(-1.0, 1.0);
            let spin = DVec3::new(one(), one(), one());
            let velocity = DVec3::new(one(), one(), one()) - (at - DVec3::splat(1.5)) * 0.7;
            Body { velocity, angular_velocity: spin, ..sphere(0.5, at) }
        })
        .collect();
    let mut world = common::world(model, bodies);
    let momenta = |world: &World| {
        let bodies = world.ids().map(|id| world.body(id));
        bodies.fold((DVec3::ZERO, DVec3::ZERO), |sum, body| {
            let turning = body.position.cross(body.velocity) + body.angular_velocity * (0.4 * 0.25);
            (sum.0 + body.velocity, sum.1 + turning)
        })
    };
    let before = momenta(&world);
    run(&mut world, 200);
    let after = momenta(&world);
    assert!(world.ledger().total_lost() > 1.0, "they have met");
    // Rounding of 200 steps of numbers of some ten; no residual enters.
    assert!((after.0 - before.0).length() < 1e-12 && (after.1 - before.1).length() < 1e-11);
}

#[test]
fn bodies_come_and_go() {
    let mut model = model(slides(0.5), 0.01, 1e-6);
    let entrance = Entrance::Box { from: DVec3::new(-1.0, -1.0, 3.0), to: DVec3::new(1.0, 1.0, 4.0) };
    let mould = Mould::of_spheres(Sizes::Between(0.3, 0.4));
    let mut inflow = Inflow::new(mould, Rate::Number(20.0.into()), 30, entrance);
    inflow.body.velocity = DVec3::Z * -2.0;
    model.inflows = vec![inflow];
    model.outflow = Some(Outflow { from: DVec3::splat(-3.0), to: DVec3::splat(6.0) });
    // A ramp: they roll off it and leave.
    let ramp = plane(DVec3::new(0.3, 0.0, 1.0), DVec3::ZERO);
    let setup = || Setup { model: model.clone(), bodies: vec![ramp.clone()] };
    let mut world = World::new(setup()).unwrap();
    world.advance(120).unwrap();
    let saved = world.save();
    world.advance(380).unwrap();
    let traffic = &world.state().traffic;
    assert_eq!((traffic.entered(), traffic.left > 5), (30, true), "{}", traffic.left);
    let ledger = world.ledger();
    let scale = ledger.carried.brought().abs() + ledger.total_lost();
    assert!(ledger.error.abs() < 0.02 * scale, "{ledger:?}");
    let mut again = World::restore(setup(), &saved).unwrap();
    again.advance(380).unwrap();
    assert_eq!(bits(&again), bits(&world));
}

// ---- what it does not do ----

#[test]
fn what_is_not_implemented_says_so() {
    let error = |model: Model, bodies: Vec<Body>| World::new(Setup { model, bodies }).unwrap_err();
    let mut in_cell = model(slides(0.5), 0.01, 1e-9);
    let frame = stickslip::cell::Frame::new(glam::DMat3::from_diagonal(DVec3::splat(9.0)));
    in_cell.cell = Some(stickslip::cell::Cell { frame, control: Default::default() });
    let found = error(in_cell, vec![on_floor(DVec3::ZERO)]);
    assert!(found.to_string().contains("does not implement cells yet"), "{found}");
    let free = Body { mass: Some(1.0), inertia_body: Some(DVec3::ONE), motion: Motion::Free, ..floor() };
    let free = Body { shape: Shape::Plane { normal: DVec3::Z }, ..free };
    assert!(matches!(error(model(slides(0.5), 0.01, 1e-9), vec![free]), BuildError::CarriedWall { body: 0, .. }));
    // Laws of another method.
    let soft = common::model(common::santos(Default::default(), 0.1, 0.1), 0.01);
    let mut soft = Model { method: Nonsmooth::default().into(), ..soft };
    assert!(matches!(error(soft.clone(), vec![floor()]), BuildError::UnfitLaws { .. }));
    soft.method = Default::default();
    soft.laws.set(0, 0, slides(0.5));
    assert!(matches!(error(soft, vec![floor()]), BuildError::UnfitLaws { .. }));
}

#[test]
fn the_step_follows_from_the_fall_of_the_smallest_body() {
    let advise = |model: &Model, bodies: &[Body]| stickslip::world::advise_step(model, bodies.iter().map(|b| (b, 1)));
    let mut model = model(slides(0.5), 0.01, 1e-9);
    let bodies = [floor(), on_floor(DVec3::X * 4.0), sphere(0.2, DVec3::Z * 3.0)];
    let advice = advise(&model, &bodies).unwrap();
    assert!((advice.step - 0.07 * (2.0 * 0.2 / GRAVITY).sqrt()).abs() < 1e-16 && advice.automatic);
    assert!(advice.critical.is_infinite() && advice.limit.is_none());
    assert!(advise(&model, &bodies[..1]).is_none() && advise(&model, &bodies[1..2]).is_none());
    model.gravity = DVec3::ZERO.into();
    let proposal = advise(&model, &bodies).unwrap();
    assert!(!proposal.automatic && (proposal.step - 0.1 * 0.2 / 4.0).abs() < 1e-16);
}

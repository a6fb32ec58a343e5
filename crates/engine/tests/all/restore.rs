//! A world that was saved and restored goes on with the bits of one that was not; a stage starts from them; a saved state
//! that does not fit is refused.

use crate::common;
use crate::common::elastic::elastic_laws;
use crate::common::{every_law, other_tracked, plane, run, world};
use glam::DVec3;
use stickslip::body::{Oscillation, Prescribed, Servo};
use stickslip::inflow::{Entrance, Inflow, Outflow, Rate};
use stickslip::law::{PairMemory, SpringLaws};
use stickslip::model::Integrator;
use stickslip::mould::Mould;
use stickslip::place;
use stickslip::random::Stream;
use stickslip::sizes::Sizes;
use stickslip::world::{Remembered, RestoreError, Saved, Setup, World};
use stickslip::{Body, Material, Model, Motion, Shape, Sides};

/// Several chunks of grains of two sizes that fall into a bin: a floor that shakes, walls of which one turns, a held grain
/// among them and one that is pushed.
fn setup(laws: SpringLaws) -> Setup {
    let materials = ["floor", "grain"].map(|name| Material { name: name.into(), density: 1.9 });
    let mut model = Model::new(materials.to_vec(), 3e-4);
    model.gravity = DVec3::new(0.3, 0.0, -1.0).into();
    model.laws.set(0, 1, laws);
    model.laws.set(1, 1, laws);
    let mut stream = Stream::named(4, "restore");
    let radii: Vec<f64> = (0..700).map(|i| if i % 5 == 0 { 0.5 } else { stream.between(0.2, 0.25) }).collect();
    let box_ = [DVec3::new(-2.5, -2.5, 0.6), DVec3::new(2.5, 2.5, 9.0)];
    let centres = place::random(box_[0], box_[1], &radii, &mut stream).unwrap();
    let mut floor = plane(DVec3::Z, DVec3::ZERO);
    let shake = Oscillation { axis: DVec3::X, amplitude: 0.1, frequency: 0.5, phase: 0.3 };
    floor.motion = Motion::Prescribed(Prescribed { oscillate: Some(shake), ..Prescribed::default() });
    let mut lid = plane(DVec3::X, DVec3::new(-3.0, 0.0, 0.0));
    let turn = Prescribed { angular_velocity: DVec3::new(0.0, 0.02, 0.0).into(), ..Prescribed::default() };
    lid.motion = Motion::Prescribed(turn);
    let sides = [(DVec3::NEG_X, DVec3::X * 3.0), (DVec3::Y, DVec3::Y * -3.0), (DVec3::NEG_Y, DVec3::Y * 3.0)];
    let mut bodies = vec![floor, lid];
    bodies.extend(sides.map(|(normal, at)| plane(normal, at)));
    for (&radius, &centre) in radii.iter().zip(&centres) {
        let mut grain = Body::new(Shape::Sphere { radius }, 1, centre);
        // Equal masses: one critical step for all sizes.
        grain.mass = Some(1.0);
        grain.velocity = DVec3::new(0.0, 0.0, -4.0);
        bodies.push(grain);
    }
    bodies[20].motion = Motion::Held;
    bodies[20].velocity = DVec3::ZERO;
    bodies[21].force = DVec3::new(0.0, 0.1, 0.0).into();
    bodies[22].inertia_body = Some(DVec3::new(0.05, 0.05, 0.08));
    Setup { model, bodies }
}

fn damped() -> SpringLaws {
    let (_, laws) = every_law(2e4).into_iter().find(|(name, _)| name.contains("spring")).unwrap_or_else(|| {
        panic!("no spring-slider among {:?}", every_law(1.0).iter().map(|law| law.0).collect::<Vec<_>>())
    });
    laws
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Equal to the bit; `==` alone would let a minus zero pass.
fn same(a: &World, b: &World) {
    assert!(a.state().bodies == b.state().bodies, "bodies");
    // Not the contacts of the state: lanes beyond the places may hold anything.
    let [one, other] = [a, b].map(|world| format!("{:?}", world.save()));
    assert!(one == other, "what is saved");
    assert_eq!(format!("{:?}", a.ledger()), format!("{:?}", b.ledger()));
    assert_eq!(a.unbalanced_force().to_bits(), b.unbalanced_force().to_bits());
}

#[test]
fn a_restored_world_goes_on_with_the_same_bits() {
    let setup = setup(damped());
    for (threads, integrator) in
        [(1, Integrator::VelocityVerlet), (2, Integrator::VelocityVerlet), (3, Integrator::SymplecticEuler)]
    {
        let mut setup = setup.clone();
        setup.model.method = stickslip::model::Explicit::default().with_integrator(integrator).into();
        on_threads(threads, || {
            let mut whole = World::new(setup.clone()).unwrap();
            whole.advance(1500).unwrap();
            assert!(whole.contact_count() > 100 && whole.rebuilds() > 3, "{}", whole.contact_count());
            let saved = whole.save();
            assert!(saved.contacts.live.contains(&false), "some pairs have parted");
            let mut restored = World::restore(setup.clone(), &saved).unwrap();
            same(&whole, &restored);
            // Long enough for lists to be made anew.
            let before = whole.rebuilds();
            for steps in [1, 99, 300] {
                whole.advance(steps).unwrap();
                restored.advance(steps).unwrap();
                same(&whole, &restored);
            }
            assert!(whole.rebuilds() > before);
        });
    }
}

#[test]
fn memory_of_every_law_comes_back() {
    for (name, laws) in every_law(2e4).into_iter().chain(other_tracked(2e4)).chain(elastic_laws(2e4)) {
        let setup = setup(laws);
        let mut whole = World::new(setup.clone()).unwrap();
        whole.advance(900).unwrap();
        let mut restored = World::restore(setup, &whole.save()).unwrap();
        whole.advance(20).unwrap();
        restored.advance(20).unwrap();
        assert!(whole.contact_count() > 50, "{name}");
        same(&whole, &restored);
    }
}

/// Walls at rest, so that a new clock changes nothing.
fn at_rest(laws: SpringLaws) -> Setup {
    let mut setup = setup(laws);
    setup.bodies[..5].iter_mut().for_each(|wall| wall.motion = Motion::Fixed);
    setup
}

#[test]
fn a_restarted_world_goes_on_with_the_same_bits_and_a_new_ledger() {
    let setup = at_rest(damped());
    let mut whole = World::new(setup.clone()).unwrap();
    whole.advance(600).unwrap();
    let mut stage = World::restart(setup, &whole.save()).unwrap();
    assert_eq!((stage.steps(), stage.ledger().error.abs() < 1e-9, stage.ledger().total_lost()), (0, true, 0.0));
    whole.advance(300).unwrap();
    stage.advance(300).unwrap();
    assert!(whole.state().bodies == stage.state().bodies);
    let (one, other) = (whole.save(), stage.save());
    assert!(one.contacts == other.contacts);
    // What was lost since, by both ledgers.
    let (ledger, turned_over) = (stage.ledger(), stage.ledger().kinetic + stage.ledger().total_lost().abs());
    assert!(ledger.error.abs() < 0.01 * turned_over, "{ledger:?}");
}

/// The floor begins to shake: against a world that takes bodies and memory over and evaluates its loads anew. The two
/// differ in the loads of the first half kick only: those of dashpots c = 141/s at half-step instead of full-step
/// velocities, which are a dt/2 apart. That leaves velocities c a dt^2/4 apart, and positions c a dt^2/4 10 dt after ten
/// steps; accelerations in collisions are 2e4 N/m times 0.1 m at the most.
#[test]
fn a_floor_that_starts_to_shake_takes_its_grains_along() {
    let still = at_rest(damped());
    let mut settled = World::new(still.clone()).unwrap();
    settled.advance(900).unwrap();
    let mut shaken = still.clone();
    let shake = Oscillation { axis: DVec3::X, amplitude: 0.05, frequency: 1.0, phase: 0.0 };
    shaken.bodies[0].motion = Motion::Prescribed(Prescribed { oscillate: Some(shake), ..Prescribed::default() });
    let mut stage = World::restart(shaken.clone(), &settled.save()).unwrap();
    for (id, body) in shaken.bodies.iter_mut().enumerate() {
        let now = settled.body(id as u32);
        (body.position, body.orientation) = (now.position, now.orientation);
        (body.velocity, body.angular_velocity) = (now.velocity, now.angular_velocity);
    }
    let mut anew = World::with_memory(shaken, &settled.remembered()).unwrap();
    assert_eq!(stage.body(0).velocity, anew.body(0).velocity);
    run(&mut stage, 10);
    run(&mut anew, 10);
    for id in 0..stage.body_count() as u32 {
        let apart = stage.body(id).position.distance(anew.body(id).position);
        assert!(apart < 141.0 * 2000.0 * 0.25 * 10.0 * 3e-4 * 3e-4 * 3e-4, "body {id}: {apart}");
    }
    assert!(stage.body(0).position.x > 0.0);
}

#[test]
fn memory_of_a_pair_taken_the_other_way_round_is_swapped() {
    for (name, laws) in every_law(2000.0).into_iter().chain(other_tracked(2000.0)).chain(elastic_laws(2000.0)) {
        let mut model = common::model(laws, 2e-3);
        model.gravity = DVec3::new(0.0, 0.0, -1.0).into();
        let mut ball = common::sphere(0.5, DVec3::new(0.0, 0.0, 0.499));
        ball.velocity = DVec3::new(0.05, 0.02, 0.0);
        ball.angular_velocity = DVec3::new(0.1, -0.3, 0.4);
        let floor = plane(DVec3::Z, DVec3::ZERO);
        let mut first = world(model.clone(), vec![floor.clone(), ball.clone()]);
        let mut second = world(model, vec![ball, floor]);
        first.advance(40).unwrap();
        second.advance(40).unwrap();
        let [one, other] = [&first, &second].map(|world| PairMemory::from(world.remembered().numbers_of(0)));
        let one = one.swapped(&laws);
        assert_eq!((one.bits(), one.numbers().len()), (other.bits(), other.numbers().len()), "{name}");
        for (a, b) in one.numbers().iter().zip(other.numbers()) {
            // The same sums, some in another order: to rounding of numbers of order 0.1 over 40 steps, or of a stiffness.
            assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{name}: {one:?}, not {other:?}");
        }
    }
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let setup = at_rest(damped());
    let mut whole = World::new(setup.clone()).unwrap();
    whole.advance(500).unwrap();
    let saved = whole.save();
    let refused = |change: &dyn Fn(&mut Saved)| {
        let mut saved = saved.clone();
        change(&mut saved);
        World::restore(setup.clone(), &saved).unwrap_err()
    };
    let differs = |error: RestoreError| assert!(matches!(error, RestoreError::Differs(_)), "{error}");
    let broken = |error: RestoreError| assert!(matches!(error, RestoreError::Broken(_)), "{error}");
    differs(refused(&|s| s.dt *= 2.0));
    differs(refused(&|s| s.bodies.truncate(100)));
    differs(refused(&|s| s.bodies.row_mut("bodies.inverse_mass", 3)[0] *= 2.0));
    broken(refused(&|s| s.bodies.row_mut("bodies.id", 3)[0] = f64::from(saved.bodies.id(4))));
    broken(refused(&|s| s.bodies.row_mut("bodies.id", 3)[0] = f64::from(u32::MAX)));
    broken(refused(&|s| s.bodies.row_mut("bodies.position", 3)[0] = f64::NAN));
    broken(refused(&|s| s.chunk = 0));
    let set = |s: &mut Saved, name: &str, number: f64| {
        s.entries.iter_mut().filter(|entry| entry.0 == name).for_each(|entry| entry.1 = number);
    };
    broken(refused(&|s| set(s, "smallest", 0.0)));
    broken(refused(&|s| set(s, "skin", f64::INFINITY)));
    broken(refused(&|s| s.entries.retain(|entry| entry.0 != "pressed")));
    broken(refused(&|s| s.stride = 0));
    broken(refused(&|s| s.contacts.numbers.truncate(7)));
    broken(refused(&|s| s.contacts.numbers[1] = f64::NAN));
    broken(refused(&|s| s.bodies.row_mut("walls.built_orientation", 1)[2] = f64::NAN));
    broken(refused(&|s| s.contacts.keys[0].b = u32::MAX));
    broken(refused(&|s| s.contacts.keys[1] = s.contacts.keys[0]));
    broken(refused(&|s| (s.contacts.keys[0].a, s.contacts.keys[0].b) = (0, 1)));
}

#[test]
fn a_world_without_spheres_or_contacts_comes_back() {
    let setup = Setup { model: common::model(damped(), 1e-3), bodies: vec![plane(DVec3::Z, DVec3::ZERO)] };
    let mut whole = World::new(setup.clone()).unwrap();
    whole.advance(3).unwrap();
    let restored = World::restore(setup, &whole.save()).unwrap();
    same(&whole, &restored);
    assert_eq!(Remembered::default().len(), restored.remembered().len());
}

/// Grains rain from a stream into a turning tube with a paddle and a sinking lid; what falls out of its ends is taken out.
fn with_walls_and_traffic() -> Setup {
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.9 }], 5e-4);
    model.laws.set(0, 0, damped());
    model.gravity = (DVec3::Z * -1.0).into();
    let (from, to) = (DVec3::new(-2.0, -3.0, 1.0), DVec3::new(2.0, 3.0, 2.0));
    let (sizes, places) = (Stream::named(1, "radius"), Stream::named(1, "place"));
    let mould = Mould::of_spheres(Sizes::Between(0.3, 0.4));
    let mut inflow = Inflow::new(mould, Rate::Number(400.0.into()), 250, Entrance::Box { from, to });
    (inflow.body.velocity, inflow.body.angular_velocity) = (DVec3::Z * -2.0, DVec3::X);
    model.inflows = vec![Inflow { mass_by_radius: true, start: 0.1, shapes: sizes, places, ..inflow }];
    model.outflow = Some(Outflow { from: DVec3::new(-9.0, -3.4, -9.0), to: DVec3::new(9.0, 3.4, 9.0) });
    let turning =
        |rate: DVec3| Motion::Prescribed(Prescribed { angular_velocity: rate.into(), ..Prescribed::default() });
    let wall = |shape, at, motion| Body { motion, ..Body::new(shape, 0, at) };
    let tube = Shape::Tube { radius: 4.0, length: 6.0, axis: DVec3::Y, sides: Sides::Front };
    let plate = |size| Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size, sides: Sides::Both };
    let servo = Servo { axis: DVec3::NEG_Z, force: 5.0.into(), mass: 50.0, damping: 0.0, max_speed: 1.0 };
    let paddle_at = DVec3::new(0.0, 0.0, -1.5);
    let mut bodies = vec![
        wall(tube, DVec3::ZERO, turning(DVec3::Y * 0.5)),
        wall(plate([3.0, 1.0]), paddle_at, turning(DVec3::new(1.0, 2.0, 0.0))),
        wall(plate([5.0, 5.0]), DVec3::Z * 3.0, Motion::Servo(servo)),
    ];
    bodies.push(Body::new(Shape::Sphere { radius: 0.4 }, 0, DVec3::new(0.0, 0.0, -3.5)));
    Setup { model, bodies }
}

#[test]
fn walls_and_streams_come_back() {
    let setup = with_walls_and_traffic();
    let mut whole = World::new(setup.clone()).unwrap();
    whole.advance(6000).unwrap();
    let traffic = &whole.state().traffic;
    assert!(traffic.entered() > 100 && traffic.left > 3, "{} {}", traffic.entered(), traffic.left);
    let mut restored = World::restore(setup.clone(), &whole.save()).unwrap();
    same(&whole, &restored);
    for steps in [1, 99, 1500] {
        whole.advance(steps).unwrap();
        restored.advance(steps).unwrap();
        same(&whole, &restored);
    }
    // Without the stream it is another scene.
    let mut other = setup;
    other.model.inflows.clear();
    assert!(matches!(World::restore(other, &whole.save()), Err(RestoreError::Differs(_))));
}

#[test]
fn a_stage_with_a_stream_of_smaller_grains_can_be_restored() {
    // The saved state was called broken: its size classes counted from a larger sphere than the stream had brought.
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.9 }], 1e-3);
    model.laws.set(0, 0, damped());
    let bodies = vec![Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::ZERO)];
    let first = World::new(Setup { model: model.clone(), bodies: bodies.clone() }).unwrap();
    let stream = with_walls_and_traffic().model.inflows.remove(0);
    let (from, to) = (DVec3::new(2.0, 2.0, 2.0), DVec3::new(4.0, 4.0, 4.0));
    model.inflows = vec![Inflow {
        mould: Mould::of_spheres(Sizes::One(0.1)),
        start: 0.0,
        entrance: Entrance::Box { from, to },
        ..stream
    }];
    let setup = Setup { model, bodies };
    let mut stage = World::restart(setup.clone(), &first.save()).unwrap();
    stage.advance(100).unwrap();
    assert!(stage.sphere_count() > 10);
    let mut restored = World::restore(setup, &stage.save()).unwrap();
    stage.advance(50).unwrap();
    restored.advance(50).unwrap();
    same(&stage, &restored);
}

#[test]
fn a_plane_that_begins_to_turn_in_a_stage_finds_what_it_sweeps() {
    // Lists of the earlier stage, in which the plane stood still, were taken over: it passed through every sphere that rested far away,
    // and a run resumed from a checkpoint had other lists than one that went on.
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.9 }], 1e-3);
    model.laws.set(0, 0, damped());
    let spheres = [DVec3::new(2.0, 0.0, 0.7), DVec3::new(-3.0, 0.0, 0.9)];
    let mut bodies = vec![plane(DVec3::Z, DVec3::ZERO)];
    bodies.extend(spheres.map(|at| Body::new(Shape::Sphere { radius: 0.5 }, 0, at)));
    let mut first = World::new(Setup { model: model.clone(), bodies: bodies.clone() }).unwrap();
    first.advance(10).unwrap();
    let turn = |w: f64| Prescribed { angular_velocity: (DVec3::Y * w).into(), ..Prescribed::default() };
    let tilted = glam::DQuat::from_rotation_y(-0.15);
    let turning = [Motion::Prescribed(turn(-1.0)), Motion::Prescribed(turn(1.0)), Motion::Fixed];
    for (motion, orientation) in turning.into_iter().zip([glam::DQuat::IDENTITY, glam::DQuat::IDENTITY, tilted]) {
        let mut setup = Setup { model: model.clone(), bodies: bodies.clone() };
        (setup.bodies[0].motion, setup.bodies[0].orientation) = (motion.clone(), orientation);
        let mut stage = World::restart(setup.clone(), &first.save()).unwrap();
        stage.advance(20).unwrap();
        let mut restored = World::restore(setup, &stage.save()).unwrap();
        stage.advance(180).unwrap();
        restored.advance(180).unwrap();
        assert!(stage.ledger().kinetic + stage.ledger().stored > 0.0, "{motion:?}: nothing was touched");
        same(&stage, &restored);
    }
}

#[test]
fn a_stage_without_a_driven_sphere_that_was_taken_out_starts() {
    // The place of a fixed sphere that was not there any more was looked up: a panic.
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.9 }], 1e-3);
    model.laws.set(0, 0, damped());
    let mut bodies = [0.0, 2.0].map(|x| Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::X * x)).to_vec();
    bodies[1].motion = Motion::Fixed;
    let setup = Setup { model, bodies };
    let mut first = World::new(setup.clone()).unwrap();
    first.remove(&[1]);
    let mut stage = World::restart(setup, &first.save()).unwrap();
    stage.advance(10).unwrap();
    assert!(stage.has(0) && !stage.has(1));
}

#[test]
fn memory_of_other_laws_is_refused() {
    // The numbers of one law were read as those of another.
    let mut laws = damped();
    let with_all = setup(laws);
    let mut world = World::new(with_all).unwrap();
    world.advance(900).unwrap();
    laws.slide = None;
    assert!(matches!(World::restore(setup(laws), &world.save()), Err(RestoreError::Differs(_))));
}

//! Materials that pass through each other (`normal = "none"`): bodies move as if the others were not there, in both methods, at
//! seams, in streams, and the reference agrees.

use glam::DVec3;
use stickslip::inflow::{Entrance, Inflow, Rate};
use stickslip::law::{RigidLaws, SpringLaws};
use stickslip::model::Nonsmooth;
use stickslip::mould::Mould;
use stickslip::random::Stream;
use stickslip::reference::SlowWorld;
use stickslip::sizes::Sizes;
use stickslip::world::{Setup, World};
use stickslip::{Body, Material, Model, Motion, Shape, Sides};

use crate::common::{UNIT_DENSITY, every_law, plane, run, sphere, world};

const GRAIN: u16 = 0;
const GHOST: u16 = 1;

/// Grains that touch all but ghosts, and ghosts that touch nothing.
fn passing(model: Model) -> Model {
    let materials = ["grain", "ghost"].map(|name| Material { name: name.into(), density: UNIT_DENSITY }).to_vec();
    let mut both = Model { materials: materials.clone(), laws: Model::new(materials, 1.0).laws, ..model.clone() };
    both.laws.set(GRAIN, GRAIN, *model.laws.get(0, 0).unwrap());
    both.laws.let_pass(GRAIN, GHOST);
    both.laws.let_pass(GHOST, GHOST);
    both
}

fn soft(laws: SpringLaws, dt: f64) -> Model {
    let mut model = crate::common::model(laws, dt);
    model.gravity = (DVec3::Z * -10.0).into();
    passing(model)
}

fn rigid(dt: f64) -> Model {
    let mut model = crate::common::model(every_law(1.0)[0].1, dt);
    model.laws.set(0, 0, RigidLaws::default());
    model.gravity = (DVec3::Z * -10.0).into();
    model.method = Nonsmooth { tolerance: Some(1e-12), ..Nonsmooth::default() }.into();
    passing(model)
}

fn ghost(body: Body) -> Body {
    Body { material: GHOST, ..body }
}

/// A ball that bounces on a floor, its state after so many steps, beside these.
fn ball_among(model: &Model, others: &[Body], steps: u64) -> [DVec3; 4] {
    let ball = Body { velocity: DVec3::X, angular_velocity: DVec3::Y, ..sphere(0.5, DVec3::Z * 0.7) };
    let mut world = world(model.clone(), [&[ball, plane(DVec3::Z, DVec3::ZERO)], others].concat());
    run(&mut world, steps);
    let ball = world.body(0);
    [ball.position, ball.velocity, ball.angular_velocity, DVec3::Z * world.contact_count() as f64]
}

#[test]
fn a_body_moves_as_if_what_it_passes_were_not_there() {
    let dt = 1e-3;
    for model in [soft(every_law(0.1 / (dt * dt))[0].1, dt), rigid(1e-2)] {
        // A ball on its way, one around it, a plane under which it starts, a box that no ball of the other material could meet.
        let shape = Shape::Box { size: DVec3::ONE };
        let block = Body { motion: Motion::Fixed, ..Body::new(shape, GHOST, DVec3::new(0.2, 0.0, 0.5)) };
        let on_its_way = Body { motion: Motion::Held, ..sphere(0.4, DVec3::new(0.6, 0.1, 0.6)) };
        let ghosts =
            [on_its_way, sphere(0.9, DVec3::Z * 0.6), plane(DVec3::Z, DVec3::Z * 2.0), block.clone(), block].map(ghost);
        let (alone, among) = (ball_among(&model, &[], 600), ball_among(&model, &ghosts, 600));
        assert_eq!(alone, among);
        assert!(alone[0].x > 0.1, "it has moved within them: {}", alone[0]);
    }
}

/// A face that a sphere passes through took its contact with the rim beside it.
#[test]
fn a_wall_that_is_passed_takes_no_contact_at_a_seam() {
    let plate = |x: f64| {
        let shape = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 2.0], sides: Sides::Both };
        Body { motion: Motion::Fixed, ..Body::new(shape, GRAIN, DVec3::new(x, 0.0, 0.0)) }
    };
    let dt = 1e-3;
    for model in [soft(every_law(0.1 / (dt * dt))[0].1, dt), rigid(1e-2)] {
        // The ball stands on the rim of the plate at the right; its centre is above the one at the left, or above two.
        let ball = sphere(0.5, DVec3::new(-0.05, 0.0, 0.49));
        let of = |others: &[Body]| {
            let mut world = world(model.clone(), [&[ball.clone(), plate(1.0)], others].concat());
            run(&mut world, 60);
            (world.body(0).position, world.body(0).velocity, world.contact_count())
        };
        let alone = of(&[]);
        assert_eq!(alone, of(&[ghost(plate(-1.0)), ghost(plate(-1.0))]));
        assert_ne!(alone, of(&[plate(-1.0)]), "a plate that is touched keeps the contact");
        // A face in the same place as another, with the lower id.
        let face = |first: Body, second: Body| {
            let ball = sphere(0.5, DVec3::new(-1.0, 0.0, 0.49));
            let mut world = world(model.clone(), vec![first, second, ball]);
            run(&mut world, 60);
            (world.body(2).position, world.contact_count())
        };
        assert_eq!(face(ghost(plate(-1.0)), plate(-1.0)), face(plate(-1.0), ghost(plate(-1.0))));
    }
}

#[test]
fn a_crowd_agrees_with_the_reference() {
    let dt = 1e-2;
    let mut stream = Stream::named(3, "passing");
    let mut bodies = vec![plane(DVec3::Z, DVec3::ZERO), ghost(plane(DVec3::X, DVec3::ZERO))];
    for i in 0..40_u32 {
        let at = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 3), 0.49 + f64::from(i / 12)) * 0.995;
        let velocity = DVec3::from_array(std::array::from_fn(|_| stream.between(-0.1, 0.1)));
        let ball = Body { velocity, ..sphere(0.5, at) };
        bodies.push(if i % 3 == 0 { ghost(ball) } else { ball });
    }
    let mut model = soft(every_law(0.02 / (dt * dt))[0].1, dt);
    model.gravity = (DVec3::Z * -0.01).into();
    let setup = Setup { model, bodies };
    let (mut fast, mut slow) = (World::new(setup.clone()).unwrap(), SlowWorld::new(setup));
    let mut most = fast.contact_count();
    for _ in 0..50 {
        fast.step().unwrap();
        slow.step();
        most = most.max(fast.contact_count());
    }
    assert!(most > 20, "{most}");
    for id in 2..42 {
        // Sums in another order: some ulp of loads, for 50 steps.
        let far = fast.body(id).position.distance(slow.bodies[id as usize].body.position);
        assert!(far < 1e-11, "{id}: {far}");
    }
}

#[test]
fn a_stream_comes_in_where_it_touches_nothing() {
    let place = DVec3::Z * 3.0;
    let inflow = |material: u16| {
        let mut inflow = Inflow::new(
            Mould::of_spheres(Sizes::One(0.5)),
            Rate::Number(1000.0.into()),
            3,
            Entrance::Box { from: place, to: place },
        );
        inflow.body.material = material;
        inflow
    };
    let there = Body { motion: Motion::Held, ..sphere(0.5, place) };
    let dt = 1e-3;
    for (material, entered) in [(GRAIN, 0), (GHOST, 3)] {
        let mut model = soft(every_law(0.1 / (dt * dt))[0].1, dt);
        model.inflows = vec![inflow(material)];
        let mut world = world(model, vec![there.clone(), plane(DVec3::Z, DVec3::ZERO)]);
        run(&mut world, 10);
        assert_eq!(world.streams().next().unwrap().entered, entered);
    }
}

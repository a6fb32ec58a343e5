//! Boxes on boxes and cylinders on planes, rigid: rest, slopes, torsion, rolling. Judged by closed forms.

use glam::{DQuat, DVec3};
use stickslip::Shape;
use stickslip::body::{Body, Motion};
use stickslip::law::{Limit, Limits, Rigid, RigidLaws};
use stickslip::model::{Material, Model, Nonsmooth};
use stickslip::world::{Setup, World};

const GRAVITY: f64 = 9.81;

fn model(dt: f64, mu: f64, gravity: DVec3) -> Model {
    let mut model = Model::new(vec![Material { name: "wood".into(), density: 700.0 }], dt);
    let slide = (mu > 0.0).then(|| Limit::mu(mu));
    model.laws.set(0, 0, RigidLaws { normal: Rigid::default(), limits: Limits { slide, ..Limits::default() } });
    model.method = Nonsmooth { tolerance: Some(1e-10), max_iterations: 100_000, ..Nonsmooth::default() }.into();
    model.gravity = gravity.into();
    model
}

fn brick(size: DVec3, position: DVec3) -> Body {
    Body::new(Shape::Box { size }, 0, position)
}

/// A fixed slab whose upper face is z = 0.
fn slab() -> Body {
    Body { motion: Motion::Fixed, ..brick(DVec3::new(4.0, 4.0, 0.2), DVec3::Z * -0.1) }
}

fn world(model: Model, bodies: Vec<Body>) -> World {
    World::new(Setup { model, bodies }).unwrap()
}

#[test]
fn a_stack_of_boxes_rests_and_each_bears_what_is_above_it() {
    let size = DVec3::new(0.2, 0.15, 0.1);
    let mut bodies = vec![slab()];
    bodies.extend((0..4).map(|k| brick(size, DVec3::Z * (0.05 + 0.1 * f64::from(k)))));
    let mass = bodies[1].mass_and_inertia(700.0).0;
    let mut world = world(model(2e-3, 0.5, DVec3::Z * -GRAVITY), bodies.clone());
    world.advance(499).unwrap();
    world.keep_rows(true);
    world.advance(1).unwrap();
    for (id, body) in (0..).zip(&bodies) {
        let now = world.body(id);
        // Gaps close to the residual in each step, 1e-10 m/s times a second, and lean on each other.
        assert!((now.position - body.position).length() < 1e-8, "{id}: {}", now.position - body.position);
        assert!(now.velocity.length() < 1e-8);
    }
    let rows = world.rows();
    for k in 0..4_u32 {
        let between: Vec<_> = rows.iter().filter(|row| (row.a, row.b) == (k, k + 1)).collect();
        assert_eq!(between.len(), 4, "{k}");
        let sum: f64 = between.iter().map(|row| row.normal_force).sum();
        let expected = mass * GRAVITY * f64::from(4 - k);
        assert!((sum / expected - 1.0).abs() < 1e-6, "{k}: {sum} {expected}");
    }
}

/// On a slope of angle a a box stays where tan a < mu and tan a < b/h, slides at g (sin a - mu cos a), or tips.
#[test]
fn a_box_on_a_slope_stays_slides_or_tips() {
    let size = DVec3::new(0.1, 0.1, 0.2);
    let run = |tangent: f64, mu: f64| {
        // The slab stays level and gravity leans.
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        let gravity = DVec3::new(tangent, 0.0, -1.0) * (GRAVITY * cosine);
        let mut world = world(model(1e-3, mu, gravity), vec![slab(), brick(size, DVec3::Z * 0.1)]);
        world.advance(100).unwrap();
        (world.body(1), cosine)
    };
    // b/h = 0.5.
    let (stays, _) = run(0.45, 0.6);
    assert!(stays.velocity.length() < 1e-8 && stays.angular_velocity.length() < 1e-8, "{stays:?}");
    let (tips, _) = run(0.55, 0.6);
    assert!(tips.angular_velocity.y > 0.05, "{tips:?}");
    let (slides, cosine) = run(0.4, 0.3);
    let expected = GRAVITY * cosine * (0.4 - 0.3) * 0.1;
    // To the residual of 1e-10 m/s in each of 100 steps.
    assert!((slides.velocity.x - expected).abs() < 1e-7, "{} {expected}", slides.velocity.x);
    assert!(slides.angular_velocity.length() < 1e-7);
}

/// A square box pressed on a slab and turned about its vertical: four corners bear mu m g at the half diagonal.
#[test]
fn torsion_is_borne_by_the_corners() {
    let (a, mu) = (0.2, 0.4);
    let size = DVec3::new(a, a, 0.1);
    let body = brick(size, DVec3::Z * 0.05);
    let mass = body.mass_and_inertia(700.0).0;
    let limit = mu * mass * GRAVITY * a * 0.5 * std::f64::consts::SQRT_2;
    let turning = |share: f64| {
        let torque = (DVec3::Z * (share * limit)).into();
        let bodies = vec![slab(), Body { torque, ..body.clone() }];
        let mut world = world(model(1e-3, mu, DVec3::Z * -GRAVITY), bodies);
        world.advance(50).unwrap();
        world.body(1).angular_velocity.z
    };
    assert!(turning(0.99).abs() < 1e-7, "{}", turning(0.99));
    let moment = body.mass_and_inertia(700.0).1.z;
    let expected = 0.1 * limit / moment * 0.05;
    assert!((turning(1.1) / expected - 1.0).abs() < 1e-3, "{} {expected}", turning(1.1));
}

/// The same boxes named in another order, and turned as a whole: the same motion.
#[test]
fn the_order_of_boxes_does_not_matter() {
    let pair = |swap: bool| {
        let turn = DQuat::from_xyzw(0.1, 0.2, -0.1, 0.9).normalize();
        let one = Body { velocity: DVec3::X, orientation: turn, ..brick(DVec3::new(0.2, 0.1, 0.15), DVec3::X * -0.2) };
        let two = brick(DVec3::new(0.1, 0.3, 0.1), DVec3::new(0.1, 0.05, 0.02));
        let bodies = if swap { vec![two, one] } else { vec![one, two] };
        let mut world = world(model(1e-3, 0.3, DVec3::ZERO), bodies);
        world.advance(300).unwrap();
        [world.body(u32::from(swap)), world.body(1 - u32::from(swap))].map(|body| (body.position, body.velocity))
    };
    for (one, two) in pair(false).into_iter().zip(pair(true)) {
        // A pair that hits in several points: another order of sweeps, to the tolerance.
        assert!((one.0 - two.0).length() + (one.1 - two.1).length() < 1e-6, "{one:?} {two:?}");
    }
    assert!(pair(false)[1].1.length() > 0.1, "they hit");
}

fn drum(radius: f64, length: f64, position: DVec3) -> Body {
    Body::new(Shape::Cylinder { radius, length, axis: DVec3::Y }, 0, position)
}

fn floor() -> Body {
    Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) }
}

/// A cylinder on a slope rolls with 2/3 g sin a while tan a < 3 mu.
#[test]
fn a_cylinder_rolls_down_a_slope_on_two_points() {
    let gravity = DVec3::new(0.3, 0.0, -1.0) * GRAVITY;
    let (dt, steps) = (1e-3, 200);
    let mut world = world(model(dt, 0.5, gravity), vec![floor(), drum(0.1, 0.3, DVec3::Z * 0.1)]);
    world.advance(steps - 1).unwrap();
    world.keep_rows(true);
    world.advance(1).unwrap();
    let now = world.body(1);
    let expected = 2.0 / 3.0 * gravity.x * dt * steps as f64;
    // To the residual of 1e-10 m/s in each of 200 steps.
    assert!((now.velocity.x - expected).abs() < 1e-7, "{} {expected}", now.velocity.x);
    assert!((now.angular_velocity.y * 0.1 - now.velocity.x).abs() < 1e-7 && (now.position.z - 0.1).abs() < 1e-8);
    let rows = world.rows();
    assert_eq!(rows.iter().map(|row| row.feature).collect::<Vec<_>>(), [0, 4]);
    let across: Vec<f64> = rows.iter().map(|row| row.point.y.abs()).collect();
    assert!(across.iter().all(|y| (y - 0.15).abs() < 1e-12), "{across:?}");
}

#[test]
fn a_cylinder_has_its_moments_about_any_axis() {
    let (r, l) = (0.2, 0.5);
    let shape = |axis: DVec3| Shape::Cylinder { radius: r, length: l, axis };
    let (along, across) = (0.5 * r * r, 0.25 * r * r + l * l / 12.0);
    assert!((shape(DVec3::Y).gyration() - DVec3::new(across, along, across)).length() < 1e-16);
    let axis = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    let askew = shape(axis);
    let frame = askew.principal_axes();
    let inertia = |v: DVec3| frame * (askew.gyration() * (frame.inverse() * v));
    assert!((inertia(axis) - axis * along).length() < 1e-15, "{}", inertia(axis));
    let other = axis.any_orthonormal_vector();
    assert!((inertia(other) - other * across).length() < 1e-15);
    assert!((shape(axis).volume().unwrap() - std::f64::consts::PI * r * r * l).abs() < 1e-16);
}

#[test]
fn a_cylinder_stands_and_a_ball_rests_on_it() {
    let stand = Body::new(Shape::Cylinder { radius: 0.1, length: 0.3, axis: DVec3::Z }, 0, DVec3::Z * 0.15);
    let ball = Body::new(Shape::Sphere { radius: 0.05 }, 0, DVec3::Z * 0.35);
    let bodies = vec![floor(), stand, ball];
    let mut world = world(model(2e-3, 0.5, DVec3::Z * -GRAVITY), bodies.clone());
    world.advance(300).unwrap();
    for (id, body) in (0..).zip(&bodies) {
        let now = world.body(id);
        assert!((now.position - body.position).length() < 1e-8 && now.velocity.length() < 1e-8, "{now:?}");
    }
}

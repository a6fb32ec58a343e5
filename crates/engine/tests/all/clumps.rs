//! Clumps: mass properties of unions, free flight, rest, keys by part; and bodies whose centre of mass is not their shape's.

use glam::{DQuat, DVec3};
use stickslip::Shape;
use stickslip::body::{Body, Motion};
use stickslip::contact::parts_of;
use stickslip::error::BuildError;
use stickslip::frame;
use stickslip::law::{Limit, Limits, Rigid, RigidLaws};
use stickslip::model::{Material, Model, Nonsmooth};
use stickslip::shape::clump::{Clump, ClumpPart, MassProperties};
use stickslip::world::{Setup, World};

fn part(shape: Shape, at: DVec3) -> ClumpPart {
    ClumpPart { shape, at, turn: DQuat::IDENTITY }
}

fn ball(radius: f64, at: DVec3) -> ClumpPart {
    part(Shape::Sphere { radius }, at)
}

fn brick(size: DVec3, at: DVec3) -> ClumpPart {
    part(Shape::Box { size }, at)
}

fn properties(parts: Vec<ClumpPart>) -> MassProperties {
    Clump::new(parts).properties()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} instead of {expected}");
}

#[test]
fn two_separate_spheres_have_the_closed_form_of_a_dumbbell() {
    let (r, s) = (0.5, 0.25);
    let found = properties(vec![ball(r, DVec3::X * -1.0), ball(s, DVec3::X * 2.0)]);
    let volume = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
    let (v, w) = (volume(r), volume(s));
    close(found.volume, v + w, 1e-15);
    let middle = (2.0 * w - v) / (v + w);
    close(found.centre.x, middle, 1e-14);
    let along = 0.4 * (v * r * r + w * s * s) / (v + w);
    let across = along + (v * (1.0 + middle) * (1.0 + middle) + w * (2.0 - middle) * (2.0 - middle)) / (v + w);
    close(found.gyration.x, along, 1e-13);
    close(found.gyration.y, across, 1e-13);
    close(found.gyration.z, across, 1e-13);
    assert_eq!(found.axes, DQuat::IDENTITY);
}

#[test]
fn a_box_cut_into_boxes_is_the_box() {
    let (size, cut) = (DVec3::new(0.6, 0.4, 0.2), 0.17);
    let at = |x: f64, length: f64| brick(DVec3::new(length, 0.4, 0.2), DVec3::new(x, 0.0, 0.0));
    let found = properties(vec![at(0.5 * cut - 0.3, cut), at(0.5 * cut, 0.6 - cut)]);
    let whole = Shape::Box { size };
    close(found.volume, size.element_product(), 1e-14);
    // A few roundings of lengths of half a metre.
    assert!(found.centre.length() < 1e-15 && found.axes == DQuat::IDENTITY, "{found:?}");
    let expected = whole.gyration();
    (0..3).for_each(|k| close(found.gyration[k], expected[k], 1e-13));
}

/// Two equal spheres, d apart: the lens is two caps of height h = r - d/2, each pi h^2 (3 r - h)/3.
#[test]
fn overlapping_spheres_are_integrated_to_one_part_in_ten_thousand() {
    let (r, d) = (0.5, 0.6);
    let found = properties(vec![ball(r, DVec3::new(0.0, 0.0, -0.5 * d)), ball(r, DVec3::new(0.0, 0.0, 0.5 * d))]);
    let (pi, h) = (std::f64::consts::PI, r - 0.5 * d);
    let lens = 2.0 * pi * h * h * (3.0 * r - h) / 3.0;
    close(found.volume, 8.0 / 3.0 * pi * r * r * r - lens, 1e-4);
    assert!(found.centre.length() < 1e-4 * r);
    // About the axis a slice at z has pi rho^4/2, rho^2 = r^2 - z^2 about the centre of its sphere: from -r to d/2, twice.
    let slice = |z: f64| {
        let (a, b) = (r * r, z * z);
        pi * 0.5 * z * (a * a - 2.0 * a * b / 3.0 + b * b / 5.0)
    };
    let about_axis = 2.0 * (slice(0.5 * d) - slice(-r)) / found.volume;
    let axis = found.axes.inverse() * DVec3::Z;
    close(axis.dot(found.gyration * axis), about_axis, 1e-4);
}

/// A ball inside of a brick adds nothing, and a brick that is there twice is there once.
#[test]
fn what_is_covered_twice_counts_once() {
    let size = DVec3::new(0.6, 0.4, 0.2);
    let turn = DQuat::from_rotation_x(0.4);
    let turned = ClumpPart { shape: Shape::Box { size }, at: DVec3::new(0.1, -0.2, 0.3), turn };
    let found = properties(vec![turned.clone(), turned.clone(), ball(0.05, turned.at)]);
    close(found.volume, size.element_product(), 1e-4);
    assert!((found.centre - turned.at).length() < 1e-4 * 0.6);
    let mut moments = found.gyration.to_array();
    let mut expected = Shape::Box { size }.gyration().to_array();
    moments.sort_by(f64::total_cmp);
    expected.sort_by(f64::total_cmp);
    (0..3).for_each(|k| close(moments[k], expected[k], 1e-4));
}

#[test]
fn a_turned_part_turns_the_principal_axes() {
    let turn = DQuat::from_xyzw(0.3, -0.2, 0.4, 0.8).normalize();
    let shape = Shape::Ellipsoid { axes: DVec3::new(0.3, 0.2, 0.1) };
    let found = properties(vec![ClumpPart { shape: shape.clone(), at: DVec3::ONE, turn }]);
    // I = turn diag turn^T by both.
    for along in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.3, 0.7, -0.2)] {
        let by = |axes: DQuat, moments: DVec3| axes * (moments * (axes.inverse() * along));
        let error = by(found.axes, found.gyration) - by(turn, shape.gyration());
        assert!(error.length() < 1e-15, "{error}");
    }
}

fn model(dt: f64, mu: f64, gravity: DVec3) -> Model {
    let mut model = Model::new(vec![Material { name: "grain".into(), density: 1000.0 }], dt);
    let slide = (mu > 0.0).then(|| Limit::mu(mu));
    model.laws.set(0, 0, RigidLaws { normal: Rigid::default(), limits: Limits { slide, ..Limits::default() } });
    model.method = Nonsmooth { tolerance: Some(1e-10), max_iterations: 20_000, ..Nonsmooth::default() }.into();
    model.gravity = gravity.into();
    model
}

fn world(model: Model, bodies: Vec<Body>) -> World {
    World::new(Setup { model, bodies }).unwrap()
}

/// Three balls in no symmetric place: no axis of the frame is principal.
fn odd() -> Shape {
    let balls = [(0.2, DVec3::ZERO), (0.1, DVec3::new(0.5, 0.1, 0.0)), (0.15, DVec3::new(0.1, 0.4, 0.3))];
    Clump::shape(balls.into_iter().map(|(radius, at)| ball(radius, at)).collect())
}

/// Angular momentum and energy stay, the centre of mass falls, and the frame stays the shape's.
#[test]
fn an_asymmetric_clump_falls_and_tumbles_freely() {
    let shape = odd();
    let (start, turning) = (DVec3::new(0.0, 0.0, 50.0), DVec3::new(2.0, -1.0, 3.0));
    let body = Body { angular_velocity: turning, ..Body::new(shape.clone(), 0, start) };
    let place = body.place();
    assert!((place - start - shape.centre()).length() < 1e-13);
    let (gravity, dt, steps) = (DVec3::new(0.0, 0.0, -9.81), 1e-3, 2000);
    let mut world = world(model(dt, 0.0, gravity), vec![body.clone()]);
    let moments = shape.gyration() * body.mass_and_inertia(1000.0).0;
    let momentum = |orientation: DQuat, turning: DVec3| {
        let principal = orientation * shape.principal_axes();
        principal * (moments * (principal.inverse() * turning))
    };
    let before = momentum(DQuat::IDENTITY, turning);
    let energy = before.dot(turning);
    world.advance(steps).unwrap();
    let now = world.body(0);
    let time = dt * steps as f64;
    // Symplectic Euler: z + g t (t + h)/2.
    assert!((now.position - place - gravity * (0.5 * time * (time + dt))).length() < 1e-10);
    let after = momentum(now.orientation, now.angular_velocity);
    assert!((after - before).length() < 1e-11 * before.length(), "{after} {before}");
    // The midpoint rule keeps the energy to second order of |w| h = 4e-3.
    close(after.dot(now.angular_velocity), energy, 1e-5);
    assert!(now.angular_velocity.angle_between(turning) > 0.1, "it tumbles");
}

/// Four balls at the corners of a tetrahedron's base and tip: it stands on three, each of which carries a third.
#[test]
fn a_clump_of_four_spheres_rests_on_a_plane() {
    let (r, a) = (0.1, 0.25);
    let height = (2.0_f64 / 3.0).sqrt() * a;
    let mut parts: Vec<ClumpPart> = (0..3)
        .map(|k| frame::rotation(DVec3::Z * (f64::from(k) * std::f64::consts::TAU / 3.0)))
        .map(|turn| ball(r, turn * DVec3::X * (a / 3.0_f64.sqrt())))
        .collect();
    parts.push(ball(r, DVec3::Z * height));
    let shape = Clump::shape(parts);
    let dt = 1e-3;
    let body = Body::new(shape, 0, DVec3::Z * r);
    let mass = body.mass_and_inertia(1000.0).0;
    let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
    let place = body.place();
    let mut world = world(model(dt, 0.5, DVec3::new(0.0, 0.0, -9.81)), vec![floor, body]);
    world.advance(500).unwrap();
    world.keep_rows(true);
    world.advance(1).unwrap();
    let now = world.body(1);
    // A row's gap is closed to the residual a step: 1e-10 m/s times 0.5 s.
    assert!((now.position - place).length() < 1e-9, "{}", now.position - place);
    let rows = world.rows();
    // The floor is a, the part of b the ball.
    let parts: Vec<[u32; 2]> = rows.iter().map(|row| parts_of(row.feature)).collect();
    assert_eq!(parts, [[0, 0], [0, 1], [0, 2]]);
    for row in &rows {
        close(row.normal_force, mass * 9.81 / 3.0, 1e-6);
    }
}

/// A ball whose centre of mass lies off its middle rolls until that is lowest, and swings about it.
#[test]
fn a_weighted_ball_comes_to_stand_on_its_heavy_side() {
    let (r, off) = (0.1, 0.04);
    let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
    let shape = Shape::Sphere { radius: r };
    let toy = Body { centre: Some(DVec3::new(off, 0.0, 0.0)), ..Body::new(shape, 0, DVec3::Z * r) };
    let (mass, inertia) = toy.mass_and_inertia(1000.0);
    let mut world = world(model(1e-4, 1.0, DVec3::new(0.0, 0.0, -9.81)), vec![floor, toy.clone()]);
    assert_eq!(world.body(1).position, toy.place());
    // From rest at a right angle: at the lowest point m g off = I w^2/2 about the contact, r - off below the centre of mass.
    let mut fastest = 0.0_f64;
    for _ in 0..6000 {
        world.advance(1).unwrap();
        fastest = fastest.max(world.body(1).angular_velocity.length());
    }
    let about = inertia.x + mass * (r - off) * (r - off);
    // Symplectic Euler's energy oscillates by w h/2, here 1e-3.
    close(fastest, (2.0 * mass * 9.81 * off / about).sqrt(), 2e-3);
}

#[test]
fn the_explicit_method_says_that_it_has_no_clumps() {
    let soft = Model::new(vec![Material { name: "grain".into(), density: 1000.0 }], 1e-5);
    let off = Body { centre: Some(DVec3::X * 0.1), ..Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::ZERO) };
    for (body, what) in [(Body::new(odd(), 0, DVec3::ZERO), "clumps"), (off, "`centre`")] {
        let error = World::new(Setup { model: soft.clone(), bodies: vec![body] }).unwrap_err();
        assert_eq!(error, BuildError::NotImplemented { body: Some(0), method: "explicit", what });
    }
}

/// Tasora's guideway without its drive: a carriage of four boxes, tilted by 45 degrees, loads two rows of balls on a rail of four. The
/// drag of rolling is (rho/R) sum Q with sum Q = sqrt(2) F_y, and the balls, which go half as fast and roll, count with 0.35 m each.
#[test]
fn a_carriage_of_boxes_rolls_out_on_its_balls() {
    let (r, play, load, rho) = (0.0032, 1e-5, 490.0, 1.6e-5);
    let eighth = std::f64::consts::FRAC_PI_4;
    let half = 0.002;
    // The middle of a slab whose face touches the ball at (y, z) along (sy, sz)/sqrt(2), on the rail's side (-1) or the carriage's.
    let slab = |sy: f64, sz: f64, side: f64, gap: f64| {
        let out = DVec3::new(0.0, sy, sz) * std::f64::consts::FRAC_1_SQRT_2;
        let at = DVec3::new(0.0, 0.006 * sy, 0.0175 * sz) + out * (side * (r + gap + half));
        let turn = frame::rotation(DVec3::X * (-eighth * sy * sz));
        ClumpPart { shape: Shape::Box { size: DVec3::new(0.12, 0.006, 2.0 * half) }, at, turn }
    };
    let rows = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let loaded = |sy: f64| if sy > 0.0 { 0.0 } else { play };
    let rail = Clump::shape(rows.map(|(sy, sz)| slab(sy, sz, -1.0, 0.0)).into());
    let carriage = Clump::shape(rows.map(|(sy, sz)| slab(sy, sz, 1.0, loaded(sy))).into());
    let mut model =
        Model::new(["ball", "raceway"].map(|name| Material { name: name.into(), density: 7800.0 }).into(), 1e-3);
    let limits = Limits {
        slide: Some(Limit::mu(0.1)),
        roll: Some(Limit::length(rho)),
        spin: Some(Limit::length(rho)),
        ..Limits::default()
    };
    model.laws.set(0, 1, RigidLaws { normal: Rigid::default(), limits });
    (0..2).for_each(|material| model.laws.let_pass(material, material));
    model.method = Nonsmooth { tolerance: Some(1e-11), max_iterations: 100_000, ..Nonsmooth::default() }.into();
    let speed = 0.1;
    let mut bodies = vec![
        Body { motion: Motion::Fixed, ..Body::new(rail, 1, DVec3::ZERO) },
        Body {
            mass: Some(1.0),
            inertia_body: Some(DVec3::splat(1e-3)),
            velocity: DVec3::X * speed,
            lock: [false, false, true, true, true, true],
            force: (DVec3::Y * -load).into(),
            ..Body::new(carriage, 1, DVec3::ZERO)
        },
    ];
    for (sy, sz) in rows {
        let out = DVec3::new(0.0, sy, sz) * std::f64::consts::FRAC_1_SQRT_2;
        bodies.extend((0..9).map(|k| Body {
            velocity: DVec3::X * (0.5 * speed),
            angular_velocity: out.cross(DVec3::X) * (0.5 * speed / r),
            ..Body::new(
                Shape::Sphere { radius: r },
                0,
                DVec3::new(-0.03 + 0.0075 * f64::from(k), 0.006 * sy, 0.0175 * sz),
            )
        }));
    }
    let ball = bodies[2].mass_and_inertia(7800.0).0;
    let mut world = world(model, bodies);
    world.advance(20).unwrap();
    let drag = std::f64::consts::SQRT_2 * load * rho / r;
    // 18 balls carry: m (v/2)^2/2 (1 + 2/5) each.
    let expected = speed - drag / (1.0 + 18.0 * 0.35 * ball) * 0.02;
    let now = world.body(1).velocity;
    // Tasora's 3.464823 N, to 1e-3 N: 2e-5 m/s in 20 steps.
    assert!((now.x - expected).abs() < 2e-5 && now.y.abs() < 1e-6, "{now} {expected}");
    world.keep_rows(true);
    world.advance(1).unwrap();
    let rows = world.rows();
    let pressed: Vec<_> = rows.iter().filter(|row| row.normal_force > 1.0).collect();
    assert_eq!(pressed.len(), 36);
    for row in &pressed {
        // The ball is b: the rail or the carriage is a, by its part.
        assert!(row.a < 2 && parts_of(row.feature)[0] < 2, "{row:?}");
    }
}

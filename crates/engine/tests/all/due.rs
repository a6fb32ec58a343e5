//! No contact is found late, whatever happens between two looks: in random scenes every pair that touches where the bodies
//! stand is found in that very step. The oracle goes through all pairs of the world as it is, so it needs no second world: it knows
//! local damping, streams and barostats, too.

use std::collections::BTreeSet;

use crate::common::*;
use glam::{DMat3, DVec3};
use stickslip::body::{Oscillation, Prescribed, Servo};
use stickslip::cell::{Cell, CellInertia, Control, Frame};
use stickslip::inflow::{Entrance, Inflow, Outflow, Rate};
use stickslip::law::*;
use stickslip::model::{Explicit, Integrator, Method};
use stickslip::mould::Mould;
use stickslip::random::Stream;
use stickslip::reference::SlowWorld;
use stickslip::sizes::Sizes;
use stickslip::world::{Setup, World};
use stickslip::{Body, Motion, Shape, Sides};

type Pairs = BTreeSet<(u32, u32)>;

/// Pairs that touch, and those that do so but for rounding.
fn brute_force(world: &World, planes: &[(u32, DVec3)]) -> (Pairs, Pairs) {
    let (mut touching, mut nearly) = (Pairs::new(), Pairs::new());
    let frame = world.cell().map(|cell| cell.frame);
    let bodies: Vec<_> = world.ids().map(|id| (id, world.body(id))).collect();
    let state = &world.state().bodies;
    let yields = |id: u32| state.movers[state.index_of[id as usize] as usize].inverse_mass > 0.0;
    let mut note = |a: u32, b: u32, gap: f64, scale: f64| {
        if gap < 1e-13 * scale {
            nearly.insert((a.min(b), a.max(b)));
            if gap < -1e-13 * scale {
                touching.insert((a.min(b), a.max(b)));
            }
        }
    };
    for (i, (a, one)) in bodies.iter().enumerate() {
        if let Some((_, normal)) = planes.iter().find(|plane| plane.0 == *a) {
            let normal = one.orientation * *normal;
            for (b, other) in bodies.iter().filter(|(id, body)| body.radius > 0.0 && yields(*id)) {
                let gap = (other.position - one.position).dot(normal) - other.radius;
                note(*a, *b, gap, other.radius + other.position.length() + one.position.length());
            }
            continue;
        }
        for (b, other) in bodies[i + 1..].iter().filter(|(_, body)| body.radius > 0.0) {
            if !(yields(*a) || yields(*b)) {
                continue;
            }
            let between = one.position - other.position;
            let between = frame.map_or(between, |frame| frame.nearest(between));
            let reach = one.radius + other.radius;
            note(*a, *b, between.length() - reach, reach + one.position.length() + other.position.length());
        }
    }
    (touching, nearly)
}

/// Steps, and compares after each. Returns how many pairs began to touch, and how often lists were made.
fn compare(name: &str, setup: Setup, steps: u64) -> (usize, u64) {
    let planes: Vec<(u32, DVec3)> = (0..)
        .zip(&setup.bodies)
        .filter_map(|(id, body)| match body.shape {
            Shape::Plane { normal } => Some((id, normal)),
            _ => None,
        })
        .collect();
    let mut world = World::new(setup).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (mut before, mut begun) = (Pairs::new(), 0);
    for step in 1..=steps {
        world.keep_rows(true);
        // What overlaps too deeply is told after the step is done.
        let trouble = world.step();
        if world.steps() < step {
            println!("{name} ended at step {step} of {steps}: {trouble:?}");
            break;
        }
        let found: Pairs = world.rows().iter().map(|row| (row.a, row.b)).collect();
        let (touching, nearly) = brute_force(&world, &planes);
        let missed: Vec<_> = touching.difference(&found).collect();
        assert!(missed.is_empty(), "{name}, step {step}: {missed:?} are not found");
        let wrong: Vec<_> = found.difference(&nearly).collect();
        assert!(wrong.is_empty(), "{name}, step {step}: {wrong:?} do not touch");
        begun += found.difference(&before).count();
        before = found;
    }
    (begun, world.rebuilds())
}

fn chance(stream: &mut Stream, share: f64) -> bool {
    stream.between(0.0, 1.0) < share
}

/// Equal masses and moments: one critical step for all sizes.
fn heavy(radius: f64, centre: DVec3) -> Body {
    Body { mass: Some(1.0), inertia_body: Some(DVec3::splat(0.1)), ..sphere(radius, centre) }
}

/// Whether a sphere there would touch none of the others.
fn is_free(others: &[Body], centre: DVec3, radius: f64, nearest: impl Fn(DVec3) -> DVec3) -> bool {
    let reach = |other: &Body| radius + other.shape.radius().unwrap_or(0.0);
    others.iter().all(|other| nearest(centre - other.position).length() > reach(other))
}

/// Powers of ten.
fn decades(stream: &mut Stream, low: f64, high: f64) -> f64 {
    stickslip::math::exp(stream.between(low, high) * std::f64::consts::LN_10)
}

fn laws(stream: &mut Stream, dt: f64) -> SpringLaws {
    let all = every_law(decades(stream, -3.5, -0.5) / (dt * dt));
    all[(stream.between(0.0, 1.0) * all.len() as f64) as usize % all.len()].1
}

fn shake(stream: &mut Stream, size: f64, dt: f64) -> Motion {
    let oscillate = Oscillation {
        axis: random_direction(stream),
        amplitude: decades(stream, -3.0, -0.5) * size,
        frequency: decades(stream, -3.0, -1.3) / dt,
        phase: stream.between(0.0, 6.0),
    };
    let angular_velocity = if chance(stream, 0.3) { random_vector(stream, 0.3 / (100.0 * dt)) } else { DVec3::ZERO };
    let velocity = random_vector(stream, 0.003 * size / dt) * decades(stream, -3.0, 0.0);
    Motion::Prescribed(Prescribed {
        velocity: velocity.into(),
        angular_velocity: angular_velocity.into(),
        about: None,
        oscillate: Some(oscillate),
        began: None,
    })
}

/// Spheres of sizes up to 100:1 in a heap or a gas, some held, fixed, shaken, some as fast as bullets; planes that shake, turn or are pushed.
fn crowd(stream: &mut Stream) -> Setup {
    let dt = decades(stream, -4.3, -3.3);
    let mut model = model(laws(stream, dt), dt);
    let mut method = Explicit::default();
    if chance(stream, 0.3) {
        method.integrator = Integrator::SymplecticEuler;
    }
    if chance(stream, 0.3) {
        method.local_damping = 0.7;
    }
    model.method = method.into();
    if chance(stream, 0.6) {
        model.gravity = (random_direction(stream) * decades(stream, -6.0, -3.7) / (dt * dt)).into();
    }
    let far = decades(stream, 3.0, 6.0);
    let origin = if chance(stream, 0.3) { random_vector(stream, far) } else { DVec3::ZERO };
    let count = stream.between(2.0, 420.0) as usize;
    let ratio = if chance(stream, 0.3) { 0.01 } else { 0.5 };
    let half = stickslip::math::cbrt(count as f64) * stream.between(0.2, 0.8);
    let speed = if chance(stream, 0.3) { 0.0 } else { decades(stream, -5.0, -1.7) / dt };
    let drift = if chance(stream, 0.3) { random_vector(stream, 0.02 / dt) } else { DVec3::ZERO };
    let bullets = if chance(stream, 0.4) { 0.02 } else { 0.0 };
    let mut bodies: Vec<Body> = Vec::new();
    for _ in 0..count {
        let radius = if chance(stream, 0.1) { 0.5 } else { stream.between(0.5 * ratio, 0.4) };
        let draws = (0..30).map(|_| origin + random_vector(stream, half)).collect::<Vec<_>>();
        let Some(centre) = draws.into_iter().find(|&at| is_free(&bodies, at, radius, |d| d)) else { continue };
        let mut body = heavy(radius, centre);
        body.velocity = drift + random_vector(stream, speed);
        if chance(stream, bullets) {
            body.velocity += random_direction(stream) * decades(stream, -3.0, -1.2) / dt;
        }
        match (stream.between(0.0, 1.0) * 60.0) as u32 {
            0 => body.motion = Motion::Held,
            1 => body.motion = Motion::Fixed,
            2 => body.motion = shake(stream, 0.5, dt),
            3 => body.force = random_vector(stream, 1e3).into(),
            _ => {}
        }
        bodies.push(body);
    }
    for _ in 0..(stream.between(0.0, 3.0) as usize) {
        let normal = random_direction(stream);
        let spheres =
            bodies.iter().filter_map(|body| Some((body.position - origin).dot(normal) - body.shape.radius()?));
        let mut wall = plane(normal, origin + normal * (spheres.fold(f64::INFINITY, f64::min) - 0.05));
        if chance(stream, 0.5) {
            wall.motion = shake(stream, 0.5, dt);
        } else if chance(stream, 0.5) {
            let servo = Servo { axis: normal, force: 1e3.into(), mass: 1.0, damping: 1.0, max_speed: 0.02 / dt };
            wall.motion = Motion::Servo(servo);
        }
        let at = (stream.between(0.0, 1.0) * bodies.len() as f64) as usize;
        bodies.insert(at, wall);
    }
    if origin == DVec3::ZERO && chance(stream, 0.4) {
        let seed = (stream.between(0.0, 1.0) * 1e6) as u64;
        let mould = Mould::of_spheres(Sizes::Between(0.5 * ratio, 0.3));
        let entrance = Entrance::Box { from: DVec3::splat(-1.2 * half), to: DVec3::splat(1.2 * half) };
        let mut inflow = Inflow::new(mould, Rate::Number((0.4 / dt).into()), 100, entrance);
        inflow.body.velocity = random_vector(stream, 0.01 / dt);
        (inflow.shapes, inflow.places) = (Stream::named(seed, "size"), Stream::named(seed, "place"));
        model.inflows.push(Inflow { start: 10.0 * dt, ..inflow });
        model.outflow = Some(Outflow { from: DVec3::splat(-1.5 * half), to: DVec3::splat(1.5 * half) });
    }
    Setup { model, bodies }
}

/// Spheres in a cell at rest, sheared, squeezed, or under pressure.
fn in_cell(stream: &mut Stream) -> Setup {
    let dt = decades(stream, -4.3, -3.3);
    let mut model = model(laws(stream, dt), dt);
    let count = stream.between(60.0, 420.0) as usize;
    let ratio = if chance(stream, 0.3) { 0.01 } else { 0.5 };
    let side = (stickslip::math::cbrt(count as f64) * stream.between(0.6, 1.3)).max(4.5);
    let mut vectors = DMat3::from_diagonal(DVec3::splat(side));
    if chance(stream, 0.4) {
        vectors.y_axis += DVec3::X * stream.between(-0.45, 0.45) * side;
    }
    let inertia = CellInertia { energy: decades(stream, -2.0, 2.0), damping_time: decades(stream, -2.5, 0.0) };
    let rate = decades(stream, -4.0, -1.9) / dt;
    let gradient =
        DMat3::from_cols(random_vector(stream, rate), random_vector(stream, rate), random_vector(stream, rate));
    let trace = (gradient.x_axis.x + gradient.y_axis.y + gradient.z_axis.z) / 3.0;
    let target = DMat3::IDENTITY * decades(stream, -1.0, 2.0);
    let control = match (stream.between(0.0, 1.0) * 6.0) as u32 {
        5 => Control::Strain { gradient: (DMat3::IDENTITY * (-0.1 * rate)).into() },
        0 => Control::Fixed,
        1 => Control::Strain { gradient: DMat3::from_cols(DVec3::ZERO, DVec3::X * rate, DVec3::ZERO).into() },
        2 => Control::Strain { gradient: (gradient - DMat3::IDENTITY * trace).into() },
        3 => Control::Pressure { target: target.into(), inertia, triclinic: true },
        _ => Control::MeanStress { pressure: target.x_axis.x.into(), axis: 1, rate: (-0.1 * rate).into(), inertia },
    };
    let mut frame = Frame::new(vectors);
    frame.corner = if chance(stream, 0.3) { random_vector(stream, 1e4) } else { DVec3::ZERO };
    let corner = frame.corner;
    model.cell = Some(Cell { frame, control: control.clone() });
    let still = chance(stream, 0.5);
    let speed = if still { 0.0 } else { decades(stream, -5.0, -1.7) / dt };
    let drift = if chance(stream, 0.3) { random_vector(stream, 0.02 / dt) } else { DVec3::ZERO };
    let bullets = if chance(stream, 0.4) && !still { 0.02 } else { 0.0 };
    // Some scenes begin with overlaps, too deep for a run.
    let crowded = chance(stream, 0.3);
    let mut bodies: Vec<Body> = Vec::new();
    for _ in 0..count {
        let radius = stream.between(0.5 * ratio, 0.5);
        let draws: Vec<DVec3> = (0..30).map(|_| corner + vectors * (random_vector(stream, 0.5) + 0.5)).collect();
        let free = |at: &DVec3| crowded || is_free(&bodies, *at, radius, |d| frame.nearest(d));
        let Some(centre) = draws.into_iter().find(free) else { continue };
        let mut body = heavy(radius, centre);
        body.velocity = drift + random_vector(stream, speed);
        if chance(stream, bullets) {
            body.velocity += random_direction(stream) * decades(stream, -3.0, -1.2) / dt;
        }
        if control == Control::Fixed && chance(stream, 0.05) {
            body.motion = if chance(stream, 0.5) { Motion::Held } else { Motion::Fixed };
        }
        bodies.push(body);
    }
    if control == Control::Fixed && chance(stream, 0.7) {
        // Between a floor and a lid it goes on for ever along two directions.
        frame.periodic[2] = false;
        model.cell = Some(Cell { frame, control: control.clone() });
        model.gravity = random_vector(stream, 1e-4 / (dt * dt)).into();
        bodies.push(plane(DVec3::Z, corner - DVec3::Z * 0.6));
        bodies.insert(0, plane(DVec3::NEG_Z, corner + DVec3::Z * (side + 0.6)));
    }
    Setup { model, bodies }
}

/// Scenes of each kind; more by `DUE_ROUNDS=1000 cargo nextest run -p stickslip --test all due`.
fn rounds() -> u64 {
    std::env::var("DUE_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

/// Random scenes of a kind, step by step.
fn none_is_late(kind: &str, scene: fn(&mut Stream) -> Setup) {
    let (mut all, mut lists) = (0, 0);
    for seed in 0..rounds() {
        let (begun, rebuilds) = compare(&format!("{kind} {seed}"), scene(&mut Stream::named(seed, kind)), 150);
        (all, lists) = (all + begun, lists + rebuilds);
    }
    println!("{all} contacts began, lists were made {lists} times");
    assert!(all > 500);
}

#[test]
fn no_contact_of_a_crowd_is_found_late() {
    none_is_late("crowd", crowd);
}

#[test]
fn no_contact_in_a_cell_is_found_late() {
    none_is_late("cell", in_cell);
}

/// The contacts of bodies that stand where those of a world do, by going through every pair.
fn all_pairs(world: &World, setup: &Setup) -> BTreeSet<(usize, usize, u32)> {
    let mut now = setup.clone();
    for (id, body) in (0..).zip(&mut now.bodies) {
        let view = world.body(id);
        (body.position, body.orientation, body.velocity) = (view.position, view.orientation, view.velocity);
        if !body.motion.yields() {
            body.motion = Motion::Fixed;
        }
    }
    SlowWorld::new(now).contacts.keys().map(|&(a, b, feature)| (a, b, u32::from(feature))).collect()
}

/// Steps, and compares with every pair after each. Returns how many began to touch.
fn compare_with_slow(name: &str, setup: Setup, steps: u64) -> usize {
    let mut world = World::new(setup.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (mut before, mut begun) = (BTreeSet::new(), 0);
    for step in 1..=steps {
        world.keep_rows(true);
        let trouble = world.step();
        if world.steps() < step {
            println!("{name} ended at step {step} of {steps}: {trouble:?}");
            break;
        }
        let rows = world.rows();
        let found: BTreeSet<_> = rows.iter().map(|row| (row.a as usize, row.b as usize, row.feature)).collect();
        let expected = all_pairs(&world, &setup);
        // Orientations are made unit vectors once more: what touches by less than that is a matter of rounding.
        let deep = |key: &&(usize, usize, u32)| {
            let is = |row: &&stickslip::measure::ContactRow| (row.a as usize, row.b as usize, row.feature) == **key;
            rows.iter().find(is).is_none_or(|row| row.overlap > 1e-12)
        };
        let wrong: Vec<_> = found.symmetric_difference(&expected).filter(deep).collect();
        assert!(wrong.is_empty(), "{name}, step {step}: {wrong:?} are found, or touch, but not both");
        begun += found.difference(&before).count();
        before = found;
    }
    begun
}

/// Ellipsoids and boxes that spin fast, so that tips and corners sweep, among spheres and planes.
fn spinning(stream: &mut Stream) -> Setup {
    let dt = 1e-3;
    let mut model = model(SpringLaws::frictionless(Normal::Hooke(Hooke::new(decades(stream, 3.0, 4.5), 0.0))), dt);
    if chance(stream, 0.5) {
        model.gravity = (random_direction(stream) * decades(stream, 0.0, 2.0)).into();
    }
    let spin = decades(stream, 0.0, 2.0);
    let mut bodies: Vec<Body> = Vec::new();
    let at = random_vector(stream, 10.0);
    for i in 0..27_u32 {
        let cell = DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9));
        let mut body = heavy(stream.between(0.05, 0.5), at + cell * 1.1);
        let size = DVec3::new(stream.between(0.1, 0.6), stream.between(0.1, 0.3), stream.between(0.1, 0.3));
        match i {
            13 => body.shape = Shape::Box { size: 2.0 * size },
            _ if i % 3 > 0 => body.shape = Shape::Ellipsoid { axes: size },
            _ => {}
        }
        body.inertia_body = Some(DVec3::new(0.05, 0.1, 0.1));
        body.velocity = random_vector(stream, 8.0);
        body.angular_velocity = random_vector(stream, spin);
        if i % 7 == 1 {
            let angular_velocity = random_vector(stream, spin);
            body.motion =
                Motion::Prescribed(Prescribed { angular_velocity: angular_velocity.into(), ..Prescribed::default() });
        }
        bodies.push(body);
    }
    for normal in [DVec3::X, DVec3::Y, DVec3::Z] {
        let mut low = plane(normal, at - normal * 0.8);
        if chance(stream, 0.5) {
            low.motion = shake(stream, 0.1, dt);
        }
        bodies.push(low);
        bodies.push(plane(-normal, at + normal * 3.0));
    }
    Setup { model, bodies }
}

/// Spheres among plates, tubes and cones that turn, shake or are pushed.
fn in_walls(stream: &mut Stream) -> Setup {
    let dt = 1e-3;
    let mut model = model(SpringLaws::frictionless(Normal::Hooke(Hooke::new(decades(stream, 3.0, 4.5), 0.0))), dt);
    let strength = decades(stream, -1.0, 2.0);
    model.gravity = random_vector(stream, strength).into();
    let at = random_vector(stream, 100.0);
    let mut bodies: Vec<Body> = Vec::new();
    for _ in 0..40 {
        let (radius, centre) = (stream.between(0.02, 0.3), at + random_vector(stream, 2.0));
        if !is_free(&bodies, centre, radius, |d| d) {
            continue;
        }
        let mut body = heavy(radius, centre);
        body.velocity = random_vector(stream, 5.0);
        bodies.push(body);
    }
    for _ in 0..5 {
        let normal = random_direction(stream);
        let along = normal.any_orthonormal_vector();
        let sides = if chance(stream, 0.5) { Sides::Both } else { Sides::Front };
        let shape = match (stream.between(0.0, 1.0) * 3.0) as u32 {
            0 => Shape::Rectangle { normal, along, size: [stream.between(0.5, 5.0), stream.between(0.5, 5.0)], sides },
            1 => {
                Shape::Tube { radius: stream.between(1.0, 3.0), length: stream.between(1.0, 5.0), axis: normal, sides }
            }
            _ => Shape::Cone { radii: [stream.between(0.5, 1.0), 3.0], length: 2.0, axis: normal, sides },
        };
        let mut wall = Body { motion: Motion::Fixed, ..Body::new(shape.clone(), 0, at + random_vector(stream, 2.0)) };
        match (stream.between(0.0, 1.0) * 4.0) as u32 {
            0 => wall.motion = shake(stream, 0.5, dt),
            1 => {
                let (angular_velocity, about) = (random_vector(stream, 30.0), Some(at));
                wall.motion = Motion::Prescribed(Prescribed {
                    angular_velocity: angular_velocity.into(),
                    about,
                    ..Prescribed::default()
                });
            }
            2 => {
                let servo = Servo { axis: normal, force: 1e3.into(), mass: 1.0, damping: 1.0, max_speed: 20.0 };
                wall.motion = Motion::Servo(servo);
            }
            _ if matches!(shape, Shape::Rectangle { .. }) => wall.motion = Motion::Belt((along * 3.0).into()),
            _ => {}
        }
        bodies.push(wall);
    }
    Setup { model, bodies }
}

#[test]
fn no_contact_of_solids_that_spin_is_found_late() {
    let name = |seed| format!("spinning {seed}");
    let begun =
        (0..rounds()).map(|seed| compare_with_slow(&name(seed), spinning(&mut Stream::named(seed, "spin")), 100));
    assert!(begun.sum::<usize>() > 100);
}

#[test]
fn no_contact_with_moving_walls_is_found_late() {
    let name = |seed| format!("walls {seed}");
    let begun =
        (0..rounds()).map(|seed| compare_with_slow(&name(seed), in_walls(&mut Stream::named(seed, "walls")), 100));
    assert!(begun.sum::<usize>() > 100);
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// The state after so many steps, in calls of random lengths, or in one for seed 0; saved and restored between them.
fn in_pieces(setup: &Setup, end: u64, threads: usize, seed: u64, restore: bool) -> String {
    on_threads(threads, || {
        let mut stream = Stream::named(seed, "pieces");
        let mut world = World::new(setup.clone()).unwrap();
        while world.steps() < end {
            let most = if seed == 0 { end } else { stream.between(1.0, 30.0) as u64 };
            world.advance(most.min(end - world.steps())).unwrap();
            if restore {
                world = World::restore(setup.clone(), &world.save()).unwrap();
            }
        }
        format!("{:?} {:?}", world.save(), world.ledger())
    })
}

#[test]
fn crowds_have_the_same_bits_for_all_threads_and_after_restores() {
    let mut all = 0;
    for seed in 0..rounds() {
        let setups = [
            crowd(&mut Stream::named(seed, "crowd")),
            in_cell(&mut Stream::named(seed, "cell")),
            spinning(&mut Stream::named(seed, "spin")),
            in_walls(&mut Stream::named(seed, "walls")),
        ];
        for (kind, setup) in setups.iter().enumerate() {
            let mut world = World::new(setup.clone()).unwrap();
            let end = (0..120).find(|_| world.step().is_err()).unwrap_or(120);
            all += end;
            let one = in_pieces(setup, end, 1, 0, false);
            for (threads, pieces, restore) in [(1, 1, false), (2, 2, false), (3, 3, true), (1, 4, true), (2, 0, false)]
            {
                let other = in_pieces(setup, end, threads, pieces, restore);
                assert!(
                    one == other,
                    "seed {seed}, kind {kind}, {threads} threads, pieces {pieces}, restored: {restore}"
                );
            }
        }
    }
    println!("{all} steps");
    assert!(all > 1000);
}

#[test]
fn the_fast_step_of_a_crowd_is_the_slow_one() {
    let mut touched = 0;
    for seed in 0..rounds() {
        let mut setup = crowd(&mut Stream::named(seed, "crowd"));
        (setup.model.inflows, setup.model.outflow) = (Vec::new(), None);
        let Method::Explicit(method) = setup.model.method else { unreachable!() };
        setup.model.method = method.with_local_damping(0.0).into();
        setup.bodies.truncate(150);
        let dt = setup.model.dt;
        // Torques of a constant size take their sign from rounding at rest.
        setup.model.laws.set(0, 0, every_law(1e-2 / (dt * dt))[seed as usize % 4].1);
        let mut slow = SlowWorld::new(setup.clone());
        let mut fast = World::new(setup).unwrap();
        let far = fast.ids().map(|id| fast.body(id).position.length()).fold(1.0, f64::max);
        for step in 1..=60 {
            if fast.step().is_err() {
                break;
            }
            slow.step();
            touched += fast.contact_count();
            assert_eq!(fast.contact_count(), slow.contacts.len(), "seed {seed}, step {step}");
            for (id, expected) in slow.bodies.iter().enumerate() {
                let body = fast.body(id as u32);
                let off = (body.position - expected.body.position).length()
                    + (body.velocity - expected.body.velocity).length() * dt;
                // Rounding of places, which some collisions amplify.
                assert!(off < 1e-12 * far, "seed {seed}, step {step}: body {id} differs by {off:e}");
            }
        }
    }
    println!("{touched} contacts, summed over steps");
    assert!(touched > 500);
}

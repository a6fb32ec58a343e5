//! Golden scenes of walls, of solids, of bodies that come and go, of loads and locks, and of a run that fails.

use super::Scene;
use super::packings::{DT, bin, binned, lattice, law};
use crate::common::*;
use glam::{DQuat, DVec3};
use stickslip::body::{Oscillation, Prescribed, Servo};
use stickslip::inflow::{Entrance, Inflow, Outflow, Rate};
use stickslip::law::*;
use stickslip::mould::Mould;
use stickslip::random::Stream;
use stickslip::sizes::Sizes;
use stickslip::world::Setup;
use stickslip::{Body, Model, Motion, Shape, Sides};

/// A model of one material under the laws of this name.
fn of_law(name: &str) -> Model {
    Model { gravity: (DVec3::Z * -50.0).into(), ..model(law(name), DT) }
}

fn prescribed(velocity: DVec3, angular_velocity: DVec3) -> Motion {
    Motion::Prescribed(Prescribed {
        velocity: velocity.into(),
        angular_velocity: angular_velocity.into(),
        ..Prescribed::default()
    })
}

fn wall(shape: Shape, position: DVec3, motion: Motion) -> Body {
    Body { motion, ..Body::new(shape, 0, position) }
}

fn rectangle(normal: DVec3, along: DVec3, size: [f64; 2]) -> Shape {
    Shape::Rectangle { normal, along, size, sides: Sides::Both }
}

// ---- walls ----

/// Walls that move, seams, belts and servos.
pub fn walls() -> Vec<Scene> {
    vec![
        shaken(),
        drum(),
        servo(),
        belt("a belt", of_law("spring-slider")),
        belt("a belt, tracked by points", of_law("tracked, points")),
        seams("seams of plates", law("spring-slider, static and kinetic")),
        seams("seams of plates, tracked", law("tracked")),
        hopper(),
    ]
}

/// A floor that shakes, a side that advances and one that turns.
fn shaken() -> Scene {
    let mut setup = binned(of_law("spring-slider, damping ratios"));
    let oscillate = Some(Oscillation { axis: DVec3::Z, amplitude: 0.05, frequency: 15.0, phase: 0.5 });
    let spin = DVec3::Z * 2.0;
    setup.bodies[0].motion =
        Motion::Prescribed(Prescribed { angular_velocity: spin.into(), oscillate, ..Prescribed::default() });
    setup.bodies[1].motion = prescribed(DVec3::X * 1.0, DVec3::ZERO);
    setup.bodies[4].motion = prescribed(DVec3::ZERO, DVec3::new(0.5, 0.0, 0.1));
    Scene { name: "a bin that shakes", setup, steps: 400, least_rows: 400 }
}

/// A turning tube, closed by a disc and a ring, with a paddle that turns otherwise.
fn drum() -> Scene {
    let turning = prescribed(DVec3::ZERO, DVec3::Y * 3.0);
    let centre = DVec3::new(2.9, 2.9, 2.9);
    let tube = Shape::Tube { radius: 4.3, length: 6.0, axis: DVec3::Y, sides: Sides::Front };
    let disc = |radii| Shape::Cone { radii, length: 0.0, axis: DVec3::Y, sides: Sides::Both };
    let paddle = rectangle(DVec3::Z, DVec3::X, [3.0, 5.0]);
    let mut bodies = vec![
        wall(tube, centre, turning.clone()),
        wall(disc([0.0, 4.3]), centre - DVec3::Y * 3.0, turning.clone()),
        wall(disc([2.0, 4.3]), centre + DVec3::Y * 3.0, turning),
        wall(paddle, centre - DVec3::Z * 3.4, prescribed(DVec3::ZERO, DVec3::new(1.0, 4.0, 0.0))),
    ];
    bodies.extend(lattice([6, 6, 6], 0.965, 2.0));
    Scene { name: "a drum with a paddle", setup: Setup { model: of_law("epsd"), bodies }, steps: 400, least_rows: 100 }
}

/// A plate that presses a packing with a force, and one at its side that is light and limited in speed.
fn servo() -> Scene {
    let mut setup = binned(of_law("lubkin"));
    let servo = |axis, force, mass, max_speed| Motion::Servo(Servo { axis, force, mass, damping: 3.0, max_speed });
    setup.bodies[1].motion = servo(DVec3::X, 300.0.into(), 5.0, 0.5);
    let lid = rectangle(DVec3::NEG_Z, DVec3::X, [5.0, 5.0]);
    setup.bodies.push(wall(lid, DVec3::new(2.9, 2.9, 7.72), servo(DVec3::NEG_Z, 2000.0.into(), 20.0, f64::INFINITY)));
    Scene { name: "servos", setup, steps: 400, least_rows: 400 }
}

/// A belt of finite length beside a fixed plate, and a belt that is a plane.
fn belt(name: &'static str, model: Model) -> Scene {
    let mut setup = binned(model);
    setup.bodies[0] =
        wall(rectangle(DVec3::Z, DVec3::X, [3.0, 8.0]), DVec3::new(1.5, 2.9, 0.0), Motion::Belt(DVec3::X.into()));
    setup.bodies[3].motion = Motion::Belt(DVec3::new(1.0, 0.0, 2.0).into());
    setup.bodies.push(wall(rectangle(DVec3::Z, DVec3::X, [5.0, 8.0]), DVec3::new(5.5, 2.9, 0.0), Motion::Fixed));
    Scene { name, setup, steps: 300, least_rows: 400 }
}

/// Spheres that slide and roll over many plates, and over a ridge: contacts and their memory change from one plate to
/// the next.
fn seams(name: &'static str, laws: SpringLaws) -> Scene {
    let mut bodies: Vec<Body> = (0..36)
        .map(|i| {
            let at = DVec3::new(f64::from(i % 6) + 0.5, f64::from(i / 6) + 0.5, 0.0);
            wall(rectangle(DVec3::Z, DVec3::X, [1.0, 1.0]), at, Motion::Fixed)
        })
        .collect();
    // Down by 30 degrees from the edge at x = 6.
    let slope = DVec3::new(0.75_f64.sqrt(), 0.0, -0.5);
    let down = rectangle(slope.cross(DVec3::NEG_Y), slope, [6.0, 6.0]);
    bodies.push(wall(down, DVec3::new(6.0, 3.0, 0.0) + slope * 3.0, Motion::Fixed));
    let mut grains = lattice([6, 6, 1], 1.0, 1.0);
    for (i, grain) in grains.iter_mut().enumerate() {
        let radius = grain.shape.radius().expect("a sphere");
        grain.velocity = DVec3::new(8.0, if i % 2 == 0 { 4.0 } else { -2.0 }, 0.0);
        grain.position.z = radius - 0.002;
        if i % 3 > 0 {
            // It rolls.
            grain.angular_velocity = DVec3::Z.cross(grain.velocity) / radius;
        }
    }
    bodies.extend(grains);
    let setup = Setup { model: Model { gravity: (DVec3::Z * -50.0).into(), ..model(damped(laws), DT) }, bodies };
    Scene { name, setup, steps: 400, least_rows: 20 }
}

/// A funnel under a tube: the seam is a circle. Its outlet is too narrow for the spheres, which rest on its rim.
fn hopper() -> Scene {
    let cone = Shape::Cone { radii: [0.8, 4.3], length: 3.0, axis: DVec3::Z, sides: Sides::Both };
    let tube = Shape::Tube { radius: 4.3, length: 6.0, axis: DVec3::Z, sides: Sides::Both };
    let middle = DVec3::new(2.9, 2.9, -1.0);
    let mut bodies =
        vec![wall(cone, middle - DVec3::Z * 1.5, Motion::Fixed), wall(tube, middle + DVec3::Z * 3.0, Motion::Fixed)];
    let mut grains = lattice([6, 6, 6], 0.965, 3.0);
    grains.iter_mut().for_each(|grain| grain.velocity.z -= 8.0);
    bodies.extend(grains);
    let setup = Setup { model: of_law("constant-torque with spin"), bodies };
    Scene { name: "a hopper", setup, steps: 400, least_rows: 100 }
}

// ---- solids ----

/// The boxes in a packing of spheres and ellipsoids. Boxes do not touch boxes: one is free, or all are moved.
#[derive(Clone, Copy, PartialEq)]
enum Boxes {
    None,
    OneFree,
    Moved,
}

/// Ellipsoids of two kinds, spheres and boxes in a bin.
fn mixed(name: &'static str, laws: SpringLaws, boxes: Boxes) -> Scene {
    let mut stream = Stream::named(31, "golden solids");
    let (counts, spacing) = ([5, 5, 4], 0.97);
    let mut bodies = bin(counts, spacing);
    for (i, grain) in lattice(counts, spacing, 2.0).into_iter().enumerate() {
        let axis = random_direction(&mut stream);
        let orientation = DQuat::from_xyzw(axis.x, axis.y, axis.z, stream.between(-1.0, 1.0)).normalize();
        let is_box = match boxes {
            Boxes::None => false,
            Boxes::OneFree => i == 37,
            Boxes::Moved => i % 10 == 7,
        };
        let shape = match i % 3 {
            _ if is_box => Shape::Box { size: DVec3::new(0.6, 0.5, 0.45) },
            0 => Shape::Ellipsoid { axes: DVec3::new(0.52, 0.42, 0.38) },
            1 => Shape::Ellipsoid { axes: DVec3::new(0.48, 0.48, 0.34) },
            _ => grain.shape,
        };
        let motion = match i % 4 {
            _ if !is_box || boxes == Boxes::OneFree => Motion::Free,
            0 => Motion::Fixed,
            _ => prescribed(DVec3::Z * 0.5, DVec3::new(0.0, 1.0, 3.0)),
        };
        let still = if motion == Motion::Free { 1.0 } else { 0.0 };
        let (velocity, angular_velocity) = (grain.velocity * still, grain.angular_velocity * still);
        bodies.push(Body { shape, motion, orientation, velocity, angular_velocity, ..grain });
    }
    let model = Model { gravity: DVec3::new(10.0, 5.0, -50.0).into(), ..model(laws, DT) };
    Scene { name, setup: Setup { model, bodies }, steps: 200, least_rows: 80 }
}

/// A box turned by this rotation vector, and two ellipsoids, that fall on a floor that shakes.
fn dropped(name: &'static str, height: f64, turn: DVec3) -> Scene {
    let oscillate = Some(Oscillation { axis: DVec3::X, amplitude: 0.02, frequency: 10.0, phase: 0.0 });
    let mut floor = plane(DVec3::Z, DVec3::ZERO);
    floor.motion = Motion::Prescribed(Prescribed { oscillate, ..Prescribed::default() });
    let size = DVec3::new(0.8, 0.6, 0.4);
    let solid = |shape, x: f64, z: f64, turn| Body {
        orientation: stickslip::frame::rotation(turn),
        velocity: DVec3::new(1.0, 0.3, -1.0),
        mass: Some(1.0),
        ..Body::new(shape, 0, DVec3::new(x, 0.0, z))
    };
    let bodies = vec![
        floor,
        solid(Shape::Box { size }, 0.0, height, turn),
        solid(Shape::Ellipsoid { axes: 0.5 * size }, 1.2, 0.21, DVec3::ZERO),
        solid(Shape::Ellipsoid { axes: 0.5 * size }, -1.2, 0.35, turn),
    ];
    Scene { name, setup: Setup { model: of_law("spring-slider"), bodies }, steps: 400, least_rows: 2 }
}

/// Ellipsoids and boxes among themselves, with spheres and with planes.
pub fn solids() -> Vec<Scene> {
    let slider = law("spring-slider");
    vec![
        mixed("ellipsoids", slider, Boxes::None),
        mixed("ellipsoids, tracked by points", law("tracked, points, paper"), Boxes::None),
        mixed("a box among ellipsoids", slider, Boxes::OneFree),
        mixed("a box among ellipsoids, tracked by points", law("tracked, points"), Boxes::OneFree),
        mixed("boxes that are moved", law("epsd from the slide law, undamped"), Boxes::Moved),
        dropped("a box on its face", 0.21, DVec3::new(0.0, 0.01, 0.7)),
        dropped("a box on its edge", 0.45, DVec3::new(0.0, 0.6, 0.2)),
        dropped("a box on its corner", 0.5, DVec3::new(0.6, 0.7, 0.0)),
    ]
}

// ---- bodies that come and go ----

/// Two streams onto a pile on a plate, from which bodies fall out of the domain.
fn streams(name: &'static str, model: Model) -> Scene {
    let (from, to) = (DVec3::new(0.0, 0.0, 6.0), DVec3::new(5.0, 5.0, 9.0));
    let stream = |number: u32, radius, rate| {
        let mould = Mould::of_spheres(radius);
        let mut inflow = Inflow::new(mould, Rate::Number(f64::into(rate)), 60, Entrance::Box { from, to });
        (inflow.body.velocity, inflow.body.angular_velocity) = (DVec3::Z * -15.0, DVec3::X);
        let [shapes, places] = ["radius", "place"].map(|name| Stream::named(1, &format!("golden[{number}].{name}")));
        Inflow { mass_by_radius: true, start: 0.01, shapes, places, ..inflow }
    };
    let mut model = Model { gravity: DVec3::new(40.0, 0.0, -50.0).into(), ..model };
    model.inflows = vec![stream(0, Sizes::Between(0.4, 0.5), 800.0), stream(1, Sizes::One(0.45), 300.0)];
    model.outflow = Some(Outflow { from: DVec3::splat(-3.0), to: DVec3::new(6.0, 9.0, 12.0) });
    let mut bodies = vec![wall(rectangle(DVec3::Z, DVec3::X, [9.0, 9.0]), DVec3::new(2.5, 2.5, 0.0), Motion::Fixed)];
    bodies.extend(lattice([6, 6, 5], 0.965, 3.0));
    Scene { name, setup: Setup { model, bodies }, steps: 500, least_rows: 100 }
}

/// Streams with removal.
pub fn traffic() -> Vec<Scene> {
    vec![
        streams("streams with removal", of_law("spring-slider")),
        streams("streams with removal, tracked", of_law("tracked, capped")),
    ]
}

// ---- loads, locks, damping ----

/// Bodies that are held, fixed, driven, locked, pushed and turned, of unequal moments; without and with local damping.
pub fn loads() -> Vec<Scene> {
    let mut setup = binned(of_law("spring-slider, limits the other way"));
    for (id, body) in setup.bodies.iter_mut().enumerate().skip(5) {
        match id % 12 {
            0 => (body.motion, body.velocity) = (Motion::Held, DVec3::ZERO),
            1 => (body.motion, body.velocity, body.angular_velocity) = (Motion::Fixed, DVec3::ZERO, DVec3::ZERO),
            2 => body.motion = prescribed(DVec3::new(0.5, 0.0, 0.2), DVec3::Z),
            3 => {
                body.lock = [false, true, false, true, false, false];
                (body.velocity.y, body.angular_velocity.x) = (0.0, 0.0);
            }
            4 => {
                (body.force, body.torque) = (DVec3::new(10.0, 20.0, 0.0).into(), DVec3::new(0.0, 1.0, 0.0).into());
            }
            5 => body.inertia_body = Some(DVec3::new(0.05, 0.08, 0.1)),
            6 => {
                body.lock = [false, false, true, true, true, false];
                (body.velocity.z, body.angular_velocity) = (0.0, DVec3::Z);
            }
            _ => {}
        }
    }
    let mut damped = setup.clone();
    damped.model.method = stickslip::model::Explicit::default().with_local_damping(0.3).into();
    vec![
        Scene { name: "loads and locks", setup, steps: 300, least_rows: 400 },
        Scene { name: "loads, locks and local damping", setup: damped, steps: 300, least_rows: 400 },
    ]
}

// ---- a run that fails ----

/// A packing whose last sphere is shot at it from above, too fast for its stiffness.
pub fn too_fast() -> Setup {
    let mut setup = binned(of_law("spring-slider"));
    let last = setup.bodies.last_mut().expect("a sphere");
    last.position.z += 2.0;
    last.velocity = DVec3::Z * -150.0;
    setup
}

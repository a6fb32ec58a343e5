//! Boxes that fall: they rebound as asked from a face, an edge and a corner, from balls and under balls, and lose energy only.

use crate::common::*;
use glam::{DQuat, DVec3};
use stickslip::law::restitution::damping_ratio;
use stickslip::law::*;
use stickslip::ledger::Loss;
use stickslip::random::Stream;
use stickslip::{Body, Motion, Shape, World};

const SIZE: DVec3 = DVec3::new(0.8, 0.5, 0.4);

fn brick(mass: f64, orientation: DQuat, position: DVec3) -> Body {
    Body { mass: Some(mass), orientation, ..Body::new(Shape::Box { size: SIZE }, 0, position) }
}

/// A normal law by its stiffness, and what an impact on `n` such springs at once with the mass `m` is like, under which no spring
/// is pressed by more than `depth`.
struct Impact {
    normal: Normal,
    speed: f64,
    dt: f64,
    /// What the scheme may be off by, as derived in `restitution.rs`.
    tolerance: f64,
}

impl Impact {
    fn hooke(k: f64, e: f64, cohesionless: bool, (n, m): (f64, f64), depth: f64) -> Self {
        let law = Hooke::with_restitution(k, e, cohesionless);
        let omega = (n * k / m).sqrt();
        let dt = 2e-3 / omega;
        let tolerance = (1.0 + e) * 2.0 * law.damping_ratio * omega * dt + omega * omega * dt * dt;
        Impact { normal: Normal::Hooke(law), speed: depth * omega, dt, tolerance }
    }

    fn hertz(k: f64, e: f64, cohesionless: bool, (n, m): (f64, f64), depth: f64, radius_eff: f64) -> Self {
        let law = Hertz::with_restitution(k, e, cohesionless);
        let speed = (0.8 * n * k * radius_eff.sqrt() * stickslip::math::pow(depth, 2.5) / m).sqrt();
        let omega = (n * law.slope(radius_eff, depth) / m).sqrt();
        let dt = 2e-3 / omega;
        let touch = 2.0 * law.damping_ratio * (n * law.slope(radius_eff, speed * dt) / m).sqrt() * dt;
        let tolerance = (1.0 + e) * touch + omega * omega * dt * dt;
        Impact { normal: Normal::Hertz(law), speed, dt, tolerance }
    }

    /// Runs until the two bodies have touched and parted.
    fn run(&self, bodies: Vec<Body>) -> World {
        let mut world = world(model(SpringLaws::frictionless(self.normal), self.dt), bodies);
        let mut touched = false;
        run_until(&mut world, 1_000_000, |world| {
            let over = touched && world.contact_count() == 0;
            touched |= world.contact_count() > 0;
            over
        });
        world
    }
}

/// A way to fall: name, orientation, height of the centre at the touch, how many corners touch.
fn falls() -> [(&'static str, DQuat, f64, f64); 3] {
    let half = SIZE * 0.5;
    let edge = DVec3::new(half.x, 0.0, half.z);
    let upright = |v: DVec3| DQuat::from_rotation_arc(v.normalize(), DVec3::Z);
    [
        ("face", DQuat::IDENTITY, half.z, 4.0),
        ("edge", upright(edge), edge.length(), 2.0),
        ("corner", upright(half), half.length(), 1.0),
    ]
}

/// A box that was dropped on a face rebounded at 0.293 of its speed where 0.5 was asked, on an edge at 0.395: every corner had the
/// whole dashpot.
#[test]
fn a_box_rebounds_as_asked_from_a_face_an_edge_and_a_corner() {
    for (name, orientation, height, n) in falls() {
        for mass in [0.01, 1.0, 300.0] {
            for k in [1e4, 1e7] {
                for (e, cohesionless) in [(0.5, false), (0.15, true)] {
                    // R_eff of a corner is half of the shortest edge.
                    let hooke = Impact::hooke(k, e, cohesionless, (n, mass), 1e-4);
                    let hertz = Impact::hertz(k, e, cohesionless, (n, mass), 1e-4, 0.2);
                    for impact in [hooke, hertz] {
                        // Half a step above the floor.
                        let start = DVec3::Z * (height + 0.5 * impact.dt * impact.speed);
                        let velocity = DVec3::Z * -impact.speed;
                        let falling = Body { velocity, ..brick(mass, orientation, start) };
                        let world = impact.run(vec![falling, plane(DVec3::Z, DVec3::ZERO)]);
                        let off = world.body(0).velocity.z / impact.speed - e;
                        let (law, most) = (impact.normal, impact.tolerance);
                        assert!(off.abs() < most, "{name}, {mass} kg, {law:?}: off by {off:e} > {most:e}");
                    }
                }
            }
        }
    }
}

/// 1/m_eff of a box along a normal at a place, by the moments m (b^2 + c^2)/12.
fn inverse_mass_at(mass: f64, arm: DVec3, normal: DVec3) -> f64 {
    let s = SIZE * SIZE;
    let moments = DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 12.0);
    let turning = arm.cross(normal);
    1.0 / mass + (turning / moments).dot(turning)
}

/// A ball that hit a box beside its middle rebounded harder than asked: the dashpot took the box for one that does not turn.
#[test]
fn a_ball_and_a_box_part_as_asked_wherever_they_meet() {
    let half = SIZE * 0.5;
    let radius = 0.3;
    let places = [
        ("middle of a face", DVec3::new(0.0, 0.0, half.z), DVec3::Z),
        ("face, off the centre", DVec3::new(0.3, -0.2, half.z), DVec3::Z),
        ("edge", DVec3::new(half.x, 0.1, half.z), DVec3::new(0.6, 0.0, 0.8)),
        ("corner", half, DVec3::new(1.0, 2.0, 2.0) / 3.0),
    ];
    // Masses of the ball and of the box; without one the box is fixed.
    for (ball_mass, box_mass) in [(1.0, Some(1.0)), (0.05, Some(2.0)), (20.0, Some(0.1)), (1.0, None)] {
        for (name, place, out) in places {
            let of_box = box_mass.map_or(0.0, |mass| inverse_mass_at(mass, place, out));
            let mass = 1.0 / (1.0 / ball_mass + of_box);
            for (k, e, cohesionless) in [(1e4, 0.5, false), (1e7, 0.2, true)] {
                let depth = 1e-6;
                let hooke = Impact::hooke(k, e, cohesionless, (1.0, mass), depth);
                let hertz = Impact::hertz(k, e, cohesionless, (1.0, mass), depth, radius);
                for impact in [hooke, hertz] {
                    // The box turns by at most its speed over a contact of pi/omega (under hertz 1.5 times that, in units of omega
                    // at its deepest), by which the arms change in length and the normal against them: 2 * 1.5 pi depth/half.z of
                    // each, twice that of the mass. ln(e) goes with the root of the mass and at most three times that for e > 0.2.
                    let turned = 18.0 * std::f64::consts::PI * depth / half.z;
                    let distance = radius + 0.5 * impact.dt * impact.speed;
                    let mut ball = Body { velocity: out * -impact.speed, ..sphere(radius, place + out * distance) };
                    ball.mass = Some(ball_mass);
                    let mut brick = brick(box_mass.unwrap_or(1.0), DQuat::IDENTITY, DVec3::ZERO);
                    if box_mass.is_none() {
                        brick.motion = Motion::Fixed;
                    }
                    let world = impact.run(vec![brick, ball]);
                    let (brick, ball) = (world.body(0), world.body(1));
                    let parting = ball.velocity - brick.velocity - brick.angular_velocity.cross(place);
                    let off = parting.dot(out) / impact.speed - e;
                    let (law, most) = (impact.normal, impact.tolerance + turned);
                    assert!(off.abs() < most, "{name}, {ball_mass} kg, {box_mass:?}, {law:?}: {off:e} > {most:e}");
                    if let Some(box_mass) = box_mass {
                        let before = out * (-impact.speed * ball_mass);
                        let after = ball.velocity * ball_mass + brick.velocity * box_mass;
                        // 1e4 steps, each rounded to 1e-16 of what there is.
                        assert!((after - before).length() < 1e-12 * before.length(), "{name}: {after} {before}");
                    }
                }
            }
        }
    }
}

/// `restitution = 0` was an error.
#[test]
fn a_fully_plastic_box_stays_and_one_that_cannot_pull_all_but_stays() {
    for (name, orientation, height, n) in falls() {
        let drop = |impact: &Impact, steps: u64| {
            let velocity = DVec3::Z * -impact.speed;
            let falling = Body { velocity, ..brick(1.0, orientation, DVec3::Z * height) };
            let bodies = vec![falling, plane(DVec3::Z, DVec3::ZERO)];
            let mut world = world(model(SpringLaws::frictionless(impact.normal), impact.dt), bodies);
            run(&mut world, steps);
            (world.body(0).velocity.z / impact.speed, world.contact_count())
        };
        // Critically damped: v = -u (1 - omega t) e^(-omega t), never apart; 4 e^-5 = 0.027 is left after omega t = 5. With a =
        // omega dt = 2e-3 the touch is known to a (1 of v) and its jump to 2 a, and the double root 1 - a of the exact motion
        // splits into 1 - a +- a^(3/2) in the scheme, which makes t of sinh(omega t a^(1/2)): 25 a/6 more. 8 a in all.
        let pulls = Impact::hooke(1e5, 0.0, false, (n, 1.0), 1e-4);
        let (left, contacts) = drop(&pulls, 2_500);
        let expected = 4.0 * stickslip::math::exp(-5.0);
        assert!((left / expected - 1.0).abs() < 8.0 * 2e-3, "{name}: {left}, not {expected}");
        assert_eq!(contacts, n as usize, "{name}");
        // Where the force may not pull, 0 stands for 0.01. The dashpot is so strong that the push lasts far longer than 1/omega.
        let clipped = Impact::hooke(1e5, 0.0, true, (n, 1.0), 1e-4);
        let (left, _) = drop(&clipped, 50_000);
        assert!((left - 0.01).abs() < clipped.tolerance, "{name}: {left}");
        assert_eq!(damping_ratio(0.0, true), damping_ratio(0.01, true));
    }
}

/// Kinetic, potential and stored energy of a world.
fn energy(world: &World) -> f64 {
    let ledger = world.ledger();
    ledger.kinetic + ledger.potential + ledger.stored
}

/// Corners come and go while a box tumbles, and with them the mass of each dashpot: that must not give energy.
#[test]
fn a_tumbling_box_loses_energy_only() {
    let mut stream = Stream::named(5, "tumbling");
    for cohesionless in [false, true] {
        for normal in [
            Normal::Hooke(Hooke::with_restitution(2e4, 0.6, cohesionless)),
            Normal::Hertz(Hertz::with_restitution(4e5, 0.6, cohesionless)),
        ] {
            let turn = stickslip::frame::rotation(random_vector(&mut stream, 1.0));
            let spin = DVec3::new(2.0, -1.5, 1.0);
            // The most by which the energy ever rises, and how often the number of touching corners changes.
            let rise = |dt: f64| {
                let mut model = model(SpringLaws::frictionless(normal), dt);
                model.gravity = (DVec3::Z * -5.0).into();
                let falling = Body { angular_velocity: spin, ..brick(1.0, turn, DVec3::Z * 0.8) };
                let mut world = world(model, vec![falling, plane(DVec3::Z, DVec3::ZERO)]);
                let (mut least, mut rise, mut changes, mut corners) = (energy(&world), 0.0_f64, 0, 0);
                for _ in 0..(2.5 / dt) as u64 {
                    world.step().expect("a box that bounces");
                    least = least.min(energy(&world));
                    rise = rise.max(energy(&world) - least);
                    changes += usize::from(corners != world.contact_count());
                    corners = world.contact_count();
                }
                assert!(world.ledger().lost[Loss::Normal] > 1.0, "it has lost most of its 5 J: {:?}", world.ledger());
                (rise, changes)
            };
            let [coarse, fine] = [4e-4, 1e-4].map(rise);
            assert!(fine.1 > 20, "{fine:?}");
            // Second order, with touches anywhere within steps: 2 but for scatter. What rises is the energy of rotation in flight, of
            // which (w dt)^2 comes and goes: less than 5 J at less than 10 rad/s.
            let order = stickslip::math::ln(coarse.0 / fine.0) / stickslip::math::ln(4.0);
            let most = 5.0 * (10.0 * 1e-4) * (10.0 * 1e-4);
            assert!(order > 1.7 && fine.0 < most, "{normal:?}: {coarse:?} {fine:?}, order {order}");
        }
    }
}

//! Many rigid contacts that resist slide, roll and spin: momentum, dissipation of every contact, bitwise identical results on any number of
//! threads and after a restart, by every solver that piles use.

use glam::DVec3;
use stickslip::cone::{Cone, Solver};
use stickslip::law::{Limit, Limits, RigidLaws};
use stickslip::measure::{BodyView, ContactRow};
use stickslip::model::Nonsmooth;
use stickslip::random::Stream;
use stickslip::world::{Setup, World};
use stickslip::{Body, Material, Model};

use crate::common::digest::all;
use crate::common::{UNIT_DENSITY, plane, run, sphere};

const GRAVITY: f64 = 9.8;

/// Slide, roll and spin at once, for spheres of radius 0.5 m.
fn model(method: Nonsmooth) -> Model {
    let limits = Limits {
        slide: Some(Limit::mu(0.5)),
        roll: Some(Limit::length(0.05)),
        spin: Some(Limit::length(0.03)),
        ..Limits::default()
    };
    let mut model = Model::new(vec![Material { name: "grain".into(), density: UNIT_DENSITY }], 0.01);
    model.gravity = (DVec3::Z * -GRAVITY).into();
    model.laws.set(0, 0, RigidLaws { limits, ..RigidLaws::default() });
    model.method = method.into();
    model
}

/// Balls of two sizes that fall into a box without a lid, sliding, rolling and spinning.
fn falling(count: u32, method: Nonsmooth) -> Setup {
    let mut stream = Stream::named(33, "friction");
    let walls = [(DVec3::X, -1.6), (DVec3::NEG_X, 1.6), (DVec3::Y, -1.6), (DVec3::NEG_Y, 1.6)];
    let mut bodies = vec![plane(DVec3::Z, DVec3::ZERO)];
    bodies.extend(walls.map(|(normal, at)| plane(normal, normal.abs() * at)));
    bodies.extend((0..count).map(|i| {
        let mut one = || stream.between(-1.0, 1.0);
        let place = DVec3::new(one(), one(), 0.7 + 1.1 * f64::from(i));
        let (velocity, spin) = (DVec3::new(one(), one(), -2.0), DVec3::new(one(), one(), one()) * 5.0);
        Body { velocity, angular_velocity: spin, ..sphere(if i % 2 == 0 { 0.5 } else { 0.4 }, place) }
    }));
    Setup { model: model(method), bodies }
}

/// Every torque and force of a contact has its opposite, at the same point.
#[test]
fn momentum_is_that_of_the_start_with_all_three_motions() {
    for (cone, solver) in [(Cone::Exact, Solver::Auto), (Cone::Associated, Solver::GaussSeidel)] {
        // Even what is far from solved has it.
        let method = Nonsmooth { cone, solver, iterations: Some(7), ..Nonsmooth::default() };
        let mut model = model(method);
        model.gravity = DVec3::ZERO.into();
        let mut stream = Stream::named(34, "friction");
        let bodies = (0..60).map(|i| {
            let at = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * 1.05;
            let mut one = || stream.between(-1.0, 1.0);
            let spin = DVec3::new(one(), one(), one());
            let velocity = DVec3::new(one(), one(), one()) - (at - DVec3::splat(1.5)) * 0.7;
            Body { velocity, angular_velocity: spin, ..sphere(if i % 3 == 0 { 0.4 } else { 0.5 }, at) }
        });
        let mut world = World::new(Setup { model, bodies: bodies.collect() }).unwrap();
        let momenta = |world: &World| {
            world.ids().map(|id| world.body(id)).fold((DVec3::ZERO, DVec3::ZERO), |sum, body| {
                let mass = 8.0 * body.radius * body.radius * body.radius;
                let inertia = 0.4 * mass * body.radius * body.radius;
                let turning = body.position.cross(body.velocity) * mass + body.angular_velocity * inertia;
                (sum.0 + body.velocity * mass, sum.1 + turning)
            })
        };
        let before = momenta(&world);
        run(&mut world, 200);
        let after = momenta(&world);
        assert!(world.ledger().total_lost() > 1.0, "they have met");
        // Rounding of 200 steps of numbers of some ten; no residual enters.
        assert!((after.0 - before.0).length() < 1e-12 && (after.1 - before.1).length() < 1e-11, "{cone:?}");
    }
}

/// Power (W) that friction takes in a contact, and what the residual may leave of that: with p the projection of g - eta u, a velocity off
/// by the residual e makes the relation exact, so that g . u <= |g| e + eta e |u|, eta at most the reduced mass.
fn friction_power(row: &ContactRow, before: &[DVec3], now: &[BodyView], residual: f64, dt: f64) -> (f64, f64) {
    let [a, b] = [row.a, row.b].map(|id| (&now[id as usize], row.point - before[id as usize]));
    let u = a.0.velocity + a.0.angular_velocity.cross(a.1) - b.0.velocity - b.0.angular_velocity.cross(b.1);
    let slip = u - row.normal * u.dot(row.normal);
    let turning = a.0.angular_velocity - b.0.angular_velocity;
    let spin = turning.dot(row.normal);
    let rolls = turning - row.normal * spin;
    let taken = -(row.slide.dot(slip) + row.roll_a.dot(rolls) + row.spin * spin);
    // Torques over R_eff and angular velocities times it, which lies between 0.2 m and 0.5 m; masses are 1 kg at most.
    let loads = row.slide.length() + (row.roll_a.length() + row.spin.abs()) / 0.2;
    let speeds = slip.length() + 0.5 * (rolls.length() + spin.abs());
    (taken, residual * (loads + speeds / dt + residual / dt) + 1e-12)
}

#[test]
fn friction_of_no_contact_creates_energy() {
    for cone in [Cone::Exact, Cone::Associated] {
        let method = Nonsmooth { cone, solver: Solver::Auto, tolerance: Some(1e-8), ..Nonsmooth::default() };
        let mut world = World::new(falling(30, method)).unwrap();
        let views = |world: &World| world.ids().map(|id| world.body(id)).collect::<Vec<_>>();
        let (mut seen, mut taken) = (0, 0.0);
        for _ in 0..150 {
            let before: Vec<DVec3> = views(&world).iter().map(|body| body.position).collect();
            world.keep_rows(true);
            world.step().unwrap();
            let now = views(&world);
            let residual = world.solver().unwrap().certificate.residual_max;
            for row in world.rows() {
                let (power, slack) = friction_power(&row, &before, &now, residual, world.model().dt);
                assert!(power >= -slack, "{cone:?} step {}: {power:e} {slack:e} {row:?}", world.steps());
                seen += 1;
                taken += power * world.model().dt;
            }
        }
        assert!(seen > 1000 && taken > 1.0, "{seen} {taken}");
    }
}

/// Enough balls on each other that threads share the work.
fn many(solver: Solver) -> Setup {
    let mut bodies = vec![plane(DVec3::Z, DVec3::ZERO)];
    for i in 0..14_u32.pow(3) {
        let at = DVec3::new(f64::from(i % 14), f64::from(i / 14 % 14), f64::from(i / 196) + 0.5 + 1e-3);
        let shift = DVec3::new(0.02, 0.01, 0.0) * f64::from(i / 196);
        let spin = DVec3::new(0.3, -0.2, 0.1) * f64::from(i % 7);
        bodies.push(Body { velocity: DVec3::Z * -0.5, angular_velocity: spin, ..sphere(0.5, at + shift) });
    }
    // `auto` takes the accelerated gradient after 40 sweeps.
    Setup { model: model(Nonsmooth { solver, iterations: Some(60), ..Nonsmooth::default() }), bodies }
}

#[test]
fn piles_are_bitwise_identical_on_1_2_3_and_8_threads() {
    let end = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(many(Solver::Auto)).unwrap();
            world.advance(4).unwrap();
            assert!(world.candidate_count() > 7 * 512, "threads share a colour from 512 rows on");
            all(&world)
        })
    };
    let one = end(1);
    assert_eq!([end(2), end(3), end(8)], [one; 3]);
}

#[test]
fn a_pile_with_rolling_friction_restarts_to_the_bit() {
    for solver in [Solver::GaussSeidel, Solver::Apgd, Solver::Auto] {
        let setup = || falling(20, Nonsmooth { solver, tolerance: Some(1e-5), ..Nonsmooth::default() });
        let mut whole = World::new(setup()).unwrap();
        whole.advance(60).unwrap();
        let saved = whole.save();
        let mut again = World::restore(setup(), &saved).unwrap();
        assert_eq!(all(&again), all(&whole), "{solver:?}");
        whole.advance(60).unwrap();
        again.advance(60).unwrap();
        assert_eq!(all(&again), all(&whole), "{solver:?}");
    }
}

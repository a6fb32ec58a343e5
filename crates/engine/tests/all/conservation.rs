//! What is conserved, what the ledger says, and how fast errors fall with the step.

use crate::common::elastic::elastic_laws;
use crate::common::*;
use glam::DVec3;
use stickslip::body::{Oscillation, Prescribed};
use stickslip::law::*;
use stickslip::model::Integrator;
use stickslip::random::Stream;
use stickslip::{Body, Motion, World};

/// Fifty spheres of radii 0.4 to 0.5 on a loose lattice, thrown at each other and spinning.
fn soup() -> Vec<Body> {
    let mut stream = Stream::named(3, "soup");
    let mut bodies = Vec::new();
    for i in 0..50_u32 {
        let cell = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) - DVec3::splat(1.5);
        let position = cell * 1.1 + random_vector(&mut stream, 0.04);
        bodies.push(Body {
            velocity: random_vector(&mut stream, 0.5) - position * 1.5,
            angular_velocity: random_vector(&mut stream, 2.0),
            ..sphere(stream.between(0.4, 0.5), position)
        });
    }
    bodies
}

/// Linear momentum, angular momentum about the origin, and sum m|v|.
fn momenta(world: &World, bodies: &[Body]) -> (DVec3, DVec3, f64) {
    let (mut linear, mut angular, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for (id, body) in bodies.iter().enumerate() {
        let (mass, inertia) = body.mass_and_inertia(UNIT_DENSITY);
        let now = world.body(id as u32);
        linear += now.velocity * mass;
        angular += now.position.cross(now.velocity) * mass + now.angular_velocity * inertia;
        size += mass * now.velocity.length();
    }
    (linear, angular, size)
}

#[test]
fn momentum_and_angular_momentum_are_conserved_by_every_law() {
    // The loads of a contact are opposite, and so are their moments about the contact point; kicks and drifts of both
    // integrators conserve both sums. So rounding alone: 1e-16 of 50 terms, a random walk over 2000 steps. The issue
    // asks for 1e-12 of sum m|v|; lengths are of order 1, so the same number serves for the angular momentum.
    let bodies = soup();
    for integrator in [Integrator::VelocityVerlet, Integrator::SymplecticEuler] {
        for (name, laws) in every_law(1e3).into_iter().chain(elastic_laws(1e3)) {
            let mut model = model(laws, 1e-3);
            model.method = stickslip::model::Explicit::default().with_integrator(integrator).into();
            let mut world = world(model, bodies.clone());
            let (linear, angular, size) = momenta(&world, &bodies);
            let mut touched = 0;
            for step in 1..=2000 {
                run(&mut world, step);
                touched = touched.max(world.contact_count());
            }
            assert!(touched > 30, "{name}: {touched} contacts are no soup");
            let (linear_now, angular_now, _) = momenta(&world, &bodies);
            let off = (linear_now - linear).length().max((angular_now - angular).length());
            assert!(off < 1e-12 * size, "{name}, {integrator:?}: {off:e} of {size}");
        }
    }
}

/// An oblique, spinning impact of the parameters of Santos et al.; `phase` shifts the touch within a step of 0.02.
/// Returns the ledger's error and the loss.
fn oblique_impact(dt: f64, phase: f64) -> (f64, f64) {
    let shift = 0.1 * 0.02 * phase;
    let ball = |side: f64, velocity, spin| Body {
        velocity,
        angular_velocity: spin,
        ..sphere(0.5, DVec3::new(side * (0.5113 + shift), -side * 0.1, -side * 0.05))
    };
    let bodies = vec![
        ball(-1.0, DVec3::new(0.1, 0.02, -0.01), DVec3::new(0.2, -0.3, 0.25)),
        ball(1.0, DVec3::new(-0.1, 0.01, 0.03), DVec3::new(-0.15, 0.1, 0.3)),
    ];
    let mut world = world(model(santos(SliderOptions::default(), 0.3, 0.3), dt), bodies);
    run(&mut world, (5.0 / dt) as u64);
    assert_eq!(world.contact_count(), 0, "the spheres must have parted");
    let ledger = world.ledger();
    (ledger.error, ledger.total_lost())
}

#[test]
fn the_ledger_closes_to_a_thousandth_of_the_loss_and_to_second_order() {
    // The figures. Touch and parting fall anywhere within a step, so a single impact has errors of varying
    // sign: hence the rms over 20 phases. The bound on the order allows for these phases being a sample.
    let error_at = |dt: f64| {
        let impacts: Vec<(f64, f64)> = (0..20).map(|i| oblique_impact(dt, f64::from(i) / 20.0)).collect();
        let errors: Vec<f64> = impacts.iter().map(|(error, lost)| error / lost).collect();
        rms(&errors)
    };
    let errors = [0.02, 0.01, 0.005, 0.0025].map(error_at);
    println!("rms of the ledger's error over the loss: {errors:?}, orders {:?}", orders(&errors, 2.0));
    assert!(errors[0] < 1e-3, "{errors:?}");
    let mean_order = orders(&errors, 2.0).iter().sum::<f64>() / 3.0;
    assert!(mean_order > 1.7, "{errors:?}");
}

/// A bed of 4 x 4 x 3 spheres between walls, shaken by the plate below it; ledger error over the plate's work.
fn shaken_bed(dt: f64) -> (f64, f64) {
    let laws = SpringLaws { normal: Normal::Hooke(Hooke::with_restitution(1e4, 0.6, false)), ..every_law(1e4)[0].1 };
    let mut model = model(laws, dt);
    model.gravity = (DVec3::Z * -10.0).into();
    let oscillate = Some(Oscillation { axis: DVec3::new(0.6, 0.0, 0.8), amplitude: 0.05, frequency: 5.0, phase: 0.3 });
    let shaking = Motion::Prescribed(Prescribed { oscillate, ..Prescribed::default() });
    let mut bodies = vec![Body { motion: shaking, ..plane(DVec3::Z, DVec3::ZERO) }];
    for (normal, at) in [(DVec3::X, -0.6), (-DVec3::X, 3.7), (DVec3::Y, -0.6), (-DVec3::Y, 3.7)] {
        bodies.push(plane(normal, normal.abs() * at));
    }
    let mut stream = Stream::named(5, "bed");
    for i in 0..48_u32 {
        let cell = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * 1.04;
        bodies.push(sphere(0.5, cell + DVec3::Z * 0.51 + random_vector(&mut stream, 0.01)));
    }
    let mut world = world(model, bodies);
    run(&mut world, (1.0 / dt) as u64);
    let ledger = world.ledger();
    assert!(ledger.total_lost() > 0.1 && ledger.work > 0.1, "{ledger:?}");
    (ledger.error / ledger.work.max(ledger.total_lost()), ledger.work)
}

#[test]
fn the_balance_closes_when_a_plate_shakes_a_bed() {
    // Hundreds of impacts, each with an error of second order and random sign; at a hundredth of the contact time,
    // 1e-2^2 of what is turned over each, and less in sum.
    let dt = 0.01 * std::f64::consts::PI / (2.0 * 1e4_f64).sqrt();
    let (error, work) = shaken_bed(dt);
    println!("shaken bed: error {error:e} of the work {work}");
    assert!(error.abs() < 1e-3, "{error:e}");
    assert!(shaken_bed(0.25 * dt).0.abs() < 1e-4);
}

#[test]
fn elastic_frictionless_collisions_conserve_energy_to_second_order() {
    // While spheres touch, the energy of velocity Verlet ripples by (omega dt)^2; it is measured after all have parted.
    let error_at = |dt: f64| {
        let errors: Vec<f64> = (0..20)
            .map(|phase| {
                let ball = |side: f64| Body {
                    velocity: DVec3::new(-side, 0.2 * side, 0.0),
                    ..sphere(0.5, DVec3::new(side * (0.51 + 1e-4 * f64::from(phase)), 0.1, 0.0))
                };
                let laws = SpringLaws::frictionless(Normal::Hertz(Hertz::with_restitution(1e5, 1.0, false)));
                let mut world = world(model(laws, dt), vec![ball(-1.0), ball(1.0)]);
                let before = world.ledger().kinetic;
                run(&mut world, (0.15 / dt) as u64);
                assert!(world.contact_count() == 0 && world.body(0).velocity.x < 0.0, "they must have parted");
                world.ledger().kinetic / before - 1.0
            })
            .collect();
        rms(&errors)
    };
    let errors = [2e-3, 1e-3, 5e-4].map(error_at);
    println!("elastic collision, rms of the relative energy error: {errors:?}");
    for order in orders(&errors, 2.0) {
        assert!(order > 1.8, "{errors:?}");
    }
}

/// A sphere bobbing on a plane about its resting overlap, never leaving it: (largest) error of its height over a
/// period.
fn bobbing(integrator: Integrator, dt: f64) -> f64 {
    use stickslip::math::cos;
    let (k, g) = (100.0_f64, 1.0);
    let mut model = model(SpringLaws::frictionless(Normal::Hooke(Hooke::new(k, 0.0))), dt);
    model.gravity = (DVec3::Z * -g).into();
    model.method = stickslip::model::Explicit::default().with_integrator(integrator).into();
    // m = 1: rests at an overlap of 0.01, starts 0.004 above that.
    let rest = 0.5 - g / k;
    let mut world = world(model, vec![sphere(0.5, DVec3::Z * (rest + 0.004)), plane(DVec3::Z, DVec3::ZERO)]);
    let mut worst = 0.0_f64;
    while world.time() < 0.5 {
        world.step().expect("sound");
        let exact = rest + 0.004 * cos(k.sqrt() * world.time());
        worst = worst.max((world.body(0).position.z - exact).abs());
    }
    worst
}

#[test]
fn velocity_verlet_is_of_second_order_and_symplectic_euler_of_first() {
    // Closed form: a cosine of frequency sqrt(k/m) = 10. Verlet's phase error is omega^3 dt^2 t/24, so 0.004 * 1000 *
    // 0.5/24 dt^2 = 0.083 dt^2 at most (amplitude errors are smaller). Euler's path is shifted by half a step: 0.004 *
    // omega dt/2.
    let steps = [4e-3, 2e-3, 1e-3];
    for (integrator, expected) in [(Integrator::VelocityVerlet, 2.0), (Integrator::SymplecticEuler, 1.0)] {
        let errors = steps.map(|dt| bobbing(integrator, dt));
        for order in orders(&errors, 2.0) {
            assert!((order - expected).abs() < 0.05, "{integrator:?}: {errors:?}");
        }
        let bound = if expected == 2.0 { 0.1 * steps[0] * steps[0] } else { 0.025 * steps[0] };
        assert!(errors[0] < bound, "{integrator:?}: {errors:?}");
    }
}

//! The coefficient of restitution asked for is the one that comes out, for both normal laws, with and without pull, at
//! any speed.

use crate::common::*;
use glam::DVec3;
use stickslip::Body;
use stickslip::law::restitution::damping_ratio;
use stickslip::law::*;

/// Stiffness of the springs, hooke in N/m, hertz in Pa.
const K: f64 = 1e5;

/// Rebound speed over approach speed of two unit spheres that meet head-on with relative speed `speed`.
fn measured(normal: Normal, speed: f64, dt: f64) -> f64 {
    let ball = |side: f64| Body { velocity: DVec3::X * (-0.5 * side * speed), ..sphere(0.5, DVec3::X * 0.5 * side) };
    let mut world = world(model(SpringLaws::frictionless(normal), dt), vec![ball(-1.0), ball(1.0)]);
    loop {
        world.step().expect("a collision of moderate depth");
        let parting = world.body(1).velocity.x - world.body(0).velocity.x;
        if parting > 0.0 && world.contact_count() == 0 {
            return parting / speed;
        }
        assert!(world.steps() < 1_000_000, "the spheres must part");
    }
}

#[test]
fn hooke_rebounds_as_asked() {
    // The force of the dashpot jumps from 0 to c v at the touch, and from c e v to 0 at the end unless it is clipped.
    // The step in which that happens is known to dt, so e is off by (c/m_eff) dt at the touch and e times that at the
    // end; in between the scheme errs by (omega dt)^2.
    let omega = (K / 0.5).sqrt();
    let dt = 1e-3 / omega;
    for cohesionless in [false, true] {
        for e in [0.1, 0.4, 0.7, 0.95] {
            let law = Hooke::with_restitution(K, e, cohesionless);
            let rate = 2.0 * law.damping_ratio * omega;
            let tolerance = (1.0 + e) * rate * dt + omega * omega * dt * dt;
            for speed in [0.1, 1.0] {
                let off = measured(Normal::Hooke(law), speed, dt) - e;
                assert!(off.abs() < tolerance, "e = {e}, cohesionless: {cohesionless}: off by {off:e} > {tolerance:e}");
            }
        }
    }
}

#[test]
fn hertz_rebounds_as_asked_at_every_speed() {
    // Here the dashpot grows from zero as d^(1/4). One step of the touch, v dt deep, holds at most 2 sqrt(5/6) b
    // sqrt(S/m_eff) dt with S at that depth; in between (omega dt)^2 with omega at the deepest point, where (2/5) K
    // sqrt(R_eff) d^(5/2) = m_eff v^2/2.
    for cohesionless in [false, true] {
        for e in [0.1, 0.4, 0.7, 0.95] {
            let law = Hertz::with_restitution(K, e, cohesionless);
            for speed in [0.1_f64, 1.0] {
                let (m, r) = (0.5_f64, 0.25_f64);
                let deepest = stickslip::math::pow(m * speed * speed / (0.8 * K * r.sqrt()), 0.4);
                let omega = (law.slope(r, deepest) / m).sqrt();
                let dt = 1e-3 / omega;
                let touch = 2.0 * law.damping_ratio * (law.slope(r, speed * dt) / m).sqrt() * dt;
                let tolerance = (1.0 + e) * touch + omega * omega * dt * dt;
                let off = measured(Normal::Hertz(law), speed, dt) - e;
                assert!(
                    off.abs() < tolerance,
                    "e = {e}, cohesionless: {cohesionless}, {speed} m/s: off by {off:e} > {tolerance:e}"
                );
            }
        }
    }
}

#[test]
fn the_textbook_ratio_rebounds_at_0_472_when_clipped() {
    // THEORY.md eq. 3.5, for e = 0.4; 0.472 is rounded to 5e-4.
    let b = Hooke::with_restitution(K, 0.4, false).damping_ratio;
    let hooke = Hooke { damping_ratio: b, ..Hooke::with_restitution(K, 1.0, true) };
    let hertz = Hertz { damping_ratio: b, ..Hertz::with_restitution(K, 1.0, true) };
    for normal in [Normal::Hooke(hooke), Normal::Hertz(hertz)] {
        let e = measured(normal, 1.0, 2e-6);
        assert!((e - 0.472).abs() < 1e-3, "{e}");
    }
}

/// A contact that pulled as it ended still rubbed: an impact that slides throughout took 6.7 % too much from the sliding at e = 0.5.
#[test]
fn friction_of_a_sliding_impact_is_mu_times_what_presses() {
    // A dashpot of ratio b makes the force zero when the speed is e_c, eq. 3.5 at this b, and negative from then on until it is e.
    let (mu, e) = (0.2, 0.5);
    let b = damping_ratio(e, false);
    let s = (1.0 - b * b).sqrt();
    let angle = std::f64::consts::PI - stickslip::math::atan2(2.0 * b * s, 1.0 - 2.0 * b * b);
    let released = stickslip::math::exp(-b / s * angle);
    let omega = K.sqrt();
    let dt = 1e-3 / omega;
    let lost = |cohesionless: bool, slip: Slip| {
        let normal = Hooke::with_restitution(K, e, cohesionless);
        let options = SliderOptions { slip, ..SliderOptions::default() };
        let slide = SlideSlider { options, ..SlideSlider::new(K, 0.0, Limit::mu(mu)) };
        let slide = Some(Slide::SpringSlider(slide));
        let laws = SpringLaws { slide, ..SpringLaws::frictionless(Normal::Hooke(normal)) };
        // m = 1, u = 1; it slides at 100, of which friction takes less than one.
        let ball = Body { velocity: DVec3::new(100.0, 0.0, -1.0), ..sphere(0.5, DVec3::Z * 0.5) };
        let mut world = world(model(laws, dt), vec![ball, plane(DVec3::Z, DVec3::ZERO)]);
        let mut touched = false;
        run_until(&mut world, 100_000, |world| {
            let over = touched && world.contact_count() == 0;
            touched |= world.contact_count() > 0;
            over
        });
        let (now, rate) = (world.body(0).velocity, 2.0 * normal.damping_ratio * omega);
        assert!((now.z - e).abs() < 2.0 * rate * dt + 1e-6);
        (100.0 - now.x) / mu
    };
    // As above: jumps of the dashpot are known to a step, each of at most 2 b omega dt; the sticking spring takes a step as well,
    // until mu N is k v dt: below 1e-3.
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 2e-3, "{found}, not {expected}");
    close(lost(false, Slip::Series), 1.0 + released);
    close(lost(true, Slip::Series), 1.0 + e);
    // LAMMPS counts what pulls, too: 1.067 times 1 + e.
    close(lost(false, Slip::Lammps), 1.0 + 2.0 * released - e);
    assert!(((1.0 + 2.0 * released - e) / (1.0 + e) - 1.067).abs() < 1e-3);
}

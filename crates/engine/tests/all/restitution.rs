//! The coefficient of restitution asked for is the one that comes out, for both normal laws, with and without pull, at
//! any speed.

use crate::common::*;
use glam::DVec3;
use stickslip::Body;
use stickslip::law::*;

/// Stiffness of the springs, hooke in N/m, hertz in Pa.
const K: f64 = 1e5;

/// Rebound speed over approach speed of two unit spheres that meet head-on with relative speed `speed`.
fn measured(normal: Normal, speed: f64, dt: f64) -> f64 {
    let ball = |side: f64| Body { velocity: DVec3::X * (-0.5 * side * speed), ..sphere(0.5, DVec3::X * 0.5 * side) };
    let mut world = world(model(PairLaws::frictionless(normal), dt), vec![ball(-1.0), ball(1.0)]);
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

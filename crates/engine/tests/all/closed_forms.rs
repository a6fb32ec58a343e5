//! One sphere on a plane: thrown, rolling, spinning, on an incline. All have closed forms.
//!
//! m = 1, R = 0.5, I = 0.1, g = 1, so N = 1 on the level. The sphere starts at the overlap d = N/k that bears it. The
//! closed forms take R for the lever of the friction force, which is R - d/2: relative error d/2R = 1e-5, far below
//! the rest.

use crate::common;
use crate::common::*;
use glam::DVec3;
use stickslip::contact::Mode;
use stickslip::law::*;
use stickslip::{Body, World};

const R: f64 = 0.5;
const INERTIA: f64 = 0.1;
const K: f64 = 1e5;
const DT: f64 = 1e-4;
/// A tenth of critical for the normal, half of critical for the slide.
const GAMMA: f64 = 60.0;
const GAMMA_SLIDE: f64 = 170.0;

fn steps_of(time: f64) -> u64 {
    (time / DT) as u64
}

fn slide(mu: f64) -> Option<Slide> {
    Some(Slide::SpringSlider(SlideSlider::new(K, GAMMA_SLIDE, Limit::mu(mu))))
}

fn laws(slide: Option<Slide>, roll: Option<Roll>, spin: Option<Spin>) -> SpringLaws {
    SpringLaws { normal: Normal::Hooke(Hooke::new(K, GAMMA)), slide, roll, spin, friction: None }
}

/// A sphere resting on the plane z = 0 under a gravity of 1 that is tilted by `tan_slope` towards x.
fn on_plane(laws: SpringLaws, tan_slope: f64, velocity: f64, angular_velocity: DVec3, dt: f64) -> World {
    let cosine = 1.0 / (1.0 + tan_slope * tan_slope).sqrt();
    let mut model = model(laws, dt);
    model.gravity = DVec3::new(tan_slope * cosine, 0.0, -cosine).into();
    let Normal::Hooke(normal) = laws.normal else { panic!("these tests use hooke") };
    let ball = Body {
        velocity: DVec3::X * velocity,
        angular_velocity,
        ..sphere(R, DVec3::Z * (R - cosine / normal.stiffness))
    };
    world(model, vec![ball, plane(DVec3::Z, DVec3::ZERO)])
}

/// Rolling laws with the same limit mu_r R N and, where there are springs, l = `stiffness` N/m at the rim; each with
/// its dashpot as a torque per rate (N m s) that stands outside the cap.
fn rolling_laws(mu_r: f64, stiffness: f64) -> Vec<(&'static str, Roll, f64)> {
    let limit = Limit::mu(mu_r);
    let epsd = |damping_ratio| RollEpsd { stiffness: stiffness * R * R, slide_stiffness: 0.0, damping_ratio, limit };
    // I_r of a sphere on a plane: I + m R^2 = 0.35.
    let dashpot = 2.0 * 0.3 * (0.35 * stiffness * R * R).sqrt();
    vec![
        ("constant-torque", Roll::ConstantTorque(RollConstantTorque { limit, include_spin: false }), 0.0),
        ("spring-slider", Roll::SpringSlider(RollSlider::new(stiffness, 0.0, limit)), 0.0),
        ("spring-slider, damped", Roll::SpringSlider(RollSlider::new(stiffness, 0.1 * stiffness.sqrt(), limit)), 0.0),
        ("epsd", Roll::Epsd(epsd(0.3)), dashpot),
        ("epsd, undamped", Roll::Epsd(epsd(0.0)), 0.0),
    ]
}

#[test]
fn a_sphere_thrown_without_spin_slips_then_rolls_then_rests() {
    let (mu, mu_r, v0) = (0.3, 0.1, 1.0);
    let slip_ends = 2.0 * v0 / (7.0 * mu - 5.0 * mu_r);
    let speed_then = 5.0 * v0 * (mu - mu_r) / (7.0 * mu - 5.0 * mu_r);
    let rests = v0 / mu_r;
    for (name, roll, dashpot) in rolling_laws(mu_r, K) {
        let mut world = on_plane(laws(slide(mu), Some(roll), None), 0.0, v0, DVec3::ZERO, DT);
        world.keep_rows(true);
        let (mut slipped, mut end) = (false, None);
        run_until(&mut world, steps_of(1.1 * rests), |world| {
            match world.rows()[0].mode[0] {
                Mode::Slip => slipped = true,
                _ if slipped && end.is_none() => end = Some((world.time(), world.body(0).velocity.x)),
                _ => {}
            }
            world.body(0).velocity.x <= 0.0
        });
        let (time, speed) = end.expect("the slip ends");
        // The slide spring needs mu N/k = 3e-6 m of slip, less than one step. The rolling spring needs l = mu_r N/k of
        // rolling, which takes up to sqrt(2 l/(2.5 g (mu - mu_r))), during which up to its whole limit is missing:
        // 2.5 mu_r g of the 2.5 (mu - mu_r) g + mu g = 0.8 g at which slip decays. A dashpot outside the cap adds the
        // momentum (dashpot) l/R. Three steps for finding the moment.
        let l = mu_r / K;
        let spring = if name == "constant-torque" { 0.0 } else { (2.0 * l / (2.5 * (mu - mu_r))).sqrt() };
        let decay = 3.5 * mu - 2.5 * mu_r;
        let tolerance = 3.0 * DT + (2.5 * mu_r * spring + dashpot * l / INERTIA) / decay + 1e-5 * slip_ends;
        assert!((time - slip_ends).abs() < tolerance, "{name}: slip ends at {time}, not {slip_ends}");
        assert!((speed - speed_then).abs() < mu * tolerance, "{name}: {speed} then, not {speed_then}");
        // Errors so far count (1 + 7 mu/(5 mu_r)) times; at the end constant torque reverses the spin within a step
        // from 2.5 mu_r g dt on, 3.5 steps before rest.
        let tolerance = (1.0 + 7.0 * mu / (5.0 * mu_r)) * tolerance + 4.0 * DT;
        let rest = world.time();
        assert!((rest - rests).abs() < tolerance, "{name}: rests at {rest}, not {rests}, to {tolerance}");
    }
}

#[test]
fn a_sphere_started_rolling_rests_where_and_when_it_should() {
    // With soft rolling springs, so that what they change is seen: l = mu_r N/k = 1e-3 m of rolling until the limit.
    let (mu, mu_r, v0, stiffness) = (0.3, 0.1, 1.0, 1e2);
    let l = mu_r / stiffness;
    let (rests, distance) = (7.0 * v0 / (5.0 * mu_r), 7.0 * v0 * v0 / (10.0 * mu_r));
    for (name, roll, dashpot) in rolling_laws(mu_r, stiffness) {
        let mut world = on_plane(laws(slide(mu), Some(roll), None), 0.0, v0, DVec3::Y * (v0 / R), DT);
        run_until(&mut world, steps_of(1.1 * rests), |world| world.body(0).velocity.x <= 0.0);
        let (time, way) = (world.time(), world.body(0).position.x);
        // The moment about the contact point knows nothing of the slide, so the rolling torque alone counts. The
        // spring does (mu_r N) l/2 less work than the limit would: up to l/2 farther, l/(2 v0) later. A dashpot
        // outside the cap does up to (dashpot v0/R) l/R more (and acts for up to a step too long): nearer by that over
        // mu_r N. Finding the moment: 10 steps; and the lever.
        let springy = if name == "constant-torque" { 0.0 } else { 0.5 * l };
        let more = dashpot * v0 / R * (l + v0 * DT) / R / mu_r;
        let found = 10.0 * DT + 1e-5 * rests;
        let late = time - rests;
        assert!(late < springy / v0 + found && late > -more / v0 - found, "{name}: rests {late:e} s late");
        let far = way - distance;
        assert!(
            far < springy + 1e-5 * distance + DT && far > -more - 1e-5 * distance - DT,
            "{name}: {far:e} m too far"
        );
        // Then the spring, loaded to its limit, may push it back, by 2 l when nothing damps.
        common::run(&mut world, steps_of(time) + 30_000);
        let back = way - world.body(0).position.x;
        assert!(back < 2.0 * l + DT && back > -DT, "{name}: rolls back by {back:e}");
    }
}

#[test]
fn spin_stops_on_time() {
    // I w0 = (length N) t. A spring of angle phi = length N/k delays it by at most phi/w0. Stopped: slower than what
    // the torque takes in one step, below which a constant torque only flips its sign. Finding the moment: 2 steps.
    let (length, w0, k, dt) = (0.01, 1.0, 10.0, 2e-4);
    let stops = INERTIA * w0 / length;
    let kick = length * dt / INERTIA;
    let mu = Limit::mu(length / R);
    for (name, spin, phi) in [
        ("constant-torque", Spin::ConstantTorque(SpinConstantTorque { limit: Limit::length(length) }), 0.0),
        ("constant-torque by mu", Spin::ConstantTorque(SpinConstantTorque { limit: mu }), 0.0),
        ("spring-slider", Spin::SpringSlider(SpinSlider::new(k, 0.0, Limit::length(length))), length / k),
        ("spring-slider by mu, damped", Spin::SpringSlider(SpinSlider::new(k, 0.3, mu)), length / k),
    ] {
        let mut world = on_plane(laws(slide(0.3), None, Some(spin)), 0.0, 0.0, DVec3::Z * w0, dt);
        run_until(&mut world, (1.1 * stops / dt) as u64, |world| world.body(0).angular_velocity.z <= kick);
        let late = world.time() - stops;
        assert!(late < phi / w0 + 2.0 * dt && late > -2.0 * dt, "{name}: {late:e} s late");
        // Nothing else moves: the centre stays where it is.
        assert!(world.body(0).velocity.length() < 1e-9, "{name}");
    }
}

/// Softer and with larger steps, so that small accelerations have time to show: d/2R = 1e-4.
const SOFT: f64 = 1e4;
const SOFT_DT: f64 = 5e-4;

/// Speed down the slope at the end of `duration`, and the largest speed in its last tenth.
fn on_slope(slide: SlideSlider, roll: Roll, tan_slope: f64, velocity: f64, duration: f64) -> (f64, f64) {
    let laws = SpringLaws {
        normal: Normal::Hooke(Hooke::new(SOFT, 100.0)),
        slide: Some(Slide::SpringSlider(slide)),
        roll: Some(roll),
        spin: None,
        friction: None,
    };
    let mut world = on_plane(laws, tan_slope, velocity, DVec3::ZERO, SOFT_DT);
    let steps = (duration / SOFT_DT) as u64;
    run(&mut world, steps - steps / 10);
    let mut fastest = 0.0_f64;
    while world.steps() < steps {
        world.step().expect("sound");
        fastest = fastest.max(world.body(0).velocity.length());
    }
    (world.body(0).velocity.x, fastest)
}

/// Rolling laws with these dashpots (kg/s at the rim; fraction of critical). Critical for rolling on the spring is
/// 2 sqrt(1.4 m k) = 237 kg/s.
fn slope_rolling_laws(limit: Limit, damping: f64, damping_ratio: f64) -> [(&'static str, Roll); 2] {
    let epsd = RollEpsd { stiffness: SOFT * R * R, slide_stiffness: 0.0, damping_ratio, limit };
    [("spring-slider", Roll::SpringSlider(RollSlider::new(SOFT, damping, limit))), ("epsd", Roll::Epsd(epsd))]
}

#[test]
fn on_an_incline_a_sphere_rests_iff_the_slope_is_below_both_coefficients() {
    let duration = 20.0;
    for (mu, mu_r) in [(0.3, 0.1), (0.1, 0.3)] {
        let slide = SlideSlider::new(SOFT, 100.0, Limit::mu(mu));
        for (name, roll) in slope_rolling_laws(Limit::mu(mu_r), 100.0, 0.5) {
            let limit = mu.min(mu_r);
            for share in [0.5, 0.97, 0.99] {
                let (_, fastest) = on_slope(slide, roll, share * limit, 0.0, duration);
                // At rest: what is left of the first swing has died out over hundreds of its periods.
                assert!(fastest < 1e-10, "{name}, mu {mu}, mu_r {mu_r}, {share} of the limit: moves at {fastest:e}");
            }
            for share in [1.01, 1.03, 1.5] {
                let slope = share * limit;
                let (speed, _) = on_slope(slide, roll, slope, 0.0, duration);
                let cosine = 1.0 / (1.0 + slope * slope).sqrt();
                let rolls = mu_r < mu;
                // Rolling, the inertia is 7/5 of the mass. Until the spring (limit/k long) is loaded the sphere goes
                // faster, at the acceleration of no resistance at most.
                let inertia = if rolls { 1.4 } else { 1.0 };
                let expected = (slope - limit) * cosine / inertia * duration;
                let free = slope * cosine / inertia;
                let gained = (2.0 * free * limit / SOFT).sqrt();
                // The lever R - d/2 is 1e-4 of the limit off.
                let tolerance = 2.0 * gained + 1e-4 * limit * duration;
                assert!(
                    (speed - expected).abs() < tolerance,
                    "{name}, mu {mu}, mu_r {mu_r}, {share} of the limit: {speed:e}, not {expected:e} +- {tolerance:e}"
                );
            }
        }
    }
}

#[test]
fn between_kinetic_and_static_a_sphere_sticks_when_placed_and_slides_on_when_pushed() {
    // Twice-critical dashpots: placed at rest, the trial load overshoots its final value by less than a fifth; it needs
    // 0.3 of the static 0.4.
    let (static_, kinetic, slope, duration) = (0.4, 0.2, 0.3, 5.0);
    let slide = SlideSlider::new(SOFT, 200.0, static_kinetic(static_, kinetic));
    let high = Roll::SpringSlider(RollSlider::new(SOFT, 100.0, Limit::mu(0.9)));
    let (_, fastest) = on_slope(slide, high, slope, 0.0, duration);
    assert!(fastest < 1e-10, "placed: {fastest:e}");
    let push = 0.1;
    let (speed, _) = on_slope(slide, high, slope, push, duration);
    // v = v0 + (sin - mu_k cos) g t; the first 1e-3 s, in which the push loads the spring, do not count to 1e-3.
    let expected = push + (slope - kinetic) / (1.0 + slope * slope).sqrt() * duration;
    assert!((speed / expected - 1.0).abs() < 2e-3, "pushed: {speed}, not {expected}");
}

#[test]
fn rolling_has_a_static_and_a_kinetic_coefficient_as_well() {
    // Twice critical, so that the load of a sphere placed at rest overshoots little (see above).
    let (static_, kinetic, slope, duration) = (0.4, 0.2, 0.3, 5.0);
    let slide = SlideSlider::new(SOFT, 100.0, Limit::mu(0.9));
    for (name, roll) in slope_rolling_laws(static_kinetic(static_, kinetic), 500.0, 1.0) {
        let (_, fastest) = on_slope(slide, roll, slope, 0.0, duration);
        assert!(fastest < 1e-10, "{name}, placed: {fastest:e}");
        let push = 0.1;
        let (speed, _) = on_slope(slide, roll, slope, push, duration);
        // The push slides at first: the slide turns it into rolling, which leaves 5/7 of it. Then (5/7)(sin - mu_k
        // cos) g t. Until the spring breaks at 0.4/k = 4e-5 m it holds up to twice the kinetic limit, for less than
        // 2e-3 s, and the dashpot of epsd, 2 sqrt(0.35 K_r) = 59 N m s, takes 59 * 4e-5/R of the moment, R/0.35 of
        // that in speed.
        let expected = 5.0 / 7.0 * (push + (slope - kinetic) / (1.0 + slope * slope).sqrt() * duration);
        let tolerance = 59.0 * 4e-5 / 0.35 + 0.2 * 2e-3;
        assert!((speed - expected).abs() < tolerance, "{name}, pushed: {speed}, not {expected}");
    }
}

//! Runs that go wrong: each stops with the bodies, the time, the likely cause and the remedy.

use crate::common::{model, plane, sphere, world};
use glam::DVec3;
use stickslip::body::{Body, Motion, Prescribed};
use stickslip::error::{DeepBy, Trouble};
use stickslip::law::{Hooke, Normal, SpringLaws};

/// For a grain of mass 1, a spring of 1e4 N/m: omega = 100/s, and at 25 m/s it sinks in by half its radius.
fn spring(damping: f64) -> SpringLaws {
    SpringLaws::frictionless(Normal::Hooke(Hooke::new(1e4, damping)))
}

/// A grain on its way to a floor, and what comes of it. One that has a weight is critically damped.
fn falls(dt: f64, velocity: f64, weight: f64) -> Trouble {
    let mut model = model(spring(if weight > 0.0 { 200.0 } else { 0.0 }), dt);
    model.gravity = (DVec3::Z * -weight).into();
    let grain = Body { velocity: DVec3::Z * -velocity, ..sphere(0.5, DVec3::Z * 0.501) };
    let mut world = world(model, vec![plane(DVec3::Z, DVec3::ZERO), grain]);
    (0..1000).find_map(|_| world.advance(10).and_then(|()| world.check_finite()).err()).expect("it ends in trouble")
}

#[test]
fn an_overlap_names_its_likely_cause() {
    let by = |trouble: Trouble| match trouble {
        Trouble::Overlap { a: 0, b: 1, overlap, radius: 0.5, by, .. } if overlap > 0.25 => by,
        other => panic!("{other:?}"),
    };
    // Six contacts at once bear 2/sqrt(6 k/m) = 8.2 ms.
    let found = by(falls(9e-3, 30.0, 0.0));
    assert!(matches!(found, DeepBy::Step { step: 9e-3, critical } if critical < 9e-3), "{found:?}");
    let found = by(falls(1e-3, 300.0, 0.0));
    assert!(matches!(found, DeepBy::Speed { speed, .. } if (speed - 300.0).abs() < 1e-9), "{found:?}");
    let found = by(falls(1e-4, 60.0, 0.0));
    assert!(matches!(found, DeepBy::Collision { approach } if (30.0..60.0).contains(&approach)), "{found:?}");
    // It would come to rest at 0.26 m; at 0.25 m it sinks at (2600 - 2500)/200 = 0.5 m/s or less.
    let found = by(falls(1e-4, 0.0, 2.6e3));
    assert_eq!(found, DeepBy::Load);
}

#[test]
fn messages_have_the_body_the_time_the_cause_and_the_remedy() {
    for (trouble, cause, remedy) in [
        (falls(9e-3, 30.0, 0.0), "the likely cause is the step", "step = \"auto\""),
        (falls(1e-3, 300.0, 0.0), "likely cause is their speed: they meet at", "smaller step"),
        (falls(1e-4, 60.0, 0.0), "collision too fast for the stiffness", "stiffness larger"),
        (falls(1e-4, 0.0, 2.6e3), "load too large for the stiffness", "stiffness larger"),
    ] {
        let text = trouble.to_string();
        assert!(text.contains("body 0 and body 1 overlap by") && text.contains("at time ") && text.contains("(step "));
        assert!(text.to_lowercase().contains(cause) && text.contains(remedy), "{text}");
        let named = trouble.in_words(|id| ["the floor", "the grain"][id as usize].to_owned());
        assert!(named.starts_with("the floor and the grain overlap by"), "{named}");
    }
}

#[test]
fn a_wall_that_presses_is_a_load() {
    let down = Prescribed { velocity: (DVec3::Z * -0.1).into(), ..Prescribed::default() };
    let lid = Body { motion: Motion::Prescribed(down), ..plane(-DVec3::Z, DVec3::Z * 1.0) };
    let mut world =
        world(model(spring(0.0), 1e-4), vec![plane(DVec3::Z, DVec3::ZERO), sphere(0.5, DVec3::Z * 0.5), lid]);
    let trouble = world.advance(1_000_000).expect_err("the lid goes on");
    assert!(matches!(trouble, Trouble::Overlap { by: DeepBy::Load, .. }), "{trouble:?}");
}

#[test]
fn what_is_not_finite_is_named() {
    // A force beyond all bounds makes the velocity infinite first; a torque the angular velocity.
    let found = |force: DVec3, torque: DVec3| {
        let grain = Body { force: force.into(), torque: torque.into(), ..sphere(0.5, DVec3::ZERO) };
        let mut world = world(model(spring(0.0), 1.0), vec![sphere(0.5, DVec3::X * 10.0), grain]);
        (0..10).find_map(|_| world.step().and_then(|()| world.check_finite()).err()).expect("it ends in trouble")
    };
    let far = DVec3::X * f64::MAX;
    let trouble = found(far, DVec3::ZERO);
    assert!(matches!(trouble, Trouble::NotFinite { body: 1, what: "velocity", .. }), "{trouble:?}");
    let text = trouble.to_string();
    assert!(text.contains("the velocity of body 1 is no longer finite, found at time") && text.contains("try half"));
    let trouble = found(DVec3::ZERO, far);
    assert!(matches!(trouble, Trouble::NotFinite { body: 1, what: "angular velocity", .. }), "{trouble:?}");
}

#[test]
fn the_overlap_with_a_plane_is_signed() {
    // A grain whose centre had passed a plane was reported with the overlap it would have had on the other side.
    let trouble = falls(1e-3, 651.0, 0.0);
    // From 0.501 to -0.15 m in one step.
    assert!(matches!(trouble, Trouble::Overlap { overlap, .. } if (overlap - 0.65).abs() < 1e-9), "{trouble:?}");
}

#[test]
fn a_pair_that_passes_through_itself_is_too_fast_and_not_under_load() {
    // Seen from where it went, such a pair parts: that looked like two bodies pressed together.
    let fast = Body { velocity: DVec3::X * -1450.0, ..sphere(0.5, DVec3::X * 1.05) };
    let mut world = world(model(spring(0.0), 1e-3), vec![sphere(0.5, DVec3::ZERO), fast]);
    let trouble = world.step().expect_err("from 1.05 to -0.4 m");
    let by = DeepBy::Speed { speed: 1450.0, step: 1e-3 };
    assert!(matches!(&trouble, Trouble::Overlap { by: found, .. } if *found == by), "{trouble:?}");
}

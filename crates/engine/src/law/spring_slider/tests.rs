//! Numbers by hand.

use super::*;
use crate::law::testing::{close, contact, near};

/// One step of sliding along x.
fn slide(law: &SlideSlider, memory: &mut VectorSpring, velocity: f64) -> f64 {
    let loads = law.resist(&Contact { velocity: DVec3::X * velocity, ..contact() }, memory, &mut []);
    assert_eq!((loads.lever_a, loads.lever_b), (0.45, 0.45));
    assert_eq!((loads.force.y, loads.force.z, loads.spin), (0.0, 0.0, 0.0));
    loads.force.x
}

#[test]
fn a_slide_sticks_slips_and_comes_back_on_another_path() {
    // k = 10 and steps of 0.1 s: 1 N per m/s. Limit 0.5 * 2 = 1 N.
    let law = SlideSlider::new(10.0, 0.0, Limit::mu(0.5));
    let mut memory = VectorSpring::default();
    near(slide(&law, &mut memory, 0.6), -0.6);
    near(law.stored(&contact(), &memory, &[])[0], 0.5 * 10.0 * 0.06 * 0.06);
    near(slide(&law, &mut memory, 0.6), -1.0);
    near(slide(&law, &mut memory, 5.0), -1.0);
    assert!(memory.slipping);
    near(memory.spring.x, 0.1);
    near(slide(&law, &mut memory, -1.5), 0.5);
    assert!(!memory.slipping);
    near(slide(&law, &mut memory, -1.5), 1.0);
    near(memory.spring.x, -0.1);
}

#[test]
fn the_slider_stands_in_series_with_spring_and_dashpot() {
    // c = 4 * 0.5 = 2. Stick: f = -(k x + c v) = -(10 * 0.02 + 2 * 0.2). Slip: f = -1, x = (c x_old + dt)/(c + k
    // dt).
    let law = SlideSlider::new(10.0, 4.0, Limit::mu(0.5));
    let mut memory = VectorSpring::default();
    near(slide(&law, &mut memory, 0.2), -0.6);
    near(slide(&law, &mut memory, 3.0), -1.0);
    near(memory.spring.x, (2.0 * 0.02 + 0.1) / 3.0);
    // At rest the spring holds what it holds.
    near(slide(&law, &mut memory, 0.0), -10.0 * 0.14 / 3.0);
}

#[test]
fn lammps_loads_the_spring_backwards_and_the_elastic_cap_drops_the_dashpot() {
    let with = |options| SlideSlider { options, ..SlideSlider::new(10.0, 4.0, Limit::mu(0.5)) };
    let lammps = with(SliderOptions { slip: Slip::Lammps, ..SliderOptions::default() });
    let mut memory = VectorSpring::default();
    // x = -(f + c v)/k = (1 - 2 * 3)/10.
    near(slide(&lammps, &mut memory, 3.0), -1.0);
    near(memory.spring.x, -0.5);
    let elastic = with(SliderOptions { cap: Cap::Elastic, ..SliderOptions::default() });
    let mut memory = VectorSpring::default();
    // The spring is at 0.9 of its limit, the total at 2.7 of it.
    near(slide(&elastic, &mut memory, 0.9), -2.7);
    near(slide(&elastic, &mut memory, 0.9), -1.0);
    near(memory.spring.x, 0.1);
}

#[test]
fn static_and_kinetic_limits_differ() {
    // Static 2 N, kinetic 1 N.
    let law = SlideSlider::new(10.0, 0.0, Limit { static_: 1.0, ..Limit::mu(0.5) });
    let mut memory = VectorSpring::default();
    near(slide(&law, &mut memory, 1.9), -1.9);
    near(slide(&law, &mut memory, 0.2), -1.0);
    near(slide(&law, &mut memory, 0.01), -1.0);
    // Below the kinetic limit it sticks again, up to the static one.
    near(slide(&law, &mut memory, -0.1), -0.9);
    near(slide(&law, &mut memory, 1.0), -1.9);
}

#[test]
fn slip_counts_both_levers() {
    // Equal spins about y: both surfaces move against each other at 2 * 0.45.
    let law = SlideSlider::new(10.0, 0.0, Limit::mu(5.0));
    let turning = Contact { angular_velocity_a: DVec3::Y, angular_velocity_b: DVec3::Y, ..contact() };
    let loads = law.resist(&turning, &mut VectorSpring::default(), &mut []);
    // v_s = -(0.45 + 0.45) y x z = -0.9 x.
    close(loads.force, DVec3::X * 0.9);
    let arm = SliderOptions { arm: Arm::Lammps, ..SliderOptions::default() };
    close(SlideSlider { options: arm, ..law }.resist(&turning, &mut VectorSpring::default(), &mut []).force, DVec3::X);
}

#[test]
fn rolling_is_resisted_by_a_torque_of_arm_r_eff() {
    // v_r = 0.25 x x z = -0.25 y, f = 0.25 y (k dt = 1), M = 0.25 z x f = -0.0625 x. Limit 0.2 * 0.25 * 2 = 0.1.
    let law = RollSlider::new(10.0, 0.0, Limit::mu(0.2));
    let rolling = |rate: f64| Contact { angular_velocity_a: DVec3::X * rate, ..contact() };
    let mut memory = VectorSpring::default();
    let loads = law.resist(&rolling(1.0), &mut memory, &mut []);
    close(loads.roll_a, DVec3::X * -0.0625);
    assert_eq!(loads.roll_b, -loads.roll_a);
    near(law.stored(&contact(), &memory, &[])[1], 5.0 * 0.025 * 0.025);
    close(law.resist(&rolling(9.0), &mut memory, &mut []).roll_a, DVec3::X * -0.1);
    // Back by 0.125 rad: half the elastic range.
    close(law.resist(&rolling(-1.6), &mut memory, &mut []).roll_a, DVec3::ZERO);
    let by_length = RollSlider { limit: Limit::length(0.03), ..law };
    close(by_length.resist(&rolling(9.0), &mut VectorSpring::default(), &mut []).roll_a, DVec3::X * -0.06);
}

#[test]
fn spinning_is_resisted_about_the_normal() {
    // k dt = 1, c = 0.5: 1.5 N m per rad/s. Limit 0.3 * 2 = 0.6; by mu 0.3 * 0.25 * 2 = 0.15.
    let law = SpinSlider::new(10.0, 0.5, Limit::length(0.3));
    let at = |law: &SpinSlider, memory: &mut ScalarSpring, rate: f64| {
        law.resist(&Contact { angular_velocity_b: DVec3::new(2.0, 1.0, -rate), ..contact() }, memory, &mut []).spin
    };
    let mut memory = ScalarSpring::default();
    near(at(&law, &mut memory, 0.2), -0.3);
    near(at(&law, &mut memory, 4.0), -0.6);
    assert!(memory.slipping);
    // x = (c x_old + dt L)/(c + k dt), then held at rest.
    near(memory.spring, (0.5 * 0.02 + 0.06) / 1.5);
    near(at(&law, &mut memory, 0.0), -10.0 * 0.07 / 1.5);
    near(at(&SpinSlider { limit: Limit::mu(0.3), ..law }, &mut ScalarSpring::default(), -4.0), 0.15);
}

#[test]
fn a_damping_ratio_is_a_share_of_critical() {
    // Slide: 1/m = 1 + 1 + 2 * 0.25 * 10 = 7; 2 b sqrt(k/7) with k = 7, b = 0.5: c = 1. f = -(0.1 k + c) v.
    let options = SliderOptions { damped_by_ratio: true, ..SliderOptions::default() };
    let law = SlideSlider { options, ..SlideSlider::new(7.0, 0.5, Limit::mu(9.0)) };
    near(slide(&law, &mut VectorSpring::default(), 1.0), -1.7);
    // Spin: 1/I = 20, k = 20, c = 2 * 0.5 * 1; f = -(2 + 1) v.
    let law = SpinSlider { options, ..SpinSlider::new(20.0, 0.5, Limit::length(9.0)) };
    let turning = Contact { angular_velocity_a: DVec3::Z, ..contact() };
    near(law.resist(&turning, &mut ScalarSpring::default(), &mut []).spin, -3.0);
}

/// Under `cap = "elastic"` a body that started sliding in contact had a dashpot without a cap for half a step.
#[test]
fn at_step_0_the_elastic_cap_holds_the_dashpot_too() {
    // Limit 0.5 * 2 = 1; c = 4 * 0.5 = 2.
    let elastic = SliderOptions { cap: Cap::Elastic, ..SliderOptions::default() };
    let law = SlideSlider { options: elastic, ..SlideSlider::new(10.0, 4.0, Limit::mu(0.5)) };
    let at_rest = |memory: &mut VectorSpring, velocity: f64| {
        law.resist(&Contact { velocity: DVec3::X * velocity, dt: 0.0, ..contact() }, memory, &mut []).force
    };
    let mut memory = VectorSpring::default();
    close(at_rest(&mut memory, 100.0), DVec3::X * -1.0);
    assert_eq!(memory.spring, DVec3::ZERO);
    let mut slipping = VectorSpring { spring: DVec3::X * 0.1, slipping: true };
    close(at_rest(&mut slipping, 100.0), DVec3::X * -1.0);
    assert_eq!(slipping.spring, DVec3::X * 0.1);
    let mut sticking = VectorSpring { spring: DVec3::X * 0.09, slipping: false };
    close(at_rest(&mut sticking, 0.9), DVec3::X * -2.7);
}

/// A contact that pulls had the friction of one that presses as hard.
#[test]
fn a_contact_that_pulls_bears_no_friction_but_as_in_lammps() {
    let pulling = Contact { velocity: DVec3::X, normal_force: -2.0, normal_load: 0.0, ..contact() };
    let law = SlideSlider::new(10.0, 4.0, Limit::mu(0.5));
    close(law.resist(&pulling, &mut VectorSpring::default(), &mut []).force, DVec3::ZERO);
    let options = SliderOptions { slip: Slip::Lammps, ..SliderOptions::default() };
    close(
        SlideSlider { options, ..law }.resist(&pulling, &mut VectorSpring::default(), &mut []).force,
        DVec3::X * -1.0,
    );
}

#[test]
fn the_first_evaluation_does_not_grow_the_memory() {
    // dt = 0 at step 0: the dashpot acts, the spring does not.
    let law = SlideSlider::new(10.0, 4.0, Limit::mu(0.5));
    let mut memory = VectorSpring::default();
    let loads = law.resist(&Contact { velocity: DVec3::X * 0.2, dt: 0.0, ..contact() }, &mut memory, &mut []);
    close(loads.force, DVec3::X * -0.4);
    assert_eq!(memory.spring, DVec3::ZERO);
}

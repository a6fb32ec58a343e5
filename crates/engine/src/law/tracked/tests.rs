//! Numbers by hand.

use glam::DVec3;

use super::*;
use crate::law::testing::{close, contact, near};

/// Static cap 0.5 * 2/10 = 0.1 m, kinetic 0.05 m: 1 N and 0.5 N.
fn law() -> Tracked {
    Tracked::new(10.0, Limit { static_: 0.5, ..Limit::mu(0.25) }).with_damping(0.0)
}

/// A contact that has been there.
fn known() -> TrackedMemory {
    TrackedMemory { alive: true, ..TrackedMemory::default() }
}

fn slide(law: &Tracked, memory: &mut TrackedMemory, velocity: f64) -> f64 {
    law.resist(&Contact { velocity: DVec3::X * velocity, ..contact() }, memory).force.x
}

#[test]
fn the_step_at_which_slip_begins_bears_the_static_load() {
    // k dt = 1 N per m/s.
    let (law, mut memory) = (law(), known());
    near(slide(&law, &mut memory, 0.9), -0.9);
    near(slide(&law, &mut memory, 0.3), -1.0);
    assert!(memory.slide_slips);
    near(slide(&law, &mut memory, 0.3), -0.5);
    near(slide(&law, &mut memory, -0.1), -0.4);
    assert!(!memory.slide_slips);
    near(slide(&law, &mut memory, 0.5), -0.9);
}

#[test]
fn a_new_contact_has_no_motion_behind_it() {
    let (damped, mut memory) = (law().with_damping(1.0), TrackedMemory::default());
    near(slide(&damped, &mut memory, 0.3), 0.0);
    assert!(memory.alive && memory.slide == DVec3::ZERO);
    // Two equal bodies count with their own mass, 1 kg: c = 2 sqrt(10). The dashpot is far above the limit of 1 N.
    near(slide(&damped, &mut memory, 0.3), -0.3 - 0.6 * 10.0_f64.sqrt());
    let (capped, mut memory) = (Tracked { birth: Birth::Capped, ..damped }, known());
    near(slide(&capped, &mut memory, 0.3), -1.0);
    let (slipping, mut memory) = (Tracked { birth: Birth::Slip, ..damped }, TrackedMemory::default());
    near(slide(&slipping, &mut memory, 0.3), -0.5);
    assert!(memory.slide_slips);
    near(memory.slide.x, -0.05);
}

#[test]
fn a_dashpot_counts_with_the_moving_body_at_a_wall() {
    let wall = Contact {
        reach_b: -0.5,
        lever_b: -0.45,
        radius_eff: 0.5,
        inverse_mass_b: 0.0,
        inverse_inertia_b: 0.0,
        mass_eff: 1.0,
        ..contact()
    };
    assert_eq!(inertia(&wall), (1.0, 0.1));
    assert_eq!(inertia(&contact()), (1.0, 0.1));
}

#[test]
fn rolling_has_the_share_of_its_form() {
    // Equal spheres: 1/kappa = 0.5 m, K_R = eta K 0.25. w_a about x by 0.2 rad/s for 0.1 s.
    let rolling = Contact { angular_velocity_a: DVec3::X * 0.2, ..contact() };
    let one = law().with_roll(0.4);
    // c = 1/2: Theta = 0.01, M = 1 N m/rad * 0.01.
    let mut memory = known();
    let loads = one.resist(&rolling, &mut memory);
    close(loads.roll_a, DVec3::X * -0.01);
    assert_eq!(loads.roll_b, -loads.roll_a);
    // What is stored is the work of M = -k phi, k = 0.5 N m/rad, phi = 0.02.
    near(one.stored(&rolling, &memory)[1], 0.5 * 0.5 * 0.02 * 0.02);
    // The paper's: a's own angle, and nothing for b, whose normal does not turn.
    let paper = Tracked { form: Form::Paper, ..one };
    let mut memory = known();
    let loads = paper.resist(&rolling, &mut memory);
    close(loads.roll_a, DVec3::X * -0.02);
    close(loads.roll_b, DVec3::ZERO);
    near(paper.stored(&rolling, &memory)[1], 0.5 * 1.0 * 0.02 * 0.02);
    // At the cap eta mu N/kappa: 0.4 * 0.5 * 2 * 0.5, then the kinetic one.
    let fast = Contact { angular_velocity_a: DVec3::X * 90.0, ..contact() };
    close(paper.resist(&fast, &mut memory).roll_a, DVec3::X * -0.2);
    close(paper.resist(&fast, &mut memory).roll_a, DVec3::X * -0.1);
}

#[test]
fn spin_has_a_given_curvature_that_of_the_bodies_or_the_area_of_hertz() {
    let spinning = Contact { overlap: 0.16, patch: 0.2, angular_velocity_a: DVec3::Z * 0.5, ..contact() };
    let torque = |law: Tracked| law.resist(&spinning, &mut known()).spin;
    // psi = 0.05; K = eta K_E/K_c^2 with 1/K_c = 0.5, R_eff = 0.25, a = sqrt(0.25 * 0.16) = 0.2.
    near(torque(law().with_spin(0.8, SpinCurvature::Given(2.0))), -0.05 * 8.0 * 0.25);
    near(torque(law().with_spin(0.8, SpinCurvature::Bodies)), -0.05 * 8.0 * 0.0625);
    near(torque(law().with_hertz_spin()), -0.05 * 5.0 * 0.04);
}

#[test]
fn a_change_of_the_contact_area_changes_no_energy() {
    let (law, mut memory) = (law().with_hertz_spin(), known());
    let at = |overlap: f64, rate: f64| Contact {
        overlap,
        patch: (0.25 * overlap).sqrt(),
        angular_velocity_a: DVec3::Z * rate,
        ..contact()
    };
    law.resist(&at(0.16, 0.5), &mut memory);
    let before = law.stored(&contact(), &memory)[2];
    // Four times the overlap, twice the radius: half the angle, twice the torque.
    near(law.resist(&at(0.64, 0.0), &mut memory).spin, -2.0 * 0.05 * 5.0 * 0.04);
    near(law.stored(&contact(), &memory)[2], before);
}

#[test]
fn curvatures_make_the_stiffness_of_rolling() {
    // Table 1 of the paper: 4 eta K_E/(kappa_a + kappa_b)^2.
    let law = law().with_roll(0.1);
    let stiffness = |a: f64, b: f64| law.roll_stiffness(a, b);
    // Equal spheres eta K_E R^2; a plane four times that.
    assert_eq!((stiffness(2.0, 2.0), stiffness(2.0, 0.0)), (Some(0.25), Some(1.0)));
    // The tip of a pin: none is left.
    assert!(stiffness(1e9, 0.0).is_some_and(|k| k < 1e-17));
    // A ball in a bowl of almost its size is stiff; one that fits it is refused, and so is one that does not go in.
    assert!(stiffness(2.0, -1.999).is_some_and(|k| k > 1e6));
    assert_eq!((stiffness(2.0, -2.0), stiffness(2.0, -3.0)), (None, None));
    // Two flat faces do not roll.
    assert_eq!(stiffness(0.0, 0.0), Some(0.0));
}

#[test]
fn flat_surfaces_neither_roll_nor_spin() {
    let flat = crate::contact::Curvature::round(0.0);
    let turning = Contact { angular_velocity_a: DVec3::ONE, curvature_a: flat, curvature_b: flat, ..contact() };
    let law =
        Tracked { kinematics: Kinematics::Points, ..law().with_roll(0.3).with_spin(0.3, SpinCurvature::Given(1.0)) };
    for form in [Form::Reciprocal, Form::Paper] {
        let loads = Tracked { form, ..law }.resist(&turning, &mut known());
        assert_eq!((loads.roll_a, loads.roll_b, loads.spin), (DVec3::ZERO, DVec3::ZERO, 0.0));
        assert!(loads.force.length() > 0.0);
    }
}

#[test]
fn a_section_follows_euler() {
    let curvature = crate::contact::Curvature { most: 3.0, least: 1.0, along: DVec3::X };
    near(curvature.section(DVec3::X), 3.0);
    near(curvature.section(DVec3::Y), 1.0);
    near(curvature.section(DVec3::new(0.6, 0.8, 0.0)), 1.0 + 2.0 * 0.36);
    near(curvature.section(DVec3::ZERO), 2.0);
}

/// A limit as a length was promised, and only eta was read, which is a share of a radius.
#[test]
fn a_length_is_the_arm_of_the_static_limit_whatever_the_radius() {
    let by_length = |roll: f64, spin: f64, curvature: SpinCurvature| Tracked {
        roll: Some(TrackedRoll { strength: Strength::Length(roll), damping: 1.0 }),
        spin: Some(TrackedSpin { strength: Strength::Length(spin), curvature, damping: 1.0 }),
        ..law()
    };
    for curvature in [SpinCurvature::Given(4.0), SpinCurvature::Bodies, SpinCurvature::Hertz] {
        for radius_eff in [0.25, 0.15] {
            let turning =
                Contact { radius_eff, patch: 0.2, angular_velocity_a: DVec3::new(0.2, 0.0, 0.3), ..contact() };
            let law = by_length(0.03, 0.02, curvature);
            let mu = law.limit.static_;
            let arm = match curvature {
                SpinCurvature::Given(k) => 1.0 / k,
                SpinCurvature::Bodies => radius_eff,
                SpinCurvature::Hertz => 0.2,
            };
            // The same law with eta for this one contact.
            let same = super::tests::law()
                .with_roll(0.03 / (mu * (2.0 * radius_eff)))
                .with_spin(0.02 / (mu * arm), curvature)
                .with_damping(1.0);
            let same = Tracked { damping: law.damping, ..same };
            let (mut one, mut other) = (known(), known());
            assert_eq!(law.resist(&turning, &mut one), same.resist(&turning, &mut other));
            assert_eq!(law.stored(&turning, &one), same.stored(&turning, &other));
            // Fast enough to slip at once: the static arm times N.
            let fast = Contact { angular_velocity_a: DVec3::new(1e4, 0.0, 1e4), ..turning };
            let loads = law.resist(&fast, &mut known());
            near(loads.roll_a.length(), 0.03 * fast.normal_load);
            near(loads.spin.abs(), 0.02 * fast.normal_load);
        }
        let limit = by_length(0.03, 0.02, curvature).limit_of(1);
        assert_eq!((limit.static_, limit.measure), (0.03, Measure::Length));
        near(limit.kinetic / limit.static_, law().limit.kinetic / law().limit.static_);
    }
}

//! Tangential laws of elastic spheres in the probe: which create energy where the normal load changes, and what each does on
//! known paths.

use crate::common::elastic::elastic_slides;
use stickslip::law::*;
use stickslip::math;
use stickslip::probe::{Probe, ProbeRow, ProbeSide, Segment};

const RADIUS: f64 = 1.0;
const SMALL: f64 = 2.5e-4;
const LARGE: f64 = 1e-3;
const MU: f64 = 0.5;
const STIFFNESS: f64 = 1e6;

fn elastic() -> ElasticPair {
    ElasticPair { modulus: 0.75 * 3.0 * STIFFNESS, poisson: 0.3 }
}

/// Two unit spheres under this slide law, driven through overlaps and places: each the end of a straight path.
fn drive(slide: Slide, steps: u32, ends: &[(f64, f64)]) -> Vec<ProbeRow> {
    let normal =
        Normal::Hertz(Hertz { stiffness: 3.0 * STIFFNESS, damping: 0.0, damping_ratio: 0.0, cohesionless: false });
    let laws = SpringLaws { slide: Some(slide), ..SpringLaws::frictionless(normal) };
    let mut at = 0.0;
    let segments = ends.iter().map(|&(overlap, place)| {
        let slide = [place - at, 0.0];
        at = place;
        Segment { steps, duration: 1.0, overlap, slide, roll: [0.0; 2], spin: 0.0 }
    });
    let sphere = ProbeSide::Sphere { radius: RADIUS, mass: 1.0 };
    let segments = segments.collect();
    Probe { laws, a: sphere, b: sphere, segments }.run()
}

/// Work on the contact, by the trapezoidal rule: exact where the force is linear in the place.
fn work(rows: &[ProbeRow]) -> f64 {
    let steps = rows
        .windows(2)
        .map(|pair| -0.5 * (pair[0].force[0] + pair[1].force[0]) * (pair[1].slide[0] - pair[0].slide[0]));
    steps.sum()
}

/// The shear of the loops, 0.2 of what the smaller contact holds.
fn shear() -> f64 {
    0.2 * MU * elastic().kappa() * SMALL
}

/// Net work of a closed path over the energy of the shear at the larger overlap.
fn net_work(slide: Slide, path: &[(f64, f64)]) -> f64 {
    let patch = math::pow(0.5 * RADIUS * LARGE, 0.5);
    let s = shear();
    work(&drive(slide, 200, path)) / (0.5 * elastic().tangential_stiffness(patch) * s * s)
}

/// Press, shear, release, shear back, press; and press little, shear, press, shear back, release, again and again.
fn loops(slide: Slide) -> [f64; 4] {
    let s = shear();
    let a = [(SMALL, s), (SMALL, 0.0), (LARGE, 0.0)];
    let a = |times: usize| [vec![(LARGE, 0.0)], [&[(LARGE, s)], &a[..]].concat().repeat(times)].concat();
    let b = [(SMALL, s), (LARGE, s), (LARGE, 0.0), (SMALL, 0.0)];
    let b = |times: usize| [vec![(SMALL, 0.0)], b.repeat(times)].concat();
    [&a(1), &b(1), &b(50), &a(50)].map(|path| net_work(slide, path))
}

fn by_name(name: &str) -> Slide {
    let all = elastic_slides(STIFFNESS, MU);
    let mut slide = all.into_iter().find(|(known, _)| *known == name).expect("a law of the list").1;
    if let Slide::MindlinSecant(law) = &mut slide {
        law.damping_ratio = 0.0;
    }
    slide
}

#[test]
fn energy_of_closed_loops_is_that_of_theory() {
    // A linear law loses or gains 1 - a2/a1 = half the energy of the shear at full stick; rescaling both ways. Jaeger's
    // superposition loses what slips besides (numbers of the specification, to its three digits).
    let half = [
        ("mindlin-force", [-0.5, 0.5, 25.0]),
        ("mindlin-rescale-force", [0.5, 0.5, 25.0]),
        ("mindlin-secant", [0.5, -0.5, -25.0]),
        ("mindlin-rescale", [1.0, -0.5, -25.0]),
    ];
    for (name, expected) in half {
        let found = loops(by_name(name));
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0), "{name}: {found}, not {expected}");
        }
    }
    let found = loops(by_name("mindlin-rescale"))[3];
    assert!((found + 22.0).abs() < 1e-6, "{found}");
    let [a, b, many, _] = loops(by_name("mindlin"));
    assert!((a - 0.535).abs() < 1e-3 && (b - 0.526).abs() < 1e-3 && (many - 25.4).abs() < 0.1, "{a} {b} {many}");
}

#[test]
fn forces_where_the_normal_load_changes_are_those_of_each_law() {
    let s = shear();
    let stiffness = |overlap: f64| elastic().tangential_stiffness((0.5 * RADIUS * overlap).sqrt());
    // Sheared when large, then small; sheared when small, then large.
    let shrunk = |name| -drive(by_name(name), 50, &[(LARGE, 0.0), (LARGE, s), (SMALL, s)]).last().unwrap().force[0];
    let grown = |name| -drive(by_name(name), 50, &[(SMALL, 0.0), (SMALL, s), (LARGE, s)]).last().unwrap().force[0];
    let (small, large) = (stiffness(SMALL) * s, stiffness(LARGE) * s);
    // Half the radius of the contact: half the stiffness.
    let expected = [
        ("mindlin-secant", small, large),
        ("mindlin-rescale", 0.5 * small, large),
        ("mindlin-force", large, small),
        ("mindlin-rescale-force", 0.5 * large, small),
    ];
    for (name, after_release, after_press) in expected {
        assert!((shrunk(name) / after_release - 1.0).abs() < 1e-12, "{name}: {}", shrunk(name));
        assert!((grown(name) / after_press - 1.0).abs() < 1e-12, "{name}: {}", grown(name));
    }
}

#[test]
fn a_power_law_with_turning_points_is_mindlin_at_first_and_turns_as_printed() {
    let steps = 4000;
    let top = 0.6;
    let reach = MU * elastic().kappa() * LARGE;
    let path = [(LARGE, 0.0), (LARGE, top * reach), (LARGE, 0.2 * reach)];
    for name in ["walton-braun", "vu-quoc-zhang"] {
        let (power, exact) = (drive(by_name(name), steps, &path), drive(by_name("mindlin"), steps, &path));
        let limit = MU * power.last().unwrap().normal_force;
        // k_t (1 - Q/(mu P))^(1/3) is the tangent of first loading: first order in 4000 steps. Unloading follows
        // k_t (1 - (Q* - Q)/(mu P + Q*))^(1/3): from the closed integral of it.
        let loaded = 2 * steps as usize;
        assert!((power[loaded].force[0] - exact[loaded].force[0]).abs() < 1e-3 * limit, "{name}");
        let turn = -power[loaded].force[0] / limit;
        // x = (Q* - Q)/(mu P + Q*): dx/ds = (k_t/(mu P + Q*)) (1 - x)^(1/3), and k_t reach/(mu P) = 3/2.
        let x = 1.0 - math::pow(1.0 - (top - 0.2) / (1.0 + turn), 1.5);
        let expected = turn - x * (1.0 + turn);
        let found = -power.last().unwrap().force[0] / limit;
        assert!((found - expected).abs() < 1e-3, "{name}: {found}, not {expected}");
    }
}

#[test]
fn the_rolling_correction_relaxes_the_force() {
    // Without slip the sum of the increments decays over pi a/2; the force with it, by k_t of a small load.
    let patch = (0.5 * RADIUS * LARGE).sqrt();
    let normal =
        Normal::Hertz(Hertz { stiffness: 3.0 * STIFFNESS, damping: 0.0, damping_ratio: 0.0, cohesionless: false });
    let laws = SpringLaws { slide: Some(by_name("vu-quoc-zhang")), ..SpringLaws::frictionless(normal) };
    let segment = |steps, slide, roll| Segment {
        steps,
        duration: 1.0,
        overlap: LARGE,
        slide: [slide, 0.0],
        roll: [roll, 0.0],
        spin: 0.0,
    };
    let small = 1e-4 * elastic().kappa() * LARGE;
    let segments = vec![segment(10, 0.0, 0.0), segment(100, small, 0.0), segment(4000, 0.0, patch)];
    let sphere = ProbeSide::Sphere { radius: RADIUS, mass: 1.0 };
    let rows = Probe { laws, a: sphere, b: sphere, segments }.run();
    let ratio = rows.last().unwrap().force[0] / rows[110].force[0];
    assert!((ratio - math::exp(-2.0 / std::f64::consts::PI)).abs() < 1e-3, "{ratio}");
}

#[test]
fn springs_of_the_stable_step_are_the_tangents_at_full_stick() {
    let body = TypicalBody { radius: 1.0, round: 1.0, arm: 0.0, inverse_mass: 1.0, inverse_inertia: 2.5 };
    let at = TypicalContact { bodies: [body; 2], corners: 1.0, overlap: LARGE / 0.5 };
    for (name, slide) in elastic_slides(STIFFNESS, MU) {
        let normal =
            Normal::Hertz(Hertz { stiffness: 3.0 * STIFFNESS, damping: 0.0, damping_ratio: 0.0, cohesionless: false });
        let laws = SpringLaws { slide: Some(slide), ..SpringLaws::frictionless(normal) };
        let mut found = None;
        laws.each_friction(|law| found = law.springs(&at).and_then(|springs| springs.0[0]));
        let expected = elastic().tangential_stiffness((0.5 * RADIUS * LARGE).sqrt());
        assert!((found.unwrap().stiffness / expected - 1.0).abs() < 1e-12, "{name}");
        assert_eq!(laws.limits().slide, Some(Limit::mu(MU)), "{name}");
        // A first small slip, in one step.
        let s = 1e-9;
        let force = -drive(slide, 1, &[(LARGE, 0.0), (LARGE, s)]).last().unwrap().force[0];
        // The dashpot of the damped ones acts, too.
        assert!(
            force / s > expected * (1.0 - 1e-4)
                && (name.contains("damped") || name.contains("secant") || force / s < expected * (1.0 + 1e-9)),
            "{name}: {}",
            force / s / expected
        );
    }
}

//! The experiments of Tasora and Anitescu (2013) in short form: every check passes, files are what they should be.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use stickslip_papers::{Context, Metric, Outcome, Scale, find};

fn with_context<T>(work: impl FnOnce(&Context) -> T) -> T {
    let interrupted = AtomicBool::new(false);
    work(&Context {
        scale: Scale::Quick,
        threads: 1,
        folder: Path::new("."),
        go_on: false,
        interrupted: &interrupted,
        progress: &|share, _| assert!((0.0..=1.0).contains(&share)),
    })
}

/// Does an experiment; fails unless its checks pass and its files can be read.
fn done(id: &str) -> Outcome {
    let outcome = with_context(find(id).expect("it is listed").run).unwrap();
    let missed: Vec<_> = outcome.checks.iter().filter(|check| !check.pass).collect();
    assert!(missed.is_empty() && !outcome.checks.is_empty(), "{id}: {missed:#?}");
    for (name, content) in &outcome.files {
        let text = String::from_utf8(content.clone()).unwrap();
        if name.ends_with(".svg") {
            assert!(text.starts_with("<svg") && text.ends_with("</svg>\n") && !text.contains("NaN"), "{id}/{name}");
        } else {
            let columns = text.lines().next().unwrap().split(',').count();
            assert!(text.lines().count() > 1, "{id}/{name}");
            assert!(text.lines().all(|line| line.split(',').count() == columns), "{id}/{name}");
        }
    }
    assert!(outcome.files.iter().any(|(name, _)| name == "figure.svg"), "{id}");
    outcome
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    match outcome.metrics.get(name) {
        Some(Metric::Number(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_disc_rolls_out_as_in_section_6_1() {
    let outcome = done("tasora/disk");
    assert!((number(&outcome, "deceleration") - 0.14).abs() < 1e-12);
    assert!((number(&outcome, "stop_time") - 7.145).abs() < 1e-9);
    assert!((number(&outcome, "stop_distance") - 3.568929).abs() < 5e-7);
    assert!((number(&outcome, "max_gap_associated") - 9.99e-5).abs() < 1e-7);
    assert!(number(&outcome, "max_gap_exact") <= 1e-14);
}

#[test]
fn a_sphere_on_a_slope_has_its_regimes() {
    let outcome = done("tasora/incline");
    assert_eq!(number(&outcome, "regime_errors"), 0.0);
    assert!(number(&outcome, "max_acceleration_error") < 1e-9);
    assert!(number(&outcome, "max_acceleration_error[exact]") < 1e-11);
}

#[test]
fn a_spin_stops_after_its_time() {
    let outcome = done("tasora/spin");
    assert!(number(&outcome, "worst_stop_time_error_steps") < 1.1);
}

#[test]
fn stacks_rest_up_to_their_limits() {
    let outcome = done("tasora/limit-states");
    assert!((number(&outcome, "mu_critical") - 0.317837).abs() < 1e-6);
    assert!((number(&outcome, "rho_critical_over_R[mu=0.2]") - 0.0452743).abs() < 1e-6);
    let rests =
        ["0.6,0", "0.3,0.05", "0.2,0.1", "0.1,0.1"].map(|case| outcome.metrics[&format!("pyramid_rests[{case}]")]);
    assert_eq!(rests, [true, true, true, false].map(Metric::Holds));
}

#[test]
fn a_guideway_has_the_drag_of_section_6_2() {
    let outcome = done("tasora/guideway");
    let expected = [
        ("force[100]", 6.007107, 1e-3),
        ("force[490]", 8.764823, 1e-3),
        ("force[2000]", 19.442136, 1e-3),
        ("force_no_seal[490]", 3.464823, 1e-3),
        ("force_maker[490]", 7.75, 1e-3),
        ("drag_exact[0.2]", 0.428, 1e-3),
        ("drag_associated[0.2]", 0.642, 1e-3),
        ("stick_speed[0.99]", 0.0, 1e-8),
        ("slip_speed[1.01]", 1.741e-4, 1e-6),
    ];
    for (name, value, tolerance) in expected {
        assert!((number(&outcome, name) - value).abs() < tolerance, "{name}: {}", number(&outcome, name));
    }
}

//! The short experiments as a caller sees them: every check passes, the files are sound, nothing depends on threads.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use stickslip_papers::{Context, EXPERIMENTS, Ended, Metric, Outcome, Scale, find};

fn run(id: &str, threads: usize, interrupted: bool) -> Result<Outcome, Ended> {
    let interrupted = AtomicBool::new(interrupted);
    let context = Context {
        scale: Scale::Quick,
        threads,
        folder: Path::new("no such folder"),
        go_on: false,
        interrupted: &interrupted,
        progress: &|share, _| assert!((0.0..=1.0).contains(&share)),
    };
    (find(id).expect("it is listed").run)(&context)
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    match outcome.metrics.get(name) {
        Some(Metric::Number(value)) => *value,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn ids_are_unique_and_name_paper_and_experiment() {
    for (index, experiment) in EXPERIMENTS.iter().enumerate() {
        assert_eq!(experiment.id.split('/').count(), 2, "{}", experiment.id);
        assert!(EXPERIMENTS[..index].iter().all(|other| other.id != experiment.id));
    }
}

#[test]
fn two_spheres_settle_where_the_paper_says() {
    let outcome = run("santos/contact", 1, false).unwrap();
    assert_eq!(outcome.missed(), 0, "{:#?}", outcome.checks);
    assert_eq!(number(&outcome, "roll_settles"), number(&outcome, "roll_points"));
    assert!(number(&outcome, "roll_points") > 40.0 && number(&outcome, "spin_points") > 30.0);
    assert!((number(&outcome, "kt_over_kn[steel]") - 1.47).abs() < 0.005);
    assert!((number(&outcome, "kr_over_kn[rubber]") - 0.45).abs() < 1e-12);
    let svg = outcome.files.iter().find(|(name, _)| name == "figure.svg").unwrap();
    let svg = String::from_utf8(svg.1.clone()).unwrap();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
}

#[test]
fn table_1_and_eq_5_have_their_values() {
    let outcome = run("santos/constraints", 1, false).unwrap();
    assert_eq!(outcome.missed(), 0, "{:#?}", outcome.checks);
    let found = ["Z3[slide]", "Z3[slide,roll]", "Z3[slide,roll,spin]", "Z2[slide,roll]", "Nc3[roll,spin]"];
    assert_eq!(found.map(|name| number(&outcome, name)), [4.0, 2.4, 2.0, 2.0, 4.0]);
    assert!((number(&outcome, "eq5[1,1,1]") - 1.0203).abs() < 1e-4);
    let table = outcome.files.iter().find(|(name, _)| name == "table1.csv").unwrap();
    let table = String::from_utf8(table.1.clone()).unwrap();
    let columns = table.lines().next().unwrap().split(',').count();
    assert!(table.lines().all(|line| line.split(',').count() == columns), "{table}");
}

#[test]
fn an_interrupted_experiment_has_no_outcome() {
    assert_eq!(run("santos/contact", 1, true), Err(Ended::Interrupted));
}

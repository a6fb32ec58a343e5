//! Rigid contacts through the command: the same bytes after a kill and for any number of threads, what is said of steps that
//! were not solved, `check`.

use std::fs;

use crate::common::broken_off::{checkpoints, killed_run};
use crate::common::every_record::{assert_same, lasting_files};
use crate::common::{Folder, err, out, says, stickslip};

/// Balls that pour into a pan which turns, with every record; `method` are more keys of the method.
fn scene(method: &str) -> String {
    let record = |what: &str, more: &str| format!("[[record]]\nwhat = \"{what}\"\nevery = 0.05\n{more}\n");
    let records = [
        record("bodies", ""),
        record("contacts", ""),
        record("series", ""),
        record("walls", ""),
        record("snapshot", "name = \"shot\"\ncontacts = true"),
        record("checkpoint", ""),
    ];
    let pan = |name: &str, normal: &str, at: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"stone\"\nshape = {{ kind = \"plane\", normal = {normal} }}\n\
             position = {at}\n"
        )
    };
    let walls = [
        pan("floor", "[0.0, 0.0, 1.0]", "[0.0, 0.0, 0.0]") + "motion = { angular_velocity = [0.0, 0.0, 1.0] }\n",
        pan("left", "[1.0, 0.0, 0.3]", "[-0.1, 0.0, 0.0]"),
        pan("right", "[-1.0, 0.0, 0.3]", "[0.1, 0.0, 0.0]"),
        pan("front", "[0.0, 1.0, 0.3]", "[0.0, -0.1, 0.0]"),
        pan("back", "[0.0, -1.0, 0.3]", "[0.0, 0.1, 0.0]"),
    ];
    format!(
        "title = \"Stones\"\ngravity = [0.0, 0.0, -9.81]\n[time]\nend = 1.0\n[method]\nkind = \"nonsmooth\"\n{method}\n\
         [material.stone]\ndensity = 2600.0\n\
         [[contact]]\nbetween = [\"stone\", \"stone\"]\nnormal = {{ law = \"rigid\", restitution = 0.2 }}\n\
         slide = {{ mu = 0.5 }}\n{}\
         [[stream]]\nmaterial = \"stone\"\nradius = {{ min = 0.008, max = 0.012 }}\nrate = 300.0\ncount = 120\n\
         from = [-0.05, -0.05, 0.1]\nto = [0.05, 0.05, 0.2]\nvelocity = [0.0, 0.0, -0.5]\n{}",
        walls.concat(),
        records.concat()
    )
}

#[test]
fn a_killed_run_and_any_number_of_threads_end_with_the_same_bytes() {
    let folder = Folder::new("rigid");
    folder.file("stones.toml", &scene(""));
    let whole = stickslip(&folder, &["run", "stones.toml", "--out", "whole", "--threads", "1"]);
    assert!(whole.status.success(), "{}", err(&whole));
    let expected = lasting_files(&folder.path().join("whole"));
    let run = stickslip(&folder, &["run", "stones.toml", "--out", "three", "--threads", "3", "--quiet"]);
    assert!(run.status.success(), "{}", err(&run));
    assert_same(&expected, &lasting_files(&folder.path().join("three")), "three threads");
    killed_run(&folder, "stones.toml", "part", 30);
    assert!(!checkpoints(&folder.path().join("part")).is_empty());
    let resumed = stickslip(&folder, &["resume", "part", "--threads", "2"]);
    assert!(resumed.status.success(), "{}", err(&resumed));
    assert_same(&expected, &lasting_files(&folder.path().join("part")), "killed and resumed");
}

#[test]
fn the_series_has_how_well_each_step_was_solved() {
    let folder = Folder::new("rigid-series");
    folder.file("stones.toml", &scene(""));
    assert!(stickslip(&folder, &["run", "stones.toml", "--out", "run", "--quiet"]).status.success());
    let series = fs::read_to_string(folder.path().join("run/series.csv")).unwrap();
    let mut lines = series.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let at = |name: &str| names.iter().position(|have| *have == name).unwrap_or_else(|| panic!("no column {name}"));
    let [iterations, residual, unsolved] = ["iterations", "residual", "unsolved"].map(at);
    let rows: Vec<_> = lines.collect();
    let number = |row: &[&str], at: usize| row[at].parse::<f64>().unwrap();
    let step = fs::read_to_string(folder.path().join("run/scene.toml")).unwrap();
    let step = step.lines().find_map(|line| line.strip_prefix("step = ")).unwrap();
    let step: f64 = step.split("  #").next().unwrap().parse().unwrap();
    assert!((step - 0.07 * (2.0_f64 * 0.008 / 9.81).sqrt()).abs() < 1e-15);
    assert!(rows.len() > 15 && rows.iter().all(|row| number(row, residual) <= 0.01 * 9.81 * step));
    assert!(rows.last().is_some_and(|row| number(row, iterations) > 0.0 && number(row, unsolved) == 0.0));
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(page.contains("Residual of the solver") && page.contains("steps not solved to tolerance"));
}

#[test]
fn steps_that_were_not_solved_are_reported() {
    let folder = Folder::new("rigid-unsolved");
    folder.file("stones.toml", &scene("max_iterations = 30\ntolerance = 1e-13"));
    let run = stickslip(&folder, &["run", "stones.toml", "--out", "run"]);
    assert!(run.status.success(), "{}", err(&run));
    assert!(out(&run).contains("steps were not solved to `tolerance`"), "{}", out(&run));
    assert!(fs::read_to_string(folder.path().join("run/run.json")).unwrap().contains("were not solved to `tolerance`"));
}

#[test]
fn check_says_what_the_method_and_its_laws_are() {
    let folder = Folder::new("rigid-check");
    folder.file("stones.toml", &scene("tolerance = 1e-4"));
    let check = stickslip(&folder, &["check", "stones.toml"]);
    let text = out(&check);
    assert!(check.status.success(), "{}", err(&check));
    assert!(text.contains("normal rigid            bodies do not overlap, restitution 0.2 above"), "{text}");
    assert!(text.contains("slide  limit            |F| <= 0.5 N"), "{text}");
    assert!(text.contains("falls by its radius") && text.contains("nothing resists: roll, spin"), "{text}");
    let json = out(&stickslip(&folder, &["check", "stones.toml", "--json"]));
    assert!(json.contains("\"law\": \"rigid\"") && json.contains("\"critical\": null"), "{json}");
    let laws = stickslip(&folder, &["laws", "rigid"]);
    assert!(out(&laws).contains("restitution_above  m/s"), "{}", out(&laws));
    folder.file(
        "soft.toml",
        &scene("")
            .replace("slide = { mu = 0.5 }\n", "")
            .replace("law = \"rigid\", restitution = 0.2", "law = \"hooke\", stiffness = 1.0, restitution = 0.2"),
    );
    let soft = stickslip(&folder, &["check", "soft.toml"]);
    assert!(out(&soft).contains("no springs: laws are read as what they bear at rest"), "{}{}", out(&soft), err(&soft));
    folder.file("misspelt.toml", &scene("cone = \"asociated\""));
    let misspelt = stickslip(&folder, &["check", "misspelt.toml"]);
    assert!(misspelt.status.code() == Some(2) && says(&misspelt, "did you mean"), "{}", err(&misspelt));
}

//! `stickslip measure` from outside: what it prints, what it writes, what it refuses.

mod common;

use common::{Folder, ball, err, out, stickslip};
use serde_json::Value;

const BODIES: &str = "[[record]]\nwhat = \"bodies\"\nevery = 0.05\nname = \"all\"\n";

/// Twenty balls of 1 kg in a row, 0.05 m apart, that fall without gravity at 1 m/s: 20 a second pass any height.
fn falling(more: &str) -> String {
    let body = |i: i32| {
        format!(
            "[[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\nmass = 1.0\n\
             position = [0, 0, {:?}]\nvelocity = [0, 0, -1.0]\n",
            0.1 + 0.05 * f64::from(i)
        )
    };
    let bodies: String = (0..20).map(body).collect();
    format!(
        "[time]\nend = 1.5\nstep = 1e-3\n[material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e4 }}\n{bodies}{more}"
    )
}

fn run(folder: &Folder, scene: &str) {
    folder.file("scene.toml", scene);
    let output = stickslip(folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = stickslip(folder, &[&["measure", "run", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", err(&output));
    serde_json::from_str(&out(&output)).unwrap()
}

/// Rows are 0.05 s apart, in which exactly one ball passes. At such a row a ball may stand on the plane itself, so the plane
/// lies between two.
#[test]
fn a_row_of_balls_passes_at_its_rate() {
    let folder = Folder::new("measure-discharge");
    run(&folder, &falling(BODIES));
    let found = json(&folder, &["discharge", "--up", "0,0,1", "--below", "-0.025"]);
    // Counts lie on a line up to the rounding of times; 1e-9 leaves room for both.
    assert!((found["body_rate"].as_f64().unwrap() - 20.0).abs() < 1e-9, "{found}");
    assert!((found["mass_rate"].as_f64().unwrap() - 20.0).abs() < 1e-9);
    assert_eq!((found["mass_out"].as_f64(), found["imbalance"].as_f64()), (Some(20.0), Some(0.0)));
    let csv = std::fs::read_to_string(folder.path().join("run/measure-discharge.csv")).unwrap();
    assert!(csv.starts_with("time,came,on,out,"), "{csv}");
    assert!(folder.path().join("run/measure-discharge.svg").is_file());
    // One layer holds all that falls: mean velocity -1, no temperature.
    let found = json(&folder, &["profile", "--axis", "0,0,1", "--layers", "1"]);
    assert!((found["mean_velocity"][2].as_f64().unwrap() + 1.0).abs() < 1e-12, "{found}");
}

/// The floor carries the ball at rest, and the stress under its centre is the weight by the area of its shadow's square.
#[test]
fn a_ball_at_rest_loads_its_floor() {
    let folder = Folder::new("measure-rest");
    let records = format!("{BODIES}format = \"parquet\"\n[[record]]\nwhat = \"contacts\"\nevery = 0.05\n");
    run(&folder, &ball("end = 0.5", &records));
    // 4/3 pi R^3 rho g; the bounce has died down to below 1e-6 of it after 0.5 s (seen: 1e-12).
    let weight = 4.0 / 3.0 * std::f64::consts::PI * 1e-6 * 2500.0 * 9.81;
    let walls = json(&folder, &["walls"]);
    let force = walls["force_on_floor"][2].as_f64().unwrap();
    assert!((force + weight).abs() < 1e-6 * weight, "{force} {weight}");
    // From the contact to the centre the branch is half of the height of the two layers: the lower one is full of it.
    let stress = json(&folder, &["stress", "--layers", "2"]);
    let largest = stress["largest_stress_along_the_axis"].as_f64().unwrap();
    // The contact lies half an overlap d = weight/k above the ball's lowest point; the force is good to 1e-6, as above.
    let branch = 0.01 - 0.5 * weight / 1e4;
    assert!((largest / (weight / 4e-4 * branch / 0.01) - 1.0).abs() < 2e-6, "{largest}");
    let all = json(&folder, &[]);
    assert_eq!(all["coordination"]["mean_contacts"].as_f64(), Some(1.0));
    assert!(all.get("repose").is_none(), "one ball is no heap: {all}");
}

#[test]
fn the_summary_writes_nothing() {
    let folder = Folder::new("measure-summary");
    run(&folder, &ball("end = 0.01", BODIES));
    let files = |folder: &Folder| std::fs::read_dir(folder.path().join("run")).unwrap().count();
    let before = files(&folder);
    let output = stickslip(&folder, &["measure", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    for part in ["A ball", "walls", "not measured", "stress", "needs the record `contacts`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(files(&folder), before);
}

#[test]
fn what_cannot_be_measured_exits_with_2() {
    let folder = Folder::new("measure-wrong");
    run(&folder, &ball("end = 0.01", BODIES));
    let before = std::fs::read_dir(folder.path().join("run")).unwrap().count();
    for (arguments, said) in [
        (&["measure", "."][..], "holds no run"),
        (&["measure", "nowhere"], "no such folder"),
        (&["measure", "run", "angle"], "angle"),
        (&["measure", "run", "stress"], "what  = \"contacts\""),
        (&["measure", "run", "repose"], "too few spheres"),
        (&["measure", "run", "repose", "--ridge", "0,0,1"], "cannot be upright"),
        (&["measure", "run", "repose", "--time", "7"], "no time near 7"),
        (&["measure", "run", "drum"], "--axis"),
        (&["measure", "run", "fraction", "--box", "0,0,1", "1,1,0"], "--box"),
        (&["measure", "run", "fraction", "--cylinder", "0,0,0", "0,0,0", "1"], "same point"),
        (&["measure", "run", "profile", "--axis", "1,0"], "three numbers"),
        (&["measure", "run", "walls", "--from", "3"], "no recorded time"),
        (&["measure", "run", "profile", "--layers", "0"], "--layers"),
    ] {
        let output = stickslip(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(std::fs::read_dir(folder.path().join("run")).unwrap().count(), before);
}

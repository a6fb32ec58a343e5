//! Periodic cells from outside: a packing that jams by its rules, a stage that shears it, the same bytes for any number of
//! threads.

use crate::common::{Folder, err, out, stickslip};

const COMMON: &str = "[material.grain]\ndensity = 1.909859317102744\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
    normal = { law = \"hooke\", stiffness = 1.0, damping = 0.5 }\n\
    slide = { law = \"spring-slider\", stiffness = 1.0, damping = 0.5, mu = 0.3 }\n\
    [[record]]\nwhat = \"series\"\nevery = 10.0\n";

fn jam() -> String {
    format!(
        "[time]\nend = 2000.0\nstep = 0.04\nstop = {{ kinetic_energy_per_body = 1e-8, pressure_error = 1e-2 }}\n\
         [cell]\nvolume_fraction = 0.2\ncontrol = {{ kind = \"pressure\", pressure = 1e-3 }}\n\
         [[grains]]\nmaterial = \"grain\"\ncount = 100\nradius = 0.5\nplace = {{ kind = \"random\" }}\n{COMMON}"
    )
}

fn shear() -> String {
    format!(
        "[start]\nfrom = \"runs/jam\"\n[time]\nend = 100.0\nstep = 0.04\nstop = {{ strain = 0.1 }}\n\
         [cell]\ncontrol = {{ kind = \"strain\", gradient = [[0, 0.01, 0], [0, 0, 0], [0, 0, 0]] }}\n{COMMON}"
    )
}

/// The last row of a run's series, by the names of its columns.
fn last(folder: &Folder, run: &str) -> impl Fn(&str) -> f64 {
    let text = std::fs::read_to_string(folder.path().join("runs").join(run).join("series.csv")).unwrap();
    let header: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let row: Vec<f64> = text.lines().last().unwrap().split(',').map(|field| field.parse().unwrap()).collect();
    assert_eq!(header.len(), row.len());
    move |name| row[header.iter().position(|column| column == name).unwrap()]
}

#[test]
fn a_packing_jams_by_its_rules_and_is_sheared_by_a_stage() {
    let folder = Folder::new("cells");
    folder.file("jam.toml", &jam());
    folder.file("shear.toml", &shear());
    let output = stickslip(&folder, &["run", "jam.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("stopped: kinetic_energy_per_body = "), "{}", out(&output));
    let jammed = last(&folder, "jam");
    assert!(jammed("kinetic_per_body") <= 1e-8 && jammed("pressure_error") <= 1e-2);
    // What the rules found is what the series says.
    let off = ["xx", "yy", "zz"].map(|k| (jammed(&format!("pressure_{k}")) - 1e-3).abs());
    assert!(off.iter().all(|off| *off <= 1e-2 * 1e-3), "{off:?}");
    assert!(jammed("volume_fraction") > 0.5 && jammed("coordination_held") > 3.0 && jammed("rattlers") < 0.5);
    // The enthalpy at rest: stored energy and pressure times volume, but for the last of the motion.
    let (volume, grains) = (100.0 * std::f64::consts::PI / 6.0 / jammed("volume_fraction"), 100.0);
    let at_rest = jammed("stored") + 1e-3 * volume;
    assert!((jammed("enthalpy") - at_rest).abs() < jammed("kinetic") + grains * 1e-8, "{}", jammed("enthalpy"));

    let output = stickslip(&folder, &["run", "shear.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("stopped: strain = 0.1"), "{}", out(&output));
    let sheared = last(&folder, "shear");
    // Looked at every 10 steps, 0.004 of strain each.
    assert!((0.1..0.104).contains(&sheared("strain_xy")), "{}", sheared("strain_xy"));
    assert!((sheared("volume_fraction") / jammed("volume_fraction") - 1.0).abs() < 1e-12);
    assert!(sheared("pressure_error").is_nan() && sheared("pressure_xy") < 0.0);
}

#[test]
fn the_threads_do_not_change_a_packing() {
    let folder = Folder::new("cell-threads");
    folder.file("jam.toml", &jam().replace("end = 2000.0", "end = 60.0"));
    let end = |threads: &str| {
        let run = format!("runs/{threads}");
        let output = stickslip(&folder, &["run", "jam.toml", "--quiet", "--threads", threads, "--out", &run]);
        assert!(output.status.success(), "{}", err(&output));
        ["end.checkpoint", "series.csv"].map(|file| std::fs::read(folder.path().join(&run).join(file)).unwrap())
    };
    assert!(end("1") == end("2"));
}

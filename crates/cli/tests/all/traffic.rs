//! Runs in which bodies come and go: the same bytes on any threads and without AVX2, tables that agree with each other, streams that are late.

use crate::common;
use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{Folder, command, err, out, stickslip};

/// Grains rain on a slope and leave at its lower end; `more` is whatever else.
fn chute(rate: f64, more: &str) -> String {
    format!(
        "title = \"Chute\"\ngravity = [5.0, 0.0, -8.0]\n[time]\nend = 0.3\nstep = 1e-5\n\
         [material.grain]\ndensity = 2500.0\n\
         [[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e4, restitution = 0.5 }}\n\
         slide = {{ law = \"spring-slider\", stiffness = 3e3, damping_ratio = 0.3, mu = 0.3 }}\n\
         [[body]]\nname = \"slope\"\nmaterial = \"grain\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n\
         position = [0, 0, 0]\n\
         [[grains]]\nmaterial = \"grain\"\ncount = 20\nradius = 0.004\n\
         place = {{ kind = \"random\", from = [-0.05, -0.02, 0.005], to = [0.05, 0.02, 0.03] }}\n\
         [[stream]]\nmaterial = \"grain\"\nradius = {{ min = 0.003, max = 0.005 }}\nrate = {rate}\ncount = 2000\n\
         from = [-0.03, -0.03, 0.05]\nto = [0.03, 0.03, 0.06]\nvelocity = [0, 0, -0.5]\n\
         [domain]\nfrom = [-1, -1, -1]\nto = [0.1, 1, 1]\nleaving = \"remove\"\n\
         [[record]]\nwhat = \"series\"\nevery = 0.01\n[[record]]\nwhat = \"bodies\"\nevery = 0.02\n\
         [[record]]\nwhat = \"contacts\"\nevery = 0.02\n[[record]]\nwhat = \"snapshot\"\nevery = 0.1\n\
         [[record]]\nwhat = \"snapshot\"\nevery = 0.1\nformat = \"lammps\"\nname = \"dump\"\n{more}"
    )
}

fn table(folder: &Path, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn column(table: &[Vec<String>], name: &str) -> Vec<f64> {
    let index = table[0].iter().position(|column| column == name).unwrap();
    table[1..].iter().map(|row| row[index].parse().unwrap()).collect()
}

#[test]
fn a_chute_counts_what_comes_and_goes_in_the_same_bytes() {
    let folder = Folder::new("chute");
    folder.file("chute.toml", &chute(400.0, ""));
    let run = |threads: &str, simd: &str| {
        let mut command = command(&folder, &["run", "chute.toml", "--threads", threads, "--out", threads]);
        let output = command.env("STICKSLIP_SIMD", simd).output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
        (folder.path().join(threads), out(&output))
    };
    let (path, said) = run("1", "on");
    // 400 a second for 0.3 s.
    assert!(said.contains("21 bodies: 20 spheres, 1 wall; 120 more are due to arrive in 1 stream\n"), "{said}");
    assert!(said.contains("kinetic energy of bodies that left") && !said.contains("warning"), "{said}");
    let other = run("3", "off").0;
    for name in ["series.csv", "bodies.csv", "contacts.csv", "bodies-fixed.csv", "snapshot-30000.vtp", "dump.dump"] {
        assert_eq!(std::fs::read(path.join(name)).unwrap(), std::fs::read(other.join(name)).unwrap(), "{name}");
    }
    let series = table(&path, "series.csv");
    let [bodies, entered, left, left_mass] =
        ["bodies", "entered", "left", "left_mass"].map(|name| column(&series, name));
    assert!(bodies.iter().zip(&entered).zip(&left).all(|((n, came), went)| 21.0 + came == n + went));
    assert_eq!(*entered.last().unwrap(), 120.0);
    assert!(*left.last().unwrap() > 20.0 && *left_mass.last().unwrap() > 0.0);
    // Every id has one fixed row; those of the last moment are in the bodies record.
    let fixed = table(&path, "bodies-fixed.csv");
    assert_eq!(column(&fixed, "id"), (0..141).map(f64::from).collect::<Vec<_>>());
    let radius = |row: &Vec<String>| row[4].parse::<f64>().unwrap();
    assert!(fixed[22..].iter().all(|row| row[2] == "grain" && (0.003..0.005).contains(&radius(row))));
    let last: Vec<Vec<String>> = table(&path, "bodies.csv").into_iter().filter(|row| row[1] == "30000").collect();
    assert_eq!(last.len() as f64, *bodies.last().unwrap());
    let there: BTreeSet<&String> = last.iter().map(|row| &row[2]).collect();
    let contacts = table(&path, "contacts.csv");
    let touching: Vec<&Vec<String>> = contacts.iter().filter(|row| row[1] == "30000").collect();
    assert!(!touching.is_empty() && touching.iter().all(|row| there.contains(&row[2]) && there.contains(&row[3])));
    let json = std::fs::read_to_string(path.join("run.json")).unwrap();
    assert!(json.contains("\"entered\": 120") && path.join("picture.png").is_file(), "{json}");
    // The scene of the folder gives the same run.
    let again = stickslip(&folder, &["run", "1/scene.toml", "--out", "again"]);
    assert!(again.status.success(), "{}", err(&again));
    assert_eq!(table(&path, "bodies.csv"), table(&folder.path().join("again"), "bodies.csv"));
}

#[test]
fn a_stream_that_is_late_is_warned_of_and_a_blocked_one_ends_the_run() {
    let folder = Folder::new("late");
    folder.file("late.toml", &chute(5000.0, ""));
    let output = stickslip(&folder, &["run", "late.toml"]);
    assert!(output.status.success(), "{}", err(&output));
    let said = out(&output);
    assert!(said.contains("warning: [[stream]] number 1 found no room for all its bodies"), "{said}");
    let json = std::fs::read_to_string(folder.path().join("runs/late/run.json")).unwrap();
    assert!(json.contains("of the 1500 that were due have entered"), "{json}");

    let cork = "[[body]]\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.06 }\nposition = [0, 0, 0.061]\n\
                motion = \"fixed\"\n";
    let scene = chute(400.0, cork).replace("end = 0.3", "end = 3.0").replace("count = 20\n", "count = 1\n");
    folder.file(
        "blocked.toml",
        &scene.replace("from = [-0.05, -0.02, 0.005], to = [0.05,", "from = [0.07, 0.0, 0.005], to = [0.07,"),
    );
    let output = stickslip(&folder, &["run", "blocked.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let said = err(&output);
    assert!(said.contains("[[stream]] number 1 (material \"grain\") has found no free place"), "{said}");
    // It stopped between two steps; the state was once thrown away.
    assert!(folder.path().join("runs/blocked/end.checkpoint").is_file());
    let series = table(&folder.path().join("runs/blocked"), "series.csv");
    assert!(column(&series, "entered").iter().all(|entered| *entered == 0.0));
}

#[test]
fn no_rule_ends_a_run_while_bodies_are_to_come() {
    let folder = Folder::new("to-come");
    // The ball comes to rest long before 0.2 s, when the next one is due, which then comes to rest, too.
    let stream = "[[stream]]\nmaterial = \"grain\"\nradius = 0.01\nrate = 1.0\ncount = 1\nstart = 0.2\n\
                  from = [0.1, 0, 0.0101]\nto = [0.1, 0, 0.0101]\n";
    let time = "end = 1.0\n[time.stop]\nkinetic_energy_per_body = 1e-12";
    folder.file("alone.toml", &common::ball(time, ""));
    folder.file("two.toml", &common::ball(time, stream));
    let time_of = |scene: &str| {
        let output = stickslip(&folder, &["run", scene, "--out", &format!("{scene}.run")]);
        assert!(output.status.success(), "{}", err(&output));
        let json = std::fs::read_to_string(folder.path().join(format!("{scene}.run/run.json"))).unwrap();
        let time = json.split("\"simulated_time\": ").nth(1).unwrap().split(',').next().unwrap().to_owned();
        time.parse::<f64>().unwrap()
    };
    let (alone, two) = (time_of("alone.toml"), time_of("two.toml"));
    assert!(alone < 0.2 && two > 0.2 && two < 1.0, "{alone} {two}");
}

//! The same scene gives the same bytes for any number of threads and with AVX2 off; an interrupted run keeps all it had.

use crate::common;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Folder, ball, command, err, out};

/// Some hundred grains of two sizes that fall on a floor.
fn heap(end: f64) -> String {
    let law = "normal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }\n\
               slide = { law = \"spring-slider\", stiffness = 3e3, damping_ratio = 0.3, mu = 0.5 }\n\
               roll = { law = \"spring-slider\", stiffness = 1e3, damping_ratio = 0.3, mu = 0.2 }\n\
               spin = { law = \"spring-slider\", stiffness = 0.01, damping_ratio = 0.3, mu = 0.2 }";
    let record = |what: &str, every: &str| format!("[[record]]\nwhat = \"{what}\"\nevery = {every}\n");
    format!(
        "gravity = [0.0, 0.0, -9.81]\n[time]\nend = {end}\nstep = 2e-5\n[material.grain]\ndensity = 2500.0\n\
         [[contact]]\nbetween = [\"grain\", \"grain\"]\n{law}\n\
         [[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\nposition = [0, 0, 0]\n\
         motion = \"fixed\"\n\
         [[grains]]\nmaterial = \"grain\"\ncount = 600\nradius = {{ min = 0.004, max = 0.006 }}\n\
         place = {{ kind = \"random\", from = [-0.03, -0.03, 0.006], to = [0.03, 0.03, 0.22] }}\n{}{}{}{}",
        record("bodies", "0.01"),
        record("contacts", "0.02"),
        record("series", "0.001"),
        record("snapshot", "0.05"),
    )
}

/// Every record of a run folder: its tables and snapshots.
fn records(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let kept = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "csv" || e == "vtp" || e == "pvd");
    let mut files: Vec<(String, Vec<u8>)> = entries
        .filter(kept)
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_every_width() {
    let folder = Folder::new("bytes");
    folder.file("heap.toml", &heap(0.1));
    let run = |threads: &str, simd: &str| {
        let out = format!("run-{threads}-{simd}");
        let mut command = command(&folder, &["run", "heap.toml", "--quiet", "--threads", threads, "--out", &out]);
        let output = command.env("STICKSLIP_SIMD", simd).output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
        records(&folder.path().join(out))
    };
    let one = run("1", "on");
    assert!(one.len() >= 7, "bodies-fixed, bodies, contacts, series, list and snapshots: {}", one.len());
    for (threads, simd) in [("2", "on"), ("3", "on"), ("8", "on"), ("1", "off"), ("3", "off"), ("2", "avx2")] {
        for ((name, expected), (other, found)) in one.iter().zip(run(threads, simd)) {
            assert_eq!(*name, other);
            assert!(*expected == found, "{name} differs with {threads} threads, STICKSLIP_SIMD={simd}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_everything() {
    let folder = Folder::new("interrupted");
    folder.file("heap.toml", &heap(1000.0));
    let mut command = command(&folder, &["run", "heap.toml", "--threads", "1"]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let run = folder.path().join("runs/heap");
    let start = Instant::now();
    // The second snapshot shows that steps are being taken.
    while !run.join("snapshot-2500.vtp").exists() {
        assert!(start.elapsed() < Duration::from_secs(120), "the run does not get going");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(out(&output).contains("interrupted") && err(&output).contains("interrupted"));
    let json = std::fs::read_to_string(run.join("run.json")).unwrap();
    assert!(json.contains("\"interrupted\""), "{json}");
    assert!(run.join("report.html").is_file() && run.join("picture.png").is_file());
    let last_step = |name: &str| {
        let table = std::fs::read_to_string(run.join(name)).unwrap();
        assert!(table.ends_with('\n'), "{name} ends within a line");
        table.lines().last().unwrap().split(',').nth(1).unwrap().parse::<u64>().unwrap()
    };
    let step = last_step("series.csv");
    assert!(step >= 2500);
    assert_eq!((last_step("bodies.csv"), last_step("contacts.csv")), (step, step));
}

#[test]
fn no_steps_are_a_run_too() {
    let folder = Folder::new("no-steps");
    folder.file("ball.toml", &ball("end = 0.0", "[[record]]\nwhat = \"bodies\"\nevery = \"step\""));
    let output = common::stickslip(&folder, &["run", "ball.toml"]);
    assert!(output.status.success(), "{}", err(&output));
    let table = std::fs::read_to_string(folder.path().join("runs/ball/bodies.csv")).unwrap();
    assert_eq!(table.lines().count(), 3);
}

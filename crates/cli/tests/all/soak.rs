//! A long run, ended and gone on with at random intervals on random threads, ends on the bytes of one that was left alone.
#![cfg(unix)]

use std::time::{Duration, Instant};

use crate::common::broken_off::{Dice, Moment, Running, newest_checkpoint};
use crate::common::every_record::{assert_same, lasting_files};
use crate::common::{Folder, err, stickslip};
use rustix::process::Signal;

/// Grains of two sizes that settle in a box.
fn settling(count: u64, steps: u64) -> String {
    let height = 0.1 * count as f64 / 300.0;
    let walls = [
        ([0, 0, 1], [0.0, 0.0, 0.0]),
        ([1, 0, 0], [-0.03, 0.0, 0.0]),
        ([-1, 0, 0], [0.03, 0.0, 0.0]),
        ([0, 1, 0], [0.0, -0.03, 0.0]),
        ([0, -1, 0], [0.0, 0.03, 0.0]),
    ];
    let walls = walls.map(|(normal, position)| {
        format!(
            "[[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"plane\", normal = {normal:?} }}\n\
             position = {position:?}\nmotion = \"fixed\"\n"
        )
    });
    format!(
        "gravity = [0.0, 0.0, -9.81]\n[time]\nend = {}\nstep = 2e-5\n[material.grain]\ndensity = 2500.0\n\
         [[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e4, restitution = 0.5 }}\n\
         slide = {{ law = \"spring-slider\", stiffness = 3e3, damping_ratio = 0.3, mu = 0.5 }}\n\
         roll = {{ law = \"spring-slider\", stiffness = 1e3, damping_ratio = 0.3, mu = 0.2 }}\n\
         spin = {{ law = \"spring-slider\", stiffness = 0.01, damping_ratio = 0.3, mu = 0.2 }}\n{}\
         [[grains]]\nmaterial = \"grain\"\ncount = {count}\nradius = {{ min = 0.003, max = 0.005 }}\n\
         place = {{ kind = \"random\", from = [-0.025, -0.025, 0.005], to = [0.025, 0.025, {height}] }}\n\
         [[record]]\nwhat = \"series\"\nevery = 1e-3\n[[record]]\nwhat = \"bodies\"\nevery = 0.01\nformat = \"parquet\"\n\
         [[record]]\nwhat = \"snapshot\"\nevery = 0.02\n\
         [[record]]\nwhat = \"checkpoint\"\nevery = {}\n",
        steps as f64 * 2e-5,
        walls.concat(),
        (steps / 100) as f64 * 2e-5,
    )
}

/// Ends a run so many times at the least.
fn soak(name: &str, count: u64, steps: u64, least: usize) {
    let folder = Folder::new(name);
    folder.file("scene.toml", &settling(count, steps));
    let start = Instant::now();
    let output = stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--threads", "1", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    let duration = start.elapsed();
    // In steps: from none to so many that the run is ended often enough.
    let longest = steps / (2 * least as u64);
    let (mut dice, run) = (Dice::new(count), folder.path().join("run"));
    let (mut killed, mut asked) = (0, 0);
    let mut command: &[&str] = &["run", "scene.toml", "--out", "run"];
    loop {
        let threads = (1 + dice.below(3)).to_string();
        let last = killed + asked == 6 * least;
        let next = newest_checkpoint(&run).map_or(0, |(step, _)| step) + dice.below(longest);
        let arguments = [command, &["--quiet", "--threads", &threads]].concat();
        let mut running = Running::start(&folder, &arguments);
        if !last && running.reaches(Moment::Step(next, dice.time(Duration::from_millis(20))), &run) {
            running.signal(if dice.below(2) == 0 { Signal::KILL } else { Signal::TERM });
        }
        let output = running.end();
        match output.status.code() {
            Some(0) => break,
            None => killed += 1,
            code => {
                assert_eq!(code, Some(1), "{}", err(&output));
                asked += 1;
            }
        }
        if run.join("scene.toml").exists() {
            command = &["resume", "run"];
        }
    }
    let seconds = (duration.as_secs_f64(), (start.elapsed() - duration).as_secs_f64());
    println!(
        "{:.0e} particle-steps: {:.1} s alone, {:.1} s with {killed} kills and {asked} requests to end",
        (count * steps) as f64,
        seconds.0,
        seconds.1
    );
    assert!(killed + asked >= least, "ended only {killed} + {asked} times");
    let whole = lasting_files(&folder.path().join("whole"));
    assert_same(&whole, &lasting_files(&run), &format!("after {killed} kills and {asked} requests to end"));
}

#[test]
fn a_million_particle_steps_with_restarts() {
    soak("soak", 500, 2000, 3);
}

#[test]
#[ignore = "ten million particle-steps with dozens of restarts take a minute or two"]
fn ten_million_particle_steps_with_restarts() {
    soak("soak-long", 1000, 10_000, 15);
}

#[test]
fn a_request_to_end_is_heard_soon() {
    let folder = Folder::new("heard");
    folder.file("scene.toml", &settling(500, 1_000_000));
    let run = folder.path().join("run");
    let mut running = Running::start(&folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
    assert!(running.reaches(Moment::After(Duration::from_secs(1)), &run));
    running.signal(Signal::TERM);
    let start = Instant::now();
    let output = running.end();
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    // Fifty steps and the picture: two seconds; more only on a machine with much else to do.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

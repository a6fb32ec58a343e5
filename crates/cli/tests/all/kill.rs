//! A run that is killed at any moment goes on to the same bytes, however often, on any threads; so does one that was asked
//! to end.
#![cfg(unix)]

use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::broken_off::{Dice, Moment, Running, killed_run, names};
use crate::common::every_record::{Files, assert_same, lasting_files, scene};
use crate::common::{Folder, err, out, says, stickslip};
use crate::one_file::staged;
use rustix::process::Signal;

/// Seconds between two automatic checkpoints that make some dozens in a run.
const OFTEN: &str = "0.02";

/// Where kills fell.
#[derive(Debug, Default)]
struct Tally {
    /// Before the folder held all that `resume` needs.
    early: usize,
    /// While a checkpoint was being written: its part lay there.
    in_checkpoint: usize,
    /// While another file was.
    in_other_file: usize,
    /// At any other moment.
    elsewhere: usize,
    /// The run was over before.
    too_late: usize,
}

/// A scene that ran once to its end, undisturbed, and is then run again and again.
struct Trials {
    folder: Folder,
    expected: Files,
    duration: Duration,
    dice: Dice,
    tally: Tally,
}

impl Trials {
    fn new(name: &str, seed: u64) -> Self {
        Trials::of(name, seed, &scene())
    }

    fn of(name: &str, seed: u64, scene: &str) -> Self {
        let folder = Folder::new(name);
        folder.file("scene.toml", scene);
        let start = Instant::now();
        let output = stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--threads", "1", "--quiet"]);
        assert!(output.status.success(), "{}", err(&output));
        let expected = lasting_files(&folder.path().join("whole"));
        // A scene that left a kind of record out would make what follows worth little.
        for name in ["bodies-fixed.csv", "contacts.parquet", "snapshot-chains.pvd", "dump.dump", "data-0.data"] {
            assert!(expected.contains_key(name), "{name}");
        }
        Trials { folder, expected, duration: start.elapsed(), dice: Dice::new(seed), tally: Tally::default() }
    }

    /// Starts `run` or `resume` on random threads, half of them with automatic checkpoints every so often.
    fn start(&mut self, command: &[&str], every: &str) -> Running {
        let threads = (1 + self.dice.below(3)).to_string();
        let mut arguments = [command, &["--quiet", "--threads", &threads]].concat();
        if self.dice.below(2) == 0 {
            arguments.extend(["--checkpoint-every", every]);
        }
        Running::start(&self.folder, &arguments)
    }

    /// A third of the kills at any time, a third soon after a checkpoint, a third while one is being written.
    fn moment(&mut self, number: usize) -> Moment {
        match number % 6 {
            3 => Moment::After(self.dice.time(Duration::from_millis(30))),
            0 => Moment::After(self.dice.time(self.duration)),
            1 | 4 => Moment::Step(self.dice.below(4000), self.dice.time(Duration::from_millis(20))),
            _ => Moment::Part(1 + self.dice.below(25) as usize),
        }
    }

    /// Kills the run at this moment. Returns whether it came to that.
    fn kill(&mut self, mut running: Running, moment: Moment, name: &str) -> bool {
        let run = self.folder.path().join(name);
        let reached = running.reaches(moment, &run);
        let output = running.kill();
        if !reached && output.status.code().is_some() {
            assert!(output.status.success(), "{}", err(&output));
            self.tally.too_late += 1;
            return false;
        }
        let left = names(&run);
        let place = match () {
            () if !left.iter().any(|name| name == "scene.toml") => &mut self.tally.early,
            () if left.iter().any(|name| name.ends_with(".checkpoint.part")) => &mut self.tally.in_checkpoint,
            () if left.iter().any(|name| name.ends_with(".part")) => &mut self.tally.in_other_file,
            () => &mut self.tally.elsewhere,
        };
        *place += 1;
        true
    }

    /// One run, killed once and then up to twice more, whatever goes on with it; it must end as if nothing had happened.
    fn trial(&mut self, number: usize) {
        let name = format!("run-{number}");
        let run = self.folder.path().join(&name);
        let mut moment = Some(self.moment(number));
        let mut story = Vec::new();
        // At every look; a run that went on so to its end would write thousands.
        let every = if matches!(moment, Some(Moment::Step(..))) { OFTEN } else { "0" };
        let mut running = self.start(&["run", "scene.toml", "--out", &name], every);
        while let Some(when) = moment {
            story.push(when);
            if !self.kill(running, when, &name) {
                break;
            }
            running = if run.join("scene.toml").exists() {
                self.start(&["resume", &name], OFTEN)
            } else {
                let output = stickslip(&self.folder, &["resume", &name]);
                assert_eq!(output.status.code(), Some(2), "{story:?}: {}", err(&output));
                self.start(&["run", "scene.toml", "--out", &name], OFTEN)
            };
            let again = story.len() < 3 && self.dice.below(3) == 0;
            let next = self.dice.below(6) as usize;
            moment = again.then(|| self.moment(next));
            if moment.is_none() {
                let output = running.end();
                assert!(output.status.success(), "{story:?}: {}", err(&output));
                break;
            }
        }
        assert_same(&self.expected, &lasting_files(&run), &format!("{name}, killed at {story:?}"));
        std::fs::remove_dir_all(run).unwrap();
    }

    /// So many kills at the least, and so many of them while a checkpoint was being written.
    fn run(mut self, kills: usize, in_checkpoint: usize) {
        let killed = |tally: &Tally| tally.early + tally.in_checkpoint + tally.in_other_file + tally.elsewhere;
        let mut trials = 0;
        while killed(&self.tally) < kills || self.tally.in_checkpoint < in_checkpoint {
            // A disk that writes faster than we look, or a machine whose pace changes, may need some more.
            assert!(trials < 4 * kills, "too few kills fell where they should: {:?}", self.tally);
            self.trial(trials);
            trials += 1;
        }
        println!("kills in {trials} runs of {:.1} s: {:?}", self.duration.as_secs_f64(), self.tally);
    }
}

#[test]
fn killed_at_random_it_goes_on_to_the_same_bytes() {
    Trials::new("kill", 4).run(8, 1);
}

#[test]
fn killed_at_random_in_any_stage_it_goes_on_to_the_same_bytes() {
    Trials::of("kill-stages", 12, &staged()).run(10, 1);
}

#[test]
#[ignore = "50 kills take minutes"]
fn killed_at_fifty_random_moments_of_stages_it_goes_on_to_the_same_bytes() {
    Trials::of("kill-stages-50", 51, &staged()).run(50, 5);
}

#[test]
#[ignore = "50 kills take minutes"]
fn killed_at_fifty_random_moments_it_goes_on_to_the_same_bytes() {
    Trials::new("kill-50", 50).run(50, 5);
}

#[test]
fn the_time_before_a_kill_is_not_forgotten() {
    // A run of days that was killed near its end and went on said that all its steps had taken minutes.
    let folder = Folder::new("kill-time");
    folder.file("scene.toml", &scene());
    killed_run(&folder, "scene.toml", "run", 2000);
    let number = |key: &str| -> f64 {
        let json = std::fs::read_to_string(folder.path().join("run/run.json")).unwrap();
        let line = json.lines().find_map(|line| line.trim().strip_prefix(&format!("\"{key}\": "))).unwrap();
        line.trim_end_matches(',').parse().unwrap()
    };
    let (steps, seconds) = (number("steps"), number("wall_seconds"));
    assert!(steps >= 1000.0 && seconds > 0.0, "{steps} steps in {seconds} s");
    // There is next to nothing left to do, and that takes next to no time.
    let output = stickslip(&folder, &["resume", "run", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(number("steps") > steps && number("wall_seconds") > seconds);
}

#[test]
fn asked_to_end_it_goes_on_to_the_same_bytes() {
    let mut trials = Trials::new("asked", 7);
    let mut asked = 0;
    for (number, signal) in [Signal::INT, Signal::TERM].into_iter().enumerate() {
        let name = format!("run-{number}");
        let run = trials.folder.path().join(&name);
        let mut running = trials.start(&["run", "scene.toml", "--out", &name], OFTEN);
        // Twice: a run that was asked to end and went on is asked again.
        for _ in 0..2 {
            let step = trials.dice.below(3600);
            running.reaches(Moment::Step(step, trials.dice.time(Duration::from_millis(50))), &run);
            running.signal(signal);
            let output = running.end();
            // It may have been at its last step already.
            if !output.status.success() {
                asked += 1;
                assert_eq!(output.status.code(), Some(1), "{}", err(&output));
                assert!(says(&output, "interrupted"), "{}", err(&output));
                let json = std::fs::read_to_string(run.join("run.json")).unwrap();
                let left = names(&run);
                // It may have been drawing its picture.
                let over = json.contains("\"ending\": \"finished\"");
                assert!(over || json.contains("\"ending\": \"interrupted\""), "{json}");
                assert!(["end.checkpoint", "report.html"].iter().all(|file| left.contains(&(*file).into())));
                assert_ne!(left.contains(&"picture.png".into()), over);
                assert!(!left.iter().any(|file| file.ends_with(".part")), "{left:?}");
            }
            running = trials.start(&["resume", &name], OFTEN);
        }
        let output = running.end();
        assert!(output.status.success(), "{}", err(&output));
        assert_same(&trials.expected, &lasting_files(&run), &name);
    }
    println!("asked to end {asked} times of 4");
    assert!(asked >= 2);
}

#[test]
fn a_closed_terminal_ends_a_run_cleanly_and_it_goes_on_to_the_same_bytes() {
    // SIGHUP ended it at once, without its last checkpoint and its report.
    let trials = Trials::new("hangup", 10);
    let run = trials.folder.path().join("run");
    let mut running = Running::start(&trials.folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
    assert!(running.reaches(Moment::Step(500, Duration::ZERO), &run));
    running.signal(Signal::HUP);
    let output = running.end();
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(says(&output, "interrupted") && run.join("end.checkpoint").is_file(), "{}", err(&output));
    let output = stickslip(&trials.folder, &["resume", "run", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    assert_same(&trials.expected, &lasting_files(&run), "a run whose terminal was closed");
}

#[test]
fn a_run_that_was_started_to_outlive_its_terminal_does() {
    // `nohup` has SIGHUP ignored, and a program that listens for it all the same would end with the terminal.
    let trials = Trials::new("nohup", 9);
    let run = trials.folder.path().join("run");
    let mut start = Command::new("sh");
    start.current_dir(trials.folder.path()).args([
        "-c",
        "trap '' HUP; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_stickslip"),
    ]);
    start.args(["run", "scene.toml", "--out", "run", "--quiet"]);
    let mut running = Running::spawn(start);
    assert!(running.reaches(Moment::Step(500, Duration::ZERO), &run));
    running.signal(Signal::HUP);
    let output = running.end();
    assert!(output.status.success(), "{}", err(&output));
    assert_same(&trials.expected, &lasting_files(&run), "a run under nohup");
}

/// A program that was asked to end while it drew the picture went on drawing, for 17 s at 25 ellipsoids.
#[test]
fn asked_to_end_while_its_picture_is_drawn_it_ends_and_resume_draws_it() {
    let folder = Folder::new("asked-drawing");
    // Bodies on a lattice that do not move: hardly anything to compute, much to draw.
    let scene = "gravity = [0.0, 0.0, 0.0]\n[time]\nend = 1e-5\nstep = 1e-5\n[material.grain]\ndensity = 2500.0\n\
                 [[contact]]\nbetween = [\"grain\", \"grain\"]\nnormal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }\n\
                 [[grains]]\nmaterial = \"grain\"\ncount = 64000\nradius = 0.005\n\
                 place = { kind = \"lattice\", from = [0.0, 0.0, 0.0], to = [0.5, 0.5, 0.5], spacing = 0.012 }\n";
    folder.file("scene.toml", scene);
    let output = stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    let expected = lasting_files(&folder.path().join("whole"));
    // Drawing begins when the last checkpoint is there. A signal that comes too late is sent to another run.
    let stopped = (0..5).any(|number| {
        let name = format!("run-{number}");
        let run = folder.path().join(&name);
        let mut running = Running::start(&folder, &["run", "scene.toml", "--out", &name, "--quiet"]);
        let start = Instant::now();
        while !run.join("end.checkpoint").exists() {
            assert!(start.elapsed() < Duration::from_secs(120), "the run never ends");
            std::thread::sleep(Duration::from_micros(100));
        }
        running.signal(Signal::TERM);
        let output = running.end();
        if output.status.success() {
            return false;
        }
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        assert!(says(&output, "interrupted while its picture was drawn"), "{}", err(&output));
        assert!(!run.join("picture.png").exists());
        let json = std::fs::read_to_string(run.join("run.json")).unwrap();
        assert!(json.contains("\"ending\": \"finished\""), "{json}");
        let output = stickslip(&folder, &["resume", &name]);
        assert!(output.status.success() && out(&output).contains("has been drawn"), "{}", err(&output));
        assert_same(&expected, &lasting_files(&run), &name);
        true
    });
    assert!(stopped, "no signal came while the picture was drawn");
}

/// `timeout` sends its signal to the process and then to its group, and the second one ended the run without a checkpoint.
#[test]
fn asked_twice_in_a_moment_it_ends_cleanly_and_goes_on_to_the_same_bytes() {
    let trials = Trials::new("twice", 8);
    let run = trials.folder.path().join("run");
    let mut running = Running::start(&trials.folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
    assert!(running.reaches(Moment::Step(1000, Duration::ZERO), &run));
    running.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(20));
    running.signal(Signal::INT);
    let output = running.end();
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(says(&output, "interrupted") && run.join("end.checkpoint").is_file(), "{}", err(&output));
    let output = stickslip(&trials.folder, &["resume", "run"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("finished"), "{}", out(&output));
    assert_same(&trials.expected, &lasting_files(&run), "asked twice");
}

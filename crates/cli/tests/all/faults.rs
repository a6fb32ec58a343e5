//! What can go wrong with a run folder: each gives a clear error and loses nothing that was there. Disks that are full or
//! must not be written are in `disk.rs`.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use crate::common::broken_off::{Moment, Running, checkpoints, killed_run};
use crate::common::every_record::{Files, all_files, assert_same, lasting_files, scene};
use crate::common::{Folder, ball, err, out, says, stickslip};
use rustix::process::Signal;

/// The files of a run folder; the lock is no one's data.
fn kept(run: &Path) -> Files {
    let mut files = all_files(run);
    files.remove("run.lock");
    files
}

/// Runs a command that must be refused with these words, and must not change the folder `run`.
fn refused(folder: &Folder, arguments: &[&str], words: &[&str]) -> Output {
    let run = folder.path().join("run");
    let before = kept(&run);
    let output = stickslip(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", out(&output), err(&output));
    for word in words {
        assert!(says(&output, word), "{arguments:?} does not say {word:?}: {}", err(&output));
    }
    assert_same(&before, &kept(&run), &format!("{arguments:?} that was refused"));
    output
}

/// The scene with every record, run to its end, and a run of it in `run` that was killed; what the former holds.
fn whole_and_killed(name: &str, step: u64) -> (Folder, Files) {
    let folder = Folder::new(name);
    folder.file("scene.toml", &scene());
    let output = stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    killed_run(&folder, "scene.toml", "run", step);
    let expected = lasting_files(&folder.path().join("whole"));
    (folder, expected)
}

/// Goes on with the killed run and compares.
fn goes_on(folder: &Folder, arguments: &[&str], expected: &Files) {
    let output = stickslip(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", err(&output));
    assert_same(expected, &lasting_files(&folder.path().join("run")), &format!("{arguments:?}"));
}

#[test]
fn a_damaged_checkpoint_is_refused_and_the_one_before_serves() {
    let (folder, expected) = whole_and_killed("damaged", 1500);
    let run = folder.path().join("run");
    let [.., (_, older), (_, newest)] = &checkpoints(&run)[..] else { panic!("two checkpoints are kept") };
    let path = run.join(newest);
    let whole = fs::read(&path).unwrap();
    let half = whole.len() / 2;
    let cut = |length: usize| whole[..length].to_vec();
    let flip = |at: usize, bit: u8| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        bytes
    };
    let longer = [&whole[..], b"\n"].concat();
    let damages = [cut(0), cut(7), cut(half), cut(whole.len() - 1), longer];
    // Over the whole file: its mark, its version, lengths, checksums and numbers.
    let flips = (0..40).map(|i| flip(i * (whole.len() - 1) / 39, (i % 8) as u8));
    for bytes in damages.into_iter().chain(flips) {
        fs::write(&path, bytes).unwrap();
        refused(&folder, &["resume", "run"], &[newest, "--from", older]);
    }
    goes_on(&folder, &["resume", "run", "--from", &format!("run/{older}")], &expected);
}

#[test]
fn two_damaged_checkpoints_are_refused_and_stay() {
    let (folder, expected) = whole_and_killed("both-damaged", 1000);
    let run = folder.path().join("run");
    let whole = kept(&run);
    let all = checkpoints(&run);
    for (_, name) in &all {
        fs::write(run.join(name), &whole[name][..100]).unwrap();
    }
    refused(&folder, &["resume", "run"], &[&all.last().unwrap().1]);
    for (_, name) in &all {
        refused(&folder, &["resume", "run", "--from", &format!("run/{name}")], &[name]);
        fs::write(run.join(name), &whole[name]).unwrap();
    }
    goes_on(&folder, &["resume", "run"], &expected);
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let (folder, expected) = whole_and_killed("foreign", 1000);
    folder.file("other.toml", &ball("end = 0.01\nstep = 1e-4", ""));
    assert!(stickslip(&folder, &["run", "other.toml", "--out", "other", "--quiet"]).status.success());
    refused(&folder, &["resume", "run", "--from", "other/end.checkpoint"], &["end.checkpoint"]);
    refused(&folder, &["resume", "run", "--from", "run/series.csv"], &["series.csv"]);
    refused(&folder, &["resume", "run", "--from", "run/nowhere.checkpoint"], &["nowhere.checkpoint"]);
    goes_on(&folder, &["resume", "run"], &expected);
}

#[test]
fn a_record_that_is_missing_or_was_changed_is_refused() {
    let (folder, expected) = whole_and_killed("records", 1500);
    let run = folder.path().join("run");
    let whole = kept(&run);
    let mut accepted = Vec::new();
    for (name, bytes) in &whole {
        // What a run wrote after the checkpoint goes anyway: of that nothing is asked.
        let ways = if is_younger(name, &run) { 0 } else { ways_to_change(name) };
        let cut = bytes[..bytes.len() / 3].to_vec();
        let mut edited = bytes.clone();
        edited.iter_mut().skip(bytes.len() / 3).take(1).for_each(|byte| *byte ^= 1);
        for (how, changed) in [("missing", None), ("cut", Some(cut)), ("edited", Some(edited))].into_iter().take(ways) {
            match changed {
                None => fs::remove_file(run.join(name)).unwrap(),
                Some(changed) => fs::write(run.join(name), changed).unwrap(),
            }
            let before = kept(&run);
            let output = stickslip(&folder, &["resume", "run", "--quiet"]);
            if output.status.code() == Some(2) && says(&output, name) {
                assert_same(&before, &kept(&run), &format!("resume, refused since {name} was {how}"));
                fs::write(run.join(name), bytes).unwrap();
            } else {
                accepted.push(format!("{name}, {how}"));
                put_back(&whole, &run);
            }
        }
    }
    assert!(accepted.is_empty(), "not refused: {accepted:?}");
    // Lists of snapshots are made anew anyway, whatever stands in them.
    fs::remove_file(run.join("snapshot.pvd")).unwrap();
    fs::write(run.join("snapshot-chains.pvd"), "something else").unwrap();
    goes_on(&folder, &["resume", "run"], &expected);
}

/// How many of three changes must be refused: that a file is missing, that it was cut, that it was edited. Of snapshots
/// there may be gigabytes that nothing is ever added to: they must be there and as long as they were.
fn ways_to_change(name: &str) -> usize {
    match name.rsplit_once('.') {
        Some((_, "csv" | "dump")) => 3,
        Some((_, "vtp" | "data")) => 2,
        _ => 0,
    }
}

/// Makes a folder hold these files and nothing else.
fn put_back(files: &Files, folder: &Path) {
    fs::remove_dir_all(folder).unwrap();
    fs::create_dir(folder).unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
}

/// Whether this is a snapshot of a step after the newest checkpoint.
fn is_younger(name: &str, run: &Path) -> bool {
    let stem = name.strip_suffix(".vtp").or_else(|| name.strip_suffix(".data"));
    let step = stem.and_then(|stem| stem.rsplit_once('-')?.1.parse::<u64>().ok());
    step.is_some_and(|step| step > checkpoints(run).last().unwrap().0)
}

#[test]
fn an_edited_scene_is_refused() {
    let (folder, expected) = whole_and_killed("edited", 1000);
    let path = folder.path().join("run/scene.toml");
    let text = fs::read_to_string(&path).unwrap();
    let longer = text.replace("end = 0.08", "end = 0.09");
    assert_ne!(longer, text);
    for changed in [longer, format!("{text}# a remark\n"), text[..text.len() / 2].to_owned(), String::new()] {
        fs::write(&path, changed).unwrap();
        refused(&folder, &["resume", "run"], &["scene.toml"]);
    }
    fs::write(&path, &text).unwrap();
    goes_on(&folder, &["resume", "run"], &expected);
}

#[test]
fn a_run_json_that_is_gone_or_cut_is_refused_and_loses_nothing() {
    let (folder, expected) = whole_and_killed("json", 1000);
    let path = folder.path().join("run/run.json");
    let text = fs::read_to_string(&path).unwrap();
    for changed in [None, Some(""), Some(&text[..text.len() / 2]), Some("{\"program\": \"other\"}\n")] {
        match changed {
            None => fs::remove_file(&path).unwrap(),
            Some(changed) => fs::write(&path, changed).unwrap(),
        }
        refused(&folder, &["resume", "run"], &["run.json"]);
        refused(&folder, &["run", "scene.toml", "--out", "run"], &[]);
        refused(&folder, &["run", "scene.toml", "--out", "run", "--force"], &[]);
    }
    fs::write(&path, &text).unwrap();
    goes_on(&folder, &["resume", "run"], &expected);
}

#[test]
fn a_run_that_is_not_finished_is_not_replaced_unasked() {
    let (folder, expected) = whole_and_killed("unfinished", 1000);
    let run = folder.path().join("run");
    refused(&folder, &["run", "scene.toml", "--out", "run"], &["stickslip resume run", "--force"]);
    // With its scene gone but its records there, it must not be taken for one that had only just begun.
    let scene = run.join("scene.toml");
    let text = fs::read(&scene).unwrap();
    fs::remove_file(&scene).unwrap();
    refused(&folder, &["run", "scene.toml", "--out", "run"], &["holds a run that is not over"]);
    refused(&folder, &["resume", "run"], &["scene.toml is missing"]);
    fs::write(&scene, text).unwrap();
    goes_on(&folder, &["resume", "run"], &expected);
}

#[test]
fn a_folder_of_a_run_killed_at_its_very_start_is_taken_by_run() {
    let folder = Folder::new("very-start");
    folder.file("scene.toml", &ball("end = 0.01\nstep = 1e-4", ""));
    assert!(stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--quiet"]).status.success());
    let expected = lasting_files(&folder.path().join("whole"));
    let run = folder.path().join("run");
    let json = fs::read_to_string(folder.path().join("whole/run.json")).unwrap();
    let json = json.replace("\"finished\"", "\"running\"");
    // What a kill may leave: nothing, a lock, a part of run.json, run.json, a part of the scene.
    for left in
        [&[][..], &["run.lock"], &["run.lock", "run.json.part"], &["run.json"], &["run.json", "scene.toml.part"]]
    {
        fs::create_dir_all(&run).unwrap();
        for name in left {
            fs::write(run.join(name), if *name == "run.json" { &json } else { "" }).unwrap();
        }
        refused(&folder, &["resume", "run"], &["stickslip run"]);
        let output = stickslip(&folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
        assert!(output.status.success(), "after a kill that left {left:?}: {}", err(&output));
        assert_same(&expected, &lasting_files(&run), &format!("after a kill that left {left:?}"));
        fs::remove_dir_all(&run).unwrap();
    }
}

#[test]
fn what_is_no_run_cannot_be_resumed() {
    let folder = Folder::new("no-run");
    refused(&folder, &["resume", "run"], &["run"]);
    assert!(!folder.path().join("run").exists());
    fs::create_dir(folder.path().join("run")).unwrap();
    refused(&folder, &["resume", "run"], &["run"]);
    folder.file("run/notes.txt", "mine");
    refused(&folder, &["resume", "run"], &["run"]);
    refused(&folder, &["resume", "run/notes.txt"], &["notes.txt"]);
}

#[test]
fn a_run_that_is_over_says_so_and_stays() {
    let folder = Folder::new("over");
    let rule = "end = 2.0\n[time.stop]\nkinetic_energy_per_body = 1e-10";
    let leaves = "velocity = [1, 0, 0]\n[domain]\nfrom = [-0.01, -0.1, -0.1]\nto = [0.01, 0.1, 0.1]";
    let scenes = [
        (ball("end = 0.01\nstep = 1e-4", ""), 0, "finished"),
        (ball(rule, ""), 0, "stopped"),
        (ball("end = 1.0", leaves), 1, "domain"),
    ];
    for (text, code, word) in scenes {
        folder.file("scene.toml", &text);
        let first = stickslip(&folder, &["run", "scene.toml", "--out", "run", "--force", "--quiet"]);
        assert_eq!(first.status.code(), Some(code), "{}", err(&first));
        let run = folder.path().join("run");
        let before = all_files(&run);
        let output = stickslip(&folder, &["resume", "run"]);
        assert_eq!(output.status.code(), Some(code), "{}", err(&output));
        assert!(out(&output).contains(word) || says(&output, word), "{}{}", out(&output), err(&output));
        assert_same(&before, &all_files(&run), word);
    }
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let folder = Folder::new("in-use");
    folder.file("scene.toml", &scene());
    let whole = stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--quiet"]);
    assert!(whole.status.success(), "{}", err(&whole));
    let run: PathBuf = folder.path().join("run");
    let again: [&[&str]; 3] =
        [&["run", "scene.toml", "--out", "run"], &["run", "scene.toml", "--out", "run", "--force"], &["resume", "run"]];
    // A process that is halted holds its folder still; so nothing depends on which of the two is faster.
    let mut first = Running::start(&folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
    assert!(first.reaches(Moment::Step(500, Duration::ZERO), &run));
    first.halt();
    for arguments in again {
        refused(&folder, arguments, &["run", "in use"]);
    }
    first.signal(Signal::KILL);
    first.end();
    // The lock went with the process; what goes on holds it again.
    let mut second = Running::start(&folder, &["resume", "run", "--quiet"]);
    assert!(second.reaches(Moment::Step(1500, Duration::ZERO), &run));
    second.halt();
    for arguments in again {
        refused(&folder, arguments, &["run", "in use"]);
    }
    second.signal(Signal::CONT);
    let output = second.end();
    assert!(output.status.success(), "{}", err(&output));
    assert_same(&lasting_files(&folder.path().join("whole")), &lasting_files(&run), "the run that held its folder");
}

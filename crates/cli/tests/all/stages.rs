//! A run that starts from another's end, as a user does it; and the checkpoints that runs leave.

use std::fs;

use crate::common::{Folder, ball, err, out, stickslip};

/// The rows of the last step of `bodies.csv`, without time and step.
fn last_rows(folder: &Folder, run: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join(run).join("bodies.csv")).unwrap();
    let last = text.lines().last().unwrap().split(',').nth(1).unwrap().to_owned();
    let rows = text.lines().filter(|line| line.split(',').nth(1) == Some(&last));
    rows.map(|line| line.splitn(3, ',').nth(2).unwrap().to_owned()).collect()
}

const BODIES: &str = "[[record]]\nwhat = \"bodies\"\nevery = 1.0\n";

/// The second part of a scene: everything but the free ball.
fn second(time: &str, start: &str) -> String {
    let whole = ball(time, BODIES);
    let at = whole.find("[[body]]\nname = \"ball\"").unwrap();
    let end = whole.find("[[record]]").unwrap();
    format!("{}[start]\n{start}\n{}", &whole[..at], &whole[end..])
}

#[test]
fn a_stage_says_that_the_earlier_run_was_interrupted() {
    // Grains that had settled halfway were taken for settled ones, without a word.
    let folder = Folder::new("half-settled");
    folder.file("first.toml", &ball("end = 0.05\nstep = 1e-4", BODIES));
    folder.file("second.toml", &second("end = 0.05\nstep = 1e-4", "from = \"runs/first\""));
    assert!(stickslip(&folder, &["run", "first.toml", "--quiet"]).status.success());
    let said = || out(&stickslip(&folder, &["check", "second.toml"]));
    assert!(said().contains("starts from") && !said().contains("interrupted"), "{}", said());
    let path = folder.path().join("runs/first/run.json");
    let json = fs::read_to_string(&path).unwrap();
    assert!(json.contains("\"ending\": \"finished\""), "{json}");
    fs::write(path, json.replace("\"finished\"", "\"interrupted\"")).unwrap();
    assert!(said().contains("was interrupted, and is not over: `stickslip resume"), "{}", said());
}

#[test]
fn two_stages_are_one_run() {
    let folder = Folder::new("stages");
    folder.file("whole.toml", &ball("end = 0.1\nstep = 1e-4", BODIES));
    folder.file("first.toml", &ball("end = 0.05\nstep = 1e-4", BODIES));
    folder.file("second.toml", &second("end = 0.05\nstep = 1e-4", "from = \"runs/first\""));
    for (scene, threads) in [("whole.toml", "1"), ("first.toml", "2"), ("second.toml", "1")] {
        let output = stickslip(&folder, &["run", scene, "--threads", threads]);
        assert!(output.status.success(), "{}", err(&output));
        assert!(out(&output).contains("end.checkpoint"));
        // The list of what was written lacked the checkpoint that a stage starts from.
        assert_eq!(out(&output).contains("start.checkpoint, "), scene == "second.toml");
    }
    let whole = last_rows(&folder, "runs/whole");
    assert_eq!(whole.len(), 2);
    assert_eq!(whole, last_rows(&folder, "runs/second"));
    // The folder of the second stands alone: its scene runs to the same bytes, wherever it lies.
    fs::rename(folder.path().join("runs/first"), folder.path().join("gone")).unwrap();
    fs::rename(folder.path().join("runs/second"), folder.path().join("moved")).unwrap();
    let output = stickslip(&folder, &["run", "moved/scene.toml", "--out", "again", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    assert_eq!(whole, last_rows(&folder, "again"));
    let (one, two) = ("moved/bodies.csv", "again/bodies.csv");
    assert!(fs::read(folder.path().join(one)).unwrap() == fs::read(folder.path().join(two)).unwrap());
    // It may replace itself, too.
    let output = stickslip(&folder, &["run", "again/scene.toml", "--out", "again", "--force", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    assert_eq!(whole, last_rows(&folder, "again"));
    let output = stickslip(&folder, &["run", "second.toml", "--out", "other"]);
    assert_eq!((output.status.code(), folder.path().join("other").exists()), (Some(2), false));
    assert!(err(&output).contains("there is no \"runs/first\""), "{}", err(&output));
}

#[test]
fn checkpoints_of_a_record_are_kept_by_two_and_removed_by_force() {
    let folder = Folder::new("kept");
    let record = "[[record]]\nwhat = \"checkpoint\"\nevery = 0.01\n";
    folder.file("ball.toml", &ball("end = 0.05\nstep = 1e-4", record));
    let names = || -> Vec<String> {
        let entries = fs::read_dir(folder.path().join("runs/ball")).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name.ends_with(".checkpoint"));
        names.sort();
        names
    };
    assert!(stickslip(&folder, &["run", "ball.toml", "--quiet"]).status.success());
    assert_eq!(names(), ["checkpoint-300.checkpoint", "checkpoint-400.checkpoint", "end.checkpoint"]);
    folder.file("stage.toml", &second("end = 0.01\nstep = 1e-4", "from = \"runs/ball/checkpoint-400.checkpoint\""));
    let output = stickslip(&folder, &["run", "stage.toml", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    folder.file("ball.toml", &ball("end = 0.001\nstep = 1e-4", ""));
    assert!(stickslip(&folder, &["run", "ball.toml", "--quiet", "--force"]).status.success());
    assert_eq!(names(), ["end.checkpoint"]);
}

#[test]
fn a_state_that_went_wrong_is_not_kept() {
    let folder = Folder::new("wrong");
    // Too fast for the spring.
    let text = ball("end = 1.0\nstep = 1e-4", "velocity = [0, 0, -9.0]\n");
    folder.file("ball.toml", &text);
    let output = stickslip(&folder, &["run", "ball.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(out(&output).contains("no checkpoint, since the state is not sound"), "{}", out(&output));
    assert!(!folder.path().join("runs/ball/end.checkpoint").exists());
    folder.file("stage.toml", &second("end = 0.01\nstep = 1e-4", "from = \"runs/ball\""));
    let error = err(&stickslip(&folder, &["check", "stage.toml"]));
    assert!(error.contains("has left no end.checkpoint") && error.contains("mend and repeat it"), "{error}");
}

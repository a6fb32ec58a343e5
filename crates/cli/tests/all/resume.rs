//! `stickslip resume`: a run that was stopped goes on to the bytes of one that was not; what cannot go on says why.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::{Folder, ball, command, err, out, stickslip};

/// A ball that falls and bounces, with a record of every kind, and checkpoints.
fn scene(more: &str) -> String {
    let record = |what: &str, more: &str| format!("[[record]]\nwhat = \"{what}\"\nevery = 0.007\n{more}\n");
    let records = [
        record("bodies", ""),
        record("contacts", "format = \"parquet\""),
        record("series", ""),
        record("snapshot", "name = \"shot\""),
        record("snapshot", "name = \"dump\"\nformat = \"lammps\""),
        record("snapshot", "name = \"data\"\nformat = \"lammps-data\""),
        record("checkpoint", ""),
    ];
    ball("end = 0.05\nstep = 1e-5", &format!("{more}\n{}", records.concat()))
}

/// The files of a folder, but for those with times of the day.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()));
    named.filter(|(name, _)| name != "run.json" && name != "report.html").collect()
}

fn assert_same(folder: &Folder, one: &str, other: &str) {
    let (one, other) = (files(&folder.path().join(one)), files(&folder.path().join(other)));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    let different: Vec<_> = one.keys().filter(|name| one[*name] != other[*name]).collect();
    assert!(different.is_empty(), "{different:?} differ");
}

/// A run, and a copy of it as if it had been killed after its second checkpoint: rows of later steps are there.
fn killed(folder: &Folder) {
    folder.file("ball.toml", &scene(""));
    let output = stickslip(folder, &["run", "ball.toml", "--out", "whole", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
    fs::create_dir(&part).unwrap();
    for (name, content) in files(&whole) {
        if !name.starts_with("end.") && !name.ends_with(".parquet") {
            fs::write(part.join(name), content).unwrap();
        }
    }
    let json = fs::read_to_string(whole.join("run.json")).unwrap();
    fs::write(part.join("run.json"), json.replace("\"ending\": \"finished\"", "\"ending\": \"running\"")).unwrap();
    // The spool is removed at the end of a run; here it is as another record has it.
    folder.file("csv.toml", &scene("").replace("format = \"parquet\"", ""));
    assert!(stickslip(folder, &["run", "csv.toml", "--out", "csv", "--quiet"]).status.success());
    fs::copy(folder.path().join("csv/contacts.csv"), part.join("contacts.csv")).unwrap();
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let folder = Folder::new("resume");
    killed(&folder);
    let again = stickslip(&folder, &["run", "ball.toml", "--out", "part"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(err(&again).contains("stickslip resume part"), "{}", err(&again));
    let output = stickslip(&folder, &["resume", "part", "--threads", "3"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("going on from part"), "{}", out(&output));
    assert_same(&folder, "whole", "part");
    let json = fs::read_to_string(folder.path().join("part/run.json")).unwrap();
    assert!(json.contains("\"resumed\": [") && json.contains("\"after\": \"running\""), "{json}");
    // Over is over.
    let before = fs::read(folder.path().join("part/run.json")).unwrap();
    let output = stickslip(&folder, &["resume", "part"]);
    assert_eq!((output.status.code(), out(&output).contains("nothing to go on with")), (Some(0), true));
    assert_eq!(fs::read(folder.path().join("part/run.json")).unwrap(), before);
}

#[test]
fn a_run_without_a_checkpoint_starts_again() {
    let folder = Folder::new("resume-none");
    killed(&folder);
    for (name, _) in files(&folder.path().join("part")) {
        if name.ends_with(".checkpoint") {
            fs::remove_file(folder.path().join("part").join(name)).unwrap();
        }
    }
    fs::write(folder.path().join("part/series.csv"), "cut off in the mid").unwrap();
    let output = stickslip(&folder, &["resume", "part"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("starts again"), "{}", out(&output));
    assert_same(&folder, "whole", "part");
}

#[test]
fn what_cannot_go_on_says_why_and_is_left_as_it_was() {
    let folder = Folder::new("resume-not");
    killed(&folder);
    let part = folder.path().join("part");
    let newest = part.join("checkpoint-4900.checkpoint");
    let refused = |expected: &[&str]| {
        let before = files(&part);
        let output = stickslip(&folder, &["resume", "part"]);
        // Lines are broken for a terminal.
        let said = err(&output).split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(2), "{said}");
        expected.iter().for_each(|text| assert!(said.contains(text), "{text:?} is not in {said}"));
        assert!(before == files(&part), "something was touched");
    };
    let with = |name: &str, content: Option<&[u8]>, expected: &[&str]| {
        let path = part.join(name);
        let was = fs::read(&path).unwrap();
        match content {
            Some(content) => fs::write(&path, content).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        refused(expected);
        fs::write(&path, was).unwrap();
    };
    let mut flipped = fs::read(&newest).unwrap();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    with("checkpoint-4900.checkpoint", Some(&flipped), &["is damaged", "--from part/checkpoint-4200.checkpoint"]);
    with("checkpoint-4900.checkpoint", Some(&flipped[..middle]), &["is cut off", "checkpoint-4900"]);
    with("series.csv", None, &["series.csv is missing"]);
    with("bodies-fixed.csv", None, &["bodies-fixed.csv is missing"]);
    with("shot-contacts-700.vtp", None, &["shot-contacts-700.vtp is missing"]);
    with("data-0.data", None, &["data-0.data is missing"]);
    with("data-700.data", Some(b"cut"), &["data-700.data has 3 bytes, not the"]);
    with("bodies.csv", Some(b"time,step"), &["bodies.csv has only 9 of the"]);
    let edited = fs::read_to_string(part.join("bodies.csv")).unwrap().replacen("0.0", "0.1", 1);
    with("bodies.csv", Some(edited.as_bytes()), &["bodies.csv has been changed"]);
    let scene = fs::read_to_string(part.join("scene.toml")).unwrap();
    with("scene.toml", Some(scene.replace("9.81", "1.62").as_bytes()), &["scene.toml has been changed since"]);
    with("scene.toml", None, &["its scene.toml is missing"]);
    with("run.json", None, &["no run.json"]);

    // With the other checkpoint it goes on, also when it is killed again before the next one.
    fs::write(&newest, &flipped).unwrap();
    let output = stickslip(&folder, &["resume", "part", "--from", "part/checkpoint-4200.checkpoint"]);
    assert!(output.status.success(), "{}", err(&output));
    assert_same(&folder, "whole", "part");
}

/// A checkpoint of another run had been gone on from, if by chance it fitted the tables; snapshots that it did not know had
/// been removed.
#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let folder = Folder::new("resume-other");
    // No table but bodies-fixed.csv, which is the same in both.
    let records = "[[record]]\nwhat = \"checkpoint\"\nevery = 0.007\n";
    let snapshots = format!("{records}[[record]]\nwhat = \"snapshot\"\nevery = 0.007\n");
    folder.file("part.toml", &ball("end = 0.05\nstep = 1e-5", &snapshots));
    folder.file("moon.toml", &ball("end = 0.05\nstep = 1e-5", records).replace("9.81", "1.62"));
    for name in ["part", "moon"] {
        let output = stickslip(&folder, &["run", &format!("{name}.toml"), "--out", name, "--quiet"]);
        assert!(output.status.success(), "{}", err(&output));
    }
    let part = folder.path().join("part");
    let json = fs::read_to_string(part.join("run.json")).unwrap();
    fs::write(part.join("run.json"), json.replace("\"ending\": \"finished\"", "\"ending\": \"running\"")).unwrap();
    let before = files(&part);
    let output = stickslip(&folder, &["resume", "part", "--from", "moon/checkpoint-4900.checkpoint"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(err(&output).contains("is of a run of another scene"), "{}", err(&output));
    assert!(before == files(&part), "something was touched");
}

/// A folder that was killed before it had a scene is as good as empty.
#[test]
fn a_run_that_never_began_can_be_run() {
    let folder = Folder::new("resume-begun");
    killed(&folder);
    fs::create_dir(folder.path().join("begun")).unwrap();
    fs::copy(folder.path().join("part/run.json"), folder.path().join("begun/run.json")).unwrap();
    let output = stickslip(&folder, &["run", "ball.toml", "--out", "begun"]);
    assert!(output.status.success(), "{}", err(&output));
    assert_same(&folder, "whole", "begun");
    let nowhere = stickslip(&folder, &["resume", "nowhere"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(err(&nowhere).contains("there is no such folder"), "{}", err(&nowhere));
}

#[test]
fn a_run_that_failed_says_so_again() {
    let folder = Folder::new("resume-failed");
    let domain = "velocity = [1, 0, 0]\n[domain]\nfrom = [-0.01, -0.1, -0.1]\nto = [0.01, 0.1, 0.1]";
    folder.file("leaves.toml", &ball("end = 10.0", domain));
    let first = stickslip(&folder, &["run", "leaves.toml"]);
    let output = stickslip(&folder, &["resume", "runs/leaves"]);
    assert_eq!((first.status.code(), output.status.code()), (Some(1), Some(1)));
    assert!(err(&output).contains("would in the same way again") && err(&output).contains("left the domain"));
}

/// Automatic checkpoints, of a scene that asks for none: there while it runs, gone at the end; a run that was interrupted
/// again and again has the bytes of one that was not, its last rows among them.
#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on_to_the_same_bytes() {
    let folder = Folder::new("resume-interrupted");
    folder.file(
        "ball.toml",
        &scene("").replace("what = \"checkpoint\"\nevery = 0.007", "what = \"walls\"\nevery = 0.01"),
    );
    assert!(stickslip(&folder, &["run", "ball.toml", "--out", "whole", "--quiet"]).status.success());
    let part = folder.path().join("part");
    let newest = || {
        let names = fs::read_dir(&part).ok()?.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter_map(|name| name.strip_prefix("auto-")?.strip_suffix(".checkpoint")?.parse::<u64>().ok()).max()
    };
    let mut arguments = vec!["run", "ball.toml", "--out", "part", "--checkpoint-every", "0"];
    let mut interrupted = 0;
    for _ in 0..6 {
        let before = newest();
        let mut child = command(&folder, &arguments);
        let mut child = child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
        // Once it has come further.
        while newest() <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        let _ = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        match child.wait().unwrap().code() {
            Some(0) => break,
            Some(1) => interrupted += 1,
            code => panic!("{code:?}"),
        }
        arguments = vec!["resume", "part", "--checkpoint-every", "0"];
    }
    let output = stickslip(&folder, &["resume", "part", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(interrupted > 2, "only interrupted {interrupted} times");
    assert_same(&folder, "whole", "part");
}

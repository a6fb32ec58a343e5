//! A disk that is full, a file that may not grow, a folder that must not be written: each is a clear error, and what was
//! there is kept; with room again, a run goes on to the same bytes.
//!
//! Small and read-only disks are mounted in a mount namespace of their own (`unshare`), which goes with the shell that it
//! was made for: nothing is left behind, whatever happens to the test. Where that is not allowed, the test says so.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::common::broken_off::{Moment, Running, killed_run, names};
use crate::common::every_record::{Files, all_files, assert_same, lasting_files, scene};
use crate::common::{Folder, err, out, says, stickslip};
use stickslip_io::checkpoint::Checkpoint;

/// A scene in a folder, and what its run to the end holds.
fn scene_and_whole(name: &str) -> (Folder, Files) {
    let folder = Folder::new(name);
    folder.file("scene.toml", &scene());
    let output = stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    let expected = lasting_files(&folder.path().join("whole"));
    (folder, expected)
}

/// A shell in the folder, which knows the command as `$stickslip`; `wrapper` is what it is started by.
fn shell(folder: &Folder, wrapper: &[&str], script: &str) -> Output {
    let words = [wrapper, &["sh", "-c", script]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder.path()).env("stickslip", env!("CARGO_BIN_EXE_stickslip"));
    command.output().unwrap()
}

/// How disks can be mounted on this machine without leaving any: by a shell that has them for itself.
fn mounting(folder: &Folder) -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["unshare", "-r", "-m"], &["unshare", "-m"]];
    let works = |way: &&&[&str]| {
        Command::new("unshare").arg("--version").output().is_ok()
            && shell(folder, way, "mkdir -p disk && mount -t tmpfs -o size=64k tmpfs disk").status.success()
    };
    ways.iter().find(works).copied()
}

/// What a command on a disk that is too small left, told by files that the script wrote.
struct Told {
    code: String,
    said: String,
}

impl Told {
    fn read(folder: &Folder, name: &str) -> Self {
        let read = |ending: &str| fs::read_to_string(folder.path().join(format!("{name}.{ending}"))).unwrap();
        Told { code: read("code").trim().to_owned(), said: read("err") }
    }

    /// Exit code 1, since something was written, and a message with the file and the reason.
    fn broke_off(&self, run: &str, reason: &str) {
        assert_eq!(self.code, "1", "{}", self.said);
        let named = self.said.contains(&format!("{run}/"));
        assert!(named && self.said.contains(reason), "{}", self.said);
    }
}

/// What a run that could not write left behind must be whole: no parts, checkpoints that can be read, and a `run.json`
/// that does not say the run is over.
fn is_whole(run: &Path) {
    let left = names(run);
    assert!(!left.iter().any(|name| name.ends_with(".part")), "{left:?}");
    for name in left.iter().filter(|name| name.ends_with(".checkpoint")) {
        assert!(Checkpoint::read(&run.join(name)).is_ok(), "{name} is damaged");
    }
    if left.iter().any(|name| name == "run.json") {
        let json = fs::read_to_string(run.join("run.json")).unwrap();
        // There may have been no room to say so.
        let open = json.contains("\"ending\": \"broken off: ") || json.contains("\"ending\": \"running\"");
        assert!(open, "{json}");
    }
}

#[test]
fn on_a_full_disk_a_run_breaks_off_and_goes_on_when_there_is_room() {
    let (folder, expected) = scene_and_whole("full");
    let Some(way) = mounting(&folder) else {
        println!("NOT TRIED: this machine lets no one mount a small disk (neither root nor unshare)");
        return;
    };
    println!("small disks by {way:?}");
    let bytes: usize =
        all_files(&folder.path().join("whole")).values().map(|file| file.len().next_multiple_of(4096)).sum();
    // In kilobytes; the last is too small only for what is written at the end.
    let all = bytes / 1024;
    for size in [4, 40, all / 4, all / 2, all - 300] {
        // Broken off, and again with a little more room, then with enough.
        let script = format!(
            "mount -t tmpfs -o size={size}k tmpfs disk || exit 99
             $stickslip run scene.toml --out disk/run --quiet 2> first.err; echo $? > first.code
             rm -rf first; cp -r disk/run first
             mount -o remount,size={}k disk || exit 99
             again='resume disk/run'; test -e disk/run/scene.toml || again='run scene.toml --out disk/run'
             $stickslip $again --quiet 2> second.err; echo $? > second.code
             rm -rf second; cp -r disk/run second
             mount -o remount,size=64m disk || exit 99
             again='resume disk/run'; test -e disk/run/scene.toml || again='run scene.toml --out disk/run'
             $stickslip $again --quiet 2> third.err; echo $? > third.code
             rm -rf third; cp -r disk/run third",
            size + 20
        );
        let output = shell(&folder, way, &script);
        assert!(output.status.success(), "{}", err(&output));
        for name in ["first", "second"] {
            let told = Told::read(&folder, name);
            println!("{size} kB, {name}: {}", told.said.trim());
            told.broke_off("disk/run", "No space left on device");
            is_whole(&folder.path().join(name));
        }
        let last = Told::read(&folder, "third");
        assert_eq!(last.code, "0", "{size} kB: {}", last.said);
        assert_same(&expected, &lasting_files(&folder.path().join("third")), &format!("after a disk of {size} kB"));
    }
}

#[test]
fn a_file_that_may_not_grow_breaks_a_run_off_and_it_goes_on_when_it_may() {
    let (folder, expected) = scene_and_whole("limit");
    // The signal that comes with the limit ended the run at once: without a word, a report, or a folder that is whole.
    println!("files that may not grow by ulimit -f");
    let run = folder.path().join("run");
    // In blocks of 512 bytes: the scene, then a checkpoint, then the table of bodies does not fit.
    for blocks in [3, 60, 1000] {
        let script = format!(
            "(ulimit -f {blocks}; exec $stickslip run scene.toml --out run --quiet) 2> first.err
             echo $? > first.code"
        );
        assert!(shell(&folder, &["nice"], &script).status.success());
        let told = Told::read(&folder, "first");
        println!("{blocks} blocks: {}", told.said.trim());
        told.broke_off("run", "File too large");
        is_whole(&run);
        let again: &[&str] =
            if run.join("scene.toml").exists() { &["resume", "run"] } else { &["run", "scene.toml", "--out", "run"] };
        let output = stickslip(&folder, again);
        assert!(output.status.success(), "{blocks} blocks, {again:?}: {}{}", out(&output), err(&output));
        assert_same(&expected, &lasting_files(&run), &format!("after files of at most {blocks} blocks"));
        fs::remove_dir_all(&run).unwrap();
    }
}

#[test]
fn a_folder_that_must_not_be_written_is_refused_and_stays() {
    let (folder, expected) = scene_and_whole("read-only");
    killed_run(&folder, "scene.toml", "killed", 1000);
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| out(&output).trim() == "0");
    let (way, make, shut, open): (&[&str], _, _, _) = match mounting(&folder) {
        Some(way) => (way, "mount -t tmpfs tmpfs disk", "mount -o remount,ro disk", "mount -o remount,rw disk"),
        None if !root => (&["nice"], ":", "chmod -R a-w disk", "chmod -R u+w disk"),
        None => {
            println!("NOT TRIED: root may write everywhere, and nothing can be mounted here");
            return;
        }
    };
    println!("read-only by {shut:?}");
    let script = format!(
        "mkdir -p disk; {make} || exit 99; cp -r killed disk/run; cp -r whole disk/done; {shut} || exit 99
         tell() {{ name=$1; shift; $stickslip \"$@\" --quiet 2> $name.err; echo $? > $name.code; }}
         tell new run scene.toml --out disk/new
         tell forced run scene.toml --out disk/run --force
         tell resumed resume disk/run
         tell over resume disk/done
         cp -r disk after; {open} || exit 99
         tell last resume disk/run
         cp -r disk/run last"
    );
    let output = shell(&folder, way, &script);
    assert!(output.status.success(), "{}", err(&output));
    for (name, place) in [("new", "disk/new"), ("forced", "disk/run"), ("resumed", "disk/run")] {
        let told = Told::read(&folder, name);
        assert_eq!(told.code, "2", "{name}: {}", told.said);
        let reason = told.said.contains("Read-only file system") || told.said.contains("Permission denied");
        assert!(told.said.contains(place) && reason, "{name}: {}", told.said);
    }
    // Nothing has to be written to say that a run is over.
    assert_eq!(Told::read(&folder, "over").code, "0", "{}", Told::read(&folder, "over").said);
    let after = folder.path().join("after");
    assert!(!after.join("new").exists());
    for (before, after) in [("killed", "after/run"), ("whole", "after/done")] {
        let [before, after] = [before, after].map(|name| all_files(&folder.path().join(name)));
        assert_same(&before, &after, "a folder that must not be written");
    }
    assert_eq!(Told::read(&folder, "last").code, "0", "{}", Told::read(&folder, "last").said);
    assert_same(&expected, &lasting_files(&folder.path().join("last")), "once it could be written");
}

#[test]
fn a_folder_that_is_taken_away_breaks_a_run_off() {
    let folder = Folder::new("taken");
    folder.file("scene.toml", &scene());
    let (run, away) = (folder.path().join("run"), folder.path().join("away"));
    let mut running = Running::start(&folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
    assert!(running.reaches(Moment::Step(500, Duration::ZERO), &run));
    fs::rename(&run, &away).unwrap();
    let output = running.end();
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(says(&output, "run/") && says(&output, "No such file or directory"), "{}", err(&output));
    is_whole(&away);
    assert!(!run.exists());
    // Where it was taken to, it goes on.
    let output = stickslip(&folder, &["resume", "away"]);
    assert!(output.status.success(), "{}", err(&output));
    let whole = stickslip(&folder, &["run", "scene.toml", "--out", "whole", "--quiet"]);
    assert!(whole.status.success(), "{}", err(&whole));
    assert_same(&lasting_files(&folder.path().join("whole")), &lasting_files(&away), "a folder that was taken away");
}

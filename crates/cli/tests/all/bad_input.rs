//! Wrong input from outside, by the real program: exit code 2, a message with a place, nothing written. Never a panic (101),
//! a signal or a hang. Files are broken as in crates/io/tests/mutants, where thousands more are tried without a process each.

#[allow(dead_code, reason = "shared with the mutants of the io crate, which use all of it")]
#[path = "../../../io/tests/all/mutants/change.rs"]
mod change;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, ball, command, err, says, stickslip};
use change::{Dice, change_bytes, change_fields, mutant};
use stickslip_io::scene;

/// The longest that a wrong file may take. It takes milliseconds; the rest is room for a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// How a command ended, with what it said; `None` if it went on for too long and was ended.
fn ended(folder: &Folder, command: &mut Command) -> Option<(Option<i32>, String)> {
    let path = folder.path().join("said.txt");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&path).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let said = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
    std::fs::remove_file(&path).unwrap();
    status.map(|status| (status.code(), said))
}

/// A command that must refuse its input: exit code 2, the place, and nothing of these names is there afterwards.
fn refused(folder: &Folder, arguments: &[&str], place: &str, unwritten: &[&str]) -> String {
    let (code, said) = ended(folder, &mut command(folder, arguments)).expect("it hangs");
    assert_eq!(code, Some(2), "{arguments:?}: {said}");
    // Messages are broken into lines, also within a long name.
    let plain: String = said.chars().filter(|c| !c.is_whitespace() && *c != '│').collect();
    assert!(plain.contains(place), "{arguments:?} does not name {place}: {said}");
    for name in unwritten {
        assert!(!folder.path().join(name).exists(), "{arguments:?} has written {name}");
    }
    said
}

fn scenes() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let of = |folder: &str| {
        let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
        paths.sort();
        paths
    };
    let paths = of("examples").into_iter().chain(of("crates/io/tests/input/good"));
    paths.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn broken_scenes_exit_with_2_and_leave_no_folder() {
    let folder = Folder::new("bad-scenes");
    let (scenes, mut dice, mut count) = (scenes(), Dice(1), 0);
    for number in 0..150 {
        std::fs::write(folder.path().join("m.toml"), mutant(&scenes[number % scenes.len()], &[], &mut dice)).unwrap();
        let (code, said) = ended(&folder, &mut command(&folder, &["check", "m.toml"])).expect("check hangs");
        if code == Some(0) {
            continue;
        }
        count += 1;
        let again = refused(&folder, &["run", "m.toml", "--out", "there"], "m.toml:", &["there", "runs"]);
        assert_eq!((code, &said), (Some(2), &again), "check and run differ");
        assert_eq!(folder.names(), ["m.toml"]);
    }
    assert!(count > 50, "only {count} were refused");
}

#[test]
fn broken_probes_exit_with_2_and_write_no_table() {
    let folder = Folder::new("bad-probes");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/probe-stick-slip.toml");
    let (probe, mut dice, mut count) = (std::fs::read_to_string(example).unwrap(), Dice(2), 0);
    for _ in 0..60 {
        std::fs::write(folder.path().join("p.toml"), mutant(&probe, &[], &mut dice)).unwrap();
        let arguments = ["probe", "p.toml", "--out", "loads.csv"];
        let (code, _) = ended(&folder, &mut command(&folder, &arguments)).expect("it hangs");
        if code == Some(0) {
            std::fs::remove_file(folder.path().join("loads.csv")).unwrap();
        } else {
            count += 1;
            refused(&folder, &arguments, "p.toml:", &["loads.csv"]);
        }
    }
    assert!(count > 20, "only {count} were refused");
}

#[test]
fn broken_variants_exit_with_2_and_leave_no_folder() {
    let folder = Folder::new("bad-variants");
    folder.file("ball.toml", &ball("end = 1e-4\nstep = 1e-5", ""));
    let variant = "gravity = [0, 0, -1.6]\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
        normal = { law = \"hooke\", stiffness = 2e4, damping = 3.0 }\nroll = { law = \"spring-slider\", stiffness = 1e3, mu = 0.1 }\n";
    let (mut dice, mut count) = (Dice(3), 0);
    for _ in 0..60 {
        std::fs::write(folder.path().join("v.toml"), mutant(variant, &[], &mut dice)).unwrap();
        // Those that are sound would run, which is not what is tested here.
        let path = |name: &str| folder.path().join(name);
        let sound = scene::load_variant(&path("ball.toml"), &path("v.toml"), None).and_then(|scene| scene.world());
        let Err(error) = sound else { continue };
        count += 1;
        let arguments = ["compare", "ball.toml", "--with", "v.toml", "--out", "there"];
        // What only the whole shows may be the fault of a line of the scene.
        let named = Path::new(error.file()).file_name().unwrap().to_string_lossy().into_owned();
        refused(&folder, &arguments, &format!("{named}:"), &["there", "runs"]);
    }
    assert!(count > 20, "only {count} were refused");
}

/// A run with tables of both formats.
fn measured_run(name: &str) -> Folder {
    let folder = Folder::new(name);
    let record =
        |what: &str, format: &str| format!("[[record]]\nwhat = \"{what}\"\nevery = 1e-3\nformat = \"{format}\"\n");
    let records =
        [record("bodies", "csv"), record("contacts", "csv"), record("walls", "parquet"), record("series", "csv")];
    let grains = "[[grains]]\nmaterial = \"grain\"\nradius = 0.01\ncount = 27\n\
        place = { kind = \"lattice\", from = [0.1, 0, 0.00999], spacing = 0.01999 }\n";
    folder.file("ball.toml", &ball("end = 5e-3\nstep = 1e-5", &(grains.to_owned() + &records.concat())));
    let output = stickslip(&folder, &["run", "ball.toml", "--out", "run", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    folder
}

#[test]
fn broken_run_folders_are_measured_or_refused() {
    let folder = measured_run("bad-runs");
    let run = folder.path().join("run");
    let whats = ["repose", "discharge", "coordination", "fraction", "profile", "stress", "walls"];
    let files =
        ["run.json", "scene.toml", "bodies-fixed.csv", "bodies.csv", "contacts.csv", "walls.parquet", "series.csv"];
    let (mut dice, mut count) = (Dice(4), 0);
    for number in 0..140 {
        let file = run.join(files[number % files.len()]);
        let good = std::fs::read(&file).unwrap();
        let broken = match std::str::from_utf8(&good) {
            Ok(text) if file.ends_with("scene.toml") => mutant(text, &[], &mut dice),
            Ok(text) if !file.ends_with("run.json") => change_fields(text, ',', &mut dice),
            _ => change_bytes(&good, &mut dice),
        };
        std::fs::write(&file, broken).unwrap();
        let (code, said) = ended(&folder, &mut command(&folder, &["measure", "run"])).expect("it hangs");
        assert!(matches!(code, Some(0 | 2)), "{code:?}: {said}");
        let what = whats[dice.roll(whats.len())];
        let arguments = ["measure", "run", what, "--out", "measured"];
        let (code, said) = ended(&folder, &mut command(&folder, &arguments)).expect("it hangs");
        let written = folder.path().join("measured");
        assert!(code == Some(2) || code == Some(0) && written.exists(), "{what}, {}: {said}", file.display());
        assert!(code == Some(0) || !written.exists() && !said.is_empty(), "{what}, {}: {said}", file.display());
        count += usize::from(code == Some(2));
        let _ = std::fs::remove_dir_all(written);
        std::fs::write(file, good).unwrap();
    }
    assert!((20..120).contains(&count), "{count} were refused");
}

/// A scene that starts from a file, and one that reads a list.
fn scenes_with_files(folder: &Folder) {
    let start = ball("end = 0.01", "").replace("title =", "start.from = \"odd\"\ntitle =");
    folder.file("start.toml", &start);
    let place = |kind: &str| {
        format!("[[grains]]\nmaterial = \"grain\"\nradius = 0.01\nplace = {{ kind = \"{kind}\", file = \"odd\" }}\n")
    };
    folder.file("list.toml", &ball("end = 0.01", &place("file")));
    folder.file("lammps.toml", &ball("end = 0.01", &place("lammps")));
    folder.file("ball.toml", &ball("end = 0.01", ""));
}

/// All commands with `odd` in every place where a file is named.
fn odd_file(folder: &Folder) {
    scenes_with_files(folder);
    let unwritten = ["there", "runs", "loads.csv"];
    for (arguments, place) in [
        (&["check", "odd"][..], "odd"),
        (&["run", "odd", "--out", "there"], "odd"),
        (&["probe", "odd", "--out", "loads.csv"], "odd"),
        (&["compare", "ball.toml", "--with", "odd", "--out", "there"], "odd"),
        (&["compare", "odd", "--with", "ball.toml", "--out", "there"], "odd"),
        (&["run", "start.toml", "--out", "there"], "start.toml:1:"),
        (&["run", "list.toml", "--out", "there"], "odd"),
        (&["run", "lammps.toml", "--out", "there"], "odd"),
        (&["measure", "odd"], "odd"),
    ] {
        refused(folder, arguments, place, &unwritten);
    }
}

#[test]
fn an_empty_file_and_a_folder_are_refused() {
    let folder = Folder::new("bad-empty");
    folder.file("odd", "");
    odd_file(&folder);
    let folder = Folder::new("bad-folder");
    std::fs::create_dir(folder.path().join("odd")).unwrap();
    odd_file(&folder);
}

/// A pipe that no one writes to once stopped every command for good, and a device filled the memory.
#[cfg(unix)]
#[test]
fn pipes_devices_and_links_to_nowhere_are_refused() {
    let folder = Folder::new("bad-pipe");
    let made = Command::new("mkfifo").arg(folder.path().join("odd")).status();
    if made.is_ok_and(|status| status.success()) {
        odd_file(&folder);
    }
    for (name, target) in [("bad-device", "/dev/zero"), ("bad-loop", "odd"), ("bad-link", "nowhere")] {
        let folder = Folder::new(name);
        std::os::unix::fs::symlink(target, folder.path().join("odd")).unwrap();
        odd_file(&folder);
    }
}

/// The scene of a run folder was once read without a look at what it is: a pipe stopped `measure` for good.
#[cfg(unix)]
#[test]
fn pipes_in_a_run_folder_are_refused() {
    let folder = measured_run("bad-run-pipe");
    for name in ["scene.toml", "bodies-fixed.csv", "run.json"] {
        let file = folder.path().join("run").join(name);
        let good = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        if Command::new("mkfifo").arg(&file).status().is_ok_and(|status| status.success()) {
            refused(&folder, &["measure", "run"], "run", &[]);
            if name == "run.json" {
                refused(&folder, &["run", "ball.toml", "--out", "run", "--force"], "run", &[]);
            }
            std::fs::remove_file(&file).unwrap();
        }
        std::fs::write(&file, good).unwrap();
    }
}

#[test]
fn files_of_100_megabytes_are_refused_at_once() {
    let folder = Folder::new("bad-large");
    // Nothing but zeros, and no room on the disk.
    File::create(folder.path().join("odd")).unwrap().set_len(100 << 20).unwrap();
    let start = Instant::now();
    odd_file(&folder);
    assert!(start.elapsed() < LONGEST, "{:?}", start.elapsed());
}

/// A run with a limit on memory: what is refused must not have asked for much before.
#[cfg(unix)]
#[test]
fn counts_beyond_all_bounds_ask_for_no_memory() {
    let grains = |count: &str, place: &str| {
        format!("[[grains]]\nmaterial = \"grain\"\nradius = 1e-4\n{count}place = {{ kind = {place} }}\n")
    };
    let stream = "[[stream]]\nmaterial = \"grain\"\nradius = 1e-4\nrate = 1.0\ncount = 1000000000000\nfrom = [0, 0, 1]\nto = [1, 1, 1]\n";
    let cases = [
        grains("count = 1000000000000\n", "\"random\", from = [0, 0, 1], to = [1e9, 1e9, 1e9]"),
        grains("count = 9223372036854775807\n", "\"lattice\", from = [0, 0, 1]"),
        grains("", "\"lattice\", from = [0, 0, 1], to = [1e300, 1e300, 1e300]"),
        grains("", "\"lattice\", from = [-1e308, 0, 1], to = [1e308, 1, 1]"),
        grains("", "\"lattice\", from = [0, 0, 1], to = [1, 1, 2], spacing = 5e-324"),
        stream.to_owned(),
    ];
    let folder = Folder::new("bad-counts");
    for (number, more) in cases.iter().enumerate() {
        folder.file("m.toml", &ball("end = 0.01", more));
        let mut limited = Command::new("sh");
        limited.current_dir(folder.path()).args(["-c", "ulimit -v 2000000 && exec \"$0\" \"$@\""]);
        limited.args([env!("CARGO_BIN_EXE_stickslip"), "run", "m.toml", "--out", "there", "--threads", "2"]);
        let (code, said) = ended(&folder, &mut limited).expect("it hangs");
        assert!(code == Some(2) && said.contains("m.toml:"), "case {number}: {code:?} {said}");
        assert_eq!(folder.names(), ["m.toml"]);
    }
    for time in ["end = 1e300\nstep = 1e-300", "end = 1e308", "end = 1.0\nstep = 5e-324"] {
        folder.file("m.toml", &ball(time, ""));
        refused(&folder, &["run", "m.toml", "--out", "there"], "m.toml:", &["there"]);
    }
}

/// `stickslip run exmaples/01-pile.toml` gave an error of the operating system and not the name that was meant.
#[test]
fn a_misspelt_path_suggests_the_nearest_one() {
    let folder = Folder::new("near-names");
    std::fs::create_dir_all(folder.path().join("scenes")).unwrap();
    folder.file("scenes/pile.toml", &ball("end = 0.001", ""));
    folder.file("scenes/softer.toml", "seed = 2\n");
    folder.file("scenes/contact.toml", "");
    let done = stickslip(&folder, &["run", "scenes/pile.toml", "--quiet"]);
    assert!(done.status.success(), "{}", err(&done));
    let before = folder.names();
    for (arguments, meant) in [
        (&["run", "scnees/pile.toml"][..], "scenes/pile.toml"),
        (&["check", "scenes/pile.tml"], "scenes/pile.toml"),
        (&["compare", "scenes/plie.toml", "--with", "scenes/softer.toml"], "scenes/pile.toml"),
        (&["compare", "scenes/pile.toml", "--with", "scenes/sofer.toml"], "scenes/softer.toml"),
        (&["sweep", "scene/pile.toml", "--set", "seed=1,2"], "scenes/pile.toml"),
        (&["probe", "scenes/contcat.toml"], "scenes/contact.toml"),
        (&["measure", "rnus/pile"], "runs/pile"),
        (&["measure", "runs/piel", "packing"], "runs/pile"),
        (&["resume", "runs/pil"], "runs/pile"),
    ] {
        let output = stickslip(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(says(&output, &format!("did you mean `{meant}`?")), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(folder.names(), before);
}

/// A body named over two lines made a folder that `measure` refused to read.
#[test]
fn a_run_of_bodies_with_odd_names_can_be_measured() {
    let folder = Folder::new("odd-names");
    let record = "[[record]]\nwhat = \"walls\"\nevery = \"step\"\n";
    folder.file("odd.toml", &ball("end = 0.001", record).replace("\"floor\"", "\"flo\\nor, \\\"lower\\\"\""));
    for arguments in [&["run", "odd.toml", "--quiet"][..], &["measure", "runs/odd", "walls"]] {
        let output = stickslip(&folder, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", err(&output));
    }
}

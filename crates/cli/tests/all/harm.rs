//! Files that are made to do harm, and limits of the machine, from outside: no file crashes the program, fills the memory,
//! reaches outside its folder or speaks to the terminal.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::broken_off::killed_run;
use crate::common::every_record::scene;
use crate::common::{Folder, ball, err, out, says, stickslip};
use stickslip_io::checkpoint::format::{self, Section};

/// A brief run.
fn brief() -> String {
    ball("end = 0.01\nstep = 1e-4", "[[record]]\nwhat = \"series\"\nevery = 1e-3\n")
}

/// A command that is refused: exit code 2, and these words.
fn refused(folder: &Folder, arguments: &[&str], words: &[&str]) {
    let output = stickslip(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", out(&output), err(&output));
    for word in words {
        assert!(says(&output, word), "{arguments:?} does not say {word:?}: {}", err(&output));
    }
}

#[test]
fn brackets_without_end_crash_no_command() {
    // 40 kB of brackets ended every command that reads TOML with SIGABRT: its stack was full.
    let folder = Folder::new("harm-brackets");
    folder.file("ball.toml", &brief());
    let deep = format!("y = {{ {}a = {}", "{}".repeat(8000), "{a=".repeat(8000));
    folder.file("deep.toml", &deep);
    for arguments in [
        &["check", "deep.toml"][..],
        &["run", "deep.toml"],
        &["probe", "deep.toml"],
        &["compare", "deep.toml", "--with", "ball.toml"],
        &["compare", "ball.toml", "--with", "deep.toml"],
        &["sweep", "deep.toml", "--set", "time.end=1"],
    ] {
        refused(&folder, arguments, &["deep.toml:1:", "more than 80 levels"]);
    }
    let value = format!("time.end={{ {}a = {}", "{}".repeat(8000), "{a=".repeat(8000));
    refused(&folder, &["sweep", "ball.toml", "--set", &value], &["is no value of TOML"]);
    // And 20,000 names in a key were as many calls.
    let key = format!("{}=1", vec!["a"; 20_000].join("."));
    refused(&folder, &["sweep", "ball.toml", "--set", &key], &["at most 80 steps, found 20000"]);
    // In the folder of a run, too.
    assert!(stickslip(&folder, &["run", "ball.toml", "--out", "run", "--quiet"]).status.success());
    folder.file("run/scene.toml", &deep);
    refused(&folder, &["measure", "run", "packing"], &["scene.toml"]);
    let json = fs::read_to_string(folder.path().join("run/run.json")).unwrap();
    folder.file("run/run.json", &json.replace("\"finished\"", "\"running\""));
    refused(&folder, &["resume", "run"], &["scene.toml:1:", "more than 80 levels"]);
    folder.file("run/run.json", &"[".repeat(100_000));
    refused(&folder, &["resume", "run"], &["run.json"]);
}

/// Puts a link of this name into a folder, to a file of ours.
fn link(folder: &Folder, name: &str) {
    folder.file("mine.txt", "mine");
    let name = folder.path().join(name);
    let _ = fs::remove_file(&name);
    symlink(folder.path().join("mine.txt"), name).unwrap();
}

/// That the file at the other end is as it was.
fn is_untouched(folder: &Folder, after: &str) {
    assert_eq!(fs::read_to_string(folder.path().join("mine.txt")).unwrap(), "mine", "{after}");
}

#[test]
fn a_lock_that_is_a_link_is_refused_and_its_target_stays() {
    // `run` and `resume`, also of a run that was over, emptied the file at the other end.
    let folder = Folder::new("harm-lock");
    folder.file("ball.toml", &brief());
    fs::create_dir(folder.path().join("run")).unwrap();
    let run = ["run", "ball.toml", "--out", "run", "--quiet"];
    link(&folder, "run/run.lock");
    refused(&folder, &run, &["run.lock", "symbolic link", "Remove it"]);
    is_untouched(&folder, "run");
    fs::remove_file(folder.path().join("run/run.lock")).unwrap();
    assert!(stickslip(&folder, &run).status.success());
    link(&folder, "run/run.lock");
    // There is nothing left to do about it, so nothing has to be locked.
    assert_eq!(stickslip(&folder, &["resume", "run"]).status.code(), Some(0));
    is_untouched(&folder, "resume of a run that was over");
    refused(&folder, &[&run[..], &["--force"]].concat(), &["run.lock", "symbolic link"]);
    is_untouched(&folder, "run --force");
    fs::remove_file(folder.path().join("run/run.lock")).unwrap();
    // Nor a sweep's.
    fs::create_dir_all(folder.path().join("swept")).unwrap();
    link(&folder, "swept/run.lock");
    let sweep = ["sweep", "ball.toml", "--set", "time.end=0.01,0.02", "--out", "swept", "--quiet"];
    assert_ne!(stickslip(&folder, &sweep).status.code(), Some(0));
    is_untouched(&folder, "sweep");
}

#[test]
fn parts_that_are_links_are_replaced_and_their_targets_stay() {
    // The file at the other end was emptied, and got the content of the run's.
    let folder = Folder::new("harm-parts");
    folder.file("ball.toml", &brief());
    assert!(stickslip(&folder, &["run", "ball.toml", "--out", "whole", "--quiet"]).status.success());
    let run = folder.path().join("run");
    for name in ["run.json", "scene.toml", "end.checkpoint", "report.html", "picture.png", "energy.svg"] {
        fs::create_dir_all(&run).unwrap();
        link(&folder, &format!("run/{name}.part"));
        // A part of run.json is what a kill may leave; others belong to someone else.
        let output = stickslip(&folder, &["run", "ball.toml", "--out", "run", "--quiet"]);
        is_untouched(&folder, name);
        assert!(output.status.success() || says(&output, name), "{}", err(&output));
        let _ = fs::remove_dir_all(&run);
        assert!(stickslip(&folder, &["run", "ball.toml", "--out", "run", "--quiet"]).status.success());
        link(&folder, &format!("run/{name}.part"));
        let forced = stickslip(&folder, &["run", "ball.toml", "--out", "run", "--quiet", "--force"]);
        assert!(forced.status.success(), "{name}: {}", err(&forced));
        is_untouched(&folder, name);
        assert!(!run.join(format!("{name}.part")).exists());
        fs::remove_dir_all(&run).unwrap();
    }
}

#[test]
fn links_in_the_folder_of_a_run_that_was_killed_lead_nowhere() {
    // A table that is a link was cut to its length at the checkpoint, and parts were written through.
    let folder = Folder::new("harm-resume");
    folder.file("scene.toml", &scene());
    killed_run(&folder, "scene.toml", "run", 1000);
    let run = folder.path().join("run");
    let table = fs::read(run.join("series.csv")).unwrap();
    fs::rename(run.join("series.csv"), folder.path().join("mine.csv")).unwrap();
    symlink(folder.path().join("mine.csv"), run.join("series.csv")).unwrap();
    refused(&folder, &["resume", "run"], &["series.csv", "symbolic link"]);
    assert!(fs::read(folder.path().join("mine.csv")).unwrap() == table);
    fs::remove_file(run.join("series.csv")).unwrap();
    fs::hard_link(folder.path().join("mine.csv"), run.join("series.csv")).unwrap();
    refused(&folder, &["resume", "run"], &["series.csv", "hard link"]);
    assert!(fs::read(folder.path().join("mine.csv")).unwrap() == table);
    fs::remove_file(run.join("series.csv")).unwrap();
    fs::write(run.join("series.csv"), &table).unwrap();
    let parts = ["run.json.part", "end.checkpoint.part", "auto-100.checkpoint.part", "picture.png.part"];
    parts.iter().for_each(|name| link(&folder, &format!("run/{name}")));
    let output = stickslip(&folder, &["resume", "run"]);
    assert!(output.status.success(), "{}", err(&output));
    is_untouched(&folder, "resume");
}

#[test]
fn folders_that_are_links_are_not_followed() {
    // Folders that a command makes inside the one it was given: a link there led the whole run elsewhere.
    let folder = Folder::new("harm-folders");
    folder.file("ball.toml", &brief());
    folder.file("soft.toml", "gravity = [0, 0, -1.62]\n");
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let linked = |at: &str| {
        let at = folder.path().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(&elsewhere, at).unwrap();
    };
    let sweep = |out: &'static str| ["sweep", "ball.toml", "--set", "seed=1,2", "--out", out, "--quiet"];
    linked("s1/runs");
    refused(&folder, &sweep("s1"), &["s1/runs is a symbolic link"]);
    assert!(stickslip(&folder, &sweep("s2")).status.success());
    fs::remove_dir_all(folder.path().join("s2/runs/0002")).unwrap();
    linked("s2/runs/0002");
    refused(&folder, &sweep("s2"), &["s2/runs/0002 is a symbolic link"]);
    refused(&folder, &[&sweep("s2")[..], &["--force"]].concat(), &["s2/runs/0002 is a symbolic link"]);
    linked("c/soft");
    refused(&folder, &["compare", "ball.toml", "--with", "soft.toml", "--out", "c"], &["c/soft is a symbolic link"]);
    linked("r/santos");
    refused(&folder, &["reproduce", "santos/constraints", "--out", "r"], &["r/santos is a symbolic link"]);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    // The folder that was given may be one: its place is the user's own choice.
    symlink(&elsewhere, folder.path().join("given")).unwrap();
    let output = stickslip(&folder, &["run", "ball.toml", "--out", "given", "--quiet"]);
    assert!(output.status.success() && elsewhere.join("run.json").is_file(), "{}", err(&output));
}

/// A command that may use so many kilobytes of addresses.
fn limited(folder: &Folder, kilobytes: u64, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).args(["-c", "ulimit -v $0 && exec \"$@\"", &kilobytes.to_string()]);
    command.arg(env!("CARGO_BIN_EXE_stickslip")).args(arguments).output().unwrap()
}

/// A checkpoint with a section more, or another instead of its own, of zeros.
fn inflated(path: &Path, name: &str, bytes: usize) -> Vec<u8> {
    let mut sections = format::decode(&fs::read(path).unwrap()).unwrap();
    let zeros = Section { name: name.into(), bytes: vec![0; bytes] };
    match sections.iter_mut().find(|section| section.name == name) {
        Some(section) => *section = zeros,
        None => sections.push(zeros),
    }
    format::encode(&sections).unwrap()
}

#[test]
fn a_small_checkpoint_does_not_fill_the_memory() {
    // 99 kB unpacked to 3 GB. The largest file that is within the limit of all sections now takes less than 1.5 GB.
    let folder = Folder::new("harm-bomb");
    folder.file("ball.toml", &brief());
    assert!(stickslip(&folder, &["run", "ball.toml", "--out", "first", "--quiet"]).status.success());
    let stage = brief().replace("title =", "start.from = \"bomb.checkpoint\"\ntitle =");
    let bodies = stage.find("[[body]]").unwrap();
    folder.file("stage.toml", &stage[..bodies]);
    let bomb = folder.path().join("bomb.checkpoint");
    let end = folder.path().join("first/end.checkpoint");
    for name in ["bodies.position", "describe.bodies"] {
        fs::write(&bomb, inflated(&end, name, 250 << 20)).unwrap();
        assert!(fs::metadata(&bomb).unwrap().len() < 100_000);
        let output = limited(&folder, 1_500_000, &["check", "stage.toml"]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}{}", out(&output), err(&output));
        assert!(says(&output, &format!("section `{name}`")), "{}", err(&output));
    }
    // One that nobody knows is not unpacked at all. More than two cores have more threads, which take addresses.
    fs::write(&bomb, inflated(&end, "unknown", 250 << 20)).unwrap();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let output = limited(&folder, 500_000 + ((66 * cores.saturating_sub(2)) << 10), &["check", "stage.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

#[test]
fn what_a_terminal_acts_on_does_not_reach_it() {
    // ESC and BEL in titles and names reached the terminal as they were: in `check`, in `run`, in errors.
    let folder = Folder::new("harm-terminal");
    let codes = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202e\\u007f\\r";
    let ours = |text: &str| {
        text.replace("\"A ball\"", &format!("\"A{codes}\""))
            .replace("name = \"ball\"", &format!("name = \"ball{codes}\""))
            .replace("material.grain", &format!("material.\"grain{codes}\""))
            .replace("\"grain\"", &format!("\"grain{codes}\""))
    };
    let raw = "a\u{1b}[31m\u{7}\u{202e}.toml";
    folder.file(raw, &ours(&brief()));
    folder.file("unknown.toml", &ours(&brief()).replace("[time]", &format!("\"key{codes}\" = 1\n[time]")));
    folder.file("no-toml.toml", "a = \u{1b}[31m\u{7}\n\u{9b}b = 1\u{202e}\n");
    folder.file("wrong.toml", &ours(&brief()).replace("mu = 0.5", &format!("law = \"{codes}\", mu = 0.5")));
    folder.file("fast.toml", &ours(&brief()).replace("0.011]", "0.011]\nvelocity = [0, 0, -1e6]"));
    folder.file("deep.toml", &ours(&brief()).replace("0.011]", "0.002]\nvelocity = [0, 0, -1]"));
    let cases: [(&[&str], i32); 12] = [
        (&["check", raw], 0),
        (&["run", raw, "--out", "run\u{1b}[1m"], 0),
        (&["run", raw, "--out", "run\u{1b}[1m"], 2),
        (&["resume", "run\u{1b}[1m"], 0),
        (&["compare", raw, "--with", raw], 2),
        (&["check", "unknown.toml"], 2),
        (&["check", "no-toml.toml"], 2),
        (&["check", "wrong.toml"], 2),
        (&["run", "fast.toml"], 2),
        (&["run", "deep.toml"], 2),
        (&["run", "nowhere\u{1b}[31m.toml"], 2),
        (&["check", raw, "more\u{1b}[31m"], 2),
    ];
    for (arguments, code) in cases {
        let output = stickslip(&folder, arguments);
        let said = out(&output) + &err(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said:?}");
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(acts), "{arguments:?}: {said:?}");
        assert!(said.contains("\\u001b"), "{arguments:?}: {said:?}");
    }
}

#[test]
fn a_limit_on_addresses_is_told_before_a_run_and_what_it_says_fits() {
    // Under `ulimit -v` a run of too many bodies ended with SIGABRT.
    let folder = Folder::new("harm-addresses");
    let grains = |count: u64| {
        let grains = format!(
            "[[grains]]\nmaterial = \"grain\"\nradius = 0.001\ncount = {count}\n\
             place = {{ kind = \"lattice\", from = [0, 0, 0.1], spacing = 0.003 }}\n"
        );
        ball("end = 3e-6\nstep = 1e-6", &format!("velocity = [0, 0, 0]\n{grains}"))
    };
    // Room for the program, its threads and some ten thousands of bodies.
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let kilobytes = (450 + 66 * threads) << 10;
    folder.file("many.toml", &grains(1_000_000));
    for arguments in [&["check", "many.toml"][..], &["run", "many.toml", "--quiet"]] {
        let output = limited(&folder, kilobytes, arguments);
        assert_eq!(output.status.code(), Some(2), "{}{}", out(&output), err(&output));
        assert!(says(&output, "1000002 bodies need about"), "{}", err(&output));
    }
    let said = err(&limited(&folder, kilobytes, &["check", "many.toml"]));
    let words: Vec<&str> = said.split_whitespace().filter(|word| *word != "│").collect();
    let place = words.iter().position(|word| *word == "most").unwrap();
    let most: u64 = words[place + 1].parse().unwrap();
    println!("{most} bodies in {kilobytes} kB");
    assert!((5_000..100_000).contains(&most), "{most}");
    // Half a per cent less, since what the program uses itself differs from call to call; two bodies are the ball's.
    folder.file("fits.toml", &grains(most - most / 200 - 2));
    let output = limited(&folder, kilobytes, &["run", "fits.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
}

/// A scene of only `[[body]]` tables ended with SIGABRT under a small `ulimit -v`, and with more `--threads` under
/// larger ones. Grains were told that at most 0 bodies fit.
#[test]
fn addresses_for_the_threads_are_asked_for_before_a_run() {
    let folder = Folder::new("harm-threads");
    folder.file("ball.toml", &brief());
    let grains = "[[grains]]\nmaterial = \"grain\"\nradius = 0.001\ncount = 10\n\
                  place = { kind = \"lattice\", from = [0, 0, 0.1], spacing = 0.003 }\n";
    folder.file("grains.toml", &ball("end = 3e-6\nstep = 1e-6", grains));
    for (scene, threads) in [("ball.toml", "1"), ("ball.toml", "4"), ("grains.toml", "2")] {
        let run = ["run", scene, "--quiet", "--force", "--threads", threads];
        for megabytes in [100, 150, 200] {
            let output = limited(&folder, megabytes << 10, &run);
            assert_eq!(output.status.code(), Some(2), "{run:?} {megabytes}: {}", err(&output));
            assert!(says(&output, &format!("but `ulimit -v` allows {megabytes} MiB")), "{}", err(&output));
        }
        // With what it asks for it runs.
        let said = err(&limited(&folder, 100 << 10, &run));
        let number = said.split("`ulimit -v ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
        // A little more: what the program uses itself differs from call to call.
        let output = limited(&folder, number.parse::<u64>().unwrap() + 4096, &run);
        assert_eq!(output.status.code(), Some(0), "{run:?}: {}", err(&output));
    }
    for arguments in [
        &["check", "ball.toml"][..],
        &["sweep", "ball.toml", "--seeds", "2", "--out", "s"],
        &["compare", "ball.toml", "--with", "ball.toml", "--out", "c"],
    ] {
        let output = limited(&folder, 150 << 10, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(says(&output, "threads and the program need about"), "{}", err(&output));
    }
    assert!(!folder.path().join("s").exists() && !folder.path().join("c").exists());
}

#[test]
fn a_list_of_more_than_48_mib_is_read() {
    // A million grains were promised, and their list was too large.
    let folder = Folder::new("harm-list");
    let row = |i: u64| {
        let place = |k: u64| (i / k % 50) as f64 * 0.003 + 0.1;
        format!(
            "{:.17},{:.17},{:.17},0.00100000000000000,{2:.17}e-6,{2:.17}e-6,{2:.17}e-6\n",
            place(1),
            place(50),
            place(2500)
        )
    };
    let rows: String = (0..1000).map(row).collect();
    // Blank lines make it as long as a million grains have it, at the time of a thousand.
    let list = format!("x,y,z,radius,vx,vy,vz\n{rows}{}", format!("#{}\n", " ".repeat(999)).repeat(60_000));
    assert!(list.len() > 56 << 20);
    folder.file("grains.csv", &list);
    let grains = "[[grains]]\nmaterial = \"grain\"\nplace = { kind = \"file\", file = \"grains.csv\" }\n";
    folder.file("list.toml", &ball("end = 3e-6\nstep = 1e-6", grains));
    let output = stickslip(&folder, &["check", "list.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("bodies   1002 "), "{}", out(&output));
    // What the memory cannot hold is refused by its size or its lines, not by the system.
    folder.file("grains.csv", &"\n".repeat(56 << 20));
    let output = limited(&folder, 1_500_000, &["check", "list.toml"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(says(&output, "more than the memory can hold"), "{}", err(&output));
}

//! The commands from outside: exit codes, what they print, what they write and what they leave alone.

use crate::common::{Folder, ball, err, out, stickslip};

const RECORDS: &str = "[[record]]\nwhat = \"series\"\nevery = 0.001\n[[record]]\nwhat = \"bodies\"\nevery = 0.005\n\
                       [[record]]\nwhat = \"contacts\"\nevery = 0.005\n[[record]]\nwhat = \"snapshot\"\nevery = 0.01";

#[test]
fn a_run_writes_its_folder_and_says_where_the_energy_went() {
    let folder = Folder::new("run");
    folder.file("ball.toml", &ball("end = 0.03", RECORDS));
    let output = stickslip(&folder, &["run", "ball.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    for part in ["A ball", "governed by", "Where the energy went", "report.html", "picture.png"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let run = folder.path().join("runs/ball");
    for file in
        ["run.json", "scene.toml", "bodies-fixed.csv", "series.csv", "bodies.csv", "contacts.csv", "report.html"]
    {
        assert!(run.join(file).is_file(), "{file}");
    }
    let json = std::fs::read_to_string(run.join("run.json")).unwrap();
    assert!(json.contains("\"finished\""), "{json}");
}

#[test]
fn the_resolved_scene_runs_to_the_same_bytes() {
    let folder = Folder::new("resolved");
    folder.file("ball.toml", &ball("end = 0.03", RECORDS));
    assert!(stickslip(&folder, &["run", "ball.toml", "--out", "first"]).status.success());
    let again = stickslip(&folder, &["run", "first/scene.toml", "--out", "second"]);
    assert!(again.status.success(), "{}", err(&again));
    for file in ["bodies.csv", "contacts.csv", "series.csv"] {
        let read = |run: &str| std::fs::read(folder.path().join(run).join(file)).unwrap();
        assert!(read("first") == read("second"), "{file} differs");
    }
}

#[test]
fn wrong_input_exits_with_2_and_writes_nothing() {
    let folder = Folder::new("wrong");
    folder.file("typo.toml", &ball("end = 0.03\nstp = 1e-5", ""));
    folder.file("nothing.toml", "");
    for arguments in [
        &["run", "typo.toml"][..],
        &["check", "typo.toml"],
        &["run", "nothing.toml"],
        &["run", "missing.toml"],
        &["probe", "typo.toml", "--out", "loads.csv"],
        &["laws", "hook"],
        &["run", "typo.toml", "--threads", "0"],
        &["walk"],
    ] {
        let output = stickslip(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(!err(&output).is_empty());
        assert_eq!(folder.names(), ["nothing.toml", "typo.toml"], "{arguments:?}");
    }
    let message = err(&stickslip(&folder, &["run", "typo.toml"]));
    assert!(message.contains("typo.toml") && message.contains("step"), "{message}");
}

#[test]
fn a_folder_with_a_run_is_refused_unless_forced() {
    let folder = Folder::new("refused");
    folder.file("ball.toml", &ball("end = 0.001", RECORDS));
    assert!(stickslip(&folder, &["run", "ball.toml", "--quiet"]).status.success());
    let json = || std::fs::read_to_string(folder.path().join("runs/ball/run.json")).unwrap();
    let before = json();
    let refused = stickslip(&folder, &["run", "ball.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    // miette breaks lines, so only words can be looked for.
    assert!(err(&refused).contains("--force"), "{}", err(&refused));
    assert_eq!(json(), before);
    folder.file("ball.toml", &ball("end = 0.002", RECORDS));
    assert!(stickslip(&folder, &["run", "ball.toml", "--force"]).status.success());
    assert_ne!(json(), before);
}

#[test]
fn quiet_prints_nothing_but_errors() {
    let folder = Folder::new("quiet");
    folder.file("ball.toml", &ball("end = 0.001", ""));
    let output = stickslip(&folder, &["run", "ball.toml", "--quiet"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{}", err(&output));
    let again = stickslip(&folder, &["run", "ball.toml", "--quiet"]);
    assert!(again.stdout.is_empty() && !again.stderr.is_empty());
}

#[test]
fn a_ball_at_rest_ends_the_run_by_its_rule_and_not_before_it_has_touched() {
    let folder = Folder::new("stop");
    folder.file("ball.toml", &ball("end = 100.0\n[time.stop]\nkinetic_energy_per_body = 1e-15", RECORDS));
    let output = stickslip(&folder, &["run", "ball.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let json = std::fs::read_to_string(folder.path().join("runs/ball/run.json")).unwrap();
    assert!(json.contains("stopped: kinetic_energy_per_body"), "{json}");
    let contacts = std::fs::read_to_string(folder.path().join("runs/ball/contacts.csv")).unwrap();
    let series = std::fs::read_to_string(folder.path().join("runs/ball/series.csv")).unwrap();
    let step = |table: &str| table.lines().last().unwrap().split(',').nth(1).unwrap().to_owned();
    assert_eq!(step(&contacts), step(&series), "the last step has its contacts");
    assert!(step(&series).ends_with("00"));
}

#[test]
fn a_run_that_goes_wrong_keeps_what_it_had_and_exits_with_1() {
    let folder = Folder::new("failed");
    // Too fast for the spring: 9 m/s over omega = 977/s are 9 mm, and half a radius is 5.
    let fast = format!("velocity = [0, 0, -9]\n{RECORDS}");
    folder.file("ball.toml", &ball("end = 10.0\nstep = 5e-4", &fast));
    folder.file(
        "leaves.toml",
        &ball("end = 10.0", "velocity = [1, 0, 0]\n[domain]\nfrom = [-0.1, -0.1, -0.1]\nto = [0.1, 0.1, 0.1]"),
    );
    for (scene, word) in [("ball", "too fast for the stiffness"), ("leaves", "left the domain")] {
        let output = stickslip(&folder, &["run", &format!("{scene}.toml")]);
        assert_eq!(output.status.code(), Some(1), "{scene}: {}", out(&output));
        assert!(err(&output).contains(word), "{}", err(&output));
        let run = folder.path().join("runs").join(scene);
        let json = std::fs::read_to_string(run.join("run.json")).unwrap();
        assert!(json.contains("\"failed: "), "{json}");
        assert!(run.join("report.html").is_file() && run.join("picture.png").is_file());
    }
    assert!(out(&stickslip(&folder, &["run", "ball.toml", "--force"])).contains("warning: step"));
}

#[test]
fn check_says_what_resists_each_motion() {
    let folder = Folder::new("check");
    folder.file("ball.toml", &ball("end = 0.03", ""));
    let text = out(&stickslip(&folder, &["check", "ball.toml"]));
    for part in ["grain - grain", "spring-slider", "|F| <= 0.5 N", "free (no law)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(folder.names(), ["ball.toml"]);
}

#[test]
fn laws_are_listed_and_shown_and_a_wrong_name_is_met_with_a_right_one() {
    let folder = Folder::new("laws");
    let all = out(&stickslip(&folder, &["laws"]));
    for law in ["hooke", "hertz", "spring-slider", "constant-torque", "epsd"] {
        assert!(all.contains(law), "{law}: {all}");
    }
    let one = out(&stickslip(&folder, &["laws", "spring-slider"]));
    for part in ["resists slide", "resists roll", "resists spin", "N m/rad", "required", "Luding"] {
        assert!(one.contains(part), "{part}: {one}");
    }
    assert!(!one.contains("hertz"));
    let wrong = stickslip(&folder, &["laws", "spring-slide"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("spring-slider"), "{}", err(&wrong));
}

#[test]
fn the_schema_is_printed_as_json() {
    let folder = Folder::new("schema");
    let output = stickslip(&folder, &["schema"]);
    assert!(output.status.success(), "{}", err(&output));
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(schema["properties"]["contact"]["description"].is_string());
    assert!(out(&stickslip(&folder, &["schema", "--help"])).contains("stickslip schema > scene.schema.json"));
}

#[test]
fn a_probe_prints_the_columns_that_were_promised() {
    let folder = Folder::new("probe");
    let probe = "[contact]\nnormal = { law = \"hooke\", stiffness = 1e5 }\n\
                 slide = { law = \"spring-slider\", stiffness = 1e5, mu = 0.5 }\n\
                 [pair]\na = { radius = 0.01, mass = 0.01 }\nb = \"plane\"\n\
                 [[segment]]\nsteps = 5\nduration = 1.0\noverlap = 1e-5\n\
                 [[segment]]\nsteps = 20\nduration = 1.0\noverlap = 1e-5\nslide = [1e-5, 0.0]\n";
    folder.file("probe.toml", probe);
    let printed = stickslip(&folder, &["probe", "probe.toml"]);
    assert!(printed.status.success(), "{}", err(&printed));
    let table = out(&printed);
    let mut lines = table.lines();
    let columns = "time,overlap,slide_u,slide_w,roll_u,roll_w,spin,fn,fu,fw,tau_u,tau_w,tau_n,mode";
    assert_eq!(lines.next(), Some(columns));
    assert_eq!(lines.clone().count(), 26);
    assert!(lines.clone().all(|line| line.split(',').count() == 14));
    assert!(lines.next_back().is_some_and(|line| line.ends_with(",k--")), "{table}");
    assert!(stickslip(&folder, &["probe", "probe.toml", "--out", "loads.csv"]).stdout.is_empty());
    assert_eq!(std::fs::read_to_string(folder.path().join("loads.csv")).unwrap(), table);
}

#[test]
fn bench_measures_a_small_packing_in_json() {
    let folder = Folder::new("bench");
    let output = stickslip(&folder, &["bench", "--spheres", "500", "--threads", "1", "--json"]);
    assert!(output.status.success(), "{}", err(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let row = &report["rows"][0];
    assert_eq!((row["spheres"].as_u64(), row["threads"].as_u64()), (Some(500), Some(1)));
    for number in ["cpu_ns", "contacts_per_sphere", "all_frictions_to_sliding_laws", "bytes_per_contact"] {
        assert!(row[number].as_f64().is_some_and(|x| x > 0.0 && x.is_finite()), "{number}: {row}");
    }
    assert!(row["phases_ns"]["laws"].as_f64().is_some_and(|x| x > 0.0));
}

#[test]
fn help_of_every_command_has_an_example() {
    let folder = Folder::new("help");
    let all = out(&stickslip(&folder, &["--help"]));
    let list = all.split("Commands:").nth(1).unwrap().split("\n\n").next().unwrap();
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 7 && names.contains(&"compare"), "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let text = out(&stickslip(&folder, &[name, "--help"]));
        let example = text
            .split_once("Example")
            .and_then(|(_, rest)| rest.split_once(":\n"))
            .map(|(_, example)| example)
            .unwrap_or_else(|| panic!("{name} has no example:\n{text}"));
        assert!(example.trim_start().starts_with(&format!("stickslip {name}")), "{name}: {example}");
        // Files that an example names are there.
        for file in example.split_whitespace().filter(|word| word.starts_with("examples/")) {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
            assert!(path.exists(), "{name}: {file}");
        }
    }
}

/// `check` passed scenes that `run` then refused, without file and line.
#[test]
fn check_refuses_what_run_refuses() {
    let folder = Folder::new("check-builds");
    folder.file("ball.toml", &ball("end = 0.01", "inertia = [1e-6, 1e-6, 1.5e-6]\nlock = [\"rx\"]"));
    for command in ["check", "run"] {
        let output = stickslip(&folder, &[command, "ball.toml"]);
        assert_eq!(output.status.code(), Some(2), "{command}: {}", out(&output));
        let said = err(&output);
        assert!(said.contains("locks one rotation") && said.contains("ball.toml:"), "{command}: {said}");
    }
    assert_eq!(folder.names(), ["ball.toml"]);
}

/// A picture that could not be written left run.json at "running", though records and end.checkpoint were whole.
#[test]
fn how_a_run_ended_is_kept_when_the_picture_is_not() {
    let folder = Folder::new("no-picture");
    folder.file("ball.toml", &ball("end = 0.01", ""));
    std::fs::create_dir_all(folder.path().join("runs/ball/picture.png/in-the-way")).unwrap();
    let output = stickslip(&folder, &["run", "ball.toml"]);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert!(err(&output).contains("picture.png"), "{}", err(&output));
    let json = std::fs::read_to_string(folder.path().join("runs/ball/run.json")).unwrap();
    assert!(json.contains("broken off: ") && json.contains("(when it was finished)"), "{json}");
    assert!(folder.path().join("runs/ball/end.checkpoint").is_file());
    std::fs::remove_dir_all(folder.path().join("runs/ball/picture.png")).unwrap();
    let output = stickslip(&folder, &["resume", "runs/ball"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(folder.path().join("runs/ball/picture.png").is_file());
}

/// What a run says had "1 contacts", and no word of the other way on for a body that leaves.
#[test]
fn words_fit_their_numbers() {
    let folder = Folder::new("words");
    folder.file("ball.toml", &ball("end = 0.03", "").replace("0.011]", "0.01]"));
    let said = out(&stickslip(&folder, &["run", "ball.toml"]));
    assert!(said.contains("2 bodies: 1 sphere, 1 wall") && said.contains("; 1 contact\n"), "{said}");
    let domain = "velocity = [1, 0, 0]\n[domain]\nfrom = [-0.1, -0.1, -0.1]\nto = [0.1, 0.1, 0.1]";
    folder.file("leaves.toml", &ball("end = 10.0", domain));
    let said = err(&stickslip(&folder, &["run", "leaves.toml"]));
    assert!(said.contains("leaving = \"remove\""), "{said}");
}

/// A reader of standard error who had seen enough (`2>&1 | head -3`) made the program panic with exit code 101; a sweep stopped
/// half-way.
#[test]
fn standard_error_that_nobody_reads_changes_nothing() {
    let folder = Folder::new("unread");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_stickslip"))
        .args(["run", "nowhere.toml"])
        .current_dir(folder.path())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// A script had to read the words of `check`.
#[test]
fn check_prints_json_with_limits_as_numbers() {
    let folder = Folder::new("check-json");
    let roll = "roll = { law = \"constant-torque\", length = 0.002, include_spin = true }\n[[body]]\nname = \"floor\"";
    let scene = ball("end = 0.03\nstep = 1e-5", RECORDS).replacen("[[body]]\nname = \"floor\"", roll, 1);
    folder.file("ball.toml", &scene);
    let output = stickslip(&folder, &["check", "ball.toml", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let json: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    let bodies = serde_json::json!({ "total": 2, "sphere": 1, "plane": 1, "free": 1, "fixed": 1 });
    assert_eq!(json["bodies"], bodies);
    let time = &json["time"];
    assert_eq!((time["step"].as_f64(), time["origin"].as_str()), (Some(1e-5), Some("given")));
    assert_eq!((time["steps"].as_u64(), time["end"].as_f64()), (Some(3000), Some(0.03)));
    assert!(time["recommended"].as_f64().unwrap() < time["critical"].as_f64().unwrap(), "{time}");
    let [pair] = json["pairs"].as_array().unwrap().as_slice() else { panic!("{json}") };
    assert_eq!(pair["between"], serde_json::json!(["grain", "grain"]));
    // A ball on a plane: the effective radius is its own.
    assert_eq!(pair["normal"]["stiffness"].as_f64(), Some(1e4));
    let limit = |motion: &str| {
        (pair[motion]["measure"].as_str(), pair[motion]["static"].as_f64(), pair[motion]["kinetic"].as_f64())
    };
    assert_eq!(limit("slide"), (Some("mu"), Some(0.5), Some(0.5)));
    assert_eq!(limit("roll"), (Some("length"), Some(0.002), Some(0.002)));
    assert_eq!(limit("spin"), limit("roll"), "roll includes spin");
    let text = out(&stickslip(&folder, &["check", "ball.toml"]));
    for motion in ["slide", "roll", "spin"] {
        assert!(text.contains(pair[motion]["limit"].as_str().unwrap()), "{motion}: {text}");
    }
    assert_eq!(json["records"][1], serde_json::json!({ "name": "bodies", "what": "bodies", "every": 0.005 }));
    assert!(json["notes"].is_array() && json["warnings"].is_array());
    folder.file("free.toml", &ball("end = 0.03", ""));
    let json: serde_json::Value =
        serde_json::from_str(&out(&stickslip(&folder, &["check", "free.toml", "--json"]))).unwrap();
    assert!(json["pairs"][0]["roll"].is_null() && json["time"]["origin"] == "automatic", "{json}");
    folder.file("typo.toml", &ball("end = 0.03\nstp = 1e-5", ""));
    let wrong = stickslip(&folder, &["check", "typo.toml", "--json"]);
    assert_eq!((wrong.status.code(), out(&wrong).as_str()), (Some(2), ""));
}

/// A shell could not complete commands and options.
#[test]
fn completions_know_the_commands_and_options_of_three_shells() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish"] {
        let output = stickslip(&folder, &["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let script = out(&output);
        for word in ["stickslip", "reproduce", "checkpoint-every", "repose", "only-variants"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let wrong = stickslip(&folder, &["completions", "bsh"]);
    assert!(wrong.status.code() == Some(2) && err(&wrong).contains("bash"), "{}", err(&wrong));
    assert!(folder.names().is_empty());
}

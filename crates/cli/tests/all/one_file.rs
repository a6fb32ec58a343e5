//! Stages in one file: what they leave, against runs without them and in two files.

use std::collections::BTreeMap;
use std::fs;

use crate::common::every_record::{RECORDS, SLOPE, all_files, scene};
use crate::common::{Folder, err, out, says, stickslip};

fn run(folder: &Folder, scene: &str) {
    let output = stickslip(folder, &["run", scene, "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
}

/// The files of a run that say nothing of stages: all records but checkpoints, with the series less its last column.
fn records(folder: &Folder, run: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = all_files(&folder.path().join("runs").join(run));
    files.retain(|name, _| {
        !name.ends_with(".checkpoint") && !["run.json", "scene.toml", "report.html"].contains(&name.as_str())
    });
    let series = String::from_utf8(files["series.csv"].clone()).unwrap();
    if series.starts_with("time") && series.lines().next().unwrap().ends_with(",stage") {
        let lines = series.lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0));
        files.insert("series.csv".into(), lines.collect::<String>().into_bytes());
    }
    files
}

/// The scene with a given step, its time cut into these pieces.
fn cut(scene: &str, pieces: &[&str]) -> String {
    let stage = |(k, end): (usize, &&str)| format!("[[stage]]\nname = \"part-{k}\"\ntime = {{ end = {end} }}\n");
    let stages: String = pieces.iter().enumerate().skip(1).map(stage).collect();
    scene.replace("end = 0.08", &format!("end = {}", pieces[0])) + &stages
}

#[test]
fn a_scene_that_is_cut_into_stages_has_the_records_of_one_that_is_not() {
    let folder = Folder::new("cut");
    folder.file("whole.toml", &scene());
    folder.file("cut.toml", &cut(&scene(), &["0.03007", "0.02", "0.00992", "0.02"]));
    run(&folder, "whole.toml");
    run(&folder, "cut.toml");
    let (whole, cut) = (records(&folder, "whole"), records(&folder, "cut"));
    assert_eq!(whole.keys().collect::<Vec<_>>(), cut.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(bytes == &cut[name], "{name} differs");
    }
    let path = folder.path().join("runs/cut");
    for name in ["scene", "part-1", "part-2", "part-3", "end"] {
        assert!(path.join(format!("{name}.checkpoint")).is_file(), "{name}");
    }
    let series = fs::read_to_string(path.join("series.csv")).unwrap();
    let stages: Vec<&str> = series.lines().map(|line| line.rsplit_once(',').unwrap().1).collect();
    assert_eq!((stages[0], stages[1], *stages.last().unwrap()), ("stage", "0", "3"));
    // 0.03007 s are 1503.5 steps.
    let json = fs::read_to_string(path.join("run.json")).unwrap();
    assert!(json.contains("\"first_step\": 1504") && json.contains("\"name\": \"part-2\""), "{json}");
    let report = fs::read_to_string(path.join("report.html")).unwrap();
    assert!(report.contains("<h2>Stages</h2>") && report.contains(">part-3</text>"));
}

/// A heap in a tube; `rest` is what follows its walls and grains.
fn tube(end: &str, motion: &str, rest: &str, grains: bool) -> String {
    let laws = "normal = { law = \"hooke\", stiffness = 1e4, restitution = 0.3 }\n\
        slide = { law = \"spring-slider\", stiffness = 3e3, damping_ratio = 0.3, mu = 0.5 }\n\
        roll = { law = \"spring-slider\", stiffness = 1e3, damping_ratio = 0.3, mu = 0.2 }\n";
    let grains = if grains {
        "[[grains]]\nmaterial = \"grain\"\ncount = 120\nradius = { min = 0.004, max = 0.006 }\n\
         place = { kind = \"random\", from = [-0.012, -0.012, 0.007], to = [0.012, 0.012, 0.2] }\n"
    } else {
        ""
    };
    format!(
        "gravity = [0.0, 0.0, -9.81]\n[time]\nend = {end}\nstep = 4e-5\n[material.grain]\ndensity = 2500.0\n\
         [[contact]]\nbetween = [\"grain\", \"grain\"]\n{laws}\
         [[body]]\nname = \"floor\"\nmaterial = \"grain\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n\
         position = [0, 0, 0]\n\
         [[body]]\nname = \"tube\"\nmaterial = \"grain\"\n\
         shape = {{ kind = \"tube\", radius = 0.025, length = 0.3, axis = [0, 0, 1] }}\nposition = [0, 0, 0.15]\n{motion}\n\
         {grains}{rest}[[record]]\nwhat = \"bodies\"\nevery = 0.05\n"
    )
}

/// The rows of the last step of `bodies.csv`, without time and step.
fn last_rows(folder: &Folder, run: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join("runs").join(run).join("bodies.csv")).unwrap();
    let last = text.lines().last().unwrap().split(',').nth(1).unwrap().to_owned();
    let rows = text.lines().filter(|line| line.split(',').nth(1) == Some(&last));
    rows.map(|line| line.splitn(3, ',').nth(2).unwrap().to_owned()).collect()
}

#[test]
fn a_lifted_tube_in_one_file_is_that_of_two_files() {
    let folder = Folder::new("tube");
    let lift = "motion = { velocity = [0, 0, 0.2] }";
    let stage = "[[stage]]\nname = \"lift\"\ntime = { end = 0.2 }\n[stage.set]\n\
                 \"body[tube].motion\" = { velocity = [0, 0, 0.2] }\n";
    folder.file("one.toml", &tube("0.3", "", stage, true));
    folder.file("fill.toml", &tube("0.3", "", "", true));
    let start = "[start]\nfrom = \"runs/fill\"\n";
    folder.file("lift.toml", &tube("0.2", lift, start, false));
    for scene in ["one.toml", "fill.toml", "lift.toml"] {
        run(&folder, scene);
    }
    let one = last_rows(&folder, "one");
    assert_eq!(one.len(), 122);
    assert!(one[1].starts_with("1,0.0,0.0,0.19"), "{}", one[1]);
    assert_eq!(one, last_rows(&folder, "lift"));
    // The checkpoint at the end of the first part is one to start from, too.
    folder.file("again.toml", &tube("0.2", lift, "[start]\nfrom = \"runs/one/scene.checkpoint\"\n", false));
    run(&folder, "again.toml");
    assert_eq!(one, last_rows(&folder, "again"));
}

/// Bodies that come and go, another step, other laws, velocities drawn at random, a rule that ends a stage early.
pub const CHANGES: &str = r#"
[[stage]]
name = "shake"
time = { end = 0.02, step = 1.7e-5 }
velocities = { random = 0.1 }
[stage.set]
"contact[*].slide.mu" = 0.1
"body[slope].motion" = { oscillate = { axis = [0, 0, 1], amplitude = 0.001, frequency = 80.0 } }
"record[series].every" = 0.0005
[[stage.body]]
name = "lid"
material = "grain"
shape = { kind = "rectangle", normal = [-1, 0, 0], along = [0, 1, 0], size = [0.2, 0.2] }
position = [0.055, 0, 0.05]
motion = { velocity = [0, 0, 0.1] }
[[stage.grains]]
material = "grain"
count = 20
radius = 0.002
place = { kind = "random", from = [-0.05, -0.03, 0.1], to = [0.05, 0.03, 0.12] }
[[stage]]
name = "open"
time = { end = 0.01 }
memory = "drop"
remove = ["lid"]
[stage.set]
"gravity" = [0.0, 0.0, -9.0]
"stream[0].rate" = 300.0
[[stage]]
name = "rest"
time = { end = 0.02, step = 2e-5 }
[stage.set]
"body[slope].motion" = "fixed"
"#;

/// The slope with all its records, in four stages in which much changes.
pub fn staged() -> String {
    SLOPE.replace("end = 0.08", "end = 0.03") + CHANGES + RECORDS
}

#[test]
fn one_clock_goes_through_stages_of_different_steps() {
    let folder = Folder::new("clock");
    folder.file("staged.toml", &staged());
    run(&folder, "staged.toml");
    let path = folder.path().join("runs/staged");
    let series = fs::read_to_string(path.join("series.csv")).unwrap();
    let rows: Vec<Vec<&str>> = series.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let number = |row: &Vec<&str>, column: usize| row[column].parse::<f64>().unwrap();
    // Times are those of the steps: 1500 of 2e-5 s, then of 1.7e-5 s for 1177 + 589 steps, then of 2e-5 s again.
    let (first, second) = (1500.0 * 2e-5, 1177.0 + 589.0);
    for row in &rows {
        let (time, step, stage) = (number(row, 0), number(row, 1), *row.last().unwrap());
        let expected = match step {
            s if s <= 1500.0 => s * 2e-5,
            s if s <= 1500.0 + second => first + (s - 1500.0) * 1.7e-5,
            s => first + second * 1.7e-5 + (s - 1500.0 - second) * 2e-5,
        };
        assert!((time - expected).abs() < 1e-12, "{time} and {expected} at step {step}");
        let of = [1500.0, 2677.0, 3266.0, f64::INFINITY].iter().position(|&last| step <= last).unwrap();
        assert_eq!(stage, of.to_string(), "step {step}");
    }
    // What a stage changes at once is neither lost nor work: the balance closes as that of a scene without stages.
    let header: Vec<&str> = series.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|other| *other == name).unwrap();
    let turned = rows.iter().map(|row| number(row, column("kinetic"))).fold(0.0, f64::max);
    let error = rows.iter().map(|row| number(row, column("error")).abs()).fold(0.0, f64::max);
    assert!(error < 0.05 * turned, "{error} of {turned}");
    let lost = |row: &Vec<&str>| number(row, column("lost_normal")) + number(row, column("lost_slide"));
    assert!(rows.windows(2).all(|two| lost(&two[1]) > lost(&two[0]) - 1e-3 * turned));
    // Ids count on: the stage's bodies come after those that streams had brought.
    let fixed = fs::read_to_string(path.join("bodies-fixed.csv")).unwrap();
    let lid = fixed.lines().position(|line| line.contains(",lid,")).unwrap();
    let id: usize = fixed.lines().nth(lid).unwrap().split(',').next().unwrap().parse().unwrap();
    assert!(id == lid - 1 && id > 101, "{id}");
    let bodies = fs::read_to_string(path.join("bodies.csv")).unwrap();
    let steps = |id: usize| -> Vec<u64> {
        let of = bodies.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        of.filter(|row| row[2] == id.to_string()).map(|row| row[1].parse().unwrap()).collect()
    };
    assert!(steps(id).iter().all(|step| (1500..=2677).contains(step)) && !steps(id).is_empty(), "{:?}", steps(id));
    assert!(out(&stickslip(&folder, &["check", "staged.toml"])).contains("removes lid"));
}

#[test]
fn a_resolved_scene_with_stages_runs_to_the_same_records() {
    let folder = Folder::new("resolved-stages");
    folder.file("staged.toml", &staged());
    run(&folder, "staged.toml");
    fs::copy(folder.path().join("runs/staged/scene.toml"), folder.path().join("again.toml")).unwrap();
    run(&folder, "again.toml");
    let (first, second) = (records(&folder, "staged"), records(&folder, "again"));
    for (name, bytes) in &first {
        assert!(bytes == &second[name], "{name} differs");
    }
}

#[test]
fn a_rule_ends_a_stage_and_the_next_one_begins() {
    let folder = Folder::new("rule");
    let stage = "[[stage]]\nname = \"lift\"\ntime = { end = 0.01 }\n[stage.set]\n\
                 \"body[tube].motion\" = { velocity = [0, 0, 0.2] }\n";
    let scene = tube("3.0", "", stage, true)
        .replace("step = 4e-5\n", "step = 4e-5\nstop = { kinetic_energy_per_body = 1e-6 }\n");
    folder.file("rule.toml", &scene);
    run(&folder, "rule.toml");
    let json = fs::read_to_string(folder.path().join("runs/rule/run.json")).unwrap();
    assert!(json.contains("stopped: kinetic_energy_per_body") && json.contains("\"ending\": \"finished\""), "{json}");
    let steps: u64 =
        json.lines().find_map(|l| l.trim().strip_prefix("\"steps\": ")).unwrap().trim_end_matches(',').parse().unwrap();
    assert!(steps % 100 == 50 && steps < 50_000, "{steps}");
    let check = out(&stickslip(&folder, &["check", "rule.toml"]));
    assert!(check.contains("at most 3 to 3.01") && check.contains("sets body[tube].motion"), "{check}");
}

/// A body that comes in where another one is: the run ends when it begins the stage, and says so.
#[test]
fn a_stage_that_cannot_begin_ends_the_run() {
    let folder = Folder::new("cannot");
    let stage = "[[stage]]\nname = \"more\"\ntime = { end = 0.01 }\n[[stage.body]]\nmaterial = \"grain\"\n\
                 shape = { kind = \"sphere\", radius = 0.02 }\nposition = [0, 0, 0.021]\n";
    folder.file("more.toml", &tube("0.2", "", stage, true));
    let output = stickslip(&folder, &["run", "more.toml", "--quiet"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(says(&output, "overlap"), "{}", err(&output));
}

/// The checkpoint at the end of each stage is one to resume from: what a run that was killed between two stages has.
#[test]
fn a_run_resumes_from_the_end_of_any_stage() {
    let folder = Folder::new("ends");
    // The rows behind a Parquet table go when the run ends, and with them the way back.
    folder.file("staged.toml", &staged().replacen("format = \"parquet\"\n", "", 1));
    run(&folder, "staged.toml");
    let whole = records(&folder, "staged");
    let path = folder.path().join("runs/staged");
    for stage in ["open", "scene", "shake"] {
        // As if it had been killed at its very end: all files are longer than they were then.
        let json = fs::read_to_string(path.join("run.json")).unwrap();
        let killed = json.replace("\"ending\": \"finished\"", "\"ending\": \"running\"");
        assert_ne!(json, killed);
        fs::write(path.join("run.json"), killed).unwrap();
        let file = path.join(format!("{stage}.checkpoint"));
        let output = stickslip(&folder, &["resume", "runs/staged", "--quiet", "--from", file.to_str().unwrap()]);
        assert!(output.status.success(), "{stage}: {}", err(&output));
        let again = records(&folder, "staged");
        assert_eq!(whole.keys().collect::<Vec<_>>(), again.keys().collect::<Vec<_>>());
        for (name, bytes) in &whole {
            assert!(bytes == &again[name], "{stage}: {name} differs");
        }
    }
}

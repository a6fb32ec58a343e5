//! `stickslip sweep` from outside: combinations and their order, the table, errors, a run that fails, going on after a kill.

use std::path::Path;

use crate::common::{Folder, ball, err, out, says, stickslip};
use crate::one_file::staged;

fn read(folder: &Folder, path: &str) -> String {
    std::fs::read_to_string(folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The fields of a table; of the fields that these tests look at none is quoted but the first line's.
fn rows(text: &str) -> Vec<Vec<String>> {
    let fields = |line: &str| {
        let mut quoted = false;
        let parts = line.split(|c| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        parts.map(|part| part.trim_matches('"').to_owned()).collect()
    };
    text.lines().map(fields).collect()
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let place = rows[0].iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}: {:?}", rows[0]));
    rows[1..].iter().map(|row| row[place].clone()).collect()
}

/// The table without the seconds, which no two runs share.
fn lasting(folder: &Folder, path: &str) -> Vec<Vec<String>> {
    let mut rows = rows(&read(folder, path));
    let place = rows[0].iter().position(|own| own == "seconds").unwrap();
    for row in &mut rows {
        row.remove(place);
    }
    rows
}

const MU: &str = "contact[*].slide.mu=0.1,0.2";

#[test]
fn every_combination_is_a_row_in_order() {
    let folder = Folder::new("sweep");
    folder.file("ball.toml", &ball("end = 0.02", ""));
    let command =
        ["sweep", "ball.toml", "--set", MU, "--set", "body[ball].position=[0,0,0.012],[0,0,0.011]", "--seeds", "2"];
    let output = stickslip(&folder, &command);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("8 runs: 8 done") && out(&output).contains("sweep.html"), "{}", out(&output));
    let table = rows(&read(&folder, "runs/sweep-ball/sweep.csv"));
    let text = |name: &str| column(&table, name).join(" ");
    assert_eq!(text("run"), "1 2 3 4 5 6 7 8");
    assert_eq!(text("contact[*].slide.mu"), "0.1 0.1 0.1 0.1 0.2 0.2 0.2 0.2");
    let [high, low] = ["[0,0,0.012]", "[0,0,0.011]"];
    assert_eq!(column(&table, "body[ball].position"), [high, high, low, low, high, high, low, low]);
    assert_eq!(text("seed"), "1 2 1 2 1 2 1 2");
    assert_eq!(text("state"), ["done"; 8].join(" "));
    // Each is a run like any other: its row is the last of its series, but for the time, which stands before.
    let series = rows(&read(&folder, "runs/sweep-ball/runs/0003/series.csv"));
    for name in &series[0] {
        let own = if name == "step" { "steps" } else { name };
        assert_eq!(column(&table, own)[2], *column(&series, name).last().unwrap(), "{name}");
    }
    let scene = read(&folder, "runs/sweep-ball/runs/0005/scene.toml");
    assert!(scene.contains("mu = 0.2") && !scene.contains("mu = 0.5"), "{scene}");
    let html = read(&folder, "runs/sweep-ball/sweep.html");
    assert!(html.contains("A ball") && html.contains("contact[*].slide.mu"), "{html}");
    assert!(std::fs::metadata(folder.path().join("runs/sweep-ball/sweep.parquet")).unwrap().len() > 100);
    // Again, all is there; with other plots only the report changes.
    let before = read(&folder, "runs/sweep-ball/sweep.csv");
    let again = stickslip(
        &folder,
        &[&command[..], &["--plot", "slide.mu,kinetic", "--plot", "slide.mu,seed,kinetic"]].concat(),
    );
    assert!(again.status.success() && out(&again).contains("8 runs kept"), "{}{}", out(&again), err(&again));
    assert_eq!(read(&folder, "runs/sweep-ball/sweep.csv"), before);
    assert_ne!(read(&folder, "runs/sweep-ball/sweep.html"), html);
    // A plot that cannot be made leaves the sweep as it is.
    let html = read(&folder, "runs/sweep-ball/sweep.html");
    let wrong = stickslip(&folder, &[&command[..], &["--plot", "slide.mu,kinetc"]].concat());
    assert_eq!(wrong.status.code(), Some(2), "{}", err(&wrong));
    assert_eq!(read(&folder, "runs/sweep-ball/sweep.html"), html);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::new("sweep-threads");
    folder.file("ball.toml", &ball("end = 0.02", "[[record]]\nwhat = \"series\"\nevery = 0.001\nformat = \"parquet\""));
    for threads in ["1", "2"] {
        let command = ["sweep", "ball.toml", "--set", "material.grain.density=1000..3000/2", "--set", MU];
        let output = stickslip(&folder, &[&command[..], &["--threads", threads, "--out", threads, "--quiet"]].concat());
        assert!(output.status.success() && out(&output).is_empty() && err(&output).is_empty(), "{}", err(&output));
    }
    let first = lasting(&folder, "1/sweep.csv");
    assert_eq!((first.len(), &first), (5, &lasting(&folder, "2/sweep.csv")));
    assert_eq!(column(&first, "material.grain.density"), ["1000", "1000", "3000", "3000"]);
    // A series in Parquet has its last row as well.
    assert!(column(&first, "kinetic").iter().all(|kinetic| kinetic.parse::<f64>().is_ok()), "{first:?}");
}

#[test]
fn wrong_input_is_found_before_anything_is_written() {
    let folder = Folder::new("sweep-wrong");
    folder.file("ball.toml", &ball("end = 0.02", ""));
    let cases: [(&[&str], &str); 28] = [
        (&["--set", "time.stpe=1e-5"], "did you mean `step`?"),
        (&["--set", "time.step=1e-5,-1"], "run 2 of 2 (time.step = -1)"),
        (&["--set", "contact[grain,wall].slide.mu=1"], "no contact[grain,wall]"),
        (&["--set", "material.gran.density=1"], "did you mean `grain`?"),
        (&["--set", "contact[*].slide.law=coulomb"], "a text needs quotes"),
        (&["--set", "contact[*].slide.law=\"coulomb\""], "did you mean \"spring-slider\"?"),
        (&["--set", "body[ball].position=[0,0,0.001]"], "overlap"),
        (&["--set", "time.step"], "expected KEY=VALUE"),
        (&["--set", "time.step=1e-5", "--set", "time.step=1e-6"], "given twice"),
        (&["--set", "seed=1,2", "--seeds", "2"], "exclude each other"),
        (&["--set", MU, "--plot", "kinetic"], "expected X,Y"),
        (&["--set", "seed=1..9999/9999", "--set", "time.end=1..9999/9999"], "more than 100000"),
        (&[], "nothing to sweep"),
        // A misspelt column was found after the last run, hours later.
        (&["--set", MU, "--plot", "slide.mu,kinetc"], "no column `kinetc`. Did you mean `kinetic`?"),
        (&["--set", MU, "--plot", "slide.mux,kinetic"], "no column `slide.mux`. Did you mean `slide.mu`?"),
        (&["--set", MU, "--plot", "slide.mu,seed,repose.angle"], "no column `repose.angle`"),
        (&["--set", MU, "--plot", "slide.mu,volume_fraction"], "The columns are: run, contact[*].slide.mu, seed"),
        (&["--set", MU, "--plot", "slide.mu,state"], "`state` does not hold numbers"),
        (&["--set", MU, "--measure", "repos"], "no measurement `repos`. Did you mean `repose`?"),
        (&["--set", MU, "--measure", "repose.angel"], "no number `angel`. Did you mean `angle`?"),
        (&["--set", MU, "--measure", "repose"], "--measure repose needs the record `bodies`"),
        (&["--set", MU, "--measure", "walls.times", "--measure", "walls"], "fill the same column"),
        (&["--set", MU, "--measure", "walls --upto 3"], "unexpected argument '--upto'"),
        (&["--set", MU, "--measure", "walls --from x"], "expected a number"),
        // A misspelt wall was found after the last run, too.
        (&["--set", MU, "--measure", "walls.force_on_flor_z"], "Did you mean `force_on_floor_z`?"),
        (&["--set", MU, "--measure", "walls.force_on_roof_z"], "The walls of the scene are: floor"),
        (&["--set", MU, "--measure", "walls.torque_on_floor"], "no run has the number walls.torque_on_floor"),
        (&["--set", MU, "--measure", "walls", "--plot", "slide.mu,walls.force_on_flor_z"], "`force_on_floor_z`?"),
    ];
    for (arguments, expected) in cases {
        let output = stickslip(&folder, &[&["sweep", "ball.toml"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(says(&output, expected), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(folder.names(), ["ball.toml"]);
}

const BOTH: &str = "[[record]]\nwhat = \"bodies\"\nevery = 0.1\n[[record]]\nwhat = \"contacts\"\nevery = 0.1\n";

/// Two steps of a heap of columns of spheres that do not touch. The top of each lies on a cone of this angle.
fn cone(folder: &Folder, degrees: f64) {
    let (radius, base) = (0.005, 0.06);
    let (spacing, tangent) =
        (2.02 * radius, stickslip::math::sin(degrees.to_radians()) / stickslip::math::cos(degrees.to_radians()));
    let mut list = String::from("x,y,z,radius\n");
    for (i, j) in (-6..=6).flat_map(|i| (-6..=6).map(move |j| (f64::from(i) * spacing, f64::from(j) * spacing))) {
        let mut height = (base - (i * i + j * j).sqrt()) * tangent;
        while height >= 0.0 {
            list += &format!("{i},{j},{height},{radius}\n");
            height -= spacing;
        }
    }
    folder.file("cone.csv", &list);
    let place = "[[grains]]\nmaterial = \"grain\"\nplace = { kind = \"file\", file = \"cone.csv\" }\n";
    let scene = ball("end = 2e-6\nstep = 1e-6", &format!("{place}{BOTH}"));
    let far = scene.replace("position = [0, 0, 0]", "position = [0, 0, -1]").replace("[0, 0, 0.011]", "[0, 0, -0.5]");
    folder.file("cone.toml", &far);
}

/// A measurement had to be made run by run, and its numbers put into the table by hand.
///
/// Tops of columns lie exactly on a cone, so its angle comes out to the accuracy of the fit and of two steps of falling: far below
/// 1e-6 degrees. Nothing touches: forces are empty fields with the reason.
#[test]
fn any_measurement_is_in_the_table_and_one_that_fails_says_why() {
    let folder = Folder::new("sweep-measure");
    cone(&folder, 25.0);
    let command = ["sweep", "cone.toml", "--set", "material.grain.density=1000,2000", "--out", "s"];
    let more = ["--measure", "repose --centre 0,0,0", "--measure", "forces.mean", "--plot", "density,repose.angle"];
    let output = stickslip(&folder, &[&command[..], &more, &["--plot", "density,forces.mean"]].concat());
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).contains("2 done, 2 with measurements missing"), "{}", out(&output));
    let table = rows(&read(&folder, "s/sweep.csv"));
    for run in 0..2 {
        let measure = ["measure", &format!("s/runs/000{}", run + 1), "repose", "--centre", "0,0,0", "--json"];
        let json: serde_json::Value = serde_json::from_str(&out(&stickslip(&folder, &measure))).unwrap();
        let field = |name: &str| column(&table, name)[run].parse::<f64>().unwrap();
        assert!((field("repose.angle") - 25.0).abs() < 1e-6, "{json}");
        assert_eq!(field("repose.angle"), json["angle"].as_f64().unwrap());
        assert_eq!(field("repose.interval_95_high"), json["interval_95"][1].as_f64().unwrap());
        assert_eq!(field("repose.centre_z"), json["centre"][2].as_f64().unwrap());
        assert_eq!(field("repose.fitted"), json["fitted"].as_f64().unwrap());
        assert_eq!(column(&table, "forces.mean")[run], "");
        assert!(column(&table, "not_measured")[run].starts_with("forces: too few"), "{table:?}");
    }
    assert_eq!(column(&table, "state"), ["done"; 2]);
    let html = read(&folder, "s/sweep.html");
    assert!(html.contains("Run 2, not measured: forces: too few") && html.contains("repose.angle (degrees)"), "{html}");
    // Given later, a measurement is made of the runs that are there; left out, it leaves the table. Resuming keeps it.
    // The force on a wall has the wall's name: a plot of it was an error.
    let more = ["--measure", "profile.mass", "--measure", "walls", "--plot", "density,walls.force_on_floor_z"];
    let later = stickslip(&folder, &[&command[..], &more].concat());
    assert!(later.status.success() && out(&later).contains("2 runs kept"), "{}{}", out(&later), err(&later));
    assert!(stickslip(&folder, &["resume", "s"]).status.success());
    let table = rows(&read(&folder, "s/sweep.csv"));
    assert!(column(&table, "profile.mass").iter().all(|field| field.parse::<f64>().unwrap() > 0.0), "{table:?}");
    assert!(!table[0].iter().any(|name| name.starts_with("repose.") || name == "not_measured"), "{table:?}");
}

/// Without the folders of runs the table is all there is: what it holds stays, and what it does not hold is said.
#[test]
fn a_table_keeps_its_measurements_when_folders_go() {
    let folder = Folder::new("sweep-measure-table");
    cone(&folder, 25.0);
    let command = ["sweep", "cone.toml", "--seeds", "2", "--out", "s", "--keep", "table", "--measure", "repose.angle"];
    assert!(stickslip(&folder, &command).status.success());
    assert!(!folder.path().join("s/runs/0001").exists());
    let before = lasting(&folder, "s/sweep.csv");
    assert!(stickslip(&folder, &command).status.success());
    assert_eq!(lasting(&folder, "s/sweep.csv"), before);
    let other = stickslip(&folder, &[&command[..], &["--measure", "rdf.peak"]].concat());
    assert!(other.status.success(), "{}", err(&other));
    let table = rows(&read(&folder, "s/sweep.csv"));
    assert_eq!(column(&table, "repose.angle"), column(&before, "repose.angle"));
    assert_eq!(column(&table, "rdf.peak"), [""; 2]);
    assert!(column(&table, "not_measured")[0].contains("rdf.peak: `--keep table` removed"), "{table:?}");
}

/// The numbers of a value of `measure --json`, as `--measure` names them.
fn numbers(name: &str, value: &serde_json::Value, separator: &str) -> Vec<String> {
    let Some(parts) = value.as_array() else {
        return if value.is_number() { vec![name.to_owned()] } else { Vec::new() };
    };
    let ends = if parts.len() == 2 { &["low", "high"][..] } else { &["x", "y", "z"] };
    parts.iter().zip(ends).flat_map(|(part, end)| numbers(&format!("{name}{separator}{end}"), part, "")).collect()
}

/// Every number that `measure` prints can be asked for by name: the list of names that `sweep` knows misses none.
#[test]
fn every_number_of_measure_has_a_name() {
    let folder = Folder::new("sweep-measure-names");
    cone(&folder, 25.0);
    let records = format!("{BOTH}[[record]]\nwhat = \"walls\"\nevery = 0.1\n");
    folder.file("ball.toml", &ball("end = 0.5", &records));
    for scene in ["cone", "ball"] {
        assert!(stickslip(&folder, &["run", &format!("{scene}.toml"), "--quiet"]).status.success());
        let text = out(&stickslip(&folder, &["measure", &format!("runs/{scene}"), "--json"]));
        let all: serde_json::Value = serde_json::from_str(&text).unwrap();
        let found =
            all.as_object().unwrap().iter().filter(|(what, _)| !["left_out", "not_measured"].contains(&what.as_str()));
        let of = |(what, facts): (&String, &serde_json::Value)| {
            let facts = facts.as_object().into_iter().flatten();
            let names = facts.flat_map(|(key, value)| numbers(&format!("{what}.{key}"), value, "_"));
            names.flat_map(|name| ["--measure".to_owned(), name]).collect::<Vec<_>>()
        };
        let asked: Vec<String> = found.flat_map(of).collect();
        assert!(asked.len() > 40, "{all}");
        let file = format!("{scene}.toml");
        let mut command = vec!["sweep", &file, "--set", MU, "--plot", "nonsense,kinetic"];
        command.extend(asked.iter().map(String::as_str));
        let output = stickslip(&folder, &command);
        assert!(output.status.code() == Some(2) && says(&output, "no column `nonsense`"), "{}", err(&output));
    }
}

#[test]
fn a_run_that_fails_is_a_row_that_says_why() {
    let folder = Folder::new("sweep-fails");
    folder.file("ball.toml", &ball("end = 0.05", "[domain]\nfrom = [-1, -1, -1]\nto = [1, 1, 1]"));
    let command = ["sweep", "ball.toml", "--set", "domain.from=[-1,-1,-1],[-1,-1,0.0108],[-2,-2,-2]", "--out", "s"];
    let output = stickslip(&folder, &command);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("run 2 failed: body 1 (\"ball\") has left the domain"), "{}", err(&output));
    let table = rows(&read(&folder, "s/sweep.csv"));
    assert_eq!(column(&table, "state"), ["done", "failed", "done"]);
    let reasons = column(&table, "reason");
    assert!(reasons[0].is_empty() && reasons[1].contains("has left the domain"), "{reasons:?}");
    assert!(read(&folder, "s/sweep.html").contains("Run 2 failed: body 1"));
    // Again it is kept: it would fail in the same way.
    let again = stickslip(&folder, &["resume", "s"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(out(&again).contains("3 runs kept"), "{}", out(&again));
}

#[test]
fn a_folder_with_another_sweep_is_refused_unless_forced() {
    let folder = Folder::new("sweep-other");
    folder.file("ball.toml", &ball("end = 0.01", ""));
    let sweep = |set: &str, more: &[&str]| {
        stickslip(&folder, &[&["sweep", "ball.toml", "--set", set, "--out", "s", "--quiet"], more].concat())
    };
    assert!(sweep("contact[*].slide.mu=0.1,0.2,0.3", &[]).status.success());
    let before = read(&folder, "s/sweep.csv");
    let other = sweep(MU, &[]);
    assert_eq!(other.status.code(), Some(2));
    assert!(says(&other, "other values") && says(&other, "--force") && says(&other, "--out"), "{}", err(&other));
    assert_eq!(read(&folder, "s/sweep.csv"), before);
    assert!(sweep(MU, &["--force"]).status.success());
    assert_eq!(rows(&read(&folder, "s/sweep.csv")).len(), 3);
    assert!(!folder.path().join("s/runs/0003").exists(), "a run of the sweep that was replaced");
    folder.file("ball.toml", &ball("end = 0.011", ""));
    let changed = sweep(MU, &[]);
    assert_eq!(changed.status.code(), Some(2));
    assert!(says(&changed, "another scene"), "{}", err(&changed));
    // What is someone else's stays.
    std::fs::create_dir(folder.path().join("t")).unwrap();
    folder.file("t/sweep.csv", "mine");
    let theirs = stickslip(&folder, &["sweep", "ball.toml", "--set", MU, "--out", "t", "--force"]);
    assert_eq!((theirs.status.code(), read(&folder, "t/sweep.csv").as_str()), (Some(2), "mine"));
}

/// A scene whose runs last long enough to be caught in the middle.
fn slow(folder: &Folder) {
    folder.file("ball.toml", &ball("end = 0.1\nstep = 2e-7", ""));
}

const SLOW: [&str; 8] =
    ["sweep", "ball.toml", "--set", "contact[*].slide.mu=0.1,0.2,0.3", "--checkpoint-every", "0.01", "--out", "s"];

#[cfg(unix)]
fn ended_in_the_middle(folder: &Folder, more: &[&str], signal: rustix::process::Signal) -> std::process::Output {
    use crate::common::broken_off::{Moment, Running};
    let mut running = Running::start(folder, &[&SLOW[..], &["--threads", "1", "--quiet"], more].concat());
    let second = folder.path().join("s/runs/0002");
    assert!(running.reaches(Moment::Step(1, std::time::Duration::ZERO), &second), "it was over too early");
    running.signal(signal);
    running.end()
}

#[cfg(unix)]
#[test]
fn a_sweep_that_is_killed_goes_on_to_the_same_table() {
    let folder = Folder::new("sweep-kill");
    slow(&folder);
    let whole = stickslip(&folder, &["sweep", "ball.toml", SLOW[2], SLOW[3], "--out", "whole", "--quiet"]);
    assert!(whole.status.success(), "{}", err(&whole));
    for keep in ["all", "table"] {
        let output = ended_in_the_middle(&folder, &["--keep", keep], rustix::process::Signal::KILL);
        assert_eq!(output.status.code(), None);
        let begun = |run: &str| Path::exists(&folder.path().join("s/runs").join(run));
        assert!(begun("0002") && !begun("0003"), "killed in the middle");
        let again = stickslip(&folder, &[&SLOW[..], &["--keep", keep, "--threads", "2"]].concat());
        assert!(again.status.success(), "{}", err(&again));
        assert!(out(&again).contains("going on: 1 run kept, 1 resumed"), "{}", out(&again));
        assert_eq!(lasting(&folder, "s/sweep.csv"), lasting(&folder, "whole/sweep.csv"));
        assert!(begun("0002") == (keep == "all") && begun("0003") == (keep == "all"));
        // A sweep that is over stays as it is.
        let before = read(&folder, "s/sweep.csv");
        let over = stickslip(&folder, &["resume", "s"]);
        assert!(over.status.success() && out(&over).contains("3 runs kept"), "{}{}", out(&over), err(&over));
        assert_eq!(read(&folder, "s/sweep.csv"), before);
        std::fs::remove_dir_all(folder.path().join("s")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_keeps_what_it_has_and_goes_on() {
    let folder = Folder::new("sweep-interrupt");
    slow(&folder);
    let output = ended_in_the_middle(&folder, &[], rustix::process::Signal::INT);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("stickslip resume s") && err(&output).contains("2 runs to do"), "{}", err(&output));
    let table = rows(&read(&folder, "s/sweep.csv"));
    assert_eq!(column(&table, "state"), ["done", "interrupted"]);
    assert!(read(&folder, "s/sweep.html").contains("Run 2 interrupted"));
    let again = stickslip(&folder, &["resume", "s", "--quiet"]);
    assert!(again.status.success(), "{}", err(&again));
    let table = rows(&read(&folder, "s/sweep.csv"));
    assert_eq!(column(&table, "state"), ["done", "done", "done"]);
    assert_eq!(column(&table, "steps"), ["500000"; 3]);
}

/// Four runs that are the same for two stages of four, and two by two for three: the folders say what was run.
#[test]
fn equal_first_stages_run_once_and_change_no_byte() {
    let folder = Folder::new("sweep-stages");
    folder.file("staged.toml", &staged());
    let keys = [
        "stage[open].gravity=[0,0,-9],[0,0,-8]",
        "stage[rest].contact[*].slide.mu & stage[rest].contact[*].roll.mu=0.2,0.4",
    ];
    let command = ["sweep", "staged.toml", "--set", keys[0], "--set", keys[1], "--threads", "2", "--quiet"];
    let output = stickslip(&folder, &command);
    assert!(output.status.success(), "{}", err(&output));
    let table = rows(&read(&folder, "runs/sweep-staged/sweep.csv"));
    assert_eq!(column(&table, "state"), ["done"; 4]);
    // The steps at which each was taken up; 1500, 2677 and 3266 are those at which stages end.
    let resumed = |run: u32| -> Vec<u64> {
        let json: serde_json::Value =
            serde_json::from_str(&read(&folder, &format!("runs/sweep-staged/runs/000{run}/run.json"))).unwrap();
        json["resumed"].as_array().unwrap().iter().map(|once| once["step"].as_u64().unwrap()).collect()
    };
    assert_eq!(resumed(1), [1500, 2677, 3266]);
    assert_eq!(resumed(2), [3266]);
    assert_eq!(resumed(3), [2677, 3266]);
    assert_eq!(resumed(4), [3266]);
    // Each is what it would be alone.
    for run in 1..=4 {
        let scene = format!("runs/sweep-staged/runs/000{run}/scene.toml");
        let alone = format!("alone-{run}");
        let output = stickslip(&folder, &["run", &scene, "--out", &alone, "--quiet"]);
        assert!(output.status.success(), "{}", err(&output));
        for name in ["bodies.csv", "series.csv", "contacts.parquet", "dump.dump", "bodies-fixed.csv", "snapshot.pvd"] {
            let of = |path: String| std::fs::read(folder.path().join(path)).unwrap();
            assert!(
                of(format!("runs/sweep-staged/runs/000{run}/{name}")) == of(format!("{alone}/{name}")),
                "{run}: {name}"
            );
        }
    }
    assert_ne!(column(&table, "kinetic")[0], column(&table, "kinetic")[1]);
}

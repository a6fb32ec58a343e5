//! `stickslip measure` from outside: what it prints, what it writes, what it refuses.

use crate::common::{Folder, ball, err, out, says, stickslip};
use serde_json::Value;

const BODIES: &str = "[[record]]\nwhat = \"bodies\"\nevery = 0.05\nname = \"all\"\n";

/// Twenty balls of 1 kg in a row, 0.05 m apart, that fall without gravity at 1 m/s: 20 a second pass any height.
fn falling(more: &str) -> String {
    let body = |i: i32| {
        format!(
            "[[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\nmass = 1.0\n\
             position = [0, 0, {:?}]\nvelocity = [0, 0, -1.0]\n",
            0.1 + 0.05 * f64::from(i)
        )
    };
    let bodies: String = (0..20).map(body).collect();
    format!(
        "[time]\nend = 1.5\nstep = 1e-3\n[material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e4 }}\n{bodies}{more}"
    )
}

fn run(folder: &Folder, scene: &str) {
    folder.file("scene.toml", scene);
    let output = stickslip(folder, &["run", "scene.toml", "--out", "run", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = stickslip(folder, &[&["measure", "run", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", err(&output));
    serde_json::from_str(&out(&output)).unwrap()
}

/// Rows are 0.05 s apart, in which exactly one ball passes. At such a row a ball may stand on the plane itself, so the plane
/// lies between two.
#[test]
fn a_row_of_balls_passes_at_its_rate() {
    let folder = Folder::new("measure-discharge");
    run(&folder, &falling(BODIES));
    let found = json(&folder, &["discharge", "--up", "0,0,1", "--below", "-0.025"]);
    // Counts lie on a line up to the rounding of times; 1e-9 leaves room for both.
    assert!((found["body_rate"].as_f64().unwrap() - 20.0).abs() < 1e-9, "{found}");
    assert!((found["mass_rate"].as_f64().unwrap() - 20.0).abs() < 1e-9);
    assert_eq!((found["mass_out"].as_f64(), found["imbalance"].as_f64()), (Some(20.0), Some(0.0)));
    let csv = std::fs::read_to_string(folder.path().join("run/measure-discharge.csv")).unwrap();
    assert!(csv.starts_with("time,came,on,out,"), "{csv}");
    assert!(folder.path().join("run/measure-discharge.svg").is_file());
    // One layer holds all that falls: mean velocity -1, no temperature.
    let found = json(&folder, &["profile", "--axis", "0,0,1", "--layers", "1"]);
    assert!((found["mean_velocity"][2].as_f64().unwrap() + 1.0).abs() < 1e-12, "{found}");
}

/// The floor carries the ball at rest, and the stress under its centre is the weight by the area of its shadow's square.
#[test]
fn a_ball_at_rest_loads_its_floor() {
    let folder = Folder::new("measure-rest");
    let records = format!("{BODIES}format = \"parquet\"\n[[record]]\nwhat = \"contacts\"\nevery = 0.05\n");
    run(&folder, &ball("end = 0.5", &records));
    // 4/3 pi R^3 rho g; the bounce has died down to below 1e-6 of it after 0.5 s (seen: 1e-12).
    let weight = 4.0 / 3.0 * std::f64::consts::PI * 1e-6 * 2500.0 * 9.81;
    let walls = json(&folder, &["walls"]);
    let force = walls["force_on_floor"][2].as_f64().unwrap();
    assert!((force + weight).abs() < 1e-6 * weight, "{force} {weight}");
    // From the contact to the centre the branch is half of the height of the two layers: the lower one is full of it.
    let stress = json(&folder, &["stress", "--layers", "2"]);
    let largest = stress["largest_stress_along_the_axis"].as_f64().unwrap();
    // The contact lies half an overlap d = weight/k above the ball's lowest point; the force is good to 1e-6, as above.
    let branch = 0.01 - 0.5 * weight / 1e4;
    assert!((largest / (weight / 4e-4 * branch / 0.01) - 1.0).abs() < 2e-6, "{largest}");
    let all = json(&folder, &[]);
    assert_eq!(all["coordination"]["mean_contacts"].as_f64(), Some(1.0));
    assert!(all.get("repose").is_none(), "one ball is no heap: {all}");
}

#[test]
fn the_summary_writes_nothing() {
    let folder = Folder::new("measure-summary");
    run(&folder, &ball("end = 0.01", BODIES));
    let files = |folder: &Folder| std::fs::read_dir(folder.path().join("run")).unwrap().count();
    let before = files(&folder);
    let output = stickslip(&folder, &["measure", "run"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    for part in ["A ball", "walls", "not measured", "stress", "needs the record `contacts`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(files(&folder), before);
}

#[test]
fn what_cannot_be_measured_exits_with_2() {
    let folder = Folder::new("measure-wrong");
    run(&folder, &ball("end = 0.01", BODIES));
    let before = std::fs::read_dir(folder.path().join("run")).unwrap().count();
    for (arguments, said) in [
        (&["measure", "."][..], "holds no run"),
        (&["measure", "nowhere"], "no such folder"),
        (&["measure", "run", "angle"], "angle"),
        (&["measure", "run", "stress"], "what  = \"contacts\""),
        (&["measure", "run", "packing"], "what  = \"contacts\""),
        (&["measure", "run", "forces"], "what  = \"contacts\""),
        (&["measure", "run", "fabric"], "what  = \"contacts\""),
        (&["measure", "run", "rdf"], "too few spheres"),
        (&["measure", "run", "rdf", "--reach", "0"], "--reach"),
        (&["measure", "run", "rdf", "--width", "1e-9"], "shells"),
        (&["measure", "run", "repose"], "too few spheres"),
        (&["measure", "run", "repose", "--ridge", "0,0,1"], "cannot be upright"),
        (&["measure", "run", "repose", "--time", "7"], "no time near 7"),
        (&["measure", "run", "drum"], "--axis"),
        (&["measure", "run", "fraction", "--box", "0,0,1", "1,1,0"], "--box"),
        (&["measure", "run", "fraction", "--cylinder", "0,0,0", "0,0,0", "1"], "same point"),
        (&["measure", "run", "profile", "--axis", "1,0"], "three numbers"),
        (&["measure", "run", "walls", "--from", "3"], "no recorded time"),
        (&["measure", "run", "profile", "--layers", "0"], "--layers"),
    ] {
        let output = stickslip(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(std::fs::read_dir(folder.path().join("run")).unwrap().count(), before);
}

/// The record `walls` was ignored: without `bodies` nothing was said of walls, in CSV and in Parquet.
#[test]
fn loads_on_walls_come_from_their_own_record() {
    for format in ["csv", "parquet"] {
        let folder = Folder::new(&format!("measure-own-walls-{format}"));
        run(
            &folder,
            &ball("end = 0.02", &format!("[[record]]\nwhat = \"walls\"\nevery = 0.01\nformat = \"{format}\"\n")),
        );
        let found = json(&folder, &["walls", "--from", "0"]);
        assert_eq!(found["times"].as_u64(), Some(3), "{found}");
        assert!(found["force_on_floor"].is_array() && found.get("weight_of_the_spheres").is_none(), "{found}");
    }
}

/// A run folder named like a WHAT was taken for the WHAT: `measure drum` said that DIR is missing.
#[test]
fn a_folder_may_have_the_name_of_a_measurement() {
    let folder = Folder::new("measure-named");
    folder.file("scene.toml", &ball("end = 0.01", BODIES));
    let output = stickslip(&folder, &["run", "scene.toml", "--out", "drum", "--quiet"]);
    assert!(output.status.success(), "{}", err(&output));
    for (arguments, said) in [
        (&["measure", "drum"][..], "A ball"),
        (&["measure", "--json", "drum"], "not_measured"),
        (&["measure", "drum", "walls"], "force on floor"),
        (&["measure", "--out", "elsewhere", "drum", "walls"], "elsewhere"),
        (&["measure", "drum", "--help"], "Dynamic angle"),
    ] {
        let output = stickslip(&folder, arguments);
        assert!(output.status.success() && out(&output).contains(said), "{arguments:?}: {}", out(&output));
    }
    assert!(folder.path().join("elsewhere/measure-walls.csv").is_file());
    // Where there is no such folder, one is missing.
    let output = stickslip(&folder, &["measure", "walls"]);
    assert!(output.status.code() == Some(2) && err(&output).contains("DIR"), "{}", err(&output));
}

/// A conveyor's roller, a tube touched from outside, was measured as a drum.
#[test]
fn a_roller_is_no_drum() {
    let folder = Folder::new("measure-roller");
    let tube = "[[body]]\nmaterial = \"grain\"\nshape = { kind = \"tube\", radius = 0.02, length = 0.2, axis = [0, 1, 0] }\n\
                position = [0, 0, -0.5]\n\
                [[grains]]\nmaterial = \"grain\"\ncount = 200\nradius = 0.002\n\
                place = { kind = \"random\", from = [-0.1, -0.01, 0.03], to = [0.1, 0.01, 0.06] }\n";
    run(&folder, &ball("end = 0.001", &format!("{tube}{BODIES}")));
    let all = json(&folder, &[]);
    assert!(all["not_measured"]["drum"].as_str().unwrap().starts_with("no drum"), "{all}");
    let given = stickslip(&folder, &["measure", "run", "drum", "--axis", "0,1,0", "--centre", "0,0,0"]);
    assert!(given.status.success(), "what is given is believed: {}", err(&given));
}

/// Where files could not be written nothing was printed either.
#[test]
fn what_was_found_is_printed_before_files_fail() {
    let folder = Folder::new("measure-read-only");
    run(&folder, &ball("end = 0.01", BODIES));
    std::fs::create_dir(folder.path().join("run/measure-walls.csv")).unwrap();
    for arguments in [&["measure", "run", "walls"][..], &["measure", "run", "walls", "--out", "scene.toml/in"]] {
        let output = stickslip(&folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
        assert!(out(&output).contains("force on floor") && !out(&output).contains("written"), "{}", out(&output));
        assert!(err(&output).contains("--out DIR"), "{}", err(&output));
    }
    let output = stickslip(&folder, &["measure", "run", "--out", "x"]);
    assert!(output.status.code() == Some(2) && err(&output).contains("needs a WHAT"), "{}", err(&output));
}

/// Nothing told a run that was killed, interrupted or failed from one that came to its end.
#[test]
fn a_run_that_did_not_end_is_said_to() {
    let folder = Folder::new("measure-ending");
    run(&folder, &ball("end = 0.01", BODIES));
    let path = folder.path().join("run/run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!out(&stickslip(&folder, &["measure", "run"])).contains("the run "));
    for (ending, said) in
        [("running", "was killed"), ("interrupted", "was interrupted"), ("failed: too deep", "failed (too deep)")]
    {
        std::fs::write(&path, text.replace("\"finished\"", &format!("\"{ending}\""))).unwrap();
        for arguments in [&["measure", "run"][..], &["measure", "run", "walls"]] {
            let said_now = out(&stickslip(&folder, arguments));
            assert!(said_now.contains(said), "{ending}: {said_now}");
        }
        assert_eq!(json(&folder, &["walls"])["ending"].as_str(), Some(ending));
    }
}

/// Bodies that are all gone leave no row, so the last to leave was never counted: nineteen of twenty, none of one.
#[test]
fn the_last_to_leave_counts() {
    let remove = "[domain]\nfrom = [-1, -1, -0.025]\nto = [1, 1, 2]\nleaving = \"remove\"\n";
    for series in ["[[record]]\nwhat = \"series\"\nevery = 0.05\n", ""] {
        let folder = Folder::new(&format!("measure-gone-{}", series.len()));
        run(&folder, &falling(&format!("{remove}{BODIES}{series}")));
        let found = json(&folder, &["discharge"]);
        assert_eq!((found["mass_out"].as_f64(), found["mass_on"].as_f64()), (Some(20.0), Some(0.0)), "{found}");
        // One ball every 0.05 s, which is the time between rows: counts lie on a line up to the rounding of times.
        assert!((found["body_rate"].as_f64().unwrap() - 20.0).abs() < 1e-9, "{found}");
    }
}

/// `series.csv` counted a contact with a wall twice, so it and `measure` told two coordinations of one heap.
#[test]
fn the_series_has_the_coordination_of_measure() {
    let folder = Folder::new("measure-coordination");
    let more = "[[body]]\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\nposition = [0, 0, 0.0295]\n\
                [[record]]\nwhat = \"contacts\"\nevery = 0.05\n[[record]]\nwhat = \"series\"\nevery = 0.05\n";
    run(&folder, &ball("end = 0.5", &format!("{more}{BODIES}")));
    // A tower of two: ball on floor counts once, ball on ball twice, over two balls.
    let found = json(&folder, &["coordination"]);
    assert_eq!(found["mean_contacts"].as_f64(), Some(1.5), "{found}");
    let series = std::fs::read_to_string(folder.path().join("run/series.csv")).unwrap();
    let column = series.lines().next().unwrap().split(',').position(|name| name == "coordination").unwrap();
    assert_eq!(series.lines().last().unwrap().split(',').nth(column), Some("1.5"));
}

/// `--from -1` was an unknown flag, and a window that ends before it begins had "no recorded time".
#[test]
fn windows_may_begin_before_zero_but_not_after_their_end() {
    let folder = Folder::new("measure-window");
    run(&folder, &ball("end = 0.1", BODIES));
    assert_eq!(json(&folder, &["walls", "--from", "-1"])["times"].as_u64(), Some(3));
    for what in ["walls", "discharge", "profile"] {
        let output = stickslip(&folder, &["measure", "run", what, "--from", "0.2", "--to", "0.1"]);
        assert!(output.status.code() == Some(2) && err(&output).contains("is after --to"), "{}", err(&output));
    }
}

/// A heap of 40 grains had "too few surface spheres on the slope", which nobody asked for.
#[test]
fn a_heap_of_forty_grains_is_too_small_for_an_angle() {
    let folder = Folder::new("measure-small-heap");
    // 4 x 4 x 2 and 2 x 2 x 2 on top, at rest in the air for two steps.
    let layer = |side: usize, level: usize| {
        let place = move |i: usize| (i as f64 - 0.5 * (side as f64 - 1.0)) * 0.0202;
        let row =
            move |i: usize| format!("{},{},{},0.01\n", place(i % side), place(i / side), level as f64 * 0.0202 + 0.02);
        (0..side * side).map(row).collect::<String>()
    };
    let rows: String = [(4, 0), (4, 1), (2, 2), (2, 3)].map(|(side, level)| layer(side, level)).concat();
    folder.file("heap.csv", &format!("x,y,z,radius\n{rows}"));
    let grains = "[[grains]]\nmaterial = \"grain\"\nplace = { kind = \"file\", file = \"heap.csv\" }\n";
    run(
        &folder,
        &ball("end = 2e-6\nstep = 1e-6", &format!("velocity = [0, 0, 0]\n{grains}{BODIES}"))
            .replace("[0, 0, 0.011]", "[9, 0, 0.011]"),
    );
    let output = stickslip(&folder, &["measure", "run", "repose", "--centre", "0,0,0"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(says(&output, "the heap is too small or too low for an angle"), "{}", err(&output));
}

/// A run at whose end nothing touched was measured at an earlier time, when something did.
#[test]
fn a_ball_in_the_air_at_the_end_touches_nothing() {
    let folder = Folder::new("measure-apart");
    // It falls 1 mm within 14 ms, bounces (half a period of its contact takes 3 ms) and is up again at 20 ms.
    run(&folder, &ball("end = 0.02", &format!("{BODIES}[[record]]\nwhat = \"contacts\"\nevery = \"step\"\n")));
    let found = json(&folder, &["coordination"]);
    // The step is automatic, so the last one is at or just after the end time.
    assert!(found["time"].as_f64() >= Some(0.02), "{found}");
    assert_eq!(found["mean_contacts"].as_f64(), Some(0.0), "{found}");
}

#[test]
fn a_stray_grain_does_not_stretch_the_layers() {
    // One grain that had fallen off the table, 2 m below, put all others into one layer of twenty.
    let folder = Folder::new("measure-stray");
    let stray = "[[body]]\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\nmass = 1.0\n\
                 position = [0, 0, -50.0]\nvelocity = [0, 0, -1.0]\n";
    run(&folder, &falling(&format!("{stray}{BODIES}")));
    let found = json(&folder, &["profile", "--axis", "0,0,1", "--layers", "10"]);
    // The row of balls is 0.95 m long between centres, and a radius more at each end.
    let csv = std::fs::read_to_string(folder.path().join("run/measure-profile.csv")).unwrap();
    let at = |line: &str| line.split(',').next().and_then(|z| z.parse::<f64>().ok());
    let places: Vec<f64> = csv.lines().skip(1).filter_map(at).collect();
    let span = places.last().unwrap() - places[0];
    assert!((span - 0.97 * 0.9).abs() < 1e-9, "{found} {csv}");
}

/// A cube of 7^3 balls that touch by 0.1 mm at a spacing of 19.9 mm, at rest, held by nothing: read at step 0.
fn block(friction: &str) -> String {
    let mut rows = String::new();
    for k in 0..343 {
        let at = [k % 7, k / 7 % 7, k / 49].map(|i| 0.0199 * f64::from(i));
        rows += &format!("{:?},{:?},{:?},0.01\n", at[0], at[1], at[2]);
    }
    let scene = format!(
        "[time]\nend = 1e-5\nstep = 1e-5\n[material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e3 }}\n{friction}\n[[grains]]\nmaterial = \"grain\"\ncount = 343\n\
         place = {{ kind = \"file\", file = \"grains.csv\", columns = [\"x\", \"y\", \"z\", \"radius\"] }}\n\
         [[record]]\nwhat = \"contacts\"\nevery = \"step\"\n{BODIES}"
    );
    format!("{rows}#\n{scene}")
}

/// Every contact carries 0.1 N along x, y or z: three lines alike, one force, six neighbours a spacing away.
#[test]
fn a_cubic_block_has_its_forces_fabric_and_shells() {
    let folder = Folder::new("measure-block");
    let text = block("slide = { law = \"spring-slider\", stiffness = 1e3, mu = 0.3 }");
    let (rows, scene) = text.split_once("#\n").unwrap();
    folder.file("grains.csv", rows);
    run(&folder, scene);
    let forces = json(&folder, &["forces", "--time", "0"]);
    // Overlaps of 1e-4 m are differences of places of 0.1 m: good to 1e-13 of them, some 1e-16/1e-4.
    assert!((forces["mean"].as_f64().unwrap() - 0.1).abs() < 1e-11, "{forces}");
    assert_eq!((forces["contacts_that_push"].as_u64(), forces["sliding"].as_f64()), (Some(882), Some(0.0)), "{forces}");
    assert!(forces["tail_slope"].is_null(), "{forces}");
    let fabric = json(&folder, &["fabric", "--time", "0"]);
    for k in 0..3 {
        assert!((fabric["fabric_tensor"][k][k].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12, "{fabric}");
    }
    assert!(fabric["anisotropy"].as_f64().unwrap() < 1e-12, "{fabric}");
    // Those at least 1.5 diameters inside, 30 mm of 119.4 mm: places 2, 3 and 4 of 0 to 6. The summary's reach of 4
    // diameters leaves none.
    let rdf = json(&folder, &["rdf", "--time", "0"]);
    assert_eq!(rdf["centres"].as_u64(), Some(27), "{rdf}");
    let csv = std::fs::read_to_string(folder.path().join("run/measure-rdf.csv")).unwrap();
    let shells: Vec<Vec<f64>> =
        csv.lines().skip(1).map(|line| line.split(',').map(|field| field.parse().unwrap()).collect()).collect();
    let full: Vec<&Vec<f64>> = shells.iter().filter(|shell| shell[3] > 0.0).collect();
    // 6 at a spacing and 12 at sqrt 2 of it.
    assert_eq!(full.iter().map(|shell| shell[5]).collect::<Vec<_>>(), [6.0, 18.0], "{csv}");
    assert!(full[0][0] <= 0.0199 && full[0][1] >= 0.0199 - 1e-12, "{full:?}");
    let packing = json(&folder, &["packing", "--time", "0"]);
    // 3 n^2 (n - 1) contacts among n^3 grains; corners hold three, which is enough with sliding friction.
    assert_eq!((packing["contacts"].as_u64(), packing["rattlers"].as_u64()), (Some(882), Some(0)), "{packing}");
    assert_eq!(packing["isostatic_contacts"].as_f64(), Some(4.0), "{packing}");
    for file in
        ["forces.csv", "forces.svg", "forces-log.svg", "fabric.csv", "fabric-azimuth.svg", "rdf.svg", "packing.csv"]
    {
        assert!(folder.path().join(format!("run/measure-{file}")).is_file(), "{file}");
    }
}

/// A trace of sliding friction, of 0.005, made a grain with three contacts count as held.
#[test]
fn a_trace_of_friction_holds_no_corner() {
    let folder = Folder::new("measure-trace");
    let text = block("slide = { law = \"spring-slider\", stiffness = 1e3, mu = 0.005 }");
    let (rows, scene) = text.split_once("#\n").unwrap();
    folder.file("grains.csv", rows);
    run(&folder, scene);
    // Without friction four are needed: corners go, which leaves edges with three, and so on until nothing is left.
    let packing = json(&folder, &["packing", "--time", "0"]);
    assert_eq!(
        (packing["fewest_contacts_held"].as_u64(), packing["rattlers"].as_u64()),
        (Some(4), Some(343)),
        "{packing}"
    );
}

/// A run of ellipsoids and a box once had "contacts 0, grains 0", without a word about those that were left out.
#[test]
fn ellipsoids_and_boxes_are_said_to_be_left_out() {
    let folder = Folder::new("measure-solids");
    let solid =
        |shape: &str, x: f64| format!("[[body]]\nmaterial = \"grain\"\nshape = {shape}\nposition = [{x:?}, 1, 1]\n");
    let egg = solid("{ kind = \"ellipsoid\", axes = [0.02, 0.01, 0.01] }", 1.0);
    let brick = solid("{ kind = \"box\", size = [0.02, 0.01, 0.01] }", 2.0);
    let contacts = "[[record]]\nwhat = \"contacts\"\nevery = 0.05\n";
    run(&folder, &(falling(BODIES) + &egg + &brick + contacts));
    for arguments in [&["measure", "run", "coordination"][..], &["measure", "run"]] {
        let text = out(&stickslip(&folder, arguments));
        assert!(text.contains("left out: 2 ellipsoids and boxes; measured are spheres\n"), "{text}");
    }
    assert_eq!(json(&folder, &["coordination"])["left_out"], 2);
    // `run` called both of them spheres.
    let said = out(&stickslip(&folder, &["run", "scene.toml", "--out", "again"]));
    assert!(said.contains("22 bodies: 20 spheres, 1 ellipsoid, 1 box, 0 walls"), "{said}");
}

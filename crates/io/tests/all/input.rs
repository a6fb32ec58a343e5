//! Input tests as text files: everything in `input/good` loads, and loads again from its resolved text; everything in
//! `input/bad` gives the error that stands in its own first lines (`#! error:` a part of the message or the advice,
//! `#! line:` where). Files whose names begin with `probe` are probes. What becomes of broken ones is
//! in `mutants`.

use std::path::{Path, PathBuf};

use stickslip::inflow::Rate;
use stickslip::law::{Normal, Spin};
use stickslip::world::World;
use stickslip_io::scene::{self, InputError, Scene};
use stickslip_io::{probe_file, scene::check_text};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/input").join(name)
}

fn toml_files(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(name)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files
}

fn is_probe(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("probe"))
}

fn good(name: &str) -> Scene {
    scene::load(&folder("good").join(name)).unwrap()
}

#[test]
fn good_files_load() {
    let files = toml_files("good");
    assert!(files.len() >= 12, "found only {} good files", files.len());
    for path in files {
        if is_probe(&path) {
            probe_file::load(&path).unwrap();
        } else {
            let scene = scene::load(&path).unwrap();
            assert!(scene.names.len() <= scene.setup.bodies.len());
            if let Err(error) = World::new(scene.setup.to_setup()) {
                panic!("{}: {error}", path.display());
            }
            assert!(check_text(&scene).contains("bodies"));
        }
    }
}

#[test]
fn a_resolved_scene_loads_to_the_same_setup() {
    for path in toml_files("good").into_iter().filter(|path| !is_probe(path)) {
        let first = scene::load(&path).unwrap();
        // In a folder that has no lists: the resolved scene needs none.
        let second = scene::load_text("resolved.toml", &first.resolved, Path::new("nowhere"))
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", path.display(), first.resolved));
        assert_eq!(first.setup.model, second.setup.model, "{}", path.display());
        assert_eq!(first.setup.bodies, second.setup.bodies, "{}", path.display());
        assert_eq!((&first.names, &first.title, first.seed), (&second.names, &second.title, second.seed));
        assert_eq!((first.end, first.steps, first.stop), (second.end, second.steps, second.stop));
        assert_eq!((&first.records, &first.domain), (&second.records, &second.domain));
        assert_eq!(first.stages.len(), second.stages.len());
        for (one, other) in first.stages.iter().zip(&second.stages) {
            let what = format!("{}, stage {}", path.display(), one.name);
            assert_eq!(one.scene.setup, other.scene.setup, "{what}");
            assert_eq!(
                (&one.name, one.velocities, one.keep_memory),
                (&other.name, other.velocities, other.keep_memory)
            );
            assert_eq!(
                (one.scene.end, one.scene.steps, one.scene.stop),
                (other.scene.end, other.scene.steps, other.scene.stop)
            );
            assert_eq!(
                (&one.scene.records, &one.scene.domain, &one.scene.names),
                (&other.scene.records, &other.scene.domain, &other.scene.names)
            );
        }
        // Written out once, nothing changes any more, but for the remark on where the step came from.
        let remark = |line: &str| line.find("  # auto").or(line.find("  # fraction = ")).unwrap_or(line.len());
        let plain = |text: &str| text.lines().map(|line| line[..remark(line)].to_owned()).collect();
        let (once, twice): (Vec<String>, Vec<String>) = (plain(&first.resolved), plain(&second.resolved));
        assert_eq!(once, twice);
    }
}

#[test]
fn bad_files_give_the_error_that_stands_in_them() {
    let files = toml_files("bad");
    assert!(files.len() >= 60, "found only {} bad files", files.len());
    let mut failures = Vec::new();
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("#! error: ")).collect();
        let line = text.lines().find_map(|line| line.strip_prefix("#! line: ")).map(|n| n.parse::<usize>().unwrap());
        assert!(!expected.is_empty(), "{} expects nothing", path.display());
        match load_any(&path) {
            Ok(()) => failures.push(format!("{} loads", path.display())),
            Err(error) => {
                let said = format!("{error} {}", error.advice().unwrap_or_default());
                let missing = expected.iter().find(|part| !said.contains(*part));
                if missing.is_some() || (line.is_some() && line != error.line()) {
                    failures.push(format!("{}\n  expected {expected:?} line {line:?}\n  got {said}", path.display()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn load_any(path: &Path) -> Result<(), InputError> {
    if is_probe(path) { probe_file::load(path).map(|_| ()) } else { scene::load(path)?.world().map(|_| ()) }
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let absent = scene::load(Path::new("there-is-no-such-scene.toml")).unwrap_err();
    assert!(absent.to_string().contains("there-is-no-such-scene.toml: there is no such file"));
    assert!(scene::load(&folder("good")).unwrap_err().to_string().contains("is a folder"));
    // A file with a `/` behind it, as a shell may complete it, had "Not a directory (os error 20)".
    #[cfg(unix)]
    for (behind, expected) in [("/", "leave the `/` at its end out"), ("/more.toml", "a part of this path is a file")] {
        let path = format!("{}{behind}", folder("good").join("24-wildcards.toml").display());
        let error = scene::load(Path::new(&path)).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains("os error"), "{error}");
    }
}

#[test]
fn an_error_shows_its_line_as_a_diagnostic() {
    let error = scene::load(&folder("bad").join("contact-twisting.toml")).unwrap_err();
    let mut shown = String::new();
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::none());
    handler.render_report(&mut shown, &error).unwrap();
    assert!(shown.contains("twisting = { law") && shown.contains("did you mean `spin`?"), "{shown}");
}

#[test]
fn steps_count_to_the_end_and_none_to_zero() {
    let scene = good("01-two-grains.toml");
    assert_eq!((scene.steps, scene.step_choice), (2000, scene::StepChoice::Given(0.02)));
    assert_eq!(good("09-motions.toml").steps, 0);
    assert_eq!(good("02-least.toml").steps, 1000);
    let numbers = good("14-numbers.toml");
    assert_eq!((numbers.end, numbers.setup.model.dt, numbers.steps), (16.0, 1.05, 16));
    assert_eq!(numbers.setup.bodies.position(0).to_array(), [7.0, 1.0, 0.0]);
}

/// A sweep over stiffness needed a step worked out by hand for every stiffness.
#[test]
fn a_fraction_of_the_critical_step_follows_the_stiffness() {
    let text = std::fs::read_to_string(folder("good").join("24-step-fraction.toml")).unwrap();
    let load = |text: &str| scene::load_text("scene.toml", text, Path::new("")).unwrap();
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    for stiffness in ["1e4", "4e4"] {
        let scene = load(&text.replace("1e4", stiffness));
        // Two spheres without a dashpot: 2/omega with omega^2 = 2 k/m. The last digits differ by how the mass is rounded.
        let critical = 2.0 / (2.0 * stiffness.parse::<f64>().unwrap() / mass).sqrt();
        let step = scene.setup.model.dt;
        assert!((step / (0.2 * critical) - 1.0).abs() < 1e-14, "{step}");
        assert!(check_text(&scene).contains("; 0.2 of the critical step"), "{}", check_text(&scene));
        // Rerun from its own text: the number, with where it comes from.
        assert!(scene.resolved.contains("  # fraction = 0.2 of the critical step"), "{}", scene.resolved);
        let again = load(&scene.resolved);
        assert_eq!((again.setup.model.dt, again.step_choice), (step, scene::StepChoice::Given(step)));
    }
    let large = load(&text.replace("0.2", "0.9"));
    assert!(large.warnings[0].contains("9 times the recommended"), "{:?}", large.warnings);
    assert!(check_text(&good("05-hertz.toml")).contains(" of the Rayleigh time "));
}

#[test]
fn a_step_too_large_is_a_warning_with_the_numbers() {
    let scene = good("11-step-too-large.toml");
    assert_eq!(scene.warnings.len(), 1);
    let warning = &scene.warnings[0];
    assert!(warning.contains("step 0.001 s is") && warning.contains("blow up"), "{warning}");
    assert!(good("12-size-mixture.toml").warnings.is_empty());
}

#[test]
fn mass_by_radius_keeps_the_mean_mass() {
    let scene = good("07-random.toml");
    let bodies = scene.setup.to_setup().bodies;
    let grains = &bodies[..100];
    let radius = |i: usize| grains[i].shape.radius().unwrap();
    let by_volume: f64 = grains.iter().map(|b| 2500.0 * b.shape.volume().unwrap()).sum();
    let by_radius: f64 = grains.iter().map(|b| b.mass.unwrap()).sum();
    assert!((by_radius / by_volume - 1.0).abs() < 1e-12);
    let ratio = grains[0].mass.unwrap() / grains[1].mass.unwrap();
    assert!((ratio / (radius(0) / radius(1)) - 1.0).abs() < 1e-12);
    assert_eq!(bodies[100].mass, None);
}

#[test]
fn random_tables_of_one_box_do_not_overlap() {
    let scene = good("13-mixture.toml");
    let bodies = &scene.setup.to_setup().bodies;
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[..i] {
            let reach = a.shape.radius().unwrap() + b.shape.radius().unwrap();
            assert!(a.position.distance(b.position) >= reach * (1.0 - 1e-12));
        }
    }
    assert_eq!(scene.notes.iter().filter(|note| note.contains("overlap")).count(), 0);
}

#[test]
fn check_prints_every_limit_as_a_formula_with_numbers() {
    let text = check_text(&good("01-two-grains.toml"));
    for part in [
        "Oblique collision of two grains",
        "2 (2 spheres, 2 free)",
        "2000 steps",
        "grain - grain",
        "|F| <= 0.3 N",
        "|M| <= 0.3 R_eff N = 0.075 m x N for R_eff = 0.25 m",
        "|M| <= 0.3 m x N",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let text = check_text(&good("11-step-too-large.toml"));
    assert!(text.contains("free (no law)") && text.contains("blow up"), "{text}");
}

/// `restitution = 0` was an error.
#[test]
fn a_restitution_of_zero_is_read_and_check_says_what_comes_out() {
    let text = std::fs::read_to_string(folder("good").join("01-two-grains.toml")).unwrap();
    let given = "stiffness = 1.0, damping = 0.5 }";
    assert_eq!(text.matches(given).count(), 1, "{text}");
    let load = |text: &str| scene::load_text("scene.toml", text, Path::new("")).unwrap();
    for (law, said) in [
        ("restitution = 0", "damping ratio 1 (restitution 0)"),
        // Without a pull no dashpot stops a rebound in full.
        ("restitution = 0.0, cohesionless = true", "(restitution 0.01), never pulls"),
        ("restitution = 0.25", "(restitution 0.25)"),
        ("damping_ratio = 0.2154536", "damping ratio 0.2155 (restitution 0.5)"),
    ] {
        let scene = load(&text.replace(given, &format!("stiffness = 1.0, {law} }}")));
        let found = check_text(&scene);
        assert!(found.contains(said), "{law}: {found}");
        assert_eq!(load(&scene.resolved).setup.to_setup(), scene.setup.to_setup(), "{law}");
    }
}

#[test]
fn check_prints_the_limits_of_viscous_rolling_and_of_the_area_laws() {
    let text = check_text(&good("15-area-laws.toml"));
    for part in [
        "viscous          M = 1e-6 N m s x w_r, no limit",
        "M = 1e-6 N m s x w_r, |M| <= 0.2 R_eff N sticking, 0.1 R_eff N slipping",
        // (2/3) 0.5 and (2/3) 0.4; (3 pi/16) 0.4.
        "marshall         |M| <= 0.3333 a N sticking, 0.2667 a N slipping, a = sqrt(R_eff d)",
        "lubkin           |M| <= 0.2356 a N, a = sqrt(R_eff d)",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn the_shear_modulus_of_lubkin_is_the_pairs() {
    let probe = probe_file::load(&folder("good").join("probe-03-lubkin.toml")).unwrap();
    // Equal materials: two springs in series, half of 29 GPa.
    assert!(matches!(probe.laws.spin, Some(Spin::Lubkin(law)) if law.shear_modulus == 14.5e9));
    // The torque per angle of spin: (16/3) G a^3 with a^2 = R_eff d = 0.0005 * 2e-7, to rounding.
    let rows = probe.run();
    let (last, start) = (&rows[30], &rows[10]);
    let stiffness = -(last.couple[2] - start.couple[2]) / (last.spin - start.spin);
    let a: f64 = (0.0005_f64 * 2e-7).sqrt();
    assert!((stiffness / (16.0 / 3.0 * 14.5e9 * a * a * a) - 1.0).abs() < 1e-9, "{stiffness}");
}

#[test]
fn streams_are_read_described_and_drawn_by_name() {
    let scene = good("16-streams.toml");
    let [first, second] = &scene.setup.model.inflows[..] else { panic!("two streams") };
    assert_eq!((first.rate.clone(), first.count, first.start), (Rate::Number(100.0.into()), 50, 0.01));
    assert_eq!((first.mould.radii(), second.mould.radii()), ([0.01; 2], [0.004, 0.008]));
    assert_eq!((second.start, second.mass_by_radius), (0.0, true));
    assert_ne!(first.places, second.places);
    assert!(scene.setup.model.outflow.is_some());
    let text = check_text(&scene);
    // 100 a second for 0.09 s; 30 a second for 0.1 s, the first at once.
    for part in [
        "stream   50 of \"grain\", radius 0.01 m, 100 a second from 0.01 s on (9 due before the end)",
        "stream   1000 of \"grain\", radius 0.004 to 0.008 m, 30 a second from 0 s on (3 due before the end)",
        "leaving: remove",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let alone = good("17-stream-alone.toml");
    assert!(alone.setup.bodies.is_empty() && alone.advice.is_some());
    assert!(alone.warnings[0].contains("starts at 1 s, but the run ends at 0.1 s"), "{:?}", alone.warnings);
}

/// Between any two of n materials the laws had to be written n (n + 1)/2 times.
#[test]
fn the_most_exact_contact_of_a_pair_counts() {
    let scene = good("24-wildcards.toml");
    let [glass, steel, floor, side] = [0, 1, 2, 3];
    let stiffness = |a: u16, b: u16| match scene.setup.model.laws.springs(a, b).unwrap().normal {
        Normal::Hooke(hooke) => hooke.stiffness,
        _ => f64::INFINITY,
    };
    assert_eq!(stiffness(glass, glass), f64::INFINITY);
    assert_eq!([steel, floor, side].map(|other| stiffness(glass, other)), [2e4; 3]);
    assert_eq!([steel, floor, side].map(|other| stiffness(steel, other)), [1e4; 3]);
    // What is equal is said once: all pairs without glass are free in all three motions.
    let notes: Vec<&String> = scene.notes.iter().filter(|note| note.contains("nothing resists")).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].contains("\"glass\" and \"glass\", \"steel\" and \"steel\", ")
            && notes[0].ends_with("slide, roll, spin")
    );
    // Walls of two materials never touch, and under ["*", "*"] a note said that nothing resists between them.
    for pair in ["\"floor\" and \"floor\"", "\"floor\" and \"side\"", "\"side\" and \"side\""] {
        assert!(!notes.iter().any(|note| note.contains(pair)), "{notes:?}");
    }
    // A plane without a position passes through the origin.
    assert_eq!(scene.setup.bodies.position(1).to_array(), [0.0; 3]);
}

/// The box of a LAMMPS file had to be typed into the scene, and all its grains were of one material.
#[test]
fn a_lammps_file_brings_its_box_and_its_types() {
    let scene = good("25-lammps-cell.toml");
    let frame = scene.setup.model.cell.as_ref().unwrap().frame;
    let columns = [frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis].map(|v| v.to_array());
    assert_eq!(columns, [[1.0, 0.0, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 2.0]]);
    assert_eq!((frame.corner.to_array(), frame.periodic), ([-0.5, -0.5, 0.0], [true; 3]));
    // By the ids of the files: types 1, 2, 2, 1, then 3, 1, then 12, 0 of the table.
    let [steel, glass] = [0, 1];
    let materials: Vec<u16> = (0..8).map(|id| scene.setup.bodies.material(id)).collect();
    assert_eq!(materials, [glass, steel, steel, glass, glass, glass, glass, steel]);
    // Where mass goes with the radius, each has the density of its own material: here both are of the same size.
    let bodies = scene.setup.to_setup().bodies;
    let [light, heavy] = [6, 7].map(|id: usize| bodies[id].mass.unwrap());
    assert!((heavy / light - 7800.0 / 2500.0).abs() < 4.0 * f64::EPSILON);
    // Types 1 and 3 of the dump are both glass, which may be a slip: it was not said.
    let shared: Vec<&String> = scene.notes.iter().filter(|note| note.contains("are all of the material")).collect();
    assert_eq!(shared, ["grains[1]: the types 1, 3 are all of the material \"glass\""], "{:?}", scene.notes);
    // Without [cell] nothing repeats, and a note says so; a box that repeats nowhere is no matter.
    let text = std::fs::read_to_string(folder("good").join("25-lammps-cell.toml")).unwrap();
    let open = scene::load_text("open.toml", &text.replace("[cell]", ""), &folder("good")).unwrap();
    assert!(open.setup.model.cell.is_none());
    let unused =
        |scene: &Scene| scene.notes.iter().filter(|note| note.contains("is not used")).cloned().collect::<Vec<_>>();
    assert_eq!(unused(&open).len(), 1, "{:?}", open.notes);
    assert!(unused(&open)[0].contains("\"typed.data\" and \"typed.dump\"") && unused(&scene).is_empty());
    assert_eq!(unused(&good("15-lammps.toml")).len(), 1);
}

/// `normal = "none"` was promised and not read: what passes through each other took far-away places or tiny stiffnesses.
#[test]
fn pairs_that_do_not_touch_need_no_laws_no_room_and_no_warning() {
    let scene = good("31-pass-through.toml");
    let laws = &scene.setup.model.laws;
    let [grain, tracer, floor, gate] = [0, 1, 2, 3];
    // The most exact table counts: the wildcard does not shine through.
    for (pair, touches) in [
        ([grain, grain], true),
        ([grain, tracer], false),
        ([tracer, tracer], false),
        ([grain, floor], true),
        ([tracer, floor], true),
        ([gate, grain], false),
        ([gate, gate], false),
    ] {
        assert_eq!((laws.touches(pair[0], pair[1]), laws.get(pair[0], pair[1]).is_some()), (touches, touches));
    }
    // The tracers fill 14 times their box; grains, which touch, do not overlap. The gate is deep inside both.
    let place = |id: usize| scene.setup.bodies.position(id);
    for i in 2..22 {
        assert!((2..i).all(|j| place(i).distance(place(j)) > 0.02), "{i}");
    }
    assert!(!scene.notes.iter().any(|note| note.contains("overlap")), "{:?}", scene.notes);
    let text = stickslip_io::scene::check_text(&scene);
    assert!(text.contains("grain - tracer\n  do not touch"), "{text}");
    let json = stickslip_io::scene::check_json(&scene);
    let pairs = json["pairs"].as_array().unwrap();
    let between = |a: &str, b: &str| pairs.iter().find(|pair| pair["between"] == serde_json::json!([a, b])).unwrap();
    assert_eq!(between("grain", "tracer")["normal"], "none");
    assert_eq!(between("grain", "grain")["normal"]["law"], "hooke");
    // A stage sets what has a law, and may take one away; the pairs that it does not name stay as they are.
    let stage = &scene.stages[0].scene.setup.model.laws;
    assert!(!stage.touches(grain, grain) && stage.touches(tracer, floor) && !stage.touches(tracer, gate));
    assert!(matches!(stage.springs(grain, floor).unwrap().normal, Normal::Hooke(hooke) if hooke.damping == 2.0));
    // The five of the stream come in at one place, at once.
    let mut world = scene.world().unwrap();
    world.advance(scene.steps).unwrap();
    assert_eq!(world.streams().next().unwrap().entered, 5);
    // It reads its own words again.
    let again = scene::load_text("resolved.toml", &scene.resolved, &folder("good")).unwrap();
    assert_eq!((&again.setup.model.laws, &again.stages[0].scene.setup.model.laws), (laws, stage));
    assert!(scene.resolved.contains("between = [\"grain\", \"tracer\"]\nnormal = \"none\""), "{}", scene.resolved);
}

/// All that stands in a scene may pass through all else.
#[test]
fn nothing_may_touch_at_all() {
    let text = std::fs::read_to_string(folder("good").join("31-pass-through.toml")).unwrap();
    let (head, rest) = text.split_once("[[contact]]").unwrap();
    let (first, bodies) = (rest.split("[[contact]]").next().unwrap(), rest.split_once("[[body]]").unwrap().1);
    let alone = format!("{head}[[contact]]{first}[[body]]{bodies}");
    let scene = scene::load_text("alone.toml", &alone, &folder("good")).unwrap();
    assert!(scene.notes.contains(&"nothing can touch".to_owned()), "{:?}", scene.notes);
    let rigid = alone.replace("step = 1e-5", "step = 1e-4") + "\n[method]\nkind = \"nonsmooth\"\n";
    for mut world in
        [scene, scene::load_text("rigid.toml", &rigid, &folder("good")).unwrap()].map(|s| s.world().unwrap())
    {
        world.advance(50).unwrap();
        assert_eq!(world.contact_count(), 0);
    }
}

/// Only eta was read, and what a pair then bears had to be worked out by hand.
#[test]
fn tracked_takes_the_limits_of_roll_and_spin() {
    let scene = good("32-tracked-limits.toml");
    let text = stickslip_io::scene::check_text(&scene);
    for line in [
        "  roll   tracked          |M| <= 0.2 R_eff N sticking, 0.16 R_eff N slipping",
        "  spin   tracked          |M| <= 0.1 R_eff N sticking, 0.08 R_eff N slipping",
        "  roll   tracked          |M| <= 0.02 m x N sticking, 0.016 m x N slipping",
        "  spin   tracked          |M| <= 0.01 m x N sticking, 0.008 m x N slipping",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // |M_r| <= 2 eta mu R_eff N: 0.2/(2 0.5). Of spin |M_s| <= eta mu R_eff N.
    assert!(scene.resolved.contains("roll = { eta = 0.2, damping"), "{}", scene.resolved);
    assert!(scene.resolved.contains("spin = { eta = 0.2, curvature = \"bodies\""), "{}", scene.resolved);
    assert!(scene.resolved.contains("roll = { length = 0.02, damping"), "{}", scene.resolved);
}

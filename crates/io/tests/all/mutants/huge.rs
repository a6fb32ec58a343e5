//! Files that are too large, too deep or too long, and what mutants have found: one test each.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use stickslip_io::scene::{self, InputError, Setting};
use stickslip_io::{checkpoint, run_reader};

use super::{corpus, targets};

const HEAD: &str = "[time]\nend = 0.01\n[material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
    normal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }\n";
const BODY: &str =
    "[[body]]\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\nposition = [0, 0, 0]\n";

/// The error of a text, which comes soon.
fn error_of(text: &str) -> InputError {
    let start = Instant::now();
    let error = scene::load_text("huge.toml", text, Path::new("nowhere")).unwrap_err();
    soon(start);
    assert_eq!(targets::scene(text.as_bytes(), Path::new("nowhere")), targets::Verdict::Refused);
    error
}

/// Room for a busy machine; these take milliseconds, or a second.
fn soon(start: Instant) {
    assert!(start.elapsed() < Duration::from_secs(30), "took {:?}", start.elapsed());
}

#[test]
fn files_of_100_megabytes_are_refused_by_their_size() {
    let folder = corpus::Folder::new();
    let path = folder.path().join("huge");
    File::create(&path).unwrap().set_len(100 << 20).unwrap();
    let start = Instant::now();
    assert!(scene::load(&path).unwrap_err().message().contains("100 MiB"));
    assert!(stickslip_io::probe_file::load(&path).unwrap_err().message().contains("100 MiB"));
    let list = |kind: &str| {
        let grains = format!(
            "{HEAD}[[grains]]\nmaterial = \"grain\"\nradius = 0.1\nplace = {{ kind = \"{kind}\", file = \"huge\" }}\n"
        );
        scene::load_text("list.toml", &grains, folder.path()).unwrap_err()
    };
    // A list of a million grains may have some 100 MiB.
    File::create(&path).unwrap().set_len(2 << 30).unwrap();
    for kind in ["file", "lammps"] {
        let error = list(kind);
        assert!(error.message().contains("2048 MiB") && error.line() == Some(11), "{error}");
    }
    // Not read to its end, since it does not begin like one.
    File::create(&path).unwrap().set_len(30 << 30).unwrap();
    assert!(checkpoint::Checkpoint::read(&path).unwrap_err().contains("is not a checkpoint"));
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
}

#[test]
fn deep_nesting_is_refused() {
    for deep in [
        format!("x = {}", "[".repeat(100_000)),
        format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("x = {}", "{a=".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(10_000)),
        format!("[{}a]", "a.".repeat(1_000_000)),
        format!("[[{}a]]", "a.".repeat(10_000)),
        format!("x = {{ {}a = 1 }}", "a.".repeat(10_000)),
    ] {
        let error = error_of(&format!("title = \"\"\n{deep}\n{HEAD}{BODY}"));
        assert!(error.line() == Some(2) && error.message().contains("more than 80 levels"), "{error}");
    }
}

#[test]
fn brackets_that_cheat_the_parsers_guard_are_refused() {
    // A scene of 40 kB ended every command that reads TOML with SIGABRT: inline tables without a key make the parser
    // forget how deep it is, and it descended until the stack was full.
    for depth in [8000, 100_000] {
        let open = ["{a=", "[", "{a=[{b="].map(|open| open.repeat(depth));
        let cheats = open.iter().flat_map(|open| ["{}", "[]"].map(|keyless| (keyless.repeat(depth), open)));
        for deep in cheats.map(|(keyless, open)| format!("y = {{ {keyless} a = {open}")) {
            let error = error_of(&format!("{HEAD}{BODY}{deep}"));
            assert!(error.line() == Some(12) && error.message().contains("more than 80 levels"), "{error}");
            let probe = stickslip_io::probe_file::load_text("probe.toml", &deep).unwrap_err();
            assert!(probe.line() == Some(1) && probe.message().contains("more than 80 levels"), "{probe}");
            let setting = Setting::parse(&format!("time.end={{ {deep} }}")).unwrap_err();
            assert!(setting.contains("is no value of TOML"), "{setting}");
            let folder = super::short_run();
            std::fs::write(folder.path().join("scene.toml"), &deep).unwrap();
            let run = run_reader::Run::open(folder.path()).unwrap_err().to_string();
            assert!(run.contains("scene.toml: line 1:") && run.contains("nest more than"), "{run}");
            for (scene, over) in [(&deep, &String::from("title = \"\"")), (&format!("{HEAD}{BODY}"), &deep)] {
                for (name, text) in [("scene.toml", scene), ("over.toml", over)] {
                    std::fs::write(folder.path().join(name), text).unwrap();
                }
                let [scene, over] = ["scene.toml", "over.toml"].map(|name| folder.path().join(name));
                let error = scene::load_variant(&scene, &over, None).unwrap_err();
                assert!(error.line() == Some(1) && error.message().contains("more than 80 levels"), "{error}");
            }
        }
    }
}

#[test]
fn a_key_of_a_sweep_with_20000_steps_is_refused() {
    // `sweep --set 'a.a.a...'` with 20,000 names overflowed the stack: each was one call.
    for key in [vec!["a"; 20_000].join("."), format!("a{}", "[0]".repeat(20_000))] {
        let error = Setting::parse(&format!("{key}=1")).unwrap_err();
        assert!(error.contains("at most 80 steps, found 2000") && error.len() < 300, "{error}");
    }
}

#[test]
fn json_that_nests_without_end_is_refused() {
    // run.json, sweep.json and the words of a checkpoint: the reader of JSON stops at 128 levels by itself.
    let deep = "[".repeat(100_000);
    let folder = super::short_run();
    let json = std::fs::read_to_string(folder.path().join("run.json")).unwrap();
    for text in [deep.clone(), json.replacen('{', &format!("{{\"more\": {deep},"), 1)] {
        std::fs::write(folder.path().join("run.json"), text).unwrap();
        assert!(stickslip_io::results::RunFolder::read_run(folder.path()).is_err());
    }
    std::fs::write(folder.path().join("sweep.json"), &deep).unwrap();
    assert!(stickslip_io::results::sweep::SweepJson::read(folder.path()).is_err());
    let scene = scene::load_text("scene", &format!("{HEAD}{BODY}"), folder.path()).unwrap();
    let sections = checkpoint::format::decode(&corpus::stepped(&scene, 1).to_bytes().unwrap()).unwrap();
    for name in ["traffic", "describe.bodies", "describe.materials", "describe.laws"] {
        let mut forged = sections.clone();
        forged
            .iter_mut()
            .filter(|section| section.name == name)
            .for_each(|section| section.bytes = deep.clone().into());
        let file = checkpoint::format::encode(&forged).unwrap();
        let error = checkpoint::Checkpoint::from_bytes(&file).unwrap_err();
        assert!(error.contains(&format!("its section `{name}`")), "{error}");
    }
}

#[test]
fn long_lines_are_shown_in_part() {
    // Two million letters before the place, and a name as long.
    let long = "x".repeat(2_000_000);
    assert_eq!(error_of(&format!("title = \"{long}\" y\n")).line(), Some(1));
    assert_eq!(error_of(&format!("{long} = 1\n{HEAD}{BODY}")).line(), Some(1));
    assert_eq!(error_of(&format!("{HEAD}{BODY}{long} = 1\n")).line(), Some(12));
    assert_eq!(error_of(&format!("{HEAD}{BODY}name = [{long}]\n")).line(), Some(12));
    assert_eq!(error_of(&format!("[{long}.{long}]\n{HEAD}{BODY}")).line(), Some(1));
}

#[test]
fn names_in_messages_are_cut() {
    // A message listed the names of all materials, of any length and number.
    let others: String = (0..200).map(|i| format!("[material.{}{i}]\ndensity = 1.0\n", "long".repeat(1000))).collect();
    let error = error_of(&format!("{HEAD}{others}{}", BODY.replace("grain", "foam")));
    assert!(error.to_string().len() + error.advice().map_or(0, str::len) < 2000, "{error}");
    // And the path to a key held names that the user chose.
    let error = error_of(&format!("{HEAD}{BODY}[material.{}]\ndensity = 0\n", "long".repeat(1000)));
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn a_name_of_a_list_as_long_as_a_book_is_shown_in_part() {
    // The error that the list could not be read held its whole name: 100 kB of message.
    let place = format!("place = {{ kind = \"file\", file = \"{}\" }}", "long ".repeat(20_000));
    let error = error_of(&format!("{HEAD}{BODY}[[grains]]\nmaterial = \"grain\"\nradius = 0.1\n{place}\n"));
    assert!(error.message().contains("found 100000 letters") && error.to_string().len() < 300, "{error}");
}

#[test]
fn many_contacts_are_read_soon() {
    // For each contact the lines of the file were counted, twice: 32896 of them took minutes.
    let names: Vec<String> = (0..256).map(|i| format!("m{i}")).collect();
    let materials: String = names.iter().map(|name| format!("[material.{name}]\ndensity = 1.0\n")).collect();
    let mut text = format!("[time]\nend = 0.01\n{materials}{}", BODY.replace("grain", "m0"));
    for (i, first) in names.iter().enumerate() {
        for second in &names[..=i] {
            text += &format!(
                "[[contact]]\nbetween = [\"{first}\", \"{second}\"]\nnormal = {{ law = \"hooke\", stiffness = 1e4, damping = 1.0 }}\n"
            );
        }
    }
    let start = Instant::now();
    scene::load_text("many.toml", &text, Path::new("nowhere")).unwrap();
    soon(start);
}

#[test]
fn records_have_an_end() {
    // Each keeps a file open: thousands were accepted, and failed when the folder was there already.
    let record = |i: usize| format!("[[record]]\nwhat = \"series\"\nevery = 0.1\nname = \"s{i}\"\n");
    let records: String = (0..20_000).map(record).collect();
    let error = error_of(&format!("{HEAD}{BODY}{records}"));
    assert!(error.message().contains("at most 256 records") && error.line() == Some(12 + 4 * 256), "{error}");
}

#[test]
fn counts_and_times_beyond_all_bounds_are_refused() {
    let grains = |count: &str, place: &str| {
        format!("{HEAD}[[grains]]\nmaterial = \"grain\"\nradius = 1e-4\n{count}\nplace = {{ kind = {place} }}\n")
    };
    for text in [
        grains("count = 1000000000000", "\"random\", from = [0, 0, 0], to = [1e9, 1e9, 1e9]"),
        grains("count = 9223372036854775807", "\"lattice\", from = [0, 0, 0]"),
        grains("", "\"lattice\", from = [0, 0, 0], to = [1e300, 1e300, 1e300]"),
        grains("", "\"lattice\", from = [-1e308, 0, 0], to = [1e308, 1, 1]"),
        HEAD.replace("end = 0.01", "end = 1e300\nstep = 1e-300") + BODY,
        HEAD.replace("end = 0.01", "end = 0.01\nstep = 5e-324") + BODY,
    ] {
        assert!(error_of(&text).line().is_some());
    }
    // As often as it is: every step.
    let often = format!("{HEAD}{BODY}[[record]]\nwhat = \"series\"\nevery = 5e-324\n");
    assert_eq!(targets::scene(often.as_bytes(), Path::new("nowhere")), targets::Verdict::Valid(1));
}

#[test]
fn a_stage_refuses_a_spin_that_is_no_number() {
    // Only position, velocity and orientation were looked at.
    let folder = corpus::Folder::new();
    let scene = scene::load_text("first", &format!("{HEAD}{BODY}"), folder.path()).unwrap();
    let mut checkpoint = corpus::stepped(&scene, 3);
    checkpoint.saved.bodies.row_mut("bodies.angular_velocity", 0)[2] = f64::NAN;
    checkpoint.write(&folder.path().join("forged.checkpoint")).unwrap();
    let stage = format!("start.from = \"forged.checkpoint\"\n{HEAD}");
    let error = scene::load_text("stage", &stage, folder.path()).unwrap_err();
    assert!(error.line() == Some(1) && error.message().contains("body 0 is not finite"), "{error}");
}

#[test]
fn a_run_with_a_broken_scene_is_refused_in_short() {
    // The message held the whole line, here 100 kB.
    let folder = super::short_run();
    std::fs::write(folder.path().join("scene.toml"), format!("title = 1\nx = {}\n", "[".repeat(100_000))).unwrap();
    let message = run_reader::Run::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains("scene.toml: line 2:") && message.len() < 400, "{message}");
}

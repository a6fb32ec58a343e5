//! Wrong input of every kind, thousands of files, the same ones each time: never a panic, never a hang, and every error
//! says where. `change.rs` breaks files, `corpus.rs` says which, `targets.rs` holds what must be true of each.
//!
//! The tests that are ignored do the same with many more files (`cargo xtask test --full`).

mod change;
mod corpus;
mod huge;
mod patrol;
mod properties;
mod targets;

use stickslip_io::checkpoint::format;
use stickslip_io::scene::{self, Scene};

use change::{Dice, change_bytes, change_fields, mutant};
use patrol::{Tally, patrol};
use targets::Verdict;

/// How many more mutants the long tests make.
const MANY: usize = 15;

/// Both outcomes must be common, or the mutants test little.
fn expect_both(tally: Tally) {
    let all = tally.refused + tally.valid;
    assert!(tally.refused > all / 20 && tally.valid > all / 20, "{tally:?}");
}

fn broken_scenes(name: &str, good: bool, seed: u64, count: usize) {
    let folder = corpus::surroundings();
    let scenes = corpus::scenes(good);
    assert!(scenes.len() > 30, "found only {} scenes", scenes.len());
    let donors = corpus::donors(&corpus::scenes(true));
    let mut next = 0;
    let make = |dice: &mut Dice| {
        loop {
            next += 1;
            let mutant = mutant(&scenes[next % scenes.len()], &donors, dice);
            if !corpus::is_large(&mutant) {
                break mutant;
            }
        }
    };
    let tally = patrol(name, seed, count, make, |bytes| targets::scene(bytes, folder.path()));
    if good {
        expect_both(tally);
    }
}

#[test]
fn broken_scenes_first_part() {
    broken_scenes("scenes 1", true, 1, 2000);
}

#[test]
fn broken_scenes_second_part() {
    broken_scenes("scenes 2", true, 2, 2000);
}

#[test]
fn broken_scenes_third_part() {
    broken_scenes("scenes 3", true, 3, 2000);
}

#[test]
fn broken_scenes_fourth_part() {
    broken_scenes("scenes 4", true, 4, 2000);
}

#[test]
fn bad_scenes_broken_once_more() {
    broken_scenes("bad scenes", false, 5, 1500);
}

#[test]
#[ignore = "minutes"]
fn many_more_broken_scenes() {
    broken_scenes("many scenes", true, 6, 8000 * MANY);
    broken_scenes("many bad scenes", false, 7, 1500 * MANY);
}

fn broken_variants(seed: u64, count: usize) {
    let folder = corpus::surroundings();
    let variants = corpus::variants();
    let donors = corpus::donors(&corpus::scenes(true));
    let make = |dice: &mut Dice| {
        let variant = dice.pick(&variants).cloned().unwrap_or_default();
        mutant(&variant, &donors, dice)
    };
    expect_both(patrol("variants", seed, count, make, |bytes| targets::variant(bytes, folder.path(), "heap.toml")));
}

fn broken_probes(seed: u64, count: usize) {
    let folder = corpus::Folder::new();
    let probes = corpus::probes();
    assert!(probes.len() > 10, "found only {} probes", probes.len());
    let donors = corpus::donors(&probes);
    let make = |dice: &mut Dice| {
        let probe = dice.pick(&probes).cloned().unwrap_or_default();
        mutant(&probe, &donors, dice)
    };
    expect_both(patrol("probes", seed, count, make, |bytes| targets::probe(bytes, folder.path())));
}

#[test]
fn variants_that_are_broken() {
    broken_variants(8, 500);
}

#[test]
fn probes_that_are_broken() {
    broken_probes(9, 1000);
}

#[test]
#[ignore = "minutes"]
fn many_more_broken_variants_and_probes() {
    broken_variants(10, 500 * MANY);
    broken_probes(11, 1000 * MANY);
}

/// Lists of grains: of one ending, with what their places need besides the file.
fn broken_lists(ending: &str, place: &str, separator: char, seed: u64, count: usize) {
    let folder = corpus::Folder::new();
    let lists: Vec<String> = ["crates/io/tests/input/good", "crates/io/tests/input/bad"]
        .iter()
        .flat_map(|folder| corpus::files(folder, ending))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let name = format!("list.{ending}");
    let make = |dice: &mut Dice| change_fields(dice.pick(&lists).map_or("", String::as_str), separator, dice);
    expect_both(patrol(&name, seed, count, make, |bytes| targets::list(bytes, folder.path(), &name, place)));
}

#[test]
fn lists_of_grains_that_are_broken() {
    broken_lists("csv", "", ',', 12, 600);
    broken_lists("dump", "", ' ', 14, 600);
    broken_lists("data", "", ' ', 13, 600);
}

#[test]
#[ignore = "minutes"]
fn many_more_broken_lists() {
    broken_lists("csv", "", ',', 15, 600 * MANY);
    broken_lists("dump", "", ' ', 16, 600 * MANY);
    broken_lists("data", "", ' ', 17, 600 * MANY);
}

/// Grains that touch under all kinds of friction, others that a stream brings, a plate that presses, a way out.
const SETTLING: &str = "gravity = [0, 0, -9.81]\n[time]\nend = 0.1\nstep = 1e-5\n[material.grain]\ndensity = 2500.0\n\
    [[contact]]\nbetween = [\"grain\", \"grain\"]\nnormal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }\n\
    slide = { law = \"spring-slider\", stiffness = 3e3, mu = 0.5 }\nroll = { law = \"spring-slider\", stiffness = 1e3, mu = 0.1 }\n\
    spin = { law = \"constant-torque\", mu = 0.1 }\n\
    [[body]]\nname = \"floor\"\nmaterial = \"grain\"\nshape = { kind = \"plane\", normal = [0, 0.1, 1] }\nposition = [0, 0, 0]\n\
    [[body]]\nname = \"plate\"\nmaterial = \"grain\"\nshape = { kind = \"rectangle\", normal = [0, 0, -1], size = [1, 1] }\n\
    position = [0, 0, 0.12]\nmotion = { servo = { axis = [0, 0, 1], force = -1.0 } }\n\
    [domain]\nfrom = [-1, -1, -1]\nto = [1, 1, 1]\nleaving = \"remove\"\n";
const GRAINS: &str = "[[grains]]\nmaterial = \"grain\"\nradius = 0.01\ncount = 40\n\
    place = { kind = \"lattice\", from = [0, 0, 0.0105], spacing = 0.01999 }\n\
    [[stream]]\nmaterial = \"grain\"\nradius = { min = 0.004, max = 0.008 }\nrate = 10000.0\ncount = 50\n\
    from = [-0.2, -0.2, 0.1]\nto = [-0.1, 0.2, 0.1]\n";

/// The settling scene, and two that go on from its checkpoint: as it was, and with another law.
fn settling() -> (Scene, [String; 2]) {
    let scene = scene::load_text("settling", &format!("{SETTLING}{GRAINS}"), std::path::Path::new("nowhere")).unwrap();
    let on = format!("start.from = \"forged.checkpoint\"\n{SETTLING}");
    // The same torque a radian, k R_eff^2. Its 1e3 N m/rad were above the stability limit, and the stage refused.
    let other =
        on.replace("roll = { law = \"spring-slider\", stiffness = 1e3", "roll = { law = \"epsd\", stiffness = 5e-3");
    (scene, [on, other])
}

/// Bytes of a checkpoint, flipped and cut, or with other content under checksums that are right.
fn forge(bytes: &[u8], sections: &[format::Section], dice: &mut Dice) -> Vec<u8> {
    if dice.roll(4) == 0 {
        return change_bytes(bytes, dice);
    }
    let mut sections = sections.to_vec();
    for _ in 0..[1, 1, 1, 3][dice.roll(4)] {
        let at = dice.roll(sections.len());
        match dice.roll(12) {
            0 => drop(sections.remove(at)),
            1 => {
                let other = dice.roll(sections.len());
                sections[at].bytes = sections[other].bytes.clone();
            }
            2..=4 => sections[at].bytes = change_bytes(&sections[at].bytes, dice),
            _ if sections[at].bytes.first().is_some_and(|byte| b"[{".contains(byte)) => {
                sections[at].bytes = change_fields(&String::from_utf8_lossy(&sections[at].bytes), ',', dice);
            }
            _ => forge_number(&mut sections[at].bytes, dice),
        }
    }
    format::encode(&sections).unwrap()
}

/// Eight bytes become another number: a count, a length, or a quantity that nothing can have.
fn forge_number(bytes: &mut [u8], dice: &mut Dice) {
    let odd = [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 1e308, 5e-324, 1e-9, 1.0 + 1e-9];
    let counts = [1, 2, 1 << 16, 1 << 32, 1 << 40, u64::MAX, i64::MAX as u64];
    let number = match dice.roll(3) {
        0 => counts[dice.roll(counts.len())],
        1 => odd[dice.roll(odd.len())].to_bits(),
        _ => dice.next(),
    };
    let words = bytes.len() / 8;
    let at = 8 * dice.roll(words);
    if let Some(word) = bytes.get_mut(at..at + 8) {
        word.copy_from_slice(&number.to_le_bytes());
    }
}

fn broken_checkpoints(seed: u64, count: usize) {
    let folder = corpus::Folder::new();
    let (scene, stages) = settling();
    let checkpoint = corpus::stepped(&scene, 150);
    assert!(checkpoint.saved.contacts.len() > 50 && !checkpoint.saved.traffic.arrivals.is_empty());
    let bytes = checkpoint.to_bytes().unwrap();
    let sections = format::decode(&bytes).unwrap();
    // As it is, it goes on: else its mutants would test little.
    checkpoint.write(&folder.path().join("forged.checkpoint")).unwrap();
    for stage in &stages {
        scene::load_text("stage", stage, folder.path()).unwrap().world().unwrap();
    }
    assert!(matches!(targets::checkpoint(&bytes, &scene.setup.to_setup(), &stages, folder.path()), Verdict::Valid(_)));
    let make = |dice: &mut Dice| forge(&bytes, &sections, dice);
    let setup = scene.setup.to_setup();
    let target = |bytes: &[u8]| targets::checkpoint(bytes, &setup, &stages, folder.path());
    expect_both(patrol("checkpoints", seed, count, make, target));
}

#[test]
fn checkpoints_that_are_broken_or_forged() {
    broken_checkpoints(18, 1500);
}

#[test]
#[ignore = "minutes"]
fn many_more_broken_checkpoints() {
    broken_checkpoints(19, 1500 * MANY);
}

const RECORDS: &str = "[[record]]\nwhat = \"bodies\"\nevery = \"step\"\n[[record]]\nwhat = \"contacts\"\nevery = \"step\"\n\
    format = \"parquet\"\n[[record]]\nwhat = \"walls\"\nevery = \"step\"\n[[record]]\nwhat = \"series\"\nevery = \"step\"\n";

/// A folder of a short run in which grains touch, with tables of both formats.
fn short_run() -> corpus::Folder {
    let folder = corpus::Folder::new();
    let text = "gravity = [0, 0, -9.81]\n[time]\nend = 2e-3\nstep = 1e-4\n[material.grain]\ndensity = 2500.0\n\
        [[contact]]\nbetween = [\"grain\", \"grain\"]\nnormal = { law = \"hooke\", stiffness = 1e4, restitution = 0.5 }\n\
        [[body]]\nname = \"floor\"\nmaterial = \"grain\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
        position = [0, 0, 0]\nmotion = \"fixed\"\n[[grains]]\nmaterial = \"grain\"\nradius = 0.01\ncount = 8\n\
        place = { kind = \"lattice\", from = [0, 0, 0.00999], spacing = 0.01999 }\n";
    let scene = scene::load_text("run", &(text.to_owned() + RECORDS), folder.path()).unwrap();
    corpus::run_of(&scene, folder.path());
    assert!(matches!(targets::run_folder(folder.path()), Verdict::Valid(_)));
    folder
}

fn broken_runs(seed: u64, count: usize) {
    let folder = short_run();
    let path = folder.path();
    for (place, name) in ["scene.toml", "bodies-fixed.csv", "bodies.csv", "walls.csv", "series.csv", "contacts.parquet"]
        .into_iter()
        .enumerate()
    {
        let good = std::fs::read(path.join(name)).unwrap();
        let make = |dice: &mut Dice| match std::str::from_utf8(&good) {
            Ok(text) if name == "scene.toml" => mutant(text, &[], dice),
            Ok(text) => change_fields(text, ',', dice),
            Err(_) => change_bytes(&good, dice),
        };
        patrol(name, seed + place as u64, count, make, |bytes| {
            std::fs::write(path.join(name), bytes).unwrap();
            targets::run_folder(path)
        });
        std::fs::write(path.join(name), good).unwrap();
    }
    let good = std::fs::read_to_string(path.join("run.json")).unwrap();
    let make = |dice: &mut Dice| {
        if dice.roll(2) == 0 { change_bytes(good.as_bytes(), dice) } else { change_fields(&good, ':', dice) }
    };
    expect_both(patrol("run.json", seed + 9, count, make, |bytes| targets::run_json(bytes, path)));
}

#[test]
fn run_folders_that_are_broken() {
    broken_runs(20, 300);
}

#[test]
#[ignore = "minutes"]
fn many_more_broken_run_folders() {
    broken_runs(40, 300 * MANY);
}

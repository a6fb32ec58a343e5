//! What must hold for any bytes at all, one function for each kind of input: what a fuzzer would call.
//!
//! Each takes bytes, and panics only if something is wrong with the program: a panic of its own, an error without a place
//! or a message, a resolved scene that is another scene.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use stickslip::World;
use stickslip::world::Setup;
use stickslip_io::checkpoint::Checkpoint;
use stickslip_io::probe_file;
use stickslip_io::results::RunFolder;
use stickslip_io::run_reader::{Held, Run};
use stickslip_io::scene::{self, InputError, Scene};

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Refused,
    /// With so many bodies, which take their time and memory.
    Valid(usize),
}

/// The most bytes of a message: it may not hold a whole file.
const LONGEST_MESSAGE: usize = 20_000;

/// An error must say where and what, and can be shown.
fn check_error(error: InputError) -> Verdict {
    assert!(!error.file().is_empty() && !error.message().is_empty(), "{error}");
    assert!(error.line().is_some(), "no place: {error}");
    let shown = format!("{:?}", miette::Report::new(error));
    assert!(
        shown.len() < LONGEST_MESSAGE,
        "{} bytes of message: {}",
        shown.len(),
        shown.get(..2000).unwrap_or_default()
    );
    Verdict::Refused
}

/// A scene file. `folder` holds what scenes refer to, and is written to.
pub fn scene(bytes: &[u8], folder: &Path) -> Verdict {
    let loaded = match std::str::from_utf8(bytes) {
        Ok(text) => scene::load_text("mutant.toml", text, folder),
        Err(_) => scene::load(&written(folder, "mutant.toml", bytes)),
    };
    match loaded {
        Ok(scene) => valid_scene(&scene, folder),
        Err(error) => check_error(error),
    }
}

/// A variant over a scene of the folder.
pub fn variant(bytes: &[u8], folder: &Path, over: &str) -> Verdict {
    match scene::load_variant(&folder.join(over), &written(folder, "variant.toml", bytes), None) {
        Ok(scene) => valid_scene(&scene, folder),
        Err(error) => check_error(error),
    }
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// What loads can be said in words, written out and read again, built, and stepped or refused.
fn valid_scene(scene: &Scene, folder: &Path) -> Verdict {
    assert!(scene::check_text(scene).contains("steps"));
    loads_again(scene, folder);
    let mut world = match scene.world() {
        Ok(world) => world,
        Err(error) => return check_error(error),
    };
    if scene.setup.bodies.len() <= 2000 {
        step_some(&mut world);
    }
    Verdict::Valid(scene.setup.bodies.len())
}

/// Some steps: they may end in trouble, which has something to say.
fn step_some(world: &mut World) {
    if let Err(trouble) = world.advance(5).and_then(|()| world.check_finite()) {
        assert!(!trouble.to_string().is_empty());
    }
}

/// The resolved scene is the same scene, and resolved it is the same text.
fn loads_again(scene: &Scene, folder: &Path) {
    if let Some(start) = &scene.start {
        start.write(folder).unwrap();
    }
    let again = scene::load_text("resolved.toml", &scene.resolved, folder)
        .unwrap_or_else(|error| panic!("the resolved scene is refused: {error}\n{}", shortened(&scene.resolved)));
    same("model", &scene.setup.model, &again.setup.model);
    same("bodies", &scene.setup.bodies, &again.setup.bodies);
    same("names", &(&scene.names, &scene.title, scene.seed), &(&again.names, &again.title, again.seed));
    same("time", &(scene.end, scene.steps, scene.stop), &(again.end, again.steps, again.stop));
    same("records", &(&scene.records, &scene.domain), &(&again.records, &again.domain));
    // Remarks on where the step and the start came from are all that may change.
    let plain = |text: &str| -> Vec<String> { text.lines().map(without_remark).collect() };
    same("text", &plain(&scene.resolved), &plain(&again.resolved));
}

fn without_remark(line: &str) -> String {
    let remarks = ["  # auto", "  # fraction = ", "  # was "];
    let start = remarks.iter().filter_map(|remark| line.find(remark)).min().unwrap_or(line.len());
    line[..start].to_owned()
}

fn same<T: Debug + PartialEq>(what: &str, first: &T, again: &T) {
    assert!(first == again, "{what} of the resolved scene differ: {}\n\n{}", short(first), short(again));
}

fn short(value: &impl Debug) -> String {
    shortened(&format!("{value:?}"))
}

fn shortened(text: &str) -> String {
    text.chars().take(4000).collect()
}

/// A probe file.
pub fn probe(bytes: &[u8], folder: &Path) -> Verdict {
    let loaded = match std::str::from_utf8(bytes) {
        Ok(text) => probe_file::load_text("probe.toml", text),
        Err(_) => probe_file::load(&written(folder, "probe.toml", bytes)),
    };
    match loaded {
        Err(error) => check_error(error),
        Ok(probe) => {
            let steps: u64 = probe.segments.iter().map(|segment| u64::from(segment.steps)).sum();
            if steps < 100_000 {
                assert_eq!(probe.run().len() as u64, 1 + steps);
            }
            Verdict::Valid(0)
        }
    }
}

/// A list of grains: a CSV file, or one of LAMMPS.
pub fn list(bytes: &[u8], folder: &Path, name: &str, place: &str) -> Verdict {
    let kind = if name.ends_with("csv") { "file" } else { "lammps" };
    written(folder, name, bytes);
    let text = format!(
        "[time]\nend = 1.0\nstep = 1e-6\n[material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e4, restitution = 0.5 }}\n\
         [[grains]]\nmaterial = \"grain\"\nplace = {{ kind = \"{kind}\", file = \"{name}\"{place} }}\n"
    );
    scene(text.as_bytes(), folder)
}

/// A checkpoint: into the world it came from, and as the start of scenes.
pub fn checkpoint(bytes: &[u8], setup: &Setup, stages: &[String], folder: &Path) -> Verdict {
    let checkpoint = match Checkpoint::from_bytes(bytes) {
        Ok(checkpoint) => checkpoint,
        Err(message) => {
            assert!(!message.is_empty() && message.len() < LONGEST_MESSAGE, "{message}");
            return Verdict::Refused;
        }
    };
    if let Ok(mut world) = World::restore(setup.clone(), &checkpoint.saved) {
        step_some(&mut world);
    }
    written(folder, "forged.checkpoint", bytes);
    let verdicts: Vec<Verdict> = stages.iter().map(|stage| scene(stage.as_bytes(), folder)).collect();
    if verdicts.contains(&Verdict::Refused) { Verdict::Refused } else { Verdict::Valid(setup.bodies.len()) }
}

/// The `run.json` of a folder.
pub fn run_json(bytes: &[u8], folder: &Path) -> Verdict {
    written(folder, "run.json", bytes);
    match RunFolder::read_run(folder) {
        Ok(_) => run_folder(folder),
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("run.json") && message.len() < LONGEST_MESSAGE, "{message}");
            Verdict::Refused
        }
    }
}

/// A run folder, read by all that `measure` reads.
pub fn run_folder(folder: &Path) -> Verdict {
    let refused = |error: stickslip_io::run_reader::ReadError| {
        let message = error.to_string();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(message.contains(&name) && message.len() < LONGEST_MESSAGE, "no place: {message}");
        Verdict::Refused
    };
    let run = match Run::open(folder) {
        Ok(run) => run,
        Err(error) => return refused(error),
    };
    let mut verdict = Verdict::Valid(0);
    let mut note = |result: Result<(), stickslip_io::run_reader::ReadError>| {
        if let Err(error) = result {
            verdict = refused(error);
        }
    };
    for held in [Held::Bodies, Held::Contacts, Held::Walls, Held::Series] {
        note(run.times(held).map(drop));
    }
    note(run.frames(&mut |_| true, &mut |frame| assert_eq!(frame.positions.len(), frame.radii.len())));
    note(run.frame_at(None).map(drop));
    note(run.bodies_and_contacts(None).map(drop));
    note(run.empty_times().map(drop));
    verdict
}

/// For the property tests: any bytes, as every kind of text.
pub fn any_text(bytes: &[u8], folder: &Path) {
    scene(bytes, folder);
    probe(bytes, folder);
    list(bytes, folder, "any.csv", "");
    list(bytes, folder, "any.data", "");
}

//! What is broken: every scene, variant, probe and list that the repository holds, and runs made of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use stickslip_io::checkpoint::{Checkpoint, Description, END};
use stickslip_io::results::{Recorder, RunFolder, RunInfo, RunJson};
use stickslip_io::scene::{self, Scene};

use super::change::{Structure, beyond_the_bare_parser};

/// An empty folder, removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("stickslip-mutants-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of a folder of the repository with this ending, in the order of their names.
pub fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == ending));
    files.sort();
    files
}

fn is_probe(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("probe"))
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

const GOOD: [&str; 3] = ["examples", "crates/io/tests/input/good", "crates/io/tests/santos"];
const BAD: &str = "crates/io/tests/input/bad";

/// The scenes: those that load, and those that must not, with fewer grains where there are many.
pub fn scenes(good: bool) -> Vec<String> {
    let folders = if good { &GOOD[..] } else { &[BAD] };
    let paths = folders.iter().flat_map(|folder| files(folder, "toml")).filter(|path| !is_probe(path));
    let heap = good.then(|| root().join("examples/compare/heap.toml"));
    paths.chain(heap).map(|path| fewer(&text(&path))).collect()
}

/// At most 60 grains a table, so that a mutant takes milliseconds.
fn fewer(text: &str) -> String {
    let line = |line: &str| match line.split_once('=') {
        Some((key, value)) if key.trim() == "count" => {
            let many = value.split('#').next().unwrap_or_default().trim().parse::<u64>().is_ok_and(|count| count > 60);
            if many { "count = 60".to_owned() } else { line.to_owned() }
        }
        _ => line.to_owned(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

pub fn probes() -> Vec<String> {
    let folders = [GOOD[0], GOOD[1], BAD];
    folders
        .iter()
        .flat_map(|folder| files(folder, "toml"))
        .filter(|path| is_probe(path))
        .map(|path| text(&path))
        .collect()
}

/// The variants of `examples/compare/heap.toml`.
pub fn variants() -> Vec<String> {
    let paths = files("examples/compare", "toml");
    paths.iter().filter(|path| !path.ends_with("heap.toml")).map(|path| text(path)).collect()
}

/// Values of all scenes, to be put where they do not belong.
pub fn donors(texts: &[String]) -> Vec<String> {
    let mut donors: Vec<String> = texts
        .iter()
        .flat_map(|text| Structure::of(text).values(text).into_iter().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    donors.sort();
    donors.dedup();
    donors
}

/// A folder with all that scenes refer to: lists of grains, and the run that one of the examples starts from.
pub fn surroundings() -> Folder {
    let folder = Folder::new();
    for path in [("csv"), ("data"), ("dump")].iter().flat_map(|ending| files(GOOD[1], ending)) {
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::write(folder.path().join("heap.toml"), fewer(&text(&root().join("examples/compare/heap.toml")))).unwrap();
    let settle = fewer(&text(&root().join("examples/12-settle.toml")));
    let settled = scene::load_text("settle", &settle, folder.path()).unwrap();
    let end = folder.path().join("runs/12-settle");
    fs::create_dir_all(&end).unwrap();
    stepped(&settled, 400).write(&end.join(END)).unwrap();
    folder
}

/// A checkpoint of a scene after some steps.
pub fn stepped(scene: &Scene, steps: u64) -> Checkpoint {
    let mut world = scene.world().unwrap();
    world.advance(steps).unwrap();
    Checkpoint::of(&world, &Description::new(&scene.setup, &scene.names))
}

/// The folder of a short run of a scene, as `stickslip run` leaves it, as far as others read it.
pub fn run_of(scene: &Scene, path: &Path) {
    let folder = RunFolder::create(path, false, &scene.records).unwrap();
    let mut json = RunJson::starting(&scene.title, Path::new("scene.toml"), &scene.resolved, &scene.records);
    json.step = scene.setup.model.dt;
    folder.write_scene(&scene.resolved).unwrap();
    let info = RunInfo::new(&scene.setup, &scene.names);
    let mut world = scene.world().unwrap();
    world.keep_rows(true);
    let mut recorder = Recorder::new(path, &scene.records, json.step, scene.steps, &info).unwrap();
    recorder.write(&world, false).unwrap();
    while world.steps() < scene.steps {
        world.advance(1).unwrap();
        recorder.write(&world, world.steps() == scene.steps).unwrap();
    }
    recorder.finish().unwrap();
    json.steps = world.steps();
    json.simulated_time = world.time();
    json.bodies = world.body_count();
    json.contacts = world.contact_count();
    json.ended = Some(json.started.clone());
    folder.write_run(&json).unwrap();
}

/// Whether a lattice in a scene has many sites but not too many: it would be sound, and take its time and memory.
pub fn is_large(scene: &[u8]) -> bool {
    let text = String::from_utf8_lossy(scene);
    if beyond_the_bare_parser(&text) {
        return false;
    }
    let Ok(table) = text.parse::<toml::Table>() else { return false };
    let grains = table.get("grains").and_then(toml::Value::as_array).into_iter().flatten();
    grains.filter_map(sites).any(|sites| (5e3..5e9).contains(&sites))
}

fn sites(grains: &toml::Value) -> Option<f64> {
    let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|whole| whole as f64));
    let place = grains.get("place")?;
    let corner = |key: &str| Some(place.get(key)?.as_array()?.iter().filter_map(number).collect::<Vec<_>>());
    let radius = grains.get("radius").and_then(|radius| number(radius.get("max").unwrap_or(radius)));
    let spacing = place.get("spacing").and_then(number).or(radius.map(|radius| 2.0 * radius))?;
    let (from, to) = (corner("from")?, corner("to")?);
    Some(from.iter().zip(&to).map(|(from, to)| ((to - from) / spacing).floor() + 1.0).product())
}

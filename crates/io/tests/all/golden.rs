//! Golden bits of files: examples, and checkpoints of version 1.
//!
//! **Examples.** Each scene in `examples/`, with fewer grains and often longer steps, runs on one and on three
//! threads until there is contact and ends with four committed hashes (`common/digest.rs` of the engine's tests says
//! what is in them). A scene that starts from another run starts from the shortened run of that scene.
//!
//! **Checkpoints.** `tests/golden/*.checkpoint` are states in the middle of the scenes beside them, in version 1 of the
//! format. The program of commit 451b1bd wrote them:
//!
//! - `solids.checkpoint` is of a run that goes on, with the marks of its files: `stickslip run solids.toml --threads
//!   1`, then `checkpoint-3000.checkpoint` of the run's folder;
//! - the others are of runs that have ended: the same with `time.end` set to 0.06 (`materials`, `tracked`), 0.12
//!   (`stream`) and 100 (`pressure`), then `end.checkpoint`.
//!
//! No test and no command of this project writes them again, and none should: they stand for the files that users have.
//! A version that reads them goes on from them to the hashes below. The hash of each file is below, too, so that a file
//! made by a later version is noticed.

#[path = "../../../engine/tests/all/common/digest.rs"]
mod digest;
mod hashes;

use std::path::{Path, PathBuf};

use stickslip::World;
use stickslip::random::fnv1a;
use stickslip_io::checkpoint::{Checkpoint, Description, END};
use stickslip_io::scene::{self, Scene, Setting, load_with};

use hashes::{CHECKPOINTS, EXAMPLES};

/// Of state, memory, ledger and rows.
type Hashes = [u64; 4];

/// Where the files of this test are.
fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads").install(work)
}

/// The world after this step, with the rows of it.
fn finished(mut world: World, steps: u64) -> World {
    world.advance(steps - 1 - world.steps()).expect("the scene stays sound");
    world.keep_rows(true);
    world.advance(1).expect("the scene stays sound");
    world
}

/// What is wrong with these hashes, if anything is.
fn complaint(name: &str, way: &str, expected: Hashes, found: Hashes) -> Option<String> {
    let changed: Vec<&str> = (0..4).filter(|&k| expected[k] != found[k]).map(|k| digest::NAMES[k]).collect();
    let line = || format!("{name}, {way}: {} changed\n        {},", changed.join(", "), digest::shown(found));
    (!changed.is_empty()).then(line)
}

// ---- examples ----

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-golden-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// The example of this name with some values changed; it starts from runs in this folder if it starts from any.
    fn load(&self, name: &str, changed: &[&str]) -> Scene {
        let file = format!("{name}.toml");
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        std::fs::copy(examples.join(&file), self.0.join(&file)).expect("an example");
        let settings: Vec<Setting> = changed.iter().map(|text| Setting::parse(text).expect("a setting")).collect();
        let settings: Vec<(&Setting, usize)> = settings.iter().map(|setting| (setting, 0)).collect();
        load_with(&self.0.join(file), &settings, None).expect("an example is right")
    }

    /// Leaves the end of a run of an example.
    fn keep(&self, name: &str, scene: &Scene, world: &World) {
        let run = self.0.join("runs").join(name);
        std::fs::create_dir_all(&run).expect("a folder");
        let description = Description::new(&scene.setup, &scene.names);
        Checkpoint::of(world, &description).write(&run.join(END)).expect("it can be written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn examples_have_their_golden_bits() {
    let folder = Folder::new();
    let mut complaints = Vec::new();
    for &(name, changed, steps, expected) in EXAMPLES {
        let scene = folder.load(name, changed);
        for (way, threads) in [("one thread", 1), ("three threads", 3)] {
            let world = on_threads(threads, || finished(scene.world().expect("a world"), steps));
            assert!(!world.rows().is_empty(), "{name} has no contacts after {steps} steps");
            complaints.extend(complaint(name, way, expected, on_threads(threads, || digest::all(&world))));
            folder.keep(name, &scene, &world);
        }
    }
    assert!(complaints.is_empty(), "the bits have changed:\n{}", complaints.join("\n"));
}

#[test]
fn every_example_has_golden_bits() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(examples).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let names = files.filter_map(|name| name.to_str()?.strip_suffix(".toml").map(str::to_owned));
    // Scenes have numbers; a probe has none.
    let mut names: Vec<String> = names.filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).collect();
    names.sort_unstable();
    let hashed: Vec<&str> = EXAMPLES.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, hashed);
}

// ---- checkpoints of version 1 ----

/// The scene of a checkpoint, and the file's bytes.
fn with_checkpoint(name: &str) -> (Scene, Vec<u8>) {
    let scene = scene::load(&golden().join(format!("{name}.toml"))).expect("the scene is right");
    let bytes = std::fs::read(golden().join(format!("{name}.checkpoint"))).expect("the file is there");
    (scene, bytes)
}

#[test]
fn checkpoints_of_version_1_go_on_to_the_same_bits() {
    let mut complaints = Vec::new();
    for &(name, file, steps, expected) in CHECKPOINTS {
        let (scene, bytes) = with_checkpoint(name);
        let hash = fnv1a(bytes.iter().copied());
        assert_eq!(hash, file, "{name}.checkpoint is not the file that was committed: {hash:#018x}");
        for (way, threads) in [("resumed on one thread", 1), ("resumed on three threads", 3)] {
            let hashes = on_threads(threads, || {
                let checkpoint = Checkpoint::from_bytes(&bytes).expect("version 1 is read");
                assert!(checkpoint.saved.step > 0 && checkpoint.saved.step < steps, "it is from the middle");
                assert!(checkpoint.saved.contacts.live.contains(&true), "it has contacts");
                let world = scene.world_at(&checkpoint.saved).expect("it is of this scene");
                digest::all(&finished(world, steps))
            });
            complaints.extend(complaint(name, way, expected, hashes));
        }
        let straight = on_threads(1, || digest::all(&finished(scene.world().expect("a world"), steps)));
        complaints.extend(complaint(name, "never stopped", expected, straight));
    }
    assert!(complaints.is_empty(), "the bits have changed:\n{}", complaints.join("\n"));
}

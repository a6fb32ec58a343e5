//! Golden bits: small scenes of everything the engine can do, each with four committed hashes.
//!
//! The hashes are of the state, of what contacts remember, of the ledger and of the rows of contacts after a few
//! hundred steps (`common/digest.rs` says what is in each). Every scene runs on one thread, on three, and with a save
//! and a restore in the middle: all must end with the same bits. A change of the engine that changes a hash says in
//! its commit which arithmetic changed and why; a test that fails prints the lines that `golden/hashes.rs` would
//! need.
//!
//! The scenes are physics at its busiest, not physics worth a measurement: dense, fast and short. Examples and
//! checkpoint files have their golden bits in `stickslip-io`'s tests.

mod hashes;
mod packings;
mod scenes;

use crate::common::digest;
use glam::DVec3;
use hashes::HASHES;
use stickslip::World;
use stickslip::body::{Oscillation, Prescribed};
use stickslip::error::Trouble;
use stickslip::world::Setup;
use stickslip::{Body, Motion};

/// A setup and how far it runs.
pub struct Scene {
    /// As in the table of hashes.
    name: &'static str,
    setup: Setup,
    steps: u64,
    /// How many rows of contacts it has at its end, at least.
    least_rows: usize,
}

/// Hashes of a world that ran to its last step, with the rows of that step.
type Run = fn(Setup, u64) -> World;

fn finished(mut world: World, steps: u64) -> World {
    world.advance(steps - 1 - world.steps()).expect("the scene stays sound");
    world.keep_rows(true);
    world.advance(1).expect("the scene stays sound");
    world
}

fn straight(setup: Setup, steps: u64) -> World {
    finished(World::new(setup).expect("the scene makes a world"), steps)
}

/// Saved and restored in the middle.
fn in_two_parts(setup: Setup, steps: u64) -> World {
    let mut first = World::new(setup.clone()).expect("the scene makes a world");
    first.advance(steps / 2).expect("the scene stays sound");
    finished(World::restore(setup, &first.save()).expect("it was saved"), steps)
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads").install(work)
}

/// What is wrong with these hashes of a scene, if anything is.
fn complaint(name: &str, way: &str, found: [u64; 4]) -> Option<String> {
    let expected = HASHES.iter().find(|(scene, _)| *scene == name).map(|(_, hashes)| *hashes);
    if expected == Some(found) {
        return None;
    }
    let old = expected.unwrap_or_default();
    let changed: Vec<&str> = (0..4).filter(|&k| old[k] != found[k]).map(|k| digest::NAMES[k]).collect();
    Some(format!("    ({name:?}, {}),  // {way}: {} changed", digest::shown(found), changed.join(", ")))
}

/// Runs every scene in three ways and lists all that differs.
fn check(scenes: Vec<Scene>) {
    let ways: [(&str, usize, Run); 3] =
        [("one thread", 1, straight), ("three threads", 3, straight), ("restored in the middle", 1, in_two_parts)];
    let mut complaints = Vec::new();
    for Scene { name, setup, steps, least_rows } in scenes {
        for (way, threads, run) in ways {
            let world = on_threads(threads, || run(setup.clone(), steps));
            let rows = world.rows().len();
            assert!(rows >= least_rows, "{name}: {rows} rows after {steps} steps");
            complaints.extend(complaint(name, way, on_threads(threads, || digest::all(&world))));
        }
    }
    assert!(complaints.is_empty(), "the bits have changed:\n{}", complaints.join("\n"));
}

#[test]
fn every_law_has_its_golden_bits() {
    check(packings::every_law());
}

#[test]
fn options_of_laws_have_their_golden_bits() {
    check(packings::every_option());
}

#[test]
fn pairs_of_materials_have_their_golden_bits() {
    check(vec![packings::materials(), packings::symplectic()]);
}

#[test]
fn solids_have_their_golden_bits() {
    check(scenes::solids());
}

#[test]
fn cells_have_their_golden_bits() {
    check(packings::cells());
}

#[test]
fn walls_have_their_golden_bits() {
    check(scenes::walls());
}

#[test]
fn streams_have_their_golden_bits() {
    check(scenes::traffic());
}

#[test]
fn loads_locks_and_local_damping_have_their_golden_bits() {
    check(scenes::loads());
}

/// The failing step is the last one that is done and counted; the steps before it were sound.
#[test]
fn a_run_that_fails_has_its_golden_bits() {
    let expected = "body 256 and body 292 overlap by 2.732e-1 m, more than half the smaller radius of 4.816e-1 m, at \
                    time 1.550000e-2 s (step 31). The likely cause is a collision too fast for the stiffness: they \
                    still approach at 1.165e2 m/s. Make the normal stiffness larger, or the bodies slower";
    for (threads, way) in [(1, "one thread"), (3, "three threads")] {
        let (world, trouble) = on_threads(threads, || {
            let mut world = World::new(scenes::too_fast()).expect("the scene makes a world");
            world.keep_rows(true);
            let trouble = loop {
                assert!(world.steps() < 1000, "it should have failed");
                if let Err(trouble) = world.step() {
                    break trouble;
                }
            };
            (world, trouble)
        });
        let Trouble::Overlap { step, .. } = trouble else { panic!("{trouble}") };
        assert_eq!(world.steps(), step, "the failing step is counted");
        assert_eq!(trouble.to_string(), expected, "{way}");
        assert_eq!(complaint("a run that fails", way, digest::all(&world)), None, "the bits have changed");
        // In the middle of a call the same step fails in the same words.
        let again = on_threads(threads, || World::new(scenes::too_fast()).expect("a world").advance(1000));
        assert_eq!(again.expect_err("it fails").to_string(), expected);
    }
}

/// The same walls, but the floor shakes.
fn shaken(mut setup: Setup) -> Setup {
    let shake = Oscillation { axis: DVec3::X, amplitude: 0.05, frequency: 20.0, phase: 0.2 };
    setup.bodies[0].motion = Motion::Prescribed(Prescribed { oscillate: Some(shake), ..Prescribed::default() });
    setup
}

/// A stage that starts from the end of a run.
fn stage(setup: Setup, steps: u64) -> World {
    let first = straight(setup.clone(), steps);
    finished(World::restart(shaken(setup), &first.save()).expect("a stage"), steps)
}

/// A new world that takes over the places of bodies and what contacts remember.
fn with_memory(setup: Setup, steps: u64) -> World {
    let first = straight(setup.clone(), steps);
    let mut next = shaken(setup);
    for (body, id) in next.bodies.iter_mut().zip(0..) {
        let now = first.body(id);
        *body = Body { position: now.position, orientation: now.orientation, velocity: now.velocity, ..body.clone() };
    }
    finished(World::with_memory(next, &first.remembered()).expect("a world"), steps)
}

#[test]
fn stages_have_their_golden_bits() {
    let ways: [(&str, Run); 2] = [("a stage", stage), ("memory taken over", with_memory)];
    let mut complaints = Vec::new();
    for (name, run) in ways {
        for (way, threads) in [("one thread", 1), ("three threads", 3)] {
            let Scene { setup, steps, .. } = packings::materials();
            complaints.extend(complaint(name, way, on_threads(threads, || digest::all(&run(setup, steps)))));
        }
    }
    assert!(complaints.is_empty(), "the bits have changed:\n{}", complaints.join("\n"));
}

/// Bodies that a caller takes out and puts in between steps.
#[test]
fn bodies_put_in_by_hand_have_their_golden_bits() {
    for (way, threads) in [("one thread", 1), ("three threads", 3)] {
        let hashes = on_threads(threads, || {
            let Scene { setup, steps, .. } = packings::materials();
            let grain = setup.bodies[20].clone();
            let mut world = World::new(setup).expect("the scene makes a world");
            world.advance(steps / 3).expect("sound");
            world.remove(&[20, 21, 150, 288]);
            let places = [1.0, 2.5, 4.0].map(|x| DVec3::new(x, 2.0, 9.5));
            let arriving = places.map(|position| Body { position, velocity: DVec3::Z * -20.0, ..grain.clone() });
            world.insert(&arriving).expect("there is room above");
            digest::all(&finished(world, steps))
        });
        assert_eq!(complaint("put in by hand", way, hashes), None, "the bits have changed");
    }
}

/// A name that stands twice, or in no scene, would never be compared.
#[test]
fn every_golden_hash_is_of_one_scene() {
    let by_hand = ["a run that fails", "a stage", "memory taken over", "put in by hand"];
    let lists = [
        packings::every_law(),
        packings::every_option(),
        vec![packings::materials(), packings::symplectic()],
        packings::cells(),
        scenes::solids(),
        scenes::walls(),
        scenes::traffic(),
        scenes::loads(),
    ];
    let mut scenes: Vec<&str> = lists.iter().flatten().map(|scene| scene.name).chain(by_hand).collect();
    let mut hashed: Vec<&str> = HASHES.iter().map(|(name, _)| *name).collect();
    scenes.sort_unstable();
    hashed.sort_unstable();
    assert_eq!(scenes, hashed);
}

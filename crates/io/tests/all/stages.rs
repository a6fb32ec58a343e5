//! Stages: a scene that starts from another run's end.

use std::path::{Path, PathBuf};

use glam::DVec3;
use stickslip::World;
use stickslip::body::Motion;
use stickslip::law::Motions;
use stickslip::world::ContactKey;
use stickslip_io::checkpoint::{Checkpoint, Description, END};
use stickslip_io::results::{Ending, RunFolder, RunJson};
use stickslip_io::scene::{self, InputError, Scene, check_text};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stickslip-stages-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn load(&self, text: &str) -> Result<Scene, InputError> {
        scene::load_text("stage.toml", text, &self.0)
    }

    /// Runs a scene for some steps and leaves its checkpoint in a folder of this name.
    fn run(&self, name: &str, text: &str, steps: u64) -> World {
        let scene = self.load(text).unwrap();
        let mut world = scene.world().unwrap();
        world.advance(steps).unwrap();
        let path = self.0.join(name);
        std::fs::create_dir_all(&path).unwrap();
        let description = Description::new(&scene.setup, &scene.names);
        Checkpoint::of(&world, &description).write(&path.join(END)).unwrap();
        world
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LAWS: &str = "normal = { law = \"hooke\", stiffness = 1e4, restitution = 0.3 }\n\
    slide = { law = \"spring-slider\", stiffness = 3e3, damping_ratio = 0.3, mu = 0.5 }\n\
    roll = { law = \"spring-slider\", stiffness = 1e3, damping_ratio = 0.3, mu = 0.2 }\n\
    spin = { law = \"spring-slider\", stiffness = 0.01, damping_ratio = 0.3, mu = 0.2 }\n";

/// The spring of the slide law in a contact's memory, which follows the bits.
fn slide_of(numbers: &[f64]) -> DVec3 {
    DVec3::from_slice(&numbers[1..4])
}

/// What every scene of these tests begins with.
fn head(laws: &str) -> String {
    format!(
        "gravity = [0.5, 0.0, -9.81]\n[time]\nend = 1.0\nstep = 5e-5\n[material.wall]\ndensity = 2500.0\n\
         [material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n{laws}\
         [[contact]]\nbetween = [\"wall\", \"grain\"]\n{laws}"
    )
}

fn floor(more: &str) -> String {
    format!(
        "[[body]]\nname = \"floor\"\nmaterial = \"wall\"\nshape = {{ kind = \"plane\", normal = [0, 0, 1] }}\n{more}\n\
         [[body]]\nmaterial = \"wall\"\nshape = {{ kind = \"plane\", normal = [-1, 0, 0.1] }}\nposition = [0.05, 0, 0]\n"
    )
}

const AT: &str = "position = [0, 0, 0]\n";

const GRAINS: &str = "[[grains]]\nmaterial = \"grain\"\ncount = 300\nradius = { min = 0.004, max = 0.006 }\nvelocity = [0, 0, -1.5]\n\
    place = { kind = \"random\", from = [-0.04, -0.04, 0.006], to = [0.04, 0.04, 0.07] }\n";

fn settle() -> String {
    head(LAWS) + &floor(AT) + GRAINS
}

fn stage(start: &str, laws: &str, walls: &str, more: &str) -> String {
    head(laws) + &format!("[start]\nfrom = \"settle\"\n{start}\n") + walls + more
}

fn same_bodies(a: &World, b: &World) -> bool {
    let rows = |world: &World| -> Vec<String> {
        (0..world.body_count() as u32).map(|id| format!("{:?}", world.body(id))).collect()
    };
    rows(a) == rows(b)
}

#[test]
fn settle_and_stage_are_one_longer_run() {
    let folder = Folder::new("longer");
    let mut whole = folder.run("settle", &settle(), 500);
    assert!(whole.contact_count() > 50, "{}", whole.contact_count());
    for walls in [floor(AT), floor("")] {
        let scene = folder.load(&stage("", LAWS, &walls, "")).unwrap();
        assert!(scene.start.as_ref().unwrap().is_exact(), "{:?}", scene.notes);
        let mut stage = scene.world().unwrap();
        assert!(same_bodies(&whole, &stage));
        assert_eq!((stage.steps(), stage.ledger().total_lost()), (0, 0.0));
        assert_eq!(stage.unbalanced_force().to_bits(), whole.unbalanced_force().to_bits());
        assert_eq!(stage.rows().len(), stage.contact_count());
        let mut longer = whole.clone();
        longer.advance(500).unwrap();
        stage.advance(500).unwrap();
        assert!(same_bodies(&longer, &stage));
        assert_eq!(longer.remembered(), stage.remembered());
    }
    whole.advance(1).unwrap();
}

#[test]
fn a_resolved_stage_stands_alone() {
    let folder = Folder::new("resolved");
    folder.run("settle", &settle(), 300);
    let shake = "motion = { oscillate = { axis = [1, 0, 0], amplitude = 0.01, frequency = 10.0 } }\n";
    let first = folder.load(&stage("", LAWS, &floor(shake), "")).unwrap();
    assert!(first.resolved.contains("from = \"start.checkpoint\"  # was settle"), "{}", first.resolved);
    let run = Folder::new("resolved-run");
    first.start.as_ref().unwrap().write(&run.0).unwrap();
    let second = run.load(&first.resolved).unwrap();
    assert_eq!((&first.setup, &first.names), (&second.setup, &second.names));
    let [mut one, mut other] = [&first, &second].map(|scene| scene.world().unwrap());
    one.advance(100).unwrap();
    other.advance(100).unwrap();
    assert!(same_bodies(&one, &other) && one.body(0).position.x > 0.0);
    // A checkpoint that has changed is noticed.
    folder.run("settle", &settle(), 301);
    std::fs::copy(folder.0.join("settle").join(END), run.0.join("start.checkpoint")).unwrap();
    let error = run.load(&first.resolved).unwrap_err();
    assert!(error.message().contains("start.checkpoint has changed: its hash is fnv1a64-"), "{error}");
}

/// The floor shakes: the same as putting the saved state into a world whose floor has that motion.
#[test]
fn a_shaken_stage_is_what_the_engine_does_by_hand() {
    let folder = Folder::new("shaken");
    let settled = folder.run("settle", &settle(), 500);
    let shake = "motion = { oscillate = { axis = [1, 0, 0], amplitude = 0.01, frequency = 10.0 } }\n";
    let scene = folder.load(&stage("", LAWS, &floor(shake), "")).unwrap();
    let mut by_hand = folder.load(&settle()).unwrap().setup.to_setup();
    by_hand.bodies[0].motion = scene.setup.bodies.get(0).motion;
    assert!(matches!(by_hand.bodies[0].motion, Motion::Prescribed(_)));
    let mut by_hand = World::restart(by_hand, &settled.save()).unwrap();
    let mut stage = scene.world().unwrap();
    by_hand.advance(500).unwrap();
    stage.advance(500).unwrap();
    assert!(same_bodies(&by_hand, &stage));
    let text = check_text(&scene);
    assert!(text.contains("300 bodies come over") && text.contains("\"floor\", body 1"), "{text}");
    assert!(text.contains("to the bit"), "{text}");
}

#[test]
fn velocities_and_memory_may_be_dropped() {
    let folder = Folder::new("dropped");
    let settled = folder.run("settle", &settle(), 500);
    let load = |start: &str| folder.load(&stage(start, LAWS, &floor(""), "")).unwrap();
    let still = load("velocities = \"zero\"");
    let world = still.world().unwrap();
    assert!(!still.start.unwrap().is_exact());
    assert_eq!(world.ledger().kinetic, 0.0);
    assert_eq!(world.body(9).position, settled.body(9).position);
    // Loads at zero velocity are those of springs: memory has come along.
    let slid =
        |world: &World| world.remembered().iter().filter(|(_, _, numbers)| slide_of(numbers).length() > 0.0).count();
    assert!(slid(&world) > 20);
    let forgetful = load("memory = \"drop\"");
    let world = forgetful.world().unwrap();
    assert_eq!((slid(&world), world.body(9).velocity), (0, settled.body(9).velocity));
    assert!(check_text(&forgetful).contains("memory is dropped"));
}

#[test]
fn memory_of_another_kind_of_law_is_dropped_for_that_motion() {
    let folder = Folder::new("kinds");
    let settled = folder.run("settle", &settle(), 500);
    let laws = LAWS.replace(
        "roll = { law = \"spring-slider\", stiffness = 1e3, damping_ratio = 0.3, mu = 0.2 }",
        "roll = { law = \"epsd\", stiffness = 1e-3, mu = 0.2 }",
    );
    let scene = folder.load(&stage("", &laws, &floor(""), "")).unwrap();
    let note = "between \"grain\" and \"grain\" the roll law was \"spring-slider\" and is \"epsd\" now";
    assert!(scene.notes.iter().any(|text| text.contains(note)), "{:?}", scene.notes);
    let world = scene.world().unwrap();
    let (old, new) = (settled.remembered(), world.remembered());
    assert_eq!(old.len(), new.len());
    for ((key, _, old), (new_key, _, new)) in old.iter().zip(new.iter()) {
        assert_eq!(key, new_key);
        assert_eq!(new[4], 0.0);
        // The step of length zero at the start keeps springs below their limit as they are, to rounding.
        let slide = slide_of(old).distance(slide_of(new));
        assert!(slide <= 1e-12 || Motions::SLIDE.slip_in(old[0].to_bits()), "{slide}");
    }
    // Other parameters of the same law: kept, and to the bit.
    let softer = LAWS.replace("stiffness = 3e3", "stiffness = 2e3");
    assert!(folder.load(&stage("", &softer, &floor(""), "")).unwrap().start.unwrap().is_exact());
}

#[test]
fn ids_are_tables_then_what_comes_over_then_grains() {
    let folder = Folder::new("ids");
    // A ball before the walls: it gets another id, and lies on the other side of its pair with the floor.
    let ball = "[[body]]\nname = \"ball\"\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\n\
                position = [0, 0, 0.00999]\nvelocity = [0.1, 0, 0]\nlock = [\"rz\"]\nmass = 0.02\n";
    let settled = folder.run("settle", &(head(LAWS) + ball + &floor(AT)), 200);
    let more = "[[grains]]\nmaterial = \"grain\"\ncount = 5\nradius = 0.005\n\
                place = { kind = \"random\", from = [-0.04, -0.04, 0.1], to = [0.04, 0.04, 0.2] }\n";
    let scene = folder.load(&stage("", LAWS, &floor(""), more)).unwrap();
    let names: Vec<_> = scene.names.iter().map(|name| name.as_deref()).collect();
    assert_eq!(names, [Some("floor"), None, Some("ball")]);
    let body = scene.setup.bodies.get(2);
    assert_eq!((scene.setup.bodies.len(), body.mass, body.lock[5]), (8, Some(0.02), true));
    assert_eq!(body.position, settled.body(0).position);
    let world = scene.world().unwrap();
    let (old, new) = (settled.remembered(), world.remembered());
    let key = |a, b| ContactKey { a, b, feature: 0 };
    assert_eq!((old.keys[0], new.keys[0]), (key(0, 1), key(0, 2)));
    // Seen from the other side; it has slipped, so it is at the limit and keeps only its direction to rounding.
    assert!(
        slide_of(old.numbers_of(0)).normalize().dot(slide_of(new.numbers_of(0)).normalize()) < -0.999_999,
        "{old:?} {new:?}"
    );
    assert!(scene.notes.iter().any(|note| note.contains("numbered otherwise")), "{:?}", scene.notes);
    assert!(scene.notes.iter().all(|note| !note.contains("overlap")), "{:?}", scene.notes);
}

#[test]
fn a_wall_takes_the_place_it_had_at_the_end() {
    let folder = Folder::new("place");
    let moving = format!("{AT}motion = {{ velocity = [0, 0, 0.01], angular_velocity = [0, 0.1, 0] }}\n");
    let settled = folder.run("settle", &(head(LAWS) + &floor(&moving) + GRAINS), 400);
    let scene = folder.load(&stage("", LAWS, &floor(""), "")).unwrap();
    assert_eq!(scene.setup.bodies.get(0).position, settled.body(0).position);
    assert_eq!(scene.setup.bodies.get(0).orientation, settled.body(0).orientation);
    assert!(scene.setup.bodies.get(0).position.z > 1e-5 && scene.start.unwrap().is_exact());
    let elsewhere = folder.load(&stage("", LAWS, &floor("position = [0, 0, -0.001]\n"), "")).unwrap();
    assert!(!elsewhere.start.as_ref().unwrap().is_exact());
    assert!(elsewhere.notes.iter().any(|note| note.contains("does not stand where it stood")), "{:?}", elsewhere.notes);
    elsewhere.world().unwrap().advance(10).unwrap();
}

#[test]
fn what_does_not_fit_is_said_with_both_files() {
    let folder = Folder::new("errors");
    folder.run("settle", &settle(), 10);
    let error = |text: &str| folder.load(text).unwrap_err();
    let renamed = stage("", LAWS, &floor(""), "").replace("grain", "gravel");
    let found = error(&renamed);
    assert!(found.to_string().starts_with("stage.toml:22: start.from: body 2 of "), "{found}");
    assert!(
        found.message().contains("end.checkpoint is of material \"grain\", and here is no [material.grain]"),
        "{found}"
    );
    // Neither a position nor a wall of that name.
    let nameless = stage("", LAWS, &floor("").replace("floor", "ground"), "");
    let found = error(&nameless);
    assert!(found.message().contains("the key `position` is missing"), "{found}");
    // It once did not say that the name was the reason.
    assert!(found.message().contains("has no wall \"ground\"; its walls: \"floor\""), "{found}");
    let run = folder.0.join("unfinished");
    std::fs::create_dir_all(&run).unwrap();
    let mut json = RunJson::starting("", Path::new("a.toml"), "", &[]);
    let unfinished = stage("", LAWS, &floor(AT), "").replace("\"settle\"", "\"unfinished\"");
    for (ending, advice) in
        [(Ending::Running, "if it was killed, go on with it"), (Ending::Failed("x".into()), "mend and repeat")]
    {
        json.ending = ending;
        std::fs::write(run.join("run.json"), serde_json::to_string(&json).unwrap()).unwrap();
        let error = error(&unfinished);
        assert!(error.message().contains("has left no end.checkpoint"), "{error}");
        assert!(error.advice().unwrap().contains(advice), "{error}");
    }
    assert!(RunFolder::read_run(&run).is_ok());
    let hash = stage("hash = \"fnv1a64-0\"", LAWS, &floor(AT), "");
    assert!(error(&hash).message().contains("has changed"));
    // A free body of the same name comes over already.
    let ball = "[[body]]\nname = \"ball\"\nmaterial = \"grain\"\nshape = { kind = \"sphere\", radius = 0.01 }\n\
                position = [0, 0, 0.5]\n";
    folder.run("settle", &(head(LAWS) + &floor(AT) + ball), 1);
    let found = error(&stage("", LAWS, &(floor(AT) + ball), ""));
    assert!(found.message().contains("the name \"ball\" belongs to a body that comes over"), "{found}");
    // Deep overlap with what came over is refused, as ever.
    let inside = ball.replace("ball", "other");
    assert!(
        error(&stage("", LAWS, &(floor(AT) + &inside), "")).message().contains("more than half the smaller radius")
    );
}

/// A stage drew the same radii and places as the run before, and its note said that all went on to the bit.
#[test]
fn streams_and_prescribed_motion_begin_anew_and_the_note_says_so() {
    let folder = Folder::new("anew");
    let stream = "[[stream]]\nmaterial = \"grain\"\nradius = { min = 0.004, max = 0.006 }\nrate = 2000.0\ncount = 50\n\
                  from = [-0.04, -0.04, 0.3]\nto = [0.04, 0.04, 0.4]\n";
    let first = head(LAWS) + &floor(AT) + stream;
    folder.run("settle", &first, 100);
    let moving = "motion = { velocity = [0, 0, 0.01] }\n";
    let scene = folder.load(&stage("", LAWS, &floor(moving), stream)).unwrap();
    let (old, new) = (folder.load(&first).unwrap().setup, &scene.setup);
    let sizes = |setup: &stickslip::setup::Described, n| setup.model.inflows[0].body(n, 2500.0).shape.radius().unwrap();
    assert!((0..10).all(|n| sizes(&old, n) != sizes(new, n)));
    assert_ne!(old.model.inflows[0].places, new.model.inflows[0].places);
    let note = scene.notes.last().unwrap();
    assert!(note.contains("bodies and what contacts remember go on from the saved state to the bit"), "{note}");
    assert!(note.contains("streams begin anew") && note.contains("prescribed motion begins anew"), "{note}");
    // The folder of the stage stands alone all the same.
    let run = Folder::new("anew-run");
    scene.start.as_ref().unwrap().write(&run.0).unwrap();
    assert_eq!(run.load(&scene.resolved).unwrap().setup, scene.setup);
}

/// A density that had changed was silently without effect on what came over.
#[test]
fn another_density_is_noted() {
    let folder = Folder::new("density");
    folder.run("settle", &settle(), 1);
    let scene =
        folder.load(&stage("", LAWS, &floor(AT), "").replacen("density = 2500.0", "density = 1000.0", 1)).unwrap();
    let note = "the density of \"wall\" was 2500 kg/m^3 and is 1000 now: bodies that come over keep their mass";
    assert!(scene.notes.iter().any(|text| text == note), "{:?}", scene.notes);
}

/// Gravity ramps in a stage that begins after the last time of the schedule, had it counted from the start of the run.
#[test]
fn a_schedule_of_a_stage_counts_from_its_start_and_holds_in_the_next() {
    let text = "[time]\nend = 0.5\nstep = 1e-3\n[material.stone]\ndensity = 1000.0\n[[body]]\nmaterial = \"stone\"\n\
        shape = { kind = \"sphere\", radius = 0.1 }\nposition = [0, 0, 0]\n\
        [[stage]]\nname = \"ramp\"\ntime = { end = 0.1 }\n[stage.set]\n\
        gravity = { times = [0.0, 0.1], values = [[0, 0, 0], [0, 0, -1]] }\n[[stage]]\nname = \"on\"\ntime = { end = 0.1 }\n";
    let scene = scene::load_text("ramp.toml", text, Path::new("")).unwrap();
    let (mut now, mut world) = (scene.clone(), scene.world().unwrap());
    world.advance(500).unwrap();
    // The integral of a linear course by trapezoids is exact; after it the last value acts.
    for speed in [-0.05, -0.15] {
        let (next, begun, _) = scene.begin_next(&now, &world).unwrap();
        (now, world) = (next, begun);
        world.advance(100).unwrap();
        let found = world.body(0).velocity.z;
        assert!((found - speed).abs() < 1e-12, "{found}, not {speed}");
    }
}

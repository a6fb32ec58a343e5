//! `[[joint]]` and the `joints` record: columns, KEYs, stages, what `check` says, checkpoints.

use std::path::PathBuf;

use stickslip::joint::{JointKind, Target};
use stickslip_io::checkpoint::{Checkpoint, Description};
use stickslip_io::results::joints;
use stickslip_io::scene::{self, Setting};

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/input/good/31-joints.toml")
}

#[test]
fn a_record_has_the_columns_of_the_guide_and_a_row_for_each_joint() {
    assert_eq!(joints::COLUMNS, "time,step,joint,x,v,drive,friction,spring,fx,fy,fz,tx,ty,tz,error,error_angle,mode");
    let scene = scene::load(&path()).unwrap();
    let mut world = scene.world().unwrap();
    let rows = |world: &stickslip::World| {
        let mut out = Vec::new();
        joints::write(&mut out, world).unwrap();
        String::from_utf8(out).unwrap()
    };
    let start = rows(&world);
    let fields: Vec<Vec<&str>> = start.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(fields.len(), 8);
    for (number, fields) in fields.iter().enumerate() {
        assert_eq!((fields.len(), fields[2]), (17, number.to_string().as_str()));
        // Nothing acts before the first step.
        assert!(fields[5..14].iter().all(|field| field.parse::<f64>() == Ok(0.0)), "{fields:?}");
    }
    // The spring whose length is not that of the start: 0.3 - 0.2.
    assert!((fields[2][3].parse::<f64>().unwrap() - 0.1).abs() < 1e-15);
    world.advance(20).unwrap();
    let end = rows(&world);
    let modes: Vec<&str> = end.lines().map(|line| &line[line.len() - 2..]).collect();
    assert!(modes[1] == "--" && modes[3].ends_with('k') && modes[5] == "s-", "{modes:?}");
    assert_eq!(world.solver().unwrap().unsolved, 0);
}

#[test]
fn keys_reach_joints_by_name_and_by_number() {
    let set = Setting::parse("joint[shoulder].drive.speed=4,5").unwrap();
    let scene = scene::load_with(&path(), &[(&set, 1)], None).unwrap();
    let drive = scene.setup.model.joints[0].drive.clone().unwrap();
    assert_eq!(drive.target, Target::Speed(5.0.into()));
    let set = Setting::parse("joint[2].stiffness=7").unwrap();
    let scene = scene::load_with(&path(), &[(&set, 0)], None).unwrap();
    assert_eq!(scene.setup.model.joints[2].spring.unwrap().stiffness, 7.0);
    let set = Setting::parse("joint[sholder].drive.speed=4").unwrap();
    let error = scene::load_with(&path(), &[(&set, 0)], None).unwrap_err();
    assert!(error.advice().is_some_and(|advice| advice.contains("shoulder")), "{error}");
}

#[test]
fn a_stage_sets_what_drives_a_joint_and_leaves_the_others() {
    let scene = scene::load(&path()).unwrap();
    let [before, after] = [&scene, &scene.stages[0].scene].map(|scene| scene.setup.model.joints.clone());
    assert_eq!(after[0].drive.as_ref().unwrap().target, Target::Speed(3.0.into()));
    assert_eq!(after[3].friction, Some(2.0.into()));
    for k in [1, 2, 4, 5, 6, 7] {
        assert_eq!(before[k], after[k]);
    }
    let mut world = scene.world().unwrap();
    world.advance(scene.steps).unwrap();
    let x = world.state().joints.clone();
    let (_, next, _) = scene.begin_next(&scene, &world).unwrap();
    assert_eq!(next.state().joints, x);
}

#[test]
fn check_says_what_ties_bodies_together() {
    let text = scene::check_text(&scene::load(&path()).unwrap());
    for part in [
        "joints\n",
        "shoulder         revolute   arm on frame",
        "drive at its schedule by at most 50 N m, friction 0.1 N m, spring 10 N m/rad, damper 0.5 N m s/rad",
        "distance   ball on the ground",
        "schedule joint[shoulder].drive.speed: 0 to 2 rad/s",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn a_checkpoint_holds_joints_to_the_bit() {
    let scene = scene::load(&path()).unwrap();
    let mut world = scene.world().unwrap();
    world.advance(7).unwrap();
    let bytes = Checkpoint::of(&world, &Description::new(&scene.setup, &scene.names)).to_bytes().unwrap();
    let saved = Checkpoint::from_bytes(&bytes).unwrap().saved;
    assert_eq!(saved.joints, world.state().joints);
    assert!(matches!(scene.setup.model.joints[1].kind, JointKind::Distance { .. }));
    let mut again = scene.world_at(&saved).unwrap();
    world.advance(8).unwrap();
    again.advance(8).unwrap();
    assert_eq!(world.state().joints, again.state().joints);
}

// ---- scenes of the paper ----

fn paper_scene(name: &str, tolerance: &str) -> scene::Scene {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/all/scenes/{name}.toml"));
    let set = Setting::parse(&format!("method.tolerance={tolerance}")).unwrap();
    scene::load_with(&path, &[(&set, 0)], None).unwrap()
}

#[test]
fn the_four_bar_linkage_comes_back_after_each_turn_of_its_crank() {
    let scene = paper_scene("tasora-four-bar", "1e-9");
    let mut world = scene.world().unwrap();
    let start: Vec<_> = world.ids().map(|id| world.body(id).position).collect();
    for turn in 1..=2 {
        world.advance(1000).unwrap();
        let motor = world.joints()[0];
        assert!((motor.v - std::f64::consts::TAU).abs() < 1e-3 && motor.error < 1e-5, "{motor:?}");
        assert!((motor.x - std::f64::consts::TAU * f64::from(turn)).abs() < 1e-3, "{motor:?}");
        for (id, start) in world.ids().zip(&start) {
            let off = (world.body(id).position - *start).length();
            // Errors of joints, h^2 w^2 L = 1e-5 m, and how far links magnify them.
            assert!(off < 2e-4, "body {id} is {off} m away after turn {turn}");
        }
    }
    assert_eq!(world.solver().unwrap().unsolved, 0);
}

#[test]
fn the_slider_crank_runs_up_and_its_motor_stays_within_its_limit() {
    let scene = paper_scene("tasora-slider-crank", "2e-5");
    let mut world = scene.world().unwrap();
    let mut most = 0.0_f64;
    for _ in 0..25 {
        world.advance(200).unwrap();
        most = most.max(world.joints()[0].drive.abs());
    }
    let rows = world.joints();
    assert!(most <= 30.0 * (1.0 + 1e-9), "{most}");
    assert!(rows.iter().all(|row| row.error < 1e-4), "{rows:?}");
    assert!((rows[3].friction.abs() - 20.0).abs() < 1e-6, "{rows:?}");
    // Of 5000 steps two stay above the tolerance.
    assert!(world.solver().unwrap().unsolved <= 2, "{:?}", world.solver());
    let ledger = world.ledger();
    assert!(ledger.lost[stickslip::ledger::Loss::Joint] > 0.0, "{ledger:?}");
}

#[test]
fn the_guideway_is_driven_by_the_force_of_its_statics() {
    let scene = paper_scene("tasora-guideway", "1e-9");
    let mut world = scene.world().unwrap();
    world.advance(scene.steps).unwrap();
    let row = world.joints()[0];
    // sqrt(2) zeta F_y + S.
    assert!((row.drive - 8.764_823).abs() < 1e-3, "{row:?} {:?}", world.solver());
    assert!((row.friction + 5.3).abs() < 1e-9 && (row.v - 0.01).abs() < 1e-7, "{row:?}");
}

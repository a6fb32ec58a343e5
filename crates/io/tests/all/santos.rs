//! Scene files that follow trajectories which LAMMPS (22 Jul 2025) wrote for the law of Santos et al. (2020), to 1e-12.
//!
//! The options `arm`, `transport` and `slip` are LAMMPS' in these scenes; its twisting coefficient is a `length`. The
//! tolerance: both codes round each step to 1e-16 of numbers of the order of 1, and what is rounded is damped, so the
//! errors of the last 10,000 steps, all of one sign, would make 1e-12. (Seen: 4e-16.)

use std::path::Path;

use glam::DVec3;
use stickslip::World;
use stickslip_io::scene;

const TOLERANCE: f64 = 1e-12;

/// Rows of a trajectory: step, time, id, radius, mass, x, v, omega, f, torque, and the held force where there is one.
fn rows(name: &str) -> Vec<Vec<f64>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/data/santos");
    let text =
        std::fs::read_to_string(folder.join(format!("{name}.csv"))).expect("the trajectory is in the repository");
    text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect()
}

fn follows(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/santos").join(format!("{name}.toml"));
    let scene = scene::load(&file).unwrap_or_else(|error| panic!("{error}"));
    let gravity = scene.setup.model.gravity.clone();
    let steps = scene.steps;
    let mut world = World::new(scene.setup.to_setup()).expect("the scene makes a world");
    let rows = rows(name);
    assert_eq!(rows.last().map(|row| row[0] as u64), Some(steps), "the scene runs as long as LAMMPS did");
    for row in &rows {
        world.advance(row[0] as u64 - world.steps()).expect("nothing goes wrong");
        let vector = |at: usize| DVec3::new(row[at], row[at + 1], row[at + 2]);
        let body = world.body(row[2] as u32 - 1);
        // LAMMPS' force includes gravity (of a mass of 1 kg here), and is zeroed for held bodies, whose own it prints last.
        let force = if row.len() > 20 { vector(20) } else { vector(14) - gravity.at(0.0) };
        let pairs = [
            ("position", body.position, vector(5)),
            ("velocity", body.velocity, vector(8)),
            ("angular velocity", body.angular_velocity, vector(11)),
            ("force", body.force, force),
            ("torque", body.torque, vector(17)),
        ];
        for (what, found, expected) in pairs {
            let off = (found - expected).abs().max_element();
            assert!(off <= TOLERANCE, "{what} of body {} at step {} is off by {off:e}", body.id, row[0]);
        }
    }
}

#[test]
fn two_spheres_collide_head_on() {
    follows("headon_sds");
}

#[test]
fn two_spinning_spheres_collide_obliquely() {
    // The spin rate was once taken about the mid-step normal in scenes, which have no `transport` under `spin`.
    follows("oblique_spin_sds");
}

#[test]
fn two_held_spheres_twist_until_they_yield() {
    follows("twist_fixed_yield");
}

#[test]
fn a_sphere_slides_rolls_and_rests_on_a_wall() {
    follows("wall_slide_roll_rest");
}

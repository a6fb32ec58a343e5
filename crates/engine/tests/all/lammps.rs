//! Four trajectories that LAMMPS (22 Jul 2025, `pair_style granular`) wrote with 17 digits, matched to 1e-12.
//!
//! Where the 1e-12 comes from: both codes do the same arithmetic in another order, so they part by rounding, 1e-16 a
//! step at values of order 1, which contacts of unit stiffness do not amplify over the few thousand steps. The data are
//! in `data/santos/`; LAMMPS' forces include gravity where there is any, the engine's do not.

use crate::common;
use crate::common::{lammps_options, model, plane, santos, sphere, world};
use glam::DVec3;
use stickslip::{Body, Model, Motion};

/// A row of a trajectory: the columns from `x` on, in groups of three.
struct Row {
    step: u64,
    id: u32,
    numbers: Vec<f64>,
}

impl Row {
    fn vector(&self, group: usize) -> DVec3 {
        DVec3::from_slice(&self.numbers[3 * group..3 * group + 3])
    }
}

fn rows(csv: &str) -> Vec<Row> {
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().expect("a number")).collect();
        Row { step: numbers[0] as u64, id: numbers[2] as u32 - 1, numbers: numbers[5..].to_vec() }
    };
    csv.lines().skip(1).map(row).collect()
}

/// Runs the scene that begins as the trajectory does and compares every row; `force_group` holds the contact forces.
fn compare(csv: &str, model: Model, held: bool, walls: Vec<Body>, force_group: usize) {
    let rows = rows(csv);
    let start = |row: &Row| Body {
        velocity: row.vector(1),
        angular_velocity: row.vector(2),
        mass: Some(1.0),
        motion: if held { Motion::Held } else { Motion::Free },
        ..sphere(0.5, row.vector(0))
    };
    let mut bodies: Vec<Body> = rows.iter().take_while(|row| row.step == 0).map(start).collect();
    bodies.extend(walls);
    let gravity = model.gravity.at(0.0);
    let mut world = world(model, bodies);
    for row in &rows {
        common::run(&mut world, row.step);
        let body = world.body(row.id);
        let differences = [
            ("position", body.position - row.vector(0)),
            ("velocity", body.velocity - row.vector(1)),
            ("angular velocity", body.angular_velocity - row.vector(2)),
            ("force", body.force + gravity - row.vector(force_group)),
            ("torque", body.torque - row.vector(4)),
        ];
        for (what, difference) in differences {
            let off = difference.abs().max_element();
            assert!(off < 1e-12, "{what} of body {} at step {} is off by {off:e}", row.id, row.step);
        }
    }
}

fn lammps(mu_roll: f64, length_spin: f64) -> Model {
    model(santos(lammps_options(), mu_roll, length_spin), 0.02)
}

#[test]
fn two_spheres_collide_head_on() {
    compare(include_str!("../data/santos/headon_sds.csv"), lammps(0.3, 0.3), false, vec![], 3);
}

#[test]
fn two_spinning_spheres_collide_obliquely() {
    compare(include_str!("../data/santos/oblique_spin_sds.csv"), lammps(0.3, 0.3), false, vec![], 3);
}

#[test]
fn two_held_spheres_twist_until_they_yield() {
    // LAMMPS zeroes the force on held spheres; the force before that is in the last three columns.
    compare(include_str!("../data/santos/twist_fixed_yield.csv"), lammps(0.3, 0.3), true, vec![], 5);
}

#[test]
fn a_sphere_slides_rolls_and_rests_on_a_wall() {
    let mut model = lammps(0.1, 0.1);
    model.gravity = DVec3::new(0.0, 0.0, -0.01).into();
    let walls = vec![plane(DVec3::Z, DVec3::ZERO)];
    compare(include_str!("../data/santos/wall_slide_roll_rest.csv"), model, false, walls, 3);
}

//! Snapshots as LAMMPS data files of atom style `sphere`: a state from which LAMMPS' `read_data` can go on.
//!
//! One file for each moment, `<name>-<step>.data`, with the spheres by id; planes are left out. `id` is ours + 1, `type`
//! the index of the material + 1. The density is mass over volume, so that LAMMPS finds our mass also where the scene
//! gives one. The box is the cell, or else the smallest that holds the spheres (`lammps_box.rs`). Numbers read back to the same bits. Does not hold: what
//! contacts remember, orientations (the style has none), moments of inertia other than a sphere's.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use glam::DVec3;
use stickslip::World;
use stickslip::measure::BodyView;

use super::file::write_whole;
use super::growing::{Marks, SnapshotMark};
use super::lammps_box::LammpsBox;

/// The files of one record.
#[derive(Debug)]
pub struct DataFiles {
    folder: PathBuf,
    mark: SnapshotMark,
}

impl DataFiles {
    /// None yet; nothing is written.
    pub fn new(folder: &Path, stem: &str) -> Self {
        DataFiles { folder: folder.to_owned(), mark: SnapshotMark { stem: stem.to_owned(), files: Vec::new() } }
    }

    /// Takes up the files of these marks.
    pub fn go_on(&mut self, marks: &Marks) -> io::Result<()> {
        self.mark = marks.of_snapshots(&self.mark.stem)?.clone();
        Ok(())
    }

    /// Which files there are.
    pub fn mark(&self) -> &SnapshotMark {
        &self.mark
    }

    /// Writes `<stem>-<step>.data`.
    pub fn add(&mut self, world: &World, material_of: &[u16], mass_of: &[f64]) -> io::Result<()> {
        let path = self.folder.join(format!("{}-{}.data", self.mark.stem, world.steps()));
        let text = text(world, material_of, mass_of);
        write_whole(&path, text.as_bytes())?;
        self.mark.files.push((world.steps(), text.len() as u64));
        Ok(())
    }
}

/// The file. `material_of` and `mass_of` have the index of each body's material and its mass (kg).
pub fn text(world: &World, material_of: &[u16], mass_of: &[f64]) -> String {
    let views = world.ids().map(|id| world.body(id));
    let spheres: Vec<_> = views.filter(|view| view.radius > 0.0).collect();
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, world, &spheres, material_of, mass_of);
    out
}

fn write(
    out: &mut String,
    world: &World,
    spheres: &[BodyView],
    material_of: &[u16],
    mass_of: &[f64],
) -> std::fmt::Result {
    let materials = &world.model().materials;
    writeln!(out, "stickslip, step {}, time {:?}\n", world.steps(), world.time())?;
    writeln!(out, "{} atoms\n{} atom types\n", spheres.len(), materials.len())?;
    out.push_str(&LammpsBox::of(world, spheres).of_data());
    // A section without lines is an error of LAMMPS'.
    if spheres.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nAtoms # sphere\n")?;
    for sphere in spheres {
        let material = material_of.get(sphere.id as usize).copied().unwrap_or(0);
        let volume = 4.0 / 3.0 * std::f64::consts::PI * sphere.radius * sphere.radius * sphere.radius;
        let density =
            mass_of.get(sphere.id as usize).map_or_else(|| materials[material as usize].density, |mass| mass / volume);
        let DVec3 { x, y, z } = sphere.position;
        let diameter = 2.0 * sphere.radius;
        writeln!(out, "{} {} {diameter:?} {density:?} {x:?} {y:?} {z:?}", sphere.id + 1, material + 1)?;
    }
    writeln!(out, "\nVelocities\n")?;
    for sphere in spheres {
        let (v, w) = (sphere.velocity, sphere.angular_velocity);
        writeln!(out, "{} {:?} {:?} {:?} {:?} {:?} {:?}", sphere.id + 1, v.x, v.y, v.z, w.x, w.y, w.z)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::small_world;
    use super::*;

    #[test]
    fn spheres_stand_in_the_file_with_their_mass_as_a_density() {
        let (world, info) = small_world();
        let material_of: Vec<u16> = info.bodies().map(|body| body.material).collect();
        let mut mass_of: Vec<f64> = info.bodies().map(|body| body.mass).collect();
        // Twice the mass of 1000 kg/m^3.
        mass_of[2] *= 2.0;
        let text = text(&world, &material_of, &mass_of);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..5], ["stickslip, step 0, time 0.0", "", "2 atoms", "2 atom types", ""]);
        assert_eq!(lines[5], "-0.1 0.6 xlo xhi");
        assert_eq!(lines[8..11], ["", "Atoms # sphere", ""]);
        let row: Vec<f64> = lines[12].split(' ').map(|field| field.parse().unwrap()).collect();
        assert_eq!((&row[..3], &row[4..]), (&[3.0, 2.0, 0.2][..], &[0.5, 0.0, 0.3][..]));
        // A product and a quotient, each rounded once.
        assert!((row[3] / 2000.0 - 1.0).abs() < 4.0 * f64::EPSILON);
        assert_eq!(lines[14], "Velocities");
        assert_eq!(lines[17], "3 0.0 0.0 0.0 0.0 0.0 0.0");
        assert_eq!(lines.len(), 18);
    }
}

//! Snapshots as a LAMMPS text dump: one file that grows, read by OVITO and by LAMMPS' `read_dump`.
//!
//! Every snapshot has the spheres by id; planes are left out. `id` is ours + 1, `type` the index of the material + 1.
//! The box is the cell, or else the smallest that holds the spheres, with fixed ends (`lammps_box.rs`). Numbers read back to the same bits.

use std::io::{self, Write};

use stickslip::World;

use super::lammps_box::LammpsBox;

/// The columns of a snapshot.
pub const COLUMNS: &str = "id type radius x y z vx vy vz omegax omegay omegaz fx fy fz tqx tqy tqz";

/// Appends the world's spheres. `material_of` has the index of each body's material.
pub fn write_snapshot(out: &mut impl Write, world: &World, material_of: &[u16]) -> io::Result<()> {
    let views = world.ids().map(|id| world.body(id));
    let spheres: Vec<_> = views.filter(|view| view.radius > 0.0).collect();
    writeln!(out, "ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}", world.steps(), spheres.len())?;
    out.write_all(LammpsBox::of(world, &spheres).of_dump().as_bytes())?;
    writeln!(out, "ITEM: ATOMS {COLUMNS}")?;
    for sphere in spheres {
        let material = material_of.get(sphere.id as usize).copied().unwrap_or(0);
        write!(out, "{} {} {:?}", sphere.id + 1, material + 1, sphere.radius)?;
        let vectors = [sphere.position, sphere.velocity, sphere.angular_velocity, sphere.force, sphere.torque];
        for value in vectors.iter().flat_map(|vector| vector.to_array()) {
            write!(out, " {value:?}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::small_world;
    use super::*;

    #[test]
    fn spheres_stand_in_the_dump_with_ids_from_one_and_exact_numbers() {
        let (world, info) = small_world();
        let material_of: Vec<u16> = info.bodies().map(|body| body.material).collect();
        let mut out = Vec::new();
        write_snapshot(&mut out, &world, &material_of).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..5], ["ITEM: TIMESTEP", "0", "ITEM: NUMBER OF ATOMS", "2", "ITEM: BOX BOUNDS ff ff ff"]);
        // Spheres of radius 0.1 at x = 0 and 0.5; bodies 1 and 2 of material 1.
        assert_eq!(lines[5], "-0.1 0.6");
        assert_eq!(lines[8], format!("ITEM: ATOMS {COLUMNS}"));
        let row: Vec<f64> = lines[9].split(' ').map(|field| field.parse().unwrap()).collect();
        assert_eq!(row.len(), COLUMNS.split(' ').count());
        assert_eq!(row[..6], [2.0, 2.0, 0.1, 0.0, 0.0, 0.099]);
        assert_eq!(row[14].to_bits(), world.body(1).force.z.to_bits());
        assert_eq!(lines.len(), 11);
    }
}

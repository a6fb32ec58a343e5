//! The box of LAMMPS' files: the cell, or the smallest box that holds the spheres.
//!
//! LAMMPS keeps a box whose first vector lies along x and whose second lies in the xy plane as `xy xz yz`; any other is
//! written by its three vectors (general triclinic, LAMMPS of 2024 and later; OVITO 3.11 and later).

use std::fmt::Write;

use glam::DVec3;
use stickslip::World;
use stickslip::cell::Frame;
use stickslip::measure::BodyView;

/// The box of a world.
pub enum LammpsBox {
    /// From and to, with fixed ends.
    Around(DVec3, DVec3),
    /// A cell as LAMMPS likes it: its corner, the far ends along the axes, and xy, xz, yz.
    Tilted(Frame),
    /// Any other cell.
    General(Frame),
}

impl LammpsBox {
    /// Of a world with these spheres.
    pub fn of(world: &World, spheres: &[BodyView]) -> Self {
        world.cell().map_or_else(|| LammpsBox::around(spheres), |cell| LammpsBox::of_cell(cell.frame))
    }

    fn of_cell(frame: Frame) -> Self {
        let (a, b, c) = (frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis);
        let upper = a.y == 0.0 && a.z == 0.0 && b.z == 0.0;
        let forward = a.x > 0.0 && b.y > 0.0 && c.z > 0.0;
        if upper && forward { LammpsBox::Tilted(frame) } else { LammpsBox::General(frame) }
    }

    /// The smallest box that holds the spheres; a cube of side 1 m when there are none.
    fn around(spheres: &[BodyView]) -> Self {
        let low = spheres.iter().map(|s| s.position - s.radius).reduce(DVec3::min).unwrap_or(DVec3::ZERO);
        let high = spheres.iter().map(|s| s.position + s.radius).reduce(DVec3::max).unwrap_or(DVec3::ONE);
        LammpsBox::Around(low, high)
    }

    /// The lines of a dump.
    pub fn of_dump(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_dump(&mut out);
        out
    }

    fn write_dump(&self, out: &mut String) -> std::fmt::Result {
        match self {
            LammpsBox::Around(low, high) => {
                writeln!(out, "ITEM: BOX BOUNDS ff ff ff")?;
                (0..3).try_for_each(|axis| writeln!(out, "{:?} {:?}", low[axis], high[axis]))
            }
            LammpsBox::Tilted(frame) => {
                writeln!(out, "ITEM: BOX BOUNDS xy xz yz {}", ends(frame))?;
                let (low, high, [xy, xz, yz]) = tilted(frame);
                // A dump has the bounds of the leaning box.
                let least = DVec3::new(0.0_f64.min(xy).min(xz).min(xy + xz), 0.0_f64.min(yz), 0.0);
                let most = DVec3::new(0.0_f64.max(xy).max(xz).max(xy + xz), 0.0_f64.max(yz), 0.0);
                let (low, high) = (low + least, high + most);
                (0..3).try_for_each(|axis| writeln!(out, "{:?} {:?} {:?}", low[axis], high[axis], [xy, xz, yz][axis]))
            }
            LammpsBox::General(frame) => {
                writeln!(out, "ITEM: BOX BOUNDS abc origin {}", ends(frame))?;
                (0..3).try_for_each(|k| {
                    let v = frame.vectors.col(k);
                    writeln!(out, "{:?} {:?} {:?} {:?}", v.x, v.y, v.z, frame.corner[k])
                })
            }
        }
    }

    /// The lines of a data file.
    pub fn of_data(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_data(&mut out);
        out
    }

    fn write_data(&self, out: &mut String) -> std::fmt::Result {
        let (low, high, tilts) = match self {
            LammpsBox::Around(low, high) => (*low, *high, None),
            LammpsBox::Tilted(frame) => {
                let (low, high, tilts) = tilted(frame);
                (low, high, Some(tilts))
            }
            LammpsBox::General(frame) => {
                for (name, k) in [("avec", 0), ("bvec", 1), ("cvec", 2)] {
                    let v = frame.vectors.col(k);
                    writeln!(out, "{:?} {:?} {:?} {name}", v.x, v.y, v.z)?;
                }
                let o = frame.corner;
                return writeln!(out, "{:?} {:?} {:?} abc origin", o.x, o.y, o.z);
            }
        };
        for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
            writeln!(out, "{:?} {:?} {letter}lo {letter}hi", low[axis], high[axis])?;
        }
        match tilts {
            Some([xy, xz, yz]) => writeln!(out, "{xy:?} {xz:?} {yz:?} xy xz yz"),
            None => Ok(()),
        }
    }
}

/// Near and far ends along the axes, and xy, xz, yz.
fn tilted(frame: &Frame) -> (DVec3, DVec3, [f64; 3]) {
    let (a, b, c) = (frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis);
    (frame.corner, frame.corner + DVec3::new(a.x, b.y, c.z), [b.x, c.x, c.y])
}

/// `pp` or `ff` for each direction.
fn ends(frame: &Frame) -> String {
    frame.periodic.map(|repeats| if repeats { "pp" } else { "ff" }).join(" ")
}

#[cfg(test)]
mod tests {
    use glam::DMat3;

    use super::*;

    fn frame(vectors: [f64; 9]) -> Frame {
        let corner = DVec3::new(1.0, 2.0, 3.0);
        Frame { corner, periodic: [true, false, true], ..Frame::new(DMat3::from_cols_array(&vectors)) }
    }

    #[test]
    fn a_leaning_cell_is_a_tilted_box() {
        let tilted = LammpsBox::of_cell(frame([8.0, 0.0, 0.0, 1.0, 9.0, 0.0, -2.0, 0.5, 10.0]));
        // LAMMPS' manual: xlo_bound = xlo + min(0, xy, xz, xy + xz), and so on.
        assert_eq!(
            tilted.of_dump(),
            "ITEM: BOX BOUNDS xy xz yz pp ff pp\n-1.0 10.0 1.0\n2.0 11.5 -2.0\n3.0 13.0 0.5\n"
        );
        assert_eq!(tilted.of_data(), "1.0 9.0 xlo xhi\n2.0 11.0 ylo yhi\n3.0 13.0 zlo zhi\n1.0 -2.0 0.5 xy xz yz\n");
    }

    #[test]
    fn any_other_cell_is_written_by_its_vectors() {
        let general = LammpsBox::of_cell(frame([8.0, 0.1, 0.0, 1.0, 9.0, 0.0, -2.0, 0.5, 10.0]));
        assert_eq!(
            general.of_dump(),
            "ITEM: BOX BOUNDS abc origin pp ff pp\n8.0 0.1 0.0 1.0\n1.0 9.0 0.0 2.0\n-2.0 0.5 10.0 3.0\n"
        );
        assert_eq!(
            general.of_data(),
            "8.0 0.1 0.0 avec\n1.0 9.0 0.0 bvec\n-2.0 0.5 10.0 cvec\n1.0 2.0 3.0 abc origin\n"
        );
    }
}

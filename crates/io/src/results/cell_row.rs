//! What the series says of a cell that repeats everywhere: columns after those of every run.
//!
//! `rattlers` is their share of the spheres; `coordination_held` and `kinetic_per_body` (translational, J) leave them out,
//! the latter only once some sphere is held. Pressures (Pa) are positive in compression; `pressure_error` is NaN without a
//! target. Strain is the sum of velocity gradient times dt, d v_x/d y under `xy`. `cell_ax` to `cell_cz` are the cell vectors
//! (m), `cell_x`, `cell_y`, `cell_z` the corner that they start from.

use glam::{DMat3, DVec3};
use stickslip::World;
use stickslip::cell::Frame;

use super::file::push_number;

/// The columns.
pub const COLUMNS: [&str; 32] = [
    "volume_fraction",
    "coordination_held",
    "rattlers",
    "pressure_xx",
    "pressure_yy",
    "pressure_zz",
    "pressure_xy",
    "pressure_xz",
    "pressure_yz",
    "pressure_error",
    "kinetic_per_body",
    "strain_xx",
    "strain_yy",
    "strain_zz",
    "strain_xy",
    "strain_xz",
    "strain_yz",
    "strain_yx",
    "strain_zx",
    "strain_zy",
    "cell_ax",
    "cell_ay",
    "cell_az",
    "cell_bx",
    "cell_by",
    "cell_bz",
    "cell_cx",
    "cell_cy",
    "cell_cz",
    "cell_x",
    "cell_y",
    "cell_z",
];

/// Those that say where the cell is.
pub const FRAME: [&str; 12] = [
    "cell_ax", "cell_ay", "cell_az", "cell_bx", "cell_by", "cell_bz", "cell_cx", "cell_cy", "cell_cz", "cell_x",
    "cell_y", "cell_z",
];

/// The cell of twelve numbers in the order of `FRAME`.
pub fn frame(numbers: &[f64]) -> Frame {
    Frame { corner: DVec3::from_slice(&numbers[9..]), ..Frame::new(DMat3::from_cols_slice(&numbers[..9])) }
}

/// The numbers of one row, in the order of `COLUMNS`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellRow([f64; COLUMNS.len()]);

impl CellRow {
    /// Of a world now; `None` unless its cell repeats everywhere.
    pub fn of(world: &World) -> Option<Self> {
        let cell = world.cell()?;
        let (pressure, fraction) = (world.pressure()?, world.volume_fraction()?);
        let packing = world.packing();
        let kinetic = packing.kinetic_per_body.unwrap_or_else(|| {
            let (energy, count) = world.translational_energy();
            energy / (count as f64).max(1.0)
        });
        let rattlers = packing.rattlers.len() as f64 / (world.sphere_count() as f64).max(1.0);
        let mut numbers = vec![fraction, packing.coordination, rattlers];
        numbers.extend(six(pressure));
        numbers.extend([world.pressure_error().unwrap_or(f64::NAN), kinetic]);
        let s = cell.strain;
        numbers.extend(six(s));
        numbers.extend([s.x_axis.y, s.x_axis.z, s.y_axis.z]);
        numbers.extend(cell.frame.vectors.to_cols_array());
        numbers.extend(cell.frame.corner.to_array());
        numbers.try_into().ok().map(CellRow)
    }

    /// From the fields that follow those of every run.
    pub fn parse(fields: &[&str]) -> Option<Self> {
        let numbers: Option<Vec<f64>> =
            fields.iter().take(COLUMNS.len()).map(|field| field.trim().parse().ok()).collect();
        numbers?.try_into().ok().map(CellRow)
    }

    /// Appends the numbers to a line.
    pub fn push(&self, line: &mut Vec<u8>) {
        self.0.iter().for_each(|&value| push_number(line, value));
    }

    /// The number of a column; NaN for one that there is not.
    pub fn get(&self, column: &str) -> f64 {
        COLUMNS.iter().position(|have| *have == column).map_or(f64::NAN, |at| self.0[at])
    }

    /// Where the cell was.
    pub fn frame(&self) -> Frame {
        frame(&FRAME.map(|column| self.get(column)))
    }
}

/// xx, yy, zz, xy, xz, yz of a matrix: row and column.
fn six(m: DMat3) -> [f64; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.y_axis.x, m.z_axis.x, m.z_axis.y]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_reads_back_and_knows_its_cell() {
        let row = CellRow(std::array::from_fn(|k| 0.1 + k as f64));
        let mut line = Vec::new();
        row.push(&mut line);
        let text = String::from_utf8(line).unwrap();
        let fields: Vec<&str> = text[1..].split(',').collect();
        assert_eq!(CellRow::parse(&fields), Some(row));
        assert_eq!(CellRow::parse(&fields[1..]), None);
        let frame = row.frame();
        assert_eq!(frame.vectors.y_axis.z, row.get("cell_bz"));
        assert_eq!((frame.corner.x, frame.corner.z), (row.get("cell_x"), row.get("cell_z")));
        assert!(row.get("none").is_nan());
        // d v_x/d y is in row x, column y.
        let m = DMat3::from_cols_array(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(six(m), [1.0, 5.0, 9.0, 4.0, 7.0, 8.0]);
    }
}

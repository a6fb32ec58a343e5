//! The section `cell`: 60 little-endian numbers, there only when the world has a cell.
//!
//! Corner (3), vectors a, b, c (9), whether each repeats (3: 0 or 1), the point the affine flow leaves in place (3); then
//! velocity gradient, its rate and the strain, by rows (9 each); the vectors when neighbour lists were made (9); the virial
//! xx, yy, zz, xy, xz, yz (6).

use glam::{DMat3, DVec3};
use stickslip::cell::{CellState, Frame};

/// How many numbers it has.
pub const NUMBERS: usize = 60;

/// The numbers of a cell.
pub fn numbers(cell: &CellState) -> Vec<f64> {
    let frame = &cell.frame;
    let mut numbers = frame.corner.to_array().to_vec();
    numbers.extend(frame.vectors.to_cols_array());
    numbers.extend(frame.periodic.map(|repeats| f64::from(u8::from(repeats))));
    numbers.extend(cell.centre.to_array());
    for matrix in [cell.gradient, cell.gradient_rate, cell.strain] {
        numbers.extend(matrix.transpose().to_cols_array());
    }
    numbers.extend(cell.built.to_cols_array());
    numbers.extend(cell.virial);
    numbers
}

/// The cell of these numbers; or what is wrong with them.
pub fn from_numbers(numbers: &[f64]) -> Result<CellState, String> {
    let damaged = |what: &str| Err(format!("is damaged: its cell {what}"));
    if numbers.len() != NUMBERS {
        return damaged(&format!("has {} numbers, not {NUMBERS}", numbers.len()));
    }
    if !numbers.iter().all(|number| number.is_finite()) {
        return damaged("is not finite");
    }
    let vector = |at: usize| DVec3::from_slice(&numbers[at..]);
    let columns = |at: usize| DMat3::from_cols_slice(&numbers[at..at + 9]);
    let periodic = [numbers[12], numbers[13], numbers[14]];
    if !periodic.iter().all(|&repeats| repeats == 0.0 || repeats == 1.0) {
        return damaged("does not say in which directions it repeats");
    }
    let frame = Frame { corner: vector(0), vectors: columns(3), periodic: periodic.map(|repeats| repeats == 1.0) };
    let cell = CellState {
        frame,
        centre: vector(15),
        gradient: columns(18).transpose(),
        gradient_rate: columns(27).transpose(),
        strain: columns(36).transpose(),
        built: columns(45),
        virial: std::array::from_fn(|k| numbers[54 + k]),
    };
    for volume in [frame.volume(), cell.built.determinant()] {
        if !(volume > 0.0 && volume.is_finite()) {
            return damaged(&format!("has a volume of {volume} m^3"));
        }
    }
    Ok(cell)
}

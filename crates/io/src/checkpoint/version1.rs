//! What files of version 1 have in place of the section `numbers`: positions instead of names.
//!
//! Does not do: writing. `tests/golden/` has such files.

use glam::{DMat3, DVec3};
use stickslip::cell::{CellState, Frame};
use stickslip::clock::Clock;
use stickslip::column::Columns;
use stickslip::inflow::Traffic;
use stickslip::ledger::{Carried, Sums};
use stickslip::world::{Remembered, Saved};

use super::numbers::{check, check_cell};

/// Steps, counts and sums: 35 numbers of eight bytes.
pub const CLOCK: &str = "clock";
/// How many numbers it has.
pub const CLOCK_NUMBERS: usize = 10 + 25;
/// The cell, where there is one: 60 numbers.
pub const CELL: &str = "cell";
/// How many numbers it has.
pub const CELL_NUMBERS: usize = 60;

/// All of a state but bodies, contacts and traffic; and how many bodies and places of contacts there are.
pub fn read(words: &[u64], cell: Option<&[f64]>) -> Result<(Saved, [usize; 2]), String> {
    let count = |at: usize| usize::try_from(words[at]).unwrap_or(usize::MAX);
    let number = |at: usize| f64::from_bits(words[at]);
    let four = |at: usize| [number(at), number(at + 1), number(at + 2), number(at + 3)];
    let sums = Sums {
        work: four(10),
        power: four(14),
        driven: number(18),
        driven_power: number(19),
        local: number(20),
        joints: 0.0,
        start: number(21),
        stored_at_start: four(22),
        stored_out: four(26),
        carried: Carried {
            kinetic_in: number(30),
            potential_in: number(31),
            kinetic_out: number(32),
            potential_out: number(33),
            stored_out: number(34),
        },
    };
    let entries = [("skin", 7), ("smallest", 8), ("pressed", 9)];
    let saved = Saved {
        step: words[0],
        clock: Clock::default(),
        dt: number(6),
        sums,
        entries: entries.map(|(name, at)| (name.to_owned(), number(at))).into(),
        chunk: count(3),
        spheres: count(2),
        bodies: Columns::default(),
        contacts: Remembered::default(),
        stride: count(5),
        joints: Vec::new(),
        traffic: Traffic::default(),
        cell: cell.map(read_cell).transpose()?,
    };
    let counts = [count(1), count(4)];
    check(&saved, counts)?;
    Ok((saved, counts))
}

/// Corner (3), vectors a, b, c (9), whether each repeats (3: 0 or 1), the point the affine flow leaves in place (3); then velocity
/// gradient, its rate and the strain, by rows (9 each); the vectors when neighbour lists were made (9); the virial (6).
fn read_cell(numbers: &[f64]) -> Result<CellState, String> {
    let vector = |at: usize| DVec3::from_slice(&numbers[at..]);
    let columns = |at: usize| DMat3::from_cols_slice(&numbers[at..at + 9]);
    let periodic = [numbers[12], numbers[13], numbers[14]];
    if !periodic.iter().all(|&repeats| repeats == 0.0 || repeats == 1.0) {
        return Err("is damaged: its cell does not say in which directions it repeats".into());
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
    check_cell(&cell)?;
    Ok(cell)
}

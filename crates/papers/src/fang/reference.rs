//! Series that ours are compared with, computed independently from the paper's formulas and in agreement with the authors'
//! figure data to rounding (brick) or 2e-6 rad/s (incline at 35 degrees, critical damping).
//!
//! `brick.csv`: section 4.1, five cases; modes 0 stick, 1 slip; Ef and Df are the elastic and damping parts of the force.
//! `incline35.csv`: section 4.3, 35 degrees, eta_r = 0.3; x there is y here, and angles count the other way.

/// Section 4.1.
const BRICK: &str = include_str!("data/brick.csv");
/// Section 4.3.
const INCLINE: &str = include_str!("data/incline35.csv");

/// The rows of a case as numbers, without the column of its name.
fn rows(table: &str, case: &str) -> Vec<Vec<f64>> {
    let of_case = table.lines().filter_map(|line| line.strip_prefix(case)?.strip_prefix(','));
    of_case.map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect()
}

/// One row of `brick.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrickRow {
    /// s.
    pub time: f64,
    /// Down the slope (m).
    pub x: f64,
    /// m/s.
    pub v: f64,
    /// m/s^2.
    pub a: f64,
    /// N.
    pub elastic: f64,
    /// N.
    pub damping: f64,
    /// In slip.
    pub slips: bool,
}

/// A case of section 4.1: `a0.18_KD632`, `a0.18_KD0`, `atan_muk`, `atan_mus` or `a0.25`.
pub fn brick(case: &str) -> Vec<BrickRow> {
    let row = |c: Vec<f64>| BrickRow {
        time: c[0],
        x: c[1],
        v: c[2],
        a: c[3],
        elastic: c[4],
        damping: c[5],
        slips: c[8] > 0.5,
    };
    rows(BRICK, case).into_iter().map(row).collect()
}

/// One row of `incline35.csv`, with our signs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InclineRow {
    /// s.
    pub time: f64,
    /// Up the slope (m/s).
    pub v: f64,
    /// rad/s, positive where rolling up.
    pub omega: f64,
    /// Elastic part of the sliding friction, up the slope (N).
    pub force: f64,
    /// Elastic part of the rolling torque (N m).
    pub torque: f64,
    /// Slide, roll in slip.
    pub slips: [bool; 2],
}

/// `critical_damping` or `half_damping`.
pub fn incline(case: &str) -> Vec<InclineRow> {
    let row = |c: Vec<f64>| InclineRow {
        time: c[0],
        v: c[1],
        omega: -c[2],
        force: c[3],
        torque: -c[4],
        slips: [c[5] > 0.5, c[6] > 0.5],
    };
    rows(INCLINE, case).into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_all_their_rows() {
        for case in ["a0.18_KD632", "a0.18_KD0", "atan_muk", "atan_mus", "a0.25"] {
            let rows = brick(case);
            assert!(rows.len() == 101 && rows.iter().all(|row| row.v.is_finite()), "{case}");
        }
        for case in ["critical_damping", "half_damping"] {
            let rows = incline(case);
            assert!(rows.len() == 151 && rows[0].v == 0.5 && rows.iter().all(|row| row.torque.is_finite()));
        }
    }
}

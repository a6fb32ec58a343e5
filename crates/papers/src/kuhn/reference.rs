//! Series that ours are compared with, computed independently of this program.
//!
//! `loops.csv`: the superposition of contacts at constant load, equal to Mindlin and Deresiewicz' closed forms to 1.4e-15; nine digits.
//! `fig5.csv`: the closed form of eq. 16 at constant load and creepage, quartz of nu = 0.15, mu = 0.5, a/R = 1 %; six digits and more.

/// Amplitude, phase, s/s_max, Q/(mu P).
const LOOPS: &str = include_str!("data/loops.csv");
/// 1/xi, u/zeta, roll/a, T/(mu P).
const FIG5: &str = include_str!("data/fig5.csv");

/// The loop of this amplitude of Q/(mu P), as written there: s/s_max and Q/(mu P) along it.
pub fn loop_of(amplitude: &str) -> Vec<[f64; 2]> {
    let rows = LOOPS.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let of_amplitude = rows.filter(|row| row[0] == amplitude);
    of_amplitude.map(|row| [row[2], row[3]].map(|cell| cell.parse().unwrap_or(f64::NAN))).collect()
}

/// The series of this inverse creepage: u/zeta, roll/a, T/(mu P).
pub fn fig5(inverse_creepage: f64) -> Vec<[f64; 3]> {
    let rows = FIG5.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect());
    rows.filter(|row: &Vec<f64>| row[0] == inverse_creepage).map(|row| [row[1], row[2], row[3]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_complete() {
        for amplitude in ["0.2", "0.5", "0.8", "0.95", "0.999"] {
            let rows = loop_of(amplitude);
            assert!(rows.len() == 200 && rows.iter().flatten().all(|x| x.is_finite()));
        }
        for inverse_creepage in [0.0, 1.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0] {
            let rows = fig5(inverse_creepage);
            assert!(rows.len() == 144 && rows.iter().flatten().all(|x| x.is_finite()));
        }
    }
}

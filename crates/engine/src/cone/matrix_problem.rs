//! A contact problem whose matrix W is given, without bodies: u = W r + q (the form of Siconos' rolling friction
//! problems). Contact i has the rows n, t1, t2, m1, m2; spinning is free.
//!
//! Each contact becomes a block that keeps its impulse in a body of its own and reads those of the others with its rows of W, so
//! that every solver of `Rows` works, also where W is not quite symmetric.

use serde::{Deserialize, Serialize};

use super::blocks::{BlockRow, Lever, Set};
use super::certificate::Certificate;
use super::project::Cones;
use super::rows::{Rows, Twist};
use super::settings::{Rule, Settings};
use super::solve::solve_by;
use crate::response::Response;

/// Rows of a contact.
const ROWS: usize = 5;

/// Where they stand in a block: n, u, w, tn, tu, tw.
const PLACE: [usize; ROWS] = [0, 1, 2, 4, 5];

/// How far the friction of a contact reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatrixContact {
    /// mu: |r_t| <= mu r_n.
    pub slide: f64,
    /// mu_r (m): |r_m| <= mu_r r_n.
    pub roll: f64,
}

/// A problem given by its matrix.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MatrixProblem {
    /// Contacts.
    pub contacts: Vec<MatrixContact>,
    /// Entries of W that are not zero: row, column, value.
    pub entries: Vec<(u32, u32, f64)>,
    /// Velocities without impulses: five per contact (m/s, rad/s).
    pub q: Vec<f64>,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatrixSolution {
    /// Impulses, five per contact.
    pub r: Vec<f64>,
    /// u = W r + q.
    pub u: Vec<f64>,
    /// r . W r/2 + q . r.
    pub objective: f64,
    /// How well it was solved. Rolling rows count with the length sqrt(W_tt/W_mm) of their contact.
    pub certificate: Certificate,
}

impl MatrixProblem {
    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), String> {
        let rows = self.contacts.len() * ROWS;
        if self.q.len() != rows {
            return Err(format!(
                "q has {} numbers, but {} contacts have {rows} rows",
                self.q.len(),
                self.contacts.len()
            ));
        }
        if let Some(at) = self.q.iter().position(|q| !q.is_finite()) {
            return Err(format!("number {at} of q must be finite"));
        }
        let sound = |ratio: f64| ratio >= 0.0 && ratio.is_finite();
        if let Some(at) = self.contacts.iter().position(|contact| !(sound(contact.slide) && sound(contact.roll))) {
            return Err(format!("contact {at}: coefficients must be finite and not below zero"));
        }
        for &(row, column, value) in &self.entries {
            if row as usize >= rows || column as usize >= rows || !value.is_finite() {
                return Err(format!("entry {row}, {column} of W must be a finite number in {rows} rows and columns"));
            }
            if row == column && value < 0.0 {
                return Err(format!("entry {row}, {column} of W must not be below zero, as it is on the diagonal"));
            }
        }
        Ok(())
    }

    /// Solves it from zero. The error says what is wrong with it.
    pub fn solve_by(&self, settings: &Settings, rule: Rule) -> Result<MatrixSolution, String> {
        self.check()?;
        let mut rows = self.to_rows();
        // Bodies that stand for contacts: their twists hold impulses.
        let mut twists = vec![Twist::default(); self.contacts.len()];
        let response = vec![Response::NONE; self.contacts.len()];
        let certificate = solve_by(&mut rows, &response, &mut twists, settings, rule);
        let blocks = rows.blocks();
        let (mut r, mut u) = (Vec::with_capacity(self.q.len()), Vec::with_capacity(self.q.len()));
        for index in 0..blocks.len() {
            let (g, velocity) = (blocks.impulse(index), blocks.velocity(index, &twists));
            r.extend(PLACE.map(|k| g[k]));
            u.extend(PLACE.map(|k| velocity[k]));
        }
        let objective = r.iter().zip(&u).zip(&self.q).map(|((r, u), q)| 0.5 * r * (u + q)).sum();
        Ok(MatrixSolution { r, u, objective, certificate })
    }

    fn to_rows(&self) -> Rows {
        let count = self.contacts.len();
        // By contact: the contacts that it reads, and the 5 x 5 entries.
        let mut columns: Vec<Vec<u32>> = (0..count as u32).map(|own| vec![own]).collect();
        for &(row, column, _) in &self.entries {
            columns[row as usize / ROWS].push(column / ROWS as u32);
        }
        let mut levers = Vec::with_capacity(count);
        for columns in &mut columns {
            columns.sort_unstable();
            columns.dedup();
            levers.push(vec![Lever::default(); 6 * columns.len()]);
        }
        for &(row, column, value) in &self.entries {
            let (i, j) = (row as usize / ROWS, column as usize / ROWS);
            let Ok(at) = columns[i].binary_search(&(j as u32)) else { continue };
            let lever = &mut levers[i][6 * at + PLACE[row as usize % ROWS]];
            let place = PLACE[column as usize % ROWS];
            let to = if place < 3 { &mut lever.linear } else { &mut lever.angular };
            to[place % 3] += value;
        }
        let mut rows = Rows::default();
        for (i, &MatrixContact { slide, roll }) in self.contacts.iter().enumerate() {
            let own = columns[i].binary_search(&(i as u32)).unwrap_or(0);
            let diagonal = |k: usize| {
                let Lever { linear, angular } = levers[i][6 * own + k];
                if k < 3 { linear[k] } else { angular[k - 3] }
            };
            let (slides, rolls) = (diagonal(1).max(diagonal(2)), diagonal(4).max(diagonal(5)));
            let length = if slides > 0.0 && rolls > 0.0 { (slides / rolls).sqrt() } else { 1.0 };
            let mut q = [0.0; 6];
            (0..ROWS).for_each(|k| q[PLACE[k]] = self.q[ROWS * i + k]);
            let flat = q.map(|bias| BlockRow { bias, length, ..BlockRow::FREE });
            let set = Set::Cone(Cones { slide, roll, spin: 0.0 });
            rows.blocks_mut().push_of_matrix(set, &flat, &columns[i], &levers[i], i as u32);
        }
        rows
    }
}

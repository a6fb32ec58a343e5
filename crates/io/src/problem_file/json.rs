//! The JSON form: bodies with one mass each, contacts by their rows, other rows by the velocities that they multiply.
//!
//! Rows of a contact are n, u, w, tn, tu, tw. `Dt_a` has their coefficients of the six velocities of body a (world axes): n, u, w of
//! a contact point are (e, arm x e), tn, tu, tw are (0, e); `Dt_b` has those of body b, with the other sign. So a contact's normal,
//! tangents and arms follow from them. `docs/solve.md` describes every key.
//!
//! Does not do: rows of another form (angular velocities in a body's own axes), which are an error.

use glam::{DMat3, DVec3};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use stickslip::cone::{Cones, Options, Problem, ProblemBody, ProblemContact, ProblemRow, Solution, Twist, Wrench};
use stickslip::response::Response;

use crate::input::{InputError, Source, nearest};

/// By how much the rows of a contact may miss those of a point, relative to their arm.
const OFF: f64 = 1e-6;

/// Keys that a file may have beside those that are read.
const OTHER_KEYS: [&str; 7] = ["note", "n_contacts", "h", "mass", "inertia", "positions", "solution"];

/// Keys that are read.
const KEYS: [&str; 8] = ["n_bodies", "k", "b", "minv_per_body", "contacts", "compliance_diag", "extra_rows", "radius"];

/// A problem, and how a file writes impulses and velocities of it.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedProblem {
    /// The problem.
    pub problem: Problem,
    /// Tangents u and w of each contact.
    tangents: Vec<[DVec3; 2]>,
}

#[derive(Deserialize)]
struct File {
    n_bodies: usize,
    n_contacts: Option<usize>,
    k: Vec<f64>,
    b: Vec<f64>,
    minv_per_body: Inverses,
    contacts: Vec<FileContact>,
    #[serde(default)]
    compliance_diag: Option<Vec<f64>>,
    #[serde(default)]
    extra_rows: Vec<FileRow>,
    radius: Option<f64>,
}

/// Six numbers for all bodies, or for each body six, or a row-major 6 x 6 matrix of two 3 x 3 blocks.
#[derive(Deserialize)]
#[serde(untagged)]
enum Inverses {
    Alike(Vec<f64>),
    Each(Vec<Vec<f64>>),
}

#[derive(Deserialize)]
struct FileContact {
    a: i64,
    b: i64,
    mu: f64,
    rho: f64,
    sigma: f64,
    #[serde(rename = "Dt_a")]
    of_a: Vec<Vec<f64>>,
    #[serde(rename = "Dt_b")]
    of_b: Option<Vec<Vec<f64>>>,
}

#[derive(Deserialize)]
struct FileRow {
    row: Vec<f64>,
    cols: Vec<usize>,
    b: f64,
    lo: Option<f64>,
    hi: Option<f64>,
}

/// Reads a problem.
pub(super) fn read(source: &Source) -> Result<SavedProblem, InputError> {
    let file: File = serde_json::from_str(source.text()).map_err(|error| syntax(source, &error))?;
    check_keys(source)?;
    let at = |message: String| InputError::of_file(source.name(), message);
    let problem = Reader { file: &file }.read().map_err(at)?;
    problem.0.to_rows().map_err(|error| at(error.to_string()))?;
    Ok(SavedProblem { problem: problem.0, tangents: problem.1 })
}

/// An error of the text, at its line and column.
fn syntax(source: &Source, error: &serde_json::Error) -> InputError {
    let before: usize = source.text().split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (before + error.column().saturating_sub(1)).min(source.text().len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    source.error(at..at + 1, format!("{message} (column {})", error.column()))
}

/// Finds misspelt keys. A key that resembles none is somebody's note.
fn check_keys(source: &Source) -> Result<(), InputError> {
    let top: std::collections::BTreeMap<String, IgnoredAny> =
        serde_json::from_str(source.text()).map_err(|error| syntax(source, &error))?;
    let known: Vec<&str> = KEYS.into_iter().chain(OTHER_KEYS).collect();
    for key in top.keys().filter(|key| !known.contains(&key.as_str())) {
        if let Some(near) = nearest(key, &known) {
            let shown: String = key.chars().take(40).collect();
            let error = InputError::of_file(source.name(), format!("{shown}: no such key"));
            return Err(error.help(format!("did you mean `{near}`?")));
        }
    }
    Ok(())
}

struct Reader<'a> {
    file: &'a File,
}

type Read<T> = Result<T, String>;

impl Reader<'_> {
    fn read(&self) -> Read<(Problem, Vec<[DVec3; 2]>)> {
        let file = self.file;
        let contacts = file.contacts.len();
        if let Some(count) = file.n_contacts.filter(|count| *count != contacts) {
            return Err(format!("contacts: {contacts} of them, but n_contacts is {count}"));
        }
        length("k", &file.k, file.n_bodies.saturating_mul(6), "six numbers per body")?;
        let rows = 6 * contacts + file.extra_rows.len();
        length("b", &file.b, rows, "six numbers per contact and one per extra row")?;
        if let Some(radius) = file.radius.filter(|radius| !(*radius > 0.0)) {
            return Err(format!("radius: {radius} must be above zero"));
        }
        let bodies = self.read_bodies()?;
        let compliance = self.read_compliance()?;
        let mut read = Vec::with_capacity(contacts);
        let mut tangents = Vec::with_capacity(contacts);
        for (index, contact) in file.contacts.iter().enumerate() {
            let bias = &file.b[6 * index..6 * index + 6];
            let (contact, frame) = self
                .read_contact(contact, bias, &compliance, bodies.len())
                .map_err(|message| format!("contacts[{index}]{message}"))?;
            read.push(contact);
            tangents.push(frame);
        }
        let rows = file.extra_rows.iter().enumerate().map(|(index, row)| {
            let appended = file.b[6 * contacts + index];
            self.read_row(row, appended).map_err(|message| format!("extra_rows[{index}]{message}"))
        });
        let rows = rows.collect::<Read<Vec<ProblemRow>>>()?;
        Ok((Problem { bodies, contacts: read, rows }, tangents))
    }

    fn read_bodies(&self) -> Read<Vec<ProblemBody>> {
        let file = self.file;
        let body = |inverse: Response, k: &[f64]| {
            let velocity = inverse.linear * vector(&k[..3]);
            let angular_velocity = inverse.angular * vector(&k[3..]);
            ProblemBody { response: inverse, free: Twist { velocity, angular_velocity } }
        };
        match &file.minv_per_body {
            Inverses::Alike(inverse) => {
                let inverse = response(inverse).map_err(|message| format!("minv_per_body: {message}"))?;
                Ok(file.k.chunks_exact(6).map(|k| body(inverse, k)).collect())
            }
            Inverses::Each(inverses) if inverses.len() == file.n_bodies => {
                let one = |(index, (inverse, k)): (usize, (&Vec<f64>, &[f64]))| {
                    let inverse = response(inverse).map_err(|message| format!("minv_per_body[{index}]: {message}"))?;
                    Ok(body(inverse, k))
                };
                inverses.iter().zip(file.k.chunks_exact(6)).enumerate().map(one).collect()
            }
            Inverses::Each(inverses) => {
                Err(format!("minv_per_body: {} entries, expected six numbers or one entry per body", inverses.len()))
            }
        }
    }

    fn read_compliance(&self) -> Read<[f64; 6]> {
        let Some(numbers) = &self.file.compliance_diag else { return Ok([0.0; 6]) };
        length("compliance_diag", numbers, 6, "six numbers (n, u, w, tn, tu, tw) or null")?;
        match numbers.iter().position(|c| !(*c >= 0.0)) {
            Some(at) => Err(format!("compliance_diag[{at}]: {} must not be below zero", numbers[at])),
            None => Ok(std::array::from_fn(|k| numbers[k])),
        }
    }

    /// A contact with its tangents.
    fn read_contact(
        &self,
        contact: &FileContact,
        bias: &[f64],
        compliance: &[f64; 6],
        bodies: usize,
    ) -> Read<(ProblemContact, [DVec3; 2])> {
        let body = |name: &str, index: i64| -> Read<u32> {
            let found = u32::try_from(index).ok().filter(|index| (*index as usize) < bodies);
            found.ok_or_else(|| format!(".{name}: {index} must be a body, from 0 to {}", bodies as i64 - 1))
        };
        let a = body("a", contact.a)?;
        let b = if contact.b == -1 { None } else { Some(body("b", contact.b)?) };
        for (name, value) in [("mu", contact.mu), ("rho", contact.rho), ("sigma", contact.sigma)] {
            if !(value >= 0.0) {
                return Err(format!(".{name}: {value} must not be below zero"));
            }
        }
        let frame = frame_of(&contact.of_a)?;
        let of_a = arm("Dt_a", &contact.of_a, &frame, 1.0)?;
        let of_b = match (&contact.of_b, b) {
            (Some(rows), Some(_)) => arm("Dt_b", rows, &frame, -1.0)?,
            (None, Some(_)) => return Err(".Dt_b: null, but the contact has a body b: expected six rows".into()),
            (_, None) => DVec3::ZERO,
        };
        let [normal, u, w] = frame;
        let sum = |of: &[f64]| normal * of[0] + u * of[1] + w * of[2];
        let give = |of: &[f64]| outer(normal) * of[0] + outer(u) * of[1] + outer(w) * of[2];
        let options = Options {
            compliance: [give(&compliance[..3]), give(&compliance[3..])],
            turning_bias: sum(&bias[3..]),
            ellipse: None,
        };
        let largest_arm = of_a.length().max(of_b.length());
        let length = self.file.radius.unwrap_or(if largest_arm > 0.0 { largest_arm } else { 1.0 });
        let contact = ProblemContact {
            a,
            b,
            normal,
            arm: [of_a, of_b],
            bias: sum(&bias[..3]),
            cones: Cones { slide: contact.mu, roll: contact.rho, spin: contact.sigma },
            length,
            impulse: Wrench::default(),
            options,
        };
        Ok((contact, [u, w]))
    }

    fn read_row(&self, row: &FileRow, appended: f64) -> Read<ProblemRow> {
        if row.row.len() != row.cols.len() {
            return Err(format!(": {} numbers in row, but {} in cols", row.row.len(), row.cols.len()));
        }
        if row.b != appended {
            return Err(format!(".b: {}, but b ends with {appended} for this row", row.b));
        }
        let mut terms: Vec<(u32, DVec3, DVec3)> = Vec::new();
        for (at, (&column, &value)) in row.cols.iter().zip(&row.row).enumerate() {
            if column >= self.file.k.len() {
                return Err(format!(".cols[{at}]: {column} must be below 6 n_bodies = {}", self.file.k.len()));
            }
            let body = (column / 6) as u32;
            let place = terms.iter().position(|term| term.0 == body).unwrap_or(terms.len());
            if place == terms.len() {
                terms.push((body, DVec3::ZERO, DVec3::ZERO));
            }
            let (_, linear, angular) = &mut terms[place];
            let to = if column % 6 < 3 { linear } else { angular };
            to[column % 3] += value;
        }
        // A row that only turns has an angular velocity.
        let turns = terms.iter().all(|term| term.1 == DVec3::ZERO);
        let length = if turns { self.file.radius.unwrap_or(1.0) } else { 1.0 };
        Ok(ProblemRow { terms, bias: row.b, compliance: 0.0, lo: row.lo, hi: row.hi, length })
    }
}

fn length(name: &str, numbers: &[f64], expected: usize, what: &str) -> Read<()> {
    if numbers.len() == expected {
        return Ok(());
    }
    Err(format!("{name}: {} numbers, expected {expected} ({what})", numbers.len()))
}

fn vector(numbers: &[f64]) -> DVec3 {
    DVec3::new(numbers[0], numbers[1], numbers[2])
}

/// e e', symmetric to the last bit.
fn outer(e: DVec3) -> DMat3 {
    DMat3::from_cols(e * e.x, e * e.y, e * e.z)
}

fn response(numbers: &[f64]) -> Read<Response> {
    let (linear, angular) = match numbers.len() {
        6 => (DMat3::from_diagonal(vector(&numbers[..3])), DMat3::from_diagonal(vector(&numbers[3..]))),
        36 => {
            let block = |from: usize| {
                let column = |j: usize| DVec3::from_array(std::array::from_fn(|i| numbers[6 * (from + i) + from + j]));
                DMat3::from_cols(column(0), column(1), column(2))
            };
            (block(0), block(3))
        }
        count => return Err(format!("{count} numbers, expected 6 or 36")),
    };
    let sound =
        |of: &DMat3| of.is_finite() && of.abs_diff_eq(of.transpose(), 0.0) && (0..3).all(|k| of.col(k)[k] >= 0.0);
    if sound(&linear) && sound(&angular) {
        return Ok(Response { linear, angular });
    }
    Err("inverse masses must be finite and not below zero, matrices symmetric".into())
}

/// Normal and tangents of a contact: the directions of its first three rows.
fn frame_of(rows: &[Vec<f64>]) -> Read<[DVec3; 3]> {
    if rows.len() != 6 {
        return Err(format!(".Dt_a: {} rows, expected 6 (n, u, w, tn, tu, tw)", rows.len()));
    }
    if let Some(at) = rows.iter().position(|row| row.len() != 6) {
        return Err(format!(".Dt_a[{at}]: {} numbers, expected 6", rows[at].len()));
    }
    let [n, u, w] = [0, 1, 2].map(|k| vector(&rows[k]));
    let unit = |e: DVec3| (e.length() - 1.0).abs() <= OFF;
    if !(unit(n) && unit(u) && unit(w) && [n.dot(u), n.dot(w), u.dot(w)].iter().all(|dot| dot.abs() <= OFF)) {
        return Err(".Dt_a: the first three numbers of rows n, u and w must be unit vectors at right angles".into());
    }
    // To the last bit, so that nothing is lost between the file's rows and ours.
    let n = n.normalize();
    let u = (u - n * n.dot(u)).normalize();
    Ok([n, u, if n.cross(u).dot(w) > 0.0 { n.cross(u) } else { u.cross(n) }])
}

/// The arm of the rows of one body: e and arm x e in rows n, u, w, e in rows tn, tu, tw.
fn arm(name: &str, rows: &[Vec<f64>], frame: &[DVec3; 3], sign: f64) -> Read<DVec3> {
    if rows.len() != 6 || rows.iter().any(|row| row.len() != 6) {
        return Err(format!(".{name}: expected 6 rows of 6 numbers"));
    }
    // The sum of e x (arm x e) is twice the arm.
    let arm = (0..3).map(|k| frame[k].cross(vector(&rows[k][3..]) * sign)).sum::<DVec3>() * 0.5;
    for k in 0..3 {
        let [moves, turns, none, about] =
            [&rows[k][..3], &rows[k][3..], &rows[3 + k][..3], &rows[3 + k][3..]].map(|row| vector(row) * sign);
        let off = [moves - frame[k], none, about - frame[k]].map(DVec3::length).into_iter().fold(0.0, f64::max);
        let turned = (turns - arm.cross(frame[k])).length();
        if !(off <= OFF && turned <= OFF * arm.length().max(f64::MIN_POSITIVE)) {
            return Err(format!(
                ".{name}[{k}]: the rows must be those of a contact point in world axes: (e, arm x e) and (0, e)"
            ));
        }
    }
    Ok(arm)
}

impl SavedProblem {
    /// A problem with tangents of our own choice.
    fn with_own_tangents(problem: Problem) -> SavedProblem {
        let tangents = problem.contacts.iter().map(|contact| contact.normal.any_orthonormal_pair().into());
        SavedProblem { tangents: tangents.collect(), problem }
    }

    /// Velocities as files write them: six per body.
    pub fn velocities(&self, solution: &Solution) -> Vec<f64> {
        let six = |twist: &Twist| [twist.velocity.to_array(), twist.angular_velocity.to_array()].concat();
        solution.twists.iter().flat_map(six).collect()
    }

    /// Impulses as files write them: n, u, w, tn, tu, tw per contact, then those of the extra rows.
    pub fn gamma(&self, solution: &Solution) -> Vec<f64> {
        let mut gamma = Vec::with_capacity(6 * self.tangents.len() + solution.row_impulses.len());
        let contacts = self.problem.contacts.iter().zip(&self.tangents).zip(&solution.impulses);
        for ((contact, [u, w]), Wrench { force, torque }) in contacts {
            for of in [force, torque] {
                gamma.extend([contact.normal, *u, *w].map(|e| of.dot(e)));
            }
        }
        gamma.extend(&solution.row_impulses);
        gamma
    }
}

/// Writes a problem in this form. Compliance and limits that the form has no key for are an error.
pub fn to_json(problem: &Problem) -> Result<String, String> {
    let saved = SavedProblem::with_own_tangents(problem.clone());
    let mut b = Vec::with_capacity(6 * problem.contacts.len() + problem.rows.len());
    let mut contacts = Vec::with_capacity(problem.contacts.len());
    for (index, (contact, [u, w])) in problem.contacts.iter().zip(&saved.tangents).enumerate() {
        if contact.options.compliance != [DMat3::ZERO; 2] || contact.options.ellipse.is_some() {
            return Err(format!("contact {index} has compliance or limits of its own, which the form cannot say"));
        }
        let frame = [contact.normal, *u, *w];
        b.extend(frame.map(|e| contact.bias.dot(e)));
        b.extend(frame.map(|e| contact.options.turning_bias.dot(e)));
        contacts.push(contact_to_json(contact, &frame));
    }
    if let Some(index) = problem.rows.iter().position(|row| row.compliance != 0.0) {
        return Err(format!("row {index} has compliance, which the form cannot say"));
    }
    b.extend(problem.rows.iter().map(|row| row.bias));
    let file = json!({
        "note": "min 1/2 g^T N g + r^T g, g in cones; order n, u, w, tn, tu, tw; SI units",
        "n_bodies": problem.bodies.len(), "n_contacts": contacts.len(),
        "minv_per_body": problem.bodies.iter().map(inverse_to_json).collect::<Vec<_>>(),
        "k": momenta(problem)?, "b": b, "contacts": contacts, "compliance_diag": null,
        "extra_rows": problem.rows.iter().map(row_to_json).collect::<Vec<_>>(),
        "radius": problem.contacts.first().map(|contact| contact.length),
    });
    Ok(format!("{file}\n"))
}

fn momenta(problem: &Problem) -> Result<Vec<f64>, String> {
    let mut k = Vec::with_capacity(6 * problem.bodies.len());
    for (index, ProblemBody { response, free }) in problem.bodies.iter().enumerate() {
        if [response.linear, response.angular].iter().any(|of| of.determinant() == 0.0) {
            return Err(format!("body {index} has no finite mass in some direction, which the form cannot say"));
        }
        k.extend((response.linear.inverse() * free.velocity).to_array());
        k.extend((response.angular.inverse() * free.angular_velocity).to_array());
    }
    Ok(k)
}

fn contact_to_json(contact: &ProblemContact, frame: &[DVec3; 3]) -> Value {
    let rows = |arm: DVec3, sign: f64| -> Value {
        let linear = frame.map(|e| [(e * sign).to_array(), (arm.cross(e) * sign).to_array()].concat());
        let turning = frame.map(|e| [[0.0; 3], (e * sign).to_array()].concat());
        json!([linear, turning].concat())
    };
    let Cones { slide, roll, spin } = contact.cones;
    json!({
        "a": contact.a, "b": contact.b.map_or(-1, i64::from), "mu": slide, "rho": roll, "sigma": spin,
        "Dt_a": rows(contact.arm[0], 1.0), "Dt_b": contact.b.map(|_| rows(contact.arm[1], -1.0)),
    })
}

fn row_to_json(row: &ProblemRow) -> Value {
    let numbers = row.terms.iter().flat_map(|(_, linear, angular)| [linear.to_array(), angular.to_array()].concat());
    let columns = row.terms.iter().flat_map(|(body, ..)| (0..6).map(move |k| 6 * body + k));
    let (numbers, columns): (Vec<f64>, Vec<u32>) = (numbers.collect(), columns.collect());
    json!({ "row": numbers, "cols": columns, "b": row.bias, "lo": row.lo, "hi": row.hi })
}

/// Row-major 6 x 6.
fn inverse_to_json(body: &ProblemBody) -> Vec<f64> {
    let mut numbers = vec![0.0; 36];
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        numbers[6 * i + j] = body.response.linear.col(j)[i];
        numbers[6 * (3 + i) + 3 + j] = body.response.angular.col(j)[i];
    }
    numbers
}

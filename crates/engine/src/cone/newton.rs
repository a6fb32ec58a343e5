//! Semismooth Newton on the natural map (Alart and Curnier 1991; Qi and Sun 1993), between sweeps of Gauss-Seidel.
//!
//! ```text
//!   F(x) = x - P(z),  z = x - eta (u' + A(u') n)            J = P'(z),  a = A'(u')
//!   (1 - J) dx + eta J (1 + n a^T) N' dx + delta dx = -F
//! ```
//!
//! in scaled impulses (THEORY.md eq. 8.10). Contacts with J = 0 (open) leave the system: dx = -F. Others are factorised as a sparse
//! matrix of blocks (`factor.rs`). A step that lowers the residual stays; after one that does not, sweeps bring the iterate nearer,
//! and twice as many each time. delta keeps redundant contacts and joints from making the matrix singular.
//!
//! Does not do: a proof of convergence under the exact law, or where many more contacts carry than bodies can tell apart; sweeps
//! then do the work. A step allocates its factors.

use glam::DVec3;

use super::blocks::{MOST_ROWS, Numbers, Set, numbers_of, split_of};
use super::certificate::Certificate;
use super::elliptic::{AxisRoll, Ellipse, Limits};
use super::factor::{Block, BlockMatrix, Factors, ZERO, product, times};
use super::least_norm;
use super::project::Split;
use super::rows::{Options, Rows, Twist, Wrench};
use super::settings::Cone;
use super::solve::Solving;
use crate::response::Response;

/// Sweeps before the first step.
const FIRST_SWEEPS: u32 = 10;

/// The most sweeps between two attempts.
const MOST_SWEEPS: u32 = 2000;

/// A step stays if it brings the residual down to this share.
const GOOD: f64 = 0.7;

/// delta, beside blocks with a diagonal of 1: the next one where a step is not good.
const DELTAS: [f64; 3] = [1e-10, 1e-6, 1e-3];

/// Solves from the impulses that the rows have, in up to so many iterations.
pub(super) fn polish(work: &mut Solving<'_>, most: u32) -> Certificate {
    let mut between = FIRST_SWEEPS;
    let delassus = Delassus::of(work.rows, work.response);
    loop {
        let mut certificate = work.sweep_until((work.iterations + between).min(most));
        let mut delta = 0;
        while !certificate.solved && work.iterations < most && delta < DELTAS.len() {
            let before = work.rows.impulses_of_all();
            work.iterations += 1;
            let stepped = delassus.step(work, DELTAS[delta]);
            let now = work.certificate();
            // A number that is not finite is no improvement.
            if stepped && now.residual < GOOD * certificate.residual {
                certificate = now;
                continue;
            }
            work.rows.set_impulses_of_all(&before);
            work.refresh_twists();
            delta += 1;
        }
        if certificate.solved || work.iterations >= most {
            // A sweep's projections put impulses on their cones, which a step leaves by its rounding.
            let certificate = certificate_on_cones(work, certificate);
            return with_least_norm(&delassus, work, certificate);
        }
        between = (2 * between).min(MOST_SWEEPS);
    }
}

/// Gives joints the impulses of least norm, if the step stays solved with them.
fn with_least_norm(delassus: &Delassus, work: &mut Solving<'_>, certificate: Certificate) -> Certificate {
    if !certificate.solved || work.rows.blocks().is_empty() {
        return certificate;
    }
    let before = work.rows.impulses_of_all();
    least_norm::settle(delassus, work);
    let now = work.certificate();
    if now.solved {
        return now;
    }
    work.rows.set_impulses_of_all(&before);
    work.refresh_twists();
    certificate
}

fn certificate_on_cones(work: &mut Solving<'_>, certificate: Certificate) -> Certificate {
    let before = work.rows.impulses_of_all();
    work.sweep();
    let now = work.certificate();
    if now.solved || !certificate.solved {
        return now;
    }
    work.rows.set_impulses_of_all(&before);
    work.refresh_twists();
    certificate
}

/// N' by blocks, which stays while the geometry does.
pub(super) struct Delassus {
    matrix: BlockMatrix,
    units: Vec<Unit>,
}

/// A contact or block in scaled numbers.
struct Unit {
    s: Numbers,
    eta: f64,
    /// The contact's frame: normal and two tangents.
    frame: [DVec3; 3],
    rows: usize,
}

/// Levers and moves of a unit's rows on one body.
struct OnBody {
    unit: u32,
    body: u32,
    levers: [(DVec3, DVec3); MOST_ROWS],
    moves: [Twist; MOST_ROWS],
    reads: bool,
    writes: bool,
}

impl Delassus {
    fn of(rows: &Rows, response: &[Response]) -> Delassus {
        let mut units = Vec::with_capacity(rows.len() + rows.blocks().len());
        let mut on_bodies = Vec::new();
        for index in 0..rows.len() {
            units.push(contact_unit(rows, index, response, &mut on_bodies));
        }
        for index in 0..rows.blocks().len() {
            units.push(block_unit(rows, index, &mut on_bodies));
        }
        let mut matrix = couple(&units, &on_bodies, response.len());
        for (unit, diagonal) in matrix.diagonal.iter_mut().enumerate() {
            add_compliance(rows, unit, &units[unit], diagonal);
        }
        Delassus { matrix, units }
    }

    /// The matrix, contacts first, then blocks.
    pub(super) fn matrix(&self) -> &BlockMatrix {
        &self.matrix
    }

    /// One step of Newton's method; false where the matrix is singular.
    fn step(&self, work: &mut Solving<'_>, delta: f64) -> bool {
        let count = self.units.len();
        let contacts = work.rows.len();
        let (mut off, mut by) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut slopes, mut carries) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (index, unit) in self.units.iter().enumerate() {
            let map = if index < contacts {
                unit.contact_map(work.rows, index, work.twists, work.settings.cone)
            } else {
                unit.block_map(work.rows, index - contacts, work.twists, work.settings.cone)
            };
            carries.push(map.slope != ZERO);
            off.push(map.off);
            slopes.push(map.slope);
            by.push(map.by);
        }
        let (reduced, kept) = self.reduce(&slopes, &by, &carries, &mut off, delta);
        let Some(factors) = Factors::of(&reduced) else { return false };
        let mut step: Vec<Numbers> = kept.iter().map(|unit| off[*unit as usize]).collect();
        factors.solve(&mut step);
        for (unit, step) in kept.iter().zip(step) {
            off[*unit as usize] = step;
        }
        for (index, (unit, step)) in self.units.iter().zip(&off).enumerate() {
            unit.take(work.rows, index, step);
        }
        work.refresh_twists();
        true
    }

    /// The system of units that carry, with the known steps of the others on the right-hand side.
    fn reduce(
        &self,
        slopes: &[Block],
        by: &[Block],
        carries: &[bool],
        off: &mut [Numbers],
        delta: f64,
    ) -> (BlockMatrix, Vec<u32>) {
        let mut number = vec![u32::MAX; carries.len()];
        let kept: Vec<u32> = (0_u32..).zip(carries).filter(|(_, carries)| **carries).map(|(unit, _)| unit).collect();
        for (at, unit) in (0_u32..).zip(&kept) {
            number[*unit as usize] = at;
        }
        let mut reduced = BlockMatrix::default();
        for &unit in &kept {
            let i = unit as usize;
            let mut diagonal = product(&by[i], &self.matrix.diagonal[i]);
            for k in 0..MOST_ROWS {
                for l in 0..MOST_ROWS {
                    diagonal[k][l] -= slopes[i][k][l];
                }
                diagonal[k][k] += 1.0 + delta;
            }
            let (mut columns, mut entries) = (Vec::new(), Vec::new());
            for (&j, block) in self.matrix.columns[i].iter().zip(&self.matrix.entries[i]) {
                let block = product(&by[i], block);
                if carries[j as usize] {
                    columns.push(number[j as usize]);
                    entries.push(block);
                } else {
                    let known = times(&block, &off[j as usize]);
                    off[i].iter_mut().zip(known).for_each(|(off, known)| *off -= known);
                }
            }
            reduced.diagonal.push(diagonal);
            reduced.columns.push(columns);
            reduced.entries.push(entries);
        }
        (reduced, kept)
    }
}

/// -F of a unit, J, and eta J (1 + n a^T).
struct Map {
    off: Numbers,
    slope: Block,
    by: Block,
}

impl Unit {
    fn local(&self, x: &Split) -> Numbers {
        let [_, u, w] = self.frame;
        [x.normal, x.slide.dot(u), x.slide.dot(w), x.spin, x.roll.dot(u), x.roll.dot(w)]
    }

    fn contact_map(&self, rows: &Rows, index: usize, twists: &[Twist], cone: Cone) -> Map {
        let scale = &rows.scale[index];
        let mut limits = rows.limits(index).scaled(&scale.cones, &scale.root, &scale.inverse_root);
        if let Some(Ellipse { roll: Some(roll), coupled }) = limits.ellipse {
            // The axis in the contact's frame.
            let axis = DVec3::new(0.0, roll.axis.dot(self.frame[1]), roll.axis.dot(self.frame[2]));
            limits.ellipse = Some(Ellipse { roll: Some(AxisRoll { axis, ..roll }), coupled });
        }
        let u = split_of(&self.local(&rows.velocity(index, twists).times(scale.root)));
        let x = split_of(&self.local(&rows.split_impulse(index).times(scale.inverse_root)));
        self.cone_map(&x, u, &limits, cone)
    }

    fn cone_map(&self, x: &Split, mut u: Split, limits: &Limits, cone: Cone) -> Map {
        if !limits.resist_turning() {
            (u.spin, u.roll) = (0.0, DVec3::ZERO);
        }
        let exact = cone == Cone::Exact;
        let opening = if exact { limits.opening(&u) } else { 0.0 };
        let mut z = x.plus(&u, -self.eta);
        z.normal -= self.eta * opening;
        let off = numbers_of(&limits.project(&z).plus(x, -1.0));
        let slope = limits.slope(&z);
        let unit = |k: usize| split_of(&std::array::from_fn(|l| if k == l { 1.0 } else { 0.0 }));
        let (mut of, mut by) = (ZERO, ZERO);
        let along_normal = numbers_of(&slope(&unit(0)));
        let gradient = if exact { opening_gradient(&u, limits) } else { Numbers::default() };
        for k in 0..self.rows {
            let column = numbers_of(&slope(&unit(k)));
            for l in 0..MOST_ROWS {
                of[l][k] = column[l];
                by[l][k] = self.eta * (column[l] + along_normal[l] * gradient[k]);
            }
        }
        Map { off, slope: of, by }
    }

    fn block_map(&self, rows: &Rows, index: usize, twists: &[Twist], cone: Cone) -> Map {
        let blocks = rows.blocks();
        let (g, u) = (blocks.impulse(index), blocks.velocity(index, twists));
        let x: Numbers = std::array::from_fn(|k| g[k] / self.s[k]);
        let u: Numbers = std::array::from_fn(|k| u[k] * self.s[k]);
        let z: Numbers = std::array::from_fn(|k| x[k] - self.eta * u[k]);
        let (mut off, mut slope) = (Numbers::default(), ZERO);
        match (blocks.set(index), blocks.scale(index)) {
            (Set::Cone(_), Some(scale)) => {
                return self.cone_map(&split_of(&x), split_of(&u), &scale.cones.into(), cone);
            }
            (Set::Ball(radius), _) => {
                let (radius, size) = (radius / self.s[0], z.iter().map(|z| z * z).sum::<f64>().sqrt());
                let cut = if size > radius { radius / size } else { 1.0 };
                for k in 0..self.rows {
                    off[k] = z[k] * cut - x[k];
                    for l in 0..self.rows {
                        let along = if size > radius { z[k] * z[l] / (size * size) } else { 0.0 };
                        slope[k][l] = cut * (if k == l { 1.0 } else { 0.0 } - along);
                    }
                }
            }
            _ => {
                for (k, row) in blocks.rows(index).iter().enumerate() {
                    let [low, high] = row.bounds.map(|bound| bound / self.s[k]);
                    off[k] = z[k].max(low).min(high) - x[k];
                    // A row that nothing moves has no step.
                    let moves = blocks.block(index)[k][k] > 0.0;
                    slope[k][k] = if moves && z[k] > low && z[k] < high { 1.0 } else { 0.0 };
                    off[k] = if moves { off[k] } else { 0.0 };
                }
            }
        }
        Map { off, slope, by: slope.map(|row| row.map(|entry| self.eta * entry)) }
    }

    /// Adds a scaled step to the impulse.
    fn take(&self, rows: &mut Rows, index: usize, step: &Numbers) {
        let by: Numbers = std::array::from_fn(|k| step[k] * self.s[k]);
        if index < rows.len() {
            let [n, u, w] = self.frame;
            let Wrench { force, torque } = &mut rows.impulse[index];
            *force += n * by[0] + u * by[1] + w * by[2];
            *torque += n * by[3] + u * by[4] + w * by[5];
        } else {
            let index = index - rows.len();
            let mut g = rows.blocks().impulse(index);
            g.iter_mut().zip(by).for_each(|(g, by)| *g += by);
            rows.blocks_mut().set_impulse(index, &g);
        }
    }
}

/// The gradient of A(u): 0 where nothing slips.
fn opening_gradient(u: &Split, limits: &Limits) -> Numbers {
    if limits.ellipse.is_some() {
        let size = 6e-6 * u.dot(u).sqrt();
        return std::array::from_fn(|k| {
            let by = split_of(&std::array::from_fn(|l| if k == l { 1.0 } else { 0.0 }));
            let [after, before] = [size, -size].map(|size| limits.opening(&u.plus(&by, size)));
            if size > 0.0 { (after - before) / (2.0 * size) } else { 0.0 }
        });
    }
    let cones = &limits.cones;
    let slide = u.slide * (cones.slide / u.slide.length().max(f64::MIN_POSITIVE));
    let roll = u.roll * (cones.roll / u.roll.length().max(f64::MIN_POSITIVE));
    let spin = if u.spin == 0.0 { 0.0 } else { cones.spin * u.spin.signum() };
    numbers_of(&Split { normal: 0.0, slide, spin, roll })
}

fn contact_unit(rows: &Rows, index: usize, response: &[Response], on_bodies: &mut Vec<OnBody>) -> Unit {
    let normal = rows.normal[index];
    let (u, w) = normal.any_orthonormal_pair();
    let scale = &rows.scale[index];
    let [n, slide, roll, spin] = scale.root;
    let s = [n, slide, slide, spin, roll, roll];
    let count = if rows.limits(index).resist_turning() { 6 } else { 3 };
    let linear = [normal, u, w, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        let (body, arm) = (rows.bodies[index][k], rows.arm[index][k]);
        let turning = [arm.cross(normal), arm.cross(u), arm.cross(w), normal, u, w];
        let mut one = OnBody::new(index, body);
        for row in 0..count {
            one.levers[row] = (linear[row] * (sign * s[row]), turning[row] * (sign * s[row]));
            let response = &response[body as usize];
            one.moves[row] = Twist {
                velocity: response.linear * one.levers[row].0,
                angular_velocity: response.angular * one.levers[row].1,
            };
        }
        on_bodies.push(one);
    }
    Unit { s, eta: scale.step[0] / (n * n), frame: [normal, u, w], rows: count }
}

fn block_unit(rows: &Rows, index: usize, on_bodies: &mut Vec<OnBody>) -> Unit {
    let (blocks, s) = (rows.blocks(), rows.block_scale(index));
    let (set, count) = (blocks.set(index), blocks.rows(index).len());
    for (body, levers) in blocks.reads(index) {
        let mut one = OnBody { writes: false, ..OnBody::new(rows.len() + index, body) };
        for (k, lever) in levers.iter().enumerate() {
            one.levers[k] = (lever.linear * s[k], lever.angular * s[k]);
        }
        on_bodies.push(one);
    }
    for (body, moves) in blocks.writes(index) {
        let mut one = OnBody { reads: false, ..OnBody::new(rows.len() + index, body) };
        for (k, twist) in moves.iter().enumerate() {
            one.moves[k] = Twist { velocity: twist.velocity * s[k], angular_velocity: twist.angular_velocity * s[k] };
        }
        on_bodies.push(one);
    }
    let scaled: Block = std::array::from_fn(|k| std::array::from_fn(|l| s[k] * blocks.block(index)[k][l] * s[l]));
    let eta = match (set, blocks.scale(index)) {
        (Set::Cone(_), Some(scale)) => scale.step[0] / (scale.root[0] * scale.root[0]),
        (Set::Ball(_), _) => 1.0 / super::blocks::largest_sum(&scaled),
        _ => 1.0,
    };
    Unit { s, eta, frame: [DVec3::X, DVec3::Y, DVec3::Z], rows: count }
}

impl OnBody {
    fn new(unit: usize, body: u32) -> OnBody {
        let (levers, moves) = Default::default();
        OnBody { unit: unit as u32, body, levers, moves, reads: true, writes: true }
    }
}

/// N' from what units read of bodies and do to them.
fn couple(units: &[Unit], on_bodies: &[OnBody], bodies: usize) -> BlockMatrix {
    let mut writers: Vec<Vec<u32>> = vec![Vec::new(); bodies];
    for (at, one) in (0_u32..).zip(on_bodies) {
        if one.writes && one.moves.iter().any(|twist| *twist != Twist::default()) {
            writers[one.body as usize].push(at);
        }
    }
    let mut matrix = BlockMatrix { diagonal: vec![ZERO; units.len()], ..BlockMatrix::default() };
    matrix.columns = vec![Vec::new(); units.len()];
    for one in on_bodies.iter().filter(|one| one.reads) {
        for &other in &writers[one.body as usize] {
            let other = on_bodies[other as usize].unit;
            if other != one.unit {
                // Both ways: the pattern is symmetric even where a block reads without writing.
                matrix.columns[one.unit as usize].push(other);
                matrix.columns[other as usize].push(one.unit);
            }
        }
    }
    for columns in &mut matrix.columns {
        columns.sort_unstable();
        columns.dedup();
    }
    matrix.entries = matrix.columns.iter().map(|columns| vec![ZERO; columns.len()]).collect();
    for one in on_bodies.iter().filter(|one| one.reads) {
        for &other in &writers[one.body as usize] {
            let other = &on_bodies[other as usize];
            let i = one.unit as usize;
            let entry = match matrix.columns[i].binary_search(&other.unit) {
                Ok(at) => &mut matrix.entries[i][at],
                Err(_) => &mut matrix.diagonal[i],
            };
            for (row, (linear, angular)) in entry.iter_mut().zip(&one.levers) {
                for (entry, twist) in row.iter_mut().zip(&other.moves) {
                    *entry += linear.dot(twist.velocity) + angular.dot(twist.angular_velocity);
                }
            }
        }
    }
    matrix
}

fn add_compliance(rows: &Rows, at: usize, unit: &Unit, diagonal: &mut Block) {
    if at >= rows.len() {
        for (k, row) in rows.blocks().rows(at - rows.len()).iter().enumerate() {
            diagonal[k][k] += unit.s[k] * row.compliance * unit.s[k];
        }
        return;
    }
    let Options { compliance, .. } = rows.options(at);
    for k in 0..unit.rows {
        for l in (0..unit.rows).filter(|l| l / 3 == k / 3) {
            let along = |k: usize| unit.frame[k % 3];
            diagonal[k][l] += unit.s[k] * along(k).dot(compliance[k / 3] * along(l)) * unit.s[l];
        }
    }
}

impl Rows {
    /// All impulses, to come back to.
    fn impulses_of_all(&self) -> (Vec<Wrench>, Vec<Numbers>) {
        let blocks = (0..self.blocks().len()).map(|index| self.blocks().impulse(index));
        (self.impulse.clone(), blocks.collect())
    }

    fn set_impulses_of_all(&mut self, impulses: &(Vec<Wrench>, Vec<Numbers>)) {
        self.impulse.clone_from(&impulses.0);
        for (index, g) in impulses.1.iter().enumerate() {
            self.blocks_mut().set_impulse(index, g);
        }
    }
}

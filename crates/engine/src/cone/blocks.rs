//! Rows that are no contact: joints, dry friction and limits of drives, and contacts that are given by their matrix. A block has up
//! to six rows, which are solved at once.
//!
//! Row k of a block has the velocity u_k = sum over bodies of J_k . twist + bias_k + c_k g_k and an impulse g_k, and both obey
//!
//! ```text
//!   unbounded rows:  u = 0                       rows of an interval:  u in -N(g),  lo <= g <= hi
//!   a ball:          u in -N(g), |g| <= radius   a cone:               as a contact (eq. 8.4)
//! ```
//!
//! where N is the normal cone of the set. Unbounded rows that say the same twice (redundant) are legal: those that no other
//! leaves anything to carry stay as they are. Impulses of the others are then one of many solutions.
//!
//! Does not do: bounds in a block of several rows beside unbounded ones (they are updated one after the other, not at once).

use std::ops::Range;

use glam::DVec3;

use super::project::{Cones, Split, project};
use super::rows::Twist;
use super::scale::Scale;
use super::settings::Cone;
use crate::response::Response;

/// The most rows of a block.
pub const MOST_ROWS: usize = 6;

/// A pivot below this share of its diagonal belongs to a row that others have determined.
const REDUNDANT: f64 = 1e-12;

/// Numbers of the rows of a block; those that it does not have are zero.
pub type Numbers = [f64; MOST_ROWS];

/// What the rows of a block may carry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Set {
    /// Each row what its own bounds say.
    Rows,
    /// At most so much together: |g| <= radius.
    Ball(f64),
    /// A contact's rows n, u, w, tn, tu, tw.
    Cone(Cones),
}

/// One row of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockRow {
    /// Added to its velocity: for a joint its error over the step.
    pub bias: f64,
    /// Velocity per impulse that the row itself gives way with.
    pub compliance: f64,
    /// Bounds of its impulse; infinite for none.
    pub bounds: [f64; 2],
    /// Turns its velocity into m/s for the residual: 1 along, a length (m) about an axis.
    pub length: f64,
    /// The impulse to start from.
    pub impulse: f64,
}

impl BlockRow {
    /// An unbounded row.
    pub const FREE: BlockRow =
        BlockRow { bias: 0.0, compliance: 0.0, bounds: [f64::NEG_INFINITY, f64::INFINITY], length: 1.0, impulse: 0.0 };
}

/// What a row multiplies the velocity of a body with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lever {
    /// The velocity of its centre.
    pub linear: DVec3,
    /// Its angular velocity.
    pub angular: DVec3,
}

impl Lever {
    /// The row's velocity that a body's velocity makes.
    #[inline(always)]
    pub fn dot(&self, twist: &Twist) -> f64 {
        self.linear.dot(twist.velocity) + self.angular.dot(twist.angular_velocity)
    }
}

/// All blocks of a step, flat.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    heads: Vec<Head>,
    rows: Vec<BlockRow>,
    /// Bodies that a block reads, block by block, and the levers of its rows: body by body, row by row.
    reads: Vec<u32>,
    levers: Vec<Lever>,
    /// Bodies that it moves, and what a unit of each row's impulse does to them.
    writes: Vec<u32>,
    moves: Vec<Twist>,
}

#[derive(Clone, Debug)]
struct Head {
    set: Set,
    rows: Range<usize>,
    reads: Range<usize>,
    levers: usize,
    writes: Range<usize>,
    moves: usize,
    /// The body that a block given by its matrix keeps its impulse in.
    own: Option<u32>,
    /// Whether no row has a bound.
    unbounded: bool,
    /// N of its own rows, compliance included.
    block: [Numbers; MOST_ROWS],
    /// L of N = L D L'; D of rows that others determine is 0.
    factor: [Numbers; MOST_ROWS],
    pivots: Numbers,
    scale: Option<Scale>,
}

impl Blocks {
    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Drops all and keeps their room.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.rows.clear();
        self.reads.clear();
        self.levers.clear();
        self.writes.clear();
        self.moves.clear();
    }

    /// Appends a block of up to six rows. `levers` has those of the first body, row by row, then those of the second.
    ///
    /// # Panics
    ///
    /// If there are more rows, or not one lever per body and row.
    pub fn push(&mut self, set: Set, rows: &[BlockRow], bodies: &[u32], levers: &[Lever]) {
        self.push_head(set, rows, bodies, levers, None);
    }

    /// Appends a block whose levers are rows of the matrix itself: body i stands for block i and holds its impulse.
    pub(super) fn push_of_matrix(&mut self, set: Set, rows: &[BlockRow], bodies: &[u32], levers: &[Lever], own: u32) {
        self.push_head(set, rows, bodies, levers, Some(own));
    }

    fn push_head(&mut self, set: Set, rows: &[BlockRow], bodies: &[u32], levers: &[Lever], own: Option<u32>) {
        assert!(rows.len() <= MOST_ROWS && levers.len() == rows.len() * bodies.len(), "a lever for each body and row");
        let count = if own.is_some() { 1 } else { bodies.len() };
        let head = Head {
            set,
            rows: self.rows.len()..self.rows.len() + rows.len(),
            reads: self.reads.len()..self.reads.len() + bodies.len(),
            levers: self.levers.len(),
            writes: self.writes.len()..self.writes.len() + count,
            moves: self.moves.len(),
            own,
            unbounded: set == Set::Rows && rows.iter().all(|row| row.bounds == BlockRow::FREE.bounds),
            block: Default::default(),
            factor: Default::default(),
            pivots: Default::default(),
            scale: None,
        };
        self.heads.push(head);
        self.rows.extend_from_slice(rows);
        self.reads.extend_from_slice(bodies);
        self.levers.extend_from_slice(levers);
        match own {
            Some(own) => self.writes.push(own),
            None => self.writes.extend_from_slice(bodies),
        }
        self.moves.resize(self.moves.len() + rows.len() * count, Twist::default());
    }

    /// The rows of a block, with the impulses they have now.
    pub fn rows(&self, index: usize) -> &[BlockRow] {
        &self.rows[self.heads[index].rows.clone()]
    }

    /// The rows of all blocks, one after the other.
    pub fn all_rows(&self) -> &[BlockRow] {
        &self.rows
    }

    /// Sets the impulses that all rows start from, one after the other.
    pub fn start_from(&mut self, impulses: &[f64]) {
        self.rows.iter_mut().zip(impulses).for_each(|(row, impulse)| row.impulse = *impulse);
    }

    /// What the rows of a block may carry.
    pub(super) fn set(&self, index: usize) -> Set {
        self.heads[index].set
    }

    /// Whether a block has unbounded rows alone that do not give way.
    pub(super) fn is_rigid(&self, index: usize) -> bool {
        let head = &self.heads[index];
        head.unbounded && head.own.is_none() && self.rows(index).iter().all(|row| row.compliance == 0.0)
    }

    /// N of the rows of a block, compliance included.
    pub(super) fn block(&self, index: usize) -> &[Numbers; MOST_ROWS] {
        &self.heads[index].block
    }

    /// Scales of a block with a cone.
    pub(super) fn scale(&self, index: usize) -> Option<&Scale> {
        self.heads[index].scale.as_ref()
    }

    /// The bodies that a block reads, each with the levers of its rows.
    pub(super) fn reads(&self, index: usize) -> impl Iterator<Item = (u32, &[Lever])> {
        let head = &self.heads[index];
        let count = head.rows.len().max(1);
        let levers = &self.levers[head.levers..head.levers + head.rows.len() * head.reads.len()];
        self.reads[head.reads.clone()].iter().copied().zip(levers.chunks(count))
    }

    /// The bodies that it moves, each with what its rows do.
    pub(super) fn writes(&self, index: usize) -> impl Iterator<Item = (u32, &[Twist])> {
        let head = &self.heads[index];
        let count = head.rows.len().max(1);
        let moves = &self.moves[head.moves..head.moves + head.rows.len() * head.writes.len()];
        self.writes[head.writes.clone()].iter().copied().zip(moves.chunks(count))
    }

    /// The velocities of the rows of a block.
    pub fn velocity(&self, index: usize, twists: &[Twist]) -> Numbers {
        let mut u = self.motion(index, twists);
        for (u, row) in u.iter_mut().zip(self.rows(index)) {
            *u += row.bias + row.compliance * row.impulse;
        }
        u
    }

    /// The same without bias and compliance.
    pub(super) fn motion(&self, index: usize, twists: &[Twist]) -> Numbers {
        let mut u = Numbers::default();
        for (body, levers) in self.reads(index) {
            for (u, lever) in u.iter_mut().zip(levers) {
                *u += lever.dot(&twists[body as usize]);
            }
        }
        u
    }

    /// The impulses of a block.
    pub(super) fn impulse(&self, index: usize) -> Numbers {
        let mut g = Numbers::default();
        for (g, row) in g.iter_mut().zip(self.rows(index)) {
            *g = row.impulse;
        }
        g
    }

    pub(super) fn set_impulse(&mut self, index: usize, g: &Numbers) {
        let rows = self.heads[index].rows.clone();
        for (row, g) in self.rows[rows].iter_mut().zip(g) {
            row.impulse = *g;
        }
    }

    /// Adds what impulses of a block do to the velocities of bodies.
    pub(super) fn add(&self, index: usize, impulses: &Numbers, twists: &mut [Twist]) {
        for (body, moves) in self.writes(index) {
            let twist = &mut twists[body as usize];
            for (one, impulse) in moves.iter().zip(impulses) {
                twist.velocity += one.velocity * *impulse;
                twist.angular_velocity += one.angular_velocity * *impulse;
            }
        }
    }

    pub(super) fn give_impulses(&self, twists: &mut [Twist]) {
        for index in 0..self.len() {
            self.add(index, &self.impulse(index), twists);
        }
    }

    /// Derives what impulses do, N and its factors; cuts the impulses to start from down to their sets.
    pub(super) fn prepare(&mut self, response: &[Response]) {
        for index in 0..self.heads.len() {
            self.find_moves(index, response);
            let block = self.own_block(index);
            let set = self.heads[index].set;
            let length = self.rows(index).first().map_or(1.0, |row| row.length);
            let length = self.rows(index).iter().fold(length, |most, row| most.max(row.length));
            let head = &mut self.heads[index];
            (head.factor, head.pivots) = factorise(&block, head.rows.len());
            head.block = block;
            head.scale = match set {
                Set::Cone(cones) => Some(Scale::of_block(&block, cones, length)),
                _ => None,
            };
            let start = self.nearest(index, &self.impulse(index));
            self.set_impulse(index, &start);
        }
    }

    fn find_moves(&mut self, index: usize, response: &[Response]) {
        let head = &self.heads[index];
        let count = head.rows.len();
        for at in 0..count * head.writes.len() {
            let (body, row) = (at / count, at % count);
            self.moves[head.moves + at] = if head.own.is_some() {
                let unit = |k: usize| if row == k { 1.0 } else { 0.0 };
                Twist {
                    velocity: DVec3::new(unit(0), unit(1), unit(2)),
                    angular_velocity: DVec3::new(unit(3), unit(4), unit(5)),
                }
            } else {
                let lever = self.levers[head.levers + at];
                let response = &response[self.reads[head.reads.start + body] as usize];
                Twist { velocity: response.linear * lever.linear, angular_velocity: response.angular * lever.angular }
            };
        }
    }

    fn own_block(&self, index: usize) -> [Numbers; MOST_ROWS] {
        let mut block: [Numbers; MOST_ROWS] = Default::default();
        for (to, moves) in self.writes(index) {
            for (_, levers) in self.reads(index).filter(|(from, _)| *from == to) {
                for (entries, lever) in block.iter_mut().zip(levers) {
                    for (entry, moved) in entries.iter_mut().zip(moves) {
                        *entry += lever.dot(moved);
                    }
                }
            }
        }
        for (k, row) in self.rows(index).iter().enumerate() {
            block[k][k] += row.compliance;
        }
        block
    }

    /// The point of its set nearest to an impulse.
    fn nearest(&self, index: usize, g: &Numbers) -> Numbers {
        match self.heads[index].set {
            Set::Rows => {
                let mut to = *g;
                for (g, row) in to.iter_mut().zip(self.rows(index)) {
                    *g = g.max(row.bounds[0]).min(row.bounds[1]);
                }
                to
            }
            Set::Ball(radius) => cut_to_ball(g, radius),
            Set::Cone(cones) => numbers_of(&cones.cut(&split_of(g))),
        }
    }

    /// From now on unbounded rows of a block are updated one after the other: so impulses of contradictory rows grow.
    pub(super) fn separate_rows(&mut self) {
        self.heads.iter_mut().for_each(|head| head.unbounded = false);
    }

    /// Updates a block: its new impulse, with its residual (m/s) per row, squared and summed.
    pub(super) fn update(&mut self, index: usize, twists: &mut [Twist], cone: Cone, relaxation: f64) -> f64 {
        let (old, u) = (self.impulse(index), self.velocity(index, twists));
        let new = self.updated(index, &old, &u, cone, relaxation);
        let mut change = Numbers::default();
        let mut error = 0.0;
        let head = &self.heads[index];
        for (k, row) in self.rows(index).iter().enumerate() {
            change[k] = new[k] - old[k];
            let off = if head.unbounded { u[k] } else { change[k] * head.block[k][k] / relaxation } * row.length;
            error += off * off;
        }
        self.add(index, &change, twists);
        self.set_impulse(index, &new);
        error
    }

    fn updated(&self, index: usize, old: &Numbers, u: &Numbers, cone: Cone, relaxation: f64) -> Numbers {
        let (head, mut new) = (&self.heads[index], *old);
        let count = head.rows.len();
        match (head.set, &head.scale) {
            (Set::Rows, _) if head.unbounded => {
                let by = solve_factored(&head.factor, &head.pivots, u, count);
                new.iter_mut().zip(by).for_each(|(g, by)| *g -= relaxation * by);
            }
            (Set::Rows, _) => {
                // Row after row: each sees what those before it have changed.
                let mut u = *u;
                for (k, row) in self.rows(index).iter().enumerate().filter(|(k, _)| head.block[*k][*k] > 0.0) {
                    new[k] = (old[k] - relaxation * u[k] / head.block[k][k]).max(row.bounds[0]).min(row.bounds[1]);
                    for (l, u) in u.iter_mut().enumerate() {
                        *u += head.block[l][k] * (new[k] - old[k]);
                    }
                }
            }
            (Set::Ball(radius), _) => {
                let eta = 1.0 / largest_sum(&head.block);
                new.iter_mut().zip(u).for_each(|(g, u)| *g -= relaxation * eta * u);
                new = cut_to_ball(&new, radius);
            }
            (Set::Cone(cones), Some(scale)) => {
                let mut u = split_of(u);
                if !cones.resist_turning() {
                    (u.spin, u.roll) = (0.0, DVec3::ZERO);
                }
                if cone == Cone::Exact {
                    u.normal += cones.opening(&u);
                }
                let stepped = scale.stepped(&split_of(old), &u, relaxation);
                new = numbers_of(&project(&stepped, &scale.cones).times(scale.root));
            }
            (Set::Cone(_), None) => {}
        }
        new
    }

    /// The natural residual of each row of a block (m/s).
    pub(super) fn residual(&self, index: usize, u: &Numbers, cone: Cone) -> Numbers {
        let (head, g) = (&self.heads[index], self.impulse(index));
        let mut off = Numbers::default();
        match (head.set, &head.scale) {
            (Set::Rows, _) => {
                for (k, row) in self.rows(index).iter().enumerate() {
                    let eta = if head.block[k][k] > 0.0 { 1.0 / head.block[k][k] } else { 1.0 };
                    let to = (g[k] - eta * u[k]).max(row.bounds[0]).min(row.bounds[1]);
                    // Exactly u where no bound holds the row.
                    off[k] = if head.unbounded { u[k] } else { (g[k] - to) / eta } * row.length;
                }
            }
            (Set::Ball(radius), _) => {
                let eta = 1.0 / largest_sum(&head.block);
                let mut to = g;
                to.iter_mut().zip(u).for_each(|(g, u)| *g -= eta * u);
                let to = cut_to_ball(&to, radius);
                for (k, row) in self.rows(index).iter().enumerate() {
                    off[k] = (g[k] - to[k]) / eta * row.length;
                }
            }
            (Set::Cone(cones), Some(scale)) => {
                let length = self.rows(index).iter().fold(0.0, |most: f64, row| most.max(row.length));
                off = numbers_of(&scale.natural_residual(&split_of(&g), &split_of(u), &cones.into(), length, cone));
            }
            (Set::Cone(_), None) => {}
        }
        off
    }
}

/// Cuts a vector to a length.
pub(super) fn cut_to_ball(g: &Numbers, radius: f64) -> Numbers {
    let size = g.iter().map(|g| g * g).sum::<f64>().sqrt();
    if size > radius { g.map(|g| g * (radius / size)) } else { *g }
}

/// Six numbers n, u, w, tn, tu, tw as the cones see them, in a frame whose x is the normal.
pub(super) fn split_of(x: &Numbers) -> Split {
    Split { normal: x[0], slide: DVec3::new(0.0, x[1], x[2]), spin: x[3], roll: DVec3::new(0.0, x[4], x[5]) }
}

/// And back.
pub(super) fn numbers_of(x: &Split) -> Numbers {
    [x.normal, x.slide.y, x.slide.z, x.spin, x.roll.y, x.roll.z]
}

/// The largest sum of sizes in a row: a bound of the largest eigenvalue; 1 for no rows.
pub(super) fn largest_sum(block: &[Numbers; MOST_ROWS]) -> f64 {
    let sum = |row: &Numbers| row.iter().map(|entry| entry.abs()).sum::<f64>();
    let largest = block.iter().map(sum).fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// L and D of N = L D L' without rows that others determine.
fn factorise(block: &[Numbers; MOST_ROWS], count: usize) -> ([Numbers; MOST_ROWS], Numbers) {
    let (mut factor, mut pivots): ([Numbers; MOST_ROWS], Numbers) = Default::default();
    for k in 0..count {
        let pivot = block[k][k] - (0..k).map(|j| factor[k][j] * factor[k][j] * pivots[j]).sum::<f64>();
        pivots[k] = if pivot > REDUNDANT * block[k][k] { pivot } else { 0.0 };
        factor[k][k] = 1.0;
        for i in k + 1..count {
            let entry = block[i][k] - (0..k).map(|j| factor[i][j] * factor[k][j] * pivots[j]).sum::<f64>();
            factor[i][k] = if pivots[k] > 0.0 { entry / pivots[k] } else { 0.0 };
        }
    }
    (factor, pivots)
}

/// Solves L D L' x = u, with 0 for rows that others determine.
fn solve_factored(factor: &[Numbers; MOST_ROWS], pivots: &Numbers, u: &Numbers, count: usize) -> Numbers {
    let mut x = *u;
    for i in 0..count {
        x[i] -= (0..i).map(|j| factor[i][j] * x[j]).sum::<f64>();
    }
    for (x, pivot) in x.iter_mut().zip(pivots) {
        *x = if *pivot > 0.0 { *x / pivot } else { 0.0 };
    }
    for i in (0..count).rev() {
        x[i] -= (i + 1..count).map(|j| factor[j][i] * x[j]).sum::<f64>();
    }
    x
}

//! One level of the grid: balls by cells, cells by bricks.
//!
//! A brick is a block of 8 x 4 x 2 cells that lie next to each other in memory, rows along x first; there is one wherever there is a
//! ball, found through a hash table. Bricks count up as balls first meet them, who stand in the order of space:
//! what is near in space is near in memory, a row of cells is one range, and a ball asks the table only when it is in another
//! brick than the one before it. Nothing depends on how far balls lie apart: a packing, a gas and a line cost alike.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::Ball;
use super::image::Image;
use crate::cell::Frame;

/// Cells of a brick along each axis, as powers of two.
const BRICK_BITS: [u32; 3] = [3, 2, 1];
/// Cells of a brick, as a power of two.
const CELL_BITS: u32 = BRICK_BITS[0] + BRICK_BITS[1] + BRICK_BITS[2];
/// Bits of a cell's coordinate. Cells 2 million apart share a key; the distance test tells them apart.
const AXIS_BITS: u32 = 21;
const AXIS_MASK: i64 = (1 << AXIS_BITS) - 1;
/// Entries that are noted at once.
const STRIDE: usize = 8;
/// The most entries that are visited at once.
const AT_ONCE: usize = 128;
/// In place of a brick that is not there.
const NONE: u32 = u32::MAX;

/// Balls of one size class by cells.
pub struct Grid {
    corner: DVec3,
    /// From places to cells, in which cells are cubes of width one.
    to_cells: DMat3,
    /// Cells along each direction that repeats; zero along one that goes on for ever.
    counts: [i64; 3],
    bricks: Bricks,
    /// Where the members of each cell of each brick begin, and the end of all.
    starts: Vec<u32>,
    /// Of each brick, itself and the 26 next to it, x fastest.
    around: Vec<[u32; 27]>,
    /// Balls by cell.
    pub entries: Vec<Entry>,
}

/// The brick that a search is in, those around it, and room for the entries that are near.
pub struct Around {
    key: u64,
    bricks: [u32; 27],
    near: [u32; AT_ONCE],
}

impl Around {
    /// Nowhere yet.
    pub const NOWHERE: Around = Around { key: u64::MAX, bricks: [NONE; 27], near: [0; AT_ONCE] };
}

/// A ball in the grid: what the search for partners reads of most.
#[derive(Clone, Copy, Default)]
pub struct Entry {
    /// Centre (m).
    pub centre: DVec3,
    /// How far it reaches (m).
    pub reach: f64,
    /// Index of the body.
    pub index: u32,
    /// Its id.
    pub id: u32,
}

/// A cell next to one, along one axis.
#[derive(Clone, Copy)]
struct Step {
    /// Below, in or above the brick: 0, 1, 2.
    side: usize,
    /// Place in its brick.
    local: usize,
    /// How often the cell's vector must be added to what is found there.
    times: i64,
}

/// Cells next to each other along x, in one brick.
#[derive(Clone, Copy)]
struct Row {
    side: usize,
    first: usize,
    last: usize,
    times: i64,
}

impl Grid {
    /// Of these balls, in cells that are not thinner than `width`.
    pub fn new(width: f64, members: &[u32], ball: &(impl Fn(u32) -> Ball + Sync), frame: Option<&Frame>) -> Self {
        let (corner, to_cells, counts) = match frame {
            None => (DVec3::ZERO, DMat3::from_diagonal(DVec3::splat(1.0 / width)), [0; 3]),
            Some(frame) => Grid::along(frame, width),
        };
        let bricks = Bricks::new();
        let (starts, around, entries) = (Vec::new(), Vec::new(), vec![Entry::default(); members.len()]);
        let mut grid = Grid { corner, to_cells, counts, bricks, starts, around, entries };
        let key = |&i: &u32| cell_key(grid.cell(ball(i).centre));
        let mut cells: Vec<u64> = members.par_iter().with_min_len(4096).map(key).collect();
        let mut last = (u64::MAX, 0);
        for cell in &mut cells {
            let key = *cell >> CELL_BITS;
            if key != last.0 {
                last = (key, grid.bricks.find_or_add(key));
                grid.starts.resize(grid.bricks.keys.len() << CELL_BITS, 0);
            }
            *cell = u64::from(last.1) << CELL_BITS | *cell & ((1 << CELL_BITS) - 1);
            grid.starts[*cell as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut grid.starts {
            sum += *start;
            *start = sum;
        }
        grid.starts.push(sum);
        // From the last to the first, each in front of those that came before: members of a cell stand in their order.
        for (&cell, &member) in cells.iter().zip(members).rev() {
            let start = &mut grid.starts[cell as usize];
            *start -= 1;
            let Ball { centre, reach, id } = ball(member);
            grid.entries[*start as usize] = Entry { centre, reach, index: member, id };
        }
        grid.around = grid.bricks.keys.par_iter().with_min_len(64).map(|&key| grid.bricks_around(key)).collect();
        grid
    }

    /// Corner, map and counts of cells along the vectors of a cell that repeats, none thinner than `width`.
    fn along(frame: &Frame, width: f64) -> (DVec3, DMat3, [i64; 3]) {
        let heights = frame.heights();
        // So many that keys tell them apart.
        let whole = |axis: usize| (heights[axis] / width).floor().clamp(1.0, f64::from(1 << 20));
        let scale = |axis: usize| if frame.periodic[axis] { whole(axis) } else { heights[axis] / width };
        let count = |axis: usize| if frame.periodic[axis] { whole(axis) as i64 } else { 0 };
        let scales = DVec3::new(scale(0), scale(1), scale(2));
        (frame.corner, DMat3::from_diagonal(scales) * frame.vectors.inverse(), [0, 1, 2].map(count))
    }

    #[inline(always)]
    fn cell(&self, position: DVec3) -> [i64; 3] {
        let p = self.to_cells * (position - self.corner);
        [self.along_axis(p.x, 0), self.along_axis(p.y, 1), self.along_axis(p.z, 2)]
    }

    #[inline(always)]
    fn along_axis(&self, x: f64, axis: usize) -> i64 {
        let floor = floor(x);
        match self.counts[axis] {
            0 => floor & AXIS_MASK,
            // Bodies stand in the cell but for rounding.
            count => floor.clamp(0, count - 1),
        }
    }

    /// Where a cell stands among those that are kept, and how often the cell's vector must be added to what is found there.
    #[inline(always)]
    fn wrapped(&self, cell: i64, axis: usize) -> (i64, i64) {
        match self.counts[axis] {
            0 => (cell & AXIS_MASK, 0),
            count if cell < 0 => (count - 1, -1),
            count if cell == count => (0, 1),
            _ => (cell, 0),
        }
    }

    /// The cells below, at and above a cell along an axis.
    #[inline(always)]
    fn steps(&self, cell: i64, axis: usize) -> [Step; 3] {
        [self.step(cell, -1, axis), self.step(cell, 0, axis), self.step(cell, 1, axis)]
    }

    #[inline(always)]
    fn step(&self, cell: i64, step: i64, axis: usize) -> Step {
        let bits = BRICK_BITS[axis];
        let (to, times) = self.wrapped(cell + step, axis);
        let leaves = times != 0 || to >> bits != cell >> bits;
        Step { side: (1 + i64::from(leaves) * step) as usize, local: (to & ((1 << bits) - 1)) as usize, times }
    }

    /// Calls `visit` for the balls in the 27 cells around a position (and a few that only share a key): their places among
    /// `entries`, which it may overwrite, and their image there.
    #[inline(always)]
    pub fn visit(&self, position: DVec3, around: &mut Around, mut visit: impl FnMut(&mut [u32], Image)) {
        let cell = self.cell(position);
        let key = cell_key(cell) >> CELL_BITS;
        if key != around.key {
            // A ball of a finer class may be where there is no brick.
            let known = self.around.get(self.bricks.find(key) as usize).copied();
            (around.key, around.bricks) = (key, known.unwrap_or_else(|| self.bricks_around(key)));
        }
        let Around { bricks, near, .. } = around;
        let (mut count, mut image) = (0, Image::default());
        let (rows, row_count) = rows(self.steps(cell[0], 0));
        let (ys, zs) = (self.steps(cell[1], 1), self.steps(cell[2], 2));
        for z in &zs {
            for y in &ys {
                let bricks = &bricks[3 * (3 * z.side + y.side)..][..3];
                let first = (z.local << BRICK_BITS[1] | y.local) << BRICK_BITS[0];
                for row in &rows[..row_count] {
                    let brick = bricks[row.side];
                    if brick == NONE {
                        continue;
                    }
                    let cells = ((brick as usize) << CELL_BITS) + first;
                    let (mut from, to) = (self.starts[cells + row.first], self.starts[cells + row.last + 1]);
                    let there = Image::new([row.times, y.times, z.times]);
                    if there != image {
                        visit(&mut near[..count], image);
                        (count, image) = (0, there);
                    }
                    loop {
                        if count + STRIDE > near.len() {
                            visit(&mut near[..count], image);
                            count = 0;
                        }
                        // Always as many, though most are not of this row: how many are is hard to foresee for the processor.
                        for (at, near) in (from..).zip(&mut near[count..count + STRIDE]) {
                            *near = at;
                        }
                        count += (to - from).min(STRIDE as u32) as usize;
                        from += STRIDE as u32;
                        if from >= to {
                            break;
                        }
                    }
                }
            }
        }
        visit(&mut near[..count], image);
    }

    /// The brick of a key and the 26 next to it, x fastest.
    fn bricks_around(&self, key: u64) -> [u32; 27] {
        let cell = first_cell(key);
        let coordinates = [0, 1, 2].map(|axis| {
            let (first, bits) = (cell[axis], BRICK_BITS[axis]);
            // The last brick before a face may be cut off.
            let end = match self.counts[axis] {
                0 => first + (1 << bits),
                count => count.min(first + (1 << bits)),
            };
            [first - 1, first, end].map(|cell| self.wrapped(cell, axis).0)
        });
        let mut bricks = [NONE; 27];
        for (at, brick) in bricks.iter_mut().enumerate() {
            let cell = [coordinates[0][at % 3], coordinates[1][at / 3 % 3], coordinates[2][at / 9]];
            *brick = self.bricks.find(cell_key(cell) >> CELL_BITS);
        }
        bricks
    }
}

/// The next whole number not above, without a call to a library where the processor's own is not sure to be there.
#[inline(always)]
fn floor(x: f64) -> i64 {
    let cut = x as i64;
    cut.wrapping_sub(i64::from(cut as f64 > x))
}

/// The steps along x as ranges of cells, and how many ranges there are.
#[inline(always)]
fn rows(steps: [Step; 3]) -> ([Row; 3], usize) {
    let row = |step: Step| Row { side: step.side, first: step.local, last: step.local, times: step.times };
    let (mut rows, mut count) = ([row(steps[0]); 3], 1);
    for step in &steps[1..] {
        let last = &mut rows[count - 1];
        if (step.side, step.times) == (last.side, last.times) && step.local == last.last + 1 {
            last.last = step.local;
        } else {
            rows[count] = row(*step);
            count += 1;
        }
    }
    (rows, count)
}

/// The brick of a cell, and the place of the cell in it as the lowest bits.
#[inline(always)]
fn cell_key(cell: [i64; 3]) -> u64 {
    let (x, y, z) = (cell[0] as u64, cell[1] as u64, cell[2] as u64);
    let [u, v, w] = BRICK_BITS;
    let brick = (z >> w << (AXIS_BITS - v) | y >> v) << (AXIS_BITS - u) | x >> u;
    let low = |c: u64, bits: u32| c & ((1 << bits) - 1);
    ((brick << w | low(z, w)) << v | low(y, v)) << u | low(x, u)
}

/// The first cell of a brick.
fn first_cell(brick: u64) -> [i64; 3] {
    let [u, v, w] = BRICK_BITS;
    let (x, rest) = (brick & ((1 << (AXIS_BITS - u)) - 1), brick >> (AXIS_BITS - u));
    let (y, z) = (rest & ((1 << (AXIS_BITS - v)) - 1), rest >> (AXIS_BITS - v));
    [(x << u) as i64, (y << v) as i64, (z << w) as i64]
}

/// Bricks by key: a hash table with the next free place for what collides.
struct Bricks {
    keys: Vec<u64>,
    /// Numbers of bricks, at least half of the places free.
    table: Vec<u32>,
}

impl Bricks {
    fn new() -> Self {
        Bricks { keys: Vec::new(), table: vec![NONE; 64] }
    }

    /// The place in the table of a key, or the one where it belongs.
    fn place(&self, key: u64) -> usize {
        let shift = u64::BITS - self.table.len().trailing_zeros();
        let mut place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
        while self.table[place] != NONE && self.keys[self.table[place] as usize] != key {
            place = (place + 1) & (self.table.len() - 1);
        }
        place
    }

    fn find(&self, key: u64) -> u32 {
        self.table[self.place(key)]
    }

    fn find_or_add(&mut self, key: u64) -> u32 {
        let place = self.place(key);
        if self.table[place] != NONE {
            return self.table[place];
        }
        let brick = self.keys.len() as u32;
        self.keys.push(key);
        self.table[place] = brick;
        if 2 * self.keys.len() > self.table.len() {
            self.table = vec![NONE; 2 * self.table.len()];
            for brick in 0..self.keys.len() {
                let place = self.place(self.keys[brick]);
                self.table[place] = brick as u32;
            }
        }
        brick
    }
}

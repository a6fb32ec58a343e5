//! The search for near balls, in one grid for each power of two of their sizes.
//!
//! A ball stands in the level whose cells are just as wide as balls of its size class (a factor 2) need, and looks for partners
//! in its own and in all coarser levels: 27 cells each. So a mixture of sizes costs as much a ball as equal ones do, times
//! the number of size classes. The finer ball of a pair, or the one first in order, owns it.

use rayon::prelude::*;

use super::Ball;
use super::grid::{Around, Entry, Grid};
use super::image::{Image, Shifts};
use crate::cell::Frame;

/// Size classes: each is twice as wide as the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Reach of the smallest ball (m): what size classes count from.
    pub smallest: f64,
    /// Balls with a gap below this are near (m).
    pub within: f64,
}

impl Levels {
    /// The size class of a ball that reaches so far (m): its level in the grid.
    pub fn level(&self, reach: f64) -> usize {
        let (mut level, mut limit) = (0, self.smallest);
        while reach > limit {
            limit *= 2.0;
            level += 1;
        }
        level
    }

    /// Width of the cells of a level: a ball reaches partners of its own and finer classes in adjacent cells.
    fn cell_width(&self, level: usize) -> f64 {
        // Doubled one by one, which is exact: sizes may differ by more than the 64 doublings that an integer counts.
        (0..level).fold(2.0 * self.smallest, |width, _| 2.0 * width) + self.within
    }
}

/// Balls by size class and place.
pub struct Grids {
    levels: Levels,
    grids: Vec<Grid>,
    shifts: Shifts,
}

/// A ball near another.
#[derive(Clone, Copy, Debug)]
pub struct Partner {
    /// Its index.
    pub index: u32,
    /// Its id.
    pub id: u32,
    /// Its image that is near.
    pub image: Image,
    /// Distance of the centres, squared (m^2).
    pub squared: f64,
    /// The sum of the two reaches (m).
    pub reach: f64,
}

impl Partner {
    /// Distance between the two surfaces (m), negative where they overlap.
    #[inline(always)]
    pub fn gap(&self) -> f64 {
        self.squared.sqrt() - self.reach
    }

    /// Whether the balls overlap: by squares, as `collide` decides it.
    #[inline(always)]
    pub fn overlaps(&self) -> bool {
        self.squared < self.reach * self.reach
    }
}

impl Grids {
    /// Of so many balls, by index. In a cell that repeats they must be in it, but for rounding.
    pub fn new(levels: Levels, count: usize, ball: impl Fn(u32) -> Ball + Sync, frame: Option<&Frame>) -> Self {
        let largest = (0..count as u32).map(|index| ball(index).reach).fold(0.0, f64::max);
        let classes = if count == 0 { 0 } else { levels.level(largest) + 1 };
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); classes];
        // Mostly all are of one size; lists that double as they grow would take twice the room.
        if let [all] = members.as_mut_slice() {
            all.reserve_exact(count);
        }
        for index in 0..count as u32 {
            members[levels.level(ball(index).reach)].push(index);
        }
        let build = |(level, members): (usize, &Vec<u32>)| Grid::new(levels.cell_width(level), members, &ball, frame);
        let grids = members.par_iter().enumerate().map(build).collect();
        Grids { levels, grids, shifts: Image::shifts(frame) }
    }

    /// How many size classes there are.
    pub fn level_count(&self) -> usize {
        self.grids.len()
    }

    /// One that looks for partners; best for one ball after the other as they stand in space.
    pub fn seeker(&self) -> Seeker<'_> {
        let mut around = Vec::new();
        around.resize_with(self.grids.len(), || Around::NOWHERE);
        Seeker { grids: self, around }
    }
}

/// Looks for partners, and remembers where it was.
pub struct Seeker<'a> {
    grids: &'a Grids,
    around: Vec<Around>,
}

impl Seeker<'_> {
    /// Calls `found` for every ball that is near ball `index`, or rounding less than near, and whose pair with it `index` owns.
    /// Every pair has one owner. The order follows from the order of the balls in the grids alone.
    #[inline(always)]
    pub fn partners(&mut self, index: u32, ball: &Ball, mut found: impl FnMut(Partner)) {
        let Levels { within, .. } = self.grids.levels;
        let level = self.grids.levels.level(ball.reach);
        for (at, (grid, around)) in self.grids.grids.iter().zip(&mut self.around).enumerate().skip(level) {
            if grid.entries.is_empty() {
                continue;
            }
            // Of its own class it owns pairs with those that stand after it, of coarser ones all.
            let after = if at > level { 0 } else { index + 1 };
            grid.visit(ball.centre, around, |near, image| {
                let shift = self.grids.shifts[usize::from(image.number())];
                let squared = |you: &Entry| (ball.centre - (you.centre + shift)).length_squared();
                let mut count = 0;
                for at in 0..near.len() {
                    let place = near[at];
                    let you = &grid.entries[place as usize];
                    let far = ball.reach + you.reach + within;
                    // Which ones are near enough cannot be foreseen: no branches. The factor covers rounding many times over.
                    let chosen = (you.index >= after) & (squared(you) <= far * far * (1.0 + 1e-9));
                    near[count] = place;
                    count += usize::from(chosen);
                }
                for &place in &near[..count] {
                    let you = &grid.entries[place as usize];
                    let (squared, reach) = (squared(you), ball.reach + you.reach);
                    found(Partner { index: you.index, id: you.id, image, squared, reach });
                }
            });
        }
    }
}

//! Who might touch whom: the order of bodies in space, a grid of several cell sizes, and the search for pairs.
//!
//! **For a method that wants pairs** there is one function, `pairs`: balls, each with its reach, and walls go in; out come all
//! pairs that are near each other, in an order that follows from the input alone. A body's reach is its radius and a margin of its own,
//! so that one falling stone does not widen all lists. The cost grows with balls and pairs, times size classes, and with balls times walls;
//! nothing is kept between calls. Put balls in the order of space first (`order_in_space`), or each of them waits for memory.
//!
//! ```
//! use glam::DVec3;
//! use stickslip::broad::{Ball, pairs};
//!
//! // Three balls of radius 1 m; the last moves fast, and has a margin for it.
//! let ball = |id: u32, x: f64, margin: f64| Ball { centre: DVec3::new(x, 0.0, 0.0), reach: 1.0 + margin, id };
//! let found = pairs(&[ball(0, 0.0, 0.1), ball(1, 2.1, 0.1), ball(2, 6.0, 3.0)], &[], None, |_, _| true);
//! let found: Vec<(u32, u32)> = found.iter().map(|pair| (pair.a, pair.b)).collect();
//! assert_eq!(found, [(0, 1), (1, 2)]);
//! ```
//!
//! What touches of a pair's shapes there are is asked of `collide` (its header has the calls): a pair of reaches R + m each holds all that
//! `touch` finds within 2 m. `Grids` and `Seeker` are the search itself, for who makes lists of another kind (`soft/lists.rs`) or stops
//! at the first pair that is too deep.
//!
//! In a cell that repeats, the grid lies along the cell's vectors and goes on at the other side: a pair is listed with the image
//! of b that is near a. Each pair has one, where the cell is more than twice as high as the widest two reach (`soft/cell.rs`). Walls
//! have no images; each is compared with every ball.
//!
//! Does not know: shapes other than balls and walls, methods, laws, materials, motion, when lists are stale. Does not yet do: bodies
//! joined together that ignore each other, but `may_meet` can leave out any pair.

mod grid;
mod image;
mod order;
mod search;

use glam::DVec3;
use rayon::prelude::*;

use crate::cell::Frame;
use crate::wall::Wall;
pub(crate) use image::IMAGE_BITS;
pub use image::{Image, Shifts};
pub use order::{bounds, order_in_space};
pub(crate) use order::{cycles, permute};
pub use search::{Grids, Levels, Partner, Seeker};

/// Two bodies that are near each other, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The lower index: never a wall.
    pub a: u32,
    /// The higher index.
    pub b: u32,
    /// The image of b that is near a.
    pub image: Image,
}

/// All that the search reads of a body that is no wall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ball {
    /// m.
    pub centre: DVec3,
    /// How far from the centre others are near (m), above 0: the radius of a sphere around the body, and its margin.
    pub reach: f64,
    /// A number of the caller's: the body's id.
    pub id: u32,
}

/// A wall, and how near to it balls are near (m): its margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slab {
    /// The wall in its place.
    pub wall: Wall,
    /// m; infinite for a wall that sweeps so far that it is near everything.
    pub reach: f64,
}

/// Balls that a thread looks for partners of in one go. Never by the number of threads.
const AT_ONCE: usize = 1024;

/// Returns all pairs that are near each other, rising. Balls have their indices in `balls`, in a cell each is in it; walls
/// follow them. Two balls are near where |x_a - x_b| < reach_a + reach_b, by squares; a ball and a wall where the wall's nearest
/// point is nearer than the sum of both reaches, or the ball is behind a plane. Of these, `may_meet` keeps those that can act on each other.
pub fn pairs(
    balls: &[Ball],
    walls: &[Slab],
    frame: Option<&Frame>,
    may_meet: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<Pair> {
    let smallest = balls.iter().map(|ball| ball.reach).fold(f64::INFINITY, f64::min);
    let levels = Levels { smallest: smallest.max(f64::MIN_POSITIVE), within: 0.0 };
    let grids = Grids::new(levels, balls.len(), |index| balls[index as usize], frame);
    let of_chunk = |first: usize| {
        let (mut found, mut seeker) = (Vec::new(), grids.seeker());
        for (index, ball) in (first as u32..).zip(&balls[first..(first + AT_ONCE).min(balls.len())]) {
            seeker.partners(index, ball, |partner| {
                let other = partner.index;
                let (a, b, image) =
                    if index < other { (index, other, partner.image) } else { (other, index, partner.image.back()) };
                if partner.overlaps() && may_meet(a, b) {
                    found.push(Pair { a, b, image });
                }
            });
            for (b, slab) in (balls.len() as u32..).zip(walls) {
                if slab.wall.nearest(ball.centre).distance < ball.reach + slab.reach && may_meet(index, b) {
                    found.push(Pair { a: index, b, image: Image::default() });
                }
            }
        }
        found
    };
    let firsts: Vec<usize> = (0..balls.len()).step_by(AT_ONCE).collect();
    let parts: Vec<Vec<Pair>> = firsts.into_par_iter().map(of_chunk).collect();
    let mut found = parts.concat();
    found.par_sort_unstable();
    found
}

//! Who might touch whom: re-ordering in space, a grid of several cell sizes, and lists of candidate pairs with a skin.
//!
//! Lists are made anew when some body has moved by half the skin since they were made; in a cell that changes its shape,
//! when its flow and what bodies move besides could have closed a gap of the skin (THEORY.md eq. 7.8). Then bodies are put in the order
//! of a Morton curve, so that neighbours in space are neighbours in memory, and contacts carry their memory over by pair.
//!
//! A sphere stands in the grid level whose cells are just as wide as spheres of its size class (a factor 2) need, and
//! looks for partners in its own and in all coarser levels: 27 cells each. So a mixture of sizes costs as much a sphere
//! as equal ones do, times the number of size classes. The finer sphere of a pair, or the one first in order, owns it.
//!
//! In a cell that repeats, the grid lies along the cell's vectors and goes on at the other side: a pair is listed with the image
//! of b that is near a. Each pair has one, because the cell is large enough (`cell.rs`). Walls have no images; they are
//! tested against every sphere when lists are made.

mod grid;
mod order;
mod search;

use glam::{DVec3, I64Vec3};
use rayon::prelude::*;

use crate::cell::Frame;
use crate::collide::general::Solids;
use crate::inflow::Inflow;
use crate::model::LawTable;
use crate::state::{Bodies, Mover};
use crate::wall::Wall;
use grid::Grid;
pub use order::order_in_space;
use search::{Scratch, Search};

/// Materials and shapes of a pair in one number, so that contacts of one kind stand together in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Material of a.
    pub material_a: u16,
    /// Material of b.
    pub material_b: u16,
    /// Which of the two is a wall.
    pub wall: Side,
    /// Whether one of the two is an ellipsoid or a box.
    pub solid: bool,
}

/// Which body of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Neither.
    Neither,
    /// The one with the lower id.
    A,
    /// The one with the higher id.
    B,
}

impl Class {
    /// Which body of a pair of a class with this number is a wall.
    #[inline(always)]
    pub fn wall_of(number: u32) -> Side {
        match number % 3 {
            0 => Side::Neither,
            1 => Side::A,
            _ => Side::B,
        }
    }

    /// As a number; the order of classes within a chunk.
    pub fn number(&self, materials: usize) -> u32 {
        let pair = self.material_a as u32 * materials as u32 + self.material_b as u32;
        6 * pair + 3 * u32::from(self.solid) + self.wall as u32
    }

    /// Back from the number.
    #[inline(always)]
    pub fn from_number(number: u32, materials: usize) -> Self {
        let (pair, m) = (number / 6, materials as u32);
        let (wall, solid) = (Class::wall_of(number), Class::is_solid(number));
        Class { material_a: (pair / m) as u16, material_b: (pair % m) as u16, wall, solid }
    }

    /// Whether pairs of this class have an ellipsoid or a box.
    #[inline(always)]
    pub fn is_solid(number: u32) -> bool {
        number % 6 >= 3
    }

    /// Whether pairs of this class are looked at in every step: those with a wall, an ellipsoid or a box. Two spheres are
    /// watched until they touch, and then the kernel says whether they still do.
    #[inline(always)]
    pub fn is_looked_at(number: u32) -> bool {
        !number.is_multiple_of(6)
    }
}

/// A pair that might touch, by index; `a` has the lower id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Candidate {
    /// Index of the body with the lower id.
    pub a: u32,
    /// Index of the other.
    pub b: u32,
    /// The image of b that is near a (see `Image`), above that the feature, and above that 0 when both stand in the owner's
    /// chunk, else 1 + the outbox for the one that does not.
    route: u32,
}

impl Candidate {
    fn new(a: u32, b: u32, outbox: u32, image: Image, feature: u8) -> Self {
        let route = outbox << (IMAGE_BITS + FEATURE_BITS) | u32::from(feature) << IMAGE_BITS | u32::from(image.0);
        Candidate { a, b, route }
    }

    /// 0 when both stand in the owner's chunk; else 1 + the outbox for the one that does not.
    #[inline(always)]
    pub fn outbox(&self) -> u32 {
        self.route >> (IMAGE_BITS + FEATURE_BITS)
    }

    /// Which of the places where the two may touch: the number of a corner, where a box meets a plane; else 0.
    #[inline(always)]
    pub fn feature(&self) -> u8 {
        (self.route >> IMAGE_BITS & ((1 << FEATURE_BITS) - 1)) as u8
    }

    /// Which of the shifts of `Image::shifts` brings b near a.
    #[inline(always)]
    pub fn image(&self) -> usize {
        (self.route & ((1 << IMAGE_BITS) - 1)) as usize
    }
}

/// Bits of a route that tell the image.
const IMAGE_BITS: u32 = 5;
/// Bits of a route that tell the feature.
const FEATURE_BITS: u32 = 3;

/// By how many cell vectors, -1, 0 or 1 each, an image is shifted: a number below 27, zero for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Image(u8);

/// The shift of each image (m).
pub type Shifts = [DVec3; 1 << IMAGE_BITS];

impl Image {
    #[inline(always)]
    fn new(times: [i64; 3]) -> Self {
        let digit = |times: i64| if times < 0 { 2 } else { times as u8 };
        Image(digit(times[0]) + 3 * digit(times[1]) + 9 * digit(times[2]))
    }

    fn times(self) -> I64Vec3 {
        let times = |digit: u8| if digit == 2 { -1 } else { i64::from(digit) };
        I64Vec3::new(times(self.0 % 3), times(self.0 / 3 % 3), times(self.0 / 9))
    }

    /// The other body's image, seen from this one.
    fn back(self) -> Self {
        Image::new((-self.times()).to_array())
    }

    /// The shifts of all images in a cell.
    pub fn shifts(frame: Option<&Frame>) -> Shifts {
        let mut shifts = [DVec3::ZERO; 1 << IMAGE_BITS];
        if let Some(frame) = frame {
            for (number, shift) in (0_u8..27).zip(&mut shifts) {
                *shift = frame.shift(Image(number).times());
            }
        }
        shifts
    }
}

/// Candidates of one class and of like gaps within a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassRange {
    /// The class's number.
    pub class: u32,
    /// No two of them were closer than this when lists were made (m): until bodies have moved by half of it, in a cell at rest, none touch.
    pub least_gap: f64,
    /// First candidate.
    pub first: u32,
    /// One past the last.
    pub end: u32,
}

/// What one chunk of bodies knows of its neighbours between two makings of the lists.
#[derive(Clone, Debug, Default)]
pub struct ChunkNeighbours {
    /// Pairs owned by bodies of this chunk, by class, then by shell of gaps, then first those within the chunk, then by
    /// owner and other.
    pub candidates: Vec<Candidate>,
    /// Where each shell of each class begins and ends.
    pub classes: Vec<ClassRange>,
    /// The chunk that each outbox goes to.
    pub targets: Vec<u32>,
    /// The (chunk, outbox) from which loads arrive, in the order in which they are added.
    pub sources: Vec<(u32, u32)>,
    /// The chunks whose loads are complete, and whose bodies no later chunk reads, once contacts up to this chunk are done.
    pub completes: Vec<u32>,
}

/// The lengths by which lists are made (m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Pairs closer than this gap are listed.
    pub skin: f64,
    /// Radius of the smallest sphere: what size classes count from.
    pub smallest: f64,
    /// Radius of the largest body that is or was there.
    pub largest: f64,
}

impl Sizes {
    /// The displacement of a body beyond which lists are stale.
    pub fn slack(&self) -> f64 {
        0.5 * self.skin
    }

    /// The largest reach of a pair of spheres.
    pub fn reach(&self) -> f64 {
        2.0 * self.largest
    }

    /// Makes ready for a sphere of a size that was not announced.
    pub fn admit(&mut self, radius: f64) {
        self.smallest = self.smallest.min(radius);
        self.skin = if self.skin > 0.0 { self.skin.min(radius) } else { SKIN_OF_MEAN_RADIUS * radius };
        self.largest = self.largest.max(radius);
    }

    /// Size class of a sphere: its level in the grid.
    fn level(&self, radius: f64) -> usize {
        let (mut level, mut limit) = (0, self.smallest);
        while radius > limit {
            limit *= 2.0;
            level += 1;
        }
        level
    }

    /// Width of the cells of a level: a sphere reaches partners of its own and finer classes in adjacent cells.
    fn cell_width(&self, level: usize) -> f64 {
        // Doubled one by one, which is exact: sizes may differ by more than the 64 doublings that an integer counts.
        (0..level).fold(2.0 * self.smallest, |width, _| 2.0 * width) + self.skin
    }
}

/// The lists.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// What they are made for.
    pub sizes: Sizes,
    /// Size classes in the lists.
    levels: usize,
    /// No coordinate of a sphere is larger while the lists last (m).
    pub extent: f64,
    /// By chunk of bodies.
    pub chunks: Vec<ChunkNeighbours>,
}

/// Gaps at which shells of candidates begin, as fractions of the skin. They order the
/// pairs, those that touch or nearly do first; of walls, only shells that can have closed are looked at.
const SHELLS: [f64; 3] = [f64::NEG_INFINITY, 0.125, 0.5];

/// Skin as a fraction of the mean radius: some four candidates a sphere in a dense packing.
const SKIN_OF_MEAN_RADIUS: f64 = 0.25;

impl Neighbours {
    /// For these bodies and those to come, so that the skin stays what it is; lists are made by `build`.
    pub fn new(bodies: &Bodies, inflows: &[Inflow]) -> Self {
        let radii = bodies.grains().iter().map(|m| m.radius);
        let to_come = inflows.iter().map(|inflow| inflow.radius[0]);
        let smallest = radii.clone().chain(to_come).fold(f64::INFINITY, f64::min);
        let (mut sum, mut count) = (radii.sum::<f64>(), bodies.first_wall as f64);
        for inflow in inflows {
            sum += inflow.count as f64 * 0.5 * (inflow.radius[0] + inflow.radius[1]);
            count += inflow.count as f64;
        }
        let mean = sum / count.max(1.0);
        // Small grains must not drown in candidates, nor a lone large one force constant rebuilding.
        let skin = (SKIN_OF_MEAN_RADIUS * mean).min(smallest);
        let largest = bodies.movers.iter().map(|mover| mover.radius).fold(0.0, f64::max);
        Neighbours::with_sizes(Sizes { skin: if skin.is_finite() { skin } else { 0.0 }, smallest, largest })
    }

    /// With these sizes; lists are made by `build`.
    pub fn with_sizes(sizes: Sizes) -> Self {
        Neighbours { sizes, levels: 0, extent: 0.0, chunks: Vec::new() }
    }

    /// Which of two bodies owns their pair in the lists that were made last.
    pub fn owner(&self, bodies: &Bodies, i: u32, j: u32) -> u32 {
        if self.levels < 2 {
            return i.min(j);
        }
        let key = |k: u32| {
            let mover = &bodies.movers[k as usize];
            let level = if k as usize >= bodies.first_wall { usize::MAX } else { self.sizes.level(mover.radius) };
            (level, k)
        };
        if key(i) < key(j) { i } else { j }
    }

    /// Makes the lists for bodies where they are now.
    pub fn build(&mut self, laws: &LawTable, bodies: &Bodies, walls: &[Wall], solids: Solids, frame: Option<&Frame>) {
        let grids = self.grids(bodies, frame);
        self.levels = grids.len();
        let largest = |sum: DVec3, mover: &Mover| sum.max(mover.position.abs());
        let extent = bodies.grains().iter().fold(DVec3::ZERO, largest).max_element();
        // As far as bodies go before lists are made anew, in a cell that changes its shape, too.
        self.extent = 2.0 * (extent + self.sizes.skin);
        let chunk_count = bodies.movers.len().div_ceil(bodies.chunk);
        let chunks = &mut self.chunks;
        chunks.resize_with(chunk_count, ChunkNeighbours::default);
        let shifts = Image::shifts(frame);
        let (grids, shifts) = (&grids, &shifts);
        let search = Search { sizes: self.sizes, laws, bodies, walls, solids, grids, shifts };
        let fill = |scratch: &mut Scratch, (chunk, lists)| search.fill(chunk, lists, scratch);
        chunks.par_iter_mut().enumerate().for_each_init(Scratch::new, fill);
        for lists in chunks.iter_mut() {
            lists.sources.clear();
            lists.completes.clear();
        }
        for from in 0..chunk_count {
            for outbox in 0..chunks[from].targets.len() {
                let target = chunks[from].targets[outbox] as usize;
                chunks[target].sources.push((from as u32, outbox as u32));
            }
        }
        for chunk in 0..chunk_count {
            let last_source = chunks[chunk].sources.last().map_or(0, |source| source.0 as usize);
            chunks[chunk.max(last_source)].completes.push(chunk as u32);
        }
    }

    fn grids(&self, bodies: &Bodies, frame: Option<&Frame>) -> Vec<Grid> {
        let spheres = bodies.grains();
        let largest = spheres.iter().map(|m| m.radius).fold(0.0, f64::max);
        let levels = if spheres.is_empty() { 0 } else { self.sizes.level(largest) + 1 };
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); levels];
        // Mostly all are of one size; lists that double as they grow would take twice the room.
        if let [all] = members.as_mut_slice() {
            all.reserve_exact(spheres.len());
        }
        for (index, mover) in spheres.iter().enumerate() {
            members[self.sizes.level(mover.radius)].push(index as u32);
        }
        let build =
            |(level, members): (usize, &Vec<u32>)| Grid::new(self.sizes.cell_width(level), members, spheres, frame);
        members.par_iter().enumerate().map(build).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::body::Body;
    use crate::law::{Hooke, Normal, SpringLaws};
    use crate::model::{Material, Model};
    use crate::shape::Shape;
    use crate::world::{Setup, World};
    use glam::DVec3;

    /// A size class was the shift of an integer: a sphere more than 2^63 times larger than another panicked, or, without
    /// checks of overflow, stood in a grid of wrong cells and missed its contacts.
    #[test]
    fn sizes_may_differ_by_more_than_an_integer_counts() {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 }], 1e-6);
        model.laws.set(0, 0, SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0))));
        let sphere = |radius: f64, x: f64| Body::new(Shape::Sphere { radius }, 0, DVec3::new(x, 0.0, 0.0));
        let bodies = vec![sphere(1e-60, 5.0), sphere(1.0, 0.0), sphere(1.0, 1.99), sphere(1e-30, 7.0)];
        let world = World::new(Setup { model, bodies }).unwrap();
        assert_eq!(world.contact_count(), 1);
    }
}

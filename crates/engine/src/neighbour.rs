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

use glam::{DMat3, DVec3, I64Vec3};
use rayon::prelude::*;

use crate::cell::Frame;
use crate::inflow::Inflow;
use crate::model::Model;
use crate::state::{Bodies, Mover};
use crate::wall::Wall;

/// Materials and shapes of a pair in one number, so that contacts of one kind stand together in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Material of a.
    pub material_a: u16,
    /// Material of b.
    pub material_b: u16,
    /// Which of the two is a wall.
    pub wall: Side,
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
    /// As a number; the order of classes within a chunk.
    pub fn number(&self, materials: usize) -> u32 {
        let pair = self.material_a as u32 * materials as u32 + self.material_b as u32;
        3 * pair + self.wall as u32
    }

    /// Back from the number.
    #[inline(always)]
    pub fn from_number(number: u32, materials: usize) -> Self {
        let (pair, m) = (number / 3, materials as u32);
        let wall = match number % 3 {
            0 => Side::Neither,
            1 => Side::A,
            _ => Side::B,
        };
        Class { material_a: (pair / m) as u16, material_b: (pair % m) as u16, wall }
    }
}

/// A pair that might touch, by index; `a` has the lower id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Candidate {
    /// Index of the body with the lower id.
    pub a: u32,
    /// Index of the other.
    pub b: u32,
    /// The image of b that is near a (see `Image`), and above that 0 when both stand in the owner's chunk, else 1 + the
    /// outbox for the one that does not.
    route: u32,
}

impl Candidate {
    fn new(a: u32, b: u32, outbox: u32, image: Image) -> Self {
        Candidate { a, b, route: outbox << IMAGE_BITS | u32::from(image.0) }
    }

    /// 0 when both stand in the owner's chunk; else 1 + the outbox for the one that does not.
    #[inline(always)]
    pub fn outbox(&self) -> u32 {
        self.route >> IMAGE_BITS
    }

    /// Which of the shifts of `Image::shifts` brings b near a.
    #[inline(always)]
    pub fn image(&self) -> usize {
        (self.route & ((1 << IMAGE_BITS) - 1)) as usize
    }
}

/// Bits of a route that tell the image.
const IMAGE_BITS: u32 = 5;

/// By how many cell vectors, -1, 0 or 1 each, an image is shifted: a number below 27, zero for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Image(u8);

/// The shift of each image (m).
pub type Shifts = [DVec3; 1 << IMAGE_BITS];

impl Image {
    fn new(times: [i64; 3]) -> Self {
        let digit = |times: i64| times.rem_euclid(3) as u8;
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
    /// The gap of each when lists were made, or a little less (m).
    pub gaps: Vec<f32>,
    /// Where each shell of each class begins and ends.
    pub classes: Vec<ClassRange>,
    /// The chunk that each outbox goes to.
    pub targets: Vec<u32>,
    /// The (chunk, outbox) from which loads arrive, in the order in which they are added.
    pub sources: Vec<(u32, u32)>,
    /// The chunks whose loads are complete, and whose bodies no later chunk reads, once contacts up to this chunk are done.
    pub completes: Vec<u32>,
}

/// The lists.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// Pairs closer than this gap are listed (m).
    pub skin: f64,
    /// Radius of the smallest sphere: what size classes count from.
    smallest: f64,
    /// By chunk of bodies.
    pub chunks: Vec<ChunkNeighbours>,
}

/// Gaps at which shells of candidates begin, as fractions of the skin. In a packing at rest, and for a while after lists were
/// made, only the first shell, with the pairs that touch or nearly do, need be looked at.
const SHELLS: [f64; 3] = [f64::NEG_INFINITY, 0.125, 0.5];

/// Skin as a fraction of the mean radius: some four candidates a sphere in a dense packing.
const SKIN_OF_MEAN_RADIUS: f64 = 0.25;

impl Neighbours {
    /// For these bodies and those to come, so that the skin stays what it is; lists are made by `build`.
    pub fn new(bodies: &Bodies, inflows: &[Inflow]) -> Self {
        let radii = bodies.movers[..bodies.spheres].iter().map(|m| m.radius);
        let to_come = inflows.iter().map(|inflow| inflow.radius[0]);
        let smallest = radii.clone().chain(to_come).fold(f64::INFINITY, f64::min);
        let (mut sum, mut count) = (radii.sum::<f64>(), bodies.spheres as f64);
        for inflow in inflows {
            sum += inflow.count as f64 * 0.5 * (inflow.radius[0] + inflow.radius[1]);
            count += inflow.count as f64;
        }
        let mean = sum / count.max(1.0);
        // Small grains must not drown in candidates, nor a lone large one force constant rebuilding.
        let skin = (SKIN_OF_MEAN_RADIUS * mean).min(smallest);
        Neighbours { skin: if skin.is_finite() { skin } else { 0.0 }, smallest, chunks: Vec::new() }
    }

    /// Makes ready for a sphere of a size that was not announced.
    pub fn admit(&mut self, radius: f64) {
        self.smallest = self.smallest.min(radius);
        self.skin = if self.skin > 0.0 { self.skin.min(radius) } else { SKIN_OF_MEAN_RADIUS * radius };
    }

    /// With the sizes that `sizes` gave; lists are made by `build`.
    pub fn with_sizes(skin: f64, smallest: f64) -> Self {
        Neighbours { skin, smallest, chunks: Vec::new() }
    }

    /// The skin and the radius that size classes count from (m).
    pub fn sizes(&self) -> [f64; 2] {
        [self.skin, self.smallest]
    }

    /// The displacement of a body beyond which lists are stale.
    pub fn slack(&self) -> f64 {
        0.5 * self.skin
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

    /// Which of two bodies owns their pair.
    fn owner(&self, bodies: &Bodies, i: u32, j: u32) -> u32 {
        let key = |k: u32| {
            let mover = &bodies.movers[k as usize];
            let level = if k as usize >= bodies.spheres { usize::MAX } else { self.level(mover.radius) };
            (level, k)
        };
        if key(i) < key(j) { i } else { j }
    }

    /// Makes the lists for bodies where they are now.
    pub fn build(
        &mut self,
        model: &Model,
        material_of: &[u16],
        bodies: &Bodies,
        walls: &[Wall],
        frame: Option<&Frame>,
    ) {
        let grids = self.grids(bodies, frame);
        let chunk_count = bodies.movers.len().div_ceil(bodies.chunk);
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.resize_with(chunk_count, ChunkNeighbours::default);
        let shifts = Image::shifts(frame);
        let search = Search { neighbours: self, model, material_of, bodies, walls, grids: &grids, shifts: &shifts };
        chunks.par_iter_mut().enumerate().for_each(|(chunk, lists)| search.fill(chunk, lists));
        for lists in &mut chunks {
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
        self.chunks = chunks;
    }

    fn grids(&self, bodies: &Bodies, frame: Option<&Frame>) -> Vec<Grid> {
        let spheres = &bodies.movers[..bodies.spheres];
        let largest = spheres.iter().map(|m| m.radius).fold(0.0, f64::max);
        let levels = if spheres.is_empty() { 0 } else { self.level(largest) + 1 };
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); levels];
        for (index, mover) in spheres.iter().enumerate() {
            members[self.level(mover.radius)].push(index as u32);
        }
        let build = |(level, members): (usize, &Vec<u32>)| Grid::new(self.cell_width(level), members, spheres, frame);
        members.par_iter().enumerate().map(build).collect()
    }

    /// Where the pair of two bodies stands: chunk and candidate.
    pub fn find(&self, model: &Model, material_of: &[u16], bodies: &Bodies, i: u32, j: u32) -> Option<(u32, u32)> {
        let owner = self.owner(bodies, i, j);
        let other = if owner == i { j } else { i };
        let lists = &self.chunks[owner as usize / bodies.chunk];
        let class = class_of(model, material_of, bodies, i, j);
        let ordered = |owner: u32, other: u32| (crosses(bodies, owner, other), owner, other);
        let key = |c: &Candidate| {
            if self.owner(bodies, c.a, c.b) == c.a { ordered(c.a, c.b) } else { ordered(c.b, c.a) }
        };
        lists.classes.iter().filter(|range| range.class == class).find_map(|range| {
            let slice = &lists.candidates[range.first as usize..range.end as usize];
            let found = slice.binary_search_by_key(&ordered(owner, other), key).ok()?;
            Some((owner / bodies.chunk as u32, range.first + found as u32))
        })
    }
}

/// The order of bodies along a Morton curve, walls last: `order[new index] = old index`.
pub fn order_in_space(bodies: &Bodies, cell: f64) -> Vec<u32> {
    let spheres = &bodies.movers[..bodies.spheres];
    let low = spheres.iter().fold(DVec3::INFINITY, |low, m| low.min(m.position));
    let inverse = 1.0 / cell;
    let mut keys: Vec<(u64, u32, u32)> = spheres
        .par_iter()
        .enumerate()
        .map(|(index, m)| {
            let p = (m.position - low) * inverse;
            // Casts saturate: a stray body ends at the far end of the curve, which costs time, not correctness.
            let quantum = |x: f64| (x as u64).min((1 << 21) - 1);
            (
                interleave(quantum(p.x)) | interleave(quantum(p.y)) << 1 | interleave(quantum(p.z)) << 2,
                m.id,
                index as u32,
            )
        })
        .collect();
    keys.par_sort_unstable();
    keys.iter().map(|key| key.2).chain(bodies.spheres as u32..bodies.movers.len() as u32).collect()
}

/// Spreads 21 bits so that two zeros follow each.
fn interleave(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Class of a pair, whichever way round it is given.
fn class_of(model: &Model, material_of: &[u16], bodies: &Bodies, i: u32, j: u32) -> u32 {
    let (mut a, mut b) = (&bodies.movers[i as usize], &bodies.movers[j as usize]);
    let (mut at, mut bt) = (i, j);
    if a.id > b.id {
        (a, b, at, bt) = (b, a, bt, at);
    }
    let wall = if at as usize >= bodies.spheres {
        Side::A
    } else if bt as usize >= bodies.spheres {
        Side::B
    } else {
        Side::Neither
    };
    let class = Class { material_a: material_of[a.id as usize], material_b: material_of[b.id as usize], wall };
    class.number(model.materials.len())
}

/// One level of the grid: spheres in a hash table of cells, by counting sort.
struct Grid {
    corner: DVec3,
    /// From places to cells, in which cells are cubes of width one.
    to_cells: DMat3,
    /// Cells along each direction that repeats; zero along one that goes on for ever.
    counts: [i64; 3],
    shift: u32,
    starts: Vec<u32>,
    entries: Vec<(u64, u32)>,
}

impl Grid {
    fn new(width: f64, members: &[u32], spheres: &[Mover], frame: Option<&Frame>) -> Self {
        let bits = (2 * members.len()).next_power_of_two().trailing_zeros().max(1);
        let (corner, to_cells, counts) = match frame {
            None => (DVec3::ZERO, DMat3::from_diagonal(DVec3::splat(1.0 / width)), [0; 3]),
            Some(frame) => Grid::along(frame, width),
        };
        let mut grid =
            Grid { corner, to_cells, counts, shift: 64 - bits, starts: vec![0; (1 << bits) + 1], entries: Vec::new() };
        let keys: Vec<u64> = members.iter().map(|&i| cell_key(grid.cell(spheres[i as usize].position))).collect();
        for &key in &keys {
            let bucket = grid.bucket(key);
            grid.starts[bucket + 1] += 1;
        }
        for bucket in 1..grid.starts.len() {
            grid.starts[bucket] += grid.starts[bucket - 1];
        }
        let mut next = grid.starts.clone();
        grid.entries = vec![(0, 0); members.len()];
        for (&key, &member) in keys.iter().zip(members) {
            let place = &mut next[grid.bucket(key)];
            grid.entries[*place as usize] = (key, member);
            *place += 1;
        }
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

    fn cell(&self, position: DVec3) -> [i64; 3] {
        let p = (self.to_cells * (position - self.corner)).floor();
        let [x, y, z] = [0, 1, 2].map(|axis| match self.counts[axis] {
            0 => p[axis] as i64,
            // Bodies stand in the cell but for rounding.
            count => (p[axis] as i64).clamp(0, count - 1),
        });
        [x, y, z]
    }

    /// Where a cell stands among those that are kept, and how often the cell's vector must be added to what is found there.
    fn wrapped(&self, cell: i64, axis: usize) -> (i64, i64) {
        match self.counts[axis] {
            0 => (cell, 0),
            count => (cell.rem_euclid(count), cell.div_euclid(count)),
        }
    }

    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Calls `visit` for every sphere in the 27 cells around a position (and a few that only share a key), with its image
    /// there.
    fn around(&self, position: DVec3, mut visit: impl FnMut(u32, Image)) {
        let [x, y, z] = self.cell(position);
        for dz in -1..=1 {
            let (z, image_z) = self.wrapped(z.wrapping_add(dz), 2);
            for dy in -1..=1 {
                let (y, image_y) = self.wrapped(y.wrapping_add(dy), 1);
                for dx in -1..=1 {
                    let (x, image_x) = self.wrapped(x.wrapping_add(dx), 0);
                    let key = cell_key([x, y, z]);
                    let bucket = self.bucket(key);
                    for entry in &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize] {
                        if entry.0 == key {
                            visit(entry.1, Image::new([image_x, image_y, image_z]));
                        }
                    }
                }
            }
        }
    }
}

/// 21 bits of each coordinate. Cells 2 million apart share a key; the distance test tells them apart.
fn cell_key([x, y, z]: [i64; 3]) -> u64 {
    const MASK: i64 = (1 << 21) - 1;
    (x & MASK) as u64 | ((y & MASK) as u64) << 21 | ((z & MASK) as u64) << 42
}

/// What the search for one chunk's candidates reads.
struct Search<'a> {
    neighbours: &'a Neighbours,
    model: &'a Model,
    material_of: &'a [u16],
    bodies: &'a Bodies,
    walls: &'a [Wall],
    grids: &'a [Grid],
    shifts: &'a Shifts,
}

impl Search<'_> {
    fn fill(&self, chunk: usize, lists: &mut ChunkNeighbours) {
        let first = chunk * self.bodies.chunk;
        let end = (first + self.bodies.chunk).min(self.bodies.spheres);
        // The order in which candidates stand, whatever the order of the search.
        let mut found: Vec<(u32, usize, bool, u32, u32, Image, u32)> = Vec::with_capacity(lists.candidates.len() + 64);
        for owner in first..end {
            self.partners(owner as u32, |other, image, gap| {
                let class = class_of(self.model, self.material_of, self.bodies, owner as u32, other);
                let shell = SHELLS.iter().rposition(|&from| gap >= from * self.neighbours.skin).unwrap_or(0);
                let gap = (gap as f32).next_down().to_bits();
                found.push((class, shell, crosses(self.bodies, owner as u32, other), owner as u32, other, image, gap));
            });
        }
        found.sort_unstable();
        lists.targets.clear();
        lists.candidates.clear();
        lists.gaps.clear();
        lists.classes.clear();
        for &(class, shell, _, owner, other, image, gap) in &found {
            let least_gap = SHELLS[shell] * self.neighbours.skin;
            match lists.classes.last_mut() {
                Some(range) if (range.class, range.least_gap) == (class, least_gap) => range.end += 1,
                _ => {
                    let at = lists.candidates.len() as u32;
                    lists.classes.push(ClassRange { class, least_gap, first: at, end: at + 1 });
                }
            }
            let target = other / self.bodies.chunk as u32;
            let outbox = if target as usize == chunk { 0 } else { 1 + outbox_for(&mut lists.targets, target) };
            let owner_is_a = self.bodies.movers[owner as usize].id < self.bodies.movers[other as usize].id;
            let (a, b, image) = if owner_is_a { (owner, other, image) } else { (other, owner, image.back()) };
            lists.candidates.push(Candidate::new(a, b, outbox, image));
            lists.gaps.push(f32::from_bits(gap));
        }
    }

    /// Calls `found` for every body whose pair with sphere `i` is near enough and owned by `i`, with its image and the gap.
    fn partners(&self, i: u32, mut found: impl FnMut(u32, Image, f64)) {
        let movers = &self.bodies.movers;
        let me = &movers[i as usize];
        let level = self.neighbours.level(me.radius);
        let skin = self.neighbours.skin;
        for (at, grid) in self.grids.iter().enumerate().skip(level) {
            grid.around(me.position, |j, image| {
                let you = &movers[j as usize];
                let between = me.position - (you.position + self.shifts[usize::from(image.0)]);
                let gap = between.length() - (me.radius + you.radius);
                let movable = me.inverse_mass + you.inverse_mass > 0.0;
                if gap < skin && movable && (at > level || j > i) {
                    found(j, image, gap);
                }
            });
        }
        if me.inverse_mass > 0.0 {
            for (k, wall) in self.walls.iter().enumerate() {
                let j = self.bodies.spheres + k;
                // A plane that turns sweeps far: list every sphere against it, and always look at it.
                let turn = |normal: DVec3| movers[j].angular_velocity.cross(normal);
                let turns = wall.plane().is_some_and(|normal| turn(normal) != DVec3::ZERO);
                let gap = wall.nearest(me.position).distance - me.radius;
                if turns || gap < skin {
                    found(j as u32, Image::default(), if turns { 0.0 } else { gap });
                }
            }
        }
    }
}

/// Whether two bodies stand in different chunks.
fn crosses(bodies: &Bodies, i: u32, j: u32) -> bool {
    i as usize / bodies.chunk != j as usize / bodies.chunk
}

/// The outbox for a target chunk, opened when it is the first.
fn outbox_for(targets: &mut Vec<u32>, target: u32) -> u32 {
    // Some twenty targets at most: a linear search beats a map.
    let at = targets.iter().position(|&t| t == target).unwrap_or_else(|| {
        targets.push(target);
        targets.len() - 1
    });
    at as u32
}

#[cfg(test)]
mod tests {
    use crate::body::Body;
    use crate::law::{Hooke, Normal, PairLaws};
    use crate::model::{Material, Model};
    use crate::shape::Shape;
    use crate::world::{Setup, World};
    use glam::DVec3;

    /// A size class was the shift of an integer: a sphere more than 2^63 times larger than another panicked, or, without
    /// checks of overflow, stood in a grid of wrong cells and missed its contacts.
    #[test]
    fn sizes_may_differ_by_more_than_an_integer_counts() {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 }], 1e-6);
        model.laws.set(0, 0, PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0))));
        let sphere = |radius: f64, x: f64| Body::new(Shape::Sphere { radius }, 0, DVec3::new(x, 0.0, 0.0));
        let bodies = vec![sphere(1e-60, 5.0), sphere(1.0, 0.0), sphere(1.0, 1.99), sphere(1e-30, 7.0)];
        let world = World::new(Setup { model, bodies }).unwrap();
        assert_eq!(world.contact_count(), 1);
    }
}

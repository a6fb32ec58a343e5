//! Lists of candidates with a skin, chunk by chunk: the pairs of `broad`, sorted by class and shell of gaps, each with the outbox
//! that its loads go to.
//!
//! Lists are rebuilt when some body has moved by half the skin since they were made; in a cell that changes its shape,
//! when its flow and what bodies move besides could have closed a gap of the skin (THEORY.md eq. 7.8). Walls are compared with every
//! sphere when lists are made.
//!
//! Does not do: the search in space (`broad`), who touches (`detect`).

use glam::DVec3;
use rayon::prelude::*;

use super::fill::{Fill, Scratch};
use crate::broad::{Ball, Grids, IMAGE_BITS, Image, Levels};
use crate::cell::Frame;
use crate::collider::Placed;
use crate::inflow::Inflow;
use crate::model::LawTable;
use crate::shape::Shape;
use crate::state::{Bodies, Mover};

/// A pair that might touch, by index; `a` has the lower id. In how many places it does is not known to the lists: see `Slot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Candidate {
    /// Index of the body with the lower id.
    pub a: u32,
    /// Index of the other.
    pub b: u32,
    /// The image of b that is near a (see `Image`), and above that 0 when both stand in the owner's chunk, else 1 + the outbox for
    /// the one that does not.
    route: u32,
}

impl Candidate {
    pub(super) fn new(a: u32, b: u32, outbox: u32, image: Image) -> Self {
        Candidate { a, b, route: outbox << IMAGE_BITS | u32::from(image.number()) }
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

/// Candidates of one class and of like gaps within a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassRange {
    /// The class's number.
    pub class: u32,
    /// No two of them were closer than this when lists were made (m): until bodies have moved by half of it, in a cell at rest, none
    /// touch.
    pub min_gap: f64,
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

impl ChunkNeighbours {
    /// The number of the class of a candidate.
    pub fn class_of(&self, candidate: usize) -> u32 {
        let range = self.classes.partition_point(|range| range.end as usize <= candidate);
        self.classes.get(range).map_or(0, |range| range.class)
    }
}

/// The lengths by which lists are made (m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Pairs that have to close by less than this until they act on each other are listed.
    pub skin: f64,
    /// The largest gap at which a law acts: 0 unless one acts apart.
    pub apart: f64,
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

    /// Pairs with a smaller gap are listed.
    pub fn listed(&self) -> f64 {
        self.skin + self.apart
    }

    /// The largest distance of centres at which two spheres act on each other.
    pub fn reach(&self) -> f64 {
        2.0 * self.largest + self.apart
    }

    /// Makes ready for a sphere of a size that was not announced.
    pub fn admit(&mut self, radius: f64) {
        self.smallest = self.smallest.min(radius);
        self.skin = if self.skin > 0.0 { self.skin.min(radius) } else { SKIN_OF_MEAN_RADIUS * radius };
        self.largest = self.largest.max(radius);
    }

    /// The size classes of spheres in the search.
    fn levels(&self) -> Levels {
        Levels { smallest: self.smallest, within: self.listed() }
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
/// pairs, those that touch or nearly do first; of walls, only shells that can have closed are measured.
pub(super) const SHELLS: [f64; 3] = [f64::NEG_INFINITY, 0.125, 0.5];

/// No contact of a body of this shape has a larger effective radius (m).
fn largest_radius_eff(shape: &Shape) -> f64 {
    shape.roundness().map_or(0.0, |[largest, _]| largest)
}

/// Skin as a fraction of the mean radius: some four candidates a sphere in a dense packing.
const SKIN_OF_MEAN_RADIUS: f64 = 0.25;

impl Neighbours {
    /// For these bodies and those to come, so that the skin stays what it is; lists are made by `build`.
    pub fn new(laws: &LawTable, bodies: &Bodies, inflows: &[Inflow]) -> Self {
        let radii = bodies.grains().iter().map(|m| m.radius);
        let to_come = inflows.iter().map(|inflow| inflow.mould.radii()[0]);
        let smallest = radii.clone().chain(to_come).fold(f64::INFINITY, f64::min);
        let (mut sum, mut count) = (radii.sum::<f64>(), bodies.first_wall as f64);
        for inflow in inflows {
            let [least, most] = inflow.mould.radii();
            sum += inflow.count as f64 * 0.5 * (least + most);
            count += inflow.count as f64;
        }
        let mean = sum / count.max(1.0);
        // Small grains must not drown in candidates, nor a lone large one force constant rebuilding.
        let skin = (SKIN_OF_MEAN_RADIUS * mean).min(smallest);
        let largest = bodies.movers.iter().map(|mover| mover.radius).fold(0.0, f64::max);
        let solids = bodies.specials.iter().filter_map(|special| special.shape.as_ref()).map(largest_radius_eff);
        let to_come = inflows.iter().flat_map(|inflow| inflow.mould.extremes());
        let radius_eff = to_come.map(|shape| largest_radius_eff(&shape)).chain(solids).fold(largest, f64::max);
        let (skin, apart) = (if skin.is_finite() { skin } else { 0.0 }, laws.farthest(radius_eff));
        Neighbours::with_sizes(Sizes { skin, apart, smallest, largest })
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
            let level =
                if k as usize >= bodies.first_wall { usize::MAX } else { self.sizes.levels().level(mover.radius) };
            (level, k)
        };
        if key(i) < key(j) { i } else { j }
    }

    /// Makes the lists for bodies where they are now, and their colliders.
    pub fn build(&mut self, laws: &LawTable, bodies: &Bodies, colliders: &Placed, frame: Option<&Frame>) {
        let movers = &bodies.movers;
        let ball = |index: u32| {
            let Mover { position, radius, id, .. } = movers[index as usize];
            Ball { centre: position, reach: radius, id }
        };
        let grids = Grids::new(self.sizes.levels(), bodies.first_wall, ball, frame);
        self.levels = grids.level_count();
        let largest = |sum: DVec3, mover: &Mover| sum.max(mover.position.abs());
        let extent = bodies.grains().iter().fold(DVec3::ZERO, largest).max_element();
        // As far as bodies go before lists are rebuilt, in a cell that changes its shape, too.
        self.extent = 2.0 * (extent + self.sizes.skin);
        let chunk_count = bodies.movers.len().div_ceil(bodies.chunk);
        let chunks = &mut self.chunks;
        chunks.resize_with(chunk_count, ChunkNeighbours::default);
        let filling = Fill { sizes: self.sizes, laws, bodies, colliders, grids: &grids };
        let fill = |scratch: &mut Scratch, (chunk, lists)| filling.chunk(chunk, lists, scratch);
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

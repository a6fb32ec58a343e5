//! The candidates of one chunk of bodies, from the search for pairs, and their order.

use super::class::Class;
use super::neighbours::{Candidate, ChunkNeighbours, ClassRange, SHELLS, Sizes};
use crate::broad::{Ball, Grids, Image, Seeker};
use crate::collide::solid;
use crate::collider::Placed;
use crate::contact::Side;
use crate::model::LawTable;
use crate::state::{Bodies, Mover};

/// What is read to fill the lists of a chunk.
pub(super) struct Fill<'a> {
    pub sizes: Sizes,
    pub laws: &'a LawTable,
    pub bodies: &'a Bodies,
    pub colliders: &'a Placed,
    pub grids: &'a Grids,
}

/// What is needed besides, kept from chunk to chunk.
pub(super) struct Scratch {
    /// Partners of one sphere.
    partners: Vec<Partner>,
    found: Vec<Found>,
    /// Classes that there are.
    classes: Vec<u32>,
    /// How many stand before those of a class, shell and side.
    places: Vec<u32>,
    order: Vec<u32>,
}

/// The other body of a pair.
#[derive(Clone, Copy)]
struct Partner {
    other: u32,
    id: u32,
    image: Image,
    shell: u8,
}

/// A pair, on its way into the lists.
#[derive(Clone, Copy)]
struct Found {
    class: u32,
    owner: u32,
    owner_is_a: bool,
    crosses: bool,
    partner: Partner,
}

/// Shells, each first with pairs within the chunk, then with those that cross it.
const SORTS: usize = 2 * SHELLS.len();

impl Scratch {
    pub fn new() -> Self {
        Scratch { partners: Vec::new(), found: Vec::new(), classes: Vec::new(), places: Vec::new(), order: Vec::new() }
    }
}

impl Fill<'_> {
    pub fn chunk(&self, chunk: usize, lists: &mut ChunkNeighbours, scratch: &mut Scratch) {
        self.find(chunk, scratch);
        sort(scratch);
        lists.targets.clear();
        lists.candidates.clear();
        lists.classes.clear();
        let count = scratch.found.len();
        if count > lists.candidates.capacity() {
            // With some room, but not twice as much.
            lists.candidates.reserve_exact(count + count / 8);
        }
        for &at in &scratch.order {
            let Found { class, owner, owner_is_a, crosses, partner } = scratch.found[at as usize];
            let Partner { other, image, shell, .. } = partner;
            let min_gap = SHELLS[usize::from(shell)] * self.sizes.skin;
            match lists.classes.last_mut() {
                Some(range) if (range.class, range.min_gap) == (class, min_gap) => range.end += 1,
                _ => {
                    let at = lists.candidates.len() as u32;
                    lists.classes.push(ClassRange { class, min_gap, first: at, end: at + 1 });
                }
            }
            let target = || other / self.bodies.chunk as u32;
            let outbox = if crosses { 1 + outbox_for(&mut lists.targets, target()) } else { 0 };
            let (a, b, image) = if owner_is_a { (owner, other, image) } else { (other, owner, image.back()) };
            lists.candidates.push(Candidate::new(a, b, outbox, image));
        }
    }

    /// All pairs that spheres of a chunk own, by owner and other.
    fn find(&self, chunk: usize, scratch: &mut Scratch) {
        let first = chunk * self.bodies.chunk;
        let end = (first + self.bodies.chunk).min(self.bodies.first_wall);
        let within = first as u32..(first + self.bodies.chunk) as u32;
        let Scratch { partners, found, .. } = scratch;
        let mut seeker = self.grids.seeker();
        found.clear();
        let only_walls = self.colliders.len() == self.bodies.movers.len() - self.bodies.first_wall;
        for owner in first as u32..end as u32 {
            partners.clear();
            self.partners(owner, &mut seeker, |partner| partners.push(partner));
            if !self.laws.all_touch() {
                let material = |index: u32| self.bodies.material_of[self.bodies.movers[index as usize].id as usize];
                partners.retain(|partner| self.laws.touches(material(owner), material(partner.other)));
            }
            partners.sort_unstable_by_key(|partner| u64::from(partner.other) << 8 | u64::from(partner.image.number()));
            let id = self.bodies.movers[owner as usize].id;
            found.extend(partners.iter().map(|&partner| {
                let wall = partner.other as usize >= self.bodies.first_wall;
                // Without ellipsoids and boxes, who looks for them would only wait for memory.
                let solid = !only_walls && self.is_solid(owner, partner.other);
                let class = self.class_of(id, partner.id, wall, solid);
                let (owner_is_a, crosses) = (id < partner.id, !within.contains(&partner.other));
                Found { class, owner, owner_is_a, crosses, partner }
            }));
        }
    }

    /// Whether one of two bodies is an ellipsoid or a box.
    fn is_solid(&self, i: u32, j: u32) -> bool {
        [i, j].iter().any(|&k| self.solid(&self.bodies.movers[k as usize]).is_some())
    }

    /// The ellipsoid or the box that a body is.
    fn solid(&self, mover: &Mover) -> Option<&solid::Posed> {
        self.colliders.solid(self.bodies.special(mover)?.colliders.first()?)
    }

    /// The shell that a gap is in.
    #[inline(always)]
    fn shell(&self, gap: f64) -> u8 {
        SHELLS.iter().rposition(|&from| gap >= from * self.sizes.skin).unwrap_or(0) as u8
    }

    /// Calls `found` for every body whose pair with sphere `i` is near enough and owned by `i`.
    fn partners(&self, i: u32, seeker: &mut Seeker, mut found: impl FnMut(Partner)) {
        let movers = &self.bodies.movers;
        let me = &movers[i as usize];
        let listed = self.sizes.listed();
        let ball = Ball { centre: me.position, reach: me.radius, id: me.id };
        seeker.partners(i, &ball, |near| {
            let gap = near.gap();
            let movable = me.inverse_mass > 0.0 || movers[near.index as usize].inverse_mass > 0.0;
            if gap < listed && movable {
                found(Partner { other: near.index, id: near.id, image: near.image, shell: self.shell(gap) });
            }
        });
        if me.inverse_mass > 0.0 {
            for (k, wall) in self.colliders.walls().enumerate() {
                let j = self.bodies.first_wall + k;
                // A plane that turns sweeps far: list every sphere against it, and always look at it.
                let turns = wall.sweeps(movers[j].angular_velocity);
                let gap = wall.nearest(me.position).distance - me.radius;
                if turns || gap < listed {
                    let shell = self.shell(if turns { 0.0 } else { gap });
                    let (other, id, image) = (j as u32, movers[j].id, Image::default());
                    found(Partner { other, id, image, shell });
                }
            }
        }
    }

    /// Class of the pair of a sphere or solid and another body, which may be a wall, by id.
    #[inline(always)]
    fn class_of(&self, id: u32, other: u32, wall: bool, solid: bool) -> u32 {
        let (a, b, side) = if id < other { (id, other, Side::B) } else { (other, id, Side::A) };
        let wall = if wall { side } else { Side::Neither };
        let materials = self.laws.materials();
        // With one material, who looks for it would only wait for memory.
        let material = |id: u32| if materials == 1 { 0 } else { self.bodies.material_of[id as usize] };
        Class { material_a: material(a), material_b: material(b), wall, solid }.number(materials)
    }
}

/// The order in which pairs stand in the lists: by class, shell and side of the chunk, then as they were found.
fn sort(scratch: &mut Scratch) {
    let Scratch { found, classes, places, order, .. } = scratch;
    classes.clear();
    for pair in found.iter() {
        if classes.last() != Some(&pair.class) {
            classes.push(pair.class);
        }
    }
    classes.sort_unstable();
    classes.dedup();
    let mut last = (u32::MAX, 0);
    let mut sort = |pair: &Found| {
        if pair.class != last.0 {
            last = (pair.class, classes.partition_point(|&class| class < pair.class));
        }
        SORTS * last.1 + 2 * usize::from(pair.partner.shell) + usize::from(pair.crosses)
    };
    places.clear();
    places.resize(SORTS * classes.len(), 0);
    found.iter().for_each(|pair| places[sort(pair)] += 1);
    let mut sum = 0;
    for place in places.iter_mut() {
        (*place, sum) = (sum, sum + *place);
    }
    order.clear();
    order.resize(found.len(), 0);
    for (at, pair) in found.iter().enumerate() {
        let place = &mut places[sort(pair)];
        order[*place as usize] = at as u32;
        *place += 1;
    }
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

//! Which bodies touch at the start, and which pairs of materials can ever meet.
//!
//! Two bodies that loads do not move (fixed, prescribed) never act on each other, however they overlap. All other pairs
//! count as able to meet, as in the engine: also two whose centres stay where they are (held, fixed) and far apart.

use std::collections::{BTreeMap, HashMap};

use glam::{DVec3, I64Vec3};
use rayon::prelude::*;
use stickslip::body::BodyList;
use stickslip::cell::Frame;
use stickslip::collide::solid;
use stickslip::model::{LawTable, Material};
use stickslip::wall::Wall;

use crate::input::Result;
use crate::scene::bodies::Bodies;
use crate::scene::check::short;
use crate::scene::streams::Streams;

/// Refuses a starting overlap above half the smaller radius, and a pair of materials that can meet without laws. Returns
/// a remark on smaller overlaps, where there are any.
pub(crate) fn check(
    bodies: &Bodies<'_>,
    streams: &Streams<'_>,
    frame: Option<&Frame>,
    materials: &[Material],
    laws: &LawTable,
) -> Result<Option<String>> {
    let touching = touching_pairs(&bodies.list, frame);
    if let Some(pair) = touching.iter().find(|pair| pair.deep()) {
        let [a, b] = pair.ids;
        let message = format!(
            "{} and {} overlap by {} at the start, more than half the smaller radius, {}",
            bodies.label(a),
            bodies.label(b),
            short(pair.overlap),
            short(pair.smaller_radius)
        );
        let place = bodies.place(b);
        return place.map_or(Ok(None), |place| Err(place.error(message).help("move them apart, or make them smaller")));
    }
    // Two bodies of a stream, numbered after all others, stand for all that it brings.
    let to_come: Vec<usize> =
        (0..2 * streams.list.len()).filter(|i| (i % 2) < streams.list[i / 2].count as usize).collect();
    let there = (0..bodies.list.len()).map(|id| (bodies.list.material(id), bodies.list.yields(id)));
    let all = there.chain(to_come.iter().map(|i| (streams.list[i / 2].material, true)));
    let stream_of = |id: usize| id.checked_sub(bodies.list.len()).map(|i| to_come[i] / 2);
    let label = |id: usize| {
        stream_of(id).map_or_else(|| bodies.label(id), |stream| format!("a body of [[stream]] number {}", stream + 1))
    };
    for ((first, second), [a, b]) in meetings(all) {
        if laws.get(first, second).is_some() {
            continue;
        }
        let [x, y] = [first, second].map(|i| materials[i as usize].name.as_str());
        let message =
            format!("no [[contact]] between \"{x}\" and \"{y}\", but {} and {} could meet", label(a), label(b));
        let place = stream_of(a.max(b)).map_or_else(|| bodies.place(a.max(b)), |stream| streams.places.get(stream));
        let help = format!("add [[contact]] with between = [\"{x}\", \"{y}\"] and at least a normal law");
        return place.map_or(Ok(None), |place| Err(place.error(message).help(help)));
    }
    Ok(remark(bodies, &touching))
}

/// Overlap at the start is energy that nobody put in: worth a remark, when it is more than rounding.
fn remark(bodies: &Bodies<'_>, touching: &[Touching]) -> Option<String> {
    // What comes over from an earlier run rests on each other and on walls, as it should.
    let rests = |pair: &Touching| {
        let over = pair.ids.map(|id| bodies.came_over.contains(&id));
        let other = |i: usize| over[i] || !bodies.list.yields(pair.ids[i]);
        (over[0] && other(1)) || (over[1] && other(0))
    };
    let overlapping = || touching.iter().filter(|pair| pair.overlap > 1e-9 * pair.smaller_radius && !rests(pair));
    let deepest = overlapping().max_by(|p, q| p.overlap.total_cmp(&q.overlap))?;
    let [a, b] = deepest.ids.map(|id| bodies.label(id));
    let count = overlapping().count();
    let pairs = if count == 1 { "1 pair overlaps".into() } else { format!("{count} pairs overlap") };
    Some(format!("at the start {pairs}, the deepest by {} m: {a} and {b}", short(deepest.overlap)))
}

/// For each pair of materials that can meet, two bodies that could: of each body its material and whether it yields.
fn meetings(bodies: impl Iterator<Item = (u16, bool)>) -> BTreeMap<(u16, u16), [usize; 2]> {
    // By material and by whether they yield, the first two bodies stand for all.
    let mut counts: HashMap<(u16, bool), usize> = HashMap::new();
    let mut samples = Vec::new();
    for (id, (material, yields)) in bodies.enumerate() {
        let count = counts.entry((material, yields)).or_default();
        *count += 1;
        if *count <= 2 {
            samples.push((id, material, yields));
        }
    }
    let mut meetings = BTreeMap::new();
    for (index, &(a, first, yields)) in samples.iter().enumerate() {
        for &(b, second, _) in samples[index + 1..].iter().filter(|other| yields || other.2) {
            meetings.entry((first.min(second), first.max(second))).or_insert([a, b]);
        }
    }
    meetings
}

/// Two bodies that overlap.
struct Touching {
    ids: [usize; 2],
    overlap: f64,
    smaller_radius: f64,
}

impl Touching {
    /// Deeper than a run would bear.
    fn deep(&self) -> bool {
        self.overlap > 0.5 * self.smaller_radius
    }
}

/// All pairs that overlap, at least one of which yields to loads, in the order of their ids.
fn touching_pairs(bodies: &BodyList, frame: Option<&Frame>) -> Vec<Touching> {
    let places = Places::new(bodies, frame);
    let grid = Grid::new(bodies, &places);
    let wall = |id: usize| {
        let body = bodies.get(id);
        Wall::new(&body.shape, body.position, body.orientation)
    };
    let walls: Vec<(usize, Wall)> = bodies.walls().filter_map(|id| Some((id, wall(id)?))).collect();
    let search = Search { bodies, places: &places, grid: &grid, walls: &walls };
    // Who follows each other in the grid finds its neighbours in the cache. Where two are too deep, which are named must not
    // depend on the grid.
    let numbers: Vec<u32> = (0..grid.entries.len() as u32).collect();
    let in_grid = search.all(&numbers, |number| {
        let entry = &grid.entries[number as usize];
        // Every two look for each other; where there are no images, it is enough that the first does.
        let looks = if places.images.is_empty() { Looks::Ahead(number) } else { Looks::Around };
        (!entry.image).then_some((entry.id as usize, looks))
    });
    let mut found = if in_grid.iter().any(Touching::deep) {
        let ids: Vec<u32> = (0..bodies.len() as u32).collect();
        search.all(&ids, |id| Some((id as usize, Looks::Around)))
    } else {
        in_grid
    };
    found.par_sort_by_key(|pair| pair.ids);
    found
}

/// How many bodies a thread looks at in one go.
const BODIES_AT_ONCE: usize = 4096;

/// What the search for pairs that overlap reads.
struct Search<'a> {
    bodies: &'a BodyList,
    places: &'a Places,
    grid: &'a Grid,
    walls: &'a [(usize, Wall)],
}

impl Search<'_> {
    /// The pairs that bodies look for, as if they did one after the other, up to the first body with a deep one.
    fn all(&self, numbers: &[u32], body: impl Fn(u32) -> Option<(usize, Looks)> + Sync) -> Vec<Touching> {
        let some = |part: &[u32]| self.some(part.iter().filter_map(|&number| body(number)));
        let parts: Vec<Vec<Touching>> = numbers.par_chunks(BODIES_AT_ONCE).map(some).collect();
        let end = parts.iter().position(|part| part.iter().any(Touching::deep)).map_or(parts.len(), |deep| deep + 1);
        parts.into_iter().take(end).flatten().collect()
    }

    /// The pairs that these bodies look for, up to the first body with a deep one: thousands of grains in one spot
    /// would otherwise cost quadratic time.
    fn some(&self, bodies: impl Iterator<Item = (usize, Looks)>) -> Vec<Touching> {
        let mut found = Vec::new();
        for (i, looks) in bodies {
            let before = found.len();
            self.around(i, looks, &mut found);
            if found[before..].iter().any(Touching::deep) {
                break;
            }
        }
        found
    }

    fn around(&self, i: usize, looks: Looks, found: &mut Vec<Touching>) {
        let Search { bodies, places, grid, walls } = *self;
        let Some(radius) = bodies.radius(i) else { return };
        let yields = bodies.yields(i);
        for &(p, wall) in walls {
            if bodies.is_solid(i) {
                found.extend(self.solids(i, p));
                continue;
            }
            let Some(nearest) = wall.touchable(places.home[i]) else { continue };
            let overlap = radius - nearest.distance;
            if yields && overlap > 0.0 {
                found.push(Touching { ids: [i.min(p), i.max(p)], overlap, smaller_radius: radius });
            }
        }
        grid.near(places.home[i], radius, looks, |other| {
            let (j, other_radius) = (other.id as usize, other.radius);
            let overlap = radius + other_radius - places.home[i].distance(other.place);
            // Of two spheres on the same level the lower id looks; of two levels the smaller sphere does.
            let mine = || looks != Looks::Around || (Grid::level(radius), i) < (Grid::level(other_radius), j);
            if overlap > 0.0 && mine() && (yields || bodies.yields(j)) {
                if bodies.is_solid(i) || bodies.is_solid(j) {
                    found.extend(self.solids(i, j));
                    return;
                }
                let smaller_radius = radius.min(other_radius);
                found.push(Touching { ids: [i.min(j), i.max(j)], overlap, smaller_radius });
            }
        });
    }
}

impl Search<'_> {
    /// The same for two of which one is an ellipsoid or a box: there is no cell with these, so bodies are where they are.
    fn solids(&self, i: usize, j: usize) -> Option<Touching> {
        let (a, b) = (self.bodies.get(i), self.bodies.get(j));
        let deepest = solid::deepest(&a, &b).filter(|meeting| meeting.overlap > 0.0)?;
        let ids = [i.min(j), i.max(j)];
        let acts = a.motion.yields() || b.motion.yields();
        acts.then_some(Touching { ids, overlap: deepest.overlap, smaller_radius: deepest.radius_eff })
    }
}

/// Where a sphere looks for others of its level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// In all cells around.
    Around,
    /// After itself in the grid, where it has this number.
    Ahead(u32),
}

/// Where bodies are: within the cell, if there is one, and their images near its faces.
struct Places {
    home: Vec<DVec3>,
    images: Vec<Placed>,
}

impl Places {
    fn new(bodies: &BodyList, frame: Option<&Frame>) -> Self {
        let home: Vec<DVec3> = (0..bodies.len()).map(|id| bodies.position(id)).collect();
        let Some(frame) = frame else { return Places { home, images: Vec::new() } };
        let inside = |place: &DVec3| *place + frame.shift(frame.into_cell(*place));
        let home: Vec<DVec3> = home.iter().map(inside).collect();
        let largest = (0..bodies.len()).filter_map(|id| bodies.radius(id)).fold(0.0, f64::max);
        let heights = DVec3::from_array(frame.heights());
        let mut images = Vec::new();
        for (id, &place) in home.iter().enumerate() {
            let Some(radius) = bodies.radius(id) else { continue };
            let (share, reach) = (frame.fractions(place), (radius + largest) / heights);
            let shifts = |axis: usize| {
                let near = [share[axis] > 1.0 - reach[axis], true, share[axis] < reach[axis]];
                (-1..=1).zip(near).filter(move |(k, near)| *k == 0 || (*near && frame.periodic[axis])).map(|(k, _)| k)
            };
            for x in shifts(0) {
                for y in shifts(1) {
                    for z in shifts(2).filter(|&z| (x, y, z) != (0, 0, 0)) {
                        images.push((id, place + frame.shift(I64Vec3::new(x, y, z))));
                    }
                }
            }
        }
        Places { home, images }
    }
}

/// A body and where it, or an image of it, is.
type Placed = (usize, DVec3);

/// Spheres in cubic cells, one grid for each power of two of the radius, so that a mixture of sizes stays cheap.
struct Grid {
    /// Width of the cells of each level that there is.
    widths: BTreeMap<i32, f64>,
    /// The first entry of each bucket; cells next to each other along x have buckets next to each other.
    buckets: Vec<u32>,
    /// By level, then rows of cells along x.
    entries: Vec<Entry>,
}

/// A sphere or an image of one, its cell, and the next one of its bucket.
struct Entry {
    id: u32,
    next: u32,
    place: DVec3,
    radius: f64,
    cell: [i64; 3],
    level: i32,
    image: bool,
}

/// In place of an entry that is not there.
const NONE: u32 = u32::MAX;

impl Grid {
    /// The exponent of the power of two above the radius.
    fn level(radius: f64) -> i32 {
        // The exponent of the number, from its bits: exact, and the same on every machine.
        let exponent = ((radius.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        exponent + 1
    }

    /// Two spheres of the level, of at most 2^level each, touch within one cell of each other.
    fn width(level: i32) -> f64 {
        stickslip::math::pow(2.0, f64::from(level) + 1.0)
    }

    fn cell(width: f64, position: DVec3) -> [i64; 3] {
        let cell = (position / width).floor();
        [cell.x as i64, cell.y as i64, cell.z as i64]
    }

    fn bucket(&self, level: i32, [x, y, z]: [i64; 3]) -> usize {
        let mix = |sum: u64, next: i64| (sum ^ next as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let row = mix(mix(mix(0, i64::from(level)), z), y);
        row.wrapping_add(x as u64) as usize & (self.buckets.len() - 1)
    }

    fn new(bodies: &BodyList, places: &Places) -> Self {
        let count = places.home.len() + places.images.len();
        let mut entries: Vec<Entry> = Vec::with_capacity(count);
        let mut widths = BTreeMap::new();
        let home = places.home.iter().copied().enumerate();
        for (number, (id, place)) in home.chain(places.images.iter().copied()).enumerate() {
            let Some(radius) = bodies.radius(id) else { continue };
            let level = Grid::level(radius);
            let cell = Grid::cell(*widths.entry(level).or_insert_with(|| Grid::width(level)), place);
            let image = number >= places.home.len();
            entries.push(Entry { id: id as u32, next: NONE, place, radius, cell, level, image });
        }
        let in_rows = |entry: &Entry| {
            let [x, y, z] = entry.cell;
            (entry.level, z, y, x, entry.id)
        };
        entries.par_sort_unstable_by_key(in_rows);
        let buckets = vec![NONE; (2 * count).next_power_of_two().max(1)];
        let mut grid = Grid { widths, buckets, entries };
        for number in 0..grid.entries.len() {
            let bucket = grid.bucket(grid.entries[number].level, grid.entries[number].cell);
            grid.entries[number].next = std::mem::replace(&mut grid.buckets[bucket], number as u32);
        }
        grid
    }

    /// Calls `visit` for every sphere of this level or a larger one that might touch.
    fn near(&self, position: DVec3, radius: f64, looks: Looks, mut visit: impl FnMut(&Entry)) {
        for (&level, &width) in self.widths.range(Grid::level(radius)..) {
            let [x, y, z] = Grid::cell(width, position);
            let after = match looks {
                Looks::Ahead(number) if level == Grid::level(radius) => Some(number),
                _ => None,
            };
            // Cells before its own hold spheres that stand before it.
            for i in if after.is_some() { 13 } else { 0 }..27_i64 {
                let [dx, dy, dz] = [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1];
                let cell = [x.saturating_add(dx), y.saturating_add(dy), z.saturating_add(dz)];
                let mut number = self.buckets[self.bucket(level, cell)];
                while let Some(entry) = self.entries.get(number as usize) {
                    if (entry.level, entry.cell) == (level, cell) && after.is_none_or(|after| number > after) {
                        visit(entry);
                    }
                    number = entry.next;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use stickslip::body::{Body, Motion};
    use stickslip::shape::Shape;

    use super::*;

    fn sphere(radius: f64, x: f64) -> Body {
        Body::new(Shape::Sphere { radius }, 0, DVec3::new(x, 0.0, 0.0))
    }

    #[test]
    fn the_grid_finds_what_every_pair_finds() {
        let mut stream = stickslip::random::Stream::named(7, "meet");
        let mut body = || {
            let radius = stream.between(0.01, 1.0);
            let position = DVec3::new(stream.between(-4.0, 4.0), stream.between(-4.0, 4.0), stream.between(-4.0, 4.0));
            Body::new(Shape::Sphere { radius }, 0, position)
        };
        let bodies: Vec<Body> = (0..100).map(|_| body()).collect();
        let list: BodyList = bodies.iter().cloned().collect();
        let mut expected = Vec::new();
        for i in 0..bodies.len() {
            for j in i + 1..bodies.len() {
                let reach = bodies[i].shape.radius().unwrap() + bodies[j].shape.radius().unwrap();
                if bodies[i].position.distance(bodies[j].position) < reach {
                    expected.push([i, j]);
                }
            }
        }
        // The search ends early at a deep overlap, so compare what the grid visits.
        let grid = Grid::new(&list, &Places::new(&list, None));
        let mut visited = BTreeSet::new();
        for (i, body) in bodies.iter().enumerate() {
            grid.near(body.position, body.shape.radius().unwrap(), Looks::Around, |other| {
                let j = other.id as usize;
                visited.insert([i.min(j), i.max(j)]);
            });
        }
        assert!(expected.iter().all(|pair| visited.contains(pair)));
        assert!(!expected.is_empty() && visited.len() < 100 * 99 / 2);
    }

    #[test]
    fn fixed_bodies_may_overlap_and_far_ones_do_not() {
        let mut bodies = vec![sphere(1.0, 0.0), sphere(1.0, 0.1), sphere(1.0, 1e300)];
        bodies[0].motion = Motion::Fixed;
        bodies[1].motion = Motion::Fixed;
        let touching = |bodies: &[Body]| touching_pairs(&bodies.iter().cloned().collect(), None);
        assert!(touching(&bodies).is_empty());
        bodies[1].motion = Motion::Held;
        assert_eq!(touching(&bodies)[0].ids, [0, 1]);
    }
}

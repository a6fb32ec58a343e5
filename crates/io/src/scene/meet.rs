//! Which bodies touch at the start, and which pairs of materials can ever meet.
//!
//! Who is near is found by `broad`, who touches by `collide::touch` and the rule of seams, as in a run.
//!
//! Two bodies that loads do not move (fixed, prescribed) never act on each other, however they overlap. All other pairs
//! count as able to meet, as in the engine: also two whose centres stay where they are (held, fixed) and far apart.

use std::collections::{BTreeMap, HashMap};

use glam::DVec3;
use rayon::prelude::*;
use stickslip::body::BodyList;
use stickslip::broad::{self, Ball, Grids, Levels};
use stickslip::cell::Frame;
use stickslip::collide::seams::JOINED;
use stickslip::collide::{ColliderId, Posed, Touch, Touches, settle_seams, touch};
use stickslip::model::{LawTable, Material};

use crate::input::Result;
use crate::scene::bodies::Bodies;
use crate::scene::check::short;
use crate::scene::streams::Streams;

/// Pairs of ids that joints keep `apart` may overlap. Refuses a starting overlap above half the smaller radius, and a pair of materials that can meet without laws. Returns
/// a remark on smaller overlaps, where there are any.
pub(crate) fn check(
    bodies: &Bodies<'_>,
    streams: &Streams<'_>,
    (frame, apart): (Option<&Frame>, &[[u32; 2]]),
    materials: &[Material],
    laws: &LawTable,
) -> Result<Option<String>> {
    let mut touching = touching_pairs(&bodies.list, laws, frame);
    touching.retain(|pair| apart.binary_search(&pair.ids.map(|id| id as u32)).is_err());
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
    check_laws(bodies, streams, materials, laws)?;
    Ok(remark(bodies, &touching))
}

/// Refuses a pair of materials that can meet without laws, wherever its bodies are.
pub(crate) fn check_laws(
    bodies: &Bodies<'_>,
    streams: &Streams<'_>,
    materials: &[Material],
    laws: &LawTable,
) -> Result<()> {
    // Two bodies of a stream, numbered after all others, stand for all that it brings.
    let to_come: Vec<usize> =
        (0..2 * streams.list.len()).filter(|i| (i % 2) < streams.list[i / 2].count as usize).collect();
    let there = (0..bodies.list.len()).map(|id| (bodies.list.material(id), bodies.list.yields(id)));
    let all = there.chain(to_come.iter().map(|i| (streams.list[i / 2].material(), true)));
    let stream_of = |id: usize| id.checked_sub(bodies.list.len()).map(|i| to_come[i] / 2);
    let label = |id: usize| {
        stream_of(id).map_or_else(|| bodies.label(id), |stream| format!("a body of [[stream]] number {}", stream + 1))
    };
    for ((first, second), [a, b]) in meetings(all) {
        if laws.get(first, second).is_some() || !laws.touches(first, second) {
            continue;
        }
        let [x, y] = [first, second].map(|i| materials[i as usize].name.as_str());
        let message =
            format!("no [[contact]] between \"{x}\" and \"{y}\", but {} and {} could meet", label(a), label(b));
        let place = stream_of(a.max(b)).map_or_else(|| bodies.place(a.max(b)), |stream| streams.places.get(stream));
        let help = format!("add [[contact]] with between = [\"{x}\", \"{y}\"] and at least a normal law");
        return place.map_or(Ok(()), |place| Err(place.error(message).help(help)));
    }
    Ok(())
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
fn touching_pairs(bodies: &BodyList, laws: &LawTable, frame: Option<&Frame>) -> Vec<Touching> {
    let by_id: Vec<Ball> = (0..bodies.len()).filter_map(|id| ball(bodies, id, frame)).collect();
    let smallest = by_id.iter().map(|ball| ball.reach).fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
    let ids = 0..by_id.len() as u32;
    let order = broad::order_in_space(by_id.len(), |index| by_id[index as usize].centre, ids, smallest);
    let in_space: Vec<Ball> = order.iter().map(|&index| by_id[index as usize]).collect();
    // Who follows each other in space finds its neighbours in the cache. Where two are too deep, which are named must not
    // depend on that order.
    let mut found = Search::new((bodies, laws), &in_space, frame).all();
    if found.iter().any(Touching::deep) {
        found = Search::new((bodies, laws), &by_id, frame).all();
    }
    found.par_sort_by_key(|pair| pair.ids);
    found
}

/// A body that is no wall as the search sees it, within the cell if there is one.
fn ball(bodies: &BodyList, id: usize, frame: Option<&Frame>) -> Option<Ball> {
    let place = bodies.place(id);
    let centre = frame.map_or(place, |frame| place + frame.shift(frame.into_cell(place)));
    Some(Ball { centre, reach: bodies.radius(id)?, id: id as u32 })
}

/// How many bodies a thread looks at in one go.
const BODIES_AT_ONCE: usize = 4096;

/// What the search for pairs that overlap reads.
struct Search<'a> {
    bodies: &'a BodyList,
    laws: &'a LawTable,
    balls: &'a [Ball],
    grids: Grids,
    walls: Vec<(ColliderId, Posed)>,
    frame: Option<&'a Frame>,
}

/// What it needs besides, from body to body.
#[derive(Default)]
struct Scratch {
    touches: Touches,
    /// The parts of the other body.
    others: Vec<Posed>,
    of_walls: Vec<(ColliderId, Touch)>,
}

impl<'a> Search<'a> {
    fn new((bodies, laws): (&'a BodyList, &'a LawTable), balls: &'a [Ball], frame: Option<&'a Frame>) -> Self {
        let smallest = balls.iter().map(|ball| ball.reach).fold(f64::INFINITY, f64::min);
        let levels = Levels { smallest: smallest.max(f64::MIN_POSITIVE), within: 0.0 };
        let grids = Grids::new(levels, balls.len(), |index| balls[index as usize], frame);
        let walls = bodies.walls().map(|id| (ColliderId::first_of(id as u32), Posed::of(&bodies.get(id)))).collect();
        Search { bodies, laws, balls, grids, walls, frame }
    }

    /// The pairs that bodies own, as if they looked for them one after the other, up to the first body with a deep one.
    fn all(&self) -> Vec<Touching> {
        let firsts: Vec<usize> = (0..self.balls.len()).step_by(BODIES_AT_ONCE).collect();
        let some = |first| self.some(first, (first + BODIES_AT_ONCE).min(self.balls.len()));
        let parts: Vec<Vec<Touching>> = firsts.into_par_iter().map(some).collect();
        let end = parts.iter().position(|part| part.iter().any(Touching::deep)).map_or(parts.len(), |deep| deep + 1);
        parts.into_iter().take(end).flatten().collect()
    }

    /// The pairs that these bodies own, up to the first body with a deep one: thousands of grains in one spot
    /// would otherwise cost quadratic time.
    fn some(&self, first: usize, end: usize) -> Vec<Touching> {
        let (mut found, mut seeker, mut scratch) = (Vec::new(), self.grids.seeker(), Scratch::default());
        let mut posed = Vec::new();
        for (index, ball) in (first as u32..).zip(&self.balls[first..end]) {
            let before = found.len();
            self.pose(ball, &mut posed);
            posed.iter().for_each(|posed| self.walls_of(ball, posed, &mut scratch, &mut found));
            seeker.partners(index, ball, |partner| {
                let other = &self.balls[partner.index as usize];
                if partner.overlaps() && self.acts(ball.id, other.id) {
                    let shift = self.frame.map_or(DVec3::ZERO, |frame| partner.image.shift(frame));
                    let radius = |touch: &Touch| match self.is_solid(ball) || self.is_solid(other) {
                        true => touch.radius_eff,
                        false => ball.reach.min(other.reach),
                    };
                    let mut deepest_of_parts = None;
                    let Scratch { touches, others, .. } = &mut scratch;
                    self.pose(other, others);
                    for one in &posed {
                        for two in others.iter().map(|two| two.shifted(shift)).filter(|two| !one.is_beyond(two, 0.0)) {
                            touch(one, &two, 0.0, touches);
                            let of_parts = deepest(touches.iter(), [ball.id, other.id], radius);
                            deepest_of_parts = deeper(deepest_of_parts, of_parts);
                        }
                    }
                    found.extend(deepest_of_parts);
                }
            });
            if found[before..].iter().any(Touching::deep) {
                break;
            }
        }
        found
    }

    /// Where a body overlaps walls, each place with the wall that keeps it.
    fn walls_of(&self, ball: &Ball, posed: &Posed, scratch: &mut Scratch, found: &mut Vec<Touching>) {
        let Scratch { touches, of_walls, .. } = scratch;
        of_walls.clear();
        // Two walls may be touched at one place where both are this near.
        let near = if self.is_solid(ball) { 0.0 } else { JOINED * ball.reach };
        for (wall, shape) in self.walls.iter().filter(|(wall, _)| self.acts(ball.id, wall.body)) {
            touch(posed, shape, near, touches);
            of_walls.extend(touches.iter().map(|touch| (*wall, *touch)));
        }
        let shape = |id: ColliderId| &self.walls[self.walls.partition_point(|wall| wall.0 < id)].1;
        settle_seams(posed.centre(), of_walls, shape);
        for wall in of_walls.chunk_by(|one, other| one.0 == other.0) {
            let touches = wall.iter().map(|(_, touch)| touch);
            found.extend(deepest(touches, [ball.id, wall[0].0.body], |touch| touch.radius_eff));
        }
    }

    fn is_solid(&self, ball: &Ball) -> bool {
        self.bodies.is_solid(ball.id as usize)
    }

    /// Whether loads move one of the two, and their materials touch.
    fn acts(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|id| id as usize);
        let touches = self.laws.all_touch() || self.laws.touches(self.bodies.material(a), self.bodies.material(b));
        touches && (self.bodies.yields(a) || self.bodies.yields(b))
    }

    /// Its shapes in their places. There is no cell with ellipsoids, boxes and clumps: they are where they are.
    fn pose(&self, ball: &Ball, parts: &mut Vec<Posed>) {
        parts.clear();
        if self.is_solid(ball) {
            parts.extend(Posed::all_of(&self.bodies.get(ball.id as usize)));
        } else {
            parts.push(Posed::Sphere { centre: ball.centre, radius: ball.reach });
        }
    }
}

/// The deeper of two.
fn deeper(one: Option<Touching>, other: Option<Touching>) -> Option<Touching> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.overlap > one.overlap { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Where two bodies are deepest in each other, if they overlap. `radius` is what the depth is compared with.
fn deepest<'a>(
    touches: impl IntoIterator<Item = &'a Touch>,
    [a, b]: [u32; 2],
    radius: impl Fn(&Touch) -> f64,
) -> Option<Touching> {
    let touch = touches.into_iter().max_by(|p, q| p.overlap().total_cmp(&q.overlap()))?;
    let ids = [a.min(b) as usize, a.max(b) as usize];
    let pair = Touching { ids, overlap: touch.overlap(), smaller_radius: radius(touch) };
    (pair.overlap > 0.0).then_some(pair)
}

#[cfg(test)]
mod tests {
    use stickslip::body::{Body, Motion};
    use stickslip::{Shape, Sides};

    use super::*;

    fn sphere(radius: f64, x: f64) -> Body {
        Body::new(Shape::Sphere { radius }, 0, DVec3::new(x, 0.0, 0.0))
    }

    /// A sphere on the seam of two walls that share an edge was counted as two pairs that overlap.
    #[test]
    fn a_seam_is_one_overlap() {
        let plate = |x: f64| {
            let shape = Shape::Rectangle { normal: DVec3::Z, along: DVec3::X, size: [2.0, 2.0], sides: Sides::Both };
            Body { motion: Motion::Fixed, ..Body::new(shape, 0, DVec3::new(x, 0.0, 0.0)) }
        };
        let ball = Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::new(0.01, 0.0, 0.49));
        let found = touching_pairs(&[plate(-1.0), plate(1.0), ball].into_iter().collect(), &LawTable::new(1), None);
        assert_eq!(found.iter().map(|pair| pair.ids).collect::<Vec<_>>(), [[1, 2]]);
        assert!((found[0].overlap - 0.01).abs() < 1e-15);
    }

    #[test]
    fn fixed_bodies_may_overlap_and_far_ones_do_not() {
        let mut bodies = vec![sphere(1.0, 0.0), sphere(1.0, 0.1), sphere(1.0, 1e300)];
        bodies[0].motion = Motion::Fixed;
        bodies[1].motion = Motion::Fixed;
        let touching = |bodies: &[Body]| touching_pairs(&bodies.iter().cloned().collect(), &LawTable::new(1), None);
        assert!(touching(&bodies).is_empty());
        bodies[1].motion = Motion::Held;
        assert_eq!(touching(&bodies)[0].ids, [0, 1]);
    }
}

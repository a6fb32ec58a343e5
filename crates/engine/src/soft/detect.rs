//! Which pairs of a chunk touch.
//!
//! Of spheres that have a place among the contacts the kernel says so. Detection measures other pairs of spheres when they can
//! have closed (`watch.rs`); walls, ellipsoids and boxes in every step, where bodies can have reached them. How near is near
//! enough says the pair's normal law (`law::Reach`).

use super::lists::{Candidate, ChunkNeighbours, Class};
use super::watch::Watch;
use super::{ChunkTrouble, ChunkWork, Closing, Scratch, TooDeep, View, bits_of, hand_over, lanes_of, slots, solids};
use crate::collide::seams;
use crate::contact::Side;
use crate::law::{Normal, kernel};
use crate::state::{Mover, Slot, Slots};

/// The chunk whose pairs are to be measured, and what can have closed.
#[derive(Clone, Copy)]
pub struct Chunk<'a> {
    /// Its number.
    pub number: usize,
    /// Its candidates.
    pub lists: &'a ChunkNeighbours,
    /// By how much pairs can have closed.
    pub closing: Closing<'a>,
}

/// Makes places for pairs that have begun to touch, and marks the walls and solids that are touched.
pub fn detect(view: &View, chunk: Chunk, contacts: &mut Slots, work: &mut ChunkWork) {
    let (lists, laws) = (chunk.lists, view.laws);
    let ChunkWork { watch, scratch, trouble, .. } = work;
    *trouble = ChunkTrouble::default();
    scratch.begun.clear();
    scratch.handed_over.clear();
    touch_spheres(view, chunk, watch, &mut scratch.begun);
    let walls = lists.classes.iter().any(|range| Class::is_detected(range.class));
    if walls {
        note_live(chunk, contacts, &mut scratch.was_live);
        touch_walls(view, chunk, scratch, trouble);
        if chunk.closing.sizes.apart > 0.0 {
            hand_over::mark_apart(view, lists, contacts, &mut scratch.touching, |pair, class| {
                let apart = view.acting_apart(class).map(|normal| (normal, 1));
                apart.is_some() && touches_wall(view, pair, (class.wall, apart), trouble)
            });
        }
        hand_over::find(view, lists, contacts, &scratch.touching, &mut scratch.handed_over);
        find_new_walls(contacts, scratch);
    }
    if !scratch.begun.is_empty() {
        // When each was measured depends on how all others have moved.
        scratch.begun.sort_unstable();
        slots::put_in(lists, &scratch.begun, laws, contacts);
    }
    contacts.blocks.iter_mut().for_each(|head| (head.was_live, head.live) = (head.live, head.all()));
    if walls {
        mark_walls(&scratch.touching, contacts);
        hand_over::copy(contacts, laws, &scratch.handed_over);
    }
}

/// Notes which features of walls and solids were live in the step before. Only laws that act apart want to know.
fn note_live(chunk: Chunk, contacts: &Slots, was_live: &mut Vec<u8>) {
    was_live.clear();
    if chunk.closing.sizes.apart > 0.0 {
        was_live.resize(chunk.lists.candidates.len(), 0);
        for head in contacts.blocks.iter().filter(|head| Class::is_detected(head.class)) {
            for lane in lanes_of(head.live) {
                let slot = contacts.placed[head.first as usize + lane];
                was_live[slot.candidate()] |= 1 << slot.feature();
            }
        }
    }
}

/// Marks the walls and solids that are touched.
fn touch_walls(view: &View, chunk: Chunk, scratch: &mut Scratch, trouble: &mut ChunkTrouble) {
    let Chunk { lists, closing, .. } = chunk;
    let Scratch { touching, was_live, touches, .. } = scratch;
    touching.clear();
    touching.resize(lists.candidates.len(), 0);
    // Two bodies come closer by no more than both have moved; the factor covers rounding many times over.
    let own = closing.moved[chunk.number].farthest;
    let farthest = lists.targets.iter().map(|&target| closing.moved[target as usize].farthest).fold(own, f64::max);
    // A flow that shortens distances brings them closer, too (THEORY.md eq. 7.8).
    let shortened = (1.0 - closing.min_stretch) * closing.sizes.reach();
    let closed = (own + farthest + shortened) / closing.min_stretch * (1.0 + 1e-6) + closing.sizes.apart;
    for range in lists.classes.iter().filter(|range| range.min_gap <= closed) {
        if !Class::is_detected(range.class) {
            continue;
        }
        let class = Class::from_number(range.class, view.laws.materials());
        let apart = view.acting_apart(class).filter(|_| closing.sizes.apart > 0.0);
        let (first, end) = (range.first as usize, range.end as usize);
        let pairs = touching[first..end].iter_mut().zip(&lists.candidates[first..end]);
        for (at, (features, candidate)) in (first..).zip(pairs) {
            let reach = apart.map(|normal| (normal, was_live[at]));
            *features = if class.solid {
                solids::touch(view, candidate, (class.wall, reach), touches, &mut trouble.too_deep)
            } else {
                u8::from(touches_wall(view, candidate, (class.wall, reach), trouble))
            };
        }
    }
}

/// Finds the pairs of spheres that have begun to touch.
fn touch_spheres(view: &View, chunk: Chunk, watch: &mut Watch, begun: &mut Vec<Slot>) {
    let (candidates, sizes) = (&chunk.lists.candidates, chunk.closing.sizes);
    let ask = |index: u32| view.movers(&candidates[index as usize]).into_iter().for_each(kernel::prefetch);
    watch.look(closer(view, chunk), sizes.skin, ask, |index| {
        let candidate = &candidates[index as usize];
        let [a, b] = view.movers(candidate);
        let mut reach = a.radius + b.radius;
        if sizes.apart > 0.0 {
            let class = Class::from_number(chunk.lists.class_of(index as usize), view.laws.materials());
            let radius_eff = a.radius * b.radius / reach;
            reach += view.acting_apart(class).map_or(0.0, |normal| normal.reach(radius_eff).begin);
        }
        let squared = (a.position - (b.position + view.colliders.shifts[candidate.image()])).length_squared();
        // As `sphere_sphere::meet` compares.
        if squared < reach * reach {
            begun.push(Slot::new(index, 0));
            return None;
        }
        Some([squared.sqrt() - reach, reach])
    });
}

/// Rounding of places in a step, many times over, as a part of the largest coordinate.
const ROUNDING: f64 = 1e-14;

/// By how much two spheres of the chunk, or one of it and one of a chunk it meets, can have come closer in this step (m).
fn closer(view: &View, chunk: Chunk) -> f64 {
    let Chunk { lists, closing, .. } = chunk;
    let own = &closing.moved[chunk.number].velocities;
    let with = |&target: &u32| own.and(&closing.moved[target as usize].velocities).widest();
    let speed = lists.targets.iter().map(with).fold(own.widest(), f64::max);
    // The flow lengthens the way that a velocity makes, and shortens distances (THEORY.md eq. 7.8). A pair that is farther apart than
    // this has more to close than any that is waited for.
    let far = closing.sizes.reach() + 2.0 * closing.sizes.skin;
    speed * view.dt * (1.0 + closing.strain) + closing.strain * far + ROUNDING * closing.extent
}

/// A normal law that acts apart, and the features of a pair that were live before.
pub type Apart<'a> = Option<(&'a Normal, u8)>;

/// The gap below which a contact with a feature is live.
#[inline(always)]
pub fn limit(apart: Apart, feature: u32, radius_eff: f64) -> f64 {
    apart.map_or(0.0, |(normal, was_live)| normal.reach(radius_eff).limit(was_live >> feature & 1 == 1))
}

fn touches_wall(view: &View, candidate: &Candidate, (side, apart): (Side, Apart), trouble: &mut ChunkTrouble) -> bool {
    let (sphere, wall) = if side == Side::A { (candidate.b, candidate.a) } else { (candidate.a, candidate.b) };
    let movers = view.records.movers;
    let (sphere, body) = (&movers[sphere as usize], &movers[wall as usize]);
    let (now, number) = (view.colliders.now, view.wall(wall));
    // A wall that the sphere passes through takes no contact from another.
    let meets = |other: usize| {
        let material = |mover: &Mover| view.records.material_of[mover.id as usize];
        view.laws.all_touch() || view.laws.touches(material(sphere), material(&movers[view.records.first_wall + other]))
    };
    let wall = now.wall(number);
    let Some(nearest) = wall.touchable(sphere.position) else { return false };
    if nearest.distance >= sphere.radius + limit(apart, 0, sphere.radius) {
        return false;
    }
    if seams::left_to_another(now.walls(), number, &nearest, sphere.position, sphere.radius, meets) {
        return false;
    }
    if wall.wraps(sphere.position, sphere.radius) {
        trouble.wrapped = Some(*candidate);
    }
    if nearest.distance < 0.5 * sphere.radius {
        let carried = body.velocity + body.angular_velocity.cross(sphere.position - body.position);
        let velocity = carried - sphere.velocity;
        let (approach, speed) = (velocity.dot(nearest.normal), velocity.length());
        let (pair, overlap) = (*candidate, sphere.radius - nearest.distance);
        trouble.too_deep = Some(TooDeep { pair, overlap, approach, speed, radius_eff: None });
    }
    true
}

/// Finds the walls and solids that are touched and have no place.
fn find_new_walls(contacts: &Slots, scratch: &mut Scratch) {
    let Scratch { touching, begun, .. } = scratch;
    let touched: usize = touching.iter().map(|features| features.count_ones() as usize).sum();
    let blocks = contacts.blocks.iter().filter(|head| Class::is_detected(head.class));
    let placed = blocks.flat_map(|head| &contacts.placed[head.first as usize..][..head.count as usize]);
    if touched > placed.clone().filter(|slot| slot.is_among(touching)).count() {
        let mut has_place = vec![0_u8; touching.len()];
        placed.for_each(|slot| has_place[slot.candidate()] |= 1 << slot.feature());
        for (candidate, (features, places)) in (0..).zip(touching.iter().zip(&has_place)) {
            begun.extend(bits_of(u64::from(features & !places)).map(|feature| Slot::new(candidate, feature)));
        }
    }
}

/// Marks the places where a wall or a solid is touched. Spheres may touch anywhere.
fn mark_walls(touching: &[u8], contacts: &mut Slots) {
    for head in contacts.blocks.iter_mut().filter(|head| Class::is_detected(head.class)) {
        let placed = &contacts.placed[head.first as usize..][..head.count as usize];
        head.live =
            placed.iter().enumerate().fold(0, |live, (lane, slot)| live | u32::from(slot.is_among(touching)) << lane);
    }
}

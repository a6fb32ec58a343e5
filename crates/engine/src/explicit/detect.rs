//! Which pairs of a chunk touch.
//!
//! Of spheres that have a place among the contacts the kernel says so. Other pairs of spheres are looked at when they can have
//! closed (`watch.rs`); walls, ellipsoids and boxes in every step, where they can have been reached.

use crate::explicit::contacts::{ChunkWork, TooDeep, View};
use crate::explicit::watch::Watch;
use crate::explicit::{hand_over, places, solids};
use crate::law::kernel;
use crate::neighbour::{Candidate, ChunkNeighbours, Class, Side};
use crate::state::ChunkContacts;
use crate::wall;

/// Makes places for pairs that have begun to touch, and marks the walls and solids that are touched.
pub fn detect(view: &View, chunk: usize, lists: &ChunkNeighbours, contacts: &mut ChunkContacts, work: &mut ChunkWork) {
    work.begun.clear();
    work.handed_over.clear();
    touch_spheres(view, chunk, lists, &mut contacts.watch, &mut work.begun);
    let walls = lists.classes.iter().any(|range| Class::is_looked_at(range.class));
    if walls {
        touch_walls(view, chunk, lists, work);
        hand_over::find(view, lists, contacts, &work.touching, &mut work.handed_over);
        find_new_walls(lists, contacts, work);
    }
    if !work.begun.is_empty() {
        // When each was measured depends on how all others have moved.
        work.begun.sort_unstable();
        places::put_in(lists, &work.begun, view.stride, contacts);
    }
    contacts.blocks.iter_mut().for_each(|head| head.live = head.all());
    if walls {
        mark_walls(&work.touching, contacts);
        hand_over::copy(contacts, view.stride, &work.handed_over);
    }
}

/// Marks the walls and solids that are touched.
fn touch_walls(view: &View, chunk: usize, lists: &ChunkNeighbours, work: &mut ChunkWork) {
    work.touching.clear();
    work.touching.resize(lists.candidates.len().div_ceil(64), 0);
    // Two bodies come closer by no more than both have moved; the factor covers rounding many times over.
    let own = view.moved[chunk].farthest;
    let farthest = lists.targets.iter().map(|&target| view.moved[target as usize].farthest).fold(own, f64::max);
    // A flow that shortens distances brings them closer, too (THEORY.md eq. 7.8).
    let closed = (own + farthest + (1.0 - view.least_stretch) * view.reach) / view.least_stretch * (1.0 + 1e-6);
    for range in lists.classes.iter().filter(|range| range.least_gap <= closed) {
        let (wall, solid) = (Class::wall_of(range.class), Class::is_solid(range.class));
        if !Class::is_looked_at(range.class) {
            continue;
        }
        for index in range.first as usize..range.end as usize {
            let candidate = &lists.candidates[index];
            let touches = if solid {
                solids::touches(view, candidate, wall, &mut work.too_deep)
            } else {
                touches_wall(view, candidate, wall, &mut work.too_deep, &mut work.wrapped)
            };
            work.touching[index / 64] |= u64::from(touches) << (index % 64);
        }
    }
}

/// Finds the pairs of spheres that have begun to touch.
fn touch_spheres(view: &View, chunk: usize, lists: &ChunkNeighbours, watch: &mut Watch, begun: &mut Vec<u32>) {
    let ask = |index: u32| {
        let candidate = &lists.candidates[index as usize];
        kernel::prefetch(&view.movers[candidate.a as usize]);
        kernel::prefetch(&view.movers[candidate.b as usize]);
    };
    watch.look(closer(view, chunk, lists), view.skin, ask, |index| {
        let candidate = &lists.candidates[index as usize];
        let (a, b) = (&view.movers[candidate.a as usize], &view.movers[candidate.b as usize]);
        let reach = a.radius + b.radius;
        let squared = (a.position - (b.position + view.shifts[candidate.image()])).length_squared();
        // As `sphere_sphere::meet` has it.
        if squared < reach * reach {
            begun.push(index);
            return None;
        }
        Some([squared.sqrt() - reach, reach])
    });
}

/// Rounding of places in a step, many times over, as a part of the largest coordinate.
const ROUNDING: f64 = 1e-14;

/// By how much two spheres of the chunk, or one of it and one of a chunk it meets, can have come closer in this step (m).
fn closer(view: &View, chunk: usize, lists: &ChunkNeighbours) -> f64 {
    let own = &view.moved[chunk].velocities;
    let with = |&target: &u32| own.and(&view.moved[target as usize].velocities).widest();
    let speed = lists.targets.iter().map(with).fold(own.widest(), f64::max);
    // The flow lengthens the way that a velocity makes, and shortens distances (THEORY.md eq. 7.8). A pair that is farther apart than
    // this has more to close than any that is waited for.
    speed * view.dt * (1.0 + view.strain) + view.strain * (view.reach + 2.0 * view.skin) + ROUNDING * view.extent
}

fn touches_wall(
    view: &View,
    candidate: &Candidate,
    side: Side,
    too_deep: &mut Option<TooDeep>,
    wrapped: &mut Option<Candidate>,
) -> bool {
    let (sphere, wall) = if side == Side::A { (candidate.b, candidate.a) } else { (candidate.a, candidate.b) };
    let (sphere, body) = (&view.movers[sphere as usize], &view.movers[wall as usize]);
    let wall = wall as usize - view.spheres;
    let Some(nearest) = view.walls[wall].touchable(sphere.position) else { return false };
    if nearest.distance >= sphere.radius {
        return false;
    }
    if wall::left_to_another(view.walls, wall, &nearest, sphere.position, sphere.radius) {
        return false;
    }
    if view.walls[wall].wraps(sphere.position, sphere.radius) {
        *wrapped = Some(*candidate);
    }
    if nearest.distance < 0.5 * sphere.radius {
        let carried = body.velocity + body.angular_velocity.cross(sphere.position - body.position);
        let velocity = carried - sphere.velocity;
        let (approach, speed) = (velocity.dot(nearest.normal), velocity.length());
        let (pair, overlap) = (*candidate, sphere.radius - nearest.distance);
        *too_deep = Some(TooDeep { pair, overlap, approach, speed, radius_eff: None });
    }
    true
}

fn touches(touching: &[u64], candidate: u32) -> u32 {
    (touching[candidate as usize / 64] >> (candidate % 64)) as u32 & 1
}

/// Finds the walls and solids that are touched and have no place.
fn find_new_walls(lists: &ChunkNeighbours, contacts: &ChunkContacts, work: &mut ChunkWork) {
    let walls = lists.classes.iter().filter(|range| Class::is_looked_at(range.class));
    let touched = walls.flat_map(|range| range.first..range.end).filter(|&c| touches(&work.touching, c) == 1);
    let blocks = contacts.blocks.iter().filter(|head| Class::is_looked_at(head.class));
    let placed = blocks.flat_map(|head| &contacts.placed[head.first as usize..][..head.count as usize]);
    let without = touched.clone().count() - placed.clone().filter(|&&c| touches(&work.touching, c) == 1).count();
    if without > 0 {
        let mut has_place = vec![0_u64; work.touching.len()];
        placed.for_each(|&placed| has_place[placed as usize / 64] |= 1 << (placed % 64));
        work.begun.extend(touched.filter(|&candidate| touches(&has_place, candidate) == 0));
    }
}

/// Marks the places where a wall or a solid is touched. Spheres may touch anywhere.
fn mark_walls(touching: &[u64], contacts: &mut ChunkContacts) {
    for head in contacts.blocks.iter_mut().filter(|head| Class::is_looked_at(head.class)) {
        let placed = &contacts.placed[head.first as usize..][..head.count as usize];
        head.live = placed.iter().enumerate().fold(0, |live, (lane, &wall)| live | touches(touching, wall) << lane);
    }
}

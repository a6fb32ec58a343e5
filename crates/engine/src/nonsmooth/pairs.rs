//! Who may meet within the step: pairs nearer than they can approach in it, and a little more.
//!
//! A row costs little and a missed contact lets bodies pass, so margins follow from speeds: of a body that moves by v h in the step the
//! reach is R + v h + 0.05 R. A body that is hit in the step may move faster than that: where two can meet, each may be pushed as
//! far as they approach each other, and half as far those that touch it. Does not look farther than four radii ahead: what moves
//! more in a step may pass through others. A body pushed through more than two others may meet one unseen, and overlaps it until
//! the next step.

use glam::DVec3;

use crate::broad::{self, Ball, Pair, Slab};
use crate::geometry::Geometry;
use crate::model::Model;
use crate::response::Response;
use crate::state::State;

use super::Work;

/// Share of its radius that a body is looked for contacts beyond where its velocity takes it.
pub(super) const SKIN: f64 = 0.05;
/// The farthest that a body is expected to move in a step, in radii.
const FARTHEST: f64 = 4.0;
/// Share of a push that a body hands on to those it touches.
const HANDED_ON: f64 = 0.5;

/// Finds the pairs.
pub fn find(model: &Model, state: &State, geometry: &Geometry, work: &mut Work) {
    let bodies = &state.bodies;
    let Work { balls, slabs, twists, .. } = work;
    balls.clear();
    balls.extend(bodies.grains().iter().zip(&*twists).map(|(mover, twist)| {
        let way = (model.dt * twist.velocity.length()).min(FARTHEST * mover.radius);
        Ball { centre: mover.position, reach: mover.radius * (1.0 + SKIN) + way, id: mover.id }
    }));
    slabs.clear();
    slabs.extend(geometry.now().walls().zip(&twists[bodies.first_wall..]).map(|(wall, twist)| {
        let turns = twist.angular_velocity != DVec3::ZERO;
        Slab { wall: *wall, reach: if turns { f64::INFINITY } else { model.dt * twist.velocity.length() } }
    }));
    work.pairs = near(model, state, work);
    if push(model, state, geometry, work) {
        for (ball, push) in work.balls.iter_mut().zip(&work.pushes) {
            ball.reach += push;
        }
        work.pairs = near(model, state, work);
    }
}

/// The pairs within their reaches, of which at least one moves and that have a law.
fn near(model: &Model, state: &State, work: &Work) -> Vec<Pair> {
    let bodies = &state.bodies;
    let material = |index: u32| bodies.material_of[bodies.movers[index as usize].id as usize];
    let moves = |index: u32| work.responses[index as usize] != Response::NONE;
    let id = |index: u32| bodies.movers[index as usize].id;
    let may_meet = |a: u32, b: u32| {
        let laws = || model.laws.get(material(a), material(b)).is_some();
        (moves(a) || moves(b)) && laws() && !work.joints.keep_apart(id(a), id(b))
    };
    let frame = state.cell.as_ref().map(|cell| &cell.frame);
    broad::pairs(&work.balls, &work.slabs, frame, may_meet)
}

/// Notes how far others may push each body in the step (m). Returns whether any may be pushed beyond its skin.
fn push(model: &Model, state: &State, geometry: &Geometry, work: &mut Work) -> bool {
    let (movers, dt) = (&state.bodies.movers, model.dt);
    let Work { pairs, pushes, twists, slabs, responses, balls, .. } = work;
    let grains = balls.len();
    pushes.clear();
    pushes.resize(movers.len(), 0.0);
    let skin = |index: u32| SKIN * movers[index as usize].radius;
    let apart = |pair: &Pair| {
        let [a, b] = [pair.a, pair.b].map(|index| &movers[index as usize]);
        let shift = geometry.shifts[usize::from(pair.image.number())];
        (a.position - b.position - shift).length() - a.radius - b.radius
    };
    for pair in &*pairs {
        let [a, b] = [pair.a as usize, pair.b as usize];
        if b >= grains {
            // A wall that comes nearer takes along what it meets.
            let way = slabs[b - grains].reach;
            pushes[a] = f64::max(pushes[a], if way.is_finite() { way } else { 0.0 });
            continue;
        }
        let closing = dt * (twists[a].velocity - twists[b].velocity).length();
        if apart(pair) < closing + skin(pair.a).min(skin(pair.b)) {
            pushes[a] = f64::max(pushes[a], closing);
            pushes[b] = f64::max(pushes[b], closing);
        }
    }
    let first = pushes.clone();
    for pair in pairs.iter().filter(|pair| (pair.b as usize) < grains) {
        if apart(pair) < skin(pair.a).min(skin(pair.b)) {
            let [a, b] = [pair.a as usize, pair.b as usize];
            pushes[a] = f64::max(pushes[a], HANDED_ON * first[b]);
            pushes[b] = f64::max(pushes[b], HANDED_ON * first[a]);
        }
    }
    let mut any = false;
    for (index, push) in (0..).zip(pushes.iter_mut()) {
        let free = responses[index as usize] != Response::NONE;
        // Its skin covers the rest.
        *push = if free && *push > skin(index) { push.min(FARTHEST * movers[index as usize].radius) } else { 0.0 };
        any |= *push > 0.0;
    }
    any
}

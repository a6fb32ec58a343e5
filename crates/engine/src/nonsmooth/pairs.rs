//! Who may meet within the step: pairs nearer than they can approach in it, and a little more.
//!
//! A row costs little and a missed contact lets bodies pass, so margins follow from speeds: of a body that moves by v h in the step the
//! reach is R + v h + 0.05 R. A body that is hit in the step may move faster than that; what it then runs into is felt in the next
//! step. Does not look farther than four radii ahead: what moves more in a step may pass through others.

use crate::broad::{self, Ball, Slab};
use crate::geometry::Geometry;
use crate::model::Model;
use crate::response::Response;
use crate::state::State;

use super::Work;

/// Share of its radius that a body is looked for contacts beyond where its velocity takes it.
pub(super) const SKIN: f64 = 0.05;
/// The farthest that a body is expected to move in a step, in radii.
const FARTHEST: f64 = 4.0;

/// Finds the pairs.
pub fn find(model: &Model, state: &State, geometry: &Geometry, work: &mut Work) {
    let bodies = &state.bodies;
    let Work { balls, slabs, twists, responses, joints, .. } = work;
    balls.clear();
    balls.extend(bodies.grains().iter().zip(&*twists).map(|(mover, twist)| {
        let way = (model.dt * twist.velocity.length()).min(FARTHEST * mover.radius);
        Ball { centre: mover.position, reach: mover.radius * (1.0 + SKIN) + way, id: mover.id }
    }));
    slabs.clear();
    slabs.extend(geometry.now().walls().zip(&twists[bodies.first_wall..]).map(|(wall, twist)| {
        let turns = twist.angular_velocity != glam::DVec3::ZERO;
        Slab { wall: *wall, reach: if turns { f64::INFINITY } else { model.dt * twist.velocity.length() } }
    }));
    let material = |index: u32| bodies.material_of[bodies.movers[index as usize].id as usize];
    let moves = |index: u32| responses[index as usize] != Response::NONE;
    let id = |index: u32| bodies.movers[index as usize].id;
    let may_meet = |a: u32, b: u32| {
        let laws = || model.laws.get(material(a), material(b)).is_some();
        (moves(a) || moves(b)) && laws() && !joints.keep_apart(id(a), id(b))
    };
    let frame = state.cell.as_ref().map(|cell| &cell.frame);
    work.pairs = broad::pairs(balls, slabs, frame, may_meet);
}

//! What the solved rows of joints say: their loads, where the energy went, how far they have moved.
//!
//! Where a drive asks for rest and friction has a part in it, both rows want the same: friction takes the load up to its limit, the
//! drive the rest. Work counts as that of contacts does, g . (u + u')/2 (THEORY.md eq. 8.8).

use glam::DVec3;

use super::super::Work;
use super::Tied;
use crate::cone::{Blocks, Lever, Twist};
use crate::joint::{Joint, JointKind, JointState, Target};
use crate::model::Model;
use crate::state::State;

/// A load that is on its limit but for this share is at it.
const ON_LIMIT: f64 = 1e-6;

/// Impulses of a joint on a in the step.
struct Impulses {
    force: DVec3,
    torque: DVec3,
    drive: f64,
    friction: DVec3,
    spring: f64,
}

/// Keeps loads and places of joints, and books their energies. `means` are the mean velocities over the step.
pub fn book(model: &Model, state: &mut State, work: &Work, means: &[Twist]) {
    for tied in &work.joints.tied {
        let joint = &model.joints[tied.number];
        let mut given = impulses(tied, work.rows.blocks());
        let slow = 10.0 * work.report.certificate.residual_max;
        let rests = tied.rubbing(joint, &work.twists) <= slow;
        let limits = Limits::of(model, state, joint);
        if limits.asks_rest && rests && tied.friction.is_some() {
            let total = given.drive + given.friction.x;
            given.friction.x = total.clamp(-limits.friction, limits.friction);
            given.drive = total - given.friction.x;
        }
        book_work(model, state, tied, (&given, work, means));
        let at = |load: f64, limit: f64| limit > 0.0 && load >= (1.0 - ON_LIMIT) * limit;
        let slips = [at(given.drive.abs(), limits.drive), at(given.friction.length(), limits.friction) && !rests];
        let over = 1.0 / model.dt;
        let place = state.bodies.place_of(joint).unwrap_or(tied.place);
        let x = joint.motion(&place, state.joints[tied.number].x);
        state.joints[tied.number] = JointState {
            x,
            force: given.force * over,
            torque: given.torque * over,
            drive: given.drive * over,
            friction: given.friction * over,
            spring: given.spring * over,
            slips,
        };
    }
}

/// Impulses that drive and friction have at most, and whether the drive asks for rest.
struct Limits {
    drive: f64,
    friction: f64,
    asks_rest: bool,
}

impl Limits {
    fn of(model: &Model, state: &State, joint: &Joint) -> Limits {
        let (start, dt) = (state.time(model), model.dt);
        let limit = |signal: &crate::schedule::Signal<f64>| signal.mean(start, start + dt) * dt;
        let drive = joint.drive.as_ref();
        let asks_rest = drive.is_some_and(|drive| match &drive.target {
            Target::Speed(speed) => speed.mean(start, start + dt) == 0.0,
            Target::Position(place) => place.at(start) == place.at(start + dt),
            Target::Load(_) => false,
        });
        Limits {
            drive: drive.and_then(|drive| drive.limit.as_ref()).map_or(0.0, limit),
            friction: joint.friction.as_ref().map_or(0.0, limit),
            asks_rest,
        }
    }
}

/// The impulses of a joint as they were solved for.
fn impulses(tied: &Tied, blocks: &Blocks) -> Impulses {
    let row = |(block, row): (u32, usize)| blocks.rows(block as usize)[row].impulse;
    let (mut force, mut torque, mut friction) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    if let Some(block) = tied.held {
        for (direction, row) in tied.directions[..tied.held_count].iter().zip(blocks.rows(block as usize)) {
            let into = if direction.turns { &mut torque } else { &mut force };
            *into += direction.along * row.impulse;
        }
    }
    if let Some(block) = tied.friction {
        for (k, row) in blocks.rows(block as usize).iter().enumerate() {
            friction[k] = row.impulse;
        }
    }
    Impulses {
        force,
        torque,
        drive: tied.drive.map_or(tied.given, row),
        friction,
        spring: tied.spring.map_or(0.0, |block| row((block, 0))),
    }
}

/// Books what drives put in, what friction and dampers take, and what bodies with a given motion take up.
fn book_work(model: &Model, state: &mut State, tied: &Tied, (given, work, means): (&Impulses, &Work, &[Twist])) {
    let is_ball = model.joints[tied.number].kind == JointKind::Ball;
    let mean = tied.speed(means);
    let rubbed = if is_ball { given.friction.dot(tied.turning(means)) } else { given.friction.x * mean };
    let damped = -tied.damper * tied.speed(&work.twists) * model.dt * mean;
    state.sums.joints -= rubbed + damped;
    state.sums.driven += given.drive * mean;
    let on_freedom = given.drive + given.spring + if is_ball { 0.0 } else { given.friction.x };
    let turning = given.torque + if is_ball { given.friction } else { DVec3::ZERO };
    let freedom = tied.freedom.unwrap_or_default();
    for (side, (&index, sign)) in tied.indices().iter().zip([1.0, -1.0]).enumerate() {
        if state.bodies.movers[index as usize].inverse_mass > 0.0 {
            continue;
        }
        let Lever { linear, angular } = freedom[side];
        let force = given.force * sign + linear * on_freedom;
        let torque = (tied.arms[side].cross(given.force) + turning) * sign + angular * on_freedom;
        let twist = &means[index as usize];
        state.sums.driven -= force.dot(twist.velocity) + torque.dot(twist.angular_velocity);
    }
}

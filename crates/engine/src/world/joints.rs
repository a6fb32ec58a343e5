//! Joints of a world: whether they can be, where they are, what is recorded of them.

use glam::DVec3;

use super::World;
use crate::contact::Mode;
use crate::error::BuildError;
use crate::joint::{Freedom, Joint, JointKind, JointState, Place};
use crate::measure::joints::JointRow;
use crate::model::{Method, Model};
use crate::state::{Bodies, State};

/// Whether a model can have its joints.
pub(super) fn check(model: &Model, bodies: usize) -> Result<(), BuildError> {
    if model.joints.is_empty() {
        return Ok(());
    }
    if matches!(model.method, Method::Explicit(_)) {
        return Err(BuildError::NotImplemented { body: None, method: "explicit", what: "joints" });
    }
    if model.cell.is_some() {
        return Err(BuildError::BadCell("joints in a cell are not implemented".into()));
    }
    model.joints.iter().enumerate().try_for_each(|(number, joint)| joint.check(number, bodies))
}

/// Joints before the first step.
pub(super) fn at_start(model: &Model, bodies: &Bodies) -> Vec<JointState> {
    let x = |joint: &Joint| bodies.place_of(joint).map_or(0.0, |place| joint.motion(&place, 0.0));
    model.joints.iter().map(|joint| JointState { x: x(joint), ..JointState::default() }).collect()
}

impl World {
    /// The joints whose bodies are there, by number: where they are now, with the loads of the latest step.
    pub fn joints(&self) -> Vec<JointRow> {
        let World { model, state, .. } = self;
        let all = model.joints.iter().zip(&state.joints).enumerate();
        all.filter_map(|(number, (joint, now))| Some(row(number, joint, now, state, &state.bodies.place_of(joint)?)))
            .collect()
    }

    /// The largest distance between what joints hold together (m).
    pub fn joint_error(&self) -> f64 {
        let World { model, state, .. } = self;
        let places = model.joints.iter().filter_map(|joint| Some((joint, state.bodies.place_of(joint)?)));
        places.map(|(joint, place)| joint.errors(&place)[0]).fold(0.0, f64::max)
    }
}

fn row(number: usize, joint: &Joint, now: &JointState, state: &State, place: &Place) -> JointRow {
    let [error, error_angle] = joint.errors(place);
    let [limited, slips] = now.slips;
    let is_ball = joint.kind == JointKind::Ball;
    JointRow {
        joint: number,
        x: now.x,
        v: speed(joint, state, place),
        drive: now.drive,
        friction: if is_ball { now.friction.length() } else { now.friction.x },
        spring: now.spring,
        force: now.force,
        torque: now.torque + place.offset.cross(now.force),
        error,
        error_angle,
        mode: [Mode::of(joint.drive.is_some(), limited), Mode::of(joint.friction.is_some(), slips)],
    }
}

/// How fast a moves relative to b along or about the axis.
fn speed(joint: &Joint, state: &State, place: &Place) -> f64 {
    let bodies = &state.bodies;
    let twist = |id: Option<u32>| {
        let mover = id.map(|id| &bodies.movers[bodies.index_of[id as usize] as usize]);
        let at = |position: DVec3| place.points[0] - position;
        mover.map_or((DVec3::ZERO, DVec3::ZERO), |mover| {
            let turning = mover.angular_velocity;
            (mover.velocity + turning.cross(at(mover.position)), turning)
        })
    };
    let ((velocity_a, turning_a), (velocity_b, turning_b)) = (twist(Some(joint.a)), twist(joint.b));
    match (joint.kind, joint.kind.freedom()) {
        (JointKind::Distance { .. }, _) => place.line().dot(velocity_a - velocity_b),
        (_, Some(Freedom::Along)) => place.axis.dot(velocity_a - velocity_b),
        (_, Some(Freedom::About)) => place.axis.dot(turning_a - turning_b),
        (_, None) => 0.0,
    }
}

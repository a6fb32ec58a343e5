//! Bodies in a step: the velocities that they would have without contacts, and the motion by those that they have with them.
//!
//! ```text
//!   v* = v + h (g + F/m),   w* = w + h I^-1 T;     x += h v',   q turned by h w'
//! ```
//!
//! A body with unequal moments turns with its angular momentum kept (THEORY.md eq. 4.4), in parts of the step in which it turns little.
//! What moves by a function of time has its mean velocity over the step, so that what touches it has the motion that it really makes.

use glam::DVec3;

use super::Work;
use crate::body::{Motion, Prescribed, Servo};
use crate::cone::Twist;
use crate::frame::{self, Tumbling};
use crate::geometry::Geometry;
use crate::model::{Model, Special};
use crate::response::Response;
use crate::schedule::Signal;
use crate::state::{Mover, State};

/// Radians by which a tumbling body turns in one part of a step, at most.
const LITTLE: f64 = 0.1;
/// Parts of a step, at most.
const MOST_PARTS: f64 = 1000.0;

/// Puts bodies in the order of space.
pub fn put_in_order(state: &mut State, geometry: &mut Geometry) {
    let bodies = &mut state.bodies;
    let largest = bodies.grains().iter().map(|mover| mover.radius).fold(0.0, f64::max);
    let order = bodies.order_in_space(largest.max(f64::MIN_POSITIVE));
    bodies.reorder(&order);
    geometry.pose(bodies);
}

/// Sets the velocities at the start of the step, those at its end without contacts, and what impulses do.
pub fn set_free(model: &Model, state: &State, geometry: &Geometry, work: &mut Work) {
    let (bodies, time) = (&state.bodies, state.time(model));
    let gravity = model.gravity.mean(time, time + model.dt);
    let step = Step { start: time, number: state.step, dt: model.dt, gravity };
    let Work { before, twists, responses, .. } = work;
    responses.clear();
    responses.extend_from_slice(geometry.responses());
    before.clear();
    twists.clear();
    for (mover, response) in bodies.movers.iter().zip(&mut *responses) {
        let now = Twist { velocity: mover.velocity, angular_velocity: mover.angular_velocity };
        let (start, end) = match bodies.special(mover) {
            None => (now, Twist { velocity: now.velocity + gravity * model.dt, ..now }),
            Some(special) => of_special(special, (mover, now), response, &step),
        };
        before.push(start);
        twists.push(end);
    }
}

/// The step that is being taken.
struct Step {
    /// When it begins (s).
    start: f64,
    /// How many came before it.
    number: u64,
    /// s.
    dt: f64,
    /// Its mean (m/s^2).
    gravity: DVec3,
}

/// Velocities at the start of the step and, without contacts, at its end.
fn of_special(
    special: &Special,
    (mover, now): (&Mover, Twist),
    response: &mut Response,
    step: &Step,
) -> (Twist, Twist) {
    let still = Twist::default();
    let Step { start, number, dt, gravity } = *step;
    match &special.motion {
        Motion::Fixed | Motion::Belt(_) => (still, still),
        Motion::Prescribed(motion) => {
            let mean = mean(motion, special, motion.clock().time_at(number, dt), dt);
            (mean, mean)
        }
        Motion::Servo(servo) => {
            // Its dashpot implicitly: it takes the same share of what contacts give.
            response.linear *= 1.0 / (1.0 + servo.damping * dt / servo.mass);
            let constant = Servo { force: Signal::Constant(servo.force.mean(start, start + dt)), ..servo.clone() };
            (now, Twist { velocity: constant.kicked(now.velocity, DVec3::ZERO, dt, start), ..Twist::default() })
        }
        Motion::Free | Motion::Held => {
            let falls = if special.motion == Motion::Free { gravity * special.free } else { DVec3::ZERO };
            let force = special.force.mean(start, start + dt);
            let velocity = now.velocity + (falls + response.linear * force) * dt;
            let torque = response.angular * special.torque.mean(start, start + dt);
            debug_assert!(mover.inverse_mass > 0.0);
            (now, Twist { velocity, angular_velocity: now.angular_velocity + torque * dt })
        }
    }
}

/// The mean velocity over a step of a body that moves by a function of time.
fn mean(motion: &Prescribed, special: &Special, time: f64, dt: f64) -> Twist {
    let [start, end] = [time, time + dt].map(|t| motion.pose(special.position0, special.orientation0, t));
    Twist { velocity: (end.position - start.position) / dt, angular_velocity: end.angular_velocity }
}

/// Moves bodies by their velocities at the end of the step.
pub fn move_by(twists: &[Twist], model: &Model, state: &mut State) {
    let next = state.step + 1;
    let bodies = &mut state.bodies;
    let specials = &bodies.specials;
    for ((mover, orientation), twist) in bodies.movers.iter_mut().zip(&mut bodies.orientations).zip(twists) {
        let special = specials.get((mover.special as usize).wrapping_sub(1));
        let (way, turn) = (twist.velocity * model.dt, twist.angular_velocity * model.dt);
        match special.map(|special| (special, &special.motion)) {
            Some((_, Motion::Fixed | Motion::Belt(_))) => {}
            Some((special, Motion::Prescribed(motion))) => {
                let end = motion.clock().time_at(next, model.dt);
                let pose = motion.pose(special.position0, special.orientation0, end);
                (mover.position, *orientation) = (pose.position, pose.orientation);
                (mover.velocity, mover.angular_velocity) = (pose.velocity, pose.angular_velocity);
            }
            Some((_, Motion::Servo(servo))) => {
                mover.position += way;
                // What contacts push it to in a step may be faster than it moves by itself.
                mover.velocity = servo.along(twist.velocity);
            }
            special => {
                mover.position += way;
                (mover.velocity, mover.angular_velocity) = (twist.velocity, twist.angular_velocity);
                match special.and_then(|(special, _)| Some((special, special.inertia_body?))) {
                    None => *orientation = frame::turned(*orientation, turn),
                    Some((special, inertia_body)) => {
                        let parts = (turn.length() / LITTLE).ceil().clamp(1.0, MOST_PARTS);
                        let tumbling = Tumbling { inertia_body, free: special.free_turn };
                        let mut now = (special.principal(*orientation), mover.angular_velocity);
                        for _ in 0..parts as u32 {
                            now = tumbling.drifted(now.0, now.1, model.dt / parts);
                        }
                        (*orientation, mover.angular_velocity) = (special.body_of_principal(now.0), now.1);
                    }
                }
            }
        }
    }
}

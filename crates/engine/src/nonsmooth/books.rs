//! What the solved rows say: loads on bodies, where the energy went, rows of the contacts record, whether bodies are too deep.
//!
//! The velocity of a body changes only by what acts at the start of the step, so the work of an impulse g on both bodies is exactly
//! g . (u + u')/2 with the velocities u at the start and u' at the end (THEORY.md eq. 8.8), belts and drives apart. Impacts count
//! under `Normal`. What is left as an error is that of the motion between: of falling bodies m g^2 h^2/2 a step.

use glam::DVec3;

use super::memory::bears;
use super::{Touching, Work, joints};
use crate::body::Motion;
use crate::cone::{Split, Twist, Wrench};
use crate::contact::Mode;
use crate::error::{DeepBy, Trouble};
use crate::law::Motions;
use crate::measure::ContactRow;
use crate::model::Model;
use crate::schedule::Signal;
use crate::state::{Load, State};

/// A motion that is on its limit but for this share slips, where it moves.
const ON_LIMIT: f64 = 1e-6;

/// Books loads and energies, and keeps rows if they were asked for.
pub fn book(model: &Model, state: &mut State, work: &mut Work) {
    let dt = model.dt;
    let loads = &mut state.bodies.loads;
    loads.clear();
    loads.resize(work.twists.len(), Load::default());
    work.kept.clear();
    work.pressed = 0.0;
    let means: Vec<Twist> = work.before.iter().zip(&work.twists).map(|(start, end)| mean(start, end)).collect();
    let mut done = [0.0; 4];
    work.stored = 0.0;
    for row in 0..work.rows.len() {
        let Wrench { force, torque } = work.rows.impulses()[row];
        let g = work.rows.split_impulse(row);
        if g == Split::default() {
            continue;
        }
        let one = work.rows.get(row);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let turning = one.arm[side].cross(force) + torque;
            loads[one.bodies[side] as usize].add(&Load::new(force * (sign / dt), turning * (sign / dt)));
        }
        let mut u = work.rows.velocity(row, &means);
        u.normal -= work.touching[row].bias + work.touching[row].give[0] * g.normal;
        let of_motion = [g.normal * u.normal, g.slide.dot(u.slide), g.roll.dot(u.roll), g.spin * u.spin];
        (0..4).for_each(|motion| done[motion] += of_motion[motion]);
        work.pressed += g.normal.max(0.0) / dt;
        let [give, stiffness] = work.touching[row].give;
        if stiffness > 0.0 {
            let end = work.rows.velocity(row, &work.twists).normal - work.touching[row].bias - give * g.normal;
            let overlap = (work.touching[row].gap + end * dt).min(0.0);
            work.stored += 0.5 * stiffness * overlap * overlap;
        }
        // The surface of a belt moves, and the body that carries it does not.
        state.sums.driven -= force.dot(work.touching[row].belts);
        if work.keep_rows && bears(&work.rows, row) {
            let row = contact_row(state.bodies.movers[one.bodies[0] as usize].position, work, row, dt);
            work.kept.push(row);
        }
    }
    joints::book::book(model, state, work, &means);
    work.keep_rows = false;
    (0..4).for_each(|motion| state.sums.work[motion] += done[motion]);
    state.sums.driven += drives(model, state, &means);
}

fn mean(start: &Twist, end: &Twist) -> Twist {
    let velocity = (start.velocity + end.velocity) * 0.5;
    Twist { velocity, angular_velocity: (start.angular_velocity + end.angular_velocity) * 0.5 }
}

/// Work of what drives bodies, and of constant loads, in the step (J).
fn drives(model: &Model, state: &State, means: &[Twist]) -> f64 {
    let (bodies, dt, start) = (&state.bodies, model.dt, state.time(model));
    let of_body = |((mover, load), mean): ((&crate::state::Mover, &Load), &Twist)| {
        let Some(special) = bodies.special(mover) else { return 0.0 };
        let mean_of = |load: &Signal<DVec3>| load.mean(start, start + dt);
        match special.motion {
            Motion::Fixed | Motion::Belt(_) => 0.0,
            Motion::Prescribed(_) | Motion::Servo(_) => {
                -(load.force.dot(mean.velocity) + load.torque.dot(mean.angular_velocity))
            }
            Motion::Held => mean_of(&special.torque).dot(mean.angular_velocity),
            Motion::Free => {
                mean_of(&special.force).dot(mean.velocity) + mean_of(&special.torque).dot(mean.angular_velocity)
            }
        }
    };
    bodies.movers.iter().zip(&bodies.loads).zip(means).map(of_body).sum::<f64>() * dt
}

/// The row of a contact whose a is here.
fn contact_row(position: DVec3, work: &Work, row: usize, dt: f64) -> ContactRow {
    let (one, Touching { key, gap, resisted, .. }) = (work.rows.get(row), &work.touching[row]);
    let (g, bits) = (work.rows.split_impulse(row), slipping(work, row));
    let mode: [Mode; 3] = std::array::from_fn(|k| Mode::of(resisted[k], bits & u64::from(Motions::EACH[k].0) != 0));
    ContactRow {
        a: key.a,
        b: key.b,
        feature: key.feature,
        point: position + one.arm[0],
        normal: one.normal,
        overlap: (-gap).max(0.0),
        normal_force: g.normal / dt,
        slide: g.slide / dt,
        roll_a: g.roll / dt,
        roll_b: -g.roll / dt,
        spin: g.spin / dt,
        mode,
        roll_modes: [mode[1]; 2],
    }
}

/// Bits of the motions of a row that slip: they are on their limit, and faster than what the residual lets through.
pub fn slipping(work: &Work, row: usize) -> u64 {
    let (one, g, u) = (work.rows.get(row), work.rows.split_impulse(row), work.rows.velocity(row, &work.twists));
    let slow = 10.0 * work.report.certificate.residual_max;
    let beyond = |load: f64, limit: f64| load >= (1.0 - ON_LIMIT) * limit * g.normal;
    let slips = [
        beyond(g.slide.length(), one.cones.slide) && u.slide.length() > slow,
        beyond(g.roll.length(), one.cones.roll) && u.roll.length() * one.length > slow,
        beyond(g.spin.abs(), one.cones.spin) && u.spin.abs() * one.length > slow,
    ];
    let resisted = work.touching[row].resisted;
    let bit = |k: usize| if slips[k] && resisted[k] { u64::from(Motions::EACH[k].0) } else { 0 };
    (0..3).map(bit).sum()
}

/// Whether no two bodies are in each other by more than half the smaller radius.
pub fn check_depth(model: &Model, state: &State, work: &Work) -> Result<(), Trouble> {
    let bodies = &state.bodies;
    for (row, touching) in work.touching.iter().enumerate().filter(|(_, touching)| touching.gap < 0.0) {
        let one = work.rows.get(row);
        let radii = one.bodies.map(|index| bodies.movers[index as usize].radius).into_iter();
        let radius = radii.filter(|radius| *radius > 0.0).fold(f64::INFINITY, f64::min);
        let overlap = -touching.gap;
        if overlap > 0.5 * radius {
            let (a, b) = (touching.key.a, touching.key.b);
            let by = DeepBy::Unsolved { steps: work.report.unsolved };
            return Err(Trouble::Overlap { a, b, overlap, radius, by, time: state.time(model), step: state.step });
        }
    }
    Ok(())
}

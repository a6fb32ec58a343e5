//! The cell in a step of the explicit method: its flow, and its own motion under a barostat (THEORY.md section 7).
//!
//! The gradient L of the flow is constant in a step. A strain prescribes it. Under stress control it is a variable of its own
//! with the inertia W and the acceleration
//!
//! W L' = V (P - target) + (sum m v^2/N_f) 1,   N_f = 3 N                                                      (7.5)
//!
//! after Parrinello and Rahman with Martyna's form (Shinoda, Shiga and Mikami 2004), symmetric, so that the cell does not
//! turn; velocities are braked by tr(L)/N_f as well. A target that is no pressure is held as the stress of the cell as it is
//! (the reference cell is reset in every step). The order in a step is L, v, x, v, L: half a kick of L with the stress at
//! the start, the bodies' step with that L, half a kick with the stress at the end. It is its own reverse, hence of second
//! order, and keeps kinetic + stored + P V + W L:L/2 (eq. 7.7) for elastic grains under a pressure.
//!
//! Does not do: a flow with symplectic Euler, walls or driven bodies in a cell that changes its shape.
//! Bodies are put back into the cell when lists are made (`soft/cell.rs`).

use glam::{DMat3, DVec3};

use super::bodies;
use super::flow::Flow;
use crate::cell::{CellInertia, CellState, Control, diagonal, symmetric, trace};
use crate::flow::PairFlow;
use crate::geometry::Geometry;
use crate::model::Model;
use crate::schedule::{Quantity, Schedule, Signal};
use crate::state::{Bodies, State};

/// Inertia of the cell (kg m^2).
pub fn inertia_of(bodies: &Bodies, inertia: &CellInertia) -> f64 {
    (bodies.first_wall as f64 + 1.0) * inertia.energy * inertia.damping_time * inertia.damping_time
}

/// Degrees of freedom of the bodies' places.
fn freedoms(bodies: &Bodies) -> f64 {
    3.0 * (bodies.first_wall as f64).max(1.0)
}

/// 1/s by which a barostat brakes velocities when the cell grows.
fn friction(model: &Model, bodies: &Bodies, gradient: DMat3) -> f64 {
    if model.controls_stress() { trace(gradient) / freedoms(bodies) } else { 0.0 }
}

/// Half a kick of the gradient begins a step; returns the flow of the step, where the cell changes its shape.
pub fn begin(model: &Model, state: &mut State) -> Option<Flow> {
    if !model.flows() {
        return None;
    }
    let half = 0.5 * model.dt;
    let [start, end] = [state.step, state.step + 1].map(|step| state.clock.time_at(step, model.dt));
    if let Some(cell) = &mut state.cell {
        cell.gradient += cell.gradient_rate * half;
        if let Some(control) = scheduled(model) {
            cell.gradient = prescribed(control, cell.gradient, start, end);
            let at_end = prescribed(control, cell.gradient, end, end);
            cell.gradient_rate += (at_end - cell.gradient) * (2.0 / model.dt);
        }
    }
    flow_ahead(model, state)
}

/// What drives the cell, where it follows a schedule.
fn scheduled(model: &Model) -> Option<&Control> {
    model.cell.as_ref().map(|cell| &cell.control).filter(|control| control.is_scheduled())
}

/// A gradient with what schedules prescribe of it: the mean over an interval of time, so that the strain is the exact integral, or where
/// the interval has no length the value then.
fn prescribed(control: &Control, gradient: DMat3, from: f64, to: f64) -> DMat3 {
    fn over<T: Quantity>(schedule: &Schedule<T>, from: f64, to: f64) -> T {
        if from < to { schedule.mean(from, to) } else { schedule.at(to) }
    }
    match control {
        Control::Strain { gradient: Signal::Schedule(schedule) } => over(schedule, from, to),
        Control::MeanStress { axis, rate: Signal::Schedule(schedule), .. } => {
            let mut prescribed = gradient;
            prescribed.col_mut(*axis)[*axis] = over(schedule, from, to);
            prescribed
        }
        _ => gradient,
    }
}

/// The flow of the step that begins where the cell is now.
pub fn flow_ahead(model: &Model, state: &State) -> Option<Flow> {
    let cell = state.cell.as_ref().filter(|_| model.flows())?;
    let friction = friction(model, &state.bodies, cell.gradient);
    Some(Flow::new(cell.centre, cell.gradient, friction, model.dt, cell.since_built()))
}

/// The cell follows the flow of the step, as the bodies have.
pub fn move_cell(model: &Model, state: &mut State, geometry: &mut Geometry, flow: Option<&Flow>) {
    if let (Some(flow), Some(cell)) = (flow, &mut state.cell) {
        cell.frame.vectors = flow.carry * cell.frame.vectors;
        cell.frame.corner = flow.drifted(cell.frame.corner, DVec3::ZERO);
        cell.strain += flow.gradient * model.dt;
        geometry.note_cell(Some(cell));
    }
}

/// The flow as contacts see it; with dt = 0 as it is now.
pub fn pair_flow(model: &Model, cell: Option<&CellState>, dt: f64) -> Option<PairFlow> {
    let cell = cell.filter(|_| model.flows())?;
    // The rate is that of the step's start: what is missing is of second order.
    Some(PairFlow::new(cell.gradient, cell.gradient + cell.gradient_rate * (0.5 * dt), dt))
}

/// The stress is known, with this sum of force (x) branch: half a kick of the gradient ends the step. Returns the power that the
/// cell's motion puts in.
pub fn end(model: &Model, state: &mut State, kinetic: [f64; 6], virial: DMat3, dt: f64) -> f64 {
    note_virial(state, virial);
    let Some(of_cell) = state.cell.as_ref().filter(|_| model.flows()).map(|cell| cell.virial) else {
        return 0.0;
    };
    let time = if dt > 0.0 { state.clock.time_at(state.step + 1, model.dt) } else { state.time(model) };
    let rate = gradient_rate(model, state, (kinetic, of_cell), time);
    if let Some(cell) = &mut state.cell {
        cell.gradient_rate = rate;
        cell.gradient += rate * (0.5 * dt);
        if let Some(control) = scheduled(model) {
            cell.gradient = prescribed(control, cell.gradient, time, time);
        }
    }
    flow_power(model, state, kinetic, virial)
}

/// The cell knows the stress of the latest evaluation.
pub fn note_virial(state: &mut State, virial: DMat3) {
    if let Some(cell) = &mut state.cell {
        cell.virial = symmetric_part(virial);
    }
}

/// The same as `end` at the start of a stage, with the loads of the stage before.
pub fn restart(model: &Model, state: &mut State, virial: DMat3) -> f64 {
    let kinetic = kinetic_sums(&state.bodies);
    let Some(of_cell) = state.cell.as_ref().filter(|_| model.flows()).map(|cell| cell.virial) else {
        return 0.0;
    };
    let rate = gradient_rate(model, state, (kinetic, of_cell), state.time(model));
    if let Some(cell) = &mut state.cell {
        cell.gradient_rate = rate;
    }
    flow_power(model, state, kinetic, virial)
}

/// Sum of m v (x) v over bodies that loads move (J), and what the barostat's braking takes of it (W).
pub struct FlowOfBodies {
    kinetic: [f64; 6],
    braked: f64,
}

/// Nothing without a flow.
pub fn flow_of_bodies(model: &Model, state: &State) -> FlowOfBodies {
    let Some(cell) = state.cell.as_ref().filter(|_| model.flows()) else {
        return FlowOfBodies { kinetic: [0.0; 6], braked: 0.0 };
    };
    let kinetic = kinetic_sums(&state.bodies);
    let braked = friction(model, &state.bodies, cell.gradient) * (kinetic[0] + kinetic[1] + kinetic[2]);
    FlowOfBodies { kinetic, braked }
}

/// Bodies have come and gone since `flow_of_bodies`, and contacts with this force (x) branch with them: the cell knows the
/// stress that is left, and the trapezoid of its work is ended by what is no more. From what is saved alone, so that a
/// restart has the same bits.
pub fn change(model: &Model, state: &mut State, before: FlowOfBodies, ended: DMat3) {
    let Some(cell) = &mut state.cell else { return };
    let gone = symmetric_part(ended);
    (0..6).for_each(|k| cell.virial[k] -= gone[k]);
    let (gradient, virial) = (cell.gradient, cell.virial);
    if !model.flows() {
        return;
    }
    let after = flow_of_bodies(model, state);
    let stress = symmetric(before.kinetic) - symmetric(after.kinetic) + ended;
    let power = -contraction(stress, gradient) - (before.braked - after.braked);
    state.sums.end([0.0; 4], power, model.dt);
    let rate = gradient_rate(model, state, (after.kinetic, virial), state.time(model));
    if let Some(cell) = &mut state.cell {
        cell.gradient_rate = rate;
    }
}

/// Power of the cell's motion on the bodies: -V P:L, and what the barostat's braking takes (THEORY.md eq. 7.9).
fn flow_power(model: &Model, state: &State, kinetic: [f64; 6], virial: DMat3) -> f64 {
    let Some(cell) = &state.cell else { return 0.0 };
    // A flow that turns does work on contacts whose forces have a moment, so the whole of force (x) branch counts.
    let stress = symmetric(kinetic) + virial;
    let braking = friction(model, &state.bodies, cell.gradient) * (kinetic[0] + kinetic[1] + kinetic[2]);
    -contraction(stress, cell.gradient) - braking
}

/// The acceleration of the gradient (1/s^2) by the stress at a time (s).
fn gradient_rate(model: &Model, state: &State, (kinetic, virial): ([f64; 6], [f64; 6]), time: f64) -> DMat3 {
    let (Some(cell), Some(of_model)) = (&state.cell, &model.cell) else { return DMat3::ZERO };
    let volume = cell.frame.volume().abs();
    let stress = symmetric(kinetic) + symmetric(virial);
    let thermal = (kinetic[0] + kinetic[1] + kinetic[2]) / freedoms(&state.bodies);
    match &of_model.control {
        Control::Fixed | Control::Strain { .. } => DMat3::ZERO,
        Control::Pressure { target, inertia, triclinic } => {
            let push = stress - target.at(time) * volume + DMat3::IDENTITY * thermal;
            let push = if *triclinic { push } else { diagonal(push) };
            push * (1.0 / inertia_of(&state.bodies, inertia))
        }
        Control::MeanStress { pressure, axis, inertia, .. } => {
            let push = trace(stress) / 3.0 - pressure.at(time) * volume + thermal;
            let mut rate = DMat3::IDENTITY * (push / inertia_of(&state.bodies, inertia));
            rate.col_mut(*axis)[*axis] = 0.0;
            rate
        }
    }
}

/// Sum of m v (x) v over bodies that loads move (J): xx, yy, zz, xy, xz, yz.
pub fn kinetic_sums(all: &Bodies) -> [f64; 6] {
    let mut sums = [0.0; 6];
    for chunk in all.movers.chunks(all.chunk.max(1)) {
        let own = bodies::kinetic_sums(chunk);
        (0..6).for_each(|k| sums[k] += own[k]);
    }
    sums
}

/// The symmetric part: xx, yy, zz, xy, xz, yz.
fn symmetric_part(m: DMat3) -> [f64; 6] {
    let mixed = |i: usize, j: usize| 0.5 * (m.col(i)[j] + m.col(j)[i]);
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, mixed(0, 1), mixed(0, 2), mixed(1, 2)]
}

/// Sum over i, j of a_ij b_ij.
pub fn contraction(a: DMat3, b: DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

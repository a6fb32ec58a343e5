//! What moves bodies: kicks by loads, drifts by velocities, prescribed motion, and the sum of loads from other chunks.

use std::ops::Range;

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

use crate::body::{Motion, Prescribed};
use crate::clock::Clock;
use crate::contact::LANES;
use crate::explicit::flow::Flow;
use crate::frame;
use crate::law::kernel::{Kernel, Simd};
use crate::model::{Explicit, Integrator, Model, Special};
use crate::quad::{Quad, add_scaled, minus, plus, quad, scaled};
use crate::soft::Velocities;
use crate::state::{Bodies, Load, Mover};

/// What a pass over the bodies of a chunk reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodyReport {
    /// The farthest that a body has moved since neighbour lists were made (m), squared; infinite if one is not finite.
    pub moved_squared: f64,
    /// The velocities of its spheres in the drift, the flow of a cell apart.
    pub velocities: Velocities,
    /// Energy taken by local damping in the kick before the drift.
    pub local_before_drift: f64,
    /// The same in the kick at the end of the step.
    pub local_at_end: f64,
    /// Power put in by prescribed motion and constant loads.
    pub driven_power: f64,
    /// Sum of m v (x) v at the end of the step, in a cell that changes its shape: see `kinetic_sums`.
    pub kinetic: [f64; 6],
    /// Nanoseconds spent adding loads and integrating, when timed.
    pub nanoseconds: [u64; 2],
}

/// A moment, and what acts everywhere then.
#[derive(Clone, Copy)]
struct Moment {
    /// s.
    time: f64,
    /// m/s^2.
    gravity: DVec3,
}

/// What the passes read.
#[derive(Clone, Copy)]
pub struct Mechanics<'a> {
    /// Model.
    pub model: &'a Model,
    /// How to advance.
    pub settings: Explicit,
    /// Special bodies.
    pub specials: &'a [Special],
    /// Steps done at the end of the step.
    end_step: u64,
    /// When the step begins.
    start: Moment,
    /// When it ends.
    end: Moment,
    /// The affine flow of the cell in the step, where it changes its shape.
    pub flow: Option<&'a Flow>,
}

impl<'a> Mechanics<'a> {
    /// What moves bodies in the step that follows `step`.
    pub fn of(
        (model, settings): (&'a Model, Explicit),
        specials: &'a [Special],
        (clock, step): (Clock, u64),
        flow: Option<&'a Flow>,
    ) -> Self {
        let moment = |step: u64| {
            let time = clock.time_at(step, model.dt);
            Moment { time, gravity: model.gravity.at(time) }
        };
        let (start, end) = (moment(step), moment(step + 1));
        Mechanics { model, settings, specials, end_step: step + 1, start, end, flow }
    }

    /// What the clock of a motion shows at the end of the step (s).
    fn time_of(&self, motion: &Prescribed) -> f64 {
        motion.clock().time_at(self.end_step, self.model.dt)
    }

    #[inline(always)]
    fn special(&self, mover: &Mover) -> Option<&'a Special> {
        self.specials.get((mover.special as usize).wrapping_sub(1))
    }

    /// The share of dt by which the kick before the drift acts; the one after it has the rest.
    #[inline(always)]
    fn first_kick(&self) -> f64 {
        match self.settings.integrator {
            Integrator::VelocityVerlet => 0.5 * self.model.dt,
            Integrator::SymplecticEuler => self.model.dt,
        }
    }

    /// Kick, then drift to the end of the step, of one body; a plain one is turned later, by `turn_plain`. Returns how
    /// far it has moved since `built_at`, squared, and the energy that local damping took.
    #[inline(always)]
    pub fn start(&self, mover: &mut Mover, load: &Load, orientation: &mut DQuat, built_at: DVec3) -> (f64, f64) {
        let (kick, dt) = (self.first_kick(), self.model.dt);
        let (moved, local) = match self.special(mover) {
            None => {
                let local = self.kick(mover, load, kick, &self.start);
                self.flow_drift(mover, dt);
                (mover.position - self.flow.map_or(built_at, |flow| flow.carried_since_built(built_at)), local)
            }
            Some(special) => {
                let local = self.kick_special(special, (mover, *orientation), load, kick, &self.start);
                self.drift_special(special, mover, orientation);
                // How far a wall has moved, `step::pose` knows.
                let from = self.flow.map_or(built_at, |flow| flow.carried_since_built(built_at));
                let moved = if special.is_wall() { DVec3::ZERO } else { mover.position - from };
                // A wall that is nowhere must not pass for one at rest.
                (if mover.position.is_finite() { moved } else { DVec3::NAN }, local)
            }
        };
        let moved_squared = moved.length_squared();
        (if moved_squared.is_nan() { f64::INFINITY } else { moved_squared }, local)
    }

    /// Kick of one body after the loads are known (velocity Verlet), full-step velocity of a prescribed body, power of
    /// drives. The kick's twin at the start of the next step is what will bring half-step velocities to the full step.
    /// Returns the energy that local damping took, and the power.
    #[inline(always)]
    pub fn finish(&self, mover: &mut Mover, load: &Load, orientation: DQuat) -> (f64, f64) {
        let kick = self.model.dt - self.first_kick();
        let before = (mover.velocity, mover.angular_velocity);
        let (mut local, mut driven) = (0.0, 0.0);
        if let Some(flow) = self.flow {
            mover.velocity = flow.keep * mover.velocity;
        }
        match self.special(mover) {
            None => local = self.kick(mover, load, kick, &self.end),
            Some(special) => {
                local += self.kick_special(special, (mover, orientation), load, kick, &self.end);
                match &special.motion {
                    Motion::Prescribed(prescribed) => {
                        let pose = special.pose(prescribed, self.time_of(prescribed));
                        (mover.velocity, mover.angular_velocity) = (pose.velocity, pose.angular_velocity);
                    }
                    Motion::Belt(velocity) => mover.velocity = velocity.at(self.end.time),
                    _ => {}
                }
                driven = driven_power(special, mover, load, self.end.time);
            }
        }
        mover.velocity_ahead = (mover.velocity - before.0).as_vec3().to_array();
        mover.angular_velocity_ahead = (mover.angular_velocity - before.1).as_vec3().to_array();
        (local, driven)
    }

    /// At step 0: the kick that the first step begins with, noted but not given.
    pub fn look_ahead(&self, mover: &mut Mover, load: &Load, orientation: DQuat) {
        let mut kicked = *mover;
        Mechanics { end: self.start, ..*self }.finish(&mut kicked, load, orientation);
        mover.velocity_ahead = kicked.velocity_ahead;
        mover.angular_velocity_ahead = kicked.angular_velocity_ahead;
    }

    /// Power put in by the motion or the constant loads of a body when the step begins.
    pub fn driven_power(&self, mover: &Mover, load: &Load) -> f64 {
        self.special(mover).map_or(0.0, |special| driven_power(special, mover, load, self.start.time))
    }

    /// The drift of a body, with what the flow leaves of its velocity.
    #[inline(always)]
    fn flow_drift(&self, mover: &mut Mover, dt: f64) {
        match self.flow {
            None => mover.position += mover.velocity * dt,
            Some(flow) => {
                mover.velocity = flow.keep * mover.velocity;
                mover.position = flow.drifted(mover.position, mover.velocity);
            }
        }
    }

    #[inline(always)]
    fn kick(&self, mover: &mut Mover, load: &Load, kick: f64, moment: &Moment) -> f64 {
        let acceleration = load.force * mover.inverse_mass + moment.gravity;
        let spin_up = load.torque * mover.inverse_inertia;
        if self.settings.local_damping > 0.0 {
            let moment = 1.0 / mover.inverse_inertia;
            return self.kick_damped(mover, acceleration, spin_up, kick, |v| v * moment);
        }
        mover.velocity += acceleration * kick;
        mover.angular_velocity += spin_up * kick;
        0.0
    }

    /// Takes a fraction of each component of the acceleration against the velocity (THEORY.md eq. 4.3). Returns the
    /// energy this takes: exactly, with the mean of the velocities before and after.
    #[inline(never)]
    fn kick_damped(
        &self,
        mover: &mut Mover,
        acceleration: DVec3,
        spin_up: DVec3,
        kick: f64,
        inertia: impl Fn(DVec3) -> DVec3,
    ) -> f64 {
        // A component at rest has no direction to brake against; `signum` would say plus.
        let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
        let signs = |v: DVec3| DVec3::new(sign(v.x), sign(v.y), sign(v.z));
        let against = |a: DVec3, v: DVec3| a.abs() * signs(v) * -self.settings.local_damping;
        let (brake, spin_brake) = (against(acceleration, mover.velocity), against(spin_up, mover.angular_velocity));
        let (v, w) = (mover.velocity, mover.angular_velocity);
        mover.velocity += (acceleration + brake) * kick;
        mover.angular_velocity += (spin_up + spin_brake) * kick;
        let mass = 1.0 / mover.inverse_mass;
        let linear = brake.dot(v + mover.velocity) * mass;
        let angular = inertia(spin_brake).dot(w + mover.angular_velocity);
        -0.5 * kick * (linear + angular)
    }

    #[inline(never)]
    fn kick_special(
        &self,
        special: &Special,
        (mover, at): (&mut Mover, DQuat),
        load: &Load,
        kick: f64,
        moment: &Moment,
    ) -> f64 {
        let held = match &special.motion {
            Motion::Fixed | Motion::Prescribed(_) | Motion::Belt(_) => return 0.0,
            Motion::Servo(servo) => {
                mover.velocity = servo.kicked(mover.velocity, load.force, kick, moment.time);
                return 0.0;
            }
            Motion::Held => true,
            Motion::Free => false,
        };
        let free = if held { DVec3::ZERO } else { special.free };
        let acceleration = ((load.force + special.force.at(moment.time)) * mover.inverse_mass + moment.gravity) * free;
        let torque = (load.torque + special.torque.at(moment.time)) * special.free_turn;
        let spin_up = match special.inertia_body {
            // The angular momentum is kicked; the drift turns it into angular velocity again.
            Some(inertia_body) => {
                let in_body = at.inverse() * torque;
                at * (in_body / inertia_body) * special.free_turn
            }
            None => torque * mover.inverse_inertia,
        };
        if self.settings.local_damping > 0.0 {
            let moment = 1.0 / mover.inverse_inertia;
            let inertia = |v: DVec3| match special.inertia_body {
                Some(inertia_body) => at * (inertia_body * (at.inverse() * v)),
                None => v * moment,
            };
            return self.kick_damped(mover, acceleration, spin_up, kick, inertia);
        }
        mover.velocity += acceleration * kick;
        mover.angular_velocity += spin_up * kick;
        0.0
    }

    #[inline(never)]
    fn drift_special(&self, special: &Special, mover: &mut Mover, orientation: &mut DQuat) {
        let dt = self.model.dt;
        match &special.motion {
            Motion::Fixed => {}
            Motion::Belt(velocity) => {
                let end_time = self.end.time;
                let end = velocity.at(end_time);
                mover.velocity = match self.settings.integrator {
                    Integrator::VelocityVerlet => velocity.mean(end_time - dt, end_time),
                    Integrator::SymplecticEuler => end,
                };
                mover.velocity_ahead = (end - mover.velocity).as_vec3().to_array();
            }
            Motion::Servo(_) => mover.position += mover.velocity * dt,
            Motion::Prescribed(prescribed) => {
                let time = self.time_of(prescribed);
                let end = special.pose(prescribed, time);
                let middle = match self.settings.integrator {
                    Integrator::VelocityVerlet => special.pose_amid(prescribed, time, dt),
                    Integrator::SymplecticEuler => end,
                };
                // Contacts find where a sphere was from where it is and its velocity, so that must be the mean one.
                let mean = (end.position - mover.position) / dt;
                let velocity = if special.is_wall() { middle.velocity } else { mean };
                (mover.position, *orientation) = (end.position, end.orientation);
                (mover.velocity, mover.angular_velocity) = (velocity, middle.angular_velocity);
                mover.velocity_ahead = (end.velocity - velocity).as_vec3().to_array();
            }
            Motion::Free | Motion::Held => {
                self.flow_drift(mover, dt);
                match special.inertia_body {
                    None => *orientation = frame::turned(*orientation, mover.angular_velocity * dt),
                    Some(inertia_body) => {
                        let turns = frame::Tumbling { inertia_body, free: special.free_turn };
                        (*orientation, mover.angular_velocity) =
                            turns.drifted(*orientation, mover.angular_velocity, dt);
                    }
                }
            }
        }
    }
}

/// Power of a prescribed body on the rest, or of the loads that always act on a body, at a time (s).
fn driven_power(special: &Special, mover: &Mover, load: &Load, time: f64) -> f64 {
    match special.motion {
        // What a belt puts in is known by contact (`soft::ChunkSums`).
        Motion::Fixed | Motion::Belt(_) => 0.0,
        Motion::Prescribed(_) | Motion::Servo(_) => {
            -(load.force.dot(mover.velocity) + load.torque.dot(mover.angular_velocity))
        }
        Motion::Held => special.torque.at(time).dot(mover.angular_velocity),
        Motion::Free => {
            special.force.at(time).dot(mover.velocity) + special.torque.at(time).dot(mover.angular_velocity)
        }
    }
}

/// Sum of m v (x) v over bodies that loads move (J): xx, yy, zz, xy, xz, yz.
#[inline(always)]
pub fn kinetic_sums(movers: &[Mover]) -> [f64; 6] {
    let mut sums = [0.0; 6];
    movers.iter().for_each(|mover| add_kinetic(mover.inverse_mass, mover.velocity, &mut sums));
    sums
}

#[inline(always)]
fn add_kinetic(inverse_mass: f64, v: DVec3, sums: &mut [f64; 6]) {
    if inverse_mass > 0.0 {
        let mass = 1.0 / inverse_mass;
        let products = [v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z];
        (0..6).for_each(|k| sums[k] += mass * products[k]);
    }
}

/// The bodies of one chunk, and what comes out of a pass over them.
pub struct ChunkBodies<'a> {
    /// Their records.
    pub movers: &'a mut [Mover],
    /// Their loads.
    pub loads: &'a mut [Load],
    /// Their orientations.
    pub orientations: &'a mut [DQuat],
    /// Where they were when lists were made.
    pub built_at: &'a [DVec3],
    /// What comes out.
    pub report: &'a mut BodyReport,
}

/// All bodies, to be taken by chunks.
pub struct Rows<'a> {
    /// Records.
    pub movers: &'a mut [Mover],
    /// Loads.
    pub loads: &'a mut [Load],
    /// Orientations.
    pub orientations: &'a mut [DQuat],
    /// Materials, by id.
    pub material_of: &'a [u16],
    built_at: &'a [DVec3],
    reports: &'a mut [BodyReport],
    size: usize,
}

impl<'a> Rows<'a> {
    /// All bodies, and what is special about some.
    pub fn of(bodies: &'a mut Bodies, reports: &'a mut [BodyReport]) -> (Self, &'a [Special]) {
        let Bodies { movers, loads, orientations, material_of, built_at, specials, chunk: size, .. } = bodies;
        (Rows { movers, loads, orientations, material_of, built_at, reports, size: *size }, specials)
    }

    /// Each chunk.
    pub fn chunks(self) -> impl IndexedParallelIterator<Item = ChunkBodies<'a>> {
        let Rows { movers, loads, orientations, built_at, reports, size, .. } = self;
        let records = movers.par_chunks_mut(size).zip(loads.par_chunks_mut(size));
        let rest = orientations.par_chunks_mut(size).zip(built_at.par_chunks(size)).zip(reports);
        records.zip(rest).map(|((movers, loads), ((orientations, built_at), report))| ChunkBodies {
            movers,
            loads,
            orientations,
            built_at,
            report,
        })
    }

    /// The indices of a chunk's bodies.
    pub fn range(&self, chunk: usize) -> Range<usize> {
        chunk * self.size..((chunk + 1) * self.size).min(self.movers.len())
    }

    /// One chunk.
    pub fn chunk(&mut self, chunk: usize) -> ChunkBodies<'_> {
        let own = self.range(chunk);
        ChunkBodies {
            movers: &mut self.movers[own.clone()],
            loads: &mut self.loads[own.clone()],
            orientations: &mut self.orientations[own.clone()],
            built_at: &self.built_at[own],
            report: &mut self.reports[chunk],
        }
    }
}

/// The end of a step, the start of the next, or both, for the bodies of one chunk.
pub struct Advance<'a> {
    /// Mechanics of the step that ends here.
    pub finish: Option<Mechanics<'a>>,
    /// Mechanics of the step that begins.
    pub start: Option<Mechanics<'a>>,
    /// The bodies.
    pub bodies: ChunkBodies<'a>,
}

impl<'a> Kernel for Advance<'a> {
    /// The report again.
    type Output = &'a mut BodyReport;
    // A body's quads fill four lanes; with eight it was slower by a third.
    const WIDEST: Simd = Simd::Avx2;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Advance { finish, start, bodies } = self;
        let ChunkBodies { movers, loads, orientations, built_at, report } = bodies;
        if finish.is_some() {
            (report.local_at_end, report.driven_power, report.kinetic) = (0.0, 0.0, [0.0; 6]);
        }
        if start.is_some() {
            (report.local_before_drift, report.moved_squared) = (0.0, 0.0);
        }
        let plain = Plain::of(finish, start);
        for (index, (mover, load)) in movers.iter_mut().zip(&*loads).enumerate() {
            if let Some(plain) = &plain
                && mover.special == 0
            {
                let moved = plain.advance(mover, load, built_at[index], &mut report.kinetic);
                report.moved_squared = report.moved_squared.max(moved);
                continue;
            }
            let orientation = &mut orientations[index];
            if let Some(mechanics) = finish {
                let (local, driven) = mechanics.finish(mover, load, *orientation);
                report.local_at_end += local;
                report.driven_power += driven;
                if mechanics.flow.is_some() {
                    add_kinetic(mover.inverse_mass, mover.velocity, &mut report.kinetic);
                }
            }
            if let Some(mechanics) = start {
                let (moved, local) = mechanics.start(mover, load, orientation, built_at[index]);
                report.moved_squared = report.moved_squared.max(moved);
                report.local_before_drift += local;
            }
        }
        if let Some(mechanics) = start {
            let mut velocities = Velocities::NONE;
            for (movers, orientations) in movers.chunks(LANES).zip(orientations.chunks_mut(LANES)) {
                velocities = velocities.with(movers);
                turn_plain(movers, orientations, mechanics.model.dt);
            }
            report.velocities = velocities;
        }
        report
    }
}

/// The end of a step, the start of the next, or both for a body without anything special, without local damping: what
/// `Mechanics::finish` and `Mechanics::start` do, on all coordinates at once.
struct Plain {
    gravity: Quad,
    /// The kick that ends the step, and the flow in it.
    last_kick: Option<(f64, Option<PlainFlow>)>,
    /// The same for the one that begins.
    first_kick: Option<(f64, Option<PlainFlow>)>,
    dt: f64,
}

/// A `Flow` by quads: matrices by columns.
struct PlainFlow {
    centre: Quad,
    keep: [Quad; 3],
    carry: [Quad; 3],
    drift: [Quad; 3],
    since_built: [Quad; 3],
}

/// A matrix times a vector.
#[inline(always)]
fn times(columns: &[Quad; 3], v: Quad) -> Quad {
    plus(plus(scaled(columns[0], v[0]), scaled(columns[1], v[1])), scaled(columns[2], v[2]))
}

fn columns(matrix: DMat3) -> [Quad; 3] {
    [quad(matrix.x_axis, 0.0), quad(matrix.y_axis, 0.0), quad(matrix.z_axis, 0.0)]
}

impl PlainFlow {
    fn of(flow: &Flow) -> Self {
        PlainFlow {
            centre: quad(flow.centre, 0.0),
            keep: columns(flow.keep),
            carry: columns(flow.carry),
            drift: columns(flow.drift),
            since_built: columns(flow.since_built),
        }
    }
}

impl Plain {
    fn of(finish: Option<Mechanics>, start: Option<Mechanics>) -> Option<Self> {
        let Mechanics { model, settings, .. } = finish.or(start)?;
        // One step ends when the next begins.
        let moment = finish.map(|mechanics| mechanics.end).or(start.map(|mechanics| mechanics.start))?;
        let flow = |mechanics: &Mechanics| mechanics.flow.map(PlainFlow::of);
        (settings.local_damping == 0.0).then(|| Plain {
            gravity: quad(moment.gravity, 0.0),
            last_kick: finish.map(|mechanics| (model.dt - mechanics.first_kick(), flow(&mechanics))),
            first_kick: start.map(|mechanics| (mechanics.first_kick(), flow(&mechanics))),
            dt: model.dt,
        })
    }

    /// Returns how far the body has moved since `built_at`, squared; adds to the sums of `add_kinetic` where a flow ends.
    #[inline(always)]
    fn advance(&self, mover: &mut Mover, load: &Load, built_at: DVec3, kinetic: &mut [f64; 6]) -> f64 {
        let (m, i) = (mover.inverse_mass, mover.inverse_inertia);
        let acceleration = add_scaled(self.gravity, quad(load.force, 0.0), m);
        let spin_up = scaled(quad(load.torque, 0.0), i);
        let (mut v, mut w) = (quad(mover.velocity, m), quad(mover.angular_velocity, i));
        if let Some((kick, flow)) = &self.last_kick {
            let (v_before, w_before) = (v, w);
            if let Some(flow) = flow {
                v = times(&flow.keep, v);
            }
            (v, w) = (add_scaled(v, acceleration, *kick), add_scaled(w, spin_up, *kick));
            let ahead = |end: Quad, before: Quad| {
                [(end[0] - before[0]) as f32, (end[1] - before[1]) as f32, (end[2] - before[2]) as f32]
            };
            (mover.velocity_ahead, mover.angular_velocity_ahead) = (ahead(v, v_before), ahead(w, w_before));
            if flow.is_some() {
                add_kinetic(m, DVec3::new(v[0], v[1], v[2]), kinetic);
            }
        }
        let mut moved = [0.0; 4];
        if let Some((kick, flow)) = &self.first_kick {
            (v, w) = (add_scaled(v, acceleration, *kick), add_scaled(w, spin_up, *kick));
            let (mut p, mut from) = (quad(mover.position, mover.radius), quad(built_at, 0.0));
            if let Some(flow) = flow {
                v = times(&flow.keep, v);
                let carried = plus(times(&flow.carry, minus(p, flow.centre)), times(&flow.drift, v));
                p = plus(flow.centre, carried);
                from = plus(flow.centre, times(&flow.since_built, minus(from, flow.centre)));
            } else {
                p = add_scaled(p, v, self.dt);
            }
            mover.position = DVec3::new(p[0], p[1], p[2]);
            moved = minus(p, from);
        }
        mover.velocity = DVec3::new(v[0], v[1], v[2]);
        mover.angular_velocity = DVec3::new(w[0], w[1], w[2]);
        let moved_squared = moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2];
        if moved_squared.is_nan() { f64::INFINITY } else { moved_squared }
    }
}

/// The turn of up to 32 bodies in a step; special ones have been turned already.
#[inline(always)]
fn turn_plain(movers: &[Mover], orientations: &mut [DQuat], dt: f64) {
    let mut turns = [[0.0; 4]; LANES];
    for (turn, mover) in turns.iter_mut().zip(movers) {
        let w = mover.angular_velocity;
        // The fourth is not read: a whole register is copied.
        *turn = [w.x, w.y, w.z, mover.inverse_inertia];
    }
    let mut turned = [DQuat::IDENTITY; LANES];
    turned[..orientations.len()].copy_from_slice(orientations);
    let mut large = false;
    for i in 0..LANES {
        let [x, y, z, _] = turns[i];
        let v = DVec3::new(x, y, z) * dt;
        large |= !frame::is_small(v);
        turned[i] = frame::turned_little(turned[i], v);
    }
    for (i, (orientation, mover)) in orientations.iter_mut().zip(movers).enumerate() {
        if mover.special == 0 {
            let v = mover.angular_velocity * dt;
            *orientation = if large { frame::turned(*orientation, v) } else { turned[i] };
        }
    }
}

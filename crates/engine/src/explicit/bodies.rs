//! What moves bodies: kicks by loads, drifts by velocities, prescribed motion, and the sum of loads from other chunks.

use glam::{DQuat, DVec3};

use crate::body::Motion;
use crate::frame;
use crate::law::kernel::Kernel;
use crate::model::{Integrator, Model, Special};
use crate::state::{Load, Mover};

/// What a pass over the bodies of a chunk reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct BodyReport {
    /// The farthest that a body has moved since neighbour lists were made (m), squared; infinite if one is not finite.
    pub moved_squared: f64,
    /// Energy taken by local damping in the kick before the drift.
    pub local_before_drift: f64,
    /// The same in the kick at the end of the step.
    pub local_at_end: f64,
    /// Power put in by prescribed motion and constant loads.
    pub driven_power: f64,
    /// Nanoseconds spent adding loads and integrating, when timed.
    pub nanoseconds: [u64; 2],
}

/// What the passes read.
#[derive(Clone, Copy)]
pub struct Mechanics<'a> {
    /// Model.
    pub model: &'a Model,
    /// Special bodies.
    pub specials: &'a [Special],
    /// Time at the end of the step (s).
    pub time: f64,
}

impl<'a> Mechanics<'a> {
    #[inline(always)]
    fn special(&self, mover: &Mover) -> Option<&'a Special> {
        self.specials.get((mover.special as usize).wrapping_sub(1))
    }

    /// The share of dt by which the kick before the drift acts; the one after it has the rest.
    #[inline(always)]
    fn first_kick(&self) -> f64 {
        match self.model.integrator {
            Integrator::VelocityVerlet => 0.5 * self.model.dt,
            Integrator::SymplecticEuler => self.model.dt,
        }
    }

    /// Kick, then drift to the end of the step, of one body; a plain one is turned by `turn`. Returns how far it has moved since `built_at`, squared, and
    /// the energy that local damping took.
    #[inline(always)]
    pub fn start(&self, mover: &mut Mover, load: &Load, orientation: &mut DQuat, built_at: DVec3) -> (f64, f64) {
        let (kick, dt) = (self.first_kick(), self.model.dt);
        let (moved, local) = match self.special(mover) {
            None => {
                let local = self.kick(mover, load, kick);
                mover.position += mover.velocity * dt;
                (mover.position - built_at, local)
            }
            Some(special) => {
                let local = self.kick_special(special, mover, *orientation, load, kick);
                self.drift_special(special, mover, orientation);
                let moved = mover.position - built_at;
                // Of a plane, only motion along its normal counts.
                (special.plane.map_or(moved, |normal| DVec3::X * moved.dot(*orientation * normal)), local)
            }
        };
        let moved_squared = moved.length_squared();
        (if moved_squared.is_nan() { f64::INFINITY } else { moved_squared }, local)
    }

    /// The turn of a plain body in a step.
    #[inline(always)]
    pub fn turn(&self, mover: &Mover, orientation: &mut DQuat) {
        if mover.special == 0 {
            *orientation = frame::turned(*orientation, mover.angular_velocity * self.model.dt);
        }
    }

    /// Kick of one body after the loads are known (velocity Verlet), full-step velocity of a prescribed body, power of
    /// drives. The kick's twin at the start of the next step is what will bring half-step velocities to the full step.
    /// Returns the energy that local damping took, and the power.
    #[inline(always)]
    pub fn finish(&self, mover: &mut Mover, load: &Load, orientation: DQuat) -> (f64, f64) {
        let kick = self.model.dt - self.first_kick();
        let before = (mover.velocity, mover.angular_velocity);
        let (mut local, mut driven) = (0.0, 0.0);
        match self.special(mover) {
            None => local = self.kick(mover, load, kick),
            Some(special) => {
                local += self.kick_special(special, mover, orientation, load, kick);
                if let Motion::Prescribed(prescribed) = special.motion {
                    let pose = prescribed.pose(special.position0, special.orientation0, self.time);
                    (mover.velocity, mover.angular_velocity) = (pose.velocity, pose.angular_velocity);
                }
                driven = driven_power(special, mover, load);
            }
        }
        mover.velocity_ahead = (mover.velocity - before.0).as_vec3().to_array();
        mover.angular_velocity_ahead = (mover.angular_velocity - before.1).as_vec3().to_array();
        (local, driven)
    }

    /// At step 0: the kick that the first step begins with, noted but not given.
    pub fn look_ahead(&self, mover: &mut Mover, load: &Load, orientation: DQuat) {
        let mut kicked = *mover;
        self.finish(&mut kicked, load, orientation);
        mover.velocity_ahead = kicked.velocity_ahead;
        mover.angular_velocity_ahead = kicked.angular_velocity_ahead;
    }

    /// Power put in by the motion or the constant loads of a body.
    pub fn driven_power(&self, mover: &Mover, load: &Load) -> f64 {
        self.special(mover).map_or(0.0, |special| driven_power(special, mover, load))
    }

    #[inline(always)]
    fn kick(&self, mover: &mut Mover, load: &Load, kick: f64) -> f64 {
        let acceleration = load.force * mover.inverse_mass + self.model.gravity;
        let spin_up = load.torque * mover.inverse_inertia;
        if self.model.local_damping > 0.0 {
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
        let against = |a: DVec3, v: DVec3| a.abs() * signs(v) * -self.model.local_damping;
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
    fn kick_special(&self, special: &Special, mover: &mut Mover, at: DQuat, load: &Load, kick: f64) -> f64 {
        let held = match special.motion {
            Motion::Fixed | Motion::Prescribed(_) => return 0.0,
            Motion::Held => true,
            Motion::Free => false,
        };
        let free = if held { DVec3::ZERO } else { special.free };
        let acceleration = ((load.force + special.force) * mover.inverse_mass + self.model.gravity) * free;
        let torque = (load.torque + special.torque) * special.free_turn;
        let spin_up = match special.inertia_body {
            // The angular momentum is kicked; the drift turns it into angular velocity again.
            Some(inertia_body) => {
                let in_body = at.inverse() * torque;
                at * (in_body / inertia_body) * special.free_turn
            }
            None => torque * mover.inverse_inertia,
        };
        if self.model.local_damping > 0.0 {
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
        match special.motion {
            Motion::Fixed => {}
            Motion::Prescribed(prescribed) => {
                let end = prescribed.pose(special.position0, special.orientation0, self.time);
                let middle = match self.model.integrator {
                    Integrator::VelocityVerlet => {
                        prescribed.pose(special.position0, special.orientation0, self.time - 0.5 * dt)
                    }
                    Integrator::SymplecticEuler => end,
                };
                (mover.position, *orientation) = (end.position, end.orientation);
                (mover.velocity, mover.angular_velocity) = (middle.velocity, middle.angular_velocity);
                mover.velocity_ahead = (end.velocity - middle.velocity).as_vec3().to_array();
            }
            Motion::Free | Motion::Held => {
                mover.position += mover.velocity * dt;
                match special.inertia_body {
                    None => *orientation = frame::turned(*orientation, mover.angular_velocity * dt),
                    Some(inertia_body) => drift_tumbling(mover, orientation, inertia_body, special.free_turn, dt),
                }
            }
        }
    }
}

/// Turns a body whose moments of inertia differ, with its angular momentum kept: the implicit midpoint rule by fixed-point
/// iteration, second order and reversible (THEORY.md eq. 4.4).
fn drift_tumbling(mover: &mut Mover, orientation: &mut DQuat, inertia_body: DVec3, free: DVec3, dt: f64) {
    let momentum = *orientation * (inertia_body * (orientation.inverse() * mover.angular_velocity));
    let rate = |at: DQuat| at * ((at.inverse() * momentum) / inertia_body) * free;
    let mut middle_rate = mover.angular_velocity;
    // Each round gains a factor |w| dt, which is far below 0.1 for any usable step.
    for _ in 0..8 {
        middle_rate = rate(frame::turned(*orientation, middle_rate * (0.5 * dt)));
    }
    *orientation = frame::turned(*orientation, middle_rate * dt);
    mover.angular_velocity = rate(*orientation);
}

/// Power of a prescribed body on the rest, or of the constant loads on a body.
fn driven_power(special: &Special, mover: &Mover, load: &Load) -> f64 {
    match special.motion {
        Motion::Fixed => 0.0,
        Motion::Prescribed(_) => -(load.force.dot(mover.velocity) + load.torque.dot(mover.angular_velocity)),
        Motion::Held => special.torque.dot(mover.angular_velocity),
        Motion::Free => special.force.dot(mover.velocity) + special.torque.dot(mover.angular_velocity),
    }
}

/// The end of a step, the start of the next, or both, for the bodies of one chunk.
pub struct Advance<'a> {
    /// Mechanics of the step that ends here.
    pub finish: Option<Mechanics<'a>>,
    /// Mechanics of the step that begins.
    pub start: Option<Mechanics<'a>>,
    /// The bodies.
    pub movers: &'a mut [Mover],
    /// Their loads.
    pub loads: &'a [Load],
    /// Their orientations.
    pub orientations: &'a mut [DQuat],
    /// Where they were when lists were made.
    pub built_at: &'a [DVec3],
    /// What comes out.
    pub report: &'a mut BodyReport,
}

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Advance { finish, start, movers, loads, orientations, built_at, report } = self;
        // Three short loops over what is in the cache, not one long one: the processor overlaps the iterations of a short
        // loop, and waits for the long chain of operations in each iteration of a long one.
        if let Some(mechanics) = finish {
            (report.local_at_end, report.driven_power) = (0.0, 0.0);
            for ((mover, load), &orientation) in movers.iter_mut().zip(loads).zip(orientations.iter()) {
                let (local, driven) = mechanics.finish(mover, load, orientation);
                report.local_at_end += local;
                report.driven_power += driven;
            }
        }
        if let Some(mechanics) = start {
            (report.local_before_drift, report.moved_squared) = (0.0, 0.0);
            let bodies = movers.iter_mut().zip(loads).zip(orientations.iter_mut()).zip(built_at);
            for (((mover, load), orientation), &built_at) in bodies {
                let (moved, local) = mechanics.start(mover, load, orientation, built_at);
                report.moved_squared = report.moved_squared.max(moved);
                report.local_before_drift += local;
            }
            movers.iter().zip(orientations).for_each(|(mover, orientation)| mechanics.turn(mover, orientation));
        }
    }
}

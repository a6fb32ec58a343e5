//! A body as a caller describes it: shape, start and how it may move.
//!
//! `World::new` turns these into the packed records of `state.rs`; nothing here is read during a step, except what is
//! rare (prescribed motion, locks, constant loads), which `model.rs` keeps for the few bodies that have it.

mod list;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Deserializer, Serialize};

use crate::clock::Clock;
use crate::frame;
use crate::math;
use crate::schedule::Signal;
use crate::shape::Shape;

pub use list::BodyList;

/// One body at the start of a run. Ids count bodies from 0 in the order in which they are given.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its surface.
    pub shape: Shape,
    /// Index into `Model::materials`.
    pub material: u16,
    /// Where the shape's origin is (m): its centre, but of a clump the origin of its parts; for a plane any point of it; the middle of
    /// other walls.
    pub position: DVec3,
    /// Velocity of the centre (m/s).
    pub velocity: DVec3,
    /// `world_from_body`, a unit quaternion.
    pub orientation: DQuat,
    /// Angular velocity (rad/s), world axes.
    pub angular_velocity: DVec3,
    /// Mass (kg) instead of density times volume; the inertia scales with it.
    pub mass: Option<f64>,
    /// Centre of mass in the body's frame (m), instead of the shape's. Velocity, inertia and loads refer to it, also where it is the
    /// shape's.
    pub centre: Option<DVec3>,
    /// Principal moments of inertia (kg m^2) in the frame of `inertia_axes`, instead of the shape's.
    pub inertia_body: Option<DVec3>,
    /// `body_from_principal` of `inertia_body`, if the body's own axes are not principal.
    pub inertia_axes: DQuat,
    /// What moves it.
    pub motion: Motion,
    /// Degrees of freedom that are kept at zero velocity, world axes: x, y, z, then rotation about x, y, z.
    pub lock: [bool; 6],
    /// Force at the centre (N) that always acts.
    pub force: Signal<DVec3>,
    /// Torque (N m) that always acts, world axes.
    pub torque: Signal<DVec3>,
}

impl Body {
    /// A free body at rest.
    pub fn new(shape: Shape, material: u16, position: DVec3) -> Self {
        Body {
            shape,
            material,
            position,
            velocity: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            angular_velocity: DVec3::ZERO,
            mass: None,
            centre: None,
            inertia_body: None,
            inertia_axes: DQuat::IDENTITY,
            motion: Motion::Free,
            lock: [false; 6],
            force: Signal::default(),
            torque: Signal::default(),
        }
    }

    /// Mass and principal moments of inertia for a material of this density. A wall has neither, unless loads move it: then those
    /// that it is given.
    pub fn mass_and_inertia(&self, density: f64) -> (f64, DVec3) {
        let Some(volume) = self.shape.volume() else {
            let given = (self.mass.unwrap_or(0.0), self.inertia_body.unwrap_or(DVec3::ZERO));
            return if self.motion.yields() { given } else { (0.0, DVec3::ZERO) };
        };
        let mass = self.mass.unwrap_or(density * volume);
        let of_shape = match self.shape {
            Shape::Sphere { radius } => DVec3::splat(0.4 * mass * radius * radius),
            ref shape => shape.gyration() * mass,
        };
        (mass, self.inertia_body.unwrap_or(of_shape))
    }

    /// Centre of mass in the body's frame (m).
    pub fn centre_of_mass(&self) -> DVec3 {
        self.centre.unwrap_or_else(|| self.shape.centre())
    }

    /// Centre of mass (m).
    pub fn place(&self) -> DVec3 {
        match self.centre_of_mass() {
            // Without arithmetic where there is nothing to add.
            DVec3::ZERO => self.position,
            centre => self.position + self.orientation.normalize() * centre,
        }
    }

    /// Radius of the sphere around the centre of mass that holds the body (m); `None` for a wall.
    pub fn reach(&self) -> Option<f64> {
        if self.centre.is_some() { self.shape.reach(self.centre_of_mass()) } else { self.shape.radius() }
    }

    /// `body_from_principal`: the frame of the moments of inertia.
    pub fn principal_axes(&self) -> DQuat {
        if self.inertia_body.is_some() { self.inertia_axes } else { self.shape.principal_axes() }
    }

    /// Whether shape and mass go together as those of spheres, ellipsoids and boxes do: about one point, along the body's axes.
    pub fn is_centred(&self) -> bool {
        self.centre_of_mass() == DVec3::ZERO && self.principal_axes() == DQuat::IDENTITY
    }

    /// The moments of inertia that count, of these principal ones: where two rotations are locked, that about the third axis.
    /// The body turns about it, so it stays.
    pub(crate) fn about_free_axis(&self, inertia: DVec3) -> DVec3 {
        let free = |k: usize| if self.lock[3 + k] { 0.0 } else { 1.0 };
        let axis = DVec3::new(free(0), free(1), free(2));
        if axis.element_sum() != 1.0 || inertia == DVec3::splat(inertia.x) {
            return inertia;
        }
        let in_body = self.principal_axes().inverse() * (self.orientation.normalize().inverse() * axis);
        DVec3::splat(in_body.dot(inertia * in_body))
    }
}

/// What moves a body. Schedules of a prescribed motion count time from its beginning, those of belts and servos from their own start.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub enum Motion {
    /// Loads do.
    #[default]
    Free,
    /// Nothing does: infinitely heavy.
    Fixed,
    /// The centre is kept, the rotation is free. It counts with its mass in a contact's effective mass.
    Held,
    /// A function of time does: infinitely heavy.
    Prescribed(Prescribed),
    /// Nothing does, but its surface runs with this velocity (m/s), as a conveyor belt's does: infinitely heavy in contacts.
    Belt(Signal<DVec3>),
    /// It keeps a force: infinitely heavy in contacts.
    Servo(Servo),
}

impl Motion {
    /// Whether loads move the body as they move any other.
    pub fn yields(&self) -> bool {
        matches!(self, Motion::Free | Motion::Held)
    }

    /// The same, with time 0 of the schedules of belts and servos at this time of the run (s). A prescribed motion has a clock of its own.
    #[must_use]
    pub fn starting_at(&self, since: f64) -> Self {
        match self {
            Motion::Belt(velocity) => Motion::Belt(velocity.starting_at(since)),
            Motion::Servo(servo) => {
                let force = servo.force.starting_at(since);
                Motion::Servo(Servo { force, ..servo.clone() })
            }
            other => other.clone(),
        }
    }
}

/// A body that moves along an axis until the contacts push back with a given force: `M a = force + F_contacts . axis - c v`,
/// the speed limited. Gravity does not act on it, and it does not turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Servo {
    /// Unit vector, world axes.
    pub axis: DVec3,
    /// The force with which it pushes along the axis (N).
    pub force: Signal<f64>,
    /// Its inertia M (kg): how fast it answers.
    pub mass: f64,
    /// A dashpot c against the ground (kg/s).
    pub damping: f64,
    /// It never moves faster than this (m/s); may be infinite.
    #[serde(deserialize_with = "or_infinite")]
    pub max_speed: f64,
}

/// JSON has no infinity and writes null for it.
fn or_infinite<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::INFINITY))
}

impl Servo {
    /// The part of a velocity that it can have.
    pub fn along(&self, velocity: DVec3) -> DVec3 {
        self.axis * velocity.dot(self.axis).clamp(-self.max_speed, self.max_speed)
    }

    /// Its velocity after a kick of this length under a contact force, at a time of the run (s).
    pub fn kicked(&self, velocity: DVec3, contact_force: DVec3, kick: f64, time: f64) -> DVec3 {
        let speed = velocity.dot(self.axis);
        let kick = kick / self.mass;
        // The dashpot implicitly: stable however strong it is.
        let kicked =
            (speed + (self.force.at(time) + contact_force.dot(self.axis)) * kick) / (1.0 + self.damping * kick);
        self.axis * kicked.clamp(-self.max_speed, self.max_speed)
    }
}

/// Rigid motion as a function of time: a turn about a point that itself translates and oscillates,
/// `x(t) = about + exp(W(t)) (x0 - about) + V(t) + axis A (sin(2 pi f t + phase) - sin(phase))`, where V and W are the integrals of
/// velocity and angular velocity: v t and w t of constants.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Prescribed {
    /// Velocity v (m/s).
    pub velocity: Signal<DVec3>,
    /// Angular velocity w (rad/s), world axes. It keeps its axis.
    pub angular_velocity: Signal<DVec3>,
    /// The point turned about at time 0; the body's own position when absent.
    pub about: Option<DVec3>,
    /// An oscillation on top.
    pub oscillate: Option<Oscillation>,
    /// When and where it began, where that is not with the run and where the body is described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Began>,
}

/// When and where a prescribed motion began: in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Began {
    /// Its own clock, which shows 0 when it begins.
    pub clock: Clock,
    /// Where the body was (m).
    pub position: DVec3,
    /// How it was turned.
    pub orientation: DQuat,
}

/// A sine along an axis that starts from the body's start position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Oscillation {
    /// Unit vector, world axes.
    pub axis: DVec3,
    /// Amplitude A (m).
    pub amplitude: f64,
    /// Frequency f (Hz).
    pub frequency: f64,
    /// Phase (rad).
    pub phase: f64,
}

/// Where a prescribed body is and how fast it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingPose {
    /// Position (m).
    pub position: DVec3,
    /// `world_from_body`.
    pub orientation: DQuat,
    /// Velocity (m/s).
    pub velocity: DVec3,
    /// Angular velocity (rad/s), world axes.
    pub angular_velocity: DVec3,
}

impl Prescribed {
    /// Its own clock.
    pub fn clock(&self) -> Clock {
        self.began.map_or(Clock::default(), |began| began.clock)
    }

    /// Whether it begins with the stage that begins after so many steps.
    pub fn begins_at(&self, step: u64) -> bool {
        self.began.is_some_and(|began| began.clock == Clock { step, time: 0.0 })
    }

    /// Where and how a body stood when it began, which is described at this pose.
    pub fn first_pose(&self, position: DVec3, orientation: DQuat) -> (DVec3, DQuat) {
        self.began.map_or((position, orientation), |began| (began.position, began.orientation))
    }

    /// Whether it turns a wall with this normal into another plane.
    pub fn tilts(&self, normal: DVec3) -> bool {
        self.angular_velocity.values().iter().any(|turning| turning.cross(normal) != DVec3::ZERO)
    }

    /// The pose at `time`, since the motion began, of a body that started at `position0`, `orientation0`.
    pub fn pose(&self, position0: DVec3, orientation0: DQuat, time: f64) -> MovingPose {
        let turn = frame::rotation(self.angular_velocity.integral(0.0, time));
        let angular_velocity = self.angular_velocity.at(time);
        let about = self.about.unwrap_or(position0);
        let arm = turn * (position0 - about);
        let (shift, shift_rate) = match self.oscillate {
            Some(o) => {
                let rate = 2.0 * std::f64::consts::PI * o.frequency;
                let angle = rate * time + o.phase;
                let shift = o.amplitude * (math::sin(angle) - math::sin(o.phase));
                (o.axis * shift, o.axis * (o.amplitude * rate * math::cos(angle)))
            }
            None => (DVec3::ZERO, DVec3::ZERO),
        };
        MovingPose {
            position: about + arm + self.velocity.integral(0.0, time) + shift,
            orientation: (turn * orientation0).normalize(),
            velocity: self.velocity.at(time) + angular_velocity.cross(arm) + shift_rate,
            angular_velocity,
        }
    }

    /// The pose in the middle of a step of `dt` that ends at `time`, with the means over the step of what schedules say: the surface
    /// then slips along a contact by as much as it moves, also over a kink or a jump.
    pub fn pose_amid(&self, position0: DVec3, orientation0: DQuat, time: f64, dt: f64) -> MovingPose {
        let middle = time - 0.5 * dt;
        let pose = self.pose(position0, orientation0, middle);
        if self.velocity.schedule().is_none() && self.angular_velocity.schedule().is_none() {
            return pose;
        }
        let over = |signal: &Signal<DVec3>| signal.mean(time - dt, time) - signal.at(middle);
        let (faster, turning) = (over(&self.velocity), over(&self.angular_velocity));
        let about = self.about.unwrap_or(position0);
        let arm = frame::rotation(self.angular_velocity.integral(0.0, middle)) * (position0 - about);
        let angular_velocity = pose.angular_velocity + turning;
        MovingPose { velocity: pose.velocity + faster + turning.cross(arm), angular_velocity, ..pose }
    }
}

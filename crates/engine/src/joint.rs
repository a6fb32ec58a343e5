//! Joints: what ties a body to another one or to the ground.
//!
//! Body a moves relative to b (or to the ground). Points and axis are given at the start in the world, and from then on fixed in
//! their bodies: `at` in each of the two, `axis` in b. With P_a, P_b the points, n the axis and d = P_a - P_b:
//!
//! | kind | holds | its one motion x |
//! | --- | --- | --- |
//! | ball | d | |
//! | revolute | d, n | angle about n |
//! | prismatic | d across n, the orientation | n . d |
//! | fixed | d, the orientation | |
//! | distance | the length of d, unless it has a spring | length of d less `length` |
//! | linear | nothing | n . d |
//! | angular | nothing | angle about n |
//!
//! A drive, dry friction and a spring act on x, on a along or about n, on b the opposite. Angles are the part of the relative rotation
//! about n, counted on beyond a full turn. x = 0 at the start, except for a distance with another `length`.
//!
//! Does not do: solve for loads (`nonsmooth/joints.rs`); joints across a periodic cell.

mod place;

pub use place::{Frames, Place};

use crate::error::BuildError;
use crate::schedule::Signal;
use glam::DVec3;

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// All rotations about a point.
    Ball,
    /// Rotation about the axis.
    Revolute,
    /// Motion along the axis.
    Prismatic,
    /// Nothing.
    Fixed,
    /// All but the distance of two points, which a spring may hold instead.
    Distance {
        /// The distance that is held, or at which the spring is at rest (m).
        length: f64,
    },
    /// Everything: what acts, acts along the axis.
    Linear,
    /// Everything: what acts, acts about the axis.
    Angular,
}

/// The one motion of a joint that drives, friction and springs act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Along the axis, or along the line between two points: m, N.
    Along,
    /// About the axis: rad, N m.
    About,
}

impl JointKind {
    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            JointKind::Ball => "ball",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Fixed => "fixed",
            JointKind::Distance { .. } => "distance",
            JointKind::Linear => "linear",
            JointKind::Angular => "angular",
        }
    }

    /// Its one motion, if it has one.
    pub fn freedom(self) -> Option<Freedom> {
        match self {
            JointKind::Ball | JointKind::Fixed => None,
            JointKind::Prismatic | JointKind::Linear | JointKind::Distance { .. } => Some(Freedom::Along),
            JointKind::Revolute | JointKind::Angular => Some(Freedom::About),
        }
    }

    /// Whether it has an axis.
    pub fn has_axis(self) -> bool {
        !matches!(self, JointKind::Ball | JointKind::Fixed | JointKind::Distance { .. })
    }

    /// Whether a drive can act on it.
    pub fn takes_drive(self) -> bool {
        self.has_axis()
    }

    /// Whether dry friction can act on it.
    pub fn takes_friction(self) -> bool {
        self.has_axis() || self == JointKind::Ball
    }

    /// Whether a spring can act on it.
    pub fn takes_spring(self) -> bool {
        self.freedom().is_some()
    }

    /// Whether joined bodies touch unless something else is said.
    pub fn touches(self) -> bool {
        matches!(self, JointKind::Linear | JointKind::Angular | JointKind::Distance { .. })
    }
}

/// What a drive asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A velocity (m/s, rad/s).
    Speed(Signal<f64>),
    /// A place (m, rad).
    Position(Signal<f64>),
    /// A load on a, the opposite on b (N, N m).
    Load(Signal<f64>),
}

impl Target {
    /// The numbers that it takes.
    pub fn signal(&self) -> &Signal<f64> {
        match self {
            Target::Speed(signal) | Target::Position(signal) | Target::Load(signal) => signal,
        }
    }
}

/// A motor.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// What it asks for.
    pub target: Target,
    /// The largest load that it has for that (N, N m); none: it has any.
    pub limit: Option<Signal<f64>>,
}

/// A spring to x = 0, with a damper beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// N/m, N m/rad.
    pub stiffness: f64,
    /// kg/s, N m s.
    pub damping: f64,
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it leaves free.
    pub kind: JointKind,
    /// The body that moves, by id.
    pub a: u32,
    /// The body that it moves relative to; none: the ground.
    pub b: Option<u32>,
    /// Where it is on both.
    pub frames: Frames,
    /// Its motor.
    pub drive: Option<Drive>,
    /// Its dry friction: the largest load (N, N m).
    pub friction: Option<Signal<f64>>,
    /// Its spring.
    pub spring: Option<Spring>,
    /// Whether a and b touch.
    pub touch: bool,
}

impl Joint {
    /// A joint with neither drive nor friction nor spring.
    pub fn new(kind: JointKind, a: u32, b: Option<u32>, frames: Frames) -> Self {
        let (name, drive, friction, spring) = (None, None, None, None);
        Joint { name, kind, a, b, frames, drive, friction, spring, touch: kind.touches() }
    }

    /// The same with a motor.
    pub fn with_drive(self, target: Target, limit: Option<f64>) -> Self {
        Joint { drive: Some(Drive { target, limit: limit.map(Signal::Constant) }), ..self }
    }

    /// The same with dry friction (N, N m).
    pub fn with_friction(self, friction: impl Into<Signal<f64>>) -> Self {
        Joint { friction: Some(friction.into()), ..self }
    }

    /// The same with a spring and a damper.
    pub fn with_spring(self, stiffness: f64, damping: f64) -> Self {
        Joint { spring: Some(Spring { stiffness, damping }), ..self }
    }

    /// The same with schedules whose time 0 is this time of the run (s).
    #[must_use]
    pub fn starting_at(&self, since: f64) -> Self {
        let mut joint = self.clone();
        if let Some(drive) = &mut joint.drive {
            let (Target::Speed(signal) | Target::Position(signal) | Target::Load(signal)) = &mut drive.target;
            *signal = signal.starting_at(since);
            drive.limit = drive.limit.as_ref().map(|limit| limit.starting_at(since));
        }
        joint.friction = joint.friction.as_ref().map(|friction| friction.starting_at(since));
        joint
    }

    /// What messages call it, which is the joint with this number, from 0.
    pub fn title(&self, number: usize) -> String {
        self.name.as_ref().map_or_else(|| format!("joint {number}"), |name| format!("joint {name:?}"))
    }

    /// Whether its numbers make sense for bodies with ids below `bodies`.
    pub fn check(&self, number: usize, bodies: usize) -> Result<(), BuildError> {
        let bad = |what: &str| Err(BuildError::BadJoint { number, joint: self.title(number), what: what.into() });
        if [Some(self.a), self.b].into_iter().flatten().any(|id| id as usize >= bodies) {
            return bad("one of its bodies does not exist");
        }
        if self.b == Some(self.a) {
            return bad("it joins a body to itself");
        }
        let axis = self.frames.axis;
        if !(self.frames.is_finite() && (!self.kind.has_axis() || (axis.length() - 1.0).abs() < 1e-9)) {
            return bad("its points must be finite and its axis a unit vector");
        }
        let not_negative = |signal: &Signal<f64>| signal.values().iter().all(|value| *value >= 0.0);
        match &self.drive {
            Some(_) if !self.kind.takes_drive() => return bad("a joint of its kind has no drive"),
            Some(drive) if !drive.limit.as_ref().is_none_or(not_negative) => {
                return bad("the limit of its drive must not be below zero");
            }
            Some(Drive { target: Target::Load(_), limit: Some(_) }) => return bad("a drive by load has no limit"),
            Some(drive) if !drive.target.signal().largest().is_finite() => return bad("its drive must be finite"),
            _ => {}
        }
        match &self.friction {
            Some(_) if !self.kind.takes_friction() => return bad("a joint of its kind has no friction"),
            Some(friction) if !not_negative(friction) => return bad("its friction must not be below zero"),
            _ => {}
        }
        match self.spring {
            Some(_) if !self.kind.takes_spring() => bad("a joint of its kind has no spring"),
            Some(Spring { stiffness, damping }) if !(stiffness > 0.0 && damping >= 0.0) => {
                bad("its stiffness must be above zero, its damping not below")
            }
            Some(Spring { stiffness, damping }) if !(stiffness + damping).is_finite() => {
                bad("its stiffness and its damping must be finite")
            }
            _ => Ok(()),
        }
    }

    /// Energy in its spring at this place (J).
    pub fn stored(&self, x: f64) -> f64 {
        self.spring.map_or(0.0, |spring| 0.5 * spring.stiffness * x * x)
    }
}

/// What changes of a joint. Loads act on a; they are those of the latest step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// Its one motion (m, rad), counted on beyond a full turn.
    pub x: f64,
    /// What holds it: a force at a's point (N).
    pub force: DVec3,
    /// And a torque (N m).
    pub torque: DVec3,
    /// Of the drive (N, N m).
    pub drive: f64,
    /// Of dry friction (N, N m): of a ball a torque, of others the first alone.
    pub friction: DVec3,
    /// Of spring and damper (N, N m).
    pub spring: f64,
    /// Whether the drive is at its limit, and whether friction slips.
    pub slips: [bool; 2],
}

impl JointState {
    /// Numbers in a checkpoint.
    pub const NUMBERS: usize = 14;

    /// As a checkpoint has it.
    pub fn numbers(&self) -> [f64; JointState::NUMBERS] {
        let JointState { x, force: f, torque: t, drive, friction: s, spring, slips } = *self;
        let [limit, slip] = slips.map(|slips| f64::from(u8::from(slips)));
        [x, f.x, f.y, f.z, t.x, t.y, t.z, drive, s.x, s.y, s.z, spring, limit, slip]
    }

    /// From what a checkpoint has.
    pub fn of_numbers(numbers: &[f64; JointState::NUMBERS]) -> Self {
        let [x, fx, fy, fz, tx, ty, tz, drive, sx, sy, sz, spring, limit, slip] = *numbers;
        let [force, torque, friction] = [DVec3::new(fx, fy, fz), DVec3::new(tx, ty, tz), DVec3::new(sx, sy, sz)];
        JointState { x, force, torque, drive, friction, spring, slips: [limit > 0.0, slip > 0.0] }
    }
}

/// Pairs of bodies that joints keep from touching, by ids, the lower first, rising.
pub fn apart(joints: &[Joint]) -> Vec<[u32; 2]> {
    let pair = |joint: &Joint| joint.b.filter(|_| !joint.touch).map(|b| [joint.a.min(b), joint.a.max(b)]);
    let mut pairs: Vec<[u32; 2]> = joints.iter().filter_map(pair).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

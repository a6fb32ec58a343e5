//! Joints in a step: rows of what they hold, with the error over the step as bias, and of what acts on their one motion.
//!
//! ```text
//!   held       u = -Psi/h                                             any impulse
//!   drive      u = the speed that is asked for, or (target - x)/h     any impulse, or |g| <= limit h
//!   friction   u = 0                                                  |g| <= friction h, a row of its own
//!   spring     g = -h k (x + beta h u' - gamma h u) - h c u'          u at the step's start, u' at its end     (THEORY.md eq. 8.13)
//! ```
//!
//! Forces along act on both bodies at a's point, so that they take no angular momentum; the rows are then exactly the rates of what is
//! measured in b's frame. beta = gamma = 1/4 keeps the energy of a spring that steps resolve (h^2 k N < 1); one that is stiffer than
//! steps can follow is damped, up to beta = 1, gamma = 0.
//!
//! A row that locks leave no mass is not pushed. `book.rs` has what solved rows say, `start.rs` what must hold before the first step.

pub mod book;
pub mod start;

use glam::DVec3;

use super::Work;
use crate::cone::{BlockRow, Conflict, Lever, Rows, Set, Twist};
use crate::joint::{self, Freedom, Joint, JointKind, JointState, Place, Spring, Target};
use crate::model::Model;
use crate::response::Response;
use crate::state::{Mover, State};

/// A row whose mass is below this share of what it would be without locks has none.
const MASSLESS: f64 = 1e-12;

/// h^2 k N up to which a spring keeps its energy, and from which on it is damped as much as it can be.
const RESOLVED: [f64; 2] = [1.0, 4.0];

/// What the method keeps of joints.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    /// Pairs of bodies that do not touch, by ids, rising.
    apart: Vec<[u32; 2]>,
    /// Those whose bodies are there, by number.
    tied: Vec<Tied>,
}

/// A joint in a step.
#[derive(Clone, Debug)]
struct Tied {
    number: usize,
    /// Indices of its bodies; the second only where `count` is 2.
    bodies: [u32; 2],
    count: usize,
    place: Place,
    /// From the centres of a and b to a's point (m).
    arms: [DVec3; 2],
    /// What turns angular velocities into velocities (m).
    length: f64,
    /// Along or about its one motion.
    freedom: Option<[Lever; 2]>,
    /// The block of rows that it holds, and their directions.
    held: Option<u32>,
    directions: [Direction; 6],
    held_count: usize,
    /// The block and the row of its drive; the impulse of one that is given by its load.
    drive: Option<(u32, usize)>,
    given: f64,
    friction: Option<u32>,
    spring: Option<u32>,
    /// Of its spring, with what the scheme adds (kg/s, N m s).
    damper: f64,
    /// How fast rows that nothing can move run against what they hold (m/s).
    broken: f64,
}

/// A row that is held.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    /// A unit vector.
    along: DVec3,
    /// About it, not along it.
    turns: bool,
    /// How far it is off (m, rad).
    error: f64,
}

impl Joints {
    /// Those of a model, before any step.
    pub fn new(model: &Model) -> Self {
        Joints { apart: joint::apart(&model.joints), tied: Vec::with_capacity(model.joints.len()) }
    }

    /// Whether joints keep two bodies from touching.
    pub fn keep_apart(&self, a: u32, b: u32) -> bool {
        !self.apart.is_empty() && self.apart.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tied.is_empty()
    }

    /// The numbers of the joints that have a part in a conflict.
    fn of_conflict(&self, conflict: &Conflict) -> Vec<usize> {
        let has = |tied: &&Tied| {
            let blocks = [tied.held, tied.drive.map(|(block, _)| block), tied.friction, tied.spring];
            blocks.into_iter().flatten().any(|block| conflict.blocks.contains(&block))
        };
        self.tied.iter().filter(has).map(|tied| tied.number).collect()
    }
}

/// Finds where joints are, and adds the loads of drives that are given to the velocities without contacts.
pub fn place(model: &Model, state: &State, work: &mut Work) {
    let Work { joints, twists, responses, .. } = work;
    joints.tied.clear();
    let (start, dt) = (state.time(model), model.dt);
    for (number, joint) in model.joints.iter().enumerate() {
        let Some(mut tied) = tied(number, joint, state) else { continue };
        if let (Some(drive), Some(levers)) = (&joint.drive, tied.freedom)
            && let Target::Load(load) = &drive.target
        {
            tied.given = load.mean(start, start + dt) * dt;
            for (&index, lever) in tied.indices().iter().zip(&levers) {
                let (response, twist) = (&responses[index as usize], &mut twists[index as usize]);
                twist.velocity += response.linear * (lever.linear * tied.given);
                twist.angular_velocity += response.angular * (lever.angular * tied.given);
            }
        }
        joints.tied.push(tied);
    }
}

/// A joint where it is; none if one of its bodies has left.
fn tied(number: usize, joint: &Joint, state: &State) -> Option<Tied> {
    let bodies = &state.bodies;
    let place = bodies.place_of(joint)?;
    let index = |id: u32| bodies.index_of[id as usize];
    let indices = [index(joint.a), joint.b.map_or(0, index)];
    let count = 1 + usize::from(joint.b.is_some());
    let of = |side: usize| (side < count).then(|| &bodies.movers[indices[side] as usize]);
    let arm = |side: usize| of(side).map_or(DVec3::ZERO, |mover| place.points[0] - mover.position);
    let arms = [arm(0), arm(1)];
    let reach = |side: usize| of(side).map_or(0.0, |mover| arms[side].length().max(mover.radius));
    let length = f64::max(reach(0), reach(1));
    let along = if matches!(joint.kind, JointKind::Distance { .. }) { place.line() } else { place.axis };
    let freedom = joint.kind.freedom().map(|freedom| levers(along, freedom == Freedom::About, &arms));
    let (directions, held_count) = directions(joint, &place);
    Some(Tied {
        number,
        bodies: indices,
        count,
        place,
        arms,
        length: if length > 0.0 { length } else { 1.0 },
        freedom,
        held: None,
        directions,
        held_count,
        drive: None,
        given: 0.0,
        friction: None,
        spring: None,
        damper: 0.0,
        broken: 0.0,
    })
}

/// What a joint holds.
fn directions(joint: &Joint, place: &Place) -> ([Direction; 6], usize) {
    let (mut all, mut count) = ([Direction::default(); 6], 0);
    let mut hold = |along: DVec3, turns: bool, error: f64| {
        all[count] = Direction { along, turns, error };
        count += 1;
    };
    let (offset, turn) = (place.offset, place.turn());
    let across = || <[DVec3; 2]>::from(place.axis.any_orthonormal_pair());
    let kind = joint.kind;
    if matches!(kind, JointKind::Ball | JointKind::Revolute | JointKind::Fixed) {
        DVec3::AXES.into_iter().for_each(|e| hold(e, false, e.dot(offset)));
    }
    match kind {
        JointKind::Revolute => across().into_iter().for_each(|e| hold(e, true, e.dot(place.tilt()))),
        JointKind::Prismatic => across().into_iter().for_each(|e| hold(e, false, e.dot(offset))),
        JointKind::Distance { length } if joint.spring.is_none() => hold(place.line(), false, offset.length() - length),
        _ => {}
    }
    if matches!(kind, JointKind::Prismatic | JointKind::Fixed) {
        DVec3::AXES.into_iter().for_each(|e| hold(e, true, e.dot(turn)));
    }
    (all, count)
}

/// What a row along or about a direction multiplies the velocities of a and b with.
fn levers(along: DVec3, turns: bool, arms: &[DVec3; 2]) -> [Lever; 2] {
    let of = |sign: f64, arm: DVec3| {
        let linear = if turns { DVec3::ZERO } else { along * sign };
        let angular = if turns { along * sign } else { arm.cross(along) * sign };
        Lever { linear, angular }
    };
    [of(1.0, arms[0]), of(-1.0, arms[1])]
}

impl Tied {
    /// Indices of its bodies.
    fn indices(&self) -> &[u32] {
        &self.bodies[..self.count]
    }

    /// The velocity of a row.
    fn rate(&self, levers: &[Lever; 2], twists: &[Twist]) -> f64 {
        self.indices().iter().zip(levers).map(|(&index, lever)| lever.dot(&twists[index as usize])).sum()
    }

    /// The velocity of its one motion.
    fn speed(&self, twists: &[Twist]) -> f64 {
        self.freedom.map_or(0.0, |levers| self.rate(&levers, twists))
    }

    /// The angular velocity of a relative to b.
    fn turning(&self, twists: &[Twist]) -> DVec3 {
        let of = |side: usize| self.indices().get(side).map_or(DVec3::ZERO, |&at| twists[at as usize].angular_velocity);
        of(0) - of(1)
    }

    /// How fast what friction acts on moves (m/s).
    fn rubbing(&self, joint: &Joint, twists: &[Twist]) -> f64 {
        match joint.kind.freedom() {
            Some(Freedom::Along) => self.speed(twists).abs(),
            Some(Freedom::About) => self.speed(twists).abs() * self.length,
            None => self.turning(twists).length() * self.length,
        }
    }

    /// Velocity per impulse of a row; none where locks leave no mass.
    fn give(&self, levers: &[Lever; 2], movers: &[Mover], responses: &[Response]) -> Option<f64> {
        let (mut give, mut unlocked) = (0.0, 0.0);
        for (&index, lever) in self.indices().iter().zip(levers) {
            let (response, mover) = (&responses[index as usize], &movers[index as usize]);
            give += lever.linear.dot(response.linear * lever.linear);
            give += lever.angular.dot(response.angular * lever.angular);
            unlocked += lever.linear.length_squared() * mover.inverse_mass;
            unlocked += lever.angular.length_squared() * mover.inverse_inertia;
        }
        (give > MASSLESS * unlocked).then_some(give)
    }
}

/// Pushes the rows of all joints, which start from the loads of the step before.
pub fn fill(model: &Model, state: &State, work: &mut Work) {
    let Work { joints, rows, before, twists, responses, .. } = work;
    let (movers, dt) = (&state.bodies.movers[..], model.dt);
    let mut filling = Filling { movers, responses, before, free: twists, start: state.time(model), dt, rows };
    for tied in &mut joints.tied {
        let (joint, now) = (&model.joints[tied.number], &state.joints[tied.number]);
        filling.hold(tied, joint, now);
        filling.rub(tied, joint, now);
        filling.spring(tied, joint, now);
        filling.drive(tied, joint, now);
    }
}

/// What filling reads, and what it fills.
struct Filling<'a> {
    movers: &'a [Mover],
    responses: &'a [Response],
    before: &'a [Twist],
    free: &'a [Twist],
    /// When the step begins, and how long it is (s).
    start: f64,
    dt: f64,
    rows: &'a mut Rows,
}

/// Rows of a block that are being put together.
#[derive(Default)]
struct Pending {
    rows: [Option<BlockRow>; 6],
    levers: [[Lever; 2]; 6],
    count: usize,
}

impl Pending {
    fn add(&mut self, row: BlockRow, levers: [Lever; 2]) {
        (self.rows[self.count], self.levers[self.count]) = (Some(row), levers);
        self.count += 1;
    }
}

impl Filling<'_> {
    /// Rows that are held, and with them those of a drive without limit.
    fn hold(&mut self, tied: &mut Tied, joint: &Joint, now: &JointState) {
        let mut pending = Pending::default();
        let mut count = 0;
        for at in 0..tied.held_count {
            let direction = tied.directions[at];
            let levers = levers(direction.along, direction.turns, &tied.arms);
            let (load, length) = if direction.turns { (now.torque, tied.length) } else { (now.force, 1.0) };
            let impulse = load.dot(direction.along) * self.dt;
            let row = BlockRow { bias: direction.error / self.dt, length, impulse, ..BlockRow::FREE };
            if self.may_move(tied, &row, &levers) {
                pending.add(row, levers);
                tied.directions[count] = direction;
                count += 1;
            }
        }
        tied.held_count = count;
        if let (Some(asked), Some(None)) = (self.asked(joint, now), joint.drive.as_ref().map(|drive| &drive.limit)) {
            let (row, levers) = self.row(tied, joint, -asked, now.drive);
            if self.may_move(tied, &row, &levers) {
                tied.drive = Some((self.next(), pending.count));
                pending.add(row, levers);
            }
        }
        if pending.count > 0 {
            tied.held = Some(self.push(tied, Set::Rows, &pending));
        }
    }

    /// The velocity that a drive asks for; none if it is given by its load.
    fn asked(&self, joint: &Joint, now: &JointState) -> Option<f64> {
        let end = self.start + self.dt;
        match &joint.drive.as_ref()?.target {
            Target::Speed(speed) => Some(speed.mean(self.start, end)),
            Target::Position(place) => Some((place.at(end) - now.x) / self.dt),
            Target::Load(_) => None,
        }
    }

    /// A row on the one motion of a joint.
    fn row(&self, tied: &Tied, joint: &Joint, bias: f64, load: f64) -> (BlockRow, [Lever; 2]) {
        let length = if joint.kind.freedom() == Some(Freedom::About) { tied.length } else { 1.0 };
        let row = BlockRow { bias, length, impulse: load * self.dt, ..BlockRow::FREE };
        (row, tied.freedom.unwrap_or_default())
    }

    /// A drive that has a limit.
    fn drive(&mut self, tied: &mut Tied, joint: &Joint, now: &JointState) {
        let Some(limit) = joint.drive.as_ref().and_then(|drive| drive.limit.as_ref()) else { return };
        let Some(asked) = self.asked(joint, now) else { return };
        let limit = limit.mean(self.start, self.start + self.dt) * self.dt;
        let (row, levers) = self.row(tied, joint, -asked, now.drive);
        if limit > 0.0 && tied.give(&levers, self.movers, self.responses).is_some() {
            let mut pending = Pending::default();
            pending.add(BlockRow { bounds: [-limit, limit], ..row }, levers);
            tied.drive = Some((self.push(tied, Set::Rows, &pending), 0));
        }
    }

    /// Dry friction.
    fn rub(&mut self, tied: &mut Tied, joint: &Joint, now: &JointState) {
        let Some(friction) = &joint.friction else { return };
        let limit = friction.mean(self.start, self.start + self.dt) * self.dt;
        if limit <= 0.0 {
            return;
        }
        let mut pending = Pending::default();
        let set = if joint.kind == JointKind::Ball {
            for along in DVec3::AXES {
                let levers = levers(along, true, &tied.arms);
                let impulse = now.friction.dot(along) * self.dt;
                pending.add(BlockRow { length: tied.length, impulse, ..BlockRow::FREE }, levers);
            }
            Set::Ball(limit)
        } else {
            let (row, levers) = self.row(tied, joint, 0.0, now.friction.x);
            if tied.give(&levers, self.movers, self.responses).is_some() {
                pending.add(BlockRow { bounds: [-limit, limit], ..row }, levers);
            }
            Set::Rows
        };
        if pending.count > 0 {
            tied.friction = Some(self.push(tied, set, &pending));
        }
    }

    /// A spring with its damper.
    fn spring(&mut self, tied: &mut Tied, joint: &Joint, now: &JointState) {
        let (Some(Spring { stiffness: k, damping }), Some(levers)) = (joint.spring, tied.freedom) else { return };
        let dt = self.dt;
        let give = tied.give(&levers, self.movers, self.responses).unwrap_or(0.0);
        let [from, to] = RESOLVED;
        let damped = ((dt * dt * k * give - from) / (to - from)).clamp(0.0, 1.0);
        let (beta, gamma) = (0.25 + 0.75 * damped, 0.25 * (1.0 - damped));
        tied.damper = damping + (beta - gamma) * dt * k;
        let compliance = 1.0 / (dt * (beta * dt * k + damping));
        let bias = compliance * dt * k * (now.x - gamma * dt * tied.speed(self.before));
        let (row, _) = self.row(tied, joint, bias, now.spring);
        let mut pending = Pending::default();
        pending.add(BlockRow { compliance, ..row }, levers);
        tied.spring = Some(self.push(tied, Set::Rows, &pending));
    }

    /// Whether something can move a row; if not, notes by how much it does not hold.
    fn may_move(&self, tied: &mut Tied, row: &BlockRow, levers: &[Lever; 2]) -> bool {
        let moves = tied.give(levers, self.movers, self.responses).is_some();
        if !moves {
            tied.broken = tied.broken.max((tied.rate(levers, self.free) + row.bias).abs() * row.length);
        }
        moves
    }

    /// The number of the block to come.
    fn next(&self) -> u32 {
        self.rows.blocks().len() as u32
    }

    fn push(&mut self, tied: &Tied, set: Set, pending: &Pending) -> u32 {
        let number = self.next();
        let mut rows = [BlockRow::FREE; 6];
        let mut levers = [Lever::default(); 12];
        let count = pending.count;
        for k in 0..count {
            rows[k] = pending.rows[k].unwrap_or(BlockRow::FREE);
            for side in 0..tied.count {
                levers[side * count + k] = pending.levers[k][side];
            }
        }
        let blocks = self.rows.blocks_mut();
        blocks.push(set, &rows[..count], tied.indices(), &levers[..count * tied.count]);
        number
    }
}

//! Pairs with an ellipsoid or a box, gathered for the laws: as two virtual spheres.
//!
//! Laws know spheres: a normal, levers from the two centres to the contact point p, velocities of these centres. Any two bodies
//! that touch at p along n can be given so: the virtual centre of a is p + l n, that of b is the same point (its lever is -l, as
//! at a wall), with l = R_eff - d/2. The velocity that goes into the block is that of the body, moving rigidly, at its virtual
//! centre; the torque that comes out is moved from there to the body's own centre. Since both are exact, slip at p, spin and
//! roll are those of the bodies, for any l.
//!
//! Velocities belong to the middle of the step, so the arms from the bodies' centres to p are the means of those at its start
//! and its end, and the angular velocity of a tumbling body is that in the middle of its turn (`turning`).

use glam::{DMat3, DQuat, DVec3, Vec3};

use crate::collide::gather_bodies;
use crate::collide::normal_mass::{Separation, Yields, normal_mass};
use crate::collide::solid::{self, Meeting, Posed, features, meet};
use crate::collide::{Touch, Touches};
use crate::contact::Block;
use crate::model::Special;
use crate::state::{Load, Mover};
use crate::wall::Wall;

/// One of the two bodies of a pair.
pub struct End<'a> {
    mover: &'a Mover,
    now: Posed,
    was: Posed,
    /// Angular velocity in the middle of the step.
    turning: DVec3,
    belt: bool,
    /// What a push does to it.
    yields: Yields,
}

impl<'a> End<'a> {
    /// A sphere.
    pub(crate) fn of_ball(mover: &'a Mover, special: Option<&Special>, dt: f64) -> Self {
        let ball = |position: DVec3| Posed::ball(position, mover.radius);
        // Spheres drift with the velocities they have.
        let was = ball(mover.position - mover.velocity * dt);
        let yields = yields(mover, special, None);
        End { mover, now: ball(mover.position), was, turning: mover.angular_velocity, belt: false, yields }
    }

    /// An ellipsoid or a box, now and at the start of the step, with its body turned so.
    pub(crate) fn of_solid(
        mover: &'a Mover,
        special: Option<&Special>,
        [now, was]: [&Posed; 2],
        turned: [DQuat; 2],
    ) -> Self {
        // What is driven has its angular velocity from elsewhere.
        let tumbles = special.and_then(|special| special.inertia_body.filter(|_| special.motion.yields()));
        let turning =
            tumbles.map_or(mover.angular_velocity, |inertia| turning(turned, inertia, mover.angular_velocity));
        let yields = yields(mover, special, tumbles.map(|inertia| (inertia, now.world_from_body)));
        End { mover, now: *now, was: *was, turning, belt: false, yields }
    }

    /// A plane; other walls are refused when a world is built.
    pub fn of_wall(mover: &'a Mover, now: &Wall, before: &Wall) -> Self {
        let posed = |wall: &Wall| Posed::half_space(wall.place(), wall.plane().unwrap_or(DVec3::Z));
        let (turning, belt) = (mover.angular_velocity, now.belt);
        End { mover, now: posed(now), was: posed(before), turning, belt, yields: Yields::NOT }
    }

    /// The velocity of its point that is this far from its centre, in the middle of the step.
    fn velocity(&self, arm: DVec3, normal: DVec3) -> DVec3 {
        let velocity = self.mover.velocity + self.turning.cross(arm);
        // A belt never runs into a body.
        if self.belt { velocity - normal * velocity.dot(normal) } else { velocity }
    }

    /// What brings that velocity to the full step, for the ledger: there the arm is `arm`, and was `mid` in the middle.
    fn velocity_ahead(&self, arm: DVec3, mid: DVec3) -> DVec3 {
        let turning_ahead = Vec3::from(self.mover.angular_velocity_ahead).as_dvec3();
        let turning = self.mover.angular_velocity + turning_ahead;
        Vec3::from(self.mover.velocity_ahead).as_dvec3() + turning.cross(arm) - self.turning.cross(mid)
    }
}

/// The angular velocity in the middle of a step of a body that tumbles, turned so at the end and at the start: it has kept its
/// angular momentum, while its angular velocity turned.
fn turning([now, before]: [DQuat; 2], inertia: DVec3, angular_velocity: DVec3) -> DVec3 {
    let momentum = now * (inertia * (now.inverse() * angular_velocity));
    // Two quaternions may stand for one orientation.
    let start = if now.dot(before) < 0.0 { -before } else { before };
    let middle = (now + start).normalize();
    middle * ((middle.inverse() * momentum) / inertia)
}

/// What a body counts with in the mass of a pair; one that tumbles with its principal moments and their frame.
fn yields(mover: &Mover, special: Option<&Special>, tumbles: Option<(DVec3, DMat3)>) -> Yields {
    let (inverse_moments, world_from_body) = match tumbles {
        Some((inertia, world_from_body)) => (inertia.recip(), world_from_body),
        None => (DVec3::splat(mover.inverse_inertia), DMat3::IDENTITY),
    };
    Yields {
        inverse_mass: mover.inverse_mass,
        inverse_moments,
        world_from_body,
        free: special.map_or(DVec3::ONE, |special| special.free),
        free_turn: special.map_or(DVec3::ONE, |special| special.free_turn),
    }
}

/// Finds where a pair is nearer than `within` (m) now. What `out` held before is dropped.
pub fn touch(a: &End, b: &End, within: f64, out: &mut Touches) {
    out.clear();
    solid::touch(&a.now, &b.now, within, out);
}

/// Velocity of a relative to b where they touch.
pub fn speed_at(a: &End, b: &End, touch: &Touch) -> DVec3 {
    a.velocity(touch.arm[0], touch.normal) - b.velocity(touch.arm[1], touch.normal)
}

/// Where a pair touches, at the end of a step and in its middle.
struct Place {
    now: Meeting,
    normal_before: DVec3,
    normal_mid: DVec3,
    /// From the centres of a and b to the contact point at the end.
    arms: [DVec3; 2],
    /// The same in the middle: the mean of those at the start and at the end.
    mid_arms: [DVec3; 2],
}

impl Place {
    fn of(a: &End, b: &End, feature: u32, dt: f64) -> Option<Place> {
        let now = meet(&a.now, &b.now, feature)?;
        // Two that have passed through each other have no sense of turning; the overlap will say so.
        let before = if dt > 0.0 { meet(&a.was, &b.was, feature) } else { None };
        let before = before.filter(|before| before.normal.dot(now.normal) > 0.0);
        let was = before.unwrap_or(now);
        let normal_mid = (was.normal + now.normal).normalize();
        let arms = [a, b].map(|end| now.point - end.now.position);
        let at_start = [a, b].map(|end| was.point - end.was.position);
        let mid = |i: usize| (arms[i] + if before.is_some() { at_start[i] } else { arms[i] }) * 0.5;
        Some(Place { now, normal_before: was.normal, normal_mid, arms, mid_arms: [mid(0), mid(1)] })
    }
}

/// The mass that normal dashpots of a pair count with: with a box, from all places that are nearer than `within` says for their
/// effective radius (m).
pub fn normal_mass_of(a: &End, b: &End, dt: f64, within: impl Fn(f64) -> f64) -> f64 {
    if ![a, b].iter().any(|end| end.now.form.is_box()) {
        return 1.0 / (a.mover.inverse_mass + b.mover.inverse_mass);
    }
    let places = (0..features(&a.now.form, &b.now.form)).filter_map(|feature| Place::of(a, b, feature, dt));
    let touches = places.filter(|place| -place.now.overlap < within(place.now.radius_eff)).map(|place| {
        let (normal, [arm_a, arm_b]) = (place.normal_mid, place.mid_arms);
        let rate = (a.velocity(arm_a, normal) - b.velocity(arm_b, normal)).dot(normal);
        Separation { normal, arms: place.mid_arms, rate }
    });
    normal_mass([&a.yields, &b.yields], touches)
}

/// Puts the pair into a lane.
pub fn gather(block: &mut Block, lane: usize, a: &End, b: &End, feature: u8) {
    let Some(place) = Place::of(a, b, u32::from(feature), block.dt) else { return };
    let Place { now, normal_mid, .. } = place;
    let (reach, lever) = (now.radius_eff, now.radius_eff - 0.5 * now.overlap);
    let [arm_a, arm_b] = place.arms.map(|arm| arm + now.normal * lever);
    let [mid_a, mid_b] = place.mid_arms.map(|arm| arm + normal_mid * lever);
    gather_bodies(block, lane, a.mover, b.mover);
    block.turning_a.set(lane, a.turning, a.mover.inverse_inertia);
    block.turning_b.set(lane, b.turning, b.mover.inverse_inertia);
    block.normal_before.set(lane, place.normal_before);
    block.between.set(lane, now.normal * (reach - now.overlap), reach);
    block.moving.set(lane, a.velocity(mid_a, normal_mid) - b.velocity(mid_b, normal_mid), -reach);
    block.moving_ahead.set(lane, a.velocity_ahead(arm_a, mid_a) - b.velocity_ahead(arm_b, mid_b), 0.0);
    block.surfaces.point_a.set(lane, now.point - a.now.position);
    block.surfaces.point_b.set(lane, now.point - b.now.position);
    (block.surfaces.curvature_a[lane], block.surfaces.curvature_b[lane]) = (now.curvature_a, now.curvature_b);
    block.arm_a.set(lane, arm_a);
    block.arm_b.set(lane, arm_b);
}

/// The load on a body about its own centre, from that about the virtual one, which is `arm` away.
pub fn about_body(load: Load, arm: DVec3) -> Load {
    Load::new(load.force, load.torque + arm.cross(load.force))
}

//! Poses, and rotations: the exponential map and what advances an orientation.

use glam::{DQuat, DVec3};

use crate::math;

/// A place and an orientation, as those of a body in the world, or of a shape in the frame of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// m.
    pub position: DVec3,
    /// From the frame that is placed to the one it is placed in; a unit quaternion.
    pub orientation: DQuat,
}

impl Pose {
    /// That of a frame in itself.
    pub const IDENTITY: Pose = Pose { position: DVec3::ZERO, orientation: DQuat::IDENTITY };

    /// Returns the pose in the world of what has this pose in a frame with that one.
    pub fn carried_by(&self, frame: &Pose) -> Pose {
        let position = frame.position + frame.orientation * self.position;
        Pose { position, orientation: (frame.orientation * self.orientation).normalize() }
    }
}

/// Whether two terms of the series for sine and cosine of |v|/2 are exact to the last bit.
#[inline(always)]
pub fn is_small(v: DVec3) -> bool {
    v.length_squared() < 1e-4
}

/// The rotation by the angle |v| about v (the exponential map).
#[inline(always)]
pub fn rotation(v: DVec3) -> DQuat {
    if is_small(v) {
        return little_rotation(v);
    }
    let angle = v.length();
    let axis = v * (math::sin(0.5 * angle) / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, math::cos(0.5 * angle))
}

/// `rotation` where `is_small` holds, much cheaper.
#[inline(always)]
fn little_rotation(v: DVec3) -> DQuat {
    let h = 0.25 * v.length_squared();
    let (cosine, sine_over_angle) = (1.0 - h * (0.5 - h * (1.0 / 24.0)), 0.5 - h * (0.5 / 6.0 - h * (0.5 / 120.0)));
    let axis = v * sine_over_angle;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine)
}

/// The orientation after turning by `v` (rad, world axes), kept at unit length.
#[inline(always)]
pub fn turned(world_from_body: DQuat, v: DVec3) -> DQuat {
    times(rotation(v), world_from_body)
}

/// `turned` where `is_small` holds.
#[inline(always)]
pub fn turned_little(world_from_body: DQuat, v: DVec3) -> DQuat {
    times(little_rotation(v), world_from_body)
}

#[inline(always)]
fn times(turn: DQuat, world_from_body: DQuat) -> DQuat {
    let q = turn * world_from_body;
    // One Newton step towards unit length: both factors have it to rounding, so this leaves nothing more to mend.
    q * (1.5 - 0.5 * q.length_squared())
}

/// What a body with unequal moments of inertia turns by while nothing acts on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tumbling {
    /// Principal moments (kg m^2).
    pub inertia_body: DVec3,
    /// 1 for components of the angular velocity that are free, 0 for those that are locked.
    pub free: DVec3,
}

impl Tumbling {
    /// Returns orientation and angular velocity (rad/s) after a time (s), with the angular momentum kept: the implicit midpoint rule
    /// by fixed-point iteration, second order and reversible (THEORY.md eq. 4.4).
    pub fn drifted(&self, world_from_body: DQuat, angular_velocity: DVec3, dt: f64) -> (DQuat, DVec3) {
        let momentum = world_from_body * (self.inertia_body * (world_from_body.inverse() * angular_velocity));
        let rate = |at: DQuat| at * ((at.inverse() * momentum) / self.inertia_body) * self.free;
        let mut middle_rate = angular_velocity;
        // Each round gains a factor |w| dt, which is far below 0.1 for any usable step.
        for _ in 0..8 {
            middle_rate = rate(turned(world_from_body, middle_rate * (0.5 * dt)));
        }
        let orientation = turned(world_from_body, middle_rate * dt);
        (orientation, rate(orientation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_meets_the_closed_form() {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        for angle in [1e-9_f64, 1e-3, 0.00999, 0.05] {
            let q = rotation(axis * angle);
            let expected = axis * math::sin(0.5 * angle);
            assert!((DVec3::new(q.x, q.y, q.z) - expected).length() < 1e-16);
            assert!((q.w - math::cos(0.5 * angle)).abs() < 3e-16);
        }
    }

    #[test]
    fn a_million_turns_keep_unit_length() {
        let mut q = DQuat::IDENTITY;
        for _ in 0..1_000_000 {
            q = turned(q, DVec3::new(0.01, -0.003, 0.007));
        }
        assert!((q.length() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn turning_twice_is_turning_by_the_sum_about_one_axis() {
        let axis = DVec3::new(0.3, 0.4, -0.2).normalize();
        let q = turned(turned(DQuat::IDENTITY, axis * 0.03), axis * 0.4);
        let expected = rotation(axis * 0.43);
        assert!((q.xyz() - expected.xyz()).length() < 1e-15);
    }
}

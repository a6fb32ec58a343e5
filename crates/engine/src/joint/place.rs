//! Where a joint is: its points and its axis in the bodies, and how far a has moved relative to b.

use glam::{DQuat, DVec3};

use super::{Freedom, Joint, JointKind};
use crate::frame::Pose;
use crate::math;

/// Points and axis of a joint in the frames of its bodies; those of the ground are the world's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// The point of a and that of b (m).
    pub at: [DVec3; 2],
    /// The axis in b, a unit vector; zero without one.
    pub axis: DVec3,
    /// How a was turned in b's frame at the start.
    pub turn: DQuat,
}

impl Frames {
    /// Those of points and an axis given in the world, of bodies at these poses: a, then b or `Pose::IDENTITY` for the ground.
    pub fn at_start(poses: [Pose; 2], at: [DVec3; 2], axis: DVec3) -> Frames {
        let [a, b] = poses;
        let inside = |pose: Pose, point: DVec3| pose.orientation.inverse() * (point - pose.position);
        Frames {
            at: [inside(a, at[0]), inside(b, at[1])],
            axis: (b.orientation.inverse() * axis).normalize_or_zero(),
            turn: (b.orientation.inverse() * a.orientation).normalize(),
        }
    }

    /// Where they are with bodies at these poses.
    pub fn placed(&self, [a, b]: [Pose; 2]) -> Place {
        let [of_a, of_b] = [a.orientation * self.at[0], b.orientation * self.at[1]];
        Place {
            points: [a.position + of_a, b.position + of_b],
            offset: (a.position - b.position) + (of_a - of_b),
            axis: b.orientation * self.axis,
            world_from_b: b.orientation,
            turned: b.orientation.inverse() * a.orientation * self.turn.inverse(),
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.at.iter().all(|at| at.is_finite()) && self.axis.is_finite() && self.turn.is_finite()
    }
}

/// Where a joint is now, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its point on a and that on b (m).
    pub points: [DVec3; 2],
    /// From b's point to a's (m).
    pub offset: DVec3,
    /// Its axis, a unit vector.
    pub axis: DVec3,
    world_from_b: DQuat,
    /// How a has turned since the start, in b's frame.
    turned: DQuat,
}

impl Place {
    /// From b's point to a's, a unit vector; zero where the two coincide.
    pub fn line(&self) -> DVec3 {
        self.offset.normalize_or_zero()
    }

    /// How far a's axis has come away from b's: their cross product.
    pub fn tilt(&self) -> DVec3 {
        let axis = self.world_from_b.inverse() * self.axis;
        self.world_from_b * axis.cross(self.turned * axis)
    }

    /// How a has turned relative to b since the start: for small angles the vector of the rotation (rad).
    pub fn turn(&self) -> DVec3 {
        let v = DVec3::new(self.turned.x, self.turned.y, self.turned.z);
        self.world_from_b * (v * (2.0 * if self.turned.w < 0.0 { -1.0 } else { 1.0 }))
    }

    /// The angle about the axis (rad), the one nearest to `last` of those that look alike.
    fn angle(&self, last: f64) -> f64 {
        let v = DVec3::new(self.turned.x, self.turned.y, self.turned.z);
        let axis = self.world_from_b.inverse() * self.axis;
        let turn = 2.0 * std::f64::consts::PI;
        let angle = 2.0 * math::atan2(v.dot(axis), self.turned.w);
        angle + turn * ((last - angle) / turn).round()
    }
}

impl Joint {
    /// Its one motion (m, rad), near what it was; 0 for a joint without one.
    pub fn motion(&self, place: &Place, last: f64) -> f64 {
        match (self.kind, self.kind.freedom()) {
            (JointKind::Distance { length }, _) => place.offset.length() - length,
            (_, Some(Freedom::Along)) => place.axis.dot(place.offset),
            (_, Some(Freedom::About)) => place.angle(last),
            (_, None) => 0.0,
        }
    }

    /// How far its points are from where they are held (m), and how far axes that are held have come apart (rad).
    pub fn errors(&self, place: &Place) -> [f64; 2] {
        let along = place.axis * place.axis.dot(place.offset);
        let half = place.turn() * 0.5;
        // The sine of half the angle is |half|; sines of what is held are small.
        let turned = 2.0 * math::asin(half.length().min(1.0));
        match self.kind {
            JointKind::Ball => [place.offset.length(), 0.0],
            JointKind::Fixed => [place.offset.length(), turned],
            JointKind::Prismatic => [(place.offset - along).length(), turned],
            JointKind::Revolute => [place.offset.length(), math::asin(place.tilt().length().min(1.0))],
            JointKind::Distance { length } if self.spring.is_none() => [(place.offset.length() - length).abs(), 0.0],
            JointKind::Distance { .. } | JointKind::Linear | JointKind::Angular => [0.0; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;

    #[test]
    fn an_angle_counts_on_beyond_full_turns_and_does_not_depend_on_the_bodies() {
        let axis = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let pose =
            |x: f64| Pose { position: DVec3::new(x, 0.3, -x), orientation: frame::rotation(DVec3::new(0.4, -x, 0.2)) };
        let (a, b) = (pose(1.0), pose(-2.0));
        let frames = Frames::at_start([a, b], [DVec3::Y; 2], axis);
        let joint = Joint::new(JointKind::Revolute, 0, Some(1), frames);
        let mut x = 0.0;
        for step in 0..100 {
            // a turns about the axis, and both move as one.
            let both = Pose {
                position: DVec3::X * f64::from(step),
                orientation: frame::rotation(DVec3::Z * 0.1 * f64::from(step)),
            };
            let turn = frame::rotation(axis * (0.2 * f64::from(step)));
            let a = Pose { position: DVec3::Y + turn * (a.position - DVec3::Y), orientation: turn * a.orientation };
            let place = frames.placed([a.carried_by(&both), b.carried_by(&both)]);
            x = joint.motion(&place, x);
            assert!((x - 0.2 * f64::from(step)).abs() < 1e-12, "{step}: {x}");
            assert!(joint.errors(&place).iter().all(|error| *error < 1e-12));
        }
    }

    #[test]
    fn errors_are_those_of_what_is_held() {
        let b = Pose { position: DVec3::new(1.0, 2.0, 3.0), orientation: frame::rotation(DVec3::X) };
        let axis = b.orientation * DVec3::Z;
        let frames = Frames::at_start([Pose::IDENTITY, b], [DVec3::ZERO; 2], axis);
        let tilted = frame::rotation(b.orientation * DVec3::X * 0.01) * frame::rotation(axis * 0.5);
        let a = Pose { position: axis * 0.2 + b.orientation * DVec3::Y * 0.03, orientation: tilted };
        let place = frames.placed([a, b]);
        let error = |kind| Joint::new(kind, 0, Some(1), frames).errors(&place);
        let close = |found: [f64; 2], expected: [f64; 2]| {
            assert!((0..2).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?} {expected:?}");
        };
        let apart = (0.04_f64 + 0.0009).sqrt();
        close(error(JointKind::Ball), [apart, 0.0]);
        close(error(JointKind::Revolute), [apart, 0.01]);
        // cos of half the whole angle = cos 0.005 cos 0.25.
        let half = math::cos(0.005) * math::cos(0.25);
        let whole = 2.0 * math::atan2((1.0 - half * half).sqrt(), half);
        close(error(JointKind::Prismatic), [0.03, whole]);
        close(error(JointKind::Distance { length: 0.1 }), [apart - 0.1, 0.0]);
        close(error(JointKind::Linear), [0.0; 2]);
        assert!((Joint::new(JointKind::Linear, 0, Some(1), frames).motion(&place, 0.0) - 0.2).abs() < 1e-15);
    }
}

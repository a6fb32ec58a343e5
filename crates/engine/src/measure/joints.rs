//! What is recorded of a joint.

use glam::DVec3;

use crate::contact::Mode;

/// A joint after a step. Loads act on a, the opposite on b; they are those of the step that ends now, impulses over its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRow {
    /// Its number, from 0.
    pub joint: usize,
    /// How far a has moved relative to b (m, rad), counted on beyond full turns; 0 for ball and fixed, of a distance beyond its length.
    pub x: f64,
    /// How fast it does (m/s, rad/s).
    pub v: f64,
    /// Load of the drive along or about the axis (N, N m).
    pub drive: f64,
    /// Load of dry friction (N, N m); of a ball its size.
    pub friction: f64,
    /// Load of spring and damper (N, N m).
    pub spring: f64,
    /// What holds the joint (N).
    pub force: DVec3,
    /// The same about b's point (N m).
    pub torque: DVec3,
    /// Distance of the points that are held together (m).
    pub error: f64,
    /// Angle between axes that are held (rad).
    pub error_angle: f64,
    /// Of the drive: sticks to what is asked for, or slips at its limit; of friction: sticks or slips.
    pub mode: [Mode; 2],
}

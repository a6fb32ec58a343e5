//! `[[joint]]` in the schema.

use serde_json::Value;

use super::build::{boolean, non_negative, number, object, or, positive, said, scheduled, text, vector, words};
use crate::scene::joints::KINDS;

/// A joint.
pub(super) fn joint() -> Value {
    let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let drive = object(vec![
        ("speed", said(scheduled(number()), "Of a relative to b [m/s, rad/s].")),
        ("position", said(scheduled(number()), "Of a relative to b [m, rad].")),
        ("force", said(scheduled(number()), "On a, along the axis [N].")),
        ("torque", said(scheduled(number()), "On a, about the axis [N m].")),
        ("max_force", said(scheduled(non_negative()), "What it has for that, along [N]; default: no limit.")),
        ("max_torque", said(scheduled(non_negative()), "The same about the axis [N m].")),
    ]);
    let friction = object(vec![
        ("force", said(scheduled(non_negative()), "Largest friction along the axis [N].")),
        ("torque", said(scheduled(non_negative()), "Largest friction about the axis, of a ball about any [N m].")),
    ]);
    object(vec![
        ("name", said(text(), "Its name, of which there is one: in KEYs and records.")),
        ("!kind", said(words(&kinds), "What it leaves free.")),
        ("!a", said(text(), "Name of the [[body]] that moves.")),
        ("b", said(text(), "Name of the [[body]] that a moves relative to; default: the ground.")),
        ("at", said(vector(), "A point of both at the start, world axes [m]; of a distance the point on a.")),
        ("to", said(vector(), "The point of a distance on b at the start, world axes [m].")),
        ("axis", said(vector(), "Direction along or about which a moves, world axes at the start, fixed in b.")),
        ("length", said(non_negative(), "Of a distance [m]; default: as at the start.")),
        ("drive", said(drive, "Motor: one of speed, position, force or torque.")),
        ("friction", said(friction, "Dry friction.")),
        ("stiffness", said(positive(), "Spring to x = 0, of a distance to its length [N/m, N m/rad].")),
        ("damping", said(or(non_negative(), 0.0), "Damper beside the spring [kg/s, N m s].")),
        ("touch", said(boolean(), "Whether a and b touch; default: only for distance, linear and angular.")),
    ])
}

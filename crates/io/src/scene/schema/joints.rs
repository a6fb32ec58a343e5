//! `[[joint]]` in the schema.

use serde_json::{Value, json};
use stickslip::joint::{Freedom, JointKind};

use super::build::{
    also, boolean, non_negative, number, object, one_of, or, positive, said, scheduled, text, vector, words,
};
use crate::scene::joints::KINDS;

/// A joint.
pub(super) fn joint() -> Value {
    let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let mut joint = object(vec![
        ("name", said(text(), "Its name, of which there is one: in KEYs and records.")),
        ("!kind", said(words(&kinds), "What it leaves free.")),
        ("!a", said(text(), "Name of the [[body]] that moves.")),
        ("b", said(text(), "Name of the [[body]] that a moves relative to; default: the ground.")),
        ("at", said(vector(), "A point of both at the start, world axes [m]; of a distance the point on a.")),
        ("to", said(vector(), "The point of a distance on b at the start, world axes [m].")),
        ("axis", said(vector(), "Direction along or about which a moves, world axes at the start, fixed in b.")),
        ("length", said(non_negative(), "Of a distance [m]; default: as at the start.")),
        (
            "drive",
            said(
                json!({"type": "object"}),
                "Motor: one of speed, position, force or torque, with max_force or max_torque.",
            ),
        ),
        ("friction", said(json!({"type": "object"}), "Dry friction: force or torque.")),
        ("stiffness", said(positive(), "Spring to x = 0, of a distance to its length [N/m, N m/rad].")),
        ("damping", said(or(non_negative(), 0.0), "Damper beside the spring [kg/s, N m s].")),
        ("touch", said(boolean(), "Whether a and b touch; default: only for distance, linear and angular.")),
    ]);
    let needs = |key: &str, of: &dyn Fn(JointKind) -> bool| {
        let kinds: Vec<&str> = KINDS.iter().filter(|(_, kind)| of(*kind)).map(|(name, _)| *name).collect();
        json!({"if": {"properties": {"kind": {"enum": kinds}}}, "then": {"required": [key]}})
    };
    let driven = |about: bool| {
        let kinds: Vec<&str> =
            KINDS.iter().filter(|(_, kind)| is_about(*kind) == about).map(|(name, _)| *name).collect();
        json!({
            "if": {"properties": {"kind": {"enum": kinds}}},
            "then": {"properties": {"drive": drive(about), "friction": friction(about)}},
        })
    };
    let is_distance = |kind: JointKind| matches!(kind, JointKind::Distance { .. });
    also(
        &mut joint,
        [
            needs("at", &|kind| kind != JointKind::Angular),
            needs("to", &is_distance),
            needs("axis", &JointKind::has_axis),
            driven(false),
            driven(true),
        ],
    );
    joint
}

/// Whether loads on its motion are torques.
fn is_about(kind: JointKind) -> bool {
    kind.freedom() != Some(Freedom::Along)
}

/// Dry friction along or about the axis.
fn friction(about: bool) -> Value {
    let load = if about { "!torque" } else { "!force" };
    object(vec![(load, said(scheduled(non_negative()), "Largest friction [N, N m]; of a ball about any axis."))])
}

/// A motor along or about the axis.
fn drive(about: bool) -> Value {
    let (load, most) = if about { ("!torque", "max_torque") } else { ("!force", "max_force") };
    let limit = || (most, said(scheduled(non_negative()), "What it has for that [N, N m]; default: no limit."));
    let of = |key, text| vec![(key, said(scheduled(number()), text))];
    let speed = of("!speed", "Of a relative to b [m/s, rad/s].").into_iter().chain([limit()]).collect();
    let position = of("!position", "Of a relative to b [m, rad].").into_iter().chain([limit()]).collect();
    one_of(vec![object(speed), object(position), object(of(load, "On a, along or about the axis [N, N m]."))])
}

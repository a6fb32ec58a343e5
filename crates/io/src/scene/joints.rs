//! `[[joint]]` tables: what ties bodies together, and what drives them. Points and axes are those of the world at the start.
//!
//! Does not do: whether joints agree with each other and with locks (the engine finds that when the world is built).

use std::collections::HashMap;

use glam::DVec3;
use stickslip::frame::Pose;
use stickslip::joint::{Drive, Frames, Freedom, Joint, JointKind, Spring, Target};
use stickslip::model::Method;
use stickslip::schedule::Signal;

use crate::input::{Item, Place, Result, Spot, Table, nearest, shown};
use crate::scene::bodies::Bodies;
use crate::scene::resolved::{number, vector};
use crate::scene::schedules::{read_signal, signal_text};

/// Kinds by their names; a distance finds its length later.
pub(super) const KINDS: [(&str, JointKind); 7] = [
    ("ball", JointKind::Ball),
    ("revolute", JointKind::Revolute),
    ("prismatic", JointKind::Prismatic),
    ("fixed", JointKind::Fixed),
    ("distance", JointKind::Distance { length: 0.0 }),
    ("linear", JointKind::Linear),
    ("angular", JointKind::Angular),
];

/// How far a rigid length may be from that of the start, as a share of it.
const ROUNDING: f64 = 1e-9;

/// A joint as a scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JointText {
    /// Its points in the world at the start (m).
    pub at: [DVec3; 2],
    /// Its axis in the world at the start.
    pub axis: DVec3,
}

/// All joints of a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joints {
    /// As the engine has them.
    pub list: Vec<Joint>,
    /// As they are written out again.
    pub texts: Vec<JointText>,
    /// Where each is described.
    pub spots: Vec<Spot>,
}

/// Reads all `[[joint]]` tables. `bodies` stand as they start.
pub(crate) fn read(top: &Table<'_>, bodies: &Bodies<'_>, method: &Method) -> Result<Joints> {
    let mut joints = Joints::default();
    let mut taken = HashMap::new();
    for table in top.tables("joint")? {
        if !method.solves() {
            let error = table.error("the explicit method does not implement joints".into());
            return Err(error.help("method.kind = \"nonsmooth\""));
        }
        if top.optional("cell").is_some() {
            return Err(table.error("joints in a [cell] are not implemented".into()));
        }
        let name = table.read("name", |item| read_name(item, &mut taken))?;
        let (mut joint, text) = read_joint(&table, bodies)?;
        joint.name = name;
        joints.spots.push(table.place().spot());
        table.finish()?;
        joints.list.push(joint);
        joints.texts.push(text);
    }
    Ok(joints)
}

fn read_name<'a>(item: Item<'a>, taken: &mut HashMap<&'a str, Place<'a>>) -> Result<String> {
    let place = item.place();
    let name = item.string()?;
    if name.is_empty() {
        return Err(place.error("expected a name, found an empty string".into()));
    }
    if let Some(first) = taken.get(name) {
        let line = first.line();
        return Err(place.error(format!("the name \"{}\" is already taken, on line {line}", shown(name))));
    }
    taken.insert(name, place);
    Ok(name.to_owned())
}

/// A body by its name.
fn read_body(item: Item<'_>, bodies: &Bodies<'_>) -> Result<u32> {
    let place = item.place();
    let name = item.string()?;
    if let Some(id) = bodies.names.iter().position(|known| known.as_deref() == Some(name)) {
        return Ok(id as u32);
    }
    let known: Vec<&str> = bodies.names.iter().flatten().map(String::as_str).collect();
    let error = place.error(format!("there is no body of the name \"{}\"", shown(name)));
    Err(match nearest(name, &known) {
        Some(near) => error.help(format!("did you mean \"{}\"?", shown(near))),
        None if known.is_empty() => error.help("give the [[body]] a `name`"),
        None => error.help(format!("there are: {}", shown(&known.join(", ")))),
    })
}

/// Where a body stands; the ground for none.
fn pose_of(bodies: &Bodies<'_>, id: Option<u32>) -> Pose {
    id.map_or(Pose::IDENTITY, |id| {
        let body = bodies.list.get(id as usize);
        Pose { position: body.place(), orientation: body.orientation.normalize() }
    })
}

fn read_joint(table: &Table<'_>, bodies: &Bodies<'_>) -> Result<(Joint, JointText)> {
    let kind = table.need("kind", |item| item.choice(&KINDS, &[]))?;
    let a = table.need("a", |item| read_body(item, bodies))?;
    let b = match table.optional("b") {
        Some(item) => {
            let place = item.place();
            let b = read_body(item, bodies)?;
            if b == a {
                return Err(place.error("a and b are the same body".into()).help("leave `b` out for the ground"));
            }
            Some(b)
        }
        None => None,
    };
    let text = read_places(table, kind, &bodies.list.get(a as usize).place())?;
    let frames = Frames::at_start([pose_of(bodies, Some(a)), pose_of(bodies, b)], text.at, text.axis);
    let mut joint = Joint::new(kind, a, b, frames);
    joint.spring = read_spring(table, kind)?;
    if let JointKind::Distance { .. } = kind {
        joint.kind = JointKind::Distance { length: read_length(table, &text, joint.spring.is_some())? };
    }
    joint.drive = read_drive(table, kind)?;
    joint.friction = read_friction(table, kind)?;
    if let Some(touch) = table.read("touch", Item::boolean)? {
        joint.touch = touch;
    }
    Ok((joint, text))
}

/// Points and axis. A key that a kind has no use for is an error.
fn read_places(table: &Table<'_>, kind: JointKind, centre: &DVec3) -> Result<JointText> {
    let name = kind.name();
    let idle = |key: &'static str, why: &str| match table.optional(key) {
        Some(item) => Err(item.error(format!("`{key}` has no effect on a {name} joint: {why}"))),
        None => Ok(()),
    };
    let at = if kind == JointKind::Angular {
        // Written out again it has one.
        table.read("at", Item::vector)?.unwrap_or(*centre)
    } else {
        table.need("at", Item::vector)?
    };
    let is_distance = matches!(kind, JointKind::Distance { .. });
    let to = if is_distance {
        table.need("to", Item::vector)?
    } else {
        idle("to", "only a distance has two points")?;
        at
    };
    if !is_distance {
        idle("length", "only a distance has one")?;
    }
    let axis = if kind.has_axis() {
        table.need("axis", Item::direction)?
    } else {
        idle("axis", "it has no axis")?;
        DVec3::ZERO
    };
    Ok(JointText { at: [at, to], axis })
}

fn read_length(table: &Table<'_>, text: &JointText, sprung: bool) -> Result<f64> {
    let start = (text.at[0] - text.at[1]).length();
    let item = table.optional("length");
    let place = item.as_ref().map_or_else(|| table.place(), Item::place);
    let length = item.map(Item::non_negative).transpose()?.unwrap_or(start);
    if sprung {
        return Ok(length);
    }
    if start <= 0.0 {
        let error = place.error("`at` and `to` are the same point: a rigid distance needs two".into());
        return Err(error.help("a ball joint holds two points together"));
    }
    if (length - start).abs() > ROUNDING * start {
        let message = format!("a rigid length of {length} m, but `at` and `to` are {start} m apart at the start");
        return Err(place.error(message).help("leave `length` out, move a point, or give it a `stiffness`"));
    }
    Ok(length)
}

fn read_spring(table: &Table<'_>, kind: JointKind) -> Result<Option<Spring>> {
    let (stiffness, damping) = (table.optional("stiffness"), table.optional("damping"));
    if let (false, Some(item)) = (kind.takes_spring(), stiffness.as_ref().or(damping.as_ref())) {
        let message = format!("a {} joint has no spring: it has not one motion, but none or several", kind.name());
        return Err(item
            .error(message)
            .help("springs act on revolute, prismatic, distance, linear and angular joints"));
    }
    let Some(item) = stiffness else {
        return match damping {
            Some(item) => {
                Err(item.error("`damping` without `stiffness`".into()).help("add `stiffness`, or leave both out"))
            }
            None => Ok(None),
        };
    };
    let stiffness = item.positive()?;
    let damping = damping.map(Item::non_negative).transpose()?.unwrap_or(0.0);
    Ok(Some(Spring { stiffness, damping }))
}

/// What loads are called along and about an axis.
fn load_words(kind: JointKind) -> [&'static str; 2] {
    if kind.freedom() == Some(Freedom::Along) { ["force", "max_force"] } else { ["torque", "max_torque"] }
}

fn read_drive(table: &Table<'_>, kind: JointKind) -> Result<Option<Drive>> {
    let Some(item) = table.optional("drive") else { return Ok(None) };
    if !kind.takes_drive() {
        let message = format!("a {} joint has no drive", kind.name());
        return Err(item.error(message).help("drives act on revolute, prismatic, linear and angular joints"));
    }
    let table = item.table()?;
    let [load, most] = load_words(kind);
    let Some((key, item)) = table.one_of(&["speed", "position", load])? else {
        table.optional(most);
        table.finish()?;
        let error = table.error(format!("expected one of `speed`, `position` and `{load}`"));
        return Err(error.help(format!("drive = {{ speed = 1.0, {most} = 5.0 }}")));
    };
    let signal = read_signal(item, Item::number)?;
    let limit_item = table.optional(most);
    if let (Some(item), true) = (&limit_item, key == load) {
        return Err(item.error(format!("`{most}` beside `{load}`: a drive by {load} has no limit")));
    }
    let limit = limit_item.map(|item| read_signal(item, Item::non_negative)).transpose()?;
    let target = match key {
        "speed" => Target::Speed(signal),
        "position" => {
            let start = signal.at_start();
            if limit.is_none() && start.abs() > ROUNDING * signal.largest().max(1.0) {
                let message = format!("the drive starts at {start}, but the joint is at 0: it would have to jump");
                return Err(table.error(message).help(format!("start from 0, or give it a limit: {most} = ..")));
            }
            Target::Position(signal)
        }
        _ => Target::Load(signal),
    };
    table.finish()?;
    Ok(Some(Drive { target, limit }))
}

fn read_friction(table: &Table<'_>, kind: JointKind) -> Result<Option<Signal<f64>>> {
    let Some(item) = table.optional("friction") else { return Ok(None) };
    if !kind.takes_friction() {
        let message = format!("a {} joint has no friction", kind.name());
        return Err(item.error(message).help("friction acts on ball, revolute, prismatic, linear and angular joints"));
    }
    let table = item.table()?;
    let friction = table.need(load_words(kind)[0], |item| read_signal(item, Item::non_negative))?;
    table.finish()?;
    Ok(Some(friction))
}

/// The joints of a stage: those of the scene, with what it sets of them. Frames are those of the start.
pub(crate) fn read_of_stage(
    top: &Table<'_>,
    scene: &[Joint],
    (bodies, method): (&Bodies<'_>, &Method),
    place: &Place<'_>,
) -> Result<Vec<Joint>> {
    let mut joints = read(top, bodies, method)?.list;
    if joints.len() != scene.len() {
        return Err(place.error("a stage cannot add or take away joints".into()));
    }
    for (joint, of_scene) in joints.iter_mut().zip(scene) {
        joint.frames = of_scene.frames;
        if let (JointKind::Distance { .. }, None) = (joint.kind, &joint.spring) {
            joint.kind = of_scene.kind;
        }
    }
    Ok(joints)
}

/// Keys of a joint that a stage may set.
pub(crate) const OF_STAGE: [&str; 4] = ["drive", "friction", "stiffness", "damping"];

/// A joint as a scene has it, key by key.
pub(super) fn lines(joint: &Joint, text: &JointText, name: impl Fn(u32) -> String) -> Vec<String> {
    let mut lines = vec![format!("kind = \"{}\"", joint.kind.name()), format!("a = {}", name(joint.a))];
    lines.extend(joint.b.map(|b| format!("b = {}", name(b))));
    lines.push(format!("at = {}", vector(text.at[0])));
    if let JointKind::Distance { length } = joint.kind {
        lines.push(format!("to = {}", vector(text.at[1])));
        lines.push(format!("length = {}", number(length)));
    }
    if joint.kind.has_axis() {
        lines.push(format!("axis = {}", vector(text.axis)));
    }
    lines.extend(settable(joint).into_iter().map(|(key, value)| format!("{key} = {value}")));
    lines.push(format!("touch = {}", joint.touch));
    lines
}

/// What a stage may set of a joint, as a scene has it: keys and values.
pub(super) fn settable(joint: &Joint) -> Vec<(&'static str, String)> {
    let mut set = Vec::new();
    let [load, most] = load_words(joint.kind);
    if let Some(drive) = &joint.drive {
        let key = match drive.target {
            Target::Speed(_) => "speed",
            Target::Position(_) => "position",
            Target::Load(_) => load,
        };
        let limit = drive.limit.as_ref().map(|limit| format!(", {most} = {}", signal_text(limit, number)));
        let target = signal_text(drive.target.signal(), number);
        set.push(("drive", format!("{{ {key} = {target}{} }}", limit.unwrap_or_default())));
    }
    if let Some(friction) = &joint.friction {
        set.push(("friction", format!("{{ {load} = {} }}", signal_text(friction, number))));
    }
    if let Some(Spring { stiffness, damping }) = joint.spring {
        set.push(("stiffness", number(stiffness)));
        set.push(("damping", number(damping)));
    }
    set
}

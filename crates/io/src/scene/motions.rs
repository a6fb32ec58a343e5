//! `motion` of a body: a word, or a table that prescribes a path, runs a belt or keeps a force.

use glam::DVec3;
use stickslip::body::{Body, Motion, Oscillation, Prescribed, Servo};
use stickslip::inflow::Inflow;
use stickslip::schedule::Signal;
use stickslip::shape::Shape;

use crate::input::{Item, Result, Table};
use crate::scene::bodies::Bodies;
use crate::scene::materials::Materials;
use crate::scene::schedules::read_signal;

/// Reads the motion of a body, whose shape and orientation are known.
pub(crate) fn read_motion(table: &Table<'_>, body: &Body) -> Result<Motion> {
    let is_wall = body.shape.radius().is_none();
    let Some(item) = table.optional("motion") else {
        return Ok(if is_wall { Motion::Fixed } else { Motion::Free });
    };
    let place = item.place();
    let motion = if item.is_table() {
        read_table(&item.table()?, body)?
    } else if item.is_string() {
        // Which word, then what it means: motions that have a schedule are not copied.
        let words = [Motion::Free, Motion::Fixed, Motion::Held];
        words[item.choice(&[("free", 0), ("fixed", 1), ("held", 2)], &[])?].clone()
    } else {
        return Err(item.expected("\"free\", \"fixed\", \"held\" or a table"));
    };
    if is_wall && motion.yields() {
        let kind = body.shape.kind();
        let message = format!("a {kind} has no mass: its motion is \"fixed\" (the default) or a table");
        return Err(place.error(message));
    }
    Ok(motion)
}

fn read_table(table: &Table<'_>, body: &Body) -> Result<Motion> {
    if let Some((key, item)) = table.one_of(&["servo", "belt"])? {
        let motion = if key == "servo" { Motion::Servo(read_servo(item)?) } else { read_belt(item, body)? };
        let alone = "stands alone: a body has one motion";
        for other in ["velocity", "angular_velocity", "about", "oscillate"] {
            if let Some(item) = table.optional(other) {
                return Err(item.error(format!("`{other}` beside `{key}`: `{key}` {alone}")));
            }
        }
        table.finish()?;
        return Ok(motion);
    }
    let velocity = |item: Item<'_>| read_signal(item, Item::vector);
    let prescribed = Prescribed {
        velocity: table.read("velocity", velocity)?.unwrap_or_default(),
        angular_velocity: table.read("angular_velocity", read_turning)?.unwrap_or_default(),
        about: table.read("about", Item::vector)?,
        oscillate: table.read("oscillate", read_oscillation)?,
        began: None,
    };
    table.finish()?;
    Ok(Motion::Prescribed(prescribed))
}

/// An angular velocity; a schedule of it keeps the axis.
fn read_turning(item: Item<'_>) -> Result<Signal<DVec3>> {
    let place = item.place();
    let turning = read_signal(item, Item::vector)?;
    let axis = turning.values().iter().find(|w| **w != DVec3::ZERO).copied().unwrap_or_default();
    let across = |w: &DVec3| w.cross(axis).length() > 1e-9 * w.length() * axis.length();
    if turning.values().iter().any(across) {
        let error = place.error("expected values along one axis: a schedule of angular velocities keeps it".into());
        return Err(error.help("turn about one axis in this body's motion; a value may be zero or have the other sign"));
    }
    Ok(turning)
}

/// A mass of zero stands for one that `settle_servos` finds once all bodies are known.
fn read_servo(item: Item<'_>) -> Result<Servo> {
    let table = item.table()?;
    let servo = Servo {
        axis: table.need("axis", Item::direction)?,
        force: table.need("force", |item| read_signal(item, Item::number))?,
        mass: table.read("mass", Item::positive)?.unwrap_or(0.0),
        damping: table.read("damping", Item::non_negative)?.unwrap_or(0.0),
        max_speed: table.read("max_speed", Item::positive)?.unwrap_or(f64::INFINITY),
    };
    table.finish()?;
    Ok(servo)
}

fn read_belt(item: Item<'_>, body: &Body) -> Result<Motion> {
    let place = item.place();
    let velocity = read_signal(item, Item::vector)?;
    let (Shape::Plane { normal } | Shape::Rectangle { normal, .. }) = body.shape else {
        let message = format!("a {} is not flat: a belt is a plane or a rectangle", body.shape.kind());
        return Err(place.error(message).help("a body that turns: motion = { angular_velocity = [..] }"));
    };
    let leaves = |v: &DVec3| v.dot(body.orientation * normal).abs() > 1e-9 * v.length();
    if velocity.values().iter().any(leaves) {
        return Err(place.error("expected a velocity along the surface, at right angles to its `normal`".into()));
    }
    Ok(Motion::Belt(velocity))
}

fn read_oscillation(item: Item<'_>) -> Result<Oscillation> {
    let table = item.table()?;
    let oscillation = Oscillation {
        axis: table.need("axis", Item::direction)?,
        amplitude: table.need("amplitude", Item::number)?,
        frequency: table.need("frequency", Item::non_negative)?,
        phase: table.read("phase", Item::number)?.unwrap_or(0.0),
    };
    table.finish()?;
    Ok(oscillation)
}

/// A servo without a mass of its own weighs as much as all that loads move, there or to come: it answers as slowly as the bed that it presses,
/// and never governs the step.
pub(crate) fn settle_servos(bodies: &mut Bodies<'_>, streams: &[Inflow], materials: &Materials) -> Result<()> {
    if !bodies.list.has_servo() {
        return Ok(());
    }
    let mass = |body: &Body| body.mass_and_inertia(materials.list[body.material as usize].density).0;
    let there: f64 = bodies.list.iter().filter(|body| body.motion.yields()).map(|body| mass(&body)).sum();
    // The mean of the smallest and the largest is near enough.
    let to_come = streams.iter().map(|stream| {
        let ends = stream.extremes(materials.list[usize::from(stream.material())].density);
        stream.count as f64 * 0.5 * (mass(&ends[0]) + mass(&ends[ends.len() - 1]))
    });
    let total = there + to_come.sum::<f64>();
    for id in 0..bodies.list.len() {
        let Some(servo) = bodies.list.servo_mut(id) else { continue };
        if servo.mass == 0.0 {
            servo.mass = total;
        }
        if servo.mass > 0.0 && servo.mass.is_finite() {
            continue;
        }
        if let Some(place) = bodies.place(id) {
            let message = "the servo's `mass` is that of all bodies that loads move, but there are none: give it one";
            return Err(place.error(message.into()));
        }
    }
    Ok(())
}

//! From a body as described to its packed record: checks, and what is special about it.

use glam::{DQuat, DVec3};

use crate::body::{Body, Motion, Prescribed};
use crate::error::BuildError;
use crate::model::{ColliderRange, Model, Special};
use crate::shape::Shape;
use crate::shape::clump::{Clump, MOST_PARTS};
use crate::state::Mover;

/// Whether the numbers of a body make sense.
pub(crate) fn check_body(id: u32, body: &Body, model: &Model) -> Result<(), BuildError> {
    let materials = model.materials.len();
    let Some(material) = model.materials.get(body.material as usize) else {
        return Err(BuildError::NoSuchMaterial { body: id, material: body.material, materials });
    };
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    if !(body.position.is_finite() && body.velocity.is_finite() && body.angular_velocity.is_finite()) {
        return impossible("a coordinate or velocity", f64::NAN, "finite numbers");
    }
    check_motion(id, body)?;
    check_centre(id, body)?;
    let (what, least) = match body.shape {
        Shape::Cylinder { radius, length, axis } if is_direction(axis) => {
            ("the radius or length of the cylinder", radius.min(length))
        }
        Shape::Cylinder { axis, .. } => return impossible("the length of the cylinder's axis", axis.length(), "one"),
        Shape::Clump(ref clump) => check_clump(id, clump)?,
        Shape::Sphere { radius } => ("radius", radius),
        Shape::Ellipsoid { axes } => ("a semi-axis of the ellipsoid", axes.min_element()),
        Shape::Box { size } => ("an edge of the box", size.min_element()),
        _ => return check_wall(id, body),
    };
    if !(least > 0.0 && body.reach().is_some_and(f64::is_finite)) {
        return impossible(what, least, "a positive number");
    }
    if body.shape.is_solid() && !body.orientation.is_finite() {
        return impossible("the orientation", f64::NAN, "finite numbers");
    }
    let (mass, inertia) = body.mass_and_inertia(material.density);
    if !(mass > 0.0 && mass.is_finite()) {
        return impossible("mass", mass, "a positive number");
    }
    if !(inertia.min_element() > 0.0 && inertia.is_finite()) {
        return impossible("the least moment of inertia", inertia.min_element(), "a positive number");
    }
    check_locks(id, body, inertia)
}

/// A centre of mass belongs to a body that has a mass.
fn check_centre(id: u32, body: &Body) -> Result<(), BuildError> {
    let Some(centre) = body.centre else { return Ok(()) };
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    if !centre.is_finite() {
        return impossible("a coordinate of the centre of mass", f64::NAN, "finite numbers");
    }
    if body.shape.is_wall() {
        return impossible("the distance of a wall's centre of mass", centre.length(), "no centre: a wall has no mass");
    }
    Ok(())
}

/// A clump has parts, which are solids themselves. Returns the volume.
fn check_clump(id: u32, clump: &Clump) -> Result<(&'static str, f64), BuildError> {
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    let count = clump.parts().len();
    if count == 0 || count > MOST_PARTS {
        return impossible("the number of the clump's parts", count as f64, "at least 1 and at most 1024");
    }
    for part in clump.parts() {
        if part.shape.is_wall() || matches!(part.shape, Shape::Clump(_)) {
            return impossible("the volume of a part of the clump", 0.0, "solids, none of them a clump");
        }
        let mut shortest = f64::INFINITY;
        part.shape.clone().map_lengths(|length| {
            shortest = if length > 0.0 { shortest.min(length) } else { 0.0 };
            length
        });
        if !(shortest > 0.0 && part.at.is_finite() && part.turn.is_finite()) {
            return impossible("a length or place of a part of the clump", shortest, "positive lengths, finite places");
        }
    }
    Ok(("the volume of the clump", clump.properties().volume))
}

/// Locking one rotation needs the torque that the lock supplies, which the tumbling drift does not know. With two locked, the body
/// turns about an axis that stays, with one moment of inertia.
fn check_locks(id: u32, body: &Body, inertia: DVec3) -> Result<(), BuildError> {
    let unequal = inertia.x != inertia.y || inertia.y != inertia.z;
    let locked = body.lock[3..].iter().filter(|&&locked| locked).count();
    if unequal && locked == 1 { Err(BuildError::LockedTumbling { body: id }) } else { Ok(()) }
}

/// What rounding leaves of a vector across a direction that it lies along, as a share of its length.
const ROUNDING: f64 = 1e-9;

/// Whether a vector has the length 1, but for rounding.
fn is_direction(v: DVec3) -> bool {
    (v.length() - 1.0).abs() < 1e-9
}

/// A servo needs numbers that move it; a belt runs along a flat wall.
fn check_motion(id: u32, body: &Body) -> Result<(), BuildError> {
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    match &body.motion {
        Motion::Servo(servo) if !is_direction(servo.axis) => {
            impossible("the length of the servo's axis", servo.axis.length(), "one")
        }
        Motion::Servo(servo) if !(servo.mass > 0.0 && servo.mass.is_finite()) => {
            impossible("the servo's mass", servo.mass, "a positive number")
        }
        Motion::Servo(servo) if !(servo.damping >= 0.0 && servo.damping.is_finite()) => {
            impossible("the servo's damping", servo.damping, "a number not below zero")
        }
        Motion::Servo(servo) if servo.max_speed.is_nan() || servo.max_speed <= 0.0 => {
            impossible("the servo's greatest speed", servo.max_speed, "a positive number")
        }
        Motion::Servo(servo) if !servo.force.largest().is_finite() => {
            impossible("the servo's force", servo.force.largest(), "a finite number")
        }
        Motion::Belt(velocity) => {
            let (Shape::Plane { normal } | Shape::Rectangle { normal, .. }) = body.shape else {
                return impossible("the motion of a belt", f64::NAN, "a plane or a rectangle");
            };
            let out = |velocity: &DVec3| velocity.dot(body.orientation * normal);
            // What rounding leaves of a velocity in the plane.
            let stays = |velocity: &DVec3| out(velocity).abs() <= ROUNDING * velocity.length();
            match velocity.values().iter().find(|velocity| !stays(velocity)) {
                Some(velocity) => impossible("the belt's velocity along the normal", out(velocity), "zero"),
                None => Ok(()),
            }
        }
        Motion::Prescribed(motion) => {
            let turning = motion.angular_velocity.values();
            let axis = turning.iter().find(|turning| **turning != DVec3::ZERO).copied().unwrap_or_default();
            let across = |turning: &&DVec3| turning.cross(axis).length() > ROUNDING * turning.length() * axis.length();
            let expected = "zero: a schedule keeps the axis";
            match turning.iter().find(across) {
                Some(turning) => impossible(
                    "the sine of the angle between two angular velocities",
                    turning.normalize().cross(axis.normalize()).length(),
                    expected,
                ),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn check_wall(id: u32, body: &Body) -> Result<(), BuildError> {
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    let positive = |x: f64| x > 0.0 && x.is_finite();
    if body.motion.yields() {
        // A surface has no mass of its own.
        let (mass, inertia) = body.mass_and_inertia(0.0);
        if !(positive(mass) && positive(inertia.min_element()) && inertia.is_finite()) {
            return Err(BuildError::FreeWall { body: id, kind: body.shape.kind() });
        }
        check_locks(id, body, inertia)?;
    }
    let (Shape::Plane { normal: direction }
    | Shape::Rectangle { normal: direction, .. }
    | Shape::Tube { axis: direction, .. }
    | Shape::Cone { axis: direction, .. }) = body.shape
    else {
        return Ok(());
    };
    if !(direction.length() > 0.0 && direction.is_finite()) {
        return impossible("the length of the wall's normal or axis", direction.length(), "a positive number");
    }
    match body.shape {
        Shape::Rectangle { normal, along, .. } if normal.cross(along).length() < 1e-6 => {
            impossible("the angle between normal and along", 0.0, "two directions")
        }
        Shape::Rectangle { size: [u, w], .. } if !(positive(u) && positive(w)) => {
            impossible("a side of the rectangle", u.min(w), "a positive number")
        }
        Shape::Tube { radius, length, .. } if !(positive(radius) && positive(length)) => {
            impossible("the tube's radius or length", radius.min(length), "a positive number")
        }
        Shape::Cone { radii: [r, s], length, .. }
            if !(r >= 0.0 && s >= 0.0 && length >= 0.0 && (r + length).is_finite()) =>
        {
            impossible("a radius or the length of the cone", r.min(s).min(length), "numbers not below zero")
        }
        Shape::Cone { radii: [r, s], length, .. } if !positive(r.max(s)) || (length == 0.0 && r == s) => {
            impossible("the size of the cone", r.max(s), "a surface: two radii that differ, or a length")
        }
        _ => Ok(()),
    }
}

/// A motion of a body whose record is at its centre of mass, at these poses at the start: it turns about the origin of its shape, where no
/// other point is given.
fn about_origin(motion: &Prescribed, position0: DVec3, orientation0: DQuat, centre: DVec3) -> Prescribed {
    let origin = (centre != DVec3::ZERO).then(|| position0 - orientation0 * centre);
    Prescribed { about: motion.about.or(origin), ..motion.clone() }
}

/// The packed record of a body; what is special about it goes to `specials`. Its colliders, if it needs any, are made later
/// (`Geometry::enter`).
pub(crate) fn mover_of(id: u32, body: &Body, model: &Model, specials: &mut Vec<Special>) -> Mover {
    let (mass, inertia) = body.mass_and_inertia(model.materials[body.material as usize].density);
    let inertia = body.about_free_axis(inertia);
    let moved = body.motion.yields();
    let equal = inertia.x == inertia.y && inertia.y == inertia.z;
    let is_ball = body.shape.is_sphere() && body.centre_of_mass() == DVec3::ZERO;
    let (position, orientation, centre) = (body.place(), body.orientation.normalize(), body.centre_of_mass());
    // Most bodies are plain: nothing is made for them that is not kept.
    let plain = body.motion == Motion::Free
        && body.lock == [false; 6]
        && body.force.is_zero()
        && body.torque.is_zero()
        && is_ball
        && equal;
    let free = |locks: &[bool]| {
        let free = |locked: bool| if locked { 0.0 } else { 1.0 };
        DVec3::new(free(locks[0]), free(locks[1]), free(locks[2]))
    };
    let (free, free_turn) = (free(&body.lock[..3]), free(&body.lock[3..]));
    if !plain {
        let (position0, orientation0) = match &body.motion {
            Motion::Prescribed(prescribed) => prescribed.first_pose(position, orientation),
            _ => (position, orientation),
        };
        specials.push(Special {
            motion: match &body.motion {
                Motion::Prescribed(motion) => Motion::Prescribed(about_origin(motion, position0, orientation0, centre)),
                motion => motion.clone(),
            },
            position0,
            orientation0,
            free,
            free_turn,
            force: body.force.clone(),
            torque: body.torque.clone(),
            inertia_body: (!equal).then_some(inertia),
            inertia_axes: body.principal_axes(),
            centre,
            shape: (!is_ball).then(|| body.shape.clone().with_unit_directions()),
            colliders: ColliderRange::default(),
        });
    }
    let (velocity, angular_velocity) = match &body.motion {
        Motion::Free => (body.velocity * free, body.angular_velocity * free_turn),
        Motion::Held => (DVec3::ZERO, body.angular_velocity * free_turn),
        Motion::Fixed => (DVec3::ZERO, DVec3::ZERO),
        Motion::Prescribed(prescribed) => {
            let pose = about_origin(prescribed, position, orientation, centre).pose(position, orientation, 0.0);
            (pose.velocity, pose.angular_velocity)
        }
        Motion::Belt(velocity) => (velocity.at_start(), DVec3::ZERO),
        Motion::Servo(servo) => (servo.along(body.velocity), DVec3::ZERO),
    };
    Mover {
        position,
        radius: body.reach().unwrap_or(0.0),
        velocity,
        inverse_mass: if moved { 1.0 / mass } else { 0.0 },
        angular_velocity,
        inverse_inertia: if moved { 3.0 / inertia.element_sum() } else { 0.0 },
        velocity_ahead: [0.0; 3],
        angular_velocity_ahead: [0.0; 3],
        id,
        special: if plain { 0 } else { specials.len() as u32 },
    }
}

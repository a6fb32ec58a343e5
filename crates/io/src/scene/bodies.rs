//! `[[body]]` tables: one body each, sphere or wall. Shapes are read in `shapes.rs`, motions in `motions.rs`.

use std::collections::HashMap;
use std::ops::Range;

use glam::{DQuat, DVec3};
use stickslip::body::{Body, BodyList, Motion};
use stickslip::frame::rotation;
use stickslip::shape::Shape;

use crate::input::{Item, Place, Result, Spot, Table, shown};
use crate::scene::materials::Materials;
use crate::scene::motions::read_motion;
use crate::scene::schedules::read_signal;
use crate::scene::shapes::read_shape;
use crate::scene::start::Earlier;

/// The words of `lock`, in the order of `Body::lock`.
pub(crate) const LOCKS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// All bodies of a scene, by id, and where each is described.
#[derive(Debug, Default)]
pub(crate) struct Bodies<'a> {
    /// As the engine has them.
    pub list: BodyList,
    /// Their names; bodies beyond its end have none.
    pub names: Vec<Option<String>>,
    /// Those that come over from an earlier run.
    pub came_over: Range<usize>,
    /// For each table, the id after its last body, and its place.
    origins: Vec<(usize, Place<'a>)>,
}

impl<'a> Bodies<'a> {
    /// Reads all `[[body]]` tables. One without a position may have that of a wall of an earlier run.
    pub fn read(top: &Table<'a>, materials: &Materials, earlier: Option<&Earlier<'a>>) -> Result<Self> {
        let mut bodies = Bodies::default();
        let mut taken: HashMap<&str, Place<'a>> = HashMap::new();
        for table in top.tables("body")? {
            let name = table.read("name", |item| read_name(item, &mut taken))?;
            let stood = earlier.zip(name.as_deref()).and_then(|(earlier, name)| earlier.wall(name));
            // A misspelt name of a wall of the earlier run must not put it at the origin.
            let placed = earlier.is_none() || name.is_none();
            let body = read_body(&table, materials, stood, placed).map_err(|error| match (earlier, &name) {
                (Some(earlier), Some(name)) if error.message().ends_with("the key `position` is missing") => {
                    table.error(format!("the key `position` is missing, and {}", earlier.no_wall(name)))
                }
                _ => error,
            })?;
            let place = table.place();
            table.finish()?;
            bodies.push(&body, name);
            bodies.end_table(place);
        }
        Ok(bodies)
    }

    /// Adds a body.
    pub fn push(&mut self, body: &Body, name: Option<String>) {
        if name.is_some() {
            self.names.resize(self.list.len(), None);
            self.names.push(name);
        }
        self.list.push(body);
    }

    /// Says that the bodies added since the last call come from this place.
    pub fn end_table(&mut self, place: Place<'a>) {
        self.origins.push((self.list.len(), place));
    }

    /// Where a body is described.
    pub fn place(&self, id: usize) -> Option<&Place<'a>> {
        let table = self.origins.partition_point(|(end, _)| *end <= id);
        self.origins.get(table).map(|(_, place)| place)
    }

    /// For each table, the id after its last body, and its place, to be kept.
    pub fn spots(&self) -> Vec<(usize, Spot)> {
        self.origins.iter().map(|(end, place)| (*end, place.spot())).collect()
    }

    /// A body as a message names it.
    pub fn label(&self, id: usize) -> String {
        label(&self.names, id)
    }
}

/// The same, of names by id.
pub(crate) fn label(names: &[Option<String>], id: usize) -> String {
    match names.get(id) {
        Some(Some(name)) => format!("body {id} (\"{}\")", shown(name)),
        _ => format!("body {id}"),
    }
}

/// A body as a KEY has it: its name, or its number.
pub(crate) fn label_in_key(names: &[Option<String>], id: usize) -> String {
    names.get(id).cloned().flatten().unwrap_or_else(|| id.to_string())
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

/// `stood` is where a wall of this name was in an earlier run; else a plane passes through the origin, if it is `placed`.
fn read_body(table: &Table<'_>, materials: &Materials, stood: Option<(DVec3, DQuat)>, placed: bool) -> Result<Body> {
    let material = materials.index(table.required("material")?)?;
    let shape = read_shape(table.required("shape")?)?;
    let origin = || (placed && matches!(shape, Shape::Plane { .. })).then_some((DVec3::ZERO, DQuat::IDENTITY));
    let stood = if table.optional("position").is_some() { None } else { stood.or_else(origin) };
    let position = stood.map_or_else(|| table.need("position", Item::vector), |(position, _)| Ok(position))?;
    let mut body = Body::new(shape, material, position);
    body.orientation = stood.map_or(DQuat::IDENTITY, |(_, orientation)| orientation);
    if let Some(orientation) = table.read("orientation", read_orientation)? {
        body.orientation = orientation;
    }
    body.centre = table.read("centre", |item| read_centre(item, &body.shape))?.flatten();
    body.motion = read_motion(table, &body)?;
    read_loads(table, &mut body)?;
    read_inertia(table, &mut body, materials)?;
    Ok(body)
}

/// What else moves a body whose motion is known: locks, constant loads, velocities at the start.
pub(crate) fn read_loads(table: &Table<'_>, body: &mut Body) -> Result<()> {
    body.lock = table.read("lock", read_lock)?.unwrap_or_default();
    let load = |item: Item<'_>| read_signal(item, Item::vector);
    body.force = table.read("force", load)?.unwrap_or_default();
    body.torque = table.read("torque", load)?.unwrap_or_default();
    read_velocities(table, body)?;
    refuse_idle_keys(table, body)
}

/// A quaternion, or an axis and an angle.
pub(crate) fn read_orientation(item: Item<'_>) -> Result<DQuat> {
    if item.is_table() {
        let table = item.table()?;
        let axis = table.need("axis", Item::direction)?;
        let degrees = table.need("degrees", Item::number)?;
        table.finish()?;
        // Whole turns are left out while they are exact.
        return Ok(rotation(axis * ((degrees % 720.0) * (std::f64::consts::PI / 180.0))));
    }
    if !item.is_array() {
        return Err(item.expected("a quaternion [w, x, y, z], or { axis, degrees }"));
    }
    let place = item.place();
    let [w, x, y, z] = item.numbers::<4>()?;
    let quaternion = DQuat::from_xyzw(x, y, z, w);
    // As for directions: what has length 1 to rounding keeps its bits.
    if (quaternion.length_squared() - 1.0).abs() < 1e-14 {
        return Ok(quaternion);
    }
    let largest = w.abs().max(x.abs()).max(y.abs()).max(z.abs());
    if largest > 0.0 {
        Ok(DQuat::from_xyzw(x / largest, y / largest, z / largest, w / largest).normalize())
    } else {
        Err(place.error("expected a quaternion [w, x, y, z], found one of length zero".into()))
    }
}

/// The centre of mass; one that is the shape's is none of its own.
fn read_centre(item: Item<'_>, shape: &Shape) -> Result<Option<DVec3>> {
    let place = item.place();
    let centre = item.vector()?;
    if shape.is_wall() {
        return Err(place.error(format!("a {} has no `centre`: it counts as infinitely heavy", shape.kind())));
    }
    Ok((centre != shape.centre()).then_some(centre))
}

fn read_lock(item: Item<'_>) -> Result<[bool; 6]> {
    let words = LOCKS.map(|word| (word, word));
    let mut lock = [false; 6];
    for element in item.array()? {
        let word = element.choice(&words, &[])?;
        for (locked, name) in lock.iter_mut().zip(LOCKS) {
            *locked |= name == word;
        }
    }
    Ok(lock)
}

fn read_velocities(table: &Table<'_>, body: &mut Body) -> Result<()> {
    for key in ["velocity", "angular_velocity"] {
        let Some(item) = table.optional(key) else { continue };
        let place = item.place();
        let value = item.vector()?;
        let turning = key == "angular_velocity";
        match body.motion {
            Motion::Prescribed(_) => {
                let message = format!("a body of prescribed motion takes its `{key}` inside `motion`");
                return Err(place.error(message).help(format!("motion = {{ {key} = [..], .. }}")));
            }
            Motion::Belt(_) | Motion::Servo(_) => {
                return Err(place.error(format!("a belt or a servo has no `{key}`: `motion` says how it moves")));
            }
            Motion::Fixed if value != DVec3::ZERO => {
                let message = format!("a fixed body does not move: its `{key}` must be zero");
                return Err(place.error(message).help(format!("to move it at will: motion = {{ {key} = [..] }}")));
            }
            Motion::Held if !turning && value != DVec3::ZERO => {
                return Err(place.error("the centre of a held body does not move: its `velocity` must be zero".into()));
            }
            _ => {}
        }
        let locks = if turning { &body.lock[3..] } else { &body.lock[..3] };
        if let Some(axis) = (0..3).find(|&i| locks[i] && value[i] != 0.0) {
            let word = LOCKS[axis + if turning { 3 } else { 0 }];
            return Err(place.error(format!("`lock` holds \"{word}\": the body cannot start with a motion along it")));
        }
        if turning { body.angular_velocity = value } else { body.velocity = value }
    }
    Ok(())
}

fn read_inertia(table: &Table<'_>, body: &mut Body, materials: &Materials) -> Result<()> {
    if body.shape.radius().is_none() {
        let kind = body.shape.kind();
        return match table.one_of(&["mass", "inertia"])? {
            Some((key, item)) => Err(item.error(format!("a {kind} has no `{key}`: it counts as infinitely heavy"))),
            None => Ok(()),
        };
    }
    body.mass = table.read("mass", Item::positive)?;
    body.inertia_body = table.read("inertia", |item| {
        let place = item.place();
        let moments = item.vector()?;
        if moments.min_element() <= 0.0 {
            return Err(place.error("expected three moments of inertia above zero".into()));
        }
        if moments.element_sum() < 2.0 * moments.max_element() * (1.0 - 1e-12) {
            let message = "no body has these moments of inertia: none may exceed the sum of the other two";
            return Err(place.error(message.into()));
        }
        Ok(moments)
    })?;
    check_mass(body, materials).map_err(|message| table.error(message))
}

/// Mass and inertia must be finite and above zero; a radius near the ends of what numbers can hold breaks that.
pub(crate) fn check_mass(body: &Body, materials: &Materials) -> std::result::Result<(), String> {
    let material = &materials.list[body.material as usize];
    let (mass, inertia) = body.mass_and_inertia(material.density);
    if mass == 0.0 && material.density == 0.0 {
        return Err(format!("[material.{}] has no `density`, and no `mass` is given", shown(&material.name)));
    }
    if [mass, inertia.x, inertia.y, inertia.z].iter().all(|x| x.is_finite() && *x > 0.0) {
        Ok(())
    } else {
        Err(format!("mass {mass} and inertia {} follow from its size and density: no numbers to work with", inertia.x))
    }
}

/// Keys that could do nothing are refused rather than ignored; their defaults do no harm, and a resolved scene has them all.
fn refuse_idle_keys(table: &Table<'_>, body: &Body) -> Result<()> {
    let (kind, idle): (&str, &[&'static str]) = match body.motion {
        Motion::Free => return Ok(()),
        Motion::Held => ("held", &["force"]),
        Motion::Fixed => ("fixed", &["force", "torque", "lock"]),
        Motion::Prescribed(_) => ("prescribed", &["force", "torque", "lock"]),
        Motion::Belt(_) => ("belt-like", &["force", "torque", "lock"]),
        Motion::Servo(_) => ("servo-driven", &["force", "torque", "lock"]),
    };
    for key in idle {
        let default = |item: &Item<'_>| match *key {
            "lock" => item.clone().array().is_ok_and(|locks| locks.is_empty()),
            _ => item.clone().vector().is_ok_and(|load| load == DVec3::ZERO),
        };
        if let Some(item) = table.optional(key).filter(|item| !default(item)) {
            return Err(item.error(format!("`{key}` has no effect on a {kind} body")));
        }
    }
    Ok(())
}

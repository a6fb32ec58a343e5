//! What does not change about the bodies of a run, and the table `bodies-fixed.csv` that holds it.
//!
//! Bodies that enter during the run are appended when the records are next looked at, before any row names them.
//!
//! Columns: `id,name,material,shape,radius,mass,inertia,size`. Radius, mass and inertia of a wall are empty. The inertia is
//! one number when the principal moments are equal, else three separated by spaces.

use std::io::{self, Write};

use glam::DVec3;
use stickslip::World;
use stickslip::body::BodyList;
use stickslip::inflow::Arrival;
use stickslip::joint::Joint;
use stickslip::setup::Described;
use stickslip::shape::Shape;

use super::file::csv_field;
use super::series::Extras;

/// The file's name in a run folder.
pub const FILE: &str = "bodies-fixed.csv";

/// One body, as far as it does not change.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedBody {
    /// Name in the scene; empty if it has none.
    pub name: String,
    /// Index into the names of materials.
    pub material: u16,
    /// Its surface.
    pub shape: Shape,
    /// Mass (kg); zero for a wall.
    pub mass: f64,
    /// Principal moments of inertia (kg m^2), in the body's frame.
    pub inertia_body: DVec3,
}

/// What the files of a run need to know that a world does not tell: names, materials, shapes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunInfo {
    /// The bodies by id, with the places of none.
    bodies: BodyList,
    /// Names by id; bodies beyond its end have none.
    names: Vec<Option<String>>,
    /// By material.
    densities: Vec<f64>,
    /// Names of materials by index.
    pub materials: Vec<String>,
    /// Columns of the series besides those of every run.
    pub extras: Extras,
    /// Whether contacts have the columns of parts: there are clumps.
    pub has_parts: bool,
    /// Joints by number.
    pub joints: Vec<Joint>,
}

impl RunInfo {
    /// Taken from what the world is about to be built from. `names` by id; bodies beyond its end have none.
    pub fn new(setup: &Described, names: &[Option<String>]) -> Self {
        let materials = &setup.model.materials;
        RunInfo {
            bodies: setup.bodies.without_places(),
            names: names.to_owned(),
            densities: materials.iter().map(|material| material.density).collect(),
            materials: materials.iter().map(|material| material.name.clone()).collect(),
            extras: Extras::of(&setup.model),
            has_parts: setup.bodies.has_clumps(),
            joints: setup.model.joints.clone(),
        }
    }

    /// Adds the bodies that have entered since it was made.
    pub fn catch_up(&mut self, world: &World) {
        for id in self.bodies.len() as u32..world.id_count() {
            let Some(arrival) = world.arrival(id) else { return };
            self.bodies.push(&arrival.body());
        }
    }

    /// How many bodies it knows.
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// A body by id, if it is known.
    pub fn body(&self, id: usize) -> Option<FixedBody> {
        let name = || self.names.get(id).cloned().flatten().unwrap_or_default();
        (id < self.body_count()).then(|| {
            let body = self.bodies.get(id);
            let density = self.densities.get(usize::from(body.material)).copied().unwrap_or(0.0);
            let (mass, inertia_body) = body.mass_and_inertia(density);
            FixedBody { name: name(), material: body.material, shape: body.shape, mass, inertia_body }
        })
    }

    /// All bodies that it knows.
    pub fn bodies(&self) -> impl Iterator<Item = FixedBody> + '_ {
        (0..self.body_count()).filter_map(|id| self.body(id))
    }

    /// Gives a body another name.
    #[cfg(test)]
    pub(crate) fn rename(&mut self, id: usize, name: &str) {
        let count = self.names.len().max(id + 1);
        self.names.resize(count, None);
        self.names[id] = Some(name.into());
    }
}

impl FixedBody {
    /// A body that has entered during the run.
    pub fn entered(arrival: &Arrival) -> Self {
        let Arrival { material, shape, .. } = arrival.clone();
        // Its mass is given, so no density counts.
        let (mass, inertia_body) = arrival.body().mass_and_inertia(0.0);
        FixedBody { name: String::new(), material, shape, mass, inertia_body }
    }
}

/// Writes the table of the bodies that are there at the start.
pub fn write(out: &mut impl Write, info: &RunInfo) -> io::Result<()> {
    out.write_all(b"id,name,material,shape,radius,mass,inertia,size\n")?;
    append(out, 0, info.bodies(), &info.materials)
}

/// Appends bodies that have entered, from this id on, and hands them to the operating system. `materials` are names by
/// index.
pub fn append(
    out: &mut impl Write,
    first: usize,
    bodies: impl Iterator<Item = FixedBody>,
    materials: &[String],
) -> io::Result<()> {
    // Grains that are alike have the same text after their id, which is made once.
    let mut last: Option<(FixedBody, String)> = None;
    let mut line = Vec::new();
    for (id, body) in (first..).zip(bodies) {
        if last.as_ref().is_none_or(|(before, _)| *before != body) {
            let text = row(&body, materials);
            last = Some((body, text));
        }
        line.clear();
        write!(line, "{id}")?;
        line.extend_from_slice(last.as_ref().map_or("", |(_, text)| text).as_bytes());
        out.write_all(&line)?;
    }
    out.flush()
}

/// The row of a body after its id. It says nothing of directions, so what is equal has the same text.
fn row(body: &FixedBody, materials: &[String]) -> String {
    let name = csv_field(&body.name);
    let material = materials.get(usize::from(body.material)).map_or(String::new(), |name| csv_field(name));
    let sizes = match body.shape.radius() {
        // Of an ellipsoid or a box the radius around it.
        Some(radius) => format!("{radius:?},{:?},{},{}", body.mass, inertia(body.inertia_body), size(&body.shape)),
        None => ",,,".to_owned(),
    };
    format!(",{name},{material},{},{sizes}\n", body.shape.kind())
}

/// Semi-axes of an ellipsoid, edges of a box, radius and length of a cylinder (m).
fn size(shape: &Shape) -> String {
    match shape {
        Shape::Ellipsoid { axes: size } | Shape::Box { size } => format!("{:?} {:?} {:?}", size.x, size.y, size.z),
        Shape::Cylinder { radius, length, .. } => format!("{radius:?} {length:?}"),
        _ => String::new(),
    }
}

fn inertia(moments: DVec3) -> String {
    if moments.x == moments.y && moments.y == moments.z {
        format!("{:?}", moments.x)
    } else {
        format!("{:?} {:?} {:?}", moments.x, moments.y, moments.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_per_body_in_the_order_of_ids() {
        let ball = FixedBody {
            name: "a, b".into(),
            material: 1,
            shape: Shape::Sphere { radius: 0.5 },
            mass: 2.0,
            inertia_body: DVec3::splat(0.2),
        };
        let wheel = FixedBody { name: String::new(), inertia_body: DVec3::new(0.1, 0.1, 0.2), ..ball.clone() };
        let floor = FixedBody {
            name: "floor".into(),
            material: 0,
            shape: Shape::Plane { normal: DVec3::Z },
            mass: 0.0,
            inertia_body: DVec3::ZERO,
        };
        let materials = ["wall".to_owned(), "grain".to_owned()];
        let mut table = Vec::new();
        let egg = FixedBody { shape: Shape::Ellipsoid { axes: DVec3::new(0.5, 0.25, 0.125) }, ..wheel.clone() };
        append(&mut table, 0, [ball, wheel, floor, egg].into_iter(), &materials).unwrap();
        let expected = "0,\"a, b\",grain,sphere,0.5,2.0,0.2,\n\
                        1,,grain,sphere,0.5,2.0,0.1 0.1 0.2,\n2,floor,wall,plane,,,,\n\
                        3,,grain,ellipsoid,0.5,2.0,0.1 0.1 0.2,0.5 0.25 0.125\n";
        assert_eq!(String::from_utf8(table).unwrap(), expected);
    }
}

//! A scene written out again with every default: what a run folder keeps as `scene.toml`.
//!
//! It loads to the same setup, to the bit. Laws stand in their plainest form (a restitution as its damping ratio, moduli
//! as hertz's stiffness), lists of grains inside the file. The step is written as the number it came to.

mod stage;

use std::fmt::Write;

use glam::{DMat3, DVec3};
use stickslip::body::{Body, Motion, Prescribed, Servo};
use stickslip::cell::{Cell, CellInertia, Control};
use stickslip::inflow::{Entrance, Inflow, Rate};
use stickslip::joint::Joint;
use stickslip::model::{Explicit, Integrator, Method};
use stickslip::shape::clump::{Clump, ClumpPart};
use stickslip::shape::{Shape, Sides};

use crate::checkpoint;
use crate::scene::bodies::LOCKS;
use crate::scene::grains::{Group, Made, Placement};
use crate::scene::joints::{self, JointText};
use crate::scene::laws;
use crate::scene::materials::Elastic;
use crate::scene::moulds::{loads_text, mould_text, solid_text};
use crate::scene::nonsmooth;
use crate::scene::rows::COLUMNS;
use crate::scene::schedules::signal_text;
pub(super) use stage::stage;

use crate::scene::{Domain, Every, Format, Scene, StepChoice};

/// Writes the scene. `tables` is how many bodies come from `[[body]]` tables; the others come from `groups`.
pub(crate) fn write(scene: &Scene, elastic: &[Elastic], tables: usize, groups: &[Group]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_head(&mut out, scene);
    if let Some(cell) = &scene.setup.model.cell {
        let _ = write_cell(&mut out, scene, cell);
    }
    let _ = write_materials(&mut out, scene, elastic);
    let _ = write_contacts(&mut out, scene);
    for (id, body) in scene.setup.bodies.iter().take(tables).enumerate() {
        let _ = write_body(&mut out, scene, "body", &body, scene.names.get(id).and_then(Option::as_deref));
    }
    for group in groups {
        let _ = write_group(&mut out, scene, "grains", group);
    }
    for inflow in &scene.setup.model.inflows {
        let _ = writeln!(out, "\n[[stream]]\n{}", stream_lines(scene, inflow).join("\n"));
    }
    for (joint, text) in scene.setup.model.joints.iter().zip(&scene.joints) {
        let _ = write_joint(&mut out, scene, joint, text);
    }
    let _ = write_tail(&mut out, scene);
    out
}

/// A number that reads back to the same bits.
pub(super) fn number(x: f64) -> String {
    format!("{x:?}")
}

pub(super) fn vector(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// A basic string of TOML.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key of TOML, quoted where it must be.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if bare { name.to_owned() } else { string(name) }
}

fn write_head(out: &mut String, scene: &Scene) -> std::fmt::Result {
    let model = &scene.setup.model;
    writeln!(out, "title = {}", string(&scene.title))?;
    writeln!(out, "dimension = 3\ngravity = {}\nseed = {}", signal_text(&model.gravity, vector), scene.seed)?;
    if let Some(start) = &scene.start {
        // The run keeps the checkpoint beside this file, so that its folder stands alone.
        let was = start.from.replace(char::is_control, " ");
        writeln!(out, "\n[start]\nfrom = \"{}\"  # was {was}", checkpoint::START)?;
        writeln!(out, "velocities = {}", start.velocities.text())?;
        writeln!(out, "memory = \"{}\"\nhash = \"{}\"", if start.keep_memory { "keep" } else { "drop" }, start.hash)?;
    }
    writeln!(out, "\n[time]\nend = {}", number(scene.end))?;
    // Words of the advice may name materials, and a comment is one line.
    let in_a_line = |text: &str| text.replace(char::is_control, " ");
    let origin = match (scene.step_choice, &scene.advice) {
        (StepChoice::Auto, Some(advice)) => format!("  # auto, set by {}", in_a_line(&advice.set_by)),
        (StepChoice::Auto, None) => "  # auto: nothing can touch".to_owned(),
        (StepChoice::Fraction(fraction), Some(advice)) => {
            let governed_by = in_a_line(&advice.governed_by);
            format!("  # fraction = {} of the critical step, governed by {governed_by}", number(fraction))
        }
        (StepChoice::Fraction(_), None) | (StepChoice::Given(_), _) => String::new(),
    };
    writeln!(out, "step = {}{origin}", number(model.dt))?;
    let stop = stop_lines(scene);
    if !stop.is_empty() {
        writeln!(out, "\n[time.stop]\n{}", stop.join("\n"))?;
    }
    writeln!(out, "\n[method]\n{}", method_lines(&model.method).join("\n"))
}

/// The rules that end it earlier.
fn stop_lines(scene: &Scene) -> Vec<String> {
    let stop = [
        ("kinetic_energy_per_body", scene.stop.kinetic_energy_per_body),
        ("unbalanced_force", scene.stop.unbalanced_force),
        ("pressure_error", scene.stop.pressure_error),
        ("strain", scene.stop.strain),
    ];
    stop.iter().filter_map(|(key, value)| Some(format!("{key} = {}", number((*value)?)))).collect()
}

/// The keys of `[method]`.
fn method_lines(method: &Method) -> Vec<String> {
    let (integrator, local_damping) = match method {
        Method::Explicit(Explicit { integrator, local_damping }) => (integrator, local_damping),
        Method::Nonsmooth(settings) => return nonsmooth::lines(settings),
    };
    let integrator = match integrator {
        Integrator::VelocityVerlet => "velocity-verlet",
        Integrator::SymplecticEuler => "symplectic-euler",
    };
    vec![
        "kind = \"explicit\"".to_owned(),
        format!("integrator = \"{integrator}\""),
        format!("local_damping = {}", number(*local_damping)),
    ]
}

/// The rows of a matrix.
fn rows(rows: [DVec3; 3]) -> String {
    format!("[{}]", rows.map(vector).join(", "))
}

fn write_cell(out: &mut String, scene: &Scene, cell: &Cell) -> std::fmt::Result {
    let frame = &cell.frame;
    writeln!(out, "\n[cell]")?;
    // What comes from the earlier run stands there, to the bit.
    if !scene.start.as_ref().is_some_and(|start| start.brings_cell) {
        let columns = [frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis];
        writeln!(out, "vectors = {}\ncorner = {}", rows(columns), vector(frame.corner))?;
    }
    writeln!(out, "periodic = {:?}", frame.periodic)?;
    match control_text(cell) {
        Some(control) => writeln!(out, "control = {control}"),
        None => Ok(()),
    }
}

/// What drives a cell, if something does.
fn control_text(cell: &Cell) -> Option<String> {
    let by_row = |m: DMat3| rows([m.row(0), m.row(1), m.row(2)]);
    let answers = |inertia: &CellInertia| {
        format!("damping_time = {}, energy = {}", number(inertia.damping_time), number(inertia.energy))
    };
    let control = match &cell.control {
        Control::Fixed => return None,
        Control::Pressure { target, inertia, triclinic } => {
            let text = |target: DMat3| {
                let isotropic = target == DMat3::from_diagonal(DVec3::splat(target.x_axis.x));
                if isotropic { number(target.x_axis.x) } else { by_row(target) }
            };
            let target = signal_text(target, text);
            format!("kind = \"pressure\", pressure = {target}, triclinic = {triclinic}, {}", answers(inertia))
        }
        Control::Strain { gradient } => format!("kind = \"strain\", gradient = {}", signal_text(gradient, by_row)),
        Control::MeanStress { pressure, axis, rate, inertia } => {
            let (pressure, axis, rate) =
                (signal_text(pressure, number), ["x", "y", "z"][*axis], signal_text(rate, number));
            let driven = format!("pressure = {pressure}, axis = \"{axis}\", rate = {rate}");
            format!("kind = \"mean-stress\", {driven}, {}", answers(inertia))
        }
    };
    Some(format!("{{ {control} }}"))
}

fn write_materials(out: &mut String, scene: &Scene, elastic: &[Elastic]) -> std::fmt::Result {
    for (material, elastic) in scene.setup.model.materials.iter().zip(elastic) {
        writeln!(out, "\n[material.{}]", key(&material.name))?;
        if material.density > 0.0 {
            writeln!(out, "density = {}", number(material.density))?;
        }
        let moduli = [("young", elastic.young), ("shear_modulus", elastic.shear_modulus), ("poisson", elastic.poisson)];
        for (key, value) in moduli {
            if let Some(value) = value {
                writeln!(out, "{key} = {}", number(value))?;
            }
        }
    }
    Ok(())
}

fn write_contacts(out: &mut String, scene: &Scene) -> std::fmt::Result {
    let model = &scene.setup.model;
    for (pair, laws) in model.laws.said() {
        let [first, second] = pair.map(|material| string(&model.materials[usize::from(material)].name));
        writeln!(out, "\n[[contact]]\nbetween = [{first}, {second}]")?;
        for line in laws::resolved(laws) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn write_body(out: &mut String, scene: &Scene, header: &str, body: &Body, name: Option<&str>) -> std::fmt::Result {
    writeln!(out, "\n[[{header}]]")?;
    if let Some(name) = name {
        writeln!(out, "name = {}", string(name))?;
    }
    writeln!(out, "material = {}", string(&scene.setup.model.materials[body.material as usize].name))?;
    match body.shape.clone() {
        Shape::Clump(clump) => write_clump(out, &clump)?,
        solid @ (Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Box { .. } | Shape::Cylinder { .. }) => {
            writeln!(out, "shape = {}", plain_solid_text(&solid))?;
        }
        Shape::Plane { normal } => writeln!(out, "shape = {{ kind = \"plane\", normal = {} }}", vector(normal))?,
        Shape::Rectangle { normal, along, size, sides } => {
            let (normal, along) = (vector(normal), vector(along));
            let size = format!("[{:?}, {:?}]", size[0], size[1]);
            let sides = sides_text(sides);
            writeln!(
                out,
                "shape = {{ kind = \"rectangle\", normal = {normal}, along = {along}, size = {size}, {sides} }}"
            )?;
        }
        Shape::Tube { radius, length, axis, sides } => {
            let (radius, length, axis) = (number(radius), number(length), vector(axis));
            let sides = sides_text(sides);
            writeln!(
                out,
                "shape = {{ kind = \"tube\", radius = {radius}, length = {length}, axis = {axis}, {sides} }}"
            )?;
        }
        Shape::Cone { radii, length, axis, sides } => {
            let (radii, length, axis) = (format!("[{:?}, {:?}]", radii[0], radii[1]), number(length), vector(axis));
            let sides = sides_text(sides);
            writeln!(out, "shape = {{ kind = \"cone\", radii = {radii}, length = {length}, axis = {axis}, {sides} }}")?;
        }
    }
    writeln!(out, "position = {}", vector(body.position))?;
    let q = body.orientation;
    writeln!(out, "orientation = [{:?}, {:?}, {:?}, {:?}]", q.w, q.x, q.y, q.z)?;
    if !body.shape.is_wall() {
        writeln!(out, "centre = {}", vector(body.centre_of_mass()))?;
    }
    if let Some(mass) = body.mass {
        writeln!(out, "mass = {}", number(mass))?;
    }
    if let Some(inertia) = body.inertia_body {
        writeln!(out, "inertia = {}", vector(inertia))?;
    }
    write_motion(out, body)
}

/// A solid with its lengths.
fn plain_solid_text(solid: &Shape) -> String {
    let mut lengths = Vec::new();
    solid.clone().map_lengths(|length| {
        lengths.push(number(length));
        length
    });
    solid_text(solid, &lengths)
}

fn write_clump(out: &mut String, clump: &Clump) -> std::fmt::Result {
    writeln!(out, "shape = {{ kind = \"clump\", scale = 1.0, parts = [")?;
    for ClumpPart { shape, at, turn } in clump.parts() {
        let solid = plain_solid_text(shape);
        let solid = solid.trim_end_matches(" }");
        let q = format!("[{:?}, {:?}, {:?}, {:?}]", turn.w, turn.x, turn.y, turn.z);
        writeln!(out, "  {solid}, at = {}, orientation = {q} }},", vector(*at))?;
    }
    writeln!(out, "] }}")
}

fn write_motion(out: &mut String, body: &Body) -> std::fmt::Result {
    writeln!(out, "motion = {}", motion_text(&body.motion))?;
    if !body.motion.yields() {
        return Ok(());
    }
    if body.motion == Motion::Free {
        writeln!(out, "velocity = {}\nforce = {}", vector(body.velocity), signal_text(&body.force, vector))?;
    }
    let torque = signal_text(&body.torque, vector);
    writeln!(out, "angular_velocity = {}\ntorque = {torque}", vector(body.angular_velocity))?;
    writeln!(out, "lock = {}", locks(body))
}

fn motion_text(motion: &Motion) -> String {
    match motion {
        Motion::Fixed => "\"fixed\"".to_owned(),
        Motion::Held => "\"held\"".to_owned(),
        Motion::Free => "\"free\"".to_owned(),
        Motion::Prescribed(prescribed) => prescribed_text(prescribed),
        Motion::Belt(velocity) => format!("{{ belt = {} }}", signal_text(velocity, vector)),
        Motion::Servo(servo) => format!("{{ servo = {} }}", servo_text(servo)),
    }
}

/// The value of `lock`.
pub(super) fn locks(body: &Body) -> String {
    let locked = LOCKS.iter().zip(body.lock).filter(|(_, locked)| *locked);
    let locked: Vec<String> = locked.map(|(word, _)| format!("\"{word}\"")).collect();
    format!("[{}]", locked.join(", "))
}

fn sides_text(sides: Sides) -> String {
    format!("sides = \"{}\"", if sides == Sides::Front { "front" } else { "both" })
}

fn servo_text(servo: &Servo) -> String {
    let (axis, force) = (vector(servo.axis), signal_text(&servo.force, number));
    let (mass, damping) = (number(servo.mass), number(servo.damping));
    // Without a limit the key is absent: TOML's infinity is not a speed.
    let limit = servo.max_speed.is_finite().then(|| format!(", max_speed = {}", number(servo.max_speed)));
    format!("{{ axis = {axis}, force = {force}, mass = {mass}, damping = {damping}{} }}", limit.unwrap_or_default())
}

fn prescribed_text(motion: &Prescribed) -> String {
    let mut text = format!(
        "{{ velocity = {}, angular_velocity = {}",
        signal_text(&motion.velocity, vector),
        signal_text(&motion.angular_velocity, vector)
    );
    if let Some(about) = motion.about {
        let _ = write!(text, ", about = {}", vector(about));
    }
    if let Some(o) = motion.oscillate {
        let (axis, amplitude, frequency, phase) =
            (vector(o.axis), number(o.amplitude), number(o.frequency), number(o.phase));
        let _ = write!(
            text,
            ", oscillate = {{ axis = {axis}, amplitude = {amplitude}, frequency = {frequency}, phase = {phase} }}"
        );
    }
    text + " }"
}

fn write_group(out: &mut String, scene: &Scene, header: &str, group: &Group) -> std::fmt::Result {
    let name = |material: u16| string(&scene.setup.model.materials[usize::from(material)].name);
    writeln!(out, "\n[[{header}]]\ncount = {}", group.count)?;
    if let Made::Of(material) = group.material {
        writeln!(out, "material = {}", name(material))?;
    }
    out.push_str(&group.mould.as_ref().map_or_else(String::new, mould_text));
    writeln!(out, "mass = \"{}\"", if group.mass_by_radius { "radius" } else { "density" })?;
    let motion = &group.shared.motion;
    if *motion != Motion::Free {
        writeln!(out, "motion = {}", motion_text(motion))?;
    }
    out.push_str(&loads_text(&group.shared));
    for (key, value) in [("velocity", group.velocity), ("angular_velocity", group.angular_velocity)] {
        // What something drives has no velocities of its own.
        if let Some(value) = value.filter(|_| motion.yields()) {
            writeln!(out, "{key} = {}", vector(value))?;
        }
    }
    match &group.placement {
        Placement::Random { bounds: None } => writeln!(out, "place = {{ kind = \"random\" }}"),
        Placement::Random { bounds: Some((from, to)) } => {
            writeln!(out, "place = {{ kind = \"random\", from = {}, to = {} }}", vector(*from), vector(*to))
        }
        Placement::Lattice { from, to, spacing, jitter } => {
            let to = to.map_or_else(String::new, |to| format!(", to = {}", vector(to)));
            let (from, spacing, jitter) = (vector(*from), number(*spacing), number(*jitter));
            let lattice = format!("kind = \"lattice\", from = {from}{to}, spacing = {spacing}, jitter = {jitter}");
            writeln!(out, "place = {{ {lattice} }}")
        }
        Placement::List(list) => {
            let columns: Vec<String> = list.columns.iter().map(|c| format!("\"{}\"", COLUMNS[*c])).collect();
            writeln!(out, "[{header}.place]\nkind = \"table\"\ncolumns = [{}]", columns.join(", "))?;
            if let Made::ByType(types) = &group.material {
                let types = types.iter().map(|(kind, material)| format!("{kind} = {}", name(*material)));
                writeln!(out, "types = {{ {} }}", types.collect::<Vec<_>>().join(", "))?;
            }
            writeln!(out, "rows = '''\n{}'''", list.text)
        }
    }
}

/// The keys of a stream.
fn stream_lines(scene: &Scene, stream: &Inflow) -> Vec<String> {
    let material = &scene.setup.model.materials[usize::from(stream.material())].name;
    let rate = signal_text(stream.rate.signal(), number);
    let rate = if matches!(stream.rate, Rate::Mass(_)) { format!("{{ mass = {rate} }}") } else { rate };
    let mut lines = vec![format!("material = {}", string(material))];
    lines.extend(mould_text(&stream.mould).lines().map(str::to_owned));
    lines.push(format!("mass = \"{}\"", if stream.mass_by_radius { "radius" } else { "density" }));
    lines.push(format!("rate = {rate}"));
    lines.push(format!("count = {}", stream.count));
    lines.push(format!("start = {}", number(stream.start)));
    match stream.entrance {
        Entrance::Box { from, to } => {
            lines.extend([format!("from = {}", vector(from)), format!("to = {}", vector(to))])
        }
        Entrance::Sites(sites) => {
            let last = DVec3::from_array(sites.counts.map(|count| f64::from(count - 1)));
            let (from, to) = (vector(sites.from), vector(sites.from + last * sites.spacing));
            let (spacing, jitter) = (number(sites.spacing), number(sites.jitter));
            let lattice = format!("from = {from}, to = {to}, spacing = {spacing}, jitter = {jitter}");
            lines.push(format!("place = {{ kind = \"lattice\", {lattice} }}"));
        }
    }
    lines.extend(loads_text(&stream.body).lines().map(str::to_owned));
    lines.push(format!("velocity = {}", vector(stream.body.velocity)));
    lines.push(format!("angular_velocity = {}", vector(stream.body.angular_velocity)));
    lines
}

/// A domain as a table in a line.
fn domain_lines(domain: &Domain) -> [String; 3] {
    let (from, to, leaving) = (vector(domain.from), vector(domain.to), domain.leaving.word());
    [format!("from = {from}"), format!("to = {to}"), format!("leaving = \"{leaving}\"")]
}

fn every_text(every: Every) -> String {
    match every {
        Every::Time(time) => number(time),
        Every::Step => "\"step\"".to_owned(),
    }
}

fn write_joint(out: &mut String, scene: &Scene, joint: &Joint, text: &JointText) -> std::fmt::Result {
    let name = |id: u32| string(scene.names.get(id as usize).and_then(Option::as_deref).unwrap_or_default());
    writeln!(out, "\n[[joint]]")?;
    if let Some(name) = &joint.name {
        writeln!(out, "name = {}", string(name))?;
    }
    writeln!(out, "{}", joints::lines(joint, text, name).join("\n"))
}

fn write_tail(out: &mut String, scene: &Scene) -> std::fmt::Result {
    if let Some(domain) = &scene.domain {
        writeln!(out, "\n[domain]\n{}", domain_lines(domain).join("\n"))?;
    }
    for record in &scene.records {
        writeln!(out, "\n[[record]]\nwhat = \"{}\"", record.what.word())?;
        writeln!(out, "every = {}", every_text(record.every))?;
        writeln!(out, "format = \"{}\"\nname = {}", record.format.word(), string(&record.name))?;
        if record.format == Format::Vtk {
            writeln!(out, "contacts = {}", record.contacts)?;
        }
    }
    Ok(())
}

//! `stickslip schema`: the JSON schema (draft 2020-12) of a scene file, for editors and for programs that write scenes.
//!
//! Written by hand beside the readers of this folder, in their order; tests hold the two together: scenes that load are
//! valid, and a wrong type, an unknown or missing key or a wrong word is not. Laws come from the engine's list
//! (`schema/laws.rs`). Does not say: what needs two tables at once (names of materials, overlaps, who meets whom), what
//! compares two numbers (`from` below `to`, kinetic below static), what stands in other files.

pub(super) mod build;
mod joints;
mod laws;
mod records;

use serde_json::{Map, Value, json};
use stickslip::shape::clump::MOST_PARTS;

use crate::scene::bodies::LOCKS;
use crate::scene::laws::{NONE, Takes};
use crate::scene::moulds::BY;
use crate::scene::nonsmooth;
use crate::scene::rows::COLUMNS;
use build::{
    also, array, boolean, exclusive, list, non_negative, number, object, one_of, or, positive, said, schedule,
    scheduled, text, vector, whole, word, words,
};

/// The schema as a JSON value.
pub fn schema() -> Value {
    let mut schema = object(vec![
        ("title", said(or(text(), ""), "What the scene is about.")),
        ("dimension", said(or(json!({"const": 3}), 3), "3 is the only value today.")),
        ("gravity", said(or(scheduled(vector()), vec![0.0; 3]), "Acceleration of gravity [m/s^2].")),
        ("seed", said(or(whole(0), 1), "What random places and radii are drawn from.")),
        ("start", start()),
        ("!time", time()),
        ("method", method()),
        ("cell", cell()),
        ("!material", materials()),
        ("contact", said(list(contact()), "Which laws act between which materials.")),
        ("body", said(list(body()), "One body each.")),
        ("grains", said(list(grains()), "Many bodies at the start.")),
        ("stream", said(list(stream()), "Bodies that arrive during the run.")),
        ("joint", said(list(joints::joint()), "What ties bodies to each other or to the ground (nonsmooth).")),
        ("domain", domain()),
        ("record", said(list(records::record()), "What the run writes.")),
        ("stage", said(list(stage()), "What continues where the scene, or the stage before, ended.")),
    ]);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("stickslip scene");
    schema["description"] = json!("A scene of stickslip. Any consistent units; the descriptions say SI.");
    let bodies = ["body", "grains", "stream", "start"].map(|key| json!({"required": [key]}));
    schema["anyOf"] = json!(bodies);
    // After another run a wall may stand where one of its name stood there.
    let plane = json!({"properties": {"shape": {"properties": {"kind": {"const": "plane"}}}}});
    let placed = json!({"properties": {"body": {"items": {"if": plane, "else": {"required": ["position"]}}}}});
    // Only a cell can be filled without a box, and only another run or a LAMMPS file has a cell without vectors.
    let boxed = json!({"if": {"properties": {"kind": {"const": "random"}}}, "then": {"required": ["from", "to"]}});
    let boxed = json!({"properties": {"grains": {"items": {"properties": {"place": boxed}}}}});
    let cells = json!({"anyOf": [{"required": ["cell"]}, {"required": ["start"]}]});
    let sized = json!({"anyOf": [{"required": ["vectors"]}, {"required": ["volume_fraction"]}]});
    let from_lammps =
        json!({"properties": {"place": {"properties": {"kind": {"const": "lammps"}}, "required": ["kind"]}}});
    let from_lammps = json!({"required": ["grains"], "properties": {"grains": {"contains": from_lammps}}});
    let sized = json!({"if": from_lammps, "else": {"properties": {"cell": sized}}});
    also(
        &mut schema,
        [
            json!({"if": {"required": ["start"]}, "else": {"allOf": [placed, sized]}}),
            json!({"if": cells, "else": boxed}),
        ],
    );
    let mut definitions: Map<String, Value> = laws::definitions().into_iter().collect();
    definitions.insert("coefficient".to_owned(), coefficient());
    schema["$defs"] = Value::Object(definitions);
    schema
}

/// The schema as text, a line for each key.
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

/// `mu` or `length`.
fn coefficient() -> Value {
    let both = object(vec![
        ("!static", said(non_negative(), "While the contact sticks.")),
        ("!kinetic", said(non_negative(), "Once it slips; at most the static value.")),
    ]);
    one_of(vec![non_negative(), both])
}

fn start() -> Value {
    let table = object(vec![
        ("!from", said(text(), "Folder of the run, or a checkpoint file, to go on from.")),
        ("velocities", velocities()),
        ("memory", said(or(words(&["keep", "drop"]), "keep"), "Whether contacts remember.")),
        ("hash", said(text(), "Hash of the checkpoint; written into the resolved scene.")),
    ]);
    said(table, "Go on from another run's end: bodies and contact memory come from there.")
}

fn velocities() -> Value {
    let random = object(vec![("!random", said(positive(), "Root mean square of the speed [m/s]."))]);
    said(or(one_of(vec![words(&["keep", "zero"]), random]), "keep"), "What becomes of velocities.")
}

fn stage() -> Value {
    object(vec![
        ("!name", said(text(), "Its name, of which there is one: of its checkpoint, and in stage[NAME].KEY.")),
        ("!time", time()),
        ("velocities", velocities()),
        ("memory", said(or(words(&["keep", "drop"]), "keep"), "Whether contacts remember.")),
        ("remove", said(list(text()), "Names of bodies that are taken out.")),
        ("body", said(list(body()), "Bodies that come in.")),
        ("grains", said(list(grains()), "Grains that come in.")),
        ("stream", said(list(stream()), "Streams that start.")),
        ("set", said(json!({"type": "object"}), "Values by the KEYs of `sweep`, as \"contact[*].slide.mu\".")),
    ])
}

fn time() -> Value {
    let stop = object(vec![
        ("kinetic_energy_per_body", said(positive(), "Translational kinetic energy per body at or below this [J].")),
        ("unbalanced_force", said(positive(), "Mean net force over mean normal force at or below this.")),
        (
            "pressure_error",
            said(positive(), "Distance of the stress from the cell's target, over it, at or below this."),
        ),
        ("strain", said(positive(), "Largest component of the cell's strain at or above this.")),
    ]);
    let fraction = json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1});
    let of_critical = object(vec![("!fraction", said(fraction, "Fraction of the critical step."))]);
    let step = one_of(vec![positive(), word("auto"), of_critical]);
    let table = object(vec![
        ("!end", said(non_negative(), "Simulated time at the end [s].")),
        ("step", said(or(step, "auto"), "Step [s], a fraction of the critical step, or \"auto\".")),
        ("stop", said(stop, "Ends the run earlier, when all that are given hold.")),
    ]);
    said(table, "How long, and in which steps.")
}

fn method() -> Value {
    let integrators = or(words(&["velocity-verlet", "symplectic-euler"]), "velocity-verlet");
    let fraction = or(json!({"type": "number", "minimum": 0, "exclusiveMaximum": 1}), 0.0);
    let table = object(vec![
        ("kind", said(or(word("explicit"), "explicit"), "Soft contacts, springs with memory, small steps.")),
        ("integrator", said(integrators, "How positions and velocities advance.")),
        ("local_damping", said(fraction, "Fraction of the unbalanced force taken against the velocity.")),
    ]);
    said(one_of(vec![table, nonsmooth::schema()]), "How the motion is computed.")
}

/// Three rows of three numbers.
fn matrix() -> Value {
    array(vector(), 3)
}

fn cell() -> Value {
    let kind = |name| ("!kind", word(name));
    let answers = || {
        [
            (
                "damping_time",
                said(positive(), "How slowly the cell answers [s]; 2.25 sqrt(m/k) of a mean grain if absent."),
            ),
            ("energy", said(positive(), "Sets its inertia [J]; k (2R)^2 of a mean grain if absent.")),
        ]
    };
    let pressure = one_of(vec![positive(), matrix()]);
    let mut by_pressure = vec![
        kind("pressure"),
        (
            "!pressure",
            said(scheduled(pressure), "Target [Pa], or the rows of a symmetric tensor; positive in compression."),
        ),
        ("triclinic", said(or(boolean(), true), "Whether angles may change, too.")),
    ];
    by_pressure.extend(answers());
    let mut by_mean = vec![
        kind("mean-stress"),
        ("!pressure", said(scheduled(positive()), "The mean stress to keep [Pa].")),
        ("!axis", said(words(&["x", "y", "z"]), "Along which the strain is given.")),
        ("!rate", said(scheduled(number()), "Hencky rate along it [1/s]; negative in compression.")),
    ];
    by_mean.extend(answers());
    let control = one_of(vec![
        object(by_pressure),
        object(vec![
            kind("strain"),
            ("!gradient", said(scheduled(matrix()), "Velocity gradient [1/s]: d v_i/d x_j in row i, column j.")),
        ]),
        object(by_mean),
    ]);
    let fraction = json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.74});
    let table = object(vec![
        ("vectors", said(matrix(), "The three cell vectors [m], right-handed; the box of a LAMMPS file if absent.")),
        ("volume_fraction", said(fraction, "Instead: a cube that the spheres fill to this share.")),
        ("corner", said(or(vector(), vec![0.0; 3]), "The point that the vectors start from [m].")),
        ("periodic", said(or(array(boolean(), 3), vec![true; 3]), "Along which vectors it repeats.")),
        ("control", said(control, "What drives the cell; it is fixed if absent.")),
    ]);
    said(exclusive(table, &["vectors", "volume_fraction"]), "A box that repeats in space.")
}

fn materials() -> Value {
    let material = object(vec![
        ("density", said(positive(), "[kg/m^3]; not needed by walls, nor by bodies with a mass.")),
        ("young", said(positive(), "Young's modulus [Pa], for hertz.")),
        ("shear_modulus", said(positive(), "Shear modulus [Pa], instead of young.")),
        ("poisson", said(Takes::Poisson.schema(), "Poisson's ratio, for hertz.")),
    ]);
    let material = exclusive(material, &["young", "shear_modulus"]);
    said(json!({"type": "object", "additionalProperties": material, "minProperties": 1}), "Materials by name.")
}

fn contact() -> Value {
    let mut table = object(vec![
        (
            "!between",
            said(
                array(text(), 2),
                "Names of two materials, in any order; \"*\" is any material. The most exact table counts.",
            ),
        ),
        ("!normal", said(laws::normal(), "The force along the normal.")),
        ("slide", said(laws::of_key("slide"), "What resists sliding; free if absent.")),
        ("roll", said(laws::of_key("roll"), "What resists rolling; free if absent.")),
        ("spin", said(laws::of_key("spin"), "What resists spinning; free if absent.")),
        ("friction", said(laws::of_key("friction"), "What resists all three at once, in place of laws for each.")),
    ]);
    for motion in ["slide", "roll", "spin"] {
        table = exclusive(table, &["friction", motion]);
    }
    // A pair that does not touch has no other law.
    table["if"] = json!({"properties": {"normal": word(NONE)}});
    table["then"] = json!({"properties": {"slide": false, "roll": false, "spin": false, "friction": false}});
    table
}

/// The material of a body, and its velocities at the start.
fn material() -> Value {
    said(text(), "Name of a material.")
}

fn velocity() -> Value {
    said(or(vector(), vec![0.0; 3]), "Velocity at the start [m/s].")
}

fn angular_velocity() -> Value {
    said(or(vector(), vec![0.0; 3]), "Angular velocity at the start [rad/s], world axes.")
}

fn lock() -> Value {
    said(or(list(words(&LOCKS)), Vec::<Value>::new()), "Velocities kept at zero.")
}

fn force() -> Value {
    said(or(scheduled(vector()), vec![0.0; 3]), "Acts always [N].")
}

fn torque() -> Value {
    said(or(scheduled(vector()), vec![0.0; 3]), "Acts always [N m].")
}

/// A quaternion, or an axis and an angle.
fn orientation() -> Value {
    let turn = object(vec![
        ("!axis", said(vector(), "Direction; any length.")),
        ("!degrees", said(number(), "Angle about it, right-handed.")),
    ]);
    one_of(vec![array(number(), 4), turn])
}

fn body() -> Value {
    object(vec![
        ("name", said(json!({"type": "string", "minLength": 1}), "Unique.")),
        ("!material", material()),
        ("!shape", said(shape(), "Its surface.")),
        (
            "position",
            said(
                vector(),
                "Centre of a sphere, a point of a plane (the origin if absent), middle of another wall [m].",
            ),
        ),
        ("velocity", velocity()),
        ("angular_velocity", angular_velocity()),
        (
            "orientation",
            said(or(orientation(), vec![1.0, 0.0, 0.0, 0.0]), "Quaternion w, x, y, z, or an axis and an angle."),
        ),
        ("motion", said(motion(), "\"free\" for a sphere, \"fixed\" for a wall, if absent.")),
        ("centre", said(vector(), "Centre of mass in the body's frame, instead of the shape's [m].")),
        ("mass", said(positive(), "Instead of density times volume [kg]; the inertia scales with it.")),
        ("inertia", said(array(positive(), 3), "Principal moments of inertia [kg m^2].")),
        ("lock", lock()),
        ("force", force()),
        ("torque", torque()),
    ])
}

/// The solids, whose lengths are such.
fn solids(length: impl Fn() -> Value) -> Vec<Value> {
    let kind = |name| ("!kind", word(name));
    vec![
        object(vec![kind("sphere"), ("!radius", said(length(), "[m]."))]),
        object(vec![
            kind("ellipsoid"),
            ("!axes", said(array(length(), 3), "Semi-axes along x, y and z of the body [m].")),
        ]),
        object(vec![kind("box"), ("!size", said(array(length(), 3), "Edges along x, y and z of the body [m]."))]),
        object(vec![
            kind("cylinder"),
            ("!radius", said(length(), "[m].")),
            ("!length", said(length(), "Along the axis [m].")),
            ("axis", said(or(vector(), vec![0.0, 0.0, 1.0]), "Direction of the axis; any length.")),
        ]),
    ]
}

/// A clump: solids, each with its place in the body's frame.
fn clump() -> Value {
    let part = |mut solid: Value| {
        let at = said(or(vector(), vec![0.0; 3]), "Centre of the part in the body's frame [m].");
        let turn = said(or(orientation(), vec![1.0, 0.0, 0.0, 0.0]), "Of the part in the body's frame.");
        if let Some(keys) = solid["properties"].as_object_mut() {
            keys.insert("at".into(), at);
            keys.insert("orientation".into(), turn);
        }
        solid
    };
    let parts = json!({"type": "array", "minItems": 1, "maxItems": MOST_PARTS,
        "items": one_of(solids(positive).into_iter().map(part).collect())});
    object(vec![
        ("!kind", word("clump")),
        ("!parts", said(parts, "Solids that make one rigid body.")),
        ("scale", said(or(positive(), 1.0), "Multiplies all lengths.")),
    ])
}

fn shape() -> Value {
    let sides = || said(or(words(&["both", "front"]), "both"), "Which sides of the wall bodies meet.");
    let axis = || said(vector(), "Direction of the axis; any length.");
    let kind = |name| ("!kind", word(name));
    let mut shapes = solids(positive);
    shapes.extend([
        clump(),
        object(vec![kind("plane"), ("!normal", said(vector(), "Out of the solid side; any length."))]),
        object(vec![
            kind("rectangle"),
            ("!normal", said(vector(), "Out of the front; any length.")),
            ("!size", said(array(positive(), 2), "Along `along`, and across [m].")),
            ("along", said(vector(), "Direction of the first side, within the rectangle.")),
            ("sides", sides()),
        ]),
        object(vec![
            kind("tube"),
            ("!radius", said(positive(), "[m].")),
            ("!length", said(positive(), "Along the axis [m].")),
            ("!axis", axis()),
            ("sides", sides()),
        ]),
        object(vec![
            kind("cone"),
            ("!radii", said(array(non_negative(), 2), "At the two ends, along the axis; they differ [m].")),
            ("!length", said(non_negative(), "Along the axis [m]; 0 is a flat ring.")),
            ("!axis", axis()),
            ("sides", sides()),
        ]),
    ]);
    one_of(shapes)
}

fn motion() -> Value {
    let oscillate = object(vec![
        ("!axis", said(vector(), "Direction; any length.")),
        ("!amplitude", said(number(), "[m].")),
        ("!frequency", said(non_negative(), "[1/s].")),
        ("phase", said(or(number(), 0.0), "[rad].")),
    ]);
    let servo = object(vec![
        ("!axis", said(vector(), "Direction in which the force is kept; any length.")),
        ("!force", said(scheduled(number()), "Force to keep [N].")),
        ("mass", said(positive(), "Mass of the body [kg]; that of all bodies that loads move, if absent.")),
        ("max_speed", said(positive(), "[m/s]; no limit if absent.")),
        ("damping", said(or(non_negative(), 0.0), "Damping of the body's motion [kg/s].")),
    ]);
    let prescribed = object(vec![
        ("velocity", said(or(scheduled(vector()), vec![0.0; 3]), "[m/s].")),
        ("angular_velocity", said(or(scheduled(vector()), vec![0.0; 3]), "[rad/s]; a schedule keeps the axis.")),
        ("about", said(vector(), "Point turned about [m]; its own position if absent.")),
        ("oscillate", said(oscillate, "axis A (sin(2 pi f t + phase) - sin(phase)) besides.")),
    ]);
    one_of(vec![
        words(&["free", "fixed", "held"]),
        prescribed,
        object(vec![("!servo", said(servo, "Moves along an axis so that a force is kept."))]),
        object(vec![("!belt", said(scheduled(vector()), "Velocity of a flat surface that stays where it is [m/s]."))]),
    ])
}

/// Uniform between two lengths.
fn range() -> Value {
    object(vec![("!min", said(positive(), "Least.")), ("!max", said(positive(), "Largest."))])
}

/// One size for all, uniform between two, or by a curve.
fn sizes() -> Value {
    let share = json!({"type": "number", "minimum": 0, "maximum": 1});
    let words: Vec<&str> = BY.iter().map(|(word, _)| *word).collect();
    let curve = object(vec![
        ("!sizes", said(at_least_two(positive()), "From the smallest to the largest.")),
        ("!passing", said(at_least_two(share), "The share below each size: from 0 to 1, linear in between.")),
        ("!by", said(self::words(&words), "What the shares count.")),
    ]);
    one_of(vec![positive(), range(), curve])
}

fn at_least_two(items: Value) -> Value {
    json!({"type": "array", "items": items, "minItems": 2})
}

/// What says of which shapes the bodies of a table are, and what they share; `motion` of those at the start.
fn shapes_and_loads() -> Vec<(&'static str, Value)> {
    let length = || one_of(vec![positive(), range()]);
    let turn = one_of(vec![array(number(), 4), orientation()["oneOf"][1].clone(), word("random")]);
    vec![
        ("radius", said(sizes(), "Radius of spheres [m]: a number, { min, max } drawn for each, or a size curve.")),
        ("shape", said(one_of(solids(length)), "A solid in place of `radius`; its lengths may be { min, max }.")),
        ("scale", said(or(sizes(), 1.0), "Multiplies the lengths of `shape`, drawn for each body.")),
        ("orientation", said(or(turn, vec![1.0, 0.0, 0.0, 0.0]), "Of all, or drawn for each.")),
        ("mass", mass()),
        ("velocity", velocity()),
        ("angular_velocity", angular_velocity()),
        ("lock", lock()),
        ("force", force()),
        ("torque", torque()),
    ]
}

/// At most one of `radius` and `shape`, and `scale` beside a shape only.
fn with_one_shape(table: Value) -> Value {
    let mut table = exclusive(table, &["radius", "shape"]);
    also(&mut table, [json!({"if": {"required": ["scale"]}, "then": {"required": ["shape"]}})]);
    table
}

fn mass() -> Value {
    let masses = or(words(&["density", "radius"]), "density");
    said(masses, "By density, or in proportion to the radius with the mean mass kept.")
}

fn grains() -> Value {
    let mut keys = vec![
        ("material", material()),
        ("count", said(whole(1), "How many; of a list and of a lattice with `to` all, if absent.")),
        ("!place", said(place(), "Where.")),
        ("motion", said(motion(), "\"free\" if absent.")),
    ];
    keys.extend(shapes_and_loads());
    let mut table = with_one_shape(object(keys));
    let sized = || json!({"anyOf": [{"required": ["radius"]}, {"required": ["shape"]}]});
    let placed = |kind: &str| json!({"properties": {"place": {"properties": {"kind": {"const": kind}}}}});
    also(
        &mut table,
        [
            json!({"if": placed("random"), "then": {"required": ["count"], "allOf": [sized()]}}),
            json!({"if": placed("lattice"), "then": sized()}),
            // One material for all, or one for each type.
            json!({"if": {"properties": {"place": {"required": ["types"]}}},
                   "then": {"not": {"required": ["material"]}}, "else": {"required": ["material"]}}),
        ],
    );
    table
}

fn place() -> Value {
    let kind = |name| ("!kind", word(name));
    let columns = || said(list(words(&COLUMNS)), "What the columns hold; a first row may name them instead.");
    let types = || {
        let types = json!({"type": "object", "propertyNames": {"pattern": "^(0|[1-9][0-9]*)$"},
                           "additionalProperties": text(), "minProperties": 1});
        said(types, "Materials by the column `type`, in place of `material`.")
    };
    let from = || said(vector(), "Lower corner of the box of centres [m].");
    let to = || said(vector(), "Upper corner of the box of centres [m].");
    one_of(vec![
        object(vec![kind("random"), ("from", from()), ("to", to())]),
        object(vec![
            kind("lattice"),
            ("!from", from()),
            ("to", to()),
            ("spacing", said(positive(), "[m]; the largest diameter if absent.")),
            ("jitter", said(or(non_negative(), 0.0), "Largest shift of each coordinate [m].")),
        ]),
        object(vec![
            kind("file"),
            ("!file", said(text(), "CSV file beside the scene.")),
            ("columns", columns()),
            ("types", types()),
        ]),
        object(vec![
            kind("table"),
            ("!rows", said(text(), "Rows as in a CSV file.")),
            ("columns", columns()),
            ("types", types()),
        ]),
        object(vec![
            kind("lammps"),
            ("!file", said(text(), "LAMMPS text dump or data file beside the scene.")),
            ("timestep", said(whole(0), "Of a dump; the last if absent.")),
            ("types", types()),
        ]),
    ])
}

fn stream() -> Value {
    // In a schedule zero is a pause.
    let speed = || one_of(vec![positive(), schedule(non_negative())]);
    let by_mass = object(vec![("!mass", said(speed(), "[kg/s]."))]);
    let (from, to) = ("Lower corner of the box of centres [m].", "Upper corner of the box of centres [m].");
    let kind = |name| ("!kind", word(name));
    let place = one_of(vec![
        object(vec![kind("random"), ("!from", said(vector(), from)), ("!to", said(vector(), to))]),
        object(vec![
            kind("lattice"),
            ("!from", said(vector(), "First site [m].")),
            ("!to", said(vector(), "No site lies beyond [m].")),
            ("spacing", said(positive(), "[m]; the largest diameter if absent.")),
            ("jitter", said(or(non_negative(), 0.0), "Largest shift of each coordinate [m].")),
        ]),
    ]);
    let mut keys = vec![
        ("!material", material()),
        (
            "!rate",
            said(
                one_of(vec![positive(), schedule(non_negative()), by_mass]),
                "Bodies per second [1/s], or { mass } [kg/s].",
            ),
        ),
        ("count", said(whole(1), "How many in all; may be absent beside `stop`.")),
        ("stop", said(positive(), "No body is due at this time or later [s].")),
        ("from", said(vector(), from)),
        ("to", said(vector(), to)),
        ("place", said(place, "In place of `from` and `to`: a box, or sites in random order.")),
        ("start", said(or(non_negative(), 0.0), "Time of the first [s].")),
    ];
    keys.extend(shapes_and_loads());
    let mut table = with_one_shape(object(keys));
    let either = |one: Value, other: Value| json!({"anyOf": [{"required": one}, {"required": other}]});
    also(
        &mut table,
        [
            either(json!(["radius"]), json!(["shape"])),
            either(json!(["count"]), json!(["stop"])),
            either(json!(["place"]), json!(["from", "to"])),
        ],
    );
    exclusive(exclusive(table, &["place", "from"]), &["place", "to"])
}

fn domain() -> Value {
    let leaving = said(or(words(&["stop", "remove"]), "stop"), "What happens when a sphere's centre leaves the box.");
    let table = object(vec![
        ("!from", said(vector(), "Lower corner [m].")),
        ("!to", said(vector(), "Upper corner [m].")),
        ("leaving", leaving),
    ]);
    said(table, "A box that bodies must not leave.")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every reference leads somewhere.
    fn check_references(value: &Value, whole: &Value) {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(reference)) = map.get("$ref") {
                    assert!(whole.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
                }
                map.values().for_each(|value| check_references(value, whole));
            }
            Value::Array(array) => array.iter().for_each(|value| check_references(value, whole)),
            _ => {}
        }
    }

    #[test]
    fn references_lead_somewhere_and_the_text_is_json() {
        let schema = schema();
        check_references(&schema, &schema);
        assert_eq!(serde_json::from_str::<Value>(&schema_text()).unwrap(), schema);
    }

    #[test]
    fn laws_have_their_parameters_with_units_and_defaults() {
        let schema = schema();
        let slide = &schema["$defs"]["slide-spring-slider"];
        assert_eq!(slide["required"], json!(["law", "mu"]));
        assert_eq!(slide["properties"]["slip"]["enum"], json!(["series", "lammps"]));
        assert_eq!(slide["properties"]["slip"]["default"], "series");
        assert_eq!(slide["properties"]["stiffness_ratio"]["minimum"], 0);
        let stiffness = slide["properties"]["stiffness"]["description"].as_str().unwrap();
        assert!(stiffness.contains("[N/m]"), "{stiffness}");
        assert_eq!(schema["$defs"]["roll-epsd"]["properties"]["damping_ratio"]["default"], 0.3);
    }
}

//! The laws of a `[[contact]]` table in the schema: made from `stickslip::law::LAWS`, so that no parameter is described
//! twice.
//!
//! What the list says only in words stands here: which numbers must be positive, and which keys exclude each other.

use serde_json::{Value, json};
use stickslip::law::{LAWS, LawInfo, ParameterInfo};

use super::build::{
    also, boolean, defined, exactly_one, exclusive, non_negative, number, object, one_of, or, positive, said, word,
    words,
};

/// Keys of a law's table that say the same thing in different ways.
const EXCLUSIVE: [&[&str]; 5] = [
    &["damping", "damping_ratio", "restitution"],
    &["young", "shear_modulus"],
    &["stiffness", "young"],
    &["stiffness", "shear_modulus"],
    &["stiffness", "poisson"],
];

/// The value under `normal`, `slide`, `roll` or `spin`: a table of one of the laws that stand there.
pub fn of_key(key: &str) -> Value {
    one_of(LAWS.iter().filter(|law| law.key == key).map(|law| defined(&definition_name(law))).collect())
}

/// Every law's table, by the name under `$defs`.
pub fn definitions() -> Vec<(String, Value)> {
    LAWS.iter().map(|law| (definition_name(law), table(law))).collect()
}

fn definition_name(law: &LawInfo) -> String {
    format!("{}-{}", law.key, law.name)
}

fn table(law: &LawInfo) -> Value {
    let mut keys: Vec<(String, Value)> = vec![("!law".to_owned(), said(word(law.name), law.formula))];
    let mut choices: Vec<(Vec<&str>, bool)> = Vec::new();
    for parameter in law.parameters {
        let names: Vec<&str> = parameter.name.split(" | ").collect();
        let units: Vec<&str> = parameter.unit.split(" | ").collect();
        let must = parameter.default.is_none();
        for (i, name) in names.iter().enumerate() {
            // One name with several units has words for its values.
            let unit = if names.len() > 1 { units.get(i).copied().unwrap_or("-") } else { parameter.unit };
            let mark = if must && names.len() == 1 { "!" } else { "" };
            keys.push((format!("{mark}{name}"), value(law, parameter, name, unit)));
        }
        if names.len() > 1 {
            choices.push((names, must));
        }
    }
    let mut schema = object(keys.iter().map(|(name, schema)| (name.as_str(), schema.clone())).collect());
    schema["title"] = json!(format!("{} ({})", law.name, law.key));
    schema["description"] = json!(format!("{}. {}", law.formula, law.reference));
    let known = |name: &&str| keys.iter().any(|(key, _)| key.trim_start_matches('!') == *name);
    for names in EXCLUSIVE {
        let there: Vec<&str> = names.iter().copied().filter(known).collect();
        schema = exclusive(schema, &there);
    }
    for (names, must) in choices {
        schema = if must { exactly_one(schema, &names) } else { exclusive(schema, &names) };
    }
    schema
}

/// One parameter: its type and range, its meaning with its unit, its default.
fn value(law: &LawInfo, parameter: &ParameterInfo, name: &str, unit: &str) -> Value {
    let mut schema = match (name, unit) {
        ("damping", _) if law.name == "tracked" => share(),
        ("roll", _) => object(vec![
            ("!eta", said(positive(), "eta_r.")),
            ("damping", said(share(), "As `damping`, which is its default.")),
        ]),
        ("spin", _) => tracked_spin(),
        (_, "true | false") => boolean(),
        (_, unit) if unit.contains(" | ") => words(&unit.split(" | ").collect::<Vec<_>>()),
        // It has no memory, hence no static branch.
        ("mu" | "length", _) if law.name == "constant-torque" => non_negative(),
        ("mu" | "length", _) => defined("coefficient"),
        ("restitution", _) => json!({"type": "number", "minimum": 0, "maximum": 1}),
        ("poisson", _) => poisson(),
        ("young" | "shear_modulus", _) => positive(),
        ("stiffness", _) if law.key == "normal" || matches!(law.name, "epsd" | "tracked") => positive(),
        ("stiffness" | "stiffness_ratio" | "damping" | "damping_ratio", _) => non_negative(),
        _ => number(),
    };
    if let Some(default) = parameter.default {
        let default = default.parse::<f64>().map(Value::from).or_else(|_| default.parse::<bool>().map(Value::from));
        match (default, parameter.default) {
            (Ok(default), _) => schema = or(schema, default),
            (_, Some(default)) if unit.split(" | ").any(|word| word == default) => schema = or(schema, default),
            _ => {}
        }
    }
    let shown = if unit == "-" || unit.contains(" | ") { String::new() } else { format!(" [{unit}]") };
    let absent = parameter.default.map_or(String::new(), |default| format!(" Default: {default}."));
    said(schema, &format!("{}{shown}.{absent}", parameter.meaning))
}

/// A share of the critical dashpot.
fn share() -> Value {
    one_of(vec![word("critical"), non_negative()])
}

/// How `tracked` resists spin.
fn tracked_spin() -> Value {
    let curvature = one_of(vec![positive(), words(&["hertz", "bodies"])]);
    let mut table = object(vec![
        ("eta", said(positive(), "eta_s; 0.5 for hertz, if absent.")),
        ("curvature", said(or(curvature, "bodies"), "K_c [1/m], \"bodies\" (1/R_eff), or \"hertz\" (1/a).")),
        ("damping", said(share(), "As `damping`, which is its default.")),
    ]);
    let hertz = json!({"required": ["curvature"], "properties": {"curvature": {"const": "hertz"}}});
    also(&mut table, [json!({"if": hertz, "else": {"required": ["eta"]}})]);
    table
}

/// Poisson's ratio.
pub fn poisson() -> Value {
    json!({"type": "number", "exclusiveMinimum": -1, "maximum": 0.5})
}

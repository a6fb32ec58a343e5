//! The laws of a `[[contact]]` table in the schema: made from their entries (`scene/laws`), so that no parameter is described
//! twice.

use serde_json::{Value, json};

use super::build::{defined, exactly_one, exclusive, object, one_of, or, said, word};
use crate::scene::laws::{Key, LAWS, Law, NONE, Parameter, rigid};

/// The value under `normal`, `slide`, `roll` or `spin`: a table of one of the laws that stand there.
pub fn of_key(key: &str) -> Value {
    let laws = LAWS.iter().filter(|law| law.key() == key).map(|law| defined(&definition_name(law)));
    let limit = ["slide", "roll", "spin"].contains(&key).then(|| rigid::limit_schema(key));
    one_of(laws.chain(limit).collect())
}

/// The value under `normal`: a table of a law, or the word for a pair that does not touch.
pub fn normal() -> Value {
    one_of(vec![of_key("normal"), said(word(NONE), "The pair does not touch: no other law is beside it.")])
}

/// Every law's table, by the name under `$defs`.
pub fn definitions() -> Vec<(String, Value)> {
    LAWS.iter().map(|law| (definition_name(law), table(law))).collect()
}

fn definition_name(law: &Law) -> String {
    format!("{}-{}", law.key(), law.name)
}

fn table(law: &Law) -> Value {
    let mut keys: Vec<(String, Value)> = vec![("!law".to_owned(), said(word(law.name), law.formula))];
    let mut choices: Vec<(Vec<&str>, bool)> = Vec::new();
    for parameter in law.parameters {
        let must = parameter.default.is_none();
        for key in parameter.keys {
            let mark = if must && parameter.keys.len() == 1 { "!" } else { "" };
            keys.push((format!("{mark}{}", key.name), value(parameter, key)));
        }
        if parameter.keys.len() > 1 {
            choices.push((parameter.keys.iter().map(|key| key.name).collect(), must));
        }
    }
    let mut schema = object(keys.iter().map(|(name, schema)| (name.as_str(), schema.clone())).collect());
    schema["title"] = json!(format!("{} ({})", law.name, law.key()));
    schema["description"] = json!(format!("{}. {}", law.formula, law.reference));
    for names in law.exclusive {
        schema = exclusive(schema, names);
    }
    for (names, must) in choices {
        schema = if must { exactly_one(schema, &names) } else { exclusive(schema, &names) };
    }
    schema
}

/// One key of a parameter: its type and range, its meaning with its unit, its default.
fn value(parameter: &Parameter, key: &Key) -> Value {
    let mut schema = key.takes.schema();
    let unit = key.unit();
    let words = unit.contains(" | ");
    if let Some(default) = parameter.default {
        let value = default.parse::<f64>().map(Value::from).or_else(|_| default.parse::<bool>().map(Value::from));
        match value {
            Ok(value) => schema = or(schema, value),
            Err(_) if unit.split(" | ").any(|word| word == default) => schema = or(schema, default),
            Err(_) => {}
        }
    }
    let shown = if unit == "-" || words { String::new() } else { format!(" [{unit}]") };
    let absent = parameter.default.map_or(String::new(), |default| format!(" Default: {default}."));
    said(schema, &format!("{}{shown}.{absent}", parameter.meaning))
}

//! The small pieces that a JSON schema is put together from: a value with its description, an object with its keys.

use serde_json::{Map, Value, json};
use stickslip::schedule::MOST_TIMES;

/// A schema that is described, with its unit where it has one.
pub fn said(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}

/// A schema with the value that holds when the key is absent.
pub fn or(mut schema: Value, default: impl Into<Value>) -> Value {
    schema["default"] = default.into();
    schema
}

/// Any number.
pub fn number() -> Value {
    json!({"type": "number"})
}

/// A number above zero.
pub fn positive() -> Value {
    json!({"type": "number", "exclusiveMinimum": 0})
}

/// A number that is not negative.
pub fn non_negative() -> Value {
    json!({"type": "number", "minimum": 0})
}

/// A whole number of at least `least`.
pub fn whole(least: u64) -> Value {
    json!({"type": "integer", "minimum": least})
}

/// `true` or `false`.
pub fn boolean() -> Value {
    json!({"type": "boolean"})
}

/// A string.
pub fn text() -> Value {
    json!({"type": "string"})
}

/// One of several words.
pub fn words(words: &[&str]) -> Value {
    json!({"enum": words})
}

/// Exactly this word.
pub fn word(word: &str) -> Value {
    json!({"const": word})
}

/// `count` values of one kind.
pub fn array(items: Value, count: usize) -> Value {
    json!({"type": "array", "items": items, "minItems": count, "maxItems": count})
}

/// Three numbers.
pub fn vector() -> Value {
    array(number(), 3)
}

/// Any number of values of one kind.
pub fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

/// A table of times and values of one kind.
pub fn schedule(value: Value) -> Value {
    let some = |items: Value| json!({"type": "array", "items": items, "minItems": 1, "maxItems": MOST_TIMES});
    let table = object(vec![
        ("!times", said(some(number()), "[s], not falling; a time written twice is a jump.")),
        ("!values", said(some(value), "One for each time; linear in between, constant outside.")),
    ]);
    said(table, "A schedule.")
}

/// A value of one kind, or a schedule of such.
pub fn scheduled(value: Value) -> Value {
    one_of(vec![value.clone(), schedule(value)])
}

/// A reference to one of `$defs`.
pub fn defined(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// Exactly one of these holds.
pub fn one_of(schemas: Vec<Value>) -> Value {
    json!({"oneOf": schemas})
}

/// A table with these keys and no others; a name that begins with `!` must be there.
pub fn object(keys: Vec<(&str, Value)>) -> Value {
    let required: Vec<&str> = keys.iter().filter_map(|(name, _)| name.strip_prefix('!')).collect();
    let plain = |(name, schema): (&str, Value)| (name.trim_start_matches('!').to_owned(), schema);
    let properties: Map<String, Value> = keys.iter().cloned().map(plain).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A table of which at most one of these keys may stand.
pub fn exclusive(mut schema: Value, keys: &[&str]) -> Value {
    let pairs = keys.iter().enumerate().flat_map(|(i, first)| keys[i + 1..].iter().map(move |second| [first, second]));
    let refused = pairs.map(|pair| json!({"not": {"required": pair}}));
    also(&mut schema, refused);
    schema
}

/// A table of which exactly one of these keys must stand.
pub fn exactly_one(mut schema: Value, keys: &[&str]) -> Value {
    let choices: Vec<Value> = keys.iter().map(|key| json!({"required": [key]})).collect();
    also(&mut schema, [json!({"oneOf": choices})]);
    schema
}

/// A schema that must hold besides.
pub fn also(schema: &mut Value, more: impl IntoIterator<Item = Value>) {
    let mut all = schema["allOf"].as_array().cloned().unwrap_or_default();
    all.extend(more);
    if !all.is_empty() {
        schema["allOf"] = Value::Array(all);
    }
}

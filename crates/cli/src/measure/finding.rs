//! What a measurement found: numbers with names and units, a table, plots, a picture.

use serde_json::{Map, Number, Value};
use stickslip_io::results::figure::Figure;
use stickslip_io::results::picture::Drawing;
use stickslip_io::results::short_number;

/// The result of one measurement.
pub struct Finding {
    /// Its word on the command line.
    pub what: &'static str,
    /// What was found, the most important first.
    pub facts: Vec<Fact>,
    /// How many of them are worth a line in the summary.
    pub headlines: usize,
    /// The whole data.
    pub csv: String,
    /// Plots with what their file names add.
    pub figures: Vec<(&'static str, Figure)>,
    /// A picture, where there is something to see.
    pub picture: Option<Drawing>,
}

/// One number or word.
pub struct Fact {
    key: String,
    label: String,
    value: Value,
    shown: String,
}

impl Fact {
    /// A number with its unit; the name in JSON is the label with underscores.
    pub fn number(label: &str, value: f64, unit: &str) -> Self {
        let shown = if value.is_nan() { "none".into() } else { with_unit(&short_number(value, 4), unit) };
        Fact { key: key(label), label: label.into(), value: Value::from(value), shown }
    }

    /// A whole number.
    pub fn count(label: &str, value: usize) -> Self {
        Fact { key: key(label), label: label.into(), value: Value::from(value), shown: value.to_string() }
    }

    /// Something that is shown otherwise than it is told to a machine.
    pub fn shown(label: &str, value: impl Into<Value>, shown: String) -> Self {
        Fact { key: key(label), label: label.into(), value: value.into(), shown }
    }
}

/// The label as a name: `95 % interval` is `interval_95`.
pub fn key(label: &str) -> String {
    match label.strip_prefix("95 % ") {
        Some(rest) => key(rest) + "_95",
        None => label.replace([' ', '-'], "_"),
    }
}

fn with_unit(number: &str, unit: &str) -> String {
    if unit.is_empty() { number.to_owned() } else { format!("{number} {unit}") }
}

/// A vector for people.
pub fn vector_text(v: glam::DVec3) -> String {
    format!("({}, {}, {})", short_number(v.x, 4), short_number(v.y, 4), short_number(v.z, 4))
}

/// A vector for a machine.
pub fn vector_value(v: glam::DVec3) -> Value {
    Value::from(vec![v.x, v.y, v.z])
}

/// A matrix: rows for people and for a machine.
pub fn matrix_fact(label: &str, matrix: &glam::DMat3, unit: &str) -> Fact {
    let rows = [matrix.row(0), matrix.row(1), matrix.row(2)];
    let text = rows.map(vector_text).join(" ");
    Fact::shown(label, Value::from(rows.map(vector_value).to_vec()), with_unit(&text, unit))
}

impl Finding {
    /// All facts, a line each.
    pub fn table(&self) -> String {
        let width = self.facts.iter().map(|fact| fact.label.len()).max().unwrap_or(0);
        let mut text = format!("{}\n", self.what);
        for fact in &self.facts {
            text += &format!("  {:<width$}  {}\n", fact.label, fact.shown);
        }
        text
    }

    /// The most important facts, with the name before the first.
    pub fn headlines(&self) -> String {
        let mut text = String::new();
        for (k, fact) in self.facts.iter().take(self.headlines).enumerate() {
            let name = if k == 0 { self.what } else { "" };
            text += &format!("{name:<14}{:<32}{}\n", fact.label, fact.shown);
        }
        text
    }

    /// All numbers by name. A list of two has the names `_low` and `_high`, a vector `_x`, `_y` and `_z`, a matrix `_xx` and so on.
    pub fn numbers(&self) -> Vec<(String, Number)> {
        self.facts.iter().flat_map(|fact| numbers(&fact.key, "_", &fact.value)).collect()
    }

    /// All facts for a machine: full digits, no units.
    pub fn json(&self) -> Map<String, Value> {
        self.facts.iter().map(|fact| (fact.key.clone(), fact.value.clone())).collect()
    }
}

/// The numbers of a value, each with its name.
fn numbers(name: &str, separator: &str, value: &Value) -> Vec<(String, Number)> {
    let parts = match value {
        Value::Number(number) => return vec![(name.to_owned(), number.clone())],
        Value::Array(parts) => parts,
        _ => return Vec::new(),
    };
    let ends: &[&str] = if parts.len() == 2 { &["low", "high"] } else { &["x", "y", "z"] };
    let part = |(part, end): (&Value, &&str)| numbers(&format!("{name}{separator}{end}"), "", part);
    parts.iter().zip(ends).flat_map(part).collect()
}

/// A table of numbers with a header. Whole numbers lose their point.
pub struct Csv(String);

impl Csv {
    /// A table with these columns.
    pub fn new(columns: &str) -> Self {
        Csv(format!("{columns}\n"))
    }

    /// Adds a row.
    pub fn row(&mut self, values: &[f64]) {
        let fields: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        self.0 += &fields.iter().map(|field| field.strip_suffix(".0").unwrap_or(field)).collect::<Vec<_>>().join(",");
        self.0.push('\n');
    }

    /// The text.
    pub fn text(self) -> String {
        self.0
    }
}

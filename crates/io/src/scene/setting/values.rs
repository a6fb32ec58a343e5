//! The values of a setting: TOML separated by commas, and ranges of numbers.

use stickslip::math;
use toml::de::DeValue;

use crate::input;

/// More values than any sweep can run.
const MOST: usize = 100_000;

/// The values of a list, as TOML each.
pub(super) fn parse(list: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    for part in split(list) {
        match range(part) {
            Some(numbers) => values.extend(numbers?),
            None => values.push(sound(part)?),
        }
    }
    match values.iter().enumerate().find(|(number, value)| values[..*number].contains(value)) {
        Some((_, twice)) => Err(format!("the value {} stands there twice", input::shown(twice))),
        None => Ok(values),
    }
}

/// Splits at commas outside of brackets and quotes.
pub(crate) fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_i32, None);
    let mut escaped = false;
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

/// A value that is TOML.
fn sound(value: &str) -> Result<String, String> {
    let bare = !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    match input::document(&format!("v = {value}")) {
        // A line of its own would be a second key.
        Ok(table) if table.get_ref().len() == 1 && !value.contains(['\n', '#']) => Ok(value.to_owned()),
        _ if value.is_empty() => Err("expected a value after `=` and after each comma, found none".into()),
        _ if bare => Err(format!("`{0}` is no value: a text needs quotes, as in '\"{0}\"'", input::shown(value))),
        _ => Err(format!("`{}` is no value of TOML: 0.5, 3, \"text\", true, [1, 2] are", input::shown(value))),
    }
}

/// The numbers of `FROM..TO/COUNT` or `FROM..TO/COUNT log`; `None` if it does not look like that.
fn range(text: &str) -> Option<Result<Vec<String>, String>> {
    if text.starts_with(['"', '\'', '[', '{']) {
        return None;
    }
    let (from, rest) = text.split_once("..")?;
    let wrong = || {
        let forms = "FROM..TO/COUNT with two values or more, as 0.1..0.5/5, or with positive ends 1e-4..1e-1/4 log";
        format!("expected a range {forms}; found `{}`", input::shown(text))
    };
    let numbers = || {
        let (to, count) = rest.split_once('/')?;
        let (count, log) = match count.trim().strip_suffix("log") {
            Some(count) => (count, true),
            None => (count, false),
        };
        let (from, to) = (from.trim().parse::<f64>().ok()?, to.trim().parse::<f64>().ok()?);
        let count = count.trim().parse::<usize>().ok().filter(|count| (2..=MOST).contains(count))?;
        let sound = from.is_finite() && to.is_finite() && from != to && (!log || (from > 0.0 && to > 0.0));
        sound.then(|| between(from, to, count, log))
    };
    Some(numbers().ok_or_else(wrong))
}

fn between(from: f64, to: f64, count: usize, log: bool) -> Vec<String> {
    let value = |index: usize| {
        let share = index as f64 / (count - 1) as f64;
        let exact = if log { from * math::pow(to / from, share) } else { from + (to - from) * share };
        // What is 0.3 but for rounding is meant to be 0.3.
        format!("{exact:.11e}").parse::<f64>().unwrap_or(exact)
    };
    let values: Vec<f64> = (0..count).map(value).collect();
    let whole = values.iter().all(|value| value.fract() == 0.0 && value.abs() < 1e15);
    values.iter().map(|value| if whole { format!("{value:.0}") } else { format!("{value:?}") }).collect()
}

/// A value as a table shows it.
pub(super) fn shown(value: &str) -> String {
    let text = format!("v = {value}");
    let parsed = input::document(&text).ok();
    match parsed.as_ref().and_then(|table| table.get_ref().get("v")).map(|value| value.get_ref()) {
        Some(DeValue::String(text)) => text.to_string(),
        Some(DeValue::Integer(number)) => {
            let number = i128::from_str_radix(number.as_str(), number.radix());
            number.map_or_else(|_| value.to_owned(), |number| number.to_string())
        }
        Some(DeValue::Float(number)) => number.as_str().to_owned(),
        _ => value.to_owned(),
    }
}

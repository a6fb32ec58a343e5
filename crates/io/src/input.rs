//! Reading TOML by hand, so that every error can say the file, the line, the key and what was expected.
//!
//! `Table` hands out the values of its keys and remembers which keys were asked for; `finish` refuses the others, with a
//! suggestion. `Item` is one value with its place. Nothing here knows what a scene is.

mod error;
mod excerpt;
mod file;
mod nesting;
mod suggest;

pub use error::InputError;
pub(crate) use error::Source;
pub(crate) use file::{read_file, read_start, read_text};
pub(crate) use nesting::MOST_LEVELS;
pub use suggest::nearest;
pub(crate) use suggest::{did_you_mean, no_such_folder};

use std::cell::RefCell;
use std::ops::Range;

use glam::DVec3;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What reading gives.
pub(crate) type Result<T> = std::result::Result<T, InputError>;

/// The largest scene or probe file that is read (bytes).
pub(crate) const LARGEST_FILE: u64 = 64 << 20;

/// Parses a text; the table borrows from it.
pub(crate) fn parse(source: &Source) -> Result<Spanned<DeTable<'_>>> {
    parse_at(source, source.text())
}

/// Parses a text whose places are those of `source`.
pub(crate) fn parse_at<'a>(source: &Source, text: &'a str) -> Result<Spanned<DeTable<'a>>> {
    document(text).map_err(|fault| source.error(fault.span, fault.message))
}

/// Why a text is no TOML that is read, and where.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The place in the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
}

/// Parses a text. Whatever is TOML comes through here: the parser alone can be made to overflow the stack.
pub(crate) fn document(text: &str) -> std::result::Result<Spanned<DeTable<'_>>, Fault> {
    if let Some(span) = nesting::too_deep(text) {
        let message = format!("brackets and dotted keys nest more than {MOST_LEVELS} levels deep here");
        return Err(Fault { span, message });
    }
    DeTable::parse(text).map_err(|error| {
        let message = format!("this is not TOML: {}", error.message().replace('\n', "; "));
        Fault { span: error.span().unwrap_or(0..0), message }
    })
}

/// One value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    source: &'a Source,
    /// Dotted path from the top of the file.
    pub path: String,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

/// A table whose keys are taken one by one.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    source: &'a Source,
    /// Dotted path from the top of the file; empty at the top.
    pub path: String,
    span: Range<usize>,
    entries: Vec<(&'a str, Range<usize>, &'a Spanned<DeValue<'a>>)>,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Table<'a> {
    /// The whole file.
    pub fn top(source: &'a Source, table: &'a Spanned<DeTable<'a>>) -> Self {
        Table::new(source, String::new(), 0..0, table.get_ref())
    }

    fn new(source: &'a Source, path: String, span: Range<usize>, table: &'a DeTable<'a>) -> Self {
        let mut entries: Vec<_> = table.iter().map(|(k, v)| (k.get_ref().as_ref(), k.span(), v)).collect();
        // In the order of the file, whatever order the parser's map has.
        entries.sort_by_key(|(_, span, _)| span.start);
        Table { source, path, span, entries, asked: RefCell::new(Vec::new()) }
    }

    /// The names of all keys, in the order of the file, taken as known: for tables whose keys a user chooses.
    pub fn chosen_keys(&self) -> Vec<&'a str> {
        self.entries.iter().map(|(name, _, _)| *name).collect()
    }

    /// The value of a key a user chose.
    pub fn chosen(&self, key: &str) -> Option<Item<'a>> {
        let (name, key_span, value) = self.entries.iter().find(|(name, _, _)| *name == key)?;
        let path = if self.path.is_empty() { shown(name) } else { format!("{}.{}", self.path, shown(name)) };
        // The span of a table begins at its header, that of an absent one nowhere: the key's is then the place.
        let span = if value.span().is_empty() { key_span.clone() } else { value.span() };
        Some(Item { source: self.source, path, span, value: value.get_ref() })
    }

    /// The value of a key, if it is there.
    pub fn optional(&self, key: &'static str) -> Option<Item<'a>> {
        if !self.asked.borrow().contains(&key) {
            self.asked.borrow_mut().push(key);
        }
        self.chosen(key)
    }

    /// The value of a key that must be there.
    pub fn required(&self, key: &'static str) -> Result<Item<'a>> {
        if let Some(item) = self.optional(key) {
            return Ok(item);
        }
        // A misspelt key that stands there says more than the one that is missing.
        let misspelt = self
            .entries
            .iter()
            .find(|(name, _, _)| !self.asked.borrow().contains(name) && nearest(name, &[key]).is_some());
        Err(match misspelt {
            Some((name, span, _)) => self.unknown(name, span.clone(), &[key]),
            None => self.error(format!("the key `{key}` is missing")),
        })
    }

    /// Reads a key if it is there.
    pub fn read<T>(&self, key: &'static str, how: impl FnOnce(Item<'a>) -> Result<T>) -> Result<Option<T>> {
        self.optional(key).map(how).transpose()
    }

    /// Reads a key that must be there.
    pub fn need<T>(&self, key: &'static str, how: impl FnOnce(Item<'a>) -> Result<T>) -> Result<T> {
        how(self.required(key)?)
    }

    /// At most one of several keys that say the same thing in different ways.
    pub fn one_of(&self, keys: &[&'static str]) -> Result<Option<(&'static str, Item<'a>)>> {
        let mut found: Option<(&'static str, Item<'a>)> = None;
        for key in keys {
            let Some(item) = self.optional(key) else { continue };
            if let Some((first, _)) = &found {
                return Err(item.error(format!("`{first}` and `{key}` exclude each other: give one of them")));
            }
            found = Some((key, item));
        }
        Ok(found)
    }

    /// The tables of an array of tables; none when the key is absent.
    pub fn tables(&self, key: &'static str) -> Result<Vec<Table<'a>>> {
        let Some(item) = self.optional(key) else { return Ok(Vec::new()) };
        if !matches!(item.value, DeValue::Array(_)) {
            return Err(item.expected(&format!("an array of tables, each headed [[{key}]]")));
        }
        item.array()?.into_iter().map(Item::table).collect()
    }

    /// Refuses keys that are described but not built yet.
    pub fn promised(&self, keys: &[&'static str]) -> Result<()> {
        for key in keys {
            if let Some((_, span, _)) = self.entries.iter().find(|(name, _, _)| name == key) {
                let message = format!("{}`{key}` is promised, not built yet", self.prefix());
                return Err(self.source.error(span.clone(), message));
            }
        }
        Ok(())
    }

    /// Refuses the keys that nobody asked for so far.
    pub fn finish(&self) -> Result<()> {
        let asked = self.asked.borrow();
        match self.entries.iter().find(|(name, _, _)| !asked.contains(name)) {
            Some((name, span, _)) => Err(self.unknown(name, span.clone(), &asked)),
            None => Ok(()),
        }
    }

    /// The keys that were asked for.
    #[cfg(test)]
    pub fn asked(&self) -> Vec<&'static str> {
        self.asked.borrow().clone()
    }

    fn prefix(&self) -> String {
        if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) }
    }

    fn unknown(&self, name: &str, span: Range<usize>, known: &[&'static str]) -> InputError {
        let error = self.source.error(span, format!("{}unknown key `{}`", self.prefix(), shown(name)));
        match nearest(name, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("known here: {}", known.join(", "))),
        }
    }

    /// An error of the table as a whole.
    pub fn error(&self, message: String) -> InputError {
        self.source.error(self.span.clone(), format!("{}{message}", self.prefix()))
    }

    /// Where it stands.
    pub fn place(&self) -> Place<'a> {
        Place { source: self.source, path: self.path.clone(), span: self.span.clone() }
    }
}

/// A place in a file, kept for an error that is found later.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    source: &'a Source,
    path: String,
    span: Range<usize>,
}

impl Place<'_> {
    /// An error there.
    pub fn error(&self, message: String) -> InputError {
        let prefix = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        self.source.error(self.span.clone(), format!("{prefix}{message}"))
    }

    /// Its line.
    pub fn line(&self) -> usize {
        self.source.line(self.span.start)
    }

    /// The place without the file, to be kept beside it.
    pub fn spot(&self) -> Spot {
        Spot { path: self.path.clone(), span: self.span.clone() }
    }
}

/// A place in a file that is kept elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    path: String,
    span: Range<usize>,
}

impl Spot {
    /// The dotted path from the top of the file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// An error there.
    pub fn error(&self, source: &Source, message: String) -> InputError {
        Place { source, path: self.path.clone(), span: self.span.clone() }.error(message)
    }
}

impl<'a> Item<'a> {
    /// An error at this value.
    pub fn error(&self, message: String) -> InputError {
        self.source.error(self.span.clone(), format!("{}: {message}", self.path))
    }

    /// The error that something else was expected.
    pub fn expected(&self, what: &str) -> InputError {
        self.error(format!("expected {what}, found {}", described(self.value)))
    }

    /// Where it stands.
    pub fn place(&self) -> Place<'a> {
        Place { source: self.source, path: self.path.clone(), span: self.span.clone() }
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    /// Whether it is a string.
    pub fn is_string(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    fn number_or_expected(&self, what: &str) -> Result<f64> {
        let number = match self.value {
            DeValue::Integer(integer) => i128::from_str_radix(integer.as_str(), integer.radix()).ok().map(|i| i as f64),
            DeValue::Float(float) => float.as_str().parse::<f64>().ok(),
            _ => None,
        };
        match number {
            Some(number) if number.is_finite() => Ok(number),
            Some(_) => {
                Err(self.error(format!("expected {what}, found {}, which is not finite", described(self.value))))
            }
            None => Err(self.expected(what)),
        }
    }

    fn number_if(&self, what: &str, fits: impl FnOnce(f64) -> bool) -> Result<f64> {
        let number = self.number_or_expected(what)?;
        if fits(number) { Ok(number) } else { Err(self.error(format!("expected {what}, found {number}"))) }
    }

    /// A finite number.
    pub fn number(self) -> Result<f64> {
        self.number_or_expected("a number")
    }

    /// A number above zero.
    pub fn positive(self) -> Result<f64> {
        self.number_if("a number above zero", |x| x > 0.0)
    }

    /// A number that is not negative.
    pub fn non_negative(self) -> Result<f64> {
        self.number_if("a number that is not negative", |x| x >= 0.0)
    }

    /// A number for which `fits` holds; `what` says so in words.
    pub fn number_such(self, what: &str, fits: impl FnOnce(f64) -> bool) -> Result<f64> {
        self.number_if(what, fits)
    }

    /// A whole number of at least `least`.
    pub fn whole(self, least: u64) -> Result<u64> {
        let what = format!("a whole number of at least {least}");
        let DeValue::Integer(integer) = self.value else { return Err(self.expected(&what)) };
        let value = i128::from_str_radix(integer.as_str(), integer.radix()).ok();
        match value.and_then(|i| u64::try_from(i).ok()) {
            Some(whole) if whole >= least => Ok(whole),
            _ => Err(self.error(format!("expected {what}, found {}", shown(integer.as_str())))),
        }
    }

    /// `true` or `false`.
    pub fn boolean(self) -> Result<bool> {
        match self.value {
            DeValue::Boolean(value) => Ok(*value),
            _ => Err(self.expected("true or false")),
        }
    }

    /// A string.
    pub fn string(self) -> Result<&'a str> {
        match self.value {
            DeValue::String(value) => Ok(value.as_ref()),
            _ => Err(self.expected("a string")),
        }
    }

    /// One of several words, or an error that lists them; words of `promised` get an error of their own.
    pub fn choice<T: Copy>(self, words: &[(&'static str, T)], promised: &[&str]) -> Result<T> {
        let names: Vec<&'static str> = words.iter().map(|(name, _)| *name).collect();
        let list = names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(" or ");
        let DeValue::String(found) = self.value else { return Err(self.expected(&list)) };
        if let Some((_, value)) = words.iter().find(|(name, _)| name == found) {
            return Ok(*value);
        }
        if promised.contains(&found.as_ref()) {
            return Err(self.error(format!("\"{found}\" is promised, not built yet; today: {list}")));
        }
        let error = self.error(format!("expected {list}, found \"{}\"", shown(found)));
        Err(match nearest(found, &names) {
            Some(near) => error.help(format!("did you mean \"{near}\"?")),
            None => error,
        })
    }

    /// A table.
    pub fn table(self) -> Result<Table<'a>> {
        match self.value {
            DeValue::Table(table) => Ok(Table::new(self.source, self.path, self.span, table)),
            _ => Err(self.expected("a table")),
        }
    }

    /// The elements of an array.
    pub fn array(self) -> Result<Vec<Item<'a>>> {
        let DeValue::Array(array) = self.value else { return Err(self.expected("an array")) };
        let element = |(i, value): (usize, &'a Spanned<DeValue<'a>>)| Item {
            source: self.source,
            path: format!("{}[{i}]", self.path),
            span: value.span(),
            value: value.get_ref(),
        };
        Ok(array.iter().enumerate().map(element).collect())
    }

    /// An array of `N` finite numbers.
    pub fn numbers<const N: usize>(self) -> Result<[f64; N]> {
        let what = format!("an array of {N} numbers");
        let DeValue::Array(array) = self.value else { return Err(self.expected(&what)) };
        if array.len() != N {
            return Err(self.error(format!("expected {what}, found {} elements", array.len())));
        }
        let mut numbers = [0.0; N];
        for (number, element) in numbers.iter_mut().zip(self.array()?) {
            *number = element.number()?;
        }
        Ok(numbers)
    }

    /// A vector of three finite numbers.
    pub fn vector(self) -> Result<DVec3> {
        self.numbers::<3>().map(DVec3::from_array)
    }

    /// A direction: a vector that is not zero, brought to length 1.
    pub fn direction(self) -> Result<DVec3> {
        let place = self.place();
        let vector = self.vector()?;
        // Scaled first, so that neither tiny nor huge vectors lose their direction. One that has length 1 to rounding
        // stays as it is: what was written out once reads back to the same bits.
        if (vector.length_squared() - 1.0).abs() < 1e-14 {
            return Ok(vector);
        }
        let largest = vector.abs().max_element();
        if largest > 0.0 {
            Ok((vector / largest).normalize())
        } else {
            Err(place.error("expected a direction, found a vector of length zero".into()))
        }
    }
}

/// What a value is, in words.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(s) => format!("the string \"{}\"", shown(s)),
        DeValue::Integer(i) => format!("the integer {}", shown(i.as_str())),
        DeValue::Float(f) => format!("the number {}", shown(f.as_str())),
        DeValue::Boolean(b) => b.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "an array".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// A text from a file as a message may hold it: not too long, on one line.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(60).map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).collect();
    if text.chars().nth(60).is_some() {
        short.push_str("...");
    }
    short
}

//! Settings: `KEY=v1,v2,..`, values that a sweep puts into a scene before it is read.
//!
//! A KEY is a dotted path: `time.step`, `material.grain.density`. In an array `[..]` says which: `contact[grain,wall]` by its
//! materials in any order (`contact[grain,*]` all with grain), `body[left]` by its name, `grains[0]` by its number, `contact[*]` all of them. Values are TOML,
//! separated by commas outside of brackets and quotes. `0.1..0.5/5` is five values in equal steps, `1e-4..1e-1/4 log` four in
//! equal ratios.
//!
//! `KEY & KEY=v1,v2` gives several keys the same value. `stage[NAME].KEY` names what that stage sets (or its `velocities`, `memory`,
//! `remove`). A `[set]` table of a variant and the `[stage.set]` of a stage have the same KEYs, with one value each (`set.rs`).
//!
//! The document is changed after it is parsed and before it is read, and the settings keep places of their own: an error in
//! one names it, as if it stood on a line of a file. A key that the scene does not have is added, and `time.step.fraction`
//! replaces a step that is a word or a number; whether there is such a key
//! is for the readers of the scene to say. What a user names (materials, bodies, contacts) must be there.

mod values;

pub(crate) use values::split;

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::between::{Pair, between_others, covers, exactness, meet, pair_in, pair_of};
use super::laws::NONE;
use super::{Scene, read_parsed};
use crate::input::{self, InputError, LARGEST_FILE, MOST_LEVELS, Result, Source, nearest, shown};

/// Keys of a scene and the values that they are given, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    key: String,
    keys: Vec<Key>,
    values: Vec<String>,
}

/// One key of a scene.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    /// As it was given.
    pub text: String,
    path: Vec<Step>,
}

/// One step along a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// To the value of a key.
    Key(String),
    /// To elements of an array.
    Which(String),
}

impl Setting {
    /// Reads `KEY=v1,v2,..`. The error says what was expected.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let Some((key, list)) = text.split_once('=') else {
            return Err(format!("expected KEY=VALUE,.. as in 'time.step=1e-5,2e-5', found `{}`", shown(text)));
        };
        let key = key.trim();
        let keys = key.split('&').map(|key| Key::parse(key.trim())).collect::<std::result::Result<Vec<_>, _>>()?;
        if let Some(twice) = (1..keys.len()).find(|&k| keys[..k].contains(&keys[k])) {
            return Err(format!("the KEY `{}` stands there twice", shown(&keys[twice].text)));
        }
        let values = values::parse(list).map_err(|error| format!("{}: {error}", shown(key)))?;
        Ok(Setting { key: key.to_owned(), keys, values })
    }

    /// The key as it was given.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Its values, as TOML.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// A value as it stands in a table: a string without its quotes, a number without underscores, else as it was given.
    pub fn shown(&self, value: usize) -> String {
        self.values.get(value).map_or_else(String::new, |value| values::shown(value))
    }

    /// The one value of a key: for what a sweep itself sets.
    fn fixed(key: &str, value: String) -> Self {
        let keys = vec![Key { text: key.into(), path: vec![Step::Key(key.into())] }];
        Setting { key: key.into(), keys, values: vec![value] }
    }
}

impl Key {
    /// Reads a key. The error says what was expected.
    pub fn parse(key: &str) -> std::result::Result<Self, String> {
        let path = path(key).ok_or_else(|| {
            let forms = "as in time.step, material.grain.density, contact[grain,wall].slide.mu or contact[*].roll.mu";
            format!("expected a KEY of names with dots between them, {forms}; found `{}`", shown(key))
        })?;
        if path.len() > MOST_LEVELS {
            let (count, key) = (path.len(), shown(key));
            return Err(format!("expected a KEY of at most {MOST_LEVELS} steps, found {count}: `{key}`"));
        }
        Ok(Key { text: key.to_owned(), path })
    }

    /// Its steps.
    pub fn path(&self) -> &[Step] {
        &self.path
    }
}

/// Keys of a stage that are its own, not of what it sets.
const OF_STAGE: [&str; 3] = ["velocities", "memory", "remove"];

/// The steps of a path; `None` if it is not written as one.
fn path(key: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = key;
    loop {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let name = &rest[..end];
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(plain) {
            return None;
        }
        steps.push(Step::Key(name.to_owned()));
        rest = &rest[end..];
        while let Some(inside) = rest.strip_prefix('[') {
            let (which, after) = inside.split_once(']')?;
            if which.trim().is_empty() {
                return None;
            }
            steps.push(Step::Which(which.trim().to_owned()));
            rest = after;
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Some(steps),
            None => return None,
        }
    }
}

/// Loads a scene with some values changed: of each setting the one of this number, and the seed if there is one. A scene that
/// records no series gets one, so that every run of a sweep has the numbers of its end.
pub fn load_with(
    scene: &Path,
    settings: &[(&Setting, usize)],
    seed: Option<u64>,
) -> std::result::Result<Scene, InputError> {
    let source = Source::read(scene, LARGEST_FILE)?;
    let seed = seed.map(|seed| Setting::fixed("seed", seed.to_string()));
    let all: Vec<(&Setting, usize)> = settings.iter().copied().chain(seed.iter().map(|seed| (seed, 0))).collect();
    let lines = Lines::of(&all);
    let source = source.with_over(Source::new("--set", lines.text.clone()));
    // Behind the scene's text, as a variant's.
    let start = source.text().len() + 1;
    let texts: Vec<String> = lines.places.iter().map(|place| place.padded(start, &lines.text)).collect();
    let series_text;
    let mut parsed = input::parse(&source)?;
    for ((setting, _), (place, text)) in all.iter().zip(lines.places.iter().zip(&texts)) {
        let value = input::parse_at(&source, text)?.into_inner().remove("v");
        let Some(value) = value else { continue };
        for key in &setting.keys {
            Site { source: &source, key, span: start + place.key.start..start + place.key.end }
                .set(parsed.get_mut(), &value)?;
        }
    }
    if let Some(every) = series_interval(parsed.get_ref()) {
        series_text = format!("{}v = {{ what = \"series\", every = {every:?} }}", " ".repeat(start));
        if let Some(record) = input::parse_at(&source, &series_text)?.into_inner().remove("v") {
            add_record(parsed.get_mut(), record);
        }
    }
    read_parsed(&source, &parsed, scene.parent().unwrap_or(Path::new("")))
}

/// The settings as lines of a text, `KEY = value` each.
struct Lines {
    text: String,
    places: Vec<Place>,
}

/// Where a key and its value stand in the text.
struct Place {
    key: Range<usize>,
    value: Range<usize>,
}

impl Lines {
    fn of(settings: &[(&Setting, usize)]) -> Self {
        let mut lines = Lines { text: String::new(), places: Vec::new() };
        for (setting, value) in settings {
            let key = lines.text.len()..lines.text.len() + setting.key.len();
            lines.text += &format!("{} = ", setting.key);
            let start = lines.text.len();
            lines.text += setting.values.get(*value).map_or("", String::as_str);
            lines.places.push(Place { key, value: start..lines.text.len() });
            lines.text.push('\n');
        }
        lines
    }
}

impl Place {
    /// A document whose only value stands as far behind its start as this one does behind `start`.
    fn padded(&self, start: usize, text: &str) -> String {
        // A key has at least one letter, so there is room for this one.
        const KEY: &str = "v = ";
        let spaces = " ".repeat(start + self.value.start - KEY.len());
        format!("{spaces}{KEY}{}", &text[self.value.clone()])
    }
}

/// How often a series is written for a scene that has none; `None` if it has one, or is not as it should be, which whoever
/// reads it will say.
fn series_interval(scene: &DeTable<'_>) -> Option<f64> {
    /// A hundred rows: enough to see a course, and for a run that fails to know how it was shortly before.
    const ROWS: f64 = 100.0;
    let is_series = |record: &Spanned<DeValue<'_>>| {
        let what = record.get_ref().as_table().and_then(|table| table.get("what"));
        what.is_some_and(|what| what.get_ref().as_str() == Some("series"))
    };
    let records = scene
        .get("record")
        .map_or(Some([].as_slice()), |records| records.get_ref().as_array().map(|array| array.as_ref()))?;
    if records.iter().any(is_series) {
        return None;
    }
    let end = scene.get("time")?.get_ref().as_table()?.get("end")?;
    let end = match end.get_ref() {
        DeValue::Float(end) => end.as_str().parse::<f64>().ok()?,
        DeValue::Integer(end) => i64::from_str_radix(end.as_str(), end.radix()).ok()? as f64,
        _ => return None,
    };
    // A run that ends where it starts has one row, whatever the interval.
    if end == 0.0 { Some(1.0) } else { Some(end / ROWS).filter(|every| every.is_finite() && *every > 0.0) }
}

/// A setting and where its key stands.
pub(super) struct Site<'s> {
    /// Of the scene.
    pub source: &'s Source,
    /// The key.
    pub key: &'s Key,
    /// Where it stands.
    pub span: Range<usize>,
}

impl Site<'_> {
    fn error(&self, message: String) -> InputError {
        self.source.error(self.span.clone(), format!("{}: {message}", shown(&self.key.text)))
    }

    /// Puts a value where the key leads from the top of a scene.
    pub fn set<'a>(&self, scene: &mut DeTable<'a>, value: &Spanned<DeValue<'a>>) -> Result<()> {
        match (&self.key.path[..], self.key.text.split_once("].")) {
            ([Step::Key(stage), Step::Which(which), Step::Key(first), ..], Some((_, rest))) if stage == "stage" => {
                let of_stage = OF_STAGE.contains(&first.as_str());
                self.set_in_stage(scene, which, if of_stage { None } else { Some(rest) }, value)
            }
            (path, _) => self.put(scene, path, value),
        }
    }

    /// Puts a value into what a stage sets under this key, or says of itself.
    fn set_in_stage<'a>(
        &self,
        scene: &mut DeTable<'a>,
        which: &str,
        key: Option<&str>,
        value: &Spanned<DeValue<'a>>,
    ) -> Result<()> {
        let stages = match scene.get_mut("stage").map(Spanned::get_mut) {
            Some(DeValue::Array(stages)) => stages,
            _ => return Err(self.error("the scene has no [[stage]]".into())),
        };
        for number in self.chosen(stages, "stage", which)? {
            let Some(DeValue::Table(stage)) = stages.get_mut(number).map(Spanned::get_mut) else { continue };
            let Some(key) = key else {
                self.put(stage, &self.key.path[2..], value)?;
                continue;
            };
            let set = stage
                .entry(Spanned::new(self.span.clone(), "set".into()))
                .or_insert_with(|| self.spanned(DeValue::Table(DeTable::new())));
            if let DeValue::Table(set) = set.get_mut() {
                // Behind what the stage says itself, by its place.
                set.remove(key);
                set.insert(Spanned::new(self.span.clone(), Cow::Owned(key.to_owned())), value.clone());
            }
        }
        Ok(())
    }

    /// Puts a value where a path leads from a table.
    pub fn put<'a>(&self, table: &mut DeTable<'a>, path: &[Step], value: &Spanned<DeValue<'a>>) -> Result<()> {
        let Some((Step::Key(name), rest)) = path.split_first() else { return Ok(()) };
        if !table.contains_key(name.as_str()) {
            if let Some(Step::Which(_)) = rest.first() {
                let known: Vec<&str> = table.iter().map(|(name, _)| name.get_ref().as_ref()).collect();
                let error = self.error(format!("the scene has no `{}`", shown(name)));
                return Err(match nearest(name, &known) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                });
            }
            let new = if rest.is_empty() { value.clone() } else { self.spanned(DeValue::Table(DeTable::new())) };
            table.insert(Spanned::new(self.span.clone(), Cow::Owned(name.clone())), new);
        }
        match table.get_mut(name.as_str()) {
            Some(place) if rest.is_empty() => place.clone_from(value),
            Some(place) => self.put_into(place, name, rest, value)?,
            None => {}
        }
        Ok(())
    }

    /// Goes on from the value of the key `name`, or from an element of it.
    fn put_into<'a>(
        &self,
        place: &mut Spanned<DeValue<'a>>,
        name: &str,
        path: &[Step],
        value: &Spanned<DeValue<'a>>,
    ) -> Result<()> {
        if !matches!(place.get_ref(), DeValue::Table(_)) && self.may_be_a_table(path) {
            *place = self.spanned(DeValue::Table(DeTable::new()));
        }
        match (place.get_mut(), path) {
            (_, []) => place.clone_from(value),
            (DeValue::Table(table), [Step::Key(key), ..]) => {
                if name == "material" {
                    self.refuse_new_material(table, key)?;
                }
                self.put(table, path, value)?;
            }
            (DeValue::Array(array), [Step::Which(which), rest @ ..]) => {
                if let (true, Some(pair)) = (name == "contact", pair_in(which)) {
                    self.cut_wildcards(array, &pair)?;
                }
                for number in self.chosen(array, name, which)? {
                    if let Some(element) = array.get_mut(number) {
                        self.put_into(element, "", rest, value)?;
                    }
                }
            }
            (DeValue::Array(array), [Step::Key(_), ..]) => {
                let count = array.len();
                let example = array.first().map_or_else(|| "0".to_owned(), |first| label(first, 0));
                let help = format!("say which: {name}[{example}], or {name}[*] for all");
                return Err(self.error(format!("`{}` is an array of {count}", shown(name))).help(help));
            }
            (_, [Step::Key(key), ..]) => {
                let found = "which has no keys";
                return Err(self.error(format!("`{}` stands after a value, {found}", shown(key))));
            }
            (_, [Step::Which(which), ..]) => {
                return Err(self.error(format!("`[{}]` stands after what is not an array", shown(which))));
            }
        }
        Ok(())
    }

    /// Whether the value before this rest of the path may be a table as well as a word or a number: `time.step`.
    fn may_be_a_table(&self, rest: &[Step]) -> bool {
        let before = self.key.path.len() - rest.len();
        let step = ["time", "step"].map(|name| Step::Key(name.to_owned()));
        !rest.is_empty() && self.key.path[..before] == step
    }

    /// Names that a user chose are not made up by a setting: a misspelt one would change nothing.
    fn refuse_new_material(&self, materials: &DeTable<'_>, name: &str) -> Result<()> {
        if materials.contains_key(name) {
            return Ok(());
        }
        let known: Vec<&str> = materials.iter().map(|(name, _)| name.get_ref().as_ref()).collect();
        Err(self.none_such(&format!("no material \"{}\"", shown(name)), name, &known))
    }

    /// The numbers of the elements that are meant.
    pub fn chosen(&self, array: &DeArray<'_>, name: &str, which: &str) -> Result<Vec<usize>> {
        if which == "*" {
            // A pair that does not touch has no law to set.
            let touches = |number: &usize| name != "contact" || !array.get(*number).is_some_and(never_touches);
            return Ok((0..array.len()).filter(touches).collect());
        }
        if let Ok(number) = which.parse::<usize>() {
            if number < array.len() {
                return Ok(vec![number]);
            }
            let (count, last) = (array.len(), array.len().saturating_sub(1));
            return Err(self.error(format!("there is no number {number}: the {count} are counted from 0 to {last}")));
        }
        let pair = if name == "contact" { pair_in(which) } else { None };
        let covered = |label: &str| pair.as_ref().zip(pair_in(label)).is_some_and(|(pair, label)| covers(pair, &label));
        let labels: Vec<String> = array.iter().enumerate().map(|(number, element)| label(element, number)).collect();
        let same = |label: &String| *label == which || covered(label);
        let found: Vec<usize> = (0..array.len()).filter(|&number| same(&labels[number])).collect();
        if found.is_empty() {
            let known: Vec<&str> = labels.iter().map(String::as_str).collect();
            return Err(self.none_such(&format!("no {name}[{}]", shown(which)), which, &known));
        }
        Ok(found)
    }

    /// Gives a pair of materials, or all pairs with one of them, tables of their own, as the tables that cover them and others
    /// say: so a setting changes the pairs that it names and no others.
    fn cut_wildcards(&self, contacts: &mut DeArray<'_>, pair: &Pair) -> Result<()> {
        let mut tables: Vec<(usize, Pair)> =
            contacts.iter().enumerate().filter_map(|(number, contact)| Some((number, pair_of(contact)?))).collect();
        // The most exact ones first, which count where several cover a pair.
        tables.sort_by_key(|(_, table)| std::cmp::Reverse(exactness(table)));
        let mut cut: Vec<(Pair, &Pair)> = Vec::new();
        for (number, table) in &tables {
            let Some(both) = meet(pair, table).filter(|both| both != table) else { continue };
            if tables.iter().any(|(_, other)| *other == both) {
                continue;
            }
            if let Some((_, first)) = cut.iter().find(|(done, _)| *done == both) {
                if exactness(first) == exactness(table) {
                    let [first, second] = [first, table].map(|pair| shown(&pair.join(",")));
                    return Err(self.error(format!("contact[{first}] and contact[{second}] cover it as exactly")));
                }
                continue;
            }
            let own = contacts.get(*number).map(|contact| between_others(contact, &both, self.span.clone()));
            if let Some(own) = own {
                contacts.push(own);
            }
            cut.push((both, table));
        }
        Ok(())
    }

    fn none_such(&self, what: &str, name: &str, known: &[&str]) -> InputError {
        let error = self.error(format!("the scene has {what}"));
        match nearest(name, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("there are: {}", shown(&known.join("; ")))),
        }
    }

    fn spanned<'a>(&self, value: DeValue<'a>) -> Spanned<DeValue<'a>> {
        Spanned::new(self.span.clone(), value)
    }
}

/// Whether a contact has `normal = "none"`.
fn never_touches(contact: &Spanned<DeValue<'_>>) -> bool {
    let normal = contact.get_ref().as_table().and_then(|table| table.get("normal"));
    normal.is_some_and(|normal| normal.get_ref().as_str() == Some(NONE))
}

/// What an element of an array is called in a path: its materials, its name, what it records, or its number.
fn label(element: &Spanned<DeValue<'_>>, number: usize) -> String {
    if let Some([first, second]) = pair_of(element) {
        return format!("{first},{second}");
    }
    let table = element.get_ref().as_table();
    let text = |key: &str| table?.get(key)?.get_ref().as_str().map(str::to_owned);
    text("name").or_else(|| text("what")).unwrap_or_else(|| number.to_string())
}

fn add_record<'a>(scene: &mut DeTable<'a>, record: Spanned<DeValue<'a>>) {
    let span = record.span();
    if let Some(records) = scene.get_mut("record") {
        if let DeValue::Array(records) = records.get_mut() {
            records.push(record);
        }
        return;
    }
    let mut records = DeArray::new();
    records.push(record);
    scene.insert(Spanned::new(span.clone(), "record".into()), Spanned::new(span, DeValue::Array(records)));
}

#[cfg(test)]
mod tests;

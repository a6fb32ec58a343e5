//! The keys of a law's table: what each takes, its unit, its default and its meaning. Written once, they serve the reader
//! (`Given`), the schema (`Takes::schema`), `stickslip laws` and the resolved scene (`Values`).
//!
//! Does not do: say which laws there are (`mod.rs`), or what a law makes of its keys (its own file).

use serde_json::{Value, json};
use stickslip::law::{Limit, Measure, restitution};

use crate::input::{Item, Result, Table};
use crate::scene::resolved::number;
use crate::scene::schema::build;

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A number above zero.
    Positive,
    /// A number that is not negative.
    NonNegative,
    /// A number from 0 to 1.
    Restitution,
    /// Poisson's ratio.
    Poisson,
    /// A whole number from one to another.
    Whole(u16, u16),
    /// `true` or `false`.
    Boolean,
    /// One of several words.
    Words(&'static [&'static str]),
    /// A number that is not negative, or a static and a kinetic one.
    Coefficient,
    /// A share of the critical dashpot: a number that is not negative, or `critical`.
    Share,
    /// A table, by its schema.
    Table(fn() -> Value),
}

/// `critical`, as a share.
const SHARES: [(&str, f64); 1] = [("critical", 1.0)];

impl Takes {
    /// The number of a key that takes one.
    pub(crate) fn number(self, item: Item<'_>) -> Result<f64> {
        match self {
            Takes::Positive => item.positive(),
            Takes::Restitution => {
                item.number_such("a coefficient of restitution from 0 to 1", |e| (0.0..=1.0).contains(&e))
            }
            Takes::Poisson => {
                item.number_such("a Poisson's ratio above -1 and at most 0.5", |nu| nu > -1.0 && nu <= 0.5)
            }
            Takes::Whole(from, to) => {
                let fits = |x: f64| x.fract() == 0.0 && (f64::from(from)..=f64::from(to)).contains(&x);
                item.number_such(&format!("a whole number from {from} to {to}"), fits)
            }
            Takes::Share if item.is_string() => item.choice(&SHARES, &[]),
            _ => item.non_negative(),
        }
    }

    /// What a schema says of it.
    pub(crate) fn schema(self) -> Value {
        match self {
            Takes::Positive => build::positive(),
            Takes::NonNegative => build::non_negative(),
            Takes::Restitution => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Takes::Poisson => json!({"type": "number", "exclusiveMinimum": -1, "maximum": 0.5}),
            Takes::Whole(from, to) => json!({"type": "integer", "minimum": from, "maximum": to}),
            Takes::Boolean => build::boolean(),
            Takes::Words(words) => build::words(words),
            Takes::Coefficient => build::defined("coefficient"),
            Takes::Share => build::one_of(vec![build::word(SHARES[0].0), build::non_negative()]),
            Takes::Table(schema) => schema(),
        }
    }
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    unit: &'static str,
    /// What it takes.
    pub(crate) takes: Takes,
}

impl Key {
    /// Its unit, or `-` for a pure number, or the words it may be.
    pub fn unit(&self) -> String {
        match self.takes {
            Takes::Boolean => "true | false".into(),
            Takes::Words(words) => words.join(" | "),
            _ => self.unit.into(),
        }
    }
}

/// A key with its unit; words need none.
pub(crate) const fn key(name: &'static str, unit: &'static str, takes: Takes) -> Key {
    Key { name, unit, takes }
}

/// A parameter of a law: one key, or several that say the same thing in different ways, of which at most one is given.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The keys.
    pub keys: &'static [Key],
    /// Default, a value or in words; `None` when the parameter must be given.
    pub default: Option<&'static str>,
    /// What it is.
    pub meaning: &'static str,
}

impl Parameter {
    /// Its keys, with ` | ` between them.
    pub fn name(&self) -> String {
        self.keys.iter().map(|key| key.name).collect::<Vec<_>>().join(" | ")
    }

    /// Their units likewise.
    pub fn unit(&self) -> String {
        self.keys.iter().map(Key::unit).collect::<Vec<_>>().join(" | ")
    }
}

/// A parameter that must be given.
pub(crate) const fn must(keys: &'static [Key], meaning: &'static str) -> Parameter {
    Parameter { keys, default: None, meaning }
}

/// A parameter that may be absent.
pub(crate) const fn may(keys: &'static [Key], default: &'static str, meaning: &'static str) -> Parameter {
    Parameter { keys, default: Some(default), meaning }
}

/// The words of a list of words with what they stand for.
pub(crate) const fn words_of<T: Copy, const N: usize>(list: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut words = [""; N];
    let mut i = 0;
    while i < N {
        words[i] = list[i].0;
        i += 1;
    }
    words
}

/// Ways to give a dashpot that exclude each other.
pub(crate) const DASHPOT: [&str; 2] = ["damping", "damping_ratio"];
/// The same along the normal.
pub(crate) const NORMAL_DASHPOT: [&str; 3] = ["damping", "damping_ratio", "restitution"];

/// The table of a law as it is given, read by the law's parameters. A law asks for keys of its own parameters only.
#[derive(Clone, Copy)]
pub(crate) struct Given<'t, 'a> {
    /// The table.
    pub table: &'t Table<'a>,
    /// The parameters.
    pub parameters: &'static [Parameter],
}

impl<'a> Given<'_, 'a> {
    fn parameter(&self, name: &str) -> (&'static Parameter, Key) {
        let keys = self.parameters.iter().flat_map(|parameter| parameter.keys.iter().map(move |key| (parameter, *key)));
        keys.into_iter().find(|(_, key)| key.name == name).expect("a law asks for keys of its own parameters only")
    }

    /// The number that an item of this key holds.
    pub fn check(&self, name: &str, item: Item<'a>) -> Result<f64> {
        self.parameter(name).1.takes.number(item)
    }

    /// A number, or its default; without one it must be there.
    pub fn number(&self, name: &'static str) -> Result<f64> {
        let (parameter, key) = self.parameter(name);
        let share = |word: &str| SHARES.iter().find(|(name, _)| *name == word).map(|(_, share)| *share);
        let default = parameter.default.and_then(|default| default.parse().ok().or_else(|| share(default)));
        match default {
            Some(default) => Ok(self.table.read(name, |item| key.takes.number(item))?.unwrap_or(default)),
            None => self.table.need(name, |item| key.takes.number(item)),
        }
    }

    /// A number, if it is there.
    pub fn optional(&self, name: &'static str) -> Result<Option<f64>> {
        self.table.read(name, |item| self.check(name, item))
    }

    /// `true` or `false`, or the default.
    pub fn flag(&self, name: &'static str) -> Result<bool> {
        let default = self.parameter(name).0.default == Some("true");
        Ok(self.table.read(name, Item::boolean)?.unwrap_or(default))
    }

    /// One of the key's words, by what they stand for, or the default.
    pub fn choice<T: Copy>(&self, name: &'static str, words: &[(&'static str, T)]) -> Result<T> {
        let default = self.parameter(name).0.default;
        let given = self.table.read(name, |item| item.choice(words, &[]))?;
        let default = words.iter().find(|(word, _)| Some(*word) == default).map(|(_, value)| *value);
        Ok(given.or(default).expect("the default of a choice is one of its words"))
    }

    /// The one key that is given of a parameter that must be there.
    pub fn one_of(&self, name: &'static str) -> Result<(&'static str, Item<'a>)> {
        let names: Vec<&'static str> = self.parameter(name).0.keys.iter().map(|key| key.name).collect();
        match self.table.one_of(&names)? {
            Some(given) => Ok(given),
            // Reports a misspelt key where there is one.
            None => Ok((name, self.table.required(name)?)),
        }
    }

    /// A dashpot, and whether it is given as a share of the critical one.
    pub fn dashpot(&self) -> Result<(f64, bool)> {
        match self.table.one_of(&DASHPOT)? {
            None => Ok((self.number("damping")?, false)),
            Some((key, item)) => Ok((self.check(key, item)?, key == "damping_ratio")),
        }
    }

    /// `cohesionless`, the dashpot of a normal law as a rate, and as a share of the critical one.
    pub fn normal_dashpot(&self) -> Result<(bool, f64, f64)> {
        let cohesionless = self.flag("cohesionless")?;
        let (damping, ratio) = match self.table.one_of(&NORMAL_DASHPOT)? {
            None => (self.number("damping")?, 0.0),
            Some((key, item)) => match (key, self.check(key, item)?) {
                ("damping", damping) => (damping, 0.0),
                ("damping_ratio", ratio) => (0.0, ratio),
                (_, e) => (0.0, restitution::damping_ratio(e, cohesionless)),
            },
        };
        Ok((cohesionless, damping, ratio))
    }

    /// A coefficient that must be there: a number, or a static and a kinetic one.
    pub fn coefficients(&self, name: &'static str, measure: Measure) -> Result<Limit> {
        self.limit_of(name, self.table.required(name)?, measure)
    }

    /// `mu` or `length`, if one is there.
    pub fn optional_torque_limit(&self) -> Result<Option<Limit>> {
        let given = self.table.one_of(&["mu", "length"])?;
        let measure = |name: &str| if name == "length" { Measure::Length } else { Measure::Mu };
        given.map(|(name, item)| self.limit_of(name, item, measure(name))).transpose()
    }

    /// `mu` or `length`, one of which must be there.
    pub fn torque_limit(&self) -> Result<Limit> {
        if let Some(limit) = self.optional_torque_limit()? {
            return Ok(limit);
        }
        match self.table.required("mu") {
            // A misspelt `mu` is reported as such.
            Err(error) if error.message().contains("unknown key") => Err(error),
            _ => Err(self
                .table
                .error("the limit is missing: give `mu` (|M| <= mu R_eff N) or `length` (|M| <= length N)".into())),
        }
    }

    fn limit_of(&self, name: &str, item: Item<'a>, measure: Measure) -> Result<Limit> {
        if !item.is_table() {
            let both = item.non_negative()?;
            return Ok(Limit { static_: both, kinetic: both, measure });
        }
        if !matches!(self.parameter(name).1.takes, Takes::Coefficient) {
            let law = self.table.required("law")?.string()?;
            return Err(item.error(format!("{law} has no memory, hence no static branch: expected one number")));
        }
        let table = item.table()?;
        let static_ = table.need("static", Item::non_negative)?;
        let place = table.required("kinetic")?;
        let kinetic = place.clone().non_negative()?;
        if kinetic > static_ {
            return Err(place.error(format!("the kinetic value {kinetic} is above the static one, {static_}")));
        }
        table.finish()?;
        Ok(Limit { static_, kinetic, measure })
    }
}

/// The keys of a law with their values, every default among them, as a resolved scene has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Values(Vec<(&'static str, String)>);

impl Values {
    /// None yet.
    pub fn new() -> Self {
        Values::default()
    }

    /// And a value in TOML.
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.0.push((name, value));
        self
    }

    /// And a number.
    pub fn number(self, name: &'static str, value: f64) -> Self {
        self.with(name, number(value))
    }

    /// And `true` or `false`.
    pub fn flag(self, name: &'static str, value: bool) -> Self {
        self.with(name, value.to_string())
    }

    /// And the word that stands for a value.
    pub fn choice<T: PartialEq>(self, name: &'static str, words: &[(&'static str, T)], value: T) -> Self {
        let word = words.iter().find(|(_, one)| *one == value).map_or("", |(word, _)| word);
        self.with(name, format!("\"{word}\""))
    }

    /// And a share of the critical dashpot.
    pub fn share(self, name: &'static str, value: f64) -> Self {
        match SHARES.iter().find(|(_, share)| *share == value) {
            Some((word, _)) => self.with(name, format!("\"{word}\"")),
            None => self.number(name, value),
        }
    }

    /// And a dashpot, itself or as a share of the critical one.
    pub fn dashpot(self, damping: f64, by_ratio: bool) -> Self {
        self.number(DASHPOT[usize::from(by_ratio)], damping)
    }

    /// And a limit.
    pub fn limit(self, limit: &Limit) -> Self {
        let name = if limit.measure == Measure::Length { "length" } else { "mu" };
        let (static_, kinetic) = (number(limit.static_), number(limit.kinetic));
        let one = limit.static_ == limit.kinetic;
        self.with(name, if one { static_ } else { format!("{{ static = {static_}, kinetic = {kinetic} }}") })
    }

    /// Those of a normal law.
    pub fn normal(stiffness: f64, damping: f64, ratio: f64, cohesionless: bool) -> Self {
        let by_ratio = ratio > 0.0;
        let spring = Values::new().number("stiffness", stiffness);
        spring.dashpot(if by_ratio { ratio } else { damping }, by_ratio).flag("cohesionless", cohesionless)
    }

    /// The names.
    #[cfg(test)]
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The inside of a table in TOML.
    pub fn text(&self) -> String {
        self.0.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    }
}

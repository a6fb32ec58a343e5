//! What an experiment is, what it is given and what it hands back.
//!
//! An experiment is a function from a `Context` to an `Outcome`: numbers, checks of some of them, and files. It prints
//! nothing; what it writes by itself is only the work that a later call can go on with.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

/// One experiment of one paper.
pub struct Experiment {
    /// `paper/experiment`.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What is smaller than in the paper unless the full size is asked for; empty when nothing is.
    pub scaled_down: &'static str,
    /// Does it.
    pub run: fn(&Context) -> Result<Outcome, Ended>,
}

/// How large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Minutes.
    Quick,
    /// The paper's own size.
    Full,
}

/// What an experiment is given.
pub struct Context<'a> {
    /// How large.
    pub scale: Scale,
    /// How many threads it may keep busy. Nothing but the time depends on it.
    pub threads: usize,
    /// The folder of the experiment, for work that a later call can go on with; it is there.
    pub folder: &'a Path,
    /// Whether that is to be used; else all is done anew.
    pub go_on: bool,
    /// Set when the user wants it to end.
    pub interrupted: &'a AtomicBool,
    /// Told now and then how far it is, in [0, 1], and what it does.
    pub progress: &'a (dyn Fn(f64, &str) + Sync),
}

impl Context<'_> {
    /// An error when the user wants it to end.
    pub fn check_interrupt(&self) -> Result<(), Ended> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Ended::Interrupted) } else { Ok(()) }
    }
}

/// Why an experiment has no outcome.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// The user wanted it to end.
    Interrupted,
    /// Something went wrong.
    Failed(String),
}

impl Ended {
    /// From whatever can say what went wrong.
    pub fn failed(error: impl ToString) -> Self {
        Ended::Failed(error.to_string())
    }
}

/// A number that was found, whether something holds, or a word.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Metric {
    /// A number.
    Number(f64),
    /// Whether something holds.
    Holds(bool),
    /// A word, such as the modes of a contact.
    Word(&'static str),
}

/// A number that was found beside the one that should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What is compared: the name of a metric where it is one.
    pub name: String,
    /// What was found.
    pub measured: f64,
    /// What should be.
    pub expected: f64,
    /// By how much the two may differ.
    pub tolerance: f64,
    /// Whether they do not differ by more.
    pub pass: bool,
    /// Where the expected value comes from.
    pub source: String,
}

/// What an experiment hands back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Numbers by name.
    pub metrics: BTreeMap<String, Metric>,
    /// Comparisons.
    pub checks: Vec<Check>,
    /// Files by name: tables, figures, pictures.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Outcome {
    /// Notes a number.
    pub fn metric(&mut self, name: impl Into<String>, value: f64) {
        self.metrics.insert(name.into(), Metric::Number(value));
    }

    /// Notes whether something holds.
    pub fn holds(&mut self, name: impl Into<String>, holds: bool) {
        self.metrics.insert(name.into(), Metric::Holds(holds));
    }

    /// Notes a word.
    pub fn word(&mut self, name: impl Into<String>, word: &'static str) {
        self.metrics.insert(name.into(), Metric::Word(word));
    }

    /// Compares a number with the one that should be.
    pub fn check(&mut self, name: impl Into<String>, measured: f64, expected: f64, tolerance: f64, source: &str) {
        // Not a number is within no tolerance.
        let pass = (measured - expected).abs() <= tolerance;
        self.checks.push(Check { name: name.into(), measured, expected, tolerance, pass, source: source.into() });
    }

    /// Notes a number and compares it.
    pub fn checked(&mut self, name: &str, measured: f64, expected: f64, tolerance: f64, source: &str) {
        self.metric(name, measured);
        self.check(name, measured, expected, tolerance, source);
    }

    /// Adds a file.
    pub fn file(&mut self, name: &str, content: impl Into<Vec<u8>>) {
        self.files.push((name.to_owned(), content.into()));
    }

    /// How many checks were missed.
    pub fn missed(&self) -> usize {
        self.checks.iter().filter(|check| !check.pass).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_missed_by_more_than_its_tolerance_and_by_what_is_no_number() {
        let mut outcome = Outcome::default();
        for measured in [1.0, 1.25, 1.26, f64::NAN, f64::INFINITY] {
            outcome.check("a", measured, 1.0, 0.25, "");
        }
        let passed: Vec<bool> = outcome.checks.iter().map(|check| check.pass).collect();
        assert_eq!(passed, [true, true, false, false, false]);
        assert_eq!(outcome.missed(), 3);
    }
}

//! What is kept of an experiment: `result.json` and the files beside it.
//!
//! `result.json` comes last and goes first: while it is there, all that it speaks of is there and belongs to it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stickslip_io::results::write_whole;

use crate::experiment::{Check, Experiment, Metric, Outcome, Scale};

/// The name of the file.
pub const RESULT: &str = "result.json";

/// The content of `result.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary<'a> {
    /// The experiment.
    pub id: &'a str,
    /// How large it was.
    pub scale: Scale,
    /// How long it took.
    pub seconds: f64,
    /// Numbers by name.
    pub metrics: &'a std::collections::BTreeMap<String, Metric>,
    /// Comparisons.
    pub checks: &'a [Check],
}

impl<'a> Summary<'a> {
    /// Of an experiment that has been done.
    pub fn new(experiment: &'a Experiment, scale: Scale, seconds: f64, outcome: &'a Outcome) -> Self {
        Summary { id: experiment.id, scale, seconds, metrics: &outcome.metrics, checks: &outcome.checks }
    }
}

/// Where an experiment is kept under a folder.
pub fn folder(under: &Path, experiment: &Experiment) -> PathBuf {
    experiment.id.split('/').fold(under.to_owned(), |path, part| path.join(part))
}

/// The scale of the result that a folder holds; none if there is none that can be read.
pub fn scale_of(folder: &Path) -> Option<Scale> {
    #[derive(Deserialize)]
    struct Kept {
        scale: Scale,
    }
    let text = fs::read_to_string(folder.join(RESULT)).ok()?;
    serde_json::from_str(&text).ok().map(|kept: Kept| kept.scale)
}

/// Where an experiment keeps packings as they are finished.
pub const PACKINGS: &str = "packings.csv";

/// Whether a folder holds part of a full result: rows of packings, and no result that they belong to.
pub fn broken_off(folder: &Path) -> bool {
    folder.join(PACKINGS).exists() && !folder.join(RESULT).exists()
}

/// Takes away the result of an earlier call, so that it does not stand beside files that are not its own.
pub fn withdraw(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(RESULT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes all files, each whole or not at all, and `result.json` as the last.
pub fn write(folder: &Path, summary: &Summary, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    withdraw(folder)?;
    for (name, content) in files {
        write_whole(&folder.join(name), content)?;
    }
    let mut text = serde_json::to_vec_pretty(summary).map_err(io::Error::other)?;
    text.push(b'\n');
    write_whole(&folder.join(RESULT), &text)
}

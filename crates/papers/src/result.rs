//! What is kept of an experiment: `result.json` and the files beside it.
//!
//! `result.json` comes last and goes first: while it is there, all that it speaks of is there and belongs to it.
//! `part.json` is there while an experiment that writes its tables row by row has no result yet; it holds the scale.

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
    scale_in(&folder.join(RESULT))
}

/// The table to which an experiment adds packings as they are finished.
pub const PACKINGS: &str = "packings.csv";

/// The file that says of which scale the rows of an unfinished experiment are.
const PART: &str = "part.json";

/// What `result.json` and `part.json` have in common.
#[derive(Serialize, Deserialize)]
struct Kept {
    scale: Scale,
}

/// Reads the scale from a file of the folder; none if there is none that can be read.
fn scale_in(path: &Path) -> Option<Scale> {
    let text = fs::read_to_string(path).ok()?;
    serde_json::from_str(&text).ok().map(|kept: Kept| kept.scale)
}

/// Returns the scale of the unfinished experiment that a folder holds; none beside a result.
pub fn part_of(folder: &Path) -> Option<Scale> {
    if folder.join(RESULT).exists() {
        return None;
    }
    // Rows without the file are of an earlier version, which stored those of a full experiment only.
    scale_in(&folder.join(PART)).or_else(|| folder.join(PACKINGS).exists().then_some(Scale::Full))
}

/// Marks a folder as part of an experiment of this scale, until `write` completes it. An earlier result goes first, then the
/// tables named here.
pub fn begin(folder: &Path, scale: Scale, stale: &[&str]) -> io::Result<()> {
    withdraw(folder)?;
    stale.iter().try_for_each(|table| remove(&folder.join(table)))?;
    let text = serde_json::to_vec(&Kept { scale }).map_err(io::Error::other)?;
    write_whole(&folder.join(PART), &text)
}

/// Takes away the result of an earlier call, so that it does not stand beside files that are not its own.
pub fn withdraw(folder: &Path) -> io::Result<()> {
    remove(&folder.join(RESULT))
}

/// Removes a file if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
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
    write_whole(&folder.join(RESULT), &text)?;
    remove(&folder.join(PART))
}

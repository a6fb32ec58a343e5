//! `run.json`: where a run comes from, how far it is, how it ended, and each time it was taken up again.
//!
//! Only the content is here; `run_folder.rs` reads and writes the file.

use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use stickslip::random::fnv1a;

use super::growing::StageMark;
use super::record::file_names;
use super::utc;
use crate::scene::Record;

/// How a run ended, or that it has not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Ending {
    /// It goes on, or was killed.
    Running,
    /// It reached its end time.
    Finished,
    /// A stop rule held: which.
    Stopped(String),
    /// It went wrong: the message.
    Failed(String),
    /// The user ended it.
    Interrupted,
    /// Something could not be written: what. The run itself is sound.
    BrokenOff(String),
}

impl Ending {
    /// Whether there is nothing to go on with: it has reached its end, or would fail in the same way again.
    pub fn is_over(&self) -> bool {
        matches!(self, Ending::Finished | Ending::Stopped(_) | Ending::Failed(_))
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Running => f.write_str("running"),
            Ending::Finished => f.write_str("finished"),
            Ending::Stopped(rule) => write!(f, "stopped: {rule}"),
            Ending::Failed(message) => write!(f, "failed: {message}"),
            Ending::Interrupted => f.write_str("interrupted"),
            Ending::BrokenOff(message) => write!(f, "broken off: {message}"),
        }
    }
}

impl From<Ending> for String {
    fn from(ending: Ending) -> String {
        ending.to_string()
    }
}

impl From<String> for Ending {
    fn from(text: String) -> Ending {
        match text.split_once(": ") {
            Some(("stopped", rule)) => Ending::Stopped(rule.to_owned()),
            Some(("failed", message)) => Ending::Failed(message.to_owned()),
            Some(("broken off", message)) => Ending::BrokenOff(message.to_owned()),
            _ if text == "running" => Ending::Running,
            _ if text == "finished" => Ending::Finished,
            _ if text == "interrupted" => Ending::Interrupted,
            _ => Ending::Failed(text),
        }
    }
}

/// What `run.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunJson {
    /// Always "stickslip": tells the file from others of its name.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Commit it was built from, if known.
    pub commit: Option<String>,
    /// Title of the scene.
    pub title: String,
    /// The scene file as the user named it, without its folders.
    pub scene_file: String,
    /// `scene_hash` of its text.
    pub scene_hash: String,
    /// Threads used.
    pub threads: usize,
    /// Instructions used: "avx512", "avx2" or "baseline".
    pub cpu: String,
    /// Start, UTC, ISO 8601.
    pub started: String,
    /// End, UTC, ISO 8601; absent while the run goes on.
    pub ended: Option<String>,
    /// Seconds from start to end, or to the latest writing of this file.
    pub wall_seconds: f64,
    /// Step (s).
    pub step: f64,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time (s).
    pub simulated_time: f64,
    /// Bodies at the end.
    pub bodies: usize,
    /// Touching contacts at the end.
    pub contacts: usize,
    /// Bodies that entered during the run.
    #[serde(default)]
    pub entered: u64,
    /// Bodies that left during the run.
    #[serde(default)]
    pub left: u64,
    /// How it ended.
    pub ending: Ending,
    /// Its record files; of snapshots the lists, or `<name>-*.data` where there is none.
    pub records: Vec<String>,
    /// What the user was warned of.
    pub warnings: Vec<String>,
    /// The stages that have begun, the scene itself first; none of a scene without stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageMark>,
    /// Each time the run was taken up again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<Resumed>,
}

/// One time that a run was taken up again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// When, UTC, ISO 8601.
    pub at: String,
    /// After which step.
    pub step: u64,
    /// How it had ended before.
    pub after: Ending,
    /// Version of the program.
    pub version: String,
    /// Commit it was built from, if known.
    pub commit: Option<String>,
    /// Threads used from there on.
    pub threads: usize,
    /// Instructions used from there on.
    pub cpu: String,
}

impl RunJson {
    /// A run that starts now, of this program, with nothing done yet; of an unknown commit, on one thread.
    pub fn starting(title: &str, scene_file: &Path, scene_text: &str, records: &[Record]) -> Self {
        RunJson {
            program: "stickslip".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: None,
            title: title.into(),
            scene_file: scene_file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            scene_hash: scene_hash(scene_text),
            threads: 1,
            cpu: "baseline".into(),
            started: utc::iso8601(SystemTime::now()),
            ended: None,
            wall_seconds: 0.0,
            step: 0.0,
            steps: 0,
            simulated_time: 0.0,
            bodies: 0,
            contacts: 0,
            entered: 0,
            left: 0,
            ending: Ending::Running,
            records: records.iter().flat_map(file_names).collect(),
            warnings: Vec::new(),
            stages: Vec::new(),
            resumed: Vec::new(),
        }
    }
}

/// A 64-bit FNV-1a hash of a text: tells whether two runs had the same scene, not whether someone forged one.
pub fn scene_hash(text: &str) -> String {
    format!("fnv1a64-{:016x}", fnv1a(text.bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_survive_the_file() {
        let stopped = Ending::Stopped("kinetic_energy_per_body: below 1e-12".into());
        for ending in [Ending::Running, Ending::Finished, stopped, Ending::Failed("x: y".into()), Ending::Interrupted] {
            assert_eq!(Ending::from(String::from(ending.clone())), ending);
        }
    }

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!(scene_hash(""), "fnv1a64-cbf29ce484222325");
        assert_eq!(scene_hash("foobar"), "fnv1a64-85944171f73967e8");
    }
}

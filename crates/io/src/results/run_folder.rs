//! The folder of a run: whether it may be used, clearing it on `--force`, `scene.toml` and `run.json`.
//!
//! `run.json` is the first file written and names the records, so that a folder can be told from any other, and so that
//! `--force` knows what is its to remove: files of the run directly in the folder, and nothing else. Names of a run's
//! files that lie in a folder without a `run.json` belong to someone else; then the folder is refused, forced or not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stickslip::random::fnv1a;

use super::file::{PART, at, write_whole};
use super::record::{file_names, spool_name};
use super::{checkpoints, fixed};
use crate::checkpoint;
use crate::input::read_text;
use crate::scene::Record;

/// The largest `run.json` that is read (bytes).
const LARGEST_RUN: u64 = 16 << 20;

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
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Running => f.write_str("running"),
            Ending::Finished => f.write_str("finished"),
            Ending::Stopped(rule) => write!(f, "stopped: {rule}"),
            Ending::Failed(message) => write!(f, "failed: {message}"),
            Ending::Interrupted => f.write_str("interrupted"),
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
    /// Instructions used: "avx2" or "baseline".
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
}

impl RunJson {
    /// A run that starts now, of this program, with nothing done yet. The commit is taken from `STICKSLIP_COMMIT` at
    /// build time.
    pub fn starting(title: &str, scene_file: &Path, scene_text: &str, records: &[Record]) -> Self {
        RunJson {
            program: "stickslip".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: option_env!("STICKSLIP_COMMIT").map(str::to_owned),
            title: title.into(),
            scene_file: scene_file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            scene_hash: scene_hash(scene_text),
            threads: 1,
            cpu: "baseline".into(),
            started: super::utc::iso8601(std::time::SystemTime::now()),
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
            records: record_files(records),
            warnings: Vec::new(),
        }
    }
}

/// A 64-bit FNV-1a hash of a text: tells whether two runs had the same scene, not whether someone forged one.
pub fn scene_hash(text: &str) -> String {
    format!("fnv1a64-{:016x}", fnv1a(text.bytes()))
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It has a run, and `--force` was not given.
    #[error(
        "{folder} already holds a run. Replace it with `--force`, or choose another folder with `--out` (`stickslip resume`, \
         which will go on with a run, is promised, not built yet)"
    )]
    HoldsRun {
        /// The folder.
        folder: String,
    },
    /// It has a file of a name that the run would write, but no run.
    #[error(
        "{folder} holds `{file}`, which this run would overwrite, and no run.json that says a run wrote it. Choose \
         another folder with `--out`, or move the file away (`--force` removes only what a run wrote)"
    )]
    HoldsOther {
        /// The folder.
        folder: String,
        /// The file in it.
        file: String,
    },
    /// Its `run.json` is not of a run of this program.
    #[error(
        "{folder} holds a run.json that is not of a stickslip run ({reason}), so `--force` removes nothing. Choose \
         another folder with `--out`"
    )]
    ForeignRun {
        /// The folder.
        folder: String,
        /// What is wrong with the file.
        reason: String,
    },
    /// The path names a file.
    #[error("{folder} is not a folder. Choose another with `--out`")]
    NotAFolder {
        /// The path.
        folder: String,
    },
    /// The operating system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// `runs/<stem of the scene file>`.
    pub fn default_path(scene_file: &Path) -> PathBuf {
        Path::new("runs").join(scene_file.file_stem().unwrap_or("scene".as_ref()))
    }

    /// Whether a run with these records may use the folder; with `force` also one that holds an older run. Touches nothing.
    pub fn check(path: &Path, force: bool, records: &[Record]) -> Result<(), FolderError> {
        let there = path.ancestors().find(|place| place.exists());
        if let Some(other) = there.filter(|place| !place.is_dir()) {
            return Err(FolderError::NotAFolder { folder: other.display().to_string() });
        }
        if !path.exists() {
            return Ok(());
        }
        let folder = path.display().to_string();
        let mut names = entries(path)?;
        if path.join("run.json").exists() {
            if !force {
                return Err(FolderError::HoldsRun { folder });
            }
            let older = older_run(path)?;
            names.retain(|name| !is_run_file(name, &older.records));
        }
        let records = record_files(records);
        match names.into_iter().find(|name| is_run_file(name, &records)) {
            Some(name) if name == "scene.toml" && !force => Err(FolderError::HoldsRun { folder }),
            Some(file) => Err(FolderError::HoldsOther { folder, file }),
            None => Ok(()),
        }
    }

    /// Makes the folder, or takes one that was checked. An older run in it is removed.
    pub fn take(path: &Path) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(|error| at(path, error))?;
        if path.join("run.json").exists() {
            remove_run(path)?;
        }
        Ok(RunFolder { path: path.to_owned() })
    }

    /// Checks the folder, then takes it.
    pub fn create(path: &Path, force: bool, records: &[Record]) -> Result<Self, FolderError> {
        RunFolder::check(path, force, records)?;
        RunFolder::take(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the resolved scene.
    pub fn write_scene(&self, text: &str) -> io::Result<()> {
        write_whole(&self.path.join("scene.toml"), text.as_bytes())
    }

    /// Writes `run.json`: first of all files, and again when the run ends.
    pub fn write_run(&self, run: &RunJson) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(run).map_err(io::Error::other)?;
        text.push('\n');
        write_whole(&self.path.join("run.json"), text.as_bytes())
    }

    /// Reads the `run.json` of a folder.
    pub fn read_run(path: &Path) -> io::Result<RunJson> {
        let file = path.join("run.json");
        let text = read_text(&file, LARGEST_RUN).map_err(|error| at(&file, error))?;
        serde_json::from_str(&text).map_err(|error| at(&file, io::Error::new(io::ErrorKind::InvalidData, error)))
    }
}

/// The run that a folder holds, if it is one of this program.
fn older_run(path: &Path) -> Result<RunJson, FolderError> {
    let foreign = |reason: String| FolderError::ForeignRun { folder: path.display().to_string(), reason };
    let run = RunFolder::read_run(path).map_err(|error| foreign(error.to_string()))?;
    if run.program == "stickslip" { Ok(run) } else { Err(foreign(format!("its program is `{}`", run.program))) }
}

/// Removes the files of the run that `run.json` describes; `run.json` last, so that what is interrupted can be repeated.
fn remove_run(path: &Path) -> Result<(), FolderError> {
    let run = older_run(path)?;
    let names = entries(path)?.into_iter().filter(|name| name != "run.json" && is_run_file(name, &run.records));
    for name in names.chain(["run.json".to_owned()]) {
        let file = path.join(name);
        fs::remove_file(&file).map_err(|error| at(&file, error))?;
    }
    Ok(())
}

/// Names of the files directly in a folder; folders in it are none of ours, links are not followed.
fn entries(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| at(path, error))? {
        let entry = entry.map_err(|error| at(path, error))?;
        if !entry.file_type()?.is_dir() {
            names.extend(entry.file_name().into_string().ok());
        }
    }
    names.sort();
    Ok(names)
}

/// The files that these records write; of snapshots the lists, or `<name>-*.data` where there is none.
fn record_files(records: &[Record]) -> Vec<String> {
    records.iter().flat_map(file_names).collect()
}

/// Whether a run with these record files writes a file of this name.
fn is_run_file(name: &str, records: &[String]) -> bool {
    const ALWAYS: [&str; 9] = [
        "run.json",
        "scene.toml",
        fixed::FILE,
        "report.html",
        "energy.svg",
        "contacts.svg",
        "picture.png",
        checkpoint::START,
        checkpoint::END,
    ];
    let name = name.strip_suffix(PART).unwrap_or(name);
    ALWAYS.contains(&name)
        || is_measured(name)
        || records.iter().any(|record| {
            record == name
                || spool_name(record).as_deref() == Some(name)
                || is_snapshot(name, record)
                || checkpoints::is_one_of(name, record)
        })
}

/// Whether `stickslip measure` writes a file of this name.
fn is_measured(name: &str) -> bool {
    name.starts_with("measure-") && (name.ends_with(".csv") || name.ends_with(".svg"))
}

/// Whether this is `<stem>-<step>.vtp`, with `<stem>.pvd` a list of a snapshot record, or `<stem>-<step>.data`, with
/// `<stem>-*.data` the record.
fn is_snapshot(name: &str, record: &str) -> bool {
    let vtk = record.strip_suffix(".pvd").map(|stem| (stem, ".vtp"));
    let stem_and_ending = vtk.or_else(|| record.strip_suffix("-*.data").map(|stem| (stem, ".data")));
    let step = stem_and_ending.and_then(|(stem, end)| name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(end));
    step.is_some_and(|step| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::testing::test_folder;
    use super::*;
    use crate::scene::{Every, Format, What};

    fn records() -> Vec<Record> {
        let record = |what, format, name: &str| {
            let contacts = format == Format::Vtk;
            Record { what, every: Every::Time(0.1), format, name: name.into(), contacts }
        };
        vec![
            record(What::Bodies, Format::Csv, "grains"),
            record(What::Snapshot, Format::Vtk, "shot"),
            record(What::Snapshot, Format::LammpsData, "state"),
            record(What::Checkpoint, Format::Checkpoint, "safe"),
        ]
    }

    fn started(path: &Path) -> RunFolder {
        let folder = RunFolder::create(path, false, &records()).unwrap();
        let run = RunJson::starting("A pile", Path::new("examples/pile.toml"), "text", &records());
        folder.write_run(&run).unwrap();
        assert_eq!(RunFolder::read_run(path).unwrap(), run);
        folder.write_scene("title = \"A pile\"\n").unwrap();
        folder
    }

    #[test]
    fn a_run_is_refused_with_the_ways_on() {
        let parent = test_folder("refuse");
        let path = parent.join("deep/run");
        started(&path);
        let message = RunFolder::create(&path, false, &[]).unwrap_err().to_string();
        assert!(message.contains("--force") && message.contains("stickslip resume"), "{message}");
        fs::remove_file(path.join("run.json")).unwrap();
        assert!(matches!(RunFolder::create(&path, false, &[]), Err(FolderError::HoldsRun { .. })));
        assert!(matches!(RunFolder::create(&path, true, &[]), Err(FolderError::HoldsOther { .. })));
        assert!(path.join("scene.toml").exists());
        fs::remove_dir_all(parent).unwrap();
    }

    #[test]
    fn force_removes_a_run_and_nothing_else() {
        let path = test_folder("force");
        started(&path);
        let ours = ["grains.csv", "shot-0.vtp", "shot-120.vtp", "shot.pvd", "report.html.part", "measure-repose.svg"];
        let of_contacts = ["shot-contacts.pvd", "shot-contacts-0.vtp", "shot-chains.pvd", "shot-chains-5.vtp"];
        let states = ["end.checkpoint", "start.checkpoint", "safe-10.checkpoint", "safe-20.checkpoint.part"];
        let ours = [&ours[..], &of_contacts, &states, &["state-0.data", "state-7.data"]].concat();
        let theirs = ["notes.md", "shot-a.vtp", "other.csv", "shot-1.vtp.bak", "shot-forces-0.vtp", "state-a.data"];
        let theirs = [&theirs[..], &["safe-x.checkpoint", "checkpoint-1.checkpoint"]].concat();
        for name in ours.iter().chain(&theirs) {
            fs::write(path.join(name), "x").unwrap();
        }
        fs::create_dir(path.join("energy.svg")).unwrap();
        RunFolder::create(&path, true, &records()).unwrap();
        let mut expected: Vec<String> = theirs.iter().map(|&name| name.to_owned()).collect();
        expected.sort();
        assert_eq!(entries(&path).unwrap(), expected);
        assert!(path.join("energy.svg").is_dir());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn a_folder_of_someone_else_is_left_alone() {
        let path = test_folder("foreign");
        fs::write(path.join("grains.csv"), "mine").unwrap();
        assert!(matches!(RunFolder::create(&path, true, &records()), Err(FolderError::HoldsOther { .. })));
        fs::write(path.join("run.json"), "{\"program\": \"other\"}").unwrap();
        assert!(matches!(RunFolder::create(&path, true, &records()), Err(FolderError::ForeignRun { .. })));
        assert_eq!(entries(&path).unwrap(), ["grains.csv", "run.json"]);
        assert!(matches!(RunFolder::create(&path.join("run.json"), true, &[]), Err(FolderError::NotAFolder { .. })));
        fs::remove_dir_all(path).unwrap();
    }

    /// A folder that was refused had been made, or cleared of its older run, before.
    #[test]
    fn what_is_refused_is_left_as_it_was() {
        let path = test_folder("refused");
        fs::write(path.join("file"), "mine").unwrap();
        let below = path.join("file/below");
        assert!(matches!(RunFolder::create(&below, true, &[]), Err(FolderError::NotAFolder { .. })));
        let folder = RunFolder::create(&path.join("run"), false, &[]).unwrap();
        folder.write_run(&RunJson::starting("", Path::new("a.toml"), "", &[])).unwrap();
        folder.write_scene("").unwrap();
        // Of the new records, not of the older run.
        fs::write(folder.path().join("grains.csv"), "mine").unwrap();
        let refused = RunFolder::create(folder.path(), true, &records());
        assert!(matches!(refused, Err(FolderError::HoldsOther { .. })), "{refused:?}");
        assert_eq!(entries(folder.path()).unwrap(), ["grains.csv", "run.json", "scene.toml"]);
        RunFolder::check(&path.join("new"), false, &records()).unwrap();
        assert!(!path.join("new").exists());
        fs::remove_dir_all(path).unwrap();
    }

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

    #[test]
    fn the_default_folder_has_the_name_of_the_scene() {
        assert_eq!(RunFolder::default_path(Path::new("examples/01-pile.toml")), Path::new("runs/01-pile"));
    }
}

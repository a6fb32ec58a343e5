//! The folder of a run: whether it may be used, which files in it are the run's, clearing it on `--force`.
//!
//! `run.json` is the first file written and names the records, so that a folder can be told from any other, and so that
//! `--force` knows what is its to remove: files of the run directly in the folder, and nothing else. Names of a run's
//! files that lie in a folder without a `run.json` belong to someone else; then the folder is refused, forced or not.
//! `scene.toml` follows it: without one, nothing of the run has been there, and the folder is as good as empty.
//!
//! What `run.json` holds is in `run_json.rs`. A folder is locked while a process writes it (`lock.rs`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{PART, at, for_a_shell, sync_folder, write_whole};
use super::growing::{Marks, SnapshotMark};
use super::lock::{self, Lock, Locked};
use super::record::{file_names, spool_name};
use super::run_json::{Ending, RunJson};
use super::{checkpoints, fixed, joints};
use crate::checkpoint;
use crate::input::{no_such_folder, read_text};
use crate::scene::Record;

/// The largest `run.json` that is read (bytes).
const LARGEST_RUN: u64 = 16 << 20;

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It has a run that is over, and `--force` was not given.
    #[error(
        "{folder} already holds a run. Replace it with `--force`, or choose another folder with `--out` (`stickslip resume` \
         goes on with a run that is not over; this one is)"
    )]
    HoldsRun {
        /// The folder.
        folder: String,
    },
    /// It has a run that is not over, and `--force` was not given.
    #[error(
        "{folder} holds a run that is not over ({how}). Go on with it by `stickslip resume {command}`, replace it with \
         `--force`, or choose another folder with `--out`"
    )]
    HoldsUnfinished {
        /// The folder.
        folder: String,
        /// The folder as a command has it.
        command: String,
        /// How it was stopped.
        how: String,
    },
    /// Another process writes it.
    #[error("{folder} is in use by another process{which}: wait until it has ended, or stop it")]
    InUse {
        /// The folder.
        folder: String,
        /// Its number, in words.
        which: String,
    },
    /// There is no run in it.
    #[error("{folder} holds no run that could go on: {reason}")]
    NoRun {
        /// The folder.
        folder: String,
        /// What is missing.
        reason: String,
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
    /// A folder inside the one that was given is a link.
    #[error(
        "{folder} is a symbolic link, and stickslip writes only inside the folder that it is given. Remove the link, or \
         choose another folder with `--out`"
    )]
    IsLink {
        /// The link.
        folder: String,
    },
    /// The operating system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The folder of one run. While it is there, no other process writes the folder.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    _lock: Arc<Lock>,
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
        if let Some(process) = Lock::is_taken(path) {
            return Err(in_use(path, process));
        }
        check_free(path, force, records)
    }

    /// Refuses a folder that a command makes inside the one it was given, if it is a link: that leads elsewhere.
    pub fn refuse_link(path: &Path) -> Result<(), FolderError> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_symlink() => Err(FolderError::IsLink { folder: path.display().to_string() }),
            _ => Ok(()),
        }
    }

    /// Makes the folder, or takes one that was checked. An older run in it is removed.
    pub fn take(path: &Path, force: bool, records: &[Record]) -> Result<Self, FolderError> {
        fs::create_dir_all(path).map_err(|error| at(path, error))?;
        let folder = RunFolder::locked(path)?;
        // Another process may have been there between the check and the lock.
        check_free(path, force, records)?;
        if path.join("run.json").exists() {
            remove_run(path, |file| fs::remove_file(file))?;
        }
        Ok(folder)
    }

    /// Checks the folder, then takes it.
    pub fn create(path: &Path, force: bool, records: &[Record]) -> Result<Self, FolderError> {
        RunFolder::check(path, force, records)?;
        RunFolder::take(path, force, records)
    }

    /// Removes the run of a folder, and the folder if nothing else is in it.
    pub fn remove(path: &Path) -> Result<(), FolderError> {
        drop(RunFolder::create(path, true, &[])?);
        match fs::remove_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(at(path, error).into()),
            _ => Ok(()),
        }
    }

    /// The folder of a run that is to go on, and how far it is.
    pub fn reopen(path: &Path) -> Result<(Self, RunJson), FolderError> {
        let no_run = |reason: &str| FolderError::NoRun { folder: path.display().to_string(), reason: reason.into() };
        if path.is_file() {
            return Err(no_run("it is a file; expected the folder of a run, such as runs/NAME"));
        }
        if !path.is_dir() {
            return Err(no_run(&no_such_folder(path)));
        }
        if !path.join("run.json").exists() {
            return Err(no_run("it has no run.json; `stickslip run SCENE --out` starts one"));
        }
        older_run(path)?;
        let folder = RunFolder::locked(path)?;
        let run = older_run(path)?;
        if !path.join("scene.toml").exists() {
            return Err(no_run(if has_begun(path, &entries(path)?) {
                "its scene.toml is missing; put it back, or replace the run by `stickslip run SCENE --out .. --force`"
            } else {
                "it was stopped before it began; start it with `stickslip run SCENE --out ..`"
            }));
        }
        Ok((folder, run))
    }

    fn locked(path: &Path) -> Result<Self, FolderError> {
        match Lock::take(path)? {
            Locked::Ours(lock) => Ok(RunFolder { path: path.to_owned(), _lock: Arc::new(lock) }),
            Locked::Taken(process) => Err(in_use(path, process)),
        }
    }

    /// Removes what a run that is to go on will write again: pieces of files, Parquet tables made from spools that are still
    /// there, and snapshots of steps that `keeps` does not hold. With `None` all records go.
    pub fn cut_back(&self, run: &RunJson, keeps: Option<&Marks>) -> io::Result<()> {
        let all = keeps.is_none();
        let keeps = |record: &str, step: u64| {
            let files = keeps.and_then(|marks| mark_of(record, marks)).map(|mark| &mark.files);
            files.is_some_and(|files| files.iter().any(|(own, _)| *own == step))
        };
        for name in entries(&self.path)? {
            let again = match run.records.iter().find_map(|record| Some((record, snapshot_step(&name, record)?))) {
                Some((record, step)) => !keeps(record, step),
                None => {
                    let made = run.records.iter().any(|record| *record == name && spool_name(record).is_some());
                    let is_table = run.records.iter().any(|record| is_table(&name, record))
                        || name == fixed::FILE
                        || name == joints::FILE;
                    made || (name.ends_with(PART) && is_run_file(&name, &run.records)) || (all && is_table)
                }
            };
            if again {
                let file = self.path.join(name);
                fs::remove_file(&file).map_err(|error| at(&file, error))?;
            }
        }
        Ok(())
    }

    /// Removes what only a run that is not over needs: pieces of files, spools of Parquet tables, and, unless it failed,
    /// automatic checkpoints.
    pub fn tidy(&self, run: &RunJson) -> io::Result<()> {
        // That the run is over must be known before it can be forgotten how to go on.
        sync_folder(&self.path)?;
        let failed = matches!(run.ending, Ending::Failed(_));
        for name in entries(&self.path)? {
            let spool = run.records.iter().any(|record| spool_name(record).as_ref() == Some(&name));
            let piece = name.ends_with(PART) && is_run_file(&name, &run.records);
            if spool || piece || (is_automatic(&name) && !failed) {
                let file = self.path.join(name);
                fs::remove_file(&file).map_err(|error| at(&file, error))?;
            }
        }
        Ok(())
    }

    /// The first snapshot that a run should have and has not as it was, in words. Their content is not looked at: that would be
    /// to read all that a run has written.
    pub fn damaged_snapshot(&self, run: &RunJson, marks: &Marks) -> Option<String> {
        let lists = run.records.iter().filter_map(|record| Some((snapshot_parts(record)?, mark_of(record, marks)?)));
        let mut files = lists.flat_map(|((stem, ending), mark)| {
            mark.files.iter().map(move |(step, bytes)| (self.path.join(format!("{stem}-{step}{ending}")), *bytes))
        });
        files.find_map(|(file, bytes)| match fs::metadata(&file) {
            Ok(found) if found.is_file() && found.len() == bytes => None,
            Ok(found) if found.is_file() => {
                Some(format!("{} has {} bytes, not the {bytes} that it had", file.display(), found.len()))
            }
            _ => Some(format!("{} is missing", file.display())),
        })
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
        write_run(&self.path, run)
    }

    /// Reads the `run.json` of a folder.
    pub fn read_run(path: &Path) -> io::Result<RunJson> {
        let file = path.join("run.json");
        let text = read_text(&file, LARGEST_RUN).map_err(|error| at(&file, error))?;
        serde_json::from_str(&text).map_err(|error| at(&file, io::Error::new(io::ErrorKind::InvalidData, error)))
    }
}

fn write_run(path: &Path, run: &RunJson) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(run).map_err(io::Error::other)?;
    text.push('\n');
    write_whole(&path.join("run.json"), text.as_bytes())
}

fn in_use(path: &Path, process: Option<u32>) -> FolderError {
    let which = process.map_or_else(String::new, |process| format!(" (number {process})"));
    FolderError::InUse { folder: path.display().to_string(), which }
}

/// Whether nothing stands in the way of a run with these records in a folder that exists.
fn check_free(path: &Path, force: bool, records: &[Record]) -> Result<(), FolderError> {
    let folder = path.display().to_string();
    let mut names = entries(path)?;
    if path.join("run.json").exists() {
        if !force && has_begun(path, &names) {
            return Err(holds(path));
        }
        let older = older_run(path)?;
        names.retain(|name| !is_run_file(name, &older.records));
    }
    // All that is there when a process is killed as it begins.
    names.retain(|name| name != lock::FILE && *name != format!("run.json{PART}"));
    let records = record_files(records);
    match names.into_iter().find(|name| is_run_file(name, &records)) {
        Some(name) if name == "scene.toml" && !force => Err(FolderError::HoldsRun { folder }),
        Some(file) => Err(FolderError::HoldsOther { folder, file }),
        None => Ok(()),
    }
}

/// Whether a folder with a `run.json` holds more of a run than what is written before its scene.
fn has_begun(path: &Path, names: &[String]) -> bool {
    let before = ["run.json", lock::FILE, checkpoint::START];
    let of_run = RunFolder::read_run(path).map_or_else(|_| Vec::new(), |run| run.records);
    let mut later = names.iter().filter(|name| !before.contains(&name.as_str()) && !name.ends_with(PART));
    later.any(|name| is_run_file(name, &of_run))
}

/// That a folder holds a run, and whether it is over.
fn holds(path: &Path) -> FolderError {
    let (folder, command) = (path.display().to_string(), for_a_shell(path));
    match RunFolder::read_run(path).map(|run| run.ending) {
        Ok(Ending::Running) => FolderError::HoldsUnfinished { folder, command, how: "it was killed".into() },
        Ok(ending) if !ending.is_over() => FolderError::HoldsUnfinished { folder, command, how: ending.to_string() },
        _ => FolderError::HoldsRun { folder },
    }
}

/// The run that a folder holds, if it is one of this program.
fn older_run(path: &Path) -> Result<RunJson, FolderError> {
    let foreign = |reason: String| FolderError::ForeignRun { folder: path.display().to_string(), reason };
    let run = RunFolder::read_run(path).map_err(|error| foreign(error.to_string()))?;
    if run.program == "stickslip" { Ok(run) } else { Err(foreign(format!("its program is `{}`", run.program))) }
}

/// Removes the files of the run that `run.json` describes, but for the lock, which is ours; `run.json` last, so that what is
/// interrupted can be repeated.
fn remove_run(path: &Path, remove: impl Fn(&Path) -> io::Result<()>) -> Result<(), FolderError> {
    let run = RunJson { ending: Ending::BrokenOff("it was being replaced".into()), ..older_run(path)? };
    // Killed from here on, it must not say that it is whole. On a full disk it does: to be cleared matters more.
    let _ = write_run(path, &run);
    let stays = |name: &str| name == "run.json" || name == lock::FILE;
    let names = entries(path)?.into_iter().filter(|name| !stays(name) && is_run_file(name, &run.records));
    for name in names.chain(["run.json".to_owned()]) {
        let file = path.join(name);
        remove(&file).map_err(|error| at(&file, error))?;
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
    const ALWAYS: [&str; 11] = [
        "run.json",
        lock::FILE,
        "scene.toml",
        fixed::FILE,
        joints::FILE,
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
        || is_automatic(name)
        || records.iter().any(|record| {
            is_table(name, record) || snapshot_step(name, record).is_some() || checkpoints::is_one_of(name, record)
        })
}

fn is_automatic(name: &str) -> bool {
    checkpoints::is_one_of(name, &checkpoints::pattern(checkpoints::AUTO))
}

/// Whether this is a record's file, or the spool of one.
fn is_table(name: &str, record: &str) -> bool {
    record == name || spool_name(record).as_deref() == Some(name)
}

/// Whether `stickslip measure` writes a file of this name.
fn is_measured(name: &str) -> bool {
    name.starts_with("measure-") && [".csv", ".svg", ".png"].iter().any(|ending| name.ends_with(ending))
}

/// Stem and ending of a record's snapshots: of `<stem>.pvd` they are `<stem>-<step>.vtp`, of `<stem>-*.data` those.
fn snapshot_parts(record: &str) -> Option<(&str, &'static str)> {
    let vtk = record.strip_suffix(".pvd").map(|stem| (stem, ".vtp"));
    vtk.or_else(|| record.strip_suffix("-*.data").map(|stem| (stem, ".data")))
}

/// The step, if this is a snapshot of the record.
fn snapshot_step(name: &str, record: &str) -> Option<u64> {
    let (stem, ending) = snapshot_parts(record)?;
    let step = name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(ending)?;
    step.bytes().all(|byte| byte.is_ascii_digit()).then(|| step.parse().ok())?
}

/// The mark of the snapshots that a file of `run.json` lists.
fn mark_of<'a>(file: &str, marks: &'a Marks) -> Option<&'a SnapshotMark> {
    marks.of_snapshots(snapshot_parts(file)?.0).ok()
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
        assert!(message.contains("is not over (it was killed)"), "{message}");
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

    /// `--force` had removed the lock with the older run, so that a second process could write the folder, too.
    #[test]
    fn a_run_that_replaces_another_keeps_its_lock() {
        let path = test_folder("force-lock");
        drop(started(&path));
        let folder = RunFolder::create(&path, true, &records()).unwrap();
        folder.write_run(&RunJson::starting("", Path::new("a.toml"), "", &records())).unwrap();
        assert!(matches!(RunFolder::reopen(&path), Err(FolderError::InUse { .. })));
        assert!(matches!(RunFolder::create(&path, true, &[]), Err(FolderError::InUse { .. })));
        drop(folder);
        assert_eq!(entries(&path).unwrap(), ["run.json"]);
        fs::remove_dir_all(path).unwrap();
    }

    /// Where `--force` was ended while it removed a finished run, what was left said that it was whole.
    #[test]
    fn a_run_that_is_half_removed_does_not_say_that_it_is_over() {
        let path = test_folder("force-half");
        let run = RunFolder::read_run(started(&path).path()).unwrap();
        write_run(&path, &RunJson { ending: Ending::Finished, ..run }).unwrap();
        fs::write(path.join("end.checkpoint"), "x").unwrap();
        let until_the_scene = |file: &Path| match file.ends_with("scene.toml") {
            true => Err(io::Error::other("killed")),
            false => fs::remove_file(file),
        };
        assert!(remove_run(&path, until_the_scene).is_err());
        assert_eq!(entries(&path).unwrap(), ["run.json", "scene.toml"]);
        assert!(!RunFolder::read_run(&path).unwrap().ending.is_over());
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
        assert!(matches!(refused, Err(FolderError::InUse { .. })), "{refused:?}");
        drop(folder);
        let refused = RunFolder::create(&path.join("run"), true, &records());
        assert!(matches!(refused, Err(FolderError::HoldsOther { .. })), "{refused:?}");
        assert_eq!(entries(&path.join("run")).unwrap(), ["grains.csv", "run.json", "scene.toml"]);
        RunFolder::check(&path.join("new"), false, &records()).unwrap();
        assert!(!path.join("new").exists());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn the_default_folder_has_the_name_of_the_scene() {
        assert_eq!(RunFolder::default_path(Path::new("examples/01-pile.toml")), Path::new("runs/01-pile"));
    }
}

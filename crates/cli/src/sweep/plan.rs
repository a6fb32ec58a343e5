//! The folder of a sweep: whether it may be used, and what of it is there already. All is looked at before anything is
//! touched; a sweep that is refused changes nothing.

use std::path::{Path, PathBuf};

use stickslip_io::results::lock::{Lock, Locked};
use stickslip_io::results::sweep::{FILES, Row, SweepJson, SweepTable};
use stickslip_io::results::{FolderError, RunFolder};

use super::{Work, go_on_command};
use crate::Failure;
use crate::run::refuse;

/// What is to be done about a run.
pub enum Todo {
    /// Nothing: it is over, and this is its row.
    Keep(Row),
    /// It was broken off after so many steps.
    GoOn { done: u64 },
    /// It has not begun.
    Start,
}

/// The folder, looked at.
pub struct Place {
    out: PathBuf,
    /// The same sweep, which is to go on.
    older: Option<SweepJson>,
    /// Another sweep, or an older one that is to be replaced.
    clear: bool,
}

/// The folder while this process writes it.
pub struct Taken {
    _lock: Lock,
}

fn wrong(message: String) -> Failure {
    Failure::Input(miette::miette!("{message}"))
}

impl Place {
    /// Looks whether the sweep may be written there.
    pub fn look(out: &Path, json: &SweepJson, force: bool) -> Result<Self, Failure> {
        let (name, runs) = (out.display(), out.join("runs"));
        RunFolder::refuse_link(&runs).map_err(refuse)?;
        RunFolder::check(&runs, false, &[]).map_err(refuse)?;
        if let Some(process) = Lock::is_taken(out) {
            return Err(refuse(in_use(out, process)));
        }
        let mut place = Place { out: out.to_owned(), older: None, clear: false };
        if !out.join(FILES[0]).exists() {
            let mut others = FILES[1..].iter().map(|file| out.join(file)).chain([runs]);
            return match others.find(|path| path.exists()) {
                Some(other) => Err(wrong(format!(
                    "{} is there already, and no {} that says a sweep wrote it. Choose another folder with `--out`",
                    other.display(),
                    FILES[0]
                ))),
                None => Ok(place),
            };
        }
        let older = SweepJson::read(out);
        let older = older.map_err(|error| wrong(format!("{error}. Choose another folder with `--out`")))?;
        if force {
            place.clear = true;
            for folder in place.run_folders()? {
                RunFolder::check(&folder, true, &[]).map_err(refuse)?;
            }
        } else if older.is_same(json) {
            place.older = Some(older);
        } else {
            let what = if older.scene_hash == json.scene_hash { "other values or seeds" } else { "another scene" };
            return Err(wrong(format!(
                "{name} holds a sweep of {what}. Replace it with `--force`, or choose another folder with `--out` \
                 ({} goes on with it)",
                go_on_command(out)
            )));
        }
        Ok(place)
    }

    /// The folders of runs that are there.
    fn run_folders(&self) -> Result<Vec<PathBuf>, Failure> {
        let runs = self.out.join("runs");
        if !runs.is_dir() {
            return Ok(Vec::new());
        }
        let entries = std::fs::read_dir(&runs).map_err(|error| wrong(format!("{}: {error}", runs.display())))?;
        let is_number = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_number).collect();
        folders.sort();
        folders.iter().try_for_each(|folder| RunFolder::refuse_link(folder)).map_err(refuse)?;
        Ok(folders)
    }

    /// What is to be done about each run.
    pub fn plan(&self, works: &[Work<'_>], table_only: bool) -> Result<Vec<Todo>, Failure> {
        let Some(older) = &self.older else {
            let start = |work: &Work<'_>| RunFolder::refuse_link(&work.folder).map(|()| Todo::Start).map_err(refuse);
            return works.iter().map(start).collect();
        };
        // Where folders were not kept, the table is all there is of runs that came to their end.
        let mut kept = SweepTable::default();
        if table_only || older.keep == "table" {
            let keys: Vec<String> = older.set.iter().map(|swept| swept.key.clone()).collect();
            kept = SweepTable::read_csv(&self.out, &keys)
                .map_err(|error| wrong(format!("{error}. Put it back as it was, or start anew with `--force`")))?;
        }
        let plan = |work: &Work<'_>| {
            let Some(row) = kept.rows.get(&work.number).filter(|row| row.is_whole()) else { return plan_one(work) };
            // Other measurements than those in the table need the folder.
            let same = older.measure == work.sweep.measure;
            if same || !work.folder.exists() { Ok(Todo::Keep(work.row_kept(row, same))) } else { plan_one(work) }
        };
        works.iter().map(plan).collect()
    }

    /// Takes the folder: from here on it is written.
    pub fn take(self, json: &SweepJson) -> Result<Taken, Failure> {
        let broken = |error: std::io::Error| Failure::Run(error.to_string());
        std::fs::create_dir_all(&self.out).map_err(|error| wrong(format!("{}: {error}", self.out.display())))?;
        let lock = match Lock::take(&self.out).map_err(broken)? {
            Locked::Ours(lock) => lock,
            Locked::Taken(process) => return Err(refuse(in_use(&self.out, process))),
        };
        if self.clear {
            for folder in self.run_folders()? {
                RunFolder::remove(&folder).map_err(|error| Failure::Run(error.to_string()))?;
            }
            for file in FILES[1..].iter().map(|file| self.out.join(file)).filter(|file| file.exists()) {
                std::fs::remove_file(file).map_err(broken)?;
            }
        }
        // The version that began it stays.
        let begun = self.older.map(|older| SweepJson {
            plot: json.plot.clone(),
            keep: json.keep.clone(),
            measure: json.measure.clone(),
            ..older
        });
        begun.as_ref().unwrap_or(json).write(&self.out).map_err(broken)?;
        Ok(Taken { _lock: lock })
    }
}

fn in_use(out: &Path, process: Option<u32>) -> FolderError {
    let which = process.map_or_else(String::new, |process| format!(" (number {process})"));
    FolderError::InUse { folder: out.display().to_string(), which }
}

fn plan_one(work: &Work<'_>) -> Result<Todo, Failure> {
    let folder = &work.folder;
    RunFolder::refuse_link(folder).map_err(refuse)?;
    let begun = folder.join("scene.toml").exists();
    let run = match RunFolder::read_run(folder) {
        Ok(run) if begun => run,
        // Killed as it began, or never.
        _ => {
            RunFolder::check(folder, false, &work.checked.records).map_err(refuse)?;
            return Ok(Todo::Start);
        }
    };
    if run.scene_hash != work.checked.hash {
        return Err(wrong(format!(
            "{} is not of the scene that this combination has now: a file that the scene reads has changed, or the program. \
             Start anew with `--force`, or choose another folder with `--out`",
            folder.display()
        )));
    }
    if !run.ending.is_over() {
        return Ok(Todo::GoOn { done: run.steps });
    }
    let row = work.row_there();
    row.map(Todo::Keep).map_err(|error| {
        wrong(format!("{error}. Put the file back, or remove the folder {} to run it again", folder.display()))
    })
}

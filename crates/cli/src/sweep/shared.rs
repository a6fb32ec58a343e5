//! Equal first stages of a sweep run once.
//!
//! Runs whose scenes are the same up to the end of a stage go there together: the first of them runs so far, and the folders
//! of the others begin with what it has written by then. All of them are then taken up from the checkpoint of that stage, as
//! `stickslip resume` does; so each folder is what it would be had its run been alone. Stage after stage, in waves: what
//! differs only in the third stage shares the first and the second.
//!
//! Does not do: runs that were broken off, which go on by themselves.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stickslip_io::checkpoint::Checkpoint;
use stickslip_io::results::run_json::scene_hash;
use stickslip_io::results::{RunFolder, RunJson, StageMark, checkpoints};

use super::Work;
use crate::job;
use crate::progress::Overall;
use crate::side_by_side;
use crate::{COMMIT, Failure, Outcome};

/// How many runs go at a time, and on how many threads each.
#[derive(Clone, Copy)]
pub struct Threads {
    pub at_once: usize,
    pub each: usize,
}

/// Runs what is equal, once, and lays it into the folders of all that share it. What goes wrong here is left to the runs
/// themselves, which then begin at their beginning.
pub fn run_once(works: &[&Work<'_>], threads: Threads, interrupted: &Arc<AtomicBool>, overall: &Arc<Overall>) {
    let most = works.iter().map(|work| work.checked.beginnings.len()).max().unwrap_or(0);
    // By run, from which other one and after which stage it can be taken up.
    let mut source: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for stage in 0..most {
        let groups = groups(works, stage);
        side_by_side::do_all(groups.len(), threads.at_once, |group| {
            let first = groups[group][0];
            if let Some(&(from, after)) = source.get(&first) {
                let _ = seed(works[first], works[from], after);
            }
            if !interrupted.load(Ordering::Relaxed) {
                let begun = works[first].folder.join("scene.toml").exists();
                let run = || works[first].run(begun, Some(stage), interrupted, overall);
                let _ = job::pool(threads.each).and_then(|pool| pool.install(run));
            }
        });
        for group in &groups {
            let mark = ended(&works[group[0]].folder, stage);
            if mark.is_some() {
                source.extend(group.iter().skip(1).map(|&run| (run, (group[0], stage))));
            }
        }
    }
    for (&run, &(from, after)) in &source {
        if let Err(Failure::Run(message)) = seed(works[run], works[from], after) {
            crate::tell(&format!("warning: run {} repeats its first stages: {message}", works[run].number));
        }
    }
}

/// The runs that are the same up to the end of a stage, two at least.
fn groups(works: &[&Work<'_>], stage: usize) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, work) in works.iter().enumerate() {
        if let Some(beginning) = work.checked.beginnings.get(stage) {
            groups.entry(beginning).or_default().push(number);
        }
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort();
    groups
}

/// The stage of a run, if it has ended.
fn ended(folder: &Path, stage: usize) -> Option<StageMark> {
    let run = RunFolder::read_run(folder).ok()?;
    run.stages.get(stage).filter(|stage| stage.ended.is_some()).cloned()
}

/// Lays into the folder of a run what another one had written when a stage ended. Nothing is done where it has begun.
fn seed(work: &Work<'_>, from: &Work<'_>, stage: usize) -> Outcome {
    let failed = |error: io::Error| Failure::Run(error.to_string());
    let refused = |error: stickslip_io::results::FolderError| Failure::Run(error.to_string());
    if work.folder.join("scene.toml").exists() {
        return Ok(());
    }
    let Some(mark) = ended(&from.folder, stage) else { return Ok(()) };
    let file = checkpoints::of_stage(&mark.name);
    let mut checkpoint = Checkpoint::read(&from.folder.join(&file)).map_err(Failure::Run)?;
    let Some(marks) = &mut checkpoint.files else { return Ok(()) };
    let scene = work.sweep.load(work.settings, work.task)?;
    let mut json = RunJson::starting(&scene.title, &work.sweep.scene, &scene.resolved, &scene.records);
    json.records = RunFolder::read_run(&from.folder).map_err(failed)?.records;
    json.commit = COMMIT.map(str::to_owned);
    (json.step, json.stages) = (scene.setup.model.dt, marks.stages.clone());
    json.warnings = scene.warnings.clone();
    (json.steps, json.simulated_time) = (checkpoint.saved.step, mark.time);
    let folder = RunFolder::create(&work.folder, false, &scene.records).map_err(refused)?;
    folder.write_run(&json).map_err(failed)?;
    if let Some(start) = &scene.start {
        start.write(folder.path()).map_err(failed)?;
    }
    for table in &marks.tables {
        copy(&from.folder.join(&table.file), &work.folder.join(&table.file), table.bytes).map_err(failed)?;
    }
    let names = marks.snapshots.iter().flat_map(|list| {
        let of = |ending: &'static str| {
            list.files.iter().map(move |(step, bytes)| (format!("{}-{step}{ending}", list.stem), *bytes))
        };
        of(".vtp").chain(of(".data"))
    });
    for (name, bytes) in names.filter(|(name, _)| from.folder.join(name).is_file()) {
        copy(&from.folder.join(&name), &work.folder.join(&name), bytes).map_err(failed)?;
    }
    marks.scene_hash = scene_hash(&scene.resolved);
    checkpoint.write(&work.folder.join(&file)).map_err(failed)?;
    // Last of these: a folder with a scene has all that a run needs to be taken up.
    folder.write_scene(&scene.resolved).map_err(failed)
}

/// Copies the first bytes of a file.
fn copy(from: &Path, to: &Path, bytes: u64) -> io::Result<()> {
    let copied = io::copy(&mut File::open(from)?.take(bytes), &mut File::create_new(to)?)?;
    if copied == bytes { Ok(()) } else { fs::remove_file(to).and(Err(io::ErrorKind::UnexpectedEof.into())) }
}

//! The checkpoints of a run: `end.checkpoint`, those of `what = "checkpoint"` records, and automatic ones, of each of which
//! the last two stay.
//!
//! Two, because a file may be damaged, or a state that went wrong may only show after it was written. Unlike other records
//! they do not hold step 0, which the scene gives, nor the last step under their own name, which is `end.checkpoint`.
//! Automatic ones, `auto-<step>.checkpoint`, are written after so much time of the clock on the wall, so that a run whose
//! scene asks for none can go on, too; they are removed when the run is over. `find` is the way back.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stickslip::World;

use super::file::{at, sync_folder};
use super::growing::{Marks, StageMark};
use super::record::Pace;
use super::schedule::Schedule;
use crate::checkpoint::{self, Checkpoint, Description, END, ENDING};
use crate::scene::{Record, What};

/// How many of each name stay.
const KEPT: usize = 2;

/// The name of automatic ones.
pub const AUTO: &str = "auto";

/// The checkpoint at the end of a stage.
pub fn of_stage(name: &str) -> String {
    format!("{name}{ENDING}")
}

/// What `run.json` calls the files of a record.
pub fn pattern(name: &str) -> String {
    format!("{name}-*{ENDING}")
}

/// Whether a file is one of those that a pattern names.
pub fn is_one_of(name: &str, pattern: &str) -> bool {
    let stem = pattern.strip_suffix(ENDING).and_then(|stem| stem.strip_suffix('*'));
    let step = stem.and_then(|stem| name.strip_prefix(stem)?.strip_suffix(ENDING));
    step.is_some_and(|step| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The step of a checkpoint of this name, as the program writes it.
fn step_of(file: &str, name: &str) -> Option<u64> {
    let step = file.strip_prefix(name)?.strip_prefix('-')?.strip_suffix(ENDING)?.parse().ok()?;
    (file == format!("{name}-{step}{ENDING}")).then_some(step)
}

/// Writes the checkpoints of one run.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    description: Description,
    series: Vec<Series>,
    automatic: Series,
    /// Between two automatic ones.
    interval: Duration,
    latest: Instant,
}

/// Those of one name.
#[derive(Debug)]
struct Series {
    name: String,
    schedule: Option<Schedule>,
    written: VecDeque<u64>,
}

impl Series {
    fn due(&self, step: u64) -> bool {
        self.schedule.is_some_and(|schedule| schedule.due(step))
    }

    fn file(&self, folder: &Path, step: u64) -> PathBuf {
        folder.join(format!("{}-{step}{ENDING}", self.name))
    }

    /// Writes one, and removes the oldest.
    fn write(&mut self, folder: &Path, world: &World, description: &Description, files: &Marks) -> io::Result<()> {
        let step = world.steps();
        checkpoint::write_world(&self.file(folder, step), world, description, Some(files))?;
        self.written.push_back(step);
        self.keep(folder, KEPT)
    }

    /// Removes the oldest until so many are left.
    fn keep(&mut self, folder: &Path, count: usize) -> io::Result<()> {
        while self.written.len() > count {
            let old = self.file(folder, self.written[0]);
            fs::remove_file(&old).map_err(|error| at(&old, error))?;
            self.written.pop_front();
        }
        Ok(())
    }
}

impl Checkpoints {
    /// For the `checkpoint` records among these; `dt` is the step (s), `interval` the time between automatic ones.
    pub fn new(folder: &Path, records: &[Record], dt: f64, description: Description, interval: Duration) -> Self {
        let own = records.iter().filter(|record| record.what == What::Checkpoint);
        let series = own.map(|record| Series {
            name: record.name.clone(),
            schedule: Some(Schedule::new(record.every, dt)),
            written: VecDeque::new(),
        });
        let automatic = Series { name: AUTO.into(), schedule: None, written: VecDeque::new() };
        let (folder, series, latest) = (folder.to_owned(), series.collect(), Instant::now());
        Checkpoints { folder, description, series, automatic, interval, latest }
    }

    /// Goes on in another stage: its records ask as often as it says, of what it describes.
    pub fn enter(&mut self, records: &[Record], pace: Pace, description: Description) {
        let own = records.iter().filter(|record| record.what == What::Checkpoint);
        for (series, record) in self.series.iter_mut().zip(own) {
            series.schedule = Some(Schedule::new(record.every, pace.dt).counted_from(pace.clock, pace.dt));
        }
        self.description = description;
    }

    /// Writes the checkpoint of a stage that has ended.
    pub fn end_stage(&mut self, name: &str, world: &World, files: Option<&Marks>) -> io::Result<()> {
        self.description.catch_up(world);
        checkpoint::write_world(&self.folder.join(of_stage(name)), world, &self.description, files)
    }

    /// Removes checkpoints of stages that have not ended yet.
    pub fn forget_stages(&self, names: &[&str]) -> io::Result<()> {
        for file in names.iter().map(|name| self.folder.join(of_stage(name))).filter(|file| file.exists()) {
            fs::remove_file(&file).map_err(|error| at(&file, error))?;
        }
        Ok(())
    }

    /// Takes up the files of a run that goes on from this step. Those of later steps are removed, since they speak of
    /// records as they will not be when this returns; so is an `end.checkpoint` of a later step, if it is said to be one.
    pub fn go_on(&mut self, step: u64, end: Option<u64>) -> io::Result<()> {
        for series in self.series.iter_mut().chain([&mut self.automatic]) {
            let mut steps = steps_in(&self.folder, &series.name)?;
            steps.sort_unstable();
            let later = steps.split_off(steps.partition_point(|&own| own <= step));
            for later in later {
                let file = series.file(&self.folder, later);
                fs::remove_file(&file).map_err(|error| at(&file, error))?;
            }
            series.written = steps.into();
            series.keep(&self.folder, KEPT)?;
        }
        if end.is_some_and(|end| end > step) {
            let file = self.folder.join(END);
            fs::remove_file(&file).map_err(|error| at(&file, error))?;
        }
        // A power cut must not bring them back when the files that they speak of have been cut.
        sync_folder(&self.folder)
    }

    /// Whether a record asks for one after this step.
    pub fn due(&self, step: u64) -> bool {
        step > 0 && self.series.iter().any(|series| series.due(step))
    }

    /// Writes what is due at the world's step, and returns whether something was. `marks` says how far the files are, and is
    /// asked only then.
    pub fn write(&mut self, world: &World, marks: impl FnOnce() -> io::Result<Marks>) -> io::Result<bool> {
        let step = world.steps();
        let (asked, automatic) = (self.due(step), self.latest.elapsed() >= self.interval);
        if !(asked || automatic) {
            return Ok(false);
        }
        let files = marks()?;
        self.description.catch_up(world);
        if asked {
            for series in self.series.iter_mut().filter(|series| series.due(step)) {
                series.write(&self.folder, world, &self.description, &files)?;
            }
        } else {
            self.automatic.write(&self.folder, world, &self.description, &files)?;
        }
        // From its end: writing must not take all the time there is.
        self.latest = Instant::now();
        Ok(true)
    }

    /// Writes `end.checkpoint`, with the marks of a run that is to go on. The state must be sound.
    pub fn end(&mut self, world: &World, files: Option<&Marks>) -> io::Result<()> {
        self.description.catch_up(world);
        checkpoint::write_world(&self.folder.join(END), world, &self.description, files)
    }
}

/// The steps of the checkpoints of one name in a folder.
fn steps_in(folder: &Path, name: &str) -> io::Result<Vec<u64>> {
    let mut steps = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| at(folder, error))? {
        let entry = entry.map_err(|error| at(folder, error))?;
        steps.extend(entry.file_name().to_str().and_then(|file| step_of(file, name)));
    }
    Ok(steps)
}

/// What a folder has to go on from.
#[derive(Debug, Default)]
pub struct Found {
    /// The newest checkpoint of a run that is not over, and its file.
    pub newest: Option<(PathBuf, Checkpoint)>,
    /// The step of `end.checkpoint`, if there is one; the last step of all, if it is damaged.
    pub end: Option<u64>,
}

/// A checkpoint that cannot be gone on from, and another that perhaps can.
#[derive(Debug)]
pub struct Unusable {
    /// What is wrong, with the file's name.
    pub message: String,
    /// The newest of the others.
    pub other: Option<PathBuf>,
}

/// The newest checkpoint of a folder; or `from`, if it is given. `records` are the scene's, `stages` those that have begun. Touches
/// nothing.
pub fn find(folder: &Path, records: &[Record], stages: &[StageMark], from: Option<&Path>) -> Result<Found, Unusable> {
    let alone = |message: String| Unusable { message, other: None };
    let path = folder.join(END);
    let end = path.exists().then(|| Checkpoint::read(&path));
    // A damaged one that the user goes on without is to go, as one of a later step is.
    let step = end.as_ref().map(|end| end.as_ref().map_or(u64::MAX, |end| end.saved.step));
    if let Some(from) = from {
        let checkpoint = Checkpoint::read(from).map_err(alone)?;
        if checkpoint.files.is_none() {
            return Err(alone(format!("{} is the end of a run, with nothing to go on with", from.display())));
        }
        return Ok(Found { newest: Some((from.to_owned(), checkpoint)), end: step });
    }
    let mut named = named(folder, records).map_err(|error| alone(error.to_string()))?;
    let ended = stages.iter().filter_map(|stage| Some((stage.ended.as_ref()?.0, folder.join(of_stage(&stage.name)))));
    named.extend(ended.filter(|(_, file)| file.exists()));
    named.sort();
    let newest = named.pop();
    let file = |named: Option<&(u64, PathBuf)>| named.map(|(_, file)| file.clone());
    let end = end.transpose().map_err(|message| Unusable { message, other: file(newest.as_ref()) })?;
    // A state without marks is of a run that was over but for its last files.
    let end = end.filter(|end| end.files.is_some());
    let newest = match (end, newest) {
        (Some(end), newest) if newest.as_ref().is_none_or(|(step, _)| *step <= end.saved.step) => Some((path, end)),
        (end, Some((_, newest))) => {
            let other = || end.map(|_| path).or_else(|| file(named.last()));
            let read = Checkpoint::read(&newest).map_err(|message| Unusable { message, other: other() })?;
            Some((newest, read))
        }
        _ => None,
    };
    Ok(Found { newest, end: step })
}

/// The checkpoints of records and the automatic ones in a folder, with their steps, in order.
fn named(folder: &Path, records: &[Record]) -> io::Result<Vec<(u64, PathBuf)>> {
    let own = records.iter().filter(|record| record.what == What::Checkpoint).map(|record| record.name.as_str());
    let mut named = Vec::new();
    for name in own.chain([AUTO]) {
        let steps = steps_in(folder, name)?;
        named.extend(steps.into_iter().map(|step| (step, folder.join(format!("{name}-{step}{ENDING}")))));
    }
    named.sort();
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{small_world, test_folder};
    use super::*;
    use crate::scene::{Every, Format};

    #[test]
    fn the_last_two_stay() {
        let folder = test_folder("checkpoints");
        let (every, format) = (Every::Time(2e-3), Format::Checkpoint);
        let record = Record { what: What::Checkpoint, every, format, name: "safe".into(), contacts: false };
        let (mut world, _) = small_world();
        // The small world has 3 bodies of 2 materials; a file must describe them.
        let bodies = (0..3).map(|_| {
            serde_json::json!({"material": 0, "shape": {"Sphere": {"radius": 1.0}}, "mass": 1.0,
                                                       "inertia": [1.0, 1.0, 1.0]})
        });
        let description = Description {
            bodies: bodies.map(|body| serde_json::from_value(body).unwrap()).collect(),
            materials: vec![serde_json::from_value(serde_json::json!({"name": "a", "density": 1.0})).unwrap()],
            laws: Vec::new(),
        };
        let records = [record];
        let never = Duration::MAX;
        let mut checkpoints = Checkpoints::new(&folder, &records, 1e-3, description.clone(), never);
        let marks = || Ok(Marks::default());
        checkpoints.write(&world, marks).unwrap();
        for _ in 0..9 {
            world.step().unwrap();
            checkpoints.write(&world, marks).unwrap();
        }
        checkpoints.end(&world, Some(&Marks::default())).unwrap();
        assert_eq!(names(&folder), ["end.checkpoint", "safe-6.checkpoint", "safe-8.checkpoint"]);
        let read = Checkpoint::read(&folder.join("safe-8.checkpoint")).unwrap();
        assert_eq!((read.saved.step, read.saved.bodies.len()), (8, 3));

        // The way back: the newest, or the one that is asked for; what is newer than that goes.
        let newest = |from: Option<&Path>| find(&folder, &records, &[], from).map(|found| found.newest.unwrap().0);
        assert_eq!(newest(None).unwrap(), folder.join(END));
        let (older, newer) = (folder.join("safe-6.checkpoint"), folder.join("safe-8.checkpoint"));
        assert_eq!(newest(Some(&older)).unwrap(), older);
        // That of an interrupted run that has gone on since had not been taken when it was asked for.
        fs::copy(&newer, folder.join("auto-12.checkpoint")).unwrap();
        assert_eq!(newest(None).unwrap(), folder.join("auto-12.checkpoint"));
        assert_eq!(newest(Some(&folder.join(END))).unwrap(), folder.join(END));
        fs::remove_file(folder.join("auto-12.checkpoint")).unwrap();
        fs::write(folder.join(END), "broken").unwrap();
        let unusable = newest(None).unwrap_err();
        assert!(unusable.message.contains("end.checkpoint is not a checkpoint"), "{}", unusable.message);
        assert_eq!(unusable.other.unwrap(), newer);
        // That of a run that was over is not one to go on from.
        checkpoints.end(&world, None).unwrap();
        assert_eq!(newest(None).unwrap(), newer);
        let mut again = Checkpoints::new(&folder, &records, 1e-3, description, never);
        again.go_on(7, Some(9)).unwrap();
        assert_eq!(names(&folder), ["safe-6.checkpoint"]);
        assert_eq!(again.series[0].written, [6]);
        fs::remove_dir_all(folder).unwrap();
    }

    fn names(folder: &Path) -> Vec<std::ffi::OsString> {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn names_are_told_apart() {
        let pattern = pattern("safe");
        assert_eq!(pattern, "safe-*.checkpoint");
        assert!(is_one_of("safe-120.checkpoint", &pattern));
        for other in ["safe-.checkpoint", "safe-1x.checkpoint", "safe.checkpoint", "other-1.checkpoint", "safe-1.csv"] {
            assert!(!is_one_of(other, &pattern), "{other}");
        }
        assert!(!is_one_of("series-1.csv", "series.csv"));
        let steps = ["safe-120", "safe-0120", "safe-+1", "safe-", "auto-7"]
            .map(|file| step_of(&format!("{file}{ENDING}"), "safe"));
        assert_eq!(steps, [Some(120), None, None, None, None]);
    }
}

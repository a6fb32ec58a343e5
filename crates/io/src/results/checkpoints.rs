//! The checkpoints of a run: `end.checkpoint`, and those of `what = "checkpoint"` records, of which the last two stay.
//!
//! Two, because a state that went wrong may only show after it was written. Unlike other records they do not hold step 0,
//! which the scene gives, nor the last step under their own name, which is `end.checkpoint`.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stickslip::World;

use super::file::at;
use super::schedule::Schedule;
use crate::checkpoint::{Checkpoint, Description, END, ENDING};
use crate::scene::{Record, What};

/// How many of a record's checkpoints stay.
const KEPT: usize = 2;

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

/// Writes the checkpoints of one run.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    description: Description,
    series: Vec<Series>,
}

#[derive(Debug)]
struct Series {
    name: String,
    schedule: Schedule,
    written: VecDeque<PathBuf>,
}

impl Checkpoints {
    /// For the `checkpoint` records among these; `dt` is the step (s).
    pub fn new(folder: &Path, records: &[Record], dt: f64, description: Description) -> Self {
        let own = records.iter().filter(|record| record.what == What::Checkpoint);
        let series = own.map(|record| Series {
            name: record.name.clone(),
            schedule: Schedule::new(record.every, dt),
            written: VecDeque::new(),
        });
        Checkpoints { folder: folder.to_owned(), description, series: series.collect() }
    }

    /// Whether one is to be written after this step.
    pub fn due(&self, step: u64) -> bool {
        step > 0 && self.series.iter().any(|series| series.schedule.due(step))
    }

    /// Writes what is due at the world's step, and removes the oldest.
    pub fn write(&mut self, world: &World) -> io::Result<()> {
        let step = world.steps();
        if !self.due(step) {
            return Ok(());
        }
        let checkpoint = Checkpoint::of(world, &self.description);
        for series in self.series.iter_mut().filter(|series| series.schedule.due(step)) {
            let path = self.folder.join(format!("{}-{step}{ENDING}", series.name));
            checkpoint.write(&path)?;
            series.written.push_back(path);
            if series.written.len() > KEPT
                && let Some(old) = series.written.pop_front()
            {
                fs::remove_file(&old).map_err(|error| at(&old, error))?;
            }
        }
        Ok(())
    }

    /// Writes `end.checkpoint`. The state must be sound.
    pub fn end(&self, world: &World) -> io::Result<()> {
        Checkpoint::of(world, &self.description).write(&self.folder.join(END))
    }
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
        let mut checkpoints = Checkpoints::new(&folder, &[record], 1e-3, description);
        checkpoints.write(&world).unwrap();
        for _ in 0..9 {
            world.step().unwrap();
            checkpoints.write(&world).unwrap();
        }
        checkpoints.end(&world).unwrap();
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["end.checkpoint", "safe-6.checkpoint", "safe-8.checkpoint"]);
        let read = Checkpoint::read(&folder.join("safe-8.checkpoint")).unwrap();
        assert_eq!((read.saved.step, read.saved.bodies.len()), (8, 3));
        fs::remove_dir_all(folder).unwrap();
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
    }
}

//! `stickslip resume`: goes on with a run that was killed, interrupted or broken off.
//!
//! Everything is looked at before anything is touched: the scene must be the run's, the checkpoint whole, and every record
//! file must still begin with what it held at the checkpoint. Then the files are cut back to it and the run goes on, with the
//! very bits of one that was never stopped, on any number of threads. A run without a checkpoint starts again. A sweep goes
//! on with all its runs (`sweep.rs`).

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use stickslip_io::checkpoint::{self, Checkpoint};
use stickslip_io::results::checkpoints::{self, Unusable};
use stickslip_io::results::picture::Drawing;
use stickslip_io::results::report;
use stickslip_io::results::run_json::scene_hash;
use stickslip_io::results::sweep::FILES as SWEEP_FILES;
use stickslip_io::results::{Ending, Marks, RunFolder, RunInfo, RunJson, for_a_shell};
use stickslip_io::scene::{self, Scene};

use crate::job::{self, Job, Plan};
use crate::progress::Progress;
use crate::run::refuse;
use crate::sweep::Sweep;
use crate::{COMMIT, Failure, Outcome, say};

/// Go on with a run or a sweep that was killed, interrupted or broken off.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip resume runs/01-pile\n\n\
                        The records end with the same bytes as those of a run that was never stopped.\n\
                        A run that has no checkpoint yet starts again; one that has ended is left as it is.")]
pub struct Resume {
    /// The folder of the run, or of a sweep.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// How many threads; all that there are if absent. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print errors only.
    #[arg(long)]
    quiet: bool,
    /// Go on from this checkpoint; from the newest if absent.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Seconds of the clock on the wall between automatic checkpoints; 600 if absent. They are removed at the end.
    #[arg(long, value_name = "SECONDS", value_parser = job::seconds)]
    checkpoint_every: Option<f64>,
}

impl Resume {
    /// Looks, then goes on.
    pub fn execute(&self) -> Outcome {
        if self.folder.join(SWEEP_FILES[0]).exists() && !self.folder.join("run.json").exists() {
            return self.sweep();
        }
        if let Some(run) = RunFolder::read_run(&self.folder).ok().filter(|run| run.ending.is_over()) {
            return self.over(&run);
        }
        let (folder, run) = RunFolder::reopen(&self.folder).map_err(refuse)?;
        // The process that had the folder may have ended the run between the first look and the lock.
        if run.ending.is_over() {
            drop(folder);
            return self.over(&run);
        }
        job::only_pool(self.threads)?.install(|| self.go_on(&scene_of(&self.folder, &run)?, folder, run))
    }

    /// A sweep: its runs go on that are not over.
    fn sweep(&self) -> Outcome {
        if self.from.is_some() {
            let help = "without --from, each of its runs goes on from its newest checkpoint";
            return Err(Failure::Input(miette::miette!(help = help, "--from is for a run; this folder holds a sweep")));
        }
        Sweep::again(&self.folder, self.threads, self.quiet, self.checkpoint_every)?.execute()
    }

    /// A run that has ended is left as it is; one that failed would fail again.
    fn over(&self, run: &RunJson) -> Outcome {
        // It may have been killed after its end, when only this was left to do. In an archive it need not work.
        let _ = RunFolder::reopen(&self.folder).map(|(folder, run)| folder.tidy(&run));
        let folder = self.folder.display();
        if let Ending::Failed(message) = &run.ending {
            return Err(Failure::Run(format!(
                "the run in {folder} failed, and would in the same way again: {message}\nMend the scene and run it anew"
            )));
        }
        let drawn = self.draw_missing(run)?;
        let (time, steps) = (run.simulated_time, run.steps);
        if drawn {
            return self.say(&format!("{folder}: {}; its picture was missing and has been drawn\n", run.ending));
        }
        self.say(&format!(
            "{folder}: {}, at {time:.6} s after {steps} steps; there is nothing to go on with\n",
            run.ending
        ))
    }

    /// Draws the picture of a run that was asked to end while it was drawn. Returns whether it was missing.
    fn draw_missing(&self, run: &RunJson) -> Result<bool, Failure> {
        let end = self.folder.join(checkpoint::END);
        // Somebody who took the report away does not want the picture either.
        let has = |file: &str| self.folder.join(file).exists();
        if has(report::PICTURE) || !has(report::REPORT) || !end.exists() {
            return Ok(false);
        }
        let (folder, _) = RunFolder::reopen(&self.folder).map_err(refuse)?;
        let picture = job::only_pool(self.threads)?.install(|| self.draw(run, &end))?;
        report::add_picture(&folder, &picture).map_err(|error| Failure::Run(error.to_string()))?;
        Ok(true)
    }

    /// The picture of a run, from its last checkpoint.
    fn draw(&self, run: &RunJson, end: &Path) -> Result<Vec<u8>, Failure> {
        let scene = scene_of(&self.folder, run)?;
        let failed = |message: String| Failure::Run(format!("{}: {message}", end.display()));
        let checkpoint = Checkpoint::read(end).map_err(|error| failed(error.to_string()))?;
        let scene = scene.at(&run.stages, &checkpoint).map_err(|error| failed(error.to_string()))?;
        let world = scene.world_at(&checkpoint.saved).map_err(|error| failed(error.to_string()))?;
        let mut info = RunInfo::new(&scene.setup, &scene.names);
        info.catch_up(&world);
        Ok(Drawing::of(&world).to_png())
    }

    fn go_on(&self, scene: &Scene, folder: RunFolder, run: RunJson) -> Outcome {
        let how = Again {
            from: self.from.as_deref(),
            interrupted: job::listen()?,
            checkpoint_every: job::interval(self.checkpoint_every),
        };
        let mut job = how.take_up(scene, folder, run, |text| self.say(text))?;
        let ending = job.run(Progress::new(self.quiet, job.steps(), job.planned().0, job.planned().1));
        job.tell(ending, self.quiet)
    }

    fn say(&self, text: &str) -> Outcome {
        if self.quiet || text.is_empty() { Ok(()) } else { say(text) }
    }
}

/// The scene of the run in a folder, as it was.
pub(crate) fn scene_of(folder: &Path, run: &RunJson) -> Result<Scene, Failure> {
    let path = folder.join("scene.toml");
    let scene = scene::load_resolved(&path)?;
    if scene_hash(&scene.resolved) != run.scene_hash {
        return Err(Failure::Input(miette::miette!(
            help = "put it back as it was, or run it as a scene of its own with `stickslip run`",
            "{} has been changed since the run began",
            path.display()
        )));
    }
    Ok(scene)
}

/// How a run is taken up again.
pub(crate) struct Again<'f> {
    /// The checkpoint to go on from; the newest if absent.
    pub from: Option<&'f Path>,
    /// Set when the user wants it to end.
    pub interrupted: Arc<AtomicBool>,
    /// Between automatic checkpoints.
    pub checkpoint_every: Duration,
}

impl Again<'_> {
    /// Looks at the checkpoint and at all records, then cuts these back to it; without a checkpoint the run starts again.
    pub fn take_up<'a>(
        self,
        scene: &'a Scene,
        folder: RunFolder,
        run: RunJson,
        say: impl Fn(&str) -> Outcome,
    ) -> Result<Job<'a>, Failure> {
        let Again { from, interrupted, checkpoint_every } = self;
        let unusable = |unusable: &Unusable, folder: &RunFolder| unusable_in(folder.path(), unusable);
        let found = checkpoints::find(folder.path(), &scene.records, &run.stages, from);
        let found = found.map_err(|error| unusable(&error, &folder))?;
        say(&version_note(&run))?;
        let broken = |error: std::io::Error| Failure::Run(error.to_string());
        let Some((file, checkpoint)) = found.newest else {
            let world = scene.world()?;
            say("no checkpoint yet: the run starts again\n")?;
            let now = Cow::Borrowed(scene);
            return Job::start_again(Plan { scene, now, world, folder, interrupted, checkpoint_every }, run)
                .map_err(broken);
        };
        let failed = |message: String| unusable(&Unusable { message, other: None }, &folder);
        let marks = checkpoint.files.clone().unwrap_or_default();
        if marks.scene_hash != run.scene_hash {
            return Err(failed(format!("{} is of a run of another scene", file.display())));
        }
        let now = scene.at(&marks.stages, &checkpoint);
        let now = now.map_err(|error| failed(format!("{}: {error}", file.display())))?;
        let world = now.world_at(&checkpoint.saved);
        let world = world.map_err(|error| failed(format!("{}: {error}", file.display())))?;
        check_files(&folder, &run, &marks, &file)?;
        say(&format!("going on from {}, at {:.6} s\n", file.display(), world.time()))?;
        let now = Cow::Owned(now);
        let plan = Plan { scene, now, world, folder, interrupted, checkpoint_every };
        Job::go_on(plan, run, &marks, found.end).map_err(broken)
    }
}

/// Whether every record is there and as it was.
fn check_files(folder: &RunFolder, run: &RunJson, marks: &Marks, checkpoint: &Path) -> Outcome {
    let snapshots = || folder.damaged_snapshot(run, marks);
    let tables = marks.tables.iter().find_map(|mark| mark.check(folder.path()).err());
    let Some(what) = tables.or_else(snapshots) else { return Ok(()) };
    Err(Failure::Input(miette::miette!(
        help = "put the file back as it was, or start anew with `stickslip run --force`",
        "{what}: the run cannot go on from {} to the same records",
        checkpoint.display()
    )))
}

fn unusable_in(folder: &Path, unusable: &Unusable) -> Failure {
    let help = match &unusable.other {
        Some(other) => {
            let (folder, other) = (for_a_shell(folder), for_a_shell(other));
            format!("go on from another one: stickslip resume {folder} --from {other}")
        }
        None => {
            "with another checkpoint of this run, use --from; else move this one away, and the run starts again".into()
        }
    };
    Failure::Input(miette::miette!(help = help, "{}", unusable.message))
}

/// That another program began the run, whose bits this one may not repeat.
fn version_note(run: &RunJson) -> String {
    let (version, commit) = (env!("CARGO_PKG_VERSION"), COMMIT.map(str::to_owned));
    if run.version == version && run.commit == commit {
        return String::new();
    }
    let name = |version: &str, commit: &Option<String>| match commit {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    let (theirs, ours) = (name(&run.version, &run.commit), name(version, &commit));
    format!("warning: the run was begun by version {theirs} of the program, this is {ours}: the last bits may differ\n")
}

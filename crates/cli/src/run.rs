//! `stickslip run`: a scene from its file to a folder of results.
//!
//! Everything that can be wrong with the input is found before the folder exists: the scene is read and the world built
//! first. A run ends at its time, by a rule of `[time.stop]`, by trouble, or by Ctrl-C; in each case the records, the
//! report and the picture are written, and `end.checkpoint` unless the trouble is in the state itself. Does not do: going
//! on with a run that was ended (a later `resume`); a scene with `[start]` is a run of its own.

mod rules;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use signal_hook::consts::{SIGINT, SIGTERM};
use stickslip::World;
use stickslip::error::Trouble;
use stickslip::inflow::Inflow;
use stickslip::ledger::Ledger;
use stickslip::world::StreamReport;
use stickslip_io::checkpoint::{self, Description};
use stickslip_io::results::picture::Drawing;
use stickslip_io::results::{
    Checkpoints, Closing, Column, Ending, FolderError, Recorder, RunFolder, RunInfo, RunJson, SeriesLog,
    energy_summary, utc,
};
use stickslip_io::scene::{self, Record, Scene, plural};

use crate::progress::{self, Progress};
use crate::{Failure, Outcome, say};
use rules::Rules;

/// Run a scene and write its records, a report and a picture into a folder.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip run examples/01-pile.toml --out runs/pile --threads 2\n\n\
                        Ctrl-C ends a run cleanly: what it had is kept. A second one ends it at once.")]
pub struct Run {
    /// The scene file (TOML).
    scene: PathBuf,
    /// Where to write; if absent, a folder in runs/ with the name of the scene file.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many threads; all that there are if absent. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Replace the run that the folder holds.
    #[arg(long)]
    force: bool,
    /// Print errors only.
    #[arg(long)]
    quiet: bool,
}

impl Run {
    /// Reads the scene, runs it, writes its results.
    pub fn execute(&self) -> Outcome {
        let scene = scene::load(&self.scene)?;
        let threads = usize::from(self.threads.unwrap_or(0));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::Run(format!("cannot start threads: {error}")))?;
        pool.install(|| self.run(&scene))
    }

    fn run(&self, scene: &Scene) -> Outcome {
        let world = scene.world()?;
        let interrupted = listen().map_err(|error| Failure::Run(format!("cannot listen for Ctrl-C: {error}")))?;
        let path = self.out.clone().unwrap_or_else(|| RunFolder::default_path(&self.scene));
        let folder = RunFolder::create(&path, self.force, &scene.records).map_err(refuse)?;
        self.say(&header(scene))?;
        let written = |error: std::io::Error| Failure::Run(error.to_string());
        let mut job = Job::start(&self.scene, scene, world, folder, interrupted).map_err(written)?;
        let progress = Progress::new(self.quiet, scene.steps, scene.end);
        // A record that cannot be written (a full disk) ends the run like any other trouble.
        let ending = job.advance(progress).unwrap_or_else(|error| Ending::Failed(error.to_string()));
        job.close(&ending).map_err(written)?;
        self.say(&job.summary(&ending))?;
        match ending {
            Ending::Failed(message) => Err(Failure::Run(message)),
            Ending::Interrupted => Err(Failure::Run(format!("interrupted at {} s", job.world.time()))),
            _ => Ok(()),
        }
    }

    fn say(&self, text: &str) -> Outcome {
        if self.quiet { Ok(()) } else { say(text) }
    }
}

/// A folder that cannot be used is an input error: nothing was written.
pub(crate) fn refuse(error: FolderError) -> Failure {
    Failure::Input(miette::miette!("{error}"))
}

/// A flag that Ctrl-C and a request to end set. The second time the program ends at once.
pub(crate) fn listen() -> std::io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 1, flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(flag)
}

/// What is said before the first step.
fn header(scene: &Scene) -> String {
    let mut text = if scene.title.is_empty() { String::new() } else { format!("{}\n", scene.title) };
    let bodies = &scene.setup.bodies;
    let spheres = bodies.iter().filter(|body| body.shape.radius().is_some()).count();
    let counts = [(bodies.len(), "body"), (spheres, "sphere"), (bodies.len() - spheres, "wall")];
    let [all, spheres, walls] = counts.map(|(count, noun)| plural(count, noun));
    text += &format!("{all}: {spheres}, {walls}");
    let streams = &scene.setup.model.inflows;
    if !streams.is_empty() {
        let due = |stream: &Inflow| stream.due_before(scene.steps, scene.setup.model.dt);
        let (due, tables) = (streams.iter().map(due).sum::<u64>(), streams.len());
        let verb = if due == 1 { "is" } else { "are" };
        text += &format!("; {due} more {verb} due to arrive in {}", plural(tables, "stream"));
    }
    text.push('\n');
    let origin = if scene.step_given { "given" } else { "automatic" };
    text += &format!("step {:.4e} s ({origin}), {} steps to {} s", scene.setup.model.dt, scene.steps, scene.end);
    if let Some(advice) = &scene.advice {
        text += &format!("; critical step {:.2e} s, governed by {}", advice.critical, advice.governed_by);
    }
    text.push('\n');
    for warning in &scene.warnings {
        text += &format!("warning: {warning}\n");
    }
    for note in &scene.notes {
        text += &format!("note: {note}\n");
    }
    text
}

/// Steps between two looks at Ctrl-C and the progress bar, at the most.
const MOST_STEPS_UNSEEN: u64 = 50;

/// A run that goes on. Also what `compare` runs several of.
pub(crate) struct Job<'a> {
    scene: &'a Scene,
    world: World,
    folder: RunFolder,
    json: RunJson,
    info: RunInfo,
    recorder: Recorder,
    checkpoints: Checkpoints,
    /// Whether the state is worth keeping.
    sound: bool,
    log: SeriesLog,
    first: Ledger,
    rules: Rules,
    keeps_contacts: bool,
    interrupted: Arc<AtomicBool>,
    started: Instant,
}

impl<'a> Job<'a> {
    /// Writes what stands at the start: `run.json`, the scene, every record at step 0.
    pub(crate) fn start(
        scene_file: &Path,
        scene: &'a Scene,
        world: World,
        folder: RunFolder,
        interrupted: Arc<AtomicBool>,
    ) -> std::io::Result<Self> {
        let mut json = RunJson::starting(&scene.title, scene_file, &scene.resolved, &scene.records);
        json.threads = rayon::current_num_threads();
        json.cpu = if stickslip::law::kernel::avx2() { "avx2" } else { "baseline" }.into();
        json.step = scene.setup.model.dt;
        json.bodies = world.body_count();
        json.warnings = scene.warnings.clone();
        folder.write_run(&json)?;
        folder.write_scene(&scene.resolved)?;
        if let Some(start) = &scene.start {
            start.write(folder.path())?;
        }
        let description = Description::new(&scene.setup, &scene.names);
        let checkpoints = Checkpoints::new(folder.path(), &scene.records, json.step, description);
        let rules = Rules::new(scene);
        // The job itself asks for contacts at the steps that a rule may make the last.
        let info = RunInfo::new(&scene.setup, &scene.names);
        let mut recorder = Recorder::new(folder.path(), &scene.records, json.step, scene.steps, &info)?;
        recorder.write(&world, scene.steps == 0)?;
        let mut log = SeriesLog::default();
        log.offer(&world, scene.steps == 0);
        let first = world.ledger();
        let keeps_contacts = scene.records.iter().any(Record::holds_contacts);
        let started = Instant::now();
        Ok(Job {
            scene,
            world,
            folder,
            json,
            info,
            recorder,
            checkpoints,
            sound: true,
            log,
            first,
            rules,
            keeps_contacts,
            interrupted,
            started,
        })
    }

    /// Steps until the run ends, and says why it did.
    pub(crate) fn advance(&mut self, mut progress: Progress) -> std::io::Result<Ending> {
        let ending = loop {
            if self.world.steps() >= self.scene.steps {
                break Ending::Finished;
            }
            let ending = match self.step() {
                Ok(ending) => ending,
                // A step that went wrong leaves nothing worth recording; all that was recorded before is kept. A stream that
                // found no place stopped between two steps: that state is as good as any.
                Err(trouble) => {
                    self.sound = matches!(trouble, Trouble::Blocked { .. });
                    break Ending::Failed(self.scene.describe(&trouble));
                }
            };
            self.recorder.write(&self.world, ending.is_some())?;
            self.checkpoints.write(&self.world)?;
            self.log.offer(&self.world, ending.is_some() || self.world.steps() == self.scene.steps);
            progress.show(&self.world);
            if let Some(ending) = ending {
                break ending;
            }
        };
        progress.finish();
        self.recorder.finish()?;
        Ok(ending)
    }

    /// Steps up to the next one after which there is something to do, and what ends the run there.
    fn step(&mut self) -> Result<Option<Ending>, Trouble> {
        let interrupted = self.interrupted.load(Ordering::Relaxed);
        let next = self.next_stop(interrupted);
        // A step that may be the last must keep its contacts, since every record holds the last step.
        let may_be_last = self.keeps_contacts && (interrupted || self.rules.due(next));
        let keep = may_be_last || self.recorder.wants_contacts(next);
        self.world.keep_contacts(false);
        self.world.advance(next - self.world.steps() - 1)?;
        self.world.keep_contacts(keep);
        self.world.advance(1)?;
        self.world.check_finite()?;
        let ruled = self.rules.ending(&self.world, self.scene);
        Ok(ruled.or(interrupted.then_some(Ending::Interrupted)))
    }

    /// The next step after which a record, a rule or the progress bar looks at the world.
    fn next_stop(&self, interrupted: bool) -> u64 {
        let first = self.world.steps() + 1;
        let last = if interrupted { first } else { (first + MOST_STEPS_UNSEEN - 1).min(self.scene.steps) };
        let due = |step: &u64| self.recorder.due(*step) || self.rules.due(*step) || self.log.due(*step);
        let due = |step: &u64| due(step) || self.checkpoints.due(*step);
        (first..last).find(due).unwrap_or(last)
    }

    /// Writes the last state, the figures, the picture, the report, and how it ended. What cannot be written is an error,
    /// and a warning in `run.json`, which is written all the same: records that are whole should be known to be.
    pub(crate) fn close(&mut self, ending: &Ending) -> std::io::Result<()> {
        let saved = if self.sound { self.checkpoints.end(&self.world) } else { Ok(()) };
        self.json.ended = Some(utc::iso8601(std::time::SystemTime::now()));
        self.json.wall_seconds = self.started.elapsed().as_secs_f64();
        self.json.steps = self.world.steps();
        self.json.simulated_time = self.world.time();
        self.json.contacts = self.world.contact_count();
        self.json.bodies = self.world.body_count();
        self.json.entered = self.world.state().traffic.entered();
        self.json.left = self.world.state().traffic.left;
        self.json.ending = ending.clone();
        self.json.warnings.extend(self.late_warnings());
        self.info.catch_up(&self.world);
        let picture = Drawing::of(&self.world, &self.info).to_png();
        let closing = Closing { run: &self.json, scene: &self.scene.resolved, log: &self.log, picture: &picture };
        let drawn = closing.write(&self.folder);
        for error in [&saved, &drawn].into_iter().filter_map(|written| written.as_ref().err()) {
            self.json.warnings.push(format!("not all was written at the end: {error}"));
        }
        // Last, so that a folder whose run.json says how the run ended holds all of it, or a warning.
        let told = self.folder.write_run(&self.json);
        saved.and(drawn).and(told)
    }

    /// What can be warned of only when all is over.
    fn late_warnings(&self) -> Vec<String> {
        let slow = self.world.streams().enumerate().filter_map(|(index, report)| behind(index + 1, report));
        unbalanced(&self.first, &self.world.ledger()).into_iter().chain(slow).collect()
    }

    /// The run as a column of a comparison, once it is closed.
    pub(crate) fn into_column(self, name: String, changes: String) -> Column {
        let drawing = Some(Drawing::of(&self.world, &self.info));
        Column { name, changes, run: self.json, log: self.log, drawing }
    }

    /// What is said at the end.
    fn summary(&self, ending: &Ending) -> String {
        let (run, path) = (&self.json, self.folder.path());
        let speed = run.steps as f64 / run.wall_seconds.max(1e-9);
        let took = progress::duration(run.wall_seconds);
        let mut text = format!("{ending}, at {:.6} s after {} steps in {took}", run.simulated_time, run.steps);
        text += &format!(" ({speed:.0} steps/s); {}\n\n", plural(run.contacts, "contact"));
        text += &energy_summary(&self.first, &self.world.ledger());
        let start = self.scene.start.is_some().then(|| checkpoint::START.to_owned());
        let listed: String = start.iter().chain(&run.records).map(|file| format!("{file}, ")).collect();
        text += &format!("\nWritten to {}: scene.toml, run.json, bodies-fixed.csv, {listed}", path.display());
        let end = if self.sound { checkpoint::END } else { "no checkpoint, since the state is not sound" };
        text += &format!("energy.svg, contacts.svg, {end}\n");
        for warning in self.late_warnings() {
            text += &format!("warning: {warning}\n");
        }
        for (what, file) in [("report ", "report.html"), ("picture", "picture.png")] {
            text += &format!("{what}  {}\n", path.join(file).display());
        }
        text
    }
}

/// A remark on a stream that did not keep up with its rate.
fn behind(number: usize, report: StreamReport) -> Option<String> {
    let late = report.due.saturating_sub(report.entered);
    // The last one may just be waiting for its turn.
    (late > 1).then(|| {
        format!(
            "[[stream]] number {number} found no room for all its bodies: {} of the {} that were due have entered, {:.4e} a \
             second; make its box larger or its bodies faster",
            report.entered, report.due, report.rate
        )
    })
}

/// Share of the energy turned over that the balance may be off by before the user is told.
const WORST_BALANCE: f64 = 0.01;

/// A remark on a balance that does not close: the step was too large, whatever else the run looks like.
fn unbalanced(start: &Ledger, end: &Ledger) -> Option<String> {
    let carried = &end.carried;
    let released = start.potential + carried.potential_in - carried.potential_out - end.potential;
    let turned_over = start.kinetic + carried.kinetic_in + released.abs() + end.work.abs() + start.stored;
    let share = end.error.abs() / turned_over;
    (share > WORST_BALANCE).then(|| {
        format!(
            "the energy balance is off by {:.1} % of the energy turned over: the step is too large for what happened",
            100.0 * share
        )
    })
}

//! A run while it goes on: what `run`, `resume` and `compare` share.
//!
//! A run ends at its time, by a rule of `[time.stop]`, by trouble, by Ctrl-C, or because something cannot be written. In
//! each case but the last the records, the report and the picture are written, and `end.checkpoint` unless the trouble is in
//! the state itself. A run that was stopped before it was over goes on to the same bytes: a checkpoint says how far its
//! files were (`Marks`), and whatever was written later, the last rows of an interrupted run among it, is dropped and
//! written again.
//!
//! `run.json` says that a run is over only after all that it would need to go on has become needless; what is needless is
//! removed after that. So a run can be killed between any two of these steps.

mod stages;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use stickslip::World;
use stickslip::error::Trouble;
use stickslip::ledger::Ledger;
use stickslip::measure::solver::SolverReport;
use stickslip::world::StreamReport;
use stickslip_io::checkpoint::{self, Description};
use stickslip_io::results::picture::Drawing;
use stickslip_io::results::{
    Checkpoints, Closing, Column, Ending, Heap, Marks, Pace, Recorder, Resumed, RunFolder, RunInfo, RunJson, SeriesLog,
    StageMark, checkpoints, energy_summary, for_a_shell, utc,
};
use stickslip_io::scene::{self, Record, Scene, plural};

use crate::progress::{self, Progress};
use crate::rules::Rules;
use crate::{COMMIT, Failure, Outcome, say, side_by_side};
use stages::{info_of, stage_mark};

/// Requests to end that come closer than this are one: `timeout` and some batch systems send theirs to the process and to
/// its group, which would end it at once and not cleanly.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// Lets a write fail that a limit on the size of files forbids, with an error that names the file. Its signal would end the
/// program.
pub fn outlive_file_limits() {
    // A signal that is caught does not end the program. Where it cannot be caught, it does as before.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// The signals that ask to end. A closed terminal (SIGHUP) does, but not if the program was started to outlive it (`nohup`).
fn requests() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    let hangup_ignored = ignored.is_some_and(|set| set >> (SIGHUP - 1) & 1 == 1);
    if hangup_ignored { vec![SIGINT, SIGTERM] } else { vec![SIGINT, SIGTERM, SIGHUP] }
}

/// A flag that Ctrl-C and a request to end set. The second time the program ends at once.
pub fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let cannot = |error: std::io::Error| Failure::Run(format!("cannot listen for Ctrl-C: {error}"));
    let mut signals = Signals::new(requests()).map_err(cannot)?;
    let asked = flag.clone();
    let wait = move || {
        let mut first: Option<Instant> = None;
        for _ in signals.forever() {
            match first {
                None => {
                    first = Some(Instant::now());
                    asked.store(true, Ordering::Relaxed);
                }
                Some(first) if first.elapsed() > SAME_REQUEST => std::process::exit(1),
                Some(_) => {}
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map_err(cannot)?;
    Ok(flag)
}

/// Threads for a run; 0 means all that there are.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::Run(format!("cannot start threads: {error}")))?;
    // Each has its memory then, and what is left of a limit on addresses is for bodies.
    pool.broadcast(|_| ());
    Ok(pool)
}

/// Threads for a command that does one run, if the process has room for them. The scene is to be read within: outside,
/// as many threads again would begin for it alone.
pub fn only_pool(threads: Option<u16>) -> Result<rayon::ThreadPool, Failure> {
    let threads = side_by_side::threads(threads);
    // The first one, and one that waits for signals.
    expect_threads(threads + 2)?;
    pool(threads)
}

/// Finds out whether the process has room for so many threads.
pub fn expect_threads(threads: usize) -> Outcome {
    let refused = |(message, help)| Failure::Input(miette::miette!(help = format!("{help}"), "{message}"));
    scene::expect_threads(threads).map_err(refused)
}

/// Seconds of the clock on the wall between automatic checkpoints, when nothing is asked for.
pub const CHECKPOINT_EVERY: f64 = 600.0;

/// Steps between two looks at Ctrl-C and the progress bar, at the most.
const MOST_STEPS_UNSEEN: u64 = 50;

/// What a job is given.
pub struct Plan<'a> {
    /// What to do.
    pub scene: &'a Scene,
    /// The stage that it is in: the scene itself until the first.
    pub now: Cow<'a, Scene>,
    /// The world to start from, at step 0 or at a checkpoint.
    pub world: World,
    /// Where to write.
    pub folder: RunFolder,
    /// Set when the user wants it to end.
    pub interrupted: Arc<AtomicBool>,
    /// Between automatic checkpoints.
    pub checkpoint_every: Duration,
}

impl<'a> Plan<'a> {
    /// What the files of the run need to know of its bodies.
    fn info(&self) -> RunInfo {
        info_of(self.scene, &self.now)
    }

    fn checkpoints(&self) -> Checkpoints {
        let (now, every) = (&self.now, self.checkpoint_every);
        let description = Description::new(&now.setup, &now.names);
        Checkpoints::new(self.folder.path(), &now.records, now.setup.model.dt, description, every)
    }
}

/// An interval between automatic checkpoints in seconds, as a command has it.
pub fn interval(seconds: Option<f64>) -> Duration {
    Duration::try_from_secs_f64(seconds.unwrap_or(CHECKPOINT_EVERY)).unwrap_or(Duration::MAX)
}

/// Reads such an interval.
pub fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|seconds: &f64| *seconds >= 0.0)
        .ok_or_else(|| "expected a number of seconds, 0 or more".into())
}

/// A run that goes on.
pub struct Job<'a> {
    scene: &'a Scene,
    /// The stage that the run is in.
    now: Cow<'a, Scene>,
    /// The stages that have begun; none of a scene without stages.
    stages: Vec<StageMark>,
    /// The stage after which it is left as it is, to be taken up again.
    until: Option<usize>,
    world: World,
    folder: RunFolder,
    json: RunJson,
    info: RunInfo,
    recorder: Recorder,
    checkpoints: Checkpoints,
    /// Whether the state is worth keeping.
    sound: bool,
    /// Whether its picture was drawn, as far as it came to that.
    drawn: bool,
    /// How far the files were when the run was interrupted, before their last rows.
    interrupted_at: Option<Marks>,
    log: SeriesLog,
    first: Ledger,
    rules: Rules,
    keeps_contacts: bool,
    interrupted: Arc<AtomicBool>,
    started: Instant,
    /// Seconds that earlier parts of the run took, as far as it is known.
    seconds_before: f64,
}

impl<'a> Job<'a> {
    /// Writes what stands at the start: `run.json`, the scene, every record at step 0.
    pub fn start(plan: Plan<'a>, scene_file: &Path) -> std::io::Result<Self> {
        let (scene, folder) = (plan.scene, &plan.folder);
        let mut json = RunJson::starting(&scene.title, scene_file, &scene.resolved, &scene.records);
        json.commit = COMMIT.map(str::to_owned);
        json.threads = rayon::current_num_threads();
        json.cpu = cpu();
        json.step = scene.setup.model.dt;
        json.bodies = plan.world.body_count();
        json.warnings = scene.warnings.clone();
        let staged = if scene.stages.is_empty() { 0 } else { scene.stages.len() + 1 };
        json.records.extend((0..staged).map(|number| checkpoints::of_stage(scene.stage_name(number))));
        folder.write_run(&json)?;
        if let Some(start) = &scene.start {
            start.write(folder.path())?;
        }
        // Last of these: a folder with a scene has all that a run needs to begin.
        folder.write_scene(&scene.resolved)?;
        Job::begin(plan, json)
    }

    /// Starts again a run that has no checkpoint yet.
    pub fn start_again(plan: Plan<'a>, json: RunJson) -> std::io::Result<Self> {
        let json = taken_up(json, &plan);
        plan.folder.write_run(&json)?;
        plan.folder.cut_back(&json, None)?;
        Job::begin(plan, json)
    }

    /// Writes every record at step 0.
    fn begin(plan: Plan<'a>, json: RunJson) -> std::io::Result<Self> {
        let (scene, world, info) = (plan.scene, &plan.world, plan.info());
        let last_step = if scene.stages.is_empty() { scene.steps } else { u64::MAX };
        let mut recorder = Recorder::new(plan.folder.path(), &scene.records, scene.setup.model.dt, last_step, &info)?;
        recorder.write(world, last_step == 0)?;
        let mut log = SeriesLog::of_steps(scene.planned().0);
        log.offer(world, last_step == 0);
        let checkpoints = plan.checkpoints();
        let stages = if info.extras.stages { vec![stage_mark(scene, scene, world)] } else { Vec::new() };
        Ok(Job::with(plan, json, stages, info, (recorder, checkpoints, log)))
    }

    /// Goes on from a checkpoint whose marks have been checked. `end` is the step of `end.checkpoint`, if there is one.
    pub fn go_on(plan: Plan<'a>, json: RunJson, marks: &Marks, end: Option<u64>) -> std::io::Result<Self> {
        let (scene, folder) = (plan.scene, &plan.folder);
        let log = SeriesLog::go_on(marks)?;
        let mut info = plan.info();
        info.catch_up(&plan.world);
        let json = RunJson { stages: marks.stages.clone(), ..taken_up(json, &plan) };
        folder.write_run(&json)?;
        // Before the files are cut: a checkpoint that speaks of more than they hold is of no use any more.
        let mut checkpoints = plan.checkpoints();
        checkpoints.go_on(plan.world.steps(), end)?;
        let ended = marks.stages.iter().filter(|stage| stage.ended.is_some()).count();
        let open: Vec<&str> = (ended..=scene.stages.len()).map(|number| scene.stage_name(number)).collect();
        checkpoints.forget_stages(&open)?;
        folder.cut_back(&json, Some(marks))?;
        let (now, dt) = (&plan.now, plan.now.setup.model.dt);
        let last_step = if now.number == scene.stages.len() { now.last_step() } else { u64::MAX };
        let mut recorder = Recorder::go_on(folder.path(), &now.records, dt, last_step, &info, marks)?;
        if info.extras.stages {
            let pace = Pace { stage: now.number, clock: plan.world.state().clock, dt, last_step };
            recorder.enter(&now.records, pace, &info)?;
            checkpoints.enter(&now.records, pace, Description::new(&now.setup, &now.names));
        }
        Ok(Job::with(plan, json, marks.stages.clone(), info, (recorder, checkpoints, log)))
    }

    fn with(
        plan: Plan<'a>,
        json: RunJson,
        stages: Vec<StageMark>,
        info: RunInfo,
        (recorder, checkpoints, log): (Recorder, Checkpoints, SeriesLog),
    ) -> Self {
        let Plan { scene, now, world, folder, interrupted, .. } = plan;
        Job {
            // The log always has step 0.
            first: log.rows().first().map_or_else(|| world.ledger(), |row| row.ledger),
            rules: Rules::new(&now, stages.last()),
            keeps_contacts: scene.records.iter().any(Record::holds_contacts),
            started: Instant::now(),
            seconds_before: json.wall_seconds,
            sound: true,
            drawn: true,
            interrupted_at: None,
            until: None,
            scene,
            now,
            stages,
            world,
            folder,
            json,
            info,
            recorder,
            checkpoints,
            log,
            interrupted,
        }
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.world.steps()
    }

    /// Runs to its end, and writes what there is then; says how it ended.
    pub fn run(&mut self, progress: Progress) -> Ending {
        // What cannot be written (a full disk) says nothing about the run: it can go on from its last checkpoint.
        let ending = self.advance(progress).unwrap_or_else(|error| Ending::BrokenOff(error.to_string()));
        self.close(ending)
    }

    /// Steps until the run ends, and says why it did.
    fn advance(&mut self, mut progress: Progress) -> std::io::Result<Ending> {
        let ending = loop {
            if self.stages.last().is_some_and(|stage| stage.ended.is_some()) && self.goes_on() {
                if self.until == Some(self.now.number) {
                    break Ending::Interrupted;
                }
                if let Err(message) = self.begin_stage()? {
                    self.sound = false;
                    break Ending::Failed(message);
                }
                let (steps, end) = self.scene.planned_after(self.now.number);
                progress.expect(self.now.last_step().saturating_add(steps), self.world.time() + self.now.end + end);
            }
            if self.world.steps() >= self.now.last_step() {
                if self.goes_on() {
                    self.end_stage("finished")?;
                    continue;
                }
                break Ending::Finished;
            }
            let ending = match self.step() {
                Ok(ending) => ending,
                // A step that went wrong leaves nothing worth recording; all that was recorded before is kept. A stream that
                // found no place stopped between two steps: that state is as good as any.
                Err(trouble) => {
                    self.sound = matches!(trouble, Trouble::Blocked { .. });
                    break Ending::Failed(self.now.describe(&trouble));
                }
            };
            if let (Some(Ending::Stopped(rule)), true) = (&ending, self.goes_on()) {
                self.recorder.write(&self.world, false)?;
                self.log.offer(&self.world, false);
                self.end_stage(&format!("stopped: {rule}"))?;
                continue;
            }
            self.record(ending.as_ref())?;
            progress.show(&self.world);
            if let Some(ending) = ending {
                break ending;
            }
        };
        progress.finish();
        Ok(ending)
    }

    /// Writes what is due; everything, if the run ends here.
    fn record(&mut self, ending: Option<&Ending>) -> std::io::Result<()> {
        let goes_on = self.goes_on();
        let Job { world, recorder, log, checkpoints, json, stages, .. } = self;
        let marks = |recorder: &mut Recorder, log: &SeriesLog| marks(&json.scene_hash, stages, recorder, log);
        let last = !goes_on && world.steps() == self.now.last_step();
        recorder.write(world, last)?;
        log.offer(world, last);
        if let Some(ending) = ending {
            // To go on means to go on as if the rows that follow, of a step that is not due, had never been.
            self.interrupted_at = if ending.is_over() { None } else { Some(marks(recorder, log)?) };
            recorder.write(world, true)?;
            log.offer(world, true);
            return Ok(());
        }
        // Where a run is over no one goes on from.
        if !last && checkpoints.write(world, || marks(recorder, log))? {
            self.note_checkpoint()?;
        }
        Ok(())
    }

    /// Steps up to the next one after which there is something to do, and what ends the run there.
    fn step(&mut self) -> Result<Option<Ending>, Trouble> {
        let interrupted = self.interrupted.load(Ordering::Relaxed);
        let next = self.next_stop(interrupted);
        // A step that may be the last must keep its contacts, since every record holds the last step.
        let may_be_last = self.keeps_contacts && (interrupted || self.rules.due(next));
        let keep = may_be_last || self.recorder.wants_contacts(next);
        self.world.keep_rows(false);
        self.world.advance(next - self.world.steps() - 1)?;
        self.world.keep_rows(keep);
        self.world.advance(1)?;
        self.world.check_finite()?;
        let ruled = self.rules.ending(&self.world, &self.now);
        let interrupted = interrupted && (self.goes_on() || next < self.now.last_step());
        Ok(ruled.or(interrupted.then_some(Ending::Interrupted)))
    }

    /// The next step after which a record, a rule or the progress bar looks at the world.
    fn next_stop(&self, interrupted: bool) -> u64 {
        let first = self.world.steps() + 1;
        let last = if interrupted { first } else { (first + MOST_STEPS_UNSEEN - 1).min(self.now.last_step()) };
        let due = |step: &u64| self.recorder.due(*step) || self.rules.due(*step) || self.log.due(*step);
        let due = |step: &u64| due(step) || self.checkpoints.due(*step);
        (first..last).find(due).unwrap_or(last)
    }

    /// Writes the last state, the figures, the picture, the report, and how it ended, which is broken off if they cannot be
    /// written.
    fn close(&mut self, ending: Ending) -> Ending {
        self.note_how_far(&ending);
        let ending = match &ending {
            // There is no room: to write where the run stands matters most.
            Ending::BrokenOff(_) => ending,
            _ => match self.write_results() {
                Ok(()) => ending,
                Err(error) => Ending::BrokenOff(format!("{error} (when it was {ending})")),
            },
        };
        self.json.ending = ending;
        if let Err(error) = self.folder.write_run(&self.json) {
            return Ending::BrokenOff(format!("{error} (when it was {})", self.json.ending));
        }
        if self.json.ending.is_over()
            && let Err(error) = self.folder.tidy(&self.json)
        {
            // The run is whole, and said to be.
            crate::tell(&format!("warning: something needless was left in the folder: {error}"));
        }
        self.json.ending.clone()
    }

    /// Brings how far it is to `run.json`: a run that is killed and goes on from here would else forget the time it took.
    fn note_checkpoint(&mut self) -> std::io::Result<()> {
        self.json.wall_seconds = self.seconds_before + self.started.elapsed().as_secs_f64();
        (self.json.steps, self.json.simulated_time) = (self.world.steps(), self.world.time());
        self.json.stages.clone_from(&self.stages);
        self.folder.write_run(&self.json)
    }

    fn note_how_far(&mut self, ending: &Ending) {
        let (json, world) = (&mut self.json, &self.world);
        json.ended = Some(utc::iso8601(SystemTime::now()));
        json.wall_seconds = self.seconds_before + self.started.elapsed().as_secs_f64();
        json.steps = world.steps();
        json.simulated_time = world.time();
        json.contacts = world.contact_count();
        json.bodies = world.body_count();
        json.entered = world.state().traffic.entered();
        json.left = world.state().traffic.left;
        json.ending = ending.clone();
        let late = self.late_warnings();
        self.json.warnings.extend(late);
        let last = self.stages.last_mut().filter(|_| ending.is_over());
        if let Some(stage) = last.filter(|stage| stage.ended.is_none()) {
            stage.ended = Some((self.world.steps(), ending.to_string()));
        }
        self.json.stages.clone_from(&self.stages);
    }

    fn write_results(&mut self) -> std::io::Result<()> {
        self.recorder.finish()?;
        let end = self.folder.path().join(checkpoint::END);
        if self.sound {
            self.checkpoints.end(&self.world, self.interrupted_at.take().as_ref())?;
            let over = matches!(self.json.ending, Ending::Finished | Ending::Stopped(_));
            if over && !self.stages.is_empty() {
                self.checkpoints.end_stage(self.scene.stage_name(self.now.number), &self.world, None)?;
            }
        } else if end.exists() {
            // Of a part of the run that was interrupted: not this end.
            std::fs::remove_file(end)?;
        }
        self.info.catch_up(&self.world);
        self.world.free_workspace();
        let drawing = Drawing::of(&self.world);
        // Who has ended the run gets its picture; who asks while it is drawn does not wait for it.
        let asked = self.json.ending == Ending::Interrupted;
        let picture = if asked { Some(drawing.to_png()) } else { drawing.to_png_unless(&self.interrupted) };
        self.drawn = picture.is_some();
        let (run, scene, log) = (&self.json, &self.scene.resolved, &self.log);
        let schedules = &self.scene.courses();
        Closing { run, scene, log, schedules, picture: picture.as_deref() }.write(&self.folder)
    }

    /// What can be warned of only when all is over.
    fn late_warnings(&self) -> Vec<String> {
        let slow = self.world.streams().enumerate().filter_map(|(index, report)| behind(index + 1, report));
        let unsolved = self.world.solver().and_then(|report| unsolved(&report, self.world.steps()));
        unbalanced(&self.first, &self.world.ledger()).into_iter().chain(slow).chain(unsolved).collect()
    }

    /// Says how it ended; an ending that is not the plan's is a failure.
    pub fn tell(&self, ending: Ending, quiet: bool) -> Outcome {
        if !quiet {
            say(&self.summary(&ending))?;
        }
        let resume = format!("go on with `stickslip resume {}`", for_a_shell(self.folder.path()));
        match ending {
            Ending::Failed(message) => Err(Failure::Run(message)),
            Ending::BrokenOff(message) => Err(Failure::Run(format!("{message}. When that is mended, {resume}"))),
            Ending::Finished | Ending::Stopped(_) if !self.drawn => {
                let folder = for_a_shell(self.folder.path());
                Err(Failure::Run(format!(
                    "interrupted while its picture was drawn. The run itself is complete; `stickslip resume {folder}` draws it"
                )))
            }
            Ending::Interrupted => Err(Failure::Run(format!("interrupted at {:.6} s; {resume}", self.world.time()))),
            _ => Ok(()),
        }
    }

    /// The run as a column of a comparison, once it is closed.
    pub fn into_column(self, name: String, variant: String, changes: String) -> Column {
        let drawing = Some(Drawing::of(&self.world));
        let heap = Heap::of(&self.world, &self.info);
        let seed = self.scene.seed;
        Column { name, variant, seed, changes, run: self.json, log: self.log, drawing, heap }
    }

    /// What is said at the end.
    fn summary(&self, ending: &Ending) -> String {
        let (run, path) = (&self.json, self.folder.path());
        if let Ending::BrokenOff(_) = ending {
            let last = "nothing more could be written; what was written is kept";
            return format!("broken off at {:.6} s after {} steps: {last}\n", run.simulated_time, run.steps);
        }
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
        let files = [("report ", "report.html"), ("picture", "picture.png")];
        for (what, file) in files.into_iter().take(if self.drawn { 2 } else { 1 }) {
            text += &format!("{what}  {}\n", path.join(file).display());
        }
        text
    }
}

/// The instructions that are used.
fn cpu() -> String {
    stickslip::law::kernel::Simd::widest().name().into()
}

/// How far all that a run of this scene writes is.
fn marks(scene_hash: &str, stages: &[StageMark], recorder: &mut Recorder, log: &SeriesLog) -> std::io::Result<Marks> {
    let mut marks = Marks { scene_hash: scene_hash.to_owned(), stages: stages.to_vec(), ..recorder.marks()? };
    log.mark(&mut marks);
    Ok(marks)
}

/// The `run.json` of a run that is taken up by this process.
fn taken_up(mut json: RunJson, plan: &Plan<'_>) -> RunJson {
    json.resumed.push(Resumed {
        at: utc::iso8601(SystemTime::now()),
        step: plan.world.steps(),
        after: json.ending,
        version: env!("CARGO_PKG_VERSION").into(),
        commit: COMMIT.map(str::to_owned),
        threads: rayon::current_num_threads(),
        cpu: cpu(),
    });
    // What was said at an earlier end is said again if it is still so.
    json.warnings = plan.scene.warnings.clone();
    (json.ending, json.ended) = (Ending::Running, None);
    json
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

/// A remark on steps that were not solved as they should.
fn unsolved(report: &SolverReport, steps: u64) -> Option<String> {
    let SolverReport { unsolved, fallback, .. } = *report;
    let relaxed = if fallback == 0 {
        String::new()
    } else {
        format!("; {fallback} steps were solved by the convex law, because the exact one did not converge")
    };
    let text = format!(
        "{unsolved} of {steps} steps were not solved to `tolerance`{relaxed}: see `unsolved` in the series. Raise \
         `max_iterations`, or take a smaller step"
    );
    (unsolved + fallback > 0).then_some(text)
}

/// A remark on a balance that does not close: the step was too large, whatever else the run looks like.
fn unbalanced(start: &Ledger, end: &Ledger) -> Option<String> {
    let carried = &end.carried;
    let released = start.potential + carried.potential_in - carried.potential_out - end.potential;
    let turned_over = start.kinetic + carried.kinetic_in + released.abs() + end.work.abs() + start.stored;
    let share = end.error.abs() / turned_over;
    (share > WORST_BALANCE).then(|| {
        format!(
            "the energy balance is off by {:.1} % of the energy turned over: the step is too large for what happened; \
             set step = {{ fraction = 0.1 }}, or a smaller number",
            100.0 * share
        )
    })
}

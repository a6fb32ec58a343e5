//! `stickslip compare`: one scene under several variants, a run for each, one report.
//!
//! Every scene is read and its world built before anything is written. The runs go side by side (`side_by_side.rs`). A run
//! that fails is a column that says why, and the others go on. Does not do: going on with a comparison that was ended.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::MultiProgress;
use stickslip_io::results::{Column, Comparison, Ending, RunFolder, RunJson, SeriesLog, compare as comparison, spread};
use stickslip_io::scene::{self, Scene, plural};

use crate::job::{self, Job, Plan};
use crate::progress::{self, Progress};
use crate::run::refuse;
use crate::side_by_side::{self, stem};
use crate::{Failure, Outcome, say};

/// Run a scene under several variants, side by side, and write one report about all of them.
#[derive(clap::Args)]
// As it would be printed by itself, `--with` would take the scene for one more variant.
#[command(override_usage = "stickslip compare <SCENE> --with <VARIANT>... [OPTIONS]")]
#[command(after_help = "Example:\n  stickslip compare examples/compare/heap.toml \\\n    \
                        --with examples/compare/constant-torque.toml --with examples/compare/epsd.toml\n\n\
                        A variant is a partial scene: its top-level tables replace the scene's of the same name, its\n\
                        [[contact]] tables those between the same materials. The folder gets compare.html, compare.csv and\n\
                        a run folder for the scene and for each variant, named after the files.")]
pub struct Compare {
    /// The scene file (TOML); the first column of the report.
    scene: PathBuf,
    /// A variant of it (TOML); may be given several times, or with several files.
    #[arg(long, value_name = "VARIANT", required = true, num_args = 1..)]
    with: Vec<PathBuf>,
    /// Where to write; if absent, runs/compare-NAME with the name of the scene file.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many threads in all; as many as there are if absent. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Leave the scene itself out: run the variants only.
    #[arg(long)]
    only_variants: bool,
    /// Runs of the scene and of each variant, with the scene's seed and the numbers that follow it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Replace the runs that the folder holds.
    #[arg(long)]
    force: bool,
    /// Print errors only.
    #[arg(long)]
    quiet: bool,
}

/// A run to be made.
struct Task {
    name: String,
    /// The name but for the seed.
    variant: String,
    file: PathBuf,
    changes: String,
    scene: Scene,
}

impl Compare {
    /// Reads all scenes, runs them, writes their results and the report.
    pub fn execute(&self) -> Outcome {
        job::expect_threads(side_by_side::in_all(self.threads()))?;
        let tasks = self.tasks()?;
        let out = self.out.clone().unwrap_or_else(|| side_by_side::default_path("compare", &self.scene));
        let folders = self.folders(&out, &tasks)?;
        let interrupted = job::listen()?;
        self.say(&header(&tasks, self.threads()))?;
        let columns = self.run_all(&tasks, folders, &interrupted);
        let comparison = Comparison { title: title(&self.scene, &tasks), columns };
        // Who has ended the runs gets their pictures; who asks while these are drawn does not wait.
        let never = AtomicBool::new(false);
        let stop = if interrupted.load(Ordering::Relaxed) { &never } else { &*interrupted };
        comparison.write(&out, stop).map_err(|error| Failure::Run(error.to_string()))?;
        self.say(&closing(&comparison, &out))?;
        match bad_endings(&comparison) {
            bad if bad.is_empty() => Ok(()),
            bad => Err(Failure::Run(bad)),
        }
    }

    /// The scene, unless left out, and its variants, all of them sound.
    fn tasks(&self) -> Result<Vec<Task>, Failure> {
        let mut tasks = Vec::new();
        if !self.only_variants {
            self.add_tasks(&mut tasks, &self.scene, |seed| scene::load_seeded(&self.scene, seed))?;
        }
        for file in &self.with {
            self.add_tasks(&mut tasks, file, |seed| scene::load_variant(&self.scene, file, seed))?;
        }
        for (index, task) in tasks.iter().enumerate() {
            check_name(task)?;
            // Some file systems do not tell `Soft` from `soft`.
            let same = |other: &&Task| other.name.to_lowercase() == task.name.to_lowercase();
            if let Some(same) = tasks[..index].iter().find(same) {
                let (first, second, name) = (same.file.display(), task.file.display(), &task.name);
                return Err(Failure::Input(miette::miette!(
                    help = "the folders of the runs have the names of the files: rename one of them",
                    "{first} and {second} have the same name `{name}`"
                )));
            }
            task.scene.world()?;
        }
        Ok(tasks)
    }

    /// The runs of one variant: one for each seed, named after it where there are several.
    fn add_tasks(
        &self,
        tasks: &mut Vec<Task>,
        file: &Path,
        load: impl Fn(Option<u64>) -> Result<Scene, scene::InputError>,
    ) -> Outcome {
        let first = load(None)?;
        // Read only once it is known to be a file: a pipe would never end.
        let is_variant = file != self.scene;
        let changes = if is_variant { std::fs::read_to_string(file).unwrap_or_default() } else { String::new() };
        let seed = first.seed;
        for k in 0..self.seeds {
            let (seed, variant) = (seed.saturating_add(k), stem(file));
            let scene = if k == 0 { first.clone() } else { load(Some(seed))? };
            let name = if self.seeds == 1 { variant.clone() } else { format!("{variant}-seed-{seed}") };
            tasks.push(Task { name, variant, file: file.to_owned(), changes: changes.clone(), scene });
        }
        Ok(())
    }

    /// A folder for each run. All are looked at before any is touched: a comparison that is refused changes nothing.
    fn folders(&self, out: &Path, tasks: &[Task]) -> Result<Vec<RunFolder>, Failure> {
        let paths: Vec<PathBuf> = tasks.iter().map(|task| out.join(&task.name)).collect();
        for (path, task) in paths.iter().zip(tasks) {
            RunFolder::refuse_link(path).map_err(refuse)?;
            RunFolder::check(path, self.force, &task.scene.records).map_err(refuse)?;
        }
        for file in comparison::FILES.map(|name| out.join(name)) {
            if file.is_dir() || (!self.force && file.exists()) {
                return Err(Failure::Input(miette::miette!(
                    "{} is there already. Replace it with `--force`, or choose another folder with `--out`",
                    file.display()
                )));
            }
        }
        let take = |(path, task): (&PathBuf, &Task)| RunFolder::take(path, self.force, &task.scene.records);
        paths.iter().zip(tasks).map(take).collect::<Result<_, _>>().map_err(refuse)
    }

    fn threads(&self) -> usize {
        side_by_side::threads(self.threads)
    }

    /// Runs them all; the columns stand in the order of the tasks.
    fn run_all(&self, tasks: &[Task], folders: Vec<RunFolder>, interrupted: &Arc<AtomicBool>) -> Vec<Column> {
        let (at_once, threads) = shares(tasks, self.threads());
        let lines = MultiProgress::new();
        side_by_side::do_all(tasks.len(), at_once, |number| {
            let column = self.run_one(&tasks[number], folders[number].clone(), threads, interrupted, &lines);
            self.tell(&column, &lines);
            column
        })
    }

    /// Runs one on its own threads. Whatever goes wrong is its ending.
    fn run_one(
        &self,
        task: &Task,
        folder: RunFolder,
        threads: usize,
        interrupted: &Arc<AtomicBool>,
        lines: &MultiProgress,
    ) -> Column {
        if interrupted.load(Ordering::Relaxed) {
            return never_begun(task, Ending::Interrupted);
        }
        let failed = |message: String| never_begun(task, Ending::Failed(message));
        let pool = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool,
            Err(error) => return failed(format!("cannot start threads: {error}")),
        };
        pool.install(|| {
            let world = match task.scene.world() {
                Ok(world) => world,
                Err(error) => return failed(error.to_string()),
            };
            let (interrupted, checkpoint_every) = (interrupted.clone(), job::interval(None));
            let now = Cow::Borrowed(&task.scene);
            let plan = Plan { scene: &task.scene, now, world, folder, interrupted, checkpoint_every };
            let mut job = match Job::start(plan, &task.file) {
                Ok(job) => job,
                Err(error) => return failed(error.to_string()),
            };
            let progress = Progress::of_several(self.quiet, task.scene.planned(), &task.name, lines);
            let ending = job.run(progress);
            let mut column = job.into_column(task.name.clone(), task.variant.clone(), task.changes.clone());
            column.run.ending = ending;
            column
        })
    }

    /// One line about a run that has ended.
    fn tell(&self, column: &Column, lines: &MultiProgress) {
        let run = &column.run;
        let took = progress::duration(run.wall_seconds);
        let text = format!("{}: {}, at {:.6} s in {took}", column.name, run.ending, column.time());
        if !self.quiet {
            // Through the bars, so that no line is torn; progress that cannot be shown is no reason to stop.
            lines.suspend(|| crate::tell(&text));
        }
    }

    fn say(&self, text: &str) -> Outcome {
        if self.quiet { Ok(()) } else { say(text) }
    }
}

/// Refuses names that are no folder beside the report, but the report itself, the folder around it, or hidden.
fn check_name(task: &Task) -> Outcome {
    let (name, file) = (&task.name, task.file.display());
    let lower = name.to_lowercase();
    if !name.starts_with('.') && !comparison::FILES.iter().any(|report| lower.starts_with(report)) {
        return Ok(());
    }
    Err(Failure::Input(miette::miette!(
        help = "the folders of the runs have the names of the files: rename it",
        "{file}: a run cannot have a folder of the name `{name}`"
    )))
}

/// How many run at a time, and on how many threads each.
fn shares(tasks: &[Task], threads: usize) -> (usize, usize) {
    let largest = tasks.iter().map(|task| task.scene.setup.bodies.len()).max().unwrap_or(0);
    side_by_side::shares(tasks.len(), largest, threads)
}

fn never_begun(task: &Task, ending: Ending) -> Column {
    let mut run = RunJson::starting(&task.scene.title, &task.file, &task.scene.resolved, &task.scene.records);
    run.ending = ending;
    let (name, variant, changes) = (task.name.clone(), task.variant.clone(), task.changes.clone());
    Column { name, variant, seed: task.scene.seed, changes, run, log: SeriesLog::default(), drawing: None, heap: None }
}

fn title(scene: &Path, tasks: &[Task]) -> String {
    let titles = tasks.iter().map(|task| &task.scene.title);
    titles.into_iter().find(|title| !title.is_empty()).cloned().unwrap_or_else(|| stem(scene))
}

fn header(tasks: &[Task], threads: usize) -> String {
    let (at_once, each) = shares(tasks, threads);
    let mut text = format!("{}, {at_once} at a time on {} each\n", plural(tasks.len(), "run"), plural(each, "thread"));
    for task in tasks {
        let (bodies, steps) = (plural(task.scene.setup.bodies.len(), "body"), task.scene.planned().0);
        text += &format!("  {}: {bodies}, {steps} steps to {} s\n", task.name, task.scene.end);
        text += &task.scene.warnings.iter().map(|warning| format!("    warning: {warning}\n")).collect::<String>();
    }
    text
}

/// What is said at the end: a small table, and where the report is.
fn closing(comparison: &Comparison, out: &Path) -> String {
    let width = comparison.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).max(4);
    let mut text = format!(
        "\n{:<width$}  {:>10}  {:>11}  {:>9}  {:>11}\n",
        "", "time (s)", "kinetic (J)", "contacts", "unbalanced"
    );
    for column in &comparison.columns {
        let Some(last) = column.log.rows().last() else {
            text += &format!("{:<width$}  {}\n", column.name, column.run.ending);
            continue;
        };
        let (time, kinetic) = (last.time, last.ledger.kinetic);
        let (contacts, unbalanced) = (last.contacts, last.unbalanced_force);
        text +=
            &format!("{:<width$}  {time:>10.4}  {kinetic:>11.3e}  {contacts:>9}  {unbalanced:>11.2e}\n", column.name);
    }
    text += &format!("\nreport  {}\n", out.join("compare.html").display());
    text += &format!("table   {}\n", out.join("compare.csv").display());
    if comparison.has_seeds() {
        text += &format!("spread  {}\n", out.join(spread::FILE).display());
    }
    text
}

/// The runs that did not end as they should, in words; empty if there are none.
fn bad_endings(comparison: &Comparison) -> String {
    let bad = comparison.columns.iter().filter_map(|column| match &column.run.ending {
        Ending::Finished | Ending::Stopped(_) => None,
        ending => Some(format!("{}: {ending}", column.name)),
    });
    bad.collect::<Vec<_>>().join("; ")
}

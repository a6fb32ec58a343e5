//! `stickslip sweep`: one run per combination of values and per seed, one table of what they came to.
//!
//! Every combination is read and its world built before anything is written. Scenes are then read again, one by one, when
//! their turn comes: a thousand worlds in memory would be too many. The runs go side by side (`side_by_side.rs`) and their
//! rows appear in the table as they end; a run that fails is a row that says why, and the others go on. Given again, the same
//! command goes on: what has ended is kept, what was broken off is resumed as `stickslip resume` does (`plan.rs` decides).

mod board;
mod plan;
mod shared;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stickslip_io::results::run_json::scene_hash;
use stickslip_io::results::series;
use stickslip_io::results::sweep::{Row, SweepJson, SweepTable, Swept};
use stickslip_io::results::sweep_page::{Plot, check_plots};
use stickslip_io::results::{RunFolder, for_a_shell};
use stickslip_io::run_reader::Run;
use stickslip_io::scene::{self, Record, Scene, Setting, What, plural};

use crate::job::{self, Job, Plan};
use crate::measure::{self, Asked};
use crate::progress::{Overall, Progress};
use crate::resume::{self, Again};
use crate::run::refuse;
use crate::side_by_side::{self, stem};
use crate::{COMMIT, Failure, Outcome, say};
use board::Board;
use plan::{Place, Todo};

/// Run a scene once for every combination of values, and write one table and one report about all runs.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  stickslip sweep examples/sweep/heap.toml --set 'contact[*].roll.mu=0,0.1,0.2' --seeds 3\n\n\
                        A KEY is a path in the scene: time.step, material.grain.density, contact[grain,wall].slide.mu,\n\
                        contact[*].roll.mu (all contacts), body[left].velocity, grains[0].radius, seed. VALUES are TOML with\n\
                        commas between them (a text has quotes: '\"epsd\"'), or ranges: 0.1..0.5/5 is five values in equal\n\
                        steps, '1e-4..1e-1/4 log' four in equal ratios. Several --set: every combination; the last changes\n\
                        fastest. The folder gets sweep.csv, sweep.parquet, sweep.html and a run folder for each run.\n\
                        `--measure repose --plot roll.mu,repose.angle` adds all numbers of `stickslip measure DIR repose`\n\
                        to the table and plots one; `--measure 'discharge.mass_rate --below 0.1'` adds one, with options.\n\
                        The same command again, or `stickslip resume DIR`, goes on with a sweep that was ended."
)]
pub struct Sweep {
    /// The scene file (TOML).
    scene: PathBuf,
    /// A key of the scene and its values; may be given several times.
    #[arg(long, value_name = "KEY=VALUES")]
    set: Vec<String>,
    /// Runs of each combination, with the scene's seed and the numbers that follow it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// Where to write; if absent, runs/sweep-NAME with the name of the scene file.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How many threads in all; as many as there are if absent. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// A plot of columns of the table: X,Y draws lines, X,Y,COLUMN a heat map; may be given several times.
    #[arg(long, value_name = "X,Y[,COLUMN]")]
    plot: Vec<String>,
    /// Measure each run: all numbers of WHAT or one, as `stickslip measure` has them; may be given several times.
    #[arg(long, value_name = "WHAT[.NUMBER]")]
    measure: Vec<String>,
    /// What is kept of runs that came to their end: their folders, or their rows in the table only.
    #[arg(long, value_enum, default_value_t = Keep::All)]
    keep: Keep,
    /// Replace the sweep that the folder holds.
    #[arg(long)]
    force: bool,
    /// Print errors only.
    #[arg(long)]
    quiet: bool,
    /// Seconds of the clock on the wall between automatic checkpoints of each run; 600 if absent.
    #[arg(long, value_name = "SECONDS", value_parser = job::seconds)]
    checkpoint_every: Option<f64>,
}

/// What is kept of runs that came to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Keep {
    All,
    Table,
}

impl Keep {
    fn word(self) -> &'static str {
        match self {
            Keep::All => "all",
            Keep::Table => "table",
        }
    }
}

/// The most runs of a sweep.
const MOST_RUNS: usize = 100_000;

/// A run to be made, as far as it is kept in memory.
struct Task {
    /// Which value of each setting.
    choice: Vec<usize>,
    /// The seed, if it is not left to the scene.
    seed: Option<u64>,
}

/// What is known of it once its scene has been read and its world built.
struct Checked {
    title: String,
    hash: String,
    seed: u64,
    steps: u64,
    /// Of each stage but the last, what it and all before it are: where two runs have the same, they go there together.
    beginnings: Vec<String>,
    bodies: usize,
    extras: series::Extras,
    /// As measurements name them.
    walls: Vec<String>,
    records: Vec<Record>,
    warnings: Vec<String>,
}

impl Sweep {
    /// The sweep that a folder holds, to go on with.
    pub fn again(
        folder: &Path,
        threads: Option<u16>,
        quiet: bool,
        checkpoint_every: Option<f64>,
    ) -> Result<Self, Failure> {
        let json = SweepJson::read(folder).map_err(|error| Failure::Input(miette::miette!("{error}")))?;
        let set = json.set.iter().map(|swept| format!("{}={}", swept.key, swept.values.join(","))).collect();
        Ok(Sweep {
            scene: PathBuf::from(json.scene_file),
            set,
            seeds: json.seeds,
            out: Some(folder.to_owned()),
            threads,
            plot: json.plot,
            measure: json.measure,
            keep: if json.keep == Keep::Table.word() { Keep::Table } else { Keep::All },
            force: false,
            quiet,
            checkpoint_every,
        })
    }

    /// Reads all scenes, makes the runs that are not there yet, writes the table and the report.
    pub fn execute(&self) -> Outcome {
        job::expect_threads(side_by_side::in_all(side_by_side::threads(self.threads)))?;
        let settings = self.settings()?;
        let tasks = self.tasks(&settings)?;
        let measured = self.measured()?;
        let checked = self.check(&settings, &tasks)?;
        self.check_columns(&settings, &measured, &checked)?;
        let out = self.out.clone().unwrap_or_else(|| side_by_side::default_path("sweep", &self.scene));
        let json = self.json(&settings, &tasks, &checked)?;
        let place = Place::look(&out, &json, self.force)?;
        let works: Vec<Work<'_>> =
            (0..tasks.len()).map(|n| self.work(n, (&settings, &measured), &tasks[n], &checked[n], &out)).collect();
        let todo = place.plan(&works, self.keep == Keep::Table)?;
        let interrupted = job::listen()?;
        let place = place.take(&json)?;
        self.say(&header(&settings, self, &checked, &todo))?;
        let table = SweepTable::new(settings.iter().map(|setting| setting.key().to_owned()).collect());
        let board = Board::new(table, &out, self.keep == Keep::Table);
        self.run_all(&works, todo, &board, &interrupted);
        let title = checked.first().map(|first| first.title.clone()).filter(|title| !title.is_empty());
        let outcome = board.close(&json, &title.unwrap_or_else(|| stem(&self.scene)));
        drop(place);
        outcome.map_err(Failure::Run).and_then(|summary| {
            self.say(&summary.text)?;
            summary.bad.map_or(Ok(()), |bad| Err(Failure::Run(bad)))
        })
    }

    fn settings(&self) -> Result<Vec<Setting>, Failure> {
        let wrong = |message: String| Failure::Input(miette::miette!("{message}"));
        let mut settings: Vec<Setting> = Vec::new();
        for text in &self.set {
            let setting = Setting::parse(text).map_err(|error| wrong(format!("--set {error}")))?;
            if settings.iter().any(|other| other.key() == setting.key()) {
                return Err(wrong(format!("--set {} is given twice: put all its values into one", setting.key())));
            }
            settings.push(setting);
        }
        if self.seeds > 1 && settings.iter().any(|setting| setting.key() == "seed") {
            return Err(wrong("--set seed and --seeds exclude each other: give one of them".into()));
        }
        if settings.is_empty() && self.seeds == 1 {
            let help = "as in --set 'contact[*].roll.mu=0,0.1', or --seeds 5";
            return Err(Failure::Input(miette::miette!(
                help = help,
                "there is nothing to sweep: give --set or --seeds"
            )));
        }
        for plot in &self.plot {
            Plot::parse(plot).map_err(|error| wrong(format!("--plot: {error}")))?;
        }
        Ok(settings)
    }

    /// What is measured of each run.
    fn measured(&self) -> Result<Vec<Asked>, Failure> {
        let wrong = |message: String| Failure::Input(miette::miette!("--measure: {message}"));
        let mut measured: Vec<Asked> = Vec::new();
        for text in &self.measure {
            let asked = Asked::parse(text).map_err(wrong)?;
            if let Some(other) = measured.iter().find(|other| other.overlaps(&asked)) {
                return Err(wrong(format!("`{}` and `{text}` fill the same column: leave one out", other.text())));
            }
            measured.push(asked);
        }
        Ok(measured)
    }

    /// Checks before the first run that the table will have what plots and measurements need.
    fn check_columns(&self, settings: &[Setting], measured: &[Asked], checked: &[Checked]) -> Outcome {
        for asked in measured {
            if let Some(record) = checked.iter().find_map(|checked| asked.missing_record(&checked.records)) {
                let (text, file) = (asked.text(), self.scene.display());
                return Err(Failure::Input(miette::miette!(
                    help = format!("add to it:\n\n[[record]]\nwhat  = \"{record}\"\nevery = TIME"),
                    "--measure {text} needs the record `{record}`, which {file} does not have"
                )));
            }
        }
        let walls: BTreeSet<&String> = checked.iter().flat_map(|checked| &checked.walls).collect();
        let walls: Vec<String> = walls.into_iter().cloned().collect();
        for asked in measured {
            asked
                .check_walls(&self.plot, &walls)
                .map_err(|error| Failure::Input(miette::miette!("--measure: {error}")))?;
        }
        let has_series = |checked: &Checked| checked.records.iter().any(|record| record.what == What::Series);
        let extras = checked.iter().fold(series::Extras::default(), |all, checked| all.or(checked.extras));
        let series = if checked.iter().any(has_series) { series::header(extras) } else { String::new() };
        let series = series.split(',').filter(|name| !name.is_empty()).map(str::to_owned);
        let found = series.chain(measured.iter().flat_map(|asked| asked.columns_for(&self.plot)));
        let keys = settings.iter().map(|setting| setting.key().to_owned()).collect();
        let set = settings.iter().map(|setting| setting.shown(0)).collect();
        check_plots(&self.plot, &SweepTable::expected(keys, set, found))
            .map_err(|error| Failure::Input(miette::miette!("--plot: {error}")))
    }

    /// All combinations: the seed changes fastest, then the last setting.
    fn tasks(&self, settings: &[Setting]) -> Result<Vec<Task>, Failure> {
        let counts: Vec<usize> = settings.iter().map(|setting| setting.values().len()).collect();
        let seeds = self.seeds as usize;
        let runs = counts.iter().try_fold(seeds, |runs, count| runs.checked_mul(*count)).filter(|n| *n <= MOST_RUNS);
        let Some(runs) = runs else {
            return Err(Failure::Input(miette::miette!("there are more than {MOST_RUNS} combinations")));
        };
        let choice = |mut number: usize| {
            let mut choice = vec![0; counts.len()];
            for (place, count) in choice.iter_mut().zip(&counts).rev() {
                (*place, number) = (number % count, number / count);
            }
            choice
        };
        let tasks = (0..runs).map(|run| Task { choice: choice(run / seeds), seed: None });
        let mut tasks: Vec<Task> = tasks.collect();
        if seeds > 1 {
            // No setting is about the seed, so all combinations begin with the same.
            let first = self.load(settings, &tasks[0]).map_err(|error| self.in_run(error, 0, settings, &tasks))?.seed;
            for (run, task) in tasks.iter_mut().enumerate() {
                task.seed = Some(first.saturating_add((run % seeds) as u64));
            }
        }
        Ok(tasks)
    }

    fn load(&self, settings: &[Setting], task: &Task) -> Result<Scene, scene::InputError> {
        let values: Vec<(&Setting, usize)> = settings.iter().zip(task.choice.iter().copied()).collect();
        scene::load_with(&self.scene, &values, task.seed)
    }

    /// Reads every scene and builds its world. The first that is wrong is the error.
    fn check(&self, settings: &[Setting], tasks: &[Task]) -> Result<Vec<Checked>, Failure> {
        let checked = side_by_side::do_all(tasks.len(), side_by_side::threads(self.threads), |number| {
            let scene = self.load(settings, &tasks[number])?;
            scene.world()?;
            Ok(Checked {
                hash: scene_hash(&scene.resolved),
                walls: measure::wall_names(&scene),
                steps: scene.planned().0,
                beginnings: scene.beginnings().map(scene_hash).collect(),
                title: scene.title,
                seed: scene.seed,
                bodies: scene.setup.bodies.len(),
                extras: series::Extras { stages: !scene.stages.is_empty(), ..series::Extras::of(&scene.setup.model) },
                records: scene.records,
                warnings: scene.warnings,
            })
        });
        let in_run = |(number, checked): (usize, Result<Checked, scene::InputError>)| {
            checked.map_err(|error| self.in_run(error, number, settings, tasks))
        };
        checked.into_iter().enumerate().map(in_run).collect()
    }

    /// An error of the scene of one run, with which run it is.
    fn in_run(&self, error: scene::InputError, number: usize, settings: &[Setting], tasks: &[Task]) -> Failure {
        let task = &tasks[number];
        let values =
            settings.iter().zip(&task.choice).map(|(s, &value)| format!("{} = {}", s.key(), s.values()[value]));
        let values: Vec<String> = values.chain(task.seed.map(|seed| format!("seed = {seed}"))).collect();
        let which = format!("run {} of {} ({})", number + 1, tasks.len(), values.join(", "));
        Failure::Input(miette::Report::from(error).wrap_err(which))
    }

    fn json(&self, settings: &[Setting], tasks: &[Task], checked: &[Checked]) -> Result<SweepJson, Failure> {
        let file = self.scene.display();
        let text = std::fs::read_to_string(&self.scene);
        let text = text.map_err(|error| Failure::Input(miette::miette!("{file}: cannot be read: {error}")))?;
        let swept = |setting: &Setting| Swept { key: setting.key().into(), values: setting.values().to_vec() };
        Ok(SweepJson {
            program: "stickslip".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: COMMIT.map(str::to_owned),
            scene_file: file.to_string(),
            scene_hash: scene_hash(&text),
            set: settings.iter().map(swept).collect(),
            seeds: self.seeds,
            first_seed: checked.first().map_or(1, |first| first.seed),
            runs: tasks.len(),
            plot: self.plot.clone(),
            keep: self.keep.word().into(),
            measure: self.measure.clone(),
        })
    }

    fn work<'a>(
        &'a self,
        number: usize,
        (settings, measured): (&'a [Setting], &'a [Asked]),
        task: &'a Task,
        checked: &'a Checked,
        out: &Path,
    ) -> Work<'a> {
        let set = settings.iter().zip(&task.choice).map(|(setting, &value)| setting.shown(value)).collect();
        let folder = out.join("runs").join(format!("{:04}", number + 1));
        Work { sweep: self, number: number + 1, settings, measured, task, checked, set, folder }
    }

    /// Makes the runs that are to be made, and brings all rows to the board.
    fn run_all(&self, works: &[Work<'_>], todo: Vec<Todo>, board: &Board<'_>, interrupted: &Arc<AtomicBool>) {
        // With the steps that are done, of those that were broken off.
        let mut open: Vec<(&Work<'_>, Option<u64>)> = Vec::new();
        for (work, todo) in works.iter().zip(todo) {
            match todo {
                Todo::Keep(row) => board.keep(work.number, row, &work.folder),
                Todo::Start => open.push((work, None)),
                Todo::GoOn { done } => open.push((work, Some(done))),
            }
        }
        let steps = open.iter().map(|(work, done)| work.checked.steps.saturating_sub(done.unwrap_or(0))).sum();
        let (at_once, each) = shares(open.iter().map(|(work, _)| work.checked), side_by_side::threads(self.threads));
        let overall = Arc::new(Overall::new(self.quiet, open.len(), steps));
        let fresh: Vec<&Work<'_>> = open.iter().filter(|(_, done)| done.is_none()).map(|(work, _)| *work).collect();
        let how = shared::Threads { at_once, each };
        shared::run_once(&fresh, how, interrupted, &overall);
        side_by_side::do_all(open.len(), at_once, |number| {
            let (work, done) = open[number];
            // Those whose first stages are there already are taken up from where these end.
            let begun = done.is_some() || work.folder.join("scene.toml").exists();
            if let Some(row) = work.row(begun, each, interrupted, &overall) {
                overall.ended(work.number, &row);
                board.add(work.number, row, &work.folder);
            }
        });
        overall.finish();
    }

    fn say(&self, text: &str) -> Outcome {
        if self.quiet { Ok(()) } else { say(text) }
    }
}

/// One run of the sweep, with all that it needs.
struct Work<'a> {
    sweep: &'a Sweep,
    /// From 1.
    number: usize,
    settings: &'a [Setting],
    measured: &'a [Asked],
    task: &'a Task,
    checked: &'a Checked,
    /// Its values as the table shows them.
    set: Vec<String>,
    folder: PathBuf,
}

impl Work<'_> {
    /// The row of what its folder holds.
    fn row_there(&self) -> std::io::Result<Row> {
        let run = RunFolder::read_run(&self.folder)?;
        let mut row = Row::of(self.set.clone(), self.checked.seed, &run, &self.folder, &self.checked.records)?;
        if row.is_whole() && !self.measured.is_empty() {
            match Run::open(&self.folder) {
                Ok(run) => self.measured.iter().for_each(|asked| asked.add_to(&mut row, &run)),
                Err(error) => {
                    let why = error.to_string();
                    self.measured.iter().for_each(|asked| asked.add_nothing(&mut row, Some(&why)));
                }
            }
        }
        Ok(row)
    }

    /// The row of the table of a run whose folder is gone, with the measurements that it has.
    fn row_kept(&self, row: &Row, same: bool) -> Row {
        let mut row = row.clone();
        let has = |asked: &Asked| row.found.iter().any(|(column, _)| asked.columns().contains(column));
        let empty: Vec<&Asked> = self.measured.iter().filter(|asked| !has(asked)).collect();
        for asked in empty {
            // Empty fields are not read back; why they are empty is.
            let why = format!("{}: `--keep table` removed the folder of the run", asked.text());
            asked.add_nothing(&mut row, (!same).then_some(why.as_str()));
        }
        row
    }

    /// Makes the run, or goes on with it. Whatever goes wrong outside of it is the reason of a row that is to be tried again;
    /// `None` if it was not begun.
    fn row(&self, begun: bool, threads: usize, interrupted: &Arc<AtomicBool>, overall: &Arc<Overall>) -> Option<Row> {
        if interrupted.load(Ordering::Relaxed) {
            return if begun { self.row_there().ok() } else { None };
        }
        let made = job::pool(threads).and_then(|pool| pool.install(|| self.run(begun, None, interrupted, overall)));
        let row = made.and_then(|()| self.row_there().map_err(|error| Failure::Run(error.to_string())));
        Some(row.unwrap_or_else(|failure| {
            let reason = match failure {
                Failure::Input(report) => report.to_string(),
                Failure::Run(message) | Failure::Checks(message) => message,
            };
            Row::stuck(self.set.clone(), self.checked.seed, "interrupted", reason)
        }))
    }

    /// How it ended stands in its folder. It is left to be taken up again after the stage of the number `until`.
    fn run(&self, begun: bool, until: Option<usize>, interrupted: &Arc<AtomicBool>, overall: &Arc<Overall>) -> Outcome {
        let (interrupted, checkpoint_every) = (interrupted.clone(), job::interval(self.sweep.checkpoint_every));
        let io = |error: std::io::Error| Failure::Run(error.to_string());
        let scene;
        let mut job = if begun {
            let (folder, run) = RunFolder::reopen(&self.folder).map_err(refuse)?;
            scene = resume::scene_of(&self.folder, &run)?;
            Again { from: None, interrupted, checkpoint_every }.take_up(&scene, folder, run, |_| Ok(()))?
        } else {
            scene = self.sweep.load(self.settings, self.task)?;
            let world = scene.world()?;
            let folder = RunFolder::create(&self.folder, false, &scene.records).map_err(refuse)?;
            Job::start(
                Plan { scene: &scene, now: Cow::Borrowed(&scene), world, folder, interrupted, checkpoint_every },
                &self.sweep.scene,
            )
            .map_err(io)?
        };
        let progress = Progress::within(overall, self.number, job.steps());
        match until {
            Some(stage) => drop(job.run_until(stage, progress)),
            None => drop(job.run(progress)),
        }
        Ok(())
    }
}

fn shares<'a>(checked: impl ExactSizeIterator<Item = &'a Checked>, threads: usize) -> (usize, usize) {
    let runs = checked.len();
    side_by_side::shares(runs, checked.map(|checked| checked.bodies).max().unwrap_or(0), threads)
}

/// What is said before the first run.
fn header(settings: &[Setting], sweep: &Sweep, checked: &[Checked], todo: &[Todo]) -> String {
    let (at_once, each) = shares(checked.iter(), side_by_side::threads(sweep.threads));
    let mut text =
        format!("{}, {at_once} at a time on {} each\n", plural(checked.len(), "run"), plural(each, "thread"));
    for setting in settings {
        text += &format!("  {} = {}\n", setting.key(), setting.values().join(", "));
    }
    if let (Some(first), true) = (checked.first(), sweep.seeds > 1) {
        text += &format!("  seed = {} .. {}\n", first.seed, first.seed.saturating_add(sweep.seeds - 1));
    }
    let kept = todo.iter().filter(|todo| matches!(todo, Todo::Keep(_))).count();
    let resumed = todo.iter().filter(|todo| matches!(todo, Todo::GoOn { .. })).count();
    if kept + resumed > 0 {
        text += &format!("going on: {} kept, {resumed} resumed\n", plural(kept, "run"));
    }
    let mut warnings: BTreeMap<&str, usize> = BTreeMap::new();
    for warning in checked.iter().flat_map(|checked| &checked.warnings) {
        *warnings.entry(warning).or_default() += 1;
    }
    for (warning, count) in warnings {
        text += &format!("warning (in {}): {warning}\n", plural(count, "run"));
    }
    text
}

/// The command that goes on with a sweep.
fn go_on_command(out: &Path) -> String {
    format!("`stickslip resume {}`", for_a_shell(out))
}

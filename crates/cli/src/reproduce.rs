//! `stickslip reproduce`: the papers' experiments, ours beside the reference.
//!
//! Each experiment gets DIR/paper/experiment/ with `result.json`, tables and figures. An experiment that was stopped continues
//! from the packings it had finished, unless `--force` is given. A quick one that has its result starts again; a full one
//! reuses its rows. A quick result does not overwrite a full one, or a part of one, unasked. Experiments themselves are in
//! the crate `stickslip-papers`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use stickslip_io::results::{RunFolder, for_a_shell, short_number};
use stickslip_io::scene::plural;
use stickslip_papers::result::{self, Summary};
use stickslip_papers::{Check, Context, EXPERIMENTS, Ended, Experiment, Scale};

use crate::progress::duration;
use crate::run::refuse;
use crate::{Failure, Outcome, job, say};

/// Do the experiments of the papers again and compare the numbers.
#[derive(clap::Args)]
#[command(
    override_usage = "stickslip reproduce <ID>... [OPTIONS]\n       stickslip reproduce --all [OPTIONS]\n       \
                            stickslip reproduce --list"
)]
#[command(after_help = "Example:\n  stickslip reproduce santos/constraints santos/contact\n\n\
                        Each experiment writes DIR/<paper>/<experiment>/ with result.json, tables and figures.\n\
                        The same command continues an experiment that was stopped, from its finished packings.\n\n\
                        Exit codes: 0 all checks pass; 1 an experiment failed or was interrupted; 2 the input is wrong;\n\
                        3 some checks were missed.")]
pub struct Reproduce {
    /// An experiment such as santos/contact, or a paper such as santos for all of its experiments.
    #[arg(value_name = "ID", required_unless_present_any = ["all", "list"])]
    ids: Vec<String>,
    /// All experiments.
    #[arg(long, conflicts_with = "ids")]
    all: bool,
    /// Say what there is, and do nothing.
    #[arg(long, conflicts_with_all = ["ids", "all"])]
    list: bool,
    /// Use the paper's own size, which may take days.
    #[arg(long)]
    full: bool,
    /// Where to write.
    #[arg(long, value_name = "DIR", default_value = "reproduce")]
    out: PathBuf,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// How many threads; as many as there are if absent. The results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print errors only.
    #[arg(long)]
    quiet: bool,
    /// Start again and overwrite what the folder holds.
    #[arg(long)]
    force: bool,
}

/// What became of all experiments.
#[derive(Default)]
struct Tally {
    /// Checks that were missed.
    missed: usize,
    /// Experiments without an outcome, with the reason.
    failed: Vec<String>,
    /// The results, for `--json`.
    results: Vec<serde_json::Value>,
}

impl Reproduce {
    /// Does the experiments one after the other; one that fails does not keep the others from being done.
    pub fn execute(&self) -> Outcome {
        if self.list {
            return say(&self.listed()?);
        }
        let chosen = self.chosen()?;
        for experiment in &chosen {
            self.check_folder(experiment)?;
        }
        let interrupted = job::listen()?;
        let mut tally = Tally::default();
        for experiment in chosen {
            match self.run_one(experiment, &interrupted, &mut tally)? {
                Ok(()) => {}
                Err(Ended::Failed(why)) => tally.failed.push(format!("{}: {why}", experiment.id)),
                Err(Ended::Interrupted) => {
                    let folder = result::folder(&self.out, experiment);
                    let kept = if result::part_of(&folder).is_some() { finished_packings(&folder) } else { 0 };
                    let how = match kept {
                        0 => String::new(),
                        kept => {
                            format!("; the same command continues from its {}", plural(kept, "finished packing"))
                        }
                    };
                    tally.failed.push(format!("{} was interrupted{how}", experiment.id));
                    break;
                }
            }
        }
        if self.json {
            say(&(pretty(&tally.results)? + "\n"))?;
        }
        match tally {
            Tally { failed, .. } if !failed.is_empty() => Err(Failure::Run(failed.join("; "))),
            Tally { missed, .. } if missed > 0 => Err(Failure::Checks(format!("{} missed", plural(missed, "check")))),
            _ => Ok(()),
        }
    }

    fn scale(&self) -> Scale {
        if self.full { Scale::Full } else { Scale::Quick }
    }

    fn listed(&self) -> Result<String, Failure> {
        if self.json {
            let entry =
                |e: &Experiment| serde_json::json!({ "id": e.id, "title": e.title, "scaled_down": e.scaled_down });
            return Ok(pretty(&EXPERIMENTS.iter().map(entry).collect::<Vec<_>>())? + "\n");
        }
        let width = EXPERIMENTS.iter().map(|experiment| experiment.id.len()).max().unwrap_or(0);
        let mut text = String::new();
        for Experiment { id, title, scaled_down, .. } in EXPERIMENTS {
            text += &format!("{id:<width$}  {title}\n");
            if !scaled_down.is_empty() {
                text += &format!("{:<width$}  without --full: {scaled_down}\n", "");
            }
        }
        Ok(text)
    }

    /// The experiments that are asked for, each once.
    fn chosen(&self) -> Result<Vec<&'static Experiment>, Failure> {
        if self.all {
            return Ok(EXPERIMENTS.iter().collect());
        }
        let mut chosen: Vec<&Experiment> = Vec::new();
        for id in &self.ids {
            let of_paper = |e: &&Experiment| e.id.split('/').next() == Some(id.as_str());
            let meant: Vec<&Experiment> = EXPERIMENTS.iter().filter(|e| e.id == id || of_paper(e)).collect();
            if meant.is_empty() {
                return Err(Failure::Input(unknown(id)));
            }
            for experiment in meant {
                if !chosen.iter().any(|one| one.id == experiment.id) {
                    chosen.push(experiment);
                }
            }
        }
        Ok(chosen)
    }

    /// Refuses to lay a quick result over days of work.
    fn check_folder(&self, experiment: &Experiment) -> Outcome {
        let folder = result::folder(&self.out, experiment);
        // The paper's folder and the experiment's.
        for inside in folder.ancestors().take_while(|place| *place != self.out) {
            RunFolder::refuse_link(inside).map_err(refuse)?;
        }
        let holds = if result::scale_of(&folder) == Some(Scale::Full) {
            "a full result"
        } else if result::part_of(&folder) == Some(Scale::Full) {
            "part of a full result"
        } else {
            return Ok(());
        };
        if self.full || self.force {
            return Ok(());
        }
        Err(Failure::Input(miette::miette!(
            help = "choose another folder with `--out`, or overwrite it with `--force`; `--full` goes on with it",
            "{} holds {holds}",
            folder.display()
        )))
    }

    fn run_one(
        &self,
        experiment: &Experiment,
        interrupted: &AtomicBool,
        tally: &mut Tally,
    ) -> Result<Result<(), Ended>, Failure> {
        let folder = result::folder(&self.out, experiment);
        let cannot = |error: std::io::Error| Failure::Run(format!("cannot write to {}: {error}", folder.display()));
        std::fs::create_dir_all(&folder).map_err(cannot)?;
        self.say_header(experiment)?;
        let (scale, started) = (self.scale(), Instant::now());
        // Rows of the other scale are of another size, and a quick result is made again.
        let unfinished = result::part_of(&folder) == Some(scale);
        let go_on = !self.force && (unfinished || (self.full && result::scale_of(&folder) == Some(Scale::Full)));
        let shown = Shown::new(self.quiet);
        let context = Context {
            scale,
            threads: self.threads.map_or_else(all_threads, usize::from),
            folder: &folder,
            go_on,
            interrupted,
            progress: &|share, doing| shown.show(share, doing),
        };
        let outcome = (experiment.run)(&context);
        shown.finish();
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(ended) => return Ok(Err(ended)),
        };
        let summary = Summary::new(experiment, scale, started.elapsed().as_secs_f64(), &outcome);
        result::write(&folder, &summary, &outcome.files).map_err(cannot)?;
        tally.missed += outcome.missed();
        tally.results.push(serde_json::to_value(&summary).map_err(|error| Failure::Run(error.to_string()))?);
        if !self.quiet && !self.json {
            say(&table(&summary, &folder))?;
        }
        Ok(Ok(()))
    }

    fn say_header(&self, experiment: &Experiment) -> Outcome {
        if self.quiet || self.json {
            return Ok(());
        }
        let mut text = format!("{}: {}\n", experiment.id, experiment.title);
        if !self.full && !experiment.scaled_down.is_empty() {
            text += &format!("  scaled down: {}; --full is the paper's size\n", experiment.scaled_down);
        }
        say(&text)
    }
}

/// How many packings the tables of an unfinished experiment hold: their rows below the header.
fn finished_packings(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let tables = files.filter(|path| path.extension().is_some_and(|extension| extension == "csv"));
    let texts = tables.filter_map(|path| std::fs::read_to_string(path).ok());
    texts.map(|text| text.lines().count().saturating_sub(1)).sum()
}

fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

fn pretty(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure::Run(error.to_string()))
}

fn unknown(id: &str) -> miette::Report {
    let papers = EXPERIMENTS.iter().filter_map(|e| e.id.split('/').next());
    let known = EXPERIMENTS.iter().map(|e| e.id).chain(papers);
    let nearest = known.map(|known| (strsim::jaro_winkler(id, known), known)).max_by(|a, b| a.0.total_cmp(&b.0));
    let help = match nearest.filter(|(likeness, _)| *likeness > 0.75) {
        Some((_, known)) => format!("did you mean `{known}`? `stickslip reproduce --list` lists all"),
        None => "`stickslip reproduce --list` lists all".to_owned(),
    };
    miette::miette!(help = help, "there is no experiment `{id}`")
}

/// The checks of one experiment as a table.
fn table(summary: &Summary, folder: &Path) -> String {
    let row = |check: &Check| {
        let pass = if check.pass { "ok" } else { "MISSED" };
        let within = match check.tolerance {
            0.0 => short_number(check.expected, 6),
            tolerance => format!("{} +- {}", short_number(check.expected, 6), short_number(tolerance, 2)),
        };
        [pass.to_owned(), check.name.clone(), short_number(check.measured, 6), within, check.source.clone()]
    };
    let header = ["", "check", "measured", "expected", "source"].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(header).chain(summary.checks.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text += &format!("  {}  {}\n", cells.join("  "), row[4]);
    }
    let passed = summary.checks.iter().filter(|check| check.pass).count();
    let (all, took) = (plural(summary.checks.len(), "check"), duration(summary.seconds));
    text + &format!("  {passed} of {all} passed, {took}; files in {}\n\n", for_a_shell(folder))
}

/// How far an experiment is: a bar on a terminal, else a line every ten seconds; nothing when quiet.
struct Shown {
    quiet: bool,
    bar: Option<ProgressBar>,
    started: Instant,
    last: Mutex<Instant>,
}

const LINE_EVERY: Duration = Duration::from_secs(10);
/// Steps of the bar.
const FINE: u64 = 1000;

impl Shown {
    fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::IsTerminal::is_terminal(&std::io::stderr())).then(|| {
            let bar = ProgressBar::new(FINE);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}") {
                bar.set_style(style);
            }
            bar
        });
        let now = Instant::now();
        Shown { quiet, bar, started: now, last: Mutex::new(now) }
    }

    fn show(&self, share: f64, doing: &str) {
        if self.quiet {
            return;
        }
        // Too little done to tell: no estimate rather than a wild one.
        let left = match share {
            share if share > 0.005 => {
                let left = self.started.elapsed().as_secs_f64() * (1.0 - share) / share;
                format!(", about {} left", duration(left))
            }
            _ => String::new(),
        };
        if let Some(bar) = &self.bar {
            bar.set_position((share * FINE as f64) as u64);
            bar.set_message(format!("{doing}{left}"));
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= LINE_EVERY {
            *last = Instant::now();
            crate::tell(&format!("{:3.0} %  {doing}{left}", 100.0 * share));
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

//! `stickslip measure`: what follows from the records of a finished run, as numbers, a table and a plot.
//!
//! Without WHAT it says in short all that the records allow and writes nothing. With WHAT it takes that one's options,
//! prints what it found and writes `measure-<what>.csv` and `measure-<what>.svg` into the run folder or `--out`. What was
//! found is printed even if files cannot be written; then the exit code is 1. The definitions are in the engine
//! (`stickslip::measure`) and in GUIDE.md (Measuring).

mod asked;
mod finding;
mod forces;
mod layers;
mod packing;
mod rdf;
mod slopes;
mod times;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::{Map, Value};
use stickslip::cell;
use stickslip::measure::TooFew;
use stickslip::measure::region::Region;
use stickslip_io::results::{Ending, write_whole};
use stickslip_io::run_reader::{Held, ReadError, Run};

use crate::{Failure, Outcome, say};
pub use asked::{Asked, wall_names};
use finding::Finding;

/// Measure a finished run: angles, packing, contacts, profiles, stress, rates, loads on walls.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  stickslip measure runs/01-pile                      all that its records allow, in short\n  \
                        stickslip measure runs/01-pile repose               one of them, with a table and a plot in the folder\n  \
                        stickslip measure runs/01-pile stress --layers 10 --json\n  \
                        stickslip measure runs/01-pile repose --help        its options\n\n\
                        Vectors are written x,y,z. \"Up\" is against gravity unless --up says otherwise."
)]
#[command(subcommand_value_name = "WHAT", subcommand_help_heading = "What")]
pub struct Measure {
    /// The folder of the run.
    dir: PathBuf,
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
    /// Write the table and the plot of WHAT into this folder, not into that of the run.
    #[arg(long, global = true, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The words that WHAT may be.
const WHATS: [&str; 12] = [
    "repose",
    "drum",
    "discharge",
    "packing",
    "coordination",
    "fraction",
    "forces",
    "fabric",
    "rdf",
    "profile",
    "stress",
    "walls",
];

/// The arguments of the program with a run folder that is named like a WHAT (`stickslip measure drum`) written as `./drum`,
/// as the parser of arguments would take it for the WHAT.
pub fn folder_first(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_none_or(|command| command != "measure") {
        return arguments;
    }
    let mut place = 2;
    while let Some(argument) = arguments.get(place).and_then(|argument| argument.to_str()) {
        match argument {
            "--out" => place += 2,
            _ if argument.starts_with('-') => place += 1,
            _ => break,
        }
    }
    let named = arguments.get(place).and_then(|argument| argument.to_str()).filter(|word| WHATS.contains(word));
    let helped = arguments.iter().any(|argument| argument == "--help" || argument == "-h");
    if let Some(name) = named.filter(|name| !helped && Path::new(name).is_dir()) {
        arguments[place] = Path::new(".").join(name).into();
    }
    arguments
}

#[derive(clap::Subcommand)]
enum What {
    Repose(slopes::Repose),
    Drum(slopes::Drum),
    Discharge(times::Discharge),
    Packing(packing::Packing),
    Coordination(packing::Coordination),
    Fraction(packing::Fraction),
    Forces(forces::Forces),
    Fabric(forces::Fabric),
    Rdf(rdf::Rdf),
    Profile(layers::Profile),
    Stress(layers::Stress),
    Walls(times::Walls),
}

/// Why something was not measured. All are errors of input.
enum Refusal {
    Read(ReadError),
    Few(TooFew, &'static str),
    /// A heap that is too small, and what to do.
    Heap(String, &'static str),
    Option(String),
}

impl From<ReadError> for Refusal {
    fn from(error: ReadError) -> Self {
        Refusal::Read(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Input(match refusal {
            Refusal::Read(error) => miette::miette!("{error}"),
            Refusal::Few(error, "") => miette::miette!("{error}"),
            Refusal::Few(error, help) => miette::miette!(help = help, "{error}"),
            Refusal::Heap(message, help) => miette::miette!(help = help, "{message}"),
            Refusal::Option(message) => miette::miette!("{message}"),
        })
    }
}

impl Refusal {
    /// Why, in one line.
    fn short(&self) -> String {
        match self {
            Refusal::Read(ReadError::NoRecord { what, .. }) => format!("needs the record `{what}`"),
            Refusal::Read(error) => error.to_string(),
            Refusal::Few(error, _) => error.to_string(),
            Refusal::Heap(message, _) | Refusal::Option(message) => message.clone(),
        }
    }
}

impl Measure {
    /// Measures, prints, writes.
    pub fn execute(&self) -> Outcome {
        let run = Run::open(&self.dir).map_err(Refusal::from)?;
        let Some(what) = &self.what else { return self.all(&run) };
        let finding = what.measure(&run)?;
        let (files, error) = write(self.out.as_deref().unwrap_or(run.folder()), &finding);
        let said = if self.json {
            let mut object = finding.json();
            object.insert("ending".into(), run.json.ending.to_string().into());
            object.insert("left_out".into(), solids(&run).into());
            object.insert("files".into(), files.iter().map(|file| Value::from(file.display().to_string())).collect());
            say(&format!("{:#}\n", Value::Object(object)))
        } else {
            let written = files.iter().map(|file| format!("written  {}\n", file.display()));
            let said = not_to_the_end(&run.json.ending) + &left_out(&run) + &finding.table();
            say(&(said + &written.collect::<String>()))
        };
        let help = "what was measured is above; --out DIR writes the files into another folder";
        said.and(error.map_or(Ok(()), |error| Err(Failure::Run(format!("{error}\n{help}")))))
    }

    /// All that the records allow, in short.
    fn all(&self, run: &Run) -> Outcome {
        if self.out.is_some() {
            return Err(Refusal::Option("--out needs a WHAT: the summary writes no files".into()).into());
        }
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for (name, what) in defaults() {
            match what.measure(run) {
                Ok(finding) => found.push(finding),
                Err(refusal) => refused.push((name, refusal.short())),
            }
        }
        if self.json {
            let mut all: Map<String, Value> =
                found.iter().map(|finding| (finding.what.to_owned(), Value::Object(finding.json()))).collect();
            let refused = refused.into_iter().map(|(name, why)| (name.to_owned(), Value::from(why)));
            all.insert("ending".into(), run.json.ending.to_string().into());
            all.insert("left_out".into(), solids(run).into());
            all.insert("not_measured".into(), Value::Object(refused.collect()));
            return say(&format!("{:#}\n", Value::Object(all)));
        }
        let mut text = if run.title.is_empty() { String::new() } else { format!("{}\n", run.title) };
        text += &not_to_the_end(&run.json.ending);
        text += &left_out(run);
        text += if text.is_empty() { "" } else { "\n" };
        found.iter().for_each(|finding| text += &finding.headlines());
        let width = refused.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (k, (name, why)) in refused.iter().enumerate() {
            text += if k == 0 { "\nnot measured\n" } else { "" };
            text += &format!("  {name:<width$}  {why}\n");
        }
        text +=
            "\n`stickslip measure DIR WHAT` writes a table and a plot of one; `--help` after it shows its options.\n";
        say(&text)
    }
}

/// How many ellipsoids and boxes there are.
fn solids(run: &Run) -> usize {
    run.bodies.iter().filter(|body| ["ellipsoid", "box"].contains(&body.shape.as_str())).count()
}

/// A line that says so where there are bodies that no measurement looks at; else nothing.
fn left_out(run: &Run) -> String {
    match solids(run) {
        0 => String::new(),
        1 => "left out: one ellipsoid or box; measured are spheres\n".into(),
        count => format!("left out: {count} ellipsoids and boxes; measured are spheres\n"),
    }
}

/// A line that says so of a run that did not come to its end; else nothing.
fn not_to_the_end(ending: &Ending) -> String {
    match ending {
        Ending::Running => "the run goes on, or was killed: this is what it has recorded so far\n".into(),
        Ending::Interrupted => "the run was interrupted: this is what it had recorded\n".into(),
        Ending::BrokenOff(message) => format!("the run was broken off ({message}): this is what it had recorded\n"),
        Ending::Failed(message) => format!("the run failed ({message}): this is what it had recorded\n"),
        Ending::Finished | Ending::Stopped(_) => String::new(),
    }
}

/// Every measurement with its defaults.
fn defaults() -> Vec<(&'static str, What)> {
    WHATS.into_iter().filter_map(|name| Some((name, What::parse([name].into_iter()).ok()?))).collect()
}

impl What {
    /// The measurement of these words: its name, then its options as `measure` takes them.
    fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Self, clap::Error> {
        use clap::FromArgMatches;
        let command = <What as clap::Subcommand>::augment_subcommands(clap::Command::new("measure"));
        let matches = command.try_get_matches_from(std::iter::once("measure").chain(words))?;
        What::from_arg_matches(&matches)
    }

    fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        match self {
            What::Repose(options) => options.measure(run),
            What::Drum(options) => options.measure(run),
            What::Discharge(options) => options.measure(run),
            What::Packing(options) => options.measure(run),
            What::Coordination(options) => options.measure(run),
            What::Fraction(options) => options.measure(run),
            What::Forces(options) => options.measure(run),
            What::Fabric(options) => options.measure(run),
            What::Rdf(options) => options.measure(run),
            What::Profile(options) => options.measure(run),
            What::Stress(options) => options.measure(run),
            What::Walls(options) => options.measure(run),
        }
    }
}

/// Writes the table, the plots and the picture; returns the paths of those written, and why there are not more.
fn write(folder: &Path, finding: &Finding) -> (Vec<PathBuf>, Option<std::io::Error>) {
    let mut files = Vec::new();
    let mut put = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        write_whole(&path, bytes)?;
        files.push(path);
        Ok(())
    };
    let table = std::fs::create_dir_all(folder)
        .map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
        .and_then(|()| put(format!("measure-{}.csv", finding.what), finding.csv.as_bytes()));
    let mut plots = finding.figures.iter();
    let name = |suffix: &str, ending: &str| format!("measure-{}{suffix}.{ending}", finding.what);
    let done = table
        .and_then(|()| plots.try_for_each(|(suffix, figure)| put(name(suffix, "svg"), figure.to_svg().as_bytes())))
        .and_then(|()| finding.picture.as_ref().map_or(Ok(()), |picture| put(name("", "png"), &picture.to_png())));
    (files, done.err())
}

/// A vector as written on the command line.
fn vector(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> = text.split(',').map(|part| part.trim().parse().unwrap_or(f64::NAN)).collect();
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|number| number.is_finite()) => Ok(DVec3::new(x, y, z)),
        _ => Err("expected three numbers x,y,z".into()),
    }
}

/// A vector of which only the direction counts.
fn direction(text: &str) -> Result<DVec3, String> {
    vector(text)?.try_normalize().ok_or("expected a direction other than 0,0,0".into())
}

/// A finite number.
fn number(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or("expected a number".into())
}

/// A finite number above zero.
fn positive(text: &str) -> Result<f64, String> {
    number(text).ok().filter(|&value| value > 0.0).ok_or("expected a number above zero".into())
}

/// The direction against gravity, or the one given.
fn upward(run: &Run, given: Option<DVec3>) -> Result<DVec3, Refusal> {
    let none = "the run has no gravity, so there is no \"up\": give it with --up x,y,z";
    given.or((-run.gravity).try_normalize()).ok_or_else(|| Refusal::Option(none.into()))
}

/// The periodic cell at a recorded step: at the end from the checkpoint, before that from the series.
fn cell_at(run: &Run, step: u64) -> Result<Option<cell::Frame>, Refusal> {
    if !run.has_cell {
        return Ok(None);
    }
    if run.json.ended.is_none() || step == run.json.steps {
        return Ok(run.cell_frame()?);
    }
    let message =
        "the cell at this time is not known: record a series at the same times, or leave --time away for the end";
    run.cell_frame_at(step)?.map(Some).ok_or_else(|| Refusal::Option(message.into()))
}

/// A region of the command line.
#[derive(clap::Args)]
struct RegionOptions {
    /// A box between two corners.
    #[arg(long = "box", num_args = 2, value_names = ["FROM", "TO"], value_parser = vector, allow_hyphen_values = true)]
    corners: Option<Vec<DVec3>>,
    /// A cylinder: the middles of its two ends, and its radius (m).
    #[arg(long, num_args = 3, value_names = ["END", "END", "RADIUS"], allow_hyphen_values = true, conflicts_with = "corners")]
    cylinder: Option<Vec<String>>,
}

impl RegionOptions {
    fn region(&self) -> Result<Option<Region>, Refusal> {
        if let Some([from, to]) = self.corners.as_deref() {
            if !from.cmplt(*to).all() {
                return Err(Refusal::Option(format!("--box: {to} must be above {from} in x, y and z")));
            }
            return Ok(Some(Region::Box { from: *from, to: *to }));
        }
        let Some([base, end, radius]) = self.cylinder.as_deref() else { return Ok(None) };
        let wrong = |message: String| Refusal::Option(format!("--cylinder: {message}"));
        let (base, end) = (vector(base).map_err(wrong)?, vector(end).map_err(wrong)?);
        let radius = positive(radius).map_err(wrong)?;
        let length = (end - base).length();
        let axis = (end - base).try_normalize().ok_or_else(|| wrong("its ends are the same point".into()))?;
        Ok(Some(Region::Cylinder { base, axis, radius, length }))
    }
}

/// A window of recorded times.
#[derive(clap::Args)]
struct Window {
    /// From this time on (s).
    #[arg(long, value_name = "TIME", value_parser = number, allow_negative_numbers = true)]
    from: Option<f64>,
    /// Up to this time (s).
    #[arg(long, value_name = "TIME", value_parser = number, allow_negative_numbers = true)]
    to: Option<f64>,
}

impl Window {
    fn holds(&self, time: f64) -> bool {
        self.from.is_none_or(|from| time >= from - 1e-12) && self.to.is_none_or(|to| time <= to + 1e-12)
    }

    /// A window that ends before it begins is an error.
    fn check(&self) -> Result<(), Refusal> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from > to => {
                Err(Refusal::Option(format!("--from {from} is after --to {to}: the earlier time comes first")))
            }
            _ => Ok(()),
        }
    }

    /// The recorded steps of the bodies or walls that it holds, with their times; none is an error.
    fn steps(&self, run: &Run, what: Held) -> Result<Vec<(f64, u64)>, Refusal> {
        self.check()?;
        let times = run.times(what)?;
        let last = times.last().map_or(0.0, |time| time.0);
        let steps: Vec<(f64, u64)> = times.into_iter().filter(|time| self.holds(time.0)).collect();
        if steps.is_empty() {
            let message = format!("no recorded time between --from and --to; the last one is {last} s");
            return Err(Refusal::Option(message));
        }
        Ok(steps)
    }

    /// The same, but only the last time when no window is given: an average over the start of a run would mean little.
    fn steps_or_last(&self, run: &Run, what: Held) -> Result<Vec<(f64, u64)>, Refusal> {
        let mut steps = self.steps(run, what)?;
        if self.from.is_none() && self.to.is_none() {
            steps.drain(..steps.len() - 1);
        }
        Ok(steps)
    }
}

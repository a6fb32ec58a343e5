//! `stickslip measure`: what follows from the records of a finished run, as numbers, a table and a plot.
//!
//! Without WHAT it says in short all that the records allow and writes nothing. With WHAT it takes that one's options,
//! prints what it found and writes `measure-<what>.csv` and `measure-<what>.svg` into the run folder. The definitions are
//! in the engine (`stickslip::measure`) and in GUIDE.md (Measuring).

mod finding;
mod layers;
mod packing;
mod slopes;
mod times;

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::Value;
use stickslip::measure::TooFew;
use stickslip::measure::region::Region;
use stickslip_io::results::write_whole;
use stickslip_io::run_reader::{Held, ReadError, Run};

use crate::{Failure, Outcome, say};
use finding::Finding;

/// Measure a finished run: angles, packing, profiles, stress, rates, loads on walls.
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
}

#[derive(clap::Subcommand)]
enum What {
    Repose(slopes::Repose),
    Drum(slopes::Drum),
    Discharge(times::Discharge),
    Coordination(packing::Coordination),
    Fraction(packing::Fraction),
    Profile(layers::Profile),
    Stress(layers::Stress),
    Walls(times::Walls),
}

/// Why something was not measured. All are errors of input.
enum Refusal {
    Read(ReadError),
    Few(TooFew, &'static str),
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
            Refusal::Option(message) => message.clone(),
        }
    }
}

impl Measure {
    /// Measures, prints, writes.
    pub fn execute(&self) -> Outcome {
        let run = Run::open(&self.dir).map_err(Refusal::from)?;
        let Some(what) = &self.what else { return self.all(&run) };
        let finding = what.measure(&run)?;
        let files = write(run.folder(), &finding).map_err(|error| Failure::Run(error.to_string()))?;
        if self.json {
            let mut object = finding.json();
            object.insert("files".into(), files.iter().map(|file| Value::from(file.display().to_string())).collect());
            return say(&format!("{:#}\n", Value::Object(object)));
        }
        let mut text = finding.table();
        for file in files {
            text += &format!("written  {}\n", file.display());
        }
        say(&text)
    }

    /// All that the records allow, in short.
    fn all(&self, run: &Run) -> Outcome {
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for (name, what) in defaults() {
            match what.measure(run) {
                Ok(finding) => found.push(finding),
                Err(refusal) => refused.push((name, refusal.short())),
            }
        }
        if self.json {
            let objects = found.iter().map(|finding| (finding.what.to_owned(), Value::Object(finding.json())));
            return say(&format!("{:#}\n", Value::Object(objects.collect())));
        }
        let mut text = if run.title.is_empty() { String::new() } else { format!("{}\n\n", run.title) };
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

/// Every measurement with its defaults.
fn defaults() -> Vec<(&'static str, What)> {
    use clap::FromArgMatches;
    let names = ["repose", "drum", "discharge", "coordination", "fraction", "profile", "stress", "walls"];
    let of = |name: &'static str| {
        let command = <What as clap::Subcommand>::augment_subcommands(clap::Command::new("measure"));
        let matches = command.try_get_matches_from(["measure", name]).ok()?;
        Some((name, What::from_arg_matches(&matches).ok()?))
    };
    names.into_iter().filter_map(of).collect()
}

impl What {
    fn measure(&self, run: &Run) -> Result<Finding, Refusal> {
        match self {
            What::Repose(options) => options.measure(run),
            What::Drum(options) => options.measure(run),
            What::Discharge(options) => options.measure(run),
            What::Coordination(options) => options.measure(run),
            What::Fraction(options) => options.measure(run),
            What::Profile(options) => options.measure(run),
            What::Stress(options) => options.measure(run),
            What::Walls(options) => options.measure(run),
        }
    }
}

/// Writes the table and the plots; returns their paths.
fn write(folder: &Path, finding: &Finding) -> std::io::Result<Vec<PathBuf>> {
    let mut files = vec![folder.join(format!("measure-{}.csv", finding.what))];
    write_whole(&files[0], finding.csv.as_bytes())?;
    for (suffix, figure) in &finding.figures {
        let path = folder.join(format!("measure-{}{suffix}.svg", finding.what));
        write_whole(&path, figure.to_svg().as_bytes())?;
        files.push(path);
    }
    Ok(files)
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
    #[arg(long, value_name = "TIME", value_parser = number)]
    from: Option<f64>,
    /// Up to this time (s).
    #[arg(long, value_name = "TIME", value_parser = number)]
    to: Option<f64>,
}

impl Window {
    fn holds(&self, time: f64) -> bool {
        self.from.is_none_or(|from| time >= from - 1e-12) && self.to.is_none_or(|to| time <= to + 1e-12)
    }

    /// The recorded steps of the bodies that it holds, with their times; none is an error.
    fn steps(&self, run: &Run) -> Result<Vec<(f64, u64)>, Refusal> {
        let times = run.times(Held::Bodies)?;
        let last = times.last().map_or(0.0, |time| time.0);
        let steps: Vec<(f64, u64)> = times.into_iter().filter(|time| self.holds(time.0)).collect();
        if steps.is_empty() {
            let message = format!("no recorded time between --from and --to; the last one is {last} s");
            return Err(Refusal::Option(message));
        }
        Ok(steps)
    }

    /// The same, but only the last time when no window is given: an average over the start of a run would mean little.
    fn steps_or_last(&self, run: &Run) -> Result<Vec<(f64, u64)>, Refusal> {
        let mut steps = self.steps(run)?;
        if self.from.is_none() && self.to.is_none() {
            steps.drain(..steps.len() - 1);
        }
        Ok(steps)
    }
}

//! The command `stickslip`: one file a command, and here the list of them and the exit codes.
//!
//! 0 done; 1 the run failed or was interrupted; 2 the input is wrong, and nothing was written; 3 checks of `reproduce` were
//! missed. Results go to standard output, progress and errors to standard error.

mod bench;
mod check;
mod compare;
mod completions;
mod job;
mod laws;
mod measure;
mod probe;
mod progress;
mod reproduce;
mod resume;
mod rules;
mod run;
mod schema;
mod side_by_side;
mod solve;
mod sweep;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use stickslip_io::visible;

/// The commit that the program was built from, `-changed` if it was not all; none outside a repository.
const COMMIT: Option<&str> = option_env!("STICKSLIP_COMMIT");

/// What `--version` says.
const VERSION: &str = env!("STICKSLIP_VERSION");

/// Grains in frictional contact: sliding, rolling and spinning, from a scene file to results.
#[derive(Parser)]
#[command(name = "stickslip", version = VERSION, max_term_width = 120)]
#[command(after_help = "Example:\n  stickslip run examples/01-pile.toml\n\n\
                        Exit codes: 0 done; 1 the run failed; 2 the input is wrong (nothing was written); 3 checks of\n\
                        `reproduce` missed.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Run),
    Resume(resume::Resume),
    Check(check::Check),
    Schema(schema::Schema),
    Compare(compare::Compare),
    Sweep(sweep::Sweep),
    Probe(probe::Probe),
    Solve(solve::Solve),
    Measure(measure::Measure),
    Reproduce(reproduce::Reproduce),
    Laws(laws::Laws),
    Bench(bench::Bench),
    Completions(completions::Completions),
}

/// Why a command did not do what it was asked.
enum Failure {
    /// The input is wrong and nothing was written: exit code 2.
    Input(miette::Report),
    /// It was done in part, or something outside the input went wrong: exit code 1.
    Run(String),
    /// `reproduce` did what it was asked, and some numbers are not what they should be: exit code 3.
    Checks(String),
}

impl From<stickslip_io::scene::InputError> for Failure {
    fn from(error: stickslip_io::scene::InputError) -> Self {
        Failure::Input(error.into())
    }
}

/// What commands return.
type Outcome = Result<(), Failure>;

fn main() -> ExitCode {
    // A file or command that is broken at a hyphen cannot be copied.
    let whole_words = || miette::MietteHandlerOpts::new().word_splitter(textwrap::WordSplitter::NoHyphenation);
    let whole_words =
        move || whole_words().word_separator(textwrap::WordSeparator::AsciiSpace).break_words(false).build();
    // It fails only if there is a hook already.
    let _ = miette::set_hook(Box::new(move |_| Box::new(whole_words())));
    job::outlive_file_limits();
    let outcome = match arguments().command {
        Command::Run(run) => run.execute(),
        Command::Resume(resume) => resume.execute(),
        Command::Check(check) => check.execute(),
        Command::Schema(schema) => schema.execute(),
        Command::Compare(compare) => compare.execute(),
        Command::Sweep(sweep) => sweep.execute(),
        Command::Probe(probe) => probe.execute(),
        Command::Solve(solve) => solve.execute(),
        Command::Measure(measure) => measure.execute(),
        Command::Reproduce(reproduce) => reproduce.execute(),
        Command::Laws(laws) => laws.execute(),
        Command::Bench(bench) => bench.execute(),
        Command::Completions(completions) => completions.execute(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(report)) => {
            terminal::explain(report);
            ExitCode::from(2)
        }
        Err(Failure::Run(message)) => {
            tell(&format!("error: {message}"));
            ExitCode::FAILURE
        }
        Err(Failure::Checks(message)) => {
            tell(&format!("error: {message}"));
            ExitCode::from(3)
        }
    }
}

/// The arguments, or their error. What the shell filled in (names of files) may hold control characters, which an error
/// would repeat.
fn arguments() -> Arguments {
    let given = measure::folder_first(std::env::args_os());
    Arguments::try_parse_from(&given).unwrap_or_else(|error| {
        let plain = given.iter().map(|word| visible(&word.to_string_lossy()).into_owned());
        Arguments::try_parse_from(plain).err().unwrap_or(error).exit()
    })
}

/// Writes a line to standard error. That nobody reads it is no reason to end a run.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(line));
}

/// Writes to standard output. A reader who has seen enough (`stickslip laws | head`) is not an error.
fn say(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    match out.write_all(visible(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Run(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

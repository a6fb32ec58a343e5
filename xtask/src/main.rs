//! The project's chores: `cargo xtask test` runs every check that a change must pass; `cargo xtask bench` runs the program
//! that compares stickslip with others; `cargo xtask counts` looks for changes that make it slower.
//!
//! Needs a Rust toolchain, and what the checks call: `cargo-nextest` is used when it is installed, rustfmt and clippy
//! are added by rustup when they are missing. Plain std, so that building this takes a second.

mod counts;
mod examples;
mod hygiene;
mod outcomes;
mod readers;
mod table;
mod tool;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use tool::cargo;

const USAGE: &str = "\
cargo xtask test [--full]    formatting, lints, tests, docs, examples, independent readers; --full adds the tests marked
                             as slow (ignored)
cargo xtask bench --versus PEER [..]
                             how fast stickslip is beside LAMMPS, LIGGGHTS or YADE; `cargo xtask bench --help` says more
cargo xtask bench --roofline [..]
                             the same beside what the machine's memory and arithmetic allow
cargo xtask bench --scale [..]
                             mixtures of sizes, a gas and a row beside a packing of equal spheres
cargo xtask counts [--write] instructions of kernels and short runs (needs valgrind) against xtask/counts.txt; --write renews it
cargo xtask readers          the independent readers alone: VTK, pandas, OVITO and LAMMPS on the release binary";

fn main() -> ExitCode {
    // The folder of the workspace, wherever the command was called from.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    if let Err(error) = std::env::set_current_dir(root) {
        eprintln!("cannot enter {}: {error}", root.display());
        return ExitCode::FAILURE;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("bench", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return bench(rest);
    }
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test(false),
        ["test", "--full"] => test(true),
        ["counts"] => counts::command(false),
        ["counts", "--write"] => counts::command(true),
        ["readers"] => {
            let mut score = Score::default();
            score.check("release build", || cargo(&["build", "--release"]).run());
            readers::check(&mut score);
            score.end()
        }
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Runs the benchmark's own program, which reads these arguments; its exit code is ours.
fn bench(arguments: &[String]) -> ExitCode {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    cargo(&["run", "--release", "--quiet", "--package", "stickslip-bench", "--"]).with(&arguments).exit_code()
}

/// How many checks passed, and which did not.
#[derive(Default)]
struct Score {
    passed: u64,
    failed: Vec<String>,
}

impl Score {
    /// Runs one check; it says how many passed, or what is wrong.
    fn check(&mut self, name: &str, check: impl FnOnce() -> Result<u64, String>) {
        println!("==== {name}");
        let start = Instant::now();
        match check() {
            Ok(passed) => {
                self.passed += passed;
                println!("---- {name}: ok, {:.0} s", start.elapsed().as_secs_f64());
            }
            Err(message) => {
                eprintln!("---- {name}: FAILED: {message}");
                self.failed.push(name.to_owned());
            }
        }
    }

    /// Says how many passed, and what did not.
    fn end(self) -> ExitCode {
        println!("{} passed, {} failed", self.passed, self.failed.len());
        if self.failed.is_empty() {
            ExitCode::SUCCESS
        } else {
            eprintln!("failed: {}", self.failed.join(", "));
            ExitCode::FAILURE
        }
    }
}

fn test(full: bool) -> ExitCode {
    let mut score = Score::default();
    tool::add_components();
    score.check("formatting", || cargo(&["fmt", "--all", "--check"]).run());
    score.check("what files must not hold", hygiene::check);
    let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    score.check("lints", || cargo(&lints).run());
    score.check("tests", || tests(full));
    score.check("examples in the documentation", || cargo(&["test", "--workspace", "--doc"]).count_tests());
    let docs = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "-D warnings");
    score.check("documentation", || docs.run());
    examples::check(&mut score);
    counts::check(&mut score);
    readers::check(&mut score);
    score.end()
}

/// By cargo-nextest if it is installed, else by cargo.
fn tests(full: bool) -> Result<u64, String> {
    let mut arguments;
    if cargo(&["nextest", "--version"]).works() {
        arguments = vec!["nextest", "run", "--workspace", "--no-fail-fast"];
        arguments.extend(full.then_some("--run-ignored=all"));
    } else {
        arguments = vec!["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"];
        arguments.extend(full.then_some(["--", "--include-ignored"]).into_iter().flatten());
    }
    cargo(&arguments).count_tests()
}

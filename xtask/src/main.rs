//! The project's chores: `cargo xtask test` runs every check that a change must pass; `cargo xtask bench` runs the program
//! that compares stickslip with others; `cargo xtask counts` looks for changes that make it slower.
//!
//! Needs a Rust toolchain, and what the checks call: `cargo-nextest` is used when it is installed, rustfmt and clippy
//! are added by rustup when they are missing. Plain std, so that building this takes a second.

mod add_a_law;
mod claims;
mod counts;
mod deny;
mod examples;
mod figures;
mod hygiene;
mod links;
mod outcomes;
mod readers;
mod table;
mod tool;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tool::cargo;

const USAGE: &str = "\
cargo xtask test [--full] [--only TEXT]
                             formatting, lints, tests, docs, examples, independent readers; --full adds what takes long;
                             --only runs the checks whose names hold TEXT
cargo xtask bench --versus PEER [..]
                             how fast stickslip is beside LAMMPS, LIGGGHTS or YADE; `cargo xtask bench --help` says more
cargo xtask bench --roofline [..]
                             the same beside what the machine's memory and arithmetic allow
cargo xtask bench --scale [..]
                             mixtures of sizes, a gas and a row beside a packing of equal spheres
cargo xtask bench --cone [..]
                             solvers of contact problems: error against CPU time on a settled pile
cargo xtask counts [--write] instructions of kernels and short runs (needs valgrind) against xtask/counts.txt; --write renews it
cargo xtask readers          the independent readers alone: VTK, pandas, OVITO and LAMMPS on the release binary
cargo xtask figures [NAME ..]  draws the figures of docs/ again, all or those named, and lists those that it cannot";

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
        ["test"] => test(false, None),
        ["test", "--full"] => test(true, None),
        ["test", "--only", only] => test(false, Some(only.to_owned())),
        ["test", "--full", "--only", only] => test(true, Some(only.to_owned())),
        ["counts"] => counts::command(false),
        ["counts", "--write"] => counts::command(true),
        ["readers"] => readers::command(),
        ["figures", ref names @ ..] => {
            let mut score = Score::default();
            score.check("figures", || figures::draw(names));
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

/// One check of a chain: its name, and what it does in the folder that it is given.
type Link = (String, Box<dyn Fn(&Path) -> Result<u64, String> + Send + Sync>);

/// Checks of which each needs the one before.
type Chain = Vec<Link>;

/// How many checks passed, which did not, and which could not run.
#[derive(Default)]
pub struct Score {
    /// Checks whose names hold this are run; default: all.
    only: Option<String>,
    passed: u64,
    failed: Vec<String>,
    left_out: Vec<String>,
    seconds: Vec<(String, f64)>,
}

impl Score {
    /// Runs one check; it says how many passed, or what is wrong.
    fn check(&mut self, name: &str, check: impl FnOnce() -> Result<u64, String>) {
        if !self.wants(name) {
            return;
        }
        println!("==== {name}");
        let start = Instant::now();
        let outcome = check();
        self.note(name, outcome, start.elapsed().as_secs_f64());
    }

    /// Whether `--only` asks for this check.
    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }

    /// Notes the outcome of a check that has run.
    fn note(&mut self, name: &str, outcome: Result<u64, String>, seconds: f64) {
        match outcome {
            Ok(passed) => {
                self.passed += passed;
                println!("---- {name}: ok, {seconds:.0} s");
            }
            Err(message) => {
                eprintln!("---- {name}: FAILED: {message}");
                self.failed.push(name.to_owned());
            }
        }
        self.seconds.push((name.to_owned(), seconds));
    }

    /// Notes that a check cannot run here, and why.
    fn leave_out(&mut self, name: &str, why: &str) {
        if self.wants(name) {
            println!("==== {name}: LEFT OUT, because {why}");
            self.left_out.push(format!("{name}, because {why}"));
        }
    }

    /// Runs chains of checks, as many at a time as there are cores; each gets this folder.
    fn check_side_by_side(&mut self, chains: &[Chain], out: &Path) {
        let (next, score) = (AtomicUsize::new(0), Mutex::new(self));
        let lane = || {
            while let Some(chain) = chains.get(next.fetch_add(1, Ordering::Relaxed)) {
                for (name, check) in chain {
                    if !score.lock().expect("no lane panics").wants(name) {
                        continue;
                    }
                    let start = Instant::now();
                    let outcome = check(out);
                    score.lock().expect("no lane panics").note(name, outcome, start.elapsed().as_secs_f64());
                }
            }
        };
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| (0..lanes).for_each(|_| drop(scope.spawn(lane))));
    }

    /// Says how long the longest took, what could not run, how many passed, and what did not.
    fn end(mut self) -> ExitCode {
        self.seconds.sort_by(|a, b| b.1.total_cmp(&a.1));
        let total: f64 = self.seconds.iter().map(|(_, seconds)| seconds).sum();
        println!("==== {total:.0} s in {} checks; the longest:", self.seconds.len());
        for (name, seconds) in self.seconds.iter().take(5) {
            println!("{seconds:>6.0} s  {name}");
        }
        for one in &self.left_out {
            println!("LEFT OUT: {one}");
        }
        println!("{} passed, {} failed", self.passed, self.failed.len());
        if self.failed.is_empty() {
            ExitCode::SUCCESS
        } else {
            eprintln!("failed: {}", self.failed.join(", "));
            ExitCode::FAILURE
        }
    }
}

fn test(full: bool, only: Option<String>) -> ExitCode {
    let mut score = Score { only, ..Score::default() };
    tool::add_components();
    score.check("formatting", || cargo(&["fmt", "--all", "--check"]).run());
    score.check("what files must not hold", hygiene::check);
    score.check("links, anchors and equation numbers", links::check);
    deny::check(&mut score);
    score.check("figures of the documents", figures::check);
    build(&mut score);
    score.check("tests", || tests(full));
    // Each of these uses one core for most of its time, so they share the cores with the examples.
    let mut others = vec![of_cargo(full)];
    others.extend(readers::chain(&mut score));
    others.extend(counts::chain(&mut score));
    examples::check(&mut score, full, others);
    score.end()
}

/// Lints, and what the checks run: the tests, and the programs that users get. Cargo works in one folder for each of the two profiles,
/// so both are built at a time, and one takes the core that the other leaves idle while its largest crate is compiled.
fn build(score: &mut Score) {
    let of_tests = if has_nextest() { ["nextest", "run"] } else { ["test", "--tests"] };
    let mut of_dev: Chain = Vec::new();
    if score.wants("lints") {
        let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        of_dev.push(("lints".into(), Box::new(move |_| cargo(&lints).run())));
    }
    if score.wants("tests") {
        let build = move |_: &Path| cargo(&of_tests).with(&["--workspace", "--no-run"]).run();
        of_dev.push(("build of the tests".into(), Box::new(build)));
    }
    let mut chains: Vec<Chain> = Vec::new();
    // Nearly all other checks run them.
    if score.only.is_none() || of_dev.is_empty() {
        let build = |_: &Path| cargo(&["build", "--release", "--workspace"]).run();
        chains.push(vec![("release build".into(), Box::new(build))]);
    }
    chains.push(of_dev);
    // What a check needs is built whether or not its name is asked for.
    let only = score.only.take();
    score.check_side_by_side(&chains, Path::new("."));
    score.only = only;
}

/// Checks that cargo builds in the folder of the dev profile, which it locks: one after the other.
fn of_cargo(full: bool) -> Chain {
    let law = move |_: &Path| add_a_law::check(full);
    let examples = |_: &Path| cargo(&["test", "--workspace", "--doc"]).count_tests();
    let docs = ["doc", "--workspace", "--no-deps", "--quiet"];
    let docs = move |_: &Path| cargo(&docs).env("RUSTDOCFLAGS", "-D warnings").run();
    vec![
        ("examples in the documentation".into(), Box::new(examples)),
        ("example own_law".into(), Box::new(|_| examples::own_law())),
        ("a law is added as docs/add-a-law.md says".into(), Box::new(law)),
        ("documentation".into(), Box::new(docs)),
    ]
}

fn has_nextest() -> bool {
    cargo(&["nextest", "--version"]).works()
}

/// By cargo-nextest if it is installed, else by cargo.
fn tests(full: bool) -> Result<u64, String> {
    let mut arguments;
    if has_nextest() {
        arguments = vec!["nextest", "run", "--workspace", "--no-fail-fast"];
        arguments.extend(full.then_some("--run-ignored=all"));
    } else {
        arguments = vec!["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"];
        arguments.extend(full.then_some(["--", "--include-ignored"]).into_iter().flatten());
    }
    cargo(&arguments).count_tests()
}

//! Other programs: started, their output passed on, their outcome read.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program with its arguments.
pub struct Tool(Command);

/// Cargo with these arguments: the one that runs this.
pub fn cargo(arguments: &[&str]) -> Tool {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    Tool(command)
}

/// Any program with these arguments.
pub fn program<A: AsRef<std::ffi::OsStr>>(name: impl AsRef<std::ffi::OsStr>, arguments: &[A]) -> Tool {
    let mut command = Command::new(name);
    command.args(arguments);
    Tool(command)
}

/// Adds rustfmt and clippy where they are missing; the checks themselves say so if that does not work.
pub fn add_components() {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if !cargo(&[subcommand, "--version"]).works() {
            println!("adding {component}");
            let _ = Command::new("rustup").args(["component", "add", component]).status();
        }
    }
}

/// A program of the release build.
pub fn release(name: &str) -> PathBuf {
    built("release", name)
}

/// A program of the build in this folder of `target`.
pub fn built(folder: &str, name: &str) -> PathBuf {
    let target = PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let path = target.join(folder).join(name);
    std::path::absolute(&path).unwrap_or(path)
}

/// The folder for tools that every clone of this user shares.
pub fn cache() -> Result<PathBuf, String> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")));
    folder.map(|folder| folder.join("stickslip")).ok_or_else(|| "neither XDG_CACHE_HOME nor HOME is set".into())
}

impl Tool {
    /// Adds arguments.
    pub fn with(mut self, arguments: &[&str]) -> Self {
        self.0.args(arguments);
        self
    }

    /// Runs it in this folder.
    pub fn within(mut self, folder: &std::path::Path) -> Self {
        self.0.current_dir(folder);
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    /// Whether it ends well; says nothing.
    pub fn works(mut self) -> bool {
        self.0.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    /// Runs it as one check.
    pub fn run(mut self) -> Result<u64, String> {
        let status = self.0.status().map_err(|error| format!("cannot be started: {error}"))?;
        if status.success() { Ok(1) } else { Err(status.to_string()) }
    }

    /// Runs it and returns its standard output; an error holds all it printed.
    pub fn output(mut self) -> Result<String, String> {
        let output = self.0.output().map_err(|error| format!("cannot be started: {error}"))?;
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        if output.status.success() { Ok(out) } else { Err(format!("{}\n{out}{err}", output.status)) }
    }

    /// Runs it, and ends as it does.
    pub fn exit_code(mut self) -> std::process::ExitCode {
        let code = |status: std::process::ExitStatus| u8::try_from(status.code()?).ok();
        match self.0.status() {
            Ok(status) => code(status).map_or(std::process::ExitCode::FAILURE, std::process::ExitCode::from),
            Err(error) => {
                eprintln!("cannot be started: {error}");
                std::process::ExitCode::FAILURE
            }
        }
    }

    /// Runs tests and counts those that it says have passed.
    pub fn count_tests(mut self) -> Result<u64, String> {
        let child = self.0.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("cannot be started: {error}"))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        // cargo test reports on standard output, nextest on standard error.
        let passed = std::thread::scope(|scope| {
            let out = scope.spawn(|| out.map_or(0, |out| pass_on(out, std::io::stdout())));
            let err = scope.spawn(|| err.map_or(0, |err| pass_on(err, std::io::stderr())));
            out.join().unwrap_or(0) + err.join().unwrap_or(0)
        });
        let status = child.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(passed) } else { Err(status.to_string()) }
    }
}

/// Passes lines on and adds up the tests that they report as passed.
fn pass_on(from: impl Read, mut to: impl Write) -> u64 {
    let mut passed = 0;
    for line in BufReader::new(from).lines().map_while(Result::ok) {
        // That nobody reads is no reason to stop the tests.
        let _ = writeln!(to, "{line}");
        passed += passed_in(&line).unwrap_or(0);
    }
    passed
}

/// `test result: ok. 12 passed; 0 failed; ..` or `Summary [ 1.2s] 12 tests run: 12 passed, 0 skipped`.
fn passed_in(line: &str) -> Option<u64> {
    let line = line.trim_start();
    if !(line.starts_with("test result:") || line.starts_with("Summary [")) {
        return None;
    }
    let before = line.split(" passed").next()?;
    before.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::passed_in;

    #[test]
    fn both_kinds_of_summary_are_read() {
        let line = "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(passed_in(line), Some(12));
        assert_eq!(passed_in("     Summary [   1.2s] 34 tests run: 34 passed (1 slow), 2 skipped"), Some(34));
        assert_eq!(passed_in("12 passed"), None);
    }
}

//! A peer while it runs: it is told what to do on its standard input, and answers in files.
//!
//! An answer is a line of numbers. CPU time is that of the peer's processes between the moment it is told and the moment its
//! answer is there. Processes of one job wait for each other by looking again and again, so they are stopped while it is not
//! their turn; else they would take the time of the other side. Dropped, it is ended.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use crate::machine;
use crate::packing::Friction;
use crate::peers::Setting;

/// What a peer is to do.
pub struct Task<'a> {
    /// Which motions are resisted.
    pub friction: Friction,
    /// Which of its laws.
    pub law: &'a str,
    /// How.
    pub setting: &'a Setting,
    /// Processes or threads.
    pub cores: usize,
    /// Spheres.
    pub spheres: usize,
    /// Half the width of the cube.
    pub half: f64,
    /// Steps before any is timed.
    pub warm_up: u64,
    /// Step.
    pub step: f64,
    /// Where its files are.
    pub folder: &'a Path,
    /// The packing's file in that folder.
    pub data: &'a str,
}

/// How often an answer is looked for.
const LOOK: Duration = Duration::from_micros(500);

/// A peer's process.
pub struct Running {
    child: Child,
    input: Option<ChildStdin>,
    folder: PathBuf,
    log: PathBuf,
    answers: u32,
    /// Processes that do the work, when there are several.
    workers: Vec<u32>,
}

impl Running {
    /// Starts it in this folder; `log` is where it says what goes wrong.
    pub fn start(mut command: Command, folder: &Path, log: &str) -> Result<Self, String> {
        let said = |error: std::io::Error| format!("{}: {error}", command_line(&command));
        let errors = fs::File::create(folder.join("errors")).map_err(said)?;
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(errors);
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", command_line(&command)))?;
        let input = child.stdin.take();
        Ok(Running { child, input, folder: folder.into(), log: folder.join(log), answers: 0, workers: Vec::new() })
    }

    /// The name of the next answer's file.
    pub fn next_answer(&self) -> String {
        format!("answer-{}", self.answers)
    }

    /// Tells it something, and waits for the answer in `next_answer`.
    pub fn ask(&mut self, text: &str) -> Result<Vec<f64>, String> {
        let file = self.folder.join(self.next_answer());
        let told = match &mut self.input {
            Some(input) => input.write_all(text.as_bytes()).and_then(|()| input.flush()),
            None => Ok(()),
        };
        // That it cannot be told is because it has ended: the reason is in its log.
        let gone = told.is_err();
        loop {
            if let Some(numbers) = fs::read_to_string(&file).ok().and_then(|text| numbers(&text)) {
                self.answers += 1;
                let _ = fs::remove_file(&file);
                return Ok(numbers);
            }
            let ended = self.child.try_wait().map_err(|error| error.to_string())?;
            if ended.is_some() || gone {
                return Err(self.complaint());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// The same with its CPU and elapsed time (s).
    pub fn ask_timed(&mut self, text: &str) -> Result<(Vec<f64>, f64, f64), String> {
        let family = machine::family(self.child.id());
        self.send("CONT");
        let (cpu, wall) = (machine::cpu_time(&family)?, Instant::now());
        let answer = self.ask(text)?;
        let spent = (machine::cpu_time(&family)? - cpu, wall.elapsed().as_secs_f64());
        self.send("STOP");
        Ok((answer, spent.0, spent.1))
    }

    /// From now on its processes stand still between one task and the next.
    pub fn several_processes(&mut self) {
        let family = machine::family(self.child.id());
        let has_child = |id: &u32| machine::family(*id).len() > 1;
        self.workers = family.into_iter().filter(|id| !has_child(id)).collect();
        self.send("STOP");
    }

    fn send(&self, signal: &str) {
        send(signal, &self.workers);
    }

    /// Lets it end, and returns its log.
    pub fn end(mut self) -> Result<String, String> {
        self.send("CONT");
        self.input = None;
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(self.complaint());
        }
        fs::read_to_string(&self.log).map_err(|error| format!("{}: {error}", self.log.display()))
    }

    /// Why it has ended, as far as it says so.
    fn complaint(&self) -> String {
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        let (log, errors) = (read(&self.log), read(&self.folder.join("errors")));
        let line = log.lines().rev().find(|line| line.contains("ERROR"));
        let last = errors.lines().rev().find(|line| !line.trim().is_empty());
        let why = line.or(last).unwrap_or("it did not say why");
        format!("the other program has ended: {}", why.trim())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // Known before its input ends and it with it: those that it started would be nobody's, and stay.
            send("KILL", &machine::family(self.child.id())[1..]);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Sends a signal by the shell, which needs no unsafe code. That a process has ended already is no harm.
fn send(signal: &str, processes: &[u32]) {
    if !processes.is_empty() {
        let ids: Vec<String> = processes.iter().map(u32::to_string).collect();
        let line = format!("kill -{signal} {}", ids.join(" "));
        let _ = Command::new("sh").args(["-c", &line]).stderr(Stdio::null()).status();
    }
}

/// Numbers of a whole line; none while the line has no end.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let line = text.strip_suffix('\n')?;
    line.split_whitespace().map(|word| word.parse().ok()).collect()
}

fn command_line(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

// They need a shell and `/proc`.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A shell that stands for a peer.
    fn shell(name: &str) -> (Running, PathBuf) {
        let folder = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        (Running::start(Command::new("sh"), &folder, "log").unwrap(), folder)
    }

    #[test]
    fn answers_are_lines_of_numbers() {
        assert_eq!(numbers("1 2.5e-3\n"), Some(vec![1.0, 2.5e-3]));
        assert_eq!(numbers("1 2.5"), None);
        assert_eq!(numbers("1 x\n"), None);
    }

    #[test]
    fn a_peer_answers_is_timed_and_ends() {
        let (mut running, folder) = shell("answers");
        let file = running.next_answer();
        assert_eq!(running.ask(&format!("echo 1 2 > {file}\n")).unwrap(), [1.0, 2.0]);
        let file = running.next_answer();
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let (answer, cpu, wall) = running.ask_timed(&format!("{busy}; echo 3 > {file}\n")).unwrap();
        assert_eq!(answer, [3.0]);
        assert!(cpu > 1e-3 && wall > 1e-3, "{cpu} {wall}");
        let file = running.next_answer();
        running.ask(&format!("echo what it said > log; echo 4 > {file}\n")).unwrap();
        assert_eq!(running.end().unwrap(), "what it said\n");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_peer_that_ends_early_says_why() {
        let (mut running, folder) = shell("ends");
        let error = running.ask("echo 'ERROR: no such law' > log; exit 1\n").unwrap_err();
        assert!(error.contains("ERROR: no such law"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn processes_that_wait_for_each_other_stand_still_between_tasks() {
        let (mut running, folder) = shell("still");
        let file = running.next_answer();
        running.ask(&format!("(while :; do :; done) & echo 1 > {file}\n")).unwrap();
        running.several_processes();
        // Time for the stop to arrive.
        std::thread::sleep(Duration::from_millis(50));
        let before = machine::cpu_time(&running.workers).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let spent = machine::cpu_time(&running.workers).unwrap() - before;
        assert!(running.workers.len() == 1 && spent < 0.01, "{:?} {spent}", running.workers);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_peer_that_is_dropped_leaves_no_process() {
        // What went wrong: its input was closed first, it ended by itself, and what it had started went on for ever.
        let (mut running, folder) = shell("dropped");
        let file = running.next_answer();
        running.ask(&format!("(while :; do :; done) & echo 1 > {file}\n")).unwrap();
        running.several_processes();
        let worker = running.workers[0];
        drop(running);
        std::thread::sleep(Duration::from_millis(50));
        let left = fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
        assert!(left.is_empty() || left.contains(") Z "), "{left}");
        fs::remove_dir_all(folder).unwrap();
    }
}

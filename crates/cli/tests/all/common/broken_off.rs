//! Runs that are ended from outside: a process that never outlives its test, moments to end it at, and dice with a seed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::{Folder, command, err};

/// No test waits longer than this for anything.
const PATIENCE: Duration = Duration::from_secs(300);

/// A command that goes on; dropped, it is killed.
pub struct Running(Option<Child>);

impl Running {
    pub fn start(folder: &Folder, arguments: &[&str]) -> Self {
        Running::spawn(command(folder, arguments))
    }

    pub fn spawn(mut command: Command) -> Self {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Running(Some(child))
    }

    fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    pub fn id(&mut self) -> u32 {
        self.child().id()
    }

    pub fn is_over(&mut self) -> bool {
        self.child().try_wait().unwrap().is_some()
    }

    /// Sends a signal; a process that is over already is none of ours any more, and gets none.
    pub fn signal(&mut self, signal: Signal) {
        if !self.is_over() {
            let id = i32::try_from(self.id()).unwrap();
            kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
        }
    }

    /// Halts it, and returns when it stands still.
    pub fn halt(&mut self) {
        self.signal(Signal::STOP);
        let id = i32::try_from(self.id()).unwrap();
        let status = waitpid(Pid::from_raw(id), WaitOptions::UNTRACED).unwrap();
        assert!(status.is_some_and(|(_, status)| status.stopped()), "it was over before it could be halted");
    }

    /// Waits until it ends.
    pub fn end(mut self) -> Output {
        self.0.take().unwrap().wait_with_output().unwrap()
    }

    /// Ends it at once, as `kill -9` does.
    pub fn kill(mut self) -> Output {
        self.signal(Signal::KILL);
        self.end()
    }

    /// Waits for this moment; false if the run is over before.
    pub fn reaches(&mut self, moment: Moment, run: &Path) -> bool {
        let start = Instant::now();
        let mut parts = Vec::new();
        while !self.is_over() {
            assert!(start.elapsed() < PATIENCE, "{} does not come to {moment:?}", run.display());
            match moment {
                Moment::After(time) if start.elapsed() >= time => return true,
                Moment::Step(step, and) if newest_checkpoint(run).is_some_and(|(newest, _)| newest >= step) => {
                    std::thread::sleep(and);
                    return !self.is_over();
                }
                Moment::Part(number) => {
                    let seen = names(run).into_iter().find(|name| name.ends_with(".checkpoint.part"));
                    parts.extend(seen.filter(|name| !parts.contains(name)));
                    if parts.len() >= number {
                        return true;
                    }
                }
                _ => {}
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        false
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // It may be over already; there is no one left to tell.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// When a run is ended.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    /// So long after its start.
    After(Duration),
    /// When a checkpoint of this step or a later one is there, and so long after.
    Step(u64, Duration),
    /// While a checkpoint is being written: the so many-th that is seen.
    Part(usize),
}

/// Names of the files in a folder, none if there is no folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The steps of all checkpoints `<name>-<step>.checkpoint`, with their names, in order.
pub fn checkpoints(run: &Path) -> Vec<(u64, String)> {
    let step = |name: &str| name.strip_suffix(".checkpoint")?.rsplit_once('-')?.1.parse().ok();
    let mut all: Vec<(u64, String)> = names(run).into_iter().filter_map(|name| Some((step(&name)?, name))).collect();
    all.sort();
    all
}

/// The last of them.
pub fn newest_checkpoint(run: &Path) -> Option<(u64, String)> {
    checkpoints(run).pop()
}

/// A run of this scene that was killed after it had written a checkpoint of this step or a later one.
pub fn killed_run(folder: &Folder, scene: &str, out: &str, step: u64) {
    let mut running = Running::start(folder, &["run", scene, "--out", out, "--threads", "1", "--quiet"]);
    let killed = running.reaches(Moment::Step(step, Duration::ZERO), &folder.path().join(out));
    let output = running.kill();
    assert!(killed, "the run was over before it could be killed: {}", err(&output));
}

/// Random numbers of a fixed seed (splitmix64), so that a test that fails can be repeated.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// From 0 to below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    /// A time below `longest`.
    pub fn time(&mut self, longest: Duration) -> Duration {
        Duration::from_micros(self.below(longest.as_micros().max(1) as u64))
    }
}

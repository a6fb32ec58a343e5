//! Many mutants through one target: those that break it are kept as files, and one that hangs ends the test.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::change::Dice;
use super::targets::Verdict;

/// The longest that one mutant may take: by the clock and of the time that the process computes, so that a busy machine, on which
/// the first is ten times the second, fails no mutant. Most take milliseconds.
const LONGEST: Duration = Duration::from_secs(10);
/// A change may make a sound scene of many bodies (a lattice of a tenth of the spacing has a thousand times as many).
const LONGEST_PER_BODY: Duration = Duration::from_micros(100);
/// After this long a mutant hangs: of computing, or by the clock if it only waits.
const HANGS: Duration = Duration::from_secs(120);
const WAITS: Duration = Duration::from_secs(1800);
/// The most memory that the whole test may have used (KiB), as Linux counts it.
const MOST_MEMORY: u64 = 1 << 20;
/// What may come on top for each body of the largest sound scene (KiB).
const MEMORY_PER_BODY: u64 = 4;

/// After so many failures the rest is not looked at.
const MOST_FAILURES: usize = 30;

/// What became of the mutants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub refused: usize,
    pub valid: usize,
    pub most_bodies: usize,
    pub slowest: Duration,
}

/// The mutant that is running: since when, what the process had computed then, and its bytes.
type Watched = Mutex<(Instant, Option<Duration>, Vec<u8>)>;

/// Runs `count` mutants through `target`.
pub fn patrol(
    name: &str,
    seed: u64,
    count: usize,
    mut make: impl FnMut(&mut Dice) -> Vec<u8>,
    target: impl Fn(&[u8]) -> Verdict,
) -> Tally {
    let mut dice = Dice(seed);
    let mut tally = Tally::default();
    let watched = Arc::new(Mutex::new((Instant::now(), computing_time(), Vec::new())));
    watch(name, Arc::downgrade(&watched));
    let mut failures: Vec<String> = Vec::new();
    for number in 0..count {
        let bytes = make(&mut dice);
        let (start, computed) = (Instant::now(), computing_time());
        *watched.lock().unwrap() = (start, computed, bytes.clone());
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        let took = took(start, computed);
        tally.slowest = tally.slowest.max(took);
        let failure = match outcome {
            Ok(Verdict::Refused) if took < LONGEST => {
                tally.refused += 1;
                continue;
            }
            Ok(Verdict::Valid(bodies)) if took < LONGEST + bodies as u32 * LONGEST_PER_BODY => {
                tally.valid += 1;
                tally.most_bodies = tally.most_bodies.max(bodies);
                continue;
            }
            Ok(_) => format!("took {took:?}"),
            Err(panic) => said(panic.as_ref()),
        };
        let kept = keep(&format!("{name} {number}"), &bytes);
        failures.push(format!("{}: {failure}", kept.display()));
        if failures.len() == MOST_FAILURES {
            break;
        }
    }
    assert!(failures.is_empty(), "{} mutants of {name} fail\n{}", failures.len(), failures.join("\n"));
    println!("{name}: {tally:?}, memory {:?} KiB", memory());
    let most = MOST_MEMORY + MEMORY_PER_BODY * tally.most_bodies as u64;
    assert!(memory().is_none_or(|used| used < most), "{:?} KiB were used", memory());
    tally
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").chars().take(1000).collect()
}

fn keep(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("stickslip-mutant-{}", name.replace(' ', "-")));
    std::fs::write(&path, bytes).unwrap();
    path
}

/// The lesser of the time that has passed and the time that the process has computed, on all its threads.
fn took(since: Instant, computed: Option<Duration>) -> Duration {
    let passed = since.elapsed();
    let now = computing_time().zip(computed).map(|(now, before)| now.saturating_sub(before));
    now.map_or(passed, |computed| computed.min(passed))
}

/// How long this process has computed, where the system says so: in hundredths of a second.
fn computing_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may hold blanks; user and system time are the 12th and 13th fields behind it.
    let fields = text.rsplit_once(") ")?.1.split(' ');
    let ticks: Vec<u64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Some(Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}

/// A thread that ends the process when a mutant hangs: nothing else would.
fn watch(name: &str, watched: std::sync::Weak<Watched>) {
    let name = name.to_owned();
    std::thread::spawn(move || {
        while let Some(watched) = watched.upgrade() {
            let (since, computed, bytes) = watched.lock().unwrap().clone();
            if took(since, computed) > HANGS || since.elapsed() > WAITS {
                eprintln!("a mutant of {name} hangs; it is in {}", keep(&name, &bytes).display());
                std::process::abort();
            }
            drop(watched);
            std::thread::sleep(Duration::from_millis(500));
        }
    });
}

/// The most memory that this process has used so far (KiB), where the system says so.
pub fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

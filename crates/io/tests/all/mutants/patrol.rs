//! Many mutants through one target: those that break it are kept as files, and one that hangs ends the test.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::change::Dice;
use super::targets::Verdict;

/// The longest that one mutant may take. They take milliseconds; the rest is room for a busy machine.
const LONGEST: Duration = Duration::from_secs(10);
/// A change may make a sound scene of many bodies (a lattice of a tenth of the spacing has a thousand times as many).
const LONGEST_PER_BODY: Duration = Duration::from_micros(100);
/// After this long a mutant hangs.
const HANGS: Duration = Duration::from_secs(120);
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
    let watched = Arc::new(Mutex::new((Instant::now(), Vec::new())));
    watch(name, Arc::downgrade(&watched));
    let mut failures: Vec<String> = Vec::new();
    for number in 0..count {
        let bytes = make(&mut dice);
        let start = Instant::now();
        *watched.lock().unwrap() = (start, bytes.clone());
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        let took = start.elapsed();
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

/// A thread that ends the process when a mutant hangs: nothing else would.
fn watch(name: &str, watched: std::sync::Weak<Mutex<(Instant, Vec<u8>)>>) {
    let name = name.to_owned();
    std::thread::spawn(move || {
        while let Some(watched) = watched.upgrade() {
            let (since, bytes) = watched.lock().unwrap().clone();
            if since.elapsed() > HANGS {
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

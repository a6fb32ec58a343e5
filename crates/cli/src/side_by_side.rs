//! Several runs at a time: what `compare` and `sweep` share. Small worlds run side by side, each on its share of the threads,
//! large ones one after the other on all of them. The results do not depend on it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Worlds up to this many bodies run side by side: threads gain less inside a small run than between several.
const SMALL: usize = 20_000;

/// The threads to be used in all: those asked for, or all that there are.
pub fn threads(asked: Option<u16>) -> usize {
    let all = std::thread::available_parallelism().map_or(1, |n| n.get());
    asked.map_or(all, usize::from)
}

/// The threads that a command has with so many for its runs: one more for each run at a time, one on each core that
/// reads scenes, the first one, and one that waits for signals.
pub fn in_all(threads: usize) -> usize {
    2 * threads + self::threads(None) + 2
}

/// How many of these runs go at a time, and on how many threads each, if the largest has so many bodies.
pub fn shares(runs: usize, largest: usize, threads: usize) -> (usize, usize) {
    let at_once = if largest <= SMALL { runs.clamp(1, threads) } else { 1 };
    (at_once, threads / at_once)
}

/// Does `work` for all numbers below `count`, so many at a time and begun in order; the results stand in the order of the
/// numbers.
pub fn do_all<T: Send>(count: usize, at_once: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(place) = results.get(number) else { break };
                    let result = work(number);
                    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                }
            });
        }
    });
    let result = |result: Mutex<Option<T>>| result.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(result).collect()
}

/// The name of a scene file without its ending.
pub fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or("scene".as_ref()).to_string_lossy().into_owned()
}

/// Where a command writes that makes several runs of a scene, if the user does not say.
pub fn default_path(command: &str, scene: &Path) -> PathBuf {
    Path::new("runs").join(format!("{command}-{}", stem(scene)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_order_whoever_makes_them() {
        for at_once in [1, 3] {
            let squares = do_all(20, at_once, |number| number * number);
            assert_eq!(squares, (0..20).map(|n| n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn threads_go_to_runs_first_and_to_large_worlds_as_a_whole() {
        assert_eq!(shares(3, 100, 8), (3, 2));
        assert_eq!(shares(30, 100, 8), (8, 1));
        assert_eq!(shares(3, SMALL + 1, 8), (1, 8));
        assert_eq!(shares(0, 0, 2), (1, 2));
    }
}

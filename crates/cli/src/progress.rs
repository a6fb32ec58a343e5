//! How far a run is: a bar on a terminal, else a plain line every ten seconds; nothing when quiet. Of several runs at a
//! time each has its line, with its name, or all of them one (`Overall`).

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use stickslip::World;
use stickslip_io::results::sweep::Row;
use stickslip_io::visible;

/// How often the bar is drawn anew, and how often a plain line is printed.
const BAR_EVERY: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Shows how far a run is.
pub struct Progress {
    bar: Option<ProgressBar>,
    every: Option<Duration>,
    end: f64,
    /// The step it starts from, and the last.
    first: u64,
    steps: u64,
    started: Instant,
    shown: Instant,
    /// What stands before a plain line.
    name: String,
    /// All runs that this one is one of, and its number.
    overall: Option<(Arc<Overall>, usize)>,
}

impl Progress {
    /// For a run that goes on from the step `first` up to `steps`, when the simulated time is `end`.
    pub fn new(quiet: bool, first: u64, steps: u64, end: f64) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| bar(steps));
        let every = interval(&bar, quiet);
        let now = Instant::now();
        Progress { bar, every, end, first, steps, started: now, shown: now, name: String::new(), overall: None }
    }

    /// For one of many runs, of which all are shown as one. It goes on from the step `first`.
    pub fn within(overall: &Arc<Overall>, number: usize, first: u64) -> Self {
        let progress = Progress::new(true, first, 0, 0.0);
        Progress { every: Some(BAR_EVERY), overall: Some((overall.clone(), number)), ..progress }
    }

    /// The same for one of several runs: a bar of `all`, with a name.
    pub fn of_several(quiet: bool, (steps, end): (u64, f64), name: &str, all: &MultiProgress) -> Self {
        let mut progress = Progress::new(quiet, 0, steps, end);
        progress.bar = progress.bar.map(|bar| all.add(bar).with_prefix(format!("{}  ", visible(name))));
        Progress { name: format!("{name}: "), ..progress }
    }

    /// Looks at the world after a step.
    pub fn show(&mut self, world: &World) {
        let Some(every) = self.every else { return };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        if let Some((overall, number)) = &self.overall {
            return overall.reached(*number, world.steps().saturating_sub(self.first));
        }
        let text = self.text(world);
        match &self.bar {
            Some(bar) => {
                bar.set_position(world.steps());
                bar.set_message(text);
            }
            None => crate::tell(&format!(
                "{}{:3.0} %  {text}",
                self.name,
                100.0 * world.steps() as f64 / self.steps.max(1) as f64
            )),
        }
    }

    /// The run will end after so many steps, at this simulated time.
    pub fn expect(&mut self, steps: u64, end: f64) {
        (self.steps, self.end) = (steps, end);
        if let Some(bar) = &self.bar {
            bar.set_length(steps);
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn text(&self, world: &World) -> String {
        let done = world.steps().saturating_sub(self.first).max(1) as f64;
        let seconds = self.started.elapsed().as_secs_f64();
        // From the mean speed so far: steady, and right once the number of contacts is.
        let left = seconds * (self.steps.saturating_sub(world.steps())) as f64 / done;
        // A sum of the times of stages has digits that say nothing.
        let (time, end, speed, contacts) =
            (world.time(), (self.end * 1e9).round() / 1e9, done / seconds, world.contact_count());
        format!("{time:.4} of {end} s, {speed:.0} steps/s, {contacts} contacts, {} left", duration(left))
    }
}

/// How far many runs are, as one bar or line.
pub struct Overall {
    bar: Option<ProgressBar>,
    every: Option<Duration>,
    runs: usize,
    steps: u64,
    started: Instant,
    so_far: Mutex<SoFar>,
}

struct SoFar {
    /// Steps of each run that has begun, done by this process.
    steps: BTreeMap<usize, u64>,
    ended: usize,
    failed: usize,
    shown: Instant,
}

impl Overall {
    /// For so many runs of so many steps in all.
    pub fn new(quiet: bool, runs: usize, steps: u64) -> Self {
        let bar = (!quiet && runs > 0 && std::io::stderr().is_terminal()).then(|| bar(steps));
        let so_far = SoFar { steps: BTreeMap::new(), ended: 0, failed: 0, shown: Instant::now() };
        let every = interval(&bar, quiet);
        Overall { bar, every, runs, steps, started: Instant::now(), so_far: Mutex::new(so_far) }
    }

    /// A run has done so many steps.
    fn reached(&self, number: usize, steps: u64) {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.steps.insert(number, steps);
        if self.every.is_some_and(|every| so_far.shown.elapsed() >= every) {
            so_far.shown = Instant::now();
            self.show(&so_far);
        }
    }

    /// A run has ended; one that went wrong gets a line.
    pub fn ended(&self, number: usize, row: &Row) {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.ended += 1;
        if row.state == "failed" {
            so_far.failed += 1;
            let line = format!("run {number} failed: {}", row.reason);
            match &self.bar {
                Some(bar) => bar.suspend(|| crate::tell(&line)),
                None if self.every.is_some() => crate::tell(&line),
                None => {}
            }
        }
        if self.bar.is_some() {
            self.show(&so_far);
        }
    }

    fn show(&self, so_far: &SoFar) {
        let text = self.text(so_far, self.started.elapsed().as_secs_f64());
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.share(so_far));
                bar.set_message(text);
            }
            None => crate::tell(&text),
        }
    }

    /// Steps done, as far as they count: a run that ended early has done all of its share.
    fn share(&self, so_far: &SoFar) -> u64 {
        let by_runs = self.steps / (self.runs.max(1) as u64) * so_far.ended as u64;
        so_far.steps.values().sum::<u64>().max(by_runs).min(self.steps)
    }

    fn text(&self, so_far: &SoFar, seconds: f64) -> String {
        let share = self.share(so_far) as f64 / self.steps.max(1) as f64;
        let failed = if so_far.failed > 0 { format!(", {} failed", so_far.failed) } else { String::new() };
        let left = if share > 0.0 { seconds * (1.0 - share) / share } else { f64::INFINITY };
        let left = if left.is_finite() { format!(", {} left", duration(left)) } else { String::new() };
        format!("{} of {} runs{failed}{left}", so_far.ended, self.runs)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn interval(bar: &Option<ProgressBar>, quiet: bool) -> Option<Duration> {
    match (bar, quiet) {
        (_, true) => None,
        (Some(_), false) => Some(BAR_EVERY),
        (None, false) => Some(LINE_EVERY),
    }
}

fn bar(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template("{prefix}{bar:30} {percent:>3} %  {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Seconds for people.
pub fn duration(seconds: f64) -> String {
    let whole = seconds as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_steps_and_a_run_that_ends_early_counts_as_whole() {
        let overall = Overall::new(true, 4, 400);
        let row = |state: &str| Row { state: state.into(), ..Row::default() };
        let text = |overall: &Overall| overall.text(&overall.so_far.lock().unwrap(), 30.0);
        assert_eq!(text(&overall), "0 of 4 runs");
        overall.reached(1, 100);
        overall.reached(2, 50);
        overall.ended(1, &row("done"));
        // 150 of 400 steps in 30 s.
        assert_eq!(text(&overall), "1 of 4 runs, 50 s left");
        overall.reached(2, 60);
        overall.ended(2, &row("failed"));
        assert_eq!(text(&overall), "2 of 4 runs, 1 failed, 30 s left");
    }
}

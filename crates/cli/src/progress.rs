//! How far a run is: a bar on a terminal, else a plain line every ten seconds; nothing when quiet. Of several runs at a
//! time each has its line, with its name.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use stickslip::World;

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
}

impl Progress {
    /// For a run that goes on from the step `first` up to `steps`, when the simulated time is `end`.
    pub fn new(quiet: bool, first: u64, steps: u64, end: f64) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| bar(steps));
        let every = match (&bar, quiet) {
            (_, true) => None,
            (Some(_), false) => Some(BAR_EVERY),
            (None, false) => Some(LINE_EVERY),
        };
        let now = Instant::now();
        Progress { bar, every, end, first, steps, started: now, shown: now, name: String::new() }
    }

    /// The same for one of several runs: a bar of `all`, with a name.
    pub fn of_several(quiet: bool, steps: u64, end: f64, name: &str, all: &MultiProgress) -> Self {
        let mut progress = Progress::new(quiet, 0, steps, end);
        progress.bar = progress.bar.map(|bar| all.add(bar).with_prefix(format!("{name}  ")));
        Progress { name: format!("{name}: "), ..progress }
    }

    /// Looks at the world after a step.
    pub fn show(&mut self, world: &World) {
        let Some(every) = self.every else { return };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        let text = self.text(world);
        match &self.bar {
            Some(bar) => {
                bar.set_position(world.steps());
                bar.set_message(text);
            }
            None => eprintln!("{}{:3.0} %  {text}", self.name, 100.0 * world.steps() as f64 / self.steps.max(1) as f64),
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
        let (time, end, speed, contacts) = (world.time(), self.end, done / seconds, world.contact_count());
        format!("{time:.4} of {end} s, {speed:.0} steps/s, {contacts} contacts, {} left", duration(left))
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

//! What was seen of one body, step by step, and what is read off: when a mode switches, when a rate first turns around.

use stickslip::contact::Mode;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Plot, Series};

/// One step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// s.
    pub time: f64,
    /// Along the slope, upwards (m).
    pub x: f64,
    /// Its rate (m/s).
    pub v: f64,
    /// Turn about y (rad): rolling along x turns it by x/R.
    pub angle: f64,
    /// Its rate (rad/s).
    pub omega: f64,
    /// Turn about z (rad).
    pub spun: f64,
    /// Its rate (rad/s).
    pub spinning: f64,
    /// Normal force (N).
    pub normal: f64,
    /// Sliding friction along x (N).
    pub force: f64,
    /// Rolling torque about y (N m).
    pub torque: f64,
    /// Spinning torque about z (N m).
    pub spin_torque: f64,
    /// Slide, roll, spin.
    pub mode: [Mode; 3],
}

/// Which motion a mode belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Slide.
    Slide,
    /// Roll.
    Roll,
    /// Spin.
    Spin,
}

/// Every step, from time 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The steps.
    pub samples: Vec<Sample>,
}

impl Sample {
    /// Whether a motion slips.
    pub fn slips(&self, which: Which) -> bool {
        self.mode[which as usize] == Mode::Slip
    }
}

impl Track {
    /// The first step after time 0 of which something holds.
    pub fn first(&self, holds: impl Fn(&Sample) -> bool) -> Option<&Sample> {
        self.samples.iter().skip(1).find(|sample| holds(sample))
    }

    /// When something holds for the first time; not a number if it never does.
    pub fn when(&self, holds: impl Fn(&Sample) -> bool) -> f64 {
        self.first(holds).map_or(f64::NAN, |sample| sample.time)
    }

    /// The end.
    pub fn last(&self) -> &Sample {
        // A track begins with the sample at time 0.
        &self.samples[self.samples.len() - 1]
    }

    /// When a motion changes between stick and slip, and whether it slips from then on.
    pub fn switches(&self, which: Which) -> Vec<(f64, bool)> {
        let pairs = self.samples.windows(2);
        let changed = pairs.filter(|pair| pair[0].slips(which) != pair[1].slips(which));
        changed.map(|pair| (pair[1].time, pair[1].slips(which))).collect()
    }

    /// The k-th such change, counted from 0; not a number if there are fewer.
    pub fn switch(&self, which: Which, k: usize) -> f64 {
        self.switches(which).get(k).map_or(f64::NAN, |change| change.0)
    }

    /// The least of something.
    pub fn least(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    /// The largest size of something.
    pub fn most(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        self.samples.iter().map(|sample| of(sample).abs()).fold(0.0, f64::max)
    }

    /// The steps from one time to another.
    pub fn between(&self, from: f64, to: f64) -> impl Iterator<Item = &Sample> {
        self.samples.iter().filter(move |sample| sample.time >= from && sample.time <= to)
    }

    /// The first time after which something holds to the end; not a number if it does not hold at the end.
    pub fn for_good(&self, holds: impl Fn(&Sample) -> bool) -> f64 {
        match self.samples.iter().rposition(|sample| !holds(sample)) {
            None => 0.0,
            Some(last) => self.samples.get(last + 1).map_or(f64::NAN, |sample| sample.time),
        }
    }

    /// About so many points of a curve, the first and the last among them.
    pub fn curve(&self, points: usize, of: impl Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
        let every = (self.samples.len() / points).max(1);
        let shown = self.samples.iter().enumerate();
        let end = self.samples.len() - 1;
        let shown = shown.filter(|(k, _)| k % every == 0 || *k == end).map(|(_, sample)| sample);
        shown.map(|sample| (sample.time, of(sample))).collect()
    }

    /// A curve between two times that keeps its extremes when it is thinned: of each of about so many spans the least and the
    /// largest value.
    pub fn envelope(&self, spans: usize, (from, to): (f64, f64), of: impl Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
        let points: Vec<(f64, f64)> = self.between(from, to).map(|sample| (sample.time, of(sample))).collect();
        let every = points.len().div_ceil(spans.max(1)).max(1);
        if every <= 2 {
            return points;
        }
        let extremes = |span: &[(f64, f64)]| {
            let least = span.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
            let most = span.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
            let mut both: Vec<(f64, f64)> = least.into_iter().chain(most).collect();
            both.sort_by(|a, b| a.0.total_cmp(&b.0));
            both
        };
        points.chunks(every).flat_map(extremes).collect()
    }

    /// The same motion after one step without friction, at the velocity of the start.
    pub fn after_a_free_step(mut self, step: f64) -> Self {
        let start = Sample { force: 0.0, torque: 0.0, spin_torque: 0.0, ..self.samples[0] };
        for sample in &mut self.samples {
            sample.time += step;
            sample.x += step * start.v;
        }
        self.samples.insert(0, start);
        self
    }

    /// Rows of a table for every so many steps: the label, then what a body on a plane has.
    pub fn rows(&self, label: &str, every: usize) -> String {
        let row = |s: &Sample| {
            let mode: String = s.mode.iter().map(|mode| mode.letter()).collect();
            format!(
                "{label},{:.4},{:e},{:e},{:e},{:e},{:e},{:e},{:e},{:e},{:e},{mode}\n",
                s.time, s.x, s.v, s.angle, s.omega, s.spun, s.spinning, s.force, s.torque, s.spin_torque
            )
        };
        self.samples.iter().step_by(every).map(row).collect()
    }
}

/// The columns of `rows`, the label first.
pub const COLUMNS: &str = "case,time,x,v,angle,omega,spun,spinning,force,torque,spin_torque,mode\n";

/// A plot against time (s), in this range.
pub fn over_time(title: &str, y: &str, series: Vec<Series>, range: (f64, f64)) -> Plot {
    Plot {
        title: title.into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear(y),
        x_range: Some(range),
        y_range: None,
        levels: Vec::new(),
        series,
    }
}

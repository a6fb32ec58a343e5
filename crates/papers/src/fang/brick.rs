//! `fang/brick`, section 4.1 (both figures numbered 5): a brick on an incline, let go at rest. Sliding friction alone.
//!
//! The brick is held by K_E S + K_D S' while |K_E S| <= mu_s N, and slips with mu_k N from then on until the spring carries
//! less (capped spring of section 3.1). Closed forms: at rest K_E S = m g sin(alpha), in slip x'' = g sin(alpha) - mu_k N/m.
//!
//! Times are those of the first step in the new mode. At tan(alpha) = mu_s the limit is reached only asymptotically: it
//! sticks for the 0.04 s of the paper's figure; what rounding makes of it after minutes is not looked at.

use stickslip::math;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::friction::Friction;
use super::reference::{self, BrickRow};
use super::rig::{Rig, Turns};
use super::track::{COLUMNS, Sample, Track, Which};
use super::{GRAVITY, KINETIC, STATIC, STEP, STIFFNESS};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "fang/brick",
    title: "A brick on an incline: stick, slip, and both coefficients (section 4.1)",
    scaled_down: "",
    run,
};

const MASS: f64 = 1.0;
/// The brick is a sphere that cannot turn; its radius has no effect.
const RADIUS: f64 = 0.1;

/// A case of the section.
struct Case {
    /// In the reference table.
    name: &'static str,
    /// alpha (rad).
    slope: f64,
    /// K_D over the critical one.
    damping: f64,
    /// Length of the reference (s).
    time: f64,
}

/// A case and what was seen.
struct Seen {
    case: Case,
    track: Track,
    reference: Vec<BrickRow>,
}

impl Case {
    fn see(self, context: &Context) -> Result<Seen, Ended> {
        let friction = Friction { slide_damping: self.damping, ..Friction::slide() };
        let rig = Rig::on_slope(MASS, RADIUS, 0.4 * MASS * RADIUS * RADIUS, self.slope, Turns::Not);
        let track = rig.track(context, friction.laws(), self.time)?;
        let reference = reference::brick(self.name);
        Ok(Seen { case: self, track, reference })
    }
}

impl Seen {
    /// K_D (kg/s).
    fn dashpot(&self) -> f64 {
        self.case.damping * 2.0 * (MASS * STIFFNESS).sqrt()
    }

    /// Elastic and damping parts of the force: the dashpot is off in slip, and sees the velocity of the last step.
    fn parts(&self, sample: &Sample) -> (f64, f64) {
        let damping = if sample.slips(Which::Slide) || sample.time == 0.0 { 0.0 } else { self.dashpot() * -sample.v };
        (sample.force - damping, damping)
    }

    /// The largest difference from the reference in any column, over that column's largest value; and how many rows differ
    /// in their mode.
    fn off_reference(&self) -> (f64, usize) {
        let weight = MASS * GRAVITY * math::sin(self.case.slope);
        let (mut off, mut largest, mut modes) = ([0.0_f64; 5], [0.0_f64; 5], 0);
        for row in &self.reference {
            let step = (row.time / STEP).round() as usize;
            let sample = &self.track.samples[step];
            let (elastic, damping) = self.parts(sample);
            // The acceleration that led here; none at the start.
            let a = if step == 0 { 0.0 } else { (weight - self.track.samples[step - 1].force) / MASS };
            let ours = [-sample.x, -sample.v, a, elastic, damping];
            let theirs = [row.x, row.v, row.a, row.elastic, row.damping];
            for column in 0..5 {
                off[column] = off[column].max((ours[column] - theirs[column]).abs());
                largest[column] = largest[column].max(theirs[column].abs());
            }
            modes += usize::from(sample.slips(Which::Slide) != row.slips);
        }
        // A column of zeros must be zero here, too.
        let share = |column: usize| if off[column] == 0.0 { 0.0 } else { off[column] / largest[column] };
        ((0..5).map(share).fold(0.0, f64::max), modes)
    }
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let case = |name, slope, damping, time| Case { name, slope, damping, time }.see(context);
    let seen = [
        case("a0.18_KD632", 0.18, 1.0, 0.1)?,
        case("a0.18_KD0", 0.18, 0.0, 0.1)?,
        case("atan_muk", math::atan2(KINETIC, 1.0), 1.0, 0.04)?,
        case("atan_mus", math::atan2(STATIC, 1.0), 1.0, 0.04)?,
        case("a0.25", 0.25, 1.0, 0.04)?,
    ];
    let mut outcome = Outcome::default();
    at_0_18(&mut outcome, &seen[0], &seen[1]);
    steeper(&mut outcome, &seen);
    let mut table = String::from(COLUMNS);
    for one in &seen {
        let (off, modes) = one.off_reference();
        let name = one.case.name;
        let source = "reference series (equal to the authors' data to rounding), every column over its maximum";
        outcome.checked(&format!("off_reference[{name}]"), off, 0.0, 1e-9, source);
        outcome.checked(&format!("modes_off_reference[{name}]"), modes as f64, 0.0, 0.0, "modes of the same series");
        table += &one.track.rows(name, 1);
    }
    outcome.file("brick.csv", table);
    outcome.file("figure.svg", figure(&seen).to_svg());
    Ok(outcome)
}

/// The two runs at 0.18 rad, with and without damping.
fn at_0_18(outcome: &mut Outcome, damped: &Seen, undamped: &Seen) {
    let weight = MASS * GRAVITY * math::sin(0.18);
    let normal = MASS * GRAVITY * math::cos(0.18);
    let end = damped.track.last();
    let source = "section 4.1: rest at m g sin(alpha), in closed form";
    outcome.checked("settled_force_0.18", end.force, weight, 1e-9, source);
    outcome.check("settled_force_0.18 (printed)", end.force, 1.75, 0.005, "section 4.1, printed 1.75 N");
    let source = "closed form m g sin(alpha)/K_E; 17.54 um in the authors' data";
    outcome.checked("settled_position_0.18", -end.x, weight / STIFFNESS, 1e-13, source);
    outcome.holds("sticks_0.18", damped.track.switches(Which::Slide).is_empty());
    for (name, mu, printed) in [("S_s_0.18", STATIC, 2.41e-5), ("S_k_0.18", KINETIC, 1.92e-5)] {
        // 1.928e-5 is printed as 1.92e-5: cut, not rounded.
        outcome.checked(name, mu * normal / STIFFNESS, printed, 1e-7, "section 4.1, printed to three digits");
    }
    outcome.checked("K_D", damped.dashpot(), 632.0, 1.0, "Table 2");
    let source = "authors' data, to a step";
    outcome.checked("undamped_slip_time_0.18", undamped.track.switch(Which::Slide, 0), 0.0062, STEP, source);
    outcome.checked("undamped_restick_time_0.18", undamped.track.switch(Which::Slide, 1), 0.0355, STEP, source);
    let tail: Vec<f64> = undamped.track.between(0.0355, 0.1).map(|sample| sample.force).collect();
    let (low, high) = tail.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), f| (l.min(*f), h.max(*f)));
    // An undamped spring about its rest; the mean over whole swings is the weight, over any others it is near.
    let source = "section 4.1: it oscillates about m g sin(alpha); middle of the swing after it sticks again";
    outcome.checked("undamped_middle_0.18", 0.5 * (low + high), weight, 0.01 * weight, source);
    outcome.metric("undamped_tail_mean_0.18", tail.iter().sum::<f64>() / tail.len() as f64);
}

/// The runs at atan(mu_k), atan(mu_s) and 0.25 rad.
fn steeper(outcome: &mut Outcome, seen: &[Seen; 5]) {
    for (one, name) in [(&seen[2], "sticks_at_atan_mu_k"), (&seen[3], "sticks_at_atan_mu_s")] {
        let sticks = one.track.switches(Which::Slide).is_empty();
        outcome.holds(name, sticks);
        outcome.check(name, f64::from(sticks), 1.0, 0.0, "section 4.1: it sticks up to tan(alpha) = mu_s");
    }
    let track = &seen[4].track;
    let (end, before) = (track.last(), track.samples[track.samples.len() - 2]);
    let kinetic = KINETIC * MASS * GRAVITY * math::cos(0.25);
    let acceleration = GRAVITY * math::sin(0.25) - kinetic / MASS;
    outcome.checked("slip_time_0.25", track.switch(Which::Slide, 0), 0.0185, STEP, "authors' data, to a step");
    outcome.checked("kinetic_force_0.25", end.force, kinetic, 1e-9, "mu_k m g cos(alpha) in closed form");
    outcome.check("kinetic_force_0.25 (printed)", end.force, 1.899, 5e-4, "section 4.1, printed 1.899 N");
    let measured = (before.v - end.v) / STEP;
    // A difference of velocities near 0.01 m/s over a step of 1e-4 s: rounding 2e-14.
    let source = "g sin(alpha) - mu_k g cos(alpha) in closed form";
    outcome.checked("acceleration_0.25", measured, acceleration, 1e-9, source);
    outcome.check("acceleration_0.25 (printed)", measured, 0.525, 5e-4, "section 4.1, printed 0.525 m/s^2");
}

/// The paper's panels: position, velocity, the two parts of the force, for damping and for slope.
fn figure(seen: &[Seen; 5]) -> Multiples {
    let names = ["damped", "no damping", "atan(mu_k)", "atan(mu_s)", "0.25 rad"];
    let panel = |which: std::ops::Range<usize>, title: &str, y: &str, kind: usize| {
        let value = move |one: &Seen, sample: &Sample| match kind {
            0 => -1e6 * sample.x,
            1 => -1e3 * sample.v,
            2 => one.parts(sample).0,
            _ => one.parts(sample).1,
        };
        let theirs = move |row: &BrickRow| match kind {
            0 => 1e6 * row.x,
            1 => 1e3 * row.v,
            2 => row.elastic,
            _ => row.damping,
        };
        let mut series = Vec::new();
        for number in which {
            let one = &seen[number];
            let ours = one.track.curve(400, |sample| value(one, sample));
            series.push(Series::line(names[number], number, Line::Solid, ours));
            let marks = one.reference.iter().step_by(5).map(|row| (row.time, theirs(row)));
            series.push(Series::marks("reference", 6, Symbol::Cross, marks));
        }
        Plot {
            title: title.into(),
            x: Axis::linear("time (s)"),
            y: Axis::linear(y),
            x_range: None,
            y_range: None,
            levels: Vec::new(),
            series,
        }
    };
    let quantities = ["position (um)", "velocity (mm/s)", "elastic force (N)", "damping force (N)"];
    let row = |which: std::ops::Range<usize>, title: &'static str| {
        let panel = &panel;
        quantities.iter().enumerate().map(move |(kind, y)| panel(which.clone(), title, y, kind)).collect::<Vec<_>>()
    };
    let plots = row(0..2, "alpha = 0.18").into_iter().chain(row(2..5, "three slopes")).collect();
    Multiples { title: "A brick on an incline (Fang and Negrut 2020, section 4.1)".into(), columns: 4, plots }
}

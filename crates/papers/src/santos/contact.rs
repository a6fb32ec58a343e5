//! `santos/contact`, appendix A: two overlapping spheres with fixed centres are given a relative rolling or spinning rate.
//! For which springs and dashpots does the torque decay without ringing for long?
//!
//! While nothing slips the pair is the oscillator of `oscillator.rs`: with R = 1/2, m = 1, I = 1/10 and R_eff = 1/4,
//!
//!   roll: w0^2 = 1.25 k_r,  z = 1.25 gamma_r/(2 w0);      spin: w0^2 = 20 k_t,  z = 20 gamma_t/(2 w0).
//!
//! **Settled**: the paper does not say how long is long. The measure taken here is the paper's own normal spring and dashpot,
//! x'' + gamma_n x' + (k_n/m_eff) x = 0, with z_n = gamma_n/(2 sqrt(k_n/m_eff)) = 0.177: each swing is 0.569 of the one
//! before, so that 8 swings after the first extremum exceed 1 % of it and the ninth does not. A torque has settled if, as
//! for that mode, at most 8 swings exceed 1 % of its peak, and it is below 1 % for good within 9 half periods pi/w0 of its
//! undamped motion (which an overdamped mode could miss).
//!
//! z >= z_n means k_r/gamma_r <= sqrt(10 k_r/k_n) for roll, and k_t/gamma_t <= sqrt(160 k_t/k_n) for spin. So with
//! k_n/k_r = 10 the limit is k_r/gamma_r = 1, and it lies above 1 if and only if k_n/k_r < 10: the paper's rule. The rule
//! names no upper limit in the second case; this one is it. Spin at k_t/gamma_t = 2 is overdamped for k_t > 0.8.
//!
//! The points: k from k_n/10 to 10 k_n (section II A: "changes within an order of magnitude"), ratios as in the paper's
//! ranges, and points beyond them that must ring. Does not do: slip, but for one pair each that starts so fast that it
//! slips, where the torque must be the law's limit.

use stickslip::law::{Limit, Roll, RollSlider, Spin, SpinSlider};
use stickslip::{Body, Motion, Setup, World};
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::materials;
use super::oscillator::Oscillator;
use super::{DAMPING, RADIUS, STIFFNESS, grain, laws, model};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "santos/contact",
    title: "Two spheres: torques that settle, and stiffness ratios (appendix A)",
    scaled_down: "",
    run,
};

const INERTIA: f64 = 0.1;
const RADIUS_EFF: f64 = 0.25;
/// Overlap of the two spheres; the normal force is as large.
const OVERLAP: f64 = 0.1;
/// A swing counts while it exceeds this share of the peak.
const SMALL: f64 = 0.01;
/// Swings that the normal mode has above that, after its first extremum.
const SWINGS: usize = 8;
/// Half periods of the undamped motion within which the normal mode falls below for good.
const HALF_PERIODS: f64 = 9.0;

/// Which of the two motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// About an axis in the tangent plane.
    Roll,
    /// About the normal.
    Spin,
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Roll => "roll",
            Mode::Spin => "spin",
        }
    }

    fn arm(self) -> f64 {
        match self {
            Mode::Roll => RADIUS_EFF,
            Mode::Spin => 1.0,
        }
    }
}

/// One pair: which motion, its spring, and spring over dashpot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Which motion.
    pub mode: Mode,
    /// k_r or k_t.
    pub stiffness: f64,
    /// k/gamma.
    pub ratio: f64,
}

/// The torque on one of the spheres over time, over its peak.
#[derive(Clone, Debug)]
pub struct Decay {
    /// Step.
    pub step: f64,
    /// Torque over its largest magnitude, from step 0 on.
    pub torque: Vec<f64>,
    /// The largest difference to the closed form, over the peak.
    pub off: f64,
}

impl Pair {
    fn damping(&self) -> f64 {
        self.stiffness / self.ratio
    }

    /// The closed form.
    pub fn oscillator(&self) -> Oscillator {
        Oscillator::of_pair(self.stiffness, self.damping(), self.mode.arm(), INERTIA)
    }

    /// Two spheres with fixed centres that turn against each other at this relative rate.
    fn world(&self, rate: f64, limit: f64, step: f64) -> Result<World, Ended> {
        let mut laws = laws(1.0, 1.0, 1.0);
        match self.mode {
            Mode::Roll => {
                let law = RollSlider::new(self.stiffness, self.damping(), Limit::mu(limit));
                laws.roll = Some(Roll::SpringSlider(law));
            }
            Mode::Spin => {
                let law = SpinSlider::new(self.stiffness, self.damping(), Limit::length(limit));
                laws.spin = Some(Spin::SpringSlider(law));
            }
        }
        let axis = if self.mode == Mode::Roll { glam::DVec3::Y } else { glam::DVec3::X };
        let ball = |x: f64, turn: f64| Body {
            motion: Motion::Held,
            // Opposite rates of equal spheres: the points of contact do not slide.
            angular_velocity: axis * turn,
            ..grain(glam::DVec3::X * x)
        };
        let bodies = vec![ball(2.0 * RADIUS - OVERLAP, 0.5 * rate), ball(0.0, -0.5 * rate)];
        World::new(Setup { model: model(laws, step), bodies }).map_err(Ended::failed)
    }

    fn torque(&self, world: &World) -> f64 {
        let torque = world.body(0).torque;
        if self.mode == Mode::Roll { torque.y } else { torque.x }
    }

    /// Lets the pair go, without slip, for somewhat longer than the normal mode needs.
    ///
    /// The dashpot sees velocities of half a step before, so torques are off by z w0 dt of themselves, and decay rates by as
    /// much: the step keeps that below half a per cent.
    pub fn decay(&self) -> Result<Decay, Ended> {
        let form = self.oscillator();
        let rate_limit = 0.005 / (form.damping_ratio * form.frequency);
        let step = rate_limit.min(0.02 / form.frequency);
        let time = (HALF_PERIODS + 2.0) * std::f64::consts::PI / form.frequency;
        let steps = (time / step).ceil() as usize;
        // The peak of k q + c q' is below (c + k/w0) q'(0): so the law's limit (over the arm) is never met.
        let most = self.damping() + self.stiffness / form.frequency;
        let rate = 0.9 * OVERLAP * STIFFNESS / (most * self.mode.arm());
        let mut world = self.world(rate, 1.0, step)?;
        let mut torque = vec![self.torque(&world)];
        for _ in 0..steps {
            world.step().map_err(Ended::failed)?;
            torque.push(self.torque(&world));
        }
        let expected = |k: usize| 0.5 * INERTIA * rate * form.acceleration(k as f64 * step);
        let peak = torque.iter().fold(0.0, |most: f64, t| most.max(t.abs()));
        let off = torque.iter().enumerate().map(|(k, t)| (t - expected(k)).abs()).fold(0.0, f64::max) / peak;
        torque.iter_mut().for_each(|t| *t /= peak);
        Ok(Decay { step, torque, off })
    }

    /// The largest torque over the law's limit, when the pair starts so fast that it slips.
    fn peak_in_slip(&self) -> Result<f64, Ended> {
        let form = self.oscillator();
        let mu = 0.3;
        let limit = match self.mode {
            Mode::Roll => mu * RADIUS_EFF * OVERLAP,
            Mode::Spin => mu * OVERLAP,
        };
        let rate = 20.0 * limit / (INERTIA * form.frequency);
        let mut world = self.world(rate, mu, 0.002)?;
        let mut peak = 0.0_f64;
        for _ in 0..2000 {
            world.step().map_err(Ended::failed)?;
            peak = peak.max(self.torque(&world).abs());
        }
        Ok(peak / limit)
    }
}

impl Decay {
    /// How often the torque changes sign and then exceeds a small share of the peak again.
    pub fn swings(&self) -> usize {
        let mut sign = 0.0;
        let mut swings = 0;
        for &torque in self.torque.iter().filter(|torque| torque.abs() > SMALL) {
            if sign != 0.0 && torque.signum() != sign {
                swings += 1;
            }
            sign = torque.signum();
        }
        swings
    }

    /// When it exceeds that share for the last time.
    pub fn last_large(&self) -> f64 {
        self.torque.iter().rposition(|torque| torque.abs() > SMALL).map_or(0.0, |k| (k + 1) as f64 * self.step)
    }

    /// As the header defines it.
    pub fn settled(&self, form: &Oscillator) -> bool {
        self.swings() <= SWINGS && self.last_large() <= HALF_PERIODS * std::f64::consts::PI / form.frequency
    }
}

/// Springs from k_n/10 to 10 k_n.
const STIFFNESSES: [f64; 7] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];

/// Pairs within the paper's ranges.
pub fn within_ranges() -> Vec<Pair> {
    let pair = |mode| move |(stiffness, ratio)| Pair { mode, stiffness, ratio };
    let every = |ratios: &'static [f64], least: f64| {
        let springs = STIFFNESSES.into_iter().filter(move |&k| k > least);
        springs.flat_map(move |k| ratios.iter().map(move |&ratio| (k, ratio)))
    };
    // Below 1; above 1 where k_n/k_r < 10; and the pair of the paper's packings.
    let roll = every(&[0.1, 0.25, 0.5, 0.75, 0.99], 0.0).chain(every(&[1.1, 1.25, 1.4], 0.1)).chain([(1.0, 2.0)]);
    let spin = every(&[0.25, 0.5, 1.0, 1.5, 2.0], 0.0);
    roll.map(pair(Mode::Roll)).chain(spin.map(pair(Mode::Spin))).collect()
}

/// Pairs beyond them, where the torque must ring: soft rolling springs with k_r/gamma_r > 1 and k_n/k_r >= 10, and ratios
/// that are large for any spring.
pub fn beyond_ranges() -> Vec<Pair> {
    let roll = [(0.1, 1.5), (0.1, 2.0), (0.05, 1.25), (0.05, 2.0), (0.01, 1.25), (0.01, 2.0), (1.0, 5.0), (10.0, 20.0)];
    let spin = [(0.1, 10.0), (1.0, 20.0), (10.0, 60.0)];
    let pair = |mode| move |(stiffness, ratio)| Pair { mode, stiffness, ratio };
    roll.into_iter().map(pair(Mode::Roll)).chain(spin.into_iter().map(pair(Mode::Spin))).collect()
}

/// A pair and what its torque did.
struct Finding {
    pair: Pair,
    decay: Decay,
    settled: bool,
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let (within, beyond) = (within_ranges(), beyond_ranges());
    let all = (within.len() + beyond.len()) as f64;
    let mut findings = Vec::new();
    for (number, &pair) in within.iter().chain(&beyond).enumerate() {
        context.check_interrupt()?;
        (context.progress)(number as f64 / all, "pairs of spheres");
        let decay = pair.decay()?;
        let settled = decay.settled(&pair.oscillator());
        findings.push(Finding { pair, decay, settled });
    }
    let (inside, outside) = findings.split_at(within.len());
    let mut outcome = Outcome::default();
    for mode in [Mode::Roll, Mode::Spin] {
        count(&mut outcome, mode, inside, outside);
        let peak = Pair { mode, stiffness: STIFFNESS, ratio: STIFFNESS / DAMPING }.peak_in_slip()?;
        let source = "eq. (2): the largest torque is mu_r R_eff N, or mu_t N";
        outcome.checked(&format!("{}_peak_over_limit", mode.name()), peak, 1.0, 1e-12, source);
    }
    let off = findings.iter().map(|finding| finding.decay.off).fold(0.0, f64::max);
    let source = "the damped oscillator in closed form; steps with z w0 dt <= 0.005";
    outcome.checked("off_closed_form", off, 0.0, 0.01, source);
    materials::ratios(&mut outcome);
    outcome.file("torque.csv", torque_table(&findings));
    outcome.file("points.csv", point_table(inside, outside));
    outcome.file("materials.csv", materials::table());
    outcome.file("figure.svg", figure(inside, outside).to_svg());
    Ok(outcome)
}

/// How many pairs of a mode settle within the paper's ranges, and how many ring beyond.
fn count(outcome: &mut Outcome, mode: Mode, inside: &[Finding], outside: &[Finding]) {
    let of = |findings: &[Finding], settled: bool| {
        findings.iter().filter(|f| f.pair.mode == mode && f.settled == settled).count() as f64
    };
    let name = mode.name();
    let points = of(inside, true) + of(inside, false);
    let beyond = of(outside, true) + of(outside, false);
    outcome.metric(format!("{name}_points"), points);
    outcome.metric(format!("{name}_points_beyond"), beyond);
    let range = match mode {
        Mode::Roll => "appendix A: 0 < k_r/gamma_r < 1, above 1 if k_n/k_r < 10",
        Mode::Spin => "appendix A: 0 < k_t/gamma_t <= 2",
    };
    outcome.checked(&format!("{name}_settles"), of(inside, true), points, 0.0, range);
    outcome.checked(
        &format!("{name}_rings_beyond"),
        of(outside, false),
        beyond,
        0.0,
        "beyond the ranges of appendix A",
    );
}

fn point_table(inside: &[Finding], outside: &[Finding]) -> String {
    let mut text = String::from(
        "mode,stiffness,damping,ratio,frequency,damping_ratio,in_range,swings,last_above_1_percent,settled,off_closed_form\n",
    );
    for (findings, in_range) in [(inside, true), (outside, false)] {
        for Finding { pair, decay, settled } in findings {
            let (form, swings, last) = (pair.oscillator(), decay.swings(), decay.last_large());
            text += &format!(
                "{},{},{},{},{},{},{in_range},{swings},{last},{settled},{:e}\n",
                pair.mode.name(),
                pair.stiffness,
                pair.damping(),
                pair.ratio,
                form.frequency,
                form.damping_ratio,
                decay.off
            );
        }
    }
    text
}

/// Rows of a curve in the table and the figure.
const ROWS: usize = 400;

fn thinned(finding: &Finding) -> impl Iterator<Item = (f64, f64)> + '_ {
    let decay = &finding.decay;
    let every = decay.torque.len().div_ceil(ROWS);
    decay.torque.iter().enumerate().step_by(every).map(move |(k, &torque)| (k as f64 * decay.step, torque))
}

fn torque_table(findings: &[Finding]) -> String {
    let mut text = String::from("mode,stiffness,ratio,time,torque_over_peak,closed_form_over_peak\n");
    for finding in findings {
        let Pair { mode, stiffness, ratio } = finding.pair;
        let form = finding.pair.oscillator();
        let peak = finding.decay.torque.len();
        let peak = (0..peak).map(|k| form.acceleration(k as f64 * finding.decay.step).abs()).fold(0.0, f64::max);
        for (time, torque) in thinned(finding) {
            let exact = form.acceleration(time) / peak;
            text += &format!("{},{stiffness},{ratio},{time:.6},{torque:.6},{exact:.6}\n", mode.name());
        }
    }
    text
}

/// Curves above, the map of points with the limit below: roll on the left, spin on the right.
fn figure(inside: &[Finding], outside: &[Finding]) -> Multiples {
    let plots = [Mode::Roll, Mode::Spin].map(|mode| curves(mode, inside, outside));
    let maps = [Mode::Roll, Mode::Spin].map(|mode| map(mode, inside, outside));
    let title = "Two spheres with fixed centres (Santos et al. 2020, appendix A)".to_owned();
    Multiples { title, columns: 2, plots: plots.into_iter().chain(maps).collect() }
}

fn curves(mode: Mode, inside: &[Finding], outside: &[Finding]) -> Plot {
    let shown: &[(f64, f64)] = match mode {
        Mode::Roll => &[(1.0, 0.5), (1.0, 0.99), (1.0, 2.0), (1.0, 5.0)],
        Mode::Spin => &[(1.0, 0.5), (1.0, 1.0), (1.0, 2.0), (1.0, 20.0)],
    };
    let mut series = Vec::new();
    let end = if mode == Mode::Roll { 25.0 } else { 8.0 };
    for (colour, &(stiffness, ratio)) in shown.iter().enumerate() {
        let wanted = Pair { mode, stiffness, ratio };
        let Some(finding) = inside.iter().chain(outside).find(|finding| finding.pair == wanted) else { continue };
        let form = wanted.oscillator();
        let peak = (0..2000).map(|k| form.acceleration(0.01 * f64::from(k)).abs()).fold(0.0, f64::max);
        let exact = (0..=500).map(|k| f64::from(k) * end / 500.0);
        let exact = exact.map(|t| (t, form.acceleration(t) / peak));
        series.push(Series::line("closed form", 6, Line::Dashed, exact));
        let name = format!("{} k/gamma = {ratio}", mode.name());
        let points = thinned(finding).filter(|(time, _)| *time <= end);
        series.insert(0, Series::line(&name, colour, Line::Solid, points));
    }
    Plot {
        title: format!("{}, k = k_n", mode.name()),
        x: Axis::linear("time (sqrt(m/k_n))"),
        y: Axis::linear("torque/peak"),
        x_range: Some((0.0, end)),
        y_range: None,
        levels: vec![(0.01, String::new()), (-0.01, String::new())],
        series,
    }
}

fn map(mode: Mode, inside: &[Finding], outside: &[Finding]) -> Plot {
    let of = |findings: &[Finding], settled: bool| -> Vec<(f64, f64)> {
        let chosen = findings.iter().filter(|f| f.pair.mode == mode && f.settled == settled);
        chosen.map(|f| (f.pair.stiffness, f.pair.ratio)).collect()
    };
    // z = z_n, see the header.
    let factor = if mode == Mode::Roll { 10.0 } else { 160.0 };
    let limit = (0..=60).map(|k| stickslip::math::pow(10.0, -2.0 + f64::from(k) * 0.05));
    let limit = limit.map(|k: f64| (k, (factor * k).sqrt()));
    let rule: Vec<(f64, f64)> = match mode {
        Mode::Roll => vec![(0.01, 1.0), (0.1, 1.0), (0.1, 60.0)],
        Mode::Spin => vec![(0.01, 2.0), (10.0, 2.0)],
    };
    let (x, y) = match mode {
        Mode::Roll => ("k_r/k_n", "k_r/gamma_r"),
        Mode::Spin => ("k_t/k_n", "k_t/gamma_t"),
    };
    Plot {
        title: format!("{}: which pairs settle", mode.name()),
        x: Axis::log(x),
        y: Axis::log(y),
        x_range: Some((0.008, 12.5)),
        y_range: Some((0.09, 65.0)),
        levels: Vec::new(),
        series: vec![
            Series::marks("settles", 2, Symbol::Circle, of(inside, true).into_iter().chain(of(outside, true))),
            Series::marks("rings", 1, Symbol::Cross, of(inside, false).into_iter().chain(of(outside, false))),
            Series::line("as damped as the normal spring", 0, Line::Solid, limit),
            Series::line("the paper's rule: below", 6, Line::Dashed, rule),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measure_of_settling_is_the_normal_mode() {
        let normal = Oscillator { frequency: 2.0_f64.sqrt(), damping_ratio: DAMPING / (2.0 * 2.0_f64.sqrt()) };
        let after = |swings: i32| (0..swings).map(|_| normal.decrement()).product::<f64>();
        assert!(after(SWINGS as i32) > SMALL && after(SWINGS as i32 + 1) < SMALL);
        let step = 0.01;
        let torque: Vec<f64> = (0..3000).map(|k| normal.acceleration(f64::from(k) * step)).collect();
        let peak = torque.iter().fold(0.0, |most: f64, t| most.max(t.abs()));
        let decay = Decay { step, torque: torque.iter().map(|t| t / peak).collect(), off: 0.0 };
        assert_eq!(decay.swings(), SWINGS);
        assert!(decay.settled(&normal));
        let half_periods = decay.last_large() * normal.frequency / std::f64::consts::PI;
        assert!(half_periods > HALF_PERIODS - 1.0, "{half_periods}");
    }

    /// k_n/k_r = 10 has its limit at k_r/gamma_r = 1, as the paper's rule has.
    #[test]
    fn the_limit_passes_through_the_corner_of_the_papers_rule() {
        let corner = Pair { mode: Mode::Roll, stiffness: 0.1, ratio: 1.0 }.oscillator();
        assert!((corner.damping_ratio - DAMPING / (2.0 * 2.0_f64.sqrt())).abs() < 1e-15, "{corner:?}");
    }
}

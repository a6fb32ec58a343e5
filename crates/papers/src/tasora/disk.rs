//! `tasora/disk`, section 6.1 (Figs. 2 and 3): a disc of mass 10 kg, moment of inertia 4 kg m^2 and radius 1 m rolls out from 1 m/s, rho = 0.02 m.
//!
//! ```text
//!   a = rho M g R/(J + M R^2) = 0.14 m/s^2,   stop after 1/0.14 s and 1/0.28 m
//! ```
//!
//! With steps h the disc makes K = floor(1/(0.14 h)) whole ones, so that x = h (K - 0.07 h K (K + 1)), and rests after one more. The paper's
//! convex law opens a gap of h rho omega under the disc; the exact law none. The point of contact lies midway in that gap, which
//! lengthens the lever, so that under the convex law the deceleration is larger by that share.
//!
//! The disc is a sphere with the disc's inertia that can turn about one axis only.

use glam::DVec3;
use stickslip::Body;
use stickslip::cone::Cone;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::rig::{self, CONES, Friction};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment =
    Experiment { id: "tasora/disk", title: "A disc rolls to a stop (section 6.1)", scaled_down: "", run };

/// Steps (s); metrics are those of `STEP`.
const STEPS: [f64; 5] = [0.02, 0.01, 0.005, 0.002, 0.001];
const STEP: f64 = 0.005;
/// rho M g R/(J + M R^2) (m/s^2).
const DECELERATION: f64 = 0.14;
/// Steps after which nothing is left of how the convex law lifts the disc at first: a thirtieth of it per step.
const LIFTED: usize = 10;

/// The disc on its way.
struct Track {
    cone: Cone,
    dt: f64,
    /// At the end of each step, from the start (m/s, m).
    speeds: Vec<f64>,
    places: Vec<f64>,
    /// The widest gap under it (m).
    gap: f64,
    troubled: u64,
}

fn roll(cone: Cone, dt: f64) -> Result<Track, Ended> {
    let disc = Body {
        velocity: DVec3::X,
        angular_velocity: DVec3::Y,
        mass: Some(10.0),
        inertia_body: Some(DVec3::splat(4.0)),
        lock: [false, true, false, true, false, true],
        ..rig::sphere(1.0, DVec3::Z)
    };
    let friction = Friction { slide: 0.5, roll: 0.02, spin: 0.0 };
    // Ten times the rounding of speeds near 1 m/s.
    let method = rig::to_rounding(cone, 2e-15);
    let mut world = rig::world(rig::model(friction, 1.0, DVec3::Z * -9.8, dt, method), vec![disc, rig::floor()])?;
    let mut track = Track { cone, dt, speeds: vec![1.0], places: vec![0.0], gap: 0.0, troubled: 0 };
    for _ in 0..whole_steps(dt) + 10 {
        rig::advance(&mut world, 1)?;
        let body = world.body(0);
        track.speeds.push(body.velocity.x);
        track.places.push(body.position.x);
        track.gap = track.gap.max(body.position.z - 1.0);
    }
    track.troubled = rig::troubled_steps(&world);
    Ok(track)
}

/// K: the whole steps that the disc takes to stop.
fn whole_steps(dt: f64) -> usize {
    (1.0 / (DECELERATION * dt)) as usize
}

/// x (m) after these.
fn distance(dt: f64) -> f64 {
    let k = whole_steps(dt) as f64;
    dt * (k - 0.5 * DECELERATION * dt * k * (k + 1.0))
}

/// The widest gap (m) under the convex law. Its first step lifts the disc with A = rho omega, which costs a normal impulse M A and slows omega by a
/// share of its own; where A > g h the disc flies on.
fn lift(dt: f64) -> f64 {
    let (gravity, rho) = (9.8, 0.02);
    let lifts = rho * (1.0 - DECELERATION * dt) / (1.0 + DECELERATION * rho / gravity);
    let speeds = (0..).map(|k| lifts - f64::from(k) * gravity * dt);
    dt * speeds.take_while(|speed| *speed > 0.0).sum::<f64>()
}

impl Track {
    fn first(&self) -> usize {
        if self.cone == Cone::Exact { 0 } else { LIFTED }
    }

    /// The mean deceleration over whole steps (m/s^2).
    fn deceleration(&self) -> f64 {
        let (first, last) = (self.first(), whole_steps(self.dt));
        (self.speeds[first] - self.speeds[last]) / ((last - first) as f64 * self.dt)
    }

    /// The farthest that the deceleration of one step is from the closed form (m/s^2).
    fn worst_step(&self) -> f64 {
        let speeds = &self.speeds[self.first()..=whole_steps(self.dt)];
        let off = |pair: &[f64]| ((pair[0] - pair[1]) / self.dt - DECELERATION).abs();
        speeds.windows(2).map(off).fold(0.0, f64::max)
    }

    /// The end of the first step after which the disc rests (s).
    fn stop_time(&self) -> f64 {
        self.speeds.iter().position(|speed| speed.abs() < 1e-12).map_or(f64::NAN, |step| step as f64 * self.dt)
    }

    fn stop_distance(&self) -> f64 {
        self.places.last().copied().unwrap_or(f64::NAN)
    }

    fn points(&self, values: &[f64]) -> Vec<(f64, f64)> {
        values.iter().enumerate().step_by(20).map(|(step, value)| (step as f64 * self.dt, *value)).collect()
    }
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut tracks = Vec::new();
    for (number, dt) in STEPS.into_iter().enumerate() {
        context.check_interrupt()?;
        (context.progress)(number as f64 / STEPS.len() as f64, "disc");
        for (cone, _) in CONES {
            tracks.push(roll(cone, dt)?);
        }
    }
    let mut outcome = Outcome::default();
    for track in &tracks {
        check(&mut outcome, track);
    }
    outcome.checked("troubled_steps", tracks.iter().map(|t| t.troubled as f64).sum(), 0.0, 0.0, "every step is solved");
    outcome.file("steps.csv", table(&tracks));
    outcome.file("motion.csv", motion(&tracks));
    outcome.file("figure.svg", figure(&tracks).to_svg());
    Ok(outcome)
}

fn check(outcome: &mut Outcome, track: &Track) {
    let dt = track.dt;
    let relaxed_gap = lift(dt);
    let exact = track.cone == Cone::Exact;
    let lifted = "h rho omega after the first step, and the flight that follows where rho omega > g h";
    if dt == STEP && exact {
        let closed = "rho M g R/(J + M R^2)";
        outcome.checked("deceleration", track.deceleration(), DECELERATION, 1e-12, closed);
        // Rounding of 2e-16 m/s over h, and the residual.
        outcome.checked("worst_step_off", track.worst_step(), 0.0, 1e-12, closed);
        let stop = 1.0 / DECELERATION;
        outcome.checked("stop_time", track.stop_time(), stop, dt, "1/0.14 s; rest begins with the end of a step");
        outcome.checked("stop_distance", track.stop_distance(), distance(dt), 1e-10, "h (K - 0.07 h K (K + 1))");
        outcome.check(
            "stop_distance (h to 0)",
            track.stop_distance(),
            0.5 * stop,
            0.6 * dt,
            "1/0.28 m, to first order in h",
        );
        outcome.checked("max_gap_exact", track.gap, 0.0, 1e-14, "the exact law opens no gap");
    } else if dt == STEP {
        // The lever is longer by half the gap: 1 + gap/2 times as large, and J + M R^2 grows with it.
        outcome.checked(
            "deceleration_associated",
            track.deceleration(),
            DECELERATION,
            1e-4,
            "the same, to the gap's share",
        );
        outcome.checked("max_gap_associated", track.gap, relaxed_gap, 1e-10, lifted);
        outcome.metric("stop_distance_associated", track.stop_distance());
        outcome.metric("stop_time_associated", track.stop_time());
    } else if exact {
        let name = format!("stop_distance (h = {dt})");
        outcome.check(name, track.stop_distance(), distance(dt), 1e-10, "h (K - 0.07 h K (K + 1))");
    } else {
        outcome.check(format!("max_gap_associated (h = {dt})"), track.gap, relaxed_gap, 1e-10, lifted);
    }
}

fn name(cone: Cone) -> &'static str {
    if cone == Cone::Exact { "exact" } else { "associated" }
}

fn table(tracks: &[Track]) -> String {
    let header = "cone,h,deceleration,worst_step_off,stop_time,stop_distance,closed_form_distance,max_gap\n";
    let row = |t: &Track| {
        let (a, worst, time, way) = (t.deceleration(), t.worst_step(), t.stop_time(), t.stop_distance());
        format!("{},{},{a:.15},{worst:e},{time},{way:.9},{:.9},{:e}\n", name(t.cone), t.dt, distance(t.dt), t.gap)
    };
    tracks.iter().map(row).fold(String::from(header), |text, row| text + &row)
}

fn motion(tracks: &[Track]) -> String {
    let mut text = String::from("cone,h,time,speed,position\n");
    for track in tracks.iter().filter(|track| track.dt == STEP) {
        for (step, (speed, place)) in track.speeds.iter().zip(&track.places).enumerate() {
            text += &format!("{},{},{},{speed},{place}\n", name(track.cone), track.dt, step as f64 * track.dt);
        }
    }
    text
}

/// Figs. 2 and 3, and what the step does.
fn figure(tracks: &[Track]) -> Multiples {
    let plot = |title: &str, x: Axis, y: Axis, series: Vec<Series>| Plot {
        title: title.into(),
        x,
        y,
        x_range: None,
        y_range: None,
        levels: Vec::new(),
        series,
    };
    let time = || Axis::linear("time (s)");
    let closed = |of: fn(f64) -> f64| {
        let at = move |k: u32| (0.05 * f64::from(k), of((0.05 * f64::from(k)).min(1.0 / DECELERATION)));
        Series::marks("closed form", 6, Symbol::Cross, (0..=150).step_by(6).map(at))
    };
    let mut places = vec![closed(|t| t - 0.5 * DECELERATION * t * t)];
    let mut speeds = vec![closed(|t| 1.0 - DECELERATION * t)];
    let (mut ways, mut gaps) = (Vec::new(), Vec::new());
    for (colour, (cone, name)) in CONES.into_iter().enumerate() {
        let own = || tracks.iter().filter(move |track| track.cone == cone);
        for track in own().filter(|track| track.dt == STEP) {
            let line = if colour == 0 { Line::Solid } else { Line::Dashed };
            places.push(Series::line(name, colour, line, track.points(&track.places)));
            speeds.push(Series::line(name, colour, line, track.points(&track.speeds)));
        }
        let symbol = [Symbol::Circle, Symbol::Square][colour];
        ways.push(Series::marks(name, colour, symbol, own().map(|track| (track.dt, track.stop_distance()))));
        gaps.push(Series::marks(name, colour, symbol, own().map(|track| (track.dt, track.gap.max(1e-16)))));
    }
    ways.push(Series::marks("closed form", 6, Symbol::Cross, STEPS.map(|dt| (dt, distance(dt)))));
    gaps.push(Series::marks("closed form", 6, Symbol::Cross, STEPS.map(|dt| (dt, 0.02 * dt))));
    let step = || Axis::log("step (s)");
    let plots = vec![
        plot("Fig. 2", time(), Axis::linear("position (m)"), places),
        plot("Fig. 3", time(), Axis::linear("speed (m/s)"), speeds),
        plot("stop", step(), Axis::linear("stop distance (m)"), ways),
        plot("gap under the disc", step(), Axis::log("widest gap (m)"), gaps),
    ];
    Multiples { title: "A disc rolls to a stop (Tasora and Anitescu 2013, 6.1)".into(), columns: 2, plots }
}

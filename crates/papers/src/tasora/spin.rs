//! `tasora/spin`: a sphere that spins about the normal of the floor stops after t = 2 R^2 w0/(5 sigma g), under both laws of the cone.
//!
//! 24 runs: two steps, three lengths sigma, two speeds w0, two laws. `worst_stop_time_error_steps` is the largest difference, in steps, between
//! that time and the end of the step after which the sphere rests: at most one step under the exact law. The convex law lifts the
//! sphere while it spins and lets it down as it slows, so that it weighs a little less: a share 5/2 (sigma/R)^2 longer.
//!
//! Rolling friction does not resist spin: with rho > 0 and sigma = 0 the speed stays (`spin_left[rho]`).

use glam::DVec3;
use stickslip::cone::Cone;
use stickslip::{Body, World};
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::rig::{self, CONES, Friction};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment =
    Experiment { id: "tasora/spin", title: "A spinning sphere stops as its closed form says", scaled_down: "", run };

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.5;
const STEPS: [f64; 2] = [1e-3, 5e-3];
/// sigma (m).
const LENGTHS: [f64; 3] = [0.01, 0.02, 0.05];
/// w0 (rad/s).
const SPEEDS: [f64; 2] = [2.0, 5.0];

struct Run {
    dt: f64,
    sigma: f64,
    speed: f64,
    cone: Cone,
    stop: f64,
    /// Time and speed, now and then.
    path: Vec<(f64, f64)>,
}

fn stop_time(sigma: f64, speed: f64) -> f64 {
    2.0 * RADIUS * RADIUS * speed / (5.0 * sigma * GRAVITY)
}

fn spinning(friction: Friction, speed: f64, cone: Cone, dt: f64) -> Result<World, Ended> {
    let model = rig::model(friction, 1000.0, DVec3::Z * -GRAVITY, dt, rig::to_rounding(cone, 1e-13));
    let ball = Body { angular_velocity: DVec3::Z * speed, ..rig::sphere(RADIUS, DVec3::Z * RADIUS) };
    rig::world(model, vec![ball, rig::floor()])
}

impl Run {
    fn new(dt: f64, sigma: f64, speed: f64, cone: Cone) -> Result<Run, Ended> {
        let friction = Friction { slide: 0.5, roll: 0.0, spin: sigma };
        let mut world = spinning(friction, speed, cone, dt)?;
        let most = (1.1 * stop_time(sigma, speed) / dt) as u64 + 10;
        let mut run = Run { dt, sigma, speed, cone, stop: f64::NAN, path: vec![(0.0, speed)] };
        for step in 1..=most {
            rig::advance(&mut world, 1)?;
            let now = world.body(0).angular_velocity.z;
            if step.is_multiple_of(most / 40) {
                run.path.push((world.time(), now));
            }
            if now.abs() < 1e-10 {
                run.stop = step as f64 * dt;
                break;
            }
        }
        Ok(run)
    }

    fn off_steps(&self) -> f64 {
        (self.stop - stop_time(self.sigma, self.speed)) / self.dt
    }
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut runs = Vec::new();
    for dt in STEPS {
        for sigma in LENGTHS {
            context.check_interrupt()?;
            (context.progress)(runs.len() as f64 / 24.0, "spins");
            for speed in SPEEDS {
                for (cone, _) in CONES {
                    runs.push(Run::new(dt, sigma, speed, cone)?);
                }
            }
        }
    }
    let mut outcome = Outcome::default();
    outcome.checked("runs", runs.len() as f64, 24.0, 0.0, "2 steps, 3 lengths, 2 speeds, 2 laws");
    let worst = |cone: Option<Cone>| {
        let own = runs.iter().filter(|run| cone.is_none_or(|cone| run.cone == cone));
        // One that never stopped is no number, and fails.
        own.map(|run| run.off_steps().abs()).fold(0.0, |most, off| if off <= most { most } else { off })
    };
    let source = "2 R^2 w0/(5 sigma g): the end of the step in which it stops, and what the convex law's lift adds";
    outcome.metric("worst_stop_time_error_steps", worst(None));
    for (cone, name) in CONES {
        // Up to one step; under the convex law a share of 5/2 (sigma/R)^2 of a step more.
        let most = if cone == Cone::Exact { 1.0 + 1e-9 } else { 1.1 };
        outcome.checked(&format!("worst_stop_time_error_steps[{name}]"), worst(Some(cone)), 0.0, most, source);
        let mut kept = spinning(Friction { slide: 0.5, roll: 0.02, spin: 0.0 }, 5.0, cone, 5e-3)?;
        rig::advance(&mut kept, 200)?;
        let left = kept.body(0).angular_velocity.z;
        outcome.checked(&format!("spin_left[{name}]"), left, 5.0, 1e-12, "rho > 0 and sigma = 0: nothing resists spin");
    }
    outcome.file("runs.csv", table(&runs));
    outcome.file("figure.svg", figure(&runs).to_svg());
    Ok(outcome)
}

fn table(runs: &[Run]) -> String {
    let row = |run: &Run| {
        let cone = if run.cone == Cone::Exact { "exact" } else { "associated" };
        let closed = stop_time(run.sigma, run.speed);
        let (stop, off) = (run.stop, run.off_steps());
        format!("{},{},{},{cone},{stop},{closed},{off}\n", run.dt, run.sigma, run.speed)
    };
    let header = "h,sigma,w0,cone,stop_time,closed_form,error_steps\n";
    runs.iter().map(row).fold(String::from(header), |text, row| text + &row)
}

/// Speeds over time on the left, errors of stop times on the right.
fn figure(runs: &[Run]) -> Multiples {
    let mut left = Vec::new();
    let shown = runs.iter().filter(|run| run.dt == STEPS[0] && run.speed == SPEEDS[1]);
    for run in shown {
        let colour = LENGTHS.iter().position(|sigma| *sigma == run.sigma).unwrap_or(0);
        if run.cone == Cone::Exact {
            let closed = [(0.0, run.speed), (stop_time(run.sigma, run.speed), 0.0)];
            left.push(Series::line("closed form", 6, Line::Solid, closed));
            let name = format!("sigma = {} m, exact", run.sigma);
            left.push(Series::marks(&name, colour, Symbol::Circle, run.path.iter().copied()));
        } else {
            let name = format!("sigma = {} m, associated", run.sigma);
            left.push(Series::marks(&name, colour, Symbol::Cross, run.path.iter().copied()));
        }
    }
    let errors = |cone, name: &str, symbol, colour| {
        let own = runs.iter().filter(move |run| run.cone == cone);
        Series::marks(name, colour, symbol, own.map(|run| (stop_time(run.sigma, run.speed), run.off_steps())))
    };
    let right = vec![
        errors(Cone::Exact, "stop, exact", Symbol::Circle, 3),
        errors(Cone::Associated, "stop, associated", Symbol::Cross, 4),
    ];
    let plot = |title: &str, x: &str, y: &str, y_range, levels, series| Plot {
        title: title.into(),
        x: Axis::linear(x),
        y: Axis::linear(y),
        x_range: None,
        y_range,
        levels,
        series,
    };
    let levels = vec![(0.0, String::new()), (1.0, "one step".to_owned())];
    let plots = vec![
        plot("h = 1 ms", "time (s)", "angular velocity (rad/s)", None, Vec::new(), left),
        plot("all runs", "stop time (s)", "late by (steps)", Some((-0.5, 1.5)), levels, right),
    ];
    Multiples { title: "A sphere spins to a stop".into(), columns: 2, plots }
}

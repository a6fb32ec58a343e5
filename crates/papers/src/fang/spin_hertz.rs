//! `fang/spin-hertz`, section 4.4 (Table 5 and the figures after it): spheres of steel and glass spin to a stop on a rigid
//! plane, with the curvature of the contact area: Kc = 1/a, eta_psi = 1/2, a = (3 N R/(4 E_eff))^(1/3), E_eff = E/(1 - nu^2).
//!
//! K_psi = a^2 K_E/2; kinetic torque a mu_k N/2, whatever K_E is. The normal force comes from `hertz` at the overlap a^2/R.
//! `slip_time` is the first step in slip, `stop_time` the first with omega < 0, `slope` the rate at which omega falls in slip.

use glam::DVec3;
use stickslip::law::{Hertz, Normal};
use stickslip::math;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::friction::{Friction, Twist};
use super::rig::{self, Rig, Turns};
use super::track::{COLUMNS, Sample, Track, Which, over_time};
use super::{KINETIC, STEP};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "fang/spin-hertz",
    title: "Spheres of steel and glass spin to a stop, the contact area by Hertz (section 4.4)",
    scaled_down: "",
    run,
};

const TIME: f64 = 6.0;

/// A sphere of Table 5.
struct Ball {
    radius: f64,
    density: f64,
    young: f64,
    poisson: f64,
    /// What omega falls by in a second (rad/s), printed to four digits.
    slope: f64,
    /// For each K_E: slip onset (s), omega first negative (s), least omega (rad/s).
    expected: [(f64, f64, f64); 4],
}

const STIFFNESSES: [(&str, f64); 4] = [("5e5", 5e5), ("1e6", 1e6), ("5e6", 5e6), ("1e7", 1e7)];

/// Table 5; the expected numbers are of an independent computation by the authors' law.
const BALLS: [Ball; 3] = [
    Ball {
        radius: 0.02,
        density: 8e3,
        young: 2e11,
        poisson: 0.3,
        slope: 0.3454,
        expected: [
            (0.0261, 2.325, -0.0295),
            (0.0126, 2.491, -0.0209),
            (0.0025, 2.713, -0.0093),
            (0.0012, 2.776, -0.0066),
        ],
    },
    Ball {
        radius: 0.04,
        density: 8e3,
        young: 2e11,
        poisson: 0.3,
        slope: 0.2176,
        expected: [
            (0.0875, 3.323, -0.0417),
            (0.0414, 3.690, -0.0295),
            (0.0078, 4.189, -0.0132),
            (0.0039, 4.307, -0.0093),
        ],
    },
    Ball {
        radius: 0.02,
        density: 2.5e3,
        young: 5e10,
        poisson: 0.2,
        slope: 0.3788,
        expected: [
            (0.0071, 2.348, -0.0165),
            (0.0035, 2.436, -0.0117),
            (0.0007, 2.557, -0.0052),
            (0.0004, 2.581, -0.0037),
        ],
    },
];

impl Ball {
    fn modulus(&self) -> f64 {
        self.young / (1.0 - self.poisson * self.poisson)
    }

    fn rig(&self) -> Rig {
        let mass = self.density * 4.0 / 3.0 * std::f64::consts::PI * self.radius * self.radius * self.radius;
        let inertia = 0.4 * mass * self.radius * self.radius;
        Rig { turning: DVec3::Z, ..Rig::on_slope(mass, self.radius, inertia, 0.0, Turns::Freely) }
    }

    /// Radius of the contact area (m).
    fn area_radius(&self) -> f64 {
        math::cbrt(0.75 * self.rig().normal * self.radius / self.modulus())
    }

    fn track(&self, context: &Context, stiffness: f64) -> Result<Track, Ended> {
        let area = self.area_radius();
        let normal = Normal::Hertz(Hertz {
            stiffness: 4.0 / 3.0 * self.modulus(),
            damping: 0.0,
            damping_ratio: 0.0,
            cohesionless: true,
        });
        let friction = Friction { stiffness, spin: Some(Twist::Hertz), ..Friction::slide() };
        let world = self.rig().world_pressed_by(friction.laws_with(normal), area * area / self.radius)?;
        rig::track(context, world, TIME)
    }
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    let (mut table, mut tracks) = (String::from(COLUMNS), Vec::new());
    for (number, ball) in BALLS.iter().enumerate() {
        for (k, (name, stiffness)) in STIFFNESSES.into_iter().enumerate() {
            (context.progress)((4 * number + k) as f64 / 12.0, "spinning spheres");
            let track = ball.track(context, stiffness)?;
            let key = format!("{},{name}", number + 1);
            one(&mut outcome, &key, &track, ball.expected[k]);
            table += &track.rows(&key.replace(',', " "), 100);
            tracks.push((number, k, track));
        }
        slope(&mut outcome, ball, number, &tracks);
    }
    outcome.file("spin-hertz.csv", table);
    outcome.file("figure.svg", figure(&tracks).to_svg());
    Ok(outcome)
}

fn one(outcome: &mut Outcome, key: &str, track: &Track, (slip, stop, least): (f64, f64, f64)) {
    let source = "independent computation by the authors' law, to a step";
    outcome.checked(&format!("slip_time[{key}]"), track.switch(Which::Spin, 0), slip, 1.001 * STEP, source);
    let source = "the same; half a printed digit and a step";
    outcome.checked(&format!("stop_time[{key}]"), track.when(|s| s.spinning < 0.0), stop, 5e-4 + STEP, source);
    outcome.checked(&format!("min_omega[{key}]"), track.least(|s| s.spinning), least, 5e-5, "the same, half a digit");
}

/// The slope of every K_E of a test, from 0.5 s to 1.5 s, all in slip.
fn slope(outcome: &mut Outcome, ball: &Ball, number: usize, tracks: &[(usize, usize, Track)]) {
    let of = |track: &Track| {
        let at = |time: f64| track.samples[(time / STEP).round() as usize].spinning;
        at(0.5) - at(1.5)
    };
    let slopes: Vec<f64> = tracks.iter().filter(|(test, ..)| *test == number).map(|(_, _, track)| of(track)).collect();
    let rig = ball.rig();
    let theory = 0.5 * ball.area_radius() * KINETIC * rig.normal / rig.inertia;
    let name = format!("slope[{}]", number + 1);
    outcome.checked(
        &name,
        slopes[0],
        theory,
        1e-6 * theory,
        "a mu_k N/(2 I) in closed form; N from hertz, whose overlap is rounded",
    );
    // A unit of the last digit: 0.378749 stands there as 0.3788.
    outcome.check(format!("{name} (printed)"), slopes[0], ball.slope, 1e-4, "the same, to four digits");
    let spread = slopes.iter().fold(0.0_f64, |most, slope| most.max((slope - slopes[0]).abs()));
    let source = "section 4.4: the same slope for every K_E";
    outcome.checked(&format!("slope_spread[{}]", number + 1), spread, 0.0, 1e-6 * theory, source);
}

/// Angular velocity above, the spinning torque below, one column a test.
fn figure(tracks: &[(usize, usize, Track)]) -> Multiples {
    let titles = ["test 1: steel, R = 20 mm", "test 2: steel, R = 40 mm", "test 3: glass, R = 20 mm"];
    let panel = |test: usize, y: &str, torque: bool| {
        let mut series = Vec::new();
        let limit = 0.5e6 * BALLS[test].area_radius() * KINETIC * BALLS[test].rig().normal;
        for (_, k, track) in tracks.iter().filter(|(number, ..)| *number == test) {
            let name = format!("K_E = {} N/m", STIFFNESSES[*k].0);
            let of = |s: &Sample| if torque { 1e6 * s.spin_torque } else { s.spinning };
            series.push(Series::line(&name, *k, Line::Solid, track.envelope(200, (0.0, 5.0), of)));
        }
        if !torque {
            let stops = tracks.iter().filter(|(number, ..)| *number == test);
            let marks = stops.map(|(_, k, _)| (BALLS[test].expected[*k].1, 0.0));
            series.push(Series::marks("reference: omega = 0", 6, Symbol::Cross, marks));
        }
        // The dashpot's first kick is many times the limit; shown is what the spring carries.
        let y_range = torque.then_some((-2.0 * limit, 0.5 * limit));
        Plot { y_range, ..over_time(titles[test], y, series, (0.0, 5.0)) }
    };
    let above = (0..3).map(|test| panel(test, "omega (rad/s)", false));
    let below = (0..3).map(|test| panel(test, "torque (uN m)", true));
    let title = "Spinning spheres, contact area by Hertz (Fang and Negrut 2020, section 4.4)".to_owned();
    Multiples { title, columns: 3, plots: above.chain(below).collect() }
}

//! `fang/spin`, section 4.4 (Figs. 11 and 12): a sphere spins in place to a stop, with a curvature and eta_psi that are chosen.
//!
//! K_psi = eta_psi K_E/Kc^2, cap Kc mu N/K_E, Kc = 5 1/m: kinetic torque eta_psi mu_k N/Kc, so that w = w0 - t T/I until the
//! spring sticks and swings back. D_psi = 2 sqrt(I K_psi) as the paper says; the authors' script has twice that here, which is
//! done too (`_4_sqrt`). `stop_time` is the first step with omega < 0, `angle` the turn at 8 s.

use glam::DVec3;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::friction::{Friction, Twist};
use super::incline::{INERTIA, MASS, RADIUS};
use super::rig::{Rig, Turns};
use super::track::{COLUMNS, Track, Which, over_time};
use super::{GRAVITY, KINETIC, STEP};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "fang/spin",
    title: "A sphere spins to a stop, four spinning coefficients (section 4.4, heuristic curvature)",
    scaled_down: "",
    run,
};

/// 1/m.
pub const CURVATURE: f64 = 5.0;
const TIME: f64 = 8.0;
/// eta_psi; then omega first negative (s), least omega (rad/s) and total angle (rad) of the authors' law with critical damping.
const EXPECTED: [(&str, f64, f64, f64, f64); 4] = [
    ("0.012", 0.012, 3.303, -4.42e-3, 1.603),
    ("0.010", 0.010, 3.974, -4.03e-3, 1.934),
    ("0.008", 0.008, 4.981, -3.61e-3, 2.431),
    ("0.006", 0.006, 6.663, -3.12e-3, 3.262),
];

/// A sphere that spins at 1 rad/s.
pub fn rig() -> Rig {
    Rig { turning: DVec3::Z, ..Rig::on_slope(MASS, RADIUS, INERTIA, 0.0, Turns::Freely) }
}

/// With this eta_psi.
pub fn friction(eta: f64) -> Friction {
    Friction { spin: Some(Twist::Heuristic(eta, CURVATURE)), ..Friction::slide() }
}

/// Kinetic torque (N m).
pub fn kinetic_torque(eta: f64) -> f64 {
    eta * KINETIC * MASS * GRAVITY / CURVATURE
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    let (mut table, mut tracks) = (String::from(COLUMNS), Vec::new());
    for (number, (name, eta, stop, least, angle)) in EXPECTED.into_iter().enumerate() {
        (context.progress)(number as f64 / 4.0, "spinning spheres");
        let track = rig().track(context, friction(eta).laws(), TIME)?;
        let source =
            "independent computation by the authors' law, D_psi = 2 sqrt(I K_psi); half a printed digit and a step";
        outcome.checked(&format!("stop_time[{name}]"), track.when(|s| s.spinning < 0.0), stop, 5e-4 + STEP, source);
        outcome.checked(
            &format!("min_omega[{name}]"),
            track.least(|s| s.spinning),
            least,
            5e-6,
            "the same, half a digit",
        );
        outcome.checked(&format!("angle[{name}]"), track.last().spun, angle, 5e-4, "the same, half a digit");
        let slipping = track.between(1.0, 1.1).map(|s| s.spin_torque.abs()).fold(0.0, f64::max);
        let source = "mu_k N eta_psi/Kc in closed form";
        outcome.checked(&format!("kinetic_torque[{name}]"), slipping, kinetic_torque(eta), 1e-12, source);
        outcome.metric(format!("slip_time[{name}]"), track.switch(Which::Spin, 0));
        outcome.metric(format!("omega_at_end[{name}]"), track.last().spinning.abs());
        if name == "0.006" {
            outcome.check("kinetic_torque[0.006] (printed)", slipping, 0.0118, 5e-5, "section 4.4, printed 0.0118 N m");
        }
        table += &track.rows(name, 100);
        tracks.push((name, eta, track));
    }
    // The authors' script.
    for (name, eta, stop) in [("0.012", 0.012, 3.207), ("0.006", 0.006, 6.525)] {
        let track = rig().track(context, Friction { slide_damping: 2.0, ..friction(eta) }.laws(), TIME)?;
        let source =
            "independent computation with the script's D_psi = 4 sqrt(I K_psi); half a printed digit and a step";
        let name = format!("stop_time_4_sqrt[{name}]");
        outcome.checked(&name, track.when(|s| s.spinning < 0.0), stop, 5e-4 + STEP, source);
    }
    outcome.file("spin.csv", table);
    outcome.file("figure.svg", figure(&tracks).to_svg());
    Ok(outcome)
}

/// Fig. 12: angular velocity with its overshoot, and the frame at the end.
fn figure(tracks: &[(&str, f64, Track)]) -> Multiples {
    let curves = |range: (f64, f64), y_range: Option<(f64, f64)>, title: &str| {
        let mut series = Vec::new();
        for (colour, (name, eta, track)) in tracks.iter().enumerate() {
            let points = track.envelope(400, range, |s| s.spinning);
            series.push(Series::line(&format!("eta_psi = {name}"), colour, Line::Solid, points));
            series.push(Series::marks("reference: omega = 0", 6, Symbol::Cross, [(EXPECTED[colour].2, 0.0)]));
            let slope = kinetic_torque(*eta) / INERTIA;
            let rigid = [(0.0, 1.0), (1.0 / slope, 0.0)];
            series.push(Series::line("rigid theory", 6, Line::Dashed, rigid));
        }
        Plot { y_range, ..over_time(title, "omega (rad/s)", series, range) }
    };
    let plots =
        vec![curves((0.0, TIME), None, ""), curves((3.0, 7.5), Some((-0.006, 0.012)), "the overshoot"), frames(tracks)];
    Multiples { title: "A spinning sphere (Fang and Negrut 2020, Fig. 12)".into(), columns: 3, plots }
}

/// The axes u and w of the contact frame at the end: tied to the sphere, as the paper has them, they turn with it.
fn frames(tracks: &[(&str, f64, Track)]) -> Plot {
    let axes = |angle: f64| {
        let (sine, cosine) = (stickslip::math::sin(angle), stickslip::math::cos(angle));
        vec![(cosine, sine), (0.0, 0.0), (-sine, cosine)]
    };
    let mut series = vec![Series::line("frame at the start", 6, Line::Solid, axes(0.0))];
    for (colour, (_, _, track)) in tracks.iter().enumerate() {
        series.push(Series::line("", colour, Line::Solid, axes(track.last().spun)));
    }
    Plot {
        title: "contact frame (u, w) at 8 s".into(),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        x_range: Some((-1.2, 1.2)),
        y_range: Some((-1.05, 1.05)),
        levels: Vec::new(),
        series,
    }
}

//! `kuhn/cylinders`, Fig. 4: two cylinders, pressed together, roll at a constant creepage xi; Dahlberg and Alfredsson's transient (eq. 11) with
//! Carter's creepage.
//!
//!   dQ = k [xi - F(Q/(mu P))] dL,    F(q) = (mu a/R_e) (1 - sqrt(1 - q)),    P = pi E* a^2/(4 R_e) per length
//!
//! With q = Q/(mu P), l = L/a and x = xi R_e/a this is dq/dl = (4/pi) (k/E*) (x/mu - 1 + sqrt(1 - q)): nothing else enters. `steady[mu,x]`: q after
//! long rolling, 1 - (1 - x/mu)^2 or 1. `rolled_95[mu,x,k/E*]`: L/a at 95 % of it. The paper does not say k: three values, of which k = pi E*
//! lies nearest to its figure; k sets the scale of lengths and no steady value. E* is that of both cylinders together.

use std::f64::consts::PI;

use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series};

use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "kuhn/cylinders",
    title: "Two cylinders that roll at constant creepage, by Carter's function (Fig. 4)",
    scaled_down: "",
    run,
};

/// mu, and xi in units of a/R_e.
const CASES: [(f64, f64); 4] = [(0.1, 0.25), (0.1, 0.5), (0.5, 0.25), (0.5, 0.5)];
/// k/E*, and its name.
const STIFFNESSES: [(f64, &str); 3] = [(0.5 * PI, "pi/2"), (PI, "pi"), (2.0 * PI, "2pi")];

/// Carter's creepage over a/R_e at q = Q/(mu P).
pub fn carter(mu: f64, q: f64) -> f64 {
    mu * (1.0 - (1.0 - q).max(0.0).sqrt())
}

/// q after long rolling at the creepage x a/R_e.
pub fn steady(mu: f64, x: f64) -> f64 {
    let left = (1.0 - x / mu).max(0.0);
    1.0 - left * left
}

/// l = L/a and q along a rolled length of `end` a, in steps of the classical Runge-Kutta method.
fn transient(mu: f64, x: f64, k: f64, end: f64, steps: u32) -> Vec<(f64, f64)> {
    let h = end / f64::from(steps);
    let rate = |q: f64| if q < 1.0 { 4.0 / PI * k / mu * (x - carter(mu, q)) } else { (x - mu).min(0.0) };
    let mut q = 0.0_f64;
    let mut rows = vec![(0.0, 0.0)];
    for step in 1..=steps {
        let k1 = rate(q);
        let k2 = rate((q + 0.5 * h * k1).min(1.0));
        let k3 = rate((q + 0.5 * h * k2).min(1.0));
        let k4 = rate((q + h * k3).min(1.0));
        q = (q + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)).min(1.0);
        rows.push((h * f64::from(step), q));
    }
    rows
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    let mut table = String::from("mu,xi,k,L_over_a,Q_over_mu_P\n");
    let mut curves = Vec::new();
    for (mu, x) in CASES {
        (context.progress)(0.0, "rolling cylinders");
        let expected = steady(mu, x);
        for (k, name) in STIFFNESSES {
            let long = transient(mu, x, k, 60.0, 60_000);
            let found = long.last().map_or(f64::NAN, |row| row.1);
            if name == "pi" {
                outcome.checked(&format!("steady[{mu},{x}]"), found, expected, 1e-9, "Carter, in closed form");
            }
            let at = long.iter().find(|row| row.1 >= 0.95 * expected).map_or(f64::NAN, |row| row.0);
            outcome.metric(format!("rolled_95[{mu},{x},{name}]"), at);
            let rows = transient(mu, x, k, 5.0, 5000);
            table.extend(rows.iter().step_by(25).map(|(l, q)| format!("{mu},{x},{name},{l},{q}\n")));
            curves.push((mu, x, name, rows));
        }
    }
    // The specification's two figures of the trend.
    let rolled = |outcome: &Outcome, name: &str| match outcome.metrics.get(name) {
        Some(crate::experiment::Metric::Number(value)) => *value,
        _ => f64::NAN,
    };
    let slow = rolled(&outcome, "rolled_95[0.5,0.25,pi]");
    outcome.check("rolled_95[0.5,0.25,pi]", slow, 0.89, 5e-3, "specification: 0.89 a");
    let fast = rolled(&outcome, "rolled_95[0.1,0.25,pi]").max(rolled(&outcome, "rolled_95[0.1,0.5,pi]"));
    outcome.check("rolled_95[0.1]", fast, 0.055, 0.055, "specification: at most 0.11 a");
    outcome.file("cylinders.csv", table);
    outcome.file("figure.svg", figure(&curves).to_svg());
    Ok(outcome)
}

type Curve = (f64, f64, &'static str, Vec<(f64, f64)>);

fn figure(curves: &[Curve]) -> Multiples {
    let axis = Axis::linear;
    let plot = |(_, name): (f64, &str)| {
        let of = curves.iter().filter(|curve| curve.2 == name).enumerate();
        let series = of.map(|(colour, (mu, x, _, rows))| {
            Series::line(&format!("mu = {mu}, xi = {x} a/R_e"), colour, Line::Solid, rows.iter().copied().step_by(25))
        });
        Plot {
            title: format!("k = {name} E*"),
            x: axis("rolled length/a"),
            y: axis("Q/(mu P)"),
            x_range: Some((0.0, 5.0)),
            y_range: Some((0.0, 1.05)),
            levels: Vec::new(),
            series: series.collect(),
        }
    };
    let title = "Two cylinders that roll at constant creepage (Kuhn 2014, Fig. 4)".to_owned();
    Multiples { title, columns: 3, plots: STIFFNESSES.into_iter().map(plot).collect() }
}

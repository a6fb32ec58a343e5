//! `santos/constraints`, section III A: how many contacts a grain needs when forces and torques just balance.
//!
//! A contact gives `N_c = 1 + 2 [slide] + 2 [roll] + 1 [spin]` constraints in 3D and `1 + [slide] + [roll]` in 2D; a grain has
//! N_eq = 6 (3D) or 3 (2D) equations with friction and 3 or 2 without; each contact belongs to two grains, so
//!
//!   Z = 2 N_eq/N_c                                                                            (eq. 4c, Table I)
//!
//! The paper's estimate between these limits is
//!
//!   Z = 6 - tanh(mu_s/0.3) [2 + 2 tanh(mu_r/0.3) + tanh(mu_t/0.3)]                              (eq. 5)
//!
//! "its limits of Z are those predicted by constraint counting", the paper says. They are not: for large coefficients it
//! goes to 4, 3 (with spin), 2 (with roll; Table I has 12/5) and 1 (all; Table I has 2, the packings 2.5). It is taken as
//! a formula here, with its limits beside the table's.

use stickslip::math;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "santos/constraints",
    title: "Constraint counting: Table I, and eq. (5) beside it",
    scaled_down: "",
    run,
};

/// Which motions friction resists: slide, roll, spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resisted(pub [bool; 3]);

impl Resisted {
    /// `none`, `slide`, `slide,roll` and so on.
    pub fn name(self) -> String {
        let names: Vec<&str> =
            ["slide", "roll", "spin"].into_iter().zip(self.0).filter(|(_, on)| *on).map(|(name, _)| name).collect();
        if names.is_empty() { "none".into() } else { names.join(",") }
    }

    fn any(self) -> bool {
        self.0 != [false; 3]
    }

    /// Constraints per contact in 3D.
    pub fn constraints(self) -> u32 {
        1 + [2, 2, 1].into_iter().zip(self.0).filter(|(_, on)| *on).map(|(count, _)| count).sum::<u32>()
    }

    /// Contacts per grain in 3D at which equations and constraints balance.
    pub fn coordination(self) -> f64 {
        2.0 * if self.any() { 6.0 } else { 3.0 } / f64::from(self.constraints())
    }

    /// Constraints per contact in 2D, where nothing spins.
    pub fn constraints_2d(self) -> Option<u32> {
        (!self.0[2]).then(|| 1 + u32::from(self.0[0]) + u32::from(self.0[1]))
    }

    /// Contacts per grain in 2D.
    pub fn coordination_2d(self) -> Option<f64> {
        self.constraints_2d().map(|constraints| 2.0 * if self.any() { 3.0 } else { 2.0 } / f64::from(constraints))
    }
}

/// A row of Table I as printed: slide, roll, spin; N_c and Z in 3D; N_c and Z in 2D.
type Row = ([bool; 3], (u32, f64), Option<(u32, f64)>);

/// Table I.
pub const TABLE_1: [Row; 8] = [
    ([false, false, false], (1, 6.0), Some((1, 4.0))),
    ([true, false, false], (3, 4.0), Some((2, 3.0))),
    ([false, true, false], (3, 4.0), Some((2, 3.0))),
    ([false, false, true], (2, 6.0), None),
    ([true, true, false], (5, 12.0 / 5.0), Some((3, 2.0))),
    ([true, false, true], (4, 3.0), None),
    ([false, true, true], (4, 3.0), None),
    ([true, true, true], (6, 2.0), None),
];

/// The coefficient at which Z is half way between its limits, for each motion (below eq. 5).
const HALF_WAY: f64 = 0.3;

/// Eq. (5).
pub fn estimate([slide, roll, spin]: [f64; 3]) -> f64 {
    6.0 - tanh(slide / HALF_WAY) * (2.0 + 2.0 * tanh(roll / HALF_WAY) + tanh(spin / HALF_WAY))
}

fn tanh(x: f64) -> f64 {
    // exp(-2x) underflows to 0 for large x, where exp(2x) would overflow.
    let small = math::exp(-2.0 * x);
    (1.0 - small) / (1.0 + small)
}

/// Z in the packings of the paper for large coefficients, with its uncertainty (section III B).
pub const PACKINGS: [([bool; 3], f64, f64); 5] = [
    ([false, false, false], 6.0, 0.0),
    ([true, false, false], 4.0, 0.0),
    ([true, false, true], 3.291, 0.009),
    ([true, true, false], 2.85, 0.05),
    ([true, true, true], 2.50, 0.05),
];

/// Limits of eq. (5): no friction, slide, slide and roll, slide and spin, all.
const LIMITS: [([bool; 3], f64); 5] = [
    ([false, false, false], 6.0),
    ([true, false, false], 4.0),
    ([true, true, false], 2.0),
    ([true, false, true], 3.0),
    ([true, true, true], 1.0),
];

/// Points at which eq. (5) is given: those of `santos/friction`.
const POINTS: [([f64; 3], f64); 7] = [
    ([0.0, 0.0, 0.0], 6.0),
    ([0.3, 0.0, 0.0], 4.477),
    ([1.0, 0.0, 0.0], 4.005),
    ([0.3, 0.3, 0.0], 3.317),
    ([0.3, 0.0, 0.3], 3.897),
    ([0.3, 0.3, 0.3], 2.737),
    ([1.0, 1.0, 1.0], 1.02),
];

/// Any number so large that tanh is 1.
const LARGE: f64 = 1e6;

fn run(_: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    for (resisted, in_3d, in_2d) in TABLE_1 {
        let resisted = Resisted(resisted);
        let name = resisted.name();
        let constraints = f64::from(resisted.constraints());
        outcome.checked(&format!("Nc3[{name}]"), constraints, f64::from(in_3d.0), 0.0, "Table I, 3D");
        outcome.checked(&format!("Z3[{name}]"), resisted.coordination(), in_3d.1, 1e-15, "Table I, 3D");
        if let (Some(printed), Some(constraints), Some(z)) =
            (in_2d, resisted.constraints_2d(), resisted.coordination_2d())
        {
            outcome.checked(&format!("Nc2[{name}]"), f64::from(constraints), f64::from(printed.0), 0.0, "Table I, 2D");
            outcome.checked(&format!("Z2[{name}]"), z, printed.1, 1e-15, "Table I, 2D");
        }
    }
    for (mu, expected) in POINTS {
        let tolerance = if mu == [1.0; 3] { 0.005 } else { 0.0005 };
        let name = format!("eq5[{},{},{}]", mu[0], mu[1], mu[2]);
        outcome.checked(&name, estimate(mu), expected, tolerance, "eq. (5), worked out apart");
    }
    let mut differing = 0.0;
    for (on, limit) in LIMITS {
        let resisted = Resisted(on);
        let found = estimate(on.map(|on| if on { LARGE } else { 0.0 }));
        let name = resisted.name();
        outcome.checked(&format!("eq5_limit[{name}]"), found, limit, 1e-12, "eq. (5) with every tanh at 0 or 1");
        let off = found - resisted.coordination();
        outcome.metric(format!("eq5_limit_minus_Z3[{name}]"), off);
        differing += f64::from(off.abs() > 1e-12);
    }
    let source = "eq. (5) against Table I: they differ for slide,roll and for all three";
    outcome.checked("eq5_limits_off_table_1", differing, 2.0, 0.0, source);
    outcome.file("table1.csv", table());
    outcome.file("eq5.csv", curves_table());
    outcome.file("figure.svg", figure().to_svg());
    Ok(outcome)
}

/// Table I with the limits of eq. (5) and of the paper's packings beside it.
fn table() -> String {
    let mut text = String::from("slide,roll,spin,Nc3,Z3,Nc2,Z2,eq5_limit,Z_packings,Z_packings_error\n");
    for (on, ..) in TABLE_1 {
        let resisted = Resisted(on);
        let yes = on.map(|on| if on { "y" } else { "n" }).join(",");
        let or_empty = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let limit = LIMITS.iter().any(|(of, _)| *of == on);
        let limit = limit.then(|| estimate(on.map(|on| if on { LARGE } else { 0.0 })));
        let packing = PACKINGS.iter().find(|(of, ..)| *of == on);
        text += &format!(
            "{yes},{},{},{},{},{},{},{}\n",
            resisted.constraints(),
            resisted.coordination(),
            or_empty(resisted.constraints_2d().map(f64::from)),
            or_empty(resisted.coordination_2d()),
            or_empty(limit),
            or_empty(packing.map(|p| p.1)),
            or_empty(packing.map(|p| p.2)),
        );
    }
    text
}

/// A panel of the paper's Fig. 3: what varies along the axis, and the state at a value of it and of mu_s.
pub type Panel = (&'static str, fn(f64, f64) -> [f64; 3]);

/// The panels.
pub const PANELS: [Panel; 4] = [
    ("mu_s", |mu, _| [mu, 0.0, 0.0]),
    ("mu_t (mu_r = 0)", |mu, slide| [slide, 0.0, mu]),
    ("mu_r (mu_t = 0)", |mu, slide| [slide, mu, 0.0]),
    ("mu_r = mu_t", |mu, slide| [slide, mu, mu]),
];

/// The paper's values of mu_s in the last three panels, and the colour of each.
pub const SLIDES: [(f64, usize); 4] = [(0.01, 3), (0.1, 2), (0.3, 4), (1.0, 6)];

/// Colour of the first panel.
pub const ALONE: usize = 0;

/// From 1e-3 to 100, 20 values a decade.
fn coefficients() -> impl Iterator<Item = f64> {
    (0..=100).map(|k| math::pow(10.0, -3.0 + f64::from(k) * 0.05))
}

fn curves_table() -> String {
    let mut text = String::from("mu_s,mu_r,mu_t,Z\n");
    for (panel, (_, state)) in PANELS.iter().enumerate() {
        let slides = if panel == 0 { &SLIDES[..1] } else { &SLIDES[..] };
        for &(slide, _) in slides {
            for mu in coefficients() {
                let at = state(mu, slide);
                text += &format!("{:.6},{:.6},{:.6},{:.6}\n", at[0], at[1], at[2], estimate(at));
            }
        }
    }
    text
}

/// The curves of eq. (5) in one panel of Fig. 3.
pub fn estimate_curves(panel: usize) -> Vec<Series> {
    let state = PANELS[panel].1;
    let curve = |slide: f64| coefficients().map(move |mu| (mu, estimate(state(mu, slide))));
    if panel == 0 {
        return vec![Series::line("eq. (5)", ALONE, Line::Solid, curve(0.0))];
    }
    let named = |(slide, colour): (f64, usize)| {
        Series::line(&format!("eq. (5), mu_s = {slide}"), colour, Line::Solid, curve(slide))
    };
    SLIDES.map(named).to_vec()
}

/// Table I's values that belong in a panel.
pub fn levels(panel: usize) -> Vec<(f64, String)> {
    let rows: &[[bool; 3]] = match panel {
        0 => &[[false; 3], [true, false, false]],
        1 => &[[false; 3], [true, false, false], [true, false, true]],
        2 => &[[false; 3], [true, false, false], [true, true, false]],
        _ => &[[false; 3], [true, false, false], [true; 3]],
    };
    rows.iter().map(|&on| (Resisted(on).coordination(), format!("Table I: {}", Resisted(on).name()))).collect()
}

/// What the paper measured at the right end of a panel.
pub fn measured_limits(panel: usize) -> Series {
    let on = [[true, false, false], [true, false, true], [true, true, false], [true; 3]][panel];
    let found = PACKINGS.iter().filter(|(of, ..)| *of == on);
    let points = found.map(|&(_, y, error)| stickslip_io::results::multiples::Point { x: 100.0, y, error }).collect();
    Series { points, ..Series::marks("the paper's packings, limit", 1, Symbol::Diamond, []) }
}

fn figure() -> Multiples {
    let plot = |panel: usize| {
        let mut series = estimate_curves(panel);
        series.push(measured_limits(panel));
        Plot {
            title: String::new(),
            x: Axis::log(PANELS[panel].0),
            y: Axis::linear("Z"),
            x_range: Some((1e-3, 140.0)),
            y_range: Some((0.8, 6.4)),
            levels: levels(panel),
            series,
        }
    };
    let title = "Eq. (5) and constraint counting (Santos et al. 2020, section III A)".to_owned();
    Multiples { title, columns: 4, plots: (0..PANELS.len()).map(plot).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rattlers are told by the engine's count.
    #[test]
    fn the_engine_counts_as_table_1_does() {
        assert!(
            TABLE_1.iter().all(|&(on, ..)| stickslip::measure::packing::isostatic(on) == Resisted(on).coordination())
        );
    }

    #[test]
    fn tanh_has_its_values() {
        // Abramowitz and Stegun, table 4.15.
        for (x, value) in [(0.0, 0.0), (0.5, 0.462_117_157), (1.0, 0.761_594_156), (3.0, 0.995_054_754), (1e9, 1.0)] {
            assert!((tanh(x) - value).abs() < 1e-9);
        }
    }
}

//! `kuhn/pair`, Fig. 5: two spheres of quartz, pressed together, slide and roll at a constant inverse creepage 1/xi = |roll|/|slide|.
//!
//! Under `creep` the force T tends to mu P where 1/xi < 1/F_max, and to T_ss = mu P [1 - (1 - xi/F_max)^3] beyond. `T_ss[1/xi]`: T/(mu P) after
//! long rolling. `roll_over_a_95[1/xi]`: rolled length at 95 % of it, in contact radii. `series_error[steps]`: the largest distance from the
//! closed form of Fig. 5, which halves with the step (explicit creepage is first order). A second set of curves has `vu-quoc-zhang` with its
//! rolling correction. `T_ss[1/xi,nu=0.34]`: the same spheres with another Poisson's ratio, `[1/xi,mu=0.3]` with less friction.

use stickslip::law::{Creep, Mindlin, Slide, VuQuocZhang};
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series};

use super::contact::{Leg, OVERLAP, drive, elastic, friction, patch, pressed};
use super::reference;
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "kuhn/pair",
    title: "Two spheres that slide and roll at constant creepage (Fig. 5)",
    scaled_down: "",
    run,
};

/// Indentation of each sphere (m).
const ZETA: f64 = 0.5 * OVERLAP;
const MU: f64 = 0.5;
const POISSON: f64 = 0.15;
const INVERSE: [f64; 8] = [0.0, 1.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0];

/// T_ss/(mu P) and roll/a at 95 % of T_ss of the specification, by 1/xi.
const EXPECTED: [(f64, f64, f64); 8] = [
    (0.0, 1.0, 0.0),
    (1.0, 1.0, 0.0094),
    (10.0, 1.0, 0.0973),
    (30.0, 1.0, 0.3150),
    (100.0, 0.99287, 1.568),
    (300.0, 0.60965, 3.876),
    (1000.0, 0.22321, 4.842),
    (3000.0, 0.07860, 5.124),
];

/// Material, friction and law of a pair.
#[derive(Clone, Copy)]
struct Pair {
    poisson: f64,
    mu: f64,
    vu_quoc_zhang: bool,
}

const PAIR: Pair = Pair { poisson: POISSON, mu: MU, vu_quoc_zhang: false };

impl Pair {
    fn law(&self) -> Slide {
        let elastic = elastic(self.poisson);
        if self.vu_quoc_zhang {
            return Slide::VuQuocZhang(VuQuocZhang { rolling_correction: true, ..VuQuocZhang::new(elastic, self.mu) });
        }
        Slide::Creep(Creep(Mindlin::new(elastic, self.mu)))
    }

    /// u/zeta, roll/a and T/(mu P) along a slide by `slid` zeta in so many steps.
    fn slide(&self, inverse: f64, slid: f64, steps: u32) -> Vec<[f64; 3]> {
        let press = Leg::slide(OVERLAP, 0.0, 1);
        let slide = Leg { overlap: OVERLAP, slide: slid * ZETA, roll: inverse * slid * ZETA, steps };
        let full = self.mu * pressed(&elastic(self.poisson), OVERLAP);
        let rows = drive(&elastic(self.poisson), self.law(), &[press, slide]);
        let row = |row: &stickslip::probe::ProbeRow| {
            [row.slide[0] / ZETA, row.roll[0] / patch(OVERLAP), friction(row) / full]
        };
        rows[1..].iter().map(row).collect()
    }

    /// T/(mu P) after long rolling.
    fn steady(&self, inverse: f64) -> f64 {
        // Forty relaxation lengths of 1.76 a, in steps of 0.02 a; or a slide of 4 zeta, by which all slips.
        let slid = if inverse > 0.0 { (70.0 * patch(OVERLAP) / (inverse * ZETA)).max(4.0) } else { 4.0 };
        let rolled = inverse * slid * ZETA / patch(OVERLAP);
        let rows = self.slide(inverse, slid, (rolled / 0.02).max(2000.0) as u32);
        rows.last().map_or(f64::NAN, |row| row[2])
    }

    /// 1 - (1 - xi/F_max)^3, or 1.
    fn closed(&self, inverse: f64) -> f64 {
        let law = Creep(Mindlin::new(elastic(self.poisson), self.mu));
        let share = 1.0 / (inverse * law.largest_creepage(patch(OVERLAP) / (0.5 * super::contact::RADIUS)));
        if share < 1.0 { 1.0 - (1.0 - share) * (1.0 - share) * (1.0 - share) } else { 1.0 }
    }
}

/// The largest distance of ours from the independent series of Fig. 5, with so many steps along each series.
fn series_error(steps: u32) -> f64 {
    let mut largest = 0.0_f64;
    for inverse in INVERSE {
        let series = reference::fig5(inverse);
        let end = series.last().map_or(0.0, |row| row[0]);
        let ours = PAIR.slide(inverse, end, steps);
        for [u, _, expected] in series {
            // Between two steps, along a straight line: second order.
            let place = (u / end * f64::from(steps)).clamp(0.0, f64::from(steps));
            let low = (place.floor() as usize).min(ours.len() - 2);
            let share = place - low as f64;
            let found = ours[low][2] + share * (ours[low + 1][2] - ours[low][2]);
            largest = largest.max((found - expected).abs());
        }
    }
    largest
}

/// Rolled length over a at 95 % of the steady force.
fn rolled_at_95(rows: &[[f64; 3]], steady: f64) -> f64 {
    let after = rows.iter().position(|row| row[2] >= 0.95 * steady).unwrap_or(0).max(1);
    let (low, high) = (rows[after - 1], rows[after]);
    low[1] + (high[1] - low[1]) * (0.95 * steady - low[2]) / (high[2] - low[2])
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    let mut table = String::from("law,inverse_xi,u_over_zeta,roll_over_a,T\n");
    let mut curves = Vec::new();
    for (inverse, steady, rolled) in EXPECTED {
        context.check_interrupt()?;
        (context.progress)(0.0, "sliding and rolling");
        let found = PAIR.steady(inverse);
        let source = "specification: closed form of eqs. 9 and 10, five digits";
        outcome.checked(&format!("T_ss[{inverse}]"), found, steady, 1.1e-5, source);
        outcome.check(
            format!("T_ss[{inverse}] (closed form)"),
            found,
            PAIR.closed(inverse),
            1e-9,
            "1 - (1 - xi/F_max)^3",
        );
        let end = reference::fig5(inverse).last().map_or(1.0, |row| row[0]);
        let rows = PAIR.slide(inverse, end, 20_000);
        // The last digit, and the first order of 20 000 steps.
        let at_95 = rolled_at_95(&rows, steady);
        outcome.checked(
            &format!("roll_over_a_95[{inverse}]"),
            at_95,
            rolled,
            6e-4 * rolled.max(0.1),
            "the same, four digits",
        );
        for (law, pair) in [("creep", PAIR), ("vu-quoc-zhang", Pair { vu_quoc_zhang: true, ..PAIR })] {
            let rows = pair.slide(inverse, end, 2000);
            let some = rows.iter().step_by(20);
            table.extend(some.map(|[u, roll, force]| format!("{law},{inverse},{u},{roll},{force}\n")));
            curves.push((law, inverse, rows));
        }
    }
    let errors = [2000, 4000, 8000].map(|steps| (steps, series_error(steps)));
    for (steps, error) in errors {
        outcome.metric(format!("series_error[{steps}]"), error);
    }
    let source = "first order: half the step, half the error";
    outcome.checked("series_error_ratio", errors[0].1 / errors[1].1, 2.0, 0.1, source);
    options(&mut outcome);
    outcome.file("pair.csv", table);
    outcome.file("figure.svg", figure(&curves).to_svg());
    Ok(outcome)
}

/// Steady forces with another Poisson's ratio and another friction.
fn options(outcome: &mut Outcome) {
    let soft = Pair { poisson: 0.34, ..PAIR };
    for (inverse, steady) in [(100.0, 0.98141), (300.0, 0.56969), (1000.0, 0.20472), (3000.0, 0.07172)] {
        let source = "specification, five digits";
        outcome.checked(&format!("T_ss[{inverse},nu=0.34]"), soft.steady(inverse), steady, 1.1e-5, source);
    }
    let smooth = Pair { mu: 0.3, ..PAIR };
    for inverse in [100.0, 300.0, 1000.0] {
        let name = format!("T_ss[{inverse},mu=0.3]");
        outcome.checked(&name, smooth.steady(inverse), smooth.closed(inverse), 1e-9, "1 - (1 - xi/F_max)^3");
    }
}

/// Fig. 5a and b, ours as lines, the independent series as marks, `vu-quoc-zhang` below.
fn figure(curves: &[(&str, f64, Vec<[f64; 3]>)]) -> Multiples {
    let axis = Axis::linear;
    let plot = |law: &str, against: usize, label: &str, end: f64| {
        let of_law = curves.iter().filter(|(name, ..)| *name == law);
        let mut series: Vec<Series> = Vec::new();
        for (colour, (_, inverse, rows)) in of_law.enumerate() {
            let points = rows.iter().step_by(20).map(|row| (row[against], row[2])).filter(|(x, _)| *x <= end);
            series.push(Series::line(&format!("1/xi = {inverse}"), colour, Line::Solid, points));
        }
        Plot {
            title: law.into(),
            x: axis(label),
            y: axis("T/(mu P)"),
            x_range: Some((0.0, end)),
            y_range: Some((0.0, 1.05)),
            levels: Vec::new(),
            series,
        }
    };
    let plots = ["creep", "vu-quoc-zhang"]
        .iter()
        .flat_map(|law| [plot(law, 0, "u/zeta", 2.0), plot(law, 1, "rolled length/a", 10.0)])
        .collect();
    Multiples { title: "Two spheres that slide and roll (Kuhn 2014, Fig. 5)".into(), columns: 2, plots }
}

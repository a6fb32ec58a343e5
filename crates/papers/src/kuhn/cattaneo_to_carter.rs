//! `kuhn/cattaneo-to-carter`, section 2.3: two bodies that were pressed together and loaded by a constant tangential force Q roll on.
//!
//! Kalker's exact solution for cylinders changes from Cattaneo's traction, symmetric, to Carter's, stuck at the leading edge, over a rolled length
//! of 2 a. `transition_over_a[Q/(mu P)]` is the rolled length after which the creepage stays within 5 % of Carter's, by a strip of elastic
//! half-planes: `CELLS` cells of constant traction, which the material crosses one per step, in stick or in slip at mu p. `transition_over_a` is the
//! largest of them. `transition_over_a[creep]`: the same of the spheres of `creep` at constant Q, whose creepage is steady at once, since eq. 16 has no
//! memory of rolling but Q itself. The model reproduces both ends of the transition, not its length.
//!
//! In cells, with p_i the traction over mu p_0 and u the shift of the surfaces: u_i' - u_{i+1} = xi h where i sticks, p_i = bound where it slips
//! against the creepage, and the sum of p_i is Q. The kernel of a cell is the logarithm's integral, whose free constant Q keeps still.

use stickslip::law::{Creep, Mindlin, Slide};
use stickslip::math;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series};

use super::contact::{Leg, OVERLAP, drive, elastic, friction, patch, pressed};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "kuhn/cattaneo-to-carter",
    title: "A constant force, then rolling: from Cattaneo's traction to Carter's (section 2.3)",
    scaled_down: "",
    run,
};

/// Q/(mu P).
const LOADS: [f64; 3] = [0.3, 0.5, 0.7];
/// Cells across the contact.
const CELLS: usize = 100;
/// Rolled length (a).
const END: f64 = 4.0;
const MU: f64 = 0.5;
const POISSON: f64 = 0.15;

/// A strip of the contact, -1 to 1, that rolls so that material enters at 1 and leaves at -1. Tractions over mu p_0; lengths in a.
struct Strip {
    /// Load over mu P.
    load: f64,
    /// Traction of the step before.
    before: Vec<f64>,
}

/// Width of a cell.
const WIDTH: f64 = 2.0 / CELLS as f64;

fn middle(cell: usize) -> f64 {
    -1.0 + WIDTH * (cell as f64 + 0.5)
}

/// Bound of a cell's traction over mu p_0.
fn bound(cell: usize) -> f64 {
    let x = middle(cell);
    (1.0 - x * x).sqrt()
}

/// Displacement at a distance of so many widths from a cell of unit traction: minus the integral of ln|x|, over a.
fn kernel(distance: f64) -> f64 {
    let part = |y: f64| if y == 0.0 { 0.0 } else { y * (math::ln(y.abs()) - 1.0) };
    -WIDTH * (part(distance + 0.5) - part(distance - 0.5))
}

/// Solves a dense system in place by elimination with pivots; the last column is the right side.
fn solve(rows: &mut [Vec<f64>]) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        let (above, below) = rows.split_at_mut(k + 1);
        let top = &above[k];
        for row in below {
            let factor = row[k] / top[k];
            if factor != 0.0 {
                row[k..].iter_mut().zip(&top[k..]).for_each(|(entry, other)| *entry -= factor * other);
            }
        }
    }
    let mut found = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * found[j]).sum();
        found[k] = (rows[k][n] - known) / rows[k][k];
    }
    found
}

impl Strip {
    /// Cattaneo: an ellipse less a smaller one of half-width b in its middle; Q/(mu P) = 1 - b^2.
    fn cattaneo(load: f64) -> Self {
        let b2 = 1.0 - load;
        let traction = |cell: usize| {
            let x = middle(cell);
            bound(cell) - (b2 - x * x).max(0.0).sqrt()
        };
        let before: Vec<f64> = (0..CELLS).map(traction).collect();
        // The sum of the cells is the load, so that it does not jump in the first step.
        let sum: f64 = before.iter().sum();
        let full: f64 = (0..CELLS).map(bound).sum();
        Strip { load: sum / full, before }
    }

    /// Rolls by a cell's width; returns the creepage, in units of (mu p_0) 2/(pi E*).
    fn roll(&mut self) -> f64 {
        let mut sticks = vec![true; CELLS];
        let old: Vec<f64> =
            (0..CELLS).map(|i| (0..CELLS).map(|j| kernel(i as f64 + 1.0 - j as f64) * self.before[j]).sum()).collect();
        for _ in 0..100 {
            let (traction, creepage) = self.with(&sticks, &old);
            let mut changed = false;
            for i in 0..CELLS {
                let beyond = sticks[i] && traction[i] > bound(i) * (1.0 + 1e-12);
                // A cell in slip whose surfaces move with the traction: it holds.
                let now: f64 = (0..CELLS).map(|j| kernel(i as f64 - j as f64) * traction[j]).sum();
                let held = !sticks[i] && now - old[i] > creepage * WIDTH * (1.0 + 1e-12);
                if beyond || held {
                    sticks[i] = !sticks[i];
                    changed = true;
                }
            }
            if !changed {
                self.before = traction;
                return creepage;
            }
        }
        f64::NAN
    }

    /// Tractions and creepage with these cells in stick.
    fn with(&self, sticks: &[bool], old: &[f64]) -> (Vec<f64>, f64) {
        let stuck: Vec<usize> = (0..CELLS).filter(|&i| sticks[i]).collect();
        let n = stuck.len();
        let slid =
            |i: usize| (0..CELLS).filter(|&j| !sticks[j]).map(|j| kernel(i as f64 - j as f64) * bound(j)).sum::<f64>();
        let mut rows = Vec::with_capacity(n + 1);
        for &i in &stuck {
            let mut row: Vec<f64> = stuck.iter().map(|&j| kernel(i as f64 - j as f64)).collect();
            row.push(-WIDTH);
            row.push(old[i] - slid(i));
            rows.push(row);
        }
        let full: f64 = (0..CELLS).map(bound).sum();
        let in_slip: f64 = (0..CELLS).filter(|&j| !sticks[j]).map(bound).sum();
        let mut row = vec![1.0; n];
        row.push(0.0);
        row.push(self.load * full - in_slip);
        rows.push(row);
        let found = solve(&mut rows);
        let mut traction: Vec<f64> = (0..CELLS).map(bound).collect();
        stuck.iter().zip(&found).for_each(|(&i, &p)| traction[i] = p);
        (traction, found[n])
    }
}

/// Rolled length over a and creepage over Carter's.
fn half_planes(load: f64) -> Vec<(f64, f64)> {
    let mut strip = Strip::cattaneo(load);
    let steps = (END / WIDTH).round() as usize;
    let creepages: Vec<f64> = (0..steps).map(|_| strip.roll()).collect();
    // In these units the shift of full slip is pi/2 p_0 .. : Carter's xi is pi (1 - sqrt(1 - q)).
    let carter = std::f64::consts::PI * (1.0 - (1.0 - strip.load).sqrt());
    creepages.iter().enumerate().map(|(k, creepage)| ((k as f64 + 1.0) * WIDTH, creepage / carter)).collect()
}

/// The rolled length after which all stays within 5 % of one.
fn transition(rows: &[(f64, f64)]) -> f64 {
    rows.iter().rev().find(|(_, ratio)| (ratio - 1.0).abs() > 0.05).map_or(0.0, |(rolled, _)| rolled + WIDTH)
}

/// The spheres of `creep` under a constant force: rolled length over a, and creepage over Kalker's. Each step slides by what keeps Q.
fn spheres(load: f64) -> Vec<(f64, f64)> {
    let elastic = elastic(POISSON);
    let law = Mindlin::new(elastic, MU);
    let limit = MU * pressed(&elastic, OVERLAP);
    let s_max = MU * elastic.kappa() * OVERLAP;
    let first = s_max * (1.0 - math::pow(1.0 - load, 2.0 / 3.0));
    let rolled = WIDTH * patch(OVERLAP);
    let expected =
        Creep(law).largest_creepage(patch(OVERLAP) / (0.5 * super::contact::RADIUS)) * (1.0 - math::cbrt(1.0 - load));
    let mut legs = vec![Leg::slide(OVERLAP, 0.0, 1), Leg::slide(OVERLAP, first, 1)];
    let mut rows = Vec::new();
    // Feedback on the force: with its stiffness the slip that brings it back, found step by step.
    let mut slip = 0.0;
    for step in 1..=(END / WIDTH).round() as usize {
        let try_with = |slide: f64| {
            let leg = Leg { overlap: OVERLAP, slide, roll: rolled, steps: 1 };
            let rows = drive(&elastic, Slide::Creep(Creep(law)), &[&legs[..], &[leg]].concat());
            rows.last().map_or(f64::NAN, friction) - load * limit
        };
        // The force is nearly linear in the slip of a step: a secant from two tries.
        let (mut low, mut high) = (slip, slip + 0.1 * expected * rolled);
        let (mut at_low, mut at_high) = (try_with(low), try_with(high));
        for _ in 0..20 {
            if at_high.abs() < 1e-12 * limit || at_high == at_low {
                break;
            }
            let next = high - at_high * (high - low) / (at_high - at_low);
            (low, at_low, high, at_high) = (high, at_high, next, try_with(next));
        }
        slip = high;
        legs.push(Leg { overlap: OVERLAP, slide: slip, roll: rolled, steps: 1 });
        rows.push((WIDTH * step as f64, slip / rolled / expected));
    }
    rows
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    let mut table = String::from("model,load,rolled_over_a,creepage_over_steady\n");
    let mut curves = Vec::new();
    let mut largest = 0.0_f64;
    for (k, load) in LOADS.into_iter().enumerate() {
        context.check_interrupt()?;
        (context.progress)(k as f64 / 3.0, "rolling half-planes");
        let rows = half_planes(load);
        largest = largest.max(transition(&rows));
        outcome.metric(format!("transition_over_a[{load}]"), transition(&rows));
        let end = rows.last().map_or(f64::NAN, |row| row.1);
        outcome.check(format!("steady creepage[{load}]"), end, 1.0, 0.03, "Carter, in closed form; 100 cells");
        curves.push(("half-planes", load, rows));
        curves.push(("creep", load, spheres(load)));
    }
    let source = "section 2.3: the exact solution is complete at 2 a";
    outcome.checked("transition_over_a", largest, 1.5, 0.5, source);
    let ours = curves.iter().filter(|curve| curve.0 == "creep").map(|curve| transition(&curve.2)).fold(0.0, f64::max);
    outcome.checked("transition_over_a[creep]", ours, 0.0, 2.0 * WIDTH, "eq. 16 at constant Q: steady at once");
    for (model, load, rows) in &curves {
        table.extend(rows.iter().map(|(rolled, ratio)| format!("{model},{load},{rolled},{ratio}\n")));
    }
    outcome.file("cattaneo-to-carter.csv", table);
    outcome.file("figure.svg", figure(&curves).to_svg());
    Ok(outcome)
}

/// A curve: its law, the load in shares of the limit, and its points.
type Curve<'a> = (&'a str, f64, Vec<(f64, f64)>);

fn figure(curves: &[Curve<'_>]) -> Multiples {
    let series = curves.iter().map(|(model, load, rows)| {
        let colour = LOADS.iter().position(|one| one == load).unwrap_or(0);
        let line = if *model == "creep" { Line::Dashed } else { Line::Solid };
        Series::line(&format!("{model}, Q/(mu P) = {load}"), colour, line, rows.iter().copied())
    });
    let plot = Plot {
        title: "constant tangential force".into(),
        x: Axis::linear("rolled length/a"),
        y: Axis::linear("creepage/steady creepage"),
        x_range: Some((0.0, END)),
        y_range: Some((0.0, 1.2)),
        levels: vec![(1.0, "steady".into())],
        series: series.collect(),
    };
    Multiples { title: "From Cattaneo to Carter (Kuhn 2014, section 2.3)".into(), columns: 1, plots: vec![plot] }
}

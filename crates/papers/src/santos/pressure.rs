//! `santos/pressure`, Fig. 5: volume fraction and coordination under pressures from 1e-2 down, and two checks of the method:
//! a tenth of the step and another volume fraction at the start change nothing.
//!
//! A packing is soft: under a lower pressure the same overlaps are smaller, and energies fall as the square. So a packing rests
//! here at a kinetic energy of 1e-12 (P/1e-4)^2 per grain.
//!
//! How much may two values differ that should be equal? Packings of one state from other seeds scatter; s is the standard
//! deviation, pooled over all points with several seeds. The mean of n seeds has the error s/sqrt(n), the difference of two such means
//! s sqrt(2/n). The tolerance is that times Student's t for four comparisons (phi and Z, of step and start) that shall all hold with 95 %
//! when nothing differs: 2.93 with the 12 degrees of freedom that s has in the quick size (two packings at 12 points). With t = 2,
//! which is 95 % for one comparison, one in five sound results would miss a check, and ours did. A check of the paper's "0.004 or
//! less" adds four errors of a difference to 0.004.

use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Point, Series, Symbol};

use super::campaign::pack_all;
use super::friction::{mean_and_scatter, name};
use super::packing::{Friction, Recipe, Row};
use super::table::{open_all, to_csv};
use crate::experiment::{Context, Ended, Experiment, Outcome, Scale};
use crate::result::PACKINGS;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "santos/pressure",
    title: "Packings under pressures from 1e-2 down (Fig. 5); step and start do not matter",
    scaled_down: "300 grains instead of 10^4, pressures down to 1e-5 instead of 1e-7, 2 packings a point instead of 6",
    run,
};

/// The states of Fig. 5, with the paper's symbols and a colour like the paper's.
const STATES: [(Friction, Symbol, usize); 3] =
    [([0.0, 0.0, 0.0], Symbol::Diamond, 2), ([0.1, 0.0, 0.0], Symbol::Square, 1), ([0.1, 0.1, 0.1], Symbol::Circle, 6)];

/// The pressure of the other experiments.
const USUAL: f64 = 1e-4;
/// The state and the pressure at which the method is checked.
const CHECKED: (Friction, f64) = ([0.1, 0.0, 0.0], 1e-3);
/// The other volume fraction at the start: three times the usual, below 0.2.
const OTHER_START: f64 = 0.15;

/// Student's t at 1 - 0.05/8 with 12 degrees of freedom: see above. (With the 90 of the full size it would be 2.55.)
const SURE: f64 = 2.93;

/// How large.
struct Size {
    count: usize,
    seeds: u64,
    pressures: &'static [f64],
    pressure_error: f64,
}

impl Size {
    fn of(scale: Scale) -> Self {
        match scale {
            Scale::Quick => Size { count: 300, seeds: 2, pressures: &[1e-2, 1e-3, 1e-4, 1e-5], pressure_error: 5e-5 },
            Scale::Full => {
                Size { count: 10_000, seeds: 6, pressures: &[1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7], pressure_error: 5e-7 }
            }
        }
    }

    fn recipe(&self, mu: Friction, pressure: f64, seed: u64) -> Recipe {
        let mut recipe = Recipe::new(mu, self.count, seed);
        let lower = pressure / USUAL;
        recipe.pressure = pressure;
        recipe.rest.kinetic *= lower * lower;
        recipe.rest.pressure_error = self.pressure_error;
        // The paper's times: 2e5 at 1e-4, 4e6 at 1e-7, that is about as P^-0.43.
        recipe.most_steps = if pressure < 1e-6 {
            200_000_000
        } else if pressure < USUAL {
            60_000_000
        } else {
            10_000_000
        };
        recipe
    }

    /// Fig. 5.
    fn points(&self) -> Vec<Recipe> {
        let of = |mu, pressure| (1..=self.seeds).map(move |seed| self.recipe(mu, pressure, seed));
        let all = STATES.iter().flat_map(|(mu, ..)| self.pressures.iter().map(move |&pressure| (*mu, pressure)));
        all.flat_map(|(mu, pressure)| of(mu, pressure)).collect()
    }

    /// The checked point with a change.
    fn changed(&self, change: fn(&mut Recipe)) -> Vec<Recipe> {
        let mut recipes: Vec<Recipe> = (1..=self.seeds).map(|seed| self.recipe(CHECKED.0, CHECKED.1, seed)).collect();
        recipes.iter_mut().for_each(change);
        recipes
    }
}

fn small_step(recipe: &mut Recipe) {
    recipe.step *= 0.1;
    recipe.most_steps *= 10;
}

fn other_start(recipe: &mut Recipe) {
    recipe.start = OTHER_START;
}

/// Packings of the changed points stand in tables of their own: the columns do not tell step and start.
const SMALL_STEP: &str = "packings-small-step.csv";
const START: &str = "packings-other-start.csv";

fn run(context: &Context) -> Result<Outcome, Ended> {
    let size = Size::of(context.scale);
    let parts = [(SMALL_STEP, size.changed(small_step)), (PACKINGS, size.points()), (START, size.changed(other_start))];
    let all: f64 = parts.iter().map(|(_, recipes)| recipes.len() as f64).sum();
    let (mut outcome, mut found, mut before) = (Outcome::default(), Vec::new(), 0.0);
    let tables = open_all(context, &[parts[0].0, parts[1].0, parts[2].0])?;
    for ((file, recipes), table) in parts.iter().zip(tables) {
        let share = recipes.len() as f64 / all;
        let progress = |part: f64, doing: &str| (context.progress)(before + part * share, doing);
        let within = Context { progress: &progress, ..*context };
        let rows = pack_all(recipes, table, &within, &|_, _| Ok(()))?;
        before += share;
        outcome.file(file, to_csv(&rows));
        found.push(rows);
    }
    let points = points(&size, &found[1]);
    judge(&mut outcome, &size, &points, &found);
    let most_drift = found.iter().flatten().map(|row| row.drift).fold(0.0, f64::max);
    outcome.checked("centre_moved", most_drift, 0.0, 1e-9, "no force acts from outside");
    outcome.file("figure5.svg", figure(&points).to_svg());
    Ok(outcome)
}

/// Mean and scatter of one point of Fig. 5.
struct PointOfFig5 {
    mu: Friction,
    pressure: f64,
    phi: (f64, f64),
    z: (f64, f64),
}

fn point(mu: Friction, pressure: f64, rows: &[Row]) -> PointOfFig5 {
    let of = |value: fn(&Row) -> f64| {
        let chosen = rows.iter().filter(|row| row.mu == mu && row.pressure == pressure);
        mean_and_scatter(&chosen.map(value).collect::<Vec<_>>())
    };
    PointOfFig5 { mu, pressure, phi: of(|row| row.phi), z: of(|row| row.z) }
}

fn points(size: &Size, rows: &[Row]) -> Vec<PointOfFig5> {
    let all = STATES.iter().flat_map(|(mu, ..)| size.pressures.iter().map(move |&pressure| (*mu, pressure)));
    all.map(|(mu, pressure)| point(mu, pressure, rows)).collect()
}

/// `1e-4,0.1,0,0`.
fn point_name(mu: Friction, pressure: f64) -> String {
    format!("{pressure:e},{}", name(mu))
}

fn judge(outcome: &mut Outcome, size: &Size, points: &[PointOfFig5], found: &[Vec<Row>]) {
    for PointOfFig5 { mu, pressure, phi, z } in points {
        let name = point_name(*mu, *pressure);
        outcome.metric(format!("phi[{name}]"), phi.0);
        outcome.metric(format!("Z[{name}]"), z.0);
    }
    let pooled = |value: fn(&PointOfFig5) -> (f64, f64)| {
        let squares: f64 = points.iter().map(|point| value(point).1 * value(point).1).sum();
        (squares / points.len() as f64).sqrt()
    };
    let scatter = [pooled(|point| point.phi), pooled(|point| point.z)];
    outcome.metric("scatter_phi", scatter[0]);
    outcome.metric("scatter_Z", scatter[1]);
    let of_difference = scatter.map(|scatter| scatter * (2.0 / size.seeds as f64).sqrt());
    let worst = |value: fn(&Row) -> f64| found.iter().flatten().map(value).fold(0.0, f64::max);
    let bound = 2.0 * size.pressure_error;
    let source = "section II B: applied and measured pressure tensors are equal";
    outcome.checked("pressure_error", worst(|row| row.pressure_error), 0.0, bound, source);
    low_pressure(outcome, size, points, of_difference[0]);
    unchanged(outcome, found, of_difference);
}

/// Below 1e-4 little changes; above it packings are denser and have more contacts.
fn low_pressure(outcome: &mut Outcome, size: &Size, points: &[PointOfFig5], error: f64) {
    let at = |mu: Friction, pressure: f64| points.iter().find(|p| p.mu == mu && p.pressure == pressure);
    let least = size.pressures.iter().copied().fold(f64::INFINITY, f64::min);
    let most = size.pressures.iter().copied().fold(0.0, f64::max);
    let mut rising = 0.0;
    for (mu, ..) in STATES {
        let (Some(low), Some(usual), Some(high)) = (at(mu, least), at(mu, USUAL), at(mu, most)) else { continue };
        let change = (usual.phi.0 - low.phi.0).abs();
        let source = "section III B: 0.004 or less from 1e-4 down, and 4 errors of a difference";
        outcome.checked(&format!("phi_change[{}]", name(mu)), change, 0.0, 0.004 + 4.0 * error, source);
        rising += f64::from(high.phi.0 > usual.phi.0 && high.z.0 > usual.z.0);
    }
    let source = "Fig. 5: phi and Z rise with the pressure in all three states";
    outcome.checked("states_denser_under_pressure", rising, STATES.len() as f64, 0.0, source);
    let source = "Fig. 5: friction makes loose at every pressure";
    let ordered = |&pressure: &f64| {
        let [smooth, slide, all] = STATES.map(|(mu, ..)| at(mu, pressure).map_or(f64::NAN, |p| p.phi.0));
        smooth > slide && slide > all
    };
    let ordered = size.pressures.iter().filter(|pressure| ordered(pressure)).count();
    outcome.checked("pressures_in_order", ordered as f64, size.pressures.len() as f64, 0.0, source);
}

/// A tenth of the step, and another start.
fn unchanged(outcome: &mut Outcome, found: &[Vec<Row>], error: [f64; 2]) {
    let (mu, pressure) = CHECKED;
    let usual = point(mu, pressure, &found[1]);
    for (what, rows, source) in [
        ("small_step", &found[0], "section II B: a step of 0.002 did not change the results"),
        ("other_start", &found[2], "section II B: the initial volume fraction does not matter"),
    ] {
        let other = point(mu, pressure, rows);
        let source = format!("{source}; {SURE} errors of a difference");
        outcome.checked(&format!("phi_{what}"), other.phi.0, usual.phi.0, SURE * error[0], &source);
        outcome.checked(&format!("Z_{what}"), other.z.0, usual.z.0, SURE * error[1], &source);
    }
}

fn figure(points: &[PointOfFig5]) -> Multiples {
    let curves = |value: fn(&PointOfFig5) -> (f64, f64)| {
        let of = |&(mu, symbol, colour): &(Friction, Symbol, usize)| {
            let at = points.iter().filter(|point| point.mu == mu);
            let at = at.map(|point| Point { x: point.pressure, y: value(point).0, error: value(point).1 });
            let name = format!("mu_s, mu_r, mu_t = {}", name(mu));
            Series { name, colour, symbol, line: Line::Solid, points: at.collect() }
        };
        STATES.iter().map(of).collect::<Vec<_>>()
    };
    let plot = |y: &str, levels: Vec<(f64, String)>, series: Vec<Series>| Plot {
        title: String::new(),
        x: Axis::log("applied pressure (k_n/d)"),
        y: Axis::linear(y),
        x_range: Some((0.5e-7, 2e-2)),
        y_range: None,
        levels,
        series,
    };
    let phi = plot("volume fraction", vec![(0.64, "random close".into())], curves(|point| point.phi));
    let z = plot("Z", vec![(6.0, "Table I: none".into()), (4.0, "Table I: slide".into())], curves(|point| point.z));
    let title = "Santos et al. (2020), Fig. 5".to_owned();
    Multiples { title, columns: 1, plots: vec![phi, z] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_the_names_of_the_issue() {
        assert_eq!(point_name([0.1, 0.0, 0.0], 1e-4), "1e-4,0.1,0,0");
        assert_eq!(point_name([0.1; 3], 1e-2), "1e-2,0.1,0.1,0.1");
    }

    #[test]
    fn the_checked_point_is_one_of_fig_5() {
        let size = Size::of(Scale::Quick);
        let usual = size.points();
        for changed in [size.changed(small_step), size.changed(other_start)] {
            assert!(
                changed.iter().all(|r| usual.iter().any(|u| (u.mu, u.pressure, u.seed) == (r.mu, r.pressure, r.seed)))
            );
            assert!(changed.iter().all(|recipe| !usual.contains(recipe)));
        }
    }
}

//! `fang/stack`, section 4.6 (Figs. 13 and 14): two spheres on the ground with a gap between them, a third laid on top. How heavy
//! may it be? Over the rolling coefficient eta_r, for five gaps.
//!
//! The paper leaves open K_E, mu, g, the step, the damping and how the spheres start; these are as found by an independent
//! computation that meets the authors' curve: K_E = 1e5, mu 0.25/0.2, g = 9.81, dt = 1e-4 s, critical damping, the lower
//! spheres settled under their own weight, the upper one exactly touching, at rest. Normal force: Hertz with E = 2 MPa, nu =
//! 0.3 for spheres and ground, the textbook dashpot for e = 0.4, never pulling. Collapse: the upper sphere has fallen by more
//! than 20 mm, or still moves faster than 1 mm/s, after 2 s.
//!
//! Many stacks stand in one world, too far apart to meet; the critical mass is bracketed in three rounds to 1.6 g, the first
//! mass of a row that collapses taken as the limit (rows that are not monotone are counted). `paper` is the paper's form of the
//! rolling torques, `reciprocal` the one that keeps angular momentum, in a second column.

use glam::DVec3;
use stickslip::law::restitution::damping_ratio;
use stickslip::law::{Hertz, Normal, SpringLaws};
use stickslip::math;
use stickslip::{Body, Shape, World};

use super::friction::Friction;
use super::rig::{model, stand};
use super::stack_figure::figure;
use super::stack_modes::moments;
use crate::experiment::{Context, Ended, Experiment, Outcome, Scale};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "fang/stack",
    title: "The heaviest sphere that two others carry, over the rolling coefficient (section 4.6, Fig. 13)",
    scaled_down: "6 rolling coefficients instead of 22 at the gaps other than 0.3 R",
    run,
};

/// m.
pub const RADIUS: f64 = 0.15;
/// kg, of a lower sphere.
pub const MASS: f64 = 1.0;
/// m/s^2.
pub const GRAVITY: f64 = 9.81;
/// Pa.
const YOUNG: f64 = 2e6;
const POISSON: f64 = 0.3;
const RESTITUTION: f64 = 0.4;
/// Steps of 1e-4 s.
pub const STEPS: u64 = 20_000;
/// A fall (m) that is a collapse.
pub const FALL: f64 = 0.02;
/// A speed (m/s) that is one, at the end.
const SPEED: f64 = 1e-3;
/// Gaps, in radii.
pub const GAPS: [f64; 5] = [0.2, 0.25, 0.3, 0.35, 0.4];
/// The gap of the authors' curve that is compared.
pub const GAP: f64 = 0.3;
/// Rolling coefficients at the other gaps, unless the full size is asked for.
const QUICK: [f64; 6] = [0.15, 0.18, 0.20, 0.23, 0.25, 0.30];

/// The authors' published curve at a gap of 0.3 R, and the independent computation (columns `authors_value`, `base`).
const CURVE: &str = include_str!("data/stack_critical_mass_gap0.3R.csv");

/// eta_r, the authors' critical mass, that of the independent computation (kg).
pub fn reference() -> Vec<(f64, f64, f64)> {
    let number = |cell: Option<&str>| cell.and_then(|cell| cell.parse().ok());
    let row = |line: &str| {
        let mut cells = line.split(',');
        Some((number(cells.next())?, number(cells.next())?, number(cells.next())?))
    };
    CURVE.lines().filter_map(row).collect()
}

/// One stack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stack {
    /// In radii.
    pub gap: f64,
    /// eta_r.
    pub eta: f64,
    /// Of the upper sphere (kg).
    pub mass: f64,
}

/// Hertz for two of these spheres, or one and the ground.
fn hertz() -> Hertz {
    let modulus = Hertz::effective_modulus((YOUNG, POISSON), (YOUNG, POISSON));
    let damping_ratio = damping_ratio(RESTITUTION, false);
    Hertz { stiffness: 4.0 / 3.0 * modulus, damping: 0.0, damping_ratio, cohesionless: true }
}

impl Stack {
    /// Left, right, top.
    fn spheres(&self, y: f64, material: u16) -> [Body; 3] {
        // K sqrt(R) d^1.5 = m g on the ground.
        let force = MASS * GRAVITY / (hertz().stiffness * RADIUS.sqrt());
        let low = RADIUS - math::cbrt(force * force);
        let side = (1.0 + 0.5 * self.gap) * RADIUS;
        let high = low + (4.0 * RADIUS * RADIUS - side * side).sqrt();
        let sphere = |x: f64, z: f64, mass: f64| Body {
            mass: Some(mass),
            ..Body::new(Shape::Sphere { radius: RADIUS }, material, DVec3::new(x, y, z))
        };
        [sphere(-side, low, MASS), sphere(side, low, MASS), sphere(0.0, high, self.mass)]
    }
}

/// A world of stacks: those of number k have the ids 3 k (left), 3 k + 1 (right) and 3 k + 2 (top), the ground is last.
pub fn world(stacks: &[Stack], paper_form: bool) -> Result<World, Ended> {
    let mut etas: Vec<f64> = stacks.iter().map(|stack| stack.eta).collect();
    etas.sort_by(f64::total_cmp);
    etas.dedup();
    let mut model = model(etas.len());
    model.gravity = (DVec3::NEG_Z * GRAVITY).into();
    let normal = Normal::Hertz(hertz());
    for (material, &eta) in (0..).zip(&etas) {
        let laws = Friction { paper_form, ..Friction::roll(eta) }.laws_with(normal);
        // Those of other stacks never meet, but the engine wants to know what would happen if they did.
        (0..material).for_each(|other| model.laws.set(material, other, SpringLaws::frictionless(normal)));
        model.laws.set(material, material, laws);
        model.laws.set(material, etas.len() as u16, laws);
    }
    let bodies = stacks.iter().enumerate().flat_map(|(number, stack)| {
        let material = etas.iter().position(|eta| *eta == stack.eta).unwrap_or(0) as u16;
        stack.spheres(number as f64 * 6.0 * RADIUS, material)
    });
    stand(model, bodies.collect())
}

/// Which stacks collapse.
pub fn collapses(context: &Context, stacks: &[Stack], paper_form: bool) -> Result<Vec<bool>, Ended> {
    let mut world = world(stacks, paper_form)?;
    let top = |world: &World, number: usize| world.body(3 * number as u32 + 2);
    let heights: Vec<f64> = (0..stacks.len()).map(|number| top(&world, number).position.z).collect();
    for _ in 0..20 {
        context.check_interrupt()?;
        world.advance(STEPS / 20).map_err(Ended::failed)?;
    }
    let collapsed = |(number, height): (usize, &f64)| {
        let now = top(&world, number);
        height - now.position.z > FALL || now.velocity.length() > SPEED
    };
    Ok(heights.iter().enumerate().map(collapsed).collect())
}

/// What was found at one gap and coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Critical {
    /// In radii.
    pub gap: f64,
    /// eta_r.
    pub eta: f64,
    /// kg, with the paper's form.
    pub mass: f64,
    /// kg, with the reciprocal one.
    pub reciprocal: f64,
}

/// The critical mass of every gap and coefficient, and how many rows of masses were not monotone.
pub fn critical(
    context: &Context,
    cases: &[(f64, f64)],
    paper_form: bool,
    report: &dyn Fn(f64),
) -> Result<(Vec<f64>, usize), Ended> {
    let mut brackets = vec![(0.1, 6.5); cases.len()];
    let mut uneven = 0;
    let rounds = [32_u32, 16, 8];
    for (turn, round) in rounds.into_iter().enumerate() {
        report(turn as f64 / rounds.len() as f64);
        let mut stacks = Vec::new();
        for (&(gap, eta), &(low, high)) in cases.iter().zip(&brackets) {
            let masses = (1..round).map(|k| low + (high - low) * f64::from(k) / f64::from(round));
            stacks.extend(masses.map(|mass| Stack { gap, eta, mass }));
        }
        let fell = collapses(context, &stacks, paper_form)?;
        let each = (round - 1) as usize;
        for (number, bracket) in brackets.iter_mut().enumerate() {
            let own = &fell[number * each..(number + 1) * each];
            let first = own.iter().position(|fell| *fell).unwrap_or(each);
            uneven += usize::from(own[first..].iter().any(|fell| !fell));
            let at = |k: usize| stacks[number * each + k].mass;
            *bracket =
                (if first == 0 { bracket.0 } else { at(first - 1) }, if first == each { bracket.1 } else { at(first) });
        }
    }
    Ok((brackets.iter().map(|(low, high)| 0.5 * (low + high)).collect(), uneven))
}

fn cases(scale: Scale) -> Vec<(f64, f64)> {
    let all: Vec<f64> = reference().iter().map(|row| row.0).collect();
    let of = |gap: f64| if gap == GAP || scale == Scale::Full { all.clone() } else { QUICK.to_vec() };
    GAPS.iter().flat_map(|&gap| of(gap).into_iter().map(move |eta| (gap, eta))).collect()
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(context.threads).build().map_err(Ended::failed)?;
    pool.install(|| {
        let cases = cases(context.scale);
        let report = |from: f64| move |share: f64| (context.progress)(from + 0.45 * share, "stacks");
        let (masses, uneven) = critical(context, &cases, true, &report(0.0))?;
        let (reciprocal, uneven_reciprocal) = critical(context, &cases, false, &report(0.45))?;
        let found = cases.iter().zip(masses.iter().zip(&reciprocal));
        let found: Vec<Critical> =
            found.map(|(&(gap, eta), (&mass, &reciprocal))| Critical { gap, eta, mass, reciprocal }).collect();
        let mut outcome = Outcome::default();
        outcome.metric("rows_not_monotone", uneven as f64);
        outcome.metric("rows_not_monotone_reciprocal", uneven_reciprocal as f64);
        check_curve(&mut outcome, &found);
        moments(context, &mut outcome, &found)?;
        outcome.file("critical_mass.csv", table(&found));
        outcome.file("figure.svg", figure(&found).to_svg());
        Ok(outcome)
    })
}

/// The curve at a gap of 0.3 R against the authors'.
fn check_curve(outcome: &mut Outcome, found: &[Critical]) {
    let (mut sum, mut most, mut reciprocal) = (0.0, 0.0_f64, 0.0_f64);
    let (reference, mut largest) = (reference(), 0.0_f64);
    for &(eta, authors, base) in &reference {
        let Some(critical) = found.iter().find(|one| one.gap == GAP && one.eta == eta) else { continue };
        let name = format!("critical_mass[{eta}]");
        let source = "the authors' curve, gap 0.3 R, 2 %";
        outcome.checked(&name, critical.mass, authors, 0.02 * authors, source);
        outcome.metric(format!("critical_mass_reciprocal[{eta}]"), critical.reciprocal);
        outcome.metric(format!("critical_mass_independent[{eta}]"), base);
        let source = "our `paper` column: one spring instead of two changes 2.1 % at most (independent computation)";
        let name = format!("{name} (reciprocal)");
        outcome.check(name, critical.reciprocal, critical.mass, 0.021 * critical.mass, source);
        reciprocal = reciprocal.max((critical.reciprocal / authors - 1.0).abs());
        most = most.max((critical.mass / authors - 1.0).abs());
        sum += critical.mass / authors - 1.0;
        largest = largest.max((critical.mass / base - 1.0).abs());
    }
    let mean = sum / reference.len() as f64;
    outcome.metric("mean_deviation", mean);
    outcome.metric("largest_deviation", most);
    outcome.metric("largest_deviation_reciprocal", reciprocal);
    outcome.metric("largest_deviation_from_independent", largest);
    let peak = found.iter().filter(|one| one.gap == GAP).max_by(|a, b| a.mass.total_cmp(&b.mass));
    if let Some(peak) = peak {
        let source = "the authors' peak lies at 0.23; neighbours in the table are 0.01 apart";
        outcome.checked("peak_eta", peak.eta, 0.23, 0.0101, source);
    }
}

fn table(found: &[Critical]) -> String {
    let authors = reference();
    let row = |one: &Critical| {
        let theirs = authors.iter().find(|row| one.gap == GAP && row.0 == one.eta);
        let theirs = theirs.map_or(String::new(), |row| row.1.to_string());
        format!("{},{},{:.5},{:.5},{theirs}\n", one.gap, one.eta, one.mass, one.reciprocal)
    };
    found.iter().map(row).fold(String::from("gap,eta_r,mass,mass_reciprocal,authors\n"), |text, row| text + &row)
}

//! `kuhn/loops`: `mindlin` against the closed forms of Mindlin and Deresiewicz (1953), three paths with a varying normal force, and the
//! energy that every tangential law takes or creates in closed loops.
//!
//! `max_deviation`: loading, unloading and reloading at Q*/(mu P) = 0.2 to 0.999, over s_max = mu kappa d. `loop_work_error`: the work of a loop
//! over mu P s_max. `net_work[law,path]`, over the energy k_t s^2/2 of the shear at the larger overlap:
//!
//!   A   press to 1e-3 R, shear, release to a quarter, shear back, press       B   press to the quarter, shear, press, shear back, release
//!   B50, A50   the same fifty times                                           (the shear is 0.2 of what the smaller contact holds)
//!
//! `history_error[n]`, `history_error_rms[n]`: what a history of n vertices misses in a random walk, over mu P.
//!
//! A negative net work of a closed path is energy created.

use stickslip::law::{
    Creep, ElasticPair, Limit, Mindlin, MindlinForce, MindlinRescale, MindlinRescaleForce, MindlinSecant, Slide,
    VuQuocZhang, WaltonBraun,
};
use stickslip::math;
use stickslip::probe::{ProbeRow, Segment};
use stickslip::random::Stream;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series};

use super::contact::{Leg, OVERLAP, RADIUS, drive, elastic, friction, patch, pressed, probe, work};
use super::reference;
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "kuhn/loops",
    title: "Load loops of elastic spheres: closed forms, varying normal force, energy of every law",
    scaled_down: "",
    run,
};

const MU: f64 = 0.5;
const POISSON: f64 = 0.15;
const AMPLITUDES: [&str; 5] = ["0.2", "0.5", "0.8", "0.95", "0.999"];
/// Overlaps of the energy loops (m).
const LARGE: f64 = 1e-3 * RADIUS;
const SMALL: f64 = 0.25 * LARGE;

/// The laws by name.
fn laws(elastic: ElasticPair) -> [(&'static str, Slide); 8] {
    let (mindlin, limit) = (Mindlin::new(elastic, MU), Limit::mu(MU));
    [
        ("mindlin", Slide::Mindlin(mindlin)),
        ("creep", Slide::Creep(Creep(mindlin))),
        ("mindlin-secant", Slide::MindlinSecant(MindlinSecant::new(elastic, limit))),
        ("mindlin-rescale", Slide::MindlinRescale(MindlinRescale::new(elastic, limit))),
        ("mindlin-force", Slide::MindlinForce(MindlinForce::new(elastic, limit))),
        ("mindlin-rescale-force", Slide::MindlinRescaleForce(MindlinRescaleForce::new(elastic, limit))),
        ("walton-braun", Slide::WaltonBraun(WaltonBraun::new(elastic, MU))),
        ("vu-quoc-zhang", Slide::VuQuocZhang(VuQuocZhang::new(elastic, MU))),
    ]
}

fn mindlin() -> Slide {
    Slide::Mindlin(Mindlin::new(elastic(POISSON), MU))
}

/// s/s_max of first loading to q = Q/(mu P).
fn loading(q: f64) -> f64 {
    1.0 - math::pow(1.0 - q, 2.0 / 3.0)
}

/// The same of unloading from `from`.
fn unloading(from: f64, q: f64) -> f64 {
    2.0 * math::pow(1.0 - 0.5 * (from - q), 2.0 / 3.0) - math::pow(1.0 - from, 2.0 / 3.0) - 1.0
}

/// The displacement from which all slips (m).
fn most(overlap: f64) -> f64 {
    MU * elastic(POISSON).kappa() * overlap
}

/// A loop at constant load, as s/s_max and Q/(mu P) of each step: loading, unloading, reloading.
fn closed_loop(amplitude: f64, steps: u32) -> Vec<[f64; 2]> {
    let (s_max, full) = (most(OVERLAP), MU * pressed(&elastic(POISSON), OVERLAP));
    let top = loading(amplitude) * s_max;
    let legs = [(0.0, 1), (top, steps), (-2.0 * top, steps), (2.0 * top, steps)];
    let rows = drive(&elastic(POISSON), mindlin(), &legs.map(|(slide, steps)| Leg::slide(OVERLAP, slide, steps)));
    rows[1..].iter().map(|row| [row.slide[0] / s_max, friction(row) / full]).collect()
}

/// The largest distance of a loop from the closed forms.
fn deviation(amplitude: f64, steps: usize) -> f64 {
    let rows = closed_loop(amplitude, steps as u32);
    let off = |(k, [s, q]): (usize, &[f64; 2])| {
        let form = match (k.max(1) - 1) / steps {
            0 => loading(*q),
            1 => unloading(amplitude, *q),
            _ => -unloading(amplitude, -q),
        };
        (form - s).abs()
    };
    rows.iter().enumerate().map(off).fold(0.0, f64::max)
}

/// The largest distance from the independent series, which ours follows place by place.
fn distance_from_series(amplitude: &str) -> f64 {
    let (s_max, full) = (most(OVERLAP), MU * pressed(&elastic(POISSON), OVERLAP));
    let series = reference::loop_of(amplitude);
    let mut legs = vec![Leg::slide(OVERLAP, 0.0, 1)];
    let places = std::iter::once(0.0).chain(series.iter().map(|row| row[0]));
    let steps: Vec<f64> = places.collect::<Vec<_>>().windows(2).map(|pair| pair[1] - pair[0]).collect();
    legs.extend(steps.iter().map(|step| Leg::slide(OVERLAP, step * s_max, 1)));
    let rows = drive(&elastic(POISSON), mindlin(), &legs);
    let off = rows[2..].iter().zip(&series).map(|(row, expected)| (friction(row) / full - expected[1]).abs());
    off.fold(0.0, f64::max)
}

/// What the work of a loop misses of (24/5) [1 - (1-q)^(5/3) - (5 q/6) (1 + (1-q)^(2/3))].
fn work_error(q: f64) -> f64 {
    let steps = 20_000;
    let rows = closed_loop(q, steps);
    let closed = &rows[steps as usize..];
    let found: f64 = closed.windows(2).map(|pair| 0.5 * (pair[0][1] + pair[1][1]) * (pair[1][0] - pair[0][0])).sum();
    let root = math::pow(1.0 - q, 2.0 / 3.0);
    (found - 4.8 * (1.0 - root * (1.0 - q) - 5.0 / 6.0 * q * (1.0 + root))).abs()
}

/// Errors of the cases A (oblique loading), B (compression at rest) and C (release at rest), over mu P.
fn varying() -> [f64; 3] {
    let elastic = elastic(POISSON);
    let (kappa, limit) = (elastic.kappa(), |z: f64| MU * pressed(&elastic, z));
    // Along s = kappa beta d, below the cone: Q = beta P.
    let beta = 0.3;
    let rows = drive(&elastic, mindlin(), &[Leg::slide(OVERLAP, kappa * beta * OVERLAP, 100)]);
    let oblique = rows[1..].iter().map(|row| (friction(row) - beta * row.normal_force).abs() / limit(OVERLAP));
    let s = 0.3 * most(OVERLAP);
    let sheared = [Leg::slide(OVERLAP, 0.0, 1), Leg::slide(OVERLAP, s, 100)];
    let then = |overlap: f64| {
        let rows = drive(&elastic, mindlin(), &[&sheared[..], &[Leg::slide(overlap, 0.0, 100)]].concat());
        rows[sheared.len() + 99..].to_vec()
    };
    let pressed_on = then(2.0 * OVERLAP);
    let compressed = pressed_on.iter().map(|row| (friction(row) - friction(&pressed_on[0])).abs() / limit(OVERLAP));
    let released = then(0.5 * OVERLAP);
    // Q = mu [P(d) - P(d - s/(mu kappa))].
    let form = |z: f64| limit(z) - limit(z - s / (MU * kappa));
    let released = released.iter().map(|row| (friction(row) - form(row.overlap)).abs() / limit(OVERLAP));
    let largest = |errors: &mut dyn Iterator<Item = f64>| errors.fold(0.0, f64::max);
    [largest(&mut { oblique }), largest(&mut { compressed }), largest(&mut { released })]
}

/// Overlap and slide of the legs of a closed path that begins where pressing ends.
type Path = [(f64, f64); 4];

/// Net work of a path, gone `times` times.
fn net_work(slide: Slide, first: f64, path: Path, times: usize) -> f64 {
    let elastic = elastic(POISSON);
    let s = 0.2 * most(SMALL);
    let leg = |&(overlap, share): &(f64, f64)| Leg::slide(overlap, share * s, 100);
    let mut legs = vec![Leg::slide(first, 0.0, 100)];
    (0..times).for_each(|_| legs.extend(path.iter().map(leg)));
    work(&drive(&elastic, slide, &legs)) / (0.5 * elastic.tangential_stiffness(patch(LARGE)) * s * s)
}

const A: Path = [(LARGE, 1.0), (SMALL, 0.0), (SMALL, -1.0), (LARGE, 0.0)];
const B: Path = [(SMALL, 1.0), (LARGE, 0.0), (LARGE, -1.0), (SMALL, 0.0)];

/// Net works of A, B, B50 and A50 as theory or the specification has them, and to how much.
fn expected(law: &str) -> Option<([f64; 4], f64)> {
    // With linear laws 1 - a2/a1 = 1/2 a loop; rescaling both ways the whole.
    match law {
        "mindlin" => Some(([0.535, 0.526, 25.4, f64::NAN], 1e-3)),
        "mindlin-secant" => Some(([0.5, -0.5, -25.0, f64::NAN], 1e-3)),
        // The specification has -21.9, after another last leg.
        "mindlin-rescale" => Some(([1.0, -0.5, -25.0, -22.0], 1e-3)),
        "mindlin-force" => Some(([-0.5, 0.5, 25.0, f64::NAN], 1e-3)),
        "mindlin-rescale-force" => Some(([0.5, 0.5, 25.0, f64::NAN], 1e-3)),
        _ => None,
    }
}

/// Root mean square and largest error of the friction over mu P, in a random walk of overlap and slide (steps of 1 % of the overlap and of
/// s_max, along both tangents), of a history of so many vertices against one that loses none.
fn history_error(history: u16) -> [f64; 2] {
    let elastic = elastic(POISSON);
    let walk = |history: u16| {
        let mut stream = Stream::named(34, "walk");
        let mut overlap = OVERLAP;
        let steps = 10_000;
        let mut segments = vec![Segment { overlap, ..STILL }];
        segments.extend((0..steps).map(|_| {
            let mut part = |size: f64| stream.between(-0.01 * size, 0.01 * size);
            overlap = (overlap + part(OVERLAP)).clamp(0.3 * OVERLAP, 3.0 * OVERLAP);
            Segment { overlap, slide: [part(most(OVERLAP)), part(most(OVERLAP))], ..STILL }
        }));
        let law = Slide::Mindlin(Mindlin { history, ..Mindlin::new(elastic, MU) });
        probe(&elastic, law, segments).run()
    };
    let (ours, exact) = (walk(history), walk(Mindlin::MOST_HISTORY));
    let off = |(a, b): (&ProbeRow, &ProbeRow)| {
        let limit = MU * pressed(&elastic, a.overlap);
        let d = [0, 1].map(|k| a.force[k] - b.force[k]);
        (d[0] * d[0] + d[1] * d[1]).sqrt() / limit
    };
    let errors: Vec<f64> = ours[1..].iter().zip(&exact[1..]).map(off).collect();
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    [(squares / errors.len() as f64).sqrt(), errors.iter().fold(0.0, |most, error| most.max(*error))]
}

/// A step in which nothing moves.
const STILL: Segment = Segment { steps: 1, duration: 1.0, overlap: 0.0, slide: [0.0; 2], roll: [0.0; 2], spin: 0.0 };

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    let amplitude = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    let largest = |of: &dyn Fn(&str) -> f64| AMPLITUDES.iter().map(|text| of(text)).fold(0.0, f64::max);
    (context.progress)(0.0, "loops");
    let off = largest(&|text| deviation(amplitude(text), 200));
    outcome.checked("max_deviation", off, 0.0, 1e-12, "Mindlin and Deresiewicz 1953, in closed form");
    let off = largest(&distance_from_series);
    outcome.checked("series_deviation", off, 0.0, 2e-9, "independent computation, nine digits");
    let off = largest(&|text| work_error(amplitude(text)));
    outcome.checked("loop_work_error", off, 0.0, 1e-7, "the same in closed form; trapezoidal rule over 20 000 steps");
    for (case, error) in ["A", "B", "C"].into_iter().zip(varying()) {
        outcome.checked(&format!("varying_load_error[{case}]"), error, 0.0, 1e-12, "superposition in closed form");
    }
    for (history, most) in [(4, 0.1), (8, 0.02), (12, 5e-3), (24, 5e-4)] {
        let [rms, largest] = history_error(history);
        outcome.metric(format!("history_error_rms[{history}]"), rms);
        let name = format!("history_error[{history}]");
        outcome.checked(&name, largest, 0.0, most, "a history that loses no vertex, in a random walk");
    }
    let mut table = String::from("law,A,B,B50,A50\n");
    for (name, slide) in laws(elastic(POISSON)) {
        context.check_interrupt()?;
        (context.progress)(0.5, "energy of closed loops");
        let found = [
            net_work(slide, LARGE, A, 1),
            net_work(slide, SMALL, B, 1),
            net_work(slide, SMALL, B, 50),
            net_work(slide, LARGE, A, 50),
        ];
        table += &format!("{name},{},{},{},{}\n", found[0], found[1], found[2], found[3]);
        for (k, path) in ["A", "B", "B50", "A50"].into_iter().enumerate() {
            let metric = format!("net_work[{name},{path}]");
            outcome.metric(&metric, found[k]);
            if let Some((expected, tolerance)) = expected(name).filter(|(expected, _)| expected[k].is_finite()) {
                // Printed to three digits.
                let tolerance = tolerance * expected[k].abs().max(1.0) * 2.0;
                outcome.check(metric, found[k], expected[k], tolerance, "theory, and an independent computation");
            }
        }
    }
    outcome.file("energy.csv", table);
    outcome.file("figure.svg", figure().to_svg());
    Ok(outcome)
}

fn figure() -> Multiples {
    let axis = Axis::linear;
    let of = |(colour, text): (usize, &&str)| {
        let amplitude = text.parse().unwrap_or(f64::NAN);
        let points = closed_loop(amplitude, 100).into_iter().map(|[s, q]| (s, q));
        Series::line(&format!("Q*/(mu P) = {text}"), colour, Line::Solid, points)
    };
    let series = AMPLITUDES.iter().enumerate().map(of).collect();
    let plot = Plot {
        title: "constant normal force".into(),
        x: axis("s/s_max"),
        y: axis("Q/(mu P)"),
        x_range: Some((-1.0, 1.0)),
        y_range: Some((-1.0, 1.0)),
        levels: Vec::new(),
        series,
    };
    Multiples { title: "Load loops of elastic spheres (mindlin)".into(), columns: 1, plots: vec![plot] }
}

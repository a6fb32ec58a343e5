//! Accuracy against CPU time of the solvers of contact problems, on one step of a settled pile (`cargo xtask bench --cone`).
//!
//! Spheres (45 mm, 2028 kg/m^3, mu = 0.6, rho = sigma = 2.5 mm) fall into a box and settle under the convex law, with steps of
//! 5 ms: a pile that settled under the exact law is jammed for the convex one, which then throws spheres out. All solvers get the
//! problem of the next step, from zero impulses. The error is the root mean square of the velocities against a solution with a
//! residual of 1e-9 m/s under the convex law, under which velocities are unique. One thread.
//!
//! Does not do: other programs (docs/speed.md has measurements of Chrono from elsewhere).

use std::collections::BTreeMap;
use std::fmt::Write;

use cpu_time::ProcessTime;
use glam::{DMat3, DVec3};
use stickslip::cone::{
    Cone, Cones, LoadRule, Problem, ProblemBody, ProblemContact, Rule, Settings, Solution, Solver, Twist, Wrench,
    solve_by,
};
use stickslip::random::Stream;
use stickslip::response::Response;

const RADIUS: f64 = 0.0225;
const MASS: f64 = 0.09676;
const STEP: f64 = 5e-3;
const CONES: Cones = Cones { slide: 0.6, roll: 2.5e-3, spin: 2.5e-3 };
const GRAVITY: f64 = 9.81;
/// Gap up to which a pair is a contact (m).
const MARGIN: f64 = 2e-3;
/// Steps until the pile rests.
const SETTLE: u32 = 600;
/// The pile's first lattice has so many spheres along a side of a layer.
const SIDE: usize = 8;
/// Between sites of that lattice, and how far from them a sphere may start (radii).
const PITCH: f64 = 2.7;
const JITTER: f64 = 0.3;
/// Repetitions, of which the least time counts.
const REPEATS: u32 = 3;

/// Spheres that fall.
struct Pile {
    centres: Vec<DVec3>,
    twists: Vec<Twist>,
    carried: BTreeMap<(u32, u32), Wrench>,
}

impl Pile {
    fn new(count: usize) -> Pile {
        let mut stream = Stream::named(7, "pile");
        let pitch = PITCH * RADIUS;
        let place = |at: usize| {
            let mut jitter = || stream.between(-JITTER, JITTER) * RADIUS;
            let across = |k: usize| (k as f64 - 0.5 * (SIDE - 1) as f64) * pitch;
            let (x, y) = (across(at % SIDE), across(at / SIDE % SIDE));
            let z = pitch * (0.6 + (at / (SIDE * SIDE)) as f64);
            DVec3::new(x + jitter(), y + jitter(), z + jitter())
        };
        Pile {
            centres: (0..count).map(place).collect(),
            twists: vec![Twist::default(); count],
            carried: BTreeMap::new(),
        }
    }

    /// The contact problem of the next step; keys of its contacts, walls from `u32::MAX` down.
    fn problem(&self) -> (Problem, Vec<(u32, u32)>) {
        let response = Response {
            linear: DMat3::from_diagonal(DVec3::splat(1.0 / MASS)),
            angular: DMat3::from_diagonal(DVec3::splat(1.0 / (0.4 * MASS * RADIUS * RADIUS))),
        };
        let free = |twist: &Twist| Twist { velocity: twist.velocity - DVec3::Z * (GRAVITY * STEP), ..*twist };
        let bodies = self.twists.iter().map(|twist| ProblemBody { response, free: free(twist) }).collect();
        let mut problem = Problem { bodies, ..Problem::default() };
        let mut keys = Vec::new();
        let mut touch = |key: (u32, u32), normal: DVec3, gap: f64, body: bool| {
            let arm = [normal * -RADIUS, if body { normal * RADIUS } else { DVec3::ZERO }];
            let b = body.then_some(key.1);
            let bias = normal * (gap / STEP).max(-1.0);
            let impulse = self.carried.get(&key).copied().unwrap_or_default();
            let (a, cones, length) = (key.0, CONES, RADIUS);
            problem.contacts.push(ProblemContact {
                a,
                b,
                normal,
                arm,
                bias,
                cones,
                length,
                impulse,
                options: Default::default(),
            });
            keys.push(key);
        };
        let half = 0.5 * SIDE as f64 * PITCH * RADIUS;
        let reach = |twist: &Twist| MARGIN + twist.velocity.length() * STEP;
        for (a, centre) in (0_u32..).zip(&self.centres) {
            let margin = reach(&self.twists[a as usize]);
            for (wall, (normal, at)) in (0_u32..).zip([
                (DVec3::Z, 0.0),
                (DVec3::X, -half),
                (-DVec3::X, -half),
                (DVec3::Y, -half),
                (-DVec3::Y, -half),
            ]) {
                let gap = centre.dot(normal) - at - RADIUS;
                if gap < margin {
                    touch((a, u32::MAX - wall), normal, gap, false);
                }
            }
            for (b, other) in (0..a).zip(&self.centres) {
                let apart = *centre - *other;
                let within = 2.0 * RADIUS + margin.max(reach(&self.twists[b as usize]));
                if apart.length_squared() < within * within {
                    touch((a, b), apart.normalize(), apart.length() - 2.0 * RADIUS, true);
                }
            }
        }
        (problem, keys)
    }

    fn advance(&mut self) {
        let (problem, keys) = self.problem();
        let settings = Settings { cone: Cone::Associated, relaxation: 1.7, tolerance: 1e-5, max_iterations: 400 };
        let Ok(Solution { twists, impulses, .. }) = problem.solve_by(&settings, Rule::default()) else { return };
        self.carried = keys.into_iter().zip(impulses).collect();
        for (centre, twist) in self.centres.iter_mut().zip(&twists) {
            *centre += twist.velocity * STEP;
        }
        self.twists = twists;
    }
}

/// One point of a solver's curve.
#[derive(Clone, Debug)]
pub struct Point {
    /// The solver.
    pub name: &'static str,
    /// Iterations that it was given.
    pub iterations: u32,
    /// CPU time (s).
    pub seconds: f64,
    /// Root mean square of the error of velocities (m/s).
    pub error: f64,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Curves {
    /// Spheres and contacts.
    pub size: (usize, usize),
    /// Residual of the reference (m/s).
    pub reference: f64,
    /// All points, solver by solver.
    pub points: Vec<Point>,
    /// A Gauss-Seidel update of a contact (ns).
    pub update: f64,
    /// How often the largest speed is that of a free fall in a step: below 1 the pile rests.
    pub restless: f64,
}

/// Settles a pile of so many spheres and solves its next step.
pub fn measure(count: usize) -> Result<Curves, String> {
    let mut pile = Pile::new(count);
    (0..SETTLE).for_each(|_| pile.advance());
    let fastest = pile.twists.iter().map(|twist| twist.velocity.length()).fold(0.0, f64::max);
    pile.carried.clear();
    let (problem, _) = pile.problem();
    let tight = Settings { cone: Cone::Associated, relaxation: 1.0, tolerance: 1e-9, max_iterations: 200_000 };
    let by = |solver| Rule { solver, load: LoadRule::Solved };
    let said = |error: stickslip::cone::ProblemError| error.to_string();
    let reference = problem.solve_by(&tight, by(Solver::Apgd)).map_err(said)?;
    let mut curves = Curves {
        size: (count, problem.contacts.len()),
        reference: reference.certificate.residual,
        points: Vec::new(),
        update: f64::INFINITY,
        restless: fastest / (GRAVITY * STEP),
    };
    let plans: [(Solver, &str, f64, &[u32]); 4] = [
        (Solver::GaussSeidel, "gauss-seidel", 1.0, &[25, 50, 100, 200, 500, 1000, 2000, 5000]),
        (Solver::GaussSeidel, "gauss-seidel 1.7", 1.7, &[25, 50, 100, 200, 500, 1000, 2000, 5000]),
        (Solver::Apgd, "apgd", 1.0, &[25, 50, 100, 200, 400, 700, 1000, 1500]),
        (Solver::Newton, "newton", 1.0, &[12, 15, 20, 30]),
    ];
    for (solver, name, relaxation, budgets) in plans {
        for &iterations in budgets {
            let settings = Settings { relaxation, max_iterations: iterations, tolerance: 1e-12, ..tight };
            let mut seconds = f64::INFINITY;
            let mut error = 0.0;
            for _ in 0..REPEATS {
                let (mut rows, response, mut twists) = problem.to_rows().map_err(said)?;
                let before = ProcessTime::now();
                solve_by(&mut rows, &response, &mut twists, &settings, by(solver));
                seconds = seconds.min(before.elapsed().as_secs_f64());
                let off = |(a, b): (&Twist, &Twist)| (a.velocity - b.velocity).length_squared();
                error = (twists.iter().zip(&reference.twists).map(off).sum::<f64>() / count as f64).sqrt();
            }
            if solver == Solver::GaussSeidel && iterations >= 500 {
                curves.update =
                    curves.update.min(seconds / f64::from(iterations) / problem.contacts.len() as f64 * 1e9);
            }
            curves.points.push(Point { name, iterations, seconds, error });
        }
    }
    Ok(curves)
}

impl Curves {
    /// A table for people.
    pub fn to_markdown(&self) -> String {
        let mut text = format!(
            "{} spheres, {} contacts; reference to {:.1e} m/s; largest speed {:.1e} g h; {:.0} ns per Gauss-Seidel update\n\n\
             | solver | iterations | CPU s | error m/s |\n| --- | --- | --- | --- |\n",
            self.size.0, self.size.1, self.reference, self.restless, self.update
        );
        for Point { name, iterations, seconds, error } in &self.points {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {name} | {iterations} | {seconds:.4} | {error:.1e} |");
        }
        text
    }
}

//! `tasora/limit-states`: stacks of spheres that rest or begin to move, after one step from rest.
//!
//! Three spheres on rough ground (mu = 0.9) touch each other and carry a fourth. With t the lean of the line from a lower centre to the upper one,
//! sin t = 1/sqrt 3, the stack rests if and only if
//!
//! ```text
//!   rho/R >= (sin t - mu (1 + cos t))/(1 + 4 (cos t + mu sin t)),   at rho = 0:  mu >= tan(t/2) = 0.317837
//! ```
//!
//! A bisection finds both limits. A pyramid of 6 + 3 + 1 spheres with one mu everywhere rests or not as an independent computation found.
//! Solver: Newton, to 1e-13 m/s, so that a motion of 1e-9 m/s within a step is one.

use glam::DVec3;
use stickslip::cone::{Cone, Solver};
use stickslip::model::Nonsmooth;
use stickslip::{Body, World};
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::rig::{self, Friction, GRAIN, GROUND};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "tasora/limit-states",
    title: "A tetrahedron and a pyramid of spheres rest up to their limits",
    scaled_down: "",
    run,
};

const RADIUS: f64 = 0.0225;
const DENSITY: f64 = 2028.0;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 0.005;
/// Of the ground under the tetrahedron.
const ROUGH: f64 = 0.9;
/// A stack that is no faster than this (m/s) after a step rests.
const REST: f64 = 1e-9;
/// mu of the tetrahedra that are tested on both sides of their limit.
const TESTED: [f64; 5] = [0.15, 0.2, 0.25, 0.28, 0.3];
/// mu, rho/R and whether the pyramid rests.
const PYRAMIDS: [(f64, f64, bool); 4] = [(0.6, 0.0, true), (0.3, 0.05, true), (0.2, 0.1, true), (0.1, 0.1, false)];

/// Takes one step from rest and returns the world after it.
fn step(friction: Friction, ground: Friction, centres: &[DVec3]) -> Result<World, Ended> {
    let method = Nonsmooth {
        cone: Cone::Exact,
        solver: Solver::Newton,
        tolerance: Some(1e-13),
        max_iterations: 100_000,
        ..Nonsmooth::default()
    };
    let mut model = rig::model(friction, DENSITY, DVec3::Z * -GRAVITY, STEP, method);
    model.laws.set(GRAIN, GROUND, ground.laws());
    let spheres = centres.iter().map(|centre| rig::sphere(RADIUS, *centre * RADIUS));
    let bodies: Vec<Body> = spheres.chain([rig::floor()]).collect();
    let mut world = rig::world(model, bodies)?;
    rig::advance(&mut world, 1)?;
    if rig::troubled_steps(&world) > 0 {
        return Err(Ended::Failed(format!("a stack was not solved: {friction:?}, {:?}", world.solver())));
    }
    Ok(world)
}

fn speed(world: &World) -> f64 {
    world.ids().map(|id| world.body(id).velocity.length()).fold(0.0, f64::max)
}

fn tetrahedron(mu: f64, ratio: f64) -> Result<f64, Ended> {
    let side = 2.0 / 3.0_f64.sqrt();
    let low = [DVec3::new(side, 0.0, 1.0), DVec3::new(-0.5 * side, 1.0, 1.0), DVec3::new(-0.5 * side, -1.0, 1.0)];
    let centres = [low[0], low[1], low[2], DVec3::Z * (1.0 + (8.0_f64 / 3.0).sqrt())];
    let friction = Friction { slide: mu, roll: ratio * RADIUS, spin: 0.0 };
    Ok(speed(&step(friction, Friction { slide: ROUGH, ..friction }, &centres)?))
}

/// The least rho/R with which it rests.
fn closed_form(mu: f64) -> f64 {
    let (sin, cos) = lean();
    ((sin - mu * (1.0 + cos)) / (1.0 + 4.0 * (cos + mu * sin))).max(0.0)
}

fn lean() -> (f64, f64) {
    ((1.0_f64 / 3.0).sqrt(), (2.0_f64 / 3.0).sqrt())
}

/// The value between two at which a stack begins to rest, halved until neighbours differ by rounding of a limit: 1e-9.
fn limit(mut low: f64, mut high: f64, speed: impl Fn(f64) -> Result<f64, Ended>) -> Result<f64, Ended> {
    while high - low > 1e-9 {
        let middle = 0.5 * (low + high);
        if speed(middle)? < REST {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

fn pyramid() -> Vec<DVec3> {
    let mut centres = Vec::new();
    for layer in 0..3_u32 {
        let (up, aside) = (f64::from(layer), DVec3::new(1.0, 1.0 / 3.0_f64.sqrt(), 0.0));
        for j in 0..3 - layer {
            for i in 0..3 - layer - j {
                let along = DVec3::new(2.0 * f64::from(i) + f64::from(j), 3.0_f64.sqrt() * f64::from(j), 0.0);
                centres.push(along + aside * up + DVec3::Z * (1.0 + up * (8.0_f64 / 3.0).sqrt()));
            }
        }
    }
    centres
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    (context.progress)(0.0, "tetrahedra");
    let (sin, cos) = lean();
    let mu = limit(0.2, 0.5, |mu| tetrahedron(mu, 0.0))?;
    // A motion of 1e-9 m/s within a step is one: that is 2e-8 g h.
    outcome.checked("mu_critical", mu, sin / (1.0 + cos), 1e-6, "tan(t/2), sin t = 1/sqrt 3");
    context.check_interrupt()?;
    let ratio = limit(0.0, 0.2, |ratio| tetrahedron(0.2, ratio))?;
    outcome.checked("rho_critical_over_R[mu=0.2]", ratio, closed_form(0.2), 1e-6, "statics of the stack");
    let mut table = String::from("mu,rho_over_R,limit,speed\n");
    let mut wrong = 0;
    for (number, mu) in TESTED.into_iter().enumerate() {
        context.check_interrupt()?;
        (context.progress)(0.3 + 0.1 * number as f64, "tetrahedra");
        for share in [0.999, 1.001] {
            let ratio = share * closed_form(mu);
            let speed = tetrahedron(mu, ratio)?;
            wrong += u32::from((speed < REST) != (share > 1.0));
            table += &format!("{mu},{ratio},{},{speed:e}\n", closed_form(mu));
        }
    }
    outcome.checked("wrong_within_0.1_percent", f64::from(wrong), 0.0, 0.0, "10 stacks, 0.1 % on either side");
    outcome.file("tetrahedra.csv", table);
    let of_pyramids = pyramids(&mut outcome)?;
    outcome.file("pyramids.csv", of_pyramids);
    outcome.file("figure.svg", figure(mu, ratio).to_svg());
    Ok(outcome)
}

fn pyramids(outcome: &mut Outcome) -> Result<String, Ended> {
    let mut table = String::from("mu,rho_over_R,speed,ground_force\n");
    for (mu, ratio, rests) in PYRAMIDS {
        let friction = Friction { slide: mu, roll: ratio * RADIUS, spin: ratio * RADIUS };
        let world = step(friction, friction, &pyramid())?;
        let (speed, force) = (speed(&world), -world.body(world.id_count() - 1).force.z);
        let name = format!("pyramid_rests[{mu},{ratio}]");
        outcome.holds(&name, speed < REST);
        let found = f64::from(u8::from(speed < REST));
        outcome.check(&name, found, f64::from(u8::from(rests)), 0.0, "independent computation");
        if rests {
            let weight = format!("pyramid_ground_force[{mu},{ratio}]");
            outcome.checked(&weight, force, 9.492336, 1e-6, "weight of ten spheres");
        }
        table += &format!("{mu},{ratio},{speed:e},{force}\n");
    }
    Ok(table)
}

/// The limit of the tetrahedron, and where the bisections ended.
fn figure(mu: f64, ratio: f64) -> Multiples {
    let curve = (0..=100).map(|k| 0.13 + 0.0025 * f64::from(k)).map(|mu| (mu, closed_form(mu)));
    let series = vec![
        Series::line("closed form", 6, Line::Solid, curve),
        Series::marks("bisection", 0, Symbol::Circle, [(mu, 0.0), (0.2, ratio)]),
        Series::marks("rests 0.1 % above, moves 0.1 % below", 2, Symbol::Cross, TESTED.map(|mu| (mu, closed_form(mu)))),
    ];
    let plot = Plot {
        title: "four spheres".into(),
        x: Axis::linear("mu between spheres"),
        y: Axis::linear("rho/R"),
        x_range: None,
        y_range: Some((-0.01, 0.13)),
        levels: Vec::new(),
        series,
    };
    Multiples { title: "The stack rests above the line".into(), columns: 1, plots: vec![plot] }
}

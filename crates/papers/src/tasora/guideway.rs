//! `tasora/guideway`, section 6.2 (Fig. 8): the drag of a linear guideway, four rows of nine balls between rail and carriage.
//!
//! ```text
//!   F_x = sqrt(2) zeta F_y + S          rho = zeta R_b
//!   F_x = zeta F_y + S                  rho = zeta R_b cos 45 degrees: the maker's formula
//! ```
//!
//! A vertical load rests on two rows at 45 degrees, so that their balls bear sqrt(2) F_y. A ball between two surfaces rolls at half the speed, with
//! rolling friction at both: F = rho Q/R_b per ball. S is dry friction of the seal.
//!
//! Here the carriage is a box, turned by 45 degrees about its way x, inside a rail of four fixed planes: every row has the normals of the
//! paper's guideway, only inside out. It moves along x and y only; a joint along x drives it and has the seal. Rows without load have 10 um of play.
//! Under a preload (2 um of interference per ball, stiff contacts, one ball per row) the exact law gives the same drag at any speed; the convex law
//! presses the balls apart by h A_r and gives more, the faster the more.

use glam::{DQuat, DVec3};
use stickslip::cone::{Cone, Solver};
use stickslip::frame::Pose;
use stickslip::joint::{Frames, Joint, JointKind, Target};
use stickslip::law::{Give, Rigid, RigidLaws};
use stickslip::model::Nonsmooth;
use stickslip::{Body, Material, Model, Setup, Shape, World};
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::rig::{self, Friction, GRAIN, GROUND};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "tasora/guideway",
    title: "The drag of a linear guideway under load and preload (section 6.2)",
    scaled_down: "",
    run,
};

/// R_b (m).
const RADIUS: f64 = 0.0032;
/// Half the carriage's width (m).
const HALF: f64 = 0.01;
const STEP: f64 = 1e-3;
const ZETA: f64 = 0.005;
/// S (N).
const SEAL: f64 = 5.3;
/// Of a ball under its load, by Hertz (N/m).
const STIFFNESS: f64 = 2.14e7;
/// Play of rows without load (m).
const PLAY: f64 = 1e-5;
/// By how far a preloaded ball is pressed into each surface (m).
const INTERFERENCE: f64 = 1e-6;
/// cos 45 degrees.
const COS: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A guideway and what is done with it.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// rho/R_b.
    zeta: f64,
    /// F_y (N), downwards.
    load: f64,
    /// S (N).
    seal: f64,
    /// How fast the carriage is driven (m/s), or the force that pushes it from rest (N).
    moved: Moved,
    cone: Cone,
    /// Preloaded, with one ball per row; else rigid with nine.
    preload: bool,
    /// Play of the upper rows (m).
    play: f64,
}

#[derive(Clone, Copy, Debug)]
enum Moved {
    Driven(f64),
    Pushed(f64),
}

impl Case {
    fn loaded(load: f64) -> Case {
        let (moved, cone) = (Moved::Driven(0.01), Cone::Exact);
        Case { zeta: ZETA, load, seal: SEAL, moved, cone, preload: false, play: PLAY }
    }

    fn preloaded(speed: f64, cone: Cone) -> Case {
        let moved = Moved::Driven(speed);
        Case { zeta: ZETA, load: 0.0, seal: 0.0, moved, cone, preload: true, play: 0.0 }
    }

    fn speed(&self) -> f64 {
        if let Moved::Driven(speed) = self.moved { speed } else { 0.0 }
    }

    fn model(&self) -> Model {
        let materials = ["ball", "raceway"].map(|name| Material { name: name.into(), density: 7800.0 });
        let mut model = Model::new(materials.to_vec(), STEP);
        let length = self.zeta * RADIUS;
        let laws = Friction { slide: 0.1, roll: length, spin: length }.laws();
        let give = self.preload.then_some(Give { stiffness: STIFFNESS, damping: 0.0 });
        model.laws.set(GRAIN, GROUND, RigidLaws { normal: Rigid { give, ..Rigid::default() }, ..laws });
        // The paper leaves balls against balls out.
        model.laws.let_pass(GRAIN, GRAIN);
        model.laws.let_pass(GROUND, GROUND);
        let settings = Nonsmooth {
            cone: self.cone,
            solver: Solver::Auto,
            tolerance: Some(1e-9),
            max_iterations: 20_000,
            ..Nonsmooth::default()
        };
        model.method = settings.into();
        model
    }

    /// The carriage, inside the rail.
    fn carriage(&self) -> Body {
        let side = 2.0 * (HALF + if self.preload { INTERFERENCE } else { 0.0 });
        let push = if let Moved::Pushed(force) = self.moved { force } else { 0.0 };
        Body {
            mass: Some(1.0),
            inertia_body: Some(DVec3::splat(1e-3)),
            // Half of 45 degrees: sin and cos of pi/8.
            orientation: DQuat::from_xyzw(0.382_683_432_365_089_8, 0.0, 0.0, 0.923_879_532_511_286_7),
            velocity: DVec3::X * self.speed(),
            force: DVec3::new(push, -self.load, 0.0).into(),
            lock: [false, false, true, true, true, true],
            ..Body::new(Shape::Box { size: DVec3::new(0.12, side, side) }, GROUND, DVec3::ZERO)
        }
    }

    /// Balls of a row in this direction from the middle, which roll already.
    fn row(&self, outwards: DVec3) -> Vec<Body> {
        let turning = -outwards.cross(DVec3::X) * (0.5 * self.speed() / RADIUS);
        let ball = |k: i32| Body {
            velocity: DVec3::X * (0.5 * self.speed()),
            angular_velocity: turning,
            ..rig::sphere(RADIUS, outwards * (HALF + RADIUS) + DVec3::X * (0.0075 * f64::from(k)))
        };
        if self.preload { vec![ball(0)] } else { (-4..=4).map(ball).collect() }
    }

    fn world(&self) -> Result<World, Ended> {
        let mut model = self.model();
        let carriage = self.carriage();
        let pose = Pose { position: carriage.position, orientation: carriage.orientation };
        let frames = Frames::at_start([pose, Pose::IDENTITY], [DVec3::ZERO; 2], DVec3::X);
        let mut joint = Joint::new(JointKind::Linear, 0, None, frames);
        if self.seal > 0.0 {
            joint = joint.with_friction(self.seal);
        }
        if let Moved::Driven(speed) = self.moved {
            joint = joint.with_drive(Target::Speed(speed.into()), None);
        }
        model.joints = vec![joint];
        let mut bodies = vec![carriage];
        for (up, side) in [(-1.0, 1.0), (-1.0, -1.0), (1.0, 1.0), (1.0, -1.0)] {
            let outwards = DVec3::new(0.0, up, side) * COS;
            let play = if up > 0.0 { self.play } else { 0.0 };
            let pressed = if self.preload { INTERFERENCE } else { 0.0 };
            bodies.extend(self.row(outwards));
            bodies.push(rig::plane(-outwards, outwards * (HALF + 2.0 * RADIUS + play - pressed)));
        }
        World::new(Setup { model, bodies }).map_err(Ended::failed)
    }

    /// The mean force of the drive over the second half of 0.1 s (N), and the farthest that it is from that in a step.
    fn drag(&self) -> Result<Drag, Ended> {
        let mut world = self.world()?;
        rig::advance(&mut world, 50)?;
        let mut forces = Vec::new();
        for _ in 0..50 {
            rig::advance(&mut world, 1)?;
            forces.push(world.joints().first().map_or(f64::NAN, |row| row.drive));
        }
        let mean = forces.iter().sum::<f64>() / forces.len() as f64;
        let ripple = forces.iter().map(|force| (force - mean).abs()).fold(0.0, f64::max);
        Ok(Drag { case: *self, mean, ripple, troubled: rig::troubled_steps(&world) })
    }

    /// How fast the carriage is after two steps from rest (m/s).
    fn pushed(&self) -> Result<f64, Ended> {
        let mut world = self.world()?;
        rig::advance(&mut world, 2)?;
        Ok(world.body(0).velocity.x)
    }
}

/// A drag that was measured.
struct Drag {
    case: Case,
    mean: f64,
    ripple: f64,
    troubled: u64,
}

impl Drag {
    fn row(&self) -> String {
        let Case { zeta, load, seal, cone, preload, .. } = self.case;
        let cone = if cone == Cone::Exact { "exact" } else { "associated" };
        let speed = self.case.speed();
        let Drag { mean, ripple, troubled, .. } = self;
        format!("{zeta},{load},{seal},{speed},{cone},{preload},{mean},{:e},{troubled}\n", ripple)
    }
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let mut outcome = Outcome::default();
    let mut table = String::from("zeta,load,seal,speed,cone,preload,force,ripple,troubled_steps\n");
    let base = Case::loaded(490.0);
    let sqrt = std::f64::consts::SQRT_2;
    let cases = [
        ("force[100]", Case::loaded(100.0), sqrt * ZETA * 100.0 + SEAL),
        ("force[490]", base, sqrt * ZETA * 490.0 + SEAL),
        ("force[2000]", Case::loaded(2000.0), sqrt * ZETA * 2000.0 + SEAL),
        ("force_no_seal[490]", Case { seal: 0.0, ..base }, sqrt * ZETA * 490.0),
        ("force_maker[490]", Case { zeta: ZETA * COS, ..base }, ZETA * 490.0 + SEAL),
    ];
    for (number, (name, case, expected)) in cases.into_iter().enumerate() {
        context.check_interrupt()?;
        (context.progress)(0.05 * number as f64, "guideway under load");
        let drag = case.drag()?;
        outcome.checked(name, drag.mean, expected, 1e-3, "statics: sqrt(2) zeta F_y + S, or the maker's formula");
        outcome.check(format!("{name}, every step"), drag.ripple, 0.0, 1e-3, "the load does not change");
        table += &drag.row();
    }
    push(&mut outcome)?;
    (context.progress)(0.4, "guideway under preload");
    let drags = preload(&mut outcome)?;
    table += &drags.iter().map(Drag::row).collect::<String>();
    (context.progress)(0.6, "guideway over zeta");
    let swept = sweep(context)?;
    table += &swept.iter().map(Drag::row).collect::<String>();
    outcome.file("forces.csv", table);
    outcome.file("figure.svg", figure(&swept, &drags).to_svg());
    Ok(outcome)
}

/// From rest: it sticks up to the drag, and slips beyond.
fn push(outcome: &mut Outcome) -> Result<(), Ended> {
    let drag = std::f64::consts::SQRT_2 * ZETA * 490.0 + SEAL;
    let pushed = |share: f64| Case { moved: Moved::Pushed(share * drag), ..Case::loaded(490.0) }.pushed();
    // The residual of 1e-9 m/s leaves that much; 1 % of the drag would give 2e-4 m/s.
    outcome.checked("stick_speed[0.99]", pushed(0.99)?, 0.0, 1e-8, "it sticks (m/s after two steps)");
    outcome.checked("stick_speed[0.5]", pushed(0.5)?, 0.0, 1e-8, "it sticks (m/s after two steps)");
    outcome.checked("slip_speed[1.01]", pushed(1.01)?, 1.7e-4, 1e-5, "independent computation, after two steps");
    outcome.checked("slip_speed[1.2]", pushed(1.2)?, 3.5e-3, 1e-4, "independent computation, after two steps");
    // Rigid and without play the convex law has no solution: every contact must open.
    let case = Case { cone: Cone::Associated, play: 0.0, ..Case::loaded(0.0) };
    let mut world = case.world()?;
    // The run stops and names the contacts, or counts the step as unsolved.
    let reported = world.step().is_err() || world.solver().is_some_and(|report| report.unsolved > 0);
    outcome.holds("infeasible_is_reported", reported);
    let found = f64::from(u8::from(reported));
    outcome.check("infeasible_is_reported", found, 1.0, 0.0, "four opposed rows, convex law: no solution");
    Ok(())
}

fn preload(outcome: &mut Outcome) -> Result<Vec<Drag>, Ended> {
    let mut drags = Vec::new();
    for (speed, associated) in [(0.01, 0.4387), (0.2, 0.642)] {
        // The lever is shorter by half of 1 um, a share of 1.6e-4.
        let exact = Case::preloaded(speed, Cone::Exact).drag()?;
        let source = "zeta 4 K 1 um, at any speed";
        outcome.checked(&format!("drag_exact[{speed}]"), exact.mean, 0.428, 1e-3, source);
        let convex = Case::preloaded(speed, Cone::Associated).drag()?;
        let source = "zeta 4 K (1 um + h rho omega)";
        outcome.checked(&format!("drag_associated[{speed}]"), convex.mean, associated, 2e-3, source);
        drags.extend([exact, convex]);
    }
    Ok(drags)
}

/// Fig. 8: over zeta, with and without the seal.
fn sweep(context: &Context) -> Result<Vec<Drag>, Ended> {
    let mut drags = Vec::new();
    for seal in [0.0, SEAL] {
        for zeta in [0.0, 0.0025, 0.005, 0.0075, 0.01] {
            context.check_interrupt()?;
            drags.push(Case { zeta, seal, ..Case::loaded(490.0) }.drag()?);
        }
    }
    Ok(drags)
}

fn figure(swept: &[Drag], preloaded: &[Drag]) -> Multiples {
    let mut left = Vec::new();
    for (colour, seal, name) in [(0, SEAL, "with seal"), (1, 0.0, "without seal")] {
        let own = swept.iter().filter(|drag| drag.case.seal == seal);
        left.push(Series::marks(
            name,
            colour,
            Symbol::Circle,
            own.map(|drag| (drag.case.zeta * RADIUS * 1e6, drag.mean)),
        ));
        let line = |factor: f64| [0.0, 0.01].map(|zeta: f64| (zeta * RADIUS * 1e6, factor * zeta * 490.0 + seal));
        left.push(Series::line("sqrt(2) zeta F_y + S", 6, Line::Solid, line(std::f64::consts::SQRT_2)));
        left.push(Series::line("zeta F_y + S", 5, Line::Dashed, line(1.0)));
    }
    let marks = |name: &str, colour, symbol, cone| {
        let own = preloaded.iter().filter(|drag| drag.case.cone == cone);
        Series::marks(name, colour, symbol, own.map(|drag| (drag.case.speed(), drag.mean)))
    };
    let convex = |v: f64| ZETA * 4.0 * STIFFNESS * (INTERFERENCE + STEP * ZETA * 0.5 * v);
    let right = vec![
        marks("exact", 0, Symbol::Circle, Cone::Exact),
        marks("associated", 1, Symbol::Square, Cone::Associated),
        Series::line("zeta 4 K 1 um", 6, Line::Solid, [0.0, 0.2].map(|v| (v, ZETA * 4.0 * STIFFNESS * INTERFERENCE))),
        Series::line("zeta 4 K (1 um + h rho omega)", 5, Line::Dashed, [0.0, 0.2].map(|v| (v, convex(v)))),
    ];
    let plot = |title: &str, x: &str, series| Plot {
        title: title.into(),
        x: Axis::linear(x),
        y: Axis::linear("drag (N)"),
        x_range: None,
        y_range: None,
        levels: Vec::new(),
        series,
    };
    let plots = vec![plot("Fig. 8, 490 N", "rho (um)", left), plot("preload, no load", "speed (m/s)", right)];
    Multiples { title: "Drag of a linear guideway (Tasora and Anitescu 2013, 6.2)".into(), columns: 2, plots }
}

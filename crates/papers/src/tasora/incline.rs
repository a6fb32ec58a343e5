//! `tasora/incline`: a sphere on a slope, over 106 slopes of five pairs of mu and rho/R, under both laws of the cone.
//!
//! ```text
//!   rests                   tan a <= min(mu, rho/R)
//!   rolls                   a = 5/7 g (sin - rho/R cos)                      up to tan a = (7 mu - 5 rho/R)/2
//!   slides and turns        a = g (sin - mu cos),  alpha R = 5/2 (mu - rho/R) g cos
//!   slides without turning  the same a, alpha = 0                            where rho/R >= mu
//! ```
//!
//! Slopes stand 0.1 % on either side of every limit and evenly in between. `max_acceleration_error` is the largest error of a and of
//! alpha R (m/s^2).
//!
//! The convex law opens a gap of h A_r, in which the point of contact lies midway: the lever of friction is longer by half of it, and
//! accelerations differ by a share g t h/R. The closed form is the limit of small steps; so under this law the acceleration is
//! extrapolated from two steps, h and h/2, over equal numbers of them (the error goes as h^2 then). `gap_effect[associated]` is the error at h
//! itself.

use glam::DVec3;
use stickslip::cone::Cone;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series, Symbol};

use super::rig::{self, CONES, Friction};
use crate::experiment::{Context, Ended, Experiment, Outcome};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "tasora/incline",
    title: "A sphere on 106 slopes rests, rolls or slides as closed forms say",
    scaled_down: "",
    run,
};

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.5;
/// mu and rho/R.
const PAIRS: [(f64, f64); 5] = [(0.5, 0.1), (0.3, 0.05), (0.2, 0.15), (0.4, 0.0), (0.2, 0.3)];
/// Evenly spaced slopes of each pair.
const EVEN: u32 = 18;
/// Steps before the acceleration is measured, in which the lift of the convex law dies out (by mu^2/(1 + mu^2) per step), and those over
/// which it is.
const BEFORE: u64 = 30;
const OVER: u64 = 40;
/// A speed below this share of g t is rest; a slip below this share of the speed is none.
const NOTHING: f64 = 1e-6;
const NO_SLIP: f64 = 1e-4;

/// What the sphere does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Regime {
    Rests,
    Rolls,
    Slides,
    SlidesOnly,
}

/// A slope with its friction.
#[derive(Clone, Copy, Debug)]
struct Case {
    mu: f64,
    ratio: f64,
    /// tan a.
    slope: f64,
}

/// What is expected or found: regime, a and alpha R (m/s^2).
#[derive(Clone, Copy, Debug)]
struct Motion {
    regime: Regime,
    along: f64,
    turning: f64,
}

fn cases() -> Vec<Case> {
    let of = |(mu, ratio): (f64, f64)| {
        let limits = [f64::min(mu, ratio), if ratio < mu { 3.5 * mu - 2.5 * ratio } else { 0.0 }];
        let near = limits.into_iter().filter(|limit| *limit > 0.0).flat_map(|limit| [0.999 * limit, 1.001 * limit]);
        let even = (1..=EVEN).map(|k| 0.1 * f64::from(k));
        near.chain(even).map(move |slope| Case { mu, ratio, slope }).collect::<Vec<_>>()
    };
    PAIRS.into_iter().flat_map(of).collect()
}

impl Case {
    fn sin_cos(&self) -> (f64, f64) {
        let cos = 1.0 / (1.0 + self.slope * self.slope).sqrt();
        (self.slope * cos, cos)
    }

    fn expected(&self) -> Motion {
        let Case { mu, ratio, slope } = *self;
        let (sin, cos) = self.sin_cos();
        if slope <= mu.min(ratio) {
            Motion { regime: Regime::Rests, along: 0.0, turning: 0.0 }
        } else if ratio >= mu {
            Motion { regime: Regime::SlidesOnly, along: GRAVITY * (sin - mu * cos), turning: 0.0 }
        } else if slope <= 3.5 * mu - 2.5 * ratio {
            let rolls = 5.0 / 7.0 * GRAVITY * (sin - ratio * cos);
            Motion { regime: Regime::Rolls, along: rolls, turning: rolls }
        } else {
            let turning = 2.5 * (mu - ratio) * GRAVITY * cos;
            Motion { regime: Regime::Slides, along: GRAVITY * (sin - mu * cos), turning }
        }
    }

    /// What the sphere does in steps of this length, from rest.
    fn measured(&self, cone: Cone, dt: f64) -> Result<Motion, Ended> {
        let (sin, cos) = self.sin_cos();
        let friction = Friction { slide: self.mu, roll: self.ratio * RADIUS, spin: 0.0 };
        // 1e-12 of what gravity gives in the steps measured.
        let method = rig::to_rounding(cone, 1e-12 * GRAVITY * dt);
        let model = rig::model(friction, 1000.0, DVec3::new(sin, 0.0, -cos) * GRAVITY, dt, method);
        let mut world = rig::world(model, vec![rig::sphere(RADIUS, DVec3::Z * RADIUS), rig::floor()])?;
        rig::advance(&mut world, BEFORE)?;
        let before = world.body(0);
        rig::advance(&mut world, OVER)?;
        let after = world.body(0);
        let over = OVER as f64 * dt;
        let along = (after.velocity.x - before.velocity.x) / over;
        let turning = (after.angular_velocity.y - before.angular_velocity.y) * RADIUS / over;
        let (v, turn) = (after.velocity.x, after.angular_velocity.y * RADIUS);
        let nothing = NOTHING * GRAVITY * world.time();
        let regime = match () {
            () if v.abs() < nothing && turn.abs() < nothing => Regime::Rests,
            () if (v - turn).abs() < NO_SLIP * v => Regime::Rolls,
            () if turn.abs() < nothing => Regime::SlidesOnly,
            () => Regime::Slides,
        };
        Ok(Motion { regime, along, turning })
    }
}

/// One case under one law.
struct Found {
    case: Case,
    cone: Cone,
    regime: Regime,
    along: f64,
    turning: f64,
    /// m/s^2, and without the extrapolation.
    error: f64,
    plain_error: f64,
}

fn find(case: Case, cone: Cone) -> Result<Found, Ended> {
    let expected = case.expected();
    let error = |m: &Motion| f64::max((m.along - expected.along).abs(), (m.turning - expected.turning).abs());
    // The exact law has no gap: large steps, which leave less rounding.
    let plain = case.measured(cone, if cone == Cone::Exact { 0.01 } else { 2e-4 })?;
    let mut motion = plain;
    if cone == Cone::Associated {
        let half = case.measured(cone, 1e-4)?;
        let limit = |h: f64, half: f64| (4.0 * half - h) / 3.0;
        motion.along = limit(plain.along, half.along);
        motion.turning = limit(plain.turning, half.turning);
    }
    let Motion { regime, along, turning } = motion;
    Ok(Found { case, cone, regime, along, turning, error: error(&motion), plain_error: error(&plain) })
}

fn run(context: &Context) -> Result<Outcome, Ended> {
    let cases = cases();
    let mut found = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        context.check_interrupt()?;
        (context.progress)(number as f64 / cases.len() as f64, "slopes");
        for (cone, _) in CONES {
            found.push(find(*case, cone)?);
        }
    }
    let mut outcome = Outcome::default();
    let wrong = found.iter().filter(|one| one.regime != one.case.expected().regime).count();
    outcome.checked("slopes", cases.len() as f64, 106.0, 0.0, "five pairs of mu and rho/R");
    outcome.checked("regime_errors", wrong as f64, 0.0, 0.0, "closed forms, both laws");
    let most = |cone: Option<Cone>, of: fn(&Found) -> f64| {
        let own = found.iter().filter(|one| cone.is_none_or(|cone| one.cone == cone));
        own.map(of).fold(0.0, f64::max)
    };
    // Rounding of the gap (R 2^-53) over h, over 40 steps: 2e-10 at the small steps of the convex law.
    outcome.checked(
        "max_acceleration_error",
        most(None, |one| one.error),
        0.0,
        5e-9,
        "closed forms (m/s^2), both laws",
    );
    for (cone, name) in CONES {
        outcome.metric(format!("max_acceleration_error[{name}]"), most(Some(cone), |one| one.error));
    }
    outcome.metric("gap_effect[associated]", most(Some(Cone::Associated), |one| one.plain_error));
    outcome.file("slopes.csv", table(&found));
    outcome.file("figure.svg", figure(&found).to_svg());
    Ok(outcome)
}

fn table(found: &[Found]) -> String {
    let header = "mu,rho_over_R,tan,cone,regime,expected_regime,acceleration,expected,turning,expected_turning,error\n";
    let row = |one: &Found| {
        let (Case { mu, ratio, slope }, expected) = (one.case, one.case.expected());
        let cone = if one.cone == Cone::Exact { "exact" } else { "associated" };
        format!(
            "{mu},{ratio},{slope},{cone},{:?},{:?},{},{},{},{},{:e}\n",
            one.regime, expected.regime, one.along, expected.along, one.turning, expected.turning, one.error
        )
    };
    found.iter().map(row).fold(String::from(header), |text, row| text + &row)
}

/// a and alpha R over the slope, one plot per pair of coefficients.
fn figure(found: &[Found]) -> Multiples {
    let plot = |(mu, ratio): (f64, f64)| {
        let own = |cone| found.iter().filter(move |one| (one.case.mu, one.case.ratio, one.cone) == (mu, ratio, cone));
        let curve = |colour, of: fn(&Motion) -> f64| {
            let at = move |k: u32| {
                let case = Case { mu, ratio, slope: 0.005 * f64::from(k) };
                (case.slope, of(&case.expected()))
            };
            Series::line("closed form", colour, Line::Solid, (0..=370).map(at))
        };
        let marks = |name: &str, symbol, cone, of: fn(&Found) -> f64, colour| {
            Series::marks(name, colour, symbol, own(cone).map(|one| (one.case.slope, of(one))))
        };
        let series = vec![
            curve(6, |motion| motion.along),
            curve(6, |motion| motion.turning),
            marks("a, exact", Symbol::Circle, Cone::Exact, |one| one.along, 0),
            marks("a, associated", Symbol::Cross, Cone::Associated, |one| one.along, 0),
            marks("alpha R, exact", Symbol::Square, Cone::Exact, |one| one.turning, 1),
            marks("alpha R, associated", Symbol::Diamond, Cone::Associated, |one| one.turning, 1),
        ];
        Plot {
            title: format!("mu = {mu}, rho/R = {ratio}"),
            x: Axis::linear("tan of the slope"),
            y: Axis::linear("acceleration (m/s^2)"),
            x_range: None,
            y_range: None,
            levels: Vec::new(),
            series,
        }
    };
    Multiples {
        title: "A sphere on a slope: rests, rolls, slides".into(),
        columns: 3,
        plots: PAIRS.into_iter().map(plot).collect(),
    }
}

//! `[method]` with `kind = "nonsmooth"`: its keys, their defaults, how it is written out and what the schema says of it.

use serde_json::Value;
use stickslip::cone::{Cone, Solver};
use stickslip::law::{PairLaws, RigidLaws};
use stickslip::model::{Method, Model, Nonsmooth};

use crate::input::{Item, Result, Table};
use crate::scene::resolved::number;
use crate::scene::schema::build::{exclusive, object, or, positive, said, whole, word, words};

/// Its name.
pub(super) const KIND: &str = "nonsmooth";

const CONES: [(&str, Cone); 2] = [("exact", Cone::Exact), ("associated", Cone::Associated)];

const SOLVERS: [(&str, Solver); 4] =
    [("gauss-seidel", Solver::GaussSeidel), ("apgd", Solver::Apgd), ("newton", Solver::Newton), ("auto", Solver::Auto)];

/// Reads the keys of the table but for `kind`.
pub(super) fn read(table: &Table<'_>) -> Result<Nonsmooth> {
    table.promised(&["sleep"])?;
    let solver = table.read("solver", |item| item.choice(&SOLVERS, &[]))?;
    let count = |item: Item<'_>| {
        let number = item.clone().whole(1)?;
        u32::try_from(number).map_err(|_| item.error(format!("{number} iterations are more than any step takes")))
    };
    let cone = table.read("cone", |item| item.choice(&CONES, &[]))?.unwrap_or_default();
    let what = "a number above 0 and below 2";
    let relaxation = table.read("relaxation", |item| item.number_such(what, |x| x > 0.0 && x < 2.0))?;
    let tolerance = table.read("tolerance", Item::positive)?;
    let max_iterations = table.read("max_iterations", count)?;
    let iterations = table.optional("iterations");
    if let (Some(item), true) = (&iterations, tolerance.is_some() || max_iterations.is_some()) {
        let message = "a number of iterations stands instead of `tolerance` and `max_iterations`".to_owned();
        return Err(item.error(message).help("leave `iterations` out, or the two others"));
    }
    let iterations = iterations.map(count).transpose()?;
    let recovery_speed = table.read("recovery_speed", Item::positive)?;
    let default = Nonsmooth::default();
    Ok(Nonsmooth {
        cone,
        solver: solver.unwrap_or(default.solver),
        relaxation: relaxation.unwrap_or(default.relaxation),
        tolerance,
        max_iterations: max_iterations.unwrap_or(default.max_iterations),
        iterations,
        recovery_speed,
    })
}

/// Refuses its keys where the method is another.
pub(super) fn refuse_elsewhere(table: &Table<'_>) -> Result<()> {
    const KEYS: [&str; 7] =
        ["cone", "solver", "relaxation", "tolerance", "max_iterations", "iterations", "recovery_speed"];
    let given = |key: &&'static str| Some((*key, table.optional(key)?));
    match KEYS.iter().find_map(given) {
        Some((key, item)) => {
            let message = format!("`{key}` is a key of kind = \"{KIND}\" alone");
            Err(item.error(message).help(format!("write kind = \"{KIND}\", or leave it out")))
        }
        None => Ok(()),
    }
}

/// Fills in what follows from gravity and the step: the tolerance, and the speeds above which restitution counts.
pub(super) fn settle(model: &mut Model) {
    let Method::Nonsmooth(settings) = &mut model.method else { return };
    let (gravity, dt) = (model.gravity.largest(), model.dt);
    if settings.iterations.is_none() {
        settings.tolerance = Some(settings.tolerance_at(gravity, dt));
    }
    let count = model.materials.len() as u16;
    for (i, j) in (0..count).flat_map(|i| (i..count).map(move |j| (i, j))) {
        if let Some(&PairLaws::Rigid(laws)) = model.laws.get(i, j) {
            let mut normal = laws.normal;
            normal.above = Some(normal.above_at(gravity, dt));
            model.laws.set(i, j, RigidLaws { normal, ..laws });
        }
    }
}

/// The keys of the table, written out.
pub(super) fn lines(settings: &Nonsmooth) -> Vec<String> {
    let cone = CONES.iter().find(|(_, cone)| *cone == settings.cone).map_or("", |(word, _)| word);
    let solver = SOLVERS.iter().find(|(_, solver)| *solver == settings.solver).map_or("", |(word, _)| word);
    let mut lines = vec![
        format!("kind = \"{KIND}\""),
        format!("cone = \"{cone}\""),
        format!("solver = \"{solver}\""),
        format!("relaxation = {}", number(settings.relaxation)),
    ];
    match settings.iterations {
        Some(iterations) => lines.push(format!("iterations = {iterations}")),
        None => {
            lines.extend(settings.tolerance.map(|tolerance| format!("tolerance = {}", number(tolerance))));
            lines.push(format!("max_iterations = {}", settings.max_iterations));
        }
    }
    lines.extend(settings.recovery_speed.map(|speed| format!("recovery_speed = {}", number(speed))));
    lines
}

/// What the schema says of the table.
pub(super) fn schema() -> Value {
    let default = Nonsmooth::default();
    let relaxation = serde_json::json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 2});
    let table = object(vec![
        ("!kind", said(word(KIND), "Rigid contacts, limits without springs, large steps.")),
        ("cone", said(or(words(&CONES.map(|(word, _)| word)), "exact"), "Which law of friction is solved.")),
        ("solver", said(or(words(&SOLVERS.map(|(word, _)| word)), "auto"), "What finds the impulses of a step.")),
        ("relaxation", said(or(relaxation, default.relaxation), "Of each update of a contact by gauss-seidel.")),
        (
            "tolerance",
            said(positive(), "Residual to reach, root mean square [m/s]; default: 0.01 |g| h, 1e-6 without gravity."),
        ),
        ("max_iterations", said(or(whole(1), default.max_iterations), "After which a step counts as unsolved.")),
        ("iterations", said(whole(1), "Exactly so many iterations instead of these two.")),
        ("recovery_speed", said(positive(), "Overlap is pushed out no faster [m/s]; default: no limit.")),
    ]);
    exclusive(exclusive(table, &["iterations", "tolerance"]), &["iterations", "max_iterations"])
}

//! `friction = { law = "tracked", .. }` in a scene.
//!
//! Does not do: the `friction` of rigid contacts (`{ slide = .., roll = .. }`), which later issues bring.

use serde_json::{Value, json};
use stickslip::law::{
    Birth, Form, Friction, Kinematics, Measure, Motions, Normal, SpinCurvature, SpringLaws, Tracked, TrackedRoll,
    TrackedSpin,
};

use super::bound::{Bound, Radii, by_limit};
use super::keys::Takes::{Coefficient, Positive, Share, Table, Words};
use super::keys::{Given, Values, key, may, must, words_of};
use super::{Beside, Law, Read};
use crate::input::{self, Item, Result};
use crate::scene::schema::build;

const FORMS: [(&str, Form); 2] = [("reciprocal", Form::Reciprocal), ("paper", Form::Paper)];
const KINEMATICS: [(&str, Kinematics); 2] = [("rates", Kinematics::Rates), ("points", Kinematics::Points)];
const BIRTHS: [(&str, Birth); 3] = [("stick", Birth::Stick), ("slip", Birth::Slip), ("capped", Birth::Capped)];
const CURVATURES: [(&str, SpinCurvature); 2] = [("hertz", SpinCurvature::Hertz), ("bodies", SpinCurvature::Bodies)];

const FORM_WORDS: [&str; 2] = words_of(&FORMS);
const KINEMATICS_WORDS: [&str; 2] = words_of(&KINEMATICS);
const BIRTH_WORDS: [&str; 3] = words_of(&BIRTHS);

pub(super) const LAW: Law = Law {
    name: Tracked::NAME,
    formula: "F = K_E S, |F| <= mu N; M_r = (eta_r K_E/kappa^2) Theta <= eta_r mu N/kappa; M_s = (eta_s K_E/K_c^2) Psi <= eta_s mu N/K_c; dashpots in stick",
    reference: "Fang and Negrut 2020",
    parameters: &[
        must(&[key("stiffness", "N/m", Positive)], "K_E"),
        must(&[key("mu", "-", Coefficient)], "for all three motions; a number or { static = .., kinetic = .. }"),
        may(
            &[key("damping", "critical | -", Share)],
            "critical",
            "dashpots as a share of the critical ones; `roll` and `spin` may have their own",
        ),
        may(
            &[key("roll", "{ eta }", Table(roll_schema))],
            "free",
            "eta_r; kappa is the mean curvature of the two: 1/(2 R_eff)",
        ),
        may(
            &[key("spin", "{ eta, curvature }", Table(spin_schema))],
            "free",
            "eta_s and K_c: a number (1/m), bodies (1/R_eff), or hertz (1/a, eta 0.5)",
        ),
        may(
            &[key("form", "", Words(&FORM_WORDS))],
            "reciprocal",
            "one rolling spring, or one for each body: not angular momentum",
        ),
        may(
            &[key("kinematics", "", Words(&KINEMATICS_WORDS))],
            "rates",
            "of spheres and planes, or by points tracked on any shape",
        ),
        may(
            &[key("birth", "", Words(&BIRTH_WORDS))],
            "stick",
            "empty; at the kinetic limits; or never above mu_s N, dashpot included",
        ),
    ],
    exclusive: &[],
    read: Read::Friction(read),
    values,
    bound,
};

/// eta of spin under `curvature = "hertz"`, unless it is given.
const HERTZ_ETA: f64 = 0.5;

fn read(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Friction> {
    let stiffness = given.number("stiffness")?;
    let limit = given.coefficients("mu", Measure::Mu)?;
    let damping = given.number("damping")?;
    let roll = match given.table.optional("roll") {
        None => None,
        Some(item) => {
            let roll = item.table()?;
            let eta = roll.need("eta", Item::positive)?;
            let damping = roll.read("damping", |item| Share.number(item))?.unwrap_or(damping);
            roll.finish()?;
            Some(TrackedRoll { eta, damping })
        }
    };
    let spin = match given.table.optional("spin") {
        None => None,
        Some(item) => Some(read_spin(&item.table()?, damping, stiffness, &beside.laws.normal)?),
    };
    let form = given.choice("form", &FORMS)?;
    let kinematics = given.choice("kinematics", &KINEMATICS)?;
    let birth = given.choice("birth", &BIRTHS)?;
    Ok(Friction::Tracked(Tracked { stiffness, limit, damping, roll, spin, form, kinematics, birth }))
}

fn read_spin(spin: &input::Table<'_>, damping: f64, stiffness: f64, normal: &Normal) -> Result<TrackedSpin> {
    let curvature = spin.read("curvature", |item| {
        if item.is_string() { item.choice(&CURVATURES, &[]) } else { item.positive().map(SpinCurvature::Given) }
    })?;
    let curvature = curvature.unwrap_or(SpinCurvature::Bodies);
    let eta = match curvature {
        SpinCurvature::Hertz if !matches!(normal, Normal::Hertz(_)) => {
            let message =
                "curvature = \"hertz\" needs the radius of the contact area, which only hertz under `normal` has";
            return Err(spin.error(message.into()).help("use hertz, or give a curvature (1/m)"));
        }
        SpinCurvature::Hertz => spin.read("eta", Item::positive)?.unwrap_or(HERTZ_ETA),
        _ => spin.need("eta", Item::positive)?,
    };
    if let SpinCurvature::Given(curvature) = curvature
        && !(eta * stiffness / (curvature * curvature)).is_finite()
    {
        let message = format!("curvature = {curvature:e}: the stiffness eta K_E/curvature^2 is beyond all numbers");
        return Err(spin
            .error(message)
            .help("a curvature (1/m) is that of the bodies, or one over a length of the contact"));
    }
    let damping = spin.read("damping", |item| Share.number(item))?.unwrap_or(damping);
    spin.finish()?;
    Ok(TrackedSpin { eta, curvature, damping })
}

/// How it resists roll.
fn roll_schema() -> Value {
    build::object(vec![("!eta", build::said(build::positive(), "eta_r.")), ("damping", damping_schema())])
}

/// How it resists spin.
fn spin_schema() -> Value {
    let curvature = build::one_of(vec![build::positive(), build::words(&["hertz", "bodies"])]);
    let mut table = build::object(vec![
        ("eta", build::said(build::positive(), &format!("eta_s; {HERTZ_ETA} for hertz, if absent."))),
        (
            "curvature",
            build::said(build::or(curvature, "bodies"), "K_c [1/m], \"bodies\" (1/R_eff), or \"hertz\" (1/a)."),
        ),
        ("damping", damping_schema()),
    ]);
    let hertz = json!({"required": ["curvature"], "properties": {"curvature": {"const": "hertz"}}});
    build::also(&mut table, [json!({"if": hertz, "else": {"required": ["eta"]}})]);
    table
}

fn damping_schema() -> Value {
    build::said(Share.schema(), "As `damping`, which is its default.")
}

fn of(laws: &SpringLaws) -> Option<&Tracked> {
    match &laws.friction {
        Some(Friction::Tracked(law)) => Some(law),
        None => None,
    }
}

fn values(laws: &SpringLaws) -> Option<Values> {
    let law = of(laws)?;
    let mut values = Values::new().number("stiffness", law.stiffness).limit(&law.limit).share("damping", law.damping);
    let table = |values: Values| format!("{{ {} }}", values.text());
    if let Some(roll) = law.roll {
        values = values.with("roll", table(Values::new().number("eta", roll.eta).share("damping", roll.damping)));
    }
    if let Some(spin) = law.spin {
        let eta = Values::new().number("eta", spin.eta);
        let curvature = match spin.curvature {
            SpinCurvature::Given(curvature) => eta.number("curvature", curvature),
            word => eta.choice("curvature", &CURVATURES, word),
        };
        values = values.with("spin", table(curvature.share("damping", spin.damping)));
    }
    let values = values.choice("form", &FORMS, law.form).choice("kinematics", &KINEMATICS, law.kinematics);
    Some(values.choice("birth", &BIRTHS, law.birth))
}

fn bound(laws: &SpringLaws, motion: Motions, radii: Radii) -> Option<Bound> {
    let law = of(laws)?;
    match law.spin {
        Some(TrackedSpin { curvature: SpinCurvature::Hertz, eta, .. }) if motion == Motions::SPIN => {
            Some(Bound::over_area(&law.limit, eta))
        }
        _ => by_limit(laws, motion, radii),
    }
}

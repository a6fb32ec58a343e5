//! `friction = { law = "tracked", .. }` in a scene.
//!
//! Does not do: the `friction` of rigid contacts (`{ slide = .., roll = .. }`), which later issues bring.

use serde_json::{Value, json};
use stickslip::law::{
    Birth, Form, Friction, Kinematics, Limit, Measure, Motions, Normal, SpinCurvature, SpringLaws, Strength, Tracked,
    TrackedRoll, TrackedSpin,
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
            &[key("roll", "{ eta | mu | length }", Table(roll_schema))],
            "free",
            "eta_r, with kappa the mean curvature of the two, 1/(2 R_eff); or the limit mu R_eff N or length N",
        ),
        may(
            &[key("spin", "{ eta | mu | length, curvature }", Table(spin_schema))],
            "free",
            "eta_s or the limit, and K_c: a number (1/m), bodies (1/R_eff), or hertz (1/a, eta 0.5)",
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
            // |M_r| <= eta_r mu N/kappa = 2 eta_r mu R_eff N.
            let strength = match read_strength(&roll, &limit, Some(2.0))? {
                Some(strength) => strength,
                None => Strength::Eta(roll.need("eta", Item::positive)?),
            };
            let damping = roll.read("damping", |item| Share.number(item))?.unwrap_or(damping);
            roll.finish()?;
            Some(TrackedRoll { strength, damping })
        }
    };
    let spin = match given.table.optional("spin") {
        None => None,
        Some(item) => Some(read_spin(&item.table()?, (damping, stiffness, &limit), &beside.laws.normal)?),
    };
    let form = given.choice("form", &FORMS)?;
    let kinematics = given.choice("kinematics", &KINEMATICS)?;
    if let (Kinematics::Points, Some(TrackedRoll { strength: Strength::Length(_), .. })) = (kinematics, roll) {
        let roll = given.table.required("roll")?.table()?.required("length")?;
        let message = "the arm of kinematics = \"points\" follows the curvatures: the limit of rolling is no length";
        return Err(roll.error(message.into()).help("give `mu` or `eta`, or use kinematics = \"rates\""));
    }
    let birth = given.choice("birth", &BIRTHS)?;
    Ok(Friction::Tracked(Tracked { stiffness, limit, damping, roll, spin, form, kinematics, birth }))
}

/// `eta`, `mu` or `length` of roll or spin, if one is given. `arm` is what eta mu multiplies besides N, in R_eff; `None` where
/// it does not follow R_eff. The springs share mu of slide, so a kinetic value is to the static one as it is there.
fn read_strength(table: &input::Table<'_>, slide: &Limit, arm: Option<f64>) -> Result<Option<Strength>> {
    let Some((key, item)) = table.one_of(&["eta", "mu", "length"])? else { return Ok(None) };
    if key == "eta" {
        return item.positive().map(|eta| Some(Strength::Eta(eta)));
    }
    if slide.static_ == 0.0 {
        let message = format!("`{key}` beside mu = 0: the limits of roll and spin are shares of that of slide");
        return Err(item.error(message).help("give `mu` of the law a number above zero"));
    }
    let place = item.place();
    let value = match item.is_table() {
        false => item.positive()?,
        true => {
            let both = item.table()?;
            let (value, kinetic) = (both.need("static", Item::positive)?, both.need("kinetic", Item::non_negative)?);
            both.finish()?;
            let expected = value * (slide.kinetic / slide.static_);
            if (kinetic - expected).abs() > 1e-9 * value {
                let rounded = (expected * 1e9).round() / 1e9;
                let message = format!("kinetic = {kinetic}: springs share the `mu` of slide, which makes it {rounded}");
                return Err(place.error(message).help("give the static value alone, or make the ratio that of `mu`"));
            }
            value
        }
    };
    match (key, arm) {
        ("length", _) => Ok(Some(Strength::Length(value))),
        (_, Some(arm)) => Ok(Some(Strength::Eta(value / (arm * slide.static_)))),
        (_, None) => {
            let message = "`mu` (|M| <= mu R_eff N) is for curvature = \"bodies\": of another one the arm is not R_eff";
            Err(place.error(message.into()).help("give `length` or `eta`"))
        }
    }
}

fn read_spin(
    spin: &input::Table<'_>,
    (damping, stiffness, limit): (f64, f64, &Limit),
    normal: &Normal,
) -> Result<TrackedSpin> {
    let curvature = spin.read("curvature", |item| {
        if item.is_string() { item.choice(&CURVATURES, &[]) } else { item.positive().map(SpinCurvature::Given) }
    })?;
    let curvature = curvature.unwrap_or(SpinCurvature::Bodies);
    let arm = (curvature == SpinCurvature::Bodies).then_some(1.0);
    let given = read_strength(spin, limit, arm)?;
    let strength = match curvature {
        SpinCurvature::Hertz if !matches!(normal, Normal::Hertz(_)) => {
            let message =
                "curvature = \"hertz\" needs the radius of the contact area, which only hertz under `normal` has";
            return Err(spin.error(message.into()).help("use hertz, or give a curvature (1/m)"));
        }
        SpinCurvature::Hertz => given.unwrap_or(Strength::Eta(HERTZ_ETA)),
        _ => match given {
            Some(strength) => strength,
            None => Strength::Eta(spin.need("eta", Item::positive)?),
        },
    };
    if let SpinCurvature::Given(curvature) = curvature
        && !(strength.eta(limit.static_, 1.0 / curvature) * stiffness / (curvature * curvature)).is_finite()
    {
        let message = format!("curvature = {curvature:e}: the stiffness eta K_E/curvature^2 is beyond all numbers");
        return Err(spin
            .error(message)
            .help("a curvature (1/m) is that of the bodies, or one over a length of the contact"));
    }
    let damping = spin.read("damping", |item| Share.number(item))?.unwrap_or(damping);
    spin.finish()?;
    Ok(TrackedSpin { strength, curvature, damping })
}

/// How it resists roll.
fn roll_schema() -> Value {
    let keys = strength_schemas("eta_r.").into_iter().chain([("damping", damping_schema())]);
    build::exactly_one(build::object(keys.collect()), &STRENGTHS)
}

/// Ways to say how strong a spring is.
const STRENGTHS: [&str; 3] = ["eta", "mu", "length"];

fn strength_schemas(eta: &str) -> Vec<(&'static str, Value)> {
    let both = json!({"type": "object", "required": ["static", "kinetic"], "additionalProperties": false,
        "properties": {"static": build::positive(), "kinetic": build::non_negative()}});
    let limit = || build::one_of(vec![build::positive(), both.clone()]);
    vec![
        ("eta", build::said(build::positive(), eta)),
        ("mu", build::said(limit(), "|M| <= mu R_eff N, static; the kinetic value follows that of slide.")),
        ("length", build::said(limit(), "|M| <= length N [m], static; the kinetic value follows that of slide.")),
    ]
}

/// How it resists spin.
fn spin_schema() -> Value {
    let curvature = build::one_of(vec![build::positive(), build::words(&["hertz", "bodies"])]);
    let mut keys = strength_schemas(&format!("eta_s; {HERTZ_ETA} for hertz, if absent."));
    keys.extend([
        (
            "curvature",
            build::said(build::or(curvature, "bodies"), "K_c [1/m], \"bodies\" (1/R_eff), or \"hertz\" (1/a)."),
        ),
        ("damping", damping_schema()),
    ]);
    let mut table = build::exclusive(build::object(keys), &STRENGTHS);
    let hertz = json!({"required": ["curvature"], "properties": {"curvature": {"const": "hertz"}}});
    let given: Vec<Value> = STRENGTHS.iter().map(|key| json!({"required": [key]})).collect();
    build::also(&mut table, [json!({"if": hertz, "else": {"anyOf": given}})]);
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
    let strength = |strength: Strength| match strength {
        Strength::Eta(eta) => Values::new().number("eta", eta),
        Strength::Length(length) => Values::new().number("length", length),
    };
    if let Some(roll) = law.roll {
        values = values.with("roll", table(strength(roll.strength).share("damping", roll.damping)));
    }
    if let Some(spin) = law.spin {
        let strength = strength(spin.strength);
        let curvature = match spin.curvature {
            SpinCurvature::Given(curvature) => strength.number("curvature", curvature),
            word => strength.choice("curvature", &CURVATURES, word),
        };
        values = values.with("spin", table(curvature.share("damping", spin.damping)));
    }
    let values = values.choice("form", &FORMS, law.form).choice("kinematics", &KINEMATICS, law.kinematics);
    Some(values.choice("birth", &BIRTHS, law.birth))
}

fn bound(laws: &SpringLaws, motion: Motions, radii: Radii) -> Option<Bound> {
    let law = of(laws)?;
    match law.spin {
        Some(TrackedSpin { curvature: SpinCurvature::Hertz, strength: Strength::Eta(eta), .. })
            if motion == Motions::SPIN =>
        {
            Some(Bound::over_area(&law.limit, eta))
        }
        _ => by_limit(laws, motion, radii),
    }
}

//! `friction = { law = "tracked", .. }`: its keys, how they are written out again, its limits in words.
//!
//! Does not do: the `friction` of rigid contacts (`{ slide = .., roll = .. }`), which later issues bring.

use stickslip::law::{
    Birth, Form, Friction, Kinematics, Measure, Normal, SpinCurvature, SpringLaws, Tracked, TrackedRoll, TrackedSpin,
};

use crate::input::{Item, Result, Table};
use crate::scene::check::{area_limit, force_limit, torque_limit};
use crate::scene::laws::{LATER, read_coefficients};
use crate::scene::resolved::{limit_text, number};

const FORMS: [(&str, Form); 2] = [("reciprocal", Form::Reciprocal), ("paper", Form::Paper)];
const KINEMATICS: [(&str, Kinematics); 2] = [("rates", Kinematics::Rates), ("points", Kinematics::Points)];
const BIRTHS: [(&str, Birth); 3] = [("stick", Birth::Stick), ("slip", Birth::Slip), ("capped", Birth::Capped)];

/// Reads what stands under `friction` in a `[[contact]]` table, if anything does. It stands alone.
pub(super) fn read(contact: &Table<'_>, normal: &Normal) -> Result<Option<Friction>> {
    let Some(item) = contact.optional("friction") else { return Ok(None) };
    for motion in ["slide", "roll", "spin"] {
        if let Some(other) = contact.optional(motion) {
            let message =
                format!("two laws claim the same motion: `friction` resists slide, roll and spin, and so `{motion}`");
            return Err(other
                .error(message)
                .help(format!("leave `{motion}` out, or give laws of single motions alone")));
        }
    }
    let table = item.table()?;
    let law = read_law(&table, normal)?;
    table.finish()?;
    Ok(Some(Friction::Tracked(law)))
}

/// The keys of the law.
pub(super) fn read_law(table: &Table<'_>, normal: &Normal) -> Result<Tracked> {
    table.need("law", |law| law.choice(&[("tracked", ())], LATER))?;
    let stiffness = table.need("stiffness", Item::positive)?;
    let limit = read_coefficients(table.required("mu")?, Measure::Mu)?;
    let damping = table.read("damping", share)?.unwrap_or(1.0);
    let roll = match table.optional("roll") {
        None => None,
        Some(item) => {
            let roll = item.table()?;
            let eta = roll.need("eta", Item::positive)?;
            let damping = roll.read("damping", share)?.unwrap_or(damping);
            roll.finish()?;
            Some(TrackedRoll { eta, damping })
        }
    };
    let spin = match table.optional("spin") {
        None => None,
        Some(item) => Some(read_spin(&item.table()?, damping, stiffness, normal)?),
    };
    let form = table.read("form", |form| form.choice(&FORMS, &[]))?.unwrap_or_default();
    let kinematics = table.read("kinematics", |kinematics| kinematics.choice(&KINEMATICS, &[]))?.unwrap_or_default();
    let birth = table.read("birth", |birth| birth.choice(&BIRTHS, &[]))?.unwrap_or_default();
    Ok(Tracked { stiffness, limit, damping, roll, spin, form, kinematics, birth })
}

fn read_spin(spin: &Table<'_>, damping: f64, stiffness: f64, normal: &Normal) -> Result<TrackedSpin> {
    let words = [("hertz", SpinCurvature::Hertz), ("bodies", SpinCurvature::Bodies)];
    let curvature = spin.read("curvature", |item| {
        if item.is_string() { item.choice(&words, &[]) } else { item.positive().map(SpinCurvature::Given) }
    })?;
    let curvature = curvature.unwrap_or(SpinCurvature::Bodies);
    let eta = match curvature {
        SpinCurvature::Hertz if !matches!(normal, Normal::Hertz(_)) => {
            let message =
                "curvature = \"hertz\" needs the radius of the contact area, which only hertz under `normal` has";
            return Err(spin.error(message.into()).help("use hertz, or give a curvature (1/m)"));
        }
        SpinCurvature::Hertz => spin.read("eta", Item::positive)?.unwrap_or(0.5),
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
    let damping = spin.read("damping", share)?.unwrap_or(damping);
    spin.finish()?;
    Ok(TrackedSpin { eta, curvature, damping })
}

/// A share of the critical dashpot.
fn share(item: Item<'_>) -> Result<f64> {
    if item.is_string() { item.choice(&[("critical", 1.0)], &[]) } else { item.non_negative() }
}

/// The law with every default, as it stands in a resolved scene.
pub(super) fn resolved(law: &Tracked) -> String {
    let share = |damping: f64| if damping == 1.0 { "\"critical\"".to_owned() } else { number(damping) };
    let mut text = format!(
        "law = \"tracked\", stiffness = {}, {}, damping = {}",
        number(law.stiffness),
        limit_text(&law.limit),
        share(law.damping)
    );
    if let Some(roll) = law.roll {
        text += &format!(", roll = {{ eta = {}, damping = {} }}", number(roll.eta), share(roll.damping));
    }
    if let Some(spin) = law.spin {
        let curvature = match spin.curvature {
            SpinCurvature::Given(curvature) => number(curvature),
            SpinCurvature::Bodies => "\"bodies\"".to_owned(),
            SpinCurvature::Hertz => "\"hertz\"".to_owned(),
        };
        let (eta, damping) = (number(spin.eta), share(spin.damping));
        text += &format!(", spin = {{ eta = {eta}, curvature = {curvature}, damping = {damping} }}");
    }
    fn word<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
        words.iter().find(|(_, one)| *one == value).map_or("", |(word, _)| word)
    }
    let (form, kinematics) = (word(&FORMS, law.form), word(&KINEMATICS, law.kinematics));
    let birth = word(&BIRTHS, law.birth);
    text + &format!(", form = \"{form}\", kinematics = \"{kinematics}\", birth = \"{birth}\"")
}

/// Law and limit of slide, roll and spin, in words.
pub(super) fn limits(laws: &SpringLaws, radii: Option<(f64, f64)>) -> Option<[(&'static str, String); 3]> {
    let Friction::Tracked(law) = laws.friction?;
    let free = || ("free (no law)", String::new());
    let roll = law.roll.map_or_else(free, |_| ("tracked", torque_limit(&law.limit_of(1), "<=", radii)));
    let spin = law.spin.map_or_else(free, |spin| match spin.curvature {
        SpinCurvature::Hertz => ("tracked", area_limit(&law.limit, spin.eta)),
        _ => ("tracked", torque_limit(&law.limit_of(2), "<=", radii)),
    });
    Some([("tracked", force_limit(&law.limit)), roll, spin])
}

//! `rigid` in a scene, and the limits that stand beside it without springs: `slide = { mu = 0.6 }`.
//!
//! Does not do: rolling about an axis and across, slide and spin on one cone.

use serde_json::{Value, json};
use stickslip::law::{Give, Limit, Limits, Motions, Rigid, RigidLaws};

use super::bound::{Bound, Radii};
use super::keys::Takes::{NonNegative, Positive, Restitution};
use super::keys::{Given, Values, key, may};
use super::{Described, KEYS, Law, Read};
use crate::input::{Item, Result, Table};
use crate::scene::check::short;
use crate::scene::schema::build::{exactly_one, non_negative, object, said};

pub(super) const LAW: Law = Law {
    name: Rigid::NAME,
    formula: "gap >= 0, F >= 0, one of them 0",
    reference: "Tasora and Anitescu 2013; De Saxce and Feng 1998",
    parameters: &[
        may(&[key("restitution", "-", Restitution)], "0", "speed of parting over speed of approach"),
        may(&[key("restitution_above", "m/s", NonNegative)], "2 |g| h", "speed of approach from which it counts"),
        may(&[key("stiffness", "N/m", Positive)], "absent", "of a contact point, which then gives way; rigid without"),
        may(&[key("damping", "1/s", NonNegative)], "0", "times m_eff, beside a stiffness"),
    ],
    exclusive: &[],
    read: Read::Rigid(read),
    values: |_| None,
    bound: |_, _, _| None,
};

fn read(given: &Given<'_, '_>) -> Result<Rigid> {
    let (stiffness, damping) = (given.optional("stiffness")?, given.number("damping")?);
    if let (None, Some(item)) = (stiffness, given.table.optional("damping").filter(|_| damping > 0.0)) {
        let message = "a rigid contact without `stiffness` has no motion to damp".to_owned();
        return Err(item.error(message).help("add `stiffness`, or leave `damping` out; impacts have `restitution`"));
    }
    let give = stiffness.map(|stiffness| Give { stiffness, damping });
    Ok(Rigid { restitution: given.number("restitution")?, above: given.optional("restitution_above")?, give })
}

/// The limits of a `[[contact]]` table with a rigid normal law.
pub(super) fn limits(contact: &Table<'_>) -> Result<Limits> {
    if let Some(friction) = contact.optional("friction") {
        let message = "a rigid contact has limits alone, one for each motion".to_owned();
        return Err(friction.error(message).help("write slide = { mu = .. }, and roll and spin likewise"));
    }
    Ok(Limits {
        slide: contact.read("slide", |item| limit(item, &["mu"]))?,
        roll: contact.read("roll", |item| limit(item, &["mu", "length"]))?,
        spin: contact.read("spin", |item| limit(item, &["mu", "length"]))?,
        ..Limits::default()
    })
}

/// One limit without springs, under one of these keys.
fn limit(item: Item<'_>, keys: &[&'static str]) -> Result<Limit> {
    let table = item.table()?;
    if let Some(law) = table.optional("law") {
        let message = "a rigid contact has limits without springs".to_owned();
        return Err(law.error(message).help(format!("leave `law` and its springs out: {{ {} = .. }}", keys[0])));
    }
    table.promised(&["across", "coupled"])?;
    let (key, item) = match table.one_of(keys)? {
        Some(given) => given,
        None => (keys[0], table.required(keys[0])?),
    };
    if item.is_table() {
        let message = "a contact without springs has one value for stick and slip".to_owned();
        return Err(item.error(message).help("write one number: the static value is what it bears at rest"));
    }
    let value = item.non_negative()?;
    table.finish()?;
    Ok(if key == "length" { Limit::length(value) } else { Limit::mu(value) })
}

/// The schema of a limit under a key of a `[[contact]]` table.
pub(crate) fn limit_schema(key: &str) -> Value {
    let mu = said(non_negative(), if key == "slide" { "|F| <= mu N." } else { "|M| <= mu R_eff N." });
    let mut schema = if key == "slide" {
        object(vec![("!mu", mu)])
    } else {
        let length = said(non_negative(), "|M| <= length N [m].");
        exactly_one(object(vec![("mu", mu), ("length", length)]), &["mu", "length"])
    };
    schema["title"] = json!(format!("limit ({key})"));
    schema["description"] = json!("A limit without springs, beside a rigid normal law.");
    schema
}

/// The laws as lines of a `[[contact]]` table.
pub(super) fn resolved(laws: &RigidLaws) -> Vec<String> {
    let Rigid { restitution, above, give } = laws.normal;
    let values = Values::new().number("restitution", restitution);
    let values = above.into_iter().fold(values, |values, above| values.number("restitution_above", above));
    let values = give
        .into_iter()
        .fold(values, |values, give| values.number("stiffness", give.stiffness).number("damping", give.damping));
    let mut lines = vec![format!("normal = {{ law = \"{}\", {} }}", Rigid::NAME, values.text())];
    for (motion, key) in Motions::EACH.into_iter().zip(&KEYS[1..4]) {
        if let Some(limit) = laws.limits.of(motion) {
            lines.push(format!("{key} = {{ {} }}", Values::new().limit(&limit).text()));
        }
    }
    lines
}

/// What they do along the normal, and bear against slide, roll and spin.
pub(super) fn describe(laws: &RigidLaws, radii: Radii) -> [Described; 4] {
    let Rigid { restitution, above, give } = laws.normal;
    let mut words = give.map_or("bodies do not overlap".to_owned(), |give| {
        format!("k = {} N/m, damping {} 1/s times m_eff", short(give.stiffness), short(give.damping))
    });
    if restitution > 0.0 {
        let above = above.map_or_else(String::new, |above| format!(" above {} m/s", short(above)));
        words += &format!(", restitution {}{above}", short(restitution));
    }
    let (stiffness, damping) = (give.map(|give| give.stiffness), give.map(|give| give.damping));
    let numbers = json!({
        "restitution": restitution, "restitution_above": above, "stiffness": stiffness, "damping": damping,
    });
    let of_motion = |motion: Motions| {
        let bound = laws.limits.of(motion).map(|limit| match motion {
            Motions::SLIDE => Bound::force(&limit),
            _ => Bound::torque(&limit, "<=", radii),
        });
        let law = if bound.is_some() { "limit" } else { "free (no law)" };
        let (words, numbers) = bound.map_or((String::new(), None), |bound| (bound.words, Some(bound.numbers)));
        Described { motion: KEYS[1 + motion.key()], law: law.into(), words, numbers }
    };
    let normal = Described { motion: KEYS[0], law: Rigid::NAME.into(), words, numbers: Some(numbers) };
    let [slide, roll, spin] = Motions::EACH.map(of_motion);
    [normal, slide, roll, spin]
}

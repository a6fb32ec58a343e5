//! The laws that a scene may name: one file per law, and the list of them. A law's entry says its keys with their units,
//! ranges, defaults and meanings, its formula and its reference, how its table is read, how the law is written out again,
//! and what it bears. The reader of scenes, the resolved scene, `check`, the schema and `stickslip laws` all ask the entry.
//!
//! To add a law: its file, and its line in `LAWS` (docs/add-a-law.md).
//! Does not decide which materials a table is for: `contacts.rs` does.

mod bound;
mod constant_torque;
mod epsd;
mod hertz;
mod hooke;
mod keys;
mod lubkin;
mod marshall;
mod mindlin;
mod mindlin_spring;
pub(crate) mod rigid;
mod spring_slider;
#[cfg(test)]
mod tests;
mod tracked;
mod viscous;
mod walton_braun;

use serde_json::Value;
use stickslip::law::{
    Friction, Limit, Motions, Normal, Own, PairLaws, Rigid, RigidLaws, Roll, Slide, Spin, SpringLaws,
};

use self::bound::{Bound, Radii};
use self::keys::Takes::{Boolean, Coefficient, NonNegative, Restitution};
use self::keys::{Given, NORMAL_DASHPOT, Values, key, may, must};
use crate::input::{Item, Result, Table};
use crate::scene::materials::Elastic;

pub use self::keys::{Key, Parameter, Takes};

/// Every law, in the order in which they are shown.
pub const LAWS: &[Law] = &[
    hooke::LAW,
    hertz::LAW,
    rigid::LAW,
    spring_slider::SLIDE,
    mindlin::MINDLIN,
    mindlin::CREEP,
    mindlin_spring::SECANT,
    mindlin_spring::RESCALE,
    mindlin_spring::FORCE,
    mindlin_spring::RESCALE_FORCE,
    walton_braun::WALTON_BRAUN,
    walton_braun::VU_QUOC_ZHANG,
    spring_slider::ROLL,
    spring_slider::SPIN,
    constant_torque::ROLL,
    epsd::LAW,
    viscous::LAW,
    marshall::LAW,
    lubkin::LAW,
    constant_torque::SPIN,
    tracked::LAW,
];

/// One law for one key of a `[[contact]]` table.
#[derive(Clone, Copy)]
pub struct Law {
    /// `law = "..."`.
    pub name: &'static str,
    /// Its formula in one line.
    pub formula: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Keys of different parameters that exclude each other.
    pub(crate) exclusive: &'static [&'static [&'static str]],
    /// How its table is read.
    read: Read,
    /// Its keys and values, if it is this law that stands in the pair.
    values: fn(&SpringLaws) -> Option<Values>,
    /// What it bears against a motion, if it is this law that resists it. `by_limit`, where `FrictionLaw::limit` says it all.
    bound: fn(&SpringLaws, Motions, Radii) -> Option<Bound>,
}

/// How the table of a law is read, by the key under which it stands.
#[derive(Clone, Copy)]
enum Read {
    Normal(fn(&Given<'_, '_>, &[Elastic; 2]) -> Result<Normal>),
    Slide(fn(&Given<'_, '_>, &Beside<'_, '_>) -> Result<Slide>),
    Roll(fn(&Given<'_, '_>, &Beside<'_, '_>) -> Result<Roll>),
    Spin(fn(&Given<'_, '_>, &Beside<'_, '_>) -> Result<Spin>),
    Friction(fn(&Given<'_, '_>, &Beside<'_, '_>) -> Result<Friction>),
    /// Along the normal, with limits in place of laws beside it.
    Rigid(fn(&Given<'_, '_>) -> Result<Rigid>),
}

/// What stands beside the table of a law of friction.
struct Beside<'t, 'a> {
    /// The `[[contact]]` table.
    contact: &'t Table<'a>,
    /// The laws that have been read: normal, slide, roll, spin in this order.
    laws: SpringLaws,
    /// Moduli of the two bodies: of the normal law's table, or of the materials.
    sides: [Elastic; 2],
}

/// The keys of a `[[contact]]` table under which a law stands, in the order of a resolved scene.
const KEYS: [&str; 5] = ["normal", "slide", "roll", "spin", "friction"];

impl Law {
    /// Under which key of a `[[contact]]` table it stands: normal, slide, roll or spin, or friction for all three at once.
    pub fn key(&self) -> &'static str {
        KEYS[match self.read {
            Read::Normal(_) | Read::Rigid(_) => 0,
            Read::Slide(_) => 1,
            Read::Roll(_) => 2,
            Read::Spin(_) => 3,
            Read::Friction(_) => 4,
        }]
    }
}

// Parameters that several laws have.
const DAMPING: Parameter = may(&[key("damping", "1/s", NonNegative)], "0", "gamma, times the effective mass");
const COHESIONLESS: Parameter =
    may(&[key("cohesionless", "", Boolean)], "false", "clip the force at zero: it never pulls");
const RESTITUTION: Parameter =
    may(&[key("restitution", "-", Restitution)], "absent", "coefficient of restitution in [0, 1], instead of damping");
const RATIO: Parameter = may(
    &[key("damping_ratio", "-", NonNegative)],
    "absent",
    "fraction of the critical dashpot of this motion, instead of damping",
);
const TORQUE: Parameter = must(
    &[key("mu", "-", Coefficient), key("length", "m", Coefficient)],
    "|M| <= mu R_eff N, or |M| <= length N; a number or { static = .., kinetic = .. }",
);
const MODULI: [&str; 2] = ["young", "shear_modulus"];

/// Reads the laws of a table. `sides` are the moduli of the two materials, where hertz looks when its table has none.
pub(crate) fn read(contact: &Table<'_>, sides: &[Elastic; 2]) -> Result<PairLaws> {
    let table = contact.need("normal", Item::table)?;
    let (law, how) = choose(&table, |read| matches!(read, Read::Normal(_) | Read::Rigid(_)).then_some(read))?;
    let given = Given { table: &table, parameters: law.parameters };
    let normal = match how {
        Read::Normal(how) => how(&given, sides)?,
        Read::Rigid(how) => {
            let normal = how(&given)?;
            table.finish()?;
            return Ok(RigidLaws { normal, limits: rigid::limits(contact)? }.into());
        }
        _ => unreachable!("these are the laws along the normal"),
    };
    // Where lubkin looks for a shear modulus that its own table does not have.
    let has_moduli = law.parameters.iter().flat_map(|parameter| parameter.keys).any(|key| key.name == MODULI[0]);
    let own = if has_moduli { Elastic::read(&table)? } else { Elastic::default() };
    table.finish()?;
    let sides = [own.or(&sides[0]), own.or(&sides[1])];
    let mut beside = Beside { contact, laws: SpringLaws::frictionless(normal), sides };
    let friction = |read| if let Read::Friction(how) = read { Some(how) } else { None };
    if contact.optional("friction").is_some() {
        stands_alone(contact)?;
        beside.laws.friction = read_one("friction", &beside, friction)?;
        return Ok(beside.laws.into());
    }
    beside.laws.slide = read_one("slide", &beside, |read| if let Read::Slide(how) = read { Some(how) } else { None })?;
    beside.laws.roll = read_one("roll", &beside, |read| if let Read::Roll(how) = read { Some(how) } else { None })?;
    beside.laws.spin = read_one("spin", &beside, |read| if let Read::Spin(how) = read { Some(how) } else { None })?;
    Ok(beside.laws.into())
}

/// What `normal` says of a pair that does not touch.
pub(crate) const NONE: &str = "none";

/// Whether a `[[contact]]` table says that its pair does not touch. Then no law is beside it.
pub(crate) fn read_none(contact: &Table<'_>) -> Result<bool> {
    let normal = contact.required("normal")?;
    if normal.is_table() {
        return Ok(false);
    }
    if !matches!(normal.clone().string(), Ok(NONE)) {
        return Err(
            normal.expected("a table of a law, as { law = \"hertz\", .. }, or \"none\" for a pair that does not touch")
        );
    }
    match KEYS[1..].iter().find_map(|key| Some((*key, contact.optional(key)?))) {
        Some((key, law)) => {
            let message = format!("`{key}` beside normal = \"{NONE}\": a pair that does not touch has no law");
            Err(law.error(message).help(format!("leave `{key}` out, or give the pair a law under `normal`")))
        }
        None => Ok(true),
    }
}

/// The law that a table names, of those for its key.
fn choose<F: Copy>(table: &Table<'_>, of: impl Fn(Read) -> Option<F>) -> Result<(&'static Law, F)> {
    let fitting = LAWS.iter().filter_map(|law| of(law.read).map(|how| (law.name, (law, how))));
    let mut fitting: Vec<_> = fitting.collect();
    // A law against several motions, one entry each, is named where it first stands in the list.
    fitting.sort_by_key(|(name, _)| LAWS.iter().position(|law| law.name == *name));
    table.need("law", |law| law.choice(&fitting, &[]))
}

/// How a law of friction of type `T` is read.
type How<T> = fn(&Given<'_, '_>, &Beside<'_, '_>) -> Result<T>;

/// The law of friction under a key, if there is one.
fn read_one<T>(key: &'static str, beside: &Beside<'_, '_>, of: impl Fn(Read) -> Option<How<T>>) -> Result<Option<T>> {
    let Some(item) = beside.contact.optional(key) else { return Ok(None) };
    let table = item.table()?;
    let (law, how) = choose(&table, of)?;
    let read = how(&Given { table: &table, parameters: law.parameters }, beside)?;
    table.finish()?;
    Ok(Some(read))
}

/// That there is no law of a single motion beside `friction`.
fn stands_alone(contact: &Table<'_>) -> Result<()> {
    for motion in ["slide", "roll", "spin"] {
        if let Some(other) = contact.optional(motion) {
            let message =
                format!("two laws claim the same motion: `friction` resists slide, roll and spin, and so `{motion}`");
            return Err(other
                .error(message)
                .help(format!("leave `{motion}` out, or give laws of single motions alone")));
        }
    }
    Ok(())
}

/// The limit of slide that a spin law spreads over the contact area of hertz; both must be there.
fn limit_over_area(given: &Given<'_, '_>, name: &str, laws: &SpringLaws) -> Result<Limit> {
    if !matches!(laws.normal, Normal::Hertz(_)) {
        return Err(given
            .table
            .error(format!("{name} needs the radius of the contact area, which only hertz under `normal` has"))
            .help("use hertz, or a spring-slider under `spin`"));
    }
    laws.limits().slide.ok_or_else(|| {
        given
            .table
            .error(format!("{name} takes its limit from the pair's slide law, and there is none"))
            .help("add slide = { law = \"spring-slider\", .. }")
    })
}

/// The law under a key of a pair, with its keys and values.
fn under(laws: &SpringLaws, key: &str) -> Option<(&'static Law, Values)> {
    LAWS.iter().filter(|law| law.key() == key).find_map(|law| Some((law, (law.values)(laws)?)))
}

/// The law from outside under a key of a pair.
fn own(laws: &SpringLaws, key: &str) -> Option<Own> {
    match (key, laws.slide, laws.roll, laws.spin) {
        ("slide", Some(Slide::Own(law)), ..)
        | ("roll", _, Some(Roll::Own(law)), _)
        | ("spin", _, _, Some(Spin::Own(law))) => Some(law),
        _ => None,
    }
}

/// The laws of a pair as lines of a `[[contact]]` table, with every default; `None`: it does not touch. Scene files do not name
/// laws from outside; a comment says so to whoever builds a scene in some other way.
pub(crate) fn resolved(laws: Option<&PairLaws>) -> Vec<String> {
    let laws = match laws {
        Some(PairLaws::Springs(laws)) => laws,
        Some(PairLaws::Rigid(laws)) => return rigid::resolved(laws),
        None => return vec![format!("normal = \"{NONE}\"")],
    };
    let line = |key: &str| match (under(laws, key), own(laws, key)) {
        (Some((law, values)), _) => {
            let comma = if values == Values::new() { "" } else { ", " };
            Some(format!("{key} = {{ law = \"{}\"{comma}{} }}", law.name, values.text()))
        }
        (None, Some(law)) => Some(format!("# {key}: {}, a law from outside, has no name in a scene", law.name())),
        (None, None) => None,
    };
    KEYS.into_iter().filter_map(line).collect()
}

/// What acts along the normal or against one motion, in words and in numbers.
pub(crate) struct Described {
    /// normal, slide, roll or spin.
    pub motion: &'static str,
    /// The law's name.
    pub law: String,
    /// What it bears.
    pub words: String,
    /// The same for scripts; `None` for a motion that nothing resists.
    pub numbers: Option<Value>,
}

/// What the laws of a pair do along the normal, and bear against slide, roll and spin.
pub(crate) fn describe(laws: &PairLaws, radii: Radii) -> [Described; 4] {
    match laws {
        PairLaws::Springs(laws) => describe_springs(laws, radii),
        PairLaws::Rigid(laws) => rigid::describe(laws, radii),
    }
}

fn describe_springs(laws: &SpringLaws, radii: Radii) -> [Described; 4] {
    [Motions::NONE, Motions::SLIDE, Motions::ROLL, Motions::SPIN].map(|motion| {
        let key = if motion == Motions::NONE { KEYS[0] } else { KEYS[1 + motion.key()] };
        let free = |law: &str| Described { motion: key, law: law.into(), words: String::new(), numbers: None };
        let with =
            |law: &str, bound: Bound| Described { words: bound.words, numbers: Some(bound.numbers), ..free(law) };
        if let Some(law) = own(laws, key) {
            return with(law.name(), Bound::unknown("a law from outside"));
        }
        // The law for this motion, or the one for all.
        for at in [key, KEYS[4]] {
            let bound = under(laws, at).map(|(law, _)| (law.name, (law.bound)(laws, motion, radii)));
            if let Some((name, Some(bound))) = bound {
                return with(name, bound);
            }
        }
        // Or one for another motion that resists this one besides.
        let others = KEYS[1..4].iter().filter(|other| **other != key && motion != Motions::NONE);
        let mut bounds = others.filter_map(|other| Some((other, (under(laws, other)?.0.bound)(laws, motion, radii)?)));
        bounds.next().map_or(free("free (no law)"), |(other, bound)| with(&format!("with {other}"), bound))
    })
}

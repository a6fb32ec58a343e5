//! `mindlin` and `creep` in a scene. Both need `hertz`, whose modulus they take.

use stickslip::law::{Creep, ElasticPair, FrictionLaw, Mindlin, Normal, Slide};

use super::bound::by_limit;
use super::keys::Takes::{NonNegative, Poisson, Whole};
use super::keys::{Given, Parameter, Values, key, may, must};
use super::{Beside, Law, Read};
use crate::input::Result;
use crate::scene::materials::Elastic;

/// Poisson's ratio of a law of elastic spheres.
pub(super) const POISSON: Parameter =
    may(&[key("poisson", "-", Poisson)], "of normal or materials", "Poisson's ratio of both bodies");
/// One coefficient of friction.
pub(super) const ONE_MU: Parameter = must(&[key("mu", "-", NonNegative)], "|F| <= mu N, one number for stick and slip");
/// Tsuji's dashpot.
pub(super) const TSUJI: Parameter = may(
    &[key("damping_ratio", "-", NonNegative)],
    "0",
    "fraction of the critical dashpot of k_t, which grows with the contact (Tsuji et al. 1992)",
);

const HISTORY: Parameter = may(
    &[key("history", "-", Whole(Mindlin::LEAST_HISTORY, Mindlin::MOST_HISTORY))],
    "12",
    "vertices of the load history: 8 is faster, 24 more exact",
);
const PARAMETERS: &[Parameter] = &[ONE_MU, POISSON, HISTORY, TSUJI];

pub(super) const MINDLIN: Law = Law {
    name: Mindlin::NAME,
    formula: "|F| <= mu N; dF = -k_t ds in full stick, less as slip spreads inwards; k_t = 2 G* a, G* = E* 2 (1 - nu)/(2 - nu)",
    reference: "Cattaneo 1938; Mindlin and Deresiewicz 1953; Jaeger 1993; needs hertz under normal",
    parameters: PARAMETERS,
    exclusive: &[],
    read: Read::Slide(|given, beside| Ok(Slide::Mindlin(read(given, beside)?))),
    values: |laws| match &laws.slide {
        Some(Slide::Mindlin(law)) => Some(values(law)),
        _ => None,
    },
    bound: by_limit,
};

pub(super) const CREEP: Law = Law {
    name: Creep::NAME,
    formula: "mindlin, whose ds loses F_max (F/(mu N)) |u_roll|/(1 + c + c^2), c^3 = 1 - |F|/(mu N), F_max = 4 mu a/((1 - nu) C_11 R_eff)",
    reference: "Kuhn 2014, eq. 16; Kalker; needs hertz under normal",
    parameters: PARAMETERS,
    exclusive: &[],
    read: Read::Slide(|given, beside| Ok(Slide::Creep(Creep(read(given, beside)?)))),
    values: |laws| match &laws.slide {
        Some(Slide::Creep(Creep(law))) => Some(values(law)),
        _ => None,
    },
    bound: by_limit,
};

fn read(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Mindlin> {
    if !matches!(beside.laws.normal, Normal::Hertz(_)) {
        return Err(given
            .table
            .error(format!(
                "{} superposes contacts of hertz, and `normal` is another law",
                given.table.required("law")?.string()?
            ))
            .help("take hertz under `normal`, or mindlin-rescale-force or a spring-slider under `slide`"));
    }
    let history = given.number("history")? as u16;
    let elastic = elastic(given, beside)?;
    Ok(Mindlin { elastic, mu: given.number("mu")?, history, damping_ratio: given.number("damping_ratio")? })
}

/// E* of the normal law, and the combined nu of both bodies: of the law's own table, of that of the normal law, or of the materials.
pub(super) fn elastic(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<ElasticPair> {
    let Some(modulus) = beside.laws.normal.ask(|law| law.effective_modulus()) else {
        return Err(given
            .table
            .error(format!(
                "{} needs the contact area of elastic bodies, which the law under `normal` has not",
                given.table.required("law")?.string()?
            ))
            .help("take hertz under `normal`, or a spring-slider under `slide`"));
    };
    let own = Elastic { poisson: given.optional("poisson")?, ..Elastic::default() };
    let sides = [0, 1].map(|side| own.or(&beside.sides[side]));
    let combined = match sides.map(|side| side.poisson) {
        [Some(first), Some(second)] if first == second => Some(first),
        _ => sides[0].young_and_poisson().zip(sides[1].young_and_poisson()).map(|(a, b)| ElasticPair::combine(a, b)),
    };
    match combined {
        Some(poisson) => Ok(ElasticPair { modulus, poisson }),
        None => Err(given
            .table
            .error(format!("{} needs `poisson`", given.table.required("law")?.string()?))
            .help("it may stand here, under `normal`, or in the tables of both materials")),
    }
}

fn values(law: &Mindlin) -> Values {
    Values::new()
        .number("mu", law.mu)
        .number("poisson", law.elastic.poisson)
        .with("history", law.history.to_string())
        .number("damping_ratio", law.damping_ratio)
}

//! `mindlin-secant`, `mindlin-rescale`, `mindlin-force` and `mindlin-rescale-force` in a scene: springs of the stiffness of elastic spheres.

use stickslip::law::{
    FrictionLaw, Measure, MindlinForce, MindlinRescale, MindlinRescaleForce, MindlinSecant, MindlinSpring, Slide,
};

use super::bound::by_limit;
use super::keys::Takes::Coefficient;
use super::keys::{Given, Parameter, Values, key, must};
use super::mindlin::{POISSON, TSUJI, elastic};
use super::{Beside, Law, Read};
use crate::input::Result;

const PARAMETERS: &[Parameter] =
    &[must(&[key("mu", "-", Coefficient)], "|F| <= mu N; a number or { static = .., kinetic = .. }"), POISSON, TSUJI];

/// The entry of one of the four: its variant, its type, formula and reference.
macro_rules! entry {
    ($variant:ident, $law:ty, $formula:literal, $reference:literal) => {
        Law {
            name: <$law>::NAME,
            formula: $formula,
            reference: $reference,
            parameters: PARAMETERS,
            exclusive: &[],
            read: Read::Slide(|given, beside| Ok(Slide::$variant(read(given, beside)?))),
            values: |laws| match &laws.slide {
                Some(Slide::$variant(law)) => Some(values(law)),
                _ => None,
            },
            bound: by_limit,
        }
    };
}

pub(super) const SECANT: Law = entry!(
    MindlinSecant,
    MindlinSecant,
    "F = -k_t x, x' = slip; |F| <= mu N; k_t = 2 G* a. Creates energy where N changes",
    "LAMMPS mindlin; Thornton et al. 2013; needs hertz under normal"
);
pub(super) const RESCALE: Law = entry!(
    MindlinRescale,
    MindlinRescale,
    "mindlin-secant, x shrunk with a while the contact unloads. Creates energy where N changes",
    "LAMMPS mindlin_rescale; Thornton et al. 2013; needs hertz under normal"
);
pub(super) const FORCE: Law = entry!(
    MindlinForce,
    MindlinForce,
    "dF = -k_t ds; |F| <= mu N; k_t = 2 G* a. Creates energy where N changes",
    "LAMMPS mindlin/force, YADE; needs hertz under normal"
);
pub(super) const RESCALE_FORCE: Law = entry!(
    MindlinRescaleForce,
    MindlinRescaleForce,
    "mindlin-force, F shrunk with a while the contact unloads",
    "LAMMPS mindlin_rescale/force; Thornton et al. 2013; needs hertz under normal"
);

fn read<const FORCE: bool, const RESCALE: bool>(
    given: &Given<'_, '_>,
    beside: &Beside<'_, '_>,
) -> Result<MindlinSpring<FORCE, RESCALE>> {
    let elastic = elastic(given, beside)?;
    let limit = given.coefficients("mu", Measure::Mu)?;
    Ok(MindlinSpring { elastic, limit, damping_ratio: given.number("damping_ratio")? })
}

fn values<const FORCE: bool, const RESCALE: bool>(law: &MindlinSpring<FORCE, RESCALE>) -> Values {
    let values = Values::new().limit(&law.limit).number("poisson", law.elastic.poisson);
    values.number("damping_ratio", law.damping_ratio)
}

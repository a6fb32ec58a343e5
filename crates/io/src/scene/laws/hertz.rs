//! `hertz` in a scene. Its stiffness is given, or follows from the moduli of its own table and of the two materials.

use stickslip::law::{Hertz, Motions, Normal, NormalLaw, SpringLaws};

use super::bound::{Bound, Radii};
use super::keys::Takes::{Poisson, Positive};
use super::keys::{Given, Values, key, may};
use super::{COHESIONLESS, DAMPING, Law, MODULI, NORMAL_DASHPOT, RATIO, RESTITUTION, Read};
use crate::input::Result;
use crate::scene::materials::Elastic;

pub(super) const LAW: Law = Law {
    name: Hertz::NAME,
    formula: "F = K sqrt(R_eff d) d - 2 sqrt(5/6) b sqrt(S m_eff) v_n, K = 4/3 E*, S = 2 E* sqrt(R_eff d)",
    reference: "Hertz 1882; Tsuji et al. 1992",
    parameters: &[
        may(&[key("stiffness", "Pa", Positive)], "absent", "K = 4/3 E*, instead of the moduli"),
        may(&[key("young", "Pa", Positive)], "absent", "Young's modulus; here or in the materials; with poisson"),
        may(&[key("shear_modulus", "Pa", Positive)], "absent", "shear modulus, instead of young"),
        may(&[key("poisson", "-", Poisson)], "absent", "Poisson's ratio"),
        DAMPING,
        RESTITUTION,
        RATIO,
        COHESIONLESS,
    ],
    exclusive: &[
        &NORMAL_DASHPOT,
        &MODULI,
        &["stiffness", "young"],
        &["stiffness", "shear_modulus"],
        &["stiffness", "poisson"],
    ],
    read: Read::Normal(read),
    values,
    bound,
};

fn read(given: &Given<'_, '_>, sides: &[Elastic; 2]) -> Result<Normal> {
    let stiffness = stiffness(given, sides)?;
    let (cohesionless, damping, damping_ratio) = given.normal_dashpot()?;
    Ok(Normal::Hertz(Hertz { stiffness, damping, damping_ratio, cohesionless }))
}

/// K = 4/3 E*, given or from the moduli of the law's table and, for what is not there, of the two materials.
fn stiffness(given: &Given<'_, '_>, sides: &[Elastic; 2]) -> Result<f64> {
    let table = given.table;
    let own = Elastic::read(table)?;
    if let Some(item) = table.optional("stiffness") {
        if own != Elastic::default() {
            let message = "`stiffness` (K = 4/3 E*) and the moduli (young, shear_modulus, poisson) exclude each other";
            return Err(item.error(message.into()));
        }
        return given.check("stiffness", item);
    }
    let side = |material: &Elastic| own.or(material).young_and_poisson();
    match (side(&sides[0]), side(&sides[1])) {
        (Some(first), Some(second)) => {
            let stiffness = 4.0 / 3.0 * Hertz::effective_modulus(first, second);
            if stiffness.is_finite() && stiffness > 0.0 {
                Ok(stiffness)
            } else {
                Err(table.error(format!("these moduli give hertz a stiffness of {stiffness}")))
            }
        }
        _ => Err(table
            .error("hertz needs `stiffness`, or `young` (or `shear_modulus`) and `poisson`".into())
            .help("the moduli may stand here or in the tables of both materials")),
    }
}

fn of(laws: &SpringLaws) -> Option<&Hertz> {
    match &laws.normal {
        Normal::Hertz(law) => Some(law),
        _ => None,
    }
}

fn values(laws: &SpringLaws) -> Option<Values> {
    let law = of(laws)?;
    Some(Values::normal(law.stiffness, law.damping, law.damping_ratio, law.cohesionless))
}

fn bound(laws: &SpringLaws, _: Motions, _: Radii) -> Option<Bound> {
    let law = of(laws)?;
    Some(Bound::normal(["K", "Pa"], law.stiffness, [law.damping, law.damping_ratio], law.cohesionless))
}

//! `hooke` in a scene.

use stickslip::law::{Hooke, Motions, Normal, NormalLaw, SpringLaws};

use super::bound::{Bound, Radii};
use super::keys::Takes::Positive;
use super::keys::{Given, Values, key, must};
use super::{COHESIONLESS, DAMPING, Law, NORMAL_DASHPOT, RATIO, RESTITUTION, Read};
use crate::input::Result;
use crate::scene::materials::Elastic;

pub(super) const LAW: Law = Law {
    name: Hooke::NAME,
    formula: "F = k d - (gamma m_eff + 2 b sqrt(k m_eff)) v_n",
    reference: "Cundall and Strack 1979; Santos et al. 2020, eq. 1a",
    parameters: &[must(&[key("stiffness", "N/m", Positive)], "k"), DAMPING, RESTITUTION, RATIO, COHESIONLESS],
    exclusive: &[&NORMAL_DASHPOT],
    read: Read::Normal(read),
    values,
    bound,
};

fn read(given: &Given<'_, '_>, _: &[Elastic; 2]) -> Result<Normal> {
    let stiffness = given.number("stiffness")?;
    let (cohesionless, damping, damping_ratio) = given.normal_dashpot()?;
    Ok(Normal::Hooke(Hooke { stiffness, damping, damping_ratio, cohesionless }))
}

fn of(laws: &SpringLaws) -> Option<&Hooke> {
    match &laws.normal {
        Normal::Hooke(law) => Some(law),
        _ => None,
    }
}

fn values(laws: &SpringLaws) -> Option<Values> {
    let law = of(laws)?;
    Some(Values::normal(law.stiffness, law.damping, law.damping_ratio, law.cohesionless))
}

fn bound(laws: &SpringLaws, _: Motions, _: Radii) -> Option<Bound> {
    let law = of(laws)?;
    Some(Bound::normal(["k", "N/m"], law.stiffness, [law.damping, law.damping_ratio], law.cohesionless))
}

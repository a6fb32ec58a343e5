//! `viscous` in a scene.

use stickslip::law::{FrictionLaw, Motions, Roll, RollViscous, SpringLaws};

use super::bound::{Bound, Radii};
use super::keys::Takes::NonNegative;
use super::keys::{Given, Values, key, may, must};
use super::{Beside, Law, Read, TORQUE};
use crate::input::Result;
use crate::scene::check::short;

pub(super) const LAW: Law = Law {
    name: RollViscous::NAME,
    formula: "M = -c w_r, |M| <= mu R_eff N if mu is given",
    reference: "type B of Ai et al. 2011",
    parameters: &[must(&[key("damping", "N m s", NonNegative)], "c"), may(TORQUE.keys, "no limit", TORQUE.meaning)],
    exclusive: &[],
    read: Read::Roll(read),
    values,
    bound,
};

fn read(given: &Given<'_, '_>, _: &Beside<'_, '_>) -> Result<Roll> {
    Ok(Roll::Viscous(RollViscous { damping: given.number("damping")?, limit: given.optional_torque_limit()? }))
}

fn of(laws: &SpringLaws) -> Option<&RollViscous> {
    match &laws.roll {
        Some(Roll::Viscous(law)) => Some(law),
        _ => None,
    }
}

fn values(laws: &SpringLaws) -> Option<Values> {
    let law = of(laws)?;
    let values = Values::new().number("damping", law.damping);
    Some(match &law.limit {
        Some(limit) => values.limit(limit),
        None => values,
    })
}

/// Its limit caps the torque; at rest it holds nothing, so the engine's law does not say it.
fn bound(laws: &SpringLaws, motion: Motions, radii: Radii) -> Option<Bound> {
    let law = of(laws).filter(|_| motion == Motions::ROLL)?;
    let capped = law.limit.map_or_else(|| Bound::unknown("no limit"), |limit| Bound::torque(&limit, "<=", radii));
    Some(Bound { words: format!("M = {} N m s x w_r, {}", short(law.damping), capped.words), ..capped })
}

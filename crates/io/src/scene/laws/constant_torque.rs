//! `constant-torque` in a scene, against roll and spin.

use stickslip::law::{FrictionLaw, Motions, Roll, RollConstantTorque, Spin, SpinConstantTorque, SpringLaws};

use super::bound::{Bound, Radii};
use super::keys::Takes::{Boolean, NonNegative};
use super::keys::{Given, Key, Values, key, may, must};
use super::{Beside, Law, Read};
use crate::input::Result;

/// It has no memory, hence no static branch: one number.
const LIMIT: [Key; 2] = [key("mu", "-", NonNegative), key("length", "m", NonNegative)];
const MEANING: &str = "|M| = mu R_eff N, or |M| = length N; one number";

pub(super) const ROLL: Law = Law {
    name: RollConstantTorque::NAME,
    formula: "M = -mu R_eff N w_r/|w_r|, zero at rest",
    reference: "Zhou et al. 1999; type A of Ai et al. 2011; Fang and Negrut 2020, eq. 8 (include_spin)",
    parameters: &[
        must(&LIMIT, MEANING),
        may(&[key("include_spin", "", Boolean)], "false", "act against all of w_a - w_b; resists spin too"),
    ],
    exclusive: &[],
    read: Read::Roll(read_roll),
    values: |laws| of_roll(laws).map(|law| Values::new().limit(&law.limit).flag("include_spin", law.include_spin)),
    bound: bound_roll,
};

pub(super) const SPIN: Law = Law {
    name: SpinConstantTorque::NAME,
    formula: "M = -mu R_eff N sign(w_t) n, or -length N sign(w_t) n; zero at rest",
    reference: "Fang and Negrut 2020, appendix",
    parameters: &[must(&LIMIT, MEANING)],
    exclusive: &[],
    read: Read::Spin(|given, _| Ok(Spin::ConstantTorque(SpinConstantTorque { limit: given.torque_limit()? }))),
    values: |laws| of_spin(laws).map(|law| Values::new().limit(&law.limit)),
    bound: |laws, motion, radii| {
        of_spin(laws).filter(|_| motion == Motions::SPIN).map(|law| Bound::torque(&law.limit, "=", radii))
    },
};

fn of_roll(laws: &SpringLaws) -> Option<&RollConstantTorque> {
    match &laws.roll {
        Some(Roll::ConstantTorque(law)) => Some(law),
        _ => None,
    }
}

fn of_spin(laws: &SpringLaws) -> Option<&SpinConstantTorque> {
    match &laws.spin {
        Some(Spin::ConstantTorque(law)) => Some(law),
        _ => None,
    }
}

fn read_roll(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Roll> {
    let limit = given.torque_limit()?;
    let include_spin = given.flag("include_spin")?;
    if include_spin && let Some(spin) = beside.contact.optional("spin") {
        let message = "two laws claim the same motion: `roll` has include_spin = true and resists spin already";
        return Err(spin.error(message.into()).help("leave `spin` out, or set include_spin = false"));
    }
    Ok(Roll::ConstantTorque(RollConstantTorque { limit, include_spin }))
}

fn bound_roll(laws: &SpringLaws, motion: Motions, radii: Radii) -> Option<Bound> {
    let law = of_roll(laws)?;
    let bound = Bound::torque(&law.limit, "=", radii);
    match motion {
        Motions::ROLL if law.include_spin => Some(Bound { words: bound.words + "; resists spin too", ..bound }),
        Motions::ROLL => Some(bound),
        // Said under roll.
        Motions::SPIN if law.include_spin => Some(Bound { words: String::new(), ..bound }),
        _ => None,
    }
}

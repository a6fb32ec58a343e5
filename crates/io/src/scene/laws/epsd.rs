//! `epsd` in a scene. Its stiffness is given, or that of the pair's slide law.

use stickslip::law::{FrictionLaw, Roll, RollEpsd, Slide, SpringLaws};

use super::bound::by_limit;
use super::keys::Takes::{NonNegative, Positive};
use super::keys::{Given, Values, key, may};
use super::{Beside, Law, Read, TORQUE};
use crate::input::Result;

pub(super) const LAW: Law = Law {
    name: RollEpsd::NAME,
    formula: "M_k -= K_r w_r dt, |M_k| <= mu R_eff N; M = M_k - 2 eta sqrt(I_r K_r) w_r (dashpot off when saturated)",
    reference: "Iwashita and Oda 1998; Jiang et al. 2005; type C of Ai et al. 2011",
    parameters: &[
        may(&[key("stiffness", "N m/rad", Positive)], "K_t R_eff^2 of the slide law", "K_r"),
        may(&[key("damping_ratio", "-", NonNegative)], "0.3", "eta"),
        TORQUE,
    ],
    exclusive: &[],
    read: Read::Roll(read),
    values,
    bound: by_limit,
};

fn read(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Roll> {
    let (stiffness, slide_stiffness) = match (given.optional("stiffness")?, &beside.laws.slide) {
        (Some(stiffness), _) => (stiffness, 0.0),
        (None, Some(Slide::SpringSlider(slide))) if slide.stiffness > 0.0 => (0.0, slide.stiffness),
        (None, _) => {
            return Err(given
                .table
                .error("epsd has no `stiffness`, and the pair no slide law to take one from".into())
                .help("give `stiffness` (N m/rad), or a slide law with a spring"));
        }
    };
    let damping_ratio = given.number("damping_ratio")?;
    let limit = given.torque_limit()?;
    Ok(Roll::Epsd(RollEpsd { stiffness, slide_stiffness, damping_ratio, limit }))
}

fn values(laws: &SpringLaws) -> Option<Values> {
    let Some(Roll::Epsd(law)) = &laws.roll else { return None };
    let own = Values::new();
    let own = if law.stiffness > 0.0 { own.number("stiffness", law.stiffness) } else { own };
    Some(own.number("damping_ratio", law.damping_ratio).limit(&law.limit))
}

//! `walton-braun` and `vu-quoc-zhang` in a scene.

use stickslip::law::{FrictionLaw, Slide, VuQuocZhang, WaltonBraun};

use super::bound::by_limit;
use super::keys::Takes::{Boolean, NonNegative};
use super::keys::{Values, key, may};
use super::mindlin::{ONE_MU, POISSON, TSUJI, elastic};
use super::{Law, Read};

pub(super) const WALTON_BRAUN: Law = Law {
    name: WaltonBraun::NAME,
    formula: "dF = -k_t (1 - (F - F*)/(mu N - F*))^g ds, F* = F where it last turned, scaled with N; |F| <= mu N; k_t = 2 G* a",
    reference: "Walton and Braun 1986; needs hertz under normal",
    parameters: &[
        ONE_MU,
        POISSON,
        may(&[key("exponent", "-", NonNegative)], "0.3333333333333333", "g, how fast the contact softens"),
        TSUJI,
    ],
    exclusive: &[],
    read: Read::Slide(|given, beside| {
        let (elastic, mu) = (elastic(given, beside)?, given.number("mu")?);
        let (exponent, damping_ratio) = (given.number("exponent")?, given.number("damping_ratio")?);
        Ok(Slide::WaltonBraun(WaltonBraun { elastic, mu, exponent, damping_ratio }))
    }),
    values: |laws| match &laws.slide {
        Some(Slide::WaltonBraun(law)) => {
            let values = Values::new().number("mu", law.mu).number("poisson", law.elastic.poisson);
            Some(values.number("exponent", law.exponent).number("damping_ratio", law.damping_ratio))
        }
        _ => None,
    },
    bound: by_limit,
};

pub(super) const VU_QUOC_ZHANG: Law = Law {
    name: VuQuocZhang::NAME,
    formula: "walton-braun with g = 1/3, F* shifted by mu dN; rolling: ds = du - (2/pi) (|u_roll|/a) x, x the sum of ds",
    reference: "Vu-Quoc and Zhang 1999; Kuhn 2014, section 2.3; needs hertz under normal",
    parameters: &[
        ONE_MU,
        POISSON,
        may(&[key("rolling_correction", "", Boolean)], "false", "rolling relaxes the displacement"),
        TSUJI,
    ],
    exclusive: &[],
    read: Read::Slide(|given, beside| {
        let (elastic, mu) = (elastic(given, beside)?, given.number("mu")?);
        let rolling_correction = given.flag("rolling_correction")?;
        let damping_ratio = given.number("damping_ratio")?;
        Ok(Slide::VuQuocZhang(VuQuocZhang { elastic, mu, rolling_correction, damping_ratio }))
    }),
    values: |laws| match &laws.slide {
        Some(Slide::VuQuocZhang(law)) => {
            let values = Values::new().number("mu", law.mu).number("poisson", law.elastic.poisson);
            let values = values.flag("rolling_correction", law.rolling_correction);
            Some(values.number("damping_ratio", law.damping_ratio))
        }
        _ => None,
    },
    bound: by_limit,
};

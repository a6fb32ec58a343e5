//! `marshall` in a scene: without keys of its own, all of the pair's slide law and of hertz.

use stickslip::law::{FrictionLaw, Motions, Slide, Spin, SpinMarshall, SpringLaws};

use super::bound::{Bound, Radii};
use super::keys::Values;
use super::{Law, Read, limit_over_area};

pub(super) const LAW: Law = Law {
    name: SpinMarshall::NAME,
    formula: "M = -(a^2/2)(k_s x + c_s w_t), |M| <= (2/3) a mu N; a = sqrt(R_eff d); k_s, c_s, mu of the slide law",
    reference: "Marshall 2009; needs hertz under normal and a spring-slider under slide",
    parameters: &[],
    exclusive: &[],
    read: Read::Spin(|given, beside| {
        limit_over_area(given, SpinMarshall::NAME, &beside.laws)?;
        match beside.laws.slide {
            Some(Slide::SpringSlider(slide)) => Ok(Spin::Marshall(SpinMarshall { slide })),
            _ => Err(given
                .table
                .error("marshall spreads the spring and dashpot of a spring-slider under `slide`".into())
                .help("beside a law of elastic spheres take lubkin, their own law of spin")),
        }
    }),
    values: |laws| of(laws).map(|_| Values::new()),
    bound,
};

fn of(laws: &SpringLaws) -> Option<&SpinMarshall> {
    match &laws.spin {
        Some(Spin::Marshall(law)) => Some(law),
        _ => None,
    }
}

fn bound(laws: &SpringLaws, motion: Motions, _: Radii) -> Option<Bound> {
    of(laws).filter(|_| motion == Motions::SPIN).map(|law| Bound::over_area(&law.slide.limit, SpinMarshall::ARM))
}

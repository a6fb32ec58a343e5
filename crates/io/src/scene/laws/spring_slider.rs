//! `spring-slider` in a scene, against slide, roll and spin: three laws with much in common.

use stickslip::law::{
    Arm, Cap, FrictionLaw, Limit, Measure, Normal, Roll, RollSlider, Slide, SlideSlider, SliderOptions, Slip, Spin,
    SpinSlider, Transport,
};

use super::bound::by_limit;
use super::keys::Takes::{self, Coefficient, NonNegative};
use super::keys::{DASHPOT, Given, Key, Parameter, Values, key, may, must, words_of};
use super::{Beside, Law, RATIO, Read, TORQUE};
use crate::input::Result;

const ARMS: [(&str, Arm); 2] = [("midpoint", Arm::Midpoint), ("lammps", Arm::Lammps)];
const TRANSPORTS: [(&str, Transport); 2] = [("objective", Transport::Objective), ("lammps", Transport::Lammps)];
const SLIPS: [(&str, Slip); 2] = [("series", Slip::Series), ("lammps", Slip::Lammps)];
const CAPS: [(&str, Cap); 2] = [("total", Cap::Total), ("elastic", Cap::Elastic)];

const ARM_WORDS: [&str; 2] = words_of(&ARMS);
const TRANSPORT_WORDS: [&str; 2] = words_of(&TRANSPORTS);
const SLIP_WORDS: [&str; 2] = words_of(&SLIPS);
const CAP_WORDS: [&str; 2] = words_of(&CAPS);

const STIFFNESS: [Key; 2] = [key("stiffness", "N/m", NonNegative), key("stiffness_ratio", "-", NonNegative)];
const TRANSPORT: Parameter =
    may(&[key("transport", "", Takes::Words(&TRANSPORT_WORDS))], "objective", "how the memory turns with the pair");
const SLIP: Parameter = may(
    &[key("slip", "", Takes::Words(&SLIP_WORDS))],
    "series",
    "what slip leaves in the spring; lammps takes N = |F|, also of a pull, and can create energy",
);
const CAP: Parameter = may(
    &[key("cap", "", Takes::Words(&CAP_WORDS))],
    "total",
    "the limit caps spring and dashpot together, or the spring alone",
);

pub(super) const SLIDE: Law = Law {
    name: SlideSlider::NAME,
    formula: "f = -k x - c v, |f| <= mu N; x is the elongation, v the slip velocity, c = gamma m_eff",
    reference: "Cundall and Strack 1979; Luding 2008; Santos et al. 2020, eq. 1",
    parameters: &[
        must(&STIFFNESS, "k, or k over the normal stiffness (hooke)"),
        may(&[key("damping", "1/s", NonNegative)], "0", "gamma, times the effective mass"),
        RATIO,
        must(&[key("mu", "-", Coefficient)], "|F| <= mu N; a number or { static = .., kinetic = .. }"),
        may(
            &[key("arm", "", Takes::Words(&ARM_WORDS))],
            "midpoint",
            "radii in the slip velocity: R - d/2 (objective) or R",
        ),
        TRANSPORT,
        SLIP,
        CAP,
    ],
    exclusive: &[&DASHPOT],
    read: Read::Slide(read_slide),
    values: |laws| match &laws.slide {
        Some(Slide::SpringSlider(law)) => {
            let values = values(law.stiffness, law.damping, &law.limit, law.options);
            Some(values.choice("arm", &ARMS, law.options.arm).choice("transport", &TRANSPORTS, law.options.transport))
        }
        _ => None,
    },
    bound: by_limit,
};

pub(super) const ROLL: Law = Law {
    name: RollSlider::NAME,
    formula: "f = -k x - c v, v = R_eff (w_a - w_b) x n, M = R_eff n x f, |M| <= mu R_eff N",
    reference: "Luding 2008; Santos et al. 2020, eq. 2",
    parameters: &[
        must(&STIFFNESS, "k of the pseudo-force at R_eff, or k over the normal stiffness (hooke)"),
        may(&[key("damping", "kg/s", NonNegative)], "0", "c of the pseudo-force at R_eff"),
        RATIO,
        TORQUE,
        TRANSPORT,
        SLIP,
        CAP,
    ],
    exclusive: &[&DASHPOT],
    read: Read::Roll(read_roll),
    values: |laws| match &laws.roll {
        Some(Roll::SpringSlider(law)) => {
            let values = values(law.stiffness, law.damping, &law.limit, law.options);
            Some(values.choice("transport", &TRANSPORTS, law.options.transport))
        }
        _ => None,
    },
    bound: by_limit,
};

pub(super) const SPIN: Law = Law {
    name: SpinSlider::NAME,
    formula: "M = -k x - c w_t, |M| <= mu R_eff N or length N; x is the angle of spin",
    reference: "Santos et al. 2020, eq. 3 (their mu_t is a length)",
    parameters: &[
        must(&[key("stiffness", "N m/rad", NonNegative)], "k"),
        may(&[key("damping", "N m s", NonNegative)], "0", "c"),
        RATIO,
        TORQUE,
        SLIP,
        CAP,
    ],
    exclusive: &[&DASHPOT],
    read: Read::Spin(read_spin),
    values: |laws| match &laws.spin {
        Some(Spin::SpringSlider(law)) => Some(values(law.stiffness, law.damping, &law.limit, law.options)),
        _ => None,
    },
    bound: by_limit,
};

fn read_slide(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Slide> {
    let arm = given.choice("arm", &ARMS)?;
    let transport = given.choice("transport", &TRANSPORTS)?;
    let spring = read_spring(given, Some(&beside.laws.normal))?;
    let limit = given.coefficients("mu", Measure::Mu)?;
    let options = SliderOptions { arm, transport, ..spring.options };
    Ok(Slide::SpringSlider(SlideSlider { stiffness: spring.stiffness, damping: spring.damping, limit, options }))
}

fn read_roll(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Roll> {
    let transport = given.choice("transport", &TRANSPORTS)?;
    let spring = read_spring(given, Some(&beside.laws.normal))?;
    let limit = given.torque_limit()?;
    let options = SliderOptions { transport, ..spring.options };
    Ok(Roll::SpringSlider(RollSlider { stiffness: spring.stiffness, damping: spring.damping, limit, options }))
}

fn read_spin(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Spin> {
    let Spring { stiffness, damping, mut options } = read_spring(given, None)?;
    let limit = given.torque_limit()?;
    // Spin has nothing to carry, so no `transport` of its own: its rate is taken where the slide law takes its own.
    if beside.laws.rates_at_end() {
        options.transport = Transport::Lammps;
    }
    Ok(Spin::SpringSlider(SpinSlider { stiffness, damping, limit, options }))
}

/// What the three have in common.
struct Spring {
    stiffness: f64,
    damping: f64,
    options: SliderOptions,
}

/// `normal` is given where the stiffness may be a ratio to the normal one.
fn read_spring(given: &Given<'_, '_>, normal: Option<&Normal>) -> Result<Spring> {
    let (slip, cap) = (given.choice("slip", &SLIPS)?, given.choice("cap", &CAPS)?);
    let (key, item) = given.one_of("stiffness")?;
    let place = item.place();
    let value = |item| given.check(key, item);
    let stiffness = match (key, normal) {
        ("stiffness_ratio", Some(Normal::Hooke(hooke))) => value(item)? * hooke.stiffness,
        ("stiffness_ratio", _) => {
            let message = "with hertz the normal stiffness changes with the overlap: give `stiffness` instead";
            return Err(item.error(message.into()));
        }
        _ => value(item)?,
    };
    let (damping, damped_by_ratio) = given.dashpot()?;
    if !stiffness.is_finite() {
        return Err(place.error("this ratio gives a stiffness that is not finite".into()));
    }
    if stiffness == 0.0 && (slip != Slip::Series || cap != Cap::Total) {
        let message =
            "expected a number above zero: only slip = \"series\" with cap = \"total\" works without a spring";
        return Err(place.error(message.into()));
    }
    if stiffness == 0.0 && (damping == 0.0 || damped_by_ratio) {
        return Err(place.error("a stiffness of zero needs a `damping` above zero: nothing else resists".into()));
    }
    Ok(Spring { stiffness, damping, options: SliderOptions { slip, cap, damped_by_ratio, ..SliderOptions::default() } })
}

fn values(stiffness: f64, damping: f64, limit: &Limit, options: SliderOptions) -> Values {
    let spring = Values::new().number("stiffness", stiffness).dashpot(damping, options.damped_by_ratio);
    spring.limit(limit).choice("slip", &SLIPS, options.slip).choice("cap", &CAPS, options.cap)
}

//! The laws of the paper's appendix A, with one set of limits, so that they can stand side by side.
//!
//! Slide: Cundall and Strack (the spring capped, no dashpot in slip, one coefficient), Luding (a test force of spring and dashpot,
//! static and kinetic coefficients). Roll: the constant torque of eq. 8, the elastic-plastic spring of Iwashita and Oda and of Jiang
//! (`epsd`), Luding's pseudo-force (`spring-slider`). Spin: a constant torque, a spring and slider, Marshall and Lubkin, whose limits
//! follow from the contact area: (2/3) a mu N and (3 pi/16) a mu N. `tracked` resists all three.

use stickslip::law::{
    Cap, Hertz, Hooke, Limit, Normal, Roll, RollConstantTorque, RollEpsd, RollSlider, Slide, SlideSlider,
    SliderOptions, Spin, SpinConstantTorque, SpinLubkin, SpinMarshall, SpinSlider, SpringLaws,
};

use super::friction::{Friction, Twist};
use super::track::Which;
use super::{KINETIC, STATIC, STIFFNESS};

/// Everything that is damped is damped critically.
const CRITICAL: SliderOptions = SliderOptions {
    arm: stickslip::law::Arm::Midpoint,
    transport: stickslip::law::Transport::Objective,
    slip: stickslip::law::Slip::Series,
    cap: Cap::Total,
    damped_by_ratio: true,
};

/// A law and the motion in which it is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// In metrics; of a law that resists several motions, the motion that is not its first one follows a comma.
    pub name: &'static str,
    /// Which motion.
    pub motion: Which,
    /// Whether it can hold a load at rest, as the paper says.
    pub holds: bool,
}

const fn entry(name: &'static str, motion: Which, holds: bool) -> Entry {
    Entry { name, motion, holds }
}

/// All of them.
pub const ENTRIES: [Entry; 12] = [
    entry("cundall-strack", Which::Slide, true),
    entry("luding", Which::Slide, true),
    entry("tracked,slide", Which::Slide, true),
    entry("constant-torque", Which::Roll, false),
    entry("epsd", Which::Roll, true),
    entry("spring-slider", Which::Roll, true),
    entry("tracked", Which::Roll, true),
    entry("constant-torque,spin", Which::Spin, false),
    entry("spring-slider,spin", Which::Spin, true),
    entry("marshall", Which::Spin, true),
    entry("lubkin", Which::Spin, true),
    entry("tracked,spin", Which::Spin, true),
];

fn normal() -> Normal {
    Normal::Hooke(Hooke::new(1.0, 0.0))
}

fn coefficients(factor: f64) -> Limit {
    Limit { static_: factor * STATIC, ..Limit::mu(factor * KINETIC) }
}

/// Luding's sliding friction alone; the normal law is the rig's.
pub fn luding_slide() -> SpringLaws {
    let slide = SlideSlider { options: CRITICAL, ..SlideSlider::new(STIFFNESS, 1.0, coefficients(1.0)) };
    SpringLaws { slide: Some(Slide::SpringSlider(slide)), ..SpringLaws::frictionless(normal()) }
}

/// A law of slide by its name.
pub fn slide(name: &str) -> SpringLaws {
    match name {
        "cundall-strack" => {
            let options = SliderOptions { cap: Cap::Elastic, ..CRITICAL };
            let slide = SlideSlider { options, ..SlideSlider::new(STIFFNESS, 1.0, Limit::mu(KINETIC)) };
            SpringLaws { slide: Some(Slide::SpringSlider(slide)), ..SpringLaws::frictionless(normal()) }
        }
        "luding" => luding_slide(),
        _ => Friction::slide().laws(),
    }
}

/// A law of roll by its name, with the limits and the stiffness of the paper's at this eta_r and radius on a plane.
pub fn roll(name: &str, eta: f64, radius: f64) -> SpringLaws {
    let limit = coefficients(2.0 * eta);
    let stiffness = 4.0 * eta * STIFFNESS;
    let roll = match name {
        "constant-torque" => {
            Roll::ConstantTorque(RollConstantTorque { limit: Limit::mu(limit.kinetic), include_spin: true })
        }
        "epsd" => {
            let stiffness = stiffness * radius * radius;
            Roll::Epsd(RollEpsd { stiffness, slide_stiffness: 0.0, damping_ratio: 1.0, limit })
        }
        // Of a pseudo-force at R_eff: K_R/R^2.
        "spring-slider" => {
            Roll::SpringSlider(RollSlider { options: CRITICAL, ..RollSlider::new(stiffness, 1.0, limit) })
        }
        _ => return Friction { starts_in_slip: true, ..Friction::roll(eta) }.laws(),
    };
    SpringLaws { roll: Some(roll), ..luding_slide() }
}

/// An elastic sphere on a rigid plane, for the laws of spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// E_eff (Pa).
    pub modulus: f64,
    /// G of the sphere (Pa): the plane is rigid.
    pub shear_modulus: f64,
    /// Radius of the contact area (m).
    pub area: f64,
    /// K_E (N/m).
    pub stiffness: f64,
}

/// A law of spin by its name.
pub fn spin(name: &str, elastic: &Elastic) -> SpringLaws {
    let Elastic { modulus, shear_modulus, area, stiffness } = *elastic;
    let hertz = Hertz { stiffness: 4.0 / 3.0 * modulus, damping: 0.0, damping_ratio: 0.0, cohesionless: true };
    let normal = Normal::Hertz(hertz);
    // The paper's: a mu N/2 and a^2 K_E/2.
    let length = |mu: f64| 0.5 * area * mu;
    let limit = Limit { static_: length(STATIC), ..Limit::length(length(KINETIC)) };
    let slide = SlideSlider { options: CRITICAL, ..SlideSlider::new(stiffness, 1.0, coefficients(1.0)) };
    let spin = match name {
        "constant-torque,spin" => Spin::ConstantTorque(SpinConstantTorque { limit: Limit::length(limit.kinetic) }),
        "spring-slider,spin" => {
            let law = SpinSlider::new(0.5 * area * area * stiffness, 1.0, limit);
            Spin::SpringSlider(SpinSlider { options: CRITICAL, ..law })
        }
        "marshall" => Spin::Marshall(SpinMarshall { slide }),
        "lubkin" => {
            Spin::Lubkin(SpinLubkin { shear_modulus, damping: 1.0, damped_by_ratio: true, limit: coefficients(1.0) })
        }
        _ => {
            let twist = Some(Twist::Hertz);
            return Friction { stiffness, spin: twist, ..Friction::slide() }.laws_with(normal);
        }
    };
    SpringLaws { slide: Some(Slide::SpringSlider(slide)), spin: Some(spin), ..SpringLaws::frictionless(normal) }
}

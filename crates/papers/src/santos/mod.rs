//! Santos et al., Granular packings with sliding, rolling, and twisting friction, Phys. Rev. E 102, 032903 (2020).
//!
//! In the paper's units: a grain has diameter 1 and mass 1, springs have stiffness 1, so that times are in units of
//! sqrt(m/k_n) and pressures in units of k_n/d. What the paper calls twisting is called spin here.

pub mod campaign;
pub mod constraints;
pub mod contact;
pub mod figures;
pub mod friction;
pub mod materials;
pub mod oscillator;
pub mod packing;
pub mod pressure;
pub mod reference;
pub mod table;

use stickslip::law::{Hooke, Limit, Normal, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider, SpringLaws};
use stickslip::{Body, Material, Model, Shape};

/// Radius of a grain.
pub const RADIUS: f64 = 0.5;
/// Density at which a grain has mass 1.
pub const DENSITY: f64 = 6.0 / std::f64::consts::PI;
/// The paper's stiffness of the normal spring, and of all others in its packings.
pub const STIFFNESS: f64 = 1.0;
/// The paper's damping of every mode.
pub const DAMPING: f64 = 0.5;
/// The paper's step.
pub const STEP: f64 = 0.02;

/// The paper's laws with these coefficients of friction; a coefficient of zero leaves the law out. That of spin is a length
/// in units of the diameter: the torque is at most mu_t times the normal force.
pub fn laws(mu_slide: f64, mu_roll: f64, mu_spin: f64) -> SpringLaws {
    let slide = SlideSlider::new(STIFFNESS, DAMPING, Limit::mu(mu_slide));
    let roll = RollSlider::new(STIFFNESS, DAMPING, Limit::mu(mu_roll));
    let spin = SpinSlider::new(STIFFNESS, DAMPING, Limit::length(mu_spin));
    SpringLaws {
        normal: Normal::Hooke(Hooke::new(STIFFNESS, DAMPING)),
        slide: (mu_slide > 0.0).then_some(Slide::SpringSlider(slide)),
        roll: (mu_roll > 0.0).then_some(Roll::SpringSlider(roll)),
        spin: (mu_spin > 0.0).then_some(Spin::SpringSlider(spin)),
        friction: None,
    }
}

/// A model of the paper's grains.
pub fn model(laws: SpringLaws, step: f64) -> Model {
    let mut model = Model::new(vec![Material { name: "grain".into(), density: DENSITY }], step);
    model.laws.set(0, 0, laws);
    model
}

/// A grain at rest.
pub fn grain(position: glam::DVec3) -> Body {
    Body::new(Shape::Sphere { radius: RADIUS }, 0, position)
}

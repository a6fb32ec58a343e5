//! What the experiments share: friction as three limits, a model of rigid bodies on fixed ground, steps that must be solved.

use glam::DVec3;
use stickslip::cone::Cone;
use stickslip::law::{Limit, Limits, RigidLaws};
use stickslip::model::Nonsmooth;
use stickslip::{Body, Material, Model, Motion, Setup, Shape, World};

use crate::experiment::Ended;

/// Index of the material of what moves.
pub const GRAIN: u16 = 0;
/// Index of the material of floor and walls.
pub const GROUND: u16 = 1;
/// Both laws of the cone, with the names that tables and metrics have.
pub const CONES: [(Cone, &str); 2] = [(Cone::Exact, "exact"), (Cone::Associated, "associated")];

/// The limits of one pair of materials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Friction {
    /// mu.
    pub slide: f64,
    /// rho (m).
    pub roll: f64,
    /// sigma (m).
    pub spin: f64,
}

impl Friction {
    /// Rigid contacts without restitution; a motion with a limit of zero is free.
    pub fn laws(self) -> RigidLaws {
        let length = |length: f64| (length > 0.0).then(|| Limit::length(length));
        let slide = (self.slide > 0.0).then(|| Limit::mu(self.slide));
        let limits = Limits { slide, roll: length(self.roll), spin: length(self.spin), ..Limits::default() };
        RigidLaws { limits, ..RigidLaws::default() }
    }
}

/// Grains on ground under gravity (m/s^2), with the same friction everywhere.
pub fn model(friction: Friction, density: f64, gravity: DVec3, step: f64, method: Nonsmooth) -> Model {
    let materials = ["grain", "ground"].map(|name| Material { name: name.into(), density });
    let mut model = Model::new(materials.to_vec(), step);
    model.gravity = gravity.into();
    model.laws.set(GRAIN, GRAIN, friction.laws());
    model.laws.set(GRAIN, GROUND, friction.laws());
    model.method = method.into();
    model
}

/// Settings that solve one contact to rounding.
pub fn to_rounding(cone: Cone, tolerance: f64) -> Nonsmooth {
    Nonsmooth { cone, tolerance: Some(tolerance), max_iterations: 20_000, ..Nonsmooth::default() }
}

/// A sphere.
pub fn sphere(radius: f64, position: DVec3) -> Body {
    Body::new(Shape::Sphere { radius }, GRAIN, position)
}

/// A fixed plane of the ground's material.
pub fn plane(normal: DVec3, position: DVec3) -> Body {
    Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal }, GROUND, position) }
}

/// Floor at height 0.
pub fn floor() -> Body {
    plane(DVec3::Z, DVec3::ZERO)
}

/// The world of a model and bodies.
pub fn world(model: Model, bodies: Vec<Body>) -> Result<World, Ended> {
    World::new(Setup { model, bodies }).map_err(Ended::failed)
}

/// Takes steps.
pub fn advance(world: &mut World, steps: u64) -> Result<(), Ended> {
    world.advance(steps).map_err(Ended::failed)
}

/// Steps so far that missed the tolerance or needed the convex law.
pub fn troubled_steps(world: &World) -> u64 {
    world.solver().map_or(0, |report| report.unsolved + report.fallback)
}

//! One body on a plane under a normal force that does not change, as the paper has it in all tests with one body.
//!
//! The paper sets N = m g cos(alpha) and computes no contact. Here the engine's own contact does: the height of the sphere
//! is locked at a small overlap, and the stiffness of the `hooke` spring is N over that overlap as the engine will find it,
//! so that N comes out to rounding and stays. (A free height would do as well in theory; but its rounding, 1e-17 m, times
//! any stable stiffness moves N, and with it the limits of friction.) The overlap is 2^-36 m, so that levers R - d/2 are R to 1e-10.
//!
//! x points up the slope, z out of the plane. A disc is a sphere with the inertia of a disc whose other motions are locked; a
//! brick is a sphere that cannot turn.

use glam::DVec3;
use stickslip::law::{Hooke, Normal, SpringLaws};
use stickslip::model::Integrator;
use stickslip::{Body, Material, Model, Motion, Setup, Shape, World};

use super::STEP;
use super::track::{Sample, Track};
use crate::experiment::{Context, Ended};

/// How far the sphere is pressed into the plane (m).
const OVERLAP: f64 = 1.0 / (1_u64 << 36) as f64;

/// How a body may turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Not at all: a brick.
    Not,
    /// About y: a disc.
    InPlane,
    /// As it likes: a sphere.
    Freely,
}

/// A body on a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rig {
    /// kg.
    pub mass: f64,
    /// m.
    pub radius: f64,
    /// kg m^2.
    pub inertia: f64,
    /// Normal force (N).
    pub normal: f64,
    /// Constant force along x (N).
    pub along: f64,
    /// Constant torque about z (N m).
    pub twist: f64,
    /// Start velocity along x (m/s).
    pub speed: f64,
    /// Start angular velocity (rad/s).
    pub turning: DVec3,
    /// How it may turn.
    pub turns: Turns,
}

impl Rig {
    /// A body at rest on a slope of this angle (rad).
    pub fn on_slope(mass: f64, radius: f64, inertia: f64, slope: f64, turns: Turns) -> Self {
        let weight = mass * super::GRAVITY;
        Rig {
            mass,
            radius,
            inertia,
            normal: weight * stickslip::math::cos(slope),
            along: -weight * stickslip::math::sin(slope),
            twist: 0.0,
            speed: 0.0,
            turning: DVec3::ZERO,
            turns,
        }
    }

    /// The body, at this overlap.
    pub fn body(&self, overlap: f64) -> Body {
        let lock = match self.turns {
            Turns::Not => [false, true, true, true, true, true],
            Turns::InPlane => [false, true, true, true, false, true],
            Turns::Freely => [false, false, true, false, false, false],
        };
        Body {
            velocity: DVec3::X * self.speed,
            angular_velocity: self.turning,
            mass: Some(self.mass),
            inertia_body: Some(DVec3::splat(self.inertia)),
            force: (DVec3::X * self.along).into(),
            torque: (DVec3::Z * self.twist).into(),
            lock,
            ..Body::new(Shape::Sphere { radius: self.radius }, 0, DVec3::Z * (self.radius - overlap))
        }
    }

    /// The spring that presses with the normal force.
    fn spring(&self) -> Hooke {
        let centre = self.body(OVERLAP).position.z;
        Hooke::new(self.normal / (self.radius - centre), 0.0)
    }

    /// The world with these laws of friction; the normal law is the rig's own.
    pub fn world(&self, laws: SpringLaws) -> Result<World, Ended> {
        self.world_pressed_by(SpringLaws { normal: Normal::Hooke(self.spring()), ..laws }, OVERLAP)
    }

    /// The same with a normal law of the caller's, at this overlap.
    pub fn world_pressed_by(&self, laws: SpringLaws, overlap: f64) -> Result<World, Ended> {
        world(laws, vec![self.body(overlap)])
    }

    /// Lets the body go for so long and notes every step.
    pub fn track(&self, context: &Context, laws: SpringLaws, time: f64) -> Result<Track, Ended> {
        track(context, self.world(laws)?, time)
    }
}

/// Bodies of one material on a plane of another, with the paper's step and integrator.
pub fn world(laws: SpringLaws, bodies: Vec<Body>) -> Result<World, Ended> {
    let mut model = model(1);
    model.laws.set(0, 1, laws);
    stand(model, bodies)
}

/// A model of so many materials of bodies, and one more of the plane; no laws yet.
pub fn model(materials: usize) -> Model {
    let names = (0..=materials).map(|k| if k < materials { format!("body {k}") } else { "plane".into() });
    let mut model = Model::new(names.map(|name| Material { name, density: 1.0 }).collect(), STEP);
    model.method = stickslip::model::Explicit::default().with_integrator(Integrator::SymplecticEuler).into();
    model
}

/// The world of a model and its bodies, with the plane z = 0, of the last material, as the last body.
pub fn stand(model: Model, mut bodies: Vec<Body>) -> Result<World, Ended> {
    let material = (model.materials.len() - 1) as u16;
    let plane = Shape::Plane { normal: DVec3::Z };
    bodies.push(Body { motion: Motion::Fixed, ..Body::new(plane, material, DVec3::ZERO) });
    World::new(Setup { model, bodies }).map_err(Ended::failed)
}

/// Steps a world whose body 0 is the one to look at.
pub fn track(context: &Context, mut world: World, time: f64) -> Result<Track, Ended> {
    let steps = (time / STEP).round() as usize;
    world.keep_rows(true);
    let mut track = Track { samples: vec![sample(&world, 0.0, 0.0)?] };
    let (mut angle, mut spun) = (0.0, 0.0);
    for step in 0..steps {
        if step % 1000 == 0 {
            context.check_interrupt()?;
        }
        world.step().map_err(Ended::failed)?;
        // The integrator turns with the new velocity.
        let turning = world.body(0).angular_velocity;
        angle += STEP * turning.y;
        spun += STEP * turning.z;
        track.samples.push(sample(&world, angle, spun)?);
    }
    Ok(track)
}

fn sample(world: &World, angle: f64, spun: f64) -> Result<Sample, Ended> {
    let body = world.body(0);
    let contacts = world.rows();
    let contact = contacts.first().ok_or_else(|| Ended::Failed("the body has left the plane".into()))?;
    Ok(Sample {
        time: world.time(),
        x: body.position.x,
        v: body.velocity.x,
        angle,
        omega: body.angular_velocity.y,
        spun,
        spinning: body.angular_velocity.z,
        normal: contact.normal_force,
        force: contact.slide.x,
        torque: contact.roll_a.y,
        spin_torque: contact.spin,
        mode: contact.mode,
    })
}

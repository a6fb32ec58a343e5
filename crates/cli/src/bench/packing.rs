//! The packing that `bench` measures on: equal spheres in a box of six planes, jammed and at rest.
//!
//! Spheres of diameter, mass and stiffness 1 with the parameters of Santos et al. 2020 and all three coefficients 1, placed
//! at random and squeezed in small steps of strain: first without friction, then with all frictions and the contacts'
//! memory kept, until a network of contacts bears load; then it settles. With these coefficients that happens at some 1.3
//! contacts a sphere (each counted once); with 0.3 it took 1.5 and more, and looser ones gave way.

use std::time::Duration;

use glam::DVec3;
use stickslip::body::{Body, Motion};
use stickslip::law::{Hooke, Limit, Normal, PairLaws, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider};
use stickslip::math;
use stickslip::model::{Material, Model};
use stickslip::place;
use stickslip::random::Stream;
use stickslip::shape::Shape;
use stickslip::world::{Remembered, Setup, World};

/// Volume fraction of the random start.
const START: f64 = 0.4;
/// Volume fraction up to which it is squeezed without friction; it is loose there.
const LOOSE: f64 = 0.43;
/// Linear strain of a squeeze without friction, and steps of relaxation after it.
const SQUEEZE: (f64, u32) = (0.006, 20);
/// The same with all frictions.
const TIGHTEN: (f64, u32) = (0.001, 300);
/// Contacts per sphere, each counted once, up to which it is squeezed; a few more close while it settles.
const CONTACTS: f64 = 1.25;
/// Mean net force on a sphere over the mean normal force below which the packing has settled, and how many relaxations
/// with all frictions there are at most.
const BALANCED: (f64, u32) = (5e-3, 60);
/// Steps of relaxation: without friction the springs limit it; with all, the spin dashpot, which damps at
/// 2 c/I = 10 a unit of time and contact.
const RELAXATION_STEP: [f64; 2] = [0.1, 0.03];
/// Steps without local damping at the end.
const AT_LAST: u32 = 100;
/// How long placing may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which frictions act.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Friction {
    /// None.
    Smooth,
    /// Against sliding.
    Slide,
    /// Against sliding, rolling and spinning.
    All,
}

impl Friction {
    fn laws(self) -> PairLaws {
        let mut laws = PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.5)));
        if self != Friction::Smooth {
            laws.slide = Some(Slide::SpringSlider(SlideSlider::new(1.0, 0.5, Limit::mu(1.0))));
        }
        if self == Friction::All {
            laws.roll = Some(Roll::SpringSlider(RollSlider::new(1.0, 0.5, Limit::mu(1.0))));
            laws.spin = Some(Spin::SpringSlider(SpinSlider::new(1.0, 0.5, Limit::length(1.0))));
        }
        laws
    }
}

/// Centres of spheres of diameter 1, by id, in a cube around the origin, and what their contacts remember.
pub struct Packing {
    centres: Vec<DVec3>,
    width: f64,
    memory: Remembered,
}

impl Packing {
    /// `spheres` jammed spheres, and a world of them that has settled.
    pub fn jammed(spheres: usize) -> Result<(Self, World), String> {
        let mut packing = Packing::random(spheres)?;
        let loose = width(spheres, LOOSE);
        while packing.width > loose {
            packing.scale((1.0 - SQUEEZE.0).max(loose / packing.width));
            packing.relax(Friction::Smooth, SQUEEZE.1)?;
        }
        for _ in 0..BALANCED.1 {
            let world = packing.relax(Friction::All, TIGHTEN.1)?;
            if (world.contact_count() as f64) < CONTACTS * spheres as f64 {
                packing.scale(1.0 - TIGHTEN.0);
            } else if world.unbalanced_force() < BALANCED.0 {
                break;
            }
        }
        let mut world = packing.world(Friction::All)?;
        go_on(&mut world, AT_LAST)?;
        packing.take(&world);
        Ok((packing, world))
    }

    fn random(spheres: usize) -> Result<Self, String> {
        let width = width(spheres, START);
        let reach = DVec3::splat(0.5 * width - 0.5);
        let mut stream = Stream::named(1, "bench");
        let centres = place::random(-reach, reach, &vec![0.5; spheres], &mut stream, PATIENCE);
        Ok(Packing { centres: centres.map_err(|error| error.to_string())?, width, memory: Remembered::default() })
    }

    fn scale(&mut self, factor: f64) {
        self.width *= factor;
        self.centres.iter_mut().for_each(|centre| *centre *= factor);
    }

    /// Lets the packing move from rest, with local damping: it only has to come to rest soon.
    fn relax(&mut self, friction: Friction, steps: u32) -> Result<World, String> {
        let mut world = self.build(friction, RELAXATION_STEP[usize::from(friction != Friction::Smooth)], 0.5)?;
        go_on(&mut world, steps)?;
        self.take(&world);
        Ok(world)
    }

    fn take(&mut self, world: &World) {
        self.centres = (0..world.sphere_count() as u32).map(|id| world.body(id).position).collect();
        self.memory = world.remembered();
    }

    /// Its volume fraction.
    pub fn volume_fraction(&self) -> f64 {
        self.centres.len() as f64 * BALL / (self.width * self.width * self.width)
    }

    /// A world of the packing, at rest, with the step of the paper.
    pub fn world(&self, friction: Friction) -> Result<World, String> {
        self.build(friction, 0.02, 0.0)
    }

    fn build(&self, friction: Friction, step: f64, local_damping: f64) -> Result<World, String> {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 / BALL }], step);
        model.local_damping = local_damping;
        model.laws.set(0, 0, friction.laws());
        let ball = |&centre: &DVec3| Body::new(Shape::Sphere { radius: 0.5 }, 0, centre);
        let mut bodies: Vec<Body> = self.centres.iter().map(ball).collect();
        for axis in DVec3::AXES {
            for normal in [axis, -axis] {
                let wall = Body::new(Shape::Plane { normal }, 0, -0.5 * self.width * normal);
                bodies.push(Body { motion: Motion::Fixed, ..wall });
            }
        }
        World::with_memory(Setup { model, bodies }, &self.memory).map_err(|error| error.to_string())
    }
}

/// Volume of a sphere.
const BALL: f64 = std::f64::consts::PI / 6.0;

/// Width of a cube in which the spheres have this volume fraction.
fn width(spheres: usize, fraction: f64) -> f64 {
    math::cbrt(spheres as f64 * BALL / fraction)
}

/// Goes on by so many steps.
pub fn go_on(world: &mut World, steps: u32) -> Result<(), String> {
    world.advance(u64::from(steps)).map_err(|trouble| trouble.to_string())
}

//! The packing that `bench` measures on: equal spheres in a box of six planes, jammed and at rest.
//!
//! Spheres of diameter, mass and stiffness 1 with the parameters of Santos et al. 2020, placed at random and squeezed in
//! small steps of strain, each with a short relaxation from rest, so that no bulk flow has to be stopped. Then the box
//! is widened until only as many contacts are left as a packing at low pressure has, and settles with all frictions.
//! Memory and velocities do not survive a squeeze; this makes a packing to time, not one to do physics with.

use std::time::Duration;

use glam::DVec3;
use stickslip::body::{Body, Motion};
use stickslip::law::{Hooke, Limit, Normal, PairLaws, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider};
use stickslip::math;
use stickslip::model::{Material, Model};
use stickslip::place;
use stickslip::random::Stream;
use stickslip::shape::Shape;
use stickslip::world::{Setup, World};

/// Volume fraction of the random start.
const START: f64 = 0.4;
/// Volume fraction up to which it is squeezed.
const DENSE: f64 = 0.6;
/// Linear strain of a squeeze, and steps of relaxation after it.
const SQUEEZE: (f64, u32) = (0.006, 20);
/// Contacts per sphere, each counted once, down to which the box is widened; a few more open while it settles.
const CONTACTS: f64 = 1.3;
/// Share of the contacts that widening the box once leaves, and how often it is widened at most: what is left presses
/// others together, so this goes in small steps.
const LOOSEN: (f64, u32) = (0.75, 20);
/// Steps in which the packing settles, damped each time it was widened, and then without local damping.
const SETTLE: [u32; 2] = [30, 300];
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
            laws.slide = Some(Slide::SpringSlider(SlideSlider::new(1.0, 0.5, Limit::mu(0.3))));
        }
        if self == Friction::All {
            laws.roll = Some(Roll::SpringSlider(RollSlider::new(1.0, 0.5, Limit::mu(0.3))));
            laws.spin = Some(Spin::SpringSlider(SpinSlider::new(1.0, 0.5, Limit::length(0.3))));
        }
        laws
    }
}

/// Centres of spheres of diameter 1, by id, in a cube around the origin.
pub struct Packing {
    centres: Vec<DVec3>,
    width: f64,
}

impl Packing {
    /// `spheres` jammed spheres, and a world of them that has settled.
    pub fn jammed(spheres: usize) -> Result<(Self, World), String> {
        let mut packing = Packing::random(spheres)?;
        let dense = width(spheres, DENSE);
        while packing.width > dense {
            packing.scale((1.0 - SQUEEZE.0).max(dense / packing.width));
            packing.relax(Friction::Smooth, SQUEEZE.1)?;
        }
        for _ in 0..LOOSEN.1 {
            let contacts = packing.relax(Friction::All, SETTLE[0])? as f64;
            if contacts <= CONTACTS * spheres as f64 {
                break;
            }
            packing.loosen((LOOSEN.0 * contacts) as usize)?;
        }
        let mut world = packing.world(Friction::All)?;
        go_on(&mut world, SETTLE[1])?;
        packing.take(&world);
        Ok((packing, world))
    }

    fn random(spheres: usize) -> Result<Self, String> {
        let width = width(spheres, START);
        let reach = DVec3::splat(0.5 * width - 0.5);
        let mut stream = Stream::named(1, "bench");
        let centres = place::random(-reach, reach, &vec![0.5; spheres], &mut stream, PATIENCE);
        Ok(Packing { centres: centres.map_err(|error| error.to_string())?, width })
    }

    fn scale(&mut self, factor: f64) {
        self.width *= factor;
        self.centres.iter_mut().for_each(|centre| *centre *= factor);
    }

    /// Lets the packing move from rest; returns how many contacts it then has. A large step and local damping: it only
    /// has to come to rest soon.
    fn relax(&mut self, friction: Friction, steps: u32) -> Result<usize, String> {
        let mut world = self.build(friction, 0.1, 0.5)?;
        go_on(&mut world, steps)?;
        self.take(&world);
        Ok(world.contact_count())
    }

    /// Widens the box so that the deepest `kept` contacts still touch: a pair with overlap d touches up to the factor
    /// 1/(1 - d).
    fn loosen(&mut self, kept: usize) -> Result<(), String> {
        // The contacts of step 0 are always kept.
        let mut overlaps: Vec<f64> = self.world(Friction::Smooth)?.contacts().iter().map(|row| row.overlap).collect();
        overlaps.sort_by(|a, b| b.total_cmp(a));
        if let Some(overlap) = overlaps.get(kept) {
            self.scale(1.0 / (1.0 - overlap));
        }
        Ok(())
    }

    fn take(&mut self, world: &World) {
        self.centres = (0..world.sphere_count() as u32).map(|id| world.body(id).position).collect();
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
        World::new(Setup { model, bodies }).map_err(|error| error.to_string())
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

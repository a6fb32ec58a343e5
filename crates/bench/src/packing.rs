//! The packings that speed is measured on: equal spheres in a box of six planes, at rest.
//!
//! Spheres of diameter, mass and stiffness 1 with the parameters of Santos et al. 2020 and all three coefficients 1, placed
//! at random and squeezed in small steps of strain.
//!
//! `jammed`: first without friction, then with all frictions and the contacts' memory kept, until a network of contacts
//! bears load; then it settles. With these coefficients that happens at some 1.3 contacts a sphere (each counted once);
//! with 0.3 it took 1.5 and more, and looser ones gave way.
//!
//! `dense`: without friction until there are more than 3 contacts a sphere, which is where spheres without friction jam
//! (volume fraction 0.64); then it settles with all frictions.
//!
//! A packing of a million spheres would take a quarter of an hour: `mirrored` makes it from one of an eighth of the size.

use glam::DVec3;
use stickslip::body::{Body, Motion};
use stickslip::law::{Hooke, Limit, Normal, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider, SpringLaws};
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
/// The same as `SQUEEZE`, `LOOSE` and `CONTACTS` for the dense packing: quick up to a volume fraction, then slower up to so many
/// contacts.
const CROWD: (f64, u32) = (0.004, 40);
const CROWDED: f64 = 0.60;
const PRESS: (f64, u32) = (0.001, 100);
const DENSE_CONTACTS: f64 = 3.15;
/// Mean net force on a sphere over the mean normal force below which the packing has settled, and how many relaxations
/// with all frictions there are at most.
const BALANCED: (f64, u32) = (5e-3, 60);
/// Steps of relaxation: without friction the springs limit it; with all, the spin dashpot, which damps at
/// 2 c/I = 10 a unit of time and contact.
const RELAXATION_STEP: [f64; 2] = [0.1, 0.03];
/// Steps without local damping at the end.
const AT_LAST: u32 = 100;

/// Which frictions act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Friction {
    /// None.
    #[value(skip)]
    Smooth,
    /// Against sliding.
    Slide,
    /// Against sliding, rolling and spinning.
    All,
}

impl Friction {
    /// The laws of Santos et al. with all coefficients 1.
    pub fn laws(self) -> SpringLaws {
        let mut laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.5)));
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
    /// Centres, by id.
    pub centres: Vec<DVec3>,
    /// Width of the cube.
    pub width: f64,
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
        packing.at_last()
    }

    /// `spheres` spheres as dense as they are without friction, and a world of them that has settled.
    pub fn dense(spheres: usize) -> Result<(Self, World), String> {
        let mut packing = Packing::random(spheres)?;
        let crowded = width(spheres, CROWDED);
        while packing.width > crowded {
            packing.scale((1.0 - CROWD.0).max(crowded / packing.width));
            packing.relax(Friction::Smooth, CROWD.1)?;
        }
        loop {
            packing.scale(1.0 - PRESS.0);
            let world = packing.relax(Friction::Smooth, PRESS.1)?;
            if world.contact_count() as f64 >= DENSE_CONTACTS * spheres as f64 {
                break;
            }
        }
        for _ in 0..BALANCED.1 {
            if packing.relax(Friction::All, TIGHTEN.1)?.unbalanced_force() < BALANCED.0 {
                break;
            }
        }
        packing.at_last()
    }

    /// Goes on a little without local damping.
    fn at_last(mut self) -> Result<(Self, World), String> {
        let mut world = self.world(Friction::All)?;
        go_on(&mut world, AT_LAST)?;
        self.take(&world);
        Ok((self, world))
    }

    fn random(spheres: usize) -> Result<Self, String> {
        let width = width(spheres, START);
        let reach = DVec3::splat(0.5 * width - 0.5);
        let mut stream = Stream::named(1, "bench");
        let centres = place::random(-reach, reach, &vec![0.5; spheres], &mut stream);
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

    /// Spheres in a cube whose contacts remember nothing.
    pub fn bare(centres: Vec<DVec3>, width: f64) -> Self {
        Packing { centres, width, memory: Remembered::default() }
    }

    /// Eight times as many spheres: the packing and its mirror images, in a cube of twice the width, with nothing
    /// remembered. A contact with an inner wall becomes one with the sphere's own image, twice as deep; no other is deeper
    /// than before, since an image is never nearer than the sphere itself.
    pub fn mirrored(&self) -> Self {
        let half = 0.5 * self.width;
        let mut centres = Vec::with_capacity(8 * self.centres.len());
        for octant in 0..8_u32 {
            let sign = |axis: u32| if octant >> axis & 1 == 0 { 1.0 } else { -1.0 };
            let signs = DVec3::new(sign(0), sign(1), sign(2));
            centres.extend(self.centres.iter().map(|centre| (*centre + DVec3::splat(half)) * signs));
        }
        Packing::bare(centres, 2.0 * self.width)
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
        self.world_with(friction.laws(), step, local_damping)
    }

    /// A world of the packing, at rest, with these laws between spheres, and between spheres and walls.
    pub fn world_with(&self, laws: SpringLaws, step: f64, local_damping: f64) -> Result<World, String> {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 / BALL }], step);
        model.method = stickslip::model::Explicit::default().with_local_damping(local_damping).into();
        model.laws.set(0, 0, laws);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs nearer than they can touch, and the deepest overlap.
    fn touching(packing: &Packing) -> (usize, f64) {
        let (mut pairs, mut deepest) = (0, 0.0_f64);
        for (k, a) in packing.centres.iter().enumerate() {
            for b in &packing.centres[..k] {
                let overlap = 1.0 - a.distance(*b);
                pairs += usize::from(overlap > 0.0);
                deepest = deepest.max(overlap);
            }
            let wall = 0.5 - (0.5 * packing.width - a.abs().max_element());
            deepest = deepest.max(2.0 * wall);
        }
        (pairs, deepest)
    }

    #[test]
    fn a_dense_packing_has_its_contacts_and_rests() {
        let (packing, world) = Packing::dense(300).unwrap();
        let contacts = world.contact_count() as f64 / 300.0;
        // As many as it was pressed to, but for those that open while it settles.
        assert!((0.95 * DENSE_CONTACTS..1.1 * DENSE_CONTACTS).contains(&contacts), "{contacts}");
        assert!(world.unbalanced_force() < 2.0 * BALANCED.0, "{}", world.unbalanced_force());
        assert!(packing.volume_fraction() > 0.5, "{}", packing.volume_fraction());
    }

    #[test]
    fn mirror_images_fill_the_cube_and_overlap_no_more() {
        let (packing, _) = Packing::jammed(100).unwrap();
        let (pairs, deepest) = touching(&packing);
        let eight = packing.mirrored();
        assert_eq!(eight.centres.len(), 800);
        assert!((eight.volume_fraction() - packing.volume_fraction()).abs() < 1e-12);
        assert!(eight.centres.iter().all(|centre| centre.abs().max_element() < 0.5 * eight.width - 0.4));
        let (pairs_of_eight, deepest_of_eight) = touching(&eight);
        assert!(pairs_of_eight > 8 * pairs, "{pairs_of_eight} {pairs}");
        assert!(deepest_of_eight < deepest + 1e-12, "{deepest_of_eight} {deepest}");
    }
}

//! One packing after the paper's protocol (section II B): grains at random at a low volume fraction and at rest, then a
//! constant pressure on a cell that may take any shape, until they rest.
//!
//! Ends when the translational kinetic energy per grain that is no rattler, and the largest error of the six components of
//! the pressure, are below bounds; the paper's time is the limit if they never are (the row then shows by how much).
//! Rattlers: a grain with at most half of Table I's Z contacts, taken away again and again, for the motions with mu >= 0.01.
//! The inertia of the cell is that of LAMMPS' `Pdamp` = 2.25 with `ptemp` = 1 (see `stickslip::cell::CellInertia`).

use std::f64::consts::PI;
use std::sync::atomic::Ordering;
use std::time::Instant;

use glam::{DMat3, DVec3};
use stickslip::cell::{Cell, CellInertia, Control, Frame};
use stickslip::measure::packing::{Coordination, LEAST_COEFFICIENT, coordination, stable_contacts};
use stickslip::random::Stream;
use stickslip::{Body, Setup, World, math};

use super::{RADIUS, STEP, grain, laws, model};
use crate::experiment::{Context, Ended};

/// mu_s, mu_r and mu_t in the paper's meaning.
pub type Friction = [f64; 3];

/// What a packing is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Coefficients.
    pub mu: Friction,
    /// Applied pressure (k_n/d).
    pub pressure: f64,
    /// Grains.
    pub count: usize,
    /// Seed of their places.
    pub seed: u64,
    /// Volume fraction at the start.
    pub start: f64,
    /// Step.
    pub step: f64,
    /// Steps after which it ends in any case.
    pub most_steps: u64,
    /// Kinetic energy per grain, relative to 1e-12 at a pressure of 1e-4, and relative error of the pressure at which it ends.
    pub rest: Rest,
}

/// When a packing rests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Translational kinetic energy per grain that is no rattler (k_n d^2).
    pub kinetic: f64,
    /// Largest error of a component of the pressure, over the pressure.
    pub pressure_error: f64,
}

impl Recipe {
    /// The paper's protocol at its usual pressure, until the kinetic energy is 1e-12.
    pub fn new(mu: Friction, count: usize, seed: u64) -> Self {
        let rest = Rest { kinetic: 1e-12, pressure_error: 1e-5 };
        Recipe { mu, pressure: 1e-4, count, seed, start: 0.05, step: STEP, most_steps: 10_000_000, rest }
    }

    /// A cube with the grains at rest.
    fn world(&self) -> Result<World, Ended> {
        let width = math::cbrt(self.count as f64 * PI / (6.0 * self.start));
        let mut model = model(laws(self.mu[0], self.mu[1], self.mu[2]), self.step);
        let control = Control::Pressure {
            target: DMat3::from_diagonal(DVec3::splat(self.pressure)),
            inertia: CellInertia { damping_time: 2.25, energy: 1.0 },
            triclinic: true,
        };
        let frame = Frame::new(DMat3::from_diagonal(DVec3::splat(width)));
        model.cell = Some(Cell { frame, control });
        let bodies: Vec<Body> = places(self.count, width, self.seed).into_iter().map(grain).collect();
        World::new(Setup { model, bodies }).map_err(Ended::failed)
    }
}

/// Centres at random in a periodic cube, no two grains nearer than they can touch.
fn places(count: usize, width: f64, seed: u64) -> Vec<DVec3> {
    let mut stream = Stream::named(seed, "santos packing");
    let mut centres: Vec<DVec3> = Vec::with_capacity(count);
    while centres.len() < count {
        let at = DVec3::new(stream.unit(), stream.unit(), stream.unit()) * width;
        let near = |other: &DVec3| {
            let apart = at - other;
            let apart = apart - (apart / width).round() * width;
            apart.length_squared() <= 4.0 * RADIUS * RADIUS
        };
        if !centres.iter().any(near) {
            centres.push(at);
        }
    }
    centres
}

/// A packing at rest: a row of `packings.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// mu_s, mu_r, mu_t.
    pub mu: Friction,
    /// Applied pressure.
    pub pressure: f64,
    /// Grains.
    pub n: usize,
    /// Seed.
    pub seed: u64,
    /// Volume fraction.
    pub phi: f64,
    /// Contacts per grain without rattlers.
    pub z: f64,
    /// Contacts per grain, all counted.
    pub z_all: f64,
    /// Share of rattlers.
    pub rattlers: f64,
    /// Translational kinetic energy per grain that is no rattler.
    pub kinetic: f64,
    /// Largest error of a component of the pressure, over the pressure.
    pub pressure_error: f64,
    /// Steps.
    pub steps: u64,
    /// Time of one core.
    pub seconds: f64,
}

/// A grain of a packing as a picture needs it: its centre, and its contacts with grains that are no rattlers.
pub type Shown = (DVec3, usize);

/// A packing with what is not in the table.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The row.
    pub row: Row,
    /// How far the centre of mass may have moved: the sum of its speed times dt over the run.
    pub drift: f64,
    /// The grains that are no rattlers.
    pub held: Vec<Shown>,
}

/// Steps between two looks at whether it rests.
const LOOK: u64 = 500;

/// Makes a packing. `tell` is called now and then with the steps done and the kinetic energy per grain.
pub fn pack(recipe: &Recipe, context: &Context, tell: impl Fn(u64, f64) + Sync) -> Result<Packed, Ended> {
    let started = Instant::now();
    // One thread: packings are done side by side.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(Ended::failed)?;
    pool.install(|| {
        let mut world = recipe.world()?;
        let mut drift = 0.0;
        loop {
            advance(&mut world, LOOK - 1)?;
            // The rows of the last step's contacts tell rattlers.
            world.keep_contacts(true);
            advance(&mut world, 1)?;
            world.keep_contacts(false);
            if context.interrupted.load(Ordering::Relaxed) {
                return Err(Ended::Interrupted);
            }
            drift += mean_velocity(&world).length() * LOOK as f64 * recipe.step;
            let error = world.pressure_error().unwrap_or(f64::INFINITY);
            let over = world.steps() >= recipe.most_steps;
            let (energy, all) = world.translational_energy();
            tell(world.steps(), energy / all.max(1) as f64);
            if !over && error >= recipe.rest.pressure_error {
                continue;
            }
            let found = contacts(&world, recipe);
            let kinetic = kinetic_of_held(&world, &found);
            if over || kinetic < recipe.rest.kinetic {
                let held = held(&world, &found);
                let seconds = started.elapsed().as_secs_f64();
                return Ok(Packed { row: row(recipe, &world, &found, kinetic, error, seconds), drift, held });
            }
        }
    })
}

fn advance(world: &mut World, steps: u64) -> Result<(), Ended> {
    world.advance(steps).map_err(Ended::failed)
}

fn mean_velocity(world: &World) -> DVec3 {
    let sum: DVec3 = world.ids().map(|id| world.body(id).velocity).sum();
    sum / world.sphere_count().max(1) as f64
}

fn contacts(world: &World, recipe: &Recipe) -> Coordination {
    let ids: Vec<u32> = world.ids().collect();
    let pairs: Vec<(u32, u32)> = world.contacts().iter().map(|row| (row.a, row.b)).collect();
    coordination(&ids, &pairs, stable_contacts(recipe.mu.map(|mu| mu >= LEAST_COEFFICIENT)))
}

/// Not a number if all are rattlers: that is no rest.
fn kinetic_of_held(world: &World, found: &Coordination) -> f64 {
    let held = world.ids().filter(|id| found.rattlers.binary_search(id).is_err());
    let (sum, count) =
        held.fold((0.0, 0_usize), |(sum, count), id| (sum + 0.5 * world.body(id).velocity.length_squared(), count + 1));
    sum / count as f64
}

fn held(world: &World, found: &Coordination) -> Vec<Shown> {
    let is_held = |id: &u32| found.rattlers.binary_search(id).is_err();
    let mut counts = vec![0; world.id_count() as usize];
    for row in world.contacts().iter().filter(|row| is_held(&row.a) && is_held(&row.b)) {
        counts[row.a as usize] += 1;
        counts[row.b as usize] += 1;
    }
    world.ids().filter(is_held).map(|id| (world.body(id).position, counts[id as usize])).collect()
}

fn row(recipe: &Recipe, world: &World, found: &Coordination, kinetic: f64, error: f64, seconds: f64) -> Row {
    Row {
        mu: recipe.mu,
        pressure: recipe.pressure,
        n: recipe.count,
        seed: recipe.seed,
        phi: world.volume_fraction().unwrap_or(f64::NAN),
        z: found.mean_held,
        z_all: found.mean,
        rattlers: found.rattlers.len() as f64 / found.grains.max(1) as f64,
        kinetic,
        pressure_error: error,
        steps: world.steps(),
        seconds,
    }
}

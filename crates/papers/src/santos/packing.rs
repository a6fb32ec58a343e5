//! One packing after the paper's protocol (section II B): grains at random at a low volume fraction and at rest, then a
//! constant pressure on a cell that may take any shape, until they rest.
//!
//! Ends when the translational kinetic energy per grain that is no rattler, and the largest error of the six components of
//! the pressure, are below bounds; the paper's time is the limit if they never are (the row then shows by how much).
//! Rattlers are those of `World::packing`: a grain with at most half of Table I's Z contacts, taken away again and again, for the
//! motions with mu >= 0.01.
//! The inertia of the cell is that of LAMMPS' `Pdamp` = 2.25 with `ptemp` = 1 (see `stickslip::cell::CellInertia`).

use std::f64::consts::PI;
use std::time::Instant;

use glam::{DMat3, DVec3};
use stickslip::cell::{Cell, CellInertia, Control, Frame};
use stickslip::random::Stream;
use stickslip::world::Packing;
use stickslip::{Body, Model, Setup, World, math};

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
    /// When it ends.
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

    /// A cube with the grains at rest, under the applied pressure or the gentlest, if that is lower.
    pub fn world(&self) -> Result<World, Ended> {
        let width = math::cbrt(self.count as f64 * PI / (6.0 * self.start));
        let frame = Frame::new(DMat3::from_diagonal(DVec3::splat(width)));
        let bodies: Vec<Body> = places(self.count, width, self.seed).into_iter().map(grain).collect();
        let model = self.model(frame, self.pressure.min(GENTLE));
        World::new(Setup { model, bodies }).map_err(Ended::failed)
    }

    /// The same grains and contacts under the whole pressure.
    fn pressed(&self, world: &World) -> Result<World, Ended> {
        let Some(cell) = world.cell() else { return Err(Ended::failed("a packing has a cell")) };
        let as_it_is = |id: u32| {
            let body = world.body(id);
            let (orientation, velocity, angular_velocity) = (body.orientation, body.velocity, body.angular_velocity);
            Body { orientation, velocity, angular_velocity, ..grain(body.position) }
        };
        let bodies = world.ids().map(as_it_is).collect();
        let setup = Setup { model: self.model(cell.frame, self.pressure), bodies };
        World::with_memory(setup, &world.remembered()).map_err(Ended::failed)
    }

    fn model(&self, frame: Frame, pressure: f64) -> Model {
        let mut model = model(laws(self.mu[0], self.mu[1], self.mu[2]), self.step);
        let control = Control::Pressure {
            target: DMat3::from_diagonal(DVec3::splat(pressure)).into(),
            inertia: CellInertia { damping_time: 2.25, energy: 1.0 },
            triclinic: true,
        };
        model.cell = Some(Cell { frame, control });
        model
    }
}

/// The largest pressure that dilute grains are put under. The cell's work P V is what the grains collide with: 0.1 k_n d^2 each
/// at 1e-2, which overlaps them by more than half a radius, where `hooke` means nothing and the engine stops. So a packing
/// under more is first made under this, and pressed when it has come to rest, roughly.
const GENTLE: f64 = 1e-3;
const ROUGHLY: Rest = Rest { kinetic: 1e-7, pressure_error: 0.05 };

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
    /// How far the centre of mass may have moved: the sum of its speed times dt over the run.
    pub drift: f64,
}

/// A grain of a packing as a picture needs it: its centre, and its contacts with grains that are no rattlers.
pub type Shown = (DVec3, usize);

/// A packing with what is not in the table.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The row.
    pub row: Row,
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
        let mut course = Course { recipe, context, before: 0, drift: 0.0 };
        let mut world = recipe.world()?;
        if recipe.pressure > GENTLE {
            course.until(&mut world, &ROUGHLY, &tell)?;
            course.before = world.steps();
            world = recipe.pressed(&world)?;
        }
        course.until(&mut world, &recipe.rest, &tell)?;
        // One step more, of which the contacts are kept.
        world.keep_rows(true);
        world.step().map_err(Ended::failed)?;
        let found = world.packing();
        let held = held(&world, &found);
        let mut row = row(recipe, &world, &found);
        row.steps += course.before;
        (row.seconds, row.drift) = (started.elapsed().as_secs_f64(), course.drift);
        Ok(Packed { row, held })
    })
}

/// A packing on its way.
struct Course<'a> {
    recipe: &'a Recipe,
    context: &'a Context<'a>,
    /// Steps of an earlier stage.
    before: u64,
    drift: f64,
}

impl Course<'_> {
    /// Goes on until it rests or the time is over.
    fn until(&mut self, world: &mut World, rest: &Rest, tell: &impl Fn(u64, f64)) -> Result<(), Ended> {
        while self.before + world.steps() < self.recipe.most_steps {
            world.advance(LOOK).map_err(Ended::failed)?;
            self.context.check_interrupt()?;
            self.drift += mean_velocity(world).length() * LOOK as f64 * self.recipe.step;
            let (energy, all) = world.translational_energy();
            tell(self.before + world.steps(), energy / all.max(1) as f64);
            if rests(world, rest) {
                break;
            }
        }
        Ok(())
    }
}

fn rests(world: &World, rest: &Rest) -> bool {
    // Rattlers are looked for only when the pressure is right: that takes some time.
    world.pressure_error().is_some_and(|error| error < rest.pressure_error)
        && world.packing().kinetic_per_body.is_some_and(|kinetic| kinetic < rest.kinetic)
}

fn mean_velocity(world: &World) -> DVec3 {
    let sum: DVec3 = world.ids().map(|id| world.body(id).velocity).sum();
    sum / world.sphere_count().max(1) as f64
}

/// The grains that are no rattlers, with their contacts among themselves.
fn held(world: &World, found: &Packing) -> Vec<Shown> {
    let is_held = |id: &u32| found.rattlers.binary_search(id).is_err();
    let mut counts = vec![0; world.id_count() as usize];
    for row in world.rows().iter().filter(|row| is_held(&row.a) && is_held(&row.b)) {
        counts[row.a as usize] += 1;
        counts[row.b as usize] += 1;
    }
    world.ids().filter(is_held).map(|id| (world.body(id).position, counts[id as usize])).collect()
}

fn row(recipe: &Recipe, world: &World, found: &Packing) -> Row {
    Row {
        mu: recipe.mu,
        pressure: recipe.pressure,
        n: recipe.count,
        seed: recipe.seed,
        phi: world.volume_fraction().unwrap_or(f64::NAN),
        z: found.coordination,
        z_all: world.coordination(),
        rattlers: found.rattlers.len() as f64 / recipe.count as f64,
        kinetic: found.kinetic_per_body.unwrap_or(f64::NAN),
        pressure_error: world.pressure_error().unwrap_or(f64::NAN),
        steps: world.steps(),
        seconds: 0.0,
        drift: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::experiment::Scale;

    /// A small packing under a large pressure, which rests soon: the pressure is the applied one, the centre of mass has not
    /// moved, the counts agree with each other, and it is a packing.
    #[test]
    fn a_packing_comes_to_rest_under_its_pressure() {
        let interrupted = AtomicBool::new(false);
        let progress = |_: f64, _: &str| {};
        let folder = Path::new("none");
        let context = Context {
            scale: Scale::Quick,
            threads: 1,
            folder,
            go_on: false,
            interrupted: &interrupted,
            progress: &progress,
        };
        let mut recipe = Recipe::new([0.5, 0.5, 0.5], 80, 1);
        (recipe.pressure, recipe.start, recipe.rest) = (1e-2, 0.15, Rest { kinetic: 1e-9, pressure_error: 1e-4 });
        let packed = pack(&recipe, &context, |_, _| {}).unwrap();
        let row = &packed.row;
        // The step after the one at which it rested is as quiet.
        assert!(row.steps < recipe.most_steps && row.kinetic < 2e-9 && row.pressure_error < 2e-4, "{row:?}");
        assert!(row.drift < 1e-9, "{}", row.drift);
        assert!((0.45..0.70).contains(&row.phi) && (2.0..8.0).contains(&row.z), "{row:?}");
        let contacts: usize = packed.held.iter().map(|(_, contacts)| contacts).sum();
        assert!((contacts as f64 / packed.held.len() as f64 - row.z).abs() < 1e-12);
        assert_eq!(packed.held.len() + (row.rattlers * 80.0).round() as usize, 80);
        interrupted.store(true, Ordering::Relaxed);
        assert_eq!(pack(&recipe, &context, |_, _| {}).err(), Some(Ended::Interrupted));
    }

    #[test]
    fn grains_start_apart_through_the_faces_too() {
        let width = 6.0;
        let centres = places(60, width, 3);
        for (k, a) in centres.iter().enumerate() {
            for b in &centres[..k] {
                for shift in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                    let near = [a - b + shift * width, a - b - shift * width];
                    assert!(near.iter().all(|apart| apart.length() > 2.0 * RADIUS));
                }
            }
        }
        assert_ne!(centres, places(60, width, 4));
    }
}

//! What ends a run before its time: the rules of `[time.stop]`, and a body that leaves the `[domain]`.
//!
//! Both are looked at by step number only, so that a run ends at the same step on every machine: the rules every 100
//! steps, the domain every 10 and at the last. With a rule for the strain, which passes its value at full speed, they are
//! looked at every 10 steps.
//!
//! `kinetic_energy_per_body` is the translational kinetic energy over the number of moved bodies. Under gravity all of
//! them count; without gravity those that touch nothing are left out, since nothing would ever stop them; in a cell that
//! repeats everywhere all rattlers are (`World::packing`). No rule holds while nothing touches: a column that is let go is
//! at rest too. Nor while bodies of a stream are still to come. `strain` by itself needs no contacts.

use std::cmp::Reverse;

use glam::{DMat3, DVec3};
use stickslip::World;
use stickslip_io::results::{Ending, StageMark};
use stickslip_io::scene::{Domain, Leaving, Scene, Stop};

/// Steps between two looks at the rules, at the domain, and at the rules when one is for the strain.
const RULES_EVERY: u64 = 100;
const DOMAIN_EVERY: u64 = 10;
const STRAIN_EVERY: u64 = 10;

/// The rules of one scene.
pub struct Rules {
    stop: Stop,
    domain: Option<Domain>,
    last_step: u64,
    /// Of the cell when the stage began.
    strain_before: DMat3,
}

impl Rules {
    /// Those of this scene, or of a stage that has begun.
    pub fn new(scene: &Scene, stage: Option<&StageMark>) -> Self {
        // Bodies that are to be removed are the engine's business.
        let domain = scene.domain.filter(|domain| domain.leaving == Leaving::Stop);
        let before = stage.and_then(|stage| stage.strain.as_slice().try_into().ok());
        let strain_before = before.map_or(DMat3::ZERO, |strain| DMat3::from_cols_array(&strain));
        Rules { stop: scene.stop, domain, last_step: scene.last_step(), strain_before }
    }

    fn may_stop(&self, step: u64) -> bool {
        let every = if self.stop.strain.is_some() { STRAIN_EVERY } else { RULES_EVERY };
        self.stop != Stop::default() && step.is_multiple_of(every)
    }

    fn may_leave(&self, step: u64) -> bool {
        self.domain.is_some() && (step.is_multiple_of(DOMAIN_EVERY) || step == self.last_step)
    }

    /// Whether the run may end after this step.
    pub fn due(&self, step: u64) -> bool {
        self.may_stop(step) || self.may_leave(step)
    }

    /// Why the run ends now, if it does.
    pub fn ending(&self, world: &World, scene: &Scene) -> Option<Ending> {
        let step = world.steps();
        if self.may_leave(step)
            && let Some(message) = self.domain.and_then(|domain| left(&domain, world, scene))
        {
            return Some(Ending::Failed(message));
        }
        let to_come = world.streams().zip(&scene.setup.model.inflows).any(|(now, stream)| now.entered < stream.count);
        let strain_alone = self.stop == Stop { strain: self.stop.strain, ..Stop::default() };
        if self.may_stop(step) && !to_come && (strain_alone || world.contact_count() > 0) {
            self.stopped(world).map(Ending::Stopped)
        } else {
            None
        }
    }

    /// All rules that are given must hold.
    fn stopped(&self, world: &World) -> Option<String> {
        let mut held = Vec::new();
        // First, since it costs least.
        if let Some(limit) = self.stop.strain {
            let strain = strain(world, self.strain_before)?;
            held.push((strain >= limit).then(|| format!("strain = {strain:.4}"))?);
        }
        if let Some(limit) = self.stop.kinetic_energy_per_body {
            let energy = kinetic_energy_per_body(world)?;
            held.push((energy <= limit).then(|| format!("kinetic_energy_per_body = {energy:.2e} J"))?);
        }
        if let Some(limit) = self.stop.unbalanced_force {
            let force = world.unbalanced_force();
            held.push((force <= limit).then(|| format!("unbalanced_force = {force:.2e}"))?);
        }
        if let Some(limit) = self.stop.pressure_error {
            let error = world.pressure_error()?;
            held.push((error <= limit).then(|| format!("pressure_error = {error:.2e}"))?);
        }
        Some(held.join(", "))
    }
}

/// The largest component of the cell's strain since the start of the stage: of a shear the whole, with its rotation.
fn strain(world: &World, before: DMat3) -> Option<f64> {
    let components = (world.cell()?.strain - before).to_cols_array();
    Some(components.into_iter().fold(0.0, |most: f64, x| most.max(x.abs())))
}

/// `None` when no body counts.
fn kinetic_energy_per_body(world: &World) -> Option<f64> {
    if world.cell().is_some_and(|cell| cell.frame.repeats_everywhere()) {
        return world.packing().kinetic_per_body;
    }
    let falling = !world.model().gravity.is_zero();
    let bodies = &world.state().bodies;
    // Summed by id: the order in space is no one's business here.
    let energies = world.ids().map(|id| bodies.index_of[id as usize] as usize).filter_map(|index| {
        let (mover, load) = (&bodies.movers[index], &bodies.loads[index]);
        let counts = mover.inverse_mass > 0.0 && (falling || load.force != DVec3::ZERO);
        counts.then(|| 0.5 * mover.velocity.length_squared() / mover.inverse_mass)
    });
    let (sum, count) = energies.fold((0.0, 0_u64), |(sum, count), energy| (sum + energy, count + 1));
    (count > 0).then(|| sum / count as f64)
}

/// The sphere with the lowest id, of those that loads move, whose centre is outside, in words. What is driven goes where it
/// is sent.
fn left(domain: &Domain, world: &World, scene: &Scene) -> Option<String> {
    let bodies = &world.state().bodies;
    let outside = |p: DVec3| !(p.cmpge(domain.from).all() && p.cmple(domain.to).all());
    let spheres = bodies.grains().iter().filter(|mover| mover.inverse_mass > 0.0);
    let mover =
        spheres.filter(|mover| outside(world.place_in_cell(mover.position))).max_by_key(|mover| Reverse(mover.id))?;
    let [x, y, z] = mover.position.to_array();
    let (speed, step) = (mover.velocity.length(), world.model().dt);
    let cause = if speed * step > 0.5 * mover.radius {
        "so fast that it crosses more than half its radius in a step, and may have passed through a wall: the step is too \
         large, or something has thrown it out"
    } else {
        "and no wall holds it there"
    };
    Some(format!(
        "{} has left the domain at [{x:.4e}, {y:.4e}, {z:.4e}], time {:.6e} s (step {}), moving at {speed:.3e} m/s, {cause}. \
         Enlarge [domain], add a wall where it left, or take out what leaves with leaving = \"remove\" in [domain]",
        scene.label(mover.id),
        world.time(),
        world.steps()
    ))
}

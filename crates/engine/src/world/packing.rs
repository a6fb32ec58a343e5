//! What can be read off a world with a cell: stress, volume fraction, enthalpy, centre of mass.
//!
//! Stress (THEORY.md eq. 7.6): P = (1/V) [sum m v (x) v + sum branch (x) force], positive in compression, with velocities
//! relative to the cell's affine flow. Does not do: contacts with walls; a cell with walls is not periodic everywhere, and
//! has no stress of its own.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::World;
use crate::cell::{CellState, Control, diagonal, symmetric, trace};
use crate::explicit::deform;

impl World {
    /// The cell as it is, if there is one.
    pub fn cell(&self) -> Option<&CellState> {
        self.state.cell.as_ref()
    }

    /// Stress in a cell that repeats everywhere (Pa), positive in compression.
    pub fn pressure(&self) -> Option<DMat3> {
        let cell = self.state.cell.as_ref().filter(|cell| cell.frame.repeats_everywhere())?;
        let kinetic = symmetric(deform::kinetic_sums(&self.state.bodies));
        Some((kinetic + symmetric(cell.virial)) * (1.0 / cell.frame.volume().abs()))
    }

    /// How far the stress is from the one that the cell is to have, over it: the largest over six components of
    /// |P_ij - target_ij| (over three where angles are kept), over the mean target. `None` when no stress is asked for.
    pub fn pressure_error(&self) -> Option<f64> {
        let pressure = self.pressure()?;
        let time = self.time();
        match &self.model.cell.as_ref()?.control {
            Control::Pressure { target, triclinic, .. } => {
                // A cell that keeps its angles has no say in the shear stresses.
                let target = target.at(time);
                let off = if *triclinic { pressure - target } else { diagonal(pressure - target) };
                let off = off.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                Some(off / (trace(target) / 3.0).abs())
            }
            Control::MeanStress { pressure: target, .. } => {
                let target = target.at(time);
                Some((trace(pressure) / 3.0 - target).abs() / target.abs())
            }
            Control::Fixed | Control::Strain { .. } => None,
        }
    }

    /// Volume of the spheres over that of the cell. Overlaps count twice.
    pub fn volume_fraction(&self) -> Option<f64> {
        let cell = self.state.cell.as_ref().filter(|cell| cell.frame.repeats_everywhere())?;
        let spheres = self.state.bodies.grains();
        let cubes: f64 = spheres.iter().map(|m| m.radius * m.radius * m.radius).sum();
        Some(4.0 / 3.0 * PI * cubes / cell.frame.volume().abs())
    }

    /// Kinetic + stored energy + pressure times volume + kinetic energy of the cell (J): what elastic grains under a
    /// barostat keep, and what falls with friction. `None` when the cell is not under pressure.
    pub fn enthalpy(&self) -> Option<f64> {
        let (cell, control) = (self.state.cell.as_ref()?, &self.model.cell.as_ref()?.control);
        let Control::Pressure { target, inertia, .. } = control else { return None };
        let ledger = self.ledger();
        let inertia = deform::inertia_of(&self.state.bodies, inertia);
        let of_cell = 0.5 * inertia * deform::contraction(cell.gradient, cell.gradient);
        Some(ledger.kinetic + ledger.stored + trace(target.at(self.time())) / 3.0 * cell.frame.volume().abs() + of_cell)
    }

    /// The image of a place in the cell (m): bodies may have left it a little since neighbour lists were made. The place
    /// itself without a cell.
    pub fn place_in_cell(&self, place: DVec3) -> DVec3 {
        self.state.place_in_cell(place)
    }

    /// Centre of mass of the spheres that loads move, each where it has come to without being put back into the cell (m).
    pub fn centre_of_mass(&self) -> DVec3 {
        let bodies = &self.state.bodies;
        let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
        for (index, mover) in bodies.movers.iter().enumerate().filter(|(_, mover)| mover.inverse_mass > 0.0) {
            let images = bodies.image_of(index);
            let shift = self.state.cell.as_ref().map_or(DVec3::ZERO, |cell| cell.frame.shift(images.as_i64vec3()));
            let own = 1.0 / mover.inverse_mass;
            sum += (mover.position + shift) * own;
            mass += own;
        }
        if mass > 0.0 { sum / mass } else { DVec3::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::body::Body;
    use crate::cell::{Cell, Frame};
    use crate::law::{Hooke, Limit, Normal, Slide, SlideSlider, SpringLaws};
    use crate::model::{Material, Model};
    use crate::shape::Shape;
    use crate::world::Setup;
    use crate::world::work::Work;

    /// A block of touching spheres in a cell, all sheared for a while so that every contact remembers something.
    fn sheared() -> World {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.9 }], 0.02);
        let slide = Some(Slide::SpringSlider(SlideSlider::new(1.0, 0.5, Limit::mu(0.3))));
        let laws = SpringLaws { slide, ..SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.5))) };
        model.laws.set(0, 0, laws);
        let gradient = DMat3::from_cols(DVec3::new(0.0, 0.0, 0.001), DVec3::X * 0.01, DVec3::ZERO);
        let vectors = DMat3::from_diagonal(DVec3::splat(4.0 * 0.98));
        model.cell = Some(Cell { frame: Frame::new(vectors), control: Control::Strain { gradient: gradient.into() } });
        let place = |i: u32| DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * 0.98;
        let bodies = (0..64).map(|i| Body::new(Shape::Sphere { radius: 0.5 }, 0, place(i))).collect();
        let mut world = World::new(Setup { model, bodies }).expect("the setup makes a world");
        world.advance(100).expect("it shears");
        world
    }

    fn rebuild_lists(world: &mut World) {
        let World { model, state, geometry, work: Work::Explicit(work) } = world else { unreachable!() };
        crate::explicit::step::rebuild_lists(model, state, geometry, work);
    }

    #[test]
    fn a_flip_changes_no_memory() {
        let mut world = sheared();
        let (memory, centre) = (world.remembered(), world.centre_of_mass());
        assert!(memory.len() == 192 && memory.iter().all(|(_, _, numbers)| numbers[1..] != [0.0; 3]));
        for times in [DVec3::new(1.0, 0.0, 0.0), DVec3::new(-2.0, 0.0, 1.0)] {
            let Some(cell) = &mut world.state.cell else { unreachable!() };
            cell.frame.vectors.y_axis += cell.frame.vectors * times;
            let leaning = cell.frame.vectors;
            // Images count vectors of the lattice as it was named before.
            world.state.bodies.images.fill(IVec3::ZERO);
            let spread = world.centre_of_mass();
            rebuild_lists(&mut world);
            assert_ne!(world.state.cell.map(|cell| cell.frame.vectors), Some(leaning));
            assert!(world.remembered() == memory);
            assert!((world.centre_of_mass() - spread).length() < 1e-12);
        }
        assert!((world.centre_of_mass() - centre).length() < 4.0);
    }

    /// A strain beyond any cell: the lattice is exchanged again and again, and heights stay what they are.
    #[test]
    fn a_shear_has_no_limit() {
        let mut world = sheared();
        let height = |world: &World| world.state.cell.map_or(0.0, |cell| cell.frame.least_height());
        let start = height(&world);
        world.advance(20_000).expect("it shears on");
        let cell = world.state.cell.unwrap_or_else(|| unreachable!());
        assert!((cell.strain.y_axis.x - 0.01 * 0.02 * 20_100.0).abs() < 1e-9);
        assert!(height(&world) > 0.85 * start, "{} {start}", height(&world));
        assert!((cell.frame.volume() / (3.92 * 3.92 * 3.92) - 1.0).abs() < 1e-4, "{}", cell.frame.volume());
    }
}

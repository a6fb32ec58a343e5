//! What can be read off a world with a cell: stress and volume fraction. (Its enthalpy: `deform.rs`.)
//!
//! Stress (THEORY.md eq. 7.6): P = (1/V) [sum m v (x) v + sum branch (x) force], positive in compression, with velocities
//! relative to the cell's affine flow. Does not do: contacts with walls; a cell with walls is not periodic everywhere, and
//! has no stress of its own.

use std::f64::consts::PI;

use glam::DMat3;

use super::World;
use super::deform::diagonal;
use crate::cell::{CellState, Control, symmetric};

impl World {
    /// The cell as it is, if there is one.
    pub fn cell(&self) -> Option<&CellState> {
        self.state.cell.as_ref()
    }

    /// Stress in a cell that repeats everywhere (Pa), positive in compression.
    pub fn pressure(&self) -> Option<DMat3> {
        let cell = self.state.cell.as_ref().filter(|cell| cell.frame.repeats_everywhere())?;
        let kinetic = symmetric(self.kinetic_sums());
        Some((kinetic + symmetric(cell.virial)) * (1.0 / cell.frame.volume().abs()))
    }

    /// How far the stress is from the one that the cell is to have, over it: the largest over six components of
    /// |P_ij - target_ij| (over three where angles are kept), over the mean target. `None` when no stress is asked for.
    pub fn pressure_error(&self) -> Option<f64> {
        let pressure = self.pressure()?;
        match self.model.cell?.control {
            Control::Pressure { target, triclinic, .. } => {
                // A cell that keeps its angles has no say in the shear stresses.
                let off = if triclinic { pressure - target } else { diagonal(pressure - target) };
                let off = off.to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                Some(off / (trace(target) / 3.0).abs())
            }
            Control::MeanStress { pressure: target, .. } => Some((trace(pressure) / 3.0 - target).abs() / target.abs()),
            Control::Fixed | Control::Strain { .. } => None,
        }
    }

    /// Volume of the spheres over that of the cell. Overlaps count twice.
    pub fn volume_fraction(&self) -> Option<f64> {
        let cell = self.state.cell.as_ref().filter(|cell| cell.frame.repeats_everywhere())?;
        let spheres = &self.state.bodies.movers[..self.state.bodies.spheres];
        let cubes: f64 = spheres.iter().map(|m| m.radius * m.radius * m.radius).sum();
        Some(4.0 / 3.0 * PI * cubes / cell.frame.volume().abs())
    }

    /// Sum of m v (x) v over bodies that loads move (J): xx, yy, zz, xy, xz, yz.
    pub(super) fn kinetic_sums(&self) -> [f64; 6] {
        let mut sums = [0.0; 6];
        let bodies = &self.state.bodies;
        for chunk in bodies.movers.chunks(bodies.chunk.max(1)) {
            let own = crate::explicit::bodies::kinetic_sums(chunk);
            (0..6).for_each(|k| sums[k] += own[k]);
        }
        sums
    }
}

pub(super) fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

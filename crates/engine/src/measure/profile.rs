//! Velocity, volume fraction and granular temperature on a grid of cells: layers along an axis, or a grid in two.
//!
//! A sphere counts in a cell with the part of its volume that lies in it (`region.rs`), w (THEORY.md eq. 6.5):
//!
//! ```text
//! fraction = sum w V_i/V_cell,  velocity = sum w m_i v_i/sum w m_i,  temperature = sum w m_i |v_i - velocity|^2/(3 sum w m_i)
//! ```
//!
//! The temperature is that of the centres' velocities (m^2/s^2); a gradient of velocity within a cell counts in it, so
//! cells should be thin across the flow. Rotation of the spheres does not enter.

use glam::{DMat3, DVec3, IVec3, USizeVec3};

use super::region::{Region, sphere_volume};

/// A grid of equal cells in a frame of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Its three directions as columns: unit vectors at right angles, in world axes.
    pub axes: DMat3,
    /// Lower corner, in these directions from the world's origin (m).
    pub from: DVec3,
    /// Upper corner.
    pub to: DVec3,
    /// Cells in each direction.
    pub counts: [usize; 3],
}

impl Grid {
    /// Layers along a unit vector, as many as `count`, over the box that the spheres span.
    pub fn layers(axis: DVec3, count: usize, positions: &[DVec3], radii: &[f64]) -> Grid {
        let (u, w) = super::surface::horizontal(axis);
        Grid::spanned(DMat3::from_cols(u, w, axis), [1, 1, count], positions, radii)
    }

    /// A grid in these directions over the box that the spheres span.
    pub fn spanned(axes: DMat3, counts: [usize; 3], positions: &[DVec3], radii: &[f64]) -> Grid {
        let mut grid = Grid { axes, from: DVec3::splat(f64::INFINITY), to: DVec3::splat(f64::NEG_INFINITY), counts };
        for (&position, &radius) in positions.iter().zip(radii) {
            let local = grid.local(position);
            grid.from = grid.from.min(local - radius);
            grid.to = grid.to.max(local + radius);
        }
        grid
    }

    /// A point in the grid's directions.
    pub fn local(&self, x: DVec3) -> DVec3 {
        self.axes.transpose() * x
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Size of a cell.
    pub fn size(&self) -> DVec3 {
        (self.to - self.from) / USizeVec3::from_array(self.counts).as_dvec3()
    }

    /// Volume of a cell (m^3).
    pub fn cell_volume(&self) -> f64 {
        self.size().element_product()
    }

    /// Middle of a cell in the grid's directions. The first direction runs fastest.
    pub fn middle(&self, cell: usize) -> DVec3 {
        let [x, y, _] = self.counts;
        let place = USizeVec3::new(cell % x, cell / x % y, cell / (x * y));
        self.from + (place.as_dvec3() + 0.5) * self.size()
    }

    /// The cells that a box in the grid's directions meets, with their own boxes.
    pub(super) fn cells_in(&self, low: DVec3, high: DVec3) -> impl Iterator<Item = (usize, Region)> + use<> {
        let (from, size, counts) = (self.from, self.size(), self.counts);
        let last = USizeVec3::from_array(counts).as_ivec3() - 1;
        let index = |x: DVec3| ((x - from) / size).floor().clamp(DVec3::splat(-1.0), last.as_dvec3() + 1.0).as_ivec3();
        let (first, end) = (index(low).max(IVec3::ZERO), index(high).min(last));
        let range = move |k: usize| first[k]..=end[k];
        let cell = move |x: i32, y: i32, z: i32| {
            let corner = from + IVec3::new(x, y, z).as_dvec3() * size;
            let place = (z as usize * counts[1] + y as usize) * counts[0] + x as usize;
            (place, Region::Box { from: corner, to: corner + size })
        };
        range(2).flat_map(move |z| range(1).flat_map(move |y| range(0).map(move |x| cell(x, y, z))))
    }
}

/// What a cell holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellMean {
    /// Volume of spheres over volume of the cell.
    pub fraction: f64,
    /// Mass of spheres in the cell (kg).
    pub mass: f64,
    /// Mean velocity by mass (m/s), world axes; zero in an empty cell.
    pub velocity: DVec3,
    /// Mean square of the velocity's deviations in one direction (m^2/s^2).
    pub temperature: f64,
}

/// The part of every sphere in every cell that it meets: (sphere, cell, share of its volume).
pub(super) fn shares(grid: &Grid, positions: &[DVec3], radii: &[f64]) -> Vec<(usize, usize, f64)> {
    let mut shares = Vec::with_capacity(2 * positions.len());
    for (sphere, (&position, &radius)) in positions.iter().zip(radii).enumerate() {
        let local = grid.local(position);
        for (cell, region) in grid.cells_in(local - radius, local + radius) {
            let part = region.overlap(local, radius).value / sphere_volume(radius);
            if part > 0.0 {
                shares.push((sphere, cell, part));
            }
        }
    }
    shares
}

/// Means over the cells of a grid, in the order of `Grid::middle`. The slices have one entry a sphere.
pub fn profile(grid: &Grid, positions: &[DVec3], radii: &[f64], masses: &[f64], velocities: &[DVec3]) -> Vec<CellMean> {
    let shares = shares(grid, positions, radii);
    let mut cells = vec![CellMean::default(); grid.len()];
    for &(sphere, cell, share) in &shares {
        let cell = &mut cells[cell];
        cell.fraction += share * sphere_volume(radii[sphere]) / grid.cell_volume();
        cell.mass += share * masses[sphere];
        cell.velocity += velocities[sphere] * (share * masses[sphere]);
    }
    for cell in cells.iter_mut().filter(|cell| cell.mass > 0.0) {
        cell.velocity /= cell.mass;
    }
    for &(sphere, cell, share) in &shares {
        let cell = &mut cells[cell];
        let off = velocities[sphere] - cell.velocity;
        cell.temperature += share * masses[sphere] * off.length_squared() / (3.0 * cell.mass);
    }
    cells
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn block(n: i32) -> Vec<DVec3> {
        let mut places = Vec::new();
        for k in 0..n {
            for j in 0..n {
                places.extend((0..n).map(|i| DVec3::new(f64::from(i), f64::from(j), f64::from(k)) * 2.0));
            }
        }
        places
    }

    /// A cubic lattice turning about z like a rigid body. A layer of one row along x holds whole spheres of one x, whose
    /// mean velocity is w x r of the layer's centre; within a layer only y differs, so T = w^2 var(y)/3.
    #[test]
    fn a_rigid_rotation_has_a_linear_profile() {
        let (places, w) = (block(6), 3.0);
        let count = places.len();
        let velocities: Vec<DVec3> = places.iter().map(|x| DVec3::new(-w * x.y, w * x.x, 0.0)).collect();
        let grid = Grid::layers(DVec3::X, 6, &places, &vec![1.0; count]);
        assert_eq!((grid.from.z, grid.to.z), (-1.0, 11.0));
        let cells = profile(&grid, &places, &vec![1.0; count], &vec![2.0; count], &velocities);
        for (k, cell) in cells.iter().enumerate() {
            let x = grid.middle(k).z;
            assert_eq!(x, 2.0 * k as f64);
            // Sums of 36 terms of size 30: rounding near 1e-14.
            assert!((cell.velocity - DVec3::new(-w * 5.0, w * x, 0.0)).length() < 1e-12, "{cell:?}");
            // y = 0, 2, .. 10: variance 4 (6^2 - 1)/12 = 35/3.
            assert!((cell.temperature - w * w * 35.0 / 3.0 / 3.0).abs() < 1e-11);
            assert!((cell.fraction - PI / 6.0).abs() < 1e-14 && (cell.mass - 72.0).abs() < 1e-12);
        }
    }

    /// Layers that cut spheres share them out: the mass adds up, and momentum too.
    #[test]
    fn nothing_is_lost_between_cells() {
        let places = block(4);
        let radii: Vec<f64> = (0..64).map(|i| 0.5 + f64::from(i % 5) * 0.1).collect();
        let masses: Vec<f64> = radii.iter().map(|r| r * r * r).collect();
        let velocities: Vec<DVec3> = places.iter().map(|x| *x * 0.3 + DVec3::Z).collect();
        let turned = DMat3::from_rotation_z(0.3);
        let momentum: DVec3 = masses.iter().zip(&velocities).map(|(m, v)| *v * *m).sum();
        for (axes, counts) in [(DMat3::IDENTITY, [1, 1, 7]), (turned, [5, 1, 3]), (turned, [3, 4, 1])] {
            let grid = Grid::spanned(axes, counts, &places, &radii);
            let cells = profile(&grid, &places, &radii, &masses, &velocities);
            let mass: f64 = cells.iter().map(|c| c.mass).sum();
            let carried: DVec3 = cells.iter().map(|c| c.velocity * c.mass).sum();
            let total: f64 = masses.iter().sum();
            // Quadrature at edges: 1e-8 of r^3 a sphere and cell, at most.
            assert!((mass - total).abs() < 1e-7 * total && (carried - momentum).length() < 1e-6, "{counts:?}");
        }
    }
}

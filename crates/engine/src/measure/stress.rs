//! The stress of grains on a grid of cells, or in a periodic cell: from contacts, and from the motion of the grains.
//!
//! THEORY.md eq. 6.6, compression positive, f the force on a and l = x_a - x_b the branch between the centres:
//!
//! ```text
//! stress_ij = (1/V) [ sum over contacts  s f_i l_j  +  sum over grains  w m (v - V)_i (v - V)_j ]
//! ```
//!
//! s is the share of the branch's length that lies in the cell, w that of the grain's volume, V there the cell's mean
//! velocity. With s the force through a plane is what the contacts carry through it: in a column at rest the upright
//! stress at a depth is the weight of what lies above, by the area. At a wall, which has no centre, the branch ends at the
//! contact point. (Irving and Kirkwood 1950; Bagi 1996.) Rolling and spinning couples do not enter. Averages over the
//! whole cell, void above a heap included. `stress` knows no images of grains.
//!
//! In a cell that repeats in all directions (`cell_stress`) s and w are 1, l is the branch to the nearest image, and V is
//! the cell's affine flow at the grain.

use glam::{DMat3, DVec3};

use super::ContactLoad;
use super::profile::{Grid, profile, shares};
use super::region::Region;
use crate::cell::Frame;

/// The stress in a cell (Pa), world axes: column j of a matrix is the force through the area across direction j.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellStress {
    /// Carried by contacts.
    pub contact: DMat3,
    /// Carried by grains that move otherwise than their neighbours.
    pub kinetic: DMat3,
}

impl CellStress {
    /// Both together.
    pub fn total(&self) -> DMat3 {
        self.contact + self.kinetic
    }

    /// A third of the trace (Pa).
    pub fn pressure(&self) -> f64 {
        let total = self.total();
        (total.x_axis.x + total.y_axis.y + total.z_axis.z) / 3.0
    }
}

/// The stress on the cells of a grid, in the order of `Grid::middle`. The slices have one entry a grain, `ids` ascending;
/// a body of a contact that is not among them is a wall.
pub fn stress(
    grid: &Grid,
    ids: &[u32],
    positions: &[DVec3],
    radii: &[f64],
    masses: &[f64],
    velocities: &[DVec3],
    contacts: &[ContactLoad],
) -> Vec<CellStress> {
    let volume = grid.cell_volume();
    let mut cells = vec![CellStress { contact: DMat3::ZERO, kinetic: DMat3::ZERO }; grid.len()];
    let place = |id: u32| ids.binary_search(&id).ok().map(|k| positions[k]);
    for contact in contacts {
        let (a, b) = (place(contact.a), place(contact.b));
        if a.is_none() && b.is_none() {
            continue;
        }
        let (a, b) = (a.unwrap_or(contact.point), b.unwrap_or(contact.point));
        let dyad = outer(contact.force, a - b) * (1.0 / volume);
        let (from, to) = (grid.local(b), grid.local(a));
        for (cell, region) in grid.cells_in(from.min(to), from.max(to)) {
            cells[cell].contact += dyad * share_of_segment(from, to, &region);
        }
    }
    let means = profile(grid, positions, radii, masses, velocities);
    for (grain, cell, share) in shares(grid, positions, radii) {
        let off = velocities[grain] - means[cell].velocity;
        cells[cell].kinetic += outer(off, off) * (share * masses[grain] / volume);
    }
    cells
}

/// The mean stress in a cell that repeats in all directions. `velocities` are those relative to the cell's affine flow
/// (`without_flow`). The slices have one entry a grain, `ids` ascending; contacts with other bodies are left out.
pub fn cell_stress(
    frame: &Frame,
    ids: &[u32],
    positions: &[DVec3],
    masses: &[f64],
    velocities: &[DVec3],
    contacts: &[ContactLoad],
) -> CellStress {
    // The nearest image is found in a cell that does not lean.
    let frame = frame.reduced().map_or(*frame, |(upright, _)| upright);
    let place = |id: u32| ids.binary_search(&id).ok().map(|k| positions[k]);
    let mut sums = CellStress { contact: DMat3::ZERO, kinetic: DMat3::ZERO };
    for contact in contacts {
        let (Some(a), Some(b)) = (place(contact.a), place(contact.b)) else { continue };
        sums.contact += outer(contact.force, frame.nearest(a - b));
    }
    for (&mass, &velocity) in masses.iter().zip(velocities) {
        sums.kinetic += outer(velocity, velocity) * mass;
    }
    let by_volume = 1.0 / frame.volume().abs();
    CellStress { contact: sums.contact * by_volume, kinetic: sums.kinetic * by_volume }
}

/// Velocities without the affine flow V = mean + L (x - centre of mass) that fits them best, by mass and least squares: for
/// records, which do not hold the gradient L. It takes 12 of 3 N freedoms from the motion, so the kinetic stress of what
/// is left is low by about 4/N. Where places do not span space (fewer than four grains), only the mean is taken off.
pub fn without_flow(positions: &[DVec3], masses: &[f64], velocities: &[DVec3]) -> Vec<DVec3> {
    let total: f64 = masses.iter().sum();
    let mean = |of: &[DVec3]| of.iter().zip(masses).map(|(&v, &m)| v * m).sum::<DVec3>() / total;
    let (centre, drift) = (mean(positions), mean(velocities));
    let (mut spread, mut carried) = (DMat3::ZERO, DMat3::ZERO);
    for ((&x, &v), &mass) in positions.iter().zip(velocities).zip(masses) {
        spread += outer(x - centre, x - centre) * mass;
        carried += outer(v - drift, x - centre) * mass;
    }
    let size = (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z) / 3.0;
    let spans = spread.determinant() > 1e-9 * size * size * size;
    let gradient = if spans { carried * spread.inverse() } else { DMat3::ZERO };
    positions.iter().zip(velocities).map(|(&x, &v)| v - drift - gradient * (x - centre)).collect()
}

/// The matrix f_i l_j.
fn outer(f: DVec3, l: DVec3) -> DMat3 {
    DMat3::from_cols(f * l.x, f * l.y, f * l.z)
}

/// Share of the segment's length within a box.
fn share_of_segment(from: DVec3, to: DVec3, region: &Region) -> f64 {
    let Region::Box { from: low, to: high } = *region else { return 0.0 };
    let along = to - from;
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        if along[k] == 0.0 {
            // On a face it belongs to the upper cell, so that it counts once.
            if from[k] < low[k] || from[k] >= high[k] {
                return 0.0;
            }
            continue;
        }
        let (one, two) = ((low[k] - from[k]) / along[k], (high[k] - from[k]) / along[k]);
        first = first.max(one.min(two));
        last = last.min(one.max(two));
    }
    (last - first).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An upright column of touching balls on a floor in a box as wide as they are. The contact under ball k carries the
    /// weight of the n - k balls from it up, along one diameter (half of one at the floor). In the layer of ball k, from its
    /// lowest to its highest point, the line of force passes half with (n - k) m g and half with (n - k - 1): the stress is
    /// (n - k - 1/2) m g/A, which is rho g h with rho = m/(2 R A) and h = (n - k - 1/2) 2 R the depth of the layer's middle.
    #[test]
    fn a_column_has_the_stress_of_its_weight() {
        let (n, radius, mass, g) = (10, 0.5, 2.0, 9.81);
        let places: Vec<DVec3> = (0..n).map(|k| DVec3::new(0.0, 0.0, f64::from(k) + 0.5)).collect();
        let ids: Vec<u32> = (1..=n as u32).collect();
        let load = |k: i32| {
            // Body 0 is the floor: the force on a, the lower one, is downward.
            let force = DVec3::new(0.0, 0.0, -mass * g * f64::from(n - k));
            ContactLoad::pushing(k as u32, k as u32 + 1, DVec3::new(0.0, 0.0, f64::from(k)), force)
        };
        let contacts: Vec<ContactLoad> = (0..n).map(load).collect();
        let count = n as usize;
        let (radii, masses, still) = (vec![radius; count], vec![mass; count], vec![DVec3::ZERO; count]);
        let grid = Grid::layers(DVec3::Z, count, &places, &radii);
        let cells = stress(&grid, &ids, &places, &radii, &masses, &still, &contacts);
        for (k, cell) in cells.iter().enumerate() {
            let depth = f64::from(n) - grid.middle(k).z;
            let expected = mass / (2.0 * radius) * g * depth;
            // Sums of two products of size 200: rounding near 1e-13.
            assert!((cell.contact.z_axis.z - expected).abs() < 1e-11, "{k}: {cell:?} {expected}");
            assert_eq!(cell.contact.x_axis, DVec3::ZERO);
            assert_eq!(cell.kinetic, DMat3::ZERO);
        }
        // Layers of any thickness share the same total out.
        let thin = Grid { counts: [1, 1, 37], ..grid };
        let sum = |grid: &Grid| {
            let cells = stress(grid, &ids, &places, &radii, &masses, &still, &contacts);
            cells.iter().map(|c| c.contact.z_axis.z * grid.cell_volume()).sum::<f64>()
        };
        assert!((sum(&thin) - sum(&grid)).abs() < 1e-9);
    }

    /// Two balls pressed together along a slanted normal and sheared: f l^T/V, and the pressure positive in compression.
    #[test]
    fn a_pair_gives_its_dyad() {
        let (normal, shear) = (DVec3::new(0.6, 0.0, 0.8), DVec3::Y);
        let places = [normal, -normal];
        let contact = ContactLoad::pushing(0, 1, DVec3::ZERO, normal * 5.0 + shear * 2.0);
        let grid = Grid { axes: DMat3::IDENTITY, from: DVec3::splat(-2.0), to: DVec3::splat(2.0), counts: [1; 3] };
        let cells = stress(&grid, &[0, 1], &places, &[1.0; 2], &[1.0; 2], &[DVec3::ZERO; 2], &[contact]);
        let expected = outer(normal * 5.0 + shear * 2.0, normal * 2.0) * (1.0 / 64.0);
        assert!((cells[0].contact - expected).abs_diff_eq(DMat3::ZERO, 1e-16));
        assert!((cells[0].pressure() - 10.0 / 64.0 / 3.0).abs() < 1e-16);
        // f_y l_z stands in row y of column z.
        assert_eq!(expected.z_axis.y, 2.0 * 1.6 / 64.0);
    }

    /// A gas of two groups that fly at +-u along x: m n u^2 along x and nothing across.
    #[test]
    fn moving_grains_carry_stress() {
        let places: Vec<DVec3> = (0..8).map(|i| DVec3::new(f64::from(i), 0.5, 0.5)).collect();
        let velocities: Vec<DVec3> = (0..8).map(|i| DVec3::X * if i % 2 == 0 { 3.0 } else { -3.0 }).collect();
        let grid = Grid { axes: DMat3::IDENTITY, from: DVec3::splat(-1.0), to: DVec3::splat(9.0), counts: [1; 3] };
        let ids: Vec<u32> = (0..8).collect();
        let cells = stress(&grid, &ids, &places, &[0.1; 8], &[2.0; 8], &velocities, &[]);
        assert!((cells[0].kinetic.x_axis.x - 8.0 * 2.0 * 9.0 / 1000.0).abs() < 1e-15);
        assert_eq!(cells[0].kinetic.y_axis, DVec3::ZERO);
    }

    /// Four balls in a row that repeats along x, each pressing the next with f, the last the first across the cell's face:
    /// sxx = 4 f (L/4)/V = f/A. Two of them fly at +-u along z: kzz = 2 m u^2/V. The same for any images of the balls and
    /// any cell of the lattice.
    #[test]
    fn a_periodic_chain_carries_its_force_by_its_area() {
        let (f, mass, u) = (7.0, 3.0, 0.5);
        let (a, b, c) = (DVec3::X * 2.0, DVec3::Y * 3.0, DVec3::Z * 5.0);
        let place = |k: u32| DVec3::new(0.3 + 0.5 * f64::from(k), 1.0, 1.0);
        let row: Vec<DVec3> = (0..4).map(place).collect();
        let moved = [row[0], row[1] + a * 3.0 - b, row[2] - c, row[3] + b * 2.0 + c];
        let push = |a: u32, b: u32, force: f64| ContactLoad::pushing(a, b, DVec3::ZERO, DVec3::X * force);
        let chain = [push(0, 1, -f), push(1, 2, -f), push(2, 3, -f), push(0, 3, f)];
        let velocities = [DVec3::Z * u, DVec3::Z * -u, DVec3::ZERO, DVec3::ZERO];
        for places in [&row[..], &moved] {
            for vectors in [[a, b, c], [a, b + a, c], [a, b - a, c + b * 2.0], [b, a, c]] {
                let frame = Frame::new(DMat3::from_cols(vectors[0], vectors[1], vectors[2]));
                let stress = |contacts: &[ContactLoad]| {
                    cell_stress(&frame, &[0, 1, 2, 3], places, &[mass; 4], &velocities, contacts)
                };
                // Branches are differences of places of size 10, times f/V = 0.2.
                let expected = DMat3::from_diagonal(DVec3::new(f / 15.0, 0.0, 0.0));
                assert!(stress(&chain).contact.abs_diff_eq(expected, 1e-14), "{:?}", stress(&chain));
                assert!((stress(&chain).kinetic.z_axis.z - 2.0 * mass * u * u / 30.0).abs() < 1e-15);
                // Two of them that touch only across the face: f (L/4)/V. A wall has no part in it.
                let pair = stress(&[chain[3], push(0, 9, 1.0)]).contact;
                assert!(pair.abs_diff_eq(expected * 0.25, 1e-14), "{pair:?}");
            }
        }
    }

    /// Balls carried along by a sheared and turning flow, with a motion of their own that no flow has: +-w by their places'
    /// signs, which sums to zero with 1, x, y and z. What is left is that motion, to the rounding of numbers of size 10.
    #[test]
    fn a_flow_is_taken_off() {
        let gradient = DMat3::from_cols_array(&[0.1, 2.0, 0.0, -0.5, 0.3, 0.0, 1.5, 0.0, -0.2]);
        let sign = |k: i32, bit: i32| if k & bit == 0 { -1.0 } else { 1.0 };
        let places: Vec<DVec3> = (0..8).map(|k| DVec3::new(sign(k, 1), sign(k, 2), sign(k, 4))).collect();
        let own: Vec<DVec3> = (0..8).map(|k| DVec3::Y * (sign(k, 1) * sign(k, 2))).collect();
        let centre = DVec3::new(3.0, -1.0, 2.0);
        let moving: Vec<DVec3> = places.iter().zip(&own).map(|(&x, &w)| DVec3::ONE + gradient * x + w).collect();
        let at: Vec<DVec3> = places.iter().map(|&x| x + centre).collect();
        let left = without_flow(&at, &[2.0; 8], &moving);
        assert!(left.iter().zip(&own).all(|(l, w)| (*l - *w).length() < 1e-13), "{left:?}");
        // In a plane there is no gradient to be found: the mean is taken off.
        let flat = without_flow(&[DVec3::ZERO, DVec3::X], &[1.0; 2], &[DVec3::Z, DVec3::Z * 3.0]);
        assert_eq!(flat, [-DVec3::Z, DVec3::Z]);
    }
}

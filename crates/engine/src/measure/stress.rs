//! The stress of grains on a grid of cells: from contacts, and from the motion of the grains.
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
//! whole cell, void above a heap included. Knows no periodic cell.

use glam::{DMat3, DVec3};

use super::ContactLoad;
use super::profile::{Grid, profile, shares};
use super::region::Region;

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
        let load = |k: i32| ContactLoad {
            a: k as u32,
            b: k as u32 + 1,
            point: DVec3::new(0.0, 0.0, f64::from(k)),
            // Body 0 is the floor: the force on a, the lower one, is downward.
            force: DVec3::new(0.0, 0.0, -mass * g * f64::from(n - k)),
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
        let contact = ContactLoad { a: 0, b: 1, point: DVec3::ZERO, force: normal * 5.0 + shear * 2.0 };
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
}

//! How grains are packed: coordination with and without rattlers, and the volume fraction of a region or a periodic cell.
//!
//! Coordination (THEORY.md eq. 6.4): Z_all = mean number of contacts a grain, walls counted as partners. Rattlers hold
//! nothing: a grain with fewer contacts than a stable one needs is taken away with its contacts, again and again until
//! none is left; Z is the mean over the others, counting contacts among themselves and with walls. How many a grain
//! needs follows from the motions that friction resists, after Santos et al. (2020): more than half of the isostatic
//! number (`isostatic`, `stable_contacts`). Contacts are pairs, so a periodic cell needs no care here; two grains that
//! touch through two images at once would count twice, which the least size of a cell rules out.

use std::collections::BTreeMap;

use glam::DVec3;

use super::region::{Region, sphere_volume};
use crate::cell::Frame;

/// A motion counts as resisted from this coefficient on (Santos et al. 2020): below it, sliding friction changes no packing.
pub const LEAST_COEFFICIENT: f64 = 0.01;

/// The mean contacts at which forces and torques of spheres are just determined, when sliding, rolling and spinning are
/// resisted or not (Santos et al. 2020, table I): 2 N_eq/N_c with N_c = 1 constraint a
/// contact, 2 more with slide, 2 with roll, 1 with spin, and N_eq = 6 equations a sphere with any friction, 3 without.
pub fn isostatic([slide, roll, spin]: [bool; 3]) -> f64 {
    let constraints = 1 + 2 * u8::from(slide) + 2 * u8::from(roll) + u8::from(spin);
    let equations = if slide || roll || spin { 6 } else { 3 };
    2.0 * f64::from(equations) / f64::from(constraints)
}

/// Contacts that a grain needs to be held when these motions are resisted: more than half of the isostatic number.
pub fn stable_contacts(resisted: [bool; 3]) -> usize {
    (0.5 * isostatic(resisted)) as usize + 1
}

/// How grains touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordination {
    /// Grains.
    pub grains: usize,
    /// Contacts, with walls too.
    pub contacts: usize,
    /// Mean contacts a grain; NaN without grains.
    pub mean: f64,
    /// Mean contacts of those that are no rattlers; NaN if all are.
    pub mean_held: f64,
    /// Ids of the rattlers, ascending.
    pub rattlers: Vec<u32>,
    /// How many grains have 0, 1, 2, .. contacts.
    pub histogram: Vec<usize>,
    /// The same for grains and contacts that are left without rattlers.
    pub histogram_held: Vec<usize>,
}

/// Counts contacts. `grains` are the ids of the grains; a partner that is not among them is a wall. A grain with fewer
/// than `stable` contacts is a rattler.
pub fn coordination(grains: &[u32], contacts: &[(u32, u32)], stable: usize) -> Coordination {
    let place: BTreeMap<u32, usize> = grains.iter().enumerate().map(|(k, &id)| (id, k)).collect();
    let mut partners: Vec<Vec<Option<usize>>> = vec![Vec::new(); grains.len()];
    for (a, b) in contacts {
        let (a, b) = (place.get(a).copied(), place.get(b).copied());
        for (one, other) in [(a, b), (b, a)] {
            if let Some(one) = one {
                partners[one].push(other);
            }
        }
    }
    let degrees: Vec<usize> = partners.iter().map(Vec::len).collect();
    let held = without_rattlers(&partners, stable);
    let left: Vec<usize> = held.iter().copied().flatten().collect();
    let mean = |of: &[usize]| of.iter().sum::<usize>() as f64 / of.len() as f64;
    let mut rattlers: Vec<u32> = grains.iter().zip(&held).filter(|(_, h)| h.is_none()).map(|(&id, _)| id).collect();
    rattlers.sort_unstable();
    Coordination {
        grains: grains.len(),
        contacts: contacts.iter().filter(|(a, b)| place.contains_key(a) || place.contains_key(b)).count(),
        mean: mean(&degrees),
        mean_held: mean(&left),
        rattlers,
        histogram: histogram(&degrees),
        histogram_held: histogram(&left),
    }
}

/// Contacts that each grain keeps when rattlers are gone; `None` for a rattler.
fn without_rattlers(partners: &[Vec<Option<usize>>], stable: usize) -> Vec<Option<usize>> {
    let mut left: Vec<Option<usize>> = partners.iter().map(|list| Some(list.len())).collect();
    let mut loose: Vec<usize> = (0..partners.len()).filter(|&k| partners[k].len() < stable).collect();
    while let Some(k) = loose.pop() {
        if left[k].take().is_none() {
            continue;
        }
        for &other in partners[k].iter().flatten() {
            if let Some(count) = &mut left[other] {
                *count -= 1;
                if *count < stable {
                    loose.push(other);
                }
            }
        }
    }
    left
}

fn histogram(degrees: &[usize]) -> Vec<usize> {
    let mut counts = vec![0; degrees.iter().max().map_or(0, |most| most + 1)];
    for &degree in degrees {
        counts[degree] += 1;
    }
    counts
}

/// The share of a region that spheres fill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fraction {
    /// Volume of the spheres in the region over the region's.
    pub fraction: f64,
    /// Estimate of its error by the quadrature at edges.
    pub error: f64,
    /// Spheres that are in the region, wholly or in part.
    pub spheres: usize,
    /// Volume of the region (m^3).
    pub volume: f64,
}

/// The volume fraction of a region. Overlaps of spheres count twice.
pub fn volume_fraction(positions: &[DVec3], radii: &[f64], region: &Region) -> Fraction {
    let (mut value, mut error, mut spheres) = (0.0, 0.0, 0);
    for (&position, &radius) in positions.iter().zip(radii) {
        let part = region.overlap(position, radius);
        value += part.value;
        error += part.error;
        spheres += usize::from(part.value > 0.0);
    }
    let volume = region.volume();
    Fraction { fraction: value / volume, error: error / volume, spheres, volume }
}

/// The volume fraction of a cell that repeats in all directions: no sphere is cut. Overlaps count twice.
pub fn cell_fraction(radii: &[f64], frame: &Frame) -> f64 {
    radii.iter().map(|&radius| sphere_volume(radius)).sum::<f64>() / frame.volume().abs()
}

/// The box between the quartiles of the centres in x, y and z: the core of a packing, which lies within a heap as well as
/// within a filled container. `None` without spheres.
pub fn core(positions: &[DVec3]) -> Option<Region> {
    let quartile = |share: f64| {
        let of = |axis: usize| {
            let mut values: Vec<f64> = positions.iter().map(|x| x[axis]).collect();
            values.sort_unstable_by(f64::total_cmp);
            super::fit::quantile(&values, share)
        };
        DVec3::new(of(0), of(1), of(2))
    };
    (!positions.is_empty()).then(|| Region::Box { from: quartile(0.25), to: quartile(0.75) })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// Touching spheres of radius 1 on a simple cubic lattice of n^3, in a box that touches them.
    fn lattice(n: u32) -> (Vec<DVec3>, Vec<(u32, u32)>) {
        let mut places = Vec::new();
        let mut contacts = Vec::new();
        let id = |i: u32, j: u32, k: u32| (k * n + j) * n + i;
        for k in 0..n {
            for j in 0..n {
                for i in 0..n {
                    places.push(DVec3::new(f64::from(i), f64::from(j), f64::from(k)) * 2.0);
                    let next = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
                    let within = next.into_iter().filter(|c| c.0 < n && c.1 < n && c.2 < n);
                    contacts.extend(within.map(|c| (id(i, j, k), id(c.0, c.1, c.2))));
                }
            }
        }
        (places, contacts)
    }

    /// 3 n^2 (n - 1) contacts among n^3 grains: a mean of 6 (n - 1)/n.
    #[test]
    fn a_cubic_lattice_has_its_coordination() {
        let (places, mut contacts) = lattice(4);
        let ids: Vec<u32> = (0..places.len() as u32).collect();
        let found = coordination(&ids, &contacts, 3);
        assert_eq!((found.mean, found.mean_held, found.rattlers.len()), (4.5, 4.5, 0));
        // Corners 8 with 3, edges 24 with 4, faces 24 with 5, inside 8 with 6.
        assert_eq!(found.histogram, [0, 0, 0, 8, 24, 24, 8]);
        // A floor under the lowest 16, which has another id, counts as one partner each.
        contacts.extend((0..16).map(|id| (id, 1000)));
        let found = coordination(&ids, &contacts, 3);
        assert_eq!((found.contacts, found.mean), (144 + 16, (288.0 + 16.0) / 64.0));
    }

    /// A chain that hangs on a cluster is taken away link by link; a pair that touches nothing else too.
    #[test]
    fn rattlers_go_until_none_is_left() {
        let cluster = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let contacts: Vec<(u32, u32)> = cluster.into_iter().chain([(3, 4), (4, 5), (5, 6), (7, 8)]).collect();
        let found = coordination(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &contacts, 2);
        assert_eq!(found.rattlers, [4, 5, 6, 7, 8, 9]);
        assert_eq!(found.mean_held, 3.0);
        assert_eq!((found.mean, found.histogram[0], found.histogram_held[3]), (2.0, 1, 4));
        // With one contact more needed than the cluster has, nothing holds.
        assert!(coordination(&[0, 1, 2, 3], &cluster, 4).mean_held.is_nan());
    }

    /// The column Z of table I in its order, and the contacts that are more than half of it.
    #[test]
    fn friction_lowers_what_a_grain_needs() {
        let (n, y) = (false, true);
        let rows = [[n, n, n], [y, n, n], [n, y, n], [n, n, y], [y, y, n], [y, n, y], [n, y, y], [y, y, y]];
        assert_eq!(rows.map(isostatic), [6.0, 4.0, 4.0, 6.0, 2.4, 3.0, 3.0, 2.0]);
        assert_eq!(rows.map(stable_contacts), [4, 3, 3, 4, 2, 2, 2, 2]);
    }

    /// pi/6 in any box whose faces are planes of symmetry of the lattice, cutting spheres in halves, quarters and eighths.
    #[test]
    fn a_cubic_lattice_fills_pi_over_six() {
        let (places, _) = lattice(5);
        let radii = vec![1.0; places.len()];
        for (from, to) in [(1.0, 7.0), (0.0, 8.0), (-1.0, 9.0), (2.0, 5.0)] {
            let region = Region::Box { from: DVec3::splat(from), to: DVec3::splat(to) };
            let found = volume_fraction(&places, &radii, &region);
            // `region.rs`: at most 1e-8 a sphere, 2e-5 for its estimate; 98 are cut, over a volume of 27 or more.
            let off = (found.fraction - PI / 6.0).abs();
            assert!(off < 98.0 * 1e-8 / 27.0 && found.error < 98.0 * 2e-5 / 27.0, "{from} {off:e} {found:?}");
        }
        let all =
            Region::Cylinder { base: DVec3::splat(4.0) - DVec3::Z * 9.0, axis: DVec3::Z, radius: 9.0, length: 18.0 };
        let found = volume_fraction(&places, &radii, &all);
        assert!((found.fraction * all.volume() - 125.0 * sphere_volume(1.0)).abs() < 1e-10);
        assert_eq!((found.spheres, found.error), (125, 0.0));
    }

    /// pi/(3 sqrt 2) for spheres of fcc by its primitive cell, and by one that leans over and is left-handed.
    #[test]
    fn a_cell_is_filled_by_its_spheres() {
        let [a, b, c] = [DVec3::new(0.0, 1.0, 1.0), DVec3::new(1.0, 0.0, 1.0), DVec3::new(1.0, 1.0, 0.0)];
        for vectors in [glam::DMat3::from_cols(a, b, c), glam::DMat3::from_cols(b + a, a, c)] {
            let found = cell_fraction(&[0.5_f64.sqrt()], &Frame::new(vectors));
            // One division and a handful of products.
            assert!((found - PI / 18.0_f64.sqrt()).abs() < 1e-15, "{found}");
        }
    }

    #[test]
    fn the_core_lies_between_quartiles() {
        let (places, _) = lattice(5);
        assert_eq!(core(&places), Some(Region::Box { from: DVec3::splat(2.0), to: DVec3::splat(6.0) }));
        assert_eq!(core(&[]), None);
    }
}

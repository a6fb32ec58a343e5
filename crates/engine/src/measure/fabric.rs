//! Where contacts point: the fabric tensor, how far it is from equal in all directions, and histograms of angles.
//!
//! The fabric tensor (Satake 1982) is the mean over contacts of n_i n_j, of trace 1; weighed by normal forces it tells
//! which directions carry the load. With D = F - I/3 its deviator,
//!
//! ```text
//! anisotropy = sqrt(3/2 D:D)
//! ```
//!
//! is 0 when all directions are alike and 1 when all contacts point along one line. (The amplitude of the density
//! 1 + a (3 cos^2 - 1)/2 of directions about an axis is a = 5 times it.) A contact has no sense, n and -n are one. Histograms are
//! divided by what directions that are all alike would give: 1 everywhere then. Wants no places, so a periodic cell needs
//! no care.

use glam::{DMat3, DVec3};

use super::{ContactLoad, TooFew};
use crate::math;

/// The fabric of some contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// How many they are.
    pub contacts: usize,
    /// Mean of n_i n_j.
    pub tensor: DMat3,
    /// The same, weighed by the normal forces of those that push; NaN when none does.
    pub by_force: DMat3,
}

/// The weight of a contact in what is weighed by force: one that pulls has none.
fn push(contact: &ContactLoad) -> f64 {
    contact.normal_force.max(0.0)
}

/// The fabric of contacts with unit normals.
pub fn fabric(contacts: &[ContactLoad]) -> Result<Fabric, TooFew> {
    TooFew::check("contacts", contacts.len(), 1)?;
    let mean = |weight: fn(&ContactLoad) -> f64| {
        let total: f64 = contacts.iter().map(weight).sum();
        let mut sum = DMat3::ZERO;
        for contact in contacts {
            let n = contact.normal;
            sum += DMat3::from_cols(n * n.x, n * n.y, n * n.z) * weight(contact);
        }
        sum * (1.0 / total)
    };
    Ok(Fabric { contacts: contacts.len(), tensor: mean(|_| 1.0), by_force: mean(push) })
}

/// The invariant of a symmetric matrix's deviator that is 1 for one direction alone: sqrt(3/2 D:D).
pub fn anisotropy(tensor: &DMat3) -> f64 {
    let third = (tensor.x_axis.x + tensor.y_axis.y + tensor.z_axis.z) / 3.0;
    let deviator = *tensor - DMat3::from_diagonal(DVec3::splat(third));
    let squares: f64 = deviator.to_cols_array().iter().map(|x| x * x).sum();
    (1.5 * squares).sqrt()
}

/// A bin of directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Directions {
    /// Its lower end (rad).
    pub from: f64,
    /// Its upper end (rad).
    pub to: f64,
    /// How many contacts it holds.
    pub count: usize,
    /// Their share, over that of directions that are all alike.
    pub density: f64,
    /// The share of the normal forces that they carry, over the same; NaN when no contact pushes.
    pub by_force: f64,
}

/// Contacts by the angle between their line and a unit vector, from 0 to a right angle. Bins are equal in the angle's
/// cosine, so that all stand for the same solid angle.
pub fn by_polar_angle(contacts: &[ContactLoad], axis: DVec3, bins: usize) -> Vec<Directions> {
    let last = bins.saturating_sub(1);
    // The bin next to the axis, where the cosine is 1, is the first.
    let bin = |contact: &ContactLoad| {
        let cosine = contact.normal.dot(axis).abs();
        Some((((1.0 - cosine) * bins as f64) as usize).min(last))
    };
    let edge = |k: usize| {
        let cosine = 1.0 - k as f64 / bins as f64;
        math::atan2((1.0 - cosine * cosine).sqrt(), cosine)
    };
    histogram(contacts, bins, bin, edge)
}

/// Contacts by the direction of their line across `axis`, as an angle from `first` towards axis x first, from 0 to a
/// straight angle. Both are unit vectors at right angles. One that points along the axis has none and is left out.
pub fn by_azimuth(contacts: &[ContactLoad], axis: DVec3, first: DVec3, bins: usize) -> Vec<Directions> {
    let second = axis.cross(first);
    let width = std::f64::consts::PI / bins as f64;
    let bin = |contact: &ContactLoad| {
        let (x, y) = (contact.normal.dot(first), contact.normal.dot(second));
        let angle = math::atan2(y, x);
        // n and -n are one line.
        let line = if angle < 0.0 { angle + std::f64::consts::PI } else { angle };
        (x != 0.0 || y != 0.0).then_some((line / width) as usize % bins)
    };
    histogram(contacts, bins, bin, |k| k as f64 * width)
}

/// Counts by bins that stand for equal shares.
fn histogram(
    contacts: &[ContactLoad],
    bins: usize,
    bin: impl Fn(&ContactLoad) -> Option<usize>,
    edge: impl Fn(usize) -> f64,
) -> Vec<Directions> {
    let (mut counts, mut pushes) = (vec![0_usize; bins], vec![0.0; bins]);
    for contact in contacts {
        if let Some(k) = bin(contact) {
            counts[k] += 1;
            pushes[k] += push(contact);
        }
    }
    let (all, load) = (counts.iter().sum::<usize>() as f64, pushes.iter().sum::<f64>());
    let share = bins as f64;
    let row = |k: usize| Directions {
        from: edge(k),
        to: edge(k + 1),
        count: counts[k],
        density: counts[k] as f64 / all * share,
        by_force: pushes[k] / load * share,
    };
    (0..bins).map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::random::Stream;

    fn contact(normal: DVec3, force: f64) -> ContactLoad {
        ContactLoad::pushing(0, 1, DVec3::ZERO, normal.normalize() * force)
    }

    /// The six faces of a cube, and the twenty corners of a dodecahedron: directions whose second moments are those of the
    /// whole sphere.
    #[test]
    fn equal_directions_have_a_third() {
        let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
        let mut corners = Vec::new();
        for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            corners.extend([DVec3::new(1.0, a, b), DVec3::new(-1.0, a, b)]);
            let (short, long) = (a / golden, b * golden);
            corners.extend([DVec3::new(0.0, short, long), DVec3::new(short, long, 0.0), DVec3::new(long, 0.0, short)]);
        }
        assert_eq!(corners.len(), 20);
        for directions in [vec![DVec3::X, DVec3::Y, DVec3::Z], corners] {
            let contacts: Vec<ContactLoad> = directions.into_iter().map(|n| contact(n, 3.0)).collect();
            let found = fabric(&contacts).unwrap();
            // Sums of twenty terms below 1.
            assert!(found.tensor.abs_diff_eq(DMat3::from_diagonal(DVec3::splat(1.0 / 3.0)), 1e-15), "{found:?}");
            assert!(found.by_force.abs_diff_eq(found.tensor, 1e-15) && anisotropy(&found.tensor) < 1e-15);
        }
    }

    #[test]
    fn one_direction_is_as_far_as_can_be() {
        let n = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let found = fabric(&[contact(n, 1.0), contact(-n, 5.0)]).unwrap();
        let expected = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        assert!(found.tensor.abs_diff_eq(expected, 1e-15) && found.by_force.abs_diff_eq(expected, 1e-15));
        assert!((anisotropy(&found.tensor) - 1.0).abs() < 1e-15);
        assert!(fabric(&[]).is_err());
    }

    /// Weights 3 along x and 1 along y; one that pulls along z has none, though it is a contact.
    #[test]
    fn forces_weigh() {
        let pull = ContactLoad { normal_force: -9.0, ..contact(DVec3::Z, 1.0) };
        let found = fabric(&[contact(DVec3::X, 3.0), contact(DVec3::Y, 1.0), pull]).unwrap();
        assert_eq!(found.by_force, DMat3::from_diagonal(DVec3::new(0.75, 0.25, 0.0)));
        assert!(found.tensor.abs_diff_eq(DMat3::from_diagonal(DVec3::splat(1.0 / 3.0)), 1e-16));
    }

    /// Random directions: each of 10 bins holds n/10 with a standard deviation of sqrt(n 0.09); 4.5 of these leave a chance of
    /// 7e-6 a bin.
    #[test]
    fn random_directions_fill_all_bins_alike() {
        let mut stream = Stream::named(4, "fabric");
        let n = 20_000;
        let random = |stream: &mut Stream| {
            let (z, turn) = (stream.between(-1.0, 1.0), stream.between(0.0, 2.0 * PI));
            let flat = (1.0 - z * z).sqrt();
            contact(DVec3::new(flat * math::cos(turn), flat * math::sin(turn), z), 2.0)
        };
        let contacts: Vec<ContactLoad> = (0..n).map(|_| random(&mut stream)).collect();
        let axis = DVec3::new(2.0, -1.0, 2.0) / 3.0;
        let first = DVec3::new(1.0, 2.0, 0.0).normalize();
        let most = 4.5 * (0.09 * f64::from(n)).sqrt() / (0.1 * f64::from(n));
        for bins in [by_polar_angle(&contacts, axis, 10), by_azimuth(&contacts, axis, first, 10)] {
            assert_eq!(bins.iter().map(|bin| bin.count).sum::<usize>(), n as usize);
            for bin in &bins {
                assert!((bin.density - 1.0).abs() < most && (bin.by_force - bin.density).abs() < 1e-12, "{bin:?}");
            }
        }
    }

    /// 30 degrees from z towards x, and the same line the other way round; one along the axis has no azimuth.
    #[test]
    fn lines_fall_into_their_bins() {
        let n = DVec3::new(0.5, 0.0, 0.75_f64.sqrt());
        let contacts = [contact(n, 1.0), contact(-n, 1.0), contact(DVec3::Y, 2.0)];
        let polar = by_polar_angle(&contacts, DVec3::Z, 4);
        // cos 30 = 0.87: between 1 and 0.75; at right angles: the last.
        assert_eq!(polar.iter().map(|bin| bin.count).collect::<Vec<_>>(), [2, 0, 0, 1]);
        assert!((polar[3].to - 0.5 * PI).abs() < 1e-15 && polar[0].from == 0.0);
        assert!((polar[3].by_force - 2.0).abs() < 1e-14 && (polar[0].by_force - 2.0).abs() < 1e-14);
        // About y from z: towards y x z = x.
        let azimuth = by_azimuth(&contacts, DVec3::Y, DVec3::Z, 9);
        assert_eq!(azimuth.iter().map(|bin| bin.count).collect::<Vec<_>>(), [0, 2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(azimuth[1].density, 9.0);
    }
}

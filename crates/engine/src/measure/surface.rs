//! Which spheres form the free surface of a heap or a bed, and the directions that "up" leaves.
//!
//! A sphere is on the surface when no other centre is higher by 0.3 R within 1.5 R horizontally (THEORY.md section
//! 6.1). R is the mean radius of the two spheres that are compared, so that mixtures are treated alike. Walls do not count: a sphere under a roof is on the surface if no sphere is above.

use glam::DVec3;

/// How far above and how far aside another centre must be, in mean radii of the two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceRule {
    /// 0.3.
    pub higher: f64,
    /// 1.5.
    pub aside: f64,
}

impl Default for SurfaceRule {
    fn default() -> Self {
        SurfaceRule { higher: 0.3, aside: 1.5 }
    }
}

/// Two unit vectors that make a right-handed frame with the unit vector `up`: u, w, up.
pub fn horizontal(up: DVec3) -> (DVec3, DVec3) {
    // The axis that is least along `up` is safe to project.
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let least = axes.into_iter().min_by(|a, b| a.dot(up).abs().total_cmp(&b.dot(up).abs())).unwrap_or(DVec3::X);
    let u = (least - up * least.dot(up)).normalize();
    (u, up.cross(u))
}

/// Indices of the spheres on the surface, in order. `up` is a unit vector.
pub fn surface(positions: &[DVec3], radii: &[f64], up: DVec3, rule: SurfaceRule) -> Vec<usize> {
    let (u, w) = horizontal(up);
    let largest = radii.iter().copied().fold(0.0, f64::max);
    // Nobody beyond this distance can hide a sphere, so neighbouring cells are enough.
    let cell = (rule.aside * largest).max(f64::MIN_POSITIVE);
    let column = |x: DVec3| ((x.dot(u) / cell).floor() as i64, (x.dot(w) / cell).floor() as i64);
    let mut columns: Vec<((i64, i64), usize)> = positions.iter().enumerate().map(|(i, &x)| (column(x), i)).collect();
    columns.sort_unstable();
    let hides = |i: usize, j: usize| {
        let apart = positions[j] - positions[i];
        let radius = 0.5 * (radii[i] + radii[j]);
        let rise = apart.dot(up);
        rise > rule.higher * radius && (apart - up * rise).length() < rule.aside * radius
    };
    let hidden = |i: usize| {
        let (x, y) = column(positions[i]);
        (x - 1..=x + 1).any(|x| {
            let from = columns.partition_point(|entry| entry.0 < (x, y - 1));
            columns[from..].iter().take_while(|entry| entry.0 <= (x, y + 1)).any(|&(_, j)| hides(i, j))
        })
    };
    (0..positions.len()).filter(|&i| !hidden(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_frame_is_right_handed_for_any_up() {
        for up in [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(1.0, -2.0, 0.5).normalize()] {
            let (u, w) = horizontal(up);
            // Products of unit vectors: a few roundings.
            assert!((u.cross(w) - up).length() < 1e-15 && u.dot(up).abs() < 1e-15, "{up}");
        }
    }

    #[test]
    fn only_the_top_of_a_lattice_is_on_the_surface() {
        let mut positions = Vec::new();
        for k in 0..4 {
            for j in 0..5 {
                positions.extend((0..6).map(|i| DVec3::new(f64::from(i), f64::from(j), f64::from(k)) * 2.0));
            }
        }
        let top = surface(&positions, &[1.0; 120], DVec3::Z, SurfaceRule::default());
        assert_eq!(top, (90..120).collect::<Vec<_>>());
        let side = surface(&positions, &[1.0; 120], -DVec3::X, SurfaceRule::default());
        assert_eq!(side.len(), 20);
        assert!(side.iter().all(|&i| positions[i].x == 0.0));
    }

    #[test]
    fn cells_find_what_every_pair_finds() {
        let mut stream = Stream::named(1, "surface");
        let mut point = || DVec3::new(stream.between(-9.0, 9.0), stream.between(-9.0, 9.0), stream.between(0.0, 5.0));
        let positions: Vec<DVec3> = (0..400).map(|_| point()).collect();
        let radii: Vec<f64> = (0..400).map(|i| if i % 3 == 0 { 1.0 } else { 0.3 }).collect();
        let slow = |i: usize| {
            (0..400).any(|j| {
                let (apart, radius) = (positions[j] - positions[i], 0.5 * (radii[i] + radii[j]));
                apart.z > 0.3 * radius && apart.truncate().length() < 1.5 * radius
            })
        };
        let expected: Vec<usize> = (0..400).filter(|&i| !slow(i)).collect();
        assert_eq!(surface(&positions, &radii, DVec3::Z, SurfaceRule::default()), expected);
    }
}

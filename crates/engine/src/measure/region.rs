//! Regions, and how much of a sphere lies in one: for volume fractions and profiles.
//!
//! A sphere of radius r that one plane at a distance d from its centre cuts keeps V(d) = pi (r + d)^2 (2 r - d)/3 on the
//! centre's side (THEORY.md eq. 6.3); two parallel planes keep V(d1) + V(d2) - V. Where more is cut, at the edges of a box
//! or the mantle of a cylinder, the section across one direction is known exactly (a disc and a rectangle, or two
//! discs) and is integrated along that direction between the places where its form changes, by Gauss' rule of 8 points.
//! The rule is used on halves of the pieces, and its error estimated by the difference from that on whole ones, which is
//! larger by orders of magnitude: estimates are below 2e-5 of r^3, errors seen below 1e-8. Overlaps of spheres
//! with each other are not taken off: a fraction is the volume of the spheres over that of the region.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use crate::math;

/// Part of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// Between two corners.
    Box {
        /// Lower corner (m).
        from: DVec3,
        /// Upper corner (m).
        to: DVec3,
    },
    /// An upright or lying solid cylinder.
    Cylinder {
        /// Middle of one end (m).
        base: DVec3,
        /// Unit vector to the other end.
        axis: DVec3,
        /// m.
        radius: f64,
        /// m.
        length: f64,
    },
}

/// A volume with the error of its computation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Volume {
    /// m^3.
    pub value: f64,
    /// Estimate of its error (m^3); zero where a closed form was used.
    pub error: f64,
}

impl Region {
    /// Its volume (m^3).
    pub fn volume(&self) -> f64 {
        match *self {
            Region::Box { from, to } => (to - from).max(DVec3::ZERO).element_product(),
            Region::Cylinder { radius, length, .. } => PI * radius * radius * length,
        }
    }

    /// Whether a point lies in it.
    pub fn contains(&self, x: DVec3) -> bool {
        match *self {
            Region::Box { from, to } => from.cmple(x).all() && x.cmple(to).all(),
            Region::Cylinder { base, axis, radius, length } => {
                let along = (x - base).dot(axis);
                let aside = (x - base) - axis * along;
                (0.0..=length).contains(&along) && aside.length_squared() <= radius * radius
            }
        }
    }

    /// How much of a sphere lies in it.
    pub fn overlap(&self, centre: DVec3, radius: f64) -> Volume {
        match *self {
            Region::Box { from, to } => box_overlap(centre - from, to - centre, radius),
            Region::Cylinder { base, axis, radius: wide, length } => {
                let along = (centre - base).dot(axis);
                let aside = ((centre - base) - axis * along).length();
                cylinder_overlap(along, length - along, aside, wide, radius)
            }
        }
    }
}

/// Volume of a sphere.
pub fn sphere_volume(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}

/// What a plane at the distance d from the centre leaves of a sphere on the centre's side (the other side if d < 0).
pub fn segment_volume(radius: f64, d: f64) -> f64 {
    let d = d.clamp(-radius, radius);
    PI / 3.0 * (radius + d) * (radius + d) * (2.0 * radius - d)
}

/// `below` and `above` are the distances from the centre to the lower and the upper faces, negative beyond them.
fn box_overlap(below: DVec3, above: DVec3, radius: f64) -> Volume {
    if below.min_element() <= -radius || above.min_element() <= -radius {
        return Volume::default();
    }
    let cut = |k: usize| below[k] < radius || above[k] < radius;
    let axes: Vec<usize> = (0..3).filter(|&k| cut(k)).collect();
    match axes[..] {
        [] => exact(sphere_volume(radius)),
        [k] => exact(slab_volume(radius, below[k], above[k])),
        _ => {
            let low = DVec2::new(-below.x, -below.y);
            let high = DVec2::new(above.x, above.y);
            // The section changes its form where the disc reaches a side or a corner.
            let (sides, mut reaches) = ([low.x, low.y, high.x, high.y], Vec::with_capacity(8));
            reaches.extend(sides.map(f64::abs));
            reaches.extend([low, high, DVec2::new(low.x, high.y), DVec2::new(high.x, low.y)].map(DVec2::length));
            integrate(radius, -below.z, above.z, &reaches, |reach| disc_and_rectangle(reach, low, high))
        }
    }
}

/// `below` and `above` are the distances from the centre to the ends, `aside` that to the axis.
fn cylinder_overlap(below: f64, above: f64, aside: f64, wide: f64, radius: f64) -> Volume {
    if below <= -radius || above <= -radius || aside >= wide + radius {
        return Volume::default();
    }
    if aside + radius <= wide {
        return exact(slab_volume(radius, below, above));
    }
    let reaches = [(aside - wide).abs(), aside + wide];
    integrate(radius, -below, above, &reaches, |reach| disc_and_disc(reach, wide, aside))
}

fn exact(value: f64) -> Volume {
    Volume { value, error: 0.0 }
}

fn slab_volume(radius: f64, below: f64, above: f64) -> f64 {
    (segment_volume(radius, below) + segment_volume(radius, above) - sphere_volume(radius)).max(0.0)
}

/// Integral of a section over the height z from `low` to `high` within a sphere. `section` is the area for a disc of the
/// radius that the sphere has there; `reaches` are the radii at which its form changes.
fn integrate(radius: f64, low: f64, high: f64, reaches: &[f64], section: impl Fn(f64) -> f64) -> Volume {
    // With z = r sin(t) the disc's radius r cos(t) is smooth up to the poles.
    let angle = |z: f64| {
        let z = z.clamp(-radius, radius);
        math::atan2(z, (radius * radius - z * z).max(0.0).sqrt())
    };
    let (from, to) = (angle(low), angle(high));
    // At the equator the disc is widest: where it just reaches a side there, both pieces that meet are smooth.
    let mut ends = vec![from, to];
    ends.extend([0.0].into_iter().filter(|t| (from..to).contains(t)));
    for &reach in reaches.iter().filter(|&&reach| reach < radius) {
        let t = math::atan2((radius * radius - reach * reach).sqrt(), reach);
        ends.extend([-t, t].into_iter().filter(|t| (from..to).contains(t)));
    }
    ends.sort_unstable_by(f64::total_cmp);
    let value = |t: f64| {
        let reach = radius * math::cos(t);
        section(reach.max(0.0)) * reach
    };
    let (mut coarse, mut fine) = (0.0, 0.0);
    for pair in ends.windows(2) {
        let (middle, half) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
        // A section grows like the 3/2th power of the distance from where its form changes; this makes it a whole power.
        let smooth = |s: f64| half * 1.5 * (1.0 - s * s) * value(middle + half * 0.5 * s * (3.0 - s * s));
        coarse += gauss(-1.0, 1.0, smooth);
        fine += gauss(-1.0, 0.0, smooth) + gauss(0.0, 1.0, smooth);
    }
    Volume { value: fine.max(0.0), error: (fine - coarse).abs() }
}

/// Gauss' rule of 8 points.
fn gauss(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const NODES: [(f64, f64); 4] = [
        (0.183_434_642_495_649_8, 0.362_683_783_378_362),
        (0.525_532_409_916_329, 0.313_706_645_877_887_3),
        (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
        (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
    ];
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    half * NODES.iter().map(|(x, w)| w * (f(middle - half * x) + f(middle + half * x))).sum::<f64>()
}

/// Area of a disc about the origin within a rectangle.
fn disc_and_rectangle(radius: f64, low: DVec2, high: DVec2) -> f64 {
    let part = |x: f64, y: f64| disc_and_quadrant(radius, x, y);
    (part(high.x, high.y) - part(low.x, high.y) - part(high.x, low.y) + part(low.x, low.y)).max(0.0)
}

/// Area of the points of a disc about the origin that lie left of x and below y.
fn disc_and_quadrant(radius: f64, x: f64, y: f64) -> f64 {
    let x = x.clamp(-radius, radius);
    let y = y.clamp(-radius, radius);
    let half = |t: f64| (radius * radius - t * t).max(0.0).sqrt();
    // Integral of the half chord from 0 to t.
    let under = |t: f64| 0.5 * (t * half(t) + radius * radius * math::atan2(t, half(t)));
    // Between -c and c the line at y cuts the disc; beyond, all of the chord is below it (y > 0) or none.
    let c = half(y);
    let inner = x.clamp(-c, c);
    let cut = y * (inner + c) + under(inner) - under(-c);
    let whole = if y > 0.0 {
        let left = 2.0 * (under(x.min(-c)) - under(-radius));
        left + 2.0 * (under(x.max(c)) - under(c))
    } else {
        0.0
    };
    whole + if x > -c { cut } else { 0.0 }
}

/// Area that two discs share whose centres are `apart`.
fn disc_and_disc(a: f64, b: f64, apart: f64) -> f64 {
    let least = a.min(b);
    if apart >= a + b {
        return 0.0;
    }
    if apart <= (a - b).abs() {
        return PI * least * least;
    }
    // Distances from the centres to the common chord, and half of the chord.
    let from_a = (apart * apart + a * a - b * b) / (2.0 * apart);
    let half = (a * a - from_a * from_a).max(0.0).sqrt();
    let from_b = apart - from_a;
    a * a * math::atan2(half, from_a) + b * b * math::atan2(half, from_b) - apart * half
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Volume, expected: f64) {
        // The estimate bounds the error, up to the rounding of some hundred terms of size 1; and it is itself small.
        let off = (found.value - expected).abs();
        assert!(off <= found.error + 1e-13 && off < 1e-8 && found.error < 2e-5, "{off:e} {found:?} {expected}");
    }

    fn block(from: [f64; 3], to: [f64; 3]) -> Region {
        Region::Box { from: from.into(), to: to.into() }
    }

    #[test]
    fn one_plane_is_exact() {
        let region = block([-9.0, -9.0, 0.0], [9.0, 9.0, 9.0]);
        for d in [-0.7, 0.0, 0.3] {
            // Cap of height h = 1 + d: pi h^2 (3 - h)/3.
            let h = 1.0 + d;
            let found = region.overlap(DVec3::new(1.0, 2.0, d), 1.0);
            assert!((found.value - PI * h * h * (3.0 - h) / 3.0).abs() < 1e-15 && found.error == 0.0);
        }
        assert_eq!(region.overlap(DVec3::new(0.0, 0.0, 4.0), 1.0).value, sphere_volume(1.0));
        assert_eq!(region.overlap(DVec3::new(0.0, 0.0, -1.5), 1.0), Volume::default());
        let slab = block([-9.0, -9.0, -0.1], [9.0, 9.0, 0.2]);
        // Integral of pi (1 - z^2) from -0.1 to 0.2.
        near(slab.overlap(DVec3::ZERO, 1.0), PI * (0.3 - (0.008 + 0.001) / 3.0));
    }

    #[test]
    fn edges_and_corners_cut_quarters_and_eighths() {
        near(block([0.0, 0.0, -9.0], [9.0, 9.0, 9.0]).overlap(DVec3::ZERO, 1.0), PI / 3.0);
        near(block([0.0, -9.0, 0.0], [9.0, 9.0, 9.0]).overlap(DVec3::ZERO, 1.0), PI / 3.0);
        near(block([0.0; 3], [9.0; 3]).overlap(DVec3::ZERO, 1.0), PI / 6.0);
        // A cube inside the sphere: all of the cube.
        near(block([-0.3, -0.2, -0.1], [0.4, 0.5, 0.3]).overlap(DVec3::ZERO, 1.0), 0.7 * 0.7 * 0.4);
    }

    /// Planes through a point anywhere in the sphere make eight boxes, which share it out without rest.
    #[test]
    fn eight_boxes_share_a_sphere_out() {
        for at in [[0.2, -0.3, 0.4], [0.9, 0.1, 0.0], [-0.55, -0.6, 0.5], [0.0, 0.0, 0.99]] {
            let mut sum = 0.0;
            for corner in 0..8 {
                let (mut from, mut to) = (at, at);
                for k in 0..3 {
                    if corner >> k & 1 == 0 { from[k] = -5.0 } else { to[k] = 5.0 }
                }
                sum += block(from, to).overlap(DVec3::ZERO, 1.0).value;
            }
            assert!((sum - sphere_volume(1.0)).abs() < 1e-8, "{at:?}: {sum}");
        }
    }

    /// A cylinder through the middle takes 4/3 pi (r^3 - (r^2 - R^2)^(3/2)); Viviani's, of half the radius and touching the
    /// axis, takes (2/9)(3 pi - 4) r^3.
    #[test]
    fn cylinders_take_their_closed_forms() {
        let through = |radius: f64, x: f64| Region::Cylinder {
            base: DVec3::new(x, 0.0, -5.0),
            axis: DVec3::Z,
            radius,
            length: 10.0,
        };
        let inside = 1.0 - 0.36_f64;
        near(through(0.6, 0.0).overlap(DVec3::ZERO, 1.0), 4.0 / 3.0 * PI * (1.0 - inside * inside.sqrt()));
        near(through(0.5, 0.5).overlap(DVec3::ZERO, 1.0), 2.0 / 9.0 * (3.0 * PI - 4.0));
        assert_eq!(through(3.0, 0.5).overlap(DVec3::ZERO, 1.0).value, sphere_volume(1.0));
        assert_eq!(through(0.5, 1.5).overlap(DVec3::ZERO, 1.0).value, 0.0);
        // A huge one is a plane: its mantle bends by r^2/(2 R), and the volume by that times the section, at most.
        let wide = 1e7;
        let found = through(wide, wide - 0.3).overlap(DVec3::ZERO, 1.0).value;
        assert!((found - segment_volume(1.0, 0.3)).abs() < PI / (2.0 * wide) + 1e-6, "{found}");
    }

    #[test]
    fn points_are_in_or_out() {
        let region = Region::Cylinder { base: DVec3::ZERO, axis: DVec3::X, radius: 1.0, length: 2.0 };
        assert!(region.contains(DVec3::new(1.0, 0.7, 0.7)) && !region.contains(DVec3::new(1.0, 0.8, 0.7)));
        assert!(!region.contains(DVec3::new(2.1, 0.0, 0.0)));
        assert!((region.volume() - 2.0 * PI).abs() < 1e-15);
    }
}

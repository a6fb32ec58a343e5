//! The dynamic angle in a turning drum: the slope of the free surface across the axis, averaged over time.
//!
//! At each time the spheres on the surface (`surface.rs`) are taken in the plane across the drum's axis, and a line of
//! least absolute deviations (THEORY.md eq. 6.1) is put through the middle part of their span: at the ends the surface
//! bends along the wall, and at high speed it is an S. The angle is positive when the bed is carried along by a drum that
//! turns about its axis by the right-hand rule. Does not treat a drum whose axis is upright.

use glam::DVec3;

use super::TooFew;
use super::fit::{Line, least_absolute, quantile};
use super::surface::{SurfaceRule, surface};
use crate::math;

/// How a drum is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrumOptions {
    /// Against gravity; its part along the axis does not matter.
    pub up: DVec3,
    /// Unit vector along the axis.
    pub axis: DVec3,
    /// A point of the axis.
    pub centre: DVec3,
    /// The share of the surface's span, about its middle, through which the line goes: 0.6.
    pub middle: f64,
    /// Which spheres are on the surface.
    pub rule: SurfaceRule,
}

impl DrumOptions {
    /// The usual values for this drum.
    pub fn new(up: DVec3, axis: DVec3, centre: DVec3) -> Self {
        DrumOptions { up, axis: axis.normalize(), centre, middle: 0.6, rule: SurfaceRule::default() }
    }

    /// Unit vectors across and upward in the plane of the fit.
    fn frame(&self) -> Option<(DVec3, DVec3)> {
        let up = (self.up - self.axis * self.up.dot(self.axis)).try_normalize()?;
        Some((self.axis.cross(up), up))
    }
}

/// The surface at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct DrumSurface {
    /// Slope of the surface (rad), positive as the header says.
    pub angle: f64,
    /// Height over the place across, both from the axis.
    pub line: Line,
    /// Place across, height, and whether the line was fitted through it.
    pub points: Vec<(f64, f64, bool)>,
}

const FEWEST: usize = 8;

/// Measures the surface at one time. The slices have one entry a sphere.
pub fn drum_surface(positions: &[DVec3], radii: &[f64], options: &DrumOptions) -> Result<DrumSurface, TooFew> {
    let upright = TooFew { what: "directions across the axis (it is upright)", found: 0, needed: 1 };
    let (across, up) = options.frame().ok_or(upright)?;
    let kept = surface(positions, radii, up, options.rule);
    TooFew::check("surface spheres", kept.len(), FEWEST)?;
    let place = |i: &usize| ((positions[*i] - options.centre).dot(across), (positions[*i] - options.centre).dot(up));
    let places: Vec<(f64, f64)> = kept.iter().map(place).collect();
    let mut sorted: Vec<f64> = places.iter().map(|p| p.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    // The outermost spheres are few and lie anywhere on the wall.
    let (low, high) = (quantile(&sorted, 0.02), quantile(&sorted, 0.98));
    let (middle, half) = (0.5 * (low + high), 0.5 * options.middle * (high - low));
    let points: Vec<(f64, f64, bool)> = places.iter().map(|p| (p.0, p.1, (p.0 - middle).abs() <= half)).collect();
    let chosen: Vec<(f64, f64)> = points.iter().filter(|p| p.2).map(|p| (p.0, p.1)).collect();
    TooFew::check("surface spheres in the middle", chosen.len(), FEWEST)?;
    let line = least_absolute(&chosen, 1e-10).ok_or(TooFew { what: "places across", found: 1, needed: 2 })?;
    Ok(DrumSurface { angle: math::atan2(-line.slope, 1.0), line, points })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bed between a chord and the wall of a drum, on a lattice in the bed's own frame: the surface row is exactly
    /// straight, so the fit's accuracy of 1e-10 is what is left.
    fn bed(angle: f64, axis: DVec3, up: DVec3, centre: DVec3) -> Vec<DVec3> {
        let across = axis.cross(up);
        // A positive drum carries the bed towards -across at the bottom: the surface falls along `across`.
        let along = across * math::cos(angle) - up * math::sin(angle);
        let normal = across * math::sin(angle) + up * math::cos(angle);
        let mut places = Vec::new();
        for k in 0..6 {
            for i in -40..=40 {
                for j in 0..20 {
                    let (x, y) = (0.01 * f64::from(i), -0.05 - 0.01 * f64::from(j));
                    if (x * x + y * y).sqrt() < 0.3 {
                        places.push(centre + along * x + normal * y + axis * (0.01 * f64::from(k)));
                    }
                }
            }
        }
        places
    }

    #[test]
    fn a_tilted_bed_gives_its_angle_and_sign() {
        let centre = DVec3::new(1.0, -0.5, 0.2);
        for (axis, up) in [(DVec3::Y, DVec3::Z), (-DVec3::Y, DVec3::Z), (DVec3::X, -DVec3::Y)] {
            for angle in [0.45, -0.2] {
                let places = bed(angle, axis, up, centre);
                // Lattice distance 2 R: centres are within 1.5 R of the next row only where this is not the surface.
                let found =
                    drum_surface(&places, &vec![0.005; places.len()], &DrumOptions::new(up, axis, centre)).unwrap();
                assert!((found.angle - angle).abs() < 1e-8, "{angle}: {}", found.angle);
                // The chord lies 0.05 m from the axis.
                assert!((found.line.level + 0.05 / math::cos(angle)).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn an_upright_drum_is_refused() {
        let places = bed(0.3, DVec3::Y, DVec3::Z, DVec3::ZERO);
        let options = DrumOptions::new(DVec3::Z, DVec3::Z, DVec3::ZERO);
        assert!(drum_surface(&places, &vec![0.005; places.len()], &options).is_err());
    }
}

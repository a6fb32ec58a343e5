//! Ellipsoids and boxes in pictures: the renderer knows balls, so a body is drawn as many balls that touch its surface from
//! within. An ellipsoid's are as large as its sharpest curvature lets them be, and no larger than a fifth of its shortest axis
//! asks; a box has them along its faces, so that its edges look rounded by a tenth of its shortest edge.

use glam::DVec3;
use stickslip::math;
use stickslip::shape::Shape;

/// Balls on an ellipsoid.
const ON_ELLIPSOID: u32 = 3000;
/// Balls along the shortest edge of a box.
const ALONG_EDGE: f64 = 10.0;
/// The most along any edge.
const MOST_ALONG: f64 = 60.0;

/// Centres, in the body's frame, and radii.
pub fn balls(shape: &Shape) -> Vec<(DVec3, f64)> {
    match *shape {
        Shape::Ellipsoid { axes } => on_ellipsoid(axes),
        Shape::Box { size } => on_box(size * 0.5),
        _ => Vec::new(),
    }
}

fn on_ellipsoid(axes: DVec3) -> Vec<(DVec3, f64)> {
    let (least, most) = (axes.min_element(), axes.max_element());
    let radius = least * least / most;
    let mut balls = Vec::with_capacity(ON_ELLIPSOID as usize);
    for k in 0..ON_ELLIPSOID {
        // A spiral from pole to pole by the golden angle covers a sphere evenly.
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(ON_ELLIPSOID);
        let (across, angle) = ((1.0 - z * z).sqrt(), 2.399_963_229_728_653 * f64::from(k));
        let surface = axes * DVec3::new(across * math::cos(angle), across * math::sin(angle), z);
        let inward = -(surface / (axes * axes)).normalize();
        balls.push((surface + inward * radius, radius));
    }
    balls
}

fn on_box(half: DVec3) -> Vec<(DVec3, f64)> {
    let radius = 2.0 * half.min_element() / ALONG_EDGE;
    let inner = half - radius;
    let steps = (inner * 2.0 / radius).ceil().min(DVec3::splat(MOST_ALONG)).max(DVec3::ONE);
    let mut balls = Vec::new();
    for x in 0..=steps.x as u32 {
        for y in 0..=steps.y as u32 {
            for z in 0..=steps.z as u32 {
                let at = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                // Only those on a face are seen.
                if at.cmpeq(DVec3::ZERO).any() || at.cmpeq(steps).any() {
                    balls.push((inner * (at * 2.0 / steps - 1.0), radius));
                }
            }
        }
    }
    balls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_touch_the_surface_from_within() {
        let axes = DVec3::new(0.5, 0.3, 0.2);
        for (centre, radius) in balls(&Shape::Ellipsoid { axes }) {
            let nearest = stickslip::collide::ellipsoid_sphere::nearest_point(axes, centre);
            assert!(((nearest - centre).length() - radius).abs() < 1e-9);
        }
        let size = DVec3::new(0.5, 0.3, 0.2);
        let on_box = balls(&Shape::Box { size });
        assert!(on_box.iter().all(|(c, r)| (c.abs() + *r - size * 0.5).max_element().abs() < 1e-12));
        assert!(on_box.len() > 100 && balls(&Shape::Sphere { radius: 1.0 }).is_empty());
    }
}

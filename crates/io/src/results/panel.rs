//! Finite walls in the picture: where a ray meets a rectangle, a tube or a cone. All in the camera's frame (see `render.rs`).
//!
//! A wall never hides a grain. Seen from behind (a tube from outside), or where a grain stands behind it, it is glass; else
//! it is drawn like the ground. Rims are darker.

use glam::{Vec2, Vec3};

/// How wide a rim is drawn, in sizes of the scene.
const RIM: f32 = 0.006;

/// A finite wall.
#[derive(Clone, Copy, Debug)]
pub enum Panel {
    /// Half sides along two unit vectors about a point.
    Rectangle {
        /// Its middle.
        at: Vec3,
        /// Unit vector to its front.
        normal: Vec3,
        /// Unit vector along its first side.
        along: Vec3,
        /// Half of both sides.
        half: Vec2,
    },
    /// A line turned about an axis: tube or cone. Its front is the inside.
    Turned {
        /// The middle of the axis.
        at: Vec3,
        /// Unit vector.
        axis: Vec3,
        /// Radii at both ends.
        radii: [f32; 2],
        /// Half the length along the axis.
        half_length: f32,
    },
}

/// Where a ray meets a wall.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// Distance along the axis of view.
    pub depth: f32,
    /// Unit vector out of the side that is seen.
    pub normal: Vec3,
    /// Whether that is the front.
    pub front: bool,
    /// Whether it lies on the rim.
    pub rim: bool,
}

impl Panel {
    /// Calls `visit` wherever the ray from the eye meets the wall.
    pub fn meet(&self, ray: Vec3, mut visit: impl FnMut(Hit)) {
        match *self {
            Panel::Rectangle { at, normal, along, half } => {
                let facing = ray.dot(normal);
                let depth = at.dot(normal) / facing;
                let from = ray * depth - at;
                let place = Vec2::new(from.dot(along), from.dot(normal.cross(along))).abs();
                if depth > 0.0 && place.x <= half.x && place.y <= half.y {
                    let rim = (half - place).min_element() < RIM;
                    visit(Hit { depth, normal: normal * -facing.signum(), front: facing < 0.0, rim });
                }
            }
            Panel::Turned { at, axis, radii, half_length } if half_length > 0.0 => {
                meet_turned(ray, at, axis, radii, half_length, &mut visit);
            }
            Panel::Turned { at, axis, radii, .. } => {
                let facing = ray.dot(axis);
                let depth = at.dot(axis) / facing;
                let distance = (ray * depth - at).length();
                let (least, most) = (radii[0].min(radii[1]), radii[0].max(radii[1]));
                if depth > 0.0 && (least..=most).contains(&distance) {
                    let inside = if radii[1] > radii[0] { 1.0 } else { -1.0 };
                    let rim = most - distance < RIM || (least > 0.0 && distance - least < RIM);
                    visit(Hit { depth, normal: axis * -facing.signum(), front: facing * inside > 0.0, rim });
                }
            }
        }
    }

    /// Some points of it, for framing.
    pub fn points(&self) -> Vec<Vec3> {
        match *self {
            Panel::Rectangle { at, normal, along, half } => {
                let (u, w) = (along * half.x, normal.cross(along) * half.y);
                vec![at + u + w, at + u - w, at - u + w, at - u - w]
            }
            Panel::Turned { at, axis, radii, half_length } => {
                let (a, b) = axis.any_orthonormal_pair();
                let end = |sign: f32, radius: f32| {
                    let middle = at + axis * (sign * half_length);
                    let (c, d) = ((a + b).normalize(), (a - b).normalize());
                    [a, b, c, d].map(|v| [middle + v * radius, middle - v * radius]).concat()
                };
                [end(-1.0, radii[0]), end(1.0, radii[1])].concat()
            }
        }
    }
}

/// The roots of |p|^2 - z^2 = (r + s z)^2 along the ray, with p from the middle and z along the axis.
fn meet_turned(ray: Vec3, at: Vec3, axis: Vec3, radii: [f32; 2], half_length: f32, visit: &mut impl FnMut(Hit)) {
    let (radius, slope) = (0.5 * (radii[0] + radii[1]), 0.5 * (radii[1] - radii[0]) / half_length);
    let (ray_z, at_z, steep) = (ray.dot(axis), at.dot(axis), 1.0 + slope * slope);
    let a = ray.length_squared() - steep * ray_z * ray_z;
    let b = -ray.dot(at) + steep * ray_z * at_z - radius * slope * ray_z;
    let c = at.length_squared() - steep * at_z * at_z + 2.0 * radius * slope * at_z - radius * radius;
    let discriminant = b * b - a * c;
    if discriminant <= 0.0 || a == 0.0 {
        return;
    }
    for sign in [-1.0, 1.0] {
        let depth = (-b + sign * discriminant.sqrt()) / a;
        let from = ray * depth - at;
        let z = from.dot(axis);
        if depth > 0.0 && z.abs() <= half_length && radius + slope * z >= 0.0 {
            let outward = ((from - axis * z).normalize_or_zero() - axis * slope).normalize();
            let front = ray.dot(outward) > 0.0;
            let rim = (half_length - z.abs()) * steep.sqrt() < RIM;
            visit(Hit { depth, normal: if front { -outward } else { outward }, front, rim });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(panel: Panel, ray: Vec3) -> Vec<Hit> {
        let mut hits = Vec::new();
        panel.meet(ray, |hit| hits.push(hit));
        hits
    }

    #[test]
    fn rays_meet_walls_where_they_are() {
        let at = Vec3::Z * 5.0;
        let plate = Panel::Rectangle { at, normal: -Vec3::Z, along: Vec3::X, half: Vec2::new(1.0, 0.5) };
        let hit = hits(plate, Vec3::new(0.1, 0.0, 1.0))[0];
        assert!((hit.depth - 5.0).abs() < 1e-6 && hit.front && !hit.rim);
        assert!(hits(plate, Vec3::new(0.0, 0.2, 1.0)).is_empty());
        // A tube across the view: its near half from outside, its far half from inside.
        let tube = Panel::Turned { at, axis: Vec3::X, radii: [1.0, 1.0], half_length: 2.0 };
        let mut both = hits(tube, Vec3::Z);
        both.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        assert!((both[0].depth - 4.0).abs() < 1e-5 && !both[0].front);
        assert!((both[1].depth - 6.0).abs() < 1e-5 && both[1].front && both[1].normal.z < -0.99);
        // A cone: at its middle the mean radius.
        let cone = Panel::Turned { at, axis: Vec3::X, radii: [0.5, 1.5], half_length: 1.0 };
        let depths: Vec<f32> = hits(cone, Vec3::Z).iter().map(|hit| hit.depth).collect();
        assert!(depths.len() == 2 && depths.iter().any(|d| (d - 4.0).abs() < 1e-5), "{depths:?}");
        // A disc.
        let disc = Panel::Turned { at, axis: Vec3::Z, radii: [0.0, 1.0], half_length: 0.0 };
        assert_eq!(hits(disc, Vec3::new(0.1, 0.0, 1.0)).len(), 1);
        assert!(hits(disc, Vec3::new(0.3, 0.0, 1.0)).is_empty());
    }
}

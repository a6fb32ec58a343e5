//! Rotations: the exponential map and what advances an orientation.

use glam::{DQuat, DVec3};

use crate::math;

/// The rotation by the angle |v| about v (the exponential map).
pub fn rotation(v: DVec3) -> DQuat {
    let angle_squared = v.length_squared();
    // sin(a/2)/a and cos(a/2). Below a = 0.1 their series to a^8 is exact to the last bit or two, and much cheaper.
    let (cosine, sine_over_angle) = if angle_squared < 0.01 {
        let h = 0.25 * angle_squared;
        let sine = 0.5 * (1.0 - h / 6.0 * (1.0 - h / 20.0 * (1.0 - h / 42.0 * (1.0 - h / 72.0))));
        let cosine = 1.0 - h / 2.0 * (1.0 - h / 12.0 * (1.0 - h / 30.0 * (1.0 - h / 56.0)));
        (cosine, sine)
    } else {
        let angle = angle_squared.sqrt();
        (math::cos(0.5 * angle), math::sin(0.5 * angle) / angle)
    };
    let axis = v * sine_over_angle;
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine)
}

/// The orientation after turning by `v` (rad, world axes), kept at unit length.
pub fn turned(world_from_body: DQuat, v: DVec3) -> DQuat {
    (rotation(v) * world_from_body).normalize()
}

/// Two unit vectors that complete `n` to a right-handed frame (u, w, n) with w = n x u.
pub fn tangents(n: DVec3) -> (DVec3, DVec3) {
    let helper = if n.x.abs() < 0.6 { DVec3::X } else { DVec3::Y };
    let u = (helper - n * helper.dot(n)).normalize();
    (u, n.cross(u))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_meets_the_closed_form() {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        for angle in [1e-9_f64, 1e-3, 0.05, 0.0999] {
            let q = rotation(axis * angle);
            let expected = axis * math::sin(0.5 * angle);
            assert!((DVec3::new(q.x, q.y, q.z) - expected).length() < 1e-16);
            assert!((q.w - math::cos(0.5 * angle)).abs() < 3e-16);
        }
    }

    #[test]
    fn turning_twice_is_turning_by_the_sum_about_one_axis() {
        let axis = DVec3::new(0.3, 0.4, -0.2).normalize();
        let q = turned(turned(DQuat::IDENTITY, axis * 0.03), axis * 0.4);
        let expected = rotation(axis * 0.43);
        assert!((q.xyz() - expected.xyz()).length() < 1e-15);
    }
}

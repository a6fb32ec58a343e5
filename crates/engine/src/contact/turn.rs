//! How a pair turns in a step (THEORY.md eqs. 2.5 and 2.6). It carries no vector by itself: see `Contact::transport`.

use glam::DVec3;

/// How a pair turned in a step: what laws need to carry vectors along, worked out once for all of them.
///
/// The least rotation that takes the unit vector `from` to `to` takes a vector x tangent at `from` to
/// x - (from + to) (x . to)/(1 + from . to) (THEORY.md eq. 2.5); the memory also turns about the normal with the mean
/// spin of the pair (eq. 2.6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// (n0 + n1)/(1 + n0 . n1).
    pub from_before: DVec3,
    /// (m + n1)/(1 + m . n1), with the mid-step normal m.
    pub from_mid: DVec3,
    /// Cosine of the angle of mean spin.
    pub cosine: f64,
    /// Its sine.
    pub sine: f64,
    /// Cosine of half that angle.
    pub half_cosine: f64,
    /// Its sine.
    pub half_sine: f64,
}

impl Turn {
    /// The mid-step normal m, then (n0 + n1)/(1 + n0 . n1) and (m + n1)/(1 + m . n1).
    #[inline(always)]
    pub fn of_normals(before: DVec3, now: DVec3) -> (DVec3, DVec3, DVec3) {
        let sum = before + now;
        // With h = m . n1, the cosine of half the angle: 1 + n0 . n1 = 2 h^2 and |n0 + n1| = 2 h. One root and one division,
        // which gives 1/h and 1/(1 + h), do for all three.
        let h = (0.5 + 0.5 * before.dot(now)).sqrt();
        let inverse = 1.0 / (h * (1.0 + h));
        let half_inverse_h = 0.5 * (1.0 + h) * inverse;
        let mid = sum * half_inverse_h;
        (mid, sum * (2.0 * half_inverse_h * half_inverse_h), (mid + now) * (h * inverse))
    }

    /// Cosine and sine of half the angle by which the pair spins about the mid-step normal, from the sum of its two
    /// angular velocities.
    #[inline(always)]
    pub fn of_half_spin(mid: DVec3, angular_velocity_sum: DVec3, dt: f64) -> (f64, f64) {
        // The tangent p/q of a quarter of the angle by its Pade form, good to the last bit for any angle a step may have;
        // the rotation it gives keeps lengths for any angle at all. The mean spin is half the sum.
        let h = 0.125 * dt * angular_velocity_sum.dot(mid);
        let h2 = h * h;
        let p = h * (945.0 - h2 * (105.0 - h2));
        let q = 945.0 - h2 * (420.0 - 15.0 * h2);
        let scale = 1.0 / (q * q + p * p);
        ((q * q - p * p) * scale, 2.0 * p * q * scale)
    }

    /// Cosine and sine of twice an angle.
    #[inline(always)]
    pub fn double_angle(cosine: f64, sine: f64) -> (f64, f64) {
        (cosine * cosine - sine * sine, 2.0 * cosine * sine)
    }

    /// The mid-step normal and the turn, from the normals before and now and the sum of the two angular velocities.
    pub fn new(before: DVec3, now: DVec3, angular_velocity_sum: DVec3, dt: f64) -> (DVec3, Self) {
        let (mid, from_before, from_mid) = Turn::of_normals(before, now);
        let (half_cosine, half_sine) = Turn::of_half_spin(mid, angular_velocity_sum, dt);
        let (cosine, sine) = Turn::double_angle(half_cosine, half_sine);
        (mid, Turn { from_before, from_mid, cosine, sine, half_cosine, half_sine })
    }
}

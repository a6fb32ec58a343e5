//! Four numbers at a time: three coordinates and the number that stands beside them in a `Mover` or a `Load`. Written out one by one, so
//! that the compiler makes one vector instruction of each; what becomes of the fourth number seldom matters.

use glam::DVec3;

/// Three coordinates and a number beside them.
pub type Quad = [f64; 4];

/// A vector and what stands beside it.
#[inline(always)]
pub fn quad(v: DVec3, beside: f64) -> Quad {
    [v.x, v.y, v.z, beside]
}

/// a + b.
#[inline(always)]
pub fn plus(a: Quad, b: Quad) -> Quad {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

/// a - b.
#[inline(always)]
pub fn minus(a: Quad, b: Quad) -> Quad {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

/// a s.
#[inline(always)]
pub fn scaled(a: Quad, s: f64) -> Quad {
    [a[0] * s, a[1] * s, a[2] * s, a[3] * s]
}

/// a + b s.
#[inline(always)]
pub fn add_scaled(a: Quad, b: Quad, s: f64) -> Quad {
    plus(a, scaled(b, s))
}

/// The lesser of each two; of what is not a number, either.
#[inline(always)]
pub fn least(a: Quad, b: Quad) -> Quad {
    let pick = |k: usize| if a[k] < b[k] { a[k] } else { b[k] };
    [pick(0), pick(1), pick(2), pick(3)]
}

/// The greater of each two; of what is not a number, either.
#[inline(always)]
pub fn most(a: Quad, b: Quad) -> Quad {
    let pick = |k: usize| if a[k] > b[k] { a[k] } else { b[k] };
    [pick(0), pick(1), pick(2), pick(3)]
}

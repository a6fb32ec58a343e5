//! The exact projection on the intersection of the cones of slide, roll and spin (THEORY.md eq. 8.3):
//!
//! ```text
//!   C: mu n >= |l_1|, rho n >= |l_2|, sigma n >= |l_3|       psi'(y)/2 = y - n + sum_i c_i min(0, c_i y - |l_i|) = 0
//! ```
//!
//! The root y is the projected n. With all cones active y is bounded from below; those that then hold are taken out, which only
//! raises y, so none comes back: at most four passes, no sorting. The projection is Euclidean; another metric that is constant
//! within each group is this one after scaling (`scale.rs`).
//!
//! Does not do: cones one after the other, which is no projection on what they share.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How far friction reaches, over the impulse along the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cones {
    /// mu: |g_T| <= mu g_n.
    pub slide: f64,
    /// rho (m): |t_T| <= rho g_n.
    pub roll: f64,
    /// sigma (m): |t_n| <= sigma g_n.
    pub spin: f64,
}

impl Cones {
    /// Whether turning is resisted: else a contact has three rows.
    #[inline(always)]
    pub fn resist_turning(&self) -> bool {
        self.roll > 0.0 || self.spin > 0.0
    }

    /// A(u) = mu |u_T| + rho |w_T| + sigma |w_n|: the least opening speed of the convex relaxation, which the exact law takes off again.
    #[inline(always)]
    pub fn opening(&self, u: &Split) -> f64 {
        self.slide * u.slide.length() + self.roll * u.roll.length() + self.spin * u.spin.abs()
    }

    /// By how much an impulse lies outside (N s): 0 inside.
    pub fn violation(&self, g: &Split) -> f64 {
        let beyond = |size: f64, ratio: f64| size - ratio * g.normal;
        let slide = beyond(g.slide.length(), self.slide);
        let turning = beyond(g.roll.length(), self.roll).max(beyond(g.spin.abs(), self.spin));
        slide.max(turning).max(-g.normal).max(0.0)
    }

    /// Cuts an impulse down to what the cones bear at its part along the normal: for warm starts, where a projection would raise that.
    pub fn cut(&self, g: &Split) -> Split {
        let normal = g.normal.max(0.0);
        let cut = |size: f64, ratio: f64| if size > ratio * normal { ratio * normal / size } else { 1.0 };
        Split {
            normal,
            slide: g.slide * cut(g.slide.length(), self.slide),
            spin: g.spin * cut(g.spin.abs(), self.spin),
            roll: g.roll * cut(g.roll.length(), self.roll),
        }
    }
}

/// A number for each row of a contact, as the cones see them: impulses, or velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Split {
    /// Along the normal.
    pub normal: f64,
    /// In the tangent plane, world axes.
    pub slide: DVec3,
    /// About the normal.
    pub spin: f64,
    /// About tangents, world axes.
    pub roll: DVec3,
}

impl Split {
    /// Of a vector and an axial vector.
    #[inline(always)]
    pub fn new(normal: DVec3, linear: DVec3, angular: DVec3) -> Self {
        let (along, about) = (linear.dot(normal), angular.dot(normal));
        Split { normal: along, slide: linear - normal * along, spin: about, roll: angular - normal * about }
    }

    /// The vector of its first three rows.
    #[inline(always)]
    pub fn linear(&self, normal: DVec3) -> DVec3 {
        normal * self.normal + self.slide
    }

    /// The axial vector of its last three rows.
    #[inline(always)]
    pub fn angular(&self, normal: DVec3) -> DVec3 {
        normal * self.spin + self.roll
    }

    /// Each group times a number of its own: normal, slide, roll, spin.
    #[inline(always)]
    pub fn times(&self, by: [f64; 4]) -> Split {
        Split {
            normal: self.normal * by[0],
            slide: self.slide * by[1],
            roll: self.roll * by[2],
            spin: self.spin * by[3],
        }
    }

    /// The sum of the two, the other times a number.
    #[inline(always)]
    pub fn plus(&self, other: &Split, by: f64) -> Split {
        Split {
            normal: self.normal + other.normal * by,
            slide: self.slide + other.slide * by,
            spin: self.spin + other.spin * by,
            roll: self.roll + other.roll * by,
        }
    }

    /// The sum of products, row by row.
    #[inline(always)]
    pub fn dot(&self, other: &Split) -> f64 {
        self.normal * other.normal + self.slide.dot(other.slide) + self.spin * other.spin + self.roll.dot(other.roll)
    }
}

/// The point of the cones nearest to `x`.
#[inline(always)]
pub fn project(x: &Split, cones: &Cones) -> Split {
    let sizes = [x.slide.length(), x.roll.length(), x.spin.abs()];
    let Some(Root { y, active, .. }) = root(x.normal, sizes, cones) else { return Split::default() };
    let ratios = [cones.slide, cones.roll, cones.spin];
    let keep = |k: usize| if active[k] { ratios[k] * y / sizes[k] } else { 1.0 };
    Split { normal: y, slide: x.slide * keep(0), roll: x.roll * keep(1), spin: x.spin * keep(2) }
}

/// Where psi' vanishes.
struct Root {
    /// The projected n.
    y: f64,
    /// Which of slide, roll and spin are cut down to their cones.
    active: [bool; 3],
    /// 1 + sum of c_i^2 over those.
    d: f64,
}

/// The root for these sizes of slide, roll and spin; none in the polar cone.
#[inline(always)]
fn root(normal: f64, sizes: [f64; 3], cones: &Cones) -> Option<Root> {
    let ratios = [cones.slide, cones.roll, cones.spin];
    let mut active = [true; 3];
    loop {
        let (mut a, mut d) = (normal, 1.0);
        for k in 0..3 {
            if active[k] {
                a += ratios[k] * sizes[k];
                d += ratios[k] * ratios[k];
            }
        }
        // In the polar cone; only the first pass can find it.
        if a <= 0.0 {
            return None;
        }
        let y = a / d;
        let before = active;
        for k in 0..3 {
            active[k] &= ratios[k] * y < sizes[k];
        }
        if active == before {
            return Some(Root { y, active, d });
        }
    }
}

/// The derivative of the projection at one point (THEORY.md eq. 8.10): symmetric, with eigenvalues from 0 to 1. Where cones
/// begin or cease to be active it has a jump; it is then that of the side on which they are not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slope {
    /// 0 in the polar cone, else 1.
    inside: f64,
    /// Coefficient of each active cone, 0 of the others: slide, roll, spin.
    ratios: [f64; 3],
    /// By how much each is cut: c_i y/|l_i|, 1 where it is not.
    keep: [f64; 3],
    /// e_i = l_i/|l_i|.
    slide: DVec3,
    roll: DVec3,
    spin: f64,
    d: f64,
}

impl Slope {
    /// That at `x`.
    pub fn of(x: &Split, cones: &Cones) -> Slope {
        let sizes = [x.slide.length(), x.roll.length(), x.spin.abs()];
        let Some(Root { y, active, d }) = root(x.normal, sizes, cones) else { return Slope::default() };
        let ratios = [cones.slide, cones.roll, cones.spin];
        let each = |of: &dyn Fn(usize) -> f64, or: f64| [0, 1, 2].map(|k| if active[k] { of(k) } else { or });
        let unit = each(&|k| 1.0 / sizes[k], 0.0);
        Slope {
            inside: 1.0,
            ratios: each(&|k| ratios[k], 0.0),
            keep: each(&|k| ratios[k] * y / sizes[k], 1.0),
            slide: x.slide * unit[0],
            roll: x.roll * unit[1],
            spin: x.spin * unit[2],
            d,
        }
    }

    /// What a small change of the point does to its projection: dy = (dn + sum c_i e_i . dl_i)/d, and
    /// dp_i = c_i e_i dy + (c_i y/|l_i|) (1 - e_i e_i') dl_i of active cones.
    pub fn apply(&self, dx: &Split) -> Split {
        let along = [self.slide.dot(dx.slide), self.roll.dot(dx.roll), self.spin * dx.spin];
        let [mu, rho, sigma] = self.ratios;
        let dy = self.inside * (dx.normal + mu * along[0] + rho * along[1] + sigma * along[2]) / self.d.max(1.0);
        let [slide, roll, spin] = self.keep;
        Split {
            normal: dy,
            slide: self.slide * (mu * dy - slide * along[0]) + dx.slide * (self.inside * slide),
            roll: self.roll * (rho * dy - roll * along[1]) + dx.roll * (self.inside * roll),
            spin: self.spin * (sigma * dy - spin * along[2]) + dx.spin * (self.inside * spin),
        }
    }
}

//! Friction whose limit depends on the direction: rolling about an axis and across it, and sliding and spinning that share one
//! limit (Coulomb-Contensou). Both are ellipses E in place of discs and intervals:
//!
//! ```text
//!   (r_a/rho_a)^2 + (r_b/rho_b)^2 <= n^2,      (|g_T|/mu)^2 + (t_n/sigma)^2 <= n^2
//!   psi'(y) = y - n - sum_E k_E(y) = 0,        sum_i (a_i x_i/(y a_i^2 + k))^2 = 1,   p_i = x_i y a_i^2/(y a_i^2 + k)
//! ```
//!
//! with the half axes a of each ellipse (THEORY.md eq. 8.11). k_E(y) = 0 where x lies in y E. For a disc k = a |x| - a^2 y, which is
//! the closed form of `project.rs`. Both roots are found by Newton's method in a bracket.
//!
//! Does not do: ellipses with more than two different half axes (the tangent plane slides alike in every direction).

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::project::{Cones, Slope, Split, project};

/// The most steps of a search for a root; a bracket of floating-point numbers is halved to nothing in fewer.
const MOST_STEPS: u32 = 200;

/// What makes cones ellipses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ellipse {
    /// Rolling about `axis` (a unit tangent) is resisted up to this (m), across it up to `Cones::roll`. None: alike.
    pub roll: Option<AxisRoll>,
    /// Sliding and spinning share one limit, an ellipse with the half axes `Cones::slide` and `Cones::spin`.
    pub coupled: bool,
}

/// Rolling friction about an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AxisRoll {
    /// Unit tangent of the contact.
    pub axis: DVec3,
    /// |t_axis| <= length times the normal impulse (m).
    pub length: f64,
}

/// How far the friction of a contact reaches, whatever its form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Coefficients; of rolling across the axis where there is one.
    pub cones: Cones,
    /// What makes them ellipses.
    pub ellipse: Option<Ellipse>,
}

impl From<Cones> for Limits {
    fn from(cones: Cones) -> Self {
        Limits { cones, ellipse: None }
    }
}

/// A point of two coordinates and the half axes of its ellipse, both not negative.
#[derive(Clone, Copy)]
struct Group {
    x: [f64; 2],
    half_axes: [f64; 2],
}

impl Limits {
    /// The same for impulses whose groups are scaled: normal, slide, roll, spin times `inverse_root`.
    #[inline(always)]
    pub fn scaled(&self, cones: &Cones, root: &[f64; 4], inverse_root: &[f64; 4]) -> Limits {
        let with_axis = |ellipse: Ellipse| Ellipse {
            roll: ellipse.roll.map(|roll| AxisRoll { length: roll.length * root[0] * inverse_root[2], ..roll }),
            ..ellipse
        };
        Limits { cones: *cones, ellipse: self.ellipse.map(with_axis) }
    }

    /// Whether turning is resisted: else a contact has three rows.
    #[inline(always)]
    pub fn resist_turning(&self) -> bool {
        self.cones.resist_turning() || self.ellipse.is_some()
    }

    /// The point of the cones nearest to `x`.
    #[inline(always)]
    pub fn project(&self, x: &Split) -> Split {
        match &self.ellipse {
            None => project(x, &self.cones),
            Some(ellipse) => self.project_on_ellipses(x, ellipse),
        }
    }

    /// What a small change of `x` does to its projection: exact for cones, by central differences for ellipses.
    pub fn slope(&self, x: &Split) -> impl Fn(&Split) -> Split {
        let (slope, limits, x) = (Slope::of(x, &self.cones), *self, *x);
        move |dx| {
            if limits.ellipse.is_none() {
                return slope.apply(dx);
            }
            // The cube root of the rounding error is the best step of a central difference.
            let by = 6e-6 * x.dot(&x).sqrt().max(f64::MIN_POSITIVE);
            let [after, before] = [by, -by].map(|by| limits.project(&x.plus(dx, by)));
            after.plus(&before, -1.0).times([0.5 / by; 4])
        }
    }

    /// A(u): the support function of the ellipses.
    #[inline(always)]
    pub fn opening(&self, u: &Split) -> f64 {
        match &self.ellipse {
            None => self.cones.opening(u),
            Some(ellipse) => self.groups(u, ellipse).iter().map(Group::support).sum(),
        }
    }

    /// Cuts an impulse down to what its part along the normal bears: the nearest point of the discs or ellipses of that size.
    #[inline(always)]
    pub fn cut(&self, g: &Split) -> Split {
        match &self.ellipse {
            None => self.cones.cut(g),
            Some(ellipse) => self.at(g, ellipse, g.normal.max(0.0)),
        }
    }

    /// By how much an impulse lies outside (N s): 0 inside.
    pub fn violation(&self, g: &Split) -> f64 {
        let off = g.plus(&self.cut(g), -1.0);
        if self.ellipse.is_none() { self.cones.violation(g) } else { off.dot(&off).sqrt() }
    }

    /// The ellipses of an impulse: of slide and spin, of roll.
    fn groups(&self, x: &Split, ellipse: &Ellipse) -> [Group; 3] {
        let Cones { slide, roll, spin } = self.cones;
        let (length, turn) = (x.slide.length(), x.spin.abs());
        let disc = |x: f64, half_axis: f64| Group { x: [x, 0.0], half_axes: [half_axis, 0.0] };
        let [first, second] = if ellipse.coupled {
            [Group { x: [length, turn], half_axes: [slide, spin] }, disc(0.0, 0.0)]
        } else {
            [disc(length, slide), disc(turn, spin)]
        };
        let third = match &ellipse.roll {
            None => disc(x.roll.length(), roll),
            Some(about) => {
                let along = x.roll.dot(about.axis);
                let across = (x.roll - about.axis * along).length();
                Group { x: [along.abs(), across], half_axes: [about.length, roll] }
            }
        };
        [first, second, third]
    }

    fn project_on_ellipses(&self, x: &Split, ellipse: &Ellipse) -> Split {
        let groups = self.groups(x, ellipse);
        let top = x.normal + groups.iter().map(Group::support).sum::<f64>();
        if top <= 0.0 {
            return Split::default();
        }
        // psi' is not positive at `low` and not negative at `high`.
        let (mut low, mut high) = (x.normal.max(0.0), top);
        let mut y = low;
        for _ in 0..MOST_STEPS {
            let (mut value, mut slope) = (y - x.normal, 1.0);
            for group in &groups {
                let (k, rate) = group.multiplier(y);
                value -= k;
                slope -= rate;
            }
            if value <= 0.0 {
                low = y;
            } else {
                high = y;
            }
            let newton = y - value / slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if next == y || (next - y).abs() <= f64::EPSILON * y {
                y = next;
                break;
            }
            y = next;
        }
        self.at(x, ellipse, y)
    }

    /// The point nearest to `x` among those whose part along the normal is `y`.
    fn at(&self, x: &Split, ellipse: &Ellipse, y: f64) -> Split {
        let [first, second, third] = self.groups(x, ellipse).map(|group| group.shares(y));
        let spin = if ellipse.coupled { first[1] } else { second[0] };
        let roll = match &ellipse.roll {
            None => x.roll * third[0],
            Some(about) => {
                let along = about.axis * x.roll.dot(about.axis);
                along * third[0] + (x.roll - along) * third[1]
            }
        };
        Split { normal: y, slide: x.slide * first[0], spin: x.spin * spin, roll }
    }
}

impl Group {
    /// The support function of the ellipse at x: |a x|.
    fn support(&self) -> f64 {
        let [p, q] = [0, 1].map(|i| self.half_axes[i] * self.x[i]);
        (p * p + q * q).sqrt()
    }

    /// k(y), with its derivative: 0 where the point is in y E.
    fn multiplier(&self, y: f64) -> (f64, f64) {
        let terms = |k: f64| {
            let (mut sum, mut cubes, mut rates) = (0.0, 0.0, 0.0);
            for (x, a) in self.x.into_iter().zip(self.half_axes) {
                if a > 0.0 && x > 0.0 {
                    let below = y * a * a + k;
                    let square = (a * x / below) * (a * x / below);
                    (sum, cubes, rates) = (sum + square, cubes + square / below, rates + square * a * a / below);
                }
            }
            (sum, cubes, rates)
        };
        // Each term alone would need so much: together they need more, and no more than the support.
        let alone = |i: usize| self.half_axes[i] * (self.x[i] - y * self.half_axes[i]);
        let (mut low, mut high) = (alone(0).max(alone(1)).max(0.0), self.support());
        if high == 0.0 || terms(0.0).0 <= 1.0 {
            return (0.0, 0.0);
        }
        let mut k = low;
        for _ in 0..MOST_STEPS {
            let (sum, cubes, _) = terms(k);
            if sum >= 1.0 {
                low = k;
            } else {
                high = k;
            }
            // Newton's step for 1 - 1/sqrt(sum), which is nearly straight.
            let newton = k + sum * (sum.sqrt() - 1.0) / cubes;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if next == k || (next - k).abs() <= f64::EPSILON * k {
                k = next;
                break;
            }
            k = next;
        }
        let (_, cubes, rates) = terms(k);
        (k, -rates / cubes)
    }

    /// p_i/x_i of the nearest point of y E.
    fn shares(&self, y: f64) -> [f64; 2] {
        let (k, _) = self.multiplier(y);
        self.half_axes
            .map(|a| if k == 0.0 && y * a > 0.0 { 1.0 } else { y * a * a / (y * a * a + k).max(f64::MIN_POSITIVE) })
    }
}

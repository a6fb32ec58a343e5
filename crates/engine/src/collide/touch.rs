//! Where two shapes touch, or nearly do: a pair is given, and out come its touches as values. Pure geometry: no motion, no
//! mass, no law, no memory. The formulas are in the files of the pairs.
//!
//! **Who touches.** A touch is reported where the surfaces are nearer than `within`; those that touch are found with
//! `within = 0`. Two spheres are compared by squares, `|x_a - x_b|^2 < (R_a + R_b + within)^2`, as the vector kernel does:
//! within 4 ulp of touching squares and roots disagree for one pair in twenty. So the gap of a touch that was found with
//! `within = 0` may be a few ulp above 0. All other pairs are compared by the gap itself, `gap < within`.
//!
//! **Seams** between walls are not known to a pair: `seams.rs` settles them over all touches of one body.
//!
//! Does not do: more than one touch of a sphere with a wall (`Wall::wraps` says where there would be more); pairs of an
//! ellipsoid or a box with a rectangle, tube or cone: these report none (`solid::is_touched`).

use std::ops::Deref;

use glam::DVec3;

use crate::collide::normal_mass::{Separation, Yields, normal_mass};
use crate::collide::posed::Posed;
use crate::collide::{solid, sphere_sphere, sphere_wall};
use crate::contact::Curvature;
use crate::shape::Part;

/// The largest number of touches of one pair: the corners of a box.
pub const MOST_TOUCHES: usize = 8;

/// How a gap closes that is no distance between two points fixed to the bodies, as of overlapping polygons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closing {
    /// The gap's rate over the separation rate at `arm`.
    pub factor: f64,
    /// From the centres of a and b to the point whose velocities count (m).
    pub arm: [DVec3; 2],
}

/// One point where two surfaces are near. World axes. A pair may have several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Which of the places where the pair may touch. Corner k of a box on a plane has the signs of its bits; a sphere behind a
    /// rectangle, tube or cone has 1, in front of it 0: in one large step its centre may cross; those of two boxes are in
    /// `box_box.rs`; all others have 0. Below 4096.
    pub feature: u32,
    /// What kind of place it is on a, and on b.
    pub part: [Part; 2],
    /// Unit vector from b to a.
    pub normal: DVec3,
    /// Distance between the surfaces along the normal (m), minus the overlap. See the header for its sign in a live contact.
    pub gap: f64,
    /// From each body's centre, b at its image, to the point midway between the surfaces (m).
    pub arm: [DVec3; 2],
    /// Principal curvatures of a and b: geometry, so they may be 0, or negative inside a tube or cone. 0 where `part` is not
    /// smooth: there is none.
    pub curvature: [Curvature; 2],
    /// R_eff (m), by the table in `collide/mod.rs`.
    pub radius_eff: f64,
    /// How the gap closes, where this is not the separation rate at the point.
    pub closing: Option<Closing>,
}

impl Touch {
    /// Returns how deep the surfaces are in each other (m), negative where they are apart.
    #[inline]
    pub fn overlap(&self) -> f64 {
        -self.gap
    }

    /// Returns the same touch with a and b exchanged.
    pub fn turned(self) -> Touch {
        let swap = |closing: Closing| Closing { arm: [closing.arm[1], closing.arm[0]], ..closing };
        Touch {
            part: [self.part[1], self.part[0]],
            normal: -self.normal,
            arm: [self.arm[1], self.arm[0]],
            curvature: [self.curvature[1], self.curvature[0]],
            closing: self.closing.map(swap),
            ..self
        }
    }

    /// Returns the vector from a's centre to the point of b's surface (m).
    #[inline]
    pub fn foot(&self) -> DVec3 {
        self.arm[0] - self.normal * (0.5 * self.gap)
    }
}

/// The touches of one pair, features rising. Kept by the caller, so that a pair allocates nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touches {
    list: Vec<Touch>,
    shares_mass: bool,
}

impl Touches {
    /// Returns the mass (kg) that normal dashpots count with at each touch of the pair, where it has one of its own because a
    /// or b is a box (THEORY.md eq. 2.9); elsewhere it is m_eff. It belongs to the pair: all places where the two overlap share
    /// it. `rate` is the separation rate at a touch (m/s).
    pub fn normal_mass(&self, bodies: [&Yields; 2], rate: impl Fn(&Touch) -> f64) -> Option<f64> {
        let live = self.list.iter().filter(|touch| touch.gap < 0.0);
        let of = |touch: &Touch| Separation { normal: touch.normal, arms: touch.arm, rate: rate(touch) };
        self.shares_mass.then(|| normal_mass(bodies, live.map(of)))
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.shares_mass = false;
    }

    pub(super) fn push(&mut self, touch: Touch) {
        debug_assert!(self.list.len() < MOST_TOUCHES);
        self.list.push(touch);
    }
}

impl Deref for Touches {
    type Target = [Touch];

    fn deref(&self) -> &[Touch] {
        &self.list
    }
}

/// Finds where two shapes are nearer than `within` (m), b at its image. What `out` held before is dropped.
pub fn touch(a: &Posed, b: &Posed, within: f64, out: &mut Touches) {
    out.clear();
    match (a, b) {
        (Posed::Sphere { centre: at_a, radius: r_a }, Posed::Sphere { centre: at_b, radius: r_b }) => {
            out.list.extend(sphere_sphere::meet([*at_a, *at_b], [*r_a, *r_b], within));
        }
        (Posed::Sphere { centre, radius }, Posed::Wall(wall)) => {
            out.list.extend(sphere_wall::meet(*centre, *radius, wall, within));
        }
        (Posed::Wall(wall), Posed::Sphere { centre, radius }) => {
            out.list.extend(sphere_wall::meet(*centre, *radius, wall, within).map(Touch::turned));
        }
        _ => {
            if let (Some(a), Some(b)) = (a.as_solid(), b.as_solid()) {
                out.shares_mass = a.form.is_box() || b.form.is_box();
                solid::touch(&a, &b, within, out);
            }
        }
    }
}

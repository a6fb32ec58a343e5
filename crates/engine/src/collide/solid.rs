//! Bodies as the pairs with ellipsoids and boxes see them, and what such a pair gives: a point, a normal, an overlap and the
//! curvatures there. Which pairs there are stands in `meet`.

use glam::{DMat3, DVec3};

use crate::collide::{Touch, Touches, cylinder_plane, cylinder_sphere};
use crate::collide::{
    box_box, box_ellipsoid, box_plane, box_sphere, ellipsoid_ellipsoid, ellipsoid_plane, ellipsoid_sphere,
};
use crate::contact::Curvature;
use crate::shape::{Part, Shape};

/// A surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A ball.
    Sphere {
        /// m.
        radius: f64,
    },
    /// An ellipsoid along the body's axes.
    Ellipsoid {
        /// Semi-axes (m).
        axes: DVec3,
    },
    /// A brick along the body's axes.
    Box {
        /// Half of its edges (m).
        half: DVec3,
    },
    /// A cylinder along the z of its own frame.
    Cylinder {
        /// m.
        radius: f64,
        /// Half of its length (m).
        half: f64,
    },
    /// A half-space behind a plane.
    Plane {
        /// Unit vector out of it, world axes.
        normal: DVec3,
    },
}

impl Form {
    /// The form of an ellipsoid, a box or a cylinder.
    pub fn of(shape: &Shape) -> Option<Form> {
        match *shape {
            Shape::Ellipsoid { axes } => Some(Form::Ellipsoid { axes }),
            Shape::Box { size } => Some(Form::Box { half: size * 0.5 }),
            Shape::Cylinder { radius, length, .. } => Some(Form::Cylinder { radius, half: 0.5 * length }),
            _ => None,
        }
    }

    /// Radius of the sphere around its centre that holds it (m).
    pub fn reach(&self) -> f64 {
        match self {
            Form::Sphere { radius } => *radius,
            Form::Ellipsoid { axes } => axes.max_element(),
            Form::Box { half } => half.length(),
            Form::Cylinder { radius, half } => (radius * radius + half * half).sqrt(),
            Form::Plane { .. } => f64::INFINITY,
        }
    }

    /// Whether it is a box, whose touches share the mass that normal dashpots count with.
    #[inline]
    pub fn is_box(&self) -> bool {
        matches!(self, Form::Box { .. })
    }
}

/// A surface in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posed {
    /// The surface.
    pub form: Form,
    /// Centre (m); of a plane any point.
    pub position: DVec3,
    /// A rotation; not read for spheres and planes.
    pub world_from_body: DMat3,
}

impl Posed {
    /// A ball.
    #[inline]
    pub fn ball(centre: DVec3, radius: f64) -> Posed {
        Posed { form: Form::Sphere { radius }, position: centre, world_from_body: DMat3::IDENTITY }
    }

    /// What is behind a plane through a point, with its unit normal.
    #[inline]
    pub fn half_space(through: DVec3, normal: DVec3) -> Posed {
        Posed { form: Form::Plane { normal }, position: through, world_from_body: DMat3::IDENTITY }
    }

    /// A vector in the body's frame.
    #[inline]
    pub fn in_body(&self, v: DVec3) -> DVec3 {
        self.world_from_body.transpose() * v
    }
}

/// Where two bodies touch, or would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Midway between the two surfaces along the normal (m).
    pub point: DVec3,
    /// Unit vector from b to a.
    pub normal: DVec3,
    /// m; negative where the two are apart.
    pub overlap: f64,
    /// Of a.
    pub curvature_a: Curvature,
    /// Of b.
    pub curvature_b: Curvature,
    /// R_eff (m), by the table in `collide/mod.rs`.
    pub radius_eff: f64,
    /// What kind of place it is on a, and on b.
    pub part: [Part; 2],
}

impl Meeting {
    /// Of two smooth surfaces, at least one of them curved.
    pub fn smooth(point: DVec3, normal: DVec3, overlap: f64, curvature_a: Curvature, curvature_b: Curvature) -> Self {
        let radius_eff = 1.0 / (curvature_a.mean() + curvature_b.mean());
        let part = [Part::Face; 2];
        Meeting { point, normal, overlap, curvature_a, curvature_b, radius_eff, part }
    }

    /// The same with a and b exchanged.
    pub fn turned(self) -> Self {
        let (curvature_a, curvature_b) = (self.curvature_b, self.curvature_a);
        Meeting { normal: -self.normal, curvature_a, curvature_b, part: [self.part[1], self.part[0]], ..self }
    }

    /// The same as a touch of bodies with these centres.
    fn as_touch(&self, feature: u32, centres: [DVec3; 2]) -> Touch {
        Touch {
            feature,
            part: self.part,
            normal: self.normal,
            gap: -self.overlap,
            arm: centres.map(|centre| self.point - centre),
            curvature: [self.curvature_a, self.curvature_b],
            radius_eff: self.radius_eff,
            closing: None,
        }
    }
}

/// In how many places two forms may touch at once.
pub fn features(a: &Form, b: &Form) -> u32 {
    match (a, b) {
        (Form::Box { .. }, Form::Plane { .. }) | (Form::Plane { .. }, Form::Box { .. }) => 8,
        (Form::Cylinder { .. }, Form::Plane { .. }) | (Form::Plane { .. }, Form::Cylinder { .. }) => {
            cylinder_plane::PLACES
        }
        _ => 1,
    }
}

/// Whether there is geometry for a pair of shapes, at least one of which is an ellipsoid or a box.
pub fn is_built(one: &Shape, other: &Shape) -> bool {
    let with = |solid: &Shape, other: &Shape| match solid {
        Shape::Ellipsoid { .. } => {
            let solid = matches!(other, Shape::Ellipsoid { .. } | Shape::Box { .. });
            solid || matches!(other, Shape::Plane { .. } | Shape::Sphere { .. })
        }
        Shape::Box { .. } => matches!(other, Shape::Plane { .. } | Shape::Sphere { .. }),
        _ => false,
    };
    with(one, other) || with(other, one)
}

/// Whether `collide::touch` has the touches of a pair of shapes, which are no clumps.
pub fn is_touched(one: &Shape, other: &Shape) -> bool {
    let is_box = |shape: &Shape| matches!(shape, Shape::Box { .. });
    let is_cylinder = |shape: &Shape| matches!(shape, Shape::Cylinder { .. });
    let is_plane = |shape: &Shape| matches!(shape, Shape::Plane { .. });
    let on_plane = |one: &Shape, other: &Shape| is_cylinder(one) && is_plane(other);
    let alike = is_box(one) && is_box(other) || on_plane(one, other) || on_plane(other, one);
    is_built(one, other) || alike || one.is_sphere() || other.is_sphere()
}

/// Where two bodies touch, or would; `None` for pairs that are not built. `feature` says which of several places.
pub fn meet(a: &Posed, b: &Posed, feature: u32) -> Option<Meeting> {
    match (a.form, b.form) {
        (Form::Ellipsoid { axes }, Form::Plane { normal }) => Some(ellipsoid_plane::meet(axes, a, normal, b.position)),
        (Form::Ellipsoid { axes }, Form::Sphere { radius }) => {
            Some(ellipsoid_sphere::meet(axes, a, b.position, radius))
        }
        (Form::Ellipsoid { axes }, Form::Ellipsoid { axes: other }) => {
            Some(ellipsoid_ellipsoid::meet(axes, a, other, b))
        }
        (Form::Box { half }, Form::Plane { normal }) => Some(box_plane::meet(half, a, normal, b.position, feature)),
        (Form::Box { half }, Form::Sphere { radius }) => Some(box_sphere::meet(half, a, b.position, radius)),
        (Form::Box { half }, Form::Ellipsoid { axes }) => Some(box_ellipsoid::meet(half, a, axes, b)),
        (Form::Cylinder { radius, half }, Form::Plane { normal }) => {
            Some(cylinder_plane::meet([radius, half], a, normal, b.position, feature))
        }
        (Form::Cylinder { radius: side, half }, Form::Sphere { radius }) => {
            Some(cylinder_sphere::meet([side, half], a, b.position, radius))
        }
        (
            Form::Plane { .. } | Form::Sphere { .. },
            Form::Ellipsoid { .. } | Form::Box { .. } | Form::Cylinder { .. },
        )
        | (Form::Ellipsoid { .. }, Form::Box { .. }) => meet(b, a, feature).map(Meeting::turned),
        _ => None,
    }
}

/// Adds the places where two bodies are nearer than `within`.
pub(super) fn touch(a: &Posed, b: &Posed, within: f64, out: &mut Touches) {
    if let (Form::Box { half: half_a }, Form::Box { half: half_b }) = (a.form, b.form) {
        return box_box::touch([half_a, half_b], [a, b], within, out);
    }
    for feature in 0..features(&a.form, &b.form) {
        if let Some(meeting) = meet(a, b, feature).filter(|meeting| -meeting.overlap < within) {
            out.push(meeting.as_touch(feature, [a.position, b.position]));
        }
    }
}

/// Curvature of an ellipsoid at a point of its surface, given in its own frame: the form x . A^-2 x/|A^-2 s| on the tangent
/// plane at s, with A the semi-axes.
pub fn curvature_of_ellipsoid(axes: DVec3, at: DVec3, world_from_body: DMat3) -> Curvature {
    let inverse_squares = (axes * axes).recip();
    let gradient = at * inverse_squares;
    let steepness = gradient.length();
    let normal = gradient / steepness;
    let u = normal.any_orthonormal_vector();
    let w = normal.cross(u);
    let form = |x: DVec3, y: DVec3| (x * inverse_squares).dot(y) / steepness;
    let (uu, uw, ww) = (form(u, u), form(u, w), form(w, w));
    let (mean, half) = (0.5 * (uu + ww), 0.5 * (uu - ww));
    let apart = (half * half + uw * uw).sqrt();
    // Of the two ways to write the direction, the one that does not cancel.
    let (x, y) = if half >= 0.0 { (half + apart, uw) } else { (uw, apart - half) };
    let along = if apart > 0.0 { (u * x + w * y).normalize() } else { u };
    Curvature { most: mean + apart, least: mean - apart, along: world_from_body * along }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ellipsoid_has_its_textbook_curvatures_at_its_ends() {
        // At the end of axis a the curvatures are a/b^2 and a/c^2, the larger along the shorter of the other two.
        let axes = DVec3::new(3.0, 2.0, 1.0);
        let at = |s: DVec3| curvature_of_ellipsoid(axes, s, DMat3::IDENTITY);
        let close = |c: Curvature, most: f64, least: f64, along: DVec3| {
            // A few roundings of numbers of order one.
            let error = (c.most - most).abs().max((c.least - least).abs()).max(1.0 - c.along.dot(along).abs());
            assert!(error < 1e-14, "{c:?}");
        };
        close(at(DVec3::X * 3.0), 3.0, 0.75, DVec3::Z);
        close(at(DVec3::Y * -2.0), 2.0, 2.0 / 9.0, DVec3::Z);
        close(at(DVec3::Z), 0.25, 1.0 / 9.0, DVec3::Y);
        // A sphere.
        let round = curvature_of_ellipsoid(DVec3::splat(2.0), DVec3::new(1.2, 0.0, 1.6), DMat3::IDENTITY);
        assert!((round.most - 0.5).abs() < 1e-15 && (round.least - 0.5).abs() < 1e-15);
    }

    #[test]
    fn an_oblique_section_has_the_curvature_of_its_ellipse() {
        // In the plane of b and c the section is an ellipse: b c/(b^2 sin^2 + c^2 cos^2)^(3/2) at the parameter angle.
        let (b, c) = (2.0, 0.5);
        let axes = DVec3::new(7.0, b, c);
        for k in 0..20 {
            let angle = 0.3 * f64::from(k);
            let (sin, cos) = (crate::math::sin(angle), crate::math::cos(angle));
            let s = DVec3::new(0.0, b * cos, c * sin);
            let w: f64 = b * b * sin * sin + c * c * cos * cos;
            let expected = b * c / (w * w.sqrt());
            let found = curvature_of_ellipsoid(axes, s, DMat3::IDENTITY);
            let tangent = DVec3::new(0.0, -b * sin, c * cos).normalize();
            // By Euler: k = most cos^2 + least sin^2.
            let cosine = found.along.dot(tangent);
            let along = found.most * cosine * cosine + found.least * (1.0 - cosine * cosine);
            assert!((along / expected - 1.0).abs() < 1e-13, "{along} {expected}");
        }
    }
}

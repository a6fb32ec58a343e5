//! The path of the contact point from the points of the step before, as Fang and Negrut (2020) have it.
//!
//! Each body carries its old point of contact; the chord from there to the new one, unrolled into the new tangent plane, is its path:
//!
//!   c = C - C_old (carried),   t = c - (c.n) n,   p = l t/|t|,   l = R asin(|t|/R) on a sphere of R = |C_old - x|, else |t|
//!
//! The paper has l = 2 R asin(|c|/2R) and |c|: the same while the overlap stays (on other shapes but for O(dt^2)). But the chord has a part
//! along the normal when the overlap changes, and in a head-on impact nothing else: |c| would be given to the direction of a rounding error.
//!
//! The frame of the old normal n0, carried by a body that turned by Q, goes to the new normal n1 by the least rotation:
//! u1 = Q u0 - (Q u0 . n1)/(1 + Q n0 . n1) (Q n0 + n1). The angle from b's to a's frame is psi; it does not depend on u0, so no frame
//! is kept. b's path is not turned by -psi into the frame that is tied to a: springs are carried with the mean spin of both, so that neither
//! body is special. (Each step it would change a path by psi of itself. The authors' scripts for spheres leave it out, those for ellipsoids do it.)
//!
//! Q is the exponential map of w dt, by which bodies turn in a step. Points are kept in body axes and never drift.
//!
//! A normal that turns by more than 120 degrees in a step, or a point that was handed over from another wall, leaves no path: that
//! step takes the exact rates of spheres and planes.

use glam::{DQuat, DVec3};

use super::{Path, Rolling, TrackedMemory};
use crate::contact::{Contact, Curvature};
use crate::{frame, math};

/// The path of this step; the points of contact are put in the memory for the next. `apart`: in the form of the paper.
pub(super) fn follow(contact: &Contact, memory: &mut TrackedMemory, apart: bool) -> (Path, Rolling) {
    let known = memory.points_known && contact.dt > 0.0 && 1.0 + memory.normal.dot(contact.normal) > 0.5;
    let found = if known {
        let path = tracked(contact, memory);
        let per_time = 1.0 / contact.dt;
        let [roll_a, roll_b] = if apart {
            [(contact.curvature_a, path.p_a), (contact.curvature_b, path.p_b)]
                .map(|(curvature, p)| p * (curvature.section(p.normalize_or_zero()) * per_time))
        } else {
            rolled(contact, memory.normal).map(|angle| angle * per_time)
        };
        let rates = Path { slide: (path.p_a - path.p_b) * per_time, roll_a, roll_b, spin: path.psi * per_time };
        // The stiffness goes by the section along the body's spring, where there is one: the path of a body at rest is rounding,
        // and its direction would shake an ellipsoid for ever. In plane motion the two are the same.
        let along = |spring: DVec3, path: DVec3| if spring == DVec3::ZERO { path } else { spring }.normalize_or_zero();
        let spring_b = if apart { memory.roll_b } else { memory.roll_a };
        let of_a = contact.curvature_a.section(along(memory.roll_a, path.p_a));
        let of_b = contact.curvature_b.section(along(spring_b, path.p_b));
        (rates, Rolling::of_curvatures(of_a, of_b))
    } else {
        let rolling = Rolling::of_curvatures(contact.curvature_a.mean(), contact.curvature_b.mean());
        (Path::of_rates(contact, true), rolling)
    };
    memory.point_a = contact.orientation_a.inverse() * contact.point_a;
    memory.point_b = contact.orientation_b.inverse() * contact.point_b;
    memory.normal = contact.normal;
    memory.points_known = true;
    found
}

/// How far the contact point went over each surface (m), and by what angle a spun against b.
struct Tracks {
    p_a: DVec3,
    p_b: DVec3,
    psi: f64,
}

fn tracked(contact: &Contact, memory: &TrackedMemory) -> Tracks {
    let n = contact.normal;
    let p_a = unrolled(contact.point_a, contact.orientation_a * memory.point_a, contact.curvature_a, n);
    let p_b = unrolled(contact.point_b, contact.orientation_b * memory.point_b, contact.curvature_b, n);
    Tracks { p_a, p_b, psi: spun(contact, memory.normal) }
}

/// The chord from the old point, carried, to the new one, both from the body's position, unrolled into the tangent plane.
fn unrolled(now: DVec3, carried: DVec3, curvature: Curvature, n: DVec3) -> DVec3 {
    let chord = now - carried;
    let tangent = chord - n * chord.dot(n);
    let across = tangent.length();
    let round = curvature.most == curvature.least && curvature.most > 0.0;
    if across == 0.0 || !round {
        return tangent;
    }
    let radius = carried.length();
    tangent * (radius * math::asin((across / radius).min(1.0)) / across)
}

/// The angles by which the normal has turned over each surface, as vectors along the path. On a sphere, and in the plane of a section
/// of greatest or least curvature, these are kappa p; elsewhere the normal of an ellipsoid does not turn along its path, and only the
/// angles, whose sum is (w_a - w_b) x n dt, are what torques do work against.
fn rolled(contact: &Contact, old: DVec3) -> [DVec3; 2] {
    let n = contact.normal;
    let turned = |angular_velocity: DVec3| {
        let carried = frame::rotation(angular_velocity * contact.dt) * old;
        carried - n * carried.dot(n)
    };
    [turned(contact.angular_velocity_a), -turned(contact.angular_velocity_b)]
}

/// The angle from b's frame to a's, both carried from the old normal to the new one.
fn spun(contact: &Contact, old: DVec3) -> f64 {
    let n = contact.normal;
    let first = old.any_orthonormal_vector();
    let carried = |angular_velocity: DVec3| {
        let turn: DQuat = frame::rotation(angular_velocity * contact.dt);
        let (normal, u) = (turn * old, turn * first);
        u - (normal + n) * (u.dot(n) / (1.0 + normal.dot(n)))
    };
    let (of_a, of_b) = (carried(contact.angular_velocity_a), carried(contact.angular_velocity_b));
    math::atan2(of_b.cross(of_a).dot(n), of_b.dot(of_a))
}

//! Bodies by kind: for each material the extremes of size and mass, which stand for all.
//!
//! Likely contacts of a sphere with spheres of radius R_j: 6 ((R_i + R_j)/(2 R_j))^2, six for equal ones, but no more than
//! there are; with walls: as many as there are, but no more than six.

use std::borrow::Borrow;
use std::cmp::Ordering;

use crate::body::{Body, Motion};
use crate::law::TypicalBody;
use crate::math;
use crate::model::Model;
use crate::shape::Shape;

/// Contacts that a sphere among equals is likely to have.
pub(super) const LIKELY_CONTACTS: f64 = 6.0;

/// Bodies that are alike for this purpose: extremes of size and mass of one material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub material: u16,
    /// How laws see it.
    pub body: TypicalBody,
    /// In how many places it touches a wall at once.
    pub corners: f64,
    /// 1/M of a servo (1/kg), which is heavy in contacts but moves.
    pub servo: f64,
    /// Which group it is an extreme of, which one of that, and how many bodies that has.
    pub group: usize,
    pub number: usize,
    pub count: usize,
}

impl Kind {
    /// A wall that stands for all of its material.
    pub fn wall(material: u16) -> Self {
        Kind { material, body: TypicalBody::default(), corners: 1.0, servo: 0.0, group: 0, number: 0, count: 1 }
    }
}

/// What kinds of bodies are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extremes {
    /// One of each, with its smallest moment of inertia: for an estimate that is on the safe side.
    Likely,
    /// Two of each, since a body does not meet itself, with their largest moments: no pair is worse than it is for certain.
    Certain,
}

/// How many contacts with bodies of the other kind a body is likely to have, of those available.
pub(super) fn likely_contacts(body: &Kind, other: &Kind, available: f64) -> f64 {
    if body.body.radius == 0.0 {
        // A wall: a face of a cube of so many.
        let side = math::cbrt(available);
        side * side
    } else if other.body.radius > 0.0 {
        let ratio = (body.body.radius + other.body.radius) / (2.0 * other.body.radius);
        (LIKELY_CONTACTS * ratio * ratio).min(available)
    } else {
        body.corners * available.min(LIKELY_CONTACTS)
    }
}

/// For each material the lightest, the largest and the smallest sphere, moved or not, there or to come, and its walls.
pub(super) fn kinds<B: Borrow<Body>>(
    model: &Model,
    bodies: impl Iterator<Item = (B, usize)> + Clone,
    which: Extremes,
) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    let of_each = if which == Extremes::Certain { 2 } else { 1 };
    for material in 0..model.materials.len() as u16 {
        for moved in [true, false] {
            let of_group = |body: &Body| {
                let moves = body.motion.yields();
                body.material == material && moves == moved && body.shape.radius().is_some()
            };
            let kind = |body: &Body| kind_of(model, body, moved, which);
            let (mut group, mut count) = (Vec::new(), 0_usize);
            for (body, alike) in bodies.clone().filter(|(body, _)| of_group(body.borrow())) {
                // Of those that are alike, two stand for all: no more are ever looked at.
                group.extend(std::iter::repeat_n(kind(body.borrow()), alike.min(2)));
                count += alike;
            }
            // A stream counts with all its bodies, and with those at the ends of its sizes.
            for inflow in model.inflows.iter().filter(|inflow| moved && inflow.material() == material) {
                let extremes = inflow.extremes(model.materials[material as usize].density);
                for _ in 0..inflow.count.min(of_each) {
                    group.extend(extremes.iter().map(kind));
                }
                count = count.saturating_add(inflow.count as usize);
            }
            let number = kinds.len();
            let extremes = extremes(&group, of_each as usize).into_iter();
            kinds.extend(extremes.map(|one| Kind { group: number, number: one, count, ..group[one] }));
        }
        let wall = |body: &Body| body.material == material && body.shape.radius().is_none();
        let walls = bodies.clone().filter(|(body, _)| wall(body.borrow()));
        let count = walls.clone().map(|(_, alike)| alike).sum();
        // One of them stands for all, a servo if there is one: the lightest.
        let servo = walls
            .map(|(body, _)| if let Motion::Servo(servo) = &body.borrow().motion { 1.0 / servo.mass } else { 0.0 });
        if count > 0 {
            let (servo, group) = (servo.fold(0.0, f64::max), kinds.len());
            kinds.push(Kind { servo, group, count, ..Kind::wall(material) });
        }
    }
    kinds
}

/// Which of these are the lightest, the smallest and the largest, so many of each.
pub(super) fn extremes(group: &[Kind], of_each: usize) -> Vec<usize> {
    let lighter = |a: &usize, b: &usize| group[*b].body.inverse_mass.total_cmp(&group[*a].body.inverse_mass);
    let smaller = |a: &usize, b: &usize| group[*a].body.radius.total_cmp(&group[*b].body.radius);
    let larger = |a: &usize, b: &usize| smaller(b, a).then(b.cmp(a));
    let first = |order: &dyn Fn(&usize, &usize) -> Ordering| {
        let mut taken: Vec<usize> = Vec::with_capacity(of_each);
        for _ in 0..of_each {
            taken.extend((0..group.len()).filter(|body| !taken.contains(body)).min_by(order));
        }
        taken
    };
    [first(&lighter), first(&smaller), first(&larger)].concat()
}

pub(super) fn kind_of(model: &Model, body: &Body, moved: bool, which: Extremes) -> Kind {
    let (mass, inertia) = body.mass_and_inertia(model.materials[usize::from(body.material)].density);
    let moment = if which == Extremes::Certain { inertia.max_element() } else { inertia.min_element() };
    let [most_round, least_round] = body.shape.roundness().unwrap_or_default();
    let reach = body.shape.radius().unwrap_or(0.0);
    let (radius, round, arm, corners) = match (&body.shape, which) {
        (&Shape::Ellipsoid { axes }, Extremes::Likely) => (reach, most_round, reach - axes.min_element(), 1.0),
        (Shape::Box { .. }, Extremes::Likely) => (reach, most_round, reach, 4.0),
        // For certain it is hit in its middle, where it is nearest to its centre.
        (&Shape::Ellipsoid { axes }, Extremes::Certain) => (axes.min_element(), least_round, 0.0, 1.0),
        (&Shape::Box { size }, Extremes::Certain) => (0.5 * size.min_element(), least_round, 0.0, 1.0),
        _ => (reach, reach, 0.0, 1.0),
    };
    let inverse_mass = if moved { 1.0 / mass } else { 0.0 };
    let inverse_inertia = if moved { 1.0 / moment } else { 0.0 };
    Kind {
        body: TypicalBody { radius, round, arm, inverse_mass, inverse_inertia },
        corners,
        ..Kind::wall(body.material)
    }
}

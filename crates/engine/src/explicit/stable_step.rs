//! The step a scene can bear (THEORY.md section 4.5).
//!
//! A spring k with a dashpot c on a mode of inverse inertia q has omega^2 = k q and the rate 2 zeta omega = c q. The
//! explicit scheme is stable below (2/omega)(sqrt(1 + zeta^2) - zeta), or below 2/rate for a dashpot alone. For every
//! pair of kinds of bodies that may meet, and every motion, both are summed over the contacts that each of the two is
//! likely to have, each body's part of q times its own number, and the least over all is the critical step. (A large sphere
//! among many small ones counts its many contacts against its own mass, not theirs.)
//!
//! The recommended step (eq. 4.6) is 0.1 of it for pairs under `hooke`. For pairs under `hertz`, whose dashpot grows from zero
//! with the overlap and so rebounds as asked with fewer steps, it is 0.3, but at most 0.1 of the critical step of the two
//! bodies alone: in a crowd stability needs the small step, the accuracy of one impact does not. docs/step.md measures both.
//!
//!   normal  q = 1/m_i + 1/m_j                            slide  q = 1/m_i + 1/m_j + R_i^2/I_i + R_j^2/I_j
//!   roll    q = R_eff^2 (1/I_i + 1/I_j)  (springs in N/m)   spin   q = 1/I_i + 1/I_j
//!
//! Likely contacts of a sphere with spheres of radius R_j: 6 ((R_i + R_j)/(2 R_j))^2, six for equal ones, but no more than
//! there are; with walls: as many as there are, but no more than six.
//! An ellipsoid or a box is pushed off its centre, too, by up to an arm s: a normal contact has q = 1/m + s^2/I, with s the
//! difference of the longest and the shortest semi-axis, or half the diagonal of a box, which counts four corners at a wall, each
//! with half of the dashpot (eq. 2.9).
//! Radii are those of curvature in R_eff, the largest, and the largest distance of the surface in R.
//! A servo moves with 1/M under N^(2/3) contacts of N spheres.
//! A Hertz contact is taken at an overlap of 1 % of R_eff.
//!
//! The limit (eq. 4.7) is no estimate: it is the critical step of one contact by itself, of the least that may be. Only bodies that
//! move freely count, each pair of two that there are, with their largest moments of inertia, and no servo, whose axis may be
//! across. Above it a pair that touches is unstable, whatever else it touches. A spring that may carry nothing (mu = 0) does not
//! count. A Hertz contact, whose stiffness vanishes with the overlap, is taken at a millionth of R_eff.

use std::borrow::Borrow;
use std::cmp::Ordering;

use crate::body::{Body, Motion};
use crate::law::{Friction, Limit, Normal, Own, PairLaws, Roll, Slide, SlideSlider, Spin, SpinCurvature, Tracked};
use crate::math;
use crate::model::Model;
use crate::shape::Shape;

/// The recommended step and why.
#[derive(Clone, Debug, PartialEq)]
pub struct StepAdvice {
    /// The recommended step (s), THEORY.md eq. (4.6).
    pub step: f64,
    /// In words, what sets it.
    pub set_by: String,
    /// The smallest critical step (s).
    pub critical: f64,
    /// In words, what governs the critical step.
    pub governed_by: String,
    /// The step above which even one contact by itself is unstable; `None` when nothing that moves freely can touch.
    pub limit: Option<StepLimit>,
    /// Rayleigh time of the smallest sphere (s), where a Hertz law gives its modulus.
    pub rayleigh: Option<f64>,
}

/// A step that no run survives.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLimit {
    /// s.
    pub step: f64,
    /// In words, whose contact sets it.
    pub set_by: String,
}

/// Share of the critical step that is recommended under `hooke`, with laws of unknown springs, and under `hertz` for two alone.
const RECOMMENDED: f64 = 0.1;
/// The same under `hertz` with as many contacts as are likely.
const RECOMMENDED_HERTZ: f64 = 0.3;
/// Overlap at which a Hertz contact is taken, as a fraction of R_eff.
const HERTZ_OVERLAP: f64 = 0.01;
/// The same for the limit: hard grains of a millimetre rest on each other with about this much under their own weight.
const LEAST_HERTZ_OVERLAP: f64 = 1e-6;
/// Contacts that a sphere among equals is likely to have.
const LIKELY_CONTACTS: f64 = 6.0;

/// Bodies that are alike for this purpose: extremes of size and mass of one material.
#[derive(Clone, Copy, Debug)]
struct Kind {
    material: u16,
    /// How far its surface reaches; zero for a wall.
    radius: f64,
    /// Its radius of curvature.
    round: f64,
    /// How far off the centre a normal force may push.
    arm: f64,
    /// In how many places it touches a wall at once.
    corners: f64,
    inverse_mass: f64,
    inverse_inertia: f64,
    /// 1/M of a servo (1/kg), which is heavy in contacts but moves.
    servo: f64,
    /// Which group it is an extreme of, which one of that, and how many bodies that has.
    group: usize,
    body: usize,
    count: usize,
}

impl Kind {
    /// A wall that stands for all of its material.
    fn wall(material: u16) -> Self {
        let (radius, round, arm, inverse_mass, inverse_inertia, servo) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        let (corners, group, body, count) = (1.0, 0, 0, 1);
        Kind { material, radius, round, arm, corners, inverse_mass, inverse_inertia, servo, group, body, count }
    }
}

/// What kinds of bodies are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extremes {
    /// One of each, with its smallest moment of inertia: for an estimate that is on the safe side.
    Likely,
    /// Two of each, since a body does not meet itself, with their largest moments: no pair is worse than it is for certain.
    Certain,
}

/// A spring and a dashpot on a mode.
#[derive(Clone, Copy, Debug)]
struct Oscillator {
    motion: &'static str,
    stiffness: f64,
    dashpot: f64,
    /// Whether it may carry anything: not with a limit of zero.
    holds: bool,
    /// What each of the two bodies contributes to the mode's inverse inertia.
    inverse_inertia: [f64; 2],
}

impl Oscillator {
    /// The critical step when so many of these act on the one and on the other body.
    fn critical(&self, contacts: [f64; 2]) -> f64 {
        let inverse_inertia = contacts[0] * self.inverse_inertia[0] + contacts[1] * self.inverse_inertia[1];
        let omega = (self.stiffness * inverse_inertia).sqrt();
        let rate = self.dashpot * inverse_inertia;
        let zeta = rate / (2.0 * omega);
        // From 1e8 on the spring is below rounding, and a square could overflow.
        if omega > 0.0 && zeta < 1e8 {
            // The same as (2/omega)(sqrt(1 + zeta^2) - zeta), without cancellation for large zeta.
            2.0 / omega / ((1.0 + zeta * zeta).sqrt() + zeta)
        } else if rate > 0.0 {
            2.0 / rate
        } else {
            f64::INFINITY
        }
    }
}

/// The step for a model (its own `dt` is not looked at); `None` when nothing could touch.
pub fn advise(model: &Model, bodies: &[Body]) -> Option<StepAdvice> {
    advise_alike(model, bodies.iter().map(|body| (body, 1)))
}

/// The same for bodies of which some in a row are alike but for their places: one of them, and how many there are.
pub fn advise_alike<B: Borrow<Body>>(
    model: &Model,
    bodies: impl Iterator<Item = (B, usize)> + Clone,
) -> Option<StepAdvice> {
    let kinds = kinds(model, bodies.clone(), Extremes::Likely);
    let (mut least, mut recommended) = (Smallest::default(), Smallest::default());
    for i in kinds.iter().filter(|kind| kind.inverse_mass > 0.0) {
        for j in &kinds {
            let available = j.count.saturating_sub(usize::from(i.group == j.group)) as f64;
            let Some(laws) = model.laws.get(i.material, j.material) else { continue };
            if available == 0.0 {
                continue;
            }
            let returned = i.count.saturating_sub(usize::from(i.group == j.group)) as f64;
            let crowd = [likely_contacts(i, j, available), likely_contacts(j, i, returned)];
            let alone = [likely_contacts(i, j, 1.0), likely_contacts(j, i, 1.0)];
            for mut oscillator in oscillators(laws, i, j, HERTZ_OVERLAP) {
                if matches!(oscillator.motion, "normal" | "slide") {
                    oscillator.inverse_inertia[1] += j.servo;
                }
                let words = |contacts: [f64; 2]| {
                    format!("{}, {:.1} contacts at once", describe(model, &oscillator, i, j), contacts[0])
                };
                least.lower(oscillator.critical(crowd), || words(crowd));
                for (share, contacts) in shares(laws, radius_eff(i, j), crowd, alone) {
                    recommended.lower(share * oscillator.critical(contacts), || words(contacts));
                }
            }
        }
    }
    let ((critical, governed_by), (step, set_by)) = (least.0?, recommended.0?);
    let (limit, rayleigh) = (limit(model, bodies), rayleigh_time(model, &kinds));
    Some(StepAdvice { step, set_by, critical, governed_by, limit, rayleigh })
}

/// The recommended shares of critical steps, each with the contacts of its step.
fn shares(laws: &PairLaws, radius_eff: f64, crowd: [f64; 2], alone: [f64; 2]) -> Vec<(f64, [f64; 2])> {
    match laws.normal {
        Normal::Hertz(_) if states_all_springs(laws, radius_eff) => {
            vec![(RECOMMENDED_HERTZ, crowd), (RECOMMENDED, alone)]
        }
        Normal::Hooke(_) | Normal::Hertz(_) => vec![(RECOMMENDED, crowd)],
    }
}

/// Whether every law from outside says which springs it has: the critical step knows nothing of others.
fn states_all_springs(laws: &PairLaws, radius_eff: f64) -> bool {
    let slide = match &laws.slide {
        Some(Slide::Own(law)) => law.springs(radius_eff).is_some(),
        _ => true,
    };
    let roll = match &laws.roll {
        Some(Roll::Own(law)) => law.springs(radius_eff).is_some(),
        _ => true,
    };
    let spin = match &laws.spin {
        Some(Spin::Own(law)) => law.springs(radius_eff).is_some(),
        _ => true,
    };
    slide && roll && spin
}

/// The smallest step so far and, in words, what sets it.
#[derive(Default)]
struct Smallest(Option<(f64, String)>);

impl Smallest {
    fn lower(&mut self, step: f64, words: impl FnOnce() -> String) {
        if step.is_finite() && self.0.as_ref().is_none_or(|(smallest, _)| step < *smallest) {
            self.0 = Some((step, words()));
        }
    }
}

/// The step above which one contact by itself is unstable, of all that freely moving bodies may have.
fn limit<B: Borrow<Body>>(model: &Model, bodies: impl Iterator<Item = (B, usize)> + Clone) -> Option<StepLimit> {
    let certain = |(body, _): &(B, usize)| match body.borrow().motion {
        Motion::Free => body.borrow().lock == [false; 6],
        Motion::Held => false,
        _ => true,
    };
    let kinds = kinds(model, bodies.filter(certain), Extremes::Certain);
    let mut least = Smallest::default();
    for i in kinds.iter().filter(|kind| kind.inverse_mass > 0.0) {
        for j in kinds.iter().filter(|j| (j.group, j.body) != (i.group, i.body)) {
            let Some(laws) = model.laws.get(i.material, j.material) else { continue };
            for oscillator in oscillators(laws, i, j, LEAST_HERTZ_OVERLAP).into_iter().filter(|o| o.holds) {
                least.lower(oscillator.critical([1.0; 2]), || describe(model, &oscillator, i, j));
            }
        }
    }
    least.0.map(|(step, set_by)| StepLimit { step, set_by })
}

/// The normal spring of two bodies at some overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spring {
    /// The critical step (s) when each of the two has as many of it as a sphere among equals is likely to have.
    pub critical: f64,
    /// Of one by itself (rad/s).
    pub omega: f64,
}

/// The normal spring of two bodies, given by radius (zero for a wall) and 1/m; `None` when neither can move.
pub(crate) fn normal_spring(
    laws: &PairLaws,
    radii: [f64; 2],
    inverse_masses: [f64; 2],
    overlap: f64,
) -> Option<Spring> {
    let kind = |i: usize| {
        let (radius, inverse_mass) = (radii[i], inverse_masses[i]);
        Kind { radius, round: radius, inverse_mass, ..Kind::wall(0) }
    };
    // The sphere first.
    let (i, j) = if radii[0] > 0.0 { (kind(0), kind(1)) } else { (kind(1), kind(0)) };
    let radius_eff = radius_eff(&i, &j);
    let normal = oscillators(laws, &i, &j, overlap / radius_eff).into_iter().find(|o| o.motion == "normal")?;
    let inverse_inertia = normal.inverse_inertia[0] + normal.inverse_inertia[1];
    let spring =
        Spring { critical: normal.critical([LIKELY_CONTACTS; 2]), omega: (normal.stiffness * inverse_inertia).sqrt() };
    (inverse_inertia > 0.0).then_some(spring)
}

/// How many contacts with bodies of the other kind a body is likely to have, of those available.
fn likely_contacts(body: &Kind, other: &Kind, available: f64) -> f64 {
    if body.radius == 0.0 {
        // A wall: a face of a cube of so many.
        let side = math::cbrt(available);
        side * side
    } else if other.radius > 0.0 {
        let ratio = (body.radius + other.radius) / (2.0 * other.radius);
        (LIKELY_CONTACTS * ratio * ratio).min(available)
    } else {
        body.corners * available.min(LIKELY_CONTACTS)
    }
}

/// R_eff; j may be a wall.
fn radius_eff(i: &Kind, j: &Kind) -> f64 {
    if j.radius > 0.0 { i.round * j.round / (i.round + j.round) } else { i.round }
}

fn describe(model: &Model, oscillator: &Oscillator, i: &Kind, j: &Kind) -> String {
    let name = |kind: &Kind| &model.materials[kind.material as usize].name;
    let against = if j.radius > 0.0 { format!("radius {:.3e} m", j.radius) } else { "a wall".into() };
    format!("{} of {} (radius {:.3e} m) against {} ({against})", oscillator.motion, name(i), i.radius, name(j))
}

/// For each material the lightest, the largest and the smallest sphere, moved or not, there or to come, and its walls.
fn kinds<B: Borrow<Body>>(
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
            // A stream counts with all its bodies, and with its smallest and its largest one.
            for inflow in model.inflows.iter().filter(|inflow| moved && inflow.material == material) {
                let extremes = inflow.extremes(model.materials[material as usize].density);
                for _ in 0..inflow.count.min(of_each) {
                    group.extend(extremes.iter().map(kind));
                }
                count = count.saturating_add(inflow.count as usize);
            }
            let number = kinds.len();
            let extremes = extremes(&group, of_each as usize).into_iter();
            kinds.extend(extremes.map(|body| Kind { group: number, body, count, ..group[body] }));
        }
        let wall = |body: &Body| body.material == material && body.shape.radius().is_none();
        let walls = bodies.clone().filter(|(body, _)| wall(body.borrow()));
        let count = walls.clone().map(|(_, alike)| alike).sum();
        // One of them stands for all, a servo if there is one: the lightest.
        let servo =
            walls.map(|(body, _)| if let Motion::Servo(servo) = body.borrow().motion { 1.0 / servo.mass } else { 0.0 });
        if count > 0 {
            let (servo, group) = (servo.fold(0.0, f64::max), kinds.len());
            kinds.push(Kind { servo, group, count, ..Kind::wall(material) });
        }
    }
    kinds
}

/// Which of these are the lightest, the smallest and the largest, so many of each.
fn extremes(group: &[Kind], of_each: usize) -> Vec<usize> {
    let lighter = |a: &usize, b: &usize| group[*b].inverse_mass.total_cmp(&group[*a].inverse_mass);
    let smaller = |a: &usize, b: &usize| group[*a].radius.total_cmp(&group[*b].radius);
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

fn kind_of(model: &Model, body: &Body, moved: bool, which: Extremes) -> Kind {
    let (mass, inertia) = body.mass_and_inertia(model.materials[usize::from(body.material)].density);
    let moment = if which == Extremes::Certain { inertia.max_element() } else { inertia.min_element() };
    let [most_round, least_round] = body.shape.roundness().unwrap_or_default();
    let reach = body.shape.radius().unwrap_or(0.0);
    let (radius, round, arm, corners) = match (body.shape, which) {
        (Shape::Ellipsoid { axes }, Extremes::Likely) => (reach, most_round, reach - axes.min_element(), 1.0),
        (Shape::Box { .. }, Extremes::Likely) => (reach, most_round, reach, 4.0),
        // For certain it is hit in its middle, where it is nearest to its centre.
        (Shape::Ellipsoid { axes }, Extremes::Certain) => (axes.min_element(), least_round, 0.0, 1.0),
        (Shape::Box { size }, Extremes::Certain) => (0.5 * size.min_element(), least_round, 0.0, 1.0),
        _ => (reach, reach, 0.0, 1.0),
    };
    Kind {
        radius,
        round,
        arm,
        corners,
        inverse_mass: if moved { 1.0 / mass } else { 0.0 },
        inverse_inertia: if moved { 1.0 / moment } else { 0.0 },
        ..Kind::wall(body.material)
    }
}

/// Every spring and dashpot of a pair's laws on its mode; `overlap`, a fraction of R_eff, where they depend on it.
fn oscillators(laws: &PairLaws, i: &Kind, j: &Kind, overlap: f64) -> Vec<Oscillator> {
    let radius_eff = radius_eff(i, j);
    let translation = [i, j].map(|kind| kind.inverse_mass + kind.arm * kind.arm * kind.inverse_inertia);
    let rotation = [i.inverse_inertia, j.inverse_inertia];
    let rolling = rotation.map(|q| q * radius_eff * radius_eff);
    let rocking = [i, j].map(|kind| kind.inverse_mass + kind.radius * kind.radius * kind.inverse_inertia);
    let mass_eff = 1.0 / (i.inverse_mass + j.inverse_mass);
    let critical_dashpot = |k: f64, q: [f64; 2]| 2.0 * (k / (q[0] + q[1])).sqrt();
    // Corners of a box that touch a wall at once share the mass that normal dashpots count with (THEORY.md eq. 2.9).
    let corners = if j.radius > 0.0 { 1.0 } else { i.corners };
    let normal_dashpot = |gamma: f64, ratio: f64, k: f64| {
        let rate = gamma * mass_eff / corners;
        rate + ratio * critical_dashpot(k, translation) / f64::sqrt(corners)
    };
    let holds = |limit: &Limit| limit.static_ > 0.0;
    let mut list = Vec::new();
    let mut push = |holds, motion, stiffness, dashpot, inverse_inertia| {
        list.push(Oscillator { motion, stiffness, dashpot, holds, inverse_inertia });
    };
    match &laws.normal {
        Normal::Hooke(law) => {
            let k = law.stiffness;
            push(true, "normal", k, normal_dashpot(law.damping, law.damping_ratio, k), translation);
        }
        Normal::Hertz(law) => {
            let k = law.slope(radius_eff, overlap * radius_eff);
            let ratio = (5.0_f64 / 6.0).sqrt() * law.damping_ratio;
            push(true, "normal", k, normal_dashpot(law.damping, ratio, k), translation);
        }
    }
    let dashpot = |by_ratio: bool, damping: f64, plain: f64, k: f64, q: [f64; 2]| {
        if by_ratio { damping * critical_dashpot(k, q) } else { damping * plain }
    };
    let slide_dashpot =
        |law: &SlideSlider| dashpot(law.options.damped_by_ratio, law.damping, mass_eff, law.stiffness, rocking);
    // A law from outside that does not state its springs does not limit the step.
    let own = |law: &Own| law.springs(radius_eff).unwrap_or_default();
    match &laws.slide {
        None => {}
        Some(Slide::SpringSlider(law)) => {
            push(holds(&law.limit), "slide", law.stiffness, slide_dashpot(law), rocking);
        }
        Some(Slide::Own(law)) => push(true, "slide", own(law).stiffness, own(law).dashpot, rocking),
    }
    match &laws.roll {
        None | Some(Roll::ConstantTorque(_)) => {}
        Some(Roll::SpringSlider(law)) => {
            let c = dashpot(law.options.damped_by_ratio, law.damping, 1.0, law.stiffness, rolling);
            push(holds(&law.limit), "roll", law.stiffness, c, rolling);
        }
        Some(Roll::Epsd(law)) => {
            let k = law.stiffness_at(radius_eff);
            // The law takes the inertia about the contact point, I + m R^2 = 3.5 I for a solid sphere.
            push(true, "roll", k, law.damping_ratio * 3.5_f64.sqrt() * critical_dashpot(k, rotation), rotation);
        }
        Some(Roll::Viscous(law)) => {
            push(law.limit.as_ref().is_none_or(holds), "roll", 0.0, law.damping, rotation);
        }
        Some(Roll::Own(law)) => push(true, "roll", own(law).stiffness, own(law).dashpot, rotation),
    }
    let area_radius = overlap.sqrt() * radius_eff;
    match &laws.spin {
        None | Some(Spin::ConstantTorque(_)) => {}
        Some(Spin::SpringSlider(law)) => {
            let c = dashpot(law.options.damped_by_ratio, law.damping, 1.0, law.stiffness, rotation);
            push(holds(&law.limit), "spin", law.stiffness, c, rotation);
        }
        Some(Spin::Marshall(law)) => {
            let c = 0.5 * slide_dashpot(&law.slide) * area_radius * area_radius;
            push(holds(&law.slide.limit), "spin", law.stiffness_at(area_radius), c, rotation);
        }
        Some(Spin::Lubkin(law)) => {
            let k = law.stiffness_at(area_radius);
            push(holds(&law.limit), "spin", k, dashpot(law.damped_by_ratio, law.damping, 1.0, k, rotation), rotation);
        }
        Some(Spin::Own(law)) => push(true, "spin", own(law).stiffness, own(law).dashpot, rotation),
    }
    if let Some(Friction::Tracked(law)) = &laws.friction {
        let holds = holds(&law.limit);
        for (motion, k, c) in tracked_springs(law, i, j, radius_eff, area_radius) {
            push(holds, motion, k, c, if motion == "slide" { rocking } else { rotation });
        }
    }
    list
}

/// Motion, stiffness and dashpot of the springs of `tracked`. In the form of the paper each body has a rolling spring of its own:
/// both act on the rolling of one against the other as the reciprocal one does (THEORY.md eq. 3.24), so one stands for them.
fn tracked_springs(
    law: &Tracked,
    i: &Kind,
    j: &Kind,
    radius_eff: f64,
    area_radius: f64,
) -> Vec<(&'static str, f64, f64)> {
    let shared = |q: [f64; 2]| if q[0] * q[1] > 0.0 { 2.0 / (q[0] + q[1]) } else { 1.0 / (q[0] + q[1]) };
    let mass = shared([i.inverse_mass, j.inverse_mass]);
    let inertia = shared([i.inverse_inertia, j.inverse_inertia]);
    let mut list = vec![("slide", law.stiffness, 2.0 * law.damping * (mass * law.stiffness).sqrt())];
    let share = if j.radius > 0.0 { 1.0 - 2.0 * radius_eff / (i.round + j.round) } else { 1.0 };
    if let Some(roll) = law.roll {
        let k = 4.0 * roll.eta * law.stiffness * radius_eff * radius_eff;
        list.push(("roll", share * k, share * 2.0 * roll.damping * (inertia * k).sqrt()));
    }
    if let Some(spin) = law.spin {
        let arm = match spin.curvature {
            SpinCurvature::Given(curvature) => 1.0 / curvature,
            SpinCurvature::Bodies => radius_eff,
            SpinCurvature::Hertz => area_radius,
        };
        let k = spin.eta * law.stiffness * arm * arm;
        list.push(("spin", k, 2.0 * spin.damping * (inertia * k).sqrt()));
    }
    list
}

/// pi R sqrt(rho/G)/(0.1631 nu + 0.8766), for comparison; Poisson's ratio is taken as 0.25, on which it hardly depends.
fn rayleigh_time(model: &Model, kinds: &[Kind]) -> Option<f64> {
    let poisson = 0.25;
    let times = kinds.iter().filter(|kind| kind.radius > 0.0 && kind.inverse_mass > 0.0).filter_map(|kind| {
        let Normal::Hertz(law) = model.laws.get(kind.material, kind.material)?.normal else { return None };
        // Equal spheres: E* = E/(2 (1 - nu^2)), so G = E/(2 (1 + nu)) = E* (1 - nu).
        let shear = 0.75 * law.stiffness * (1.0 - poisson);
        let density = model.materials[kind.material as usize].density;
        Some(std::f64::consts::PI * kind.radius * (density / shear).sqrt() / (0.1631 * poisson + 0.8766))
    });
    times.min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::law::{Hertz, Hooke, RollViscous, SpinLubkin, SpinMarshall};
    use crate::model::Material;
    use crate::world::{Setup, World};

    /// A spring next to nothing beside a dashpot had a critical step of 0: its damping ratio squared overflowed.
    #[test]
    fn a_spring_next_to_nothing_leaves_the_step_of_its_dashpot() {
        let of = |stiffness: f64| {
            let inverse_inertia = [1.0, 0.0];
            Oscillator { motion: "spin", stiffness, dashpot: 0.5, holds: true, inverse_inertia }.critical([1.0; 2])
        };
        assert_eq!([1e-303, 1e-20, 0.0].map(of), [4.0; 3]);
        // Below the bound the two forms agree to rounding: the spring changes the step by 1/(4 zeta^2) = 4e-14.
        assert!((of(1e-14) / 4.0 - 1.0).abs() < 1e-13);
    }

    fn pair(laws: PairLaws, bodies: usize) -> Option<StepAdvice> {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 6.0 / std::f64::consts::PI }], 1.0);
        model.laws.set(0, 0, laws);
        let ball = |i: usize| Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::X * i as f64);
        advise(&model, &(0..bodies).map(ball).collect::<Vec<_>>())
    }

    #[test]
    fn two_spheres_have_the_closed_form() {
        // m = 1, k = 1: omega^2 = 2.
        let laws = PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
        let advice = pair(laws, 2).unwrap();
        assert!((advice.critical - 2.0_f64.sqrt()).abs() < 1e-12);
        // Slide: omega^2 = 2 + 2 R^2/I = 7; its dashpot 0.5 m_eff gives 2 zeta omega = 0.25 * 7.
        let slide = SlideSlider::new(1.0, 0.5, Limit::mu(0.3));
        let advice = pair(PairLaws { slide: Some(Slide::SpringSlider(slide)), ..laws }, 2).unwrap();
        let zeta = 1.75 / (2.0 * 7.0_f64.sqrt());
        let expected = 2.0 / 7.0_f64.sqrt() * ((1.0 + zeta * zeta).sqrt() - zeta);
        assert!((advice.critical - expected).abs() < 1e-12, "{advice:?}");
        assert!(advice.governed_by.starts_with("slide"));
    }

    #[test]
    fn many_grains_count_six_contacts_and_one_grain_has_no_step() {
        let laws = PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
        let advice = pair(laws, 100).unwrap();
        assert!((advice.critical - (2.0_f64 / 6.0).sqrt()).abs() < 1e-12);
        assert_eq!(pair(laws, 1), None);
    }

    #[test]
    fn the_limit_is_that_of_one_contact_between_bodies_that_move_freely() {
        let laws = PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
        let limit = |advice: Option<StepAdvice>| advice.and_then(|advice| advice.limit).map(|limit| limit.step);
        // m = 1, k = 1: omega^2 = 2, however many there are.
        for bodies in [2, 100] {
            assert!((limit(pair(laws, bodies)).unwrap() - 2.0_f64.sqrt()).abs() < 1e-12);
        }
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 6.0 / std::f64::consts::PI }], 1.0);
        model.laws.set(0, 0, laws);
        let ball = |i: usize| Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::X * i as f64);
        // A held centre cannot bounce; a locked one may not.
        let held = [0, 1].map(|i| Body { motion: Motion::Held, ..ball(i) });
        let locked = [0, 1].map(|i| Body { lock: [false, false, true, false, false, false], ..ball(i) });
        assert!([held, locked].iter().all(|bodies| limit(advise(&model, bodies)).is_none()));
        // Against a fixed one: omega^2 = 1.
        let fixed = [ball(0), Body { motion: Motion::Fixed, ..ball(1) }];
        assert!((limit(advise(&model, &fixed)).unwrap() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn springs_that_carry_nothing_single_bodies_and_small_moments_do_not_lower_the_limit() {
        // Sound steps were refused: for a slider with mu = 0, for the only small ball of a scene as if it met itself, and for
        // unequal moments, of which the smallest counted.
        let normal = PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
        let slide = |mu: f64| Some(Slide::SpringSlider(SlideSlider::new(100.0, 0.0, Limit::mu(mu))));
        let limit = |laws: PairLaws, bodies: &[Body]| {
            let density = 6.0 / std::f64::consts::PI;
            let mut model = Model::new(vec![Material { name: "grain".into(), density }], 1.0);
            model.laws.set(0, 0, laws);
            advise(&model, bodies).unwrap().limit.unwrap().step
        };
        let ball = |radius: f64| Body::new(Shape::Sphere { radius }, 0, DVec3::ZERO);
        let two = [ball(0.5), ball(0.5)];
        assert!((limit(PairLaws { slide: slide(0.0), ..normal }, &two) - 2.0_f64.sqrt()).abs() < 1e-12);
        // omega^2 = 100 (2 + 2 R^2/I) = 700.
        let stiff = PairLaws { slide: slide(0.3), ..normal };
        assert!((limit(stiff, &two) - 2.0 / 700.0_f64.sqrt()).abs() < 1e-12);
        // Of masses 1 and 1000 and 1000: omega^2 = 1.001; with a second small one 2.
        let one_small = [ball(0.5), ball(5.0), ball(5.0)];
        assert!((limit(normal, &one_small) - 2.0 / 1.001_f64.sqrt()).abs() < 1e-12);
        let two_small = [ball(5.0), ball(0.5), ball(5.0), ball(0.5)];
        assert!((limit(normal, &two_small) - 2.0_f64.sqrt()).abs() < 1e-12);
        // Moments of 0.1, 0.1 and 0.01: it turns with 0.1 where the axis of the least is the normal.
        let long = Body { inertia_body: Some(DVec3::new(0.1, 0.1, 0.01)), ..ball(0.5) };
        assert!((limit(stiff, &[long.clone(), long]) - 2.0 / 700.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_ball_on_a_floor_shakes_itself_off_above_the_limit_and_not_below() {
        for damping in [0.0, 0.7] {
            // m = 1, k = 1, g = 0.1: it rests at an overlap of 0.1, and starts 1 % beside that.
            let laws = PairLaws::frictionless(Normal::Hooke(Hooke::new(1.0, damping)));
            let grown = |share: f64| {
                let density = 6.0 / std::f64::consts::PI;
                let mut model = Model::new(vec![Material { name: "grain".into(), density }], 1.0);
                model.laws.set(0, 0, laws);
                model.gravity = DVec3::Z * -0.1;
                let floor =
                    Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
                let bodies = vec![Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::Z * 0.401), floor];
                model.dt = share * advise(&model, &bodies).unwrap().limit.unwrap().step;
                let mut world = World::new(Setup { model, bodies }).unwrap();
                (0..400).fold(0.0_f64, |most, _| {
                    if world.step().is_err() {
                        return f64::INFINITY;
                    }
                    most.max((world.body(0).position.z - 0.4).abs() / 1e-3)
                })
            };
            // Undamped just below: |z| = 1, and the amplitude is 1/sqrt(1 - 0.99^2) = 7 times the start. Damped just above:
            // z = -1.06 by the recurrence, so 400 steps are more than enough to leave the floor, at 100.
            assert!(grown(0.99) < 8.0 && grown(1.01) > 100.0, "{} {}", grown(0.99), grown(1.01));
        }
    }

    #[test]
    fn the_limit_of_hertz_is_ten_times_the_critical_step_of_a_pair() {
        // The slope goes with the root of the overlap, the step with the root of that: (1e-2/1e-6)^(1/4).
        let laws = PairLaws::frictionless(Normal::Hertz(Hertz::with_restitution(1e6, 1.0, false)));
        let advice = pair(laws, 2).unwrap();
        assert!((advice.limit.unwrap().step / advice.critical - 10.0).abs() < 1e-12);
    }

    #[test]
    fn the_corners_of_a_box_share_the_mass_of_their_dashpots() {
        // On its face four corners have the damping ratio that is asked for, not twice that. With the unit density and edges of 1, 2
        // and 3: m = 6, the least moment is m (1 + 4)/12 = 2.5, the corners are 3.5^(1/2) away.
        let hooke = Hooke { damping_ratio: 0.5, ..Hooke::new(7.0, 0.0) };
        let mut model = Model::new(vec![Material { name: "brick".into(), density: 1.0 }], 1.0);
        model.laws.set(0, 0, PairLaws::frictionless(Normal::Hooke(hooke)));
        let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
        let brick = Body::new(Shape::Box { size: DVec3::new(1.0, 2.0, 3.0) }, 0, DVec3::Z * 5.0);
        let omega = (4.0 * 7.0 * (1.0 / 6.0 + 3.5 / 2.5_f64)).sqrt();
        let expected = 2.0 / omega * (1.25_f64.sqrt() - 0.5);
        let found = advise(&model, &[brick, floor]).unwrap().critical;
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn a_dashpot_alone_limits_the_step() {
        let laws = PairLaws::frictionless(Normal::Hooke(Hooke::new(0.0, 3.0)));
        // rate = gamma m_eff (1/m + 1/m) = gamma.
        assert!((pair(laws, 2).unwrap().critical - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn tracked_on_a_plane_has_the_step_of_its_dashpot() {
        // m = 1, K_E = 100: with s = dt sqrt(K_E/m), 14 s + 3.5 s^2 = 4, as two times the critical dashpot acts on m/3.5.
        let soft = Normal::Hooke(Hooke::new(1e-9, 0.0));
        let law = Tracked::new(100.0, Limit::mu(0.3)).with_roll(0.01).with_spin(0.01, SpinCurvature::Bodies);
        let density = 6.0 / std::f64::consts::PI;
        let mut model = Model::new(vec![Material { name: "grain".into(), density }], 1.0);
        model.laws.set(0, 0, PairLaws::with_friction(soft, Friction::Tracked(law)));
        let floor = Body { motion: Motion::Fixed, ..Body::new(Shape::Plane { normal: DVec3::Z }, 0, DVec3::ZERO) };
        let bodies = [Body::new(Shape::Sphere { radius: 0.5 }, 0, DVec3::Z), floor];
        let advice = advise(&model, &bodies).unwrap();
        let s = (252.0_f64.sqrt() - 14.0) / 7.0;
        assert!((advice.critical - 0.1 * s).abs() < 1e-12 && advice.governed_by.starts_with("slide"), "{advice:?}");
        // Between two: the reciprocal spring is half as stiff, and q = 20: omega = sqrt(20 * 0.5 * 4 eta K_E R_eff^2).
        let stiff = Tracked::new(1e-6, Limit::mu(0.3)).with_roll(1e8).with_damping(0.0);
        let advice = pair(PairLaws::with_friction(soft, Friction::Tracked(stiff)), 2).unwrap();
        let omega = (20.0 * 0.5 * 4.0 * 100.0 * 0.0625_f64).sqrt();
        assert!((advice.critical - 2.0 / omega).abs() < 1e-12 && advice.governed_by.starts_with("roll"), "{advice:?}");
    }

    #[test]
    fn viscous_rolling_and_the_area_laws_of_spin_limit_the_step() {
        // Two spheres: R = 0.5, R_eff = 0.25, 1/I = 10 each, so q = 20. A soft normal spring never governs.
        let soft = PairLaws::frictionless(Normal::Hooke(Hooke::new(1e-9, 0.0)));
        let critical = |laws: PairLaws| pair(laws, 2).unwrap().critical;
        let viscous = Roll::Viscous(RollViscous { damping: 0.3, limit: None });
        assert!((critical(PairLaws { roll: Some(viscous), ..soft }) - 2.0 / (0.3 * 20.0)).abs() < 1e-12);
        // At 1 % of R_eff the area has the radius 0.025. Marshall: k = 1e6 * 0.025^2/2; two spheres, no dashpot: 2/omega.
        let limit = Limit::mu(0.5);
        let marshall = SpinMarshall { slide: SlideSlider::new(1e6, 0.0, limit) };
        let k: f64 = 1e6 * 0.025 * 0.025 / 2.0;
        let found = critical(PairLaws { spin: Some(Spin::Marshall(marshall)), ..soft });
        assert!((found * (20.0 * k).sqrt() / 2.0 - 1.0).abs() < 1e-12);
        // Lubkin, critically damped: (2/omega)(sqrt(2) - 1).
        let lubkin = SpinLubkin { shear_modulus: 1e6, damping: 1.0, damped_by_ratio: true, limit };
        let k: f64 = 16.0 / 3.0 * 1e6 * 0.025 * 0.025 * 0.025;
        let found = critical(PairLaws { spin: Some(Spin::Lubkin(lubkin)), ..soft });
        assert!((found * (20.0 * k).sqrt() / 2.0 - (2.0_f64.sqrt() - 1.0)).abs() < 1e-12);
    }
}

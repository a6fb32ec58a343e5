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
//! `oscillator.rs` has q for each motion, `kinds.rs` the bodies that stand for all and how many contacts each is likely to have.
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

mod kinds;
mod oscillator;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;

use self::kinds::{Extremes, Kind, LIKELY_CONTACTS, kinds, likely_contacts};
use self::oscillator::{Oscillator, contact, oscillators, states_all_springs};
pub use crate::advice::{StepAdvice, StepLimit};
use crate::body::{Body, Motion};
use crate::law::{SpringLaws, TypicalBody, TypicalContact};
use crate::model::Model;

/// Share of the critical step that is recommended under `hooke`, with laws of unknown springs, and under `hertz` for two alone.
const RECOMMENDED: f64 = 0.1;
/// The same under `hertz` with as many contacts as are likely.
const RECOMMENDED_HERTZ: f64 = 0.3;
/// Overlap at which a Hertz contact is taken, as a fraction of R_eff.
const HERTZ_OVERLAP: f64 = 0.01;
/// The same for the limit: hard grains of a millimetre rest on each other with about this much under their own weight.
const LEAST_HERTZ_OVERLAP: f64 = 1e-6;

/// The step for a model (its own `dt` is not read); `None` when nothing could touch.
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
    for i in kinds.iter().filter(|kind| kind.body.inverse_mass > 0.0) {
        for j in &kinds {
            let available = j.count.saturating_sub(usize::from(i.group == j.group)) as f64;
            let Some(laws) = model.laws.springs(i.material, j.material) else { continue };
            if available == 0.0 {
                continue;
            }
            let returned = i.count.saturating_sub(usize::from(i.group == j.group)) as f64;
            let crowd = [likely_contacts(i, j, available), likely_contacts(j, i, returned)];
            let alone = [likely_contacts(i, j, 1.0), likely_contacts(j, i, 1.0)];
            let at = contact(i, j, HERTZ_OVERLAP);
            for mut oscillator in oscillators(laws, &at) {
                if matches!(oscillator.motion, "normal" | "slide") {
                    oscillator.inverse_inertia[1] += j.servo;
                }
                let words = |contacts: [f64; 2]| {
                    format!("{}, {:.1} contacts at once", describe(model, &oscillator, i, j), contacts[0])
                };
                least.lower(oscillator.critical(crowd), || words(crowd));
                for (share, contacts) in shares(laws, &at, crowd, alone) {
                    recommended.lower(share * oscillator.critical(contacts), || words(contacts));
                }
            }
        }
    }
    let ((critical, governed_by), (step, set_by)) = (least.0?, recommended.0?);
    let (limit, rayleigh) = (limit(model, bodies), rayleigh_time(model, &kinds));
    Some(StepAdvice { step, set_by, automatic: true, critical, governed_by, limit, rayleigh })
}

/// The recommended shares of critical steps, each with the contacts of its step.
fn shares(laws: &SpringLaws, at: &TypicalContact, crowd: [f64; 2], alone: [f64; 2]) -> Vec<(f64, [f64; 2])> {
    if laws.normal.ask(|law| law.dashpot_grows()) && states_all_springs(laws, at) {
        vec![(RECOMMENDED_HERTZ, crowd), (RECOMMENDED, alone)]
    } else {
        vec![(RECOMMENDED, crowd)]
    }
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
    let certain = |(body, _): &(B, usize)| match &body.borrow().motion {
        Motion::Free => body.borrow().lock == [false; 6],
        Motion::Held => false,
        _ => true,
    };
    let kinds = kinds(model, bodies.filter(certain), Extremes::Certain);
    let mut least = Smallest::default();
    for i in kinds.iter().filter(|kind| kind.body.inverse_mass > 0.0) {
        for j in kinds.iter().filter(|j| (j.group, j.number) != (i.group, i.number)) {
            let Some(laws) = model.laws.springs(i.material, j.material) else { continue };
            let at = contact(i, j, LEAST_HERTZ_OVERLAP);
            for oscillator in oscillators(laws, &at).into_iter().filter(|o| o.holds) {
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
    laws: &SpringLaws,
    radii: [f64; 2],
    inverse_masses: [f64; 2],
    overlap: f64,
) -> Option<Spring> {
    let kind = |i: usize| {
        let (radius, inverse_mass) = (radii[i], inverse_masses[i]);
        Kind { body: TypicalBody { radius, round: radius, inverse_mass, ..TypicalBody::default() }, ..Kind::wall(0) }
    };
    // The sphere first.
    let (i, j) = if radii[0] > 0.0 { (kind(0), kind(1)) } else { (kind(1), kind(0)) };
    let radius_eff = contact(&i, &j, 0.0).radius_eff();
    let normal =
        oscillators(laws, &contact(&i, &j, overlap / radius_eff)).into_iter().find(|o| o.motion == "normal")?;
    let inverse_inertia = normal.inverse_inertia[0] + normal.inverse_inertia[1];
    let spring =
        Spring { critical: normal.critical([LIKELY_CONTACTS; 2]), omega: (normal.stiffness * inverse_inertia).sqrt() };
    (inverse_inertia > 0.0).then_some(spring)
}

fn describe(model: &Model, oscillator: &Oscillator, i: &Kind, j: &Kind) -> String {
    let name = |kind: &Kind| &model.materials[kind.material as usize].name;
    let against = if j.body.radius > 0.0 { format!("radius {:.3e} m", j.body.radius) } else { "a wall".into() };
    format!("{} of {} (radius {:.3e} m) against {} ({against})", oscillator.motion, name(i), i.body.radius, name(j))
}

/// pi R sqrt(rho/G)/(0.1631 nu + 0.8766), for comparison; Poisson's ratio is taken as 0.25, on which it hardly depends.
fn rayleigh_time(model: &Model, kinds: &[Kind]) -> Option<f64> {
    let poisson = 0.25;
    let times = kinds.iter().filter(|kind| kind.body.radius > 0.0 && kind.body.inverse_mass > 0.0).filter_map(|kind| {
        let modulus = model.laws.springs(kind.material, kind.material)?.normal.ask(|law| law.effective_modulus())?;
        // Equal spheres: E* = E/(2 (1 - nu^2)), so G = E/(2 (1 + nu)) = E* (1 - nu).
        let shear = modulus * (1.0 - poisson);
        let density = model.materials[kind.material as usize].density;
        Some(std::f64::consts::PI * kind.body.radius * (density / shear).sqrt() / (0.1631 * poisson + 0.8766))
    });
    times.min_by(f64::total_cmp)
}

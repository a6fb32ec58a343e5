//! The springs of a pair's laws on their modes, and the critical step of each (THEORY.md section 4.5).
//!
//!   normal  q = 1/m_i + 1/m_j                            slide  q = 1/m_i + 1/m_j + R_i^2/I_i + R_j^2/I_j
//!   roll    q = R_eff^2 (1/I_i + 1/I_j)  (springs in N/m)   spin   q = 1/I_i + 1/I_j
//!
//! The laws say which springs they have (`FrictionLaw::springs`).

use super::kinds::Kind;
use crate::law::springs::Unit;
use crate::law::{Spring, SpringLaws, TypicalContact};

/// A spring and a dashpot on a mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Oscillator {
    pub motion: &'static str,
    pub stiffness: f64,
    pub dashpot: f64,
    /// Whether it may carry anything: not with a limit of zero.
    pub holds: bool,
    /// What each of the two bodies contributes to the mode's inverse inertia.
    pub inverse_inertia: [f64; 2],
}

impl Oscillator {
    /// The critical step when so many of these act on the one and on the other body.
    pub fn critical(&self, contacts: [f64; 2]) -> f64 {
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

/// The motions as words.
const MOTIONS: [&str; 3] = ["slide", "roll", "spin"];

/// A contact of two kinds, at an overlap that is this fraction of R_eff.
pub(super) fn contact(i: &Kind, j: &Kind, overlap: f64) -> TypicalContact {
    let corners = if j.body.radius > 0.0 { 1.0 } else { i.corners };
    TypicalContact { bodies: [i.body, j.body], corners, overlap }
}

/// Every spring and dashpot of a pair's laws on its mode.
pub(super) fn oscillators(laws: &SpringLaws, at: &TypicalContact) -> Vec<Oscillator> {
    let on = |motion, spring: Spring, inverse_inertia| {
        let Spring { stiffness, dashpot, holds, .. } = spring;
        Oscillator { motion, stiffness, dashpot, holds, inverse_inertia }
    };
    let mut list = vec![on("normal", laws.normal.ask(|law| law.spring(at)), at.translation())];
    laws.each_friction(|law| {
        // A law that does not say which springs it has does not limit the step.
        let springs = law.springs(at).unwrap_or_default();
        for (motion, spring) in springs.0.into_iter().enumerate() {
            let Some(spring) = spring else { continue };
            let inverse_inertia = match (motion, spring.unit) {
                (0, _) => at.rocking(),
                (1, Unit::PerMetre) => at.rolling(),
                _ => at.rotation(),
            };
            list.push(on(MOTIONS[motion], spring, inverse_inertia));
        }
    });
    list
}

/// Whether every law says which springs it has: the critical step knows nothing of others.
pub(super) fn states_all_springs(laws: &SpringLaws, at: &TypicalContact) -> bool {
    !laws.any_friction(|law| law.springs(at).is_none())
}

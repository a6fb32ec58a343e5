//! `hooke`: a linear spring and dashpot along the normal (Cundall and Strack 1979; `santos` eq. 1a).
//!
//! F = k d - c v_n,  c = gamma m_eff + 2 b sqrt(k m_eff)                                    (THEORY.md eq. 3.2)
//!
//! with the overlap d and the separation rate v_n. Give either gamma (`damping`, 1/s) or b (`damping_ratio`, or from
//! `restitution`). F may pull at the end of a collision; `cohesionless` clips it at zero.
//!
//! ```
//! use stickslip::law::Hooke;
//! let law = Hooke::with_restitution(1e5, 0.5, false);
//! assert!((law.damping_ratio - 0.2155).abs() < 1e-4);
//! ```

use crate::contact::Contact;
use crate::law::restitution::{damping_ratio, of_damping_ratio};
use crate::law::{NormalLaw, Press, Spring, TypicalContact};

/// Parameters of `hooke`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hooke {
    /// k (N/m).
    pub stiffness: f64,
    /// gamma (1/s), times the effective mass.
    pub damping: f64,
    /// b, a fraction of the critical damping.
    pub damping_ratio: f64,
    /// The force never pulls.
    pub cohesionless: bool,
}

impl Hooke {
    /// A spring with a dashpot of `damping` (1/s) times the effective mass.
    pub fn new(stiffness: f64, damping: f64) -> Self {
        Hooke { stiffness, damping, damping_ratio: 0.0, cohesionless: false }
    }

    /// A spring whose dashpot gives this coefficient of restitution.
    pub fn with_restitution(stiffness: f64, restitution: f64, cohesionless: bool) -> Self {
        Hooke { stiffness, damping: 0.0, damping_ratio: damping_ratio(restitution, cohesionless), cohesionless }
    }
}

impl NormalLaw for Hooke {
    const NAME: &'static str = "hooke";

    #[inline(always)]
    fn press(&self, contact: &Contact) -> Press {
        let m = contact.normal_mass;
        let critical = if self.damping_ratio == 0.0 { 0.0 } else { 2.0 * (self.stiffness * m).sqrt() };
        let dashpot = self.damping * m + self.damping_ratio * critical;
        let force = self.stiffness * contact.overlap - dashpot * contact.separation_rate;
        Press::without_adhesion(contact, if self.cohesionless { force.max(0.0) } else { force })
    }

    #[inline(always)]
    fn stored(&self, contact: &Contact) -> f64 {
        0.5 * self.stiffness * contact.overlap * contact.overlap
    }

    fn stiffness(&self, _: f64, _: f64) -> f64 {
        self.stiffness
    }

    fn restitution(&self) -> Option<f64> {
        (self.damping == 0.0).then(|| of_damping_ratio(self.damping_ratio, self.cohesionless))
    }

    fn spring(&self, at: &TypicalContact) -> Spring {
        at.normal_spring(self.stiffness, self.damping, self.damping_ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::testing::contact;

    #[test]
    fn the_force_is_a_spring_and_a_dashpot_that_may_pull() {
        // k d = 10 * 0.1 = 1 N; c = 4 * 0.5 = 2 kg/s.
        let law = Hooke::new(10.0, 4.0);
        let at = |law: Hooke, rate: f64| law.press(&Contact { separation_rate: rate, ..contact() }).force;
        assert_eq!(at(law, 0.0), 1.0);
        assert!((at(law, -0.3) - 1.6).abs() < 1e-15);
        assert!((at(law, 0.9) + 0.8).abs() < 1e-15);
        assert_eq!(at(Hooke { cohesionless: true, ..law }, 0.9), 0.0);
        assert!((law.stored(&contact()) - 0.05).abs() < 1e-16);
    }

    #[test]
    fn a_damping_ratio_is_a_share_of_critical() {
        // 2 b sqrt(k m_eff) = 2 * 0.25 * sqrt(8 * 0.5) = 1.
        let law = Hooke { damping_ratio: 0.25, ..Hooke::new(8.0, 0.0) };
        let force = law.press(&Contact { separation_rate: -1.0, ..contact() }).force;
        assert!((force - 1.8).abs() < 1e-15);
    }
}

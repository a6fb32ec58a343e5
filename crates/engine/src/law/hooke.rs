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
use crate::law::NormalLaw;
use crate::law::restitution::damping_ratio;

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
    #[inline(always)]
    fn press(&self, contact: &Contact) -> f64 {
        let m = contact.mass_eff;
        let dashpot = self.damping * m + 2.0 * self.damping_ratio * (self.stiffness * m).sqrt();
        let force = self.stiffness * contact.overlap - dashpot * contact.separation_rate();
        if self.cohesionless { force.max(0.0) } else { force }
    }

    #[inline(always)]
    fn stored(&self, contact: &Contact) -> f64 {
        0.5 * self.stiffness * contact.overlap * contact.overlap
    }
}

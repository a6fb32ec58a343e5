//! `mindlin`, against slide: elastic spheres under any sequence of normal and tangential loads (Cattaneo 1938, Mindlin 1949, as
//! superposed by Jaeger 1993).
//!
//! dQ/ds = k_t where all sticks, less as slip spreads inwards from the rim; always |Q| <= mu P, P the elastic force of hertz. The
//! contact remembers the polyline of `mindlin/polyline.rs` in a frame (t1, t2 = n x t1): t1 turns with the pair as any
//! vector in a memory, and with it the whole history (THEORY.md eqs. 3.29 to 3.31).
//!
//! A contact that begins within a step counts the slip of the share of the step in which it touched. The dashpot, if there is
//! one, is a share of the critical one of k_t, which grows with the contact as Tsuji's (1992), and gets the room that mu P leaves.
//! The normal dashpot never enters Q.
//!
//! **Limitations.** `history` vertices are remembered: what is beyond is approximated (docs/elastic-contacts.md). Where the direction
//! of slip changes, the whole slipping annulus takes the new direction; rings that return one by one would turn faster.
//! The normal law must be `hertz`.
//!
//! ```
//! use stickslip::law::{ElasticPair, Mindlin};
//! let law = Mindlin::new(ElasticPair { modulus: 34e9, poisson: 0.15 }, 0.5);
//! assert_eq!((law.history, law.damping_ratio), (12, 0.0));
//! ```

mod memory;
pub(crate) mod polyline;
#[cfg(test)]
mod tests;

use glam::{DVec2, DVec3};

use crate::contact::{Contact, Resistance};
use crate::law::elastic::{ElasticPair, with_dashpot};
use crate::law::{FrictionLaw, Limit, Motions, Springs, TypicalContact};

pub use memory::MindlinMemory;
use polyline::{Polyline, VERTEX};

/// Parameters of `mindlin`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mindlin {
    /// E* and nu; E* is that of the hertz beside it.
    pub elastic: ElasticPair,
    /// mu.
    pub mu: f64,
    /// How many vertices of the load history a contact remembers, `LEAST_HISTORY` to `MOST_HISTORY`.
    pub history: u16,
    /// Dashpot as a fraction of the critical one of k_t.
    pub damping_ratio: f64,
}

/// How the contact has moved in a step: its frame, and the slip in it (m).
pub(super) struct Sheared {
    pub t1: DVec3,
    pub t2: DVec3,
    pub ds: DVec2,
}

impl Mindlin {
    /// The shortest history.
    pub const LEAST_HISTORY: u16 = 3;
    /// The longest history.
    pub const MOST_HISTORY: u16 = 1000;
    /// The default history.
    pub const HISTORY: u16 = 12;

    /// With the default history and no dashpot.
    pub fn new(elastic: ElasticPair, mu: f64) -> Self {
        Mindlin { elastic, mu, history: Mindlin::HISTORY, damping_ratio: 0.0 }
    }

    /// Slope m = mu kappa of the cone.
    #[inline(always)]
    pub fn slope(&self) -> f64 {
        self.mu * self.elastic.kappa()
    }

    /// The frame, and the slip of the step in it; of a contact that begins, of the share of the step in which it touched.
    #[inline(always)]
    pub(super) fn follow(&self, contact: &Contact, memory: &MindlinMemory) -> Sheared {
        let n = contact.normal;
        let new = memory.count == 0.0;
        let along = memory.frame - n * memory.frame.dot(n);
        let t1 = if new { n.any_orthonormal_vector() } else { along * (1.0 / along.length()) };
        let t2 = n.cross(t1);
        let approach = -contact.separation_rate * contact.dt;
        let touched = if new { (contact.overlap / approach.max(contact.overlap)).min(1.0) } else { 1.0 };
        // Where it parts already, it has not come by approaching: it was placed so.
        let dt = if new && approach <= 0.0 { 0.0 } else { contact.dt * touched };
        let slip = contact.slip(contact.lever_a, contact.lever_b);
        Sheared { t1, t2, ds: DVec2::new(slip.dot(t1), slip.dot(t2)) * dt }
    }

    /// The load that the polyline's apex bears, and the dashpot.
    #[inline(always)]
    pub(super) fn load(&self, contact: &Contact, memory: &MindlinMemory, sheared: &Sheared) -> Resistance {
        let scale = 4.0 / 3.0 * self.elastic.tangential_modulus() * contact.radius_eff.sqrt();
        let q = memory.apex.q * scale;
        let held = sheared.t1 * q.x + sheared.t2 * q.y;
        if self.damping_ratio == 0.0 {
            let (lever_a, lever_b) = (contact.lever_a, contact.lever_b);
            return Resistance { force: -held, lever_a, lever_b, ..Resistance::default() };
        }
        let slip = contact.slip(contact.lever_a, contact.lever_b);
        let c = self.elastic.slide_dashpot(contact, contact.hertz_radius(), self.damping_ratio);
        with_dashpot(contact, held, slip * c, self.slope() * scale * memory.apex.p)
    }

    /// Elastic energy (J) in the history.
    pub(super) fn energy(&self, contact: &Contact, memory: &MindlinMemory, cold: &[f64]) -> f64 {
        let scale = 4.0 / 3.0 * self.elastic.tangential_modulus() * contact.radius_eff.sqrt();
        let mut below = cold.to_vec();
        scale * memory.polyline(&mut below).stored()
    }
}

/// Whether the lane holds a contact at all: others run along with numbers of any kind.
#[inline(always)]
pub(super) fn touches(contact: &Contact) -> bool {
    contact.overlap > 0.0
}

impl FrictionLaw for Mindlin {
    const NAME: &'static str = "mindlin";
    const RESISTS: Motions = Motions::SLIDE;
    type Memory = MindlinMemory;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut MindlinMemory, cold: &mut [f64]) -> Resistance {
        if !touches(contact) {
            *memory = MindlinMemory::default();
            return Resistance::default();
        }
        let sheared = self.follow(contact, memory);
        memory.advance(cold, &sheared, contact.overlap, self.slope());
        self.load(contact, memory, &sheared)
    }

    fn stored(&self, contact: &Contact, memory: &MindlinMemory, cold: &[f64]) -> [f64; 3] {
        [self.energy(contact, memory, cold), 0.0, 0.0]
    }

    #[inline(always)]
    fn cold_numbers(&self) -> usize {
        usize::from(self.history) * VERTEX
    }

    fn swapped(&self, memory: MindlinMemory, cold: &mut [f64]) -> MindlinMemory {
        memory.swapped(cold)
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        self.elastic.slide_springs(at, self.damping_ratio, self.mu)
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::SLIDE).then_some(Limit::mu(self.mu))
    }
}

impl MindlinMemory {
    /// The polyline, whose vertices below the apex are in `cold`.
    #[inline(always)]
    pub(super) fn polyline<'a>(&self, cold: &'a mut [f64]) -> Polyline<'a> {
        let most = cold.len() / VERTEX;
        Polyline { apex: self.apex, count: (self.count as usize).min(most), below: cold }
    }

    /// Moves the polyline's apex by the slip to the overlap.
    #[inline(always)]
    pub(super) fn advance(&mut self, cold: &mut [f64], sheared: &Sheared, overlap: f64, slope: f64) {
        let mut line = self.polyline(cold);
        let slipping = line.advance(overlap, sheared.ds, slope);
        *self = MindlinMemory { frame: sheared.t1, count: line.count as f64, apex: line.apex, slipping };
    }
}

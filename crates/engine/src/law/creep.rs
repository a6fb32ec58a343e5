//! `creep`, against slide: `mindlin` with the creepage of rolling elastic spheres (Kuhn 2014, after Kalker and Dahlberg and
//! Alfredsson).
//!
//! Material that rolls into the contact is not sheared yet. Per rolled length |u_roll| the displacement that loads the contact
//! loses Kalker's creepage:
//!
//!   ds = slip dt - F_max (Q/(mu P)) |u_roll|/(1 + c + c^2)     c = (1 - tau)^(1/3)     tau = |Q|/(mu P)
//!   F_max = 8 mu a/((1 - nu) C_11 2 R_eff)                                       (THEORY.md eqs. 3.32 to 3.34; Kuhn eq. 16)
//!
//! with Q and P of the step before; then the polyline of `mindlin` moves by ds. Without rolling it is `mindlin`. After long rolling at a
//! constant creepage xi = |slip|/|roll| < F_max, tau = 1 - (1 - xi/F_max)^3; a small Q decays over the rolled length (2 - nu) C_11 a/4.
//! u_roll is the objective rolling vector of Kuhn (`Contact::rolling`).
//!
//! A step that rolls by more than a quarter of the contact radius is done in parts, at most `MOST_PARTS`: in larger ones the explicit
//! update overshoots. Limitations: C_11 serves for every angle between slip and rolling; spheres and walls only.

use crate::contact::{Contact, Resistance};
use crate::law::mindlin::{Mindlin, MindlinMemory, Sheared, touches};
use crate::law::{FrictionLaw, Limit, Motions, Springs, TypicalContact};
use crate::math;

/// Rolled length of one part of a step, in contact radii: below it the update is monotone.
const PART: f64 = 0.25;

/// The most parts of a step. More is asked for only where contacts hardly touch.
const MOST_PARTS: f64 = 8.0;

/// Parameters of `creep`: those of `mindlin`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Creep(pub Mindlin);

impl Creep {
    /// F_max, the creepage (slip per rolled length) from which on all slips, at this ratio a/R_eff.
    #[inline(always)]
    pub fn largest_creepage(&self, patch_ratio: f64) -> f64 {
        let Mindlin { mu, elastic, .. } = self.0;
        4.0 * mu * patch_ratio / ((1.0 - elastic.poisson) * elastic.creepage_coefficient())
    }

    /// Moves the polyline's apex by the slip less the creepage.
    #[inline(always)]
    fn advance(&self, contact: &Contact, memory: &mut MindlinMemory, cold: &mut [f64], sheared: &Sheared) {
        let (z, slope) = (contact.overlap, self.0.slope());
        let slip = contact.slip(contact.lever_a, contact.lever_b);
        let rolled = contact.rolling(slip).length() * contact.dt;
        let patch = contact.hertz_radius();
        let parts = if rolled > PART * patch { (rolled / (PART * patch)).ceil().min(MOST_PARTS) } else { 1.0 };
        let creepage = self.largest_creepage(patch / contact.radius_eff) * rolled / parts;
        let from = if memory.count == 0.0 { z } else { memory.apex.z };
        let mut line = memory.polyline(cold);
        let mut slipping = false;
        for part in 1..=parts as u32 {
            // Of a contact that has just begun Q = 0: nothing creeps.
            let full = slope * line.apex.p;
            let held = if full > 0.0 { line.apex.q / full } else { line.apex.q };
            let c = math::cbrt((1.0 - held.length()).max(0.0));
            let ds = sheared.ds / parts - held * (creepage / (1.0 + c + c * c));
            let to = from + (z - from) * (f64::from(part) / parts);
            slipping = line.advance(if part == parts as u32 { z } else { to }, ds, slope);
        }
        *memory = MindlinMemory { frame: sheared.t1, count: line.count as f64, apex: line.apex, slipping };
    }
}

impl FrictionLaw for Creep {
    const NAME: &'static str = "creep";
    const RESISTS: Motions = Motions::SLIDE;
    type Memory = MindlinMemory;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut MindlinMemory, cold: &mut [f64]) -> Resistance {
        if !touches(contact) {
            *memory = MindlinMemory::default();
            return Resistance::default();
        }
        let sheared = self.0.follow(contact, memory);
        self.advance(contact, memory, cold, &sheared);
        self.0.load(contact, memory, &sheared)
    }

    fn stored(&self, contact: &Contact, memory: &MindlinMemory, cold: &[f64]) -> [f64; 3] {
        self.0.stored(contact, memory, cold)
    }

    #[inline(always)]
    fn cold_numbers(&self) -> usize {
        self.0.cold_numbers()
    }

    fn swapped(&self, memory: MindlinMemory, cold: &mut [f64]) -> MindlinMemory {
        self.0.swapped(memory, cold)
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        FrictionLaw::springs(&self.0, at)
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        FrictionLaw::limit(&self.0, motion)
    }

    fn knows_spheres_only(&self) -> bool {
        true
    }
}

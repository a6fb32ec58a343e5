//! `mindlin-secant`, `mindlin-rescale`, `mindlin-force`, `mindlin-rescale-force`, against slide: springs of the stiffness k_t = 2 G* a that a
//! contact of elastic spheres has where all sticks, as LAMMPS and YADE have them (Thornton et al. 2013; THEORY.md eq. 3.35).
//!
//!   secant          x += ds            Q = k_t x                  LAMMPS `mindlin`
//!   rescale         x *= a/a_before where the contact shrinks, then as secant       LAMMPS `mindlin_rescale`
//!   force           Q += k_t ds                                   LAMMPS `mindlin/force`, YADE
//!   rescale-force   Q *= a/a_before where the contact shrinks, then as force        LAMMPS `mindlin_rescale/force`, Thornton
//!
//! then |Q| <= mu N: Q is cut to the kinetic limit once it exceeds the static one. They are simpler than `mindlin`: no slip spreads
//! inwards, and nothing is remembered but one vector. **Only `mindlin-rescale-force` is passive**: where the normal load changes
//! while the contact sticks, `secant` and `rescale` create energy in loops that are pressed harder after shear,
//! `force` in loops that are released after it. The energy ledger shows it as a negative `lost_slide`.
//!
//! The dashpot is a share of the critical one of k_t, which grows with the contact as Tsuji's (1992), in the room that mu N leaves.

use glam::DVec3;

use crate::contact::{Contact, Resistance};
use crate::law::elastic::{ElasticPair, with_dashpot};
use crate::law::{FrictionLaw, Limit, Memory, MemoryPart, Motions, Springs, TypicalContact};

/// Parameters of the four laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MindlinSpring<const FORCE: bool, const RESCALE: bool> {
    /// E* and nu.
    pub elastic: ElasticPair,
    /// mu, static and kinetic.
    pub limit: Limit,
    /// Dashpot as a fraction of the critical one of k_t.
    pub damping_ratio: f64,
}

/// Displacement times k_t as it is.
pub type MindlinSecant = MindlinSpring<false, false>;
/// The same, the displacement shrunk with the contact.
pub type MindlinRescale = MindlinSpring<false, true>;
/// Increments of force.
pub type MindlinForce = MindlinSpring<true, false>;
/// The same, the force shrunk with the contact.
pub type MindlinRescaleForce = MindlinSpring<true, true>;

/// Displacement or force, and the contact radius at which it was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatchSpring {
    /// Displacement (m) or force (N).
    pub spring: DVec3,
    /// Contact radius (m).
    pub patch: f64,
    /// In slip, not in stick.
    pub slipping: bool,
}

impl<const FORCE: bool, const RESCALE: bool> MindlinSpring<FORCE, RESCALE> {
    /// Without a dashpot.
    pub fn new(elastic: ElasticPair, limit: Limit) -> Self {
        MindlinSpring { elastic, limit, damping_ratio: 0.0 }
    }
}

impl<const FORCE: bool, const RESCALE: bool> FrictionLaw for MindlinSpring<FORCE, RESCALE> {
    const NAME: &'static str = match (FORCE, RESCALE) {
        (false, false) => "mindlin-secant",
        (false, true) => "mindlin-rescale",
        (true, false) => "mindlin-force",
        (true, true) => "mindlin-rescale-force",
    };
    const RESISTS: Motions = Motions::SLIDE;
    type Memory = PatchSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut PatchSpring, _: &mut [f64]) -> Resistance {
        let patch = contact.patch;
        let stiffness = self.elastic.tangential_stiffness(patch);
        let shrunk = if RESCALE & (patch < memory.patch) { patch / memory.patch } else { 1.0 };
        let slip = contact.slip(contact.lever_a, contact.lever_b);
        // What a unit of the memory bears.
        let unit = if FORCE { 1.0 } else { stiffness };
        let per_slip = if FORCE { stiffness } else { 1.0 };
        let trial = memory.spring * shrunk + slip * (contact.dt * per_slip);
        let size = trial.length() * unit;
        let coefficient = if memory.slipping { self.limit.kinetic } else { self.limit.static_ };
        let slipping = size > coefficient * contact.normal_load;
        let kept = if slipping { self.limit.kinetic * contact.normal_load / size } else { 1.0 };
        let spring = trial * kept;
        *memory = PatchSpring { spring, patch, slipping };
        let c = self.elastic.slide_dashpot(contact, patch, self.damping_ratio);
        let coefficient = if slipping { self.limit.kinetic } else { self.limit.static_ };
        with_dashpot(contact, spring * unit, slip * c, coefficient * contact.normal_load)
    }

    fn stored(&self, _: &Contact, memory: &PatchSpring, _: &[f64]) -> [f64; 3] {
        let stiffness = self.elastic.tangential_stiffness(memory.patch);
        let squared = memory.spring.length_squared();
        let energy = if FORCE { 0.5 * squared / stiffness } else { 0.5 * squared * stiffness };
        [if squared > 0.0 { energy } else { 0.0 }, 0.0, 0.0]
    }

    fn swapped(&self, memory: PatchSpring, _: &mut [f64]) -> PatchSpring {
        PatchSpring { spring: -memory.spring, ..memory }
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        self.elastic.slide_springs(at, self.damping_ratio, self.limit.static_)
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::SLIDE).then_some(self.limit)
    }

    #[inline(always)]
    fn reads_patch(&self) -> bool {
        true
    }
}

impl Memory for PatchSpring {
    const PARTS: &'static [MemoryPart] = &[MemoryPart::vector("spring"), MemoryPart::scalar("patch")];

    #[inline(always)]
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
        PatchSpring { spring: DVec3::new(number(0), number(1), number(2)), patch: number(3), slipping }
    }

    #[inline(always)]
    fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
        put(0, self.spring.x);
        put(1, self.spring.y);
        put(2, self.spring.z);
        put(3, self.patch);
        self.slipping
    }

    #[inline(always)]
    fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Self {
        PatchSpring { spring: turn(self.spring), ..self }
    }
}

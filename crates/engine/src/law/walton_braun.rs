//! `walton-braun` and `vu-quoc-zhang`, against slide: a power law between turning points in place of the load history
//! (Walton and Braun 1986; Vu-Quoc and Zhang 1999; THEORY.md eqs. 3.36 and 3.37).
//!
//!   dQ = k_t (1 - (Q - Q*).u/(mu N - Q*.u))^g ds along u,     k_t ds across it,     |Q| <= mu N
//!
//! u is the direction of Q - Q*, in which the load has moved since it last turned; Q* is Q at that turn, and zero at first. A slip
//! against u turns it: Q* := Q, u := along the slip. Along one line this is the printed law, k_t (1 - (Q - Q*)/(mu N - Q*))^g while Q rises and
//! k_t (1 - (Q* - Q)/(mu N + Q*))^g while it falls. Where N changes, `walton-braun` scales Q* with it, and `vu-quoc-zhang` shifts Q*
//! by mu dN away from u. Only the last turn is remembered: inner loops do not close.
//!
//! `rolling_correction` of `vu-quoc-zhang`: ds = slip dt - (2/pi) (|u_roll|/a) x, x the cumulative displacement of these increments (Kuhn
//! 2014, end of section 2.3), while the contact does not slip. With the cumulative slip itself for x the force would turn against
//! the slip after rolling by pi a.
//!
//! `stored` is Q^2/(2 k_t), the least that unloading gives back. The laws have no energy of their own and may create some where N
//! changes. The dashpot is as in `mindlin_spring.rs`. Limitation: these forms follow secondary literature.

use std::f64::consts::FRAC_2_PI;

use glam::DVec3;

use crate::contact::{Contact, Resistance};
use crate::law::elastic::{ElasticPair, with_dashpot};
use crate::law::{FrictionLaw, Limit, Memory, MemoryPart, Motions, Springs, TypicalContact};
use crate::math;

/// Parameters of `walton-braun`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaltonBraun {
    /// E* and nu.
    pub elastic: ElasticPair,
    /// mu.
    pub mu: f64,
    /// g; 1/3 is Mindlin's first loading.
    pub exponent: f64,
    /// Dashpot as a fraction of the critical one of k_t.
    pub damping_ratio: f64,
}

/// Parameters of `vu-quoc-zhang`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VuQuocZhang {
    /// E* and nu.
    pub elastic: ElasticPair,
    /// mu.
    pub mu: f64,
    /// Whether rolling relaxes the displacement.
    pub rolling_correction: bool,
    /// Dashpot as a fraction of the critical one of k_t.
    pub damping_ratio: f64,
}

/// Load and last turn, and at which normal load and contact radius.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TurningPoint {
    /// Q (N), with the sign of the slip.
    pub force: DVec3,
    /// Q* (N).
    pub turn: DVec3,
    /// Cumulative displacement (m), where rolling relaxes it.
    pub slid: DVec3,
    /// N (N).
    pub load: f64,
    /// Contact radius (m).
    pub patch: f64,
    /// In slip, not in stick.
    pub slipping: bool,
}

impl WaltonBraun {
    /// With the exponent 1/3 and no dashpot.
    pub fn new(elastic: ElasticPair, mu: f64) -> Self {
        WaltonBraun { elastic, mu, exponent: 1.0 / 3.0, damping_ratio: 0.0 }
    }
}

impl VuQuocZhang {
    /// Without correction and dashpot.
    pub fn new(elastic: ElasticPair, mu: f64) -> Self {
        VuQuocZhang { elastic, mu, rolling_correction: false, damping_ratio: 0.0 }
    }
}

impl TurningPoint {
    /// The direction in which the load has moved since it turned; zero where it has not.
    #[inline(always)]
    fn branch(&self) -> DVec3 {
        let moved = self.force - self.turn;
        let size = moved.length();
        if size > 0.0 { moved * (1.0 / size) } else { DVec3::ZERO }
    }

    /// Moves the load by the displacement `ds` at the stiffness `k` and the limit (N).
    #[inline(always)]
    fn advance(&mut self, ds: DVec3, k: f64, limit: f64, exponent: f64) {
        let size = ds.length();
        let along = ds * (if size > 0.0 { 1.0 / size } else { 0.0 });
        let branch = self.branch();
        let turns = ds.dot(branch) < 0.0;
        self.turn = if turns { self.force } else { self.turn };
        let u = if turns | (branch == DVec3::ZERO) { along } else { branch };
        let (moved, most) = ((self.force - self.turn).dot(u), limit - self.turn.dot(u));
        let left = if most > 0.0 { (1.0 - moved / most).clamp(0.0, 1.0) } else { 0.0 };
        let soft = if exponent == 1.0 / 3.0 { math::cbrt(left) } else { math::pow(left, exponent) };
        let parallel = u * ds.dot(u);
        let trial = self.force + (ds - parallel + parallel * soft) * k;
        let size = trial.length();
        self.slipping = size > limit;
        self.force = trial * (if self.slipping { limit / size } else { 1.0 });
    }
}

/// What the two laws share.
#[derive(Clone, Copy)]
struct Common {
    elastic: ElasticPair,
    mu: f64,
    exponent: f64,
    damping_ratio: f64,
}

impl Common {
    /// One step of the law, whose turn has been brought to the new normal load.
    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut TurningPoint, ds: DVec3) -> Resistance {
        let (patch, load) = (contact.patch, contact.normal_load);
        let limit = self.mu * load;
        memory.advance(ds, self.elastic.tangential_stiffness(patch), limit, self.exponent);
        (memory.load, memory.patch) = (load, patch);
        let slip = contact.slip(contact.lever_a, contact.lever_b);
        let c = self.elastic.slide_dashpot(contact, patch, self.damping_ratio);
        with_dashpot(contact, memory.force, slip * c, limit)
    }

    fn stored(&self, memory: &TurningPoint) -> [f64; 3] {
        let squared = memory.force.length_squared();
        let energy = 0.5 * squared / self.elastic.tangential_stiffness(memory.patch);
        [if squared > 0.0 { energy } else { 0.0 }, 0.0, 0.0]
    }
}

impl WaltonBraun {
    #[inline(always)]
    fn common(&self) -> Common {
        let WaltonBraun { elastic, mu, exponent, damping_ratio } = *self;
        Common { elastic, mu, exponent, damping_ratio }
    }
}

impl VuQuocZhang {
    #[inline(always)]
    fn common(&self) -> Common {
        let VuQuocZhang { elastic, mu, damping_ratio, .. } = *self;
        Common { elastic, mu, exponent: 1.0 / 3.0, damping_ratio }
    }
}

/// What both laws answer alike.
macro_rules! answers {
    () => {
        const RESISTS: Motions = Motions::SLIDE;
        type Memory = TurningPoint;

        fn stored(&self, _: &Contact, memory: &TurningPoint, _: &[f64]) -> [f64; 3] {
            self.common().stored(memory)
        }

        fn swapped(&self, memory: TurningPoint, _: &mut [f64]) -> TurningPoint {
            TurningPoint { force: -memory.force, turn: -memory.turn, slid: -memory.slid, ..memory }
        }

        fn springs(&self, at: &TypicalContact) -> Option<Springs> {
            self.elastic.slide_springs(at, self.damping_ratio, self.mu)
        }

        fn limit(&self, motion: Motions) -> Option<Limit> {
            (motion == Motions::SLIDE).then_some(Limit::mu(self.mu))
        }

        #[inline(always)]
        fn reads_patch(&self) -> bool {
            true
        }
    };
}

impl FrictionLaw for WaltonBraun {
    const NAME: &'static str = "walton-braun";
    answers!();

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut TurningPoint, _: &mut [f64]) -> Resistance {
        memory.turn *= if memory.load > 0.0 { contact.normal_load / memory.load } else { 0.0 };
        let ds = contact.slip(contact.lever_a, contact.lever_b) * contact.dt;
        self.common().resist(contact, memory, ds)
    }
}

impl FrictionLaw for VuQuocZhang {
    const NAME: &'static str = "vu-quoc-zhang";
    answers!();

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut TurningPoint, _: &mut [f64]) -> Resistance {
        // First loading has turned nowhere: nothing to shift.
        let turned = memory.turn != DVec3::ZERO;
        let shift = memory.branch() * (self.mu * (contact.normal_load - memory.load));
        memory.turn -= if turned { shift } else { DVec3::ZERO };
        let slip = contact.slip(contact.lever_a, contact.lever_b);
        let mut ds = slip * contact.dt;
        if self.rolling_correction {
            let rolled = contact.rolling(slip).length() * contact.dt / contact.patch;
            ds -= memory.slid * (FRAC_2_PI * rolled).min(1.0);
        }
        let resistance = self.common().resist(contact, memory, ds);
        memory.slid += if memory.slipping { DVec3::ZERO } else { ds };
        resistance
    }

    fn knows_spheres_only(&self) -> bool {
        self.rolling_correction
    }
}

impl Memory for TurningPoint {
    const PARTS: &'static [MemoryPart] = &[
        MemoryPart::vector("force"),
        MemoryPart::vector("turn"),
        MemoryPart::vector("slid"),
        MemoryPart::scalar("load"),
        MemoryPart::scalar("patch"),
    ];

    #[inline(always)]
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
        let vector = |k: usize| DVec3::new(number(k), number(k + 1), number(k + 2));
        let (force, turn, slid) = (vector(0), vector(3), vector(6));
        TurningPoint { force, turn, slid, load: number(9), patch: number(10), slipping }
    }

    #[inline(always)]
    fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
        for (i, vector) in [self.force, self.turn, self.slid].into_iter().enumerate() {
            put(3 * i, vector.x);
            put(3 * i + 1, vector.y);
            put(3 * i + 2, vector.z);
        }
        put(9, self.load);
        put(10, self.patch);
        self.slipping
    }

    #[inline(always)]
    fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Self {
        TurningPoint { force: turn(self.force), turn: turn(self.turn), slid: turn(self.slid), ..self }
    }
}

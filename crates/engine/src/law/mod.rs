//! The laws of contact: one law, one file. This file says what a law is.
//!
//! A law is a struct of parameters and one pure function of one contact and its memory, written as branch-free scalar
//! code; `kernel.rs` runs it over blocks of 32 contacts, where the compiler vectorises it. The law also answers everything
//! else that is asked of it: its name, what it remembers, its springs for the stable step, what it holds at rest.
//!
//! To add a law: write its file, and add its variant to the enum of its motion and to the visit of that enum in `list.rs`.
//! Nothing else in the engine names a law. (A scene reads it by the law's file in `io`; docs/add-a-law.md.) A law of another crate
//! does not even need that: `Slide::own`, `Roll::own` and `Spin::own` take any `FrictionLaw`, `Normal::own` any `NormalLaw`
//! (`own.rs`).

pub mod any;
pub mod constant_torque;
pub mod creep;
pub mod elastic;
pub mod epsd;
pub mod hertz;
pub mod hooke;
pub mod kernel;
pub mod limit;
pub mod list;
pub mod lubkin;
pub mod marshall;
pub mod memory;
pub mod mindlin;
pub mod mindlin_spring;
pub mod one;
pub mod own;
pub mod pair_laws;
pub mod pair_memory;
pub mod restitution;
pub mod rigid;
pub mod spring_slider;
pub mod springs;
pub mod tracked;
pub mod viscous;
pub mod walton_braun;

pub use constant_torque::{RollConstantTorque, SpinConstantTorque};
pub use creep::Creep;
pub use elastic::ElasticPair;
pub use epsd::RollEpsd;
pub use hertz::Hertz;
pub use hooke::Hooke;
pub use limit::{Limit, Limits, Measure};
pub use list::{Friction, ModeBits, Normal, Roll, Slide, Spin, SpringLaws};
pub use lubkin::SpinLubkin;
pub use marshall::SpinMarshall;
pub use memory::{Carry, Memory, MemoryPart, MemorySize, PartForm};
pub use mindlin::{Mindlin, MindlinMemory};
pub use mindlin_spring::{MindlinForce, MindlinRescale, MindlinRescaleForce, MindlinSecant, MindlinSpring};
pub use own::{Own, OwnNormal};
pub use pair_laws::PairLaws;
pub use pair_memory::{ColdBlock, MemoryLayout, PairMemory};
pub use rigid::{Give, Rigid, RigidLaws};
pub use spring_slider::{Arm, Cap, RollSlider, SlideSlider, SliderOptions, Slip, SpinSlider, Transport};
pub use springs::{Spring, Springs, TypicalBody, TypicalContact};
pub use tracked::{Birth, Form, Kinematics, SpinCurvature, Strength, Tracked, TrackedMemory, TrackedRoll, TrackedSpin};
pub use viscous::RollViscous;
pub use walton_braun::{VuQuocZhang, WaltonBraun};

use crate::contact::{Contact, Resistance, pressing};

/// A set of the three motions that friction may resist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Motions(pub u8);

impl Motions {
    /// Nothing.
    pub const NONE: Motions = Motions(0);
    /// The contact points move past each other.
    pub const SLIDE: Motions = Motions(1);
    /// The bodies turn against each other about an axis in the tangent plane.
    pub const ROLL: Motions = Motions(2);
    /// The bodies turn against each other about the normal.
    pub const SPIN: Motions = Motions(4);

    /// Not a motion of its own: the bit of a contact's memory for whether rolling of b slips, for a law that keeps it apart
    /// from that of a. Two more bits follow for such a law.
    pub const ROLL_OF_B: Motions = Motions(8);

    /// Slide, roll, spin.
    pub const EACH: [Motions; 3] = [Motions::SLIDE, Motions::ROLL, Motions::SPIN];

    /// Under which key of a `[[contact]]` table a law against these motions stands: slide (0), roll (1), spin (2), or friction (3)
    /// for several at once.
    pub fn key(self) -> usize {
        Motions::EACH.iter().position(|one| *one == self).unwrap_or(3)
    }

    /// Both sets together.
    pub const fn and(self, other: Motions) -> Motions {
        Motions(self.0 | other.0)
    }

    /// Whether the two share a motion.
    pub const fn overlaps(self, other: Motions) -> bool {
        self.0 & other.0 != 0
    }
}

/// Gaps at which a contact begins and ends (m): it begins when the gap is below `begin` and lasts while it is below `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Below this gap two surfaces begin to act on each other; at least 0.
    pub begin: f64,
    /// Below this gap they continue to act; at least `begin`.
    pub end: f64,
}

impl Reach {
    /// From touch to touch: without adhesion.
    pub const TOUCH: Reach = Reach { begin: 0.0, end: 0.0 };

    /// The gap below which a contact is live that was live before, or was not.
    #[inline(always)]
    pub fn limit(self, was_live: bool) -> f64 {
        if was_live { self.end } else { self.begin }
    }
}

/// What a normal law answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// Force on a along the normal (N); negative pulls.
    pub force: f64,
    /// Load (N) that limits of friction are in proportion to; never negative.
    pub load: f64,
    /// Radius (m) of the area in which the surfaces touch; 0 where they do not.
    pub patch: f64,
}

impl Press {
    /// Of a law without adhesion: the load is the force that presses, the patch that of elastic spheres.
    #[inline(always)]
    pub fn without_adhesion(contact: &Contact, force: f64) -> Self {
        Press { force, load: pressing(force), patch: contact.hertz_radius() }
    }
}

/// A law of the force along the normal.
pub trait NormalLaw: Copy + Send + Sync + 'static {
    /// Its name in scene files.
    const NAME: &'static str;
    /// Whether its dashpot grows from zero with the overlap: an impact then needs fewer steps (THEORY.md eq. 4.6).
    const DASHPOT_GROWS: bool = false;
    /// Whether a contact may act where the surfaces are apart. Only then `reach` is asked.
    const ACTS_APART: bool = false;
    /// Where a contact of this effective radius (m) begins and ends; not less far for a larger radius.
    #[inline(always)]
    fn reach(&self, radius_eff: f64) -> Reach {
        let _ = radius_eff;
        Reach::TOUCH
    }
    /// Force, load and patch. The overlap of a live contact may be negative: by the gap up to which the law acts, and by a few ulp
    /// for any law.
    fn press(&self, contact: &Contact) -> Press;
    /// Elastic energy (J) of the contact.
    fn stored(&self, contact: &Contact) -> f64;
    /// Change of the force with the overlap (N/m) at rest, for this effective radius and overlap (m).
    fn stiffness(&self, radius_eff: f64, overlap: f64) -> f64;
    /// Its coefficient of restitution, if it does not depend on the bodies: how a method without springs reads it.
    fn restitution(&self) -> Option<f64> {
        None
    }
    /// Its spring and dashpot in a contact, for the stable step.
    fn spring(&self, at: &TypicalContact) -> Spring;
    /// E* (Pa), if it is given by one.
    fn effective_modulus(&self) -> Option<f64> {
        None
    }
}

/// A law of friction.
pub trait FrictionLaw: Copy + Send + Sync + 'static {
    /// Its name in scene files. Memory written by a law of another name means nothing to this one.
    const NAME: &'static str;
    /// The motions this law resists. Two laws may not claim the same motion.
    const RESISTS: Motions;
    /// Whether it keeps slip of a's and of b's rolling apart: in `Motions::ROLL` and `Motions::ROLL_OF_B`.
    const ROLLS_APART: bool = false;
    /// What the contact remembers while it lasts.
    type Memory: Memory;
    /// The loads, and the memory after the step. `carried` is the memory of the step before, its vectors turned with the pair.
    /// `cold` holds the numbers of the memory's cold parts, all zero at birth, to be read and written in place.
    fn resist(&self, contact: &Contact, carried: &mut Self::Memory, cold: &mut [f64]) -> Resistance;
    /// Energy held in the memory (J), by motion: what the ledger calls stored.
    fn stored(&self, contact: &Contact, memory: &Self::Memory, cold: &[f64]) -> [f64; 3];
    /// How the vectors of its memory get from step to step.
    #[inline(always)]
    fn carry(&self) -> Carry {
        Carry::WithPair
    }
    /// How many numbers its cold parts have with its parameters. A part whose length they set is listed with 0 numbers.
    #[inline(always)]
    fn cold_numbers(&self) -> usize {
        Self::Memory::COLD
    }
    /// The memory for the pair taken the other way round: a and b change places and the normal turns about. Rates of slip turn
    /// about; the rolling rate `(w_a - w_b) x n` and the spin `(w_a - w_b) . n` do not.
    fn swapped(&self, memory: Self::Memory, cold: &mut [f64]) -> Self::Memory {
        let _ = cold;
        memory
    }
    /// Its springs and dashpots in a contact, for the stable step; `None` if it does not say.
    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let _ = at;
        None
    }
    /// What it can hold at rest against one motion: how another method reads it, and whether a packing counts the motion as
    /// resisted. Zero for a law that only damps; `None` where it does not say.
    fn limit(&self, motion: Motions) -> Option<Limit> {
        let _ = motion;
        None
    }
    /// The motions it resists with its parameters.
    fn resists(&self) -> Motions {
        Self::RESISTS
    }
    /// Whether it reads `Contact::patch`.
    #[inline(always)]
    fn reads_patch(&self) -> bool {
        false
    }
    /// Whether it reads points of contact, orientations and curvatures.
    #[inline(always)]
    fn reads_surfaces(&self) -> bool {
        false
    }
    /// Whether it takes every body for a sphere or a wall.
    fn knows_spheres_only(&self) -> bool {
        false
    }
    /// Shows the visitor the form of this law that the kernel runs in a step of `dt`: the law itself, or a type with the same
    /// bits whose choices the compiler knows.
    #[inline(always)]
    fn specialise<V: LawVisitor>(&self, dt: f64, visitor: &mut V) {
        let _ = dt;
        visitor.visit(self);
    }
}

/// Looks at a law of friction by its type.
pub trait LawVisitor {
    /// Called with the law.
    fn visit<L: FrictionLaw>(&mut self, law: &L);
}

/// One contact whose numbers are easy to work with by hand, for the laws' own tests.
#[cfg(test)]
pub(crate) mod testing {
    use glam::{DQuat, DVec3};

    use crate::contact::{Contact, Curvature, Turn};

    /// Equal unit spheres that overlap by 0.1 along z under a load of 2 N, without motion, at a step of 0.1 s. R =
    /// 0.5, m = 1, I = 0.1, so R_eff = 0.25, m_eff = 0.5 and the levers are 0.45.
    pub fn contact() -> Contact {
        let n = DVec3::Z;
        Contact {
            normal: n,
            normal_before: n,
            normal_mid: n,
            turn: Turn::new(n, n, DVec3::ZERO, 0.0).1,
            separation_rate: 0.0,
            overlap: 0.1,
            velocity: DVec3::ZERO,
            angular_velocity_a: DVec3::ZERO,
            angular_velocity_b: DVec3::ZERO,
            lever_a: 0.45,
            lever_b: 0.45,
            reach_a: 0.5,
            reach_b: 0.5,
            radius_eff: 0.25,
            mass_eff: 0.5,
            normal_mass: 0.5,
            inverse_mass_a: 1.0,
            inverse_mass_b: 1.0,
            inverse_inertia_a: 10.0,
            inverse_inertia_b: 10.0,
            normal_force: 2.0,
            normal_load: 2.0,
            patch: 0.025_f64.sqrt(),
            dt: 0.1,
            point_a: n * -0.45,
            point_b: n * 0.45,
            orientation_a: DQuat::IDENTITY,
            orientation_b: DQuat::IDENTITY,
            curvature_a: Curvature::round(2.0),
            curvature_b: Curvature::round(2.0),
        }
    }

    /// Fails unless the two are equal to rounding.
    #[track_caller]
    pub fn close(found: DVec3, expected: DVec3) {
        assert!((found - expected).length() < 1e-14, "{found}, not {expected}");
    }

    /// Fails unless the two are equal to rounding.
    #[track_caller]
    pub fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-14, "{found}, not {expected}");
    }
}

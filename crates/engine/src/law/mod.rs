//! The laws of contact: one law, one file. This file lists them and says what a law is.
//!
//! A law is a struct of parameters and one pure function of one contact and its memory, written as branch-free scalar
//! code; `kernel.rs` runs it over blocks of 32 contacts, where the compiler vectorises it. To add a law: write its file,
//! add its line to `LAWS` and its variant to the enum of the motion it resists, and the common tests run over it. A law of
//! another crate needs none of that: `Slide::own`, `Roll::own` and `Spin::own` take any `FrictionLaw` (`own.rs`).

pub mod constant_torque;
pub mod epsd;
pub mod hertz;
pub mod hooke;
pub mod info;
pub mod kernel;
pub mod limit;
pub mod lubkin;
pub mod marshall;
pub mod memory;
pub mod one;
pub mod own;
pub mod restitution;
pub mod spring_slider;
pub mod tracked;
pub mod viscous;

pub use constant_torque::{RollConstantTorque, SpinConstantTorque};
pub use epsd::RollEpsd;
pub use hertz::Hertz;
pub use hooke::Hooke;
pub use info::{LAWS, LawInfo, ParameterInfo};
pub use limit::{Limit, Measure};
pub use lubkin::SpinLubkin;
pub use marshall::SpinMarshall;
pub use memory::Memory;
pub use own::{Own, Springs};
pub use spring_slider::{Arm, Cap, RollSlider, SlideSlider, SliderOptions, Slip, SpinSlider, Transport};
pub use tracked::{Birth, Form, Kinematics, SpinCurvature, Tracked, TrackedMemory, TrackedRoll, TrackedSpin};
pub use viscous::RollViscous;

use crate::contact::{Contact, Resistance};

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

    /// Both sets together.
    pub const fn and(self, other: Motions) -> Motions {
        Motions(self.0 | other.0)
    }

    /// Whether the two share a motion.
    pub const fn overlaps(self, other: Motions) -> bool {
        self.0 & other.0 != 0
    }
}

/// A law of the force along the normal.
pub trait NormalLaw: Copy + Send + Sync + 'static {
    /// Force on a along the normal (N); negative pulls.
    fn press(&self, contact: &Contact) -> f64;
    /// Elastic energy (J) of the contact.
    fn stored(&self, contact: &Contact) -> f64;
}

/// A law of friction.
pub trait FrictionLaw: Copy + Send + Sync + 'static {
    /// The motions this law resists. Two laws may not claim the same motion.
    const RESISTS: Motions;
    /// What the contact remembers while it lasts.
    type Memory: Memory;
    /// The loads, and the memory carried through the step.
    fn resist(&self, contact: &Contact, memory: &mut Self::Memory) -> Resistance;
    /// Energy held in the memory (J), by motion: what the ledger calls stored.
    fn stored(&self, contact: &Contact, memory: &Self::Memory) -> [f64; 3];
    /// Its springs in a contact of this effective radius (m), for the stable step; none if it does not say. Asked of laws
    /// from outside: `explicit/stable_step.rs` knows the others.
    fn springs(&self, radius_eff: f64) -> Option<Springs> {
        let _ = radius_eff;
        None
    }
}

/// The normal laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Normal {
    /// A spring and a dashpot.
    Hooke(Hooke),
    /// Elastic spheres.
    Hertz(Hertz),
}

/// The sliding laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slide {
    /// Spring and dashpot in series with a slider.
    SpringSlider(SlideSlider),
    /// A law from outside.
    Own(Own),
}

/// The rolling laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Roll {
    /// Spring and dashpot in series with a slider.
    SpringSlider(RollSlider),
    /// A torque of constant size against the motion.
    ConstantTorque(RollConstantTorque),
    /// An elastic-plastic spring with a dashpot.
    Epsd(RollEpsd),
    /// A torque in proportion to the rate.
    Viscous(RollViscous),
    /// A law from outside.
    Own(Own),
}

/// The spinning laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spin {
    /// Spring and dashpot in series with a slider.
    SpringSlider(SpinSlider),
    /// A torque of constant size against the motion.
    ConstantTorque(SpinConstantTorque),
    /// Sliding friction spread over the contact area.
    Marshall(SpinMarshall),
    /// Elastic spheres twisted against each other.
    Lubkin(SpinLubkin),
    /// A law from outside.
    Own(Own),
}

/// The laws that resist several motions at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Friction {
    /// Capped springs along the path of the contact point, for slide, roll and spin.
    Tracked(Tracked),
}

/// Everything that acts between two materials. A motion without a law is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLaws {
    /// Along the normal.
    pub normal: Normal,
    /// Against sliding.
    pub slide: Option<Slide>,
    /// Against rolling.
    pub roll: Option<Roll>,
    /// Against spinning.
    pub spin: Option<Spin>,
    /// Against all three at once; stands alone: then there is no law of a single motion.
    pub friction: Option<Friction>,
}

impl PairLaws {
    /// A normal law alone: frictionless.
    pub fn frictionless(normal: Normal) -> Self {
        PairLaws { normal, slide: None, roll: None, spin: None, friction: None }
    }

    /// A normal law and one against all motions at once.
    pub fn with_friction(normal: Normal, friction: Friction) -> Self {
        PairLaws { friction: Some(friction), ..PairLaws::frictionless(normal) }
    }

    /// Whether slide, roll and spin are resisted.
    pub fn resists(&self) -> [bool; 3] {
        match &self.friction {
            Some(Friction::Tracked(law)) => [true, law.roll.is_some(), law.spin.is_some()],
            None => [self.slide.is_some(), self.roll.is_some(), self.spin.is_some()],
        }
    }

    /// The bits of a contact's memory for whether rolling of a and of b slip: the same one where a law does not keep them apart.
    pub fn bits_of_roll(&self) -> [Motions; 2] {
        match &self.friction {
            Some(Friction::Tracked(law)) if law.form == Form::Paper => [Motions::ROLL, Motions::ROLL_OF_B],
            _ => [Motions::ROLL; 2],
        }
    }

    /// Whether a law wants points of contact, orientations and curvatures.
    #[inline(always)]
    pub fn asks_for_surfaces(&self) -> bool {
        matches!(&self.friction, Some(Friction::Tracked(law)) if law.kinematics == Kinematics::Points)
    }

    /// Whether a law of friction takes every body for a sphere or a wall: `tracked` by rates, against roll or spin.
    pub fn knows_spheres_only(&self) -> bool {
        let by_rates =
            |law: &Tracked| law.kinematics == Kinematics::Rates && (law.roll.is_some() || law.spin.is_some());
        matches!(&self.friction, Some(Friction::Tracked(law)) if by_rates(law))
    }

    /// The laws' names in scene files: normal, slide, roll, spin, friction. Memory written by one law means nothing to another.
    pub fn names(&self) -> [Option<&'static str>; 5] {
        let normal = match self.normal {
            Normal::Hooke(_) => "hooke",
            Normal::Hertz(_) => "hertz",
        };
        let slide = self.slide.map(|law| match law {
            Slide::SpringSlider(_) => "spring-slider",
            Slide::Own(own) => own.name(),
        });
        let roll = self.roll.map(|law| match law {
            Roll::SpringSlider(_) => "spring-slider",
            Roll::ConstantTorque(_) => "constant-torque",
            Roll::Epsd(_) => "epsd",
            Roll::Viscous(_) => "viscous",
            Roll::Own(own) => own.name(),
        });
        let spin = self.spin.map(|law| match law {
            Spin::SpringSlider(_) => "spring-slider",
            Spin::ConstantTorque(_) => "constant-torque",
            Spin::Marshall(_) => "marshall",
            Spin::Lubkin(_) => "lubkin",
            Spin::Own(own) => own.name(),
        });
        let friction = self.friction.map(|law| match law {
            // Its forms and kinematics remember different things.
            Friction::Tracked(law) => law.kind(),
        });
        [Some(normal), slide, roll, spin, friction]
    }

    /// Whether the separation rate is taken along the normal at the step's end instead of mid-step: where the slide law
    /// asks for LAMMPS' transport, which does the same for its own rates. It lets a normal dashpot see a rigid turn.
    #[inline(always)]
    pub fn rates_at_end(&self) -> bool {
        matches!(&self.slide, Some(Slide::SpringSlider(law)) if law.options.transport == Transport::Lammps)
    }
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

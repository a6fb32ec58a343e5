//! The list of spring laws, and those of a pair of materials. To add a law: its variant, and its arm in the visit of its motion.

use crate::contact::Mode;
use crate::law::any::{AnyFriction, AnyNormal};
use crate::law::{
    Carry, Creep, FrictionLaw, Hertz, Hooke, LawVisitor, Limit, Limits, Mindlin, MindlinForce, MindlinRescale,
    MindlinRescaleForce, MindlinSecant, Motions, NormalLaw, Own, OwnNormal, Reach, RollConstantTorque, RollEpsd,
    RollSlider, RollViscous, SlideSlider, SpinConstantTorque, SpinLubkin, SpinMarshall, SpinSlider, Tracked,
    VuQuocZhang, WaltonBraun,
};

/// The normal laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Normal {
    /// A spring and a dashpot.
    Hooke(Hooke),
    /// Elastic spheres.
    Hertz(Hertz),
    /// A law from outside.
    Own(OwnNormal),
}

/// The sliding laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slide {
    /// Spring and dashpot in series with a slider.
    SpringSlider(SlideSlider),
    /// Elastic spheres with the history of their load.
    Mindlin(Mindlin),
    /// The same with the creepage of rolling.
    Creep(Creep),
    /// Displacement times the stiffness of the contact as it is.
    MindlinSecant(MindlinSecant),
    /// The same, its displacement shrunk with the contact.
    MindlinRescale(MindlinRescale),
    /// Increments of force.
    MindlinForce(MindlinForce),
    /// The same, its force shrunk with the contact.
    MindlinRescaleForce(MindlinRescaleForce),
    /// A power law between turning points.
    WaltonBraun(WaltonBraun),
    /// The same with other turning points, and a correction for rolling.
    VuQuocZhang(VuQuocZhang),
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

/// Everything that acts between two materials that touch with springs. A motion without a law is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringLaws {
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

/// Looks at a normal law by its type.
pub trait NormalVisitor {
    /// What it finds.
    type Output;
    /// Called with the law.
    fn visit<L: NormalLaw>(self, law: &L) -> Self::Output;
    /// Called with a law whose type the engine does not know.
    fn visit_own(self, law: &OwnNormal) -> Self::Output;
}

/// Looks at the friction laws of a pair: slide, roll and spin, or the one against all three.
pub trait FrictionVisitor: LawVisitor {
    /// Called with a law whose type the engine does not know.
    fn visit_own(&mut self, law: &Own);
    /// Called for a motion that no law resists.
    #[inline(always)]
    fn visit_free(&mut self, motion: Motions) {
        let _ = motion;
    }
}

/// Shows the visitor the normal law.
#[inline(always)]
pub fn visit_normal<V: NormalVisitor>(normal: &Normal, visitor: V) -> V::Output {
    match normal {
        Normal::Hooke(law) => visitor.visit(law),
        Normal::Hertz(law) => visitor.visit(law),
        Normal::Own(law) => visitor.visit_own(law),
    }
}

/// Shows the visitor the friction laws of a pair, in the order of their memory.
#[inline(always)]
pub fn visit_friction<V: FrictionVisitor>(laws: &SpringLaws, visitor: &mut V) {
    if let Some(Friction::Tracked(law)) = &laws.friction {
        return law.visit_form(visitor);
    }
    match &laws.slide {
        None => visitor.visit_free(Motions::SLIDE),
        Some(Slide::SpringSlider(law)) => visitor.visit(law),
        Some(Slide::Mindlin(law)) => visitor.visit(law),
        Some(Slide::Creep(law)) => visitor.visit(law),
        Some(Slide::MindlinSecant(law)) => visitor.visit(law),
        Some(Slide::MindlinRescale(law)) => visitor.visit(law),
        Some(Slide::MindlinForce(law)) => visitor.visit(law),
        Some(Slide::MindlinRescaleForce(law)) => visitor.visit(law),
        Some(Slide::WaltonBraun(law)) => visitor.visit(law),
        Some(Slide::VuQuocZhang(law)) => visitor.visit(law),
        Some(Slide::Own(law)) => visitor.visit_own(law),
    }
    match &laws.roll {
        None => visitor.visit_free(Motions::ROLL),
        Some(Roll::SpringSlider(law)) => visitor.visit(law),
        Some(Roll::ConstantTorque(law)) => visitor.visit(law),
        Some(Roll::Epsd(law)) => visitor.visit(law),
        Some(Roll::Viscous(law)) => visitor.visit(law),
        Some(Roll::Own(law)) => visitor.visit_own(law),
    }
    match &laws.spin {
        None => visitor.visit_free(Motions::SPIN),
        Some(Spin::SpringSlider(law)) => visitor.visit(law),
        Some(Spin::ConstantTorque(law)) => visitor.visit(law),
        Some(Spin::Marshall(law)) => visitor.visit(law),
        Some(Spin::Lubkin(law)) => visitor.visit(law),
        Some(Spin::Own(law)) => visitor.visit_own(law),
    }
}

/// Asks laws through one interface, where their types do not matter.
struct Ask<F>(F);

impl<R, F: FnOnce(&dyn AnyNormal) -> R> NormalVisitor for Ask<F> {
    type Output = R;
    fn visit<L: NormalLaw>(self, law: &L) -> R {
        self.0(law)
    }
    fn visit_own(self, law: &OwnNormal) -> R {
        self.0(law.any())
    }
}

impl<F: FnMut(&dyn AnyFriction)> LawVisitor for Ask<F> {
    fn visit<L: FrictionLaw>(&mut self, law: &L) {
        self.0(law);
    }
}

impl<F: FnMut(&dyn AnyFriction)> FrictionVisitor for Ask<F> {
    fn visit_own(&mut self, law: &Own) {
        self.0(law.any());
    }
}

impl Normal {
    /// Asks the law something.
    pub fn ask<R>(&self, question: impl FnOnce(&dyn AnyNormal) -> R) -> R {
        visit_normal(self, Ask(question))
    }

    /// See `NormalLaw::ACTS_APART`.
    pub fn acts_apart(&self) -> bool {
        self.ask(|law| law.acts_apart())
    }

    /// Where a contact of this effective radius (m) begins and ends.
    pub fn reach(&self, radius_eff: f64) -> Reach {
        self.ask(|law| law.reach(radius_eff))
    }
}

/// What the kernel asks before it runs the laws of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    patch: bool,
    surfaces: bool,
    rates_at_end: bool,
}

impl LawVisitor for Needs {
    #[inline(always)]
    fn visit<L: FrictionLaw>(&mut self, law: &L) {
        self.patch |= law.reads_patch();
        self.surfaces |= law.reads_surfaces();
        self.rates_at_end |= L::RESISTS.overlaps(Motions::SLIDE) && law.carry() == Carry::AsLammps;
    }
}

impl FrictionVisitor for Needs {
    #[inline(always)]
    fn visit_own(&mut self, law: &Own) {
        let law = law.any();
        self.patch |= law.reads_patch();
        self.surfaces |= law.reads_surfaces();
        self.rates_at_end |= law.motions().overlaps(Motions::SLIDE) && law.carry() == Carry::AsLammps;
    }
}

impl SpringLaws {
    /// A normal law alone: frictionless.
    pub fn frictionless(normal: Normal) -> Self {
        SpringLaws { normal, slide: None, roll: None, spin: None, friction: None }
    }

    /// A normal law and one against all motions at once.
    pub fn with_friction(normal: Normal, friction: Friction) -> Self {
        SpringLaws { friction: Some(friction), ..SpringLaws::frictionless(normal) }
    }

    /// Asks every law of friction something, in the order of their memory.
    pub fn each_friction(&self, question: impl FnMut(&dyn AnyFriction)) {
        visit_friction(self, &mut Ask(question));
    }

    /// Whether any law of friction says yes.
    pub fn any_friction(&self, mut question: impl FnMut(&dyn AnyFriction) -> bool) -> bool {
        let mut found = false;
        self.each_friction(|law| found |= question(law));
        found
    }

    #[inline(always)]
    fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        visit_friction(self, &mut needs);
        needs
    }

    /// Whether slide, roll and spin are resisted.
    pub fn resists(&self) -> [bool; 3] {
        Motions::EACH.map(|motion| self.any_friction(|law| law.resists().overlaps(motion)))
    }

    /// What the laws hold at rest: how a method without springs reads them. A law that does not say holds nothing.
    pub fn limits(&self) -> Limits {
        let of = |motion: Motions| -> Option<Limit> {
            let mut found = None;
            self.each_friction(|law| {
                if law.resists().overlaps(motion) {
                    found = law.limit(motion);
                }
            });
            found
        };
        let [slide, roll, spin] = Motions::EACH.map(of);
        Limits { slide, roll, across: None, spin, coupled: false }
    }

    /// What the bits of a contact's memory say.
    pub fn mode_bits(&self) -> ModeBits {
        let apart = self.any_friction(|law| law.rolls_apart());
        let roll = [Motions::ROLL, if apart { Motions::ROLL_OF_B } else { Motions::ROLL }];
        ModeBits { resists: self.resists(), roll }
    }

    /// Whether a law reads points of contact, orientations and curvatures.
    #[inline(always)]
    pub fn asks_for_surfaces(&self) -> bool {
        self.needs().surfaces
    }

    /// Whether a law reads the radius of the area in which the surfaces touch.
    #[inline(always)]
    pub fn asks_for_patch(&self) -> bool {
        self.needs().patch
    }

    /// Whether the separation rate is taken along the normal at the step's end instead of mid-step: where the slide law
    /// asks for LAMMPS' transport, which does the same for its own rates. It lets a normal dashpot see a rigid turn.
    #[inline(always)]
    pub fn rates_at_end(&self) -> bool {
        self.needs().rates_at_end
    }

    /// Whether a law of friction takes every body for a sphere or a wall.
    pub fn knows_spheres_only(&self) -> bool {
        self.any_friction(|law| law.knows_spheres_only())
    }

    /// The laws' names in scene files: normal, slide, roll, spin, friction. Memory written by one law means nothing to another.
    pub fn names(&self) -> [Option<&'static str>; 5] {
        let mut names = [Some(self.normal.ask(|law| law.name())), None, None, None, None];
        self.each_friction(|law| names[1 + law.motions().key()] = Some(law.name()));
        names
    }
}

/// Reads stick and slip from the bits of a contact's memory, under the laws of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeBits {
    /// Whether slide, roll and spin are resisted.
    resists: [bool; 3],
    /// The bits for rolling of a and of b: the same one where a law does not keep them apart.
    roll: [Motions; 2],
}

impl ModeBits {
    /// Stick or slip of slide, roll and spin; roll slips where that of either body does.
    pub fn modes(&self, bits: u64) -> [Mode; 3] {
        let motions = [Motions::SLIDE, self.roll[0].and(self.roll[1]), Motions::SPIN];
        std::array::from_fn(|k| Mode::of(self.resists[k], motions[k].slip_in(bits)))
    }

    /// The same of rolling of a and of b.
    pub fn roll_modes(&self, bits: u64) -> [Mode; 2] {
        self.roll.map(|motion| Mode::of(self.resists[1], motion.slip_in(bits)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::SpinCurvature;

    #[test]
    fn spring_laws_know_what_they_hold_at_rest() {
        let mu = Limit { static_: 0.5, ..Limit::mu(0.25) };
        let normal = Normal::Hooke(Hooke::new(1.0, 0.0));
        let frictionless = SpringLaws::frictionless(normal);
        assert_eq!(frictionless.limits(), Limits::default());
        let laws = SpringLaws {
            slide: Some(Slide::SpringSlider(SlideSlider::new(1.0, 0.0, mu))),
            roll: Some(Roll::SpringSlider(RollSlider::new(1.0, 0.0, Limit::mu(0.1)))),
            spin: Some(Spin::ConstantTorque(SpinConstantTorque { limit: Limit::length(0.02) })),
            ..frictionless
        };
        let limits = laws.limits();
        assert_eq!([limits.slide, limits.roll], [Some(mu), Some(Limit::mu(0.1))]);
        assert_eq!((limits.across, limits.spin, limits.coupled), (None, Some(Limit::length(0.02)), false));
        // A law that only damps gives way to any load.
        let viscous = Roll::Viscous(RollViscous { damping: 1.0, limit: Some(Limit::mu(0.3)) });
        assert_eq!(SpringLaws { roll: Some(viscous), ..laws }.limits().roll, Some(Limit::mu(0.0)));
        // 2 eta mu R_eff against roll, and the length eta mu/K_c against spin, which is free without parameters.
        let tracked = Tracked::new(1.0, mu).with_roll(0.5);
        let of = |law: Tracked| SpringLaws::with_friction(normal, Friction::Tracked(law)).limits();
        assert_eq!((of(tracked).roll, of(tracked).spin), (Some(mu), None));
        let spin = of(tracked.with_spin(0.5, SpinCurvature::Given(5.0))).spin;
        assert_eq!(spin, Some(Limit { static_: 0.05, ..Limit::length(0.025) }));
    }

    #[test]
    fn laws_answer_for_names_modes_and_needs() {
        let points = crate::law::Kinematics::Points;
        let law = Tracked { kinematics: points, form: crate::law::Form::Paper, ..Tracked::new(1.0, Limit::mu(0.5)) };
        let tracked = SpringLaws::with_friction(Normal::Hooke(Hooke::new(1.0, 0.0)), Friction::Tracked(law));
        assert_eq!(tracked.names(), [Some("hooke"), None, None, None, Some("tracked, points, paper")]);
        assert!(tracked.asks_for_surfaces() && !tracked.asks_for_patch() && !tracked.rates_at_end());
        assert_eq!(
            tracked.mode_bits(),
            ModeBits { resists: [true, false, false], roll: [Motions::ROLL, Motions::ROLL_OF_B] }
        );
        assert_eq!(tracked.mode_bits().modes(u64::from(Motions::SLIDE.0)), [Mode::Slip, Mode::None, Mode::None]);
    }
}

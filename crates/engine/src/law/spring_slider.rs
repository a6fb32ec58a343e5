//! `spring-slider`, against slide, roll and spin: a spring beside a dashpot, in series with a slider (Cundall and Strack
//! 1979, Luding 2008, `santos` eqs. 1 to 3).
//!
//! With the memory x (an elongation, or an angle for spin), the rate v and the limit L = mu N:
//!
//!   1. carry x with the pair                        2. x += dt v                     (THEORY.md eqs. 3.6 to 3.9)
//!   3. f = -k x - c v                               4. if |f| > L:  f := L f/|f|,  x := (c x_old - dt f)/(c + k dt)
//!
//! Slide: v is the slip velocity, f a force at the contact point, c = gamma m_eff.
//! Roll: v = R_eff (w_a - w_b) x n, f a pseudo-force, the torque R_eff n x f; so |M| <= mu R_eff N.
//! Spin: v = (w_a - w_b).n, f a torque about n.
//!
//! Options that reproduce LAMMPS' `granular` (Santos et al. 2020) to rounding, each with its fault:
//! `arm = "lammps"` (full radii in the slip velocity, R - d/2 in the torque) is not objective; `transport = "lammps"`
//! (project and rescale, rates with the normal at the step's end) lets loads lag behind a turning pair;
//! `slip = "lammps"` (x := -(f + c v)/k, and L = mu |F| also where the normal force F pulls) can create energy, up to L^2/2k each
//! time c|v| > L.
//! `cap = "elastic"` caps the spring alone and drops the dashpot in slip, as `fang`'s appendix prints Cundall and Strack.
//!
//! ```
//! use stickslip::law::{Limit, RollSlider};
//! let law = RollSlider::new(1e4, 0.5, Limit::mu(0.1)); // N/m, kg/s of the pseudo-force at R_eff
//! assert_eq!(law.limit.kinetic, 0.1);
//! ```

use glam::DVec3;

use crate::contact::{Contact, Resistance};
use crate::law::limit::{Limit, Measure};
use crate::law::memory::{ScalarSpring, VectorSpring};
use crate::law::springs;
use crate::law::{Carry, FrictionLaw, LawVisitor, Motions, Spring, Springs, TypicalContact};

/// Which radii the slip velocity is taken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Arm {
    /// R - d/2 for velocity and torque: objective.
    #[default]
    Midpoint,
    /// R for the velocity, R - d/2 for the torque (R at a wall).
    Lammps,
}

/// How the memory turns with the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transport {
    /// The least rotation between the normals, then the mean spin; rates at mid-step.
    #[default]
    Objective,
    /// Projection and rescaling; rates with the normal at the step's end.
    Lammps,
}

/// What slip leaves in the spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Slip {
    /// What a slider in series with spring and dashpot leaves: passive.
    #[default]
    Series,
    /// The spring that would carry the limit with the dashpot at full rate.
    Lammps,
}

/// What the limit caps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Cap {
    /// Spring and dashpot together.
    #[default]
    Total,
    /// The spring alone; no dashpot in slip.
    Elastic,
}

/// The options of a slider. Their defaults are known to the compiler where the kernel is built, so they cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SliderOptions {
    /// Slide only.
    pub arm: Arm,
    /// Slide and roll.
    pub transport: Transport,
    /// All motions.
    pub slip: Slip,
    /// All motions.
    pub cap: Cap,
    /// The dashpot is given as a fraction of the critical one.
    pub damped_by_ratio: bool,
}

impl SliderOptions {
    /// How springs of slide and roll get from step to step.
    #[inline(always)]
    fn carry(&self) -> Carry {
        match self.transport {
            Transport::Objective => Carry::WithPair,
            Transport::Lammps => Carry::AsLammps,
        }
    }

    /// The load N that the limit is in proportion to: LAMMPS takes the size of a force that pulls, too.
    #[inline(always)]
    fn normal_load(&self, contact: &Contact) -> f64 {
        match self.slip {
            Slip::Series => contact.normal_load,
            Slip::Lammps => contact.normal_force.abs(),
        }
    }
}

/// Parameters of `spring-slider` for slide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlideSlider {
    /// k (N/m).
    pub stiffness: f64,
    /// gamma (1/s), times the effective mass; with `damped_by_ratio` the fraction of the critical dashpot.
    pub damping: f64,
    /// mu.
    pub limit: Limit,
    /// Options.
    pub options: SliderOptions,
}

/// Parameters of `spring-slider` for roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RollSlider {
    /// k (N/m) of the pseudo-force at R_eff.
    pub stiffness: f64,
    /// c (kg/s) of the pseudo-force; with `damped_by_ratio` the fraction of the critical dashpot.
    pub damping: f64,
    /// |M| <= mu R_eff N or length N.
    pub limit: Limit,
    /// Options.
    pub options: SliderOptions,
}

/// Parameters of `spring-slider` for spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinSlider {
    /// k (N m/rad).
    pub stiffness: f64,
    /// c (N m s); with `damped_by_ratio` the fraction of the critical dashpot.
    pub damping: f64,
    /// |M| <= mu R_eff N or length N.
    pub limit: Limit,
    /// Options.
    pub options: SliderOptions,
}

/// What a spring can stretch along: a tangent vector, or an angle.
pub(crate) trait Stretch: Copy {
    /// Whether LAMMPS drops the load of a spring that is not stretched when it slips: for slide and roll, not for spin.
    const LAMMPS_DROPS_UNLOADED: bool;
    fn plus(self, other: Self) -> Self;
    fn times(self, factor: f64) -> Self;
    fn size(self) -> f64;
    fn pick(condition: bool, yes: Self, no: Self) -> Self;
}

impl Stretch for DVec3 {
    const LAMMPS_DROPS_UNLOADED: bool = true;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self * factor
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.length()
    }
    #[inline(always)]
    fn pick(condition: bool, yes: Self, no: Self) -> Self {
        DVec3::new(
            f64::pick(condition, yes.x, no.x),
            f64::pick(condition, yes.y, no.y),
            f64::pick(condition, yes.z, no.z),
        )
    }
}

impl Stretch for f64 {
    const LAMMPS_DROPS_UNLOADED: bool = false;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self * factor
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn pick(condition: bool, yes: Self, no: Self) -> Self {
        if condition { yes } else { no }
    }
}

/// Spring k, dashpot c, and the loads beyond which the slider gives way and which it then bears.
#[derive(Clone, Copy)]
pub(crate) struct Slider {
    pub k: f64,
    pub c: f64,
    pub static_limit: f64,
    pub kinetic_limit: f64,
    pub dt: f64,
}

impl Slider {
    /// Steps 2 to 4 of the header: load, new memory, slipping or not.
    #[inline(always)]
    pub fn slide<V: Stretch>(&self, options: SliderOptions, old: V, rate: V, slipping: bool) -> (V, V, bool) {
        let Slider { k, c, dt, .. } = *self;
        let stretched = old.plus(rate.times(dt));
        let elastic = stretched.times(-k);
        let trial = elastic.plus(rate.times(-c));
        // A spring that knows nothing yet (dt is zero, and it has no past) cannot tell whether it slips: the limit then caps the
        // dashpot, too.
        let newborn = (dt == 0.0) & (slipping | (old.size() == 0.0));
        let tested = V::pick((options.cap == Cap::Elastic) & !newborn, elastic, trial);
        let size = tested.size();
        let slips = size > f64::pick(slipping, self.kinetic_limit, self.static_limit);
        let at_limit = tested.times(self.kinetic_limit / size);
        let (at_limit, left) = match (options.cap, options.slip) {
            (Cap::Elastic, _) => (at_limit, V::pick(newborn, stretched, at_limit.times(-1.0 / k))),
            (Cap::Total, Slip::Series) => {
                // At the very first evaluation dt is zero; without a dashpot the formula's limit for small dt is -f/k.
                let dt = f64::pick(dt + c > 0.0, dt, 1.0);
                let scale = 1.0 / (c + k * dt);
                (at_limit, old.times(c * scale).plus(at_limit.times(-dt * scale)))
            }
            (Cap::Total, Slip::Lammps) => {
                let left = at_limit.plus(rate.times(c)).times(-1.0 / k);
                let unloaded = V::LAMMPS_DROPS_UNLOADED & (stretched.size() == 0.0);
                (V::pick(unloaded, at_limit.times(0.0), at_limit), V::pick(unloaded, stretched, left))
            }
        };
        (V::pick(slips, at_limit, trial), V::pick(slips, left, stretched), slips)
    }
}

/// The dashpot of a motion whose natural frequency is sqrt(k inverse_mass): 2 b sqrt(k/inverse_mass).
#[inline(always)]
pub(crate) fn dashpot_by_ratio(ratio: f64, stiffness: f64, inverse_mass: f64) -> f64 {
    2.0 * ratio * (stiffness / inverse_mass).sqrt()
}

/// 1/m of the motion that a force along the tangent at the contact sets off (1/kg).
#[inline(always)]
pub(crate) fn rocking_inverse_mass(contact: &Contact) -> f64 {
    let turning_a = contact.reach_a * contact.reach_a * contact.inverse_inertia_a;
    let turning_b = contact.reach_b * contact.reach_b * contact.inverse_inertia_b;
    contact.inverse_mass_a + contact.inverse_mass_b + turning_a + turning_b
}

impl SlideSlider {
    /// With the default options.
    pub fn new(stiffness: f64, damping: f64, limit: Limit) -> Self {
        SlideSlider { stiffness, damping, limit, options: SliderOptions::default() }
    }

    /// The dashpot c (kg/s) at a contact.
    #[inline(always)]
    pub fn dashpot(&self, contact: &Contact) -> f64 {
        self.dashpot_with(self.options, contact)
    }

    #[inline(always)]
    fn dashpot_with(&self, options: SliderOptions, contact: &Contact) -> f64 {
        if options.damped_by_ratio {
            dashpot_by_ratio(self.damping, self.stiffness, rocking_inverse_mass(contact))
        } else {
            self.damping * contact.mass_eff
        }
    }

    /// The dashpot c (kg/s) of a typical contact, for the stable step.
    pub(super) fn typical_dashpot(&self, at: &TypicalContact) -> f64 {
        springs::dashpot(self.options.damped_by_ratio, self.damping, at.mass_eff(), self.stiffness, at.rocking())
    }

    /// `resist` with options the compiler may know.
    #[inline(always)]
    fn resist_with(&self, options: SliderOptions, contact: &Contact, memory: &mut VectorSpring) -> Resistance {
        let (reach_a, reach_b) = match options.arm {
            Arm::Midpoint => (contact.lever_a, contact.lever_b),
            Arm::Lammps => (contact.reach_a, contact.reach_b),
        };
        let (old, rate) = match options.transport {
            Transport::Objective => (memory.spring, contact.slip(reach_a, reach_b)),
            Transport::Lammps => (memory.spring, contact.slip_at(contact.normal, reach_a, reach_b)),
        };
        let load = options.normal_load(contact);
        let slider = Slider {
            k: self.stiffness,
            c: self.dashpot_with(options, contact),
            static_limit: self.limit.static_ * load,
            kinetic_limit: self.limit.kinetic * load,
            dt: contact.dt,
        };
        let (force, spring, slipping) = slider.slide(options, old, rate, memory.slipping);
        *memory = VectorSpring { spring, slipping };
        let full = options.arm == Arm::Lammps && contact.with_wall();
        let lever_a = f64::pick(full, contact.reach_a, contact.lever_a);
        let lever_b = f64::pick(full, contact.reach_b, contact.lever_b);
        Resistance { force, lever_a, lever_b, ..Resistance::default() }
    }
}

impl FrictionLaw for SlideSlider {
    const NAME: &'static str = "spring-slider";
    const RESISTS: Motions = Motions::SLIDE;
    type Memory = VectorSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut VectorSpring, _: &mut [f64]) -> Resistance {
        self.resist_with(self.options, contact, memory)
    }

    fn stored(&self, _: &Contact, memory: &VectorSpring, _: &[f64]) -> [f64; 3] {
        [0.5 * self.stiffness * memory.spring.length_squared(), 0.0, 0.0]
    }

    #[inline(always)]
    fn carry(&self) -> Carry {
        self.options.carry()
    }

    fn swapped(&self, memory: VectorSpring, _: &mut [f64]) -> VectorSpring {
        VectorSpring { spring: -memory.spring, ..memory }
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let spring = Spring::of_force(self.stiffness, self.typical_dashpot(at));
        Some(Springs::slide(spring.that_holds(self.limit.static_ > 0.0)))
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::SLIDE).then_some(self.limit)
    }

    #[inline(always)]
    fn specialise<V: LawVisitor>(&self, _: f64, visitor: &mut V) {
        if self.options == SliderOptions::default() {
            visitor.visit(&WithDefaults(*self));
        } else {
            visitor.visit(self);
        }
    }
}

impl RollSlider {
    /// With the default options.
    pub fn new(stiffness: f64, damping: f64, limit: Limit) -> Self {
        RollSlider { stiffness, damping, limit, options: SliderOptions::default() }
    }

    /// `resist` with options the compiler may know.
    #[inline(always)]
    fn resist_with(&self, options: SliderOptions, contact: &Contact, memory: &mut VectorSpring) -> Resistance {
        let radius = contact.radius_eff;
        let n = contact.normal;
        let (old, rate) = match options.transport {
            Transport::Objective => (memory.spring, contact.roll_rate().cross(n) * radius),
            Transport::Lammps => {
                let relative = contact.angular_velocity_a - contact.angular_velocity_b;
                (memory.spring, relative.cross(n) * radius)
            }
        };
        let c = if options.damped_by_ratio {
            let inverse_mass = radius * radius * (contact.inverse_inertia_a + contact.inverse_inertia_b);
            dashpot_by_ratio(self.damping, self.stiffness, inverse_mass)
        } else {
            self.damping
        };
        // The limit of the pseudo-force, whose torque has the arm R_eff.
        let per_coefficient = match self.limit.measure {
            Measure::Mu => options.normal_load(contact),
            Measure::Length => options.normal_load(contact) / radius,
        };
        let slider = Slider {
            k: self.stiffness,
            c,
            static_limit: self.limit.static_ * per_coefficient,
            kinetic_limit: self.limit.kinetic * per_coefficient,
            dt: contact.dt,
        };
        let (force, spring, slipping) = slider.slide(options, old, rate, memory.slipping);
        *memory = VectorSpring { spring, slipping };
        let torque = n.cross(force) * radius;
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }
}

impl FrictionLaw for RollSlider {
    const NAME: &'static str = "spring-slider";
    const RESISTS: Motions = Motions::ROLL;
    type Memory = VectorSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut VectorSpring, _: &mut [f64]) -> Resistance {
        self.resist_with(self.options, contact, memory)
    }

    fn stored(&self, _: &Contact, memory: &VectorSpring, _: &[f64]) -> [f64; 3] {
        [0.0, 0.5 * self.stiffness * memory.spring.length_squared(), 0.0]
    }

    #[inline(always)]
    fn carry(&self) -> Carry {
        self.options.carry()
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let c = springs::dashpot(self.options.damped_by_ratio, self.damping, 1.0, self.stiffness, at.rolling());
        let spring = Spring::of_force(self.stiffness, c);
        Some(Springs::roll(spring.that_holds(self.limit.static_ > 0.0)))
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::ROLL).then_some(self.limit)
    }

    #[inline(always)]
    fn specialise<V: LawVisitor>(&self, _: f64, visitor: &mut V) {
        if self.options == SliderOptions::default() {
            visitor.visit(&WithDefaults(*self));
        } else {
            visitor.visit(self);
        }
    }
}

impl SpinSlider {
    /// With the default options.
    pub fn new(stiffness: f64, damping: f64, limit: Limit) -> Self {
        SpinSlider { stiffness, damping, limit, options: SliderOptions::default() }
    }

    /// `resist` with options the compiler may know.
    #[inline(always)]
    fn resist_with(&self, options: SliderOptions, contact: &Contact, memory: &mut ScalarSpring) -> Resistance {
        let c = if options.damped_by_ratio {
            let inverse_inertia = contact.inverse_inertia_a + contact.inverse_inertia_b;
            dashpot_by_ratio(self.damping, self.stiffness, inverse_inertia)
        } else {
            self.damping
        };
        let (arm, load) = (self.limit.arm(contact), options.normal_load(contact));
        let rate = match options.transport {
            Transport::Objective => contact.spin_rate(),
            Transport::Lammps => (contact.angular_velocity_a - contact.angular_velocity_b).dot(contact.normal),
        };
        let slider = Slider {
            k: self.stiffness,
            c,
            static_limit: self.limit.static_ * arm * load,
            kinetic_limit: self.limit.kinetic * arm * load,
            dt: contact.dt,
        };
        let (spin, spring, slipping) = slider.slide(options, memory.spring, rate, memory.slipping);
        *memory = ScalarSpring { spring, slipping };
        Resistance { spin, ..Resistance::default() }
    }
}

impl FrictionLaw for SpinSlider {
    const NAME: &'static str = "spring-slider";
    const RESISTS: Motions = Motions::SPIN;
    type Memory = ScalarSpring;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ScalarSpring, _: &mut [f64]) -> Resistance {
        self.resist_with(self.options, contact, memory)
    }

    fn stored(&self, _: &Contact, memory: &ScalarSpring, _: &[f64]) -> [f64; 3] {
        [0.0, 0.0, 0.5 * self.stiffness * memory.spring * memory.spring]
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        let c = springs::dashpot(self.options.damped_by_ratio, self.damping, 1.0, self.stiffness, at.rotation());
        let spring = Spring::of_torque(self.stiffness, c);
        Some(Springs::spin(spring.that_holds(self.limit.static_ > 0.0)))
    }

    fn limit(&self, motion: Motions) -> Option<Limit> {
        (motion == Motions::SPIN).then_some(self.limit)
    }

    #[inline(always)]
    fn specialise<V: LawVisitor>(&self, _: f64, visitor: &mut V) {
        if self.options == SliderOptions::default() {
            visitor.visit(&WithDefaults(*self));
        } else {
            visitor.visit(self);
        }
    }
}

/// A slider whose options are the defaults. The kernel runs it as this type, so that the compiler knows them and folds
/// their branches away; the bits are those of the slider itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithDefaults<L>(pub L);

macro_rules! with_defaults {
    ($($law:ty),*) => {$(
        impl FrictionLaw for WithDefaults<$law> {
            const NAME: &'static str = <$law>::NAME;
            const RESISTS: Motions = <$law>::RESISTS;
            type Memory = <$law as FrictionLaw>::Memory;

            #[inline(always)]
            fn resist(&self, contact: &Contact, memory: &mut Self::Memory, _: &mut [f64]) -> Resistance {
                self.0.resist_with(SliderOptions::default(), contact, memory)
            }

            fn stored(&self, contact: &Contact, memory: &Self::Memory, _: &[f64]) -> [f64; 3] {
                self.0.stored(contact, memory, &[])
            }
        }
    )*};
}
with_defaults!(SlideSlider, RollSlider, SpinSlider);

#[cfg(test)]
mod tests;

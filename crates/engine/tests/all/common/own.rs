//! Laws that the engine does not know, for the tests that run over every law.

use glam::DVec3;
use stickslip::contact::{Contact, Resistance};
use stickslip::law::memory::{ModeOnly, ScalarSpring};
use stickslip::law::*;

/// Roll: two elastic springs, each in series with a slider, side by side (Iwan 1967). Its memory is a type of its own.
#[derive(Clone, Copy, Debug)]
pub struct TwoSliders {
    /// N m/rad.
    pub stiffness: [f64; 2],
    /// |M| of each is at most this times R_eff N.
    pub mu: [f64; 2],
}

/// The angles (rad) of both springs, and whether the contact slips.
#[derive(Clone, Copy, Debug, Default)]
pub struct TwoSprings {
    springs: [DVec3; 2],
    slipping: bool,
}

impl Memory for TwoSprings {
    const PARTS: &'static [MemoryPart] = &[MemoryPart::vector("first"), MemoryPart::vector("second")];
    #[inline(always)]
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
        let vector = |at: usize| DVec3::new(number(at), number(at + 1), number(at + 2));
        TwoSprings { springs: [vector(0), vector(3)], slipping }
    }
    #[inline(always)]
    fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
        for (at, spring) in self.springs.into_iter().enumerate() {
            put(3 * at, spring.x);
            put(3 * at + 1, spring.y);
            put(3 * at + 2, spring.z);
        }
        self.slipping
    }
    #[inline(always)]
    fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Self {
        TwoSprings { springs: [turn(self.springs[0]), turn(self.springs[1])], ..self }
    }
}

impl FrictionLaw for TwoSliders {
    const NAME: &'static str = "two-sliders";
    const RESISTS: Motions = Motions::ROLL;
    type Memory = TwoSprings;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut TwoSprings, _: &mut [f64]) -> Resistance {
        let turned = contact.roll_rate() * contact.dt;
        let mut torque = DVec3::ZERO;
        let mut capped = 0;
        for i in 0..2 {
            let trial = memory.springs[i] + turned;
            let most = self.mu[i] * contact.radius_eff * contact.normal_load / self.stiffness[i];
            let size = trial.length();
            let slips = size > most;
            memory.springs[i] = trial * (if slips { most / size } else { 1.0 });
            torque -= memory.springs[i] * self.stiffness[i];
            capped += i32::from(slips);
        }
        memory.slipping = capped == 2;
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, memory: &TwoSprings, _: &[f64]) -> [f64; 3] {
        let energy = |i: usize| 0.5 * self.stiffness[i] * memory.springs[i].length_squared();
        [0.0, energy(0) + energy(1), 0.0]
    }

    /// Angles of a against b: they turn about when a and b change places.
    fn swapped(&self, memory: TwoSprings, _: &mut [f64]) -> TwoSprings {
        TwoSprings { springs: memory.springs.map(|spring| -spring), ..memory }
    }

    fn springs(&self, _: &TypicalContact) -> Option<Springs> {
        Some(Springs::roll(Spring::of_torque(self.stiffness[0] + self.stiffness[1], 0.0)))
    }
}

/// Roll without memory: M = -mu R_eff N w/(|w| + w0).
#[derive(Clone, Copy, Debug)]
pub struct Regularised {
    /// Coefficient of rolling friction.
    pub mu: f64,
    /// Rate (rad/s) at which half the torque acts.
    pub rate: f64,
}

impl FrictionLaw for Regularised {
    const NAME: &'static str = "regularised";
    const RESISTS: Motions = Motions::ROLL;
    type Memory = ModeOnly;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly, _: &mut [f64]) -> Resistance {
        let rate = contact.roll_rate();
        let torque = rate * (-self.mu * contact.radius_eff * contact.normal_load / (rate.length() + self.rate));
        memory.slipping = rate.length() > self.rate;
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, _: &ModeOnly, _: &[f64]) -> [f64; 3] {
        [0.0; 3]
    }
}

/// Spin: a slider that keeps its angle in the cold slab behind numbers that it never reads. The formula is the inner law's, so the
/// bits are.
#[derive(Clone, Copy, Debug)]
pub struct ColdSpin(pub SpinSlider);

/// Where in its cold numbers the angle is.
const ANGLE: usize = 17;

impl ColdSpin {
    fn spring(cold: &[f64], slipping: bool) -> ScalarSpring {
        ScalarSpring { spring: cold[ANGLE], slipping }
    }
}

/// Whether the contact slips; all else is cold.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColdMemory {
    slipping: bool,
}

impl Memory for ColdMemory {
    const PARTS: &'static [MemoryPart] = &[MemoryPart::cold("angle, and room", 20)];
    fn load(_: impl Fn(usize) -> f64, slipping: bool) -> Self {
        ColdMemory { slipping }
    }
    fn store(self, _: impl FnMut(usize, f64)) -> bool {
        self.slipping
    }
}

impl FrictionLaw for ColdSpin {
    const NAME: &'static str = "cold";
    const RESISTS: Motions = Motions::SPIN;
    type Memory = ColdMemory;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ColdMemory, cold: &mut [f64]) -> Resistance {
        let mut spring = ColdSpin::spring(cold, memory.slipping);
        let resistance = self.0.resist(contact, &mut spring, &mut []);
        (cold[ANGLE], memory.slipping) = (spring.spring, spring.slipping);
        resistance
    }

    fn stored(&self, contact: &Contact, memory: &ColdMemory, cold: &[f64]) -> [f64; 3] {
        self.0.stored(contact, &ColdSpin::spring(cold, memory.slipping), &[])
    }

    fn swapped(&self, memory: ColdMemory, cold: &mut [f64]) -> ColdMemory {
        let swapped = self.0.swapped(ColdSpin::spring(cold, memory.slipping), &mut []);
        cold[ANGLE] = swapped.spring;
        memory
    }

    fn springs(&self, at: &TypicalContact) -> Option<Springs> {
        self.0.springs(at)
    }
}

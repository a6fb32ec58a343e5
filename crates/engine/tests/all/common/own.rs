//! Laws that the engine does not know, for the tests that run over every law.

use glam::DVec3;
use stickslip::contact::{Contact, Lanes, Resistance};
use stickslip::law::memory::ModeOnly;
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
    const SIZE: usize = 6;
    type Block = [Lanes; 6];
    fn block(lanes: &mut [Lanes]) -> &mut [Lanes; 6] {
        lanes.try_into().expect("the engine reserves six lanes")
    }
    #[inline(always)]
    fn load(block: &[Lanes; 6], lane: usize, slipping: bool) -> Self {
        let vector = |at: usize| DVec3::new(block[at].0[lane], block[at + 1].0[lane], block[at + 2].0[lane]);
        TwoSprings { springs: [vector(0), vector(3)], slipping }
    }
    #[inline(always)]
    fn store(self, block: &mut [Lanes; 6], lane: usize) -> bool {
        for (at, spring) in self.springs.into_iter().enumerate() {
            block[3 * at].0[lane] = spring.x;
            block[3 * at + 1].0[lane] = spring.y;
            block[3 * at + 2].0[lane] = spring.z;
        }
        self.slipping
    }
}

impl FrictionLaw for TwoSliders {
    const RESISTS: Motions = Motions::ROLL;
    type Memory = TwoSprings;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut TwoSprings) -> Resistance {
        let turned = contact.roll_rate() * contact.dt;
        let mut torque = DVec3::ZERO;
        let mut capped = 0;
        for i in 0..2 {
            let trial = contact.transport(memory.springs[i]) + turned;
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

    fn stored(&self, _: &Contact, memory: &TwoSprings) -> [f64; 3] {
        let energy = |i: usize| 0.5 * self.stiffness[i] * memory.springs[i].length_squared();
        [0.0, energy(0) + energy(1), 0.0]
    }

    fn springs(&self, _: f64) -> Option<Springs> {
        Some(Springs { stiffness: self.stiffness[0] + self.stiffness[1], dashpot: 0.0 })
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
    const RESISTS: Motions = Motions::ROLL;
    type Memory = ModeOnly;

    #[inline(always)]
    fn resist(&self, contact: &Contact, memory: &mut ModeOnly) -> Resistance {
        let rate = contact.roll_rate();
        let torque = rate * (-self.mu * contact.radius_eff * contact.normal_load / (rate.length() + self.rate));
        memory.slipping = rate.length() > self.rate;
        Resistance { roll_a: torque, roll_b: -torque, ..Resistance::default() }
    }

    fn stored(&self, _: &Contact, _: &ModeOnly) -> [f64; 3] {
        [0.0; 3]
    }
}

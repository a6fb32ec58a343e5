//! The largest friction a contact can bear: what a coefficient means, in one place for all laws.
//!
//! Slide: |F| <= mu N. Roll and spin: |M| <= mu R_eff N, or |M| <= length N (THEORY.md eq. 3.1). Static and kinetic
//! values: a contact sticks while its trial load is within the static limit; in slip the limit is the kinetic one until
//! the trial load falls below that.

use crate::contact::Contact;
use crate::law::Motions;

/// What a roll or spin coefficient multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `mu`: a pure number, times the effective radius.
    Mu,
    /// `length`: an arm (m).
    Length,
}

/// A static and a kinetic coefficient, and their measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Coefficient up to which the contact sticks.
    pub static_: f64,
    /// Coefficient in slip; at most the static one.
    pub kinetic: f64,
    /// What the two multiply; `Mu` for slide, where the radius does not enter.
    pub measure: Measure,
}

impl Limit {
    /// One coefficient for stick and slip.
    pub const fn mu(mu: f64) -> Self {
        Limit { static_: mu, kinetic: mu, measure: Measure::Mu }
    }

    /// One length for stick and slip.
    pub const fn length(length: f64) -> Self {
        Limit { static_: length, kinetic: length, measure: Measure::Length }
    }

    /// The arm R_eff or 1 m that turns a coefficient into a torque per newton of normal load.
    #[inline(always)]
    pub fn arm(&self, contact: &Contact) -> f64 {
        self.arm_at(contact.radius_eff)
    }

    /// The same for this effective radius (m).
    #[inline(always)]
    pub fn arm_at(&self, radius_eff: f64) -> f64 {
        match self.measure {
            Measure::Mu => radius_eff,
            Measure::Length => 1.0,
        }
    }
}

/// What a contact can hold in all three motions, as a method without springs reads it: the pair's friction as limits alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// |F| <= mu N.
    pub slide: Option<Limit>,
    /// |M| <= mu R_eff N or length N; free without.
    pub roll: Option<Limit>,
    /// The limit of rolling across the direction of `roll`, where the two differ.
    pub across: Option<Limit>,
    /// |M| <= mu R_eff N or length N about the normal; free without.
    pub spin: Option<Limit>,
    /// Slide and spin share one cone: what one bears, the other cannot.
    pub coupled: bool,
}

impl Limits {
    /// What resists one motion.
    pub fn of(&self, motion: Motions) -> Option<Limit> {
        match motion {
            Motions::SLIDE => self.slide,
            Motions::ROLL => self.roll,
            Motions::SPIN => self.spin,
            _ => None,
        }
    }
}

//! Where the energy went.
//!
//! The loads of each motion do the work W on the bodies; what they have done less than nothing and do not hold as
//! stored energy is lost: lost = -W - (stored - stored at the start) (THEORY.md section 5). W is the trapezoidal sum of power over steps, taken
//! with full-step velocities, which makes the balance close to second order in dt. A spring that is dropped when its
//! contact ends counts as lost to its motion. What bodies bring along when they enter, and what they and their contacts
//! hold when they leave, is kept apart: it is neither lost nor work.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// Where energy is lost. The columns of the time series and the parts of a balance follow from this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Along the normal.
    Normal,
    /// To sliding.
    Slide,
    /// To rolling.
    Roll,
    /// To spinning.
    Spin,
    /// Taken by local damping.
    Local,
    /// To dry friction and dampers of joints.
    Joint,
}

impl Loss {
    /// All of them, in the order of the columns.
    pub const ALL: [Loss; 6] = [Loss::Normal, Loss::Slide, Loss::Roll, Loss::Spin, Loss::Local, Loss::Joint];
    /// Those that every table has a column for, in the order of the columns; the others follow where a run has them.
    pub const OF_EVERY_RUN: [Loss; 5] = [Loss::Normal, Loss::Slide, Loss::Roll, Loss::Spin, Loss::Local];
    /// Those of contacts, in the order of all sums by motion.
    pub const OF_CONTACTS: [Loss; 4] = [Loss::Normal, Loss::Slide, Loss::Roll, Loss::Spin];

    /// How files and reports name it.
    pub fn text(self) -> LossText {
        let (column, cause, share) = match self {
            Loss::Normal => ("lost_normal", "normal damping", "lost to normal damping"),
            Loss::Slide => ("lost_slide", "slide", "lost to sliding"),
            Loss::Roll => ("lost_roll", "roll", "lost to rolling"),
            Loss::Spin => ("lost_spin", "spin", "lost to spinning"),
            Loss::Local => ("lost_local", "local damping", "lost to local damping"),
            Loss::Joint => ("lost_joint", "joints", "lost to friction and dampers of joints"),
        };
        LossText { column, cause, share }
    }
}

/// The names of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossText {
    /// Its column in tables.
    pub column: &'static str,
    /// What takes the energy: the label of a curve.
    pub cause: &'static str,
    /// Its entry in a balance.
    pub share: &'static str,
}

/// Energy lost (J), by name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses([f64; Loss::ALL.len()]);

impl Losses {
    /// Each loss with its energy.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, f64)> + '_ {
        Loss::ALL.into_iter().zip(self.0)
    }

    /// All together.
    pub fn total(&self) -> f64 {
        self.added_to(0.0)
    }

    /// All together with another energy, which comes first.
    fn added_to(&self, energy: f64) -> f64 {
        self.0.iter().fold(energy, |sum, lost| sum + lost)
    }
}

impl Index<Loss> for Losses {
    type Output = f64;

    fn index(&self, loss: Loss) -> &f64 {
        &self.0[loss as usize]
    }
}

impl IndexMut<Loss> for Losses {
    fn index_mut(&mut self, loss: Loss) -> &mut f64 {
        &mut self.0[loss as usize]
    }
}

impl FromIterator<(Loss, f64)> for Losses {
    fn from_iter<I: IntoIterator<Item = (Loss, f64)>>(all: I) -> Self {
        let mut losses = Losses::default();
        all.into_iter().for_each(|(loss, energy)| losses[loss] = energy);
        losses
    }
}

/// Sums booked since the start, by the trapezoidal rule.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Sum of dt times the power on bodies of normal, slide, roll and spin loads; the first with half weight.
    pub work: [f64; 4],
    /// The last powers booked; half of them belongs to the step to come.
    pub power: [f64; 4],
    /// The same for the work that prescribed motion and constant loads put in.
    pub driven: f64,
    /// Last power of that.
    pub driven_power: f64,
    /// Energy taken by local damping.
    pub local: f64,
    /// Energy taken by friction and dampers of joints.
    pub joints: f64,
    /// Kinetic + potential + stored energy at the start.
    pub start: f64,
    /// Of that, stored by normal, slide, roll and spin.
    pub stored_at_start: [f64; 4],
    /// Stored by normal, slide, roll and spin in contacts when a body left.
    pub stored_out: [f64; 4],
    /// What bodies that came brought along, and those that left took away.
    pub carried: Carried,
}

/// Energy that came and went with bodies (J).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// Kinetic energy of bodies that entered.
    pub kinetic_in: f64,
    /// Their potential energy.
    pub potential_in: f64,
    /// Kinetic energy of bodies that left.
    pub kinetic_out: f64,
    /// Their potential energy.
    pub potential_out: f64,
    /// What their contacts stored.
    pub stored_out: f64,
}

/// A body that has come or gone, and what it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// Its id.
    pub id: u32,
    /// kg; zero for a body that loads do not move.
    pub mass: f64,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Potential energy (J).
    pub potential: f64,
}

impl Carried {
    /// Books bodies that have come.
    pub fn book_in(&mut self, come: &[Passage]) {
        for passage in come {
            self.kinetic_in += passage.kinetic;
            self.potential_in += passage.potential;
        }
    }

    /// Books bodies that have gone.
    pub fn book_out(&mut self, gone: &[Passage]) {
        for passage in gone {
            self.kinetic_out += passage.kinetic;
            self.potential_out += passage.potential;
        }
    }

    /// All that bodies brought.
    pub fn brought(&self) -> f64 {
        self.kinetic_in + self.potential_in
    }

    /// All that bodies took away.
    pub fn taken(&self) -> f64 {
        self.kinetic_out + self.potential_out + self.stored_out
    }
}

impl Sums {
    /// Visits every number with its name: what a checkpoint holds. Those by motion come together, in the order of
    /// `Loss::OF_CONTACTS`. A sum that a file does not have is zero, so a new one is a field and a line here.
    pub fn each(&mut self, visit: &mut dyn FnMut(&'static str, &mut [f64])) {
        let one = std::slice::from_mut::<f64>;
        visit("work", &mut self.work);
        visit("power", &mut self.power);
        visit("driven", one(&mut self.driven));
        visit("driven_power", one(&mut self.driven_power));
        visit("local", one(&mut self.local));
        visit("joints", one(&mut self.joints));
        visit("start", one(&mut self.start));
        visit("stored_at_start", &mut self.stored_at_start);
        visit("stored_out", &mut self.stored_out);
        visit("carried.kinetic_in", one(&mut self.carried.kinetic_in));
        visit("carried.potential_in", one(&mut self.carried.potential_in));
        visit("carried.kinetic_out", one(&mut self.carried.kinetic_out));
        visit("carried.potential_out", one(&mut self.carried.potential_out));
        visit("carried.stored_out", one(&mut self.carried.stored_out));
    }

    /// Books one evaluation of loads; `weight` is dt, or dt/2 for the first.
    pub fn book(&mut self, power: [f64; 4], driven_power: f64, weight: f64) {
        for (work, power) in self.work.iter_mut().zip(power) {
            *work += weight * power;
        }
        self.driven += weight * driven_power;
        self.power = power;
        self.driven_power = driven_power;
    }

    /// The sums of a run that goes on in another stage, whose own begin with `stage`: what was booked for a step that does not
    /// come is taken back. What a stage changes at once (bodies, velocities, gravity, laws) is neither lost nor work: kinetic
    /// and potential energy are booked as brought or taken, stored energy as there from the start. `before` are the energies
    /// until then, `after` those from then on: kinetic, potential; `stored` is that until then by motion.
    #[must_use]
    pub fn joined(&self, (before, after): ([f64; 2], [f64; 2]), stored: [f64; 4], dt: f64, stage: &Sums) -> Sums {
        let mut ended = *self;
        ended.end(self.power, self.driven_power, dt);
        let [kinetic, potential] = [after[0] - before[0], after[1] - before[1]];
        let Carried { kinetic_in, potential_in, kinetic_out, potential_out, stored_out } = self.carried;
        let carried = Carried {
            kinetic_in: kinetic_in + kinetic.max(0.0),
            potential_in: potential_in + potential.max(0.0),
            kinetic_out: kinetic_out - kinetic.min(0.0),
            potential_out: potential_out - potential.min(0.0),
            stored_out,
        };
        let sum = |one: [f64; 4], other: [f64; 4]| std::array::from_fn(|motion| one[motion] + other[motion]);
        let change: [f64; 4] = std::array::from_fn(|motion| stage.stored_at_start[motion] - stored[motion]);
        Sums {
            work: sum(ended.work, stage.work),
            power: stage.power,
            driven: ended.driven + stage.driven,
            driven_power: stage.driven_power,
            start: ended.start + change.iter().sum::<f64>(),
            stored_at_start: sum(ended.stored_at_start, change),
            carried,
            ..ended
        }
    }

    /// Ends the trapezoids of contacts and drives that are no more (THEORY.md eq. 5.6): what was booked last for the step to
    /// come, half of their power, is taken back.
    pub fn end(&mut self, power: [f64; 4], driven_power: f64, dt: f64) {
        for (motion, power) in power.into_iter().enumerate() {
            self.work[motion] -= 0.5 * dt * power;
            self.power[motion] -= power;
        }
        self.driven -= 0.5 * dt * driven_power;
        self.driven_power -= driven_power;
    }
}

/// The energies of a world now (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Of free and held bodies: translation and rotation.
    pub kinetic: f64,
    /// Of free bodies in gravity, zero at the origin.
    pub potential: f64,
    /// Elastic energy of contacts: normal, slide, roll and spin springs.
    pub stored: f64,
    /// What is lost, by name.
    pub lost: Losses,
    /// Put in by prescribed motion, belts, servos and constant loads.
    pub work: f64,
    /// What is in excess: kinetic + potential + stored + lost - work - (the same at the start) - what bodies that came and
    /// went carried in, net.
    pub error: f64,
    /// What came and went with bodies.
    pub carried: Carried,
}

impl Ledger {
    /// From the energies now (kinetic, potential, in springs of joints), the stored energy by motion (normal, slide, roll, spin) and the
    /// sums.
    pub(crate) fn new(now: [f64; 3], stored: [f64; 4], sums: &Sums, dt: f64) -> Self {
        let [kinetic, potential, in_joints] = now;
        // The last zero makes a minus zero a plain one.
        let gained = |i: usize| stored[i] + sums.stored_out[i] - sums.stored_at_start[i];
        let lost_by = |i: usize| 0.5 * dt * sums.power[i] - sums.work[i] - gained(i) + 0.0;
        let mut lost: Losses = Loss::OF_CONTACTS.into_iter().map(|loss| (loss, lost_by(loss as usize))).collect();
        lost[Loss::Local] = sums.local;
        lost[Loss::Joint] = sums.joints;
        let work = sums.driven - 0.5 * dt * sums.driven_power;
        let stored_total = stored.iter().sum::<f64>() + in_joints;
        let total = lost.added_to(kinetic + potential + stored_total);
        Ledger {
            kinetic,
            potential,
            stored: stored_total,
            lost,
            work,
            error: total - work - (sums.start + sums.carried.brought() - sums.carried.taken()),
            carried: sums.carried,
        }
    }

    /// Everything lost, by any motion.
    pub fn total_lost(&self) -> f64 {
        self.lost.total()
    }
}

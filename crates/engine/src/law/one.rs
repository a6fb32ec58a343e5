//! The laws of a pair on one contact at a time: for the probe and for the slow reference step.

use glam::DVec3;

use crate::contact::{Contact, Lanes, Resistance};
use crate::law::kernel::{MemoryLayout, SLIPS};
use crate::law::memory::{GradedSpring, ModeOnly, ScalarSpring, VectorSpring};
use crate::law::{FrictionLaw, Motions, Normal, NormalLaw, PairLaws, Roll, Slide, Spin};
use crate::measure::Mode;

/// What one contact remembers under any laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairMemory {
    /// Of the slide law.
    pub slide: VectorSpring,
    /// Of the roll law.
    pub roll: VectorSpring,
    /// Of the spin law.
    pub spin: ScalarSpring,
    /// Stiffness (N m/rad) at which the angle of `spin` was reached, for laws in which it changes.
    pub spin_stiffness: f64,
}

impl PairMemory {
    /// Of one lane of a block.
    pub fn from_lanes(layout: &MemoryLayout, memory: &[Lanes], lane: usize) -> Self {
        PairMemory::from_numbers(layout, |at| memory[at].0[lane])
    }

    /// Of the numbers of one contact: the bits of slipping, then slide, roll and spin.
    pub fn from_numbers(layout: &MemoryLayout, number: impl Fn(usize) -> f64) -> Self {
        let slips = |motion: Motions| number(0).to_bits() & u64::from(motion.0) != 0;
        let vector = |at: usize, size: usize| match size {
            0 => DVec3::ZERO,
            _ => DVec3::new(number(at), number(at + 1), number(at + 2)),
        };
        let roll = SLIPS + layout.slide;
        let spin = roll + layout.roll;
        PairMemory {
            slide: VectorSpring { spring: vector(SLIPS, layout.slide), slipping: slips(Motions::SLIDE) },
            roll: VectorSpring { spring: vector(roll, layout.roll), slipping: slips(Motions::ROLL) },
            spin: ScalarSpring {
                spring: if layout.spin > 0 { number(spin) } else { 0.0 },
                slipping: slips(Motions::SPIN),
            },
            spin_stiffness: if layout.spin > 1 { number(spin + 1) } else { 0.0 },
        }
    }

    /// The same memory for the pair taken the other way round, under these laws: a and b change places and the normal turns
    /// about. Rates of slip turn about with them. The rolling rate `(w_a - w_b) x n` and the spin `(w_a - w_b) . n` do not;
    /// the torque that `epsd` keeps does.
    pub fn swapped(mut self, laws: &PairLaws) -> Self {
        self.slide.spring = -self.slide.spring;
        if matches!(laws.roll, Some(Roll::Epsd(_))) {
            self.roll.spring = -self.roll.spring;
        }
        self
    }

    /// The spin's memory for a law whose stiffness changes.
    fn graded_spin(&self) -> GradedSpring {
        GradedSpring { spring: self.spin.spring, stiffness: self.spin_stiffness, slipping: self.spin.slipping }
    }

    fn set_graded_spin(&mut self, memory: GradedSpring) {
        self.spin = ScalarSpring { spring: memory.spring, slipping: memory.slipping };
        self.spin_stiffness = memory.stiffness;
    }

    /// As the numbers of a lane.
    pub fn to_numbers(self, layout: &MemoryLayout) -> impl Iterator<Item = f64> {
        let bit = |motion: Motions, slipping: bool| if slipping { u64::from(motion.0) } else { 0 };
        let slips = bit(Motions::SLIDE, self.slide.slipping)
            | bit(Motions::ROLL, self.roll.slipping)
            | bit(Motions::SPIN, self.spin.slipping);
        std::iter::once(f64::from_bits(slips))
            .chain(self.slide.spring.to_array().into_iter().take(layout.slide))
            .chain(self.roll.spring.to_array().into_iter().take(layout.roll))
            .chain([self.spin.spring, self.spin_stiffness].into_iter().take(layout.spin))
    }
}

/// Normal force on a and friction; `contact.normal_load` is set on the way.
pub fn evaluate(laws: &PairLaws, contact: &mut Contact, memory: &mut PairMemory) -> (f64, Resistance) {
    let push = match &laws.normal {
        Normal::Hooke(law) => law.press(contact),
        Normal::Hertz(law) => law.press(contact),
    };
    contact.normal_load = push.abs();
    let mut sum = Resistance::default();
    match &laws.slide {
        None => {}
        Some(Slide::SpringSlider(law)) => add(&mut sum, law, contact, &mut memory.slide),
    }
    let mut mode = ModeOnly { slipping: memory.roll.slipping };
    match &laws.roll {
        None => {}
        Some(Roll::SpringSlider(law)) => add(&mut sum, law, contact, &mut memory.roll),
        Some(Roll::Epsd(law)) => add(&mut sum, law, contact, &mut memory.roll),
        Some(Roll::ConstantTorque(law)) => {
            add(&mut sum, law, contact, &mut mode);
            memory.roll.slipping = mode.slipping;
        }
        Some(Roll::Viscous(law)) => {
            add(&mut sum, law, contact, &mut mode);
            memory.roll.slipping = mode.slipping;
        }
    }
    let mut mode = ModeOnly { slipping: memory.spin.slipping };
    let mut graded = memory.graded_spin();
    match &laws.spin {
        None => {}
        Some(Spin::SpringSlider(law)) => add(&mut sum, law, contact, &mut memory.spin),
        Some(Spin::ConstantTorque(law)) => {
            add(&mut sum, law, contact, &mut mode);
            memory.spin.slipping = mode.slipping;
        }
        Some(Spin::Marshall(law)) => {
            add(&mut sum, law, contact, &mut graded);
            memory.set_graded_spin(graded);
        }
        Some(Spin::Lubkin(law)) => {
            add(&mut sum, law, contact, &mut graded);
            memory.set_graded_spin(graded);
        }
    }
    (push, sum)
}

fn add<L: FrictionLaw>(sum: &mut Resistance, law: &L, contact: &Contact, memory: &mut L::Memory) {
    let one = law.resist(contact, memory);
    if L::RESISTS.overlaps(Motions::SLIDE) {
        (sum.force, sum.lever_a, sum.lever_b) = (one.force, one.lever_a, one.lever_b);
    }
    sum.roll_a += one.roll_a;
    sum.roll_b += one.roll_b;
    sum.spin += one.spin;
}

/// Energy stored by normal, slide, roll and spin.
pub fn stored(laws: &PairLaws, contact: &Contact, memory: &PairMemory) -> [f64; 4] {
    let normal = match &laws.normal {
        Normal::Hooke(law) => law.stored(contact),
        Normal::Hertz(law) => law.stored(contact),
    };
    let slide = match &laws.slide {
        None => [0.0; 3],
        Some(Slide::SpringSlider(law)) => law.stored(contact, &memory.slide),
    };
    let roll = match &laws.roll {
        None | Some(Roll::ConstantTorque(_) | Roll::Viscous(_)) => [0.0; 3],
        Some(Roll::SpringSlider(law)) => law.stored(contact, &memory.roll),
        Some(Roll::Epsd(law)) => law.stored(contact, &memory.roll),
    };
    let spin = match &laws.spin {
        None | Some(Spin::ConstantTorque(_)) => [0.0; 3],
        Some(Spin::SpringSlider(law)) => law.stored(contact, &memory.spin),
        Some(Spin::Marshall(law)) => law.stored(contact, &memory.graded_spin()),
        Some(Spin::Lubkin(law)) => law.stored(contact, &memory.graded_spin()),
    };
    let by_motion = |i: usize| slide[i] + roll[i] + spin[i];
    [normal, by_motion(0), by_motion(1), by_motion(2)]
}

/// Stick or slip of slide, roll and spin.
pub fn modes(laws: &PairLaws, memory: &PairMemory) -> [Mode; 3] {
    let mode = |resisted: bool, slipping: bool| match (resisted, slipping) {
        (false, _) => Mode::None,
        (true, false) => Mode::Stick,
        (true, true) => Mode::Slip,
    };
    [
        mode(laws.slide.is_some(), memory.slide.slipping),
        mode(laws.roll.is_some(), memory.roll.slipping),
        mode(laws.spin.is_some(), memory.spin.slipping),
    ]
}

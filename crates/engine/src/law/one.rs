//! The laws of a pair on one contact at a time: for the probe and for the slow reference step.

use glam::DVec3;

use crate::contact::Mode;
use crate::contact::{Contact, Lanes, Resistance, pressing};
use crate::law::kernel::{MemoryLayout, SLIPS};
use crate::law::memory::{GradedSpring, ModeOnly, ScalarSpring, VectorSpring};
use crate::law::own::{Own, OwnNumbers};
use crate::law::tracked::TrackedMemory;
use crate::law::{Friction, FrictionLaw, Motions, Normal, NormalLaw, PairLaws, Roll, Slide, Spin};

/// The motions in the order of a memory.
const MOTIONS: [Motions; 3] = [Motions::SLIDE, Motions::ROLL, Motions::SPIN];

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
    /// Of laws from outside against slide, roll and spin; whether they slip stands above.
    pub own: [OwnNumbers; 3],
    /// Of `tracked`, which has all that it knows here.
    pub tracked: TrackedMemory,
}

impl PairMemory {
    /// Of one lane of a block.
    pub fn from_lanes(layout: &MemoryLayout, memory: &[Lanes], lane: usize) -> Self {
        PairMemory::from_numbers(layout, |at| memory[at].0[lane])
    }

    /// Of the numbers of one contact: the bits of slipping, then slide, roll and spin.
    pub fn from_numbers(layout: &MemoryLayout, number: impl Fn(usize) -> f64) -> Self {
        let slips = |motion: Motions| number(0).to_bits() & u64::from(motion.0) != 0;
        let roll = SLIPS + layout.slide;
        let spin = roll + layout.roll;
        let mut own = [OwnNumbers::default(); 3];
        let places = [(SLIPS, layout.slide), (roll, layout.roll), (spin, layout.spin)];
        // Where the numbers of a law of this crate stand, and how many; those of a law from outside are kept apart.
        let known: [(usize, usize); 3] = std::array::from_fn(|motion| {
            let (at, size) = places[motion];
            if !layout.own.overlaps(MOTIONS[motion]) {
                return (at, size);
            }
            own[motion][..size].iter_mut().enumerate().for_each(|(k, own)| *own = number(at + k));
            (at, 0)
        });
        let vector = |(at, size): (usize, usize)| match size {
            0 => DVec3::ZERO,
            _ => DVec3::new(number(at), number(at + 1), number(at + 2)),
        };
        let (at, size) = known[2];
        if layout.friction > 0 {
            let at = spin + layout.spin;
            let tracked = TrackedMemory::from_numbers(layout.friction, number(0).to_bits(), |k| number(at + k));
            return PairMemory { tracked, ..PairMemory::default() };
        }
        PairMemory {
            slide: VectorSpring { spring: vector(known[0]), slipping: slips(Motions::SLIDE) },
            roll: VectorSpring { spring: vector(known[1]), slipping: slips(Motions::ROLL) },
            spin: ScalarSpring { spring: if size > 0 { number(at) } else { 0.0 }, slipping: slips(Motions::SPIN) },
            spin_stiffness: if size > 1 { number(at + 1) } else { 0.0 },
            own,
            tracked: TrackedMemory::default(),
        }
    }

    /// The same memory for the pair taken the other way round, under these laws: a and b change places and the normal turns
    /// about. Rates of slip turn about with them. The rolling rate `(w_a - w_b) x n` and the spin `(w_a - w_b) . n` do not;
    /// the torque that `epsd` keeps does. What a law from outside keeps stays as it is.
    pub fn swapped(mut self, laws: &PairLaws) -> Self {
        self.slide.spring = -self.slide.spring;
        if matches!(laws.roll, Some(Roll::Epsd(_))) {
            self.roll.spring = -self.roll.spring;
        }
        self.tracked = self.tracked.swapped(laws.bits_of_roll()[0] != laws.bits_of_roll()[1]);
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
        let slips = if layout.friction > 0 { self.tracked.bits() } else { slips };
        let sizes = [layout.slide, layout.roll, layout.spin];
        let [slide, roll] = [self.slide.spring, self.roll.spring].map(|spring| spring.to_array());
        let of_motion = move |motion: usize| {
            let known: &[f64] = match motion {
                0 => &slide,
                1 => &roll,
                _ => &[self.spin.spring, self.spin_stiffness],
            };
            let numbers = if layout.own.overlaps(MOTIONS[motion]) { &self.own[motion] } else { known };
            numbers[..sizes[motion]].to_vec()
        };
        let tracked = self.tracked.to_numbers(layout.friction);
        std::iter::once(f64::from_bits(slips)).chain((0..3).flat_map(of_motion)).chain(tracked)
    }
}

/// Normal force on a and friction; `contact.normal_force` and `normal_load` are set on the way.
pub fn evaluate(laws: &PairLaws, contact: &mut Contact, memory: &mut PairMemory) -> (f64, Resistance) {
    let push = match &laws.normal {
        Normal::Hooke(law) => law.press(contact),
        Normal::Hertz(law) => law.press(contact),
    };
    (contact.normal_force, contact.normal_load) = (push, pressing(push));
    let mut sum = Resistance::default();
    if let Some(Friction::Tracked(law)) = &laws.friction {
        return (push, law.resist(contact, &mut memory.tracked));
    }
    match &laws.slide {
        None => {}
        Some(Slide::SpringSlider(law)) => add(&mut sum, law, contact, &mut memory.slide),
        Some(Slide::Own(law)) => add_own(&mut sum, 0, law, contact, &mut memory.own, &mut memory.slide.slipping),
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
        Some(Roll::Own(law)) => add_own(&mut sum, 1, law, contact, &mut memory.own, &mut memory.roll.slipping),
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
        Some(Spin::Own(law)) => add_own(&mut sum, 2, law, contact, &mut memory.own, &mut memory.spin.slipping),
    }
    (push, sum)
}

fn add<L: FrictionLaw>(sum: &mut Resistance, law: &L, contact: &Contact, memory: &mut L::Memory) {
    add_loads(sum, L::RESISTS, law.resist(contact, memory));
}

/// The same for a law from outside against the motion of this number.
fn add_own(
    sum: &mut Resistance,
    motion: usize,
    law: &Own,
    contact: &Contact,
    own: &mut [OwnNumbers; 3],
    slipping: &mut bool,
) {
    add_loads(sum, MOTIONS[motion], law.resist_one(contact, &mut own[motion], slipping));
}

fn add_loads(sum: &mut Resistance, motions: Motions, one: Resistance) {
    if motions.overlaps(Motions::SLIDE) {
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
        Some(Slide::Own(law)) => law.stored_one(contact, &memory.own[0], memory.slide.slipping),
    };
    let roll = match &laws.roll {
        None | Some(Roll::ConstantTorque(_) | Roll::Viscous(_)) => [0.0; 3],
        Some(Roll::SpringSlider(law)) => law.stored(contact, &memory.roll),
        Some(Roll::Epsd(law)) => law.stored(contact, &memory.roll),
        Some(Roll::Own(law)) => law.stored_one(contact, &memory.own[1], memory.roll.slipping),
    };
    let spin = match &laws.spin {
        None | Some(Spin::ConstantTorque(_)) => [0.0; 3],
        Some(Spin::SpringSlider(law)) => law.stored(contact, &memory.spin),
        Some(Spin::Marshall(law)) => law.stored(contact, &memory.graded_spin()),
        Some(Spin::Lubkin(law)) => law.stored(contact, &memory.graded_spin()),
        Some(Spin::Own(law)) => law.stored_one(contact, &memory.own[2], memory.spin.slipping),
    };
    let friction = match &laws.friction {
        None => [0.0; 3],
        Some(Friction::Tracked(law)) => law.stored(contact, &memory.tracked),
    };
    let by_motion = |i: usize| slide[i] + roll[i] + spin[i] + friction[i];
    [normal, by_motion(0), by_motion(1), by_motion(2)]
}

/// Stick or slip of slide, roll and spin.
pub fn modes(laws: &PairLaws, memory: &PairMemory) -> [Mode; 3] {
    let mode = |resisted: bool, slipping: bool| match (resisted, slipping) {
        (false, _) => Mode::None,
        (true, false) => Mode::Stick,
        (true, true) => Mode::Slip,
    };
    let [slide, roll, spin] = laws.resists();
    let tracked = laws.friction.map(|_| memory.tracked);
    let slips = tracked.map_or([memory.slide.slipping, memory.roll.slipping, memory.spin.slipping], |m| m.slips());
    [mode(slide, slips[0]), mode(roll, slips[1]), mode(spin, slips[2])]
}

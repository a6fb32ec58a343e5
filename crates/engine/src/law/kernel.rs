//! Runs laws over blocks of 32 contacts: the loops that the compiler vectorises, under AVX2 where the machine has it.
//!
//! The formulas stand in the laws, once; here are only loops over lanes. The same code is compiled for plain x86-64 and
//! for AVX2. Neither fuses multiply and add, so both give the same bits; a test holds them to it.

use glam::DVec3;

use crate::contact::{Block, LANES, Lanes, Resistance, Turn};
use crate::law::memory::Memory;
use crate::law::spring_slider::{SliderOptions, WithDefaults};
use crate::law::{FrictionLaw, Motions, Normal, NormalLaw, PairLaws, Roll, Slide, Spin};

/// Numbers of memory that precede the laws': the normal at the step before.
pub const NORMAL_BEFORE: usize = 3;

/// How many numbers of memory each law of a pair takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Slide.
    pub slide: usize,
    /// Roll.
    pub roll: usize,
    /// Spin.
    pub spin: usize,
}

/// The size of the memory of a law of this type, given a value of it.
const fn size_of_memory<L: FrictionLaw>(_: &L) -> usize {
    L::Memory::SIZE
}

impl MemoryLayout {
    /// Of the laws of a pair.
    #[inline(always)]
    pub fn of(laws: &PairLaws) -> Self {
        MemoryLayout {
            slide: match &laws.slide {
                None => 0,
                Some(Slide::SpringSlider(law)) => size_of_memory(law),
            },
            roll: match &laws.roll {
                None => 0,
                Some(Roll::SpringSlider(law)) => size_of_memory(law),
                Some(Roll::ConstantTorque(law)) => size_of_memory(law),
                Some(Roll::Epsd(law)) => size_of_memory(law),
            },
            spin: match &laws.spin {
                None => 0,
                Some(Spin::SpringSlider(law)) => size_of_memory(law),
                Some(Spin::ConstantTorque(law)) => size_of_memory(law),
            },
        }
    }

    /// Numbers in all, the normal before included.
    pub fn total(&self) -> usize {
        NORMAL_BEFORE + self.slide + self.roll + self.spin
    }
}

/// Whether AVX2 is used: the machine has it and `STICKSLIP_SIMD` is not `off`.
pub fn avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::sync::OnceLock;
        static AVX2: OnceLock<bool> = OnceLock::new();
        *AVX2.get_or_init(|| {
            let off = std::env::var("STICKSLIP_SIMD").is_ok_and(|v| v.eq_ignore_ascii_case("off"));
            !off && is_x86_feature_detected!("avx2")
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// A piece of work to be compiled both ways. Its `run` and all it calls must be `#[inline(always)]`.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Runs a kernel, under AVX2 when `wide`.
pub fn dispatch<K: Kernel>(kernel: K, wide: bool) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        if wide && avx2() {
            // SAFETY: `avx2()` is true only where the CPU has AVX2, the one feature `with_avx2` asks for.
            #[allow(unsafe_code)]
            return unsafe { with_avx2(kernel) };
        }
    }
    kernel.run()
}

/// Asks for the cache line at an address and the one after it, ahead of their use. A hint: it changes no result.
#[inline(always)]
pub fn prefetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line = std::ptr::from_ref(item).cast::<i8>();
        // SAFETY: a prefetch reads nothing and faults nowhere, whatever the address; SSE is part of x86-64.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line);
            _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(64));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// Loads of a whole block: geometry, normal law, friction laws, totals. `memory` holds `layout.total()` lanes or more.
#[inline(always)]
pub fn evaluate(laws: &PairLaws, block: &mut Block, memory: &mut [Lanes]) {
    let layout = MemoryLayout::of(laws);
    let (before, rest) = memory.split_at_mut(NORMAL_BEFORE);
    let (slide, rest) = rest.split_at_mut(layout.slide);
    let (roll, rest) = rest.split_at_mut(layout.roll);
    let spin = &mut rest[..layout.spin];
    geometry(block, before.try_into().expect("three lanes were split off"), laws.rates_at_end());
    match &laws.normal {
        Normal::Hooke(law) => press(law, block),
        Normal::Hertz(law) => press(law, block),
    }
    // Options that are known at compile time cost nothing in the loop; others are slower but give the same bits.
    let default = SliderOptions::default();
    match &laws.slide {
        None => resist_nothing(block, Motions::SLIDE),
        Some(Slide::SpringSlider(law)) if law.options == default => resist(&WithDefaults(*law), block, slide),
        Some(Slide::SpringSlider(law)) => resist(law, block, slide),
    }
    match &laws.roll {
        None => resist_nothing(block, Motions::ROLL),
        Some(Roll::SpringSlider(law)) if law.options == default => resist(&WithDefaults(*law), block, roll),
        Some(Roll::SpringSlider(law)) => resist(law, block, roll),
        Some(Roll::ConstantTorque(law)) => resist(law, block, roll),
        Some(Roll::Epsd(law)) => resist(law, block, roll),
    }
    match &laws.spin {
        None => resist_nothing(block, Motions::SPIN),
        Some(Spin::SpringSlider(law)) if law.options == default => resist(&WithDefaults(*law), block, spin),
        Some(Spin::SpringSlider(law)) => resist(law, block, spin),
        Some(Spin::ConstantTorque(law)) => resist(law, block, spin),
    }
    total(block);
}

/// What the laws read, from what was gathered of the bodies. Three short loops: a processor overlaps the iterations of a
/// short loop, and waits for its roots and divisions in a long one.
#[inline(always)]
pub fn geometry(block: &mut Block, before: &mut [Lanes; 3], rates_at_end: bool) {
    place(block);
    turn_normals(block, before, rates_at_end);
    turn_spins(block);
}

/// Normal, overlap, levers and effective values, and the gathered numbers as lanes.
#[inline(always)]
fn place(block: &mut Block) {
    for i in 0..LANES {
        let between = block.a.place.vector(i) - block.b.place.vector(i);
        let (reach_a, reach_b) = (block.a.place.scalar(i), block.b.place.scalar(i));
        let (inverse_mass_a, inverse_mass_b) = (block.a.motion.scalar(i), block.b.motion.scalar(i));
        let flat = reach_a * reach_b < 0.0;
        let distance = between.length();
        let overlap = if flat { reach_a.abs() } else { reach_a + reach_b } - distance;
        let half = 0.5 * overlap;
        let product = reach_a * reach_b / (reach_a + reach_b);
        block.normal.set(i, between * (1.0 / distance));
        block.overlap.0[i] = overlap;
        block.velocity.set(i, block.a.motion.vector(i) - block.b.motion.vector(i));
        block.angular_velocity_a.set(i, block.a.turning.vector(i));
        block.angular_velocity_b.set(i, block.b.turning.vector(i));
        block.reach_a.0[i] = reach_a;
        block.reach_b.0[i] = reach_b;
        // A plane's lever is minus the sphere's: both shrink in size.
        block.lever_a.0[i] = reach_a - half.copysign(reach_a);
        block.lever_b.0[i] = reach_b - half.copysign(reach_b);
        block.radius_eff.0[i] = if flat { reach_a.abs() } else { product };
        block.mass_eff.0[i] = 1.0 / (inverse_mass_a + inverse_mass_b);
        block.inverse_mass_a.0[i] = inverse_mass_a;
        block.inverse_mass_b.0[i] = inverse_mass_b;
        block.inverse_inertia_a.0[i] = block.a.turning.scalar(i);
        block.inverse_inertia_b.0[i] = block.b.turning.scalar(i);
    }
}

/// How the normal has turned since the step before; remembers it for the next.
#[inline(always)]
fn turn_normals(block: &mut Block, before: &mut [Lanes; 3], rates_at_end: bool) {
    for i in 0..LANES {
        let normal = block.normal.get(i);
        let old = DVec3::new(before[0].0[i], before[1].0[i], before[2].0[i]);
        // All zeros is a contact's birth.
        let newborn = old.length_squared() < 0.5;
        let pick = |new: f64, old: f64| if newborn { new } else { old };
        let old = DVec3::new(pick(normal.x, old.x), pick(normal.y, old.y), pick(normal.z, old.z));
        let (mid, from_before, from_mid) = Turn::of_normals(old, normal);
        (before[0].0[i], before[1].0[i], before[2].0[i]) = (normal.x, normal.y, normal.z);
        block.normal_before.set(i, old);
        block.normal_mid.set(i, mid);
        let velocity = block.velocity.get(i);
        block.separation_rate.0[i] = if rates_at_end { velocity.dot(normal) } else { velocity.dot(mid) };
        block.turn_from_before.set(i, from_before);
        block.turn_from_mid.set(i, from_mid);
    }
}

/// How the pair has spun about its normal.
#[inline(always)]
fn turn_spins(block: &mut Block) {
    for i in 0..LANES {
        let sum = block.angular_velocity_a.get(i) + block.angular_velocity_b.get(i);
        let (half_cosine, half_sine) = Turn::of_half_spin(block.normal_mid.get(i), sum, block.dt);
        (block.turn_half_cosine.0[i], block.turn_half_sine.0[i]) = (half_cosine, half_sine);
        (block.turn_cosine.0[i], block.turn_sine.0[i]) = Turn::twice(half_cosine, half_sine);
    }
}

#[inline(always)]
fn press<L: NormalLaw>(law: &L, block: &mut Block) {
    for i in 0..LANES {
        block.normal_force.0[i] = law.press(&block.contact(i));
    }
}

#[inline(always)]
fn resist<L: FrictionLaw>(law: &L, block: &mut Block, memory: &mut [Lanes]) {
    let memory = L::Memory::block(memory);
    for i in 0..LANES {
        let contact = block.contact(i);
        let mut remembered = L::Memory::load(memory, i);
        let resistance = law.resist(&contact, &mut remembered);
        remembered.store(memory, i);
        put(block, i, L::RESISTS, &resistance);
    }
}

#[inline(always)]
fn resist_nothing(block: &mut Block, motions: Motions) {
    for i in 0..LANES {
        put(block, i, motions, &Resistance::default());
    }
}

#[inline(always)]
fn put(block: &mut Block, i: usize, motions: Motions, resistance: &Resistance) {
    if motions.overlaps(Motions::SLIDE) {
        block.slide_force.set(i, resistance.force);
        block.slide_lever_a.0[i] = resistance.lever_a;
        block.slide_lever_b.0[i] = resistance.lever_b;
    }
    if motions.overlaps(Motions::ROLL) {
        block.roll_a.set(i, resistance.roll_a);
        block.roll_b.set(i, resistance.roll_b);
    }
    if motions.overlaps(Motions::SPIN) {
        block.spin.0[i] = resistance.spin;
    }
}

/// Sums the motions' loads on each body and takes their power with full-step velocities, for the ledger.
#[inline(always)]
fn total(block: &mut Block) {
    for i in 0..LANES {
        let n = block.normal.get(i);
        let push = block.normal_force.0[i];
        let slide = block.slide_force.get(i);
        let moment = n.cross(slide);
        let slide_a = moment * -block.slide_lever_a.0[i];
        let slide_b = moment * -block.slide_lever_b.0[i];
        let roll_a = block.roll_a.get(i);
        let roll_b = block.roll_b.get(i);
        let spin = n * block.spin.0[i];
        block.force.set(i, n * push + slide, 0.0);
        block.torque_a.set(i, slide_a + roll_a + spin, 0.0);
        block.torque_b.set(i, slide_b + roll_b - spin, 0.0);
        let v = block.velocity.get(i) + (wide(block.a.velocity_ahead[i]) - wide(block.b.velocity_ahead[i]));
        let w_a = block.angular_velocity_a.get(i) + wide(block.a.angular_velocity_ahead[i]);
        let w_b = block.angular_velocity_b.get(i) + wide(block.b.angular_velocity_ahead[i]);
        // Not a product: a lane that does not touch may hold anything, even what is not a number.
        let live = block.live.0[i] > 0.0;
        let counted = |x: f64| if live { x } else { 0.0 };
        block.sums[0].0[i] += counted(push * n.dot(v));
        block.sums[1].0[i] += counted(slide.dot(v) + slide_a.dot(w_a) + slide_b.dot(w_b));
        block.sums[2].0[i] += counted(roll_a.dot(w_a) + roll_b.dot(w_b));
        block.sums[3].0[i] += counted(spin.dot(w_a - w_b));
        block.sums[4].0[i] += counted(push.abs());
    }
}

/// Single to double precision.
#[inline(always)]
fn wide([x, y, z]: [f32; 3]) -> DVec3 {
    DVec3::new(x as f64, y as f64, z as f64)
}

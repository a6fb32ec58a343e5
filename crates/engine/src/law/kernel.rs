//! Runs laws over blocks of 32 contacts: the loops that the compiler vectorises, as wide as the machine can.
//!
//! The formulas stand in the laws, once; here are only loops over lanes. The same code is compiled for plain x86-64, for
//! AVX2 and for AVX-512. None fuses multiply and add, so all give the same bits; a test holds them to it.

use glam::DVec3;

use crate::contact::{Block, Contact, Lanes, Resistance, Turn};
use crate::flow::PairFlow;
use crate::law::list::{FrictionVisitor, NormalVisitor, visit_friction, visit_normal};
use crate::law::memory::{Memory, recall};
use crate::law::pair_memory::{ColdBlock, SLIPS};
use crate::law::{FrictionLaw, LawVisitor, Motions, NormalLaw, Own, OwnNormal, SpringLaws};

/// How wide the vectors are that code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Simd {
    /// Two numbers: plain x86-64, or whatever another machine has.
    Plain,
    /// Four numbers.
    Avx2,
    /// Eight numbers.
    Avx512,
}

impl Simd {
    /// The widest that the machine has; `STICKSLIP_SIMD=off` and `=avx2` set a limit.
    pub fn widest() -> Self {
        use std::sync::OnceLock;
        static WIDEST: OnceLock<Simd> = OnceLock::new();
        *WIDEST.get_or_init(|| {
            let limit = match std::env::var("STICKSLIP_SIMD").map(|value| value.to_ascii_lowercase()).as_deref() {
                Ok("off") => Simd::Plain,
                Ok("avx2") => Simd::Avx2,
                _ => Simd::Avx512,
            };
            limit.min(Simd::of_machine())
        })
    }

    #[cfg(target_arch = "x86_64")]
    fn of_machine() -> Self {
        let avx2 = is_x86_feature_detected!("avx2");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw");
        match (avx2, avx512) {
            (true, true) => Simd::Avx512,
            (true, false) => Simd::Avx2,
            _ => Simd::Plain,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn of_machine() -> Self {
        Simd::Plain
    }

    /// As `run.json` has it.
    pub fn name(self) -> &'static str {
        match self {
            Simd::Plain => "baseline",
            Simd::Avx2 => "avx2",
            Simd::Avx512 => "avx512",
        }
    }
}

/// A piece of work to be compiled for every width. Its `run` and all it calls must be `#[inline(always)]`.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The widest vectors that it gains from.
    const WIDEST: Simd = Simd::Avx512;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with vectors as wide as it and the machine allow.
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    dispatch_up_to(kernel, K::WIDEST)
}

/// The same with vectors no wider than `limit`.
pub fn dispatch_up_to<K: Kernel>(kernel: K, limit: Simd) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        #[target_feature(enable = "avx2,avx512f,avx512vl,avx512dq,avx512bw")]
        fn with_avx512<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        match limit.min(Simd::widest()) {
            Simd::Plain => {}
            // SAFETY: `Simd::widest` has found AVX2, the one feature that `with_avx2` asks for.
            #[allow(unsafe_code)]
            Simd::Avx2 => return unsafe { with_avx2(kernel) },
            // SAFETY: `Simd::widest` has found the features that `with_avx512` asks for.
            #[allow(unsafe_code)]
            Simd::Avx512 => return unsafe { with_avx512(kernel) },
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

/// Asks for every cache line of a slice, ahead of its use.
#[inline(always)]
pub fn prefetch_all<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = items.as_ptr().cast::<i8>();
        for line in (0..size_of_val(items)).step_by(64) {
            // SAFETY: as above.
            #[allow(unsafe_code)]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}

/// Loads of the first `N` contacts of a block: geometry, normal law, friction laws, totals. `memory` and `cold` hold what
/// `MemoryLayout::size` says. The compiler must know `N` to vectorise.
#[inline(always)]
pub fn evaluate<const N: usize>(laws: &SpringLaws, block: &mut Block, memory: &mut [Lanes], cold: ColdBlock) {
    let (slips, memory) = memory.split_at_mut(SLIPS);
    let may_touch = block.live;
    geometry::<N>(block, laws.rates_at_end());
    visit_normal(&laws.normal, PressBlock::<N> { block, may_touch, patch: laws.asks_for_patch() });
    visit_friction(laws, &mut ResistBlock::<N> { block, slips: &mut slips[0], memory, cold });
    total::<N>(block);
}

/// What the laws read, from what was gathered of the bodies. Short loops: a processor overlaps the iterations of a
/// short loop, and waits for its roots and divisions in a long one.
#[inline(always)]
pub fn geometry<const N: usize>(block: &mut Block, rates_at_end: bool) {
    place::<N>(block);
    if let Some(flow) = block.flow {
        add_flow::<N>(block, &flow);
    }
    normals_before::<N>(block);
    turn_normals::<N>(block, rates_at_end);
    turn_spins::<N>(block);
    block.live = live::<N>(block);
}

/// A bit for each lane that touches.
#[inline(always)]
fn live<const N: usize>(block: &Block) -> u32 {
    (0..N).fold(0, |live, i| live | u32::from(block.touches.0[i] != 0.0) << i)
}

/// Normal, overlap, levers and effective values, and the gathered numbers as lanes.
#[inline(always)]
fn place<const N: usize>(block: &mut Block) {
    for i in 0..N {
        let between = block.between.vector(i);
        let (reach_a, reach_b) = (block.between.scalar(i), block.moving.scalar(i));
        let flat = reach_a * reach_b < 0.0;
        let squared = between.length_squared();
        // Whether a wall is touched was known before. As `sphere_sphere::meet` has it, to the bit.
        let near = squared < (reach_a + reach_b) * (reach_a + reach_b);
        let live = (block.live >> i & 1 == 1) & (flat | near);
        block.touches.0[i] = if live { 1.0 } else { 0.0 };
        let distance = squared.sqrt();
        let overlap = if flat { reach_a.abs() } else { reach_a + reach_b } - distance;
        let half = 0.5 * overlap;
        // Divisions are dear: one serves for both effective values. At a wall the reaches cancel.
        let reaches = if flat { 1.0 } else { reach_a + reach_b };
        let inverse_masses = block.inverse_mass_a.0[i] + block.inverse_mass_b.0[i];
        let inverse = 1.0 / (reaches * inverse_masses);
        let radius_eff = reach_a * reach_b * (inverse_masses * inverse);
        let inverse_distance = 1.0 / distance;
        block.normal.set(i, between * inverse_distance);
        block.inverse_distance.0[i] = inverse_distance;
        block.overlap.0[i] = overlap;
        block.velocity.set(i, block.moving.vector(i));
        block.angular_velocity_a.set(i, block.turning_a.vector(i));
        block.angular_velocity_b.set(i, block.turning_b.vector(i));
        block.reach_a.0[i] = reach_a;
        block.reach_b.0[i] = reach_b;
        // A wall's lever is minus the sphere's: both shrink in size.
        block.lever_a.0[i] = reach_a - half.copysign(reach_a);
        block.lever_b.0[i] = reach_b - half.copysign(reach_b);
        block.radius_eff.0[i] = if flat { reach_a.abs() } else { radius_eff };
        block.mass_eff.0[i] = reaches * inverse;
        block.inverse_inertia_a.0[i] = block.turning_a.scalar(i);
        block.inverse_inertia_b.0[i] = block.turning_b.scalar(i);
    }
}

/// The velocity of a relative to b with the affine flow of the cell (THEORY.md eq. 7.3), in the step and, for the ledger, at
/// its end.
#[inline(always)]
fn add_flow<const N: usize>(block: &mut Block, flow: &PairFlow) {
    for i in 0..N {
        let between = block.between.vector(i);
        let relative = block.velocity.get(i);
        let velocity = flow.mean * relative + flow.mean_gradient * between;
        block.velocity.set(i, velocity);
        let ahead = relative + flow.gradient_at_end * between - velocity;
        block.moving_ahead.set(i, block.moving_ahead.vector(i) + ahead, 0.0);
    }
}

/// The normal at the start of the step. Spheres have drifted from there with the velocities they have; of a wall it was
/// gathered.
#[inline(always)]
fn normals_before<const N: usize>(block: &mut Block) {
    for i in 0..N {
        let flat = block.reach_a.0[i] * block.reach_b.0[i] < 0.0;
        let before = block.normal.get(i) - block.velocity.get(i) * (block.dt * block.inverse_distance.0[i]);
        let before = before * (1.0 / before.length());
        // A pair that has passed through itself in one step has no sense of turning; the overlap will say so.
        let normal = block.normal.get(i);
        let passed = before.dot(normal) <= 0.0;
        let kept = |old: f64, new: f64| if passed { new } else { old };
        let before = DVec3::new(kept(before.x, normal.x), kept(before.y, normal.y), kept(before.z, normal.z));
        let gathered = block.normal_before.get(i);
        let pick = |flat_one: f64, other: f64| if flat { flat_one } else { other };
        let before = DVec3::new(pick(gathered.x, before.x), pick(gathered.y, before.y), pick(gathered.z, before.z));
        block.normal_before.set(i, before);
    }
}

/// How the normal has turned in the step.
#[inline(always)]
fn turn_normals<const N: usize>(block: &mut Block, rates_at_end: bool) {
    for i in 0..N {
        let normal = block.normal.get(i);
        let (mid, from_before, from_mid) = Turn::of_normals(block.normal_before.get(i), normal);
        block.normal_mid.set(i, mid);
        let velocity = block.velocity.get(i);
        block.separation_rate.0[i] = if rates_at_end { velocity.dot(normal) } else { velocity.dot(mid) };
        block.turn_from_before.set(i, from_before);
        block.turn_from_mid.set(i, from_mid);
    }
}

/// How the pair has spun about its normal.
#[inline(always)]
fn turn_spins<const N: usize>(block: &mut Block) {
    for i in 0..N {
        let sum = block.angular_velocity_a.get(i) + block.angular_velocity_b.get(i);
        let (half_cosine, half_sine) = Turn::of_half_spin(block.normal_mid.get(i), sum, block.dt);
        (block.turn_half_cosine.0[i], block.turn_half_sine.0[i]) = (half_cosine, half_sine);
        (block.turn_cosine.0[i], block.turn_sine.0[i]) = Turn::double_angle(half_cosine, half_sine);
    }
}

/// The normal law over the first `N` contacts of a block.
struct PressBlock<'a, const N: usize> {
    block: &'a mut Block,
    may_touch: u32,
    patch: bool,
}

impl<const N: usize> NormalVisitor for PressBlock<'_, N> {
    type Output = ();

    #[inline(always)]
    fn visit<L: NormalLaw>(self, law: &L) {
        press_block::<_, N>(law, self.block, self.may_touch, self.patch);
    }

    #[inline(always)]
    fn visit_own(self, law: &OwnNormal) {
        law.any().press_block(N, self.block, self.may_touch, self.patch);
    }
}

/// A normal law over the first `N` contacts of a block: who is live by its reach, of those that may touch (a bit each); then their
/// forces, loads, and the patch if a law of friction reads it.
#[inline(always)]
pub(crate) fn press_block<L: NormalLaw, const N: usize>(law: &L, block: &mut Block, may_touch: u32, patch: bool) {
    if L::ACTS_APART {
        find_live::<_, N>(law, block, may_touch);
    }
    if block.solid {
        return press_solids(law, block, N);
    }
    if patch {
        return press_with_patch::<_, N>(law, block);
    }
    for i in 0..N {
        let press = law.press(&block.contact(i));
        block.normal_force.0[i] = press.force;
        block.normal_load.0[i] = press.load;
    }
}

/// Which contacts are live under a law that acts apart. At a wall, as with ellipsoids and boxes, detection has decided.
#[inline(always)]
fn find_live<L: NormalLaw, const N: usize>(law: &L, block: &mut Block, may_touch: u32) {
    for i in 0..N {
        let (reach_a, reach_b) = (block.reach_a.0[i], block.reach_b.0[i]);
        let limit = law.reach(block.radius_eff.0[i]).limit(block.was_live >> i & 1 == 1);
        let reach = reach_a + reach_b + limit;
        let near = block.between.vector(i).length_squared() < reach * reach;
        let live = (may_touch >> i & 1 == 1) & ((reach_a * reach_b < 0.0) | near);
        block.touches.0[i] = if live { 1.0 } else { 0.0 };
    }
    block.live = live::<N>(block);
}

/// The same where a law of friction reads the patch; it costs a root.
#[inline(always)]
fn press_with_patch<L: NormalLaw, const N: usize>(law: &L, block: &mut Block) {
    for i in 0..N {
        let press = law.press(&block.contact(i));
        block.normal_force.0[i] = press.force;
        block.normal_load.0[i] = press.load;
        block.patch.0[i] = press.patch;
    }
}

/// The same for pairs with an ellipsoid or a box: where there is a box, dashpots count with a mass of their own.
#[inline(never)]
fn press_solids<L: NormalLaw>(law: &L, block: &mut Block, count: usize) {
    for i in 0..count {
        let press = law.press(&Contact { normal_mass: block.normal_mass.0[i], ..block.contact(i) });
        block.normal_force.0[i] = press.force;
        block.normal_load.0[i] = press.load;
        block.patch.0[i] = press.patch;
    }
}

/// The laws of friction over the first `N` contacts of a block, one after the other; each takes its memory off the front.
struct ResistBlock<'a, 'm, const N: usize> {
    block: &'a mut Block,
    slips: &'a mut Lanes,
    memory: &'m mut [Lanes],
    cold: ColdBlock<'a>,
}

impl<const N: usize> LawVisitor for ResistBlock<'_, '_, N> {
    #[inline(always)]
    fn visit<L: FrictionLaw>(&mut self, law: &L) {
        let memory = take(&mut self.memory, L::Memory::SIZE);
        let cold = self.cold.take(law.cold_numbers());
        let dt = self.block.dt;
        law.specialise(dt, &mut ResistOne::<N> { block: self.block, slips: self.slips, memory, cold });
    }
}

impl<const N: usize> FrictionVisitor for ResistBlock<'_, '_, N> {
    #[inline(always)]
    fn visit_own(&mut self, law: &Own) {
        let law = law.any();
        let size = law.memory_size();
        let memory = take(&mut self.memory, size.hot);
        let cold = self.cold.take(size.cold);
        law.resist_block(N, self.block, self.slips, memory, cold);
    }

    #[inline(always)]
    fn visit_free(&mut self, motion: Motions) {
        for i in 0..N {
            put(self.block, i, motion, &Resistance::default());
        }
    }
}

/// One of them, in the form that it asks for.
struct ResistOne<'a, const N: usize> {
    block: &'a mut Block,
    slips: &'a mut Lanes,
    memory: &'a mut [Lanes],
    cold: ColdBlock<'a>,
}

impl<const N: usize> LawVisitor for ResistOne<'_, N> {
    #[inline(always)]
    fn visit<L: FrictionLaw>(&mut self, law: &L) {
        resist::<L, N>(law, self.block, self.slips, self.memory, self.cold.take(0));
    }
}

/// Takes so many lanes off the front.
#[inline(always)]
fn take<'m>(memory: &mut &'m mut [Lanes], count: usize) -> &'m mut [Lanes] {
    let (taken, rest) = std::mem::take(memory).split_at_mut(count);
    *memory = rest;
    taken
}

/// A friction law over the first `N` contacts of a block. Turns the vectors of its memory with the pair before the law sees them.
#[inline(always)]
pub(crate) fn resist<L: FrictionLaw, const N: usize>(
    law: &L,
    block: &mut Block,
    slips: &mut Lanes,
    memory: &mut [Lanes],
    mut cold: ColdBlock,
) {
    // The compiler must know the length to leave out checks of bounds, and vectorise.
    let memory = &mut memory[..L::Memory::SIZE];
    let own = u64::from(L::RESISTS.0);
    for i in 0..N {
        let contact = block.contact(i);
        let bits = slips.0[i].to_bits();
        let mut carried = recall(
            law,
            &contact,
            #[inline(always)]
            |k| memory[k].0[i],
            bits,
        );
        let resistance = law.resist(&contact, &mut carried, cold.of(i, law.cold_numbers()));
        let bits = carried.store_bits(
            #[inline(always)]
            |k, number| memory[k].0[i] = number,
            bits,
            own,
        );
        slips.0[i] = f64::from_bits(bits);
        put(block, i, L::RESISTS, &resistance);
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
fn total<const N: usize>(block: &mut Block) {
    for i in 0..N {
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
        let v = block.velocity.get(i) + block.moving_ahead.vector(i);
        let (w_a, w_b) = (block.full_turning_a.vector(i), block.full_turning_b.vector(i));
        // Not a product: a lane that does not touch may hold anything, even what is not a number.
        let live = block.touches.0[i] != 0.0;
        let counted = |x: f64| if live { x } else { 0.0 };
        block.sums[0].0[i] += counted(push * n.dot(v));
        block.sums[1].0[i] += counted(slide.dot(v) + slide_a.dot(w_a) + slide_b.dot(w_b));
        block.sums[2].0[i] += counted(roll_a.dot(w_a) + roll_b.dot(w_b));
        block.sums[3].0[i] += counted(spin.dot(w_a - w_b));
        block.sums[4].0[i] += counted(push.abs());
    }
}

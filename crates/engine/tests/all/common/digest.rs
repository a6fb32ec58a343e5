//! Hashes of a world: four numbers that say whether a change of the engine changed a bit.
//!
//! Each hash has one function here that reads its numbers. These functions are all that a change of the engine's
//! insides may have to touch: they read what the public readers give, in the order of body ids and of pairs, not in
//! the order in which the engine stores it. What counts is `f64::to_bits`.
//!
//! Does not do: compare with committed hashes (`bits.rs`, `golden.rs` here and in `stickslip-io`, whose tests include
//! this file by its path).

use glam::{DMat3, DQuat, DVec3};
use stickslip::World;
use stickslip::ledger::Loss;
use stickslip::measure::ContactRow;
use stickslip::random::{FNV1A, fnv1a_on};

/// FNV-1a over numbers.
pub struct Digest(u64);

impl Digest {
    /// Of nothing.
    pub fn new() -> Self {
        Digest(FNV1A)
    }

    /// Adds 64 bits.
    pub fn bits(&mut self, bits: u64) {
        self.0 = fnv1a_on(self.0, bits.to_le_bytes().into_iter());
    }

    /// Adds several counts or ids.
    pub fn counts(&mut self, counts: impl IntoIterator<Item = u64>) {
        counts.into_iter().for_each(|count| self.bits(count));
    }

    /// Adds the bits of a number.
    pub fn number(&mut self, number: f64) {
        self.bits(number.to_bits());
    }

    /// Adds the bits of several numbers.
    pub fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.number(number));
    }

    /// Adds several vectors.
    pub fn vectors(&mut self, vectors: impl IntoIterator<Item = DVec3>) {
        vectors.into_iter().for_each(|vector| self.numbers(vector.to_array()));
    }

    /// Adds an orientation.
    pub fn orientation(&mut self, orientation: DQuat) {
        self.numbers(orientation.to_array());
    }

    /// Adds matrices, column by column.
    pub fn matrices(&mut self, matrices: impl IntoIterator<Item = DMat3>) {
        matrices.into_iter().for_each(|matrix| self.numbers(matrix.to_cols_array()));
    }

    /// The hash of what was added.
    pub fn finish(self) -> u64 {
        self.0
    }
}

/// What a live contact remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Lower id, higher id, feature.
    pub pair: (u32, u32, u32),
    /// Which motions slip, as bits.
    pub slips: u64,
    /// The raw numbers of the laws of slide, roll and spin, one after the other, without the zeros that end them.
    pub numbers: Vec<f64>,
}

/// The memory of all live contacts by pair and feature. A place that is kept for a pair that has parted is none.
///
/// The one reader of memory. The numbers are those that the laws see, not world vectors: the form in which a checkpoint
/// has them. Zeros at the end are left out because they fill a contact's share up to the size of the largest.
pub fn memory(world: &World) -> Vec<Memory> {
    let saved = world.save();
    let live = saved.contacts.iter().filter(|(_, live, _)| *live);
    let mut rows: Vec<Memory> = live
        .map(|(key, _, numbers)| {
            let used = numbers.iter().rposition(|number| number.to_bits() != 0).map_or(1, |last| last + 1);
            let pair = (key.a, key.b, key.feature);
            Memory { pair, slips: numbers[0].to_bits(), numbers: numbers[1..used.max(1)].to_vec() }
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.pair);
    rows
}

/// Hash of what moves: bodies by id with their loads, the clock, the cell, what came and went.
///
/// The one reader of the state. Left out is what only saves time: the order in space, when lists were made, half-step
/// velocities. The only thing asked of `World::save` is how often a body in a cell was put back through its faces.
pub fn state(world: &World) -> u64 {
    let mut digest = Digest::new();
    digest.bits(world.steps());
    digest.numbers([world.time(), world.model().dt]);
    for id in world.ids() {
        let body = world.body(id);
        digest.bits(u64::from(id));
        digest.vectors([body.position, body.velocity, body.angular_velocity, body.force, body.torque]);
        digest.orientation(body.orientation);
    }
    if let Some(cell) = world.cell() {
        digest.vectors([cell.frame.corner, cell.centre]);
        digest.matrices([cell.frame.vectors, cell.gradient, cell.gradient_rate, cell.strain]);
        digest.numbers(cell.virial);
        let bodies = &world.state().bodies;
        let mut images: Vec<_> =
            bodies.movers.iter().map(|mover| mover.id).zip(bodies.images.iter().copied()).collect();
        images.sort_unstable_by_key(|(id, _)| *id);
        images.iter().for_each(|(_, images)| digest.vectors([images.as_dvec3()]));
    }
    let traffic = &world.state().traffic;
    for queue in &traffic.queues {
        digest.counts([queue.entered, queue.drawn, queue.next_look, u64::from(queue.in_vain)]);
    }
    for arrival in traffic.arrivals.iter() {
        digest.bits(u64::from(arrival.material));
        digest.numbers([arrival.shape.radius().expect("spheres enter"), arrival.mass]);
    }
    digest.bits(traffic.left);
    digest.number(traffic.left_mass);
    digest.finish()
}

/// Hash of `memory`.
pub fn memory_hash(world: &World) -> u64 {
    let mut digest = Digest::new();
    for row in memory(world) {
        let (a, b, feature) = row.pair;
        digest.counts([u64::from(a), u64::from(b), u64::from(feature), row.slips]);
        digest.bits(row.numbers.len() as u64);
        digest.numbers(row.numbers);
    }
    digest.finish()
}

/// Hash of the energies now, of all sums that they come from, and of the unbalanced force.
pub fn ledger(world: &World) -> u64 {
    let mut digest = Digest::new();
    let now = world.ledger();
    digest.numbers([now.kinetic, now.potential, now.stored, now.lost[Loss::Local], now.work, now.error]);
    digest.numbers([now.lost[Loss::Normal], now.lost[Loss::Slide], now.lost[Loss::Roll], now.lost[Loss::Spin]]);
    let sums = &world.state().sums;
    digest.numbers([sums.work, sums.power, sums.stored_at_start, sums.stored_out].into_iter().flatten());
    digest.numbers([sums.driven, sums.driven_power, sums.local, sums.start]);
    let carried = &sums.carried;
    digest.numbers([carried.kinetic_in, carried.potential_in, carried.kinetic_out, carried.potential_out]);
    digest.numbers([carried.stored_out, world.unbalanced_force()]);
    digest.finish()
}

/// Hash of the rows of contacts that the latest evaluation kept: every field.
pub fn rows(rows: &[ContactRow]) -> u64 {
    let mut digest = Digest::new();
    for row in rows {
        digest.counts([row.a, row.b, row.feature].map(u64::from));
        digest.vectors([row.point, row.normal, row.slide, row.roll_a, row.roll_b]);
        digest.numbers([row.overlap, row.normal_force, row.spin]);
        row.mode.into_iter().chain(row.roll_modes).for_each(|mode| digest.bits(u64::from(u32::from(mode.letter()))));
    }
    digest.finish()
}

/// The names of the four hashes, in the order of `all`.
pub const NAMES: [&str; 4] = ["state", "memory", "ledger", "rows"];

/// The four hashes of a world whose latest evaluation kept rows.
pub fn all(world: &World) -> [u64; 4] {
    [state(world), memory_hash(world), ledger(world), rows(&world.rows())]
}

/// Four hashes as they stand in the source.
pub fn shown(hashes: [u64; 4]) -> String {
    let hex = |hash: u64| {
        let digits = format!("{hash:016x}");
        format!("0x{}_{}_{}_{}", &digits[..4], &digits[4..8], &digits[8..12], &digits[12..])
    };
    format!("[{}]", hashes.map(hex).join(", "))
}

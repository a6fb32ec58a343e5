//! What a step of a packing at rest must do at least, with all frictions: bytes from the sizes of the engine's types, operations
//! as counted.
//!
//! Left out, since it stays in the cache, or is little in a packing at rest: outboxes, pairs that are watched, walls, the block, and
//! making lists.

use glam::{DQuat, DVec3};
use stickslip::World;
use stickslip::contact::{LANES, Lanes};
use stickslip::law::MemoryLayout;
use stickslip::state::{BlockHead, Load, Mover};

use crate::packing::Friction;

/// What something is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// A sphere.
    Sphere,
    /// A contact.
    Contact,
    /// A listed pair, touching or not.
    Candidate,
}

impl Per {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Per::Sphere => "sphere",
            Per::Contact => "contact",
            Per::Candidate => "candidate",
        }
    }
}

/// How often something is read from memory, and written there, in a step.
pub type ReadWritten = [u32; 2];

/// One array of the engine in one phase.
pub struct Traffic {
    /// As `Phases` names it.
    pub phase: &'static str,
    /// What it is.
    pub what: &'static str,
    /// What its bytes are counted by.
    pub per: Per,
    /// Bytes.
    pub bytes: f64,
    /// On one thread, where the bodies of a chunk move while they are in the cache (`World::sweep`).
    pub alone: ReadWritten,
    /// On several, with a pass over all contacts and one over all bodies.
    pub shared: ReadWritten,
    /// Why so often.
    pub why: &'static str,
}

/// Arithmetic of one phase.
pub struct Operations {
    /// As `Phases` names it.
    pub phase: &'static str,
    /// What it is counted by.
    pub per: Per,
    /// Multiplications, additions and subtractions.
    pub flops: f64,
    /// Divisions.
    pub divisions: f64,
    /// Square roots.
    pub roots: f64,
}

/// Operations on f64, counted in the release build for AVX2 on 2026-11-16: how often each instruction ran (callgrind with
/// `--dump-instr=yes` on `count kernel-all` and `count step-jammed`), times its lanes (`objdump -d`: vmulpd, vaddpd, vsubpd and the
/// like). With the fourth lanes of quads that nobody reads; of 530 for a contact, 18 are its loads' share of the sums.
pub const OPERATIONS: [Operations; 2] = [
    Operations { phase: "laws", per: Per::Contact, flops: 530.0, divisions: 11.0, roots: 6.0 },
    Operations { phase: "integration", per: Per::Sphere, flops: 115.0, divisions: 0.0, roots: 0.0 },
];

/// All arrays. What is written is fetched before, line by line.
pub fn traffic() -> Vec<Traffic> {
    let mover = size_of::<Mover>() as f64;
    let load = size_of::<Load>() as f64;
    let orientation = size_of::<DQuat>() as f64;
    let built_at = size_of::<DVec3>() as f64;
    let memory = (MemoryLayout::of(&Friction::All.laws()).total() * size_of::<Lanes>()) as f64 / LANES as f64;
    let pair = (World::CANDIDATE_BYTES + size_of::<u32>()) as f64;
    let head = size_of::<BlockHead>() as f64 / LANES as f64;
    let bit = 1.0 / 8.0;
    let (sphere, contact) = (Per::Sphere, Per::Contact);
    let rows: [(&str, &str, Per, f64, ReadWritten, ReadWritten, &str); 10] = [
        (
            "detection",
            "bits of who touches",
            Per::Candidate,
            bit,
            [1, 1],
            [1, 1],
            "cleared in each step where walls are near",
        ),
        (
            "laws",
            "movers",
            sphere,
            mover,
            [1, 0],
            [1, 0],
            "fetched once; a sphere's other contacts find it in the cache",
        ),
        ("laws", "loads", sphere, load, [1, 1], [1, 1], "zeroed, then added to"),
        ("laws", "memory of contacts", contact, memory, [1, 1], [1, 1], "every law reads and writes its own"),
        ("laws", "candidates and places", contact, pair, [1, 0], [1, 0], "only those that touch, while all rest"),
        ("laws", "heads of blocks", contact, head, [1, 1], [1, 1], "which lanes are live"),
        (
            "integration",
            "movers",
            sphere,
            mover,
            [0, 1],
            [1, 1],
            "kicked and drifted; on one thread still in the cache",
        ),
        ("integration", "loads", sphere, load, [0, 0], [1, 0], "on one thread still in the cache"),
        ("integration", "orientations", sphere, orientation, [1, 1], [1, 1], "turned"),
        ("integration", "places of the lists", sphere, built_at, [1, 0], [1, 0], "how far a body has moved since"),
    ];
    let traffic =
        |(phase, what, per, bytes, alone, shared, why)| Traffic { phase, what, per, bytes, alone, shared, why };
    rows.into_iter().map(traffic).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_that_is_not_fetched() {
        for times in [|row: &Traffic| row.alone, |row: &Traffic| row.shared] {
            for what in
                ["movers", "loads", "orientations", "memory of contacts", "heads of blocks", "bits of who touches"]
            {
                let rows = traffic().into_iter().filter(|row| row.what == what);
                let [read, written] = rows.map(|row| times(&row)).fold([0, 0], |sum, x| [sum[0] + x[0], sum[1] + x[1]]);
                assert!(written == 1 && read >= written, "{what}: {read} {written}");
            }
        }
    }

    #[test]
    fn a_contact_remembers_eight_numbers() {
        // The bits of slipping, two vectors and an angle: 64 bytes per contact.
        let memory = traffic().into_iter().find(|row| row.what == "memory of contacts").unwrap();
        assert_eq!(memory.bytes, 64.0);
    }
}

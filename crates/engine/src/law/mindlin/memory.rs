//! What a contact of `mindlin` and `creep` remembers: the frame and the apex in lanes, which every step reads, and the vertices below
//! the apex in the cold slab.

use glam::DVec3;

use super::polyline::{VERTEX, Vertex};
use crate::law::{Memory, MemoryPart};

/// Memory of `mindlin` and `creep`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MindlinMemory {
    /// First axis of the frame, a unit tangent; the second is n x t1.
    pub frame: DVec3,
    /// How many vertices there are, a whole number; zero for a contact that has just begun.
    pub count: f64,
    /// The last vertex.
    pub(crate) apex: Vertex,
    /// In slip everywhere.
    pub slipping: bool,
}

/// Numbers before the apex.
const APEX: usize = 4;

impl MindlinMemory {
    /// For the pair taken the other way round: n and slip turn about. t1 turns about, too, as the frame of a contact that begins has it;
    /// then t2 stays.
    pub(super) fn swapped(self, cold: &mut [f64]) -> Self {
        for numbers in cold.chunks_exact_mut(VERTEX) {
            numbers.copy_from_slice(&Vertex::load(|i| numbers[i]).mirrored().numbers());
        }
        MindlinMemory { frame: -self.frame, apex: self.apex.mirrored(), ..self }
    }
}

impl Memory for MindlinMemory {
    const PARTS: &'static [MemoryPart] = &[
        MemoryPart::vector("frame"),
        MemoryPart::scalar("count"),
        MemoryPart::opaque("apex", VERTEX as u16),
        MemoryPart::cold("history", 0),
    ];

    #[inline(always)]
    fn load(number: impl Fn(usize) -> f64, slipping: bool) -> Self {
        MindlinMemory {
            frame: DVec3::new(number(0), number(1), number(2)),
            count: number(3),
            apex: Vertex::load(|i| number(APEX + i)),
            slipping,
        }
    }

    #[inline(always)]
    fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
        put(0, self.frame.x);
        put(1, self.frame.y);
        put(2, self.frame.z);
        put(3, self.count);
        for (i, number) in self.apex.numbers().into_iter().enumerate() {
            put(APEX + i, number);
        }
        self.slipping
    }

    #[inline(always)]
    fn turned(self, turn: impl Fn(DVec3) -> DVec3) -> Self {
        MindlinMemory { frame: turn(self.frame), ..self }
    }
}

//! Bodies in a new order, which is one index for all of their columns.

use super::{Bodies, GONE};
use crate::broad::{self, cycles, permute};

impl Bodies {
    /// The order of bodies in space, in cells at least `least` wide (m), walls last: `order[new index] = old index`.
    pub fn order_in_space(&self, least: f64) -> Vec<u32> {
        let grains = self.grains();
        let by_id = self.index_of.iter().copied();
        let by_id = by_id.filter(|&index| index != GONE && (index as usize) < self.first_wall);
        let mut order = broad::order_in_space(grains.len(), |index| grains[index as usize].position, by_id, least);
        order.reserve_exact(self.movers.len() - self.first_wall);
        order.extend(self.first_wall as u32..self.movers.len() as u32);
        order
    }

    /// Puts bodies in a new order: `order[new index] = old index`. In place: a copy of all bodies would be the most memory that
    /// a world ever needs.
    pub fn reorder(&mut self, order: &[u32]) {
        let cycles = cycles(order);
        let (movers, loads) = (&mut self.movers, &mut self.loads);
        let (orientations, images) = (&mut self.orientations, &mut self.images);
        rayon::join(
            || permute(movers, order, &cycles),
            || {
                permute(loads, order, &cycles);
                permute(orientations, order, &cycles);
                if !images.is_empty() {
                    permute(images, order, &cycles);
                }
            },
        );
        self.note_indices();
    }

    /// Notes where each body stands.
    pub fn note_indices(&mut self) {
        for (index, mover) in self.movers.iter().enumerate() {
            self.index_of[mover.id as usize] = index as u32;
        }
    }
}

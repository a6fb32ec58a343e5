//! Where the contacts of a chunk stand: in blocks of one class each.
//!
//! When lists are made, contacts stand in the order of the candidates, class after class. One that begins later goes behind the last of its
//! class, or, where that block is full, into a new block behind all others: no other contact moves, and in a flow some
//! contact begins in every chunk and step. The order decides the order of sums. It follows from who began to touch when, not from
//! threads, and is the order in which contacts are saved, from which the same blocks follow again.

use crate::contact::{LANES, Lanes};
use crate::soft::lists::{ChunkNeighbours, Class};
use crate::soft::watch::Watch;
use crate::state::{BlockHead, Slot, Slots};

/// Blocks of one class each over the places in their order, none live, and zeroed memory for them.
pub fn lay_out(lists: &ChunkNeighbours, stride: usize, contacts: &mut Slots) {
    contacts.blocks.clear();
    for (place, &slot) in contacts.placed.iter().enumerate() {
        let class = class_of(lists, slot);
        match contacts.blocks.last_mut() {
            Some(head) if head.class == class && (head.count as usize) < LANES => head.count += 1,
            _ => contacts.blocks.push(BlockHead { class, first: place as u32, count: 1, live: 0 }),
        }
    }
    contacts.memory.clear();
    make_room(contacts, stride);
}

fn class_of(lists: &ChunkNeighbours, slot: Slot) -> u32 {
    let range = lists.classes.partition_point(|range| range.end as usize <= slot.candidate());
    lists.classes.get(range).map_or(0, |range| range.class)
}

/// Waits for the pairs of spheres that have no place.
pub fn watch_others(lists: &ChunkNeighbours, placed: &[Slot], watch: &mut Watch) {
    let spheres = lists.classes.iter().filter(|range| !Class::is_looked_at(range.class));
    let mut next = placed.iter().map(|slot| slot.candidate() as u32).peekable();
    let pairs = spheres.flat_map(|range| range.first..range.end).filter(|&candidate| {
        while next.next_if(|&placed| placed < candidate).is_some() {}
        next.next_if_eq(&candidate).is_none()
    });
    watch.begin(pairs);
}

/// Makes places for those that have none; they remember nothing.
pub fn put_in(lists: &ChunkNeighbours, begun: &[Slot], stride: usize, contacts: &mut Slots) {
    for &slot in begun {
        let class = class_of(lists, slot);
        let last = contacts.blocks.iter().rposition(|head| head.class == class);
        match last.filter(|&last| (contacts.blocks[last].count as usize) < LANES) {
            Some(block) => {
                let head = &mut contacts.blocks[block];
                let lane = head.count as usize;
                contacts.placed.insert(head.first as usize + lane, slot);
                head.count += 1;
                contacts.blocks[block + 1..].iter_mut().for_each(|head| head.first += 1);
                contacts.memory[block * stride..][..stride].iter_mut().for_each(|numbers| numbers.0[lane] = 0.0);
            }
            None => {
                let first = contacts.placed.len() as u32;
                contacts.placed.push(slot);
                contacts.blocks.push(BlockHead { class, first, count: 1, live: 0 });
                make_room(contacts, stride);
            }
        }
    }
}

fn make_room(contacts: &mut Slots, stride: usize) {
    let numbers = contacts.blocks.len() * stride;
    if numbers > contacts.memory.capacity() {
        // With some room, but not twice as much: chunk after chunk would come to hold twice what it needs.
        contacts.memory.reserve_exact(numbers + numbers / 8 - contacts.memory.len());
    }
    contacts.memory.resize(numbers, Lanes::ZERO);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::soft::lists::ClassRange;

    /// Memory that tells which place it belongs to.
    fn number(slot: Slot, number: usize) -> f64 {
        (8 * slot.candidate() + usize::from(slot.feature())) as f64 * 100.0 + number as f64
    }

    fn each(contacts: &Slots, stride: usize, mut visit: impl FnMut(Slot, usize, &mut f64)) {
        let mut memory = contacts.memory.clone();
        for (block, head) in contacts.blocks.iter().enumerate() {
            for lane in 0..head.count as usize {
                for k in 0..stride {
                    let slot = contacts.placed[head.first as usize + lane];
                    visit(slot, k, &mut memory[block * stride + k].0[lane]);
                }
            }
        }
    }

    #[test]
    fn old_contacts_keep_their_memory_and_new_ones_have_none() {
        let mut stream = Stream::named(1, "places");
        let stride = 3;
        for round in 0..300 {
            // Two classes, the first in two shells.
            let ends = [stream.between(1.0, 150.0), 0.0, 0.0].map(|x| x as u32 + 20);
            let (first, second, third) = (ends[0], ends[0] + 40, ends[0] + 40 + 1 + round % 70);
            let range = |class, first, end| ClassRange { class, least_gap: 0.0, first, end };
            let classes = vec![range(0, 0, first), range(0, first, second), range(4, second, third)];
            let lists = ChunkNeighbours { classes, ..ChunkNeighbours::default() };
            let share = stream.between(0.0, 1.0);
            // The third class touches in several features.
            let slots = |index: u32| (0..if index < second { 1 } else { 8 }).map(move |k| Slot::new(index, k));
            let every: Vec<Slot> = (0..third).flat_map(slots).collect();
            let placed: Vec<Slot> = every.iter().copied().filter(|_| stream.between(0.0, 1.0) < share).collect();
            let mut contacts = Slots { placed: placed.clone(), ..Slots::default() };
            lay_out(&lists, stride, &mut contacts);
            let mut memory = contacts.memory.clone();
            for (block, head) in contacts.blocks.iter().enumerate() {
                for lane in 0..head.count as usize {
                    let slot = placed[head.first as usize + lane];
                    (0..stride).for_each(|k| memory[block * stride + k].0[lane] = number(slot, k));
                }
            }
            contacts.memory = memory;
            let few = stream.between(0.0, 0.2);
            let begun = |c: &Slot| !placed.contains(c) && stream.between(0.0, 1.0) < few;
            let begun: Vec<Slot> = every.iter().copied().filter(begun).collect();
            put_in(&lists, &begun, stride, &mut contacts);
            let mut all = contacts.placed.clone();
            all.sort_unstable();
            let there = |c: &Slot| placed.contains(c) || begun.contains(c);
            assert_eq!(all, every.iter().copied().filter(there).collect::<Vec<Slot>>());
            // What is saved is the order; the blocks must follow from it.
            let mut again = Slots { placed: contacts.placed.clone(), ..Slots::default() };
            lay_out(&lists, stride, &mut again);
            assert_eq!((&again.blocks, again.memory.len()), (&contacts.blocks, contacts.memory.len()));
            let mut seen = 0;
            each(&contacts, stride, |slot, k, found| {
                let expected = if placed.contains(&slot) { number(slot, k) } else { 0.0 };
                assert_eq!(*found, expected, "round {round}: {slot:?}, number {k}");
                seen += 1;
            });
            assert_eq!(seen, stride * contacts.placed.len());
        }
    }
}

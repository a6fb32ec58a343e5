//! Where the contacts of a chunk stand: in blocks of one class each.
//!
//! When lists are made, contacts stand in the order of the candidates, class after class. One that begins later goes behind the last of its
//! class, or, where that block is full, into a new block behind all others: no other contact moves, and in a flow some
//! contact begins in every chunk and step. The order decides the order of sums. It follows from who began to touch when, not from
//! threads, and is the order in which contacts are saved, from which the same blocks follow again.

use crate::contact::{LANES, Lanes};
use crate::law::MemorySize;
use crate::model::LawTable;
use crate::soft::lists::{ChunkNeighbours, Class};
use crate::soft::watch::Watch;
use crate::state::{BlockHead, Slot, Slots};

/// Blocks of one class each over the places in their order, none live, and zeroed memory for them.
pub fn lay_out(lists: &ChunkNeighbours, laws: &LawTable, contacts: &mut Slots) {
    contacts.blocks.clear();
    let mut end = MemorySize::default();
    for (place, &slot) in contacts.placed.iter().enumerate() {
        let class = lists.class_of(slot.candidate());
        match contacts.blocks.last_mut() {
            Some(head) if head.class == class && (head.count as usize) < LANES => head.count += 1,
            _ => contacts.blocks.push(new_block(class, place, Class::memory_size(class, laws), &mut end)),
        }
    }
    contacts.memory.clear();
    contacts.cold.clear();
    make_room(contacts, end);
}

/// A block of one place, whose memory begins where all other memory ends.
fn new_block(class: u32, first: usize, size: MemorySize, end: &mut MemorySize) -> BlockHead {
    let head = BlockHead {
        class,
        first: first as u32,
        count: 1,
        live: 0,
        was_live: 0,
        memory: end.hot as u32,
        cold: end.cold as u32,
    };
    *end = MemorySize { hot: end.hot + size.hot, cold: end.cold + LANES * size.cold };
    head
}

/// Waits for the pairs of spheres that have no place.
pub fn watch_others(lists: &ChunkNeighbours, placed: &[Slot], watch: &mut Watch) {
    let spheres = lists.classes.iter().filter(|range| !Class::is_detected(range.class));
    let mut next = placed.iter().map(|slot| slot.candidate() as u32).peekable();
    let pairs = spheres.flat_map(|range| range.first..range.end).filter(|&candidate| {
        while next.next_if(|&placed| placed < candidate).is_some() {}
        next.next_if_eq(&candidate).is_none()
    });
    watch.begin(pairs);
}

/// Makes places for those that have none; they remember nothing.
pub fn put_in(lists: &ChunkNeighbours, begun: &[Slot], laws: &LawTable, contacts: &mut Slots) {
    for &slot in begun {
        let class = lists.class_of(slot.candidate());
        let last = contacts.blocks.iter().rposition(|head| head.class == class);
        match last.filter(|&last| (contacts.blocks[last].count as usize) < LANES) {
            Some(block) => {
                let head = &mut contacts.blocks[block];
                let lane = head.count as usize;
                contacts.placed.insert(head.first as usize + lane, slot);
                head.count += 1;
                let (head, size) = (*head, Class::memory_size(class, laws));
                contacts.blocks[block + 1..].iter_mut().for_each(|head| head.first += 1);
                contacts.lanes_mut(&head, size).iter_mut().for_each(|numbers| numbers.0[lane] = 0.0);
                contacts.cold_mut(&head, size, lane).fill(0.0);
            }
            None => {
                let mut end = MemorySize { hot: contacts.memory.len(), cold: contacts.cold.len() };
                let size = Class::memory_size(class, laws);
                contacts.blocks.push(new_block(class, contacts.placed.len(), size, &mut end));
                contacts.placed.push(slot);
                make_room(contacts, end);
            }
        }
    }
}

fn make_room(contacts: &mut Slots, end: MemorySize) {
    grow(&mut contacts.memory, end.hot, Lanes::ZERO);
    grow(&mut contacts.cold, end.cold, 0.0);
}

fn grow<T: Clone>(list: &mut Vec<T>, length: usize, zero: T) {
    if length > list.capacity() {
        // With some room, but not twice as much: chunk after chunk would come to hold twice what it needs.
        list.reserve_exact(length + length / 8 - list.len());
    }
    list.resize(length, zero);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Contact, Resistance};
    use crate::law::{FrictionLaw, Hooke, Memory, MemoryPart, Motions, Normal, Roll, SpringLaws};
    use crate::random::Stream;
    use crate::soft::lists::ClassRange;

    /// Memory that tells which place it belongs to.
    fn number(slot: Slot, number: usize) -> f64 {
        (8 * slot.candidate() + usize::from(slot.feature())) as f64 * 100.0 + number as f64
    }

    /// Each number of each place, hot ones first.
    fn each(contacts: &mut Slots, laws: &LawTable, mut visit: impl FnMut(Slot, usize, &mut f64)) {
        for head in contacts.blocks.clone() {
            let size = Class::memory_size(head.class, laws);
            for lane in 0..head.count as usize {
                let slot = contacts.placed[head.first as usize + lane];
                let hot = contacts.lanes_mut(&head, size).iter_mut();
                hot.enumerate().for_each(|(k, lanes)| visit(slot, k, &mut lanes.0[lane]));
                let cold = contacts.cold_mut(&head, size, lane).iter_mut();
                cold.enumerate().for_each(|(k, number)| visit(slot, size.hot + k, number));
            }
        }
    }

    /// A law that remembers three numbers, and four more in the cold slab.
    #[derive(Clone, Copy)]
    struct Long;

    #[derive(Clone, Copy, Default)]
    struct Few([f64; 3]);

    impl Memory for Few {
        const PARTS: &'static [MemoryPart] = &[MemoryPart::opaque("few", 3), MemoryPart::cold("many", 4)];
        fn load(number: impl Fn(usize) -> f64, _: bool) -> Self {
            Few([0, 1, 2].map(number))
        }
        fn store(self, mut put: impl FnMut(usize, f64)) -> bool {
            self.0.into_iter().enumerate().for_each(|(k, number)| put(k, number));
            false
        }
    }

    impl FrictionLaw for Long {
        const NAME: &'static str = "long";
        const RESISTS: Motions = Motions::ROLL;
        type Memory = Few;
        fn resist(&self, _: &Contact, _: &mut Few, _: &mut [f64]) -> Resistance {
            Resistance::default()
        }
        fn stored(&self, _: &Contact, _: &Few, _: &[f64]) -> [f64; 3] {
            [0.0; 3]
        }
    }

    /// Of two materials: pairs of one remember a number, pairs of both eight.
    fn laws() -> LawTable {
        let plain = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
        let mut laws = LawTable::new(2);
        laws.set(0, 0, plain);
        laws.set(1, 1, plain);
        laws.set(0, 1, SpringLaws { roll: Some(Roll::own(Long)), ..plain });
        laws
    }

    #[test]
    fn old_contacts_keep_their_memory_and_new_ones_have_none() {
        let mut stream = Stream::named(1, "places");
        let laws = laws();
        for round in 0..300 {
            // Two classes, the first in two shells.
            let ends = [stream.between(1.0, 150.0), 0.0, 0.0].map(|x| x as u32 + 20);
            let (first, second, third) = (ends[0], ends[0] + 40, ends[0] + 40 + 1 + round % 70);
            let range = |class, first, end| ClassRange { class, min_gap: 0.0, first, end };
            let classes = vec![range(0, 0, first), range(0, first, second), range(10, second, third)];
            let lists = ChunkNeighbours { classes, ..ChunkNeighbours::default() };
            let share = stream.between(0.0, 1.0);
            // The third class touches in several features.
            let slots = |index: u32| (0..if index < second { 1 } else { 8 }).map(move |k| Slot::new(index, k));
            let every: Vec<Slot> = (0..third).flat_map(slots).collect();
            let placed: Vec<Slot> = every.iter().copied().filter(|_| stream.between(0.0, 1.0) < share).collect();
            let mut contacts = Slots { placed: placed.clone(), ..Slots::default() };
            lay_out(&lists, &laws, &mut contacts);
            each(&mut contacts, &laws, |slot, k, own| *own = number(slot, k));
            let few = stream.between(0.0, 0.2);
            let begun = |c: &Slot| !placed.contains(c) && stream.between(0.0, 1.0) < few;
            let begun: Vec<Slot> = every.iter().copied().filter(begun).collect();
            put_in(&lists, &begun, &laws, &mut contacts);
            let mut all = contacts.placed.clone();
            all.sort_unstable();
            let there = |c: &Slot| placed.contains(c) || begun.contains(c);
            assert_eq!(all, every.iter().copied().filter(there).collect::<Vec<Slot>>());
            // What is saved is the order; the blocks must follow from it.
            let mut again = Slots { placed: contacts.placed.clone(), ..Slots::default() };
            lay_out(&lists, &laws, &mut again);
            assert_eq!(
                (again.blocks.len(), again.memory.len(), again.cold.len()),
                (contacts.blocks.len(), contacts.memory.len(), contacts.cold.len())
            );
            let mut seen = 0;
            each(&mut contacts, &laws, |slot, k, found| {
                let expected = if placed.contains(&slot) { number(slot, k) } else { 0.0 };
                assert_eq!(*found, expected, "round {round}: {slot:?}, number {k}");
                seen += 1;
            });
            let long = contacts.placed.iter().filter(|slot| slot.candidate() >= second as usize).count();
            assert_eq!(seen, 8 * long + (contacts.placed.len() - long));
        }
    }
}

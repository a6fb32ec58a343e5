//! Where the contacts of a chunk stand: in blocks of one class each, in the order of the candidates.
//!
//! The order decides the order of sums, so a new contact is put in between, never at the end. Contacts before it stay where they are;
//! those behind it move on by one lane, in whole pieces of blocks: in a flow some contact begins in every chunk and step.

use crate::contact::{LANES, Lanes};
use crate::model::Model;
use crate::neighbour::{ChunkNeighbours, Class};
use crate::state::{BlockHead, ChunkContacts, Watched};

/// What putting contacts in needs besides, kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    wanted: Vec<u64>,
    placed: Vec<u32>,
    blocks: Vec<BlockHead>,
}

impl Scratch {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * self.wanted.capacity() + 4 * self.placed.capacity() + size_of::<BlockHead>() * self.blocks.capacity()
    }
}

/// Blocks of one class each over a rising list of candidates, none live, and zeroed memory for them.
pub fn lay_out(lists: &ChunkNeighbours, placed: &[u32], stride: usize, contacts: &mut ChunkContacts) {
    lay_out_blocks(lists, placed, &mut contacts.blocks);
    contacts.memory.clear();
    make_room(contacts, stride);
}

/// The pairs of spheres that have no place, the nearest first.
pub fn watch_others(model: &Model, lists: &ChunkNeighbours, placed: &[u32], watched: &mut Vec<Watched>) {
    watched.clear();
    let mut next = placed.iter().copied().peekable();
    for range in &lists.classes {
        let spheres = Class::from_number(range.class, model.materials.len()).of_spheres();
        for candidate in range.first..range.end {
            if next.next_if_eq(&candidate).is_none() && spheres {
                watched.push(Watched { candidate, gap: lists.gaps[candidate as usize] });
            }
        }
    }
    watched.sort_unstable_by(|p, q| p.gap.total_cmp(&q.gap).then(p.candidate.cmp(&q.candidate)));
}

/// Makes places for the candidates whose bits are set, among those that have one and keep their memory.
pub fn put_in(
    lists: &ChunkNeighbours,
    touching: &[u64],
    stride: usize,
    contacts: &mut ChunkContacts,
    scratch: &mut Scratch,
) {
    let Scratch { wanted, placed, blocks } = scratch;
    wanted.clear();
    wanted.extend_from_slice(touching);
    for &candidate in &contacts.placed {
        wanted[candidate as usize / 64] |= 1 << (candidate % 64);
    }
    placed.clear();
    for (first, &word) in (0..).step_by(64).zip(&*wanted) {
        placed.extend(super::bits_of(word).map(|bit| first + bit));
    }
    contacts.watched.retain(|one| wanted[one.candidate as usize / 64] >> (one.candidate % 64) & 1 == 0);
    std::mem::swap(&mut contacts.placed, placed);
    std::mem::swap(&mut contacts.blocks, blocks);
    lay_out_blocks(lists, &contacts.placed, &mut contacts.blocks);
    make_room(contacts, stride);
    move_on(placed, blocks, stride, contacts);
}

fn lay_out_blocks(lists: &ChunkNeighbours, placed: &[u32], blocks: &mut Vec<BlockHead>) {
    blocks.clear();
    let mut classes = lists.classes.iter();
    let mut class = classes.next();
    for (place, &candidate) in placed.iter().enumerate() {
        while class.is_some_and(|range| candidate >= range.end) {
            class = classes.next();
        }
        let number = class.map_or(0, |range| range.class);
        match blocks.last_mut() {
            Some(head) if head.class == number && (head.count as usize) < LANES => head.count += 1,
            _ => blocks.push(BlockHead { class: number, first: place as u32, count: 1, live: 0 }),
        }
    }
}

fn make_room(contacts: &mut ChunkContacts, stride: usize) {
    let numbers = contacts.blocks.len() * stride;
    if numbers > contacts.memory.capacity() {
        // With some room, but not twice as much: chunk after chunk would come to hold twice what it needs.
        contacts.memory.reserve_exact(numbers + numbers / 8 - contacts.memory.len());
    }
    contacts.memory.resize(numbers, Lanes::ZERO);
}

/// Moves memory from old places to the new ones, which are the same and some in between; those begin with zeros. From the
/// last to the first: none moves towards the front, so none is written over before it has moved.
fn move_on(old_placed: &[u32], old_blocks: &[BlockHead], stride: usize, contacts: &mut ChunkContacts) {
    let ChunkContacts { placed, blocks, memory, .. } = contacts;
    let (mut old, mut new) = (old_placed.len(), placed.len());
    let (mut old_block, mut new_block) = (old_blocks.len(), blocks.len());
    // Once there are as many old as new ones left, they are the same and stand where they stood.
    while old < new {
        let to = last_lane(blocks, &mut new_block, new);
        if old == 0 || old_placed[old - 1] != placed[new - 1] {
            memory[new_block * stride..][..stride].iter_mut().for_each(|numbers| numbers.0[to - 1] = 0.0);
            new -= 1;
            continue;
        }
        let from = last_lane(old_blocks, &mut old_block, old);
        let same = |k: &usize| old_placed[old - 1 - k] == placed[new - 1 - k];
        let count = (1..from.min(to)).take_while(same).count() + 1;
        for number in 0..stride {
            let (source, target) = (old_block * stride + number, new_block * stride + number);
            if source == target {
                memory[source].0.copy_within(from - count..from, to - count);
            } else {
                let (before, after) = memory.split_at_mut(target);
                after[0].0[to - count..to].copy_from_slice(&before[source].0[from - count..from]);
            }
        }
        (old, new) = (old - count, new - count);
    }
}

/// One past the lane of the last of the first `places`; `block` goes back to the block where it stands.
fn last_lane(blocks: &[BlockHead], block: &mut usize, places: usize) -> usize {
    while blocks.get(*block).is_none_or(|head| head.first as usize >= places) {
        *block -= 1;
    }
    places - blocks[*block].first as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbour::ClassRange;
    use crate::random::Stream;

    /// Memory that tells which candidate it belongs to.
    fn number(candidate: u32, number: usize) -> f64 {
        f64::from(candidate) * 100.0 + number as f64
    }

    fn each(contacts: &ChunkContacts, stride: usize, mut visit: impl FnMut(u32, usize, &mut f64)) {
        let mut memory = contacts.memory.clone();
        for (block, head) in contacts.blocks.iter().enumerate() {
            for lane in 0..head.count as usize {
                for k in 0..stride {
                    let candidate = contacts.placed[head.first as usize + lane];
                    visit(candidate, k, &mut memory[block * stride + k].0[lane]);
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
            let lists = ChunkNeighbours { classes, gaps: vec![0.0; third as usize], ..ChunkNeighbours::default() };
            let share = stream.between(0.0, 1.0);
            let placed: Vec<u32> = (0..third).filter(|_| stream.between(0.0, 1.0) < share).collect();
            let mut contacts = ChunkContacts { placed: placed.clone(), ..ChunkContacts::default() };
            lay_out(&lists, &placed, stride, &mut contacts);
            let mut memory = contacts.memory.clone();
            for (block, head) in contacts.blocks.iter().enumerate() {
                for lane in 0..head.count as usize {
                    let candidate = placed[head.first as usize + lane];
                    (0..stride).for_each(|k| memory[block * stride + k].0[lane] = number(candidate, k));
                }
            }
            contacts.memory = memory;
            let mut touching = vec![0_u64; third.div_ceil(64) as usize];
            let few = stream.between(0.0, 0.2);
            for candidate in (0..third).filter(|_| stream.between(0.0, 1.0) < few) {
                touching[candidate as usize / 64] |= 1 << (candidate % 64);
            }
            put_in(&lists, &touching, stride, &mut contacts, &mut Scratch::default());
            let wanted = |c: &u32| placed.contains(c) || touching[*c as usize / 64] >> (c % 64) & 1 == 1;
            assert_eq!(contacts.placed, (0..third).filter(wanted).collect::<Vec<u32>>());
            let mut seen = 0;
            each(&contacts, stride, |candidate, k, found| {
                let expected = if placed.contains(&candidate) { number(candidate, k) } else { 0.0 };
                assert_eq!(*found, expected, "round {round}: candidate {candidate}, number {k}");
                seen += 1;
            });
            assert_eq!(seen, stride * contacts.placed.len());
        }
    }
}

//! The order of bodies in space: along a Morton curve, so that neighbours in space are neighbours in memory.
//!
//! Keys are sorted by digits: bodies are given by rising id, and digits keep the order of what is equal in them, so that bodies
//! of one cell of the curve stand by id.

use glam::DVec3;
use rayon::prelude::*;

/// Cells of the curve along an axis, as a power of two.
const AXIS_BITS: u32 = 21;
/// Bits of a digit: the places of the digits then fit the first-level cache.
const DIGIT_BITS: u32 = 11;

/// The corners of the box that so many centres lie in.
pub fn bounds(count: usize, centre: impl Fn(u32) -> DVec3 + Sync) -> (DVec3, DVec3) {
    let nowhere = || (DVec3::INFINITY, DVec3::NEG_INFINITY);
    // The least and the greatest do not depend on the order in which they are looked for.
    (0..count as u32)
        .into_par_iter()
        .with_min_len(4096)
        .map(&centre)
        .fold(nowhere, |(low, high), x| (low.min(x), high.max(x)))
        .reduce(nowhere, |a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The order of so many centres along a Morton curve of cells at least `least` wide: `order[new index] = old index`. `by_id` are all
/// indices in the order in which those of one cell are to stand.
pub fn order_in_space(
    count: usize,
    centre: impl Fn(u32) -> DVec3 + Sync,
    by_id: impl Iterator<Item = u32>,
    least: f64,
) -> Vec<u32> {
    let (low, high) = bounds(count, &centre);
    // So wide that the bits of an axis span the bodies.
    let span = (high - low).max_element();
    let inverse = 1.0 / if span.is_finite() { least.max(span / 2e6) } else { least };
    let key = |index: u32| {
        let p = (centre(index) - low) * inverse;
        // Casts saturate: a stray body ends at the far end of the curve, which costs time, not correctness.
        let quantum = |x: f64| (x as u64).min((1 << AXIS_BITS) - 1);
        interleave(quantum(p.x)) | interleave(quantum(p.y)) << 1 | interleave(quantum(p.z)) << 2
    };
    let keys: Vec<u64> = (0..count as u32).into_par_iter().with_min_len(4096).map(key).collect();
    let mut rows = Vec::with_capacity(keys.len());
    rows.extend(by_id.map(|index| (keys[index as usize], index)));
    drop(keys);
    sort_by_digits(rows).iter().map(|row| row.1).collect()
}

/// Sorts by key; rows of equal keys keep their order.
fn sort_by_digits(mut rows: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    let differing = rows.iter().fold(0, |bits, row| bits | (row.0 ^ rows[0].0));
    let mut other = vec![(0, 0); if differing == 0 { 0 } else { rows.len() }];
    let mut shift = 0;
    while shift < u64::BITS && differing >> shift != 0 {
        let digit = |row: &(u64, u32)| (row.0 >> shift) as usize & ((1 << DIGIT_BITS) - 1);
        let mut next = [0_u32; 1 << DIGIT_BITS];
        rows.iter().for_each(|row| next[digit(row)] += 1);
        let mut sum = 0;
        for next in &mut next {
            (*next, sum) = (sum, sum + *next);
        }
        for row in &rows {
            let place = &mut next[digit(row)];
            other[*place as usize] = *row;
            *place += 1;
        }
        std::mem::swap(&mut rows, &mut other);
        shift += DIGIT_BITS;
    }
    rows
}

/// Spreads 21 bits so that two zeros follow each.
fn interleave(x: u64) -> u64 {
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// One index of every cycle of a permutation that moves something: what `permute` goes by.
pub fn cycles(order: &[u32]) -> Vec<u32> {
    let mut seen = vec![false; order.len()];
    let mut starts = Vec::new();
    for start in 0..order.len() {
        if seen[start] || order[start] as usize == start {
            continue;
        }
        starts.push(start as u32);
        let mut at = start;
        while !seen[at] {
            seen[at] = true;
            at = order[at] as usize;
        }
    }
    starts
}

/// Puts rows in a new order, in place: `order[new index] = old index`.
pub fn permute<T: Copy>(rows: &mut [T], order: &[u32], cycles: &[u32]) {
    for &start in cycles {
        let first = rows[start as usize];
        let mut at = start;
        while order[at as usize] != start {
            rows[at as usize] = rows[order[at as usize] as usize];
            at = order[at as usize];
        }
        rows[at as usize] = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn digits_sort_as_comparisons_do_and_keep_the_order_of_equals() {
        let mut stream = Stream::named(1, "digits");
        for bits in [0, 1, 11, 12, 23, 63] {
            let mut key = || (stream.unit() * (1_u64 << 53) as f64) as u64 as u128;
            let rows: Vec<(u64, u32)> = (0..1000).map(|i| ((key() << bits >> 53) as u64, i)).collect();
            let mut expected = rows.clone();
            expected.sort();
            assert_eq!(sort_by_digits(rows), expected, "{bits} bits");
        }
        assert!(sort_by_digits(Vec::new()).is_empty());
    }

    #[test]
    fn permuting_in_place_is_taking_by_index() {
        let mut stream = Stream::named(2, "permute");
        for count in [0, 1, 2, 3, 100, 1001] {
            let mut order: Vec<u32> = (0..count).collect();
            for last in (1..count as usize).rev().step_by(2) {
                order.swap(last, (stream.unit() * (last + 1) as f64) as usize);
            }
            let rows: Vec<u32> = (0..count).map(|i| 7 * i).collect();
            let expected: Vec<u32> = order.iter().map(|&old| rows[old as usize]).collect();
            let mut permuted = rows;
            permute(&mut permuted, &order, &cycles(&order));
            assert_eq!(permuted, expected);
        }
    }
}

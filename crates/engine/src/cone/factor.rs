//! Sparse LU of a matrix of 6 x 6 blocks with a symmetric pattern, in a fixed order: minimum degree, ties by index. Bitwise
//! identical everywhere: no fused multiply-add, no threads, no pivoting between blocks (rows of a diagonal block are exchanged).
//!
//! Does not do: pivoting beyond the block. The caller keeps diagonal blocks away from zero.

use super::blocks::{MOST_ROWS, Numbers};

/// A block, row by row.
pub(super) type Block = [Numbers; MOST_ROWS];

/// A zero block.
pub(super) const ZERO: Block = [[0.0; MOST_ROWS]; MOST_ROWS];

/// A matrix of blocks: each row the columns beside the diagonal that it has, rising, and their blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockMatrix {
    pub diagonal: Vec<Block>,
    pub columns: Vec<Vec<u32>>,
    pub entries: Vec<Vec<Block>>,
}

/// The factors, in the order of elimination.
pub(super) struct Factors {
    order: Vec<u32>,
    inverse: Vec<Block>,
    /// For each unit those eliminated after it, with its blocks of U and L.
    later: Vec<Vec<u32>>,
    upper: Vec<Vec<Block>>,
    lower: Vec<Vec<Block>>,
}

impl Factors {
    /// Factorises a matrix; none if a diagonal block is singular.
    pub fn of(matrix: &BlockMatrix) -> Option<Factors> {
        let count = matrix.diagonal.len();
        let (order, later) = eliminate(&matrix.columns);
        let mut place = vec![0_u32; count];
        for (at, &unit) in (0_u32..).zip(&order) {
            place[unit as usize] = at;
        }
        let zeros = |later: &Vec<u32>| vec![ZERO; later.len()];
        let mut upper: Vec<Vec<Block>> = later.iter().map(zeros).collect();
        let mut lower = upper.clone();
        for i in 0..count {
            for (&j, block) in matrix.columns[i].iter().zip(&matrix.entries[i]) {
                // Row i, column j: U of i if i comes first, else L of j.
                let (first, other, into) =
                    if place[i] < place[j as usize] { (i, j, &mut upper) } else { (j as usize, i as u32, &mut lower) };
                let at =
                    later[first].binary_search_by_key(&place[other as usize], |unit| place[*unit as usize]).ok()?;
                into[first][at] = *block;
            }
        }
        let mut inverse = matrix.diagonal.clone();
        for &k in &order {
            let k = k as usize;
            inverse[k] = inverted(&inverse[k])?;
            let row = std::mem::take(&mut upper[k]);
            let mut column = std::mem::take(&mut lower[k]);
            for block in &mut column {
                *block = product(block, &inverse[k]);
            }
            for (&i, by) in later[k].iter().zip(&column) {
                let mut at = 0;
                for (&j, block) in later[k].iter().zip(&row) {
                    if i == j {
                        subtract(&mut inverse[i as usize], by, block);
                        continue;
                    }
                    let i_first = place[i as usize] < place[j as usize];
                    let (first, other) = if i_first { (i as usize, j) } else { (j as usize, i) };
                    if !i_first {
                        at = 0;
                    }
                    let rest = &later[first][at..];
                    let found = rest.binary_search_by_key(&place[other as usize], |unit| place[*unit as usize]).ok()?;
                    if i_first {
                        at += found;
                        subtract(&mut upper[first][at], by, block);
                    } else {
                        subtract(&mut lower[first][found], by, block);
                    }
                }
            }
            (upper[k], lower[k]) = (row, column);
        }
        Some(Factors { order, inverse, later, upper, lower })
    }

    /// Solves for one right-hand side, in place.
    pub fn solve(&self, x: &mut [Numbers]) {
        for &k in &self.order {
            let of = x[k as usize];
            for (&i, block) in self.later[k as usize].iter().zip(&self.lower[k as usize]) {
                subtract_product(&mut x[i as usize], block, &of);
            }
        }
        for &k in self.order.iter().rev() {
            let mut of = x[k as usize];
            for (&j, block) in self.later[k as usize].iter().zip(&self.upper[k as usize]) {
                subtract_product(&mut of, block, &x[j as usize]);
            }
            x[k as usize] = times(&self.inverse[k as usize], &of);
        }
    }
}

/// The order of elimination by minimum degree, and for each unit those that it meets when it goes, in that order.
fn eliminate(columns: &[Vec<u32>]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let count = columns.len();
    let mut neighbours: Vec<Vec<u32>> = columns.to_vec();
    let mut place = vec![u32::MAX; count];
    let mut order = Vec::with_capacity(count);
    // Units by degree, each list a stack of candidates, some of them out of date.
    let mut by_degree: Vec<std::collections::BTreeSet<u32>> = vec![Default::default(); count + 1];
    for (unit, of) in (0_u32..).zip(&neighbours) {
        by_degree[of.len()].insert(unit);
    }
    let mut least = 0;
    while order.len() < count {
        while by_degree[least].is_empty() {
            least += 1;
        }
        let Some(k) = by_degree[least].pop_first() else { break };
        place[k as usize] = order.len() as u32;
        order.push(k);
        let around = neighbours[k as usize].clone();
        for &i in &around {
            let before = neighbours[i as usize].len();
            let merged = merged(&neighbours[i as usize], &around, [i, k]);
            by_degree[before].remove(&i);
            by_degree[merged.len()].insert(i);
            least = least.min(merged.len());
            neighbours[i as usize] = merged;
        }
    }
    for of in &mut neighbours {
        of.sort_unstable_by_key(|unit| place[*unit as usize]);
    }
    (order, neighbours)
}

/// The union of two rising lists without two units.
fn merged(a: &[u32], b: &[u32], without: [u32; 2]) -> Vec<u32> {
    let mut union = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&one), None) | (None, Some(&one)) => one,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if !without.contains(&next) {
            union.push(next);
        }
    }
    union
}

/// The inverse, by elimination with exchanges of rows; none if it is singular or not finite.
fn inverted(block: &Block) -> Option<Block> {
    let mut a = *block;
    let mut inverse = ZERO;
    for (k, row) in inverse.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for k in 0..MOST_ROWS {
        let best = (k..MOST_ROWS).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
        a.swap(k, best);
        inverse.swap(k, best);
        let pivot = 1.0 / a[k][k];
        if !pivot.is_finite() {
            return None;
        }
        for j in 0..MOST_ROWS {
            a[k][j] *= pivot;
            inverse[k][j] *= pivot;
        }
        for i in (0..MOST_ROWS).filter(|i| *i != k) {
            let by = a[i][k];
            for j in 0..MOST_ROWS {
                a[i][j] -= by * a[k][j];
                inverse[i][j] -= by * inverse[k][j];
            }
        }
    }
    Some(inverse)
}

/// a b.
pub(super) fn product(a: &Block, b: &Block) -> Block {
    let mut c = ZERO;
    for (row, of) in c.iter_mut().zip(a) {
        for (by, b) in of.iter().zip(b) {
            for (c, b) in row.iter_mut().zip(b) {
                *c += by * b;
            }
        }
    }
    c
}

/// c -= a b.
fn subtract(c: &mut Block, a: &Block, b: &Block) {
    for (row, of) in c.iter_mut().zip(a) {
        for (by, b) in of.iter().zip(b) {
            for (c, b) in row.iter_mut().zip(b) {
                *c -= by * b;
            }
        }
    }
}

fn subtract_product(to: &mut Numbers, a: &Block, x: &Numbers) {
    for (to, row) in to.iter_mut().zip(a) {
        *to -= row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}

/// a x.
pub(super) fn times(a: &Block, x: &Numbers) -> Numbers {
    std::array::from_fn(|i| a[i].iter().zip(x).map(|(a, x)| a * x).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparse_matrix_is_solved() {
        // A ring of 30 with a few chords, blocks of a fixed pattern of numbers, made diagonally dominant.
        let count = 30_u32;
        let mut columns = vec![Vec::new(); count as usize];
        let mut join = |i: u32, j: u32| {
            columns[i as usize].push(j);
            columns[j as usize].push(i);
        };
        (0..count).for_each(|i| join(i, (i + 1) % count));
        [(0, 15), (3, 20), (7, 28), (11, 22)].into_iter().for_each(|(i, j)| join(i, j));
        columns.iter_mut().for_each(|of| of.sort_unstable());
        let number = |seed: u32| f64::from(seed.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24) - 0.5;
        let block = |seed: u32| -> Block {
            std::array::from_fn(|i| std::array::from_fn(|j| number(seed * 36 + 6 * i as u32 + j as u32)))
        };
        let mut diagonal: Vec<Block> = (0..count).map(|i| block(1000 + i)).collect();
        diagonal.iter_mut().for_each(|of| (0..MOST_ROWS).for_each(|k| of[k][k] += 12.0));
        let entries = (0..count).map(|i| columns[i as usize].iter().map(|j| block(i * count + j)).collect()).collect();
        let matrix = BlockMatrix { diagonal, columns, entries };
        let x: Vec<Numbers> = (0..count).map(|i| std::array::from_fn(|k| number(77 + 6 * i + k as u32))).collect();
        let mut found: Vec<Numbers> = (0..count as usize)
            .map(|i| {
                let mut sum = times(&matrix.diagonal[i], &x[i]);
                for (j, block) in matrix.columns[i].iter().zip(&matrix.entries[i]) {
                    let by = times(block, &x[*j as usize]);
                    sum.iter_mut().zip(by).for_each(|(sum, by)| *sum += by);
                }
                sum
            })
            .collect();
        Factors::of(&matrix).unwrap().solve(&mut found);
        for (found, x) in found.iter().flatten().zip(x.iter().flatten()) {
            // Dominant blocks: a few roundings each.
            assert!((found - x).abs() < 1e-14, "{found} {x}");
        }
        assert!(
            Factors::of(&BlockMatrix { diagonal: vec![ZERO], columns: vec![vec![]], entries: vec![vec![]] }).is_none()
        );
    }
}

//! Impulses of joints whose rows are redundant: of all that do the same to the bodies those of least norm, in scaled numbers.
//!
//! ```text
//!   (N' + delta) y = N' x,   then once more for what is left                                    (THEORY.md eq. 8.14)
//! ```
//!
//! y has what x has in the range of N' (up to delta over its eigenvalues, squared) and nothing of its null space. Only unbounded rows
//! without compliance take part; contacts, limits and springs keep what they have.

use super::blocks::Numbers;
use super::factor::{BlockMatrix, Factors, times};
use super::newton::Delassus;
use super::solve::Solving;

/// Beside blocks with a diagonal of 1: what is below belongs to the null space.
const DELTA: f64 = 1e-9;

/// Replaces the impulses of joints by those of least norm that move bodies alike.
pub(super) fn settle(delassus: &Delassus, work: &mut Solving<'_>) {
    let (contacts, blocks) = (work.rows.len(), work.rows.blocks());
    let kept: Vec<usize> = (0..blocks.len()).filter(|index| blocks.is_rigid(*index)).collect();
    if kept.len() < 2 {
        return;
    }
    let matrix = part_of(delassus, contacts, &kept);
    let scale = |index: usize| work.rows.block_scale(index);
    let x: Vec<Numbers> = kept.iter().map(|&index| divided(&blocks.impulse(index), &scale(index))).collect();
    let wanted = applied(&matrix, &x);
    let Some(factors) = Factors::of(&shifted(&matrix)) else { return };
    let mut y = wanted.clone();
    factors.solve(&mut y);
    let mut left = applied(&matrix, &y);
    left.iter_mut().zip(&wanted).for_each(|(left, wanted)| *left = std::array::from_fn(|k| wanted[k] - left[k]));
    factors.solve(&mut left);
    let impulses: Vec<Numbers> = (kept.iter().zip(y.iter().zip(&left)))
        .map(|(&index, (y, more))| {
            let s = scale(index);
            std::array::from_fn(|k| (y[k] + more[k]) * s[k])
        })
        .collect();
    if impulses.iter().flatten().all(|impulse| impulse.is_finite()) {
        kept.iter().zip(&impulses).for_each(|(&index, g)| work.rows.blocks_mut().set_impulse(index, g));
        work.refresh_twists();
    }
}

/// The rows and columns of these blocks.
fn part_of(delassus: &Delassus, contacts: usize, kept: &[usize]) -> BlockMatrix {
    let whole = delassus.matrix();
    let mut part = BlockMatrix::default();
    for &index in kept {
        let unit = contacts + index;
        part.diagonal.push(whole.diagonal[unit]);
        let both = whole.columns[unit].iter().zip(&whole.entries[unit]);
        let found = both.filter_map(|(&column, block)| {
            let at = kept.binary_search(&(column as usize).checked_sub(contacts)?).ok()?;
            Some((at as u32, *block))
        });
        let (columns, entries) = found.unzip();
        part.columns.push(columns);
        part.entries.push(entries);
    }
    part
}

/// The matrix with delta on its diagonal, and 1 where a block has no row.
fn shifted(matrix: &BlockMatrix) -> BlockMatrix {
    let mut shifted = matrix.clone();
    for block in &mut shifted.diagonal {
        for (k, row) in block.iter_mut().enumerate() {
            row[k] += if row[k] > 0.0 { DELTA } else { 1.0 };
        }
    }
    shifted
}

fn applied(matrix: &BlockMatrix, x: &[Numbers]) -> Vec<Numbers> {
    let row = |i: usize| {
        let mut sum = times(&matrix.diagonal[i], &x[i]);
        for (&j, block) in matrix.columns[i].iter().zip(&matrix.entries[i]) {
            let by = times(block, &x[j as usize]);
            sum.iter_mut().zip(by).for_each(|(sum, by)| *sum += by);
        }
        sum
    };
    (0..x.len()).map(row).collect()
}

fn divided(g: &Numbers, s: &Numbers) -> Numbers {
    std::array::from_fn(|k| g[k] / s[k])
}

//! Colours of rows: rows of one colour share no body that moves, so they can be updated at the same time with the result of one
//! after the other. Greedy, in the order of the rows, so that no number of threads changes it.
//!
//! A body with more contacts than there are colours leaves some rows over; these make a last group that is updated one by one.

use std::ops::Range;

/// Colours of which rows may share no body; one more is for those left over.
const MOST: usize = 63;

/// Which rows are updated when.
#[derive(Clone, Debug)]
pub struct Colours {
    /// Rows, colour after colour, within each in their order.
    order: Vec<u32>,
    /// Where in `order` each colour stands, and the rows left over.
    starts: [u32; MOST + 2],
    colour_of: Vec<u8>,
    used: Vec<u64>,
}

impl Default for Colours {
    fn default() -> Self {
        Colours { order: Vec::new(), starts: [0; MOST + 2], colour_of: Vec::new(), used: Vec::new() }
    }
}

impl Colours {
    /// Colours rows between these bodies, of which `body_count` exist; `moves` tells which of them any update moves.
    pub fn assign(&mut self, rows: &[[u32; 2]], body_count: usize, moves: impl Fn(u32) -> bool) {
        self.used.clear();
        self.used.resize(body_count, 0);
        self.colour_of.clear();
        self.starts = [0; MOST + 2];
        for bodies in rows {
            let taken = bodies.iter().filter(|body| moves(**body)).fold(0, |set, body| set | self.used[*body as usize]);
            let colour = (!taken).trailing_zeros().min(MOST as u32) as usize;
            for &body in bodies.iter().filter(|body| moves(**body)) {
                // The bit of those left over is never set: they wait for nobody.
                self.used[body as usize] |= (1_u64 << colour) & !(1 << MOST);
            }
            self.colour_of.push(colour as u8);
            self.starts[colour + 1] += 1;
        }
        for colour in 0..=MOST {
            self.starts[colour + 1] += self.starts[colour];
        }
        let mut next = self.starts;
        self.order.clear();
        self.order.resize(rows.len(), 0);
        for (row, &colour) in (0..).zip(&self.colour_of) {
            let at = &mut next[colour as usize];
            self.order[*at as usize] = row;
            *at += 1;
        }
    }

    /// The groups in the order of updates, each with whether its rows share no body.
    pub fn groups(&self) -> impl Iterator<Item = (Range<usize>, bool)> + use<> {
        let starts = self.starts;
        let group = move |colour: usize| (starts[colour] as usize..starts[colour + 1] as usize, colour < MOST);
        (0..=MOST).map(group).filter(|(range, _)| !range.is_empty())
    }

    /// The rows of a group.
    pub fn rows(&self, group: Range<usize>) -> &[u32] {
        &self.order[group]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colours(rows: &[[u32; 2]], bodies: usize, moves: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let mut colours = Colours::default();
        colours.assign(rows, bodies, moves);
        colours.groups().map(|(group, _)| colours.rows(group).to_vec()).collect()
    }

    #[test]
    fn a_chain_takes_two_colours_and_the_floor_none() {
        let chain = [[1, 0], [2, 1], [3, 2], [4, 3]];
        assert_eq!(colours(&chain, 5, |body| body > 0), [vec![0, 2], vec![1, 3]]);
        let on_floor = [[1, 0], [2, 0], [3, 0]];
        assert_eq!(colours(&on_floor, 4, |body| body > 0), [vec![0, 1, 2]]);
    }

    #[test]
    fn rows_of_a_colour_share_no_body_and_none_is_lost() {
        // A big sphere with 100 small ones that also touch their neighbours.
        let mut rows: Vec<[u32; 2]> = (1..=100).map(|small| [small, 0]).collect();
        rows.extend((1..100).map(|small| [small, small + 1]));
        let mut colours = Colours::default();
        colours.assign(&rows, 101, |_| true);
        let mut seen = vec![false; rows.len()];
        let mut left_over = 0;
        for (group, apart) in colours.groups() {
            let mut bodies = Vec::new();
            for &row in colours.rows(group) {
                assert!(!std::mem::replace(&mut seen[row as usize], true));
                bodies.extend(rows[row as usize]);
                left_over += usize::from(!apart);
            }
            bodies.sort_unstable();
            assert!(!apart || bodies.windows(2).all(|two| two[0] != two[1]));
        }
        assert!(seen.into_iter().all(|seen| seen));
        assert_eq!(left_over, 100 - MOST);
    }
}

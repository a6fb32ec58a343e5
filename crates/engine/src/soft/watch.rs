//! When to look again at pairs of spheres that do not touch.
//!
//! `closed` sums how much any two spheres of a chunk and its neighbours can have come closer. A pair with a gap is measured again
//! when that sum has grown by the gap, or what of it is left until its law acts. So far pairs are measured seldom, and one fast
//! sphere does not make all others be measured in each step until lists are rebuilt.
//!
//! Those that are due soon stand first. Only these are gone through in each step; the others when the sum has come as far as
//! they were sorted for.
//!
//! It must never be late; early it may be. That is why the sum is rounded up, and gaps down.

/// Gaps count as smaller by this part, and by this part of the sum of radii, which covers rounding of places many times over.
const LESS: (f64, f64) = (1e-6, 1e-8);
/// The least part of the skin that is sorted for at a time.
const LEAST: f64 = 1.0 / 256.0;

/// Pairs of one chunk that are waited for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watch {
    /// By how much two spheres can have come closer since lists were made (m).
    closed: f64,
    /// Those that are due before `closed` is this stand first (m), and there are `near` of them.
    until: f64,
    near: usize,
    waiting: Vec<Waiting>,
}

/// A pair of spheres that may begin to touch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    /// Which of the chunk's candidates.
    candidate: u32,
    /// What `closed` must be for them to touch, or a little less (m).
    due: f32,
}

impl Watch {
    /// Waits for these pairs, all due at once: where their spheres are now is not known.
    pub fn begin(&mut self, pairs: impl Iterator<Item = u32>) {
        (self.closed, self.until) = (0.0, f64::NEG_INFINITY);
        self.waiting.clear();
        self.waiting.extend(pairs.map(|candidate| Waiting { candidate, due: f32::NEG_INFINITY }));
        self.near = self.waiting.len();
    }

    /// Two spheres may have come closer by so much (m). Calls `measure` for every pair that can have closed since it was measured;
    /// it returns the gap and the sum of radii (m), or nothing for a pair not to be waited for any more. Before that `ask` is called for
    /// each of them: their bodies may have to come from memory. Lists have this skin (m).
    #[inline(always)]
    pub fn look(
        &mut self,
        closer: f64,
        skin: f64,
        ask: impl Fn(u32),
        mut measure: impl FnMut(u32) -> Option<[f64; 2]>,
    ) {
        // The factor is for the rounding of `closer` itself.
        self.closed = (self.closed + closer * (1.0 + 1e-9)).next_up();
        if self.closed >= self.until {
            self.sort(closer, skin);
        }
        let due = bring_forward(&mut self.waiting[..self.near], self.closed);
        self.waiting[..due].iter().for_each(|waiting| ask(waiting.candidate));
        // From the last to the first: what takes the place of one that goes has been measured, or is not due.
        for at in (0..due).rev() {
            let measured = measure(self.waiting[at].candidate);
            if let Some([gap, reach]) = measured {
                let due = self.closed + (gap - (LESS.0 * gap + LESS.1 * reach)).min(skin);
                self.waiting[at].due = (due as f32).next_down();
                if due < self.until {
                    continue;
                }
            }
            self.near -= 1;
            self.waiting.swap(at, self.near);
            if measured.is_none() {
                self.waiting.swap_remove(self.near);
            }
        }
    }

    /// Puts those first that will be due soon: within as much as makes going through them, and sorting, cost alike.
    fn sort(&mut self, closer: f64, skin: f64) {
        self.until = self.closed + (closer * skin).sqrt().max(LEAST * skin);
        self.near = bring_forward(&mut self.waiting, self.until);
    }

    /// Bytes held besides itself.
    pub fn bytes(&self) -> usize {
        size_of::<Waiting>() * self.waiting.capacity()
    }
}

/// Puts those first that are due when `closed` is this, and says how many they are.
#[inline(always)]
fn bring_forward(waiting: &mut [Waiting], closed: f64) -> usize {
    let mut count = 0;
    for at in 0..waiting.len() {
        // Which ones are due cannot be foreseen: no branches.
        waiting.swap(at, count);
        count += usize::from(f64::from(waiting[count].due) <= closed);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// Gaps that change at random by up to what is said: a pair that has closed is found in that very step, and far ones are
    /// looked at seldom.
    #[test]
    fn no_pair_is_found_late_and_far_ones_are_looked_at_seldom() {
        let mut stream = Stream::named(1, "watch");
        for round in 0..50 {
            let (skin, most) = (1.0, 0.3 / f64::from(1 << (round % 12)));
            let mut gaps: Vec<f64> = (0..200).map(|_| stream.between(1e-3, skin)).collect();
            let mut watch = Watch::default();
            watch.begin(0..200);
            let (mut looks, steps) = (0, 200);
            for _ in 0..steps {
                let closer = stream.between(0.0, most);
                gaps.iter_mut().for_each(|gap| *gap += stream.between(-closer, closer));
                let open: Vec<u32> = (0..200).filter(|&pair| gaps[pair as usize] > 0.0).collect();
                watch.look(
                    closer,
                    skin,
                    |_| (),
                    |pair| {
                        looks += 1;
                        (gaps[pair as usize] > 0.0).then_some([gaps[pair as usize], 1.0])
                    },
                );
                let mut waiting: Vec<u32> = watch.waiting.iter().map(|waiting| waiting.candidate).collect();
                waiting.sort_unstable();
                assert_eq!(waiting, open, "round {round}");
                // What has closed is not waited for any more.
                gaps.iter_mut().filter(|gap| **gap <= 0.0).for_each(|gap| *gap = f64::NEG_INFINITY);
            }
            assert!(most > 0.01 || looks < 200 * steps / 10, "round {round}: {looks} looks");
        }
    }
}

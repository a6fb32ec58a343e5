//! What contacts remember outside the places in which a method keeps it: by their bodies' ids, for rebuilt lists, checkpoints and
//! stages. Numbers are raw, as the laws of the pair left them: bits of slipping first (`law::PairMemory`).
//!
//! Does not do: know what a number means.

use std::ops::ControlFlow;

/// Which contact: two bodies, and which of several points where they touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// Lower id.
    pub a: u32,
    /// Higher id.
    pub b: u32,
    /// Which of several contacts of the two: the parts that touch, and which of the places where these may (`feature_of`).
    pub feature: u32,
}

/// Bits of a feature that tell places where two parts may touch apart; above them stands the part of b, and above that the one of a.
const PLACE_BITS: u32 = 12;
/// Bits of a part (`clump::MOST_PARTS`).
const PART_BITS: u32 = 10;

/// The feature of a contact of these parts of a and b (0 where a body has one) at one of their places, below 4096.
#[inline]
pub fn feature_of(parts: [u32; 2], place: u32) -> u32 {
    debug_assert!(place < 1 << PLACE_BITS && parts.iter().all(|&part| part < 1 << PART_BITS));
    (parts[0] << PART_BITS | parts[1]) << PLACE_BITS | place
}

/// The same feature with a and b exchanged.
pub fn feature_turned(feature: u32) -> u32 {
    let [a, b] = parts_of(feature);
    feature_of([b, a], place_of(feature))
}

/// The place that a feature names.
pub fn place_of(feature: u32) -> u32 {
    feature & ((1 << PLACE_BITS) - 1)
}

/// The parts of a and b that a feature names.
pub fn parts_of(feature: u32) -> [u32; 2] {
    let part = |shift: u32| feature >> shift & ((1 << PART_BITS) - 1);
    [part(PLACE_BITS + PART_BITS), part(PLACE_BITS)]
}

/// Called with each contact, whether it touches, and the numbers that it remembers, until it breaks.
pub type VisitContact<'a> = dyn FnMut(ContactKey, bool, &[f64]) -> ControlFlow<()> + 'a;

/// What contacts remember, in some order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remembered {
    /// Which contacts.
    pub keys: Vec<ContactKey>,
    /// Whether each touches; one that does not has a place in its method's order, and remembers nothing.
    pub live: Vec<bool>,
    /// Where the numbers of each begin. They end where those of the next begin.
    pub at: Vec<u32>,
    /// The numbers, one contact after the other. Those that are missing at the end of a contact are zero.
    pub numbers: Vec<f64>,
}

impl Remembered {
    /// Nothing yet, with room for so many contacts.
    pub fn with_capacity(count: usize) -> Self {
        Remembered {
            keys: Vec::with_capacity(count),
            live: Vec::with_capacity(count),
            at: Vec::with_capacity(count),
            numbers: Vec::new(),
        }
    }

    /// How many contacts.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds a contact.
    pub fn push(&mut self, key: ContactKey, live: bool, numbers: impl IntoIterator<Item = f64>) {
        self.keys.push(key);
        self.live.push(live);
        self.at.push(self.numbers.len() as u32);
        self.numbers.extend(numbers);
    }

    /// Contacts of `stride` numbers each.
    pub fn from_rows(keys: Vec<ContactKey>, live: Vec<bool>, numbers: Vec<f64>, stride: usize) -> Self {
        let at = (0..keys.len()).map(|contact| (contact * stride) as u32).collect();
        Remembered { keys, live, at, numbers }
    }

    /// Whether all have `stride` numbers.
    pub fn are_rows_of(&self, stride: usize) -> bool {
        let mut begins = self.at.iter().enumerate();
        [self.live.len(), self.at.len()] == [self.len(); 2]
            && self.len().checked_mul(stride) == Some(self.numbers.len())
            && begins.all(|(contact, &at)| at as usize == contact * stride)
    }

    /// What one of them remembers.
    pub fn numbers_of(&self, contact: usize) -> &[f64] {
        let end = self.at.get(contact + 1).map_or(self.numbers.len(), |&end| end as usize);
        &self.numbers[self.at[contact] as usize..end]
    }

    /// Each contact, whether it touches, and what it remembers.
    pub fn iter(&self) -> impl Iterator<Item = (ContactKey, bool, &[f64])> {
        (0..self.len()).map(|i| (self.keys[i], self.live[i], self.numbers_of(i)))
    }

    /// The same contacts by rising keys.
    pub fn sorted(&self) -> Self {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&i| self.keys[i]);
        let mut sorted = Remembered::with_capacity(self.len());
        sorted.numbers.reserve_exact(self.numbers.len());
        order.into_iter().for_each(|i| sorted.push(self.keys[i], self.live[i], self.numbers_of(i).iter().copied()));
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_of_different_lengths_keep_their_numbers_when_they_are_sorted() {
        let key = |a, b, feature| ContactKey { a, b, feature };
        let mut all = Remembered::default();
        all.push(key(3, 4, 0), true, [1.0, 2.0]);
        all.push(key(0, 9, 1), false, []);
        all.push(key(0, 9, 0), true, [3.0, 4.0, 5.0]);
        let sorted = all.sorted();
        let rows: Vec<_> = sorted.iter().collect();
        let expected: [(ContactKey, bool, &[f64]); 3] =
            [(key(0, 9, 0), true, &[3.0, 4.0, 5.0]), (key(0, 9, 1), false, &[]), (key(3, 4, 0), true, &[1.0, 2.0])];
        assert_eq!(rows, expected);
        assert_eq!(sorted.sorted(), sorted);
    }
}

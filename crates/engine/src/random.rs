//! Named random streams: the same seed and name give the same numbers on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// FNV-1a: a fixed, documented way from bytes to 64 bits. It tells whether they are the same, not whether someone forged
/// them.
pub fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    fnv1a_on(FNV1A, bytes)
}

/// The hash of nothing.
pub const FNV1A: u64 = 0xcbf2_9ce4_8422_2325;

/// Goes on with a hash.
pub fn fnv1a_on(hash: u64, bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream(Pcg64);

impl Stream {
    /// The stream of this name under a seed. Different names are independent.
    pub fn named(seed: u64, name: &str) -> Self {
        let hash = fnv1a(name.bytes());
        let mut bytes = [0_u8; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&hash.to_le_bytes());
        bytes[16..24].copy_from_slice(&hash.rotate_left(32).to_le_bytes());
        Stream(Pcg64::from_seed(bytes))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Leaves out so many numbers: as if `bits` had been called as often, but at once.
    pub fn skip(&mut self, count: u64) {
        self.0.advance(u128::from(count));
    }

    /// Uniform in [0, 1), all 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipping_is_drawing() {
        let (mut drawn, mut skipped) = (Stream::named(5, "skip"), Stream::named(5, "skip"));
        for _ in 0..1000 {
            drawn.unit();
        }
        skipped.skip(1000);
        assert_eq!(drawn, skipped);
        assert_eq!(drawn.bits(), skipped.bits());
    }

    #[test]
    fn streams_repeat_and_differ_by_name_and_seed() {
        let draw = |seed, name| (0..4).map(|_| Stream::named(seed, name).bits()).next();
        assert_eq!(draw(1, "grains"), draw(1, "grains"));
        assert_ne!(draw(1, "grains"), draw(1, "stream"));
        assert_ne!(draw(1, "grains"), draw(2, "grains"));
    }
}

//! Which body of a pair.

/// Which body of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Neither.
    Neither,
    /// The one with the lower id.
    A,
    /// The one with the higher id.
    B,
}

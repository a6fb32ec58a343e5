//! The explicit method: soft contacts, loads by law, sums per body in a fixed order, small steps.

pub(crate) mod bodies;
pub(crate) mod contacts;
pub(crate) mod detect;
pub mod flow;
pub(crate) mod hand_over;
pub(crate) mod places;
mod solids;
pub mod stable_step;
pub mod watch;

/// The set bits, rising.
#[inline(always)]
fn bits_of(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit)
    })
}

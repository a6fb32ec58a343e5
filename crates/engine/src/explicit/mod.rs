//! The explicit method: soft contacts, loads by law, sums per body in a fixed order, small steps.

pub(crate) mod bodies;
pub(crate) mod contacts;
pub mod flow;
pub(crate) mod hand_over;
pub mod stable_step;

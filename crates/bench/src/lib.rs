//! How fast stickslip is: the packings that it is measured on, and other programs on the same ones.
//!
//! In reading order: [`packing`] and [`cache`] (what is measured on), [`versus`] (one contest), [`peers`] (the others, one file
//! each), [`running`] (a peer while it runs), [`machine`] (CPU time and load), [`whole`] (one packing from start to rest), [`table`]
//! (what was measured), [`roofline`] (what the machine could do at best), [`scale`] (mixtures, gas, a row), [`cone`]
//! (solvers of contact problems), [`count`] (work whose instructions are counted), [`command`].
//!
//! `stickslip bench` uses the packings alone. Peers need Linux; nothing here is needed to use stickslip.

pub mod cache;
pub mod command;
pub mod cone;
pub mod cone_page;
pub mod count;
pub mod machine;
pub mod packing;
pub mod peers;
pub mod roofline;
pub mod running;
pub mod scale;
pub mod table;
pub mod versus;
pub mod whole;

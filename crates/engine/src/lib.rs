//! stickslip: grains and rigid bodies in contact, in which friction is the subject.
//!
//! A tour, in reading order:
//!
//! - [`world`], [`setup`]: a world, and what it is made from;
//! - [`model`], [`state`], [`geometry`]: what does not change in a run, what does, and what follows from both;
//! - [`body`], [`shape`], [`frame`]: bodies as a caller describes them; [`response`]: what impulses do to them;
//! - [`schedule`]: values that change with time;
//! - [`cell`]: the periodic cell and what drives it;
//! - [`inflow`]: bodies that come and go during a run; [`joint`]: what ties bodies together;
//! - [`broad`], [`wall`], [`collide`]: who might touch, who does;
//! - [`contact`], [`law`]: one contact, its signs, and the laws, one file each;
//! - [`cone`]: contact with friction cones, and its solver;
//! - `soft`: which pairs touch, and the pass over contacts;
//! - [`explicit`]: the step, the passes over bodies, the stable step;
//! - `nonsmooth`: the step of rigid contacts; [`advice`]: the step that a method recommends;
//! - [`ledger`], [`measure`]: where the energy went, what can be read off;
//! - [`probe`]: one contact driven through any motion;
//! - [`mod@reference`]: the same step, slow and obvious, that the fast one is tested against;
//! - [`mould`], [`sizes`]: bodies of a kind whose shapes are drawn;
//! - [`place`], [`random`], [`math`], [`error`]: the rest.

pub mod advice;
mod answers;
pub mod body;
pub mod broad;
pub mod cell;
mod check;
pub mod clock;
pub mod collide;
pub mod collider;
pub mod column;
pub mod cone;
pub mod contact;
mod energy;
pub mod error;
pub mod explicit;
pub mod flow;
pub mod frame;
pub mod geometry;
pub mod inflow;
pub mod joint;
pub mod law;
pub mod ledger;
pub mod math;
pub mod measure;
pub mod model;
pub mod mould;
mod mover;
mod nonsmooth;
pub mod place;
pub mod probe;
mod quad;
pub mod random;
pub mod reference;
pub mod response;
mod responses;
pub mod schedule;
pub mod setup;
pub mod shape;
pub mod sizes;
mod soft;
pub mod state;
mod traffic;
pub mod wall;
pub mod world;

pub use body::{Body, Motion};
pub use model::{Material, Model};
pub use shape::{Shape, Sides};
pub use world::{Setup, World};

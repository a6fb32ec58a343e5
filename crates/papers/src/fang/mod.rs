//! Fang and Negrut, Producing 3D Friction Loads by Tracking the Motion of the Contact Point on Bodies in Mutual Contact (2020).
//!
//! One file an experiment, after the sections of the paper: `brick` 4.1; `disk` and `legacy` 4.2; `incline` and `map` 4.3; `spin`
//! and `spin_hertz` 4.4; `ellipsoid_roll` (with `planar`) 4.5.1; `ellipsoid` 4.5.2; `stack` 4.6; `appendix` A. They share `friction` (the paper's parameters as a law), `rig`
//! (one body on a plane under a normal force that does not change), `track` (what was seen, step by step) and `reference`.
//!
//! SI units. Expected numbers come from three places, and each check says which: the paper's text, the authors' figure
//! data (as far as an independent computation that agrees with it to rounding has them), and closed forms. Where text and
//! data disagree both stand as checks or metrics, and docs/reproduce-fang.md says which is which.

pub mod appendix;
pub mod appendix_laws;
pub mod brick;
pub mod disk;
pub mod ellipsoid;
pub mod ellipsoid_roll;
pub mod friction;
pub mod incline;
pub mod legacy;
pub mod map;
pub mod map_figure;
pub mod planar;
pub mod reference;
pub mod rig;
pub mod spin;
pub mod spin_hertz;
pub mod stack;
pub mod stack_figure;
pub mod stack_modes;
pub mod track;

/// mu_s of every experiment.
pub const STATIC: f64 = 0.25;
/// mu_k of every experiment.
pub const KINETIC: f64 = 0.2;
/// K_E (N/m) where the paper does not say otherwise.
pub const STIFFNESS: f64 = 1e5;
/// g (m/s^2) of the tests with one body.
pub const GRAVITY: f64 = 9.8;
/// The paper's step (s).
pub const STEP: f64 = 1e-4;

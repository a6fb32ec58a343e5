//! Kuhn, Transient rolling friction model for discrete element simulations of sphere assemblies (2014).
//!
//! One file an experiment: `loops` (the load history of Cattaneo, Mindlin and Deresiewicz, on which section 2 builds), `pair` (Fig. 5),
//! `cylinders` (Fig. 4), `cattaneo_to_carter` (section 2.3). They share `contact` (two spheres in the probe) and `reference` (series that
//! ours are compared with).
//!
//! SI units. The paper's figures are pictures without numbers: expected values are closed forms and independent computations of the
//! paper's equations, and each check says which.

pub mod cattaneo_to_carter;
pub mod contact;
pub mod cylinders;
pub mod loops;
pub mod pair;
pub mod reference;

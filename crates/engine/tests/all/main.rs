//! The engine's integration tests, one binary so that the engine is linked once. Each module says what it tests.

mod allocations;
mod bits;
mod box_impacts;
mod cell;
mod closed_forms;
mod common;
mod conservation;
mod due;
mod guards;
mod lammps;
mod layers;
mod motion;
mod neighbours;
mod objectivity;
mod own_law;
mod passivity;
mod regressions;
mod repose;
mod rest;
mod restitution;
mod restore;
mod solids;
mod step;
mod tracked;
mod traffic;
mod walls;

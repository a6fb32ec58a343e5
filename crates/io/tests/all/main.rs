//! Integration tests of the files, one binary so that it links once. Each module says what it tests.

mod cells;
mod golden;
mod guide;
mod input;
mod joints;
mod mutants;
mod paper_scenes;
mod problems;
mod santos;
mod schema;
mod stages;
mod variants;

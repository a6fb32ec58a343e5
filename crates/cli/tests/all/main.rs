//! Tests of the command from outside, one binary so that it links once. Each module says what it tests.

mod bad_input;
mod cells;
mod commands;
mod common;
mod compare;
mod disk;
mod faults;
mod guards;
mod harm;
mod kill;
mod measure;
mod memory;
mod one_file;
mod outputs;
mod reproduce;
mod resume;
mod rigid;
mod same_bytes;
mod soak;
mod solve;
mod stages;
mod sweep;
mod traffic;

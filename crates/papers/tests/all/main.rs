//! Integration tests of the experiments, one binary so that it links once. Each module says what it tests.

mod experiments;
mod fang;
mod tasora;

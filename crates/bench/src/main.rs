//! The binary behind `cargo xtask bench`; see `command.rs`.

use std::process::ExitCode;

use clap::Parser;
use stickslip_bench::command::{Arguments, Failure};

fn main() -> ExitCode {
    match Arguments::parse().execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
        Err(Failure::Run(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

//! The binary behind `cargo xtask bench` and, as `stickslip-bench count`, behind `cargo xtask counts`; see `command.rs`.

use std::process::ExitCode;

use clap::Parser;
use stickslip_bench::command::{Arguments, CountArguments, Failure};

fn main() -> ExitCode {
    // Not a subcommand: users of `bench` need not hear of it, in its help and its errors.
    let counts = std::env::args_os().nth(1).is_some_and(|first| first == "count");
    let outcome = if counts {
        CountArguments::parse_from(std::env::args_os().skip(1)).execute()
    } else {
        Arguments::parse().execute()
    };
    match outcome {
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

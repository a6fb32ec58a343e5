//! The command as a user calls it, without any peer.

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    // No program is found there, so no peer either.
    let nowhere = std::env::temp_dir().join("stickslip-no-programs");
    Command::new(env!("CARGO_BIN_EXE_stickslip-bench")).args(arguments).env("PATH", nowhere).output().unwrap()
}

fn refused(arguments: &[&str], expected: &[&str]) {
    let output = bench(arguments);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    for part in expected {
        assert!(message.contains(part), "{arguments:?}: `{part}` is not in: {message}");
    }
}

#[test]
fn dirt_says_in_one_line_why_not() {
    refused(&["--versus", "dirt"], &["DIRT cannot be built from its packages alone"]);
    assert_eq!(String::from_utf8_lossy(&bench(&["--versus", "dirt"]).stderr).lines().count(), 1);
}

#[test]
fn a_peer_that_is_missing_is_named_with_its_package_and_nothing_is_written() {
    let out = std::env::temp_dir().join(format!("stickslip-bench-out-{}", std::process::id()));
    for peer in ["liggghts", "yade"] {
        let arguments = ["--versus", peer, "--spheres", "100", "--out", &out.to_string_lossy()];
        refused(&arguments, &[&format!("apt-get install {peer}")]);
    }
    assert!(!out.exists());
}

#[test]
fn wrong_arguments_are_refused() {
    refused(&[], &["--versus <PEER>"]);
    refused(&["--versus", "edem"], &["lammps, liggghts, yade, dirt"]);
    refused(&["--versus", "lammps", "--cores", "1000"], &["expected at most"]);
    refused(&["--roofline", "--versus", "lammps"], &["cannot be used with"]);
    refused(&["--roofline", "--spheres", "5"], &["100..=10000000"]);
    refused(&["count", "fast", "--packings", "p"], &["kernel-slide", "step-cell"]);
    refused(&["count"], &["--packings <DIR>"]);
}

#[test]
fn a_case_says_what_it_has_done() {
    let output = bench(&["count", "kernel-all", "--packings", "nowhere"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.starts_with("units 16000 contact "), "{said}");
    let output = bench(&["count", "lists", "--packings", "nowhere"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

//! The chores as a developer calls them: those that do nothing here.

use std::process::{Command, Output};

/// Without any other program in reach, valgrind among them.
fn xtask(arguments: &[&str], counts: &str) -> Output {
    let nowhere = std::env::temp_dir().join("stickslip-no-programs");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(arguments).env("PATH", nowhere).env("STICKSLIP_COUNTS", counts).output().unwrap()
}

#[test]
fn wrong_arguments_are_refused_with_the_usage() {
    let wrong: [&[&str]; 5] =
        [&[], &["count"], &["counts", "--renew"], &["counts", "--write", "all"], &["test", "counts"]];
    for arguments in wrong {
        let output = xtask(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("cargo xtask counts [--write]"), "{arguments:?}: {message}");
    }
}

#[test]
fn counts_are_left_out_and_say_so() {
    for (counts, why) in [("off", "STICKSLIP_COUNTS=off"), ("", "valgrind is not installed")] {
        let output = xtask(&["counts"], counts);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains(&format!("instruction counts: LEFT OUT, because {why}")), "{said}");
    }
}

#[test]
fn a_new_record_without_valgrind_fails_and_leaves_the_old_one() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/counts.txt");
    let before = std::fs::read(record).unwrap();
    let output = xtask(&["counts", "--write"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read(record).unwrap(), before);
}

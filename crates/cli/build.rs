//! Tells the program which commit it is built from: `STICKSLIP_COMMIT`, and `STICKSLIP_VERSION` for `--version`.
//!
//! Outside a repository, or without git, there is no commit. `-changed` says that the sources were not those of the commit.

use std::process::Command;

fn main() {
    // A new commit or branch appends to the first; the others are what the program is made of.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    for path in log.as_deref().into_iter().chain(["src", "../io/src", "../engine/src", "../../Cargo.lock", "build.rs"])
    {
        println!("cargo:rerun-if-changed={path}");
    }
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // A repository around a package that is not part of it says nothing about the package.
    let tracked = git(&["ls-files", "build.rs"]).is_some_and(|files| !files.is_empty());
    match git(&["rev-parse", "--short=12", "HEAD"]).filter(|_| tracked) {
        Some(commit) => {
            let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", "..", "../../Cargo.lock"]);
            let suffix = if changed.is_some_and(|files| files.is_empty()) { "" } else { "-changed" };
            println!("cargo:rustc-env=STICKSLIP_COMMIT={commit}{suffix}");
            println!("cargo:rustc-env=STICKSLIP_VERSION={version} ({commit}{suffix})");
        }
        None => println!("cargo:rustc-env=STICKSLIP_VERSION={version}"),
    }
}

/// What git says, if it says anything.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

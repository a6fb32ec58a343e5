//! `cargo deny`: licences, duplicate versions and sources of all dependencies, by `deny.toml`; known vulnerabilities where their
//! database is on this machine.
//!
//! The tool is built from crates.io once, into the user's cache folder, unless it is installed. `STICKSLIP_DENY=off`
//! leaves the check out. This never fetches the database: `cargo deny fetch` does.

use std::path::PathBuf;

use crate::Score;
use crate::tool::{cache, cargo, program};

const NAME: &str = "licences, duplicates and sources of dependencies";
const ADVISORIES: &str = "known vulnerabilities of dependencies";
const VERSION: &str = "0.20.2";

/// One check, and a second one where there is a database.
pub fn check(score: &mut Score) {
    if std::env::var_os("STICKSLIP_DENY").is_some_and(|value| value == "off") {
        return score.leave_out(NAME, "STICKSLIP_DENY=off");
    }
    if !score.wants(NAME) && !score.wants(ADVISORIES) {
        return;
    }
    let tool = match tool() {
        Ok(tool) => tool,
        Err(why) => return score.leave_out(NAME, &why),
    };
    score.check(NAME, || program(&tool, &["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]).run());
    if has_database() {
        let arguments = ["--offline", "check", "--disable-fetch", "advisories"];
        score.check(ADVISORIES, || program(&tool, &arguments).run());
    } else {
        score.leave_out(ADVISORIES, "their database is not on this machine (`cargo deny fetch` loads it)");
    }
}

/// The installed tool, or one built here.
fn tool() -> Result<PathBuf, String> {
    if program("cargo-deny", &["--version"]).works() {
        return Ok("cargo-deny".into());
    }
    let root = cache()?.join(format!("cargo-deny-{VERSION}"));
    let path = root.join("bin/cargo-deny");
    if !path.exists() {
        println!("building cargo-deny {VERSION}, once (STICKSLIP_DENY=off leaves this check out)");
        let folder = root.to_string_lossy();
        let install = ["install", "cargo-deny", "--locked", "--quiet", "--version", VERSION, "--root", &folder];
        cargo(&install).run().map_err(|error| format!("cargo-deny {VERSION} cannot be installed: {error}"))?;
    }
    Ok(path)
}

/// Whether a database of advisories was fetched before.
fn has_database() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let entries = home.and_then(|home| std::fs::read_dir(home.join("advisory-dbs")).ok());
    entries.is_some_and(|mut entries| entries.next().is_some())
}

//! What no file of the project may hold: paths of the machine it was written on, work put off, and unsafe code outside the
//! files named here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Words for work put off, in two parts, so that this file does not hold them.
const PUT_OFF: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Lifts the workspace's ban on unsafe code, in two parts as above.
const LIFTS_BAN: &str = concat!("allow(unsafe", "_code");

/// The files that may.
const UNSAFE: [&str; 3] =
    ["crates/engine/src/cone/sweep.rs", "crates/engine/src/law/kernel.rs", "crates/engine/tests/all/allocations.rs"];

/// Looks through every file that git knows or would add.
pub fn check() -> Result<u64, String> {
    let mut places = vec![std::env::current_dir().map_err(|error| error.to_string())?];
    places.extend(std::env::home_dir());
    // A home such as `/` says nothing.
    let places: Vec<String> = places.iter().map(|p| p.display().to_string()).filter(|p| p.len() > 3).collect();
    let mut faults = Vec::new();
    for file in files()? {
        // What is not text cannot be read as such.
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            if let Some(fault) = fault(&file, line, &places) {
                faults.push(format!("{}:{}: holds {fault}", file.display(), number + 1));
            }
        }
    }
    if faults.is_empty() { Ok(1) } else { Err(faults.join("\n")) }
}

/// Prose may speak of work put off; sources may not contain it.
fn fault(file: &Path, line: &str, places: &[String]) -> Option<String> {
    let prose = file.extension().is_some_and(|extension| extension == "md");
    if let Some(word) = PUT_OFF.iter().find(|word| !prose && line.contains(*word)) {
        return Some(format!("`{word}`"));
    }
    if line.contains(LIFTS_BAN) && !UNSAFE.iter().any(|allowed| file == Path::new(allowed)) {
        return Some("unsafe code, which only the files named in xtask/src/hygiene.rs may hold".to_owned());
    }
    places.iter().find(|place| holds_path(line, place)).map(|place| format!("the path {place} of this machine"))
}

/// Whether a path stands in the line, not merely as part of a longer name.
fn holds_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        let name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-' || c == '.');
        !name(before) && !name(after)
    })
}

/// Every file that git knows or would add.
pub fn files() -> Result<Vec<PathBuf>, String> {
    let listed = Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]).output();
    match listed {
        Ok(output) if output.status.success() => {
            let names = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
        }
        // Not a clone: every file but what builds and runs leave.
        _ => walk(Path::new(".")),
    }
}

fn walk(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let at = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(at)? {
        let entry = entry.map_err(at)?;
        let name = entry.file_name();
        if entry.file_type().map_err(at)?.is_dir() {
            if !["target", "runs", ".git"].iter().any(|skipped| name == *skipped) {
                files.extend(walk(&entry.path())?);
            }
        } else {
            files.push(entry.path());
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_count_only_whole() {
        assert!(holds_path("see /of/me/x", "/of/me"));
        assert!(holds_path("\"/of/me\"", "/of/me"));
        assert!(!holds_path("/of/men, s/of/me", "/of/me"));
    }

    #[test]
    fn unsafe_code_stays_in_its_files() {
        let line = format!("#[{})]", LIFTS_BAN);
        assert!(fault(Path::new(UNSAFE[0]), &line, &[]).is_none());
        assert!(fault(Path::new("crates/io/src/lib.rs"), &line, &[]).is_some());
    }

    #[test]
    fn prose_may_speak_of_work_put_off() {
        let line = format!("No {} here", PUT_OFF[0]);
        assert!(fault(Path::new("a.md"), &line, &[]).is_none());
        assert!(fault(Path::new("a.rs"), &line, &[]).is_some());
    }
}

//! Whether a law can still be added as docs/add-a-law.md says: its patch applies to a copy of the tree, touches no more files
//! and lines than it says, and compiles; in the full run its tests pass at every vector width.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tool::cargo;

const PATCH: &str = "docs/add-a-law.patch";
/// Files of the tree that the patch may touch, and lines that it may add to them, beside the law's own files.
const MOST: [usize; 2] = [3, 6];
/// What STICKSLIP_SIMD may be; the last allows all that the machine has.
const WIDTHS: [&str; 3] = ["off", "avx2", ""];

/// Checks the patch.
pub fn check(full: bool) -> Result<u64, String> {
    let patch = std::fs::read_to_string(PATCH).map_err(|error| format!("{PATCH}: {error}"))?;
    let [files, lines] = touched(&patch)?;
    if files > MOST[0] || lines > MOST[1] {
        return Err(format!("{PATCH} adds {lines} lines to {files} files, more than {} to {}", MOST[1], MOST[0]));
    }
    let copy = copy_tree()?;
    let manifest = copy.join("Cargo.toml").display().to_string();
    // In the same target folder: what the crates depend on is built there.
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    let target = std::path::absolute(target).map_err(|error| error.to_string())?.display().to_string();
    let of = |command: &'static str| {
        cargo(&[command, "--manifest-path"]).with(&[&manifest]).env("CARGO_TARGET_DIR", &target)
    };
    of("check").with(&["-p", "stickslip", "-p", "stickslip-io"]).run()?;
    let mut passed = 1;
    if full {
        for width in WIDTHS {
            for package in ["stickslip", "stickslip-io"] {
                let tests = of("test").with(&["-p", package, "--lib", "--", "relaxing", "laws::"]);
                passed += tests.env("STICKSLIP_SIMD", width).count_tests()?;
            }
        }
    }
    Ok(passed)
}

/// How many files of the tree the patch touches, new ones apart, and how many lines it adds to them. It takes none away.
fn touched(patch: &str) -> Result<[usize; 2], String> {
    let (mut files, mut lines) = (0, 0);
    for file in patch.split("diff --git ").skip(1) {
        if file.contains("\nnew file mode") {
            continue;
        }
        let body = file.split_once("\n@@").map_or("", |(_, body)| body);
        if body.lines().any(|line| line.starts_with('-')) {
            return Err(format!("{PATCH} takes lines away"));
        }
        files += 1;
        // The comments of a variant are not counted.
        let added = body.lines().filter_map(|line| line.strip_prefix('+'));
        lines += added.filter(|line| !line.trim_start().starts_with("///")).count();
    }
    Ok([files, lines])
}

/// The files under version control as they stand now, copied, with the patch applied.
fn copy_tree() -> Result<PathBuf, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let listed = Command::new("git").args(["ls-files", "-z"]).output().map_err(wrong)?;
    let copy = std::path::absolute("target/add-a-law").map_err(wrong)?;
    let _ = std::fs::remove_dir_all(&copy);
    for name in String::from_utf8_lossy(&listed.stdout).split_terminator('\0') {
        let (from, to) = (Path::new(name), copy.join(name));
        if from.is_file() {
            std::fs::create_dir_all(to.parent().unwrap_or(&copy)).map_err(wrong)?;
            std::fs::copy(from, to).map_err(wrong)?;
        }
    }
    // Away from the repository around it, of which `git apply` would take the copy for an ignored part.
    let patch = std::path::absolute(PATCH).map_err(wrong)?;
    let mut apply = Command::new("git");
    apply.arg("apply").arg(patch).current_dir(&copy).env("GIT_CEILING_DIRECTORIES", copy.parent().unwrap_or(&copy));
    let applied = apply.output().map_err(wrong)?;
    if !applied.status.success() {
        return Err(format!("{PATCH} does not apply: {}", String::from_utf8_lossy(&applied.stderr)));
    }
    Ok(copy)
}

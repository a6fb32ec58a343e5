//! A scene with a bit of everything that a run may hold, and the files of run folders side by side.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Grains on a slope that swings, more that rain on it, and some that leave; without records. It takes 4000 steps.
pub const SLOPE: &str = r#"
title = "A bit of everything"
gravity = [5.0, 0.0, -8.0]
[time]
end = 0.08
step = 2e-5
[material.grain]
density = 2500.0
[[contact]]
between = ["grain", "grain"]
normal = { law = "hooke", stiffness = 1e4, restitution = 0.5 }
slide = { law = "spring-slider", stiffness = 3e3, damping_ratio = 0.3, mu = 0.3 }
roll = { law = "spring-slider", stiffness = 1e3, damping_ratio = 0.3, mu = 0.2 }
spin = { law = "spring-slider", stiffness = 0.01, damping_ratio = 0.3, mu = 0.2 }
[[body]]
name = "slope"
material = "grain"
shape = { kind = "plane", normal = [0, 0, 1] }
position = [0, 0, 0]
motion = { oscillate = { axis = [1, 0, 0], amplitude = 0.002, frequency = 50.0 } }
[[grains]]
material = "grain"
count = 100
radius = { min = 0.003, max = 0.005 }
place = { kind = "random", from = [-0.05, -0.03, 0.006], to = [0.05, 0.03, 0.03] }
[[stream]]
material = "grain"
radius = { min = 0.003, max = 0.005 }
rate = 800.0
count = 2000
from = [-0.03, -0.03, 0.05]
to = [0.03, 0.03, 0.06]
velocity = [0, 0, -0.5]
[domain]
from = [-1, -1, -1]
to = [0.06, 1, 1]
leaving = "remove"
"#;

/// Every kind of record in every form, and checkpoints every 100 steps. Some intervals are no whole number of steps.
pub const RECORDS: &str = r#"
[[record]]
what = "bodies"
every = 0.004
[[record]]
what = "contacts"
every = 0.00333
format = "parquet"
[[record]]
what = "series"
every = 0.0007
[[record]]
what = "walls"
every = 0.001
[[record]]
what = "snapshot"
every = 0.02
[[record]]
what = "snapshot"
every = 0.01
format = "lammps"
name = "dump"
[[record]]
what = "snapshot"
every = 0.015
format = "lammps-data"
name = "data"
[[record]]
what = "checkpoint"
every = 0.002
"#;

/// The slope with all its records.
pub fn scene() -> String {
    format!("{SLOPE}{RECORDS}")
}

/// The files of a folder by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Everything that lies in a folder, and nothing if there is none.
pub fn all_files(folder: &Path) -> Files {
    let Ok(entries) = fs::read_dir(folder) else { return Files::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap())).collect()
}

/// Everything in a run folder that must not depend on when, where and how often the run was broken off: all files but the
/// two that hold times of day.
pub fn lasting_files(folder: &Path) -> Files {
    let mut files = all_files(folder);
    for name in ["run.json", "report.html"] {
        assert!(files.remove(name).is_some(), "{name} is missing in {}", folder.display());
    }
    files
}

/// Panics with the names of files that are in one only, or differ.
pub fn assert_same(expected: &Files, found: &Files, what: &str) {
    let names = |files: &Files, other: &Files| -> Vec<String> {
        files.keys().filter(|name| !other.contains_key(*name)).cloned().collect()
    };
    let (missing, new) = (names(expected, found), names(found, expected));
    assert!(missing.is_empty() && new.is_empty(), "{what}: missing {missing:?}, not expected {new:?}");
    let differ: Vec<String> =
        expected.iter().filter_map(|(name, bytes)| difference(name, bytes, &found[name])).collect();
    assert!(differ.is_empty(), "{what}: {}", differ.join("; "));
}

fn difference(name: &str, expected: &[u8], found: &[u8]) -> Option<String> {
    let (long, other) = (expected.len(), found.len());
    let first = expected.iter().zip(found).position(|(a, b)| a != b);
    let first = first.or_else(|| (long != other).then_some(long.min(other)))?;
    Some(format!("{name} differs from byte {first} on ({long} bytes expected, {other} found)"))
}

//! Runs every example with the release binary, as the README says, and looks at what it wrote. They run in order in one
//! empty folder, so that an example may go on from the end of an earlier one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Score;
use crate::outcomes;
use crate::tool::cargo;

/// What every run leaves.
const FILES: [&str; 6] = ["run.json", "scene.toml", "bodies-fixed.csv", "series.csv", "report.html", "picture.png"];

/// Builds the binary, then one check for each example.
pub fn check(score: &mut Score) {
    score.check("release build", || cargo(&["build", "--release"]).run());
    let examples = match examples() {
        Ok(examples) => examples,
        Err(message) => return score.check("examples", || Err(message)),
    };
    let out = std::env::temp_dir().join(format!("stickslip-xtask-{}", std::process::id()));
    for example in examples {
        let name = example.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let probe = name.starts_with("probe");
        score.check(&format!("example {name}"), || {
            if probe { check_probe(&example, &out) } else { check_run(&example, &out, &name) }
        });
    }
    score.check("example compare", || check_compare(&out.join("compare")));
    score.check("example compare, pile", || check_pile(&out.join("compare-pile")));
    score.check("example sweep", || check_sweep(&out.join("sweep")));
    score.check("a drum under less friction", || check_drums(&out));
    let own_law = ["run", "--release", "--quiet", "-p", "stickslip", "--example", "own_law"];
    score.check("example own_law", || cargo(&own_law).run());
    // Left to the system if it cannot be removed.
    let _ = fs::remove_dir_all(&out);
}

fn examples() -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir("examples").map_err(|error| format!("examples: {error}"))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut scenes: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    scenes.sort();
    if scenes.is_empty() { Err("there are no examples".into()) } else { Ok(scenes) }
}

fn stickslip(command: &str, input: &Path, out: &Path) -> Result<u64, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let (manifest, input) = (here.join("Cargo.toml"), here.join(input));
    let folder = out.parent().unwrap_or(&here);
    let (manifest, input, out) = (manifest.to_string_lossy(), input.to_string_lossy(), out.to_string_lossy());
    let program = ["run", "--release", "--quiet", "--manifest-path", &manifest, "--"];
    // From the folder above `runs`, where the README would have the user be.
    let above = folder.parent().unwrap_or(folder);
    cargo(&program).with(&[command, &input, "--out", &out]).within(above).run()
}

fn check_run(scene: &Path, out: &Path, name: &str) -> Result<u64, String> {
    let folder = out.join("runs").join(name);
    fs::create_dir_all(out).map_err(|error| error.to_string())?;
    stickslip("run", scene, &folder)?;
    for file in FILES {
        let size = fs::metadata(folder.join(file)).map_err(|error| format!("{file}: {error}"))?.len();
        if size == 0 {
            return Err(format!("{file} is empty"));
        }
    }
    outcomes::check(name, &folder)?;
    Ok(1)
}

fn check_compare(out: &Path) -> Result<u64, String> {
    let folder = "examples/compare";
    let names = ["heap", "constant-torque", "epsd", "without-rolling-friction"];
    let [scene, constant, epsd, without] = names.map(|name| format!("{folder}/{name}.toml"));
    let out_text = out.to_string_lossy();
    let variants = ["--with", &constant, &epsd, &without, "--out", &out_text];
    cargo(&["run", "--release", "--quiet", "--", "compare", &scene]).with(&variants).run()?;
    for file in ["compare.html", "heap/run.json", "constant-torque/report.html", "epsd/series.csv"] {
        fs::metadata(out.join(file)).map_err(|error| format!("{file}: {error}"))?;
    }
    outcomes::compared(&out.join("compare.csv"))?;
    Ok(1)
}

/// 5000 grains under the law of Fang and Negrut and two others.
fn check_pile(out: &Path) -> Result<u64, String> {
    let names = ["pile", "pile-spring-slider", "pile-constant-torque"];
    let [scene, slider, torque] = names.map(|name| format!("examples/compare/{name}.toml"));
    let variants = ["--with", &slider, &torque, "--out", &out.to_string_lossy()];
    cargo(&["run", "--release", "--quiet", "--", "compare", &scene]).with(&variants).run()?;
    outcomes::piled(&out.join("compare.csv"))?;
    Ok(1)
}

fn check_sweep(out: &Path) -> Result<u64, String> {
    let out_text = out.to_string_lossy();
    let binary = ["run", "--release", "--quiet", "--"];
    let set = ["--set", "contact[*].roll.mu=0,0.1,0.2,0.4", "--set", "contact[*].slide.mu=0.2,0.5", "--seeds", "2"];
    let plot = ["--plot", "roll.mu,potential", "--plot", "roll.mu,slide.mu,potential", "--out", &out_text];
    cargo(&binary).with(&["sweep", "examples/sweep/heap.toml"]).with(&set).with(&plot).run()?;
    for file in ["sweep.html", "sweep.parquet", "runs/0016/report.html"] {
        fs::metadata(out.join(file)).map_err(|error| format!("{file}: {error}"))?;
    }
    outcomes::swept(out)?;
    Ok(1)
}

/// The angle in the drum of example 07 rises with the rolling friction.
fn check_drums(out: &Path) -> Result<u64, String> {
    let variant = "drum-without-rolling-friction";
    let (file, compared) = (format!("examples/compare/{variant}.toml"), out.join("drums"));
    let binary = ["run", "--release", "--quiet", "--"];
    let command = ["compare", "examples/07-drum.toml", "--only-variants", "--with", &file, "--out"];
    cargo(&binary).with(&command).with(&[&compared.to_string_lossy()]).run()?;
    let folders = [compared.join(variant), out.join("runs/07-drum")];
    for folder in &folders {
        cargo(&binary).with(&["measure", &folder.to_string_lossy(), "drum", "--from", "1.5"]).run()?;
    }
    outcomes::steeper(&folders[0], &folders[1])?;
    Ok(1)
}

fn check_probe(probe: &Path, out: &Path) -> Result<u64, String> {
    fs::create_dir_all(out).map_err(|error| error.to_string())?;
    let table = out.join("probe.csv");
    stickslip("probe", probe, &table)?;
    let text = fs::read_to_string(&table).map_err(|error| error.to_string())?;
    if text.lines().count() > 2 { Ok(1) } else { Err("the table of the probe has no rows".into()) }
}

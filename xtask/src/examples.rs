//! Runs every example with the release binary, as the README says, and checks what it wrote. Those that start from another's end come
//! after it; apart from that they run side by side, each on one thread, in one empty folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::tool::{built, cargo, program, release};
use crate::{Chain, Link, Score, claims, outcomes};

/// What every run leaves.
const FILES: [&str; 6] = ["run.json", "scene.toml", "bodies-fixed.csv", "series.csv", "report.html", "picture.png"];

/// Examples that start where the one before ended.
const SECOND_STAGES: [&str; 2] = ["13-shake", "15-shear"];

/// Runs every example, and the other checks side by side with them; then compares what the documents say of them.
pub fn check(score: &mut Score, full: bool, others: Vec<Chain>) {
    let others = others.into_iter().filter(|chain| chain.iter().any(|(name, _)| score.wants(name))).collect::<Vec<_>>();
    if others.is_empty() && !score.wants("example") && !score.wants(claims::NAME) {
        return;
    }
    let out = std::env::temp_dir().join(format!("stickslip-xtask-{}", std::process::id()));
    let chains = match fs::create_dir_all(&out).map_err(|error| error.to_string()).and_then(|()| chains(full)) {
        Ok(chains) => chains,
        Err(message) => return score.check("examples", || Err(message)),
    };
    if !full {
        score.leave_out("example compare, pile", "it takes minutes (`--full` runs it)");
    }
    // The others first: they are longer than most examples, which fill the time beside them.
    score.check_side_by_side(&others.into_iter().chain(chains).collect::<Vec<_>>(), &out);
    score.check(claims::NAME, || claims::check(&out, full));
    // Left to the system if it cannot be removed.
    let _ = fs::remove_dir_all(&out);
}

/// Runs the example of a law of a user's own, built with the features of the whole workspace, as the tests are built: alone it would need another build of half of it.
pub fn own_law() -> Result<u64, String> {
    cargo(&["build", "--quiet", "--workspace", "--examples"]).run()?;
    program(built("debug", "examples/own_law"), &[] as &[&str]).run()
}

/// Chains of checks; the links of one run in their order, the longest chains come first.
fn chains(full: bool) -> Result<Vec<Chain>, String> {
    let mut chains: Vec<Chain> = Vec::new();
    if full {
        chains.push(vec![("example compare, pile".into(), Box::new(|out| check_pile(&out.join("compare-pile"))))]);
    }
    for example in examples()? {
        let name = example.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let title = format!("example {name}");
        if name.starts_with("probe") {
            chains.push(vec![(title, Box::new(move |out| check_probe(&example, out)))]);
            continue;
        }
        let drum = name == "07-drum";
        let second = SECOND_STAGES.contains(&name.as_str());
        let link: Link = (title, Box::new(move |out| check_run(&example, out, &name)));
        match chains.last_mut() {
            Some(chain) if second => chain.push(link),
            _ => chains.push(vec![link]),
        }
        if drum && let Some(chain) = chains.last_mut() {
            chain.push(("example 07-drum under less friction".into(), Box::new(check_drums)));
        }
    }
    chains.push(vec![("example compare".into(), Box::new(|out| check_compare(&out.join("compare"))))]);
    chains.push(vec![("example sweep".into(), Box::new(|out| check_sweep(&out.join("sweep"))))]);
    chains.push(vec![("example sweep, stages".into(), Box::new(|out| check_staged_sweep(&out.join("lift"))))]);
    Ok(chains)
}

fn examples() -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir("examples").map_err(|error| format!("examples: {error}"))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut scenes: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    scenes.sort();
    if scenes.is_empty() { Err("there are no examples".into()) } else { Ok(scenes) }
}

/// Runs the binary on one thread, where the command has threads, and returns what it printed.
pub fn stickslip(arguments: &[&str]) -> Result<String, String> {
    program(release("stickslip"), arguments).output()
}

fn check_run(scene: &Path, out: &Path, name: &str) -> Result<u64, String> {
    let folder = out.join("runs").join(name);
    let scene = scene.to_string_lossy();
    // From the folder above `runs`, where the README would have the user be, so that a second stage finds the first.
    let scene = std::path::absolute(scene.as_ref()).map_err(|error| error.to_string())?;
    let arguments = ["run".as_ref(), scene.as_os_str(), "--out".as_ref(), folder.as_os_str()];
    let printed = program(release("stickslip"), &arguments).with(&["--threads", "1"]).within(out).output()?;
    fs::write(out.join(format!("{name}.txt")), printed).map_err(|error| error.to_string())?;
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
    program(release("stickslip"), &["compare", &scene]).with(&variants).output()?;
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
    program(release("stickslip"), &["compare", &scene]).with(&variants).output()?;
    outcomes::piled(&out.join("compare.csv"))?;
    Ok(1)
}

fn check_sweep(out: &Path) -> Result<u64, String> {
    let out_text = out.to_string_lossy();
    let set = ["--set", "contact[*].roll.mu=0,0.1,0.2,0.4", "--set", "contact[*].slide.mu=0.2,0.5", "--seeds", "2"];
    let plot = ["--plot", "roll.mu,potential", "--plot", "roll.mu,slide.mu,potential", "--out", &out_text];
    program(release("stickslip"), &["sweep", "examples/sweep/heap.toml"]).with(&set).with(&plot).output()?;
    for file in ["sweep.html", "sweep.parquet", "runs/0016/report.html"] {
        fs::metadata(out.join(file)).map_err(|error| format!("{file}: {error}"))?;
    }
    outcomes::swept(out)?;
    Ok(1)
}

/// A sweep over the second of two stages runs the first one once.
fn check_staged_sweep(out: &Path) -> Result<u64, String> {
    let out_text = out.to_string_lossy();
    let set = ["--set", "stage[lift].contact[*].roll.mu=0,0.1,0.2,0.4", "--out", &out_text];
    program(release("stickslip"), &["sweep", "examples/sweep/lift.toml"]).with(&set).output()?;
    outcomes::ran_once(out)?;
    Ok(1)
}

/// The angle in the drum of example 07 rises with the rolling friction.
fn check_drums(out: &Path) -> Result<u64, String> {
    let variant = "drum-without-rolling-friction";
    let (file, compared) = (format!("examples/compare/{variant}.toml"), out.join("drums"));
    let command = ["compare", "examples/07-drum.toml", "--only-variants", "--with", &file, "--out"];
    program(release("stickslip"), &command).with(&[&compared.to_string_lossy()]).output()?;
    let folders = [compared.join(variant), out.join("runs/07-drum")];
    for folder in &folders {
        stickslip(&["measure", &folder.to_string_lossy(), "drum", "--from", "1.5"])?;
    }
    outcomes::steeper(&folders[0], &folders[1])?;
    Ok(1)
}

fn check_probe(probe: &Path, out: &Path) -> Result<u64, String> {
    let table = out.join("probe.csv");
    stickslip(&["probe", &probe.to_string_lossy(), "--out", &table.to_string_lossy()])?;
    let text = fs::read_to_string(&table).map_err(|error| error.to_string())?;
    if text.lines().count() > 2 { Ok(1) } else { Err("the table of the probe has no rows".into()) }
}

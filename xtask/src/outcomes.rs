//! What an example must show: closed forms, read off the tables that its run has left.

use std::fs;
use std::path::Path;

/// Checks the run of the example with this name, if there is something to check beyond that it ran.
pub fn check(name: &str, folder: &Path) -> Result<(), String> {
    match name {
        "04-bouncing-ball" => bounces(folder),
        "05-billiard" => billiard(folder),
        "06-spinning-ball" => spins(folder),
        "15-shake" => goes_on(folder),
        _ => Ok(()),
    }
}

/// Every grain starts just where and as fast as the example before has left it; and the box takes them along.
fn goes_on(folder: &Path) -> Result<(), String> {
    let before = folder.with_file_name("14-settle");
    for id in (5..345).step_by(17) {
        for name in ["x", "z", "vx", "wy"] {
            let (old, new) = (last(&column(&before, id, name)?)?, column(folder, id, name)?);
            near(&format!("{name} of body {id} at the start"), new.first().copied().unwrap_or(f64::NAN), old, 0.0)?;
        }
    }
    // After six periods, but for the step in which they end: 2 pi f A = 0.28 m/s times a step of some 2e-5 s.
    near("x of the floor at the end", last(&column(folder, 0, "x")?)?, 0.0, 1e-5)
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

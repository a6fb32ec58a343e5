//! What an example must show: closed forms, read off the tables that its run has left.

use std::path::Path;

use crate::examples::stickslip;
use crate::table::Table;

/// Checks the run of the example with this name, if there is something to check beyond that it ran.
pub fn check(name: &str, folder: &Path) -> Result<(), String> {
    match name {
        "04-bouncing-ball" => bounces(folder),
        "05-billiard" => billiard(folder),
        "06-spinning-ball" => spins(folder),
        "07-drum" => drum(folder),
        "08-hopper" => hopper(folder),
        "09-shear-box" => shear_box(folder),
        "10-chute" => chute(folder),
        "11-conveyor" => conveyor(folder),
        "17-stop-and-go" => stop_and_go(folder),
        "13-shake" => goes_on(folder),
        "14-jam" => jams(folder),
        "15-shear" => shears(folder),
        "18-lifted-tube" => lifts(folder),
        "20-rigid" => rests_in_a_box(folder),
        "23-dominoes" => fall_one_after_the_other(folder),
        _ => Ok(()),
    }
}

/// The tube rises by its velocity times the time since its stage began; rows of the series, which tell when, are 5 ms apart: 0.75 mm. Its grains
/// then make a heap: its slope lies below the angle at which they slide on each other, atan(0.6) = 31 degrees, and is none of a puddle.
fn lifts(folder: &Path) -> Result<(), String> {
    let series = Table::read(folder, "series.csv")?;
    let (times, stages) = (series.numbers("time")?, series.numbers("stage")?);
    let begins =
        |stage: f64| stages.iter().position(|own| *own == stage).map(|row| times[row]).ok_or("a stage is missing");
    let (lift, rest) = (begins(2.0)?, begins(3.0)?);
    near("duration of the lift", rest - lift, 0.8, 0.005)?;
    let (times, heights) = (column(folder, 1, "time")?, column(folder, 1, "z")?);
    near("height of the tube when it was last there", last(&heights)?, 0.06 + 0.15 * (last(&times)? - lift), 8e-4)?;
    if last(&times)? > rest {
        return Err("the tube is still there".into());
    }
    let printed = stickslip(&["measure", &folder.to_string_lossy(), "repose", "--json"])?;
    let angle = printed.split_once("\"angle\"").and_then(|(_, rest)| {
        rest.trim_start_matches([':', ' ', '{', '\n']).split([',', '}', '\n']).next()?.trim().parse::<f64>().ok()
    });
    let angle = angle.ok_or(format!("no angle in {printed}"))?;
    println!("angle of repose of the heap that the tube leaves: {angle:.1} degrees");
    if angle > 5.0 && angle < 31.0 { Ok(()) } else { Err(format!("angle of repose {angle}")) }
}

/// At rest floor and walls carry the weight of all balls, each but for the tolerance: a body may gain so much speed in a step, 0.01 g h,
/// so the forces on it may be off by a hundredth of its weight. No step was left unsolved, and no two bodies overlap by more than
/// the balls move in a step at the tolerance, times the steps that it may take to push them apart again.
fn rests_in_a_box(folder: &Path) -> Result<(), String> {
    let series = Table::read(folder, "series.csv")?;
    let end = |name: &str| last(&series.numbers(name)?);
    near("steps that were not solved", end("unsolved")?, 0.0, 0.0)?;
    near("bodies that entered", end("entered")?, 400.0, 0.0)?;
    near("the deepest overlap over the least radius", end("penetration")? / 0.015, 0.0, 1e-3)?;
    let masses = Table::read(folder, "bodies-fixed.csv")?.numbers("mass")?;
    let weight = 9.81 * masses.iter().filter(|mass| mass.is_finite()).sum::<f64>();
    let carried = (0..5).map(|id| last(&column(folder, id, "fz")?)).sum::<Result<f64, String>>()?;
    near("what floor and walls carry over the weight", -carried / weight, 1.0, 0.01)
}

/// Each of twenty dominoes passes 5 degrees after the one before it; at the end all lie, and no step was left unsolved.
fn fall_one_after_the_other(folder: &Path) -> Result<(), String> {
    near("steps that were not solved", last(&Table::read(folder, "series.csv")?.numbers("unsolved")?)?, 0.0, 0.0)?;
    let mut before = 0.0;
    for id in 1..=20 {
        // The sine of half the angle about y.
        let (times, lean) = (column(folder, id, "time")?, column(folder, id, "qy")?);
        let falls = lean.iter().position(|qy| *qy > 0.0436).ok_or(format!("domino {id} does not fall"))?;
        if times[falls] <= before {
            return Err(format!("domino {id} falls at {} s, the one before it at {before} s", times[falls]));
        }
        before = times[falls];
        // On the next one or on the table: 60 degrees at least.
        if last(&lean)? < 0.5 {
            return Err(format!("domino {id} leans on something: qy is {}", last(&lean)?));
        }
    }
    near("time at which the last one falls (s)", before, 0.87, 0.05)
}

/// Every grain starts just where and as fast as the example before has left it; and the box takes them along.
fn goes_on(folder: &Path) -> Result<(), String> {
    let before = folder.with_file_name("12-settle");
    for id in (5..345).step_by(17) {
        for name in ["x", "z", "vx", "wy"] {
            let (old, new) = (last(&column(&before, id, name)?)?, column(folder, id, name)?);
            near(&format!("{name} of body {id} at the start"), new.first().copied().unwrap_or(f64::NAN), old, 0.0)?;
        }
    }
    // After six periods, but for the step in which they end: 2 pi f A = 0.28 m/s times a step of some 2e-5 s.
    near("x of the floor at the end", last(&column(folder, 0, "x")?)?, 0.0, 1e-5)
}

/// All six components of the stress are those asked for, within the rule that ended the run; the packing holds itself, looser than
/// the closest at random (0.64) and denser than the loosest that Santos et al. (2020) found (0.53).
fn jams(folder: &Path) -> Result<(), String> {
    let series = Table::read(folder, "series.csv")?;
    let end = |name: &str| last(&series.numbers(name)?);
    for axes in ["xx", "yy", "zz", "xy", "xz", "yz"] {
        let target = if axes.starts_with(&axes[1..]) { 1e-3 } else { 0.0 };
        near(&format!("stress {axes}"), end(&format!("pressure_{axes}"))?, target, 1e-4 * 1e-3)?;
    }
    near("volume fraction", end("volume_fraction")?, 0.585, 0.055)?;
    near("kinetic energy of a grain that is no rattler", end("kinetic_per_body")?, 0.0, 1e-12)
}

/// It begins where the packing ended, keeps its volume (every step to rounding: 5e4 times 1e-15), and is sheared by a half.
fn shears(folder: &Path) -> Result<(), String> {
    let [before, series] = [&folder.with_file_name("14-jam"), folder].map(|at| Table::read(at, "series.csv"));
    let (before, series) = (before?, series?);
    let fractions = series.numbers("volume_fraction")?;
    let packed = last(&before.numbers("volume_fraction")?)?;
    near("volume fraction at the start", fractions.first().copied().unwrap_or(f64::NAN), packed, 0.0)?;
    near("volume fraction at the end", last(&fractions)?, packed, 1e-9)?;
    near("strain", last(&series.numbers("strain_xy")?)?, 0.5, 1e-9)?;
    let (cell, side) = (series.numbers("cell_bx")?, last(&series.numbers("cell_ax")?)?);
    if cell.iter().all(|lean| lean.abs() <= 0.6 * side) { Ok(()) } else { Err("the cell leans too far".into()) }
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

/// Angular momentum about the axis: the grains' weight turns them by m g x, and the drum carries that, so on the mean over the
/// steady half of the run the torque on all walls is m g x. What a mean of n samples may be off by is their spread over
/// sqrt(n); three times that, of both means. The angular momentum itself changes by less than m R v/T, a thousandth.
fn drum(folder: &Path) -> Result<(), String> {
    let (bodies, walls) = (Table::read(folder, "bodies.csv")?, Table::read(folder, "walls.csv")?);
    let fixed = Table::read(folder, "bodies-fixed.csv")?;
    let masses: Vec<f64> = fixed.numbers("mass")?;
    let by_time = |table: &Table, value: &dyn Fn(usize) -> Result<f64, String>| -> Result<Vec<f64>, String> {
        let times = table.numbers("time")?;
        let mut sums: Vec<(f64, f64)> = Vec::new();
        for (row, &time) in times.iter().enumerate().filter(|(_, time)| **time >= 1.5) {
            match sums.last_mut() {
                Some(last) if last.0 == time => last.1 += value(row)?,
                _ => sums.push((time, value(row)?)),
            }
        }
        Ok(sums.into_iter().map(|sum| sum.1).collect())
    };
    let (ids, xs, torques) = (bodies.numbers("id")?, bodies.numbers("x")?, walls.numbers("ty")?);
    let weight = |row: usize| {
        let mass = masses[ids[row] as usize];
        Ok(if mass.is_finite() { mass * 9.81 * xs[row] } else { 0.0 })
    };
    let (turned, carried) = (by_time(&bodies, &weight)?, by_time(&walls, &|row| Ok(torques[row]))?);
    let (turned, carried) = (Mean::of(&turned), Mean::of(&carried));
    near("torque on the drum", carried.mean, turned.mean, 3.0 * (carried.error + turned.error))?;
    if turned.mean.abs() > 10.0 * turned.error { Ok(()) } else { Err("the grains do not lean to one side".into()) }
}

/// Every body that has entered is there or has left, and in the end most have left.
fn hopper(folder: &Path) -> Result<(), String> {
    let series = conserved(folder, 0.0, 2.0)?;
    let left = last(&series.numbers("left")?)?;
    if left > 800.0 { Ok(()) } else { Err(format!("only {left} of 1500 grains have left the hopper")) }
}

/// The lid carries what the servo asks for: within 1 % on the mean, once it has settled.
fn shear_box(folder: &Path) -> Result<(), String> {
    let walls = Table::read(folder, "walls.csv")?;
    let (ids, times, forces) = (walls.numbers("id")?, walls.numbers("time")?, walls.numbers("fz")?);
    let settled = (0..ids.len()).filter(|&row| ids[row] == 7.0 && times[row] > 0.4);
    let forces: Vec<f64> = settled.map(|row| forces[row]).collect();
    near("mean force on the lid", Mean::of(&forces).mean, 20.0, 0.2)
}

/// All grains are there or have left, and those that are there rest: the kinetic energy is that of the rule that ends the run.
fn chute(folder: &Path) -> Result<(), String> {
    let series = conserved(folder, 500.0, 5.0)?;
    let (kinetic, bodies) = (last(&series.numbers("kinetic")?)?, last(&series.numbers("bodies")?)?);
    let most = 1e-10 * bodies;
    if kinetic <= most { Ok(()) } else { Err(format!("kinetic energy {kinetic} J at the end, expected below {most}")) }
}

/// The pile stands beyond the roller and below it.
fn conveyor(folder: &Path) -> Result<(), String> {
    conserved(folder, 0.0, 5.0)?;
    let bodies = Table::read(folder, "bodies.csv")?;
    let (times, x, z) = (bodies.numbers("time")?, bodies.numbers("x")?, bodies.numbers("z")?);
    let end = last(&times)?;
    let piled = (0..times.len()).filter(|&row| times[row] == end && x[row] > 0.02 && z[row] < 0.1 && z[row] > 0.0);
    let piled = piled.count();
    if piled > 300 { Ok(()) } else { Err(format!("only {piled} grains on the pile")) }
}

/// Each move takes what lies on the belt 0.1 m further, by the integral of the belt's speed.
fn stop_and_go(folder: &Path) -> Result<(), String> {
    conserved(folder, 0.0, 1.0)?;
    let bodies = Table::read(folder, "bodies.csv")?;
    let (times, ids, x) = (bodies.numbers("time")?, bodies.numbers("id")?, bodies.numbers("x")?);
    let at = |time: f64| {
        let rows = (0..times.len()).filter(|&row| (times[row] - time).abs() < 0.01);
        rows.map(|row| (ids[row] as u64, x[row])).collect::<Vec<_>>()
    };
    for (before, after, grains) in [(0.7, 1.4, 60), (2.1, 2.8, 120), (3.5, 4.2, 180)] {
        let (before, after) = (at(before), at(after));
        let way = |&(id, x): &(u64, f64)| after.iter().find(|row| row.0 == id).map(|row| row.1 - x);
        let mut ways: Vec<f64> = before.iter().filter(|row| row.0 > 0).filter_map(way).collect();
        ways.sort_by(f64::total_cmp);
        // One or two may roll off the belt. The middle one: some at the foot of a heap roll a little.
        if ways.len() + 3 < grains {
            return Err(format!("only {} of {grains} grains are on the belt", ways.len()));
        }
        near("the way of the grains on the belt", ways[ways.len() / 2], 0.1, 1e-6)?;
    }
    Ok(())
}

/// Every row of the series: what was there at the start and what has entered is there or has left.
fn conserved(folder: &Path, grains: f64, walls: f64) -> Result<Table, String> {
    let series = Table::read(folder, "series.csv")?;
    let (bodies, entered, left) = (series.numbers("bodies")?, series.numbers("entered")?, series.numbers("left")?);
    for ((bodies, entered), left) in bodies.iter().zip(&entered).zip(&left) {
        near("bodies that are there or have left", bodies - walls + left, grains + entered, 0.0)?;
    }
    Ok(series)
}

/// The mean angle in the second drum is larger than in the first: by more than three times the error of their difference, which
/// chance exceeds once in 700. Angles of neighbouring times are not independent (the surface of the drum is renewed in about 0.5 s, ten
/// records), so the error of a mean of n of them is their spread over sqrt(n/10).
pub fn steeper(first: &Path, second: &Path) -> Result<(), String> {
    let mean = |folder: &Path| Ok::<_, String>(Mean::of(&Table::read(folder, "measure-drum.csv")?.numbers("angle")?));
    let (first, second) = (mean(first)?, mean(second)?);
    let error = (10.0 * (first.error * first.error + second.error * second.error)).sqrt();
    println!("angles in the drum: {:.1} and {:.1} degrees, +- {error:.1}", first.mean, second.mean);
    if second.mean - first.mean > 3.0 * error {
        return Ok(());
    }
    Err(format!("the angle does not rise with the rolling friction: {} and {} +- {error}", first.mean, second.mean))
}

/// A mean and the error of it: the spread over the root of the number.
struct Mean {
    mean: f64,
    error: f64,
}

impl Mean {
    fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
        Mean { mean, error: (square / count).sqrt() }
    }
}

/// Springs come to rest, a constant torque does not. It shakes a grain by the torque of half a step, w = M dt/2I with M =
/// mu R_eff N = 0.2 * 2.5 mm * 0.013 N (the weight of one), dt = 2e-5 s and I = 1.3e-8 kg m^2: 5e-3 rad/s, some 2e-13 J a
/// grain, 6e-11 J for 400 of them (2e-9 seen: inner grains carry more than their weight). Springs lose energy at some rate
/// for ever; six orders of magnitude below is at rest beyond doubt (seven and more seen).
pub fn compared(table: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(table).map_err(|error| format!("compare.csv: {error}"))?;
    let kinetic = |name: &str| of_finished(&text, name, "kinetic");
    let (rests, shakes) = (kinetic("heap")?.max(kinetic("epsd")?), kinetic("constant-torque")?);
    if shakes < 5e-11 || rests > 1e-6 * shakes {
        return Err(format!("kinetic energies: {shakes:e} J with a constant torque, {rests:e} J at most with springs"));
    }
    Ok(())
}

/// A number of a run that finished, in a `compare.csv`.
fn of_finished(table: &str, name: &str, column: &str) -> Result<f64, String> {
    let header: Vec<&str> = table.lines().next().unwrap_or_default().split(',').collect();
    let at = header.iter().position(|&one| one == column).ok_or(format!("no column {column}"))?;
    let row = table.lines().find_map(|line| line.strip_prefix(&format!("{name},finished,")));
    let field = row.ok_or(format!("no {name}"))?.split(',').nth(at - 2).unwrap_or_default();
    field.parse().map_err(|error| format!("{name}, {column}: {error}"))
}

/// The pile under `tracked` and under spring-sliders comes to rest, and has a slope. It shakes under constant torques, as the small heap
/// does (see `compared`: 2e-13 J a grain that bears its own weight, 1e-9 J for 5000). At 1.5 s springs are some five orders of
/// magnitude below and still fall; the shaking goes up and down by a factor of 30 in time, so three orders are asked for. (At 1.2 s
/// they are 1.1e-9 J beside 4.5e-7 J in one of its lulls.)
pub fn piled(table: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(table).map_err(|error| format!("compare.csv: {error}"))?;
    let names = ["pile", "pile-spring-slider", "pile-constant-torque"];
    let mut kinetic = [0.0; 3];
    for (name, kinetic) in names.iter().zip(&mut kinetic) {
        *kinetic = of_finished(&text, name, "kinetic")?;
        let [low, angle, high] = ["repose_low", "repose", "repose_high"].map(|column| of_finished(&text, name, column));
        let (low, angle, high) = (low?, angle?, high?);
        println!("{name}: {kinetic:.1e} J, angle of repose {angle:.1} ({low:.1} to {high:.1}) degrees");
        // No slope at all would be a puddle, more than atan(mu) = 27 degrees would slide.
        if !(low > 5.0 && low <= angle && angle <= high && high < 27.0) {
            return Err(format!("{name}: angle of repose {angle}, from {low} to {high}"));
        }
    }
    let (rests, shakes) = (kinetic[0].max(kinetic[1]), kinetic[2]);
    if shakes < 1e-9 || rests > 1e-3 * shakes {
        return Err(format!("kinetic energies: {shakes:e} J with constant torques, {rests:e} J at most with springs"));
    }
    Ok(())
}

/// The small heap stands higher with rolling friction than without, where sliding friction can hold it. Without rolling
/// friction every grain comes to lie on the floor (98 to 100 contacts seen), the lowest that they can be; a tenth of the grains one
/// diameter above it lift the centre by a fifth of a radius. The least of a seed with must lie a tenth above the most without
/// (26 % seen; seeds differ by 4 %).
pub fn swept(folder: &Path) -> Result<(), String> {
    let table = Table::read(folder, "sweep.csv")?;
    let (roll, slide) = (table.numbers("contact[*].roll.mu")?, table.numbers("contact[*].slide.mu")?);
    let (potential, runs) = (table.numbers("potential")?, table.numbers("run")?);
    near("runs", runs.len() as f64, 16.0, 0.0)?;
    let at = |mu: f64| -> Vec<f64> {
        (0..runs.len()).filter(|&row| roll[row] == mu && slide[row] == 0.5).map(|row| potential[row]).collect()
    };
    let (flat, heap) = (at(0.0).into_iter().fold(0.0, f64::max), at(0.4).into_iter().fold(f64::INFINITY, f64::min));
    println!(
        "potential energy of the small heap: {flat:.3e} J at most without rolling friction, {heap:.3e} J at least with"
    );
    if heap > 1.1 * flat { Ok(()) } else { Err(format!("the heap stands no higher: {heap} J, {flat} J")) }
}

/// All four runs of the sweep were taken up where the first stage ends, 0.5 s or 31,250 steps of 16 us from the start; so it ran
/// once. With rolling friction the heap stands higher than without.
pub fn ran_once(folder: &Path) -> Result<(), String> {
    for run in 1..=4 {
        let json = std::fs::read_to_string(folder.join(format!("runs/000{run}/run.json")));
        let json = json.map_err(|error| format!("run {run}: {error}"))?;
        let resumed = json.split_once("\"resumed\"").map_or("", |(_, rest)| rest);
        if resumed.matches("\"step\":").count() != 1 || !resumed.contains("\"step\": 31250,") {
            return Err(format!("run {run} was not taken up after its first stage, and only there: {resumed}"));
        }
    }
    let table = Table::read(folder, "sweep.csv")?;
    let (potential, seconds) = (table.numbers("potential")?, table.numbers("seconds")?);
    println!("seconds of the runs, the first of which made the first stage: {seconds:.1?}; heaps: {potential:?} J");
    let [flat, .., heap] = potential[..] else { return Err("there are no runs".into()) };
    if heap > flat { Ok(()) } else { Err(format!("the heap stands no higher: {heap} J, {flat} J")) }
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
    let bodies = Table::read(folder, "bodies.csv")?;
    let (ids, values) = (bodies.numbers("id")?, bodies.numbers(name)?);
    Ok(ids.iter().zip(values).filter(|(of, _)| **of == f64::from(id)).map(|(_, value)| value).collect())
}

//! What README.md and GUIDE.md say of the examples' runs, against these runs.
//!
//! A block of output stands behind a comment that names its command, `<!-- printed by: check examples/01-pile.toml -->`. Each of
//! its lines must be printed, in this order; ` ..` stands for anything. Numbers within sentences are put into the sentence
//! here, from the runs' tables, and the sentence must be in the document. An error shows what the document should say.

use std::fs;
use std::path::{Path, PathBuf};

use crate::examples::stickslip;
use crate::table::Table;

/// The check's name.
pub const NAME: &str = "numbers of examples in README and GUIDE";

const MARK: &str = "<!-- printed by: ";

/// Checks all documents against the runs in a folder.
pub fn check(out: &Path, full: bool) -> Result<u64, String> {
    let mut faults = Vec::new();
    let mut count = 0;
    for name in ["README.md", "GUIDE.md", "examples/README.md"] {
        let text = fs::read_to_string(name).map_err(|error| format!("{name}: {error}"))?;
        for (command, block) in printed_blocks(&text) {
            let missing = missing_line(&block, &printed_by(out, command)?);
            faults.extend(missing.map(|line| format!("{name}: `stickslip {command}` does not print: {line}")));
            count += 1;
        }
        let text = folded(&text);
        for sentence in sentences(name, out, full)? {
            if !text.contains(&folded(&sentence)) {
                faults.push(format!("{name} should say: {sentence}"));
            }
            count += 1;
        }
    }
    if faults.is_empty() { Ok(count) } else { Err(faults.join("\n")) }
}

/// The commands that blocks name, with the lines of the block.
fn printed_blocks(text: &str) -> Vec<(&str, Vec<&str>)> {
    let marked = text.split(MARK).skip(1).filter_map(|rest| rest.split_once(" -->"));
    marked
        .map(|(command, rest)| {
            let lines = rest.lines().skip_while(|line| !line.starts_with("```")).skip(1);
            (command, lines.take_while(|line| !line.starts_with("```")).collect())
        })
        .collect()
}

/// What a command prints; that of a run is kept from the example.
fn printed_by(out: &Path, command: &str) -> Result<String, String> {
    let words: Vec<&str> = command.split(' ').collect();
    if let ["run", scene] = words[..] {
        let name = Path::new(scene).file_stem().unwrap_or_default().to_string_lossy();
        return fs::read_to_string(out.join(format!("{name}.txt"))).map_err(|error| format!("{name}.txt: {error}"));
    }
    let place = |word: &str| {
        if word.starts_with("runs/") { out.join(word).to_string_lossy().into_owned() } else { word.into() }
    };
    let words: Vec<String> = words.into_iter().map(place).collect();
    let printed = stickslip(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(printed.replace(&format!("{}/", out.display()), ""))
}

/// The first line of a block that is not printed behind those before it. The document may break lines elsewhere.
fn missing_line(block: &[&str], printed: &str) -> Option<String> {
    let printed = folded(printed);
    let mut rest = printed.as_str();
    let lines = block.iter().filter(|line| !line.trim().is_empty() && !line.starts_with("$ "));
    lines.map(|line| folded(line)).find(|line| {
        let mut parts = line.split(" ..");
        !parts.all(|part| rest.find(part).map(|at| rest = &rest[at + part.len()..]).is_some())
    })
}

/// With single blanks.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

// ---- sentences ----

fn sentences(document: &str, out: &Path, full: bool) -> Result<Vec<String>, String> {
    let pile = Run(out.join("runs/01-pile"));
    match document {
        "README.md" => Ok(vec![pile.shares()?]),
        "GUIDE.md" => {
            let time = format!("here after {:.3} s of simulated time", pile.last("time")?);
            let mut sentences = vec![time, pile.packing()?, pile.layers()?, pile.box_under_the_top()?];
            if full {
                sentences.extend(without_rolling_friction(out, &pile)?);
            }
            Ok(sentences)
        }
        _ => Ok(Vec::new()),
    }
}

/// The folder of a finished run.
struct Run(PathBuf);

impl Run {
    /// The last value of a column of the series.
    fn last(&self, column: &str) -> Result<f64, String> {
        let numbers = Table::read(&self.0, "series.csv")?.numbers(column)?;
        numbers.last().copied().ok_or_else(|| format!("no rows of {column}"))
    }

    /// Lost energy over the potential energy released, in per cent.
    fn share(&self, lost: &str) -> Result<f64, String> {
        let potential = Table::read(&self.0, "series.csv")?.numbers("potential")?;
        let first = potential.first().copied().ok_or("no rows of potential")?;
        Ok(100.0 * self.last(lost)? / (first - self.last("potential")?))
    }

    fn shares(&self) -> Result<String, String> {
        let [normal, slide] = [self.share("lost_normal")?, self.share("lost_slide")?];
        let [roll, spin] = [self.share("lost_roll")?, self.share("lost_spin")?];
        Ok(format!(
            "of the potential energy released, {normal:.0} % went to normal damping, {slide:.0} % to sliding, {roll:.0} % to \
             rolling, {spin:.0} % to spinning"
        ))
    }

    /// Runs `stickslip measure DIR ARGUMENTS --json`.
    fn measured(&self, arguments: &[&str]) -> Result<String, String> {
        let folder = self.0.to_string_lossy();
        stickslip(&[&["measure", &folder], arguments, &["--json"]].concat())
    }

    fn packing(&self) -> Result<String, String> {
        let json = self.measured(&["packing"])?;
        let number = |name: &str| number(&json, name);
        Ok(format!(
            "The same heap has {:.2} contacts a grain, {:.2} without its {} rattlers, and a volume fraction of {:.3} in its core.",
            number("mean_contacts")?,
            number("contacts_without_rattlers")?,
            number("rattlers")?,
            number("volume_fraction")?
        ))
    }

    /// Stress along the axis over the weight above, layer by layer.
    fn layers(&self) -> Result<String, String> {
        self.measured(&["stress"])?;
        let table = Table::read(&self.0, "measure-stress.csv")?;
        let (stress, weight) = (table.numbers("szz")?, table.numbers("weight_above")?);
        let off: Vec<f64> =
            stress.iter().zip(&weight).map(|(stress, weight)| 100.0 * (stress / weight - 1.0)).collect();
        let (lowest, others) = off[..off.len() * 2 / 3].split_first().ok_or("no layers")?;
        let most = others.iter().fold(0.0_f64, |most, off| most.max(off.abs()));
        Ok(format!(
            "agree within {:.0} % up to two thirds of the height, but for the lowest layer, where the stress is {lowest:.0} % \
             above the weight.",
            most.ceil()
        ))
    }

    fn box_under_the_top(&self) -> Result<String, String> {
        let elsewhere = self.0.join("box");
        let place = ["--box", "-0.05,-0.05,0", "0.05,0.05,0.04", "--out", &elsewhere.to_string_lossy()];
        let json = self.measured(&[&["stress"], &place[..]].concat())?;
        let [stress, weight] =
            ["largest_stress_along_the_axis", "weight_above_by_area"].map(|name| number(&json, name));
        let (stress, weight) = (stress?, weight?);
        let less = 100.0 * (1.0 - stress / weight);
        Ok(format!("the largest stress is {stress:.0} Pa where {weight:.0} Pa weigh above, {less:.0} % less"))
    }
}

/// A number of a JSON object.
fn number(json: &str, name: &str) -> Result<f64, String> {
    let after = json.split_once(&format!("\"{name}\":")).ok_or_else(|| format!("no number {name}"))?.1;
    let number: String = after.trim_start().chars().take_while(|c| !matches!(c, ',' | '}' | ']' | '\n')).collect();
    number.parse().map_err(|error| format!("{name}: {number}: {error}"))
}

/// The table beside the heap and the puddle that it becomes without rolling friction.
fn without_rolling_friction(out: &Path, heap: &Run) -> Result<Vec<String>, String> {
    let sweep = out.join("puddle");
    let set = ["--set", "contact[*].roll.mu=0", "--quiet", "--out", &sweep.to_string_lossy()];
    stickslip(&[&["sweep", "examples/01-pile.toml"], &set[..]].concat())?;
    let puddle = Run(sweep.join("runs/0001"));
    let (heap_at, puddle_at) = (places(&heap.0)?, places(&puddle.0)?);
    let row = |what: &str, of: &dyn Fn(&Places) -> f64| {
        format!("| {what} | {:.0} mm | {:.0} mm |", 1e3 * of(&heap_at), 1e3 * of(&puddle_at))
    };
    Ok(vec![
        format!(
            "| at rest after {:.3} s | at {:.1} s, outer grains still rolling |",
            heap.last("time")?,
            puddle.last("time")?
        ),
        row("height of the highest centre", &|places| places.top),
        row("half of the grains within a radius of", &|places| places.radii[places.radii.len() / 2]),
        row("nine tenths within", &|places| places.radii[places.radii.len() * 9 / 10]),
        format!("| lost to rolling | {:.0} % | 0 |", heap.share("lost_roll")?),
    ])
}

/// Where the grains are at a run's end.
struct Places {
    top: f64,
    /// Distances from the axis, rising.
    radii: Vec<f64>,
}

fn places(folder: &Path) -> Result<Places, String> {
    let bodies = Table::read(folder, "bodies.csv")?;
    let [times, ids, x, y, z] = ["time", "id", "x", "y", "z"].map(|name| bodies.numbers(name));
    let (times, ids, x, y, z) = (times?, ids?, x?, y?, z?);
    let end = times.last().copied().ok_or("no rows of bodies")?;
    // The floor has the id 0.
    let rows: Vec<usize> = (0..times.len()).filter(|&row| times[row] == end && ids[row] > 0.0).collect();
    let mut radii: Vec<f64> = rows.iter().map(|&row| (x[row] * x[row] + y[row] * y[row]).sqrt()).collect();
    radii.sort_by(f64::total_cmp);
    Ok(Places { top: rows.iter().map(|&row| z[row]).fold(0.0, f64::max), radii })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_and_compared_line_by_line() {
        let text =
            "a\n<!-- printed by: check x.toml -->\n\n```\n$ stickslip check x.toml\nstep  1 s ..; 3 contacts\n```\nb";
        let blocks = printed_blocks(text);
        assert_eq!(blocks[0].0, "check x.toml");
        assert_eq!(missing_line(&blocks[0].1, "first\nstep 1 s and more; 3 contacts\nlast"), None);
        assert_eq!(missing_line(&blocks[0].1, "step 1 s and more; 4 contacts"), Some("step 1 s ..; 3 contacts".into()));
    }
}

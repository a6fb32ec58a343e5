//! `stickslip probe`: one contact driven through any motion, its loads as a table.

use std::fmt::Write;
use std::path::PathBuf;

use stickslip::probe::ProbeRow;
use stickslip_io::results::figure::Axis;
use stickslip_io::results::multiples::{Line, Multiples, Plot, Series};
use stickslip_io::{probe_file, results};

use crate::{Failure, Outcome, say};

/// The table's columns: motion accumulated; loads on a; tau are couples only, without arm x force.
const COLUMNS: &str = "time,overlap,slide_u,slide_w,roll_u,roll_w,spin,fn,fu,fw,tau_u,tau_w,tau_n,mode";

/// Drive one contact through any motion, as a tribometer does, and print its loads as CSV.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip probe examples/probe-stick-slip.toml --out loads.csv --plot loads.svg")]
pub struct Probe {
    /// The probe file (TOML).
    probe: PathBuf,
    /// Where to write the table; standard output if absent.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the loads as an SVG picture
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

impl Probe {
    /// Reads the probe, runs it, writes its table.
    pub fn execute(&self) -> Outcome {
        let rows = probe_file::load(&self.probe)?.run();
        let table = table(&rows);
        let failed = |error: std::io::Error| Failure::Run(error.to_string());
        if let Some(path) = &self.plot {
            let title = self.probe.file_stem().unwrap_or_default().to_string_lossy();
            results::write_whole(path, plot(&title, &rows).to_svg().as_bytes()).map_err(failed)?;
        }
        match &self.out {
            None => say(&table),
            Some(path) => results::write_whole(path, table.as_bytes()).map_err(failed),
        }
    }
}

fn table(rows: &[ProbeRow]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for row in rows {
        let ([slide_u, slide_w], [roll_u, roll_w]) = (row.slide, row.roll);
        let ([fu, fw], [tau_u, tau_w, tau_n]) = (row.force, row.couple);
        let motion = [row.time, row.overlap, slide_u, slide_w, roll_u, roll_w, row.spin];
        let loads = [row.normal_force, fu, fw, tau_u, tau_w, tau_n];
        for number in motion.into_iter().chain(loads) {
            // Writing to a string cannot fail; {:?} is the shortest text that reads back exactly.
            let _ = write!(text, "{number:?},");
        }
        text.extend(row.mode.map(|mode| mode.letter()));
        text.push('\n');
    }
    text
}

/// The most points of a line.
const POINTS: usize = 2000;

/// A number of a row.
type Number<'a> = &'a dyn Fn(&ProbeRow) -> f64;

/// Whether a number is ever other than zero.
fn moves(rows: &[ProbeRow], number: Number<'_>) -> bool {
    rows.iter().any(|row| number(row) != 0.0)
}

/// One number against another: all rows of a short table, of a long one so many, and the last.
fn curve(rows: &[ProbeRow], name: &str, colour: usize, [x, y]: [Number<'_>; 2]) -> Series {
    let apart = rows.len().div_ceil(POINTS).max(1);
    let some = rows.iter().enumerate().filter(|(k, _)| k % apart == 0 || k + 1 == rows.len());
    Series::line(name, colour, Line::Solid, some.map(|(_, row)| (x(row), y(row))))
}

fn panel(title: &str, [x, y]: [&str; 2], series: Vec<Series>) -> Plot {
    Plot {
        title: title.into(),
        x: Axis::linear(x),
        y: Axis::linear(y),
        x_range: None,
        y_range: None,
        levels: Vec::new(),
        series,
    }
}

/// Loads against time, those that are ever other than zero; `None` if none is.
fn over_time(rows: &[ProbeRow], title: &str, unit: &str, loads: &[(&str, usize, Number<'_>)]) -> Option<Plot> {
    let loaded = loads.iter().filter(|(_, _, load)| moves(rows, load));
    let of = |(name, colour, load): &(&str, usize, Number<'_>)| curve(rows, name, *colour, [&|row| row.time, *load]);
    let series: Vec<Series> = loaded.map(of).collect();
    (!series.is_empty()).then(|| panel(title, ["time (s)", unit], series))
}

/// Friction on a against slide and roll, and all loads against time: only what the probe moves or loads.
fn plot(title: &str, rows: &[ProbeRow]) -> Multiples {
    let mut plots = Vec::new();
    for (k, axis) in ["u", "w"].into_iter().enumerate() {
        let name = format!("sliding force along {axis}");
        let force = |row: &ProbeRow| row.force[k];
        let (slid, rolled) = (|row: &ProbeRow| row.slide[k], |row: &ProbeRow| row.roll[k]);
        let motions: [(&str, &str, Number<'_>); 2] = [("slide", "slid", &slid), ("roll", "rolled", &rolled)];
        for (title, word, motion) in motions {
            if moves(rows, motion) {
                let series = vec![curve(rows, &name, k, [motion, &force])];
                plots.push(panel(title, [&format!("{word} along {axis} (m)"), "force on a (N)"], series));
            }
        }
    }
    plots.extend(over_time(
        rows,
        "forces",
        "force on a (N)",
        &[
            ("sliding force along u", 0, &|row| row.force[0]),
            ("sliding force along w", 1, &|row| row.force[1]),
            ("normal force", 2, &|row| row.normal_force),
        ],
    ));
    plots.extend(over_time(
        rows,
        "torques",
        "couple on a (N m)",
        &[
            ("torque about u", 3, &|row| row.couple[0]),
            ("torque about w", 4, &|row| row.couple[1]),
            ("torque about n", 5, &|row| row.couple[2]),
        ],
    ));
    Multiples { title: title.into(), columns: 2, plots }
}

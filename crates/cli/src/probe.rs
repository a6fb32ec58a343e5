//! `stickslip probe`: one contact driven through any motion, its loads as a table.

use std::fmt::Write;
use std::path::PathBuf;

use stickslip::probe::ProbeRow;
use stickslip_io::{probe_file, results};

use crate::{Failure, Outcome, say};

/// The table's columns: motion accumulated; loads on a; tau are couples only, without arm x force.
const COLUMNS: &str = "time,overlap,slide_u,slide_w,roll_u,roll_w,spin,fn,fu,fw,tau_u,tau_w,tau_n,mode";

/// Drive one contact through any motion, as a tribometer does, and print its loads as CSV.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip probe examples/probe-stick-slip.toml --out loads.csv")]
pub struct Probe {
    /// The probe file (TOML).
    probe: PathBuf,
    /// Where to write the table; standard output if absent.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Probe {
    /// Reads the probe, runs it, writes its table.
    pub fn execute(&self) -> Outcome {
        let rows = probe_file::load(&self.probe)?.run();
        let table = table(&rows);
        match &self.out {
            None => say(&table),
            Some(path) => results::write_whole(path, table.as_bytes()).map_err(|error| Failure::Run(error.to_string())),
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

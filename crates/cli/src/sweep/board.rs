//! The rows of a sweep as its runs end: brought to the table on the disk as they come, and closed with the report.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use stickslip_io::results::sweep::NOT_MEASURED;
use stickslip_io::results::sweep::{FILES, Row, SweepJson, SweepTable};
use stickslip_io::results::sweep_page::SweepPage;
use stickslip_io::results::{RunFolder, write_whole};
use stickslip_io::scene::plural;

use super::go_on_command;

/// The table is written this often at the most: thousands of short runs would else spend their time on it.
const WRITE_EVERY: Duration = Duration::from_millis(500);

/// Where rows are brought to.
pub struct Board<'a> {
    out: &'a Path,
    /// Folders of runs that came to their end go once their rows are on the disk.
    table_only: bool,
    rows: Mutex<Rows>,
}

struct Rows {
    table: SweepTable,
    written: Option<Instant>,
    needless: Vec<PathBuf>,
}

/// What is said at the end.
pub struct Summary {
    /// What there is.
    pub text: String,
    /// What did not end as it should.
    pub bad: Option<String>,
}

impl<'a> Board<'a> {
    pub fn new(table: SweepTable, out: &'a Path, table_only: bool) -> Self {
        let rows = Rows { table, written: None, needless: Vec::new() };
        Board { out, table_only, rows: Mutex::new(rows) }
    }

    /// A row that was there before.
    pub fn keep(&self, number: usize, row: Row, folder: &Path) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if self.table_only && row.is_whole() && folder.exists() {
            rows.needless.push(folder.to_owned());
        }
        rows.table.rows.insert(number, row);
    }

    /// A row of a run that has just ended.
    pub fn add(&self, number: usize, row: Row, folder: &Path) {
        self.keep(number, row, folder);
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.written.is_none_or(|written| written.elapsed() >= WRITE_EVERY) {
            // What cannot be written now is tried again at the end, and is an error then.
            let _ = rows.write(self.out);
        }
    }

    /// Writes the whole table and the report.
    pub fn close(self, json: &SweepJson, title: &str) -> Result<Summary, String> {
        let mut rows = self.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.write(self.out).map_err(|error| error.to_string())?;
        let table = &rows.table;
        table.write_parquet(self.out).map_err(|error| error.to_string())?;
        let page = SweepPage { title, sweep: json, table };
        let (html, no_plot) = match page.to_html() {
            Ok(html) => (html, None),
            Err(error) => {
                let plain = SweepJson { plot: Vec::new(), ..json.clone() };
                (SweepPage { sweep: &plain, ..page }.to_html()?, Some(error))
            }
        };
        write_whole(&self.out.join(FILES[3]), html.as_bytes()).map_err(|error| error.to_string())?;
        let bad = bad_endings(table, json.runs, self.out);
        let no_plot = no_plot.map(|error| format!("--plot: {error}\nGive the command again with another --plot"));
        let bad: Vec<String> = bad.into_iter().chain(no_plot).collect();
        let text = summary(table, json.runs, self.out);
        Ok(Summary { text, bad: (!bad.is_empty()).then(|| bad.join("\n")) })
    }
}

impl Rows {
    fn write(&mut self, out: &Path) -> std::io::Result<()> {
        self.table.write_csv(out)?;
        self.written = Some(Instant::now());
        for folder in self.needless.drain(..) {
            if let Err(error) = RunFolder::remove(&folder) {
                crate::tell(&format!("warning: something needless was left behind: {error}"));
            }
        }
        Ok(())
    }
}

fn summary(table: &SweepTable, runs: usize, out: &Path) -> String {
    let count = |state: &str| table.rows.values().filter(|row| row.state == state).count();
    let counts = ["done", "stopped", "failed", "interrupted"].map(|state| (state, count(state)));
    let mut parts: Vec<String> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(state, count)| format!("{count} {state}")).collect();
    if table.rows.len() < runs {
        parts.push(format!("{} not begun", runs - table.rows.len()));
    }
    let empty = table.rows.values().filter(|row| row.not_measured().is_some()).count();
    if empty > 0 {
        parts.push(format!("{empty} with measurements missing (the column `{NOT_MEASURED}` says why)"));
    }
    let mut text = format!("{}: {}\n\n", plural(runs, "run"), parts.join(", "));
    for (what, file) in [("report", FILES[3]), ("table ", FILES[1]), ("      ", FILES[2])] {
        text += &format!("{what}  {}\n", out.join(file).display());
    }
    text
}

/// What did not end as it should, in words.
fn bad_endings(table: &SweepTable, runs: usize, out: &Path) -> Option<String> {
    /// More than this are left to the table.
    const MOST: usize = 5;
    let bad: Vec<String> = table
        .rows
        .iter()
        .filter(|(_, row)| !row.is_whole() && !row.reason.is_empty())
        .map(|(number, row)| format!("run {number} {}: {}", row.state, row.reason))
        .collect();
    let mut lines: Vec<String> = bad.iter().take(MOST).cloned().collect();
    if bad.len() > MOST {
        lines.push(format!("and {} more, see {}", bad.len() - MOST, out.join(FILES[1]).display()));
    }
    let open = table.rows.values().filter(|row| row.state == "interrupted").count() + runs - table.rows.len();
    if open > 0 {
        lines.push(format!("interrupted with {} to do; go on with {}", plural(open, "run"), go_on_command(out)));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

//! The table of a sweep: one row a run, in `sweep.csv` and `sweep.parquet`, and `sweep.json`, which says what is swept.
//!
//! A row is made from the folder of a run alone: `run.json`, the last row of its series, and measurements of its records. So a
//! run that was kept, resumed or done at once has the same row. Columns: `run`, a column for each KEY, `seed`, `state`, `reason`,
//! `steps`, `time`, `seconds`, then the columns of the series of the runs, then those that were measured. The page is in
//! `sweep_page.rs`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde::{Deserialize, Serialize};

use super::file::{at, csv_field, csv_records, write_whole};
use super::parquet_columns;
use super::record::file_names;
use super::run_json::{Ending, RunJson};
use crate::input::read_text;
use crate::scene::{Record, What};

/// The files of a sweep; the runs are in the folder `runs` beside them.
pub const FILES: [&str; 4] = ["sweep.json", "sweep.csv", "sweep.parquet", "sweep.html"];

/// The largest `sweep.json` and `sweep.csv` that are read (bytes).
const LARGEST: u64 = 1 << 30;

/// A key and the values that it is given, as TOML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swept {
    /// The path in the scene.
    pub key: String,
    /// Its values in order.
    pub values: Vec<String>,
}

/// What `sweep.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepJson {
    /// Always "stickslip": tells the file from others of its name.
    pub program: String,
    /// Version of the program that began it.
    pub version: String,
    /// Commit it was built from, if known.
    pub commit: Option<String>,
    /// The scene file as the user named it.
    pub scene_file: String,
    /// `scene_hash` of its text.
    pub scene_hash: String,
    /// What is swept; the last key changes fastest.
    pub set: Vec<Swept>,
    /// Seeds of each combination.
    pub seeds: u64,
    /// The first of them.
    pub first_seed: u64,
    /// Runs in all.
    pub runs: usize,
    /// Plots that were asked for, as `X,Y` or `X,Y,COLUMN`.
    pub plot: Vec<String>,
    /// What is kept: "all" or "table".
    pub keep: String,
    /// What is measured of each run, as `WHAT` or `WHAT.NUMBER`.
    #[serde(default)]
    pub measure: Vec<String>,
}

impl SweepJson {
    /// Whether it is about the same runs.
    pub fn is_same(&self, other: &SweepJson) -> bool {
        let what = |json: &SweepJson| (json.scene_hash.clone(), json.set.clone(), json.seeds, json.first_seed);
        what(self) == what(other)
    }

    /// Reads the file of a folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let path = folder.join(FILES[0]);
        let text = read_text(&path, LARGEST).map_err(|error| at(&path, error))?;
        let invalid = |what: String| at(&path, io::Error::new(io::ErrorKind::InvalidData, what));
        let json: SweepJson = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if json.program == "stickslip" { Ok(json) } else { Err(invalid("it is not of a stickslip sweep".into())) }
    }

    /// Writes it into a folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        text.push('\n');
        write_whole(&folder.join(FILES[0]), text.as_bytes())
    }
}

/// One run as a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What it was given, one value for each key, as tables show it.
    pub set: Vec<String>,
    /// Its seed.
    pub seed: u64,
    /// `done`, `stopped` (by a rule of the scene), `failed` or `interrupted`.
    pub state: String,
    /// Which rule, or what went wrong; empty for a run that is done.
    pub reason: String,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time (s).
    pub time: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// The last row of its series, then what was measured: columns and fields.
    pub found: Vec<(String, String)>,
}

/// The column that says what could not be measured of a run, and why.
pub const NOT_MEASURED: &str = "not_measured";

impl Row {
    /// The row of a run that has begun.
    pub fn of(set: Vec<String>, seed: u64, run: &RunJson, folder: &Path, records: &[Record]) -> io::Result<Self> {
        let (state, reason) = state(&run.ending);
        let series = records.iter().find(|record| record.what == What::Series).and_then(|r| file_names(r).pop());
        let found = series.map_or(Ok(Vec::new()), |file| last_row(&folder.join(file)))?;
        let (steps, time, seconds) = (run.steps, run.simulated_time, run.wall_seconds);
        Ok(Row { set, seed, state: state.into(), reason, steps, time, seconds, found })
    }

    /// The row of a run that could not even begin, or that could not go on.
    pub fn stuck(set: Vec<String>, seed: u64, state: &str, reason: String) -> Self {
        Row { set, seed, state: state.into(), reason, ..Row::default() }
    }

    /// Adds a measured number; an empty field where there is none. What could not be measured comes last.
    pub fn add_measured(&mut self, column: String, field: String) {
        let last = self.found.iter().position(|(own, _)| own == NOT_MEASURED).unwrap_or(self.found.len());
        self.found.insert(last, (column, field));
    }

    /// Notes what could not be measured, and why.
    pub fn add_not_measured(&mut self, why: &str) {
        match self.found.iter_mut().find(|(column, _)| column == NOT_MEASURED) {
            Some((_, all)) => *all += &format!("; {why}"),
            None => self.found.push((NOT_MEASURED.into(), why.into())),
        }
    }

    /// What could not be measured, and why.
    pub fn not_measured(&self) -> Option<&str> {
        self.found.iter().find(|(column, _)| column == NOT_MEASURED).map(|(_, why)| why.as_str())
    }

    /// Whether the run has come to its end.
    pub fn is_whole(&self) -> bool {
        self.state == "done" || self.state == "stopped"
    }
}

fn state(ending: &Ending) -> (&'static str, String) {
    match ending {
        Ending::Finished => ("done", String::new()),
        Ending::Stopped(rule) => ("stopped", rule.clone()),
        Ending::Failed(message) => ("failed", message.clone()),
        Ending::BrokenOff(message) => ("interrupted", message.clone()),
        Ending::Interrupted | Ending::Running => ("interrupted", String::new()),
    }
}

/// Names and fields of the last row of a record, without its time and step, which a row has from `run.json`.
fn last_row(path: &Path) -> io::Result<Vec<(String, String)>> {
    let parquet = path.extension().is_some_and(|ending| ending == "parquet");
    let read = File::open(path).and_then(|file| if parquet { last_of_parquet(file) } else { last_of_csv(file) });
    let mut fields = read.map_err(|error| at(path, error))?;
    fields.retain(|(name, _)| name != "time" && name != "step");
    Ok(fields)
}

fn last_of_csv(mut file: File) -> io::Result<Vec<(String, String)>> {
    /// More than any row has (bytes): a long table is not read as a whole.
    const TAIL: u64 = 1 << 16;
    let mut header = String::new();
    BufReader::new(&file).read_line(&mut header)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL).max(header.len() as u64)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let tail = String::from_utf8_lossy(&tail);
    // A line without its end is the work of a run that was killed.
    let whole = tail.rfind('\n').map_or("", |end| &tail[..end]);
    let row = whole.rsplit('\n').next().unwrap_or_default();
    let names = header.trim_end().split(',').map(str::to_owned);
    Ok(if row.is_empty() { Vec::new() } else { names.zip(row.split(',').map(str::to_owned)).collect() })
}

fn last_of_parquet(file: File) -> io::Result<Vec<(String, String)>> {
    let reader = SerializedFileReader::new(file)?;
    let Some(last) = reader.num_row_groups().checked_sub(1) else { return Ok(Vec::new()) };
    let group = reader.get_row_group(last)?;
    let Some(row) = group.get_row_iter(None)?.last().transpose()? else { return Ok(Vec::new()) };
    let text = |field: &Field| match field {
        Field::Double(number) => format!("{number:?}"),
        Field::Long(number) => number.to_string(),
        other => other.to_string(),
    };
    Ok(row.get_column_iter().map(|(name, field)| (name.clone(), text(field))).collect())
}

/// The rows of a sweep so far, by the number of the run, from 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepTable {
    /// What is swept.
    pub keys: Vec<String>,
    /// The runs that have begun.
    pub rows: BTreeMap<usize, Row>,
}

impl SweepTable {
    /// An empty table.
    pub fn new(keys: Vec<String>) -> Self {
        SweepTable { keys, rows: BTreeMap::new() }
    }

    /// A table of one run that has these columns, before any run has begun: a number in each that the runs will bring.
    pub fn expected(keys: Vec<String>, set: Vec<String>, found: impl Iterator<Item = String>) -> Self {
        let found = found.filter(|name| name != "time" && name != "step").map(|name| (name, "0".to_owned())).collect();
        let row = Row { set, state: "done".into(), found, ..Row::default() };
        SweepTable { keys, rows: BTreeMap::from([(1, row)]) }
    }

    /// The columns that the runs bring, each where it first stands.
    fn found_columns(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.rows.values().flat_map(|row| &row.found) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// All columns, with their fields; empty where a run has none.
    pub fn columns(&self) -> Vec<(String, Vec<String>)> {
        let column = |name: &str, field: &dyn Fn(usize, &Row) -> String| {
            (name.to_owned(), self.rows.iter().map(|(run, row)| field(*run, row)).collect())
        };
        let mut columns = vec![column("run", &|run, _| run.to_string())];
        for (index, key) in self.keys.iter().enumerate().filter(|(_, key)| *key != "seed") {
            columns.push(column(key, &|_, row| row.set.get(index).cloned().unwrap_or_default()));
        }
        columns.push(column("seed", &|_, row| row.seed.to_string()));
        columns.push(column("state", &|_, row| row.state.clone()));
        columns.push(column("reason", &|_, row| row.reason.clone()));
        columns.push(column("steps", &|_, row| row.steps.to_string()));
        columns.push(column("time", &|_, row| format!("{:?}", row.time)));
        columns.push(column("seconds", &|_, row| format!("{:.3}", row.seconds)));
        for name in self.found_columns() {
            let field = |row: &Row| row.found.iter().find(|(own, _)| own == name).map(|(_, field)| field.clone());
            columns.push(column(name, &|_, row| field(row).unwrap_or_default()));
        }
        columns
    }

    /// The table as CSV.
    pub fn to_csv(&self) -> String {
        let columns = self.columns();
        let line = |fields: Vec<String>| fields.join(",") + "\n";
        let mut csv = line(columns.iter().map(|(name, _)| csv_field(name)).collect());
        for row in 0..self.rows.len() {
            csv += &line(columns.iter().map(|(_, fields)| csv_field(&fields[row])).collect());
        }
        csv
    }

    /// Writes `sweep.csv` into a folder.
    pub fn write_csv(&self, folder: &Path) -> io::Result<()> {
        write_whole(&folder.join(FILES[1]), self.to_csv().as_bytes())
    }

    /// Writes `sweep.parquet` into a folder.
    pub fn write_parquet(&self, folder: &Path) -> io::Result<()> {
        parquet_columns::write(&folder.join(FILES[2]), &self.columns())
    }

    /// Reads `sweep.csv` back, where there is one of the same keys.
    pub fn read_csv(folder: &Path, keys: &[String]) -> io::Result<Self> {
        let (mut table, path) = (SweepTable::new(keys.to_vec()), folder.join(FILES[1]));
        if !fs::exists(&path).map_err(|error| at(&path, error))? {
            return Ok(table);
        }
        let text = read_text(&path, LARGEST).map_err(|error| at(&path, error))?;
        let mut records = csv_records(&text).map(|(_, fields)| fields);
        let header = records.next().unwrap_or_default();
        for fields in records {
            let (run, row) = table.row_of(&header, fields).ok_or_else(|| {
                at(&path, io::Error::new(io::ErrorKind::InvalidData, "it is not the table of this sweep"))
            })?;
            table.rows.insert(run, row);
        }
        Ok(table)
    }

    fn row_of(&self, header: &[String], fields: Vec<String>) -> Option<(usize, Row)> {
        let field = |name: &str| fields.get(header.iter().position(|own| own == name)?);
        let set = self.keys.iter().map(|key| field(key).cloned()).collect::<Option<Vec<_>>>()?;
        let first = header.iter().position(|name| name == "seconds")? + 1;
        let own = header.iter().zip(&fields).skip(first).filter(|(_, field)| !field.is_empty());
        let row = Row {
            set,
            seed: field("seed")?.parse().ok()?,
            state: field("state")?.clone(),
            reason: field("reason")?.clone(),
            steps: field("steps")?.parse().ok()?,
            time: field("time")?.parse().ok()?,
            seconds: field("seconds")?.parse().ok()?,
            found: own.map(|(name, field)| (name.clone(), field.clone())).collect(),
        };
        Some((field("run")?.parse().ok()?, row))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::test_folder;
    use super::*;

    fn table() -> SweepTable {
        let mut table = SweepTable::new(vec!["contact[a,b].mu".into(), "seed".into()]);
        let found = vec![("kinetic".to_owned(), "0.5".to_owned()), ("error".to_owned(), "1e-9".to_owned())];
        let set = |value: &str| vec![value.to_owned(), "3".to_owned()];
        let done = Row { set: set("0"), seed: 3, state: "done".into(), steps: 7, time: 0.1, found, ..Row::default() };
        table.rows.insert(2, done);
        table.rows.insert(1, Row::stuck(set("0.5"), 3, "failed", "body \"a\", at\n0.1 s".into()));
        table
    }

    #[test]
    fn a_table_reads_back_as_it_was_with_gaps_and_odd_reasons() {
        let folder = test_folder("sweep-table");
        let table = table();
        table.write_csv(&folder).unwrap();
        let read = SweepTable::read_csv(&folder, &table.keys).unwrap();
        assert_eq!(read, table);
        assert!(SweepTable::read_csv(&folder, &["other".into()]).is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn parquet_holds_what_the_csv_holds() {
        let folder = test_folder("sweep-parquet");
        let table = table();
        table.write_parquet(&folder).unwrap();
        let reader = SerializedFileReader::new(File::open(folder.join(FILES[2])).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        for (index, (name, fields)) in table.columns().into_iter().enumerate() {
            for (row, field) in rows.iter().zip(&fields) {
                let (own, value) = row.get_column_iter().nth(index).unwrap();
                assert_eq!(*own, name);
                match value {
                    Field::Null => assert_eq!(field, ""),
                    Field::Str(text) => assert_eq!(text, field),
                    Field::Long(number) => assert_eq!(number.to_string(), *field),
                    Field::Double(number) => assert_eq!(*number, field.parse::<f64>().unwrap()),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!(rows.len(), 2);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn rows_stand_by_number_and_the_seed_once() {
        let csv = table().to_csv();
        let header = "run,\"contact[a,b].mu\",seed,state,reason,steps,time,seconds,kinetic,error\n";
        assert!(
            csv.starts_with(&format!("{header}1,0.5,3,failed,\"body \"\"a\"\", at\n0.1 s\",0,0.0,0.000,,\n")),
            "{csv}"
        );
        assert!(csv.ends_with("2,0,3,done,,7,0.1,0.000,0.5,1e-9\n"), "{csv}");
    }

    #[test]
    fn the_last_whole_row_of_a_series_counts() {
        let folder = test_folder("sweep-last");
        let path = folder.join("series.csv");
        let long: String = (0..9000).map(|i| format!("{i}.5,{i},3\n")).collect();
        for (text, expected) in [
            ("time,step,bodies\n0.0,0,3\n0.1,1,4\n", Some("4")),
            ("time,step,bodies\n0.0,0,3\n0.1,1", Some("3")),
            ("time,step,bodies\n", None),
            (&format!("time,step,bodies\n{long}1.0,2,77\n"), Some("77")),
        ] {
            fs::write(&path, text).unwrap();
            let row = last_row(&path).unwrap();
            let expected: Vec<_> =
                expected.map(|bodies| ("bodies".to_owned(), bodies.to_owned())).into_iter().collect();
            assert_eq!(row, expected);
        }
        fs::remove_dir_all(folder).unwrap();
    }
}

//! Tables of a run, CSV or Parquet, read row by row: only the columns that are asked for, only the steps that are wanted.
//!
//! Columns are found by their names, so a table may have more. The column `mode` of contacts, three letters, reads as a
//! number (`mode_number`). A last line of a CSV without its end is the work of a run
//! that was killed: it is left out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use stickslip::contact::Mode;

use crate::input::shown;

fn broken(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Calls `row` for every row of a wanted step with the numbers of `columns`; the first of these must be the step.
pub(super) fn scan(
    path: &Path,
    columns: &[&str],
    wanted: &mut dyn FnMut(u64) -> bool,
    row: &mut dyn FnMut(&[f64]) -> io::Result<()>,
) -> io::Result<()> {
    let parquet = path.extension().is_some_and(|ending| ending == "parquet");
    let read = File::open(path).and_then(|file| {
        if parquet { scan_parquet(file, columns, wanted, row) } else { scan_csv(file, columns, wanted, row) }
    });
    read.map_err(|error| crate::results::file::at(path, error))
}

/// The three letters of a mode as a number of base 3 with the digits `-` 0, `s` 1, `k` 2.
fn mode_number(text: &str) -> Option<f64> {
    let digit = |letter: char| "-sk".find(letter);
    let add = |sum: usize, letter: char| Some(3 * sum + digit(letter)?);
    (text.len() == 3).then(|| text.chars().try_fold(0, add))?.map(|number| number as f64)
}

/// Stick or slip of slide, roll and spin, from the number of a mode.
pub(super) fn modes(number: f64) -> [Mode; 3] {
    let number = number as usize;
    [number / 9, number / 3, number].map(|digits| [Mode::None, Mode::Stick, Mode::Slip][digits % 3])
}

fn places(header: &[&str], columns: &[&str]) -> io::Result<Vec<usize>> {
    let place = |name: &&str| {
        let found = header.iter().position(|have| have == name);
        found.ok_or_else(|| broken(format!("there is no column `{name}` among {}", shown(&header.join(",")))))
    };
    columns.iter().map(place).collect()
}

fn scan_csv(
    file: impl Read,
    columns: &[&str],
    wanted: &mut dyn FnMut(u64) -> bool,
    row: &mut dyn FnMut(&[f64]) -> io::Result<()>,
) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let places = places(&line.trim_end().split(',').collect::<Vec<_>>(), columns)?;
    let mut values = vec![0.0; columns.len()];
    let mode = columns.iter().position(|name| *name == "mode");
    for number in 2.. {
        line.clear();
        if reader.read_line(&mut line)? == 0 || !line.ends_with('\n') {
            break;
        }
        let text = line.trim_end();
        let number_of = |field: &str, mode: bool| {
            let value = if mode { mode_number(field) } else { field.parse().ok() };
            value.ok_or_else(|| broken(format!("line {number}: expected a number, found `{}`", shown(field))))
        };
        // Most rows of a long record are passed over, so only their steps are looked at.
        if !wanted(number_of(text.split(',').nth(places[0]).unwrap_or_default(), false)? as u64) {
            continue;
        }
        let fields: Vec<&str> = text.split(',').collect();
        for (k, (value, &place)) in values.iter_mut().zip(&places).enumerate() {
            *value = number_of(fields.get(place).copied().unwrap_or_default(), Some(k) == mode)?;
        }
        row(&values)?;
    }
    Ok(())
}

fn scan_parquet(
    file: File,
    columns: &[&str],
    wanted: &mut dyn FnMut(u64) -> bool,
    row: &mut dyn FnMut(&[f64]) -> io::Result<()>,
) -> io::Result<()> {
    let reader = SerializedFileReader::new(file)?;
    let header: Vec<String> =
        reader.metadata().file_metadata().schema_descr().columns().iter().map(|c| c.name().to_owned()).collect();
    let places = places(&header.iter().map(String::as_str).collect::<Vec<_>>(), columns)?;
    let mut values = vec![0.0; columns.len()];
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let steps = column(group.as_ref(), places[0])?;
        let chosen: Vec<usize> = (0..steps.len()).filter(|&k| wanted(steps[k] as u64)).collect();
        if chosen.is_empty() {
            continue;
        }
        let table = places.iter().map(|&place| column(group.as_ref(), place)).collect::<io::Result<Vec<_>>>()?;
        for k in chosen {
            for (value, column) in values.iter_mut().zip(&table) {
                *value = *column.get(k).ok_or_else(|| broken("columns of different lengths".into()))?;
            }
            row(&values)?;
        }
    }
    Ok(())
}

/// One column of a group as numbers. The reader panics on some damaged pages (one that needs a dictionary that is not there): an error like
/// any other damage.
fn column(group: &dyn RowGroupReader, place: usize) -> io::Result<Vec<f64>> {
    catch_unwind(AssertUnwindSafe(|| numbers(group, place)))
        .unwrap_or_else(|_| Err(broken(format!("column {place} is damaged"))))
}

fn numbers(group: &dyn RowGroupReader, place: usize) -> io::Result<Vec<f64>> {
    let rows = group.metadata().num_rows() as usize;
    match group.get_column_reader(place)? {
        ColumnReader::DoubleColumnReader(mut reader) => {
            let mut values = Vec::with_capacity(rows);
            reader.read_records(rows, None, None, &mut values)?;
            Ok(values)
        }
        ColumnReader::Int64ColumnReader(mut reader) => {
            let mut values = Vec::with_capacity(rows);
            reader.read_records(rows, None, None, &mut values)?;
            // Steps and ids are far below 2^53.
            Ok(values.into_iter().map(|value| value as f64).collect())
        }
        ColumnReader::ByteArrayColumnReader(mut reader) => {
            let mut values = Vec::with_capacity(rows);
            reader.read_records(rows, None, None, &mut values)?;
            let mode = |text: &ByteArray| text.as_utf8().ok().and_then(mode_number);
            let wrong = || broken(format!("column {place} holds no modes such as `sk-`"));
            values.iter().map(|text| mode(text).ok_or_else(wrong)).collect()
        }
        _ => Err(broken(format!("column {place} holds no numbers"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, columns: &[&str]) -> io::Result<Vec<Vec<f64>>> {
        let mut rows = Vec::new();
        scan_csv(text.as_bytes(), columns, &mut |step| step != 1, &mut |row| {
            rows.push(row.to_vec());
            Ok(())
        })?;
        Ok(rows)
    }

    /// A changed byte in a Parquet file made its reader panic, and `measure` with it.
    #[test]
    fn a_damaged_parquet_file_is_an_error() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/input/damaged-contacts.parquet");
        let columns = ["step", "time", "a", "b", "px", "py", "pz", "nx", "ny", "nz", "fn", "fsx", "fsy", "fsz", "mode"];
        let read = scan_parquet(File::open(path).unwrap(), &columns, &mut |_| true, &mut |_| Ok(()));
        assert!(read.unwrap_err().to_string().contains("is damaged"));
    }

    #[test]
    fn columns_are_found_by_name_and_steps_chosen() {
        let text = "time,step,mode,x\n0.0,0,sk-,1.5\n0.1,1,nonsense,\n0.2,2,---,-3e-5\n0.3,3,ss";
        assert_eq!(rows(text, &["step", "x", "time"]).unwrap(), [[0.0, 1.5, 0.0], [2.0, -3e-5, 0.2]]);
    }

    #[test]
    fn modes_read_as_numbers() {
        let text = "step,mode\n0,sk-\n2,---\n3,kks\n";
        let found: Vec<[Mode; 3]> = rows(text, &["step", "mode"]).unwrap().iter().map(|row| modes(row[1])).collect();
        let (none, stick, slip) = (Mode::None, Mode::Stick, Mode::Slip);
        assert_eq!(found, [[stick, slip, none], [none; 3], [slip, slip, stick]]);
        for wrong in ["sx-", "s", "ssss", "s\u{e9}"] {
            assert!(rows(&format!("step,mode\n0,{wrong}\n"), &["step", "mode"]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_broken_table_says_where() {
        let missing = rows("time,step\n", &["step", "y"]).unwrap_err().to_string();
        assert!(missing.contains("`y`") && missing.contains("time,step"), "{missing}");
        let wrong = rows("step,x\n0,1.0\n2,one\n", &["step", "x"]).unwrap_err().to_string();
        assert!(wrong.contains("line 3") && wrong.contains("one"), "{wrong}");
        assert!(rows("step,x\n0\n", &["step", "x"]).is_err());
    }
}

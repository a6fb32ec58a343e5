//! A table of numbers with a header row, as runs write them. Fields without quotes only.

use std::fs;
use std::path::Path;

/// A table.
pub struct Table {
    name: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file of a folder.
    pub fn read(folder: &Path, name: &str) -> Result<Table, String> {
        let text = fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
        let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut lines = text.lines();
        let header = split(lines.next().unwrap_or_default());
        Ok(Table { name: name.to_owned(), header, rows: lines.map(split).collect() })
    }

    /// A column of numbers; an empty field is not a number.
    pub fn numbers(&self, column: &str) -> Result<Vec<f64>, String> {
        let at = self.header.iter().position(|name| name == column);
        let at = at.ok_or_else(|| format!("{} has no column {column}", self.name))?;
        let number = |row: &Vec<String>| match row.get(at).map(String::as_str) {
            None | Some("") => Ok(f64::NAN),
            Some(text) => text.parse().map_err(|error| format!("{}, {column}: {error}", self.name)),
        };
        self.rows.iter().map(number).collect()
    }
}

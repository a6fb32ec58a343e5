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
        let number = |text: &str| match text {
            "" => Ok(f64::NAN),
            text => text.parse().map_err(|error| format!("{}, {column}: {error}", self.name)),
        };
        self.texts(column)?.into_iter().map(number).collect()
    }

    /// A column as it stands.
    pub fn texts(&self, column: &str) -> Result<Vec<&str>, String> {
        let at = self.header.iter().position(|name| name == column);
        let at = at.ok_or_else(|| format!("{} has no column {column}", self.name))?;
        Ok(self.rows.iter().map(|row| row.get(at).map_or("", String::as_str)).collect())
    }
}

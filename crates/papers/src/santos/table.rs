//! `packings.csv`: one row per packing. The file is replaced as a whole after each, so a run that is stopped keeps its
//! finished packings and a later one continues from them.

use std::fs;
use std::path::{Path, PathBuf};

use stickslip_io::results::write_whole;

use super::packing::{Recipe, Row};
use crate::experiment::{Context, Ended};
use crate::result;

/// The columns.
pub const HEADER: &str =
    "mu_s,mu_r,mu_t,pressure,n,seed,phi,Z,Z_all,rattlers,kinetic_per_body,pressure_error,steps,seconds,drift";

impl Row {
    fn line(&self) -> String {
        let Row { mu, pressure, n, seed, phi, z, z_all, rattlers, kinetic, pressure_error, steps, seconds, drift } =
            self;
        let [slide, roll, spin] = mu;
        format!(
            "{slide},{roll},{spin},{pressure},{n},{seed},{phi},{z},{z_all},{rattlers},{kinetic:e},{pressure_error:e},\
             {steps},{seconds:.3},{drift:e}\n"
        )
    }

    /// None if it is not such a row.
    fn read(line: &str) -> Option<Row> {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != HEADER.split(',').count() {
            return None;
        }
        let number = |k: usize| cells[k].parse::<f64>().ok();
        Some(Row {
            mu: [number(0)?, number(1)?, number(2)?],
            pressure: number(3)?,
            n: cells[4].parse().ok()?,
            seed: cells[5].parse().ok()?,
            phi: number(6)?,
            z: number(7)?,
            z_all: number(8)?,
            rattlers: number(9)?,
            kinetic: number(10)?,
            pressure_error: number(11)?,
            steps: cells[12].parse().ok()?,
            seconds: number(13)?,
            drift: number(14)?,
        })
    }

    /// Whether it is the packing of this recipe.
    pub fn is_of(&self, recipe: &Recipe) -> bool {
        let Recipe { mu, pressure, count, seed, .. } = *recipe;
        (self.mu, self.pressure, self.n, self.seed) == (mu, pressure, count, seed)
    }
}

/// Rows as a file has them.
pub fn to_csv<'a>(rows: impl IntoIterator<Item = &'a Row>) -> String {
    rows.into_iter().fold(format!("{HEADER}\n"), |text, row| text + &row.line())
}

/// Opens the tables of an experiment in its folder, with the rows that an earlier call finished if this one continues it.
pub fn open_all(context: &Context, files: &[&str]) -> Result<Vec<Table>, Ended> {
    let open = |file: &&str| Table::open(&context.folder.join(file), context.go_on);
    let tables = files.iter().map(open).collect::<Result<_, _>>()?;
    result::begin(context.folder, context.scale, if context.go_on { &[] } else { files }).map_err(Ended::failed)?;
    Ok(tables)
}

/// A table on the disk.
pub struct Table {
    path: PathBuf,
    rows: Vec<Row>,
}

impl Table {
    /// A file, with the rows that it has if `go_on`. A file that is no such table is an error.
    pub fn open(path: &Path, go_on: bool) -> Result<Self, Ended> {
        let mut rows = Vec::new();
        if go_on && path.exists() {
            let text = fs::read_to_string(path).map_err(|e| Ended::Failed(format!("{}: {e}", path.display())))?;
            let mut lines = text.lines();
            let sound = lines.next() == Some(HEADER);
            rows = lines.map_while(Row::read).collect();
            if !sound || rows.len() + 1 != text.lines().count() {
                let wrong = format!("line {} is not as it was written", if sound { rows.len() + 2 } else { 1 });
                return Err(Ended::Failed(format!("{}: {wrong}; `--force` starts anew", path.display())));
            }
        }
        Ok(Table { path: path.to_owned(), rows })
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a recipe.
    pub fn find(&self, recipe: &Recipe) -> Option<&Row> {
        self.rows.iter().find(|row| row.is_of(recipe))
    }

    /// Adds a row, and brings the file to the disk.
    pub fn add(&mut self, row: Row) -> Result<(), Ended> {
        self.rows.push(row);
        write_whole(&self.path, to_csv(&self.rows).as_bytes()).map_err(Ended::failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seed: u64) -> Row {
        Row {
            mu: [0.3, 0.1, 0.0],
            pressure: 1e-4,
            n: 1000,
            seed,
            phi: 0.1 + 0.2,
            z: 4.0 / 3.0,
            z_all: f64::NAN,
            rattlers: 0.25,
            kinetic: 1.5e-13,
            pressure_error: 1e-300,
            steps: 12,
            seconds: 1.5,
            drift: 2.5e-17,
        }
    }

    #[test]
    fn rows_read_back_to_the_bit_and_are_found() {
        let folder = std::env::temp_dir().join(format!("stickslip-papers-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("packings.csv");
        let mut table = Table::open(&path, true).unwrap();
        table.add(row(1)).unwrap();
        table.add(row(2)).unwrap();
        let again = Table::open(&path, true).unwrap();
        let bits = |row: &Row| (row.phi.to_bits(), row.z.to_bits(), row.kinetic.to_bits(), row.drift.to_bits());
        assert_eq!(
            again.rows().iter().map(bits).collect::<Vec<_>>(),
            table.rows().iter().map(bits).collect::<Vec<_>>()
        );
        let recipe = Recipe::new([0.3, 0.1, 0.0], 1000, 2);
        assert_eq!(again.find(&recipe).map(|row| row.seed), Some(2));
        assert!(
            again.find(&Recipe { seed: 3, ..recipe }).is_none() && again.find(&Recipe { count: 9, ..recipe }).is_none()
        );
        assert!(Table::open(&path, false).unwrap().rows().is_empty());
        // What is no row is not silently made anew, after days of work.
        fs::write(&path, format!("{HEADER}\n{}nonsense\n", row(1).line())).unwrap();
        let error = Table::open(&path, true).err();
        assert!(matches!(&error, Some(Ended::Failed(why)) if why.contains("line 3")), "{error:?}");
        fs::remove_dir_all(folder).unwrap();
    }
}

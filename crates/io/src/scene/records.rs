//! `[[record]]` tables: what a run writes, and how often.

use crate::input::{Item, Place, Result, Table, shown};
use crate::results::checkpoints::AUTO;

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Every body's position, motion and load.
    Bodies,
    /// Every touching contact and its loads.
    Contacts,
    /// The same as of bodies, of walls only: the force and torque on each.
    Walls,
    /// Sums over the world: energies, counts.
    Series,
    /// Every joint's motion and loads.
    Joints,
    /// A file of the whole state for a viewer, one each time.
    Snapshot,
    /// The whole state, to go on from; the last two are kept.
    Checkpoint,
}

impl What {
    /// The word of the scene file.
    pub fn word(self) -> &'static str {
        match self {
            What::Bodies => "bodies",
            What::Contacts => "contacts",
            What::Walls => "walls",
            What::Series => "series",
            What::Joints => "joints",
            What::Snapshot => "snapshot",
            What::Checkpoint => "checkpoint",
        }
    }

    /// The formats it may be written in; the first is the default.
    fn formats(self) -> &'static [Format] {
        match self {
            What::Bodies | What::Contacts | What::Walls | What::Series | What::Joints => {
                &[Format::Csv, Format::Parquet]
            }
            What::Snapshot => &[Format::Vtk, Format::Lammps, Format::LammpsData],
            What::Checkpoint => &[Format::Checkpoint],
        }
    }
}

/// How a record is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A table as text.
    Csv,
    /// A table for data frames; it grows as CSV and is made of that when the run ends.
    Parquet,
    /// Snapshots for ParaView, a file each.
    Vtk,
    /// Snapshots as a LAMMPS text dump, all in one file.
    Lammps,
    /// Snapshots as LAMMPS data files, a file each.
    LammpsData,
    /// Sections of numbers, a file each (docs/checkpoint-format.md).
    Checkpoint,
}

impl Format {
    /// The word of the scene file.
    pub fn word(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Vtk => "vtk",
            Format::Lammps => "lammps",
            Format::LammpsData => "lammps-data",
            Format::Checkpoint => "checkpoint",
        }
    }
}

/// How often a record is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Every {
    /// At the first step at or after each multiple of this simulated time (s).
    Time(f64),
    /// At every step.
    Step,
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What it holds.
    pub what: What,
    /// How often it is written.
    pub every: Every,
    /// How it is written.
    pub format: Format,
    /// Stem of its file name.
    pub name: String,
    /// Whether snapshots for ParaView hold the contacts too; false for all other records.
    pub contacts: bool,
}

impl Record {
    /// Whether the world must keep its contacts for this record.
    pub fn holds_contacts(&self) -> bool {
        self.what == What::Contacts || self.contacts
    }

    /// The stems of its files.
    fn stems(&self) -> Vec<String> {
        crate::results::vtp::stems(&self.name, self.contacts)
    }
}

/// The most records a scene may have: each keeps a file open.
const MOST: usize = 256;

/// Reads all `[[record]]` tables.
pub(crate) fn read(top: &Table<'_>) -> Result<Vec<Record>> {
    let mut records: Vec<Record> = Vec::new();
    let mut lines: Vec<usize> = Vec::new();
    for table in top.tables("record")? {
        if records.len() == MOST {
            return Err(table.error(format!("a scene may have at most {MOST} records")));
        }
        let all =
            [What::Bodies, What::Contacts, What::Walls, What::Series, What::Joints, What::Snapshot, What::Checkpoint];
        let words = all.map(|what| (what.word(), what));
        let what = table.need("what", |item| item.choice(&words, &[]))?;
        let every = table.need("every", read_every)?;
        let later: &[&str] = if what == What::Snapshot { &["hdf5"] } else { &[] };
        let formats: Vec<_> = what.formats().iter().map(|format| (format.word(), *format)).collect();
        let format = table.read("format", |item| item.choice(&formats, later))?.unwrap_or(formats[0].1);
        let place = table.optional("name").map_or_else(|| table.place(), |item| item.place());
        let name = table.read("name", read_stem)?.unwrap_or_else(|| what.word().to_owned());
        let contacts = format == Format::Vtk && table.read("contacts", Item::boolean)?.unwrap_or(true);
        table.finish()?;
        if what == What::Checkpoint && name == AUTO {
            let message = format!("a run writes checkpoints of the name \"{AUTO}\" by itself: choose another name");
            return Err(place.error(message));
        }
        let record = Record { what, every, format, name, contacts };
        refuse_twice(&record, &records, &lines, &place)?;
        lines.push(place.line());
        records.push(record);
    }
    Ok(records)
}

fn read_every(item: Item<'_>) -> Result<Every> {
    if item.is_string() {
        return item.choice(&[("step", Every::Step)], &[]);
    }
    item.number_such("a time above zero, or \"step\"", |every| every > 0.0).map(Every::Time)
}

fn refuse_twice(record: &Record, records: &[Record], lines: &[usize], place: &Place<'_>) -> Result<()> {
    for (other, line) in records.iter().zip(lines) {
        let taken = other.stems();
        if let Some(stem) = record.stems().into_iter().find(|stem| taken.contains(stem)) {
            let message = if other.name == record.name {
                format!("a record of the name \"{stem}\" already stands on line {line}")
            } else {
                format!("the record on line {line} writes files of the name \"{stem}\" too")
            };
            return Err(place.error(message).help("name = \"...\" changes the stem of its file"));
        }
    }
    Ok(())
}

/// A stem that is a file name on every system.
pub(crate) fn read_stem(item: Item<'_>) -> Result<String> {
    let place = item.place();
    let name = item.string()?;
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if !plain || name.is_empty() || name.starts_with(['.', '-']) || name.len() > 100 {
        let message = format!("expected a file name of letters, digits, '-', '_' and '.', found \"{}\"", shown(name));
        return Err(place.error(message));
    }
    if name.starts_with("measure-") {
        let message = "`stickslip measure` writes files of names that begin with \"measure-\": choose another name";
        return Err(place.error(message.into()));
    }
    if ["bodies-fixed", "joints-fixed"].contains(&name) {
        return Err(place.error(format!("a run writes {name}.csv by itself: choose another name")));
    }
    Ok(name.to_owned())
}

//! The sections with numbers: little-endian columns of bodies and contacts, and what a state has once (`numbers.rs`).
//!
//! One section per column, so that a few lines of any language read it. A column's length follows from the counts in `numbers`
//! and must be exactly that.

use std::io::{self, Write};

use stickslip::World;
use stickslip::column::{COLUMNS, Column, Columns, Kind, MOST_WIDTH, Of};
use stickslip::joint::JointState;
use stickslip::world::{ContactKey, Remembered, Saved};

use super::format::{Packed, Part, Row};
use super::numbers::{self, NUMBERS};
use super::version1;

/// A section that is there only where some pair has several contacts: a byte for each.
const FEATURES: &str = "contacts.feature";
/// A section that is there only where there are joints: `JointState::NUMBERS` numbers for each.
const JOINTS: &str = "joints";

/// In place of it where some number takes more than a byte: four for each.
const WIDE_FEATURES: &str = "contacts.key";

/// Called with each place of a contact: which, whether it is live, what it remembers.
pub type VisitPlace<'a> = dyn FnMut(ContactKey, bool, &[f64]) -> io::Result<()> + 'a;

/// Writes what a section has of a place.
type WritePlace = fn(ContactKey, bool, &[f64], &mut dyn Write) -> io::Result<()>;

/// A state: one that was read, or a world's, which is not copied for it.
pub trait Source {
    /// All but bodies and contacts.
    fn head(&self) -> &Saved;
    /// How many bodies and places of contacts there are.
    fn counts(&self) -> [usize; 2];
    /// The columns of bodies that it has.
    fn columns(&self) -> Vec<&'static Column>;
    /// How many rows one of them has.
    fn rows_of(&self, column: &Column) -> usize;
    /// One row of a column.
    fn row(&self, column: &Column, index: usize, out: &mut [f64]);
    /// The places of contacts in their order: which, whether it is live, and as many numbers of memory as any has.
    fn contacts(&self, visit: &mut VisitPlace<'_>) -> io::Result<()>;
    /// The largest number by which contacts of two bodies are told apart.
    fn largest_feature(&self) -> u32;
}

impl Source for Saved {
    fn head(&self) -> &Saved {
        self
    }

    fn counts(&self) -> [usize; 2] {
        [self.bodies.len(), self.contacts.len()]
    }

    fn columns(&self) -> Vec<&'static Column> {
        COLUMNS.iter().filter(|column| self.bodies.has(column.name)).collect()
    }

    fn rows_of(&self, column: &Column) -> usize {
        self.bodies.rows_of(column)
    }

    fn row(&self, column: &Column, index: usize, out: &mut [f64]) {
        if let Some(row) = self.bodies.row(column, index) {
            out.copy_from_slice(row);
        }
    }

    fn contacts(&self, visit: &mut VisitPlace<'_>) -> io::Result<()> {
        self.contacts.iter().try_for_each(|(key, live, memory)| visit(key, live, memory))
    }

    fn largest_feature(&self) -> u32 {
        self.contacts.keys.iter().map(|key| key.feature).max().unwrap_or(0)
    }
}

/// A world as it is now.
pub struct Living<'a> {
    world: &'a World,
    head: Saved,
}

impl<'a> Living<'a> {
    /// Of this world.
    pub fn new(world: &'a World) -> Self {
        Living { world, head: world.save_head() }
    }
}

impl Source for Living<'_> {
    fn head(&self) -> &Saved {
        &self.head
    }

    fn counts(&self) -> [usize; 2] {
        [self.world.body_count(), self.world.saved_contact_count()]
    }

    fn columns(&self) -> Vec<&'static Column> {
        self.world.columns().collect()
    }

    fn rows_of(&self, column: &Column) -> usize {
        self.world.column_rows(column)
    }

    fn row(&self, column: &Column, index: usize, out: &mut [f64]) {
        self.world.column_row(column, index, out);
    }

    fn contacts(&self, visit: &mut VisitPlace<'_>) -> io::Result<()> {
        // A row of memory is as long as the longest.
        let mut row = vec![0.0; self.head.stride];
        self.world.visit_contacts(|key, live, numbers| {
            row.fill(0.0);
            row[..numbers.len()].copy_from_slice(numbers);
            visit(key, live, &row)
        })
    }

    fn largest_feature(&self) -> u32 {
        let mut largest = 0;
        let look = |key: ContactKey, _: bool, _: &[f64]| -> Result<(), std::convert::Infallible> {
            largest = largest.max(key.feature);
            Ok(())
        };
        self.world.visit_contacts(look).map_or(0, |()| largest)
    }
}

/// The sections of a state.
pub fn parts<S: Source>(source: &S) -> Vec<Part<'_>> {
    let head = |out: &mut dyn Write| out.write_all(&numbers::bytes(source.head(), source.counts())?);
    let mut parts = vec![Part::new(NUMBERS, head)];
    parts.extend(source.columns().into_iter().map(|column| part_of(source, column)));
    let each = |name, write: WritePlace| {
        Part::new(name, move |out| source.contacts(&mut |key, live, memory| write(key, live, memory, &mut *out)))
    };
    parts.push(each("contacts.a", |key, _, _, out| out.write_all(&key.a.to_le_bytes())));
    parts.push(each("contacts.b", |key, _, _, out| out.write_all(&key.b.to_le_bytes())));
    parts.push(each("contacts.live", |_, live, _, out| out.write_all(&[u8::from(live)])));
    parts.push(each("contacts.memory", |_, _, memory, out| {
        memory.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
    }));
    match source.largest_feature() {
        0 => {}
        1..=255 => parts.push(each(FEATURES, |key, _, _, out| out.write_all(&[key.feature as u8]))),
        _ => parts.push(each(WIDE_FEATURES, |key, _, _, out| out.write_all(&key.feature.to_le_bytes()))),
    }
    let joints = &source.head().joints;
    if !joints.is_empty() {
        parts.push(Part::new(JOINTS, |out| {
            let mut numbers = joints.iter().flat_map(JointState::numbers);
            numbers.try_for_each(|number| out.write_all(&number.to_le_bytes()))
        }));
    }
    parts
}

/// A column of bodies, written row by row.
fn part_of<'a, S: Source>(source: &'a S, column: &'static Column) -> Part<'a> {
    Part::new(column.name, move |out| {
        let mut row = [0.0; MOST_WIDTH];
        let row = &mut row[..column.width];
        for index in 0..source.rows_of(column) {
            source.row(column, index, row);
            row.iter().try_for_each(|&number| write_number(column.kind, number, out))?;
        }
        Ok(())
    })
}

fn write_number(kind: Kind, number: f64, out: &mut dyn Write) -> io::Result<()> {
    match kind {
        Kind::U32 => out.write_all(&(number as u32).to_le_bytes()),
        Kind::I32 => out.write_all(&(number as i32).to_le_bytes()),
        Kind::F32 => out.write_all(&(number as f32).to_le_bytes()),
        Kind::F64 => out.write_all(&number.to_le_bytes()),
    }
}

fn read_number(kind: Kind, bytes: &[u8]) -> Option<f64> {
    Some(match kind {
        Kind::U32 => f64::from(u32::from_le_bytes(bytes.try_into().ok()?)),
        Kind::I32 => f64::from(i32::from_le_bytes(bytes.try_into().ok()?)),
        Kind::F32 => f64::from(f32::from_le_bytes(bytes.try_into().ok()?)),
        Kind::F64 => f64::from_le_bytes(bytes.try_into().ok()?),
    })
}

/// Takes sections by name. Each is unpacked when it is taken, and a column only if it has the length that it should have.
pub struct Sections<'a> {
    all: Vec<Row<'a>>,
}

impl<'a> Sections<'a> {
    /// Of a file.
    pub fn new(all: Vec<Row<'a>>) -> Self {
        Sections { all }
    }

    /// A section that must be there.
    pub fn take(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.take_row(name)?.unpack()
    }

    fn take_row(&mut self, name: &str) -> Result<Row<'a>, String> {
        let at = self.all.iter().position(|section| section.name() == name);
        at.map(|at| self.all.remove(at)).ok_or_else(|| format!("lacks the section `{name}`"))
    }

    /// Whether there is one.
    pub fn has(&self, name: &str) -> bool {
        self.all.iter().any(|section| section.name() == name)
    }

    /// Those that nobody took, still packed.
    pub fn rest(self) -> Result<Vec<Packed>, String> {
        self.all.iter().map(Row::packed).collect()
    }

    /// A column of `count` rows of `width` numbers.
    fn column<const BYTES: usize, T>(
        &mut self,
        name: &str,
        count: usize,
        width: usize,
        read: fn([u8; BYTES]) -> T,
    ) -> Result<Vec<T>, String> {
        let row = self.take_row(name)?;
        let expected = count.checked_mul(width).and_then(|n| n.checked_mul(BYTES));
        if expected.map(|bytes| bytes as u64) != Some(row.raw()) {
            return Err(format!("is damaged: its section `{name}` has {} bytes", row.raw()));
        }
        let bytes = row.unpack()?;
        Ok(bytes.chunks_exact(BYTES).filter_map(|chunk| chunk.try_into().ok().map(read)).collect())
    }

    /// A column of bodies with so many rows, as numbers.
    fn numbers(&mut self, column: &Column, rows: usize) -> Result<Vec<f64>, String> {
        let row = self.take_row(column.name)?;
        let size = column.kind.bytes();
        let expected = rows.checked_mul(column.width).and_then(|n| n.checked_mul(size));
        if expected.map(|bytes| bytes as u64) != Some(row.raw()) {
            return Err(format!("is damaged: its section `{}` has {} bytes", column.name, row.raw()));
        }
        Ok(row.unpack()?.chunks_exact(size).filter_map(|bytes| read_number(column.kind, bytes)).collect())
    }

    /// All numbers of a section that holds whole joints.
    fn take_numbers(&mut self, name: &str) -> Result<Vec<f64>, String> {
        let bytes = self.take(name)?;
        if !bytes.len().is_multiple_of(8 * JointState::NUMBERS) {
            return Err(format!("is damaged: its section `{name}` has {} bytes", bytes.len()));
        }
        Ok(bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
    }

    fn scalars(&mut self, name: &str, count: usize) -> Result<Vec<f64>, String> {
        self.column(name, count, 1, f64::from_le_bytes)
    }
}

/// The saved state in these sections.
pub fn read(sections: &mut Sections<'_>) -> Result<Saved, String> {
    let (mut saved, counts) = read_numbers(sections)?;
    let [n, contacts] = counts;
    saved.bodies = Columns::new(n);
    for column in &COLUMNS {
        if !(column.always || sections.has(column.name)) {
            continue;
        }
        let rows = if column.of == Of::Walls { n.saturating_sub(saved.spheres) } else { n };
        let numbers = sections.numbers(column, rows)?;
        saved.bodies.push(column, numbers);
    }
    let a = sections.column("contacts.a", contacts, 1, u32::from_le_bytes)?;
    let b = sections.column("contacts.b", contacts, 1, u32::from_le_bytes)?;
    let live = sections.column("contacts.live", contacts, 1, u8::from_le_bytes)?;
    let feature = if sections.has(FEATURES) {
        sections.column(FEATURES, contacts, 1, |[byte]: [u8; 1]| u32::from(byte))?
    } else if sections.has(WIDE_FEATURES) {
        sections.column(WIDE_FEATURES, contacts, 1, u32::from_le_bytes)?
    } else {
        vec![0; contacts]
    };
    let keys = (0..contacts).map(|i| ContactKey { a: a[i], b: b[i], feature: feature[i] }).collect();
    let live = live.into_iter().map(|live| live != 0).collect();
    let memory = sections.column("contacts.memory", contacts, saved.stride, f64::from_le_bytes)?;
    saved.contacts = Remembered::from_rows(keys, live, memory, saved.stride);
    if sections.has(JOINTS) {
        let numbers = sections.take_numbers(JOINTS)?;
        saved.joints = numbers.as_chunks().0.iter().map(JointState::of_numbers).collect();
    }
    Ok(saved)
}

/// What a state has once, and how many bodies and places of contacts there are.
fn read_numbers(sections: &mut Sections<'_>) -> Result<(Saved, [usize; 2]), String> {
    if !sections.has(version1::CLOCK) {
        let row = sections.take_row(NUMBERS)?;
        numbers::check_length(row.raw())?;
        return numbers::read(&row.unpack()?);
    }
    let words = sections.column(version1::CLOCK, version1::CLOCK_NUMBERS, 1, u64::from_le_bytes)?;
    let has_cell = sections.has(version1::CELL);
    let cell = has_cell.then(|| sections.scalars(version1::CELL, version1::CELL_NUMBERS)).transpose()?;
    version1::read(&words, cell.as_deref())
}

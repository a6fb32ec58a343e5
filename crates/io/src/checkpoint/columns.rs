//! The sections with numbers: little-endian columns of bodies and contacts, and the clock.
//!
//! One section a column, so that a few lines of any language read it. A column's length follows from the counts that the
//! clock holds and must be exactly that.

use std::io::{self, Write};

use stickslip::World;
use stickslip::column::{COLUMNS, Column, Columns, IMAGES, Kind, MOST_WIDTH, Of};
use stickslip::inflow::Traffic;
use stickslip::ledger::{Carried, Sums};
use stickslip::world::{Saved, SavedContact};

use super::cell;
use super::format::{Packed, Part, Row};

/// A section that is there only with a cell.
const CELL: &str = "cell";
/// A section that is there only where some pair has several contacts.
const FEATURES: &str = "contacts.feature";

/// What a method keeps for the run, by name: there only where that is not just what the clock has.
const METHOD: &str = "method";
/// The entries of the explicit method, which stand in the clock.
const IN_CLOCK: [&str; 3] = ["skin", "smallest", "pressed"];
/// Bytes of an entry's name.
const NAME: usize = 24;
/// The most entries that a method may have.
const MOST_ENTRIES: usize = 4096;

/// Numbers of the clock, eight bytes each.
const CLOCK: usize = 10 + 25;

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
    /// The places of contacts with their memory, in their order.
    fn contacts(&self, visit: &mut dyn FnMut(SavedContact, &[f64]) -> io::Result<()>) -> io::Result<()>;
    /// Whether two bodies may have several contacts, told apart by a number.
    fn has_features(&self) -> bool;
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

    fn contacts(&self, visit: &mut dyn FnMut(SavedContact, &[f64]) -> io::Result<()>) -> io::Result<()> {
        let mut contacts = self.contacts.iter().zip(self.memory.chunks_exact(self.stride.max(1)));
        contacts.try_for_each(|(contact, memory)| visit(*contact, memory))
    }

    fn has_features(&self) -> bool {
        self.contacts.iter().any(|contact| contact.feature != 0)
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

    fn contacts(&self, visit: &mut dyn FnMut(SavedContact, &[f64]) -> io::Result<()>) -> io::Result<()> {
        // A row of memory is as long as the longest.
        let mut row = vec![0.0; self.head.stride];
        self.world.visit_contacts(|key, live, numbers| {
            row.fill(0.0);
            row[..numbers.len()].copy_from_slice(numbers);
            visit(SavedContact { a: key.a, b: key.b, feature: key.feature as u8, live }, &row)
        })
    }

    fn has_features(&self) -> bool {
        let mut any = false;
        let look = |key: stickslip::world::ContactKey, _: bool, _: &[f64]| -> Result<(), std::convert::Infallible> {
            any |= key.feature != 0;
            Ok(())
        };
        self.world.visit_contacts(look).is_ok() && any
    }
}

/// The entries of a method, one after the other: the name, filled up with zeros, then the number.
fn entry_bytes(entries: &[(String, f64)]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(entries.len() * (NAME + 8));
    for (name, number) in entries {
        if !is_name(name.as_bytes()) {
            return Err(io::Error::other(format!("no entry can have the name `{name}`")));
        }
        bytes.extend_from_slice(name.as_bytes());
        bytes.resize(bytes.len() + NAME - name.len(), 0);
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    Ok(bytes)
}

/// The same read back; a name may stand once.
fn entries_of(bytes: &[u8]) -> Result<Vec<(String, f64)>, String> {
    let damaged = |what: &str| format!("is damaged: its section `{METHOD}` {what}");
    let rows = bytes.chunks_exact(NAME + 8);
    if !rows.remainder().is_empty() || rows.len() > MOST_ENTRIES {
        return Err(damaged(&format!("has {} bytes", bytes.len())));
    }
    let mut entries: Vec<(String, f64)> = Vec::with_capacity(rows.len());
    for row in rows {
        let (name, number) = row.split_at(NAME);
        let used = name.iter().position(|&byte| byte == 0).unwrap_or(NAME);
        let (name, padding) = name.split_at(used);
        let name = std::str::from_utf8(name).map_err(|_| damaged("has a name that is none"))?;
        if !is_name(name.as_bytes()) || padding.iter().any(|&byte| byte != 0) {
            return Err(damaged("has a name that is none"));
        }
        if entries.iter().any(|entry| entry.0 == name) {
            return Err(damaged(&format!("has the entry `{name}` twice")));
        }
        let number = number.try_into().map(f64::from_le_bytes).map_err(|_| damaged("ends too early"))?;
        entries.push((name.to_owned(), number));
    }
    Ok(entries)
}

fn is_name(name: &[u8]) -> bool {
    (1..=NAME).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic)
}

/// The sections of a state.
pub fn parts<S: Source>(source: &S) -> Vec<Part<'_>> {
    let saved = source.head();
    let mut parts = vec![Part::new("clock", |out| out.write_all(&clock(source)))];
    // Files have the images of bodies behind the cell.
    let columns = source.columns();
    let (late, early): (Vec<_>, Vec<_>) = columns.into_iter().partition(|column| column.name == IMAGES);
    parts.extend(early.into_iter().map(|column| part_of(source, column)));
    let each = |name, write: fn(SavedContact, &[f64], &mut dyn Write) -> io::Result<()>| {
        Part::new(name, move |out| source.contacts(&mut |contact, memory| write(contact, memory, &mut *out)))
    };
    parts.push(each("contacts.a", |contact, _, out| out.write_all(&contact.a.to_le_bytes())));
    parts.push(each("contacts.b", |contact, _, out| out.write_all(&contact.b.to_le_bytes())));
    parts.push(each("contacts.live", |contact, _, out| out.write_all(&[u8::from(contact.live)])));
    parts.push(each("contacts.memory", |_, memory, out| {
        memory.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
    }));
    if source.has_features() {
        parts.push(each(FEATURES, |contact, _, out| out.write_all(&[contact.feature])));
    }
    if !saved.entries.iter().map(|entry| entry.0.as_str()).eq(IN_CLOCK) {
        parts.push(Part::new(METHOD, |out| out.write_all(&entry_bytes(&saved.entries)?)));
    }
    if let Some(state) = &saved.cell {
        let cell = || cell::numbers(state).into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
        parts.push(Part::new(CELL, move |out| out.write_all(&cell())));
    }
    parts.extend(late.into_iter().map(|column| part_of(source, column)));
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

fn clock(source: &impl Source) -> Vec<u8> {
    let (saved, [bodies, contacts]) = (source.head(), source.counts());
    let counts = [saved.step, bodies as u64, saved.spheres as u64, saved.chunk as u64];
    let contacts = [contacts as u64, saved.stride as u64];
    let mut bytes: Vec<u8> = counts.iter().chain(&contacts).flat_map(|n| n.to_le_bytes()).collect();
    let sums = &saved.sums;
    let [skin, smallest, pressed] = IN_CLOCK.map(|name| saved.entry(name).unwrap_or(0.0));
    let numbers = [saved.dt, skin, smallest, pressed].into_iter();
    let single = [sums.driven, sums.driven_power, sums.local, sums.start];
    let ledger =
        sums.work.into_iter().chain(sums.power).chain(single).chain(sums.stored_at_start).chain(sums.stored_out);
    let carried = &sums.carried;
    let carried_in = [carried.kinetic_in, carried.potential_in];
    let carried_out = [carried.kinetic_out, carried.potential_out, carried.stored_out];
    bytes.extend(numbers.chain(ledger).chain(carried_in).chain(carried_out).flat_map(f64::to_le_bytes));
    bytes
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

    fn scalars(&mut self, name: &str, count: usize) -> Result<Vec<f64>, String> {
        self.column(name, count, 1, f64::from_le_bytes)
    }
}

/// The saved state in these sections.
pub fn read(sections: &mut Sections<'_>) -> Result<Saved, String> {
    let (mut saved, counts) = read_clock(sections)?;
    let [n, contacts] = counts;
    if sections.has(CELL) {
        saved.cell = Some(cell::from_numbers(&sections.scalars(CELL, cell::NUMBERS)?)?);
    }
    saved.bodies = Columns::new(n);
    // Lists are of the method whose entries stand in the clock.
    let listed = !sections.has(METHOD);
    let in_cell = saved.cell.is_some();
    let needed = |column: &&Column| column.always || if column.name == IMAGES { in_cell } else { listed };
    for column in COLUMNS.iter().filter(needed) {
        let rows = if column.of == Of::Walls { n.saturating_sub(saved.spheres) } else { n };
        let numbers = sections.numbers(column, rows)?;
        saved.bodies.push(column, numbers);
    }
    let a = sections.column("contacts.a", contacts, 1, u32::from_le_bytes)?;
    let b = sections.column("contacts.b", contacts, 1, u32::from_le_bytes)?;
    let live = sections.column("contacts.live", contacts, 1, u8::from_le_bytes)?;
    let feature = if sections.has(FEATURES) {
        sections.column(FEATURES, contacts, 1, u8::from_le_bytes)?
    } else {
        vec![0; contacts]
    };
    let contact = |i: usize| SavedContact { a: a[i], b: b[i], feature: feature[i], live: live[i] != 0 };
    saved.contacts = (0..contacts).map(contact).collect();
    if sections.has(METHOD) {
        saved.entries = entries_of(&sections.take(METHOD)?)?;
    }
    saved.memory = sections.column("contacts.memory", contacts, saved.stride, f64::from_le_bytes)?;
    Ok(saved)
}

/// The clock, and how many bodies and contacts there are.
fn read_clock(sections: &mut Sections<'_>) -> Result<(Saved, [usize; 2]), String> {
    let words = sections.column("clock", CLOCK, 1, u64::from_le_bytes)?;
    let count = |at: usize| usize::try_from(words[at]).unwrap_or(usize::MAX);
    let number = |at: usize| f64::from_bits(words[at]);
    let four = |at: usize| [number(at), number(at + 1), number(at + 2), number(at + 3)];
    let sums = Sums {
        work: four(10),
        power: four(14),
        driven: number(18),
        driven_power: number(19),
        local: number(20),
        start: number(21),
        stored_at_start: four(22),
        stored_out: four(26),
        carried: Carried {
            kinetic_in: number(30),
            potential_in: number(31),
            kinetic_out: number(32),
            potential_out: number(33),
            stored_out: number(34),
        },
    };
    let saved = Saved {
        step: words[0],
        dt: number(6),
        sums,
        entries: (7..).zip(IN_CLOCK).map(|(at, name)| (name.to_owned(), number(at))).collect(),
        chunk: count(3),
        spheres: count(2),
        bodies: Columns::default(),
        contacts: Vec::new(),
        stride: count(5),
        memory: Vec::new(),
        traffic: Traffic::default(),
        cell: None,
    };
    if !(saved.dt > 0.0 && saved.dt.is_finite()) {
        return Err(format!("is damaged: its step is {} s", saved.dt));
    }
    if saved.spheres > count(1) {
        return Err("is damaged: it has more spheres than bodies".into());
    }
    Ok((saved, [count(1), count(4)]))
}

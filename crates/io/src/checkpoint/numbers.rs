//! The section `numbers`: every number that a state has once, each with its name. Counts are unsigned, all others f64; both take
//! eight bytes.
//!
//! The engine names the sums of the ledger (`Sums::each`), the numbers of a cell (`CellState::each`) and those that a method keeps
//! (`Saved::entries`), so a new one needs no change here.

use std::io;

use glam::{DMat3, DVec3};
use stickslip::cell::{Cell, CellState, Control, Frame};
use stickslip::clock::Clock;
use stickslip::column::Columns;
use stickslip::inflow::Traffic;
use stickslip::ledger::Sums;
use stickslip::world::{Remembered, Saved};

/// The section's name.
pub const NUMBERS: &str = "numbers";
/// Bytes of a name, and of a row.
const NAME: usize = 40;
const ROW: usize = NAME + 8;
/// The most numbers of a file.
const MOST: usize = 4096;

/// What names of a method's numbers begin with.
const METHOD: &str = "method.";
/// From when steps are counted, where that is not the start of the run: the step, and the time (s).
const SINCE: [&str; 2] = ["clock.step", "clock.time"];
/// In which directions a cell repeats, a bit each; only a state with a cell has it.
const PERIODIC: &str = "cell.periodic";

/// The section of a state with so many bodies and places of contacts.
pub fn bytes(saved: &Saved, [bodies, contacts]: [usize; 2]) -> io::Result<Vec<u8>> {
    let counts = [
        ("step", saved.step),
        ("bodies", bodies as u64),
        ("grains", saved.spheres as u64),
        ("chunk", saved.chunk as u64),
        ("contacts", contacts as u64),
        ("contacts.stride", saved.stride as u64),
        ("dt", saved.dt.to_bits()),
    ];
    let mut rows: Vec<(String, u64)> = counts.map(|(name, word)| (name.to_owned(), word)).into();
    if !saved.clock.is_of_run() {
        rows.push((SINCE[0].into(), saved.clock.step));
        rows.push((SINCE[1].into(), saved.clock.time.to_bits()));
    }
    let mut sums = saved.sums;
    sums.each(&mut |name, numbers| push_group(&mut rows, "ledger", name, numbers));
    if let Some(mut cell) = saved.cell {
        let periodic = (0..3).map(|k| u64::from(cell.frame.periodic[k]) << k).sum();
        rows.push((PERIODIC.into(), periodic));
        cell.each(&mut |name, numbers| push_group(&mut rows, "cell", name, numbers));
    }
    rows.extend(saved.entries.iter().map(|(name, number)| (format!("{METHOD}{name}"), number.to_bits())));
    let mut bytes = Vec::with_capacity(rows.len() * ROW);
    for (name, word) in rows {
        if !is_name(name.as_bytes()) || name == METHOD {
            return Err(io::Error::other(format!("no number can have the name `{name}`")));
        }
        bytes.extend_from_slice(name.as_bytes());
        bytes.resize(bytes.len() + NAME - name.len(), 0);
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    Ok(bytes)
}

fn push_group(rows: &mut Vec<(String, u64)>, part: &str, group: &str, numbers: &[f64]) {
    let name = |k| format!("{part}.{}", name_in_group(group, k, numbers.len()));
    rows.extend(numbers.iter().enumerate().map(|(k, number)| (name(k), number.to_bits())));
}

/// The name of a number in a group: four are by motion.
fn name_in_group(group: &str, k: usize, count: usize) -> String {
    match count {
        1 => group.to_owned(),
        4 => format!("{group}.{}", ["normal", "slide", "roll", "spin"][k]),
        _ => format!("{group}.{k}"),
    }
}

fn is_name(name: &[u8]) -> bool {
    (1..=NAME).contains(&name.len()) && name.iter().all(u8::is_ascii_graphic)
}

/// Checks the length of the section before it is unpacked.
pub fn check_length(bytes: u64) -> Result<(), String> {
    let sound = bytes.is_multiple_of(ROW as u64) && bytes <= (MOST * ROW) as u64;
    if sound { Ok(()) } else { Err(format!("is damaged: its section `{NUMBERS}` has {bytes} bytes")) }
}

/// All of a state but bodies, contacts and traffic; and how many bodies and places of contacts there are.
pub fn read(bytes: &[u8]) -> Result<(Saved, [usize; 2]), String> {
    let mut rows = Rows::of(bytes)?;
    let mut sums = Sums::default();
    // A sum that was added since the file was written is zero.
    rows.read_groups("ledger", &mut |missing| *missing = Some(0), &mut |visit| sums.each(visit))?;
    let cell = rows.take(PERIODIC).map(|periodic| rows.read_cell(periodic)).transpose()?;
    let dt = f64::from_bits(rows.need("dt")?);
    let clock = match rows.take(SINCE[0]) {
        Some(step) => Clock { step, time: f64::from_bits(rows.need(SINCE[1])?) },
        None => Clock::default(),
    };
    let saved = Saved {
        step: rows.need("step")?,
        clock,
        dt,
        sums,
        chunk: rows.need_count("chunk")?,
        spheres: rows.need_count("grains")?,
        bodies: Columns::default(),
        contacts: Remembered::default(),
        stride: rows.need_count("contacts.stride")?,
        joints: Vec::new(),
        traffic: Traffic::default(),
        cell,
        entries: rows.take_method(),
    };
    let counts = [rows.need_count("bodies")?, rows.need_count("contacts")?];
    if let Some((name, _)) = rows.0.first() {
        return Err(format!("has a number `{name}` that this version does not know"));
    }
    check(&saved, counts)?;
    Ok((saved, counts))
}

/// Checks what no other number can make good.
pub fn check(saved: &Saved, [bodies, _]: [usize; 2]) -> Result<(), String> {
    if !(saved.dt > 0.0 && saved.dt.is_finite()) {
        return Err(format!("is damaged: its step is {} s", saved.dt));
    }
    if saved.spheres > bodies {
        return Err("is damaged: it has more spheres than bodies".into());
    }
    Ok(())
}

/// Checks the cell of a file.
pub fn check_cell(cell: &CellState) -> Result<(), String> {
    let damaged = |what: &str| Err(format!("is damaged: its cell {what}"));
    let mut finite = true;
    cell.clone().each(&mut |_, numbers| finite &= numbers.iter().all(|number| number.is_finite()));
    if !finite {
        return damaged("is not finite");
    }
    for volume in [cell.frame.volume(), cell.built.determinant()] {
        if !(volume > 0.0 && volume.is_finite()) {
            return damaged(&format!("has a volume of {volume} m^3"));
        }
    }
    Ok(())
}

/// Called with the name of each group of numbers, and the numbers.
type VisitGroup<'a> = &'a mut dyn FnMut(&'static str, &mut [f64]);

/// The rows that nobody has taken yet.
struct Rows(Vec<(String, u64)>);

impl Rows {
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let damaged = |what: &str| format!("is damaged: its section `{NUMBERS}` {what}");
        let mut rows: Vec<(String, u64)> = Vec::with_capacity(bytes.len() / ROW);
        for row in bytes.chunks_exact(ROW) {
            let (name, word) = row.split_at(NAME);
            let used = name.iter().position(|&byte| byte == 0).unwrap_or(NAME);
            let (name, padding) = name.split_at(used);
            let text = std::str::from_utf8(name).map_err(|_| damaged("has a name that is none"))?;
            if !is_name(name) || padding.iter().any(|&byte| byte != 0) {
                return Err(damaged("has a name that is none"));
            }
            if rows.iter().any(|row| row.0 == text) {
                return Err(damaged(&format!("has the number `{text}` twice")));
            }
            let word = word.try_into().map(u64::from_le_bytes).map_err(|_| damaged("ends too early"))?;
            rows.push((text.to_owned(), word));
        }
        Ok(Rows(rows))
    }

    fn take(&mut self, name: &str) -> Option<u64> {
        let at = self.0.iter().position(|row| row.0 == name)?;
        Some(self.0.remove(at).1)
    }

    fn need(&mut self, name: &str) -> Result<u64, String> {
        self.take(name).ok_or_else(|| format!("lacks the number `{name}`"))
    }

    fn need_count(&mut self, name: &str) -> Result<usize, String> {
        Ok(usize::try_from(self.need(name)?).unwrap_or(usize::MAX))
    }

    /// Fills what `each` visits. `missing` may give a word in place of one that is not there.
    fn read_groups(
        &mut self,
        part: &str,
        missing: &mut dyn FnMut(&mut Option<u64>),
        each: &mut dyn FnMut(VisitGroup),
    ) -> Result<(), String> {
        let mut lacking = None;
        each(&mut |group, numbers| {
            let count = numbers.len();
            for (k, number) in numbers.iter_mut().enumerate() {
                let name = format!("{part}.{}", name_in_group(group, k, count));
                let mut word = self.take(&name);
                if word.is_none() {
                    missing(&mut word);
                }
                match word {
                    Some(word) => *number = f64::from_bits(word),
                    None => lacking = lacking.take().or(Some(name)),
                }
            }
        });
        lacking.map_or(Ok(()), |name| Err(format!("lacks the number `{name}`")))
    }

    fn read_cell(&mut self, periodic: u64) -> Result<CellState, String> {
        if periodic >= 8 {
            return Err("is damaged: its cell does not say in which directions it repeats".into());
        }
        let frame = Frame::new(DMat3::IDENTITY);
        let mut cell = CellState::new(&Cell { frame, control: Control::Fixed }, DVec3::ZERO);
        cell.frame.periodic = std::array::from_fn(|k| periodic >> k & 1 == 1);
        self.read_groups("cell", &mut |_| (), &mut |visit| cell.each(visit))?;
        check_cell(&cell)?;
        Ok(cell)
    }

    fn take_method(&mut self) -> Vec<(String, f64)> {
        let of_method = self.0.extract_if(.., |row| row.0.len() > METHOD.len() && row.0.starts_with(METHOD));
        of_method.map(|(name, word)| (name[METHOD.len()..].to_owned(), f64::from_bits(word))).collect()
    }
}

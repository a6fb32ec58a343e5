//! Grains from LAMMPS: a text dump, or a data file of atom style `sphere`.
//!
//! Positions, radii (or half the diameters), velocities and angular velocities are taken over, in the order of LAMMPS'
//! ids; the box (`lammps_cell.rs`), and types where the scene says which materials they are. Densities and images are not.
//! Does not read binary or compressed dumps, nor scaled coordinates (xs, ys, zs).

use std::ops::Range;

use crate::input::{InputError, Result, shown};
use crate::scene::lammps_cell::{self, FileBox};
use crate::scene::rows::{self, Rows, TYPE, Types};

/// The columns of a dump that are taken, with the index of ours and a factor.
const TAKEN: [(&str, usize, f64); 15] = [
    ("x", 0, 1.0),
    ("y", 1, 1.0),
    ("z", 2, 1.0),
    ("xu", 0, 1.0),
    ("yu", 1, 1.0),
    ("zu", 2, 1.0),
    ("radius", 3, 1.0),
    ("diameter", 3, 0.5),
    ("vx", 4, 1.0),
    ("vy", 5, 1.0),
    ("vz", 6, 1.0),
    ("omegax", 7, 1.0),
    ("omegay", 8, 1.0),
    ("omegaz", 9, 1.0),
    ("type", TYPE, 1.0),
];

/// The sections of a data file that a line of their own begins.
const SECTIONS: [&str; 4] = ["Atoms", "Velocities", "Masses", "PairIJ Coeffs"];

/// One line of the file and where it stands.
pub(super) type Line<'a> = (Range<usize>, &'a str);
/// An atom: its id, its numbers in our columns, and where it stands.
struct Atom {
    id: u64,
    numbers: Vec<f64>,
    span: Range<usize>,
}
/// The box of a file, if it has one; an error where some of it is missing, which matters only if it is asked for.
pub(crate) type BoxOf<E> = std::result::Result<Option<FileBox>, E>;
/// What a file has: the columns, the atoms, its box.
type Found = (Vec<usize>, Vec<Atom>, BoxOf<Fault>);
/// What is wrong, and where.
pub(super) type Fault = (Range<usize>, String);

/// Reads a dump at `timestep` (the last one if absent), or a data file, with types if some are given. `fail` makes an error at
/// a place of the text.
pub(crate) fn read(
    text: &str,
    timestep: Option<u64>,
    types: Option<&Types>,
    fail: impl Fn(Range<usize>, String) -> InputError,
) -> Result<(Rows, BoxOf<InputError>)> {
    let mut start = 0;
    let mut lines: Vec<Line<'_>> = Vec::new();
    for whole in text.split_inclusive('\n') {
        lines.push((start..start + whole.trim_end().len(), whole.trim()));
        start += whole.len();
    }
    let is_dump = lines.iter().find(|(_, line)| !line.is_empty()).is_some_and(|(_, line)| line.starts_with("ITEM:"));
    let read = match (is_dump, timestep) {
        (true, _) => read_dump(&lines, timestep, types.is_some()),
        (false, None) => read_data(&lines, text, types.is_some()),
        (false, Some(_)) => Err((0..0, "a data file has no timesteps: leave `timestep` out".into())),
    };
    let (columns, mut atoms, file_box) = read.map_err(|(span, message)| fail(span, message))?;
    sort_by_id(&mut atoms, text).map_err(|(span, message)| fail(span, message))?;
    let mut list = String::new();
    // Where each line of the list begins, to find the atom that a message is about.
    let mut starts = Vec::new();
    for atom in &atoms {
        starts.push(list.len());
        let text = |(number, column): (&f64, &usize)| {
            if *column == TYPE { format!("{number}") } else { format!("{number:?}") }
        };
        let fields: Vec<String> = atom.numbers.iter().zip(&columns).map(text).collect();
        list += &fields.join(",");
        list.push('\n');
    }
    rows::check_columns(&columns).map_err(|message| fail(0..0, message))?;
    // Signs and ranges are checked as for any list; the place is the atom's line in the file.
    let rows = rows::read(&list, Some(columns), types, |span, message| {
        let atom = atoms.get(starts.partition_point(|start| *start <= span.start).saturating_sub(1));
        fail(atom.map_or(0..0, |atom| atom.span.clone()), message)
    })?;
    Ok((rows, file_box.map_err(|(span, message)| fail(span, message))))
}

/// Puts atoms in the order of their ids and refuses an id that stands twice.
fn sort_by_id(atoms: &mut [Atom], text: &str) -> std::result::Result<(), Fault> {
    // Stable, so that of two lines with one id the later one is the repetition.
    atoms.sort_by_key(|atom| atom.id);
    let Some(pair) = atoms.windows(2).find(|pair| pair[0].id == pair[1].id) else { return Ok(()) };
    let line = 1 + text.as_bytes()[..pair[0].span.start].iter().filter(|byte| **byte == b'\n').count();
    Err((pair[1].span.clone(), format!("the id {} already stands on line {line}", pair[1].id)))
}

pub(super) fn number(field: &str) -> std::result::Result<f64, String> {
    let number = field.parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| format!("expected a number, found \"{}\"", shown(field)))
}

fn whole(field: &str) -> std::result::Result<u64, String> {
    field.parse().map_err(|_| format!("expected a whole number, found \"{}\"", shown(field)))
}

/// The line at which the asked timestep begins; the last one if none is asked for.
fn find_timestep(lines: &[Line<'_>], timestep: Option<u64>) -> std::result::Result<usize, Fault> {
    let mut found = None;
    let mut steps = Vec::new();
    for (i, (_, line)) in lines.iter().enumerate() {
        if *line == "ITEM: TIMESTEP" {
            let (span, value) = lines.get(i + 1).cloned().unwrap_or((0..0, ""));
            let step = whole(value).map_err(|message| (span, message))?;
            steps.push(step);
            if timestep.is_none_or(|asked| asked == step) {
                found = Some(i);
            }
        }
    }
    found.ok_or_else(|| {
        let known: Vec<String> = steps.iter().take(10).map(u64::to_string).collect();
        let asked = timestep.unwrap_or_default();
        (0..0, format!("there is no timestep {asked}; the dump has {}", known.join(", ")))
    })
}

/// The atoms of one timestep.
fn read_dump(lines: &[Line<'_>], timestep: Option<u64>, typed: bool) -> std::result::Result<Found, Fault> {
    let rest = &lines[find_timestep(lines, timestep)?..];
    let item = |name: &str| rest.iter().position(|(_, line)| line.starts_with(name));
    let missing = |name: &str| (rest[0].0.clone(), format!("this timestep has no \"{name}\""));
    let count_at = item("ITEM: NUMBER OF ATOMS").ok_or_else(|| missing("ITEM: NUMBER OF ATOMS"))?;
    let (span, count) = rest.get(count_at + 1).cloned().unwrap_or((0..0, ""));
    let count = whole(count).map_err(|message| (span, message))? as usize;
    let atoms_at = item("ITEM: ATOMS").ok_or_else(|| missing("ITEM: ATOMS"))?;
    let names: Vec<&str> = rest[atoms_at].1.split_whitespace().skip(2).collect();
    let known = TAKEN.iter().filter(|t| typed || t.1 != TYPE);
    let taken: Vec<Option<(usize, f64)>> =
        names.iter().map(|name| known.clone().find(|t| t.0 == *name).map(|t| (t.1, t.2))).collect();
    if typed && !names.contains(&"type") {
        return Err((rest[atoms_at].0.clone(), "the column \"type\" is missing, which `types` is about".into()));
    }
    let file_box = lammps_cell::of_dump(&rest[..atoms_at])?;
    let listed: Vec<&Line<'_>> =
        rest[atoms_at + 1..].iter().take_while(|(_, line)| !line.starts_with("ITEM:") && !line.is_empty()).collect();
    if listed.len() != count {
        return Err((rest[count_at].0.clone(), format!("expected {count} atoms, found {}", listed.len())));
    }
    let atom = |(i, (span, line)): (usize, &&Line<'_>)| -> std::result::Result<Atom, Fault> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let fault = |message: String| (span.clone(), message);
        if fields.len() != names.len() {
            return Err(fault(format!("expected {} fields, found {}", names.len(), fields.len())));
        }
        let mut id = i as u64;
        let mut numbers = Vec::new();
        for ((field, name), taken) in fields.iter().zip(&names).zip(&taken) {
            if *name == "id" {
                id = whole(field).map_err(fault)?;
            }
            if let Some((_, factor)) = taken {
                let value = number(field).map_err(|message| fault(format!("column \"{name}\": {message}")))?;
                numbers.push(factor * value);
            }
        }
        Ok(Atom { id, numbers, span: span.clone() })
    };
    let atoms = listed.iter().enumerate().map(atom).collect::<std::result::Result<_, _>>()?;
    Ok((taken.iter().flatten().map(|(column, _)| *column).collect(), atoms, Ok(file_box)))
}

/// The atoms of a data file.
fn read_data(lines: &[Line<'_>], text: &str, typed: bool) -> std::result::Result<Found, Fault> {
    let mut atoms: Vec<Atom> = Vec::new();
    let mut moving: Vec<Atom> = Vec::new();
    let mut section = "";
    let mut announced: Option<(Range<usize>, u64)> = None;
    // The first line is a title, whatever it says.
    for (span, whole_line) in lines.iter().skip(1) {
        let (line, comment) = whole_line.split_once('#').unwrap_or((whole_line, ""));
        let (line, style) = (line.trim(), comment.trim());
        if line.is_empty() {
            continue;
        }
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            section = SECTIONS.into_iter().find(|name| *name == line).unwrap_or("another");
            if section == "Atoms" && !matches!(style, "" | "sphere") {
                return Err((span.clone(), format!("expected atoms of style sphere, found \"{}\"", shown(style))));
            }
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        let fault = |message: String| (span.clone(), message);
        let numbers = |from: usize, to: usize| fields[from..to].iter().map(|f| number(f)).collect();
        match (section, fields.len()) {
            // id type diameter density x y z, and perhaps three images
            ("Atoms", 7 | 10) => {
                let mut values: Vec<f64> = std::result::Result::<_, String>::map_err(numbers(4, 7), fault)?;
                values.push(0.5 * number(fields[2]).map_err(fault)?);
                if typed {
                    values.push(whole(fields[1]).map_err(fault)? as f64);
                }
                atoms.push(Atom { id: whole(fields[0]).map_err(fault)?, numbers: values, span: span.clone() });
            }
            ("Velocities", 7) => {
                let values = std::result::Result::<_, String>::map_err(numbers(1, 7), fault)?;
                moving.push(Atom { id: whole(fields[0]).map_err(fault)?, numbers: values, span: span.clone() });
            }
            ("Atoms", n) => {
                let what = "id type diameter density x y z, and perhaps three images";
                return Err(fault(format!("expected {what}, found {n} fields")));
            }
            ("Velocities", n) => return Err(fault(format!("expected id vx vy vz wx wy wz, found {n} fields"))),
            ("", 2) if fields[1] == "atoms" => announced = Some((span.clone(), whole(fields[0]).map_err(fault)?)),
            _ => {}
        }
    }
    match announced {
        Some((span, count)) if count != atoms.len() as u64 => {
            return Err((span, format!("expected {count} atoms, found {}: was the file cut off?", atoms.len())));
        }
        None if atoms.is_empty() => {
            let known = "a dump begins with \"ITEM: TIMESTEP\", a data file has a section \"Atoms\"";
            return Err((0..0, format!("this is no text file of LAMMPS: {known}")));
        }
        _ => {}
    }
    join(&mut atoms, moving, text)?;
    let columns = (0..4).chain(typed.then_some(TYPE)).chain(4..10).collect();
    let file_box = lammps_cell::of_data(lines)?;
    Ok((columns, atoms, lammps_cell::missing_line(lines).map_or(Ok(file_box), Err)))
}

/// Puts atoms into the order of their ids and gives them their velocities.
fn join(atoms: &mut Vec<Atom>, mut moving: Vec<Atom>, text: &str) -> std::result::Result<(), Fault> {
    sort_by_id(atoms, text)?;
    sort_by_id(&mut moving, text)?;
    let known = |id: u64| atoms.binary_search_by_key(&id, |atom| atom.id).is_ok();
    if let Some(stray) = moving.iter().find(|atom| !known(atom.id)) {
        return Err((stray.span.clone(), format!("there is no atom {}", stray.id)));
    }
    for atom in atoms {
        // An atom without a line of velocities is at rest, as in LAMMPS.
        match moving.binary_search_by_key(&atom.id, |moving| moving.id) {
            Ok(at) => atom.numbers.extend_from_slice(&moving[at].numbers),
            Err(_) => atom.numbers.extend([0.0; 6]),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    fn read_text(text: &str, timestep: Option<u64>) -> Result<Rows> {
        let source = Source::new("atoms", text);
        read(text, timestep, None, |span, message| source.error(span, message)).map(|(rows, _)| rows)
    }

    /// All grains of a file were of one material, whatever their types.
    #[test]
    fn types_of_dumps_and_data_files_are_taken_where_they_are_asked_for() {
        let types = vec![(1, 0), (2, 3)];
        let typed = |text: &str| {
            let source = Source::new("atoms", text);
            read(text, None, Some(&types), |span, message| source.error(span, message))
        };
        let kinds = |text: &str| typed(text).unwrap().0.rows.iter().map(|row| row.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&DUMP.replace("2 1 0.5 9", "2 2 0.5 9")), [1, 2]);
        let data = "title\n\nAtoms\n\n2 1 0.5 2.5 9 8 7\n1 2 1.0 2.5 1 2 3\n\nVelocities\n\n2 1 2 3 4 5 6\n";
        assert_eq!(kinds(data), [2, 1]);
        assert_eq!(typed(data).unwrap().0.rows[1].velocity.to_array(), [1.0, 2.0, 3.0]);
        let error = typed(&data.replace("1 2 1.0", "1 3 1.0")).unwrap_err();
        assert!(error.line() == Some(6) && error.message().contains("no material for 3"), "{error}");
        assert_eq!(typed(&data.replace("1 2 1.0", "1 C 1.0")).unwrap_err().line(), Some(6));
        let error = typed(&DUMP.replace("id type", "id mol")).unwrap_err();
        assert!(error.line() == Some(19) && error.message().contains("\"type\" is missing"), "{error}");
    }

    const DUMP: &str = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n\
        ITEM: ATOMS id type diameter x y z vx\n1 1 1.0 1 2 3 4\n\
        ITEM: TIMESTEP\n50\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n\
        ITEM: ATOMS id type diameter x y z vx\n2 1 0.5 9 8 7 6\n1 1 1.0 1.5 2 3 4\n";

    #[test]
    fn a_dump_gives_its_last_or_a_named_timestep_by_id() {
        let last = read_text(DUMP, None).unwrap();
        assert_eq!(last.rows.iter().map(|row| row.position.x).collect::<Vec<_>>(), [1.5, 9.0]);
        assert_eq!((last.rows[1].radius, last.rows[1].velocity.x), (Some(0.25), 6.0));
        assert_eq!(read_text(DUMP, Some(0)).unwrap().rows.len(), 1);
        let error = read_text(DUMP, Some(7)).unwrap_err();
        assert!(error.message().contains("no timestep 7; the dump has 0, 50"), "{error}");
    }

    #[test]
    fn a_data_file_gives_radii_and_velocities() {
        let text = "title\n\n2 atoms\n1 atom types\n0 1 xlo xhi\n\nAtoms # sphere\n\n2 1 0.5 2.5 9 8 7 0 0 0\n\
                    1 1 1.0 2.5 1 2 3 0 0 0\n\nVelocities\n\n2 1 2 3 4 5 6\n";
        let rows = read_text(text, None).unwrap();
        assert_eq!(rows.rows[0].position.to_array(), [1.0, 2.0, 3.0]);
        assert_eq!((rows.rows[0].radius, rows.rows[1].radius), (Some(0.5), Some(0.25)));
        assert_eq!(rows.rows[1].angular_velocity.to_array(), [4.0, 5.0, 6.0]);
        let style = read_text(&text.replace("# sphere", "# atomic"), None).unwrap_err();
        assert_eq!(style.line(), Some(7));
        assert_eq!(read_text(&text.replace("1 2 3 0 0 0", "1 2 three 0 0 0"), None).unwrap_err().line(), Some(10));
    }

    #[test]
    fn a_bad_radius_is_reported_at_its_own_line() {
        // It was once reported at the first line of the file.
        let error = read_text(&DUMP.replace("2 1 0.5 9", "2 1 -0.5 9"), None).unwrap_err();
        assert_eq!(error.line(), Some(20), "{error}");
        assert!(error.message().contains("above zero"), "{error}");
        assert_eq!(read_text(&DUMP.replace("1 1 1.0 1.5", "1 1 0 1.5"), None).unwrap_err().line(), Some(21));
        let data = "title\n\nAtoms\n\n2 1 0.5 2.5 9 8 7\n1 1 -1.0 2.5 1 2 3\n";
        assert_eq!(read_text(data, None).unwrap_err().line(), Some(6));
    }

    #[test]
    fn a_data_file_that_was_cut_off_is_refused() {
        // The number of atoms in its head was not looked at: a file cut off in the middle gave fewer grains, without a word.
        let text = "title\n\n2 atoms\n1 atom types\n\nAtoms # sphere\n\n1 1 0.5 2.5 9 8 7\n";
        let error = read_text(text, None).unwrap_err();
        assert!(error.message().contains("expected 2 atoms, found 1"), "{error}");
        assert_eq!(error.line(), Some(3));
        assert_eq!(read_text(&text.replace("2 atoms", "1 atoms"), None).unwrap().rows.len(), 1);
        // A list of grains for `kind = "file"` was said to list none.
        let error = read_text("x,y,z\n1,2,3\n", None).unwrap_err();
        assert!(error.message().contains("no text file of LAMMPS"), "{error}");
    }

    #[test]
    fn an_id_that_stands_twice_is_refused() {
        // Both lines were once taken as atoms of their own.
        let error = read_text(&DUMP.replace("2 1 0.5 9", "1 1 0.5 9"), None).unwrap_err();
        assert_eq!(error.line(), Some(21), "{error}");
        assert!(error.message().contains("the id 1 already stands on line 20"), "{error}");
        let data = "title\n\nAtoms\n\n2 1 0.5 2.5 9 8 7\n1 1 1.0 2.5 1 2 3\n\nVelocities\n\n2 1 2 3 4 5 6\n";
        assert_eq!(read_text(&data.replace("1 1 1.0", "2 1 1.0"), None).unwrap_err().line(), Some(6));
        assert_eq!(read_text(&format!("{data}2 0 0 0 0 0 0\n"), None).unwrap_err().line(), Some(11));
        let stray = read_text(&format!("{data}3 0 0 0 0 0 0\n"), None).unwrap_err();
        assert!(stray.line() == Some(11) && stray.message().contains("no atom 3"), "{stray}");
    }

    #[test]
    fn broken_dumps_are_errors_with_their_line() {
        let line = |from: &str, to: &str| read_text(&DUMP.replace(from, to), None).unwrap_err().line();
        assert_eq!(line("9 8 7 6", "9 8 7"), Some(20));
        assert_eq!(line("9 8 7 6", "9 nan 7 6"), Some(20));
        let scaled = read_text(&DUMP.replace(" x y z", " xs ys zs"), None).unwrap_err();
        assert!(scaled.message().contains("\"x\" is missing"), "{scaled}");
        assert!(read_text(&DUMP.replace("\n2\nITEM", "\n3\nITEM"), None).is_err());
    }
}

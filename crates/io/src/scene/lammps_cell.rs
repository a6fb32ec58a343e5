//! The box of a LAMMPS dump or data file as cell vectors.
//!
//! Reads what `results/lammps_box.rs` writes and what LAMMPS does: ends along the axes, with or without tilts `xy xz yz`, or
//! three vectors and an origin (general triclinic). A dump tells which directions repeat, a data file does not.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::lammps::{Fault, Line, number};
use crate::input::shown;

/// The box of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FileBox {
    /// Its vectors, as columns (m).
    pub vectors: DMat3,
    /// The point that they start from (m).
    pub corner: DVec3,
    /// Along which of them it repeats, where the file tells.
    pub periodic: Option<[bool; 3]>,
}

impl FileBox {
    /// Whether some direction repeats, or may, as far as the file tells.
    pub fn may_repeat(&self) -> bool {
        self.periodic.is_none_or(|periodic| periodic.contains(&true))
    }
}

/// A box by the ends along the axes and by xy, xz, yz.
fn upright(low: DVec3, high: DVec3, [xy, xz, yz]: [f64; 3]) -> FileBox {
    let size = high - low;
    let vectors =
        DMat3::from_cols(DVec3::new(size.x, 0.0, 0.0), DVec3::new(xy, size.y, 0.0), DVec3::new(xz, yz, size.z));
    FileBox { vectors, corner: low, periodic: None }
}

/// The lines of the box in the head of a data file: their words, and what they look like.
const BOX_LINES: [(&[&str], &str); 8] = [
    (&["xlo", "xhi"], "LOW HIGH xlo xhi"),
    (&["ylo", "yhi"], "LOW HIGH ylo yhi"),
    (&["zlo", "zhi"], "LOW HIGH zlo zhi"),
    (&["xy", "xz", "yz"], "XY XZ YZ xy xz yz"),
    (&["avec"], "X Y Z avec"),
    (&["bvec"], "X Y Z bvec"),
    (&["cvec"], "X Y Z cvec"),
    (&["abc", "origin"], "X Y Z abc origin"),
];

/// The error of a line that has some word of the box and is none of its lines.
fn check_box_line(line: &Line<'_>) -> Result<(), Fault> {
    let fields: Vec<&str> = line.1.split_whitespace().collect();
    let about = BOX_LINES.iter().find(|(words, _)| words.iter().any(|word| fields.contains(word)));
    let Some((words, form)) = about else { return Ok(()) };
    // As many numbers as the form has other words.
    let numbers = form.split(' ').count() - words.len();
    if fields.len() == numbers + words.len() && fields.ends_with(words) {
        let read = |field: &&str| number(field).map(drop).map_err(|message| (line.0.clone(), message));
        return fields[..numbers].iter().try_for_each(read);
    }
    Err((line.0.clone(), format!("expected a line of the box, \"{form}\", found \"{}\"", shown(line.1))))
}

/// The line that a box in the head of a data file lacks, as an error at the first that it has.
pub(crate) fn missing_line(lines: &[Line<'_>]) -> Option<Fault> {
    let has = |words: &[&str]| {
        head(lines).find(|(_, line)| line.split_whitespace().collect::<Vec<_>>().ends_with(words)).map(|line| line.0)
    };
    let of = |lines: &[(&[&str], &str)]| {
        let found: Vec<_> = lines.iter().map(|(words, _)| has(words)).collect();
        let first = found.iter().flatten().min_by_key(|span| span.start).cloned()?;
        let missing = found.iter().position(Option::is_none)?;
        Some((first, format!("the box has no line \"{}\"", lines[missing].1)))
    };
    let vectors = of(&BOX_LINES[4..7]);
    // Complete in one way is complete.
    if vectors.is_none() && has(&["avec"]).is_some() {
        return None;
    }
    vectors.or_else(|| of(&BOX_LINES[..3]))
}

/// The lines before the first section of a data file, without comments. The first of all is a title.
fn head<'l>(lines: &'l [Line<'_>]) -> impl Iterator<Item = Line<'l>> {
    let head = lines.iter().skip(1).take_while(|(_, line)| !line.starts_with(|c: char| c.is_ascii_alphabetic()));
    head.map(|(span, line)| (span.clone(), line.split('#').next().unwrap_or_default().trim()))
}

/// The numbers of a line that must have `N` of them before its words.
fn numbers<const N: usize>(line: &Line<'_>) -> Result<[f64; N], Fault> {
    let fault = |message: String| (line.0.clone(), message);
    let mut values = [0.0; N];
    let mut fields = line.1.split_whitespace();
    for value in &mut values {
        let field = fields.next().ok_or_else(|| fault(format!("expected {N} numbers of the box")))?;
        *value = number(field).map_err(fault)?;
    }
    Ok(values)
}

/// An end that does not lie above the other.
fn check_ends(low: DVec3, high: DVec3, spans: [&Range<usize>; 3]) -> Result<(), Fault> {
    match (0..3).find(|&axis| high[axis] <= low[axis]) {
        Some(axis) => {
            let message = format!("the box ends at {:?}, not above its start at {:?}", high[axis], low[axis]);
            Err((spans[axis].clone(), message))
        }
        None => Ok(()),
    }
}

/// The box in the head of a data file; `None` where it gives none.
pub(crate) fn of_data(lines: &[Line<'_>]) -> Result<Option<FileBox>, Fault> {
    let (mut ends, mut vectors) = ([None, None, None], [None, None, None]);
    let (mut tilts, mut corner) = ([0.0; 3], DVec3::ZERO);
    for line in head(lines) {
        check_box_line(&line)?;
        let span = line.0.clone();
        let words: Vec<&str> = line.1.split_whitespace().filter(|field| number(field).is_err()).collect();
        match words[..] {
            ["xlo", "xhi"] => ends[0] = Some((numbers::<2>(&line)?, span)),
            ["ylo", "yhi"] => ends[1] = Some((numbers::<2>(&line)?, span)),
            ["zlo", "zhi"] => ends[2] = Some((numbers::<2>(&line)?, span)),
            ["xy", "xz", "yz"] => tilts = numbers::<3>(&line)?,
            ["avec"] => vectors[0] = Some(DVec3::from_array(numbers::<3>(&line)?)),
            ["bvec"] => vectors[1] = Some(DVec3::from_array(numbers::<3>(&line)?)),
            ["cvec"] => vectors[2] = Some(DVec3::from_array(numbers::<3>(&line)?)),
            ["abc", "origin"] => corner = DVec3::from_array(numbers::<3>(&line)?),
            _ => {}
        }
    }
    if let [Some(a), Some(b), Some(c)] = vectors {
        return Ok(Some(FileBox { vectors: DMat3::from_cols(a, b, c), corner, periodic: None }));
    }
    let [Some((x, at_x)), Some((y, at_y)), Some((z, at_z))] = ends else { return Ok(None) };
    let (low, high) = (DVec3::new(x[0], y[0], z[0]), DVec3::new(x[1], y[1], z[1]));
    check_ends(low, high, [&at_x, &at_y, &at_z])?;
    Ok(Some(upright(low, high, tilts)))
}

/// The box of a timestep of a dump, whose lines these are; `None` where it gives none.
pub(crate) fn of_dump(lines: &[Line<'_>]) -> Result<Option<FileBox>, Fault> {
    const HEAD: &str = "ITEM: BOX BOUNDS";
    let Some(at) = lines.iter().position(|(_, line)| line.starts_with(HEAD)) else { return Ok(None) };
    let [x, y, z] = match lines.get(at + 1..at + 4) {
        Some([x, y, z]) => [x, y, z],
        _ => return Err((lines[at].0.clone(), "expected three lines of the box after this one".into())),
    };
    let words: Vec<&str> = lines[at].1[HEAD.len()..].split_whitespace().collect();
    let is_end = |word: &&str| word.len() == 2 && word.chars().all(|c| "pfsm".contains(c));
    let ends: Vec<&str> = words.iter().copied().filter(|word| is_end(word)).collect();
    let periodic = <[&str; 3]>::try_from(ends).ok().map(|ends| ends.map(|end| end == "pp"));
    let found = if words.starts_with(&["abc", "origin"]) {
        let [a, b, c] = [numbers::<4>(x)?, numbers::<4>(y)?, numbers::<4>(z)?];
        let vectors = [a, b, c].map(|row| DVec3::new(row[0], row[1], row[2]));
        let vectors = DMat3::from_cols(vectors[0], vectors[1], vectors[2]);
        FileBox { vectors, corner: DVec3::new(a[3], b[3], c[3]), periodic }
    } else {
        let tilted = words.starts_with(&["xy", "xz", "yz"]);
        let row =
            |line| if tilted { numbers::<3>(line) } else { numbers::<2>(line).map(|[low, high]| [low, high, 0.0]) };
        let rows = [row(x)?, row(y)?, row(z)?];
        let [xy, xz, yz] = rows.map(|row| row[2]);
        // A dump has the bounds of the leaning box, not the ends along its edges.
        let [low, high] = [0, 1].map(|end| DVec3::from_array(rows.map(|row| row[end])));
        let low = low - DVec3::new(0.0_f64.min(xy).min(xz).min(xy + xz), 0.0_f64.min(yz), 0.0);
        let high = high - DVec3::new(0.0_f64.max(xy).max(xz).max(xy + xz), 0.0_f64.max(yz), 0.0);
        check_ends(low, high, [&x.0, &y.0, &z.0])?;
        FileBox { periodic, ..upright(low, high, [xy, xz, yz]) }
    };
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line<'_>> {
        let mut start = 0;
        text.split_inclusive('\n')
            .map(|whole| {
                start += whole.len();
                (start - whole.len()..start, whole.trim())
            })
            .collect()
    }

    /// The box of a file was passed over, and had to be typed into the scene.
    #[test]
    fn boxes_are_read_as_the_manual_of_lammps_writes_them() {
        let expected = |cols: [f64; 9], corner: [f64; 3], periodic| {
            Some(FileBox { vectors: DMat3::from_cols_array(&cols), corner: DVec3::from_array(corner), periodic })
        };
        let leaning = [8.0, 0.0, 0.0, 1.0, 9.0, 0.0, -2.0, 0.5, 10.0];
        let data =
            "title\n\n1.0 9.0 xlo xhi\n2.0 11.0 ylo yhi\n3.0 13.0 zlo zhi # up\n1.0 -2.0 0.5 xy xz yz\n\nAtoms\n";
        assert_eq!(of_data(&lines(data)), Ok(expected(leaning, [1.0, 2.0, 3.0], None)));
        // xlo_bound = xlo + min(0, xy, xz, xy + xz), and so on.
        let dump = "ITEM: BOX BOUNDS xy xz yz pp ff pp\n-1.0 10.0 1.0\n2.0 11.5 -2.0\n3.0 13.0 0.5\n";
        assert_eq!(of_dump(&lines(dump)), Ok(expected(leaning, [1.0, 2.0, 3.0], Some([true, false, true]))));
        let general = [8.0, 0.1, 0.0, 1.0, 9.0, 0.0, -2.0, 0.5, 10.0];
        let data = "t\n8.0 0.1 0.0 avec\n1.0 9.0 0.0 bvec\n-2.0 0.5 10.0 cvec\n1.0 2.0 3.0 abc origin\nAtoms\n";
        assert_eq!(of_data(&lines(data)), Ok(expected(general, [1.0, 2.0, 3.0], None)));
        let dump = "ITEM: BOX BOUNDS abc origin pp pp pp\n8.0 0.1 0.0 1.0\n1.0 9.0 0.0 2.0\n-2.0 0.5 10.0 3.0\n";
        assert_eq!(of_dump(&lines(dump)), Ok(expected(general, [1.0, 2.0, 3.0], Some([true; 3]))));
        let straight = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
        let old = "ITEM: BOX BOUNDS\n-1 1\n-1 1\n-1 1\n";
        assert_eq!(of_dump(&lines(old)), Ok(expected(straight, [-1.0; 3], None)));
        assert_eq!(of_data(&lines("title\n\n0 1 xlo xhi\n\nAtoms\n")), Ok(None));
    }

    #[test]
    fn a_broken_box_is_an_error_at_its_line() {
        let place = |text: &str, wrong: &str| {
            let found = if text.starts_with("ITEM") { of_dump(&lines(text)) } else { of_data(&lines(text)) };
            assert_eq!(found.unwrap_err().0.start, text.find(wrong).unwrap(), "{text}");
        };
        place("t\n0 1 xlo xhi\n1 1 ylo yhi\n0 1 zlo zhi\n", "1 1 ylo");
        place("t\n0 xlo xhi\n", "0 xlo");
        // Lines that were none of the box were passed over, and the box with them.
        place("t\n0 1 xlo xhi\n0 1 ylo yhj\n0 1 zlo zhi\n", "0 1 ylo");
        place("t\n0 one xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n", "0 one");
        place("t\n0 1 2 xlo xhi\n", "0 1 2");
        place("t\n0 0 xy xz yz # tilts\n", "0 0 xy");
        place("t\n1 0 0 avec bvec\n", "1 0 0");
        let error = of_data(&lines("t\n0 1 ylo yhj\n")).unwrap_err().1;
        assert_eq!(error, "expected a line of the box, \"LOW HIGH ylo yhi\", found \"0 1 ylo yhj\"");
        let missing = |text: &str| missing_line(&lines(text));
        let text = "t\n\n0 1 ylo yhi\n0 1 zlo zhi\nAtoms\n";
        assert_eq!(missing(text), Some((3..15, "the box has no line \"LOW HIGH xlo xhi\"".into())));
        assert_eq!(missing(&text.replace("\n\n", "\n0 2 xlo xhi\n")), None);
        assert_eq!(missing("t\n1 0 0 avec\n0 1 0 bvec\n").unwrap().1, "the box has no line \"X Y Z cvec\"");
        assert_eq!(missing("t\n1 0 0 avec\n0 1 0 bvec\n0 0 1 cvec\n"), None);
        assert_eq!(missing("t\n2 atoms\nAtoms\n"), None);
        place("ITEM: BOX BOUNDS pp pp pp\n0 1\n0 one\n0 1\n", "0 one");
        place("ITEM: BOX BOUNDS pp pp pp\n0 1\n", "ITEM");
    }
}

//! The box of a LAMMPS dump or data file as cell vectors.
//!
//! Reads what `results/lammps_box.rs` writes and what LAMMPS does: ends along the axes, with or without tilts `xy xz yz`, or
//! three vectors and an origin (general triclinic). A dump tells which directions repeat, a data file does not.

use std::ops::Range;

use glam::{DMat3, DVec3};

use super::lammps::{Fault, Line, number};

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
    let head = lines.iter().skip(1).take_while(|(_, line)| !line.starts_with(|c: char| c.is_ascii_alphabetic()));
    for (span, line) in head {
        let line = (span.clone(), line.split('#').next().unwrap_or_default());
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
    check_ends(low, high, [at_x, at_y, at_z])?;
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
        place("ITEM: BOX BOUNDS pp pp pp\n0 1\n0 one\n0 1\n", "0 one");
        place("ITEM: BOX BOUNDS pp pp pp\n0 1\n", "ITEM");
    }
}

//! The matrix form, as Siconos prints it: dimension (5), contacts, kind of storage, rows, columns, rows and columns again or the
//! number of blocks; the matrix W; q; the coefficients mu; the coefficients mu_r. Rows of a contact are n, t1, t2, m1, m2.
//!
//! Kind 0 is dense, row by row. Kind 2 is what CSparse prints: `col j : locations a to b` and lines `i : value`, all of them.
//!
//! Does not do: the other kinds of storage, and CSparse's short form that leaves entries out.

use std::ops::Range;

use stickslip::cone::{MatrixContact, MatrixProblem};

use crate::input::{InputError, Source};

/// Rows of a contact.
const ROWS: usize = 5;

/// The words of a text, with where they stand.
struct Words<'a> {
    source: &'a Source,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<(&'a str, Range<usize>)> {
        let text = self.source.text();
        let start = self.at + text[self.at..].find(|c: char| !c.is_ascii_whitespace())?;
        let length = text[start..].find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len() - start);
        self.at = start + length;
        Some((&text[start..self.at], start..self.at))
    }

    /// Where the last word stands.
    fn last(&self) -> Range<usize> {
        let before = &self.source.text()[..self.at];
        before.rfind(|c: char| c.is_ascii_whitespace()).map_or(0, |space| space + 1)..self.at
    }

    fn peek(&mut self) -> Option<&'a str> {
        let before = self.at;
        let word = self.next().map(|(word, _)| word);
        self.at = before;
        word
    }

    fn missing(&self, what: &str) -> InputError {
        let end = self.source.text().len();
        self.source.error(end..end, format!("the file ends where {what} was expected"))
    }

    fn number(&mut self, what: &str) -> Result<f64, InputError> {
        let Some((word, span)) = self.next() else { return Err(self.missing(what)) };
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.source.error(span, format!("expected {what}, a finite number"))),
        }
    }

    fn count(&mut self, what: &str) -> Result<usize, InputError> {
        let Some((word, span)) = self.next() else { return Err(self.missing(what)) };
        word.parse::<u32>()
            .map(|count| count as usize)
            .map_err(|_| self.source.error(span, format!("expected {what}, a whole number")))
    }

    /// Reads a count that is known already.
    fn known(&mut self, what: &str, expected: usize) -> Result<(), InputError> {
        let found = self.count(what)?;
        if found == expected {
            return Ok(());
        }
        Err(self.source.error(self.last(), format!("{what}: {found}, expected {expected}")))
    }

    fn word(&mut self, expected: &str) -> Result<(), InputError> {
        match self.next() {
            Some((word, _)) if word == expected => Ok(()),
            Some((_, span)) => Err(self.source.error(span, format!("expected `{expected}`"))),
            None => Err(self.missing(&format!("`{expected}`"))),
        }
    }
}

/// Reads a problem.
pub(super) fn read(source: &Source) -> Result<MatrixProblem, InputError> {
    let mut words = Words { source, at: 0 };
    words.known("the dimension", ROWS)?;
    let contacts = words.count("the number of contacts")?;
    let rows = contacts.saturating_mul(ROWS);
    // Each number takes two characters at least.
    if rows > source.text().len() {
        return Err(source.error(0..1, format!("{contacts} contacts in a file of {} bytes", source.text().len())));
    }
    let kind = words.count("the kind of storage")?;
    words.known("rows of the matrix", rows)?;
    words.known("columns of the matrix", rows)?;
    let entries = match kind {
        0 => read_dense(&mut words, rows)?,
        2 => read_columns(&mut words, rows)?,
        _ => {
            let message = format!("storage of kind {kind} is not implemented: expected 0 (dense) or 2 (CSparse)");
            return Err(source.error(0..1, message));
        }
    };
    let q = (0..rows).map(|_| words.number("a number of q")).collect::<Result<Vec<f64>, _>>()?;
    let mut coefficients = |what: &str| (0..contacts).map(|_| words.number(what)).collect::<Result<Vec<f64>, _>>();
    let (slide, roll) = (coefficients("mu of a contact")?, coefficients("mu_r of a contact")?);
    if let Some((_, span)) = words.next() {
        return Err(source.error(span, "expected the end of the file".into()));
    }
    let contacts = slide.into_iter().zip(roll).map(|(slide, roll)| MatrixContact { slide, roll }).collect();
    let problem = MatrixProblem { contacts, entries, q };
    problem.check().map_err(|message| InputError::of_file(source.name(), message))?;
    Ok(problem)
}

fn read_dense(words: &mut Words<'_>, rows: usize) -> Result<Vec<(u32, u32, f64)>, InputError> {
    words.known("rows of the matrix", rows)?;
    words.known("columns of the matrix", rows)?;
    let mut entries = Vec::new();
    for row in 0..rows as u32 {
        for column in 0..rows as u32 {
            let value = words.number("an entry of the matrix")?;
            if value != 0.0 {
                entries.push((row, column, value));
            }
        }
    }
    Ok(entries)
}

fn read_columns(words: &mut Words<'_>, rows: usize) -> Result<Vec<(u32, u32, f64)>, InputError> {
    // How many parts the matrix has, then the head of CSparse, up to the first column.
    words.count("the number of parts")?;
    words.word("CSparse")?;
    while words.peek().is_some_and(|word| word != "col") {
        words.next();
    }
    let mut entries = Vec::new();
    for column in 0..rows {
        words.word("col")?;
        words.known("the column", column)?;
        words.word(":")?;
        words.word("locations")?;
        let first = words.count("the first location")?;
        words.word("to")?;
        // An empty column runs from p to p - 1, which is -1 for the first.
        let last = words.number("the last location")?;
        let count = last - first as f64 + 1.0;
        for _ in 0..(count.max(0.0) as usize).min(rows) {
            let row = words.count("the row of an entry")?;
            if row >= rows {
                return Err(words.source.error(words.last(), format!("row {row} must be below {rows}")));
            }
            words.word(":")?;
            let value = words.number("an entry of the matrix")?;
            if value != 0.0 {
                entries.push((row as u32, column as u32, value));
            }
        }
    }
    Ok(entries)
}

//! Saved contact problems (docs/solve.md): bodies and contacts as JSON, or a matrix W and q as Siconos prints them.
//!
//! `json.rs` reads and writes the first form, `matrix.rs` reads the second. A file whose name ends in `.gz` is unpacked.

mod json;
mod matrix;

use std::io::Read;
use std::path::Path;

use stickslip::cone::MatrixProblem;

use crate::input::{InputError, LARGEST_FILE, Source};

pub use json::{SavedProblem, to_json};

/// A problem as a file holds it.
#[derive(Clone, Debug)]
pub enum ProblemFile {
    /// Bodies, contacts and other rows.
    Bodies(Box<SavedProblem>),
    /// A matrix.
    Matrix(MatrixProblem),
}

/// Loads a problem: `.dat` by its matrix, everything else as JSON.
pub fn load(path: &Path) -> Result<ProblemFile, InputError> {
    let name = path.display().to_string();
    let packed = name.ends_with(".gz");
    let source = if packed { unpack(path, &name)? } else { Source::read(path, LARGEST_FILE)? };
    load_source(&source, name.trim_end_matches(".gz").ends_with(".dat"))
}

/// Loads a problem from a text; `name` is what errors call it, and tells the form.
pub fn load_text(name: &str, text: &str) -> Result<ProblemFile, InputError> {
    load_source(&Source::new(name, text), name.ends_with(".dat"))
}

fn load_source(source: &Source, by_matrix: bool) -> Result<ProblemFile, InputError> {
    if by_matrix {
        return matrix::read(source).map(ProblemFile::Matrix);
    }
    json::read(source).map(|saved| ProblemFile::Bodies(Box::new(saved)))
}

/// Unpacks a file, up to the size that one may have.
fn unpack(path: &Path, name: &str) -> Result<Source, InputError> {
    let packed = Source::read_bytes(path, LARGEST_FILE)?;
    let mut text = Vec::new();
    let limit = LARGEST_FILE + 1;
    let read = flate2::read::MultiGzDecoder::new(&packed[..]).take(limit).read_to_end(&mut text);
    let bad = |message: String| InputError::of_file(name, message);
    read.map_err(|error| bad(format!("cannot be unpacked: {error}. Expected a gzip file")))?;
    if text.len() as u64 > LARGEST_FILE {
        return Err(bad(format!("unpacks to more than {} MiB, the most that a problem may have", LARGEST_FILE >> 20)));
    }
    let text = String::from_utf8(text).map_err(|_| bad("does not unpack to UTF-8 text".into()))?;
    Ok(Source::new(name, text))
}

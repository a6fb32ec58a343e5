//! Reading whole files that someone named: only files, and only up to a size.
//!
//! A folder, a device or a pipe is refused before it is opened: opening a pipe waits for someone to write, and a device may
//! never end.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file of at most `largest` bytes.
pub(crate) fn read_file(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > largest {
        return Err(too_large(length, largest));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(io::Error::other)?;
    // A file may grow while it is read.
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(too_large(bytes.len() as u64, largest));
    }
    Ok(bytes)
}

/// The text of such a file.
pub(crate) fn read_text(path: &Path, largest: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, largest)?).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count();
        invalid(format!("line {line} is not UTF-8 text"))
    })
}

/// The first `count` bytes of a file, fewer if it has no more.
pub(crate) fn read_start(path: &Path, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn open(path: &Path) -> io::Result<File> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotADirectory if path.as_os_str().as_encoded_bytes().ends_with(b"/") => {
            invalid("is a file, not a folder: leave the `/` at its end out".into())
        }
        io::ErrorKind::NotADirectory => invalid("cannot be read: a part of this path is a file, not a folder".into()),
        _ => unreadable(error),
    })?;
    if metadata.is_dir() {
        return Err(invalid("is a folder; expected a file".into()));
    }
    if !metadata.is_file() {
        return Err(invalid("is a pipe or a device; expected a file".into()));
    }
    File::open(path).map_err(unreadable)
}

fn unreadable(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot be read: {error}"))
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn too_large(length: u64, largest: u64) -> io::Error {
    invalid(format!("has {} MiB; the largest size read is {} MiB", length >> 20, largest >> 20))
}

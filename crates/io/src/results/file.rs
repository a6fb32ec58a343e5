//! Small things that every file of a run needs: whole files, errors that name their file, numbers, base64.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use stickslip::math;

/// What a file is called while it is being written.
pub const PART: &str = ".part";

/// Writes a file so that it appears whole or not at all: under a temporary name beside it, then renamed.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    write_whole_by(path, |file| file.write_all(content))
}

/// The same of a file that need not be in memory at once.
pub fn write_whole_by(path: &Path, write: impl FnOnce(&mut fs::File) -> io::Result<()>) -> io::Result<()> {
    let part = part_name(path);
    let written = create_part(&part).and_then(|mut file| {
        write(&mut file)?;
        // Without this a power cut may keep the new name and lose the content.
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&part, path)).map_err(|error| {
        // The part is of no use to anyone; that it cannot be removed would only hide the first error.
        let _ = fs::remove_file(&part);
        at(path, error)
    })
}

/// Makes the file that a part is written to. Whatever has its name is removed and not written through: a link there may point
/// anywhere.
pub(crate) fn create_part(part: &Path) -> io::Result<fs::File> {
    match fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::File::create_new(part),
    }
}

/// Opens a file of a run folder that is written where it stands. Only a file is opened that is nowhere else: through a link,
/// symbolic or hard, writing would change a file outside the folder.
pub(crate) fn open_in_place(path: &Path, options: &mut fs::OpenOptions) -> io::Result<fs::File> {
    match fs::symlink_metadata(path) {
        Ok(found) => check_own(&found)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // Another process may have put a link there since.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    let file = options.open(path)?;
    check_own(&file.metadata()?)?;
    Ok(file)
}

/// Checks that this is a file, and has one name only.
pub(crate) fn check_own(found: &fs::Metadata) -> io::Result<()> {
    let kind = found.file_type();
    let what = if kind.is_symlink() {
        "this is a symbolic link"
    } else if !kind.is_file() {
        "this is not a file"
    } else if names_of(found) > 1 {
        "this file has a second name (a hard link)"
    } else {
        return Ok(());
    };
    let message = format!(
        "{what}, and writing it may change something outside the folder. Remove it, or put a copy in its place"
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

#[cfg(unix)]
fn names_of(found: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(found)
}

/// Not told there.
#[cfg(not(unix))]
fn names_of(_: &fs::Metadata) -> u64 {
    1
}

/// Brings the names in a folder to the disk: until then a power cut may bring old ones back. Where a file system cannot do
/// that for folders (some of the network's), it is left to it.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced.map_err(|error| at(folder, error)),
    }
}

/// There is no such thing there.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// What this file is called while it is being written.
pub fn part_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART);
    PathBuf::from(name)
}

/// The same error with the file's name in front.
pub fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Appends a comma and the shortest text that reads back as exactly this number (at most 17 significant digits).
pub fn push_number(line: &mut Vec<u8>, value: f64) {
    // Writing to a Vec cannot fail. `{:?}` changes to an exponent for large and small numbers, `{}` does not.
    let _ = write!(line, ",{value:?}");
}

/// A number for people: so many significant digits, without zeros at the end, with an exponent only where it helps.
pub fn short_number(value: f64, digits: usize) -> String {
    let (plain, exponent) = match value.abs() {
        size if size == 0.0 || !size.is_finite() => return format!("{value}"),
        size if (1e-3..1e6).contains(&size) => {
            let before = math::log10(size).floor() as i32 + 1;
            let decimals = (digits as i32 - before).max(0) as usize;
            (format!("{value:.decimals$}"), String::new())
        }
        _ => {
            let text = format!("{value:.*e}", digits.saturating_sub(1));
            let (plain, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            (plain.to_owned(), format!("e{exponent}"))
        }
    };
    let plain = if plain.contains('.') { plain.trim_end_matches('0').trim_end_matches('.') } else { &plain };
    format!("{plain}{exponent}")
}

/// A text as one CSV field: quoted only where it must be.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The records of a CSV text: the line on which each begins, counted from 1, and its fields without their quotes. A quoted
/// field may hold line ends. A record without its line end is the work of a run that was killed, and is left out.
pub fn csv_records(text: &str) -> impl Iterator<Item = (usize, Vec<String>)> + '_ {
    let mut letters = text.chars().peekable();
    let mut line = 1;
    std::iter::from_fn(move || {
        let (first, mut record, mut field, mut quoted) = (line, Vec::new(), String::new(), false);
        while let Some(letter) = letters.next() {
            line += usize::from(letter == '\n');
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => record.push(std::mem::take(&mut field)),
                '\n' if !quoted => {
                    record.push(field);
                    return Some((first, record));
                }
                _ => field.push(letter),
            }
        }
        None
    })
}

/// A text inside XML or HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A path as it stands in a command that can be copied: quoted where it must be.
pub fn for_a_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.chars().all(|c| c.is_alphanumeric() || "-_./+,:@=".contains(c));
    if plain && !text.is_empty() { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// Bytes as base64 (RFC 4648, with padding).
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * i) & 63) as usize] as char;
            text.push(if i <= chunk.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::testing::test_folder;
    use super::*;

    #[test]
    fn base64_meets_the_examples_of_its_standard() {
        for (text, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn numbers_read_back_exactly_and_stay_short() {
        for value in [0.0, -0.0, 0.1, 1.0 / 3.0, 6.02e23, -1e-300, 5e-324, f64::MAX, 123456789.125] {
            let mut line = Vec::new();
            push_number(&mut line, value);
            let text = String::from_utf8(line).unwrap();
            assert!(text.len() < 26, "{text}");
            assert_eq!(text[1..].parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn numbers_for_people_are_short() {
        let texts = [0.0, 29.0881, -0.0058556, 0.8, 12345.678, 5e-5, 1.23456e-9, 100.0].map(|v| short_number(v, 4));
        assert_eq!(texts, ["0", "29.09", "-0.005856", "0.8", "12346", "5e-5", "1.235e-9", "100"]);
    }

    #[test]
    fn paths_are_quoted_for_a_shell_where_they_must_be() {
        let texts = ["runs/01-pile", "my runs/a", "it's"].map(|path| for_a_shell(Path::new(path)));
        assert_eq!(texts, ["runs/01-pile", "'my runs/a'", "'it'\\''s'"]);
    }

    #[test]
    fn fields_are_quoted_only_where_they_must_be() {
        assert_eq!(csv_field("left grain"), "left grain");
        assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[cfg(unix)]
    #[test]
    fn a_part_that_is_a_link_is_replaced_and_its_target_stays() {
        // The target was emptied and got the content of the run's file.
        let folder = test_folder("part-link");
        let (target, path) = (folder.join("target"), folder.join("a.txt"));
        fs::write(&target, b"mine").unwrap();
        let part = part_name(&path);
        for symbolic in [true, false] {
            let linked =
                if symbolic { std::os::unix::fs::symlink(&target, &part) } else { fs::hard_link(&target, &part) };
            linked.unwrap();
            write_whole(&path, b"ours").unwrap();
            assert_eq!((fs::read(&target).unwrap(), fs::read(&path).unwrap()), (b"mine".to_vec(), b"ours".to_vec()));
            assert!(!part.exists());
        }
        // Of the name itself, too, a link goes and not its target.
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        write_whole(&path, b"ours").unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        assert_eq!(fs::read(&target).unwrap(), b"mine");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_written_in_place_only_if_it_is_nowhere_else() {
        let folder = test_folder("in-place");
        let (target, path) = (folder.join("target"), folder.join("a.txt"));
        fs::write(&target, b"mine").unwrap();
        let open = || open_in_place(&path, fs::OpenOptions::new().write(true).create(true).truncate(true));
        let refused = |what: &str| {
            let error = open().unwrap_err().to_string();
            assert!(error.contains(what) && error.contains("outside the folder"), "{error}");
            assert_eq!(fs::read(&target).unwrap(), b"mine");
            fs::remove_file(&path).unwrap();
        };
        std::os::unix::fs::symlink(&target, &path).unwrap();
        refused("a symbolic link");
        std::os::unix::fs::symlink(folder.join("nowhere"), &path).unwrap();
        refused("a symbolic link");
        assert!(!folder.join("nowhere").exists());
        fs::hard_link(&target, &path).unwrap();
        refused("a hard link");
        open().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_whole_file_leaves_no_part_behind() {
        let folder = test_folder("whole");
        let path = folder.join("a.txt");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        let error = write_whole(&folder.join("missing/b.txt"), b"").unwrap_err();
        assert!(error.to_string().contains("b.txt"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}

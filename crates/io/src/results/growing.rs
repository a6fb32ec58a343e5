//! Tables that grow while a run goes on, and the marks by which a run that was stopped goes on with them.
//!
//! A table is written directly under its name, so that a run that dies keeps what it had. A `TableMark` says how long it
//! was at a checkpoint, and the CRC-32 of what stood in it; to go on, it is cut back to that length. A table that is
//! shorter, or holds something else, is not the run's any more, and is refused before anything is touched.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stickslip::clock::Clock;

use super::file::{at, check_own, open_in_place};

/// Bytes that wait in memory, at the most.
const BUFFER: usize = 1 << 18;

/// How far a table had grown at a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMark {
    /// Its name in the run folder.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// CRC-32 (IEEE) of that much of it.
    pub crc32: u32,
}

/// The snapshots of one list at a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotMark {
    /// What their names begin with: they are `<stem>-<step>` and an ending.
    pub stem: String,
    /// Step and length (bytes) of each.
    pub files: Vec<(u64, u64)>,
}

/// A stage of a run that has begun.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageMark {
    /// Its name.
    pub name: String,
    /// Steps that the run had taken when it began.
    pub first_step: u64,
    /// Simulated time then (s).
    pub time: f64,
    /// Its step (s).
    pub step: f64,
    /// The id of the first body that it brought, or would have.
    pub first_id: u32,
    /// The strain of the cell when it began, by columns; empty without a cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strain: Vec<f64>,
    /// How it ended, and after how many steps of the run: absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<(u64, String)>,
}

/// The simulated time (s) after so many steps, of `dt` (s) each without stages.
pub fn time_at(stages: &[StageMark], step: u64, dt: f64) -> f64 {
    // Of a run whose step never changes the time is one product, as the engine has it.
    let (mut clock, mut last) = (Clock::default(), stages.first().map_or(dt, |first| first.step));
    for stage in stages.iter().filter(|stage| stage.first_step <= step) {
        if stage.step.to_bits() != last.to_bits() {
            (clock, last) = (Clock { step: stage.first_step, time: stage.time }, stage.step);
        }
    }
    clock.time_at(step, last)
}

/// Where a run stands in all that it writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Marks {
    /// `scene_hash` of the run: a checkpoint of another one may fit by chance, and must not be gone on from.
    pub scene_hash: String,
    /// Its tables, `bodies-fixed.csv` first.
    pub tables: Vec<TableMark>,
    /// Its snapshots.
    pub snapshots: Vec<SnapshotMark>,
    /// Steps between the rows of `log`, at the least.
    pub log_stride: u64,
    /// The points behind the plots, as lines of `series.csv`.
    pub log: Vec<String>,
    /// The stages that have begun, the scene itself first; none of a scene without stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageMark>,
}

impl Marks {
    /// The mark of a table.
    pub fn of_table(&self, file: &str) -> io::Result<&TableMark> {
        self.tables.iter().find(|mark| mark.file == file).ok_or_else(|| unknown(file))
    }

    /// The mark of the snapshots of this stem.
    pub fn of_snapshots(&self, stem: &str) -> io::Result<&SnapshotMark> {
        self.snapshots.iter().find(|mark| mark.stem == stem).ok_or_else(|| unknown(stem))
    }
}

/// The marks are of other records.
fn unknown(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the checkpoint knows nothing of {what}"))
}

impl TableMark {
    /// Whether the table still begins with what it held at the checkpoint. Touches nothing.
    pub fn check(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join(&self.file);
        let unread = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => format!("{} is missing", path.display()),
            _ => format!("{} cannot be read: {error}", path.display()),
        };
        // Before it is opened: a pipe would wait for a writer, and through a link a file elsewhere would be cut.
        let found = fs::symlink_metadata(&path).map_err(unread)?;
        check_own(&found).map_err(|error| at(&path, error).to_string())?;
        let file = File::open(&path).map_err(unread)?;
        let (mut hasher, mut buffer, mut content) = (crc32fast::Hasher::new(), vec![0; BUFFER], file.take(self.bytes));
        let mut read = 0;
        loop {
            match content.read(&mut buffer).map_err(unread)? {
                0 => break,
                count => {
                    hasher.update(&buffer[..count]);
                    read += count as u64;
                }
            }
        }
        if read < self.bytes {
            return Err(format!("{} has only {read} of the {} bytes that it had", path.display(), self.bytes));
        }
        if hasher.finalize() != self.crc32 {
            return Err(format!("{} has been changed", path.display()));
        }
        Ok(())
    }
}

/// A table that grows.
#[derive(Debug)]
pub struct Growing {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    hasher: crc32fast::Hasher,
}

impl Growing {
    /// A new table. A file that is there already is an error.
    pub fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::create_new(&path).map_err(|error| at(&path, error))?;
        Ok(Growing { path, file: BufWriter::with_capacity(BUFFER, file), bytes: 0, hasher: crc32fast::Hasher::new() })
    }

    /// A table that goes on from a mark that was checked: what stands behind it is cut off.
    pub fn cut_back(folder: &Path, mark: &TableMark) -> io::Result<Self> {
        let path = folder.join(&mark.file);
        let cut = |path: &Path| {
            let mut file = open_in_place(path, OpenOptions::new().write(true))?;
            file.set_len(mark.bytes)?;
            file.seek(SeekFrom::End(0))?;
            io::Result::Ok(file)
        };
        let file = cut(&path).map_err(|error| at(&path, error))?;
        let hasher = crc32fast::Hasher::new_with_initial_len(mark.crc32, mark.bytes);
        Ok(Growing { path, file: BufWriter::with_capacity(BUFFER, file), bytes: mark.bytes, hasher })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How far it has grown. All of it is on the disk when this returns.
    pub fn mark(&mut self) -> io::Result<TableMark> {
        self.flush()?;
        self.file.get_ref().sync_data().map_err(|error| at(&self.path, error))?;
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(TableMark { file, bytes: self.bytes, crc32: self.hasher.clone().finalize() })
    }
}

impl Write for Growing {
    fn write(&mut self, content: &[u8]) -> io::Result<usize> {
        let count = self.file.write(content).map_err(|error| at(&self.path, error))?;
        self.hasher.update(&content[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| at(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::test_folder;
    use super::*;

    #[test]
    fn a_table_goes_on_from_its_mark_as_if_it_had_never_stopped() {
        let folder = test_folder("growing");
        let path = folder.join("t.csv");
        let mut table = Growing::create(path.clone()).unwrap();
        writeln!(table, "a,b").unwrap();
        let mark = table.mark().unwrap();
        assert_eq!((mark.file.as_str(), mark.bytes, mark.crc32), ("t.csv", 4, crc32fast::hash(b"a,b\n")));
        writeln!(table, "lost, or written again").unwrap();
        drop(table);
        mark.check(&folder).unwrap();
        let mut table = Growing::cut_back(&folder, &mark).unwrap();
        writeln!(table, "1,2").unwrap();
        let later = table.mark().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"a,b\n1,2\n");
        assert_eq!(later.crc32, crc32fast::hash(b"a,b\n1,2\n"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_table_that_is_not_the_runs_any_more_is_refused() {
        let folder = test_folder("growing-bad");
        let mark = TableMark { file: "t.csv".into(), bytes: 4, crc32: crc32fast::hash(b"a,b\n") };
        assert!(mark.check(&folder).unwrap_err().contains("t.csv is missing"));
        fs::write(folder.join("t.csv"), "a,").unwrap();
        assert!(mark.check(&folder).unwrap_err().contains("only 2 of the 4 bytes"));
        fs::write(folder.join("t.csv"), "a;b\n1,2\n").unwrap();
        assert!(mark.check(&folder).unwrap_err().contains("has been changed"));
        fs::remove_file(folder.join("t.csv")).unwrap();
        fs::create_dir(folder.join("t.csv")).unwrap();
        assert!(mark.check(&folder).is_err());
        fs::remove_dir(folder.join("t.csv")).unwrap();
        // Nothing of it was asked at the first checkpoint, and the file at the other end of a link was cut to nothing.
        #[cfg(unix)]
        {
            fs::write(folder.join("mine"), "mine").unwrap();
            std::os::unix::fs::symlink(folder.join("mine"), folder.join("t.csv")).unwrap();
            let mark = TableMark { bytes: 0, crc32: 0, ..mark };
            assert!(mark.check(&folder).unwrap_err().contains("t.csv: this is a symbolic link"));
            assert!(Growing::cut_back(&folder, &mark).is_err());
            assert_eq!(fs::read(folder.join("mine")).unwrap(), b"mine");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}

//! One process at a time writes a run folder.
//!
//! `run.lock` is held by a lock of the operating system, which goes with the process however it ends; the file itself says
//! only which process. A lock file without a lock is a leftover. Where a file system gives no locks (some of the network's)
//! there is none, and two processes on one folder are not found out. A lock file that is a link is an error.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::file::{at, open_in_place};

/// The file that is locked.
pub const FILE: &str = "run.lock";

/// A folder that no other process writes. Dropping it lets the next one in.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Kept open: closing it gives the lock up.
    _file: File,
}

/// What trying to lock a folder gave.
#[derive(Debug)]
pub enum Locked {
    /// It is ours.
    Ours(Lock),
    /// This process has it, if it says which.
    Taken(Option<u32>),
}

impl Lock {
    /// Locks a folder that exists.
    pub fn take(folder: &Path) -> io::Result<Locked> {
        let path = folder.join(FILE);
        loop {
            let mut options = OpenOptions::new();
            let opened = open_in_place(&path, options.read(true).write(true).create(true).truncate(false));
            let mut file = opened.map_err(|error| at(&path, error))?;
            // Any other error means that there are no locks here; systems do not agree on which.
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Ok(Locked::Taken(holder(&mut file)));
            }
            // Whoever had it may have removed the file between our opening and our locking it: then this one is no one's.
            if !is_the_file_at(&file, &path) {
                continue;
            }
            let noted =
                file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
            // On a full disk the number is missing, which is no harm.
            drop(noted);
            return Ok(Locked::Ours(Lock { path, _file: file }));
        }
    }

    /// Whether another process has the folder; if so, which, if it says so. Touches nothing.
    pub fn is_taken(folder: &Path) -> Option<Option<u32>> {
        let path = folder.join(FILE);
        let mut file = fs::symlink_metadata(&path).ok()?.is_file().then(|| File::open(path).ok())??;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder(&mut file)),
            _ => None,
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked; see `take`. A leftover is no harm.
        let _ = fs::remove_file(&self.path);
    }
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(unix)]
fn is_the_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(ours), Ok(there)) => id(ours) == id(there),
        _ => false,
    }
}

/// A file that is open cannot be removed there.
#[cfg(not(unix))]
fn is_the_file_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing::test_folder;
    use super::*;

    #[test]
    fn a_folder_has_one_owner_and_leftovers_are_no_owner() {
        let folder = test_folder("lock");
        assert!(Lock::is_taken(&folder).is_none());
        fs::write(folder.join(FILE), "12345").unwrap();
        assert!(Lock::is_taken(&folder).is_none(), "a leftover");
        let Locked::Ours(lock) = Lock::take(&folder).unwrap() else { panic!("free") };
        let own = Some(std::process::id());
        assert_eq!(Lock::is_taken(&folder), Some(own));
        assert!(matches!(Lock::take(&folder).unwrap(), Locked::Taken(pid) if pid == own));
        drop(lock);
        assert!(!folder.join(FILE).exists());
        assert!(matches!(Lock::take(&folder).unwrap(), Locked::Ours(_)));
        fs::remove_dir_all(folder).unwrap();
    }
}

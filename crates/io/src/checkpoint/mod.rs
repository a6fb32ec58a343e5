//! Checkpoints: everything a run needs to go on, in one file.
//!
//! `format.rs` is the container, `columns.rs` and `numbers.rs` the numbers, `describe.rs` the words, `version1.rs` what older files have; `docs/checkpoint-format.md` describes
//! the file for others. A file appears whole or not at all, and every error names it. Sections that this version does not
//! know are not unpacked, and written again as they are.
//!
//! A checkpoint holds no time of day and no name of a machine: the same run writes the same bytes.

mod columns;
pub mod describe;
pub mod format;
mod numbers;
mod version1;

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stickslip::World;
use stickslip::random::{FNV1A, fnv1a_on};
use stickslip::world::Saved;

use crate::input::{did_you_mean, read_file, read_start};
use crate::results::Marks;
use crate::results::file::{sync_folder, write_whole_by};
use columns::{Living, Sections, Source};
pub use describe::Description;
use format::Part;
pub use format::{Packed, Section};

/// The file that every run ends with.
pub const END: &str = "end.checkpoint";
/// The file that a stage begins with, in its own folder.
pub const START: &str = "start.checkpoint";
/// What names of checkpoints end with.
pub const ENDING: &str = ".checkpoint";

/// The section with the marks.
const FILES: &str = "files";

/// The largest file that is read (bytes).
const LARGEST: u64 = 1 << 36;

/// How far from 1 the length of an orientation may be: rounding leaves some 1e-16.
const UNIT: f64 = 1e-6;

/// The content of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The state.
    pub saved: Saved,
    /// What it is a state of.
    pub description: Description,
    /// How far the files of the run were; none when the run was over.
    pub files: Option<Marks>,
    /// Sections that this version does not know, as the file has them.
    pub others: Vec<Packed>,
}

impl Checkpoint {
    /// Of a world as it is now.
    pub fn of(world: &World, description: &Description) -> Self {
        let mut description = description.clone();
        description.catch_up(world);
        Checkpoint { saved: world.save(), description, files: None, others: Vec::new() }
    }

    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.saved.clock.time_at(self.saved.step, self.saved.dt)
    }

    /// As a file has it.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut file = io::Cursor::new(Vec::new());
        format::write(&self.parts(), &mut file)?;
        Ok(file.into_inner())
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = parts(&self.saved, &self.description, self.files.as_ref());
        parts.extend(self.others.iter().map(Part::packed));
        parts
    }

    /// From the bytes of a file; or what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut sections = Sections::new(format::rows(bytes)?);
        let mut saved = columns::read(&mut sections)?;
        saved.traffic = from_json(&mut sections, "traffic")?;
        let description = Description {
            bodies: from_json(&mut sections, "describe.bodies")?,
            materials: from_json(&mut sections, "describe.materials")?,
            laws: from_json(&mut sections, "describe.laws")?,
        };
        let files = if sections.has(FILES) { Some(from_json(&mut sections, FILES)?) } else { None };
        let checkpoint = Checkpoint { saved, description, files, others: sections.rest()? };
        checkpoint.check()?;
        Ok(checkpoint)
    }

    /// Ids, materials and laws that are named must be there.
    fn check(&self) -> Result<(), String> {
        let (bodies, materials) = (self.description.bodies.len(), self.description.materials.len());
        let ids = self.saved.bodies.ids().chain(self.saved.contacts.keys.iter().flat_map(|key| [key.a, key.b]));
        if let Some(id) = ids.into_iter().find(|&id| id as usize >= bodies) {
            return Err(format!("is damaged: it does not describe body {id}"));
        }
        self.check_bodies()?;
        let used = (0..bodies).map(|id| self.description.bodies.material(id));
        let used = used.chain(self.description.laws.iter().flat_map(|pair| pair.between));
        if let Some(material) = used.into_iter().find(|&material| usize::from(material) >= materials) {
            return Err(format!("is damaged: it does not describe material {material}"));
        }
        let fits = |pair: &describe::PairText| pair.numbers() <= self.saved.stride;
        if !self.saved.contacts.is_empty() && !self.description.laws.iter().all(fits) {
            return Err("is damaged: its laws have more numbers than its contacts".into());
        }
        Ok(())
    }

    /// An id may stand once, and an orientation must be a rotation.
    fn check_bodies(&self) -> Result<(), String> {
        let mut seen = vec![false; self.description.bodies.len()];
        for body in (0..self.saved.bodies.len()).map(|index| self.saved.bodies.body(index)) {
            if std::mem::replace(&mut seen[body.id as usize], true) {
                return Err(format!("is damaged: it has body {} twice", body.id));
            }
            let length = body.orientation.length();
            if body.orientation.is_finite() && (length - 1.0).abs() > UNIT {
                return Err(format!("is damaged: the orientation of body {} has length {length}, not 1", body.id));
            }
        }
        Ok(())
    }

    /// Writes the file: whole, and on the disk when this returns.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_parts(path, &self.parts())
    }

    /// Reads a file. The error names it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let failed = |what: String| format!("{} {what}", path.display());
        let bytes = read_bytes(path).map_err(failed)?;
        Checkpoint::from_bytes(&bytes).map_err(failed)
    }

    /// FNV-1a over the content: tells whether it is the same, not whether someone forged it. Independent of compression, and
    /// of the files that the run wrote.
    pub fn hash(&self) -> io::Result<String> {
        let mut sum = Sum(FNV1A);
        for part in self.parts().iter().filter(|part| part.name != FILES) {
            sum.write_all(part.name.as_bytes())?;
            part.write(&mut sum)?;
        }
        Ok(format!("fnv1a64-{:016x}", sum.0))
    }
}

/// Sums up what is written.
struct Sum(u64);

impl Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = fnv1a_on(self.0, bytes.iter().copied());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the checkpoint of a world as it is now, without a copy of it. `description` is that of all its bodies.
pub fn write_world(path: &Path, world: &World, description: &Description, files: Option<&Marks>) -> io::Result<()> {
    write_parts(path, &parts(&Living::new(world), description, files))
}

/// The sections of a state.
fn parts<'a>(state: &'a impl Source, description: &'a Description, files: Option<&'a Marks>) -> Vec<Part<'a>> {
    let mut parts = columns::parts(state);
    parts.push(json("traffic", &state.head().traffic));
    parts.push(Part::new("describe.bodies", |out| description.bodies.write_json(out)));
    parts.push(json("describe.materials", &description.materials));
    parts.push(json("describe.laws", &description.laws));
    parts.extend(files.map(|files| json(FILES, files)));
    parts
}

fn write_parts(path: &Path, parts: &[Part<'_>]) -> io::Result<()> {
    write_whole_by(path, |file| format::write(parts, file))?;
    // The new name is safe once the folder is: without this a power cut may bring the old one back.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync_folder(folder)
}

/// The bytes of a file that begins like a checkpoint; any other is not read to its end, which may be far.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let begins = read_start(path, format::MAGIC.len()).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let near = did_you_mean(Path::new(""), path, Path::is_file);
            format!("does not exist{}", near.map(|near| format!("; {near}")).unwrap_or_default())
        }
        _ => error.to_string(),
    })?;
    if begins != format::MAGIC {
        format::rows(&begins)?;
    }
    read_file(path, LARGEST).map_err(|error| error.to_string())
}

fn json<'a, T: Serialize>(name: &str, value: &'a T) -> Part<'a> {
    Part::new(name, |out| serde_json::to_writer(out, value).map_err(io::Error::other))
}

fn from_json<T: DeserializeOwned>(sections: &mut Sections<'_>, name: &str) -> Result<T, String> {
    let bytes = sections.take(name)?;
    serde_json::from_slice(&bytes).map_err(|error| format!("is damaged: its section `{name}`: {error}"))
}

#[cfg(test)]
mod tests;

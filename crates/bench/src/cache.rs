//! Packings on disk, since making one takes minutes: `target/bench-packings/<scene>-<spheres>.packing`.
//!
//! Little-endian: 8 bytes that name the format and the version of the generator, the number of spheres (u64), the width of
//! the cube (f64), x, y and z of every centre (f64), the sum of all that (u64, FNV-1a). A file that is cut short, damaged or of
//! another version is made again. Contacts' memory is not kept: other programs cannot take it over, so all begin without.

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;

use crate::packing::Packing;

/// Changes with the format, and with what the generator makes.
const MARK: &[u8; 8] = b"ssPack01";

/// Above this size a packing is made from one of an eighth of it, by mirrors.
const MIRRORED: usize = 400_000;

/// Which packing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Some 1.3 contacts a sphere, held by all frictions.
    Jammed,
    /// Some 3.1 contacts a sphere.
    Dense,
}

impl Kind {
    /// Its name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Jammed => "jammed",
            Kind::Dense => "dense",
        }
    }

    fn make(self, spheres: usize) -> Result<Packing, String> {
        if spheres > MIRRORED && spheres.is_multiple_of(8) {
            return Ok(self.make(spheres / 8)?.mirrored());
        }
        let (packing, _) = match self {
            Kind::Jammed => Packing::jammed(spheres)?,
            Kind::Dense => Packing::dense(spheres)?,
        };
        Ok(Packing::bare(packing.centres, packing.width))
    }
}

/// The packing of the file in this folder; made and kept there if there is none. `tell` is called before it is made.
pub fn packing(folder: &Path, kind: Kind, spheres: usize, tell: impl Fn(&str)) -> Result<Packing, String> {
    if let Some(packing) = read(folder, kind, spheres) {
        return Ok(packing);
    }
    let file = path(folder, kind, spheres);
    tell(&format!("making {} {} spheres, which will be kept in {}", spheres, kind.name(), file.display()));
    make_anew(folder, kind, spheres)
}

/// The packing of the file in this folder, if there is a whole one.
pub fn read(folder: &Path, kind: Kind, spheres: usize) -> Option<Packing> {
    let bytes = fs::read(path(folder, kind, spheres)).ok()?;
    decode(&bytes).filter(|packing| packing.centres.len() == spheres)
}

/// Makes the packing and keeps it in this folder, whether or not there is one.
pub fn make_anew(folder: &Path, kind: Kind, spheres: usize) -> Result<Packing, String> {
    let packing = kind.make(spheres)?;
    let file = path(folder, kind, spheres);
    let said = |error: std::io::Error| format!("{}: {error}", file.display());
    fs::create_dir_all(folder).map_err(said)?;
    // Under another name first: what is there under its own name is whole.
    let unfinished = file.with_extension(format!("{}.part", std::process::id()));
    fs::write(&unfinished, encode(&packing)).map_err(said)?;
    fs::rename(&unfinished, &file).map_err(said)?;
    Ok(packing)
}

fn path(folder: &Path, kind: Kind, spheres: usize) -> PathBuf {
    folder.join(format!("{}-{spheres}.packing", kind.name()))
}

fn encode(packing: &Packing) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    bytes.extend((packing.centres.len() as u64).to_le_bytes());
    bytes.extend(packing.width.to_le_bytes());
    for number in packing.centres.iter().flat_map(|centre| centre.to_array()) {
        bytes.extend(number.to_le_bytes());
    }
    let sum = sum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Option<Packing> {
    let (body, end) = bytes.split_last_chunk::<8>()?;
    if u64::from_le_bytes(*end) != sum(body) {
        return None;
    }
    let (count, numbers) = body.strip_prefix(MARK)?.split_first_chunk::<8>()?;
    let numbers: Vec<f64> = numbers.as_chunks::<8>().0.iter().map(|number| f64::from_le_bytes(*number)).collect();
    let (width, coordinates) = numbers.split_first()?;
    let centres: Vec<DVec3> = coordinates.as_chunks::<3>().0.iter().map(|c| DVec3::from_array(*c)).collect();
    (centres.len() as u64 == u64::from_le_bytes(*count)).then(|| Packing::bare(centres, *width))
}

fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn three() -> Packing {
        Packing::bare(vec![DVec3::ZERO, DVec3::new(1.0, -2.5, 1e-300), DVec3::splat(0.1)], 7.25)
    }

    #[test]
    fn what_is_written_is_read_to_the_bit() {
        let read = decode(&encode(&three())).unwrap();
        assert_eq!((read.centres, read.width), (three().centres, three().width));
    }

    #[test]
    fn a_file_that_is_cut_damaged_or_of_another_version_is_not_taken() {
        let whole = encode(&three());
        for length in 0..whole.len() {
            assert!(decode(&whole[..length]).is_none(), "{length} bytes");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(decode(&damaged).is_none(), "byte {at}");
        }
        // Another version with its sum right.
        let mut other = whole[..whole.len() - 8].to_vec();
        other[7] = b'0';
        let sum = sum(&other);
        other.extend(sum.to_le_bytes());
        assert!(decode(&other).is_none());
    }

    #[test]
    fn a_packing_is_made_once_and_again_when_its_file_is_damaged() {
        let folder = std::env::temp_dir().join(format!("stickslip-packings-{}", std::process::id()));
        let made = Cell::new(0);
        let get = || packing(&folder, Kind::Jammed, 100, |_| made.set(made.get() + 1)).unwrap();
        let first = get();
        assert_eq!((get().centres, made.get()), (first.centres.clone(), 1));
        let file = path(&folder, Kind::Jammed, 100);
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!((get().centres, made.get()), (first.centres, 2));
        assert_eq!(fs::read(&file).unwrap(), bytes);
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! The container of a checkpoint: named sections behind a table, each with its length and checksum.
//!
//! `docs/checkpoint-format.md` describes the bytes. Every byte of a file stands under a checksum or in a field that has one
//! value only, sections follow each other without gaps, and nothing is decompressed before its checksum holds, so a file
//! that is cut off or has a flipped bit is an error and never a panic or another content. Lengths are checked against the
//! size of the file; what decompression may produce is bounded by the declared length, and that by `most_raw`.
//!
//! Does not do: knowing what a section holds (`columns.rs`, `describe.rs`), nor protecting against forgery.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write};

/// The first bytes of a checkpoint.
pub const MAGIC: [u8; 8] = *b"\x89stkslip";
/// The version that is written, and the newest that is read.
pub const VERSION: u32 = 1;
/// Written as a little-endian number.
const ENDIANNESS: u32 = 0x0102_0304;
/// Bytes before the table, and of a row of the table.
const HEAD: usize = 24;
const ROW: usize = 56;
const NAME: usize = 24;
/// The most sections that a file may have.
const MOST_SECTIONS: usize = 256;
/// How a section is stored.
const PLAIN: u32 = 0;
const ZSTD: u32 = 1;
/// zstd's level: columns of numbers do not shrink much more at higher ones.
const LEVEL: i32 = 3;

/// A named part of a file, as it is before compression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name: 1 to 24 bytes of printing ASCII.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The length that a section stored in so many bytes may have at the most: a file must not fill a machine's memory with
/// zeros. What compresses better is stored plain.
fn most_raw(stored: u64) -> u64 {
    (1 << 28) + stored.saturating_mul(256)
}

type WriteTo<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// A section that need not be in memory at once: it is written when its turn comes, to the same bytes each time it is asked.
pub struct Part<'a> {
    /// Its name: 1 to 24 bytes of printing ASCII.
    pub name: String,
    write: Box<WriteTo<'a>>,
}

impl<'a> Part<'a> {
    /// Written by a function.
    pub fn new(name: &str, write: impl Fn(&mut dyn Write) -> io::Result<()> + 'a) -> Self {
        Part { name: name.into(), write: Box::new(write) }
    }

    /// Of a section as it is.
    pub fn of(section: &'a Section) -> Self {
        Part::new(&section.name, |out| out.write_all(&section.bytes))
    }

    /// Writes its content, before compression.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        (self.write)(&mut out)?;
        out.flush()
    }
}

/// Where a file is written to.
pub trait Target: Write + Seek {
    /// Drops what stands at this place and after it; what is written next stands there.
    fn cut(&mut self, place: u64) -> io::Result<()>;
}

impl Target for File {
    fn cut(&mut self, place: u64) -> io::Result<()> {
        self.set_len(place)?;
        self.seek(SeekFrom::Start(place)).map(|_| ())
    }
}

impl Target for Cursor<Vec<u8>> {
    fn cut(&mut self, place: u64) -> io::Result<()> {
        self.get_mut().truncate(place as usize);
        self.set_position(place);
        Ok(())
    }
}

/// The file of these sections.
pub fn encode(sections: &[Section]) -> io::Result<Vec<u8>> {
    let parts: Vec<Part> = sections.iter().map(Part::of).collect();
    let mut file = Cursor::new(Vec::new());
    write(&parts, &mut file)?;
    Ok(file.into_inner())
}

/// Writes the file of these sections: the head and the table last, when lengths and checksums are known.
pub fn write(parts: &[Part<'_>], file: &mut impl Target) -> io::Result<()> {
    let mut table = Vec::with_capacity(parts.len() * ROW);
    let mut offset = (HEAD + parts.len() * ROW) as u64;
    file.write_all(&vec![0; offset as usize])?;
    for part in parts {
        let stored = store(part, file, offset)?;
        let mut name = [0; NAME];
        name[..part.name.len()].copy_from_slice(part.name.as_bytes());
        table.extend_from_slice(&name);
        for number in [offset, stored.bytes, stored.raw] {
            table.extend_from_slice(&number.to_le_bytes());
        }
        table.extend_from_slice(&stored.checksum.to_le_bytes());
        table.extend_from_slice(&stored.how.to_le_bytes());
        offset += stored.bytes;
    }
    let mut head = MAGIC.to_vec();
    for number in [VERSION, ENDIANNESS, parts.len() as u32] {
        head.extend_from_slice(&number.to_le_bytes());
    }
    head.extend_from_slice(&checksum_of_head(&head, &table).to_le_bytes());
    head.extend_from_slice(&table);
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head)
}

/// How a section was stored.
struct Stored {
    bytes: u64,
    raw: u64,
    checksum: u32,
    how: u32,
}

/// Stores a section at this place: packed, where that is worth it.
fn store(part: &Part<'_>, file: &mut impl Target, place: u64) -> io::Result<Stored> {
    let mut packer = Packer::new(Counted::new(&mut *file));
    part.write(&mut packer)?;
    let raw = packer.raw;
    let (bytes, checksum) = packer.finish()?;
    if bytes < raw && raw <= most_raw(bytes) {
        return Ok(Stored { bytes, raw, checksum, how: ZSTD });
    }
    file.cut(place)?;
    let mut plain = Counted::new(file);
    part.write(&mut plain)?;
    Ok(Stored { bytes: plain.bytes, raw, checksum: plain.hasher.finalize(), how: PLAIN })
}

/// Counts what is written, and sums it up.
struct Counted<'a, W> {
    out: &'a mut W,
    bytes: u64,
    hasher: crc32fast::Hasher,
}

impl<'a, W: Write> Counted<'a, W> {
    fn new(out: &'a mut W) -> Self {
        Counted { out, bytes: 0, hasher: crc32fast::Hasher::new() }
    }
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What is packed in one go (bytes): that packs a little better than as it comes.
const LITTLE: usize = 4 << 20;

/// Packs what is written.
struct Packer<'a, W: Write> {
    raw: u64,
    packing: Packing<'a, W>,
}

enum Packing<'a, W: Write> {
    /// All of it so far, while it is little, and where it will go.
    InOneGo(Vec<u8>, Counted<'a, W>),
    AsItComes(zstd::stream::write::Encoder<'static, Counted<'a, W>>),
    /// While it changes from the one to the other, or after that failed.
    Nothing,
}

impl<'a, W: Write> Packer<'a, W> {
    fn new(out: Counted<'a, W>) -> Self {
        Packer { raw: 0, packing: Packing::InOneGo(Vec::new(), out) }
    }

    /// Bytes and checksum of what was stored.
    fn finish(self) -> io::Result<(u64, u32)> {
        let out = match self.packing {
            Packing::InOneGo(all, mut out) => {
                out.write_all(&zstd::bulk::compress(&all, LEVEL)?)?;
                out
            }
            Packing::AsItComes(encoder) => encoder.finish()?,
            Packing::Nothing => return Err(io::Error::other("a section could not be packed")),
        };
        Ok((out.bytes, out.hasher.finalize()))
    }
}

impl<W: Write> Write for Packer<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let too_much = |all: &Vec<u8>| all.len() + bytes.len() > LITTLE;
        self.packing = match std::mem::replace(&mut self.packing, Packing::Nothing) {
            Packing::InOneGo(all, out) if too_much(&all) => {
                let mut encoder = zstd::stream::write::Encoder::new(out, LEVEL)?;
                encoder.write_all(&all)?;
                Packing::AsItComes(encoder)
            }
            other => other,
        };
        match &mut self.packing {
            Packing::InOneGo(all, _) => all.extend_from_slice(bytes),
            Packing::AsItComes(encoder) => encoder.write_all(bytes)?,
            Packing::Nothing => return Err(io::Error::other("a section could not be packed")),
        }
        self.raw += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Of the 20 bytes before it and of the table after it.
fn checksum_of_head(head: &[u8], table: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(table);
    hasher.finalize()
}

/// A row of the table.
struct Row<'a> {
    name: &'a str,
    stored: &'a [u8],
    raw: u64,
    checksum: u32,
    how: u32,
}

/// The sections of a file, in its order; or what is wrong with it.
pub fn decode(file: &[u8]) -> Result<Vec<Section>, String> {
    if !file.starts_with(&MAGIC) {
        return Err("is not a checkpoint: it does not begin like one".into());
    }
    let cut = || "is cut off: it ends before its table does".to_owned();
    let number = |at: usize| read_u32(file, at).ok_or_else(cut);
    let version = number(8)?;
    if number(12)? != ENDIANNESS {
        return Err("is not a checkpoint of this format: its mark of byte order is wrong".into());
    }
    if version > VERSION {
        return Err(format!("is of version {version} of the checkpoint format; this program reads up to {VERSION}"));
    }
    if version == 0 {
        return Err("is damaged: there is no version 0 of the checkpoint format".into());
    }
    let count = number(16)? as usize;
    if count > MOST_SECTIONS {
        return Err(format!("is damaged: it says that it has {count} sections"));
    }
    let checksum = number(20)?;
    let end = HEAD + count * ROW;
    let table = file.get(HEAD..end).ok_or_else(cut)?;
    if checksum_of_head(&file[..20], table) != checksum {
        return Err("is damaged: the checksum of its table is wrong".into());
    }
    let mut next = end as u64;
    let rows: Vec<Row> = table.chunks_exact(ROW).map(|row| read_row(row, file, &mut next)).collect::<Result<_, _>>()?;
    if next != file.len() as u64 {
        return Err(format!("is damaged: {} bytes follow its last section", file.len() as u64 - next));
    }
    for (i, row) in rows.iter().enumerate() {
        if rows[..i].iter().any(|before| before.name == row.name) {
            return Err(format!("is damaged: its section `{}` stands there twice", row.name));
        }
    }
    rows.iter().map(unpack).collect()
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// A row whose section begins at `next`, which is moved to its end.
fn read_row<'a>(row: &'a [u8], file: &'a [u8], next: &mut u64) -> Result<Row<'a>, String> {
    let damaged = || "is damaged: a row of its table".to_owned();
    let used = row[..NAME].iter().position(|&byte| byte == 0).unwrap_or(NAME);
    let (name, padding) = row[..NAME].split_at(used);
    let name = std::str::from_utf8(name).map_err(|_| damaged())?;
    let printing = name.bytes().all(|byte| byte.is_ascii_graphic());
    if name.is_empty() || !printing || padding.iter().any(|&byte| byte != 0) {
        return Err(damaged());
    }
    let number = |at: usize| read_u64(row, NAME + at).ok_or_else(damaged);
    let (offset, stored, raw) = (number(0)?, number(8)?, number(16)?);
    let (checksum, how) = (read_u32(row, 48).ok_or_else(damaged)?, read_u32(row, 52).ok_or_else(damaged)?);
    if offset != *next {
        return Err(format!("is damaged: its section `{name}` is not where it should be"));
    }
    let end = offset.checked_add(stored).filter(|&end| end <= file.len() as u64);
    let Some(end) = end else {
        return Err(format!("is cut off: its section `{name}` has {stored} bytes, and the file ends before"));
    };
    let fits = match how {
        PLAIN => raw == stored,
        ZSTD => raw <= most_raw(stored),
        _ => return Err(format!("is damaged: its section `{name}` is stored in an unknown way")),
    };
    if !fits {
        return Err(format!("is damaged: its section `{name}` says that its {stored} bytes are {raw}"));
    }
    *next = end;
    Ok(Row { name, stored: &file[offset as usize..end as usize], raw, checksum, how })
}

fn unpack(row: &Row<'_>) -> Result<Section, String> {
    let name = row.name;
    if crc32fast::hash(row.stored) != row.checksum {
        return Err(format!("is damaged: the checksum of its section `{name}` is wrong"));
    }
    let mut bytes = Vec::new();
    if row.how == PLAIN {
        bytes.extend_from_slice(row.stored);
    } else {
        // Grows with what is there, and never beyond what is declared.
        let broken = |error: std::io::Error| format!("is damaged: its section `{name}` does not unpack ({error})");
        let decoder = zstd::stream::read::Decoder::with_buffer(row.stored).map_err(broken)?;
        decoder.take(row.raw + 1).read_to_end(&mut bytes).map_err(broken)?;
    }
    if bytes.len() as u64 != row.raw {
        return Err(format!("is damaged: its section `{name}` unpacks to another length than its table says"));
    }
    Ok(Section { name: name.to_owned(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections() -> Vec<Section> {
        let section = |name: &str, bytes: Vec<u8>| Section { name: name.into(), bytes };
        let noise = (0..999_u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        vec![section("zeros", vec![0; 5000]), section("noise", noise), section("none", Vec::new())]
    }

    #[test]
    fn sections_come_back() {
        let file = encode(&sections()).unwrap();
        assert!(file.len() < 5000, "zeros are packed: {}", file.len());
        assert_eq!(decode(&file).unwrap(), sections());
        assert_eq!(decode(&encode(&[]).unwrap()).unwrap(), []);
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_an_error() {
        let file = encode(&sections()).unwrap();
        for at in 0..file.len() {
            for bit in 0..8 {
                let mut flipped = file.clone();
                flipped[at] ^= 1 << bit;
                assert!(decode(&flipped).is_err(), "bit {bit} of byte {at}");
            }
            assert!(decode(&file[..at]).is_err(), "cut at {at}");
        }
        let mut longer = file.clone();
        longer.push(0);
        assert!(decode(&longer).unwrap_err().contains("1 bytes follow"));
    }

    /// A file whose table is changed and whose checksum is right again.
    fn forged(change: impl Fn(&mut [u8])) -> Result<Vec<Section>, String> {
        let mut file = encode(&sections()).unwrap();
        change(&mut file);
        let end = HEAD + 3 * ROW;
        let checksum = checksum_of_head(&file[..20], &file[HEAD..end]);
        file[20..24].copy_from_slice(&checksum.to_le_bytes());
        decode(&file)
    }

    #[test]
    fn a_forged_table_allocates_nothing_and_is_refused() {
        let put = |file: &mut [u8], at: usize, value: u64| file[at..at + 8].copy_from_slice(&value.to_le_bytes());
        let row = |field: usize| HEAD + NAME + 8 * field;
        assert!(forged(|file| put(file, row(2), u64::MAX)).unwrap_err().contains("says that its"));
        assert!(forged(|file| put(file, row(2), 4999)).unwrap_err().contains("another length"));
        assert!(forged(|file| put(file, row(2), 1 << 27)).unwrap_err().contains("another length"));
        assert!(forged(|file| put(file, row(1), u64::MAX)).unwrap_err().contains("the file ends before"));
        assert!(forged(|file| put(file, row(0), 3)).unwrap_err().contains("not where it should be"));
        assert!(forged(|file| file[HEAD] = 0).unwrap_err().contains("a row of its table"));
        assert!(forged(|file| file.copy_within(HEAD..HEAD + NAME, HEAD + ROW)).unwrap_err().contains("twice"));
        assert!(forged(|_| ()).is_ok());
    }

    #[test]
    fn other_files_and_newer_versions_are_named() {
        assert!(decode(b"title = 1\n").unwrap_err().contains("is not a checkpoint"));
        assert!(decode(b"").unwrap_err().contains("is not a checkpoint"));
        let mut newer = encode(&sections()).unwrap();
        newer[8] = 7;
        assert!(decode(&newer).unwrap_err().contains("version 7"));
    }
}

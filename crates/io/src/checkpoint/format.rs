//! The container of a checkpoint: named sections behind a table, each with its length and checksum.
//!
//! `docs/checkpoint-format.md` describes the bytes. Every byte of a file stands under a checksum or in a field that has one
//! value only, sections follow each other without gaps, and nothing is decompressed before its checksum holds, so a file
//! that is cut off or has a flipped bit is an error and never a panic or another content. Lengths are checked against the
//! size of the file; what decompression may produce is bounded by the declared lengths, and their sum by `most_raw`. A
//! section is decompressed when it is asked for: one that nobody knows stays packed, and is written again as it was.
//!
//! Does not do: knowing what a section holds (`columns.rs`, `describe.rs`), nor protecting against forgery.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write};

/// The first bytes of a checkpoint.
pub const MAGIC: [u8; 8] = *b"\x89stkslip";
/// The version that is written, and the newest that is read.
pub const VERSION: u32 = 2;
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

/// A section as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its name: 1 to 24 bytes of printing ASCII.
    pub name: String,
    stored: Vec<u8>,
    raw: u64,
    checksum: u32,
    how: u32,
}

/// The length that sections stored in so many bytes may have at the most, one of them as well as all of a file together: a
/// file must not fill a machine's memory with zeros. What compresses better is stored plain.
fn most_raw(stored: u64) -> u64 {
    (1 << 28) + stored.saturating_mul(256)
}

type WriteTo<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// A section that need not be in memory at once: it is written when its turn comes, to the same bytes each time it is asked.
pub struct Part<'a> {
    /// Its name: 1 to 24 bytes of printing ASCII.
    pub name: String,
    write: Box<WriteTo<'a>>,
    /// The same as another file has it.
    packed: Option<&'a Packed>,
}

impl<'a> Part<'a> {
    /// Written by a function.
    pub fn new(name: &str, write: impl Fn(&mut dyn Write) -> io::Result<()> + 'a) -> Self {
        Part { name: name.into(), write: Box::new(write), packed: None }
    }

    /// Of a section as it is.
    pub fn of(section: &'a Section) -> Self {
        Part::new(&section.name, |out| out.write_all(&section.bytes))
    }

    /// Of a section that stays packed.
    pub fn packed(section: &'a Packed) -> Self {
        let row = move || Row {
            name: &section.name,
            stored: &section.stored,
            raw: section.raw,
            checksum: section.checksum,
            how: section.how,
        };
        let part = Part::new(&section.name, move |out| row().unpack_to(out));
        Part { packed: Some(section), ..part }
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
    let start = (HEAD + parts.len() * ROW) as u64;
    let (mut offset, mut raw) = (start, 0);
    file.write_all(&vec![0; offset as usize])?;
    for part in parts {
        let stored = store(part, file, offset, Sum { stored: offset - start, raw })?;
        let mut name = [0; NAME];
        name[..part.name.len()].copy_from_slice(part.name.as_bytes());
        table.extend_from_slice(&name);
        for number in [offset, stored.bytes, stored.raw] {
            table.extend_from_slice(&number.to_le_bytes());
        }
        table.extend_from_slice(&stored.checksum.to_le_bytes());
        table.extend_from_slice(&stored.how.to_le_bytes());
        offset += stored.bytes;
        raw += stored.raw;
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

/// What sections take together, stored and unpacked (bytes).
#[derive(Clone, Copy)]
struct Sum {
    stored: u64,
    raw: u64,
}

impl Sum {
    /// Whether a section may follow: neither it nor all together unpack to more than is read.
    fn bears(self, stored: u64, raw: u64) -> bool {
        raw <= most_raw(stored) && self.raw.saturating_add(raw) <= most_raw(self.stored + stored)
    }
}

/// Stores a section at this place, behind those of `before`: packed, where that is worth it.
fn store(part: &Part<'_>, file: &mut impl Target, place: u64, before: Sum) -> io::Result<Stored> {
    if let Some(packed) = part.packed.filter(|packed| before.bears(packed.stored.len() as u64, packed.raw)) {
        file.write_all(&packed.stored)?;
        let Packed { raw, checksum, how, .. } = *packed;
        return Ok(Stored { bytes: packed.stored.len() as u64, raw, checksum, how });
    }
    let mut packer = Packer::new(Counted::new(&mut *file));
    part.write(&mut packer)?;
    let raw = packer.raw;
    let (bytes, checksum) = packer.finish()?;
    if bytes < raw && before.bears(bytes, raw) {
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

/// A row of the table, and the section that it speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    name: &'a str,
    stored: &'a [u8],
    raw: u64,
    checksum: u32,
    how: u32,
}

/// The sections of a file, in its order, unpacked; or what is wrong with it.
pub fn decode(file: &[u8]) -> Result<Vec<Section>, String> {
    rows(file)?.iter().map(|row| Ok(Section { name: row.name.to_owned(), bytes: row.unpack()? })).collect()
}

/// The sections of a file, in its order, none of them unpacked; or what is wrong with it.
pub fn rows(file: &[u8]) -> Result<Vec<Row<'_>>, String> {
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
    let (stored, raw) = ((file.len() - end) as u64, rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.raw)));
    if raw > most_raw(stored) {
        return Err(format!("is damaged: its sections would unpack to {} MiB", raw >> 20));
    }
    Ok(rows)
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

impl Row<'_> {
    /// Its name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Its length unpacked, as the table has it (bytes).
    pub fn raw(&self) -> u64 {
        self.raw
    }

    /// Its content.
    pub fn unpack(&self) -> Result<Vec<u8>, String> {
        let name = self.name;
        self.check()?;
        let mut bytes = Vec::new();
        self.unpack_to(&mut bytes)
            .map_err(|error| format!("is damaged: its section `{name}` does not unpack ({error})"))?;
        if bytes.len() as u64 != self.raw {
            return Err(format!("is damaged: its section `{name}` unpacks to another length than its table says"));
        }
        Ok(bytes)
    }

    /// As it is stored.
    pub fn packed(&self) -> Result<Packed, String> {
        self.check()?;
        let (name, stored) = (self.name.to_owned(), self.stored.to_owned());
        Ok(Packed { name, stored, raw: self.raw, checksum: self.checksum, how: self.how })
    }

    fn check(&self) -> Result<(), String> {
        if crc32fast::hash(self.stored) != self.checksum {
            return Err(format!("is damaged: the checksum of its section `{}` is wrong", self.name));
        }
        Ok(())
    }

    /// Writes the content as it is unpacked, and at most one byte more than the table says.
    fn unpack_to(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.how == PLAIN {
            return out.write_all(self.stored);
        }
        let decoder = zstd::stream::read::Decoder::with_buffer(self.stored)?;
        io::copy(&mut decoder.take(self.raw + 1), out).map(|_| ())
    }
}

/// Breaks the stored bytes of a section, under checksums that are right again.
#[cfg(test)]
pub(super) fn break_stored(file: &mut [u8], name: &str) {
    let place = {
        let rows = rows(file).unwrap();
        rows.iter().position(|row| row.name == name && row.how == ZSTD).unwrap()
    };
    let row = HEAD + place * ROW;
    let [start, length] = [0, 8].map(|at| read_u64(file, row + NAME + at).unwrap() as usize);
    file[start..start + length].fill(0);
    let checksum = crc32fast::hash(&file[start..start + length]);
    file[row + 48..row + 52].copy_from_slice(&checksum.to_le_bytes());
    let end = HEAD + read_u32(file, 16).unwrap() as usize * ROW;
    let checksum = checksum_of_head(&file[..20], &file[HEAD..end]);
    file[20..24].copy_from_slice(&checksum.to_le_bytes());
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

    /// A file of these sections, which unpack to zeros, whatever they sum up to.
    fn zeros(count: usize, each: usize) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), LEVEL).unwrap();
        io::copy(&mut io::repeat(0).take(each as u64), &mut encoder).unwrap();
        let stored = encoder.finish().unwrap();
        let mut table = Vec::new();
        for i in 0..count {
            let mut name = format!("zeros.{i}").into_bytes();
            name.resize(NAME, 0);
            table.extend(name);
            let offset = HEAD + count * ROW + i * stored.len();
            table.extend([offset, stored.len(), each].into_iter().flat_map(|number| (number as u64).to_le_bytes()));
            table.extend([crc32fast::hash(&stored), ZSTD].into_iter().flat_map(u32::to_le_bytes));
        }
        let mut file = MAGIC.to_vec();
        file.extend([VERSION, ENDIANNESS, count as u32].into_iter().flat_map(u32::to_le_bytes));
        file.extend(checksum_of_head(&file, &table).to_le_bytes());
        file.extend(table);
        file.extend(stored.repeat(count));
        file
    }

    #[test]
    fn a_small_file_cannot_unpack_to_gigabytes() {
        // Each section was within its limit, and 99 kB unpacked to 3 GB.
        let bomb = zeros(12, 1 << 28);
        assert!(bomb.len() < 150_000, "{}", bomb.len());
        assert_eq!(rows(&bomb).unwrap_err(), "is damaged: its sections would unpack to 3072 MiB");
        assert!(decode(&bomb).is_err());
        let sound = zeros(3, 1 << 20);
        assert!(decode(&sound).unwrap().iter().all(|section| section.bytes == vec![0; 1 << 20]));
        // What is written is read: sections that shrink too much together are stored plain from there on.
        let sections = [1_u8, 2, 3].map(|i| Section { name: format!("s{i}"), bytes: vec![i; 100 << 20] });
        let file = encode(&sections).unwrap();
        assert!(((100 << 20)..(101 << 20)).contains(&file.len()), "{}", file.len());
        assert!(decode(&file).unwrap() == sections);
    }

    #[test]
    fn a_section_that_stays_packed_is_written_as_it_was() {
        let file = encode(&sections()).unwrap();
        let packed: Vec<Packed> = rows(&file).unwrap().iter().map(|row| row.packed().unwrap()).collect();
        let parts: Vec<Part> = packed.iter().map(Part::packed).collect();
        let mut again = Cursor::new(Vec::new());
        write(&parts, &mut again).unwrap();
        assert_eq!(again.into_inner(), file);
        // What is summed up is the content.
        for (part, section) in parts.iter().zip(sections()) {
            let mut content = Vec::new();
            part.write(&mut content).unwrap();
            assert_eq!(content, section.bytes);
        }
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

//! Breaking files on purpose: changes of a TOML file's structure and of any file's bytes, from numbers that repeat.
//!
//! A change of structure finds keys and values with the parser, so that it hits what a reader of scenes looks at; a text that
//! is no TOML (any more) is only changed as bytes. Shared by the tests of the command (crates/cli/tests/bad_input.rs).

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Random enough to break files, and the same on every machine (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `sides`; 0 if there are no sides.
    pub fn roll(&mut self, sides: usize) -> usize {
        (self.next() % sides.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.roll(from.len()))
    }

    /// From 1e-320 to 1e319, of which numbers hold 1e308.
    fn power_of_ten(&mut self) -> f64 {
        format!("1e{}", self.roll(640) as i32 - 320).parse().unwrap_or(1.0)
    }

    /// A stretch of `0..length`, short more often than long.
    fn stretch(&mut self, length: usize) -> Range<usize> {
        let start = self.roll(length + 1);
        let most = [1, 4, 40, length][self.roll(4)];
        start..(start + self.roll(most + 1)).min(length)
    }
}

/// Values that no scene expects, in TOML.
const JUNK: [&str; 46] = [
    "nan",
    "inf",
    "-inf",
    "0",
    "-0.0",
    "-1",
    "-1.0",
    "1",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e400",
    "1e160",
    "1e-160",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1000000000000",
    "4294967295",
    "4294967296",
    "65536",
    "0x7fffffffffffffff",
    "1_0",
    "true",
    "false",
    "\"\"",
    "\"word\"",
    "\"1.0\"",
    "\"nan\"",
    "\"grain\"",
    "\"auto\"",
    "\"../../..\"",
    "\"/\"",
    "\"\\u0000\"",
    "\"\\u202e\\ufeff\\t\\n\"",
    "'''\n'''",
    "[]",
    "[[]]",
    "[1, 2]",
    "[1, 2, 3, 4]",
    "[0, 0, 0]",
    "[nan, 0, 0]",
    "[\"a\", 1, []]",
    "{}",
    "1979-05-27T07:32:00Z",
];

/// Keys that scenes and probes know.
const KEYS: [&str; 40] = [
    "title",
    "gravity",
    "seed",
    "time",
    "end",
    "step",
    "stop",
    "method",
    "kind",
    "material",
    "density",
    "young",
    "poisson",
    "contact",
    "between",
    "normal",
    "slide",
    "roll",
    "spin",
    "law",
    "stiffness",
    "damping",
    "mu",
    "length",
    "body",
    "shape",
    "radius",
    "position",
    "velocity",
    "motion",
    "grains",
    "count",
    "place",
    "stream",
    "rate",
    "from",
    "to",
    "domain",
    "record",
    "start",
];

/// A text with more is changed as bytes and lines only: the parser takes some 1.2 kB of stack for each bracket, and a test
/// has 2 MiB.
const MOST_BRACKETS: usize = 1000;

/// Whether the bare parser can be led beyond its stack by this text; the readers of the program count the levels first.
pub fn beyond_the_bare_parser(text: &str) -> bool {
    text.matches(['[', '{']).count() > MOST_BRACKETS
}

/// A key with its value, where they stand in the text.
#[derive(Clone, Debug)]
pub struct Entry {
    key: Range<usize>,
    value: Range<usize>,
}

/// Where keys and values stand; nothing if the text is no TOML.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    entries: Vec<Entry>,
    /// Elements of arrays.
    elements: Vec<Range<usize>>,
    /// Names in headers of tables.
    headers: Vec<Range<usize>>,
}

impl Structure {
    pub fn of(text: &str) -> Self {
        let mut found = Structure::default();
        if beyond_the_bare_parser(text) {
            return found;
        }
        if let Ok(table) = DeTable::parse(text) {
            found.table(text, table.get_ref());
        }
        found
    }

    fn table(&mut self, text: &str, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            if written_out(text, value) {
                self.entries.push(Entry { key: key.span(), value: value.span() });
            } else {
                self.headers.push(key.span());
            }
            self.value(text, value);
        }
    }

    fn value(&mut self, text: &str, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => self.table(text, table),
            DeValue::Array(array) => {
                for element in array.iter() {
                    if written_out(text, element) {
                        self.elements.push(element.span());
                    }
                    self.value(text, element);
                }
            }
            _ => {}
        }
    }

    /// The text of every value.
    pub fn values<'a>(&self, text: &'a str) -> Vec<&'a str> {
        self.entries.iter().filter_map(|entry| text.get(entry.value.clone())).collect()
    }
}

/// Whether a value stands behind its equals sign or in an array: tables with a header of their own do not.
fn written_out(text: &str, value: &Spanned<DeValue<'_>>) -> bool {
    let first = text.as_bytes().get(value.span().start);
    match value.get_ref() {
        DeValue::Table(_) => first == Some(&b'{'),
        DeValue::Array(array) => first == Some(&b'[') && array.first().is_none_or(|element| written_out(text, element)),
        _ => !value.span().is_empty(),
    }
}

/// The text with some changes; `donors` are values of other files.
pub fn mutant(text: &str, donors: &[String], dice: &mut Dice) -> Vec<u8> {
    let mut text = text.to_owned();
    let changes = [1, 1, 1, 2, 2, 3, 6][dice.roll(7)];
    let gentle = dice.roll(2) == 0;
    for _ in 0..changes {
        if gentle {
            text = change_number(&text, dice);
            continue;
        }
        text = match dice.roll(10) {
            0..=6 => change_structure(&text, donors, dice),
            7..=8 => change_lines(&text, dice),
            _ => {
                let bytes = change_bytes(text.as_bytes(), dice);
                match String::from_utf8(bytes) {
                    Ok(text) => text,
                    Err(error) => return error.into_bytes(),
                }
            }
        };
    }
    text.into_bytes()
}

fn change_structure(text: &str, donors: &[String], dice: &mut Dice) -> String {
    let found = Structure::of(text);
    let Some(entry) = dice.pick(&found.entries).cloned() else { return change_lines(text, dice) };
    let replaced = |range: Range<usize>, with: &str| [&text[..range.start], with, &text[range.end..]].concat();
    let value = &text[entry.value.clone()];
    match dice.roll(16) {
        0 => {
            // With the comma of an inline table, mostly.
            let comma = usize::from(text[entry.value.end..].starts_with(',') && dice.roll(4) > 0);
            replaced(entry.key.start..entry.value.end + comma, "")
        }
        1 => {
            let both = &text[entry.key.start..entry.value.end];
            let between = ["\n", ", "][dice.roll(2)];
            replaced(entry.value.end..entry.value.end, &format!("{between}{both}"))
        }
        2 => replaced(entry.key.clone(), &other_key(&text[entry.key.clone()], dice)),
        3 => match dice.pick(&found.headers).cloned() {
            Some(header) => replaced(header.clone(), &other_key(&text[header], dice)),
            None => text.to_owned(),
        },
        4 => match dice.pick(&found.entries).cloned() {
            // Two values change places.
            Some(other) if other.value.start >= entry.value.end => {
                let rest = replaced(other.value.clone(), value);
                [&rest[..entry.value.start], &text[other.value], &rest[entry.value.end..]].concat()
            }
            Some(other) => replaced(entry.value.clone(), &text[other.value]),
            None => text.to_owned(),
        },
        5 => replaced(entry.value.clone(), dice.pick(donors).map_or("0", String::as_str)),
        6 => match dice.pick(&found.elements).cloned() {
            Some(element) => {
                let with = other_value(&text[element.clone()], dice);
                replaced(element, &with)
            }
            None => text.to_owned(),
        },
        7 => match dice.pick(&found.elements).cloned() {
            Some(element) => replaced(element.start..element.start, &format!("{}, ", &text[element])),
            None => text.to_owned(),
        },
        8 if dice.roll(8) == 0 => replaced(entry.value.clone(), &huge(value, dice)),
        _ => replaced(entry.value.clone(), &other_value(value, dice)),
    }
}

/// Another number for a number: what is read without complaint and may go wrong later.
fn change_number(text: &str, dice: &mut Dice) -> String {
    let found = Structure::of(text);
    let places = found.entries.into_iter().map(|entry| entry.value).chain(found.elements);
    let numbers: Vec<(Range<usize>, f64)> =
        places.filter_map(|at| Some((at.clone(), text[at].parse().ok()?))).collect();
    let Some((at, number)) = dice.pick(&numbers) else { return text.to_owned() };
    let whole = !text[at.clone()].contains(['.', 'e', 'n']);
    let with = match dice.roll(8) {
        0 => -number,
        1 => 0.0,
        2 => number * dice.power_of_ten(),
        3 => number * (1.0 + 1e-12),
        4 => dice.pick(&numbers).map_or(1.0, |other| other.1),
        _ => number * [0.1, 0.5, 0.9, 1.1, 2.0, 3.0, 10.0, 100.0][dice.roll(8)],
    };
    // A count stays a whole number, and small enough to be placed in milliseconds.
    let with = if whole && with.abs() < 500.0 { format!("{with:.0}") } else { format!("{with:e}") };
    [&text[..at.start], &with, &text[at.end..]].concat()
}

fn other_key(key: &str, dice: &mut Dice) -> String {
    match dice.roll(8) {
        0 => String::new(),
        1 => "\"\"".into(),
        2 => format!("{key}.{key}"),
        3 => format!("{key}_"),
        4 => "\"\\u0000 \\n\\\"\"".into(),
        5 if dice.roll(4) == 0 => "k".repeat(30_000),
        _ => (*dice.pick(&KEYS).unwrap_or(&"end")).into(),
    }
}

fn other_value(value: &str, dice: &mut Dice) -> String {
    let number = value.parse::<f64>().ok();
    match (dice.roll(10), number) {
        (0, Some(number)) => format!("{:?}", -number),
        (1, Some(number)) => format!("{:e}", number * [0.5, 2.0, 10.0, 0.1][dice.roll(4)]),
        (2, Some(number)) => format!("{:e}", number * dice.power_of_ten()).replace("NaN", "nan"),
        (3, Some(number)) => {
            format!("{:?}", f64::from_bits(number.to_bits() ^ (1 << dice.roll(64)))).replace("NaN", "nan")
        }
        (4, _) => format!("[{value}]"),
        (5, _) => format!("\"{}\"", value.replace(['"', '\\', '\n'], "")),
        _ => (*dice.pick(&JUNK).unwrap_or(&"0")).into(),
    }
}

/// Values that are deep, long or many.
fn huge(value: &str, dice: &mut Dice) -> String {
    match dice.roll(7) {
        0 => "[".repeat(100_000),
        1 => format!("{}{}", "[".repeat(90), "]".repeat(90)),
        2 => "{a=".repeat(10_000),
        3 => format!("{{ {}a = 1 }}", "a.".repeat(10_000)),
        4 => format!("\"{}\"", "long ".repeat(20_000)),
        5 => format!("[{}0]", "0, ".repeat(20_000)),
        _ => format!("[{}{value}]", format!("{value}, ").repeat(500)),
    }
}

/// Whole lines and blocks of lines.
fn change_lines(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    // A block is what stands from one header to the next.
    let heads: Vec<usize> = (0..lines.len()).filter(|&i| i == 0 || lines[i].starts_with('[')).collect();
    let at = dice.roll(heads.len());
    let block = heads[at]..heads.get(at + 1).copied().unwrap_or(lines.len());
    let line = dice.roll(lines.len());
    match dice.roll(8) {
        0 => drop(lines.drain(block)),
        1 => {
            let copy = lines[block.clone()].to_vec();
            let times = if text.len() < 10_000 { [1, 1, 2, 300][dice.roll(4)] } else { 1 };
            for _ in 0..times {
                lines.splice(block.end..block.end, copy.iter().copied());
            }
        }
        2 => {
            let moved: Vec<&str> = lines.drain(block).collect();
            lines.splice(0..0, moved);
        }
        3 => drop(lines.remove(line)),
        4 => lines.insert(line, lines[line]),
        5 => {
            let other = dice.roll(lines.len());
            lines.swap(line, other);
        }
        6 => return text.replace('\n', ["\r\n", "\r", " ", "\n\n"][dice.roll(4)]),
        _ => {
            let mut end = dice.roll(text.len() + 1);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            return text[..end].to_owned();
        }
    }
    lines.concat()
}

/// Any file as bytes.
pub fn change_bytes(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    const ODD: [&[u8]; 10] = [
        b"\0",
        b"\xff",
        b"\xc3",
        b"\xef\xbb\xbf",
        b"\r",
        b"\x1b[31m",
        b"\n",
        "\u{202e}\u{1f600}e\u{301}".as_bytes(),
        b"\"",
        b"nan",
    ];
    let mut bytes = bytes.to_vec();
    for _ in 0..[1, 1, 2, 8][dice.roll(4)] {
        let range = dice.stretch(bytes.len());
        match dice.roll(8) {
            0 => bytes.truncate(range.start),
            1 => drop(bytes.drain(range)),
            2 if bytes.len() < 100_000 => {
                let copy = bytes[range.clone()].to_vec();
                bytes.splice(range.start..range.start, copy);
            }
            3 => {
                let odd = ODD[dice.roll(ODD.len())];
                bytes.splice(range.start..range.start, odd.iter().copied());
            }
            4 => drop(bytes.splice(range, [b'9'; 20])),
            5 => bytes[range].fill(0),
            _ => {
                if let Some(byte) = bytes.get_mut(range.start) {
                    *byte ^= 1 << dice.roll(8);
                }
            }
        }
    }
    bytes
}

/// Any table of numbers: fields change places and values, lines come and go.
pub fn change_fields(text: &str, separator: char, dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + dice.roll(3) {
        if lines.is_empty() {
            break;
        }
        let line = dice.roll(lines.len());
        match dice.roll(10) {
            0 => drop(lines.remove(line)),
            1 => lines.insert(line, lines[line].clone()),
            2 => {
                let other = dice.roll(lines.len());
                lines.swap(line, other);
            }
            3 => return change_bytes(lines.join("\n").as_bytes(), dice),
            _ => {
                let mut fields: Vec<String> = lines[line].split(separator).map(str::to_owned).collect();
                let at = dice.roll(fields.len());
                match dice.roll(6) {
                    0 => drop(fields.remove(at)),
                    1 => fields.insert(at, fields[at].clone()),
                    _ => fields[at] = other_value(&fields[at], dice),
                }
                lines[line] = fields.join(&separator.to_string());
            }
        }
    }
    (lines.join("\n") + "\n").into_bytes()
}

//! Which parts of the engine may not know which others: checked by their imports. A part that compiles without a method stays
//! usable by the next one.

use std::fs;
use std::path::{Path, PathBuf};

/// Parts (a folder with its file, under `src/`) and the modules of the crate that they must not name: the ways of advancing a
/// world and what is built on them; what reads a world; and for laws and contacts everything that holds many of them.
const ROOMS: [(&[&str], &[&str]); 5] = [
    (&SHARED, &["explicit", "constraint", "nonsmooth", "world", "probe", "reference"]),
    (&["collide", "collider", "cone", "broad", "contact", "law"], &["soft", "measure"]),
    (&["cone"], &["body", "cell", "contact", "geometry", "law", "ledger", "model", "broad", "state", "wall"]),
    (&["contact", "law"], &["body", "collide", "ledger", "model", "broad", "state", "wall"]),
    (&["broad"], &["body", "collide", "collider", "cone", "contact", "law", "ledger", "model", "state"]),
];

/// The parts that all methods share.
const SHARED: [&str; 22] = [
    "body",
    "broad",
    "cell",
    "collide",
    "collider",
    "cone",
    "contact",
    "energy",
    "flow",
    "geometry",
    "inflow",
    "law",
    "ledger",
    "model",
    "mover",
    "response",
    "responses",
    "shape",
    "soft",
    "state",
    "traffic",
    "wall",
];

/// The sources of a part, without its tests.
fn files_of(part: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(part);
    let mut files: Vec<PathBuf> = [folder.with_extension("rs")].into_iter().filter(|file| file.exists()).collect();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path)
            } else if !path.ends_with("tests.rs") {
                files.push(path)
            }
        }
    }
    files
}

/// The code of a source without comments, white space, and the tests at its end.
fn code_of(source: &str) -> String {
    let tests = source.find("\n#[cfg(test)]\nmod ").unwrap_or(source.len());
    let lines = source[..tests].lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

/// The names of the crate's modules that code speaks of: `crate::name`, and each of `crate::{name, other::Thing}`.
fn modules_named(code: &str) -> Vec<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for after in code.split("crate::").skip(1) {
        let Some(group) = after.strip_prefix('{') else {
            names.push(name(after));
            continue;
        };
        let (mut depth, mut start) = (0, 0);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    names.push(name(&group[start..at]));
                    start = at + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[test]
fn parts_do_not_import_what_stands_above_them() {
    for (part, forbidden) in ROOMS.iter().flat_map(|(parts, forbidden)| parts.iter().map(move |part| (part, forbidden)))
    {
        let files = files_of(part);
        assert!(!files.is_empty(), "{part} has no files: mend the table");
        for file in files {
            let code = code_of(&fs::read_to_string(&file).unwrap());
            assert!(
                !code.contains("super::super"),
                "{}: name modules from `crate`, so that this test sees them",
                file.display()
            );
            for name in modules_named(&code) {
                assert!(!forbidden.contains(&name.as_str()), "{} must not know `{name}`", file.display());
            }
        }
    }
}

#[test]
fn an_import_is_found_however_it_is_written() {
    let source = "use crate::law::{Hooke};\nuse crate::{\n  state::{Load, Mover}, world::World, // crate::cell\n};\nfn f() \
                  { crate::explicit::go() }\n#[cfg(test)]\nmod tests { use crate::probe; }\n";
    assert_eq!(modules_named(&code_of(source)), ["law", "state", "world", "explicit"]);
}

/// The parts of the crate: folders and files under `src/`.
fn parts() -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let names = fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path().with_extension(""));
    let mut parts: Vec<String> = names.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.retain(|part| part != "lib");
    parts
}

/// A reader can take the parts in an order in which each needs only those before it.
#[test]
fn no_part_needs_itself_by_way_of_others() {
    let parts = parts();
    let needs = |part: &String| -> Vec<String> {
        // Tests may make worlds of anything.
        let files = files_of(part).into_iter().filter(|file| !file.ends_with("tests.rs"));
        let code: String = files.map(|file| code_of(&fs::read_to_string(file).unwrap())).collect();
        modules_named(&code).into_iter().filter(|name| name != part && parts.contains(name)).collect()
    };
    let mut left: Vec<(&String, Vec<String>)> = parts.iter().map(|part| (part, needs(part))).collect();
    // Takes away parts that need none of those left, until there is none, or they need each other.
    loop {
        let names: Vec<String> = left.iter().map(|(part, _)| (*part).clone()).collect();
        let before = left.len();
        left.retain(|(_, needs)| needs.iter().any(|need| names.contains(need)));
        if left.len() == before {
            break;
        }
    }
    let names: Vec<&String> = left.iter().map(|(part, _)| *part).collect();
    let among = |needs: &Vec<String>| needs.iter().filter(|need| names.contains(need)).cloned().collect::<Vec<_>>();
    let shown: Vec<String> = left.iter().map(|(part, needs)| format!("{part} needs {:?}", among(needs))).collect();
    assert!(left.is_empty(), "these parts need each other: {}", shown.join("; "));
}

//! Checks what the documents refer to: files (links, and paths between backticks), headings, sections by number, and
//! equations of THEORY.md.
//!
//! Equations are defined by a number at the end of a line in a code block, `(3.15)`. Each chapter counts them from 1 without a gap. A
//! citation is such a number in parentheses within THEORY.md, and `eq. 3.15` or `eqs. 2.5 to 2.7` anywhere else. Links to
//! other hosts are not followed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::hygiene::files;

/// The documents whose sections others cite by number.
const NUMBERED: [&str; 3] = ["THEORY.md", "GUIDE.md", "ARCHITECTURE.md"];

/// Reads every document and every source that cites one.
pub fn check() -> Result<u64, String> {
    let theory = fs::read_to_string("THEORY.md").map_err(|error| format!("THEORY.md: {error}"))?;
    let equations = equations(&theory)?;
    let mut sections = Vec::new();
    for name in NUMBERED {
        let text = fs::read_to_string(name).map_err(|error| format!("{name}: {error}"))?;
        sections.push((name.trim_end_matches(".md"), section_numbers(&text)));
    }
    let mut faults = Vec::new();
    for path in files()? {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !matches!(extension, "md" | "rs" | "toml" | "py") {
            continue;
        }
        // What is not text cites nothing.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let mut found = Vec::new();
        if extension == "md" {
            found.extend(broken_links(&path, &text));
            found.extend(unknown_paths(&path, &text));
        }
        let theory = path == Path::new("THEORY.md");
        let cited = if theory { cited_in_theory(&text) } else { cited_elsewhere(&flowing(&text)) };
        let unknown = cited.into_iter().filter(|cited| !equations.contains(cited));
        found.extend(unknown.map(|(chapter, number)| format!("THEORY.md has no equation ({chapter}.{number})")));
        found.extend(unknown_sections(&flowing(&text), &sections));
        faults.extend(found.into_iter().map(|fault| format!("{}: {fault}", path.display())));
    }
    if faults.is_empty() { Ok(1) } else { Err(faults.join("\n")) }
}

// ---- links ----

/// Links of a document to files and headings that do not exist.
fn broken_links(path: &Path, text: &str) -> Vec<String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    links(text).into_iter().filter_map(|link| fault_of(path, folder, text, &link)).collect()
}

fn fault_of(path: &Path, folder: &Path, text: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { path.to_path_buf() } else { folder.join(file) };
    if !target.exists() {
        return Some(format!("links to {link}, but there is no such file"));
    }
    let anchor = anchor?;
    let there = if file.is_empty() { text.to_owned() } else { fs::read_to_string(&target).ok()? };
    let missing = !anchors(&there).contains(anchor);
    missing.then(|| format!("links to {link}, but {} has no such heading", target.display()))
}

/// Folders of the repository, and of `crates/`, that paths in a text begin with.
const FOLDERS: [&str; 9] = ["crates", "docs", "examples", "xtask", "engine", "io", "cli", "papers", "bench"];

/// Paths between backticks that lead to nothing: from the top of the repository, from `crates/` or from the document's
/// folder.
fn unknown_paths(path: &Path, text: &str) -> Vec<String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let exists = |name: &str| [Path::new(""), Path::new("crates"), folder].iter().any(|from| from.join(name).exists());
    let unknown = paths(text).into_iter().filter(|name| !exists(name));
    unknown.map(|name| format!("names `{name}`, but there is no such file")).collect()
}

/// Words between backticks, outside code blocks, that look like paths of the repository.
fn paths(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for line in prose(text) {
        for word in line.split('`').skip(1).step_by(2).flat_map(str::split_whitespace) {
            let bare = word.split([':', '#']).next().unwrap_or(word).trim_end_matches(['.', ',', ';', ')']);
            let pattern = bare.contains(['*', '<', '{', '$', '[', '=', '|']) || bare.contains("..");
            let ours = bare.split_once('/').is_some_and(|(first, rest)| FOLDERS.contains(&first) && !rest.is_empty());
            if ours && !pattern {
                paths.push(bare.to_owned());
            }
        }
    }
    paths
}

/// Lines outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !fence && !code
    })
}

/// Targets of `[..](target)`, outside code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for rest in plain.split("](").skip(1) {
            links.extend(rest.split(')').next().map(str::to_owned));
        }
    }
    links
}

/// Anchors of a document's headings, as its readers in a browser make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in headings(text) {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let slug: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        let mut anchor = slug.clone();
        let mut count = 0;
        while !anchors.insert(anchor) {
            count += 1;
            anchor = format!("{slug}-{count}");
        }
    }
    anchors
}

fn headings(text: &str) -> impl Iterator<Item = &str> {
    prose(text).filter_map(|line| Some(line.strip_prefix('#')?.trim_start_matches('#').trim()))
}

// ---- sections ----

/// Numbers at the start of headings: `3` of `3. Laws`, `3.7` of `3.7 Closed forms`.
fn section_numbers(text: &str) -> BTreeSet<String> {
    let numbers = headings(text).filter_map(|heading| heading.split(' ').next());
    numbers.map(|number| number.trim_end_matches('.').to_owned()).collect()
}

fn unknown_sections(text: &str, known: &[(&str, BTreeSet<String>)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, numbers) in known {
        for after in text.split(name).skip(1) {
            let after = after.strip_prefix(".md").unwrap_or(after);
            // As a link: `[THEORY.md](THEORY.md) section 3`.
            let after =
                after.split_once("](").map_or(after, |(before, after)| if before.is_empty() { after } else { before });
            let after = after.trim_start_matches(".md)").trim_start_matches([',', ' ']);
            let Some(cited) = after.strip_prefix("section ").or_else(|| after.strip_prefix("sections ")) else {
                continue;
            };
            let cited: String = cited.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let cited = cited.trim_end_matches('.');
            if !cited.is_empty() && !numbers.contains(cited) {
                faults.push(format!("{name}.md has no section {cited}"));
            }
        }
    }
    faults
}

// ---- equations ----

type Equation = (u32, u32);

/// The equations that THEORY.md defines, in order and without gaps.
fn equations(theory: &str) -> Result<BTreeSet<Equation>, String> {
    let mut defined = BTreeSet::new();
    let mut code = false;
    let mut before: Equation = (0, 0);
    for (number, line) in theory.lines().enumerate() {
        if line.starts_with("```") {
            code = !code;
        }
        let Some(equation) = defined_by(line).filter(|_| code) else { continue };
        let follows = equation == (before.0, before.1 + 1) || (equation.0 > before.0 && equation.1 == 1);
        if !follows {
            let ((a, b), (c, d)) = (equation, before);
            return Err(format!("THEORY.md:{}: equation ({a}.{b}) comes after ({c}.{d})", number + 1));
        }
        before = equation;
        defined.insert(equation);
    }
    Ok(defined)
}

/// The number at a line's end, behind a gap.
fn defined_by(line: &str) -> Option<Equation> {
    let (before, number) = line.strip_suffix(')')?.rsplit_once('(')?;
    parse(number).filter(|_| before.is_empty() || before.ends_with("  "))
}

fn parse(number: &str) -> Option<Equation> {
    let (chapter, number) = number.split_once('.')?;
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    Some((digits(chapter)?, digits(number)?))
}

/// Every `(3.15)`.
fn cited_in_theory(text: &str) -> Vec<Equation> {
    text.split('(').skip(1).filter_map(|rest| parse(rest.split_once(')')?.0)).collect()
}

/// Numbers behind `eq.` or `eqs.`, with what `to`, `and` and commas add to them.
fn cited_elsewhere(text: &str) -> Vec<Equation> {
    let mut cited = Vec::new();
    for mark in ["eq. ", "eqs. "] {
        for rest in text.split(mark).skip(1) {
            let words = rest.split(' ').filter(|word| !matches!(*word, "to" | "and" | "or"));
            let numbers = words.map_while(|word| parse(word.trim_matches(|c: char| !c.is_ascii_digit())));
            cited.extend(numbers);
        }
    }
    cited
}

/// A text in one line, without the marks of comments, so that a citation may be broken.
fn flowing(text: &str) -> String {
    let marks = ["//!", "///", "//", "#"];
    let bare = |line: &str| {
        let line = line.trim();
        marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim().to_owned()
    };
    text.lines().map(bare).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_anchors_as_in_a_browser() {
        let text = "# A `key`, or two\n## A `key`, or two\n```\n# no heading\n```\n";
        assert_eq!(anchors(text), BTreeSet::from(["a-key-or-two".to_owned(), "a-key-or-two-1".to_owned()]));
    }

    #[test]
    fn links_in_code_are_no_links() {
        assert_eq!(links("see [a](b.md#c) and `[d](e)`\n```\n[f](g)\n```\n![h](i.png)"), ["b.md#c", "i.png"]);
    }

    /// Paths between backticks were not seen: a file could be renamed, and documents went on to name the old one.
    #[test]
    fn paths_between_backticks_are_seen() {
        let text = "`crates/io/src/a.rs`, crates/b.rs, `stickslip run examples/01-pile.toml`, `cli/tests/all/c.rs:12`\n\
                    ```\n`docs/in-code.md`\n```\n`examples/*.toml` `docs/..` `runs/pile` `io/` `[x](docs/y.md)`";
        assert_eq!(paths(text), ["crates/io/src/a.rs", "examples/01-pile.toml", "cli/tests/all/c.rs"]);
        // From the folder of `xtask`, where tests run.
        assert_eq!(unknown_paths(Path::new("x.md"), "`xtask/no-such.rs`").len(), 1);
    }

    #[test]
    fn equations_count_without_gaps() {
        let block = |numbers: &[&str]| {
            let lines: Vec<String> = numbers.iter().map(|number| format!("x = y     ({number})")).collect();
            equations(&format!("```\n{}\n```\n", lines.join("\n")))
        };
        assert_eq!(block(&["1.1", "1.2", "2.1"]), Ok(BTreeSet::from([(1, 1), (1, 2), (2, 1)])));
        assert!(block(&["1.1", "1.3"]).is_err());
        assert!(block(&["1.1", "1.1"]).is_err());
        assert_eq!(defined_by("as in (2.5)"), None);
    }

    #[test]
    fn citations_may_be_broken_and_several() {
        let text = flowing("/// (THEORY.md eqs. 2.5 to\n/// 2.7), and eq. 4.1\n// eq. (5) of the paper");
        assert_eq!(cited_elsewhere(&text), [(4, 1), (2, 5), (2, 7)]);
        assert_eq!(cited_in_theory("by (2.5), see (a.b)"), [(2, 5)]);
    }

    #[test]
    fn sections_are_cited_by_number() {
        let known = [("THEORY", BTreeSet::from(["3".to_owned(), "3.7".to_owned()]))];
        assert!(unknown_sections("(THEORY.md section 3.7). [THEORY.md](THEORY.md) section 3", &known).is_empty());
        assert_eq!(unknown_sections("THEORY.md, section 4.", &known), ["THEORY.md has no section 4"]);
    }
}

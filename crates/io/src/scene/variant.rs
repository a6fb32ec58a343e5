//! A variant: a partial scene laid over another. Its top-level keys and tables replace the scene's of the same name as a
//! whole; its `[[contact]]` tables replace those between the same two materials, in any order, and others are added.
//!
//! Both files are parsed and one table is made of the two, in which every value keeps its place: an error in what came from
//! the variant names the variant's file and line. Lists of grains are looked for beside the scene, wherever the variant is.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Scene, read_parsed};
use crate::input::{self, InputError, LARGEST_FILE, Source};

/// Loads a scene with a variant laid over it.
pub fn load_variant(scene: &Path, variant: &Path) -> std::result::Result<Scene, InputError> {
    let source = Source::read(scene, LARGEST_FILE)?.with_over(Source::read(variant, LARGEST_FILE)?);
    let mut parsed = input::parse(&source)?;
    let text = source.over_text().unwrap_or_default();
    let over = input::parse_at(&source, &text)?.into_inner();
    if over.is_empty() {
        // Behind the scene's text: the place is the variant's first line.
        let start = source.text().len() + 1;
        let empty = source.error(start..start, "the variant changes nothing: it is empty".into());
        return Err(empty.help("give the tables that differ from the scene's, as [[contact]]"));
    }
    lay_over(parsed.get_mut(), over);
    read_parsed(&source, &parsed, scene.parent().unwrap_or(Path::new("")))
}

fn lay_over<'a>(scene: &mut DeTable<'a>, variant: DeTable<'a>) {
    for (key, value) in variant {
        let value = match (scene.remove(key.get_ref().as_ref()), value) {
            (Some(old), value) if key.get_ref() == "contact" => merged_contacts(old, value),
            (_, value) => value,
        };
        scene.insert(key, value);
    }
}

/// The scene's contacts, each replaced by the variant's between the same materials, then the variant's others.
fn merged_contacts<'a>(scene: Spanned<DeValue<'a>>, variant: Spanned<DeValue<'a>>) -> Spanned<DeValue<'a>> {
    let span = variant.span();
    let (mut merged, new) = match (scene.into_inner(), variant.into_inner()) {
        (DeValue::Array(old), DeValue::Array(new)) => (old, new),
        // Not an array of tables: whoever reads it will say so.
        (_, other) => return Spanned::new(span, other),
    };
    // Only the scene's are replaced, and once: a pair that the variant has twice is left for whoever reads it to refuse.
    let mut replaced = vec![false; merged.len()];
    for contact in new {
        let pair = pair_of(&contact);
        let same = merged.iter().take(replaced.len()).position(|old| pair.is_some() && pair_of(old) == pair);
        let same = same.filter(|&place| !std::mem::replace(&mut replaced[place], true));
        match same.and_then(|place| merged.get_mut(place)) {
            Some(old) => *old = contact,
            None => merged.push(contact),
        }
    }
    Spanned::new(span, DeValue::Array(merged))
}

/// The two materials of a contact, in alphabetical order; none if they are not written as they should be, which whoever reads
/// the table will say.
pub(super) fn pair_of(contact: &Spanned<DeValue<'_>>) -> Option<[String; 2]> {
    let DeValue::Table(table) = contact.get_ref() else { return None };
    let DeValue::Array(names) = table.get("between")?.get_ref() else { return None };
    let name = |i: usize| match names.get(i)?.get_ref() {
        DeValue::String(name) => Some(name.to_string()),
        _ => None,
    };
    let mut pair = [name(0)?, name(1)?];
    pair.sort();
    (names.len() == 2).then_some(pair)
}

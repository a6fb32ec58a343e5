//! A variant: a partial scene laid over another. Its top-level keys and tables replace the scene's of the same name as a
//! whole; its `[[contact]]` tables replace those between the same two materials, in any order, or all that a `"*"` covers,
//! and others are added. Then its `[set]` puts single values into the scene, by the KEYs of `sweep`.
//!
//! Both files are parsed and one table is made of the two, in which every value keeps its place: an error in what came from
//! the variant names the variant's file and line. Lists of grains are looked for beside the scene, wherever the variant is.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::between::{Pair, between_others, covers, meet, pair_of};
use super::{Scene, read_parsed, set};
use crate::input::{self, InputError, LARGEST_FILE, Source};

/// Loads a scene with another seed.
pub fn load_seeded(scene: &Path, seed: Option<u64>) -> std::result::Result<Scene, InputError> {
    let source = Source::read(scene, LARGEST_FILE)?;
    let text = seed_text(seed);
    let mut parsed = input::parse(&source)?;
    put_seed(&source, parsed.get_mut(), &text)?;
    read_parsed(&source, &parsed, scene.parent().unwrap_or(Path::new("")))
}

/// Loads a scene with a variant laid over it, with another seed if there is one.
pub fn load_variant(scene: &Path, variant: &Path, seed: Option<u64>) -> std::result::Result<Scene, InputError> {
    let source = Source::read(scene, LARGEST_FILE)?.with_over(Source::read(variant, LARGEST_FILE)?);
    let seed = seed_text(seed);
    let mut parsed = input::parse(&source)?;
    let text = source.over_text().unwrap_or_default();
    let mut over = input::parse_at(&source, &text)?.into_inner();
    if over.is_empty() {
        // Behind the scene's text: the place is the variant's first line.
        let start = source.text().len() + 1;
        let empty = source.error(start..start, "the variant changes nothing: it is empty".into());
        return Err(empty.help("give the tables that differ from the scene's, as [[contact]]"));
    }
    let set = over.remove("set");
    lay_over(parsed.get_mut(), over);
    if let Some(set) = set {
        set::apply(&source, parsed.get_mut(), &set)?;
    }
    put_seed(&source, parsed.get_mut(), &seed)?;
    read_parsed(&source, &parsed, scene.parent().unwrap_or(Path::new("")))
}

fn seed_text(seed: Option<u64>) -> String {
    seed.map_or_else(String::new, |seed| format!("seed = {seed}"))
}

fn put_seed<'a>(source: &Source, scene: &mut DeTable<'a>, text: &'a str) -> std::result::Result<(), InputError> {
    for (key, value) in input::parse_at(source, text)?.into_inner() {
        scene.insert(key, value);
    }
    Ok(())
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

/// The scene's contacts without those that one of the variant's covers, then the variant's.
fn merged_contacts<'a>(scene: Spanned<DeValue<'a>>, variant: Spanned<DeValue<'a>>) -> Spanned<DeValue<'a>> {
    let span = variant.span();
    let (old, new) = match (scene.into_inner(), variant.into_inner()) {
        (DeValue::Array(old), DeValue::Array(new)) => (old, new),
        // Not an array of tables: whoever reads it will say so.
        (_, other) => return Spanned::new(span, other),
    };
    let pairs: Vec<Pair> = new.iter().filter_map(pair_of).collect();
    let mut merged = DeArray::new();
    let mut shared = Vec::new();
    for contact in old {
        let pair = pair_of(&contact);
        if pair.as_ref().is_some_and(|old| pairs.iter().any(|new| covers(new, old))) {
            continue;
        }
        shared.extend(pair);
        merged.push(contact);
    }
    for contact in new {
        let pair = pair_of(&contact);
        // Where a wildcard of each covers a pair, as exactly, the variant's counts.
        for (old, new) in shared.iter().zip(pair.iter().cycle()) {
            let both = meet(old, new).filter(|both| both != new && !pairs.contains(both));
            if let Some(both) = both {
                merged.push(between_others(&contact, &both, contact.span()));
            }
        }
        merged.push(contact);
    }
    Spanned::new(span, DeValue::Array(merged))
}

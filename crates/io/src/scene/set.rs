//! `[set]` of a variant and `[stage.set]` of a stage: values put under the KEYs of `sweep`, in the order of the file.
//!
//! A KEY with dots or brackets has quotes, as any such key of TOML: without them it would be a table in a table, which says
//! something else. Does not do: which keys a stage may set (`stage.rs`).

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::{Key, Site};
use crate::input::{InputError, Result, Source, shown};

/// A value to be set, and where its key stands.
pub(super) struct Entry<'t, 'a> {
    /// The key.
    pub key: Key,
    /// Where it stands.
    pub span: Range<usize>,
    /// The value.
    pub value: &'t Spanned<DeValue<'a>>,
}

impl Entry<'_, '_> {
    /// An error at the key.
    pub fn error(&self, source: &Source, message: &str) -> InputError {
        source.error(self.span.clone(), format!("{}: {message}", shown(&self.key.text)))
    }

    /// What puts it into a document.
    pub fn site<'s>(&'s self, source: &'s Source) -> Site<'s> {
        Site { source, key: &self.key, span: self.span.clone() }
    }
}

/// The entries of a table, in the order of the file.
pub(super) fn entries<'t, 'a>(source: &Source, set: &'t Spanned<DeValue<'a>>) -> Result<Vec<Entry<'t, 'a>>> {
    let Some(table) = set.get_ref().as_table() else {
        return Err(source.error(set.span(), "set: expected a table of KEYs, as in \"time.step\" = 1e-3".into()));
    };
    let over = source.over_text().unwrap_or_default();
    let mut entries = Vec::new();
    for (name, value) in table {
        let (span, text) = (name.span(), name.get_ref().as_ref());
        // The places of a variant are behind the scene's text.
        let text_of_file = if span.end < source.text().len() { source.text() } else { over.as_str() };
        let written = text_of_file.get(span.clone()).unwrap_or_default();
        let dotted = text_of_file.get(span.end..).is_some_and(|rest| rest.trim_start_matches(' ').starts_with('.'));
        if dotted && value.get_ref().is_table() && !written.starts_with(['"', '\'']) {
            let error = source.error(span, format!("`{}.` is a table here, not the beginning of a KEY", shown(text)));
            return Err(error.help("put the whole KEY into quotes, as in \"time.step\" = 1e-3"));
        }
        let key = Key::parse(text).map_err(|message| source.error(span.clone(), message))?;
        entries.push(Entry { key, span, value });
    }
    entries.sort_by_key(|entry| entry.span.start);
    Ok(entries)
}

/// Puts the entries of a table into a scene.
pub(super) fn apply<'a>(source: &Source, scene: &mut DeTable<'a>, set: &Spanned<DeValue<'a>>) -> Result<()> {
    entries(source, set)?.iter().try_for_each(|entry| entry.site(source).set(scene, entry.value))
}

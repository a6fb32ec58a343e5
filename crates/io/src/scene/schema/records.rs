//! `[[record]]` in the schema.

use serde_json::{Value, json};

use super::build::{also, boolean, object, one_of, or, positive, said, word, words};

/// A record.
pub(super) fn record() -> Value {
    let every = || said(one_of(vec![positive(), word("step")]), "Simulated time between two [s], or \"step\".");
    let stem = json!({"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*$", "maxLength": 100});
    let name = || said(stem.clone(), "Stem of the file's name; `what` if absent.");
    let keys = |what, formats: &[&str]| {
        let format = said(or(words(formats), formats[0]), "How it is written.");
        vec![("!what", what), ("!every", every()), ("name", name()), ("format", format)]
    };
    let tables = words(&["series", "bodies", "contacts", "walls", "joints"]);
    let mut snapshot = keys(word("snapshot"), &["vtk", "lammps", "lammps-data"]);
    snapshot.push(("contacts", said(or(boolean(), true), "Whether files for ParaView hold the contacts too.")));
    let mut snapshot = object(snapshot);
    // Only ParaView's have a place for contacts.
    let vtk = json!({"properties": {"format": {"const": "vtk"}}});
    also(&mut snapshot, [json!({"if": {"required": ["contacts"]}, "then": vtk})]);
    one_of(vec![object(keys(tables, &["csv", "parquet"])), snapshot, object(keys(word("checkpoint"), &["checkpoint"]))])
}

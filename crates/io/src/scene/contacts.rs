//! `[[contact]]` tables: which laws act between which materials.

use std::collections::HashMap;

use stickslip::model::LawTable;

use crate::input::{Item, Place, Result, Table};
use crate::scene::laws;
use crate::scene::materials::Materials;

/// Reads all `[[contact]]` tables. A pair of materials may stand in one of them only.
pub(crate) fn read(top: &Table<'_>, materials: &Materials) -> Result<LawTable> {
    let mut table = LawTable::new(materials.list.len());
    let mut seen: HashMap<[u16; 2], Place<'_>> = HashMap::new();
    for contact in top.tables("contact")? {
        let between = contact.required("between")?;
        let pair = read_pair(between.clone(), materials)?;
        if let Some(place) = seen.get(&pair) {
            // Lines are counted only here: in a long file that takes a while.
            let line = place.line();
            let [first, second] = pair.map(|i| materials.list[i as usize].name.as_str());
            let message = format!("\"{first}\" and \"{second}\" already have a [[contact]], on line {line}");
            return Err(between.error(message));
        }
        seen.insert(pair, between.place());
        let sides = pair.map(|i| materials.elastic[i as usize]);
        table.set(pair[0], pair[1], laws::read(&contact, &sides)?);
        contact.finish()?;
    }
    Ok(table)
}

/// The two materials, lower index first.
fn read_pair(between: Item<'_>, materials: &Materials) -> Result<[u16; 2]> {
    let expected = || between.expected("the names of two materials, as in [\"grain\", \"wall\"]");
    let names = between.clone().array().map_err(|_| expected())?;
    let [first, second] = <[Item<'_>; 2]>::try_from(names).map_err(|_| expected())?;
    let mut pair = [materials.index(first)?, materials.index(second)?];
    pair.sort_unstable();
    Ok(pair)
}

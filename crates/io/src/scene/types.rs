//! Types of a list of grains: of which materials they are, and what to say about them.

use stickslip::model::Material;

use crate::input::{InputError, Item, Result, shown};
use crate::scene::grains::{Groups, Made, Placement};
use crate::scene::materials::Materials;
use crate::scene::rows::Types;

/// The materials of types, as in { 1 = "glass", 2 = "steel" }.
pub(super) fn read_types(item: Item<'_>, materials: &Materials) -> Result<Types> {
    let what = "types with their materials, as in { 1 = \"glass\", 2 = \"steel\" }";
    let table = item.clone().table().map_err(|_| item.expected(what))?;
    let mut types = Types::new();
    for name in table.chosen_keys() {
        let Some(item) = table.chosen(name) else { continue };
        // Also not 01 or +1, which would be a second name of 1.
        match name.parse::<u32>().ok().filter(|kind| kind.to_string() == name) {
            Some(kind) => types.push((kind, materials.index(item)?)),
            None => {
                return Err(item.error(format!("expected a type, which is a whole number, found `{}`", shown(name))));
            }
        }
    }
    if types.is_empty() { Err(item.error(format!("expected {what}, found none"))) } else { Ok(types) }
}

/// The error of a missing material, with the other way to say what grains of a list are of.
pub(super) fn or_types(error: InputError, placement: &Placement) -> InputError {
    // A misspelt key has its own advice.
    if error.advice().is_some() || !matches!(placement, Placement::List(_)) {
        return error;
    }
    error
        .help("give one `material` for all, or in `place` those of the types: types = { 1 = \"glass\", 2 = \"steel\" }")
}

/// Says which types of the lists are of the same material, which may be meant.
pub(super) fn shared_types(groups: &Groups<'_>, materials: &Materials) -> Vec<String> {
    let mut notes = Vec::new();
    for (index, group) in groups.list.iter().enumerate() {
        let Made::ByType(types) = &group.material else { continue };
        for (material, Material { name, .. }) in materials.list.iter().enumerate() {
            let of: Vec<String> =
                types.iter().filter(|(_, of)| usize::from(*of) == material).map(|(kind, _)| kind.to_string()).collect();
            if of.len() > 1 {
                let (types, name) = (of.join(", "), shown(name));
                notes.push(format!("grains[{index}]: the types {types} are all of the material \"{name}\""));
            }
        }
    }
    notes
}

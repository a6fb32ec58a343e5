//! `[[contact]]` tables: which laws act between which materials.
//!
//! `between` names two materials, or `"*"` for any. Of the tables that cover a pair the most exact one counts: `["a", "b"]`
//! before `["a", "*"]` before `["*", "*"]`. Two that are equally exact are an error. `laws/` reads what the laws say. A pair with
//! `normal = "none"` does not touch, and needs no laws.

use std::collections::HashMap;

use stickslip::law::{PairLaws, RigidLaws};
use stickslip::model::{LawTable, Method};
use stickslip::world::taken_by;

use crate::input::{Item, Place, Result, Table, shown};
use crate::scene::between::ANY;
use crate::scene::laws;
use crate::scene::materials::Materials;

/// Two materials, the lower index first and any material (`None`) last.
type Pattern = [Option<u16>; 2];

/// Which table stands for which materials.
type Numbers = HashMap<Pattern, usize>;

/// Reads all `[[contact]]` tables and gives each pair of materials the laws of its most exact one.
pub(crate) fn read(top: &Table<'_>, materials: &Materials, method: &Method) -> Result<(LawTable, Option<String>)> {
    let tables = top.tables("contact")?;
    let mut places: Vec<Place<'_>> = Vec::new();
    let mut numbers = Numbers::new();
    for (number, contact) in tables.iter().enumerate() {
        let between = contact.required("between")?;
        let pattern = read_between(between.clone(), materials)?;
        if let Some(first) = numbers.insert(pattern, number) {
            // Lines are counted only here: in a long file that takes a while.
            let line = places[first].line();
            let [a, b] = names(pattern, materials);
            let [a, b] = [a, b].map(shown);
            return Err(between.error(format!("\"{a}\" and \"{b}\" already have a [[contact]], on line {line}")));
        }
        places.push(between.place());
    }
    let (mut laws, mut soft) = (LawTable::new(materials.list.len()), None);
    if materials.list.is_empty() {
        // Whoever reads the bodies says so.
        return Ok((laws, None));
    }
    let mut pairs = vec![Vec::new(); tables.len()];
    for (pair, number) in winners(&numbers, &places, materials)? {
        pairs[number].push(pair);
    }
    let patterns: HashMap<usize, Pattern> = numbers.into_iter().map(|(pattern, number)| (number, pattern)).collect();
    for (number, contact) in tables.iter().enumerate() {
        if laws::read_none(contact)? {
            pairs[number].iter().for_each(|&[a, b]| laws.let_pass(a, b));
            contact.finish()?;
            continue;
        }
        for &[a, b] in &pairs[number] {
            let sides = [a, b].map(|i| materials.elastic[usize::from(i)]);
            let read = laws::read(contact, &sides).map_err(|error| {
                if !patterns[&number].contains(&None) {
                    return error;
                }
                let [a, b] = names([Some(a), Some(b)], materials);
                error.about(&format!("between \"{}\" and \"{}\"", shown(a), shown(b)))
            });
            laws.set(a, b, by_method(read?, method, contact, &mut soft)?);
        }
        if pairs[number].is_empty() {
            // More exact ones leave it no pair; what it says must be right all the same.
            let sides = patterns[&number].map(|side| materials.elastic[usize::from(side.unwrap_or(0))]);
            by_method(laws::read(contact, &sides)?, method, contact, &mut soft)?;
        }
        contact.finish()?;
    }
    check_fit(&laws, &pairs, &tables, taken_by(method))?;
    let note = "this method has no springs: laws are read as what they bear at rest and as their restitution";
    Ok((laws, (method.solves() && soft == Some(true)).then(|| note.to_owned())))
}

/// The laws of a table as the method runs them. `soft` says whether those before it had springs.
fn by_method(read: PairLaws, method: &Method, contact: &Table<'_>, soft: &mut Option<bool>) -> Result<PairLaws> {
    let springs = read.springs();
    if soft.replace(springs.is_some()).is_some_and(|before| before != springs.is_some()) {
        let message = "rigid and soft normal laws in one scene: a method runs the one or the other".to_owned();
        return Err(contact.required("normal")?.error(message));
    }
    match springs {
        Some(springs) if method.solves() => match RigidLaws::limit_of(springs) {
            Ok(limits) => Ok(limits.into()),
            Err(why) => {
                Err(contact.error(format!("this method has no springs, and reads laws as their limits: {why}")))
            }
        },
        _ => Ok(read),
    }
}

/// That the method runs the laws of every pair, with the table that they are from.
fn check_fit(
    laws: &LawTable,
    pairs: &[Vec<[u16; 2]>],
    tables: &[Table<'_>],
    takes: impl Fn(&PairLaws) -> bool,
) -> Result<()> {
    let table = laws.first_unfit(takes).and_then(|pair| pairs.iter().position(|of_table| of_table.contains(&pair)));
    match table {
        Some(number) => Err(tables[number].error("these laws are not of the kind that the method runs".into())),
        None => Ok(()),
    }
}

/// For each pair of materials that some table covers, the most exact one.
fn winners(numbers: &Numbers, places: &[Place<'_>], materials: &Materials) -> Result<Vec<([u16; 2], usize)>> {
    let mut winners = Vec::new();
    let count = materials.list.len() as u16;
    for (a, b) in (0..count).flat_map(|a| (a..count).map(move |b| (a, b))) {
        let find = |pattern: Pattern| numbers.get(&pattern).copied();
        let halves = [a, b].map(|i| find([Some(i), None]));
        let winner = match (find([Some(a), Some(b)]), halves) {
            (Some(exact), _) => Some(exact),
            (None, [Some(first), Some(second)]) if first != second => {
                let (first, second) = (first.min(second), first.max(second));
                let [a, b] = names([Some(a), Some(b)], materials);
                let line = places[first].line();
                let message = format!("\"{a}\" and \"{b}\" are covered as exactly by the [[contact]] on line {line}");
                let help = format!("add one with between = [\"{a}\", \"{b}\"]");
                return Err(places[second].error(message).help(help));
            }
            (None, [first, second]) => first.or(second).or_else(|| find([None, None])),
        };
        winners.extend(winner.map(|number| ([a, b], number)));
    }
    Ok(winners)
}

fn names(pattern: Pattern, materials: &Materials) -> [&str; 2] {
    pattern.map(|side| side.map_or(ANY, |index| materials.list[usize::from(index)].name.as_str()))
}

fn read_between(between: Item<'_>, materials: &Materials) -> Result<Pattern> {
    let expected = || between.expected("the names of two materials, as in [\"grain\", \"wall\"] or [\"grain\", \"*\"]");
    let sides = between.clone().array().map_err(|_| expected())?;
    let [first, second] = <[Item<'_>; 2]>::try_from(sides).map_err(|_| expected())?;
    let side = |item: Item<'_>| match item.clone().string() {
        Ok(ANY) => Ok(None),
        _ => materials.index(item).map(Some),
    };
    let mut pattern = [side(first)?, side(second)?];
    pattern.sort_unstable_by_key(|side| (side.is_none(), *side));
    Ok(pattern)
}

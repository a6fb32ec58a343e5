//! `between` of a `[[contact]]` in a parsed document, before it is read: which tables cover which, for variants and settings.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeValue};

/// What stands for any material.
pub(super) const ANY: &str = "*";

/// The two names of a `between`, in alphabetical order.
pub(super) type Pair = [String; 2];

/// The two materials of a contact; none if they are not written as they should be, which whoever reads the table will say.
pub(super) fn pair_of(contact: &Spanned<DeValue<'_>>) -> Option<Pair> {
    let DeValue::Table(table) = contact.get_ref() else { return None };
    let DeValue::Array(names) = table.get("between")?.get_ref() else { return None };
    let name = |i: usize| match names.get(i)?.get_ref() {
        DeValue::String(name) => Some(name.to_string()),
        _ => None,
    };
    (names.len() == 2).then_some(sorted([name(0)?, name(1)?]))
}

/// The pair that a key of a setting names, as in `grain,wall`.
pub(super) fn pair_in(text: &str) -> Option<Pair> {
    let (first, second) = text.split_once(',')?;
    Some(sorted([first.trim().to_owned(), second.trim().to_owned()]))
}

fn sorted(mut pair: Pair) -> Pair {
    pair.sort();
    pair
}

/// What both cover: all pairs of materials that fit the one and the other. `None` if there are none.
pub(super) fn meet(p: &Pair, q: &Pair) -> Option<Pair> {
    let both = |a: &String, b: &String| match (a.as_str(), b.as_str()) {
        (ANY, _) => Some(b.clone()),
        (_, ANY) => Some(a.clone()),
        _ => (a == b).then(|| a.clone()),
    };
    let straight = || Some([both(&p[0], &q[0])?, both(&p[1], &q[1])?]);
    let crossed = || Some([both(&p[0], &q[1])?, both(&p[1], &q[0])?]);
    // ["a", "*"] meets itself as a whole, and crossed in ["a", "a"] only.
    [straight(), crossed()].into_iter().flatten().map(sorted).min_by_key(exactness)
}

/// Whether every pair that fits `special` fits `general`.
pub(super) fn covers(general: &Pair, special: &Pair) -> bool {
    meet(general, special).as_ref() == Some(special)
}

/// How many of the two materials are named.
pub(super) fn exactness(pair: &Pair) -> usize {
    pair.iter().filter(|name| *name != ANY).count()
}

/// The same contact between other materials, which are said to stand at `span`.
pub(super) fn between_others<'a>(
    contact: &Spanned<DeValue<'a>>,
    pair: &Pair,
    span: Range<usize>,
) -> Spanned<DeValue<'a>> {
    let mut other = contact.clone();
    let mut names = DeArray::new();
    for name in pair {
        names.push(Spanned::new(span.clone(), DeValue::String(Cow::Owned(name.clone()))));
    }
    if let DeValue::Table(table) = other.get_mut() {
        let names = Spanned::new(span.clone(), DeValue::Array(names));
        table.insert(Spanned::new(span, "between".into()), names);
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_meet_in_what_both_cover() {
        let pair = |text: &str| pair_in(text).unwrap();
        for (first, second, both) in [
            ("a,b", "b,a", Some("a,b")),
            ("a,*", "a,*", Some("a,*")),
            ("a,*", "b,*", Some("a,b")),
            ("a,*", "b,a", Some("a,b")),
            ("*,*", "a,*", Some("a,*")),
            ("a,*", "b,c", None),
            ("a,b", "a,c", None),
        ] {
            assert_eq!(meet(&pair(first), &pair(second)), both.map(pair), "{first} and {second}");
            assert_eq!(meet(&pair(second), &pair(first)), both.map(pair), "{second} and {first}");
        }
        assert!(covers(&pair("*,*"), &pair("a,*")) && covers(&pair("a,*"), &pair("a,a")));
        assert!(!covers(&pair("a,*"), &pair("*,*")) && !covers(&pair("a,*"), &pair("b,*")));
    }
}

//! Any bytes, and any TOML: what no one wrote by hand.

use proptest::prelude::*;

use super::corpus::Folder;
use super::targets;

/// Words of scene files, so that some of it means something.
const WORDS: [&str; 16] = [
    "time", "end", "step", "material", "grain", "density", "contact", "between", "normal", "law", "body", "shape",
    "kind", "radius", "position", "segment",
];

fn key() -> impl Strategy<Value = String> {
    prop_oneof![3 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned), 1 => ".{0,8}"]
}

fn value() -> impl Strategy<Value = toml::Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(toml::Value::from),
        any::<f64>().prop_map(toml::Value::from),
        any::<bool>().prop_map(toml::Value::from),
        key().prop_map(toml::Value::from),
        (0..4_i64).prop_map(toml::Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(toml::Value::from),
            prop::collection::btree_map(key(), inner, 0..6)
                .prop_map(|table| toml::Value::Table(table.into_iter().collect())),
        ]
    })
}

fn document() -> impl Strategy<Value = String> {
    prop::collection::btree_map(key(), value(), 0..6).prop_map(|table| {
        let table: toml::Table = table.into_iter().collect();
        table.to_string()
    })
}

/// A scene that is sound but for the numbers, which may be any.
fn numbers() -> impl Strategy<Value = String> {
    let number = prop_oneof![any::<f64>(), Just(0.0), -1.0..1.0, 1e-3..1e3];
    prop::collection::vec(number, 12).prop_map(|n| {
        format!(
            "gravity = [{:?}, 0, {:?}]\n[time]\nend = {:?}\nstep = {:?}\n[material.grain]\ndensity = {:?}\n\
             [[contact]]\nbetween = [\"grain\", \"grain\"]\nnormal = {{ law = \"hooke\", stiffness = {:?}, damping = {:?} }}\n\
             slide = {{ law = \"spring-slider\", stiffness = {:?}, mu = {:?} }}\n\
             [[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = {:?} }}\nposition = [{:?}, 0, 0]\n\
             [[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 1 }}\nposition = [0, 0, {:?}]\n",
            n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11]
        )
        .replace("NaN", "nan")
    })
}

/// The same cases each time, and no file of those that failed.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(4),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_bytes_are_refused_with_a_place(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        targets::any_text(&bytes, Folder::new().path());
    }

    #[test]
    fn any_text_is_refused_with_a_place(text in "(\\PC|\n|\r|\t|\\[|=|,){0,120}") {
        targets::any_text(text.as_bytes(), Folder::new().path());
    }

    #[test]
    fn any_document_is_refused_with_a_place(text in document()) {
        targets::any_text(text.as_bytes(), Folder::new().path());
    }

    #[test]
    fn a_sound_scene_with_any_numbers_runs_or_is_refused(text in numbers()) {
        targets::scene(text.as_bytes(), Folder::new().path());
    }
}

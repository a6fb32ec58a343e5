//! The schema that `stickslip schema` prints, held to what the readers do, by an independent validator.
//!
//! Every scene that loads is valid, as written and resolved. Of the bad scenes, those must be refused whose error says
//! that a key is unknown or missing, or that something else was expected than what stands there; and in all at least
//! a given number, so that the schema does not become lax.

use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::Value;
use stickslip_io::scene;

/// Words of an error that a schema can find too.
const CATCHABLE: [&str; 9] = [
    "unknown key",
    "is missing",
    "the limit is missing",
    "found the string",
    "found the integer",
    "found an array",
    "found a table",
    "expected a number above zero, found",
    "exclude each other",
];

fn validator() -> Validator {
    jsonschema::draft202012::options().build(&scene::schema()).expect("the schema is one")
}

/// Scenes, without probes, of a folder below the package's.
fn scenes(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files: Vec<PathBuf> =
        entries.filter(|path| name(path).ends_with(".toml") && !name(path).starts_with("probe")).collect();
    files.sort();
    files
}

/// As JSON; numbers that are not finite become null, which no key may be.
fn json(text: &str) -> Option<Value> {
    toml::from_str(text).ok()
}

fn faults(validator: &Validator, text: &str) -> Vec<String> {
    let value = json(text).expect("the scene is TOML");
    validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn scenes_that_load_are_valid_as_written_and_resolved() {
    let validator = validator();
    let mut count = 0;
    for path in ["tests/input/good", "tests/santos", "../../examples"].into_iter().flat_map(scenes) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(faults(&validator, &text), [""; 0], "{}", path.display());
        count += 1;
        // Another run must be there before such a scene can be resolved.
        if text.contains("[start]") {
            continue;
        }
        let resolved = scene::load(&path).unwrap().resolved;
        assert_eq!(faults(&validator, &resolved), [""; 0], "{} resolved", path.display());
    }
    assert!(count >= 25, "only {count} scenes");
}

#[test]
fn what_a_schema_can_find_in_bad_scenes_it_finds() {
    let validator = validator();
    let (mut refused, mut missed, mut beyond) = (0, Vec::new(), Vec::new());
    for path in scenes("tests/input/bad") {
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let error = scene::load(&path).and_then(|scene| scene.world()).err().unwrap();
        match json(&text) {
            // Not TOML at all: no matter for a schema.
            None => {}
            Some(value) if !validator.is_valid(&value) => refused += 1,
            // Nor what stands under a KEY.
            Some(_) if text.contains("[stage.set]") => beyond.push(name),
            // What stands in another file is no matter for it either.
            Some(_) if error.message().starts_with("column ") => beyond.push(name),
            Some(_) if CATCHABLE.iter().any(|words| error.message().contains(words)) => {
                missed.push(format!("{name}: {}", error.message()));
            }
            Some(_) => beyond.push(format!("{name}: {}", error.message())),
        }
    }
    println!("{refused} refused; beyond a schema, {}:\n{}", beyond.len(), beyond.join("\n"));
    assert!(missed.is_empty(), "missed:\n{}\n\nbeyond:\n{}", missed.join("\n"), beyond.join("\n"));
    assert!(refused >= 110, "only {refused} refused; not:\n{}", beyond.join("\n"));
}

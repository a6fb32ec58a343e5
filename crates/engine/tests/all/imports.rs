//! What a folder of the engine may know of others: laws and contacts know no method, no world and no record, so that any method
//! can ask them.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources of a folder and of the file that carries its name.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the engine has this folder") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn laws_and_contacts_know_no_method_and_no_world() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let outside = ["explicit", "soft", "constraint", "nonsmooth", "world", "state", "model", "measure", "neighbour"];
    let others = ["body", "broad", "collide", "ledger", "probe", "reference", "wall"];
    for (folder, allowed) in [("law", &["contact", "frame", "math"][..]), ("contact", &[])] {
        let files = sources(&source.join(folder));
        assert!(files.len() > 3, "{folder}: {files:?}");
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file can be read");
            for module in outside.iter().chain(&others).chain(&["law", "contact", "frame", "math"]) {
                if *module != folder && !allowed.contains(module) {
                    assert!(!text.contains(&format!("crate::{module}")), "{} imports {module}", file.display());
                }
            }
        }
    }
}

//! What may import what: contacts, laws and soft contacts know neither a method nor a world, so that any method can use them.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a module: `name.rs` and all in the folder `name`.
fn files(name: &str) -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = vec![source.join(format!("{name}.rs"))];
    let mut folders = vec![source.join(name)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.retain(|path| path.exists());
    found
}

#[test]
fn what_methods_share_knows_no_method_and_no_world() {
    let shared =
        ["body", "cell", "collide", "contact", "energy", "flow", "geometry", "inflow", "law", "ledger", "model"];
    for name in shared.into_iter().chain(["mover", "neighbour", "shape", "soft", "state", "traffic", "wall"]) {
        let files = files(name);
        assert!(!files.is_empty(), "{name} is gone: mend this list");
        for path in files {
            let text = fs::read_to_string(&path).expect("a source file");
            // Tests in a module may make worlds, and comments may speak of them.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                let imports = line.contains("crate::explicit") || line.contains("crate::world");
                assert!(!imports, "{}: {line}", path.display());
            }
        }
    }
}

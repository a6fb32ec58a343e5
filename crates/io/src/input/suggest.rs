//! Did you mean ...? The nearest of the words that are known where an unknown one stands.

use std::fs;
use std::path::{Path, PathBuf};

/// Words of other codes and books, and what they are called here. Looked at before the spelling.
const SYNONYMS: &[(&str, &str)] = &[
    ("twisting", "spin"),
    ("twist", "spin"),
    ("torsion", "spin"),
    ("pivoting", "spin"),
    ("spinning", "spin"),
    ("rolling", "roll"),
    ("sliding", "slide"),
    ("tangential", "slide"),
    ("shear", "slide"),
    ("friction", "mu"),
    ("friction_coefficient", "mu"),
    ("coefficient", "mu"),
    ("mu_s", "mu"),
    ("mu_r", "mu"),
    ("kn", "stiffness"),
    ("kt", "stiffness"),
    ("k", "stiffness"),
    ("gamma", "damping"),
    ("e", "restitution"),
    ("cor", "restitution"),
    ("nu", "poisson"),
    ("youngs_modulus", "young"),
    ("rho", "density"),
    ("dt", "step"),
    ("timestep", "step"),
    ("time_step", "step"),
    ("t_end", "end"),
    ("duration", "end"),
    ("omega", "angular_velocity"),
    ("spin_velocity", "angular_velocity"),
    ("spheres", "grains"),
    ("particles", "grains"),
    ("particle", "body"),
    ("bodies", "body"),
    ("materials", "material"),
    ("contacts", "contact"),
    ("records", "record"),
    ("output", "record"),
    ("coulomb", "spring-slider"),
    ("linear", "hooke"),
    ("wall", "plane"),
    ("ball", "sphere"),
    ("static", "fixed"),
    ("side", "sides"),
];

/// The known word that was most likely meant, if any is near.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let synonym = SYNONYMS.iter().filter(|(theirs, _)| *theirs == lower);
    let synonym = synonym.flat_map(|(_, ours)| known.iter().find(|k| *k == ours)).next();
    if synonym.is_some() {
        return synonym.copied();
    }
    // Long words are noise, not misspellings, and would cost quadratic time.
    if lower.chars().count() > 40 {
        return None;
    }
    let near = known.iter().map(|k| (distance(&lower, &k.to_lowercase()), *k));
    let near = near.filter(|(d, k)| *d <= 1.max(k.chars().count() / 3) && *d < k.chars().count());
    let near = near.min_by_key(|(d, _)| *d).map(|(_, k)| k);
    // Else a word that was cut short (`pos`) or lengthened (`stiffness_normal`).
    let begins = |k: &&&str| (lower.len() >= 3 && k.starts_with(&lower)) || (k.len() >= 4 && lower.starts_with(**k));
    near.or_else(|| known.iter().find(begins).copied())
}

/// The file or folder that a path most likely means: each part that is not there is replaced by the nearest name beside it.
/// `fits` says whether the last part is of the kind that was expected. `None` where some part has nothing near it.
fn nearest_path(path: &Path, fits: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    /// More names than anyone looks through; a folder of snapshots may have millions.
    const MOST_NAMES: usize = 10_000;
    let mut found = PathBuf::new();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let good = |path: &Path| if is_last { fits(path) } else { path.is_dir() };
        let exact = found.join(part);
        if good(&exact) {
            found = exact;
            continue;
        }
        let folder = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
        let names = fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        // In an order of their own: of two that are as near the first is taken.
        let mut names: Vec<String> = names.take(MOST_NAMES).collect();
        names.sort();
        let known: Vec<&str> = names.iter().map(String::as_str).filter(|name| good(&found.join(name))).collect();
        found.push(nearest(part.as_os_str().to_str()?, &known)?);
    }
    Some(found)
}

/// The same of a name that is looked for in a folder, as a question.
pub(crate) fn did_you_mean(folder: &Path, name: &Path, fits: impl Fn(&Path) -> bool) -> Option<String> {
    let near = nearest_path(&folder.join(name), fits)?;
    Some(format!("did you mean `{}`?", near.strip_prefix(folder).unwrap_or(&near).display()))
}

/// That there is no folder of this name, and which one may be meant.
pub(crate) fn no_such_folder(path: &Path) -> String {
    let near = did_you_mean(Path::new(""), path, Path::is_dir);
    format!("there is no such folder{}", near.map(|near| format!("; {near}")).unwrap_or_default())
}

/// How many letters must be put in, left out, replaced or swapped with a neighbour.
pub(crate) fn distance(first: &str, second: &str) -> usize {
    let a: Vec<char> = first.chars().collect();
    let b: Vec<char> = second.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_codes_words_and_slips_of_the_finger_find_ours() {
        let keys = ["normal", "slide", "roll", "spin"];
        assert_eq!(nearest("twisting", &keys), Some("spin"));
        assert_eq!(nearest("torsion", &keys), Some("spin"));
        assert_eq!(nearest("pivoting", &keys), Some("spin"));
        assert_eq!(nearest("rolling", &keys), Some("roll"));
        assert_eq!(nearest("slied", &keys), Some("slide"));
        assert_eq!(nearest("Normal", &keys), Some("normal"));
        assert_eq!(nearest("colour", &keys), None);
        assert_eq!(nearest("pos", &["name", "position"]), Some("position"));
        assert_eq!(nearest("stiffness_normal", &["stiffness"]), Some("stiffness"));
        assert_eq!(nearest("friction", &["mu", "stiffness"]), Some("mu"));
        assert_eq!(nearest("x", &["y"]), None);
        // `side` was taken for `size`, which is as near.
        assert_eq!(nearest("side", &["kind", "normal", "size", "along", "sides"]), Some("sides"));
    }

    /// `run exmaples/01-pile.toml` said that there is no such file, and no more.
    #[test]
    fn every_part_of_a_path_finds_the_nearest_name() {
        let folder = std::env::temp_dir().join(format!("stickslip-nearest-{}", std::process::id()));
        fs::create_dir_all(folder.join("examples/sub")).unwrap();
        fs::write(folder.join("examples/01-pile.toml"), "").unwrap();
        let near = |name: &str, fits: fn(&Path) -> bool| did_you_mean(&folder, Path::new(name), fits);
        let pile = || Some("did you mean `examples/01-pile.toml`?".to_owned());
        for name in ["exmaples/01-pile.toml", "examples/01-plie.toml", "example/01-pile.tml", "examples/01-pile"] {
            assert_eq!(near(name, Path::is_file), pile(), "{name}");
        }
        assert_eq!(near("examples/sbu", Path::is_dir), Some("did you mean `examples/sub`?".into()));
        // A folder is no file, and what is far from all is not guessed.
        assert_eq!(near("examples/sbu", Path::is_file), None);
        assert_eq!(near("other/01-pile.toml", Path::is_file), None);
        fs::remove_dir_all(&folder).unwrap();
    }
}

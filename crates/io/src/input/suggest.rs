//! Did you mean ...? The nearest of the words that are known where an unknown one stands.

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
}

//! Which motions the contacts of a scene resist at rest, by enough to count as constraints (Santos et al. 2020).
//!
//! A motion counts when some `[[contact]]` resists it with a coefficient of at least 0.01 in the paper's meaning: sliding
//! friction mu N; rolling torque mu R_eff N; spinning torque mu d N with the diameter d. A scene's `length` of rolling is
//! mu R_eff, its `length` of spinning mu d, its `mu` of spinning four times the paper's for equal spheres (R_eff = d/4);
//! R_eff and d are those of a pair of spheres of the mean radius. A law without a limit of its own takes that of sliding
//! (`marshall`, `lubkin`); one that only damps (`viscous`) holds nothing at rest and does not count.

use stickslip::measure::packing::LEAST_COEFFICIENT;

use super::{KnownBody, number, tables};

/// Slide, roll, spin.
pub(super) fn motions(scene: &toml::Table, bodies: &[KnownBody]) -> [bool; 3] {
    let radii: Vec<f64> = bodies.iter().filter_map(|body| body.radius).collect();
    let radius = radii.iter().sum::<f64>() / radii.len() as f64;
    let mut found = [false; 3];
    for contact in tables(scene, "contact") {
        let law = |key: &str| contact.get(key).and_then(toml::Value::as_table);
        let slide = law("slide").is_some_and(|law| limit(law, "mu").is_none_or(|mu| mu >= LEAST_COEFFICIENT));
        let torque = |key: &str, mu: f64, length: f64| {
            let Some(law) = law(key) else { return false };
            if law.get("law").and_then(toml::Value::as_str) == Some("viscous") {
                return false;
            }
            let own = limit(law, "mu").map(|value| value * mu).or(limit(law, "length").map(|value| value * length));
            own.map_or(slide, |coefficient| coefficient >= LEAST_COEFFICIENT)
        };
        let roll = torque("roll", 1.0, 2.0 / radius);
        let with_roll = law("roll").and_then(|law| law.get("include_spin")).and_then(toml::Value::as_bool);
        let spin = torque("spin", 0.25, 0.5 / radius) || (roll && with_roll == Some(true));
        let of_friction = law("friction").map(|law| tracked(law, radius));
        for (all, one) in found.iter_mut().zip(of_friction.unwrap_or([slide, roll, spin])) {
            *all |= one;
        }
    }
    found
}

/// The motions that `tracked` resists: mu, 2 eta mu R_eff and eta mu/K_c.
fn tracked(law: &toml::Table, radius: f64) -> [bool; 3] {
    let mu = limit(law, "mu").unwrap_or(0.0);
    let of = |motion: &str, key: &str| law.get(motion).and_then(|table| table.get(key));
    let eta = |motion: &str| of(motion, "eta").and_then(number);
    let spin = eta("spin").map(|eta| match of("spin", "curvature") {
        Some(curvature) if curvature.is_str() => 0.25 * eta * mu,
        None => 0.25 * eta * mu,
        Some(curvature) => number(curvature).map_or(0.0, |curvature| eta * mu * 0.5 / (radius * curvature)),
    });
    [Some(mu), eta("roll").map(|eta| 2.0 * eta * mu), spin].map(|one| one.is_some_and(|c| c >= LEAST_COEFFICIENT))
}

/// A limit of a law: the static one where there are two.
fn limit(law: &toml::Table, key: &str) -> Option<f64> {
    let value = law.get(key)?;
    value.as_table().and_then(|both| both.get("static")).map_or_else(|| number(value), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(laws: &str) -> [bool; 3] {
        let scene = format!("[[contact]]\nbetween = [\"a\", \"a\"]\n{laws}").parse().unwrap();
        let body = |radius: Option<f64>| KnownBody { radius, ..KnownBody::default() };
        motions(&scene, &[body(None), body(Some(0.4)), body(Some(0.6))])
    }

    /// A mean radius of 0.5: d = 1 and R_eff = 0.25, the paper's own.
    #[test]
    fn a_trace_of_friction_does_not_count() {
        assert_eq!(of(""), [false; 3]);
        assert_eq!(of("slide = { law = \"spring-slider\", mu = 0.3 }"), [true, false, false]);
        assert_eq!(of("slide = { law = \"spring-slider\", mu = 0.009 }"), [false; 3]);
        assert_eq!(of("slide = { mu = { static = 0.01, kinetic = 0.005 } }\nroll = { mu = 0 }"), [true, false, false]);
        assert_eq!(of("roll = { mu = 0.01 }\nspin = { mu = 0.04 }"), [false, true, true]);
        assert_eq!(of("roll = { length = 0.0025 }\nspin = { length = 0.01 }"), [false, true, true]);
        assert_eq!(of("roll = { length = 0.0024 }\nspin = { length = 0.0099 }"), [false; 3]);
    }

    #[test]
    fn laws_without_a_limit_of_their_own() {
        assert_eq!(of("slide = { mu = 0.3 }\nspin = { law = \"marshall\" }"), [true, false, true]);
        assert_eq!(of("slide = { mu = 0 }\nspin = { law = \"lubkin\" }"), [false; 3]);
        assert_eq!(of("roll = { law = \"viscous\", damping = 1.0 }"), [false; 3]);
        assert_eq!(of("roll = { law = \"constant-torque\", mu = 0.1, include_spin = true }"), [false, true, true]);
    }
}

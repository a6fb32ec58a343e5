//! Which motions the contacts of a scene resist at rest, by enough to count as constraints (Santos et al. 2020).
//!
//! A motion counts when some `[[contact]]` resists it with a coefficient of at least 0.01 in the paper's meaning: sliding
//! friction mu N; rolling torque mu R_eff N; spinning torque mu d N with the diameter d. The `length` of a rolling limit is
//! mu R_eff, that of a spinning limit mu d, the `mu` of a spinning limit four times the paper's for equal spheres
//! (R_eff = d/4); R_eff and d are those of a pair of spheres of the mean radius. A limit that acts on the area of contact
//! alone counts as that of sliding, from which it comes.
//!
//! The contacts of a resolved scene say all that their laws need, so they are read as laws, and each is asked what it holds
//! (`FrictionLaw::limit`). Where a version that cannot be read wrote them, whatever stands there counts.

use stickslip::law::any::AnyFriction;
use stickslip::law::{Limit, Measure, Motions, PairLaws};
use stickslip::measure::packing::LEAST_COEFFICIENT;

use super::{KnownBody, tables};
use crate::input::{Item, Result, Source, Table, parse};
use crate::scene::laws;

/// Slide, roll, spin.
pub(super) fn motions(scene: &toml::Table, bodies: &[KnownBody]) -> [bool; 3] {
    let radii: Vec<f64> = bodies.iter().filter_map(|body| body.radius).collect();
    let radius = radii.iter().sum::<f64>() / radii.len() as f64;
    let mut found = [false; 3];
    for contact in tables(scene, "contact") {
        let unknown =
            || ["slide", "roll", "spin"].map(|key| contact.contains_key(key) || contact.contains_key("friction"));
        let of_contact =
            read(contact).map_or_else(|_| unknown(), |laws| Motions::EACH.map(|m| holds(&laws, m, radius)));
        for (all, one) in found.iter_mut().zip(of_contact) {
            *all |= one;
        }
    }
    found
}

/// The laws of a `[[contact]]` table, written out as a text of its own.
fn read(contact: &toml::Table) -> Result<PairLaws> {
    let text = toml::to_string(&toml::Table::from_iter([("contact".to_owned(), contact.clone().into())]));
    let source = Source::new("scene.toml", text.unwrap_or_default());
    let parsed = parse(&source)?;
    let contact = Table::top(&source, &parsed).need("contact", Item::table)?;
    laws::read(&contact, &Default::default())
}

/// Whether a law holds a motion by enough.
fn holds(laws: &PairLaws, motion: Motions, radius: f64) -> bool {
    match laws {
        PairLaws::Springs(laws) => laws.any_friction(|law| {
            let share = |law: &dyn AnyFriction| law.motions() == Motions::SPIN && law.reads_patch();
            law.limit(motion).is_some_and(|limit| coefficient(limit, share(law), motion, radius) >= LEAST_COEFFICIENT)
        }),
        PairLaws::Rigid(laws) => {
            let limit = laws.limits.of(motion);
            limit.is_some_and(|limit| coefficient(limit, false, motion, radius) >= LEAST_COEFFICIENT)
        }
    }
}

/// The paper's coefficient of a limit; `of_area`: it acts on the area of contact alone.
fn coefficient(limit: Limit, of_area: bool, motion: Motions, radius: f64) -> f64 {
    let unit = match (motion, limit.measure) {
        (Motions::ROLL, Measure::Length) => 2.0 / radius,
        (Motions::SPIN, Measure::Length) => 0.5 / radius,
        (Motions::SPIN, Measure::Mu) if of_area => 1.0,
        (Motions::SPIN, Measure::Mu) => 0.25,
        _ => 1.0,
    };
    limit.static_ * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(laws: &str) -> [bool; 3] {
        let hertz = "normal = { law = \"hertz\", stiffness = 1e6 }";
        let scene = format!("[[contact]]\nbetween = [\"a\", \"a\"]\n{hertz}\n{laws}").parse().unwrap();
        let body = |radius: Option<f64>| KnownBody { radius, ..KnownBody::default() };
        motions(&scene, &[body(None), body(Some(0.4)), body(Some(0.6))])
    }

    /// A mean radius of 0.5: d = 1 and R_eff = 0.25, the paper's own.
    #[test]
    fn a_trace_of_friction_does_not_count() {
        assert_eq!(of(""), [false; 3]);
        assert_eq!(of("slide = { law = \"spring-slider\", stiffness = 1.0, mu = 0.3 }"), [true, false, false]);
        assert_eq!(of("slide = { law = \"spring-slider\", stiffness = 1.0, mu = 0.009 }"), [false; 3]);
        assert_eq!(
            of(
                "slide = { law = \"spring-slider\", stiffness = 1.0, mu = { static = 0.01, kinetic = 0.005 } }\nroll = { law = \"spring-slider\", stiffness = 1.0, mu = 0 }"
            ),
            [true, false, false]
        );
        assert_eq!(
            of(
                "roll = { law = \"spring-slider\", stiffness = 1.0, mu = 0.01 }\nspin = { law = \"spring-slider\", stiffness = 1.0, mu = 0.04 }"
            ),
            [false, true, true]
        );
        assert_eq!(
            of(
                "roll = { law = \"spring-slider\", stiffness = 1.0, length = 0.0025 }\nspin = { law = \"spring-slider\", stiffness = 1.0, length = 0.01 }"
            ),
            [false, true, true]
        );
        assert_eq!(
            of(
                "roll = { law = \"spring-slider\", stiffness = 1.0, length = 0.0024 }\nspin = { law = \"spring-slider\", stiffness = 1.0, length = 0.0099 }"
            ),
            [false; 3]
        );
    }

    #[test]
    fn laws_without_a_limit_of_their_own() {
        assert_eq!(
            of("slide = { law = \"spring-slider\", stiffness = 1.0, mu = 0.3 }\nspin = { law = \"marshall\" }"),
            [true, false, true]
        );
        assert_eq!(
            of(
                "slide = { law = \"spring-slider\", stiffness = 1.0, mu = 0 }\nspin = { law = \"lubkin\", shear_modulus = 1.0 }"
            ),
            [false; 3]
        );
        assert_eq!(of("roll = { law = \"viscous\", damping = 1.0 }"), [false; 3]);
        assert_eq!(of("roll = { law = \"constant-torque\", mu = 0.1, include_spin = true }"), [false, true, true]);
    }

    #[test]
    fn a_law_against_all_motions_says_what_it_holds() {
        let of_spin = |mu: f64, spin: &str| {
            of(&format!("friction = {{ law = \"tracked\", stiffness = 1.0, mu = {mu}, roll = {{ eta = 0.5 }}{spin} }}"))
        };
        assert_eq!(of_spin(0.3, ""), [true, true, false]);
        assert_eq!(of_spin(0.009, ""), [false; 3]);
        assert_eq!(of_spin(0.02, ", spin = { eta = 0.5 }"), [true, true, false]);
        assert_eq!(of_spin(0.02, ", spin = { eta = 0.5, curvature = 1.0 }"), [true; 3]);
    }

    /// A run of a later version, with laws that are not known here.
    #[test]
    fn laws_that_cannot_be_read_count() {
        assert_eq!(of("roll = { law = \"of-tomorrow\", tau = 1.0 }"), [false, true, false]);
        assert_eq!(of("friction = { law = \"of-tomorrow\" }"), [true; 3]);
    }
}

//! What a law of a pair bears against one motion, in words for `check` and in numbers for `check --json`. A law that says
//! nothing of its own is asked by `FrictionLaw::limit` (`by_limit`).

use serde_json::{Value, json};
use stickslip::law::restitution;
use stickslip::law::{Limit, Measure, Motions, SpringLaws};

use crate::scene::check::short;

/// The least and the largest R_eff (m) of a pair of materials.
pub(crate) type Radii = Option<(f64, f64)>;

/// What a law bears against one motion, or how a normal law pushes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    /// For people.
    pub words: String,
    /// For scripts.
    pub numbers: Value,
}

/// What the law says by `FrictionLaw::limit`, where it resists this motion.
pub(super) fn by_limit(laws: &SpringLaws, motion: Motions, radii: Radii) -> Option<Bound> {
    let limits = laws.limits();
    match motion {
        Motions::SLIDE => limits.slide.map(|limit| Bound::force(&limit)),
        Motions::ROLL => limits.roll.map(|limit| Bound::torque(&limit, "<=", radii)),
        Motions::SPIN => limits.spin.map(|limit| Bound::torque(&limit, "<=", radii)),
        _ => None,
    }
}

impl Bound {
    /// Without numbers.
    pub fn unknown(words: &str) -> Self {
        Bound { words: words.into(), numbers: json!({}) }
    }

    /// Of a normal law: symbol and unit of its stiffness, its damping (1/s) and damping ratio.
    pub fn normal([symbol, unit]: [&str; 2], stiffness: f64, [damping, ratio]: [f64; 2], cohesionless: bool) -> Self {
        let mut words = format!("{symbol} = {} {unit}", short(stiffness));
        if damping > 0.0 {
            words += &format!(", damping {} 1/s times m_eff", short(damping));
        }
        if ratio > 0.0 {
            let e = restitution::of_damping_ratio(ratio, cohesionless);
            words += &format!(", damping ratio {} (restitution {})", short(ratio), short(e));
        }
        if cohesionless {
            words += ", never pulls";
        }
        let numbers = json!({
            "stiffness": stiffness, "unit": unit, "damping": damping, "damping_ratio": ratio,
            "cohesionless": cohesionless,
        });
        Bound { words, numbers }
    }

    /// |F| <= mu N.
    pub fn force(limit: &Limit) -> Self {
        let words = if limit.static_ == limit.kinetic {
            format!("|F| <= {} N", short(limit.static_))
        } else {
            format!("|F| <= {} N sticking, {} N slipping", short(limit.static_), short(limit.kinetic))
        };
        Bound { words, numbers: coefficients(limit) }
    }

    /// A limit whose arm is this share of the radius of the contact area, which changes with the load.
    pub fn over_area(limit: &Limit, share: f64) -> Self {
        let one = |mu: f64| format!("{} a N", short(share * mu));
        let words = format!("|M| <= {}, a = sqrt(R_eff d)", both(one(limit.static_), one(limit.kinetic)));
        let numbers =
            json!({ "measure": "contact_radius", "static": share * limit.static_, "kinetic": share * limit.kinetic });
        Bound { words, numbers }
    }

    /// |M| <= mu R_eff N or length N; the relation may be another.
    pub fn torque(limit: &Limit, relation: &str, radii: Radii) -> Self {
        Bound { words: torque_words(limit, relation, radii), numbers: coefficients(limit) }
    }
}

fn both(stick: String, slip: String) -> String {
    if stick == slip { stick } else { format!("{stick} sticking, {slip} slipping") }
}

fn torque_words(limit: &Limit, relation: &str, radii: Radii) -> String {
    match limit.measure {
        Measure::Length => {
            let one = |c: f64| format!("{} m x N", short(c));
            format!("|M| {relation} {}", both(one(limit.static_), one(limit.kinetic)))
        }
        Measure::Mu => {
            let one = |c: f64| format!("{} R_eff N", short(c));
            let formula = format!("|M| {relation} {}", both(one(limit.static_), one(limit.kinetic)));
            let Some((low, high)) = radii else { return formula };
            let range = |c: f64| {
                let (a, b) = (short(c * low), short(c * high));
                if a == b { format!("{a} m x N") } else { format!("{a} to {b} m x N") }
            };
            let (a, b) = (short(low), short(high));
            let radius = if a == b { a } else { format!("{a} to {b}") };
            format!("{formula} = {} for R_eff = {radius} m", both(range(limit.static_), range(limit.kinetic)))
        }
    }
}

fn coefficients(limit: &Limit) -> Value {
    let measure = match limit.measure {
        Measure::Mu => "mu",
        Measure::Length => "length",
    };
    json!({ "measure": measure, "static": limit.static_, "kinetic": limit.kinetic })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_formula_with_numbers() {
        let words = Bound::torque(&Limit::mu(0.3), "<=", Some((0.0025, 0.0025))).words;
        assert_eq!(words, "|M| <= 0.3 R_eff N = 7.5e-4 m x N for R_eff = 0.0025 m");
        assert_eq!(Bound::torque(&Limit::length(0.001), "=", None).words, "|M| = 0.001 m x N");
    }
}

//! `lubkin` in a scene. Its shear modulus comes from its own table, from that of hertz, or from the two materials.

use stickslip::law::{FrictionLaw, Motions, Spin, SpinLubkin, SpringLaws};

use super::bound::{Bound, Radii};
use super::keys::Takes::{NonNegative, Poisson, Positive};
use super::keys::{DASHPOT, Given, Values, key, may};
use super::{Beside, Law, MODULI, RATIO, Read, limit_over_area};
use crate::input::{Result, Table};
use crate::scene::materials::Elastic;

const ELSEWHERE: &str = "of normal or materials";

pub(super) const LAW: Law = Law {
    name: SpinLubkin::NAME,
    formula: "M = -(16/3) G a^3 x - c w_t, |M| <= (3 pi/16) a mu N; a = sqrt(R_eff d), 1/G = 1/G_a + 1/G_b, mu of slide",
    reference: "Lubkin 1951; needs hertz under normal and a law under slide",
    parameters: &[
        may(&[key("shear_modulus", "Pa", Positive)], ELSEWHERE, "G_a = G_b of this contact"),
        may(&[key("young", "Pa", Positive)], ELSEWHERE, "with poisson, instead of shear_modulus"),
        may(&[key("poisson", "-", Poisson)], ELSEWHERE, "Poisson's ratio, with young"),
        may(&[key("damping", "N m s", NonNegative)], "0", "c"),
        RATIO,
    ],
    exclusive: &[&DASHPOT, &MODULI],
    read: Read::Spin(read),
    values,
    bound,
};

fn read(given: &Given<'_, '_>, beside: &Beside<'_, '_>) -> Result<Spin> {
    let limit = limit_over_area(given, SpinLubkin::NAME, &beside.laws)?;
    let shear_modulus = modulus(given.table, &beside.sides)?;
    let (damping, damped_by_ratio) = given.dashpot()?;
    Ok(Spin::Lubkin(SpinLubkin { shear_modulus, damping, damped_by_ratio, limit }))
}

/// G of the pair, from the moduli of the law's table and, for what is not there, of hertz's table and of the materials.
fn modulus(table: &Table<'_>, sides: &[Elastic; 2]) -> Result<f64> {
    let own = Elastic::read(table)?;
    match (own.or(&sides[0]).shear(), own.or(&sides[1]).shear()) {
        (Some(first), Some(second)) => {
            let modulus = SpinLubkin::effective_shear_modulus(first, second);
            if modulus.is_finite() && modulus > 0.0 {
                Ok(modulus)
            } else {
                Err(table.error(format!("these moduli give lubkin a shear modulus of {modulus}")))
            }
        }
        _ => Err(table
            .error("lubkin needs `shear_modulus`, or `young` and `poisson`".into())
            .help("the moduli may stand here, under `normal`, or in the tables of both materials")),
    }
}

fn of(laws: &SpringLaws) -> Option<&SpinLubkin> {
    match &laws.spin {
        Some(Spin::Lubkin(law)) => Some(law),
        _ => None,
    }
}

fn values(laws: &SpringLaws) -> Option<Values> {
    let law = of(laws)?;
    // Both sides get this modulus when it is read again, and half of its double is the pair's, to the bit.
    Some(Values::new().number("shear_modulus", 2.0 * law.shear_modulus).dashpot(law.damping, law.damped_by_ratio))
}

fn bound(laws: &SpringLaws, motion: Motions, _: Radii) -> Option<Bound> {
    of(laws).filter(|_| motion == Motions::SPIN).map(|law| Bound::over_area(&law.limit, SpinLubkin::ARM))
}

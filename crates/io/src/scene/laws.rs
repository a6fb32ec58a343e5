//! The laws of one `[[contact]]` table: what stands under `normal`, `slide`, `roll` and `spin`, or under
//! `friction` (`tracked.rs`).
//!
//! The keys read here are those of `stickslip::law::LAWS`, which `stickslip laws` prints; a test holds the two together.
//! Does not decide which materials a table is for: `contacts.rs` does.

use stickslip::law::restitution;
use stickslip::law::{
    Arm, Cap, Hertz, Hooke, Limit, Measure, Normal, Roll, RollConstantTorque, RollEpsd, RollSlider, RollViscous, Slide,
    SlideSlider, SliderOptions, Slip, Spin, SpinConstantTorque, SpinLubkin, SpinMarshall, SpinSlider, SpringLaws,
    Transport,
};

use crate::input::{Item, Result, Table};
use crate::scene::materials::Elastic;
use crate::scene::tracked;

/// Laws that later issues bring.
pub(super) const LATER: &[&str] = &["creep", "rigid"];

/// Reads the laws of a table. `sides` are the moduli of the two materials, where hertz looks when its table has none.
pub(crate) fn read(contact: &Table<'_>, sides: &[Elastic; 2]) -> Result<SpringLaws> {
    let normal = contact.need("normal", Item::table)?;
    let law = read_normal(&normal, sides)?;
    // Where lubkin looks for a shear modulus that its own table does not have.
    let sides = match law {
        Normal::Hertz(_) => {
            let own = Elastic::read(&normal)?;
            [own.or(&sides[0]), own.or(&sides[1])]
        }
        Normal::Hooke(_) => *sides,
    };
    normal.finish()?;
    if let Some(friction) = tracked::read(contact, &law)? {
        return Ok(SpringLaws::with_friction(law, friction));
    }
    let slide = read_motion(contact, "slide", |table| read_slide(table, &law))?;
    let roll = read_motion(contact, "roll", |table| read_roll(table, &law, slide.as_ref()))?;
    if let (Some(Roll::ConstantTorque(RollConstantTorque { include_spin: true, .. })), Some(spin)) =
        (&roll, contact.optional("spin"))
    {
        let message = "two laws claim the same motion: `roll` has include_spin = true and resists spin already";
        return Err(spin.error(message.into()).help("leave `spin` out, or set include_spin = false"));
    }
    let spin = read_motion(contact, "spin", |table| read_spin(table, &law, slide.as_ref(), &sides))?;
    let mut laws = SpringLaws { normal: law, slide, roll, spin, friction: None };
    // Spin has nothing to carry, so no `transport` of its own: its rate is taken where the slide law takes its own.
    if let (true, Some(Spin::SpringSlider(spin))) = (laws.rates_at_end(), &mut laws.spin) {
        spin.options.transport = Transport::Lammps;
    }
    Ok(laws)
}

fn read_motion<T>(
    contact: &Table<'_>,
    key: &'static str,
    how: impl FnOnce(&Table<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let Some(item) = contact.optional(key) else { return Ok(None) };
    let table = item.table()?;
    let law = how(&table)?;
    table.finish()?;
    Ok(Some(law))
}

fn read_normal(table: &Table<'_>, sides: &[Elastic; 2]) -> Result<Normal> {
    let is_hertz = table.need("law", |law| law.choice(&[("hooke", false), ("hertz", true)], LATER))?;
    let stiffness = if is_hertz { hertz_stiffness(table, sides)? } else { table.need("stiffness", Item::positive)? };
    let cohesionless = table.read("cohesionless", Item::boolean)?.unwrap_or(false);
    let (damping, damping_ratio) = match table.one_of(&["damping", "damping_ratio", "restitution"])? {
        None => (0.0, 0.0),
        Some(("damping", item)) => (item.non_negative()?, 0.0),
        Some(("damping_ratio", item)) => (0.0, item.non_negative()?),
        Some((_, item)) => {
            let e = item.number_such("a coefficient of restitution from 0 to 1", |e| (0.0..=1.0).contains(&e))?;
            (0.0, restitution::damping_ratio(e, cohesionless))
        }
    };
    Ok(if is_hertz {
        Normal::Hertz(Hertz { stiffness, damping, damping_ratio, cohesionless })
    } else {
        Normal::Hooke(Hooke { stiffness, damping, damping_ratio, cohesionless })
    })
}

/// K = 4/3 E*, given or from the moduli of the law's table and, for what is not there, of the two materials.
fn hertz_stiffness(table: &Table<'_>, sides: &[Elastic; 2]) -> Result<f64> {
    let own = Elastic::read(table)?;
    if let Some(item) = table.optional("stiffness") {
        if own != Elastic::default() {
            let message = "`stiffness` (K = 4/3 E*) and the moduli (young, shear_modulus, poisson) exclude each other";
            return Err(item.error(message.into()));
        }
        return item.positive();
    }
    let side = |material: &Elastic| own.or(material).young_and_poisson();
    match (side(&sides[0]), side(&sides[1])) {
        (Some(first), Some(second)) => {
            let stiffness = 4.0 / 3.0 * Hertz::effective_modulus(first, second);
            if stiffness.is_finite() && stiffness > 0.0 {
                Ok(stiffness)
            } else {
                Err(table.error(format!("these moduli give hertz a stiffness of {stiffness}")))
            }
        }
        _ => Err(table
            .error("hertz needs `stiffness`, or `young` (or `shear_modulus`) and `poisson`".into())
            .help("the moduli may stand here or in the tables of both materials")),
    }
}

fn read_slide(table: &Table<'_>, normal: &Normal) -> Result<Slide> {
    table.need("law", |law| law.choice(&[("spring-slider", ())], LATER))?;
    let arm = table.read("arm", |a| a.choice(&[("midpoint", Arm::Midpoint), ("lammps", Arm::Lammps)], &[]))?;
    let transport = read_transport(table)?;
    let spring = read_spring(table, Some(normal))?;
    let limit = read_coefficients(table.required("mu")?, Measure::Mu)?;
    let options = SliderOptions { arm: arm.unwrap_or_default(), transport, ..spring.options };
    Ok(Slide::SpringSlider(SlideSlider { stiffness: spring.stiffness, damping: spring.damping, limit, options }))
}

fn read_roll(table: &Table<'_>, normal: &Normal, slide: Option<&Slide>) -> Result<Roll> {
    let names = [("spring-slider", 0), ("constant-torque", 1), ("epsd", 2), ("viscous", 3)];
    match table.need("law", |law| law.choice(&names, LATER))? {
        0 => {
            let transport = read_transport(table)?;
            let spring = read_spring(table, Some(normal))?;
            let limit = read_torque_limit(table)?;
            let options = SliderOptions { transport, ..spring.options };
            Ok(Roll::SpringSlider(RollSlider { stiffness: spring.stiffness, damping: spring.damping, limit, options }))
        }
        1 => {
            let limit = read_constant_torque(table)?;
            let include_spin = table.read("include_spin", Item::boolean)?.unwrap_or(false);
            Ok(Roll::ConstantTorque(RollConstantTorque { limit, include_spin }))
        }
        3 => read_viscous(table),
        _ => {
            let (stiffness, slide_stiffness) = match (table.read("stiffness", Item::positive)?, slide) {
                (Some(stiffness), _) => (stiffness, 0.0),
                (None, Some(Slide::SpringSlider(slide))) if slide.stiffness > 0.0 => (0.0, slide.stiffness),
                (None, _) => {
                    return Err(table
                        .error("epsd has no `stiffness`, and the pair no slide law to take one from".into())
                        .help("give `stiffness` (N m/rad), or a slide law with a spring"));
                }
            };
            let damping_ratio = table.read("damping_ratio", Item::non_negative)?.unwrap_or(0.3);
            let limit = read_torque_limit(table)?;
            Ok(Roll::Epsd(RollEpsd { stiffness, slide_stiffness, damping_ratio, limit }))
        }
    }
}

fn read_viscous(table: &Table<'_>) -> Result<Roll> {
    let damping = table.need("damping", Item::non_negative)?;
    let limit = match table.one_of(&["mu", "length"])? {
        Some(("mu", item)) => Some(read_coefficients(item, Measure::Mu)?),
        Some((_, item)) => Some(read_coefficients(item, Measure::Length)?),
        None => None,
    };
    Ok(Roll::Viscous(RollViscous { damping, limit }))
}

fn read_spin(table: &Table<'_>, normal: &Normal, slide: Option<&Slide>, sides: &[Elastic; 2]) -> Result<Spin> {
    let names = [("spring-slider", 0), ("constant-torque", 1), ("marshall", 2), ("lubkin", 3)];
    match table.need("law", |law| law.choice(&names, LATER))? {
        0 => {
            let Spring { stiffness, damping, options } = read_spring(table, None)?;
            let limit = read_torque_limit(table)?;
            Ok(Spin::SpringSlider(SpinSlider { stiffness, damping, limit, options }))
        }
        1 => Ok(Spin::ConstantTorque(SpinConstantTorque { limit: read_constant_torque(table)? })),
        2 => Ok(Spin::Marshall(SpinMarshall { slide: slide_over_area(table, "marshall", normal, slide)? })),
        _ => {
            let slide = slide_over_area(table, "lubkin", normal, slide)?;
            let shear_modulus = lubkin_modulus(table, sides)?;
            let (damping, damped_by_ratio) = match table.one_of(&["damping", "damping_ratio"])? {
                None => (0.0, false),
                Some(("damping", item)) => (item.non_negative()?, false),
                Some((_, item)) => (item.non_negative()?, true),
            };
            Ok(Spin::Lubkin(SpinLubkin { shear_modulus, damping, damped_by_ratio, limit: slide.limit }))
        }
    }
}

/// The slide law that a spin law spreads over the contact area of hertz; both must be there.
fn slide_over_area(table: &Table<'_>, name: &str, normal: &Normal, slide: Option<&Slide>) -> Result<SlideSlider> {
    if !matches!(normal, Normal::Hertz(_)) {
        return Err(table
            .error(format!("{name} needs the radius of the contact area, which only hertz under `normal` has"))
            .help("use hertz, or a spring-slider under `spin`"));
    }
    match slide {
        Some(Slide::SpringSlider(slide)) => Ok(*slide),
        None | Some(Slide::Own(_)) => Err(table
            .error(format!("{name} takes its limit from the pair's slide law, and there is none"))
            .help("add slide = { law = \"spring-slider\", .. }")),
    }
}

/// G of the pair, from the moduli of the law's table and, for what is not there, of hertz's table and of the materials.
fn lubkin_modulus(table: &Table<'_>, sides: &[Elastic; 2]) -> Result<f64> {
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

/// What the three spring-sliders have in common.
struct Spring {
    stiffness: f64,
    damping: f64,
    options: SliderOptions,
}

/// `normal` is given where the stiffness may be a ratio to the normal one.
fn read_spring(table: &Table<'_>, normal: Option<&Normal>) -> Result<Spring> {
    let slip = table.read("slip", |s| s.choice(&[("series", Slip::Series), ("lammps", Slip::Lammps)], &[]))?;
    let cap = table.read("cap", |c| c.choice(&[("total", Cap::Total), ("elastic", Cap::Elastic)], &[]))?;
    let (slip, cap) = (slip.unwrap_or_default(), cap.unwrap_or_default());
    let given = match normal {
        Some(_) => table.one_of(&["stiffness", "stiffness_ratio"])?,
        None => Some(("stiffness", table.required("stiffness")?)),
    };
    let (key, item) = match given {
        Some(given) => given,
        // Reports a misspelt key where there is one.
        None => ("stiffness", table.required("stiffness")?),
    };
    let place = item.place();
    let stiffness = match (key, normal) {
        ("stiffness_ratio", Some(Normal::Hooke(hooke))) => item.non_negative()? * hooke.stiffness,
        ("stiffness_ratio", _) => {
            let message = "with hertz the normal stiffness changes with the overlap: give `stiffness` instead";
            return Err(item.error(message.into()));
        }
        _ => item.non_negative()?,
    };
    let (damping, damped_by_ratio) = match table.one_of(&["damping", "damping_ratio"])? {
        None => (0.0, false),
        Some(("damping", item)) => (item.non_negative()?, false),
        Some((_, item)) => (item.non_negative()?, true),
    };
    if !stiffness.is_finite() {
        return Err(place.error("this ratio gives a stiffness that is not finite".into()));
    }
    if stiffness == 0.0 && (slip != Slip::Series || cap != Cap::Total) {
        let message =
            "expected a number above zero: only slip = \"series\" with cap = \"total\" works without a spring";
        return Err(place.error(message.into()));
    }
    if stiffness == 0.0 && (damping == 0.0 || damped_by_ratio) {
        return Err(place.error("a stiffness of zero needs a `damping` above zero: nothing else resists".into()));
    }
    Ok(Spring { stiffness, damping, options: SliderOptions { slip, cap, damped_by_ratio, ..SliderOptions::default() } })
}

fn read_transport(table: &Table<'_>) -> Result<Transport> {
    let words = [("objective", Transport::Objective), ("lammps", Transport::Lammps)];
    Ok(table.read("transport", |t| t.choice(&words, &[]))?.unwrap_or_default())
}

/// `mu` or `length`, one of which must be there.
fn torque_coefficient<'a>(table: &Table<'a>) -> Result<(Item<'a>, Measure)> {
    match table.one_of(&["mu", "length"])? {
        Some(("mu", item)) => Ok((item, Measure::Mu)),
        Some((_, item)) => Ok((item, Measure::Length)),
        None => {
            match table.required("mu") {
                // A misspelt `mu` is reported as such.
                Err(error) if error.message().contains("unknown key") => Err(error),
                _ => Err(table
                    .error("the limit is missing: give `mu` (|M| <= mu R_eff N) or `length` (|M| <= length N)".into())),
            }
        }
    }
}

fn read_torque_limit(table: &Table<'_>) -> Result<Limit> {
    let (item, measure) = torque_coefficient(table)?;
    read_coefficients(item, measure)
}

/// A number, or a static and a kinetic one.
pub(super) fn read_coefficients(item: Item<'_>, measure: Measure) -> Result<Limit> {
    if !item.is_table() {
        let both = item.non_negative()?;
        return Ok(Limit { static_: both, kinetic: both, measure });
    }
    let table = item.table()?;
    let static_ = table.need("static", Item::non_negative)?;
    let place = table.required("kinetic")?;
    let kinetic = place.clone().non_negative()?;
    if kinetic > static_ {
        return Err(place.error(format!("the kinetic value {kinetic} is above the static one, {static_}")));
    }
    table.finish()?;
    Ok(Limit { static_, kinetic, measure })
}

fn read_constant_torque(table: &Table<'_>) -> Result<Limit> {
    let (item, measure) = torque_coefficient(table)?;
    if item.is_table() {
        let message = "constant-torque has no memory, hence no static branch: expected one number";
        return Err(item.error(message.into()));
    }
    read_coefficients(item, measure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Source, parse};
    use stickslip::law::LAWS;

    /// A table that reads without error, for each law of the engine's list.
    fn least(key: &str, name: &str) -> &'static str {
        match (key, name) {
            ("normal", "hooke") => "law = 'hooke'\nstiffness = 1.0",
            ("normal", "hertz") => "law = 'hertz'\nyoung = 1.0\npoisson = 0.2",
            ("slide" | "roll" | "spin", "spring-slider") => "law = 'spring-slider'\nstiffness = 1.0\nmu = 0.1",
            ("roll" | "spin", "constant-torque") => "law = 'constant-torque'\nmu = 0.1",
            ("roll", "epsd") => "law = 'epsd'\nstiffness = 1.0\nmu = 0.1",
            ("roll", "viscous") => "law = 'viscous'\ndamping = 1.0",
            ("spin", "marshall") => "law = 'marshall'",
            ("spin", "lubkin") => "law = 'lubkin'\nshear_modulus = 1.0",
            ("friction", "tracked") => "law = 'tracked'\nstiffness = 1.0\nmu = 0.1",
            _ => panic!("the law {name} under {key} has no reader"),
        }
    }

    #[test]
    fn the_keys_that_are_read_are_those_that_the_engine_lists() {
        let hooke = Normal::Hooke(Hooke::new(1.0, 0.0));
        let hertz = Normal::Hertz(Hertz::with_restitution(1.0, 1.0, false));
        let slide = Slide::SpringSlider(SlideSlider::new(1.0, 0.0, Limit::mu(0.1)));
        for law in LAWS {
            let source = Source::new("test", least(law.key, law.name));
            let parsed = parse(&source).unwrap();
            let table = Table::top(&source, &parsed);
            match law.key {
                "normal" => read_normal(&table, &[Elastic::default(); 2]).map(|_| ()),
                "slide" => read_slide(&table, &hooke).map(|_| ()),
                "roll" => read_roll(&table, &hooke, None).map(|_| ()),
                "friction" => tracked::read_law(&table, &hooke).map(|_| ()),
                _ => read_spin(&table, &hertz, Some(&slide), &[Elastic::default(); 2]).map(|_| ()),
            }
            .unwrap();
            let mut read = table.asked();
            let mut listed: Vec<&str> = law.parameters.iter().flat_map(|p| p.name.split(" | ")).collect();
            listed.push("law");
            read.sort_unstable();
            listed.sort_unstable();
            assert_eq!(read, listed, "{} under {}", law.name, law.key);
        }
    }

    #[test]
    fn a_pair_mixes_its_moduli_and_the_law_wins_over_the_materials() {
        let source = Source::new("test", "normal = { law = 'hertz', poisson = 0.0 }");
        let parsed = parse(&source).unwrap();
        let soft = Elastic { shear_modulus: Some(1.0), poisson: Some(0.3), ..Elastic::default() };
        let hard = Elastic { young: Some(6.0), ..Elastic::default() };
        let laws = read(&Table::top(&source, &parsed), &[soft, hard]).unwrap();
        // nu = 0 from the law, E = 2 G = 2 and 6: 1/E* = 1/2 + 1/6, E* = 1.5, K = 2.
        let Normal::Hertz(hertz) = laws.normal else { panic!("hertz was asked for") };
        assert!((hertz.stiffness - 2.0).abs() < 1e-15);
    }
}

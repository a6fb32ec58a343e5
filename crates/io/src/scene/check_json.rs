//! What `stickslip check --json` prints: the scene for a script.
//!
//! The limits are there in words, as `check` prints them, and as numbers: `static` and `kinetic` are what multiplies the normal
//! load N in the slide limit (`measure` is `mu`), or N and an arm in a torque limit: R_eff (`mu`), 1 m (`length`), or the radius
//! of the contact area (`contact_radius`). A motion that nothing resists is null.

use serde_json::{Map, Value, json};
use stickslip::law::{Friction, Limit, Measure, Normal, Roll, Slide, Spin, SpinCurvature, SpringLaws};

use super::check::{LUBKIN_ARM, MARSHALL_ARM, counts, describe, effective_radii};
use super::{Every, Record, Scene};

/// The scene for a script: counts of bodies, the step and its reasons, laws and limits by pair, records, warnings and notes.
pub fn check_json(scene: &Scene) -> Value {
    let model = &scene.setup.model;
    let mut bodies: Map<String, Value> = counts(scene).into_iter().map(|(kind, n)| (kind.into(), n.into())).collect();
    bodies.insert("total".into(), scene.setup.bodies.len().into());
    let stream = |inflow: &stickslip::inflow::Inflow| {
        let material = &model.materials[usize::from(inflow.material)].name;
        let due = inflow.due_before(scene.steps, model.dt);
        json!({
            "material": material, "count": inflow.count, "radius": inflow.radius, "rate": inflow.rate,
            "start": inflow.start, "due_before_end": due,
        })
    };
    json!({
        "title": scene.title,
        "seed": scene.seed,
        "bodies": bodies,
        "streams": model.inflows.iter().map(stream).collect::<Vec<_>>(),
        "time": time(scene),
        "pairs": pairs(scene),
        "records": scene.records.iter().map(record).collect::<Vec<_>>(),
        "warnings": scene.warnings,
        "notes": scene.notes,
    })
}

fn time(scene: &Scene) -> Value {
    let advice = scene.advice.as_ref();
    json!({
        "step": scene.setup.model.dt,
        "origin": scene.step_choice.origin(),
        "steps": scene.steps,
        "end": scene.end,
        "recommended": advice.map(|advice| advice.step),
        "critical": advice.map(|advice| advice.critical),
        "governed_by": advice.map(|advice| advice.governed_by.to_string()),
        "rayleigh": advice.and_then(|advice| advice.rayleigh),
    })
}

fn record(record: &Record) -> Value {
    let every = match record.every {
        Every::Time(time) => time.into(),
        Every::Step => Value::from("step"),
    };
    json!({ "name": record.name, "what": record.what.word(), "every": every })
}

fn pairs(scene: &Scene) -> Vec<Value> {
    let model = &scene.setup.model;
    let count = model.materials.len();
    let all = (0..count).flat_map(|i| (i..count).map(move |j| (i, j)));
    let pair = |(i, j): (usize, usize)| {
        let laws = model.laws.springs(i as u16, j as u16)?;
        let radii = effective_radii(scene, i as u16, j as u16);
        let mut pair = json!({
            "between": [model.materials[i].name, model.materials[j].name],
            "effective_radius": radii.map(|(low, high)| [low, high]),
        });
        for ((motion, law, limit), numbers) in describe(laws, radii).into_iter().zip(numbers(laws)) {
            pair[motion] = numbers.map_or(Value::Null, |mut numbers| {
                numbers["law"] = law.into();
                numbers["limit"] = limit.into();
                numbers
            });
        }
        Some(pair)
    };
    all.filter_map(pair).collect()
}

/// The numbers of the laws along the normal, of slide, roll and spin.
fn numbers(laws: &SpringLaws) -> [Option<Value>; 4] {
    let (stiffness, unit, damping, damping_ratio, cohesionless) = match laws.normal {
        Normal::Hooke(h) => (h.stiffness, "N/m", h.damping, h.damping_ratio, h.cohesionless),
        Normal::Hertz(h) => (h.stiffness, "Pa", h.damping, h.damping_ratio, h.cohesionless),
    };
    let normal = json!({
        "stiffness": stiffness, "unit": unit, "damping": damping, "damping_ratio": damping_ratio,
        "cohesionless": cohesionless,
    });
    if let Some(Friction::Tracked(law)) = laws.friction {
        let roll = law.roll.map(|_| coefficients(&law.limit_of(1)));
        let spin = law.spin.map(|spin| match spin.curvature {
            SpinCurvature::Hertz => over_area(&law.limit, spin.eta),
            _ => coefficients(&law.limit_of(2)),
        });
        return [Some(normal), Some(coefficients(&law.limit)), roll, spin];
    }
    let slide = laws.slide.map(|law| match law {
        Slide::SpringSlider(law) => coefficients(&law.limit),
        Slide::Own(_) => json!({}),
    });
    let roll = laws.roll.map(|law| match law {
        Roll::SpringSlider(law) => coefficients(&law.limit),
        Roll::ConstantTorque(law) => coefficients(&law.limit),
        Roll::Epsd(law) => coefficients(&law.limit),
        Roll::Viscous(law) => law.limit.map_or_else(|| json!({}), |limit| coefficients(&limit)),
        Roll::Own(_) => json!({}),
    });
    let spin = match (laws.spin, laws.roll) {
        (Some(Spin::SpringSlider(law)), _) => Some(coefficients(&law.limit)),
        (Some(Spin::ConstantTorque(law)), _) => Some(coefficients(&law.limit)),
        (Some(Spin::Marshall(law)), _) => Some(over_area(&law.slide.limit, MARSHALL_ARM)),
        (Some(Spin::Lubkin(law)), _) => Some(over_area(&law.limit, LUBKIN_ARM)),
        (Some(Spin::Own(_)), _) => Some(json!({})),
        (None, Some(Roll::ConstantTorque(roll))) if roll.include_spin => Some(coefficients(&roll.limit)),
        (None, _) => None,
    };
    [Some(normal), slide, roll, spin]
}

fn coefficients(limit: &Limit) -> Value {
    let measure = match limit.measure {
        Measure::Mu => "mu",
        Measure::Length => "length",
    };
    json!({ "measure": measure, "static": limit.static_, "kinetic": limit.kinetic })
}

/// A torque limit whose arm is this share of the radius of the contact area.
fn over_area(limit: &Limit, share: f64) -> Value {
    json!({ "measure": "contact_radius", "static": share * limit.static_, "kinetic": share * limit.kinetic })
}

//! What `stickslip check --json` prints: the scene for a script.
//!
//! The limits are there in words, as `check` prints them, and as numbers: `static` and `kinetic` are what multiplies the normal
//! load N in the slide limit (`measure` is `mu`), or N and an arm in a torque limit: R_eff (`mu`), 1 m (`length`), or the radius
//! of the contact area (`contact_radius`). A motion that nothing resists is null. `sizes` has the tables whose bodies differ: `radius`
//! is the least, the median and the largest.

use serde_json::{Map, Value, json};
use stickslip::inflow::{Inflow, Rate};
use stickslip::joint::Joint;
use stickslip::law::PairLaws;

use super::check::{DrawnSizes, counts, drawn_sizes, effective_radii, joint_words};
use super::laws::{NONE, describe};
use super::{Course, Every, Record, Scene, Stage};

/// The scene for a script: counts of bodies, the step and its reasons, laws and limits by pair, records, warnings and notes.
pub fn check_json(scene: &Scene) -> Value {
    let model = &scene.setup.model;
    let mut bodies: Map<String, Value> = counts(scene).into_iter().map(|(kind, n)| (kind.into(), n.into())).collect();
    bodies.insert("total".into(), scene.setup.bodies.len().into());
    let stream = |inflow: &Inflow| {
        let material = &model.materials[usize::from(inflow.material())].name;
        let due = scene.due_before_end(inflow);
        let signal = inflow.rate.signal();
        let rate = signal.schedule().map_or_else(|| signal.at_start().into(), |_| Value::from("schedule"));
        let rate = if matches!(inflow.rate, Rate::Mass(_)) { json!({ "mass": rate }) } else { rate };
        json!({
            "material": material, "count": inflow.count, "radius": inflow.mould.radii(), "rate": rate,
            "start": inflow.start, "due_before_end": due,
        })
    };
    json!({
        "title": scene.title,
        "seed": scene.seed,
        "bodies": bodies,
        "streams": model.inflows.iter().map(stream).collect::<Vec<_>>(),
        "sizes": drawn_sizes(scene).iter().map(sizes).collect::<Vec<_>>(),
        "schedules": scene.courses().iter().map(schedule).collect::<Vec<_>>(),
        "time": time(scene),
        "pairs": pairs(scene),
        "joints": model.joints.iter().enumerate().map(|(number, joint)| joint_json(scene, number, joint)).collect::<Vec<_>>(),
        "records": scene.records.iter().map(record).collect::<Vec<_>>(),
        "stages": scene.stages.iter().map(stage).collect::<Vec<_>>(),
        "warnings": scene.warnings,
        "notes": scene.notes,
    })
}

fn joint_json(scene: &Scene, number: usize, joint: &Joint) -> Value {
    let [name, kind, bodies, acts] = joint_words(scene, number, joint);
    json!({ "joint": number, "name": name, "kind": kind, "bodies": bodies, "acts": acts })
}

fn stage(stage: &Stage) -> Value {
    json!({
        "name": stage.name,
        "time": time(&stage.scene),
        "changes": stage.changes(),
        "warnings": stage.scene.warnings,
    })
}

fn schedule(course: &Course) -> Value {
    let components = course.components.iter().map(|(name, values)| json!({ "component": name, "values": values }));
    json!({
        "key": course.key, "unit": course.unit, "times": course.times, "components": components.collect::<Vec<_>>(),
    })
}

fn sizes(drawn: &DrawnSizes) -> Value {
    let DrawnSizes { table, count, kind, radii: [least, median, most], mass } = drawn;
    json!({ "table": table, "count": count, "shape": kind, "radius": [least, median, most], "mass": mass })
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
    let pair = |([i, j], laws): ([u16; 2], Option<&PairLaws>)| {
        let radii = effective_radii(scene, i, j);
        let names = [i, j].map(|material| &model.materials[usize::from(material)].name);
        let mut pair = json!({
            "between": names,
            "effective_radius": radii.map(|(low, high)| [low, high]),
        });
        let Some(laws) = laws else {
            pair["normal"] = NONE.into();
            return pair;
        };
        for described in describe(laws, radii) {
            pair[described.motion] = described.numbers.map_or(Value::Null, |mut numbers| {
                numbers["law"] = described.law.into();
                numbers["limit"] = described.words.into();
                numbers
            });
        }
        pair
    };
    model.laws.said().map(pair).collect()
}

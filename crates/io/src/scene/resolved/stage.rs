//! A stage written out again: what differs from the stage before it, under keys that any name of a body or material leaves
//! alone, since they are numbers.

use std::fmt::Write;

use super::{
    control_text, domain_lines, every_text, laws, locks, method_lines, motion_text, number, signal_text, stop_lines,
    stream_lines, string, vector, write_body, write_group,
};
use crate::scene::grains::Group;
use crate::scene::joints;
use crate::scene::stage::Stage;
use crate::scene::{Scene, StepChoice};

/// Writes a stage that follows `before`. `numbers` are those of all bodies in tables so far.
pub(crate) fn stage(stage: &Stage, before: &Scene, groups: &[Group], numbers: &[usize]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_stage(&mut out, stage, before, groups, numbers);
    out
}

fn write_stage(
    out: &mut String,
    stage: &Stage,
    before: &Scene,
    groups: &[Group],
    numbers: &[usize],
) -> std::fmt::Result {
    let scene = &stage.scene;
    let stop = stop_lines(scene).join(", ");
    let stop = if stop.is_empty() { stop } else { format!(", stop = {{ {stop} }}") };
    let step = number(scene.setup.model.dt);
    writeln!(out, "\n[[stage]]\nname = {}", string(&stage.name))?;
    let origin = if scene.step_choice == StepChoice::Auto { "  # auto" } else { "" };
    writeln!(out, "time = {{ end = {}, step = {step}{stop} }}{origin}", number(scene.end))?;
    writeln!(out, "velocities = {}", stage.velocities.text())?;
    writeln!(out, "memory = \"{}\"", if stage.keep_memory { "keep" } else { "drop" })?;
    let name = |id: &usize| before.names.get(*id).and_then(Option::as_deref).map(string);
    let removed: Vec<String> = stage.removed.iter().filter_map(name).collect();
    writeln!(out, "remove = [{}]", removed.join(", "))?;
    let set = settings(stage, before, numbers);
    if !set.is_empty() {
        writeln!(out, "\n[stage.set]")?;
    }
    for (key, value) in set {
        writeln!(out, "\"{key}\" = {value}")?;
    }
    for (k, number) in stage.brought.clone().enumerate().filter(|(_, number)| numbers.contains(number)) {
        let name = scene.names.get(number).and_then(Option::as_deref);
        write_body(out, scene, "stage.body", &stage.incoming.get(k), name)?;
    }
    groups.iter().try_for_each(|group| write_group(out, scene, "stage.grains", group))?;
    let new = scene.setup.model.inflows.iter().skip(before.setup.model.inflows.len());
    for stream in new {
        writeln!(out, "\n[[stage.stream]]\n{}", stream_lines(scene, stream).join("\n"))?;
    }
    Ok(())
}

/// Keys and values that make the scene of a stage out of that before it.
fn settings(stage: &Stage, before: &Scene, numbers: &[usize]) -> Vec<(String, String)> {
    let (scene, mut set) = (&stage.scene, Vec::new());
    let (model, old) = (&scene.setup.model, &before.setup.model);
    let mut put = |key: String, value: String| set.push((key, value));
    if model.gravity != old.gravity {
        put("gravity".into(), signal_text(&model.gravity, vector));
    }
    if model.method != old.method {
        put("method".into(), format!("{{ {} }}", method_lines(&model.method).join(", ")));
    }
    for (k, (pair, laws)) in model.laws.said().enumerate() {
        let [i, j] = pair;
        if old.laws.get(i, j) != laws || old.laws.touches(i, j) != model.laws.touches(i, j) {
            let [first, second] = pair.map(|material| string(&model.materials[usize::from(material)].name));
            let lines = laws::resolved(laws).join(", ");
            put(format!("contact[{k}]"), format!("{{ between = [{first}, {second}], {lines} }}"));
        }
    }
    if let (Some(cell), true) = (&model.cell, model.cell != old.cell)
        && let Some(control) = control_text(cell)
    {
        put("cell.control".into(), control);
    }
    if let (Some(domain), true) = (&scene.domain, scene.domain != before.domain) {
        put("domain".into(), format!("{{ {} }}", domain_lines(domain).join(", ")));
    }
    for (k, (record, other)) in scene.records.iter().zip(&before.records).enumerate() {
        if record.every != other.every {
            put(format!("record[{k}].every"), every_text(record.every));
        }
    }
    for (table, id) in numbers.iter().enumerate().filter(|(_, id)| **id < stage.brought.start) {
        let body = scene.setup.bodies.get(*id);
        if stage.driven.contains(id) {
            put(format!("body[{table}].motion"), motion_text(&body.motion));
        }
        if stage.loaded.contains(id) {
            put(format!("body[{table}].force"), signal_text(&body.force, vector));
            put(format!("body[{table}].torque"), signal_text(&body.torque, vector));
            put(format!("body[{table}].lock"), locks(&body));
        }
    }
    for (k, (joint, other)) in model.joints.iter().zip(&old.joints).enumerate() {
        let was = joints::settable(other);
        for (key, value) in joints::settable(joint).into_iter().filter(|set| !was.contains(set)) {
            put(format!("joint[{k}].{key}"), value);
        }
    }
    for (k, stream) in model.inflows.iter().enumerate().take(old.inflows.len()).filter(|(k, _)| stage.streams[*k]) {
        put(format!("stream[{k}]"), format!("{{ {} }}", stream_lines(scene, stream).join(", ")));
    }
    set
}

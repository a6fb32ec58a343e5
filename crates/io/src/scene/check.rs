//! What `stickslip check` prints: the scene in a few lines, then which motions are resisted and by what limit.

use std::fmt::Write;

use stickslip::body::{Body, Motion};
use stickslip::inflow::{Entrance, Inflow, Rate};
use stickslip::joint::{Freedom, Joint, Target};
use stickslip::schedule::Signal;
use stickslip::shape::Shape;

use crate::scene::bodies::label_in_key;
use crate::scene::laws::{Described, describe};
use crate::scene::{Every, Scene, Stage, StepChoice, Stop};

/// A number with four significant digits, for people.
pub(crate) fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    if !(1e-3..1e5).contains(&size) {
        let text = format!("{x:.3e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((text.as_str(), "0"));
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        return format!("{digits}e{exponent}");
    }
    let before = stickslip::math::log10(size).floor() as i32;
    let text = format!("{x:.*}", (3 - before).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The scene in words: counts, step, records, and for every pair of materials its laws with their limits.
pub fn check_text(scene: &Scene) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_head(&mut text, scene);
    let _ = write_pairs(&mut text, scene);
    let _ = write_joints(&mut text, scene);
    let _ = write_stages(&mut text, scene);
    for warning in &scene.warnings {
        let _ = writeln!(text, "\nwarning: {warning}");
    }
    for note in &scene.notes {
        let _ = writeln!(text, "\nnote: {note}");
    }
    text
}

/// The step of a scene in words: how large, where from, which fraction of the critical step and of the Rayleigh time.
pub fn step_text(scene: &Scene) -> String {
    let step = scene.setup.model.dt;
    let origin = scene.step_choice.origin();
    let mut text = format!("{} s ({origin}), {} steps to {} s", short(step), scene.steps, short(scene.end));
    let Some(advice) = &scene.advice else { return text + "; nothing can touch" };
    if advice.critical.is_infinite() {
        return text + &format!("; \"auto\" is {} s, {}", short(advice.step), advice.set_by);
    }
    let (fraction, critical) = (short(step / advice.critical), short(advice.critical));
    text += &format!("; {fraction} of the critical step {critical} s, governed by {}", advice.governed_by);
    if let Some(rayleigh) = advice.rayleigh {
        text += &format!("; {} of the Rayleigh time {} s", short(step / rayleigh), short(rayleigh));
    }
    if scene.step_choice != StepChoice::Auto {
        text += &format!("; \"auto\" is {} s", short(advice.step));
    } else if advice.set_by != advice.governed_by {
        text += &format!("; set by {}", advice.set_by);
    }
    text
}

/// `1 sphere`, `2 spheres`, `1 body`, `2 bodies`.
pub fn plural(n: usize, noun: &str) -> String {
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) if noun.ends_with('x') => format!("{n} {noun}es"),
        (_, None) => format!("{n} {noun}s"),
    }
}

/// `1 sphere`, `2 spheres`, `2 free`.
fn counted(n: usize, kind: &str) -> String {
    let noun = !matches!(kind, "free" | "fixed" | "held" | "prescribed");
    if noun { plural(n, kind) } else { format!("{n} {kind}") }
}

/// How many bodies there are of each shape and of each motion; kinds without bodies are left out.
pub(super) fn counts(scene: &Scene) -> Vec<(&'static str, usize)> {
    let bodies = &scene.setup.bodies;
    let count = |fits: &dyn Fn(&stickslip::body::Body) -> bool| bodies.iter().filter(|b| fits(b)).count();
    let kinds = [
        ("sphere", count(&|b| b.shape.kind() == "sphere")),
        ("ellipsoid", count(&|b| b.shape.kind() == "ellipsoid")),
        ("box", count(&|b| b.shape.kind() == "box")),
        ("cylinder", count(&|b| b.shape.kind() == "cylinder")),
        ("clump", count(&|b| b.shape.kind() == "clump")),
        ("plane", count(&|b| b.shape.kind() == "plane")),
        ("rectangle", count(&|b| b.shape.kind() == "rectangle")),
        ("tube", count(&|b| b.shape.kind() == "tube")),
        ("cone", count(&|b| b.shape.kind() == "cone")),
        ("free", count(&|b| b.motion == Motion::Free)),
        ("fixed", count(&|b| b.motion == Motion::Fixed)),
        ("held", count(&|b| b.motion == Motion::Held)),
        ("prescribed", count(&|b| matches!(b.motion, Motion::Prescribed(_)))),
        ("belt", count(&|b| matches!(b.motion, Motion::Belt(_)))),
        ("servo", count(&|b| matches!(b.motion, Motion::Servo(_)))),
    ];
    kinds.into_iter().filter(|(_, n)| *n > 0).collect()
}

fn write_head(text: &mut String, scene: &Scene) -> std::fmt::Result {
    let bodies = &scene.setup.bodies;
    let kinds: Vec<String> = counts(scene).into_iter().map(|(kind, n)| counted(n, kind)).collect();
    if !scene.title.is_empty() {
        writeln!(text, "title    {}", scene.title)?;
    }
    writeln!(text, "bodies   {} ({})", bodies.len(), kinds.join(", "))?;
    for inflow in &scene.setup.model.inflows {
        writeln!(text, "stream   {}", describe_stream(scene, inflow))?;
    }
    for drawn in drawn_sizes(scene) {
        let DrawnSizes { table, count, kind, radii: [least, median, most], mass } = drawn;
        let radii = [least, median, most].map(short);
        let [least, median, most] = &radii;
        let what = if kind == "sphere" { "radius" } else { "radius of equal volume" };
        let count = plural(count, kind);
        writeln!(text, "sizes    {table}: {count}, {what} {least} to {most} m, median {median} m, {} kg", short(mass))?;
    }
    if let Some(cell) = &scene.setup.model.cell {
        let spheres = bodies.iter().filter(|body| body.shape.radius().is_some()).count();
        let [size, driven] = crate::scene::cell::describe(cell, spheres);
        writeln!(text, "cell     {size}\ndriven   {driven}")?;
    }
    if let Some(domain) = &scene.domain {
        let (from, to, leaving) = (domain.from, domain.to, domain.leaving.word());
        writeln!(text, "domain   {from} to {to}, leaving: {leaving}")?;
    }
    for course in scene.courses() {
        writeln!(text, "schedule {}", course.words())?;
    }
    writeln!(text, "step     {}", step_text(scene))?;
    let record = |r: &crate::scene::Record| match r.every {
        Every::Time(time) => format!("{} ({}, every {} s)", r.name, r.what.word(), short(time)),
        Every::Step => format!("{} ({}, every step)", r.name, r.what.word()),
    };
    let records: Vec<String> = scene.records.iter().map(record).collect();
    writeln!(text, "records  {}", if records.is_empty() { "none".to_owned() } else { records.join(", ") })
}

/// The sizes of a table whose bodies differ.
pub(super) struct DrawnSizes {
    /// The table, as errors name it.
    pub table: String,
    /// How many bodies.
    pub count: usize,
    /// Their shape.
    pub kind: &'static str,
    /// Least, median and largest radius (m); of solids that of the sphere with the same volume.
    pub radii: [f64; 3],
    /// Of all (kg).
    pub mass: f64,
}

/// The most bodies of a stream that are drawn to say how large they are.
const MOST_DRAWN: u64 = 100_000;

/// The sizes of the tables `[[grains]]` and `[[stream]]` whose bodies differ; of streams of those due before the end, or the first
/// hundred thousand of them.
pub(super) fn drawn_sizes(scene: &Scene) -> Vec<DrawnSizes> {
    let model = &scene.setup.model;
    let mut found = Vec::new();
    let mut first = 0;
    for (end, spot) in &scene.sites.bodies {
        let bodies = (first..*end).map(|id| scene.setup.bodies.get(id));
        first = *end;
        if spot.path().starts_with("grains") {
            found.extend(sizes_of(scene, spot.path(), bodies));
        }
    }
    for (inflow, spot) in model.inflows.iter().zip(&scene.sites.streams) {
        let density = model.materials[usize::from(inflow.material())].density;
        let count = scene.due_before_end(inflow).min(MOST_DRAWN);
        found.extend(sizes_of(scene, spot.path(), (0..count).map(|n| inflow.body(n, density))));
    }
    found
}

/// Those of some bodies; `None` where all are alike.
fn sizes_of(scene: &Scene, table: &str, bodies: impl Iterator<Item = Body>) -> Option<DrawnSizes> {
    let (mut radii, mut mass, mut kind) = (Vec::new(), 0.0, "");
    for body in bodies {
        let Some(volume) = body.shape.volume() else { continue };
        kind = body.shape.kind();
        radii.push(match body.shape {
            Shape::Sphere { radius } => radius,
            _ => stickslip::math::cbrt(volume * 0.75 / std::f64::consts::PI),
        });
        mass += body.mass_and_inertia(scene.setup.model.materials[usize::from(body.material)].density).0;
    }
    radii.sort_by(f64::total_cmp);
    let (count, table) = (radii.len(), table.to_owned());
    let (least, most) = (*radii.first()?, *radii.last()?);
    let median = 0.5 * (radii[(count - 1) / 2] + radii[count / 2]);
    (least < most).then_some(DrawnSizes { table, count, kind, radii: [least, median, most], mass })
}

/// What a stream brings, where and when.
fn describe_stream(scene: &Scene, inflow: &Inflow) -> String {
    let material = &scene.setup.model.materials[usize::from(inflow.material())].name;
    let [min, max] = inflow.mould.radii().map(short);
    let radius = if min == max { min } else { format!("{min} to {max}") };
    // Of solids the radius is that of the sphere around one.
    let kind = inflow.mould.shape().kind();
    let (what, around) = if kind == "sphere" { (String::new(), "") } else { (format!(" {kind},"), "around it ") };
    let due = scene.due_before_end(inflow);
    let all = if due == inflow.count { "all".to_owned() } else { due.to_string() };
    let unit = if matches!(inflow.rate, Rate::Mass(_)) { "kg/s" } else { "a second" };
    let rate = match inflow.rate.signal() {
        Signal::Constant(rate) => format!("{} {unit}", short(*rate)),
        Signal::Schedule(_) => "by its schedule".to_owned(),
    };
    let [from, to] = inflow.entrance.bounds();
    let place = match &inflow.entrance {
        Entrance::Box { .. } => "in".to_owned(),
        Entrance::Sites(sites) => format!("on {} sites in", sites.count()),
    };
    format!(
        "{} of \"{material}\",{what} radius {around}{radius} m, {rate} from {} s on ({all} due before the end), {place} {from} to {to}",
        inflow.count,
        short(inflow.start),
    )
}

fn write_pairs(text: &mut String, scene: &Scene) -> std::fmt::Result {
    let model = &scene.setup.model;
    for ([i, j], laws) in model.laws.said() {
        let [first, second] = [i, j].map(|material| &model.materials[usize::from(material)].name);
        writeln!(text, "\n{first} - {second}")?;
        let Some(laws) = laws else {
            writeln!(text, "  do not touch")?;
            continue;
        };
        for Described { motion, law, words, .. } in describe(laws, effective_radii(scene, i, j)) {
            let line = format!("  {motion:<7}{law:<16} {words}");
            writeln!(text, "{}", line.trim_end())?;
        }
    }
    Ok(())
}

/// What ties bodies together, a line each.
fn write_joints(text: &mut String, scene: &Scene) -> std::fmt::Result {
    let joints = &scene.setup.model.joints;
    if joints.is_empty() {
        return Ok(());
    }
    writeln!(text, "\njoints")?;
    writeln!(text, "  {:<16} {:<10} {:<25} acts on its motion", "", "kind", "a on b")?;
    for (number, joint) in joints.iter().enumerate() {
        let [name, kind, bodies, acts] = joint_words(scene, number, joint);
        writeln!(text, "  {name:<16} {kind:<10} {bodies:<25} {acts}")?;
    }
    Ok(())
}

/// Name, kind, bodies of a joint, and what acts on it.
pub(super) fn joint_words(scene: &Scene, number: usize, joint: &Joint) -> [String; 4] {
    let label = |id: u32| label_in_key(&scene.names, id as usize);
    let b = joint.b.map_or_else(|| "the ground".to_owned(), label);
    let [unit, rate] = if joint.kind.freedom() == Some(Freedom::Along) { ["N", "m"] } else { ["N m", "rad"] };
    let of = |signal: &Signal<f64>, unit: &str| match signal {
        Signal::Constant(value) => format!("{} {unit}", short(*value)),
        Signal::Schedule(_) => "its schedule".to_owned(),
    };
    let mut acts = Vec::new();
    if let Some(drive) = &joint.drive {
        let limit = drive.limit.as_ref().map(|limit| format!(" by at most {}", of(limit, unit)));
        let target = match &drive.target {
            Target::Speed(speed) => format!("drive at {}", of(speed, &format!("{rate}/s"))),
            Target::Position(place) => format!("drive to {}", of(place, rate)),
            Target::Load(load) => format!("drive of {}", of(load, unit)),
        };
        acts.push(target + &limit.unwrap_or_default());
    }
    acts.extend(joint.friction.as_ref().map(|friction| format!("friction {}", of(friction, unit))));
    acts.extend(joint.spring.map(|spring| {
        format!("spring {} {unit}/{rate}, damper {} {unit} s/{rate}", short(spring.stiffness), short(spring.damping))
    }));
    if joint.touch && joint.b.is_some() {
        acts.push("a and b touch".to_owned());
    }
    let name = joint.name.clone().unwrap_or_else(|| number.to_string());
    let acts = if acts.is_empty() { "nothing".to_owned() } else { acts.join(", ") };
    [name, joint.kind.name().to_owned(), format!("{} on {b}", label(joint.a)), acts]
}

/// What each stage changes, and when it begins if none before it ends early.
fn write_stages(text: &mut String, scene: &Scene) -> std::fmt::Result {
    if scene.stages.is_empty() {
        return Ok(());
    }
    writeln!(text, "\nstages")?;
    writeln!(text, "  {:<12} {:<22} {:<11} changes", "", "from, to (s)", "step (s)")?;
    let (mut time, mut known) = (0.0, true);
    for number in 0..=scene.stages.len() {
        let stage = number.checked_sub(1).and_then(|k| scene.stages.get(k));
        let of = stage.map_or(scene, |stage| &stage.scene);
        let (from, to, step) = (short(time), short(time + of.end), short(of.setup.model.dt));
        let latest = if known { "" } else { "at most " };
        let ends = if of.stop == Stop::default() { "" } else { ", or when a rule of `stop` holds" };
        let changes = stage.map_or_else(Vec::new, Stage::changes);
        let changes = if changes.is_empty() { "nothing".to_owned() } else { changes.join("; ") };
        let changes = if number == 0 { "the scene itself".to_owned() } else { changes };
        let when = format!("{latest}{from} to {to}");
        writeln!(text, "  {:<12} {when:<22} {step:<11} {changes}{ends}", scene.stage_name(number))?;
        (time, known) = (time + of.end, known && ends.is_empty());
        let new = |warning: &&String| !scene.warnings.contains(warning);
        for warning in stage.iter().flat_map(|stage| &stage.scene.warnings).filter(new) {
            writeln!(text, "               warning: {warning}")?;
        }
    }
    Ok(())
}

/// The least and the largest R_eff that two bodies of these materials can have. A wall counts as infinitely large.
pub(super) fn effective_radii(scene: &Scene, first: u16, second: u16) -> Option<(f64, f64)> {
    let to_come = |material: u16| {
        let streams = scene.setup.model.inflows.iter().filter(move |inflow| inflow.material() == material);
        streams.flat_map(|inflow| inflow.mould.extremes()).flat_map(|shape| shape.roundness().unwrap_or([0.0; 2]))
    };
    let range = |material: u16| {
        let of = scene.setup.bodies.iter().filter(move |b| b.material == material);
        of.flat_map(|b| b.shape.roundness().unwrap_or([f64::INFINITY; 2]))
            .chain(to_come(material))
            .fold(None, |range: Option<(f64, f64)>, r| Some(range.map_or((r, r), |(lo, hi)| (lo.min(r), hi.max(r)))))
    };
    let (a, b) = (range(first)?, range(second)?);
    let effective = |r: f64, s: f64| 1.0 / (1.0 / r + 1.0 / s);
    let (low, high) = (effective(a.0, b.0), effective(a.1, b.1));
    // Two walls never meet: the largest is then the largest sphere on a wall.
    let spheres = scene.setup.bodies.iter().filter(|b| b.material == first || b.material == second);
    let there = spheres.filter_map(|b| b.shape.roundness()).map(|[most, _]| most);
    let largest = there.chain(to_come(first)).chain(to_come(second)).fold(0.0, f64::max);
    if low.is_finite() && low > 0.0 { Some((low, high.min(largest))) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases =
            [(0.3, "0.3"), (1e-5, "1e-5"), (0.00075, "7.5e-4"), (1234.56, "1235"), (0.0, "0"), (-2.5e7, "-2.5e7")];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
    }
}

//! `[[stage]]`: what continues where the scene, or the stage before, ended.
//!
//! A stage is read as a scene of its own: the document as the stages before it left it, with its `time`, its bodies and
//! streams, and with what `[stage.set]` says. So every error has its line, and all stages are checked before the run
//! begins. Here bodies are counted as the file has them; those that streams bring in between are known only in the run,
//! where `begin.rs` makes the stage's scene and world out of what has become of the one before.
//!
//! Does not do: where bodies stand when a stage begins, hence whether what comes in lies on what is there.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use stickslip::body::{Body, BodyList};
use stickslip::cell::{Cell, Frame};
use stickslip::random::fnv1a;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::before::{Velocities, read_kept};
use super::bodies::Bodies;
use super::check::plural;
use super::grains::Group;
use super::materials::Materials;
use super::memory::Memory;
use super::records::read_stem;
use super::set::{self, Entry};
use super::setting::Step;
use super::start::Earlier;
use super::streams::{Drawn, Streams};
use super::{Head, Scene, cell, contacts, grains, joints, meet, motions, records, resolved, timing};
use crate::checkpoint;
use crate::input::{Item, Result, Source, Table, nearest, shown};
use crate::results::checkpoints::AUTO;

/// A stage, checked.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// What becomes of velocities.
    pub velocities: Velocities,
    /// Whether contacts keep their memory.
    pub keep_memory: bool,
    /// The bodies that it takes out, as the file counts them.
    pub(super) removed: Vec<usize>,
    /// Those whose motion it sets, and those of which it sets a load or a lock.
    pub(super) driven: BTreeSet<usize>,
    pub(super) loaded: BTreeSet<usize>,
    /// The bodies that it brings, by the numbers that the file gives them.
    pub(super) brought: Range<usize>,
    pub(super) incoming: BodyList,
    /// Whether each stream starts with it.
    pub(super) streams: Vec<bool>,
    /// Its KEYs, as `check` shows them.
    pub(super) keys: Vec<String>,
    /// Laws, step, records; all bodies that have been there by then, those that it takes out among them.
    pub scene: Scene,
}

impl Stage {
    /// What it changes, in words.
    pub fn changes(&self) -> Vec<String> {
        let mut changes = Vec::new();
        changes.extend(self.velocities.change().map(str::to_owned));
        if !self.keep_memory {
            changes.push("memory is dropped".into());
        }
        let name = |id: &usize| self.scene.names.get(*id).cloned().flatten().unwrap_or_default();
        if !self.removed.is_empty() {
            changes.push(format!("removes {}", self.removed.iter().map(name).collect::<Vec<_>>().join(", ")));
        }
        if !self.incoming.is_empty() {
            changes.push(format!("{} come in", plural(self.incoming.len(), "body")));
        }
        let started = self.streams.iter().filter(|starts| **starts).count();
        if started > 0 {
            changes.push(format!("{} start", plural(started, "stream")));
        }
        if !self.keys.is_empty() {
            changes.push(format!("sets {}", self.keys.join(", ")));
        }
        changes
    }
}

/// The name of what comes before the first stage.
pub const FIRST: &str = "scene";

/// What the stages of a scene are read with.
pub(super) struct Reader<'r, 'a> {
    pub source: &'r Source,
    pub folder: &'r Path,
    pub memory: &'r Memory,
    pub earlier: Option<&'r Earlier<'a>>,
}

/// The numbers of the bodies of `[[body]]` tables, and what is set of them.
#[derive(Default)]
struct Chosen {
    driven: BTreeSet<usize>,
    loaded: BTreeSet<usize>,
    streams: BTreeSet<usize>,
    cell: bool,
    keys: Vec<String>,
}

/// The most stages of a scene: each is a scene of its own in memory.
const MOST: usize = 1000;

impl<'r> Reader<'r, '_> {
    /// Reads all stages of a scene. Their resolved text is added to the scene's.
    pub fn read(&self, parsed: &Spanned<DeTable<'_>>, tables: usize, root: &mut Scene) -> Result<()> {
        let top = Table::top(self.source, parsed);
        let mut document = parsed.clone();
        // Bodies of the scene are not placed again.
        for key in ["start", "stage", "grains"] {
            document.get_mut().remove(key);
        }
        if let Some(DeValue::Table(cell)) = document.get_mut().get_mut("cell").map(Spanned::get_mut) {
            for key in ["vectors", "corner", "volume_fraction", "periodic"] {
                cell.remove(key);
            }
        }
        let raw = parsed.get_ref().get("stage").and_then(|stages| stages.get_ref().as_array());
        let mut numbers: Vec<usize> = (0..tables).collect();
        for (table, raw) in top.tables("stage")?.iter().zip(raw.into_iter().flat_map(|raw| raw.iter())) {
            if root.stages.len() == MOST {
                return Err(table.error(format!("a scene may have at most {MOST} stages")));
            }
            let Some(raw) = raw.get_ref().as_table() else { continue };
            let (stage, groups) = self.read_one(table, raw, document.get_mut(), &mut numbers, root)?;
            let before = root.stages.last().map_or(&*root, |stage| &stage.scene);
            let text = resolved::stage(&stage, before, &groups, &numbers);
            root.ends.push(root.resolved.len());
            root.resolved += &text;
            root.stages.push(stage);
        }
        Ok(())
    }

    fn read_one<'a>(
        &self,
        table: &Table<'a>,
        raw: &DeTable<'a>,
        document: &mut DeTable<'a>,
        numbers: &mut Vec<usize>,
        root: &Scene,
    ) -> Result<(Stage, Vec<Group>)> {
        let name = table.need("name", |item| read_name(item, root))?;
        let (velocities, keep_memory) = read_kept(table)?;
        let before = root.stages.last().map_or(root, |stage| &stage.scene);
        let removed = read_removed(table, before, &root.stages)?;
        for key in ["body", "grains", "stream", "set"] {
            table.optional(key);
        }
        self.lay_over(table, raw, document)?;
        let chosen = match raw.get("set") {
            Some(set) => self.apply(set, document, numbers)?,
            None => Chosen::default(),
        };
        table.finish()?;

        let document = Spanned::new(0..0, document.clone());
        let top = Table::top(self.source, &document);
        let head = Head::read(&top)?;
        // Random numbers of its own, or it would draw those of the scene again.
        let seed = head.seed ^ fnv1a(format!("stage {name}").bytes());
        let materials = Materials::read(&top)?;
        // That springs are read as limits, the scene has said.
        let (laws, _) = contacts::read(&top, &materials, &head.method)?;
        let all_tables = Bodies::read(&top, &materials, self.earlier)?;
        let records = read_records(&top, root, table)?;

        let mut incoming = Bodies::read(table, &materials, None)?;
        let first = before.setup.bodies.len();
        refuse_taken_names(&incoming, before)?;
        let came_in = incoming.list.len();
        let frame = before.setup.model.cell.as_ref().map(|cell| cell.frame);
        let count = first + incoming.list.len();
        let groups = grains::read(table, &materials, self.folder, frame.is_some(), self.memory, count)?;
        let draft = frame.map(|frame| cell::Draft::kept(table.place(), frame));
        groups.place(seed, (&materials, &laws), draft.as_ref(), &mut incoming)?;
        self.memory.refuse((first + incoming.list.len()) as f64, &table.place())?;
        numbers.extend(first..first + came_in);

        let old_streams = before.setup.model.inflows.len();
        let drawn = Drawn { seed, after: None };
        let mut streams = Streams::read(&top, (&materials, &laws), &drawn, &all_tables)?;
        let starts: Vec<bool> =
            (0..streams.list.len()).map(|k| k >= old_streams || chosen.streams.contains(&k)).collect();
        for (k, old) in before.setup.model.inflows.iter().enumerate().filter(|(k, _)| !starts[*k]) {
            streams.list[k] = old.clone();
        }
        let domain = timing::read_domain(&top, &incoming, &streams)?;
        let mut all = Bodies::default();
        all.list = with_settings(&before.setup.bodies, &all_tables, numbers, &chosen);
        all.names = before.names.clone();
        all.end_table(table.place());
        for id in 0..incoming.list.len() {
            all.push(&incoming.list.get(id), incoming.names.get(id).cloned().flatten());
        }
        all.end_table(table.place());
        motions::settle_servos(&mut all, &streams.list, &materials)?;
        refuse_free_axes(&all, table)?;
        meet::check(&incoming, &Streams::default(), (frame.as_ref(), &[]), &materials.list, &laws)?;
        let gone: BTreeSet<usize> =
            root.stages.iter().flat_map(|stage| &stage.removed).chain(&removed).copied().collect();
        let mut staying = Bodies::default();
        (0..all.list.len()).filter(|id| !gone.contains(id)).for_each(|id| staying.push(&all.list.get(id), None));
        staying.end_table(table.place());
        meet::check_laws(&staying, &streams, &materials.list, &laws)?;

        let cell = match before.setup.model.cell.clone() {
            Some(old) if chosen.cell => Some(read_cell(&top, table, &head, old.frame, (&staying, &materials, &laws))?),
            old => old,
        };
        if let (Some(_), Some(place)) = (&cell, streams.places.first()) {
            let message = "a [[stream]] in a [cell] is promised, not built yet";
            return Err(place.error(message.into()).help("place all grains at the start"));
        }
        head.time.check_cell(cell.as_ref())?;
        let mut of_start = Bodies::default();
        (of_start.list, of_start.names) = (root.setup.bodies.clone(), root.names.clone());
        let joints = joints::read_of_stage(&top, &root.setup.model.joints, (&of_start, &head.method), &table.place())?;
        let model = stickslip::model::Model { laws, cell, joints, ..stickslip::model::Model::new(materials.list, 0.0) };
        let mut scene = head.scene(model, staying, streams, domain, self.source)?;
        if scene.steps == 0 {
            return Err(table.error("time.end must be above zero: a stage takes at least one step".into()));
        }
        scene.records = records;
        scene.number = root.stages.len() + 1;
        scene.setup.bodies = all.list.without_places();
        scene.names = all.names;
        let brought = first..first + incoming.list.len();
        let Chosen { driven, loaded, keys, .. } = chosen;
        let incoming = incoming.list;
        let stage = Stage {
            name,
            velocities,
            keep_memory,
            removed,
            driven,
            loaded,
            brought,
            incoming,
            streams: starts,
            keys,
            scene,
        };
        Ok((stage, groups.list))
    }

    /// The stage's time, bodies and streams in the document. A step that it does not give is that of the stage before, chosen
    /// in the same way.
    fn lay_over<'a>(&self, table: &Table<'a>, raw: &DeTable<'a>, document: &mut DeTable<'a>) -> Result<()> {
        table.required("time")?.table()?;
        let Some(time) = raw.get("time") else { return Ok(()) };
        let mut time = time.clone();
        let old = document.get("time").and_then(|time| time.get_ref().as_table()).and_then(|time| time.get("step"));
        if let (DeValue::Table(time), Some(step)) = (time.get_mut(), old) {
            time.entry(Spanned::new(step.span(), "step".into())).or_insert(step.clone());
        }
        document.insert(Spanned::new(time.span(), "time".into()), time);
        // Velocities are those that bodies have come to; where a motion is set they would stand in its way.
        for body in arrays(document.get_mut("body")) {
            for key in ["velocity", "angular_velocity"] {
                body.remove(key);
            }
        }
        for key in ["body", "stream"] {
            let Some(DeValue::Array(more)) = raw.get(key).map(Spanned::get_ref) else { continue };
            let array = document
                .entry(Spanned::new(0..0, key.into()))
                .or_insert_with(|| Spanned::new(0..0, DeValue::Array(DeArray::new())));
            if let DeValue::Array(array) = array.get_mut() {
                more.iter().for_each(|element| array.push(element.clone()));
            }
        }
        Ok(())
    }

    /// Puts what the stage sets into the document, and notes what begins again by that.
    fn apply<'a>(&self, set: &Spanned<DeValue<'a>>, document: &mut DeTable<'a>, numbers: &[usize]) -> Result<Chosen> {
        let mut chosen = Chosen::default();
        for entry in set::entries(self.source, set)? {
            self.note(&entry, document, numbers, &mut chosen)?;
            entry.site(self.source).set(document, entry.value)?;
            chosen.keys.push(entry.key.text.clone());
        }
        Ok(chosen)
    }

    /// Whether a stage may set this, and what begins again by it.
    fn note(
        &self,
        entry: &Entry<'_, '_>,
        document: &DeTable<'_>,
        numbers: &[usize],
        chosen: &mut Chosen,
    ) -> Result<()> {
        /// What a stage may set.
        const KEYS: [&str; 11] =
            ["gravity", "time", "method", "contact", "material", "stream", "joint", "cell", "domain", "record", "body"];
        let refused = |what: &str, help: &str| Err(entry.error(self.source, what).help(help.to_owned()));
        let path = entry.key.path();
        let Some(Step::Key(first)) = path.first() else { return Ok(()) };
        let last =
            path.iter().skip(1).find_map(|step| if let Step::Key(key) = step { Some(key.as_str()) } else { None });
        let array = document.get(first.as_str()).and_then(|array| array.get_ref().as_array());
        let numbered = |which: &Step| match (which, array) {
            (Step::Which(which), Some(array)) => entry.site(self.source).chosen(array, first, which),
            _ => Ok(Vec::new()),
        };
        match (first.as_str(), path.get(1), last) {
            ("body", Some(which), Some(key @ ("motion" | "force" | "torque" | "lock"))) => {
                let bodies = numbered(which)?.into_iter().filter_map(|table| numbers.get(table).copied());
                if key == "motion" {
                    chosen.driven.extend(bodies)
                } else {
                    chosen.loaded.extend(bodies)
                }
                Ok(())
            }
            ("body", _, key) => {
                let near = key.and_then(|key| nearest(key, &["motion", "force", "torque", "lock"]));
                refused(
                    "this places or shapes a body, which a stage cannot change",
                    &near.map_or_else(
                        || "a stage sets `motion`, `force`, `torque` and `lock` of a body; `remove` takes one out, [[stage.body]] brings one".into(),
                        |near| format!("did you mean `{near}`?"),
                    ),
                )
            }
            ("grains", ..) => refused(
                "this places or shapes bodies, which a stage cannot change",
                "[[stage.grains]] brings grains in, `remove` takes a body out",
            ),
            ("joint", _, Some(key)) if joints::OF_STAGE.contains(&key) => Ok(()),
            ("joint", ..) => refused(
                "this places a joint, which a stage cannot change",
                "a stage sets `drive`, `friction`, `stiffness` and `damping` of a joint, as in \"joint[drive].drive.speed\"",
            ),
            ("stream", None, _) => refused(
                "a stage sets one of them, or adds one",
                "say which, as in \"stream[0].rate\"; [[stage.stream]] adds one",
            ),
            ("stream", Some(which), _) => {
                chosen.streams.extend(numbered(which)?);
                Ok(())
            }
            ("cell", _, Some("control")) => {
                chosen.cell = true;
                Ok(())
            }
            ("cell", ..) => refused("a stage cannot change the cell itself", "it sets \"cell.control\""),
            ("material", ..) if path.len() < 3 || path.last() == Some(&Step::Key("density".into())) => {
                refused("this changes the mass of bodies, which a stage cannot do", "a stage sets moduli and laws")
            }
            (first, ..) if KEYS.contains(&first) => Ok(()),
            (first, ..) => {
                let near = nearest(first, &KEYS);
                let help = near
                    .map_or_else(|| format!("it sets {}", KEYS.join(", ")), |near| format!("did you mean `{near}`?"));
                refused("a stage cannot set this", &help)
            }
        }
    }
}

/// The tables of an array of tables.
fn arrays<'t, 'a>(array: Option<&'t mut Spanned<DeValue<'a>>>) -> impl Iterator<Item = &'t mut DeTable<'a>> {
    let array = match array.map(Spanned::get_mut) {
        Some(DeValue::Array(array)) => Some(array),
        _ => None,
    };
    array.into_iter().flat_map(|array| array.iter_mut()).filter_map(|table| match table.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    })
}

/// A name that is that of a file, and of one stage.
fn read_name(item: Item<'_>, root: &Scene) -> Result<String> {
    let place = item.place();
    let name = read_stem(item)?;
    let own = [FIRST, AUTO, stem(checkpoint::START), stem(checkpoint::END)];
    if own.contains(&name.as_str()) {
        let message = format!("a run writes a checkpoint of the name \"{name}\" by itself: choose another name");
        return Err(place.error(message));
    }
    // Some file systems do not tell `Lift` from `lift`.
    if root.stages.iter().any(|stage| stage.name.to_lowercase() == name.to_lowercase()) {
        let error = place.error(format!("there is a stage \"{}\" already", shown(&name)));
        return Err(error.help("each stage has a name of its own, for its checkpoint and for stage[NAME].KEY"));
    }
    Ok(name)
}

fn stem(file: &str) -> &str {
    file.strip_suffix(checkpoint::ENDING).unwrap_or(file)
}

/// The bodies that a stage takes out, by the numbers that the file gives them.
fn read_removed(table: &Table<'_>, before: &Scene, stages: &[Stage]) -> Result<Vec<usize>> {
    let Some(item) = table.optional("remove") else { return Ok(Vec::new()) };
    let mut removed: Vec<usize> = Vec::new();
    for element in item.array()? {
        let place = element.place();
        let name = element.string()?;
        let known: Vec<&str> = before.names.iter().flatten().map(String::as_str).collect();
        let Some(id) = before.names.iter().position(|known| known.as_deref() == Some(name)) else {
            let error = place.error(format!("there is no body of the name \"{}\"", shown(name)));
            return Err(match nearest(name, &known) {
                Some(near) => error.help(format!("did you mean \"{}\"?", shown(near))),
                None if known.is_empty() => error.help("give the [[body]] a `name`"),
                None => error.help(format!("there are: {}", shown(&known.join(", ")))),
            });
        };
        let earlier = stages.iter().find(|stage| stage.removed.contains(&id)).map(|stage| stage.name.as_str());
        if let Some(stage) = earlier.or(removed.contains(&id).then_some("this one")) {
            let message = format!("\"{}\" is gone already: the stage \"{}\" takes it out", shown(name), shown(stage));
            return Err(place.error(message).help("leave it out here"));
        }
        removed.push(id);
    }
    Ok(removed)
}

/// Names of bodies that come in must be new, also where a body of that name is gone.
fn refuse_taken_names(incoming: &Bodies<'_>, before: &Scene) -> Result<()> {
    for (id, name) in incoming.names.iter().enumerate() {
        if let (Some(name), Some(place)) = (name, incoming.place(id))
            && before.names.iter().flatten().any(|other| other == name)
        {
            let message = format!("the name \"{}\" is already taken by a body of the run", shown(name));
            return Err(place.error(message).help("every body of a run has a name of its own, also when it is gone"));
        }
    }
    Ok(())
}

/// The bodies before, with what is set of those in tables.
fn with_settings(old: &BodyList, tables: &Bodies<'_>, numbers: &[usize], chosen: &Chosen) -> BodyList {
    let mut list = BodyList::default();
    for id in 0..old.len() {
        let mut body = old.get(id);
        let table = || numbers.iter().position(|number| *number == id).map(|table| tables.list.get(table));
        if chosen.driven.contains(&id) || chosen.loaded.contains(&id) {
            set_body(&mut body, table().as_ref(), chosen.driven.contains(&id));
        }
        list.push(&body);
    }
    list
}

/// Gives a body what is set of it.
pub(super) fn set_body(body: &mut Body, set: Option<&Body>, driven: bool) {
    let Some(set) = set else { return };
    (body.force, body.torque, body.lock) = (set.force.clone(), set.torque.clone(), set.lock);
    if driven {
        body.motion = set.motion.clone();
    }
}

/// The moment of inertia about the one axis that is free follows from how a body is turned, which a stage would have to know.
fn refuse_free_axes(bodies: &Bodies<'_>, table: &Table<'_>) -> Result<()> {
    let one_axis = |body: &Body| body.lock[3..].iter().filter(|locked| **locked).count() == 2;
    let unequal = |body: &Body| {
        let inertia = body.mass_and_inertia(1.0).1;
        inertia.x != inertia.y || inertia.y != inertia.z
    };
    match bodies.list.iter().position(|body| body.motion.yields() && one_axis(&body) && unequal(&body)) {
        Some(id) => {
            let what =
                "turns about one axis and has unequal moments of inertia: stages of such bodies are not implemented";
            Err(table.error(format!("{} {what}", bodies.label(id))).help("use [start] in a second file"))
        }
        None => Ok(()),
    }
}

/// The records, which may be written more or less often than before, and are the same otherwise.
fn read_records(top: &Table<'_>, root: &Scene, table: &Table<'_>) -> Result<Vec<records::Record>> {
    let read = records::read(top)?;
    let same = |record: &records::Record, other: &records::Record| {
        records::Record { every: other.every, ..record.clone() } == *other
    };
    let alike = read.len() == root.records.len() && read.iter().zip(&root.records).all(|(one, other)| same(one, other));
    if alike {
        return Ok(read);
    }
    let error = table.error("a stage cannot add, remove or rename records".into());
    Err(error.help("it sets how often one is written, as in \"record[bodies].every\" = 0.1"))
}

/// The cell as it is, with what drives it from this stage on.
fn read_cell(
    top: &Table<'_>,
    table: &Table<'_>,
    head: &Head<'_>,
    frame: Frame,
    (bodies, materials, laws): (&Bodies<'_>, &Materials, &stickslip::model::LawTable),
) -> Result<Cell> {
    let draft = cell::read_kept(top, table.place(), frame, head.method)?;
    draft.settle(frame, bodies, &Streams::default(), &materials.list, laws)
}

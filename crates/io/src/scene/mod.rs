//! Scene files: from TOML to what the engine needs to build a world, or to an error with its place.
//!
//! Reading order of the files: this one walks through a scene from top to bottom; `materials`, `contacts` with `laws` and `between`,
//! `start`, `bodies`, `cell`, `grains` with `moulds`, `placing`, `rows`, `lammps` and `lammps_cell`, `streams`, `timing` and `records` read one part each; `memory`
//! refuses what the machine cannot hold; `meet` and `speeds` check what only the whole can show; `resolved` writes it all out again; `check` says it in words; `schema` tells editors; `variant`
//! lays a partial scene over another, `setting` and `set` single values; `stage` reads `[[stage]]`, `begin` begins one, `before` says what comes over. Nothing here writes a file or advances a world.

mod before;
mod begin;
mod between;
mod bodies;
mod cell;
mod check;
mod check_json;
mod contacts;
mod grains;
mod joints;
mod lammps;
mod lammps_cell;
pub(crate) mod laws;
pub(crate) mod materials;
mod meet;
mod memory;
mod motions;
mod moulds;
mod nonsmooth;
mod placing;
mod records;
mod resolved;
mod rows;
mod schedules;
mod schema;
mod set;
mod setting;
mod shapes;
mod speeds;
mod stage;
mod start;
mod streams;
mod timing;
mod types;
mod variant;

use std::collections::BTreeSet;
use std::path::Path;

use glam::DVec3;
use stickslip::advice::StepAdvice;
use stickslip::error::{BuildError, Trouble};
use stickslip::inflow::{Inflow, Queue};
use stickslip::joint::apart;
use stickslip::model::{Method, Model};
use stickslip::schedule::Signal;
use stickslip::setup::Described;
use stickslip::world::{RestoreError, Saved, World, advise_step};
use toml::Spanned;
use toml::de::DeTable;

use crate::input::{self, Item, LARGEST_FILE, Place, Result, Source, Spot, Table, shown};
use bodies::Bodies;
use check::short;
use grains::NamedBox;
use materials::Materials;
use memory::Memory;
use schedules::read_signal;
use start::Earlier;
use streams::{Drawn, Streams};
use timing::Time;

pub use crate::input::InputError;
pub use before::Velocities;
pub use check::{check_text, plural, step_text};
pub use check_json::check_json;
pub use laws::{Key, LAWS, Law, Parameter, Takes};
pub use memory::expect_threads;
pub use records::{Every, Format, Record, What};
pub use schedules::Course;
pub use schema::{schema, schema_text};
pub(crate) use setting::split;
pub use setting::{Setting, load_with};
pub use stage::Stage;
pub use start::Start;
pub use timing::{Domain, Leaving, StepChoice, Stop};
pub use variant::{load_seeded, load_variant};

/// A scene, ready to run.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its title; empty when it has none.
    pub title: String,
    /// What random streams are drawn from.
    pub seed: u64,
    /// Simulated time at the end (s).
    pub end: f64,
    /// Number of steps to the end.
    pub steps: u64,
    /// How the scene chooses the step.
    pub step_choice: StepChoice,
    /// What step is recommended, and why; `None` when nothing can touch.
    pub advice: Option<StepAdvice>,
    /// What ends the run earlier.
    pub stop: Stop,
    /// The earlier run that it goes on from.
    pub start: Option<Start>,
    /// What is written.
    pub records: Vec<Record>,
    /// What the world is built from.
    pub setup: Described,
    /// Names by body id; bodies beyond its end have none.
    pub names: Vec<Option<String>>,
    /// Where bodies must stay, or are taken out when they do not.
    pub domain: Option<Domain>,
    /// The scene with every default written out; it loads to the same setup.
    pub resolved: String,
    /// What the user should change.
    pub warnings: Vec<String>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// What continues where it ends.
    pub stages: Vec<Stage>,
    /// Which stage of a run it is; 0 is what comes before the first.
    pub number: usize,
    /// Steps that the run has taken when it begins.
    pub first_step: u64,
    /// How far `resolved` describes the scene up to the end of each stage but the last.
    ends: Vec<usize>,
    /// The id of the first body that each stage up to this one has brought, or would have.
    pub first_ids: Vec<u32>,
    /// Joints as they are written out again.
    joints: Vec<joints::JointText>,
    /// Where everything is described.
    sites: Sites,
}

/// The scene's text and the places in it, for what only building the world finds.
#[derive(Clone, Debug)]
struct Sites {
    source: Source,
    /// For each table of bodies, the id after its last one.
    bodies: Vec<(usize, Spot)>,
    streams: Vec<Spot>,
    joints: Vec<Spot>,
    /// Of `[cell]`, or of `[start]` where the cell comes from there.
    cell: Option<Spot>,
    start: Option<Spot>,
}

impl Sites {
    /// The error with its place: that of the body or stream it names, or of `[cell]` or `[start]`, or the file as a whole.
    fn error(&self, error: &RestoreError, inflows: &[Inflow]) -> InputError {
        let there = |id: u32| self.bodies.iter().find(|(end, _)| (id as usize) < *end).map(|(_, spot)| spot);
        // Ids go on with the bodies that stand for those of streams: two each.
        let to_come = |id: u32| {
            let first = self.bodies.last().map_or(0, |(end, _)| *end);
            let streams = self.streams.iter().zip(inflows);
            let mut all = streams.flat_map(|(spot, inflow)| std::iter::repeat_n(spot, inflow.count.min(2) as usize));
            all.nth((id as usize).checked_sub(first)?)
        };
        let body = |id: u32| there(id).or_else(|| to_come(id));
        let spot = match error {
            RestoreError::Build(error) => match error {
                BuildError::NoSuchMaterial { body: id, .. }
                | BuildError::Impossible { body: id, .. }
                | BuildError::FreeWall { body: id, .. }
                | BuildError::CarriedWall { body: id, .. }
                | BuildError::NotImplemented { body: Some(id), .. }
                | BuildError::LockedTumbling { body: id }
                | BuildError::NotPlain { body: id }
                | BuildError::NotFree { body: id }
                | BuildError::NotBuilt { b: id, .. }
                | BuildError::NoLaws { b: id, .. } => body(*id),
                // The other may still have to come.
                BuildError::NeedsPoints { a, b, .. } => there(*b).or_else(|| there(*a)).or_else(|| to_come(*b)),
                BuildError::BadStream { stream, .. } => self.streams.get(*stream),
                BuildError::BadCell(_) => self.cell.as_ref(),
                BuildError::BadJoint { number, .. } | BuildError::Contradiction { last: number, .. } => {
                    self.joints.get(*number)
                }
                _ => None,
            },
            _ => self.start.as_ref(),
        };
        match spot {
            Some(spot) => spot.error(&self.source, error.to_string()),
            None => InputError::of_file(self.source.name(), error.to_string()),
        }
    }
}

impl Scene {
    /// The world at step 0: with what contacts remember, where the scene starts from another run. (`World::new(setup)`
    /// would begin with contacts that remember nothing.)
    pub fn world(&self) -> std::result::Result<World, InputError> {
        let world = match &self.start {
            Some(start) => start.world(self.setup.to_setup()),
            None => World::of(&self.setup, self.records.iter().any(Record::holds_contacts)).map_err(RestoreError::from),
        };
        world.map_err(|error| self.sites.error(&error, &self.setup.model.inflows))
    }

    /// Forgets where bodies start, once there is a world that knows: no other can be made then.
    pub fn forget_places(&mut self) {
        self.setup.bodies = self.setup.bodies.without_places();
    }

    /// The world of a checkpoint of a run of this scene.
    pub fn world_at(&self, saved: &Saved) -> std::result::Result<World, RestoreError> {
        World::restore(self.setup.to_setup(), saved)
    }

    /// How many bodies of a stream are due before the end (of a rate in mass beyond a million: about).
    pub fn due_before_end(&self, inflow: &Inflow) -> u64 {
        let model = &self.setup.model;
        let density = model.materials[usize::from(inflow.material())].density;
        inflow.due_before(self.steps, model.dt, &Queue::default(), density)
    }

    /// A body as messages call it: its id, and its name where it has one.
    pub fn label(&self, id: u32) -> String {
        bodies::label(&self.names, id as usize)
    }

    /// Trouble in words: bodies with their names, and how the step compares with the critical one where that may be the cause.
    pub fn describe(&self, trouble: &Trouble) -> String {
        let words = trouble.in_words(|id| self.label(id));
        let critical = self.advice.as_ref().map_or(f64::INFINITY, |advice| advice.critical);
        let share = self.setup.model.dt / critical;
        let about_the_step = matches!(trouble, Trouble::NotFinite { .. } | Trouble::Overlap { .. });
        if about_the_step && share > timing::CAUTIOUS {
            return format!("{words}. (The step is {} times the critical one of the scene)", short(share));
        }
        words
    }
}

/// Loads a scene file. Lists of grains are looked for beside it.
pub fn load(path: &Path) -> std::result::Result<Scene, InputError> {
    let source = Source::read(path, LARGEST_FILE)?;
    read(&source, path.parent().unwrap_or(Path::new("")))
}

/// The largest resolved scene that is read (bytes): it may hold a list of grains that the scene named by its file.
const LARGEST_RESOLVED: u64 = 1 << 33;

/// Loads the resolved scene of a run, which is taken for what it is: `resolved` will be this text.
pub fn load_resolved(path: &Path) -> std::result::Result<Scene, InputError> {
    let source = Source::read(path, LARGEST_RESOLVED)?;
    let scene = read(&source, path.parent().unwrap_or(Path::new("")))?;
    Ok(Scene { resolved: source.text().to_owned(), ends: Vec::new(), ..scene })
}

/// Loads a scene from a text; `name` is what errors call it, `folder` is where lists of grains are looked for.
pub fn load_text(name: &str, text: &str, folder: &Path) -> std::result::Result<Scene, InputError> {
    read(&Source::new(name, text), folder)
}

fn read(source: &Source, folder: &Path) -> Result<Scene> {
    read_parsed(source, &input::parse(source)?, folder)
}

fn read_parsed(source: &Source, parsed: &Spanned<DeTable<'_>>, folder: &Path) -> Result<Scene> {
    read_within(source, parsed, folder, Memory::of_machine())
}

/// The same, when a run may use so much memory.
fn read_within(source: &Source, parsed: &Spanned<DeTable<'_>>, folder: &Path, memory: Memory) -> Result<Scene> {
    let top = Table::top(source, parsed);
    refuse_promised(&top)?;
    let head = Head::read(&top)?;
    let materials = Materials::read(&top)?;
    let (laws, read_as_limits) = contacts::read(&top, &materials, &head.method)?;
    let earlier = start::read(&top, folder)?;
    let mut bodies = Bodies::read(&top, &materials, earlier.as_ref())?;
    let tables = bodies.list.len();
    let records = records::read(&top)?;
    let new_ids = earlier.as_ref().map(|earlier| earlier.bring(&mut bodies, &materials, head.seed)).transpose()?;
    memory.refuse(bodies.list.len() as f64, &top.place())?;
    let in_cell = top.optional("cell").is_some() || earlier.as_ref().is_some_and(|earlier| earlier.cell().is_some());
    let groups = grains::read(&top, &materials, folder, in_cell, &memory, bodies.list.len())?;
    let cell = cell::read(&top, earlier.as_ref(), head.method, &groups)?;
    // A misspelt key at the top is worth saying before grains are placed, which may take seconds.
    for key in ["stream", "joint", "domain", "stage"] {
        top.optional(key);
    }
    top.finish()?;
    let frame = groups.place(head.seed, (&materials, &laws), cell.as_ref(), &mut bodies)?;
    let drawn = Drawn { seed: head.seed, after: earlier.as_ref().map(Earlier::hash) };
    let streams = Streams::read(&top, (&materials, &laws), &drawn, &bodies)?;
    let joints = joints::read(&top, &bodies, &head.method)?;
    motions::settle_servos(&mut bodies, &streams.list, &materials)?;
    let domain = timing::read_domain(&top, &bodies, &streams)?;
    if domain.is_none_or(|domain| domain.leaving == Leaving::Stop) {
        let due = streams.due_by(head.time.end, &materials);
        memory.refuse_streams(bodies.list.len(), &due, &streams.counts)?;
    }
    if bodies.list.is_empty() && streams.list.is_empty() {
        return Err(top.error("the scene has no bodies: add [[body]], [[grains]] or [[stream]] tables".into()));
    }
    let cell_spot = cell.as_ref().map(cell::Draft::spot);
    let settled = cell.zip(frame).map(|(cell, frame)| cell.settle(frame, &bodies, &streams, &materials.list, &laws));
    let cell = settled.transpose()?;
    head.time.check_cell(cell.as_ref())?;
    let shared = types::shared_types(&groups, &materials);
    let apart = apart(&joints.list);
    let remark = meet::check(&bodies, &streams, (frame.as_ref(), &apart), &materials.list, &laws)?;
    let model = Model { laws, cell, joints: joints.list, ..Model::new(materials.list, 0.0) };
    let mut scene = head.scene(model, bodies, streams, domain, source)?;
    scene.records = records;
    (scene.joints, scene.sites.joints) = (joints.texts, joints.spots);
    if scene.setup.model.cell.is_none() {
        scene.notes.extend(unused_boxes(&groups.boxes));
    }
    scene.sites.cell = cell_spot;
    scene.notes.extend(read_as_limits);
    scene.notes.extend(remark);
    scene.notes.extend(shared);
    let mut of_stages = scene.clone();
    let reader = stage::Reader { source, folder, memory: &memory, earlier: earlier.as_ref() };
    reader.read(parsed, tables, &mut of_stages)?;
    if let (Some(earlier), Some(new_ids)) = (earlier, new_ids) {
        scene.sites.start = Some(earlier.spot());
        let (start, notes) = earlier.settle(&scene.setup, &scene.names, &new_ids);
        scene.start = Some(start);
        scene.notes.extend(notes);
    }
    scene.resolved = resolved::write(&scene, &materials.elastic, tables, &groups.list);
    scene.ends = of_stages.ends.iter().map(|end| scene.resolved.len() + end).collect();
    scene.resolved += &of_stages.resolved;
    scene.stages = of_stages.stages;
    if !scene.setup.model.joints.is_empty() && scene.start.is_none() {
        // Whether joints agree, only the world knows.
        scene.world()?;
    }
    Ok(scene)
}

/// What stands at the top of a scene: what is not about bodies.
struct Head<'a> {
    title: String,
    gravity: Signal<DVec3>,
    seed: u64,
    time: Time<'a>,
    method: Method,
}

impl<'a> Head<'a> {
    fn read(top: &Table<'a>) -> Result<Self> {
        let title = top.read("title", Item::string)?.unwrap_or_default().to_owned();
        let gravity = top.read("gravity", |item| read_signal(item, Item::vector))?.unwrap_or_default();
        let seed = top.read("seed", |item| item.whole(0))?.unwrap_or(1);
        let time = Time::read(top)?;
        let method = timing::read_method(top)?;
        Ok(Head { title, gravity, seed, time, method })
    }

    /// The scene with its step; without records, and as if it started from nothing.
    fn scene(
        self,
        model: Model,
        bodies: Bodies<'_>,
        streams: Streams<'_>,
        domain: Option<Domain>,
        source: &Source,
    ) -> Result<Scene> {
        let Head { title, gravity, seed, time, method } = self;
        let mut model = Model { gravity, method, ..model };
        model.outflow = domain.and_then(|domain| domain.outflow());
        let too_late = streams.warnings(time.end);
        let spots = streams.places.iter().map(Place::spot).collect();
        let source = source.clone();
        let (joints, cell, start) = (Vec::new(), None, None);
        let sites = Sites { source, bodies: bodies.spots(), streams: spots, joints, cell, start };
        model.inflows = streams.list;
        let advice = advise_step(&model, bodies.list.alike_in_a_row());
        let (step, steps) = time.settle(advice.as_ref())?;
        model.dt = step;
        nonsmooth::settle(&mut model);
        // A method without a critical step looks ahead for what bodies meet within a step.
        if advice.as_ref().is_none_or(|advice| advice.critical.is_finite()) {
            speeds::check(&model, &bodies, &streams.places, time.step, advice.is_some())?;
        }
        let mut scene = Scene {
            title,
            seed,
            end: time.end,
            steps,
            step_choice: time.step,
            warnings: time.warning(step, advice.as_ref()).into_iter().chain(too_late).chain(falling(&model)).collect(),
            advice,
            stop: time.stop,
            start: None,
            records: Vec::new(),
            setup: Described { model, bodies: bodies.list },
            names: bodies.names,
            domain,
            resolved: String::new(),
            notes: Vec::new(),
            stages: Vec::new(),
            number: 0,
            first_step: 0,
            ends: Vec::new(),
            first_ids: Vec::new(),
            joints: Vec::new(),
            sites,
        };
        scene.notes = notes(&scene);
        Ok(scene)
    }
}

/// What to say about gravity where nothing can hold a body.
fn falling(model: &Model) -> Option<String> {
    let endless = model.cell.as_ref().is_some_and(|cell| cell.frame.repeats_everywhere());
    (endless && !model.gravity.is_zero()).then(|| {
        "gravity in a cell that repeats everywhere: nothing holds the grains, and they fall for ever".to_owned()
    })
}

fn refuse_promised(top: &Table<'_>) -> Result<()> {
    let Some(item) = top.optional("dimension") else { return Ok(()) };
    match item.clone().whole(0)? {
        3 => Ok(()),
        2 => Err(item.error("2 is promised, not built yet; today: 3".into())),
        other => Err(item.error(format!("expected 3, found {other}"))),
    }
}

/// That boxes of files, which may repeat, are not the cell.
fn unused_boxes(boxes: &[NamedBox<'_>]) -> Option<String> {
    let names: BTreeSet<String> = boxes.iter().map(|named| format!("\"{}\"", shown(&named.name))).collect();
    let names: Vec<String> = names.into_iter().collect();
    let advice = "add an empty [cell] table to make it the periodic cell";
    (!names.is_empty()).then(|| format!("the box of {} is not used: {advice}", names.join(" and ")))
}

/// Whether all bodies of a material are walls and others that no load moves: two of these never touch.
fn walls_only(scene: &Scene) -> Vec<bool> {
    let (model, bodies) = (&scene.setup.model, &scene.setup.bodies);
    let mut of = vec![(0, 0); model.materials.len()];
    for id in 0..bodies.len() {
        let (all, free) = &mut of[usize::from(bodies.material(id))];
        *all += 1;
        *free += usize::from(bodies.yields(id));
    }
    for inflow in &model.inflows {
        of[usize::from(inflow.material())].1 += 1;
    }
    of.into_iter().map(|(all, free)| all > 0 && free == 0).collect()
}

/// Whether anything can touch, and the motions that nothing resists, with all pairs of materials in one note.
fn notes(scene: &Scene) -> Vec<String> {
    /// The most pairs of materials that a note names.
    const MOST_PAIRS: usize = 10;
    let mut notes = Vec::new();
    let mut unresisted: Vec<(String, Vec<String>)> = Vec::new();
    if scene.advice.is_none() {
        notes.push("nothing can touch".into());
    }
    let model = &scene.setup.model;
    let walls_only = walls_only(scene);
    for (i, first) in model.materials.iter().enumerate() {
        for (j, second) in model.materials.iter().enumerate().skip(i) {
            let Some(laws) = model.laws.get(i as u16, j as u16) else { continue };
            if walls_only[i] && walls_only[j] {
                continue;
            }
            let free = laws::describe(laws, None).into_iter().filter(|described| described.numbers.is_none());
            let free: Vec<&str> = free.map(|described| described.motion).collect();
            if free.is_empty() {
                continue;
            }
            let (pair, free) = (format!("\"{}\" and \"{}\"", first.name, second.name), free.join(", "));
            match unresisted.iter_mut().find(|(motions, _)| *motions == free) {
                Some((_, pairs)) => pairs.push(pair),
                None => unresisted.push((free, vec![pair])),
            }
        }
    }
    for (free, pairs) in unresisted {
        let more = pairs.len().checked_sub(MOST_PAIRS).filter(|more| *more > 0);
        let more = more.map_or_else(String::new, |more| format!(" and {more} more pairs"));
        let named = pairs[..pairs.len().min(MOST_PAIRS)].join(", ");
        notes.push(format!("between {named}{more} nothing resists: {free}"));
    }
    notes
}

//! `[start]`: a scene that goes on from another run's end.
//!
//! The bodies that loads move (free, held) come over from a checkpoint, with their contacts' memory; everything else is
//! this file's: walls and other `[[body]]` tables, laws, gravity, step, records. Ids: `[[body]]` tables first, then what
//! comes over in the order of its old ids, then grains.
//!
//! Walls are matched by name, or, both without one, by equal shape and place. When nothing but gravity, step and the
//! motion of walls has changed, the world is restarted from the saved state (`World::restart`), with its order in space and
//! its loads: a longer run of the first scene would have the same bits. Else bodies and memory are put into a new world,
//! which evaluates its loads anew. A note says which, and why.
//!
//! The cell comes from there, too, as it is at the end; what drives it is this file's (`cell.rs`).
//!
//! Does not do: taking fixed or prescribed bodies over.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use stickslip::body::{Body, Motion};
use stickslip::cell::Frame;
use stickslip::column::BodyState;
use stickslip::setup::Described;
use stickslip::world::{Remembered, RestoreError, Saved, Setup, World};

use crate::checkpoint::describe::{BodyText, PairText, pairs};
use crate::checkpoint::{self, Checkpoint};
use crate::input::{Item, Place, Result, Spot, Table, did_you_mean, shown};
use crate::results::{Ending, RunFolder, write_whole};
use crate::scene::before::{self, NewIds, Velocities};
use crate::scene::bodies::{Bodies, check_mass};
use crate::scene::check::{plural, short};
use crate::scene::materials::Materials;

/// Where a scene starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// The run folder or the checkpoint, as the scene names it.
    pub from: String,
    /// Hash of the checkpoint's content.
    pub hash: String,
    /// What becomes of velocities.
    pub velocities: Velocities,
    /// Whether contacts keep their memory.
    pub keep_memory: bool,
    /// Whether the cell comes from there, too.
    pub brings_cell: bool,
    /// The state to go on from to the bit, where that can be done.
    saved: Option<Arc<Saved>>,
    /// Else, what contacts remember.
    remembered: Remembered,
    bytes: Arc<[u8]>,
}

impl Start {
    /// Whether the run goes on from the saved state to the bit.
    pub fn is_exact(&self) -> bool {
        self.saved.is_some()
    }

    /// Writes the checkpoint into a run folder, so that the folder stands alone.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        write_whole(&folder.join(checkpoint::START), &self.bytes)
    }

    /// The world of a setup that starts here.
    pub(crate) fn world(&self, setup: Setup) -> std::result::Result<World, RestoreError> {
        match &self.saved {
            Some(saved) => World::restart(setup, saved),
            None => Ok(World::with_memory(setup, &self.remembered)?),
        }
    }
}

/// The earlier run while the scene is being read.
pub(crate) struct Earlier<'a> {
    place: Place<'a>,
    from: String,
    file: PathBuf,
    hash: String,
    velocities: Velocities,
    keep_memory: bool,
    checkpoint: Checkpoint,
    bytes: Arc<[u8]>,
    /// By old id, where in the saved state a body stands.
    at: Vec<Option<usize>>,
    /// That it is not the end of its run.
    remark: Option<String>,
}

/// Reads `[start]` and its checkpoint. `folder` is that of the scene.
pub(crate) fn read<'a>(top: &Table<'a>, folder: &Path) -> Result<Option<Earlier<'a>>> {
    let Some(item) = top.optional("start") else { return Ok(None) };
    let table = item.table()?;
    let item = table.required("from")?;
    let (velocities, keep_memory) = before::read_kept(&table)?;
    let hash_given = table.optional("hash");
    table.finish()?;
    let place = item.place();
    let from = item.clone().string()?.to_owned();
    let (file, remark) = find(&item, &from, folder)?;
    let sound = |message: String| place.error(format!("{} {message}", file.display()));
    let bytes = checkpoint::read_bytes(&file).map_err(sound)?;
    let checkpoint = Checkpoint::from_bytes(&bytes).map_err(sound)?;
    let hash = checkpoint.hash().map_err(|error| sound(format!("cannot be read: {error}")))?;
    if let Some(given) = hash_given {
        let expected = given.clone().string()?;
        if expected != hash {
            let message = format!("{} has changed: its hash is {hash}, not {}", file.display(), shown(expected));
            return Err(given.error(message).help("run the earlier scene again, or leave `hash` out"));
        }
    }
    let mut at = vec![None; checkpoint.description.bodies.len()];
    for index in 0..checkpoint.saved.bodies.len() {
        let body = checkpoint.saved.bodies.body(index);
        let moves = body.velocity.is_finite() && body.angular_velocity.is_finite();
        if !(moves && body.position.is_finite() && body.orientation.is_finite()) {
            return Err(sound(format!("is of no use: body {} is not finite", body.id)));
        }
        at[body.id as usize] = Some(index);
    }
    let bytes = bytes.into();
    Ok(Some(Earlier { place, from, file, hash, velocities, keep_memory, checkpoint, bytes, at, remark }))
}

/// The checkpoint that `from` names: a file, or the end of the run in a folder; beside the scene, or where the command runs.
/// With a remark, if that run was interrupted.
fn find(item: &Item<'_>, from: &str, folder: &Path) -> Result<(PathBuf, Option<String>)> {
    let places = [folder.join(from), PathBuf::from(from)];
    let Some(path) = places.iter().find(|path| path.exists()) else {
        let message = format!("there is no \"{}\", neither beside this file nor in the working directory", shown(from));
        let expected = "expected a run folder, or a checkpoint in one; run the earlier scene first";
        let near = [folder, Path::new("")].into_iter().find_map(|at| did_you_mean(at, Path::new(from), Path::exists));
        return Err(item.error(message).help(near.map_or(expected.into(), |near| format!("{near} {expected}"))));
    };
    if !path.is_dir() {
        return Ok((path.clone(), None));
    }
    let end = path.join(checkpoint::END);
    let run = RunFolder::read_run(path);
    // A run that was interrupted and goes on has the end of its first part lying there.
    let goes_on = run.as_ref().is_ok_and(|run| matches!(run.ending, Ending::Running | Ending::BrokenOff(_)));
    if end.exists() && !goes_on {
        let interrupted = run.is_ok_and(|run| run.ending == Ending::Interrupted);
        let remark = interrupted.then(|| {
            let shown = path.display();
            format!("the run in {shown} was interrupted, and is not over: `stickslip resume {shown}` goes on with it")
        });
        return Ok((end, remark));
    }
    let shown = path.display();
    Err(match run {
        Err(_) => item.error(format!("{shown} is not the folder of a run: it has no {}", checkpoint::END)),
        Ok(run) => {
            let error = item.error(format!("the run in {shown} has left no {} ({})", checkpoint::END, run.ending));
            error.help(match run.ending {
                Ending::Running | Ending::BrokenOff(_) => {
                    "wait until it has ended; if it was killed, go on with it (`stickslip resume`), or name one of its other \
                     checkpoints"
                }
                Ending::Failed(_) => "mend and repeat it, or name one of its checkpoint-<step>.checkpoint files",
                _ => "repeat it with this version of the program",
            })
        }
    })
}

impl<'a> Earlier<'a> {
    fn body(&self, id: usize) -> Option<(BodyText, BodyState)> {
        let index = (*self.at.get(id)?)?;
        Some((self.checkpoint.description.bodies.get(id)?, self.checkpoint.saved.bodies.body(index)))
    }

    fn all(&self) -> impl Iterator<Item = (usize, BodyText, BodyState)> {
        (0..self.at.len()).filter_map(|id| self.body(id).map(|(text, saved)| (id, text, saved)))
    }

    /// Where a wall of this name stood at the end.
    pub fn wall(&self, name: &str) -> Option<(DVec3, DQuat)> {
        let mut walls = self.all().filter(|(_, text, _)| !text.is_moved() && text.name.as_deref() == Some(name));
        walls.next().map(|(_, _, saved)| (saved.position, saved.orientation))
    }

    /// Hash of the checkpoint's content.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The cell at the end of that run, if it had one.
    pub fn cell(&self) -> Option<Frame> {
        self.checkpoint.saved.cell.map(|cell| cell.frame)
    }

    /// Where `[start]` names the checkpoint.
    pub fn place(&self) -> Place<'a> {
        self.place.clone()
    }

    /// Where `[start]` names the checkpoint, to be kept.
    pub fn spot(&self) -> Spot {
        self.place.spot()
    }

    /// That there was no wall of this name, and which there were.
    pub fn no_wall(&self, name: &str) -> String {
        let walls = self.all().filter(|(_, text, _)| !text.is_moved());
        let names: Vec<String> =
            walls.filter_map(|(_, text, _)| Some(format!("\"{}\"", shown(text.name.as_ref()?)))).collect();
        let names = if names.is_empty() { "none with a name".to_owned() } else { names.join(", ") };
        format!("{} has no wall \"{}\"; its walls: {names}", self.file.display(), shown(name))
    }

    /// Adds the bodies that come over.
    pub fn bring(&self, bodies: &mut Bodies<'a>, materials: &Materials, seed: u64) -> Result<NewIds> {
        let mut new_ids = self.matched_walls(bodies);
        let mut speeds = self.velocities.drawn(seed, &format!("start.velocity after {}", self.hash));
        let first = bodies.list.len();
        for (id, text, saved) in self.all().filter(|(_, text, _)| text.is_moved()) {
            let name = &self.checkpoint.description.materials[usize::from(text.material)].name;
            let Some(material) = materials.list.iter().position(|material| material.name == *name) else {
                let (name, file) = (shown(name), self.file.display());
                let message =
                    format!("body {id} of {file} is of material \"{name}\", and here is no [material.{name}]");
                return Err(self.place.error(message).help("add it, with its [[contact]] tables"));
            };
            if let Some(taken) = text.name.as_ref().and_then(|_| bodies.names.iter().position(|n| *n == text.name)) {
                let name = shown(text.name.as_deref().unwrap_or_default());
                let message =
                    format!("the name \"{name}\" belongs to a body that comes over from {}", self.file.display());
                return Err(bodies
                    .place(taken)
                    .map_or(self.place.error(message.clone()), |place| place.error(message)));
            }
            let mut body = before::taken_over(&text, &saved, material as u16);
            speeds.give(&mut body);
            check_mass(&body, materials)
                .map_err(|message| self.place.error(format!("body {id} of {}: {message}", self.file.display())))?;
            new_ids[id] = Some(bodies.list.len() as u32);
            bodies.push(&body, text.name.clone());
        }
        bodies.came_over = first..bodies.list.len();
        bodies.end_table(self.place.clone());
        Ok(new_ids)
    }

    /// The walls of the earlier run that stand in this file, too.
    fn matched_walls(&self, bodies: &Bodies<'_>) -> NewIds {
        let kind = std::mem::discriminant::<stickslip::Shape>;
        let find = |text: &BodyText, saved: &BodyState| {
            let mut new = bodies.list.iter().enumerate();
            new.position(|(id, body)| match (&text.name, bodies.names.get(id).and_then(Option::as_ref)) {
                (Some(old), Some(new)) => old == new && kind(&body.shape) == kind(&text.shape),
                (None, None) => body.shape == text.shape && same_place(&body, saved),
                _ => false,
            })
        };
        let mut new_ids = vec![None; self.at.len()];
        for (id, text, saved) in self.all().filter(|(_, text, _)| !text.is_moved()) {
            new_ids[id] = find(&text, &saved).map(|new| new as u32);
        }
        new_ids
    }

    /// What the world will be built from, and notes on what comes from where.
    pub fn settle(self, setup: &Described, names: &[Option<String>], new_ids: &NewIds) -> (Start, Vec<String>) {
        let (remembered, mut dropped) = if self.keep_memory {
            before::remembered(&self.checkpoint.saved, &self.checkpoint.description, setup, new_ids)
        } else {
            (Remembered::default(), Vec::new())
        };
        let reason = self.why_not_exact(setup, new_ids, !dropped.is_empty());
        let moved = self.all().filter(|(_, text, _)| text.is_moved()).count();
        let walls = self.all().filter(|(id, text, _)| !text.is_moved() && new_ids[*id].is_some());
        let walls: Vec<String> = walls
            .filter_map(|(id, _, _)| {
                let id = new_ids[id]? as usize;
                Some(
                    names
                        .get(id)
                        .and_then(Option::as_ref)
                        .map_or(format!("body {id}"), |name| format!("\"{}\"", shown(name))),
                )
            })
            .collect();
        let walls = if walls.is_empty() { "none".to_owned() } else { walls.join(", ") };
        let come = if moved == 1 { "comes" } else { "come" };
        let mut notes = vec![format!(
            "starts from {} at {} s: {} {come} over, {} with memory; walls that are those of that run: {walls}",
            self.file.display(),
            short(self.checkpoint.time()),
            plural(moved, "body"),
            plural(if reason.is_none() { self.touching() } else { remembered.len() }, "contact"),
        )];
        notes.extend(self.remark.clone());
        notes.append(&mut dropped);
        notes.extend(self.other_densities(setup));
        notes.push(how_it_goes_on(setup, reason.as_deref()));
        let brings_cell = self.cell().is_some();
        let saved = reason.is_none().then(|| Arc::new(self.checkpoint.saved));
        let start = Start {
            from: self.from,
            hash: self.hash,
            velocities: self.velocities,
            brings_cell,
            keep_memory: self.keep_memory,
            saved,
            remembered,
            bytes: self.bytes,
        };
        (start, notes)
    }

    /// Materials of another density than they had: bodies keep their masses.
    fn other_densities(&self, setup: &Described) -> Vec<String> {
        let materials = self.checkpoint.description.materials.iter();
        let other = materials.filter_map(|old| {
            let new = setup.model.materials.iter().find(|new| new.name == old.name && new.density != old.density)?;
            let (name, was, is) = (shown(&new.name), short(old.density), short(new.density));
            Some(format!(
                "the density of \"{name}\" was {was} kg/m^3 and is {is} now: bodies that come over keep their mass"
            ))
        });
        other.collect()
    }

    fn touching(&self) -> usize {
        self.checkpoint.saved.contacts.live.iter().filter(|live| **live).count()
    }

    /// Why the world cannot be restarted from the saved state as it is, if it cannot.
    fn why_not_exact(&self, setup: &Described, new_ids: &NewIds, dropped: bool) -> Option<String> {
        let because = |text: &str| Some(text.to_owned());
        if let Some(reason) = self.velocities.change() {
            return because(reason);
        }
        if !self.keep_memory {
            return because("memory is dropped");
        }
        if setup.model.cell.is_some() != self.cell().is_some() {
            return because("that run had no cell");
        }
        let (old, new) = (self.checkpoint.saved.bodies.len(), setup.bodies.len());
        let same_ids = new_ids.iter().enumerate().all(|(old, new)| *new == Some(old as u32));
        if old != new || new_ids.len() != new || !same_ids {
            return because("bodies or walls are more, fewer or numbered otherwise than in that run");
        }
        let name = |index: u16| Some(setup.model.materials.get(usize::from(index))?.name.as_str());
        let mut materials = BTreeSet::new();
        for (id, text, saved) in self.all() {
            let body = setup.bodies.get(id);
            let old_name = &self.checkpoint.description.materials[usize::from(text.material)].name;
            if name(body.material) != Some(old_name) || body.shape != text.shape {
                return Some(format!("body {id} has another shape or material"));
            }
            if !same_place(&body, &saved) || body.motion.yields() != text.is_moved() {
                return Some(format!("body {id} does not stand where it stood at the end of that run"));
            }
            materials.insert((text.material, body.material));
        }
        if !materials.iter().map(|(_, new)| new).is_sorted() {
            return because("materials stand in another order");
        }
        let pair = |[first, second]: [u16; 2]| setup.model.laws.get(first, second);
        let now = pairs(&setup.model);
        for &(old_a, new_a) in &materials {
            for &(old_b, new_b) in &materials {
                let between = [new_a.min(new_b), new_a.max(new_b)];
                let new = now.iter().find(|pair| pair.between == between).map(PairText::frictions);
                let old = self.checkpoint.description.laws_between(old_a, old_b).map(PairText::frictions);
                if old != new && pair(between).is_some() {
                    return because("a law is of another kind");
                }
            }
        }
        dropped.then(|| "a law is of another kind".to_owned())
    }
}

/// What goes on to the bit, and what begins anew.
fn how_it_goes_on(setup: &Described, reason: Option<&str>) -> String {
    let mut anew = Vec::new();
    if !setup.model.inflows.is_empty() {
        anew.push("streams begin anew (count and clock; they draw other random numbers than that run's)");
    }
    if setup.bodies.iter().any(|body| matches!(body.motion, Motion::Prescribed(_))) {
        anew.push("prescribed motion begins anew (at t = 0, from where the body stands now)");
    }
    let anew = anew.join("; ");
    match (reason, anew.is_empty()) {
        (None, true) => "it goes on from the saved state to the bit".to_owned(),
        (None, false) => format!("bodies and what contacts remember go on from the saved state to the bit; {anew}"),
        (Some(reason), true) => format!("loads are evaluated anew at the start: {reason}"),
        (Some(reason), false) => format!("loads are evaluated anew at the start: {reason}; {anew}"),
    }
}

/// Whether a body stands just where one stood at the end.
fn same_place(body: &Body, saved: &BodyState) -> bool {
    let turned = body.orientation == saved.orientation || body.orientation.normalize() == saved.orientation;
    body.position == saved.position && turned
}

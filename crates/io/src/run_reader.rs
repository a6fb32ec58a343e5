//! Reading a run that has ended: what its folder says about bodies and walls, and its records time by time.
//!
//! `Run::open` reads `run.json`, `scene.toml` (gravity, walls, records, which motions friction resists) and
//! `bodies-fixed.csv`. Records may be CSV or Parquet and of any name; of several that hold the same the first is taken.
//! Bodies may come and go between times: a frame holds those that the record has then. The scene is read as plain TOML, not
//! built again, so a run of another version can be read as long as these keys keep their meaning.

mod resisted;
mod table;

use std::io;
use std::path::{Path, PathBuf};

use glam::DVec3;
use serde::Deserialize;
use stickslip::cell;
use stickslip::measure::ContactLoad;

use crate::checkpoint::{self, Checkpoint};
use crate::input::{document, no_such_folder, read_text, shown};
use crate::results::file::csv_records;
use crate::results::{RunFolder, RunJson, cell_row, fixed};

/// The largest scene or table of bodies that is read whole (bytes): a row for each of 4 billion bodies would not fit either.
const LARGEST_TABLE: u64 = 8 << 30;

/// Why a run cannot be read. All are errors of input.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The folder holds no run.
    #[error("{folder} holds no run: {reason}")]
    NoRun {
        /// The folder.
        folder: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// A record is not there.
    #[error(
        "this needs the record `{what}`, which the run in {folder} does not have. Add to its scene and run it again:\n\n\
         [[record]]\nwhat  = \"{what}\"\nevery = {every}"
    )]
    NoRecord {
        /// The folder.
        folder: String,
        /// What the record holds.
        what: &'static str,
        /// A sensible interval (s).
        every: f64,
    },
    /// The record has no such time.
    #[error("the record `{what}` of {folder} has no time {wanted}: it goes from {first} to {last} s")]
    NoTime {
        /// The folder.
        folder: String,
        /// What the record holds.
        what: &'static str,
        /// What was asked for.
        wanted: String,
        /// The first recorded time (s).
        first: f64,
        /// The last one (s).
        last: f64,
    },
    /// A file is broken.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A body, as far as it does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownBody {
    /// Name in the scene; empty if it has none.
    pub name: String,
    /// `sphere`, `plane`, ..
    pub shape: String,
    /// Radius (m) of a sphere; `None` for a wall.
    pub radius: Option<f64>,
    /// kg; zero for a wall.
    pub mass: f64,
}

/// A wall as the scene describes it; what it does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wall {
    /// Name in the scene; empty if it has none.
    pub name: String,
    /// `plane`, `rectangle`, `tube`, `cone`.
    pub kind: String,
    /// m, at the start.
    pub position: DVec3,
    /// Outward, of flat walls.
    pub normal: Option<DVec3>,
    /// Of tubes and cones.
    pub axis: Option<DVec3>,
    /// m, of tubes.
    pub radius: Option<f64>,
    /// m, of tubes and cones: half of it on each side of the position.
    pub length: Option<f64>,
}

/// What a record holds, as far as it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Rows of bodies.
    Bodies,
    /// Rows of contacts.
    Contacts,
    /// Rows of walls: the columns of bodies.
    Walls,
    /// Sums over the world.
    Series,
}

impl Held {
    const ALL: [Held; 4] = [Held::Bodies, Held::Contacts, Held::Walls, Held::Series];

    /// The word of the scene.
    pub fn word(self) -> &'static str {
        match self {
            Held::Bodies => "bodies",
            Held::Contacts => "contacts",
            Held::Walls => "walls",
            Held::Series => "series",
        }
    }
}

/// The bodies at one recorded time, in the order of their ids: spheres apart from walls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// s.
    pub time: f64,
    /// Step number.
    pub step: u64,
    /// Ids of the spheres, ascending.
    pub ids: Vec<u32>,
    /// m.
    pub positions: Vec<DVec3>,
    /// m/s.
    pub velocities: Vec<DVec3>,
    /// m.
    pub radii: Vec<f64>,
    /// kg.
    pub masses: Vec<f64>,
    /// Ids of the walls with contact force (N) and torque (N m) on them.
    pub walls: Vec<(u32, DVec3, DVec3)>,
}

/// A run that can be measured.
#[derive(Clone, Debug)]
pub struct Run {
    folder: PathBuf,
    /// What `run.json` says.
    pub json: RunJson,
    /// Title of the scene.
    pub title: String,
    /// m/s^2; of a schedule the last value.
    pub gravity: DVec3,
    /// Bodies by id.
    pub bodies: Vec<KnownBody>,
    /// Walls of the scene's `[[body]]` tables.
    pub walls: Vec<Wall>,
    /// Whether some contact resists sliding, rolling and spinning at rest, by more than a trace.
    pub resists: [bool; 3],
    /// Whether there is a cell, of whatever kind.
    pub has_cell: bool,
    /// Whether there is one that repeats everywhere.
    pub in_cell: bool,
    records: Vec<(Held, PathBuf)>,
}

const BODY: [&str; 15] = ["step", "time", "id", "x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz", "tx", "ty", "tz"];
const CONTACT: [&str; 15] =
    ["step", "time", "a", "b", "px", "py", "pz", "nx", "ny", "nz", "fn", "fsx", "fsy", "fsz", "mode"];

impl Run {
    /// Reads what a folder says about its run, except the records.
    pub fn open(folder: &Path) -> Result<Run, ReadError> {
        let no_run = |reason: String| ReadError::NoRun { folder: folder.display().to_string(), reason };
        if !folder.join("run.json").is_file() {
            return Err(no_run(if folder.is_dir() { "it has no run.json".into() } else { no_such_folder(folder) }));
        }
        let json = RunFolder::read_run(folder).map_err(|error| no_run(error.to_string()))?;
        if json.program != "stickslip" {
            return Err(no_run(format!("the program of its run.json is `{}`", shown(&json.program))));
        }
        let read = |name: &str| {
            read_text(&folder.join(name), LARGEST_TABLE).map_err(|error| no_run(format!("{name}: {error}")))
        };
        let scene = parsed(&read("scene.toml")?).map_err(|error| no_run(format!("scene.toml: {error}")))?;
        let bodies = known_bodies(&read(fixed::FILE)?).map_err(|error| no_run(format!("{}: {error}", fixed::FILE)))?;
        Ok(Run {
            title: json.title.clone(),
            gravity: scene.get("gravity").and_then(gravity_at_end).unwrap_or(DVec3::ZERO),
            resists: resisted::motions(&scene, &bodies),
            bodies,
            walls: walls(&scene),
            has_cell: scene.contains_key("cell"),
            in_cell: repeats_everywhere(&scene),
            records: record_files(folder, &scene),
            json,
            folder: folder.to_owned(),
        })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it has such a record.
    pub fn has(&self, what: Held) -> bool {
        self.records.iter().any(|record| record.0 == what)
    }

    fn file(&self, what: Held) -> Result<&Path, ReadError> {
        let found = self.records.iter().find(|record| record.0 == what);
        found.map(|record| record.1.as_path()).ok_or_else(|| {
            // Some hundred rows over the run, rounded to one digit.
            // A run that was killed does not know how far it came.
            let rough = if self.json.simulated_time > 0.0 { self.json.simulated_time / 100.0 } else { 0.01 };
            let every = format!("{rough:.0e}").parse().unwrap_or(rough);
            ReadError::NoRecord { folder: self.folder.display().to_string(), what: what.word(), every }
        })
    }

    /// The recorded times (s) with their steps, in order.
    pub fn times(&self, what: Held) -> Result<Vec<(f64, u64)>, ReadError> {
        let mut times: Vec<(f64, u64)> = Vec::new();
        let mut seen = None;
        // Only the first row of a step is looked at.
        let mut first = |step: u64| seen.replace(step) != Some(step);
        table::scan(self.file(what)?, &["step", "time"], &mut first, &mut |row| {
            times.push((row[1], row[0] as u64));
            Ok(())
        })?;
        Ok(times)
    }

    /// The recorded step nearest to a time, or the last one. A time off the record by more than half of its interval is an
    /// error.
    pub fn step_at(&self, what: Held, time: Option<f64>) -> Result<u64, ReadError> {
        self.nearest(what, &self.times(what)?, time)
    }

    fn nearest(&self, what: Held, times: &[(f64, u64)], time: Option<f64>) -> Result<u64, ReadError> {
        let nearest = match time {
            None => times.last(),
            Some(time) => {
                let gap = times.windows(2).map(|pair| pair[1].0 - pair[0].0).fold(0.0, f64::max);
                let nearest = times.iter().min_by(|a, b| (a.0 - time).abs().total_cmp(&(b.0 - time).abs()));
                nearest.filter(|found| (found.0 - time).abs() <= 0.5 * gap * (1.0 + 1e-9))
            }
        };
        nearest.map(|found| found.1).ok_or_else(|| ReadError::NoTime {
            folder: self.folder.display().to_string(),
            what: what.word(),
            wanted: time.map_or("at all".into(), |time| format!("near {time} s")),
            first: times.first().map_or(f64::NAN, |found| found.0),
            last: times.last().map_or(f64::NAN, |found| found.0),
        })
    }

    /// Calls `visit` with the bodies of every recorded step that is wanted, in order.
    pub fn frames(&self, wanted: &mut dyn FnMut(u64) -> bool, visit: &mut dyn FnMut(&Frame)) -> Result<(), ReadError> {
        self.frames_of(Held::Bodies, wanted, visit)
    }

    /// The record that tells the loads on walls: `walls`, or where there is none `bodies`.
    pub fn with_walls(&self) -> Held {
        if !self.has(Held::Walls) && self.has(Held::Bodies) { Held::Bodies } else { Held::Walls }
    }

    /// The same from the record of walls, whose frames have no spheres, or of bodies.
    pub fn frames_of(
        &self,
        what: Held,
        wanted: &mut dyn FnMut(u64) -> bool,
        visit: &mut dyn FnMut(&Frame),
    ) -> Result<(), ReadError> {
        let mut frame: Option<Frame> = None;
        table::scan(self.file(what)?, &BODY, wanted, &mut |row| {
            let step = row[0] as u64;
            if frame.as_ref().is_none_or(|now| now.step != step) {
                frame.iter().for_each(&mut *visit);
                frame = Some(Frame { step, time: row[1], ..Frame::default() });
            }
            let Some(frame) = &mut frame else { return Ok(()) };
            self.add(row, frame)
        })?;
        frame.iter().for_each(visit);
        Ok(())
    }

    /// Times (s) with their steps at which there was no body at all, as the series and the end of the run tell: a record of
    /// bodies has no row then, and so no frame.
    pub fn empty_times(&self) -> Result<Vec<(f64, u64)>, ReadError> {
        let mut times: Vec<(f64, u64)> = Vec::new();
        if self.has(Held::Series) {
            table::scan(self.file(Held::Series)?, &["step", "time", "bodies"], &mut |_| true, &mut |row| {
                times.extend((row[2] == 0.0).then_some((row[1], row[0] as u64)));
                Ok(())
            })?;
        }
        let end = (self.json.simulated_time, self.json.steps);
        if self.json.ended.is_some() && self.json.bodies == 0 && times.last().is_none_or(|last| last.1 < end.1) {
            times.push(end);
        }
        Ok(times)
    }

    /// Adds a row of the record to a frame.
    fn add(&self, row: &[f64], frame: &mut Frame) -> io::Result<()> {
        let id = row[2] as u32;
        let body = self.bodies.get(id as usize).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("body {id} is not in {}", fixed::FILE))
        })?;
        let Some(radius) = body.radius else {
            frame.walls.push((id, triple(row, 9), triple(row, 12)));
            return Ok(());
        };
        frame.ids.push(id);
        frame.positions.push(triple(row, 3));
        frame.velocities.push(triple(row, 6));
        frame.radii.push(radius);
        frame.masses.push(body.mass);
        Ok(())
    }

    /// The periodic cell at the end of the run, from its checkpoint; `None` when it had none.
    pub fn cell_frame(&self) -> Result<Option<cell::Frame>, ReadError> {
        let path = self.folder.join(checkpoint::END);
        let checkpoint = Checkpoint::read(&path).map_err(|what| io::Error::new(io::ErrorKind::InvalidData, what))?;
        Ok(checkpoint.saved.cell.map(|cell| cell.frame))
    }

    /// The cell at a step, from the series; `None` unless the run has a series of a cell that repeats everywhere with this
    /// step in it.
    pub fn cell_frame_at(&self, step: u64) -> Result<Option<cell::Frame>, ReadError> {
        if !self.in_cell || !self.has(Held::Series) {
            return Ok(None);
        }
        let columns = ["step"].into_iter().chain(cell_row::FRAME).collect::<Vec<_>>();
        let mut found = None;
        table::scan(self.file(Held::Series)?, &columns, &mut |have| have == step, &mut |row| {
            found = Some(cell_row::frame(&row[1..]));
            Ok(())
        })?;
        Ok(found)
    }

    /// The bodies at the recorded time nearest to `time`, or at the last.
    pub fn frame_at(&self, time: Option<f64>) -> Result<Frame, ReadError> {
        self.frame(self.step_at(Held::Bodies, time)?)
    }

    /// The bodies at a recorded step.
    pub fn frame(&self, step: u64) -> Result<Frame, ReadError> {
        let mut found = Frame::default();
        self.frames(&mut |have| have == step, &mut |frame| found = frame.clone())?;
        Ok(found)
    }

    /// The contacts at a recorded step.
    pub fn contacts(&self, step: u64) -> Result<Vec<ContactLoad>, ReadError> {
        let mut rows = Vec::new();
        table::scan(self.file(Held::Contacts)?, &CONTACT, &mut |have| have == step, &mut |row| {
            let (normal, normal_force) = (triple(row, 7), row[10]);
            rows.push(ContactLoad {
                a: row[2] as u32,
                b: row[3] as u32,
                point: triple(row, 4),
                force: normal * normal_force + triple(row, 11),
                normal,
                normal_force,
                slide: table::modes(row[14])[0],
            });
            Ok(())
        })?;
        Ok(rows)
    }

    /// Bodies and contacts of one step that both records hold: the one nearest to `time`, or the last.
    pub fn bodies_and_contacts(&self, time: Option<f64>) -> Result<(Frame, Vec<ContactLoad>), ReadError> {
        let contacts = self.times(Held::Contacts)?;
        let mut times = self.times(Held::Bodies)?;
        // A world in which nothing ever touches has no rows of contacts, at no time.
        if !contacts.is_empty() {
            // Nor has the last step, which every record holds, when nothing touches then.
            let apart = (self.json.ended.is_some() && self.json.contacts == 0).then_some(self.json.steps);
            let held = |step: u64| contacts.binary_search_by_key(&step, |contact| contact.1).is_ok();
            times.retain(|body| held(body.1) || Some(body.1) == apart);
        }
        let step = self.nearest(Held::Contacts, &times, time)?;
        Ok((self.frame(step)?, self.contacts(step)?))
    }
}

fn triple(row: &[f64], at: usize) -> DVec3 {
    DVec3::new(row[at], row[at + 1], row[at + 2])
}

/// The scene as a table, or what is wrong in which line.
fn parsed(scene: &str) -> Result<toml::Table, String> {
    let wrong = |start: usize, message: &str| {
        // Not as the parser would show it, which is with the whole line.
        let before = scene.as_bytes().iter().take(start);
        format!("line {}: {}", 1 + before.filter(|b| **b == b'\n').count(), shown(message))
    };
    let document = document(scene).map_err(|fault| wrong(fault.span.start, &fault.message))?;
    toml::Table::deserialize(toml::Deserializer::from(document))
        .map_err(|error| wrong(error.span().map_or(0, |span| span.start), error.message()))
}

/// The table `bodies-fixed.csv`.
fn known_bodies(text: &str) -> Result<Vec<KnownBody>, String> {
    let mut records = csv_records(text);
    let (_, header) = records.next().unwrap_or_default();
    let place = |name: &str| header.iter().position(|have| have == name).ok_or(format!("it has no column `{name}`"));
    let [id, name, shape, radius, mass] =
        [place("id")?, place("name")?, place("shape")?, place("radius")?, place("mass")?];
    let mut bodies = Vec::new();
    for (line, row) in records {
        let field = |place: usize| row.get(place).map_or("", String::as_str);
        let wrong = || format!("line {line}: expected a body, found `{}`", shown(&row.join(",")));
        let optional = |place: usize| match field(place) {
            "" => Ok(None),
            text => text.parse::<f64>().map(Some).map_err(|_| wrong()),
        };
        if field(id).parse() != Ok(bodies.len()) {
            return Err(wrong());
        }
        let sphere = field(shape) == "sphere";
        let radius = optional(radius)?.filter(|_| sphere);
        let mass = optional(mass)?.unwrap_or(0.0);
        bodies.push(KnownBody { name: field(name).to_owned(), shape: field(shape).to_owned(), radius, mass });
    }
    Ok(bodies)
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

fn vector(value: &toml::Value) -> Option<DVec3> {
    let numbers: Vec<f64> = value.as_array()?.iter().map(number).collect::<Option<_>>()?;
    <[f64; 3]>::try_from(numbers).ok().map(DVec3::from)
}

/// The vector, or of a schedule the last value: what is measured is the end of a run.
fn gravity_at_end(value: &toml::Value) -> Option<DVec3> {
    vector(value).or_else(|| vector(value.get("values")?.as_array()?.last()?))
}

fn tables<'a>(scene: &'a toml::Table, key: &str) -> impl Iterator<Item = &'a toml::Table> + use<'a> {
    scene.get(key).and_then(toml::Value::as_array).into_iter().flatten().filter_map(toml::Value::as_table)
}

fn walls(scene: &toml::Table) -> Vec<Wall> {
    let mut walls = Vec::new();
    for body in tables(scene, "body") {
        let Some(shape) = body.get("shape").and_then(toml::Value::as_table) else { continue };
        let kind = shape.get("kind").and_then(toml::Value::as_str).unwrap_or_default();
        if kind.is_empty() || kind == "sphere" {
            continue;
        }
        let unit = |key: &str| shape.get(key).and_then(vector).and_then(DVec3::try_normalize);
        walls.push(Wall {
            name: body.get("name").and_then(toml::Value::as_str).unwrap_or_default().to_owned(),
            kind: kind.to_owned(),
            position: body.get("position").and_then(vector).unwrap_or(DVec3::ZERO),
            normal: unit("normal"),
            axis: unit("axis"),
            radius: shape.get("radius").and_then(number),
            length: shape.get("length").and_then(number),
        });
    }
    walls
}

/// Whether the scene has a cell that repeats everywhere. The resolved scene says so for each direction.
fn repeats_everywhere(scene: &toml::Table) -> bool {
    let periodic = scene.get("cell").and_then(|cell| cell.get("periodic")).and_then(toml::Value::as_array);
    periodic.is_some_and(|flags| flags.iter().all(|flag| flag.as_bool() == Some(true)))
}

/// The files of the records that can be read and are there. A Parquet record of a run that was killed is still a CSV.
fn record_files(folder: &Path, scene: &toml::Table) -> Vec<(Held, PathBuf)> {
    let mut files = Vec::new();
    for record in tables(scene, "record") {
        let text = |key: &str| record.get(key).and_then(toml::Value::as_str);
        let held = Held::ALL.into_iter().find(|held| text("what") == Some(held.word()));
        let Some(held) = held else { continue };
        let stem = text("name").unwrap_or(held.word());
        let endings = ["parquet", "csv"].into_iter().map(|ending| folder.join(format!("{stem}.{ending}")));
        files.extend(endings.into_iter().find(|path| path.is_file()).map(|path| (held, path)));
    }
    files
}

#[cfg(test)]
mod tests;

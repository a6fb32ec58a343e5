//! The records of a run: tables that grow while it goes on, and snapshots.
//!
//! Tables grow under their own names (`growing.rs`), so that a run that dies keeps what it had; snapshots are whole files
//! (`vtp.rs`, `lammps_data.rs`). Every record holds step 0 and the last step, once. Numbers are the shortest text that
//! reads back exactly, never more than 17 digits.
//!
//! `marks` says how far all of them are, and `go_on` takes a run's files up at such marks: what was written since is
//! dropped, and will be written again.
//!
//! Rows of contacts exist only for steps at which the world was told beforehand to keep them (`wants_contacts`). A run
//! with a stop rule keeps them at every step, since each may be the last; after a failure the last step may lack them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use glam::DVec3;
use stickslip::World;
use stickslip::clock::Clock;
use stickslip::contact::{parts_of, place_of};
use stickslip::measure::BodyView;

use super::file::push_number;
use super::fixed::{self, FixedBody, RunInfo};
use super::growing::{Growing, Marks};
use super::joints;
use super::lammps_data::DataFiles;
use super::schedule::Schedule;
use super::series::{self, SeriesRow};
use super::{checkpoints, lammps, parquet, vtp};
use crate::scene::{Format, Record, What};

/// The columns of `bodies.csv`.
pub const BODY_COLUMNS: &str = "time,step,id,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,fx,fy,fz,tx,ty,tz";

/// The columns of `contacts.csv`.
pub const CONTACT_COLUMNS: &str = "time,step,a,b,px,py,pz,nx,ny,nz,overlap,fn,fsx,fsy,fsz,mrx,mry,mrz,ms,mode,mrbx,mrby,mrbz,\
     roll_modes,feature";

/// The columns that follow in a run with clumps: the part that touches, 0 for a body that is none.
const PART_COLUMNS: &str = ",part_a,part_b";

/// Rows wait no longer than this in memory.
const FLUSH_AFTER: Duration = Duration::from_secs(2);

/// The file that a record writes first: its table, or the list of its snapshots.
pub fn file_name(record: &Record) -> String {
    let ending = match record.format {
        Format::Csv => "csv",
        Format::Parquet => "parquet",
        Format::Vtk => "pvd",
        Format::Lammps => "dump",
        Format::LammpsData => return format!("{}-*.data", record.name),
        Format::Checkpoint => return checkpoints::pattern(&record.name),
    };
    format!("{}.{ending}", record.name)
}

/// All that a record writes under names of its own: tables, lists of snapshots, and `<name>-*.data` for files of which
/// there is no list.
pub fn file_names(record: &Record) -> Vec<String> {
    match record.format {
        Format::Vtk => vtp::stems(&record.name, record.contacts).iter().map(|stem| format!("{stem}.pvd")).collect(),
        _ => vec![file_name(record)],
    }
}

/// The table that a record's rows wait in until the run ends, if that is not the record itself.
pub fn spool_name(record_file: &str) -> Option<String> {
    record_file.strip_suffix(".parquet").map(|stem| format!("{stem}.csv"))
}

/// Writes the records of one run. Call `write` once before the first step and after every step that is `due`.
#[derive(Debug)]
pub struct Recorder {
    outputs: Vec<Output>,
    /// `bodies-fixed.csv`.
    fixed: Growing,
    materials: Vec<String>,
    /// How many bodies `bodies-fixed.csv` holds.
    known: usize,
    /// Material and mass by id, where a snapshot holds them; else empty.
    material_of: Vec<u16>,
    mass_of: Vec<f64>,
    last_step: u64,
    flushed: Instant,
    /// The number of the stage, in a run that has such.
    stage: Option<usize>,
}

/// What a stage changes in how a run is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The number of the stage.
    pub stage: usize,
    /// From which steps are counted.
    pub clock: Clock,
    /// The step (s).
    pub dt: f64,
    /// At which the run ends by its plan, if it ends with this stage.
    pub last_step: u64,
}

#[derive(Debug)]
struct Output {
    what: What,
    holds_contacts: bool,
    schedule: Schedule,
    written: Option<u64>,
    /// Whether a table of contacts has the columns of parts.
    has_parts: bool,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Rows, or the snapshots of a dump; `parquet` is what they become at the end.
    Table {
        table: Growing,
        parquet: Option<PathBuf>,
    },
    Snapshots(vtp::Collection),
    DataFiles(DataFiles),
}

impl Recorder {
    /// Creates the files, with their headers, and `bodies-fixed.csv`. A file that is there already is an error: the run
    /// folder has been cleared before. `dt` is the step (s), `last_step` the one at which the run ends by its plan.
    pub fn new(folder: &Path, records: &[Record], dt: f64, last_step: u64, info: &RunInfo) -> io::Result<Self> {
        let mut fixed = Growing::create(folder.join(fixed::FILE))?;
        fixed::write(&mut fixed, info)?;
        joints::write_fixed(folder, info)?;
        let outputs = tables(records).map(|record| Output::new(folder, record, dt, info)).collect::<io::Result<_>>()?;
        Ok(Recorder::with(outputs, fixed, last_step, info))
    }

    /// Takes the files of a run up where the marks are, which must have been checked. `info` has the bodies that had entered.
    pub fn go_on(
        folder: &Path,
        records: &[Record],
        dt: f64,
        last_step: u64,
        info: &RunInfo,
        marks: &Marks,
    ) -> io::Result<Self> {
        let fixed = Growing::cut_back(folder, marks.of_table(fixed::FILE)?)?;
        let outputs =
            tables(records).map(|record| Output::go_on(folder, record, dt, marks)).collect::<io::Result<_>>()?;
        Ok(Recorder::with(outputs, fixed, last_step, info))
    }

    fn with(outputs: Vec<Output>, fixed: Growing, last_step: u64, info: &RunInfo) -> Self {
        let mut recorder = Recorder {
            outputs,
            fixed,
            materials: info.materials.clone(),
            known: 0,
            material_of: Vec::new(),
            mass_of: Vec::new(),
            last_step,
            flushed: Instant::now(),
            stage: info.extras.stages.then_some(0),
        };
        recorder.note(info.bodies());
        recorder
    }

    /// Goes on in another stage, whose bodies are these: those that it brings enter the table of bodies.
    pub fn enter(&mut self, records: &[Record], pace: Pace, info: &RunInfo) -> io::Result<()> {
        for (output, record) in self.outputs.iter_mut().zip(tables(records)) {
            output.schedule = Schedule::new(record.every, pace.dt).counted_from(pace.clock, pace.dt);
        }
        (self.stage, self.last_step) = (Some(pace.stage), pace.last_step);
        let first = self.known;
        if info.body_count() > first {
            self.note(info.bodies().skip(first));
            fixed::append(&mut self.fixed, first, info.bodies().skip(first), &self.materials)?;
        }
        Ok(())
    }

    /// Keeps what snapshots will hold of more bodies.
    fn note(&mut self, bodies: impl Iterator<Item = FixedBody>) {
        let shown = self.outputs.iter().any(|output| output.what == What::Snapshot);
        let weighed = self.outputs.iter().any(|output| matches!(output.sink, Sink::DataFiles(_)));
        for body in bodies {
            self.known += 1;
            if shown {
                self.material_of.push(body.material);
            }
            if weighed {
                self.mass_of.push(body.mass);
            }
        }
    }

    /// How far the files are. All of it is on the disk when this returns. The points of plots are not the recorder's.
    pub fn marks(&mut self) -> io::Result<Marks> {
        let mut marks = Marks { tables: vec![self.fixed.mark()?], ..Marks::default() };
        for output in &mut self.outputs {
            match &mut output.sink {
                Sink::Table { table, .. } => marks.tables.push(table.mark()?),
                Sink::Snapshots(collection) => marks.snapshots.extend(collection.marks().cloned()),
                Sink::DataFiles(files) => marks.snapshots.push(files.mark().clone()),
            }
        }
        Ok(marks)
    }

    /// Whether anything is to be written after this step.
    pub fn due(&self, step: u64) -> bool {
        step >= self.last_step || self.outputs.iter().any(|output| output.schedule.due(step))
    }

    /// Whether the world must keep its contacts when it takes this step (or, for 0, when it is built).
    pub fn wants_contacts(&self, step: u64) -> bool {
        let mut contacts = self.outputs.iter().filter(|output| output.holds_contacts);
        contacts.any(|output| step >= self.last_step || output.schedule.due(step))
    }

    /// Writes what is due at the world's step; everything, if it is the `last`. Nothing is ever written twice.
    pub fn write(&mut self, world: &World, last: bool) -> io::Result<()> {
        let step = world.steps();
        let last = last || step == self.last_step;
        self.note_arrivals(world)?;
        for output in &mut self.outputs {
            if (last || output.schedule.due(step)) && output.written != Some(step) {
                output.write(world, self.stage, &self.material_of, &self.mass_of)?;
                output.written = Some(step);
            }
        }
        if last || self.flushed.elapsed() > FLUSH_AFTER {
            self.flush()?;
        }
        Ok(())
    }

    /// Appends bodies that have entered since the last call to `bodies-fixed.csv`.
    fn note_arrivals(&mut self, world: &World) -> io::Result<()> {
        let first = self.known;
        let arrivals = (first as u32..world.id_count()).filter_map(|id| world.arrival(id));
        let new: Vec<FixedBody> = arrivals.map(|arrival| FixedBody::entered(&arrival)).collect();
        if new.is_empty() {
            return Ok(());
        }
        self.note(new.iter().cloned());
        fixed::append(&mut self.fixed, first, new.into_iter(), &self.materials)
    }

    /// Hands all rows to the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.flushed = Instant::now();
        for output in &mut self.outputs {
            if let Sink::Table { table, .. } = &mut output.sink {
                table.flush()?;
            }
        }
        Ok(())
    }

    /// Makes those of Parquet from their spools, which stay. All is on the disk then, and nothing should be written afterwards.
    pub fn finish(&mut self) -> io::Result<()> {
        self.marks()?;
        for output in &self.outputs {
            if let Sink::Table { table, parquet: Some(target) } = &output.sink {
                parquet::convert(table.path(), target)?;
            }
        }
        Ok(())
    }
}

/// The records that the recorder writes: all but checkpoints.
fn tables(records: &[Record]) -> impl Iterator<Item = &Record> {
    records.iter().filter(|record| record.what != What::Checkpoint)
}

impl Output {
    fn new(folder: &Path, record: &Record, dt: f64, info: &RunInfo) -> io::Result<Self> {
        let header = match record.what {
            What::Bodies | What::Walls => BODY_COLUMNS.to_owned(),
            What::Contacts if info.has_parts => format!("{CONTACT_COLUMNS}{PART_COLUMNS}"),
            What::Contacts => CONTACT_COLUMNS.to_owned(),
            What::Series => series::header(info.extras),
            What::Joints => joints::COLUMNS.to_owned(),
            What::Snapshot | What::Checkpoint => String::new(),
        };
        let sink = match record.format {
            Format::Vtk => Sink::Snapshots(vtp::Collection::new(folder, &record.name, record.contacts)),
            Format::LammpsData => Sink::DataFiles(DataFiles::new(folder, &record.name)),
            _ => {
                let (name, parquet) = table_files(folder, record);
                let mut table = Growing::create(folder.join(name))?;
                if !header.is_empty() {
                    writeln!(table, "{header}")?;
                }
                Sink::Table { table, parquet }
            }
        };
        Ok(Output { has_parts: info.has_parts, ..Output::with(record, dt, sink) })
    }

    fn go_on(folder: &Path, record: &Record, dt: f64, marks: &Marks) -> io::Result<Self> {
        let sink = match record.format {
            Format::Vtk => {
                let mut collection = vtp::Collection::new(folder, &record.name, record.contacts);
                collection.go_on(marks, dt)?;
                Sink::Snapshots(collection)
            }
            Format::LammpsData => {
                let mut files = DataFiles::new(folder, &record.name);
                files.go_on(marks)?;
                Sink::DataFiles(files)
            }
            _ => {
                let (name, parquet) = table_files(folder, record);
                Sink::Table { table: Growing::cut_back(folder, marks.of_table(&name)?)?, parquet }
            }
        };
        // As the file began: a stage may have brought the first clump.
        let has_parts = match &sink {
            Sink::Table { table, .. } if record.what == What::Contacts => {
                let mut header = String::new();
                BufReader::new(File::open(table.path())?).read_line(&mut header)?;
                header.trim_end().ends_with(PART_COLUMNS)
            }
            _ => false,
        };
        Ok(Output { has_parts, ..Output::with(record, dt, sink) })
    }

    fn with(record: &Record, dt: f64, sink: Sink) -> Self {
        let (what, holds_contacts) = (record.what, record.holds_contacts());
        let schedule = Schedule::new(record.every, dt);
        Output { what, holds_contacts, schedule, written: None, has_parts: false, sink }
    }

    fn write(&mut self, world: &World, stage: Option<usize>, material_of: &[u16], mass_of: &[f64]) -> io::Result<()> {
        match &mut self.sink {
            Sink::DataFiles(files) => files.add(world, material_of, mass_of),
            Sink::Snapshots(collection) => collection.add(world, material_of),
            Sink::Table { table, .. } => match self.what {
                What::Bodies => write_bodies(table, world, |_| true),
                What::Walls => write_bodies(table, world, |body| body.radius == 0.0),
                What::Contacts => write_contacts(table, world, self.has_parts),
                What::Joints => joints::write(table, world),
                What::Snapshot => lammps::write_snapshot(table, world, material_of),
                // Not a table: `checkpoints.rs` writes them.
                What::Checkpoint => Ok(()),
                What::Series => {
                    let mut line = SeriesRow::of(world).line();
                    if let Some(stage) = stage {
                        line.pop();
                        line.extend(format!(",{stage}\n").into_bytes());
                    }
                    table.write_all(&line)
                }
            },
        }
    }
}

/// The name of the table that grows, and what it becomes at the end, if that is another file.
fn table_files(folder: &Path, record: &Record) -> (String, Option<PathBuf>) {
    let name = file_name(record);
    match spool_name(&name) {
        Some(spool) => (spool, Some(folder.join(&name))),
        None => (name, None),
    }
}

/// A row per body that is there and kept, by id.
fn write_bodies(out: &mut impl Write, world: &World, kept: impl Fn(&BodyView) -> bool) -> io::Result<()> {
    let clock = format!("{:?},{}", world.time(), world.steps());
    let mut line = Vec::new();
    for id in world.ids() {
        let body = world.body(id);
        if !kept(&body) {
            continue;
        }
        line.clear();
        write!(line, "{clock},{id}")?;
        let q = body.orientation;
        push_vector(&mut line, body.position);
        for value in [q.w, q.x, q.y, q.z] {
            push_number(&mut line, value);
        }
        for vector in [body.velocity, body.angular_velocity, body.force, body.torque] {
            push_vector(&mut line, vector);
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// A row per contact that the world kept, by a, then b.
fn write_contacts(out: &mut impl Write, world: &World, has_parts: bool) -> io::Result<()> {
    let clock = format!("{:?},{}", world.time(), world.steps());
    let mut line = Vec::new();
    for row in world.rows() {
        line.clear();
        write!(line, "{clock},{},{}", row.a, row.b)?;
        push_vector(&mut line, row.point);
        push_vector(&mut line, row.normal);
        push_number(&mut line, row.overlap);
        push_number(&mut line, row.normal_force);
        push_vector(&mut line, row.slide);
        push_vector(&mut line, row.roll_a);
        push_number(&mut line, row.spin);
        let [slide, roll, spin] = row.mode.map(|mode| mode.letter());
        write!(line, ",{slide}{roll}{spin}")?;
        push_vector(&mut line, row.roll_b);
        let [of_a, of_b] = row.roll_modes.map(|mode| mode.letter());
        write!(line, ",{of_a}{of_b},{}", place_of(row.feature))?;
        if has_parts {
            let [part_a, part_b] = parts_of(row.feature);
            write!(line, ",{part_a},{part_b}")?;
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

fn push_vector(line: &mut Vec<u8>, vector: DVec3) {
    for value in vector.to_array() {
        push_number(line, value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{small_world, test_folder};
    use super::*;
    use crate::scene::Every;

    fn record(what: What, every: Every) -> Record {
        let format = if what == What::Snapshot { Format::Vtk } else { Format::Csv };
        Record { what, every, format, name: what.word().into(), contacts: what == What::Snapshot }
    }

    /// Runs some steps as the command does; returns the table of the only record.
    fn run(name: &str, record: Record, steps: u64, ends_at: u64) -> Vec<Vec<String>> {
        let (mut world, info) = small_world();
        let folder = test_folder(name);
        let file = file_name(&record);
        let mut recorder = Recorder::new(&folder, &[record], 1e-3, steps, &info).unwrap();
        recorder.write(&world, false).unwrap();
        while world.steps() < ends_at {
            world.keep_rows(recorder.wants_contacts(world.steps() + 1));
            world.step().unwrap();
            recorder.write(&world, false).unwrap();
        }
        recorder.write(&world, true).unwrap();
        recorder.write(&world, true).unwrap();
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    fn column(table: &[Vec<String>], name: &str) -> Vec<String> {
        let index = table[0].iter().position(|column| column == name).unwrap();
        table[1..].iter().map(|row| row[index].clone()).collect()
    }

    #[test]
    fn rows_at_the_first_step_after_each_multiple_and_at_the_end() {
        let series = record(What::Series, Every::Time(2.5e-3));
        let table = run("multiples", series, 9, 9);
        assert_eq!(column(&table, "step"), ["0", "3", "5", "8", "9"]);
        assert_eq!(table[0].join(","), series::header(series::Extras::default()));
        assert!(table.iter().all(|row| row.len() == 24));
        // The ball's contact with the floor counted twice here, and once in `measure`: two spheres, one of them touches.
        assert_eq!(column(&table, "coordination")[0], "0.5");
    }

    #[test]
    fn a_run_that_ends_early_has_its_last_step_once() {
        let table = run("early", record(What::Series, Every::Time(5e-3)), 100, 7);
        assert_eq!(column(&table, "step"), ["0", "5", "7"]);
        let table = run("early-due", record(What::Series, Every::Time(5e-3)), 100, 10);
        assert_eq!(column(&table, "step"), ["0", "5", "10"]);
    }

    #[test]
    fn bodies_come_by_id_with_planes_and_read_back_exactly() {
        let table = run("bodies", record(What::Bodies, Every::Step), 4, 4);
        assert_eq!(table[0].join(","), BODY_COLUMNS);
        assert_eq!(table.len(), 1 + 5 * 3);
        assert_eq!(column(&table, "id")[..6], ["0", "1", "2", "0", "1", "2"]);
        let (mut world, _) = small_world();
        for _ in 0..4 {
            world.step().unwrap();
        }
        let z = column(&table, "z").pop().unwrap().parse::<f64>().unwrap();
        assert_eq!(z.to_bits(), world.body(2).position.z.to_bits());
        let fz = column(&table, "fz")[13].parse::<f64>().unwrap();
        assert_eq!(fz.to_bits(), world.body(1).force.z.to_bits());
    }

    #[test]
    fn contacts_are_asked_for_before_the_step() {
        let table = run("contacts", record(What::Contacts, Every::Time(3e-3)), 8, 8);
        assert_eq!(table[0].join(","), CONTACT_COLUMNS);
        assert_eq!(column(&table, "step"), ["0", "3", "6", "8"]);
        assert_eq!((&*column(&table, "a")[1], &*column(&table, "b")[1]), ("0", "1"));
        assert_eq!(column(&table, "mode")[1], "---");
    }

    #[test]
    fn snapshots_with_contacts_ask_for_them_and_have_them_at_every_step() {
        let (mut world, info) = small_world();
        let folder = test_folder("shots");
        let shot = record(What::Snapshot, Every::Time(2e-3));
        let mut recorder = Recorder::new(&folder, &[shot], 1e-3, 5, &info).unwrap();
        recorder.write(&world, false).unwrap();
        while world.steps() < 5 {
            world.keep_rows(recorder.wants_contacts(world.steps() + 1));
            world.step().unwrap();
            recorder.write(&world, false).unwrap();
        }
        for step in [0, 2, 4, 5] {
            let text = std::fs::read_to_string(folder.join(format!("snapshot-contacts-{step}.vtp"))).unwrap();
            assert!(text.contains("NumberOfPoints=\"1\""), "step {step}: {text}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let (_, info) = small_world();
        let folder = test_folder("there");
        std::fs::write(folder.join("series.csv"), "mine").unwrap();
        let error = Recorder::new(&folder, &[record(What::Series, Every::Step)], 1e-3, 1, &info).unwrap_err();
        assert!(error.to_string().contains("series.csv"), "{error}");
        assert_eq!(std::fs::read(folder.join("series.csv")).unwrap(), b"mine");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

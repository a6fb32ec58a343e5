//! One row of numbers about the whole world: a line of `series.csv`, and the few hundred points behind the plots.

use std::fs;
use std::io;
use std::path::Path;

use stickslip::World;
use stickslip::ledger::{Carried, Ledger, Loss, Losses};
use stickslip::model::Model;

use super::cell_row::{self, CellRow};
use super::file::{at, push_number};
use super::growing::Marks;
use super::solver_row::{self, SolverRow};

/// The columns of `series.csv` that every run has; those of `cell_row.rs` and `solver_row.rs` follow where the run has them.
fn columns() -> String {
    let lost = Loss::OF_EVERY_RUN.map(|loss| loss.text().column).join(",");
    format!(
        "time,step,bodies,contacts,kinetic,potential,stored,{lost},work,error,unbalanced_force,coordination,entered,left,\
         left_mass,kinetic_in,potential_in,kinetic_out,potential_out,stored_out"
    )
}

/// Which columns a run has besides those of every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Those of a cell that repeats everywhere.
    pub cell: bool,
    /// Those of a method that solves for impulses.
    pub solver: bool,
    /// That of a run with stages: the number of the stage, 0 before the first.
    pub stages: bool,
}

impl Extras {
    /// Those of a model.
    pub fn of(model: &Model) -> Self {
        let cell = model.cell.as_ref().is_some_and(|cell| cell.frame.repeats_everywhere());
        Extras { cell, solver: model.method.solves(), stages: false }
    }

    /// Those that one of two runs has.
    pub fn or(self, other: Extras) -> Extras {
        Extras {
            cell: self.cell || other.cell,
            solver: self.solver || other.solver,
            stages: self.stages || other.stages,
        }
    }
}

/// The header of the table.
pub fn header(extras: Extras) -> String {
    let mut columns = columns();
    let more = [
        (extras.cell, &cell_row::COLUMNS[..]),
        (extras.solver, &solver_row::COLUMNS[..]),
        (extras.stages, &["stage"][..]),
    ];
    for (_, names) in more.into_iter().filter(|(there, _)| *there) {
        columns += &format!(",{}", names.join(","));
    }
    columns
}

/// The world at one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeriesRow {
    /// Simulated time (s).
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Bodies.
    pub bodies: usize,
    /// Touching contacts.
    pub contacts: usize,
    /// Energies (J).
    pub ledger: Ledger,
    /// Mean size of the net force on free bodies over the mean normal force of contacts.
    pub unbalanced_force: f64,
    /// Mean contacts a sphere: one between spheres counts at both, one with a wall once.
    pub coordination: f64,
    /// Bodies that have entered since the start.
    pub entered: u64,
    /// Bodies that have left since the start.
    pub left: u64,
    /// Their mass (kg).
    pub left_mass: f64,
    /// What there is to say of a cell that repeats everywhere.
    pub cell: Option<CellRow>,
    /// How the latest step was solved.
    pub solver: Option<SolverRow>,
}

impl SeriesRow {
    /// The world now.
    pub fn of(world: &World) -> Self {
        let traffic = &world.state().traffic;
        SeriesRow {
            time: world.time(),
            step: world.steps(),
            bodies: world.body_count(),
            contacts: world.contact_count(),
            ledger: world.ledger(),
            unbalanced_force: world.unbalanced_force(),
            coordination: world.coordination(),
            entered: traffic.entered(),
            left: traffic.left,
            left_mass: traffic.left_mass,
            cell: CellRow::of(world),
            solver: SolverRow::of(world),
        }
    }

    /// The row as a line of the table.
    pub fn line(&self) -> Vec<u8> {
        let mut line = format!("{:?},{},{},{}", self.time, self.step, self.bodies, self.contacts).into_bytes();
        let l = &self.ledger;
        let held = [l.kinetic, l.potential, l.stored].into_iter();
        let lost = Loss::OF_EVERY_RUN.into_iter().map(|loss| l.lost[loss]);
        for value in held.chain(lost).chain([l.work, l.error, self.unbalanced_force, self.coordination]) {
            push_number(&mut line, value);
        }
        line.extend(format!(",{},{}", self.entered, self.left).into_bytes());
        let c = &l.carried;
        let carried = [c.kinetic_in, c.potential_in, c.kinetic_out, c.potential_out, c.stored_out];
        for value in [self.left_mass].into_iter().chain(carried) {
            push_number(&mut line, value);
        }
        if let Some(cell) = &self.cell {
            cell.push(&mut line);
        }
        if let Some(solver) = &self.solver {
            solver.push(&mut line);
        }
        line.push(b'\n');
        line
    }

    /// A line of the table as a row.
    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields.get(i)?.trim().parse::<f64>().ok();
        let count = |i: usize| fields.get(i)?.trim().parse::<u64>().ok();
        let every = (7..).zip(Loss::OF_EVERY_RUN);
        let mut lost = every.map(|(at, loss)| Some((loss, number(at)?))).collect::<Option<Losses>>()?;
        // The first column behind the losses.
        let rest = 7 + Loss::OF_EVERY_RUN.len();
        // There are fewer than those of a cell, and they stand last.
        let solver: Option<SolverRow> = fields.len().checked_sub(solver_row::COLUMNS.len()).and_then(|from| {
            let of_cell = [0, cell_row::COLUMNS.len()].map(|count| rest + 12 + count);
            if of_cell.contains(&from) { SolverRow::parse(&fields[from..]) } else { None }
        });
        lost[Loss::Joint] = solver.map_or(0.0, |row| row.get(Loss::Joint.text().column));
        Some(SeriesRow {
            time: number(0)?,
            step: count(1)?,
            bodies: count(2)? as usize,
            contacts: count(3)? as usize,
            ledger: Ledger {
                kinetic: number(4)?,
                potential: number(5)?,
                stored: number(6)?,
                lost,
                work: number(rest)?,
                error: number(rest + 1)?,
                carried: Carried {
                    kinetic_in: number(rest + 7)?,
                    potential_in: number(rest + 8)?,
                    kinetic_out: number(rest + 9)?,
                    potential_out: number(rest + 10)?,
                    stored_out: number(rest + 11)?,
                },
            },
            unbalanced_force: number(rest + 2)?,
            coordination: number(rest + 3)?,
            entered: count(rest + 4)?,
            left: count(rest + 5)?,
            left_mass: number(rest + 6)?,
            cell: fields.get(rest + 12..).and_then(CellRow::parse),
            solver,
        })
    }
}

/// A few hundred rows spread evenly over a run of unknown length: when too many have been kept, every second one is
/// dropped and from then on only half as many steps are looked at.
#[derive(Clone, Debug)]
pub struct SeriesLog {
    rows: Vec<SeriesRow>,
    stride: u64,
}

impl Default for SeriesLog {
    fn default() -> Self {
        SeriesLog { rows: Vec::new(), stride: 1 }
    }
}

impl SeriesLog {
    /// At most this many rows are kept.
    pub const MOST: usize = 800;

    /// For a run of so many steps, of which a half to all of the most rows will be kept. To look at every step at first would
    /// cost a large world more than the steps themselves.
    pub fn of_steps(steps: u64) -> Self {
        let most = Self::MOST as u64;
        SeriesLog { rows: Vec::new(), stride: (steps / most + 1).next_power_of_two() }
    }

    /// Whether a row is kept after this step.
    pub fn due(&self, step: u64) -> bool {
        step.is_multiple_of(self.stride)
    }

    /// Looks at the world after a step, and keeps a row if it is its turn or the `last` step.
    pub fn offer(&mut self, world: &World, last: bool) {
        let due = last || self.due(world.steps());
        if due && self.rows.last().is_none_or(|row| row.step < world.steps()) {
            self.keep(SeriesRow::of(world));
        }
    }

    /// Writes the rows kept so far into marks.
    pub fn mark(&self, marks: &mut Marks) {
        marks.log_stride = self.stride;
        let line = |row: &SeriesRow| String::from_utf8_lossy(&row.line()).trim_end().to_owned();
        marks.log = self.rows.iter().map(line).collect();
    }

    /// The log as it was when it was marked.
    pub fn go_on(marks: &Marks) -> io::Result<Self> {
        let row = |line: &String| SeriesRow::parse(line);
        let rows: Option<Vec<SeriesRow>> = marks.log.iter().map(row).collect();
        match rows {
            Some(rows) if !rows.is_empty() && marks.log_stride > 0 => Ok(SeriesLog { rows, stride: marks.log_stride }),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the points of plots in the checkpoint are damaged")),
        }
    }

    /// A log read back from `series.csv`, thinned to the same size, so that a report can be made again.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| at(path, error))?;
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, header)| !header.starts_with(&columns())) {
            let what = format!("expected a table that begins with the columns {}", columns());
            return Err(at(path, io::Error::new(io::ErrorKind::InvalidData, what)));
        }
        let mut log = SeriesLog::default();
        let count = text.lines().count() - 1;
        let stride = count.div_ceil(Self::MOST).max(1);
        for (number, line) in lines {
            let row = SeriesRow::parse(line).ok_or_else(|| {
                let what = format!("line {}: expected {} numbers", number + 1, columns().split(',').count());
                at(path, io::Error::new(io::ErrorKind::InvalidData, what))
            })?;
            if number % stride == 1 % stride || number == count {
                log.rows.push(row);
            }
        }
        Ok(log)
    }

    /// The rows kept, by time.
    pub fn rows(&self) -> &[SeriesRow] {
        &self.rows
    }

    fn keep(&mut self, row: SeriesRow) {
        if self.rows.len() == Self::MOST {
            self.stride *= 2;
            self.rows.retain(|row| row.step.is_multiple_of(self.stride));
        }
        self.rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::write_whole;
    use super::super::testing::test_folder;
    use super::*;

    fn row(step: u64) -> SeriesRow {
        let ledger = Ledger { kinetic: 0.1 * step as f64, error: -1e-17, ..Default::default() };
        SeriesRow { time: 1e-3 * step as f64, step, bodies: 3, contacts: 2, ledger, ..Default::default() }
    }

    #[test]
    fn a_log_stays_small_and_even() {
        let mut log = SeriesLog::default();
        for step in 0..100_000 {
            if u64::is_multiple_of(step, log.stride) {
                log.keep(row(step));
            }
        }
        let rows = log.rows();
        assert!(rows.len() > SeriesLog::MOST / 2 - 2 && rows.len() <= SeriesLog::MOST, "{}", rows.len());
        assert!(rows.windows(2).all(|pair| pair[1].step - pair[0].step == log.stride));
        assert_eq!(rows[0].step, 0);

        let mut marks = Marks::default();
        log.mark(&mut marks);
        let again = SeriesLog::go_on(&marks).unwrap();
        assert_eq!((again.rows(), again.stride), (log.rows(), log.stride));
        marks.log[3].push_str("x,");
        marks.log[4] = "1.0,2".into();
        assert!(SeriesLog::go_on(&marks).is_err());
    }

    #[test]
    fn what_a_cell_adds_stands_after_the_rest_and_reads_back() {
        let fields: Vec<String> = (0..cell_row::COLUMNS.len()).map(|k| format!("{}.5", k)).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let row = SeriesRow { cell: CellRow::parse(&fields), ..row(7) };
        let line = String::from_utf8(row.line()).unwrap();
        let in_cell = header(Extras { cell: true, ..Extras::default() });
        assert_eq!(line.trim_end().split(',').count(), in_cell.split(',').count());
        assert_eq!(SeriesRow::parse(&line), Some(row));
        assert_eq!(row.cell.unwrap().get("strain_xy"), 14.5);
        assert_eq!(header(Extras::default()), columns());
        // And what a solver adds, with and without a cell.
        let fields: Vec<String> = (0..solver_row::COLUMNS.len()).map(|k| format!("{}.25", k)).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        for cell in [None, row.cell] {
            let mut row = SeriesRow { solver: SolverRow::parse(&fields), cell, ..row };
            row.ledger.lost[Loss::Joint] = 0.25;
            let line = String::from_utf8(row.line()).unwrap();
            let all = header(Extras { cell: cell.is_some(), solver: true, stages: false });
            assert_eq!(line.trim_end().split(',').count(), all.split(',').count());
            assert_eq!(SeriesRow::parse(&line), Some(row));
            assert_eq!(row.solver.unwrap().get("unsolved"), 9.25);
        }
    }

    #[test]
    fn a_run_of_known_length_is_looked_at_as_often_as_it_needs() {
        for (steps, stride) in [(0, 1), (799, 1), (800, 2), (5000, 8), (1_000_000, 2048)] {
            let log = SeriesLog::of_steps(steps);
            assert_eq!(log.stride, stride, "{steps}");
            let rows = (0..=steps).filter(|&step| log.due(step)).count();
            assert!(rows <= SeriesLog::MOST && (rows >= SeriesLog::MOST / 2 || stride == 1), "{steps}: {rows}");
        }
    }

    #[test]
    fn a_table_reads_back_as_it_was() {
        let folder = test_folder("series");
        let path = folder.join("series.csv");
        let mut table = format!("{}\n", columns()).into_bytes();
        for step in 0..2001 {
            table.extend(row(step).line());
        }
        write_whole(&path, &table).unwrap();
        let log = SeriesLog::read(&path).unwrap();
        assert!(log.rows().len() <= SeriesLog::MOST, "{}", log.rows().len());
        assert_eq!(log.rows()[0], row(0));
        assert_eq!(log.rows()[1], row(3));
        assert_eq!(*log.rows().last().unwrap(), row(2000));

        write_whole(&path, format!("{}\n1.0,2,x\n", columns()).as_bytes()).unwrap();
        let error = SeriesLog::read(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

//! What a step costs where sizes differ and where spheres are few or stand in a row, beside a packing of equal spheres.
//!
//! Packings are placed at random in a periodic cell and squeezed, without friction, to one volume fraction; sizes 10:1 once
//! with all between and once with two alone. They move as a whole, so that lists are made again and again, every some forty steps;
//! the gas has random velocities besides, and loses them slowly. Masses grow with the surface, as the number of neighbours does, so that all
//! sizes bear one step. Laws are hooke with sliding resisted: cheap ones, so that what lists and detection cost shows.
//!
//! CPU time of the whole step, with lists in their share: the least of repetitions of the same two hundred steps.

use std::fmt::Write;
use std::time::Instant;

use cpu_time::ProcessTime;
use glam::{DMat3, DVec3};
use stickslip::body::Body;
use stickslip::cell::{Cell, Control, Frame};
use stickslip::math;
use stickslip::model::{Material, Model};
use stickslip::place::{self, Within};
use stickslip::random::Stream;
use stickslip::shape::Shape;
use stickslip::world::{Setup, World};

use crate::command::Page;
use crate::machine;
use crate::packing::{Friction, go_on};
use crate::table::Made;

/// Spheres, if no number is given, and at least: with fewer, the cell of the two sizes is too small for the large one.
const SPHERES: u32 = 20_000;
/// See above.
pub const FEWEST: u32 = 6000;
/// The step, steps before any is timed, and those of a repetition.
const STEP: f64 = 0.02;
const WARM_UP: u32 = 50;
const STEPS: u32 = 200;
/// The way that all make in a step, in mean radii.
const WAY: f64 = 1.0 / 400.0;
/// Volume fraction at which spheres are placed and to which they are squeezed; the strain of a squeeze, steps of relaxation after it,
/// and their length.
const START: f64 = 0.2;
const PACKED: f64 = 0.6;
const SQUEEZE: (f64, u32, f64) = (0.002, 50, 0.1);
/// Volume fraction of the gas.
const GAS: f64 = 0.01;

/// Spheres somewhere, in a cell that repeats or in none.
struct Spheres {
    radii: Vec<f64>,
    centres: Vec<DVec3>,
    width: Option<f64>,
}

/// A name, and so many spheres.
type Arrangement = (&'static str, fn(usize) -> Result<Spheres, String>);

const ARRANGEMENTS: [Arrangement; 5] = [
    ("equal", |count| packed(vec![0.5; count])),
    ("10:1, all sizes between", |count| packed(radii(count, |share| 0.1 + 0.9 * share))),
    ("10:1, two sizes", |count| packed(radii(count, |share| if share < 0.001 { 1.0 } else { 0.1 }))),
    ("gas", |count| placed(vec![0.5; count], GAS)),
    ("row", |count| Ok(row(count))),
];

/// What was measured.
struct Row {
    name: &'static str,
    spheres: usize,
    fraction: Option<f64>,
    contacts: f64,
    candidates: f64,
    steps_a_list: f64,
    /// ns per sphere and step, and the share of it that making lists took.
    cpu: f64,
    lists: f64,
    load: f64,
}

impl Row {
    fn per_contact(&self) -> f64 {
        self.cpu / self.contacts
    }
}

/// Measures all arrangements of so many spheres, each on one thread.
pub fn page(sizes: &[u32], repeats: u32, tell: &dyn Fn(&str)) -> Result<Page, String> {
    let sizes = if sizes.is_empty() { &[SPHERES] } else { sizes };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for &size in sizes {
        for (name, make) in ARRANGEMENTS {
            tell(&format!("{size} spheres: {name}"));
            let spheres = make(size as usize)?;
            rows.push(pool.install(|| measure(name, &spheres, repeats))?);
        }
    }
    let made = Made::now();
    Ok(Page { markdown: markdown(&made, &rows), csv: csv(&made, &rows), svg: None, missing: Vec::new() })
}

fn measure(name: &'static str, spheres: &Spheres, repeats: u32) -> Result<Row, String> {
    let count = spheres.radii.len();
    let speed = WAY * spheres.radii.iter().sum::<f64>() / count as f64 / STEP;
    let mut stream = Stream::named(1, "velocities");
    let mut own =
        || if name == "gas" { DVec3::new(stream.unit(), stream.unit(), stream.unit()) - 0.5 } else { DVec3::ZERO };
    let velocity = || speed * (DVec3::new(0.6, 0.0, 0.8) + 2.0 * own());
    let mut start = spheres.world(Friction::Slide, [STEP, 0.0], velocity)?;
    go_on(&mut start, WARM_UP)?;
    start.time_phases(true);
    let (mut world, mut least, mut share) = (start.clone(), f64::INFINITY, 0.0);
    for _ in 0..repeats {
        // The same steps each time: those that follow are other work.
        world.clone_from(&start);
        let (cpu, clock) = (ProcessTime::now(), Instant::now());
        go_on(&mut world, STEPS)?;
        let cpu = cpu.elapsed().as_secs_f64();
        if cpu < least {
            // Both by the clock: what else runs on the machine slows both alike.
            (least, share) = (cpu, world.phases().neighbours as f64 / clock.elapsed().as_nanos() as f64);
        }
    }
    let each = |x: usize| x as f64 / count as f64;
    Ok(Row {
        name,
        spheres: count,
        fraction: spheres.fraction(),
        contacts: each(world.contact_count()),
        candidates: each(world.candidate_count()),
        steps_a_list: f64::from(STEPS) / (world.rebuilds() - start.rebuilds()) as f64,
        cpu: least * 1e9 / (f64::from(STEPS) * count as f64),
        lists: share,
        load: machine::load().unwrap_or(f64::NAN),
    })
}

impl Spheres {
    fn world(
        &self,
        friction: Friction,
        [step, damping]: [f64; 2],
        mut velocity: impl FnMut() -> DVec3,
    ) -> Result<World, String> {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 1.0 }], step);
        model.laws.set(0, 0, friction.laws());
        model.method = stickslip::model::Explicit::default().with_local_damping(damping).into();
        model.cell = self.width.map(|width| Cell { frame: cube(width), control: Control::Fixed });
        let smallest = self.radii.iter().copied().fold(f64::INFINITY, f64::min);
        let bodies = self.radii.iter().zip(&self.centres).map(|(&radius, &centre)| Body {
            mass: Some(radius * radius / (smallest * smallest)),
            velocity: velocity(),
            ..Body::new(Shape::Sphere { radius }, 0, centre)
        });
        World::new(Setup { model, bodies: bodies.collect() }).map_err(|error| error.to_string())
    }

    fn volume(&self) -> f64 {
        self.radii.iter().map(|r| 4.0 / 3.0 * std::f64::consts::PI * r * r * r).sum()
    }

    fn fraction(&self) -> Option<f64> {
        self.width.map(|width| self.volume() / (width * width * width))
    }
}

/// Radii by a random share each.
fn radii(count: usize, radius: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut stream = Stream::named(1, "radii");
    let mut radii: Vec<f64> = (0..count).map(|_| radius(stream.unit())).collect();
    // Large ones are placed first.
    radii.sort_by(|a, b| b.total_cmp(a));
    radii
}

/// Without overlap in a cell, at this volume fraction.
fn placed(radii: Vec<f64>, fraction: f64) -> Result<Spheres, String> {
    let mut spheres = Spheres { radii, centres: Vec::new(), width: None };
    let width = math::cbrt(spheres.volume() / fraction);
    let within = Within { frame: cube(width), bounds: None };
    let mut stream = Stream::named(1, "scale");
    let centres = place::random_in_cell(&within, &spheres.radii, &mut stream);
    (spheres.centres, spheres.width) = (centres.map_err(|error| error.to_string())?, Some(width));
    Ok(spheres)
}

fn cube(width: f64) -> Frame {
    Frame { corner: DVec3::splat(-0.5 * width), ..Frame::new(DMat3::from_diagonal(DVec3::splat(width))) }
}

/// Squeezed until they touch.
fn packed(radii: Vec<f64>) -> Result<Spheres, String> {
    let mut spheres = placed(radii, START)?;
    let end = math::cbrt(spheres.volume() / PACKED);
    while let Some(width) = spheres.width.filter(|&width| width > end) {
        let factor = (1.0 - SQUEEZE.0).max(end / width);
        spheres.width = Some(width * factor);
        spheres.centres.iter_mut().for_each(|centre| *centre *= factor);
        let mut world = spheres.world(Friction::Smooth, [SQUEEZE.2, 0.5], || DVec3::ZERO)?;
        go_on(&mut world, SQUEEZE.1)?;
        spheres.centres = (0..world.sphere_count() as u32).map(|id| world.body(id).position).collect();
    }
    Ok(spheres)
}

/// One after the other, half of them touching.
fn row(count: usize) -> Spheres {
    let mut stream = Stream::named(1, "row");
    let centres = (0..count).map(|i| DVec3::new(i as f64 + 0.1 * stream.unit(), 0.0, 0.0)).collect();
    Spheres { radii: vec![0.5; count], centres, width: None }
}

fn markdown(made: &Made, rows: &[Row]) -> String {
    let mut text =
        format!("{}, {}; {}. One thread; CPU time of whole steps.\n\n", made.date, made.machine, made.version);
    text += "| spheres | arrangement | volume fraction | contacts | candidates | steps a list | ns a sphere | of it lists | ns a contact | \
             times equal, a sphere | a contact | load |\n";
    text += "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for row in rows {
        let equal = rows.iter().find(|equal| equal.spheres == row.spheres);
        let times = |of: fn(&Row) -> f64| equal.map_or(f64::NAN, |equal| of(row) / of(equal));
        let fraction = row.fraction.map_or(String::new(), |fraction| format!("{fraction:.2}"));
        let _ = writeln!(
            text,
            "| {} | {} | {fraction} | {:.3} | {:.2} | {:.0} | {:.1} | {:.1} | {:.1} | {:.2} | {:.2} | {:.2} |",
            row.spheres,
            row.name,
            row.contacts,
            row.candidates,
            row.steps_a_list,
            row.cpu,
            row.cpu * row.lists,
            row.per_contact(),
            times(|row| row.cpu),
            times(Row::per_contact),
            row.load
        );
    }
    text
}

fn csv(made: &Made, rows: &[Row]) -> String {
    let mut text = String::from("date,spheres,arrangement,contacts,candidates,steps_a_list,cpu_ns,lists_ns,load\n");
    for row in rows {
        let _ = writeln!(
            text,
            "{},{},\"{}\",{},{},{},{},{},{}",
            made.date,
            row.spheres,
            row.name,
            row.contacts,
            row.candidates,
            row.steps_a_list,
            row.cpu,
            row.cpu * row.lists,
            row.load
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrangement_moves_and_makes_lists() {
        for (name, make) in ARRANGEMENTS.into_iter().filter(|(name, _)| !name.ends_with("two sizes")) {
            let row = measure(name, &make(600).unwrap(), 1).unwrap();
            assert!(row.cpu > 0.0 && row.steps_a_list < 60.0, "{name}: {} steps", row.steps_a_list);
            assert!(row.fraction.is_none_or(|fraction| fraction < PACKED + 1e-9), "{name}");
            assert!(name == "gas" || row.contacts > 0.3, "{name}: {} contacts", row.contacts);
        }
    }
}

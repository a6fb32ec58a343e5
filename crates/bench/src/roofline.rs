//! The time that a step must take at least on this machine, by its memory and by its arithmetic, and what it does take.
//!
//! The bound is the larger of the time to move the bytes that must come from memory, the time of the multiplications and additions,
//! and that of the divisions and roots, each at the rate of a plain loop (`limits.rs`), as if they overlapped fully. The bytes
//! and operations of a step stand in `work.rs`. Small packings fit the cache: for them the bound by memory does not hold.

pub mod limits;
pub mod work;

use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use stickslip::world::World;

use crate::cache::{self, Kind};
use crate::command::Page;
use crate::machine;
use crate::packing::{Friction, go_on};
use crate::table::Made;
use limits::Limits;
use work::{OPERATIONS, Per, Traffic};

/// Contacts and candidates a sphere in the jammed packing of 10^5 spheres.
const JAMMED: Density = Density { contacts: 1.28, candidates: 2.6 };
/// Repetitions of the machine's own numbers, for each that was asked for.
const LIMIT_REPEATS: u32 = 5;
/// Steps of a repetition, and before the first.
const STEPS: u32 = 20;
const WARM_UP: u32 = 20;

/// How many pairs there are a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Density {
    /// That touch.
    pub contacts: f64,
    /// That are listed.
    pub candidates: f64,
}

impl Density {
    fn of(self, per: Per) -> f64 {
        match per {
            Per::Sphere => 1.0,
            Per::Contact => self.contacts,
            Per::Candidate => self.candidates,
        }
    }
}

/// What bounds a step: ns per sphere and step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// By memory.
    pub memory: f64,
    /// By multiplications and additions.
    pub flops: f64,
    /// By divisions and roots.
    pub divisions: f64,
}

impl Bound {
    /// Of a packing with so many pairs on a machine with these limits.
    pub fn new(limits: &Limits, density: Density) -> Self {
        let [read, written] = bytes(limits.threads, density);
        let (mut flops, mut divisions) = (0.0, 0.0);
        for phase in &OPERATIONS {
            let rate = if phase.phase == "laws" { &limits.laws } else { &limits.bodies };
            let times = density.of(phase.per);
            flops += times * phase.flops / rate.flops;
            divisions += times * (phase.divisions / rate.divisions + phase.roots / rate.roots);
        }
        // What is written was read before; the rest is only read.
        let memory = (read - written) / limits.read + 2.0 * written / limits.update;
        Bound { memory: 1e9 * memory, flops: 1e9 * flops, divisions: 1e9 * divisions }
    }

    /// The largest.
    pub fn largest(&self) -> f64 {
        self.memory.max(self.flops).max(self.divisions)
    }
}

/// Bytes read and written per sphere and step.
fn bytes(threads: usize, density: Density) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for row in work::traffic() {
        let times = if threads == 1 { row.alone } else { row.shared };
        for (sum, times) in sums.iter_mut().zip(times) {
            *sum += f64::from(times) * row.bytes * density.of(row.per);
        }
    }
    sums
}

/// A packing as it was measured.
struct Measured {
    spheres: usize,
    threads: usize,
    density: Density,
    /// ns per sphere and step, elapsed.
    time: f64,
    /// The same in CPU time of all threads: much less than threads times the elapsed time where another program had the cores.
    cpu: f64,
    load: f64,
}

/// Measures the machine, and packings of so many spheres, if any.
pub fn page(packings: &Path, spheres: &[u32], repeats: u32, tell: &dyn Fn(&str)) -> Result<Page, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let limits: Vec<Limits> = (1..=threads)
        .map(|threads| {
            tell(&format!("measuring the machine, threads: {threads}"));
            limits::measure(threads, LIMIT_REPEATS * repeats)
        })
        .collect();
    let mut measured = Vec::new();
    for &spheres in spheres {
        let packing = cache::packing(packings, Kind::Jammed, spheres as usize, tell)?;
        for limits in &limits {
            tell(&format!("stepping {spheres} spheres, threads: {}", limits.threads));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(limits.threads).build();
            let pool = pool.map_err(|error| format!("cannot start threads: {error}"))?;
            let world = || step(packing.world(Friction::All)?, limits.threads, repeats);
            measured.push(pool.install(world)?);
        }
    }
    let made = Made::now();
    Ok(Page {
        markdown: markdown(&made, &limits, &measured),
        csv: csv(&made, &limits, &measured),
        svg: None,
        missing: Vec::new(),
    })
}

fn step(mut world: World, threads: usize, repeats: u32) -> Result<Measured, String> {
    go_on(&mut world, WARM_UP)?;
    let (mut time, mut cpu) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..repeats {
        let (wall, process) = (Instant::now(), ProcessTime::now());
        go_on(&mut world, STEPS)?;
        time = time.min(wall.elapsed().as_secs_f64());
        cpu = cpu.min(process.elapsed().as_secs_f64());
    }
    let spheres = world.sphere_count();
    let each = |count: usize| count as f64 / spheres as f64;
    let density = Density { contacts: each(world.contact_count()), candidates: each(world.candidate_count()) };
    let [time, cpu] = [time, cpu].map(|time| 1e9 * time / (f64::from(STEPS) * spheres as f64));
    Ok(Measured { spheres, threads, density, time, cpu, load: machine::load().unwrap_or(f64::NAN) })
}

fn markdown(made: &Made, limits: &[Limits], measured: &[Measured]) -> String {
    let Made { date, machine, version } = made;
    let mut text = format!(
        "# What bounds a step\n\n{date}, {machine}; {version}; load {:.2}.\n\n",
        machine::load().unwrap_or(f64::NAN)
    );
    text += &machine_table(limits);
    text += "\nBytes from memory in a step, read + written:\n\n";
    text += "| phase | what | a | bytes | one thread | several threads | why |\n| --- | --- | --- | ---: | --- | --- | --- |\n";
    for Traffic { phase, what, per, bytes, alone, shared, why } in work::traffic() {
        let times = |[read, written]: [u32; 2]| format!("{read} + {written}");
        let (alone, shared) = (times(alone), times(shared));
        text += &format!("| {phase} | {what} | {} | {bytes} | {alone} | {shared} | {why} |\n", per.name());
    }
    text +=
        "\nOperations on f64 in a step:\n\n| phase | a | x and + | / | roots |\n| --- | --- | ---: | ---: | ---: |\n";
    for phase in &OPERATIONS {
        let name = phase.per.name();
        text += &format!("| {} | {name} | {} | {} | {} |\n", phase.phase, phase.flops, phase.divisions, phase.roots);
    }
    text += &format!(
        "\nThe least time of a step, in ns per sphere, with {} contacts and {} candidates a sphere, or those of the packing that was \
         measured:\n\n",
        JAMMED.contacts, JAMMED.candidates
    );
    text += "| spheres | threads | contacts | bytes read + written | memory | x and + | / and roots | bound | measured | \
             CPU | per cent of the bound | load |\n";
    text += &format!("|{}\n", " ---: |".repeat(12));
    limits.iter().for_each(|limits| text += &bound_line(limits, None));
    for one in measured {
        let limits = limits.iter().find(|limits| limits.threads == one.threads);
        limits.into_iter().for_each(|limits| text += &bound_line(limits, Some(one)));
    }
    text
}

/// What the machine can do: a row for bandwidths, and one for the arithmetic of each phase.
fn machine_table(limits: &[Limits]) -> String {
    let mut text = String::from(
        "| threads | read (GB/s) | read and write (GB/s) | vectors | x and + (G/s) | / (G/s) | roots (G/s) |\n\
         | ---: | ---: | ---: | --- | ---: | ---: | ---: |\n",
    );
    for limits in limits {
        for (phase, rates) in [("laws", &limits.laws), ("bodies", &limits.bodies)] {
            text += &format!(
                "| {} | {:.1} | {:.1} | {phase}: {} | {:.1} | {:.2} | {:.2} |\n",
                limits.threads,
                1e-9 * limits.read,
                1e-9 * limits.update,
                rates.width.name(),
                1e-9 * rates.flops,
                1e-9 * rates.divisions,
                1e-9 * rates.roots
            );
        }
    }
    text
}

fn bound_line(limits: &Limits, measured: Option<&Measured>) -> String {
    let density = measured.map_or(JAMMED, |one| one.density);
    let bound = Bound::new(limits, density);
    let [read, written] = bytes(limits.threads, density);
    let (spheres, rest) = match measured {
        None => ("any".into(), "| | | | |".into()),
        Some(Measured { spheres, time, cpu, load, .. }) => {
            let part = 100.0 * bound.largest() / time;
            (spheres.to_string(), format!("| {time:.1} | {cpu:.1} | {part:.0} | {load:.2} |"))
        }
    };
    format!(
        "| {spheres} | {} | {:.2} | {read:.0} + {written:.0} | {:.1} | {:.1} | {:.1} | {:.1} {rest}\n",
        limits.threads,
        density.contacts,
        bound.memory,
        bound.flops,
        bound.divisions,
        bound.largest()
    )
}

fn csv(made: &Made, limits: &[Limits], measured: &[Measured]) -> String {
    let mut text = String::from(
        "date,machine,version,spheres,threads,contacts,candidates,read_bytes_per_s,update_bytes_per_s,flops_per_s,divisions_per_s,\
         roots_per_s,memory_ns,flops_ns,divisions_ns,measured_ns,cpu_ns,load\n",
    );
    for one in measured {
        let Some(limits) = limits.iter().find(|limits| limits.threads == one.threads) else { continue };
        let bound = Bound::new(limits, one.density);
        let Made { date, machine, version } = made;
        text += &format!("\"{date}\",\"{machine}\",\"{version}\",{},{},", one.spheres, one.threads);
        let numbers = [
            one.density.contacts,
            one.density.candidates,
            limits.read,
            limits.update,
            limits.laws.flops,
            limits.laws.divisions,
            limits.laws.roots,
            bound.memory,
            bound.flops,
            bound.divisions,
            one.time,
            one.cpu,
            one.load,
        ];
        text += &numbers.map(|x| x.to_string()).join(",");
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use stickslip::law::kernel::Simd;

    use super::*;
    use limits::Arithmetic;

    fn limits(threads: usize) -> Limits {
        let rates = Arithmetic { width: Simd::Avx2, flops: 20e9, divisions: 1e9, roots: 0.5e9 };
        Limits { threads, read: 10e9, update: 8e9, laws: rates, bodies: rates }
    }

    #[test]
    fn the_bound_is_bytes_over_bandwidth_and_operations_over_rates() {
        let none = Density { contacts: 0.0, candidates: 0.0 };
        // Movers, loads and orientations are read and written; where lists were made is read.
        assert_eq!(bytes(1, none), [248.0, 224.0]);
        // Movers and loads are read once more.
        assert_eq!(bytes(2, none), [440.0, 224.0]);
        let bound = Bound::new(&limits(1), none);
        assert!((bound.memory - (24.0 / 10.0 + 448.0 / 8.0)).abs() < 1e-9, "{bound:?}");
        assert!((bound.flops - 115.0 / 20.0).abs() < 1e-9 && bound.divisions == 0.0, "{bound:?}");
        let bound = Bound::new(&limits(1), Density { contacts: 10.0, candidates: 0.0 });
        assert!((bound.divisions - 10.0 * (11.0 + 6.0 / 0.5)).abs() < 1e-9, "{bound:?}");
        assert!((bound.flops - (5300.0 + 115.0) / 20.0).abs() < 1e-9 && bound.largest() == bound.flops, "{bound:?}");
    }

    #[test]
    fn every_table_has_as_many_columns_as_its_head() {
        let made = Made { date: "2026-01-01".into(), machine: "CPU".into(), version: "stickslip 1".into() };
        let one = Measured { spheres: 1000, threads: 2, density: JAMMED, time: 100.0, cpu: 190.0, load: 0.5 };
        let page = markdown(&made, &[limits(1), limits(2)], std::slice::from_ref(&one));
        for table in page.split("\n\n").filter(|part| part.starts_with('|')) {
            let columns: Vec<usize> = table.lines().map(|line| line.matches('|').count()).collect();
            assert!(columns.len() > 2 && columns.iter().all(|&count| count == columns[0]), "{table}");
        }
        let largest = Bound::new(&limits(2), JAMMED).largest();
        assert!(page.contains(&format!("| {largest:.1} | 100.0 | 190.0 | {largest:.0} | 0.50 |")), "{page}");
        let csv = csv(&made, &[limits(1), limits(2)], &[one]);
        let fields: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(fields, [18, 18]);
    }

    #[test]
    fn a_packing_is_stepped_and_counted() {
        let (packing, _) = crate::packing::Packing::jammed(100).unwrap();
        let measured = step(packing.world(Friction::All).unwrap(), 1, 1).unwrap();
        assert!(measured.time > 0.0 && measured.cpu > 0.0 && measured.density.contacts > 1.0, "{:?}", measured.density);
        assert!(measured.density.candidates >= measured.density.contacts);
    }
}

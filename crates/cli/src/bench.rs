//! `stickslip bench`: how fast this machine steps a jammed packing, by phase, and what rolling and spinning cost.
//!
//! Every number is the least over several repetitions, after a warm-up; other programs on the machine can only make it
//! larger. CPU time is that of the whole process, so on several threads it counts threads that wait, too. Phases are
//! timed in repetitions of their own, since looking at the clock costs time, too. A packing at rest hardly ever makes its neighbour
//! lists anew: what making them once costs is a column of its own.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use serde_json::{Value, json};
use stickslip::World;
use stickslip::world::Phases;
use stickslip_bench::packing::{Friction, Packing, go_on};

use crate::{Failure, Outcome, say};

/// Repetitions, steps of each, and steps before the first.
const REPEATS: u32 = 30;
const STEPS: u32 = 20;
const WARM_UP: u32 = 20;
/// The same where frictions are compared.
const RATIO_STEPS: u32 = 20;
const RATIO_REPEATS: u32 = 8;
const RATIO_WARM_UP: u32 = 10;

/// Time a jammed packing with sliding, rolling and spinning resisted, on one and on all threads.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip bench --spheres 10000 --threads 1")]
pub struct Bench {
    /// Sizes of the packing.
    #[arg(long, value_name = "N", num_args = 1.., default_values_t = [10_000, 100_000])]
    #[arg(value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    spheres: Vec<u32>,
    /// Numbers of threads; 1 and all that there are if absent.
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Bench {
    /// Makes the packings, times them, prints the table.
    pub fn execute(&self) -> Outcome {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let mut threads: Vec<usize> = self.threads.iter().map(|&n| usize::from(n)).collect();
        if threads.is_empty() {
            threads = if all > 1 { vec![1, all] } else { vec![1] };
        }
        let cpu = stickslip::law::kernel::Simd::widest().name();
        let machine = format!("{all} threads, {cpu}, {}", std::env::consts::ARCH);
        let mut rows = Vec::new();
        for &spheres in &self.spheres {
            let (made, (packing, settled)) = timed(|| on(all, || Packing::jammed(spheres as usize)))?;
            crate::tell(&format!(
                "{spheres} spheres at volume fraction {:.3}, made in {made:.1} s",
                packing.volume_fraction()
            ));
            for &count in &threads {
                rows.push(on(count, || Row::measure(&packing, &settled, count))?);
            }
        }
        let report = if self.json { in_json(&machine, &rows) } else { table(&machine, &rows) };
        say(&report)
    }
}

/// Runs in a pool of so many threads.
fn on<T: Send>(threads: usize, work: impl FnOnce() -> Result<T, String> + Send) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Failure::Run(format!("cannot start threads: {error}")))?;
    pool.install(work).map_err(Failure::Run)
}

fn timed<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<(f64, T), Failure> {
    let start = Instant::now();
    let made = work()?;
    Ok((start.elapsed().as_secs_f64(), made))
}

/// What was measured for one packing on so many threads. Times are in ns per sphere and step.
struct Row {
    spheres: usize,
    threads: usize,
    wall: f64,
    cpu: f64,
    phases: [(&'static str, f64); 5],
    /// Making neighbour lists once (ns per sphere).
    lists: f64,
    contacts: f64,
    candidates: f64,
    /// Translational kinetic energy of a sphere, in units of stiffness times diameter squared: how far from rest it is.
    kinetic: f64,
    /// Mean net force on a sphere over the mean normal force: how far from balance it is.
    unbalanced: f64,
    bytes_per_body: f64,
    bytes_per_contact: f64,
    /// What all frictions cost over sliding alone: the laws, and the whole step, per contact.
    laws_ratio: f64,
    step_ratio: f64,
}

impl Row {
    fn measure(packing: &Packing, settled: &World, threads: usize) -> Result<Self, String> {
        let mut world = settled.clone();
        let spheres = world.sphere_count();
        let per_sphere = |x: f64| x / spheres as f64;
        // A new world has made its lists once.
        let lists = per_sphere(packing.world(Friction::All)?.phases().neighbours as f64);
        go_on(&mut world, WARM_UP)?;
        let (mut wall, mut cpu) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..REPEATS {
            let time = repetition(&mut world, STEPS)?;
            wall = wall.min(per_step(time.wall, spheres));
            cpu = cpu.min(per_step(time.cpu, spheres));
        }
        let (body_bytes, contact_bytes) = world.bytes();
        let contacts = world.contact_count();
        let (laws_ratio, step_ratio) = friction_ratios(packing)?;
        Ok(Row {
            spheres,
            threads,
            wall,
            cpu,
            phases: phases(&mut world)?,
            lists,
            contacts: per_sphere(contacts as f64),
            candidates: per_sphere(world.candidate_count() as f64),
            kinetic: per_sphere(world.translational_energy().0),
            unbalanced: world.unbalanced_force(),
            bytes_per_body: body_bytes as f64 / world.body_count() as f64,
            bytes_per_contact: contact_bytes as f64 / contacts.max(1) as f64,
            laws_ratio,
            step_ratio,
        })
    }

    fn particle_steps(&self) -> f64 {
        1e9 / self.wall
    }

    fn contact_updates(&self) -> f64 {
        self.particle_steps() * self.contacts
    }
}

/// Time of one repetition.
struct Spent {
    wall: Duration,
    cpu: Duration,
}

fn repetition(world: &mut World, steps: u32) -> Result<Spent, String> {
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    go_on(world, steps)?;
    Ok(Spent { wall: wall.elapsed(), cpu: cpu.elapsed() })
}

/// Nanoseconds of a repetition per sphere and step.
fn per_step(time: Duration, spheres: usize) -> f64 {
    time.as_nanos() as f64 / (f64::from(STEPS) * spheres as f64)
}

/// Nanoseconds per sphere and step by phase, summed over threads: the repetition with the least sum.
fn phases(world: &mut World) -> Result<[(&'static str, f64); 5], String> {
    let mut least = named(&Phases::default()).map(|(name, _)| (name, f64::INFINITY));
    let sum = |phases: &[(&str, f64); 5]| phases.iter().map(|(_, time)| time).sum::<f64>();
    for _ in 0..REPEATS {
        world.time_phases(true);
        go_on(world, STEPS)?;
        let spheres = world.sphere_count() as f64;
        let now = named(&world.phases()).map(|(name, time)| (name, time / (f64::from(STEPS) * spheres)));
        if sum(&now) < sum(&least) {
            least = now;
        }
    }
    world.time_phases(false);
    Ok(least)
}

fn named(phases: &Phases) -> [(&'static str, f64); 5] {
    [
        ("neighbours", phases.neighbours as f64),
        ("detection", phases.detection as f64),
        ("laws", phases.laws as f64),
        ("gather", phases.gather as f64),
        ("integration", phases.integration as f64),
    ]
}

/// Cost of a contact with all frictions over one with sliding alone, of the laws and of the whole step. The two take
/// turns on the same packing, so that what disturbs one disturbs the other; and each time from its start, since sliding
/// friction alone does not hold it.
fn friction_ratios(packing: &Packing) -> Result<(f64, f64), String> {
    let mut least = [[f64::INFINITY; 2]; 2];
    for _ in 0..RATIO_REPEATS {
        for (friction, least) in [Friction::Slide, Friction::All].into_iter().zip(&mut least) {
            let mut world = packing.world(friction)?;
            go_on(&mut world, RATIO_WARM_UP)?;
            world.time_phases(true);
            let cpu = repetition(&mut world, RATIO_STEPS)?.cpu.as_nanos() as f64;
            let contacts = world.contact_count().max(1) as f64;
            least[0] = least[0].min(world.phases().laws as f64 / contacts);
            least[1] = least[1].min(cpu / contacts);
        }
    }
    Ok((least[1][0] / least[0][0], least[1][1] / least[0][1]))
}

fn table(machine: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "Jammed spheres at rest, sliding, rolling and spinning resisted (spring-slider), on: {machine}\n\
         {STEPS} steps, the least of {REPEATS} repetitions; ns are per sphere and step\n\n"
    );
    let mut line = |label: &str, value: &dyn Fn(&Row) -> String| {
        text += &format!("{label:<34}");
        rows.iter().for_each(|row| text += &format!("{:>12}", value(row)));
        text.push('\n');
    };
    line("spheres", &|row| row.spheres.to_string());
    line("threads", &|row| row.threads.to_string());
    line("particle-steps/s (million)", &|row| format!("{:.2}", row.particle_steps() / 1e6));
    line("contact updates/s (million)", &|row| format!("{:.2}", row.contact_updates() / 1e6));
    line("wall (ns)", &|row| format!("{:.1}", row.wall));
    line("CPU (ns)", &|row| format!("{:.1}", row.cpu));
    for phase in 0..5 {
        let name = named(&Phases::default())[phase].0;
        line(&format!("  {name} (ns, all threads)"), &|row| format!("{:.1}", row.phases[phase].1));
    }
    line("making lists once (ns a sphere)", &|row| format!("{:.0}", row.lists));
    line("contacts a sphere", &|row| format!("{:.3}", row.contacts));
    line("candidates a sphere", &|row| format!("{:.2}", row.candidates));
    line("kinetic energy a sphere (k d^2)", &|row| format!("{:.1e}", row.kinetic));
    line("net force over normal force", &|row| format!("{:.1e}", row.unbalanced));
    line("bytes a body (with lists)", &|row| format!("{:.0}", row.bytes_per_body));
    line("bytes a contact", &|row| format!("{:.0}", row.bytes_per_contact));
    line("all frictions/sliding: laws", &|row| format!("{:.3}", row.laws_ratio));
    line("all frictions/sliding: whole step", &|row| format!("{:.3}", row.step_ratio));
    text
}

fn in_json(machine: &str, rows: &[Row]) -> String {
    let row = |row: &Row| -> Value {
        let phases: serde_json::Map<String, Value> =
            row.phases.iter().map(|(name, time)| ((*name).to_owned(), json!(time))).collect();
        json!({
            "spheres": row.spheres,
            "threads": row.threads,
            "particle_steps_per_second": row.particle_steps(),
            "contact_updates_per_second": row.contact_updates(),
            "wall_ns": row.wall,
            "cpu_ns": row.cpu,
            "phases_ns": phases,
            "making_lists_ns": row.lists,
            "contacts_per_sphere": row.contacts,
            "candidates_per_sphere": row.candidates,
            "kinetic_energy_per_sphere": row.kinetic,
            "net_force_over_normal_force": row.unbalanced,
            "bytes_per_body": row.bytes_per_body,
            "bytes_per_contact": row.bytes_per_contact,
            "all_frictions_to_sliding_laws": row.laws_ratio,
            "all_frictions_to_sliding_step": row.step_ratio,
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    format!("{:#}\n", json!({ "machine": machine, "rows": rows }))
}

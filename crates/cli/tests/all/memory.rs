//! Memory of a run stays flat: what it needs is there after its first part, whatever it writes later on.
//!
//! The most memory (resident) in the rest of the run, checkpoints being written included, may exceed that of the first part
//! by
//! - `FIXED`: rows that the report will show, at most 800 of a few hundred bytes, and the buffers of records;
//! - `BYTES_PER_CONTACT` for each contact that there are more;
//! - `BYTES_PER_SPHERE` where several threads run: which of them allocates what is left to chance, and so is what the
//!   allocator can fit into the holes that earlier lists have left. On one thread it repeats, but the first part must be
//!   long enough for the lists to reach their largest sizes.
#![cfg(target_os = "linux")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::broken_off::{Running, newest_checkpoint};
use crate::common::{Folder, err};

/// Of the report (24 numbers a row, and as much again while rows are thinned out) and of buffers (256 KiB a table).
const FIXED: u64 = 2 << 20;
/// 64 of memory for slide, roll and spin, a place in a block, two ids in two lists; capacities may be twice what is used.
const BYTES_PER_CONTACT: u64 = 400;
/// Twice what the contact loop reads of a body: an old and a new column while bodies are put in order.
const BYTES_PER_SPHERE: u64 = 256;

/// What is run: a cube of spheres for so many steps.
struct Block {
    /// Spheres along an edge.
    side: u64,
    steps: u64,
    /// Steps between two checkpoints, which also tell how far the run is.
    checkpoint_every: u64,
    /// How fast all of it moves at the start (m/s).
    speed: f64,
    threads: u64,
    /// Where its first part ends, in steps.
    first_part: u64,
    /// Distance of neighbours over their diameter.
    spacing: f64,
}

/// Spheres on a lattice that touch their neighbours all around from the start, and move down on the floor of a box so fast
/// that candidate lists are made anew again and again: each time that a sphere has moved by an eighth of its radius.
fn scene(block: &Block) -> String {
    let Block { side, steps, speed, .. } = *block;
    let (step, radius) = (2e-5, 0.005);
    let spacing = 2.0 * radius * block.spacing;
    let length = side as f64 * spacing;
    let (first, jitter) = (0.5 * spacing, 0.0005 * radius);
    let walls = [
        ([0, 0, 1], [0.0; 3]),
        ([1, 0, 0], [0.0; 3]),
        ([-1, 0, 0], [length, 0.0, 0.0]),
        ([0, 1, 0], [0.0; 3]),
        ([0, -1, 0], [0.0, length, 0.0]),
    ];
    let walls = walls.map(|(normal, position)| {
        format!(
            "[[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"plane\", normal = {normal:?} }}\n\
             position = {position:?}\nmotion = \"fixed\"\n"
        )
    });
    format!(
        "gravity = [0.0, 0.0, -9.81]\n[time]\nend = {}\nstep = {step}\n[material.grain]\ndensity = 2500.0\n\
         [[contact]]\nbetween = [\"grain\", \"grain\"]\n\
         normal = {{ law = \"hooke\", stiffness = 1e4, restitution = 0.5 }}\n\
         slide = {{ law = \"spring-slider\", stiffness = 3e3, damping_ratio = 0.3, mu = 0.5 }}\n\
         roll = {{ law = \"spring-slider\", stiffness = 1e3, damping_ratio = 0.3, mu = 0.2 }}\n\
         spin = {{ law = \"spring-slider\", stiffness = 0.01, damping_ratio = 0.3, mu = 0.2 }}\n{}\
         [[grains]]\nmaterial = \"grain\"\ncount = {}\nradius = {radius}\n\
         velocity = [0.0, 0.0, {}]\nplace = {{ kind = \"lattice\", from = [{first}, {first}, {first}], to = [{length}, {length}, {length}], \
         spacing = {spacing}, jitter = {jitter} }}\n\
         [[record]]\nwhat = \"series\"\nevery = {}\n[[record]]\nwhat = \"checkpoint\"\nevery = {}\n",
        steps as f64 * step,
        walls.concat(),
        side * side * side,
        -speed,
        10.0 * step,
        block.checkpoint_every as f64 * step,
    )
}

/// The most memory (bytes) that a process has had so far, as the system counts it: no peak is missed between two looks.
fn peak(id: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The most memory up to each checkpoint but one, with the step of the one before it.
fn watch(mut running: Running, run: &Path, pause: Duration) -> Vec<(u64, u64)> {
    let mut most: Vec<(u64, u64)> = Vec::new();
    let id = running.id();
    while !running.is_over() {
        std::thread::sleep(pause);
        let Some(bytes) = peak(id) else { continue };
        let step = newest_checkpoint(run).map_or(0, |(step, _)| step);
        match most.last_mut() {
            Some(last) if last.0 == step => last.1 = bytes,
            _ => most.push((step, bytes)),
        }
    }
    let output = running.end();
    assert!(output.status.success(), "{}", err(&output));
    most
}

/// Contacts of a run by step, from its series.
fn contacts(run: &Path) -> Vec<(u64, u64)> {
    let text = fs::read_to_string(run.join("series.csv")).unwrap();
    let fields = |line: &str| -> Option<(u64, u64)> {
        let mut fields = line.split(',').skip(1);
        let step = fields.next()?.parse().ok()?;
        Some((step, fields.nth(1)?.parse().ok()?))
    };
    text.lines().skip(1).filter_map(fields).collect()
}

/// Runs it and compares the most memory at the end of the first part with that at the last step.
fn stays_flat(name: &str, program: PathBuf, block: &Block, pause: Duration) {
    let folder = Folder::new(name);
    folder.file("block.toml", &scene(block));
    let mut start = Command::new(program);
    start.current_dir(folder.path()).args(["run", "block.toml", "--out", "run", "--quiet"]);
    start.args(["--threads", &block.threads.to_string()]);
    let run = folder.path().join("run");
    let clock = Instant::now();
    let seen = watch(Running::spawn(start), &run, pause);
    let contacts = contacts(&run);
    let spheres = block.side * block.side * block.side;
    println!("{spheres} spheres, {} steps, {:.0} s", block.steps, clock.elapsed().as_secs_f64());
    for (step, bytes) in &seen {
        let touching = contacts.iter().rfind(|(at, _)| at <= step).map_or(0, |(_, count)| *count);
        let (megabytes, each) = (*bytes as f64 * 1e-6, bytes / spheres);
        println!(
            "{megabytes:.1} MB up to the checkpoint after step {step}: {each} bytes a sphere, {touching} contacts"
        );
    }
    // After the last checkpoint on the way come the last one and the picture, which are not what is asked about here.
    let first_part = 0..block.first_part;
    let rest = block.first_part..block.steps - block.checkpoint_every;
    let most = |of: &[(u64, u64)], steps: &Range<u64>| {
        of.iter().filter(|(step, _)| steps.contains(step)).map(|(_, number)| *number).max().unwrap()
    };
    let [before, after] = [&first_part, &rest].map(|steps| most(&seen, steps));
    let [fewer, more] = [&first_part, &rest].map(|steps| most(&contacts, steps));
    let by_chance = if block.threads > 1 { spheres * BYTES_PER_SPHERE } else { 0 };
    let allowed = FIXED + more.saturating_sub(fewer) * BYTES_PER_CONTACT + by_chance;
    let grown = after as f64 - before as f64;
    println!("grew by {:.2} MB of {:.2} allowed", grown * 1e-6, allowed as f64 * 1e-6);
    assert!(after <= before + allowed, "memory grew from {before} to {after} bytes, {allowed} more are allowed");
}

#[test]
fn memory_stays_flat() {
    // Up to about step 270 the lists reach their largest sizes.
    let block =
        Block { side: 27, steps: 600, checkpoint_every: 30, speed: 2.0, threads: 1, first_part: 300, spacing: 0.9995 };
    stays_flat("memory", env!("CARGO_BIN_EXE_stickslip").into(), &block, Duration::from_millis(5));
}

/// What a sphere and its contacts may cost in a run that steps and writes checkpoints: the aim of docs/speed.md. Seen on 2026-11-18: 577 with
/// 1.33 contacts a sphere, 623 with 1.5.
const BYTES_A_SPHERE: f64 = 600.0;

/// Scenes, records and checkpoints once kept some 3300 bytes a sphere.
#[test]
fn a_sphere_takes_few_bytes() {
    // Spheres that nearly touch: by chance 1.33 contacts a sphere, as in a jammed packing.
    let peak = |side: u64| {
        let block =
            Block { side, steps: 40, checkpoint_every: 10, speed: 0.0, threads: 1, first_part: 0, spacing: 1.00007 };
        let folder = Folder::new(&format!("memory-{side}"));
        folder.file("block.toml", &scene(&block));
        let mut start = Command::new(env!("CARGO_BIN_EXE_stickslip"));
        start.current_dir(folder.path()).args(["run", "block.toml", "--out", "run", "--quiet", "--threads", "1"]);
        let run = folder.path().join("run");
        let seen = watch(Running::spawn(start), &run, Duration::from_millis(2));
        let touching = contacts(&run).iter().map(|(_, count)| *count).max().unwrap();
        // After the checkpoint at step 30 come the last one and the picture.
        let bytes = seen.iter().filter(|(step, _)| *step < 30).map(|(_, bytes)| *bytes).max().unwrap();
        println!("{} spheres, {touching} contacts at most: {:.1} MB", side.pow(3), bytes as f64 * 1e-6);
        assert!(touching > side.pow(3), "{touching} contacts");
        (side.pow(3) as f64, bytes as f64)
    };
    // What is needed once (buffers that compress checkpoints: 10 MB) is in both.
    let [few, many] = [40, 62].map(peak);
    let each = (many.1 - few.1) / (many.0 - few.0);
    println!("{each:.0} bytes a sphere");
    assert!(each < BYTES_A_SPHERE, "{each:.0} bytes a sphere, {BYTES_A_SPHERE} are allowed");
}

#[test]
#[ignore = "a million spheres take ten minutes to half an hour, 4.3 GB of memory and 1 GB of disk"]
fn memory_of_a_million_spheres_stays_flat() {
    // The release build if there is one: the other takes three times as long.
    let own = PathBuf::from(env!("CARGO_BIN_EXE_stickslip"));
    let release = own.parent().and_then(Path::parent).map(|target| target.join("release/stickslip"));
    let program = release.filter(|path| path.is_file()).unwrap_or(own);
    println!("with {}", program.display());
    let block = Block {
        side: 100,
        steps: 2000,
        checkpoint_every: 200,
        speed: 0.5,
        threads: 2,
        first_part: 400,
        spacing: 0.9995,
    };
    stays_flat("memory-million", program, &block, Duration::from_millis(200));
}

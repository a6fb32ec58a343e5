//! One contest: the same spheres at the same places, the nearest equal laws, ours and a peer in turns.
//!
//! Both begin with the packing at rest and nothing remembered, since no program takes over another's memory of contacts,
//! and both are warmed up by the same steps. A jammed packing that has lost its memory gives way within some hundred steps,
//! so repetitions are short, and both sides do the same steps of the same motion: their contacts stay as many.
//!
//! CPU time is that of stepping alone, taken within the running programs: from the kernel's account of the peer's processes
//! between two answers, and of this process. The alternative, whole processes with more and with fewer steps and the
//! difference of their times, would be as even, but the difference of two long starts drowns a short repetition. A process that waits for another
//! by looking again and again counts, as it does for a user. The least of the repetitions is kept; other work on the machine
//! can only make it larger. The peer's setting (skin and the like) is the one that was the fastest in a repetition before; for the largest packings, in smaller ones.

use std::path::Path;
use std::time::Instant;

use cpu_time::ProcessTime;
use stickslip::World;

use crate::machine;
use crate::packing::{Friction, Packing, go_on};
use crate::peers::{Entry, Peer, Setting, Told};
use crate::running::Task;

/// Steps before any is timed, and the step: that of the packings.
const WARM_UP: u64 = 20;
const STEP: f64 = 0.02;
/// Above so many spheres settings are not tried again.
const MANY: usize = 400_000;
/// The packing's file in the working folder.
const DATA: &str = "spheres.data";

/// What is measured.
pub struct Contest<'a> {
    /// The other.
    pub peer: &'a dyn Peer,
    /// The packing; it is written for the peer once.
    pub packing: &'a Packing,
    /// Which motions are resisted.
    pub friction: Friction,
    /// Threads of ours, and processes or threads of the peer.
    pub cores: usize,
    /// Repetitions.
    pub repeats: u32,
    /// Where the peer's files go.
    pub folder: &'a Path,
    /// Rows of smaller packings.
    pub before: &'a [Row],
}

/// One side of a row. Times are in ns per sphere and step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// CPU time of all threads or processes.
    pub cpu: f64,
    /// Elapsed time.
    pub wall: f64,
    /// Touching contacts a sphere, with walls, each counted once.
    pub contacts: f64,
    /// Listed pairs a sphere.
    pub listed: f64,
    /// Translational kinetic energy a sphere after the last step, in units of stiffness times diameter squared.
    pub kinetic: f64,
}

impl Side {
    /// CPU time per contact and step (ns).
    pub fn per_contact(&self) -> f64 {
        self.cpu / self.contacts
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which motions are resisted.
    pub friction: Friction,
    /// The peer's law.
    pub law: &'static str,
    /// Spheres.
    pub spheres: usize,
    /// Cores.
    pub cores: usize,
    /// Steps of a repetition.
    pub steps: u64,
    /// Ours.
    pub ours: Side,
    /// The peer's.
    pub theirs: Side,
    /// The peer's fastest setting.
    pub setting: Setting,
    /// Load average when it was over.
    pub load: f64,
    /// The peer's version.
    pub version: String,
}

impl Row {
    /// Their CPU time over ours, per sphere and step.
    pub fn ratio(&self) -> f64 {
        self.theirs.cpu / self.ours.cpu
    }

    /// Their CPU time over ours, per contact and step.
    pub fn contact_ratio(&self) -> f64 {
        self.theirs.per_contact() / self.ours.per_contact()
    }
}

/// Steps of a repetition: fewer for larger packings, and few enough that a jammed one holds through all of them.
fn steps(spheres: usize) -> u64 {
    (4_000_000 / spheres.max(1) as u64).clamp(10, 40)
}

impl Contest<'_> {
    /// One row for each law of the peer. `tell` is called with what goes on.
    pub fn run(&self, tell: &dyn Fn(&str)) -> Result<Vec<Row>, String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.cores).build();
        let pool = pool.map_err(|error| format!("cannot start threads: {error}"))?;
        let entries = self.peer.entries(self.friction, self.cores);
        entries.iter().map(|entry| self.against(entry, &pool, tell)).collect()
    }

    fn against(&self, entry: &Entry, pool: &rayon::ThreadPool, tell: &dyn Fn(&str)) -> Result<Row, String> {
        let spheres = self.packing.centres.len();
        let steps = steps(spheres);
        let setting = self.fastest(entry, steps)?;
        let task = self.task(entry.law, setting);
        let mut world = self.our_world(pool)?;
        let mut peer = self.peer.start(&task)?;
        let (mut our_least, mut their_least) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
        let per_step = |seconds: f64| seconds * 1e9 / (steps as f64 * spheres as f64);
        let keep = |least: &mut [f64; 2], (cpu, wall): (f64, f64)| {
            *least = [least[0].min(per_step(cpu)), least[1].min(per_step(wall))];
        };
        for _ in 0..self.repeats {
            keep(&mut our_least, ours(&mut world, steps, pool)?);
            keep(&mut their_least, self.peer.go_on(&mut peer, steps)?);
        }
        let load = machine::load().unwrap_or(f64::NAN);
        let told = self.peer.end(peer, &task)?;
        let each = |x: f64| x / spheres as f64;
        let ours = Side {
            cpu: our_least[0],
            wall: our_least[1],
            contacts: each(world.contact_count() as f64),
            listed: each(world.candidate_count() as f64),
            kinetic: each(world.translational_energy().0),
        };
        let Told { contacts, kinetic, listed, version } = told;
        let theirs = Side {
            cpu: their_least[0],
            wall: their_least[1],
            contacts: each(contacts),
            listed,
            kinetic: each(kinetic),
        };
        let (friction, cores, setting) = (self.friction, self.cores, setting.clone());
        let row = Row { friction, law: entry.law, spheres, cores, steps, ours, theirs, setting, load, version };
        tell(&format!(
            "{spheres} spheres, {cores} cores, {} against {}: {:.1} and {:.1} ns, {:.2} times",
            name(friction),
            entry.law,
            row.ours.cpu,
            row.theirs.cpu,
            row.ratio()
        ));
        Ok(row)
    }

    /// The setting that is fastest in one repetition.
    fn fastest<'a>(&self, entry: &'a Entry, steps: u64) -> Result<&'a Setting, String> {
        let mut fastest: Option<(f64, &Setting)> = None;
        if let [only] = &entry.settings[..] {
            return Ok(only);
        }
        if let Some(known) = self.known(entry) {
            return Ok(known);
        }
        for setting in &entry.settings {
            let mut peer = self.peer.start(&self.task(entry.law, setting))?;
            let (cpu, _) = self.peer.go_on(&mut peer, steps)?;
            if fastest.is_none_or(|(least, _)| cpu < least) {
                fastest = Some((cpu, setting));
            }
        }
        fastest.map(|(_, setting)| setting).ok_or_else(|| format!("{} has no setting", entry.law))
    }

    /// The setting that was fastest with fewer spheres, where trying all again would take long.
    fn known<'a>(&self, entry: &'a Entry) -> Option<&'a Setting> {
        let like = |row: &&Row| (row.friction, row.cores, row.law) == (self.friction, self.cores, entry.law);
        let many = self.packing.centres.len() > MANY;
        let row = self.before.iter().rev().find(like).filter(|_| many)?;
        entry.settings.iter().find(|setting| **setting == row.setting)
    }

    fn task<'a>(&'a self, law: &'a str, setting: &'a Setting) -> Task<'a> {
        Task {
            friction: self.friction,
            law,
            setting,
            cores: self.cores,
            spheres: self.packing.centres.len(),
            half: 0.5 * self.packing.width,
            warm_up: WARM_UP,
            step: STEP,
            folder: self.folder,
            data: DATA,
        }
    }

    fn our_world(&self, pool: &rayon::ThreadPool) -> Result<World, String> {
        let ours = self.peer.ours(self.friction);
        pool.install(|| {
            let mut world = self.packing.world_with(ours.laws, STEP, ours.local_damping)?;
            go_on(&mut world, WARM_UP as u32)?;
            Ok(world)
        })
    }
}

/// Writes the packing where contests in this folder read it.
pub fn write_packing(peer: &dyn Peer, packing: &Packing, folder: &Path) -> Result<(), String> {
    peer.write(packing, &folder.join(DATA))
}

/// CPU and elapsed time of so many steps of ours (s).
fn ours(world: &mut World, steps: u64, pool: &rayon::ThreadPool) -> Result<(f64, f64), String> {
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    pool.install(|| go_on(world, steps as u32))?;
    Ok((cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64()))
}

/// A friction in tables.
pub fn name(friction: Friction) -> &'static str {
    match friction {
        Friction::Smooth => "none",
        Friction::Slide => "slide",
        Friction::All => "all",
    }
}

// They need a shell and `/proc`.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::peers::{Ours, Setting};
    use crate::running::Running;

    /// A shell that takes longer with a larger skin, and counts as it is told.
    struct Shell;

    impl Peer for Shell {
        fn name(&self) -> &'static str {
            "shell"
        }
        fn ours(&self, friction: Friction) -> Ours {
            Ours { laws: friction.laws(), local_damping: 0.0, said: "" }
        }
        fn entries(&self, _: Friction, _: usize) -> Vec<Entry> {
            let settings = [3.0, 1.0, 2.0].map(|skin| Setting { skin, newton: false });
            vec![Entry { law: "none", settings: settings.into() }]
        }
        fn write(&self, packing: &Packing, file: &Path) -> Result<(), String> {
            std::fs::write(file, packing.centres.len().to_string()).map_err(|error| error.to_string())
        }
        fn start(&self, task: &Task) -> Result<Running, String> {
            let mut running = Running::start(std::process::Command::new("sh"), task.folder, "log")?;
            let (skin, file) = (task.setting.skin, running.next_answer());
            running.ask(&format!("skin={skin}; n=$(cat {}); echo $n > log; echo 0 > {file}\n", task.data))?;
            Ok(running)
        }
        fn go_on(&self, running: &mut Running, steps: u64) -> Result<(f64, f64), String> {
            let file = running.next_answer();
            let text = format!("echo $((skin * {steps} * n)) > {file}\n");
            let (answer, _, wall) = running.ask_timed(&text)?;
            Ok((answer[0] * 1e-6, wall))
        }
        fn end(&self, mut running: Running, _: &Task) -> Result<Told, String> {
            let file = running.next_answer();
            let contacts = running.ask(&format!("echo $((2 * n)) > {file}\n"))?[0];
            Ok(Told { contacts, kinetic: 0.0, listed: 4.0, version: running.end()?.trim().into() })
        }
    }

    #[test]
    fn the_fastest_setting_is_kept_and_numbers_are_per_sphere_and_step() {
        let folder = std::env::temp_dir().join(format!("stickslip-contest-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (packing, _) = Packing::jammed(100).unwrap();
        write_packing(&Shell, &packing, &folder).unwrap();
        let (friction, cores, repeats) = (Friction::All, 1, 2);
        let contest =
            Contest { peer: &Shell, packing: &packing, friction, cores, repeats, folder: &folder, before: &[] };
        let rows = contest.run(&|_| {}).unwrap();
        let [row] = &rows[..] else { panic!("{rows:?}") };
        // A skin of 1 takes 1e-6 s a sphere and step.
        assert_eq!((row.setting.skin, row.spheres, row.version.as_str()), (1.0, 100, "100"));
        assert!((row.theirs.cpu - 1000.0).abs() < 1e-9, "{row:?}");
        assert_eq!((row.theirs.contacts, row.theirs.listed), (2.0, 4.0));
        assert!(row.ours.cpu > 0.0 && row.ours.contacts > 1.0, "{row:?}");
        assert!((row.ratio() * row.ours.cpu - 1000.0).abs() < 1e-9);
        assert!((row.contact_ratio() * row.ours.per_contact() - 500.0).abs() < 1e-9);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn larger_packings_take_fewer_steps() {
        assert_eq!([1000, 10_000, 100_000, 1_000_000, 10_000_000].map(steps), [40, 40, 40, 10, 10]);
    }
}

//! What memory a scene would need, and what the machine has: refused before anything large is made.
//!
//! The need is an estimate: bodies times what a body was measured to cost at the peak of a run. What the machine has is the
//! least of what Linux calls available, what each control group around this process leaves (versions 1 and 2), and what the
//! limits of the process on its addresses and data leave (`ulimit -v`, `ulimit -d`). Where none can be read there is no
//! check. A limit that is too small for the threads and the program alone is told before a scene is read
//! (`expect_threads`). Does not do: checkpoints, which are in memory before their bodies are counted.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::input::{Place, Result};
use crate::scene::check::short;

/// What a body costs at the peak of a run (bytes): the growth of the largest resident size between runs of 100,000 and
/// 400,000 spheres was 2052 a sphere without contacts, and 3375 with three contacts a sphere (six neighbours each) under
/// springs for all three motions, the scene as text, its records and its last checkpoint included; a run of 1,000,000 had
/// 4088 while it wrote a checkpoint.
const BYTES_PER_BODY: f64 = 4100.0;

/// The largest list of grains that is read (bytes): four times what a million grains take with all ten columns, each a
/// number of 25 letters.
const LARGEST_LIST: u64 = 1 << 30;

/// A list may take this part of the memory: it is there as it was read, and again as rows.
const SHARE_OF_A_LIST: u64 = 4;

/// What a line of a list takes while it is read (bytes): a row of ten numbers and flags, 96, and where the line begins and
/// ends, 32.
const BYTES_PER_LINE: usize = 128;

/// The stack of a thread (bytes).
const BYTES_OF_A_STACK: u64 = 2 << 20;

/// What glibc sets aside of the addresses for the memory of a thread (bytes), and for how many threads a core at the
/// most.
const BYTES_OF_AN_ARENA: u64 = 64 << 20;
const ARENAS_PER_CORE: u64 = 8;

/// What a run takes beside its bodies (bytes): the program, compression, the picture.
const BYTES_OF_A_RUN: u64 = 128 << 20;

/// The memory that a scene may use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// Bytes; `None` where nobody knows.
    pub available: Option<u64>,
}

impl Memory {
    /// That of this machine, now.
    pub fn of_machine() -> Self {
        Memory { available: available(Path::new("/")) }
    }

    /// The most bytes of a list that is read: with its rows and its copy in the resolved scene, and the run still to come, it
    /// must leave room.
    pub fn largest_list(&self) -> u64 {
        self.available.map_or(LARGEST_LIST, |available| LARGEST_LIST.min(available / SHARE_OF_A_LIST))
    }

    /// Whether lines can be held that are this many and this long in all (bytes).
    pub fn bears_lines(&self, lines: usize, bytes: u64) -> bool {
        let needed = bytes.saturating_add((lines * BYTES_PER_LINE) as u64);
        self.available.is_none_or(|available| needed <= available / SHARE_OF_A_LIST)
    }

    /// Refuses more bodies than ids can count or memory can hold; the place is where they are asked for, or of all of
    /// them.
    pub fn refuse(&self, bodies: f64, place: &Place<'_>) -> Result<()> {
        if bodies > f64::from(u32::MAX) {
            return Err(place.error(format!("{bodies} bodies are more than the 4 billion that ids can count")));
        }
        let needed = bodies * BYTES_PER_BODY;
        match self.available {
            Some(available) if needed > available as f64 => {
                let gib = |bytes: f64| short(bytes / f64::from(1 << 30));
                let (need, have) = (gib(needed), gib(available as f64));
                let most = (available as f64 / BYTES_PER_BODY).floor();
                let message = format!("{bodies} bodies need about {need} GiB of memory, but {have} GiB are available");
                // That nothing fits is no advice.
                let help = match most as u64 {
                    0 => "run it where there is more memory".to_owned(),
                    most => format!("ask for at most {most} bodies in all, or run it where there is more memory"),
                };
                Err(place.error(message).help(help))
            }
            _ => Ok(()),
        }
    }

    /// Refuses streams that bring more bodies, so many each, until the end of the run than memory can hold, when none leave.
    pub fn refuse_streams(&self, before: usize, due: &[f64], counts: &[Place<'_>]) -> Result<()> {
        let mut bodies = before as f64;
        for (due, place) in due.iter().zip(counts) {
            bodies += due;
            self.refuse(bodies, place)?;
        }
        Ok(())
    }
}

/// How many threads this process will have, as its command has said; 0 before it has.
static THREADS: AtomicU64 = AtomicU64::new(0);

/// Notes how many threads the process will have in all, for every estimate that follows, and finds out whether it has
/// room for them and for the program.
///
/// # Errors
///
/// What it needs and has, and what to do, where `ulimit -v` or `ulimit -d` leave less.
pub fn expect_threads(threads: usize) -> std::result::Result<(), (String, String)> {
    THREADS.store(threads as u64, Ordering::Relaxed);
    let limits = limits_of_process(Path::new("/"));
    limits.into_iter().find(|limit| limit.left() == 0).map_or(Ok(()), |limit| Err(limit.in_words(threads)))
}

/// What a process could still use (bytes), by the files below this root.
fn available(root: &Path) -> Option<u64> {
    let system = std::fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| of_system(&text));
    let groups = std::fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let groups = groups.lines().filter_map(|line| of_group(root, line)).min();
    let limits = limits_of_process(root).into_iter().map(|limit| limit.left());
    system.into_iter().chain(groups).chain(limits).min()
}

/// A limit on the addresses or the data of this process, and what of it is not for bodies (bytes).
struct Limit {
    /// How the shell sets it.
    command: &'static str,
    limit: u64,
    used: u64,
    /// For the run itself, and for threads that are still to come: with 2 cores 8 were counted, and 581 MiB of
    /// addresses for ten bodies.
    set_aside: u64,
}

impl Limit {
    /// What it leaves for bodies.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used).saturating_sub(self.set_aside)
    }

    /// That it leaves nothing, and what to do.
    fn in_words(&self, threads: usize) -> (String, String) {
        let (needed, command) = (self.used + self.set_aside, self.command);
        let [need, have] = [needed, self.limit].map(|bytes| bytes.div_ceil(1 << 20));
        (
            format!("{threads} threads and the program need about {need} MiB, but `{command}` allows {have} MiB"),
            format!("raise it to at least `{command} {}`, or give fewer --threads", needed.div_ceil(1 << 10) + 1),
        )
    }
}

/// The limits of this process, as far as it has any.
fn limits_of_process(root: &Path) -> Vec<Limit> {
    let read = |name: &str| std::fs::read_to_string(root.join("proc/self").join(name)).unwrap_or_default();
    let (limits, status) = (read("limits"), read("status"));
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let used = |name: &str| {
        field(name)?.strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes.saturating_mul(1024))
    };
    let there = field("Threads:").and_then(|count| count.parse::<u64>().ok()).unwrap_or(1);
    let limit = |command: &'static str, name: &str, of: &str, set_aside: u64| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        // "unlimited" is no number.
        let limit = line.split_whitespace().next()?.parse::<u64>().ok()?;
        Some(Limit { command, limit, used: used(of).unwrap_or(0), set_aside })
    };
    let (stacks, arenas) = for_threads(there);
    let addresses = limit("ulimit -v", "Max address space", "VmSize:", BYTES_OF_A_RUN + stacks + arenas);
    let data = limit("ulimit -d", "Max data size", "VmData:", BYTES_OF_A_RUN + stacks);
    addresses.into_iter().chain(data).collect()
}

/// What the threads will take that are still to come when there are so many already (bytes): stacks, and addresses for
/// memory.
fn for_threads(there: u64) -> (u64, u64) {
    let threads = threads();
    let arenas = |threads: u64| threads.min(ARENAS_PER_CORE * cores()) * BYTES_OF_AN_ARENA;
    (threads.saturating_sub(there) * BYTES_OF_A_STACK, arenas(threads).saturating_sub(arenas(there)))
}

fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, |n| n.get()) as u64
}

/// How many threads the process will have in all: as its command has said, else three on each core, the first one, and
/// one that waits for signals.
fn threads() -> u64 {
    match THREADS.load(Ordering::Relaxed) {
        0 => 3 * cores() + 2,
        threads => threads,
    }
}

fn of_system(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes.saturating_mul(1024))
}

/// What a control group and those around it leave; `line` is one of `/proc/self/cgroup`: number, controllers, path.
fn of_group(root: &Path, line: &str) -> Option<u64> {
    let mut fields = line.splitn(3, ':');
    let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    let (mount, limit, usage, idle) = if number == "0" && controllers.is_empty() {
        ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ")
    } else if controllers.split(',').any(|controller| controller == "memory") {
        ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
    } else {
        return None;
    };
    let mount = root.join(mount);
    let left = |folder: &Path| {
        let number = |name: &str| std::fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
        // "max" in version 2 is no limit; in version 1 a number beyond all machines is.
        let limit = number(limit)?;
        let stat = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        // What the system only keeps of files that were read can be had at once.
        let idle = stat.lines().find_map(|line| line.strip_prefix(idle)?.trim().parse::<u64>().ok()).unwrap_or(0);
        Some(limit.saturating_sub(number(usage).unwrap_or(0).saturating_sub(idle)))
    };
    // Inside a container the path may be that of the world outside; its own group is then the mount itself.
    let group = mount.join(path.trim_start_matches('/'));
    group.ancestors().take_while(|folder| folder.starts_with(&mount)).filter_map(left).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{self, Source};

    const GIB: u64 = 1 << 30;

    /// A folder that looks like the root of a system with these files.
    fn system(name: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = std::env::temp_dir().join(format!("stickslip-memory-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = available(&root);
        let _ = std::fs::remove_dir_all(&root);
        found
    }

    #[test]
    fn the_least_of_system_and_control_groups_is_available() {
        let meminfo = ("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:    8000 kB\n");
        assert_eq!(system("nothing", &[]), None);
        assert_eq!(system("plain", &[meminfo]), Some(8000 * 1024));
        // Version 2: the group has no limit of its own, the one around it has; 300 of the 1000 in use are idle.
        let two = [
            meminfo,
            ("proc/self/cgroup", "0::/all/mine\n"),
            ("sys/fs/cgroup/all/mine/memory.max", "max\n"),
            ("sys/fs/cgroup/all/memory.max", "5000\n"),
            ("sys/fs/cgroup/all/memory.current", "1000\n"),
            ("sys/fs/cgroup/all/memory.stat", "anon 700\ninactive_file 300\n"),
        ];
        assert_eq!(system("two", &two), Some(5000 - 700));
        // Version 1, in a container that sees its own group at the mount.
        let one = [
            meminfo,
            ("proc/self/cgroup", "5:cpu:/x\n4:memory:/outside/x\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "6000\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n"),
        ];
        assert_eq!(system("one", &one), Some(5000));
        // The process may have 4 GiB of addresses, of which it uses 1 GiB; and no limit on its data.
        let limits = "Limit   Soft Limit   Hard Limit   Units\nMax data size   unlimited   unlimited   bytes\n\
            Max address space   4294967296   unlimited   bytes\n";
        let large = ("proc/meminfo", "MemAvailable:    8000000 kB\n");
        let status = ("proc/self/status", "VmPeak:  2000000 kB\nVmSize:\t 1048576 kB\nVmData:\t 5000 kB\n");
        // Of one thread that is there, the stack and the memory are among what is used.
        let more = threads() - 1;
        let expected = (3 * GIB).saturating_sub((128 + 66 * more) << 20);
        assert_eq!(system("addresses", &[large, ("proc/self/limits", limits), status]), Some(expected));
        let data = limits.replace("size   unlimited", "size   700000000").replace("4294967296", "unlimited");
        let expected = 700_000_000 - 5000 * 1024 - ((128 + 2 * more) << 20);
        assert_eq!(system("data", &[large, ("proc/self/limits", &data), status]), Some(expected));
        let none = limits.replace("4294967296", "unlimited");
        assert_eq!(system("no limits", &[meminfo, ("proc/self/limits", &none), status]), Some(8000 * 1024));
        let unlimited = [
            meminfo,
            ("proc/self/cgroup", "4:memory:/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ];
        assert_eq!(system("unlimited", &unlimited), Some(8000 * 1024));
    }

    fn scene(more: &str) -> String {
        format!(
            "[time]\nend = 10.0\n[material.grain]\ndensity = 2500.0\n[[contact]]\nbetween = [\"grain\", \"grain\"]\n\
             normal = {{ law = \"hooke\", stiffness = 1e4, restitution = 0.5 }}\n{more}"
        )
    }

    fn load(more: &str, available: Option<u64>) -> Result<usize> {
        let source = Source::new("scene.toml", scene(more));
        let parsed = input::parse(&source)?;
        let scene = super::super::read_within(&source, &parsed, Path::new(""), Memory { available })?;
        Ok(scene.setup.bodies.len())
    }

    fn grains(count: u64) -> String {
        format!(
            "[[grains]]\nmaterial = \"grain\"\nradius = 0.01\ncount = {count}\n\
             place = {{ kind = \"lattice\", from = [0, 0, 0] }}\n"
        )
    }

    #[test]
    fn grains_beyond_memory_are_refused_at_their_count() {
        // 1000 bodies of 4100 bytes; and both tables count.
        assert_eq!(load(&grains(1000), Some(4_100_000)).unwrap(), 1000);
        assert_eq!(load(&grains(1000), None).unwrap(), 1000);
        let error = load(&grains(1001), Some(4_100_000)).unwrap_err();
        assert_eq!(error.line(), Some(11), "{error}");
        let two = grains(600) + &grains(600).replace("from = [0, 0, 0]", "from = [5, 0, 0]");
        let error = load(&two, Some(4_100_000)).unwrap_err();
        assert_eq!(error.line(), Some(16), "{error}");
        assert!(error.message().starts_with("grains[1].count: 1200 bodies need about 0.004582 GiB"), "{error}");
        assert_eq!(error.advice(), Some("ask for at most 1000 bodies in all, or run it where there is more memory"));
    }

    /// Bodies of `[[body]]` tables were not counted, and of too many a run ended with SIGABRT. Where nothing fit, the
    /// advice was to ask for at most 0.
    #[test]
    fn bodies_of_their_own_tables_are_counted_too() {
        let bodies = |count: usize| {
            let body = |i: usize| {
                format!(
                    "[[body]]\nmaterial = \"grain\"\nshape = {{ kind = \"sphere\", radius = 0.01 }}\n\
                     position = [{i}, 0, 0]\n"
                )
            };
            (0..count).map(body).collect::<String>()
        };
        assert_eq!(load(&bodies(10), Some(41_000)).unwrap(), 10);
        let error = load(&bodies(11), Some(41_000)).unwrap_err();
        assert!(error.message().starts_with("11 bodies need about"), "{error}");
        assert_eq!(error.advice(), Some("ask for at most 10 bodies in all, or run it where there is more memory"));
        let error = load(&bodies(1), Some(4000)).unwrap_err();
        assert_eq!(error.advice(), Some("run it where there is more memory"));
    }

    #[test]
    fn a_lattice_without_a_count_is_refused_before_it_is_made() {
        let box_of_grains = "[[grains]]\nmaterial = \"grain\"\nradius = 0.01\n\
             place = { kind = \"lattice\", from = [0, 0, 0], to = [2, 2, 2] }\n";
        let error = load(box_of_grains, Some(GIB)).unwrap_err();
        assert_eq!(error.line(), Some(8), "{error}");
        assert!(
            error.message().contains("1030301 bodies need about 3.934 GiB of memory, but 1 GiB are available"),
            "{error}"
        );
    }

    #[test]
    fn streams_count_with_what_they_bring_until_the_end_unless_it_leaves() {
        let stream = "[[stream]]\nmaterial = \"grain\"\nradius = 0.01\nrate = 1000.0\ncount = 1000000\n\
             from = [0, 0, 0]\nto = [1, 1, 1]\nvelocity = [0, 0, -1]\n";
        // 1000 a second for 10 s: 41 MB of the 4.1 GB that all would need.
        assert!(load(stream, Some(42_000_000)).is_ok());
        let error = load(stream, Some(40_000_000)).unwrap_err();
        assert_eq!(error.line(), Some(12), "{error}");
        assert!(error.message().contains("stream[0].count: 10001 bodies need"), "{error}");
        let open = format!("{stream}[domain]\nfrom = [-1, -1, -1]\nto = [2, 2, 2]\nleaving = \"remove\"\n");
        assert!(load(&open, Some(40_000_000)).is_ok());
    }

    #[test]
    fn four_billion_grains_are_refused_at_once_by_this_machine() {
        let start = std::time::Instant::now();
        // 16 TB.
        let source = Source::new("scene.toml", scene(&grains(4_000_000_000)));
        let parsed = input::parse(&source).unwrap();
        let machine = Memory::of_machine();
        assert!(machine.available.is_none_or(|bytes| bytes > 1 << 20), "{machine:?}");
        // Where the machine does not say, that of a small one.
        let memory = Memory { available: machine.available.or(Some(GIB)) };
        let error = super::super::read_within(&source, &parsed, Path::new(""), memory).unwrap_err();
        assert!(error.message().contains("4000000000 bodies need about"), "{error}");
        // A hundredth of a second alone; other tests may keep the machine busy.
        assert!(start.elapsed().as_secs() < 3);
    }
}

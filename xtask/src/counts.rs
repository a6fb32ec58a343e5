//! `cargo xtask counts`: instructions of the kernels and of short runs, against those recorded in `xtask/counts.txt`.
//!
//! Time on a shared machine varies by a tenth and more; instructions do not, so a slow change is seen in CI. Callgrind (of valgrind)
//! counts them in the release build of `stickslip-bench count`, one case a process. It has no AVX-512: the code for AVX2 is
//! counted, and that for plain x86-64, since valgrind does not know all instructions of AVX2 either: a case that meets such a
//! one is left out in that width, and says so. Waiting for memory is not seen.
//!
//! More than 2 % above the record fails. Measured on 2026-11-16: run twice, and with 4 kB more in the environment, every case counts
//! the same to the last instruction. Changes elsewhere in the program (all of `roofline.rs` added; its `main` rewritten) left the
//! kernels as they were, and moved steps and lists by 0.05 % at most. So 2 % is far above noise, and small beside what matters:
//! rolling and spinning friction together are 25 % of a kernel, and one that is no longer compiled for AVX2 has twice the
//! instructions. A division counts as much as an addition here, so what costs time but few instructions is not seen.
//!
//! With another compiler or valgrind than recorded a miss is only a warning: its code is not ours to judge. Without valgrind the
//! check is left out, and says so; likewise with `STICKSLIP_COUNTS=off`.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use crate::tool::{cargo, program, release};
use crate::{Chain, Score};

/// The check's name.
const NAME: &str = "instruction counts";
const RECORD: &str = "xtask/counts.txt";
/// So much more than recorded fails, and so much less asks for a new record (per cent).
const MORE: f64 = 2.0;
const LESS: f64 = 5.0;
/// As `count` of `stickslip-bench` knows them.
const CASES: [&str; 9] = [
    "kernel-slide",
    "kernel-all",
    "kernel-hertz-epsd",
    "kernel-tracked",
    "step-jammed",
    "step-dense",
    "step-walls",
    "step-cell",
    "lists",
];
/// The vectors that are counted, and how `STICKSLIP_SIMD` asks for them.
const WIDTHS: [(&str, &str); 2] = [("avx2", "avx2"), ("baseline", "off")];

/// The command: compares, or writes a new record.
pub fn command(write: bool) -> ExitCode {
    let mut score = Score::default();
    if write {
        score.check("instruction counts: a new record", || {
            let tools = Tools::here()?;
            let counted = count_all()?;
            let record = Record { tools, counts: counted.iter().map(|one| (one.name.clone(), one.count)).collect() };
            fs::write(RECORD, record.text()).map_err(|error| format!("{RECORD}: {error}"))?;
            Ok(1)
        });
    } else {
        match left_out() {
            Some(why) => score.leave_out(NAME, why),
            None => score.check(NAME, compare_all),
        }
    }
    score.end()
}

/// One check, unless it is left out.
pub fn chain(score: &mut Score) -> Vec<Chain> {
    if let Some(why) = left_out() {
        score.leave_out(NAME, why);
        return Vec::new();
    }
    vec![vec![(NAME.to_owned(), Box::new(|_| compare_all()))]]
}

fn left_out() -> Option<&'static str> {
    if env::var_os("STICKSLIP_COUNTS").is_some_and(|value| value == "off") {
        return Some("STICKSLIP_COUNTS=off");
    }
    let installed = program("valgrind", &["--version"]).works();
    (!installed).then_some("valgrind is not installed")
}

fn compare_all() -> Result<u64, String> {
    let text = fs::read_to_string(RECORD).map_err(|error| format!("{RECORD}: {error}"))?;
    let record = Record::parse(&text)?;
    let here = Tools::here()?;
    let counted = count_all()?;
    let misses = record.misses(&counted);
    if misses.is_empty() {
        return Ok(counted.len() as u64);
    }
    let misses = misses.join("\n");
    match excuse(&record.tools, &here) {
        Some(excuse) => {
            println!("WARNING, not a failure, because {excuse}:\n{misses}");
            Ok(0)
        }
        None => Err(format!(
            "{misses}\na slow change; or, if it is worth it, renew {RECORD} by `cargo xtask counts --write` and say why in the commit"
        )),
    }
}

/// Why counts need not be those of the record.
fn excuse(recorded: &Tools, here: &Tools) -> Option<String> {
    let said = |tools: &Tools| format!("{} and {}", tools.compiler, tools.valgrind);
    (recorded != here).then(|| format!("they were recorded with {}; here are {}", said(recorded), said(here)))
}

/// What the counts depend on.
#[derive(Debug, PartialEq)]
struct Tools {
    compiler: String,
    valgrind: String,
}

impl Tools {
    fn here() -> Result<Self, String> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        Ok(Tools {
            compiler: first_line(Command::new(rustc).arg("-V"))?,
            valgrind: first_line(Command::new("valgrind").arg("--version"))?,
        })
    }
}

fn first_line(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned())
}

/// Instructions of one case with vectors of one width.
#[derive(Debug, PartialEq)]
struct Counted {
    /// Case and width, as in the record.
    name: String,
    count: u64,
    /// What was done, and how often.
    unit: String,
    units: u64,
}

/// Builds, makes packings, counts every case and prints it.
fn count_all() -> Result<Vec<Counted>, String> {
    cargo(&["build", "--release", "--quiet", "--package", "stickslip-bench"]).run()?;
    let binary = release("stickslip-bench");
    let packings = binary.with_file_name("count-packings");
    program(&binary, &["count".as_ref(), "--prepare".as_ref(), "--packings".as_ref(), packings.as_os_str()]).run()?;
    let mut counted: Vec<Counted> = Vec::new();
    for case in CASES {
        let before = counted.len();
        for (width, switch) in WIDTHS {
            let name = format!("{case} {width}");
            let mut command = callgrind(&binary);
            command.args(["count", case, "--packings"]).arg(&packings).env("STICKSLIP_SIMD", switch);
            match count(&name, width, command).map_err(|error| format!("{name}: {error}"))? {
                Ok(one) => {
                    let each = one.count as f64 / one.units as f64;
                    println!("{name:<27} {:>12} instructions, {each:>8.1} a {}", one.count, one.unit);
                    counted.push(one);
                }
                Err(why) => println!("{name:<27} LEFT OUT, because {why}"),
            }
        }
        if counted.len() == before {
            return Err(format!("{case}: could not be counted with vectors of any width"));
        }
    }
    Ok(counted)
}

fn callgrind(binary: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--read-inline-info=no"]);
    command.args(["--collect-atstart=no", "--toggle-collect=*only_this_is_counted*"]).arg(binary);
    // Callgrind counts every turn of a `rep stosb` or `rep movsb`, with which glibc fills and copies more than 2 kB: one instruction
    // that takes no longer than the loop of stores that the compiler may choose in its place.
    let loops = ["stosb", "movsb"].map(|name| format!("glibc.cpu.x86_rep_{name}_threshold=1000000000"));
    command.env("GLIBC_TUNABLES", loops.join(":"));
    command
}

/// The inner error says why it cannot be counted here, which is nobody's fault.
fn count(name: &str, width: &str, mut command: Command) -> Result<Result<Counted, &'static str>, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let (said, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if log.contains("Unrecognised instruction") {
        return Ok(Err("valgrind does not know one of its instructions"));
    }
    if !output.status.success() {
        return Err(format!("{}\n{log}", output.status));
    }
    let count = collected(&log).filter(|&count| count > 0);
    let count = count.ok_or_else(|| format!("callgrind has counted nothing:\n{log}"))?;
    let (units, unit, used) = units(&said).ok_or_else(|| format!("it did not say what it has done: {said}"))?;
    if used != width {
        return Ok(Err("this machine has no such vectors"));
    }
    Ok(Ok(Counted { name: name.to_owned(), count, unit, units }))
}

/// `==12== Collected : 34`.
fn collected(log: &str) -> Option<u64> {
    let line = log.lines().find_map(|line| line.split_once("Collected :"))?.1;
    line.split_whitespace().next()?.parse().ok()
}

/// `units 12 sphere-step avx2`.
fn units(said: &str) -> Option<(u64, String, String)> {
    let line = said.lines().find_map(|line| line.strip_prefix("units "))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let [units, unit, width] = words[..] else { return None };
    let units = units.parse().ok().filter(|&units| units > 0)?;
    Some((units, unit.to_owned(), width.to_owned()))
}

/// The file: comments, two of which name the tools, then a case, a width and the count on each line.
#[derive(Debug, PartialEq)]
struct Record {
    tools: Tools,
    /// By case and width.
    counts: Vec<(String, u64)>,
}

impl Record {
    fn text(&self) -> String {
        let mut text = format!(
            "# Instructions of each case in the release build, by width of vectors: see xtask/src/counts.rs.\n\
             # `cargo xtask counts` compares: more than {MORE} % above fails, more than {LESS} % below asks for a new record.\n\
             # Renew by `cargo xtask counts --write`, and say in the commit why.\n\
             # compiler: {}\n# valgrind: {}\n",
            self.tools.compiler, self.tools.valgrind
        );
        self.counts.iter().for_each(|(name, count)| text += &format!("{name} {count}\n"));
        text
    }

    fn parse(text: &str) -> Result<Self, String> {
        let tool = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("# {name}: ")));
            line.map(str::to_owned).ok_or_else(|| format!("{RECORD}: there is no line `# {name}: ..`"))
        };
        let mut counts: Vec<(String, u64)> = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let at = || format!("{RECORD}:{}: expected a case, a width and a count, not `{line}`", number + 1);
            let (name, count) = line.rsplit_once(' ').filter(|(name, _)| known(name)).ok_or_else(at)?;
            let count = count.parse().ok().filter(|&count| count > 0).ok_or_else(at)?;
            if counts.iter().any(|(other, _)| other == name) {
                return Err(format!("{RECORD}:{}: `{name}` stands there twice", number + 1));
            }
            counts.push((name.to_owned(), count));
        }
        Ok(Record { tools: Tools { compiler: tool("compiler")?, valgrind: tool("valgrind")? }, counts })
    }

    /// What has become worse; the rest is only printed.
    fn misses(&self, counted: &[Counted]) -> Vec<String> {
        let mut misses = Vec::new();
        for Counted { name, count, .. } in counted {
            let recorded = self.counts.iter().find(|(other, _)| other == name).map(|(_, count)| *count);
            let renew = format!("renew {RECORD} by `cargo xtask counts --write`");
            match recorded.map(|recorded| (recorded, judge(recorded, *count))) {
                // It could not be counted then.
                None => println!("{name}: not in the record; {renew}"),
                Some((_, Verdict::Same)) => {}
                Some((recorded, Verdict::More(by))) => misses
                    .push(format!("{name}: {by:.1} % more instructions than recorded: {count} in place of {recorded}")),
                Some((_, Verdict::Less(by))) => {
                    println!("{name}: {by:.1} % fewer instructions than recorded: better; {renew}")
                }
            }
        }
        misses
    }
}

/// Whether there is such a case and width.
fn known(name: &str) -> bool {
    let known = |(case, width)| CASES.contains(&case) && WIDTHS.iter().any(|(name, _)| *name == width);
    name.split_once(' ').is_some_and(known)
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Same,
    /// By so many per cent.
    More(f64),
    /// By so many per cent.
    Less(f64),
}

fn judge(recorded: u64, counted: u64) -> Verdict {
    // The difference first: it is exact, so that the limit itself still passes.
    let by = 100.0 * (counted as f64 - recorded as f64) / recorded as f64;
    if by > MORE {
        Verdict::More(by)
    } else if by < -LESS {
        Verdict::Less(-by)
    } else {
        Verdict::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(compiler: &str) -> Tools {
        Tools { compiler: compiler.into(), valgrind: "valgrind-3.19.0".into() }
    }

    fn counted(name: &str, count: u64) -> Counted {
        Counted { name: name.into(), count, unit: "contact".into(), units: 10 }
    }

    #[test]
    fn what_callgrind_and_the_program_say_is_read() {
        let log =
            "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 123456\n==7==\n==7== I   refs:      123,456\n";
        assert_eq!(collected(log), Some(123_456));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
        assert_eq!(units("units 40000 sphere-step avx2\n"), Some((40_000, "sphere-step".into(), "avx2".into())));
        assert_eq!(units("units 0 contact avx2\n"), None);
        assert_eq!(units("units 5 contact\n"), None);
        assert_eq!(units(""), None);
    }

    #[test]
    fn the_tolerance_is_2_per_cent_up_and_5_down() {
        for (count, same) in [(1_020, true), (1_021, false), (950, true), (949, false), (1_000, true)] {
            assert_eq!(judge(1_000, count) == Verdict::Same, same, "{count}");
        }
        assert!(matches!(judge(1_000, 1_030), Verdict::More(by) if (by - 3.0).abs() < 1e-9));
        assert!(matches!(judge(1_000, 900), Verdict::Less(by) if (by - 10.0).abs() < 1e-9));
    }

    #[test]
    fn the_record_is_read_as_it_is_written() {
        let record = Record {
            tools: tools("rustc 1"),
            counts: vec![("lists avx2".into(), 12), ("step-cell baseline".into(), 3_000_000_000_000)],
        };
        assert_eq!(Record::parse(&record.text()), Ok(record));
    }

    #[test]
    fn a_bad_record_names_its_line() {
        let head = "# compiler: c\n# valgrind: v\n";
        for (rest, expected) in [
            ("lists avx2 1\nlists\n", "counts.txt:4: expected a case, a width and a count, not `lists`"),
            ("lists avx2 x\n", "counts.txt:3: expected"),
            ("lists avx2 0\n", "counts.txt:3: expected"),
            ("lists 1\n", "counts.txt:3: expected"),
            ("lists avx9 1\n", "counts.txt:3: expected"),
            ("gone avx2 1\n", "counts.txt:3: expected"),
            ("lists avx2 1\nlists avx2 2\n", "counts.txt:4: `lists avx2` stands there twice"),
            ("\n", "counts.txt:3: expected"),
        ] {
            let error = Record::parse(&format!("{head}{rest}")).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        assert!(Record::parse("# compiler: c\nlists avx2 1\n").unwrap_err().contains("`# valgrind: ..`"));
    }

    #[test]
    fn only_more_is_a_miss() {
        let counts = ["kernel-all avx2", "lists avx2", "lists baseline"].map(|name| (name.to_owned(), 1000)).to_vec();
        let record = Record { tools: tools("rustc 1"), counts };
        let here = [("kernel-all avx2", 1100), ("lists avx2", 500), ("lists baseline", 1001), ("step-cell avx2", 7)];
        let misses = record.misses(&here.map(|(name, count)| counted(name, count)));
        assert_eq!(misses, ["kernel-all avx2: 10.0 % more instructions than recorded: 1100 in place of 1000"]);
    }

    #[test]
    fn another_compiler_excuses_a_miss() {
        let ours = tools("rustc 1");
        assert_eq!(excuse(&ours, &tools("rustc 1")), None);
        assert!(excuse(&ours, &tools("rustc 2")).is_some_and(|why| why.contains("rustc 1") && why.contains("rustc 2")));
    }

    #[test]
    fn what_cannot_be_counted_says_why_and_what_fails_is_an_error() {
        // A shell stands for valgrind.
        let run = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            count("lists avx2", "avx2", command)
        };
        let good = "echo units 10 contact avx2; echo '==1== Collected : 70' >&2";
        assert_eq!(run(good), Ok(Ok(counted("lists avx2", 70))));
        let unknown = run("echo 'valgrind: Unrecognised instruction at address 0x1.' >&2; exit 132");
        assert!(unknown.unwrap().unwrap_err().contains("instructions"));
        let narrow = run("echo units 10 contact baseline; echo '==1== Collected : 70' >&2");
        assert!(narrow.unwrap().unwrap_err().contains("vectors"));
        assert!(run("echo gone wrong >&2; exit 1").unwrap_err().contains("gone wrong"));
        assert!(run("echo units 10 contact avx2; echo '==1== Collected : 0' >&2").unwrap_err().contains("nothing"));
        assert!(run("echo '==1== Collected : 70' >&2").unwrap_err().contains("did not say"));
    }

    #[test]
    fn the_record_in_the_repository_has_every_case() {
        let record = Record::parse(include_str!("../counts.txt")).unwrap();
        for case in CASES {
            let name = format!("{case} baseline");
            assert!(record.counts.iter().any(|(other, _)| *other == name), "{name}");
        }
    }
}

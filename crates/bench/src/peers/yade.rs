//! YADE, from the Debian package `yade`.
//!
//! `Law2_ScGeom6D_CohFrictPhys_CohesionMoment` without cohesion, with its rolling and twisting springs where all frictions act,
//! and six boxes as walls, against our hooke and spring-slider. It has no dashpots in its contacts but local damping: ours
//! takes the same. `yade.py` says the rest. It tells its CPU time itself, since its threads come and go.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use stickslip::law::{Hooke, Limit, Normal, Roll, RollSlider, Slide, SlideSlider, Spin, SpinSlider, SpringLaws};

use super::{Entry, Ours, Peer, Setting, Told};
use crate::packing::{Friction, Packing};
use crate::running::{Running, Task};

/// Local damping on both sides: YADE's default.
const LOCAL_DAMPING: f64 = 0.2;
/// YADE's rolling and twisting springs: 0.25 N m/rad (alpha k_s R_a R_b). Ours for roll is per length, with R_eff = 1/4.
const TURN_STIFFNESS: f64 = 0.25;
const ROLL_STIFFNESS: f64 = TURN_STIFFNESS * 16.0;
/// YADE's limit of both: eta times the smaller radius.
const TURN_LENGTH: f64 = 0.5;
/// What bounds are enlarged by; 0.25 is its default, half of the least radius.
const SKINS: [f64; 3] = [0.05, 0.1, 0.25];
const LOG: &str = "log.yade";
const SCRIPT: &str = "yade.py";

/// YADE.
pub struct Yade;

impl Yade {
    /// If it is installed.
    pub fn prepare() -> Result<Self, String> {
        match Command::new("yade").arg("--version").output() {
            Ok(_) => Ok(Yade),
            Err(error) => Err(format!(
                "yade: {error}. It is the package `yade` of Debian and Ubuntu: `sudo apt-get install yade`"
            )),
        }
    }
}

impl Peer for Yade {
    fn name(&self) -> &'static str {
        "YADE"
    }

    fn ours(&self, friction: Friction) -> Ours {
        let mut laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
        laws.slide = Some(Slide::SpringSlider(SlideSlider::new(1.0, 0.0, Limit::mu(1.0))));
        if friction == Friction::All {
            let limit = Limit::length(TURN_LENGTH);
            laws.roll = Some(Roll::SpringSlider(RollSlider::new(ROLL_STIFFNESS, 0.0, limit)));
            laws.spin = Some(Spin::SpringSlider(SpinSlider::new(TURN_STIFFNESS, 0.0, limit)));
        }
        let said = "hooke with k = 1; spring-slider with slide k = 1, mu = 1, roll and spin 0.25 N m/rad up to 0.5 m times the \
                    normal force; no dashpots, local damping 0.2";
        Ours { laws, local_damping: LOCAL_DAMPING, said }
    }

    fn entries(&self, friction: Friction, _cores: usize) -> Vec<Entry> {
        let law = if friction == Friction::All { "CohesionMoment" } else { "CohesionMoment, no moments" };
        vec![Entry { law, settings: SKINS.iter().map(|&skin| Setting { skin, newton: false }).collect() }]
    }

    fn write(&self, packing: &Packing, file: &Path) -> Result<(), String> {
        let write = || -> std::io::Result<()> {
            let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
            for centre in &packing.centres {
                writeln!(out, "{} {} {}", centre.x, centre.y, centre.z)?;
            }
            out.flush()
        };
        write().map_err(|error| format!("{}: {error}", file.display()))
    }

    fn start(&self, task: &Task) -> Result<Running, String> {
        let script = task.folder.join(SCRIPT);
        std::fs::write(&script, include_str!("yade.py")).map_err(|error| format!("{}: {error}", script.display()))?;
        let mut command = Command::new("yade");
        command.args([&format!("-j{}", task.cores), "-n", "-x", SCRIPT]);
        let friction = if task.friction == Friction::All { "all" } else { "slide" };
        let numbers = [task.half, task.setting.skin, task.step, LOCAL_DAMPING].map(|x| x.to_string());
        command.args([task.data, friction]).args(numbers).args([&task.warm_up.to_string(), LOG]);
        let mut running = Running::start(command, task.folder, LOG)?;
        let answer = running.next_answer();
        running.ask(&format!("start {answer}\n"))?;
        Ok(running)
    }

    fn go_on(&self, running: &mut Running, steps: u64) -> Result<(f64, f64), String> {
        let answer = running.next_answer();
        let (answer, _, wall) = running.ask_timed(&format!("run {steps} {answer}\n"))?;
        let [cpu] = answer[..] else { return Err("expected one number".into()) };
        Ok((cpu, wall))
    }

    fn end(&self, mut running: Running, task: &Task) -> Result<Told, String> {
        let answer = running.next_answer();
        let answer = running.ask(&format!("count {answer}\n"))?;
        let [contacts, listed, kinetic] = answer[..] else { return Err("expected three numbers".into()) };
        let version = running.end()?.trim().to_owned();
        Ok(Told { contacts, kinetic, listed: listed / task.spheres as f64, version })
    }
}

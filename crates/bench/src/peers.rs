//! Other programs that step spheres in contact, and what each is told so that it does what we do, as nearly as it can.
//!
//! All are driven in one way (`running.rs`): they read the packing from a file of their own format, take a warm-up, and then
//! step when they are told to. The laws of ours that stand against each are here, beside its own.

pub mod lammps;
pub mod liggghts;
pub mod yade;

use std::io::Write;
use std::path::Path;

use stickslip::law::SpringLaws;

use crate::packing::{Friction, Packing};
use crate::running::{Running, Task};

/// Half a diameter.
pub const RADIUS: f64 = 0.5;
/// Density of a sphere with diameter and mass 1.
pub const DENSITY: f64 = 6.0 / std::f64::consts::PI;

/// What is ours in a contest.
pub struct Ours {
    /// Laws.
    pub laws: SpringLaws,
    /// Local damping.
    pub local_damping: f64,
    /// The laws in words.
    pub said: &'static str,
}

/// One way to run a peer; the fastest of them counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// How far beyond touching pairs are listed (diameters).
    pub skin: f64,
    /// Whether a pair across two processes is computed once (LAMMPS).
    pub newton: bool,
}

/// A law of a peer, and the ways to run it.
pub struct Entry {
    /// Its name there.
    pub law: &'static str,
    /// The ways.
    pub settings: Vec<Setting>,
}

/// What a peer tells of its packing after the last step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Touching contacts, with walls.
    pub contacts: f64,
    /// Translational kinetic energy of all spheres, in units of stiffness times diameter squared.
    pub kinetic: f64,
    /// Listed pairs a sphere.
    pub listed: f64,
    /// Its version.
    pub version: String,
}

/// Another program.
pub trait Peer {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Our laws against it.
    fn ours(&self, friction: Friction) -> Ours;
    /// Its laws, and how it may run them on so many cores.
    fn entries(&self, friction: Friction, cores: usize) -> Vec<Entry>;
    /// Writes a packing as it reads it.
    fn write(&self, packing: &Packing, file: &Path) -> Result<(), String>;
    /// Started, with the warm-up done.
    fn start(&self, task: &Task) -> Result<Running, String>;
    /// Goes on by so many steps: CPU and elapsed time (s).
    fn go_on(&self, running: &mut Running, steps: u64) -> Result<(f64, f64), String>;
    /// Looks at what it has, and ends it.
    fn end(&self, running: Running, task: &Task) -> Result<Told, String>;
}

/// A packing as LAMMPS reads it, with or without what it takes after `Atoms`.
fn write_data(packing: &Packing, density: f64, heading: &str, file: &Path) -> Result<(), String> {
    let half = 0.5 * packing.width;
    let write = || -> std::io::Result<()> {
        let mut out = std::io::BufWriter::new(std::fs::File::create(file)?);
        write!(out, "spheres of diameter 1\n\n{} atoms\n1 atom types\n\n", packing.centres.len())?;
        for axis in ["x", "y", "z"] {
            writeln!(out, "{} {half} {axis}lo {axis}hi", -half)?;
        }
        write!(out, "\n{heading}\n\n")?;
        for (k, centre) in packing.centres.iter().enumerate() {
            writeln!(out, "{} 1 {} {density} {} {} {}", k + 1, 2.0 * RADIUS, centre.x, centre.y, centre.z)?;
        }
        out.flush()
    };
    write().map_err(|error| format!("{}: {error}", file.display()))
}

/// Commands of LAMMPS and LIGGGHTS that count contacts and kinetic energy into a file: pairs twice, walls once.
fn count_commands(half: f64, answer: &str) -> String {
    let near = half - RADIUS;
    let walls: Vec<String> = ["x", "y", "z"].iter().map(|axis| format!("({axis}<{})+({axis}>{near})", -near)).collect();
    format!(
        "variable wall atom {}\ncompute pairs all contact/atom\ncompute ends all reduce sum c_pairs\n\
         compute walls all reduce sum v_wall\nthermo_style custom step ke c_ends c_walls\nrun 0\n\
         variable ends equal c_ends\nvariable walls equal c_walls\nvariable kinetic equal ke\n\
         print \"${{ends}} ${{walls}} ${{kinetic}}\" file {answer}\n",
        walls.join("+")
    )
}

/// What the log of LAMMPS or LIGGGHTS says: the version in its first line, and the listed pairs a sphere of the last run.
fn read_log(log: &str) -> Result<(String, f64), String> {
    let version = log.lines().next().unwrap_or_default().trim().to_owned();
    let listed = log.lines().rev().find_map(|line| line.strip_prefix("Ave neighs/atom = ")?.trim().parse().ok());
    Ok((version, listed.ok_or("the log has no line `Ave neighs/atom = ..`")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_read() {
        let log = "LAMMPS (22 Jul 2025 - Update 4)\nunits lj\nAve neighs/atom = 2.0617\nrun 0\n\
                   Total # of neighbors = 20621\nAve neighs/atom = 2.0621\nNeighbor list builds = 0\n";
        assert_eq!(read_log(log), Ok(("LAMMPS (22 Jul 2025 - Update 4)".into(), 2.0621)));
        assert!(read_log("LAMMPS\nERROR: Unknown command").is_err_and(|error| error.contains("Ave neighs")));
    }

    #[test]
    fn a_packing_is_written_as_lammps_reads_it() {
        let file = std::env::temp_dir().join(format!("stickslip-data-{}", std::process::id()));
        let packing = Packing::bare(vec![glam::DVec3::new(0.1, -1.0 / 3.0, 2.0)], 6.0);
        write_data(&packing, 2.0, "Atoms # sphere", &file).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(
            text,
            "spheres of diameter 1\n\n1 atoms\n1 atom types\n\n-3 3 xlo xhi\n-3 3 ylo yhi\n-3 3 zlo zhi\n\n\
             Atoms # sphere\n\n1 1 1 2 0.1 -0.3333333333333333 2\n"
        );
    }

    #[test]
    fn contacts_with_walls_are_counted_where_spheres_reach_them() {
        let commands = count_commands(3.0, "told");
        assert!(commands.starts_with("variable wall atom (x<-2.5)+(x>2.5)+(y<-2.5)+(y>2.5)+(z<-2.5)+(z>2.5)\n"));
        assert!(commands.ends_with("print \"${ends} ${walls} ${kinetic}\" file told\n"));
    }
}

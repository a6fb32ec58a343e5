//! Work whose instructions are counted, for `cargo xtask counts`: one case a process, under callgrind.
//!
//! What is counted stands in `only_this_is_counted`, which callgrind is told to switch its counter by; all that a case needs is made
//! before. Packings are made by `prepare` in a process of its own, without callgrind, since it would take minutes there. They
//! are made anew each time: the engine gives the same bits everywhere, so the same version counts the same work.
//!
//! Callgrind knows no AVX-512 and says so to the program, so what is counted is compiled for AVX2, or for plain x86-64 when
//! `STICKSLIP_SIMD=off`. Valgrind 3.19 does not know one instruction of AVX2 either that the compiler uses where a sphere touches
//! a wall (`vmovq` from register to register), so most packings here have no walls: they expand a little, within so few steps.
//! It counts instructions, not time: waiting for memory is not seen here, but by `bench --roofline`.

use std::path::Path;

use glam::{DMat3, DVec3};
use stickslip::cell::{Cell, CellInertia, Control, Frame};
use stickslip::collide::sphere_sphere;
use stickslip::contact::{Block, LANES, Lanes};
use stickslip::law::kernel::{self, Kernel, Simd};
use stickslip::law::{
    self, Hertz, Limit, Normal, Roll, RollEpsd, Slide, SlideSlider, Spin, SpinCurvature, SpinMarshall, SpringLaws,
    Tracked,
};
use stickslip::law::{ColdBlock, MemoryLayout};
use stickslip::model::Model;
use stickslip::random::Stream;
use stickslip::state::Mover;
use stickslip::world::{Setup, World};
use stickslip_papers::santos;

use crate::cache::{self, Kind};
use crate::packing::{Friction, Packing, go_on};

/// Spheres of a packing: enough for several chunks of bodies.
const SPHERES: usize = 2000;
/// Steps before any is counted, and steps that are.
const WARM_UP: u32 = 5;
const STEPS: u32 = 20;
/// How often a block is evaluated.
const BLOCKS: usize = 500;

/// What can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Case {
    /// Blocks of 32 contacts, hooke with sliding resisted.
    KernelSlide,
    /// The same with sliding, rolling and spinning resisted.
    KernelAll,
    /// The same with hertz, epsd and marshall.
    KernelHertzEpsd,
    /// The same with hooke and `tracked` against all three.
    KernelTracked,
    /// Steps of a jammed packing without its walls.
    StepJammed,
    /// Steps of a dense packing without its walls.
    StepDense,
    /// Steps of a jammed packing with its walls.
    StepWalls,
    /// Steps of a dense packing in a periodic cell under pressure.
    StepCell,
    /// Making a world: lists of neighbours and the loads at its start.
    Lists,
}

/// What a case has done.
#[derive(Debug, PartialEq)]
pub struct Done {
    /// How often the unit was worked on.
    pub units: u64,
    /// `contact` or `sphere-step` or `sphere`.
    pub unit: &'static str,
}

impl Done {
    /// As `cargo xtask counts` reads it: `units 2000 sphere-step avx2`.
    pub fn line(&self) -> String {
        format!("units {} {} {}", self.units, self.unit, Simd::widest().name())
    }
}

/// Makes the packings that the cases read, in this folder.
pub fn prepare(folder: &Path) -> Result<(), String> {
    for kind in [Kind::Jammed, Kind::Dense] {
        cache::make_anew(folder, kind, SPHERES)?;
    }
    Ok(())
}

/// Does the work of a case, on one thread.
pub fn run(case: Case, folder: &Path) -> Result<Done, String> {
    // Looks at the environment when it is called first, which must not be counted.
    Simd::widest();
    match case {
        Case::KernelSlide => kernel(Friction::Slide.laws()),
        Case::KernelAll => kernel(Friction::All.laws()),
        Case::KernelHertzEpsd => kernel(hertz_epsd()),
        Case::KernelTracked => kernel(tracked()),
        Case::StepJammed => on_one_thread(|| steps(without_walls(&kept(folder, Kind::Jammed)?, None)?)),
        Case::StepDense => on_one_thread(|| steps(without_walls(&kept(folder, Kind::Dense)?, None)?)),
        Case::StepWalls => on_one_thread(|| steps(kept(folder, Kind::Jammed)?.world(Friction::All)?)),
        Case::StepCell => on_one_thread(|| steps(in_cell(&kept(folder, Kind::Dense)?)?)),
        Case::Lists => on_one_thread(|| lists(&kept(folder, Kind::Jammed)?)),
    }
}

/// The one function that is counted. Not a generic one, and nothing within it: callgrind would find its name in theirs, too,
/// and stop counting there.
#[inline(never)]
fn only_this_is_counted(work: &mut dyn FnMut()) {
    work();
    // So that the call above is not the last thing done, which would make it a jump.
    std::hint::black_box(());
}

fn kept(folder: &Path, kind: Kind) -> Result<Packing, String> {
    cache::read(folder, kind, SPHERES).ok_or_else(|| {
        format!("{}: there are no packings; expected those that `count --prepare` makes", folder.display())
    })
}

/// In a pool of one thread: what rayon does elsewhere is done by that thread, too, so that it is counted.
fn on_one_thread(work: impl FnOnce() -> Result<Done, String> + Send) -> Result<Done, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(work)
}

fn steps(mut world: World) -> Result<Done, String> {
    go_on(&mut world, WARM_UP)?;
    let mut outcome = Ok(());
    only_this_is_counted(&mut || outcome = go_on(&mut world, STEPS));
    outcome?;
    Ok(Done { units: u64::from(STEPS) * world.sphere_count() as u64, unit: "sphere-step" })
}

fn lists(packing: &Packing) -> Result<Done, String> {
    let mut made = Err(String::new());
    only_this_is_counted(&mut || made = without_walls(packing, None));
    Ok(Done { units: made?.sphere_count() as u64, unit: "sphere" })
}

/// The packing with its opposite walls joined. Spheres there overlap by no more than both did with the walls.
fn in_cell(packing: &Packing) -> Result<World, String> {
    let frame = Frame {
        corner: DVec3::splat(-0.5 * packing.width),
        ..Frame::new(DMat3::from_diagonal(DVec3::splat(packing.width)))
    };
    let inertia = CellInertia { damping_time: 2.25, energy: 1.0 };
    let target = DMat3::from_diagonal(DVec3::splat(0.01));
    without_walls(
        packing,
        Some(Cell { frame, control: Control::Pressure { target: target.into(), inertia, triclinic: true } }),
    )
}

fn without_walls(packing: &Packing, cell: Option<Cell>) -> Result<World, String> {
    let model = Model { cell, ..santos::model(Friction::All.laws(), santos::STEP) };
    let bodies = packing.centres.iter().map(|&centre| santos::grain(centre)).collect();
    World::new(Setup { model, bodies }).map_err(|error| error.to_string())
}

/// Laws that differ from those of the packings in every motion.
fn hertz_epsd() -> SpringLaws {
    let slide = SlideSlider::new(0.8, 0.5, Limit::mu(0.3));
    let roll = RollEpsd { stiffness: 0.05, slide_stiffness: 0.0, damping_ratio: 0.3, limit: Limit::mu(0.2) };
    SpringLaws {
        normal: Normal::Hertz(Hertz::with_restitution(3.0, 0.5, true)),
        slide: Some(Slide::SpringSlider(slide)),
        roll: Some(Roll::Epsd(roll)),
        spin: Some(Spin::Marshall(SpinMarshall { slide })),
        friction: None,
    }
}

/// The stiffness and coefficients of the packings, by the path of the contact point.
fn tracked() -> SpringLaws {
    let law = Tracked::new(1.0, Limit::mu(1.0)).with_roll(0.5).with_spin(1.0, SpinCurvature::Bodies);
    SpringLaws::with_friction(Friction::Smooth.laws().normal, law::Friction::Tracked(law))
}

fn kernel(laws: SpringLaws) -> Result<Done, String> {
    let pairs = pairs();
    let mut memory = vec![Lanes::ZERO; MemoryLayout::of(&laws).total()];
    let mut pressed = 0.0;
    only_this_is_counted(&mut || {
        pressed = kernel::dispatch(Blocks { laws: &laws, pairs: &pairs, memory: &mut memory });
    });
    // That the laws have acted: else nothing worth counting was done.
    if pressed > 0.0 {
        Ok(Done { units: (BLOCKS * LANES) as u64, unit: "contact" })
    } else {
        Err("no contact of the block bears load".into())
    }
}

/// 32 pairs of spheres that overlap a little and move.
fn pairs() -> Vec<[Mover; 2]> {
    let mut stream = Stream::named(1, "count");
    let mut vector = |size: f64| {
        let mut component = || stream.between(-size, size);
        DVec3::new(component(), component(), component())
    };
    (0..LANES as u32)
        .map(|lane| {
            let (middle, across) = (vector(10.0), vector(1.0) + DVec3::Z * 2.0);
            let apart = across.normalize() * 0.495;
            [middle + apart, middle - apart].map(|position| Mover {
                position,
                radius: 0.5,
                velocity: vector(0.01),
                inverse_mass: 1.0,
                angular_velocity: vector(0.01),
                inverse_inertia: 10.0,
                velocity_ahead: [0.0; 3],
                angular_velocity_ahead: [0.0; 3],
                id: lane,
                special: 0,
            })
        })
        .collect()
}

/// Gathers and evaluates the same pairs again and again; returns the sum of the normal forces.
struct Blocks<'a> {
    laws: &'a SpringLaws,
    pairs: &'a [[Mover; 2]],
    memory: &'a mut [Lanes],
}

impl Kernel for Blocks<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        // A variable of this function, as in the engine: behind a reference the compiler would not vectorise.
        let mut block = Block::EMPTY;
        block.dt = santos::STEP;
        for _ in 0..BLOCKS {
            for (lane, [a, b]) in self.pairs.iter().enumerate() {
                sphere_sphere::gather(&mut block, lane, a, b, DVec3::ZERO);
            }
            block.live = u32::MAX;
            kernel::evaluate::<LANES>(self.laws, &mut block, self.memory, ColdBlock::new(&mut [], 0));
        }
        block.sums[4].0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_count_their_contacts() {
        for case in [Case::KernelSlide, Case::KernelAll, Case::KernelHertzEpsd, Case::KernelTracked] {
            let done = run(case, Path::new("nowhere")).unwrap();
            assert_eq!(done, Done { units: (BLOCKS * LANES) as u64, unit: "contact" });
        }
    }

    #[test]
    fn the_pairs_touch_a_little() {
        for [a, b] in pairs() {
            let overlap = 1.0 - a.position.distance(b.position);
            assert!((0.009..0.011).contains(&overlap), "{overlap}");
        }
    }

    #[test]
    fn a_packing_whose_walls_are_joined_is_sound_and_flows() {
        let (packing, _) = Packing::dense(200).unwrap();
        let mut world = in_cell(&packing).unwrap();
        let before = world.cell().unwrap().frame.volume();
        go_on(&mut world, 20).unwrap();
        assert!(world.contact_count() > 400, "{}", world.contact_count());
        assert_ne!(world.cell().unwrap().frame.volume(), before);
    }

    #[test]
    fn without_packings_the_remedy_is_said() {
        let error = run(Case::StepJammed, Path::new("nowhere")).unwrap_err();
        assert!(error.contains("count --prepare"), "{error}");
    }

    #[test]
    fn the_line_names_units_and_width() {
        let line = Done { units: 12, unit: "sphere-step" }.line();
        assert_eq!(line, format!("units 12 sphere-step {}", Simd::widest().name()));
    }
}

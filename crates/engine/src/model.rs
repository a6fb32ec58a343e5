//! What does not change in a run: materials, laws, gravity, the step, what comes and goes, and the few things special
//! about a few bodies.

use glam::{DQuat, DVec3};

use crate::body::{Motion, MovingPose, Prescribed};
use crate::cell::{Cell, Control};
use crate::cone::{Cone, Solver};
use crate::inflow::{Inflow, Outflow};
use crate::joint::Joint;
use crate::law::pair_memory::SLIPS;
use crate::law::{MemorySize, PairLaws, Reach, SpringLaws};
use crate::schedule::Signal;
use crate::shape::Shape;

/// A material: what a body is made of, and by which laws are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the scene.
    pub name: String,
    /// Density (kg/m^3).
    pub density: f64,
}

/// How the explicit method advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Integrator {
    /// Half kick, drift, loads, half kick (THEORY.md section 4.1).
    #[default]
    VelocityVerlet,
    /// Kick with the loads from x(t), v(t), then drift (THEORY.md section 4.2).
    SymplecticEuler,
}

/// Settings of the explicit method: soft contacts, small steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Explicit {
    /// How to advance.
    pub integrator: Integrator,
    /// Fraction of the unbalanced force (and torque) taken against the velocity, component by component.
    pub local_damping: f64,
}

impl Explicit {
    /// With this integrator.
    pub fn with_integrator(self, integrator: Integrator) -> Self {
        Explicit { integrator, ..self }
    }

    /// With this local damping.
    pub fn with_local_damping(self, local_damping: f64) -> Self {
        Explicit { local_damping, ..self }
    }
}

/// Settings of the nonsmooth method: rigid contacts with friction cones, large steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nonsmooth {
    /// Which law of friction is solved.
    pub cone: Cone,
    /// What finds the impulses.
    pub solver: Solver,
    /// Of each update of a contact, in (0, 2).
    pub relaxation: f64,
    /// Residual to reach (m/s): root mean square over contacts; the largest may be ten times that. See `tolerance_at`.
    pub tolerance: Option<f64>,
    /// Iterations after which a step counts as unsolved.
    pub max_iterations: u32,
    /// Exactly so many iterations instead, whatever the residual.
    pub iterations: Option<u32>,
    /// Overlap is pushed out no faster than this (m/s).
    pub recovery_speed: Option<f64>,
}

impl Default for Nonsmooth {
    fn default() -> Self {
        let (tolerance, iterations, recovery_speed) = (None, None, None);
        Nonsmooth {
            cone: Cone::Exact,
            solver: Solver::Auto,
            relaxation: 1.0,
            tolerance,
            max_iterations: 1000,
            iterations,
            recovery_speed,
        }
    }
}

impl Nonsmooth {
    /// The residual to reach (m/s): as it is given, or a hundredth of what a body gains by gravity (m/s^2) in a step.
    pub fn tolerance_at(&self, gravity: f64, dt: f64) -> f64 {
        // Beyond all numbers is as good as the largest.
        let weight = (0.01 * gravity * dt).min(f64::MAX);
        self.tolerance.unwrap_or(if weight > 0.0 { weight } else { 1e-6 })
    }
}

/// How a world advances, with the settings of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Forces of soft contacts, integrated by small steps.
    Explicit(Explicit),
    /// Impulses of rigid contacts, solved for together in large steps.
    Nonsmooth(Nonsmooth),
}

impl Method {
    /// Whether contact impulses are solved for, so that steps have a residual.
    pub fn solves(&self) -> bool {
        matches!(self, Method::Nonsmooth(_))
    }
}

impl Default for Method {
    fn default() -> Self {
        Method::Explicit(Explicit::default())
    }
}

impl From<Explicit> for Method {
    fn from(settings: Explicit) -> Self {
        Method::Explicit(settings)
    }
}

impl From<Nonsmooth> for Method {
    fn from(settings: Nonsmooth) -> Self {
        Method::Nonsmooth(settings)
    }
}

/// Which laws act between which materials.
#[derive(Clone, Debug, PartialEq)]
pub struct LawTable {
    materials: usize,
    pairs: Vec<Option<PairLaws>>,
    /// How much a contact of each pair remembers.
    memory: Vec<MemorySize>,
    /// The pairs that do not touch; empty where all may.
    passing: Vec<bool>,
}

impl Default for LawTable {
    fn default() -> Self {
        LawTable::new(0)
    }
}

impl LawTable {
    /// No law between any two of `materials` materials.
    pub fn new(materials: usize) -> Self {
        let pairs = materials * materials;
        let memory = vec![MemorySize { hot: SLIPS, cold: 0 }; pairs];
        LawTable { materials, pairs: vec![None; pairs], memory, passing: Vec::new() }
    }

    /// Sets the laws of an unordered pair of materials.
    pub fn set(&mut self, first: u16, second: u16, laws: impl Into<PairLaws>) {
        let (i, j, laws) = (first as usize, second as usize, laws.into());
        for pair in [i * self.materials + j, j * self.materials + i] {
            self.pairs[pair] = Some(laws);
            self.memory[pair] = laws.layout().size();
            self.passing.iter_mut().skip(pair).take(1).for_each(|passes| *passes = false);
        }
    }

    /// Makes an unordered pair of materials pass through each other: it needs no laws then, and has none.
    pub fn let_pass(&mut self, first: u16, second: u16) {
        let (i, j) = (first as usize, second as usize);
        self.passing.resize(self.pairs.len(), false);
        for pair in [i * self.materials + j, j * self.materials + i] {
            self.pairs[pair] = None;
            self.memory[pair] = MemorySize { hot: SLIPS, cold: 0 };
            self.passing[pair] = true;
        }
    }

    /// Whether an unordered pair of materials touches where its bodies meet: unless `let_pass` says otherwise.
    #[inline(always)]
    pub fn touches(&self, first: u16, second: u16) -> bool {
        self.passing.is_empty() || !self.passing[first as usize * self.materials + second as usize]
    }

    /// Whether every pair of materials touches where its bodies meet.
    #[inline(always)]
    pub fn all_touch(&self) -> bool {
        self.passing.is_empty()
    }

    /// Every pair that was spoken of, the lower index first: its laws, or `None` where it does not touch.
    pub fn said(&self) -> impl Iterator<Item = ([u16; 2], Option<&PairLaws>)> {
        let count = self.materials as u16;
        let all = (0..count).flat_map(move |i| (i..count).map(move |j| [i, j]));
        all.filter_map(|[i, j]| {
            let laws = self.get(i, j);
            (laws.is_some() || !self.touches(i, j)).then_some(([i, j], laws))
        })
    }

    /// How many materials there are.
    pub fn materials(&self) -> usize {
        self.materials
    }

    /// Numbers that a contact of any pair remembers, at most.
    pub fn most_numbers(&self) -> usize {
        self.memory.iter().map(|size| size.total()).max().unwrap_or(SLIPS)
    }

    /// How much a contact of an unordered pair of materials remembers.
    #[inline(always)]
    pub fn memory_size(&self, first: u16, second: u16) -> MemorySize {
        self.memory[first as usize * self.materials + second as usize]
    }

    /// The laws of an unordered pair of materials.
    #[inline(always)]
    pub fn get(&self, first: u16, second: u16) -> Option<&PairLaws> {
        self.pairs.get(first as usize * self.materials + second as usize)?.as_ref()
    }

    /// The spring laws of an unordered pair of materials; `None` without laws, or with those of another kind.
    #[inline(always)]
    pub fn springs(&self, first: u16, second: u16) -> Option<&SpringLaws> {
        self.get(first, second)?.springs()
    }

    /// Where contacts of an unordered pair of materials with this effective radius (m) begin and end.
    pub fn reach(&self, first: u16, second: u16, radius_eff: f64) -> Reach {
        let normal = self.get(first, second).and_then(PairLaws::soft_normal);
        normal.map_or(Reach::TOUCH, |normal| normal.reach(radius_eff))
    }

    /// No contact with at most this effective radius (m) acts across a larger gap (m): 0 unless a law acts apart.
    pub fn farthest(&self, radius_eff: f64) -> f64 {
        let normals = self.pairs.iter().flatten().filter_map(PairLaws::soft_normal);
        normals.map(|normal| normal.reach(radius_eff).end).fold(0.0, f64::max)
    }

    /// The first pair of materials whose laws a method does not take, the lower index first.
    pub fn first_unfit(&self, takes: impl Fn(&PairLaws) -> bool) -> Option<[u16; 2]> {
        let unfit = |laws: &Option<PairLaws>| laws.is_some_and(|laws| !takes(&laws));
        let at = self.pairs.iter().position(unfit)?;
        Some([(at / self.materials) as u16, (at % self.materials) as u16])
    }
}

/// The constant part of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Acceleration (m/s^2).
    pub gravity: Signal<DVec3>,
    /// Step (s).
    pub dt: f64,
    /// How to advance.
    pub method: Method,
    /// Materials, by index.
    pub materials: Vec<Material>,
    /// Laws by pair of materials.
    pub laws: LawTable,
    /// Streams of bodies that arrive during the run.
    pub inflows: Vec<Inflow>,
    /// The box beyond which bodies are taken out, if there is one.
    pub outflow: Option<Outflow>,
    /// The periodic cell, if there is one.
    pub cell: Option<Cell>,
    /// Joints between bodies, by number.
    pub joints: Vec<Joint>,
}

impl Model {
    /// The explicit method with velocity Verlet, without gravity, local damping or traffic.
    pub fn new(materials: Vec<Material>, dt: f64) -> Self {
        let laws = LawTable::new(materials.len());
        Model {
            gravity: Signal::default(),
            dt,
            method: Method::default(),
            materials,
            laws,
            inflows: Vec::new(),
            outflow: None,
            cell: None,
            joints: Vec::new(),
        }
    }

    /// Whether the cell may change its shape.
    pub(crate) fn flows(&self) -> bool {
        self.cell.as_ref().is_some_and(|cell| cell.control != Control::Fixed)
    }

    /// Whether gravity or what drives the cell follows a schedule: then steps do not share a pass over the bodies.
    pub(crate) fn is_steered(&self) -> bool {
        let of_cell = self.cell.as_ref().is_some_and(|cell| cell.control.is_scheduled());
        of_cell || self.gravity.schedule().is_some()
    }

    /// Whether the stress at the end of a step decides how the cell goes on.
    pub(crate) fn controls_stress(&self) -> bool {
        let control = self.cell.as_ref().map(|cell| &cell.control);
        matches!(control, Some(Control::Pressure { .. } | Control::MeanStress { .. }))
    }
}

/// The colliders of a body: numbers in the one list of all (`Geometry::colliders`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColliderRange {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl ColliderRange {
    /// Their numbers.
    pub fn numbers(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// The number of the first, if there is one.
    #[inline(always)]
    pub fn first(self) -> Option<usize> {
        (self.count > 0).then_some(self.first as usize)
    }
}

/// What is special about a body: anything but a free sphere with equal moments of inertia.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Special {
    /// What moves it.
    pub motion: Motion,
    /// Where it started, for prescribed motion.
    pub position0: DVec3,
    /// As it started, for prescribed motion.
    pub orientation0: DQuat,
    /// 1 where a component of velocity is free, 0 where it is locked.
    pub free: DVec3,
    /// The same for the angular velocity.
    pub free_turn: DVec3,
    /// The force that always acts.
    pub force: Signal<DVec3>,
    /// The torque that always acts.
    pub torque: Signal<DVec3>,
    /// Principal moments of inertia, when they differ.
    pub inertia_body: Option<DVec3>,
    /// `body_from_principal`: the frame of these.
    pub inertia_axes: DQuat,
    /// Centre of mass, which is where the body's record is, in the body's frame.
    pub centre: DVec3,
    /// The shape of a body that is no sphere around its centre of mass.
    pub shape: Option<Shape>,
    /// What it carries of the world's colliders (`geometry.rs`).
    pub colliders: ColliderRange,
}

impl Special {
    /// Where prescribed motion has brought the body at a time of the run (s), and how fast it goes.
    pub fn pose(&self, prescribed: &Prescribed, time: f64) -> MovingPose {
        prescribed.pose(self.position0, self.orientation0, time)
    }

    /// The same in the middle of the step of `dt` that ends then: see `Prescribed::pose_amid`.
    pub fn pose_amid(&self, prescribed: &Prescribed, time: f64, dt: f64) -> MovingPose {
        prescribed.pose_amid(self.position0, self.orientation0, time, dt)
    }

    /// `world_from_principal` of a body that is turned like this.
    #[inline]
    pub fn principal(&self, world_from_body: DQuat) -> DQuat {
        // Without arithmetic where there is nothing to turn.
        if self.inertia_axes == DQuat::IDENTITY { world_from_body } else { world_from_body * self.inertia_axes }
    }

    /// `world_from_body` from `world_from_principal`.
    #[inline]
    pub fn body_of_principal(&self, principal: DQuat) -> DQuat {
        if self.inertia_axes == DQuat::IDENTITY { principal } else { principal * self.inertia_axes.inverse() }
    }

    /// Whether the body is a wall.
    pub fn is_wall(&self) -> bool {
        self.shape.as_ref().is_some_and(Shape::is_wall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Hooke, Normal};

    #[test]
    fn the_pair_that_a_method_does_not_take_is_found() {
        let with_stiffness = |k: f64| SpringLaws::frictionless(Normal::Hooke(Hooke::new(k, 0.0)));
        let mut table = LawTable::new(3);
        table.set(0, 0, with_stiffness(1.0));
        table.set(2, 1, with_stiffness(2.0));
        assert_eq!(table.first_unfit(|_| true), None);
        let soft = |laws: &PairLaws| laws.springs() == Some(&with_stiffness(1.0));
        assert_eq!(table.first_unfit(soft), Some([1, 2]));
        assert_eq!((table.springs(1, 2), table.springs(0, 1)), (Some(&with_stiffness(2.0)), None));
    }

    #[test]
    fn the_last_word_on_a_pair_counts() {
        let laws = SpringLaws::frictionless(Normal::Hooke(Hooke::new(1.0, 0.0)));
        let mut table = LawTable::new(3);
        assert!(table.all_touch() && table.touches(0, 2), "a pair without laws is an error, not one that passes");
        table.set(0, 2, laws);
        table.let_pass(2, 0);
        table.let_pass(1, 1);
        assert!(!table.touches(0, 2) && !table.touches(2, 0) && table.touches(0, 1) && !table.all_touch());
        assert_eq!(table.get(0, 2), None);
        table.set(1, 1, laws);
        assert!(table.touches(1, 1));
        let said: Vec<_> = table.said().map(|(pair, laws)| (pair, laws.is_some())).collect();
        assert_eq!(said, [([0, 2], false), ([1, 1], true)]);
    }
}

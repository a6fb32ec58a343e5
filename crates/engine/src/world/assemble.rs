//! From bodies as described to a world: checks, packed records, what is special about a few.

use std::borrow::Borrow;

use glam::{DMat3, DQuat, DVec3};

use super::World;
use super::joints;
use super::work::{self, Work};
use crate::body::{Body, Motion};
use crate::cell::{Cell, CellInertia, CellState, Control, diagonal, trace};
use crate::clock::Clock;
use crate::collide::{is_touched, solid};
use crate::error::BuildError;
use crate::geometry::Geometry;
use crate::inflow::{Entrance, Inflow, MOST_SITES, Queue, Traffic};
use crate::law::SpringLaws;
use crate::ledger::Sums;
use crate::model::{Method, Model};
use crate::mover::{check_body, mover_of};
use crate::setup::{Described, Setup};
use crate::shape::Shape;
use crate::state::{Bodies, Contacts, GONE, Load, Mover, State, chunk_size};

impl World {
    /// The world of a setup, before any lists. Bodies as described take more room than as they are kept: they go before
    /// the rest is made.
    pub(super) fn assemble(setup: Setup) -> Result<World, BuildError> {
        World::assemble_without(setup, &[])
    }

    /// The same without bodies that stages took out, by rising id: they are described, and nowhere.
    pub(super) fn assemble_without(setup: Setup, removed: &[u32]) -> Result<World, BuildError> {
        let mut world = World::described(setup.model, setup.bodies.iter(), removed)?;
        drop(setup.bodies);
        world.state.bodies.loads = vec![Load::default(); world.state.bodies.movers.len()];
        Ok(world)
    }

    /// The same of bodies that the caller keeps.
    pub(super) fn assemble_from(setup: &Described) -> Result<World, BuildError> {
        let mut world = World::described(setup.model.clone(), setup.bodies.iter(), &[])?;
        world.state.bodies.loads = vec![Load::default(); world.state.bodies.movers.len()];
        Ok(world)
    }

    /// The same, without loads.
    fn described<B: Borrow<Body>>(
        model: Model,
        described: impl ExactSizeIterator<Item = B> + Clone,
        removed: &[u32],
    ) -> Result<World, BuildError> {
        if !(model.dt > 0.0 && model.dt.is_finite()) {
            return Err(BuildError::BadStep(model.dt));
        }
        if let Some(pair) = model.laws.first_unfit(work::taken_by(&model.method)) {
            let [first, second] = pair.map(|material| model.materials[usize::from(material)].name.clone());
            return Err(BuildError::UnfitLaws { first, second });
        }
        check_inflows(&model)?;
        joints::check(&model, described.len())?;
        let to_come = model.inflows.iter().fold(0_u64, |sum, inflow| sum.saturating_add(inflow.count));
        let all = to_come.saturating_add(described.len() as u64);
        if all >= u64::from(u32::MAX) {
            return Err(BuildError::TooMany(all as usize));
        }
        let (mut specials, mut any_solid) = (Vec::new(), false);
        let [mut spheres, mut walls] = [(described.len(), described.len()), (0, 0)]
            .map(|(movers, turned)| (Vec::<Mover>::with_capacity(movers), Vec::<DQuat>::with_capacity(turned)));
        let (mut material_of, mut laws) = (Vec::with_capacity(described.len()), Laws::new(&model));
        for (id, body) in described.clone().enumerate() {
            let body = body.borrow();
            check_body(id as u32, body, &model)?;
            material_of.push(body.material);
            if removed.binary_search(&(id as u32)).is_ok() {
                continue;
            }
            work::check_body(&model.method, id as u32, body)?;
            let mover = mover_of(id as u32, body, &model, &mut specials);
            any_solid |= body.shape.is_solid();
            let group = if mover.radius > 0.0 { &mut spheres } else { &mut walls };
            group.0.push(mover);
            group.1.push(body.orientation.normalize());
            laws.meet(&model, id as u32, body);
        }
        laws.check(&model, described.len() as u32)?;
        if any_solid || model.inflows.iter().any(|inflow| !inflow.mould.shape().is_sphere()) {
            check_solids(&model, described.clone())?;
        }
        if model.cell.is_some() {
            check_cell(&model, described)?;
        }
        let (mut movers, mut orientations) = spheres;
        let cell = model.cell.as_ref().map(|cell| CellState::new(cell, centre_of(&movers)));
        // Walls last, each group by id.
        let first_wall = movers.len();
        movers.append(&mut walls.0);
        orientations.append(&mut walls.1);
        let index_of = vec![GONE; material_of.len()];
        let chunk = chunk_size(movers.len());
        let mut bodies =
            Bodies { movers, orientations, index_of, material_of, specials, first_wall, chunk, ..Bodies::default() };
        bodies.note_indices();
        let geometry = Geometry::of(&mut bodies);
        let queue = |inflow: &Inflow| Queue::starting(inflow, Clock::default(), model.dt);
        let traffic = Traffic { queues: model.inflows.iter().map(queue).collect(), ..Traffic::default() };
        let contacts = Contacts::of(&model.method);
        let clock = Clock::default();
        let joints = joints::at_start(&model, &bodies);
        let state = State { step: 0, clock, bodies, contacts, joints, sums: Sums::default(), traffic, cell };
        let work = Work::new(&model, &state)?;
        Ok(World { model, state, geometry, work })
    }
}

/// The least height of a cell over its vector: below, whole numbers of vectors are not exact any more.
const FLATTEST: f64 = 1e-6;

/// Cells away from which a body may be put back: beyond, images are hardly told from rounding.
const FARTHEST: f64 = 1e6;

/// The most that a cell may be told to strain in a step; at 2 it would turn inside out.
const MOST_STRAIN: f64 = 0.1;

/// A cell must have a volume, and hold only what can be put back into it.
fn check_cell<B: Borrow<Body>>(model: &Model, bodies: impl Iterator<Item = B> + Clone) -> Result<(), BuildError> {
    let Some(cell) = &model.cell else { return Ok(()) };
    let bad = |what: &str| Err(BuildError::BadCell(what.into()));
    let (frame, flows) = (&cell.frame, cell.control != Control::Fixed);
    if !(frame.vectors.is_finite() && frame.corner.is_finite() && frame.volume() > 0.0) {
        return bad("its three vectors must span a volume, and be right-handed");
    }
    let lengths = [0, 1, 2].map(|k| frame.vectors.col(k).length());
    if frame.heights().into_iter().zip(lengths).any(|(height, length)| height < FLATTEST * length) {
        return bad(
            "its vectors lean over each other so far that rounding hides its shape: take others of the lattice",
        );
    }
    check_control(cell)?;
    if cell.control.largest_rate() * model.dt > MOST_STRAIN {
        return bad("it strains by more than a tenth in one step: take a smaller step, or strain it more slowly");
    }
    if !model.inflows.is_empty() {
        return bad("streams in a cell are not built yet");
    }
    let vectors = [frame.vectors.x_axis, frame.vectors.y_axis, frame.vectors.z_axis];
    let far = |body: &Body| {
        let s = frame.fractions(body.position);
        (0..3).any(|k| frame.periodic[k] && s[k].abs() > FARTHEST)
    };
    if let Some(id) = bodies.clone().position(|body| far(body.borrow())) {
        return bad(&format!("body {id} lies more than a million cells away from it"));
    }
    for (id, body) in bodies.enumerate() {
        let body = body.borrow();
        let what = match body.shape {
            Shape::Sphere { .. } if flows && body.motion != Motion::Free => {
                "is not free, in a cell that changes its shape"
            }
            Shape::Sphere { .. } if matches!(body.motion, Motion::Free | Motion::Held | Motion::Fixed) => continue,
            Shape::Sphere { .. } => "is driven: in a cell spheres are free, held or fixed",
            Shape::Plane { normal } if !flows => {
                let normal = body.orientation * normal.normalize();
                if matches!(&body.motion, Motion::Prescribed(motion) if motion.tilts(normal)) {
                    return bad(&format!("body {id} is a plane that turns, which a cell has no room for"));
                }
                let crosses = |k: usize| frame.periodic[k] && normal.dot(vectors[k]).abs() > 1e-9 * vectors[k].length();
                if !(0..3).any(crosses) {
                    continue;
                }
                "is a plane that crosses a direction in which the cell repeats"
            }
            Shape::Plane { .. } => "is a wall, in a cell that changes its shape",
            Shape::Ellipsoid { .. } => "is an ellipsoid, which is not built yet in a cell",
            Shape::Box { .. } => "is a box, which is not built yet in a cell",
            _ => "is a wall other than a plane, which is not built yet in a cell",
        };
        return Err(BuildError::BadCell(format!("body {id} {what}")));
    }
    Ok(())
}

fn check_control(cell: &Cell) -> Result<(), BuildError> {
    let bad = |what: &str| Err(BuildError::BadCell(what.into()));
    if cell.control != Control::Fixed && !cell.frame.repeats_everywhere() {
        return bad("one that changes its shape must repeat in every direction");
    }
    let positive = |inertia: &CellInertia| {
        let finite = inertia.damping_time.is_finite() && inertia.energy.is_finite();
        finite && inertia.damping_time > 0.0 && inertia.energy > 0.0
    };
    match &cell.control {
        Control::Fixed => Ok(()),
        Control::Strain { gradient } if gradient.values().iter().all(DMat3::is_finite) => Ok(()),
        Control::Strain { .. } => bad("its velocity gradient must be finite"),
        Control::Pressure { target, .. } if !target.values().iter().all(|m| m.is_finite() && *m == m.transpose()) => {
            bad("its target must be finite and symmetric")
        }
        Control::Pressure { target, .. } if target.values().iter().any(|m| trace(*m) <= 0.0) => {
            bad("its mean target must be a pressure above zero")
        }
        Control::Pressure { inertia, .. } | Control::MeanStress { inertia, .. } if !positive(inertia) => {
            bad("its damping time and its energy must be above zero")
        }
        Control::Pressure { target, triclinic: false, .. } if !target.values().iter().copied().all(is_diagonal) => {
            bad("one that is not triclinic cannot hold a target that shears it")
        }
        Control::Pressure { triclinic: false, .. } => {
            let straight = is_diagonal(cell.frame.vectors);
            if straight { Ok(()) } else { bad("one that is not triclinic has its vectors along x, y and z") }
        }
        Control::Pressure { .. } => Ok(()),
        Control::MeanStress { pressure, axis, rate, .. } => {
            let pressures = pressure.values().iter().all(|p| *p > 0.0 && p.is_finite());
            let sound = pressures && *axis < 3 && rate.largest().is_finite();
            if sound { Ok(()) } else { bad("its mean stress must be above zero, its axis x, y or z, its rate finite") }
        }
    }
}

fn is_diagonal(m: DMat3) -> bool {
    m == diagonal(m)
}

/// Centre of mass of the bodies that loads move (m).
fn centre_of(movers: &[Mover]) -> DVec3 {
    let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
    for mover in movers.iter().filter(|mover| mover.inverse_mass > 0.0) {
        sum += mover.position / mover.inverse_mass;
        mass += 1.0 / mover.inverse_mass;
    }
    if mass > 0.0 { sum / mass } else { DVec3::ZERO }
}

/// What a stream brings must be bodies, and its numbers must be numbers.
fn check_inflows(model: &Model) -> Result<(), BuildError> {
    for (stream, inflow) in model.inflows.iter().enumerate() {
        let bad = |what, value, expected| Err(BuildError::BadStream { stream, what, value, expected });
        let rate = inflow.rate.signal();
        let unsound = |rate: &f64| !(*rate >= 0.0 && rate.is_finite());
        if let Some(rate) = rate.values().iter().find(|rate| unsound(rate)).or(rate.is_zero().then_some(&0.0)) {
            return bad("rate", *rate, "a positive number");
        }
        if !(inflow.start >= 0.0 && inflow.start.is_finite()) {
            return bad("start", inflow.start, "a number that is not negative");
        }
        let [from, to] = inflow.entrance.bounds();
        if !from.cmple(to).all() || !to.is_finite() {
            return bad("a corner of the box", f64::NAN, "`to` not below `from`");
        }
        if let Entrance::Sites(sites) = inflow.entrance
            && !(1..=u64::from(MOST_SITES)).contains(&sites.count())
        {
            return bad("the number of sites", sites.count() as f64, "from 1 to 10000");
        }
        let [least, most] = inflow.mould.radii();
        if !(least > 0.0 && most.is_finite()) {
            return bad("radius", least, "a positive number");
        }
        if least > most {
            return bad("the largest radius", most, "at least the smallest");
        }
        if inflow.body.motion != Motion::Free {
            return bad("the motion", f64::NAN, "a free one");
        }
        let material = model.materials.get(usize::from(inflow.material()));
        for body in inflow.extremes(material.map_or(0.0, |material| material.density)) {
            check_body(0, &body, model)?;
        }
    }
    Ok(())
}

/// Every two bodies that could meet, at least one of them moved by loads, need laws; those to come, too.
struct Laws {
    /// Of each material the first body that is not moved, and the first that is.
    seen: Vec<[Option<u32>; 2]>,
    /// The first pair without laws.
    missing: Option<BuildError>,
}

impl Laws {
    fn new(model: &Model) -> Self {
        Laws { seen: vec![[None; 2]; model.materials.len()], missing: None }
    }

    /// Notes a body, whose material must be there.
    fn meet(&mut self, model: &Model, id: u32, body: &Body) {
        let (material, moved) = (body.material, body.motion.yields());
        for (other, ids) in self.seen.iter().enumerate() {
            // A moved body meets any; one that is not meets only moved ones.
            let partner = if moved { ids[1].or(ids[0]) } else { ids[1] };
            if !model.laws.touches(material, other as u16) {
                continue;
            }
            if let (Some(a), None, None) = (partner, model.laws.get(material, other as u16), &self.missing) {
                let name = |material: usize| model.materials[material].name.clone();
                let (first, second) = (name(other), name(material as usize));
                self.missing = Some(BuildError::NoLaws { a, b: id, first, second });
            }
        }
        self.seen[material as usize][moved as usize].get_or_insert(id);
    }

    /// The same for bodies to come, the first of which has this id; then, what is missing.
    fn check(mut self, model: &Model, first: u32) -> Result<(), BuildError> {
        // Of a stream two bodies stand for all: they may meet each other.
        for (id, body) in (first..).zip(model.inflows.iter().flat_map(two_of)) {
            self.meet(model, id, &body);
        }
        self.missing.map_or(Ok(()), Err)
    }
}

/// Two bodies of a stream, or one if no more come: they stand for all.
fn two_of(inflow: &Inflow) -> impl Iterator<Item = Body> + Clone {
    let one = inflow.extremes(0.0).swap_remove(0);
    std::iter::repeat_n(one, inflow.count.min(2) as usize)
}

/// Two bodies that may meet must be a pair of shapes that is built, under laws that know such shapes; those to come, too.
fn check_solids<B: Borrow<Body>>(
    model: &Model,
    bodies: impl ExactSizeIterator<Item = B> + Clone,
) -> Result<(), BuildError> {
    let to_come: Vec<Body> = model.inflows.iter().flat_map(two_of).collect();
    let all = || bodies.clone().map(Either::There).chain(to_come.iter().map(Either::ToCome));
    // What two boxes may not do, other boxes may not either: the first two bodies of a sort stand for all.
    let mut sorts: Vec<Sort> = Vec::new();
    for (id, body) in (0_u32..).zip(all()) {
        let sort = Sort::of(id, body.get());
        match sorts.iter_mut().find(|known| known.is_like(&sort)) {
            Some(known) => known.second = known.second.or(Some(id)),
            None => sorts.push(sort),
        }
    }
    for (i, one) in sorts.iter().enumerate().filter(|(_, one)| one.is_solid()) {
        let others = sorts.iter().enumerate().filter_map(|(j, other)| {
            let id = if j == i { other.second } else { Some(other.first) };
            Some((id?, other))
        });
        let mut others: Vec<_> = others.filter(|(_, other)| one.yields || other.yields).collect();
        others.sort_by_key(|(id, _)| *id);
        for (id, other) in others {
            one.check_with(other, id, model)?;
        }
    }
    Ok(())
}

/// Bodies of the same shapes, material and way to be moved.
struct Sort {
    first: u32,
    second: Option<u32>,
    kind: &'static str,
    /// One shape of each kind among its parts.
    shapes: Vec<Shape>,
    yields: bool,
    material: u16,
}

impl Sort {
    fn of(id: u32, body: &Body) -> Sort {
        let mut shapes: Vec<Shape> = Vec::new();
        let parts = if let Shape::Clump(clump) = &body.shape { clump.parts() } else { &[] };
        for shape in parts.iter().map(|part| &part.shape).chain(parts.is_empty().then_some(&body.shape)) {
            if shapes.iter().all(|known| known.kind() != shape.kind()) {
                shapes.push(shape.clone());
            }
        }
        shapes.sort_by_key(Shape::kind);
        let (kind, yields) = (body.shape.kind(), body.motion.yields());
        Sort { first: id, second: None, kind, shapes, yields, material: body.material }
    }

    fn is_like(&self, other: &Sort) -> bool {
        let key = |sort: &Sort| (sort.kind, sort.yields, sort.material);
        key(self) == key(other) && self.shapes.iter().map(Shape::kind).eq(other.shapes.iter().map(Shape::kind))
    }

    fn is_solid(&self) -> bool {
        self.kind == "clump" || self.shapes[0].is_solid()
    }

    /// Whether bodies of this sort may meet one of another, which has an id, by the method of a model.
    fn check_with(&self, other: &Sort, id: u32, model: &Model) -> Result<(), BuildError> {
        let (a, b) = (self.first.min(id), self.first.max(id));
        let pairs = || self.shapes.iter().flat_map(|one| other.shapes.iter().map(move |two| (one, two)));
        if !model.laws.touches(self.material, other.material) {
            return Ok(());
        }
        let springs = model.laws.springs(self.material, other.material);
        if springs.is_some_and(SpringLaws::knows_spheres_only) {
            return Err(BuildError::NeedsPoints { a, b, kind: self.kind });
        }
        let built = |(one, two): (&Shape, &Shape)| match model.method {
            Method::Explicit(_) => solid::is_built(one, two),
            Method::Nonsmooth(_) => is_touched(one, two),
        };
        if !pairs().all(built) {
            let [first, second] = if self.first < id { [self.kind, other.kind] } else { [other.kind, self.kind] };
            return Err(BuildError::NotBuilt { a, b, first, second });
        }
        Ok(())
    }
}

/// A body that is there, or one of a stream.
enum Either<'a, B> {
    There(B),
    ToCome(&'a Body),
}

impl<B: Borrow<Body>> Either<'_, B> {
    fn get(&self) -> &Body {
        match self {
            Either::There(body) => body.borrow(),
            Either::ToCome(body) => body,
        }
    }
}

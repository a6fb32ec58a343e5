//! From bodies as described to a world: checks, packed records, what is special about a few.

use std::borrow::Borrow;

use glam::{DMat3, DQuat, DVec3};

use super::packing::trace;
use super::{Phases, Setup, World};
use crate::body::{Body, Described, Motion};
use crate::cell::{Cell, CellInertia, CellState, Control};
use crate::collide::general::Solid;
use crate::collide::solid::{self, Form, Posed};
use crate::error::BuildError;
use crate::inflow::{Inflow, Queue, Traffic};
use crate::law::MemoryLayout;
use crate::law::PairLaws;
use crate::law::pair_memory::SLIPS;
use crate::ledger::Sums;
use crate::model::{Integrator, Model, Special};
use crate::neighbour::{Image, Neighbours};
use crate::shape::Shape;
use crate::state::{Bodies, Load, Mover, State};

impl World {
    /// The world of a setup, before any lists. Bodies as described take more room than as they are kept: they go before
    /// the rest is made.
    pub(super) fn assemble(setup: Setup) -> Result<World, BuildError> {
        let mut world = World::described(setup.model, setup.bodies.iter())?;
        drop(setup.bodies);
        world.state.bodies.loads = vec![Load::default(); world.state.bodies.movers.len()];
        Ok(world)
    }

    /// The same of bodies that the caller keeps.
    pub(super) fn assemble_from(setup: &Described) -> Result<World, BuildError> {
        let mut world = World::described(setup.model.clone(), setup.bodies.iter())?;
        world.state.bodies.loads = vec![Load::default(); world.state.bodies.movers.len()];
        Ok(world)
    }

    /// The same, without loads.
    fn described<B: Borrow<Body>>(
        model: Model,
        described: impl ExactSizeIterator<Item = B> + Clone,
    ) -> Result<World, BuildError> {
        if !(model.dt > 0.0 && model.dt.is_finite()) {
            return Err(BuildError::BadStep(model.dt));
        }
        check_inflows(&model)?;
        let to_come = model.inflows.iter().fold(0_u64, |sum, inflow| sum.saturating_add(inflow.count));
        let all = to_come.saturating_add(described.len() as u64);
        if all >= u64::from(u32::MAX) {
            return Err(BuildError::TooMany(all as usize));
        }
        let (mut specials, mut solids) = (Vec::new(), Vec::new());
        let [mut spheres, mut walls] = [(described.len(), described.len()), (0, 0)]
            .map(|(movers, turned)| (Vec::<Mover>::with_capacity(movers), Vec::<DQuat>::with_capacity(turned)));
        let (mut material_of, mut laws) = (Vec::with_capacity(described.len()), Laws::new(&model));
        for (id, body) in described.clone().enumerate() {
            let body = body.borrow();
            check_body(id as u32, body, &model)?;
            let mover = mover_of(id as u32, body, &model, &mut specials, &mut solids);
            let group = if mover.radius > 0.0 { &mut spheres } else { &mut walls };
            group.0.push(mover);
            group.1.push(body.orientation.normalize());
            material_of.push(body.material);
            laws.meet(&model, id as u32, body);
        }
        laws.check(&model, described.len() as u32)?;
        if !solids.is_empty() {
            check_solids(&model, described.clone())?;
        }
        if model.cell.is_some() {
            check_cell(&model, described)?;
        }
        let (mut movers, mut orientations) = spheres;
        let cell = model.cell.as_ref().map(|cell| CellState::new(cell, centre_of(&movers)));
        // Walls last, each group by id.
        let spheres = movers.len();
        movers.append(&mut walls.0);
        orientations.append(&mut walls.1);
        let mut bodies = Bodies { orientations, index_of: vec![0; movers.len()], movers, spheres, ..Bodies::default() };
        bodies.note_indices();
        let largest_radius = bodies.movers.iter().map(|mover| mover.radius).fold(0.0, f64::max);
        let queue = |inflow: &Inflow| Queue { next_look: inflow.due_step(0, model.dt), ..Queue::default() };
        let traffic = Traffic { queues: model.inflows.iter().map(queue).collect(), ..Traffic::default() };
        let stride = layouts(&model).map(|layout| layout.total()).max().unwrap_or(SLIPS);
        Ok(World {
            neighbours: Neighbours::new(&bodies, &model.inflows),
            state: State { step: 0, bodies, contacts: Vec::new(), sums: Sums::default(), traffic, cell },
            material_of,
            model,
            specials,
            walls: Vec::new(),
            walls_before: Vec::new(),
            walls_built: Vec::new(),
            solids_before: solids.clone(),
            solids,
            work: Vec::new(),
            reports: Vec::new(),
            moved: Vec::new(),
            shifts: Image::shifts(None),
            flow: None,
            largest_radius,
            stride,
            keep_rows: true,
            timed: false,
            rebuilds: 0,
            phases: Phases::default(),
        })
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
    let gradient = CellState::new(cell, DVec3::ZERO).gradient * model.dt;
    if gradient.to_cols_array().iter().any(|strain| strain.abs() > MOST_STRAIN) {
        return bad("it strains by more than a tenth in one step: take a smaller step, or strain it more slowly");
    }
    if flows && model.integrator != Integrator::VelocityVerlet {
        return bad("one that changes its shape needs the integrator velocity-verlet");
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
                if matches!(body.motion, Motion::Prescribed(p) if p.angular_velocity.cross(normal) != DVec3::ZERO) {
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
        Control::Strain { gradient } if gradient.is_finite() => Ok(()),
        Control::Strain { .. } => bad("its velocity gradient must be finite"),
        Control::Pressure { target, .. } if !(target.is_finite() && *target == target.transpose()) => {
            bad("its target must be finite and symmetric")
        }
        Control::Pressure { target, .. } if trace(*target) <= 0.0 => {
            bad("its mean target must be a pressure above zero")
        }
        Control::Pressure { inertia, .. } | Control::MeanStress { inertia, .. } if !positive(inertia) => {
            bad("its damping time and its energy must be above zero")
        }
        Control::Pressure { target, triclinic: false, .. } if !is_diagonal(*target) => {
            bad("one that is not triclinic cannot hold a target that shears it")
        }
        Control::Pressure { triclinic: false, .. } => {
            let straight = is_diagonal(cell.frame.vectors);
            if straight { Ok(()) } else { bad("one that is not triclinic has its vectors along x, y and z") }
        }
        Control::Pressure { .. } => Ok(()),
        Control::MeanStress { pressure, axis, rate, .. } => {
            let sound = *pressure > 0.0 && pressure.is_finite() && *axis < 3 && rate.is_finite();
            if sound { Ok(()) } else { bad("its mean stress must be above zero, its axis x, y or z, its rate finite") }
        }
    }
}

fn is_diagonal(m: DMat3) -> bool {
    m == DMat3::from_diagonal(DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z))
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

fn layouts(model: &Model) -> impl Iterator<Item = MemoryLayout> {
    let count = model.materials.len() as u16;
    (0..count).flat_map(move |i| (0..=i).filter_map(move |j| model.laws.get(i, j)).map(MemoryLayout::of))
}

pub(super) fn check_body(id: u32, body: &Body, model: &Model) -> Result<(), BuildError> {
    let materials = model.materials.len();
    let Some(material) = model.materials.get(body.material as usize) else {
        return Err(BuildError::NoSuchMaterial { body: id, material: body.material, materials });
    };
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    if !(body.position.is_finite() && body.velocity.is_finite() && body.angular_velocity.is_finite()) {
        return impossible("a coordinate or velocity", f64::NAN, "finite numbers");
    }
    check_motion(id, body)?;
    let (what, least) = match body.shape {
        Shape::Sphere { radius } => ("radius", radius),
        Shape::Ellipsoid { axes } => ("a semi-axis of the ellipsoid", axes.min_element()),
        Shape::Box { size } => ("an edge of the box", size.min_element()),
        _ => return check_wall(id, body),
    };
    if !(least > 0.0 && body.shape.radius().is_some_and(f64::is_finite)) {
        return impossible(what, least, "a positive number");
    }
    if body.shape.is_solid() && !body.orientation.is_finite() {
        return impossible("the orientation", f64::NAN, "finite numbers");
    }
    let (mass, inertia) = body.mass_and_inertia(material.density);
    if !(mass > 0.0 && mass.is_finite()) {
        return impossible("mass", mass, "a positive number");
    }
    if !(inertia.min_element() > 0.0 && inertia.is_finite()) {
        return impossible("the least moment of inertia", inertia.min_element(), "a positive number");
    }
    let unequal = inertia.x != inertia.y || inertia.y != inertia.z;
    let locked = body.lock[3..].iter().filter(|&&locked| locked).count();
    // Locking one rotation needs the torque that the lock supplies, which the tumbling drift does not know. With two locked,
    // the body turns about an axis that stays, with one moment of inertia.
    if unequal && locked == 1 {
        return Err(BuildError::LockedTumbling { body: id });
    }
    Ok(())
}

/// Whether a vector has the length 1, but for rounding.
fn is_direction(v: DVec3) -> bool {
    (v.length() - 1.0).abs() < 1e-9
}

/// A servo needs numbers that move it; a belt runs along a flat wall.
fn check_motion(id: u32, body: &Body) -> Result<(), BuildError> {
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    match body.motion {
        Motion::Servo(servo) if !is_direction(servo.axis) => {
            impossible("the length of the servo's axis", servo.axis.length(), "one")
        }
        Motion::Servo(servo) if !(servo.mass > 0.0 && servo.mass.is_finite()) => {
            impossible("the servo's mass", servo.mass, "a positive number")
        }
        Motion::Servo(servo) if !(servo.damping >= 0.0 && servo.damping.is_finite()) => {
            impossible("the servo's damping", servo.damping, "a number not below zero")
        }
        Motion::Servo(servo) if servo.max_speed.is_nan() || servo.max_speed <= 0.0 => {
            impossible("the servo's greatest speed", servo.max_speed, "a positive number")
        }
        Motion::Servo(servo) if !servo.force.is_finite() => {
            impossible("the servo's force", servo.force, "a finite number")
        }
        Motion::Belt(velocity) => {
            let (Shape::Plane { normal } | Shape::Rectangle { normal, .. }) = body.shape else {
                return impossible("the motion of a belt", f64::NAN, "a plane or a rectangle");
            };
            let out = velocity.dot(body.orientation * normal);
            // What rounding leaves of a velocity in the plane.
            if out.abs() <= 1e-9 * velocity.length() {
                return Ok(());
            }
            impossible("the belt's velocity along the normal", out, "zero")
        }
        _ => Ok(()),
    }
}

fn check_wall(id: u32, body: &Body) -> Result<(), BuildError> {
    let impossible = |what, value, expected| Err(BuildError::Impossible { body: id, what, value, expected });
    if body.motion.yields() {
        return Err(BuildError::FreeWall { body: id, kind: body.shape.kind() });
    }
    let positive = |x: f64| x > 0.0 && x.is_finite();
    let (Shape::Plane { normal: direction }
    | Shape::Rectangle { normal: direction, .. }
    | Shape::Tube { axis: direction, .. }
    | Shape::Cone { axis: direction, .. }) = body.shape
    else {
        return Ok(());
    };
    if !(direction.length() > 0.0 && direction.is_finite()) {
        return impossible("the length of the wall's normal or axis", direction.length(), "a positive number");
    }
    match body.shape {
        Shape::Rectangle { normal, along, .. } if normal.cross(along).length() < 1e-6 => {
            impossible("the angle between normal and along", 0.0, "two directions")
        }
        Shape::Rectangle { size: [u, w], .. } if !(positive(u) && positive(w)) => {
            impossible("a side of the rectangle", u.min(w), "a positive number")
        }
        Shape::Tube { radius, length, .. } if !(positive(radius) && positive(length)) => {
            impossible("the tube's radius or length", radius.min(length), "a positive number")
        }
        Shape::Cone { radii: [r, s], length, .. }
            if !(r >= 0.0 && s >= 0.0 && length >= 0.0 && (r + length).is_finite()) =>
        {
            impossible("a radius or the length of the cone", r.min(s).min(length), "numbers not below zero")
        }
        Shape::Cone { radii: [r, s], length, .. } if !positive(r.max(s)) || (length == 0.0 && r == s) => {
            impossible("the size of the cone", r.max(s), "a surface: two radii that differ, or a length")
        }
        _ => Ok(()),
    }
}

/// What a stream brings must be bodies, and its numbers must be numbers.
fn check_inflows(model: &Model) -> Result<(), BuildError> {
    for (stream, inflow) in model.inflows.iter().enumerate() {
        let bad = |what, value, expected| Err(BuildError::BadStream { stream, what, value, expected });
        if !(inflow.rate > 0.0 && inflow.rate.is_finite()) {
            return bad("rate", inflow.rate, "a positive number");
        }
        if !(inflow.start >= 0.0 && inflow.start.is_finite()) {
            return bad("start", inflow.start, "a number that is not negative");
        }
        if !inflow.from.cmple(inflow.to).all() || !inflow.to.is_finite() {
            return bad("a corner of the box", f64::NAN, "`to` not below `from`");
        }
        if !(inflow.radius[0] > 0.0 && inflow.radius[1].is_finite()) {
            return bad("radius", inflow.radius[0], "a positive number");
        }
        if inflow.radius[0] > inflow.radius[1] {
            return bad("the largest radius", inflow.radius[1], "at least the smallest");
        }
        let material = model.materials.get(usize::from(inflow.material));
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
        let of_stream = |inflow: &Inflow| inflow.extremes(0.0).into_iter().take(inflow.count.min(2) as usize);
        for (id, body) in (first..).zip(model.inflows.iter().flat_map(of_stream)) {
            self.meet(model, id, &body);
        }
        self.missing.map_or(Ok(()), Err)
    }
}

/// Two bodies that may meet must be a pair of shapes that is built, under laws that know such shapes; spheres to come, too.
fn check_solids<B: Borrow<Body>>(
    model: &Model,
    bodies: impl ExactSizeIterator<Item = B> + Clone,
) -> Result<(), BuildError> {
    let mut looked_at: Vec<(&'static str, bool, u16)> = Vec::new();
    for (id, body) in bodies.clone().enumerate() {
        let body = body.borrow();
        // What one box may not meet, another may not either.
        let kind = (body.shape.kind(), body.motion.yields(), body.material);
        if !body.shape.is_solid() || looked_at.contains(&kind) {
            continue;
        }
        looked_at.push(kind);
        for inflow in &model.inflows {
            if model.laws.get(body.material, inflow.material).is_some_and(PairLaws::knows_spheres_only) {
                return Err(BuildError::NeedsPoints { a: id as u32, b: bodies.len() as u32, kind: kind.0 });
            }
        }
        for (other, second) in bodies.clone().enumerate() {
            let second = second.borrow();
            let meet = other != id && (kind.1 || second.motion.yields());
            let (a, b) = (id.min(other) as u32, id.max(other) as u32);
            let laws = model.laws.get(body.material, second.material);
            if meet && laws.is_some_and(PairLaws::knows_spheres_only) {
                return Err(BuildError::NeedsPoints { a, b, kind: kind.0 });
            }
            if meet && !solid::is_built(&body.shape, &second.shape) {
                let [first, second] = if id < other { [body, second] } else { [second, body] }.map(|b| b.shape.kind());
                return Err(BuildError::NotBuilt { a, b, first, second });
            }
        }
    }
    Ok(())
}

/// The packed record of a body; what is special about it goes to `specials`, and its shape, if it is an ellipsoid or a box, to
/// `solids`.
pub(super) fn mover_of(
    id: u32,
    body: &Body,
    model: &Model,
    specials: &mut Vec<Special>,
    solids: &mut Vec<Solid>,
) -> Mover {
    let (mass, inertia) = body.mass_and_inertia(model.materials[body.material as usize].density);
    let inertia = body.about_free_axis(inertia);
    let moved = body.motion.yields();
    let equal = inertia.x == inertia.y && inertia.y == inertia.z;
    let mask = |lock: &[bool]| {
        let free = |locked: bool| if locked { 0.0 } else { 1.0 };
        DVec3::new(free(lock[0]), free(lock[1]), free(lock[2]))
    };
    let special = Special {
        motion: body.motion,
        position0: body.position,
        orientation0: body.orientation.normalize(),
        free: mask(&body.lock[..3]),
        free_turn: mask(&body.lock[3..]),
        force: body.force,
        torque: body.torque,
        inertia_body: (!equal).then_some(inertia),
        wall: wall_of(&body.shape),
        solid: body.shape.is_solid().then_some(solids.len() as u32),
    };
    if let Some(form) = Form::of(&body.shape) {
        // What is driven has its angular velocity from elsewhere.
        let tumbles = special.inertia_body.filter(|_| moved);
        let orientation = special.orientation0;
        let posed = Posed { form, position: body.position, world_from_body: DMat3::from_quat(orientation) };
        solids.push(Solid { id, posed, orientation, tumbles });
    }
    let plain = body.motion == Motion::Free
        && special.free == DVec3::ONE
        && special.free_turn == DVec3::ONE
        && (body.force, body.torque) == (DVec3::ZERO, DVec3::ZERO)
        && special.solid.is_none()
        && equal;
    if !plain {
        specials.push(special);
    }
    let (velocity, angular_velocity) = match body.motion {
        Motion::Free => (body.velocity * special.free, body.angular_velocity * special.free_turn),
        Motion::Held => (DVec3::ZERO, body.angular_velocity * special.free_turn),
        Motion::Fixed => (DVec3::ZERO, DVec3::ZERO),
        Motion::Prescribed(prescribed) => {
            let pose = prescribed.pose(special.position0, special.orientation0, 0.0);
            (pose.velocity, pose.angular_velocity)
        }
        Motion::Belt(velocity) => (velocity, DVec3::ZERO),
        Motion::Servo(servo) => (servo.along(body.velocity), DVec3::ZERO),
    };
    Mover {
        position: body.position,
        radius: body.shape.radius().unwrap_or(0.0),
        velocity,
        inverse_mass: if moved { 1.0 / mass } else { 0.0 },
        angular_velocity,
        inverse_inertia: if moved { 3.0 / inertia.element_sum() } else { 0.0 },
        velocity_ahead: [0.0; 3],
        angular_velocity_ahead: [0.0; 3],
        id,
        special: if plain { 0 } else { specials.len() as u32 },
    }
}

/// The shape of a wall with its directions made exact: the callers' may be off by rounding.
fn wall_of(shape: &Shape) -> Option<Shape> {
    match *shape {
        Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Box { .. } => None,
        Shape::Plane { normal } => Some(Shape::Plane { normal: normal.normalize() }),
        Shape::Rectangle { normal, along, size, sides } => {
            let normal = normal.normalize();
            let along = (along - normal * along.dot(normal)).normalize();
            Some(Shape::Rectangle { normal, along, size, sides })
        }
        Shape::Tube { radius, length, axis, sides } => {
            Some(Shape::Tube { radius, length, axis: axis.normalize(), sides })
        }
        Shape::Cone { radii, length, axis, sides } => {
            Some(Shape::Cone { radii, length, axis: axis.normalize(), sides })
        }
    }
}

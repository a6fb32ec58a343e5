//! Bodies come and go: between two steps, at step numbers that follow from the scene alone.
//!
//! Every `OUT_EVERY` steps, bodies that loads move, beyond the box of `Model::outflow`, are taken out. A body of a stream
//! (`Model::inflows`) enters at the first step at or after it is due, at a random place of the stream's box at which it
//! touches nothing. When `TRIES` places were taken it waits, and with it all that follow in its stream; it looks again some
//! steps later (`Inflow::look_every`). Bodies that are late enter as soon as there is room, several at once if need be.
//!
//! Does not do: walls or special bodies that enter; shapes other than spheres that leave by themselves.

use glam::{DVec3, IVec3};

use crate::body::{Body, Motion};
use crate::cell::Frame;
use crate::energy;
use crate::error::{BuildError, Trouble};
use crate::geometry::Geometry;
use crate::inflow::{Arrival, Inflow, Queue};
use crate::model::Model;
use crate::mover::{check_body, mover_of};
use crate::shape::Shape;
use crate::state::{Bodies, GONE, Load, Mover, State};

/// Steps between two looks for bodies that have left.
const OUT_EVERY: u64 = 10;
/// Places that a body tries in one look.
const TRIES: u32 = 20;
/// Looks in vain, in a row, after which a stream counts as blocked.
const MOST_LOOKS: u32 = 1000;

/// How a stream keeps up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamReport {
    /// Bodies that were due before the present step.
    pub due: u64,
    /// Bodies that have entered.
    pub entered: u64,
    /// Bodies a second, since the stream began; zero before.
    pub rate: f64,
}

/// What a place in a stream's box might collide with: spheres near the box.
struct Surroundings {
    spheres: Vec<(DVec3, f64)>,
}

impl Surroundings {
    /// Spheres that reach into a box, but for those that leave.
    fn within(bodies: &Bodies, low: DVec3, high: DVec3, leaving: &[u32]) -> Self {
        let stays = |mover: &&Mover| leaving.binary_search(&mover.id).is_err();
        let near = bodies.grains().iter().filter(|m| reaches_into(m, low, high)).filter(stays);
        Surroundings { spheres: near.map(|m| (m.position, m.radius)).collect() }
    }

    fn free(&self, centre: DVec3, radius: f64, frame: Option<&Frame>) -> bool {
        self.spheres.iter().all(|&(other, other_radius)| {
            let (reach, between) = (radius + other_radius, centre - other);
            frame.map_or(between, |frame| frame.nearest(between)).length_squared() > reach * reach
        })
    }
}

/// Who comes and goes at the start of a step, and the step before which nobody does again.
pub struct Exchange {
    /// Ids, rising.
    pub leaving: Vec<u32>,
    /// Bodies, at their places.
    pub entering: Vec<Body>,
    /// The next step to look at.
    pub pause: u64,
}

/// Finds who leaves and who enters, if it is time to look. The next look is at most at `end`.
pub fn exchange(model: &Model, state: &mut State, geometry: &Geometry, end: u64) -> Result<Exchange, Trouble> {
    let step = state.step;
    let out = model.outflow.is_some();
    let leaving = if out && step.is_multiple_of(OUT_EVERY) { outside(model, state) } else { Vec::new() };
    let mut entering = Vec::new();
    if state.traffic.queues.iter().any(|queue| queue.next_look <= step) {
        // A stream that is blocked ends the run as it was before any of them looked.
        let mut queues = state.traffic.queues.clone();
        for (stream, queue) in queues.iter_mut().enumerate() {
            let look = Look { model, state, geometry, stream };
            look.let_in(queue, &leaving, &mut entering)?;
        }
        state.traffic.queues = queues;
    }
    let next_out = if out { (step / OUT_EVERY + 1) * OUT_EVERY } else { end };
    let next_in = state.traffic.queues.iter().map(|queue| queue.next_look);
    let pause = next_in.fold(end.min(next_out), u64::min);
    Ok(Exchange { leaving, entering, pause })
}

/// The ids, rising, of bodies that have left the box. One whose place is not a number is not gone but wrong.
fn outside(model: &Model, state: &State) -> Vec<u32> {
    let Some(outflow) = model.outflow else { return Vec::new() };
    let inside = |p: DVec3| {
        let p = state.place_in_cell(p);
        p.cmpge(outflow.from).all() && p.cmple(outflow.to).all()
    };
    let moved = state.bodies.grains().iter().filter(|m| m.inverse_mass > 0.0 && m.position.is_finite());
    let mut ids: Vec<u32> = moved.filter(|m| !inside(m.position)).map(|m| m.id).collect();
    ids.sort_unstable();
    ids
}

/// A stream looks for places.
struct Look<'a> {
    model: &'a Model,
    state: &'a State,
    geometry: &'a Geometry,
    stream: usize,
}

impl Look<'_> {
    fn inflow(&self) -> &Inflow {
        &self.model.inflows[self.stream]
    }

    /// Finds places for the bodies of the stream that are due, next to those that enter with them.
    fn let_in(&self, queue: &mut Queue, leaving: &[u32], entering: &mut Vec<Body>) -> Result<(), Trouble> {
        let (step, dt, inflow) = (self.state.step, self.model.dt, self.inflow());
        if step < queue.next_look {
            return Ok(());
        }
        let density = self.model.materials[usize::from(inflow.material)].density;
        let reach = DVec3::splat(inflow.radius[1]);
        let mut around = Surroundings::within(&self.state.bodies, inflow.from - reach, inflow.to + reach, leaving);
        around.spheres.extend(entering.iter().map(|body| (body.position, body.shape.radius().unwrap_or(0.0))));
        loop {
            let due = if queue.entered < inflow.count { inflow.due_step(queue.entered, dt) } else { u64::MAX };
            queue.next_look = due;
            if due > step {
                break;
            }
            let mut body = inflow.body(queue.entered, density);
            let radius = body.shape.radius().unwrap_or(0.0);
            let Some(centre) = self.free_place(radius, &around, queue) else {
                queue.in_vain += 1;
                queue.next_look = step + inflow.look_every(self.model.gravity, dt);
                break;
            };
            (queue.entered, queue.in_vain) = (queue.entered + 1, 0);
            body.position = centre;
            around.spheres.push((centre, radius));
            entering.push(body);
        }
        if queue.in_vain >= MOST_LOOKS { Err(self.blocked(queue)) } else { Ok(()) }
    }

    /// A place drawn from the stream's box at which a sphere touches nothing, if a few draws find one.
    fn free_place(&self, radius: f64, around: &Surroundings, queue: &mut Queue) -> Option<DVec3> {
        let inflow = self.inflow();
        let mut places = inflow.places.clone();
        places.skip(queue.drawn);
        for _ in 0..TRIES {
            let share = DVec3::new(places.unit(), places.unit(), places.unit());
            queue.drawn += 3;
            let centre = inflow.from + (inflow.to - inflow.from) * share;
            if self.geometry.is_clear(centre, radius) && around.free(centre, radius, None) {
                return Some(centre);
            }
        }
        None
    }

    fn blocked(&self, queue: &Queue) -> Trouble {
        let inflow = self.inflow();
        let reach = DVec3::splat(inflow.radius[1]);
        let near = |mover: &&Mover| reaches_into(mover, inflow.from - reach, inflow.to + reach);
        let near = self.state.bodies.grains().iter().filter(near).map(|mover| mover.id);
        Trouble::Blocked {
            number: self.stream + 1,
            material: self.model.materials[usize::from(inflow.material)].name.clone(),
            looks: queue.in_vain,
            entered: queue.entered,
            count: inflow.count,
            spheres: near.clone().count(),
            first: near.min(),
            time: self.state.time(self.model),
            step: self.state.step,
        }
    }
}

// ---- changes ----

/// Takes bodies out, by rising id. Where the others stand is noted later.
pub fn take_out(state: &mut State, leaving: &[u32]) {
    let bodies = &mut state.bodies;
    let stays: Vec<bool> = bodies.movers.iter().map(|m| leaving.binary_search(&m.id).is_err()).collect();
    bodies.first_wall = stays[..bodies.first_wall].iter().filter(|stays| **stays).count();
    keep(&mut bodies.movers, &stays);
    keep(&mut bodies.loads, &stays);
    keep(&mut bodies.orientations, &stays);
    keep(&mut bodies.images, &stays);
    leaving.iter().for_each(|&id| bodies.index_of[id as usize] = GONE);
}

/// Spheres enter after the others and before the walls. Their indices are noted later.
pub fn put_in(model: &Model, state: &mut State, geometry: &mut Geometry, entering: &[Body]) {
    for body in entering {
        let bodies = &mut state.bodies;
        let (id, at) = (bodies.index_of.len() as u32, bodies.first_wall);
        let mover = mover_of(id, body, model, &mut bodies.specials);
        let (material, radius) = (body.material, mover.radius);
        bodies.movers.insert(at, mover);
        bodies.loads.insert(at, Load::default());
        bodies.orientations.insert(at, body.orientation.normalize());
        if state.cell.is_some() {
            bodies.images.insert(at, IVec3::ZERO);
        }
        bodies.index_of.push(at as u32);
        geometry.enter(bodies, at..at + 1);
        bodies.material_of.push(material);
        bodies.first_wall += 1;
        let (kinetic, potential) = energy::of_body(model, state, at);
        state.sums.carried.kinetic_in += kinetic;
        state.sums.carried.potential_in += potential;
        // Not by way of 1/m: a checkpoint must give the same bits again.
        let mass = body.mass_and_inertia(model.materials[usize::from(material)].density).0;
        state.traffic.arrivals.push(Arrival { material, radius, mass });
    }
}

/// Whether free spheres may enter as they are, in a cell that stands like this: sound, plain, in free places, with laws.
pub fn check_entering(
    model: &Model,
    state: &State,
    geometry: &Geometry,
    frame: Option<&Frame>,
    bodies: &[Body],
) -> Result<(), BuildError> {
    let first = state.bodies.index_of.len() as u32;
    if bodies.len() >= (u32::MAX - first) as usize {
        return Err(BuildError::TooMany(first as usize + bodies.len()));
    }
    let mut around = Surroundings::within(&state.bodies, DVec3::NEG_INFINITY, DVec3::INFINITY, &[]);
    for (id, body) in (first..).zip(bodies) {
        check_body(id, body, model)?;
        check_plain(id, body)?;
        let radius = body.shape.radius().unwrap_or(0.0);
        if !(around.free(body.position, radius, frame) && geometry.is_clear(body.position, radius)) {
            return Err(BuildError::NotFree { body: id });
        }
        around.spheres.push((body.position, radius));
    }
    check_new_laws(model, &state.bodies, bodies)
}

fn check_plain(id: u32, body: &Body) -> Result<(), BuildError> {
    let plain = body.motion == Motion::Free
        && matches!(body.shape, Shape::Sphere { .. })
        && body.inertia_body.is_none()
        && body.lock == [false; 6]
        && (body.force, body.torque) == (DVec3::ZERO, DVec3::ZERO);
    if plain { Ok(()) } else { Err(BuildError::NotPlain { body: id }) }
}

/// Those that enter need laws with each other and with all that are there.
fn check_new_laws(model: &Model, there: &Bodies, bodies: &[Body]) -> Result<(), BuildError> {
    // The first body of each material stands for all.
    let mut seen = vec![None; model.materials.len()];
    for ((id, index), material) in (0_u32..).zip(&there.index_of).zip(&there.material_of) {
        if *index != GONE {
            seen[usize::from(*material)].get_or_insert(id);
        }
    }
    for (b, body) in (there.index_of.len() as u32..).zip(bodies) {
        for (other, a) in (0..).zip(&seen) {
            if let (Some(a), None) = (*a, model.laws.get(other, body.material)) {
                let [first, second] = [other, body.material].map(|m| model.materials[usize::from(m)].name.clone());
                return Err(BuildError::NoLaws { a, b, first, second });
            }
        }
        seen[usize::from(body.material)].get_or_insert(b);
    }
    Ok(())
}

/// Keeps the elements that stay, in their order.
fn keep<T>(list: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    list.retain(|_| stays.next().copied().unwrap_or(true));
}

/// Whether some of a sphere lies in a box, or nearly.
fn reaches_into(sphere: &Mover, low: DVec3, high: DVec3) -> bool {
    let (p, r) = (sphere.position, sphere.radius);
    (p + r).cmpge(low).all() && (p - r).cmple(high).all()
}

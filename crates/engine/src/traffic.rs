//! Bodies come and go: between two steps, at step numbers that follow from the scene and the method alone.
//!
//! Every few steps (`Looks::out_every`), bodies that loads move, beyond the box of `Model::outflow`, are taken out. A body of a stream
//! (`Model::inflows`) enters at the first step at or after it is due, at a random place of the stream's box, or a site of its
//! lattice, at which it touches nothing: where the spheres around two bodies touch, the bodies themselves are compared
//! (`place/apart.rs`); so with planes. When `TRIES` places, or all sites, were taken it waits, and with it all that follow in its stream; it looks again some
//! steps later (`Inflow::look_every`). Bodies that are late enter as soon as there is room, several at once if need be.
//!
//! A method calls `exchange`, then `take_out` and `put_in`, and books what these report: its ledger, its contacts and its lists are its own.
//! How often to look is the method's, too: ten steps are 0.1 ms of soft contacts, and 50 ms of rigid ones.
//!
//! Does not do: walls that enter; special bodies or shapes other than spheres that a caller puts in (`World::insert`).

use glam::{DVec3, IVec3};

use crate::body::{Body, Motion};
use crate::cell::Frame;
use crate::collide::{Posed, Touches, touch};
use crate::energy;
use crate::error::{BuildError, Trouble};
use crate::geometry::Geometry;
use crate::inflow::{Arrival, Entrance, Inflow, Queue, Rate, SiteLattice};
use crate::ledger::Passage;
use crate::model::{LawTable, Model};
use crate::mover::{check_body, mover_of};
use crate::place;
use crate::random::Stream;
use crate::shape::Shape;
use crate::state::{Bodies, GONE, Load, Mover, State};

/// How often a method looks, in its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looks {
    /// Steps between two looks for bodies that have left.
    pub out_every: u64,
    /// Steps after which a body that found no free place looks again, at least.
    pub least_wait: u64,
}

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

/// What a body that enters might collide with.
struct Surroundings<'a> {
    laws: &'a LawTable,
    bodies: &'a Bodies,
    geometry: &'a Geometry,
    /// All but walls.
    near: Vec<Near>,
}

/// A shape near the place where a body enters.
struct Near {
    posed: Posed,
    /// Of the sphere around it (m).
    radius: f64,
    material: u16,
}

/// A body that looks for its place.
struct Entering {
    posed: Posed,
    /// Of the sphere around it (m).
    radius: f64,
    material: u16,
}

impl Entering {
    /// At the place that the body has.
    fn of(body: &Body) -> Self {
        let radius = body.shape.radius().unwrap_or(0.0);
        Entering { posed: Posed::of(body), radius, material: body.material }
    }

    fn shifted(&self, shift: DVec3) -> Self {
        Entering { posed: self.posed.shifted(shift), ..*self }
    }
}

impl<'a> Surroundings<'a> {
    /// Bodies that reach into a box, but for those that leave.
    fn within(
        model: &'a Model,
        bodies: &'a Bodies,
        geometry: &'a Geometry,
        [low, high]: [DVec3; 2],
        leaving: &[u32],
    ) -> Self {
        let stays = |mover: &Mover| leaving.binary_search(&mover.id).is_err();
        let rows = bodies.grains().iter().enumerate();
        let near = rows.filter(|(_, mover)| reaches_into(mover, low, high) && stays(mover));
        let shapes = near.flat_map(|(index, mover)| {
            let (radius, material) = (mover.radius, bodies.material_of[mover.id as usize]);
            geometry.shapes_of(bodies, index).map(move |(_, posed)| Near { posed, radius, material })
        });
        Surroundings { laws: &model.laws, bodies, geometry, near: shapes.collect() }
    }

    fn add(&mut self, body: &Body) {
        let Entering { posed, radius, material } = Entering::of(body);
        self.near.push(Near { posed, radius, material });
    }

    /// Whether a body would touch none, nor a wall, where it is now.
    fn free(&self, body: &Entering, frame: Option<&Frame>) -> bool {
        let meets_wall = |id: u32| self.laws.touches(body.material, self.bodies.material_of[id as usize]);
        if !self.geometry.is_clear(&body.posed, body.radius, meets_wall) {
            return false;
        }
        let centre = body.posed.centre();
        let (sphere, mut touches) = (Posed::Sphere { centre, radius: body.radius }, Touches::default());
        let mut near = self.near.iter().filter(|near| self.laws.touches(body.material, near.material));
        near.all(|Near { posed: other, radius, .. }| {
            // At the image that is nearest.
            let at = frame.map_or(other.centre(), |frame| centre - frame.nearest(centre - other.centre()));
            touch(&sphere, &Posed::Sphere { centre: at, radius: *radius }, 0.0, &mut touches);
            touches.is_empty() || place::are_apart(&body.posed, &other.shifted(at - other.centre()))
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
pub fn exchange(
    model: &Model,
    state: &mut State,
    geometry: &Geometry,
    looks: Looks,
    end: u64,
) -> Result<Exchange, Trouble> {
    let step = state.step;
    let out = model.outflow.is_some();
    let leaving = if out && step.is_multiple_of(looks.out_every) { outside(model, state) } else { Vec::new() };
    let mut entering = Vec::new();
    if state.traffic.queues.iter().any(|queue| queue.next_look <= step) {
        // A stream that is blocked ends the run as it was before any of them looked.
        let mut queues = state.traffic.queues.clone();
        for (stream, queue) in queues.iter_mut().enumerate() {
            let look = Look { model, state, geometry, stream, least_wait: looks.least_wait };
            look.let_in(queue, &leaving, &mut entering)?;
        }
        state.traffic.queues = queues;
    }
    let next_out = if out { (step / looks.out_every + 1) * looks.out_every } else { end };
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
    least_wait: u64,
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
        let density = self.model.materials[usize::from(inflow.material())].density;
        let mut around = Surroundings::within(self.model, &self.state.bodies, self.geometry, self.reach(), leaving);
        entering.iter().for_each(|body| around.add(body));
        loop {
            let (entered, mass) = (queue.entered, queue.mass);
            let due = || inflow.due_step((entered, mass), queue.since, dt);
            queue.next_look = if entered < inflow.count { due() } else { u64::MAX };
            if queue.next_look > step {
                break;
            }
            let mut body = inflow.body(entered, density);
            let Some(centre) = self.free_place(&body, &around, queue) else {
                queue.in_vain += 1;
                queue.next_look =
                    step + inflow.look_every(self.model.gravity.at(self.state.time(self.model)), dt, self.least_wait);
                break;
            };
            (queue.entered, queue.in_vain) = (entered + 1, 0);
            if let Rate::Mass(_) = inflow.rate {
                queue.mass += body.mass_and_inertia(density).0;
            }
            body.position = centre;
            around.add(&body);
            entering.push(body);
        }
        if queue.in_vain >= MOST_LOOKS { Err(self.blocked(queue)) } else { Ok(()) }
    }

    /// The box that bodies of the stream may reach into.
    fn reach(&self) -> [DVec3; 2] {
        let ([from, to], [_, radius]) = (self.inflow().entrance.bounds(), self.inflow().mould.radii());
        [from - radius, to + radius]
    }

    /// A place at which a body touches nothing, if a few draws from the stream's box, or one of all sites, find one.
    fn free_place(&self, body: &Body, around: &Surroundings, queue: &mut Queue) -> Option<DVec3> {
        let inflow = self.inflow();
        let at_origin = Entering::of(&Body { position: DVec3::ZERO, ..body.clone() });
        let is_free = |centre: DVec3| around.free(&at_origin.shifted(centre), None);
        match &inflow.entrance {
            Entrance::Box { from, to } => {
                let mut places = inflow.places.clone();
                places.skip(queue.drawn);
                for _ in 0..TRIES {
                    let share = DVec3::new(places.unit(), places.unit(), places.unit());
                    queue.drawn += 3;
                    let centre = *from + (*to - *from) * share;
                    if is_free(centre) {
                        return Some(centre);
                    }
                }
                None
            }
            Entrance::Sites(sites) => free_site(sites, &inflow.places, &mut queue.drawn, is_free),
        }
    }

    fn blocked(&self, queue: &Queue) -> Trouble {
        let inflow = self.inflow();
        let [low, high] = self.reach();
        let near = self.state.bodies.grains().iter().filter(|mover| reaches_into(mover, low, high));
        let near = near.map(|mover| mover.id);
        Trouble::Blocked {
            number: self.stream + 1,
            material: self.model.materials[usize::from(inflow.material())].name.clone(),
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

/// The next free site. Two rounds hold every site at least once, wherever they begin.
fn free_site(sites: &SiteLattice, places: &Stream, tried: &mut u64, is_free: impl Fn(DVec3) -> bool) -> Option<DVec3> {
    let count = sites.count().max(1);
    let last = *tried + 2 * count;
    while *tried < last {
        let round = *tried / count;
        let order = sites.order(round, places);
        while *tried / count == round && *tried < last {
            let index = *tried % count;
            *tried += 1;
            let centre = sites.place(order[index as usize], round, index, places);
            if is_free(centre) {
                return Some(centre);
            }
        }
    }
    None
}

// ---- changes ----

/// Takes bodies out, by rising id, and reports what each takes with it. Where the others stand is noted later
/// (`Bodies::note_indices`).
pub fn take_out(model: &Model, state: &mut State, leaving: &[u32]) -> Vec<Passage> {
    let passages: Vec<Passage> = leaving.iter().map(|&id| passage(model, state, id)).collect();
    state.traffic.left += passages.len() as u64;
    passages.iter().for_each(|passage| state.traffic.left_mass += passage.mass);
    let bodies = &mut state.bodies;
    let stays: Vec<bool> = bodies.movers.iter().map(|m| leaving.binary_search(&m.id).is_err()).collect();
    bodies.first_wall = stays[..bodies.first_wall].iter().filter(|stays| **stays).count();
    keep(&mut bodies.movers, &stays);
    keep(&mut bodies.loads, &stays);
    keep(&mut bodies.orientations, &stays);
    keep(&mut bodies.images, &stays);
    leaving.iter().for_each(|&id| bodies.index_of[id as usize] = GONE);
    passages
}

/// What a body carries, by its id.
fn passage(model: &Model, state: &State, id: u32) -> Passage {
    let index = state.bodies.index_of[id as usize] as usize;
    let inverse_mass = state.bodies.movers[index].inverse_mass;
    let mass = if inverse_mass > 0.0 { 1.0 / inverse_mass } else { 0.0 };
    let (kinetic, potential) = energy::of_body(model, state, index);
    Passage { id, mass, kinetic, potential }
}

/// Puts bodies in after the others and before the walls, and reports what each brings. Where the walls stand is noted later
/// (`Bodies::note_indices`).
pub fn put_in(model: &Model, state: &mut State, geometry: &mut Geometry, entering: &[Body]) -> Vec<Passage> {
    let mut passages = Vec::with_capacity(entering.len());
    for body in entering {
        let bodies = &mut state.bodies;
        let (id, at) = (bodies.index_of.len() as u32, bodies.first_wall);
        let mover = mover_of(id, body, model, &mut bodies.specials);
        bodies.movers.insert(at, mover);
        bodies.loads.insert(at, Load::default());
        bodies.orientations.insert(at, body.orientation.normalize());
        if state.cell.is_some() {
            bodies.images.insert(at, IVec3::ZERO);
        }
        bodies.index_of.push(at as u32);
        geometry.enter(bodies, at..at + 1);
        bodies.material_of.push(body.material);
        bodies.first_wall += 1;
        passages.push(passage(model, state, id));
        // Its mass not by way of 1/m: a checkpoint must give the same bits again.
        let density = model.materials[usize::from(body.material)].density;
        state.traffic.arrivals.push(&Arrival::of(body, density));
    }
    passages
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
    let everywhere = [DVec3::NEG_INFINITY, DVec3::INFINITY];
    let mut around = Surroundings::within(model, &state.bodies, geometry, everywhere, &[]);
    for (id, body) in (first..).zip(bodies) {
        check_body(id, body, model)?;
        check_plain(id, body)?;
        if !around.free(&Entering::of(body), frame) {
            return Err(BuildError::NotFree { body: id });
        }
        around.add(body);
    }
    check_new_laws(model, &state.bodies, bodies)
}

fn check_plain(id: u32, body: &Body) -> Result<(), BuildError> {
    let plain = body.motion == Motion::Free
        && matches!(body.shape, Shape::Sphere { .. })
        && body.inertia_body.is_none()
        && body.lock == [false; 6]
        && body.force.is_zero()
        && body.torque.is_zero();
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
            let passes = !model.laws.touches(other, body.material);
            if let (Some(a), None, false) = (*a, model.laws.get(other, body.material), passes) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inflow::Outflow;
    use crate::ledger::Carried;
    use crate::model::Material;
    use crate::world::{Setup, World};

    #[test]
    fn a_method_says_how_often_to_look_and_books_what_it_is_told() {
        let mut model = Model::new(vec![Material { name: "grain".into(), density: 6.0 / std::f64::consts::PI }], 1e-3);
        (model.gravity, model.outflow) =
            ((DVec3::Z * -10.0).into(), Some(Outflow { from: -DVec3::ONE, to: DVec3::ONE }));
        // A ball of mass 1 at a height of 2 m and a speed of 2 m/s.
        let shape = Shape::Sphere { radius: 0.5 };
        let ball = Body { velocity: DVec3::X * 2.0, ..Body::new(shape, 0, DVec3::new(3.0, 0.0, 2.0)) };
        let world = World::new(Setup { model: model.clone(), bodies: vec![ball.clone()] }).unwrap();
        let (mut state, mut geometry) = (world.state().clone(), world.geometry().clone());
        state.step = 3;
        let mut look = |out_every: u64| {
            let looks = Looks { out_every, least_wait: 1 };
            let found = exchange(&model, &mut state, &geometry, looks, 100).unwrap();
            (found.leaving, found.pause)
        };
        assert_eq!((look(10), look(1)), ((vec![], 10), (vec![0], 4)));
        let gone = take_out(&model, &mut state, &[0]);
        let come = put_in(&model, &mut state, &mut geometry, &[ball]);
        for (id, passage) in [&gone, &come].into_iter().enumerate() {
            let [Passage { id: of, mass, kinetic, potential }] = passage[..] else { panic!("one body") };
            assert_eq!(of, id as u32);
            let error = (mass - 1.0).abs() + (kinetic - 2.0).abs() + (potential - 20.0).abs();
            assert!(error < 1e-13, "{mass} {kinetic} {potential}");
        }
        assert_eq!((state.traffic.left, state.traffic.entered()), (1, 1));
        assert_eq!(state.sums.carried, Carried::default(), "the books are the method's");
        state.sums.carried.book_out(&gone);
        state.sums.carried.book_in(&come);
        assert_eq!(state.sums.carried.brought(), state.sums.carried.taken());
    }
}

//! Bodies come and go: between two steps, at step numbers that follow from the scene alone.
//!
//! Every `OUT_EVERY` steps, bodies that loads move, beyond the box of `Model::outflow`, are taken out. A body of a stream
//! (`Model::inflows`) enters at the first step at or after it is due, at a random place of the stream's box at which it
//! touches nothing. When `TRIES` places were taken it waits, and with it all that follow in its stream; it looks again some
//! steps later (`Inflow::look_every`). Bodies that are late enter as soon as there is room, several at once if need be.
//!
//! The ledger (THEORY.md section 5): a body brings its kinetic and potential energy and takes them away, with what its
//! contacts store. The trapezoids of contacts that end this way are ended where they are (eq. 5.6), and their loads are
//! taken off the bodies that stay, whose next kick they would else still push: both together keep the balance at second
//! order in dt.
//!
//! Does not do: walls or special bodies that enter; shapes other than spheres that leave by themselves.

use glam::{DMat3, DVec3, IVec3};

use super::World;
use super::assemble::{check_body, mover_of};
use crate::body::{Body, Motion};
use crate::cell::Frame;
use crate::collide::general::Solids;
use crate::error::{BuildError, Trouble};
use crate::explicit::bodies::Mechanics;
use crate::explicit::contacts::{self, ChunkWork, Outbox, View};
use crate::inflow::{Arrival, Inflow, Queue};
use crate::shape::Shape;
use crate::state::{GONE, Load, Mover};

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
    fn free(&self, centre: DVec3, radius: f64, frame: Option<&Frame>) -> bool {
        self.spheres.iter().all(|&(other, other_radius)| {
            let (reach, between) = (radius + other_radius, centre - other);
            frame.map_or(between, |frame| frame.nearest(between)).length_squared() > reach * reach
        })
    }
}

impl World {
    /// Puts free spheres into the world, between two steps, and returns their ids. They must touch nothing.
    pub fn insert(&mut self, bodies: &[Body]) -> Result<Vec<u32>, BuildError> {
        let first = self.id_count();
        if bodies.len() >= (u32::MAX - first) as usize {
            return Err(BuildError::TooMany(first as usize + bodies.len()));
        }
        let mut around = Surroundings { spheres: self.spheres_within(DVec3::NEG_INFINITY, DVec3::INFINITY, &[]) };
        let frame = self.upright_cell();
        for (id, body) in (first..).zip(bodies) {
            check_body(id, body, &self.model)?;
            self.check_plain(id, body)?;
            let radius = body.shape.radius().unwrap_or(0.0);
            if !(around.free(body.position, radius, frame.as_ref()) && self.clear_of_walls(body.position, radius)) {
                return Err(BuildError::NotFree { body: id });
            }
            around.spheres.push((body.position, radius));
        }
        self.check_new_laws(first, bodies)?;
        let radii = || bodies.iter().filter_map(|body| body.shape.radius());
        self.check_cell_for(radii().fold(0.0, f64::max)).map_err(|trouble| BuildError::BadCell(trouble.to_string()))?;
        radii().for_each(|radius| self.neighbours.admit(radius));
        self.change(&[], bodies);
        Ok((first..self.id_count()).collect())
    }

    /// Takes spheres out of the world, between two steps. Walls, and ids of bodies that are not there, are passed over.
    pub fn remove(&mut self, ids: &[u32]) {
        let is_sphere = |id: u32| self.has(id) && self.body(id).radius > 0.0;
        let mut ids: Vec<u32> = ids.iter().copied().filter(|&id| is_sphere(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        self.change(&ids, &[]);
    }

    /// The material of a body by id, also of one that has left.
    pub fn material_of(&self, id: u32) -> u16 {
        self.material_of[id as usize]
    }

    /// What is fixed about a body that has entered during the run, also of one that has left; `None` for those that were
    /// there at the start.
    pub fn arrival(&self, id: u32) -> Option<Arrival> {
        let at_start = self.state.bodies.index_of.len() - self.state.traffic.arrivals.len();
        self.state.traffic.arrivals.get((id as usize).checked_sub(at_start)?).copied()
    }

    /// How each stream keeps up with its rate.
    pub fn streams(&self) -> impl Iterator<Item = StreamReport> + '_ {
        self.model.inflows.iter().zip(&self.state.traffic.queues).map(|(inflow, queue)| {
            let time = self.time() - inflow.start;
            StreamReport {
                due: inflow.due_before(self.state.step, self.model.dt),
                entered: queue.entered,
                rate: if time > 0.0 { queue.entered as f64 / time } else { 0.0 },
            }
        })
    }

    // ---- what a step begins with ----

    /// Lets bodies in and out if it is time to. Returns the step before which there is nothing of the kind to do again, at
    /// most `end`.
    pub(super) fn let_in_and_out(&mut self, end: u64) -> Result<u64, Trouble> {
        let step = self.state.step;
        let out = self.model.outflow.is_some();
        let leaving = if out && step.is_multiple_of(OUT_EVERY) { self.outside() } else { Vec::new() };
        let mut entering = Vec::new();
        if self.state.traffic.queues.iter().any(|queue| queue.next_look <= step) {
            // A stream that is blocked ends the run as it was before any of them looked.
            let before = self.state.traffic.queues.clone();
            for stream in 0..self.model.inflows.len() {
                if let Err(blocked) = self.let_in(stream, &leaving, &mut entering) {
                    self.state.traffic.queues = before;
                    return Err(blocked);
                }
            }
        }
        self.change(&leaving, &entering);
        let next_out = if out { (step / OUT_EVERY + 1) * OUT_EVERY } else { end };
        let next_in = self.state.traffic.queues.iter().map(|queue| queue.next_look);
        Ok(next_in.fold(end.min(next_out), u64::min))
    }

    /// The ids, rising, of bodies that have left the box. One whose place is not a number is not gone but wrong.
    fn outside(&self) -> Vec<u32> {
        let Some(outflow) = self.model.outflow else { return Vec::new() };
        let bodies = &self.state.bodies;
        let inside = |p: DVec3| {
            let p = self.place_in_cell(p);
            p.cmpge(outflow.from).all() && p.cmple(outflow.to).all()
        };
        let gone = bodies.movers[..bodies.spheres]
            .iter()
            .filter(|m| m.inverse_mass > 0.0 && m.position.is_finite() && !inside(m.position));
        let mut ids: Vec<u32> = gone.map(|m| m.id).collect();
        ids.sort_unstable();
        ids
    }

    /// Finds places for the bodies of a stream that are due, next to those that enter with them.
    fn let_in(&mut self, stream: usize, leaving: &[u32], entering: &mut Vec<Body>) -> Result<(), Trouble> {
        let (step, dt) = (self.state.step, self.model.dt);
        let mut queue = self.state.traffic.queues[stream];
        if step < queue.next_look {
            return Ok(());
        }
        let inflow = &self.model.inflows[stream];
        let density = self.model.materials[usize::from(inflow.material)].density;
        let reach = DVec3::splat(inflow.radius[1]);
        let mut around = Surroundings { spheres: self.spheres_within(inflow.from - reach, inflow.to + reach, leaving) };
        around.spheres.extend(entering.iter().map(|body| (body.position, body.shape.radius().unwrap_or(0.0))));
        loop {
            let due = if queue.entered < inflow.count { inflow.due_step(queue.entered, dt) } else { u64::MAX };
            queue.next_look = due;
            if due > step {
                break;
            }
            let mut body = inflow.body(queue.entered, density);
            let radius = body.shape.radius().unwrap_or(0.0);
            let Some(centre) = self.free_place(inflow, radius, &around, &mut queue) else {
                queue.in_vain += 1;
                queue.next_look = step + inflow.look_every(self.model.gravity, dt);
                break;
            };
            (queue.entered, queue.in_vain) = (queue.entered + 1, 0);
            body.position = centre;
            around.spheres.push((centre, radius));
            entering.push(body);
        }
        if queue.in_vain >= MOST_LOOKS {
            return Err(self.blocked(stream, &queue));
        }
        self.state.traffic.queues[stream] = queue;
        Ok(())
    }

    /// A place drawn from the stream's box at which a sphere touches nothing, if a few draws find one.
    fn free_place(&self, inflow: &Inflow, radius: f64, around: &Surroundings, queue: &mut Queue) -> Option<DVec3> {
        let mut places = inflow.places.clone();
        places.skip(queue.drawn);
        for _ in 0..TRIES {
            let share = DVec3::new(places.unit(), places.unit(), places.unit());
            queue.drawn += 3;
            let centre = inflow.from + (inflow.to - inflow.from) * share;
            if self.clear_of_walls(centre, radius) && around.free(centre, radius, None) {
                return Some(centre);
            }
        }
        None
    }

    /// Spheres that reach into a box, but for those that leave.
    fn spheres_within(&self, low: DVec3, high: DVec3, leaving: &[u32]) -> Vec<(DVec3, f64)> {
        let bodies = &self.state.bodies;
        let stays = |mover: &&Mover| leaving.binary_search(&mover.id).is_err();
        let near = bodies.movers[..bodies.spheres].iter().filter(|m| reaches_into(m, low, high)).filter(stays);
        near.map(|m| (m.position, m.radius)).collect()
    }

    /// Whether a sphere there would touch no wall, nor lie behind a plane.
    fn clear_of_walls(&self, centre: DVec3, radius: f64) -> bool {
        self.walls.iter().all(|wall| wall.touchable(centre).is_none_or(|nearest| nearest.distance > radius))
    }

    fn blocked(&self, stream: usize, queue: &Queue) -> Trouble {
        let inflow = &self.model.inflows[stream];
        let reach = DVec3::splat(inflow.radius[1]);
        let near = |mover: &&Mover| reaches_into(mover, inflow.from - reach, inflow.to + reach);
        let bodies = &self.state.bodies;
        let near = bodies.movers[..bodies.spheres].iter().filter(near).map(|mover| mover.id);
        Trouble::Blocked {
            number: stream + 1,
            material: self.model.materials[usize::from(inflow.material)].name.clone(),
            looks: queue.in_vain,
            entered: queue.entered,
            count: inflow.count,
            spheres: near.clone().count(),
            first: near.min(),
            time: self.time(),
            step: self.state.step,
        }
    }

    // ---- changes ----

    /// Takes out bodies, by rising id, and puts others in. Neighbour lists are made anew.
    fn change(&mut self, leaving: &[u32], entering: &[Body]) {
        if leaving.is_empty() && entering.is_empty() {
            return;
        }
        let flowed = self.flow_of_bodies();
        let ended = if leaving.is_empty() { DMat3::ZERO } else { self.book_leaving(leaving) };
        let held = self.take_contacts();
        self.take_out(leaving);
        self.put_in(entering);
        self.state.bodies.note_indices();
        self.make_lists(held);
        self.change_flow(flowed, ended);
    }

    /// Books what leaves, ends its contacts, and takes their loads off the bodies that stay. Returns their force (x) branch.
    fn book_leaving(&mut self, leaving: &[u32]) -> DMat3 {
        let leaves = |index: u32| leaving.binary_search(&self.state.bodies.movers[index as usize].id).is_ok();
        let ended = self.ended_contacts(leaves);
        let mechanics = self.mechanics(self.state.step);
        let bodies = &self.state.bodies;
        let mut driven = ended.belts;
        for (index, share) in ended.loads.iter().enumerate() {
            let mover = &bodies.movers[index];
            driven += if leaves(index as u32) {
                mechanics.driven_power(mover, &bodies.loads[index])
            } else {
                // A drive that stays loses only what it had to do against the contacts that end.
                mechanics.driven_power(mover, share) - mechanics.driven_power(mover, &Load::default())
            };
        }
        let mut carried = self.state.sums.carried;
        let mut left_mass = self.state.traffic.left_mass;
        for &id in leaving {
            let index = bodies.index_of[id as usize] as usize;
            let mover = &bodies.movers[index];
            let (kinetic, potential) = self.energies_of(mover, bodies.orientations[index], bodies.image_of(index));
            carried.kinetic_out += kinetic;
            carried.potential_out += potential;
            left_mass += if mover.inverse_mass > 0.0 { 1.0 / mover.inverse_mass } else { 0.0 };
        }
        carried.stored_out += ended.stored.iter().sum::<f64>();
        let state = &mut self.state;
        (0..4).for_each(|motion| state.sums.stored_out[motion] += ended.stored[motion]);
        state.sums.carried = carried;
        state.sums.end(ended.power, driven, self.model.dt);
        if let Some(work) = self.work.first_mut() {
            work.pressed -= ended.pressed;
        }
        let is_leaving = |id: u32| leaving.binary_search(&id).is_ok();
        self.work.iter_mut().for_each(|work| work.rows.retain(|row| !is_leaving(row.a) && !is_leaving(row.b)));
        state.traffic.left += leaving.len() as u64;
        state.traffic.left_mass = left_mass;
        for (load, share) in state.bodies.loads.iter_mut().zip(&ended.loads) {
            load.add(&Load::new(-share.force, -share.torque));
        }
        ended.virial
    }

    /// The contacts of the bodies that leave, as they are now: evaluated without a step, on a copy.
    fn ended_contacts(&self, leaves: impl Fn(u32) -> bool) -> Ended {
        let bodies = &self.state.bodies;
        // Velocities are those of the full step, so nothing must be added to them.
        let mut movers = bodies.movers.clone();
        for mover in &mut movers {
            (mover.velocity_ahead, mover.angular_velocity_ahead) = ([0.0; 3], [0.0; 3]);
        }
        let solids = Solids { specials: &self.specials, now: &self.solids, before: &self.solids };
        let view =
            View { movers: &movers, walls_before: &self.walls, solids, keep_rows: false, ..self.view(bodies, 0.0) };
        let mut ended = Ended {
            loads: vec![Load::default(); movers.len()],
            power: [0.0; 4],
            belts: 0.0,
            pressed: 0.0,
            virial: DMat3::ZERO,
            stored: [0.0; 4],
        };
        for (chunk, (lists, contacts)) in self.neighbours.chunks.iter().zip(&self.state.contacts).enumerate() {
            let Some(mut chosen) = contacts::chosen(lists, contacts, |pair| leaves(pair.a) || leaves(pair.b)) else {
                continue;
            };
            let stored = contacts::stored(&view, lists, &chosen);
            (0..4).for_each(|motion| ended.stored[motion] += stored[motion]);
            let mut work = ChunkWork::default();
            let first = chunk * bodies.chunk;
            let end = (first + bodies.chunk).min(movers.len());
            contacts::evaluate(view, chunk, lists, &mut chosen, &mut work, &mut ended.loads[first..end]);
            for (body, load) in work.outboxes.iter().flat_map(Outbox::iter) {
                ended.loads[body as usize].add(load);
            }
            (0..4).for_each(|motion| ended.power[motion] += work.power[motion]);
            ended.belts += work.belts;
            ended.pressed += work.pressed;
            ended.virial += work.virial();
        }
        ended
    }

    fn take_out(&mut self, leaving: &[u32]) {
        let bodies = &mut self.state.bodies;
        let stays: Vec<bool> = bodies.movers.iter().map(|m| leaving.binary_search(&m.id).is_err()).collect();
        bodies.spheres = stays[..bodies.spheres].iter().filter(|stays| **stays).count();
        keep(&mut bodies.movers, &stays);
        keep(&mut bodies.loads, &stays);
        keep(&mut bodies.orientations, &stays);
        keep(&mut bodies.images, &stays);
        leaving.iter().for_each(|&id| bodies.index_of[id as usize] = GONE);
    }

    /// Spheres enter after the others and before the walls. Their indices are noted later.
    fn put_in(&mut self, entering: &[Body]) {
        // Not that of the last step, which a restart does not know.
        let flow = self.flow_ahead();
        for body in entering {
            let id = self.id_count();
            let mut mover = mover_of(id, body, &self.model, &mut self.specials, &mut self.solids);
            let orientation = body.orientation.normalize();
            let mechanics = Mechanics { flow: flow.as_ref(), ..self.mechanics(self.state.step) };
            mechanics.look_ahead(&mut mover, &Load::default(), orientation);
            let (kinetic, potential) = self.energies_of(&mover, orientation, IVec3::ZERO);
            let (material, radius) = (body.material, mover.radius);
            // Not by way of 1/m: a checkpoint must give the same bits again.
            let mass = body.mass_and_inertia(self.model.materials[usize::from(material)].density).0;
            self.material_of.push(material);
            let state = &mut self.state;
            state.sums.carried.kinetic_in += kinetic;
            state.sums.carried.potential_in += potential;
            state.traffic.arrivals.push(Arrival { material, radius, mass });
            self.largest_radius = self.largest_radius.max(radius);
            let bodies = &mut state.bodies;
            let at = bodies.spheres;
            bodies.movers.insert(at, mover);
            bodies.loads.insert(at, Load::default());
            bodies.orientations.insert(at, orientation);
            if state.cell.is_some() {
                bodies.images.insert(at, IVec3::ZERO);
            }
            bodies.index_of.push(at as u32);
            bodies.spheres += 1;
        }
    }

    fn check_plain(&self, id: u32, body: &Body) -> Result<(), BuildError> {
        let plain = body.motion == Motion::Free
            && matches!(body.shape, Shape::Sphere { .. })
            && body.inertia_body.is_none()
            && body.lock == [false; 6]
            && (body.force, body.torque) == (DVec3::ZERO, DVec3::ZERO);
        if plain { Ok(()) } else { Err(BuildError::NotPlain { body: id }) }
    }

    /// Those that enter need laws with each other and with all that are there.
    fn check_new_laws(&self, first: u32, bodies: &[Body]) -> Result<(), BuildError> {
        // The first body of each material stands for all.
        let mut there = vec![None; self.model.materials.len()];
        for id in self.ids() {
            there[usize::from(self.material_of(id))].get_or_insert(id);
        }
        for (b, body) in (first..).zip(bodies) {
            for (other, a) in (0..).zip(&there) {
                if let (Some(a), None) = (*a, self.model.laws.get(other, body.material)) {
                    let [first, second] =
                        [other, body.material].map(|m| self.model.materials[usize::from(m)].name.clone());
                    return Err(BuildError::NoLaws { a, b, first, second });
                }
            }
            there[usize::from(body.material)].get_or_insert(b);
        }
        Ok(())
    }
}

/// What the contacts of leaving bodies hold and do.
struct Ended {
    /// On each body, by index.
    loads: Vec<Load>,
    /// Power by motion.
    power: [f64; 4],
    /// Power that belts put in.
    belts: f64,
    /// Sum of the sizes of normal forces (N).
    pressed: f64,
    /// Sum of force (x) branch (J), the force's component in the row.
    virial: DMat3,
    /// Elastic energy by motion.
    stored: [f64; 4],
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

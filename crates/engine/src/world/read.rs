//! What can be read off a world: bodies, contacts, energies, counts.

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::{Phases, World};
use crate::body::Motion;
use crate::energy;
use crate::frame::Pose;
use crate::geometry::Geometry;
use crate::ledger::Ledger;
use crate::measure::solver::SolverReport;

use crate::measure::{BodyView, ContactRow, PartView};
use crate::model::{ColliderRange, Model};
use crate::shape::Shape;
use crate::soft::lists::Candidate;
use crate::state::{GONE, Load, Mover, State};

impl World {
    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.state.time(&self.model)
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.state.step
    }

    /// What does not change.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What a checkpoint holds.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Where colliders are: follows from model and state.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Number of bodies, walls included.
    pub fn body_count(&self) -> usize {
        self.state.bodies.movers.len()
    }

    /// Number of bodies that are no walls.
    pub fn sphere_count(&self) -> usize {
        self.state.bodies.first_wall
    }

    /// Touching contacts.
    pub fn contact_count(&self) -> usize {
        self.state.contact_count()
    }

    /// Mean number of contacts a sphere: one between spheres counts at both, one with a wall at its sphere only. Zero without
    /// spheres. The same as `measure::packing::coordination` finds from contacts.
    pub fn coordination(&self) -> f64 {
        let first_wall = self.state.bodies.first_wall as u32;
        let spheres = |pair: &[u32; 2]| pair.iter().filter(|&&index| index < first_wall).count();
        let ends: usize = self.touching_pairs().iter().map(spheres).sum();
        if self.sphere_count() == 0 { 0.0 } else { ends as f64 / self.sphere_count() as f64 }
    }

    /// Listed pairs, touching or not.
    pub fn candidate_count(&self) -> usize {
        self.work.answers().candidate_count()
    }

    /// Bytes of a listed pair.
    pub const CANDIDATE_BYTES: usize = size_of::<Candidate>();

    /// The bodies of listed pairs, touching or not, by ids, the lower first.
    pub fn candidates(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let id = |index: u32| self.state.bodies.movers[index as usize].id;
        self.work.answers().candidates().into_iter().map(move |[a, b]| (id(a), id(b)))
    }

    /// Pairs with a gap below this are listed (m).
    pub fn skin(&self) -> f64 {
        self.work.answers().skin()
    }

    /// How often neighbour lists were made.
    pub fn rebuilds(&self) -> u64 {
        self.work.answers().rebuilds()
    }

    /// The ids of the bodies that are there, rising. Ids are never used again, so there are gaps where bodies have left.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0_u32..).zip(&self.state.bodies.index_of).filter(|(_, index)| **index != GONE).map(|(id, _)| id)
    }

    /// How many ids have been given away: one more than the highest.
    pub fn id_count(&self) -> u32 {
        self.state.bodies.index_of.len() as u32
    }

    /// Whether the body of this id is there.
    pub fn has(&self, id: u32) -> bool {
        self.state.bodies.index_of.get(id as usize).is_some_and(|&index| index != GONE)
    }

    /// A body by id. Panics for one that is not there: `ids` gives those that are, and `has` tells.
    pub fn body(&self, id: u32) -> BodyView {
        let bodies = &self.state.bodies;
        let index = bodies.index_of[id as usize] as usize;
        let (mover, load) = (&bodies.movers[index], &bodies.loads[index]);
        BodyView {
            id,
            position: mover.position,
            orientation: bodies.orientation(index),
            velocity: mover.velocity,
            angular_velocity: mover.angular_velocity,
            force: load.force,
            torque: load.torque,
            radius: mover.radius,
            half_size: self.half_size(mover),
        }
    }

    /// The shapes of a body in their places: one of most, each part of a clump.
    pub fn parts(&self, id: u32) -> impl Iterator<Item = PartView> + '_ {
        let bodies = &self.state.bodies;
        let index = bodies.index_of[id as usize] as usize;
        let mover = &bodies.movers[index];
        let body = Pose { position: mover.position, orientation: bodies.orientations[index] };
        let own = bodies.special(mover).map_or(ColliderRange::default(), |special| special.colliders);
        let ball = PartView {
            shape: Shape::Sphere { radius: mover.radius },
            position: body.position,
            orientation: body.orientation,
        };
        let of_collider = move |number: usize| {
            let collider = &self.geometry.colliders()[number];
            let Pose { position, orientation } = collider.place(&body);
            PartView { shape: collider.shape.clone(), position, orientation }
        };
        (own.count == 0).then_some(ball).into_iter().chain(own.numbers().map(of_collider))
    }

    fn half_size(&self, mover: &Mover) -> DVec3 {
        match self.state.bodies.special(mover).and_then(|special| special.shape.as_ref()) {
            Some(&Shape::Ellipsoid { axes }) => axes,
            Some(&Shape::Box { size }) => size * 0.5,
            _ => DVec3::splat(mover.radius),
        }
    }

    /// Whether the next step keeps rows for `rows`. The first evaluation, at step 0, always does.
    pub fn keep_rows(&mut self, keep: bool) {
        self.work.answers_mut().keep_rows(keep);
    }

    /// The contacts of the latest step, sorted by a, b and feature; empty unless rows were kept.
    pub fn rows(&self) -> Vec<ContactRow> {
        sorted(self.work.answers().rows())
    }

    /// The contacts of the state as it is, evaluated on a copy of it, sorted by a, b and feature: loads of velocities at the full
    /// step, while `rows` has those of the latest step.
    pub fn contacts_now(&self) -> Vec<ContactRow> {
        sorted(self.work.answers().contacts_now(self.seen()))
    }

    /// The pairs that touch, by index.
    pub(super) fn touching_pairs(&self) -> Vec<[u32; 2]> {
        self.work.answers().touching_pairs(self.seen())
    }

    /// How the latest step was solved; `None` for a method that solves for nothing.
    pub fn solver(&self) -> Option<SolverReport> {
        self.work.answers().solver()
    }

    /// Whether phases are timed in detail: a few looks at the clock for every chunk of bodies.
    pub fn time_phases(&mut self, timed: bool) {
        self.work.answers_mut().time_phases(timed);
    }

    /// Time spent by phase since `time_phases`.
    pub fn phases(&self) -> Phases {
        self.work.answers().phases()
    }

    /// Bytes held for bodies (with neighbour lists), and for contacts (with memory).
    pub fn bytes(&self) -> (usize, usize) {
        use std::mem::size_of;
        let per_body = size_of::<Mover>() + size_of::<Load>() + size_of::<DQuat>() + size_of::<DVec3>() + 4 + 2;
        let [lists, contacts] = self.work.answers().bytes(&self.state);
        (self.body_count() * per_body + lists, contacts)
    }

    /// The energies now.
    pub fn ledger(&self) -> Ledger {
        let (kinetic, potential) = energy::of_all(&self.model, &self.state);
        let stored = self.work.answers().stored(self.seen());
        let in_joints = energy::of_joints(&self.model, &self.state);
        Ledger::new([kinetic, potential, in_joints], stored, &self.state.sums, self.model.dt)
    }

    /// Translational kinetic energy of free bodies (J) and their number.
    pub fn translational_energy(&self) -> (f64, usize) {
        let moved = self.state.bodies.movers.iter().filter(|m| m.inverse_mass > 0.0);
        let energy = moved.clone().map(|m| 0.5 * m.velocity.length_squared() / m.inverse_mass).sum();
        (energy, moved.count())
    }

    /// Mean net force on free bodies over the mean normal force in contacts; 0 when nothing touches.
    pub fn unbalanced_force(&self) -> f64 {
        let bodies = &self.state.bodies;
        let time = self.time();
        let gravity = self.model.gravity.at(time);
        let net_force = |(mover, load): (&Mover, &Load)| {
            let special = bodies.special(mover);
            if mover.inverse_mass == 0.0 || special.is_some_and(|special| special.motion == Motion::Held) {
                return None;
            }
            let (force, mask) =
                special.map_or((DVec3::ZERO, DVec3::ONE), |special| (special.force.at(time), special.free));
            Some(((load.force + force + gravity / mover.inverse_mass) * mask).length())
        };
        let add = |sum: (f64, usize), one: (f64, usize)| (sum.0 + one.0, sum.1 + one.1);
        let chunks = bodies.movers.par_chunks(bodies.chunk).zip(bodies.loads.par_chunks(bodies.chunk));
        let of_chunk = |(movers, loads): (&[Mover], &[Load])| {
            movers.iter().zip(loads).filter_map(net_force).fold((0.0, 0), |sum, force| add(sum, (force, 1)))
        };
        let chunks: Vec<(f64, usize)> = chunks.map(of_chunk).collect();
        let (net, free) = chunks.into_iter().fold((0.0, 0), add);
        let pressed = self.work.answers().pressed();
        let contacts = self.contact_count();
        if contacts == 0 || free == 0 { 0.0 } else { (net / free as f64) / (pressed / contacts as f64) }
    }
}

fn sorted(mut rows: Vec<ContactRow>) -> Vec<ContactRow> {
    rows.sort_unstable_by_key(|row| (row.a, row.b, row.feature));
    rows
}

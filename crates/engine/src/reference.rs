//! The same step, slow and obvious: every pair, one thread, no lists, no blocks, no packed records. Tests hold the fast
//! step to it.
//!
//! Does not do: bodies whose moments of inertia differ, local damping, and bodies that come and go.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use crate::body::{Body, Motion};
use crate::contact::{Contact, Turn};
use crate::explicit::hand_over;
use crate::law::PairLaws;
use crate::law::one::{self, PairMemory};
use crate::model::Integrator;
use crate::shape::Shape;
use crate::wall::{self, Wall};
use crate::world::Setup;

/// A body of the slow world.
#[derive(Clone, Debug)]
pub struct SlowBody {
    /// As described.
    pub body: Body,
    /// Contact force and torque.
    pub load: (DVec3, DVec3),
    mass: f64,
    inertia: f64,
}

/// A world that steps slowly.
#[derive(Clone, Debug)]
pub struct SlowWorld {
    /// Bodies by id; position, orientation and velocities move.
    pub bodies: Vec<SlowBody>,
    /// What contacts remember, by ids.
    pub contacts: BTreeMap<(usize, usize), PairMemory>,
    /// Where bodies were at the start of the step.
    before: Vec<(DVec3, DQuat)>,
    setup: Setup,
    step: u64,
}

impl SlowWorld {
    /// At step 0.
    pub fn new(setup: Setup) -> Self {
        let bodies = setup.bodies.iter().map(|body| {
            let (mass, inertia) = body.mass_and_inertia(setup.model.materials[body.material as usize].density);
            SlowBody { body: body.clone(), load: (DVec3::ZERO, DVec3::ZERO), mass, inertia: inertia.x }
        });
        let mut world =
            SlowWorld { bodies: bodies.collect(), contacts: BTreeMap::new(), before: Vec::new(), setup, step: 0 };
        world.set_prescribed(0.0, 0.0);
        world.note_places();
        world.evaluate(0.0);
        world
    }

    /// One step.
    pub fn step(&mut self) {
        let dt = self.setup.model.dt;
        let first = match self.setup.model.integrator {
            Integrator::VelocityVerlet => 0.5 * dt,
            Integrator::SymplecticEuler => dt,
        };
        self.step += 1;
        let time = self.step as f64 * dt;
        self.note_places();
        self.kick(first);
        for body in self.bodies.iter_mut().map(|slow| &mut slow.body) {
            body.position += body.velocity * dt;
            body.orientation = crate::frame::turned(body.orientation, body.angular_velocity * dt);
        }
        self.set_prescribed(time, time - (dt - first));
        for (slow, before) in self.bodies.iter_mut().zip(&self.before) {
            if let (Motion::Prescribed(_), Shape::Sphere { .. }) = (slow.body.motion, slow.body.shape) {
                slow.body.velocity = (slow.body.position - before.0) / dt;
            }
        }
        self.evaluate(dt);
        self.kick(dt - first);
        self.set_prescribed(time, time);
    }

    fn note_places(&mut self) {
        self.before = self.bodies.iter().map(|slow| (slow.body.position, slow.body.orientation)).collect();
    }

    fn kick(&mut self, kick: f64) {
        for SlowBody { body, load, mass, inertia } in &mut self.bodies {
            let free = |locked: bool| if locked { 0.0 } else { 1.0 };
            let l = body.lock.map(free);
            if body.motion == Motion::Free {
                let force = load.0 + body.force + self.setup.model.gravity * *mass;
                body.velocity += force * DVec3::new(l[0], l[1], l[2]) * (kick / *mass);
            }
            if let Motion::Servo(servo) = body.motion {
                body.velocity = servo.kicked(body.velocity, load.0, kick);
            }
            if body.motion.yields() {
                body.angular_velocity += (load.1 + body.torque) * DVec3::new(l[3], l[4], l[5]) * (kick / *inertia);
            }
        }
    }

    /// Poses of prescribed bodies at one time, their velocities at another; what is fixed or held stays.
    fn set_prescribed(&mut self, time: f64, velocity_time: f64) {
        for (slow, start) in self.bodies.iter_mut().zip(&self.setup.bodies) {
            let body = &mut slow.body;
            match body.motion {
                Motion::Free => {}
                Motion::Servo(_) => {
                    (body.orientation, body.angular_velocity) = (start.orientation, DVec3::ZERO);
                }
                Motion::Belt(velocity) => {
                    (body.position, body.velocity) = (start.position, velocity);
                    (body.orientation, body.angular_velocity) = (start.orientation, DVec3::ZERO);
                }
                Motion::Held => (body.position, body.velocity) = (start.position, DVec3::ZERO),
                Motion::Fixed => {
                    (body.position, body.velocity) = (start.position, DVec3::ZERO);
                    (body.orientation, body.angular_velocity) = (start.orientation, DVec3::ZERO);
                }
                Motion::Prescribed(prescribed) => {
                    let pose = prescribed.pose(start.position, start.orientation, time);
                    (body.position, body.orientation) = (pose.position, pose.orientation);
                    let pose = prescribed.pose(start.position, start.orientation, velocity_time);
                    (body.velocity, body.angular_velocity) = (pose.velocity, pose.angular_velocity);
                }
            }
        }
    }

    fn evaluate(&mut self, dt: f64) {
        self.bodies.iter_mut().for_each(|slow| slow.load = (DVec3::ZERO, DVec3::ZERO));
        self.hand_over();
        for a in 0..self.bodies.len() {
            for b in a + 1..self.bodies.len() {
                self.evaluate_pair(a, b, dt);
            }
        }
    }

    /// A sphere that crosses from one wall to the next takes its memory along: see `explicit/hand_over.rs`.
    fn hand_over(&mut self) {
        let had: Vec<(usize, usize)> = self.contacts.keys().copied().collect();
        for (a, b) in had {
            let ends = !self.touch((a, b));
            let (sphere, wall) = if self.bodies[a].body.shape.radius().is_some() { (a, b) } else { (b, a) };
            if !ends || self.bodies[wall].body.shape.radius().is_some() {
                continue;
            }
            let pair = |wall: usize| (sphere.min(wall), sphere.max(wall));
            let next = (0..self.bodies.len()).find(|&other| {
                let [old, new] = [wall, other].map(|wall| &self.bodies[wall].body);
                let alike = new.material == old.material && (other < sphere) == (wall < sphere);
                let touches = || !self.contacts.contains_key(&pair(other)) && self.touch(pair(other));
                other != wall && new.shape.radius().is_none() && alike && touches() && self.goes_on(sphere, old, new)
            });
            if let (Some(next), Some(&memory)) = (next, self.contacts.get(&(a, b))) {
                self.contacts.insert(pair(next), memory);
            }
        }
    }

    fn touch(&self, (a, b): (usize, usize)) -> bool {
        self.contact(a, b, 0.0).is_some()
    }

    fn goes_on(&self, sphere: usize, old: &Body, new: &Body) -> bool {
        let (at, wall) = (&self.bodies[sphere].body, |b: &Body| Wall::new(&b.shape, b.position, b.orientation));
        match (wall(old), wall(new), at.shape.radius()) {
            (Some(old), Some(new), Some(radius)) => hand_over::goes_on(&old, &new, at.position, radius),
            _ => false,
        }
    }

    fn evaluate_pair(&mut self, a: usize, b: usize, dt: f64) {
        let Some((mut contact, centre_a, centre_b)) = self.contact(a, b, dt) else {
            self.contacts.remove(&(a, b));
            return;
        };
        let mut memory = self.contacts.get(&(a, b)).copied().unwrap_or_default();
        let [first, second] = [a, b].map(|i| self.bodies[i].body.material);
        let laws = self.setup.model.laws.get(first, second).expect("the setup has laws for every pair that meets");
        let (push, friction) = one::evaluate(laws, &mut contact, &mut memory);
        self.contacts.insert((a, b), memory);
        let n = contact.normal;
        let force = n * push + friction.force;
        let moment = n.cross(friction.force);
        let spin = n * friction.spin;
        let torque_a = -moment * friction.lever_a + friction.roll_a + spin;
        let torque_b = -moment * friction.lever_b + friction.roll_b - spin;
        // Torques are about the centres the levers count from; a wall's own position may be elsewhere.
        let [at_a, at_b] = [a, b].map(|i| self.bodies[i].body.position);
        self.add(a, force, torque_a + (centre_a - at_a).cross(force));
        self.add(b, -force, torque_b - (centre_b - at_b).cross(force));
    }

    fn add(&mut self, body: usize, force: DVec3, torque: DVec3) {
        self.bodies[body].load.0 += force;
        self.bodies[body].load.1 += torque;
    }

    /// Normal from a wall to a sphere's centre and their overlap, if they touch.
    fn wall_contact(&self, wall: usize, centre: DVec3, radius: f64) -> Option<(DVec3, f64)> {
        let is_wall = |slow: &&SlowBody| slow.body.shape.radius().is_none();
        let walls: Vec<Wall> = self
            .bodies
            .iter()
            .filter(is_wall)
            .filter_map(|slow| Wall::new(&slow.body.shape, slow.body.position, slow.body.orientation))
            .collect();
        let index = self.bodies[..wall].iter().filter(is_wall).count();
        let nearest = walls[index].touchable(centre).filter(|nearest| nearest.distance < radius)?;
        let left = wall::left_to_another(&walls, index, &nearest, centre, radius);
        (!left).then_some((nearest.normal, radius - nearest.distance))
    }

    /// The contact and the centres its levers count from, if the two touch.
    fn contact(&self, a: usize, b: usize, dt: f64) -> Option<(Contact, DVec3, DVec3)> {
        let inverse = |slow: &SlowBody| match slow.body.motion {
            Motion::Free | Motion::Held => (1.0 / slow.mass, 1.0 / slow.inertia),
            _ => (0.0, 0.0),
        };
        let (slow_a, slow_b) = (&self.bodies[a], &self.bodies[b]);
        let (body_a, body_b) = (&slow_a.body, &slow_b.body);
        let ((inverse_mass_a, inverse_inertia_a), (inverse_mass_b, inverse_inertia_b)) =
            (inverse(slow_a), inverse(slow_b));
        if inverse_mass_a + inverse_mass_b == 0.0 {
            return None;
        }
        let (normal, overlap, reach_a, reach_b, radius_eff, centre_a, centre_b) = match (body_a.shape, body_b.shape) {
            (Shape::Sphere { radius: ra }, Shape::Sphere { radius: rb }) => {
                let between = body_a.position - body_b.position;
                let overlap = ra + rb - between.length();
                (between.normalize(), overlap, ra, rb, ra * rb / (ra + rb), body_a.position, body_b.position)
            }
            (Shape::Sphere { radius }, _) => {
                let (n, overlap) = self.wall_contact(b, body_a.position, radius)?;
                (n, overlap, radius, -radius, radius, body_a.position, body_a.position)
            }
            (_, Shape::Sphere { radius }) => {
                let (n, overlap) = self.wall_contact(a, body_b.position, radius)?;
                (-n, overlap, -radius, radius, radius, body_b.position, body_b.position)
            }
            _ => return None,
        };
        if overlap <= 0.0 {
            return None;
        }
        let (was_a, was_b) = (self.before[a], self.before[b]);
        let normal_before = match (body_a.shape, body_b.shape) {
            (Shape::Sphere { .. }, Shape::Sphere { .. }) => (was_a.0 - was_b.0).normalize(),
            (Shape::Sphere { .. }, wall) => Wall::new(&wall, was_b.0, was_b.1)?.nearest(was_a.0).normal,
            (wall, _) => -Wall::new(&wall, was_a.0, was_a.1)?.nearest(was_b.0).normal,
        };
        let spin_sum = body_a.angular_velocity + body_b.angular_velocity;
        let belt =
            |b: &Body, v: DVec3| if matches!(b.motion, Motion::Belt(_)) { v - normal * v.dot(normal) } else { v };
        let velocity = if reach_a < 0.0 {
            belt(body_a, velocity_of_wall(body_a, body_b, dt)) - body_b.velocity
        } else if reach_b < 0.0 {
            body_a.velocity - belt(body_b, velocity_of_wall(body_b, body_a, dt))
        } else {
            body_a.velocity - body_b.velocity
        };
        let rates_at_end =
            self.setup.model.laws.get(body_a.material, body_b.material).is_some_and(PairLaws::rates_at_end);
        let (normal_mid, turn) = Turn::new(normal_before, normal, spin_sum, dt);
        let lever = |reach: f64| reach - 0.5 * overlap * reach.signum();
        let contact = Contact {
            normal,
            normal_before,
            normal_mid,
            turn,
            overlap,
            separation_rate: velocity.dot(if rates_at_end { normal } else { normal_mid }),
            velocity,
            angular_velocity_a: body_a.angular_velocity,
            angular_velocity_b: body_b.angular_velocity,
            lever_a: lever(reach_a),
            lever_b: lever(reach_b),
            reach_a,
            reach_b,
            radius_eff,
            mass_eff: 1.0 / (inverse_mass_a + inverse_mass_b),
            inverse_mass_a,
            inverse_mass_b,
            inverse_inertia_a,
            inverse_inertia_b,
            normal_load: 0.0,
            dt,
        };
        Some((contact, centre_a, centre_b))
    }
}

/// Velocity of a wall at a sphere's centre, where that was in the middle of the step, to which the velocities belong.
fn velocity_of_wall(wall: &Body, sphere: &Body, dt: f64) -> DVec3 {
    let arm = sphere.position - wall.position - (sphere.velocity - wall.velocity) * (0.5 * dt);
    wall.velocity + wall.angular_velocity.cross(arm)
}

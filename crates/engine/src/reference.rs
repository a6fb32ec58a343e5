//! The same step, slow and obvious: every pair, one thread, no lists, no blocks, no packed records. Tests hold the fast
//! step to it.
//!
//! In a cell bodies are never put back, the cell never flips, and the velocity that laws see is the change of the branch to
//! the nearest image over the step.
//!
//! Does not do: local damping, bodies that come and go, and the mean-stress control
//! of a cell.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};

use crate::body::{Body, Motion};
use crate::cell::{CellState, Control};
use crate::collide::normal_mass::{Separation, Yields, normal_mass};
use crate::collide::seams::JOINED;
use crate::collide::solid::{self, Form, Meeting, Posed};
use crate::collide::{self, ColliderId, Touch, Touches, settle_seams};
use crate::contact::{Contact, Curvature, Turn};
use crate::law::{PairMemory, SpringLaws, one};
use crate::model::{Integrator, Method};
use crate::setup::Setup;
use crate::shape::Shape;
use crate::soft::hand_over;
use crate::wall::Wall;

/// A body of the slow world.
#[derive(Clone, Debug)]
pub struct SlowBody {
    /// As described.
    pub body: Body,
    /// Contact force and torque.
    pub load: (DVec3, DVec3),
    mass: f64,
    inertia: DVec3,
    /// Angular velocity in the middle of the step.
    turning: DVec3,
}

impl SlowBody {
    fn tumbles(&self) -> bool {
        self.inertia != DVec3::splat(self.inertia.x)
    }

    /// Angular velocity in the middle of the step; what is driven has it as it is.
    fn mean_turning(&self) -> DVec3 {
        if self.body.motion.yields() { self.turning } else { self.body.angular_velocity }
    }

    /// The angular velocity that this angular momentum is at an orientation.
    fn rate(&self, at: DQuat, momentum: DVec3) -> DVec3 {
        at * ((at.inverse() * momentum) / self.inertia)
    }

    /// Turns with its angular momentum kept, by the implicit midpoint rule.
    fn turn(&mut self, dt: f64) {
        self.turning = self.body.angular_velocity;
        if self.tumbles() && self.body.motion.yields() && !self.body.lock[3] {
            let at = self.body.orientation;
            let momentum = at * (self.inertia * (at.inverse() * self.body.angular_velocity));
            for _ in 0..50 {
                self.turning = self.rate(crate::frame::turned(at, self.turning * (0.5 * dt)), momentum);
            }
            self.body.angular_velocity = self.rate(crate::frame::turned(at, self.turning * dt), momentum);
        }
        self.body.orientation = crate::frame::turned(self.body.orientation, self.turning * dt);
    }
}

/// A world that steps slowly.
#[derive(Clone, Debug)]
pub struct SlowWorld {
    /// Bodies by id; position, orientation and velocities move.
    pub bodies: Vec<SlowBody>,
    /// What contacts remember, by ids and feature.
    pub contacts: BTreeMap<(usize, usize, u8), PairMemory>,
    /// The cell, if there is one.
    pub cell: Option<CellState>,
    /// Where bodies were at the start of the step.
    before: Vec<(DVec3, DQuat)>,
    /// The vectors of the cell then.
    vectors_before: DMat3,
    /// Sum over contacts between spheres of branch (x) force.
    virial: DMat3,
    setup: Setup,
    step: u64,
}

impl SlowWorld {
    /// At step 0.
    pub fn new(setup: Setup) -> Self {
        let bodies = setup.bodies.iter().map(|body| {
            let (mass, inertia) = body.mass_and_inertia(setup.model.materials[body.material as usize].density);
            let (inertia, turning) = (body.about_free_axis(inertia), body.angular_velocity);
            SlowBody { body: body.clone(), load: (DVec3::ZERO, DVec3::ZERO), mass, inertia, turning }
        });
        let mut world = SlowWorld {
            bodies: bodies.collect(),
            contacts: BTreeMap::new(),
            cell: None,
            before: Vec::new(),
            vectors_before: DMat3::ZERO,
            virial: DMat3::ZERO,
            setup,
            step: 0,
        };
        world.cell = world.setup.model.cell.as_ref().map(|cell| CellState::new(cell, world.centre()));
        world.set_prescribed(0.0, 0.0);
        world.note_places();
        world.evaluate(0.0);
        world
    }

    fn centre(&self) -> DVec3 {
        let mass: f64 = self.bodies.iter().map(|slow| slow.mass).sum();
        self.bodies.iter().map(|slow| slow.body.position * slow.mass).sum::<DVec3>() / mass
    }

    /// One step.
    pub fn step(&mut self) {
        let dt = self.setup.model.dt;
        let Method::Explicit(settings) = self.setup.model.method else { unreachable!("it is the explicit method's") };
        let first = match settings.integrator {
            Integrator::VelocityVerlet => 0.5 * dt,
            Integrator::SymplecticEuler => dt,
        };
        let start = self.step as f64 * dt;
        self.step += 1;
        let time = self.step as f64 * dt;
        self.note_places();
        self.kick_cell(start);
        self.kick(first, start);
        self.brake();
        self.drift_cell();
        let flow = self.flow();
        for slow in &mut self.bodies {
            let body = &mut slow.body;
            body.position = midpoint(body.position, dt, |x| body.velocity + flow(x));
            slow.turn(dt);
        }
        self.set_prescribed(time, 2.0 * (dt - first));
        for (slow, before) in self.bodies.iter_mut().zip(&self.before) {
            if let (Motion::Prescribed(_), Some(_)) = (&slow.body.motion, slow.body.shape.radius()) {
                slow.body.velocity = (slow.body.position - before.0) / dt;
            }
        }
        self.evaluate(dt);
        self.brake();
        self.kick(dt - first, time);
        self.kick_cell(time);
        self.set_prescribed(time, 0.0);
    }

    /// The velocity of the cell's affine flow at a place.
    fn flow(&self) -> impl Fn(DVec3) -> DVec3 + use<> {
        let (gradient, centre) = self.cell.map_or((DMat3::ZERO, DVec3::ZERO), |cell| (cell.gradient, cell.centre));
        move |x| gradient * (x - centre)
    }

    fn drift_cell(&mut self) {
        let (dt, flow) = (self.setup.model.dt, self.flow());
        if let Some(cell) = &mut self.cell {
            let corner = cell.frame.corner;
            let moved = |vector: DVec3| midpoint(corner + vector, dt, &flow) - midpoint(corner, dt, &flow);
            let v = cell.frame.vectors;
            cell.frame.vectors = DMat3::from_cols(moved(v.x_axis), moved(v.y_axis), moved(v.z_axis));
            cell.frame.corner = midpoint(corner, dt, &flow);
        }
    }

    /// Half a step of v' = -(L + tr(L)/(3 N)) v, the second part under a barostat only.
    fn brake(&mut self) {
        let Some(cell) = &self.cell else { return };
        let (l, n) = (cell.gradient, self.bodies.len() as f64);
        let barostat =
            matches!(self.setup.model.cell.as_ref().map(|cell| &cell.control), Some(Control::Pressure { .. }));
        let friction = if barostat { trace(l) / (3.0 * n) } else { 0.0 };
        let half = 0.5 * self.setup.model.dt;
        for slow in &mut self.bodies {
            slow.body.velocity = midpoint(slow.body.velocity, half, |v| -(l * v) - v * friction);
        }
    }

    /// Half a kick of the gradient by the stress, at a time.
    fn kick_cell(&mut self, time: f64) {
        let control = self.setup.model.cell.as_ref().map(|cell| &cell.control);
        let (Some(cell), Some(Control::Pressure { target, inertia, triclinic })) = (&mut self.cell, control) else {
            return;
        };
        let n = self.bodies.len() as f64;
        let mut stress = (self.virial + self.virial.transpose()) * 0.5;
        let mut twice_kinetic = 0.0;
        for slow in &self.bodies {
            let v = slow.body.velocity;
            stress += DMat3::from_cols(v * v.x, v * v.y, v * v.z) * slow.mass;
            twice_kinetic += slow.mass * v.length_squared();
        }
        let mut push = stress - target.at(time) * cell.frame.volume() + DMat3::IDENTITY * (twice_kinetic / (3.0 * n));
        if !triclinic {
            push = DMat3::from_diagonal(DVec3::new(push.x_axis.x, push.y_axis.y, push.z_axis.z));
        }
        let mass = (n + 1.0) * inertia.energy * inertia.damping_time * inertia.damping_time;
        cell.gradient += push * (0.5 * self.setup.model.dt / mass);
    }

    /// The shortest difference of a's and b's place, over the images of b, in a cell with these vectors.
    fn branch(&self, vectors: DMat3, between: DVec3) -> DVec3 {
        let Some(cell) = &self.cell else { return between };
        let whole = (vectors.inverse() * between).round();
        let mut best = DVec3::INFINITY;
        for k in 0..125 {
            let digit = |power: i32| f64::from(k / power % 5 - 2);
            let times = DVec3::new(digit(1), digit(5), digit(25)) - whole;
            let kept = |axis: usize| if cell.frame.periodic[axis] { times[axis] } else { 0.0 };
            let image = between + vectors * DVec3::new(kept(0), kept(1), kept(2));
            if image.length() < best.length() {
                best = image;
            }
        }
        best
    }

    fn note_places(&mut self) {
        self.vectors_before = self.cell.map_or(DMat3::ZERO, |cell| cell.frame.vectors);
        self.before = self.bodies.iter().map(|slow| (slow.body.position, slow.body.orientation)).collect();
    }

    fn kick(&mut self, kick: f64, time: f64) {
        let gravity = self.setup.model.gravity.at(time);
        for slow in &mut self.bodies {
            let spin_up = slow.rate(slow.body.orientation, slow.load.1 + slow.body.torque.at(time));
            let tumbles = slow.tumbles();
            let SlowBody { body, load, mass, inertia, .. } = slow;
            let free = |locked: bool| if locked { 0.0 } else { 1.0 };
            let l = body.lock.map(free);
            if body.motion == Motion::Free {
                let force = load.0 + body.force.at(time) + gravity * *mass;
                body.velocity += force * DVec3::new(l[0], l[1], l[2]) * (kick / *mass);
            }
            if let Motion::Servo(servo) = &body.motion {
                body.velocity = servo.kicked(body.velocity, load.0, kick, time);
            }
            if body.motion.yields() {
                let l = DVec3::new(l[3], l[4], l[5]);
                let spin_up = if tumbles { spin_up } else { (load.1 + body.torque.at(time)) / inertia.x };
                body.angular_velocity += spin_up * l * kick;
            }
        }
    }

    /// Poses of prescribed bodies at a time, their velocities amid the interval `over` that ends then, or without one at the time; what
    /// is fixed or held stays.
    fn set_prescribed(&mut self, time: f64, over: f64) {
        for (slow, start) in self.bodies.iter_mut().zip(&self.setup.bodies) {
            let body = &mut slow.body;
            match &body.motion {
                Motion::Free => {}
                Motion::Servo(_) => {
                    (body.orientation, body.angular_velocity) = (start.orientation, DVec3::ZERO);
                }
                Motion::Belt(velocity) => {
                    let velocity = if over > 0.0 { velocity.mean(time - over, time) } else { velocity.at(time) };
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
                    let (position, orientation) = (start.position, start.orientation);
                    let pose = if over > 0.0 { prescribed.pose_amid(position, orientation, time, over) } else { pose };
                    (body.velocity, body.angular_velocity) = (pose.velocity, pose.angular_velocity);
                }
            }
        }
    }

    fn evaluate(&mut self, dt: f64) {
        self.bodies.iter_mut().for_each(|slow| slow.load = (DVec3::ZERO, DVec3::ZERO));
        self.virial = DMat3::ZERO;
        self.hand_over();
        for a in 0..self.bodies.len() {
            for b in a + 1..self.bodies.len() {
                let [first, second] = [a, b].map(|i| self.posed(i, false).form);
                for feature in 0..solid::features(&first, &second) {
                    self.evaluate_pair(a, b, feature as u8, dt);
                }
            }
        }
    }

    /// A sphere that crosses from one wall to the next takes its memory along: see `soft/hand_over.rs`.
    fn hand_over(&mut self) {
        let had: Vec<(usize, usize, u8)> = self.contacts.keys().copied().collect();
        for (a, b, _) in had {
            if [a, b].iter().any(|&i| self.bodies[i].body.shape.is_solid()) {
                continue;
            }
            let ends = !self.touch((a, b));
            let (sphere, wall) = if self.bodies[a].body.shape.radius().is_some() { (a, b) } else { (b, a) };
            if !ends || self.bodies[wall].body.shape.radius().is_some() {
                continue;
            }
            let pair = |wall: usize| (sphere.min(wall), sphere.max(wall));
            let Some(memory) = self.contacts.get(&(a, b, 0)).cloned() else { continue };
            for other in (0..self.bodies.len()).filter(|&other| other != wall) {
                let ((a, b), [old, new]) = (pair(other), [wall, other].map(|wall| &self.bodies[wall].body));
                let alike = new.material == old.material && (other < sphere) == (wall < sphere);
                let begins = new.shape.radius().is_none() && !self.contacts.contains_key(&(a, b, 0));
                if alike && begins && self.continues(sphere, old, new) {
                    // With memory it is live if one that was live is.
                    self.contacts.insert((a, b, 0), memory.clone());
                    if self.touch((a, b)) {
                        break;
                    }
                    self.contacts.remove(&(a, b, 0));
                }
            }
        }
    }

    fn touch(&self, (a, b): (usize, usize)) -> bool {
        self.contact(a, b, 0, 0.0).is_some()
    }

    fn continues(&self, sphere: usize, old: &Body, new: &Body) -> bool {
        let (at, wall) = (&self.bodies[sphere].body, |b: &Body| Wall::new(&b.shape, b.position, b.orientation));
        match (wall(old), wall(new), at.shape.radius()) {
            (Some(old), Some(new), Some(radius)) => hand_over::continues(&old, &new, at.position, radius),
            _ => false,
        }
    }

    fn evaluate_pair(&mut self, a: usize, b: usize, feature: u8, dt: f64) {
        let Some((mut contact, centre_a, centre_b)) = self.contact(a, b, feature, dt) else {
            self.contacts.remove(&(a, b, feature));
            return;
        };
        let mut memory = self.contacts.remove(&(a, b, feature)).unwrap_or_default();
        let [first, second] = [a, b].map(|i| self.bodies[i].body.material);
        let laws = self.setup.model.laws.springs(first, second).expect("the setup has laws for every pair that meets");
        let (push, friction) = one::evaluate(laws, &mut contact, &mut memory);
        self.contacts.insert((a, b, feature), memory);
        let n = contact.normal;
        let force = n * push + friction.force;
        let moment = n.cross(friction.force);
        let spin = n * friction.spin;
        let torque_a = -moment * friction.lever_a + friction.roll_a + spin;
        let torque_b = -moment * friction.lever_b + friction.roll_b - spin;
        // Torques are about the centres the levers count from; a wall's own position may be elsewhere.
        let [at_a, at_b] = [a, b].map(|i| self.bodies[i].body.position);
        let branch = n * (contact.reach_a + contact.reach_b - contact.overlap);
        self.virial += DMat3::from_cols(branch * force.x, branch * force.y, branch * force.z);
        self.add(a, force, torque_a + (centre_a - at_a).cross(force));
        self.add(b, -force, torque_b - (centre_b - at_b).cross(force));
    }

    fn add(&mut self, body: usize, force: DVec3, torque: DVec3) {
        self.bodies[body].load.0 += force;
        self.bodies[body].load.1 += torque;
    }

    /// Velocity of a relative to the image of b, the flow of the cell included.
    fn relative_velocity(&self, a: &Body, b: &Body, branch: DVec3, branch_before: DVec3, dt: f64) -> DVec3 {
        match &self.cell {
            Some(_) if dt > 0.0 => (branch - branch_before) / dt,
            Some(cell) => a.velocity - b.velocity + cell.gradient * branch,
            None => a.velocity - b.velocity,
        }
    }

    /// Where a sphere touches a wall, if it does and no other wall keeps the touch; the sphere is a.
    fn wall_touch(&self, sphere: usize, wall: usize) -> Option<Touch> {
        let shapes: Vec<collide::Posed> = self.bodies.iter().map(|slow| collide::Posed::of(&slow.body)).collect();
        let (centre, radius) = (shapes[sphere].centre(), self.bodies[sphere].body.shape.radius()?);
        let within = self.within((sphere.min(wall), sphere.max(wall), 0), radius);
        let (mut touches, mut of_walls) = (Touches::default(), Vec::new());
        let laws = &self.setup.model.laws;
        let meets = |id: u32| laws.touches(self.bodies[sphere].body.material, self.bodies[id as usize].body.material);
        for (id, shape) in (0..).zip(&shapes).filter(|(id, shape)| shape.wall().is_some() && meets(*id)) {
            collide::touch(&shapes[sphere], shape, within + JOINED * radius, &mut touches);
            of_walls.extend(touches.iter().map(|touch| (ColliderId::first_of(id), *touch)));
        }
        settle_seams(centre, &mut of_walls, |id| &shapes[id.body as usize]);
        let kept = of_walls.into_iter().find(|(id, touch)| id.body as usize == wall && touch.gap < within);
        kept.map(|(_, touch)| touch)
    }

    /// The gap below which a contact with this effective radius is live: by its law, and whether it was live before.
    fn within(&self, contact: (usize, usize, u8), radius_eff: f64) -> f64 {
        let [first, second] = [contact.0, contact.1].map(|i| self.bodies[i].body.material);
        let reach = self.setup.model.laws.reach(first, second, radius_eff);
        reach.limit(self.contacts.contains_key(&contact))
    }

    /// Where two spheres are nearer than `within`, b at its image.
    fn sphere_touch(&self, a: &Body, b: &Body, within: f64) -> Option<Touch> {
        let (between, mut touches) = (a.position - b.position, Touches::default());
        let vectors = self.cell.map_or(DMat3::ZERO, |cell| cell.frame.vectors);
        let image = collide::Posed::of(b).shifted(between - self.branch(vectors, between));
        collide::touch(&collide::Posed::of(a), &image, within, &mut touches);
        touches.first().copied()
    }

    /// The contact and the centres its levers count from, if the two touch.
    fn contact(&self, a: usize, b: usize, feature: u8, dt: f64) -> Option<(Contact, DVec3, DVec3)> {
        let (body_a, body_b) = (&self.bodies[a].body, &self.bodies[b].body);
        let passes = !self.setup.model.laws.touches(body_a.material, body_b.material);
        if passes || !(body_a.motion.yields() || body_b.motion.yields()) {
            return None;
        }
        let met = if body_a.shape.is_solid() || body_b.shape.is_solid() {
            let met = self.solids_met(a, b, feature)?;
            let live = -met.overlap < self.within((a, b, feature), met.radius_eff);
            live.then_some(met)?
        } else {
            self.met(a, b, dt)?
        };
        Some((self.contact_of(a, b, &met, dt), met.centre_a, met.centre_b))
    }

    /// What two spheres, or a sphere and a wall, are to each other.
    fn met(&self, a: usize, b: usize, dt: f64) -> Option<Met> {
        let (body_a, body_b) = (&self.bodies[a].body, &self.bodies[b].body);
        let (touch, reach_a, reach_b, centre_a, centre_b) = match (&body_a.shape, &body_b.shape) {
            (&Shape::Sphere { radius: ra }, &Shape::Sphere { radius: rb }) => {
                let within = self.within((a, b, 0), ra * rb / (ra + rb));
                (self.sphere_touch(body_a, body_b, within)?, ra, rb, body_a.position, body_b.position)
            }
            (&Shape::Sphere { radius }, _) => {
                (self.wall_touch(a, b)?, radius, -radius, body_a.position, body_a.position)
            }
            (_, &Shape::Sphere { radius }) => {
                (self.wall_touch(b, a)?.turned(), -radius, radius, body_b.position, body_b.position)
            }
            _ => return None,
        };
        let (normal, overlap, radius_eff) = (touch.normal, touch.overlap(), touch.radius_eff);
        let (was_a, was_b) = (self.before[a], self.before[b]);
        let branch_before = self.branch(self.vectors_before, was_a.0 - was_b.0);
        let normal_before = match (&body_a.shape, &body_b.shape) {
            (Shape::Sphere { .. }, Shape::Sphere { .. }) => branch_before.normalize(),
            (Shape::Sphere { .. }, wall) => Wall::new(wall, was_b.0, was_b.1)?.nearest(was_a.0).normal,
            (wall, _) => -Wall::new(wall, was_a.0, was_a.1)?.nearest(was_b.0).normal,
        };
        let belt =
            |b: &Body, v: DVec3| if matches!(b.motion, Motion::Belt(_)) { v - normal * v.dot(normal) } else { v };
        let velocity = if reach_a < 0.0 {
            belt(body_a, velocity_of_wall(body_a, body_b, dt)) - body_b.velocity
        } else if reach_b < 0.0 {
            body_a.velocity - belt(body_b, velocity_of_wall(body_b, body_a, dt))
        } else {
            let branch = normal * (reach_a + reach_b - overlap);
            self.relative_velocity(body_a, body_b, branch, branch_before, dt)
        };
        let turning = [body_a.angular_velocity, body_b.angular_velocity];
        let curvature = [reach_a, reach_b].map(|reach| Curvature::round(if reach < 0.0 { 0.0 } else { 1.0 / reach }));
        // From the sphere: the first of two.
        let (centre, out, reach) =
            if reach_a > 0.0 { (centre_a, -normal, reach_a) } else { (centre_b, normal, reach_b) };
        let point = centre + out * (reach - 0.5 * overlap);
        Some(Met {
            point,
            curvature,
            normal,
            normal_before,
            overlap,
            reach_a,
            reach_b,
            radius_eff,
            centre_a,
            centre_b,
            velocity,
            turning,
        })
    }

    /// A body as the pairs with ellipsoids and boxes see it, now or at the start of the step.
    fn posed(&self, index: usize, before: bool) -> Posed {
        let body = &self.bodies[index].body;
        let (position, turn) = if before { self.before[index] } else { (body.position, body.orientation) };
        let form = match body.shape {
            Shape::Sphere { radius } => Form::Sphere { radius },
            Shape::Plane { normal } => Form::Plane { normal: turn * normal },
            ref shape => Form::of(shape).unwrap_or(Form::Sphere { radius: 0.0 }),
        };
        Posed { form, position, world_from_body: DMat3::from_quat(turn) }
    }

    /// What two bodies, at least one of them an ellipsoid or a box, are to each other: velocities at the contact point in the
    /// middle of the step, seen from a point R_eff - d/2 above it.
    fn solids_met(&self, a: usize, b: usize, feature: u8) -> Option<Met> {
        let [first, second] = [a, b].map(|index| &self.bodies[index].body);
        if let (Some(r), Some(s)) = (first.shape.radius(), second.shape.radius())
            && first.position.distance(second.position) > r + s
            && self.setup.model.laws.farthest(r + s) == 0.0
        {
            return None;
        }
        let now = solid::meet(&self.posed(a, false), &self.posed(b, false), u32::from(feature))?;
        let was = solid::meet(&self.posed(a, true), &self.posed(b, true), u32::from(feature))?;
        let lever = now.radius_eff - 0.5 * now.overlap;
        let normal_mid = (now.normal + was.normal).normalize();
        let velocity = |index: usize| {
            let slow = &self.bodies[index];
            let arm = self.mid_arm(index, &now, &was);
            slow.body.velocity + slow.mean_turning().cross(arm + normal_mid * lever)
        };
        let centre = now.point + now.normal * lever;
        Some(Met {
            point: now.point,
            curvature: [now.curvature_a, now.curvature_b],
            normal: now.normal,
            normal_before: was.normal,
            overlap: now.overlap,
            reach_a: now.radius_eff,
            reach_b: -now.radius_eff,
            radius_eff: now.radius_eff,
            centre_a: centre,
            centre_b: centre,
            velocity: velocity(a) - velocity(b),
            turning: [a, b].map(|index| self.bodies[index].mean_turning()),
        })
    }

    /// From the centre of a body to the contact point in the middle of the step.
    fn mid_arm(&self, index: usize, now: &Meeting, was: &Meeting) -> DVec3 {
        (now.point - self.bodies[index].body.position + was.point - self.before[index].0) * 0.5
    }

    /// The mass that normal dashpots count with, where one of the two is a box (THEORY.md eq. 2.9).
    fn normal_mass(&self, a: usize, b: usize) -> Option<f64> {
        let pair = [a, b];
        if !pair.iter().any(|&i| matches!(self.bodies[i].body.shape, Shape::Box { .. })) {
            return None;
        }
        let yields = pair.map(|i| {
            let slow = &self.bodies[i];
            let free = slow.body.lock.map(|locked| if locked { 0.0 } else { 1.0 });
            if !matches!(slow.body.motion, Motion::Free | Motion::Held) {
                return Yields::NOT;
            }
            Yields {
                inverse_mass: 1.0 / slow.mass,
                inverse_moments: slow.inertia.recip(),
                world_from_body: DMat3::from_quat(slow.body.orientation),
                free: DVec3::new(free[0], free[1], free[2]),
                free_turn: DVec3::new(free[3], free[4], free[5]),
            }
        });
        let [now, was] = [false, true].map(|before| pair.map(|i| self.posed(i, before)));
        let [first, second] = pair.map(|i| self.bodies[i].body.material);
        let end = |radius_eff: f64| self.setup.model.laws.reach(first, second, radius_eff).end;
        let touches = (0..solid::features(&now[0].form, &now[1].form)).filter_map(|feature| {
            let now = solid::meet(&now[0], &now[1], feature).filter(|now| -now.overlap < end(now.radius_eff))?;
            let was = solid::meet(&was[0], &was[1], feature)?;
            let normal = (now.normal + was.normal).normalize();
            let arms = pair.map(|i| self.mid_arm(i, &now, &was));
            let velocity = |k: usize| {
                let slow = &self.bodies[pair[k]];
                slow.body.velocity + slow.mean_turning().cross(arms[k])
            };
            Some(Separation { normal, arms, rate: (velocity(0) - velocity(1)).dot(normal) })
        });
        Some(normal_mass([&yields[0], &yields[1]], touches))
    }

    fn contact_of(&self, a: usize, b: usize, met: &Met, dt: f64) -> Contact {
        let inverse = |slow: &SlowBody| match slow.body.motion {
            Motion::Free | Motion::Held => (1.0 / slow.mass, 3.0 / slow.inertia.element_sum()),
            _ => (0.0, 0.0),
        };
        let [(inverse_mass_a, inverse_inertia_a), (inverse_mass_b, inverse_inertia_b)] =
            [a, b].map(|i| inverse(&self.bodies[i]));
        let [first, second] = [a, b].map(|i| self.bodies[i].body.material);
        let rates_at_end = self.setup.model.laws.springs(first, second).is_some_and(SpringLaws::rates_at_end);
        let Met { normal, normal_before, overlap, reach_a, reach_b, radius_eff, velocity, turning, .. } = *met;
        let (normal_mid, turn) = Turn::new(normal_before, normal, turning[0] + turning[1], dt);
        let lever = |reach: f64| reach - 0.5 * overlap * reach.signum();
        Contact {
            normal,
            normal_before,
            normal_mid,
            turn,
            overlap,
            separation_rate: velocity.dot(if rates_at_end { normal } else { normal_mid }),
            velocity,
            angular_velocity_a: turning[0],
            angular_velocity_b: turning[1],
            lever_a: lever(reach_a),
            lever_b: lever(reach_b),
            reach_a,
            reach_b,
            radius_eff,
            mass_eff: 1.0 / (inverse_mass_a + inverse_mass_b),
            normal_mass: self.normal_mass(a, b).unwrap_or(1.0 / (inverse_mass_a + inverse_mass_b)),
            inverse_mass_a,
            inverse_mass_b,
            inverse_inertia_a,
            inverse_inertia_b,
            normal_force: 0.0,
            normal_load: 0.0,
            patch: 0.0,
            dt,
            point_a: met.point - self.bodies[a].body.position,
            point_b: if reach_a > 0.0 && reach_b > 0.0 {
                normal * lever(reach_b)
            } else {
                met.point - self.bodies[b].body.position
            },
            orientation_a: self.bodies[a].body.orientation,
            orientation_b: self.bodies[b].body.orientation,
            curvature_a: met.curvature[0],
            curvature_b: met.curvature[1],
        }
    }
}

/// How two bodies are to each other.
struct Met {
    point: DVec3,
    /// Of a and b.
    curvature: [Curvature; 2],
    normal: DVec3,
    normal_before: DVec3,
    overlap: f64,
    reach_a: f64,
    reach_b: f64,
    radius_eff: f64,
    /// The centres that levers count from.
    centre_a: DVec3,
    centre_b: DVec3,
    /// Of a's centre relative to b's.
    velocity: DVec3,
    /// Angular velocities of a and b.
    turning: [DVec3; 2],
}

/// Velocity of a wall at a sphere's centre, where that was in the middle of the step, to which the velocities belong.
fn velocity_of_wall(wall: &Body, sphere: &Body, dt: f64) -> DVec3 {
    let arm = sphere.position - wall.position - (sphere.velocity - wall.velocity) * (0.5 * dt);
    wall.velocity + wall.angular_velocity.cross(arm)
}

/// Where x' = rate(x) takes x in a time by the implicit midpoint rule. Every round gains a factor of the rate times the time.
fn midpoint(x: DVec3, time: f64, rate: impl Fn(DVec3) -> DVec3) -> DVec3 {
    let mut end = x;
    for _ in 0..50 {
        end = x + rate((x + end) * 0.5) * time;
    }
    end
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

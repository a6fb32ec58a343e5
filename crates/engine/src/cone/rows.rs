//! Contacts as the solver reads them: flat, in the order in which they were pushed, kept from step to step so that a steady step
//! allocates nothing.
//!
//! Impulses are world vectors, so there is no tangent basis that could flip between two steps.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use super::accelerated::Flat;
use super::blocks::Blocks;
use super::colour::Colours;
use super::elliptic::{Ellipse, Limits};
use super::project::{Cones, Split};
use super::scale::Scale;
use super::sweep::Sum;
use crate::response::Response;

/// Velocity of a body's centre (m/s) and its angular velocity (rad/s), world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Twist {
    /// m/s.
    pub velocity: DVec3,
    /// rad/s.
    pub angular_velocity: DVec3,
}

/// An impulse at a contact and a turning impulse about it, on a; b gets the opposite. World axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// Normal and sliding (N s).
    pub force: DVec3,
    /// Rolling and spinning (N m s).
    pub torque: DVec3,
}

/// One contact as it is pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Indices of a and b into responses and twists.
    pub bodies: [u32; 2],
    /// Unit vector from b to a.
    pub normal: DVec3,
    /// From each body's centre to the contact point (m).
    pub arm: [DVec3; 2],
    /// Added to the velocity of a relative to b at the point (m/s): gap/h along the normal, less what a belt runs with.
    pub bias: DVec3,
    /// How far friction reaches.
    pub cones: Cones,
    /// Turns angular velocities into velocities for the residual (m): R_eff.
    pub length: f64,
    /// The impulse to start from.
    pub impulse: Wrench,
}

/// What only few contacts have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Velocity per impulse that the contact itself gives way with: of forces (1/kg) and of torques (1/(kg m^2)), symmetric.
    pub compliance: [DMat3; 2],
    /// Added to the angular velocity of a relative to b (rad/s).
    pub turning_bias: DVec3,
    /// Rolling friction that depends on the axis, sliding and spinning that share one limit.
    pub ellipse: Option<Ellipse>,
}

impl Default for Options {
    fn default() -> Self {
        // A matrix is the identity by default.
        Options { compliance: [DMat3::ZERO; 2], turning_bias: DVec3::ZERO, ellipse: None }
    }
}

/// All contacts of a step. Pushed, solved, read, cleared.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub(super) bodies: Vec<[u32; 2]>,
    pub(super) normal: Vec<DVec3>,
    pub(super) arm: Vec<[DVec3; 2]>,
    pub(super) bias: Vec<DVec3>,
    pub(super) cones: Vec<Cones>,
    pub(super) length: Vec<f64>,
    pub(super) impulse: Vec<Wrench>,
    /// As many as rows, or none if no row has any.
    pub(super) options: Vec<Options>,
    pub(super) blocks: Blocks,
    pub(super) scale: Vec<Scale>,
    /// Inverse mass and inertia of a and b where they are the same in every direction.
    pub(super) isotropic: Vec<Option<[[f64; 2]; 2]>>,
    pub(super) colours: Colours,
    /// Which of a and b an impulse moves.
    pub(super) moves: Vec<[bool; 2]>,
    /// Scratch of a sweep: an estimate of the residual by chunks of rows.
    pub(super) sums: Vec<Sum>,
    /// Scratch of solvers: velocities without contacts, and what the accelerated gradient iterates on.
    pub(super) free: Vec<Twist>,
    pub(super) flat: Flat,
}

impl Rows {
    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Joints and whatever else is no contact.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// The same, to push to.
    pub fn blocks_mut(&mut self) -> &mut Blocks {
        &mut self.blocks
    }

    /// Drops all rows and keeps their room.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.normal.clear();
        self.arm.clear();
        self.bias.clear();
        self.cones.clear();
        self.length.clear();
        self.impulse.clear();
        self.options.clear();
        self.blocks.clear();
        self.scale.clear();
    }

    /// Appends a contact. The order is part of the result: push in an order that the scene and the state alone decide.
    pub fn push(&mut self, row: Row) {
        self.bodies.push(row.bodies);
        self.normal.push(row.normal);
        self.arm.push(row.arm);
        self.bias.push(row.bias);
        self.cones.push(row.cones);
        self.length.push(row.length);
        self.impulse.push(row.impulse);
        if !self.options.is_empty() {
            self.options.push(Options::default());
        }
    }

    /// Appends a contact that has more than most.
    pub fn push_with(&mut self, row: Row, options: Options) {
        self.push(row);
        if options != Options::default() {
            self.options.resize(self.bodies.len(), Options::default());
            self.options[self.bodies.len() - 1] = options;
        }
    }

    /// What a row has more than most.
    pub fn options(&self, index: usize) -> Options {
        self.options.get(index).copied().unwrap_or_default()
    }

    /// How far the friction of a row reaches.
    #[inline(always)]
    pub(super) fn limits(&self, index: usize) -> Limits {
        let ellipse = if self.options.is_empty() { None } else { self.options[index].ellipse };
        Limits { cones: self.cones[index], ellipse }
    }

    /// A contact as it was pushed, with the impulse it has now.
    pub fn get(&self, index: usize) -> Row {
        Row {
            bodies: self.bodies[index],
            normal: self.normal[index],
            arm: self.arm[index],
            bias: self.bias[index],
            cones: self.cones[index],
            length: self.length[index],
            impulse: self.impulse[index],
        }
    }

    /// The impulses, in the order of the rows.
    pub fn impulses(&self) -> &[Wrench] {
        &self.impulse
    }

    /// Sets the impulse that a row starts from.
    pub fn start_from(&mut self, index: usize, impulse: Wrench) {
        self.impulse[index] = impulse;
    }

    /// The impulse of a row as the cones see it.
    #[inline(always)]
    pub fn split_impulse(&self, index: usize) -> Split {
        let Wrench { force, torque } = self.impulse[index];
        Split::new(self.normal[index], force, torque)
    }

    /// The velocity u of a row, of a relative to b, with its bias and what its compliance gives way.
    #[inline(always)]
    pub fn velocity(&self, index: usize, twists: &[Twist]) -> Split {
        let of_bodies = self.bodies[index].map(|body| twists[body as usize]);
        self.velocity_of(index, of_bodies, self.impulse[index])
    }

    /// The same from the velocities of a and b, and from the impulse.
    #[inline(always)]
    pub(super) fn velocity_of(&self, index: usize, twists: [Twist; 2], impulse: Wrench) -> Split {
        let (linear, angular) = self.motion_of(index, twists);
        let linear = linear + self.bias[index];
        if self.options.is_empty() {
            return Split::new(self.normal[index], linear, angular);
        }
        let Options { compliance, turning_bias, .. } = self.options[index];
        let Wrench { force, torque } = impulse;
        Split::new(self.normal[index], linear + compliance[0] * force, angular + turning_bias + compliance[1] * torque)
    }

    /// Velocity and angular velocity of a relative to b at a row.
    #[inline(always)]
    pub(super) fn motion(&self, index: usize, twists: &[Twist]) -> (DVec3, DVec3) {
        self.motion_of(index, self.bodies[index].map(|body| twists[body as usize]))
    }

    #[inline(always)]
    fn motion_of(&self, index: usize, [a, b]: [Twist; 2]) -> (DVec3, DVec3) {
        let [arm_a, arm_b] = self.arm[index];
        let at_a = a.velocity + a.angular_velocity.cross(arm_a);
        let at_b = b.velocity + b.angular_velocity.cross(arm_b);
        (at_a - at_b, a.angular_velocity - b.angular_velocity)
    }

    /// Derives scales and colours, and cuts the impulses to start from down to their cones.
    pub(super) fn prepare(&mut self, response: &[Response]) {
        self.scale.clear();
        self.isotropic.clear();
        for index in 0..self.len() {
            let row = self.get(index);
            let [a, b] = row.bodies.map(|body| isotropic(&response[body as usize]));
            self.isotropic.push(a.zip(b).map(|(a, b)| [a, b]));
            self.scale.push(Scale::of(&row, &self.options(index), response));
            let cut = self.limits(index).cut(&self.split_impulse(index));
            self.impulse[index] = Wrench { force: cut.linear(row.normal), torque: cut.angular(row.normal) };
        }
        self.blocks.prepare(response);
        let moves = |body: u32| response[body as usize] != Response::NONE;
        self.moves.clear();
        self.moves.extend(self.bodies.iter().map(|bodies| bodies.map(moves)));
        self.colours.assign(&self.bodies, response.len(), moves);
    }

    /// Adds what the impulses do to the velocities of bodies.
    pub(super) fn give_impulses(&self, response: &[Response], twists: &mut [Twist]) {
        for (index, impulse) in self.impulse.iter().enumerate() {
            let changes = self.changes(index, impulse, response);
            self.add(index, &changes, twists);
        }
        self.blocks.give_impulses(twists);
    }

    /// What an impulse does to the velocities of a and b.
    #[inline(always)]
    pub(super) fn changes(&self, index: usize, impulse: &Wrench, response: &[Response]) -> [Twist; 2] {
        let [arm_a, arm_b] = self.arm[index];
        let Wrench { force, torque } = *impulse;
        let [on_a, on_b] = [arm_a.cross(force) + torque, arm_b.cross(force) + torque];
        // The same numbers as by the matrices, which are zero beside their diagonal then.
        if let Some([[mass_a, inertia_a], [mass_b, inertia_b]]) = self.isotropic[index] {
            return [
                Twist { velocity: force * mass_a, angular_velocity: on_a * inertia_a },
                Twist { velocity: force * -mass_b, angular_velocity: on_b * -inertia_b },
            ];
        }
        let [a, b] = self.bodies[index].map(|body| &response[body as usize]);
        [
            Twist { velocity: a.linear * force, angular_velocity: a.angular * on_a },
            Twist { velocity: b.linear * -force, angular_velocity: b.angular * -on_b },
        ]
    }

    /// Adds changes of velocity to a and b.
    #[inline(always)]
    pub(super) fn add(&self, index: usize, changes: &[Twist; 2], twists: &mut [Twist]) {
        for (body, change) in self.bodies[index].into_iter().zip(changes) {
            let twist = &mut twists[body as usize];
            twist.velocity += change.velocity;
            twist.angular_velocity += change.angular_velocity;
        }
    }
}

/// Inverse mass and inertia of a body that is the same in every direction.
fn isotropic(response: &Response) -> Option<[f64; 2]> {
    let [linear, angular] = [response.linear.x_axis.x, response.angular.x_axis.x];
    let alike = |of: f64| DMat3::from_diagonal(DVec3::splat(of));
    (response.linear == alike(linear) && response.angular == alike(angular)).then_some([linear, angular])
}

//! Projected Gauss-Seidel: contact by contact a step against its velocity and the projection on its cone, with the velocities of
//! bodies updated at once (THEORY.md eq. 8.5). Colour by colour, so that threads may share a colour: bitwise identical for any
//! number. Blocks (joints and the like) follow, one by one.
//!
//! Under the exact law the velocity along the normal is raised by A(u) first (De Saxce), which takes the artificial gap of the
//! convex law off again. With a frozen load the part along the normal stays, and friction is cut to what it bears: a clamp on
//! disc, disc and interval.

use rayon::prelude::*;

use super::project::Split;
use super::rows::{Rows, Twist, Wrench};
use super::settings::{Cone, LoadRule};
use crate::response::Response;

/// Rows that one thread updates in one go: what the estimate of the residual is summed by, whatever the number of threads.
const CHUNK: usize = 128;

/// Rows of a colour from which on threads share it.
const SHARED: usize = 512;

/// What every update of a sweep is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub cone: Cone,
    pub load: LoadRule,
    pub relaxation: f64,
    /// 1/relaxation^2.
    pub squared_over: f64,
}

impl Pass {
    pub fn new(cone: Cone, load: LoadRule, relaxation: f64) -> Pass {
        Pass { cone, load, relaxation, squared_over: 1.0 / (relaxation * relaxation) }
    }
}

/// What some rows add to the estimate of the residual: squares ((m/s)^2), and how many they are of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    squares: f64,
    count: u32,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.squares += other.squares;
        self.count += other.count;
    }
}

/// Velocities of bodies and impulses of rows, which threads change at different places.
#[derive(Clone, Copy)]
struct Places {
    twists: *mut Twist,
    impulse: *mut Wrench,
}

// SAFETY: who uses it sees to it that no two threads are at the same place (`update`).
#[allow(unsafe_code)]
unsafe impl Send for Places {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Places {}

/// Updates every row once. Returns an estimate of the residual (m/s).
pub(super) fn sweep(rows: &mut Rows, response: &[Response], twists: &mut [Twist], pass: Pass) -> f64 {
    let (mut impulse, mut sums) = (std::mem::take(&mut rows.impulse), std::mem::take(&mut rows.sums));
    let places = Places { twists: twists.as_mut_ptr(), impulse: impulse.as_mut_ptr() };
    let in_reach = rows.bodies.iter().flatten().all(|body| (*body as usize) < twists.len().min(response.len()));
    assert!(in_reach && impulse.len() == rows.len(), "rows of bodies that there are");
    let (now, mut sum) = (&*rows, Sum::default());
    for (group, apart) in now.colours.groups() {
        let group = now.colours.rows(group);
        let chunk = |chunk: &[u32]| {
            let mut sum = Sum::default();
            // SAFETY: bodies and impulses are in reach (above). Rows of a colour share no body that moves, and those that share bodies
            // are one thread's; each row is in one chunk.
            #[allow(unsafe_code)]
            chunk.iter().for_each(|&row| sum.add(unsafe { now.update(row as usize, response, places, pass) }));
            sum
        };
        if apart && group.len() >= SHARED && rayon::current_num_threads() > 1 {
            group.par_chunks(CHUNK).map(chunk).collect_into_vec(&mut sums);
            sums.iter().for_each(|of_chunk| sum.add(*of_chunk));
        } else {
            group.chunks(CHUNK).for_each(|rows| sum.add(chunk(rows)));
        }
    }
    (rows.impulse, rows.sums) = (impulse, sums);
    for index in 0..rows.blocks.len() {
        let squares = rows.blocks.update(index, twists, pass.cone, pass.relaxation);
        sum.add(Sum { squares, count: rows.blocks.rows(index).len() as u32 });
    }
    if sum.count == 0 { 0.0 } else { (sum.squares / f64::from(sum.count)).sqrt() }
}

impl Rows {
    /// Updates a row: its impulse, and the velocities of its bodies.
    ///
    /// # Safety
    ///
    /// Its bodies and its impulse are among `places`, and meanwhile no other thread updates this row or changes a body of it.
    #[allow(unsafe_code)]
    #[inline(always)]
    unsafe fn update(&self, row: usize, response: &[Response], places: Places, pass: Pass) -> Sum {
        let bodies = self.bodies[row];
        // SAFETY: in reach, and nobody else's, by what the caller says; bodies that do not move are only read.
        let (twists, held) =
            unsafe { (bodies.map(|body| *places.twists.add(body as usize)), *places.impulse.add(row)) };
        let (given, changes, sum) = self.updated(row, response, (twists, held), pass);
        for side in 0..2 {
            if self.moves[row][side] {
                let Twist { velocity, angular_velocity } = changes[side];
                // SAFETY: as above.
                let twist = unsafe { &mut *places.twists.add(bodies[side] as usize) };
                twist.velocity += velocity;
                twist.angular_velocity += angular_velocity;
            }
        }
        // SAFETY: as above.
        unsafe { *places.impulse.add(row) = given };
        sum
    }

    /// The impulse of a row after an update, what its change does to the velocities of a and b, and the residual.
    #[inline(always)]
    fn updated(
        &self,
        row: usize,
        response: &[Response],
        (twists, held): ([Twist; 2], Wrench),
        pass: Pass,
    ) -> (Wrench, [Twist; 2], Sum) {
        let (scale, limits, normal) = (&self.scale[row], self.limits(row), self.normal[row]);
        let (old, mut u) = (Split::new(normal, held.force, held.torque), self.velocity_of(row, twists, held));
        if !limits.resist_turning() {
            (u.spin, u.roll) = (0.0, glam::DVec3::ZERO);
        }
        let scaled = limits.scaled(&scale.cones, &scale.root, &scale.inverse_root);
        let new = match pass.load {
            LoadRule::Solved => {
                if pass.cone == Cone::Exact {
                    u.normal += limits.opening(&u);
                }
                scaled.project(&scale.stepped(&old, &u, pass.relaxation))
            }
            LoadRule::Frozen => {
                u.normal = 0.0;
                scaled.cut(&scale.stepped(&old, &u, pass.relaxation))
            }
        };
        let new = new.times(scale.root);
        let change = new.plus(&old, -1.0);
        let off = change.times(scale.inverse_step);
        let given = Wrench { force: change.linear(normal), torque: change.angular(normal) };
        let impulse = Wrench { force: new.linear(normal), torque: new.angular(normal) };
        let squares = off.dot(&off) * pass.squared_over;
        let count = u32::from(squares > 0.0 || impulse != Wrench::default());
        (impulse, self.changes(row, &given, response), Sum { squares, count })
    }
}

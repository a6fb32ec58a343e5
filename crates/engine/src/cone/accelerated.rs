//! Accelerated projected gradient with restart (Nesterov 1983; O'Donoghue and Candes 2015) on flat arrays, in impulses scaled by
//! groups as in `scale.rs`: x = g/s, N' = S N S, r' = S r (THEORY.md eq. 8.9).
//!
//! ```text
//!   y = x + b (x - x_before),   x_next = P( y - (N' y + r' + s_n A n)/L ),   b from the sequence of theta, 0 after a restart
//! ```
//!
//! N' y follows from the products of the two x, so an iteration has one product with N', matrix-free by way of the bodies. L grows
//! until (x_next - y) . N' (x_next - y) <= L |x_next - y|^2, and then shrinks a little. The sequence restarts where it moves
//! against the gradient step.
//!
//! Under the exact law A is held, so that each stretch of iterations solves a convex problem, and taken anew from the velocities
//! once that problem is solved better than the law. Convergence to the law is not proven; in piles it takes few more iterations.
//!
//! Threads share rows and bodies in chunks; every sum is over a chunk, then over chunks: bitwise identical for any number.

use glam::DVec3;
use rayon::prelude::*;

use super::blocks::{MOST_ROWS, Numbers, Set, cut_to_ball, numbers_of, split_of};
use super::certificate::Certificate;
use super::project::{Split, project};
use super::rows::{Options, Rows, Twist, Wrench};
use super::settings::Cone;
use super::solve::Solving;
use crate::response::Response;

/// Iterations between two looks at the residual.
const LOOK_EVERY: u32 = 5;

/// A is taken anew where the residual with the one before is below this share of that of the law.
const SETTLED: f64 = 0.5;

/// How much L shrinks after each iteration.
const SHRINK: f64 = 0.95;

/// Contacts or bodies that one thread does in one go, and that a sum is over.
const CHUNK: usize = 256;

/// How many of them there must be before threads share them.
const SHARED: usize = 1024;

/// What the iteration keeps between steps, so that a steady step allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Flat {
    twists: Vec<Twist>,
    /// Contacts of each body with the side it is on, body after body, and where those of each begin.
    of_body: Vec<(u32, bool)>,
    begins: Vec<u32>,
    /// What x does to a of each contact.
    given: Vec<Wrench>,
    /// r': velocities without impulses, scaled.
    start: Vec<Numbers>,
    /// A of each contact and block as the iteration takes it, along the normal in scaled numbers; 0 under the convex law.
    opening: Vec<f64>,
    x: Vec<Numbers>,
    x_before: Vec<Numbers>,
    x_next: Vec<Numbers>,
    product: Vec<Numbers>,
    product_before: Vec<Numbers>,
    product_next: Vec<Numbers>,
    sums: Vec<[f64; 3]>,
}

/// Solves from the impulses that the rows have, until so many iterations have been made.
pub(super) fn accelerate(work: &mut Solving<'_>, most: u32) -> Certificate {
    let mut flat = std::mem::take(&mut work.rows.flat);
    let certificate = flat.run(work, most);
    work.rows.flat = flat;
    certificate
}

impl Flat {
    fn run(&mut self, work: &mut Solving<'_>, most: u32) -> Certificate {
        self.begin(work);
        let (mut theta, mut lipschitz, mut momentum) = (1.0_f64, 1.0_f64, 0.0);
        loop {
            work.iterations += 1;
            let back;
            (lipschitz, back) = self.advance(work, momentum, lipschitz);
            // Against the step of the gradient: forget the momentum.
            if back {
                (theta, momentum) = (1.0, 0.0);
            } else {
                let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
                (theta, momentum) = (next, (theta - 1.0) / next);
            }
            lipschitz *= SHRINK;
            let ends = work.iterations >= most;
            if work.iterations.is_multiple_of(LOOK_EVERY) || ends {
                self.write_blocks(work);
                let [residual, convex] = self.residuals(work);
                if work.settings.cone == Cone::Exact && convex < SETTLED * residual {
                    self.open(work);
                }
                if residual <= work.settings.tolerance || ends {
                    self.write(work);
                    work.refresh_twists();
                    let certificate = work.certificate();
                    if certificate.solved || ends {
                        return certificate;
                    }
                }
            }
        }
    }

    /// Scales the start and its product.
    fn begin(&mut self, work: &Solving<'_>) {
        let rows = &*work.rows;
        let units = rows.len() + rows.blocks().len();
        let Flat { start, x, x_next, product, product_before, product_next, .. } = self;
        for numbers in [start, x, x_next, product, product_before, product_next] {
            numbers.clear();
            numbers.resize(units, Numbers::default());
        }
        self.twists.clear();
        self.twists.resize(work.twists.len(), Twist::default());
        self.given.resize(rows.len(), Wrench::default());
        self.list_contacts(rows, work.response);
        for index in 0..rows.len() {
            let scale = &rows.scale[index];
            self.x[index] = flat_of(rows.normal[index], &rows.split_impulse(index).times(scale.inverse_root));
            // Without what compliance gives way: that is part of the product.
            let mut u = rows.velocity(index, work.free);
            let Options { compliance, .. } = rows.options(index);
            let Wrench { force, torque } = rows.impulse[index];
            u = u.plus(&Split::new(rows.normal[index], compliance[0] * force, compliance[1] * torque), -1.0);
            self.start[index] = flat_of(rows.normal[index], &rows.three_or_six(index, u).times(scale.root));
            self.given[index] = rows.scaled_impulse(index, &self.x[index]);
        }
        let blocks = rows.blocks();
        for index in 0..blocks.len() {
            let (at, s) = (rows.len() + index, rows.block_scale(index));
            let (g, motion) = (blocks.impulse(index), blocks.motion(index, work.free));
            for k in 0..blocks.rows(index).len() {
                self.x[at][k] = g[k] / s[k];
                self.start[at][k] = (motion[k] + blocks.rows(index)[k].bias) * s[k];
            }
        }
        self.x_before.clone_from(&self.x);
        self.x_next.clone_from(&self.x);
        self.multiply(work, 0.0);
        std::mem::swap(&mut self.product, &mut self.product_next);
        self.product_before.clone_from(&self.product);
        self.opening.clear();
        self.opening.resize(units, 0.0);
        if work.settings.cone == Cone::Exact {
            self.open(work);
        }
    }

    /// Lists the contacts of each body that moves, in their order.
    fn list_contacts(&mut self, rows: &Rows, response: &[Response]) {
        let Flat { of_body, begins, .. } = self;
        begins.clear();
        begins.resize(response.len() + 1, 0);
        let ends = || (0_u32..).zip(&rows.bodies).flat_map(|(row, &[a, b])| [(row, a, false), (row, b, true)]);
        let moving = || ends().filter(|(_, body, _)| response[*body as usize] != Response::NONE);
        moving().for_each(|(_, body, _)| begins[body as usize + 1] += 1);
        for body in 0..response.len() {
            begins[body + 1] += begins[body];
        }
        of_body.clear();
        of_body.resize(begins[response.len()] as usize, (0, false));
        for (row, body, is_b) in moving() {
            of_body[begins[body as usize] as usize] = (row, is_b);
            begins[body as usize] += 1;
        }
        // Each has moved to where the next begins.
        begins.copy_within(..response.len(), 1);
        begins[0] = 0;
    }

    /// One iteration with a momentum. Returns the L that it has needed, and whether it moves against the step of the gradient from the
    /// point it started at: (y - x_next) . (x_next - x) > 0.
    fn advance(&mut self, work: &Solving<'_>, momentum: f64, mut lipschitz: f64) -> (f64, bool) {
        let back = loop {
            self.step(work, momentum, lipschitz);
            let [curved, squared, along] = self.multiply(work, momentum);
            // Rounding of products near the solution must not drive L up.
            if curved <= lipschitz * squared * (1.0 + 1e-9) || squared <= 1e-28 * self.size() || lipschitz > 1e6 {
                break along > 0.0;
            }
            lipschitz = (1.5 * lipschitz).max(curved / squared);
        };
        // x_before <- x <- x_next, whose room is free again.
        std::mem::swap(&mut self.x_before, &mut self.x);
        std::mem::swap(&mut self.x, &mut self.x_next);
        std::mem::swap(&mut self.product_before, &mut self.product);
        std::mem::swap(&mut self.product, &mut self.product_next);
        (lipschitz, back)
    }

    /// Derives x_next, and what it does to the first body of each contact.
    fn step(&mut self, work: &Solving<'_>, momentum: f64, lipschitz: f64) {
        let Flat { x, x_before, x_next, product, product_before, start, opening, given, .. } = self;
        let (rows, t) = (&*work.rows, 1.0 / lipschitz);
        let next = |at: usize| {
            let y = extrapolated(&x[at], &x_before[at], momentum);
            let of_y = extrapolated(&product[at], &product_before[at], momentum);
            let u: Numbers = std::array::from_fn(|k| of_y[k] + start[at][k]);
            rows.stepped(at, &y, &u, opening[at], t)
        };
        let (of_contacts, of_blocks) = x_next.split_at_mut(rows.len());
        in_chunks(of_contacts, given, CHUNK, |first, x_next, given| {
            for (at, (x_next, given)) in (first..).zip(x_next.iter_mut().zip(given)) {
                *x_next = next(at);
                *given = rows.scaled_impulse(at, x_next);
            }
        });
        of_blocks.iter_mut().zip(rows.len()..).for_each(|(x_next, at)| *x_next = next(at));
    }

    /// Computes N' x_next by way of the bodies. Returns sums over d = x_next - y: d . N' d, |d|^2, -d . (x_next - x).
    fn multiply(&mut self, work: &Solving<'_>, momentum: f64) -> [f64; 3] {
        self.give(work);
        let Flat { twists, x, x_before, x_next, product, product_before, product_next, given, sums, .. } = self;
        let (rows, blocks) = (&*work.rows, work.rows.blocks());
        let sums_of = |at: usize, product_next: &Numbers| {
            let y = extrapolated(&x[at], &x_before[at], momentum);
            let of_y = extrapolated(&product[at], &product_before[at], momentum);
            let mut sums = [0.0; 3];
            for k in 0..MOST_ROWS {
                let d = x_next[at][k] - y[k];
                sums[0] += d * (product_next[k] - of_y[k]);
                sums[1] += d * d;
                sums[2] -= d * (x_next[at][k] - x[at][k]);
            }
            sums
        };
        let (of_contacts, of_blocks) = product_next.split_at_mut(rows.len());
        sums.clear();
        sums.resize(rows.len().div_ceil(CHUNK), [0.0; 3]);
        in_chunks(of_contacts, sums, 1, |first, product_next, sum| {
            for (at, product_next) in (first..).zip(product_next) {
                let (mut linear, mut angular) = rows.motion(at, twists);
                if !rows.options.is_empty() {
                    let (Wrench { force, torque }, Options { compliance, .. }) = (given[at], rows.options[at]);
                    (linear, angular) = (linear + compliance[0] * force, angular + compliance[1] * torque);
                }
                *product_next = rows.scaled_velocity(at, linear, angular);
                add(&mut sum[0], sums_of(at, product_next));
            }
        });
        let mut sum = [0.0; 3];
        sums.iter().for_each(|of_chunk| add(&mut sum, *of_chunk));
        for (index, product_next) in of_blocks.iter_mut().enumerate() {
            let (at, s) = (rows.len() + index, rows.block_scale(index));
            let motion = blocks.motion(index, twists);
            *product_next = Numbers::default();
            for (k, row) in blocks.rows(index).iter().enumerate() {
                product_next[k] = (motion[k] + row.compliance * x_next[at][k] * s[k]) * s[k];
            }
            add(&mut sum, sums_of(at, product_next));
        }
        sum
    }

    /// The velocities that x_next gives bodies.
    fn give(&mut self, work: &Solving<'_>) {
        let Flat { twists, of_body, begins, given, x_next, .. } = self;
        let (rows, blocks) = (&*work.rows, work.rows.blocks());
        let mut nothing = vec![(); twists.len()];
        in_chunks(twists, &mut nothing, CHUNK, |first, twists, _| {
            for (body, twist) in (first..).zip(twists) {
                let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
                for &(row, is_b) in &of_body[begins[body] as usize..begins[body + 1] as usize] {
                    let (Wrench { force: f, torque: t }, arm) = (given[row as usize], rows.arm[row as usize]);
                    let sign = if is_b { -1.0 } else { 1.0 };
                    force += f * sign;
                    torque += (arm[usize::from(is_b)].cross(f) + t) * sign;
                }
                let Response { linear, angular } = work.response[body];
                *twist = Twist { velocity: linear * force, angular_velocity: angular * torque };
            }
        });
        for index in 0..blocks.len() {
            let s = rows.block_scale(index);
            let g = std::array::from_fn(|k| x_next[rows.len() + index][k] * s[k]);
            blocks.add(index, &g, twists);
        }
    }

    fn size(&self) -> f64 {
        self.x_next.iter().flatten().map(|x| x * x).sum()
    }

    /// Takes A from the velocities of the latest product.
    fn open(&mut self, work: &Solving<'_>) {
        for at in 0..self.x.len() {
            let u = std::array::from_fn(|k| self.product[at][k] + self.start[at][k]);
            self.opening[at] = work.rows.scaled_opening(at, &u);
        }
    }

    /// Writes impulses to the rows.
    fn write(&self, work: &mut Solving<'_>) {
        for index in 0..work.rows.len() {
            let normal = work.rows.normal[index];
            let g = split(normal, &self.x[index]).times(work.rows.scale[index].root);
            work.rows.impulse[index] = Wrench { force: g.linear(normal), torque: g.angular(normal) };
        }
    }

    fn write_blocks(&self, work: &mut Solving<'_>) {
        let contacts = work.rows.len();
        for index in 0..work.rows.blocks().len() {
            let s = work.rows.block_scale(index);
            let g = std::array::from_fn(|k| self.x[contacts + index][k] * s[k]);
            work.rows.blocks_mut().set_impulse(index, &g);
        }
    }

    /// The residual from the products at hand (m/s): of the law, and of the convex problem with A as it is taken.
    fn residuals(&mut self, work: &Solving<'_>) -> [f64; 2] {
        let Flat { x, product, start, opening, sums, .. } = self;
        let (rows, cone) = (&*work.rows, work.settings.cone);
        let of_contact = |index: usize| {
            let (normal, scale) = (rows.normal[index], &rows.scale[index]);
            let u: Numbers = std::array::from_fn(|k| product[index][k] + start[index][k]);
            let mut u = split(normal, &u).times(scale.inverse_root);
            let g = split(normal, &x[index]).times(scale.root);
            let (limits, length) = (rows.limits(index), rows.length[index]);
            let off = scale.natural_residual(&g, &u, &limits, length, cone);
            let squared = off.dot(&off);
            let count = f64::from(u8::from(squared > 0.0 || g.normal > 0.0));
            if cone == Cone::Associated {
                return [squared, count, squared];
            }
            u.normal += opening[index] * scale.inverse_root[0];
            let off = scale.natural_residual(&g, &u, &limits, length, Cone::Associated);
            [squared, count, off.dot(&off)]
        };
        sums.clear();
        sums.resize(rows.len().div_ceil(CHUNK), [0.0; 3]);
        let mut nothing = vec![(); rows.len()];
        in_chunks(&mut nothing, sums, 1, |first, chunk, sum| {
            (first..first + chunk.len()).for_each(|index| add(&mut sum[0], of_contact(index)));
        });
        let mut sum = [0.0; 3];
        sums.iter().for_each(|of_chunk| add(&mut sum, *of_chunk));
        for index in 0..rows.blocks().len() {
            let (at, s) = (rows.len() + index, rows.block_scale(index));
            let u: Numbers = std::array::from_fn(|k| (product[at][k] + start[at][k]) / s[k]);
            let mut held = u;
            held[0] += opening[at] / s[0];
            let [squared, convex] = [(u, cone), (held, Cone::Associated)]
                .map(|(u, cone)| rows.blocks().residual(index, &u, cone).iter().map(|off| off * off).sum::<f64>());
            add(&mut sum, [squared, rows.blocks().rows(index).len() as f64, convex]);
        }
        [sum[0], sum[2]].map(|squares| (squares / sum[1].max(1.0)).sqrt())
    }
}

/// y = x + b (x - x_before).
#[inline(always)]
fn extrapolated(now: &Numbers, before: &Numbers, momentum: f64) -> Numbers {
    std::array::from_fn(|k| now[k] + momentum * (now[k] - before[k]))
}

fn add(sums: &mut [f64; 3], other: [f64; 3]) {
    sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
}

/// Does chunk after chunk of two columns, `size` of the second for each chunk of the first; with many, threads share them. `work` is told
/// where its chunk begins.
fn in_chunks<A: Send, B: Send>(
    first: &mut [A],
    second: &mut [B],
    size: usize,
    work: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    if first.len() >= SHARED && rayon::current_num_threads() > 1 {
        let chunks = first.par_chunks_mut(CHUNK).zip(second.par_chunks_mut(size)).enumerate();
        chunks.for_each(|(chunk, (first, second))| work(chunk * CHUNK, first, second));
    } else {
        let chunks = first.chunks_mut(CHUNK).zip(second.chunks_mut(size)).enumerate();
        chunks.for_each(|(chunk, (first, second))| work(chunk * CHUNK, first, second));
    }
}

impl Rows {
    /// A contact without torsional limits has no velocity of turning.
    #[inline(always)]
    fn three_or_six(&self, index: usize, mut u: Split) -> Split {
        if !self.limits(index).resist_turning() {
            (u.spin, u.roll) = (0.0, DVec3::ZERO);
        }
        u
    }

    /// The impulse of scaled numbers: groups times s.
    #[inline(always)]
    fn scaled_impulse(&self, index: usize, x: &Numbers) -> Wrench {
        let (normal, [n, slide, roll, spin]) = (self.normal[index], self.scale[index].root);
        let (linear, angular) = (DVec3::new(x[0], x[1], x[2]), DVec3::new(x[3], x[4], x[5]));
        let (along, about) = (linear.dot(normal), angular.dot(normal));
        let force = linear * slide + normal * (along * (n - slide));
        Wrench { force, torque: angular * roll + normal * (about * (spin - roll)) }
    }

    /// Velocities times s, as the numbers are.
    #[inline(always)]
    fn scaled_velocity(&self, index: usize, linear: DVec3, angular: DVec3) -> Numbers {
        let (normal, [n, slide, roll, spin]) = (self.normal[index], self.scale[index].root);
        let turning = if self.limits(index).resist_turning() { angular } else { DVec3::ZERO };
        let (along, about) = (linear.dot(normal), turning.dot(normal));
        let (l, a) =
            (linear * slide + normal * (along * (n - slide)), turning * roll + normal * (about * (spin - roll)));
        [l.x, l.y, l.z, a.x, a.y, a.z]
    }

    /// s of the rows of a block: of a cone by groups, else one for all, or one per row where each has its own bounds.
    pub(super) fn block_scale(&self, index: usize) -> Numbers {
        let (blocks, one) = (self.blocks(), |n: f64| if n > 0.0 { 1.0 / n.sqrt() } else { 1.0 });
        let block = blocks.block(index);
        match (blocks.set(index), blocks.scale(index)) {
            (Set::Cone(_), Some(scale)) => {
                let [n, slide, roll, spin] = scale.root;
                [n, slide, slide, spin, roll, roll]
            }
            (Set::Ball(_), _) => [one((0..MOST_ROWS).map(|k| block[k][k]).fold(0.0, f64::max)); MOST_ROWS],
            _ => std::array::from_fn(|k| one(block[k][k])),
        }
    }

    /// A(u) in scaled numbers.
    fn scaled_opening(&self, at: usize, u: &Numbers) -> f64 {
        if at < self.len() {
            let (normal, scale) = (self.normal[at], &self.scale[at]);
            return self.limits(at).scaled(&scale.cones, &scale.root, &scale.inverse_root).opening(&split(normal, u));
        }
        let (index, blocks) = (at - self.len(), self.blocks());
        match (blocks.set(index), blocks.scale(index)) {
            (Set::Cone(_), Some(scale)) => scale.cones.opening(&split_of(u)),
            _ => 0.0,
        }
    }

    /// P(y - t (u + A n)) of a contact or block, all in scaled numbers.
    #[inline(always)]
    fn stepped(&self, at: usize, y: &Numbers, u: &Numbers, opening: f64, t: f64) -> Numbers {
        if at < self.len() {
            let (normal, scale) = (self.normal[at], &self.scale[at]);
            let limits = self.limits(at).scaled(&scale.cones, &scale.root, &scale.inverse_root);
            let mut u = split(normal, u);
            u.normal += opening;
            return flat_of(normal, &limits.project(&split(normal, y).plus(&u, -t)));
        }
        let (index, blocks) = (at - self.len(), self.blocks());
        let to: Numbers = std::array::from_fn(|k| y[k] - t * u[k]);
        let s = self.block_scale(index);
        match (blocks.set(index), blocks.scale(index)) {
            (Set::Ball(radius), _) => cut_to_ball(&to, radius / s[0]),
            (Set::Cone(_), Some(scale)) => {
                let mut to = split_of(&to);
                to.normal -= t * opening;
                numbers_of(&project(&to, &scale.cones))
            }
            _ => {
                let mut to = to;
                for (k, row) in blocks.rows(index).iter().enumerate() {
                    to[k] = to[k].max(row.bounds[0] / s[k]).min(row.bounds[1] / s[k]);
                }
                to
            }
        }
    }
}

/// Scaled numbers as the cones see them.
#[inline(always)]
fn split(normal: DVec3, x: &Numbers) -> Split {
    Split::new(normal, DVec3::new(x[0], x[1], x[2]), DVec3::new(x[3], x[4], x[5]))
}

/// And back.
#[inline(always)]
fn flat_of(normal: DVec3, x: &Split) -> Numbers {
    let (l, a) = (x.linear(normal), x.angular(normal));
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

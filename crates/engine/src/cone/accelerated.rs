//! Accelerated projected gradient with restart (Nesterov 1983; O'Donoghue and Candes 2015) on flat arrays, in impulses scaled by
//! groups as in `scale.rs`: x = g/s, N' = S N S, r' = S r (THEORY.md eq. 8.9).
//!
//! ```text
//!   y = x + b (x - x_before),   x_next = P( y - (N' y + r' + s_n A n)/L ),   b from the sequence of theta, 0 after a restart
//! ```
//!
//! N' y follows from the products of the two x, so an iteration has one product with N', matrix-free by way of the bodies. L grows
//! until (x_next - y) . N' (x_next - y) <= L |x_next - y|^2, and then shrinks a little. The sequence restarts where it moves
//! against the gradient step. Under the exact law A is that of y: no minimum is sought then, and convergence is not proven.
//!
//! Does not do: threads (sums stay in the order of rows).

use glam::DVec3;

use super::blocks::{MOST_ROWS, Numbers, Set, cut_to_ball, numbers_of, split_of};
use super::certificate::Certificate;
use super::project::{Split, project};
use super::rows::{Options, Rows, Twist, Wrench};
use super::settings::Cone;
use super::solve::Solving;

/// Iterations between two looks at the residual.
const LOOK_EVERY: u32 = 5;

/// How much L shrinks after each iteration.
const SHRINK: f64 = 0.95;

/// What the iteration keeps between steps, so that a steady step allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Flat {
    twists: Vec<Twist>,
    /// r': velocities without impulses, scaled.
    start: Vec<Numbers>,
    x: Vec<Numbers>,
    x_before: Vec<Numbers>,
    x_next: Vec<Numbers>,
    product: Vec<Numbers>,
    product_before: Vec<Numbers>,
    product_next: Vec<Numbers>,
}

/// Solves from the impulses that the rows have.
pub(super) fn accelerate(work: &mut Solving<'_>) -> Certificate {
    let mut flat = std::mem::take(&mut work.rows.flat);
    let certificate = flat.run(work);
    work.rows.flat = flat;
    certificate
}

impl Flat {
    fn run(&mut self, work: &mut Solving<'_>) -> Certificate {
        self.begin(work);
        let (mut theta, mut lipschitz, mut momentum) = (1.0_f64, 1.0_f64, 0.0);
        loop {
            work.iterations += 1;
            lipschitz = self.advance(work, momentum, lipschitz);
            // Against the step of the gradient: forget the momentum.
            let (x, before) = (&self.x, &self.x_before);
            if self.moves_back(momentum, x, before) {
                (theta, momentum) = (1.0, 0.0);
            } else {
                let next = 0.5 * (1.0 + (1.0 + 4.0 * theta * theta).sqrt());
                (theta, momentum) = (next, (theta - 1.0) / next);
            }
            lipschitz *= SHRINK;
            if work.iterations % LOOK_EVERY == 0 || !work.may_go_on() {
                self.write(work);
                let close = self.looks_solved(work);
                if close || !work.may_go_on() {
                    work.refresh_twists();
                    let certificate = work.certificate();
                    if certificate.solved || !work.may_go_on() {
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
        for numbers in [&mut self.start, &mut self.x, &mut self.x_next, &mut self.product, &mut self.product_next] {
            numbers.clear();
            numbers.resize(units, Numbers::default());
        }
        self.twists.clear();
        self.twists.resize(work.twists.len(), Twist::default());
        for index in 0..rows.len() {
            let scale = &rows.scale[index];
            self.x[index] = flat_of(rows.normal[index], &rows.split_impulse(index).times(scale.inverse_root));
            // Without what compliance gives way: that is part of the product.
            let mut u = rows.velocity(index, work.free);
            let Options { compliance, .. } = rows.options(index);
            let Wrench { force, torque } = rows.impulse[index];
            u = u.plus(&Split::new(rows.normal[index], compliance[0] * force, compliance[1] * torque), -1.0);
            self.start[index] = flat_of(rows.normal[index], &rows.three_or_six(index, u).times(scale.root));
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
        multiply(work, &self.x, &mut self.twists, &mut self.product);
        self.x_before.clone_from(&self.x);
        self.product_before.clone_from(&self.product);
    }

    /// One iteration with a momentum; returns the L that it has needed.
    fn advance(&mut self, work: &Solving<'_>, momentum: f64, mut lipschitz: f64) -> f64 {
        let extrapolate = |now: &Numbers, before: &Numbers| -> Numbers {
            std::array::from_fn(|k| now[k] + momentum * (now[k] - before[k]))
        };
        loop {
            for at in 0..self.x.len() {
                let y = extrapolate(&self.x[at], &self.x_before[at]);
                let of_y = extrapolate(&self.product[at], &self.product_before[at]);
                let u: Numbers = std::array::from_fn(|k| of_y[k] + self.start[at][k]);
                self.x_next[at] = work.rows.stepped(at, &y, &u, 1.0 / lipschitz, work.settings.cone);
            }
            multiply(work, &self.x_next, &mut self.twists, &mut self.product_next);
            let (mut curved, mut squared) = (0.0, 0.0);
            for at in 0..self.x.len() {
                let y = extrapolate(&self.x[at], &self.x_before[at]);
                let of_y = extrapolate(&self.product[at], &self.product_before[at]);
                for k in 0..MOST_ROWS {
                    let d = self.x_next[at][k] - y[k];
                    curved += d * (self.product_next[at][k] - of_y[k]);
                    squared += d * d;
                }
            }
            // Rounding of products near the solution must not drive L up.
            if curved <= lipschitz * squared * (1.0 + 1e-9) || squared <= 1e-28 * self.size() || lipschitz > 1e6 {
                break;
            }
            lipschitz = (1.5 * lipschitz).max(curved / squared);
        }
        // x_before <- x <- x_next, whose room is free again.
        std::mem::swap(&mut self.x_before, &mut self.x);
        std::mem::swap(&mut self.x, &mut self.x_next);
        std::mem::swap(&mut self.product_before, &mut self.product);
        std::mem::swap(&mut self.product, &mut self.product_next);
        lipschitz
    }

    fn size(&self) -> f64 {
        self.x_next.iter().flatten().map(|x| x * x).sum()
    }

    /// Whether the step from y to x points against that from the x before: (y - x) . (x - x_before) > 0.
    fn moves_back(&self, momentum: f64, x: &[Numbers], before: &[Numbers]) -> bool {
        // `x_next` holds the x before the one before.
        let mut along = 0.0;
        for ((x, before), older) in x.iter().zip(before).zip(&self.x_next) {
            for k in 0..MOST_ROWS {
                let y = before[k] + momentum * (before[k] - older[k]);
                along += (y - x[k]) * (x[k] - before[k]);
            }
        }
        along > 0.0
    }

    /// Writes impulses to the rows.
    fn write(&self, work: &mut Solving<'_>) {
        let contacts = work.rows.len();
        for index in 0..contacts {
            let normal = work.rows.normal[index];
            let g = split(normal, &self.x[index]).times(work.rows.scale[index].root);
            work.rows.impulse[index] = Wrench { force: g.linear(normal), torque: g.angular(normal) };
        }
        for index in 0..work.rows.blocks().len() {
            let s = work.rows.block_scale(index);
            let g = std::array::from_fn(|k| self.x[contacts + index][k] * s[k]);
            work.rows.blocks_mut().set_impulse(index, &g);
        }
    }

    /// Whether the residual, from the products at hand, is within the tolerance.
    fn looks_solved(&self, work: &Solving<'_>) -> bool {
        let (rows, cone) = (&*work.rows, work.settings.cone);
        let (mut squares, mut count) = (0.0, 0_u32);
        for index in 0..rows.len() {
            let (normal, scale) = (rows.normal[index], &rows.scale[index]);
            let u: Numbers = std::array::from_fn(|k| self.product[index][k] + self.start[index][k]);
            let u = split(normal, &u).times(scale.inverse_root);
            let g = split(normal, &self.x[index]).times(scale.root);
            let off = scale.natural_residual(&g, &u, &rows.limits(index), rows.length[index], cone);
            let squared = off.dot(&off);
            squares += squared;
            count += u32::from(squared > 0.0 || g.normal > 0.0);
        }
        for index in 0..rows.blocks().len() {
            let (at, s) = (rows.len() + index, rows.block_scale(index));
            let u: Numbers = std::array::from_fn(|k| (self.product[at][k] + self.start[at][k]) / s[k]);
            squares += rows.blocks().residual(index, &u, cone).iter().map(|off| off * off).sum::<f64>();
            count += rows.blocks().rows(index).len() as u32;
        }
        (squares / f64::from(count.max(1))).sqrt() <= work.settings.tolerance
    }
}

/// Computes N' x by way of the bodies.
fn multiply(work: &Solving<'_>, x: &[Numbers], twists: &mut [Twist], product: &mut [Numbers]) {
    let rows = &*work.rows;
    twists.fill(Twist::default());
    for index in 0..rows.len() {
        let (force, torque) = rows.scaled_impulse(index, &x[index]);
        let changes = rows.changes(index, &Wrench { force, torque }, work.response);
        rows.add(index, &changes, twists);
    }
    let blocks = rows.blocks();
    for index in 0..blocks.len() {
        let s = rows.block_scale(index);
        let g = std::array::from_fn(|k| x[rows.len() + index][k] * s[k]);
        blocks.add(index, &g, twists);
    }
    for index in 0..rows.len() {
        let (mut linear, mut angular) = rows.motion(index, twists);
        if !rows.options.is_empty() {
            let (force, torque) = rows.scaled_impulse(index, &x[index]);
            let Options { compliance, .. } = rows.options[index];
            (linear, angular) = (linear + compliance[0] * force, angular + compliance[1] * torque);
        }
        product[index] = rows.scaled_velocity(index, linear, angular);
    }
    for index in 0..blocks.len() {
        let (at, s) = (rows.len() + index, rows.block_scale(index));
        let motion = blocks.motion(index, twists);
        product[at] = Numbers::default();
        for (k, row) in blocks.rows(index).iter().enumerate() {
            product[at][k] = (motion[k] + row.compliance * x[at][k] * s[k]) * s[k];
        }
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
    fn scaled_impulse(&self, index: usize, x: &Numbers) -> (DVec3, DVec3) {
        let (normal, [n, slide, roll, spin]) = (self.normal[index], self.scale[index].root);
        let (linear, angular) = (DVec3::new(x[0], x[1], x[2]), DVec3::new(x[3], x[4], x[5]));
        let (along, about) = (linear.dot(normal), angular.dot(normal));
        (linear * slide + normal * (along * (n - slide)), angular * roll + normal * (about * (spin - roll)))
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

    /// P(y - t (u + A(u) n)) of a contact or block, all in scaled numbers.
    #[inline(always)]
    fn stepped(&self, at: usize, y: &Numbers, u: &Numbers, t: f64, cone: Cone) -> Numbers {
        if at < self.len() {
            let (normal, scale) = (self.normal[at], &self.scale[at]);
            let limits = self.limits(at).scaled(&scale.cones, &scale.root, &scale.inverse_root);
            let mut u = split(normal, u);
            if cone == Cone::Exact {
                u.normal += limits.opening(&u);
            }
            return flat_of(normal, &limits.project(&split(normal, y).plus(&u, -t)));
        }
        let (index, blocks) = (at - self.len(), self.blocks());
        let to: Numbers = std::array::from_fn(|k| y[k] - t * u[k]);
        let s = self.block_scale(index);
        match (blocks.set(index), blocks.scale(index)) {
            (Set::Ball(radius), _) => cut_to_ball(&to, radius / s[0]),
            (Set::Cone(_), Some(scale)) => {
                let mut to = split_of(&to);
                if cone == Cone::Exact {
                    to.normal -= t * scale.cones.opening(&split_of(u));
                }
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

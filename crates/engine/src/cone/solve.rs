//! Solves for the impulses of rows, by the solver that is asked for. All end by the natural residual (THEORY.md eq. 8.7).

use super::accelerated::accelerate;
use super::certificate::{Certificate, certify};
use super::newton::polish;
use super::rows::{Rows, Twist};
use super::settings::{Cone, LoadRule, Rule, Settings, Solver};
use super::sweep::{Pass, sweep};
use crate::response::Response;

/// Sweeps of `auto` before it takes another solver: a good start needs no more.
const FIRST_SWEEPS: u32 = 40;

/// The same in piles under the exact law: from a good start they are faster than the accelerated gradient.
const SWEEPS_OF_PILES: u32 = 80;

/// Relaxation of the sweeps of `auto` in piles under the convex law. Under the exact one more than 1 lets them cycle.
const AUTO_RELAXATION: f64 = 1.5;

/// Iterations of `auto` with Newton's method before it takes the accelerated gradient.
const NEWTON_STEPS: u32 = 200;

/// Contacts and blocks up to which `auto` takes Newton's method: above, factors cost more than products.
const FEW: usize = 400;

/// Solves by Gauss-Seidel, with loads from the same sweep.
pub fn solve(rows: &mut Rows, response: &[Response], twists: &mut [Twist], settings: &Settings) -> Certificate {
    solve_by(rows, response, twists, settings, Rule::default())
}

/// Solves for the impulses of rows, from those that they have. `twists` holds the velocities that bodies would have without contacts,
/// and then those that they have with them.
pub fn solve_by(
    rows: &mut Rows,
    response: &[Response],
    twists: &mut [Twist],
    settings: &Settings,
    rule: Rule,
) -> Certificate {
    rows.prepare(response);
    if rows.is_empty() && rows.blocks.is_empty() {
        return Certificate { solved: true, ..Certificate::default() };
    }
    let mut free = std::mem::take(&mut rows.free);
    free.clear();
    free.extend_from_slice(twists);
    rows.give_impulses(response, twists);
    let mut work = Solving { rows, response, free: &free, twists, settings, load: rule.load, iterations: 0 };
    let certificate = match (rule.load, rule.solver) {
        (LoadRule::Frozen, _) | (_, Solver::GaussSeidel) => work.sweep_until(settings.max_iterations),
        (_, Solver::Apgd) => accelerate(&mut work, settings.max_iterations),
        (_, Solver::Newton) => polish(&mut work, settings.max_iterations),
        (_, Solver::Auto) => work.choose(),
    };
    rows.free = free;
    certificate
}

/// A problem while it is solved: impulses are in the rows, and `twists` are what they lead to.
pub(super) struct Solving<'a> {
    pub rows: &'a mut Rows,
    pub response: &'a [Response],
    /// Velocities without contacts.
    pub free: &'a [Twist],
    pub twists: &'a mut [Twist],
    pub settings: &'a Settings,
    pub load: LoadRule,
    /// How many so far.
    pub iterations: u32,
}

impl Solving<'_> {
    /// One sweep. Returns an estimate of the residual (m/s).
    pub fn sweep(&mut self) -> f64 {
        self.sweep_once(self.settings)
    }

    fn sweep_once(&mut self, settings: &Settings) -> f64 {
        self.iterations += 1;
        let Settings { cone, relaxation, .. } = *settings;
        sweep(self.rows, self.response, self.twists, Pass::new(cone, self.load, relaxation))
    }

    /// Sweeps until the tolerance is met or so many iterations have been made.
    pub fn sweep_until(&mut self, most: u32) -> Certificate {
        self.sweep_with(self.settings, most)
    }

    /// The same with the relaxation of other settings.
    fn sweep_with(&mut self, settings: &Settings, most: u32) -> Certificate {
        loop {
            let estimate = self.sweep_once(settings);
            // The certificate costs a sweep: not before it can be good.
            if estimate <= self.settings.tolerance || self.iterations >= most {
                let certificate = self.certificate();
                if certificate.solved || self.iterations >= most {
                    return certificate;
                }
            }
        }
    }

    /// Sweeps first, then Newton's method if there are few contacts, then the accelerated gradient.
    fn choose(&mut self) -> Certificate {
        let most = self.settings.max_iterations;
        let mut certificate = self.sweep_first();
        if !certificate.solved && self.may_go_on() && self.has_few() {
            certificate = polish(self, (self.iterations + NEWTON_STEPS).min(most));
        }
        if certificate.solved || !self.may_go_on() {
            return certificate;
        }
        accelerate(self, most)
    }

    /// The sweeps of `auto`.
    fn sweep_first(&mut self) -> Certificate {
        let (sweeps, relaxation) = match self.settings.cone {
            _ if self.has_few() => (FIRST_SWEEPS, 1.0),
            Cone::Exact => (SWEEPS_OF_PILES, 1.0),
            Cone::Associated => (FIRST_SWEEPS, AUTO_RELAXATION),
        };
        self.sweep_with(&Settings { relaxation, ..*self.settings }, sweeps.min(self.settings.max_iterations))
    }

    fn has_few(&self) -> bool {
        self.rows.len() + self.rows.blocks.len() <= FEW
    }

    /// Whether there are iterations left.
    pub fn may_go_on(&self) -> bool {
        self.iterations < self.settings.max_iterations
    }

    /// Derives the velocities from the impulses again.
    pub fn refresh_twists(&mut self) {
        self.twists.copy_from_slice(self.free);
        self.rows.give_impulses(self.response, self.twists);
    }

    /// How good impulses and velocities are now.
    pub fn certificate(&self) -> Certificate {
        let Settings { cone, tolerance, .. } = *self.settings;
        let certificate = certify(self.rows, self.twists, cone, self.load);
        let solved = certificate.residual <= tolerance && certificate.residual_max <= 10.0 * tolerance;
        Certificate { iterations: self.iterations, solved, ..certificate }
    }
}

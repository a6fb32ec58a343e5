//! `stickslip solve`: one saved contact problem, solved with a certificate.

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Value, json};
use stickslip::cone::{Certificate, Cone, LoadRule, Rule, Settings, Solver};
use stickslip_io::problem_file::{self, ProblemFile, SavedProblem};

use crate::{Failure, Outcome, say};

/// Solve one saved contact problem and print how well
#[derive(clap::Args)]
#[command(after_help = "Example:\n  stickslip solve pile.json --solver apgd --json")]
pub struct Solve {
    /// The problem: JSON, or `.dat` with a matrix (`.gz` is unpacked)
    problem: PathBuf,
    /// Solver
    #[arg(long, value_enum, default_value_t = By::Auto)]
    solver: By,
    /// Law of friction [default: associated; exact for a matrix]
    #[arg(long, value_enum)]
    cone: Option<Law>,
    /// Residual to reach: m/s; for a matrix by default 1e-8 |q|
    #[arg(long, value_name = "T", value_parser = positive)]
    tolerance: Option<f64>,
    /// Iterations after which to stop
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: u32,
    /// Print velocities, impulses and certificate as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// Contact after contact
    GaussSeidel,
    /// Accelerated projected gradient
    Apgd,
    /// Semismooth Newton
    Newton,
    /// Sweeps, then what suits the size
    Auto,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Law {
    /// Coulomb's law
    Exact,
    /// Its convex relaxation
    Associated,
}

/// The residual to reach where none is given (m/s).
const TOLERANCE: f64 = 1e-10;

/// The same for a matrix, over |q|.
const TOLERANCE_OVER_Q: f64 = 1e-8;

/// A number above zero.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("must be a number above zero".into()),
    }
}

/// What was found, in the words of the file.
struct Found {
    /// `v` and `gamma`, or `u` and `r`.
    numbers: [(&'static str, Vec<f64>); 2],
    objective: f64,
    certificate: Certificate,
    /// What contradicts each other.
    conflict: Option<Value>,
}

impl Solve {
    /// Reads the problem, solves it, prints the result.
    pub fn execute(&self) -> Outcome {
        let found = match problem_file::load(&self.problem)? {
            ProblemFile::Bodies(saved) => self.solve_bodies(&saved)?,
            ProblemFile::Matrix(matrix) => {
                let size = matrix.q.iter().map(|q| q * q).sum::<f64>().sqrt();
                // Nothing to solve has nothing to be measured by.
                let scale = if size > 0.0 { TOLERANCE_OVER_Q * size } else { TOLERANCE };
                let settings = self.settings(Law::Exact, scale);
                let solution = matrix.solve_by(&settings, self.rule()).map_err(|error| self.wrong(&error))?;
                let numbers = [("u", solution.u), ("r", solution.r)];
                let (objective, certificate) = (solution.objective, solution.certificate);
                Found { numbers, objective, certificate, conflict: None }
            }
        };
        say(&if self.json { format!("{:#}\n", found.to_json()) } else { found.to_text() })?;
        found.judge()
    }

    fn solve_bodies(&self, saved: &SavedProblem) -> Result<Found, Failure> {
        let settings = self.settings(Law::Associated, TOLERANCE);
        let solution =
            saved.problem.solve_by(&settings, self.rule()).map_err(|error| self.wrong(&error.to_string()))?;
        let conflict = solution.conflict.as_ref().map(|conflict| {
            json!({ "contacts": conflict.contacts, "extra_rows": saved.problem.rows_of_blocks(&conflict.blocks) })
        });
        let numbers = [("v", saved.velocities(&solution)), ("gamma", saved.gamma(&solution))];
        Ok(Found { numbers, objective: solution.objective, certificate: solution.certificate, conflict })
    }

    fn settings(&self, law: Law, tolerance: f64) -> Settings {
        let cone = match self.cone.unwrap_or(law) {
            Law::Exact => Cone::Exact,
            Law::Associated => Cone::Associated,
        };
        let (tolerance, max_iterations) = (self.tolerance.unwrap_or(tolerance), self.max_iterations);
        Settings { cone, relaxation: 1.0, tolerance, max_iterations }
    }

    fn rule(&self) -> Rule {
        let solver = match self.solver {
            By::GaussSeidel => Solver::GaussSeidel,
            By::Apgd => Solver::Apgd,
            By::Newton => Solver::Newton,
            By::Auto => Solver::Auto,
        };
        Rule { solver, load: LoadRule::Solved }
    }

    fn wrong(&self, message: &str) -> Failure {
        Failure::Input(miette::miette!("{}: {message}", self.problem.display()))
    }
}

impl Found {
    fn to_json(&self) -> Value {
        let certificate = &self.certificate;
        let mut value = json!({
            "objective": self.objective,
            "natural_residual": certificate.residual_max,
            "natural_residual_rms": certificate.residual,
            "dual_violation": certificate.dual_error.max(0.0),
            "cone_violation": certificate.cone_error,
            "complementarity": certificate.complementarity,
            "active_contacts": certificate.active,
            "iterations": certificate.iterations,
            "solved": certificate.solved,
            "conflict": self.conflict,
        });
        for (name, numbers) in &self.numbers {
            value[*name] = json!(numbers);
        }
        value
    }

    fn to_text(&self) -> String {
        let Certificate { iterations, residual, residual_max, cone_error, dual_error, complementarity, active, .. } =
            self.certificate;
        let [(name, first), (_, second)] = &self.numbers;
        format!(
            "iterations        {iterations}\n\
             natural_residual  {residual_max:e} m/s (rms {residual:e})\n\
             dual_violation    {:e} m/s\n\
             cone_violation    {cone_error:e} N s\n\
             complementarity   {complementarity:e} J\n\
             objective         {:?} J\n\
             active_contacts   {active}\n\
             {name:<17} {} numbers, impulses {}: print them with --json\n",
            dual_error.max(0.0),
            self.objective,
            first.len(),
            second.len(),
        )
    }

    fn judge(&self) -> Outcome {
        if self.certificate.solved {
            return Ok(());
        }
        let message = match &self.conflict {
            Some(conflict) => format!("no velocities satisfy these rows together: {conflict}"),
            None => format!(
                "not solved to the tolerance after {} iterations: allow more, or try another solver",
                self.certificate.iterations
            ),
        };
        Err(Failure::Run(message))
    }
}

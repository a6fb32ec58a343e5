//! What joints must fulfil: rows that nothing can move hold at the start, and there are velocities that satisfy all.

use super::super::{Work, bodies};
use super::{fill, place};
use crate::cone::{self, Cone, Conflict, Rule, Settings, Solver};
use crate::error::{BuildError, Trouble};
use crate::geometry::Geometry;
use crate::joint::Target;
use crate::model::Model;
use crate::state::State;

/// Velocity that a row may be off by at the start, as a share of the fastest body or drive.
const ROUNDING: f64 = 1e-9;

/// How far above its tolerance a step must be for joints to be suspected of contradicting each other.
const FAR: f64 = 100.0;

/// Checks joints against the bodies as they start.
pub fn check_start(model: &Model, state: &State, geometry: &Geometry, work: &mut Work) -> Result<(), BuildError> {
    if model.joints.is_empty() {
        return Ok(());
    }
    bodies::set_free(model, state, geometry, work);
    place(model, state, work);
    work.rows.clear();
    fill(model, state, work);
    let title = |number: usize| model.joints[number].title(number);
    let fastest = fastest(model, state);
    for tied in &work.joints.tied {
        if tied.broken > ROUNDING * fastest {
            let speed = tied.broken;
            let what = format!(
                "locks, or motions that are given, leave one of its rows nothing to move, and it does not hold: {speed:.3e} m/s"
            );
            return Err(BuildError::BadJoint { number: tied.number, joint: title(tied.number), what });
        }
    }
    if state.step == 0 {
        check_targets(model, state)?;
    }
    let free = work.twists.clone();
    let settings =
        Settings { cone: Cone::Associated, relaxation: 1.0, tolerance: ROUNDING * fastest, max_iterations: 100 };
    let rule = Rule { solver: Solver::Newton, ..Rule::default() };
    let certificate = cone::solve_by(&mut work.rows, &work.responses, &mut work.twists, &settings, rule);
    let conflict = if certificate.solved { None } else { find(work, &free, &settings) };
    work.rows.clear();
    let numbers = conflict.map_or_else(Vec::new, |conflict| work.joints.of_conflict(&conflict));
    match numbers.last() {
        Some(&last) => Err(BuildError::Contradiction { last, joints: numbers.into_iter().map(title).collect() }),
        None => Ok(()),
    }
}

/// A drive by position without a limit starts where the joint is.
fn check_targets(model: &Model, state: &State) -> Result<(), BuildError> {
    for (number, (joint, now)) in model.joints.iter().zip(&state.joints).enumerate() {
        let Some(drive) = joint.drive.as_ref().filter(|drive| drive.limit.is_none()) else { continue };
        let Target::Position(target) = &drive.target else { continue };
        let at = target.at(state.time(model));
        if (at - now.x).abs() > ROUNDING * target.largest().max(1.0) {
            let what = format!("its drive begins at {at:e}, not where the joint is ({:e}): give it a limit", now.x);
            return Err(BuildError::BadJoint { number, joint: joint.title(number), what });
        }
    }
    Ok(())
}

/// The largest speed of a body or a drive, and at least what gravity makes of it in a step (m/s).
fn fastest(model: &Model, state: &State) -> f64 {
    let of_bodies = state
        .bodies
        .movers
        .iter()
        .map(|mover| mover.velocity.length().max(mover.angular_velocity.length() * mover.radius));
    let of_drives = model.joints.iter().filter_map(|joint| match &joint.drive.as_ref()?.target {
        Target::Speed(speed) => Some(speed.largest()),
        Target::Position(_) | Target::Load(_) => None,
    });
    let least = model.gravity.largest() * model.dt;
    of_bodies.chain(of_drives).fold(least.max(f64::EPSILON), f64::max)
}

/// Whether an unsolved step comes from joints that contradict each other.
pub fn check_agree(model: &Model, state: &State, work: &Work, settings: &Settings) -> Result<(), Trouble> {
    let certificate = &work.report.certificate;
    let suspect = !certificate.solved && certificate.residual_max > FAR * settings.tolerance;
    if work.joints.is_empty() || !suspect {
        return Ok(());
    }
    let Some(conflict) = find(work, &work.free, settings) else { return Ok(()) };
    let numbers = work.joints.of_conflict(&conflict);
    if numbers.is_empty() {
        return Ok(());
    }
    let joints = numbers.into_iter().map(|number| model.joints[number].title(number)).collect();
    let pair = |&row: &u32| {
        let key = work.touching[row as usize].key;
        [key.a, key.b]
    };
    let contacts = conflict.contacts.iter().map(pair).collect();
    Err(Trouble::Contradiction { joints, contacts, time: state.time(model), step: state.step })
}

fn find(work: &Work, free: &[cone::Twist], settings: &Settings) -> Option<Conflict> {
    cone::find_conflict(&work.rows, &work.responses, free, settings)
}

//! The step that rigid contacts need: none is unstable, but a body must not fall past others.
//!
//! h = 0.07 sqrt(2 R/g), R the radius of the smallest body that loads move: in one step from rest it falls half a percent of R, and it
//! takes fourteen steps to fall by R. Without gravity nothing sets a time; what is proposed then is a tenth of R at the greatest
//! speed of the start, or the step under 9.81 m/s^2 where all is at rest.

use std::borrow::Borrow;

use crate::advice::StepAdvice;
use crate::body::Body;
use crate::model::Model;

/// Share of the time of fall sqrt(2 R/g).
const SHARE: f64 = 0.07;
/// Share of the smallest radius that a body moves in a step, without gravity.
const WAY: f64 = 0.1;

/// The step for a model (its own `dt` is not looked at); `None` when nothing could touch. Of bodies that are alike in a row, one is
/// given, and how many there are.
pub fn advise_alike<B: Borrow<Body>>(
    model: &Model,
    bodies: impl Iterator<Item = (B, usize)> + Clone,
) -> Option<StepAdvice> {
    let (mut radius, mut speed, mut count) = (f64::INFINITY, 0.0_f64, 0_u64);
    let to_come =
        model.inflows.iter().flat_map(|inflow| inflow.extremes(1.0).into_iter().map(|body| (body, inflow.count)));
    let mut meet = |body: &Body, so_many: u64| {
        count = count.saturating_add(so_many);
        if body.motion.yields() {
            radius = radius.min(body.shape.radius().unwrap_or(f64::INFINITY));
            speed = speed.max(body.velocity.length());
        }
    };
    bodies.for_each(|(body, so_many)| meet(body.borrow(), so_many as u64));
    to_come.for_each(|(body, so_many)| meet(&body, so_many));
    if count < 2 || !radius.is_finite() {
        return None;
    }
    let gravity = model.gravity.largest();
    let fall = |gravity: f64| SHARE * (2.0 * radius / gravity).sqrt();
    let (step, set_by) = if gravity > 0.0 {
        (
            fall(gravity),
            format!("{SHARE} of the time in which the smallest body (radius {radius:.3e} m) falls by its radius"),
        )
    } else if speed > 0.0 {
        (WAY * radius / speed, format!("a tenth of the smallest radius ({radius:.3e} m) at {speed:.3e} m/s"))
    } else {
        (fall(9.81), format!("the smallest body (radius {radius:.3e} m), as if under 9.81 m/s^2"))
    };
    let (governed_by, automatic) = (set_by.clone(), gravity > 0.0);
    Some(StepAdvice { step, set_by, automatic, critical: f64::INFINITY, governed_by, limit: None, rayleigh: None })
}

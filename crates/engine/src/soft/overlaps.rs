//! What a step is stopped for: bodies too deep in each other, a grain that a wall wraps.
//!
//! For an overlap the likely cause is looked for among what is known of the pair: its step, its speed, its spring. Does not
//! look at streams (`traffic.rs`), nor at a domain that bodies must not leave, which is a matter of who runs the world.

use crate::check;
use crate::error::{DeepBy, Trouble};
use crate::model::Model;
use crate::soft::{TooDeep, Work, stable_step};
use crate::state::{Bodies, Mover, State};

/// A pair that approaches slower than this share of the speed at which its spring would throw it back is at rest.
const HARDLY: f64 = 0.1;

/// Whether the step that is being made has found nothing of the kind.
pub fn check(model: &Model, state: &State, work: &Work) -> Result<(), Trouble> {
    let id = |index: u32| state.bodies.movers[index as usize].id;
    let (time, step) = (state.time(model) + model.dt, state.step + 1);
    if let Some(pair) = work.chunks.iter().find_map(|chunk| chunk.trouble.wrapped) {
        return Err(Trouble::Wrapped { a: id(pair.a), b: id(pair.b), time, step });
    }
    let Some(deep) = work.chunks.iter().find_map(|chunk| chunk.trouble.too_deep) else { return Ok(()) };
    check::finite(model, state)?;
    let radius = deep.radius_eff.unwrap_or_else(|| smaller_radius(&state.bodies, &deep));
    let (a, b, overlap) = (id(deep.pair.a), id(deep.pair.b), deep.overlap);
    Err(Trouble::Overlap { a, b, overlap, radius, by: deep_by(model, &state.bodies, &deep, radius), time, step })
}

fn pair<'a>(bodies: &'a Bodies, deep: &TooDeep) -> [&'a Mover; 2] {
    [deep.pair.a, deep.pair.b].map(|index| &bodies.movers[index as usize])
}

fn smaller_radius(bodies: &Bodies, deep: &TooDeep) -> f64 {
    // A wall has none.
    let radii = pair(bodies, deep).map(|mover| mover.radius).into_iter();
    radii.filter(|radius| *radius > 0.0).fold(f64::INFINITY, f64::min)
}

/// Why two bodies most likely are too deep in each other.
fn deep_by(model: &Model, bodies: &Bodies, deep: &TooDeep, radius: f64) -> DeepBy {
    let (pair, approach, speed, step) = (pair(bodies, deep), deep.approach, deep.speed, model.dt);
    let [first, second] = pair.map(|mover| bodies.material_of[mover.id as usize]);
    let spring = model.laws.springs(first, second).and_then(|laws| {
        stable_step::normal_spring(laws, pair.map(|m| m.radius), pair.map(|m| m.inverse_mass), deep.overlap)
    });
    match spring {
        Some(spring) if step > spring.critical => DeepBy::Step { step, critical: spring.critical },
        _ if speed * step > 0.5 * radius => DeepBy::Speed { speed, step },
        Some(spring) if approach < HARDLY * spring.omega * deep.overlap => DeepBy::Load,
        _ => DeepBy::Collision { approach },
    }
}

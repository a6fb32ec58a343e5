//! What a run is stopped for: numbers that are not finite, bodies too deep in each other, a grain that a wall wraps.
//!
//! For an overlap the likely cause is looked for among what is known of the pair: its step, its speed, its spring. Does not
//! look at streams (`traffic.rs`), nor at a domain that bodies must not leave, which is a matter of who runs the world.

use crate::error::{DeepBy, Trouble};
use crate::explicit::contacts::TooDeep;
use crate::explicit::stable_step;
use crate::state::Mover;
use crate::world::World;

/// A pair that approaches slower than this share of the speed at which its spring would throw it back is at rest.
const HARDLY: f64 = 0.1;

impl World {
    /// Whether every position, orientation and velocity is a finite number. Steps look only when lists are made or a pair is
    /// too deep; who records a state asks here.
    pub fn check_finite(&self) -> Result<(), Trouble> {
        let bodies = &self.state.bodies;
        let wrong = |index: usize| {
            let mover = &bodies.movers[index];
            let finite = [
                ("velocity", mover.velocity.is_finite()),
                ("angular velocity", mover.angular_velocity.is_finite()),
                ("position", mover.position.is_finite()),
                ("orientation", bodies.orientations[index].is_finite()),
            ];
            finite.into_iter().find(|(_, finite)| !finite).map(|(what, _)| (mover.id, what))
        };
        match (0..bodies.movers.len()).filter_map(wrong).min_by_key(|(body, _)| *body) {
            None => Ok(()),
            Some((body, what)) => Err(Trouble::NotFinite { body, what, time: self.time(), step: self.state.step }),
        }
    }

    pub(super) fn check_depth(&self) -> Result<(), Trouble> {
        let id = |index: u32| self.state.bodies.movers[index as usize].id;
        let (time, step) = (self.time() + self.model.dt, self.state.step + 1);
        if let Some(pair) = self.work.iter().find_map(|work| work.wrapped) {
            return Err(Trouble::Wrapped { a: id(pair.a), b: id(pair.b), time, step });
        }
        let Some(deep) = self.work.iter().find_map(|work| work.too_deep) else { return Ok(()) };
        self.check_finite()?;
        let radius = deep.radius_eff.unwrap_or_else(|| self.smaller_radius(&deep));
        let (a, b, overlap) = (id(deep.pair.a), id(deep.pair.b), deep.overlap);
        Err(Trouble::Overlap { a, b, overlap, radius, by: self.deep_by(&deep, radius), time, step })
    }

    fn pair(&self, deep: &TooDeep) -> [&Mover; 2] {
        [deep.pair.a, deep.pair.b].map(|index| &self.state.bodies.movers[index as usize])
    }

    fn smaller_radius(&self, deep: &TooDeep) -> f64 {
        // A wall has none.
        self.pair(deep)
            .map(|mover| mover.radius)
            .into_iter()
            .filter(|radius| *radius > 0.0)
            .fold(f64::INFINITY, f64::min)
    }

    /// Why two bodies most likely are too deep in each other.
    fn deep_by(&self, deep: &TooDeep, radius: f64) -> DeepBy {
        let (pair, approach, speed, step) = (self.pair(deep), deep.approach, deep.speed, self.model.dt);
        let [first, second] = pair.map(|mover| self.material_of[mover.id as usize]);
        let laws = self.model.laws.get(first, second);
        let spring = laws.and_then(|laws| {
            stable_step::normal_spring(laws, pair.map(|m| m.radius), pair.map(|m| m.inverse_mass), deep.overlap)
        });
        match spring {
            Some(spring) if step > spring.critical => DeepBy::Step { step, critical: spring.critical },
            _ if speed * step > 0.5 * radius => DeepBy::Speed { speed, step },
            Some(spring) if approach < HARDLY * spring.omega * deep.overlap => DeepBy::Load,
            _ => DeepBy::Collision { approach },
        }
    }
}

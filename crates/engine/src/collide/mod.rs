//! From a pair of shapes to a contact: one file a pair. Each says whether two bodies touch, and gathers into a lane of a
//! block what the laws need of them.

pub mod sphere_sphere;
pub mod sphere_wall;

use glam::DVec3;

use crate::contact::Side;
use crate::state::Mover;

/// Puts what is read of a body into a lane; place and velocity as the pair of shapes wants them.
#[inline(always)]
fn gather_side(side: &mut Side, lane: usize, body: &Mover, place: DVec3, reach: f64, velocity: DVec3) {
    side.place.set(lane, place, reach);
    side.motion.set(lane, velocity, body.inverse_mass);
    side.turning.set(lane, body.angular_velocity, body.inverse_inertia);
    side.velocity_ahead[lane] = body.velocity_ahead;
    side.angular_velocity_ahead[lane] = body.angular_velocity_ahead;
}

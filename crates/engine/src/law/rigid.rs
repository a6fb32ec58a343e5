//! `rigid` along the normal: surfaces do not pass into each other, and a contact never pulls (THEORY.md eq. 8.1).
//!
//! At velocity level, over a step h, with the gap Phi and the normal velocity u of a relative to b at the start of the step:
//!
//! ```text
//!   u' + b >= 0,    b = Phi/h,   but where they hit each other with -u > v and Phi + h u < 0:   b = min(Phi/h, e u)
//! ```
//!
//! so that they part at e times the speed of approach (Newton). With several impacts at once and friction that may create
//! energy; the default is e = 0. Friction has limits alone, `Limits`, with one value for stick and slip.
//!
//! Does not do: compliance, solve for impulses (`cone`).

use crate::law::Limits;

/// The law along the normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rigid {
    /// Coefficient of restitution e, in [0, 1].
    pub restitution: f64,
    /// Speed of approach v (m/s) above which it counts. See `above_at`.
    pub above: Option<f64>,
}

/// What acts between two rigid materials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidLaws {
    /// Along the normal.
    pub normal: Rigid,
    /// Against slide, roll and spin.
    pub limits: Limits,
}

impl RigidLaws {
    /// Numbers that a contact remembers: bits of slipping, then mean force and torque of the last step, to start the next from.
    pub const MEMORY: usize = 7;
}

impl Rigid {
    /// Its name in scene files.
    pub const NAME: &'static str = "rigid";

    /// The speed (m/s) above which restitution counts: as it is given, or twice what a body gains by gravity in a step.
    pub fn above_at(&self, gravity: f64, dt: f64) -> f64 {
        self.above.unwrap_or(2.0 * gravity * dt)
    }

    /// b (m/s) of a contact with this gap (m) and normal velocity (m/s), where overlap leaves no faster than `recovery` (m/s).
    #[inline(always)]
    pub fn bias(&self, gap: f64, velocity: f64, dt: f64, above: f64, recovery: f64) -> f64 {
        let closing = (gap / dt).max(-recovery);
        let hits = self.restitution > 0.0 && -velocity > above && gap + dt * velocity < 0.0;
        if hits { closing.min(self.restitution * velocity) } else { closing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_may_close_an_overlap_must_open_and_an_impact_rebounds() {
        let (law, dt) = (Rigid { restitution: 0.5, above: Some(0.1) }, 0.01);
        let bias = |gap: f64, velocity: f64| law.bias(gap, velocity, dt, 0.1, 1.0);
        assert_eq!(bias(0.002, -0.1), 0.2);
        assert_eq!(bias(-0.002, 0.0), -0.2);
        // No faster than the recovery speed.
        assert_eq!(bias(-0.02, 0.0), -1.0);
        // It would be 1 cm deep: it leaves with half its speed at once.
        assert_eq!(bias(0.01, -2.0), -1.0);
        // Not within the step; too slow.
        assert_eq!((bias(0.03, -2.0), bias(0.0, -0.1)), (3.0, 0.0));
        assert_eq!((law.above_at(10.0, 0.01), Rigid::default().above_at(10.0, 0.01)), (0.1, 0.2));
    }
}

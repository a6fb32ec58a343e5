//! An ellipse that slides and rolls on a line, by the paper's formulas: the ellipsoid of section 4.5.1 in its plane of motion.
//!
//! Written from the paper, without the engine: the tilt is an angle, the point of contact comes from the support function
//! h(tilt) = sqrt(a^2 sin^2 + c^2 cos^2), the curvature is h^3/(a c)^2, and memory is an angle, Theta += kappa p. Symplectic Euler.

use stickslip::math::{cos, sin};

use super::{GRAVITY, KINETIC, STATIC, STIFFNESS};

/// The ellipse and its laws.
#[derive(Clone, Copy, Debug)]
pub struct Ellipse {
    /// Semi-axes across and along (m).
    pub axes: (f64, f64),
    /// kg.
    pub mass: f64,
    /// About the axis at right angles to the plane (kg m^2).
    pub inertia: f64,
    /// That D_R counts with (kg m^2).
    pub damped_inertia: f64,
    /// k_n (N/m).
    pub normal: f64,
    /// Normal damping over the critical one.
    pub normal_damping: f64,
    /// eta_r.
    pub eta: f64,
    /// D_R over the critical one.
    pub roll_damping: f64,
}

/// Where it is and how it moves: x, height, tilt, and their rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// s.
    pub time: f64,
    /// m, m, rad.
    pub at: [f64; 3],
    /// m/s, m/s, rad/s.
    pub rate: [f64; 3],
}

/// A spring that is cut at its cap; section 1.4 of the specification.
#[derive(Clone, Copy, Default)]
struct Capped {
    value: f64,
    slips: bool,
}

impl Capped {
    /// Adds; whether the dashpot acts.
    fn add(&mut self, increment: f64, cap_per_mu: f64) -> f64 {
        self.value += increment;
        let cap = cap_per_mu * if self.slips { KINETIC } else { STATIC };
        self.slips = self.value.abs() > cap;
        self.value = self.value.clamp(-cap, cap);
        if self.slips { 0.0 } else { 1.0 }
    }
}

impl Ellipse {
    /// Its path from a place, step by step, for so many steps.
    pub fn path(&self, start: Place, dt: f64, steps: usize) -> Vec<Place> {
        let mut place = start;
        let (mut slide, mut roll) = (Capped::default(), Capped::default());
        // The last point of contact: on the body, and on the line.
        let mut last: Option<([f64; 2], f64)> = None;
        let mut path = vec![place];
        for _ in 0..steps {
            let loads = self.loads(&place, dt, &mut slide, &mut roll, &mut last);
            let [force, lift, torque] = loads;
            let gains = [force / self.mass, lift / self.mass - GRAVITY, torque / self.inertia];
            (0..3).for_each(|k| place.rate[k] += dt * gains[k]);
            (0..3).for_each(|k| place.at[k] += dt * place.rate[k]);
            place.time += dt;
            path.push(place);
        }
        path
    }

    /// Force along the line, across it, and torque.
    fn loads(
        &self,
        place: &Place,
        dt: f64,
        slide: &mut Capped,
        roll: &mut Capped,
        last: &mut Option<([f64; 2], f64)>,
    ) -> [f64; 3] {
        let (a, c) = self.axes;
        let ([x, height, tilt], [_, rising, turning]) = (place.at, place.rate);
        let (s, k) = (sin(tilt), cos(tilt));
        let support = (a * a * s * s + c * c * k * k).sqrt();
        let overlap = support - height;
        if overlap <= 0.0 {
            (*slide, *roll, *last) = (Capped::default(), Capped::default(), None);
            return [0.0; 3];
        }
        // Of the point of contact, midway in the overlap, from the centre.
        let arm = [(a * a - c * c) * s * k / support, 0.5 * overlap - support];
        let closing = (a * a - c * c) * s * k / support * turning - rising;
        let dashpot = 2.0 * self.normal_damping * (self.normal * self.mass).sqrt();
        let normal = (self.normal * overlap + dashpot * closing).max(0.0);
        let point = x + arm[0];
        let (over_body, over_line) = match *last {
            None => (0.0, 0.0),
            Some((on_body, on_line)) => {
                let carried = [on_body[0] * k + on_body[1] * s, on_body[1] * k - on_body[0] * s];
                let chord = [arm[0] - carried[0], arm[1] - carried[1]];
                (chord[0].signum() * chord[0].hypot(chord[1]), point - on_line)
            }
        };
        *last = Some(([arm[0] * k - arm[1] * s, arm[0] * s + arm[1] * k], point));
        let slipped = over_body - over_line;
        let damping = slide.add(slipped, normal / STIFFNESS);
        let force = STIFFNESS * slide.value + damping * 2.0 * (self.mass * STIFFNESS).sqrt() * slipped / dt;
        let curvature = support * support * support / (a * c * a * c);
        let mean = 0.5 * curvature;
        let stiffness = self.eta * STIFFNESS / (mean * mean);
        let rolled = curvature * over_body;
        let damping = roll.add(rolled, mean * normal / STIFFNESS);
        let dashpot = self.roll_damping * 2.0 * (self.damped_inertia * stiffness).sqrt();
        let torque = stiffness * roll.value + damping * dashpot * rolled / dt;
        [force, normal, arm[1] * force - arm[0] * normal - torque]
    }
}

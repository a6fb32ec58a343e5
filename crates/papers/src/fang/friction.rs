//! The paper's parameters as a law (section 3): K_E, mu_s, mu_k, eta_r, eta_psi and curvature, damping as multiples of the
//! critical K_D = 2 sqrt(m K_E), D_R = 2 sqrt(I K_R), D_psi = 2 sqrt(I K_psi).

use stickslip::law::{
    self, Birth, Form, Hooke, Limit, Normal, SpinCurvature, SpringLaws, Strength, Tracked, TrackedRoll, TrackedSpin,
};

use super::{KINETIC, STATIC, STIFFNESS};

/// Against spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Twist {
    /// eta_psi and the curvature (1/m).
    Heuristic(f64, f64),
    /// Over the contact area of elastic spheres: eta_psi = 1/2, curvature 1/a, a = sqrt(R_eff d).
    Hertz,
}

/// The law, before it is a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// K_E (N/m).
    pub stiffness: f64,
    /// K_D, and D_psi, over the critical one.
    pub slide_damping: f64,
    /// eta_r; none without rolling friction.
    pub roll: Option<f64>,
    /// D_R over the critical one.
    pub roll_damping: f64,
    /// Against spin, if anything.
    pub spin: Option<Twist>,
    /// A contact begins in slip, saturated.
    pub starts_in_slip: bool,
    /// The two rolling springs of the paper instead of one.
    pub paper_form: bool,
}

impl Friction {
    /// Slide alone, critically damped.
    pub fn slide() -> Self {
        Friction {
            stiffness: STIFFNESS,
            slide_damping: 1.0,
            roll: None,
            roll_damping: 1.0,
            spin: None,
            starts_in_slip: false,
            paper_form: true,
        }
    }

    /// With rolling friction.
    pub fn roll(eta: f64) -> Self {
        Friction { roll: Some(eta), ..Friction::slide() }
    }

    /// As laws of a pair of materials, with a normal law that presses with nothing yet.
    pub fn laws(&self) -> SpringLaws {
        self.laws_with(Normal::Hooke(Hooke::new(1.0, 0.0)))
    }

    /// With this normal law.
    pub fn laws_with(&self, normal: Normal) -> SpringLaws {
        SpringLaws::with_friction(normal, law::Friction::Tracked(self.tracked()))
    }

    /// The law.
    pub fn tracked(&self) -> Tracked {
        let damping = self.slide_damping;
        let spin = self.spin.map(|spin| match spin {
            Twist::Heuristic(eta, curvature) => {
                TrackedSpin { strength: Strength::Eta(eta), curvature: SpinCurvature::Given(curvature), damping }
            }
            Twist::Hertz => TrackedSpin { strength: Strength::Eta(0.5), curvature: SpinCurvature::Hertz, damping },
        });
        Tracked {
            damping,
            roll: self.roll.map(|eta| TrackedRoll { strength: Strength::Eta(eta), damping: self.roll_damping }),
            spin,
            form: if self.paper_form { Form::Paper } else { Form::Reciprocal },
            birth: if self.starts_in_slip { Birth::Slip } else { Birth::Stick },
            ..Tracked::new(self.stiffness, Limit { static_: STATIC, ..Limit::mu(KINETIC) })
        }
    }
}
